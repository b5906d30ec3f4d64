//! Plans.

use super::steps::{State, Steps};
use super::{MOST, forwards, guesses, wrong};
use crate::error::sized;
use crate::{Error, System};
use nhi_control::{
    Difference, Dynamics, Function, Options, Plan, PlanError, Problem, Quadratic, Sizes, best_of,
};
use nhi_jit::{Formulas, Point, SecondDerivatives};
use nhi_methods::Variant;
use nhi_runtime::Failure;

/// The problem of the motion of least cost between two states.
#[derive(Clone, Debug)]
pub struct Planning {
    /// A system; inputs may drive its constraints, if the method is `DlaRattle`, `Rdp` or one of their variants.
    pub system: System,
    /// A method whose steps are differentiated.
    pub variant: Variant,
    /// Values of the parameters, flattened.
    pub parameters: Vec<f64>,
    /// Configuration at the start.
    pub q0: Vec<f64>,
    /// Velocity at the start, on the constraints.
    pub v0: Vec<f64>,
    /// Configuration at the end; NaN where it is free, a pose as a whole.
    pub q1: Vec<f64>,
    /// Velocity at the end, on the constraints; none if it is free.
    pub v1: Option<Vec<f64>>,
    /// Step size, positive.
    pub h: f64,
    /// Number of steps.
    pub steps: usize,
    /// What is minimised: its integral over time, the sum of h times the values before the steps.
    pub cost: Cost,
    /// A further cost, of the last state: a text in the grammar of `let`.
    pub final_cost: Option<String>,
    /// The least and the largest value of inputs, of coordinates, and of other functions of the state, texts, after every step;
    /// they may be infinite.
    pub bounds: Vec<(String, [f64; 2])>,
    /// Inputs of each step to begin with; none for zeros.
    pub guess: Vec<Vec<f64>>,
    /// The number of start guesses, at least 1: `guess`, and random variations of it.
    pub starts: usize,
}

/// An integrand.
#[derive(Clone, PartialEq, Debug)]
pub enum Cost {
    /// ½ Σ rⱼ uⱼ², with a weight for each input.
    Effort(Vec<f64>),
    /// A function of state and inputs, a text in the grammar of `let`.
    Text(String),
}

/// A plan.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The solution, or how far it got.
    pub plan: Plan<State>,
    /// Velocities of its states; after the last step with the last inputs.
    pub v: Vec<Vec<f64>>,
    /// What other start guesses led to: minima, each once, by their cost, then what is no minimum.
    pub others: Vec<Plan<State>>,
}

/// A system in discrete time.
struct Discrete {
    steps: Steps,
    second: SecondDerivatives,
    parameters: Vec<f64>,
    h: f64,
}

impl Discrete {
    fn at(&self, k: usize) -> (&[f64], f64) {
        (&self.parameters, k as f64 * self.h)
    }

    /// The state with an admissible velocity before step `k`.
    fn state(
        &self,
        k: usize,
        q: &[f64],
        v: &[f64],
        [q_name, v_name]: [&'static str; 2],
    ) -> Result<State, Error> {
        let x = self.steps.planned(self.at(k), q, v).map_err(|error| wrong(q_name, error))?;
        let none = vec![0.0; self.steps.sizes.inputs];
        let nearest = self.steps.velocity(self.at(k), &x, &none).map_err(|cause| wrong(q_name, cause))?;
        let size = v.iter().fold(1.0, |size: f64, v| size.max(v.abs()));
        let is_admissible = nearest.iter().zip(v).all(|(x, y)| (x - y).abs() <= 1e-9 * size);
        if is_admissible { Ok(x) } else { Err(wrong(v_name, PlanError::Velocity { is_driven: false })) }
    }
}

impl Dynamics for Discrete {
    type State = State;

    fn sizes(&self) -> Sizes {
        self.steps.sizes
    }

    fn entry(&self, i: usize) -> String {
        self.steps.entry(i)
    }

    fn step(&self, k: usize, x: &State, u: &[f64]) -> Result<State, Failure> {
        self.steps.step(self.at(k), self.h, x, u)
    }

    fn motion(
        &self,
        steps: usize,
        x: &State,
        inputs: &[f64],
        states: &mut Vec<State>,
    ) -> Result<(), (usize, Failure)> {
        let count = self.sizes().inputs;
        let inputs: Vec<Vec<f64>> = inputs.chunks(count.max(1)).take(steps).map(<[f64]>::to_vec).collect();
        self.steps.motion(self.at(0), self.h, x, &inputs, states)
    }

