//! Programs: textual form, validation, interpreter.

mod support;

use nhi_codegen::expr::Pool;
use nhi_codegen::program::{Failure, Singular};
use support::{program, systems};

#[test]
fn textual_form_is_read_back() {
    let mut pool = Pool::new();
    for text in [systems::SLEIGH_DLA2, systems::CONTACT_DLA2] {
        let p = program(&mut pool, text);
        let shown = p.show(&pool).to_string();
        let again = program(&mut pool, &shown);
        assert_eq!(p, again, "{shown}");
        assert_eq!(shown, again.show(&pool).to_string());
    }
}

#[test]
fn newton_finds_a_square_root() {
    let mut pool = Pool::new();
    let p = program(
        &mut pool,
        "root(a)
            newton l from a weights 1 beside 1
                let r = l^2 - a
                l += -r/(2*l)
            return l = l, twice = [2*l, a]",
    );
    let got = p.run(&pool, &[vec![2.0]]).expect("converges");
    let l = got[0][0];
    // The last update is rounding, of one unit.
    assert!((l - 2.0f64.sqrt()).abs() <= f64::EPSILON, "{l}");
    assert_eq!(got[1], vec![2.0 * l, 2.0]);
    // No real root.
    assert_eq!(p.run(&pool, &[vec![-2.0]]), Err(Failure::NotConverged));
}

#[test]
fn failures() {
    let mut pool = Pool::new();
    let p = program(&mut pool, "f(a, b)\n pivot a > eps * b else mass\n return x = sqrt(b)");
    assert_eq!(p.run(&pool, &[vec![1.0], vec![4.0]]), Ok(vec![vec![2.0]]));
    assert_eq!(p.run(&pool, &[vec![0.0], vec![1.0]]), Err(Failure::Singular(Singular::Mass)));
    assert_eq!(p.run(&pool, &[vec![f64::NAN], vec![1.0]]), Err(Failure::Singular(Singular::Mass)));
    assert_eq!(p.run(&pool, &[vec![1.0], vec![-1.0]]), Err(Failure::NonFinite));
}

#[test]
#[should_panic(expected = "is used but not bound")]
fn use_before_binding_is_found() {
    program(&mut Pool::new(), "f(a)\n let b = c\n let c = a\n return x = b");
}

#[test]
#[should_panic(expected = "is bound twice")]
fn double_binding_is_found() {
    program(&mut Pool::new(), "f(a)\n let a = 1\n return x = a");
}

#[test]
fn sleigh_stays_on_its_constraint() {
    let mut pool = Pool::new();
    let p = program(&mut pool, systems::SLEIGH_DLA2);
    let (theta, a) = (0.3f64, 0.2);
    let v = [1.0, 0.5, (a + theta.sin() * 0.5) / theta.cos()];
    let parameters = vec![1.0, 1.0, a];
    let mut state = vec![vec![theta, 0.0, 0.0], v.to_vec(), vec![0.0]];
    for _ in 0..100 {
        let mut inputs = vec![parameters.clone(), vec![0.01]];
        inputs.extend(state);
        inputs.extend([vec![0.0], vec![]]);
        state = p.run(&pool, &inputs).expect("a step");
        let (q, v) = (&state[0], &state[1]);
        let residual = a * v[0] + q[0].sin() * v[1] - q[0].cos() * v[2];
        assert!(residual.abs() < 1e-15, "{residual}");
    }
    let energy: f64 = state[1].iter().map(|v| v * v / 2.0).sum();
    let before: f64 = v.iter().map(|v| v * v / 2.0).sum();
    assert!((energy - before).abs() < 1e-4, "{energy} {before}");
}
