use super::coefficients::{self, FULL_TURN};
use super::retraction::symmetric;
use super::{Cayley, Ccsk, Column, Exp, Flat, Group, Retraction};
use crate::Scalar;

/// Motions of the plane: a rotation by θ and the position (x, y).
///
/// ξ = (ω, v₁, v₂), the angular velocity and the velocity along the axes of the body. The angle is
/// accumulated, not reduced modulo 2π: poses stay on the group without correction, and full turns are counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SE2<T> {
    /// θ.
    pub theta: T,
    /// x.
    pub x: T,
    /// y.
    pub y: T,
}

/// From θ, x, y.
impl<T> From<[T; 3]> for SE2<T> {
    #[inline(always)]
    fn from([theta, x, y]: [T; 3]) -> Self {
        SE2 { theta, x, y }
    }
}

impl<T> From<SE2<T>> for [T; 3] {
    #[inline(always)]
    fn from(g: SE2<T>) -> Self {
        [g.theta, g.x, g.y]
    }
}

impl<T: Scalar> SE2<T> {
    /// Rotates the vector (x, y) from the body frame to space.
    #[inline(always)]
    fn rotated(self, x: T, y: T) -> (T, T) {
        let (sin, cos) = self.theta.sin_cos();
        (cos * x - sin * y, sin * x + cos * y)
    }

    /// θ without its full turns, in [−π, π].
    #[inline(always)]
    fn principal_angle(self) -> T {
        self.theta - self.theta.full_turns()
    }

    /// ∂K/∂σ of the Cayley map, the derivatives of each entry of K one after the other.
    #[inline(always)]
    pub(crate) fn cay_k_tangent(_: [T; 3], mu: [T; 3]) -> [T; 27] {
        let quarter = mu.times(T::from_f64(0.25));
        let mut all = [T::from_f64(0.0); 27];
        all[..3].copy_from_slice(&quarter);
        all[0] = quarter[0] + quarter[0];
        (all[3], all[6]) = (quarter[1], quarter[2]);
        all
    }
}

/// 1 + a ad_x + b ad_x²; ad_x³ = −ω² ad_x, so that every power series in ad is of this form.
#[inline(always)]
fn quadratic<T: Scalar>(x: [T; 3], a: T, b: T) -> [[T; 3]; 3] {
    let [omega, v1, v2] = x;
    let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
    let (a_omega, b_omega) = (a * omega, b * omega);
    let diagonal = l - b_omega * omega;
    [[l, o, o], [a * v2 + b_omega * v1, diagonal, -a_omega], [b_omega * v2 - a * v1, a_omega, diagonal]]
}

/// ωD and 1 − ω²D.
#[inline(always)]
fn in_dexp_inv<T: Scalar>(omega: T) -> (T, T) {
    let w = omega * coefficients::d(omega * omega);
    (w, T::from_f64(1.0) - omega * w)
}

impl<T: Scalar> Group for SE2<T> {
    type Scalar = T;
    type Algebra = [T; 3];
    type Operator = [[T; 3]; 3];
    type Entries = [T; 3];
    const DIM: usize = 3;

