//! Emitted Rust.
//!
//! By default expressions are half as deep as with `NHI_TESTS=all`.

use crate::families::FAMILIES;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::method::{Method, StateKind};
use nhi_codegen::pipeline::Derived;
use nhi_methods::{Applies, Kind};
use nhi_tiers::amount;
use proc_macro2::{TokenStream, TokenTree};

fn derived(text: &str) -> Derived {
    let input = syn::parse_str(text).expect("a struct");
    let declaration = Declaration::parse(&input).expect("no mistakes");
    Derived::new(declaration, &mut BuiltIn).expect("derivable")
}

fn pretty(derived: &Derived) -> String {
    derived.pretty(&mut BuiltIn).expect("an engine that never fails")
}

fn sleigh() -> Derived {
    derived(
        "#[nonholonomic(
            coordinates(theta, x, y),
            lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
            constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
            methods(Dla2, Rattle))]
         pub struct Sleigh { pub J: f64, pub m: f64, pub a: f64 }",
    )
}

/// The lines of one function, from its documentation to its closing brace.
fn function<'a>(code: &'a str, module: &str, name: &str) -> Vec<&'a str> {
    let start = code.find(&format!("pub mod {module} {{")).expect("the module");
    let lines: Vec<&str> = code[start..].lines().collect();
    let head = lines.iter().position(|l| l.contains(&format!("pub fn {name}<"))).expect("the function");
    let first = lines[..head].iter().rposition(|l| l.trim().is_empty()).map_or(0, |i| i + 1);
    let indent = lines[head].len() - lines[head].trim_start().len();
    let end = format!("{}}}", " ".repeat(indent));
    let last = lines.iter().skip(head).position(|&l| l == end).expect("a closing brace") + head;
    lines[first..=last].iter().map(|l| l.trim()).collect()
}

#[test]
fn rattle_of_the_sleigh_is_as_by_hand() {
    let code = pretty(&sleigh());
    let step = function(&code, "rattle", "step").join("\n");
    // Drift, sine and cosine, defect of the constraint, reflection, all times h; and without it the six velocities
    // and the multiplier, for who looks at them: nothing else.
    assert!(step.contains("Operations: 8 add, 14 mul, 1 rotated_sin_cos."), "{step}");
    let step: String = step.split_whitespace().collect();
    assert!(step.contains("emitted::rotated_sin_cos(theta_1,theta,(sin_theta,cos_theta),)"), "{step}");
}

#[test]
fn people_read_equations_and_the_compiler_does_not() {
    let sleigh = sleigh();
    let code = pretty(&sleigh);
    let step = function(&code, "dla2", "step");
    let comments = step.iter().filter(|l| l.starts_with("// ")).count();
    assert!(comments >= 4, "{step:?}");
    let tokens = sleigh.implementation().expect("finite constants");
    assert!(!code.contains("__comment") && !tokens.to_string().contains("__comment"));
    // The comments apart, both are the same code.
    let formatted = prettyplease::unparse(&syn::parse2(tokens).expect("a file"));
    let code_of = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim);
        lines.filter(|l| !l.is_empty() && !l.starts_with("// ")).map(str::to_owned).collect()
    };
    assert_eq!(code_of(&code), code_of(&formatted));
}

/// Without forces and potential the projected force is none.
#[test]
fn starts_that_coincide_are_emitted_once() {
    let code = pretty(&sleigh());
    let count = |name: &str| code.matches(&format!("pub fn {name}<")).count();
    // `dla2` has one start, of the same name as one of `rattle`.
    let counts = ["start_consistent", "start_projected", "start_plain", "start_stepped"].map(count);
    assert_eq!(counts, [2, 1, 0, 1]);
    let calls: String = code.split_whitespace().collect();
    for start in ["Projected", "Plain"] {
        let call = format!("::nhi_runtime::Start::{start}=>{{kernel::rattle::start_projected(");
        assert!(calls.contains(&call), "{start}");
    }
    let incline = pretty(&derived(
        "#[nonholonomic(coordinates(x, y, phi), lagrangian = dot(x)^2 + dot(y)^2 + dot(phi)^2 + x,
            constraints(sin(phi)*dx - cos(phi)*dy), methods(Rattle))]
         struct Incline;",
    ));
    for start in ["consistent", "projected", "plain", "stepped"] {
        assert_eq!(incline.matches(&format!("pub fn start_{start}<")).count(), 1, "{start}");
    }
}

