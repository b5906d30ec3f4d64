//! Problems for solvers from outside.

use crate::systems;
use nalgebra::{DMatrix, DVector};
use nhi_control::{Discrete, Dynamics, Nlp, Options, PlanError, Problem, Quadratic};
use nhi_runtime::prelude::*;

type Triplets = Vec<(usize, usize, f64)>;

fn matrix(all: &Triplets, (rows, columns): (usize, usize)) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(rows, columns);
    all.iter().for_each(|&(i, j, x)| matrix[(i, j)] += x);
    matrix
}

/// The lower triangle and its mirror image.
fn symmetric(all: &Triplets, n: usize) -> DMatrix<f64> {
    assert!(all.iter().all(|(i, j, _)| j <= i));
    let lower = matrix(all, (n, n));
    &lower + lower.transpose() - DMatrix::from_diagonal(&lower.diagonal())
}

fn sideways<'d>(
    disk: &'d Discrete<systems::Disk, Dla2>,
    steps: usize,
) -> Problem<'d, Discrete<systems::Disk, Dla2>> {
    let h = disk.step_size();
    let at = |y: f64| disk.at_rest(0, [0.0, y, 0.0, 0.0]).expect("rest");
    Problem::new(disk, steps, at(0.0))
        .cost("effort", Quadratic::of_inputs(&[h, 2.0 * h]))
        .cost("states", Quadratic::of_states(&[0.1, 0.2, 0.0, 0.0, 0.3, 0.1], at(0.5)))
        .reach_entries(at(0.8), &[0, 1, 2, 4, 5])
}

/// Derivatives are those of differences, and they are at the same places for all variables.
#[test]
fn derivatives_are_those_of_differences() {
    let steps = 5;
    let disk = Discrete::new(&systems::disk(), Dla2, 0.2).expect("steps");
    let start = disk.at_rest(0, [0.0; 4]).expect("rest");
    let problem = sideways(&disk, steps)
        .bound_inputs(&[-9.0, f64::NEG_INFINITY], &[9.0, 7.0])
        .within(2..steps + 1, ["energy"], (&[-1.0], &[3.0]), Quadratic::of_states(&[1.0; 6], start))
        .guess_waves(3, &[4.0, 3.0]);
    let mut nlp = problem.to_nlp().expect("a programme");
    let n = steps * 8;
    let mut z = nlp.start().to_vec();
    assert_eq!(z.len(), n);
    let [lower, upper] = nlp.constraint_bounds();
    let m = steps * 6 + 5 + 4;
    assert_eq!((lower.len(), upper.len(), nlp.constraints(&z).expect("steps").len()), (m, m, m));
    assert_eq!((lower[m - 1], upper[m - 1], lower[m - 5], upper[m - 5]), (-1.0, 3.0, 0.0, 0.0));
    let [lower, upper] = nlp.variable_bounds();
    assert_eq!((lower[0], upper[0], upper[1], lower[2]), (-9.0, 9.0, 7.0, f64::NEG_INFINITY));
    // From inputs the states follow.
    assert!(nlp.constraints(&z).expect("steps")[..steps * 6].iter().all(|x| x.abs() < 1e-14));
    let places = |all: Triplets| all.into_iter().map(|(i, j, _)| (i, j)).collect::<Vec<_>>();
    let before = places(nlp.jacobian(&z).expect("derivatives"));
    z.iter_mut().enumerate().for_each(|(i, z)| *z += 0.2 * (1.7 * i as f64).sin());
    let jacobian = nlp.jacobian(&z).expect("derivatives");
    assert_eq!(before, places(jacobian.clone()));
    let jacobian = matrix(&jacobian, (m, n));
    let gradient = nlp.gradient(&z).expect("derivatives");
    let (factor, multipliers) = (0.7, (0..m).map(|i| (0.9 * i as f64).cos()).collect::<Vec<_>>());
    let hessian = symmetric(&nlp.hessian(&z, factor, &multipliers).expect("derivatives"), n);
    let slope = |nlp: &mut Nlp<'_, '_, _>, z: &[f64]| {
        let jacobian = matrix(&nlp.jacobian(z).expect("derivatives"), (m, n));
        factor * DVector::from_vec(nlp.gradient(z).expect("derivatives"))
            + jacobian.tr_mul(&DVector::from_column_slice(&multipliers))
    };
    let by = 1e-5;
    for i in 0..n {
        let [more, less] = [by, -by].map(|by| {
            let mut z = z.clone();
            z[i] += by;
            let c = DVector::from_vec(nlp.constraints(&z).expect("steps"));
            (nlp.objective(&z).expect("steps"), c, slope(&mut nlp, &z))
        });
        assert!(((more.0 - less.0) / (2.0 * by) - gradient[i]).abs() < 1e-7, "{i}");
        assert!(((more.1 - less.1) / (2.0 * by) - jacobian.column(i)).amax() < 1e-7, "{i}");
        assert!(((more.2 - less.2) / (2.0 * by) - hessian.column(i)).amax() < 1e-7, "{i}");
    }
    assert_eq!(
        nlp.objective(&[0.0]).expect_err("an error").to_string(),
        format!("variables: expected {n} entries, found 1")
    );
}

