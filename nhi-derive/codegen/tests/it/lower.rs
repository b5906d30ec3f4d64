//! The lowered form: order and association of operations, names of shared values.
//!
//! By default the programs of four models are lowered; with `NHI_TESTS=all`, those of all models.

use crate::files;
use crate::support::program;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::Pool;
use nhi_codegen::lower::{Function, lower};
use nhi_codegen::method::refusal;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Constants, Program};
use nhi_codegen::source::structs;
use nhi_methods::Method;
use nhi_tiers::amount;

fn lowered(text: &str) -> Function {
    let mut pool = Pool::new();
    let program = program(&mut pool, text);
    lower(&mut pool, &mut Constants::default(), &program)
}

fn text(text: &str) -> String {
    lowered(text).to_string()
}

#[test]
fn what_arrives_first_is_put_together_first() {
    assert_eq!(
        text("f(a, b, c)\n let s = sqrt(a)\n let r = s + b + c\n return x = 2*r*a*b"),
        "f(a: a, b: b, c: c)
    s = sqrt(a)
    %4 = b + c
    r = %4 + s
    %6 = 2.0 * a
    %7 = %6 * b
    %8 = %7 * r
    return x = %8
"
    );
}

#[test]
fn shared_values_get_names() {
    assert_eq!(
        text("f(a, b)\n let y = (a + b)^2 + sin(a + b)\n let z = a + b\n return x = y, w = [z, a*b, a*b]"),
        "f(a: a, b: b)
    shared = a + b
    %3 = shared * shared
    %4 = sin(shared)
    y = %3 + %4
    z = shared
    shared_2 = a * b
    return x = y, w = [z, shared_2, shared_2]
"
    );
}

/// x is finite if x·b is, but not if a/x is or tanh(x).
#[test]
fn results_are_tested_once() {
    let function = lowered(
        "f(a, b)\n let x = a + b\n let y = x*b\n let z = a/x\n let t = tanh(z)\n return r = [x, y, y, z, t, 2]",
    );
    let known = function.known_outputs().concat();
    let tested = |place| known.iter().find(|known| known.place == place).and_then(|known| known.zero);
    assert_eq!(
        (0..6).map(tested).collect::<Vec<_>>(),
        [None, Some(0), None, Some(1), Some(2), None],
        "{function}"
    );
}

#[test]
fn large_powers_are_repeated_squares() {
    assert_eq!(
        text("f(a)\n return x = a^11"),
        "f(a: a)
    shared = a * a
    %2 = a * shared
    shared_2 = shared * shared
    %4 = shared_2 * shared_2
    %5 = %2 * %4
    return x = %5
"
    );
}

#[test]
fn sines_and_cosines_of_one_angle_are_computed_together() {
    assert_eq!(
        text("f(a)\n let s = sin(a/2)\n let c = cos(a/2)\n let d = cos(a)\n return x = s*c + d"),
        "f(a: a)
    %1 = 0.5 * a
    s, c = sin_cos(%1)
    d = cos(a)
    %5 = s * c
    %6 = %5 + d
    return x = %6
"
    );
}

#[test]
fn what_is_computed_in_a_loop_stays_there() {
    assert_eq!(
        text(
            "root(a)
                newton l from a*a weights 1 beside 1 + a*a
                    let r = l^2 - a
                    l += -r/(2*l)
            return l = l^2 - a"
        ),
        "root(a: a)
    shared = a * a
    %2 = 1.0 + shared
    newton l from shared weights 1.0 scale2 %2
        %4 = l * l
        r = %4 - a
        %6 = 0.5 * r
        %7 = %6 / l
        %8 = -%7
        l += %8
    %10 = l * l
    %11 = %10 - a
    return l = %11
"
    );
}

/// Of all models and methods, programs as the scheme builder writes them: lowering checks what it makes.
#[test]
fn every_program_of_the_models_is_lowered() {
    let files = files::sampled();
    let functions: usize = in_parallel(
        &files,
        |file| &file.name,
        |file| {
            let structs = structs(&file.text).expect("Rust");
            let declarations = structs.iter().map(|input| Declaration::parse(input).expect("no mistakes"));
            declarations.map(|declaration| lower_all(&declaration)).sum::<usize>()
        },
    )
    .into_iter()
    .sum();
    assert!(functions > amount(100, 500), "{functions}");
}

/// Lowers the programs of one system with all methods that apply: how many they are.
fn lower_all(declaration: &Declaration) -> usize {
    let mut declaration = declaration.clone();
    let all = Derived::new(declaration.clone(), &mut BuiltIn).expect("derivable").mechanics;
    let applicable = Method::ALL.iter().copied().filter(|&method| refusal(method, &all).is_none());
    declaration.system.methods = applicable.collect();
    let derived = Derived::new(declaration, &mut BuiltIn).expect("derivable");
    let of_methods = derived.methods.iter().flat_map(|method| {
        let starts = method.starts.iter().map(|(_, start)| start);
        starts.chain([&method.step]).map(|program| (&method.pool, program))
    });
    let system = [&derived.system.project, &derived.system.acceleration, &derived.system.residual_scale];
    let of_system = system.map(|program| (&derived.mechanics.system.pool, program));
    let programs: Vec<(&Pool, &Program)> = of_methods.chain(of_system).collect();
    for (pool, program) in &programs {
        let function = lower(&mut Pool::clone(pool), &mut Constants::default(), program);
        assert_eq!(function.outputs.len(), program.outputs.len());
    }
    programs.len()
}
