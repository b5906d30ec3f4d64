//! Poincaré sections of the perturbed contact oscillator (McLachlan & Perlmutter 2006, section 5.2):
//! invariant circles that break up as the coupling ε grows.
//!
//! The y-motion is a harmonic oscillator of its own. With h = 2 sin(π/N) the method gives it the
//! period N steps exactly, so the section ẏ = 0, ÿ > 0 is every N-th state. On the energy level
//! H = 3/2 with y² + ẏ² = 1 the section is a sphere in (x, z, ż); the figure shows its half x > 0.

use nalgebra::DMatrix;
use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, save};
use nhi_runtime::Error;
use nhi_runtime::prelude::*;
use std::f64::consts::PI;

/// Contact oscillator with the additional potential ε x² z² / 2.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2 + eps*x^2*z^2)/2,
    constraints(dx + y*dz = 0),
    methods(Dla2),
)]
pub struct PerturbedOscillator {
    /// Strength ε of the coupling.
    pub eps: f64,
}

/// Steps per iterate of the map.
const N: usize = 40;
const ENERGY: f64 = 1.5;
/// Iterates of each start in the figure.
const DRAWN: usize = 400;

impl PerturbedOscillator {
    /// The point (x, z, ż) of the section with x > 0 at given z, ż.
    fn point(self, z: f64, dz: f64) -> [f64; 3] {
        // At y = −1, ẏ = 0 the constraint is ẋ = ż, and 2H = 2ż² + 1 + x² + z² + ε x² z².
        let x2 = (2.0 * ENERGY - 1.0 - 2.0 * dz * dz - z * z) / (1.0 + self.eps * z * z);
        [x2.sqrt(), z, dz]
    }

    /// `iterates` points (x, z, ż) of the map from `start`, and the largest energy error on the way.
    fn orbit(self, [x, z, dz]: [f64; 3], iterates: usize) -> Result<(Vec<[f64; 3]>, f64), Error> {
        let h = 2.0 * (PI / N as f64).sin();
        let mut simulation = Simulation::new(self, Dla2, [x, -1.0, z], [dz, 0.0, dz], h)?;
        let (mut points, mut error) = (Vec::with_capacity(iterates), 0.0f64);
        for sample in simulation.samples(N).take(iterates) {
            let sample = sample?;
            error = error.max((sample.energy - ENERGY).abs());
            points.push([sample.q[0], sample.q[2], sample.v[2]]);
        }
        Ok((points, error))
    }

    /// Distance after `iterates` of the map of two orbits that start 1e-9 apart.
    fn separation(self, z: f64, iterates: usize) -> Result<f64, Error> {
        let end = |z| self.orbit(self.point(z, 0.0), iterates + 1).map(|(points, _)| points[iterates]);
        let (a, b) = (end(z)?, end(z + 1e-9)?);
        Ok(a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt())
    }
}

/// Extent of a cloud of points across the plane that fits it best.
fn thickness(points: &[[f64; 3]]) -> f64 {
    let matrix = DMatrix::from_fn(points.len(), 3, |i, j| points[i][j]);
    let mean = matrix.row_mean();
    let centred = DMatrix::from_fn(points.len(), 3, |i, j| matrix[(i, j)] - mean[j]);
    centred.singular_values().min() / (points.len() as f64).sqrt()
}

/// z at ż = 0 where the orbits of the figure start.
const STARTS: [f64; 9] = [-1.35, -1.1, -0.75, -0.4, 0.0, 0.3, 0.6, 0.95, 1.2];

/// What is true of `iterates` of the map, as messages for what is not.
fn check(iterates: usize) -> Result<(), Error> {
    for eps in [0.0, 0.1, 0.3, 1.0] {
        let oscillator = PerturbedOscillator { eps };
        for z in STARTS {
            let (_, error) = oscillator.orbit(oscillator.point(z, 0.0), iterates)?;
            let bound = 0.006 * (1.0 + 2.0 * eps);
            assert!(error < bound, "ε = {eps}, z = {z}: energy error below {bound} expected, {error} found");
        }
    }
    // ε = 0: the map is linear with an eigenvalue 1, so an orbit lies in a plane, and being conjugate to
    // a rotation, on an ellipse in it. Neighbours stay neighbours.
    let oscillator = PerturbedOscillator { eps: 0.0 };
    for z in STARTS {
        let (points, _) = oscillator.orbit(oscillator.point(z, 0.0), iterates)?;
        let thickness = thickness(&points);
        assert!(thickness < 1e-11, "ε = 0, z = {z}: a plane orbit expected, it is {thickness} thick");
        let separation = oscillator.separation(z, iterates)?;
        assert!(separation < 1e-8, "ε = 0, z = {z}: separation at the start 1e-9, at the end {separation}");
    }
    // ε = 1: an island and the chaotic sea around it.
    let oscillator = PerturbedOscillator { eps: 1.0 };
    let (island, sea) = (oscillator.separation(1.2, iterates)?, oscillator.separation(0.6, iterates)?);
    assert!(island < 1e-6, "ε = 1, z = 1.2: neighbours that stay together expected, {island} apart");
    assert!(sea > 1e-2, "ε = 1, z = 0.6: chaos expected, neighbours {sea} apart");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let iterates = 1500;
    let mut panels = Vec::new();
    for eps in [0.0, 0.1, 0.3, 1.0] {
        let oscillator = PerturbedOscillator { eps };
        println!("ε = {eps}: z at the start, largest energy error, separation from 1e-9, thickness");
        let mut series = Vec::new();
        for (k, z) in STARTS.into_iter().enumerate() {
            let (points, error) = oscillator.orbit(oscillator.point(z, 0.0), iterates)?;
            let separation = oscillator.separation(z, iterates)?;
            println!("  {z:5.2}  {error:.2e}  {separation:.2e}  {:.2e}", thickness(&points));
            series.push(Series {
                name: String::new(),
                colour: COLOURS[k % COLOURS.len()],
                mark: Mark::Dots(1),
                points: points.iter().take(DRAWN).filter(|p| p[0] > 0.0).map(|p| (p[1], p[2])).collect(),
            });
        }
        panels.push(Panel {
            title: format!("ε = {eps}"),
            labels: ("z", "dz/dt"),
            ranges: (-1.5..1.5, -1.1..1.1),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperLeft,
            series,
        });
    }
    check(400)?;
    println!("figure: {}", save("poincare.svg", &panels, 2, (620, 520))?.display());
    Ok(())
}

#[test]
fn circles_and_chaos() {
    check(200).unwrap();
}
