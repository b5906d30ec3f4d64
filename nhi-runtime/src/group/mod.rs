//! Lie groups: poses, their velocities, and the retractions by which a step moves a pose.
//!
//! # Conventions
//!
//! A configuration space is Q = M × G, with shape variables r in M = R^k and a pose g in a matrix
//! group G.
//!
//! - **Velocities are of the body.** ξ = g⁻¹ġ lies in the Lie algebra 𝔤 and is written as the column
//!   of its coordinates: (ω₁, ω₂, ω₃) on SO(3), (ω, v₁, v₂) on SE(2), (ω, v) on SE(3). The columns
//!   of R are the body axes in space, the position moves with R·v. Conversely the entries of the
//!   pose move with ġ = g ξ̂: [`Group::tangent`]. For a function of the pose,
//!   ∂ⱼf = d/ds f(g exp(s êⱼ)) therefore is the derivative along the entries `g.tangent(eⱼ)`.
//! - **Covectors** μ in 𝔤* are columns too, paired by the dot product; the dual of a linear map is
//!   its transpose (`star` in the names here, ( )* in papers).
//! - **Ad and ad** are matrices on these columns: Ad_g y = (g ŷ g⁻¹)^∨ transports a body velocity
//!   to space, ad_x y = [x, y] is its derivative.
//! - **A retraction** τ: 𝔤 → G with τ(0) = e, Dτ(0) = 1 turns a velocity into a motion:
//!   g₁ = g₀ τ(hξ), [`Group::moved`].
//! - **Its tangents** are the derivative of the motion: in space (right-trivialised)
//!   Dτ(x)·δ = (dτ_x δ)^ τ(x), in the body (left-trivialised) Dτ(x)·δ = τ(x) (dτᴸ_x δ)^, so that
//!   dτᴸ_x = Ad_{τ(x)⁻¹} dτ_x. Discrete momenta at the two ends of a step are
//!   (dτ⁻¹_{hξ})* ν and ((dτᴸ_{hξ})⁻¹)* ν.
//! - **dτᴸ_x = dτ₋ₓ only if τ(−x) = τ(x)⁻¹**, as for [`Exp`] and [`Cayley`]. Papers write dτ⁻¹₋ₓ
//!   throughout; with [`Ccsk`] that gives methods that do not converge. Both tangents are
//!   implemented, and every method uses the correct one.
//! - **K(σ, μ)** = ∂/∂σ (dτ⁻¹_σ)* μ is needed by Newton's method in addition to the tangents.
//!
//! # Groups
//!
//! | group | pose | dimension |
//! |---|---|---|
//! | R^n | `[T; N]` | N |
//! | [`SO3`] | R: rows of a rotation matrix | 3 |
//! | [`SE2`] | θ, x, y; the angle is not reduced | 3 |
//! | [`SE3`] | R, p | 6 |
//! | products | `(G, H)` | sum |
//!
//! # Retractions
//!
//! | retraction | τ(x) | its tangents are not defined at |
//! |---|---|---|
//! | [`Exp`] | exp(x̂) | rotations by a full turn and more, \|ω\| ≥ 2π |
//! | [`Cayley`] | (1 − x̂/2)⁻¹(1 + x̂/2) | – |
//! | [`Ccsk`] | exp(x¹ê₁) exp(x²ê₂) ⋯, coordinates of the second kind | gimbal lock, \|ω₂\| ≥ π/2, in space |
//! | [`Exp1`], [`Exp2`], [`Exp4`] | exp(x̂), with dτ⁻¹ cut off after a power of ad | – |
//!
//! Where a tangent is not defined its entries are NaN, which a step reports as
//! [`Failure::NonFinite`](crate::Failure); [`Retraction::reaches`] tests the domain beforehand.
//!
//! # Drift
//!
//! A product of 10⁶ rotation matrices is no longer a rotation matrix. [`Group::moved`] therefore
//! ends with [`Group::normalized`], the first-order polar correction R(3 − RᵀR)/2: it costs as much
//! as two products, changes R by as much as rounding did, and keeps RᵀR = 1 to rounding forever.
//! All other functions, [`Group::product`] included, are the plain formulas, as derivatives require.
//!
//! # Speed
//!
//! All functions are inlined into the steps that call them. Otherwise arguments and results would pass through memory,
//! and a loop that is compiled for another instruction set would call functions compiled for the program's target.
//! Inlining also lets the compiler share common values of the maps, such as the coefficient D of the tangents.

