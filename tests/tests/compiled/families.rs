//! Machines declared with families and vectors move as the same machines written out, and keep their constraints.

#![allow(non_snake_case, reason = "the angular velocity of the table is called Omega")]

use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System};

/// A car with N trailers, on wheels that do not slip sideways. It is steered by the torque on the car, and
/// `theta[0]` is its heading; the trailer i + 1 hangs by a rod of the length `l` on the axle of what is before it.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta[N + 1]),
    let(
        px[0] = x,
        py[0] = y,
        for i in 1..N + 1 {
            px[i] = px[i - 1] - l*cos(theta[i]),
            py[i] = py[i - 1] - l*sin(theta[i]),
        },
    ),
    lagrangian = sum(i in 0..N + 1, m/2*(dot(px[i])^2 + dot(py[i])^2) + inertia/2*dot(theta[i])^2),
    constraints(for i in 0..N + 1 { axle[i]: sin(theta[i])*d(px[i]) - cos(theta[i])*d(py[i]) }),
    force = torque*dtheta[0],
)]
struct Trailers<const N: usize = 3> {
    m: f64,
    inertia: f64,
    l: f64,
    torque: f64,
}

/// The same with every trailer by name.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta[4]),
    let(
        px1 = x - l*cos(theta[1]),
        py1 = y - l*sin(theta[1]),
        px2 = px1 - l*cos(theta[2]),
        py2 = py1 - l*sin(theta[2]),
        px3 = px2 - l*cos(theta[3]),
        py3 = py2 - l*sin(theta[3]),
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + inertia/2*dot(theta[0])^2
        + m/2*(dot(px1)^2 + dot(py1)^2) + inertia/2*dot(theta[1])^2
        + m/2*(dot(px2)^2 + dot(py2)^2) + inertia/2*dot(theta[2])^2
        + m/2*(dot(px3)^2 + dot(py3)^2) + inertia/2*dot(theta[3])^2,
    constraints(
        axle_0: sin(theta[0])*dx - cos(theta[0])*dy,
        axle_1: sin(theta[1])*d(px1) - cos(theta[1])*d(py1),
        axle_2: sin(theta[2])*d(px2) - cos(theta[2])*d(py2),
        axle_3: sin(theta[3])*d(px3) - cos(theta[3])*d(py3),
    ),
    force = torque*dtheta[0],
)]
struct ThreeTrailers {
    m: f64,
    inertia: f64,
    l: f64,
    torque: f64,
}

/// A snake of four links in the plane, each on wheels at its middle. The links are joined end to end, with springs
/// in the joints; (x, y) is the middle of the first.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, phi[4]),
    let(
        cx[0] = x,
        cy[0] = y,
        for i in 1..4 {
            cx[i] = cx[i - 1] - l/2*(cos(phi[i - 1]) + cos(phi[i])),
            cy[i] = cy[i - 1] - l/2*(sin(phi[i - 1]) + sin(phi[i])),
        },
    ),
    lagrangian = sum(i in 0..4, m/2*(dot(cx[i])^2 + dot(cy[i])^2) + m*l^2/24*dot(phi[i])^2)
        - k/2*sum(i in 1..4, (phi[i] - phi[i - 1])^2),
    constraints(for i in 0..4 { wheels[i]: cos(phi[i])*d(cy[i]) - sin(phi[i])*d(cx[i]) }),
)]
struct Snake {
    m: f64,
    l: f64,
    k: f64,
}

/// The same with vectors for the middles and the directions of the links.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, phi[4]),
    let(
        for i in 0..4 {
            e[i] = [cos(phi[i]), sin(phi[i]), 0],
        },
        c[0] = [x, y, 0],
        for i in 1..4 { c[i] = c[i - 1] - l/2*(e[i - 1] + e[i]) },
    ),
    lagrangian = sum(i in 0..4, m/2*norm2(dot(c[i])) + m*l^2/24*dot(phi[i])^2)
        - k/2*sum(i in 1..4, (phi[i] - phi[i - 1])^2),
    constraints(for i in 0..4 { wheels[i]: dot(cross(e[i], d(c[i])), [0, 0, 1]) }),
)]
struct SnakeByVectors {
    m: f64,
    l: f64,
    k: f64,
}

/// The same with every link by name.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, phi[4]),
    let(
        x1 = x - l/2*(cos(phi[0]) + cos(phi[1])),
        y1 = y - l/2*(sin(phi[0]) + sin(phi[1])),
        x2 = x1 - l/2*(cos(phi[1]) + cos(phi[2])),
        y2 = y1 - l/2*(sin(phi[1]) + sin(phi[2])),
        x3 = x2 - l/2*(cos(phi[2]) + cos(phi[3])),
        y3 = y2 - l/2*(sin(phi[2]) + sin(phi[3])),
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m*l^2/24*dot(phi[0])^2
        + m/2*(dot(x1)^2 + dot(y1)^2) + m*l^2/24*dot(phi[1])^2
        + m/2*(dot(x2)^2 + dot(y2)^2) + m*l^2/24*dot(phi[2])^2
        + m/2*(dot(x3)^2 + dot(y3)^2) + m*l^2/24*dot(phi[3])^2
        - k/2*((phi[1] - phi[0])^2 + (phi[2] - phi[1])^2 + (phi[3] - phi[2])^2),
    constraints(
        cos(phi[0])*dy - sin(phi[0])*dx,
        cos(phi[1])*d(y1) - sin(phi[1])*d(x1),
        cos(phi[2])*d(y2) - sin(phi[2])*d(x2),
        cos(phi[3])*d(y3) - sin(phi[3])*d(x3),
    ),
)]
struct WrittenSnake {
    m: f64,
    l: f64,
    k: f64,
}

