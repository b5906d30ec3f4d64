//! Motions that run backwards.
//!
//! A reflection σ of the configuration, with signs s of its entries and s' of the velocities, reverses the motion if
//! t ↦ σ(q(−t)) is a motion wherever q is one: for
//!
//! ```text
//! s' M(s q, −t) s' = M(q, t),   b(s q, −s' v, −t) = s' b(q, v, t),
//! μ(s q)·(−s' v) + μ₀(s q, −t) = 0   wherever   μ(q) v + μ₀(q, t) = 0.
//! ```
//!
//! b does not change with a total time derivative in L. Inputs run backwards with the motion.
//!
//! These equations are not necessary: they ask more than the motion on the constraints. A reflection is excluded if it
//! surely does not preserve the constraints, or if it does and somewhere on them surely changes the accelerations,
//!
//! ```text
//! a(s q, −s' v, −t) ≠ s' a(q, v, t).
//! ```

use super::Mechanics;
use crate::engine::{Engine, EngineError};
use crate::expr::group::{Group, Part};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Zero};
use std::collections::HashMap;

/// Coordinates, and mirrors of a pose, of which all combinations are tried; of more none or one alone.
const MAX_MIRRORS: usize = 8;

/// A reflection that reverses the motion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reversal {
    /// Entries of the configuration that change their signs.
    pub reflected: Vec<String>,
    /// Whether the system depends on the time, so that it is t = 0 about which motions are reversed.
    pub about_zero: bool,
}

/// Whether a reflection reverses the motion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reversibility {
    /// This one does, of those that do one of the fewest coordinates.
    By(Reversal),
    /// None of the changes of signs of coordinates, and mirrors of the pose, does. Their number, and whether those are all.
    Excluded {
        /// How many were tried, the identity among them.
        tried: usize,
        /// Whether all combinations of signs were.
        all: bool,
    },
    /// Neither is known.
    NotDecided,
}

/// Signs of configuration and velocities.
#[derive(Clone)]
struct Signs {
    q: Vec<i64>,
    v: Vec<i64>,
}

/// How many axes the space of a pose has.
fn axes(group: &Group) -> usize {
    match group.pose {
        [Part::Number, ..] => 2,
        _ => 3,
    }
}

