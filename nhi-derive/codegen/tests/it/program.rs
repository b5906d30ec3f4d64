//! Programs: textual form, validation, interpreter.

use crate::support::{Run, program, systems};
use nhi_codegen::expr::{Expr, Pool};
use nhi_codegen::program::{Prediction, Program, Statement, Turn};
use nhi_runtime::Failure;

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
    let failed = p.run(&pool, &[vec![-2.0]]);
    assert!(matches!(failed, Err(Failure::Unsolved { residual, .. }) if residual > 1e-3), "{failed:?}");
}

#[test]
fn failures() {
    let mut pool = Pool::new();
    let p = program(&mut pool, "f(a, b)\n pivot a > eps * b else mass\n return x = sqrt(b)");
    assert_eq!(p.run(&pool, &[vec![1.0], vec![4.0]]), Ok(vec![vec![2.0]]));
    assert_eq!(p.run(&pool, &[vec![0.0], vec![1.0]]), Err(Failure::SingularMass));
    assert_eq!(p.run(&pool, &[vec![f64::NAN], vec![1.0]]), Err(Failure::NonFinite));
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

/// Sine and cosine of `x` from the sines `s` and `c` of `from + by`.
fn turning(pool: &mut Pool, prediction: impl Fn(Expr) -> Prediction) -> Program {
    let mut p = program(pool, "turn(x, from, by, s, c)\n return r = [x, x]");
    let [angle, from, by, sin, cos] = ["x", "from", "by", "s", "c"].map(|name| pool.symbol(name));
    let sines = ["sin_x", "cos_x"].map(|name| pool.symbol(name));
    let turn = Turn { sines, angle, from, prediction: prediction(by), known: [sin, cos] };
    p.body.push(Statement::Turn(turn));
    p.outputs[0].values = sines.to_vec();
    p.validate(pool);
    p
}

/// The sines of x = 0.7 + `by` + `off` from those of 0.7 + `by`.
fn turned(p: &Program, pool: &Pool, by: f64, off: f64) -> [f64; 2] {
    let (sin, cos) = (0.7 + by).sin_cos();
    let inputs = [0.7 + by + off, 0.7, by, sin, cos].map(|x| vec![x]);
    let r = p.run(pool, &inputs).expect("finite").concat();
    [r[0], r[1]]
}

#[test]
fn turns_are_executed_as_they_are_emitted() {
    let mut pool = Pool::new();
    let near = turning(&mut pool, Prediction::Corrected);
    let plain = turning(&mut pool, |_| Prediction::None);
    let known = turning(&mut pool, Prediction::Exact);
    let check = |[sin, cos]: [f64; 2], x: f64| {
        assert!((sin - x.sin()).abs() < 1e-15 && (cos - x.cos()).abs() < 1e-15, "{sin} {cos} of {x}");
    };
    for off in [0.0, 1e-9, 1e-6, -3e-4, 0.1, 0.4, 3.0] {
        check(turned(&near, &pool, 0.2, off), 0.9 + off);
        check(turned(&plain, &pool, 0.0, off), 0.7 + off);
    }
    check(turned(&known, &pool, 0.2, 0.0), 0.9);
    // Sines that nothing is added to are those that are known, to the last bit.
    let (sin, cos) = (0.9f64.sin() + 1e-14, 0.9f64.cos());
    let inputs = [0.9, 0.7, 0.2, sin, cos].map(|x| vec![x]);
    assert_eq!(known.run(&pool, &inputs), Ok(vec![vec![sin, cos]]));
    // What is not finite is a failure of the step.
    let inputs = [f64::NAN; 5].map(|x| vec![x]);
    assert_eq!(near.run(&pool, &inputs), Err(Failure::NonFinite));
}

#[test]
#[should_panic(expected = "wrong prediction")]
fn an_angle_that_is_not_the_known_one_is_found() {
    let mut pool = Pool::new();
    let known = turning(&mut pool, Prediction::Exact);
    turned(&known, &pool, 0.2, 1e-9);
}

#[test]
#[should_panic(expected = "wrong prediction")]
fn sines_of_another_angle_are_found() {
    let mut pool = Pool::new();
    let near = turning(&mut pool, Prediction::Corrected);
    let (sin, cos) = 0.9f64.sin_cos();
    // Too far off for these to be used, and wrong all the same.
    let inputs = [2.0, 0.7, 0.3, sin, cos].map(|x| vec![x]);
    let _ = near.run(&pool, &inputs);
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
