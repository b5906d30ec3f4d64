//! Questions about the system, with answers and reasons.

use super::super::{Answer, Block, Finding, Formula, Table};
use super::expectation::{expectations, recommendation};
use super::{Context, listed, text};
use crate::engine::EngineError;
use crate::expr::Expr;
use crate::expr::linear::dot;
use crate::mechanics::{Flag, Measure, Reversibility};
use crate::report::Math;

pub(super) fn structure(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let mut blocks: Vec<Block> = simple(x).into_iter().map(Block::Finding).collect();
    blocks.push(Block::Finding(holonomic(x)?));
    blocks.push(Block::Finding(reversible(x)?));
    blocks.push(Block::Finding(measure(x)?));
    blocks.push(Block::Heading("expectation".into(), "What to expect".into()));
    blocks.push(text(
        "Of every method that applies: whether it keeps the constraint exactly, the energy bounded and momenta exact. What is guaranteed holds up to rounding by the equations of the method; what is typical is found in long runs of such systems but not proved, and not of every motion where the reason says so; the rest is not to be expected.",
    ));
    let expected = expectations(x);
    blocks.push(text(recommendation(x, &expected)));
    let rows = expected.iter().map(|row| row.cells()).collect();
    let head = vec!["method", "exact constraint", "bounded energy", "exact momenta"];
    blocks.push(Block::Table(Table { name: "expectation", head, has_reasons: true, rows }));
    Ok(blocks)
}

fn finding(key: &'static str, question: &'static str, answer: Answer, reason: impl Into<String>) -> Finding {
    let mut reason: String = reason.into();
    if let Some(first) = reason.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Finding { key, question, answer, reason, formulas: Vec::new() }
}

/// What was found when the mechanics were derived.
fn simple(x: &mut Context<'_>) -> Vec<Finding> {
    let structure = x.mechanics.structure;
    let mass = x.mechanics.mass.concat();
    let mass = match structure.constant_mass {
        true => "no entry of M depends on coordinates or time.".to_owned(),
        false => format!("M depends on {}.", x.dependence(&mass)),
    };
    let gyroscopic = if structure.gyroscopic {
        let terms: Vec<String> = (x.mechanics.system.velocities.iter().zip(&x.mechanics.gyroscopic))
            .filter(|(_, e)| !x.mechanics.system.pool.is_zero(**e))
            .map(|(v, _)| format!("`{}`", v.name))
            .collect();
        format!("L has terms that are linear in {}.", listed(&terms))
    } else {
        "L has no terms that are linear in the velocities.".to_owned()
    };
    let affine = if structure.affine {
        let labels: Vec<String> = (x.mechanics.system.constraints.iter())
            .filter(|c| !x.mechanics.system.pool.is_zero(c.dt))
            .map(|c| format!("`{}`", c.label))
            .collect();
        format!("a part without velocities is in {}.", listed(&labels))
    } else {
        "every constraint is linear in the velocities.".to_owned()
    };
    let t = [x.mechanics.system.t];
    let depends = |all: &[Expr]| all.iter().any(|&e| x.mechanics.system.pool.depends_on(e, &t));
    let forced = depends(&x.mechanics.force);
    let time = structure.time_dependent || forced;
    let reason = match (structure.time_dependent, forced) {
        (true, true) => "L or a constraint depends on t, and so does the force.",
        (true, false) => "L or a constraint depends on t.",
        (false, true) => "the force depends on t; L and the constraints do not.",
        (false, false) => "neither L nor a constraint nor the force depends on t.",
    };
    vec![
        finding("constant_mass", "Constant mass matrix", structure.constant_mass.into(), mass),
        finding("gyroscopic", "Gyroscopic terms", structure.gyroscopic.into(), gyroscopic),
        finding("affine", "Affine constraints", structure.affine.into(), affine),
        finding("time_dependence", "Time dependence", time.into(), reason),
    ]
}

