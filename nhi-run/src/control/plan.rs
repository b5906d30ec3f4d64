//! Plans.

use super::discrete::{Discrete, Multipliers, Text};
use super::steps::State;
use super::{MOST, forwards, guesses, wrong};
use crate::error::sized;
use crate::expressions::argument_of;
use crate::run::pose;
use crate::{About, Column, Error, Limits, Quantity, Recording, System};
use nhi_control::{
    Best, Difference, Dynamics, Options, Plan, PlanError, Problem, Quadratic, Timed, best_of, free_time,
};
use nhi_jit::Formulas;
use nhi_methods::Variant;

/// The problem of the motion of least cost between two states.
#[derive(Clone, Debug)]
pub struct Planning {
    /// A system; inputs may drive its constraints, if the method is `DlaRattle`, `Rdp` or one of their variants.
    pub system: System,
    /// A method whose steps are differentiated. Without one, the inputs are the quasi-velocities ν, `nu[0]`, `nu[1]` and so on, which
    /// are held over steps of the mid-point rule, and states are configurations: [`nhi_control::Kinematic`].
    pub variant: Option<Variant>,
    /// Values of the parameters, flattened.
    pub parameters: Vec<f64>,
    /// Configuration at the start.
    pub q0: Vec<f64>,
    /// Velocity at the start, on the constraints. It does not count without a method.
    pub v0: Vec<f64>,
    /// Configuration at the end; NaN where it is free, a pose as a whole.
    pub q1: Vec<f64>,
    /// Velocity at the end: NaN where it is free, on the constraints if no entry is; none if all of it is.
    pub v1: Option<Vec<f64>>,
    /// Further conditions.
    pub conditions: Vec<Condition>,
    /// Step size, positive.
    pub h: f64,
    /// Number of steps.
    pub steps: usize,
    /// What is minimised: its integral over time, the sum of h times the values before the steps.
    pub cost: Cost,
    /// A further cost, of the last state: a text in the grammar of `let`.
    pub final_cost: Option<String>,
    /// The least and the largest value of inputs, of coordinates, of multipliers, `lambda(blade)`, and of other functions of the
    /// state, texts: of multipliers in every step, of others after it. They may be infinite.
    pub bounds: Vec<(String, [f64; 2])>,
    /// Where the solution begins.
    pub guess: Guess,
    /// When it ends.
    pub options: Options,
}

/// The value of a function of the state, a text in the grammar of `let`, after some steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// The text.
    pub text: String,
    /// The value.
    pub value: f64,
    /// The number of steps.
    pub step: usize,
}

/// Where a solution begins.
#[derive(Clone, PartialEq, Debug)]
pub enum Guess {
    /// With these inputs of each step; with none, zeros.
    Inputs(Vec<Vec<f64>>),
    /// With these inputs, and states after each step that need not follow from them.
    Motion {
        /// Configurations.
        q: Vec<Vec<f64>>,
        /// Velocities, of which the admissible parts count.
        v: Vec<Vec<f64>>,
        /// Inputs.
        inputs: Vec<Vec<f64>>,
    },
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
    /// Velocities of its states, after the last step with the last inputs; NaN where there are none.
    pub v: Vec<Vec<f64>>,
}

/// A plan whose time is free.
#[derive(Clone, Debug)]
pub struct TimedPlan {
    /// The time T.
    pub time: f64,
    /// The plan, whose cost is without that of the time.
    pub planned: Planned,
    /// The derivative of the cost, with that of the time, by T.
    pub derivative: f64,
    /// How many problems with fixed times were solved.
    pub solutions: usize,
}

/// The texts of a problem, compiled.
pub(super) struct Texts {
    /// None for efforts.
    cost: Option<Formulas>,
    final_cost: Option<Formulas>,
    /// Functions that are bounded.
    within: Option<(Vec<Bound>, Formulas)>,
    /// Multipliers that are bounded.
    multipliers: (Vec<Bound>, Vec<usize>),
    /// Conditions, and their functions, by the numbers of steps.
    conditions: Vec<(usize, Vec<Condition>, Formulas)>,
}

/// The states that a problem names, for a size of its steps.
pub(super) struct States {
    pub(super) begin: State,
    end: State,
    /// Entries of the last state that have to be reached, with their names.
    reached: Vec<(usize, String)>,
    /// States of the start guess.
    guess: Vec<State>,
}

/// The name of a bounded function, with its bounds.
type Bound = (String, [f64; 2]);

