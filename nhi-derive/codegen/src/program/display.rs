//! The textual form of programs.
//!
//! ```text
//! step(parameters: prepared [m, k], h: prepared, q: [x], v: [dot(x)], t, inputs: [])
//!     # q_mid = q + h/2 v
//!     let q_mid_x = x + h*dot(x)/2
//!     pivot c > eps * c_0 else constraints
//!     newton l from 0 weights c beside m*w^2
//!         let g = l^2 - 2
//!         l += -g/(2*l)
//!     return q = [q_mid_x], v = [dot(x)], lambda = [l]
//! ```

use super::{Binding, Newton, Prediction, Program, Singular, Statement, Turn};
use crate::expr::{Expr, Pool};
use std::fmt;

/// Prints one program; made by [`Program::show`].
#[derive(Clone, Copy, Debug)]
pub struct Show<'a> {
    program: &'a Program,
    pool: &'a Pool,
}

impl Program {
    /// A printable view.
    pub fn show<'a>(&'a self, pool: &'a Pool) -> Show<'a> {
        Show { program: self, pool }
    }
}

impl Show<'_> {
    fn list(&self, exprs: &[Expr], scalar: bool) -> String {
        let all: Vec<String> = exprs.iter().map(|&e| self.pool.show(e).to_string()).collect();
        if scalar { all.join(", ") } else { format!("[{}]", all.join(", ")) }
    }

    fn statement(&self, f: &mut fmt::Formatter<'_>, s: &Statement, indent: &str) -> fmt::Result {
        let show = |e: &Expr| self.pool.show(*e);
        match s {
            Statement::Equation(text) => writeln!(f, "{indent}# {text}"),
            Statement::Let { symbol, value } => writeln!(f, "{indent}let {} = {}", show(symbol), show(value)),
            Statement::Pivot { pivot, diagonal, what } => {
                let what = match what {
                    Singular::Mass => "mass",
                    Singular::Constraints => "constraints",
                };
                writeln!(f, "{indent}pivot {} > eps * {} else {what}", show(pivot), show(diagonal))
            }
            Statement::Newton(newton) => self.newton(f, newton),
            Statement::Turn(Turn { sines, angle, from, prediction, known }) => {
                let [sines, known] = [sines, known].map(|both| self.list(both, true));
                let (angle, from) = (show(angle), show(from));
                let by = prediction.by().map(|by| format!(", prediction {}", show(&by))).unwrap_or_default();
                let with = if let Prediction::Exact(_) = prediction { "as" } else { "with" };
                writeln!(f, "{indent}let {sines} = sin, cos of {angle} turned from {from}{by} {with} {known}")
            }
        }
    }

    fn newton(&self, f: &mut fmt::Formatter<'_>, newton: &Newton) -> fmt::Result {
        let unknowns = self.list(&newton.unknowns, true);
        let [guess, weights] = [&newton.guess, &newton.weights].map(|list| self.list(list, true));
        let guess = match newton.fallback.as_slice() {
            [] => guess,
            fallback => format!("{guess} or {}", self.list(fallback, true)),
        };
        let scale2 = self.pool.show(newton.scale2);
        let sharp = if newton.is_sharp { " sharp" } else { "" };
        let sharp = if newton.jumps { " jumping" } else { sharp };
        writeln!(f, "    newton {unknowns} from {guess} weights {weights} beside {scale2}{sharp}")?;
        for s in &newton.body {
            self.statement(f, s, "        ")?;
        }
        for (u, d) in newton.unknowns.iter().zip(&newton.delta) {
            writeln!(f, "        {} += {}", self.pool.show(*u), self.pool.show(*d))?;
        }
        if !newton.derivatives.is_empty() {
            writeln!(f, "        slopes {}", self.list(&newton.derivatives, true))?;
        }
        if !newton.last_iterate.is_empty() {
            writeln!(f, "        keep {}", self.list(&newton.last_iterate, true))?;
        }
        Ok(())
    }
}

impl fmt::Display for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.program.name)?;
        for (i, input) in self.program.inputs.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{}", input.role.name())?;
            let binding = match input.binding {
                Binding::Constant => "constant",
                Binding::Prepared => "prepared",
                Binding::Step => "",
            };
            let entries = if input.scalar && self.list(&input.symbols, true) == input.role.name() {
                String::new()
            } else {
                self.list(&input.symbols, input.scalar)
            };
            match (binding, entries.as_str()) {
                ("", "") => {}
                ("", e) => write!(f, ": {e}")?,
                (b, "") => write!(f, ": {b}")?,
                (b, e) => write!(f, ": {b} {e}")?,
            }
        }
        writeln!(f, ")")?;
        for s in &self.program.body {
            self.statement(f, s, "    ")?;
        }
        let outputs: Vec<String> = self
            .program
            .outputs
            .iter()
            .map(|o| format!("{} = {}", o.role.name(), self.list(&o.values, o.scalar)))
            .collect();
        writeln!(f, "    return {}", outputs.join(", "))
    }
}
