//! What was declared.

use super::super::{Block, Table};
use super::{Context, text};
use crate::engine::EngineError;
use crate::report::Math;

pub(super) fn declaration(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let system = &x.mechanics.system;
    let mut lines = vec![format!("lagrangian = {}", system.source.lagrangian)];
    let mut one_forms = Vec::new();
    let mut positions = Vec::new();
    for (constraint, form) in system.constraints.iter().zip(&system.source.constraints) {
        let label = if constraint.label == *form { String::new() } else { format!("{}: ", constraint.label) };
        let list = if constraint.position.is_none() { &mut one_forms } else { &mut positions };
        list.push(format!("    {label}{form} = 0,"));
    }
    for (key, list) in [("constraints", one_forms), ("holonomic", positions)] {
        if !list.is_empty() {
            lines.push(format!("{key}("));
            lines.extend(list);
            lines.push(")".to_owned());
        }
    }
    if let Some(force) = &system.source.force {
        lines.push(format!("force = {force}"));
    }
    if !system.states.is_empty() {
        lines.push("dynamics(".to_owned());
        let rates = system.states.iter().zip(&system.source.dynamics);
        lines.extend(rates.map(|(state, rate)| format!("    dot({}) = {rate},", state.name)));
        lines.push(")".to_owned());
    }
    for definition in &system.definitions {
        lines.push(format!("let {} = {}", definition.name, system.pool.show_up_to(definition.value, 200)));
    }
    let intro = format!(
        "The system `{}`, as it was declared; names of `let` are listed with their values.",
        system.name
    );
    Ok(vec![text(intro), Block::Listing(lines.join("\n"))])
}

pub(super) fn configuration(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let system = &x.mechanics.system;
    let (k, n) = (system.shape(), x.mechanics.n());
    let space = match system.group.notation() {
        None => format!("The configuration space is R^{n}, with {n} coordinates."),
        Some(group) if k == 0 => format!(
            "The configuration space is the Lie group {group}, of dimension {n}. Velocities are those of the body, g⁻¹ dg/dt."
        ),
        Some(group) => format!(
            "The configuration space is R^{k} × {group}, of dimension {n}: {k} coordinates and a pose g. Velocities of the pose are those of the body, g⁻¹ dg/dt."
        ),
    };
    let row = |kind: &str, name: &str| vec![format!("`{name}`"), kind.to_owned()];
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend(system.coordinates[..k].iter().map(|c| row("coordinate", &c.name)));
    rows.extend(system.coordinates[k..].iter().map(|c| row("entry of the pose", &c.name)));
    rows.extend(system.velocities[k..].iter().map(|v| row("body velocity", &v.name)));
    rows.extend(system.states.iter().map(|z| row("auxiliary state", &z.name)));
    rows.extend(system.parameters.iter().map(|p| row("parameter", &p.name)));
    rows.extend(system.inputs.iter().map(|u| row("control input, held over a step", &u.name)));
    let table = Table { name: "names", head: vec!["name", "meaning"], has_reasons: false, rows };
    Ok(vec![text(space), Block::Table(table)])
}

pub(super) fn lagrangian(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let (lagrangian, energy) = (x.mechanics.system.lagrangian, x.mechanics.energy);
    Ok(vec![
        Block::Formula(x.number("lagrangian", Math::letter("L"), lagrangian)),
        text("The energy is E = p·v − L with the momenta p = ∂L/∂v:"),
        Block::Formula(x.number("energy", Math::letter("E"), energy)),
    ])
}
