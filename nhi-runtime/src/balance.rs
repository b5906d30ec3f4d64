//! Whether a step explains the kinetic energy that it ends with.
//!
//! Near dependent one-forms the equations of a step still have a solution, Newton's method finds it, and all numbers are
//! finite, but the solution has lost its meaning. The distribution of admissible velocities turns by almost a right angle φ
//! within the step, and an impulse that takes a velocity from one distribution onto the other multiplies its energy by up to
//! 1/cos²φ. That is visible in the energy first. A step is therefore accepted if
//!
//! ```text
//! (1)  T₁ ≤ K (T₀ + max(0, V₀ − V₁) + T_d) + 2 h² A,
//! ```
//!
//! where T = ½ vᵀMv, and V is the energy at rest. T_d is the energy of the slowest admissible velocity w after the step, which
//! is zero unless a constraint is driven. A = ½ aᵀMa with the acceleration a of the system at rest, or where and as fast as the
//! drives move it in the step: forces change the velocity by about h a in the kinetic metric, and √T₁ ≤ √T₀ + h √A implies
//! T₁ ≤ 2 T₀ + 2 h² A. Velocities that move the configuration by less than its rounding are not
//! tested. T₀ of a method that reflects contains the energy of its parasitic mode, which the motion exchanges energy with.
//!
//! Where neither forces nor drives do work, a potential that rises takes what it rises by from T₀,
//!
//! ```text
//! (1r)  T₁ + max(0, V₁ − V₀) ≤ K (T₀ + max(0, V₀ − V₁)) + 4 h² A.
//! ```
//!
//! An explicit method beyond its limit of stability adds to both energies at every step, and the force before the step explains the
//! kinetic one: v₁ = h a has T₁ = h² A. From rest at a spring of frequency ω, (1r) accepts such a step for h ω ≤ √5; the limit of
//! stability is h ω = 2.
//!
//! A drive may change from one step to the next: a motor starts, stops or reverses. Admissible velocities are v = w + d, where
//! d is admissible if nothing is driven, and w is orthogonal to all such d in the kinetic metric. The impulse that takes v₀ to
//! the new constraints leaves d and replaces w₀ by w₁, so T₁ = T₀ − T(w₀) + T(w₁) ≤ T₀ + T_d. If the drive stops, nothing may
//! remain of T₀.
//!
//! Every step computes T₁, and the rest of (1) only if T₁ > 2 T₀. The angle and the condition numbers are computed only of
//! steps for which (1) does not hold with K = 2.
//!
//! The reversed step gains the energy that the step loses. A step for which (1) with exchanged ends does not hold may have lost
//! energy by friction, or by a drive that stopped. If there are forces or drives, it is refused only if the distribution also
//! turns.
//!
//! Methods that reflect keep the velocities v ∓ w before and after a node, where w = h/2 M⁻¹μᵀλ. Near a singular M, w can be much
//! larger than v, and M w much smaller than its terms: Σ Mᵢᵢwᵢ² ≫ wᵀMw. The momentum M(v + w) with which a step departs is then
//! rounding, by the part ε (Σ Mᵢᵢwᵢ²/wᵀMw) of w, and so is the velocity of the step. It is refused if this is more than a
//! small part of v,
//!
//! ```text
//! (2)  ε (D(w)/wᵀMw) √(D(w)/D(v)) > 10⁻⁴,  D(x) = Σ Mᵢᵢxᵢ².
//! ```

use crate::method::FLUSH_EVERY;
use crate::{Failure, Forms, Scalar};

/// When a step is refused although its results are finite: it ends with more kinetic energy than it can explain.
///
/// A step from t to t + h is accepted if T₁ ≤ K (T₀ + max(0, V₀ − V₁) + T_d) + 2 h² A, with the kinetic energies T before
/// and after it, and the energies V at rest. T_d is the kinetic energy of the slowest admissible velocity at its end, which
/// is zero unless constraints are driven, and A = ½ aᵀMa, where a is the acceleration of the system at rest, or at the slowest
/// admissible velocity, by its forces. Without forces and drives, also T₁ + max(0, V₁ − V₀) ≤ K (T₀ + max(0, V₀ − V₁)) + 4 h² A.
/// A step that only satisfies this inequality for a K above 2 is also refused if the distribution of admissible velocities
/// turns by more than the angle of [`Limits::cosine`] between its ends. So is a step that loses energy, if the inequality
/// does not hold for the reversed step, and there are neither forces nor drives, or the distribution turns by that much in two
/// parts, or one-forms are dependent up to rounding.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// K, the largest factor by which one step may multiply the kinetic energy, at least 2. Infinity switches this test off.
    pub growth: f64,
    /// The smallest cosine of the largest principal angle, in the kinetic metric, between the distributions of admissible
    /// velocities before and after a step. Zero switches this test off.
    pub cosine: f64,
}

impl Limits {
    /// K = 10 and the cosine 0.3: an angle with this cosine can multiply energies by 11.
    pub const DEFAULT: Limits = Limits { growth: 10.0, cosine: 0.3 };
    /// Every step with finite results is accepted.
    pub const NONE: Limits = Limits { growth: f64::INFINITY, cosine: 0.0 };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// A factor that needs no explanation: order of magnitude of the error of a step that is too large.
const ORDINARY: f64 = 2.0;

/// The condition number of the scaled μM⁻¹μᵀ, or of the scaled mass matrix, above which a step that fails counts as near a
/// singularity. Two one-forms with an angle of 11° in the kinetic metric have this one.
const LARGE_CONDITION: f64 = 100.0;

/// A component of the nearly dependent combination of one-forms below this fraction of its largest one does not count.
const INVOLVED: f64 = 0.1;

/// Rounding errors of a configuration, or of an energy, that are neglected, in units of the last place.
const ROUNDING: f64 = 16.0;

/// Velocities at a node are far from their mean if this differs by a larger factor: the digits that M w loses are multiplied by it.
const FAR: f64 = 64.0;

/// The largest part of a velocity that may be rounding, squared.
const LARGEST_LOSS_2: f64 = 1e-8;

/// The part of D(w) that counts as motion. At rest, rounding is compared with w.
const AT_REST: f64 = 1e-8;

/// Nodes of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Before it.
    First,
    /// Half-way: the mean of all numbers.
    Middle,
    /// After it.
    Last,
}

