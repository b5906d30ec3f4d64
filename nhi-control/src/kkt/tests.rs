//! The recursion against a dense solution of the same equations.

use super::*;
use alloc::vec::Vec;
use nalgebra::DVector;

struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn fill(&mut self, x: &mut [f64], size: f64) {
        x.iter_mut().for_each(|x| *x = size * self.number());
    }

    fn below(&mut self, bound: usize) -> usize {
        (0.5 * (self.number() + 1.0) * bound as f64) as usize
    }
}

/// H = LᵀL + ½, or any symmetric matrix if it need not be convex.
fn hessian(random: &mut Random, n: usize, is_convex: bool) -> Vec<f64> {
    let mut l = vec![0.0; n * n];
    random.fill(&mut l, 1.0);
    let mut h = vec![0.0; n * n];
    if is_convex {
        add_transposed_product(&mut h, &l, &l, n, n);
        h.iter_mut().step_by(n + 1).for_each(|x| *x += 0.5);
    } else {
        h.copy_from_slice(&l);
        make_symmetric(&mut h, n);
    }
    h
}

fn random_system(random: &mut Random, sizes: (usize, usize), conditions: &[usize], is_convex: bool) -> Kkt {
    let (nx, nu) = sizes;
    let mut kkt = Kkt::new(nx, nu, conditions);
    let last = conditions.len() - 1;
    for k in 0..=last {
        let stage = kkt.stage(k);
        stage.hessian.copy_from_slice(&hessian(random, nx + nu, is_convex));
        random.fill(stage.ab, 0.7);
        random.fill(stage.gradient, 1.0);
        random.fill(stage.defect, 0.3);
        random.fill(stage.conditions, 1.0);
        random.fill(stage.residual, 1.0);
        if k == last {
            for row in stage.conditions.chunks_exact_mut(nx + nu) {
                row[nx..].fill(0.0);
            }
            stage.gradient[nx..].fill(0.0);
        }
    }
    kkt
}

/// The matrix and the right-hand side: unknowns are all z with the inputs of the last stage left out, λ₁ … and ν.
fn dense(kkt: &Kkt, shift: f64) -> (DMatrix<f64>, DVector<f64>) {
    let Sizes { states: nx, inputs: nu } = kkt.sizes;
    let (n, last) = (nx + nu, kkt.count - 1);
    // δx₀ is no unknown.
    let z = |k: usize, i: usize| (k * n + i).checked_sub(nx);
    let unknowns = last * n;
    let lambda = |k: usize, i: usize| unknowns + (k - 1) * nx + i;
    let nu_at = |i: usize| unknowns + last * nx + i;
    let size = nu_at(kkt.solution.nu.len());
    let (mut a, mut b) = (DMatrix::zeros(size, size), DVector::zeros(size));
    let mut both = |i: usize, j: usize, x: f64| {
        a[(i, j)] += x;
        if i != j {
            a[(j, i)] += x;
        }
    };
    for k in 0..=last {
        let length = if k == last { nx } else { n };
        for i in 0..length {
            let Some(at) = z(k, i) else { continue };
            b[at] -= kkt.gradient[k * n + i];
            for j in i..length {
                both(
                    at,
                    z(k, j).unwrap(),
                    kkt.hessian[(k * n + i) * n + j] + if i == j { shift } else { 0.0 },
                );
            }
        }
        for (row, i) in kkt.rows_of(k).chunks_exact(n).zip(kkt.conditions_of(k)) {
            for (j, &x) in row[..length].iter().enumerate() {
                z(k, j).into_iter().for_each(|at| both(nu_at(i), at, x));
            }
            both(nu_at(i), nu_at(i), -kkt.compliance[i]);
            b[nu_at(i)] -= kkt.residual[i];
        }
        if k < last {
            for (i, row) in kkt.ab(k).chunks_exact(n).enumerate() {
                for (j, &x) in row.iter().enumerate() {
                    z(k, j).into_iter().for_each(|at| both(lambda(k + 1, i), at, x));
                }
                both(lambda(k + 1, i), z(k + 1, i).unwrap(), -1.0);
                b[lambda(k + 1, i)] -= kkt.defect[k * nx + i];
            }
        }
    }
    (a, b)
}

/// The largest difference from the dense solution, relative to its largest entry.
fn error(kkt: &Kkt, shift: f64) -> f64 {
    let Sizes { states: nx, inputs: nu } = kkt.sizes;
    let (n, last) = (nx + nu, kkt.count - 1);
    let (a, b) = dense(kkt, shift);
    let lu = a.clone().lu();
    let mut expected = lu.solve(&b).expect("a regular matrix");
    // Without these corrections the dense solution has the larger errors.
    for _ in 0..2 {
        expected += lu.solve(&(&b - &a * &expected)).expect("a regular matrix");
    }
    let found: Vec<f64> = kkt.solution.z[nx..last * n + nx]
        .iter()
        .chain(&kkt.solution.lambda[nx..])
        .chain(&kkt.solution.nu)
        .copied()
        .collect();
    assert_eq!(found.len(), expected.len());
    let error = found.iter().zip(&expected).fold(0.0_f64, |error, (x, y)| error.max((x - y).abs()));
    error / expected.amax()
}

