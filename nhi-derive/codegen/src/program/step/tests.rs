use super::{Carried, Rescale, Rotated, StateEntry, StepProgram};
use crate::expr::{Expr, Pool, Rational};
use crate::program::{Binding, Input, Output, Prediction, Program, Role, Singular, Statement, Turn, lets};

/// A step that computes nothing: (parameters, h, q = x, v = u, t) → q, v.
fn program(pool: &mut Pool) -> Program {
    let mut input = |role: Role, name: &str, binding, scalar| Input {
        role,
        symbols: vec![pool.symbol(name)],
        binding,
        scalar,
    };
    let inputs = vec![
        input(Role::Parameters, "k", Binding::Prepared, false),
        input(Role::StepSize, "h", Binding::Prepared, true),
        input(Role::Configuration, "x", Binding::Step, false),
        input(Role::Velocity, "u", Binding::Step, false),
        input(Role::Time, "t", Binding::Step, true),
    ];
    let output = |i: usize| Output {
        role: Input::clone(&inputs[i]).role,
        values: inputs[i].symbols.clone(),
        scalar: false,
    };
    let outputs = vec![output(2), output(3)];
    Program { name: "step".into(), doc: Vec::new(), inputs, body: Vec::new(), outputs }
}

/// An entry that stays what it is.
fn entry(pool: &mut Pool, name: &str, role: Carried, start: Expr) -> (StateEntry, Expr) {
    let symbol = pool.symbol(name);
    (StateEntry { symbol, role, unit: None, start, rescale: Rescale::Keep }, symbol)
}

