//! Linear equations of masses and constraints whose scales span many decades, against solutions of two hundred digits.

use crate::random::Random;
use astro_float::{BigFloat, RoundingMode, Sign};
use nhi_runtime::Failure;
use nhi_runtime::emitted::{Saddle, saddle_point};
use nhi_tiers::amount;

/// Bits of the reference: condition numbers are up to 10⁵⁰.
const BITS: usize = 768;

const ROUNDING: RoundingMode = RoundingMode::ToEven;

/// Pivots of the reference that are not larger are rounding: those of regular equations are above 10⁻⁵⁰, and numbers that
/// cancel leave less than 10⁻¹⁸⁰.
const PIVOT: f64 = 1e-150;

fn exact(x: f64) -> BigFloat {
    BigFloat::from_f64(x, BITS)
}

fn to_f64(x: &BigFloat) -> f64 {
    if x.is_zero() {
        return 0.0;
    }
    let Some((words, _, sign, exponent, _)) = x.as_raw_parts() else { panic!("{x:?} is no number") };
    // The most significant word is the last; the value is 0.words · 2^exponent.
    let top = words.iter().rev().zip([-64, -128]).map(|(&w, e)| w as f64 * 2f64.powi(e + exponent));
    let value: f64 = top.sum();
    if sign == Sign::Neg { -value } else { value }
}

