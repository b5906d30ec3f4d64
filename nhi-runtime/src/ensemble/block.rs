//! Blocks of trajectories, stored number by number.

use super::lane::Lane;
use crate::fields::Places;
use crate::isa::{Isa, Work};
use crate::passage::{self, Ends};
use crate::unchecked::zero_if_finite;
use crate::{
    Arithmetic, Failure, Fields, Limits, Method, Sample, SampleOf, Scalar, Separate, State, System, balance,
    method,
};
use core::convert::identity;
use core::marker::PhantomData;
use core::ops::Range;

/// Trajectories of a block: enough to hide the latency of loads and stores, and few enough that all their numbers stay in
/// the first-level cache.
pub(super) const LANES: usize = 64;

/// Steps between two checks of the results. Checks cost little at this interval.
const BATCH: u64 = 1024;

/// Steps between two tests of the energy.
const TESTED: u64 = 1024;

/// The same if lanes have to be repeated one by one in which an angle changes by more, or a pose moves further, than a
/// formula for small motions allows.
const BATCH_WITH_ROTATIONS: u64 = 256;

/// The same if lanes have to be repeated one by one in which Newton's method needs more updates.
const BATCH_WITH_NEWTON: u64 = 32;

/// Steps after a start, each with as many updates as it needs, because there is no history to extrapolate guesses from.
const FIRST_BATCH: u64 = 4;

/// Maximum of [`Speculation::backoff`].
const MAX_BACKOFF: u32 = 128;

/// One number of every trajectory.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row([f64; LANES]);

/// Rows for the numbers of a value.
fn rows<V: Fields<f64>>() -> Vec<Row> {
    vec![Row([0.0; LANES]); V::LEN]
}

/// No places in a value.
const NO_PLACES: Places = Places::new(&[]);

/// Loads the value of a lane.
#[inline(always)]
fn get<T, V: Fields<T>>(rows: &[Row], lane: usize, number: impl Fn(f64) -> T) -> V {
    let mut i = 0;
    V::read(&mut || {
        let x = rows[i].0[lane];
        i += 1;
        number(x)
    })
}

/// Stores a value in a lane, except for the numbers in `omitted` places.
#[inline(always)]
fn put<T, V: Fields<T>>(
    rows: &mut [Row],
    lane: usize,
    value: &V,
    omitted: Places,
    number: impl Fn(T) -> f64,
) {
    let mut i = 0;
    value.write(&mut |x| {
        if !omitted.contains(i) {
            rows[i].0[lane] = number(x);
        }
        i += 1;
    });
}

/// A number per lane that is zero if all numbers of the lane are finite.
struct Defects<'a>(&'a [Row]);

impl Work for Defects<'_> {
    type Output = [f64; LANES];

    #[inline(always)]
    fn run<T: Scalar>(self) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        for row in self.0 {
            for (sum, x) in sums.iter_mut().zip(row.0) {
                *sum += zero_if_finite(x);
            }
        }
        sums
    }
}

/// Copies a lane.
fn copy(from: &[Row], to: &mut [Row], lane: usize) {
    for (to, from) in to.iter_mut().zip(from) {
        to.0[lane] = from.0[lane];
    }
}

/// Why a trajectory stopped, and after how many steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Stop {
    pub(super) steps: u64,
    pub(super) cause: Failure,
}

/// The values that steps do not change.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    parameters: Vec<Row>,
    prepared: Vec<Row>,
}

impl Constants {
    pub(super) fn new<S: System, M: Method<S>>() -> Self {
        Constants { parameters: rows::<S::Parameters<f64>>(), prepared: rows::<M::Prepared<f64>>() }
    }

    pub(super) fn set<S: System, M: Method<S>>(
        &mut self,
        lane: usize,
        parameters: &S::Parameters<f64>,
        prepared: &M::Prepared<f64>,
    ) {
        put(&mut self.parameters, lane, parameters, NO_PLACES, identity);
        put(&mut self.prepared, lane, prepared, NO_PLACES, identity);
    }
}

/// A speculated number of Newton updates for all lanes, with exponential back-off. Without Newton's method, it selects the
/// formulas for sine–cosine pairs: those for small rotations (1), or all (3). The maps of groups have their formulas for
/// small motions. Lanes that need more are repeated one by one.
#[derive(Clone, Copy, Debug)]
struct Speculation {
    /// The field `updates` of `Drive` in the next `batches` batches; after them, 1.
    updates: u32,
    batches: u32,
    /// The value of `batches` after the next failure of a single update. Doubled by every failure, halved by every success,
    /// at most [`MAX_BACKOFF`].
    backoff: u32,
}

