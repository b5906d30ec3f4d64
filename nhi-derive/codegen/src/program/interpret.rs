//! Running programs without emitting them: the oracle of the passes, and a way to compare methods
//! with reference data before any Rust is generated.

use super::{Foreseen, Newton, Program, Singular, Statement, Turn, lets};
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

/// Differences from a predicted angle up to which its sines are corrected to first order, to second order, and by the
/// addition theorems; as in the runtime's `trigonometry`.
const TINY: f64 = 3.0e-9;
const CLOSE: f64 = 4.0e-6;
const SMALL: f64 = 3.0 / 16.0;

/// How far predicted sines may be from those of the predicted angle: the roundings of a few hundred steps.
const PREDICTION: f64 = 1e-12;

impl Program {
    /// The outputs for `inputs`, both in the order of the program's.
    ///
    /// # Panics
    /// If the shapes of `inputs` are not those of the program, or if the sines that a [`Turn`] starts from are not those
    /// of the angle that it says: a bug of a pass, not a failure of the step.
    pub fn run(&self, pool: &Pool, inputs: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Failure> {
        self.run_with(pool, inputs, &|_, _| f64::NAN)
    }

    /// As [`Program::run`], of a program with maps of groups.
    ///
    /// # Panics
    /// As [`Program::run`].
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
                Statement::Turn(turn) => values.turn(turn),
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

    /// Binds sine and cosine as the runtime computes them, after checking what they are computed from.
    fn turn(&mut self, turn: &Turn) {
        let Turn { sines, angle, from, foreseen, known } = *turn;
        let by = foreseen.by().map_or(0.0, |by| self.of(&[by])[0]);
        let values = self.of(&[angle, from, known[0], known[1]]);
        let (x, from, known) = (values[0], values[1], [values[2], values[3]]);
        // Without rounding the sum.
        self.check_prediction(turn, known, turned(sines_of(from), by), from);
        let off = (x - from) - by;
        let value = match foreseen {
            Foreseen::Known(_) => {
                self.check_prediction(turn, known, sines_of(x), x);
                known
            }
            Foreseen::Near(_) if off.abs() <= TINY => corrected(known, off, 0.0),
            Foreseen::Near(_) if off.abs() <= CLOSE => corrected(known, off, off / 2.0),
            _ if off.abs() <= SMALL => turned(known, off),
            _ => sines_of(x),
        };
        sines.into_iter().zip(value).for_each(|(symbol, value)| self.bind(symbol, value));
    }

    /// Panics if the `known` sines are not the `expected` ones of an angle of this `size`. What is not a number passes:
    /// the results are not finite then.
    fn check_prediction(&self, turn: &Turn, known: [f64; 2], expected: [f64; 2], size: f64) {
        let tolerance = PREDICTION * size.abs().max(1.0);
        for (known, expected) in known.into_iter().zip(expected) {
            let is_wrong = (known - expected).abs() > tolerance;
            let angle = self.pool.show(turn.angle);
            assert!(!is_wrong, "wrong prediction of the angle {angle}: {known} instead of {expected}");
        }
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

/// Sine and cosine.
fn sines_of(x: f64) -> [f64; 2] {
    x.sin_cos().into()
}

/// Sine and cosine of x + δ from those of x, by the addition theorems with 1 − cos δ.
fn turned([sin, cos]: [f64; 2], by: f64) -> [f64; 2] {
    let (sine, versine) = (by.sin(), 2.0 * (by / 2.0).sin().powi(2));
    [sin + (cos * sine - sin * versine), cos - (sin * sine + cos * versine)]
}

/// The same to first order in δ, or to second order with `half` of it.
fn corrected([sin, cos]: [f64; 2], by: f64, half: f64) -> [f64; 2] {
    [sin + (cos - sin * half) * by, cos - (sin + cos * half) * by]
}
