//! Simulations with data that the short constructors leave at zero.

use super::{AdaptiveSimulation, Clock, Point, as_given};
use crate::tolerance::{Controller, first_size};
use crate::{AnyStepSize, Error, Fits, Method, Simulation, System, Vector};
use nhi_methods::Variant;

/// The data of a [`Simulation`], one by one; see [`Simulation::builder`].
///
/// `P` and `H` are types of what has been given: the initial state, or [`NoStart`], and the step size, a [`Tolerance`], or
/// [`NoStepSize`]. Without them there is no [`build`](Builder::build).
#[derive(Clone, Copy, Debug)]
pub struct Builder<S: System, M, P, H> {
    system: S,
    method: M,
    t0: f64,
    inputs: S::Inputs<f64>,
    z0: S::States<f64>,
    start: P,
    h: H,
}

/// A [`Builder`] lacks its [`start`](Builder::start).
#[derive(Clone, Copy, Debug)]
pub struct NoStart;

/// A [`Builder`] lacks its [`step_size`](Builder::step_size) or [`tolerance`](Builder::tolerance).
#[derive(Clone, Copy, Debug)]
pub struct NoStepSize;

/// A [`Builder`] has a [`tolerance`](Builder::tolerance).
#[derive(Clone, Copy, Debug)]
pub struct Tolerance(f64);

impl<S: System, M: Method<S>> Simulation<S, M> {
    /// A simulation whose data are given by name: the [initial state](Builder::start) and the
    /// [step size](Builder::step_size) or the [tolerance](Builder::tolerance), and, unless they are zero, the [time](Builder::at), the
    /// [inputs](Builder::inputs) and the [auxiliary states](Builder::states) of the start.
    ///
    /// ```
    /// use nhi_runtime::prelude::*;
    ///
    /// #[derive(Nonholonomic)]
    /// #[nonholonomic(
    ///     coordinates(x),
    ///     inputs(push),
    ///     lagrangian = m/2*dot(x)^2,
    ///     constraints(),
    ///     force = push*sin(w*t)*dx,
    /// )]
    /// struct Cart { m: f64, w: f64 }
    ///
    /// let mut sim = Simulation::builder(Cart { m: 2.0, w: 3.0 }, Dla2)
    ///     .at(10.0)
    ///     .start([0.0], [1.0])
    ///     .inputs(&[0.5])
    ///     .step_size(0.01)
    ///     .build()?;
    /// sim.step()?;
    /// assert_eq!(sim.time(), 10.01);
    /// # Ok::<(), nhi_runtime::Error>(())
    /// ```
    pub fn builder(system: S, method: M) -> Builder<S, M, NoStart, NoStepSize> {
        let (inputs, z0) = (S::Inputs::splat(0.0), S::States::splat(0.0));
        Builder { system, method, t0: 0.0, inputs, z0, start: NoStart, h: NoStepSize }
    }
}

impl<S: System, M, P, H> Builder<S, M, P, H> {
    /// The time of the start, which is zero otherwise.
    #[must_use]
    pub fn at(self, t0: f64) -> Self {
        Builder { t0, ..self }
    }

    /// The control inputs of the start, which are held until others are given. They are zero otherwise.
    #[must_use]
    pub fn inputs(self, inputs: &(impl Fits<S::Inputs<f64>> + Copy)) -> Self {
        Builder { inputs: (*inputs).fit(), ..self }
    }

    /// The auxiliary states of the start, in the order of [`System::STATES`]. They are zero otherwise.
    #[must_use]
    pub fn states(self, z0: impl Fits<S::States<f64>>) -> Self {
        Builder { z0: z0.fit(), ..self }
    }

    /// The initial configuration and velocity, as [`Simulation::new`] takes them.
    #[must_use]
    pub fn start(
        self,
        q0: impl Fits<S::Configuration<f64>>,
        v0: impl Fits<S::Velocity<f64>>,
    ) -> Builder<S, M, Point<S, f64>, H> {
        let Builder { system, method, t0, inputs, z0, start: _, h } = self;
        Builder { system, method, t0, inputs, z0, start: (q0.fit(), v0.fit()), h }
    }

