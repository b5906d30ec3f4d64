//! Mass matrix, constraints, equations of motion and admissible velocities.

use super::super::{Block, Table};
use super::{Context, letters, text};
use crate::engine::EngineError;
use crate::expr::Expr;
use crate::expr::linear::Matrix;
use crate::method::{TangentBasis, tangent_basis};
use crate::program::Role;
use crate::report::Math;

/// Velocities up to which an inverse and projectors are written.
const MAX_VELOCITIES: usize = 8;

/// Named parts up to which projectors are written.
const MAX_PARTS: usize = 12;

pub(super) fn mass_matrix(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let mass = x.mechanics.mass.clone();
    let definition = "M = ∂²L/∂v∂v, symmetric; the momenta are p = M v + a.";
    let mut blocks = vec![text(definition), x.moderate_matrix("mass_matrix", letters("M", "M"), &mass)];
    if let Some(stiffness) = x.mechanics.stiffness {
        let s = if x.mechanics.system.pool.is_one(stiffness) { "1" } else { "tr M" };
        blocks.push(text(format!(
            "It is singular. Functions solve with M + s μᵀμ, s = {s}, which is the same on the velocities that the \
             constraints admit and regular where M is positive definite on these.",
        )));
        return Ok(blocks);
    }
    let inverse = match x.mechanics.n() <= MAX_VELOCITIES {
        true => Some(x.mechanics.inverse_mass(x.engine)?),
        false => None,
    };
    let symbol = Math::letter("M").to(minus_one());
    let entry = Math::Parentheses(Box::new(symbol.clone()));
    let inverse = inverse.map(|inverse| x.matrix("mass_matrix_inverse", (symbol, entry), &inverse));
    match inverse.filter(|inverse| inverse.parts.is_empty()) {
        Some(inverse) => {
            blocks[0] = text(format!("{definition} The appendix has its inverse."));
            x.appendix.push(Block::Heading("inverse".into(), "Inverse of the mass matrix".into()));
            x.appendix.push(Block::Formula(inverse));
        }
        None => blocks.push(text("Its inverse has no short form; functions solve M x = b by elimination.")),
    }
    Ok(blocks)
}

fn minus_one() -> Math {
    Math::Row(vec![Math::Operator("−"), Math::Number("1".into())])
}

pub(super) fn constraints(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let system = &x.mechanics.system;
    let m = system.constraints.len();
    if m == 0 {
        return Ok(vec![text("There are no constraints: every velocity is admissible.")]);
    }
    let rows = system.constraints.iter().zip(&system.source.constraints).enumerate();
    let rows = rows.map(|(a, (constraint, form))| {
        let kind = if constraint.position.is_some() { "position" } else { "one-form" };
        vec![
            format!("{}", a + 1),
            format!("`{}`", constraint.label),
            kind.to_owned(),
            format!("`{form} = 0`"),
        ]
    });
    let table = Table {
        name: "constraints",
        head: vec!["number", "label", "kind", "declared"],
        has_reasons: false,
        rows: rows.collect(),
    };
    let mut blocks = vec![Block::Table(table)];

    let v = x.mechanics.v.clone();
    let (rows, dt): (Matrix, Vec<Expr>) =
        x.mechanics.system.constraints.iter().map(|c| (c.form.clone(), c.dt)).unzip();
    let pool = x.pool();
    let residuals: Vec<Expr> = rows
        .iter()
        .zip(&dt)
        .map(|(row, &dt)| {
            let mut terms: Vec<Expr> = row.iter().zip(&v).map(|(&c, &v)| pool.mul(c, v)).collect();
            terms.push(dt);
            pool.sum(&terms)
        })
        .collect();
    blocks.push(text("In velocities they are μ v + μ₀ = 0, line by line in this order:"));
    blocks.push(Block::Formula(x.zeros("constraints", &residuals)));
    blocks.push(text("The one-forms are the rows of"));
    blocks.push(x.moderate_matrix("one_forms", letters("mu", "mu"), &rows));
    if dt.iter().any(|&e| !x.mechanics.system.pool.is_zero(e)) {
        let left =
            (0..m).map(|a| Math::letter("mu").with_index(Math::Number(format!("0,{}", a + 1)))).collect();
        blocks.push(text("and their affine parts are"));
        blocks.push(Block::Formula(x.entries("affine_part", left, &dt)));
    }
    let positions = x.mechanics.positions();
    if !positions.is_empty() {
        blocks.push(text("The position constraints, whose derivatives come last among these, are g(q) = 0:"));
        blocks.push(Block::Formula(x.zeros("positions", &positions)));
    }
    Ok(blocks)
}

