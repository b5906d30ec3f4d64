//! Derivatives of steps.

use crate::group::{Cayley, Exp};
use crate::mechanics::sum;
use crate::system::Rows;
use crate::{Dual, Error, Failure, Fits, Method, Scalar, Simulation, System, Vector};
use core::fmt::Debug;

/// Tangent coordinates of a system, in which the [derivatives](Simulation::linearize) of steps are given; implemented by
/// `#[derive(Nonholonomic)]` for a declaration that has derivatives, `methods(Dla2 + derivatives)`.
///
/// A state is x = (q, ν, z): the configuration, quasi-velocities ν and auxiliary states. The admissible velocities are
///
/// ```text
/// v = X(q) ν + v₀(q, t, u),   ν = Y(q) v,   Y X = 1,   Y v₀ = 0,
/// ```
///
/// with d = n − m quasi-velocities for n velocities and m constraints. ν are velocities that the constraints leave free, or
/// combinations of two. Where inputs drive constraints, their part of v₀ is orthogonal to the columns of X in the kinetic metric, so
/// that the momentum Xᵀ M v does not depend on them. A tangent vector has the NX = n + d + |z| entries (δq, δν, δz), in this order,
/// where a pose has the entries g⁻¹ δg, those of a velocity of the body.
///
/// Where X is infinite or Y is, the coordinates are not defined, and neither are derivatives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tangent coordinates",
    note = "a system has them if its declaration asks for derivatives, #[nonholonomic(methods(Dla2 + derivatives, ...))]"
)]
pub trait Tangential: System {
    /// (δq, δν, δz), length NX.
    type Tangent<T: Scalar>: Vector<T> + Rows;
    /// ν, length d.
    type QuasiVelocity<T: Scalar>: Vector<T> + Rows;
    /// X, v₀ and Y at a configuration.
    fn basis<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> BasisOf<Self, T>;

    /// The quasi-velocities ν = Y(q) v.
    #[inline(always)]
    fn quasi_velocity<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Self::QuasiVelocity<T> {
        let Basis { y, .. } = Self::basis(parameters, q, t, inputs);
        let mut nu = Self::QuasiVelocity::splat(T::from_f64(0.0));
        for (nu, row) in nu.as_mut().iter_mut().zip(y.as_ref()) {
            *nu = product(row.as_ref(), v.as_ref());
        }
        nu
    }

    /// The admissible velocity v = X(q) ν + v₀(q, t, u).
    #[inline(always)]
    fn velocity<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        nu: &Self::QuasiVelocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Self::Velocity<T> {
        let Basis { x, v0, .. } = Self::basis(parameters, q, t, inputs);
        let mut v = v0;
        for (v, row) in v.as_mut().iter_mut().zip(x.as_ref()) {
            *v = *v + product(row.as_ref(), nu.as_ref());
        }
        v
    }

    /// The derivatives ∂(X(q) ν + v₀)/∂q of the admissible velocity at fixed ν, n × n, a row for each velocity. Poses are displaced by
    /// g exp(δg), and have the columns of their velocities. With this, δv = X δν + ∂(X ν + v₀)/∂q δq.
    fn basis_derivative(
        parameters: &Self::Parameters<f64>,
        q: &Self::Configuration<f64>,
        nu: &Self::QuasiVelocity<f64>,
        t: f64,
        inputs: &Self::Inputs<f64>,
    ) -> Matrix<Self::Velocity<f64>, Self::Velocity<f64>> {
        let mut matrix = Self::Velocity::rows(Self::Velocity::splat(0.0));
        for column in 0..Self::VELOCITIES.len() {
            let mut by: Self::Velocity<Dual<f64>> = Self::Velocity::splat(Dual::constant(0.0));
            by.as_mut().iter_mut().skip(column).take(1).for_each(|by| by.eps = [1.0]);
            let q: Self::Configuration<Dual<f64>> = constant(q);
            let (parameters, nu) = (constant(parameters), constant(nu));
            let v = Self::velocity(
                &parameters,
                &q.displaced(by.as_ref()),
                &nu,
                Dual::constant(t),
                &constant(inputs),
            );
            for (row, v) in matrix.as_mut().iter_mut().zip(v.as_ref()) {
                row.as_mut().iter_mut().skip(column).take(1).for_each(|entry| *entry = v.eps[0]);
            }
        }
        matrix
    }

