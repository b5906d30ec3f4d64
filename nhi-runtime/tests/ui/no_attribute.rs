use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
struct Nothing {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic]
struct Bare {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic = "coordinates(x)"]
struct Assigned {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic()]
struct Empty {
    m: f64,
}

fn main() {}
