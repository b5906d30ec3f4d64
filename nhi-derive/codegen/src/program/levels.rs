//! Binding times: when values can be computed.

use super::{Binding, Program, Statement};
use crate::expr::Table;
use crate::expr::{Expr, Pool};

/// Binding time of a value: with parameters and step size, if not at compile time, and then in each block of straight-line
/// code and each Newton loop in turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Level(u32);

impl Level {
    pub(crate) const PREPARED: Level = Level(0);

    /// Straight-line code after that many loops.
    fn straight(loops: usize) -> Level {
        Level(1 + 2 * loops as u32)
    }

    /// Inside of that loop.
    pub(crate) fn inside(number: usize) -> Level {
        Level(2 + 2 * number as u32)
    }

    /// How often it is computed.
    pub(crate) fn stage(self) -> Stage {
        match self.0 {
            0 => Stage::Prepared,
            n if n.is_multiple_of(2) => Stage::Iterated,
            _ => Stage::Once,
        }
    }
}

/// How often a value is computed; later is more often.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Stage {
    /// Once per simulation.
    Prepared,
    /// Once per step.
    Once,
    /// Once per Newton iteration.
    Iterated,
}

/// Levels of expressions, memoised.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    known: Table<Level>,
    /// For a traversal.
    stack: Vec<Expr>,
}

impl Levels {
    /// Level of every symbol of a program, given the values of all `lets`. Inside of its Newton loops the unknowns have the
    /// symbols of `iterates`.
    pub(crate) fn of(pool: &Pool, program: &Program, iterates: &[Vec<Expr>], lets: &Table<Expr>) -> Levels {
        let mut levels = Levels { known: Table::new(), stack: Vec::new() };
        for input in &program.inputs {
            let level = if input.binding == Binding::Step { Level::straight(0) } else { Level::PREPARED };
            levels.known.extend(input.symbols.iter().map(|&s| (s, level)));
        }
        let mut loops = 0;
        for statement in &program.body {
            match statement {
                Statement::Newton(newton) => {
                    levels.known.extend(iterates[loops].iter().map(|&s| (s, Level::inside(loops))));
                    loops += 1;
                    levels.known.extend(newton.unknowns.iter().map(|&s| (s, Level::straight(loops))));
                }
                Statement::Turn(turn) => {
                    levels.known.extend(turn.sines.map(|s| (s, Level::straight(loops))));
                }
                _ => {}
            }
        }
        for symbol in lets.keys() {
            levels.walk(pool, symbol, lets);
        }
        levels
    }

    /// Level of an expression whose symbols are known.
    pub(crate) fn level(&mut self, pool: &Pool, e: Expr) -> Level {
        self.walk(pool, e, &Table::new())
    }

    /// Stage of an expression whose symbols are known.
    pub(crate) fn stage(&mut self, pool: &Pool, e: Expr) -> Stage {
        self.level(pool, e).stage()
    }

    /// Adds a symbol.
    pub(crate) fn insert(&mut self, symbol: Expr, level: Level) {
        self.known.insert(symbol, level);
    }

    fn walk(&mut self, pool: &Pool, e: Expr, values: &Table<Expr>) -> Level {
        if let Some(&known) = self.known.get(e) {
            return known;
        }
        // Most of the optimiser's time is spent here: without lists of operands, and with one stack.
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(e);
        while let Some(&top) = stack.last() {
            if self.known.contains(top) {
                stack.pop();
                continue;
            }
            let (count, mut level) = (stack.len(), Level::PREPARED);
            let mut operand = |c: Expr| match self.known.get(c) {
                Some(&known) => level = level.max(known),
                None => stack.push(c),
            };
            match values.get(top) {
                Some(&value) => operand(value),
                None => pool.for_each_child(top, operand),
            }
            if stack.len() == count {
                debug_assert!(
                    values.contains(top) || pool.as_symbol(top).is_none(),
                    "{} is bound nowhere",
                    pool.show(top)
                );
                self.known.insert(top, level);
                stack.pop();
            }
        }
        self.stack = stack;
        self.known[e]
    }
}
