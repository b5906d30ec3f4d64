use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    methods(Dla1 + derivative, Dla2 + Rk4, DlaRattle + 2, Rk2Heun +, Dla2Midpoint + derivatives + derivatives),
)]
struct Words {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    methods(all + derivatives),
)]
struct All {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    methods(Dla2 + derivatives, Rattle + derivatives),
)]
struct Reflecting {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (w1^2 + w2^2 + 2*w3^2)/2 - g*R[2][2],
    constraints(w1 + w2),
    methods(Rdp + derivatives, Rkmk4 + derivatives),
)]
struct Body {
    g: f64,
}

fn main() {
    // Nothing is said of what stands behind the errors.
    let sim = Simulation::new(Reflecting { m: 1.0 }, Rattle, [0.0], [1.0], 0.1).unwrap();
    let _ = sim.linearize();
}