/// A ball on a turntable: the point of contact, at −r e₃ from the centre, has the velocity Ω e₃ × p of the table
/// there. The centre of mass is at `c` in the body.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    let(w = [w1, w2, w3], v = [v1, v2, v3], up = [0, 0, 1], centre = p + R*c),
    lagrangian = m/2*norm2(v + cross(w, c)) + dot(w, [i[0]*w1, i[1]*w2, i[2]*w3])/2 - m*g*dot(centre, up),
    constraints(contact: dot(p) + cross(R*w, -r*up) - cross(Omega*up, p)),
)]
struct Ball {
    m: f64,
    i: [f64; 3],
    r: f64,
    c: [f64; 3],
    g: f64,
    Omega: f64,
}

/// The same, written out.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    lagrangian = m/2*((v1 + w2*c[2] - w3*c[1])^2 + (v2 + w3*c[0] - w1*c[2])^2 + (v3 + w1*c[1] - w2*c[0])^2)
        + (i[0]*w1^2 + i[1]*w2^2 + i[2]*w3^2)/2
        - m*g*(p[2] + R[2][0]*c[0] + R[2][1]*c[1] + R[2][2]*c[2]),
    constraints(
        dp[0] - r*(R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3)*dt + Omega*p[1]*dt,
        dp[1] + r*(R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3)*dt - Omega*p[0]*dt,
        dp[2],
    ),
)]
struct WrittenBall {
    m: f64,
    i: [f64; 3],
    r: f64,
    c: [f64; 3],
    g: f64,
    Omega: f64,
}

/// The states (q, v) of a run with the admissible velocity nearest to `v0`. Every step keeps the constraints.
fn run<S: System, M: Method<S>>(
    system: S,
    method: M,
    q0: impl Into<S::Configuration<f64>>,
    v0: impl Into<S::Velocity<f64>>,
) -> Vec<Vec<f64>> {
    let mut sim = Simulation::project(system, method, q0, v0, 0.01).expect(S::NAME);
    let mut states = Vec::new();
    for _ in 0..1000 {
        sim.step().expect(S::NAME);
        let residual = sim.residual();
        let worst = residual.as_ref().iter().fold(0.0, |worst: f64, r| worst.max(r.abs()));
        assert!(worst <= 1e-12, "{}: {worst:e} at t = {}", S::NAME, sim.time());
        states.push([sim.q().as_ref(), sim.v().as_ref()].concat());
    }
    states
}

/// Checks that runs agree to rounding, which grows with time, and that something moves in them.
fn compare(name: &str, found: &[Vec<f64>], expected: &[Vec<f64>]) {
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert_eq!(a.len(), b.len());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() <= 1e-10 * (1.0 + y.abs()), "{name}, step {k}: {a:?} {b:?}");
        }
    }
    let (first, last) = (&expected[0], &expected[expected.len() - 1]);
    assert!(first.iter().zip(last).any(|(x, y)| (x - y).abs() > 0.1), "{name}: {first:?} {last:?}");
}

#[test]
fn a_car_with_trailers() {
    let family: Trailers = Trailers { m: 1.2, inertia: 0.3, l: 0.8, torque: 0.05 };
    let written = ThreeTrailers { m: 1.2, inertia: 0.3, l: 0.8, torque: 0.05 };
    let q0 = [0.0, 0.0, 0.3, 0.2, -0.1, 0.1];
    let v0 = [1.0, 0.2, 0.3, 0.1, 0.0, -0.1];
    compare("trailers", &run(family, Dla2, q0, v0), &run(written, Dla2, q0, v0));
    assert_eq!(<Trailers as System>::CONSTRAINTS, ["axle[0]", "axle[1]", "axle[2]", "axle[3]"]);
}

#[test]
fn a_snake_on_wheels() {
    let (m, l, k) = (0.7, 0.5, 1.5);
    let q0 = [0.0, 0.0, 0.3, -0.4, 0.5, 0.1];
    let v0 = [0.6, 0.1, 0.4, -0.3, 0.2, 0.5];
    let written = run(WrittenSnake { m, l, k }, Dla2, q0, v0);
    compare("snake", &run(Snake { m, l, k }, Dla2, q0, v0), &written);
    compare("snake by vectors", &run(SnakeByVectors { m, l, k }, Dla2, q0, v0), &written);
}

#[test]
fn a_ball_on_a_turntable() {
    let (m, i, r, c, g, omega) = (1.3, [0.4, 0.5, 0.6], 0.7, [0.05, -0.1, 0.02], 9.81, 0.8);
    let vectors = Ball { m, i, r, c, g, Omega: omega };
    let written = WrittenBall { m, i, r, c, g, Omega: omega };
    // The entries of R, then p.
    let q0 = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, -0.2, r];
    let v0 = [0.3, -0.5, 0.4, 0.2, 0.1, 0.0];
    compare("ball", &run(vectors, Rdp, q0, v0), &run(written, Rdp, q0, v0));
    assert_eq!(<Ball as System>::CONSTRAINTS, ["contact[0]", "contact[1]", "contact[2]"]);
}