    #[inline(always)]
    fn identity() -> Self {
        [T::from_f64(0.0); 3].into()
    }
    #[inline(always)]
    fn product(self, h: Self) -> Self {
        let (x, y) = self.rotated(h.x, h.y);
        SE2 { theta: self.theta + h.theta, x: self.x + x, y: self.y + y }
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        let turned = SE2 { theta: -self.theta, ..self };
        let (x, y) = turned.rotated(-self.x, -self.y);
        SE2 { x, y, ..turned }
    }
    #[inline(always)]
    fn entries(self) -> [T; 3] {
        self.into()
    }
    #[inline(always)]
    fn tangent(self, x: [T; 3]) -> [T; 3] {
        let (dx, dy) = self.rotated(x[1], x[2]);
        [x[0], dx, dy]
    }
    #[inline(always)]
    fn adjoint(self) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        let (sin, cos) = self.theta.sin_cos();
        [[l, o, o], [self.y, cos, -sin], [-self.x, sin, cos]]
    }
    #[inline(always)]
    fn ad(x: [T; 3]) -> [[T; 3]; 3] {
        let o = T::from_f64(0.0);
        [[o, o, o], [x[2], o, -x[0]], [-x[1], x[0], o]]
    }
    #[inline(always)]
    fn ad_star(x: [T; 3], mu: [T; 3]) -> [T; 3] {
        [x[2] * mu[1] - x[1] * mu[2], x[0] * mu[2], -(x[0] * mu[1])]
    }
    #[inline(always)]
    fn ad_star_on(mu: [T; 3]) -> [[T; 3]; 3] {
        let o = T::from_f64(0.0);
        [[o, -mu[2], mu[1]], [mu[2], o, o], [-mu[1], o, o]]
    }
    #[inline(always)]
    fn defect(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn normalized(self) -> Self {
        self
    }
}

/// As ad³ = −s ad with s = ω², dexp = 1 + B ad + C ad² and dexp⁻¹ = 1 − ad/2 + D ad².
impl<T: Scalar> Retraction<SE2<T>> for Exp {
    #[inline(always)]
    fn tau(x: [T; 3]) -> SE2<T> {
        let [omega, v1, v2] = x;
        let s = omega * omega;
        let (a, b) = (coefficients::a(s), omega * coefficients::b(s));
        SE2 { theta: omega, x: a * v1 - b * v2, y: b * v1 + a * v2 }
    }
    /// |ω| ≤ π. With d = A² + ω²B² = 2B the section's A/d is (ω/2) cot(ω/2) = 1 − ω²D.
    #[inline(always)]
    fn tau_inv(g: SE2<T>) -> [T; 3] {
        let omega = g.principal_angle();
        let s = omega * omega;
        let q = T::from_f64(1.0) - s * coefficients::d(s);
        let half = T::from_f64(0.5) * omega;
        [omega, q * g.x + half * g.y, q * g.y - half * g.x]
    }
    /// 1 + B ad + C ad².
    #[inline(always)]
    fn dtau(x: [T; 3]) -> [[T; 3]; 3] {
        let s = x[0] * x[0];
        quadratic(x, coefficients::b(s), coefficients::c(s))
    }
    /// 1 − ad/2 + D ad².
    #[inline(always)]
    fn dtau_inv(x: [T; 3]) -> [[T; 3]; 3] {
        quadratic(x, T::from_f64(-0.5), coefficients::d(x[0] * x[0]))
    }
    /// (μ₁ − (v₂μ₂ − v₁μ₃)/2 + ωD(v₁μ₂ + v₂μ₃), (1 − ω²D)μ₂ − ωμ₃/2, (1 − ω²D)μ₃ + ωμ₂/2).
    #[inline(always)]
    fn dtau_inv_star(x: [T; 3], mu: [T; 3]) -> [T; 3] {
        let [omega, v1, v2] = x;
        let half = T::from_f64(0.5);
        let (w, q) = in_dexp_inv(omega);
        let (m2, m3) = (half * mu[1], half * mu[2]);
        let first = mu[0] + (v1 * m3 - v2 * m2) + w * (v1 * mu[1] + v2 * mu[2]);
        [first, q * mu[1] - omega * m3, q * mu[2] + omega * m2]
    }
    /// 1 + ad/2 + D ad².
    #[inline(always)]
    fn dtau_left_inv_of(x: [T; 3], xi: [T; 3]) -> [T; 3] {
        let [omega, v1, v2] = x;
        let half = T::from_f64(0.5);
        let (w, q) = in_dexp_inv(omega);
        let (turn, o) = (half * xi[0], half * omega);
        let y1 = v2 * turn + w * v1 * xi[0] + q * xi[1] - o * xi[2];
        let y2 = w * v2 * xi[0] - v1 * turn + o * xi[1] + q * xi[2];
        [xi[0], y1, y2]
    }
    /// From the components of `dtau_inv_star`.
    #[inline(always)]
    fn k(x: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let [omega, v1, v2] = x;
        let (o, half) = (T::from_f64(0.0), T::from_f64(0.5));
        let s = omega * omega;
        let (d, d_prime) = (coefficients::d(s), coefficients::d_prime(s));
        let sd = s * d_prime;
        // ωD, its derivative, and that of ω²D.
        let (w, dw, dww) = (omega * d, d + sd + sd, (omega + omega) * (d + sd));
        let (m2, m3) = (half * mu[1], half * mu[2]);
        [
            [dw * (v1 * mu[1] + v2 * mu[2]), w * mu[1] + m3, w * mu[2] - m2],
            [-(dww * mu[1]) - m3, o, o],
            [m2 - dww * mu[2], o, o],
        ]
    }
    symmetric!(SE2<T>);
    #[inline(always)]
    fn reaches(x: [T; 3]) -> bool {
        (x[0] * x[0]).to_f64() < FULL_TURN
    }
}

