//! Monodromy of the contact oscillator (McLachlan & Perlmutter 2006, section 5.1): what a method does
//! to an orbit in one period of its y-motion.
//!
//! y decouples from x and z and moves as in the leapfrog method: with h = 2 sin(π/N) it returns
//! exactly after N steps. What the N steps do to (x, z, ẋ, ż) meanwhile is linear. A method keeps the
//! quasi-periodic orbits if its time-N map has one eigenvalue 1 and two on the unit circle. Methods
//! that reflect the momentum have a dimension more, and an eigenvalue more: (−1)ᴺ for RATTLE, which
//! is no motion of the oscillator but the parasitic mode of the reflection.

use nalgebra::{Complex, DMatrix};
use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, assert_digits, save};
use nhi_runtime::prelude::*;
use nhi_runtime::{Failure, Method, State};
use std::f64::consts::PI;

/// Isotropic oscillator of unit mass and stiffness, constrained to dx + y dz = 0.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2)/2,
    constraints(dx + y*dz = 0),
    methods(Dla1, Dla1Adjoint, Dla2, DlaRattle, Rattle, GniEulerA, GniEulerB),
)]
pub struct ContactOscillator;

/// The matrix of N steps with h = 2 sin(π/N) along y = a sin t, on (x, z, ż) and, for a method whose
/// velocity after the reflection is not on the constraint manifold, ẋ. The map is linear, so that its
/// columns are the images of the basis vectors.
fn monodromy<M: Method<ContactOscillator>>(
    method: M,
    dimension: usize,
    n: u32,
    a: f64,
) -> Result<DMatrix<f64>, Failure> {
    let h = 2.0 * (PI / f64::from(n)).sin();
    let prepared = method.prepare(&[], h)?;
    let mut matrix = DMatrix::identity(dimension, dimension);
    for mut column in matrix.column_iter_mut() {
        let dx = if dimension == 4 { column[3] } else { 0.0 };
        let (q, v) = ([column[0], 0.0, column[1]], [dx, a, column[2]]);
        let mut state = method.state(&[], h, &q, (&v, &v), &[0.0], &[], 0.0)?;
        for k in 0..n {
            state = method.step(&prepared, &state, f64::from(k) * h, &[])?;
        }
        let (q, (_, v)) = (state.q(), state.jump());
        column.copy_from_slice(&[q[0], q[2], v[2], v[0]][..dimension]);
    }
    Ok(matrix)
}

/// Eigenvalues of a monodromy matrix.
#[derive(Clone, Debug)]
struct Eigenvalues {
    method: &'static str,
    /// The real ones, descending.
    real: Vec<f64>,
    /// The one above the real axis.
    complex: Complex<f64>,
}

/// The eigenvalues of every method.
fn eigenvalues(n: u32, a: f64) -> Result<Vec<Eigenvalues>, Failure> {
    let split = |method, matrix: DMatrix<f64>| {
        let mut all: Vec<Complex<f64>> = matrix.complex_eigenvalues().iter().copied().collect();
        all.sort_by(|a, b| b.im.total_cmp(&a.im));
        // A conjugate pair encloses the real ones.
        let mut real: Vec<f64> = all[1..all.len() - 1].iter().map(|z| z.re).collect();
        real.sort_by(|a, b| b.total_cmp(a));
        Eigenvalues { method, real, complex: all[0] }
    };
    Ok(vec![
        split("dla2", monodromy(Dla2, 3, n, a)?),
        split("dla_rattle", monodromy(DlaRattle, 3, n, a)?),
        split("dla1", monodromy(Dla1, 3, n, a)?),
        split("dla1_adjoint", monodromy(Dla1Adjoint, 3, n, a)?),
        split("rattle", monodromy(Rattle, 4, n, a)?),
        split("gni_euler_a", monodromy(GniEulerA, 4, n, a)?),
        split("gni_euler_b", monodromy(GniEulerB, 4, n, a)?),
    ])
}

