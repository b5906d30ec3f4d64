//! What methods keep for a system.

use super::Context;
use crate::expr::Expr;
use crate::mechanics::Mechanics;
use crate::method::{Method, frame_keeps_momenta, refusal};
use nhi_methods::Kind;

/// How well something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grade {
    Guaranteed,
    Typical,
    /// Typical of motions that a reversal maps to themselves.
    OfReversedMotions,
    NotExpected,
    /// There is nothing to keep.
    Nothing,
}

impl Grade {
    fn text(self) -> &'static str {
        match self {
            Grade::Guaranteed => "guaranteed",
            Grade::Typical => "typical",
            Grade::OfReversedMotions => "typical of motions that a reversal maps to themselves",
            Grade::NotExpected => "not to be expected",
            Grade::Nothing => "nothing to keep",
        }
    }
}

/// What one method keeps, with reasons.
pub(super) struct Expectation {
    method: Method,
    constraint: (Grade, String),
    energy: (Grade, String),
    momenta: (Grade, String),
}

impl Expectation {
    /// As cells of a table.
    pub(super) fn cells(&self) -> Vec<String> {
        let cell = |(grade, why): &(Grade, String)| format!("{}: {why}", grade.text());
        let id = format!("`{}`", self.method.facts().id);
        vec![id, cell(&self.constraint), cell(&self.energy), cell(&self.momenta)]
    }
}

/// What of the system decides.
struct Facts {
    /// Number of constraints.
    m: usize,
    has_positions: bool,
    /// Why the energy of the motion itself is not constant, if it is not.
    changes_energy: Option<&'static str>,
    /// The potential energy has several branches.
    is_piecewise: bool,
    /// A reflection reverses the Lagrangian.
    is_reversible: bool,
    /// Parasitic modes are known not to grow: M is constant, and reactions do not change the one-forms.
    has_neutral_parasites: bool,
    has_momenta: bool,
    momenta_are_linear: bool,
    /// The potential energy is a polynomial of degree two in the coordinates, and does not depend on the pose.
    has_quadratic_potential: bool,
    /// Momenta are affine functions of the coordinates, times components in the frame of `frame`.
    frame_keeps_momenta: bool,
    /// L has terms that are linear in the velocities.
    is_gyroscopic: bool,
}

/// Those of every method that applies.
pub(super) fn expectations(x: &mut Context<'_>) -> Vec<Expectation> {
    let facts = facts(x);
    let applies = |method: &&Method| refusal(**method, &x.mechanics).is_none();
    Method::ALL.iter().filter(applies).map(|&method| expectation(method, &facts)).collect()
}

fn facts(x: &mut Context<'_>) -> Facts {
    let structure = x.mechanics.structure;
    let changes_energy = if structure.time_dependent {
        Some("the energy of the motion changes with time, since L or a constraint depends on t")
    } else if structure.forced {
        Some("the forces do work on the system")
    } else if structure.affine {
        Some("affine constraints do work on the system")
    } else {
        None
    };
    let place: Vec<Expr> = x.mechanics.q.iter().copied().chain([x.mechanics.system.t]).collect();
    let symmetries = x.mechanics.symmetries.clone();
    let momenta_are_linear = symmetries.iter().all(|symmetry| {
        let along = symmetry.direction.iter().zip(&x.mechanics.momentum).filter(|(c, _)| **c != 0);
        let terms: Vec<Expr> = along.map(|(_, &p)| p).collect();
        terms.iter().all(|&p| !x.mechanics.system.pool.depends_on(p, &place))
    });
    Facts {
        m: x.mechanics.m(),
        has_positions: x.mechanics.has_positions(),
        changes_energy,
        is_piecewise: x.mechanics.system.pool.has_select(&[x.mechanics.system.lagrangian]),
        is_reversible: x.mechanics.has_reversible_lagrangian(),
        has_neutral_parasites: structure.constant_mass
            && structure.affine_in_impulse
            && x.mechanics.system.group.is_trivial(),
        has_quadratic_potential: has_quadratic_potential(&mut x.mechanics),
        has_momenta: !symmetries.is_empty(),
        frame_keeps_momenta: !symmetries.is_empty()
            && refusal(Method::Frame, &x.mechanics).is_none()
            && frame_keeps_momenta(&mut x.mechanics),
        momenta_are_linear,
        is_gyroscopic: x.mechanics.structure.gyroscopic,
    }
}

