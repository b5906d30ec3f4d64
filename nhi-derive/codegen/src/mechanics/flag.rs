//! The flag of the constraint distribution: how far Lie brackets lead out of it, and which one-forms they leave
//! integrable.
//!
//! Fields are given in the frame of the velocities, in which E_j is ∂/∂q_j or the left-invariant field of ê_j:
//!
//! ```text
//! [X, Y] = X(Y) − Y(X) + ad_X Y,        D₁ = D,   D_{i+1} = D_i + [D, D_i].
//! ```
//!
//! The last D_r is the smallest involutive distribution that contains D. By Frobenius' theorem the combinations of the
//! one-forms that annihilate it are those that are integrable, and no others. Ranks are those at a generic point.

use super::connection::Admissible;
use super::{Mechanics, along};
use crate::engine::{Engine, EngineError};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Zero};
use std::collections::HashMap;

/// Velocities up to which flags are computed, and nodes that the brackets may add to the pool.
const MAX_VELOCITIES: usize = 12;
const MAX_NODES: usize = 400_000;

/// How the constraints lie to Frobenius' theorem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flag {
    /// Ranks of D₁, D₂, …, D_r: the growth vector, of the constraints at a fixed time and without their affine parts.
    pub growth: Vec<usize>,
    /// A basis of the integrable combinations.
    pub holonomic: Vec<Holonomic>,
}

/// An integrable combination Σ cₐ (μₐ dq + μ₀ₐ dt) of the declared constraints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holonomic {
    /// c, one coefficient per constraint.
    pub coefficients: Vec<Expr>,
    /// The combination, n components along the velocities, and that along dt.
    pub form: Vec<Expr>,
    /// What it is the differential of, where that is linear in coordinates and time.
    pub potential: Option<Expr>,
}

/// A vector field with the value of a one-form on it.
#[derive(Clone)]
pub(super) struct Field {
    /// Components along the velocities, and along time as the last.
    pub(super) along: Vec<Expr>,
    /// The value of a one-form that should be closed.
    pub(super) value: Expr,
}

/// The result of taking brackets until nothing new is found.
pub(super) struct Closure {
    /// Independent fields, the given ones first.
    pub(super) fields: Vec<Field>,
    /// Number of independent fields at each level.
    pub(super) growth: Vec<usize>,
    /// Whether the one-form is the differential of a function on the leaves: brackets give no contradiction.
    pub(super) closed: bool,
}

