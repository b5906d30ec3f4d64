//! Emitted code among names that could get in its way.
#![no_implicit_prelude]
#![allow(dead_code, non_upper_case_globals, non_camel_case_types, non_snake_case, missing_docs)]

// What emitted code would mean something else by, if it used such names unqualified.
macro_rules! assert {
    () => {
        ()
    };
}
const h: u8 = 0;
const q: u8 = 0;
const v: u8 = 0;
const t: u8 = 0;
const theta: u8 = 0;
const __nothing: () = assert!();
static parameters: u8 = 0;
struct x;
struct state;
struct T;
struct Scalar;
struct Prepared;
struct NodeState;
enum Result {}
enum Option {}
enum Failure {}
type f64 = u8;
type usize = u8;
type str = u8;
mod core {}
mod kernel {}
mod emitted {}
mod dla2 {}

trait Sine {
    fn sin(self) -> u8;
    fn sin_cos(self) -> u8;
}

impl<A> Sine for A {
    fn sin(self) -> u8 {
        0
    }

    fn sin_cos(self) -> u8 {
        0
    }
}

#[derive(::nhi_runtime::Nonholonomic)]
#[nonholonomic(
    coordinates(theta, x, None, Some, r#type, prepared, newton),
    lagrangian = (J*dot(theta)^2 + m*(dot(x)^2 + dot(None)^2) + dot(Some)^2 + dot(r#type)^2
        + dot(prepared)^2 + dot(newton)^2)/2 - state*unknowns*next*x^2,
    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dNone),
    crate = ::nhi_runtime
)]
struct Sleigh {
    J: ::std::primitive::f64,
    m: ::std::primitive::f64,
    a: ::std::primitive::f64,
    state: ::std::primitive::f64,
    unknowns: ::std::primitive::f64,
    next: ::std::primitive::f64,
}

mod inner {
    pub(crate) use ::nhi_runtime as runtime;

    mod deeper {
        #[derive(::nhi_runtime::Nonholonomic)]
        #[nonholonomic(
            coordinates(x),
            lagrangian = m*dot(x)^2/2 - c[0]*x^2 - c[1]*x^4,
            constraints(),
            crate = super::runtime
        )]
        struct ByParent {
            m: ::std::primitive::f64,
            c: [::std::primitive::f64; 2],
        }
    }

    #[derive(::nhi_runtime::Nonholonomic)]
    #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints(), crate = self::runtime)]
    struct BySelf;

    #[derive(::nhi_runtime::Nonholonomic)]
    #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints(), crate = crate::inner::runtime)]
    struct ByCrate;

    #[derive(::nhi_runtime::Nonholonomic)]
    #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints(), crate = runtime)]
    struct ByAlias;
}

/// Where a name of a constant could get in the way of one of a variable.
mod by_path {
    use super::inner;

    const h: u8 = 0;
    const q: u8 = 0;
    struct x;
    struct Failure;

    #[derive(::nhi_runtime::Nonholonomic)]
    #[nonholonomic(
        coordinates(x),
        lagrangian = dot(x)^2/2,
        constraints(),
        methods(Dla2, Rattle, Rk4),
        crate = inner::runtime
    )]
    struct ByPath;
}

/// Generics that no parameter depends on.
#[derive(::nhi_runtime::Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m*dot(x)^2/2, constraints(), crate = ::nhi_runtime)]
struct Generic<'a, T, S: ::std::clone::Clone, const N: ::std::primitive::usize>
where
    T: ::std::fmt::Debug,
{
    m: ::std::primitive::f64,
    #[nonholonomic(skip)]
    rest: (&'a T, [S; N]),
}

#[test]
fn steps() {
    use ::nhi_runtime::{Dla2, Rattle, Simulation};
    use ::std::result::Result::{Err, Ok};

    let sleigh = Sleigh { J: 1.0, m: 1.0, a: 0.2, state: 0.5, unknowns: 1.0, next: 1.0 };
    let simulation = Simulation::project(sleigh, Dla2, [0.1; 7], [0.3; 7], 0.01);
    let ran = match simulation {
        Ok(mut simulation) => match simulation.step() {
            Ok(()) => simulation.energy() > 0.0,
            Err(_) => false,
        },
        Err(_) => false,
    };
    ::std::assert!(ran);

    // Declared in a function, beside a local of the same name as a coordinate.
    #[derive(::nhi_runtime::Nonholonomic)]
    #[nonholonomic(coordinates(y), lagrangian = dot(y)^2/2 - g*y, constraints(), crate = ::nhi_runtime)]
    struct Local {
        g: ::std::primitive::f64,
    }
    let y = Simulation::new(Local { g: 10.0 }, Rattle, [0.0], [1.0], 0.1);
    ::std::assert!(y.is_ok());
}
