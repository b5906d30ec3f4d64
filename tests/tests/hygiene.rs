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
struct Named;
struct System;
const THETA: u8 = 0;
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
mod group {}
mod rdp {}
struct Posed;
struct Factor;
struct Retracts;
struct SO3;
struct SE2;
struct SE3;
struct R;
struct Exp;
const omega: u8 = 0;
const p: u8 = 0;

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

/// Poses and velocities of bodies by names of what steps are made of.
#[derive(::nhi_runtime::Nonholonomic)]
#[nonholonomic(
    coordinates(entries, r#loop),
    group = SE2(state, prepared, R; newton, unknowns, T),
    inputs(Exp, Posed),
    lagrangian = (J*newton^2 + unknowns^2 + T^2 + dot(entries)^2 + dot(r#loop)^2)/2 - g*sin(state)*entries,
    constraints(unknowns - Retracts*dot(r#loop), T),
    force = Exp*dentries - Posed*newton*dstate,
    methods(Rdp, RdpLeft, Rattle, RattleRestarted, GniEulerB, Rkmk4),
    crate = ::nhi_runtime
)]
struct OnPlane {
    J: ::std::primitive::f64,
    g: ::std::primitive::f64,
    Retracts: ::std::primitive::f64,
}

#[derive(::nhi_runtime::Nonholonomic)]
#[nonholonomic(
    coordinates(q, v),
    group = SO3(R; h, lambda, SO3),
    lagrangian = (dot(q)^2 + dot(v)^2 + h^2 + lambda^2 + m*SO3^2)/2 - R[2][2],
    constraints(dq - (R[1][0]*h + R[1][1]*lambda + R[1][2]*SO3)*dt, dv + (R[0][0]*h + R[0][1]*lambda)*dt),
    methods(Rdp, Rattle, Rkmk2),
    crate = ::nhi_runtime
)]
struct OnBall {
    m: ::std::primitive::f64,
}

#[derive(::nhi_runtime::Nonholonomic)]
#[nonholonomic(
    group = SE3(g, p; omega, Factor, next, q, parameters, inputs),
    lagrangian = (omega^2 + Factor^2 + next^2 + q^2 + parameters^2 + inputs^2)/2 - g[0][0]*p[0],
    constraints(inputs, q - Scalar*omega),
    crate = ::nhi_runtime
)]
struct InSpace {
    Scalar: ::std::primitive::f64,
}

#[derive(::nhi_runtime::Nonholonomic)]
#[nonholonomic(
    group = SO3(c; d, half_h, t0),
    lagrangian = (d^2 + 2*half_h^2 + 3*t0^2)/2,
    constraints(t0 - Moved*d),
    methods(MvMp, SuslovMv, SuslovCay),
    crate = ::nhi_runtime
)]
struct Body {
    Moved: ::std::primitive::f64,
}

#[test]
fn steps_on_groups() {
    use ::nhi_runtime::{MvMp, Rdp, Simulation, SuslovMv};
    use ::std::array::from_fn;
    use ::std::primitive::f64;

    let upright: [f64; 9] = from_fn(|k| if k % 4 == 0 { 1.0 } else { 0.0 });
    let plane = OnPlane { J: 1.0, g: 9.81, Retracts: 0.3 };
    let plane = Simulation::project(plane, Rdp, [0.1; 5], [0.3; 5], 0.01);
    let ball: [f64; 11] = from_fn(|k| if k < 2 { 0.1 } else { upright[k - 2] });
    let ball = Simulation::project(OnBall { m: 1.0 }, Rdp, ball, [0.3; 5], 0.01);
    let space: [f64; 12] = from_fn(|k| *upright.get(k).unwrap_or(&0.2));
    let space = Simulation::project(InSpace { Scalar: 1.0 }, Rdp, space, [0.3; 6], 0.01);
    let mp = Simulation::project(Body { Moved: 0.5 }, MvMp, upright, [0.3; 3], 0.01);
    let mv = Simulation::project(Body { Moved: 0.5 }, SuslovMv, upright, [0.3; 3], 0.01);
    ::std::assert!(plane.and_then(|mut s| s.step()).is_ok());
    ::std::assert!(ball.and_then(|mut s| s.step()).is_ok());
    ::std::assert!(space.and_then(|mut s| s.step()).is_ok());
    ::std::assert!(mp.and_then(|mut s| s.step()).is_ok());
    ::std::assert!(mv.and_then(|mut s| s.step()).is_ok());
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
    #[nonholonomic(
        coordinates(y),
        lagrangian = dot(y)^2/2 - g*y,
        constraints(),
        methods(Rattle),
        crate = ::nhi_runtime
    )]
    struct Local {
        g: ::std::primitive::f64,
    }
    let y = Simulation::new(Local { g: 10.0 }, Rattle, [0.0], [1.0], 0.1);
    ::std::assert!(y.is_ok());
}
