use crate::error::finite;
use crate::fields::Places;
use crate::isa::{Isa, Work};
use crate::mechanics::{reaction, sum};
use crate::samples::SampleOf;
use crate::unchecked::{self, unchecked};
use crate::{
    Acceleration, Arithmetic, Error, Failure, Fields, Method, Quantity, Reflecting, Sample, Samples, Scalar,
    Separate, State, System, Vector, admissible, method,
};
use core::ops::Range;

/// A system, a method and a state: a trajectory in the making.
///
/// Time is t = k h after k steps, from t = 0. Control inputs are held: every step uses the last
/// ones given, zeros at first.
///
/// It computes with `f64`, or with any other [`Scalar`] if it is built by
/// [`Simulation::with_parameters`].
#[derive(Clone, Debug)]
pub struct Simulation<S: System, M: Method<S>, T: Scalar = f64> {
    system: S,
    method: M,
    h: T,
    parameters: S::Parameters<T>,
    prepared: M::Prepared<T>,
    inputs: S::Inputs<T>,
    state: M::State<T>,
    steps: u64,
}

impl<S: System, M: Method<S>> Simulation<S, M> {
    /// Starts `method` at the configuration `q0` with the velocity `v0` = dq/dt, which has to
    /// satisfy the constraints, and the step size `h`, which may be negative.
    ///
    /// # Errors
    /// [`Error::Constraint`] names a violated constraint and its residual, [`Error::Pose`] a matrix that is
    /// no rotation. The other errors are [`Error::StepSize`], [`Error::NonFinite`] and [`Error::Start`].
    pub fn new(
        system: S,
        method: M,
        q0: impl Into<S::Configuration<f64>>,
        v0: impl Into<S::Velocity<f64>>,
        h: f64,
    ) -> Result<Self, Error> {
        let (parameters, inputs) = (system.parameters(), S::Inputs::splat(0.0));
        Self::build(system, method, parameters, (q0.into(), v0.into()), inputs, h, as_given::<S, f64>)
    }

    /// As [`Simulation::new`], with control inputs that also the method's start uses.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn with_inputs(
        system: S,
        method: M,
        q0: impl Into<S::Configuration<f64>>,
        v0: impl Into<S::Velocity<f64>>,
        inputs: &(impl Into<S::Inputs<f64>> + Copy),
        h: f64,
    ) -> Result<Self, Error> {
        let (parameters, inputs) = (system.parameters(), (*inputs).into());
        Self::build(system, method, parameters, (q0.into(), v0.into()), inputs, h, as_given::<S, f64>)
    }

    /// As [`Simulation::new`], from the admissible velocity nearest to `v0` in the kinetic-energy
    /// metric.
    ///
    /// # Errors
    /// As [`Simulation::new`], and [`Error::Projection`].
    pub fn project(
        system: S,
        method: M,
        q0: impl Into<S::Configuration<f64>>,
        v0: impl Into<S::Velocity<f64>>,
        h: f64,
    ) -> Result<Self, Error> {
        let (parameters, inputs) = (system.parameters(), S::Inputs::splat(0.0));
        Self::build(system, method, parameters, (q0.into(), v0.into()), inputs, h, nearest::<S>)
    }

    /// `steps` steps with the inputs held: the same states as by [`Simulation::step`], bit for bit. It takes
    /// less time for short steps, because results are looked at once in a while instead of at every step.
    /// Multipliers on the way, which no later state depends on, need not be looked at.
    ///
    /// # Errors
    /// [`Error::Step`] says which step failed and why; the simulation is as it was before that step.
    pub fn advance(&mut self, steps: u64) -> Result<(), Error> {
        self.advance_by::<Separate>(steps)
    }

    /// As [`Simulation::advance`] by [`Fused`](crate::Fused) multiplications and additions: up to a fifth less time
    /// where the processor has them (`benches/README.md`). Steps that are too long for a loop stay as they are.
    ///
    /// States then differ by rounding from those of [`Simulation::step`], from processor to processor, and with how
    /// steps are divided among calls.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    #[cfg(feature = "std")]
    pub fn advance_fused(&mut self, steps: u64) -> Result<(), Error> {
        self.advance_by::<crate::Fused>(steps)
    }

    #[inline]
    fn advance_by<A: Arithmetic>(&mut self, steps: u64) -> Result<(), Error> {
        self.advance_on::<A>(Isa::best(), steps)
    }

    /// As [`Simulation::advance`], with the instructions of `isa`.
    #[inline]
    pub(crate) fn advance_on<A: Arithmetic>(&mut self, isa: Isa, steps: u64) -> Result<(), Error> {
        let inputs = self.inputs;
        if const { M::LENGTH.is_long() } {
            return self.take_steps(steps, &inputs);
        }
        let end = self.steps + steps;
        while self.steps < end {
            let count = (end - self.steps).min(STRIDE - self.steps % STRIDE);
            let before = (self.state, self.steps);
            let unlooked = count - u64::from(Stride::<S, M>::FOR_STEP);
            let stride = Stride { simulation: self, count: unlooked };
            // A second loop takes as long to compile again, and beside longer steps a look takes little.
            let state = match const { M::LENGTH.is_short() } {
                true => isa.run_scalar::<_, A, true>(stride),
                false => isa.run_scalar::<_, A, false>(stride),
            };
            let Some(state) = state else { return self.take_steps(end - self.steps, &inputs) };
            if let Some(state) = state {
                (self.state, self.steps) = (state, self.steps + unlooked);
                if !Stride::<S, M>::FOR_STEP {
                    method::settle(&mut self.state, self.steps);
                    continue;
                }
                if self.take_steps(1, &inputs).is_ok() {
                    continue;
                }
                (self.state, self.steps) = before;
            }
            // Something is wrong on the way: these steps one by one, looking at each.
            self.take_steps(count, &inputs)?;
        }
        Ok(())
    }
}