#[test]
fn what_a_method_emits_does_not_depend_on_the_others() {
    let rattle = |methods: &str| {
        let derived = derived(&format!(
            "#[nonholonomic(coordinates(x, y, z),
                lagrangian = m*(dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - k*(x^2 + y^2 + z^2)/2,
                constraints(dx + y*dz), methods({methods}))]
             struct Contact {{ m: f64, k: f64 }}"
        ));
        function(&pretty(&derived), "rattle", "step").join("\n")
    };
    assert_eq!(rattle("Rattle"), rattle("Dla2, Rk4, Rattle"));
}

/// Short ones are compiled everywhere, others in few places (`benches/README.md`).
#[test]
fn steps_say_how_long_they_are() {
    let said = |attribute: &str, item: &str| {
        let code = pretty(&derived(&format!("#[nonholonomic({attribute}, methods(Dla2, Rattle))] {item}")));
        let count = |length: &str| {
            let said = format!("length: ::nhi_runtime::Length::{length},");
            code.matches(&said).count()
        };
        ["Short", "Middle", "Long"].map(count)
    };
    let free = "coordinates(x, y), lagrangian = (dot(x)^2 + dot(y)^2)/2, constraints(dx - x*dy)";
    assert_eq!(said(free, "struct Free {}"), [0, 0, 0]);
    let snakeboard = "coordinates(psi, phi, theta, x, y),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + l^2*dot(theta)^2) + I/2*(dot(theta) + dot(psi))^2 + J*dot(phi)^2,
        constraints(
            back: -sin(theta + phi)*dx + cos(theta + phi)*dy - l*cos(phi)*dtheta,
            front: -sin(theta - phi)*dx + cos(theta - phi)*dy + l*cos(phi)*dtheta)";
    assert_eq!(said(snakeboard, "struct Snakeboard { m: f64, l: f64, I: f64, J: f64 }"), [0, 0, 0]);
    let disk = "coordinates(x, y, phi, th, psi),
        lagrangian = m/2*(
                (dot(x) - R*dot(th)*sin(th)*sin(phi) + R*dot(phi)*cos(th)*cos(phi))^2
                + (dot(y) + R*dot(th)*sin(th)*cos(phi) + R*dot(phi)*cos(th)*sin(phi))^2
                + R^2*dot(th)^2*cos(th)^2)
            + I1/2*(dot(th)^2 + dot(phi)^2*cos(th)^2) + I3/2*(dot(psi) + dot(phi)*sin(th))^2 - m*g*R*cos(th),
        constraints(dx + R*cos(phi)*dpsi, dy + R*sin(phi)*dpsi)";
    assert_eq!(said(disk, "struct Disk { m: f64, R: f64, I1: f64, I3: f64, g: f64 }"), [0, 0, 2]);
}

#[test]
fn names_are_legal_unique_and_close_to_the_declaration() {
    let code = pretty(&derived(
        "#[nonholonomic(
            coordinates(theta, dot_theta, y[2], r#type, next),
            lagrangian = (dot(theta)^2 + dot(dot_theta)^2 + dot(y[0])^2 + dot(y[1])^2 + dot(r#type)^2
                + dot(next)^2)/2 - cos(theta)*next,
            constraints(),
            methods(Dla2))]
         struct Names;",
    ));
    let step: String = function(&code, "dla2", "step").concat().replace(' ', "");
    for line in [
        "let [theta, dot_theta, y_0, y_1, r#type, next_] = state.q;",
        "let Carried { half_h_dot_theta, half_h_dot_dot_theta, half_h_dot_y_0, half_h_dot_y_1, half_h_dot_type, \
         half_h_dot_next, last_theta, sin_theta, cos_theta, } = state.carried;",
    ] {
        assert!(step.contains(&line.replace(' ', "")), "{step}");
    }
}

#[test]
fn generics_and_array_fields() {
    let code = pretty(&derived(
        "#[nonholonomic(coordinates(x), lagrangian = m*dot(x)^2/2 - c[0]*x^2 - c[1]*x^4, constraints())]
         struct Generic<'a, T: Clone, const N: usize> where T: 'a {
             m: f64,
             c: [f64; 2],
             #[nonholonomic(skip)]
             rest: &'a [T; N],
         }",
    ));
    assert!(
        code.contains("impl<'a, T: Clone, const N: usize> ::nhi_runtime::System for Generic<'a, T, N>"),
        "{code}"
    );
    assert!(code.contains("[self.m, self.c[0], self.c[1]]"), "{code}");
}

