//! Structure that methods and reports make use of.

use super::{Mechanics, along};
use crate::expr::Expr;
use crate::expr::linear::Matrix;
use std::collections::HashMap;

/// Special properties of a system, determined once from the derived quantities.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Structure {
    /// M depends neither on q nor on time.
    pub constant_mass: bool,
    /// Some μ₀ ≠ 0: the constraints are affine in the velocities.
    pub affine: bool,
    /// The momenta have a part a(q) that does not depend on v.
    pub gyroscopic: bool,
    /// L or a constraint depends on time.
    pub time_dependent: bool,
    /// There is a work one-form.
    pub forced: bool,
    /// A constraint depends on inputs.
    pub driven: bool,
    /// The motion run backwards is a motion: nothing is odd in v, no affine part, no dependence on
    /// time, inputs or auxiliary states.
    pub reversible: bool,
    /// μ and μ₀ do not change along reactions, ∂μ/∂q · M⁻¹μᵀ = 0: `dla2` needs no iteration.
    pub affine_in_impulse: bool,
    /// There is a group factor, and L, the one-forms and the force are the same at every pose.
    pub invariant: bool,
}

impl Structure {
    /// Whether a motion may lose energy: there is a force, time in the Lagrangian or in a constraint, or an input in a
    /// constraint.
    pub fn may_lose_energy(&self) -> bool {
        self.forced || self.time_dependent || self.driven
    }

    pub(super) fn of(x: &mut Mechanics) -> Structure {
        let q = x.q.clone();
        let varying: Vec<Expr> = q.iter().copied().chain([x.system.t]).collect();
        let constant_mass = x.mass.iter().flatten().all(|&e| !x.system.pool.depends_on(e, &varying));
        let affine = !x.mu_t.iter().all(|&e| x.system.pool.is_zero(e));
        let time = [x.system.t];
        let geometry = [&x.momentum, &x.dl_dq, &x.residual];
        let time_dependent = geometry.into_iter().flatten().any(|&e| x.system.pool.depends_on(e, &time));
        let gyroscopic = !x.gyroscopic.iter().all(|&e| x.system.pool.is_zero(e));
        let forced = !x.force.iter().all(|&e| x.system.pool.is_zero(e));
        let inputs = x.system.input_symbols();
        let driven = x.residual.iter().any(|&e| x.system.pool.depends_on(e, &inputs));
        Structure {
            constant_mass,
            affine,
            gyroscopic,
            forced,
            driven,
            time_dependent,
            reversible: !affine && !gyroscopic && !time_dependent && force_is_reversible(x),
            affine_in_impulse: forms_ignore_reactions(x),
            invariant: !x.system.group.is_trivial() && pose_is_ignored(x),
        }
    }
}

impl Mechanics {
    /// Whether nothing depends on time, and no constraint on inputs.
    pub fn is_steady(&self) -> bool {
        let system = &self.system;
        let depends = |e: &Expr, on: &[Expr]| system.pool.depends_on(*e, on);
        let outside = system.outside();
        let constraints = system.constraints.iter();
        let mut driven = constraints.flat_map(|c| c.form.iter().chain([&c.dt]).chain(&c.position));
        let mut rest = [&system.lagrangian].into_iter().chain(&system.force).chain(&system.dynamics);
        !driven.any(|e| depends(e, &outside)) && !rest.any(|e| depends(e, &[system.t]))
    }
}

fn force_is_reversible(x: &mut Mechanics) -> bool {
    let outside = [x.system.outside(), x.z.clone()].concat();
    let pool = &mut x.system.pool;
    if x.force.iter().any(|&f| pool.depends_on(f, &outside)) {
        return false;
    }
    let mut backwards = HashMap::new();
    for &v in &x.v {
        backwards.insert(v, pool.neg(v));
    }
    let mirrored = pool.substitute(&x.force, &backwards);
    x.force.iter().zip(mirrored).all(|(&f, g)| {
        let odd = pool.sub(f, g);
        pool.vanishes(odd)
    })
}

/// Whether every coordinate that a one-form depends on is unmoved by reactions.
fn forms_ignore_reactions(x: &mut Mechanics) -> bool {
    let Some(reaction) = &x.reaction else { return false };
    let pool = &x.system.pool;
    let shape = x.system.shape();
    let coefficients = x.mu.iter().flatten().chain(&x.mu_t);
    let mut ignored = true;
    for &c in coefficients {
        for (i, &q) in x.q.iter().enumerate() {
            // Poses that reactions do not change are not considered.
            let still = i < shape && reaction.b[i].iter().all(|&b| pool.is_zero(b));
            ignored &= still || !pool.depends_on(c, &[q]);
        }
    }
    ignored
}

/// Whether L, μ v + μ₀ and the force do not change along the motions of the pose.
fn pose_is_ignored(x: &mut Mechanics) -> bool {
    let k = x.system.shape();
    let pose = x.q[k..].to_vec();
    let anchor: Matrix = x.anchor[k..].iter().map(|row| row[k..].to_vec()).collect();
    let mut changes = x.dl_dq[k..].to_vec();
    for e in [&x.residual, &x.force].into_iter().flatten() {
        let gradient = x.system.pool.gradient(*e, &pose);
        changes.extend(along(&mut x.system.pool, &anchor, &gradient));
    }
    changes.retain(|&e| !x.system.pool.is_zero(e));
    if changes.is_empty() {
        return true;
    }
    let free = x.free_pose();
    let pool = &mut x.system.pool;
    pool.substitute(&changes, &free).into_iter().all(|e| pool.vanishes(e))
}
