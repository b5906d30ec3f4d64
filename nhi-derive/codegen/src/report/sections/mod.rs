//! The sections, and what they have in common.

mod connection;
mod declaration;
mod dynamics;
mod expectation;
mod methods;
mod structure;
mod symmetries;

use super::cut::{Names, cut};
use super::math::Math;
use super::print::lines;
use super::{Block, Formula, Left, Report, Section};
use crate::declaration::Rejected;
use crate::engine::{Engine, EngineError};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};
use crate::mechanics::{Admissible, Mechanics};
use crate::optimised::Optimised;
use crate::pipeline::{Derived, unanswered};
use crate::program::{Program, Role};
use std::collections::{HashMap, HashSet};

/// Writes a section.
type Write = fn(&mut Context<'_>) -> Result<Vec<Block>, EngineError>;

/// The sections in order: key, heading, and contents.
const WRITERS: &[(&str, &str, Write)] = &[
    ("declaration", "Declaration", declaration::declaration),
    ("configuration", "Configuration", declaration::configuration),
    ("lagrangian", "Lagrangian", declaration::lagrangian),
    ("mass_matrix", "Mass matrix", dynamics::mass_matrix),
    ("constraints", "Constraints", dynamics::constraints),
    ("equations", "Equations of motion", dynamics::equations),
    ("distribution", "Admissible velocities", dynamics::distribution),
    ("structure", "Structure", structure::structure),
    ("symmetries", "Symmetries", symmetries::symmetries),
    ("connection", "Connection", connection::connection),
    ("methods", "Methods", methods::methods),
];

/// The keys of the sections, in order; an appendix may follow.
pub const SECTIONS: [&str; WRITERS.len()] = {
    let mut keys = [""; WRITERS.len()];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = WRITERS[i].0;
        i += 1;
    }
    keys
};

/// Operations up to which a function is written without intermediate results, and its simplification is tried.
const CLOSED: usize = 300;

/// Lines that are seen at once.
const SCREEN: usize = 50;

/// Entries of a matrix up to which it is printed.
const MOST_ENTRIES: usize = 400;

/// What sections are written from.
struct Context<'a> {
    derived: &'a Derived,
    optimised: Optimised,
    /// Its pool is that of the report.
    mechanics: Mechanics,
    engine: &'a mut dyn Engine,
    admissible: Admissible,
    /// The program for dv/dt and λ, by formulas.
    equations: Program,
    /// dv/dt without intermediate results.
    acceleration: Vec<Expr>,
    /// Parts of formulas.
    names: Names,
    /// What the appendix begins with.
    appendix: Vec<Block>,
}

