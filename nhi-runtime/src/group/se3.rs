use super::coefficients;
use super::retraction::symmetric;
use super::so3::{cross, exp_k, hat, outer, turned_back, with_hat};
use super::{Cayley, Ccsk, Column, Exp, Flat, Group, Operator, Retraction, SO3};
use crate::fields::{array, unrolled};
use crate::{Dual, Scalar};

/// Motions of space: a rotation R and the position p.
///
/// ξ = (ω, v), the angular velocity and the velocity in the body.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SE3<T> {
    /// R.
    pub rotation: SO3<T>,
    /// p.
    pub position: [T; 3],
}

/// From the rows of a rotation matrix and the position.
impl<T> From<([[T; 3]; 3], [T; 3])> for SE3<T> {
    #[inline(always)]
    fn from((rows, position): ([[T; 3]; 3], [T; 3])) -> Self {
        SE3 { rotation: SO3(rows), position }
    }
}

impl<T> From<SE3<T>> for ([[T; 3]; 3], [T; 3]) {
    #[inline(always)]
    fn from(g: SE3<T>) -> Self {
        (g.rotation.0, g.position)
    }
}

type Block<T> = [[T; 3]; 3];

#[inline(always)]
fn split<T: Scalar>(x: [T; 6]) -> ([T; 3], [T; 3]) {
    let [x0, x1, x2, x3, x4, x5] = x;
    ([x0, x1, x2], [x3, x4, x5])
}

#[inline(always)]
fn join<T: Scalar>(x: [T; 3], y: [T; 3]) -> [T; 6] {
    let ([x0, x1, x2], [x3, x4, x5]) = (x, y);
    [x0, x1, x2, x3, x4, x5]
}

/// The 6 × 6 matrix (upper-left, upper-right; lower-left, lower-right).
#[inline(always)]
fn blocks<T: Scalar>(upper: [Block<T>; 2], lower: [Block<T>; 2]) -> [[T; 6]; 6] {
    array([upper[0][0][0]; 6], |i| {
        let [left, right] = if i < 3 { upper } else { lower };
        join(left[i % 3], right[i % 3])
    })
}

/// The 6 × 6 matrix (a, 0; b, c).
#[inline(always)]
fn lower<T: Scalar>(a: Block<T>, b: Block<T>, c: Block<T>) -> [[T; 6]; 6] {
    blocks([a, Operator::zero()], [b, c])
}

/// x̂ M.
#[inline(always)]
fn hat_after<T: Scalar>(x: [T; 3], m: Block<T>) -> Block<T> {
    let row = |i: usize, j: usize| m[j].times(x[i]).plus(m[i].times(-x[j]));
    [row(1, 2), row(2, 0), row(0, 1)]
}

/// The derivative of b ω̂² = b(ωωᵀ − |ω|²) along v, where b is a function of |ω|² with the derivative b′; and ŷ.
#[inline(always)]
fn square_along<T: Scalar>(omega: [T; 3], v: [T; 3], b: T, b_prime: T, y: [T; 3]) -> Block<T> {
    let rate = T::from_f64(2.0) * omega.dot(v);
    let slope = rate * b_prime;
    with_hat(-(rate * b + slope * omega.dot(omega)), y)
        .plus(outer(omega.times(b), v))
        .plus(outer(v.times(b).plus(omega.times(slope)), omega))
}

