//! Names that emitted code might use itself, keywords written raw, other scripts.
#![deny(warnings)]
#![allow(non_snake_case, uncommon_codepoints, mixed_script_confusables)]

use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(q, v, h, d, θ, r#type),
    inputs(u, lambda),
    let(i = q + 1, abs = 2, kept = n*state + r#fn),
    lagrangian = (dot(q)^2 + dot(v)^2 + dot(h)^2 + dot(d)^2 + mu*dot(θ)^2 + dot(r#type)^2)/abs - i*v*e - p*θ^2,
    constraints(dq - self_*dd, sin(θ)*dv - T*dh),
    force = u*dtype + lambda*dθ,
)]
struct Hostile {
    mu: f64,
    p: f64,
    e: f64,
    n: f64,
    T: f64,
    self_: f64,
    state: f64,
    r#fn: f64,
}

fn main() -> Result<(), nhi_runtime::Error> {
    let system =
        Hostile { mu: 1.0, p: 0.2, e: 0.1, n: 0.0, T: 0.3, self_: 0.5, state: 0.0, r#fn: 0.0 };
    let mut sim = Simulation::project(system, Dla2, [0.1; 6], [0.3; 6], 0.01)?;
    for _ in 0..10 {
        sim.step_with(&[0.1, 0.2])?;
    }
    assert!(sim.energy().is_finite());
    Ok(())
}
