//! The frame method: mid-point rule for the components of velocities in an orthonormal frame.
//!
//! With v = X ν + w, where X is a basis of the admissible velocities with XᵀM X = 1 and w the slowest of them ([`basis`]), the
//! equations of motion are dν/dt = Γ(q, ν, t) − Xᵀ∇V, and without w and forces Γ = J(q, ν) ν with a skew matrix J. A step is
//!
//! ```text
//! (1)  (q' − q)/h = X(q̄) ν̄ + w(q̄),
//! (2)  (ν' − ν)/h = Γ(q̄, ν̄, t̄) − X(q̄)ᵀ ∇̄V,   ∇̄V = ∫₀¹ ∇V(q + s (q' − q)) ds,
//! (3)  v' = X(q') ν' + w(q'),
//! ```
//!
//! where bars are means of both ends and ν = XᵀM v. It keeps ½|ν|² + V, because ν̄ᵀJ ν̄ = 0 and (q' − q)·∇̄V = V(q') − V(q),
//! with any sequence of step sizes. Order 2, symmetric, on the constraints at the nodes.
//!
//! Unknown are ν̄ and what else is not explicit of the middle of the step ([`blocks`]). Averages of ∇V have closed forms where the
//! potential allows it ([`mean`]).

mod basis;
mod blocks;
mod mean;

use super::builder::{Builder, names_of_forms};
use super::equations::Equations;
use super::{Method, NodeScheme, NodeSymbols, Results, states};
#[cfg(feature = "report")]
use crate::expr::Zero;
use crate::expr::linear::dot;
use crate::expr::{Expr, identifier};
#[cfg(feature = "report")]
use crate::mechanics::Mechanics;
use crate::program::Role;
use basis::Basis;
use blocks::{Assignment, Unknown, solve};

/// The frame method.
pub(super) struct Frame(pub(super) Potential);

/// Where the gradient of the potential is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Potential {
    /// Averaged along the step.
    Averaged,
    /// In its middle.
    AtMiddle,
}

impl NodeScheme for Frame {
    fn step(&self, b: &mut Builder<'_>, state: &NodeSymbols) -> Results {
        step(b, state, self.0)
    }

    fn equations(&self, _: Option<&'static str>) -> Equations {
        let (gradient, definition) = match self.0 {
            Potential::Averaged => (
                "∇̄V",
                Some(
                    "∇̄V = ∫₀¹ ∇V(q + s (q' − q)) ds: in closed form for polynomials, sines, cosines and exponentials of affine \
                     arguments and products of these, elsewhere with five nodes",
                ),
            ),
            Potential::AtMiddle => ("∇V(q̄)", None),
        };
        let equations = Equations::new([
            "q' = q + h v̄,  v̄ = X(q̄) ν̄ + w(q̄),  q̄ = (q + q')/2".to_owned(),
            format!("ν' = ν + h (Γ(q̄, ν̄, t + h/2) − X(q̄)ᵀ {gradient}),  ν̄ = (ν + ν')/2,  ν = X(q)ᵀM v"),
            "v' = X(q') ν' + w(q')".to_owned(),
        ]);
        let equations = equations
            .and("X: basis of the velocities with μ X ν = 0, orthogonal, XᵀM X = 1 or constant; w: the slowest velocity with μ w + μ₀ = 0")
            .and("Γ − Xᵀ∇V: dν/dt of the equations of motion")
            .and("λ': multipliers of the continuous equations at (q̄, v̄, t + h/2)");
        match definition {
            Some(definition) => equations.with([definition.to_owned()]),
            None => equations,
        }
    }

    fn states(&self) -> &'static str {
        "z: auxiliary states; z' = z + h F(q̄, v̄, z̄, t + h/2), z̄ = (z + z')/2"
    }

    /// Other rows may have another basis, and a rotation of the frame that depends on q changes the step.
    fn constrains_once(&self) -> bool {
        false
    }

    /// q' would leave g = 0.
    fn instead_for_positions(&self) -> Option<Method> {
        Some(Method::DlaRattle)
    }
}

