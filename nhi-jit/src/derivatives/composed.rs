//! Derivatives of the steps of compositions, by the chain rule over the substeps: x' = Φ_N(… Φ₁(x, u) …, u).
//!
//! The system has to be steady: otherwise the velocity v = X ν + v₀ between two substeps depends on time or inputs, too, and A
//! and B of the parts do not have these derivatives.

use super::{ByParameters, Curvature, Departure, Linearization, Plain, PlainSecond, PullBack};
use crate::Error;
use crate::compile::{Unit, failure};
use crate::compiled::{Method, Point};
use crate::native::Code;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::program::Role;
use nhi_methods::Variant;
use nhi_runtime::Failure;

/// The substeps of a composition. The step of the method that is composed leads from one to the next.
pub(super) struct Substeps {
    code: Code,
    method: Method,
    /// γ₁, …, γ_N.
    gamma: Vec<f64>,
}

/// Where a substep begins.
struct Substep {
    /// q, v, λ and z; after a substep also what the method carries.
    state: Vec<f64>,
    t: f64,
    h: f64,
    gamma: f64,
}

impl Substeps {
    /// Those of a composition; none of another method.
    pub(super) fn new(optimised: &Optimised, variant: Variant) -> Result<Option<Substeps>, Error> {
        if variant.composition.is_none() {
            return Ok(None);
        }
        let mut unit = Unit::new()?;
        let composed = Variant { composition: None, ..variant };
        let method = Method::of(&mut unit, optimised, composed)?;
        Ok(Some(Substeps { code: unit.finish()?, method, gamma: variant.substeps().collect() }))
    }

    /// Where the substeps of a step begin.
    fn along(&self, (at, lambda, h): Departure<'_>) -> Result<Vec<Substep>, Error> {
        let mut substeps: Vec<Substep> = Vec::with_capacity(self.gamma.len());
        let mut before = 0.0;
        for &gamma in &self.gamma {
            let state = match substeps.last() {
                None => [at.q, at.v, lambda, at.z].concat(),
                Some(last) => self.after(last, at).map_err(|cause| Error::Derivatives { cause })?,
            };
            substeps.push(Substep { state, t: at.t + h * before, h: h * gamma, gamma });
            before += gamma;
        }
        Ok(substeps)
    }

    /// The state after a substep.
    fn after(&self, substep: &Substep, at: &Point<'_>) -> Result<Vec<f64>, Failure> {
        let (at, lambda, h) = self.departure(substep, at);
        let [data, mut state] = self.method.departure(&self.code, &at, lambda, h)?;
        let (status, _) = self.code.run(self.method.loops.checked, &mut state, &data, 0, 1);
        failure(status).map_or(Ok(state), Err)
    }

