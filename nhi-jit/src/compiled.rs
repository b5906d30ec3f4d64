//! The compiled functions of a system and its methods.

use crate::Error;
use crate::admissible::check_velocity;
use crate::compile::{Layout, Loops, Unit, failure};
use crate::native::{Code, PlainId};
use crate::passage::Ends;
use nhi_codegen::facts::SystemFacts;
use nhi_codegen::functions::OfSystem;
use nhi_codegen::lower::Function;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::program::{Product, Role, StateKind, complete};
use nhi_methods::{Retraction, Variant};
use nhi_runtime::admissible::settled;
use nhi_runtime::{Failure, balance};
use std::fmt;
use std::slice;
use std::sync::Arc;

/// A system with some of its methods, compiled. It is shared by its simulations; the code is released with the last of them.
#[derive(Clone)]
pub struct Compiled {
    /// The functions of the system.
    system: Arc<System>,
    /// The methods, and the code of their functions.
    methods: Arc<(Arc<Code>, Vec<Method>)>,
}

/// The compiled functions of a system.
struct System {
    code: Arc<Code>,
    facts: SystemFacts,
    functions: OfSystem<Callable>,
}

/// What the functions of a system are computed from: those that depend on it read it.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Point<'a> {
    /// Parameters, flattened.
    pub parameters: &'a [f64],
    /// Configuration.
    pub q: &'a [f64],
    /// Velocity.
    pub v: &'a [f64],
    /// Auxiliary states.
    pub z: &'a [f64],
    /// Time.
    pub t: f64,
    /// Control inputs.
    pub inputs: &'a [f64],
}

/// dv/dt and the multipliers λ of the continuous equations.
#[derive(Clone, PartialEq, Debug)]
pub struct Acceleration {
    /// dv/dt.
    pub a: Vec<f64>,
    /// λ, one for each constraint.
    pub lambda: Vec<f64>,
}

/// A compiled function with the roles and lengths of its arguments, and the lengths of its results, of which the last ones may be
/// factors of products that complete the others.
pub(crate) struct Callable {
    id: PlainId,
    arguments: Vec<(Role, usize)>,
    results: Vec<usize>,
    products: Vec<Product>,
    /// Number of results without factors.
    pub(crate) whole: usize,
}

/// The compiled functions of a method with its choices.
pub(crate) struct Method {
    pub(crate) variant: Variant,
    pub(crate) layout: Layout,
    pub(crate) loops: Loops,
    pub(crate) kind: StateKind,
    prepare: Callable,
    start: Callable,
    initial: Option<Callable>,
}

impl Callable {
    pub(crate) fn of(
        unit: &mut Unit,
        function: &Function,
        retraction: Retraction,
    ) -> Result<Callable, Error> {
        Ok(Callable {
            id: unit.plain(function, retraction)?,
            arguments: function.arguments.iter().map(|a| (a.role.clone(), a.values.len())).collect(),
            results: function.outputs.iter().map(|output| output.values.len()).collect(),
            products: function.products(),
            whole: function.whole().map(|output| output.values.len()).sum(),
        })
    }

    /// The results, one after the other, for the numbers of each role.
    pub(crate) fn call<'a>(
        &self,
        code: &Code,
        numbers: impl Fn(&Role) -> &'a [f64],
    ) -> Result<Vec<f64>, Failure> {
        let mut results = vec![0.0; self.count()];
        self.call_to(code, numbers, &mut results)?;
        if !self.products.is_empty() {
            complete(&self.products, &self.results, &mut results);
            results.truncate(self.whole);
            if !results.iter().all(|x| x.is_finite()) {
                return Err(Failure::NonFinite);
            }
        }
        Ok(results)
    }

    /// Number of results.
    fn count(&self) -> usize {
        self.results.iter().sum()
    }

    /// Writes the results, one after the other, for the numbers of each role.
    fn call_to<'a>(
        &self,
        code: &Code,
        numbers: impl Fn(&Role) -> &'a [f64],
        results: &mut [f64],
    ) -> Result<(), Failure> {
        let count = self.arguments.iter().map(|(_, length)| length).sum();
        // A planner calls functions as often as they take steps: most have so few arguments that they need no allocation.
        let (mut few, mut many) = ([0.0; 48], Vec::new());
        let arguments = match few.get_mut(..count) {
            Some(few) => few,
            None => {
                many.resize(count, 0.0);
                &mut many[..]
            }
        };
        let mut rest = &mut arguments[..];
        for (role, length) in &self.arguments {
            let numbers = numbers(role);
            assert_eq!(numbers.len(), *length, "numbers of {}", role.name());
            let (these, others) = rest.split_at_mut(*length);
            these.copy_from_slice(numbers);
            rest = others;
        }
        failure(code.call(self.id, arguments, results)).map_or(Ok(()), Err)
    }
}

