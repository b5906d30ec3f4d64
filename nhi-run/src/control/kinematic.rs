//! Admissible velocities as inputs: what [`nhi_control::Kinematic`] is for systems that rustc compiles.

use super::steps::{At, State};
use crate::{Error, System};
use nalgebra::DMatrix;
use nhi_control::Sizes;
use nhi_jit::{Formulas, Manifold, Point};
use nhi_runtime::{Dual, Failure, Scalar};

/// Iterations of the mid-point, at most. They converge as powers of the step size times the derivatives of the basis.
const ITERATIONS: usize = 60;

/// The difference of two iterations, relative to the largest entry, at which they end.
const CONVERGED: f64 = 4.0 * f64::EPSILON;

/// Directions in which derivatives are taken at once.
const LANES: usize = 4;

/// Numbers with first derivatives in [`LANES`] directions, second ones in these and another one.
type Second = Dual<Dual<f64, LANES>>;

/// Steps of the mid-point rule, whose inputs are the quasi-velocities ν:
///
/// ```text
/// q' = q ⊕ ξ,   ξ = h (X(q̄) ν + v₀(q̄)),   q̄ = q ⊕ ½ξ.
/// ```
#[derive(Clone)]
pub(super) struct Kinematic {
    /// X(q) ν + v₀(q) and its derivatives.
    velocity: Formulas,
    pub(super) manifold: Manifold,
    pub(super) sizes: Sizes,
    names: Vec<String>,
    /// Auxiliary states and inputs of the system, which are zero.
    zeros: [Vec<f64>; 2],
}

fn lifted(numbers: &[f64]) -> Vec<Second> {
    numbers.iter().map(|&x| Second::from_f64(x)).collect()
}

impl Kinematic {
    pub(super) fn new(system: &System) -> Result<Kinematic, Error> {
        let names = system.velocities().to_vec();
        let texts: Vec<String> = (0..names.len()).map(|i| system.velocity_text(i)).collect();
        let called: Vec<(&str, &str)> =
            names.iter().zip(&texts).map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let [_, d] = system.basis()?.sizes();
        Ok(Kinematic {
            velocity: system.formulas(&called)?,
            manifold: system.manifold(),
            sizes: Sizes { states: names.len(), inputs: d },
            names,
            zeros: [system.states(), system.inputs()].map(|names| vec![0.0; names.len()]),
        })
    }

    /// What an entry of a tangent vector displaces.
    pub(super) fn entry(&self, i: usize) -> String {
        self.names[i].clone()
    }