    /// Where a substep begins, with the parameters and inputs of a point.
    fn departure<'a>(&self, substep: &'a Substep, at: &Point<'a>) -> (Point<'a>, &'a [f64], f64) {
        let field = |role: Role| &substep.state[self.method.layout.state.of(&role)];
        let (q, v, z) = (field(Role::Configuration), field(Role::Velocity), field(Role::States));
        (Point { q, v, z, t: substep.t, ..*at }, field(Role::Multipliers), substep.h)
    }

    pub(super) fn linearize(&self, plain: &Plain, from: Departure<'_>) -> Result<Linearization, Error> {
        let [size, _, inputs, _] = plain.sizes;
        let (lambda_x, lambda_u) = (Vec::new(), Vec::new());
        let mut all = Linearization { a: identity(size), b: vec![0.0; size * inputs], lambda_x, lambda_u };
        for substep in &self.along(from)? {
            let (at, lambda, h) = self.departure(substep, from.0);
            let next = plain.linearize((&at, lambda, h))?;
            let (mut a, mut b) = (vec![0.0; size * size], next.b);
            add_product(&mut a, &next.a, &all.a, size);
            add_product(&mut b, &next.a, &all.b, size);
            let (mut lambda_x, mut lambda_u) = (vec![0.0; next.lambda_x.len()], next.lambda_u);
            add_product(&mut lambda_x, &next.lambda_x, &all.a, size);
            add_product(&mut lambda_u, &next.lambda_x, &all.b, size);
            all = Linearization { a, b, lambda_x, lambda_u };
        }
        Ok(all)
    }

    pub(super) fn linearize_parameters(
        &self,
        plain: &Plain,
        from: Departure<'_>,
    ) -> Result<ByParameters, Error> {
        let [size, .., parameters] = plain.sizes;
        let mut all = ByParameters { c: vec![0.0; size * parameters], h: vec![0.0; size] };
        for substep in &self.along(from)? {
            let (at, lambda, h) = self.departure(substep, from.0);
            let from = (&at, lambda, h);
            let (a, next) = (plain.linearize(from)?.a, plain.linearize_parameters(from)?);
            let (mut c, mut by_h) = (next.c, vec![0.0; size]);
            add_product(&mut c, &a, &all.c, size);
            add(&mut by_h, substep.gamma, &next.h);
            add_product(&mut by_h, &a, &all.h, size);
            all = ByParameters { c, h: by_h };
        }
        Ok(all)
    }

    pub(super) fn pull_back(&self, plain: &Plain, from: Departure<'_>, w: &[f64]) -> Result<PullBack, Error> {
        let [_, _, inputs, parameters] = plain.sizes;
        let mut all = PullBack { a: w.to_vec(), b: vec![0.0; inputs], c: vec![0.0; parameters], h: 0.0 };
        for substep in self.along(from)?.iter().rev() {
            let (at, lambda, h) = self.departure(substep, from.0);
            let part = plain.pull_back((&at, lambda, h), &all.a)?;
            all.a = part.a;
            add(&mut all.b, 1.0, &part.b);
            add(&mut all.c, 1.0, &part.c);
            all.h += substep.gamma * part.h;
        }
        Ok(all)
    }

    /// Backwards: the second derivatives of a substep and those after it are those of the latter, taken along A and B of the
    /// substep, and its own with the covector that the latter pull back.
    pub(super) fn curvature(
        &self,
        plain: &PlainSecond,
        from: Departure<'_>,
        w: &[f64],
    ) -> Result<Curvature, Error> {
        let [size, inputs] = plain.sizes;
        let zero = |length: usize| vec![0.0; length];
        let [xx, xu, uu] = [size * size, size * inputs, inputs * inputs].map(zero);
        let mut all = Curvature { xx, xu, uu, a: identity(size), b: zero(size * inputs) };
        let mut w = w.to_vec();
        for substep in self.along(from)?.iter().rev() {
            let (at, lambda, h) = self.departure(substep, from.0);
            let Curvature { mut xx, mut xu, mut uu, a, b } = plain.curvature((&at, lambda, h), &w)?;
            let mut before = zero(size);
            add_transposed_product(&mut before, &a, &w, size);
            w = before;
            let (mut xx_a, mut xx_b) = (zero(size * size), all.xu.clone());
            add_product(&mut xx_a, &all.xx, &a, size);
            add_product(&mut xx_b, &all.xx, &b, size);
            add_transposed_product(&mut xx, &a, &xx_a, size);
            add_transposed_product(&mut xu, &a, &xx_b, size);
            add_transposed_product(&mut uu, &b, &xx_b, size);
            add_transposed_product(&mut uu, &all.xu, &b, size);
            add(&mut uu, 1.0, &all.uu);
            let (mut a_all, mut b_all) = (zero(size * size), all.b);
            add_product(&mut a_all, &all.a, &a, size);
            add_product(&mut b_all, &all.a, &b, size);
            all = Curvature { xx, xu, uu, a: a_all, b: b_all };
        }
        mirror(&mut all.xx, size);
        mirror(&mut all.uu, inputs);
        Ok(all)
    }
}

fn identity(size: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; size * size];
    matrix.iter_mut().step_by(size + 1).for_each(|x| *x = 1.0);
    matrix
}

/// Adds a multiple of a vector.
fn add(to: &mut [f64], factor: f64, x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += factor * x);
}

/// Adds the product of the matrices `a`, with `inner` columns, and `b`, with as many rows.
fn add_product(to: &mut [f64], a: &[f64], b: &[f64], inner: usize) {
    let columns = b.len() / inner;
    for (i, row) in a.chunks_exact(inner).enumerate() {
        for (k, &a) in row.iter().enumerate() {
            add(&mut to[i * columns..(i + 1) * columns], a, &b[k * columns..]);
        }
    }
}

/// Adds the product of the transpose of `a` and `b`, both with `inner` rows.
fn add_transposed_product(to: &mut [f64], a: &[f64], b: &[f64], inner: usize) {
    let [rows, columns] = [a, b].map(|matrix| matrix.len() / inner);
    for k in 0..inner {
        for (i, &a) in a[k * rows..(k + 1) * rows].iter().enumerate() {
            add(&mut to[i * columns..(i + 1) * columns], a, &b[k * columns..]);
        }
    }
}

/// Makes a matrix that is symmetric but for rounding symmetric.
fn mirror(matrix: &mut [f64], size: usize) {
    for i in 0..size {
        for j in 0..i {
            matrix[i * size + j] = matrix[j * size + i];
        }
    }
}
