//! Geometry of a declared system: the quantities that methods use.
//!
//! With L(q, v) = ½ vᵀM(q)v + a(q)·v − V(q), one-forms μ(q)·dq + μ₀(q) dt = 0 and a work one-form f
//! the equations of motion are
//!
//! ```text
//! d/dt ∂L/∂v = ∂L/∂q + f + μᵀλ,      μ v + μ₀ = 0,
//! M dv/dt = b + μᵀλ,                 b = ∂L/∂q − (∂²L/∂v∂q) v − ∂²L/∂v∂t + f,
//! λ = −C⁻¹ (μ M⁻¹ b + γ),            C = μ M⁻¹ μᵀ,   γ = ∂(μ v + μ₀)/∂q · v + ∂(μ v + μ₀)/∂t.
//! ```
//!
//! M, a, V, μ and μ₀ may depend on the time; μ₀ may depend on inputs, which
//! are held: their rates do not occur in γ.
//!
//! The force f and the rates F of auxiliary states z, dz/dt = F, depend on q, v, z, t and inputs; nothing else depends on z.
//! Multipliers in them are replaced by their values as functions of these.
//!
//! The reaction is +μᵀλ throughout. With a group factor, v = (dr/dt, ξ) with ξ = g⁻¹ dg/dt, derivatives
//! "∂/∂q" are those along the motions of v (the anchor ρ: dq/dt = ρ(q) v), and the momentum of the body
//! turns with it: b has the further part (0, ad_ξ* ∂L/∂ξ) of the Euler–Poincaré equations.

mod combine;
mod connection;
mod display;
mod flag;
mod measure;
pub(crate) mod multipliers;
mod reversal;
mod structure;
mod symmetry;

pub use combine::{Block, Combination, Rows};
pub use connection::{Admissible, Connection, Projectors, Vertical};
pub use flag::{Flag, Holonomic};
pub use measure::Measure;
pub use reversal::{Reversal, Reversibility};
pub use structure::Structure;
pub use symmetry::Symmetry;

use crate::engine::{Engine, EngineError};
use crate::expr::group::{Part, Product};
use crate::expr::linear::{Matrix, coupled_blocks, dot, products};
use crate::expr::{Expr, Pool};
use crate::system::System;
use std::collections::HashMap;

/// The derived quantities of a system, as expressions of its pool in q, v, t, inputs and parameters.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// The declaration, owner of the pool.
    pub system: System,
    /// Coordinates and entries of the pose, N.
    pub q: Vec<Expr>,
    /// Velocities, n.
    pub v: Vec<Expr>,
    /// Auxiliary states.
    pub z: Vec<Expr>,
    /// ρ(q) in dq/dt = ρ(q) v, N × n: the identity on coordinates.
    pub anchor: Matrix,
    /// L_v = ∂L/∂v = M v + a, n.
    pub momentum: Vec<Expr>,
    /// M(q), n × n, symmetric.
    pub mass: Matrix,
    /// A matrix that agrees with M on the velocities that the constraints admit and is positive definite where M is so on
    /// these: M, or M + s μᵀμ if M is singular everywhere ([`Mechanics::stiffness`]).
    pub inertia: Matrix,
    /// s, if M is singular everywhere: the trace of M, or 1 if this is zero.
    pub stiffness: Option<Expr>,
    /// a(q), the part of the momentum that does not depend on v, n.
    pub gyroscopic: Vec<Expr>,
    /// L_q = ρᵀ ∂L/∂q, n.
    pub dl_dq: Vec<Expr>,
    /// E = L_v · v − L.
    pub energy: Expr,
    /// Work one-form f, n.
    pub force: Vec<Expr>,
    /// b = L_q − dL_v/dt at constant v + ad* + f, n. It contains ∂L_v/∂t.
    pub bias: Vec<Expr>,
    /// μ(q), m × n.
    pub mu: Matrix,
    /// μ₀(q, t, inputs), m.
    pub mu_t: Vec<Expr>,
    /// μ v + μ₀, m.
    pub residual: Vec<Expr>,
    /// γ = ∂(μ v + μ₀)/∂q · ρ v + ∂(μ v + μ₀)/∂t, m.
    pub gamma: Vec<Expr>,
    /// M⁻¹μᵀ (n × m) and C = μM⁻¹μᵀ (m × m) as expressions of q, where M is easily inverted.
    pub reaction: Option<Reaction>,
    /// Special properties of the system.
    pub structure: Structure,
    /// Constant directions whose momenta are conserved.
    pub symmetries: Vec<Symmetry>,
    /// Further constant directions along which L does not change and no force acts, but reactions do.
    pub invariances: Vec<Symmetry>,
    /// The admissible motions along the group factor, if there is one.
    pub vertical: Option<Vertical>,
    /// Other rows for the same constraints, where some may be better.
    pub combined: Option<Rows>,
    /// The declared rows as combinations of the rows in use, if the two differ.
    pub combination: Option<Combination>,
}

