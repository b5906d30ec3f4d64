//! How the constraints lie to the group: admissible motions of the pose, nonholonomic connection, reduced equations.

use super::super::Block;
use super::{Context, letters, text};
use crate::engine::EngineError;
use crate::expr::Expr;
use crate::expr::linear::dot;
use crate::report::Math;
use std::collections::HashMap;

pub(super) fn connection(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let Some(group) = x.mechanics.system.group.notation() else { return Ok(Vec::new()) };
    let Some(connection) = x.mechanics.connection(x.engine)? else { return Ok(Vec::new()) };
    let k = x.mechanics.system.shape();
    let invariance = match x.mechanics.structure.invariant {
        true => format!(
            "L, the one-forms and the force are the same at every pose: the system reduces by {group}."
        ),
        false => format!(
            "L, a one-form or the force depends on the pose: the system does not reduce by {group} as a whole."
        ),
    };
    let vertical = connection.e.first().map_or(0, Vec::len);
    let mut blocks = vec![text(invariance)];
    if vertical == 0 {
        blocks.push(text("No motion of the pose alone is admissible: 𝔤^r = 0."));
    } else {
        blocks.push(text(format!(
            "The admissible motions of the pose alone, 𝔤^r, have dimension {vertical}. The columns of E are a basis of them, in components along the body velocities:"
        )));
        blocks.push(x.moderate_matrix("vertical_basis", letters("E", "e"), &connection.e));
        let momentum = x.mechanics.momentum[k..].to_vec();
        let columns: Vec<Vec<Expr>> =
            (0..vertical).map(|b| connection.e.iter().map(|row| row[b]).collect()).collect();
        let momenta: Vec<Expr> = columns.iter().map(|column| dot(x.pool(), column, &momentum)).collect();
        let left = (0..vertical).map(|b| Math::letter("J").numbered(b)).collect();
        blocks.push(text("The nonholonomic momenta are J_b = ⟨p, (0, e_b)⟩:"));
        blocks.push(Block::Formula(x.entries("nonholonomic_momentum", left, &momenta)));
        let rates = momentum_rates(x, &columns, &momenta)?;
        let left = (0..vertical).map(|b| Math::letter("J").numbered(b).rate()).collect();
        blocks
            .push(text("They obey these momentum equations, without reactions, which do no work along 𝔤^r:"));
        blocks.push(Block::Formula(x.entries("nonholonomic_momentum_equation", left, &rates)));
    }
    match &connection.a {
        Some(a) if k > 0 => {
            blocks.push(text(
                "The nonholonomic connection A lifts a velocity u of the coordinates to the body velocity −A u, orthogonal to 𝔤^r in the kinetic metric; admissible body velocities are ξ = E Ω − A u:",
            ));
            blocks.push(x.moderate_matrix("connection", letters("A", "A"), a));
        }
        Some(_) => {}
        None => blocks.push(text(
            "Motions of the group do not make every motion of the coordinates admissible: there is no connection.",
        )),
    }
    if let Some(regular) = connection.regular {
        blocks.push(text("These formulas hold where this determinant is not zero:"));
        blocks.push(Block::Formula(x.number("regular", Math::letter("Delta"), regular)));
    }
    blocks.extend(reduced(x)?);
    Ok(blocks)
}

/// dJ_b/dt = (0, e_b)·b + ∂J_b/∂q · ρ v + ∂J_b/∂t: with M dv/dt = b + μᵀλ, of which (0, e_b)·μᵀλ = 0.
fn momentum_rates(
    x: &mut Context<'_>,
    columns: &[Vec<Expr>],
    momenta: &[Expr],
) -> Result<Vec<Expr>, EngineError> {
    let (q, t) = (x.mechanics.q.clone(), x.mechanics.system.t);
    let (v, anchor) = (x.mechanics.v.clone(), x.mechanics.anchor.clone());
    let bias = x.mechanics.bias[x.mechanics.system.shape()..].to_vec();
    let pool = &mut x.mechanics.system.pool;
    let velocities: Vec<Expr> = anchor.iter().map(|row| dot(pool, row, &v)).collect();
    let mut rates = Vec::with_capacity(momenta.len());
    for (column, &momentum) in columns.iter().zip(momenta) {
        let gradient = pool.gradient(momentum, &q);
        let terms =
            [dot(pool, column, &bias), dot(pool, &gradient, &velocities), pool.derivative(momentum, t)];
        rates.push(pool.sum(&terms));
    }
    x.simpler(rates)
}

/// The rates of the free velocities in terms of these.
fn reduced(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let admissible = x.admissible.clone();
    let v = x.mechanics.v.clone();
    let u: Vec<Expr> = admissible.free.iter().map(|&i| v[i]).collect();
    let pool = &mut x.mechanics.system.pool;
    let mut on_d = HashMap::new();
    for ((&v, row), &drift) in v.iter().zip(&admissible.d).zip(&admissible.drift) {
        let linear = dot(pool, row, &u);
        on_d.insert(v, pool.add(linear, drift));
    }
    let rates: Vec<Expr> = admissible.free.iter().map(|&i| x.acceleration[i]).collect();
    let rates = pool.substitute(&rates, &on_d);
    let rates = x.simpler(rates)?;
    let velocities = x.velocities();
    let left = admissible.free.iter().map(|&i| velocities[i].clone().rate()).collect();
    Ok(vec![
        text(
            "The reduced equations are those of the free velocities alone, with v = D u on the constraints:",
        ),
        Block::Formula(x.entries("reduced_equations", left, &rates)),
    ])
}
