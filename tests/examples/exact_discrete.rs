//! Exact discrete Lagrange–d'Alembert equations: what the exact flow satisfies at times 0, h, 2h.
//!
//! `cargo run --release -p nhi-tests --example exact_discrete [H]` prints, for five models and a sixth
//! where the equations are empty, how far the exact discrete Lagrangian alone is from being stationary
//! on the admissible variations V of the middle point, and what remains with the forces of constraint:
//! the rounding of the working precision.

use nhi_runtime::Failure;
use nhi_tests::double_double::DoubleDouble;
use nhi_tests::edla::table;

fn main() -> Result<(), Failure> {
    let h = std::env::args().nth(1).map_or(0.4, |h| h.parse().expect("a step size"));
    println!("h = {h}, initial data of the models\n");
    println!("                           dim V   next σ  |D2 + D1|   with F+ + F-            one-sided");
    println!("                                                       16 digits   32 digits   32 digits");
    for ((name, double), (_, quadruple)) in table::<f64>(h)?.iter().zip(&table::<DoubleDouble>(h)?) {
        println!(
            "{name:<27}{:5}  {:7.1e}  {:9.3e}   {:9.1e}   {:9.1e}   {:9.1e}",
            quadruple.dimension,
            quadruple.gap,
            quadruple.unbalanced,
            double.residual,
            quadruple.residual,
            quadruple.one_sided
        );
        assert!(double.residual < 1e-13, "{name}: the equations hold to 16 digits");
        assert!(quadruple.residual < 1e-28, "{name}: the equations hold to 32 digits");
        assert!(quadruple.one_sided < 1e-28, "{name}: the momentum is that of the flow");
    }
    Ok(())
}