/// How reactions act: B = M⁻¹μᵀ and C = μB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reaction {
    /// B, n × m.
    pub b: Matrix,
    /// C, m × m, symmetric.
    pub c: Matrix,
    /// det C, simplified, for two one-forms.
    pub det: Option<Expr>,
}

impl Mechanics {
    /// Derives everything from the declaration.
    pub fn derive(mut system: System, engine: &mut dyn Engine) -> Result<Mechanics, EngineError> {
        let z = system.state_symbols();
        let pool = &mut system.pool;
        let q: Vec<Expr> = system.coordinates.iter().map(|c| c.symbol).collect();
        let v: Vec<Expr> = system.velocities.iter().map(|c| c.symbol).collect();
        let (entries, n) = (q.len(), v.len());
        for rotation in rotations(&system.group, &q) {
            pool.add_rotation(rotation);
        }
        let anchor = anchor(pool, &system.group, &q, n);
        let rates: Vec<Expr> = anchor.iter().map(|row| dot(pool, row, &v)).collect();
        let one_forms = system.constraints.iter().filter(|c| c.position.is_none()).count();
        let mut rows: Matrix = system.constraints.iter().map(|c| [&c.form[..], &[c.dt]].concat()).collect();
        let mut combination = None;
        if let Some((body, how)) = combine::turned(pool, engine, &rows, one_forms)? {
            (rows, combination) = (body, Some(how));
        }
        let mu: Matrix = rows.iter().map(|row| row[..n].to_vec()).collect();
        let mu_t: Vec<Expr> = rows.iter().map(|row| row[n]).collect();

        let lagrangian = normal_form(pool, engine, system.lagrangian, &q, &v)?;
        let both: Vec<Expr> = q.iter().chain(&v).copied().collect();
        let gradient = engine.derivatives(pool, &[(lagrangian, both.clone())])?.remove(0);
        let (dl_dq, momentum) = (along(pool, &anchor, &gradient[..entries]), gradient[entries..].to_vec());

        let residual: Vec<Expr> =
            mu.iter().zip(&mu_t).map(|(row, &dt)| residual_of(pool, row, &v, dt)).collect();
        let t = [system.t];
        let requests: Vec<(Expr, Vec<Expr>)> = momentum
            .iter()
            .map(|&p| (p, [&both[..], &t].concat()))
            .chain(residual.iter().map(|&r| (r, [&q[..], &t].concat())))
            .collect();
        let mut rows = engine.derivatives(pool, &requests)?;
        let residual_q = rows.split_off(n);
        // The lower triangle is taken from the upper one, so that equal entries are the same expression.
        let mass: Matrix =
            (0..n).map(|i| (0..n).map(|j| rows[i.min(j)][entries + i.max(j)]).collect()).collect();
        let mass = simplify_matrix(pool, engine, &mass)?;

        let at_rest: HashMap<Expr, Expr> = v.iter().map(|&x| (x, pool.zero())).collect();
        let gyroscopic = pool.substitute(&momentum, &at_rest);
        let energy_terms = products(pool, &momentum, &v);
        let energy = pool.sum(&energy_terms);
        let energy = pool.sub(energy, lagrangian);
        let energy = cheapest(pool, engine, vec![energy])?[0];
        let bias: Vec<Expr> = (0..n)
            .map(|i| {
                let transport = dot(pool, &rows[i][..entries], &rates);
                let transport = pool.add(transport, rows[i][entries + n]);
                let b = pool.sub(dl_dq[i], transport);
                pool.add(b, system.force[i])
            })
            .collect();
        let bias = turned(pool, &system.group, bias, &v, &momentum);
        let bias = cheapest(pool, engine, bias)?;
        let gamma = rates_of(pool, &residual_q, &rates);
        let gamma = cheapest(pool, engine, gamma)?;
        let stiffness = system.has_singular_mass.then(|| {
            let diagonal: Vec<Expr> = (0..n).map(|i| mass[i][i]).collect();
            let trace = pool.sum(&diagonal);
            if pool.is_zero(trace) { pool.one() } else { trace }
        });
        let inertia = match stiffness {
            Some(stiffness) => {
                let stiffened = stiffened(pool, &mass, stiffness, &mu);
                simplify_matrix(pool, engine, &stiffened)?
            }
            None => mass.clone(),
        };
        let bias = if system.multipliers.is_empty() {
            bias
        } else {
            let forms: Matrix = system.constraints.iter().map(|c| c.form.clone()).collect();
            let gamma_of_forms = match combination {
                None => gamma.clone(),
                Some(_) => {
                    let residuals = system.constraints.iter().map(|c| residual_of(pool, &c.form, &v, c.dt));
                    let requests: Vec<_> = residuals.map(|r| (r, [&q[..], &t].concat())).collect();
                    let gradients = engine.derivatives(pool, &requests)?;
                    rates_of(pool, &gradients, &rates)
                }
            };
            // (M + s μᵀμ) dv/dt = b − s μᵀγ + μᵀλ
            let mut stiff = bias.clone();
            if let Some(stiffness) = stiffness {
                for (i, b) in stiff.iter_mut().enumerate() {
                    let along: Vec<Expr> = mu.iter().map(|row| row[i]).collect();
                    let moved = dot(pool, &along, &gamma);
                    let moved = pool.mul(stiffness, moved);
                    *b = pool.sub(*b, moved);
                }
            }
            let equations =
                multipliers::Equations { mass: &inertia, mu: &forms, gamma: &gamma_of_forms, bias: &stiff };
            let (rows, symbols): (Vec<usize>, Vec<Expr>) = system.multipliers.iter().copied().unzip();
            let values = equations.solve(pool, &rows, &symbols);
            let values = cheapest(pool, engine, values)?;
            let image = symbols.into_iter().zip(values).collect();
            for list in [&mut system.force, &mut system.dynamics] {
                *list = pool.substitute(list, &image);
            }
            let bias = pool.substitute(&bias, &image);
            cheapest(pool, engine, bias)?
        };
        let reaction = Reaction::closed_form(pool, engine, &inertia, &mu)?;

        let force = system.force.clone();
        let mut mechanics = Mechanics {
            system,
            q,
            v,
            z,
            anchor,
            momentum,
            mass,
            inertia,
            stiffness,
            gyroscopic,
            dl_dq,
            energy,
            force,
            bias,
            mu,
            mu_t,
            residual,
            gamma,
            reaction,
            structure: Structure::default(),
            symmetries: Vec::new(),
            invariances: Vec::new(),
            vertical: None,
            combined: None,
            combination,
        };
        mechanics.structure = Structure::of(&mut mechanics);
        [mechanics.symmetries, mechanics.invariances] = symmetry::symmetries(&mut mechanics);
        mechanics.vertical = Vertical::of(&mut mechanics, engine)?;
        // The stiffness of other rows would be another.
        mechanics.combined = if stiffness.is_none() { mechanics.combine() } else { None };
        Ok(mechanics)
    }

