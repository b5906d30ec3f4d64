//! Writes the expressions of steps, before and after the passes, for `count.py`, which counts the operations that Symbolica's
//! evaluators need for them: one line of JSON for what is computed once in a step, one for an iteration of Newton's method.
//!
//! ```text
//! cargo run --release -p nhi-codegen --example horner -- FILE STRUCT METHOD > programs.jsonl
//! python nhi-derive/codegen/examples/horner/count.py programs.jsonl   # pip install symbolica==2.1.0
//! ```
//!
//! Bound symbols are inputs of the expressions after them, as they are for the passes. Functions, roots and maps of groups are
//! functions without a meaning.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::{Expr, Node, OperationCount, Pool};
use nhi_codegen::optimise::{Options, optimise_step, split};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Constants, Operations, Program, Statement, StepProgram};
use nhi_codegen::source::structs;
use nhi_methods::Variant;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, name, method] = arguments.as_slice() else { return Err("FILE STRUCT METHOD".into()) };
    let found = structs(&std::fs::read_to_string(file)?)?;
    let item = found.iter().find(|item| item.ident == name).ok_or("no such struct")?;
    let variant = Variant::with_id(method).ok_or("no such method")?;
    let declaration = Declaration::parse(item).map_err(|r| r.errors[0].to_string())?;
    let derived = Derived::new(declaration.with_methods(vec![variant.method]), &mut BuiltIn);
    let derived = derived.map_err(|r| r.errors[0].to_string())?;
    let method = &derived.methods[0];
    let (mut pool, mut constants) = (method.pool.clone(), Constants::default());
    print(&mut pool, &mut constants, "before the passes", &method.step);
    let step = StepProgram::new(&pool, method.step_with_components(), method.state.belongs_to_step_size());
    let (step, _) = optimise_step(&mut pool, &mut constants, step, Options::default());
    let step = split(&pool, &step.program).step;
    print(&mut pool, &mut constants, "after the passes", &step);
    Ok(())
}

/// Writes what a program computes once, and what it computes in an iteration.
fn print(pool: &mut Pool, constants: &mut Constants, form: &str, program: &Program) {
    let operations = Operations::of(pool, constants, program);
    let (mut once, mut iterated) = (Vec::new(), Vec::new());
    for statement in &program.body {
        match statement {
            Statement::Let { value, .. } => once.push(*value),
            Statement::Pivot { pivot, diagonal, .. } => once.extend([*pivot, *diagonal]),
            Statement::Newton(newton) => {
                once.extend(newton.before());
                iterated.extend(newton.body.iter().filter_map(|statement| match statement {
                    Statement::Let { value, .. } => Some(*value),
                    _ => None,
                }));
                iterated.extend(&newton.delta);
            }
            Statement::Equation(_) | Statement::Turn(_) => {}
        }
    }
    once.extend(program.outputs.iter().flat_map(|output| &output.values));
    let parts =
        [("once", once, Some(&operations.once)), ("iteration", iterated, operations.iterations.first())];
    for (part, values, counted) in parts {
        let Some(OperationCount { adds, muls, divs, .. }) = counted else { continue };
        let text: Vec<String> = values.iter().map(|&e| format!("\"{}\"", text(pool, e))).collect();
        println!(
            "{{\"form\": \"{form}\", \"part\": \"{part}\", \"operations\": [{adds}, {muls}, {divs}], \"values\": [{}]}}",
            text.join(", ")
        );
    }
}

/// An expression as Symbolica reads it.
fn text(pool: &Pool, e: Expr) -> String {
    let all = |operands: &[Expr], between: &str| {
        let operands: Vec<String> = operands.iter().map(|&x| text(pool, x)).collect();
        operands.join(between)
    };
    match pool.node(e) {
        Node::Number(r) => format!("({r})"),
        Node::Pi => "number_pi".to_owned(),
        Node::Symbol(_) => format!("s{}", symbol(e)),
        Node::Sum(terms) => format!("({})", all(terms, "+")),
        Node::Product(factors) => all(factors, "*"),
        Node::Power(base, exponent) => match pool.as_number(*exponent) {
            Some(n) if n.is_integer() => format!("({})^({n})", text(pool, *base)),
            _ => format!("f_power({},{})", text(pool, *base), text(pool, *exponent)),
        },
        Node::Call(function, x) => format!("f_{}({})", function.name().replace('_', ""), text(pool, *x)),
        Node::Atan2(y, x) => format!("f_atan2({})", all(&[*y, *x], ",")),
        Node::Select(operands) => format!("f_select({})", all(operands, ",")),
        Node::Map(entry, arguments) => {
            let name: String = format!("{entry:?}").chars().filter(char::is_ascii_alphanumeric).collect();
            format!("f_{name}({})", all(arguments, ","))
        }
        Node::Saddle(saddle, arguments) => format!("f_saddle{}({})", saddle.index, all(arguments, ",")),
    }
}

/// A number for a symbol.
fn symbol(e: Expr) -> String {
    format!("{e:?}").chars().filter(char::is_ascii_digit).collect()
}