/// `count` steps that nobody looks at.
struct Stride<'a, S: System, M: Method<S>> {
    simulation: &'a Simulation<S, M>,
    count: u64,
}

impl<S: System, M: Method<S>> Stride<'_, S, M> {
    /// Whether a state of which the next step is right is enough: velocities that it does not read need not
    /// be known after the loop.
    const FOR_STEP: bool = M::UNREAD.len() > <S::Multipliers<f64> as Fields<f64>>::LEN;

    /// Numbers that a step reads.
    const NUMBERS: usize = <M::State<f64> as Fields<f64>>::LEN - M::UNREAD.len();

    /// Whether a step's numbers fit into registers: all of them, where operations are fused, with some left for what it
    /// computes.
    const fn fits(fused: bool) -> bool {
        M::LENGTH.is_short() && !M::ITERATES && !(fused && Self::NUMBERS > REGISTERS - 4)
    }

    /// The state after these steps, before which it has been renewed if that is due.
    #[inline(always)]
    fn take<T: Scalar>(
        &self,
        prepared: &M::Prepared<T>,
        inputs: &S::Inputs<T>,
        mut state: M::State<T>,
        steps: Range<u64>,
    ) -> Option<M::State<T>> {
        let Simulation { method, h, .. } = self.simulation;
        for k in steps {
            if const { Self::fits(T::DRIVE.fused) } {
                // Where this state meets those of the last step the compiler would pack their numbers.
                state = state.each(|x| x.opaque());
            }
            // As a signed number, which is one instruction.
            let t = T::from_f64(k as i64 as f64 * *h);
            state = method.step(prepared, &state, t, inputs).ok()?;
            // Longer states take less time packed, if operations are fused.
            if const { T::DRIVE.fused && Self::NUMBERS <= REGISTERS } {
                state = state.each(|x| x.opaque());
            }
        }
        Some(state)
    }
}

impl<S: System, M: Method<S>> Work for Stride<'_, S, M> {
    /// The state after them, or one for the next step; `None` if one fails or something is not finite in the
    /// end.
    type Output = Option<M::State<f64>>;
    /// Newton's method has; another loop over longer steps would take as long to compile again.
    const MANY: bool = M::LENGTH.is_short() && M::ITERATES;

    #[inline(always)]
    fn run<T: Scalar>(self) -> Self::Output {
        let Simulation { method, prepared, inputs, state, steps, .. } = self.simulation;
        let prepared: M::Prepared<T> = unchecked(prepared);
        let inputs: S::Inputs<T> = unchecked(inputs);
        let mut state: M::State<T> = unchecked(state);
        let all = *steps..*steps + self.count;
        if const { M::TURNS } {
            // A loop without what is done anew once in a while has more registers.
            for steps in method::renewals::<S, M>(all) {
                method.renew(&mut state, steps.start);
                state = self.take(&prepared, &inputs, state, steps)?;
            }
        } else {
            state = self.take(&prepared, &inputs, state, all)?;
        }
        let places = const { Places::new(if Self::FOR_STEP { M::UNREAD } else { &[] }) };
        unchecked::finite(&state.with(T::from_f64(0.0), places, 0))
    }
}

