//! Simulations without compiled code.

use crate::{Options, counted, prepared};
use nhi_codegen::lower::Function;
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::program::Role;
use nhi_methods::Variant;
use nhi_runtime::{Failure, emitted};
use std::rc::Rc;

/// Numbers by their roles.
type Fields = Vec<(Role, Vec<f64>)>;

/// A run of one method, as `nhi_runtime::Simulation` takes it.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    method: &'a MethodFunctions,
    options: Options,
    parameters: Vec<f64>,
    h: f64,
    /// One, or those of a composition.
    substeps: Rc<[Substep]>,
    /// The fields of the state, by their roles.
    state: Fields,
    steps: u64,
    /// Weight of the operations of the steps.
    executed: usize,
}

/// A step of the method itself.
#[derive(Clone, Debug)]
struct Substep {
    prepared: Vec<f64>,
    /// Time from the beginning of the step.
    after: f64,
    h: f64,
}

/// What a function computes from.
#[derive(Clone, Copy, Default)]
struct Arguments<'a> {
    t: f64,
    h: f64,
    inputs: &'a [f64],
    prepared: &'a [f64],
    /// The state before a step, for the function that updates velocities after it.
    before: &'a [(Role, Vec<f64>)],
}

impl<'a> Simulation<'a> {
    /// Starts at (q, v) with auxiliary states z at time 0; `method` has the functions of the method of `variant`.
    ///
    /// # Errors
    /// As the compiled start.
    ///
    /// # Panics
    /// If the method has no such start, or lengths are not those of the system.
    pub fn start(
        method: &'a MethodFunctions,
        variant: Variant,
        parameters: &[f64],
        [q, v, z, inputs]: [&[f64]; 4],
        h: f64,
    ) -> Result<Simulation<'a>, Failure> {
        let options = Options { retraction: variant.retraction, strict: true };
        let mut substeps = Vec::new();
        let mut before = 0.0;
        for gamma in variant.substeps() {
            let (after, h) = (h * before, h * gamma);
            let prepared = prepared(&method.prepare, &[parameters.to_vec(), vec![h]], options)?.concat();
            substeps.push(Substep { prepared, after, h });
            before += gamma;
        }
        let state = [(Role::Configuration, q), (Role::Velocity, v), (Role::States, z)];
        let state = state.map(|(role, numbers)| (role, numbers.to_vec())).to_vec();
        let parameters = parameters.to_vec();
        let mut simulation = Simulation {
            method,
            options,
            parameters,
            h,
            substeps: substeps.into(),
            state,
            steps: 0,
            executed: 0,
        };
        let (_, start) = method.starts.iter().find(|(kind, _)| *kind == variant.start).expect("a start");
        let first = Arguments { h: simulation.substeps[0].h, inputs, ..Arguments::default() };
        simulation.state = simulation.results(start, first)?.0;
        if let Some(initial) = &method.initial {
            let (carried, _) = simulation.results(initial, first)?;
            simulation.state.extend(carried);
        }
        Ok(simulation)
    }

    /// One step with these inputs. If it fails, the state stays as it is.
    ///
    /// # Errors
    /// As the compiled step.
    pub fn step(&mut self, inputs: &[f64]) -> Result<(), Failure> {
        let before = self.state.clone();
        self.substeps(inputs).inspect_err(|_| self.state = before)?;
        self.steps += 1;
        if self.steps.is_multiple_of(emitted::FLUSH_EVERY) {
            let numbers = self.state.iter_mut().flat_map(|(_, numbers)| numbers);
            numbers.filter(|x| x.is_subnormal()).for_each(|x| *x = 0.0);
        }
        Ok(())
    }

    fn substeps(&mut self, inputs: &[f64]) -> Result<(), Failure> {
        let (method, substeps) = (self.method, self.substeps.clone());
        let (t, is_composed) = (self.steps as f64 * self.h, substeps.len() > 1);
        // A step of a composition rotates sines as often as it has substeps.
        if is_composed || self.steps.is_multiple_of(emitted::RESYNC_EVERY) {
            self.update(method.resync.as_ref(), Arguments { t, h: self.h, inputs, ..Arguments::default() })?;
        }
        for (i, &Substep { ref prepared, after, h }) in substeps.iter().enumerate() {
            let arguments = Arguments { t: t + after, h, inputs, prepared, before: &[] };
            if i > 0 {
                self.update(method.rescale.as_ref(), arguments)?;
            }
            let (next, executed) = self.results(&method.step, arguments)?;
            let before = std::mem::replace(&mut self.state, next);
            self.executed += executed;
            if is_composed {
                self.update(method.update_velocity.as_ref(), Arguments { before: &before, ..arguments })?;
            }
        }
        Ok(())
    }

    /// Replaces the fields of the state that `function` computes.
    fn update(&mut self, function: Option<&Function>, arguments: Arguments<'_>) -> Result<(), Failure> {
        let Some(function) = function else { return Ok(()) };
        for (role, numbers) in self.results(function, arguments)?.0 {
            let field =
                self.state.iter_mut().find(|(field, _)| *field == role).expect("a field of the state");
            field.1 = numbers;
        }
        Ok(())
    }

    /// The numbers of the state, in the order of its fields.
    pub fn numbers(&self) -> Vec<f64> {
        self.state.iter().flat_map(|(_, numbers)| numbers).copied().collect()
    }

    /// [Weight](nhi_codegen::expr::OperationCount::weight) of the operations that the steps have executed so far.
    pub fn executed(&self) -> usize {
        self.executed
    }

    /// What `function` computes at the current state, by roles, and the weight of the operations executed.
    fn results(&self, function: &Function, arguments: Arguments<'_>) -> Result<(Fields, usize), Failure> {
        let Arguments { t, h, inputs, prepared, before } = arguments;
        let field = |fields: &[(Role, Vec<f64>)], role: &Role| {
            let field = fields.iter().find(|(field, _)| field == role);
            field.map(|(_, numbers)| numbers.clone()).unwrap_or_default()
        };
        let argument = |role: &Role| match role {
            Role::Parameters => self.parameters.clone(),
            Role::StepSize => vec![h],
            Role::Prepared => prepared.to_vec(),
            Role::Time => vec![t],
            Role::Inputs => inputs.to_vec(),
            Role::PreviousVelocity => field(before, &Role::Velocity),
            Role::PreviousCarried => field(before, &Role::Carried),
            role => field(&self.state, role),
        };
        let arguments: Vec<Vec<f64>> = function.arguments.iter().map(|a| argument(&a.role)).collect();
        let (results, executed) = counted(function, &arguments, self.options)?;
        Ok((function.outputs.iter().map(|output| output.role.clone()).zip(results).collect(), executed))
    }
}
