//! Markdown.

use super::texmath::{WHERE, aligned, remark};
use super::typeset;
use crate::report::{Block, Formula, Report, Table};
use std::fmt::Write as _;

pub(super) fn print(report: &Report) -> String {
    let mut out = format!("# {}\n", report.name);
    for section in &report.sections {
        let _ = write!(out, "\n<a id=\"{}\"></a>\n\n## {}\n", section.key, section.title);
        for block in &section.blocks {
            out.push('\n');
            match block {
                Block::Text(text) => {
                    out.push_str(&escaped(text));
                    out.push('\n');
                }
                Block::Formula(formula) => out.push_str(&display(report, formula)),
                Block::Table(of) => out.push_str(&table(of)),
                Block::Listing(text) => {
                    let _ = writeln!(out, "```text\n{}\n```", text.trim_end());
                }
                Block::Heading(key, title) => {
                    let _ = writeln!(out, "<a id=\"{key}\"></a>\n\n### {}", escaped(title));
                }
                Block::Finding(finding) => {
                    let (question, answer) = (finding.question, finding.answer.text());
                    let _ = writeln!(out, "**{question}: {answer}.** {}", escaped(&finding.reason));
                    for formula in &finding.formulas {
                        out.push('\n');
                        out.push_str(&display(report, formula));
                    }
                }
            }
        }
    }
    out
}

/// Text with code as it is and everything else without markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for (is_code, part) in super::spans(text) {
        if is_code {
            let _ = write!(out, "`{part}`");
            continue;
        }
        for c in part.chars() {
            if matches!(c, '*' | '_' | '<' | '$' | '\\' | '[' | '|') {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
}

fn display(report: &Report, formula: &Formula) -> String {
    let typeset = typeset(&report.pool, formula);
    let mut out = String::new();
    let mut block = |equations: &[_]| {
        if !equations.is_empty() {
            let _ = write!(out, "$$\n\\begin{{aligned}}\n{}\n\\end{{aligned}}\n$$\n", aligned(equations));
        }
    };
    block(&typeset.equations);
    if !typeset.parts.is_empty() {
        let mut parts = String::new();
        let _ = write!(
            parts,
            "\n{WHERE}\n\n$$\n\\begin{{aligned}}\n{}\n\\end{{aligned}}\n$$\n",
            aligned(&typeset.parts)
        );
        out.push_str(&parts);
    }
    if let Some(remark) = remark(&typeset) {
        let _ = write!(out, "\n{remark}\n");
    }
    out
}

fn table(table: &Table) -> String {
    let mut out = format!("| {} |\n|{}\n", table.head.join(" | "), " --- |".repeat(table.head.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| cell_text(cell)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

/// A bar ends a cell even inside of code.
fn cell_text(cell: &str) -> String {
    let text: Vec<String> = super::spans(cell)
        .map(|(is_code, part)| match is_code {
            true => format!("`{}`", part.replace('|', "\\|")),
            false => escaped(part),
        })
        .collect();
    text.concat()
}