/// A⁻¹, if A is regular: the largest entry left in a column is not the rounding of its numbers.
fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<BigFloat>>> {
    let n = matrix.len();
    let unit = |i: usize| (0..n).map(move |j| exact(f64::from(u8::from(i == j))));
    let mut rows: Vec<Vec<BigFloat>> =
        (0..n).map(|i| matrix[i].iter().map(|&x| exact(x)).chain(unit(i)).collect()).collect();
    for k in 0..n {
        let largest =
            (k..n).max_by(|&i, &j| rows[i][k].abs().partial_cmp(&rows[j][k].abs()).expect("numbers"))?;
        if to_f64(&rows[largest][k]).abs() <= PIVOT {
            return None;
        }
        rows.swap(k, largest);
        let pivot = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[k].div(&pivot[k], BITS, ROUNDING);
            for (x, y) in row.iter_mut().zip(&pivot) {
                *x = match i == k {
                    true => x.div(&pivot[k], BITS, ROUNDING),
                    false => x.sub(&factor.mul(y, BITS, ROUNDING), BITS, ROUNDING),
                };
            }
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

impl Random {
    /// A positive number of some size in twelve decades.
    fn scale(&mut self) -> f64 {
        10f64.powf(6.0 * self.unit())
    }
}

/// M, μ, ν and the right side (f, r), by rows. Reactions act along μ if there is no ν.
struct Equations {
    n: usize,
    m: usize,
    mass: Vec<f64>,
    mu: Vec<f64>,
    nu: Vec<f64>,
    rhs: Vec<f64>,
}

impl Equations {
    /// Velocities in units of any size, with one-forms of any size, some of them between light and heavy velocities, and some
    /// velocities without a mass.
    fn random(random: &mut Random) -> Equations {
        let n = 2 + random.below(5);
        let m = 1 + random.below(n - 1);
        let masses: Vec<f64> = (0..n).map(|_| random.scale()).collect();
        let is_diagonal = random.below(2) == 0;
        let massless = if random.below(4) == 0 { 1 + random.below(m) } else { 0 };
        let root: Vec<f64> = (0..n * n).map(|_| random.unit()).collect();
        let mut mass = vec![0.0; n * n];
        for i in massless..n {
            for j in i..n {
                let gram: f64 = (0..n).map(|k| root[n * i + k] * root[n * j + k]).sum();
                let size = (masses[i] * masses[j]).sqrt();
                let entry = if is_diagonal { f64::from(u8::from(i == j)) } else { gram };
                (mass[n * i + j], mass[n * j + i]) = (size * entry, size * entry);
            }
        }
        let (in_their_units, is_driven) = (random.below(2) == 0, random.below(2) == 0);
        let units: Vec<f64> =
            masses.iter().map(|mass| if in_their_units { mass.sqrt() } else { 1.0 }).collect();
        let (mut mu, mut rhs): (Vec<f64>, Vec<f64>) =
            (Vec::new(), units.iter().map(|u| u * random.unit()).collect());
        for _ in 0..m {
            let size = random.scale();
            mu.extend(units.iter().map(|u| if random.below(5) > 0 { size * u * random.unit() } else { 0.0 }));
            rhs.push(if is_driven { size * random.unit() } else { 0.0 });
        }
        Equations { n, m, mass, mu, nu: Vec::new(), rhs }
    }

    /// The same with reactions along one-forms that are within a part of them, as after a step.
    fn with_turned_reactions(mut self, random: &mut Random) -> Equations {
        let part = 0.25 * 10f64.powf(-4.0 * random.unit().abs());
        self.nu = self.mu.iter().map(|mu| mu * (1.0 + part * random.unit())).collect();
        self
    }

    /// The matrix of all equations for (x, λ).
    fn matrix(&self) -> Vec<Vec<f64>> {
        let (n, m) = (self.n, self.m);
        let above = (0..n).map(|i| {
            let nu = if self.nu.is_empty() { &self.mu } else { &self.nu };
            let reactions = (0..m).map(|a| -nu[n * a + i]);
            self.mass[n * i..][..n].iter().copied().chain(reactions).collect()
        });
        let below = self.mu.chunks(n).map(|row| row.iter().copied().chain(vec![0.0; m]).collect());
        above.chain(below).collect()
    }

    /// x and λ.
    fn solve(&self) -> Result<Vec<f64>, Failure> {
        let (mut mass, mut mu, mut rhs) =
            (self.mass.clone(), [&self.mu[..], &self.nu].concat(), self.rhs.clone());
        let mut equations = Saddle {
            n: self.n,
            sizes: &mut vec![0.0; mu.len()],
            scales: &mut vec![0.0; 2 * self.n],
            order: &mut vec![0; 2 * rhs.len()],
            mass: &mut mass,
            mu: &mut mu,
            rhs: &mut rhs,
        };
        equations.solve()?;
        Ok(rhs)
    }

    /// The largest error of x and λ, relative to what relative errors ε of the numbers in the equations do to each:
    /// |A⁻¹| (|A| |s| + |b|), which no scaling of equations or unknowns changes. `None` if the equations are singular.
    fn error(&self, solution: &[f64]) -> Option<f64> {
        let (matrix, all) = (self.matrix(), self.n + self.m);
        let inverse = inverse(&matrix)?;
        let times = |row: &[BigFloat], x: &[BigFloat]| {
            row.iter()
                .zip(x)
                .fold(exact(0.0), |sum, (a, x)| sum.add(&a.mul(x, BITS, ROUNDING), BITS, ROUNDING))
        };
        let sizes = |all: &[BigFloat]| all.iter().map(BigFloat::abs).collect::<Vec<_>>();
        let rhs: Vec<BigFloat> = self.rhs.iter().map(|&x| exact(x)).collect();
        let truth: Vec<BigFloat> = inverse.iter().map(|row| times(row, &rhs)).collect();
        let terms: Vec<BigFloat> = matrix
            .iter()
            .zip(sizes(&rhs))
            .map(|(row, b)| {
                let row: Vec<BigFloat> = row.iter().map(|x| exact(x.abs())).collect();
                times(&row, &sizes(&truth)).add(&b, BITS, ROUNDING)
            })
            .collect();
        let errors = (0..all).map(|i| {
            let off = to_f64(&exact(solution[i]).sub(&truth[i], BITS, ROUNDING)).abs();
            let allowed = to_f64(&times(&sizes(&inverse[i]), &terms));
            // A number that is zero whatever the others are has no rounding of its own; that of the reference is below 10⁻¹⁸⁰.
            if off <= 1e-180 { 0.0 } else { off / (f64::EPSILON * allowed) }
        });
        Some(errors.fold(0.0, f64::max))
    }
}

#[test]
fn errors_are_those_of_the_problem_over_twelve_decades() {
    let mut random = Random(26);
    let (mut solved, mut worst) = (0, 0.0_f64);
    for case in 0..amount(1000, 20_000) {
        let equations = Equations::random(&mut random);
        // Velocities without mass and one-forms with zeros in them can be singular; then the equations are refused.
        let solution = match equations.solve() {
            Ok(solution) => solution,
            Err(failure) => {
                assert_eq!(equations.error(&equations.rhs), None, "case {case}: {failure}");
                continue;
            }
        };
        let error = equations.error(&solution);
        let error = error.unwrap_or_else(|| panic!("case {case} is singular"));
        assert!(error <= 100.0, "case {case}: {error} roundings");
        (solved, worst) = (solved + 1, worst.max(error));
    }
    assert!(solved > amount(800, 16_000), "{solved}");
    assert!(worst > 0.1, "{worst}");
}

#[test]
fn reactions_may_act_along_other_one_forms() {
    let mut random = Random(31);
    let (mut solved, mut worst) = (0, 0.0_f64);
    for case in 0..amount(1000, 20_000) {
        let equations = Equations::random(&mut random).with_turned_reactions(&mut random);
        let Ok(solution) = equations.solve() else { continue };
        let error = equations.error(&solution);
        let error = error.unwrap_or_else(|| panic!("case {case} is singular"));
        assert!(error <= 100.0, "case {case}: {error} roundings");
        (solved, worst) = (solved + 1, worst.max(error));
    }
    assert!(solved > amount(800, 16_000), "{solved}");
    assert!(worst > 0.1, "{worst}");
}

#[test]
fn reactions_along_the_same_one_forms_are_those_of_one_matrix() {
    let mut random = Random(32);
    for case in 0..amount(200, 2000) {
        let mut equations = Equations::random(&mut random);
        let same = equations.solve();
        equations.nu = equations.mu.clone();
        match (equations.solve(), same) {
            (Ok(separate), Ok(_)) => {
                let error = equations.error(&separate).unwrap_or_else(|| panic!("case {case} is singular"));
                assert!(error <= 100.0, "case {case}: {error} roundings");
            }
            (separate, same) => assert_eq!(separate.is_err(), same.is_err(), "case {case}"),
        }
    }
}

#[test]
fn dependent_one_forms_and_missing_inertia_are_told_apart() {
    let failure = |mass: [f64; 4], mu: &[f64]| {
        let m = mu.len() / 2;
        let rhs = vec![1.0; 2 + m];
        let equations = |nu: &[f64]| Equations {
            n: 2,
            m,
            mass: mass.to_vec(),
            mu: mu.to_vec(),
            nu: nu.to_vec(),
            rhs: rhs.clone(),
        };
        let [same, separate] = [&[][..], mu].map(|nu| equations(nu).solve().err());
        // Inertia is tested before.
        if same != Some(Failure::SingularMass) {
            assert_eq!(same, separate, "{mass:?} {mu:?}");
        }
        same
    };
    let unit = [1.0, 0.0, 0.0, 1.0];
    assert_eq!(failure(unit, &[1.0, 3.0]), None);
    assert_eq!(failure(unit, &[0.0, 0.0]), Some(Failure::SingularConstraints));
    // 0.1 and 0.3 are rounded, and 3 times the one is not the other.
    assert_eq!(failure(unit, &[0.1, 0.7, 0.3, 2.1]), Some(Failure::SingularConstraints));
    assert_eq!(failure(unit, &[1.0, 1e8, 1.0, 2e8]), None);
    assert_eq!(failure([0.0; 4], &[1.0, 3.0]), Some(Failure::SingularMass));
    assert_eq!(failure([1.0, 0.0, 0.0, -1.0], &[1.0, 0.0]), Some(Failure::SingularMass));
    assert_eq!(failure([0.0, 0.0, 0.0, 1.0], &[1.0, 0.0]), None);
    assert_eq!(failure(unit, &[f64::NAN, f64::NAN]), Some(Failure::NonFinite));
    assert_eq!(failure([1.0, f64::NAN, f64::NAN, 1.0], &[1.0, 0.5]), Some(Failure::NonFinite));
}

#[test]
fn what_formulas_give_is_taken_where_pivots_are_large() {
    let equations = || Ok(([2.0, 0.0, 0.0, 3.0], [1.0, -1.0], [5.0, 10.0, 0.0]));
    let velocities = |pivot: f64| {
        saddle_point::<f64, true, 2, 2, 1, 4, 2, 3>([0, 1], [7.0, 8.0], [[pivot, 1.0]], equations)
    };
    let reaction =
        |pivot: f64| saddle_point::<f64, true, 2, 1, 1, 4, 2, 3>([2], [9.0], [[pivot, 1.0]], equations);
    assert_eq!((velocities(0.1), reaction(0.1)), (Ok([7.0, 8.0]), Ok([9.0])));
    // Both move together: 5 x = 15, and λ = 2 x − 5.
    for pivot in [0.01, -1.0, f64::NAN] {
        assert_eq!((velocities(pivot), reaction(pivot)), (Ok([3.0; 2]), Ok([1.0])));
    }
}
