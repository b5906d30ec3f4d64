//! The lowered form of a function: named binary operations in a fixed order.
//!
//! A [`Function`] fixes the association and the order of every floating-point operation, so that all back ends and the
//! interpreter compute the same bits. Values are assigned once. A value without a name is used once, in the same block
//! and with nothing but other operations in between: a back end may write its operation in place of the value.

use crate::expr::group::{Group, Map};
use crate::expr::{Function as Elementary, Saddle};
use crate::program::{Operations, Product, Role, Singular, products};
use std::collections::BTreeSet;

/// A value: an argument, or what one statement computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Value(pub(super) u32);

impl Value {
    /// Its place in [`Function::names`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an operation is applied to.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Operand {
    /// A value.
    Value(Value),
    /// A number that is known at compile time.
    Constant(f64),
}

/// How many sums of zeros tell whether results are finite. Sums in turn do not wait for each other.
pub const ZEROS: usize = 8;

/// A number of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The output.
    pub output: usize,
    /// Its place there.
    pub place: usize,
    /// The sum of zeros, x·0, that it is tested in, if other tests do not imply that it is finite. Outputs that products complete are
    /// tested after that.
    pub zero: Option<usize>,
}

/// One operation with one result.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Operation {
    /// The operand itself: a second name of it.
    Copy(Operand),
    /// −x.
    Neg(Operand),
    /// x + y.
    Add(Operand, Operand),
    /// x − y.
    Sub(Operand, Operand),
    /// x·y.
    Mul(Operand, Operand),
    /// x/y.
    Div(Operand, Operand),
    /// √x.
    Sqrt(Operand),
    /// An elementary function; sine and cosine only where one of them alone is needed.
    Call(Elementary, Operand),
    /// `atan2(y, x)`.
    Atan2(Operand, Operand),
    /// x to a power that is no integer.
    Powf(Operand, Operand),
    /// The second operand where the first one is not negative, otherwise the third.
    Select(Operand, Operand, Operand),
}

impl Operation {
    /// What it is applied to, in order.
    pub fn operands(&self) -> Vec<Operand> {
        match *self {
            Operation::Copy(x) | Operation::Neg(x) | Operation::Sqrt(x) | Operation::Call(_, x) => vec![x],
            Operation::Add(x, y)
            | Operation::Sub(x, y)
            | Operation::Mul(x, y)
            | Operation::Div(x, y)
            | Operation::Atan2(x, y)
            | Operation::Powf(x, y) => vec![x, y],
            Operation::Select(c, x, y) => vec![c, x, y],
        }
    }
}

/// How sine and cosine of an angle are computed.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SinCos {
    /// Of any angle.
    Any,
    /// Of an angle that is small as a rule: short polynomials there.
    Small,
    /// By rotating `sines` of an angle `from` that is close as a rule.
    Rotated {
        /// The close angle.
        from: Operand,
        /// Its sine and cosine.
        sines: [Operand; 2],
    },
    /// By correcting `sines` of the predicted angle `from` + `by`.
    Corrected {
        /// The last angle.
        from: Operand,
        /// The predicted rotation.
        by: Operand,
        /// Sine and cosine of the predicted angle.
        sines: [Operand; 2],
    },
    /// They are `sines`, those of the predicted angle: the prediction is exact up to rounding.
    Exact {
        /// Sine and cosine of the predicted angle.
        sines: [Operand; 2],
    },
}

impl SinCos {
    /// Its name in operation counts; none where nothing is computed.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            SinCos::Any => Some("sin_cos"),
            SinCos::Small => Some("small_sin_cos"),
            SinCos::Rotated { .. } => Some("rotated_sin_cos"),
            SinCos::Corrected { .. } => Some("corrected_sin_cos"),
            SinCos::Exact { .. } => None,
        }
    }

    /// What they are made of, apart from the angle.
    pub fn operands(&self) -> Vec<Operand> {
        match *self {
            SinCos::Any | SinCos::Small => Vec::new(),
            SinCos::Rotated { from, sines: [sin, cos] } => vec![from, sin, cos],
            SinCos::Corrected { from, by, sines: [sin, cos] } => vec![from, by, sin, cos],
            SinCos::Exact { sines } => sines.to_vec(),
        }
    }
}