/// Kobilarov, Martín de Diego and Ferraro, (44), with 4 − ω² on the diagonal.
impl<T: Scalar> Retraction<SE2<T>> for Cayley {
    /// θ = 2 atan(ω/2), p = (4v₁ − 2ωv₂, 4v₂ + 2ωv₁)/(4 + ω²).
    #[inline(always)]
    fn tau(x: [T; 3]) -> SE2<T> {
        let [omega, v1, v2] = x;
        let half = T::from_f64(0.5) * omega;
        let factor = T::from_f64(1.0) / (T::from_f64(1.0) + half * half);
        SE2 {
            theta: T::from_f64(2.0) * half.atan(),
            x: factor * (v1 - half * v2),
            y: factor * (v2 + half * v1),
        }
    }
    /// ω = 2 tan(θ/2), v = p − (ω/2)Jp; infinite for half turns.
    #[inline(always)]
    fn tau_inv(g: SE2<T>) -> [T; 3] {
        let half = (T::from_f64(0.5) * g.theta).tan();
        [half + half, g.x + half * g.y, g.y - half * g.x]
    }
    /// 2/(4 + ω²) (2 + ad).
    #[inline(always)]
    fn dtau(x: [T; 3]) -> [[T; 3]; 3] {
        let [omega, v1, v2] = x;
        let o = T::from_f64(0.0);
        let f = T::from_f64(2.0) / (T::from_f64(4.0) + omega * omega);
        let two = f + f;
        [[two, o, o], [f * v2, two, -(f * omega)], [-(f * v1), f * omega, two]]
    }
    /// 1 − ad/2 + [ωx | 0 | 0]/4.
    #[inline(always)]
    fn dtau_inv(x: [T; 3]) -> [[T; 3]; 3] {
        let [half, v1, v2] = x.times(T::from_f64(0.5));
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        [[l + half * half, o, o], [half * v1 - v2, l, half], [half * v2 + v1, -half, l]]
    }
    /// μ + (v₁μ₃ − v₂μ₂, −ωμ₃, ωμ₂)/2 + ω(ωμ₁ + v₁μ₂ + v₂μ₃)/4 e₁.
    #[inline(always)]
    fn dtau_inv_star(x: [T; 3], mu: [T; 3]) -> [T; 3] {
        let [omega, v1, v2] = x.times(T::from_f64(0.5));
        let first = mu[0] + (v1 * mu[2] - v2 * mu[1]) + omega * (omega * mu[0] + v1 * mu[1] + v2 * mu[2]);
        [first, mu[1] - omega * mu[2], mu[2] + omega * mu[1]]
    }
    /// −Λ(μ)/2 + [(σ·μ) e₁e₁ᵀ + σ₁e₁μᵀ]/4.
    #[inline(always)]
    fn k(x: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let [omega, v1, v2] = x.times(T::from_f64(0.25));
        let (o, half) = (T::from_f64(0.0), T::from_f64(0.5));
        let (m2, m3) = (half * mu[1], half * mu[2]);
        [
            [(omega + omega) * mu[0] + v1 * mu[1] + v2 * mu[2], omega * mu[1] + m3, omega * mu[2] - m2],
            [-m3, o, o],
            [m2, o, o],
        ]
    }
    symmetric!(SE2<T>);
    #[inline(always)]
    fn reaches(_: [T; 3]) -> bool {
        true
    }
}