/// Whether the momenta of symmetries are affine functions of the coordinates times components in the frame, and so are kept: a
/// mid-point rule keeps quadratic invariants, and averaged gradients of a potential with a symmetry have no part along it.
#[cfg(feature = "report")]
pub(crate) fn keeps_momenta(x: &mut Mechanics) -> bool {
    let (q, t, v, mass) = (x.q.clone(), x.system.t, x.v.clone(), x.mass.clone());
    let symmetries = x.symmetries.clone();
    let mut b = Builder::new(x);
    let basis = Basis::of(&mut b);
    let frame = basis.at(&mut b, &q, t);
    let directions = symmetries.iter().map(|symmetry| symmetry.direction.clone());
    for direction in directions {
        let direction: Vec<Expr> = direction.iter().map(|&c| b.pool().int(c.into())).collect();
        let along = b.apply(&mass, &direction);
        let drift = dot(b.pool(), &along, &frame.drift);
        let gyroscopic = b.x.gyroscopic.clone();
        let at_rest = dot(b.pool(), &direction, &gyroscopic);
        let mut factors = vec![drift, at_rest];
        for (column, &norm) in frame.columns.iter().zip(&frame.norms) {
            let factor = dot(b.pool(), &along, column);
            factors.push(b.mul(factor, norm));
        }
        debug_assert!(factors.iter().all(|&e| !b.pool().depends_on(e, &v)));
        for factor in factors {
            let slopes = b.pool().gradient(factor, &q);
            let curved = slopes.iter().flat_map(|&slope| b.pool().gradient(slope, &q)).collect::<Vec<Expr>>();
            if b.pool().depends_on(factor, &[t]) || curved.iter().any(|&e| b.pool().zero_test(e) != Zero::Yes)
            {
                return false;
            }
        }
    }
    true
}

/// Symbols for the middle of a step.
struct Middle {
    q: Vec<Expr>,
    v: Vec<Expr>,
    nu: Vec<Expr>,
    z: Vec<Expr>,
    t: Expr,
}

impl Middle {
    fn of(b: &mut Builder<'_>, d: usize) -> Middle {
        let (t, half) = (b.x.system.t, b.halves_of_h(1));
        let system = &b.x.system;
        let of = |name: &str| format!("{}_mid", identifier(name));
        let coordinates: Vec<String> = system.coordinates.iter().map(|x| of(&x.name)).collect();
        let states: Vec<String> = system.states.iter().map(|x| of(&x.name)).collect();
        let components = names_of_forms("nu", d).into_iter().map(|name| format!("{name}_mid"));
        Middle {
            q: coordinates.iter().map(|name| b.local(name)).collect(),
            v: b.velocity_symbols("dot_", "_mid"),
            nu: components.map(|name| b.local(&name)).collect(),
            z: states.iter().map(|name| b.local(name)).collect(),
            t: b.add(t, half),
        }
    }
}

/// Equations of one step, from the state symbols to the new (q, v, λ, z).
fn step(b: &mut Builder<'_>, state: &NodeSymbols, potential: Potential) -> Results {
    let basis = Basis::of(b);
    let (q, v, t, h) = (state.q.clone(), state.v.clone(), b.x.system.t, b.h);
    b.equation("components ν = XᵀM v of the velocity in the frame");
    let frame = basis.tested_at(b, &q, t, "");
    let nu = frame.components(b, &v);
    let nu = b.bind_forms("nu", &nu);

    let middle = Middle::of(b, basis.len());
    let scale2 = scale(b, &frame, &nu);
    let (in_middle, mut all) = frame_in_middle(b, &basis, &middle);
    all.extend(positions(b, &in_middle, (&q, &v), &middle));
    all.extend(auxiliary(b, state, &middle, scale2));
    all.extend(components(b, (&basis, &in_middle), &nu, &middle, potential));
    let stated = if middle.z.is_empty() { "(1) and (2)" } else { "(1), (2) and (z)" };
    let solution = solve(b, &all, stated, scale2);
    let [q_mid, v_mid, nu_mid, z_mid] = [&middle.q, &middle.v, &middle.nu, &middle.z].map(|e| solution.of(e));

    b.equation("(1) configuration q' = q + h v̄");
    let q1 = b.axpy(&q, h, &v_mid);
    let q1 = b.bind_configuration("_1", &q1);
    b.equation("(3) velocity v' = X(q') ν' + w(q')");
    let nu1 = other_end(b, &nu_mid, &nu);
    let nu1 = b.bind_forms("nu_1", &nu1);
    let end = b.add(t, h);
    let frame = basis.tested_at(b, &q1, end, "_1");
    let parts = frame.parts(b, &nu1);
    let v1 = frame.velocity(b, &parts);
    let v1 = b.bind_velocities("dot_", "_1", &v1);
    let z1 = other_end(b, &z_mid, &state.z);
    let z1 = states::bind(b, "_1", &z1);
    b.equation("multipliers of the continuous equations in the middle of the step");
    let lambda = b.acceleration((&q_mid, &v_mid, &z_mid), middle.t).lambda;
    let lambda = b.declared_multipliers((&q_mid, middle.t), &lambda);
    vec![(Role::Configuration, q1), (Role::Velocity, v1), (Role::Multipliers, lambda), (Role::States, z1)]
}