/// N, a, method; the real eigenvalues, modulus and argument/π of the complex pair, as an independent
/// implementation of the methods found them. `-` where it was not asked.
type Expected = (u32, f64, &'static str, &'static [&'static str], &'static str, &'static str);

const EXPECTED: &[Expected] = &[
    (20, 1.0, "dla2", &["1.0000000000"], "1.0000000000", "0.82328"),
    (20, 1.0, "dla_rattle", &["1.0000000000"], "1.0000000000", "0.83049"),
    (20, 1.0, "dla1", &["0.74941"], "0.96685", "0.82929"),
    (20, 1.0, "dla1_adjoint", &["1.33439"], "1.03429", "0.82929"),
    (20, 1.0, "rattle", &["1.0000000000", "1.0000000000"], "1.0000000000", "0.82911"),
    (20, 1.0, "gni_euler_a", &["2.6591", "0.97499"], "0.62105", "0.82203"),
    (20, 1.0, "gni_euler_b", &["1.02565", "0.37606"], "1.61017", "0.82203"),
    (21, 1.0, "dla2", &["1.0000000000"], "1.0000000000", "-"),
    (21, 1.0, "dla_rattle", &["1.0000000000"], "1.0000000000", "-"),
    (21, 1.0, "dla1", &["0.76006"], "0.96852", "-"),
    (21, 1.0, "dla1_adjoint", &["1.31569"], "1.03250", "-"),
    (21, 1.0, "rattle", &["1.0000000000", "-1.0000000000"], "1.0000000000", "-"),
    (21, 1.0, "gni_euler_a", &["0.97608", "-2.5403"], "0.63506", "-"),
    (21, 1.0, "gni_euler_b", &["1.02450", "-0.39365"], "1.57467", "-"),
    (40, 2.0, "dla2", &["1.0000000000"], "1.0000000000", "0.77087"),
    (40, 2.0, "dla1", &["0.67476"], "0.97432", "-"),
    (40, 2.0, "rattle", &["1.0000000000", "1.0000000000"], "1.0000000000", "0.76993"),
    (40, 2.0, "gni_euler_a", &["1.6363", "0.97904"], "0.79008", "-"),
];

fn check(n: u32, a: f64, found: &[Eigenvalues]) {
    for &(_, _, method, real, modulus, argument) in EXPECTED.iter().filter(|row| (row.0, row.1) == (n, a)) {
        let what = format!("{method} at N = {n}, a = {a}");
        let found = found.iter().find(|row| row.method == method).expect("a method of the table");
        assert_eq!(found.real.len(), real.len(), "{what}: number of real eigenvalues");
        for (value, printed) in found.real.iter().zip(real) {
            assert_digits(&format!("real eigenvalue of {what}"), *value, printed);
        }
        assert_digits(&format!("modulus of the pair of {what}"), found.complex.norm(), modulus);
        if argument != "-" {
            assert_digits(&format!("argument/π of the pair of {what}"), found.complex.arg() / PI, argument);
        }
    }
}

/// The eigenvalues in the complex plane, beside the unit circle.
fn panel(n: u32, a: f64, found: &[Eigenvalues]) -> Panel {
    let circle = (0..=180).map(|k| (f64::from(k) * PI / 90.0).sin_cos()).map(|(sin, cos)| (cos, sin));
    let circle =
        Series { name: String::new(), colour: COLOURS[6], mark: Mark::Line(1), points: circle.collect() };
    // Those that coincide are drawn as rings around one another.
    let eigenvalues = found.iter().zip(COLOURS).zip((3..=9).rev()).map(|((row, colour), radius)| {
        let Complex { re, im } = row.complex;
        let real = row.real.iter().map(|&x| (x, 0.0));
        Series {
            name: row.method.to_owned(),
            colour,
            mark: Mark::Rings(radius),
            points: real.chain([(re, im), (re, -im)]).collect(),
        }
    });
    Panel {
        title: format!("N = {n}, a = {a}"),
        labels: ("Re", "Im"),
        ranges: (-2.9..2.9, -2.9..2.9),
        logarithmic: (false, false),
        legend: SeriesLabelPosition::UpperLeft,
        series: [circle].into_iter().chain(eigenvalues).collect(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut panels = Vec::new();
    for (n, a) in [(20, 1.0), (21, 1.0), (40, 2.0)] {
        println!("N = {n}, a = {a}, h = {:.5}", 2.0 * (PI / f64::from(n)).sin());
        let found = eigenvalues(n, a)?;
        for Eigenvalues { method, real, complex } in &found {
            let real: Vec<String> = real.iter().map(|x| format!("{x:9.5}")).collect();
            let (modulus, argument) = (complex.norm(), complex.arg() / PI);
            println!("  {method:<13} {:<21} {modulus:.5} exp(±{argument:.5} π i)", real.join(", "));
        }
        check(n, a, &found);
        panels.push(panel(n, a, &found));
    }
    println!("figure: {}", save("monodromy.svg", &panels, 3, (520, 510))?.display());
    Ok(())
}

#[test]
fn eigenvalues_are_the_expected_ones() {
    for (n, a) in [(20, 1.0), (21, 1.0), (40, 2.0)] {
        check(n, a, &eigenvalues(n, a).unwrap());
    }
}

/// N steps of the adjoint method are the inverse of N steps back along the same y-motion.
#[test]
fn adjoint_methods_have_reciprocal_eigenvalues() {
    let found = eigenvalues(20, 1.0).unwrap();
    let modulus = |method| {
        let row = found.iter().find(|row| row.method == method).unwrap();
        row.complex.norm()
    };
    for (a, b) in [("dla1", "dla1_adjoint"), ("gni_euler_a", "gni_euler_b")] {
        assert!((modulus(a) * modulus(b) - 1.0).abs() < 1e-12, "{a}, {b}");
    }
}