    fn momenta(&self, k: usize, x: &State) -> Vec<(String, Vec<f64>)> {
        self.steps.momenta(self.at(k), x)
    }

    fn linearize(&self, k: usize, x: &State, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        let Steps { derivatives, lambda, .. } = &self.steps;
        self.steps.at(self.at(k), x, u, |at| derivatives.linearize_to(at, lambda, self.h, ab))
    }

    fn curvature(
        &self,
        k: usize,
        x: &State,
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let Sizes { states, inputs } = self.sizes();
        self.differentiate(k, x, u, Some(w), (&mut vec![0.0; states * (states + inputs)], hessian))
    }

    fn differentiate(
        &self,
        k: usize,
        x: &State,
        u: &[f64],
        w: Option<&[f64]>,
        to: (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let Some(w) = w else { return self.linearize(k, x, u, to.0) };
        let lambda = &self.steps.lambda;
        self.steps.at(self.at(k), x, u, |at| self.second.curvature_to(at, lambda, self.h, w, to))
    }

    fn retract(&self, x: &State, delta: &[f64]) -> State {
        self.steps.retract(x, delta)
    }

    fn difference(&self, from: &State, to: &State, delta: &mut [f64]) {
        self.steps.difference(from, to, delta);
    }

    fn difference_derivatives(
        &self,
        from: &State,
        to: &State,
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let n = self.sizes().states;
        jacobian.fill(0.0);
        jacobian.iter_mut().step_by(n + 1).for_each(|x| *x = 1.0);
        self.steps.manifold.difference_derivatives((&from.q, &to.q), w, n, (jacobian, hessian));
    }

    fn is_flat(&self) -> bool {
        self.steps.manifold.is_flat()
    }
}

/// Functions of a stage, times a factor.
#[derive(Clone)]
struct Text {
    formulas: Formulas,
    factor: f64,
}

impl Text {
    /// What `f` makes of a stage. At the last one there are no inputs.
    fn at<T>(
        &self,
        dynamics: &Discrete,
        k: usize,
        x: &State,
        u: &[f64],
        f: impl FnOnce(&Point<'_>) -> Result<T, Failure>,
    ) -> Option<T> {
        let (parameters, t) = dynamics.at(k);
        f(&Point { parameters, q: &x.q, v: &[], z: &x.z, t, inputs: u }).ok()
    }
}

impl Function<Discrete> for Text {
    fn count(&self) -> usize {
        self.formulas.count()
    }

    fn value(&self, dynamics: &Discrete, k: usize, x: &State, u: &[f64], out: &mut [f64]) {
        match self.at(dynamics, k, x, u, |at| self.formulas.value(at, &x.nu)) {
            Some(values) => out.iter_mut().zip(values).for_each(|(out, y)| *out = self.factor * y),
            None => out.fill(f64::NAN),
        }
    }

