//! The maps of groups as matrices: poses, algebras, exponential series, and differences in place of tangents.

use nhi_codegen::expr::group::{Group, Map};
use nhi_interpreter::map;
use nhi_methods::Retraction;

type Matrix = Vec<Vec<f64>>;

const GROUPS: [&str; 3] = ["SE2", "SO3", "SE3"];
const RETRACTIONS: [Retraction; 6] = [
    Retraction::Exp,
    Retraction::Cayley,
    Retraction::Ccsk,
    Retraction::Exp1,
    Retraction::Exp2,
    Retraction::Exp4,
];
/// Those with tangents of their own; the others cut the series of the exponential's off.
const WITH_TANGENTS: [Retraction; 3] = [Retraction::Exp, Retraction::Cayley, Retraction::Ccsk];

const SIGMA: [f64; 6] = [0.31, -0.24, 0.42, 0.5, -0.7, 0.2];
const OTHER: [f64; 6] = [-0.4, 0.15, 0.33, 0.9, 0.35, -0.6];
const COVECTOR: [f64; 6] = [0.8, 0.3, -0.5, -0.2, 0.7, 0.4];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &[f64], j: usize| row.iter().zip(b).map(|(x, row)| x * row[j]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

/// a + c b.
fn sum(a: &Matrix, c: f64, b: &Matrix) -> Matrix {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(x, y)| x + c * y).collect()).collect()
}