/// The other end of a step with that middle.
fn other_end(b: &mut Builder<'_>, middle: &[Expr], end: &[Expr]) -> Vec<Expr> {
    let two = b.pool().int(2);
    let of = |(&middle, &end): (&Expr, &Expr)| {
        let twice = b.mul(two, middle);
        b.sub(twice, end)
    };
    middle.iter().zip(end).map(of).collect()
}

/// Twice the kinetic energy, the scale of Newton's updates.
fn scale(b: &mut Builder<'_>, frame: &basis::Frame, nu: &[Expr]) -> Expr {
    let squares: Vec<Expr> = nu.iter().map(|&nu| b.pool().powi(nu, 2)).collect();
    let of_components = dot(b.pool(), &frame.weights, &squares);
    let mass: Vec<Expr> = (0..b.x.n()).map(|i| b.x.inertia[i][i]).collect();
    let squares: Vec<Expr> = frame.drift.iter().map(|&w| b.pool().powi(w, 2)).collect();
    let of_drift = dot(b.pool(), &mass, &squares);
    b.add(of_components, of_drift)
}

/// The frame at (q̄, t̄) with symbols for N.
fn frame_in_middle(b: &mut Builder<'_>, basis: &Basis, middle: &Middle) -> (basis::Frame, Vec<Assignment>) {
    let mut frame = basis.at(b, &middle.q, middle.t);
    let mut all = Vec::new();
    for (norm, name) in frame.norms.iter_mut().zip(basis.names_of_norms("_mid")) {
        if b.pool().as_number(*norm).is_none() {
            let symbol = b.local(&name);
            all.push(Assignment { symbol, value: *norm, unknown: None });
            *norm = symbol;
        }
    }
    (frame, all)
}

/// q̄ = q + h/2 v̄ and v̄ = X(q̄) ν̄ + w(q̄).
fn positions(
    b: &mut Builder<'_>,
    frame: &basis::Frame,
    (q, v): (&[Expr], &[Expr]),
    middle: &Middle,
) -> Vec<Assignment> {
    let half = b.halves_of_h(1);
    let mut all = Vec::new();
    let advanced = b.axpy(q, half, &middle.v);
    all.extend(middle.q.iter().zip(advanced).map(|(&symbol, value)| Assignment {
        symbol,
        value,
        unknown: None,
    }));
    let parts = frame.parts(b, &middle.nu);
    let velocity = frame.velocity(b, &parts);
    for (i, value) in velocity.into_iter().enumerate() {
        let weight = b.x.inertia[i][i];
        let unknown = Unknown { guess: v[i], weight, name: b.direction(i).to_owned() };
        all.push(Assignment { symbol: middle.v[i], value, unknown: Some(unknown) });
    }
    all
}

/// z̄ = z + h/2 F(q̄, v̄, z̄, t̄).
fn auxiliary(b: &mut Builder<'_>, state: &NodeSymbols, middle: &Middle, scale2: Expr) -> Vec<Assignment> {
    let (t, half) = (b.x.system.t, b.halves_of_h(1));
    let dynamics = b.x.system.dynamics.clone();
    let rates = b.at_states(&dynamics, (&middle.q, &middle.v, &middle.z), middle.t);
    let values = b.axpy(&state.z, half, &rates);
    let masses: Vec<Expr> = (0..b.x.n()).map(|i| b.x.inertia[i][i]).collect();
    let weights = b.weights_of_states((&state.q, &state.v, t), &masses, scale2);
    let mut all = Vec::with_capacity(values.len());
    for (i, value) in values.into_iter().enumerate() {
        let name = b.x.system.states[i].name.clone();
        let unknown = Unknown { guess: state.z[i], weight: weights[i], name };
        all.push(Assignment { symbol: middle.z[i], value, unknown: Some(unknown) });
    }
    all
}

