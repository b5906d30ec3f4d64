use super::coefficients::{self, FULL_TURN};
use super::larger;
use super::retraction::symmetric;
use super::{Cayley, Ccsk, Column, Exp, Flat, Group, Operator, Retraction};
use crate::Scalar;
use crate::fields::{array, unrolled};
use core::f64::consts::FRAC_PI_2;

/// Rotations of space, as rotation matrices: `R.0[i][j]` is component i in space of body axis j.
///
/// ξ = ω is the angular velocity in the body, ω̂y = ω × y, Ad_R = R, ad_ω = ω̂.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SO3<T>(pub [[T; 3]; 3]);

/// From the rows of a rotation matrix; [`Group::defect`] measures its distance from a rotation.
impl<T> From<[[T; 3]; 3]> for SO3<T> {
    #[inline(always)]
    fn from(rows: [[T; 3]; 3]) -> Self {
        SO3(rows)
    }
}

impl<T> From<SO3<T>> for [[T; 3]; 3] {
    #[inline(always)]
    fn from(rotation: SO3<T>) -> Self {
        rotation.0
    }
}

/// x × y.
#[inline(always)]
pub(super) fn cross<T: Scalar>(x: [T; 3], y: [T; 3]) -> [T; 3] {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

/// x̂: the matrix of y ↦ x × y.
#[inline(always)]
pub(super) fn hat<T: Scalar>(x: [T; 3]) -> [[T; 3]; 3] {
    let o = T::from_f64(0.0);
    [[o, -x[2], x[1]], [x[2], o, -x[0]], [-x[1], x[0], o]]
}

/// d + x̂.
#[inline(always)]
pub(super) fn with_hat<T: Scalar>(d: T, x: [T; 3]) -> [[T; 3]; 3] {
    [[d, -x[2], x[1]], [x[2], d, -x[0]], [-x[1], x[0], d]]
}

/// x yᵀ.
#[inline(always)]
pub(super) fn outer<T: Scalar>(x: [T; 3], y: [T; 3]) -> [[T; 3]; 3] {
    [y.times(x[0]), y.times(x[1]), y.times(x[2])]
}

/// 1 + a ω̂ + b ω̂².
#[inline(always)]
pub(super) fn quadratic<T: Scalar>(omega: [T; 3], a: T, b: T) -> [[T; 3]; 3] {
    let [x, y, z] = omega;
    let one = T::from_f64(1.0);
    let (xx, yy, zz) = (b * x * x, b * y * y, b * z * z);
    let (xy, yz, zx) = (b * x * y, b * y * z, b * z * x);
    let (x, y, z) = (a * x, a * y, a * z);
    [[one - (yy + zz), xy - z, zx + y], [xy + z, one - (zz + xx), yz - x], [zx - y, yz + x, one - (xx + yy)]]
}

impl<T: Scalar> SO3<T> {
    /// R y: rotates the vector y from the body frame to space.
    #[inline(always)]
    pub fn apply(self, y: [T; 3]) -> [T; 3] {
        self.0.apply(y)
    }

    /// RᵀR − 1, from the scalar products of the body axes.
    #[inline(always)]
    fn excess(self) -> [[T; 3]; 3] {
        let [x, y, z] = self.0.transposed();
        let one = T::from_f64(1.0);
        let (xy, yz, zx) = (x.dot(y), y.dot(z), z.dot(x));
        [[x.dot(x) - one, xy, zx], [xy, y.dot(y) - one, yz], [zx, yz, z.dot(z) - one]]
    }

    /// The unit quaternion (w, u) = (cos θ/2, n sin θ/2) of the rotation by θ ≤ π about n, w ≥ 0.
    ///
    /// Computed from its largest component, which avoids cancellation and includes half turns.
    pub(super) fn quaternion(self) -> (T, [T; 3]) {
        type Quaternion<T> = (T, [T; 3]);
        fn greater<T: Scalar>(
            x: T,
            y: T,
            is: impl FnOnce() -> Quaternion<T>,
            is_not: impl FnOnce() -> Quaternion<T>,
        ) -> Quaternion<T> {
            (y - x).choose(0.0, is, is_not, |is, is_not, one| {
                (one(is.0, is_not.0), array(x, |i| one(is.1[i], is_not.1[i])))
            })
        }
        let r = self.0;
        let (zero, one, half) = (T::from_f64(0.0), T::from_f64(1.0), T::from_f64(0.5));
        let trace = r[0][0] + r[1][1] + r[2][2];
        let by_trace = || {
            let w2 = (one + trace).sqrt();
            let f = half / w2;
            let u = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
            (half * w2, u.times(f))
        };
        let by_axis = |i: usize| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let u2 = (one + r[i][i] - r[j][j] - r[k][k]).sqrt();
            let f = half / u2;
            let w = (r[k][j] - r[j][k]) * f;
            let mut u = [half * u2; 3];
            u[j] = (r[i][j] + r[j][i]) * f;
            u[k] = (r[i][k] + r[k][i]) * f;
            greater(zero, w, || (-w, u.negated()), || (w, u))
        };
        let last_or = |i: usize| greater(r[2][2], r[i][i], || by_axis(2), || by_axis(i));
        greater(trace, zero, by_trace, || greater(r[1][1], r[0][0], || last_or(1), || last_or(0)))
    }

    /// ∂K/∂σ of the exponential map, the derivatives of each entry of K one after the other.
    ///
    /// By (dτ⁻¹)*μ = μ + σ × μ/2 + uσ − wμ with u = D σ·μ and w = D|σ|²,
    /// ∂K_ij/∂σ_k = σ_i u_jk − μ_i w_jk + δ_ij u_k + δ_ik u_j, where
    ///
    /// ```text
    /// u_j  = 2D′(σ·μ)σ_j + Dμ_j
    /// u_jk = 4D″(σ·μ)σ_jσ_k + 2D′(σ_jμ_k + μ_jσ_k) + 2D′(σ·μ)δ_jk
    /// w_jk = 4(2D′ + D″|σ|²)σ_jσ_k + 2(D + D′|σ|²)δ_jk
    /// ```
    #[inline(always)]
    pub(crate) fn exp_k_tangent(x: [T; 3], mu: [T; 3]) -> [T; 27] {
        let (s, along) = (x.dot(x), x.dot(mu));
        let (d, d_prime, d_second) =
            (coefficients::d(s), coefficients::d_prime(s), coefficients::d_second(s));
        let (first, second) = (d_prime + d_prime, d_second + d_second);
        let (u_by_one, w_by_one) = (first * along, d + d + first * s);
        let half_u = outer(x, x.times(second * along).plus(mu.times(first)));
        let half_w = first + first + second * s;
        let mut u = half_u.plus(half_u.transposed());
        let mut w = outer(x, x).times(half_w + half_w);
        unrolled::<3>(|i| {
            u[i][i] = u[i][i] + u_by_one;
            w[i][i] = w[i][i] + w_by_one;
        });
        let gradient = x.times(u_by_one).plus(mu.times(d));
        array(s, |entry| {
            let (i, j, k) = (entry / 9, entry / 3 % 3, entry % 3);
            let mut sum = x[i] * u[j][k] - mu[i] * w[j][k];
            if i == j {
                sum = sum + gradient[k];
            }
            if i == k {
                sum = sum + gradient[j];
            }
            sum
        })
    }

    /// ∂K/∂σ of the Cayley map, (δ_ij μ_k + δ_ik μ_j)/4.
    #[inline(always)]
    pub(crate) fn cay_k_tangent(_: [T; 3], mu: [T; 3]) -> [T; 27] {
        let quarter = mu.times(T::from_f64(0.25));
        array(T::from_f64(0.0), |entry| {
            let (i, j, k) = (entry / 9, entry / 3 % 3, entry % 3);
            match (i == j, i == k) {
                (true, true) => quarter[k] + quarter[j],
                (true, false) => quarter[k],
                (false, true) => quarter[j],
                (false, false) => T::from_f64(0.0),
            }
        })
    }
}