    /// Whether the constants of the equations of motion are finite as f64.
    pub(crate) fn has_finite_constants(&self) -> bool {
        let reaction = self.reaction.iter().flat_map(|r| r.b.iter().chain(&r.c).flatten());
        let vectors = [&self.momentum, &self.dl_dq, &self.bias, &self.residual, &self.gamma, &self.force];
        let vectors = vectors.into_iter().chain([&self.system.dynamics]);
        let all = vectors.chain(&self.inertia).flatten().chain(reaction);
        let all: Vec<Expr> = all.copied().chain([self.energy]).collect();
        self.system.pool.has_finite_numbers(&all)
    }

    /// Symbols of the parameters.
    pub fn parameters(&self) -> Vec<Expr> {
        self.system.parameters.iter().map(|p| p.symbol).collect()
    }

    /// The entries of rotation matrices by free symbols, as far as L, the forms or the force depend on
    /// them: what vanishes with these in their place vanishes on the group.
    fn free_pose(&mut self) -> HashMap<Expr, Expr> {
        let mut free = HashMap::new();
        let mut rest = &self.q[self.system.shape()..];
        let of = [&self.momentum, &self.dl_dq, &self.residual, &self.force];
        let pool = &mut self.system.pool;
        for part in self.system.group.parts() {
            let (entries, others) = rest.split_at(part.entries());
            if of.into_iter().flatten().any(|&e| pool.depends_on(e, entries)) {
                let symbols = part.free(pool, entries);
                free.extend(entries.iter().copied().zip(symbols).filter(|(entry, free)| entry != free));
            }
            rest = others;
        }
        free
    }