impl<S: System, M: Method<S>, T: Scalar> Simulation<S, M, T> {
    /// In the numbers `T` of parameters, initial data, inputs and step size: derivatives with respect to any
    /// of them come with [`Dual`](crate::Dual). The parameters of `system` itself are not used.
    ///
    /// Values are checked as by [`Simulation::with_inputs`], to the accuracy of `T`, derivatives are not: a
    /// direction that leaves the constraint manifold is followed as it is. `S::project(&parameters, &q, &v)`
    /// gives the nearest admissible velocity, derivatives included.
    ///
    /// # Errors
    /// As [`Simulation::new`], with values as `f64`.
    pub fn with_parameters(
        system: S,
        method: M,
        parameters: impl Into<S::Parameters<T>>,
        q0: impl Into<S::Configuration<T>>,
        v0: impl Into<S::Velocity<T>>,
        inputs: &(impl Into<S::Inputs<T>> + Copy),
        h: T,
    ) -> Result<Self, Error> {
        let (start, inputs) = ((q0.into(), v0.into()), (*inputs).into());
        Self::build(system, method, parameters.into(), start, inputs, h, as_given::<S, T>)
    }

    fn build(
        system: S,
        method: M,
        parameters: S::Parameters<T>,
        (q0, v0): (S::Configuration<T>, S::Velocity<T>),
        inputs: S::Inputs<T>,
        h: T,
        admissible: Admissible<S, T>,
    ) -> Result<Self, Error> {
        if !h.to_f64().is_finite() || h.to_f64() == 0.0 {
            return Err(Error::StepSize { h: h.to_f64() });
        }
        finite(Quantity::Parameter, S::PARAMETERS, parameters.as_ref())?;
        finite(Quantity::Coordinate, S::COORDINATES, q0.as_ref())?;
        admissible::check_pose::<S, T>(&q0)?;
        finite(Quantity::Velocity, S::VELOCITIES, v0.as_ref())?;
        finite(Quantity::Input, S::INPUTS, inputs.as_ref())?;
        let v0 = admissible(&parameters, &q0, &v0)?;
        admissible::check::<S, T>(&parameters, &q0, &v0)?;
        let start = |cause: Failure| Error::Start { cause };
        let prepared = method.prepare(&parameters, h).map_err(start)?;
        let t = T::from_f64(0.0);
        let state = method.start(&parameters, h, &q0, &v0, t, &inputs).map_err(start)?;
        Ok(Simulation { system, method, h, parameters, prepared, inputs, state, steps: 0 })
    }

    /// One step with the inputs held. After every 4096th, numbers of the state that are subnormal, below
    /// 2.3 · 10⁻³⁰⁸, are zero.
    ///
    /// # Errors
    /// [`Error::Step`] says which step failed and why; the simulation is as it was before.
    #[inline]
    pub fn step(&mut self) -> Result<(), Error> {
        let inputs = self.inputs;
        self.take_step(&inputs)
    }

    /// One step with other inputs, which are held from then on.
    ///
    /// # Errors
    /// [`Error::NonFinite`] and [`Error::Step`]; the simulation is as it was before.
    #[inline]
    pub fn step_with(&mut self, inputs: &(impl Into<S::Inputs<T>> + Copy)) -> Result<(), Error> {
        let inputs: S::Inputs<T> = (*inputs).into();
        finite(Quantity::Input, S::INPUTS, inputs.as_ref())?;
        self.take_step(&inputs)?;
        self.inputs = inputs;
        Ok(())
    }

    /// A step. A short one is compiled where it is taken.
    #[inline]
    fn take_step(&mut self, inputs: &S::Inputs<T>) -> Result<(), Error> {
        if const { !M::LENGTH.is_short() || cfg!(debug_assertions) } {
            return self.take_steps(1, inputs);
        }
        self.take_step_here(inputs)
    }

    /// Steps whose results are looked at, one by one, compiled once: most of what a build takes is what it
    /// compiles steps.
    #[inline]
    fn take_steps(&mut self, steps: u64, inputs: &S::Inputs<T>) -> Result<(), Error> {
        M::by_itself(|| {
            // A loop of its own: every function that a step is inlined through is optimised once more.
            for _ in 0..steps {
                self.take_step_here(inputs)?;
            }
            Ok(())
        })
    }

    #[inline(always)]
    fn take_step_here(&mut self, inputs: &S::Inputs<T>) -> Result<(), Error> {
        let time = self.time();
        let Simulation { method, prepared, state, steps, .. } = self;
        method::step::<S, M, T>(method, prepared, state, *steps, time, inputs)
            .map_err(|cause| Error::Step { step: *steps + 1, time: time.to_f64(), cause })?;
        *steps += 1;
        Ok(())
    }

