//! Systems in discrete time.

use crate::dense::set_identity;
use alloc::string::String;
use alloc::vec::Vec;
use nhi_runtime::Failure;

/// How many numbers a step maps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// NX, the length of tangent vectors of states.
    pub states: usize,
    /// K, the number of inputs, which are held over a step.
    pub inputs: usize,
}

/// A system in discrete time, x' = F(x, u), whose states may be points of a manifold: x ⊕ δ is the state that is displaced by
/// the tangent vector δ, and y ⊖ x the tangent vector with x ⊕ (y ⊖ x) = y.
///
/// Matrices are slices, row after row. Derivatives by (x, u) have NX + K entries, those by x first. Steps are numbered from 0.
pub trait Dynamics {
    /// A state x.
    type State: Clone;

    /// [`Dynamics::sizes`] where all systems of this type have the same: the linear algebra of stages is compiled for them then.
    const SIZES: Option<Sizes> = None;

    /// NX and K, the same for all steps.
    fn sizes(&self) -> Sizes;

    /// What the entry `i` of a tangent vector displaces, such as `theta`.
    fn entry(&self, i: usize) -> String {
        format!("x[{i}]")
    }

    /// Momenta before step `k`, by name, with their derivatives by the state, covectors of tangent vectors: what
    /// [`Status::dependent`](crate::Status::dependent) is named by where no inputs change them. By default none.
    fn momenta(&self, _k: usize, _x: &Self::State) -> Vec<(String, Vec<f64>)> {
        Vec::new()
    }

    /// The state after step `k` with the inputs `u`.
    ///
    /// # Errors
    /// A step that cannot be taken, or that a simulation refuses. The planner shortens what led there.
    fn step(&self, k: usize, x: &Self::State, u: &[f64]) -> Result<Self::State, Failure>;

    /// Appends to `states` those after each of the first `steps` steps from `x`, whose inputs follow one another in `inputs`. A
    /// system may take the steps as a simulation does, with states that are those of [`Dynamics::step`] up to rounding.
    ///
    /// # Errors
    /// The number of a step that cannot be taken, and why.
    fn motion(
        &self,
        steps: usize,
        x: &Self::State,
        inputs: &[f64],
        states: &mut Vec<Self::State>,
    ) -> Result<(), (usize, Failure)> {
        let (count, mut x) = (self.sizes().inputs, x.clone());
        for k in 0..steps {
            x = self.step(k, &x, &inputs[k * count..(k + 1) * count]).map_err(|cause| (k, cause))?;
            states.push(x.clone());
        }
        Ok(())
    }

    /// Sets `ab` to (A, B) = (∂x'/∂x, ∂x'/∂u), NX × (NX + K).
    ///
    /// # Errors
    /// Those of the step.
    fn linearize(&self, k: usize, x: &Self::State, u: &[f64], ab: &mut [f64]) -> Result<(), Failure>;

    /// Adds to `hessian` the second derivatives of w·(F(x ⊕ δ, u + υ) ⊖ F(x, u)) by (δ, υ) at zero, symmetric,
    /// (NX + K) × (NX + K).
    ///
    /// # Errors
    /// Those of the step.
    fn curvature(
        &self,
        k: usize,
        x: &Self::State,
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure>;

    /// [`Dynamics::linearize`], and [`Dynamics::curvature`] if there is a `w`: a system may share between them what both need.
    ///
    /// # Errors
    /// Those of the step.
    fn differentiate(
        &self,
        k: usize,
        x: &Self::State,
        u: &[f64],
        w: Option<&[f64]>,
        (ab, hessian): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        self.linearize(k, x, u, ab)?;
        w.map_or(Ok(()), |w| self.curvature(k, x, u, w, hessian))
    }

    /// x ⊕ δ.
    fn retract(&self, x: &Self::State, delta: &[f64]) -> Self::State;

    /// Sets `delta` to `to` ⊖ `from`.
    fn difference(&self, from: &Self::State, to: &Self::State, delta: &mut [f64]);

    /// Sets `jacobian` to the first derivatives of (`to` ⊕ δ) ⊖ `from` by δ, NX × NX, and adds to `hessian` the second ones of
    /// w·((`to` ⊕ δ) ⊖ `from`), NX × NX. By default those of a vector space: the identity, and nothing.
    fn difference_derivatives(
        &self,
        _from: &Self::State,
        _to: &Self::State,
        _w: &[f64],
        jacobian: &mut [f64],
        _hessian: &mut [f64],
    ) {
        set_identity(jacobian, self.sizes().states);
    }

    /// Whether ⊕ is an addition, so that [`Dynamics::difference_derivatives`] are those of a vector space.
    fn is_flat(&self) -> bool {
        true
    }
}