impl<T: Scalar> SE3<T> {
    /// ∂K/∂σ of the exponential map, the derivatives of each entry of K one after the other.
    ///
    /// With σ = (ω, v) and μ = (m, f), K₃(ω + εv, f + εm) of SO(3), which is linear in μ, has the upper right and the lower
    /// left block of K as its value and the upper left block as its derivative; so has ∂K₃/∂ω those of ∂K/∂ω. The
    /// derivatives along v are the values alone.
    #[inline(always)]
    pub(crate) fn exp_k_tangent(x: [T; 6], mu: [T; 6]) -> [T; 216] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        let zero = T::from_f64(0.0);
        let dual = |x: [T; 3], y: [T; 3]| array(Dual::constant(zero), |i| Dual { re: x[i], eps: [y[i]] });
        let by_rotation = SO3::exp_k_tangent(dual(omega, v), dual(f, m));
        let mut all = [zero; 216];
        unrolled::<27>(|entry| {
            let (i, j, k) = (entry / 9, entry / 3 % 3, entry % 3);
            let Dual { re, eps: [eps] } = by_rotation[entry];
            let at = 36 * i + 6 * j + k;
            all[at] = eps;
            all[at + 3] = re;
            all[at + 6 * 3] = re;
            all[at + 36 * 3] = re;
        });
        all
    }

    /// ∂K/∂σ of the Cayley map: with μ = (m, f)/4 and the derivatives of SO(3), those of the upper left block along ω, and
    ///
    /// ```text
    /// δ_ij f_k − δ_jk f_i    of the upper left block along v
    /// δ_ik f_j − δ_jk f_i    of the upper right block along ω
    /// ```
    #[inline(always)]
    pub(crate) fn cay_k_tangent(x: [T; 6], mu: [T; 6]) -> [T; 216] {
        let ((omega, _), (m, f)) = (split(x), split(mu));
        let by_rotation = SO3::cay_k_tangent(omega, m);
        let f = f.times(T::from_f64(0.25));
        let one = |i: usize, k: usize, x: T| if i == k { x } else { T::from_f64(0.0) };
        let mut all = [T::from_f64(0.0); 216];
        unrolled::<27>(|entry| {
            let (i, j, k) = (entry / 9, entry / 3 % 3, entry % 3);
            let at = 36 * i + 6 * j + k;
            all[at] = by_rotation[entry];
            if i != j || j != k {
                all[at + 3] = if j == k { -f[i] } else { one(i, j, f[k]) };
                all[at + 6 * 3] = if j == k { -f[i] } else { one(i, k, f[j]) };
            }
        });
        all
    }
}

impl<T: Scalar> Group for SE3<T> {
    type Scalar = T;
    type Algebra = [T; 6];
    type Operator = [[T; 6]; 6];
    type Entries = ([[T; 3]; 3], [T; 3]);
    const DIM: usize = 6;

    #[inline(always)]
    fn identity() -> Self {
        SE3 { rotation: SO3::identity(), position: Column::zero() }
    }
    #[inline(always)]
    fn product(self, h: Self) -> Self {
        SE3 {
            rotation: self.rotation.product(h.rotation),
            position: self.position.plus(self.rotation.apply(h.position)),
        }
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        let rotation = self.rotation.inverse();
        SE3 { rotation, position: rotation.apply(self.position).negated() }
    }
    #[inline(always)]
    fn entries(self) -> Self::Entries {
        self.into()
    }
    #[inline(always)]
    fn tangent(self, x: [T; 6]) -> Self::Entries {
        let (omega, v) = split(x);
        (self.rotation.tangent(omega), self.rotation.apply(v))
    }
    /// (R, 0; p̂R, R).
    #[inline(always)]
    fn adjoint(self) -> [[T; 6]; 6] {
        let r = self.rotation.0;
        lower(r, hat_after(self.position, r), r)
    }
    /// (ω̂, 0; v̂, ω̂).
    #[inline(always)]
    fn ad(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        lower(hat(omega), hat(v), hat(omega))
    }
    #[inline(always)]
    fn ad_star(x: [T; 6], mu: [T; 6]) -> [T; 6] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        join(cross(m, omega).plus(cross(f, v)), cross(f, omega))
    }
    #[inline(always)]
    fn ad_star_on(mu: [T; 6]) -> [[T; 6]; 6] {
        let (m, f) = split(mu);
        blocks([hat(m), hat(f)], [hat(f), Operator::zero()])
    }
    #[inline(always)]
    fn defect(self) -> f64 {
        self.rotation.defect()
    }
    #[inline(always)]
    fn normalized(self) -> Self {
        SE3 { rotation: self.rotation.normalized(), ..self }
    }
}

