//! Running programs without emitting them: the oracle of the passes, and a way to compare methods
//! with reference data before any Rust is generated.

use super::{Newton, Program, Singular, Statement, Turn, lets};
use crate::expr::{Expr, Maps, Pool, Symbol};
use std::collections::HashMap;
use std::fmt;

/// Why a program has no result for some inputs; mirrors the runtime's `Failure`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Newton's method did not converge.
    NotConverged,
    /// A pivot is not positive.
    Singular(Singular),
    /// A result is infinite or not a number.
    NonFinite,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::NotConverged => "Newton's method did not converge",
            Failure::Singular(Singular::Mass) => "the mass matrix is not positive definite",
            Failure::Singular(Singular::Constraints) => "the constraints are dependent",
            Failure::NonFinite => "a result is not finite",
        })
    }
}

impl std::error::Error for Failure {}

/// Newton iterations after which a program gives up.
const MAX_ITERATIONS: usize = 50;

/// Updates below this are rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Updates below this that no longer shrink are rounding.
const NOISE: f64 = 65536.0 * f64::EPSILON;

impl Program {
    /// The outputs for `inputs`, both in the order of the program's.
    ///
    /// # Panics
    /// If the shapes of `inputs` are not those of the program.
    pub fn run(&self, pool: &Pool, inputs: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Failure> {
        self.run_with(pool, inputs, &|_, _| f64::NAN)
    }

    /// As [`Program::run`], of a program with maps of groups.
    ///
    /// # Panics
    /// If the shapes of `inputs` are not those of the program.
    pub fn run_with(
        &self,
        pool: &Pool,
        inputs: &[Vec<f64>],
        maps: Maps<'_>,
    ) -> Result<Vec<Vec<f64>>, Failure> {
        assert_eq!(inputs.len(), self.inputs.len(), "{}: number of inputs", self.name);
        let mut values = Values { pool, at: HashMap::new(), maps };
        for (input, given) in self.inputs.iter().zip(inputs) {
            assert_eq!(input.symbols.len(), given.len(), "{}: length of {}", self.name, input.role.name());
            for (&symbol, &value) in input.symbols.iter().zip(given) {
                values.bind(symbol, value);
            }
        }
        for statement in &self.body {
            match statement {
                Statement::Equation(_) => {}
                Statement::Let { symbol, value } => values.bind_to(*symbol, *value),
                Statement::Pivot { pivot, diagonal, what } => {
                    let at = values.of(&[*pivot, *diagonal]);
                    // Written so that NaN fails.
                    let regular = at[0] > f64::EPSILON * at[1];
                    if !regular {
                        return Err(Failure::Singular(*what));
                    }
                }
                Statement::Newton(newton) => values.solve(newton)?,
                &Statement::Turn(Turn { sines, angle, .. }) => {
                    let (sin, cos) = values.of(&[angle])[0].sin_cos();
                    sines.into_iter().zip([sin, cos]).for_each(|(symbol, value)| values.bind(symbol, value));
                }
            }
        }
        let results: Vec<Vec<f64>> = self.outputs.iter().map(|o| values.of(&o.values)).collect();
        let finite = results.iter().flatten().all(|x| x.is_finite());
        if finite { Ok(results) } else { Err(Failure::NonFinite) }
    }
}

struct Values<'a> {
    pool: &'a Pool,
    at: HashMap<Symbol, f64>,
    maps: Maps<'a>,
}

impl Values<'_> {
    fn of(&self, exprs: &[Expr]) -> Vec<f64> {
        self.pool.evaluate_with(exprs, &self.at, self.maps)
    }

    fn bind(&mut self, symbol: Expr, value: f64) {
        let symbol = self.pool.as_symbol(symbol).expect("only symbols are bound");
        self.at.insert(symbol, value);
    }

    fn bind_to(&mut self, symbol: Expr, value: Expr) {
        let value = self.of(&[value])[0];
        self.bind(symbol, value);
    }

    fn solve(&mut self, newton: &Newton) -> Result<(), Failure> {
        let [guess, otherwise] = [&newton.guess, &newton.otherwise].map(|list| self.of(list));
        let solved = self.solve_from(guess, newton);
        if otherwise.is_empty() { solved } else { solved.or_else(|_| self.solve_from(otherwise, newton)) }
    }

    fn solve_from(&mut self, mut unknowns: Vec<f64>, newton: &Newton) -> Result<(), Failure> {
        let weights = self.of(&newton.weights);
        let beside = self.of(&[newton.beside])[0];
        let norm = |x: &[f64]| -> f64 { x.iter().zip(&weights).map(|(x, w)| w * x * x).sum() };
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            for (&symbol, &u) in newton.unknowns.iter().zip(&unknowns) {
                self.bind(symbol, u);
            }
            lets(&newton.body).for_each(|(symbol, value)| self.bind_to(symbol, value));
            let delta = self.of(&newton.delta);
            for (u, d) in unknowns.iter_mut().zip(&delta) {
                *u += d;
            }
            let (update, size) = (norm(&delta), beside + norm(&unknowns));
            if !(update.is_finite() && size.is_finite()) {
                return Err(Failure::NonFinite);
            }
            let stagnant = update >= last && update <= NOISE.powi(2) * size;
            if stagnant || update <= ROUNDING.powi(2) * size {
                for (&symbol, &u) in newton.unknowns.iter().zip(&unknowns) {
                    self.bind(symbol, u);
                }
                return Ok(());
            }
            last = update;
        }
        Err(Failure::NotConverged)
    }
}