    /// Samples of the trajectory: the present one first, then one after every `every` steps (at
    /// least one), without end.
    ///
    /// The samples borrow the simulation and advance it. After an error there are no more, and the
    /// simulation stands where the last step that succeeded led.
    pub fn samples(&mut self, every: usize) -> Samples<'_, S, M, T> {
        Samples::new(self, every)
    }

    /// The present sample of the trajectory.
    pub fn sample(&self) -> SampleOf<S, T> {
        Sample {
            k: self.steps,
            t: self.time(),
            q: self.q(),
            v: self.v(),
            p: self.p(),
            lambda: self.multipliers(),
            energy: self.energy(),
        }
    }

    /// t = k h.
    #[inline]
    pub fn time(&self) -> T {
        T::from_f64(self.steps as f64) * self.h
    }

    /// Number k of steps taken.
    #[inline]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The step size.
    #[inline]
    pub fn h(&self) -> T {
        self.h
    }

    /// Configuration q.
    #[inline]
    pub fn q(&self) -> S::Configuration<T> {
        self.state.q()
    }

    /// Velocity v = dq/dt.
    #[inline]
    pub fn v(&self) -> S::Velocity<T> {
        self.state.v()
    }

    /// Momentum p = ∂L/∂v.
    pub fn p(&self) -> S::Velocity<T> {
        S::momentum(&self.parameters, &self.q(), &self.v())
    }

    /// Multipliers λ of the last step, one per constraint: the reaction is +μᵀλ. They are forces, the
    /// impulse of a step is h λ: λ in newtons for a constraint in metres per second, in newton metres
    /// for one in radians per second. Before the first step, those of the start.
    ///
    /// | method | the continuous λ up to |
    /// |---|---|
    /// | [`Dla2`](crate::Dla2), [`Dla2Midpoint`](crate::Dla2Midpoint), Runge–Kutta | O(h²) in the middle of the step, O(h) at its end |
    /// | [`Rattle`](crate::Rattle), [`GniMidpoint`](crate::GniMidpoint) with the consistent start, [`RattleRestarted`](crate::RattleRestarted) | O(h²) at its end, while the parasitic mode is small |
    /// | other methods on the constraint manifold, and compositions, of whose last substep λ is | O(h) |
    /// | other starts, [`GniEulerA`](crate::GniEulerA) and its kin | O(1): the parasitic mode |
    ///
    /// Where λ is wanted as accurately as the state, [`Simulation::acceleration`] has it.
    #[inline]
    pub fn multipliers(&self) -> S::Multipliers<T> {
        self.state.lambda()
    }

    /// The reaction μ(q)ᵀλ with the [multipliers](Simulation::multipliers) of the last step, a mean over
    /// it: a force for each coordinate that is a length, a torque for one that is an angle. Costs n + 1
    /// evaluations of the constraints.
    pub fn reaction(&self) -> S::Velocity<T> {
        reaction::<S, T>(&self.parameters, &self.q(), &self.multipliers())
    }

    /// μ(q)v + μ₀(q), one per constraint in its unit: rounding for the methods that stay on the constraint
    /// manifold; Runge–Kutta methods drift off. Costs an evaluation of the constraints.
    pub fn residual(&self) -> S::Multipliers<T> {
        S::residual(&self.parameters, &self.q(), &self.v())
    }

    /// Energy E = ∂L/∂v · v − L. Costs its evaluation.
    pub fn energy(&self) -> T {
        S::energy(&self.parameters, &self.q(), &self.v())
    }

    /// The momenta p·ξ of the [symmetries](System::SYMMETRIES) that were found in the declaration, each
    /// with its name, such as `p_phi`. Costs an evaluation of p.
    ///
    /// Continuous motions conserve them. So do, up to rounding, all DLA methods and all reflecting ones
    /// where ξᵀM does not depend on q; where it does, [`Dla2`](crate::Dla2) conserves what differs from
    /// them by O(h²), and the others still do.
    pub fn momenta(&self) -> impl Iterator<Item = (&'static str, T)> + use<S, M, T> {
        let p = self.p();
        S::SYMMETRIES.iter().map(move |symmetry| {
            let terms = p.as_ref().iter().zip(symmetry.direction);
            (symmetry.momentum, sum(terms.map(|(&p, &xi)| p * T::from_f64(xi))))
        })
    }

    /// The nonholonomic momentum J_b = ⟨p, (0, e_b(q))⟩ along the [basis](System::momentum_basis) e_b of the
    /// admissible velocities of the pose alone, one number per vector; none without a group factor. Costs
    /// evaluations of p and the basis.
    ///
    /// Reactions do not act along e_b, so that continuous motions obey the momentum equation
    ///
    /// ```text
    /// dJ_b/dt = ⟨∂L/∂ξ, de_b/dt + [ξ, e_b]⟩ + (f + ∂L/∂g)·e_b
    /// ```
    ///
    /// (Bloch, Krishnaprasad, Marsden and Murray, *Nonholonomic mechanical systems with symmetry*, Arch.
    /// Rational Mech. Anal. 136, 1996; ∂L/∂g is zero for a Lagrangian that is invariant under the group).
    pub fn nonholonomic_momentum(&self) -> impl Iterator<Item = T> + use<S, M, T> {
        let p = self.p();
        let basis = S::momentum_basis(&self.parameters, &self.q());
        (0..basis.as_ref().len()).filter_map(move |b| {
            let e = basis.as_ref().get(b)?;
            Some(sum(p.as_ref().iter().zip(e.as_ref()).map(|(&p, &e)| p * e)))
        })
    }

    /// dv/dt and the multipliers λ of the continuous equations at the present state and inputs.
    ///
    /// # Errors
    /// [`Error::Acceleration`] where the equations are singular.
    pub fn acceleration(&self) -> Result<Acceleration<S, T>, Error> {
        S::acceleration_of(&self.parameters, &self.q(), &self.v(), self.time(), &self.inputs)
            .map_err(|cause| Error::Acceleration { cause })
    }

    /// The control inputs held.
    pub fn inputs(&self) -> S::Inputs<T> {
        self.inputs
    }

    /// The system.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The method.
    pub fn method(&self) -> &M {
        &self.method
    }

    /// What steps do not change.
    #[cfg(feature = "std")]
    pub(crate) fn constants(&self) -> (&S::Parameters<T>, &M::Prepared<T>) {
        (&self.parameters, &self.prepared)
    }

    /// All that the method carries from step to step.
    pub fn state(&self) -> &M::State<T> {
        &self.state
    }
}

