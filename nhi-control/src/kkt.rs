//! The linear system of a Newton step of an optimal control problem, by a Riccati recursion over the stages.
//!
//! Stage k has the tangent vectors zₖ = (δxₖ, δuₖ), the last one δx alone, δx₀ is given, and the system is that of
//!
//! ```text
//! minimise    Σ ½ zₖᵀHₖzₖ + gₖᵀzₖ
//! subject to  δxₖ₊₁ = (A B)ₖ zₖ + eₖ                multipliers λₖ₊₁
//!             Cₖ zₖ + cₖ − Eₖ ν = 0                 multipliers ν, Eₖ ≥ 0 diagonal
//! ```
//!
//! The recursion carries the multipliers ν of later conditions to earlier stages: the value of what is left is
//!
//! ```text
//! Vₖ(δx, ν) = ½ δxᵀPδx + pᵀδx + νᵀ(Mδx + n) − ½ νᵀWν,
//! ```
//!
//! minimised over δu at each stage and made stationary over ν at the first one, where W is the Gramian of what inputs can do
//! about the conditions. This is the sweep of Bryson and Ho (*Applied Optimal Control*, 1975, section 5.3). Recursions that
//! solve the conditions by the last inputs (Laine and Tomlin, *Efficient computation of feedback control for equality-constrained
//! LQR*, 2019; FATROP: Vanroye, Sathya, De Schutter and Decré, 2023) need inputs of the order h⁻ᵖ, p the number of brackets
//! that a direction needs, and lose as many digits; W takes them from the whole motion. It costs the rows of M in addition.
//!
//! Where more conditions are carried than there are states, those that inputs of later stages can meet are solved at once, so
//! that conditions along the whole motion cost the same at each stage.
//!
//! Inertia: the matrix of the system has the negative eigenvalues of the matrices R + BᵀPB, those of −W, and one for each entry
//! of λ. The step minimises if that is one for each condition, so R + BᵀPB may be indefinite where W is as well: without its
//! end conditions a motion need not be a minimum.

use crate::dense::*;
use crate::{Dynamics, Sizes};
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;
use nalgebra::{DMatrix, SymmetricEigen};
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// Eigenvalues of W, scaled to a unit diagonal, below this are zero: no inputs change that combination of conditions. W is a
/// Gramian, so this is the square of a relative singular value.
const RANK_TOLERANCE: f64 = 1e-11;

/// Diagonal entries of W below this, relative to the largest one, are not scaled up.
const SCALE_FLOOR: f64 = 1e-8;

/// The least squared pivot, relative to its diagonal entry, with which conditions are solved before the first stage.
const EARLY_PIVOT: f64 = 1e-4;

/// Pivots of R + BᵀPB below this, relative to the largest eigenvalue, are zero.
const INPUT_TOLERANCE: f64 = 1e-13;

/// Corrections of a solution by its residual, at most.
const REFINEMENTS: usize = 2;

/// A residual, relative to the largest term, that needs no correction.
const REFINED: f64 = 1e-11;

/// Data of one stage, to be set. Lengths: n = NX + K; m own conditions.
#[derive(Debug)]
pub(crate) struct Stage<'s> {
    /// (A B), NX × n.
    pub(crate) ab: &'s mut [f64],
    /// H, n × n, symmetric.
    pub(crate) hessian: &'s mut [f64],
    /// g, n.
    pub(crate) gradient: &'s mut [f64],
    /// e, NX.
    pub(crate) defect: &'s mut [f64],
    /// C, m × n.
    pub(crate) conditions: &'s mut [f64],
    /// c, m.
    pub(crate) residual: &'s mut [f64],
    /// The diagonal of E, m.
    pub(crate) compliance: &'s mut [f64],
}

/// What one stage has for the ρ conditions that are carried there, those of later stages and its own.
#[derive(Clone, Debug, Default)]
struct Conditions {
    /// Their global numbers.
    numbers: Vec<usize>,
    /// Kν, K × ρ.
    multiplier_gain: Vec<f64>,
    /// Their columns of inputs, ρ × K.
    by_inputs: Vec<f64>,
    /// M, ρ × NX.
    rows: Vec<f64>,
    /// W⁻¹ if they are solved here, ρ × ρ, else empty.
    solved: Vec<f64>,
    /// n of a solution.
    n: Vec<f64>,
}