fn shown(pool: &Pool, program: Option<Program>) -> String {
    let Some(program) = program else { return String::new() };
    program.validate(pool);
    program.show(pool).to_string().lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn other_step_sizes_restart_what_depends_on_them() {
    let mut pool = Pool::new();
    let program = program(&mut pool);
    let [h, u, force] = ["h", "u", "force"].map(|name| pool.symbol(name));
    let zero = pool.zero();
    let increment = pool.mul(h, u);
    let of = Role::Velocity;
    let entries = vec![
        entry(&mut pool, "force", Carried::Cached, force),
        entry(&mut pool, "h_u", Carried::Increment { of, index: 0 }, increment),
        entry(&mut pool, "e0", Carried::Error { lag: 0 }, zero),
    ];
    let x = pool.symbol("x");
    let start = vec![Statement::Let { symbol: force, value: pool.powi(x, 2) }];
    let mut step = StepProgram::new(&pool, program.clone(), false).carrying(program, start, entries);
    step.validate(&pool);
    assert_eq!(shown(&pool, step.rescale(&mut pool.clone())), "");
    for (name, rescale) in [("h_u", Rescale::Restart), ("e0", Rescale::Restart)] {
        let symbol = pool.symbol(name);
        let entry = step.entry_mut(symbol).expect("an entry");
        (entry.rescale, entry.unit) = (rescale, Some(Rational::from_integer(1.into())));
    }
    let text = shown(&pool, step.initial());
    let body = "let force = x^2\nreturn carried = [force, h*u, 0]";
    assert_eq!(text, format!("initial(parameters: [k], h, q: [x], v: [u], t)\n{body}"));
    let rescale = step.rescale(&mut pool);
    let arguments = "parameters: [k], h, q: [x], v: [u], carried: [old_force, old_h_u, old_e0], t";
    let body = "let force = x^2\nreturn carried = [old_force, h*u, 0]";
    assert_eq!(shown(&pool, rescale), format!("rescale({arguments})\n{body}"));
    // The increment alone is that of a velocity.
    let update = step.update_velocity(&mut pool);
    let arguments = "h, previous_v: [old_u], previous_carried: [old_force_2, old_h_u_2, old_e0_2], \
                     q: [x], v: [u], carried: [force, h_u, e0]";
    let body = "let rate = 1/h\nreturn v = [old_u + rate*(h_u - old_h_u_2)]";
    assert_eq!(shown(&pool, update), format!("update_velocity({arguments})\n{body}"));
    assert_eq!(step.entries()[1].doc(&pool, &step.program), "Velocity `u`, times `h`.");
}

/// A step that rotates sine and cosine of the angle `x` from those of `from`, by `by`; the entries are `from`, `by`, `s`
/// and `c`, with sines of the angle `of`.
fn rotating(known: [&str; 2], from: &str, by: Option<&str>, of: &str) -> (Pool, StepProgram) {
    let mut pool = Pool::new();
    let mut program = program(&mut pool);
    let zero = pool.zero();
    let rotation = by.map(|by| pool.symbol(by));
    let prediction = Prediction::Corrected(rotation.unwrap_or(zero));
    let [sin_x, cos_x, called, x, from] =
        ["sin_x", "cos_x", "called", "x", from].map(|name| pool.symbol(name));
    let known = known.map(|name| pool.symbol(name));
    let value = pool.call(crate::expr::Function::Sin, x);
    let turn = Turn { sines: [sin_x, cos_x], angle: x, from, prediction, known };
    program.body = vec![Statement::Let { symbol: called, value }, Statement::Turn(turn)];
    let of = Rotated { angle: pool.symbol(of), rotation };
    let entries = vec![
        entry(&mut pool, "from", Carried::Angle { rotation }, x),
        entry(&mut pool, "by", Carried::Rotation, zero),
        entry(&mut pool, "s", Carried::Sine(of), zero),
        entry(&mut pool, "c", Carried::Cosine(of), zero),
    ];
    let step = StepProgram::new(&pool, program.clone(), false).carrying(program, Vec::new(), entries);
    (pool, step)
}

#[test]
fn sines_of_the_state_are_recomputed() {
    let resynced = |from, by| {
        let (mut pool, step) = rotating(["s", "c"], from, by, from);
        step.validate(&pool);
        let resync = step.resync(&mut pool);
        shown(&pool, resync)
    };
    let arguments = "resync(q: [x], v: [u], carried: [from, by, s, c])";
    assert_eq!(
        resynced("from", Some("by")),
        format!(
            "{arguments}\nlet angle = by + from\nlet sin = sin(angle)\nlet cos = cos(angle)\n\
             return carried = [angle, 0, sin, cos]"
        )
    );
    assert_eq!(
        resynced("x", None),
        format!("{arguments}\nlet sin = sin(x)\nlet cos = cos(x)\nreturn carried = [from, 0, sin, cos]")
    );
    // Sines that the step itself computes are recomputed in every step.
    let (pool, step) = rotating(["called", "called"], "x", None, "x");
    step.validate(&pool);
}

#[test]
#[should_panic(expected = "the angle of s is not in the state")]
fn an_angle_that_is_not_in_the_state_is_a_bug() {
    let (pool, step) = rotating(["s", "c"], "called", None, "called");
    step.validate(&pool);
}

#[test]
#[should_panic(expected = "the angle of s is not in the state")]
fn a_rotation_that_is_not_in_the_state_is_a_bug() {
    let (pool, step) = rotating(["s", "c"], "from", Some("called"), "from");
    step.validate(&pool);
}

#[test]
#[should_panic(expected = "the sine and cosine that the angle x is rotated from cannot be recomputed")]
fn a_cosine_that_is_not_in_the_state_is_a_bug() {
    let (pool, step) = rotating(["s", "called"], "from", Some("by"), "from");
    step.validate(&pool);
}

#[test]
#[should_panic(expected = "the angle of s is not in the state")]
fn sines_of_another_angle_are_a_bug() {
    let (pool, step) = rotating(["s", "c"], "from", Some("by"), "x");
    step.validate(&pool);
}

#[test]
#[should_panic(expected = "entries of the carried state")]
fn entries_are_those_of_the_program() {
    let (pool, mut step) = rotating(["s", "c"], "from", Some("by"), "from");
    step.program.inputs.retain(|input| input.role != Role::Carried);
    step.validate(&pool);
}

/// What a step reads of the state, and states of the next one, is carried; a number of the state itself is not.
#[test]
fn components_are_carried() {
    let mut pool = Pool::new();
    let mut program = program(&mut pool);
    let [h, u, x, nu, square, next] = ["h", "u", "x", "nu", "square", "nu_1"].map(|name| pool.symbol(name));
    let (root, double, sum) = (pool.powi(x, 2), pool.mul(u, x), pool.add(nu, h));
    program.body = vec![
        Statement::Let { symbol: square, value: root },
        Statement::Pivot { pivot: square, diagonal: x, what: Singular::Mass },
        Statement::Let { symbol: nu, value: double },
        Statement::Let { symbol: next, value: sum },
    ];
    let output = |role: Role, values: Vec<Expr>| Output { role, values, scalar: false };
    program.outputs[1].values = vec![pool.mul(next, square)];
    program.outputs.push(output(Role::PreviousCarried, vec![nu, u]));
    program.outputs.push(output(Role::Carried, vec![next, u]));
    let step = StepProgram::new(&pool, program, false);
    step.validate(&pool);
    let [entry] = step.entries() else { panic!("{:?}", step.entries()) };
    assert_eq!((entry.symbol, &entry.role, entry.rescale), (nu, &Carried::Component, Rescale::Keep));
    assert_eq!(step.next(), [next]);
    // The pivot is tested where ν is read.
    let bound: Vec<Expr> = lets(&step.program.body).map(|(symbol, _)| symbol).collect();
    assert_eq!((bound, step.program.body.len()), (vec![square, next], 2));
    let initial = step.initial().expect("a start");
    initial.validate(&pool);
    assert_eq!((initial.body.len(), &initial.outputs[0].values), (3, &vec![nu]));
    assert!(step.rescale(&mut pool).is_none());
}