/// Thousands of operations inside each other: neither the derivation nor the printer of tokens, nor
/// `rustc` after them, recurse that deep. Test threads have a stack of 2 MiB.
#[test]
fn deep_expressions_do_not_overflow_the_stack() {
    let nested = |n: usize, step: &dyn Fn(usize) -> String| {
        let first = "a0 = x".to_owned();
        let lets: Vec<String> =
            std::iter::once(first).chain((1..n).map(|i| format!("a{i} = {}", step(i)))).collect();
        let system = derived(&format!(
            "#[nonholonomic(coordinates(x, y, z), let({}),
                lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - a{},
                constraints(dx - y*dz), methods(Rattle))]
             struct Deep;",
            lets.join(", "),
            n - 1
        ));
        let code = pretty(&system);
        syn::parse_file(&code).expect("a file");
        let deepest = code.lines().map(|line| line.matches('(').count()).max();
        assert!(deepest < Some(200), "a line with {deepest:?} parentheses");
    };
    nested(amount(500, 1000), &|i| format!("sin(a{} + y)", i - 1));
    nested(amount(150, 300), &|i| format!("1/(a{}*y + {i})^2", i - 1));
}

/// The derivative of a function of a function has a factor for each of them, and shares its factors with the others: the code
/// grows with a power of the depth.
#[test]
fn code_of_nested_functions_grows_slowly() {
    let lines = |depth| {
        let nested = (0..depth).fold("x".to_owned(), |e, _| format!("sin({e})"));
        let system = derived(&format!(
            "#[nonholonomic(coordinates(x, y), lagrangian = (dot({nested})^2 + dot(y)^2)/2, constraints())]
             struct Deep;"
        ));
        pretty(&system).lines().count()
    };
    let [short, long] = [8, 16].map(lines);
    assert!(long < 5 * short, "{short} lines, and {long} for twice the depth");
}

/// `methods(all)` is every method that applies, in the order of the table, and each has the state of its kind.
#[test]
fn all_methods_are_those_that_apply() {
    let emitted = |keys: &str| {
        let all = derived(&format!("#[nonholonomic({keys}, methods(all))] pub struct System;"));
        for method in &all.methods {
            let kind = method.method.facts().kind;
            assert_eq!(method.state == StateKind::Jump, kind == Kind::Reflecting, "{}", method.id());
        }
        let declared = all.declaration.system.methods;
        assert_eq!(declared.len(), all.methods.len());
        declared
    };
    let those = |applies: &dyn Fn(Applies) -> bool| -> Vec<Method> {
        Method::ALL.iter().copied().filter(|method| applies(method.facts().applies)).collect()
    };
    let skate = "constraints(sin(phi)*dx - cos(phi)*dy)";
    let plane = format!("coordinates(x, y, phi), lagrangian = dot(x)^2 + dot(y)^2 + dot(phi)^2, {skate}");
    assert_eq!(emitted(&plane), those(&|applies| applies != Applies::FreeBodies));

    let group = "group = SO3(R; a, b, c)";
    let everywhere = those(&|applies| applies == Applies::Everywhere);
    let heavy = format!("{group}, lagrangian = a^2 + b^2 + 2*c^2 - R[2][2], constraints(c)");
    assert_eq!(emitted(&heavy), everywhere);
    let table = format!("{group}, lagrangian = a^2 + b^2 + 2*c^2, constraints(R[0][0]*a + R[0][1]*b)");
    let free = |applies| matches!(applies, Applies::Everywhere | Applies::InvariantLagrangians(_));
    assert_eq!(emitted(&table), those(&free));
    let body = format!("{group}, lagrangian = a^2 + b^2 + 2*c^2, constraints(c)");
    assert_eq!(emitted(&body), those(&|applies| !matches!(applies, Applies::Coordinates(_))));
}

/// Monitors cost nothing unless they are called: of the energy, the momenta of symmetries, the residual of the
/// constraints and the parasitic mode no step computes, keeps or returns anything, whatever the method.
#[test]
fn steps_have_no_trace_of_monitors() {
    // A skate on an incline: with an energy, a horizontal symmetry and one constraint.
    let skate = derived(
        "#[nonholonomic(
            coordinates(x, y, phi),
            lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(phi)^2 + m*g*x,
            constraints(sin(phi)*dx - cos(phi)*dy = 0),
            methods(all))]
         pub struct Skate { pub m: f64, pub J: f64, pub g: f64 }",
    );
    let code = pretty(&skate);
    // They are there, beside the steps.
    for monitor in ["pub fn energy<", "pub fn residual<", "SYMMETRIES", "p_phi"] {
        assert!(code.contains(monitor), "{monitor}");
    }
    assert!(!skate.methods.is_empty());
    for method in &skate.methods {
        let step = function(&code, method.id(), "step").join("\n");
        for trace in ["energy", "residual(", "SYMMETRIES", "p_phi", "momentum(", "acceleration(", "super::"] {
            assert!(!step.contains(trace), "{}: {trace} in\n{step}", method.id());
        }
        // What it returns is the state and nothing else.
        let outputs: Vec<&str> = method.step.outputs.iter().map(|output| output.role.name()).collect();
        let reflects = step.contains("JumpState");
        let state = if reflects {
            &["q", "v_pre", "v_post", "lambda", "states"][..]
        } else {
            &["q", "v", "lambda", "states"]
        };
        assert_eq!(outputs, state, "{}", method.id());
    }
}

