//! Everything that back ends print: the functions of one declaration after the passes, in lowered form.
//!
//! No function depends on another, and the passes are most of the derive's time: they run on all processors.

use crate::expr::{Expr, Node, Pool};
use crate::facts::SystemFacts;
use crate::forms::{curvature_program, derivative_programs};
use crate::functions::{FirstDerivatives, OfState, OfSystem};
use crate::lower::{Function, Operand, Statement, lower};
use crate::mechanics::Mechanics;
use crate::method::{
    BasisDerivativeProgram, BasisProgram, CurvatureProgram, DerivativePrograms, FormulaPrograms, Method,
    MethodPrograms, StartKind, StateKind, SystemPrograms, basis_derivative_program, basis_program,
    formula_programs,
};
use crate::optimise::{Cost, Decision, Options, optimise, optimise_often, optimise_step};
use crate::parallel::in_parallel;
use crate::program::{Constants, Prepared, Program, StepProgram, split};
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

/// Longest formula in the documentation of a prepared number that is written out in parameters.
const MAX_FORMULA: usize = 60;

/// Most statements of one declaration that are generated without a warning. A release build takes some minutes for as many.
pub const MOST_STATEMENTS: usize = 25_000;

/// The functions of one declaration, and what else back ends need to know of it.
#[derive(Clone, Debug)]
pub struct Optimised {
    /// Names and lengths.
    pub facts: SystemFacts,
    /// (parameters, q, t, inputs) → the basis of the admissible velocities, if derivatives of a method refer to it.
    pub basis: Option<Function>,
    /// (parameters, q, ν, t, inputs) → the derivatives of velocities by the configuration, if there is a basis and a back end
    /// without dual numbers, C, is compiled in.
    pub basis_derivative: Option<Function>,
    /// Those of the system.
    pub system: SystemFunctions,
    /// Those of each method, in the declared order.
    pub methods: Vec<MethodFunctions>,
}

/// The functions of a system.
pub type SystemFunctions = OfSystem<Function>;

/// The functions of one method.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MethodFunctions {
    /// The method.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::by_name"))]
    pub method: Method,
    /// The fields of its state, beside what is carried.
    pub state: StateKind,
    /// Whether its step depends on the retraction.
    pub is_retracted: bool,
    /// (parameters, h) → the prepared numbers, one scalar output each.
    pub prepare: Function,
    /// The prepared numbers, in the order of the step's argument.
    pub prepared: Vec<Number>,
    /// The carried numbers, in the order of the step's argument.
    pub carried: Vec<Number>,
    /// (parameters, h, q, v, t, inputs) → a state without what is carried.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::starts"))]
    pub starts: Vec<(StartKind, Function)>,
    /// (parameters, h, state without what is carried, t) → what is carried; none if nothing is.
    pub initial: Option<Function>,
    /// (parameters, h, state, t) → what is carried for steps of size h; none if that is the same.
    pub rescale: Option<Function>,
    /// (state) → what is carried, with sines and cosines recomputed; none without a trigonometric recurrence.
    pub resync: Option<Function>,
    /// (h, velocity and carried numbers before a step, state after it) → velocity; none without increments.
    pub update_velocity: Option<Function>,
    /// (prepared, state, t, inputs) → state.
    pub step: Function,
    /// Numbers of the state, in order, that no value of the step depends on.
    pub unread: Vec<usize>,
    /// Its cost.
    pub cost: Cost,
    /// What the passes over the step did, for readers. It is not stored.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub decisions: Vec<Decision>,
    /// Its first and second derivatives, if they are asked for.
    pub derivatives: Option<(FirstDerivatives<Function>, Function)>,
}

/// The first derivatives of a method's step, if they are known.
pub fn derivative_functions(x: &Mechanics, method: Method) -> Option<FirstDerivatives<Function>> {
    let DerivativePrograms { pool, programs } = derivative_programs(x, method)?;
    Some(programs.map(|program| of_derivative(&pool, &program)))
}

/// The second derivatives of a method's step, where there are first ones.
pub fn curvature_function(x: &Mechanics, method: Method) -> Option<Function> {
    let CurvatureProgram { pool, curvature } = curvature_program(x, method)?;
    Some(of_derivative(&pool, &curvature))
}

/// (parameters, q, t, inputs) → the basis of the admissible velocities.
pub fn basis_function(x: &Mechanics) -> Function {
    let BasisProgram { pool, basis } = basis_program(x);
    of_program(&pool, &basis)
}

/// (parameters, q, ν, t, inputs) → the derivatives of velocities by the configuration.
pub fn basis_derivative_function(x: &Mechanics) -> Function {
    let BasisDerivativeProgram { pool, derivative } = basis_derivative_program(x);
    of_derivative(&pool, &derivative)
}

