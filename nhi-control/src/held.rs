//! Problems of fewer steps, in each of which the inputs are held over several steps of another problem.
//!
//! A problem of many steps has optima that one of few steps has not, and the way to them from a start guess that was moved along a
//! bracket is longer. The solution of the problem with held inputs is a start guess near a good one.

use crate::dense::{add_product, add_transposed_image, add_transposed_product, set_identity};
use crate::problem::{Guess, Problem, Term};
use crate::{Dynamics, Function, Sizes};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use nhi_runtime::Failure;

/// The least number of steps with held inputs.
const LEAST: usize = 40;

/// A system whose step is several ones of another, with the same inputs.
pub(crate) struct Held<'d, D> {
    dynamics: &'d D,
    /// Steps of the other.
    all: usize,
    /// How many of them one step is; the last one may be shorter.
    times: usize,
}

impl<'d, D: Dynamics> Held<'d, D> {
    /// That of a problem with at least twice the least number of steps, whose conditions remain those of different stages.
    pub(crate) fn of(problem: &Problem<'d, D>) -> Option<Self> {
        let (dynamics, all, times) = (problem.dynamics, problem.steps, problem.steps / LEAST);
        let held = (times > 1).then_some(Held { dynamics, all, times })?;
        let mut stages: Vec<usize> = problem.conditions.iter().map(|term| term.stages.start).collect();
        stages.sort_unstable();
        stages.dedup();
        let is_apart = stages.windows(2).all(|pair| held.nearest(pair[0]) < held.nearest(pair[1]));
        is_apart.then_some(held)
    }

    fn count(&self) -> usize {
        self.all.div_ceil(self.times)
    }

    /// The stage of the other system.
    fn stage(&self, k: usize) -> usize {
        self.all.min(k * self.times)
    }

    /// The steps of the other system in one step.
    fn steps(&self, k: usize) -> Range<usize> {
        self.stage(k)..self.stage(k + 1)
    }

    /// The stage nearest to one of the other system.
    fn nearest(&self, k: usize) -> usize {
        if k == self.all { self.count() } else { (k + self.times / 2) / self.times }
    }

    /// The problem with held inputs: costs count as often as they are held, conditions and inequalities hold at the stages that it has.
    pub(crate) fn problem<'p>(&'p self, problem: &'p Problem<'_, D>) -> Problem<'p, Self> {
        let terms = |terms: &'p [Term<'_, D>], is_cost: bool| {
            let each = terms.iter().filter_map(move |term| self.term(term, is_cost));
            each.collect::<Vec<Term<'p, Self>>>()
        };
        Problem {
            dynamics: self,
            steps: self.count(),
            start: problem.start.clone(),
            costs: terms(&problem.costs, true),
            conditions: terms(&problem.conditions, false),
            inequalities: terms(&problem.inequalities, false),
            lower: problem.lower.clone(),
            upper: problem.upper.clone(),
            guess: Guess::Inputs(Vec::new()),
            variation: 0,
        }
    }

    /// The same function at the stages that there are; a function at one stage is taken at the nearest one.
    fn term<'p>(&'p self, term: &'p Term<'_, D>, is_cost: bool) -> Option<Term<'p, Self>> {
        let Range { start, end } = term.stages;
        let stages = match end - start {
            1 => self.nearest(start)..self.nearest(start) + 1,
            _ if end > self.all => start.div_ceil(self.times)..self.count() + 1,
            _ => start.div_ceil(self.times)..end.div_ceil(self.times),
        };
        let function = Sampled { function: &*term.function, is_cost };
        (!stages.is_empty()).then(|| Term {
            stages,
            names: term.names.clone(),
            lower: term.lower.clone(),
            upper: term.upper.clone(),
            function: Box::new(function),
        })
    }

    /// The motion of the other system with held inputs, as a start guess.
    pub(crate) fn guess(&self, start: &D::State, inputs: &[Vec<f64>]) -> Option<Guess<D::State>> {
        let all: Vec<Vec<f64>> = (0..self.all).map(|k| inputs[k / self.times].clone()).collect();
        let mut states = Vec::with_capacity(self.all);
        self.dynamics.motion(self.all, start, &all.concat(), &mut states).ok()?;
        Some(Guess::Motion(states, all))
    }
}

