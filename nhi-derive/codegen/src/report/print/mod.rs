//! One printer for each format.

mod html;
mod json;
mod markdown;
mod mathml;
mod tex;
mod texmath;

use super::math::{Math, broken, math};
use super::{Block, Formula, Left, Report, Table};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};

/// Width of a line of a formula, and of a matrix that is not written entry by entry.
const LINE: usize = 78;

/// A format of reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Markdown, with formulas between dollar signs.
    Markdown,
    /// TeX with amsmath.
    Tex,
    /// One HTML file, with formulas as MathML.
    Html,
    /// JSON, a key for each section.
    Json,
}

/// Writes a report.
type Print = fn(&Report) -> String;

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::Markdown, Format::Tex, Format::Html, Format::Json];

    /// Name and printer.
    fn row(self) -> (&'static str, Print) {
        match self {
            Format::Markdown => ("md", markdown::print),
            Format::Tex => ("tex", tex::print),
            Format::Html => ("html", html::print),
            Format::Json => ("json", json::print),
        }
    }

    /// Its name, the extension of its files.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// A report in this format.
    pub fn print(self, report: &Report) -> String {
        (self.row().1)(report)
    }
}

/// One equation of a formula: what stands to the left, and to the right in one or more lines.
struct Equation {
    left: Option<Math>,
    lines: Vec<Math>,
}

/// The equations of a formula, and those of its parts.
struct Typeset {
    equations: Vec<Equation>,
    parts: Vec<Equation>,
    /// Whether entries of a matrix that are zero are left out.
    is_sparse: bool,
    /// Whether entries below the diagonal are left out, which are those above it.
    is_symmetric: bool,
    /// Whether people find the parts in the appendix.
    in_appendix: bool,
}

impl Typeset {
    /// Whether there is nothing but equations.
    fn is_plain(&self) -> bool {
        self.parts.is_empty() && !self.is_sparse
    }
}

fn equation(pool: &Pool, left: Math, e: Expr) -> Equation {
    let lines = broken(pool, e, LINE.saturating_sub(left.width() + 3));
    Equation { left: Some(left), lines }
}

/// The equations of parts with their symbols.
fn of_parts(pool: &Pool, parts: &[(Expr, Expr)]) -> Vec<Equation> {
    parts.iter().map(|&(symbol, e)| equation(pool, math(pool, symbol), e)).collect()
}

/// The lines of parts.
pub(super) fn lines(pool: &Pool, parts: &[(Expr, Expr)]) -> usize {
    of_parts(pool, parts).iter().map(|equation| equation.lines.len()).sum()
}

fn typeset(pool: &Pool, formula: &Formula) -> Typeset {
    let equation = |left: Math, e: Expr| equation(pool, left, e);
    let parts = of_parts(pool, &formula.parts);
    let (mut is_sparse, mut is_symmetric) = (false, false);
    let equations = match &formula.left {
        Left::Zero => formula
            .value
            .iter()
            .map(|row| {
                let mut lines = broken(pool, row[0], LINE);
                if let Some(last) = lines.last_mut() {
                    *last = Math::Row(vec![last.clone(), Math::Operator("="), Math::Number("0".into())]);
                }
                Equation { left: None, lines }
            })
            .collect(),
        Left::Entries(names) => {
            let both = || names.iter().zip(formula.value.iter().map(|row| row[0]));
            let zeros: Vec<Math> =
                both().filter(|(_, e)| pool.is_zero(*e)).map(|(name, _)| name.clone()).collect();
            let zeros = joined_by_equality(zeros);
            let are_apart = zeros.is_none();
            let others = both().filter(|(_, e)| are_apart || !pool.is_zero(*e));
            let others = others.map(|(left, e)| equation(left.clone(), e));
            let zero = || vec![Math::Number("0".into())];
            others.chain(zeros.map(|left| Equation { left: Some(left), lines: zero() })).collect()
        }
        Left::Matrix(symbol, letter) => {
            let entries =
                formula.value.iter().map(|row| row.iter().map(|&e| math(pool, e)).collect()).collect();
            let whole = Math::Matrix(entries);
            if symbol.width() + whole.width() + 3 <= LINE {
                vec![Equation { left: Some(symbol.clone()), lines: vec![whole] }]
            } else {
                is_sparse = true;
                is_symmetric = has_symmetry(pool, &formula.value);
                let mut equations = Vec::new();
                for (i, row) in formula.value.iter().enumerate() {
                    let first = if is_symmetric { i } else { 0 };
                    for (j, &e) in row.iter().enumerate().skip(first).filter(|(_, e)| !pool.is_zero(**e)) {
                        let index = if row.len() > 9 || formula.value.len() > 9 {
                            format!("{},{}", i + 1, j + 1)
                        } else {
                            format!("{}{}", i + 1, j + 1)
                        };
                        equations.push(equation(letter.clone().with_index(Math::Number(index)), e));
                    }
                }
                equations
            }
        }
    };
    Typeset { equations, parts, is_sparse, is_symmetric, in_appendix: formula.in_appendix }
}

