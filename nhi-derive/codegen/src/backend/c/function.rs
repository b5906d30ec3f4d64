//! Lowered functions as statements of C.

use super::names::Names;
use super::{Text, all_finite, indented};
use crate::backend::expression::{Language, Place, Writer};
use crate::expr::Saddle;
use crate::lower::{Argument, Function, Known, Newton, Operand, Output, SinCos, Statement, Value};
use crate::program::{Product, Singular};
use nhi_methods::Retraction;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::slice;

/// Expressions of C.
struct Expressions {
    names: Names,
    /// The type of numbers.
    real: &'static str,
}

impl Language for Expressions {
    type Text = String;

    fn variable(&mut self, name: &str) -> String {
        self.names.fresh(name)
    }

    fn number(&self, c: f64) -> String {
        constant(c, self.real)
    }

    fn parentheses(&self, x: String) -> String {
        format!("({x})")
    }

    fn operator(&self, x: Option<String>, operator: char, y: String) -> String {
        x.map_or_else(|| format!("{operator}{y}"), |x| format!("{x} {operator} {y}"))
    }

    fn first_argument(&self, _: &str) -> Place {
        Place::Open
    }

    fn call(&self, name: &str, arguments: &[String]) -> String {
        let arguments = arguments.join(", ");
        match name.strip_prefix("small_") {
            Some(part) => format!("nhi_small_sin_cos({arguments}).{part}"),
            None => format!("nhi_{name}({arguments})"),
        }
    }
}

/// A number.
pub(super) fn constant(c: f64, real: &str) -> String {
    let cast = if real == "float" { "(float)" } else { "" };
    if c.is_sign_negative() { format!("(-{cast}{:?})", c.abs()) } else { format!("{cast}{c:?}") }
}

/// A parameter, and its declaration.
pub(super) type Parameter<'a> = (&'a str, String);

/// A lowered function as one of C.
pub(super) struct Printed<'a> {
    pub(super) function: &'a Function,
    /// Its documentation.
    pub(super) about: String,
    /// Linkage, type and name: a function of type `nhi_status` fails if its results are not what they must be, and one of
    /// type `void` leaves that to its callers. Others return a number.
    pub(super) head: (&'static str, &'static str, String),
    /// Parameters for arguments, and for results.
    pub(super) inputs: Vec<Parameter<'a>>,
    pub(super) results: Vec<Parameter<'a>>,
    /// Declarations of further variables.
    pub(super) variables: String,
    /// Whether evaluations of Newton's method with a safeguard are added to `*evaluations`, one of the results.
    pub(super) counts: bool,
    /// The retraction, as functions of the header are called.
    pub(super) retraction: Retraction,
}

