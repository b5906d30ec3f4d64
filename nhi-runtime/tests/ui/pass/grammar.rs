//! Everything that the grammar allows, in one declaration or another.

use nhi_runtime::prelude::*;

mod reexported {
    pub use nhi_runtime as rt;
}

#[derive(Nonholonomic)]
#[nonholonomic(
    inputs(u1, u2,),
    methods(Dla2, Rk4,),
    constraints(
        rolling: dx - r*rate*dt + Omega*y[0]*dt = 0,
        sum(i in 0..2, c[i]*dz[i]) + d(x*cos(y[0])),
        dot(y[1]) - r*rate + Omega*z[0],
    ),
    crate = crate::reexported::rt,
)]
#[nonholonomic(let(rate = dot(phi), height = x*sin(phi)))]
#[nonholonomic(coordinates(x, y[2], z[2], phi))]
#[nonholonomic(
    let(drag = c[2]*dot(x)*sqrt(1 + dot(x)^2), wave = u1*sin(2*pi*t)),
    lagrangian = m/2*(dot(x)^2 + sum(i in 0..2, dot(y[i])^2 + dot(z[i])^2)) + 1e-3*dot(phi)^2
        + 2^-1*m*dot(height)^2 - 0.1*x^2 + x^(3/2) - -2.^2*exp(-x^2) + atan2(y[0], 1 + x^2)^n,
    force = -drag*dx + wave*dphi + (u2 + t)*(dy[0] + 2*dz[1]),
    bodies(cart: pose(x, y[0], phi), for i in 0..2 { marble[i]: ball(y[i], z[i] + wave, r*dot(x)) },),
)]
struct Everything<'a, T: Clone> {
    m: f64,
    r: f64,
    Omega: f64,
    n: f64,
    c: [f64; 3],
    #[nonholonomic(skip)]
    tag: &'a [T],
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2 - x^2/2, constraints())]
struct Oscillator;

fn main() -> Result<(), nhi_runtime::Error> {
    let system = Everything { m: 1.0, r: 0.5, Omega: 0.1, n: 2.0, c: [1.0, 2.0, 0.3], tag: &[0u8] };
    println!("{}", system.tag.len());
    let (q, v) = ([0.5, 0.1, 0.2, 0.3, 0.4, 0.1], [0.2; 6]);
    let mut sim = Simulation::project(system, Dla2, q, v, 0.01)?;
    for _ in 0..10 {
        sim.step_with(&[0.3, 0.2])?;
    }
    assert!(sim.energy().is_finite());

    let mut sim = Simulation::new(Oscillator, Dla2, [1.0], [0.0], 0.01)?;
    for _ in 0..100 {
        sim.step()?;
    }
    assert!((sim.q()[0] - 1f64.cos()).abs() < 1e-4);
    Ok(())
}