/// The sizes with which the recursion is compiled.
trait Shape {
    /// Those of a system, given that they are `sizes`.
    fn of(sizes: Sizes) -> Sizes;
}

/// Those that a system is found to have.
struct AtRunTime;

impl Shape for AtRunTime {
    #[inline(always)]
    fn of(sizes: Sizes) -> Sizes {
        sizes
    }
}

/// Those that all systems of a type have, as constants.
struct Constant<D>(PhantomData<D>);

impl<D: Dynamics> Shape for Constant<D> {
    #[inline(always)]
    fn of(sizes: Sizes) -> Sizes {
        D::SIZES.unwrap_or(sizes)
    }
}

/// Right-hand sides or a solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    /// By stage: g of length n, or (δx, δu).
    pub(crate) z: Vec<f64>,
    /// By stage: e, or λ of that stage, NX.
    pub(crate) lambda: Vec<f64>,
    /// All c, or ν.
    pub(crate) nu: Vec<f64>,
}

impl Vectors {
    fn zeros(n: usize, nx: usize, stages: usize, conditions: usize) -> Self {
        Vectors { z: vec![0.0; n * stages], lambda: vec![0.0; nx * stages], nu: vec![0.0; conditions] }
    }
}

/// What a factorisation has found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Inertia {
    /// The solution is the minimum. Combinations of conditions that no inputs change, one entry for each condition, come with it.
    Right(Vec<Vec<f64>>),
    /// It is none, or the system is singular.
    Wrong,
}

/// The system of all stages, allocated once. Matrices and vectors of all stages follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Kkt {
    sizes: Sizes,
    /// The number of stages.
    count: usize,
    /// The first condition of each stage, and the number of all.
    first: Vec<usize>,
    ab: Vec<f64>,
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    defect: Vec<f64>,
    conditions: Vec<f64>,
    residual: Vec<f64>,
    pub(crate) compliance: Vec<f64>,
    /// P, NX × NX.
    value: Vec<f64>,
    /// −(R + BᵀPB)⁻¹, K × K.
    inverse: Vec<f64>,
    /// K of δu = K δx + k + Kν ν, K × NX.
    gain: Vec<f64>,
    carried: Vec<Conditions>,
    /// p and k of a solution.
    p_of: Vec<f64>,
    k_of: Vec<f64>,
    /// δx₀.
    pub(crate) start: Vec<f64>,
    pub(crate) solution: Vectors,
    shift: f64,
    // Scratch of the factorisation and of the solutions.
    p: Vec<f64>,
    product: Vec<f64>,
    h: Vec<f64>,
    w: Vec<f64>,
    w_next: Vec<f64>,
    g: Vec<f64>,
    block: Vec<f64>,
    vectors: Vec<f64>,
    column: Vec<f64>,
    active: Vec<f64>,
    gramian: Vec<f64>,
    right: Vectors,
    correction: Vectors,
    p_vector: Vec<f64>,
    n_vector: Vec<f64>,
    h_vector: Vec<f64>,
}

