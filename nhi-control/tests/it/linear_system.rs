//! Linear systems.

use nalgebra::{DMatrix, DVector};
use nhi_control::{Dynamics, Sizes};
use nhi_runtime::Failure;

/// x' = A x + B u, with other matrices in every step.
pub(crate) struct Linear(pub(crate) Vec<(DMatrix<f64>, DMatrix<f64>)>);

impl Dynamics for Linear {
    type State = DVector<f64>;

    fn sizes(&self) -> Sizes {
        Sizes { states: self.0[0].0.nrows(), inputs: self.0[0].1.ncols() }
    }

    fn step(&self, k: usize, x: &DVector<f64>, u: &[f64]) -> Result<DVector<f64>, Failure> {
        let (a, b) = &self.0[k];
        Ok(a * x + b * DVector::from_column_slice(u))
    }

    fn linearize(&self, k: usize, _: &DVector<f64>, _: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        let (a, b) = &self.0[k];
        let n = a.ncols() + b.ncols();
        for (i, row) in ab.chunks_exact_mut(n).enumerate() {
            a.row(i).iter().chain(b.row(i).iter()).zip(row).for_each(|(&x, to)| *to = x);
        }
        Ok(())
    }

    fn curvature(
        &self,
        _: usize,
        _: &DVector<f64>,
        _: &[f64],
        _: &[f64],
        _: &mut [f64],
    ) -> Result<(), Failure> {
        Ok(())
    }

    fn retract(&self, x: &DVector<f64>, delta: &[f64]) -> DVector<f64> {
        x + DVector::from_column_slice(delta)
    }

    fn difference(&self, from: &DVector<f64>, to: &DVector<f64>, delta: &mut [f64]) {
        delta.copy_from_slice((to - from).as_slice());
    }
}
