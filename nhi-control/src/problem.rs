//! Problems.

use crate::waves::waves;
use crate::{Difference, Dynamics, Function, Nlp, Plan, PlanError, interior_point};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A minimum of costs over N steps of a system from a given state,
///
/// ```text
/// minimise    Σ ℓₖ(xₖ, uₖ)
/// subject to  xₖ₊₁ = F(xₖ, uₖ),  x₀ given,
///             c(xₖ, uₖ) = 0 at some stages k,
///             lower ≤ d(xₖ, uₖ) ≤ upper at some stages k,  lower ≤ uₖ ≤ upper.
/// ```
///
/// Costs are sums over stages: a time integral has its step size in the weights. Functions are named, so that the status of a
/// plan and errors can say which one they are about. Mistakes are reported by [`Problem::solve`].
pub struct Problem<'a, D: Dynamics> {
    pub(crate) dynamics: &'a D,
    pub(crate) steps: usize,
    pub(crate) start: D::State,
    pub(crate) costs: Vec<Term<'a, D>>,
    pub(crate) conditions: Vec<Term<'a, D>>,
    pub(crate) inequalities: Vec<Term<'a, D>>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) guess: Guess<D::State>,
    /// The number of the variation of the guess.
    pub(crate) variation: u64,
}

/// A function at some stages.
pub(crate) struct Term<'a, D: Dynamics> {
    pub(crate) stages: Range<usize>,
    /// One name for each value.
    pub(crate) names: Vec<String>,
    /// Bounds of inequalities.
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) function: Box<dyn Function<D> + 'a>,
}

/// Where a solution begins.
pub(crate) enum Guess<X> {
    /// With these inputs and the states that follow; moved along a bracket where they cannot meet the conditions to first order.
    Inputs(Vec<Vec<f64>>),
    /// With these states x₁ … x_N and inputs.
    Motion(Vec<X>, Vec<Vec<f64>>),
}

/// When to stop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The residual of the first-order conditions below which the motion is a solution.
    pub tolerance: f64,
    /// Newton steps, at most.
    pub iterations: usize,
    /// The barrier parameter μ of the first problem, in the unit of the cost.
    pub barrier: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { tolerance: 1e-9, iterations: 300, barrier: 1.0 }
    }
}

impl<'a, D: Dynamics> Problem<'a, D> {
    /// `steps` steps from `start`, without costs and conditions. The start guess has zero inputs.
    pub fn new(dynamics: &'a D, steps: usize, start: D::State) -> Self {
        Problem {
            dynamics,
            steps,
            start,
            costs: Vec::new(),
            conditions: Vec::new(),
            inequalities: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            guess: Guess::Inputs(Vec::new()),
            variation: 0,
        }
    }

    /// Adds a cost of every step, a function of the state before it and its inputs.
    #[must_use]
    pub fn cost(mut self, name: &str, function: impl Function<D> + 'a) -> Self {
        self.costs.push(Term::new(0..self.steps, [name], function));
        self
    }

    /// Adds a cost of the last state.
    #[must_use]
    pub fn final_cost(mut self, name: &str, function: impl Function<D> + 'a) -> Self {
        self.costs.push(Term::new(self.steps..self.steps + 1, [name], function));
        self
    }

