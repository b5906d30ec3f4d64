//! The functions of one declaration after optimisation and lowering: what every back end reads.

use crate::lower::Function;
use crate::method::{StartKind, StateKind};

/// All functions of one system.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimised {
    /// Functions of the system itself.
    pub system: SystemFunctions,
    /// Functions of each method, in the declared order.
    pub methods: Vec<MethodFunctions>,
}

/// Functions of the system, all with parameters first.
#[derive(Clone, PartialEq, Debug)]
pub struct SystemFunctions {
    /// (parameters, q, v) → energy.
    pub energy: Function,
    /// (parameters, q, v) → p.
    pub momentum: Function,
    /// (parameters, q, v) → μv + μ₀.
    pub residual: Function,
    /// (parameters, q, v) → sums of absolute values of its terms.
    pub residual_scale: Function,
    /// (parameters, q, v) → nearest admissible velocity.
    pub project: Function,
    /// (parameters, q, v, t, inputs) → dv/dt and multipliers.
    pub acceleration: Function,
    /// (parameters, q) → vectors (0, e_b) of the nonholonomic momentum.
    pub momentum_basis: Option<Function>,
}

/// Functions of one method.
#[derive(Clone, PartialEq, Debug)]
pub struct MethodFunctions {
    /// Id, such as `dla2`.
    pub id: &'static str,
    /// Marker type of the runtime, such as `Dla2`.
    pub marker: &'static str,
    /// The state without what is carried beside it.
    pub state: StateKind,
    /// The retraction that its equations are for; none where any serves.
    pub retraction: Option<&'static str>,
    /// (parameters, h) → what depends on these alone, one scalar result for each value.
    pub prepare: Function,
    /// (parameters, h, q, v, t, inputs) → state without what is carried.
    pub starts: Vec<(StartKind, Function)>,
    /// (prepared, state, carried, t, inputs) → state, carried.
    pub step: Function,
    /// The numbers that a step carries beside the state, in the order of the step's argument.
    pub carried: Vec<CarriedEntry>,
    /// (parameters, h, state, t) → carried, at a start; none where all are zero or there are none.
    pub initial: Option<Function>,
    /// (parameters, h, state, carried, t) → carried, for steps of another size; none where nothing depends on the size.
    pub rescale: Option<Function>,
    /// (state, carried) → carried, with sines and cosines computed from their angles; none where there are none.
    pub resync: Option<Function>,
}

/// One number that a step carries.
#[derive(Clone, PartialEq, Debug)]
pub struct CarriedEntry {
    /// Name of the field.
    pub name: String,
    /// Its documentation.
    pub doc: String,
}