    /// The step size. It may be negative.
    #[must_use]
    pub fn step_size(self, h: f64) -> Builder<S, M, P, f64> {
        let Builder { system, method, t0, inputs, z0, start, h: _ } = self;
        Builder { system, method, t0, inputs, z0, start, h }
    }

    /// The tolerance, from which the sizes of all steps follow: an [`AdaptiveSimulation`] takes them, whose documentation states the
    /// estimate of errors and the controller. Its error is that of a pair of steps, relative for numbers above 1, and absolute below.
    ///
    /// ```
    /// use nhi_runtime::prelude::*;
    ///
    /// #[derive(Nonholonomic)]
    /// #[nonholonomic(
    ///     coordinates(theta, x, y),
    ///     lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    ///     constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    ///     methods(Frame),
    /// )]
    /// struct Sleigh { J: f64, m: f64, a: f64 }
    ///
    /// let sleigh = Sleigh { J: 1.0, m: 1.0, a: 0.2 };
    /// let mut sim =
    ///     Simulation::builder(sleigh, Frame).start([0.0; 3], [1.0, 0.5, 0.2]).tolerance(1e-6).build()?;
    /// let energy = sim.energy();
    /// sim.run_until(10.0)?;
    /// assert_eq!(sim.time(), 10.0);
    /// assert!((sim.energy() - energy).abs() < 1e-13);
    /// # Ok::<(), nhi_runtime::Error>(())
    /// ```
    ///
    /// Methods whose state belongs to one step size, such as [`Rattle`](crate::Rattle), take no steps of other sizes: with them this
    /// does not compile. Nor does what takes a given number of steps of one size, such as [`Simulation::advance`].
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Builder<S, M, P, Tolerance>
    where
        M: Method<S>,
        M::State<f64>: AnyStepSize,
    {
        let Builder { system, method, t0, inputs, z0, start, h: _ } = self;
        Builder { system, method, t0, inputs, z0, start, h: Tolerance(tolerance) }
    }
}

impl<S: System, M: Method<S>> Builder<S, M, Point<S, f64>, Tolerance>
where
    M::State<f64>: AnyStepSize,
{
    /// Starts the simulation.
    ///
    /// # Errors
    /// [`Error::Tolerance`], and as [`Simulation::new`].
    pub fn build(self) -> Result<AdaptiveSimulation<S, M>, Error> {
        let Builder { system, method, t0, inputs, z0, start, h: Tolerance(tolerance) } = self;
        let (parameters, (q, v)) = (system.parameters(), &start);
        let acceleration = S::acceleration_of(&parameters, q, v, &z0, t0, &inputs).ok();
        let a = acceleration.as_ref().map(|(a, _)| a.as_ref());
        let h = first_size(q.as_ref(), v.as_ref(), a);
        // Compositions of a user's own coefficients have at least the order of their method, 2.
        let order = Variant::with_id(method.id()).map_or(2, |variant| variant.order());
        let controller = Controller::new(tolerance, order, h).ok_or(Error::Tolerance { tolerance })?;
        let clock = Clock::new(t0, h);
        let simulation =
            Simulation::build(system, method, parameters, start, (z0, inputs), clock, as_given::<S, f64>)?;
        Ok(AdaptiveSimulation::new(simulation, controller))
    }
}

impl<S: System, M: Method<S>> Builder<S, M, Point<S, f64>, f64> {
    /// Starts the simulation.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn build(self) -> Result<Simulation<S, M>, Error> {
        let Builder { system, method, t0, inputs, z0, start, h } = self;
        let (parameters, clock) = (system.parameters(), Clock::new(t0, h));
        Simulation::build(system, method, parameters, start, (z0, inputs), clock, as_given::<S, f64>)
    }
}
