//! Some trajectories side by side.

use super::lane::Lane;
use crate::fields::Places;
use crate::isa::{Isa, Work};
use crate::unchecked::zero_if_finite;
use crate::{Arithmetic, Failure, Fields, Method, Sample, SampleOf, Scalar, Separate, State, System, method};
use core::marker::PhantomData;
use core::ops::Range;

/// Trajectories of a block: enough to hide what storing and loading costs, and few enough that all their
/// numbers stay in the first cache.
pub(super) const LANES: usize = 64;

/// Steps between two looks at the results: many beside what a look costs.
const STRIDE: u64 = 1024;

/// The same where lanes may have to be computed apart because one step turns an angle by more than the others.
const STRIDE_OF_TURNS: u64 = 256;

/// The same where they may because one step needs more updates.
const STRIDE_OF_UPDATES: u64 = 32;

/// Steps after a start, each with as many updates as it needs: the guesses know nothing of the motion yet.
const FIRST_STRIDE: u64 = 4;

/// Most strides after which it is tried with a single update again: twice as many after every try in vain, half as many
/// after every other.
const MOST_PATIENCE: u32 = 128;

/// One number of every trajectory.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row([f64; LANES]);

/// Rows for the numbers of a value.
fn rows<V: Fields<f64>>() -> Vec<Row> {
    vec![Row([0.0; LANES]); V::LEN]
}

/// No places in a value.
const NOWHERE: Places = Places::new(&[]);

/// The value of a lane.
#[inline(always)]
fn get<T, V: Fields<T>>(rows: &[Row], lane: usize, number: impl Fn(f64) -> T) -> V {
    let mut i = 0;
    V::read(&mut || {
        let x = rows[i].0[lane];
        i += 1;
        number(x)
    })
}

/// Puts a value into a lane, but for the numbers in `omitted` places.
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

/// The same number.
fn same(x: f64) -> f64 {
    x
}

/// Of every lane: zero if all its numbers are finite.
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

/// What steps do not change.
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
        put(&mut self.parameters, lane, parameters, NOWHERE, same);
        put(&mut self.prepared, lane, prepared, NOWHERE, same);
    }
}

/// How many updates Newton's method makes in all lanes, one or two; without it, whether angles turn by little from step
/// to step, one, or by anything, two. One step may need more than most.
#[derive(Clone, Copy, Debug)]
struct Updates {
    /// [`Scalar::UPDATES`]: 1, or in the next strides, as many as `strides`, others.
    number: u32,
    strides: u32,
    /// What `strides` is set to when one update is not enough.
    patience: u32,
}

impl Updates {
    /// Whether lanes are computed side by side, but for those in which Newton's method needs more updates.
    const fn matter<S: System, M: Method<S>>() -> bool {
        (M::ITERATES || M::TURNS) && !M::APART
    }

    fn new() -> Updates {
        Updates { number: 0, strides: 1, patience: 1 }
    }

    fn next(&mut self) -> u32 {
        match self.strides.checked_sub(1) {
            Some(left) => self.strides = left,
            None => self.number = 1,
        }
        self.number
    }

    fn set(&mut self, number: u32) -> u32 {
        let patience = (2 * self.patience).min(MOST_PATIENCE);
        *self = Updates { number, strides: self.patience, patience };
        number
    }

    /// What to try where `number` is not enough for many lanes.
    fn after<S: System, M: Method<S>>(number: u32) -> Option<u32> {
        match number {
            1 if M::BENDS => Some(2),
            1 | 2 => Some(3),
            _ => None,
        }
    }

    fn is_enough(&mut self) {
        self.patience = (self.patience / 2).max(1);
    }
}

/// Trajectories number by number.
#[derive(Clone, Debug)]
pub(super) struct Block {
    state: Vec<Row>,
    /// The states at the beginning of a stride.
    before: Vec<Row>,
    inputs: Vec<Row>,
    /// Empty if all trajectories have the same constants.
    own: Option<Constants>,
    updates: Updates,
    /// One per trajectory.
    pub(super) stopped: Vec<Option<Stop>>,
}

/// What all trajectories of an ensemble have in common.
pub(super) struct Common<'a, M> {
    pub(super) method: &'a M,
    pub(super) shared: Option<&'a Constants>,
    pub(super) h: f64,
    pub(super) isa: Isa,
}

impl Block {
    /// No trajectories yet, which will have constants of their own or not.
    pub(super) fn new<S: System, M: Method<S>>(own: bool) -> Self {
        Block {
            state: rows::<M::State<f64>>(),
            before: rows::<M::State<f64>>(),
            inputs: rows::<S::Inputs<f64>>(),
            own: own.then(Constants::new::<S, M>),
            updates: Updates::new(),
            stopped: Vec::with_capacity(LANES),
        }
    }

