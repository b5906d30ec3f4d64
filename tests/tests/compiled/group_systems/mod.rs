//! Systems with a group factor of our own, found in no paper, held against the same systems in
//! coordinates: Lagrangian and constraints written down once more, the equations by dual numbers, the
//! trajectory by a library's ODE solver (`nhi_tests::oracle`).

mod ball;
mod chart;
mod trailer;
mod tyre;

use ball::TiltedBall;
use chart::{Problem, equations_agree, methods_converge};
use nhi_runtime::prelude::*;
use trailer::Trailer;
use tyre::Tyre;

/// No inputs, one interval.
const FREE: &[&[f64]] = &[&[]];

const TRAILER: Problem<'_, Trailer> = Problem {
    system: &Trailer::STANDARD,
    q: &[0.4, -0.3, 0.3, 0.5, -0.2],
    v: &[0.3, 0.2, 0.5, 0.9, 0.3],
    inputs: &[&[0.8, 0.05], &[-0.4, -0.1]],
    duration: 1.6,
    steps: 20,
};

#[test]
fn a_car_with_a_trailer() {
    equations_agree(TRAILER.system, TRAILER.q);
    methods_converge(&TRAILER);
    // The Lagrangian and the constraints do not depend on the pose, so that the mid-point rule is there.
    let end = TRAILER.reference();
    TRAILER.converges(RdpMidpoint, 2.0, &end);
    TRAILER.converges(RdpMidpoint::new(Ccsk), 1.0, &end);
    TRAILER.converges(GniMidpoint, 2.0, &end);
    TRAILER.converges(RdpLeft, 1.0, &end);
    TRAILER.converges(Compose::suzuki4(RdpMidpoint), 4.0, &end);
}

const BALL: Problem<'_, TiltedBall> = Problem {
    system: &TiltedBall::STANDARD,
    q: &[0.2, -0.1, 0.4, 1.1, -0.3],
    v: &[0.0, 0.0, 0.7, -0.5, 0.9],
    inputs: FREE,
    duration: 1.2,
    steps: 24,
};

#[test]
fn an_unbalanced_ball_on_a_tilted_plane() {
    equations_agree(BALL.system, BALL.q);
    methods_converge(&BALL);
    let end = BALL.reference();
    BALL.converges(Rdp::new(Ccsk), 1.0, &end);
    BALL.converges(RdpRight, 1.0, &end);
}

const TYRE: Problem<'_, Tyre> = Problem {
    system: &Tyre::STANDARD,
    q: &[0.1, 0.2, 1.05, 0.4, 1.2, -0.3],
    v: &[0.0, 0.0, 0.0, 0.5, 0.3, 2.0],
    inputs: FREE,
    duration: 1.0,
    steps: 20,
};

#[test]
fn a_tyre_with_a_heavy_valve_on_a_tilted_plane() {
    equations_agree(TYRE.system, TYRE.q);
    methods_converge(&TYRE);
    let end = TYRE.reference();
    TYRE.converges(Rdp::new(Ccsk), 1.0, &end);
}
