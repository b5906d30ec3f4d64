use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2 + (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((x))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))), constraints())]
struct Deep;

fn main() {}
