//! The numbers of a state by the names of the declaration.
#![allow(non_snake_case, reason = "names that clash in upper case, in any script")]

use nhi_runtime::prelude::*;
use nhi_runtime::{Dual, System};

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = inertia/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
)]
struct Sleigh {
    inertia: f64,
    m: f64,
    a: f64,
}

#[test]
fn coordinates_velocities_and_multipliers_have_names() {
    let sleigh = Sleigh { inertia: 1.0, m: 1.0, a: 0.2 };
    let mut sim = Simulation::new(sleigh, Dla2, [0.0; 3], [1.0, 0.5, 0.2], 0.01).unwrap();
    sim.advance(10).unwrap();
    let (q, v, [lambda], named) = (sim.q(), sim.v(), sim.multipliers(), sim.named());
    assert_eq!([named.theta, named.x, named.y], q);
    assert_eq!([named.dot_theta, named.dot_x, named.dot_y], v);
    assert_eq!(named.lambda_blade, lambda);
    assert_eq!([Sleigh::THETA, Sleigh::X, Sleigh::Y], [0, 1, 2]);
    assert_eq!(Sleigh::COORDINATES[Sleigh::Y], "y");
    // Of a sample, and where a constant is needed.
    let sample = sim.samples(5).nth(1).unwrap().unwrap();
    assert_eq!(Sleigh::named(&sample.q, &sample.v, &sample.lambda, &sample.z).x, sample.q[Sleigh::X]);
    const LENGTH: usize = Sleigh::Y + 1;
    assert_eq!([0; LENGTH].len(), 3);
}

#[test]
fn numbers_of_any_type_have_names() {
    let sleigh = Sleigh { inertia: 1.0, m: 1.0, a: 0.2 };
    let a = Dual::<f64, 1>::variable(0.2, 0);
    let [zero, one] = [0.0, 1.0].map(Dual::constant);
    let (q0, v0) = ([zero; 3], [one, one, a]);
    let mut sim =
        Simulation::with_parameters(sleigh, Dla2, [one, one, a], q0, v0, &[], Dual::constant(0.01)).unwrap();
    sim.step().unwrap();
    assert_eq!(sim.named().dot_y, sim.v()[2]);
    assert!(sim.named().dot_y.eps[0] != 0.0);
}

/// Arrays, families and constraints without labels.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x[3], y[3], s),
    lagrangian = sum(i in 0..3, dot(x[i])^2 + dot(y[i])^2)/2 + dot(s)^2/2,
    constraints(
        for i in 0..2 { wheel[i]: d(y[i]) - x[i]*d(s) },
        last[2]: d(y[2]) - s*d(x[2]),
        dot(x[0]) - s*dot(x[1]),
    ),
)]
struct Snake;

#[test]
fn arrays_are_arrays() {
    assert_eq!((Snake::X, Snake::Y, Snake::S), ([0, 1, 2], [3, 4, 5], 6));
    for (i, &place) in Snake::Y.iter().enumerate() {
        assert_eq!(Snake::COORDINATES[place], format!("y[{i}]"));
    }
    let sim = Simulation::project(Snake, Dla2, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [1.0; 7], 0.01).unwrap();
    let (named, lambda) = (sim.named(), sim.multipliers());
    assert_eq!((named.x, named.y, named.s), ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], 0.7));
    assert_eq!([&named.dot_x[..], &named.dot_y[..], &[named.dot_s]].concat(), sim.v());
    assert_eq!(named.lambda_wheel, [lambda[0], lambda[1]]);
    assert_eq!((named.lambda_last_2, named.lambda_3), (lambda[2], lambda[3]));
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(steering),
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = m/2*(v^2 + w^2) + omega^2/2 + dot(steering)^2/2,
    constraints(w, omega - steering*v),
)]
struct Car {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(s),
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    lagrangian = (w1^2 + 2*w2^2 + 3*w3^2 + v1^2 + v2^2 + v3^2 + dot(s)^2)/2,
    constraints(slip: [v1, v2, v3]),
)]
struct Body;

#[test]
fn poses_and_body_velocities_have_names() {
    assert_eq!((Car::STEERING, Car::THETA, Car::X, Car::Y), (0, 1, 2, 3));
    assert_eq!((Car::OMEGA, Car::V, Car::W), (1, 2, 3));
    assert_eq!((Car::COORDINATES[Car::Y], Car::VELOCITIES[Car::W]), ("y", "w"));
    let sim =
        Simulation::project(Car { m: 2.0 }, Rdp, [0.1, 0.2, 0.3, 0.4], [1.0, 2.0, 3.0, 4.0], 0.01).unwrap();
    let (named, v) = (sim.named(), sim.v());
    assert_eq!([named.steering, named.theta, named.x, named.y], [0.1, 0.2, 0.3, 0.4]);
    assert_eq!([named.dot_steering, named.omega, named.v, named.w], v);
    assert_eq!([named.lambda_w, named.lambda_1], sim.multipliers());

    assert_eq!((Body::S, Body::R, Body::P), (0, [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [10, 11, 12]));
    assert_eq!((Body::W1, Body::V3), (1, 6));
    assert_eq!(Body::COORDINATES[Body::R[1][2]], "R[1][2]");
    let turn = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let q0 = [&[0.5], turn.as_flattened(), &[1.0, 2.0, 3.0]].concat();
    let q0: [f64; 13] = q0.try_into().unwrap();
    let sim = Simulation::project(Body, Rdp, q0, [1.0; 7], 0.01).unwrap();
    assert_eq!((sim.named().R, sim.named().p), (turn, [1.0, 2.0, 3.0]));
    assert_eq!((sim.named().w3, sim.named().lambda_slip), (sim.v()[3], sim.multipliers()));
}

/// Names that clash in upper case, with constants of `System`, with names of other numbers, and keywords.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, X, name, r#type, dot_x, lambda_0, θ, ß),
    lagrangian = (dot(x)^2 + dot(X)^2 + dot(name)^2 + dot(r#type)^2 + dot(dot_x)^2 + dot(lambda_0)^2
        + dot(θ)^2 + dot(ß)^2)/2,
    constraints(dx - X*dname, r#loop: dX - x*dname, _x: d(r#type) - θ*dß),
)]
struct Clashing;

#[test]
fn names_that_clash_are_told_apart() {
    assert_eq!((Clashing::x, Clashing::X, Clashing::name, Clashing::TYPE), (0, 1, 2, 3));
    assert_eq!((Clashing::DOT_X, Clashing::LAMBDA_0, Clashing::θ, Clashing::ß), (4, 5, 6, 7));
    assert_eq!(Clashing::NAME, "Clashing");
    let q0 = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    let sim = Simulation::project(Clashing, Dla2, q0, [1.0; 8], 0.01).unwrap();
    let (named, v) = (sim.named(), sim.v());
    let q = [named.x, named.X, named.name, named.r#type, named.dot_x, named.lambda_0, named.θ, named.ß];
    assert_eq!(q, q0);
    assert_eq!([named.dot_x_, named.dot_X, named.dot_type, named.dot_dot_x], [v[0], v[1], v[3], v[4]]);
    assert_eq!([named.lambda_0_, named.lambda_loop, named.lambda__x], sim.multipliers());
}

/// A constant of the user's own beside those of the derive.
impl Sleigh {
    const MASS: f64 = 1.0;
}

#[test]
fn constants_of_the_user_stay() {
    assert_eq!(Sleigh::MASS, 1.0);
}