impl Point<'_> {
    /// The numbers of a role.
    pub(crate) fn of(&self, role: &Role) -> &[f64] {
        match role {
            Role::Parameters => self.parameters,
            Role::Configuration => self.q,
            Role::Velocity => self.v,
            Role::States => self.z,
            Role::Time => slice::from_ref(&self.t),
            Role::Inputs => self.inputs,
            _ => &[],
        }
    }
}

impl Method {
    pub(crate) fn of(unit: &mut Unit, optimised: &Optimised, variant: Variant) -> Result<Method, Error> {
        let Optimised { facts, methods, .. } = optimised;
        let functions = methods.iter().find(|functions| functions.method == variant.method);
        let Some(functions) = functions else { return Err(Error::NotCompiled { variant }) };
        let start = functions.starts.iter().find(|(kind, _)| *kind == variant.start);
        // A method without a choice has one start.
        let start = start.or(functions.starts.first());
        let Some((_, start)) = start else { return Err(Error::NotCompiled { variant }) };
        let layout = Layout::new(functions, start, variant, [facts.parameters.len(), facts.inputs.len()]);
        let retraction = variant.retraction;
        Ok(Method {
            variant,
            loops: unit.steps(functions, retraction, &layout)?,
            layout,
            kind: functions.state,
            prepare: Callable::of(unit, &functions.prepare, retraction)?,
            start: Callable::of(unit, start, retraction)?,
            initial: match &functions.initial {
                Some(initial) => Some(Callable::of(unit, initial, retraction)?),
                None => None,
            },
        })
    }

    /// The data of a simulation that starts at a point, for [`Layout`].
    pub(crate) fn data(&self, code: &Code, at: &Point<'_>, h: f64) -> Result<Vec<f64>, Failure> {
        // Added to −0, a time k h does not change, not even −0.
        let t0 = if at.t == 0.0 { -0.0 } else { at.t };
        let (substeps, prepared) = (self.layout.substeps.count, self.prepare.count());
        let count = at.parameters.len() + at.inputs.len() + 2;
        let mut data = Vec::with_capacity(count + substeps * (2 + prepared));
        [at.parameters, at.inputs, &[h, t0]].into_iter().for_each(|numbers| data.extend_from_slice(numbers));
        let mut since = 0.0;
        for gamma in self.variant.substeps() {
            // One substep is the step itself.
            let size = if self.layout.substeps.count == 1 { h } else { h * gamma };
            data.extend_from_slice(&[h * since, size]);
            let start = data.len();
            data.resize(start + prepared, 0.0);
            let numbers = |role: &Role| match role {
                Role::StepSize => slice::from_ref(&size),
                role => at.of(role),
            };
            self.prepare.call_to(code, numbers, &mut data[start..])?;
            since += gamma;
        }
        Ok(data)
    }

    /// The state that a simulation with these data begins with.
    pub(crate) fn begin(&self, code: &Code, at: &Point<'_>, data: &[f64]) -> Result<Vec<f64>, Failure> {
        let state = self.start.call(code, |role| match role {
            Role::StepSize => self.first_size(data),
            role => at.of(role),
        })?;
        self.carrying(code, at, data, state)
    }

    /// The data and the state for one step of size `h` from a point, with a first guess of the multipliers. For methods without
    /// reflections.
    pub(crate) fn departure(
        &self,
        code: &Code,
        at: &Point<'_>,
        lambda: &[f64],
        h: f64,
    ) -> Result<[Vec<f64>; 2], Failure> {
        let data = self.data(code, at, h)?;
        let mut state = Vec::with_capacity(self.layout.state.len());
        [at.q, at.v, lambda, at.z].into_iter().for_each(|numbers| state.extend_from_slice(numbers));
        let state = self.carrying(code, at, &data, state)?;
        Ok([data, state])
    }

