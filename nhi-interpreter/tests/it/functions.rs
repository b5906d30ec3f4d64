//! Operations, elementary functions, pivots and the test of results.

use super::run;
use nhi_runtime::Failure;

type Formula = fn(f64, f64) -> f64;

/// Expressions in a and b, and their values by the standard library.
const FORMULAS: [(&str, Formula); 21] = [
    ("a + b", |a, b| a + b),
    ("a - b", |a, b| a - b),
    ("a*b", |a, b| a * b),
    ("a/b", |a, b| a / b),
    ("-a", |a, _| -a),
    ("a^7", |a, _| a.powi(7)),
    ("a^b", f64::powf),
    ("sqrt(a)", |a, _| a.sqrt()),
    ("atan2(a, b)", f64::atan2),
    ("sin(a)", |a, _| a.sin()),
    ("cos(a)", |a, _| a.cos()),
    ("tan(a)", |a, _| a.tan()),
    ("asin(b)", |_, b| b.asin()),
    ("acos(b)", |_, b| b.acos()),
    ("atan(a)", |a, _| a.atan()),
    ("sinh(a)", |a, _| a.sinh()),
    ("cosh(a)", |a, _| a.cosh()),
    ("tanh(a)", |a, _| a.tanh()),
    ("exp(a)", |a, _| a.exp()),
    ("ln(a)", |a, _| a.ln()),
    ("sin(a)*cos(a) + exp(-b)", |a, b| a.sin() * a.cos() + (-b).exp()),
];

#[test]
fn operations_have_the_values_of_the_standard_library() {
    for (text, formula) in FORMULAS {
        for (a, b) in [(0.7, 0.3), (2.5, -0.8), (1e-3, 0.99), (31.7, 1e-5), (1.0, -1.0)] {
            let found = run(&format!("f(a, b)\n return x = {text}"), &[a, b]).expect("finite");
            let expected = formula(a, b);
            let error = (found[0] - expected).abs();
            assert!(
                error <= 4.0 * f64::EPSILON * expected.abs().max(0.25),
                "{text} of {a}, {b}: {} and {expected}",
                found[0]
            );
        }
    }
}

/// a² rounded is subtracted from a²: a fused operation would return the rounding error.
#[test]
fn products_are_rounded_before_they_are_added() {
    let a = 1.0 + 2f64.powi(-30);
    let rounded = a * a;
    assert_ne!(f64::mul_add(a, a, -rounded), 0.0);
    assert_eq!(run("f(a, b)\n return x = a*a - b", &[a, rounded]), Ok(vec![0.0]));
}

#[test]
fn outputs_are_in_the_order_of_the_program() {
    let text = "f(a, b)\n let c = a + b\n let d = c*c\n return x = d, y = [b, c, a]";
    assert_eq!(run(text, &[2.0, 3.0]), Ok(vec![25.0, 3.0, 5.0, 2.0]));
}

#[test]
fn pivots_must_be_positive_beyond_rounding() {
    for (what, failure) in [("mass", Failure::SingularMass), ("constraints", Failure::SingularConstraints)] {
        let text = format!("f(a, b)\n pivot a > eps * b else {what}\n return x = a + b");
        assert_eq!(run(&text, &[0.5, 2.0]), Ok(vec![2.5]));
        for pivot in [0.0, -0.5, 2.0 * f64::EPSILON * f64::EPSILON] {
            assert_eq!(run(&text, &[pivot, 2.0]), Err(failure), "{pivot}");
        }
        assert_eq!(run(&text, &[f64::NAN, 2.0]), Err(Failure::NonFinite));
    }
}

#[test]
fn results_that_are_not_finite_are_failures() {
    let text = "f(a, b)\n let c = a/b\n return x = a, y = [b, c]";
    assert_eq!(run(text, &[1.0, 4.0]), Ok(vec![1.0, 4.0, 0.25]));
    assert_eq!(run(text, &[1.0, 0.0]), Err(Failure::NonFinite));
    assert_eq!(run("f(a)\n return x = ln(a)", &[-1.0]), Err(Failure::NonFinite));
}

#[test]
#[should_panic(expected = "number of arguments")]
fn arguments_are_counted() {
    let _ = run("f(a, b)\n return x = a + b", &[1.0]);
}