/// Where one-forms are compared. Methods evaluate constraints at the ends of a step, in its middle, or at both.
const NODES: [End; 3] = [End::First, End::Middle, End::Last];

/// A finished step, and the functions of its system. Vectors have one entry per velocity, or per constraint.
pub trait Passage {
    /// One number per velocity.
    type Velocity: AsRef<[f64]> + AsMut<[f64]>;
    /// One number per constraint.
    type Multipliers: AsRef<[f64]> + AsMut<[f64]>;
    /// A vector per velocity.
    type Mass: AsMut<[Self::Velocity]>;
    /// A vector per constraint.
    type Forms: AsRef<[Self::Velocity]> + AsMut<[Self::Velocity]>;
    /// Multipliers for each constraint.
    type Square: AsMut<[Self::Multipliers]>;

    /// Labels of the constraints.
    fn names(&self) -> &'static [&'static str];
    /// Names of the velocities.
    fn velocity_names(&self) -> &'static [&'static str];
    /// Whether the mass matrix M is singular everywhere, and M + s μᵀμ with s = tr M, or 1 for M = 0, is inverted in its
    /// place.
    fn is_massless(&self) -> bool;
    /// Whether the system may lose energy: there is a force, time in the Lagrangian or in a constraint, or an input in a
    /// constraint.
    fn is_forced(&self) -> bool;
    /// The step size.
    fn h(&self) -> f64;
    /// Relative rounding unit of the numbers of the state.
    fn epsilon(&self) -> f64;
    /// The largest entry of the configuration before the step.
    fn size(&self) -> f64;
    /// All entries equal to `x`.
    fn velocities(&self, x: f64) -> Self::Velocity;
    /// A matrix of zeros with a row per velocity.
    fn mass(&self) -> Self::Mass;
    /// A matrix of zeros with a row per constraint.
    fn forms(&self) -> Self::Forms;
    /// A matrix of zeros with a row and a column per constraint.
    fn square(&self) -> Self::Square;
    /// Names of the parameters.
    fn parameter_names(&self) -> &'static [&'static str];
    /// The value of a parameter.
    fn parameter(&self, i: usize) -> f64;
    /// p = ∂L/∂v at a velocity.
    fn momentum(&self, end: End, v: &Self::Velocity) -> Self::Velocity;
    /// The same if the parameters whose bits are set were 1.
    fn momentum_with(&self, parameters: u64, end: End, v: &Self::Velocity) -> Self::Velocity;
    /// The energy at rest, of the configuration at one end and the time of another.
    fn potential(&self, place: End, time: End) -> f64;
    /// μ v + μ₀.
    fn residual(&self, end: End, v: &Self::Velocity) -> Self::Multipliers;
    /// The slowest admissible velocity at an end, if it is defined.
    fn slowest(&self, end: End) -> Option<Self::Velocity>;
    /// The acceleration at a velocity, where this velocity leads to in the time `after` from the configuration before the step,
    /// with the forces of the time and of the auxiliary states of one end, if it is defined.
    fn acceleration(&self, time: End, v: &Self::Velocity, after: f64) -> Option<Self::Velocity>;
}

/// T = ½ vᵀMv = ½ v·(p(v) − p(0)).
pub fn kinetic<P: Passage>(passage: &P, end: End, v: &P::Velocity) -> f64 {
    let (mut p, at_rest) = (passage.momentum(end, v), passage.momentum(end, &passage.velocities(0.0)));
    subtract(p.as_mut(), at_rest.as_ref());
    half_product(v.as_ref(), p.as_ref())
}

/// p − p₀, in the place of p.
#[inline(always)]
pub fn subtract<T: Scalar>(p: &mut [T], at_rest: &[T]) {
    // By index: `zip` remains a call in builds without link-time optimisation.
    for i in 0..p.len().min(at_rest.len()) {
        p[i] = p[i] - at_rest[i];
    }
}

/// ½ v·p
#[inline(always)]
pub fn half_product(v: &[f64], p: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..v.len().min(p.len()) {
        sum += v[i] * p[i];
    }
    0.5 * sum
}

/// Whether a kinetic energy `after` another one needs an explanation; true for NaN. A loss of energy is a gain of the reversed
/// step.
#[inline(always)]
pub fn needs_explanation(before: f64, after: f64) -> bool {
    let is_ordinary = after <= ORDINARY * before;
    !is_ordinary
}

/// Whether a gain or a loss of kinetic energy needs an explanation; true for NaN. An infinite energy `before` is one that cannot
/// be known.
#[inline(always)]
pub fn changes_much(before: f64, after: f64) -> bool {
    needs_explanation(before, after) || before < f64::INFINITY && needs_explanation(after, before)
}

/// Whether the velocities at a node where a method reflects are so far from their mean that [`resolve`] has to test the step that
/// departs from there.
#[inline(always)]
pub fn are_far<T: Scalar>(before: &[T], after: &[T]) -> bool {
    let (mut jump, mut motion) = (0.0, 0.0);
    for i in 0..before.len().min(after.len()) {
        let (before, after) = (before[i].to_f64(), after[i].to_f64());
        jump = f64::max(jump, (after - before).abs());
        motion = f64::max(motion, (after + before).abs());
    }
    jump > FAR * motion
}

