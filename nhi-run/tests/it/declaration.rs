//! Systems from text: names, methods, errors, outputs, and the same numbers however they are compiled.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Simulation};
use nhi_methods::Variant;
use nhi_run::{DeclarationError, Error, Exact, System};
use std::time::Instant;

const SLEIGH: &str = "
// A remark.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(theta, x, y),
    let(bx = x - a*cos(theta), spin = dot(theta)),
    lagrangian = J/2*spin^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy),
)]
struct Sleigh { J: f64, m: f64, a: f64 }
";

const BALL: &str = "
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (2*w1^2 + 3*w2^2 + 4*w3^2)/2,
    constraints(
        dot(x) - r*(R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3),
        rolling_y: dot(y) + r*(R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3),
    ),
    force = u*dx,
)]
struct Ball { m: f64, r: f64 }
";

fn rejected(source: &str) -> DeclarationError {
    System::parse(source, "file.rs", None).expect_err("a mistake")
}

#[test]
fn names_and_methods() {
    let sleigh = System::parse(SLEIGH, "sleigh.rs", None).unwrap();
    assert_eq!(sleigh.name(), "Sleigh");
    assert_eq!(sleigh.parameters(), ["J", "m", "a"]);
    assert_eq!(sleigh.coordinates(), ["theta", "x", "y"]);
    assert_eq!(sleigh.constraints(), ["blade"]);
    assert_eq!(sleigh.fingerprint().len(), 16);
    // Whatever `methods(...)` says.
    for id in ["dla2", "rattle", "rk4", "dla2_suzuki4", "rattle_projected"] {
        assert_eq!(sleigh.variant(id).unwrap().to_string(), id);
    }
    let wrong = |system: &System, id| system.variant(id).unwrap_err().to_string();
    assert_eq!(wrong(&sleigh, "dla3"), "method `dla3`: unknown method, did you mean `dla1`?");
    assert_eq!(wrong(&sleigh, "DLA2"), "method `DLA2`: unknown method, did you mean `dla2`?");
    let ball = System::parse(BALL, "ball.rs", None).unwrap();
    assert!(wrong(&ball, "dla2").starts_with("method `dla2`: does not apply to this system: "));
    assert_eq!((ball.shape(), ball.group().only().unwrap().name), (2, "SO3"));
    assert_eq!(ball.inputs(), ["u"]);
}

/// Steps are those of the derive, bit for bit, whichever methods are declared or compiled together, and whatever is recorded.
#[test]
fn steps_do_not_depend_on_other_methods_and_outputs() {
    for (source, q, v) in [
        (SLEIGH, vec![0.0, 0.0, 0.0], vec![1.0, 0.5, 0.2]),
        (
            BALL,
            [vec![0.0; 2], vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]].concat(),
            vec![0.3, -0.3, 0.6, 0.6, 1.0],
        ),
    ] {
        let p = &[1.0, 0.5, 0.2][..if source == SLEIGH { 3 } else { 2 }];
        let system = System::parse(source, "file.rs", None).unwrap();
        let declaration = Declaration::parse(&structs(source).unwrap()[0]).unwrap();
        let variants: Vec<Variant> = system.methods().map(Variant::from).collect();
        let derived = |variants: &[Variant]| {
            let methods = variants.iter().map(|variant| variant.method).collect();
            let derived = Derived::new(declaration.clone().with_methods(methods), &mut BuiltIn).unwrap();
            Compiled::new(&derived.optimised().unwrap(), variants).unwrap()
        };
        let all = derived(&variants);
        // With expressions that steps have, in another order.
        let outputs = [("swing", Some("(m*dot(y)^2 + dot(x)^2*m)*(y + x)"))];
        let recorded = System::with_outputs(source, "file.rs", None, &outputs).unwrap();
        for variant in variants {
            let inputs = vec![0.1; system.inputs().len()];
            let run = |compiled: &Compiled| {
                let started = Simulation::with_inputs(compiled, variant, p, &q, &v, &inputs, 0.01);
                let mut simulation = started.unwrap();
                simulation.advance(100).unwrap();
                simulation.numbers().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            let bits = run(&all);
            assert_eq!(bits, run(&derived(&[variant])), "{variant} alone");
            for system in [&system, &recorded] {
                assert_eq!(bits, run(&system.compiled(variant).unwrap()), "{variant}");
            }
        }
    }
}