/// One statement.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Statement {
    /// The equation that the following statements implement, for readers.
    Equation(String),
    /// One operation.
    Let {
        /// Its result.
        to: Value,
        /// The operation.
        operation: Operation,
    },
    /// Sine and cosine of an angle.
    SinCos {
        /// Sine and cosine; `None` where one is not needed.
        to: [Option<Value>; 2],
        /// The angle.
        angle: Operand,
        /// How they are computed.
        by: SinCos,
    },
    /// A map of a group.
    Map {
        /// Its results in order; `None` where one is not needed.
        to: Vec<Option<Value>>,
        /// The map.
        map: Map,
        /// Its group.
        #[cfg_attr(feature = "serde", serde(with = "crate::stored::by_name"))]
        group: &'static Group,
        /// Its arguments.
        arguments: Vec<Vec<Operand>>,
    },
    /// The solution of linear equations. The function fails where there is none.
    Saddle {
        /// Its results, with their places in (x, λ).
        to: Vec<(usize, Value)>,
        /// The equations; which number it is counts for nothing.
        saddle: Saddle,
        /// The results as formulas give them.
        known: Vec<Operand>,
        /// Pivots with their diagonal entries.
        pivots: Vec<[Operand; 2]>,
        /// Evaluated only where a pivot is small, for `equations`. Never a `Newton` or a `Pivot`.
        body: Vec<Statement>,
        /// M, μ with ν, and f with r, as [`Saddle::equations`] orders them.
        equations: Vec<Operand>,
    },
    /// The function fails with `what` unless `pivot` is positive by more than the rounding of `diagonal`.
    Pivot {
        /// Pivot of a symmetric positive definite elimination.
        pivot: Operand,
        /// The diagonal entry before elimination.
        diagonal: Operand,
        /// The failure.
        what: Singular,
    },
    /// Solves nonlinear equations.
    Newton(Box<Newton>),
}

impl Statement {
    /// What it is computed from; of a loop, what it starts with, and of linear equations, what is read in any case.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Statement::Equation(_) => Vec::new(),
            Statement::Let { operation, .. } => operation.operands(),
            Statement::SinCos { angle, by, .. } => [vec![*angle], by.operands()].concat(),
            Statement::Map { arguments, .. } => arguments.concat(),
            Statement::Saddle { known, pivots, .. } => [known.as_slice(), pivots.as_flattened()].concat(),
            Statement::Pivot { pivot, diagonal, .. } => vec![*pivot, *diagonal],
            Statement::Newton(newton) => newton.before(),
        }
    }

    /// Whether the function can fail there.
    pub fn can_fail(&self) -> bool {
        matches!(self, Statement::Pivot { .. } | Statement::Newton(_) | Statement::Saddle { .. })
    }

    /// The values that it assigns for the statements after it.
    pub fn results(&self) -> Vec<Value> {
        match self {
            Statement::Equation(_) | Statement::Pivot { .. } => Vec::new(),
            Statement::Let { to, .. } => vec![*to],
            Statement::SinCos { to, .. } => to.iter().flatten().copied().collect(),
            Statement::Map { to, .. } => to.iter().flatten().copied().collect(),
            Statement::Saddle { to, .. } => to.iter().map(|&(_, value)| value).collect(),
            Statement::Newton(newton) => {
                let kept = newton.last_iterate.iter().map(|&(_, after)| after);
                newton.solution.iter().copied().chain(kept).collect()
            }
        }
    }
}

/// Newton's method; see [`crate::program::Newton`] for the norm and the stopping test.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Newton {
    /// The unknowns inside of `body`.
    pub unknowns: Vec<Value>,
    /// The solution, after the loop.
    pub solution: Vec<Value>,
    /// Where to start.
    pub guess: Vec<Operand>,
    /// Where to start again; empty if nowhere.
    pub fallback: Vec<Operand>,
    /// Weights of the norm, one of each unknown.
    pub weights: Vec<Operand>,
    /// Squared reference scale of the stopping test.
    pub scale2: Operand,
    /// Whether derivatives and earlier updates do not tell the next update.
    pub is_sharp: bool,
    /// Whether the equations jump, so that an unknown at which they change their sign is a solution.
    pub jumps: bool,
    /// What the equations are told by where they cannot be solved.
    pub equations: Vec<String>,
    /// Evaluated in every iteration. Never a `Newton` or a `Pivot`.
    pub body: Vec<Statement>,
    /// Update of each unknown.
    pub delta: Vec<Operand>,
    /// F′, F″ and F‴ of one equation for one unknown, for an update of third order (Chebyshev's method), with the
    /// statements that only they need.
    pub derivatives: Option<(Vec<Statement>, [Operand; 3])>,
    /// Values of the last iterate: inside of the loop and after it.
    pub last_iterate: Vec<(Value, Value)>,
}