impl Speculation {
    /// Whether the steps of a method depend on the speculation.
    const fn applies<S: System, M: Method<S>>() -> bool {
        (M::TRAITS.has_newton || M::TRAITS.has_recurrence || M::TRAITS.has_maps) && !M::TRAITS.scalar_only
    }

    fn new() -> Speculation {
        Speculation { updates: 0, batches: 1, backoff: 1 }
    }

    fn next(&mut self) -> u32 {
        match self.batches.checked_sub(1) {
            Some(left) => self.batches = left,
            None => self.updates = 1,
        }
        self.updates
    }

    fn back_off(&mut self, updates: u32) -> u32 {
        let backoff = (2 * self.backoff).min(MAX_BACKOFF);
        *self = Speculation { updates, batches: self.backoff, backoff };
        updates
    }

    /// The next option if `updates` is not enough for many lanes.
    fn after<S: System, M: Method<S>>(updates: u32) -> Option<u32> {
        match updates {
            1 if M::TRAITS.has_derivatives => Some(2),
            1 | 2 => Some(3),
            _ => None,
        }
    }

    fn confirm(&mut self) {
        self.backoff = (self.backoff / 2).max(1);
    }
}

/// Some trajectories, stored number by number.
#[derive(Clone, Debug)]
pub(super) struct Block {
    state: Vec<Row>,
    /// The states at the beginning of a batch.
    before: Vec<Row>,
    /// The states at the last test of the energy.
    tested: Vec<Row>,
    inputs: Vec<Row>,
    /// Empty if all trajectories have the same constants.
    own: Option<Constants>,
    speculation: Speculation,
    /// One entry per trajectory.
    pub(super) stopped: Vec<Option<Stop>>,
}

/// The values that all trajectories of an ensemble have in common.
pub(super) struct Common<'a, M> {
    pub(super) method: &'a M,
    pub(super) shared: Option<&'a Constants>,
    pub(super) h: f64,
    pub(super) isa: Isa,
    pub(super) limits: Limits,
}

impl Block {
    /// A block without trajectories. With `own`, each trajectory has constants of its own.
    pub(super) fn new<S: System, M: Method<S>>(own: bool) -> Self {
        Block {
            state: rows::<M::State<f64>>(),
            before: rows::<M::State<f64>>(),
            tested: rows::<M::State<f64>>(),
            inputs: rows::<S::Inputs<f64>>(),
            own: own.then(Constants::new::<S, M>),
            speculation: Speculation::new(),
            stopped: Vec::with_capacity(LANES),
        }
    }

    /// Adds a trajectory.
    pub(super) fn push<S: System, M: Method<S>>(&mut self, state: &M::State<f64>, inputs: &S::Inputs<f64>) {
        let lane = self.stopped.len();
        self.stopped.push(None);
        self.set_state::<S, M>(lane, state);
        self.set_inputs::<S>(lane, inputs);
    }

    pub(super) fn own(&mut self) -> Option<&mut Constants> {
        self.own.as_mut()
    }

    pub(super) fn state<S: System, M: Method<S>>(&self, lane: usize) -> M::State<f64> {
        get(&self.state, lane, identity)
    }

    pub(super) fn set_state<S: System, M: Method<S>>(&mut self, lane: usize, state: &M::State<f64>) {
        put(&mut self.state, lane, state, NO_PLACES, identity);
    }

    pub(super) fn inputs<S: System>(&self, lane: usize) -> S::Inputs<f64> {
        get(&self.inputs, lane, identity)
    }

    pub(super) fn set_inputs<S: System>(&mut self, lane: usize, inputs: &S::Inputs<f64>) {
        put(&mut self.inputs, lane, inputs, NO_PLACES, identity);
    }

    /// The sample of a lane. Lanes that did not stop have taken `steps` steps.
    pub(super) fn sample<S: System, M: Method<S>>(
        &self,
        lane: usize,
        shared: Option<&Constants>,
        h: f64,
        steps: u64,
    ) -> SampleOf<S> {
        let k = self.stopped[lane].map_or(steps, |stop| stop.steps);
        let state = self.state::<S, M>(lane);
        let (q, v) = (state.q(), state.v());
        let constants = self.own.as_ref().or(shared).map_or(&[][..], |c| &c.parameters);
        let parameters: S::Parameters<f64> = get(constants, lane, identity);
        let t = k as f64 * h;
        let (p, energy) = (S::momentum(&parameters, &q, &v, t), S::energy(&parameters, &q, &v, t));
        Sample { k, t, q, v, p, lambda: state.lambda(), z: state.z(), energy }
    }

