//! Formulas in TeX, as Markdown and TeX have them.

use super::{Equation, Typeset};
use crate::report::math::{GREEK, Math};
use std::fmt::Write as _;

/// Letters in TeX's mathematics that stand for a character beyond ASCII.
pub(super) const LETTERS: &[(char, &str)] =
    &[('ℓ', "\\ell"), ('𝔤', "\\mathfrak{g}"), ('∂', "\\partial"), ('ℝ', "\\mathbb{R}")];

pub(super) fn tex(math: &Math) -> String {
    let mut out = String::new();
    write(&mut out, math);
    out
}

fn write(out: &mut String, math: &Math) {
    match math {
        Math::Name(name) => letter(out, name),
        Math::Number(digits) => out.push_str(digits),
        Math::Operator(sign) => out.push_str(match *sign {
            "−" => " - ",
            "+" => " + ",
            "=" => " = ",
            "," => ",\\, ",
            "·" => " \\cdot ",
            "≥" => " \\ge ",
            "∝" => " \\propto ",
            other => other,
        }),
        Math::Row(parts) => {
            for (i, part) in parts.iter().enumerate() {
                let is_operator = |m: &Math| matches!(m, Math::Operator(_));
                if i > 0 && parts[i - 1].is_function() {
                    out.push(' ');
                } else if i > 0 && !is_operator(part) && !is_operator(&parts[i - 1]) {
                    out.push_str("\\,");
                }
                write(out, part);
            }
        }
        Math::Fraction(above, below) => {
            out.push_str("\\frac{");
            write(out, above);
            out.push_str("}{");
            write(out, below);
            out.push('}');
        }
        Math::Power(base, exponent) => {
            braced(out, base);
            out.push_str("^{");
            write(out, exponent);
            out.push('}');
        }
        Math::Index(base, index) => {
            braced(out, base);
            out.push_str("_{");
            write(out, index);
            out.push('}');
        }
        Math::Dots(of, n) => {
            let (inner, index) = match &**of {
                Math::Index(base, index) => (&**base, Some(index)),
                other => (other, None),
            };
            let _ = write!(out, "\\{}ot{{", "d".repeat(*n));
            write(out, inner);
            out.push('}');
            if let Some(index) = index {
                out.push_str("_{");
                write(out, index);
                out.push('}');
            }
        }
        Math::Root(of) => {
            out.push_str("\\sqrt{");
            write(out, of);
            out.push('}');
        }
        Math::Function(name) => match *name {
            "atan2" => out.push_str("\\operatorname{atan2}"),
            name => {
                let _ = write!(out, "\\{name}");
            }
        },
        Math::Parentheses(of) => {
            out.push_str("\\left(");
            write(out, of);
            out.push_str("\\right)");
        }
        Math::Cases(rows) => {
            let rows: Vec<String> =
                rows.iter().map(|row| row.iter().map(tex).collect::<Vec<_>>().join(" & ")).collect();
            let _ = write!(out, "\\begin{{cases}}\n{}\n\\end{{cases}}", rows.join(" \\\\\n"));
        }
        Math::Matrix(rows) => {
            out.push_str("\\begin{pmatrix}\n");
            let rows: Vec<String> =
                rows.iter().map(|row| row.iter().map(tex).collect::<Vec<_>>().join(" & ")).collect();
            out.push_str(&rows.join(" \\\\\n"));
            out.push_str("\n\\end{pmatrix}");
        }
    }
}

/// A base that TeX may not take for something with an index or exponent already.
fn braced(out: &mut String, base: &Math) {
    let bare = matches!(base, Math::Name(_) | Math::Number(_) | Math::Function(_) | Math::Parentheses(_));
    if bare {
        write(out, base);
    } else {
        out.push('{');
        write(out, base);
        out.push('}');
    }
}

fn letter(out: &mut String, name: &str) {
    if GREEK.iter().any(|(greek, _)| *greek == name) {
        let _ = write!(out, "{{{}}}", greek(name));
        return;
    }
    let is_letter = name.chars().count() == 1;
    if !is_letter {
        out.push_str("\\mathrm{");
    }
    for c in name.chars() {
        match character(c) {
            Some(command) => {
                let _ = write!(out, "{{{command}}}");
            }
            // A font of mathematics has no such letter.
            None if !c.is_ascii() => {
                let _ = write!(out, "\\text{{{c}}}");
            }
            None if c == '_' => out.push_str("\\_"),
            None => out.push(c),
        }
    }
    if !is_letter {
        out.push('}');
    }
}

/// The command of a Greek letter; those that TeX has no command for look like Latin ones.
fn greek(name: &str) -> String {
    match name {
        "epsilon" => "\\varepsilon".to_owned(),
        "phi" => "\\varphi".to_owned(),
        name => format!("\\{name}"),
    }
}

/// The command of a character beyond ASCII, if it is a letter of mathematics.
pub(super) fn character(c: char) -> Option<String> {
    if let Some((name, _)) = GREEK.iter().find(|(_, letter)| *letter == c) {
        return Some(greek(name));
    }
    LETTERS.iter().find(|(letter, _)| *letter == c).map(|(_, command)| (*command).to_owned())
}

/// The equations, aligned at their equality signs.
pub(super) fn aligned(equations: &[Equation]) -> String {
    let mut rows = Vec::new();
    for Equation { left, lines } in equations {
        for (i, line) in lines.iter().enumerate() {
            let right = tex(line);
            rows.push(match (i, left) {
                (0, Some(left)) => format!("{} &= {right}", tex(left)),
                (0, None) => format!("&{right}"),
                _ => format!("&\\qquad {}", right.trim_start()),
            });
        }
    }
    rows.join(" \\\\\n")
}

/// The names of parts, before which stands "where".
pub(super) const WHERE: &str = "with";

/// What is to be said about entries that are left out.
pub(super) fn remark(typeset: &Typeset) -> Option<&'static str> {
    match (typeset.is_sparse, typeset.equations.is_empty()) {
        (true, true) => Some("All entries are zero."),
        (true, false) if typeset.is_symmetric => {
            Some("Entries below the diagonal are those above it; others that are left out are zero.")
        }
        (true, false) => Some("Entries that are left out are zero."),
        _ => None,
    }
}
