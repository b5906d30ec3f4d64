//! Loops of Newton's method.

use super::run;
use nhi_runtime::Failure;

#[test]
fn a_root_is_the_square_root() {
    let text = "root(a)
        newton l from a weights 1 beside 1
            let r = l^2 - a
            l += -r/(2*l)
        return x = l";
    for a in [1.0, 2.0, 0.3, 50.0] {
        let found = run(text, &[a]).expect("a root")[0];
        assert!((found - a.sqrt()).abs() <= 2.0 * f64::EPSILON * a.sqrt(), "{a}: {found}");
    }
}

/// E − e sin E = M, by bisection.
fn kepler(m: f64, e: f64) -> f64 {
    let (mut low, mut high) = (m - 1.0, m + 1.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle - e * middle.sin() < m { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[test]
fn the_equation_of_kepler_is_solved() {
    let text = "kepler(m, e)
        newton l from m + e*sin(m) weights 1 beside 1
            let s = sin(l)
            let c = cos(l)
            l += -(l - e*s - m)/(1 - e*c)
        return x = l";
    for (m, e) in [(0.3, 0.1), (1.2, 0.6), (2.9, 0.5), (-1.0, 0.3)] {
        let (found, expected) = (run(text, &[m, e]).expect("a root")[0], kepler(m, e));
        assert!((found - expected).abs() < 4e-15, "{m}, {e}: {found} and {expected}");
    }
}

/// x² + y² = 1 and x y = p: (x + y)² = 1 + 2p and (x − y)² = 1 − 2p.
#[test]
fn two_unknowns_are_solved_together() {
    let text = "both(p)
        newton [x, y] from [1, p] weights [1, 1] beside 1
            let f = x^2 + y^2 - 1
            let g = x*y - p
            let d = 2*x^2 - 2*y^2
            x += -(x*f - 2*y*g)/d
            y += -(2*x*g - y*f)/d
        return r = [x, y]";
    for p in [0.1_f64, -0.3, 0.45] {
        let (sum, difference) = ((1.0 + 2.0 * p).sqrt(), (1.0 - 2.0 * p).sqrt());
        let expected = [0.5 * (sum + difference), 0.5 * (sum - difference)];
        let found = run(text, &[p]).expect("a root");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 4e-15, "{p}: {found} and {expected}");
        }
    }
}

#[test]
fn an_equation_without_a_root_is_a_failure() {
    let text = "root(a)
        newton l from a weights 1 beside 1
            l += -(l^2 + 1)/(2*l)
        return x = l";
    let failed = run(text, &[0.7]);
    assert!(matches!(failed, Err(Failure::Unsolved { residual, .. }) if residual > 1e-3), "{failed:?}");
}