/// Refuses a step that departs from these velocities before and after a node if (2) holds. Of a mass matrix that is singular everywhere
/// nothing is known.
///
/// # Errors
/// [`Failure::NearlySingular`].
#[cold]
pub fn resolve<P: Passage>(passage: &P, before: &[f64], after: &[f64]) -> Result<(), Failure> {
    if passage.is_massless() {
        return Ok(());
    }
    let mut mass = inertia(passage, false);
    let [mut motion, mut jump] = [(); 2].map(|()| passage.velocities(0.0));
    for (i, (before, after)) in before.iter().zip(after).enumerate() {
        set(motion.as_mut(), i, 0.5 * (after + before));
        set(jump.as_mut(), i, 0.5 * (after - before));
    }
    let (mut of_jump, mut of_motion, mut product) = (0.0, 0.0, 0.0);
    for (i, row) in mass.as_mut().iter_mut().enumerate() {
        let [v, w] = [&motion, &jump].map(|x| x.as_ref().get(i).copied().unwrap_or(0.0));
        let diagonal = row.as_mut().get(i).copied().unwrap_or(0.0);
        of_motion += diagonal * v * v;
        of_jump += diagonal * w * w;
        for (entry, other) in row.as_mut().iter().zip(jump.as_ref()) {
            product += w * entry * other;
        }
    }
    let lost = passage.epsilon() * of_jump;
    let distance2 = of_jump / (of_motion + AT_REST * of_jump);
    if product > 0.0 && lost * lost * distance2 <= LARGEST_LOSS_2 * product * product {
        return Ok(());
    }
    Err(Failure::NearlySingular { forms: Forms::NONE, condition: Geometry::of(passage).mass })
}

/// The number of steps between two tests of the energy. If the energy has changed much, the steps are repeated with tests at
/// short intervals, and those of a short interval with a test after each. Forces that change it fast need short intervals.
/// After long steps, a test takes little of their time: once those of a short interval are repeated, the next are tested one by
/// one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval(u64);

impl Interval {
    /// The interval before anything is known of the energy: tests cost little.
    pub const LONGEST: Interval = Interval(FLUSH_EVERY);
    /// For short steps, shorter ones cost about as much as a test after each step.
    const SHORT: Interval = Interval(64);
    const SHORTEST: Interval = Interval(1);

    /// How many of the next `steps` steps, after `taken` others, to take before a test.
    pub fn next(self, taken: u64, steps: u64) -> u64 {
        steps.min(self.0 - taken % self.0)
    }

    /// After a test that ended `taken` steps. Once in [`FLUSH_EVERY`] steps the interval is lengthened: repeating the steps of a
    /// long one costs more than many tests.
    pub fn lengthen(&mut self, taken: u64) {
        if taken.is_multiple_of(FLUSH_EVERY) {
            self.0 = Self::LONGEST.0.min(2 * self.0);
        }
    }

    /// Before `count` steps are repeated: whether they are repeated at shorter intervals.
    pub fn shorten(&mut self, count: u64, are_long: bool) -> bool {
        let is_shortened = count > Self::SHORT.0;
        *self = if are_long && !is_shortened { Self::SHORTEST } else { Self::SHORT };
        is_shortened
    }
}

/// Whether several steps may contain one that has to be refused: the kinetic energy has grown, or that of a system without
/// forces has shrunk, by more than the difference of the energies at rest and the energy of the slowest admissible velocity
/// explain. The energy `after` them contains that of a parasitic mode: it grows from step to step, while the energy of the mean
/// velocity may be small just then.
pub fn is_suspicious<P: Passage>(passage: &P, before: f64, after: f64) -> bool {
    let gain = [(End::First, before), (End::Last, after)];
    let loss = [(End::Last, after), (End::First, before)];
    is_unexplained(passage, gain) || !passage.is_forced() && is_unexplained(passage, loss)
}

/// Near dependent one-forms the energy of the slowest admissible velocity has no bound, and explains nothing.
fn is_unexplained<P: Passage>(passage: &P, [(from, before), (to, after)]: [(End, f64); 2]) -> bool {
    if !needs_explanation(before, after) {
        return false;
    }
    let owned = before + released(passage, from, to);
    if !needs_explanation(owned, after) {
        return false;
    }
    let is_driven = after <= ORDINARY * (owned + driven(passage, to));
    let is_explained = is_driven && Geometry::of(passage).condition <= LARGE_CONDITION;
    !is_explained
}

/// T_d: the kinetic energy of the slowest admissible velocity at an end, if it is defined.
fn driven<P: Passage>(passage: &P, end: End) -> f64 {
    passage.slowest(end).map_or(0.0, |v| kinetic(passage, end, &v))
}

/// max(0, V − V′) of two ends; an energy that depends on time counts with the time that explains most.
fn released<P: Passage>(passage: &P, from: End, to: End) -> f64 {
    let released = |time| passage.potential(from, time) - passage.potential(to, time);
    released(End::First).max(released(End::Last)).max(0.0)
}

/// Tests a step by the kinetic energies of the mean velocities before and after it, and by those `with_parasite` at one of its
/// ends, to which the energy of a parasitic mode is added: the motion exchanges energy with it.
///
/// # Errors
/// [`Failure::NearlySingular`] and [`Failure::EnergyJump`].
#[cold]
pub fn explain<P: Passage>(
    passage: impl FnOnce() -> P,
    limits: &Limits,
    [before, after]: [f64; 2],
    with_parasite: impl Fn(End) -> f64,
) -> Result<(), Failure> {
    let most = with_parasite(End::First);
    if needs_explanation(most, after) {
        return explain_gain(&passage(), limits, most, after);
    }
    let most = with_parasite(End::Last);
    if needs_explanation(most, before) {
        return explain_loss(&passage(), limits, before, most);
    }
    Ok(())
}

