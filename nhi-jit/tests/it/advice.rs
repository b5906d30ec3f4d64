//! What messages of failed steps advise helps.

use crate::starts::compiled;
use nhi_jit::{Compiled, Error, Simulation};
use nhi_methods::Method;
use nhi_runtime::Failure;

/// m, j, k and r.
type Parameters = [f64; 4];

/// The first error among so many steps.
fn error(
    compiled: &Compiled,
    parameters: &Parameters,
    [q, v]: [&[f64]; 2],
    (h, steps): (f64, u64),
) -> Option<Error> {
    let variant = compiled.variants().next().expect("one method");
    let begin = Simulation::project(compiled, variant, parameters, q, v, &[], h);
    let mut simulation = begin.unwrap_or_else(|error| panic!("{variant}: {error}"));
    (0..steps).find_map(|_| simulation.step().err())
}

/// A rod on a pivot at (k, k).
const ROD: &str = "coordinates(x, y, th),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(th)^2 - 9.81*m*y,
    constraints(), holonomic(a: x - k - r*cos(th) = 0, b: y - k - r*sin(th) = 0)";

/// Steps that move a configuration by little more than its rounding are taken: no message advises to make them smaller still.
#[test]
fn tiny_steps_are_taken() {
    let all: Vec<Compiled> = Method::ALL.iter().filter_map(|&method| compiled(ROD, method)).collect();
    assert!(all.len() > 3);
    for compiled in &all {
        for pivot in [0.0, 5e5, 1e9, 1e12] {
            for (h, speed) in
                [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12].into_iter().flat_map(|h| [(h, 0.0), (h, 1.0)])
            {
                let (r, th) = (0.7_f64, 0.3_f64);
                let q = [pivot + r * th.cos(), pivot + r * th.sin(), th];
                let v = [-r * th.sin() * speed, r * th.cos() * speed, speed];
                let refused = error(compiled, &[1.3, 0.4, pivot, r], [&q, &v], (h, 100));
                assert_eq!(refused, None, "pivot {pivot:e}, h = {h:e}, {speed}");
            }
        }
    }
}

/// Where explicit methods fail, the method that is named takes the same steps.
#[test]
fn the_method_that_is_named_takes_stiff_springs() {
    let spring =
        "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k/2*x^2 - (x - y)^2/2, constraints()";
    let (q, v) = ([1.0, 0.5], [0.0, 0.3]);
    for k in [1e4, 1e6, 1e8] {
        let parameters = [1.3, 0.4, k, 0.7];
        for method in [Method::Rk4, Method::Rk2Midpoint, Method::Dla2, Method::DlaRattle] {
            let compiled = compiled(spring, method).expect("a system");
            let failed = error(&compiled, &parameters, [&q, &v], (0.1, 1000));
            let Some(Error::Step { cause: cause @ Failure::EnergyJump { .. }, .. }) = failed else {
                panic!("{method:?}, k = {k}: {failed:?}");
            };
            let text = cause.to_string();
            assert!(text.contains("`dla2_midpoint`"), "{method:?}: {text}");
            let shorter = error(&compiled, &parameters, [&q, &v], (0.1 / k.sqrt(), 1000));
            assert_eq!(shorter, None, "{method:?}, k = {k}, with shorter steps");
        }
        let midpoint = compiled(spring, Method::Dla2Midpoint).expect("a system");
        let midpoint = error(&midpoint, &parameters, [&q, &v], (0.1, 1000));
        assert_eq!(midpoint, None, "k = {k}");
    }
}

/// So it is with stiff damping, which the method that is named brings to rest. The one for springs would ring.
#[test]
fn the_method_that_is_named_takes_stiff_damping() {
    let damped = "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - (x - y)^2/2, constraints(),
                  force = -k*dot(x)*dx";
    let (q, v) = ([1.0, 0.5], [1.0, 0.3]);
    for k in [1e3, 1e6, 1e8] {
        let parameters = [1.3, 0.4, k, 0.7];
        let explicit = compiled(damped, Method::Rk4).expect("a system");
        let failed = error(&explicit, &parameters, [&q, &v], (0.1, 1000));
        let Some(Error::Step { cause: cause @ Failure::EnergyJump { .. }, .. }) = failed else {
            panic!("k = {k}: {failed:?}");
        };
        assert!(cause.to_string().contains("for stiff damping `dla1_adjoint`"), "{cause}");
        let named = compiled(damped, Method::Dla1Adjoint).expect("a system");
        assert_eq!(error(&named, &parameters, [&q, &v], (0.1, 1000)), None, "k = {k}");
        let begin =
            Simulation::project(&named, named.variants().next().expect("one"), &parameters, &q, &v, &[], 0.1);
        let mut simulation = begin.expect("a start");
        simulation.advance(100).expect("steps");
        assert!(simulation.v()[0].abs() < 2.0 / k, "k = {k}: {:?}", simulation.v());
        assert_eq!(simulation.statistics().ringing().count(), 0, "k = {k}");
    }
}

/// A force that grows with the velocity does work that nothing at rest explains: the message does not say that there is no force.
#[test]
fn forces_are_not_denied() {
    let driven = "coordinates(x), lagrangian = m/2*dot(x)^2, constraints(), force = k*dot(x)*dx";
    let driven = compiled(driven, Method::Dla2).expect("a system");
    let parameters = [1.3, 0.4, 15.0, 0.7];
    let failed = error(&driven, &parameters, [&[0.0], &[1.0]], (0.1, 100));
    let Some(Error::Step { cause: cause @ Failure::EnergyJump { .. }, .. }) = failed else {
        panic!("{failed:?}");
    };
    let text = cause.to_string();
    assert!(text.contains("more than forces and drives explain"), "{text}");
    let shorter = error(&driven, &parameters, [&[0.0], &[1.0]], (0.01, 100));
    assert_eq!(shorter, None);
}