    /// Number of velocities.
    pub fn n(&self) -> usize {
        self.v.len()
    }

    /// Number of constraints.
    pub fn m(&self) -> usize {
        self.mu.len()
    }

    /// Number of constraints that are one-forms alone. Position constraints follow them.
    pub fn one_forms(&self) -> usize {
        self.system.constraints.iter().filter(|c| c.position.is_none()).count()
    }

    /// The first input that a constraint depends on.
    pub fn driving_input(&self) -> Option<&str> {
        let mut inputs = self.system.inputs.iter();
        let drives = |&e: &Expr, u: Expr| self.system.pool.depends_on(e, &[u]);
        inputs.find(|u| self.mu_t.iter().any(|e| drives(e, u.symbol))).map(|u| u.name.as_str())
    }

    /// Whether expressions depend on auxiliary states.
    pub fn depends_on_states(&self, exprs: &[Expr]) -> bool {
        exprs.iter().any(|&e| self.system.pool.depends_on(e, &self.z))
    }

    /// Whether there are position constraints.
    pub fn has_positions(&self) -> bool {
        self.one_forms() < self.m()
    }

    /// g of the position constraints.
    pub fn positions(&self) -> Vec<Expr> {
        self.system.constraints.iter().filter_map(|c| c.position).collect()
    }
}

impl Reaction {
    /// B and C in closed form where M falls apart into blocks of one or two coordinates.
    fn closed_form(
        pool: &mut Pool,
        engine: &mut dyn Engine,
        mass: &Matrix,
        mu: &Matrix,
    ) -> Result<Option<Reaction>, EngineError> {
        let n = mass.len();
        let Some(inverse) = small_block_inverse(pool, engine, mass)? else { return Ok(None) };
        let m = mu.len();
        let b: Matrix = (0..n).map(|i| (0..m).map(|a| dot(pool, &inverse[i], &mu[a])).collect()).collect();
        let mut c = vec![vec![pool.zero(); m]; m];
        for a in 0..m {
            for d in a..m {
                let column: Vec<Expr> = (0..n).map(|i| b[i][d]).collect();
                let entry = dot(pool, &mu[a], &column);
                let entry = pool.multiplied_out(entry, EXPANSION_LIMIT);
                c[a][d] = entry;
                c[d][a] = entry;
            }
        }
        let b = simplify_matrix(pool, engine, &b)?;
        let c = simplify_matrix(pool, engine, &c)?;
        let det = if m == 2 {
            let (ab, bb) = (pool.mul(c[0][0], c[1][1]), pool.powi(c[0][1], 2));
            let det = pool.sub(ab, bb);
            Some(engine.simplify(pool, &[det])?[0])
        } else {
            None
        };
        Ok(Some(Reaction { b, c, det }))
    }
}