/// Which method to use, from what the methods of `rows` keep.
pub(super) fn recommendation(x: &Context<'_>, rows: &[Expectation]) -> String {
    let default = Method::default_of(!x.mechanics.system.group.is_trivial(), x.mechanics.has_positions());
    let energy = |method: Method| rows.iter().find(|row| row.method == method).map(|row| row.energy.0);
    let id = default.facts().id;
    let keeps_energy = energy(Method::Frame) == Some(Grade::Guaranteed);
    let when = match energy(default) {
        Some(Grade::OfReversedMotions) if keeps_energy => {
            "Where the energy matters on motions that no reversal maps to themselves, because an angle that drives the rest goes round or because motions contract, or where step sizes vary, use `frame`, which keeps it."
        }
        Some(Grade::Typical) if keeps_energy => {
            "Where the energy has to be exact, in chaotic motions or with step sizes that vary, use `frame`."
        }
        Some(Grade::NotExpected) if keeps_energy => {
            "Where the energy matters use `frame`: the default method is not known to hold it for this system, and `frame` keeps it."
        }
        Some(Grade::Nothing) => {
            "The energy of a motion itself changes here, so that no method is recommended for keeping it."
        }
        _ => "No method that applies is known to keep the energy exactly.",
    };
    format!("Recommended: `{id}`, the default. {when}")
}

/// Whether forces at rest are affine in the coordinates.
fn has_quadratic_potential(x: &mut Mechanics) -> bool {
    let (q, k) = (x.q.clone(), x.system.shape());
    let at_rest = x.v.iter().map(|&v| (v, x.system.pool.zero())).collect();
    let forces = x.system.pool.substitute(&x.dl_dq, &at_rest);
    let is_affine = |&force: &Expr| {
        let slopes = x.system.pool.gradient(force, &q[..k]);
        !x.system.pool.depends_on(force, &q[k..]) && x.system.pool.are_affine(&[force], &slopes, &q)
    };
    forces.iter().all(is_affine)
}

fn expectation(method: Method, facts: &Facts) -> Expectation {
    Expectation {
        method,
        constraint: constraint(method, facts),
        energy: energy(method, facts),
        momenta: momenta(method, facts),
    }
}

fn graded(grade: Grade, why: &str) -> (Grade, String) {
    (grade, why.to_owned())
}

fn constraint(method: Method, facts: &Facts) -> (Grade, String) {
    if facts.m == 0 {
        return graded(Grade::Nothing, "there are no constraints");
    }
    match method.facts().kind {
        Kind::RungeKutta | Kind::MuntheKaas => graded(
            Grade::NotExpected,
            "it follows the index-reduced equations and drifts off the constraints by its own error",
        ),
        Kind::Reflecting if facts.has_positions => graded(
            Grade::Guaranteed,
            "velocities are projected at every node; the reflected momentum itself is off by O(h)",
        ),
        Kind::Reflecting => graded(
            Grade::Guaranteed,
            "the velocity at a node is the projection of both momenta; the reflected momentum itself is off by O(h)",
        ),
        Kind::Frame => {
            graded(Grade::Guaranteed, "velocities at the nodes are combinations of admissible ones")
        }
        _ => graded(Grade::Guaranteed, "a step solves μ v + μ₀ = 0 at the new node"),
    }
}