impl Kkt {
    /// A system with `conditions[k]` conditions at stage k, one entry for each stage.
    pub(crate) fn new(nx: usize, nu: usize, conditions: &[usize]) -> Self {
        let n = nx + nu;
        let mut first = vec![0];
        for m in conditions {
            first.push(first.last().copied().unwrap_or(0) + m);
        }
        let all = first.last().copied().unwrap_or(0);
        let count = conditions.len();
        let vectors = Vectors::zeros(n, nx, count, all);
        let zeros = |length: usize| vec![0.0; length];
        Kkt {
            sizes: Sizes { states: nx, inputs: nu },
            count,
            first,
            ab: zeros(nx * n * count),
            hessian: zeros(n * n * count),
            gradient: zeros(n * count),
            defect: zeros(nx * count),
            conditions: zeros(n * all),
            residual: zeros(all),
            compliance: zeros(all),
            value: zeros(nx * nx * count),
            inverse: zeros(nu * nu * count),
            gain: zeros(nu * nx * count),
            carried: vec![Conditions::default(); count],
            p_of: zeros(nx * count),
            k_of: zeros(nu * count),
            start: zeros(nx),
            solution: vectors.clone(),
            shift: 0.0,
            p: zeros(nx * nx),
            product: zeros(nx * n),
            h: zeros(n * n),
            w: Vec::new(),
            w_next: Vec::new(),
            g: Vec::new(),
            block: zeros(nu * nu),
            vectors: zeros(nu * nu),
            column: zeros(nu.max(all)),
            active: Vec::new(),
            gramian: Vec::new(),
            right: vectors.clone(),
            correction: vectors,
            p_vector: zeros(nx),
            n_vector: Vec::new(),
            h_vector: zeros(n),
        }
    }