#[test]
fn mistakes_have_places() {
    let error = rejected(&SLEIGH.replace("- cos(theta)*dy", "- cos(thetta)*dy + dm"));
    assert_eq!(error.mistakes.len(), 2, "{error}");
    let place = error.mistakes[0].place.as_ref().unwrap();
    assert_eq!((place.line(), place.column(), place.end()), (8, 55, (8, 61)));
    assert_eq!(place.token(), "thetta");
    assert!(place.source_line().trim_start().starts_with("constraints(blade"));
    assert_eq!(error.mistakes[0].help.as_deref(), Some("did you mean `theta`?"));
    let printed = error.render(false);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "error: unknown name `thetta`");
    assert_eq!(lines[1].trim(), "--> file.rs:8:55");
    assert!(
        lines.iter().any(|line| line.trim_end().ends_with(&format!("{}^^^^^^", " ".repeat(54)))),
        "{printed}"
    );
    assert!(printed.contains("help: did you mean `theta`?"));
    assert!(error.render(true).contains("\u{1b}["));
    let twice = rejected(&SLEIGH.replace("theta, x, y", "theta, x, x"));
    let (second, _) = twice.mistakes[0].second.as_ref().unwrap();
    assert_eq!(second.token(), "x");
}

#[test]
fn files_without_a_declaration() {
    assert!(rejected("fn main() {}").to_string().contains("no struct here derives"));
    assert!(rejected("fn main() {").to_string().starts_with("file.rs:1:11: "));
    assert!(rejected(&format!("{SLEIGH}{BALL}")).to_string().contains("name one of `Sleigh`, `Ball`"));
    let both = format!("{SLEIGH}{BALL}");
    assert_eq!(System::parse(&both, "file.rs", Some("Ball")).unwrap().name(), "Ball");
    let missing = System::parse(&both, "file.rs", Some("Bell")).unwrap_err().to_string();
    assert!(missing.contains("only `Sleigh`, `Ball`"), "{missing}");
    let not_here = rejected(&BALL.replace("inputs(u)", "methods(Dla2), inputs(u)"));
    assert_eq!(not_here.mistakes[0].place.as_ref().unwrap().token(), "Dla2");
}

/// A file is not read deeper than the declaration, and a declaration not deeper than the stack.
#[test]
fn nesting_is_harmless() {
    let deep = format!("{SLEIGH} fn main() {{ {}0{} }}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(System::parse(&deep, "file.rs", None).unwrap().name(), "Sleigh");
    let deep = SLEIGH.replace("J/2", &format!("{}J{}/2", "(".repeat(100_000), ")".repeat(100_000)));
    assert!(rejected(&deep).to_string().contains("nested more than 400 deep"));
    let output = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
    let error = System::with_outputs(SLEIGH, "file.rs", None, &[("e", Some(&output))]).unwrap_err();
    assert!(error.to_string().contains("nested"), "{error}");
}

#[test]
fn outputs_are_names_or_expressions() {
    let outputs = [("bx", None), ("along", Some("cos(theta)*dot(x) + sin(theta)*dot(y) + m*t"))];
    let system = System::with_outputs(SLEIGH, "sleigh.rs", None, &outputs).unwrap();
    assert_eq!(system.outputs().collect::<Vec<_>>(), ["bx", "along"]);
    assert_eq!(system.fingerprint(), System::parse(SLEIGH, "", None).unwrap().fingerprint());
    let exact = Exact::new(&system, &[1.0, 2.0, 0.5]).unwrap();
    let values = system.evaluate_outputs(&exact.at(&[0.0, 3.0, 4.0], &[1.0, 5.0, 6.0], 0.25, &[]), &[]);
    assert_eq!(values, [2.5, 5.5]);
    let wrong =
        |outputs: &[(&str, Option<&str>)]| System::with_outputs(SLEIGH, "f", None, outputs).unwrap_err();
    let unknown = wrong(&[("e", Some("dot(x)*z"))]);
    let place = unknown.mistakes[0].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.token(), place.column()), ("e", "z", 8));
    assert!(wrong(&[("by", None)]).to_string().contains("one of `bx`, `spin`"));
    assert!(wrong(&[("e", Some("(x"))]).mistakes[0].place.is_some());
    assert!(wrong(&[("e", Some(""))]).to_string().contains("empty"));
    assert!(wrong(&[("e f", Some("x"))]).to_string().contains("expected an identifier"));
    assert!(wrong(&[("bx", Some("x"))]).to_string().contains("bx"));
}

