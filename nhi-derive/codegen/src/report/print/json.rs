//! JSON: an object with a key for each section.

use super::texmath::aligned;
use super::typeset;
use crate::expr::{Expr, Pool};
use crate::report::{Block, Finding, Formula, Report, Section, Table};
use std::fmt::Write as _;

pub(super) fn print(report: &Report) -> String {
    let sections = report.sections.iter().map(|s| (s.key.to_owned(), section(report, s)));
    let all = [("name".to_owned(), string(&report.name))].into_iter().chain(sections);
    format!("{}\n", object(all))
}

fn section(report: &Report, section: &Section) -> String {
    let pool = &report.pool;
    let (mut text, mut formulas, mut tables, mut findings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut listings = Vec::new();
    for block in &section.blocks {
        match block {
            Block::Text(words) => text.push(string(words)),
            Block::Heading(_, title) => text.push(string(title)),
            Block::Listing(lines) => listings.push(string(lines)),
            Block::Formula(of) => formulas.push((of.name.clone(), formula(pool, of))),
            Block::Table(of) => tables.push((of.name.to_owned(), table(of))),
            // Each formula has its own.
            Block::Parts(_) => {}
            Block::Finding(of) => findings.push((of.key.to_owned(), finding(pool, of))),
        }
    }
    let mut members = vec![("title".to_owned(), string(section.title))];
    for (key, all) in [("text", text), ("listings", listings)] {
        if !all.is_empty() {
            members.push((key.to_owned(), array(all)));
        }
    }
    for (key, all) in [("formulas", formulas), ("tables", tables)] {
        if !all.is_empty() {
            members.push((key.to_owned(), object(all)));
        }
    }
    members.extend(findings);
    object(members)
}

fn formula(pool: &Pool, formula: &Formula) -> String {
    let typeset = typeset(pool, formula);
    let text = |e: Expr| string(&pool.show(e).to_string());
    let value = array(formula.value.iter().map(|row| array(row.iter().map(|&e| text(e)))));
    let mut members =
        vec![("value".to_owned(), value), ("tex".to_owned(), string(&aligned(&typeset.equations)))];
    if !formula.parts.is_empty() {
        let parts = formula.parts.iter().map(|&(symbol, e)| (pool.show(symbol).to_string(), text(e)));
        members.push(("parts".to_owned(), object(parts)));
        members.push(("tex_of_parts".to_owned(), string(&aligned(&typeset.parts))));
    }
    object(members)
}

fn finding(pool: &Pool, finding: &Finding) -> String {
    let mut members = vec![
        ("answer".to_owned(), string(finding.answer.text())),
        ("reason".to_owned(), string(&finding.reason)),
    ];
    if !finding.formulas.is_empty() {
        let formulas = finding.formulas.iter().map(|of| (of.name.clone(), formula(pool, of)));
        members.push(("formulas".to_owned(), object(formulas)));
    }
    object(members)
}

/// A table as a list of objects.
fn table(table: &Table) -> String {
    array(table.rows.iter().map(|row| {
        object(
            table
                .head
                .iter()
                .zip(row)
                .map(|(head, cell)| ((*head).to_owned(), string(&cell.replace('`', "")))),
        )
    }))
}

fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn object(members: impl IntoIterator<Item = (String, String)>) -> String {
    let members: Vec<String> =
        members.into_iter().map(|(key, value)| format!("{}: {value}", string(&key))).collect();
    format!("{{{}}}", members.join(",\n"))
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