    /// One more trajectory.
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
        get(&self.state, lane, same)
    }

    pub(super) fn set_state<S: System, M: Method<S>>(&mut self, lane: usize, state: &M::State<f64>) {
        put(&mut self.state, lane, state, NOWHERE, same);
    }

    pub(super) fn inputs<S: System>(&self, lane: usize) -> S::Inputs<f64> {
        get(&self.inputs, lane, same)
    }

    pub(super) fn set_inputs<S: System>(&mut self, lane: usize, inputs: &S::Inputs<f64>) {
        put(&mut self.inputs, lane, inputs, NOWHERE, same);
    }

    /// The sample of a lane, when those that did not stop have taken `steps` steps.
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
        let parameters: S::Parameters<f64> = get(constants, lane, same);
        let (p, energy) = (S::momentum(&parameters, &q, &v), S::energy(&parameters, &q, &v));
        Sample { k, t: k as f64 * h, q, v, p, lambda: state.lambda(), energy }
    }

    /// `quantity` of all trajectories, of which this block is the `b`-th.
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

    /// The steps from number `from` + 1 to `from` + `steps` of all lanes that did not stop.
    pub(super) fn advance<S: System, M: Method<S>, A: Arithmetic>(
        &mut self,
        common: &Common<'_, M>,
        from: u64,
        steps: u64,
    ) {
        let &Common { method, shared, h, .. } = common;
        let end = from + steps;
        let mut from = from;
        while from < end && self.stopped.contains(&None) {
            let stride = match (Updates::matter::<S, M>(), from) {
                (true, 0) => FIRST_STRIDE,
                _ if M::ITERATES => STRIDE_OF_UPDATES,
                _ if M::TURNS => STRIDE_OF_TURNS,
                _ => STRIDE,
            };
            let count = (end - from).min(stride);
            let defects = self.take_steps::<S, M, A>(common, from, count);
            let Block { state, before, inputs, own, stopped, .. } = self;
            let Some(Constants { prepared, .. }) = own.as_ref().or(shared) else { return };
            for (lane, (stopped, defect)) in stopped.iter_mut().zip(defects).enumerate() {
                if stopped.is_none() && defect == 0.0 {
                    continue;
                }
                // Something is wrong on the way: these steps one by one, looking at each.
                let mut state_of_lane: M::State<f64> = get(before, lane, same);
                let (prepared, inputs) = (get(prepared, lane, same), get(inputs, lane, same));
                for k in from..from + count {
                    if stopped.is_some() {
                        break;
                    }
                    let t = k as f64 * h;
                    if let Err(cause) =
                        method::step::<S, M, f64>(method, &prepared, &mut state_of_lane, k, t, &inputs)
                    {
                        *stopped = Some(Stop { steps: k, cause });
                    }
                }
                put(state, lane, &state_of_lane, NOWHERE, same);
            }
            from += count;
        }
    }

    /// `count` steps of all lanes, with the states that they began with in `before`. Zero for every lane of
    /// which all numbers are finite.
    fn take_steps<S: System, M: Method<S>, A: Arithmetic>(
        &mut self,
        common: &Common<'_, M>,
        from: u64,
        count: u64,
    ) -> [f64; LANES] {
        let &Common { method, shared, h, isa } = common;
        self.before.copy_from_slice(&self.state);
        let Block { state, before, inputs, own, updates, stopped } = self;
        let Some(Constants { prepared, .. }) = own.as_ref().or(shared) else { return [0.0; LANES] };
        let run = |state: &mut [Row], lanes: Range<usize>, updates| {
            for Range { start, end } in method::renewals::<S, M>(from..from + count) {
                let (from, count, system) = (start, end - start, PhantomData);
                if method::is_due::<S, M>(from) {
                    isa.run::<_, A>(Renewal::<S, M> { method, state, lanes: lanes.clone(), system });
                }
                let stride = Stride::<S, M> {
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
                isa.run::<_, A>(stride);
                if end.is_multiple_of(method::SETTLING) {
                    for x in state.iter_mut().flat_map(|row| &mut row.0[lanes.clone()]) {
                        *x = method::settled(*x);
                    }
                }
            }
            isa.run::<_, Separate>(Defects(state))
        };
        let lanes = stopped.len();
        if !Updates::matter::<S, M>() {
            return run(state, 0..lanes, 0);
        }
        let mut number = updates.next();
        let mut defects = run(state, 0..lanes, number);
        let is_wrong = |defects: &[f64; LANES], lane: usize| stopped[lane].is_none() && defects[lane] != 0.0;
        let wrong = |defects: &[f64; LANES]| (0..lanes).filter(|&lane| is_wrong(defects, lane)).count();
        // Steps with two updates take twice as long; those of one lane as long as of ten side by side.
        while let Some(next) = Updates::after::<S, M>(number)
            && 10 * wrong(&defects) > lanes
        {
            number = updates.set(next);
            state.copy_from_slice(before);
            defects = run(state, 0..lanes, number);
        }
        if number == 1 {
            updates.is_enough();
        }
        if number > 0 {
            if 4 * wrong(&defects) > 3 * lanes {
                updates.set(0);
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

/// States renewed; apart from steps, so that the loops over lanes are each one over vectors.
struct Renewal<'a, S, M> {
    method: &'a M,
    state: &'a mut [Row],
    lanes: Range<usize>,
    system: PhantomData<fn() -> S>,
}

impl<S: System, M: Method<S>> Work for Renewal<'_, S, M> {
    type Output = ();

    #[inline(always)]
    fn run<T: Scalar>(self) {
        let Renewal { method, state, lanes, .. } = self;
        assert_eq!(state.len(), <M::State<f64> as Fields<f64>>::LEN);
        assert!(lanes.end <= LANES);
        for lane in lanes {
            let now: M::State<Lane<T, 0>> = get(state, lane, Lane::from_f64);
            put(state, lane, &method.renewed(&now), NOWHERE, Lane::to_f64);
        }
    }
}

/// Steps of lanes that nobody looks at.
struct Stride<'a, S, M> {
    method: &'a M,
    prepared: &'a [Row],
    inputs: &'a [Row],
    state: &'a mut [Row],
    lanes: Range<usize>,
    /// Of Newton's method; 0: as many as are needed.
    updates: u32,
    h: f64,
    from: u64,
    count: u64,
    system: PhantomData<fn() -> S>,
}

impl<S: System, M: Method<S>> Work for Stride<'_, S, M> {
    type Output = ();

    #[inline(always)]
    fn run<T: Scalar>(self) {
        // With these lengths known, nothing in the loop can panic, and it becomes one over vectors.
        assert_eq!(self.prepared.len(), <M::Prepared<f64> as Fields<f64>>::LEN);
        assert_eq!(self.inputs.len(), <S::Inputs<f64> as Fields<f64>>::LEN);
        assert_eq!(self.state.len(), <M::State<f64> as Fields<f64>>::LEN);
        assert!(self.lanes.end <= LANES);
        if const { M::APART } {
            // Numbers that wait for a sum are no gain here.
            return self.one_by_one::<Separate>();
        }
        if const { !M::ITERATES && !M::TURNS } {
            return self.side_by_side::<Lane<T, 0>>();
        }
        match self.updates {
            1 => return self.side_by_side::<Lane<T, 1>>(),
            2 if const { M::BENDS } => return self.side_by_side::<Lane<T, 2>>(),
            3 if const { M::ITERATES } => return self.side_by_side::<Lane<T, 3>>(),
            3 => return self.side_by_side::<Lane<T, 0>>(),
            _ => {}
        }
        self.one_by_one::<T>();
    }
}