impl Mechanics {
    /// Whether a change of signs reverses the motion, from the accelerations as functions of q, v and t.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn reversibility(
        &mut self,
        engine: &mut dyn Engine,
        acceleration: &[Expr],
    ) -> Result<Reversibility, EngineError> {
        // Whether the rates of auxiliary states turn round with the motion is not asked.
        if !self.system.states.is_empty() {
            return Ok(Reversibility::NotDecided);
        }
        let all = self.reflections();
        if let Some(signs) = all.iter().find(|signs| self.is_reversed(signs)) {
            let names = self.system.coordinates.iter().zip(&signs.q);
            let reflected = names.filter(|(_, s)| **s < 0).map(|(c, _)| c.name.clone()).collect();
            let t = [self.system.t];
            let about_zero = [&self.momentum, &self.bias, &self.residual]
                .into_iter()
                .flatten()
                .any(|&e| self.system.pool.depends_on(e, &t));
            return Ok(Reversibility::By(Reversal { reflected, about_zero }));
        }
        let admissible = self.admissible(engine)?;
        let u: Vec<Expr> = admissible.free.iter().map(|&i| self.v[i]).collect();
        let mut on_constraints = HashMap::new();
        for ((&v, row), &drift) in self.v.iter().zip(&admissible.d).zip(&admissible.drift) {
            let linear = dot(&mut self.system.pool, row, &u);
            on_constraints.insert(v, self.system.pool.add(linear, drift));
        }
        let excluded = all.iter().all(|signs| self.is_excluded(signs, &on_constraints, acceleration));
        Ok(match excluded {
            true => Reversibility::Excluded { tried: all.len(), all: self.mirrors() <= MAX_MIRRORS },
            false => Reversibility::NotDecided,
        })
    }

    /// Whether a change of signs reverses the Lagrangian too, L(s q, −s' v, −t) = L(q, v, t), and with it the motions of
    /// discrete Lagrangians. A total time derivative in L is not reversed in general.
    pub fn has_reversible_lagrangian(&mut self) -> bool {
        self.reflections().into_iter().any(|signs| self.reverses_momenta(&signs) && self.is_reversed(&signs))
    }

    /// How many signs there are to choose.
    fn mirrors(&self) -> usize {
        // Mirrors of each pose: signs of the axes in space and in the body at once.
        let axes: usize = self.system.group.factors().iter().map(|group| axes(group)).sum();
        self.system.shape() + axes
    }

    /// All reflections to try, those of fewer entries first.
    fn reflections(&self) -> Vec<Signs> {
        let k = self.system.shape();
        let bits = self.mirrors();
        let sets: Vec<u32> = if bits <= MAX_MIRRORS {
            (0..1 << bits).collect()
        } else {
            [0].into_iter().chain((0..bits.min(31)).map(|i| 1 << i)).collect()
        };
        let sign = |set: u32, i: usize| if i < 32 && set >> i & 1 == 1 { -1 } else { 1 };
        let mut all: Vec<Signs> = sets
            .into_iter()
            .map(|set| {
                let shape: Vec<i64> = (0..k).map(|i| sign(set, i)).collect();
                let (mut q, mut v) = (shape.clone(), shape);
                let mut first = k;
                for group in self.system.group.factors() {
                    let s: Vec<i64> = (first..first + axes(group)).map(|i| sign(set, i)).collect();
                    first += s.len();
                    let handed: i64 = s.iter().product();
                    for part in group.pose {
                        match part {
                            // Of the plane: an angle and a position.
                            Part::Number => {}
                            Part::Vector => q.extend(&s),
                            Part::Matrix => q.extend((0..9).map(|e| s[e / 3] * s[e % 3])),
                        }
                    }
                    if let [x, y] = s[..] {
                        q.extend([handed, x, y]);
                        v.extend([handed, x, y]);
                    } else {
                        v.extend(s.iter().map(|s| handed * s));
                        v.extend(s.iter().take(group.dimension - group.rotations));
                    }
                }
                Signs { q, v }
            })
            .collect();
        all.sort_by_key(|signs| signs.q.iter().filter(|s| **s < 0).count());
        all
    }

    /// The images of configuration, velocities and time.
    fn images(&mut self, signs: &Signs) -> HashMap<Expr, Expr> {
        let t = self.system.t;
        let pool = &mut self.system.pool;
        let mut back = HashMap::new();
        for (&q, &s) in self.q.iter().zip(&signs.q) {
            let image = pool.int(s);
            back.insert(q, pool.mul(image, q));
        }
        for (&v, &s) in self.v.iter().zip(&signs.v) {
            let image = pool.int(-s);
            back.insert(v, pool.mul(image, v));
        }
        back.insert(t, pool.neg(t));
        back
    }

    /// p(s q, −s' v, −t) = −s' p(q, v, t).
    fn reverses_momenta(&mut self, signs: &Signs) -> bool {
        let (free, back) = (self.free_pose(), self.images(signs));
        let pool = &mut self.system.pool;
        let images = pool.substitute(&self.momentum, &back);
        (self.momentum.iter().zip(images).zip(&signs.v)).all(|((&p, image), &s)| {
            let turned = pool.int(s);
            let turned = pool.mul(turned, p);
            let sum = pool.add(image, turned);
            let sum = pool.substitute(&[sum], &free)[0];
            pool.vanishes(sum)
        })
    }

    fn is_reversed(&mut self, signs: &Signs) -> bool {
        let free = self.free_pose();
        let back = self.images(signs);
        let pool = &mut self.system.pool;
        let mut differences = Vec::new();
        let images = pool.substitute(&self.bias, &back);
        for ((&b, image), &s) in self.bias.iter().zip(images).zip(&signs.v) {
            let expected = pool.int(s);
            let expected = pool.mul(expected, b);
            differences.push(pool.sub(image, expected));
        }
        for (row, &s) in self.mass.iter().zip(&signs.v) {
            let images = pool.substitute(row, &back);
            for ((&e, image), &other) in row.iter().zip(images).zip(&signs.v) {
                let expected = pool.int(s * other);
                let expected = pool.mul(expected, e);
                differences.push(pool.sub(image, expected));
            }
        }
        let differences = pool.substitute(&differences, &free);
        if differences.into_iter().any(|e| !pool.vanishes(e)) {
            return false;
        }
        let both = self.with_images(signs);
        self.system.pool.rank(&both) == self.mu.len()
    }

    /// Whether the motion is surely not reversed, by the accelerations at admissible velocities.
    fn is_excluded(
        &mut self,
        signs: &Signs,
        on_constraints: &HashMap<Expr, Expr>,
        acceleration: &[Expr],
    ) -> bool {
        let both = self.with_images(signs);
        let m = self.mu.len();
        if self.system.pool.least_rank(&both) > m {
            return true;
        }
        if self.system.pool.rank(&both) > m {
            return false;
        }
        let (free, back) = (self.free_pose(), self.images(signs));
        let pool = &mut self.system.pool;
        acceleration.iter().zip(&signs.v).any(|(&a, &s)| {
            let image = pool.substitute(&[a], &back)[0];
            let expected = pool.int(s);
            let expected = pool.mul(expected, a);
            let difference = pool.sub(image, expected);
            let difference = pool.substitute(&[difference], on_constraints);
            let difference = pool.substitute(&difference, &free)[0];
            pool.zero_test(difference) == Zero::No
        })
    }

    /// The constraints (μ, μ₀) and below them their images.
    fn with_images(&mut self, signs: &Signs) -> Matrix {
        let (free, back) = (self.free_pose(), self.images(signs));
        let pool = &mut self.system.pool;
        let rows: Matrix =
            self.mu.iter().zip(&self.mu_t).map(|(row, &dt)| [&row[..], &[dt]].concat()).collect();
        let mut both = rows.clone();
        for row in &rows {
            let mut image = pool.substitute(row, &back);
            for (e, &s) in image.iter_mut().zip(&signs.v) {
                let sign = pool.int(-s);
                *e = pool.mul(sign, *e);
            }
            both.push(image);
        }
        both.iter().map(|row| pool.substitute(row, &free)).collect()
    }
}
