//! Constant directions along which the Lagrangian does not change, and their momenta.

use super::super::{Answer, Block, Finding};
use super::{Context, text};
use crate::engine::EngineError;
use crate::expr::Expr;
use crate::expr::linear::dot;
use crate::mechanics::Symmetry;
use crate::report::Math;

pub(super) fn symmetries(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let conserved = x.mechanics.symmetries.clone();
    let others = x.mechanics.invariances.clone();
    if conserved.is_empty() && others.is_empty() {
        let but = match x.mechanics.system.group.is_trivial() {
            false => {
                " Motions of the pose are not constant directions; the section on the connection has their momenta."
            }
            true => "",
        };
        return Ok(vec![text(format!(
            "No constant direction of the coordinates leaves the Lagrangian unchanged without a force along it.{but}"
        ))]);
    }
    let mut blocks = vec![text(
        "A constant direction ξ of the coordinates is a symmetry if L does not change along it and no force acts along it. Then d/dt(p·ξ) = (μ ξ)·λ: the momentum p·ξ is conserved if ξ is admissible everywhere. The multipliers λ are those of the equations of motion.",
    )];
    let mut equations = Vec::new();
    let symmetries = conserved.iter().map(|s| (s, true)).chain(others.iter().map(|s| (s, false)));
    for (i, (symmetry, is_conserved)) in symmetries.enumerate() {
        let direction = components(x, symmetry);
        let momentum = x.mechanics.momentum.clone();
        let value = dot(x.pool(), &momentum, &direction);
        let left = Math::Row(vec![Math::letter("p"), Math::Operator("·"), Math::letter("xi").numbered(i)]);
        let number = i + 1;
        let index = subscript(number);
        equations.push(Block::Formula(x.number(&format!("symmetry_{number}"), left.clone(), value)));
        let mut reason = format!(
            "ξ{index} = {}; p·ξ{index} = {}.",
            direction_words(x, symmetry),
            words(&symmetry.momentum)
        );
        let answer = if is_conserved {
            reason.push_str(" All one-forms annihilate it.");
            Answer::Yes
        } else {
            let m = x.mechanics.system.constraints.len();
            let forms: Vec<Vec<Expr>> =
                x.mechanics.system.constraints.iter().map(|c| c.form.clone()).collect();
            let lambda: Vec<Expr> = (0..m).map(|a| multiplier(x, a)).collect();
            let pool = x.pool();
            let along: Vec<Expr> = forms.iter().map(|form| dot(pool, form, &direction)).collect();
            let rate = dot(pool, &along, &lambda);
            let equation = x.number(&format!("momentum_equation_{number}"), total_rate(left), rate);
            equations.push(Block::Formula(equation));
            reason.push_str(" Reactions act along it.");
            Answer::No
        };
        let question = "Conserved";
        let key = KEYS.get(i).copied().unwrap_or("more");
        blocks.push(Block::Finding(Finding { key, question, answer, reason, formulas: Vec::new() }));
    }
    blocks.extend(equations);
    Ok(blocks)
}

/// The multiplier of that constraint.
fn multiplier(x: &mut Context<'_>, a: usize) -> Expr {
    let name = format!("lambda_{}", a + 1);
    let system = &x.mechanics.system;
    let mut declared =
        system.coordinates.iter().chain(&system.velocities).chain(&system.parameters).chain(&system.inputs);
    let is_taken = declared.any(|quantity| quantity.name == name);
    if is_taken { x.pool().fresh_symbol(&name) } else { x.pool().symbol(&name) }
}

/// d/dt(…).
fn total_rate(of: Math) -> Math {
    let d = || Math::letter("d");
    let rate = Math::Fraction(Box::new(d()), Box::new(Math::Row(vec![d(), Math::letter("t")])));
    Math::Row(vec![rate, Math::Parentheses(Box::new(of))])
}

/// The keys of the first symmetries.
const KEYS: [&str; 12] = [
    "symmetry_1",
    "symmetry_2",
    "symmetry_3",
    "symmetry_4",
    "symmetry_5",
    "symmetry_6",
    "symmetry_7",
    "symmetry_8",
    "symmetry_9",
    "symmetry_10",
    "symmetry_11",
    "symmetry_12",
];

fn components(x: &mut Context<'_>, symmetry: &Symmetry) -> Vec<Expr> {
    symmetry.direction.iter().map(|&c| x.pool().int(i64::from(c))).collect()
}

fn words(momentum: &str) -> String {
    format!("`{momentum}`")
}

/// `₁₂`.
fn subscript(number: usize) -> String {
    number
        .to_string()
        .chars()
        .filter_map(|digit| char::from_u32(u32::from('₀') + digit.to_digit(10)?))
        .collect()
}

/// `∂/∂x + 2 ∂/∂y`.
fn direction_words(x: &Context<'_>, symmetry: &Symmetry) -> String {
    let terms = symmetry.direction.iter().zip(&x.mechanics.system.coordinates).filter(|(c, _)| **c != 0);
    let mut words = String::new();
    for (&c, coordinate) in terms {
        words.push_str(match (words.is_empty(), c < 0) {
            (true, true) => "−",
            (true, false) => "",
            (false, true) => " − ",
            (false, false) => " + ",
        });
        if c.abs() != 1 {
            words.push_str(&format!("{} ", c.abs()));
        }
        words.push_str(&format!("∂/∂`{}`", coordinate.name));
    }
    words
}