    /// x ⊕ δ: the state that is displaced by a tangent vector. Poses are displaced by g exp(δg), all others by addition.
    fn retract<T: Scalar>(x: &ReducedOf<Self, T>, delta: &Self::Tangent<T>) -> ReducedOf<Self, T> {
        let mut delta = delta.as_ref().iter().copied();
        let mut by = Self::Velocity::splat(T::from_f64(0.0));
        by.as_mut().iter_mut().zip(&mut delta).for_each(|(by, delta)| *by = delta);
        let Reduced { q, mut nu, mut z } = *x;
        let others = nu.as_mut().iter_mut().chain(z.as_mut());
        others.zip(delta).for_each(|(x, delta)| *x = *x + delta);
        Reduced { q: q.displaced(by.as_ref()), nu, z }
    }

    /// The tangent vector δ with `from` ⊕ δ = `to`: log(g⁻¹g') of poses, with the smallest rotation, so that full turns of an
    /// angle of SE(2) do not count; differences of all others.
    fn difference<T: Scalar>(from: &ReducedOf<Self, T>, to: &ReducedOf<Self, T>) -> Self::Tangent<T> {
        let mut by = Self::Velocity::splat(T::from_f64(0.0));
        from.q.displacement(&to.q, by.as_mut());
        let entries = |x: &ReducedOf<Self, T>| (x.nu, x.z);
        let ((nu, z), (nu_to, z_to)) = (entries(from), entries(to));
        let before = nu.as_ref().iter().chain(z.as_ref());
        let after = nu_to.as_ref().iter().chain(z_to.as_ref());
        let others = after.zip(before).map(|(&after, &before)| after - before);
        let mut delta = Self::Tangent::splat(T::from_f64(0.0));
        let all = by.as_ref().iter().copied().chain(others);
        delta.as_mut().iter_mut().zip(all).for_each(|(delta, x)| *delta = x);
        delta
    }
}

/// The same numbers without derivatives.
fn constant<V: Vector<Dual<f64>>>(numbers: &impl AsRef<[f64]>) -> V {
    let mut constant = V::splat(Dual::constant(0.0));
    constant.as_mut().iter_mut().zip(numbers.as_ref()).for_each(|(to, &x)| to.re = x);
    constant
}

/// Σ aᵢ bᵢ.
fn product<T: Scalar>(a: &[T], b: &[T]) -> T {
    sum(a.iter().zip(b).map(|(&a, &b)| a * b))
}

/// A system that does not depend on time explicitly, and whose constraints do not depend on inputs: what derivatives of
/// [composed](crate::Compose) steps need. Implemented by `#[derive(Nonholonomic)]`.
#[diagnostic::on_unimplemented(
    message = "composed steps of `{Self}` are not differentiated",
    label = "it depends on time, or its constraints on inputs",
    note = "the derivatives of the parts do not determine those of their composition then; those of `Dla2` itself are known"
)]
pub trait Steady: Tangential {}

/// A matrix with a row for each entry of a vector `R`, and in each row the entries of a vector `C`: `[[T; 3]; 5]`.
pub type Matrix<R, C> = <R as Rows>::Of<C>;

/// A basis of the admissible velocities, v = X ν + v₀ and ν = Y v; see [`Tangential`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Basis<X, V, Y> {
    /// X, n × d.
    pub x: X,
    /// v₀, length n.
    pub v0: V,
    /// Y, d × n.
    pub y: Y,
}

/// The basis of the system `S` in the number type `T`.
pub type BasisOf<S, T = f64> = Basis<
    Matrix<<S as System>::Velocity<T>, <S as Tangential>::QuasiVelocity<T>>,
    <S as System>::Velocity<T>,
    Matrix<<S as Tangential>::QuasiVelocity<T>, <S as System>::Velocity<T>>,
>;