    fn derivatives(
        &self,
        dynamics: &Discrete,
        k: usize,
        x: &State,
        u: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let Sizes { states, inputs } = dynamics.sizes();
        let both = self.at(dynamics, k, x, u, |at| {
            Ok((self.formulas.linearize(at, &x.nu)?, self.formulas.curvature(at, &x.nu, w)?))
        });
        let Some((slopes, second)) = both else { return jacobian.fill(f64::NAN) };
        for (i, row) in jacobian.chunks_exact_mut(states + inputs).enumerate() {
            let by_state = &slopes.x[i * states..(i + 1) * states];
            let by_inputs = &slopes.u[i * inputs..(i + 1) * inputs];
            row.iter_mut().zip(by_state.iter().chain(by_inputs)).for_each(|(to, by)| *to = self.factor * by);
        }
        hessian.iter_mut().zip(second).for_each(|(to, by)| *to += self.factor * by);
    }
}

/// A problem whose texts are compiled.
struct CompiledProblem {
    begin: State,
    end: State,
    /// Entries of the last state that have to be reached, with their names.
    reached: Vec<(usize, String)>,
    /// None for efforts.
    cost: Option<Text>,
    final_cost: Option<Text>,
    /// Functions that are bounded.
    within: Option<(Vec<Bound>, Text)>,
}

/// The name of a bounded function, with its bounds.
type Bound = (String, [f64; 2]);

/// The lower and the upper sides of some bounds.
fn sides<'b>(bounds: impl Iterator<Item = &'b [f64; 2]> + Clone) -> [Vec<f64>; 2] {
    [0, 1].map(|which| bounds.clone().map(|pair| pair[which]).collect())
}

impl CompiledProblem {
    /// The problem, with the start guess that is given.
    fn problem<'a>(&self, dynamics: &'a Discrete, planning: &Planning) -> Problem<'a, Discrete> {
        let Planning { system, h, steps, .. } = planning;
        let (entries, names): (Vec<usize>, Vec<&str>) =
            self.reached.iter().map(|(i, name)| (*i, name.as_str())).unzip();
        let difference = Difference { from: self.end.clone(), entries };
        let mut problem =
            Problem::new(dynamics, *steps, self.begin.clone()).condition(*steps, names, difference);
        problem = match (&self.cost, &planning.cost) {
            (None, Cost::Effort(weights)) => {
                let weights: Vec<f64> = weights.iter().map(|r| r * h).collect();
                problem.cost("effort", Quadratic::of_inputs(&weights))
            }
            (Some(cost), _) => problem.cost("cost", cost.clone()),
            (None, Cost::Text(_)) => problem,
        };
        if let Some(cost) = &self.final_cost {
            problem = problem.final_cost("final cost", cost.clone());
        }
        let inputs = planning.bounds_of(system.inputs());
        if !inputs.is_empty() {
            let side = |which: usize| -> Vec<f64> {
                let free = [f64::NEG_INFINITY, f64::INFINITY][which];
                let bound = |i| inputs.iter().find(|(at, _)| *at == i).map_or(free, |(_, pair)| pair[which]);
                (0..system.inputs().len()).map(bound).collect()
            };
            problem = problem.bound_inputs(&side(0), &side(1));
        }
        let coordinates = &system.coordinates()[..system.shape()];
        let entries = planning.bounds_of(coordinates);
        if !entries.is_empty() {
            let [least, most] = sides(entries.iter().map(|(_, pair)| pair));
            let at: Vec<usize> = entries.iter().map(|(at, _)| *at).collect();
            let mut origin = self.begin.clone();
            origin.q[..coordinates.len()].fill(0.0);
            problem = problem.bound_entries(origin, &at, (&least, &most));
        }
        if let Some((bounds, text)) = &self.within {
            let [least, most] = sides(bounds.iter().map(|(_, pair)| pair));
            let names = bounds.iter().map(|(name, _)| name.as_str());
            problem = problem.within(1..steps + 1, names, (&least, &most), text.clone());
        }
        if planning.guess.is_empty() { problem } else { problem.guess_inputs(planning.guess.clone()) }
    }
}

impl Planning {
    /// Solves the problem. Whether a solution was found is said by the status of the plan.
    ///
    /// # Errors
    /// [`Error::Argument`] with the field that is impossible, [`Error::Declaration`] for mistakes in texts,
    /// [`Error::Unsolved`] if a function is not finite at the start guess, and those of [`System::second_derivatives`].
    pub fn solve(&self) -> Result<Planned, Error> {
        let Planning { system, h, .. } = self;
        self.check()?;
        let dynamics = Discrete {
            steps: Steps::new(system, self.variant)?,
            second: system.second_derivatives(self.variant)?,
            parameters: self.parameters.clone(),
            h: *h,
        };
        let stated = self.stated(&dynamics)?;
        let problem = |number: usize| stated.problem(&dynamics, self).vary_guess(number);
        let found = best_of(self.starts, &Options::default(), problem).map_err(|error| match error {
            PlanError::Bounds { .. } => wrong("bounds", error),
            PlanError::Prepare { .. } => wrong("parameters", error),
            PlanError::Length { .. } => wrong("guess", error),
            _ => Error::Unsolved(error.to_string()),
        })?;
        // There is at least one start.
        let (plan, others) = found.ok_or_else(|| wrong("starts", "expected at least 1"))?;
        let v = plan.states.iter().enumerate().map(|(k, x)| {
            let u = plan.inputs.get(k).or(plan.inputs.last());
            let v = dynamics.steps.velocity(dynamics.at(k), x, u.map_or(&[], Vec::as_slice));
            v.map_err(|cause| Error::Unsolved(cause.to_string()))
        });
        let v = v.collect::<Result<_, _>>()?;
        Ok(Planned { plan, v, others })
    }

