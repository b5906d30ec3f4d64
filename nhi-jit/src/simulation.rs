//! Simulations by compiled steps.

use crate::Error;
use crate::admissible::{check_pose, check_position, check_velocity, corrected};
use crate::compile::{UncheckedLoop, failure};
use crate::compiled::{Acceleration, Compiled, Method, Point};
use crate::passage::Ends;
use nhi_codegen::program::Role;
use nhi_codegen::program::StateKind;
use nhi_methods::Variant;
use nhi_runtime::balance::{self, End, Interval};
use nhi_runtime::emitted::FLUSH_EVERY;
use nhi_runtime::ringing;
use nhi_runtime::statistics::{Evaluations, Statistics};
use nhi_runtime::{Failure, Limits, Quantity};
use std::ops::Range;

/// The integration of one trajectory, as `nhi_runtime::Simulation`: the states are the same, bit for bit.
///
/// After k steps the time is t = k h. Control inputs are held: every step uses the inputs that were given last.
#[derive(Clone, Debug)]
pub struct Simulation {
    compiled: Compiled,
    /// The place of the method among the compiled ones.
    method: usize,
    /// Parameters, inputs, step size, and what is prepared for each substep; see `Layout`.
    data: Vec<f64>,
    state: Vec<f64>,
    /// The state before the last steps, after how many steps it was, and the inputs since.
    before: Vec<f64>,
    begun: u64,
    inputs_since: Vec<f64>,
    steps: u64,
    limits: Limits,
    /// Kinetic energy of the state; NaN if it has not been computed.
    kinetic: f64,
    /// Between tests of the energy in [`Simulation::advance`].
    interval: Interval,
    statistics: Statistics<Vec<f64>>,
}

/// How initial values are made admissible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// They have to be.
    Admissible,
    /// By the nearest values.
    Any,
}

/// A state after a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Stepped {
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Auxiliary states.
    pub z: Vec<f64>,
}

impl Compiled {
    /// The state after one step of size `h` from a point, which may violate constraints. The multipliers are solved from zero, so
    /// that the step depends on nothing else, and the energy is not tested. For methods without reflections.
    ///
    /// # Errors
    /// [`Error::NotCompiled`], [`Error::Start`] and [`Error::Step`].
    ///
    /// # Panics
    /// If the lengths of arrays at the point are not those of the system.
    pub fn step(&self, variant: Variant, at: &Point<'_>, h: f64) -> Result<Stepped, Error> {
        let [q, v, z] = self.after(variant, at, h, [Role::Configuration, Role::Velocity, Role::States])?;
        Ok(Stepped { q, v, z })
    }

    /// The multipliers of such a step, one per constraint.
    ///
    /// # Errors
    /// As [`Compiled::step`].
    ///
    /// # Panics
    /// If the lengths of arrays at the point are not those of the system.
    pub fn step_multipliers(&self, variant: Variant, at: &Point<'_>, h: f64) -> Result<Vec<f64>, Error> {
        let [lambda] = self.after(variant, at, h, [Role::Multipliers])?;
        Ok(lambda)
    }

    /// Parts of the state after a step from a point.
    fn after<const N: usize>(
        &self,
        variant: Variant,
        at: &Point<'_>,
        h: f64,
        parts: [Role; N],
    ) -> Result<[Vec<f64>; N], Error> {
        let method = self.methods().iter().find(|method| method.variant == variant);
        let method = method.ok_or(Error::NotCompiled { variant })?;
        let lambda = vec![0.0; self.constraints().len()];
        let departure = method.departure(self.code(), at, &lambda, h);
        let [data, mut state] = departure.map_err(|cause| Error::Start { cause })?;
        let (status, _) = self.code().run(method.loops.checked, &mut state, &data, 0, 1);
        if let Some(cause) = failure(status) {
            return Err(Error::Step { step: 1, time: at.t, cause });
        }
        Ok(parts.map(|role| state[method.layout.state.of(&role)].to_vec()))
    }

    /// Tests a step of size `h` from a point, by the state after it: the test that a [`Simulation`] with these limits makes of every
    /// step. For methods without reflections.
    ///
    /// # Errors
    /// [`Failure::NearlySingular`] and [`Failure::EnergyJump`].
    ///
    /// # Panics
    /// If the lengths of arrays are not those of the system.
    pub fn test(&self, limits: &Limits, at: &Point<'_>, h: f64, after: &Stepped) -> Result<(), Failure> {
        let end = at.t + h;
        let kinetic = [at, &Point { q: &after.q, v: &after.v, z: &after.z, t: end, ..*at }]
            .map(|at| self.kinetic_energy(at));
        if !balance::changes_much(kinetic[0], kinetic[1]) {
            return Ok(());
        }
        let passage = || Ends {
            compiled: self,
            parameters: at.parameters,
            inputs: at.inputs,
            h,
            q: [at.q.to_vec(), mean(at.q, &after.q), after.q.clone()],
            z: [at.z.to_vec(), after.z.clone()],
            times: [at.t, 0.5 * (at.t + end), end],
        };
        balance::explain(passage, limits, kinetic, |end| kinetic[usize::from(end == End::Last)])
    }
}

