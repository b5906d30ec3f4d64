//! Methods as programs.

use crate::program::Program;

/// What a method carries from step to step; a struct of the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateKind {
    /// `NodeState { q, v, lambda }`.
    Node,
    /// `JumpState { q, v_pre, v_post, lambda }`.
    Jump,
}

impl StateKind {
    /// Name of the runtime's struct.
    pub fn type_name(self) -> &'static str {
        match self {
            StateKind::Node => "NodeState",
            StateKind::Jump => "JumpState",
        }
    }

    /// Its fields in order.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            StateKind::Node => &["q", "v", "lambda"],
            StateKind::Jump => &["q", "v_pre", "v_post", "lambda"],
        }
    }
}

/// Choice of a start; a variant of the runtime's `Start`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartKind {
    /// With the continuous multiplier.
    Consistent,
    /// With the projected force.
    Projected,
    /// Without any reaction.
    Plain,
}

/// The programs of one method for one system. Outputs are named after the fields of `state`.
#[derive(Clone, Debug)]
pub struct MethodPrograms {
    /// Id in the literature tables and reference data, such as `dla2`.
    pub id: &'static str,
    /// Name of the runtime's marker type, such as `Dla2`.
    pub marker: &'static str,
    /// What is carried.
    pub state: StateKind,
    /// Inputs: parameters, h (both `Binding::Prepared`), the state's fields, t, inputs.
    pub step: Program,
    /// Inputs: parameters, h, q, v, t, inputs (all `Binding::Step`). A method without a choice has
    /// one start, `Consistent`.
    pub starts: Vec<(StartKind, Program)>,
}

/// The programs of the system itself, all with parameters first.
#[derive(Clone, Debug)]
pub struct SystemPrograms {
    /// (parameters, q, v) → energy.
    pub energy: Program,
    /// (parameters, q, v) → p.
    pub momentum: Program,
    /// (parameters, q, v) → residual μv + μ₀.
    pub residual: Program,
    /// (parameters, q, v) → sums of absolute values of its terms; `abs` is sqrt of the square.
    pub residual_scale: Program,
    /// (parameters, q, v) → admissible velocity v.
    pub project: Program,
    /// (parameters, q, v, t, inputs) → dv/dt (`a`) and multipliers (`lambda`).
    pub acceleration: Program,
}
