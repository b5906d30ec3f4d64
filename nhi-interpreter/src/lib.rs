//! Runs functions in lowered form without compiling them.
//!
//! A [`lower::Function`](nhi_codegen::lower::Function) fixes the order and association of all operations. Elementary
//! functions, rotations of sines and cosines, Newton's method, the test of pivots and the maps of groups are those of
//! `nhi-runtime`. So results are, bit for bit, those of the compiled function.

#![forbid(unsafe_code)]

mod maps;
mod newton;
mod simulation;
mod strict;
pub mod trace;

pub use maps::map;
pub use simulation::Simulation;

use nhi_codegen::expr::{Function as Elementary, OperationCount, Pool, Saddle};
use nhi_codegen::lower::{Function, Operand, Operation, SinCos, Statement, Value, lower};
use nhi_codegen::program::{Constants, Program, Role, Singular, complete};
use nhi_methods::Retraction;
use nhi_runtime::{Failure, Scalar, emitted};

/// What functions are run with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The retraction of steps on groups.
    pub retraction: Retraction,
    /// Panics where sines and cosines from a predicted or a nearby angle are off by more than 10⁻¹², relative to an
    /// angle above one: for tests of the generator.
    pub strict: bool,
}

/// The outputs of `function` for `arguments`, both in its order.
///
/// # Errors
/// As the compiled function: a pivot that is not positive, Newton's method without convergence, and an output that is
/// not finite; of the carried state, which the next step checks, every number is accepted.
///
/// # Panics
/// If the lengths of `arguments` are not those of the function.
pub fn run(function: &Function, arguments: &[Vec<f64>], options: Options) -> Result<Vec<Vec<f64>>, Failure> {
    counted(function, arguments, options).map(|(outputs, _)| outputs)
}

/// What `function` prepares for steps. A number that is not finite, as of 1/m for m = 0, is left to the steps, which may not read it.
///
/// # Errors
/// As [`run`], but for numbers that are not finite.
pub fn prepared(
    function: &Function,
    arguments: &[Vec<f64>],
    options: Options,
) -> Result<Vec<Vec<f64>>, Failure> {
    evaluated(function, arguments, options).map(|(outputs, _)| outputs)
}

/// As [`run`], with the [weight](nhi_codegen::expr::OperationCount::weight) of the operations that were executed;
/// a change of sign counts 1.
pub(crate) fn counted(
    function: &Function,
    arguments: &[Vec<f64>],
    options: Options,
) -> Result<(Vec<Vec<f64>>, usize), Failure> {
    let (outputs, executed) = evaluated(function, arguments, options)?;
    let checked = function.whole().zip(&outputs).filter(|(output, _)| output.role != Role::Carried);
    let finite = checked.flat_map(|(_, numbers)| numbers).all(|x| x.is_finite());
    if finite { Ok((outputs, executed)) } else { Err(Failure::NonFinite) }
}

/// The same without a test of the results.
fn evaluated(
    function: &Function,
    arguments: &[Vec<f64>],
    options: Options,
) -> Result<(Vec<Vec<f64>>, usize), Failure> {
    assert_eq!(arguments.len(), function.arguments.len(), "{}: number of arguments", function.name);
    let mut frame = Frame {
        at: vec![f64::NAN; function.names.len()],
        options,
        executed: OperationCount::default(),
        negations: 0,
    };
    for (argument, numbers) in function.arguments.iter().zip(arguments) {
        let name = argument.role.name();
        assert_eq!(argument.values.len(), numbers.len(), "{}: length of {name}", function.name);
        argument.values.iter().zip(numbers).for_each(|(&value, &x)| frame.set(value, x));
    }
    frame.statements(&function.body)?;
    let mut all: Vec<f64> = function.outputs.iter().flat_map(|output| frame.all(&output.values)).collect();
    let lengths: Vec<usize> = function.outputs.iter().map(|output| output.values.len()).collect();
    complete(&function.products(), &lengths, &mut all);
    let results = function.whole().map(|result| all.drain(..result.values.len()).collect());
    Ok((results.collect(), frame.executed.weight() + frame.negations))
}

/// As [`run`], of a program that is lowered first.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// As [`run`].
pub fn run_program(
    pool: &Pool,
    program: &Program,
    arguments: &[Vec<f64>],
    options: Options,
) -> Result<Vec<Vec<f64>>, Failure> {
    let (mut pool, program) = program.isolated(pool);
    run(&lower(&mut pool, &mut Constants::default(), &program), arguments, options)
}

/// The values of one call.
#[derive(Clone, Debug)]
struct Frame {
    at: Vec<f64>,
    options: Options,
    executed: OperationCount,
    negations: usize,
}

impl Frame {
    fn set(&mut self, value: Value, x: f64) {
        self.at[value.index()] = x;
    }

    fn get(&self, operand: Operand) -> f64 {
        match operand {
            Operand::Value(value) => self.at[value.index()],
            Operand::Constant(c) => c,
        }
    }

