//! τ, Ad, ad and the tangents at given points.

use super::{golden, numbers};
use nhi_runtime::group::{
    Cayley, Ccsk, Column, Exp, Exp1, Exp2, Exp4, Group, Operator, Retraction, SE2, SE3, SO3,
};
use serde_json::Value;

/// What the data are to be met to, beside numbers of size one and more.
const TOLERANCE: f64 = 1e-13;

/// One map at one point.
struct Sample<'a> {
    data: &'a Value,
    label: String,
}

impl Sample<'_> {
    fn numbers(&self, field: &str) -> Vec<f64> {
        numbers(&self.data[field])
    }

    fn column<const N: usize>(&self, field: &str) -> [f64; N] {
        self.numbers(field).try_into().expect("as many numbers as the group has dimensions")
    }

    fn compare(&self, field: &str, got: &[f64]) {
        let expected = self.numbers(field);
        assert_eq!(got.len(), expected.len(), "{}: {field}", self.label);
        for (x, y) in got.iter().zip(&expected) {
            let error = (x - y).abs();
            assert!(
                error <= TOLERANCE * (1.0 + y.abs()),
                "{}: {field} is {got:?} instead of {expected:?}",
                self.label
            );
        }
    }
}

/// All fields of a sample; `matrix` is the homogeneous matrix of a pose, row by row.
fn check<const N: usize, G, R>(sample: &Sample<'_>, matrix: fn(G) -> Vec<f64>)
where
    G: Group<Scalar = f64, Algebra = [f64; N], Operator = [[f64; N]; N]>,
    R: Retraction<G>,
{
    let (x, y) = (sample.column::<N>("x"), sample.column::<N>("y"));
    sample.compare("tau_x", &matrix(R::tau(x)));
    sample.compare("Ad_tau_y", &R::tau(x).adjoint().apply(y));
    sample.compare("ad_x_y", &G::ad(x).apply(y));
    sample.compare("dtau_x_y", &R::dtau(x).apply(y));
    sample.compare("dtauinv_x_y", &R::dtau_inv(x).apply(y));
    sample.compare("dtauinvL_x_y", &R::dtau_left_inv(x).apply(y));

    // Not in the data, but implied by them.
    sample.compare("x", &R::tau_inv(R::tau(x)));
    sample.compare("y", &R::dtau_left(x).apply(sample.column("dtauinvL_x_y")));
    let pairing = R::dtau_inv_star(x, x).dot(y) - x.dot(sample.column("dtauinv_x_y"));
    assert!(pairing.abs() <= TOLERANCE * (1.0 + x.dot(x)), "{}: {pairing:e}", sample.label);
}

fn check_tau<const N: usize, G>(tau: &str, sample: &Sample<'_>, matrix: fn(G) -> Vec<f64>)
where
    G: Group<Scalar = f64, Algebra = [f64; N], Operator = [[f64; N]; N]>,
    Exp: Retraction<G>,
    Cayley: Retraction<G>,
    Ccsk: Retraction<G>,
{
    match tau {
        "exp" => check::<N, G, Exp>(sample, matrix),
        "cay" => check::<N, G, Cayley>(sample, matrix),
        "ccsk" => check::<N, G, Ccsk>(sample, matrix),
        "exp1" => check::<N, G, Exp1>(sample, matrix),
        "exp2" => check::<N, G, Exp2>(sample, matrix),
        "exp4" => check::<N, G, Exp4>(sample, matrix),
        other => panic!("{}: unknown retraction {other}", sample.label),
    }
}

fn plane(g: SE2<f64>) -> Vec<f64> {
    let (sin, cos) = g.theta.sin_cos();
    vec![cos, -sin, g.x, sin, cos, g.y, 0.0, 0.0, 1.0]
}

pub(crate) fn rotation(g: SO3<f64>) -> Vec<f64> {
    g.0.as_flattened().to_vec()
}

pub(crate) fn space(g: SE3<f64>) -> Vec<f64> {
    let rows = g.rotation.0.iter().zip(g.position);
    let upper = rows.flat_map(|(row, p)| row.iter().copied().chain([p]));
    upper.chain([0.0, 0.0, 0.0, 1.0]).collect()
}

#[test]
fn the_maps_of_all_groups() {
    let file = golden("group_maps");
    let samples = file["samples"].as_array().unwrap();
    let mut seen = Vec::new();
    for (i, data) in samples.iter().enumerate() {
        let (group, tau) = (data["group"].as_str().unwrap(), data["tau"].as_str().unwrap());
        let sample = Sample { data, label: format!("sample {i}, {group} {tau}") };
        match group {
            "SO(3)" => check_tau::<3, SO3<f64>>(tau, &sample, rotation),
            "SE(2)" => check_tau::<3, SE2<f64>>(tau, &sample, plane),
            "SE(3)" => check_tau::<6, SE3<f64>>(tau, &sample, space),
            other => panic!("{}: unknown group {other}", sample.label),
        }
        seen.push((group, tau));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 3 * 6, "every group with every retraction");
}