fn explain_gain<P: Passage>(passage: &P, limits: &Limits, before: f64, after: f64) -> Result<(), Failure> {
    let Some(known) = Known::of(passage, ORDINARY, [(End::First, before), (End::Last, after)]) else {
        return Ok(());
    };
    let geometry = Geometry::of(passage);
    let is_explained = limits.growth.is_infinite() || known.explains(limits.growth, after);
    let turns = geometry.cosine < limits.cosine;
    if is_explained && !turns {
        return Ok(());
    }
    let jump = Failure::EnergyJump { factor: known.factor(after) };
    Err(geometry.failure(passage).unwrap_or(jump))
}

fn explain_loss<P: Passage>(passage: &P, limits: &Limits, before: f64, after: f64) -> Result<(), Failure> {
    let Some(known) = Known::of(passage, limits.growth, [(End::Last, after), (End::First, before)]) else {
        return Ok(());
    };
    let geometry = Geometry::of(passage);
    // Friction, or a drive that stops, explains every loss, unless the distribution turns, too. An impulse at the middle and one at
    // the end lose by two turns what one loses by a turn with the product of their cosines. Where one-forms are dependent up to
    // rounding, the equations of the step are rounding, and so is the angle between the distributions.
    let is_known = geometry.condition < 1.0 / passage.epsilon();
    if passage.is_forced() && is_known && geometry.cosine * geometry.cosine >= limits.cosine {
        return Ok(());
    }
    let jump = Failure::EnergyJump { factor: 1.0 / known.factor(before) };
    Err(geometry.failure(passage).unwrap_or(jump))
}

/// What explains the kinetic energy at one end of a step.
struct Known {
    /// T + max(0, V − V′) + T_d, where the primed energy belongs to the end that is tested, and the others to the other end.
    owned: f64,
    /// 2 h² A.
    pushed: f64,
    /// max(0, V′ − V) of a step without forces and drives.
    risen: f64,
}

impl Known {
    /// Of a step, or of the reversed step, between these ends with their kinetic energies; none if it explains the second for
    /// this K.
    fn of<P: Passage>(passage: &P, k: f64, [(from, before), (to, after)]: [(End, f64); 2]) -> Option<Known> {
        let potentials =
            passage.potential(End::First, End::First).abs() + passage.potential(End::Last, End::Last).abs();
        let noise = ROUNDING * passage.epsilon() * potentials;
        let keeps_energy = from == End::First && !passage.is_forced();
        let risen = if keeps_energy { released(passage, to, from) } else { 0.0 };
        let mut known = Known { owned: before + released(passage, from, to) + noise, pushed: 0.0, risen };
        if known.explains(k, after) {
            return None;
        }
        let resolved = passage.velocities(ROUNDING * passage.epsilon() * passage.size() / passage.h());
        let driven = driven(passage, to);
        if driven != 0.0 {
            known.risen = 0.0;
        }
        known.owned += driven + kinetic(passage, End::First, &resolved);
        known.push(passage, &passage.velocities(0.0));
        if known.explains(k, after) {
            return None;
        }
        // Near dependent one-forms the slowest admissible velocity has no bound.
        if let Some(driven) = passage.slowest(End::First)
            && driven.as_ref().iter().any(|&v| v != 0.0)
            && Geometry::of(passage).condition <= LARGE_CONDITION
        {
            known.push(passage, &driven);
        }
        (!known.explains(k, after)).then_some(known)
    }

    /// Adds what forces do at this velocity. A spring or a clutch pushes a part at rest as soon as another part is driven.
    fn push<P: Passage>(&mut self, passage: &P, v: &P::Velocity) {
        let h = passage.h();
        for (time, after) in [(End::First, 0.0), (End::Last, 0.0), (End::Last, h)] {
            let a = passage.acceleration(time, v, after);
            let energy = a.map_or(0.0, |a| kinetic(passage, End::First, &a));
            self.pushed = self.pushed.max(2.0 * h * h * energy);
        }
    }

    /// (1) and (1r).
    fn explains(&self, k: f64, energy: f64) -> bool {
        let most = k * self.owned + self.pushed;
        energy <= most && energy + self.risen <= most + self.pushed
    }

    /// The K for which (1) and (1r) just hold.
    fn factor(&self, energy: f64) -> f64 {
        let rest = energy - self.pushed;
        rest.max(rest + self.risen - self.pushed) / self.owned
    }
}

/// The reason why a step, or a start, failed with `failure`, at a passage whose ends are both the node before it: a singularity
/// near this node is the reason for Newton's method not to converge, and for numbers that are not finite. A mass matrix that is
/// not positive definite has a direction; with it, one-forms may seem dependent.
#[cold]
pub fn diagnose<P: Passage>(passage: &P, failure: Failure) -> Failure {
    match failure {
        Failure::NotConverged
        | Failure::Unsolved { .. }
        | Failure::NonFinite
        | Failure::SingularConstraints
        | Failure::SingularMass => without_inertia(passage).unwrap_or_else(|| match failure {
            Failure::SingularConstraints => dependent(passage).unwrap_or(failure),
            Failure::SingularMass => no_inertia(passage, least_inertia(passage, true).0),
            _ => Geometry::of(passage).failure(passage).unwrap_or(failure),
        }),
        known => known,
    }
}

