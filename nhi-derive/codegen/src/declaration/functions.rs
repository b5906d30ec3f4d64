//! The functions of the grammar, and what to write for those of other languages.

use super::attribute::quoted;
use super::error::{Error, Extent};
use super::names::nearest;
use crate::expr::Function;

/// The piecewise functions.
pub(crate) const PIECEWISE: [&str; 7] = ["abs", "sign", "min", "max", "clamp", "step", "table"];

/// Everything that can be called.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Function::ALL.iter().map(|f| f.name()).collect();
    names.extend(["atan2", "sqrt", "sum", "dot", "d", "cross", "norm2", "transpose", "lambda"]);
    names.extend(PIECEWISE);
    names
}

/// An error about something that has infinitely many pieces.
pub(crate) fn not_piecewise(what: &str, at: Extent) -> Error {
    Error::new(at, format!("{what} jumps at infinitely many places, and is not in the grammar"))
        .help("the piecewise functions are `abs sign min max clamp step table` and `if(x < y, a, b)`")
}

/// An error about a call of an unknown function.
pub(crate) fn unknown(name: &str, at: Extent) -> Error {
    let unbounded = ["floor", "ceil", "round", "trunc", "fract", "mod", "rem"];
    if unbounded.contains(&name) {
        return not_piecewise(&format!("`{name}`"), at);
    }
    let error = Error::new(at, format!("unknown function `{name}`"));
    // `Heaviside` and `Piecewise`, as SymPy writes them.
    let written = match name.to_ascii_lowercase().as_str() {
        "signum" | "sgn" => "sign(x)",
        "heaviside" | "heavyside" => "step(x)",
        "relu" => "max(0, x)",
        "copysign" => "abs(x)*sign(y)",
        "piecewise" | "select" | "ifelse" => "if(x < y, a, b)",
        "interp" | "lookup" => "table(x, xs, ys)",
        "log" => "ln(x)",
        "log10" => "ln(x)/ln(10)",
        "log2" => "ln(x)/ln(2)",
        "exp2" => "2^x",
        "pow" | "powi" | "powf" => "x^n",
        "hypot" => "sqrt(x^2 + y^2)",
        "cbrt" => "x^(1/3)",
        "arcsin" => "asin(x)",
        "arccos" => "acos(x)",
        "arctan" => "atan(x)",
        "cot" => "1/tan(x)",
        "sec" => "1/cos(x)",
        "csc" => "1/sin(x)",
        "norm" | "length" => "sqrt(norm2(v))",
        "ddt" | "diff" | "derivative" => "dot(x)",
        _ => {
            return match nearest(name, names()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("the functions are {}", quoted(&names(), "and"))),
            };
        }
    };
    error.help(format!("write `{written}`"))
}
