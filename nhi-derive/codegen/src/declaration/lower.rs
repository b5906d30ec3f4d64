//! From syntax trees to expressions, with the checks that need values: indices, division by zero,
//! constants that are not finite.

use super::ast::{Ast, Kind, Name};
use super::error::{Context, Error, Extent};
use super::names::{Meaning, Scope};
use crate::expr::{self, Expr, Function, MAX_BITS, Node, Pool, Rational};
use crate::group::Group;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::{HashMap, HashSet};

/// Most subexpressions that one declaration may have, with all its sums written out.
const MAX_WORK: usize = 50_000;

/// The symbols of the declared quantities, flattened.
pub(crate) struct Symbols {
    /// The entries of q, N of them.
    pub(crate) coordinates: Vec<Expr>,
    /// The entries of v, n of them.
    pub(crate) velocities: Vec<Expr>,
    /// dq/dt in terms of v, N of them: without a group factor v itself.
    pub(crate) rates: Vec<Expr>,
    /// The n one-forms v dt: symbols that represent them while forms are read.
    pub(crate) basis: Vec<Expr>,
    /// dq in terms of v dt, N of them.
    pub(crate) differentials: Vec<Expr>,
    pub(crate) parameters: Vec<Expr>,
    pub(crate) inputs: Vec<Expr>,
    pub(crate) t: Expr,
    pub(crate) dt: Expr,
    /// The entries of rotation matrices by free symbols, to decide what holds on the group.
    pub(crate) free: HashMap<Expr, Expr>,
}

impl Symbols {
    /// Fills in what follows from the group: a pose moves as g' = g ξ.
    pub(crate) fn anchor(&mut self, pool: &mut Pool, group: Option<&Group>) {
        let k = self.basis.len();
        let rows = group.map_or(Vec::new(), |group| (group.anchor)(pool, &self.coordinates[k..]));
        // This is the differential of no coordinate.
        let names: Vec<String> = (k..self.velocities.len()).map(|j| format!("xi{j}")).collect();
        self.basis.extend(names.iter().map(|name| pool.fresh_symbol(name)));
        let mut along = |v: &[Expr]| {
            let mut result = v[..k].to_vec();
            for row in &rows {
                let terms: Vec<Expr> = row.iter().zip(&v[k..]).map(|(&a, &v)| pool.mul(a, v)).collect();
                result.push(pool.sum(&terms));
            }
            result
        };
        self.rates = along(&self.velocities);
        self.differentials = along(&self.basis);
        let mut rest = &self.coordinates[k..];
        for part in group.map_or(&[][..], |group| group.pose) {
            let (entries, others) = rest.split_at(part.entries());
            let free = part.free(pool, entries);
            self.free.extend(entries.iter().copied().zip(free).filter(|(entry, free)| entry != free));
            rest = others;
        }
    }
}

/// The error was reported already, here or where the name in question is declared.
pub(crate) struct Reported;

/// Builds expressions; mistakes in names are passed over, the resolver reports them.
pub(crate) struct Lowering<'a> {
    pub(crate) pool: Pool,
    pub(crate) symbols: Symbols,
    /// Values of the `let` names so far; `None` for those with errors.
    pub(crate) lets: Vec<Option<Expr>>,
    pub(crate) scope: &'a Scope,
    context: &'a Context,
    loops: Vec<(String, i64)>,
    work: usize,
    /// Whether a force is being read, where `omega*dt` is the one-form of a velocity.
    pub(crate) in_force: bool,
    /// Nodes that were reported; those in sums are visited many times.
    reported: HashSet<*const Ast>,
    /// Values of the expressions seen so far that have no symbols, `None` for the others.
    constants: HashMap<Expr, Option<f64>>,
    /// Expressions that are not known to vanish.
    nonzero: HashSet<Expr>,
}