    /// `quantity` for all trajectories of this block, which is the `b`-th.
    pub(super) fn observe<S: System, M: Method<S>, R>(
        &self,
        b: usize,
        shared: Option<&Constants>,
        h: f64,
        steps: u64,
        quantity: &impl Fn(usize, &SampleOf<S>) -> R,
    ) -> Vec<R> {
        let lanes = 0..self.stopped.len();
        lanes.map(|lane| quantity(b * LANES + lane, &self.sample::<S, M>(lane, shared, h, steps))).collect()
    }

    /// Takes the steps from number `from` + 1 to `from` + `steps` in all lanes that did not stop.
    pub(super) fn advance<S: System, M: Method<S>, A: Arithmetic>(
        &mut self,
        common: &Common<'_, M>,
        from: u64,
        steps: u64,
    ) {
        let end = from + steps;
        let mut from = from;
        while from < end && self.stopped.contains(&None) {
            let count = (end - from).min(TESTED);
            self.tested.copy_from_slice(&self.state);
            let mut running = [false; LANES];
            running.iter_mut().zip(&self.stopped).for_each(|(running, stopped)| *running = stopped.is_none());
            self.advance_untested::<S, M, A>(common, from, count);
            for lane in (0..self.stopped.len()).filter(|&lane| running[lane]) {
                // A step that multiplied the energy may come before the one that failed.
                let is_stopped = self.stopped[lane].take().is_some();
                if is_stopped || self.is_suspicious::<S, M>(common, lane, from..from + count) {
                    copy(&self.tested, &mut self.state, lane);
                    self.repeat::<S, M>(common, lane, from..from + count);
                }
            }
            from += count;
        }
    }

    /// Whether these steps of a lane may contain one that multiplied the energy.
    fn is_suspicious<S: System, M: Method<S>>(
        &self,
        common: &Common<'_, M>,
        lane: usize,
        Range { start, end }: Range<u64>,
    ) -> bool {
        let Some(constants) = self.own.as_ref().or(common.shared) else { return false };
        let parameters: S::Parameters<f64> = get(&constants.parameters, lane, identity);
        let states: [M::State<f64>; 2] = [&self.tested, &self.state].map(|rows| get(rows, lane, identity));
        let times = [start, end].map(|k| k as f64 * common.h);
        let before = passage::kinetic::<S, f64>(&parameters, &states[0], times[0]);
        let after = passage::kinetic_of_jump::<S, f64>(&parameters, &states[1], times[1]);
        let inputs = self.inputs::<S>(lane);
        let ends = Ends::<S>::new(&parameters, common.h, times, &inputs, [&states[0], &states[1]]);
        let at = (times[1], common.h);
        balance::is_suspicious(&ends, before, after)
            || passage::resolves::<S, f64>(&common.limits, &parameters, at, &inputs, &states[1]).is_err()
    }

    /// Takes these steps in one lane, each with all tests, until one fails.
    fn repeat<S: System, M: Method<S>>(&mut self, common: &Common<'_, M>, lane: usize, steps: Range<u64>) {
        let &Common { method, h, ref limits, .. } = common;
        let Some(constants) = self.own.as_ref().or(common.shared) else { return };
        let parameters: S::Parameters<f64> = get(&constants.parameters, lane, identity);
        let prepared: M::Prepared<f64> = get(&constants.prepared, lane, identity);
        let (mut state, inputs) = (self.state::<S, M>(lane), self.inputs::<S>(lane));
        let mut kinetic = f64::NAN;
        for k in steps {
            let at = (k, k as f64 * h);
            let stepped =
                method::step::<S, M, f64>(method, &prepared, &mut state, at, &inputs, |now, next| {
                    let (at, ends) = ((at.1, h), [now, next]);
                    kinetic = passage::test::<S, f64>(limits, &parameters, at, &inputs, ends, kinetic)?;
                    Ok(())
                });
            if let Err(cause) = stepped {
                let cause = passage::diagnosed::<S, f64>(&parameters, (at.1, h), &inputs, &state, cause);
                self.stopped[lane] = Some(Stop { steps: k, cause });
                break;
            }
        }
        self.set_state::<S, M>(lane, &state);
    }