/// τ(x) = (ω, R(ω)v); dτ = diag(1, R(ω)).
impl<T: Scalar> Retraction<SE2<T>> for Ccsk {
    #[inline(always)]
    fn tau(x: [T; 3]) -> SE2<T> {
        let turn = SE2 { theta: x[0], x: T::from_f64(0.0), y: T::from_f64(0.0) };
        let (x, y) = turn.rotated(x[1], x[2]);
        SE2 { x, y, ..turn }
    }
    /// |ω| ≤ π.
    #[inline(always)]
    fn tau_inv(g: SE2<T>) -> [T; 3] {
        let (x, y) = SE2 { theta: -g.theta, ..g }.rotated(g.x, g.y);
        [g.principal_angle(), x, y]
    }
    #[inline(always)]
    fn dtau(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        let (sin, cos) = x[0].sin_cos();
        [[l, o, o], [o, cos, -sin], [o, sin, cos]]
    }
    #[inline(always)]
    fn dtau_inv(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        let (sin, cos) = x[0].sin_cos();
        [[l, o, o], [o, cos, sin], [o, -sin, cos]]
    }
    #[inline(always)]
    fn dtau_left(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        [[l, o, o], [-x[2], l, o], [x[1], o, l]]
    }
    #[inline(always)]
    fn dtau_left_inv(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        [[l, o, o], [x[2], l, o], [-x[1], o, l]]
    }
    /// From (dτ⁻¹)*μ = (μ₁, R(ω)(μ₂, μ₃)).
    #[inline(always)]
    fn k(x: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let o = T::from_f64(0.0);
        let (sin, cos) = x[0].sin_cos();
        [[o, o, o], [-(sin * mu[1] + cos * mu[2]), o, o], [cos * mu[1] - sin * mu[2], o, o]]
    }
    /// From ((dτᴸ)⁻¹)*μ = (μ₁ + v₂μ₂ − v₁μ₃, μ₂, μ₃).
    #[inline(always)]
    fn k_left(_: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let o = T::from_f64(0.0);
        [[o, -mu[2], mu[1]], [o, o, o], [o, o, o]]
    }
    #[inline(always)]
    fn reaches(_: [T; 3]) -> bool {
        true
    }
}

impl<T: Scalar> Flat<[T; 3]> for SE2<T> {
    #[inline(always)]
    fn of(entries: [T; 3]) -> Self {
        entries.into()
    }
    #[inline(always)]
    fn flat(self) -> [T; 3] {
        self.into()
    }
    #[inline(always)]
    fn rates(self, x: [T; 3]) -> [T; 3] {
        self.tangent(x)
    }
}

/// Poses as the types of nalgebra, and back.
#[cfg(feature = "nalgebra")]
mod conversions {
    use super::SE2;
    use crate::Scalar;
    use nalgebra::{Isometry2, RealField, Translation2, UnitComplex};

    /// θ in (−π, π].
    impl<T: Scalar + RealField> From<Isometry2<T>> for SE2<T> {
        #[inline]
        fn from(isometry: Isometry2<T>) -> Self {
            let position = isometry.translation.vector;
            SE2 { theta: isometry.rotation.angle(), x: position.x, y: position.y }
        }
    }

    impl<T: Scalar + RealField> From<SE2<T>> for Isometry2<T> {
        #[inline]
        fn from(g: SE2<T>) -> Self {
            Isometry2::from_parts(Translation2::new(g.x, g.y), UnitComplex::new(g.theta))
        }
    }
}