impl Simulation {
    /// Starts the method at the configuration `q0` with the velocity `v0` = dq/dt and the step size `h`, with inputs that are
    /// zero. The velocity has to satisfy the constraints, and the configuration the position constraints. The step size may be
    /// negative.
    ///
    /// # Errors
    /// [`Error::NotCompiled`], [`Error::Length`]; [`Error::Constraint`] and [`Error::Position`] name a violated constraint
    /// and its residual, [`Error::Pose`] a matrix that is not a rotation. The other errors are [`Error::StepSize`],
    /// [`Error::NonFinite`] and [`Error::Start`].
    pub fn new(
        compiled: &Compiled,
        variant: Variant,
        parameters: &[f64],
        q0: &[f64],
        v0: &[f64],
        h: f64,
    ) -> Result<Simulation, Error> {
        let inputs = vec![0.0; compiled.inputs().len()];
        Self::with_inputs(compiled, variant, parameters, q0, v0, &inputs, h)
    }

    /// As [`Simulation::new`], with control inputs. The start of the method uses them, too.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn with_inputs(
        compiled: &Compiled,
        variant: Variant,
        parameters: &[f64],
        q0: &[f64],
        v0: &[f64],
        inputs: &[f64],
        h: f64,
    ) -> Result<Simulation, Error> {
        let z = &vec![0.0; compiled.states().len()];
        Self::at_point(compiled, variant, &Point { parameters, q: q0, v: v0, z, t: 0.0, inputs }, h)
    }

    /// As [`Simulation::with_inputs`], at a point with its time and its auxiliary states, which are zero otherwise.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn at_point(
        compiled: &Compiled,
        variant: Variant,
        at: &Point<'_>,
        h: f64,
    ) -> Result<Simulation, Error> {
        Self::build(compiled, variant, at, h, Given::Admissible)
    }

    /// As [`Simulation::at_point`], with the nearest admissible point, as in [`Simulation::project`].
    ///
    /// # Errors
    /// As [`Simulation::project`].
    pub fn project_point(
        compiled: &Compiled,
        variant: Variant,
        at: &Point<'_>,
        h: f64,
    ) -> Result<Simulation, Error> {
        Self::build(compiled, variant, at, h, Given::Any)
    }

    /// As [`Simulation::with_inputs`], with the admissible velocity nearest to `v0` in the kinetic-energy metric. Before, the matrix
    /// of a pose is replaced by the rotation nearest to it, and `q0` is brought onto position constraints, if there are any, by
    /// Gauss–Newton steps in the same metric.
    ///
    /// # Errors
    /// As [`Simulation::new`], and [`Error::Projection`].
    pub fn project(
        compiled: &Compiled,
        variant: Variant,
        parameters: &[f64],
        q0: &[f64],
        v0: &[f64],
        inputs: &[f64],
        h: f64,
    ) -> Result<Simulation, Error> {
        let z = &vec![0.0; compiled.states().len()];
        Self::project_point(compiled, variant, &Point { parameters, q: q0, v: v0, z, t: 0.0, inputs }, h)
    }

    fn build(
        compiled: &Compiled,
        variant: Variant,
        at: &Point<'_>,
        h: f64,
        given: Given,
    ) -> Result<Simulation, Error> {
        let names = compiled.facts();
        let method = compiled.methods().iter().position(|method| method.variant == variant);
        let Some(method) = method else { return Err(Error::NotCompiled { variant }) };
        for (what, numbers, names) in [
            ("parameters", at.parameters, &names.parameters),
            ("entries of the configuration", at.q, &names.coordinates),
            ("velocities", at.v, &names.velocities),
            ("auxiliary states", at.z, &names.states),
            ("inputs", at.inputs, &names.inputs),
        ] {
            has_length(what, numbers, names)?;
        }
        has_step_size(h)?;
        finite(Quantity::Parameter, &names.parameters, at.parameters)?;
        increasing(&names.tables, &names.parameters, at.parameters)?;
        finite(Quantity::Coordinate, &names.coordinates, at.q)?;
        finite(Quantity::Velocity, &names.velocities, at.v)?;
        finite(Quantity::State, &names.states, at.z)?;
        finite(Quantity::Input, &names.inputs, at.inputs)?;
        finite(Quantity::Time, &["t".to_owned()], &[at.t])?;
        let (q, v);
        let at = match given {
            Given::Admissible => *at,
            Given::Any => {
                let projection =
                    |at: &Point<'_>, cause| Error::Projection { cause: diagnosed_at(compiled, at, h, cause) };
                q = corrected(compiled, at).map_err(|cause| projection(at, cause))?;
                let at = Point { q: &q, ..*at };
                v = compiled.project(&at).map_err(|cause| projection(&at, cause))?;
                Point { v: &v, ..at }
            }
        };
        check_pose(compiled, at.q)?;
        check_position(compiled, &at)?;
        check_velocity(compiled, &at)?;
        let functions = &compiled.methods()[method];
        let start = |cause: Failure| Error::Start { cause: diagnosed_at(compiled, &at, h, cause) };
        let data = functions.data(compiled.code(), &at, h).map_err(start)?;
        let state = functions.begin(compiled.code(), &at, &data).map_err(start)?;
        match balance::undetermined(&Ends::at_point(compiled, &at, h)) {
            Some(cause) => Err(Error::Start { cause }),
            None => Ok(Simulation::of(compiled.clone(), method, data, state)),
        }
    }

    fn of(compiled: Compiled, method: usize, data: Vec<f64>, state: Vec<f64>) -> Simulation {
        let (before, limits) = (state.clone(), Limits::DEFAULT);
        let inputs_since = vec![0.0; compiled.inputs().len()];
        let (begun, steps, kinetic) = (0, 0, f64::NAN);
        let interval = Interval::LONGEST;
        let statistics = Statistics::new(vec![0.0; compiled.velocities().len()]);
        Simulation {
            compiled,
            method,
            data,
            state,
            before,
            begun,
            inputs_since,
            steps,
            limits,
            kinetic,
            interval,
            statistics,
        }
    }

    /// A simulation with the same method, parameters and inputs, which begins at another node: at the configuration `q`, with
    /// the velocities before and after the reflection at this node, at time `t`, with steps of size `h`. A method without
    /// reflections begins with the mean of the velocities. The node may violate constraints. The multipliers of this simulation
    /// are a guess for those of the next step.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::StepSize`], [`Error::NonFinite`] and [`Error::Start`].
    pub fn from_node(
        &self,
        t: f64,
        q: &[f64],
        [before, after]: [&[f64]; 2],
        h: f64,
    ) -> Result<Simulation, Error> {
        let (names, functions) = (self.compiled.facts(), self.functions());
        has_length("entries of the configuration", q, &names.coordinates)?;
        has_length("velocities", before, &names.velocities)?;
        has_length("velocities", after, &names.velocities)?;
        has_step_size(h)?;
        finite(Quantity::Coordinate, &names.coordinates, q)?;
        finite(Quantity::Velocity, &names.velocities, before)?;
        finite(Quantity::Velocity, &names.velocities, after)?;
        let v = mean(before, after);
        let at = Point { t, q, v: &v, ..self.at(&v) };
        let state = match functions.kind {
            StateKind::Node => [q, &v, self.multipliers(), self.z()].concat(),
            StateKind::Jump => [q, before, after, self.multipliers(), self.z()].concat(),
        };
        let code = self.compiled.code();
        let start = |cause: Failure| Error::Start { cause: diagnosed_at(&self.compiled, &at, h, cause) };
        let data = functions.data(code, &at, h).map_err(start)?;
        let state = functions.carrying(code, &at, &data, state).map_err(start)?;
        Ok(Simulation::of(self.compiled.clone(), self.method, data, state))
    }

    /// The same simulation for steps of size `h` from the present time and state on, whose velocity is `v`. For methods without
    /// reflections.
    pub(crate) fn departing(&self, v: &[f64], h: f64) -> Result<Simulation, Error> {
        let Simulation { limits, statistics, .. } = self;
        let simulation = self.from_node(self.time(), self.q(), [v, v], h)?;
        Ok(Simulation { limits: *limits, statistics: statistics.clone(), ..simulation })
    }

    /// The same simulation at the time `t`, from which its steps are counted.
    pub(crate) fn arrived(mut self, t: f64) -> Simulation {
        let t0 = self.functions().layout.t0;
        self.data[t0] = t;
        self.state.iter_mut().filter(|x| x.is_subnormal()).for_each(|x| *x = 0.0);
        Simulation { steps: 0, begun: 0, ..self }
    }

    /// The kind of the states of the method.
    pub(crate) fn kind(&self) -> StateKind {
        self.functions().kind
    }

    /// The simulation that has these [`Simulation::numbers`] after `steps` steps: its next states are those of the simulation
    /// that they were read from, bit for bit. That one was begun at t = 0.
    ///
    /// # Errors
    /// [`Error::NotCompiled`], [`Error::Length`], [`Error::StepSize`], [`Error::NonFinite`] and [`Error::Start`].
    pub fn restore(
        compiled: &Compiled,
        variant: Variant,
        parameters: &[f64],
        inputs: &[f64],
        h: f64,
        numbers: &[f64],
        steps: u64,
    ) -> Result<Simulation, Error> {
        let names = compiled.facts();
        let method = compiled.methods().iter().position(|method| method.variant == variant);
        let Some(method) = method else { return Err(Error::NotCompiled { variant }) };
        has_length("parameters", parameters, &names.parameters)?;
        has_length("inputs", inputs, &names.inputs)?;
        has_step_size(h)?;
        finite(Quantity::Parameter, &names.parameters, parameters)?;
        increasing(&names.tables, &names.parameters, parameters)?;
        finite(Quantity::Input, &names.inputs, inputs)?;
        let functions = &compiled.methods()[method];
        let (expected, found) = (functions.layout.state.len(), numbers.len());
        if expected != found {
            return Err(Error::Length { what: "numbers of the state", expected, found });
        }
        let at = Point { parameters, inputs, ..Point::default() };
        let data = functions.data(compiled.code(), &at, h).map_err(|cause| Error::Start { cause })?;
        let simulation = Simulation::of(compiled.clone(), method, data, numbers.to_vec());
        Ok(Simulation { begun: steps, steps, ..simulation })
    }

    fn functions(&self) -> &Method {
        &self.compiled.methods()[self.method]
    }

    /// Takes one step with the inputs held. After every 4096th step, subnormal numbers of the state are replaced by zero.
    ///
    /// # Errors
    /// [`Error::Step`] says which step failed and why; the simulation is unchanged.
    pub fn step(&mut self) -> Result<(), Error> {
        self.take_tested()
    }

    /// Refuses steps by other limits from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// When a step is refused although its results are finite.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Sets the inputs and takes one step.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFinite`] and [`Error::Step`]; the simulation is unchanged.
    pub fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error> {
        let held = self.inputs().to_vec();
        self.set_inputs(inputs)?;
        let stepped = self.step();
        if stepped.is_err() {
            self.write_inputs(&held);
        }
        stepped
    }

    /// Sets the inputs of the next steps.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::NonFinite`]; the simulation is unchanged.
    pub fn set_inputs(&mut self, inputs: &[f64]) -> Result<(), Error> {
        has_length("inputs", inputs, self.compiled.inputs())?;
        finite(Quantity::Input, self.compiled.inputs(), inputs)?;
        self.write_inputs(inputs);
        Ok(())
    }

    fn write_inputs(&mut self, inputs: &[f64]) {
        let start = self.functions().layout.inputs;
        self.data[start..start + inputs.len()].copy_from_slice(inputs);
    }

    /// Takes `steps` steps with the inputs held. The states are those of [`Simulation::step`], bit for bit. For short steps
    /// this takes less time, because results are checked once after many steps. Intermediate multipliers that no later state
    /// depends on may be neither computed nor checked. If the kinetic energy has grown by more than a factor of 2 that the
    /// energy at rest and driven constraints do not explain, or has shrunk so much in a system without forces, the steps are
    /// repeated with the same test at shorter intervals, and these with the test of [`Limits`] after each step. So a step that
    /// multiplies the energy is found at once, unless the energy is lost again before the next check.
    ///
    /// # Errors
    /// [`Error::Step`] says which step failed and why; the simulation is in the state before that step.
    pub fn advance(&mut self, steps: u64) -> Result<(), Error> {
        let end = self.steps.saturating_add(steps);
        while self.steps < end {
            let count = self.interval.next(self.steps, end - self.steps);
            let (count, watched) = ringing::together(self.steps, count);
            if watched == count {
                for _ in 0..count {
                    self.take_tested()?;
                }
                continue;
            }
            self.keep();
            let (begun, before) = (self.steps, self.kinetic_energy());
            let ringing = (watched > 0).then(|| self.statistics.watched().clone());
            let is_taken = self.take_together(count - watched) && self.take_watched(watched);
            if is_taken {
                let after = self.kinetic_of_jump(&self.state, self.steps);
                // A passage copies what it joins.
                let is_suspicious = balance::changes_much(before, after)
                    && balance::is_suspicious(&self.passage(&self.before, begun), before, after);
                if !is_suspicious && self.resolve(&self.state, self.steps).is_ok() {
                    self.interval.lengthen(self.steps);
                    continue;
                }
            }
            if let Some(ringing) = ringing {
                self.statistics.restore(ringing);
            }
            // A step failed or has to be tested: repeat them.
            self.state.copy_from_slice(&self.before);
            (self.steps, self.kinetic) = (begun, before);
            if !self.interval.shorten(count, false) {
                for _ in 0..count {
                    self.take_tested()?;
                }
            }
        }
        Ok(())
    }

    /// Keeps the state before further steps.
    fn keep(&mut self) {
        self.before.copy_from_slice(&self.state);
        self.begun = self.steps;
        let Simulation { compiled, method, data, inputs_since, .. } = self;
        let layout = &compiled.methods()[*method].layout;
        inputs_since.copy_from_slice(&data[layout.inputs..layout.h]);
    }

    /// The simulation before its last step, with the inputs of this step: the steps since the state that is kept are repeated
    /// but for the last. None if no step has been taken since.
    pub fn before_last_step(&self) -> Option<Simulation> {
        let again = self.steps.checked_sub(self.begun)?.checked_sub(1)?;
        let mut earlier = self.clone();
        earlier.state.copy_from_slice(&self.before);
        (earlier.steps, earlier.kinetic) = (self.begun, f64::NAN);
        earlier.write_inputs(&self.inputs_since);
        if again > 0 {
            earlier.take_checked(again).ok()?;
        }
        Some(earlier)
    }

    /// `count` steps up to the next flush, by the loop that takes the least time; false if one has failed.
    fn take_together(&mut self, count: u64) -> bool {
        self.statistics.skip();
        match self.functions().loops.unchecked {
            Some(unchecked) => self.take_unchecked(unchecked, count),
            None => self.take_checked(count).is_ok(),
        }
    }

    /// `count` single steps up to the next flush, whose velocities are watched and whose energy is not tested; false if one has
    /// failed.
    fn take_watched(&mut self, count: u64) -> bool {
        let velocities = self.velocity_places();
        let mut before = velocities.clone().map(|place| self.state[place].to_vec());
        for _ in 0..count {
            let evaluations = Evaluations::now();
            let taken = self.take_checked(1);
            self.statistics.count(evaluations, taken.is_ok());
            if taken.is_err() {
                return false;
            }
            let Simulation { state, statistics, .. } = self;
            let after = velocities.clone().map(|place| &state[place]);
            statistics.take(means(before.each_ref().map(Vec::as_slice)).zip(means(after)));
            for (before, after) in before.iter_mut().zip(after) {
                before.copy_from_slice(after);
            }
        }
        true
    }

    /// `count` steps up to the next flush, whose results are checked once; false if one has failed.
    fn take_unchecked(&mut self, UncheckedLoop { id, is_partial }: UncheckedLoop, count: u64) -> bool {
        let deferred = count - u64::from(is_partial);
        if deferred > 0 {
            let Simulation { compiled, data, state, steps, .. } = self;
            let (status, _) = compiled.code().run(id, state, data, *steps, deferred);
            if failure(status).is_some() || !state.iter().all(|x| x.is_finite()) {
                return false;
            }
            *steps += deferred;
        }
        if is_partial {
            return self.take_checked(1).is_ok();
        }
        self.kinetic = f64::NAN;
        self.flush();
        true
    }

    /// A step with all tests.
    fn take_tested(&mut self) -> Result<(), Error> {
        let (time, before) = (self.time(), self.kinetic_energy());
        self.keep();
        let evaluations = Evaluations::now();
        let taken = self.take_checked(1);
        self.statistics.count(evaluations, taken.is_ok());
        taken?;
        let after = self.kinetic_energy();
        if balance::changes_much(before, after)
            && let Err(cause) = self.explain(before, after)
        {
            return Err(self.refused(before, time, cause));
        }
        if let Err(cause) = self.resolve(&self.before, self.steps - 1) {
            return Err(self.refused(before, time, cause));
        }
        self.kinetic = after;
        self.watch();
        Ok(())
    }

    /// Takes the last step back, before which the kinetic energy was `before`.
    #[cold]
    fn refused(&mut self, before: f64, time: f64, cause: Failure) -> Error {
        self.state.copy_from_slice(&self.before);
        self.steps -= 1;
        self.kinetic = before;
        Error::Step { step: self.steps + 1, time, cause }
    }

    /// Tests whether the velocity of a step that departs from a state after so many steps is more than rounding, if the method reflects.
    fn resolve(&self, state: &[f64], steps: u64) -> Result<(), Failure> {
        let [before, after] = self.velocity_places().map(|place| &state[place]);
        if !balance::are_far(before, after) || self.limits.growth == f64::INFINITY {
            return Ok(());
        }
        balance::resolve(&self.passage(state, steps), before, after)
    }

    /// Takes note of the velocities before and after the last step.
    fn watch(&mut self) {
        let velocities = self.velocity_places();
        let Simulation { state, before, statistics, .. } = self;
        let [before, after] =
            [&*before, &*state].map(|state| means(velocities.clone().map(|place| &state[place])));
        statistics.take(before.zip(after));
    }

    /// The places of two velocities in a state, of which the velocity is the mean: those before and after the reflection at the node.
    fn velocity_places(&self) -> [Range<usize>; 2] {
        let Method { kind, layout, .. } = self.functions();
        let roles = match kind {
            StateKind::Node => [Role::Velocity, Role::Velocity],
            StateKind::Jump => [Role::VelocityBefore, Role::VelocityAfter],
        };
        roles.map(|role| layout.state.of(&role))
    }

    /// What has been noticed of the steps, as `nhi_runtime::Simulation::statistics`.
    pub fn statistics(&self) -> &Statistics<Vec<f64>> {
        &self.statistics
    }

    /// Tests the last step.
    fn explain(&self, before: f64, after: f64) -> Result<(), Failure> {
        let passage = || self.passage(&self.before, self.steps - 1);
        balance::explain(passage, &self.limits, [before, after], |end| match end {
            End::Last => self.kinetic_of_jump(&self.state, self.steps),
            _ => self.kinetic_of_jump(&self.before, self.steps - 1),
        })
    }

    /// The mean kinetic energy of a state before and after the reflection at the node, if there is one: the energy of the
    /// mean velocity and that of the parasitic mode, whose sign alternates.
    fn kinetic_of_jump(&self, state: &[f64], steps: u64) -> f64 {
        let of = |role| {
            let field = |role| &state[self.functions().layout.state.of(role)];
            let (q, v, z) = (field(&Role::Configuration), field(&role), field(&Role::States));
            let (parameters, inputs) = (self.parameters(), self.inputs());
            self.compiled.kinetic_energy(&Point { parameters, q, v, z, t: self.time_after(steps), inputs })
        };
        match self.functions().kind {
            StateKind::Node => of(Role::Velocity),
            StateKind::Jump => 0.5 * (of(Role::VelocityBefore) + of(Role::VelocityAfter)),
        }
    }

    /// The kinetic energy of the present state.
    fn kinetic_energy(&self) -> f64 {
        if self.kinetic.is_nan() { self.compiled.kinetic_energy(&self.at(&self.v())) } else { self.kinetic }
    }

    /// The motion from a state after `begun` steps to the present one.
    fn passage(&self, before: &[f64], begun: u64) -> Ends<'_> {
        let layout = &self.functions().layout.state;
        let ends = |role| [before, &self.state].map(|state| state[layout.of(&role)].to_vec());
        let [first, last] = ends(Role::Configuration);
        let [begin, end] = [begun, self.steps].map(|k| self.time_after(k));
        Ends {
            compiled: &self.compiled,
            parameters: self.parameters(),
            inputs: self.inputs(),
            h: self.h(),
            q: [first.clone(), mean(&first, &last), last],
            z: ends(Role::States),
            times: [begin, 0.5 * (begin + end), end],
        }
    }

    /// `count` steps up to the next flush, each with a check.
    fn take_checked(&mut self, count: u64) -> Result<(), Error> {
        let id = self.functions().loops.checked;
        let (status, taken) = self.compiled.code().run(id, &mut self.state, &self.data, self.steps, count);
        self.steps += taken;
        self.kinetic = f64::NAN;
        match failure(status) {
            None => {
                self.flush();
                Ok(())
            }
            Some(cause) => {
                let cause = balance::diagnose(&self.passage(&self.state, self.steps), cause);
                Err(Error::Step { step: self.steps + 1, time: self.time(), cause })
            }
        }
    }

    /// Replaces subnormal numbers by zero if that is due: operations on them take a hundred times as long.
    fn flush(&mut self) {
        if self.steps.is_multiple_of(FLUSH_EVERY) {
            self.state.iter_mut().filter(|x| x.is_subnormal()).for_each(|x| *x = 0.0);
        }
    }

    /// The functions of the system.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The method.
    pub fn variant(&self) -> Variant {
        self.functions().variant
    }

    /// The time of the start, which is 0 but for [`Simulation::from_node`], and k h.
    pub fn time(&self) -> f64 {
        self.time_after(self.steps)
    }

    fn time_after(&self, k: u64) -> f64 {
        self.data[self.functions().layout.t0] + k as f64 * self.h()
    }

    /// Number k of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The step size.
    pub fn h(&self) -> f64 {
        self.data[self.functions().layout.h]
    }

    /// The parameters.
    pub fn parameters(&self) -> &[f64] {
        let layout = &self.functions().layout;
        &self.data[layout.parameters..layout.inputs]
    }

    /// The control inputs that are held.
    pub fn inputs(&self) -> &[f64] {
        let layout = &self.functions().layout;
        &self.data[layout.inputs..layout.h]
    }

    /// All numbers of the state: what the method carries beside the motion is last.
    pub fn numbers(&self) -> &[f64] {
        &self.state
    }

    fn field(&self, role: &Role) -> &[f64] {
        &self.state[self.functions().layout.state.of(role)]
    }

    /// Configuration q.
    pub fn q(&self) -> &[f64] {
        self.field(&Role::Configuration)
    }

    /// Velocities before and after the reflection at the node. They are equal for methods without reflections.
    pub fn jump(&self) -> [&[f64]; 2] {
        match self.functions().kind {
            StateKind::Node => [self.field(&Role::Velocity); 2],
            StateKind::Jump => [self.field(&Role::VelocityBefore), self.field(&Role::VelocityAfter)],
        }
    }

    /// Velocity v = dq/dt. For methods that reflect, the mean of the two velocities at the node.
    pub fn v(&self) -> Vec<f64> {
        match (self.functions().kind, self.jump()) {
            (StateKind::Node, [v, _]) => v.to_vec(),
            (StateKind::Jump, [before, after]) => mean(before, after),
        }
    }

    /// Multipliers λ of the last step, one per constraint: the reaction force is +μᵀλ. In very short steps they contain the rounding of
    /// the state, divided by the step size, with position constraints by its square; [`Simulation::acceleration`] has others.
    pub fn multipliers(&self) -> &[f64] {
        self.field(&Role::Multipliers)
    }

    /// Auxiliary states z.
    pub fn z(&self) -> &[f64] {
        self.field(&Role::States)
    }

    /// The point at which the functions of the system are evaluated.
    pub(crate) fn at<'a>(&'a self, v: &'a [f64]) -> Point<'a> {
        let (parameters, inputs) = (self.parameters(), self.inputs());
        Point { parameters, q: self.q(), v, z: self.z(), t: self.time(), inputs }
    }

    /// Momentum p = ∂L/∂v.
    pub fn p(&self) -> Vec<f64> {
        self.compiled.momentum(&self.at(&self.v()))
    }

    /// Energy E = ∂L/∂v · v − L.
    pub fn energy(&self) -> f64 {
        self.compiled.energy(&self.at(&self.v()))
    }

    /// The reaction μ(q)ᵀλ with the multipliers of the last step, a mean over the step.
    pub fn reaction(&self) -> Vec<f64> {
        self.reaction_of(self.multipliers())
    }

    /// μ(q)ᵀλ at the present state.
    fn reaction_of(&self, lambda: &[f64]) -> Vec<f64> {
        self.reaction_at(&self.at(&[]), lambda)
    }

    /// μ(q)ᵀλ. The constraints μv + μ₀ are affine in v, so the columns of μ are their differences. Inputs act on μ₀ alone.
    fn reaction_at(&self, at: &Point<'_>, lambda: &[f64]) -> Vec<f64> {
        let n = self.compiled.velocities().len();
        let mut along = vec![0.0; n];
        let inputs = vec![0.0; at.inputs.len()];
        let at = Point { inputs: &inputs, ..*at };
        let at_rest = self.compiled.residual(&Point { v: &along, ..at });
        let component = |i: usize| {
            along[i] = 1.0;
            let column = self.compiled.residual(&Point { v: &along, ..at });
            along[i] = 0.0;
            let mu = column.iter().zip(&at_rest).map(|(mu, mu_t)| mu - mu_t);
            mu.zip(lambda).fold(0.0, |sum, (mu, lambda)| sum + mu * lambda)
        };
        (0..n).map(component).collect()
    }

    /// The parasitic part of the state of a method that reflects, η = ‖½(p⁻ − p⁺) − ½h μᵀΛ(q, v)‖, as
    /// `nhi_runtime::Simulation::parasite`; of other methods none.
    ///
    /// # Errors
    /// [`Error::Acceleration`] if the equations are singular.
    pub fn parasite(&self) -> Result<Option<f64>, Error> {
        if self.functions().kind == StateKind::Node {
            return Ok(None);
        }
        let [before, after] = self.jump().map(|v| self.compiled.momentum(&self.at(v)));
        let reaction = self.reaction_of(&self.acceleration()?.lambda);
        let jumps = before.iter().zip(&after).zip(&reaction);
        let eta2 = jumps.fold(0.0, |sum, ((before, after), reaction)| {
            let eta = 0.5 * (after - before) - 0.5 * self.h() * reaction;
            sum + eta * eta
        });
        Ok(Some(eta2.sqrt()))
    }

    /// μ(q)v + μ₀(q), one number per constraint, in its unit.
    pub fn residual(&self) -> Vec<f64> {
        self.compiled.residual(&self.at(&self.v()))
    }

    /// g(q) of the position constraints, the last of the constraints, in their units.
    pub fn position_residual(&self) -> Vec<f64> {
        self.compiled.position(&self.at(&self.v()))
    }

    /// The momenta p·ξ of the symmetries that were found in the declaration, with their names, such as `p_phi`.
    pub fn momenta(&self) -> Vec<(&str, f64)> {
        let p = self.p();
        let symmetries = self.compiled.facts().symmetries.iter();
        symmetries
            .map(|(name, direction)| {
                (name.as_str(), p.iter().zip(direction).fold(0.0, |sum, (p, xi)| sum + p * xi))
            })
            .collect()
    }

    /// The nonholonomic momentum J_b = ⟨p, (0, e_b(q))⟩: one number per vector of the basis, none without a group factor.
    pub fn nonholonomic_momentum(&self) -> Vec<f64> {
        let (v, p) = (self.v(), self.p());
        let basis = self.compiled.momentum_basis(&self.at(&v));
        basis.iter().map(|e| p.iter().zip(e).fold(0.0, |sum, (p, e)| sum + p * e)).collect()
    }

    /// The residuals of the momentum equations of the next step, by the mid-point rule, with their names, as
    /// `nhi_runtime::Simulation::momentum_residuals`: those of the symmetries, of the directions along which reactions act, and
    /// of the nonholonomic momenta `J_1`, `J_2`, …. The simulation remains in its state.
    ///
    /// # Errors
    /// [`Error::Step`], and [`Error::Acceleration`] if the equations are singular.
    pub fn momentum_residuals(&self) -> Result<Vec<(String, f64)>, Error> {
        let mut next = self.clone();
        next.step()?;
        let (first, last) = (self.v(), next.v());
        let (q, v, z) = (mean(self.q(), next.q()), mean(&first, &last), mean(self.z(), next.z()));
        let t = 0.5 * (self.time() + next.time());
        let rates = self.momentum_rates(&Point { q: &q, v: &v, z: &z, t, ..self.at(&v) })?;
        let (first, last) = (self.momenta_at(&self.at(&first)), self.momenta_at(&next.at(&last)));
        let both = first.into_iter().zip(last).zip(rates);
        Ok(both.map(|(((name, j0), (_, j1)), rate)| (name, (j1 - j0) / self.h() - rate)).collect())
    }

    /// Names and values of the momenta of symmetries, of those with reactions, and of nonholonomic momenta.
    fn momenta_at(&self, at: &Point<'_>) -> Vec<(String, f64)> {
        let (names, p) = (self.compiled.facts(), self.compiled.momentum(at));
        let constant = names.symmetries.iter().chain(&names.invariances);
        let constant = constant.map(|(name, direction)| (name.clone(), product(&p, direction)));
        let basis = self.compiled.momentum_basis(at);
        let vertical = basis.iter().enumerate().map(|(b, e)| (format!("J_{}", b + 1), product(&p, e)));
        constant.chain(vertical).collect()
    }

    /// Their rates by the continuous equations.
    fn momentum_rates(&self, at: &Point<'_>) -> Result<Vec<f64>, Error> {
        let (compiled, names) = (&self.compiled, self.compiled.facts());
        let Acceleration { a, lambda } =
            compiled.acceleration(at).map_err(|cause| Error::Acceleration { cause })?;
        // M dv/dt.
        let mut inertial = compiled.momentum(&Point { v: &a, ..*at });
        let rest = vec![0.0; a.len()];
        balance::subtract(&mut inertial, &compiled.momentum(&Point { v: &rest, ..*at }));
        let reaction = self.reaction_at(at, &lambda);
        let conserved = names.symmetries.iter().map(|_| 0.0);
        let others = names.invariances.iter().map(|(_, direction)| product(&reaction, direction));
        let (basis, drift) = (compiled.momentum_basis(at), compiled.momentum_drift(at));
        let vertical = basis.iter().zip(drift).map(|(e, drift)| product(&inertial, e) + drift);
        Ok(conserved.chain(others).chain(vertical).collect())
    }

    /// dv/dt and the multipliers λ of the continuous equations at the present state and inputs.
    ///
    /// # Errors
    /// [`Error::Acceleration`] if the equations are singular.
    pub fn acceleration(&self) -> Result<Acceleration, Error> {
        self.compiled.acceleration(&self.at(&self.v())).map_err(|cause| Error::Acceleration { cause })
    }
}