#[test]
fn random_convex_problems_have_the_dense_solution() {
    let mut random = Random(7);
    let mut worst = 0.0_f64;
    for case in 0..60 {
        // An input for three states at least: the condition number, of both solutions, grows with the steps that it takes
        // to move all states.
        let nx = 1 + random.below(7);
        let nu = nx.div_ceil(3) + random.below(3);
        let stages = 2 + random.below(4) + (2 * nx).div_ceil(nu);
        // End conditions, and some on the way.
        let mut conditions = vec![0; stages];
        conditions[stages - 1] = random.below(nx + 1);
        if case % 3 == 1 {
            conditions[stages / 2] = random.below(nu + 1);
        }
        if case % 3 == 2 {
            conditions[..stages - 1].fill(random.below(nu));
            conditions[0] = 0;
            conditions[stages - 1] = 0;
        }
        let mut kkt = random_system(&mut random, (nx, nu), &conditions, true);
        if case % 5 == 4 {
            kkt.compliance.iter_mut().for_each(|x| *x = 0.5 + 0.5 * random.number());
        }
        let shift = if case % 7 == 0 { 0.3 } else { 0.0 };
        assert_eq!(
            kkt.factor_at_run_time(shift),
            Inertia::Right(Vec::new()),
            "case {case}, {nx}, {nu}, {conditions:?}"
        );
        kkt.solve_at_run_time(true);
        let error = error(&kkt, shift);
        assert!(error < 1e-10, "case {case}: {error:e}, {nx}, {nu}, {conditions:?}");
        worst = worst.max(error);
    }
    std::println!("the largest error is {worst:e}");
}

/// Right inertia is that of the matrix: as many negative eigenvalues as there are multipliers.
#[test]
fn inertia_is_that_of_the_matrix() {
    let mut random = Random(11);
    let mut found = [0, 0];
    for case in 0..100 {
        let (nx, nu) = (1 + random.below(4), 1 + random.below(3));
        let stages = 5 + random.below(4) + nx.div_ceil(nu);
        let mut conditions = vec![0; stages];
        conditions[stages - 1] = random.below(nx + 1);
        conditions[stages - 2] = random.below(2);
        let mut kkt = random_system(&mut random, (nx, nu), &conditions, false);
        let shift = 1.0 + 0.7 * random.number();
        let is_right = kkt.factor_at_run_time(shift) == Inertia::Right(Vec::new());
        let (a, b) = dense(&kkt, shift);
        let negative = SymmetricEigen::new(a).eigenvalues.iter().filter(|&&x| x < 0.0).count();
        let multipliers = nx * (stages - 1) + conditions.iter().sum::<usize>();
        assert_eq!(is_right, negative == multipliers, "case {case}");
        found[usize::from(is_right)] += 1;
        if is_right {
            kkt.solve_at_run_time(true);
            let error = error(&kkt, shift);
            assert!(error < 1e-8, "case {case}: {error:e} of {}", b.amax());
        }
    }
    assert!(found.iter().all(|&count| count > 10), "{found:?}");
}

/// A condition that is said twice, and one that nothing can change.
#[test]
fn dependent_conditions_are_found() {
    let mut random = Random(3);
    let mut kkt = random_system(&mut random, (3, 2), &[0, 0, 0, 0, 4], true);
    let n = 5;
    let last = kkt.stage(4);
    let rows: Vec<f64> = [[1.0, 0.2, 0.0], [0.0, 1.0, 0.3], [2.0, 1.4, 0.3]].concat();
    for (to, row) in last.conditions.chunks_exact_mut(n).zip(rows.chunks_exact(3)) {
        to[..3].copy_from_slice(row);
    }
    last.conditions[3 * n..].copy_from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0]);
    // 2 c₀ + c₁ = c₂.
    last.residual.copy_from_slice(&[0.4, -0.3, 0.5, 0.2]);
    let Inertia::Right(dependent) = kkt.factor_at_run_time(0.0) else { panic!("a minimum") };
    let [combination] = &dependent[..] else { panic!("{dependent:?}") };
    let expected = [1.0, 0.5, -0.5, 0.0];
    for (found, expected) in combination.iter().zip(expected) {
        assert!((found / combination[0] - expected).abs() < 1e-9, "{combination:?}");
    }
    // The conditions hold all the same, as they agree.
    kkt.solve_at_run_time(true);
    kkt.residual::<AtRunTime>();
    assert!(norm(&kkt.right.nu) < 1e-12 && norm(&kkt.right.z) < 1e-12 && norm(&kkt.right.lambda) < 1e-12);
}
