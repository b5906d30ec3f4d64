//! TeX, with amsmath alone.

use super::texmath::{WHERE, aligned, character, remark};
use super::{Equation, Typeset, formulas, grouped, of_parts, readable, typeset_together};
use crate::report::{Block, Report, Table};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const HEAD: &str = r"\documentclass[a4paper]{article}
\usepackage{amsmath}
\allowdisplaybreaks
\emergencystretch=3em
\setlength{\parindent}{0pt}
\setlength{\parskip}{1ex}
\setlength{\textwidth}{170mm}
\setlength{\oddsidemargin}{-5mm}
\setlength{\textheight}{240mm}
\setlength{\topmargin}{-15mm}
";

/// Equations on one display, which a page has to hold.
const DISPLAY: usize = 400;

pub(super) fn print(report: &Report) -> String {
    let mut body = format!("\\title{{{}}}\n\\date{{}}\n\\maketitle\n", escaped(&report.name));
    for section in report.sections.iter().filter(|section| !section.blocks.is_empty()) {
        let _ = write!(body, "\n\\section{{{}}}\\label{{{}}}\n", escaped(section.title), section.key);
        for (group, block) in grouped(&section.blocks).map(|group| (group, &group[0])) {
            body.push('\n');
            match block {
                Block::Text(text) => {
                    body.push_str(&inline(text));
                    body.push('\n');
                }
                Block::Formula(_) => {
                    let all = typeset_together(&report.pool, formulas(group));
                    all.iter().for_each(|typeset| body.push_str(&display(typeset)));
                }
                Block::Table(of) => body.push_str(&table(of)),
                Block::Listing(text) => {
                    let _ = write!(
                        body,
                        "{{\\footnotesize\n\\begin{{verbatim}}\n{}\n\\end{{verbatim}}\n}}\n",
                        wrapped(text)
                    );
                }
                Block::Heading(key, title) => {
                    let _ = writeln!(body, "\\subsection{{{}}}\\label{{{key}}}", inline(title));
                }
                Block::Parts(parts) => equations(&mut body, &of_parts(&report.pool, parts)),
                Block::Finding(finding) => {
                    let (question, answer) = (escaped(finding.question), finding.answer.text());
                    let _ = writeln!(body, "\\textbf{{{question}: {answer}.}} {}", inline(&finding.reason));
                    for typeset in typeset_together(&report.pool, &finding.formulas) {
                        body.push_str(&display(&typeset));
                    }
                }
            }
        }
    }
    let mut head = String::from(HEAD);
    let beyond: BTreeSet<char> = body.chars().filter(|c| !c.is_ascii()).collect();
    for c in beyond {
        if let Some(command) = declared(c) {
            let _ = writeln!(head, "\\DeclareUnicodeCharacter{{{:04X}}}{{{command}}}", u32::from(c));
        }
    }
    format!("{head}\\begin{{document}}\n{body}\n\\end{{document}}\n")
}

/// What TeX prints for a character beyond ASCII; nothing for one that it knows.
fn declared(c: char) -> Option<String> {
    if let Some(command) = character(c).filter(|_| c != '𝔤' && c != 'ℝ') {
        return Some(format!("\\ensuremath{{{command}}}"));
    }
    let command = match c {
        '–' | '’' | '‘' | '“' | '”' | '…' | '—' => return None,
        // Letters of Latin with accents, which TeX composes.
        'À'..='Å'
        | 'Ç'..='Ï'
        | 'Ñ'..='Ö'
        | 'Ù'..='Ý'
        | 'à'..='å'
        | 'ç'..='ï'
        | 'ñ'..='ö'
        | 'ù'..='ý'
        | 'ÿ' => {
            return None;
        }
        '𝔤' => "\\mathbf{g}",
        'ℝ' => "\\mathbf{R}",
        '²' => "^2",
        '³' => "^3",
        '⁻' => "^-",
        '⁺' => "^+",
        '¹' => "^1",
        'ᵀ' => "^T",
        '₀' => "_0",
        '₁' => "_1",
        '₂' => "_2",
        '₃' => "_3",
        '₄' => "_4",
        '₅' => "_5",
        '₆' => "_6",
        '₇' => "_7",
        '₈' => "_8",
        '₉' => "_9",
        '·' => "\\cdot",
        '×' => "\\times",
        '−' => "-",
        '±' => "\\pm",
        '∓' => "\\mp",
        '≤' => "\\le",
        '≥' => "\\ge",
        '≠' => "\\ne",
        '≈' => "\\approx",
        '→' => "\\to",
        '↦' => "\\mapsto",
        '∈' => "\\in",
        '∝' => "\\propto",
        '√' => "\\surd",
        '½' => "\\frac12",
        '¼' => "\\frac14",
        '⟨' => "\\langle",
        '⟩' => "\\rangle",
        '‖' => "\\|",
        'Σ' => "\\Sigma",
        '̃' => "\\sim",
        '∛' => "\\surd",
        '∘' => "\\circ",
        'ₐ' => "_a",
        'ᵢ' => "_i",
        'ₖ' => "_k",
        '′' => "'",
        '⊥' => "\\perp",
        '𝒬' => "\\mathcal{Q}",
        '𝒫' => "\\mathcal{P}",
        _ => return Some(format!("\\texttt{{[U+{:04X}]}}", u32::from(c))),
    };
    Some(format!("\\ensuremath{{{command}}}"))
}