fn holonomic(x: &mut Context<'_>) -> Result<Finding, EngineError> {
    let question = "Holonomic combinations";
    let m = x.mechanics.m();
    if m == 0 {
        return Ok(finding("holonomic", question, Answer::No, "there are no constraints."));
    }
    let Some(Flag { growth, holonomic }) = x.mechanics.flag(x.engine)? else {
        let reason = "the ranks of Lie brackets are computed for at most 12 velocities, for constraints without inputs, and for functions whose zeros are known.";
        return Ok(finding("holonomic", question, Answer::NotDecided, reason));
    };
    let n = x.mechanics.n();
    let vector: Vec<String> = growth.iter().map(usize::to_string).collect();
    let vector =
        format!("the growth vector of the distribution at a generic point is ({})", vector.join(", "));
    let last = growth.last().copied().unwrap_or(0);
    let mut reason = match holonomic.len() {
        0 if last == n => format!("{vector}: Lie brackets of admissible velocities span all directions."),
        0 => format!("{vector}, and together with time no combination is integrable."),
        1 => format!(
            "{vector}; one combination of the one-forms is integrable by Frobenius' theorem, Σ cₐ(μₐ v + μ₀ₐ) with the coefficients c below."
        ),
        count => format!(
            "{vector}; {count} independent combinations of the one-forms are integrable by Frobenius' theorem, Σ cₐ(μₐ v + μ₀ₐ) with the coefficients c below."
        ),
    };
    if holonomic.iter().any(|combination| combination.potential.is_some()) {
        reason.push_str(" Where a function F is given, the combination is dF/dt: F is constant.");
    }
    let mut formulas: Vec<Formula> = Vec::new();
    let v = x.mechanics.v.clone();
    for (i, combination) in holonomic.iter().enumerate() {
        let number = i + 1;
        let letter = |letter: &str| match holonomic.len() {
            1 => Math::letter(letter),
            _ => {
                Math::letter(letter).with_index(Math::Parentheses(Box::new(Math::Number(number.to_string()))))
            }
        };
        let left = (0..m).map(|a| letter("c").numbered(a)).collect();
        formulas.push(x.entries(
            &format!("holonomic_coefficients_{number}"),
            left,
            &combination.coefficients,
        ));
        let pool = x.pool();
        let along = dot(pool, &combination.form[..n], &v);
        let form = pool.add(along, combination.form[n]);
        formulas.push(x.zeros(&format!("holonomic_form_{number}"), &[form]));
        if let Some(potential) = combination.potential {
            formulas.push(x.number(&format!("holonomic_function_{number}"), letter("F"), potential));
        }
    }
    let answer = Answer::from(!holonomic.is_empty());
    Ok(Finding { formulas, ..finding("holonomic", question, answer, reason) })
}

fn reversible(x: &mut Context<'_>) -> Result<Finding, EngineError> {
    let question = "Reversible";
    let acceleration = x.acceleration.clone();
    let reversal = match x.mechanics.reversibility(x.engine, &acceleration)? {
        Reversibility::By(reversal) => reversal,
        Reversibility::Excluded { tried, all } => {
            let pose = match x.mechanics.system.group.is_trivial() {
                false => " and mirrors of the pose",
                true => "",
            };
            let combined = if all { "all combinations" } else { "none, and one at a time" };
            let reason = format!(
                "of the {tried} changes of signs of coordinates{pose} that were tried ({combined}), each together with v → −v, \
                 none turns the motions into motions; other maps were not tried."
            );
            return Ok(finding("reversible", question, Answer::No, reason));
        }
        Reversibility::NotDecided => {
            let reason = match x.mechanics.system.states.is_empty() {
                true => {
                    "no change of signs of coordinates together with v → −v was found to reverse the motion, and not all are excluded."
                }
                false => "there are auxiliary states.",
            };
            return Ok(finding("reversible", question, Answer::NotDecided, reason));
        }
    };
    let about = if reversal.about_zero { ", about the instant t = 0" } else { "" };
    let inputs = if x.mechanics.system.inputs.is_empty() { "" } else { " Inputs run backwards too." };
    let names: Vec<String> = reversal.reflected.iter().map(|name| format!("`{name}`")).collect();
    let how = match names.is_empty() {
        true => "under v → −v".to_owned(),
        false => {
            format!("under v → −v together with the reflection that changes the sign of {}", listed(&names))
        }
    };
    Ok(finding("reversible", question, Answer::Yes, format!("{how}{about}.{inputs}")))
}

fn measure(x: &mut Context<'_>) -> Result<Finding, EngineError> {
    let question = "Invariant measure";
    let acceleration = x.acceleration.clone();
    let found = x.mechanics.measure(x.engine, &acceleration)?;
    Ok(match found {
        Measure::Density(density, free) => {
            let names: Vec<String> =
                free.iter().map(|&i| format!("`{}`", x.mechanics.system.velocities[i].name)).collect();
            let place = if !x.mechanics.system.group.is_trivial() {
                " (dq with the measure of the group)"
            } else {
                ""
            };
            let volume = if names.is_empty() { "dq" } else { "dq du" };
            let with =
                if names.is_empty() { String::new() } else { format!(" with u = ({})", names.join(", ")) };
            let reason = match x.mechanics.system.pool.is_one(density) {
                true => format!("the volume {volume}{place}{with}: the divergence of the motion vanishes."),
                false => format!("N {volume}{place}{with} and the density N below, where it is positive."),
            };
            let mut found = finding("measure", question, Answer::Yes, reason);
            found.formulas.push(x.number("measure_density", Math::letter("N"), density));
            found
        }
        Measure::Local => finding(
            "measure",
            question,
            Answer::NotDecided,
            "the equations for the logarithm of a density that depends on the configuration have no contradiction among Lie brackets: there is one near every generic point. It was not found in closed form, and whether there is one everywhere is not known.",
        ),
        Measure::None => finding(
            "measure",
            question,
            Answer::No,
            "the equations for the logarithm of a density contradict each other along Lie brackets of the distribution; the motion is that of the kinetic energy alone, so that no smooth positive density of any kind is invariant.",
        ),
        Measure::NotDecided(why) => finding("measure", question, Answer::NotDecided, format!("{why}.")),
    })
}