impl<T: Scalar> Group for SO3<T> {
    type Scalar = T;
    type Algebra = [T; 3];
    type Operator = [[T; 3]; 3];
    type Entries = [[T; 3]; 3];
    const DIM: usize = 3;

    #[inline(always)]
    fn identity() -> Self {
        SO3(Operator::identity())
    }
    #[inline(always)]
    fn product(self, h: Self) -> Self {
        SO3(self.0.after(h.0))
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        SO3(self.0.transposed())
    }
    #[inline(always)]
    fn entries(self) -> [[T; 3]; 3] {
        self.0
    }
    #[inline(always)]
    fn tangent(self, x: [T; 3]) -> [[T; 3]; 3] {
        let [a, b, c] = self.0;
        [cross(a, x), cross(b, x), cross(c, x)]
    }
    #[inline(always)]
    fn adjoint(self) -> [[T; 3]; 3] {
        self.0
    }
    #[inline(always)]
    fn ad(x: [T; 3]) -> [[T; 3]; 3] {
        hat(x)
    }
    #[inline(always)]
    fn ad_star(x: [T; 3], mu: [T; 3]) -> [T; 3] {
        cross(mu, x)
    }
    #[inline(always)]
    fn ad_star_on(mu: [T; 3]) -> [[T; 3]; 3] {
        hat(mu)
    }
    /// The largest entry of RᵀR − 1 or of r₁ × r₂ − r₃, which also finds reflections.
    fn defect(self) -> f64 {
        let r = self.0;
        let off = self.excess();
        let handed = cross(r[0], r[1]).plus(r[2].negated());
        let entries = off.as_flattened().iter().chain(&handed);
        entries.fold(0.0, |most, entry| larger(most, entry.to_f64().abs()))
    }
    /// R(3 − RᵀR)/2 = R + R(1 − RᵀR)/2.
    #[inline(always)]
    fn normalized(self) -> Self {
        SO3(self.0.plus(self.0.after(self.excess().times(T::from_f64(-0.5)))))
    }
}