/// ν̄ = ν + h/2 (Γ(q̄, ν̄, t̄) − Xᵀ∇̄V).
fn components(
    b: &mut Builder<'_>,
    (basis, frame): (&Basis, &basis::Frame),
    nu: &[Expr],
    middle: &Middle,
    potential: Potential,
) -> Vec<Assignment> {
    let half = b.halves_of_h(1);
    let mut all = Vec::new();
    let parts = frame.parts(b, &middle.nu);
    let mut rates: Vec<Vec<Expr>> = vec![Vec::new(); basis.len()];
    for (i, turn) in basis.turns.iter().enumerate() {
        let by = b.at(&turn.by, &middle.q, &middle.v, middle.t);
        let value = dot(b.pool(), &by, &parts);
        let symbol = b.local(&format!("turn_{i}"));
        all.push(Assignment { symbol, value, unknown: None });
        rates[turn.a].push(b.mul(symbol, parts[turn.b]));
        if turn.b < basis.len() {
            let back = b.mul(symbol, parts[turn.a]);
            rates[turn.b].push(b.pool().neg(back));
        }
    }
    let forces = forces(b, middle, potential, &mut all);
    let mut bound = Vec::with_capacity(forces.len());
    for (i, value) in forces.into_iter().enumerate() {
        let is_atom = b.pool().is_zero(value);
        let name = b.along("force_", i, "");
        let symbol = if is_atom { value } else { b.local(&name) };
        if !is_atom {
            all.push(Assignment { symbol, value, unknown: None });
        }
        bound.push(symbol);
    }
    for (k, rates) in rates.iter_mut().enumerate() {
        rates.push(dot(b.pool(), &frame.columns[k], &bound));
        let rate = b.pool().sum(rates);
        let rate = b.mul(frame.norms[k], rate);
        let rate = b.pool().div(rate, frame.weights[k]);
        let change = b.mul(half, rate);
        let value = b.add(nu[k], change);
        let unknown =
            Unknown { guess: nu[k], weight: frame.weights[k], name: format!("component {k} in the frame") };
        all.push(Assignment { symbol: middle.nu[k], value, unknown: Some(unknown) });
    }
    all
}

/// f + (∂a_j/∂q_i − ∂a_i/∂q_j) v_j − ∂a/∂t − ∇V, and ad*_ξ a on a group, in the middle. Parts of means are among `all`.
fn forces(
    b: &mut Builder<'_>,
    middle: &Middle,
    potential: Potential,
    all: &mut Vec<Assignment>,
) -> Vec<Expr> {
    let (f, v) = (b.x.force.clone(), b.x.v.clone());
    let gyroscopic = gyroscopic(b);
    let of_motion: Vec<Expr> = f.iter().zip(gyroscopic).map(|(&f, g)| b.add(f, g)).collect();
    let of_motion = b.at_states(&of_motion, (&middle.q, &middle.v, &middle.z), middle.t);
    let at_rest = v.iter().map(|&v| (v, b.x.system.pool.zero())).collect();
    let l_q = b.x.dl_dq.clone();
    let descent = b.pool().substitute(&l_q, &at_rest);
    let half = b.halves_of_h(1);
    let descent = match potential {
        Potential::Averaged => {
            let moved: Vec<Expr> = middle.v.iter().map(|&v| b.mul(half, v)).collect();
            let (descent, series) = mean::means(b, &descent, &moved);
            for (symbol, value) in series {
                let value = b.at(&[value], &middle.q, &middle.v, middle.t)[0];
                all.push(Assignment { symbol, value, unknown: None });
            }
            descent
        }
        Potential::AtMiddle => descent,
    };
    let descent = b.at(&descent, &middle.q, &middle.v, middle.t);
    of_motion.into_iter().zip(descent).map(|(f, descent)| b.add(f, descent)).collect()
}

/// The force of the part a of the momenta that does not depend on velocities.
fn gyroscopic(b: &mut Builder<'_>) -> Vec<Expr> {
    let (a, v, q, t) = (b.x.gyroscopic.clone(), b.x.v.clone(), b.x.q.clone(), b.x.system.t);
    let (anchor, n, k) = (b.x.anchor.clone(), b.x.n(), b.x.system.shape());
    if a.iter().all(|&a| b.pool().is_zero(a)) {
        return a;
    }
    // ∂a_j/∂q_i along the velocity i.
    let slopes: Vec<Vec<Expr>> = a
        .iter()
        .map(|&a| {
            let by_entry = b.pool().gradient(a, &q);
            b.apply_transposed(&anchor, &by_entry, n)
        })
        .collect();
    let mut force = Vec::with_capacity(n);
    for i in 0..n {
        let rate = b.pool().derivative(a[i], t);
        let mut terms = vec![b.pool().neg(rate)];
        for j in 0..n {
            let curl = b.sub(slopes[j][i], slopes[i][j]);
            terms.push(b.mul(curl, v[j]));
        }
        force.push(b.pool().sum(&terms));
    }
    if let Some(group) = b.x.system.group {
        let ad = (group.ad)(b.pool(), &v[k..]);
        let turned = b.apply_transposed(&ad, &a[k..], n - k);
        for (force, turned) in force[k..].iter_mut().zip(turned) {
            *force = b.add(*force, turned);
        }
    }
    force
}
