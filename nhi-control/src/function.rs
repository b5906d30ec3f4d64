//! Functions of a stage: costs, conditions and inequalities.

use crate::dense::with_scratch;
use crate::{Dynamics, PlanError, Sizes};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

/// States of more numbers are differentiated with allocations.
const STATES: usize = 32;
/// Numbers of matrices of states on groups, of which larger ones are allocated.
const MATRICES: usize = 300;

/// A function of state and inputs at stage k, with one value or several: a cost, conditions, or what inequalities bound.
///
/// At the last stage, N, there are no inputs: `u` is zero there, and derivatives by it do not count.
pub trait Function<D: Dynamics> {
    /// How many values there are; a cost has one.
    fn count(&self) -> usize;

    /// Whether its lists fit a system of these sizes. By default they do.
    ///
    /// # Errors
    /// What does not fit.
    fn check(&self, _sizes: Sizes) -> Result<(), PlanError> {
        Ok(())
    }

    /// Sets `out` to the values. What is not finite is an error of the problem that names the function.
    fn value(&self, dynamics: &D, k: usize, x: &D::State, u: &[f64], out: &mut [f64]);

    /// Sets `jacobian` to the derivatives of f(x ⊕ δ, u + υ) by (δ, υ) at zero, [`Function::count`] rows of NX + K entries, and
    /// adds to `hessian` the second derivatives of w·f, (NX + K) × (NX + K), symmetric.
    #[expect(clippy::too_many_arguments, reason = "a point, a covector and two results")]
    fn derivatives(
        &self,
        dynamics: &D,
        k: usize,
        x: &D::State,
        u: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    );
}

/// ½ Σ qᵢ (x ⊖ x̂)ᵢ² + ½ Σ rⱼ (u − û)ⱼ² with weights q, NX of them, and r, one for each input.
#[derive(Clone, Debug)]
pub struct Quadratic<X> {
    references: Vec<X>,
    state_weights: Vec<f64>,
    input_references: Vec<Vec<f64>>,
    input_weights: Vec<f64>,
}

impl<X> Quadratic<X> {
    /// ½ Σ rⱼ uⱼ².
    pub fn of_inputs(weights: &[f64]) -> Self {
        Quadratic {
            references: Vec::new(),
            state_weights: Vec::new(),
            input_references: Vec::new(),
            input_weights: weights.to_vec(),
        }
    }

    /// ½ Σ qᵢ (x ⊖ x̂)ᵢ².
    pub fn of_states(weights: &[f64], reference: X) -> Self {
        Quadratic::of_inputs(&[]).along(weights, vec![reference])
    }

    /// The same with deviations of states from a motion: `references[k]` at stage k, and the last one after the last.
    #[must_use]
    pub fn along(mut self, weights: &[f64], references: Vec<X>) -> Self {
        self.state_weights = if references.is_empty() { Vec::new() } else { weights.to_vec() };
        self.references = references;
        self
    }

    /// The same with deviations of inputs from `references[k]` at stage k.
    #[must_use]
    pub fn around(mut self, references: Vec<Vec<f64>>) -> Self {
        self.input_references = references;
        self
    }

    fn reference(&self, k: usize) -> Option<&X> {
        self.references.get(k).or(self.references.last())
    }

    fn input_reference(&self, k: usize, j: usize) -> f64 {
        let reference = self.input_references.get(k).or(self.input_references.last());
        reference.and_then(|u| u.get(j)).copied().unwrap_or(0.0)
    }
}

impl<D: Dynamics> Function<D> for Quadratic<D::State> {
    fn count(&self) -> usize {
        1
    }

    fn check(&self, sizes: Sizes) -> Result<(), PlanError> {
        let length = |what: &str, expected: usize, list: &[f64]| {
            let fits = list.is_empty() || list.len() == expected;
            let error = || PlanError::Length { what: what.to_owned(), expected, found: list.len() };
            if fits { Ok(()) } else { Err(error()) }
        };
        length("weights of states", sizes.states, &self.state_weights)?;
        length("weights of inputs", sizes.inputs, &self.input_weights)?;
        let mut references = self.input_references.iter();
        references.try_for_each(|reference| length("reference of inputs", sizes.inputs, reference))
    }