/// A state x = (q, ν, z); see [`Tangential`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reduced<Q, N, Z> {
    /// Configuration.
    pub q: Q,
    /// Quasi-velocities.
    pub nu: N,
    /// Auxiliary states.
    pub z: Z,
}

/// The state x of the system `S` in the number type `T`.
pub type ReducedOf<S, T = f64> =
    Reduced<<S as System>::Configuration<T>, <S as Tangential>::QuasiVelocity<T>, <S as System>::States<T>>;

/// The derivatives of a step, x' = F(x, u) with multipliers λ', by state and inputs; see [`Simulation::linearize`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Linearization<A, B, X, U> {
    /// A = ∂x'/∂x, NX × NX.
    pub a: A,
    /// B = ∂x'/∂u, NX × K for K inputs.
    pub b: B,
    /// ∂λ'/∂x, m × NX.
    pub lambda_x: X,
    /// ∂λ'/∂u, m × K.
    pub lambda_u: U,
}

/// The derivatives of a step of the system `S` in the number type `T`.
pub type LinearizationOf<S, T = f64> = Linearization<
    Matrix<<S as Tangential>::Tangent<T>, <S as Tangential>::Tangent<T>>,
    Matrix<<S as Tangential>::Tangent<T>, <S as System>::Inputs<T>>,
    Matrix<<S as System>::Multipliers<T>, <S as Tangential>::Tangent<T>>,
    Matrix<<S as System>::Multipliers<T>, <S as System>::Inputs<T>>,
>;

/// The derivatives of a step, x' = F(x; p, h), by parameters and step size; see [`Simulation::linearize_parameters`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParameterLinearization<C, H> {
    /// C = ∂x'/∂p, NX × parameters.
    pub c: C,
    /// ∂x'/∂h, length NX.
    pub h: H,
}

/// The same of the system `S` in the number type `T`.
pub type ParameterLinearizationOf<S, T = f64> = ParameterLinearization<
    Matrix<<S as Tangential>::Tangent<T>, <S as System>::Parameters<T>>,
    <S as Tangential>::Tangent<T>,
>;

/// Products of a covector w of the state after a step with its derivatives; see [`Simulation::pull_back`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PulledBack<A, B, C, T> {
    /// wᵀA, length NX.
    pub a: A,
    /// wᵀB, one per input.
    pub b: B,
    /// wᵀC, one per parameter.
    pub c: C,
    /// wᵀ∂x'/∂h.
    pub h: T,
}

/// The same of the system `S` in the number type `T`.
pub type PulledBackOf<S, T = f64> =
    PulledBack<<S as Tangential>::Tangent<T>, <S as System>::Inputs<T>, <S as System>::Parameters<T>, T>;

/// Second derivatives of w·x' for a covector w of the state x' after a step, and the first derivatives of x'; see
/// [`Simulation::curvature`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Curvature<X, M, U> {
    /// ∂²/∂x², symmetric, NX × NX.
    pub xx: X,
    /// ∂²/∂x∂u, NX × K.
    pub xu: M,
    /// ∂²/∂u², symmetric, K × K.
    pub uu: U,
    /// A = ∂x'/∂x, NX × NX.
    pub a: X,
    /// B = ∂x'/∂u, NX × K.
    pub b: M,
}

/// The same of the system `S` in the number type `T`.
pub type CurvatureOf<S, T = f64> = Curvature<
    Matrix<<S as Tangential>::Tangent<T>, <S as Tangential>::Tangent<T>>,
    Matrix<<S as Tangential>::Tangent<T>, <S as System>::Inputs<T>>,
    Matrix<<S as System>::Inputs<T>, <S as System>::Inputs<T>>,
>;

/// A retraction whose tangents are the derivatives of the motion, and for which τ(−x) = τ(x)⁻¹: what derivatives of steps need.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "steps with the retraction `{Self}` are not differentiated",
    note = "the derivatives of steps are known with the retractions `Exp` and `Cayley`"
)]
pub trait ExactTangents {}

impl ExactTangents for Exp {}
impl ExactTangents for Cayley {}

