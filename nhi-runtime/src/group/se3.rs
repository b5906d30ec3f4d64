use super::coefficients;
use super::retraction::symmetric;
use super::so3::{cross, hat, outer};
use super::{Cayley, Ccsk, Column, Exp, Group, Operator, Retraction, SO3};
use crate::Scalar;
use core::array::from_fn;

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
    #[inline]
    fn from((rows, position): ([[T; 3]; 3], [T; 3])) -> Self {
        SE3 { rotation: SO3(rows), position }
    }
}

impl<T> From<SE3<T>> for ([[T; 3]; 3], [T; 3]) {
    #[inline]
    fn from(g: SE3<T>) -> Self {
        (g.rotation.0, g.position)
    }
}

type Block<T> = [[T; 3]; 3];

#[inline]
fn split<T: Scalar>(x: [T; 6]) -> ([T; 3], [T; 3]) {
    let [x0, x1, x2, x3, x4, x5] = x;
    ([x0, x1, x2], [x3, x4, x5])
}

#[inline]
fn join<T: Scalar>(x: [T; 3], y: [T; 3]) -> [T; 6] {
    let ([x0, x1, x2], [x3, x4, x5]) = (x, y);
    [x0, x1, x2, x3, x4, x5]
}

/// The 6 × 6 matrix (upper-left, upper-right; lower-left, lower-right).
#[inline]
fn blocks<T: Scalar>(upper: [Block<T>; 2], lower: [Block<T>; 2]) -> [[T; 6]; 6] {
    from_fn(|i| {
        let [left, right] = if i < 3 { upper } else { lower };
        join(left[i % 3], right[i % 3])
    })
}

/// The 6 × 6 matrix (a, 0; b, c).
#[inline]
fn lower<T: Scalar>(a: Block<T>, b: Block<T>, c: Block<T>) -> [[T; 6]; 6] {
    blocks([a, Operator::zero()], [b, c])
}

/// ω̂v̂ + v̂ω̂ = ωvᵀ + vωᵀ − 2(ω·v).
#[inline]
fn anticommutator<T: Scalar>(omega: [T; 3], v: [T; 3]) -> Block<T> {
    let product = omega.dot(v);
    let mixed = outer(omega, v);
    mixed.plus(mixed.transposed()).plus(Block::identity().times(-(product + product)))
}

impl<T: Scalar> Group for SE3<T> {
    type Scalar = T;
    type Algebra = [T; 6];
    type Operator = [[T; 6]; 6];
    type Entries = ([[T; 3]; 3], [T; 3]);
    const DIM: usize = 6;

    #[inline]
    fn identity() -> Self {
        SE3 { rotation: SO3::identity(), position: Column::zero() }
    }
    #[inline]
    fn product(self, h: Self) -> Self {
        SE3 {
            rotation: self.rotation.product(h.rotation),
            position: self.position.plus(self.rotation.apply(h.position)),
        }
    }
    #[inline]
    fn inverse(self) -> Self {
        let rotation = self.rotation.inverse();
        SE3 { rotation, position: rotation.apply(self.position).negated() }
    }
    #[inline]
    fn entries(self) -> Self::Entries {
        self.into()
    }
    #[inline]
    fn tangent(self, x: [T; 6]) -> Self::Entries {
        let (omega, v) = split(x);
        (self.rotation.tangent(omega), self.rotation.apply(v))
    }
    /// (R, 0; p̂R, R).
    #[inline]
    fn adjoint(self) -> [[T; 6]; 6] {
        let r = self.rotation.0;
        lower(r, hat(self.position).after(r), r)
    }
    /// (ω̂, 0; v̂, ω̂).
    #[inline]
    fn ad(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        lower(hat(omega), hat(v), hat(omega))
    }
    #[inline]
    fn ad_star(x: [T; 6], mu: [T; 6]) -> [T; 6] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        join(cross(m, omega).plus(cross(f, v)), cross(f, omega))
    }
    #[inline]
    fn ad_star_on(mu: [T; 6]) -> [[T; 6]; 6] {
        let (m, f) = split(mu);
        blocks([hat(m), hat(f)], [hat(f), Operator::zero()])
    }
    #[inline]
    fn defect(self) -> f64 {
        self.rotation.defect()
    }
    #[inline]
    fn normalized(self) -> Self {
        SE3 { rotation: self.rotation.normalized(), ..self }
    }
}

