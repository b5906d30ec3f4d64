//! Simulations by compiled steps.

use crate::row::vector;
use nhi_run::model::{Node, Trajectory};
use nhi_runtime::{Error, Failure, Fields, Limits, Method, Simulation, State, System};

/// A simulation of the runtime.
pub(crate) struct Derived<S: System, M: Method<S>>(pub(crate) Simulation<S, M>);

impl<S: System, M: Method<S>> Trajectory for Derived<S, M> {
    fn step(&mut self) -> Result<(), Error> {
        self.0.step()
    }

    fn advance(&mut self, steps: u64) -> Result<(), Error> {
        // The same numbers either way. Builds without optimisation, which nobody measures, are spared the copies.
        #[cfg(all(feature = "at-once", not(debug_assertions)))]
        return self.0.advance(steps);
        #[cfg(not(all(feature = "at-once", not(debug_assertions))))]
        return (0..steps).try_for_each(|_| self.0.step());
    }

    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error> {
        self.0.step_with(&vector::<S::Inputs<f64>>(inputs))
    }

    fn set_limits(&mut self, limits: Limits) {
        self.0.set_limits(limits);
    }

    fn steps(&self) -> u64 {
        self.0.steps()
    }

    fn time(&self) -> f64 {
        self.0.time()
    }

    fn q(&self) -> Vec<f64> {
        self.0.q().as_ref().to_vec()
    }

    fn v(&self) -> Vec<f64> {
        self.0.v().as_ref().to_vec()
    }

    fn p(&self) -> Vec<f64> {
        self.0.p().as_ref().to_vec()
    }

    fn jump(&self) -> (Vec<f64>, Vec<f64>) {
        let (pre, post) = self.0.state().jump();
        let p = |v| S::momentum(&self.0.system().parameters(), &self.0.q(), &v, 0.0).as_ref().to_vec();
        (p(pre), p(post))
    }

    fn multipliers(&self) -> Vec<f64> {
        self.0.multipliers().as_ref().to_vec()
    }

    fn energy(&self) -> f64 {
        self.0.energy()
    }

    fn momenta(&self) -> Vec<(&'static str, f64)> {
        self.0.momenta().collect()
    }

    fn numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(<M::State<f64> as Fields<f64>>::LEN);
        self.0.state().write(&mut |x| numbers.push(x));
        numbers
    }

    fn node(&self) -> Node {
        node::<S, M>(self.0.time(), self.0.state())
    }

    fn follow(&self, from: &Node, h: f64, steps: u64) -> Result<Node, Failure> {
        let parameters = self.0.system().parameters();
        let prepared = self.0.method().prepare(&parameters, h)?;
        let (before, after) = (vector(&from.jump.0), vector(&from.jump.1));
        let (q, lambda, z) = (vector(&from.q), self.0.state().lambda(), self.0.state().z());
        let mut state = self.0.method().state(&parameters, h, &q, (&before, &after), &lambda, &z, from.t)?;
        for k in 0..steps {
            self.0.method().resync_if_due(&mut state, k);
            state = self.0.method().step(&prepared, &state, from.t + k as f64 * h, &self.0.inputs())?;
        }
        Ok(node::<S, M>(from.t + steps as f64 * h, &state))
    }
}

fn node<S: System, M: Method<S>>(t: f64, state: &M::State<f64>) -> Node {
    let (before, after) = state.jump();
    Node { t, q: state.q().as_ref().to_vec(), jump: (before.as_ref().to_vec(), after.as_ref().to_vec()) }
}