/// A method whose steps can be differentiated for the system `S`: what [`Simulation::linearize`] needs.
/// `#[derive(Nonholonomic)]` implements it where the declaration asks for derivatives. The functions are inlined, so that results
/// of such a size are not copied.
#[diagnostic::on_unimplemented(
    message = "the steps of `{Self}` are not differentiated for `{S}`",
    label = "these steps are not differentiated",
    note = "derivatives are asked for method by method, #[nonholonomic(methods(Dla2 + derivatives, ...))]",
    note = "on groups they are known with the retractions `Exp` and `Cayley`"
)]
pub trait Differentiable<S: Tangential>: Method<S, Memory = Remembers> {
    /// Writes what [`Differentiable::linearize`] returns. Here and in the other functions that write, what they have written has
    /// no meaning after a failure.
    ///
    /// # Errors
    /// Those of the step.
    fn linearize_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        to: &mut LinearizationOf<S, T>,
    ) -> Result<(), Failure>;

    /// Writes what [`Differentiable::linearize_parameters`] returns.
    ///
    /// # Errors
    /// Those of the step.
    fn linearize_parameters_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        to: &mut ParameterLinearizationOf<S, T>,
    ) -> Result<(), Failure>;

    /// Writes what [`Differentiable::pull_back`] returns.
    ///
    /// # Errors
    /// Those of the step.
    fn pull_back_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        w: &S::Tangent<T>,
        to: &mut PulledBackOf<S, T>,
    ) -> Result<(), Failure>;

    /// Writes what [`Differentiable::curvature`] returns.
    ///
    /// # Errors
    /// Those of the step.
    fn curvature_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        w: &S::Tangent<T>,
        to: &mut CurvatureOf<S, T>,
    ) -> Result<(), Failure>;

    /// A, B, ∂λ'/∂x and ∂λ'/∂u of the step that begins there.
    ///
    /// # Errors
    /// Those of the step.
    #[inline(always)]
    fn linearize<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
    ) -> Result<LinearizationOf<S, T>, Failure> {
        let mut to = no_linearization::<S, T>();
        self.linearize_to(parameters, from, &mut to)?;
        Ok(to)
    }

    /// C and ∂x'/∂h of the same step.
    ///
    /// # Errors
    /// Those of the step.
    #[inline(always)]
    fn linearize_parameters<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
    ) -> Result<ParameterLinearizationOf<S, T>, Failure> {
        let mut to = no_parameter_linearization::<S, T>();
        self.linearize_parameters_to(parameters, from, &mut to)?;
        Ok(to)
    }

    /// wᵀA, wᵀB, wᵀC and wᵀ∂x'/∂h of the same step.
    ///
    /// # Errors
    /// Those of the step.
    #[inline(always)]
    fn pull_back<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        w: &S::Tangent<T>,
    ) -> Result<PulledBackOf<S, T>, Failure> {
        let mut to = nothing_pulled_back::<S, T>();
        self.pull_back_to(parameters, from, w, &mut to)?;
        Ok(to)
    }

    /// The second derivatives of w·x' of the same step.
    ///
    /// # Errors
    /// Those of the step.
    #[inline(always)]
    fn curvature<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        w: &S::Tangent<T>,
    ) -> Result<CurvatureOf<S, T>, Failure> {
        let mut to = no_curvature::<S, T>();
        self.curvature_to(parameters, from, w, &mut to)?;
        Ok(to)
    }
}

// Derivatives are written over zeros, which an optimised build does not store.

fn zeros<R: Rows, C: Vector<T>, T: Scalar>() -> Matrix<R, C> {
    R::rows(C::splat(T::from_f64(0.0)))
}

fn no_linearization<S: Tangential, T: Scalar>() -> LinearizationOf<S, T> {
    let (a, b) = (zeros::<S::Tangent<T>, S::Tangent<T>, T>(), zeros::<S::Tangent<T>, S::Inputs<T>, T>());
    let lambda_x = zeros::<S::Multipliers<T>, S::Tangent<T>, T>();
    Linearization { a, b, lambda_x, lambda_u: zeros::<S::Multipliers<T>, S::Inputs<T>, T>() }
}