/// A report with the sections whose keys are wanted.
pub(super) fn report(
    derived: &Derived,
    engine: &mut dyn Engine,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Report, Box<Rejected>> {
    let failed = |error: EngineError| unanswered(&derived.declaration, &error);
    let optimised = derived.optimised()?;
    let mut mechanics = derived.mechanics.clone();
    let admissible = mechanics.admissible(engine).map_err(failed)?;
    let mut equations = derived.system.acceleration.clone();
    methods::by_formulas(&mut mechanics.system.pool, &mut equations);
    let acceleration = written_out(&mut mechanics.system.pool, &equations, &Role::Acceleration);
    let mut context = Context {
        derived,
        optimised,
        mechanics,
        engine,
        admissible,
        equations,
        acceleration,
        names: Names::new(),
        appendix: Vec::new(),
    };
    let mut sections = Vec::new();
    for &(key, title, write) in WRITERS.iter().filter(|(key, ..)| is_wanted(key)) {
        let blocks = write(&mut context).map_err(failed)?;
        sections.push(Section { key, title, blocks });
    }
    let Context { mechanics, optimised, appendix, .. } = context;
    let (name, pool) = (mechanics.system.name, mechanics.system.pool);
    let last = self::appendix(&pool, &mut sections, appendix);
    sections.extend(last);
    let warning = optimised.warning(false);
    Ok(Report { name, pool, warning, sections })
}

/// The parts of formulas that are longer than a screen, each once, after these blocks.
fn appendix(pool: &Pool, sections: &mut [Section], mut blocks: Vec<Block>) -> Option<Section> {
    let (mut parts, mut known) = (Vec::new(), HashSet::new());
    for block in sections.iter_mut().flat_map(|section| &mut section.blocks) {
        let formulas: &mut [Formula] = match block {
            Block::Formula(formula) => std::slice::from_mut(formula),
            Block::Finding(finding) => &mut finding.formulas,
            _ => &mut [],
        };
        for formula in formulas.iter_mut().filter(|formula| lines(pool, &formula.parts) > SCREEN) {
            formula.in_appendix = true;
            parts.extend(formula.parts.iter().copied().filter(|(symbol, _)| known.insert(*symbol)));
        }
    }
    if !parts.is_empty() {
        blocks.push(Block::Heading("intermediate_results".to_owned(), "Intermediate results".to_owned()));
        blocks.push(text(
            "Formulas above that refer to the appendix have these parts, each of which follows from those before it:",
        ));
        blocks.push(Block::Parts(parts));
    }
    (!blocks.is_empty()).then_some(Section { key: "appendix", title: "Appendix", blocks })
}

/// An output of a program without loops, in terms of its inputs.
fn written_out(pool: &mut Pool, program: &Program, role: &Role) -> Vec<Expr> {
    let mut known: HashMap<Expr, Expr> = HashMap::new();
    for (symbol, value) in program.lets() {
        let full = pool.substitute(&[value], &known)[0];
        known.insert(symbol, full);
    }
    let output = program.outputs.iter().find(|output| output.role == *role);
    output.map_or_else(Vec::new, |output| pool.substitute(&output.values, &known))
}

impl Context<'_> {
    fn pool(&mut self) -> &mut Pool {
        &mut self.mechanics.system.pool
    }

    fn cut(&mut self, values: &[Expr]) -> (Vec<Expr>, Vec<(Expr, Expr)>) {
        cut(&mut self.mechanics.system.pool, &mut self.names, values)
    }

    /// A formula for numbers, one left-hand side each.
    fn entries(&mut self, name: &str, left: Vec<Math>, values: &[Expr]) -> Formula {
        let (value, parts) = self.cut(values);
        let value = value.into_iter().map(|e| vec![e]).collect();
        let left = Left::Entries(left);
        Formula { name: name.to_owned(), left, value, parts, in_appendix: false }
    }

    /// A formula for one number.
    fn number(&mut self, name: &str, left: Math, value: Expr) -> Formula {
        self.entries(name, vec![left], &[value])
    }

    /// A formula that says that numbers are zero.
    fn zeros(&mut self, name: &str, values: &[Expr]) -> Formula {
        Formula { left: Left::Zero, ..self.entries(name, Vec::new(), values) }
    }

    /// A formula for a matrix; its entries have the letter of the second name.
    fn matrix(&mut self, name: &str, (symbol, letter): (Math, Math), value: &Matrix) -> Formula {
        let (flat, parts) = self.cut(&value.concat());
        let mut flat = flat.into_iter();
        let value = value.iter().map(|row| flat.by_ref().take(row.len()).collect()).collect();
        let left = Left::Matrix(symbol, letter);
        Formula { name: name.to_owned(), left, value, parts, in_appendix: false }
    }

    /// A matrix, or that it is left out because of its size.
    fn moderate_matrix(&mut self, name: &str, of: (Math, Math), value: &Matrix) -> Block {
        let columns = value.first().map_or(0, Vec::len);
        if columns * value.len() > MOST_ENTRIES {
            return Block::Text(format!("It has {} × {columns} entries and is not printed.", value.len()));
        }
        Block::Formula(self.matrix(name, of, value))
    }

    /// Results of a program in closed form where that is short, else with its intermediate results.
    fn results(
        &mut self,
        name: &str,
        left: Vec<Math>,
        (program, role): (&Program, &Role),
    ) -> Result<Formula, EngineError> {
        let closed = written_out(self.pool(), program, role);
        if self.pool().cost(&closed).weight() <= CLOSED {
            let simple = self.simpler(closed)?;
            return Ok(self.entries(name, left, &simple));
        }
        let output = program.outputs.iter().find(|output| output.role == *role);
        let values = output.map_or_else(Vec::new, |output| output.values.clone());
        let lets = program.lets();
        let mut needed: Vec<(Expr, Expr)> = Vec::new();
        let mut open = values.clone();
        for &(symbol, value) in lets.iter().rev() {
            if open.iter().any(|&e| self.mechanics.system.pool.depends_on(e, &[symbol])) {
                needed.push((symbol, value));
                open.push(value);
            }
        }
        needed.reverse();
        let mut parts = Vec::new();
        for (symbol, value) in needed {
            let (value, inner) = self.cut(&[value]);
            parts.extend(inner);
            parts.push((symbol, value[0]));
        }
        let mut formula = self.entries(name, left, &values);
        parts.append(&mut formula.parts);
        Ok(Formula { parts, ..formula })
    }

    /// Expressions, simplified if they are short and that makes them shorter.
    fn simpler(&mut self, closed: Vec<Expr>) -> Result<Vec<Expr>, EngineError> {
        let pool = &mut self.mechanics.system.pool;
        let weight = pool.cost(&closed).weight();
        if weight > CLOSED {
            return Ok(closed);
        }
        let simple = self.engine.simplify(pool, &closed)?;
        Ok(if pool.cost(&simple).weight() < weight { simple } else { closed })
    }

    /// The velocities as they are typeset.
    fn velocities(&self) -> Vec<Math> {
        self.mechanics.system.velocities.iter().map(|v| Math::name(&v.name)).collect()
    }

    /// A letter with each coordinate, or body velocity, as its index.
    fn with_names(&self, letter: &str) -> Vec<Math> {
        let names = self.mechanics.system.velocity_names();
        names.map(|name| Math::letter(letter).with_index(Math::name(name))).collect()
    }

    /// Which of coordinates and time the expressions depend on, in words.
    fn dependence(&self, of: &[Expr]) -> String {
        let system = &self.mechanics.system;
        let place = system.coordinates.iter().map(|c| (c.name.as_str(), c.symbol));
        let all = place.chain([("t", system.t)]);
        let found: Vec<String> = all
            .filter(|(_, symbol)| of.iter().any(|&e| system.pool.depends_on(e, &[*symbol])))
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        listed(&found)
    }
}

/// The letters of a matrix and its entries.
fn letters(symbol: &str, entry: &str) -> (Math, Math) {
    (Math::letter(symbol), Math::letter(entry))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn text(words: impl Into<String>) -> Block {
    Block::Text(words.into())
}