/// The names that a pattern binds.
fn bound(pattern: &syn::Pat, names: &mut Vec<String>) {
    match pattern {
        syn::Pat::Ident(name) => names.push(name.ident.to_string()),
        syn::Pat::Slice(all) => all.elems.iter().for_each(|pattern| bound(pattern, names)),
        syn::Pat::Tuple(all) => all.elems.iter().for_each(|pattern| bound(pattern, names)),
        syn::Pat::Struct(all) => all.fields.iter().for_each(|field| bound(&field.pat, names)),
        syn::Pat::Type(typed) => bound(&typed.pat, names),
        syn::Pat::Wild(_) => {}
        other => panic!("another pattern: {}", quote::quote!(#other)),
    }
}

/// Functions of a module and of the modules in it.
fn functions<'a>(items: &'a [syn::Item], all: &mut Vec<&'a syn::ItemFn>) {
    for item in items {
        match item {
            syn::Item::Fn(function) => all.push(function),
            syn::Item::Mod(module) => functions(&module.content.as_ref().expect("a module's items").1, all),
            _ => {}
        }
    }
}

#[test]
fn no_name_hides_another() {
    let coin = derived(
        "#[nonholonomic(coordinates(phi), group = SE2(theta, x, y; omega, v, v_perp), inputs(torque),
            lagrangian = a/2*(v^2 + v_perp^2) + lambda/2*omega^2 + p/2*dot(phi)^2,
            constraints(rolling: v - energy*dot(phi) = 0, v_perp = 0),
            force = torque*dphi, methods(all))]
         pub struct Coin { a: f64, lambda: f64, p: f64, energy: f64 }",
    );
    for derived in [sleigh(), coin] {
        let file = syn::parse_file(&pretty(&derived)).expect("a file");
        let [syn::Item::Const(constant)] = file.items.as_slice() else { panic!("one item") };
        let syn::Expr::Block(block) = &*constant.expr else { panic!("a block") };
        let items: Vec<syn::Item> = (block.block.stmts.iter())
            .filter_map(|statement| match statement {
                syn::Stmt::Item(item) => Some(item.clone()),
                _ => None,
            })
            .collect();
        let mut all = Vec::new();
        functions(&items, &mut all);
        assert!(all.len() > 10);
        for function in all {
            let mut names = Vec::new();
            for argument in &function.sig.inputs {
                let syn::FnArg::Typed(argument) = argument else { panic!("a method") };
                bound(&argument.pat, &mut names);
            }
            for statement in &function.block.stmts {
                if let syn::Stmt::Local(local) = statement {
                    bound(&local.pat, &mut names);
                }
            }
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count, "{} binds a name twice", function.sig.ident);
        }
    }
}

/// The largest number of statements `let` of one block, without those of blocks in it.
fn most_lets(tokens: TokenStream) -> usize {
    let (mut own, mut inner) = (0, 0);
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) if ident == "let" => own += 1,
            TokenTree::Group(group) => inner = inner.max(most_lets(group.stream())),
            _ => {}
        }
    }
    own.max(inner)
}

/// `rustc` overflows its stack where thousands of variables are declared one by one in a build with debug information.
#[test]
fn long_functions_declare_many_variables_at_once() {
    let (_, arm) = FAMILIES[3];
    let arm = derived(&format!(
        "#[nonholonomic({})] struct Arm {{ m: f64, inertia: f64, l: f64, k: f64 }}",
        arm(5)
    ));
    let step = &arm.optimised().expect("finite constants").methods[0].step;
    let mut statements = 0;
    step.for_each_statement(&mut |_| statements += 1);
    assert!(statements > 2000, "{statements} statements do not need it");
    let lets = most_lets(arm.implementation().expect("finite constants"));
    assert!((100..=1000).contains(&lets), "{lets} variables are declared one by one");
}
