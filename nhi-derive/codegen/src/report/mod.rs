//! The derivation of a declared system for people: a report in Markdown, TeX, HTML or JSON.
//!
//! A [`Report`] is made of sections ([`SECTIONS`], one function each), a section of texts, formulas, tables, listings
//! and findings. Formulas are expressions of the report's pool under the name of the quantity that they state, so that
//! they can be evaluated and compared with the derived functions. A format is one printer of a report
//! ([`Format`], `print/`).

mod cut;
mod math;
mod print;
mod sections;

pub use math::Math;
pub use print::Format;
pub use sections::SECTIONS;

use crate::declaration::Rejected;
use crate::engine::Engine;
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};
use crate::generate::Request;
use crate::pipeline::Derived;
use crate::source::ExpandError;

/// What follows from one declaration.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the struct.
    pub name: String,
    /// Owner of the expressions in formulas.
    pub pool: Pool,
    /// What to do about the size of what is generated, if that is very long.
    pub warning: Option<String>,
    /// The sections, in the order of [`SECTIONS`], and an appendix where something is left to it.
    pub sections: Vec<Section>,
}

/// One section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Its anchor, and its key in JSON.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its contents.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// A paragraph; what stands between backticks is code.
    Text(String),
    /// A formula.
    Formula(Formula),
    /// A table of texts.
    Table(Table),
    /// Lines of text as they are.
    Listing(String),
    /// An answer.
    Finding(Finding),
    /// A heading inside of a section, with an anchor.
    Heading(String, String),
    /// Parts of formulas, each with its symbol, in the order of their evaluation.
    Parts(Vec<(Expr, Expr)>),
}

/// A formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The quantity that it states, such as `mass_matrix`.
    pub name: String,
    /// What stands to the left of the equality sign.
    pub left: Left,
    /// What stands to the right of it.
    pub value: Matrix,
    /// Parts of the value that have names of their own, in the order of their evaluation.
    pub parts: Vec<(Expr, Expr)>,
    /// Whether people find the parts in the appendix: they are longer than a screen.
    pub in_appendix: bool,
}

/// The left-hand side of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Left {
    /// A symbol for a matrix, with the letter of its entries.
    Matrix(Math, Math),
    /// A symbol for each entry of a column.
    Entries(Vec<Math>),
    /// Nothing: each entry of a column is zero.
    Zero,
}

/// A table of texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Its name, the key in JSON.
    pub name: &'static str,
    /// The heads of its columns.
    pub head: Vec<&'static str>,
    /// Whether each cell behind the first has a reason after a colon.
    pub has_reasons: bool,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// An answer, with a reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its key in JSON.
    pub key: &'static str,
    /// The question.
    pub question: &'static str,
    /// The answer.
    pub answer: Answer,
    /// Why.
    pub reason: String,
    /// Formulas that belong to the answer.
    pub formulas: Vec<Formula>,
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// Neither is known.
    NotDecided,
}

impl Answer {
    /// `yes`, `no` or `not decided`.
    pub fn text(self) -> &'static str {
        match self {
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::NotDecided => "not decided",
        }
    }
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Answer {
        if yes { Answer::Yes } else { Answer::No }
    }
}

impl Report {
    /// The report of a derived declaration.
    ///
    /// # Errors
    /// An engine that cannot answer, and those of [`Derived::optimised`].
    pub fn of(derived: &Derived, engine: &mut dyn Engine) -> Result<Report, Box<Rejected>> {
        sections::report(derived, engine, |_| true)
    }

    /// A report with some sections only, named by their keys.
    ///
    /// # Errors
    /// As [`Report::of`].
    pub fn of_sections(
        derived: &Derived,
        engine: &mut dyn Engine,
        keys: &[&str],
    ) -> Result<Report, Box<Rejected>> {
        sections::report(derived, engine, |key| keys.contains(&key))
    }

    /// Every formula, those of findings too.
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        self.sections.iter().flat_map(|section| &section.blocks).flat_map(|block| match block {
            Block::Formula(formula) => std::slice::from_ref(formula),
            Block::Finding(finding) => &finding.formulas,
            _ => &[],
        })
    }
}

/// The report of a struct in `source` that derives `Nonholonomic`. `struct_name` selects one of several.
///
/// # Errors
/// See [`ExpandError`]; [`ExpandError::Several`] where there are several and none is selected.
pub fn report(
    source: &str,
    struct_name: Option<&str>,
    format: Format,
    engine: &mut dyn Engine,
) -> Result<String, ExpandError> {
    Ok(format.print(&read(source, struct_name, engine)?))
}

/// The same before it is printed.
///
/// # Errors
/// As [`report`].
pub fn read(source: &str, struct_name: Option<&str>, engine: &mut dyn Engine) -> Result<Report, ExpandError> {
    let request = Request { name: struct_name.map(str::to_owned), methods: Vec::new() };
    let derived = request.derive(source, engine)?;
    let [(_, derived)] = &derived[..] else {
        return Err(ExpandError::Several(derived.iter().map(|(input, _)| input.ident.to_string()).collect()));
    };
    Ok(Report::of(derived, engine)?)
}