impl<S: System, M: Method<S> + Reflecting, T: Scalar> Simulation<S, M, T> {
    /// The parasitic part of the state, η = ‖½(p⁻ − p⁺) − ½h μᵀΛ(q, v)‖ with the momenta p⁺ before
    /// and p⁻ after the reflection and the multipliers Λ of the continuous equations.
    ///
    /// The reflection has the eigenvalue −1 on the reaction forces, and there the method adds to
    /// the motion an oscillation from step to step that has no counterpart in the equations.
    /// Without it, η is O(h³). On some systems it grows exponentially: stop trusting the run when
    /// η is no longer small beside p, and use a method on the constraint manifold, such as
    /// [`Dla2`](crate::Dla2). η has the unit of a momentum (coordinates of different units need scales of
    /// your own) and costs about a step.
    ///
    /// # Errors
    /// [`Error::Acceleration`] where the equations are singular.
    pub fn parasite(&self) -> Result<T, Error> {
        let (q, (v_pre, v_post)) = (self.q(), self.state.jump());
        let p_pre = S::momentum(&self.parameters, &q, &v_pre);
        let p_post = S::momentum(&self.parameters, &q, &v_post);
        let (_, lambda) = self.acceleration()?;
        let reaction = reaction::<S, T>(&self.parameters, &q, &lambda);
        let jumps = p_pre.as_ref().iter().zip(p_post.as_ref());
        let half = T::from_f64(0.5);
        let eta2 = jumps.zip(reaction.as_ref()).map(|((&pre, &post), &reaction)| {
            let eta = half * (post - pre) - half * self.h * reaction;
            eta * eta
        });
        Ok(sum(eta2).sqrt())
    }
}

/// Steps of [`Simulation::advance`] between two looks at the results: many beside what a look costs, and those after
/// which a state settles.
const STRIDE: u64 = method::SETTLING;

/// Vector registers without AVX-512.
const REGISTERS: usize = 16;

/// What is made of an initial velocity: a function, so that who gives an admissible one has no projection
/// compiled.
type Admissible<S, T> = fn(
    &<S as System>::Parameters<T>,
    &<S as System>::Configuration<T>,
    &<S as System>::Velocity<T>,
) -> Result<<S as System>::Velocity<T>, Error>;

fn as_given<S: System, T: Scalar>(
    _: &S::Parameters<T>,
    _: &S::Configuration<T>,
    v: &S::Velocity<T>,
) -> Result<S::Velocity<T>, Error> {
    Ok(*v)
}

fn nearest<S: System>(
    parameters: &S::Parameters<f64>,
    q: &S::Configuration<f64>,
    v: &S::Velocity<f64>,
) -> Result<S::Velocity<f64>, Error> {
    S::project(parameters, q, v).map_err(|cause| Error::Projection { cause })
}
