use nhi_runtime::prelude::*;

// A label that no constraint has, and multipliers where they may not stand.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - m*g*z,
    constraints(normal: dz - c*lambda(normal)*dx = 0),
    force = -mu*lambda(norml)*dx - mu*lambda(x + y)*dy,
)]
struct Labels {
    m: f64,
    g: f64,
    c: f64,
    mu: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2),
    constraints(normal: dz = 0),
    force = -mu*lambda(normal)^2*dx,
)]
struct Squared {
    m: f64,
    mu: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2),
    constraints(normal: dot(z) - u = 0),
    force = -mu*lambda(normal)*dx,
)]
struct Driven {
    m: f64,
    mu: f64,
}

fn main() {}
