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
//! On a group q' is (r + h ū, g exp(h ξ̄)), and everything in between moves along the same exponentials: q̄ is (r + h/2 ū,
//! g exp(h/2 ξ̄)), and ∇̄V averages the derivatives along velocities of the body. The energy is exact for the same reason.
//!
//! The state carries ν': reading it from v' would take longer and add its rounding in every step.
//!
//! Unknown are ν̄ and what else is not explicit of the middle of the step ([`blocks`]). Averages of ∇V have closed forms where the
//! potential allows it ([`mean`]).

mod basis;
mod blocks;
mod discrete_gradient;
mod mean;

use super::builder::{Builder, names_of_forms};
use super::equations::Equations;
use super::space::Space;
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
pub(super) use discrete_gradient::{DiscreteGradient, is_moving};
use mean::Path;

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

    fn equations(&self, group: Option<&str>) -> Equations {
        let (gradient, definition) = match self.0 {
            Potential::Averaged => (
                "∇̄V",
                Some(match group {
                    None => {
                        "∇̄V = ∫₀¹ ∇V(q + s (q' − q)) ds: in closed form for polynomials, sines, cosines and exponentials of affine \
                         arguments and products of these, elsewhere with five nodes"
                    }
                    Some(_) => {
                        "∇̄V = ∫₀¹ ∇V(q + s h v̄) ds: in closed form for polynomials, sines, cosines and exponentials of affine \
                         arguments of coordinates and of a heading and products of these, and for affine functions of the other \
                         entries of a pose, elsewhere with five nodes"
                    }
                }),
            ),
            Potential::AtMiddle => ("∇V(q̄)", None),
        };
        let equations = Equations::new([
            format!(
                "q' = q + h v̄,  v̄ = X(q̄) ν̄ + w(q̄),  q̄ = {}",
                if group.is_some() { "q + h/2 v̄" } else { "(q + q')/2" }
            ),
            format!("ν' = ν + h (Γ(q̄, ν̄, t + h/2) − X(q̄)ᵀ {gradient}),  ν̄ = (ν + ν')/2"),
            "v' = X(q') ν' + w(q')".to_owned(),
        ]);
        let equations = equations
            .and("X: basis of the velocities with μ X ν = 0, orthogonal, XᵀM X = 1 or constant; w: the slowest velocity with μ w + μ₀ = 0")
            .and("ν = X(q)ᵀM v, or divided by constants where XᵀM X is constant: components of the velocity in the frame")
            .and("Γ − Xᵀ∇V: dν/dt of the equations of motion")
            .and("λ': multipliers of the continuous equations at (q̄, v̄, t + h/2)");
        let equations = match group {
            None => equations,
            Some(name) => equations.and(format!(
                "on R^k × {name} q + h v is (r + h u, g exp(h ξ)) for q = (r, g) and v = (u, ξ), and ∇V has the derivatives along ξ"
            )),
        };
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
    let frame = basis.at(&mut b, &q, t, &mut |_, _, e| e);
    let directions = symmetries.iter().map(|symmetry| symmetry.direction.clone());
    for direction in directions {
        let direction: Vec<Expr> = direction.iter().map(|&c| b.pool().int(c.into())).collect();
        let along = b.apply(&mass, &direction);
        let at_zero = vec![b.pool().zero(); basis.len()];
        let parts = frame.parts(&mut b, &at_zero);
        let eta = frame.eta(&mut b, &parts, &mut |_, _, e| e);
        let slowest = frame.velocity(&mut b, &eta);
        let drift = dot(b.pool(), &along, &slowest);
        let gyroscopic = b.x.gyroscopic.clone();
        let at_rest = dot(b.pool(), &direction, &gyroscopic);
        let mut factors = frame.factors(&mut b, &along);
        factors.extend([drift, at_rest]);
        debug_assert!(factors.iter().all(|&e| !b.pool().depends_on(e, &v)));
        for factor in factors {
            // Entries of a pose are no affine functions of the time.
            let k = b.x.system.shape();
            if b.pool().depends_on(factor, &q[k..]) {
                return false;
            }
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
    /// With symbols of these names for the components.
    fn of(b: &mut Builder<'_>, components: &[String]) -> Middle {
        let (t, half) = (b.x.system.t, b.halves_of_h(1));
        let system = &b.x.system;
        let of = |name: &str| format!("{}_mid", identifier(name));
        let coordinates: Vec<String> = system.coordinates.iter().map(|x| of(&x.name)).collect();
        let states: Vec<String> = system.states.iter().map(|x| of(&x.name)).collect();
        let components = components.iter().map(|name| format!("{name}_mid"));
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

    let middle = Middle::of(b, &names_of_forms("nu", basis.len()));
    let scale2 = scale(b, &frame, &nu);
    let (in_middle, mut all) = frame_in_middle(b, &basis, &middle);
    let parts = in_middle.parts(b, &middle.nu);
    let eta = in_middle.eta(b, &parts, &mut |b, name, value| assigned(b, &mut all, &middle, name, value));
    positions(b, &mut all, (&in_middle, &eta), (&q, &v), &middle);
    all.extend(auxiliary(b, state, &middle, scale2));
    components(b, &mut all, (&basis, &in_middle), (&parts, &eta), (&q, &nu), &middle, potential);
    let stated = if middle.z.is_empty() { "(1) and (2)" } else { "(1), (2) and (z)" };
    let solution = solve(b, &all, stated, scale2);
    let [q_mid, v_mid, nu_mid, z_mid] = [&middle.q, &middle.v, &middle.nu, &middle.z].map(|e| solution.of(e));

    b.equation("(1) configuration q' = q + h v̄");
    let q1 = Space::of(b).advance(b, &q, h, &v_mid);
    let q1 = b.bind_configuration("_1", &q1);
    b.equation("(3) velocity v' = X(q') ν' + w(q')");
    let nu1 = other_end(b, &nu_mid, &nu);
    let nu1 = b.bind_forms("nu_1", &nu1);
    let end = b.add(t, h);
    let frame = basis.tested_at(b, &q1, end, "_1");
    let parts = frame.parts(b, &nu1);
    let eta = frame.eta(b, &parts, &mut |b, name, value| b.bind(&format!("{name}_1"), value));
    let v1 = frame.velocity(b, &eta);
    let v1 = b.bind_velocities("dot_", "_1", &v1);
    let z1 = other_end(b, &z_mid, &state.z);
    let z1 = states::bind(b, "_1", &z1);
    b.equation("multipliers of the continuous equations in the middle of the step");
    let lambda = b.acceleration((&q_mid, &v_mid, &z_mid), middle.t).lambda;
    let lambda = b.declared_multipliers((&q_mid, middle.t), &lambda);
    vec![
        (Role::Configuration, q1),
        (Role::Velocity, v1),
        (Role::Multipliers, lambda),
        (Role::States, z1),
        (Role::PreviousCarried, nu),
        (Role::Carried, nu1),
    ]
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

/// A symbol for a value in the middle of the step; what does not change in an iteration stands for itself.
fn assigned(
    b: &mut Builder<'_>,
    all: &mut Vec<Assignment>,
    middle: &Middle,
    name: &str,
    value: Expr,
) -> Expr {
    let is_known = |e: &Assignment| e.value == value;
    if let Some(known) = all.iter().find(|e| is_known(e)) {
        return known.symbol;
    }
    let names: Vec<Expr> = all.iter().map(|e| e.symbol).collect();
    let changing = [&middle.q, &middle.v, &middle.nu, &middle.z, &names];
    let is_symbol = changing.iter().any(|symbols| symbols.contains(&value));
    if is_symbol || !changing.iter().any(|symbols| b.pool().depends_on(value, symbols)) {
        return value;
    }
    let symbol = b.local(name);
    all.push(Assignment::of(symbol, value));
    symbol
}

/// The frame at (q̄, t̄), with symbols for what is computed of it.
fn frame_in_middle(b: &mut Builder<'_>, basis: &Basis, middle: &Middle) -> (basis::Frame, Vec<Assignment>) {
    let mut all = Vec::new();
    let frame = basis.at(b, &middle.q, middle.t, &mut |b, name, value| {
        assigned(b, &mut all, middle, &format!("{name}_mid"), value)
    });
    (frame, all)
}

/// q̄ = q + h/2 v̄ and v̄ = X(q̄) η̄ + w(q̄).
fn positions(
    b: &mut Builder<'_>,
    all: &mut Vec<Assignment>,
    (frame, eta): (&basis::Frame, &[Expr]),
    (q, v): (&[Expr], &[Expr]),
    middle: &Middle,
) {
    let (half, k) = (b.halves_of_h(1), b.x.system.shape());
    let advanced = Space::of(b).advance(b, q, half, &middle.v);
    let mut entries = middle.q.iter().copied().zip(advanced);
    all.extend(entries.by_ref().take(k).map(|(symbol, value)| Assignment::of(symbol, value)));
    all.extend(Assignment::pose(0, entries));
    let velocity = frame.velocity(b, eta);
    for (i, value) in velocity.into_iter().enumerate() {
        let weight = b.x.inertia[i][i];
        let unknown = Unknown { guess: v[i], weight, name: b.direction(i).to_owned() };
        all.push(Assignment { unknown: Some(unknown), ..Assignment::of(middle.v[i], value) });
    }
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
        all.push(Assignment { unknown: Some(unknown), ..Assignment::of(middle.z[i], value) });
    }
    all
}

/// ν̄ = ν + h/2 (Γ(q̄, ν̄, t̄) − Xᵀ∇̄V).
fn components(
    b: &mut Builder<'_>,
    all: &mut Vec<Assignment>,
    (basis, frame): (&Basis, &basis::Frame),
    (parts, eta): (&[Expr], &[Expr]),
    (q, nu): (&[Expr], &[Expr]),
    middle: &Middle,
    potential: Potential,
) {
    let half = b.halves_of_h(1);
    let point = (&*middle.q, &*middle.v, middle.t);
    let turns =
        basis.turns(b, frame, eta, point, &mut |b, name, value| assigned(b, all, middle, name, value));
    let forces = forces(b, q, middle, potential, all);
    let mut bound = Vec::with_capacity(forces.len());
    for (i, value) in forces.into_iter().enumerate() {
        let name = b.along("force_", i, "");
        bound.push(assigned(b, all, middle, &name, value));
    }
    let rates =
        frame.rates(b, (&turns, parts), &bound, &mut |b, name, value| assigned(b, all, middle, name, value));
    for (k, rate) in rates.into_iter().enumerate() {
        let change = b.mul(half, rate);
        let value = b.add(nu[k], change);
        let unknown =
            Unknown { guess: nu[k], weight: frame.weights[k], name: format!("component {k} in the frame") };
        all.push(Assignment { unknown: Some(unknown), ..Assignment::of(middle.nu[k], value) });
    }
}

/// f + (∂a_j/∂q_i − ∂a_i/∂q_j) v_j − ∂a/∂t − ∇V, and ad*_ξ a on a group, in the middle. Parts of means are among `all`.
fn forces(
    b: &mut Builder<'_>,
    start: &[Expr],
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
    let descent = match potential {
        Potential::Averaged => {
            let means = mean::means(b, &descent, &Path { start, velocity: &middle.v, momenta: &[] });
            for (symbol, value) in means.series {
                let value = b.at(&[value], &middle.q, &middle.v, middle.t)[0];
                all.push(Assignment::of(symbol, value));
            }
            // The pose in the middle is the first one.
            for (number, entries) in (1..).zip(means.poses) {
                all.extend(Assignment::pose(number, entries));
            }
            means.values
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
    let group = b.x.system.group.clone();
    if !group.is_trivial() {
        let ad = group.ad(b.pool(), &v[k..]);
        let turned = b.apply_transposed(&ad, &a[k..], n - k);
        for (force, turned) in force[k..].iter_mut().zip(turned) {
            *force = b.add(*force, turned);
        }
    }
    force
}