/// Text without commands.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("\\ensuremath{<}"),
            '>' => out.push_str("\\ensuremath{>}"),
            '|' => out.push_str("\\ensuremath{|}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Text with code in it, which may be broken after its signs.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for (is_code, part) in super::spans(text) {
        if !is_code {
            out.push_str(&escaped(part));
            continue;
        }
        out.push_str("\\texttt{");
        for c in part.chars() {
            out.push_str(&escaped(&c.to_string()));
            if matches!(c, '+' | '-' | '*' | '/' | ',' | ' ' | '(' | ')') {
                out.push_str("\\allowbreak{}");
            }
        }
        out.push('}');
    }
    out
}

/// Lines of at most about a hundred characters.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 92;
    let mut out = Vec::new();
    for line in text.trim_end().lines() {
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let mut rest: Vec<char> = line.chars().collect();
        while rest.len() > WIDTH {
            let end = (WIDTH / 2..WIDTH).rev().find(|&i| rest[i] == ' ').unwrap_or(WIDTH);
            out.push(rest[..end].iter().collect::<String>());
            let tail: String = rest[end..].iter().collect();
            rest = format!("{indent}    {}", tail.trim_start()).chars().collect();
        }
        out.push(rest.into_iter().collect());
    }
    out.join("\n")
}

fn equations(out: &mut String, equations: &[Equation]) {
    for some in equations.chunks(DISPLAY) {
        let _ = write!(out, "\\begin{{align*}}\n{}\n\\end{{align*}}\n", aligned(some));
    }
}

fn display(typeset: &Typeset) -> String {
    let mut out = String::new();
    equations(&mut out, &typeset.equations);
    if typeset.in_appendix {
        let _ = write!(out, "{WHERE} parts that section~\\ref{{appendix}} lists.\n\n");
    } else if !typeset.parts.is_empty() {
        let _ = writeln!(out, "{WHERE}");
        equations(&mut out, &typeset.parts);
    }
    if let Some(remark) = remark(typeset) {
        let _ = write!(out, "{remark}\n\n");
    }
    out
}

fn table(table: &Table) -> String {
    let (table, reasons) = readable(table);
    let columns = table.head.len();
    let width = 0.96 / columns as f64;
    let columns = format!("p{{{width:.3}\\textwidth}}").repeat(columns);
    let head: Vec<String> = table.head.iter().map(|text| format!("\\textbf{{{}}}", escaped(text))).collect();
    let mut out = format!(
        "{{\\small\\raggedright\\setlength{{\\tabcolsep}}{{2pt}}\n\\begin{{tabular}}{{{columns}}}\n\\hline\n{} \\\\\n\\hline\n",
        head.join(" & ")
    );
    let close = "\\hline\n\\end{tabular}\n\n";
    for (i, row) in table.rows.iter().enumerate() {
        if i > 0 && i % 12 == 0 {
            // A tabular is not broken over pages.
            let _ = write!(out, "{close}\\begin{{tabular}}{{{columns}}}\n\\hline\n");
        }
        let cells: Vec<String> = row.iter().map(|cell| format!("\\raggedright {}", inline(cell))).collect();
        let _ = writeln!(out, "{} \\tabularnewline", cells.join(" & "));
    }
    out.push_str(close);
    out.push_str("}\n");
    if !reasons.is_empty() {
        let reasons: Vec<String> =
            reasons.iter().map(|reason| format!("\\item {}\n", inline(reason))).collect();
        let _ = writeln!(out, "\\begin{{enumerate}}\n{}\\end{{enumerate}}", reasons.concat());
    }
    out
}