impl<S: System, M: Method<S>> Stride<'_, S, M> {
    /// The lanes from the first one on.
    #[inline(always)]
    fn side_by_side<T: Scalar>(mut self) {
        let last = self.from + self.count - 1;
        for k in self.from..last {
            self.step::<T>(k, const { Places::new(M::UNREAD) });
        }
        self.step::<T>(last, NOWHERE);
    }

    /// Step number `k` + 1, of whose results those in `omitted` places are not stored.
    #[inline(always)]
    fn step<T: Scalar>(&mut self, k: u64, omitted: Places) {
        let Stride { method, prepared, inputs, state, lanes, h, .. } = self;
        let t = T::from_f64(k as f64 * *h);
        for lane in 0..lanes.end {
            let prepared: M::Prepared<T> = get(prepared, lane, T::from_f64);
            let inputs: S::Inputs<T> = get(inputs, lane, T::from_f64);
            let now: M::State<T> = get(state, lane, T::from_f64);
            let next = method.step(&prepared, &now, t, &inputs).unwrap_or_else(|_| nothing());
            put(state, lane, &next, omitted, T::to_f64);
        }
    }

    #[inline(always)]
    fn one_by_one<T: Scalar>(self) {
        let Stride { method, prepared, inputs, state, lanes, h, from, count, .. } = self;
        for lane in lanes {
            let prepared: M::Prepared<T> = get(prepared, lane, T::from_f64);
            let inputs: S::Inputs<T> = get(inputs, lane, T::from_f64);
            let mut now: M::State<T> = get(state, lane, T::from_f64);
            for k in from..from + count {
                let t = T::from_f64(k as f64 * h);
                now = method.step(&prepared, &now, t, &inputs).unwrap_or_else(|_| nothing());
            }
            put(state, lane, &now, NOWHERE, T::to_f64);
        }
    }
}

/// Not numbers.
#[inline(always)]
fn nothing<T: Scalar, V: Fields<T>>() -> V {
    V::read(&mut || T::from_f64(f64::NAN))
}
