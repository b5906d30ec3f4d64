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
//! The forces f may have a separate quadrature.
//!
//! (Discrete Legendre transforms as in Marsden and West, Acta Numerica 2001; on vector spaces these
//! are the −D₁L_d and D₂L_d of the papers.)

use super::builder::Builder;
use super::moser_veselov;
use super::space::{End, Space};
use crate::expr::Expr;

/// A place in the unit interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
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
pub(super) enum Quadrature {
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
    pub(super) fn places(self) -> &'static [Place] {
        match self {
            Quadrature::Trapezoid => &[Place::Left, Place::Right],
            Quadrature::Midpoint => &[Place::Middle],
            Quadrature::Left => &[Place::Left],
            Quadrature::Right => &[Place::Right],
        }
    }

    /// The weight of each place.
    pub(super) fn weight(self, b: &mut Builder<'_>) -> Expr {
        b.pool().ratio(1, self.places().len() as i64)
    }

    /// The value at one place.
    pub(super) fn at(place: Place) -> Quadrature {
        match place {
            Place::Left => Quadrature::Left,
            Place::Middle => Quadrature::Midpoint,
            Place::Right => Quadrature::Right,
        }
    }

    /// The same in the other direction.
    fn mirrored(self) -> Quadrature {
        match self {
            Quadrature::Left => Quadrature::Right,
            Quadrature::Right => Quadrature::Left,
            symmetric => symmetric,
        }
    }
}

/// Quadratures of the Lagrangian and of the forces.
#[derive(Clone, Copy)]
pub(super) struct Discretisation {
    lagrangian: Quadrature,
    force: Quadrature,
    /// Whether ∂ℓ/∂ξ is carried to the ends of a step by the tangents of its retraction, and not by the
    /// discrete Lagrangian of Moser and Veselov.
    retracted: bool,
}

impl Discretisation {
    /// The same quadrature for both.
    pub(super) fn plain(quadrature: Quadrature) -> Self {
        Discretisation { lagrangian: quadrature, force: quadrature, retracted: true }
    }

    /// Forces act at the nodes.
    pub(super) fn nodal(quadrature: Quadrature) -> Self {
        Discretisation { lagrangian: quadrature, force: Quadrature::Trapezoid, retracted: true }
    }

    /// −tr(JW)/h, of bodies without potential and forces.
    pub(super) fn moser_veselov() -> Self {
        Discretisation { lagrangian: Quadrature::Left, force: Quadrature::Left, retracted: false }
    }

    /// Where the Lagrangian acts on one end of a step alone, the forces act on the other.
    pub(super) fn crossed(quadrature: Quadrature) -> Self {
        Discretisation { lagrangian: quadrature, force: quadrature.mirrored(), retracted: true }
    }
}

/// One step of a discrete trajectory.
pub(super) struct Step<'a> {
    /// One of its ends, and which.
    at: &'a [Expr],
    known: Place,
    velocity: &'a [Expr],
    /// Time at its beginning.
    t: Expr,
    /// Names its base points.
    suffix: &'a str,
}

impl<'a> Step<'a> {
    /// The step that leaves `from` at time `t` with `velocity`.
    pub(super) fn leaving(from: &'a [Expr], velocity: &'a [Expr], t: Expr, suffix: &'a str) -> Self {
        Step { at: from, known: Place::Left, velocity, t, suffix }
    }

    /// The step that arrives at `to` at time `t` + h with `velocity`.
    pub(super) fn arriving(to: &'a [Expr], velocity: &'a [Expr], t: Expr, suffix: &'a str) -> Self {
        Step { at: to, known: Place::Right, velocity, t, suffix }
    }

    /// A base point, bound in the program.
    fn base(&self, b: &mut Builder<'_>, space: &Space, place: Place) -> Vec<Expr> {
        let distance = b.halves_of_h(place.halves() - self.known.halves());
        let base = space.advance(b, self.at, distance, self.velocity);
        let middle = if place == Place::Middle { "_mid" } else { "" };
        b.bind_configuration(&format!("{}{middle}", self.suffix), &base)
    }

    /// p⁻ at the first or p⁺ at the last end.
    pub(super) fn momentum(
        &self,
        b: &mut Builder<'_>,
        space: &Space,
        rule: Discretisation,
        end: End,
    ) -> Vec<Expr> {
        let (l_v, l_q, f) = (b.x.momentum.clone(), b.x.dl_dq.clone(), b.x.force.clone());
        let together = rule.force == rule.lagrangian || !b.x.structure.forced;
        let pushes = if together { b.forces() } else { l_q };
        let mut nu = vec![Vec::new(); self.velocity.len()];
        let mut kick = nu.clone();
        for &place in rule.lagrangian.places() {
            let base = self.base(b, space, place);
            let momentum = b.at(&l_v, &base, self.velocity, self.t);
            let weight = rule.lagrangian.weight(b);
            for (nu, &p) in nu.iter_mut().zip(&momentum) {
                nu.push(b.mul(weight, p));
            }
            self.push(b, (place, &base), weight, end, &pushes, &mut kick);
        }
        if !together {
            for &place in rule.force.places() {
                let base = self.base(b, space, place);
                let weight = rule.force.weight(b);
                self.push(b, (place, &base), weight, end, &f, &mut kick);
            }
        }
        let nu: Vec<Expr> = nu.iter().map(|terms| b.pool().sum(terms)).collect();
        let mut p = match rule.retracted {
            true => space.momentum_at(b, end, self.velocity, &nu),
            false => moser_veselov::momentum_at(b, end, self.velocity, &nu),
        };
        for (p, kick) in p.iter_mut().zip(&kick) {
            let kick = b.pool().sum(kick);
            *p = b.add(*p, kick);
        }
        p
    }

    /// Adds what the forces at one base point do to the momentum at an end.
    fn push(
        &self,
        b: &mut Builder<'_>,
        (place, base): (Place, &[Expr]),
        weight: Expr,
        end: End,
        force: &[Expr],
        kick: &mut [Vec<Expr>],
    ) {
        let share = match end {
            End::First => b.halves_of_h(place.halves() - 2),
            End::Last => b.halves_of_h(place.halves()),
        };
        let after = b.halves_of_h(place.halves());
        let time = b.add(self.t, after);
        let force = b.at(force, base, self.velocity, time);
        for (kick, &force) in kick.iter_mut().zip(&force) {
            kick.push(b.pool().product(&[weight, share, force]));
        }
    }
}
