use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints())]
struct Types {
    m: f32,
    name: String,
    pair: (f64, f64),
    list: Vec<f64>,
    single: [f32; 3],
    computed: [f64; 1 + 1],
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints())]
struct Attributes {
    m: f64,
    #[nonholonomic(skip, skip)]
    a: u8,
    #[nonholonomic(ignore)]
    b: f64,
    #[nonholonomic]
    c: f64,
    #[nonholonomic(skip = true)]
    d: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints())]
struct Generic<T, const N: usize> {
    m: T,
    c: [f64; N],
}

fn main() {}