pub(super) fn equations(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let (momentum, bias, force) =
        (x.mechanics.momentum.clone(), x.mechanics.bias.clone(), x.mechanics.force.clone());
    let is_some = |x: &Context<'_>, all: &[Expr]| all.iter().any(|&e| !x.mechanics.system.pool.is_zero(e));
    let left = x.with_names("p");
    let mut blocks =
        vec![text("The momenta p = ∂L/∂v are"), Block::Formula(x.entries("momentum", left, &momentum))];
    if is_some(x, &force) {
        let left = x.with_names("f");
        blocks.push(text("Forces and inputs are the components of the work one-form f:"));
        blocks.push(Block::Formula(x.entries("force", left, &force)));
    }
    let turns = if !x.mechanics.system.group.is_trivial() { " + ad* p" } else { "" };
    blocks.push(text(format!(
        "The equations of motion are M dv/dt = b + μᵀλ and μ v + μ₀ = 0, with b = ∂L/∂q − dp/dt at constant v + f{turns}:"
    )));
    let left = x.with_names("b");
    blocks.push(Block::Formula(x.entries("bias", left, &bias)));
    let m = x.mechanics.system.constraints.len();
    let equations = &x.equations.clone();
    if m > 0 {
        blocks.push(text(
            "The constraints, differentiated once, determine the multipliers λ = −C⁻¹(μ M⁻¹ b + γ), C = μ M⁻¹ μᵀ, with γ = d(μ v + μ₀)/dt at constant v. They are those of the constraints in their order:",
        ));
        let left = (0..m).map(|a| Math::letter("lambda").numbered(a)).collect();
        blocks.push(Block::Formula(x.results("multipliers", left, (equations, &Role::Multipliers))?));
    }
    blocks.push(text("The accelerations, without multipliers, are"));
    let left = x.velocities().into_iter().map(Math::rate).collect();
    let role = Role::Acceleration;
    blocks.push(Block::Formula(x.results("acceleration", left, (equations, &role))?));
    let system = &x.mechanics.system;
    if !system.states.is_empty() {
        let left = system.states.iter().map(|z| Math::name(&z.name).rate()).collect();
        let rates = system.dynamics.clone();
        blocks.push(text("The rates of the auxiliary states are"));
        blocks.push(Block::Formula(x.entries("state_rates", left, &rates)));
    }
    Ok(blocks)
}

/// The basis to which derivatives of steps refer, and where it degenerates.
fn tangent_coordinates(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let TangentBasis { basis, drift, components, degenerate } = tangent_basis(&mut x.mechanics);
    let is_affine = x.mechanics.structure.affine;
    let velocity = if is_affine { "v = X ν + v₀ with ν = Y v" } else { "v = X ν with ν = Y v" };
    let mut blocks = vec![
        text(format!(
            "Derivatives of steps, as `linearize` returns them, refer to {velocity}. The columns of X are another basis of ker μ:"
        )),
        x.moderate_matrix("tangent_basis", letters("X", "X"), &basis),
        x.moderate_matrix("components", letters("Y", "Y"), &components),
    ];
    if is_affine {
        let left = (1..=drift.len()).map(|i| Math::letter("v").with_index(Math::Number(format!("0,{i}"))));
        blocks.push(text("The affine part is"));
        blocks.push(Block::Formula(x.entries("tangent_drift", left.collect(), &drift)));
    }
    if degenerate.is_empty() {
        blocks.push(text("It does not degenerate where the constraints are independent."));
    } else {
        blocks.push(text("It degenerates where one of these equations holds:"));
        let degenerate = x.simpler(degenerate)?;
        blocks.push(Block::Formula(x.zeros("degenerate", &degenerate)));
    }
    Ok(blocks)
}

pub(super) fn distribution(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let (n, m) = (x.mechanics.n(), x.mechanics.m());
    if m == 0 {
        return Ok(vec![text(format!("Every velocity is admissible: the distribution has rank {n}."))]);
    }
    let admissible = x.admissible.clone();
    if m == n {
        let mut blocks = vec![text(
            "There is no free motion: the constraints determine all velocities, and the distribution has rank 0.",
        )];
        if x.mechanics.structure.affine {
            let left = x.with_names("w");
            blocks.push(text("The velocities are v = w with"));
            blocks.push(Block::Formula(x.entries("drift", left, &admissible.drift)));
        }
        return Ok(blocks);
    }
    let names: Vec<String> =
        admissible.free.iter().map(|&i| format!("`{}`", x.mechanics.system.velocities[i].name)).collect();
    let is_affine = x.mechanics.structure.affine;
    let drift = if is_affine { " + w" } else { "" };
    let mut blocks = vec![text(format!(
        "The admissible velocities are v = D u{drift} with u = ({}); the columns of D are a basis of ker μ, which has rank {}.",
        names.join(", "),
        n - m
    ))];
    blocks.push(x.moderate_matrix("basis", letters("D", "D"), &admissible.d));
    if is_affine {
        let left = x.with_names("w");
        blocks.push(text("The affine part is"));
        blocks.push(Block::Formula(x.entries("drift", left, &admissible.drift)));
    }
    let derivatives = tangent_coordinates(x)?;
    x.appendix.push(Block::Heading("derivatives".to_owned(), "Basis of derivatives".to_owned()));
    x.appendix.extend(derivatives);
    let mut left = "the basis that derivatives of steps refer to, and where it degenerates";
    let mut remark = None;
    if n <= MAX_VELOCITIES {
        let projectors = x.mechanics.projectors(x.engine)?;
        let q = x.matrix("projector_q", letters("Q", "Q"), &projectors.q);
        let what = "The projectors of momenta onto the admissible ones, P = 1 − Q, and onto reactions, Q = μᵀ C⁻¹ μ M⁻¹,";
        if q.parts.len() <= MAX_PARTS {
            left = "the basis that derivatives of steps refer to, where it degenerates, and the projectors of momenta";
            let p = x.matrix("projector_p", letters("P", "P"), &projectors.p);
            x.appendix.push(Block::Heading("projectors".to_owned(), "Projectors".to_owned()));
            x.appendix.push(text(format!("{what} are")));
            x.appendix.extend([q, p].map(Block::Formula));
        } else {
            remark = Some(format!("{what} have no short form."));
        }
    } else {
        remark = Some("The projectors P and Q are not written for so many velocities.".to_owned());
    }
    blocks.push(text(format!("The appendix has {left}.")));
    blocks.extend(remark.map(text));
    Ok(blocks)
}
