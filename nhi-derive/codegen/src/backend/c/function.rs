//! Lowered functions as statements of C.

use super::names::Names;
use crate::expr::Function as Elementary;
use crate::lower::{Function, Newton, Operand, Operation, SinCos, Statement, Value};
use crate::program::Singular;
use std::collections::HashMap;
use std::fmt::Write as _;

/// How tightly the surroundings bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Open,
    Term,
    First,
    Factor,
    Argument,
}

/// Prints the body of one function.
pub(super) struct Body<'a> {
    function: &'a Function,
    names: Names,
    idents: HashMap<Value, String>,
    uses: Vec<usize>,
    /// Operations of values without a name, which are printed where the value is used.
    inline: HashMap<Value, (String, Place)>,
    /// The type of numbers.
    real: &'static str,
    /// The retraction, as functions of the header are called.
    retraction: &'static str,
    text: String,
    indent: usize,
}

impl<'a> Body<'a> {
    /// Of `function` with these `parameters`, whose names are taken.
    pub(super) fn new(
        function: &'a Function,
        parameters: &[String],
        real: &'static str,
        retraction: &'static str,
    ) -> Body<'a> {
        let names = Names::reserving(parameters.iter().map(String::as_str));
        let (uses, idents, inline) = (function.uses(), HashMap::new(), HashMap::new());
        Body { function, names, idents, uses, inline, real, retraction, text: String::new(), indent: 1 }
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.indent);
    }

    pub(super) fn is_used(&self, value: Value) -> bool {
        self.uses[value.index()] > 0
    }

    /// Has an argument's value stand for a parameter of the C function of that name.
    pub(super) fn alias(&mut self, value: Value, parameter: &str) {
        self.inline.insert(value, (parameter.to_owned(), Place::Argument));
    }

    /// Loads the values of an argument from `places`, those that are used.
    pub(super) fn load(&mut self, values: &[Value], place: impl Fn(usize) -> String) {
        for (i, &value) in values.iter().enumerate() {
            if !self.is_used(value) {
                continue;
            }
            let name = self.ident(value);
            let (real, place) = (self.real, place(i));
            self.line(&format!("const {real} {name} = {place};"));
        }
    }

    fn ident(&mut self, value: Value) -> String {
        let name = self.function.name_of(value).expect("a value with a name");
        let names = &mut self.names;
        self.idents.entry(value).or_insert_with(|| names.fresh(name)).clone()
    }

    fn constant(&self, c: f64) -> String {
        let text =
            if self.real == "float" { format!("(float){:?}", c.abs()) } else { format!("{:?}", c.abs()) };
        if c.is_sign_negative() { format!("(-{text})") } else { text }
    }

    fn operand(&mut self, operand: Operand, place: Place) -> String {
        let value = match operand {
            Operand::Constant(c) => return self.constant(c),
            Operand::Value(value) => value,
        };
        if let Some((text, own)) = self.inline.get(&value) {
            return if *own < place { format!("({text})") } else { text.clone() };
        }
        self.ident(value)
    }

    pub(super) fn operands(&mut self, operands: &[Operand]) -> Vec<String> {
        operands.iter().map(|&operand| self.operand(operand, Place::Open)).collect()
    }

    fn operation(&mut self, operation: &Operation) -> (String, Place) {
        let mut of = |x: Operand, place: Place| self.operand(x, place);
        let call = |name: &str, arguments: String| (format!("nhi_{name}({arguments})"), Place::Argument);
        match *operation {
            Operation::Copy(x) => (of(x, Place::Argument), Place::Argument),
            // Never two signs in a row.
            Operation::Neg(x) => (format!("-{}", of(x, Place::First)), Place::Term),
            Operation::Add(x, y) => (format!("{} + {}", of(x, Place::Open), of(y, Place::Term)), Place::Open),
            Operation::Sub(x, y) => (format!("{} - {}", of(x, Place::Open), of(y, Place::Term)), Place::Open),
            Operation::Mul(x, y) => {
                (format!("{} * {}", of(x, Place::First), of(y, Place::Factor)), Place::First)
            }
            Operation::Div(x, y) => {
                (format!("{} / {}", of(x, Place::First), of(y, Place::Factor)), Place::First)
            }
            Operation::Sqrt(x) => call("sqrt", of(x, Place::Open)),
            Operation::Call(Elementary::SmallSin, x) => {
                (format!("nhi_small_sin_cos({}).sin", of(x, Place::Open)), Place::Argument)
            }
            Operation::Call(Elementary::SmallCos, x) => {
                (format!("nhi_small_sin_cos({}).cos", of(x, Place::Open)), Place::Argument)
            }
            Operation::Call(f, x) => call(f.name(), of(x, Place::Open)),
            Operation::Atan2(y, x) => {
                call("atan2", format!("{}, {}", of(y, Place::Open), of(x, Place::Open)))
            }
            Operation::Powf(x, y) => call("powf", format!("{}, {}", of(x, Place::Open), of(y, Place::Open))),
        }
    }

    /// Binds a value, or prints it where it is used if it has no name.
    fn assign(&mut self, to: Value, (text, own): (String, Place)) {
        if self.function.name_of(to).is_none() {
            self.inline.insert(to, (text, own));
        } else if self.is_used(to) {
            let (real, name) = (self.real, self.ident(to));
            self.line(&format!("const {real} {name} = {text};"));
        }
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Equation(text) => self.line(&format!("/* {} */", comment(text))),
                Statement::Let { to, operation } => {
                    let operation = self.operation(operation);
                    self.assign(*to, operation);
                }
                Statement::SinCos { to, angle, by } => self.sin_cos(to, *angle, by),
                Statement::Map { to, map, group, arguments } => {
                    let mut names = Vec::new();
                    for numbers in arguments {
                        let (real, n, name) = (self.real, numbers.len(), self.names.fresh("argument"));
                        let numbers = self.operands(numbers).join(", ");
                        self.line(&format!("const {real} {name}[{n}] = {{{numbers}}};"));
                        names.push(name);
                    }
                    let (real, out) = (self.real, self.names.fresh(map.name()));
                    let group = group.runtime.to_lowercase();
                    let tau =
                        if map.is_of_retraction() { format!("{}_", self.retraction) } else { String::new() };
                    self.line(&format!("{real} {out}[{}];", to.len()));
                    self.line(&format!("nhi_{group}_{tau}{}({}, {out});", map.name(), names.join(", ")));
                    for (i, to) in to.iter().enumerate() {
                        to.iter().for_each(|&to| self.assign(to, (format!("{out}[{i}]"), Place::Argument)));
                    }
                }
                Statement::Pivot { pivot, diagonal, what } => {
                    let [pivot, diagonal] = [*pivot, *diagonal].map(|x| self.operand(x, Place::Open));
                    let status = match what {
                        Singular::Mass => "NHI_SINGULAR_MASS",
                        Singular::Constraints => "NHI_SINGULAR_CONSTRAINTS",
                    };
                    self.line(&format!("if (!nhi_is_regular({pivot}, {diagonal})) {{"));
                    self.line(&format!("    return {status};"));
                    self.line("}");
                }
                Statement::Newton(newton) => self.newton(newton),
            }
        }
    }

    fn sin_cos(&mut self, to: &[Option<Value>; 2], angle: Operand, by: &SinCos) {
        let arguments = self.operands(&by.operands());
        let parts = if let SinCos::Known { .. } = by {
            [arguments[0].clone(), arguments[1].clone()]
        } else {
            let angle = self.operand(angle, Place::Open);
            let name = match by {
                SinCos::Any => "nhi_sin_cos",
                SinCos::Small => "nhi_small_sin_cos",
                SinCos::Turned { .. } => "nhi_rotated_sin_cos",
                SinCos::Near { .. } | SinCos::Known { .. } => "nhi_corrected_sin_cos",
            };
            let (pair, all) = (self.names.fresh("sines"), [&[angle][..], &arguments].concat().join(", "));
            self.line(&format!("const nhi_sines {pair} = {name}({all});"));
            [format!("{pair}.sin"), format!("{pair}.cos")]
        };
        for (to, part) in to.iter().zip(parts) {
            to.iter().for_each(|&to| self.assign(to, (part.clone(), Place::Open)));
        }
    }

    /// ```c
    /// double solution; /* and values of the last iterate */
    /// {
    ///     const double weights[1] = {..};
    ///     double x[1] = {..};
    ///     nhi_newton newton = nhi_newton_start(..);
    ///     for (..) { .. }
    /// }
    /// ```
    fn newton(&mut self, newton: &Newton) {
        let n = newton.unknowns.len();
        let real = self.real;
        let kept = newton.last_iterate.iter().map(|&(_, after)| after);
        for value in newton
            .solution
            .iter()
            .copied()
            .chain(kept)
            .filter(|&value| self.uses[value.index()] > 0)
            .collect::<Vec<_>>()
        {
            let name = self.ident(value);
            self.line(&format!("{real} {name};"));
        }
        let [guess, fallback, weights] =
            [&newton.guess, &newton.fallback, &newton.weights].map(|all| self.operands(all));
        let scale2 = self.operand(newton.scale2, Place::Open);
        let [iterates, weight, loops, back, delta, before] =
            ["unknowns", "weights", "newton", "fallback", "delta", "before"]
                .map(|name| self.names.fresh(name));
        self.line("{");
        self.indent += 1;
        let weights: Vec<String> = weights.iter().map(|w| format!("(double)({w})")).collect();
        self.line(&format!("const double {weight}[{n}] = {{{}}};", weights.join(", ")));
        self.line(&format!("{real} {iterates}[{n}] = {{{}}};", guess.join(", ")));
        let has_fallback = usize::from(!fallback.is_empty());
        if has_fallback == 1 {
            self.line(&format!("const {real} {back}[{n}] = {{{}}};", fallback.join(", ")));
        }
        let fallback = if has_fallback == 1 { back } else { "0".to_owned() };
        self.line(&format!("nhi_newton {loops} = nhi_newton_start((double)({scale2}), {has_fallback});"));
        self.line("for (int iteration = 0; iteration < NHI_MOST_ITERATIONS; ++iteration) {");
        self.indent += 1;
        for (i, &unknown) in newton.unknowns.iter().enumerate() {
            let name = self.names.fresh("iterate");
            self.inline.insert(unknown, (name.clone(), Place::Argument));
            if self.is_used(unknown) {
                self.line(&format!("const {real} {name} = {iterates}[{i}];"));
            }
        }
        self.statements(&newton.body);
        let deltas = self.operands(&newton.delta).join(", ");
        self.line(&format!("const {real} {delta}[{n}] = {{{deltas}}};"));
        let bent = usize::from(newton.derivatives.is_some());
        if bent == 1 {
            self.line(&format!("const {real} {before} = {iterates}[0];"));
        }
        for &(value, to) in &newton.last_iterate {
            if self.is_used(to) {
                let (value, to) = (self.operand(Operand::Value(value), Place::Open), self.ident(to));
                self.line(&format!("{to} = {value};"));
            }
        }
        self.line(&format!(
            "if (nhi_newton_update(&{loops}, {n}, {iterates}, {delta}, {weight}, {bent})) {{"
        ));
        self.line("    break;");
        self.line("}");
        if let Some((statements, derivatives)) = &newton.derivatives {
            self.statements(statements);
            let derivatives = self.operands(derivatives).join(", ");
            let call = format!("nhi_newton_bend(&{loops}, {iterates}, {before}, {delta}[0], {derivatives})");
            self.line(&format!("if ({call}) {{"));
            self.line("    break;");
            self.line("}");
        }
        self.line(&format!("if (!nhi_newton_go_on(&{loops}, {n}, {iterates}, {fallback}, {weight})) {{"));
        self.line("    break;");
        self.line("}");
        self.indent -= 1;
        self.line("}");
        self.line(&format!("if (!{loops}.is_solved) {{"));
        self.line(&format!("    return {loops}.status == NHI_OK ? NHI_NOT_CONVERGED : {loops}.status;"));
        self.line("}");
        for (i, &solution) in newton.solution.iter().enumerate() {
            if self.is_used(solution) {
                let name = self.ident(solution);
                self.line(&format!("{name} = {iterates}[{i}];"));
            }
        }
        self.indent -= 1;
        self.line("}");
    }
}

/// Text that can stand in a comment.
pub(super) fn comment(text: &str) -> String {
    text.replace("*/", "* /")
}