impl Mechanics {
    /// The growth vector and the integrable combinations; none where they are not decided: with constraints that
    /// depend on inputs, in many coordinates, and with functions whose zeros are not known.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn flag(&mut self, engine: &mut dyn Engine) -> Result<Option<Flag>, EngineError> {
        let (n, m) = (self.n(), self.m());
        if n > MAX_VELOCITIES || self.driving_input().is_some() {
            return Ok(None);
        }
        let admissible = self.admissible(engine)?;
        let in_space = self.basis(&admissible);
        let Some(closure) = self.closure(engine, in_space.clone())? else { return Ok(None) };
        let growth = closure.growth.clone();
        let moves = self.structure.affine
            || self.mu.iter().flatten().any(|&e| self.system.pool.depends_on(e, &[self.system.t]));
        let (closure, dimension) = if moves {
            let one = self.system.pool.one();
            let value = self.system.pool.zero();
            let drift = Field { along: [&admissible.drift[..], &[one]].concat(), value };
            let fields = in_space.into_iter().chain([drift]).collect();
            let Some(closure) = self.closure(engine, fields)? else { return Ok(None) };
            (closure, n + 1)
        } else {
            (closure, n)
        };
        let mut holonomic = Vec::new();
        if closure.fields.len() < dimension {
            let forms: Matrix =
                self.system.constraints.iter().map(|c| [&c.form[..], &[c.dt]].concat()).collect();
            let pool = &mut self.system.pool;
            let left: Matrix = closure.fields[dimension - m..]
                .iter()
                .map(|field| forms.iter().map(|form| dot(pool, form, &field.along)).collect())
                .collect();
            let left: Result<Matrix, EngineError> =
                left.iter().map(|row| engine.simplify(pool, row)).collect();
            let left = left?;
            for coefficients in self.annihilated(engine, &left, m)? {
                holonomic.push(self.combination_of(engine, &forms, coefficients)?);
            }
        }
        Ok(Some(Flag { growth, holonomic }))
    }

    /// The columns of D as fields.
    pub(super) fn basis(&self, admissible: &Admissible) -> Vec<Field> {
        let zero = self.system.pool.zero();
        let column = |j: usize| admissible.d.iter().map(|row| row[j]).chain([zero]).collect();
        (0..admissible.free.len()).map(|j| Field { along: column(j), value: zero }).collect()
    }

    fn combination_of(
        &mut self,
        engine: &mut dyn Engine,
        forms: &Matrix,
        coefficients: Vec<Expr>,
    ) -> Result<Holonomic, EngineError> {
        let (shape, t) = (self.system.shape(), self.system.t);
        let pool = &mut self.system.pool;
        let form: Vec<Expr> = (0..=self.v.len())
            .map(|i| {
                let column: Vec<Expr> = forms.iter().map(|form| form[i]).collect();
                let sum = dot(pool, &coefficients, &column);
                if pool.vanishes(sum) { pool.zero() } else { sum }
            })
            .collect();
        let form = engine.simplify(pool, &form)?;
        let place: Vec<Expr> = self.q.iter().copied().chain([t]).collect();
        let of_pose = form[shape..self.v.len()].iter().any(|&e| !pool.is_zero(e));
        let is_linear = !of_pose && form.iter().all(|&e| !pool.depends_on(e, &place));
        let potential = is_linear.then(|| {
            let mut terms: Vec<Expr> =
                form[..shape].iter().zip(&self.q).map(|(&c, &q)| pool.mul(c, q)).collect();
            terms.push(pool.mul(form[self.v.len()], t));
            pool.sum(&terms)
        });
        Ok(Holonomic { coefficients, form, potential })
    }

    /// Brackets of the independent `generators` with everything found, until nothing new is found.
    pub(super) fn closure(
        &mut self,
        engine: &mut dyn Engine,
        generators: Vec<Field>,
    ) -> Result<Option<Closure>, EngineError> {
        let free = self.free_pose();
        let limit = self.system.pool.node_count() + MAX_NODES;
        let mut fields = generators.clone();
        let mut growth = vec![fields.len()];
        let (mut level, mut closed) = (0..fields.len(), true);
        while !level.is_empty() {
            let before = fields.len();
            for of in level {
                for (i, generator) in generators.iter().enumerate() {
                    // Brackets of generators with each other are taken once.
                    if of <= i && of < generators.len() {
                        continue;
                    }
                    if self.system.pool.node_count() > limit {
                        return Ok(None);
                    }
                    let field = fields[of].clone();
                    let bracket = self.bracket(generator, &field);
                    let mut all = [&bracket.along[..], &[bracket.value]].concat();
                    for e in &mut all {
                        let pool = &mut self.system.pool;
                        let on_group = pool.substitute(&[*e], &free)[0];
                        match pool.zero_test(on_group) {
                            Zero::Yes => *e = pool.zero(),
                            Zero::No => {}
                            Zero::Undecided => return Ok(None),
                        }
                    }
                    let all = engine.simplify(&mut self.system.pool, &all)?;
                    let (value, along) = (all[all.len() - 1], all[..all.len() - 1].to_vec());
                    let mut rows: Matrix = fields.iter().map(|f| f.along.clone()).collect();
                    rows.push(along.clone());
                    if self.rank_on_group(&rows, &free) == rows.len() {
                        fields.push(Field { along, value });
                        continue;
                    }
                    for (row, field) in rows.iter_mut().zip(&fields) {
                        row.push(field.value);
                    }
                    if let Some(row) = rows.last_mut() {
                        row.push(value);
                    }
                    closed &= self.rank_on_group(&rows, &free) < rows.len();
                }
            }
            level = before..fields.len();
            if !level.is_empty() {
                growth.push(fields.len());
            }
        }
        Ok(Some(Closure { fields, growth, closed }))
    }

    fn rank_on_group(&mut self, rows: &Matrix, free: &HashMap<Expr, Expr>) -> usize {
        let pool = &mut self.system.pool;
        let rows: Matrix = rows.iter().map(|row| pool.substitute(row, free)).collect();
        pool.rank(&rows)
    }

    /// X(e) of a field X.
    pub(super) fn derivative_along(&mut self, field: &[Expr], e: Expr) -> Expr {
        let gradient = self.system.pool.gradient(e, &self.q);
        let mut rates = along(&mut self.system.pool, &self.anchor, &gradient);
        rates.push(self.system.pool.derivative(e, self.system.t));
        dot(&mut self.system.pool, field, &rates)
    }

    fn bracket(&mut self, x: &Field, y: &Field) -> Field {
        let (n, k) = (self.n(), self.system.shape());
        let mut components: Vec<Expr> = Vec::with_capacity(n + 1);
        for (&a, &b) in x.along.iter().zip(&y.along) {
            let (forth, back) = (self.derivative_along(&x.along, b), self.derivative_along(&y.along, a));
            components.push(self.system.pool.sub(forth, back));
        }
        if !self.system.group.is_trivial() {
            let pool = &mut self.system.pool;
            let ad = self.system.group.ad(pool, &x.along[k..n]);
            for (component, row) in components[k..n].iter_mut().zip(ad) {
                let turn = dot(pool, &row, &y.along[k..n]);
                *component = pool.add(*component, turn);
            }
        }
        let (forth, back) =
            (self.derivative_along(&x.along, y.value), self.derivative_along(&y.along, x.value));
        let value = self.system.pool.sub(forth, back);
        Field { along: components, value }
    }
}
