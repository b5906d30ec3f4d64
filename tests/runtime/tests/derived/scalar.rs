//! A number type of the user's own: its arithmetic and its elementary functions are all that a simulation needs.

use nhi_runtime::prelude::*;
use nhi_runtime::{Dual, Method, Scalar};
use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

thread_local! {
    static SINES: Cell<u64> = const { Cell::new(0) };
}

/// A number that implements what [`Scalar`] requires, and counts sine–cosine pairs.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Own(f64);

macro_rules! operators {
    ($($trait:ident $f:ident)*) => {$(
        impl $trait for Own {
            type Output = Own;
            fn $f(self, other: Own) -> Own {
                Own(self.0.$f(other.0))
            }
        }
    )*};
}

operators! { Add add Sub sub Mul mul Div div }

impl Neg for Own {
    type Output = Own;
    fn neg(self) -> Own {
        Own(-self.0)
    }
}

macro_rules! functions {
    ($($f:ident)*) => {$(
        fn $f(self) -> Own {
            Own(Scalar::$f(self.0))
        }
    )*};
}

impl Scalar for Own {
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Own {
        Own(x)
    }
    fn to_f64(self) -> f64 {
        self.0
    }
    fn sin_cos(self) -> (Own, Own) {
        SINES.set(SINES.get() + 1);
        let (sin, cos) = Scalar::sin_cos(self.0);
        (Own(sin), Own(cos))
    }
    functions! { sqrt sin cos tan asin acos atan sinh cosh tanh exp ln }
    fn atan2(self, x: Own) -> Own {
        Own(Scalar::atan2(self.0, x.0))
    }
    fn powf(self, x: Own) -> Own {
        Own(Scalar::powf(self.0, x.0))
    }
}

/// The Chaplygin sleigh, whose steps update the sine and cosine of the heading: they rotate them (`Rattle`), or correct
/// them and rotate by a small angle (`Dla2`).
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = inertia/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    methods(Dla2, Rattle),
)]
struct Sleigh {
    inertia: f64,
    m: f64,
    a: f64,
}

const SLEIGH: Sleigh = Sleigh { inertia: 0.5, m: 1.0, a: 0.2 };
const STEPS: u64 = 200;

/// The state after [`STEPS`] steps in the number type `T`, to which `number` converts.
fn end<M: Method<Sleigh>, T: Scalar>(method: M, number: impl Fn(f64) -> T + Copy) -> [T; 6] {
    let (q, v) = ([0.3, 0.0, 0.0], [1.2, 0.5978106927892027, 0.43614490205308315]);
    let parameters = [SLEIGH.inertia, SLEIGH.m, SLEIGH.a].map(number);
    let mut simulation = Simulation::with_parameters(
        SLEIGH,
        method,
        parameters,
        q.map(number),
        v.map(number),
        &[],
        T::from_f64(0.02),
    )
    .unwrap();
    (0..STEPS).for_each(|_| simulation.step().unwrap());
    let ([a, b, c], [d, e, f]) = (simulation.q(), simulation.v());
    [a, b, c, d, e, f]
}

fn check<M: Method<Sleigh> + Copy>(method: M) {
    let expected = end(method, |x| x);
    SINES.set(0);
    let own = end(method, Own);
    // By default, an update computes sine and cosine as for any angle.
    assert!(SINES.get() >= STEPS, "{} pairs", SINES.get());
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-13 * (1.0 + y.abs());
    assert!(own.iter().zip(expected).all(|(x, y)| near(x.0, y)), "{own:?} instead of {expected:?}");

    // Derivatives with respect to a common factor of parameters, configuration and velocity.
    let dual = end(method, |x| Dual { re: Own(x), eps: [Own(x)] });
    let expected = end(method, |x| Dual { re: x, eps: [x] });
    for (x, y) in dual.iter().zip(expected) {
        assert!(near(x.re.0, y.re) && near(x.eps[0].0, y.eps[0]), "{x:?} instead of {y:?}");
    }
}

#[test]
fn arithmetic_and_elementary_functions_are_enough() {
    check(Dla2);
    check(Rattle);
}