impl Newton {
    /// What is evaluated before the first iteration.
    pub fn before(&self) -> Vec<Operand> {
        let Newton { guess, fallback, weights, scale2, .. } = self;
        guess.iter().chain(fallback).chain(weights).chain([scale2]).copied().collect()
    }
}

/// A group of arguments.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Argument {
    /// What it is.
    pub role: Role,
    /// Its entries.
    pub values: Vec<Value>,
    /// One number instead of an array.
    pub scalar: bool,
}

/// A group of results.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Output {
    /// What it is.
    pub role: Role,
    /// Its entries.
    pub values: Vec<Operand>,
    /// One number instead of an array.
    pub scalar: bool,
}

/// One function.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its documentation, one line each.
    pub doc: Vec<String>,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Its statements.
    pub body: Vec<Statement>,
    /// Its results.
    pub outputs: Vec<Output>,
    /// Names of the values, as symbols of the pool are called (`dot(x)`); those without are used once.
    pub names: Vec<Option<String>>,
    /// What it computes, for readers. It is not stored.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub operations: Operations,
}

impl Function {
    /// The name of a value, if it has one.
    pub fn name_of(&self, value: Value) -> Option<&str> {
        self.names[value.index()].as_deref()
    }

    /// Whether the two differ in their names and documentation alone.
    pub fn computes_the_same_as(&self, other: &Function) -> bool {
        (&self.arguments, &self.body, &self.outputs) == (&other.arguments, &other.body, &other.outputs)
    }

    /// The arguments, except auxiliary states, the time and the inputs where the function does not read them.
    pub fn read_arguments(&self) -> impl Iterator<Item = &Argument> {
        let uses = self.uses();
        self.arguments.iter().filter(move |argument| {
            !matches!(argument.role, Role::States | Role::Time | Role::Inputs)
                || argument.values.iter().any(|value| uses[value.index()] > 0)
        })
    }

    /// The numbers of outputs that are known before each statement and at the end. Nothing that can fail comes after the first
    /// one. What is stored early need not be kept in a register.
    pub fn known_outputs(&self) -> Vec<Vec<Known>> {
        let mut known_at = vec![0; self.names.len()];
        let mut last_failure = 0;
        for (i, statement) in self.body.iter().enumerate() {
            statement.results().into_iter().for_each(|value| known_at[value.index()] = i + 1);
            if statement.can_fail() {
                last_failure = i + 1;
            }
        }
        let mut known = vec![Vec::new(); self.body.len() + 1];
        for (i, output) in self.outputs.iter().enumerate() {
            for (j, value) in output.values.iter().enumerate() {
                let at = if let Operand::Value(value) = value { known_at[value.index()] } else { 0 };
                known[at.max(last_failure)].push(Known { output: i, place: j, zero: None });
            }
        }
        let mut tested = self.tested();
        let count = tested.len();
        for Known { output, place, zero } in known.iter_mut().flatten() {
            if let Operand::Value(value) = self.outputs[*output].values[*place] {
                let next = (count - tested.len()) % ZEROS;
                *zero = tested.remove(&value).then_some(next);
            }
        }
        known
    }

    /// The values that have to be finite for all results to be so, but for those that products complete. What is added or
    /// multiplied to such a value is finite if the value is.
    fn tested(&self) -> BTreeSet<Value> {
        let products = self.products();
        let results = self.outputs.iter().enumerate().filter(|(i, output)| {
            !matches!(output.role, Role::Factor(_)) && products.iter().all(|product| product.to != *i)
        });
        let results = results.flat_map(|(_, output)| &output.values);
        let value = |operand: &Operand| if let Operand::Value(value) = operand { Some(*value) } else { None };
        let results: BTreeSet<Value> = results.filter_map(value).collect();
        let mut implied = BTreeSet::new();
        for statement in self.body.iter().rev() {
            if let Statement::Let { to, operation } = statement
                && (results.contains(to) || implied.contains(to))
                && let Operation::Copy(..)
                | Operation::Neg(..)
                | Operation::Add(..)
                | Operation::Sub(..)
                | Operation::Mul(..) = operation
            {
                implied.extend(operation.operands().iter().filter_map(value));
            }
        }
        &results - &implied
    }

