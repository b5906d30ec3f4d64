use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, y), lagrangian = (dot(x)^2 + dot(y)^2)/2, constraints(dx), methods(Dla2))]
struct Point;

fn simulate() -> Result<(), nhi_runtime::Error> {
    Simulation::new(Point, Rk4, [0.0; 2], [0.0, 1.0], 0.1)?;
    Ok(())
}

fn main() {}