impl<D: Dynamics> Dynamics for Held<'_, D> {
    type State = D::State;
    const SIZES: Option<Sizes> = D::SIZES;

    fn sizes(&self) -> Sizes {
        self.dynamics.sizes()
    }

    fn entry(&self, i: usize) -> String {
        self.dynamics.entry(i)
    }

    fn momenta(&self, k: usize, x: &D::State) -> Vec<(String, Vec<f64>)> {
        self.dynamics.momenta(self.stage(k), x)
    }

    fn step(&self, k: usize, x: &D::State, u: &[f64]) -> Result<D::State, Failure> {
        self.steps(k).try_fold(x.clone(), |x, k| self.dynamics.step(k, &x, u))
    }

    fn linearize(&self, k: usize, x: &D::State, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        self.differentiate(k, x, u, None, (ab, &mut []))
    }

    fn curvature(
        &self,
        k: usize,
        x: &D::State,
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let Sizes { states, inputs } = self.sizes();
        let mut ab = vec![0.0; states * (states + inputs)];
        self.differentiate(k, x, u, Some(w), (&mut ab, hessian))
    }

    /// By the chain rule: with G = F∘…∘F and (Aᵢ, Bᵢ) of its steps, derivatives follow forwards, and second ones are the sum of those of
    /// the steps, each for the covector w Aₙ⋯Aᵢ₊₁, by what (x, u) changes before it.
    fn differentiate(
        &self,
        k: usize,
        x: &D::State,
        u: &[f64],
        w: Option<&[f64]>,
        (ab, hessian): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let Sizes { states: nx, inputs: nu } = self.sizes();
        let n = nx + nu;
        let mut motion: Vec<Substep<D::State>> = Vec::with_capacity(self.times);
        let mut before = vec![0.0; n * n];
        set_identity(&mut before, n);
        let mut x = x.clone();
        for k in self.steps(k) {
            let mut own = vec![0.0; nx * n];
            self.dynamics.linearize(k, &x, u, &mut own)?;
            let after = self.dynamics.step(k, &x, u)?;
            // The inputs stay as they are.
            let mut changed = before.clone();
            changed[..nx * n].fill(0.0);
            add_product(&mut changed[..nx * n], &own, &before, n, n);
            let substep = Substep { k, x, own, before: core::mem::replace(&mut before, changed) };
            motion.push(substep);
            x = after;
        }
        ab.copy_from_slice(&before[..nx * n]);
        let Some(w) = w else { return Ok(()) };
        let mut w = w.to_vec();
        for Substep { k, x, own, before } in motion.iter().rev() {
            let mut second = vec![0.0; n * n];
            self.dynamics.curvature(*k, x, u, &w, &mut second)?;
            let mut half = vec![0.0; n * n];
            add_product(&mut half, &second, before, n, n);
            add_transposed_product(hessian, before, &half, n, n);
            let mut earlier = vec![0.0; n];
            add_transposed_image(&mut earlier, own, &w);
            earlier.truncate(nx);
            w = earlier;
        }
        Ok(())
    }

    fn retract(&self, x: &D::State, delta: &[f64]) -> D::State {
        self.dynamics.retract(x, delta)
    }

    fn difference(&self, from: &D::State, to: &D::State, delta: &mut [f64]) {
        self.dynamics.difference(from, to, delta);
    }

    fn difference_derivatives(
        &self,
        from: &D::State,
        to: &D::State,
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        self.dynamics.difference_derivatives(from, to, w, jacobian, hessian);
    }

    fn is_flat(&self) -> bool {
        self.dynamics.is_flat()
    }
}

/// A step of the other system in one of this: its number, the state before it, its derivatives (A, B), and those of (x, u) before it by
/// (x, u) before the first one.
struct Substep<X> {
    k: usize,
    x: X,
    own: Vec<f64>,
    before: Vec<f64>,
}

/// A function of the other system, at the first of the stages of a step.
struct Sampled<'f, D: Dynamics> {
    function: &'f (dyn Function<D> + 'f),
    /// Whether it counts as often as the inputs are held.
    is_cost: bool,
}

impl<D: Dynamics> Sampled<'_, D> {
    fn weight(&self, held: &Held<'_, D>, k: usize) -> f64 {
        if self.is_cost && k < held.count() { held.steps(k).len() as f64 } else { 1.0 }
    }
}

