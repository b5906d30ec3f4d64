//! The emitted methods: equations, unknowns, operations, and what they keep for this system.

use super::super::{Block, Table};
use super::{Context, text};
use crate::engine::EngineError;
use crate::expr::{Expr, Node, Pool};
use crate::forms::readable_programs;
use crate::program::{Program, Statement, usual};
use std::collections::HashMap;

/// Lines of a step up to which it is printed.
const LONGEST_STEP: usize = 120;

pub(super) fn methods(x: &mut Context<'_>) -> Result<Vec<Block>, EngineError> {
    let mut rows = Vec::new();
    for functions in &x.optimised.methods {
        let programs = x.derived.methods.iter().find(|programs| programs.method == functions.method);
        let facts = functions.method.facts();
        let symmetric = match facts.adjoint {
            Some(other) if other == functions.method => "yes".to_owned(),
            Some(other) => format!("no, its adjoint is `{}`", other.facts().id),
            None => "no".to_owned(),
        };
        let unknowns = programs.map_or(0, |programs| unknowns(&programs.step));
        rows.push(vec![
            format!("`{}`", facts.id),
            facts.order.to_string(),
            symmetric,
            if unknowns == 0 { "none, explicit".to_owned() } else { unknowns.to_string() },
            functions.step.operations.to_string(),
        ]);
    }
    let head = vec!["method", "order", "symmetric", "unknowns of Newton's method", "operations of a step"];
    let mut blocks = vec![Block::Table(Table { name: "methods", head, has_reasons: false, rows })];
    let mechanics = &x.mechanics;
    let equations =
        [&[mechanics.system.lagrangian], &mechanics.force[..], &mechanics.system.dynamics[..]].concat();
    if mechanics.system.pool.has_select(&equations) {
        blocks.push(text(
            "These equations are piecewise, and the orders hold where no branch changes. A force that jumps limits them to 1, one with a \
             kink to 2; an event at the change of branch, by `advance_until`, restores them. With dry friction, such as \
             `-f*sign(dot(x))*dx`, `dla1_adjoint` comes to rest and stays there, also on a slope.",
        ));
    }
    for functions in &x.optimised.methods {
        let facts = functions.method.facts();
        blocks.push(Block::Heading(format!("method_{}", facts.id), format!("`{}`", facts.id)));
        let programs = readable_programs(&x.derived.mechanics, functions.method);
        let (mut pool, mut program) = (programs.pool, programs.step);
        let solves = by_formulas(&mut pool, &mut program);
        blocks.extend(documentation(&program));
        let step = program.show(&pool).to_string();
        let step = lines_of_step(&step);
        if step.lines().count() <= LONGEST_STEP {
            let besides = if solves {
                "; where a pivot of M or C is small, Λ and a are solved without M⁻¹ and C"
            } else {
                ""
            };
            blocks.push(text("The appendix has the step with the terms of this system."));
            let (id, key) = (facts.id, format!("step_{}", facts.id));
            x.appendix.push(Block::Heading(key, format!("A step of `{id}`")));
            x.appendix.push(text(format!("With the terms of this system, before optimisation{besides}:")));
            x.appendix.push(Block::Listing(step));
        } else {
            blocks.push(text(format!(
                "With the terms of this system a step has {} lines; `nhi expand --plain` prints them.",
                step.lines().count()
            )));
        }
    }
    Ok(blocks)
}

/// The unknowns of the loops of a step.
fn unknowns(step: &Program) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Newton(newton) => newton.unknowns.len(),
        _ => 0,
    };
    step.body.iter().map(of).sum()
}

/// Replaces solutions of linear equations by their formulas, and leaves out what tells whether these lose digits. Whether there are any.
pub(super) fn by_formulas(pool: &mut Pool, program: &mut Program) -> bool {
    let values: Vec<Expr> = program.values_mut().into_iter().map(|e| *e).collect();
    let mut images: HashMap<Expr, Expr> = HashMap::new();
    let mut solves = false;
    for e in pool.reachable(&values) {
        let image = match pool.node(e) {
            Node::Saddle(saddle, arguments) => {
                solves = true;
                images[&arguments[saddle.index]]
            }
            _ => pool.rebuild(e, |c| images[&c]),
        };
        images.insert(e, image);
    }
    if solves {
        program.values_mut().into_iter().for_each(|e| *e = images[e]);
        let usual = usual(pool, program);
        let is_read = |statement: &Statement| match statement {
            Statement::Let { symbol, .. } => usual.contains(*symbol),
            _ => true,
        };
        program.body.retain(is_read);
    }
    solves
}

/// The documentation of a step: its equations are a listing.
fn documentation(program: &Program) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut words, mut listing): (Vec<String>, Option<Vec<String>>) = (Vec::new(), None);
    for line in program.doc.iter().flat_map(|line| line.lines().chain(line.is_empty().then_some(""))) {
        match (&mut listing, line) {
            (None, "```text") => {
                flush(&mut blocks, &mut words);
                listing = Some(Vec::new());
            }
            (Some(lines), "```") => {
                blocks.push(Block::Listing(lines.join("\n")));
                listing = None;
            }
            (Some(lines), line) => lines.push(line.to_owned()),
            (None, "") => flush(&mut blocks, &mut words),
            (None, line) => words.push(line.to_owned()),
        }
    }
    flush(&mut blocks, &mut words);
    blocks
}

fn flush(blocks: &mut Vec<Block>, words: &mut Vec<String>) {
    if !words.is_empty() {
        blocks.push(text(words.join(" ")));
        words.clear();
    }
}

/// The lines between the head of the function and its results, in words of mathematics.
fn lines_of_step(step: &str) -> String {
    let lines = step.lines().skip(1).map(|line| line.strip_prefix("    ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}
