//! A model whose steps are taken both by a C program and by compiled Rust, and compared bit for bit.

use super::process::{Process, Program, State};
use nhi_models::{Instance, Method, Model, Node, Phase, Trajectory};
use nhi_runtime::{Error, Failure, Limits};
use nhi_tests::bits::assert_same;
use nhi_tests::reason::is_shown;
use nhi_tests::with_methods::with_methods;
use std::cell::RefCell;

/// The same model with the methods of a C program.
pub(crate) fn in_c<'a>(model: &'a dyn Model, program: &Program) -> impl Model + use<'a> {
    let (header, program) = (program.header.clone(), program.clone());
    with_methods(model, &|method| header.method(method.id).is_some(), move |parameters| {
        let instance = model.instance(parameters);
        let process = RefCell::new(program.run(&instance.parameters()));
        Box::new(InstanceInC { instance, program: program.clone(), process })
    })
}

/// The functions of the system.
struct InstanceInC {
    instance: Box<dyn Instance>,
    program: Program,
    process: RefCell<Process>,
}

impl InstanceInC {
    /// What C computes.
    fn ask(&self, command: &str, numbers: &[&[f64]]) -> Result<Vec<f64>, Failure> {
        let (status, numbers) = self.process.borrow_mut().ask(command, numbers);
        match status {
            0 => Ok(numbers),
            status => Err(failure(status)),
        }
    }
}

impl Instance for InstanceInC {
    fn parameters(&self) -> Vec<f64> {
        self.instance.parameters()
    }

    fn initial(&self) -> Phase {
        self.instance.initial()
    }

    fn solution(&self, t: f64) -> Option<Phase> {
        self.instance.solution(t)
    }

    fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let energy = self.ask("E", &[q, v]).expect("a number");
        assert_same("energy", &energy, &[self.instance.energy(q, v)]);
        energy[0]
    }

    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let momentum = self.ask("M", &[q, v]).expect("numbers");
        assert_same("momentum", &momentum, &self.instance.momentum(q, v));
        momentum
    }

    fn residual(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        if self.program.header.lengths[2] == 0 {
            return Vec::new();
        }
        let residual = self.ask("R", &[q, v]).expect("numbers");
        assert_same("residual", &residual, &self.instance.residual(q, v));
        residual
    }

    fn invariants(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.instance.invariants(q, v)
    }

    fn project(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Failure> {
        let projected = self.ask("J", &[q, v]);
        let expected = self.instance.project(q, v);
        assert_eq!(projected.as_ref().err(), expected.as_ref().err());
        if let (Ok(projected), Ok(expected)) = (&projected, &expected) {
            assert_same("projection", projected, expected);
        }
        projected
    }

    fn acceleration(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Result<Phase, Failure> {
        let both = self.ask("A", &[q, v, &[t], inputs]);
        let expected = self.instance.acceleration(q, v, t, inputs);
        assert_eq!(both.as_ref().err(), expected.as_ref().err());
        let (both, (a, lambda)) = (both?, expected?);
        assert_same("acceleration", &both, &[a, lambda].concat());
        let (a, lambda) = both.split_at(v.len());
        Ok((a.to_vec(), lambda.to_vec()))
    }

    fn flow(&self, t0: f64, q: &[f64], v: &[f64], inputs: &[f64], t1: f64) -> Result<Phase, Failure> {
        self.instance.flow(t0, q, v, inputs, t1)
    }

    fn start(
        &self,
        method: &Method,
        q0: &[f64],
        v0: &[f64],
        inputs: &[f64],
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Error> {
        let mut process = self.program.run(&self.parameters());
        let started = process.begin(method.id, [q0, v0, &[], inputs], h);
        let compiled = self.instance.start(method, q0, v0, inputs, h);
        let name = method.id;
        let expected = compiled.as_ref().err().map_or(vec![0], statuses);
        let found = started.as_ref().err().copied().unwrap_or(0);
        assert!(
            expected.contains(&found),
            "{name}: status {found} of the start and {:?}",
            compiled.as_ref().err()
        );
        let mut compiled = compiled?;
        // The angle between distributions is not tested in C.
        compiled.set_limits(Limits { cosine: 0.0, ..Limits::DEFAULT });
        let state = started.expect("it starts");
        let trajectory = TrajectoryInC { name, process, state, compiled, inputs: inputs.to_vec() };
        trajectory.compare();
        Ok(Box::new(trajectory))
    }
}

/// A simulation in C beside the same in Rust.
struct TrajectoryInC {
    name: &'static str,
    process: Process,
    state: State,
    compiled: Box<dyn Trajectory>,
    inputs: Vec<f64>,
}

impl TrajectoryInC {
    fn compare(&self) {
        let compiled = &self.compiled;
        let (q, v, lambda, t) = (compiled.q(), compiled.v(), compiled.multipliers(), compiled.time());
        let expected = State { q, v, lambda, z: Vec::new(), t }.numbers();
        let name = format!("{}, step {}", self.name, compiled.steps());
        assert_same(&name, &self.state.numbers(), &expected);
    }
}

impl Trajectory for TrajectoryInC {
    fn step(&mut self) -> Result<(), Error> {
        let inputs = self.inputs.clone();
        self.step_with(&inputs)
    }

    fn advance(&mut self, steps: u64) -> Result<(), Error> {
        (0..steps).try_for_each(|_| self.step())
    }

    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error> {
        self.inputs = inputs.to_vec();
        let stepped = self.compiled.step_with(inputs);
        let (found, state) = self.process.step(inputs);
        let name = self.name;
        // Losses of energy are not tested in C either.
        let is_refused = matches!(
            stepped,
            Err(Error::Step { cause: Failure::NearlySingular { .. } | Failure::EnergyJump { .. }, .. })
        );
        if is_refused && found == 0 {
            let energy = |state: &State, process: &mut Process| process.ask("E", &[&state.q, &state.v]).1[0];
            let [before, after] = [&self.state, &state].map(|state| energy(state, &mut self.process));
            assert!(after < before, "{name}: {stepped:?}, energies {before} and {after}");
            return stepped;
        }
        let expected = stepped.as_ref().err().map_or(vec![0], statuses);
        let steps = self.compiled.steps();
        assert!(expected.contains(&found), "{name}, step {steps}: status {found} and {stepped:?}");
        self.state = state;
        self.compare();
        stepped
    }

    fn set_limits(&mut self, _: Limits) {
        unreachable!("C has the limits of the runtime, without the angle")
    }

    fn steps(&self) -> u64 {
        self.compiled.steps()
    }

    fn time(&self) -> f64 {
        self.state.t
    }

    fn q(&self) -> Vec<f64> {
        self.state.q.clone()
    }

    fn v(&self) -> Vec<f64> {
        self.state.v.clone()
    }

    fn p(&self) -> Vec<f64> {
        self.compiled.p()
    }

    fn jump(&self) -> (Vec<f64>, Vec<f64>) {
        self.compiled.jump()
    }

    fn multipliers(&self) -> Vec<f64> {
        self.state.lambda.clone()
    }

    fn energy(&self) -> f64 {
        self.compiled.energy()
    }

    fn numbers(&self) -> Vec<f64> {
        self.compiled.numbers()
    }

    fn node(&self) -> Node {
        self.compiled.node()
    }

    fn follow(&self, from: &Node, h: f64, steps: u64) -> Result<Node, Failure> {
        self.compiled.follow(from, h, steps)
    }

    fn momenta(&self) -> Vec<(&'static str, f64)> {
        self.compiled.momenta()
    }
}

/// The failures of functions.
const FAILURES: [Failure; 4] =
    [Failure::NotConverged, Failure::SingularConstraints, Failure::SingularMass, Failure::NonFinite];

/// The status of a step that ends with more kinetic energy than it can explain.
const ENERGY_JUMP: u32 = 10;

/// The runtime's name of a status.
fn failure(status: u32) -> Failure {
    FAILURES.into_iter().find(|failure| status_of(*failure) == status).expect("a failure")
}

/// The status that a C function returns for a failure.
pub(crate) fn status_of(failure: Failure) -> u32 {
    match failure {
        Failure::NotConverged | Failure::Unsolved { .. } => 1,
        Failure::SingularConstraints | Failure::Dependent { .. } => 2,
        Failure::SingularMass | Failure::NoInertia { .. } => 3,
        Failure::NonFinite => 4,
        Failure::Massless { .. }
        | Failure::NegativeInertia { .. }
        | Failure::NearlySingular { .. }
        | Failure::EnergyJump { .. } => {
            panic!("C has no such status: {failure}")
        }
    }
}

/// The statuses that a C function may return for an error of the runtime, which looks for the reason of a failure. C does not.
fn statuses(error: &Error) -> Vec<u32> {
    match *error {
        Error::StepSize { .. } => vec![5],
        Error::NonFinite { .. } => vec![6],
        Error::Pose { .. } => vec![7],
        Error::Constraint { .. } => vec![8],
        Error::Start { cause: Failure::EnergyJump { .. } }
        | Error::Step { cause: Failure::EnergyJump { .. }, .. } => {
            vec![ENERGY_JUMP]
        }
        Error::Start { cause } | Error::Step { cause, .. } => {
            let is_near = matches!(cause, Failure::NearlySingular { .. });
            let near = [ENERGY_JUMP, status_of(Failure::SingularMass)].into_iter().filter(|_| is_near);
            let shown = FAILURES.into_iter().filter(|found| is_shown(*found, cause)).map(status_of);
            shown.chain(near).collect()
        }
        ref error => panic!("an error without status: {error}"),
    }
}