impl<'a> Printed<'a> {
    /// Adds the function. `number` tells in which parameter a number of an argument is, and in which place there; `result` the
    /// places of the numbers of an output, and what must hold of them.
    pub(super) fn add(
        self,
        text: &mut Text,
        real: &'static str,
        number: impl Fn(&'a Argument, usize) -> (&'a str, String),
        result: impl Fn(usize, &'a Output) -> (Vec<String>, Option<String>),
    ) {
        let Printed {
            function,
            about,
            head: (linkage, ty, name),
            inputs,
            results,
            variables,
            counts,
            retraction,
        } = self;
        let factors = function.factors().map(|factor| factor.role.name());
        let taken = inputs.iter().chain(&results).map(|(name, _)| *name).chain(["result"]).chain(factors);
        let taken = taken.map(str::to_owned).collect();
        let language = Expressions { names: Names::beside(taken), real };
        let writer = Writer::new(function, language);
        let retraction = retraction.id();
        let mut body = Body { writer, counts, retraction, text: String::new(), indent: 0, iteration: None };
        let mut used = BTreeSet::new();
        for argument in &function.arguments {
            for (i, &value) in argument.values.iter().enumerate() {
                let (parameter, place) = number(argument, i);
                used.extend(body.writer.is_used(value).then_some(parameter));
                // A number that is passed is read where it is.
                let is_passed = place == parameter;
                let place = (place, Place::Receiver);
                if is_passed { body.writer.write_as(value, place) } else { body.assign(value, place) }
            }
        }
        let unused = inputs.iter().filter(|(parameter, _)| !used.contains(parameter));
        unused.for_each(|(parameter, _)| body.add(&format!("(void){parameter};")));
        body.add(&variables);
        let places: Vec<_> =
            function.outputs.iter().enumerate().map(|(i, output)| result(i, output)).collect();
        let mut statements = function.body.iter();
        for outputs in function.known_outputs() {
            for Known { output: i, place: j, .. } in outputs {
                let value = body.writer.operand(function.outputs[i].values[j], Place::Open);
                let to = if ty == real { "return".into() } else { format!("{} =", places[i].0[j]) };
                body.add(&format!("{to} {value};"));
            }
            body.statements(statements.next().map_or(&[], slice::from_ref));
        }
        for Product { to, factors: [x, y], is_symmetric, rank, shape: [rows, columns] } in function.products()
        {
            let [x, y, to] = [x, y, to].map(|output| function.outputs[output].role.name());
            body.add(&match is_symmetric {
                true => format!("nhi_add_symmetric_product({rank}, {rows}, {x}, {y}, {to});"),
                false => format!("nhi_add_product({rank}, {rows}, {columns}, {x}, {y}, {to});"),
            });
        }
        let checks: Vec<&str> = places.iter().filter_map(|(_, check)| check.as_deref()).collect();
        match checks.as_slice() {
            _ if ty != STATUS => {}
            [] => body.add("return NHI_OK;"),
            checks => body.add(&format!("return {} ? NHI_OK : NHI_NON_FINITE;", checks.join(" && "))),
        }
        let parameters = inputs.into_iter().chain(results).map(|(_, declaration)| declaration);
        let head = format!("{linkage}{ty} {name}({})", parameters.collect::<Vec<_>>().join(", "));
        text.function(&about, &head, &body.text);
    }
}

/// The type of functions that can fail.
pub(super) const STATUS: &str = "nhi_status";

/// The places of the numbers of an output in `array`, which must be finite.
pub(super) fn stored(array: &str, output: &Output) -> (Vec<String>, Option<String>) {
    let length = output.values.len();
    ((0..length).map(|i| format!("{array}[{i}]")).collect(), all_finite(array, length))
}

/// Prints the body of one function.
/// An iteration of Newton's method.
struct Iteration {
    /// The variable of its state.
    newton: String,
    /// The call that says whether it goes on.
    go_on: String,
    /// The statement that counts its evaluations, if they are counted.
    count: String,
}

struct Body<'a> {
    writer: Writer<'a, Expressions>,
    /// As of [`Printed`].
    counts: bool,
    /// The retraction, as functions of the header are called.
    retraction: &'static str,
    text: String,
    indent: usize,
    /// The loop around the statements, if they are in one.
    iteration: Option<Iteration>,
}

