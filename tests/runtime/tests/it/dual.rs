//! Numbers with derivatives.

use nhi_runtime::{Dual, Scalar};

/// Functions whose derivative `d` is known otherwise: value and derivative at x.
macro_rules! functions {
    ($($name:literal: |$x:ident| $f:expr, $d:expr;)*) => {
        /// Of every function its name, itself and its derivative in closed form.
        fn functions<T: Scalar>() -> Vec<(&'static str, fn(T) -> T, fn(f64) -> f64)> {
            vec![$(($name, |$x: T| $f, |$x: f64| $d)),*]
        }
    };
}

fn number<T: Scalar>(x: f64) -> T {
    T::from_f64(x)
}

functions! {
    "sqrt": |x| x.sqrt(), 0.5 / x.sqrt();
    "sin": |x| x.sin(), x.cos();
    "cos": |x| x.cos(), -x.sin();
    "sin of sin_cos": |x| x.sin_cos().0, x.cos();
    "cos of sin_cos": |x| x.sin_cos().1, -x.sin();
    "tan": |x| x.tan(), x.cos().powi(-2);
    "asin": |x| x.asin(), 1.0 / x.asin().cos();
    "acos": |x| x.acos(), -1.0 / x.acos().sin();
    "atan": |x| x.atan(), x.atan().cos().powi(2);
    "atan2 above": |x| x.atan2(number(2.0)), 2.0 / (4.0 + x * x);
    "atan2 below": |x| number::<T>(2.0).atan2(-x), 2.0 / (4.0 + x * x);
    "atan2 of both": |x| (x * x).atan2(x), 1.0 / (1.0 + x * x);
    "sinh": |x| x.sinh(), x.cosh();
    "cosh": |x| x.cosh(), x.sinh();
    "tanh": |x| x.tanh(), x.cosh().powi(-2);
    "exp": |x| x.exp(), x.exp();
    "ln": |x| x.ln(), 1.0 / x;
    "powf, downwards": |x| x.powf(number(-2.0)), -2.0 * x.powi(-3);
    "powf": |x| x.powf(number(2.5)), 2.5 * x.powf(1.5);
    "powf of the exponent": |x| number::<T>(2.5).powf(x), 2.5f64.ln() * 2.5f64.powf(x);
    "powf of itself": |x| x.powf(x), (1.0 + x.ln()) * x.powf(x);
    "sum": |x| x + x, 2.0 + 0.0 * x;
    "difference": |x| number::<T>(1.0) - x, -1.0 + 0.0 * x;
    "product": |x| (x + number(1.0)) * x, 2.0 * x + 1.0;
    "quotient": |x| -x / (x - number(2.0)), 2.0 / (x - 2.0).powi(2);
}

const POINTS: [f64; 4] = [0.1, 0.3, 0.6, 0.95];

#[test]
fn derivatives_follow_the_chain_rule() {
    for ((name, f, d), (_, plain, _)) in functions::<Dual<f64, 2>>().into_iter().zip(functions::<f64>()) {
        for x in POINTS {
            // x varies in the second direction, twice as fast.
            let y = f(Dual { re: x, eps: [0.0, 2.0] });
            assert_eq!(y.re.to_bits(), plain(x).to_bits(), "{name} at {x}");
            let (expected, [other, slope]) = (2.0 * d(x), y.eps);
            assert!((slope - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{name} at {x}: {slope}");
            assert_eq!(other, 0.0, "{name} at {x}");
        }
    }
}

/// d² f/dx² from dual numbers over dual numbers is the derivative of df/dx, here by a central difference of
/// order 4.
#[test]
fn nested_they_have_second_derivatives() {
    for ((name, f, _), (_, first, _)) in
        functions::<Dual<Dual<f64>>>().into_iter().zip(functions::<Dual<f64>>())
    {
        for x in POINTS {
            let slope = |x: f64| first(Dual::variable(x, 0)).eps[0];
            let y = f(Dual { re: Dual::variable(x, 0), eps: [Dual::constant(1.0)] });
            assert_eq!((y.re.eps[0], y.eps[0].re), (slope(x), slope(x)), "{name} at {x}");
            let h = 1e-3 * x.min(1.0 - x);
            let d = |h: f64| (slope(x + h) - slope(x - h)) / (2.0 * h);
            let second = (4.0 * d(h) - d(2.0 * h)) / 3.0;
            let scale = 1.0 + second.abs();
            assert!((y.eps[0].eps[0] - second).abs() < 1e-8 * scale, "{name} at {x}: {y:?}, {second}");
        }
    }
    const { assert!(<Dual<Dual<f64>> as Scalar>::DRIVE.derivatives == 2) };
}

#[test]
fn powers_have_derivatives_where_they_vanish() {
    let zero = Dual::<f64>::variable(0.0, 0);
    assert_eq!(zero.powf(number(0.0)).eps, [0.0]);
    assert_eq!(zero.powf(number(1.0)).eps, [1.0]);
    assert_eq!(zero.powf(number(1.5)).eps, [0.0]);
    assert_eq!(zero.powf(number(2.0)).eps, [0.0]);
    let exponent = Dual::<f64>::variable(1.5, 0);
    assert_eq!(number::<Dual<f64>>(0.0).powf(exponent).eps, [0.0]);
    let negative = Dual::<f64>::variable(-2.0, 0);
    assert_eq!(negative.powf(number(2.0)).eps, [-4.0]);
    assert_eq!(negative.powf(number(3.0)).eps, [12.0]);
}

/// The dual numbers of num-dual: the same derivatives, one direction or several, in `f32` too, and nested.
#[cfg(feature = "num-dual")]
#[test]
fn those_of_num_dual_follow_it_too() {
    use num_dual::{Dual64, DualSVec64};

    /// Quotients are products with a rounded reciprocal there.
    fn close(name: &str, x: f64, y: f64, expected: f64) {
        assert!((y - expected).abs() <= 2e-15 * (1.0 + expected.abs()), "{name} at {x}: {y}, {expected}");
    }

    let ours = functions::<Dual<f64, 2>>();
    let [one, several, nested] =
        [functions::<Dual64>().len(), functions::<DualSVec64<2>>().len(), ours.len()];
    assert_eq!((one, several), (nested, nested));
    for (i, (name, f, _)) in ours.into_iter().enumerate() {
        for x in POINTS {
            let expected = f(Dual { re: x, eps: [1.0, -2.0] });
            let y = functions::<Dual64>()[i].1(Dual64::new(x, 1.0));
            close(name, x, y.re, expected.re);
            close(name, x, y.eps, expected.eps[0]);
            let direction = num_dual::Derivative::some([1.0, -2.0].into());
            let y = functions::<DualSVec64<2>>()[i].1(DualSVec64::new(x, direction));
            let eps = y.eps.0.map_or([0.0; 2], Into::into);
            close(name, x, y.re, expected.re);
            close(name, x, eps[0], expected.eps[0]);
            close(name, x, eps[1], expected.eps[1]);
        }
    }
    const { assert!(<num_dual::Dual32 as Scalar>::DRIVE.derivatives == 1) };
    let x = num_dual::Dual::new(Dual64::new(0.5, 1.0), Dual64::new(1.0, 0.0));
    assert_eq!(Scalar::powf(x, number(3.0)).eps.eps, 3.0);
}