pub mod coefficients;
mod matrix;
mod product;
mod retraction;
mod se2;
mod se3;
mod so3;
mod vector;

pub use matrix::{Column, Operator};
pub use retraction::{Cayley, Ccsk, Exp, Exp1, Exp2, Exp4, Retraction};
pub use se2::SE2;
pub use se3::SE3;
pub use so3::SO3;

use core::fmt::Debug;

/// Passes the groups to a macro: what configurations with their poses, and the tests, are made of.
///
/// An element of a group has `entries` numbers, an element of its algebra has `dimension`, and `square` is the
/// square of that. A pose without coordinates beside it converts from the types of `from`, and from and into
/// those of `nalgebra`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_group {
    ($callback:ident) => {
        $callback! {
            SE2 "SE(2)" {
                entries: 3,
                dimension: 3,
                square: 9,
                cube: 27,
                from: [SE2<T>],
                nalgebra: [Isometry2],
            }
            SO3 "SO(3)" {
                entries: 9,
                dimension: 3,
                square: 9,
                cube: 27,
                from: [SO3<T>, [[T; 3]; 3]],
                nalgebra: [Rotation3, UnitQuaternion],
            }
            SE3 "SE(3)" {
                entries: 12,
                dimension: 6,
                square: 36,
                cube: 216,
                from: [SE3<T>],
                nalgebra: [Isometry3],
            }
        }
    };
}

/// A Lie group whose elements are poses; the module's front page has the conventions.
pub trait Group: Copy + Debug + PartialEq {
    /// The numbers in a pose.
    type Scalar: crate::Scalar;
    /// Elements of 𝔤 and of 𝔤*, columns of [`Group::DIM`] numbers.
    type Algebra: Column<Scalar = Self::Scalar>;
    /// Linear maps of 𝔤.
    type Operator: Operator<Column = Self::Algebra>;
    /// The entries of a pose, and their derivatives along a motion.
    type Entries: Copy + Debug + PartialEq;
    /// The dimension of the group.
    const DIM: usize;

    /// e.
    fn identity() -> Self;
    /// g h.
    fn product(self, h: Self) -> Self;
    /// g⁻¹.
    fn inverse(self) -> Self;
    /// The entries of g, in which a system is declared.
    fn entries(self) -> Self::Entries;
    /// d/ds g exp(s x̂) = g x̂: the derivatives of the entries along the body velocity `x`.
    fn tangent(self, x: Self::Algebra) -> Self::Entries;
    /// Ad_g.
    fn adjoint(self) -> Self::Operator;
    /// ad_x: y ↦ [x, y].
    fn ad(x: Self::Algebra) -> Self::Operator;
    /// ad*_x μ = (ad_x)ᵀ μ.
    #[inline(always)]
    fn ad_star(x: Self::Algebra, mu: Self::Algebra) -> Self::Algebra {
        Self::ad(x).apply_star(mu)
    }
    /// Λ(μ): x ↦ ad*_x μ, the same bilinear map as a matrix on `x`.
    fn ad_star_on(mu: Self::Algebra) -> Self::Operator;
    /// The distance of the entries from those of a group element: 0 unless they contain a rotation matrix.
    fn defect(self) -> f64;
    /// The nearest group element, to first order in the defect.
    fn normalized(self) -> Self;
    /// g τ(x), on the group up to rounding, also after many repetitions.
    #[inline(always)]
    fn moved<R: Retraction<Self>>(self, x: Self::Algebra) -> Self {
        self.product(R::tau(x)).normalized()
    }
}

/// A pose as its entries, matrices by rows.
pub(crate) trait Flat<E>: Group {
    fn of(entries: E) -> Self;
    fn flat(self) -> E;
    /// The entries of g x̂.
    fn rates(self, x: Self::Algebra) -> E;
}

/// The larger of two defects; not a number if one of them is, which `max` would pass over.
fn larger(x: f64, y: f64) -> f64 {
    if x <= y || y.is_nan() { y } else { x }
}