/// Why a start at a point failed with `failure`.
fn diagnosed_at(compiled: &Compiled, at: &Point<'_>, h: f64, failure: Failure) -> Failure {
    balance::diagnose(&Ends::at_point(compiled, at, h), failure)
}

/// x·y
fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// ½(a + b), one entry after the other.
fn means<'a>([a, b]: [&'a [f64]; 2]) -> impl Iterator<Item = f64> + Clone + 'a {
    a.iter().zip(b).map(|(&a, &b)| f64::midpoint(a, b))
}

/// ½(a + b), entry by entry.
fn mean(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect()
}

fn has_step_size(h: f64) -> Result<(), Error> {
    if h.is_finite() && h != 0.0 { Ok(()) } else { Err(Error::StepSize { h }) }
}

fn has_length(what: &'static str, numbers: &[f64], names: &[String]) -> Result<(), Error> {
    let (expected, found) = (names.len(), numbers.len());
    if found == expected { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// Checks that the nodes of tables increase.
fn increasing(tables: &[Range<usize>], names: &[String], parameters: &[f64]) -> Result<(), Error> {
    for nodes in tables {
        for i in nodes.start + 1..nodes.end {
            if parameters[i - 1] >= parameters[i] {
                return Err(Error::Table { name: names[i].clone(), value: parameters[i] });
            }
        }
    }
    Ok(())
}

/// All of `values` are finite, or an error that names the first which is not.
fn finite(quantity: Quantity, names: &[String], values: &[f64]) -> Result<(), Error> {
    match names.iter().zip(values).find(|(_, value)| !value.is_finite()) {
        Some((name, &value)) => Err(Error::NonFinite { quantity, name: name.clone(), value }),
        None => Ok(()),
    }
}