fn one(n: usize) -> Matrix {
    (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect()
}

/// Σ aᵏ/k!.
fn exponential(a: &Matrix) -> Matrix {
    let (mut total, mut term) = (one(a.len()), one(a.len()));
    for k in 1..40 {
        term = product(&term, a);
        term.iter_mut().flatten().for_each(|x| *x /= f64::from(k));
        total = sum(&total, 1.0, &term);
    }
    total
}

fn assert_near(what: &str, a: &Matrix, b: &Matrix, tolerance: f64) {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    let distance = pairs.fold(0.0, |largest: f64, (x, y)| largest.max((x - y).abs()));
    assert!(distance < tolerance, "{what}: {distance:e} between {a:?} and {b:?}");
}

fn assert_numbers(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_near(what, &vec![a.to_vec()], &vec![b.to_vec()], tolerance);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A matrix by rows times a vector.
fn apply(rows: &[f64], x: &[f64]) -> Vec<f64> {
    rows.chunks(x.len()).map(|row| dot(row, x)).collect()
}

/// x̂.
fn hat(group: &Group, x: &[f64]) -> Matrix {
    if group.name == "SE2" {
        return vec![vec![0.0, -x[0], x[1]], vec![x[0], 0.0, x[2]], vec![0.0; 3]];
    }
    let mut rows = vec![vec![0.0, -x[2], x[1]], vec![x[2], 0.0, -x[0]], vec![-x[1], x[0], 0.0]];
    if group.name == "SE3" {
        rows.iter_mut().zip(&x[3..]).for_each(|(row, v)| row.push(*v));
        rows.push(vec![0.0; 4]);
    }
    rows
}

/// The matrix of a pose.
fn matrix(group: &Group, g: &[f64]) -> Matrix {
    if group.name == "SE2" {
        let (s, c) = g[0].sin_cos();
        return vec![vec![c, -s, g[1]], vec![s, c, g[2]], vec![0.0, 0.0, 1.0]];
    }
    let mut rows: Matrix = g[..9].chunks(3).map(<[f64]>::to_vec).collect();
    if group.name == "SE3" {
        rows.iter_mut().zip(&g[9..]).for_each(|(row, p)| row.push(*p));
        rows.push(vec![0.0, 0.0, 0.0, 1.0]);
    }
    rows
}

fn identity(group: &Group) -> Vec<f64> {
    group.pose.iter().flat_map(|part| part.identity()).collect()
}

/// A group with a retraction, and its maps.
#[derive(Clone, Copy)]
struct Of {
    group: &'static Group,
    retraction: Retraction,
}

impl Of {
    fn map(self, map_: Map, arguments: &[&[f64]]) -> Vec<f64> {
        let arguments: Vec<Vec<f64>> = arguments.iter().map(|x| x.to_vec()).collect();
        map(map_, self.group, self.retraction, &arguments)
    }

    fn name(self) -> String {
        format!("{} by {:?}", self.group.name, self.retraction)
    }

    /// τ(x).
    fn tau(self, x: &[f64]) -> Matrix {
        matrix(self.group, &self.map(Map::Moved, &[&identity(self.group), x]))
    }

    fn vectors(self) -> [&'static [f64]; 3] {
        [&SIGMA, &OTHER, &COVECTOR].map(|x| &x[..self.group.dimension])
    }
}

fn all(retractions: &[Retraction]) -> Vec<Of> {
    let groups = GROUPS.map(|name| Group::named(name).expect("a group"));
    let with = |group| retractions.iter().map(move |&retraction| Of { group, retraction });
    groups.into_iter().flat_map(with).collect()
}

/// The derivative of `f` at x along `by`, by differences of fourth order.
fn difference(f: impl Fn(&[f64]) -> Matrix, x: &[f64], by: &[f64]) -> Matrix {
    let e = 1e-3;
    let at = |k: f64| f(&x.iter().zip(by).map(|(x, by)| x + k * e * by).collect::<Vec<f64>>());
    let [near, far] = [1.0, 2.0].map(|k| sum(&at(k), -1.0, &at(-k)));
    let mut slope = sum(&far, -8.0, &near);
    slope.iter_mut().flatten().for_each(|x| *x /= -12.0 * e);
    slope
}

#[test]
fn retractions_are_their_formulas() {
    for of in all(&RETRACTIONS) {
        let [x, other, _] = of.vectors();
        let (group, n) = (of.group, hat(of.group, x).len());
        if of.retraction == Retraction::Cayley {
            let half = |sign: f64| sum(&one(n), sign * 0.5, &hat(group, x));
            assert_near(&of.name(), &product(&half(-1.0), &of.tau(x)), &half(1.0), 1e-15);
        } else if of.retraction == Retraction::Ccsk {
            let along = |i: usize| {
                let coordinate: Vec<f64> = (0..x.len()).map(|j| x[j] * f64::from(i == j)).collect();
                exponential(&hat(group, &coordinate))
            };
            let expected = (0..x.len()).fold(one(n), |all, i| product(&all, &along(i)));
            assert_near(&of.name(), &of.tau(x), &expected, 1e-15);
        } else {
            assert_near(&of.name(), &of.tau(x), &exponential(&hat(group, x)), 1e-15);
        }
        // From another pose, by the retraction and by the exponential.
        let pose = of.map(Map::Displaced, &[&identity(group), other]);
        let g = matrix(group, &pose);
        assert_near(&of.name(), &g, &exponential(&hat(group, other)), 1e-15);
        let moved = matrix(group, &of.map(Map::Moved, &[&pose, x]));
        assert_near(&of.name(), &moved, &product(&g, &of.tau(x)), 2e-15);
        let displaced = matrix(group, &of.map(Map::Displaced, &[&pose, x]));
        assert_near(&of.name(), &displaced, &product(&g, &exponential(&hat(group, x))), 2e-15);
    }
}

/// Dτ(x) η = τ(x) (dτᴸ η)^ and Dτ(x) (dτ⁻¹ η) = η̂ τ(x).
#[test]
fn tangents_are_derivatives_of_retractions() {
    for of in all(&WITH_TANGENTS) {
        let [x, eta, _] = of.vectors();
        let derivative = |by: &[f64]| difference(|x| of.tau(x), x, by);
        let left = apply(&of.map(Map::TangentLeft, &[x]), eta);
        assert_near(&of.name(), &derivative(eta), &product(&of.tau(x), &hat(of.group, &left)), 1e-10);
        let back = apply(&of.map(Map::InverseTangent, &[x]), eta);
        assert_near(&of.name(), &derivative(&back), &product(&hat(of.group, eta), &of.tau(x)), 1e-10);
    }
}

/// Maps of covectors are transposes, and those of velocities inverses, of the tangents.
#[test]
fn covectors_are_paired_with_tangents() {
    for of in all(&RETRACTIONS) {
        let [x, eta, nu] = of.vectors();
        let start = of.map(Map::Start, &[x, nu]);
        let back = apply(&of.map(Map::InverseTangent, &[x]), eta);
        assert_numbers(&of.name(), &[dot(&start, eta)], &[dot(nu, &back)], 1e-14);
    }
    for of in all(&WITH_TANGENTS) {
        let [x, eta, nu] = of.vectors();
        let left = apply(&of.map(Map::TangentLeft, &[x]), eta);
        let end = of.map(Map::End, &[x, nu]);
        assert_numbers(&of.name(), &[dot(&end, &left)], &[dot(nu, eta)], 1e-14);
        if of.retraction == Retraction::Exp {
            assert_numbers(&of.name(), &of.map(Map::Rate, &[x, &left]), eta, 1e-14);
        }
    }
}

/// K is the derivative of `Start` by σ, and the curvature that of K.
#[test]
fn derivatives_of_momenta_are_differences() {
    for of in all(&RETRACTIONS) {
        let [x, eta, nu] = of.vectors();
        let along = |map| difference(|x| vec![of.map(map, &[x, nu])], x, eta).concat();
        let k = apply(&of.map(Map::StartTangent, &[x, nu]), eta);
        assert_numbers(&of.name(), &k, &along(Map::Start), 1e-10);
        let curvature = apply(&of.map(Map::StartCurvature, &[x, nu]), eta);
        assert_numbers(&of.name(), &curvature, &along(Map::StartTangent), 1e-10);
    }
}
