//! Discrete Lagrangians by quadrature, with discrete forces, and their two Legendre transforms.
//!
//! For a step from x with velocity d and quadrature {(wᵢ, cᵢ)}, base points bᵢ = x + cᵢ h d:
//!
//! ```text
//! L_d = h Σ wᵢ L(bᵢ, d, t + cᵢ h)
//! p⁻ = Σ wᵢ L_v(bᵢ, d, t + cᵢ h) − h Σ wᵢ (1 − cᵢ) (L_q + f)(bᵢ, d, t + cᵢ h)      covector at x
//! p⁺ = Σ wᵢ L_v(bᵢ, d, t + cᵢ h) + h Σ wᵢ cᵢ (L_q + f)(bᵢ, d, t + cᵢ h)            covector at y = x + h d
//! ```
//!
//! The forces f may have a separate quadrature.
//!
//! (Discrete Legendre transforms as in Marsden and West, Acta Numerica 2001; on vector spaces these
//! are the −D₁L_d and D₂L_d of the papers.)

use super::builder::Builder;
use super::equations::times_h;
use super::moser_veselov;
use super::space::{End, Space};
use super::states::{Beginning, States};
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
    /// The point of a step from x to y there, in documentation.
    fn point(self) -> &'static str {
        match self {
            Place::Left => "x",
            Place::Middle => "b",
            Place::Right => "y",
        }
    }

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

    /// Its mean over a step from x to y of `term`, a function of the point, in documentation.
    pub(super) fn mean(self, term: impl Fn(&str) -> String) -> String {
        let half = if self.places().len() == 1 { "" } else { "½ " };
        let terms: Vec<String> =
            self.places().iter().map(|place| format!("{half}{}", term(place.point()))).collect();
        terms.join(" + ")
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

    /// −tr(JW)/h, of bodies without potential and forces. Only auxiliary states have the quadrature of forces.
    pub(super) fn moser_veselov() -> Self {
        Discretisation { lagrangian: Quadrature::Left, force: Quadrature::Trapezoid, retracted: false }
    }

    /// Where the Lagrangian acts on one end of a step alone, the forces act on the other.
    pub(super) fn crossed(quadrature: Quadrature) -> Self {
        Discretisation { lagrangian: quadrature, force: quadrature.mirrored(), retracted: true }
    }
}

impl Discretisation {
    /// p⁻ and p⁺ of a step with velocity d, in documentation; on a group ∂L/∂ξ is carried to the ends.
    pub(super) fn momenta(self, group: bool) -> Vec<String> {
        if !self.retracted {
            return vec![
                "p⁻(ω) = c (𝕀ω + h/2 ω × 𝕀ω)".into(),
                "p⁺(ω) = c (𝕀ω − h/2 ω × 𝕀ω),  c = 4/(4 + h²|ω|²)".into(),
            ];
        }
        let carried = |end: &str| if group { format!("(T{end})* ") } else { String::new() };
        let mean = self.lagrangian.mean(|point| format!("L_v({point}, d)"));
        let mean = if group { format!("({mean})") } else { mean };
        let forces: Vec<(&str, Quadrature)> = match self.force == self.lagrangian {
            true => vec![("(L_q + f)", self.lagrangian)],
            false => vec![("L_q", self.lagrangian), ("f", self.force)],
        };
        let pushes = |sign: &str, halves: fn(Place) -> i64| -> String {
            let mut all = String::new();
            for &(force, quadrature) in &forces {
                for &place in quadrature.places() {
                    // Two places share the weight.
                    let fraction = match (halves(place), quadrature.places().len()) {
                        (2, 1) => (1, 1),
                        (0, _) => (0, 1),
                        _ => (1, 2),
                    };
                    if let Some(share) = times_h(fraction) {
                        all.push_str(&format!(" {sign} {share}{force}({}, d)", place.point()));
                    }
                }
            }
            all
        };
        let mut lines = vec![
            format!("p⁻(x, y) = {}{mean}{}", carried("⁻"), pushes("−", |place| 2 - place.halves())),
            format!("p⁺(x, y) = {}{mean}{}", carried("⁺"), pushes("+", Place::halves)),
        ];
        let middle = [self.lagrangian, self.force].contains(&Quadrature::Midpoint);
        lines.push(format!("for y = x + h d{}", if middle { " and b = x + h/2 d" } else { "" }));
        if group {
            lines.push("T⁻ = (1, dτ⁻¹_{hξ}),  T⁺ = (1, (dτᴸ_{hξ})⁻¹)".into());
        }
        lines
    }
}

/// One step of a discrete trajectory.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    /// One of its ends, and which.
    at: &'a [Expr],
    known: Place,
    velocity: &'a [Expr],
    beginning: Beginning<'a>,
    /// Names its base points.
    suffix: &'a str,
}

impl<'a> Step<'a> {
    /// The step that leaves `from` with `velocity`.
    pub(super) fn leaving(
        from: &'a [Expr],
        velocity: &'a [Expr],
        beginning: Beginning<'a>,
        suffix: &'a str,
    ) -> Self {
        Step { at: from, known: Place::Left, velocity, beginning, suffix }
    }

    /// The step that arrives at `to` with `velocity`.
    pub(super) fn arriving(
        to: &'a [Expr],
        velocity: &'a [Expr],
        beginning: Beginning<'a>,
        suffix: &'a str,
    ) -> Self {
        Step { at: to, known: Place::Right, velocity, beginning, suffix }
    }

    /// The same step with other auxiliary states.
    pub(super) fn with_states<'b>(self, states: &'b States) -> Step<'b>
    where
        'a: 'b,
    {
        Step { beginning: Beginning { states, ..self.beginning }, ..self }
    }

    /// A base point, bound in the program.
    fn base(&self, b: &mut Builder<'_>, space: &Space, place: Place) -> Vec<Expr> {
        let distance = b.halves_of_h(place.halves() - self.known.halves());
        let base = space.advance(b, self.at, distance, self.velocity);
        let middle = if place == Place::Middle { "_mid" } else { "" };
        b.bind_configuration(&format!("{}{middle}", self.suffix), &base)
    }

    /// The time at a base point.
    fn time(&self, b: &mut Builder<'_>, place: Place) -> Expr {
        let after = b.halves_of_h(place.halves());
        b.add(self.beginning.t, after)
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
            let time = self.time(b, place);
            let momentum = b.at(&l_v, &base, self.velocity, time);
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

    /// What `forces`, or other quantities, at the base points of forces do to the momentum at an end.
    pub(super) fn pushes(
        &self,
        b: &mut Builder<'_>,
        space: &Space,
        rule: Discretisation,
        end: End,
        forces: &[Expr],
    ) -> Vec<Expr> {
        let mut kick = vec![Vec::new(); forces.len()];
        for &place in rule.force.places() {
            let base = self.base(b, space, place);
            let weight = rule.force.weight(b);
            self.push(b, (place, &base), weight, end, forces, &mut kick);
        }
        kick.iter().map(|terms| b.pool().sum(terms)).collect()
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
        if b.pool().is_zero(share) {
            return;
        }
        let time = self.time(b, place);
        let Beginning { states, halves, .. } = self.beginning;
        let z = match b.x.depends_on_states(force) {
            true => states.at(b, halves + place.halves()),
            false => states.now.clone(),
        };
        let force = b.at_states(force, (base, self.velocity, &z), time);
        for (kick, &force) in kick.iter_mut().zip(&force) {
            kick.push(b.pool().product(&[weight, share, force]));
        }
    }
}