/// As ad_(ω,v) = (ω̂, 0; v̂, ω̂), a power series f(ad) is
/// (f(ω̂), 0; Df(ω̂)·v̂, f(ω̂)): SO(3) and its derivative along v.
impl<T: Scalar> Retraction<SE3<T>> for Exp {
    /// (exp ω̂, dexp_ω v).
    #[inline(always)]
    fn tau(x: [T; 6]) -> SE3<T> {
        let (omega, v) = split(x);
        let dexp = <Exp as Retraction<SO3<T>>>::dtau(omega);
        SE3 { rotation: Exp::tau(omega), position: dexp.apply(v) }
    }
    /// |ω| ≤ π.
    #[inline(always)]
    fn tau_inv(g: SE3<T>) -> [T; 6] {
        let omega = Exp::tau_inv(g.rotation);
        let dexp_inv = <Exp as Retraction<SO3<T>>>::dtau_inv(omega);
        join(omega, dexp_inv.apply(g.position))
    }
    /// Lower left B v̂ + 2(ω·v)B′ω̂ + (Cω̂²)′.
    #[inline(always)]
    fn dtau(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let s = omega.dot(omega);
        let rate = T::from_f64(2.0) * omega.dot(v);
        let linear = v.times(coefficients::b(s)).plus(omega.times(rate * coefficients::b_prime(s)));
        let derivative = square_along(omega, v, coefficients::c(s), coefficients::c_prime(s), linear);
        let dexp = <Exp as Retraction<SO3<T>>>::dtau(omega);
        lower(dexp, derivative, dexp)
    }
    /// Lower left −v̂/2 + (Dω̂²)′.
    #[inline(always)]
    fn dtau_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let s = omega.dot(omega);
        let linear = v.times(T::from_f64(-0.5));
        let derivative = square_along(omega, v, coefficients::d(s), coefficients::d_prime(s), linear);
        let dexp_inv = <Exp as Retraction<SO3<T>>>::dtau_inv(omega);
        lower(dexp_inv, derivative, dexp_inv)
    }
    #[inline(always)]
    fn dtau_inv_star(x: [T; 6], mu: [T; 6]) -> [T; 6] {
        let (m, f) = split(mu);
        let (f, m) = turned_back_along(x, f, m);
        join(m, f)
    }
    #[inline(always)]
    fn dtau_left_inv_of(x: [T; 6], xi: [T; 6]) -> [T; 6] {
        let (omega, v) = split(xi);
        let (omega, v) = turned_back_along(x, omega, v);
        join(omega, v)
    }
    /// With μ = (m, f) and K₃ of SO(3): (K₃(ω, m) + DK₃(ω, f)·v, K₃(ω, f); K₃(ω, f), 0).
    #[inline(always)]
    fn k(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        let s = omega.dot(omega);
        let (d, d_prime) = (coefficients::d(s), coefficients::d_prime(s));
        let (by_m, by_f) = (exp_k(omega, m, d, d_prime), exp_k(omega, f, d, d_prime));
        let along = k_along(omega, v, f, [d, d_prime, coefficients::d_second(s)]);
        blocks([by_m.plus(along), by_f], [by_f, Operator::zero()])
    }
    symmetric!(SE3<T>);
    #[inline(always)]
    fn reaches(x: [T; 6]) -> bool {
        let (omega, _) = split(x);
        <Exp as Retraction<SO3<T>>>::reaches(omega)
    }
}

/// [`turned_back`] of `first` at x = (ω, v), and of `second` with the derivative of that of `first` along v.
#[inline(always)]
fn turned_back_along<T: Scalar>(x: [T; 6], first: [T; 3], second: [T; 3]) -> ([T; 3], [T; 3]) {
    let (omega, v) = split(x);
    let s = omega.dot(omega);
    let (d, slope) = (coefficients::d(s), T::from_f64(2.0) * omega.dot(v) * coefficients::d_prime(s));
    let once = cross(omega, first);
    let derivative = cross(v, first);
    let twice = cross(omega, derivative).plus(cross(v, once));
    let along = derivative.times(T::from_f64(0.5)).plus(twice.times(d)).plus(cross(omega, once).times(slope));
    (turned_back(omega, first, d), turned_back(omega, second, d).plus(along))
}

