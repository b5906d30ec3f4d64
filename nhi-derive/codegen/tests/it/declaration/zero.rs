//! What is zero without looking so, what only looks so, and what is not decided.

use super::{errors, implemented, parse};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::mechanics::Mechanics;

fn two(keys: &str) -> String {
    format!("#[nonholonomic(coordinates(x, y), {keys})] struct S;")
}

/// Terms of a degree that is not allowed, with a coefficient that an addition theorem shows to be zero.
const VANISHING: [&str; 7] = [
    "tan(x) - sin(x)/cos(x)",
    "exp(x)*exp(y) - exp(x + y)",
    "sinh(2*x) - 2*sinh(x)*cosh(x)",
    "sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)",
    "cos(x*(y + 1)) - cos(x*y)*cos(x) + sin(x*y)*sin(x)",
    "tanh(x) - sinh(x)/cosh(x)",
    "sqrt(1 + x^2)*sqrt(1 + y^2) - sqrt((1 + x^2)*(1 + y^2))",
];

/// Zero at some points, but not at all of them.
const OF_ONE_BRANCH: [&str; 5] = [
    "asin(sin(x)) - x",
    "acos(cos(x)) - x",
    "atan(tan(x)) - x",
    "atan2(sin(x), cos(x)) - x",
    "sqrt(x^2) - x",
];

/// Not zero, but too small for any precision.
const TINY: [&str; 3] = ["sin(1e-40*x) - 1e-40*x", "sqrt(1 + 1e-60*x^2) - 1", "tanh(400 + x^2) - 1"];

#[test]
fn vanishing_terms_are_dropped_everywhere() {
    for zero in VANISHING {
        let plain = "dot(x)^2/2 + dot(y)^2/2";
        for lagrangian in
            [format!("{plain} + ({zero})*dot(y)^4"), format!("{plain} + ({zero})*dot(x)*dot(y)^2")]
        {
            let code = implemented(&two(&format!("lagrangian = {lagrangian}, constraints(dx + sin(y)*dy)")))
                .unwrap();
            let expected =
                implemented(&two(&format!("lagrangian = {plain}, constraints(dx + sin(y)*dy)"))).unwrap();
            assert_eq!(code, expected, "{lagrangian}");
        }
        let lagrangian = format!("lagrangian = {plain}");
        for keys in [
            format!("{lagrangian}, constraints(dot(x) + sin(y)*dot(y) + ({zero})*dot(x)^2)"),
            format!("{lagrangian}, constraints(dx + sin(y)*dy), force = ({zero})*dx*dy"),
        ] {
            implemented(&two(&keys)).unwrap_or_else(|errors| panic!("{keys}: {errors:?}"));
        }
        let keys = format!("{lagrangian}, constraints(), let(a = 1/({zero}))");
        assert_eq!(errors(&two(&keys)), ["division by zero: this is zero everywhere"], "{keys}");
    }
}

/// Only the other term is to blame.
#[test]
fn vanishing_terms_are_not_blamed() {
    for zero in VANISHING {
        let keys =
            format!("lagrangian = dot(x)^2 + dot(y)^2 + ({zero})*dot(y)^4 + x*dot(y)^3, constraints()");
        let found = parse(&two(&keys)).err().unwrap();
        assert_eq!(found.len(), 1, "{keys}: {found:?}");
        assert!(found[0].contains("this is not quadratic in the velocities\n"), "{found:?}");
    }
}

#[test]
fn identities_of_one_branch_are_no_identities() {
    for e in OF_ONE_BRANCH {
        let kinetic = "coordinates(x, y, z), lagrangian = dot(x)^2/2 + dot(y)^2/2 + dot(z)^2/2";
        let three = |keys: &str| format!("#[nonholonomic({kinetic}, {keys})] struct S;");
        let independent = format!("constraints(dz + ({e} + x)*dy, dz + x*dy)");
        let divided = format!("constraints(), force = dx/({e})");
        for keys in [independent, divided] {
            implemented(&three(&keys)).unwrap_or_else(|errors| panic!("{keys}: {errors:?}"));
        }
        let quadratic = format!("constraints(dot(x) + sin(y)*dot(y) + ({e})*dot(x)^2)");
        assert_eq!(errors(&three(&quadratic)), ["this is not linear in the velocities"], "{quadratic}");
        // A force along y that is zero near the origin alone.
        let source = two(&format!("lagrangian = dot(x)^2/2 + dot(y)^2/2 - y*({e}), constraints()"));
        let mechanics = Mechanics::derive(parse(&source).unwrap().system, &mut BuiltIn).unwrap();
        // Between jumps it is constant.
        assert!(mechanics.symmetries.iter().all(|s| s.direction == [1, 0]), "{source}");
    }
}

#[test]
fn what_is_below_the_precision_is_not_decided() {
    for e in TINY {
        let plain = "lagrangian = dot(x)^2/2 + dot(y)^2/2";
        let keys = format!("{plain} + ({e})*dot(y)^4, constraints()");
        let message = "this is not quadratic in the velocities, and it is not decided whether it is zero";
        assert_eq!(errors(&two(&keys)), [message], "{keys}");
        // What is allowed is kept.
        let source = two(&format!("{plain} - y*({e}), constraints(dx + ({e})*dy), force = dx/({e})"));
        let system = parse(&source).unwrap().system;
        let pool = &system.pool;
        assert!(!pool.is_zero(system.constraints[0].form[1]), "{source}");
        let text = pool.show(system.lagrangian).to_string();
        let mechanics = Mechanics::derive(system, &mut BuiltIn).unwrap();
        assert!(!mechanics.system.pool.is_zero(mechanics.dl_dq[1]), "{text}");
        assert!(mechanics.symmetries.is_empty(), "{source}: {:?}", mechanics.symmetries);
    }
}