    /// The data of stage `k`.
    #[inline(always)]
    pub(crate) fn stage(&mut self, k: usize) -> Stage<'_> {
        let Sizes { states: nx, inputs: nu } = self.sizes;
        let (n, own) = (nx + nu, self.conditions_of(k));
        Stage {
            ab: &mut self.ab[k * nx * n..(k + 1) * nx * n],
            hessian: &mut self.hessian[k * n * n..(k + 1) * n * n],
            gradient: &mut self.gradient[k * n..(k + 1) * n],
            defect: &mut self.defect[k * nx..(k + 1) * nx],
            conditions: &mut self.conditions[own.start * n..own.end * n],
            residual: &mut self.residual[own.clone()],
            compliance: &mut self.compliance[own],
        }
    }

    /// (A B) of stage `k`.
    #[inline]
    pub(crate) fn ab(&self, k: usize) -> &[f64] {
        let Sizes { states: nx, inputs: nu } = self.sizes;
        let size = nx * (nx + nu);
        &self.ab[k * size..(k + 1) * size]
    }

    /// C of stage `k`.
    #[inline]
    pub(crate) fn rows_of(&self, k: usize) -> &[f64] {
        let n = self.sizes.states + self.sizes.inputs;
        &self.conditions[self.first[k] * n..self.first[k + 1] * n]
    }

    /// The gains of stage `k`, K × NX.
    pub(crate) fn gain(&self, k: usize) -> &[f64] {
        let size = self.sizes.inputs * self.sizes.states;
        &self.gain[k * size..(k + 1) * size]
    }

    /// The numbers of the conditions of stage `k`.
    pub(crate) fn conditions_of(&self, k: usize) -> Range<usize> {
        self.first[k]..self.first[k + 1]
    }

    /// Factors the matrix with H + `shift` in place of H, for the stages of a system `D`.
    pub(crate) fn factor<D: Dynamics>(&mut self, shift: f64) -> Inertia {
        if D::SIZES.is_some() { self.factor_as::<Constant<D>>(shift) } else { self.factor_at_run_time(shift) }
    }

    /// The same of any system. This and the following functions like it are compiled with the crate, the others where the type of
    /// the system is known.
    fn factor_at_run_time(&mut self, shift: f64) -> Inertia {
        self.factor_as::<AtRunTime>(shift)
    }

    fn factor_as<S: Shape>(&mut self, shift: f64) -> Inertia {
        self.shift = shift;
        let Sizes { states: nx, inputs: nu } = S::of(self.sizes);
        let n = nx + nu;
        let last = self.count - 1;
        let (mut negative_inputs, mut negative_gramian) = (0, 0);
        let mut dependent = Vec::new();
        self.w.clear();
        for k in (0..=last).rev() {
            let own = self.conditions_of(k);
            let ab = &self.ab[k * nx * n..(k + 1) * nx * n];
            let value = &mut self.value[k * nx * nx..(k + 1) * nx * nx];
            let inverse = &mut self.inverse[k * nu * nu..(k + 1) * nu * nu];
            let gain = &mut self.gain[k * nu * nx..(k + 1) * nu * nx];
            let h = &mut self.h[..n * n];
            let (before, after) = self.carried.split_at_mut(k + 1);
            let stage = &mut before[k];
            let next = after.first();
            h.copy_from_slice(&self.hessian[k * n * n..(k + 1) * n * n]);
            h.iter_mut().step_by(n + 1).for_each(|entry| *entry += shift);
            // Ĥ = H + (A B)ᵀP(A B), and the rows of conditions.
            stage.numbers.clear();
            self.g.clear();
            if let Some(next) = next {
                let product = &mut self.product[..nx * n];
                product.fill(0.0);
                add_product(product, &self.p[..nx * nx], ab, nx, n);
                add_transposed_product(h, ab, product, n, n);
                if next.solved.is_empty() {
                    stage.numbers.extend_from_slice(&next.numbers);
                    self.g.resize(next.numbers.len() * n, 0.0);
                    add_product(&mut self.g, &next.rows, ab, nx, n);
                }
            }
            self.g.extend_from_slice(&self.conditions[own.start * n..own.end * n]);
            stage.numbers.extend(own.clone());
            let (rho, old) = (stage.numbers.len(), stage.numbers.len() - own.len());
            if self.w.len() != rho * rho || old < rho {
                self.w_next.clear();
                self.w_next.resize(rho * rho, 0.0);
                for i in 0..old {
                    self.w_next[i * rho..i * rho + old].copy_from_slice(&self.w[i * old..(i + 1) * old]);
                }
                for (i, &compliance) in self.compliance[own].iter().enumerate() {
                    self.w_next[(old + i) * (rho + 1)] = compliance;
                }
                core::mem::swap(&mut self.w, &mut self.w_next);
            }
            // The best inputs.
            copy_columns(&mut stage.rows, &self.g, n, 0..nx);
            for (row, h) in value.chunks_exact_mut(nx.max(1)).zip(h.chunks_exact(n.max(1))) {
                row.copy_from_slice(&h[..nx]);
            }
            if next.is_some() && nu > 0 {
                let scratch = (&mut self.block[..], &mut self.vectors[..]);
                match negative_inverse(h, (nx, nu), inverse, scratch, &mut self.column) {
                    Some(negative) => negative_inputs += negative,
                    None => return Inertia::Wrong,
                }
                // W has at most one for each condition.
                if negative_inputs > self.solution.nu.len() {
                    return Inertia::Wrong;
                }
                let h_ux = &h[nx * n..];
                gain.fill(0.0);
                for (gain, inverse) in gain.chunks_exact_mut(nx.max(1)).zip(inverse.chunks_exact(nu)) {
                    for (&inverse, row) in inverse.iter().zip(h_ux.chunks_exact(n)) {
                        add_multiple(gain, inverse, &row[..nx]);
                    }
                }
                for (i, row) in value.chunks_exact_mut(nx.max(1)).enumerate() {
                    for (gain, h) in gain.chunks_exact(nx).zip(h_ux.chunks_exact(n)) {
                        add_multiple(row, h[i], gain);
                    }
                }
                copy_columns(&mut stage.by_inputs, &self.g, n, nx..n);
                add_product(&mut stage.rows, &stage.by_inputs, gain, nu, nx);
                stage.multiplier_gain.resize(nu * rho, 0.0);
                for (i, row) in stage.by_inputs.chunks_exact(nu).enumerate() {
                    for (j, inverse) in inverse.chunks_exact(nu).enumerate() {
                        stage.multiplier_gain[j * rho + i] =
                            inverse.iter().zip(row).map(|(x, y)| x * y).sum();
                    }
                }
                self.g.clear();
                self.g.extend(stage.by_inputs.iter().map(|x| -x));
                add_product(&mut self.w, &self.g, &stage.multiplier_gain, nu, rho);
            }
            make_symmetric(value, nx);
            self.p.copy_from_slice(value);
            stage.solved.clear();
            if rho > 0 && (k == 0 || rho > nx) {
                let inverse = &mut stage.solved;
                let Some(gramian) = invert_gramian(&self.w, rho, k == 0, inverse, &mut self.gramian) else {
                    if k == 0 {
                        return Inertia::Wrong;
                    }
                    continue;
                };
                negative_gramian += gramian.negative;
                for combination in gramian.dependent {
                    let mut all = vec![0.0; self.solution.nu.len()];
                    stage.numbers.iter().zip(combination).for_each(|(&i, x)| all[i] = x);
                    dependent.push(all);
                }
                // P + MᵀW⁻¹M.
                self.g.clear();
                self.g.resize(rho * nx, 0.0);
                add_product(&mut self.g, &stage.solved, &stage.rows, rho, nx);
                add_transposed_product(&mut self.p, &stage.rows, &self.g, nx, nx);
            }
        }
        if negative_inputs == negative_gramian { Inertia::Right(dependent) } else { Inertia::Wrong }
    }

    /// Solves the factored system for the g, e and c of the stages; `refined` by its residual.
    pub(crate) fn solve<D: Dynamics>(&mut self, refined: bool) {
        if D::SIZES.is_some() {
            self.solve_as::<Constant<D>>(refined)
        } else {
            self.solve_at_run_time(refined)
        }
    }

    fn solve_at_run_time(&mut self, refined: bool) {
        self.solve_as::<AtRunTime>(refined);
    }

    fn solve_as<S: Shape>(&mut self, refined: bool) {
        self.prepare_as::<S>();
        let size = [&self.right.z, &self.right.lambda, &self.right.nu].map(|x| norm(x));
        self.finish_as::<S>();
        let mut last = f64::INFINITY;
        for _ in 0..if refined { REFINEMENTS } else { 0 } {
            self.residual::<S>();
            let error = [&self.right.z, &self.right.lambda, &self.right.nu].map(|x| norm(x));
            let relative = error.iter().zip(size).map(|(error, size)| error / size.max(f64::MIN_POSITIVE));
            let worst = relative.fold(0.0, f64::max);
            // A correction that has not halved the residual gains nothing.
            if worst <= REFINED || worst > 0.5 * last || !worst.is_finite() {
                return;
            }
            last = worst;
            self.backward::<S>();
            self.forward::<S>(false);
            let both = [
                (&mut self.solution.z, &self.correction.z),
                (&mut self.solution.lambda, &self.correction.lambda),
                (&mut self.solution.nu, &self.correction.nu),
            ];
            both.into_iter().for_each(|(x, by)| add_multiple(x, 1.0, by));
        }
    }

    /// The part of a solution that does not depend on δx₀.
    pub(crate) fn prepare<D: Dynamics>(&mut self) {
        if D::SIZES.is_some() { self.prepare_as::<Constant<D>>() } else { self.prepare_at_run_time() }
    }

    fn prepare_at_run_time(&mut self) {
        self.prepare_as::<AtRunTime>();
    }

    fn prepare_as<S: Shape>(&mut self) {
        self.right.z.copy_from_slice(&self.gradient);
        self.right.lambda.copy_from_slice(&self.defect);
        self.right.nu.copy_from_slice(&self.residual);
        self.backward::<S>();
    }

    /// The rest of it.
    pub(crate) fn finish<D: Dynamics>(&mut self) {
        if D::SIZES.is_some() { self.finish_as::<Constant<D>>() } else { self.finish_at_run_time() }
    }

    fn finish_at_run_time(&mut self) {
        self.finish_as::<AtRunTime>();
    }

    fn finish_as<S: Shape>(&mut self) {
        self.forward::<S>(true);
        core::mem::swap(&mut self.solution, &mut self.correction);
    }

    /// p, n and k for the right-hand sides `right`.
    fn backward<S: Shape>(&mut self) {
        let Sizes { states: nx, inputs: nu } = S::of(self.sizes);
        let n = nx + nu;
        let last = self.count - 1;
        let right = &self.right;
        // `p_vector` is that of the next stage.
        let p_vector = &mut self.p_vector[..nx];
        let h_vector = &mut self.h_vector[..n];
        for k in (0..=last).rev() {
            let own = self.first[k]..self.first[k + 1];
            let (p_of, k_of) = (&mut self.p_of[k * nx..(k + 1) * nx], &mut self.k_of[k * nu..(k + 1) * nu]);
            let (before, after) = self.carried.split_at_mut(k + 1);
            let stage = &mut before[k];
            h_vector.copy_from_slice(&right.z[k * n..(k + 1) * n]);
            stage.n.clear();
            if let Some(next) = after.first() {
                let defect = &right.lambda[k * nx..(k + 1) * nx];
                if next.solved.is_empty() {
                    stage.n.extend_from_slice(&next.n);
                    add_image(&mut stage.n, &next.rows, defect);
                }
                // P e + p of the next stage, whose P includes the conditions that are solved there.
                add_image(p_vector, &self.value[(k + 1) * nx * nx..(k + 2) * nx * nx], defect);
                if !next.solved.is_empty() {
                    let rho = next.numbers.len();
                    let residual = &mut self.n_vector;
                    residual.clear();
                    residual.extend_from_slice(&next.n);
                    add_image(residual, &next.rows, defect);
                    self.column[..rho].fill(0.0);
                    add_image(&mut self.column[..rho], &next.solved, residual);
                    add_transposed_image(p_vector, &next.rows, &self.column[..rho]);
                }
                add_transposed_image(h_vector, &self.ab[k * nx * n..(k + 1) * nx * n], p_vector);
            }
            stage.n.extend_from_slice(&right.nu[own]);
            p_of.copy_from_slice(&h_vector[..nx]);
            if k < last {
                let h_u = &h_vector[nx..];
                k_of.fill(0.0);
                add_image(k_of, &self.inverse[k * nu * nu..(k + 1) * nu * nu], h_u);
                add_transposed_image(p_of, &self.gain[k * nu * nx..(k + 1) * nu * nx], h_u);
                add_image(&mut stage.n, &stage.by_inputs, k_of);
            }
            p_vector.copy_from_slice(p_of);
        }
    }

    /// The solution for the right-hand sides `right` and δx₀, or without it, to `correction`.
    fn forward<S: Shape>(&mut self, starts: bool) {
        let Sizes { states: nx, inputs: nu } = S::of(self.sizes);
        let n = nx + nu;
        let last = self.count - 1;
        let (right, to) = (&self.right, &mut self.correction);
        to.z.fill(0.0);
        to.nu.fill(0.0);
        if starts {
            to.z[..nx].copy_from_slice(&self.start);
        }
        for k in 0..=last {
            let stage = &self.carried[k];
            let rho = stage.numbers.len();
            let (now, later) = to.z.split_at_mut((k + 1) * n);
            let now = &mut now[k * n..];
            let (x, u) = now.split_at_mut(nx);
            if !stage.solved.is_empty() {
                let residual = &mut self.n_vector;
                residual.clear();
                residual.extend_from_slice(&stage.n);
                add_image(residual, &stage.rows, x);
                for (row, &i) in stage.solved.chunks_exact(rho).zip(&stage.numbers) {
                    to.nu[i] = dot(row, residual);
                }
            }
            let lambda = &mut to.lambda[k * nx..(k + 1) * nx];
            lambda.copy_from_slice(&self.p_of[k * nx..(k + 1) * nx]);
            add_image(lambda, &self.value[k * nx * nx..(k + 1) * nx * nx], x);
            self.active.clear();
            self.active.extend(stage.numbers.iter().map(|&i| to.nu[i]));
            add_transposed_image(lambda, &stage.rows, &self.active);
            if k < last {
                u.copy_from_slice(&self.k_of[k * nu..(k + 1) * nu]);
                add_image(u, &self.gain[k * nu * nx..(k + 1) * nu * nx], x);
                add_image(u, &stage.multiplier_gain, &self.active);
                let next = &mut later[..nx];
                next.copy_from_slice(&right.lambda[k * nx..(k + 1) * nx]);
                add_image(next, &self.ab[k * nx * n..(k + 1) * nx * n], &now[..n]);
            }
        }
    }

    /// Sets `right` to what `solution` leaves of the equations.
    fn residual<S: Shape>(&mut self) {
        let Sizes { states: nx, inputs: nu } = S::of(self.sizes);
        let n = nx + nu;
        let last = self.count - 1;
        let (right, solution) = (&mut self.right, &self.solution);
        right.z.copy_from_slice(&self.gradient);
        right.lambda.copy_from_slice(&self.defect);
        right.nu.copy_from_slice(&self.residual);
        for k in 0..=last {
            let own = self.first[k]..self.first[k + 1];
            let ab = &self.ab[k * nx * n..(k + 1) * nx * n];
            let conditions = &self.conditions[own.start * n..own.end * n];
            let z = &solution.z[k * n..(k + 1) * n];
            let g = &mut right.z[k * n..(k + 1) * n];
            add_image(g, &self.hessian[k * n * n..(k + 1) * n * n], z);
            add_multiple(g, self.shift, z);
            add_transposed_image(g, conditions, &solution.nu[own.clone()]);
            let c = &mut right.nu[own.clone()];
            add_image(c, conditions, z);
            for ((c, e), nu) in c.iter_mut().zip(&self.compliance[own.clone()]).zip(&solution.nu[own]) {
                *c -= e * nu;
            }
            if k < last {
                let next = &solution.lambda[(k + 1) * nx..(k + 2) * nx];
                add_transposed_image(g, ab, next);
                let e = &mut right.lambda[k * nx..(k + 1) * nx];
                add_image(e, ab, z);
                add_multiple(e, -1.0, &solution.z[(k + 1) * n..(k + 1) * n + nx]);
            } else {
                // There are no inputs at the last stage, and no step.
                g[nx..].fill(0.0);
                right.lambda[k * nx..].fill(0.0);
            }
            let g = &mut right.z[k * n..k * n + nx];
            if k > 0 {
                add_multiple(g, -1.0, &solution.lambda[k * nx..(k + 1) * nx]);
            } else {
                // The multiplier of δx₀ = 0 is whatever is left.
                g.fill(0.0);
            }
        }
    }
}