    /// Whether it fails where one of its results is not finite.
    pub fn is_tested(&self) -> bool {
        self.outputs.iter().any(|output| output.role.is_tested())
    }

    /// Whether it can fail.
    pub fn can_fail(&self) -> bool {
        self.is_tested() || self.body.iter().any(Statement::can_fail)
    }

    /// Whether it takes a covector that derivatives are multiplied with.
    pub fn has_covector(&self) -> bool {
        self.arguments.iter().any(|argument| argument.role == Role::Covector)
    }

    /// The outputs that are results.
    pub fn whole(&self) -> impl Iterator<Item = &Output> {
        self.outputs.iter().filter(|output| !matches!(output.role, Role::Factor(_)))
    }

    /// The outputs that are factors of products.
    pub fn factors(&self) -> impl Iterator<Item = &Output> {
        let outputs = self.outputs.iter().filter(|output| !output.values.is_empty());
        outputs.filter(|output| matches!(output.role, Role::Factor(_)))
    }

    /// The products that complete its results.
    pub fn products(&self) -> Vec<Product> {
        products(self.outputs.iter().map(|output| (&output.role, output.values.len())))
    }

    /// How often each value is used.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.names.len()];
        let mut count = |operands: &[Operand]| {
            for operand in operands {
                if let Operand::Value(value) = operand {
                    uses[value.index()] += 1;
                }
            }
        };
        self.for_each_statement(&mut |statement| {
            count(&statement.operands());
            match statement {
                Statement::Newton(newton) => {
                    count(&newton.delta);
                    newton.last_iterate.iter().for_each(|&(inside, _)| count(&[Operand::Value(inside)]));
                    if let Some((_, derivatives)) = &newton.derivatives {
                        count(derivatives);
                    }
                }
                Statement::Saddle { equations, .. } => count(equations),
                _ => {}
            }
        });
        self.outputs.iter().for_each(|output| count(&output.values));
        uses
    }

    /// Calls `f` with every statement, those of loops and of rare solutions after these.
    pub fn for_each_statement<'a>(&'a self, f: &mut impl FnMut(&'a Statement)) {
        for_each_statement(&self.body, f);
    }

    /// The maps of groups that it makes use of, with their groups.
    pub fn maps(&self) -> Vec<(Map, &'static Group)> {
        let mut maps = Vec::new();
        self.for_each_statement(&mut |statement| {
            if let Statement::Map { map, group, .. } = statement {
                maps.push((*map, *group));
            }
        });
        maps
    }

    /// Whether it has linear equations that are solved without formulas where these lose digits.
    pub fn has_solutions(&self) -> bool {
        let mut found = false;
        self.for_each_statement(&mut |statement| found |= matches!(statement, Statement::Saddle { .. }));
        found
    }

    /// Whether it has equations that are solved with a safeguard where Newton's method fails.
    pub fn has_safeguard(&self) -> bool {
        let mut found = false;
        self.for_each_statement(&mut |statement| {
            found |= matches!(statement, Statement::Newton(newton) if newton.is_sharp);
        });
        found
    }

    /// The groups of whose retractions it makes use.
    pub fn retracted(&self) -> BTreeSet<&'static Group> {
        self.maps().into_iter().filter(|(map, _)| map.is_of_retraction()).map(|(_, group)| group).collect()
    }
}

fn for_each_statement<'a>(statements: &'a [Statement], f: &mut impl FnMut(&'a Statement)) {
    for statement in statements {
        f(statement);
        match statement {
            Statement::Newton(newton) => {
                for_each_statement(&newton.body, f);
                newton.derivatives.iter().for_each(|(statements, _)| for_each_statement(statements, f));
            }
            Statement::Saddle { body, .. } => for_each_statement(body, f),
            _ => {}
        }
    }
}
