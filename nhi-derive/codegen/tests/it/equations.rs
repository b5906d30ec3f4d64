//! Every step states the equations of its scheme, and its comments refer to them by their numbers.
//!
//! By default every fourth method is also derived alone; with `NHI_TESTS=all`, every method is.

use crate::support::{Random, Run};
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::forms::{method_programs, readable_programs};
use nhi_codegen::method::{Method, MethodPrograms};
use nhi_codegen::optimise::{Options, optimise_step, split};
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Constants, Input, Program, Role, Statement, StepProgram};
use nhi_tiers::amount;
use std::collections::{BTreeMap, BTreeSet};

/// Systems that have between them every method and every way to solve its equations: in closed form, by Newton's method
/// for all unknowns, for impulses, and for some of the impulses; one without constraints.
const SYSTEMS: [&str; 7] = [
    "coordinates(x, y, phi), lagrangian = dot(x)^2 + dot(y)^2 + dot(phi)^2,
     constraints(sin(phi)*dx - cos(phi)*dy + dphi)",
    "coordinates(x, y, z), inputs(u), lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2 - x^2,
     constraints(dx + y*dz), force = (u - dot(y))*dy",
    "coordinates(r, phi, z), lagrangian = dot(r)^2 + r^2*dot(phi)^2 + dot(z)^2 - r^2,
     constraints(dz - r*dphi)",
    "coordinates(psi, phi, theta, x, y),
     lagrangian = dot(x)^2 + dot(y)^2 + dot(theta)^2 + (dot(theta) + dot(psi))^2 + dot(phi)^2,
     constraints(-sin(theta + phi)*dx + cos(theta + phi)*dy - cos(phi)*dtheta,
                 -sin(theta - phi)*dx + cos(theta - phi)*dy + cos(phi)*dtheta)",
    "coordinates(x), lagrangian = dot(x)^2 - x^4, constraints()",
    "group = SO3(R; a, b, c), lagrangian = a^2 + b^2 + 2*c^2, constraints(c)",
    "coordinates(phi), group = SE2(theta, x, y; omega, v, v_perp), inputs(torque),
     lagrangian = v^2 + v_perp^2 + omega^2 + dot(phi)^2, constraints(v - dot(phi), v_perp), force = torque*dphi",
];

fn derived(keys: &str) -> Derived {
    let text = format!("#[nonholonomic({keys}, methods(all))] pub struct System;");
    let input = syn::parse_str(&text).expect("a struct");
    let declaration = Declaration::parse(&input).expect("no mistakes");
    Derived::new(declaration, &mut BuiltIn).expect("derivable")
}

/// Numbers such as `(2)` at which `text` begins after white space.
fn number(text: &str) -> Option<u32> {
    text.trim_start().strip_prefix('(')?.split_once(')')?.0.parse().ok()
}

/// Numbers such as `(2)` anywhere in `text`.
fn numbers(text: &str) -> BTreeSet<u32> {
    text.match_indices('(').filter_map(|(at, _)| number(&text[at..])).collect()
}

fn comments(body: &[Statement]) -> Vec<&str> {
    fn of(statement: &Statement) -> Vec<&str> {
        match statement {
            Statement::Equation(text) => vec![text],
            Statement::Newton(newton) => comments(&newton.body),
            _ => Vec::new(),
        }
    }
    body.iter().flat_map(of).collect()
}

/// The numbered equations at the head of a program.
fn stated(program: &Program) -> Vec<u32> {
    let code = program.doc.iter().skip_while(|line| *line != "```text").skip(1);
    code.take_while(|line| *line != "```").filter_map(|line| number(line)).collect()
}

#[test]
fn steps_state_the_equations_that_their_comments_refer_to() {
    let mut seen = BTreeSet::new();
    for keys in SYSTEMS {
        for method in &derived(keys).methods {
            seen.insert(method.id());
            let (stated, doc) = (stated(&method.step), method.step.doc.join("\n"));
            let first: Vec<u32> = (1..).take(stated.len()).collect();
            assert!(!stated.is_empty() && stated == first, "{}: {doc}", method.id());
            let facts = method.method.facts();
            assert!(doc.contains(facts.source), "{}: {doc}", method.id());
            let comments = comments(&method.step.body);
            let referred: BTreeSet<u32> = comments.iter().flat_map(|text| numbers(text)).collect();
            assert!(!referred.is_empty(), "{}: {comments:?}", method.id());
            for number in referred {
                assert!(stated.contains(&number), "{}: ({number}) is not among\n{doc}", method.id());
            }
        }
    }
    let all: BTreeSet<&str> = Method::ALL.iter().map(|method| method.facts().id).collect();
    assert_eq!(seen, all);
}

/// Whether every heading stands directly over a statement.
fn is_headed(body: &[Statement]) -> bool {
    let over = |(i, statement): (usize, &Statement)| match statement {
        Statement::Equation(_) => !matches!(body.get(i + 1), None | Some(Statement::Equation(_))),
        Statement::Newton(newton) => is_headed(&newton.body),
        _ => true,
    };
    body.iter().enumerate().all(over)
}