/// What is wrong with the mass matrix, if anything is.
fn without_inertia<P: Passage>(passage: &P) -> Option<Failure> {
    if !passage.is_massless() {
        let (velocities, sign) = least_inertia(passage, false);
        match sign {
            Sign::Positive | Sign::Unknown => return None,
            Sign::Negative => return Some(of_negative(passage, velocities)),
            Sign::Zero if matches!(least_inertia(passage, true).1, Sign::Positive) => {
                let parameters = responsible(passage, velocities, |value| value == 0.0);
                return Some(Failure::Massless { velocities, parameters });
            }
            Sign::Zero => {}
        }
    }
    let (velocities, sign) = least_inertia(passage, true);
    match sign {
        Sign::Positive | Sign::Unknown => None,
        Sign::Negative => Some(of_negative(passage, velocities)),
        Sign::Zero => Some(no_inertia(passage, velocities)),
    }
}

/// That these velocities have no kinetic energy.
fn no_inertia<P: Passage>(passage: &P, velocities: Forms) -> Failure {
    Failure::NoInertia { velocities, parameters: responsible(passage, velocities, |value| value == 0.0) }
}

/// That these velocities have a negative one.
fn of_negative<P: Passage>(passage: &P, velocities: Forms) -> Failure {
    Failure::NegativeInertia { velocities, parameters: responsible(passage, velocities, |value| value < 0.0) }
}

/// That the mass matrix at the first node of a passage gives some velocities a negative kinetic energy, if it does. Steps may be
/// possible all the same.
#[cold]
pub fn negative_inertia<P: Passage>(passage: &P) -> Option<Failure> {
    without_inertia(passage).filter(|failure| matches!(failure, Failure::NegativeInertia { .. }))
}

/// That parameters with the values of a start leave admissible velocities without a kinetic energy, or with a negative one, if they do.
/// Where such a mass cancels in the equations of a step, no pivot of the step is singular. Decided by numbers that are zero
/// exactly: velocities whose rows of M are zero, or whose masses are negative and do not couple, and which are more than the
/// constraints that contain them.
#[cold]
pub fn undetermined<P: Passage>(passage: &P) -> Option<Failure> {
    if passage.is_massless() {
        return None;
    }
    let mut inertia = inertia(passage, false);
    let rows = &*inertia.as_mut();
    let forms = one_forms(passage, End::First, &passage.velocities(1.0));
    let count = rows.len().min(64);
    let is_alone = |rows: &[P::Velocity], i: usize| (0..rows.len()).all(|j| j == i || at(rows, i, j) == 0.0);
    let (mut none, mut negative) = (0_u64, 0_u64);
    for i in (0..count).filter(|&i| is_alone(rows, i)) {
        let diagonal = at(rows, i, i);
        if diagonal == 0.0 {
            none |= 1 << i;
        } else if diagonal < 0.0 {
            negative |= 1 << i;
        }
    }
    let exceed = |which: u64| {
        let contain = |form: &P::Velocity| {
            form.as_ref().iter().take(64).enumerate().any(|(i, mu)| which >> i & 1 == 1 && *mu != 0.0)
        };
        let constraints = forms.as_ref().iter().filter(|form| contain(form)).count();
        which.count_ones() as usize > constraints
    };
    let names = passage.velocity_names();
    let is_by_value = |failure: &Failure| match failure {
        Failure::NoInertia { parameters, .. } | Failure::NegativeInertia { parameters, .. } => {
            parameters.which != 0
        }
        _ => false,
    };
    let found = [
        exceed(none).then(|| no_inertia(passage, Forms { names, which: none })),
        exceed(negative).then(|| of_negative(passage, Forms { names, which: negative })),
    ];
    found.into_iter().flatten().find(is_by_value)
}

/// The constraints whose one-forms vanish at the first node, or else those that are dependent somewhere in the passage.
fn dependent<P: Passage>(passage: &P) -> Option<Failure> {
    let forms = one_forms(passage, End::First, &passage.velocities(1.0));
    let all = forms.as_ref().iter().take(64).enumerate();
    let vanishing = all.filter(|(_, form)| form.as_ref().iter().all(|mu| *mu == 0.0));
    let which = vanishing.fold(0, |which, (a, _)| which | 1 << a);
    let (which, vanish) = if which != 0 { (which, true) } else { (Geometry::of(passage).which, false) };
    (which != 0).then_some(Failure::Dependent { forms: Forms { names: passage.names(), which }, vanish })
}

/// The parameters with such values that with the value 1 would give one of these velocities more kinetic energy: each alone, or, as the
/// factors of a product that is zero, together.
fn responsible<P: Passage>(passage: &P, velocities: Forms, is_such: impl Fn(f64) -> bool) -> Forms {
    let names = passage.parameter_names();
    let gives_more = |which: u64| {
        let mut along = passage.velocities(0.0);
        let momenta =
            |v: &P::Velocity| [passage.momentum(End::First, v), passage.momentum_with(which, End::First, v)];
        let rest = momenta(&along);
        (0..along.as_ref().len().min(64)).filter(|j| velocities.which >> j & 1 == 1).any(|j| {
            set(along.as_mut(), j, 1.0);
            let moving = momenta(&along);
            set(along.as_mut(), j, 0.0);
            let inertia = |[p, rest]: [&P::Velocity; 2]| {
                let [p, rest] = [p, rest].map(|p| p.as_ref().get(j).copied().unwrap_or(0.0));
                p - rest
            };
            let [here, there] = [0, 1].map(|i: usize| inertia([&moving[i], &rest[i]]));
            there > here
        })
    };
    let such = || (0..names.len().min(64)).filter(|&i| is_such(passage.parameter(i))).map(|i| 1_u64 << i);
    let alone = such().filter(|&one| gives_more(one)).fold(0, |all, one| all | one);
    if alone != 0 {
        return Forms { names, which: alone };
    }
    let all = such().fold(0, |all, one| all | one);
    if !gives_more(all) {
        return Forms { names, which: 0 };
    }
    let needed = such().filter(|&one| !gives_more(all & !one)).fold(0, |all, one| all | one);
    Forms { names, which: if needed == 0 { all } else { needed } }
}

