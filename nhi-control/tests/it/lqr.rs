//! Optimal feedback, against closed forms and its own equations, and systems without their cyclic coordinates.

use nalgebra::{DMatrix, dmatrix};
use nhi_control::{Linear, LqrError, lqr, track};
use nhi_runtime::prelude::*;

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
        assert!(found.eigenvalues[0].norm_sqr() < 1.0);
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
        assert!(found.eigenvalues.iter().all(|eigenvalue| eigenvalue.norm_sqr() < 1.0));
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
    for ((name, factor), (expected, size)) in
        direction.iter().zip([("x[0]", 0.0), ("x[1]", 1.0), ("x[2]", 0.0)])
    {
        assert!(name == expected && (factor.abs() - size).abs() < 1e-9, "{direction:?}");
    }
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

/// A ball on a track that rolls about its centre, driven along it by a force that is filtered.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(place, angle, tilt),
    states(filtered),
    inputs(push, turn),
    lagrangian = m/2*dot(place)^2 + m/5*dot(angle)^2 + dot(tilt)^2/2 + place*sin(tilt)/2,
    constraints(dplace - dangle = 0),
    force = filtered*dplace + turn*dtilt,
    dynamics(dot(filtered) = push - filtered),
    methods(Dla2 + derivatives),
)]
struct Track {
    m: f64,
}

fn track_at_rest() -> Linear {
    let mut sim = Simulation::new(Track { m: 1.3 }, Dla2, [0.0; 3], [0.0; 3], 0.1).expect("a start");
    sim.step_with(&[0.0, 0.0]).expect("a step");
    Linear::of(&sim).expect("derivatives")
}

#[test]
fn cyclic_coordinates_are_left_out_by_name() {
    let whole = track_at_rest();
    assert_eq!(whole.names, ["place", "angle", "tilt", "nu[0]", "nu[1]", "filtered"]);
    let (q, r) = (DMatrix::identity(6, 6), DMatrix::identity(2, 2));
    // The difference of place and angle stays.
    let error = whole.lqr(&q, &r).unwrap_err().to_string();
    assert!(error.starts_with("no input moves the mode with the eigenvalue 1.0"), "{error}");
    assert!(error.contains(" place ") && error.contains("angle"), "{error}");
    // Nothing depends on the angle.
    let rest = whole.without(&["angle"]).expect("a cyclic coordinate");
    assert_eq!(rest.names, ["place", "tilt", "nu[0]", "nu[1]", "filtered"]);
    assert_eq!((rest.a.shape(), rest.b.shape()), ((5, 5), (5, 2)));
    for (i, at) in [0, 2, 3, 4, 5].into_iter().enumerate() {
        assert_eq!(rest.b[(i, 0)], whole.b[(at, 0)]);
        for (j, from) in [0, 2, 3, 4, 5].into_iter().enumerate() {
            assert_eq!(rest.a[(i, j)], whole.a[(at, from)]);
        }
    }
    let feedback = rest.lqr(&DMatrix::identity(5, 5), &r).expect("stabilisable");
    assert!(feedback.eigenvalues.iter().all(|eigenvalue| eigenvalue.norm_sqr() < 1.0));
}

#[test]
fn what_others_need_cannot_be_left_out() {
    let whole = track_at_rest();
    let error = |names: &[&str]| whole.without(names).unwrap_err();
    let LqrError::Coupled { name, .. } = error(&["tilt"]) else { panic!("another error") };
    assert_eq!(name, "tilt");
    assert!(error(&["angle", "filtered"]).to_string().starts_with("filtered cannot be left out: "));
    assert_eq!(
        error(&["angel"]).to_string(),
        "no entry has the name angel: there are place, angle, tilt, nu[0], nu[1], filtered"
    );
    // An entry that stays as it is may be left out, although others depend on it.
    let constant = Linear {
        names: ["a", "b"].map(str::to_owned).to_vec(),
        a: dmatrix![0.5, 2.0; 0.0, 1.0],
        b: dmatrix![1.0; 0.0],
    };
    assert_eq!(constant.without(&["b"]).map(|rest| rest.a), Ok(dmatrix![0.5]));
    assert!(constant.without(&["a"]).is_ok(), "nothing depends on it");
    let through = Linear {
        names: ["a", "b", "c"].map(str::to_owned).to_vec(),
        a: dmatrix![0.5, 1.0, 0.0; 0.0, 1.0, 1.0; 1.0, 0.0, 1.0],
        b: dmatrix![1.0; 0.0; 0.0],
    };
    // a depends on b, b on c and c on a.
    assert_eq!(
        through.without(&["b", "c"]),
        Err(LqrError::Coupled { name: "c".to_owned(), dependent: "b".to_owned() })
    );
}