/// Functions of a state, expressions of a pool whose symbols have the names of those of the system.
pub fn formula_functions(x: &Mechanics, from: &Pool, values: &[Expr]) -> OfState<Function> {
    let FormulaPrograms { pool, programs } = formula_programs(x, from, values);
    programs.map(|program| of_derivative(&pool, &program))
}

/// The step and the different starts of a method without any passes.
pub fn unoptimised_functions(method: &MethodPrograms) -> Vec<Function> {
    let programs = std::iter::once(&method.step).chain(method.distinct_starts());
    let lowered = programs.map(|program| {
        let (mut pool, program) = program.isolated(&method.pool);
        lower(&mut pool, &mut Constants::default(), &program)
    });
    lowered.collect()
}

/// A number that is kept, with its documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Number {
    /// Its name, that of a symbol, such as `h_dot(x)`.
    pub name: String,
    /// What it is.
    pub doc: String,
}

impl Optimised {
    /// The functions of `system` and of `methods`, the programs of a system with these `mechanics`.
    pub fn of(mechanics: &Mechanics, system: &SystemPrograms, methods: &[MethodPrograms]) -> Optimised {
        let pool = &mechanics.system.pool;
        let is_differentiated = methods.iter().any(|method| method.derivatives.is_some());
        let basis = is_differentiated.then(|| Task::new("basis", move || basis_function(mechanics)));
        let basis_derivative = (is_differentiated && cfg!(feature = "c"))
            .then(|| Task::new("basis_derivative", move || basis_derivative_function(mechanics)));
        let system = system.as_ref().map(|program| Task::of_program(pool, program));
        let methods: Vec<MethodTasks<'_>> =
            methods.iter().map(|method| MethodTasks::of(method, Options::default())).collect();
        // Steps take longest and come first.
        let mut work: Vec<&dyn Work> = methods.iter().map(|method| &method.step as &dyn Work).collect();
        methods.iter().for_each(|method| work.extend(method.others()));
        work.extend(system.iter().map(|(_, task)| task).chain(&basis).map(|task| task as &dyn Work));
        work.extend(basis_derivative.iter().map(|task| task as &dyn Work));
        in_parallel(&work, |work| work.name(), |work| work.finish());
        Optimised {
            facts: SystemFacts::of(mechanics),
            basis: basis.map(Task::result),
            basis_derivative: basis_derivative.map(Task::result),
            system: system.map(Task::result),
            methods: methods.into_iter().map(MethodTasks::result).collect(),
        }
    }

    /// All functions, those of the system first.
    pub fn all(&self) -> impl Iterator<Item = &Function> {
        let of_system = self.system.iter().map(|(_, function)| function);
        of_system.chain(&self.basis).chain(self.methods.iter().flat_map(MethodFunctions::all))
    }

    /// How many statements there are in all functions: their size, as a compiler sees it.
    pub fn statements(&self) -> usize {
        let mut count = 0;
        self.all().for_each(|function| function.for_each_statement(&mut |_| count += 1));
        count
    }

    /// What to do about more than [`MOST_STATEMENTS`], if there are; at run time they are compiled in seconds, but it takes
    /// long to derive them.
    pub fn warning(&self, at_run_time: bool) -> Option<String> {
        warning(self.statements(), self.methods.len(), at_run_time)
    }

    /// Whether all constants of the functions are finite.
    pub fn has_finite_constants(&self) -> bool {
        let finite = |operand: &Operand| !matches!(operand, Operand::Constant(c) if !c.is_finite());
        self.all().all(|function| {
            let mut all_finite = true;
            function
                .for_each_statement(&mut |statement| all_finite &= statement.operands().iter().all(finite));
            all_finite
        })
    }
}

/// What to do about so many statements of so many methods.
fn warning(statements: usize, methods: usize, at_run_time: bool) -> Option<String> {
    if statements <= MOST_STATEMENTS {
        return None;
    }
    let mut advice = Vec::new();
    if methods > 1 {
        advice.push("declare fewer methods");
    }
    advice.push("choose coordinates in which mass matrix and constraints have more zeros");
    if !at_run_time {
        advice.push("compile the declaration at run time, with `nhi run` or `nhi-jit`");
    }
    Some(format!(
        "{statements} statements are generated, more than {MOST_STATEMENTS}, which takes long: {}",
        advice.join(", or ")
    ))
}