/// Newton's method with dense matrices finds the plan of the planner, and its multipliers.
#[test]
fn another_solver_finds_the_plan() {
    let steps = 10;
    let disk = Discrete::new(&systems::disk(), Dla2, 0.1).expect("steps");
    let plan = sideways(&disk, steps).solve(&Options::default()).expect("a problem");
    assert!(plan.status.is_converged(), "{}", plan.status);
    // Near the solution.
    let inputs: Vec<Vec<f64>> = plan.inputs.iter().map(|u| vec![1.02 * u[0], u[1] - 0.01]).collect();
    let problem = sideways(&disk, steps).guess_inputs(inputs);
    let mut nlp = problem.to_nlp().expect("a programme");
    let mut z = DVector::from_column_slice(nlp.start());
    let n = z.len();
    let m = nlp.constraints(z.as_slice()).expect("steps").len();
    let mut y = DVector::zeros(m);
    for _ in 0..12 {
        let jacobian = matrix(&nlp.jacobian(z.as_slice()).expect("derivatives"), (m, n));
        let hessian = symmetric(&nlp.hessian(z.as_slice(), 1.0, y.as_slice()).expect("derivatives"), n);
        let mut all = DMatrix::zeros(n + m, n + m);
        all.view_mut((0, 0), (n, n)).copy_from(&hessian);
        all.view_mut((n, 0), (m, n)).copy_from(&jacobian);
        all.view_mut((0, n), (n, m)).copy_from(&jacobian.transpose());
        let mut right = DVector::zeros(n + m);
        right.rows_mut(0, n).copy_from_slice(&nlp.gradient(z.as_slice()).expect("derivatives"));
        right.rows_mut(n, m).copy_from_slice(&nlp.constraints(z.as_slice()).expect("steps"));
        let step = all.lu().solve(&-right).expect("a regular matrix");
        z += step.rows(0, n);
        y.copy_from(&step.rows(n, m));
    }
    let cost = nlp.objective(z.as_slice()).expect("steps");
    assert!((cost / plan.cost - 1.0).abs() < 1e-10, "{cost} and {}", plan.cost);
    let mut delta = [0.0; 6];
    for (k, x) in plan.states.iter().enumerate() {
        disk.difference(&nlp.state(z.as_slice(), k), x, &mut delta);
        assert!(delta.iter().all(|x| x.abs() < 1e-8), "{k}: {delta:?}");
    }
    let multipliers = plan.costates.concat().into_iter().chain(plan.multipliers.iter().map(|(_, y)| *y));
    let size = y.amax();
    assert!(multipliers.zip(&y).all(|(a, b)| (a - b).abs() < 1e-7 * size), "{y}");
}

#[test]
fn poses_are_no_variables() {
    let disk = Discrete::new(&systems::posed_disk(), Rdp, 0.1).expect("steps");
    let problem = Problem::new(&disk, 5, disk.at_rest(0, [0.0; 4]).expect("rest"));
    assert_eq!(problem.to_nlp().err(), Some(PlanError::Group));
}
