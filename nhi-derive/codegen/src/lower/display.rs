//! The textual form of lowered functions, one statement a line.
//!
//! ```text
//! step(prepared: [half_h], q: [x], v: [dot(x)], t: t)
//!     # q_mid = q + h/2 v
//!     %4 = dot(x) * half_h
//!     q_mid_x = x + %4
//!     newton l from 0.0 weights c scale2 1.0
//!         %8 = l * l
//!         %9 = 2.0 - %8
//!         l += %9
//!     return q = [q_mid_x], v = [dot(x)]
//! ```

use super::{Function, Newton, Operand, Operation, SinCos, Statement, Value};
use crate::program::Singular;
use std::fmt;

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = (self.arguments.iter())
            .map(|argument| {
                let values: Vec<String> = argument.values.iter().map(|&value| self.value(value)).collect();
                format!("{}: {}", argument.role.name(), list(&values, argument.scalar))
            })
            .collect();
        writeln!(f, "{}({})", self.name, arguments.join(", "))?;
        self.statements(f, &self.body, "    ")?;
        let outputs: Vec<String> = (self.outputs.iter())
            .map(|output| {
                format!("{} = {}", output.role.name(), list(&self.operands(&output.values), output.scalar))
            })
            .collect();
        writeln!(f, "    return {}", outputs.join(", "))
    }
}

fn list(all: &[String], scalar: bool) -> String {
    if scalar { all.join(", ") } else { format!("[{}]", all.join(", ")) }
}

impl Function {
    fn value(&self, value: Value) -> String {
        match self.name_of(value) {
            Some(name) => name.to_owned(),
            None => format!("%{}", value.index()),
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Value(value) => self.value(value),
            Operand::Constant(c) => format!("{c:?}"),
        }
    }

    fn operands(&self, all: &[Operand]) -> Vec<String> {
        all.iter().map(|&operand| self.operand(operand)).collect()
    }

    fn results(&self, to: &[Option<Value>]) -> String {
        let all: Vec<String> =
            to.iter().map(|to| to.map_or_else(|| "_".to_owned(), |to| self.value(to))).collect();
        all.join(", ")
    }

    fn statements(&self, f: &mut fmt::Formatter<'_>, statements: &[Statement], indent: &str) -> fmt::Result {
        statements.iter().try_for_each(|statement| self.statement(f, statement, indent))
    }