    fn all(&self, operands: &[Operand]) -> Vec<f64> {
        operands.iter().map(|&operand| self.get(operand)).collect()
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), Failure> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Failure> {
        match statement {
            Statement::Equation(_) => {}
            Statement::Let { to, operation } => {
                self.count(operation);
                let x = self.operation(operation);
                self.set(*to, x);
            }
            Statement::SinCos { to, angle, by } => {
                if let Some(name) = by.name() {
                    *self.executed.calls.entry(name).or_default() += 1;
                }
                let (sin, cos) = self.sin_cos(*angle, by);
                let both = to.iter().zip([sin, cos]);
                both.for_each(|(to, x)| to.iter().for_each(|&to| self.set(to, x)));
            }
            Statement::Map { to, map, group, arguments } => {
                *self.executed.maps.entry((group, *map)).or_default() += 1;
                let arguments: Vec<Vec<f64>> = arguments.iter().map(|a| self.all(a)).collect();
                let numbers = maps::map(*map, group, self.options.retraction, &arguments);
                to.iter().zip(numbers).for_each(|(to, x)| to.iter().for_each(|&to| self.set(to, x)));
            }
            Statement::Saddle { to, saddle, known, pivots, body, equations } => {
                let is_large = |pair: &[Operand; 2]| {
                    let [pivot, diagonal] = pair.map(|x| self.get(x));
                    pivot > emitted::REGULAR * diagonal
                };
                if pivots.iter().all(is_large) {
                    let known = self.all(known);
                    to.iter().zip(known).for_each(|(&(_, to), x)| self.set(to, x));
                } else {
                    self.statements(body)?;
                    let solution = solution(*saddle, &self.all(equations))?;
                    to.iter().for_each(|&(place, to)| self.set(to, solution[place]));
                }
            }
            Statement::Pivot { pivot, diagonal, what } => {
                let singular = match what {
                    Singular::Mass => Failure::SingularMass,
                    Singular::Constraints => Failure::SingularConstraints,
                };
                emitted::pivot(self.get(*pivot), self.get(*diagonal), singular)?;
            }
            Statement::Newton(newton) => self.solve(newton)?,
        }
        Ok(())
    }

    fn count(&mut self, operation: &Operation) {
        let call = match operation {
            Operation::Copy(_) => return,
            Operation::Neg(_) => {
                self.negations += 1;
                return;
            }
            Operation::Add(..) | Operation::Sub(..) => {
                self.executed.adds += 1;
                return;
            }
            Operation::Mul(..) => {
                self.executed.muls += 1;
                return;
            }
            Operation::Div(..) => {
                self.executed.divs += 1;
                return;
            }
            Operation::Sqrt(_) => "sqrt",
            Operation::Call(function, _) => function.name(),
            Operation::Atan2(..) => "atan2",
            Operation::Powf(..) => "powf",
            Operation::Select(..) => "select",
        };
        *self.executed.calls.entry(call).or_default() += 1;
    }

    fn operation(&self, operation: &Operation) -> f64 {
        match *operation {
            Operation::Copy(x) => self.get(x),
            Operation::Neg(x) => -self.get(x),
            Operation::Add(x, y) => self.get(x) + self.get(y),
            Operation::Sub(x, y) => self.get(x) - self.get(y),
            Operation::Mul(x, y) => self.get(x) * self.get(y),
            Operation::Div(x, y) => self.get(x) / self.get(y),
            Operation::Sqrt(x) => Scalar::sqrt(self.get(x)),
            Operation::Call(f, x) => call(f, self.get(x)),
            Operation::Atan2(y, x) => Scalar::atan2(self.get(y), self.get(x)),
            Operation::Powf(x, y) => Scalar::powf(self.get(x), self.get(y)),
            Operation::Select(c, x, y) => Scalar::select(self.get(c), self.get(x), self.get(y)),
        }
    }

    fn sin_cos(&self, angle: Operand, by: &SinCos) -> (f64, f64) {
        let x = self.get(angle);
        let pair = |sines: &[Operand; 2]| (self.get(sines[0]), self.get(sines[1]));
        match by {
            SinCos::Any => Scalar::sin_cos(x),
            SinCos::Small => emitted::small_sin_cos(x),
            SinCos::Rotated { from, sines } => {
                let (from, sines) = (self.get(*from), pair(sines));
                self.check(from, sines);
                emitted::rotated_sin_cos(x, from, sines)
            }
            SinCos::Corrected { from, by, sines } => {
                let (from, by, sines) = (self.get(*from), self.get(*by), pair(sines));
                self.check(from + by, sines);
                emitted::corrected_sin_cos(x, from, by, sines)
            }
            SinCos::Exact { sines } => {
                let sines = pair(sines);
                self.check(x, sines);
                sines
            }
        }
    }
}

/// x and λ of linear equations with these numbers.
fn solution(saddle: Saddle, numbers: &[f64]) -> Result<Vec<f64>, Failure> {
    let [mut mass, mut mu, mut rhs] = saddle.equations().map(|part| numbers[part].to_vec());
    let mut equations = emitted::Saddle {
        n: saddle.velocities,
        sizes: &mut vec![0.0; mu.len()],
        scales: &mut vec![0.0; 2 * saddle.velocities],
        order: &mut vec![0; 2 * rhs.len()],
        mass: &mut mass,
        mu: &mut mu,
        rhs: &mut rhs,
    };
    equations.solve()?;
    Ok(rhs)
}

fn call(f: Elementary, x: f64) -> f64 {
    match f {
        Elementary::Sin => Scalar::sin(x),
        Elementary::Cos => Scalar::cos(x),
        Elementary::Tan => Scalar::tan(x),
        Elementary::Asin => Scalar::asin(x),
        Elementary::Acos => Scalar::acos(x),
        Elementary::Atan => Scalar::atan(x),
        Elementary::Sinh => Scalar::sinh(x),
        Elementary::Cosh => Scalar::cosh(x),
        Elementary::Tanh => Scalar::tanh(x),
        Elementary::Exp => Scalar::exp(x),
        Elementary::Ln => Scalar::ln(x),
        Elementary::SmallSin => emitted::small_sin_cos(x).0,
        Elementary::SmallCos => emitted::small_sin_cos(x).1,
    }
}