/// Whether the `i`-th factor is a `dt` behind what may be a velocity, as in `u*omega*dt`.
pub(crate) fn follows_velocity(factors: &[(bool, Ast)], i: usize) -> bool {
    i > 0
        && !factors[i - 1].0
        && !factors[i].0
        && matches!(&factors[i].1.kind, Kind::Name(name) if name == "dt")
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(pool: Pool, symbols: Symbols, scope: &'a Scope, context: &'a Context) -> Lowering<'a> {
        Lowering {
            pool,
            symbols,
            lets: Vec::new(),
            scope,
            context,
            loops: Vec::new(),
            work: MAX_WORK,
            in_force: false,
            reported: HashSet::new(),
            constants: HashMap::new(),
            nonzero: HashSet::new(),
        }
    }

    pub(crate) fn report<T>(&mut self, ast: &Ast, error: impl FnOnce() -> Error) -> Result<T, Reported> {
        if self.reported.insert(ast) {
            self.context.push(error());
        }
        Err(Reported)
    }

    /// Accounts for one visit of a node.
    fn spend(&mut self, ast: &Ast) -> Result<(), Reported> {
        if self.work == 0 {
            return Err(Reported);
        }
        self.work -= 1;
        if self.work == 0 {
            return self.report(ast, || {
                Error::new(ast.at, format!("the declaration is too large: more than {MAX_WORK} operations"))
            });
        }
        Ok(())
    }

    /// The expression that `ast` means.
    pub(crate) fn lower(&mut self, ast: &Ast) -> Result<Expr, Reported> {
        self.spend(ast)?;
        let e = match &ast.kind {
            Kind::Number { value, .. } => self.pool.number(value.clone()),
            Kind::Name(name) => self.name(name, 0)?,
            Kind::Indexed(name, indices) => {
                let i = self.position(name, indices)?;
                self.name(&name.text, i)?
            }
            Kind::Paren(inner) => self.lower(inner)?,
            Kind::Neg(inner) => {
                let inner = self.lower(inner)?;
                self.pool.neg(inner)
            }
            Kind::Sum(terms) => {
                let mut lowered = Vec::with_capacity(terms.len());
                for (minus, term) in terms {
                    let e = self.lower(term);
                    lowered.push(e.map(|e| if *minus { self.pool.neg(e) } else { e }));
                }
                let lowered = lowered.into_iter().collect::<Result<Vec<_>, _>>()?;
                self.pool.sum(&lowered)
            }
            Kind::Product(factors) => {
                let mut lowered: Vec<Result<Expr, Reported>> = Vec::with_capacity(factors.len());
                for (i, (divide, factor)) in factors.iter().enumerate() {
                    if self.in_force && follows_velocity(factors, i) {
                        let velocity = lowered.pop().unwrap_or(Err(Reported));
                        lowered.push(velocity.and_then(|v| self.velocity_form(&factors[i - 1].1, v)));
                        continue;
                    }
                    let e = self.lower(factor);
                    lowered.push(match e {
                        Ok(e) if *divide => self.divisor(factor, e).map(|()| self.pool.recip(e)),
                        e => e,
                    });
                }
                let lowered = lowered.into_iter().collect::<Result<Vec<_>, _>>()?;
                self.pool.product(&lowered)
            }
            Kind::Power(base, exponent) => {
                let (b, x) = (self.lower(base), self.lower(exponent));
                let (b, x) = (b?, x?);
                let negative = self.pool.as_number(x).map(Signed::is_negative);
                if negative == Some(true) {
                    self.divisor(base, b)?;
                } else if negative.is_none() && self.vanishes(b) {
                    let message = "zero to a power that is not a number";
                    return self.report(base, || Error::new(base.at, message));
                }
                self.pool.pow(b, x)
            }
            Kind::Call(function, arguments) => self.call(ast, function, arguments)?,
            Kind::Loop { variable, from, to, body } => {
                let range = self.bounds(from, to)?;
                let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
                if length > MAX_WORK {
                    return self.report(ast, || {
                        Error::new(ast.at, format!("a sum of {length} terms is too long to be written out"))
                    });
                }
                let terms: Result<Vec<Expr>, Reported> =
                    range.map(|i| self.with_loop(variable, i, |this| this.lower(body))).collect();
                let terms = terms?;
                self.pool.sum(&terms)
            }
        };
        self.finite(ast, e)?;
        Ok(e)
    }

    /// Runs `f` with a value of a loop variable.
    pub(crate) fn with_loop<T>(&mut self, variable: &Name, i: i64, f: impl FnOnce(&mut Self) -> T) -> T {
        self.loops.push((variable.text.clone(), i));
        let result = f(self);
        self.loops.pop();
        result
    }

    fn loop_value(&self, name: &str) -> Option<i64> {
        self.loops.iter().rev().find(|(variable, _)| variable == name).map(|(_, i)| *i)
    }

    /// The quantity of that name; `i` is the index of an array entry.
    fn name(&mut self, name: &str, i: usize) -> Result<Expr, Reported> {
        if let Some(i) = self.loop_value(name) {
            return Ok(self.pool.int(i));
        }
        match name {
            "pi" => return Ok(self.pool.pi()),
            "t" => return Ok(self.symbols.t),
            "dt" => return Ok(self.symbols.dt),
            _ => {}
        }
        match self.scope.meaning(name) {
            Some(Meaning::Coordinate(first, _) | Meaning::Pose(first, _)) => {
                self.symbols.coordinates.get(first + i).copied()
            }
            Some(Meaning::Velocity(position)) => self.symbols.velocities.get(position).copied(),
            Some(Meaning::Parameter(first, _)) => self.symbols.parameters.get(first + i).copied(),
            Some(Meaning::Input(first, _)) => self.symbols.inputs.get(first + i).copied(),
            Some(Meaning::Let(position)) => self.lets.get(position).copied().flatten(),
            None => {
                let (first, _) = self.scope.differential(name).ok_or(Reported)?;
                self.symbols.differentials.get(first + i).copied()
            }
        }
        .ok_or(Reported)
    }

    /// The position of an entry, its indices checked.
    fn position(&mut self, name: &Name, indices: &[Ast]) -> Result<usize, Reported> {
        let lengths = self.scope.lengths(&name.text).filter(|l| l.len() == indices.len()).ok_or(Reported)?;
        let mut position = 0;
        for (index, &len) in indices.iter().zip(&lengths) {
            let i = self.integer(index)?;
            position = match usize::try_from(i) {
                Ok(i) if i < len => position * len + i,
                _ => {
                    return self.report(index, || {
                        let error = Error::new(index.at, format!("the index {i} is out of range"));
                        let entry = |i: &dyn Fn(usize) -> usize| {
                            let indices = lengths.iter().map(|&l| format!("[{}]", i(l)));
                            format!("`{}{}`", name.text, indices.collect::<String>())
                        };
                        match len {
                            0 => error.help(format!("`{}` has no entries", name.text)),
                            _ => error.help(format!(
                                "the entries of `{}` are {} to {}",
                                name.text,
                                entry(&|_| 0),
                                entry(&|l| l - 1)
                            )),
                        }
                    });
                }
            };
        }
        Ok(position)
    }

    /// The value of an index or of a bound of a sum.
    pub(crate) fn integer(&mut self, ast: &Ast) -> Result<i64, Reported> {
        let value = self.rational(ast)?;
        match value.to_integer().to_i64() {
            Some(i) if value.is_integer() => Ok(i),
            _ => self.report(ast, || {
                Error::new(ast.at, format!("expected an integer, but this is {value}"))
                    .help("indices and bounds are constants or loop variables, and their sums and products")
            }),
        }
    }

    fn rational(&mut self, ast: &Ast) -> Result<Rational, Reported> {
        self.spend(ast)?;
        Ok(match &ast.kind {
            Kind::Number { value, .. } => value.clone(),
            Kind::Name(name) => Rational::from_integer(self.loop_value(name).ok_or(Reported)?.into()),
            Kind::Paren(inner) => self.rational(inner)?,
            Kind::Neg(inner) => -self.rational(inner)?,
            Kind::Sum(terms) => {
                let mut sum = Rational::zero();
                for (minus, term) in terms {
                    let value = self.rational(term)?;
                    sum = if *minus { sum - value } else { sum + value };
                }
                sum
            }
            Kind::Product(factors) => {
                let mut product = Rational::one();
                for (divide, factor) in factors {
                    let value = self.rational(factor)?;
                    if *divide && value.is_zero() {
                        return self.report(factor, || Error::new(factor.at, "division by zero"));
                    }
                    product = if *divide { product / value } else { product * value };
                }
                product
            }
            _ => return Err(Reported),
        })
    }

    fn call(&mut self, ast: &Ast, function: &Name, arguments: &[Ast]) -> Result<Expr, Reported> {
        let mut lowered = Vec::with_capacity(arguments.len());
        for argument in arguments {
            lowered.push(self.lower(argument)?);
        }
        let [x, ..] = lowered[..] else { return Err(Reported) };
        let e = match function.text.as_str() {
            "dot" => self.total_derivative(x, self.symbols.rates.clone()),
            "d" => self.total_derivative(x, self.symbols.differentials.clone()),
            "sqrt" => self.pool.sqrt(x),
            "atan2" => {
                let [y, x] = lowered[..] else { return Err(Reported) };
                if self.vanishes(y) && self.vanishes(x) {
                    return self.report(ast, || Error::new(ast.at, "`atan2(0, 0)` is not defined"));
                }
                self.pool.atan2(y, x)
            }
            name => {
                let f = Function::ALL.into_iter().find(|f| f.name() == name).ok_or(Reported)?;
                if f == Function::Ln && self.vanishes(x) {
                    return self.report(&arguments[0], || {
                        Error::new(arguments[0].at, "the logarithm of zero is not finite")
                    });
                }
                if f == Function::Tan {
                    let cos = self.pool.call(Function::Cos, x);
                    if self.vanishes(cos) {
                        return self.report(ast, || Error::new(ast.at, "this tangent is not finite"));
                    }
                }
                self.pool.call(f, x)
            }
        };
        Ok(e)
    }

    /// Σ ∂e/∂qᵢ rᵢ: the time derivative or the differential of a function of the coordinates.
    pub(crate) fn total_derivative(&mut self, e: Expr, rates: Vec<Expr>) -> Expr {
        let gradient = self.pool.gradient(e, &self.symbols.coordinates);
        let terms: Vec<Expr> = gradient.iter().zip(&rates).map(|(&g, &r)| self.pool.mul(g, r)).collect();
        self.pool.sum(&terms)
    }

    /// `e`, the meaning of `ast`, is divided by: it must not be zero.
    fn divisor(&mut self, ast: &Ast, e: Expr) -> Result<(), Reported> {
        if self.pool.is_zero(e) {
            return self.report(ast, || Error::new(ast.at, "division by zero"));
        }
        if self.vanishes(e) {
            return self.report(ast, || Error::new(ast.at, "division by zero: this is zero everywhere"));
        }
        Ok(())
    }

    /// The rank of a matrix almost everywhere.
    pub(crate) fn rank(&mut self, rows: &[Vec<Expr>]) -> usize {
        if self.symbols.free.is_empty() {
            return self.pool.rank(rows);
        }
        let rows: Vec<Vec<Expr>> =
            rows.iter().map(|row| self.pool.substitute(row, &self.symbols.free)).collect();
        self.pool.rank(&rows)
    }

    /// Whether `e` is known to be zero everywhere.
    pub(crate) fn vanishes(&mut self, e: Expr) -> bool {
        if self.pool.is_zero(e) {
            return true;
        }
        if matches!(self.pool.node(e), Node::Number(_) | Node::Pi | Node::Symbol(_))
            || self.nonzero.contains(&e)
        {
            return false;
        }
        let on_group = self.on_group(e);
        let vanishes = self.pool.vanishes(on_group);
        if !vanishes {
            self.nonzero.insert(e);
        }
        vanishes
    }

    /// Whether `e` is zero everywhere.
    pub(crate) fn zero_test(&mut self, e: Expr) -> expr::Zero {
        let on_group = self.on_group(e);
        self.pool.zero_test(on_group)
    }

    fn on_group(&mut self, e: Expr) -> Expr {
        if self.symbols.free.is_empty() { e } else { self.pool.substitute(&[e], &self.symbols.free)[0] }
    }

    /// Constants must be finite in double precision, and short enough to be computed with.
    fn finite(&mut self, ast: &Ast, e: Expr) -> Result<(), Reported> {
        let number = match self.pool.node(e) {
            Node::Number(r) => Some(r),
            Node::Sum(c) | Node::Product(c) => self.pool.as_number(c[0]),
            _ => None,
        };
        if let Some(r) = number {
            // Half of what the pool can hold, so that the sum or product that went too far is seen.
            if r.numer().bits().max(r.denom().bits()) > MAX_BITS / 2 {
                return self
                    .report(ast, || Error::new(ast.at, "the exact value of a constant in here is too long"));
            }
            if !r.to_f64().is_some_and(f64::is_finite) {
                return self.report(ast, || Error::new(ast.at, "a constant in here is not finite as f64"));
            }
        }
        match self.constant(e) {
            Some(value) if !value.is_finite() => self
                .report(ast, || Error::new(ast.at, format!("this constant is not finite as f64: {value}"))),
            _ => Ok(()),
        }
    }

    /// The value of an expression without symbols.
    fn constant(&mut self, e: Expr) -> Option<f64> {
        let mut stack = vec![e];
        while let Some(&x) = stack.last() {
            let children = self.pool.children(x);
            let before = stack.len();
            stack.extend(children.iter().filter(|c| !self.constants.contains_key(c)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if !self.constants.contains_key(&x) {
                let constant =
                    self.pool.as_symbol(x).is_none() && children.iter().all(|c| self.constants[c].is_some());
                let value = constant.then(|| self.pool.evaluate(&[x], &HashMap::new())[0]);
                self.constants.insert(x, value);
            }
        }
        self.constants[&e]
    }

    /// Traverses expressions a second time to locate their mistakes.
    pub(crate) fn with_more_work<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let left = std::mem::replace(&mut self.work, 20 * MAX_WORK);
        let result = f(self);
        self.work = left;
        result
    }

    /// The range of a loop.
    pub(crate) fn bounds(&mut self, from: &Ast, to: &Ast) -> Result<std::ops::Range<i64>, Reported> {
        Ok(self.integer(from)?..self.integer(to)?)
    }

    /// Collects an error about something that is not a single node.
    pub(crate) fn push(&self, error: Error) {
        self.context.push(error);
    }

    /// Reports numbers in `roots` that are not finite in double precision: coefficients that came
    /// about by multiplying out.
    pub(crate) fn check_numbers(&self, roots: &[Expr], at: Extent) {
        if !self.pool.has_finite_numbers(roots) {
            self.push(Error::new(at, "a constant in here is not finite as f64"));
        }
    }

    /// Reports the terms of a sum, `e`, whose derivatives have constants that are not finite.
    pub(crate) fn check_derivatives(&mut self, ast: &Ast, e: Expr) {
        let variables = [&self.symbols.coordinates[..], &self.symbols.velocities[..]].concat();
        // The order of terms follows from the order in which they are made, which a check does not change.
        let mut pool = self.pool.clone();
        let gradient = pool.gradient(e, &variables);
        if pool.has_finite_numbers(&gradient) {
            return;
        }
        let mut terms = vec![ast];
        while let Some(ast) = terms.pop() {
            match &ast.kind {
                Kind::Sum(_) | Kind::Paren(_) | Kind::Neg(_) => terms.extend(ast.children()),
                _ => {
                    let Ok(e) = self.lower(ast) else { continue };
                    let gradient = self.pool.gradient(e, &variables);
                    if !self.pool.has_finite_numbers(&gradient) {
                        let error =
                            Error::new(ast.at, "a constant in the derivatives of this is not finite as f64");
                        self.push(error.help("choose units in which its constants are of moderate size"));
                    }
                }
            }
        }
    }
}