fn no_parameter_linearization<S: Tangential, T: Scalar>() -> ParameterLinearizationOf<S, T> {
    let c = zeros::<S::Tangent<T>, S::Parameters<T>, T>();
    ParameterLinearization { c, h: S::Tangent::splat(T::from_f64(0.0)) }
}

fn nothing_pulled_back<S: Tangential, T: Scalar>() -> PulledBackOf<S, T> {
    let h = T::from_f64(0.0);
    PulledBack { a: S::Tangent::splat(h), b: S::Inputs::splat(h), c: S::Parameters::splat(h), h }
}

pub(crate) fn no_curvature<S: Tangential, T: Scalar>() -> CurvatureOf<S, T> {
    let (xx, xu) = (zeros::<S::Tangent<T>, S::Tangent<T>, T>(), zeros::<S::Tangent<T>, S::Inputs<T>, T>());
    Curvature { xx, xu, uu: zeros::<S::Inputs<T>, S::Inputs<T>, T>(), a: xx, b: xu }
}

/// What a simulation keeps of the step that it takes: [`Remembers`] or [`Forgets`].
#[doc(hidden)]
pub trait Memory {
    /// Memory of an `X`.
    type Of<X: Copy + Debug>: Kept<X>;
}

/// Keeps nothing, for methods whose steps are not differentiated.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Forgets;

/// Keeps the state before the step, from which derivatives are computed.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Remembers;

impl Memory for Forgets {
    type Of<X: Copy + Debug> = ();
}

impl Memory for Remembers {
    type Of<X: Copy + Debug> = Option<X>;
}

/// An `X` that is kept, or nothing.
#[doc(hidden)]
pub trait Kept<X>: Copy + Debug {
    /// Whether there is a place for it.
    const KEEPS: bool;
    /// Nothing yet.
    const NOTHING: Self;
    /// What `make` returns, if there is a place for it.
    fn of(make: impl FnOnce() -> X) -> Self;
}

impl<X> Kept<X> for () {
    const KEEPS: bool = false;
    const NOTHING: Self = ();
    #[inline(always)]
    fn of(_: impl FnOnce() -> X) -> Self {}
}

impl<X: Copy + Debug> Kept<X> for Option<X> {
    const KEEPS: bool = true;
    const NOTHING: Self = None;
    #[inline(always)]
    fn of(make: impl FnOnce() -> X) -> Self {
        Some(make())
    }
}

/// Where a step begins: what its [derivatives](Differentiable) are computed from, beside the parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Departure<X, U, T> {
    /// The state before the step. Its multipliers are the first guess of Newton's method.
    pub state: X,
    /// The inputs, which are held over the step.
    pub inputs: U,
    /// The time.
    pub t: T,
    /// The size of the step.
    pub h: T,
}

/// Where a step of the method `M` of the system `S` begins, in the number type `T`.
pub type DepartureOf<S, M, T = f64> = Departure<<M as Method<S>>::State<T>, <S as System>::Inputs<T>, T>;

/// Where the last step of a simulation began, if its method remembers that.
pub(crate) type Last<S, M, T> = <<M as Method<S>>::Memory as Memory>::Of<DepartureOf<S, M, T>>;

// Compiled once for a system and a method, wherever they are called: derivatives are long.
impl<S: System, M: Method<S>, T: Scalar> Simulation<S, M, T> {
    /// The derivatives of the step just taken, x' = F(x, u), and of its multipliers λ' by the state x = (q, ν, z) before it
    /// and the inputs u, which are held over it:
    ///
    /// | field | | shape |
    /// |---|---|---|
    /// | `a` | A = ∂x'/∂x | NX × NX |
    /// | `b` | B = ∂x'/∂u | NX × K |
    /// | `lambda_x` | ∂λ'/∂x | m × NX |
    /// | `lambda_u` | ∂λ'/∂u | m × K |
    ///
    /// All are arrays of rows. [`Tangential`] says what the entries of x and of tangent vectors are. The inputs act during the
    /// step: the velocity before it is as it was.
    ///
    /// If inputs drive a constraint, the velocity before the step is one of the same drive.
    ///
    /// They are exact for the discrete step, by the implicit function theorem at its solution, which is computed once more. The
    /// derivatives are those of the plain step: re-synchronisation of sines and flushes of subnormal numbers are rounding.
    ///
    /// # Errors
    /// [`Error::NoStep`] before the first step, and after a change of the state or the parameters;
    /// [`Error::Derivatives`] where the equations of the step are singular.
    #[inline(never)]
    pub fn linearize(&self) -> Result<LinearizationOf<S, T>, Error>
    where
        S: Tangential,
        M: Differentiable<S>,
    {
        self.method().linearize(self.parameters(), self.departure()?).map_err(undefined)
    }