/// dexp = 1 + B ω̂ + C ω̂², dexp⁻¹ = 1 − ω̂/2 + D ω̂².
impl<T: Scalar> Retraction<SO3<T>> for Exp {
    /// 1 + A ω̂ + B ω̂².
    #[inline(always)]
    fn tau(x: [T; 3]) -> SO3<T> {
        let s = x.dot(x);
        SO3(quadratic(x, coefficients::a(s), coefficients::b(s)))
    }
    /// ω = 2 atan2(|u|, w) u/|u| with the quaternion (w, u): |ω| ≤ π.
    #[inline(always)]
    fn tau_inv(g: SO3<T>) -> [T; 3] {
        let (w, u) = g.quaternion();
        let z = u.dot(u);
        let by_angle = || {
            let length = z.sqrt();
            length.atan2(w) / length
        };
        let by_series = || coefficients::angle_over_sine(z);
        let half = z.choose(0.01, by_series, by_angle, |near, far, one| one(near, far));
        u.times(half + half)
    }
    /// 1 + B ω̂ + C ω̂².
    #[inline(always)]
    fn dtau(x: [T; 3]) -> [[T; 3]; 3] {
        let s = x.dot(x);
        quadratic(x, coefficients::b(s), coefficients::c(s))
    }
    /// 1 − ω̂/2 + D ω̂².
    #[inline(always)]
    fn dtau_inv(x: [T; 3]) -> [[T; 3]; 3] {
        quadratic(x, T::from_f64(-0.5), coefficients::d(x.dot(x)))
    }
    /// μ + ω × μ/2 + D ω × (ω × μ).
    #[inline(always)]
    fn dtau_inv_star(x: [T; 3], mu: [T; 3]) -> [T; 3] {
        turned_back(x, mu, coefficients::d(x.dot(x)))
    }
    /// As `dtau_inv_star`, since ω̂ᵀ = −ω̂.
    #[inline(always)]
    fn dtau_left_inv_of(x: [T; 3], xi: [T; 3]) -> [T; 3] {
        turned_back(x, xi, coefficients::d(x.dot(x)))
    }
    #[inline(always)]
    fn k(x: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let s = x.dot(x);
        exp_k(x, mu, coefficients::d(s), coefficients::d_prime(s))
    }
    symmetric!(SO3<T>);
    #[inline(always)]
    fn reaches(x: [T; 3]) -> bool {
        x.dot(x).to_f64() < FULL_TURN
    }
}

/// y + ω × y/2 + D ω × (ω × y).
#[inline(always)]
pub(super) fn turned_back<T: Scalar>(omega: [T; 3], y: [T; 3], d: T) -> [T; 3] {
    let once = cross(omega, y);
    y.plus(once.times(T::from_f64(0.5))).plus(cross(omega, once).times(d))
}