#[test]
fn a_wrong_number_of_parameters() {
    let system = System::parse(SLEIGH, "sleigh.rs", None).unwrap();
    let error = Exact::new(&system, &[1.0]).unwrap_err();
    assert!(matches!(error, Error::Argument { name: "parameters", .. }), "{error}");
}

/// Links in the plane, joined end to end, each on wheels at its middle.
fn snake(n: usize) -> String {
    format!(
        "#[derive(Nonholonomic)]
         #[nonholonomic(
             coordinates(x, y, phi[{n}]),
             let(
                 cx[0] = x,
                 cy[0] = y,
                 for i in 1..{n} {{
                     cx[i] = cx[i - 1] - l/2*(cos(phi[i - 1]) + cos(phi[i])),
                     cy[i] = cy[i - 1] - l/2*(sin(phi[i - 1]) + sin(phi[i])),
                 }},
             ),
             lagrangian = sum(i in 0..{n}, m/2*(dot(cx[i])^2 + dot(cy[i])^2) + inertia/2*dot(phi[i])^2),
             constraints(for i in 0..{n} {{ wheels[i]: cos(phi[i])*d(cy[i]) - sin(phi[i])*d(cx[i]) }}),
             methods(Dla2),
         )]
         struct Snake {{ m: f64, inertia: f64, l: f64 }}"
    )
}

/// A warning about the size of equations comes before they are simplified, which takes most of the time.
#[test]
fn large_equations_are_told_before_they_are_simplified() {
    let variant = Variant::with_id("dla2").unwrap();
    let small = System::parse(&snake(4), "snake.rs", None).unwrap();
    assert_eq!(small.forewarning(variant).unwrap(), None);
    assert_eq!(small.warning(variant).unwrap(), None);
    let large = System::parse(&snake(12), "snake.rs", None).unwrap();
    let begun = Instant::now();
    let told = large.forewarning(variant).unwrap().expect("a warning");
    let before = begun.elapsed();
    let statements = large.warning(variant).unwrap().expect("a warning");
    let after = begun.elapsed();
    assert!(told.contains("operations before they are simplified"), "{told}");
    assert!(statements.contains("statements are generated"), "{statements}");
    assert!(before < after / 2, "{before:?} of {after:?}");
}

#[test]
fn names_that_no_formula_uses_are_told() {
    let text = "#[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x), inputs(u1, w[2]), lagrangian = m/2*dot(x)^2, constraints(), force = u*dx)]
        struct Cart { m: f64, u: f64, c: f64, d: [f64; 2] }";
    let system = System::parse(text, "cart.rs", None).unwrap();
    let said = system.unused([]).unwrap();
    assert_eq!(said, "no formula uses the parameters `c`, `d`, nor the inputs `u1`, `w`");
    // Outputs and costs count.
    assert_eq!(
        system.unused(["d[0]*x + w[1]"]).unwrap(),
        "no formula uses the parameter `c`, nor the input `u1`"
    );
    assert_eq!(system.unused(["c*x", "u1^2/2", "abs(w[0]) + d[1]"]), None);
    let outputs = [("power", Some("c*u1")), ("other", Some("d[0]*w[0]"))];
    assert_eq!(System::with_outputs(text, "cart.rs", None, &outputs).unwrap().unused([]), None);
    let used = text.replace("u1", "u").replace("u: f64, c: f64, d: [f64; 2]", "").replace(", w[2]", "");
    assert_eq!(System::parse(&used, "cart.rs", None).unwrap().unused([]), None);
}