/// μ v + μ₀ of a one-form.
fn residual_of(pool: &mut Pool, form: &[Expr], v: &[Expr], dt: Expr) -> Expr {
    let mut terms = products(pool, form, v);
    terms.push(dt);
    pool.sum(&terms)
}

/// ∂e/∂q · ρ v + ∂e/∂t of expressions with these gradients by q and t.
fn rates_of(pool: &mut Pool, gradients: &[Vec<Expr>], rates: &[Expr]) -> Vec<Expr> {
    gradients
        .iter()
        .map(|row| {
            let (by_q, by_t) = row.split_at(rates.len());
            let transport = dot(pool, by_q, rates);
            pool.add(transport, by_t[0])
        })
        .collect()
}

/// M + s μᵀμ
fn stiffened(pool: &mut Pool, mass: &Matrix, s: Expr, mu: &Matrix) -> Matrix {
    let n = mass.len();
    let mut sum = mass.clone();
    for i in 0..n {
        for j in i..n {
            let products: Vec<Expr> = mu.iter().map(|row| pool.product(&[s, row[i], row[j]])).collect();
            let product = pool.sum(&products);
            sum[i][j] = pool.add(mass[i][j], product);
            sum[j][i] = sum[i][j];
        }
    }
    sum
}

/// The rotation matrices in the poses.
fn rotations(group: &Product, q: &[Expr]) -> Vec<[Expr; 9]> {
    let mut rest = &q[q.len() - group.pose_len()..];
    let mut found = Vec::new();
    for part in group.parts() {
        let (entries, others) = rest.split_at(part.entries());
        if *part == Part::Matrix {
            found.extend(<[Expr; 9]>::try_from(entries));
        }
        rest = others;
    }
    found
}

/// ρ(q): the identity on coordinates, the groups' anchors on their poses.
fn anchor(pool: &mut Pool, group: &Product, q: &[Expr], n: usize) -> Matrix {
    let k = n - group.dimension();
    let mut rows = vec![vec![pool.zero(); n]; q.len()];
    for (i, row) in rows.iter_mut().enumerate().take(k) {
        row[i] = pool.one();
    }
    for (row, motion) in rows[k..].iter_mut().zip(group.anchor(pool, &q[k..])) {
        row[k..].copy_from_slice(&motion);
    }
    rows
}

/// ρᵀ·gradient.
fn along(pool: &mut Pool, anchor: &Matrix, gradient: &[Expr]) -> Vec<Expr> {
    let n = anchor.first().map_or(0, Vec::len);
    (0..n)
        .map(|j| {
            let column: Vec<Expr> = anchor.iter().map(|row| row[j]).collect();
            dot(pool, &column, gradient)
        })
        .collect()
}

/// `bias` + (0, ad_ξ* ∂L/∂ξ).
fn turned(pool: &mut Pool, group: &Product, mut bias: Vec<Expr>, v: &[Expr], momentum: &[Expr]) -> Vec<Expr> {
    let k = v.len() - group.dimension();
    let ad = group.ad(pool, &v[k..]);
    for (j, b) in bias[k..].iter_mut().enumerate() {
        let column: Vec<Expr> = ad.iter().map(|row| row[j]).collect();
        let turn = dot(pool, &column, &momentum[k..]);
        *b = pool.add(*b, turn);
    }
    bias
}

/// Terms up to which products are multiplied out in search of cancellations.
const EXPANSION_LIMIT: usize = 200;