/// M at the first node, or M + s μᵀμ with s = tr M, or 1 for M = 0.
fn inertia<P: Passage>(passage: &P, is_stiffened: bool) -> P::Mass {
    let (mut inertia, zero, mut along) = (passage.mass(), passage.velocities(0.0), passage.velocities(0.0));
    let rows = inertia.as_mut();
    let at_rest = passage.momentum(End::First, &zero);
    for (i, row) in rows.iter_mut().enumerate() {
        set(along.as_mut(), i, 1.0);
        let column = passage.momentum(End::First, &along);
        set(along.as_mut(), i, 0.0);
        let column = column.as_ref().iter().zip(at_rest.as_ref()).map(|(p, at_rest)| p - at_rest);
        row.as_mut().iter_mut().zip(column).for_each(|(entry, p)| *entry = p);
    }
    if is_stiffened {
        let trace = (0..rows.len()).fold(0.0, |sum, i| sum + at(rows, i, i));
        let stiffness = if trace == 0.0 { 1.0 } else { trace };
        let forms = one_forms(passage, End::First, &passage.velocities(1.0));
        for form in forms.as_ref() {
            for (i, row) in rows.iter_mut().enumerate() {
                let factor = stiffness * form.as_ref().get(i).copied().unwrap_or(0.0);
                row.as_mut().iter_mut().zip(form.as_ref()).for_each(|(entry, mu)| *entry += factor * mu);
            }
        }
    }
    inertia
}

/// μ at a node, for velocities in these units.
fn one_forms<P: Passage>(passage: &P, end: End, units: &P::Velocity) -> P::Forms {
    let (mut forms, mut along) = (passage.forms(), passage.velocities(0.0));
    let at_rest = passage.residual(end, &passage.velocities(0.0));
    for (i, &unit) in units.as_ref().iter().enumerate() {
        set(along.as_mut(), i, unit);
        let residual = passage.residual(end, &along);
        set(along.as_mut(), i, 0.0);
        let column = residual.as_ref().iter().zip(at_rest.as_ref()).map(|(mu, mu_t)| mu - mu_t);
        forms.as_mut().iter_mut().zip(column).for_each(|(form, mu)| set(form.as_mut(), i, mu));
    }
    forms
}

/// Row and column i times the i-th of `units`.
fn scale_both<V: AsMut<[f64]>>(rows: &mut [V], units: &[f64]) {
    for (row, &unit) in rows.iter_mut().zip(units) {
        row.as_mut().iter_mut().zip(units).for_each(|(entry, other)| *entry *= unit * other);
    }
}

/// The sign of an inertia.
#[derive(Clone, Copy, Debug)]
enum Sign {
    Negative,
    Zero,
    Positive,
    /// Numbers are not finite.
    Unknown,
}

/// The velocities of the combination with the least inertia by M, or by M + s μᵀμ, in units with the inertia 1, at the first
/// node, and its sign; those with a negative inertia of their own, or without any, if there are such.
fn least_inertia<P: Passage>(passage: &P, is_stiffened: bool) -> (Forms, Sign) {
    let mut inertia = inertia(passage, is_stiffened);
    let rows = inertia.as_mut();
    let mut units = passage.velocities(0.0);
    let (mut none, mut negative): (u64, u64) = (0, 0);
    let mut is_finite = true;
    for (i, unit) in units.as_mut().iter_mut().enumerate() {
        let diagonal = at(rows, i, i);
        *unit = 1.0 / Scalar::sqrt(diagonal);
        is_finite &= diagonal.is_finite();
        let bit = if i < 64 { 1 << i } else { 0 };
        if diagonal < 0.0 {
            negative |= bit;
        } else if diagonal == 0.0 {
            none |= bit;
        }
    }
    let forms = |which| Forms { names: passage.velocity_names(), which };
    match (is_finite, negative, none) {
        (false, ..) => return (Forms::NONE, Sign::Unknown),
        (true, 0, 0) => {}
        (true, 0, none) => return (forms(none), Sign::Zero),
        (true, negative, _) => return (forms(negative), Sign::Negative),
    }
    scale_both(rows, units.as_ref());
    let mut combinations = passage.mass();
    let combinations = combinations.as_mut();
    for (i, row) in combinations.iter_mut().enumerate() {
        set(row.as_mut(), i, 1.0);
    }
    let spread = orthogonalise(rows, combinations);
    let is_zero = spread.smallest <= ROUNDING * f64::EPSILON * spread.largest;
    // Rows are eigenvectors, times the signs of their eigenvalues.
    let mut signed =
        rows.iter_mut().zip(combinations.iter_mut()).map(|(row, x)| product(row.as_mut(), x.as_mut()));
    let is_negative = |sign: f64| sign < -0.5;
    let (place, sign) = match signed.position(is_negative) {
        Some(place) if !(is_zero && place == spread.place) => (place, Sign::Negative),
        _ if is_zero => (spread.place, Sign::Zero),
        _ => (spread.place, Sign::Positive),
    };
    let which = combinations.get_mut(place).map_or(0, |row| involved(row.as_mut()));
    (forms(which), sign)
}

/// The one-forms at the ends of a step in the kinetic metric.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    /// Condition number of the mass matrix, scaled to a unit diagonal.
    mass: f64,
    /// Condition number of μM⁻¹μᵀ, where it is largest; each one-form has length 1 unless it nearly vanishes there.
    condition: f64,
    /// The one-forms that are nearly dependent there, as bits.
    which: u64,
    /// Cosine of the largest principal angle between two of the distributions.
    cosine: f64,
}

