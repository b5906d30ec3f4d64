//! Dual numbers over any scalar: one derivative, exact to the rounding of that scalar.

use nhi_runtime::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// x + ε x′ with ε² = 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dual<T> {
    /// x.
    pub re: T,
    /// x′.
    pub eps: T,
}

impl<T: Scalar> Dual<T> {
    /// A number that does not vary.
    pub fn constant(re: T) -> Self {
        Dual { re, eps: T::from_f64(0.0) }
    }

    /// f(x), by f and f′ at x.
    fn chain(self, value: T, derivative: T) -> Self {
        Dual { re: value, eps: derivative * self.eps }
    }
}

impl<T: Scalar> Add for Dual<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual { re: self.re + other.re, eps: self.eps + other.eps }
    }
}

impl<T: Scalar> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual { re: self.re - other.re, eps: self.eps - other.eps }
    }
}

impl<T: Scalar> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual { re: self.re * other.re, eps: self.re * other.eps + self.eps * other.re }
    }
}

impl<T: Scalar> Div for Dual<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let re = self.re / other.re;
        Dual { re, eps: (self.eps - re * other.eps) / other.re }
    }
}

impl<T: Scalar> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: -self.eps }
    }
}

impl<T: Scalar> Scalar for Dual<T> {
    const EPSILON: f64 = T::EPSILON;

    fn from_f64(x: f64) -> Self {
        Self::constant(T::from_f64(x))
    }
    fn to_f64(self) -> f64 {
        self.re.to_f64()
    }
    fn sqrt(self) -> Self {
        let root = self.re.sqrt();
        self.chain(root, T::from_f64(0.5) / root)
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.re.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    fn tan(self) -> Self {
        let tan = self.re.tan();
        self.chain(tan, T::from_f64(1.0) + tan * tan)
    }
    fn asin(self) -> Self {
        let one = T::from_f64(1.0);
        self.chain(self.re.asin(), one / (one - self.re * self.re).sqrt())
    }
    fn acos(self) -> Self {
        let one = T::from_f64(1.0);
        self.chain(self.re.acos(), -one / (one - self.re * self.re).sqrt())
    }
    fn atan(self) -> Self {
        let one = T::from_f64(1.0);
        self.chain(self.re.atan(), one / (one + self.re * self.re))
    }
    fn atan2(self, x: Self) -> Self {
        let r2 = x.re * x.re + self.re * self.re;
        Dual { re: self.re.atan2(x.re), eps: (x.re * self.eps - self.re * x.eps) / r2 }
    }
    fn sinh(self) -> Self {
        self.chain(self.re.sinh(), self.re.cosh())
    }
    fn cosh(self) -> Self {
        self.chain(self.re.cosh(), self.re.sinh())
    }
    fn tanh(self) -> Self {
        let tanh = self.re.tanh();
        self.chain(tanh, T::from_f64(1.0) - tanh * tanh)
    }
    fn exp(self) -> Self {
        let exp = self.re.exp();
        self.chain(exp, exp)
    }
    fn ln(self) -> Self {
        self.chain(self.re.ln(), T::from_f64(1.0) / self.re)
    }
    fn powi(self, n: i32) -> Self {
        self.chain(self.re.powi(n), T::from_f64(f64::from(n)) * self.re.powi(n - 1))
    }
    fn powf(self, x: Self) -> Self {
        let power = self.re.powf(x.re);
        let by_base = x.re * self.re.powf(x.re - T::from_f64(1.0)) * self.eps;
        // A constant exponent asks nothing of the logarithm.
        let by_exponent = if x.eps == T::from_f64(0.0) { x.eps } else { power * self.re.ln() * x.eps };
        Dual { re: power, eps: by_base + by_exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::Dual;
    use nhi_runtime::Scalar;

    /// Every function against a central difference.
    #[test]
    fn derivatives_are_those_of_central_differences() {
        type Function = fn(Dual<f64>) -> Dual<f64>;
        let functions: [(&str, Function); 17] = [
            ("sqrt", |x| x.sqrt()),
            ("sin", |x| x.sin()),
            ("cos", |x| x.cos()),
            ("tan", |x| x.tan()),
            ("asin", |x| x.asin()),
            ("acos", |x| x.acos()),
            ("atan", |x| x.atan()),
            ("atan2", |x| (x * x).atan2(x)),
            ("sinh", |x| x.sinh()),
            ("cosh", |x| x.cosh()),
            ("tanh", |x| x.tanh()),
            ("exp", |x| x.exp()),
            ("ln", |x| x.ln()),
            ("powi", |x| x.powi(3)),
            ("powf", |x| x.powf(Dual::constant(2.5))),
            ("powf of itself", |x| x.powf(x)),
            ("quotient", |x| -x / (x - Dual::constant(2.0))),
        ];
        let (x, h) = (0.6, 1e-5);
        for (name, f) in functions {
            let value = |x| f(Dual::constant(x)).re;
            let difference = (value(x + h) - value(x - h)) / (2.0 * h);
            let derivative = f(Dual { re: x, eps: 1.0 }).eps;
            assert!((derivative - difference).abs() < 1e-8, "{name}: {derivative} and {difference}");
        }
    }
}