    /// The derivatives of the step just taken by the parameters of the system, C = ∂x'/∂p (`c`, NX × parameters, in the order
    /// of [`System::PARAMETERS`]), and by its size, ∂x'/∂h (`h`, length NX). The step begins at the same x = (q, ν, z), so
    /// that its velocity changes with the parameters of the constraints.
    ///
    /// # Errors
    /// As [`Simulation::linearize`].
    #[inline(never)]
    pub fn linearize_parameters(&self) -> Result<ParameterLinearizationOf<S, T>, Error>
    where
        S: Tangential,
        M: Differentiable<S>,
    {
        self.method().linearize_parameters(self.parameters(), self.departure()?).map_err(undefined)
    }

    /// Products of the covector w of the state after the step just taken with its derivatives: wᵀA (`a`, length NX), wᵀB (`b`),
    /// wᵀC (`c`) and wᵀ∂x'/∂h (`h`). They take one backward pass, and less time than the matrices: the gradient of a
    /// function of the end of a trajectory is pulled back from step to step.
    ///
    /// # Errors
    /// As [`Simulation::linearize`].
    #[inline(never)]
    pub fn pull_back(&self, w: &(impl Fits<S::Tangent<T>> + Copy)) -> Result<PulledBackOf<S, T>, Error>
    where
        S: Tangential,
        M: Differentiable<S>,
    {
        let w: S::Tangent<T> = (*w).fit();
        self.method().pull_back(self.parameters(), self.departure()?, &w).map_err(undefined)
    }

    /// The second derivatives of w·x' for a covector w of the state x' after the step just taken: ∂²/∂x² (`xx`, NX × NX),
    /// ∂²/∂x∂u (`xu`, NX × K) and ∂²/∂u² (`uu`, K × K). They are those of δ ↦ w·(x'(x ⊕ δ, u + δu) ⊖ x'(x, u)) at δ = 0, with
    /// [⊕](Tangential::retract) and [⊖](Tangential::difference). With the multipliers of an optimal control problem as w,
    /// they are what the step contributes to the Hessian of its Lagrangian. A (`a`) and B (`b`), which they are computed from, come
    /// with them.
    ///
    /// # Errors
    /// As [`Simulation::linearize`].
    #[inline(never)]
    pub fn curvature(&self, w: &(impl Fits<S::Tangent<T>> + Copy)) -> Result<CurvatureOf<S, T>, Error>
    where
        S: Tangential,
        M: Differentiable<S>,
    {
        let w: S::Tangent<T> = (*w).fit();
        self.method().curvature(self.parameters(), self.departure()?, &w).map_err(undefined)
    }

    /// Where the step just taken began.
    ///
    /// # Errors
    /// [`Error::NoStep`] before the first step, and after a change of the state or the parameters.
    pub fn departure(&self) -> Result<&DepartureOf<S, M, T>, Error>
    where
        S: Tangential,
        M: Differentiable<S>,
    {
        self.last().as_ref().ok_or(Error::NoStep)
    }

    /// The present state in the coordinates in which steps are differentiated, x = (q, ν, z).
    pub fn reduced(&self) -> ReducedOf<S, T>
    where
        S: Tangential,
    {
        let (q, z) = (self.q(), self.z());
        let nu = S::quasi_velocity(self.parameters(), &q, &self.v(), self.time(), &self.inputs());
        Reduced { q, nu, z }
    }
}

fn undefined(cause: Failure) -> Error {
    Error::Derivatives { cause }
}