impl MethodFunctions {
    /// Id in the literature tables and reference data, such as `dla2`.
    pub fn id(&self) -> &'static str {
        self.method.facts().id
    }

    /// The functions of one method.
    pub fn of(method: &MethodPrograms, options: Options) -> MethodFunctions {
        MethodTasks::of(method, options).result()
    }

    /// All functions.
    pub fn all(&self) -> impl Iterator<Item = &Function> {
        let MethodFunctions { prepare, starts, initial, rescale, resync, update_velocity, step, .. } = self;
        let others = [initial, rescale, resync, update_velocity].into_iter().flatten();
        let starts = starts.iter().map(|(_, start)| start);
        let derivatives = self.all_derivatives().map(|(_, function)| function);
        [prepare].into_iter().chain(starts).chain(others).chain([step]).chain(derivatives)
    }

    /// The derivatives, if they are asked for, with their names.
    pub fn all_derivatives(&self) -> impl Iterator<Item = (&'static str, &Function)> {
        let all = self.derivatives.iter();
        all.flat_map(|(first, curvature)| first.iter().chain([("curvature", curvature)]))
    }

    /// Whether a step solves equations by Newton's method.
    pub fn iterates(&self) -> bool {
        self.step.body.iter().any(|statement| matches!(statement, Statement::Newton(_)))
    }

    /// Whether Newton's method has updates of third order in it.
    pub fn has_derivatives(&self) -> bool {
        let has = |s: &Statement| matches!(s, Statement::Newton(newton) if newton.derivatives.is_some());
        self.step.body.iter().any(has)
    }
}

/// Every function with its operations.
impl fmt::Display for Optimised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let function = |f: &mut fmt::Formatter<'_>, function: &Function| {
            writeln!(f, "# {}\n{function}", function.operations)
        };
        self.system.iter().try_for_each(|(_, of_system)| function(f, of_system))?;
        for method in &self.methods {
            writeln!(f, "## {}\n", method.id())?;
            for Number { name, doc } in &method.carried {
                writeln!(f, "# {name}: {doc}")?;
            }
            method.all().try_for_each(|of_method| function(f, of_method))?;
        }
        Ok(())
    }
}

/// Work that can be done on any thread.
trait Work: Sync {
    fn name(&self) -> &str;
    fn finish(&self);
}

/// A result that is computed once, by the one who needs it first.
struct Task<'a, T> {
    name: &'a str,
    compute: Box<dyn Fn() -> T + Sync + 'a>,
    done: OnceLock<T>,
}

impl<'a, T> Task<'a, T> {
    fn new(name: &'a str, compute: impl Fn() -> T + Sync + 'a) -> Self {
        Task { name, compute: Box::new(compute), done: OnceLock::new() }
    }

    fn result(self) -> T {
        self.done.into_inner().unwrap_or_else(|| (self.compute)())
    }
}

impl<'a> Task<'a, Function> {
    fn of_program(pool: &'a Pool, program: &'a Program) -> Self {
        Task::new(&program.name, move || of_program(pool, program))
    }

    fn of_derivative(pool: &'a Pool, program: &'a Program) -> Self {
        Task::new(&program.name, move || of_derivative(pool, program))
    }
}

impl<T: Send + Sync> Work for Task<'_, T> {
    fn name(&self) -> &str {
        self.name
    }

    fn finish(&self) {
        self.done.get_or_init(|| (self.compute)());
    }
}

/// The functions of a method.
struct MethodTasks<'a> {
    /// Those of the step.
    step: Task<'a, MethodFunctions>,
    starts: Vec<(StartKind, Task<'a, Function>)>,
    derivatives: Option<(FirstDerivatives<Task<'a, Function>>, Task<'a, Function>)>,
}