    /// The functions of the problem, compiled.
    fn stated(&self, dynamics: &Discrete) -> Result<CompiledProblem, Error> {
        let Planning { system, h, .. } = self;
        let begin = dynamics.state(0, &self.q0, &self.v0, ["q0", "v0"])?;
        let (end, reached) = self.end(dynamics)?;
        let text = |names: &[(&str, &str)], factor: f64| {
            Ok::<Text, Error>(Text { formulas: system.formulas(names)?, factor })
        };
        let cost = match &self.cost {
            Cost::Effort(_) => None,
            Cost::Text(cost) => Some(text(&[("cost", cost)], *h)?),
        };
        let final_cost =
            self.final_cost.as_ref().map(|cost| text(&[("final_cost", cost)], 1.0)).transpose()?;
        let is_known = |name: &String| {
            system.coordinates()[..system.shape()].contains(name) || system.inputs().contains(name)
        };
        let others: Vec<_> = self.bounds.iter().filter(|(name, _)| !is_known(name)).cloned().collect();
        let within = if others.is_empty() {
            None
        } else {
            let places: Vec<String> = others.iter().map(|(name, _)| format!("bounds[\"{name}\"]")).collect();
            let names = others.iter().map(|(name, _)| name.as_str());
            let texts: Vec<(&str, &str)> = places.iter().map(String::as_str).zip(names).collect();
            Some((others.clone(), text(&texts, 1.0)?))
        };
        Ok(CompiledProblem { begin, end, reached, cost, final_cost, within })
    }

    /// The last state, and the entries of it that have to be reached, with their names.
    fn end(&self, dynamics: &Discrete) -> Result<(State, Vec<(usize, String)>), Error> {
        let shape = self.system.shape();
        let (coordinates, pose) = self.q1.split_at(shape);
        let free = pose.iter().filter(|x| x.is_nan()).count();
        if free > 0 && free < pose.len() {
            return Err(wrong("q1", "a pose is given or free as a whole"));
        }
        let n = self.system.velocities().len();
        let mut reached: Vec<usize> = (0..shape).filter(|&i| !coordinates[i].is_nan()).collect();
        if free == 0 {
            reached.extend(shape..n);
        }
        // Free coordinates are where the motion begins, for the basis there.
        let both = self.q1.iter().zip(&self.q0);
        let place: Vec<f64> = both.map(|(&to, &from)| if to.is_nan() { from } else { to }).collect();
        let end = match &self.v1 {
            Some(v1) => {
                reached.extend(n..dynamics.steps.sizes.states - self.system.states().len());
                dynamics.state(self.steps, &place, v1, ["q1", "v1"])?
            }
            None => {
                let at = dynamics.at(self.steps);
                dynamics.steps.planned(at, &place, &vec![0.0; n]).map_err(|error| wrong("q1", error))?
            }
        };
        let names = dynamics.steps.velocity_names(dynamics.at(self.steps), &end);
        let reached = reached.into_iter().map(|i| {
            let name = i.checked_sub(n).and_then(|i| names.get(i).cloned());
            (i, name.unwrap_or_else(|| dynamics.entry(i)))
        });
        Ok((end, reached.collect()))
    }

    /// The bounds of some names, with their places.
    fn bounds_of(&self, names: &[String]) -> Vec<(usize, [f64; 2])> {
        let place = |name: &String| names.iter().position(|known| known == name);
        self.bounds.iter().filter_map(|(name, pair)| Some((place(name)?, *pair))).collect()
    }

    fn check(&self) -> Result<(), Error> {
        let system = &self.system;
        forwards(self.h)?;
        if !(1..=MOST[1]).contains(&self.steps) {
            return Err(wrong("steps", format!("must be from 1 to {}, found {}", MOST[1], self.steps)));
        }
        guesses(self.starts)?;
        if system.inputs().is_empty() {
            return Err(wrong("system", "it has no inputs, of which a plan is made"));
        }
        sized("parameters", &self.parameters, system.parameters().len())?;
        sized("q0", &self.q0, system.coordinates().len())?;
        sized("v0", &self.v0, system.velocities().len())?;
        sized("q1", &self.q1, system.coordinates().len())?;
        self.v1.as_ref().map_or(Ok(()), |v1| sized("v1", v1, system.velocities().len()))?;
        match &self.cost {
            Cost::Effort(weights) => sized("weights", weights, system.inputs().len()),
            Cost::Text(_) => Ok(()),
        }
    }
}