impl Geometry {
    /// [`Failure::NearlySingular`], if a condition number is large.
    fn failure<P: Passage>(&self, passage: &P) -> Option<Failure> {
        if self.mass > LARGE_CONDITION {
            return Some(Failure::NearlySingular { forms: Forms::NONE, condition: self.mass });
        }
        let forms = Forms { names: passage.names(), which: self.which };
        (self.condition > LARGE_CONDITION)
            .then_some(Failure::NearlySingular { forms, condition: self.condition })
    }

    fn of<P: Passage>(passage: &P) -> Geometry {
        let mut root = inertia(passage, passage.is_massless());
        // A part whose mass is zero by its value has no unit either. The constraints have to determine it.
        let is_without = |rows: &[P::Velocity]| (0..rows.len()).any(|i| at(rows, i, i) == 0.0);
        if is_without(root.as_mut()) {
            root = inertia(passage, true);
        }
        let root = root.as_mut();
        // The unit of each velocity is the one with the mass 1.
        let mut units = passage.velocities(1.0);
        for (i, unit) in units.as_mut().iter_mut().enumerate() {
            *unit = 1.0 / Scalar::sqrt(at(root, i, i));
        }
        scale_both(root, units.as_ref());
        factorise(root);
        let mut nodes = NODES.map(|end| one_forms(passage, end, &units));
        for a in 0..nodes[0].as_ref().len() {
            let lengths = lengths(units.as_ref().len(), &nodes, a);
            for (forms, length) in nodes.iter_mut().zip(lengths) {
                let Some(form) = forms.as_mut().get_mut(a).map(|form| form.as_mut()) else { continue };
                solve_lower(root, form);
                let size = size(form);
                scale(form, if size == 0.0 { 1.0 } else { length / size });
            }
        }
        let (mut all, mut which) = (Spread::NONE, 0);
        for forms in &mut nodes {
            let mut combinations = passage.square();
            for (i, row) in combinations.as_mut().iter_mut().enumerate() {
                set(row.as_mut(), i, 1.0);
            }
            let spread = orthogonalise(forms.as_mut(), combinations.as_mut());
            if all.add(spread.smallest, spread.place) {
                which = combinations.as_mut().get(spread.place).map_or(0, |row| involved(row.as_ref()));
            }
            all.largest = all.largest.max(spread.largest);
        }
        let [first, middle, last] = &nodes;
        let mut cosine = 1.0;
        for (u, w) in [(first, middle), (middle, last), (first, last)] {
            let mut overlap = passage.square();
            for (row, u) in overlap.as_mut().iter_mut().zip(u.as_ref()) {
                for (entry, w) in row.as_mut().iter_mut().zip(w.as_ref()) {
                    *entry = product(u.as_ref(), w.as_ref());
                }
            }
            cosine = f64::min(cosine, orthogonalise::<_, P::Velocity>(overlap.as_mut(), &mut []).smallest);
        }
        let mass = orthogonalise::<_, P::Velocity>(root, &mut []).condition();
        Geometry { mass, condition: all.condition(), which, cosine }
    }
}

/// For each node the length that the one-form `a` counts with: the largest ratio of an entry to what it is where it is largest. A form
/// is singular where it vanishes. One that is longer elsewhere because of a single entry, as dy − x dx is far away, does not vanish.
fn lengths<V: AsRef<[f64]>, F: AsRef<[V]>>(n: usize, nodes: &[F; 3], a: usize) -> [f64; 3] {
    let entry = |forms: &F, i: usize| {
        forms.as_ref().get(a).and_then(|form| form.as_ref().get(i)).map_or(0.0, |entry: &f64| entry.abs())
    };
    let mut lengths = [f64::NAN; 3];
    for i in 0..n {
        let entries = nodes.each_ref().map(|forms| entry(forms, i));
        let largest = entries.into_iter().fold(0.0, f64::max);
        // The ratio to zero is not a number, which `max` ignores.
        for (length, entry) in lengths.iter_mut().zip(entries) {
            *length = f64::max(*length, entry / largest);
        }
    }
    lengths
}

/// The entries of `x` that are not small beside the largest, as bits.
fn involved(x: &[f64]) -> u64 {
    let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let bits = x.iter().take(64).enumerate();
    bits.fold(0, |bits, (a, x)| if x.abs() >= INVOLVED * largest { bits | 1 << a } else { bits })
}

/// The largest and the smallest singular value, and the place of the smallest.
#[derive(Clone, Copy, Debug)]
struct Spread {
    largest: f64,
    smallest: f64,
    place: usize,
}

impl Spread {
    /// Of no singular values.
    const NONE: Spread = Spread { largest: 0.0, smallest: f64::INFINITY, place: 0 };

    /// Adds a singular value; whether it is the smallest. NaN is smaller than all numbers.
    fn add(&mut self, value: f64, place: usize) -> bool {
        self.largest = self.largest.max(value);
        let is_smallest = value.is_nan() || value < self.smallest;
        if is_smallest {
            (self.smallest, self.place) = (value, place);
        }
        is_smallest
    }

    /// Condition number of the matrix of products: 1 of no rows, not a number of rows that are not finite.
    fn condition(self) -> f64 {
        if self.smallest == f64::INFINITY {
            return 1.0;
        }
        let ratio = self.largest / self.smallest;
        ratio * ratio
    }
}

/// More sweeps are not needed: they converge quadratically.
const MOST_SWEEPS: usize = 30;

