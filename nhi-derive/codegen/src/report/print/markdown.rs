//! Markdown.

use super::texmath::{WHERE, aligned, remark, tex};
use super::{Equation, Typeset, formulas, grouped, of_parts, readable, typeset_together};
use crate::report::{Block, Report, Table};
use std::fmt::Write as _;

/// Length of a matrix in one line.
const SHORT: usize = 110;

pub(super) fn print(report: &Report) -> String {
    let mut out = format!("# {}\n", report.name);
    for section in report.sections.iter().filter(|section| !section.blocks.is_empty()) {
        let _ = write!(out, "\n## {} <a id=\"{}\"></a>\n", section.title, section.key);
        let mut follows_item = false;
        for (group, block) in grouped(&section.blocks).map(|group| (group, &group[0])) {
            let is_item = matches!(block, Block::Finding(finding) if finding.formulas.is_empty());
            if !(is_item && follows_item) {
                out.push('\n');
            }
            follows_item = is_item;
            match block {
                Block::Text(text) => {
                    out.push_str(&escaped(text));
                    out.push('\n');
                }
                Block::Formula(_) => {
                    let all = typeset_together(&report.pool, formulas(group));
                    let all: Vec<String> = all.iter().map(display).collect();
                    out.push_str(&all.join("\n"));
                }
                Block::Table(of) => out.push_str(&table(of)),
                Block::Listing(text) => {
                    let _ = writeln!(out, "```text\n{}\n```", text.trim_end());
                }
                Block::Heading(key, title) => {
                    let _ = writeln!(out, "### {} <a id=\"{key}\"></a>", escaped(title));
                }
                Block::Parts(parts) => out.push_str(&equations(&of_parts(&report.pool, parts))),
                Block::Finding(finding) => {
                    let (question, answer) = (finding.question, finding.answer.text());
                    let item = if is_item { "- " } else { "" };
                    let _ = writeln!(out, "{item}**{question}: {answer}.** {}", escaped(&finding.reason));
                    for typeset in typeset_together(&report.pool, &finding.formulas) {
                        out.push('\n');
                        out.push_str(&display(&typeset));
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

/// Equations between dollar signs, one of them in a line.
fn equations(equations: &[Equation]) -> String {
    match equations {
        [] => String::new(),
        [Equation { left, lines }] if lines.len() == 1 => {
            let left = left.as_ref().map_or_else(String::new, |left| format!("{} = ", tex(left)));
            let equation = format!("{left}{}", tex(&lines[0]));
            match equation.contains('\n') {
                true if equation.len() <= SHORT => format!("$$\n{}\n$$\n", equation.replace('\n', " ")),
                true => format!("$$\n{equation}\n$$\n"),
                false => format!("$${equation}$$\n"),
            }
        }
        several => format!("$$\n\\begin{{aligned}}\n{}\n\\end{{aligned}}\n$$\n", aligned(several)),
    }
}

fn display(typeset: &Typeset) -> String {
    let mut out = equations(&typeset.equations);
    if typeset.in_appendix {
        let _ = write!(out, "\n{WHERE} parts that the [appendix](#appendix) lists.\n");
    } else if !typeset.parts.is_empty() {
        let _ = write!(out, "\n{WHERE}\n\n{}", equations(&typeset.parts));
    }
    if let Some(remark) = remark(typeset) {
        let _ = write!(out, "\n{remark}\n");
    }
    out
}

fn table(table: &Table) -> String {
    let (table, reasons) = readable(table);
    let mut out = format!("| {} |\n|{}\n", table.head.join(" | "), " --- |".repeat(table.head.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| cell_text(cell)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    for (i, reason) in reasons.iter().enumerate() {
        let _ = writeln!(out, "{}{}. {}", if i == 0 { "\n" } else { "" }, i + 1, escaped(reason));
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