/// Whether a matrix is its transpose and has entries beside the diagonal that are not zero.
fn has_symmetry(pool: &Pool, matrix: &Matrix) -> bool {
    let is_square = matrix.iter().all(|row| row.len() == matrix.len());
    let pairs = || (0..matrix.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    is_square
        && pairs().all(|(i, j)| matrix[i][j] == matrix[j][i])
        && pairs().any(|(i, j)| !pool.is_zero(matrix[i][j]))
}

/// `x = y`, if there are several and they fit into a line.
fn joined_by_equality(all: Vec<Math>) -> Option<Math> {
    let row = all.iter().enumerate().flat_map(|(i, x)| {
        let sign = (i > 0).then_some(Math::Operator("="));
        sign.into_iter().chain([x.clone()])
    });
    let row = Math::Row(row.collect());
    (all.len() > 1 && row.width() + 3 <= LINE).then_some(row)
}

/// Blocks, of which formulas that follow each other are together.
fn grouped(blocks: &[Block]) -> impl Iterator<Item = &[Block]> {
    blocks.chunk_by(|one, next| matches!((one, next), (Block::Formula(_), Block::Formula(_))))
}

/// The formulas among blocks.
fn formulas(blocks: &[Block]) -> impl Iterator<Item = &Formula> {
    blocks.iter().filter_map(|block| if let Block::Formula(formula) = block { Some(formula) } else { None })
}

/// Formulas that follow each other; what are equations alone stands in one display.
fn typeset_together<'a>(pool: &Pool, formulas: impl IntoIterator<Item = &'a Formula>) -> Vec<Typeset> {
    let mut all: Vec<Typeset> = Vec::new();
    for next in formulas.into_iter().map(|formula| typeset(pool, formula)) {
        match all.last_mut().filter(|last| last.is_plain() && next.is_plain()) {
            Some(last) => last.equations.extend(next.equations),
            None => all.push(next),
        }
    }
    all
}

/// A table as people read it: rows that differ in the first cell alone are one, and reasons stand below it, each once.
fn readable(table: &Table) -> (Table, Vec<String>) {
    let (mut rows, mut reasons): (Vec<Vec<String>>, Vec<String>) = (Vec::new(), Vec::new());
    let mut short = |cell: &String| {
        let Some((grade, why)) = cell.split_once(": ").filter(|_| table.has_reasons) else {
            return cell.clone();
        };
        let known = reasons.iter().position(|reason| reason == why);
        let place = known.unwrap_or_else(|| {
            reasons.push(why.to_owned());
            reasons.len() - 1
        });
        format!("{grade} ({})", place + 1)
    };
    for row in &table.rows {
        let rest: Vec<String> = row[1..].iter().map(&mut short).collect();
        match rows.iter_mut().find(|known| known[1..] == rest) {
            Some(known) => known[0] += &format!(", {}", row[0]),
            None => rows.push([vec![row[0].clone()], rest].concat()),
        }
    }
    (Table { rows, ..table.clone() }, reasons)
}

/// Text, and code between backticks.
fn spans(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`').enumerate().map(|(i, part)| (i % 2 == 1, part))
}