/// Sets `to` to these columns of a matrix of `n` columns.
#[inline(always)]
fn copy_columns(to: &mut Vec<f64>, matrix: &[f64], n: usize, columns: Range<usize>) {
    let rows = matrix.chunks_exact(n.max(1));
    to.resize(rows.len() * columns.len(), 0.0);
    for (to, row) in to.chunks_exact_mut(columns.len().max(1)).zip(rows) {
        to.copy_from_slice(&row[columns.clone()]);
    }
}

fn make_symmetric(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            a[i * n + j] = mean;
            a[j * n + i] = mean;
        }
    }
}

/// Sets `inverse` to that of −Ĥ_uu, and returns the number of negative eigenvalues of Ĥ_uu, unless it is singular.
fn negative_inverse(
    h: &[f64],
    (nx, nu): (usize, usize),
    inverse: &mut [f64],
    (block, vectors): (&mut [f64], &mut [f64]),
    column: &mut [f64],
) -> Option<usize> {
    let rows = || h[nx * (nx + nu)..].chunks_exact(nx + nu).map(|row| &row[nx..]);
    if nu == 2 {
        // The usual number of inputs: the same as L D Lᵀ, without roots.
        let n = nx + nu;
        let (a, b, c) = (h[nx * (n + 1)], h[(nx + 1) * n + nx], h[(nx + 1) * (n + 1)]);
        let first = 1.0 / a;
        let below = b * first;
        let pivot = c - below * b;
        if a > 0.0 && pivot > INPUT_TOLERANCE * c && (a + pivot).is_finite() {
            let last = 1.0 / pivot;
            let off = below * last;
            inverse.copy_from_slice(&[-first - below * off, off, off, -last]);
            return Some(0);
        }
    }
    block.chunks_exact_mut(nu).zip(rows()).for_each(|(block, row)| block.copy_from_slice(row));
    if cholesky(block, nu).is_some_and(|least| least > INPUT_TOLERANCE) {
        invert_cholesky(block, nu, inverse, column);
        inverse.iter_mut().for_each(|x| *x = -*x);
        return Some(0);
    }
    if rows().flatten().any(|x| !x.is_finite()) {
        return None;
    }
    block.chunks_exact_mut(nu).zip(rows()).for_each(|(block, row)| block.copy_from_slice(row));
    diagonalise(block, nu, vectors);
    let eigenvalues = || block.iter().step_by(nu + 1);
    let largest = eigenvalues().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if eigenvalues().any(|x| x.abs() <= INPUT_TOLERANCE * largest) {
        return None;
    }
    for (to, left) in inverse.chunks_exact_mut(nu).zip(vectors.chunks_exact(nu)) {
        for (to, right) in to.iter_mut().zip(vectors.chunks_exact(nu)) {
            *to = -left.iter().zip(right).zip(eigenvalues()).map(|((x, y), by)| x * y / by).sum::<f64>();
        }
    }
    Some(eigenvalues().filter(|&&x| x < 0.0).count())
}