#[test]
fn no_heading_stands_over_another_or_over_nothing() {
    for keys in SYSTEMS {
        let derived = derived(keys);
        for method in &derived.methods {
            for program in method.starts.iter().map(|(_, start)| start).chain([&method.step]) {
                assert!(is_headed(&program.body), "{}: {}", method.id(), program.name);
            }
            let (mut pool, mut constants) = (method.pool.clone(), Constants::default());
            let fixed = method.state.belongs_to_step_size();
            let step = StepProgram::new(&pool, method.step_with_components(), fixed);
            let (step, _) = optimise_step(&mut pool, &mut constants, step, Options::default());
            let step = split(&pool, &step.program).step;
            assert!(is_headed(&step.body), "{}: {}", method.id(), step.show(&pool));
        }
    }
}

/// Arguments of a step or start of length `h`, near the identity of a group.
fn arguments(program: &Program, random: &mut Random, h: f64) -> Vec<Vec<f64>> {
    let of = |input: &Input| -> Vec<f64> {
        let n = input.symbols.len();
        match input.role {
            Role::StepSize => vec![h],
            // Rows of a rotation matrix.
            Role::Configuration if n == 9 => (0..9).map(|i| f64::from(i % 4 == 0)).collect(),
            Role::Configuration => (0..n).map(|_| 1.0 + 0.2 * random.number()).collect(),
            _ => (0..n).map(|_| random.number()).collect(),
        }
    };
    program.inputs.iter().map(of).collect()
}

/// The programs for readers compute what the others do, with names for residuals and Jacobian.
#[test]
fn readers_see_the_same_step_with_residual_and_jacobian() {
    let mut random = Random(7);
    let mut loops = 0;
    for keys in SYSTEMS {
        let Derived { mechanics: x, declaration, .. } = derived(keys);
        for method in declaration.system.methods {
            let programs = method_programs(&x, method);
            let readable = readable_programs(&x, method);
            let [step, named] = [&programs.step, &readable.step];
            let text = named.show(&readable.pool).to_string();
            if step.has_loop() {
                loops += 1;
                assert!(text.contains("let residual_") && text.contains("let jac_"), "{text}");
            } else {
                assert_eq!(step, named);
            }
            assert_eq!(step.inputs, named.inputs);
            let starts = |programs: &MethodPrograms| {
                let starts = programs
                    .starts
                    .iter()
                    .map(|(kind, start)| (*kind, start.show(&programs.pool).to_string()));
                starts.collect::<Vec<_>>()
            };
            assert_eq!(starts(&programs), starts(&readable));
            assert_eq!(step.doc, named.doc);
            let arguments = arguments(step, &mut random, 0.01);
            let [results, same] = [&programs, &readable].map(|form| form.step.run(&form.pool, &arguments));
            let results = results.unwrap_or_else(|e| panic!("{}: {e}\n{text}", programs.id()));
            for (x, y) in results.concat().into_iter().zip(same.expect("the same").concat()) {
                assert!((x - y).abs() <= 1e-12 * (1.0 + x.abs()), "{}: {x} and {y}", programs.id());
            }
        }
    }
    assert!(loops > 20);
}

/// The operations of a method and their order depend on the declaration and the method, not on the methods beside it.
#[test]
fn functions_of_a_method_do_not_depend_on_other_methods() {
    let compare = |keys: &&str| {
        let mut compared = 0;
        let Derived { declaration, .. } = derived(keys);
        let functions = |methods: Vec<Method>| -> BTreeMap<&str, String> {
            let declaration = declaration.clone().with_methods(methods);
            let derived = Derived::new(declaration, &mut BuiltIn).expect("derivable");
            let functions = derived.methods.iter().map(|m| MethodFunctions::of(m, Options::default()));
            functions.map(|f| (f.id(), f.all().map(|f| f.to_string()).collect())).collect()
        };
        let methods = &declaration.system.methods;
        let all = functions(methods.clone());
        assert_eq!(all, functions(methods.iter().rev().copied().collect()));
        for &method in methods.iter().step_by(amount(4, 1)) {
            let alone = functions(vec![method]);
            let id = method.facts().id;
            assert_eq!(alone[id], all[id], "{id} of {keys}");
            compared += 1;
        }
        compared
    };
    let compared: usize = in_parallel(&SYSTEMS, |keys| keys, compare).into_iter().sum();
    assert!(compared > amount(20, 80), "{compared}");
}

#[test]
fn numbers_of_equations_are_found() {
    assert_eq!(numbers("(2) impulse from (1) and f(x, 3)"), BTreeSet::from([1, 2]));
    assert_eq!(numbers("(4.18), (q, v) and mu(q)"), BTreeSet::new());
}