/// The derivative along v of K₃(σ, μ) = −μ̂/2 + D[(σ·μ) + σμᵀ − 2μσᵀ] + 2D′χσᵀ,
/// χ = (σ·μ)σ − |σ|²μ, with D and its derivatives.
#[inline(always)]
fn k_along<T: Scalar>(sigma: [T; 3], v: [T; 3], mu: [T; 3], [d, d_prime, d_second]: [T; 3]) -> Block<T> {
    let two = T::from_f64(2.0);
    let s = sigma.dot(sigma);
    let (sm, vm, ds) = (sigma.dot(mu), v.dot(mu), two * sigma.dot(v));
    let chi = sigma.times(sm).plus(mu.times(-s));
    let d_chi = v.times(sm).plus(sigma.times(vm)).plus(mu.times(-ds));
    let d_along = ds * d_prime;
    let by_sigma =
        mu.times(-two * d_along).plus(d_chi.times(two * d_prime)).plus(chi.times(two * ds * d_second));
    let by_v = mu.times(-two * d).plus(chi.times(two * d_prime));
    let mut sum =
        outer(v.times(d).plus(sigma.times(d_along)), mu).plus(outer(by_sigma, sigma)).plus(outer(by_v, v));
    for (i, row) in sum.iter_mut().enumerate() {
        row[i] = row[i] + (d * vm + d_along * sm);
    }
    sum
}

/// With N = 1 − ω̂/2, N⁻¹ = (1 + cay ω)/2:
/// dτ⁻¹ = (M, 0; −N v̂/2, N), M = dcay⁻¹ of SO(3).
impl<T: Scalar> Retraction<SE3<T>> for Cayley {
    /// (cay ω, N⁻¹v).
    #[inline(always)]
    fn tau(x: [T; 6]) -> SE3<T> {
        let (omega, v) = split(x);
        let rotation: SO3<T> = Cayley::tau(omega);
        SE3 { rotation, position: v.plus(rotation.apply(v)).times(T::from_f64(0.5)) }
    }
    /// Infinite for half turns.
    #[inline(always)]
    fn tau_inv(g: SE3<T>) -> [T; 6] {
        let omega = Cayley::tau_inv(g.rotation);
        join(omega, g.position.plus(cross(omega, g.position).times(T::from_f64(-0.5))))
    }
    /// (M⁻¹, 0; v̂M⁻¹/2, N⁻¹).
    #[inline(always)]
    fn dtau(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let half = T::from_f64(0.5);
        let dcay = <Cayley as Retraction<SO3<T>>>::dtau(omega);
        let rotation: SO3<T> = Cayley::tau(omega);
        let n_inv = Block::identity().plus(rotation.0).times(half);
        lower(dcay, hat_after(v.times(half), dcay), n_inv)
    }
    /// With ω̂v̂ = vωᵀ − ω·v.
    #[inline(always)]
    fn dtau_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let (minus_half, quarter) = (T::from_f64(-0.5), T::from_f64(0.25));
        let dcay_inv = <Cayley as Retraction<SO3<T>>>::dtau_inv(omega);
        let n = with_hat(T::from_f64(1.0), omega.times(minus_half));
        let mixed =
            with_hat(-quarter * omega.dot(v), v.times(minus_half)).plus(outer(v.times(quarter), omega));
        lower(dcay_inv, mixed, n)
    }
    /// (M*m + v × (f + ω × f/2)/2, f + ω × f/2).
    #[inline(always)]
    fn dtau_inv_star(x: [T; 6], mu: [T; 6]) -> [T; 6] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        let half = T::from_f64(0.5);
        let end = f.plus(cross(omega, f).times(half));
        let by_m = <Cayley as Retraction<SO3<T>>>::dtau_inv_star(omega, m);
        join(by_m.plus(cross(v, end).times(half)), end)
    }
    /// From `dtau_inv_star`.
    #[inline(always)]
    fn k(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        let (half, quarter) = (T::from_f64(0.5), T::from_f64(0.25));
        let end = f.plus(cross(omega, f).times(half));
        let by_omega = with_hat(quarter * (omega.dot(m) + v.dot(f)), m.times(-half))
            .plus(outer(omega.times(quarter), m))
            .plus(outer(f.times(-quarter), v));
        blocks([by_omega, hat(end.times(-half))], [hat(f.times(-half)), Operator::zero()])
    }
    symmetric!(SE3<T>);
    #[inline(always)]
    fn reaches(_: [T; 6]) -> bool {
        true
    }
}