    /// As [`Block::advance`]; the energy is tested only of steps that are repeated.
    fn advance_untested<S: System, M: Method<S>, A: Arithmetic>(
        &mut self,
        common: &Common<'_, M>,
        from: u64,
        steps: u64,
    ) {
        let end = from + steps;
        let mut from = from;
        while from < end && self.stopped.contains(&None) {
            let batch = match (Speculation::applies::<S, M>(), from) {
                (true, 0) => FIRST_BATCH,
                _ if M::TRAITS.has_newton => BATCH_WITH_NEWTON,
                _ if M::TRAITS.has_recurrence || M::TRAITS.has_maps => BATCH_WITH_ROTATIONS,
                _ => BATCH,
            };
            let count = (end - from).min(batch);
            let defects = self.take_steps::<S, M, A>(common, from, count);
            for (lane, defect) in defects.into_iter().enumerate().take(self.stopped.len()) {
                if let (None, 0.0) = (self.stopped[lane], defect) {
                    continue;
                }
                // A step of the batch failed, or the lane has stopped: repeat it with a check after every step.
                copy(&self.before, &mut self.state, lane);
                if self.stopped[lane].is_none() {
                    self.repeat::<S, M>(common, lane, from..from + count);
                }
            }
            from += count;
        }
    }

    /// Takes `count` steps in all lanes and stores the initial states in `before`. Returns a number per lane that is zero if
    /// all numbers of the lane are finite.
    fn take_steps<S: System, M: Method<S>, A: Arithmetic>(
        &mut self,
        common: &Common<'_, M>,
        from: u64,
        count: u64,
    ) -> [f64; LANES] {
        let &Common { method, shared, h, isa, .. } = common;
        self.before.copy_from_slice(&self.state);
        let Block { state, before, inputs, own, speculation, stopped, .. } = self;
        let Some(Constants { prepared, .. }) = own.as_ref().or(shared) else { return [0.0; LANES] };
        let run = |state: &mut [Row], lanes: Range<usize>, updates| {
            for Range { start, end } in method::parts::<S, M>(from..from + count) {
                let (from, count, system) = (start, end - start, PhantomData);
                if method::resync_is_due::<S, M>(from) {
                    isa.run::<_, A>(Resync::<S, M> { method, state, lanes: lanes.clone(), system });
                }
                let batch = Batch::<S, M> {
                    method,
                    prepared,
                    inputs,
                    state,
                    lanes: lanes.clone(),
                    updates,
                    h,
                    from,
                    count,
                    system,
                };
                isa.run::<_, A>(batch);
                if end.is_multiple_of(method::FLUSH_EVERY) {
                    for x in state.iter_mut().flat_map(|row| &mut row.0[lanes.clone()]) {
                        *x = method::flushed(*x);
                    }
                }
            }
            isa.run::<_, Separate>(Defects(state))
        };
        let lanes = stopped.len();
        if !Speculation::applies::<S, M>() {
            return run(state, 0..lanes, 0);
        }
        let mut updates = speculation.next();
        let mut defects = run(state, 0..lanes, updates);
        let is_wrong = |defects: &[f64; LANES], lane: usize| stopped[lane].is_none() && defects[lane] != 0.0;
        let wrong = |defects: &[f64; LANES]| (0..lanes).filter(|&lane| is_wrong(defects, lane)).count();
        // Steps with two updates take twice as long. Steps of one lane alone take as long as those of ten lanes together.
        while let Some(next) = Speculation::after::<S, M>(updates)
            && 10 * wrong(&defects) > lanes
        {
            updates = speculation.back_off(next);
            state.copy_from_slice(before);
            defects = run(state, 0..lanes, updates);
        }
        if updates == 1 {
            speculation.confirm();
        }
        if updates > 0 {
            if 4 * wrong(&defects) > 3 * lanes {
                speculation.back_off(0);
            }
            for lane in 0..lanes {
                if is_wrong(&defects, lane) {
                    copy(before, state, lane);
                    defects[lane] = run(state, lane..lane + 1, 0)[lane];
                }
            }
        }
        defects
    }
}

/// The re-synchronisation of all lanes. It is separate from steps, so that both loops over lanes are vectorised.
struct Resync<'a, S, M> {
    method: &'a M,
    state: &'a mut [Row],
    lanes: Range<usize>,
    system: PhantomData<fn() -> S>,
}

