use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)**2, constraints(), force = 2(x + 1)*dx)]
struct Powers {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = self.m/2*dot(x)^2, constraints(), force = x.y*dx)]
struct Fields {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2 +, constraints(), force = ()*dx)]
struct Unfinished {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = +m/2*dot(x)^2, constraints(), force = {2}*dx)]
struct Operands {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2 & 2, constraints(), force = x == 2)]
struct Operators {
    m: f64,
}

fn main() {}
