//! Declarations made by macros, whose fragments arrive in invisible groups.

use nhi_runtime::prelude::*;

macro_rules! oscillator {
    ($name:ident, $x:ident, $ty:ty, $len:expr, $stiffness:literal, $potential:expr) => {
        #[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates($x),
            lagrangian = dot($x)^2/2 - 2*$potential - $stiffness*$x^2,
            constraints(),
        )]
        struct $name {
            k: $ty,
            c: [$ty; $len],
        }
    };
}

oscillator!(Spring, x, f64, 2, 0.5, k - c[0] + c[1]);

fn main() -> Result<(), nhi_runtime::Error> {
    let sim = Simulation::new(Spring { k: 3.0, c: [1.0, 2.0] }, Dla2, [0.0], [0.0], 0.1)?;
    // The potential is multiplied as a whole.
    assert_eq!(sim.energy(), 8.0);
    Ok(())
}