impl<S: System, M: Method<S>> Work for Resync<'_, S, M> {
    type Output = ();

    #[inline(always)]
    fn run<T: Scalar>(self) {
        let Resync { method, state, lanes, .. } = self;
        assert_eq!(state.len(), <M::State<f64> as Fields<f64>>::LEN);
        assert!(lanes.end <= LANES);
        for lane in lanes {
            let now: M::State<Lane<T, 0>> = get(state, lane, Lane::from_f64);
            put(state, lane, &method.resync(&now), NO_PLACES, Lane::to_f64);
        }
    }
}

/// A batch of steps whose results are checked once, after the last one.
struct Batch<'a, S, M> {
    method: &'a M,
    prepared: &'a [Row],
    inputs: &'a [Row],
    state: &'a mut [Row],
    lanes: Range<usize>,
    /// Updates of Newton's method; 0: as many as are needed.
    updates: u32,
    h: f64,
    from: u64,
    count: u64,
    system: PhantomData<fn() -> S>,
}

impl<S: System, M: Method<S>> Work for Batch<'_, S, M> {
    type Output = ();

    #[inline(always)]
    fn run<T: Scalar>(self) {
        // With these lengths the compiler knows that the loop cannot panic, and vectorises it.
        assert_eq!(self.prepared.len(), <M::Prepared<f64> as Fields<f64>>::LEN);
        assert_eq!(self.inputs.len(), <S::Inputs<f64> as Fields<f64>>::LEN);
        assert_eq!(self.state.len(), <M::State<f64> as Fields<f64>>::LEN);
        assert!(self.lanes.end <= LANES);
        if const { M::TRAITS.scalar_only } {
            // Without fused operations, which are no gain here.
            return self.one_by_one::<Separate>();
        }
        if const { !M::TRAITS.has_newton && !M::TRAITS.has_recurrence && !M::TRAITS.has_maps } {
            return self.side_by_side::<Lane<T, 0>>();
        }
        match self.updates {
            1 => return self.side_by_side::<Lane<T, 1>>(),
            2 if const { M::TRAITS.has_derivatives } => return self.side_by_side::<Lane<T, 2>>(),
            3 if const { M::TRAITS.has_newton } => return self.side_by_side::<Lane<T, 3>>(),
            3 => return self.side_by_side::<Lane<T, 0>>(),
            _ => {}
        }
        self.one_by_one::<T>();
    }
}

impl<S: System, M: Method<S>> Batch<'_, S, M> {
    /// All lanes together, step by step.
    #[inline(always)]
    fn side_by_side<T: Scalar>(mut self) {
        let last = self.from + self.count - 1;
        for k in self.from..last {
            self.step::<T>(k, const { Places::new(M::TRAITS.dead) });
        }
        self.step::<T>(last, NO_PLACES);
    }

    /// Step number `k` + 1. Results in `omitted` places are not stored. Inlined, so that the places are constants; without
    /// optimisation that would compile the step once more.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn step<T: Scalar>(&mut self, k: u64, omitted: Places) {
        let Batch { method, prepared, inputs, state, lanes, h, .. } = self;
        let t = T::from_f64(k as f64 * *h);
        for lane in 0..lanes.end {
            let prepared: M::Prepared<T> = get(prepared, lane, T::from_f64);
            let inputs: S::Inputs<T> = get(inputs, lane, T::from_f64);
            let now: M::State<T> = get(state, lane, T::from_f64);
            let next = method.step(&prepared, &now, t, &inputs).unwrap_or_else(|_| all_nan());
            put(state, lane, &next, omitted, T::to_f64);
        }
    }

    /// One lane after the other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn one_by_one<T: Scalar>(self) {
        let Batch { method, prepared, inputs, state, lanes, h, from, count, .. } = self;
        for lane in lanes {
            let prepared: M::Prepared<T> = get(prepared, lane, T::from_f64);
            let inputs: S::Inputs<T> = get(inputs, lane, T::from_f64);
            let mut now: M::State<T> = get(state, lane, T::from_f64);
            for k in from..from + count {
                let t = T::from_f64(k as f64 * h);
                now = method.step(&prepared, &now, t, &inputs).unwrap_or_else(|_| all_nan());
            }
            put(state, lane, &now, NO_PLACES, T::to_f64);
        }
    }
}

/// A value whose numbers are NaN.
#[inline(always)]
fn all_nan<T: Scalar, V: Fields<T>>() -> V {
    V::read(&mut || T::from_f64(f64::NAN))
}