    /// The size of the first substep.
    fn first_size<'a>(&self, data: &'a [f64]) -> &'a [f64] {
        slice::from_ref(&data[self.layout.substeps.start + 1])
    }

    /// The state with what a step computes for the next one.
    pub(crate) fn carrying(
        &self,
        code: &Code,
        at: &Point<'_>,
        data: &[f64],
        mut state: Vec<f64>,
    ) -> Result<Vec<f64>, Failure> {
        if let Some(initial) = &self.initial {
            let start = state.len();
            state.resize(start + initial.count(), 0.0);
            let (state, carried) = state.split_at_mut(start);
            let numbers = |role: &Role| match (role, self.layout.state.of(role)) {
                (Role::StepSize, _) => self.first_size(data),
                (role, field) if field.is_empty() => at.of(role),
                (_, field) => &state[field],
            };
            initial.call_to(code, numbers, carried)?;
        }
        Ok(state)
    }
}

/// The names of the coordinates and the methods.
impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods: Vec<String> = self.variants().map(|variant| variant.to_string()).collect();
        let names = self.coordinates();
        f.debug_struct("Compiled")
            .field("coordinates", &names)
            .field("methods", &methods)
            .finish_non_exhaustive()
    }
}

/// Those of `variants`, whose functions belong to a unit from here on.
fn methods(unit: &mut Unit, optimised: &Optimised, variants: &[Variant]) -> Result<Vec<Method>, Error> {
    variants.iter().map(|&variant| Method::of(unit, optimised, variant)).collect()
}

impl Compiled {
    /// Compiles the functions of a system and of those of its methods.
    ///
    /// # Errors
    /// [`Error::NotCompiled`] for a method that the declaration does not have, and [`Error::Unavailable`] where Cranelift does
    /// not run.
    pub fn new(optimised: &Optimised, variants: &[Variant]) -> Result<Compiled, Error> {
        let mut unit = Unit::new()?;
        let methods = methods(&mut unit, optimised, variants)?;
        // A system's own functions use the exponential map.
        let functions = optimised.system.as_ref();
        let functions = functions.try_map(|function| Callable::of(&mut unit, function, Retraction::Exp))?;
        let code = Arc::new(unit.finish()?);
        Ok(Compiled {
            methods: Arc::new((Arc::clone(&code), methods)),
            system: Arc::new(System { code, facts: optimised.facts.clone(), functions }),
        })
    }

    /// The same system with other methods, which are compiled alone.
    ///
    /// # Errors
    /// As [`Compiled::new`].
    pub fn with_methods(&self, optimised: &Optimised, variants: &[Variant]) -> Result<Compiled, Error> {
        let mut unit = Unit::new()?;
        let methods = methods(&mut unit, optimised, variants)?;
        let code = Arc::new(unit.finish()?);
        Ok(Compiled { methods: Arc::new((code, methods)), system: Arc::clone(&self.system) })
    }

    /// The code of the methods.
    pub(crate) fn code(&self) -> &Code {
        &self.methods.0
    }

    pub(crate) fn facts(&self) -> &SystemFacts {
        &self.system.facts
    }

    pub(crate) fn methods(&self) -> &[Method] {
        &self.methods.1
    }

    /// The methods that were compiled.
    pub fn variants(&self) -> impl Iterator<Item = Variant> {
        self.methods().iter().map(|method| method.variant)
    }

    /// Names of the parameters, flattened.
    pub fn parameters(&self) -> &[String] {
        &self.system.facts.parameters
    }

    /// Names of the entries of a configuration.
    pub fn coordinates(&self) -> &[String] {
        &self.system.facts.coordinates
    }

    /// Names of the entries of a velocity. Those of coordinates have the names of the coordinates.
    pub fn velocities(&self) -> &[String] {
        &self.system.facts.velocities
    }

    /// Names of the control inputs.
    pub fn inputs(&self) -> &[String] {
        &self.system.facts.inputs
    }

    /// Names of the auxiliary states.
    pub fn states(&self) -> &[String] {
        &self.system.facts.states
    }

    /// Labels of the constraints; without a label, their text. Position constraints come last.
    pub fn constraints(&self) -> &[String] {
        &self.system.facts.constraints
    }

    /// The symmetries that were found in the declaration: names of momenta p·ξ such as `p_phi`, and their directions ξ.
    pub fn symmetries(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.system.facts.symmetries.iter().map(|(name, direction)| (name.as_str(), &direction[..]))
    }

    /// The results of a function that cannot fail.
    fn numbers(&self, function: &Callable, at: &Point<'_>) -> Vec<f64> {
        let numbers = function.call(&self.system.code, |role| at.of(role));
        numbers.unwrap_or_else(|failure| unreachable!("the function has no checks: {failure}"))
    }

