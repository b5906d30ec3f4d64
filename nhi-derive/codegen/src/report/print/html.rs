//! One HTML file that needs no other.

use super::mathml::{display, escaped};
use super::texmath::{WHERE, remark};
use super::{Typeset, formulas, grouped, of_parts, readable, typeset_together};
use crate::report::{Block, Report, Table};
use std::fmt::Write as _;

const STYLE: &str = include_str!("report.css");

pub(super) fn print(report: &Report) -> String {
    let name = escaped(&report.name);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n<nav>\n"
    );
    let sections = || report.sections.iter().filter(|section| !section.blocks.is_empty());
    for section in sections() {
        let _ = writeln!(out, "<a href=\"#{}\">{}</a>", section.key, escaped(section.title));
    }
    out.push_str("</nav>\n");
    for section in sections() {
        let _ = writeln!(out, "<section id=\"{}\">\n<h2>{}</h2>", section.key, escaped(section.title));
        for (group, block) in grouped(&section.blocks).map(|group| (group, &group[0])) {
            match block {
                Block::Text(text) => {
                    let _ = writeln!(out, "<p>{}</p>", inline(text));
                }
                Block::Formula(_) => {
                    let all = typeset_together(&report.pool, formulas(group));
                    all.iter().for_each(|typeset| formula(&mut out, typeset));
                }
                Block::Table(of) => table(&mut out, of),
                Block::Listing(text) => {
                    let _ = writeln!(out, "<pre>{}</pre>", escaped(text.trim_end()));
                }
                Block::Heading(key, title) => {
                    let _ = writeln!(out, "<h3 id=\"{key}\">{}</h3>", inline(title));
                }
                Block::Parts(parts) => {
                    let equations = display(&of_parts(&report.pool, parts));
                    let _ = writeln!(out, "<div class=\"formula\">{equations}</div>");
                }
                Block::Finding(finding) => {
                    let (answer, class) = (finding.answer.text(), finding.answer.text().replace(' ', "-"));
                    let _ = writeln!(
                        out,
                        "<p id=\"{}\"><strong>{}: <span class=\"{class}\">{answer}</span>.</strong> {}</p>",
                        finding.key,
                        escaped(finding.question),
                        inline(&finding.reason)
                    );
                    for typeset in typeset_together(&report.pool, &finding.formulas) {
                        formula(&mut out, &typeset);
                    }
                }
            }
        }
        out.push_str("</section>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn inline(text: &str) -> String {
    let part = |(is_code, part)| match is_code {
        true => format!("<code>{}</code>", escaped(part)),
        false => escaped(part),
    };
    super::spans(text).map(part).collect()
}

fn formula(out: &mut String, typeset: &Typeset) {
    if !typeset.equations.is_empty() {
        let _ = writeln!(out, "<div class=\"formula\">{}</div>", display(&typeset.equations));
    }
    if typeset.in_appendix {
        let _ = writeln!(out, "<p>{WHERE} parts that the <a href=\"#appendix\">appendix</a> lists.</p>");
    } else if !typeset.parts.is_empty() {
        let _ = writeln!(out, "<p>{WHERE}</p>\n<div class=\"formula\">{}</div>", display(&typeset.parts));
    }
    if let Some(remark) = remark(typeset) {
        let _ = writeln!(out, "<p>{remark}</p>");
    }
}

fn table(out: &mut String, table: &Table) {
    let (table, reasons) = readable(table);
    let cells = |tag: &str, cells: &[String]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect()
    };
    let head: Vec<String> = table.head.iter().map(|text| escaped(text)).collect();
    let _ = writeln!(out, "<div class=\"formula\"><table>\n<tr>{}</tr>", cells("th", &head));
    for row in &table.rows {
        let row: Vec<String> = row.iter().map(|cell| inline(cell)).collect();
        let _ = writeln!(out, "<tr>{}</tr>", cells("td", &row));
    }
    out.push_str("</table></div>\n");
    if !reasons.is_empty() {
        let reasons: Vec<String> =
            reasons.iter().map(|reason| format!("<li>{}</li>", inline(reason))).collect();
        let _ = writeln!(out, "<ol>{}</ol>", reasons.concat());
    }
}
