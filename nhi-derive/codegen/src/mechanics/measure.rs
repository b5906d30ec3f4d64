//! Invariant measures of the motion on the constraints.
//!
//! With v = D(q) u the motion is a field X on the space of (q, u). A density N dq du is invariant if
//! X(ln N) = −div X. Without forces that depend on v, div X = Σ w_b(q) u_b, and for N(q) that is
//!
//! ```text
//! D_b(ln N) = −w_b   for every column D_b of D.
//! ```
//!
//! Brackets of the D_b say what ln N does along every direction they lead to, or contradict each other. If L is the
//! kinetic energy alone, a density of any kind has a part N(q) at u = 0 that satisfies these equations, so that a
//! contradiction excludes all of them (Kozlov, *Invariant measures of the Euler–Poincaré equations on Lie algebras*,
//! Functional Analysis and Its Applications 22, 1988, for the case of groups).

use super::{Mechanics, along};
use crate::engine::{Engine, EngineError};
use crate::expr::linear::dot;
use crate::expr::linear::{determinant, product, transposed};
use crate::expr::{Expr, Rational};
use std::collections::HashMap;

/// Velocities up to which divergences are computed.
const MAX_VELOCITIES: usize = 8;

/// Whether the motion has an invariant measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    /// N dq du with this N(q), for u the velocities of that number.
    Density(Expr, Vec<usize>),
    /// A density exists near every generic point; it is not known in closed form.
    Local,
    /// There is none that is smooth and positive.
    None,
    /// Not decided, and why.
    NotDecided(&'static str),
}

impl Mechanics {
    /// An invariant measure, from the accelerations as functions of q, v and t.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn measure(
        &mut self,
        engine: &mut dyn Engine,
        acceleration: &[Expr],
    ) -> Result<Measure, EngineError> {
        if self.n() > MAX_VELOCITIES {
            return Ok(Measure::NotDecided("there are many velocities"));
        }
        if !self.system.states.is_empty() {
            return Ok(Measure::NotDecided("there are auxiliary states"));
        }
        let admissible = self.admissible(engine)?;
        let u: Vec<Expr> = admissible.free.iter().map(|&i| self.v[i]).collect();
        let pool = &mut self.system.pool;
        let velocity: Vec<Expr> = admissible
            .d
            .iter()
            .zip(&admissible.drift)
            .map(|(row, &drift)| {
                let linear = dot(pool, row, &u);
                pool.add(linear, drift)
            })
            .collect();
        let on_d: HashMap<Expr, Expr> = self.v.iter().copied().zip(velocity.iter().copied()).collect();
        let mut terms = Vec::new();
        for (&i, &u) in admissible.free.iter().zip(&u) {
            let rate = pool.substitute(&[acceleration[i]], &on_d)[0];
            terms.push(pool.derivative(rate, u));
        }
        for (i, &e) in velocity.iter().enumerate() {
            let gradient = pool.gradient(e, &self.q);
            terms.push(along(pool, &self.anchor, &gradient)[i]);
        }
        let divergence = pool.sum(&terms);
        let free = self.free_pose();
        let vanishes = |x: &mut Mechanics, e: Expr| {
            let e = x.system.pool.substitute(&[e], &free)[0];
            x.system.pool.vanishes(e)
        };
        if vanishes(self, divergence) {
            return Ok(Measure::Density(self.system.pool.one(), admissible.free));
        }
        let structure = self.structure;
        if structure.affine || structure.time_dependent {
            return Ok(Measure::NotDecided(
                "the divergence of the motion does not vanish, and it depends on time or on an affine constraint",
            ));
        }
        let pool = &mut self.system.pool;
        let w: Vec<Expr> = u.iter().map(|&u| pool.derivative(divergence, u)).collect();
        let linear = dot(pool, &w, &u);
        let rest = pool.sub(divergence, linear);
        let quadratic: Vec<Expr> = w
            .iter()
            .flat_map(|&w| u.iter().map(move |&u| (w, u)))
            .map(|(w, u)| pool.derivative(w, u))
            .collect();
        let depends = [rest].into_iter().chain(quadratic).any(|e| !vanishes(self, e));
        if depends {
            return Ok(Measure::NotDecided("the divergence of the motion is not linear in the velocities"));
        }
        // At rest in all velocities it is the same, without them.
        let pool = &mut self.system.pool;
        let at_rest: HashMap<Expr, Expr> = self.v.iter().map(|&v| (v, pool.zero())).collect();
        let w = pool.substitute(&w, &at_rest);
        let w = engine.simplify(pool, &w)?;

        let d_t = transposed(&admissible.d, u.len());
        let md = product(pool, &self.mass, &admissible.d);
        let kinetic = product(pool, &d_t, &md);
        let det = determinant(pool, &kinetic);
        let det = engine.simplify(pool, &[det])?[0];
        let mut fields = self.basis(&admissible);
        for (numerator, denominator) in [(1, 2), (1, 1), (-1, 2), (-1, 1), (3, 2), (-3, 2), (2, 1)] {
            let found = (0..fields.len()).all(|b| {
                let change = self.derivative_along(&fields[b].along, det);
                let pool = &mut self.system.pool;
                let relative = pool.div(change, det);
                let relative = pool.scale(Rational::new(numerator.into(), denominator.into()), relative);
                let sum = pool.add(relative, w[b]);
                vanishes(self, sum)
            });
            if found {
                let pool = &mut self.system.pool;
                let exponent = pool.ratio(numerator, denominator);
                let density = pool.pow(det, exponent);
                let density = engine.simplify(pool, &[density])?[0];
                return Ok(Measure::Density(density, admissible.free));
            }
        }
        for (field, &w) in fields.iter_mut().zip(&w) {
            field.value = self.system.pool.neg(w);
        }
        let Some(closure) = self.closure(engine, fields)? else {
            return Ok(Measure::NotDecided("the brackets of the distribution are not decided"));
        };
        if closure.closed {
            return Ok(Measure::Local);
        }
        let bias = self.system.pool.substitute(&self.bias, &at_rest);
        let rests = bias.into_iter().all(|e| vanishes(self, e));
        Ok(if rests {
            Measure::None
        } else {
            Measure::NotDecided(
                "no density that depends on the configuration alone is invariant, and other ones are not excluded beside a potential or a force",
            )
        })
    }
}
