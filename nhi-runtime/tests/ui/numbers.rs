use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints(), force = (1e400 + x)*dx)]
struct Overflow;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = 2.0f64*dot(x)^2, constraints(), force = 2x*dx)]
struct Suffixes;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = 0xff*dot(x)^2, constraints(), force = "2"*dx)]
struct OtherLiterals;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2 + x*1e200*1e200 + exp(1000) + sqrt(-1) + ln(0) + acos(2),
    constraints(),
)]
struct NotFinite;

fn main() {}