/// As ad_(ω,v) = (ω̂, 0; v̂, ω̂), a power series f(ad) is
/// (f(ω̂), 0; Df(ω̂)·v̂, f(ω̂)): SO(3) and its derivative along v.
impl<T: Scalar> Retraction<SE3<T>> for Exp {
    /// (exp ω̂, dexp_ω v).
    #[inline]
    fn tau(x: [T; 6]) -> SE3<T> {
        let (omega, v) = split(x);
        let dexp = <Exp as Retraction<SO3<T>>>::dtau(omega);
        SE3 { rotation: Exp::tau(omega), position: dexp.apply(v) }
    }
    /// |ω| ≤ π.
    #[inline]
    fn tau_inv(g: SE3<T>) -> [T; 6] {
        let omega = Exp::tau_inv(g.rotation);
        let dexp_inv = <Exp as Retraction<SO3<T>>>::dtau_inv(omega);
        join(omega, dexp_inv.apply(g.position))
    }
    /// Lower left B v̂ + C(ω̂v̂ + v̂ω̂) + 2(ω·v)(B′ω̂ + C′ω̂²).
    #[inline]
    fn dtau(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let s = omega.dot(omega);
        let rate = T::from_f64(2.0) * omega.dot(v);
        let hat_omega = hat(omega);
        let slope = hat_omega
            .times(coefficients::b_prime(s))
            .plus(hat_omega.after(hat_omega).times(coefficients::c_prime(s)));
        let derivative = hat(v)
            .times(coefficients::b(s))
            .plus(anticommutator(omega, v).times(coefficients::c(s)))
            .plus(slope.times(rate));
        let dexp = <Exp as Retraction<SO3<T>>>::dtau(omega);
        lower(dexp, derivative, dexp)
    }
    /// Lower left −v̂/2 + D(ω̂v̂ + v̂ω̂) + 2(ω·v)D′ω̂².
    #[inline]
    fn dtau_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let s = omega.dot(omega);
        let rate = T::from_f64(2.0) * omega.dot(v);
        let hat_omega = hat(omega);
        let derivative = hat(v.times(T::from_f64(-0.5)))
            .plus(anticommutator(omega, v).times(coefficients::d(s)))
            .plus(hat_omega.after(hat_omega).times(rate * coefficients::d_prime(s)));
        let dexp_inv = <Exp as Retraction<SO3<T>>>::dtau_inv(omega);
        lower(dexp_inv, derivative, dexp_inv)
    }
    /// With μ = (m, f) and K₃ of SO(3): (K₃(ω, m) + DK₃(ω, f)·v, K₃(ω, f); K₃(ω, f), 0).
    #[inline]
    fn k(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        let by_m = <Exp as Retraction<SO3<T>>>::k(omega, m);
        let by_f = <Exp as Retraction<SO3<T>>>::k(omega, f);
        blocks([by_m.plus(k_along(omega, v, f)), by_f], [by_f, Operator::zero()])
    }
    symmetric!(SE3<T>);
    #[inline]
    fn reaches(x: [T; 6]) -> bool {
        let (omega, _) = split(x);
        <Exp as Retraction<SO3<T>>>::reaches(omega)
    }
}

/// The derivative along v of K₃(σ, μ) = −μ̂/2 + D[(σ·μ) + σμᵀ − 2μσᵀ] + 2D′χσᵀ,
/// χ = (σ·μ)σ − |σ|²μ.
#[inline]
fn k_along<T: Scalar>(sigma: [T; 3], v: [T; 3], mu: [T; 3]) -> Block<T> {
    let two = T::from_f64(2.0);
    let s = sigma.dot(sigma);
    let (d, d_prime, d_second) = (coefficients::d(s), coefficients::d_prime(s), coefficients::d_second(s));
    let (sm, vm, ds) = (sigma.dot(mu), v.dot(mu), two * sigma.dot(v));
    let chi = sigma.times(sm).plus(mu.times(-s));
    let d_chi = v.times(sm).plus(sigma.times(vm)).plus(mu.times(-ds));
    let d_along = ds * d_prime;
    let by_sigma =
        mu.times(-two * d_along).plus(d_chi.times(two * d_prime)).plus(chi.times(two * ds * d_second));
    let by_v = mu.times(-two * d).plus(chi.times(two * d_prime));
    Block::identity()
        .times(d * vm + d_along * sm)
        .plus(outer(v.times(d).plus(sigma.times(d_along)), mu))
        .plus(outer(by_sigma, sigma))
        .plus(outer(by_v, v))
}