    /// Adds the conditions that the values of a function vanish at stage `k`, one name for each. Inputs are zero at stage N.
    #[must_use]
    pub fn condition<'n>(
        mut self,
        k: usize,
        names: impl IntoIterator<Item = &'n str>,
        function: impl Function<D> + 'a,
    ) -> Self {
        self.conditions.push(Term::new(k..k.saturating_add(1), names, function));
        self
    }

    /// Adds the condition that the last state is `target`: its entries have the names [`Dynamics::entry`].
    #[must_use]
    pub fn reach(self, target: D::State) -> Self {
        let all: Vec<usize> = (0..self.dynamics.sizes().states).collect();
        self.reach_entries(target, &all)
    }

    /// The same of some entries of the difference from `target`.
    #[must_use]
    pub fn reach_entries(mut self, target: D::State, entries: &[usize]) -> Self {
        let names: Vec<String> = entries.iter().map(|&i| self.dynamics.entry(i)).collect();
        let function = Difference { from: target, entries: entries.to_vec() };
        let names = names.iter().map(String::as_str);
        self.conditions.push(Term::new(self.steps..self.steps + 1, names, function));
        self
    }

    /// Adds bounds of the values of a function at `stages`, which may include N. A bound may be infinite.
    #[must_use]
    pub fn within<'n>(
        mut self,
        stages: Range<usize>,
        names: impl IntoIterator<Item = &'n str>,
        (lower, upper): (&[f64], &[f64]),
        function: impl Function<D> + 'a,
    ) -> Self {
        let term = Term::new(stages, names, function);
        self.inequalities.push(Term { lower: lower.to_vec(), upper: upper.to_vec(), ..term });
        self
    }

    /// Adds bounds of entries of x ⊖ `from` after every step: the bounds of coordinates if `from` is at their origin.
    #[must_use]
    pub fn bound_entries(self, from: D::State, entries: &[usize], bounds: (&[f64], &[f64])) -> Self {
        let names: Vec<String> = entries.iter().map(|&i| self.dynamics.entry(i)).collect();
        let stages = 1..self.steps + 1;
        let function = Difference { from, entries: entries.to_vec() };
        self.within(stages, names.iter().map(String::as_str), bounds, function)
    }

    /// Bounds all inputs, which may be infinite.
    #[must_use]
    pub fn bound_inputs(mut self, lower: &[f64], upper: &[f64]) -> Self {
        (self.lower, self.upper) = (lower.to_vec(), upper.to_vec());
        self
    }

    /// Begins the solution with these inputs, one list for each step, and the states that follow.
    ///
    /// Without this and [`Problem::guess`] it begins with zero inputs. Where no inputs change a combination of the conditions
    /// to first order, as at rest for the sideways motion of a wheel (Brockett's condition), the inputs are changed such that the other
    /// conditions are met. If along that motion inputs still do not change the combination, or too little, a pair of sines is added to
    /// two of them, which move the system along their Lie bracket; [`Status::bracket`](crate::Status::bracket) names the two. A problem of
    /// 80 steps and more then begins with the solution of one with at least 40 steps, whose inputs are held over several of its steps.
    ///
    /// If a simulation refuses a step with these inputs, the solution begins with the largest half, quarter, and so on, of them that it
    /// accepts.
    #[must_use]
    pub fn guess_inputs(mut self, inputs: Vec<Vec<f64>>) -> Self {
        self.guess = Guess::Inputs(inputs);
        self
    }

    /// Begins the solution with inputs that are sums of slow waves of random sizes, up to those of `sizes`, one for each input.
    #[must_use]
    pub fn guess_waves(self, seed: u64, sizes: &[f64]) -> Self {
        let inputs = waves(seed, sizes, self.steps);
        self.guess_inputs(inputs)
    }

    /// Begins the solution with a variation of the start guess, by its number; number 0 is the guess itself. To the inputs of the others
    /// random waves are added, whose sizes follow from what they move and from what the conditions ask for, and least changes of the
    /// inputs bring the motion towards the conditions. [`multi_start`](crate::multi_start) and [`best_of`](crate::best_of) solve a
    /// problem from several.
    #[must_use]
    pub fn vary_guess(mut self, number: usize) -> Self {
        self.variation = number as u64;
        self
    }

    /// Begins the solution with these states, after each step, and inputs. The states need not follow from the inputs.
    #[must_use]
    pub fn guess(mut self, states: Vec<D::State>, inputs: Vec<Vec<f64>>) -> Self {
        self.guess = Guess::Motion(states, inputs);
        self
    }

    /// Solves the problem; see the [crate's documentation](crate#planning).
    ///
    /// # Errors
    /// [`PlanError`] for what is not a problem: lists of the wrong length, bounds with nothing between them, and functions that are
    /// not finite at the start guess. Whether a solution was found is said by [`Plan::status`].
    pub fn solve(&self, options: &Options) -> Result<Plan<D::State>, PlanError> {
        self.check(options)?;
        interior_point::solve(self, options)
    }

    /// The problem for a solver from outside.
    ///
    /// # Errors
    /// Those of [`Problem::solve`], and [`PlanError::Group`] for systems with poses.
    pub fn to_nlp(&self) -> Result<Nlp<'_, 'a, D>, PlanError> {
        self.check(&Options::default())?;
        Nlp::new(self)
    }

    /// Whether the states of the start guess follow from its inputs.
    pub(crate) fn is_rolled(&self) -> bool {
        matches!(self.guess, Guess::Inputs(_)) || self.variation > 0
    }

    pub(crate) fn check(&self, options: &Options) -> Result<(), PlanError> {
        for (what, option) in [("tolerance", options.tolerance), ("barrier", options.barrier)] {
            if !(option > 0.0 && option.is_finite()) {
                return Err(PlanError::Option { what });
            }
        }
        let sizes = self.dynamics.sizes();
        let inputs = sizes.inputs;
        let length = |what: &str, expected: usize, found: usize| {
            let fits = expected == found;
            if fits { Ok(()) } else { Err(PlanError::Length { what: what.to_owned(), expected, found }) }
        };
        let bounds = |what: &str, lower: f64, upper: f64| {
            let is_room = lower < upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
            if is_room { Ok(()) } else { Err(PlanError::Bounds { what: what.to_owned(), lower, upper }) }
        };
        for term in self.costs.iter().chain(&self.conditions).chain(&self.inequalities) {
            term.function.check(sizes)?;
        }
        for term in &self.costs {
            length(&term.names.join(", "), 1, term.function.count())?;
        }
        for term in self.conditions.iter().chain(&self.inequalities) {
            let what = term.names.join(", ");
            length(&format!("names of {what}"), term.function.count(), term.names.len())?;
            if term.stages.end > self.steps + 1 {
                return Err(PlanError::Stage { what, stage: term.stages.end - 1, last: self.steps });
            }
        }
        for term in &self.inequalities {
            for list in [&term.lower, &term.upper] {
                length(&format!("bounds of {}", term.names.join(", ")), term.names.len(), list.len())?;
            }
            for ((name, &lower), &upper) in term.names.iter().zip(&term.lower).zip(&term.upper) {
                bounds(name, lower, upper)?;
            }
        }
        if !(self.lower.is_empty() && self.upper.is_empty()) {
            length("lower bounds of inputs", inputs, self.lower.len())?;
            length("upper bounds of inputs", inputs, self.upper.len())?;
            for (j, (&lower, &upper)) in self.lower.iter().zip(&self.upper).enumerate() {
                bounds(&format!("input {j}"), lower, upper)?;
            }
        }
        let all = match &self.guess {
            Guess::Inputs(all) if all.is_empty() => return Ok(()),
            Guess::Inputs(all) => all,
            Guess::Motion(states, all) => {
                length("states of the guess", self.steps, states.len())?;
                all
            }
        };
        length("inputs of the guess", self.steps, all.len())?;
        for (k, u) in all.iter().enumerate() {
            length(&format!("inputs of the guess, step {k}"), inputs, u.len())?;
            if u.iter().any(|u| !u.is_finite()) {
                return Err(PlanError::NonFinite { what: "inputs of the guess".to_owned(), stage: k });
            }
        }
        Ok(())
    }
}

impl<'a, D: Dynamics> Term<'a, D> {
    fn new<'n>(
        stages: Range<usize>,
        names: impl IntoIterator<Item = &'n str>,
        function: impl Function<D> + 'a,
    ) -> Self {
        Term {
            stages,
            names: names.into_iter().map(str::to_owned).collect(),
            lower: Vec::new(),
            upper: Vec::new(),
            function: Box::new(function),
        }
    }
}
