//! Linear systems whose states have names.

use crate::discrete::entry;
use crate::riccati::optimal;
use crate::{Lqr, LqrError};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use nalgebra::DMatrix;
use nhi_runtime::{Differentiable, Simulation, Tangential};

/// Entries of matrices below this, relative to the largest one, are zero.
const ZERO_BELOW: f64 = 1e-9;

/// δx' = A δx + B δu.
#[derive(Clone, PartialEq, Debug)]
pub struct Linear {
    /// Names of the entries of δx.
    pub names: Vec<String>,
    /// A, states × states.
    pub a: DMatrix<f64>,
    /// B, states × inputs.
    pub b: DMatrix<f64>,
}

impl Linear {
    /// The derivatives of the step just taken, by x = (q, ν, z) and u. Entries have the names of velocities, `nu[0]` and so on, and
    /// those of auxiliary states.
    ///
    /// # Errors
    /// Those of [`Simulation::linearize`].
    pub fn of<S: Tangential, M: Differentiable<S>>(
        sim: &Simulation<S, M>,
    ) -> Result<Self, nhi_runtime::Error> {
        let step = sim.linearize()?;
        let (rows_a, rows_b) = (step.a.as_ref(), step.b.as_ref());
        let size = rows_a.len();
        Ok(Linear {
            names: (0..size).map(entry::<S>).collect(),
            a: DMatrix::from_fn(size, size, |i, j| rows_a[i].as_ref()[j]),
            b: DMatrix::from_fn(size, S::INPUTS.len(), |i, j| rows_b[i].as_ref()[j]),
        })
    }

    /// The same without entries: at a relative equilibrium the cyclic coordinates, on which nothing else depends, and what stays as
    /// it is, such as the speed of a bicycle that is steered only.
    ///
    /// # Errors
    /// [`LqrError::NoEntry`] for a name that is none; [`LqrError::Coupled`] for an entry that the others change, and on which one of
    /// them depends.
    pub fn without(&self, names: &[&str]) -> Result<Self, LqrError> {
        let place = |name: &&str| {
            let place = self.names.iter().position(|other| other == name);
            place.ok_or_else(|| LqrError::NoEntry { name: (*name).to_owned(), names: self.names.clone() })
        };
        let left: Vec<usize> = names.iter().map(place).collect::<Result<_, _>>()?;
        let kept: Vec<usize> = (0..self.names.len()).filter(|i| !left.contains(i)).collect();
        let depends = |i: usize, j: usize| self.a[(i, j)].abs() > ZERO_BELOW * self.a.amax();
        let moved_by_inputs = |i: usize| self.b.row(i).amax() > ZERO_BELOW * self.b.amax();
        // Entries that are left out, and on which those that stay depend, directly or through others that are left out.
        let (mut needed, mut others) = (kept.clone(), left);
        while let Some(at) = others.iter().position(|&j| needed.iter().any(|&i| depends(i, j))) {
            let j = others.swap_remove(at);
            if moved_by_inputs(j) || kept.iter().any(|&i| depends(j, i)) {
                let dependent = needed.iter().find(|&&i| depends(i, j)).map_or(j, |&i| i);
                let [name, dependent] = [j, dependent].map(|i| self.names[i].clone());
                return Err(LqrError::Coupled { name, dependent });
            }
            needed.push(j);
        }
        Ok(Linear {
            names: kept.iter().map(|&i| self.names[i].clone()).collect(),
            a: DMatrix::from_fn(kept.len(), kept.len(), |i, j| self.a[(kept[i], kept[j])]),
            b: DMatrix::from_fn(kept.len(), self.b.ncols(), |i, j| self.b[(kept[i], j)]),
        })
    }

    /// The optimal feedback for the cost Σ δxᵀQ δx + δuᵀR δu over all steps.
    ///
    /// # Errors
    /// As [`lqr`](crate::lqr), with the names of the entries.
    pub fn lqr(&self, q: &DMatrix<f64>, r: &DMatrix<f64>) -> Result<Lqr, LqrError> {
        optimal((&self.a, &self.b), q, r, &|i| self.names[i].clone())
    }
}