    fn statement(&self, f: &mut fmt::Formatter<'_>, statement: &Statement, indent: &str) -> fmt::Result {
        let of = |operand: &Operand| self.operand(*operand);
        match statement {
            Statement::Equation(text) => writeln!(f, "{indent}# {text}"),
            Statement::Let { to, operation } => {
                writeln!(f, "{indent}{} = {}", self.value(*to), self.operation(operation))
            }
            Statement::SinCos { to, angle, by } => {
                let (to, angle) = (self.results(to), of(angle));
                match by {
                    SinCos::Any => writeln!(f, "{indent}{to} = sin_cos({angle})"),
                    SinCos::Small => writeln!(f, "{indent}{to} = small_sin_cos({angle})"),
                    SinCos::Rotated { from, sines: [sin, cos] } => {
                        let (from, sin, cos) = (of(from), of(sin), of(cos));
                        writeln!(f, "{indent}{to} = rotated_sin_cos({angle}, from {from} with {sin}, {cos})")
                    }
                    SinCos::Corrected { from, by, sines: [sin, cos] } => {
                        let (from, by, sin, cos) = (of(from), of(by), of(sin), of(cos));
                        writeln!(
                            f,
                            "{indent}{to} = corrected_sin_cos({angle}, {from} + {by} with {sin}, {cos})"
                        )
                    }
                    SinCos::Exact { sines: [sin, cos] } => {
                        writeln!(f, "{indent}{to} = sin_cos_known({angle}, as {}, {})", of(sin), of(cos))
                    }
                }
            }
            Statement::Map { to, map, group, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|all| list(&self.operands(all), false)).collect();
                let (to, map, group, arguments) =
                    (self.results(to), map.name(), group.runtime, arguments.join(", "));
                writeln!(f, "{indent}{to} = {group}::{map}({arguments})")
            }
            Statement::Saddle { to, known, pivots, body, equations, .. } => {
                let results: Vec<String> =
                    to.iter().map(|&(place, value)| format!("{} at {place}", self.value(value))).collect();
                let [known, pivots] =
                    [known, pivots.as_flattened()].map(|all| list(&self.operands(all), false));
                writeln!(f, "{indent}{} = saddle_point({known}, {pivots})", results.join(", "))?;
                let inner = format!("{indent}    ");
                self.statements(f, body, &inner)?;
                writeln!(f, "{inner}equations {}", self.operands(equations).join(", "))
            }
            Statement::Pivot { pivot, diagonal, what } => {
                let what = match what {
                    Singular::Mass => "mass",
                    Singular::Constraints => "constraints",
                };
                writeln!(f, "{indent}pivot {} > eps * {} else {what}", of(pivot), of(diagonal))
            }
            Statement::Newton(newton) => self.newton(f, newton, indent),
        }
    }

    fn operation(&self, operation: &Operation) -> String {
        let of = |operand: &Operand| self.operand(*operand);
        match operation {
            Operation::Copy(x) => of(x),
            Operation::Neg(x) => format!("-{}", of(x)),
            Operation::Add(x, y) => format!("{} + {}", of(x), of(y)),
            Operation::Sub(x, y) => format!("{} - {}", of(x), of(y)),
            Operation::Mul(x, y) => format!("{} * {}", of(x), of(y)),
            Operation::Div(x, y) => format!("{} / {}", of(x), of(y)),
            Operation::Sqrt(x) => format!("sqrt({})", of(x)),
            Operation::Call(function, x) => format!("{}({})", function.name(), of(x)),
            Operation::Atan2(y, x) => format!("atan2({}, {})", of(y), of(x)),
            Operation::Powf(x, y) => format!("powf({}, {})", of(x), of(y)),
            Operation::Select(c, x, y) => format!("select({}, {}, {})", of(c), of(x), of(y)),
        }
    }

    fn newton(&self, f: &mut fmt::Formatter<'_>, newton: &Newton, indent: &str) -> fmt::Result {
        let inner = format!("{indent}    ");
        let all = |operands: &[Operand]| self.operands(operands).join(", ");
        let unknowns: Vec<String> = newton.unknowns.iter().map(|&value| self.value(value)).collect();
        write!(f, "{indent}newton {} from {}", unknowns.join(", "), all(&newton.guess))?;
        if !newton.fallback.is_empty() {
            write!(f, " or {}", all(&newton.fallback))?;
        }
        write!(f, " weights {} scale2 {}", all(&newton.weights), self.operand(newton.scale2))?;
        let sharp = if newton.is_sharp { " sharp" } else { "" };
        writeln!(f, "{}", if newton.jumps { " jumping" } else { sharp })?;
        self.statements(f, &newton.body, &inner)?;
        for (unknown, delta) in unknowns.iter().zip(&newton.delta) {
            writeln!(f, "{inner}{unknown} += {}", self.operand(*delta))?;
        }
        if let Some((statements, derivatives)) = &newton.derivatives {
            writeln!(f, "{inner}second order")?;
            self.statements(f, statements, &format!("{inner}    "))?;
            writeln!(f, "{inner}    derivatives {}", all(derivatives))?;
        }
        if !newton.last_iterate.is_empty() {
            let kept: Vec<String> = newton.last_iterate.iter().map(|&(value, _)| self.value(value)).collect();
            writeln!(f, "{inner}keep {}", kept.join(", "))?;
        }
        Ok(())
    }
}
