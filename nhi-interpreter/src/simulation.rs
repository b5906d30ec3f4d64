//! Simulations without compiled code.

use crate::{Options, Retraction, counted, run};
use nhi_codegen::lower::Function;
use nhi_codegen::method::StartKind;
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::program::Role;
use nhi_runtime::{Failure, emitted};

/// Numbers by their roles.
type Fields = Vec<(Role, Vec<f64>)>;

/// A run of one method, as `nhi_runtime::Simulation` takes it.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    method: &'a MethodFunctions,
    options: Options,
    parameters: Vec<f64>,
    h: f64,
    prepared: Vec<f64>,
    /// The fields of the state, by their roles.
    state: Fields,
    steps: u64,
    /// Weight of the operations of the steps.
    executed: usize,
}

impl<'a> Simulation<'a> {
    /// Starts at (q, v) at time 0, with a start that the method has.
    ///
    /// # Errors
    /// As the compiled start.
    ///
    /// # Panics
    /// If the method has no such start, or lengths are not those of the system.
    pub fn start(
        method: &'a MethodFunctions,
        kind: StartKind,
        parameters: &[f64],
        [q, v, inputs]: [&[f64]; 3],
        h: f64,
    ) -> Result<Simulation<'a>, Failure> {
        let retraction = method.retraction.map_or_else(Retraction::default, |name| {
            Retraction::named(name).expect("a retraction of the runtime")
        });
        let options = Options { retraction, strict: true };
        let prepared = run(&method.prepare, &[parameters.to_vec(), vec![h]], options)?.concat();
        let state = vec![(Role::Configuration, q.to_vec()), (Role::Velocity, v.to_vec())];
        let parameters = parameters.to_vec();
        let mut simulation =
            Simulation { method, options, parameters, h, prepared, state, steps: 0, executed: 0 };
        let (_, start) = method.starts.iter().find(|(k, _)| *k == kind).expect("a start of the method");
        simulation.state = simulation.results(start, inputs)?.0;
        if let Some(initial) = &method.initial {
            let (carried, _) = simulation.results(initial, inputs)?;
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
        if let (Some(resync), true) = (&self.method.resync, self.steps.is_multiple_of(emitted::RESYNC_EVERY))
        {
            let (carried, _) = self.results(resync, inputs)?;
            self.state.retain(|(role, _)| *role != Role::Carried);
            self.state.extend(carried);
        }
        match self.results(&self.method.step, inputs) {
            Ok((state, executed)) => {
                self.state = state;
                self.executed += executed;
            }
            Err(failure) => {
                self.state = before;
                return Err(failure);
            }
        }
        self.steps += 1;
        if self.steps.is_multiple_of(emitted::FLUSH_EVERY) {
            let numbers = self.state.iter_mut().flat_map(|(_, numbers)| numbers);
            numbers.filter(|x| x.is_subnormal()).for_each(|x| *x = 0.0);
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
    fn results(&self, function: &Function, inputs: &[f64]) -> Result<(Fields, usize), Failure> {
        let argument = |role: &Role| match role {
            Role::Parameters => self.parameters.clone(),
            Role::StepSize => vec![self.h],
            Role::Prepared => self.prepared.clone(),
            Role::Time => vec![self.steps as f64 * self.h],
            Role::Inputs => inputs.to_vec(),
            role => self
                .state
                .iter()
                .find(|(r, _)| r == role)
                .map(|(_, numbers)| numbers.clone())
                .unwrap_or_default(),
        };
        let arguments: Vec<Vec<f64>> = function.arguments.iter().map(|a| argument(&a.role)).collect();
        let (results, executed) = counted(function, &arguments, self.options)?;
        Ok((function.outputs.iter().map(|output| output.role.clone()).zip(results).collect(), executed))
    }
}
