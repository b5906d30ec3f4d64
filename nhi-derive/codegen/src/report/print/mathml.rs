//! Formulas in MathML.

use super::Equation;
use crate::report::math::{GREEK, Math};
use std::fmt::Write as _;

/// The equations as a table, aligned at their equality signs.
pub(super) fn display(equations: &[Equation]) -> String {
    let mut out = String::from("<math display=\"block\"><mtable class=\"equations\" displaystyle=\"true\">");
    for Equation { left, lines } in equations {
        for (i, line) in lines.iter().enumerate() {
            out.push_str("<mtr><mtd>");
            if let (0, Some(left)) = (i, left) {
                write(&mut out, left);
            }
            out.push_str("</mtd><mtd>");
            match (i, left) {
                (0, Some(_)) => out.push_str("<mo>=</mo>"),
                (0, None) => {}
                _ => out.push_str("<mspace width=\"2em\"></mspace>"),
            }
            write(&mut out, line);
            out.push_str("</mtd></mtr>");
        }
    }
    out.push_str("</mtable></math>");
    out
}

fn element(out: &mut String, tag: &str, parts: &[&Math]) {
    let _ = write!(out, "<{tag}>");
    for part in parts {
        row(out, part);
    }
    let _ = write!(out, "</{tag}>");
}

/// One element.
fn row(out: &mut String, math: &Math) {
    if matches!(math, Math::Row(_) | Math::Parentheses(_)) {
        out.push_str("<mrow>");
        write(out, math);
        out.push_str("</mrow>");
    } else {
        write(out, math);
    }
}

fn write(out: &mut String, math: &Math) {
    match math {
        Math::Name(name) => {
            let greek = GREEK.iter().find(|(greek, _)| greek == name);
            let letter = greek.map_or_else(|| escaped(name), |(_, letter)| letter.to_string());
            let _ = write!(out, "<mi>{letter}</mi>");
        }
        Math::Number(digits) => {
            let _ = write!(out, "<mn>{digits}</mn>");
        }
        Math::Operator(sign) => {
            let _ = write!(out, "<mo>{}</mo>", escaped(sign));
        }
        Math::Row(parts) => {
            for (i, part) in parts.iter().enumerate() {
                let operand = |m: &Math| !matches!(m, Math::Operator(_));
                if i > 0 && operand(part) && operand(&parts[i - 1]) {
                    let applies = parts[i - 1].is_function();
                    out.push_str(match (applies, part) {
                        (true, Math::Parentheses(_)) => "<mo>&#x2061;</mo>",
                        (true, _) => "<mo>&#x2061;</mo><mspace width=\"0.16em\"></mspace>",
                        (false, Math::Row(_)) => "<mo>&#x2062;</mo><mspace width=\"0.16em\"></mspace>",
                        (false, _) => "<mo>&#x2062;</mo>",
                    });
                }
                row(out, part);
            }
        }
        Math::Fraction(above, below) => element(out, "mfrac", &[above, below]),
        Math::Power(base, exponent) => element(out, "msup", &[base, exponent]),
        Math::Index(base, index) => element(out, "msub", &[base, index]),
        Math::Dots(of, n) => {
            let (inner, index) = match &**of {
                Math::Index(base, index) => (&**base, Some(index)),
                other => (other, None),
            };
            let mut dotted = String::from("<mover accent=\"true\">");
            row(&mut dotted, inner);
            let _ = write!(dotted, "<mo stretchy=\"false\">{}</mo></mover>", if *n == 1 { "˙" } else { "¨" });
            match index {
                None => out.push_str(&dotted),
                Some(index) => {
                    let _ = write!(out, "<msub>{dotted}");
                    row(out, index);
                    out.push_str("</msub>");
                }
            }
        }
        Math::Root(of) => element(out, "msqrt", &[of]),
        Math::Function(name) => {
            let _ = write!(out, "<mi mathvariant=\"normal\">{name}</mi>");
        }
        Math::Parentheses(of) => {
            out.push_str("<mo>(</mo>");
            row(out, of);
            out.push_str("<mo>)</mo>");
        }
        Math::Matrix(rows) => {
            out.push_str("<mrow><mo>(</mo>");
            table(out, rows);
            out.push_str("<mo>)</mo></mrow>");
        }
        Math::Cases(rows) => {
            out.push_str("<mrow><mo>{</mo>");
            table(out, rows);
            out.push_str("</mrow>");
        }
    }
}

fn table(out: &mut String, rows: &[Vec<Math>]) {
    out.push_str("<mtable>");
    for entries in rows {
        out.push_str("<mtr>");
        for entry in entries {
            element(out, "mtd", &[entry]);
        }
        out.push_str("</mtr>");
    }
    out.push_str("</mtable>");
}

/// Text in HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