impl Body<'_> {
    /// Adds lines.
    fn add(&mut self, lines: &str) {
        for line in lines.lines() {
            let _ = writeln!(self.text, "{:1$}{line}", "", 4 * self.indent);
        }
    }

    /// Adds an array of numbers.
    fn array(&mut self, ty: &str, name: &str, values: &[String]) {
        self.add(&format!("{ty} {name}[{}] = {{{}}};", values.len(), values.join(", ")));
    }

    /// The type of numbers that do not change.
    fn constant(&self) -> String {
        format!("const {}", self.writer.language.real)
    }

    fn fresh(&mut self, name: &str) -> String {
        self.writer.language.names.fresh(name)
    }

    fn operands(&mut self, operands: &[Operand]) -> Vec<String> {
        self.writer.operands(operands)
    }

    /// Binds a value, or prints it where it is used if it has no name.
    fn assign(&mut self, to: Value, text: (String, Place)) {
        if self.writer.function.name_of(to).is_none() {
            self.writer.write_as(to, text);
        } else {
            let ty = self.constant();
            self.each_used(&[to], |_, name| format!("{ty} {name} = {};", text.0));
        }
    }

    /// Adds a line for each of `values` that is used, from its position and its variable.
    fn each_used(&mut self, values: &[Value], line: impl Fn(usize, String) -> String) {
        for (i, &value) in values.iter().enumerate() {
            if self.writer.is_used(value) {
                let name = self.writer.variable(value);
                name.into_iter().for_each(|name| self.add(&line(i, name)));
            }
        }
    }

    /// Binds results of one statement.
    fn assign_all(&mut self, to: &[Option<Value>], part: impl Fn(usize) -> String) {
        for (i, to) in to.iter().enumerate() {
            to.iter().for_each(|&to| self.assign(to, (part(i), Place::Receiver)));
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Equation(text) => self.add(&format!("/* {} */", comment(text))),
                Statement::Let { to, operation } => {
                    let operation = self.writer.operation(operation);
                    self.assign(*to, operation);
                }
                Statement::SinCos { to, angle, by } => self.sin_cos(to, *angle, by),
                Statement::Map { to, map, group, arguments } => {
                    let mut names = Vec::new();
                    for numbers in arguments {
                        let (ty, name, numbers) =
                            (self.constant(), self.fresh("argument"), self.operands(numbers));
                        self.array(&ty, &name, &numbers);
                        names.push(name);
                    }
                    let (real, out, n) = (self.writer.language.real, self.fresh(map.name()), to.len());
                    let group = group.runtime.to_lowercase();
                    let tau =
                        if map.is_of_retraction() { format!("{}_", self.retraction) } else { String::new() };
                    names.push(out.clone());
                    let (map, arguments) = (map.name(), names.join(", "));
                    self.add(&format!("{real} {out}[{n}];\nnhi_{group}_{tau}{map}({arguments});"));
                    self.assign_all(to, |i| format!("{out}[{i}]"));
                }
                Statement::Saddle { to, saddle, known, pivots, body, equations } => {
                    self.saddle((to, known), *saddle, pivots, (body, equations));
                }
                Statement::Pivot { pivot, diagonal, what } => {
                    let [pivot, diagonal] = [*pivot, *diagonal].map(|x| self.writer.operand(x, Place::Open));
                    let status = match what {
                        Singular::Mass => "NHI_SINGULAR_MASS",
                        Singular::Constraints => "NHI_SINGULAR_CONSTRAINTS",
                    };
                    let numbers = format!("{pivot}, {diagonal}");
                    let status = format!("nhi_pivot_status({numbers}, {status})");
                    self.add(&fail_if(&format!("!nhi_is_regular({numbers})"), &status));
                }
                Statement::Newton(newton) => self.newton(newton),
            }
        }
    }

    fn sin_cos(&mut self, to: &[Option<Value>; 2], angle: Operand, by: &SinCos) {
        let mut arguments = self.operands(&by.operands());
        let Some(name) = by.name() else {
            return self.assign_all(to, |i| arguments[i].clone());
        };
        arguments.insert(0, self.writer.operand(angle, Place::Open));
        let pair = self.fresh("sines");
        self.add(&format!("const nhi_sines {pair} = nhi_{name}({});", arguments.join(", ")));
        self.assign_all(to, |i| format!("{pair}.{}", ["sin", "cos"][i]));
    }

    /// ```c
    /// double solution[2] = {known};
    /// if (!nhi_is_large(pivot, diagonal)) {
    ///     statements
    ///     double mass[4] = {..}, mu[2] = {..}, rhs[3] = {..};
    ///     const nhi_status status = nhi_saddle_point(..);
    /// }
    /// ```
    fn saddle(
        &mut self,
        (to, known): (&[(usize, Value)], &[Operand]),
        saddle: Saddle,
        pivots: &[[Operand; 2]],
        (body, equations): (&[Statement], &[Operand]),
    ) {
        let (n, m, real) = (saddle.velocities, saddle.constraints, self.writer.language.real);
        let [known, pivots] = [known, pivots.as_flattened()].map(|all| self.operands(all));
        let [solution, of_mass, of_mu, of_rhs, sizes, scales, order, status] =
            ["solution", "mass", "mu", "rhs", "sizes", "scales", "order", "status"]
                .map(|name| self.fresh(name));
        self.array(real, &solution, &known);
        let large = pivots.chunks(2).map(|pair| format!("nhi_is_large({})", pair.join(", ")));
        let large: Vec<String> = large.collect();
        self.add(&format!("if (!({})) {{", large.join(" && ")));
        self.indent += 1;
        self.statements(body);
        let [mass, mu, rhs] = saddle.equations().map(|part| self.operands(&equations[part]));
        self.array(real, &of_mass, &mass);
        self.array(real, &of_mu, &mu);
        self.array(real, &of_rhs, &rhs);
        let (function, parts) =
            if saddle.is_separate { ("saddle_point_apart", 2) } else { ("saddle_point", 1) };
        let [equations, entries, velocities] = [n + m, n * m, n].map(|count| parts * count);
        self.add(&format!(
            "double {sizes}[{entries}], {scales}[{velocities}];
int {order}[{equations}];
const nhi_status {status} = nhi_{function}({n}, {m}, {of_mass}, {of_mu}, {of_rhs}, {sizes}, {scales}, {order});"
        ));
        let fails = format!("{status} != NHI_OK");
        match &self.iteration {
            // The iteration may go on elsewhere.
            Some(Iteration { newton, go_on, count }) => {
                let go_on = guard(go_on, "continue;");
                let then = format!("{newton}.status = {status};\n{go_on}{count}return {newton}.status;");
                self.add(&guard(&fails, &then));
            }
            None => self.add(&fail_if(&fails, &status)),
        }
        for (i, (place, _)) in to.iter().enumerate() {
            self.add(&format!("{solution}[{i}] = {of_rhs}[{place}];"));
        }
        self.indent -= 1;
        self.add("}");
        for (i, &(_, to)) in to.iter().enumerate() {
            self.assign(to, (format!("{solution}[{i}]"), Place::Receiver));
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
        let (n, real, constant) = (newton.unknowns.len(), self.writer.language.real, self.constant());
        let after = newton.last_iterate.iter().map(|&(_, after)| after);
        let after: Vec<Value> = newton.solution.iter().copied().chain(after).collect();
        // Compilers do not see that an iteration that has been left early is not the last one.
        let leaves = newton.body.iter().any(|statement| matches!(statement, Statement::Saddle { .. }));
        let value = if leaves { " = 0" } else { "" };
        self.each_used(&after, |_, name| format!("{real} {name}{value};"));
        let [guess, fallback, weights] =
            [&newton.guess, &newton.fallback, &newton.weights].map(|all| self.operands(all));
        let scale2 = self.writer.operand(newton.scale2, Place::Open);
        let [iterates, weight, loops, back, delta, before, safeguard] =
            ["unknowns", "weights", "newton", "fallback", "delta", "before", "safeguard"]
                .map(|name| self.fresh(name));
        self.add("{");
        self.indent += 1;
        let weights: Vec<String> = weights.iter().map(|w| format!("(double)({w})")).collect();
        self.array("const double", &weight, &weights);
        self.array(real, &iterates, &guess);
        let has_fallback = usize::from(!fallback.is_empty());
        self.array(&constant, &back, if fallback.is_empty() { &guess } else { &fallback });
        self.add(&format!("double {safeguard}[{}];", 2 * n));
        let is_sharp = usize::from(newton.is_sharp) + usize::from(newton.jumps);
        self.add(&format!(
            "nhi_newton {loops} = nhi_newton_start((double)({scale2}), {has_fallback}, {is_sharp}, {safeguard});
for (int iteration = 0; iteration < NHI_MOST_ITERATIONS; ++iteration) {{"
        ));
        self.indent += 1;
        for (i, &unknown) in newton.unknowns.iter().enumerate() {
            let name = self.fresh("iterate");
            if self.writer.is_used(unknown) {
                self.add(&format!("{constant} {name} = {iterates}[{i}];"));
            }
            self.writer.write_as(unknown, (name, Place::Receiver));
        }
        let go_on = format!("nhi_newton_go_on(&{loops}, {n}, {iterates}, {back}, {weight})");
        let is_counted = self.counts && newton.is_sharp;
        let count = match is_counted {
            true => format!("*evaluations += (uint64_t){loops}.evaluations;\n"),
            false => String::new(),
        };

        self.iteration =
            Some(Iteration { newton: loops.clone(), go_on: go_on.clone(), count: count.clone() });
        self.statements(&newton.body);
        self.iteration = None;
        let deltas = self.operands(&newton.delta);
        self.array(&constant, &delta, &deltas);
        if newton.derivatives.is_some() {
            self.add(&format!("{constant} {before} = {iterates}[0];"));
        }
        for &(value, to) in &newton.last_iterate {
            let value = self.writer.operand(Operand::Value(value), Place::Open);
            self.each_used(&[to], |_, name| format!("{name} = {value};"));
        }
        let bent = usize::from(newton.derivatives.is_some());
        let update = format!("nhi_newton_update(&{loops}, {n}, {iterates}, {delta}, {weight}, {bent})");
        self.add(&guard(&update, "break;"));
        if let Some((statements, derivatives)) = &newton.derivatives {
            self.statements(statements);
            let derivatives = self.operands(derivatives).join(", ");
            let bend = format!("nhi_newton_bend(&{loops}, {iterates}, {before}, {delta}[0], {derivatives})");
            self.add(&guard(&bend, "break;"));
        }
        self.add(&guard(&format!("!{go_on}"), "break;"));
        self.indent -= 1;
        self.add("}");
        self.add(&count);
        let status = format!("{loops}.status == NHI_OK ? NHI_NOT_CONVERGED : {loops}.status");
        self.add(&fail_if(&format!("!{loops}.is_solved"), &status));
        self.each_used(&newton.solution, |i, name| format!("{name} = {iterates}[{i}];"));
        self.indent -= 1;
        self.add("}");
    }
}

/// `if (condition) { then; }` on lines of its own.
pub(super) fn guard(condition: &str, then: &str) -> String {
    format!("if ({condition}) {{\n{}}}\n", indented(then))
}

/// Returns `status` on a condition.
pub(super) fn fail_if(condition: &str, status: &str) -> String {
    guard(condition, &format!("return {status};"))
}

/// Text that can stand in a comment.
pub(super) fn comment(text: &str) -> String {
    text.replace("*/", "* /")
}