/// With N = 1 − ω̂/2, N⁻¹ = (1 + cay ω)/2:
/// dτ⁻¹ = (M, 0; −N v̂/2, N), M = dcay⁻¹ of SO(3).
impl<T: Scalar> Retraction<SE3<T>> for Cayley {
    /// (cay ω, N⁻¹v).
    #[inline]
    fn tau(x: [T; 6]) -> SE3<T> {
        let (omega, v) = split(x);
        let rotation: SO3<T> = Cayley::tau(omega);
        SE3 { rotation, position: v.plus(rotation.apply(v)).times(T::from_f64(0.5)) }
    }
    /// Infinite for half turns.
    #[inline]
    fn tau_inv(g: SE3<T>) -> [T; 6] {
        let omega = Cayley::tau_inv(g.rotation);
        join(omega, g.position.plus(cross(omega, g.position).times(T::from_f64(-0.5))))
    }
    /// (M⁻¹, 0; v̂M⁻¹/2, N⁻¹).
    #[inline]
    fn dtau(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let half = T::from_f64(0.5);
        let dcay = <Cayley as Retraction<SO3<T>>>::dtau(omega);
        let rotation: SO3<T> = Cayley::tau(omega);
        let n_inv = Block::identity().plus(rotation.0).times(half);
        lower(dcay, hat(v.times(half)).after(dcay), n_inv)
    }
    #[inline]
    fn dtau_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let minus_half = T::from_f64(-0.5);
        let dcay_inv = <Cayley as Retraction<SO3<T>>>::dtau_inv(omega);
        let n = Block::identity().plus(hat(omega.times(minus_half)));
        lower(dcay_inv, n.after(hat(v.times(minus_half))), n)
    }
    /// From (dτ⁻¹)*(m, f) = (M*m + v × (f + ω × f/2)/2, f + ω × f/2).
    #[inline]
    fn k(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, v), (m, f)) = (split(x), split(mu));
        let (half, quarter) = (T::from_f64(0.5), T::from_f64(0.25));
        let end = f.plus(cross(omega, f).times(half));
        let by_omega = <Cayley as Retraction<SO3<T>>>::k(omega, m).plus(hat(v.times(-quarter)).after(hat(f)));
        blocks([by_omega, hat(end.times(-half))], [hat(f.times(-half)), Operator::zero()])
    }
    symmetric!(SE3<T>);
    #[inline]
    fn reaches(_: [T; 6]) -> bool {
        true
    }
}

/// τ(x) = (R, Rv) with R of SO(3); dτ = diag(dτ of SO(3), R).
impl<T: Scalar> Retraction<SE3<T>> for Ccsk {
    #[inline]
    fn tau(x: [T; 6]) -> SE3<T> {
        let (omega, v) = split(x);
        let rotation: SO3<T> = Ccsk::tau(omega);
        SE3 { rotation, position: rotation.apply(v) }
    }
    /// As for [`SO3`].
    #[inline]
    fn tau_inv(g: SE3<T>) -> [T; 6] {
        join(Ccsk::tau_inv(g.rotation), g.rotation.inverse().apply(g.position))
    }
    #[inline]
    fn dtau(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, _) = split(x);
        let rotation: SO3<T> = Ccsk::tau(omega);
        lower(<Ccsk as Retraction<SO3<T>>>::dtau(omega), Operator::zero(), rotation.0)
    }
    #[inline]
    fn dtau_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, _) = split(x);
        let rotation: SO3<T> = Ccsk::tau(omega);
        let so3 = <Ccsk as Retraction<SO3<T>>>::dtau_inv(omega);
        lower(so3, Operator::zero(), rotation.inverse().0)
    }
    /// (T, 0; −v̂T, 1) with T of SO(3).
    #[inline]
    fn dtau_left(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        let so3 = <Ccsk as Retraction<SO3<T>>>::dtau_left(omega);
        lower(so3, hat(v.negated()).after(so3), Operator::identity())
    }
    /// (T⁻¹, 0; v̂, 1).
    #[inline]
    fn dtau_left_inv(x: [T; 6]) -> [[T; 6]; 6] {
        let (omega, v) = split(x);
        lower(<Ccsk as Retraction<SO3<T>>>::dtau_left_inv(omega), hat(v), Operator::identity())
    }
    /// From (dτ⁻¹)*(m, f) = (T⁻¹*m, R f), ∂R/∂ωᵢ = ĉᵢ R with the columns cᵢ of dτ of SO(3).
    #[inline]
    fn k(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, _), (m, f)) = (split(x), split(mu));
        let rotation: SO3<T> = Ccsk::tau(omega);
        let turning = hat(rotation.apply(f).negated()).after(<Ccsk as Retraction<SO3<T>>>::dtau(omega));
        blocks([<Ccsk as Retraction<SO3<T>>>::k(omega, m), Operator::zero()], [turning, Operator::zero()])
    }
    /// From ((dτᴸ)⁻¹)*(m, f) = (T⁻¹*m + f × v, f).
    #[inline]
    fn k_left(x: [T; 6], mu: [T; 6]) -> [[T; 6]; 6] {
        let ((omega, _), (m, f)) = (split(x), split(mu));
        let so3 = <Ccsk as Retraction<SO3<T>>>::k_left(omega, m);
        blocks([so3, hat(f)], [Operator::zero(), Operator::zero()])
    }
    #[inline]
    fn reaches(x: [T; 6]) -> bool {
        let (omega, _) = split(x);
        <Ccsk as Retraction<SO3<T>>>::reaches(omega)
    }
}