impl<D: Dynamics> Function<Held<'_, D>> for Sampled<'_, D> {
    fn count(&self) -> usize {
        self.function.count()
    }

    fn value(&self, held: &Held<'_, D>, k: usize, x: &D::State, u: &[f64], out: &mut [f64]) {
        self.function.value(held.dynamics, held.stage(k), x, u, out);
        let weight = self.weight(held, k);
        out.iter_mut().for_each(|out| *out *= weight);
    }

    fn derivatives(
        &self,
        held: &Held<'_, D>,
        k: usize,
        x: &D::State,
        u: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let weight = self.weight(held, k);
        let w: Vec<f64> = w.iter().map(|w| weight * w).collect();
        self.function.derivatives(held.dynamics, held.stage(k), x, u, &w, jacobian, hessian);
        jacobian.iter_mut().for_each(|entry| *entry *= weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(not(feature = "std"))]
    use num_traits::Float;

    /// A pendulum by the symplectic Euler method, with a torque that acts on its angle.
    struct Pendulum;

    const H: f64 = 0.3;

    impl Dynamics for Pendulum {
        type State = [f64; 2];

        fn sizes(&self) -> Sizes {
            Sizes { states: 2, inputs: 1 }
        }

        fn step(&self, _k: usize, &[x, v]: &[f64; 2], u: &[f64]) -> Result<[f64; 2], Failure> {
            let v = v - H * (x + u[0]).sin();
            Ok([x + H * v, v])
        }

        fn linearize(&self, _k: usize, &[x, _]: &[f64; 2], u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
            let by = -H * (x + u[0]).cos();
            ab.copy_from_slice(&[1.0 + H * by, H, H * by, by, 1.0, by]);
            Ok(())
        }

        fn curvature(
            &self,
            _k: usize,
            &[x, _]: &[f64; 2],
            u: &[f64],
            w: &[f64],
            hessian: &mut [f64],
        ) -> Result<(), Failure> {
            let by = (H * w[0] + w[1]) * H * (x + u[0]).sin();
            [0, 2, 6, 8].into_iter().for_each(|i| hessian[i] += by);
            Ok(())
        }

        fn retract(&self, x: &[f64; 2], delta: &[f64]) -> [f64; 2] {
            [x[0] + delta[0], x[1] + delta[1]]
        }

        fn difference(&self, from: &[f64; 2], to: &[f64; 2], delta: &mut [f64]) {
            delta.copy_from_slice(&[to[0] - from[0], to[1] - from[1]]);
        }
    }

    /// Derivatives are those of differences, also of a last step that is shorter.
    #[test]
    fn held_steps_are_differentiated() {
        let held = Held { dynamics: &Pendulum, all: 7, times: 3 };
        assert_eq!((held.count(), held.steps(2)), (3, 6..7));
        let (at, w, by) = ([0.4, -0.7, 0.9], [1.3, -0.6], 1e-4);
        let moved = |i: usize, by: f64| {
            let mut at = at;
            at[i] += by;
            at
        };
        for k in [0, 2] {
            let linearized = |at: [f64; 3]| {
                let mut ab = [0.0; 6];
                held.linearize(k, &[at[0], at[1]], &at[2..], &mut ab).expect("derivatives");
                ab
            };
            let stepped = |at: [f64; 3]| held.step(k, &[at[0], at[1]], &at[2..]).expect("steps");
            let (ab, mut hessian) = (linearized(at), [0.0; 9]);
            held.curvature(k, &[at[0], at[1]], &at[2..], &w, &mut hessian).expect("derivatives");
            for i in 0..3 {
                let [before, after] = [-by, by].map(|by| (stepped(moved(i, by)), linearized(moved(i, by))));
                for row in 0..2 {
                    let slope = (after.0[row] - before.0[row]) / (2.0 * by);
                    assert!((slope - ab[3 * row + i]).abs() < 1e-7, "{k} {i} {row}: {slope} {ab:?}");
                }
                for j in 0..3 {
                    let slope = |row: usize| (after.1[3 * row + j] - before.1[3 * row + j]) / (2.0 * by);
                    let slope = w[0] * slope(0) + w[1] * slope(1);
                    assert!((slope - hessian[3 * i + j]).abs() < 1e-6, "{k} {i} {j}: {slope} {hessian:?}");
                }
            }
        }
    }
}