/// The lower and the upper sides of some bounds.
fn sides<'b>(bounds: impl Iterator<Item = &'b [f64; 2]> + Clone) -> [Vec<f64>; 2] {
    [0, 1].map(|which| bounds.clone().map(|pair| pair[which]).collect())
}

/// The constraint whose multiplier a text is: `lambda(blade)`.
fn multiplier_of(text: &str) -> Option<&str> {
    argument_of(text, "lambda")
}

impl Texts {
    /// The problem for a system.
    pub(super) fn problem<'a>(
        &self,
        dynamics: &'a Discrete,
        planning: &Planning,
        states: &States,
    ) -> Problem<'a, Discrete> {
        let Planning { steps, .. } = planning;
        let (entries, names): (Vec<usize>, Vec<&str>) =
            states.reached.iter().map(|(i, name)| (*i, name.as_str())).unzip();
        let mut problem = Problem::new(dynamics, *steps, states.begin.clone());
        if !entries.is_empty() {
            problem = problem.condition(*steps, names, Difference { from: states.end.clone(), entries });
        }
        for (step, conditions, formulas) in &self.conditions {
            let less = conditions.iter().map(|condition| condition.value).collect();
            let names = conditions.iter().map(|condition| condition.text.as_str());
            problem = problem.condition(*step, names, Text { less, ..Text::of(formulas) });
        }
        problem = match (&self.cost, &planning.cost) {
            (None, Cost::Effort(weights)) => {
                let weights: Vec<f64> = weights.iter().map(|r| r * dynamics.h).collect();
                problem.cost("effort", Quadratic::of_inputs(&weights))
            }
            (Some(cost), _) => problem.cost("cost", Text { factor: dynamics.h, ..Text::of(cost) }),
            (None, Cost::Text(_)) => problem,
        };
        if let Some(cost) = &self.final_cost {
            problem = problem.final_cost("final cost", Text::of(cost));
        }
        let known = planning.inputs(dynamics.sizes().inputs);
        let inputs = planning.bounds_of(&known);
        if !inputs.is_empty() {
            let side = |which: usize| -> Vec<f64> {
                let free = [f64::NEG_INFINITY, f64::INFINITY][which];
                let bound = |i| inputs.iter().find(|(at, _)| *at == i).map_or(free, |(_, pair)| pair[which]);
                (0..known.len()).map(bound).collect()
            };
            problem = problem.bound_inputs(&side(0), &side(1));
        }
        let coordinates = planning.shape();
        let entries = planning.bounds_of(coordinates);
        if !entries.is_empty() {
            let [least, most] = sides(entries.iter().map(|(_, pair)| pair));
            let at: Vec<usize> = entries.iter().map(|(at, _)| *at).collect();
            let mut origin = states.begin.clone();
            origin.q[..coordinates.len()].fill(0.0);
            problem = problem.bound_entries(origin, &at, (&least, &most));
        }
        if let Some((bounds, formulas)) = &self.within {
            let [least, most] = sides(bounds.iter().map(|(_, pair)| pair));
            let names = bounds.iter().map(|(name, _)| name.as_str());
            problem = problem.within(1..steps + 1, names, (&least, &most), Text::of(formulas));
        }
        let (bounds, constraints) = &self.multipliers;
        if !bounds.is_empty() {
            let [least, most] = sides(bounds.iter().map(|(_, pair)| pair));
            let names = bounds.iter().map(|(name, _)| name.as_str());
            problem = problem.within(0..*steps, names, (&least, &most), Multipliers(constraints.clone()));
        }
        match &planning.guess {
            Guess::Inputs(inputs) if inputs.is_empty() => problem,
            Guess::Inputs(inputs) => problem.guess_inputs(inputs.clone()),
            Guess::Motion { inputs, .. } => problem.guess(states.guess.clone(), inputs.clone()),
        }
    }
}

/// Why a problem was not posed or solved.
pub(super) fn unsolved(error: PlanError) -> Error {
    match error {
        PlanError::Bounds { .. } => wrong("bounds", error),
        PlanError::Prepare { .. } => wrong("parameters", error),
        PlanError::Length { .. } => wrong("guess", error),
        PlanError::Stage { .. } => wrong("conditions", error),
        PlanError::Option { what: what @ ("times" | "tolerance" | "barrier") } => {
            wrong(what, "must be positive and finite")
        }
        _ => Error::Unsolved(error.to_string()),
    }
}