/// Turns rows into orthogonal ones by Hestenes' one-sided Jacobi rotations, which act on `combinations`, too, and scales them
/// to length 1. Their lengths are the singular values, which have small relative errors (Demmel and Veselić 1992).
fn orthogonalise<V: AsMut<[f64]> + AsRef<[f64]>, C: AsMut<[f64]>>(
    rows: &mut [V],
    combinations: &mut [C],
) -> Spread {
    for _ in 0..MOST_SWEEPS {
        let mut is_orthogonal = true;
        for b in 1..rows.len() {
            for a in 0..b {
                let Some((x, y)) = pair(rows, a, b) else { continue };
                let (xx, yy, xy) = (product(x, x), product(y, y), product(x, y));
                let are_oblique = xy * xy > f64::EPSILON * f64::EPSILON * xx * yy;
                if !are_oblique {
                    continue;
                }
                is_orthogonal = false;
                let tau = (yy - xx) / (2.0 * xy);
                let tangent = f64::copysign(1.0, tau) / (tau.abs() + Scalar::sqrt(1.0 + tau * tau));
                let cosine = 1.0 / Scalar::sqrt(1.0 + tangent * tangent);
                let turn = (cosine, cosine * tangent);
                rotate((x, y), turn);
                if let Some(both) = pair(combinations, a, b) {
                    rotate(both, turn);
                }
            }
        }
        if is_orthogonal {
            break;
        }
    }
    let mut spread = Spread { largest: 0.0, smallest: f64::INFINITY, place: 0 };
    for (place, row) in rows.iter_mut().enumerate() {
        let length = size(row.as_ref());
        spread.largest = spread.largest.max(length);
        if length.is_nan() || length < spread.smallest {
            (spread.smallest, spread.place) = (length, place);
        }
        scale(row.as_mut(), 1.0 / length);
    }
    spread
}

fn rotate((x, y): (&mut [f64], &mut [f64]), (cosine, sine): (f64, f64)) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

/// Rows `a` < `b`.
fn pair<V: AsMut<[f64]>>(rows: &mut [V], a: usize, b: usize) -> Option<(&mut [f64], &mut [f64])> {
    let (before, from) = rows.split_at_mut_checked(b)?;
    Some((before.get_mut(a)?.as_mut(), from.first_mut()?.as_mut()))
}

/// Replaces a symmetric positive definite matrix by its Cholesky factor L, with zeros above the diagonal. Of a matrix that is
/// not positive definite, numbers become NaN.
fn factorise<V: AsMut<[f64]> + AsRef<[f64]>>(rows: &mut [V]) {
    for i in 0..rows.len() {
        let Some((before, from)) = rows.split_at_mut_checked(i) else { return };
        let Some(row) = from.first_mut().map(V::as_mut) else { return };
        solve_lower(before, row);
        let known = row.iter().take(i).fold(0.0, |sum, x| sum + x * x);
        let mut entries = row.iter_mut().skip(i);
        if let Some(diagonal) = entries.next() {
            let pivot = *diagonal - known;
            *diagonal = if pivot > 0.0 { Scalar::sqrt(pivot) } else { f64::NAN };
        }
        entries.for_each(|entry| *entry = 0.0);
    }
}

/// Solves L y = x, in place, for as many entries as L has rows.
fn solve_lower<V: AsRef<[f64]>>(rows: &[V], x: &mut [f64]) {
    for (i, row) in rows.iter().enumerate() {
        let row = row.as_ref();
        let known = product(row.get(..i).unwrap_or_default(), x);
        if let (Some(x), Some(diagonal)) = (x.get_mut(i), row.get(i)) {
            *x = (*x - known) / diagonal;
        }
    }
}

fn at<V: AsRef<[f64]>>(rows: &[V], i: usize, j: usize) -> f64 {
    rows.get(i).and_then(|row| row.as_ref().get(j)).map_or(f64::NAN, |&x| x)
}

fn set(x: &mut [f64], i: usize, value: f64) {
    if let Some(x) = x.get_mut(i) {
        *x = value;
    }
}

/// x·y of the shorter length.
fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y)
}

fn size(x: &[f64]) -> f64 {
    Scalar::sqrt(product(x, x))
}

fn scale(x: &mut [f64], by: f64) {
    x.iter_mut().for_each(|x| *x *= by);
}

#[cfg(test)]
mod tests {
    use super::{FLUSH_EVERY, Interval};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn intervals_end_where_subnormal_numbers_are_flushed(
            advances in prop::collection::vec((1_u64..10_000, prop::bool::weighted(0.2)), 1..40),
            are_long: bool,
        ) {
            let (mut interval, mut taken) = (Interval::LONGEST, 0);
            for (steps, is_repeated) in advances {
                let end = taken + steps;
                while taken < end {
                    let count = interval.next(taken, end - taken);
                    prop_assert!(count > 0 && taken / FLUSH_EVERY == (taken + count - 1) / FLUSH_EVERY);
                    if is_repeated && interval.shorten(count, are_long) {
                        continue;
                    }
                    taken += count;
                    interval.lengthen(taken);
                }
                prop_assert_eq!(taken, end);
            }
        }
    }

    #[test]
    fn intervals_grow_until_steps_are_repeated() {
        let mut interval = Interval::LONGEST;
        assert_eq!(interval.next(0, u64::MAX), FLUSH_EVERY);
        assert!(interval.shorten(FLUSH_EVERY, false) && !interval.shorten(64, false));
        assert_eq!(interval.next(1, u64::MAX), 63);
        let lengths = (1..8).map(|k| {
            interval.lengthen(k * FLUSH_EVERY);
            interval.next(0, u64::MAX)
        });
        assert_eq!(lengths.collect::<Vec<u64>>(), [128, 256, 512, 1024, 2048, 4096, 4096]);
        assert!(interval.shorten(FLUSH_EVERY, true) && !interval.shorten(64, true));
        assert_eq!(interval.next(0, u64::MAX), 1);
    }
}
