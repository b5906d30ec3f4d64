//! The functions of the grammar, and what to write for those of other languages.

use super::attribute::quoted;
use super::error::{Error, Extent};
use super::names::nearest;
use crate::expr::Function;

/// Everything that can be called.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Function::ALL.iter().map(|f| f.name()).collect();
    names.extend(["atan2", "sqrt", "sum", "dot", "d", "cross", "norm2", "transpose"]);
    names
}

/// An error about something that has no derivative everywhere. Outputs, of which no derivatives are taken, are written in the same
/// grammar, so that the reason is one of the grammar.
pub(crate) fn not_smooth(what: &str, at: Extent) -> Error {
    Error::new(
        at,
        format!(
            "{what} is not smooth: the grammar has smooth functions only, since motions are derived by differentiation"
        ),
    )
}

/// An error about a call of an unknown function.
pub(crate) fn unknown(name: &str, at: Extent) -> Error {
    let non_smooth = [
        "abs",
        "sign",
        "signum",
        "sgn",
        "min",
        "max",
        "clamp",
        "floor",
        "ceil",
        "round",
        "trunc",
        "fract",
        "mod",
        "rem",
        "heaviside",
        "step",
        "relu",
        "copysign",
    ];
    if non_smooth.contains(&name) {
        let error = not_smooth(&format!("`{name}`"), at);
        let stand_in = match name {
            "abs" => "sqrt(x^2 + eps^2)",
            "sign" | "signum" | "sgn" => "tanh(x/eps)",
            "heaviside" | "step" => "(1 + tanh(x/eps))/2",
            "relu" => "(x + sqrt(x^2 + eps^2))/2",
            "max" => "(a + b + sqrt((a - b)^2 + eps^2))/2",
            "min" => "(a + b - sqrt((a - b)^2 + eps^2))/2",
            _ => return error,
        };
        return error.help(format!("a smooth stand-in is `{stand_in}` with a small parameter `eps`"));
    }
    let error = Error::new(at, format!("unknown function `{name}`"));
    let written = match name {
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
