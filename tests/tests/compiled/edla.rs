//! The exact flow satisfies the exact discrete Lagrange–d'Alembert equations.

use nhi_tests::double_double::DoubleDouble;
use nhi_tests::edla::table;

/// Rounding of 32 digits, multiplied by arcs of some thousand evaluations.
const ROUNDING: f64 = 1e-28;

#[test]
fn they_hold_to_the_working_precision() {
    for (name, found) in table::<DoubleDouble>(0.4).unwrap() {
        assert!(found.residual < ROUNDING, "{name}: {found:?}");
        assert!(found.one_sided < ROUNDING, "{name}: {found:?}");
    }
    for (name, found) in table::<f64>(0.4).unwrap() {
        assert!(found.residual < 1e-13 && found.one_sided < 1e-13, "{name}: {found:?}");
    }
}

/// With a potential the forces of constraint have something to balance on V, without one both sides
/// vanish: V is then the direction of motion, by the scaling q(t) → q(ct).
#[test]
fn forces_balance_the_exact_lagrangian() {
    for (name, found) in table::<DoubleDouble>(0.4).unwrap() {
        match name {
            "nh_particle_harmonic" => assert!((2e-3..6e-3).contains(&found.unbalanced), "{found:?}"),
            "contact_oscillator" => assert!((4e-4..6e-4).contains(&found.unbalanced), "{found:?}"),
            _ => assert!(found.unbalanced < ROUNDING, "{name}: {found:?}"),
        }
    }
}

/// Two planes in space meet in a line; in four dimensions only those of a purely kinetic Lagrangian do.
/// With a spring V = 0, against McLachlan & Perlmutter's Proposition 12, which scales the time also
/// where there is a potential.
#[test]
fn admissible_variations_have_the_dimension_counted() {
    for (name, found) in table::<DoubleDouble>(0.4).unwrap() {
        let expected = if name == "vertical_disk on a spring" { 0 } else { 1 };
        assert_eq!(found.dimension, expected, "{name}: {found:?}");
        // The count does not hang on a threshold.
        assert!(found.gap > 1e-5, "{name}: {found:?}");
    }
}