/// K of the exponential map,
/// −μ̂/2 + D[(σ·μ) + σμᵀ − 2μσᵀ] + 2D′ χσᵀ, χ = σ × (σ × μ) = (σ·μ)σ − |σ|²μ.
#[inline(always)]
pub(super) fn exp_k<T: Scalar>(x: [T; 3], mu: [T; 3], d: T, d_prime: T) -> [[T; 3]; 3] {
    let (along, twice) = (x.dot(mu), d_prime + d_prime);
    let by_x = x.times(twice * along).plus(mu.times(-(d + d + twice * x.dot(x))));
    with_hat(d * along, mu.times(T::from_f64(-0.5))).plus(outer(x.times(d), mu)).plus(outer(by_x, x))
}

/// dcay = 2/(4 + |ω|²) (2 + ω̂), dcay⁻¹ = 1 − ω̂/2 + ωωᵀ/4.
impl<T: Scalar> Retraction<SO3<T>> for Cayley {
    /// 1 + 4/(4 + |ω|²) (ω̂ + ω̂²/2).
    #[inline(always)]
    fn tau(x: [T; 3]) -> SO3<T> {
        let four = T::from_f64(4.0);
        let a = four / (four + x.dot(x));
        SO3(quadratic(x, a, T::from_f64(0.5) * a))
    }
    /// ω = 2u/w with the quaternion (w, u); infinite for half turns.
    #[inline(always)]
    fn tau_inv(g: SO3<T>) -> [T; 3] {
        let (w, u) = g.quaternion();
        u.times(T::from_f64(2.0) / w)
    }
    /// 2/(4 + |ω|²) (2 + ω̂).
    #[inline(always)]
    fn dtau(x: [T; 3]) -> [[T; 3]; 3] {
        let factor = T::from_f64(2.0) / (T::from_f64(4.0) + x.dot(x));
        with_hat(factor + factor, x.times(factor))
    }
    /// 1 − ω̂/2 + ωωᵀ/4.
    #[inline(always)]
    fn dtau_inv(x: [T; 3]) -> [[T; 3]; 3] {
        with_hat(T::from_f64(1.0), x.times(T::from_f64(-0.5))).plus(outer(x.times(T::from_f64(0.25)), x))
    }
    /// μ + ω × μ/2 + ω(ω·μ)/4.
    #[inline(always)]
    fn dtau_inv_star(x: [T; 3], mu: [T; 3]) -> [T; 3] {
        let half = x.times(T::from_f64(0.5));
        mu.plus(cross(half, mu)).plus(half.times(half.dot(mu)))
    }
    /// −μ̂/2 + [(σ·μ) + σμᵀ]/4.
    #[inline(always)]
    fn k(x: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let quarter = T::from_f64(0.25);
        with_hat(quarter * x.dot(mu), mu.times(T::from_f64(-0.5))).plus(outer(x.times(quarter), mu))
    }
    symmetric!(SO3<T>);
    #[inline(always)]
    fn reaches(_: [T; 3]) -> bool {
        true
    }
}