    fn value(&self, dynamics: &D, k: usize, x: &D::State, u: &[f64], out: &mut [f64]) {
        let mut sum = 0.0;
        if let Some(reference) = self.reference(k) {
            sum += with_scratch::<STATES, _, _>(dynamics.sizes().states, 0.0, |delta| {
                dynamics.difference(reference, x, delta);
                self.state_weights.iter().zip(&*delta).map(|(q, x)| q * x * x).sum::<f64>()
            });
        }
        for (j, (r, u)) in self.input_weights.iter().zip(u).enumerate() {
            let by = u - self.input_reference(k, j);
            sum += r * by * by;
        }
        out[0] = 0.5 * sum;
    }

    fn derivatives(
        &self,
        dynamics: &D,
        k: usize,
        x: &D::State,
        u: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let nx = dynamics.sizes().states;
        let n = jacobian.len();
        jacobian.fill(0.0);
        if let Some(reference) = self.reference(k) {
            with_scratch::<STATES, _, _>(nx, 0.0, |forces| {
                // q (x ⊖ x̂)
                dynamics.difference(reference, x, forces);
                forces.iter_mut().zip(&self.state_weights).for_each(|(x, q)| *x *= q);
                if dynamics.is_flat() {
                    jacobian[..nx].copy_from_slice(forces);
                    for (i, q) in self.state_weights.iter().enumerate() {
                        hessian[i * (n + 1)] += w[0] * q;
                    }
                    return;
                }
                with_scratch::<MATRICES, _, _>(2 * nx * nx, 0.0, |both| {
                    let (first, second) = both.split_at_mut(nx * nx);
                    dynamics.difference_derivatives(reference, x, forces, first, second);
                    for ((force, q), row) in
                        forces.iter().zip(&self.state_weights).zip(first.chunks_exact(nx))
                    {
                        for i in 0..nx {
                            jacobian[i] += force * row[i];
                            for j in 0..nx {
                                second[i * nx + j] += q * row[i] * row[j];
                            }
                        }
                    }
                    for (to, row) in hessian.chunks_exact_mut(n).zip(second.chunks_exact(nx)) {
                        to.iter_mut().zip(row).for_each(|(to, x)| *to += w[0] * x);
                    }
                });
            });
        }
        for (j, (r, u)) in self.input_weights.iter().zip(u).enumerate() {
            jacobian[nx + j] = r * (u - self.input_reference(k, j));
            hessian[(nx + j) * (n + 1)] += w[0] * r;
        }
    }
}

/// Entries of x ⊖ `from`: for poses the logarithm log(g⁻¹g') of what moves `from` to x. As a condition it says that `from` is
/// reached, or these parts of it.
#[derive(Clone, Debug)]
pub struct Difference<X> {
    /// The state from which differences are taken.
    pub from: X,
    /// Entries of tangent vectors.
    pub entries: Vec<usize>,
}

impl<D: Dynamics> Function<D> for Difference<D::State> {
    fn count(&self) -> usize {
        self.entries.len()
    }

    fn check(&self, sizes: Sizes) -> Result<(), PlanError> {
        match self.entries.iter().find(|&&entry| entry >= sizes.states) {
            Some(&entry) => Err(PlanError::Entry { entry, count: sizes.states }),
            None => Ok(()),
        }
    }

    fn value(&self, dynamics: &D, _k: usize, x: &D::State, _u: &[f64], out: &mut [f64]) {
        with_scratch::<STATES, _, _>(dynamics.sizes().states, 0.0, |delta| {
            dynamics.difference(&self.from, x, delta);
            out.iter_mut().zip(&self.entries).for_each(|(out, &i)| *out = delta[i]);
        });
    }

    fn derivatives(
        &self,
        dynamics: &D,
        _k: usize,
        x: &D::State,
        u: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let nx = dynamics.sizes().states;
        let n = nx + u.len();
        jacobian.fill(0.0);
        if dynamics.is_flat() {
            jacobian.chunks_exact_mut(n).zip(&self.entries).for_each(|(row, &i)| row[i] = 1.0);
            return;
        }
        with_scratch::<MATRICES, _, _>((2 * nx + 1) * nx, 0.0, |scratch| {
            let (first, others) = scratch.split_at_mut(nx * nx);
            let (second, all) = others.split_at_mut(nx * nx);
            self.entries.iter().zip(w).for_each(|(&i, w)| all[i] += w);
            dynamics.difference_derivatives(&self.from, x, all, first, second);
            for (row, &i) in jacobian.chunks_exact_mut(n).zip(&self.entries) {
                row[..nx].copy_from_slice(&first[i * nx..(i + 1) * nx]);
            }
            for (to, row) in hessian.chunks_exact_mut(n).zip(second.chunks_exact(nx)) {
                to.iter_mut().zip(row).for_each(|(to, x)| *to += x);
            }
        });
    }
}