    /// Where functions of a configuration are evaluated.
    pub(super) fn point<'a>(&'a self, (parameters, t): At<'a>, q: &'a [f64]) -> Point<'a> {
        let [z, inputs] = &self.zeros;
        Point { parameters, q, v: &[], z, t, inputs }
    }

    /// v = X ν + v₀.
    pub(super) fn velocity(&self, at: At<'_>, q: &[f64], nu: &[f64]) -> Result<Vec<f64>, Failure> {
        self.velocity.value(&self.point(at, q), nu)
    }

    /// ξ of a step of size `h`.
    fn moved(&self, (parameters, t): At<'_>, h: f64, q: &[f64], nu: &[f64]) -> Result<Vec<f64>, Failure> {
        let middle = (parameters, t + 0.5 * h);
        let mut xi = vec![0.0; self.sizes.states];
        for _ in 0..ITERATIONS {
            let v = self.velocity(middle, &self.manifold.displaced(q, &scaled(0.5, &xi)), nu)?;
            let last = std::mem::replace(&mut xi, scaled(h, &v));
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (x, y) in xi.iter().zip(&last) {
                change = change.max((x - y).abs());
                size = size.max(x.abs());
            }
            if change <= CONVERGED * size {
                return Ok(xi);
            }
        }
        Err(Failure::NotConverged)
    }

    /// The state after a step of size `h`.
    pub(super) fn step(&self, at: At<'_>, h: f64, x: &State, nu: &[f64]) -> Result<State, Failure> {
        let q = self.manifold.displaced(&x.q, &self.moved(at, h, &x.q, nu)?);
        Ok(State { q, nu: Vec::new(), z: Vec::new() })
    }

    /// Sets `jacobian` to the derivatives of q' by (q, ν), and adds the second ones of w·q' to `hessian` if there is a w.
    ///
    /// ξ is the solution of an equation whose derivatives at a displaced (q, ν) follow by two steps of Newton's method with the
    /// matrix of the one that is not displaced: each makes derivatives of one order more exact.
    pub(super) fn differentiate(
        &self,
        at: At<'_>,
        h: f64,
        x: &State,
        nu: &[f64],
        w: Option<&[f64]>,
        (jacobian, hessian): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let Sizes { states: n, inputs: d } = self.sizes;
        let m = n + d;
        let xi = self.moved(at, h, &x.q, nu)?;
        let half = scaled(0.5, &xi);
        let (middle, after) = (self.manifold.displaced(&x.q, &half), self.manifold.displaced(&x.q, &xi));
        let point = self.point((at.0, at.1 + 0.5 * h), &middle);
        // Derivatives of velocities by (q, ν), which come first.
        let slopes = self.velocity.linearize(&point, nu)?.x;
        let slopes: Vec<&[f64]> = slopes.chunks(slopes.len() / n).map(|row| &row[..m]).collect();
        let seconds = match w {
            None => Vec::new(),
            Some(_) => (0..n)
                .map(|l| {
                    let mut weights = vec![0.0; n];
                    weights[l] = 1.0;
                    self.velocity.curvature(&point, nu, &weights)
                })
                .collect::<Result<Vec<_>, _>>()?,
        };
        // ∂(ξ − h v)/∂ξ.
        let columns: Vec<Vec<f64>> = (0..n).map(|i| self.manifold.moved(&x.q, &half, i)).collect();
        let matrix = DMatrix::from_fn(n, n, |l, i| {
            let along: f64 = slopes[l].iter().zip(&columns[i]).map(|(slope, by)| slope * by).sum();
            f64::from(u8::from(l == i)) - 0.5 * h * along
        });
        let inverse = matrix.try_inverse().ok_or(Failure::NonFinite)?;
        let velocity = scaled(1.0 / h, &xi);
        let expanded = |by: &[Second]| -> Vec<Second> {
            let value = |l: usize| {
                let mut sum = Second::from_f64(velocity[l]);
                for (&slope, &x) in slopes[l].iter().zip(by) {
                    sum = sum + Second::from_f64(slope) * x;
                }
                if let Some(second) = seconds.get(l) {
                    let columns = second.len().isqrt();
                    for (i, &x) in by.iter().enumerate() {
                        for (j, &y) in by.iter().enumerate() {
                            sum = sum + Second::from_f64(0.5 * second[i * columns + j]) * (x * y);
                        }
                    }
                }
                sum
            };
            (0..n).map(value).collect()
        };
        let number = Second::from_f64;
        for i in 0..m {
            for first in (0..=i).step_by(LANES) {
                let mut delta = vec![number(0.0); m];
                delta[i].eps[0].re = 1.0;
                for (lane, entry) in delta[first..].iter_mut().take(LANES).enumerate() {
                    entry.re.eps[lane] = 1.0;
                }
                let from = self.manifold.displaced(&lifted(&x.q), &delta[..n]);
                let mut xi = lifted(&xi);
                for _ in 0..2 {
                    let half: Vec<Second> = xi.iter().map(|&x| number(0.5) * x).collect();
                    let mut by =
                        self.manifold.displacement(&lifted(&middle), &self.manifold.displaced(&from, &half));
                    by.extend_from_slice(&delta[n..]);
                    let v = expanded(&by);
                    let residual: Vec<Second> = xi.iter().zip(v).map(|(&xi, v)| xi - number(h) * v).collect();
                    for (l, xi) in xi.iter_mut().enumerate() {
                        for (j, &residual) in residual.iter().enumerate() {
                            *xi = *xi - number(inverse[(l, j)]) * residual;
                        }
                    }
                }
                let end = self.manifold.displacement(&lifted(&after), &self.manifold.displaced(&from, &xi));
                for (l, end) in end.iter().enumerate() {
                    jacobian[l * m + i] = end.eps[0].re;
                    let Some(w) = w else { continue };
                    for (j, second) in (first..=i).zip(end.eps[0].eps) {
                        hessian[i * m + j] += w[l] * second;
                        if i != j {
                            hessian[j * m + i] += w[l] * second;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn scaled(factor: f64, x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| factor * x).collect()
}