    /// E = ∂L/∂v · v − L.
    ///
    /// # Panics
    /// Like the other functions, if the lengths of arrays at the point are not those of the system.
    pub fn energy(&self, at: &Point<'_>) -> f64 {
        self.numbers(&self.system.functions.energy, at).iter().sum()
    }

    /// p = ∂L/∂v.
    pub fn momentum(&self, at: &Point<'_>) -> Vec<f64> {
        self.numbers(&self.system.functions.momentum, at)
    }

    /// T = ½ vᵀMv.
    pub(crate) fn kinetic_energy(&self, at: &Point<'_>) -> f64 {
        let mut p = self.momentum(at);
        if self.facts().gyroscopic {
            let rest = vec![0.0; at.v.len()];
            balance::subtract(&mut p, &self.momentum(&Point { v: &rest, ..*at }));
        }
        balance::half_product(at.v, &p)
    }

    /// That the mass matrix gives some velocities a negative kinetic energy at a point, if it does; velocities there do not count.
    pub fn negative_inertia(&self, at: &Point<'_>) -> Option<Failure> {
        balance::negative_inertia(&Ends::at_point(self, at, 0.0))
    }

    /// The residuals μ(q)v + μ₀(q) of the constraints.
    pub fn residual(&self, at: &Point<'_>) -> Vec<f64> {
        self.numbers(&self.system.functions.residual, at)
    }

    /// The sums of absolute values of the terms of the residuals.
    pub fn residual_scale(&self, at: &Point<'_>) -> Vec<f64> {
        self.numbers(&self.system.functions.residual_scale, at)
    }

    /// The residuals g(q) of the position constraints.
    pub fn position(&self, at: &Point<'_>) -> Vec<f64> {
        let function = self.system.functions.position.as_ref();
        function.map(|function| self.numbers(function, at)).unwrap_or_default()
    }

    /// The sums of absolute values of the terms of these residuals.
    pub fn position_scale(&self, at: &Point<'_>) -> Vec<f64> {
        let function = self.system.functions.position_scale.as_ref();
        function.map(|function| self.numbers(function, at)).unwrap_or_default()
    }

    /// The vectors (0, e_b) of the nonholonomic momentum; none without a group factor.
    pub fn momentum_basis(&self, at: &Point<'_>) -> Vec<Vec<f64>> {
        let Some(function) = &self.system.functions.momentum_basis else { return Vec::new() };
        let numbers = self.numbers(function, at);
        let mut rest = numbers.as_slice();
        let rows = function.results.iter().map(|&length| {
            let (row, others) = rest.split_at(length);
            rest = others;
            row.to_vec()
        });
        rows.collect()
    }

    /// Rates of the nonholonomic momentum at constant velocity.
    pub(crate) fn momentum_drift(&self, at: &Point<'_>) -> Vec<f64> {
        let function = self.system.functions.momentum_drift.as_ref();
        function.map(|function| self.numbers(function, at)).unwrap_or_default()
    }

    /// The admissible velocity nearest to the one of the point in the kinetic-energy metric. Errors are rounding of the result
    /// itself, also where it is smaller than the given velocity by many orders of magnitude.
    ///
    /// # Errors
    /// A singular mass matrix or singular constraints.
    pub fn project(&self, at: &Point<'_>) -> Result<Vec<f64>, Failure> {
        settled(
            &at.v.to_vec(),
            |v| self.project_once(&Point { v, ..*at }),
            |v| check_velocity(self, &Point { v, ..*at }).is_ok(),
        )
    }

    /// The same with errors that are rounding of the given velocity.
    pub(crate) fn project_once(&self, at: &Point<'_>) -> Result<Vec<f64>, Failure> {
        self.system.functions.project.call(&self.system.code, |role| at.of(role))
    }

    /// The configuration after a Gauss–Newton step towards the position constraints in the kinetic-energy metric.
    ///
    /// # Errors
    /// As [`Compiled::project`].
    pub fn correct(&self, at: &Point<'_>) -> Result<Vec<f64>, Failure> {
        match &self.system.functions.correct {
            Some(function) => function.call(&self.system.code, |role| at.of(role)),
            None => Ok(at.q.to_vec()),
        }
    }

    /// dv/dt and the multipliers of the continuous equations.
    ///
    /// # Errors
    /// As [`Compiled::project`].
    pub fn acceleration(&self, at: &Point<'_>) -> Result<Acceleration, Failure> {
        let mut a = self.system.functions.acceleration.call(&self.system.code, |role| at.of(role))?;
        let lambda = a.split_off(self.velocities().len());
        Ok(Acceleration { a, lambda })
    }
}
