//! Discrete Lagrangians by quadrature, with discrete forces, and their two Legendre transforms.
//!
//! For a step from x with velocity d and quadrature {(wᵢ, cᵢ)}, base points bᵢ = x + cᵢ h d:
//!
//! ```text
//! L_d = h Σ wᵢ L(bᵢ, d)
//! p⁻ = Σ wᵢ L_v(bᵢ, d) − h Σ wᵢ (1 − cᵢ) (L_q + f)(bᵢ, d, t + cᵢ h)      covector at x
//! p⁺ = Σ wᵢ L_v(bᵢ, d) + h Σ wᵢ cᵢ (L_q + f)(bᵢ, d, t + cᵢ h)            covector at y = x + h d
//! ```
//!
//! (Discrete Legendre transforms as in Marsden and West, Acta Numerica 2001; on vector spaces these
//! are the −D₁L_d and D₂L_d of the papers.)

use super::builder::Builder;
use super::space::{End, Space};
use crate::expr::Expr;

/// A place in the unit interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// 0.
    Left,
    /// ½.
    Middle,
    /// 1.
    Right,
}

impl Place {
    /// Twice its distance from the left end.
    pub(super) fn halves(self) -> i64 {
        match self {
            Place::Left => 0,
            Place::Middle => 1,
            Place::Right => 2,
        }
    }
}

/// Quadrature of the discrete Lagrangian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quadrature {
    /// {(½, 0), (½, 1)}.
    Trapezoid,
    /// {(1, ½)}.
    Midpoint,
    /// {(1, 0)}: symplectic Euler A.
    Left,
    /// {(1, 1)}: symplectic Euler B.
    Right,
}

impl Quadrature {
    fn places(self) -> &'static [Place] {
        match self {
            Quadrature::Trapezoid => &[Place::Left, Place::Right],
            Quadrature::Midpoint => &[Place::Middle],
            Quadrature::Left => &[Place::Left],
            Quadrature::Right => &[Place::Right],
        }
    }
}

/// One step of a discrete trajectory: the base points of its quadrature, bound in the program.
pub(super) struct Step {
    bases: Vec<(Place, Vec<Expr>)>,
    velocity: Vec<Expr>,
    t: Expr,
}

impl Step {
    /// The step that leaves `from` at time `t` with `velocity`; `suffix` names its base points.
    pub(super) fn leaving(
        b: &mut Builder<'_>,
        space: &Space,
        quadrature: Quadrature,
        from: &[Expr],
        velocity: &[Expr],
        t: Expr,
        suffix: &str,
    ) -> Step {
        let mut bases = Vec::new();
        for &place in quadrature.places() {
            let distance = b.halves_of_h(place.halves());
            let base = space.advance(b, from, distance, velocity);
            let suffix = if place == Place::Middle { format!("{suffix}_mid") } else { suffix.to_owned() };
            bases.push((place, b.bind_coordinates("", &suffix, &base)));
        }
        Step { bases, velocity: velocity.to_vec(), t }
    }

    /// The step that arrives at `to` at time `t` + h with `velocity`.
    pub(super) fn arriving(
        b: &mut Builder<'_>,
        space: &Space,
        quadrature: Quadrature,
        to: &[Expr],
        velocity: &[Expr],
        t: Expr,
        suffix: &str,
    ) -> Step {
        let mut bases = Vec::new();
        for &place in quadrature.places() {
            let distance = b.halves_of_h(place.halves() - 2);
            let base = space.advance(b, to, distance, velocity);
            bases.push((place, b.bind_coordinates("", suffix, &base)));
        }
        Step { bases, velocity: velocity.to_vec(), t }
    }

    /// p⁻ at the first or p⁺ at the last end.
    pub(super) fn momentum(&self, b: &mut Builder<'_>, space: &Space, end: End) -> Vec<Expr> {
        let n = self.velocity.len();
        let mut nu = vec![Vec::new(); n];
        let mut kick = vec![Vec::new(); n];
        let (l_v, l_q_f) = (b.x.momentum.clone(), b.forces());
        let weight = b.pool().ratio(1, self.bases.len() as i64);
        for (place, base) in &self.bases {
            let share = match end {
                End::First => b.halves_of_h(place.halves() - 2),
                End::Last => b.halves_of_h(place.halves()),
            };
            let after = b.halves_of_h(place.halves());
            let time = b.add(self.t, after);
            let momentum = b.at(&l_v, base, &self.velocity, time);
            let force = b.at(&l_q_f, base, &self.velocity, time);
            for i in 0..n {
                nu[i].push(b.mul(weight, momentum[i]));
                kick[i].push(b.pool().product(&[weight, share, force[i]]));
            }
        }
        let nu: Vec<Expr> = nu.iter().map(|terms| b.pool().sum(terms)).collect();
        let mut p = space.momentum_at(end, &nu);
        for (p, kick) in p.iter_mut().zip(&kick) {
            let kick = b.pool().sum(kick);
            *p = b.add(*p, kick);
        }
        p
    }
}
