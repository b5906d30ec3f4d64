//! Optimal feedback, against closed forms and its own equations.

use nalgebra::{DMatrix, dmatrix};
use nhi_control::{LqrError, lqr, track};

/// x' = a x + b u: P is a root of b² P² + (r − r a² − q b²) P − q r = 0.
#[test]
fn one_dimension_has_a_closed_form() {
    for (a, b, q, r) in
        [(1.2, 0.5, 2.0, 0.3), (0.4, -1.0, 1.0, 1.0), (1.0, 0.01, 1e-3, 10.0), (-3.0, 2.0, 1e4, 1.0)]
    {
        let found = lqr(&dmatrix![a], &dmatrix![b], &dmatrix![q], &dmatrix![r]).expect("stabilisable");
        let (b2, half): (f64, f64) = (b * b, (r - r * a * a - q * b * b) / 2.0);
        let p = (-half + (half * half + b2 * q * r).sqrt()) / b2;
        assert!((found.cost[(0, 0)] / p - 1.0).abs() < 1e-12, "{} and {p}", found.cost);
        assert!((found.gain[(0, 0)] - b * p * a / (r + b2 * p)).abs() < 1e-12);
        assert!(found.eigenvalues[0].norm() < 1.0);
    }
}

/// A chain of integrators with time step h and a spring.
fn chain(n: usize, h: f64) -> (DMatrix<f64>, DMatrix<f64>) {
    let mut a = DMatrix::identity(n, n);
    for i in 0..n - 1 {
        a[(i, i + 1)] = h;
    }
    a[(n - 1, 0)] = -0.7 * h;
    let mut b = DMatrix::zeros(n, 1);
    b[(n - 1, 0)] = h;
    (a, b)
}

#[test]
fn the_cost_solves_the_riccati_equation_and_is_the_limit_of_finite_horizons() {
    for n in 2..7 {
        let (a, b) = chain(n, 0.1);
        let (q, r) = (DMatrix::identity(n, n), dmatrix![0.4]);
        let found = lqr(&a, &b, &q, &r).expect("stabilisable");
        let p = &found.cost;
        let right = &q + a.transpose() * p * (&a - &b * &found.gain);
        assert!((p - &right).norm() < 1e-11 * p.norm(), "{n}: {}", (p - right).norm() / p.norm());
        assert!(found.eigenvalues.iter().all(|eigenvalue| eigenvalue.norm() < 1.0));
        let gains = track(&vec![(a, b); 2000], &q, &r, &DMatrix::zeros(n, n)).expect("weights");
        assert!((&gains[0] - &found.gain).norm() < 1e-9 * found.gain.norm(), "{n}");
        // The last step pays for nothing after it.
        assert_eq!(gains[1999].norm(), 0.0);
    }
}

/// The cost of a closed loop is δxᵀP δx, and no other gain costs less.
#[test]
fn no_other_gain_costs_less() {
    let (a, b) = chain(3, 0.2);
    let (q, r) = (DMatrix::from_diagonal(&nalgebra::dvector![1.0, 0.2, 0.1]), dmatrix![0.5]);
    let found = lqr(&a, &b, &q, &r).expect("stabilisable");
    let cost = |gain: &DMatrix<f64>| {
        let mut x = nalgebra::dvector![1.0, -0.5, 0.3];
        let mut sum = 0.0;
        for _ in 0..4000 {
            let u = -(gain * &x);
            sum += (x.transpose() * &q * &x + u.transpose() * &r * &u)[(0, 0)];
            x = &a * &x + &b * u;
        }
        sum
    };
    let x = nalgebra::dvector![1.0, -0.5, 0.3];
    let expected = (x.transpose() * &found.cost * &x)[(0, 0)];
    assert!((cost(&found.gain) / expected - 1.0).abs() < 1e-12);
    for i in 0..3 {
        for by in [-1e-2, 1e-2] {
            let mut other = found.gain.clone();
            other[(0, i)] += by;
            assert!(cost(&other) > expected);
        }
    }
}

#[test]
fn modes_that_nothing_stabilises_are_named() {
    // x[1] is moved by nothing and grows.
    let (a, b) = (dmatrix![0.5, 1.0, 0.0; 0.0, 1.1, 0.0; 0.0, 0.3, 0.9], dmatrix![1.0; 0.0; 2.0]);
    let (q, r) = (DMatrix::identity(3, 3), dmatrix![1.0]);
    let LqrError::Uncontrollable { eigenvalue, direction } = lqr(&a, &b, &q, &r).unwrap_err() else {
        panic!("another error");
    };
    assert!((eigenvalue.re - 1.1).abs() < 1e-12);
    assert!(
        direction[0].abs() < 1e-9 && (direction[1].abs() - 1.0).abs() < 1e-9 && direction[2].abs() < 1e-9
    );
    // A free position without weight.
    let (a, b) = chain(2, 0.1);
    let a = DMatrix::from_fn(2, 2, |i, j| if (i, j) == (1, 0) { 0.0 } else { a[(i, j)] });
    let error = lqr(&a, &b, &dmatrix![0.0, 0.0; 0.0, 1.0], &r).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the weights q ignore the mode with the eigenvalue 1.000000+0.000000i, 1.000 x[0]"
    );
    // A mode that decays may be uncontrollable.
    assert!(lqr(&dmatrix![0.5, 1.0; 0.0, 0.9], &dmatrix![1.0; 0.0], &DMatrix::identity(2, 2), &r).is_ok());
}

#[test]
fn arguments_are_checked() {
    let (a, b) = chain(2, 0.1);
    let (q, r) = (DMatrix::identity(2, 2), dmatrix![1.0]);
    let error = |a: &DMatrix<f64>, b: &DMatrix<f64>, q: &DMatrix<f64>, r: &DMatrix<f64>| {
        lqr(a, b, q, r).unwrap_err().to_string()
    };
    assert_eq!(error(&a, &DMatrix::zeros(3, 1), &q, &r), "b: expected shape (2, 1), found (3, 1)");
    assert_eq!(error(&a, &b, &q, &DMatrix::identity(2, 2)), "r: expected shape (1, 1), found (2, 2)");
    assert_eq!(error(&(&a * f64::NAN), &b, &q, &r), "a: its entries must be finite");
    assert_eq!(
        error(&a, &b, &dmatrix![1.0, 1.0; 0.0, 1.0], &r),
        "q: must be symmetric and positive semidefinite"
    );
    assert_eq!(error(&a, &b, &-q.clone(), &r), "q: must be symmetric and positive semidefinite");
    assert_eq!(error(&a, &b, &q, &dmatrix![0.0]), "r: must be symmetric and positive definite");
}