impl<'a> MethodTasks<'a> {
    fn of(method: &'a MethodPrograms, options: Options) -> MethodTasks<'a> {
        let starts = method.starts.iter();
        let derivatives = method.derivatives.as_ref().map(|(first, second)| {
            let first = first.programs.as_ref().map(|program| Task::of_derivative(&first.pool, program));
            (first, Task::of_derivative(&second.pool, &second.curvature))
        });
        MethodTasks {
            step: Task::new(method.id(), move || step_functions(method, options)),
            starts: starts.map(|(kind, start)| (*kind, Task::of_program(&method.pool, start))).collect(),
            derivatives,
        }
    }

    /// All but those of the step.
    fn others(&self) -> impl Iterator<Item = &dyn Work> {
        let starts = self.starts.iter().map(|(_, start)| start);
        let derivatives = self.derivatives.iter();
        let derivatives =
            derivatives.flat_map(|(first, second)| first.iter().map(|(_, task)| task).chain([second]));
        starts.chain(derivatives).map(|task| task as &dyn Work)
    }

    fn result(self) -> MethodFunctions {
        let starts = self.starts.into_iter().map(|(kind, start)| (kind, start.result()));
        let derivatives = self.derivatives.map(|(first, second)| (first.map(Task::result), second.result()));
        MethodFunctions { starts: starts.collect(), derivatives, ..self.step.result() }
    }
}

/// A program of `pool` after the passes, in lowered form.
fn of_program(pool: &Pool, program: &Program) -> Function {
    let (mut pool, program) = program.isolated(pool);
    let constants = &mut Constants::default();
    let program = optimise(&mut pool, constants, &program);
    lowered(&mut pool, constants, &program)
}

/// The same for a program of derivatives: a planner runs it as often as steps.
fn of_derivative(pool: &Pool, program: &Program) -> Function {
    let (mut pool, program) = program.isolated(pool);
    let constants = &mut Constants::default();
    let program = optimise_often(&mut pool, constants, &program);
    // Functions with factors are long, and so is the time to load their code: that of ChaoticR7 with `rk4` takes a quarter less time in
    // this order. Others, which processors execute from their first cache, take up to a fifth more.
    let is_factored = !program.products().is_empty();
    let program = if is_factored { program.in_order_of_demand(&pool) } else { program };
    lowered(&mut pool, constants, &program)
}

fn lowered(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Function {
    program.validate(pool);
    lower(pool, constants, program)
}

/// The functions of a method but for its starts.
fn step_functions(method: &MethodPrograms, options: Options) -> MethodFunctions {
    let (mut pool, step) = method.step_with_components().isolated(&method.pool);
    let is_retracted = is_retracted(&pool, &step);
    let (pool, constants) = (&mut pool, &mut Constants::default());
    let step = StepProgram::new(pool, step, method.state.belongs_to_step_size());
    let (step, decisions) = optimise_step(pool, constants, step, options);
    step.validate(pool);
    let cost = Cost::of(pool, constants, &step.program);
    let unread = step.unread(pool);
    let carried = step.entries().iter().map(|entry| Number {
        name: pool.show(entry.symbol).to_string(),
        doc: entry.doc(pool, &step.program),
    });
    let carried = carried.collect();
    let Prepared { prepare, step: rest } = split(pool, &step.program);
    let (initial, rescale, resync) = (step.initial(), step.rescale(pool), step.resync(pool));
    let update_velocity = step.update_velocity(pool);
    let prepared = prepared(pool, &prepare);
    let [prepare, rest] = [prepare, rest].map(|program| lowered(pool, constants, &program));
    let [resync, update_velocity] =
        [resync, update_velocity].map(|program| program.map(|program| lowered(pool, constants, &program)));
    let [initial, rescale] = [initial, rescale].map(|program| {
        let program = optimise(pool, constants, &program?);
        Some(lowered(pool, constants, &program))
    });
    MethodFunctions {
        method: method.method,
        state: method.state,
        is_retracted,
        prepare,
        prepared,
        carried,
        starts: Vec::new(),
        initial,
        rescale,
        resync,
        update_velocity,
        step: rest,
        unread,
        cost,
        decisions,
        derivatives: None,
    }
}

/// Whether a program makes use of a retraction.
fn is_retracted(pool: &Pool, program: &Program) -> bool {
    let is = |e: &Expr| matches!(pool.node(*e), Node::Map(entry, _) if entry.map.is_of_retraction());
    pool.reachable(&program.values()).iter().any(is)
}

/// The prepared numbers, as formulas of the parameters and the step size.
fn prepared(pool: &mut Pool, prepare: &Program) -> Vec<Number> {
    let lets: HashMap<Expr, Expr> = prepare.lets().into_iter().collect();
    let mut written_out: HashMap<Expr, Expr> = HashMap::new();
    for (symbol, value) in prepare.lets() {
        let full = pool.substitute(&[value], &written_out)[0];
        // A long formula is read part by part.
        if pool.show(full).to_string().len() <= MAX_FORMULA {
            written_out.insert(symbol, full);
        }
    }
    let kept = prepare.outputs.iter().flat_map(|output| output.values.iter().copied());
    let number = |symbol: Expr| {
        let formula = written_out.get(&symbol).or_else(|| lets.get(&symbol)).copied().unwrap_or(symbol);
        Number { name: pool.show(symbol).to_string(), doc: format!("`{}`", pool.show(formula)) }
    };
    kept.map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::{MOST_STATEMENTS, warning};

    #[test]
    fn a_warning_says_how_many_statements_there_are_and_what_to_do() {
        assert_eq!(warning(MOST_STATEMENTS, 2, false), None);
        let text =
            |methods, at_run_time| warning(MOST_STATEMENTS + 1, methods, at_run_time).expect("a warning");
        let all = text(2, false);
        assert!(all.starts_with("25001 statements") && all.ends_with("`nhi-jit`"), "{all}");
        assert!(all.contains("fewer methods") && !text(1, false).contains("fewer methods"), "{all}");
        assert!(!text(1, true).contains("at run time"));
    }
}