/// τ(ω) = R_x(ω₁) R_y(ω₂) R_z(ω₃) with the columns dτ = [e₁, R_x e₂, R_x R_y e₃]
/// and dτᴸ = [R_zᵀR_yᵀ e₁, R_zᵀ e₂, e₃]; inverses written out.
impl<T: Scalar> Retraction<SO3<T>> for Ccsk {
    #[inline(always)]
    fn tau(x: [T; 3]) -> SO3<T> {
        let ((s1, c1), (s2, c2), (s3, c3)) = (x[0].sin_cos(), x[1].sin_cos(), x[2].sin_cos());
        SO3([
            [c2 * c3, -(c2 * s3), s2],
            [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -(s1 * c2)],
            [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
        ])
    }
    /// |ω₂| ≤ π/2; at ±π/2 the other two are not unique.
    #[inline(always)]
    fn tau_inv(g: SO3<T>) -> [T; 3] {
        let r = g.0;
        let cosine = (r[0][0] * r[0][0] + r[0][1] * r[0][1]).sqrt();
        [(-r[1][2]).atan2(r[2][2]), r[0][2].atan2(cosine), (-r[0][1]).atan2(r[0][0])]
    }
    #[inline(always)]
    fn dtau(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        let ((s1, c1), (s2, c2)) = (x[0].sin_cos(), x[1].sin_cos());
        [[l, o, s2], [o, c1, -(s1 * c2)], [o, s1, c1 * c2]]
    }
    #[inline(always)]
    fn dtau_inv(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        let ((s1, c1), (s2, c2)) = (x[0].sin_cos(), x[1].sin_cos());
        let (s, c) = (s1 / c2, c1 / c2);
        [[l, s2 * s, -(s2 * c)], [o, c1, s1], [o, -s, c]]
    }
    #[inline(always)]
    fn dtau_left(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        let ((s2, c2), (s3, c3)) = (x[1].sin_cos(), x[2].sin_cos());
        [[c2 * c3, s3, o], [-(c2 * s3), c3, o], [s2, o, l]]
    }
    #[inline(always)]
    fn dtau_left_inv(x: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::from_f64(0.0), T::from_f64(1.0));
        let ((s2, c2), (s3, c3)) = (x[1].sin_cos(), x[2].sin_cos());
        let (s, c) = (s3 / c2, c3 / c2);
        [[c, -s, o], [s3, c3, o], [-(s2 * c), s2 * s, l]]
    }
    /// From (dτ⁻¹)*μ = (μ₁, s₁(s₂μ₁ − μ₃)/c₂ + c₁μ₂, −c₁(s₂μ₁ − μ₃)/c₂ + s₁μ₂).
    #[inline(always)]
    fn k(x: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let o = T::from_f64(0.0);
        let ((s1, c1), (s2, c2)) = (x[0].sin_cos(), x[1].sin_cos());
        let a = (s2 * mu[0] - mu[2]) / c2;
        let da = (mu[0] - s2 * mu[2]) / (c2 * c2);
        [[o, o, o], [c1 * a - s1 * mu[1], s1 * da, o], [s1 * a + c1 * mu[1], -(c1 * da), o]]
    }
    /// From ((dτᴸ)⁻¹)*μ = (c₃(μ₁ − s₂μ₃)/c₂ + s₃μ₂, −s₃(μ₁ − s₂μ₃)/c₂ + c₃μ₂, μ₃).
    #[inline(always)]
    fn k_left(x: [T; 3], mu: [T; 3]) -> [[T; 3]; 3] {
        let o = T::from_f64(0.0);
        let ((s2, c2), (s3, c3)) = (x[1].sin_cos(), x[2].sin_cos());
        let a = (mu[0] - s2 * mu[2]) / c2;
        let da = (s2 * mu[0] - mu[2]) / (c2 * c2);
        [[o, c3 * da, c3 * mu[1] - s3 * a], [o, -(s3 * da), -(s3 * mu[1] + c3 * a)], [o, o, o]]
    }
    #[inline(always)]
    fn reaches(x: [T; 3]) -> bool {
        x[1].to_f64().abs() < FRAC_PI_2
    }
}

impl<T: Scalar> Flat<[T; 9]> for SO3<T> {
    #[inline(always)]
    fn of([a, b, c, d, e, f, g, h, i]: [T; 9]) -> Self {
        SO3([[a, b, c], [d, e, f], [g, h, i]])
    }
    #[inline(always)]
    fn flat(self) -> [T; 9] {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.0;
        [a, b, c, d, e, f, g, h, i]
    }
    #[inline(always)]
    fn rates(self, x: [T; 3]) -> [T; 9] {
        SO3(self.tangent(x)).flat()
    }
}

/// Poses as the types of nalgebra, and back.
#[cfg(feature = "nalgebra")]
mod conversions {
    use super::SO3;
    use crate::Scalar;
    use core::array::from_fn;
    use nalgebra::{Matrix3, RealField, Rotation3, UnitQuaternion};

    impl<T: Scalar + RealField> From<Rotation3<T>> for SO3<T> {
        #[inline]
        fn from(rotation: Rotation3<T>) -> Self {
            SO3(from_fn(|i| from_fn(|j| rotation[(i, j)])))
        }
    }

    /// The entries as they are.
    impl<T: Scalar + RealField> From<SO3<T>> for Rotation3<T> {
        #[inline]
        fn from(rotation: SO3<T>) -> Self {
            Rotation3::from_matrix_unchecked(Matrix3::from_fn(|i, j| rotation.0[i][j]))
        }
    }

    impl<T: Scalar + RealField> From<UnitQuaternion<T>> for SO3<T> {
        #[inline]
        fn from(rotation: UnitQuaternion<T>) -> Self {
            rotation.to_rotation_matrix().into()
        }
    }

    /// Of the two quaternions the one with a scalar part that is not negative.
    impl<T: Scalar + RealField> From<SO3<T>> for UnitQuaternion<T> {
        fn from(rotation: SO3<T>) -> Self {
            let (w, [x, y, z]) = rotation.quaternion();
            UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z))
        }
    }
}