fn energy(method: Method, facts: &Facts) -> (Grade, String) {
    if let Some(why) = facts.changes_energy {
        return graded(Grade::Nothing, why);
    }
    let row = method.facts();
    match row.kind {
        Kind::RungeKutta | Kind::MuntheKaas => (
            Grade::NotExpected,
            format!("no structure holds the energy; it drifts with an error of order {}", row.order),
        ),
        _ if facts.is_piecewise => graded(
            Grade::NotExpected,
            "the potential energy is piecewise: every step across a change of branch adds an error",
        ),
        Kind::Frame if method == Method::DiscreteGradient => graded(
            Grade::Typical,
            "exact up to the quadrature with five nodes that averages derivatives of the kinetic energy",
        ),
        // The gradient in the middle is the average of forces that are affine in the coordinates.
        Kind::Frame if method == Method::Frame || facts.has_quadratic_potential => graded(
            Grade::Guaranteed,
            "exact with any sequence of step sizes, by an orthonormal frame and the averaged gradient of the potential",
        ),
        Kind::Frame => graded(
            Grade::NotExpected,
            "it is exact for potentials of degree two in the coordinates alone; the method `frame` keeps it for all",
        ),
        _ if facts.m == 0 => (
            Grade::Typical,
            format!(
                "without constraints it is a variational integrator: bounded by O(h^{}) near quasi-periodic motions, a random walk on chaotic ones",
                row.order
            ),
        ),
        Kind::Restarted => graded(Grade::NotExpected, "it is not symmetric, and its energy drifts slowly"),
        Kind::Reflecting if row.order == 1 => {
            graded(Grade::NotExpected, "its parasitic modes grow or decay exponentially")
        }
        Kind::Reflecting if facts.has_neutral_parasites && facts.is_reversible => {
            reversed("reactions do not change the one-forms, so that its parasitic modes are neutral")
        }
        Kind::Reflecting => graded(
            Grade::NotExpected,
            "its parasitic modes can grow exponentially in long runs; prefer a method of the DLA family, or `rdp` on groups",
        ),
        _ if method == Method::SuslovMv && facts.m == 1 => {
            graded(Grade::Guaranteed, "exact with one constraint, by its discrete Lagrangian")
        }
        _ if row.adjoint != Some(method) => {
            graded(Grade::NotExpected, "it is not symmetric, and its energy grows or decays steadily")
        }
        _ if facts.is_reversible => reversed("the system is reversible"),
        _ => graded(
            Grade::NotExpected,
            "it is symmetric, but no reflection was found that reverses the Lagrangian",
        ),
    }
}

/// The energy of a symmetric method for a reversible system: what holds it is that the orbit is mapped to itself by a reversal,
/// which a reversible system does not grant.
fn reversed(why: &str) -> (Grade, String) {
    let text = format!(
        "it is symmetric, and {why}: bounded by O(h²) on quasi-periodic motions that a reversal maps to themselves, as it does those that begin at rest; steadily growing or decaying on others, where an angle that drives the rest goes round, or where motions contract; a random walk on chaotic ones"
    );
    (Grade::OfReversedMotions, text)
}

fn momenta(method: Method, facts: &Facts) -> (Grade, String) {
    if !facts.has_momenta {
        return graded(Grade::Nothing, "no constant direction of the coordinates has a conserved momentum");
    }
    match method.facts().kind {
        Kind::RungeKutta | Kind::MuntheKaas if facts.momenta_are_linear => graded(
            Grade::Guaranteed,
            "the momenta are linear in the velocities, and Runge–Kutta methods keep linear invariants",
        ),
        Kind::RungeKutta | Kind::MuntheKaas => {
            graded(Grade::NotExpected, "the momenta depend on the configuration")
        }
        Kind::Frame if method == Method::DiscreteGradient && facts.m == 0 && !facts.is_gyroscopic => graded(
            Grade::Guaranteed,
            "the momenta are coordinates, whose means of forces have no part along a symmetry",
        ),
        Kind::Frame if method == Method::DiscreteGradient => graded(
            Grade::NotExpected,
            "it is not variational, and a momentum need not be one of its coordinates",
        ),
        Kind::Frame if facts.frame_keeps_momenta => graded(
            Grade::Guaranteed,
            "the momenta are quadratic in the coordinates and the components in the frame, and a mid-point rule keeps quadratic invariants",
        ),
        Kind::Frame => graded(
            Grade::NotExpected,
            "it is not variational: a momentum is kept only where it is quadratic in the coordinates and the components in the frame",
        ),
        // The momentum at a node between two steps is kept, and the state is half a step before and behind.
        Kind::Dla if method == Method::Dla2 && !facts.momenta_are_linear => graded(
            Grade::NotExpected,
            "the momenta depend on the configuration: the discrete momentum between two states is exact, that of the states varies by O(h²)",
        ),
        _ => graded(
            Grade::Guaranteed,
            "the discrete Lagrangian has the symmetry, and no reaction acts along it (discrete Noether theorem)",
        ),
    }
}