/// What W⁻¹ leaves out.
struct Gramian {
    /// The number of negative eigenvalues of W.
    negative: usize,
    /// Combinations of conditions that no inputs change.
    dependent: Vec<Vec<f64>>,
}

/// Sets `inverse` to W⁻¹, on the combinations of conditions that inputs change. If W need not be inverted yet, only if it is well
/// conditioned; else `inverse` is empty.
fn invert_gramian(
    w: &[f64],
    n: usize,
    needed: bool,
    inverse: &mut Vec<f64>,
    scratch: &mut Vec<f64>,
) -> Option<Gramian> {
    let diagonal = || w.iter().step_by(n + 1).map(|x| x.abs());
    let floor = SCALE_FLOOR * diagonal().fold(0.0, f64::max);
    if !(floor.is_finite() && w.iter().all(|x| x.is_finite())) {
        return None;
    }
    scratch.clear();
    scratch.resize(n * (n + 2), 0.0);
    let (factor, both) = scratch.split_at_mut(n * n);
    let (scale, column) = both.split_at_mut(n);
    // The units of conditions differ.
    for (scale, x) in scale.iter_mut().zip(diagonal()) {
        *scale = if x + floor > 0.0 { 1.0 / (x + floor).sqrt() } else { 1.0 };
    }
    let scaled = |i: usize, j: usize| 0.5 * (w[i * n + j] + w[j * n + i]) * scale[i] * scale[j];
    factor.iter_mut().enumerate().for_each(|(place, x)| *x = scaled(place / n, place % n));
    let is_scaled = factor.iter().step_by(n + 1).all(|&x| x > 0.5);
    let least = cholesky(factor, n).filter(|_| is_scaled);
    let bound = if needed { RANK_TOLERANCE.sqrt() } else { EARLY_PIVOT };
    if least.is_some_and(|least| least > bound) {
        inverse.resize(n * n, 0.0);
        invert_cholesky(factor, n, inverse, column);
        for i in 0..n {
            for j in 0..n {
                inverse[i * n + j] *= scale[i] * scale[j];
            }
        }
        return Some(Gramian { negative: 0, dependent: Vec::new() });
    }
    if !needed {
        return None;
    }
    inverse.resize(n * n, 0.0);
    let eigen = SymmetricEigen::new(DMatrix::from_fn(n, n, scaled));
    let bound = RANK_TOLERANCE * eigen.eigenvalues.amax();
    let mut dependent = Vec::new();
    for (&eigenvalue, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        let unscaled: Vec<f64> = vector.iter().zip(&*scale).map(|(x, scale)| x * scale).collect();
        if eigenvalue.abs() <= bound {
            let length = norm(&unscaled);
            dependent.push(unscaled.iter().map(|x| x / length).collect());
            continue;
        }
        for (inverse, &x) in inverse.chunks_exact_mut(n).zip(&unscaled) {
            add_multiple(inverse, x / eigenvalue, &unscaled);
        }
    }
    let negative = eigen.eigenvalues.iter().filter(|&&x| x < -bound).count();
    Some(Gramian { negative, dependent })
}

#[cfg(test)]
mod tests;