/// M⁻¹ by the adjugate of each coupled block, where none has more than two coordinates. Determinants are simplified: C is, and a
/// determinant of B = M⁻¹μᵀ whose terms cancel would be another number than that of C = μB, so that v − B C⁻¹ μ v would not be
/// admissible.
fn small_block_inverse(
    pool: &mut Pool,
    engine: &mut dyn Engine,
    mass: &Matrix,
) -> Result<Option<Matrix>, EngineError> {
    let n = mass.len();
    let mut inverse = vec![vec![pool.zero(); n]; n];
    for block in coupled_blocks(pool, mass) {
        match block[..] {
            [i] => inverse[i][i] = pool.recip(mass[i][i]),
            [i, j] => {
                let (d, o) = (pool.mul(mass[i][i], mass[j][j]), pool.powi(mass[i][j], 2));
                let det = pool.sub(d, o);
                let expanded = pool.multiplied_out(det, EXPANSION_LIMIT);
                let simple = engine.simplify(pool, &[expanded])?[0];
                let is_simpler = pool.cost(&[simple]).weight() < pool.cost(&[det]).weight();
                let det = if is_simpler { simple } else { det };
                inverse[i][i] = pool.div(mass[j][j], det);
                inverse[j][j] = pool.div(mass[i][i], det);
                let off = pool.div(mass[i][j], det);
                inverse[i][j] = pool.neg(off);
                inverse[j][i] = inverse[i][j];
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(inverse))
}

/// The Lagrangian as ½ vᵀM(q)v + a(q)·v − V(q) with simplified coefficients, where its momenta and
/// forces cost less than those of the declared form.
fn normal_form(
    pool: &mut Pool,
    engine: &mut dyn Engine,
    lagrangian: Expr,
    q: &[Expr],
    v: &[Expr],
) -> Result<Expr, EngineError> {
    let n = v.len();
    let at_rest: HashMap<Expr, Expr> = v.iter().map(|&x| (x, pool.zero())).collect();
    let momentum = engine.derivatives(pool, &[(lagrangian, v.to_vec())])?.remove(0);
    let requests: Vec<(Expr, Vec<Expr>)> = (0..n).map(|i| (momentum[i], v[i..].to_vec())).collect();
    let upper = engine.derivatives(pool, &requests)?;
    let mut coefficients: Vec<Expr> = upper.concat();
    let gyroscopic = pool.substitute(&momentum, &at_rest);
    coefficients.extend(gyroscopic);
    coefficients.push(pool.substitute(&[lagrangian], &at_rest)[0]);
    let simple = engine.simplify(pool, &coefficients)?;

    let mut simple = simple.into_iter();
    let mut terms = Vec::new();
    for i in 0..n {
        for j in i..n {
            let m = simple.next().expect("one entry per pair");
            let vv = pool.mul(v[i], v[j]);
            let t = pool.mul(m, vv);
            let half = pool.ratio(1, 2);
            terms.push(if i == j { pool.mul(half, t) } else { t });
        }
    }
    for &x in v {
        let a = simple.next().expect("one entry per velocity");
        terms.push(pool.mul(a, x));
    }
    terms.extend(simple);
    let normal = pool.sum(&terms);
    let mut weight = |l: Expr| {
        let both: Vec<Expr> = q.iter().chain(v).copied().collect();
        let g = pool.gradient(l, &both);
        pool.cost(&g).weight()
    };
    Ok(if weight(normal) < weight(lagrangian) { normal } else { lagrangian })
}

/// `exprs` or their simplification, whichever costs less as a whole.
fn cheapest(pool: &mut Pool, engine: &mut dyn Engine, exprs: Vec<Expr>) -> Result<Vec<Expr>, EngineError> {
    let simple = engine.simplify(pool, &exprs)?;
    Ok(if pool.cost(&simple).weight() < pool.cost(&exprs).weight() { simple } else { exprs })
}

fn simplify_matrix(pool: &mut Pool, engine: &mut dyn Engine, a: &Matrix) -> Result<Matrix, EngineError> {
    let columns = a.first().map_or(0, Vec::len);
    let flat = cheapest(pool, engine, a.concat())?;
    if columns == 0 {
        return Ok(a.clone());
    }
    Ok(flat.chunks(columns).map(<[Expr]>::to_vec).collect())
}