/// τ(x) = (R, Rv) with R of SO(3); dτ = diag(dτ of SO(3), R).
impl<T: Scalar> Retraction<SE3<T>> for Ccsk {
    #[inline(always)]
    fn tau(x: [T; 6]) -> SE3<T> {
        let (omega, v) = split(x);
        let rotation: SO3<T> = Ccsk::tau(omega);
        SE3 { rotation, position: rotation.apply(v) }
    }
    /// As for [`SO3`].
    #[inline(always)]
    fn tau_inv(g: SE3<T>) -> [T; 6] {
        join(Ccsk::tau_inv(g.rotation), g.rotation.inverse().apply(g.position))
    }
    #[inline(always)]
    fn dtau(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, _) = split(x);
        let rotation: SO3<T> = Ccsk::tau(omega);
        lower(<Ccsk as Retraction<SO3<T>>>::dtau(omega), Operator::zero(), rotation.0)
    }
    #[inline(always)]
    fn dtau_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, _) = split(x);
        let rotation: SO3<T> = Ccsk::tau(omega);
        let so3 = <Ccsk as Retraction<SO3<T>>>::dtau_inv(omega);
        lower(so3, Operator::zero(), rotation.inverse().0)
    }
    /// (T, 0; −v̂T, 1) with T of SO(3).
    #[inline(always)]
    fn dtau_left(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let so3 = <Ccsk as Retraction<SO3<T>>>::dtau_left(omega);
        lower(so3, hat_after(v.negated(), so3), Operator::identity())
    }
    /// (T⁻¹, 0; v̂, 1).
    #[inline(always)]
    fn dtau_left_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        lower(<Ccsk as Retraction<SO3<T>>>::dtau_left_inv(omega), hat(v), Operator::identity())
    }
    /// From (dτ⁻¹)*(m, f) = (T⁻¹*m, R f), ∂R/∂ωᵢ = ĉᵢ R with the columns cᵢ of dτ of SO(3).
    #[inline(always)]
    fn k(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, _), (m, f)) = (split(x), split(mu));
        let rotation: SO3<T> = Ccsk::tau(omega);
        let turning = hat_after(rotation.apply(f).negated(), <Ccsk as Retraction<SO3<T>>>::dtau(omega));
        blocks([<Ccsk as Retraction<SO3<T>>>::k(omega, m), Operator::zero()], [turning, Operator::zero()])
    }
    /// From ((dτᴸ)⁻¹)*(m, f) = (T⁻¹*m + f × v, f).
    #[inline(always)]
    fn k_left(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, _), (m, f)) = (split(x), split(mu));
        let so3 = <Ccsk as Retraction<SO3<T>>>::k_left(omega, m);
        blocks([so3, hat(f)], [Operator::zero(), Operator::zero()])
    }
    #[inline(always)]
    fn reaches(x: [T; 6]) -> bool {
        let (omega, _) = split(x);
        <Ccsk as Retraction<SO3<T>>>::reaches(omega)
    }
}

impl<T: Scalar> Flat<[T; 12]> for SE3<T> {
    #[inline(always)]
    fn of([a, b, c, d, e, f, g, h, i, x, y, z]: [T; 12]) -> Self {
        SE3 { rotation: SO3([[a, b, c], [d, e, f], [g, h, i]]), position: [x, y, z] }
    }
    #[inline(always)]
    fn flat(self) -> [T; 12] {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rotation.0;
        let [x, y, z] = self.position;
        [a, b, c, d, e, f, g, h, i, x, y, z]
    }
    #[inline(always)]
    fn rates(self, x: [T; 6]) -> [T; 12] {
        let (rotation, position) = self.tangent(x);
        SE3 { rotation: SO3(rotation), position }.flat()
    }
}

/// Poses as the types of nalgebra, and back.
#[cfg(feature = "nalgebra")]
mod conversions {
    use super::SE3;
    use crate::Scalar;
    use nalgebra::{Isometry3, RealField, Translation3};

    impl<T: Scalar + RealField> From<Isometry3<T>> for SE3<T> {
        #[inline]
        fn from(isometry: Isometry3<T>) -> Self {
            SE3 { rotation: isometry.rotation.into(), position: isometry.translation.vector.into() }
        }
    }

    impl<T: Scalar + RealField> From<SE3<T>> for Isometry3<T> {
        #[inline]
        fn from(g: SE3<T>) -> Self {
            Isometry3::from_parts(Translation3::from(g.position), g.rotation.into())
        }
    }
}