impl Planning {
    /// Solves the problem from a number of start guesses, at least 1: the given one, and random variations of it. Returns the best plan
    /// and the others: minima, each once, by their cost, then what is no minimum. Whether a solution was found is said by the status
    /// of a plan.
    ///
    /// # Errors
    /// [`Error::Argument`] with the field that is impossible, [`Error::Declaration`] for mistakes in texts,
    /// [`Error::Unsolved`] if a function is not finite at the start guess, and those of [`System::second_derivatives`].
    pub fn solve(&self, starts: usize) -> Result<Best<Planned>, Error> {
        guesses(starts)?;
        let dynamics = self.dynamics()?;
        let (texts, states) = (self.texts()?, self.states(&dynamics)?);
        let problem = |number: usize| texts.problem(&dynamics, self, &states).vary_guess(number);
        let found = best_of(starts, &self.options, problem).map_err(unsolved)?;
        // There is at least one start.
        let (plan, others) = found.ok_or_else(|| wrong("starts", "expected at least 1"))?;
        let planned = |plan| Self::planned(&dynamics, plan);
        Ok((planned(plan), others.into_iter().map(planned).collect()))
    }

    /// Solves the problem with a free time T of those from `shortest` to `longest`, a unit of which costs `price`: the N steps have
    /// the size T/N, whatever [`Planning::h`] is. See [`nhi_control::free_time`].
    ///
    /// # Errors
    /// As [`Planning::solve`]; [`Error::Unsolved`] if there is no plan for a time of the search.
    pub fn free_time(&self, [shortest, longest]: [f64; 2], price: f64) -> Result<TimedPlan, Error> {
        if !(shortest > 0.0 && shortest <= longest && longest.is_finite()) {
            return Err(wrong("times", "expected two positive and finite times, the shortest first"));
        }
        if !price.is_finite() {
            return Err(wrong("price", format!("must be finite, found {price}")));
        }
        let size = |time: f64| time / self.steps as f64;
        let all = Discrete { h: size(0.5 * (shortest + longest)), ..self.dynamics()? };
        let texts = self.texts()?;
        // Mistakes in states have been found here.
        self.states(&all)?;
        let system = |h: f64| Ok(Discrete { h, ..all.clone() });
        fn posed<'d>(
            dynamics: &'d Discrete,
            texts: &Texts,
            planning: &Planning,
        ) -> Result<Problem<'d, Discrete>, PlanError> {
            let states = planning.states(dynamics).map_err(|_| PlanError::Velocity { is_driven: false })?;
            Ok(texts.problem(dynamics, planning, &states))
        }
        let found = free_time(
            self.steps,
            shortest..=longest,
            price,
            system,
            |dynamics, _| posed(dynamics, &texts, self),
            &self.options,
        );
        let Timed { time, plan, derivative, solutions } = found.map_err(unsolved)?;
        let planned = Self::planned(&Discrete { h: size(time), ..all }, plan);
        Ok(TimedPlan { time, planned, derivative, solutions })
    }

    /// The motion of a plan in velocities with steps of size `h`, for pictures and files: configurations, velocities and inputs, by rows.
    /// There are no forces.
    pub fn recording(&self, [q, v, inputs]: [&[Vec<f64>]; 3], h: f64) -> Recording {
        let system = &self.system;
        let column = |name: String, quantity, value: &dyn Fn(usize) -> f64| Column {
            name,
            quantity,
            values: (0..q.len()).map(value).collect(),
        };
        let mut columns = vec![
            column("k".to_owned(), Quantity::Step, &|k| k as f64),
            column("t".to_owned(), Quantity::Time, &|k| k as f64 * h),
        ];
        for (i, name) in system.coordinates().iter().enumerate() {
            columns.push(column(name.clone(), Quantity::Coordinate, &|k| q[k][i]));
        }
        let velocities = (0..system.velocities().len()).map(|i| system.velocity_column(i));
        for (i, name) in velocities.enumerate() {
            columns.push(column(name, Quantity::Velocity, &|k| v[k][i]));
        }
        // Those of the step that ends at a sample.
        let input = |k: usize, i: usize| inputs.get(k.saturating_sub(1)).map_or(f64::NAN, |u| u[i]);
        for (i, name) in self.inputs(inputs.first().map_or(0, Vec::len)).into_iter().enumerate() {
            columns.push(column(name, Quantity::Input, &|k| input(k, i)));
        }
        let parameters = system.parameters().iter().cloned().zip(self.parameters.iter().copied());
        let about = About {
            system: system.name().to_owned(),
            declaration: system.fingerprint().to_owned(),
            parameters: parameters.collect(),
            method: "kinematic".to_owned(),
            h,
            adaptive: None,
            conservative: false,
            pose: pose(system),
            stopped: None,
            events: Vec::new(),
            warnings: Vec::new(),
        };
        Recording { about, columns, bodies: Vec::new(), limits: Limits::default() }
    }

    /// The system in discrete time.
    pub(super) fn dynamics(&self) -> Result<Discrete, Error> {
        self.check()?;
        let dynamics = Discrete::new(&self.system, self.variant, self.parameters.clone(), self.h)?;
        if let Cost::Effort(weights) = &self.cost {
            sized("weights", weights, dynamics.sizes().inputs)?;
        }
        Ok(dynamics)
    }

    /// A plan with its velocities.
    fn planned(dynamics: &Discrete, plan: Plan<State>) -> Planned {
        let v = plan.states.iter().enumerate().map(|(k, x)| {
            let u = plan.inputs.get(k).or(plan.inputs.last());
            let v = dynamics.velocity(k, x, u.map_or(&[], Vec::as_slice));
            v.unwrap_or_else(|_| vec![f64::NAN; dynamics.velocities()])
        });
        Planned { v: v.collect(), plan }
    }

    /// The functions of the problem, compiled.
    pub(super) fn texts(&self) -> Result<Texts, Error> {
        let Planning { system, .. } = self;
        let cost = match &self.cost {
            Cost::Effort(_) => None,
            Cost::Text(cost) => Some(system.formulas(&[("cost", cost)])?),
        };
        let final_cost =
            self.final_cost.as_ref().map(|cost| system.formulas(&[("final_cost", cost)])).transpose()?;
        let d = system.basis()?.sizes()[1];
        let is_known = |name: &String| self.shape().contains(name) || self.inputs(d).contains(name);
        let others: Vec<Bound> = self.bounds.iter().filter(|(name, _)| !is_known(name)).cloned().collect();
        let (multipliers, others): (Vec<Bound>, Vec<Bound>) =
            others.into_iter().partition(|(name, _)| multiplier_of(name).is_some());
        let constraints =
            multipliers.iter().map(|(name, _)| self.constraint(name)).collect::<Result<_, _>>()?;
        let within = if others.is_empty() {
            None
        } else {
            let places: Vec<String> = others.iter().map(|(name, _)| format!("bounds[\"{name}\"]")).collect();
            let names = others.iter().map(|(name, _)| name.as_str());
            let texts: Vec<(&str, &str)> = places.iter().map(String::as_str).zip(names).collect();
            let formulas = system.formulas(&texts)?;
            Some((others, formulas))
        };
        let multipliers = (multipliers, constraints);
        Ok(Texts { cost, final_cost, within, multipliers, conditions: self.compiled_conditions()? })
    }

    /// The conditions, with those of single velocities at the end, which have names such as `dot_x`.
    fn compiled_conditions(&self) -> Result<Vec<(usize, Vec<Condition>, Formulas)>, Error> {
        let system = &self.system;
        // What a condition is called, its text, value and step.
        let mut all: Vec<(String, String, f64, usize)> = Vec::new();
        if let Some(v1) =
            self.v1.as_ref().filter(|v1| self.variant.is_some() && v1.iter().any(|v| v.is_nan()))
        {
            for (i, &value) in v1.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                all.push((system.velocity_column(i), system.velocity_text(i), value, self.steps));
            }
        }
        for Condition { text, value, step } in &self.conditions {
            if !value.is_finite() {
                return Err(wrong(
                    "conditions",
                    format!("the value of `{text}` must be finite, found {value}"),
                ));
            }
            if !(1..=self.steps).contains(step) {
                let problem = format!(
                    "`{text}` is asked for after step {step}, but steps are from 1 to {}",
                    self.steps
                );
                return Err(wrong("conditions", problem));
            }
            let is_end = *step == self.steps;
            let name = if is_end { text.clone() } else { format!("{text} after step {step}") };
            all.push((name, text.clone(), *value, *step));
        }
        let mut steps: Vec<usize> = all.iter().map(|(.., step)| *step).collect();
        steps.sort_unstable();
        steps.dedup();
        let compiled = steps.into_iter().map(|step| {
            let own: Vec<_> = all.iter().filter(|(.., at)| *at == step).collect();
            let places: Vec<String> =
                own.iter().map(|(name, ..)| format!("conditions[\"{name}\"]")).collect();
            let texts = places.iter().zip(&own).map(|(place, (_, text, ..))| (place.as_str(), text.as_str()));
            let formulas = system.formulas(&texts.collect::<Vec<_>>())?;
            let named =
                own.iter().map(|(name, _, value, _)| Condition { text: name.clone(), value: *value, step });
            Ok::<_, Error>((step, named.collect(), formulas))
        });
        compiled.collect()
    }

    /// The number of the constraint of a bounded multiplier.
    fn constraint(&self, name: &str) -> Result<usize, Error> {
        let label = multiplier_of(name).unwrap_or_default();
        let labels = self.system.constraints();
        if self.variant.is_none() {
            return Err(wrong(
                "bounds",
                format!("`{name}`: where velocities are given there are no multipliers"),
            ));
        }
        labels.iter().position(|known| known == label).ok_or_else(|| {
            let known = if labels.is_empty() { "none".to_owned() } else { labels.join(", ") };
            wrong(
                "bounds",
                format!("`{name}`: no constraint has the label `{label}`; the labels are {known}"),
            )
        })
    }

    /// The states of the problem.
    pub(super) fn states(&self, dynamics: &Discrete) -> Result<States, Error> {
        let begin = dynamics.state(0, &self.q0, &self.v0, ["q0", "v0"])?;
        let (end, reached) = self.end(dynamics)?;
        let guess = match &self.guess {
            Guess::Inputs(_) => Vec::new(),
            Guess::Motion { q, v, .. } => {
                let states = q.iter().enumerate().map(|(k, q)| {
                    let v = v.get(k).map_or(&[][..], Vec::as_slice);
                    dynamics.nearest(k + 1, q, v).map_err(|error| wrong("guess", error))
                });
                states.collect::<Result<_, _>>()?
            }
        };
        Ok(States { begin, end, reached, guess })
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
        let Some(steps) = dynamics.steps() else {
            let named = reached.into_iter().map(|i| (i, dynamics.entry(i)));
            return Ok((dynamics.state(self.steps, &place, &[], ["q1", "v1"])?, named.collect()));
        };
        let end = match &self.v1 {
            Some(v1) if v1.iter().all(|v| !v.is_nan()) => {
                reached.extend(n..steps.sizes.states - self.system.states().len());
                dynamics.state(self.steps, &place, v1, ["q1", "v1"])?
            }
            _ => dynamics.nearest(self.steps, &place, &vec![0.0; n]).map_err(|error| wrong("q1", error))?,
        };
        let names = steps.velocity_names(dynamics.at(self.steps), &end);
        let reached = reached.into_iter().map(|i| {
            let name = i.checked_sub(n).and_then(|i| names.get(i).cloned());
            (i, name.unwrap_or_else(|| dynamics.entry(i)))
        });
        Ok((end, reached.collect()))
    }

    /// The names of coordinates that are no entries of a pose.
    fn shape(&self) -> &[String] {
        &self.system.coordinates()[..self.system.shape()]
    }

    /// The names of the inputs, of which there are d where they are quasi-velocities.
    fn inputs(&self, d: usize) -> Vec<String> {
        match self.variant {
            Some(_) => self.system.inputs().to_vec(),
            None => (0..d).map(|i| format!("nu[{i}]")).collect(),
        }
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
        if self.variant.is_some() && system.inputs().is_empty() {
            return Err(wrong("system", "it has no inputs, of which a plan is made"));
        }
        sized("parameters", &self.parameters, system.parameters().len())?;
        let (n, m) = (system.coordinates().len(), system.velocities().len());
        sized("q0", &self.q0, n)?;
        sized("q1", &self.q1, n)?;
        if self.variant.is_some() {
            sized("v0", &self.v0, m)?;
            self.v1.as_ref().map_or(Ok(()), |v1| sized("v1", v1, m))?;
        }
        let Guess::Motion { q, v, .. } = &self.guess else { return Ok(()) };
        if self.variant.is_some() && v.len() != q.len() {
            return Err(wrong("guess", format!("{} configurations, but {} velocities", q.len(), v.len())));
        }
        q.iter().try_for_each(|q| sized("guess", q, n))?;
        v.iter().try_for_each(|v| sized("guess", v, m))
    }
}
