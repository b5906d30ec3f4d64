//! From syntax trees to expressions, with the checks that need values: indices, division by zero,
//! constants that are not finite.

use super::ast::{Ast, Kind, Name, Range};
use super::attribute::quoted;
use super::definitions::entry;
use super::error::{Context, Error, Extent};
use super::integers::{Loops, integer, loop_value};
use super::names::{ENERGY, Meaning, Resolver, Scope, nearest};
use crate::expr::group::Product;
use crate::expr::{self, Expr, Function, MAX_BITS, Node, Pool};
use crate::system::Definition;
use num_traits::{Signed, ToPrimitive};
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
    pub(crate) states: Vec<Expr>,
    pub(crate) t: Expr,
    pub(crate) dt: Expr,
    /// The entries of rotation matrices by free symbols, to decide what holds on the group.
    pub(crate) free: HashMap<Expr, Expr>,
}

impl Symbols {
    /// Fills in what follows from the groups: a pose moves as g' = g ξ.
    pub(crate) fn anchor(&mut self, pool: &mut Pool, group: &Product) {
        let k = self.basis.len();
        let rows = group.anchor(pool, &self.coordinates[k..]);
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
        for part in group.parts() {
            let (entries, others) = rest.split_at(part.entries());
            let free = part.free(pool, entries);
            self.free.extend(entries.iter().copied().zip(free).filter(|(entry, free)| entry != free));
            rest = others;
        }
    }
}

/// The error was reported already, here or where the name in question is declared.
pub(crate) struct Reported;

/// What an expression means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Number(Expr),
    Vector([Expr; 3]),
    /// By rows.
    Matrix([[Expr; 3]; 3]),
}

impl Value {
    /// The number, the components of the vector or the entries of the matrix.
    pub(crate) fn entries(&self) -> &[Expr] {
        match self {
            Value::Number(e) => std::slice::from_ref(e),
            Value::Vector(v) => v,
            Value::Matrix(m) => m.as_flattened(),
        }
    }

    /// The entries as definitions of `name`, `name[0]`, `name[0][0]`.
    pub(crate) fn named(&self, name: &str) -> Vec<Definition> {
        let indices = |i: usize| match self {
            Value::Number(_) => String::new(),
            Value::Vector(_) => format!("[{i}]"),
            Value::Matrix(_) => format!("[{}][{}]", i / 3, i % 3),
        };
        let entries = self.entries().iter().enumerate();
        entries.map(|(i, &value)| Definition { name: format!("{name}{}", indices(i)), value }).collect()
    }

    /// The value of another expression in every entry.
    fn map(self, mut f: impl FnMut(Expr) -> Expr) -> Value {
        match self {
            Value::Number(e) => Value::Number(f(e)),
            Value::Vector(v) => Value::Vector(v.map(f)),
            Value::Matrix(m) => Value::Matrix(m.map(|row| row.map(&mut f))),
        }
    }

    pub(crate) fn number(self) -> Result<Expr, Reported> {
        if let Value::Number(e) = self { Ok(e) } else { Err(Reported) }
    }

    fn vector(self) -> Result<[Expr; 3], Reported> {
        if let Value::Vector(v) = self { Ok(v) } else { Err(Reported) }
    }
}

/// Builds expressions; mistakes in names and shapes are passed over, the resolver reports them.
pub(crate) struct Lowering<'a> {
    pub(crate) pool: Pool,
    pub(crate) symbols: Symbols,
    /// Values of the `let` names and entries so far; `None` for those with errors.
    pub(crate) lets: Vec<Option<Value>>,
    pub(crate) scope: &'a Scope,
    context: &'a Context,
    loops: Loops,
    /// The sums that are vectors.
    vector_sums: HashSet<*const Ast>,
    work: usize,
    /// Whether a force is being read, where `omega*dt` is the one-form of a velocity.
    pub(crate) in_force: bool,
    /// Whether an error was reported about a name in the force that is lowered.
    pub(crate) has_bad_names: bool,
    /// Nodes that were reported; those in sums are visited many times.
    reported: HashSet<*const Ast>,
    /// Values of the expressions seen so far that have no symbols, `None` for the others.
    constants: HashMap<Expr, Option<f64>>,
    /// Expressions that are not known to vanish.
    nonzero: HashSet<Expr>,
    /// The nodes of tables among the parameters.
    pub(crate) tables: Vec<std::ops::Range<usize>>,
    /// The labels of the constraints, in order, if there is no mistake in them; none where the author gave none.
    pub(crate) labels: Option<Vec<Option<String>>>,
    /// The multipliers seen so far: the place of the constraint and a symbol.
    pub(crate) multipliers: Vec<(usize, Expr)>,
    /// A symbol of the energy, if it occurs.
    pub(crate) energy: Option<Expr>,
}

/// Whether the `i`-th factor is a `dt` behind what may be a velocity, as in `u*omega*dt`.
pub(crate) fn follows_velocity(factors: &[(bool, Ast)], i: usize) -> bool {
    i > 0
        && !factors[i - 1].0
        && !factors[i].0
        && matches!(&factors[i].1.kind, Kind::Name(name) if name == "dt")
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(pool: Pool, symbols: Symbols, resolver: Resolver<'a>) -> Lowering<'a> {
        let Resolver { scope, context, vector_sums, .. } = resolver;
        Lowering {
            pool,
            symbols,
            lets: Vec::new(),
            scope,
            context,
            loops: Loops::new(),
            vector_sums,
            work: MAX_WORK,
            in_force: false,
            has_bad_names: false,
            reported: HashSet::new(),
            constants: HashMap::new(),
            nonzero: HashSet::new(),
            tables: Vec::new(),
            labels: None,
            multipliers: Vec::new(),
            energy: None,
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
        if self.work == 0 { self.too_large(ast) } else { Ok(()) }
    }

    fn too_large<T>(&mut self, ast: &Ast) -> Result<T, Reported> {
        self.report(ast, || {
            Error::new(ast.at, format!("the declaration is too large: more than {MAX_WORK} operations"))
        })
    }

    /// The number that `ast` means.
    pub(crate) fn lower(&mut self, ast: &Ast) -> Result<Expr, Reported> {
        self.value(ast)?.number()
    }

    /// What `ast` means.
    pub(crate) fn value(&mut self, ast: &Ast) -> Result<Value, Reported> {
        self.spend(ast)?;
        let value = match &ast.kind {
            Kind::Number { value, .. } => Value::Number(self.pool.number(value.clone())),
            Kind::Name(name) => self.name(ast, name, &[])?,
            Kind::Indexed(name, indices) => self.name(ast, &name.text, indices)?,
            Kind::Paren(inner) => self.value(inner)?,
            Kind::Neg(inner) => self.value(inner)?.map(|e| self.pool.neg(e)),
            Kind::Sum(terms) => {
                let mut values = Vec::with_capacity(terms.len());
                for (minus, term) in terms {
                    let value = self.value(term);
                    values.push(value.map(|v| if *minus { v.map(|e| self.pool.neg(e)) } else { v }));
                }
                let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
                self.sum(&values)?
            }
            Kind::Product(factors) => {
                let mut values: Vec<Result<Value, Reported>> = Vec::with_capacity(factors.len());
                for (i, (divide, factor)) in factors.iter().enumerate() {
                    if self.in_force && follows_velocity(factors, i) {
                        let velocity = values.pop().unwrap_or(Err(Reported));
                        values.push(velocity.and_then(|v| self.velocity_value(&factors[i - 1].1, v)));
                        continue;
                    }
                    let value = self.value(factor);
                    values.push(match value.map(|v| (v, divide)) {
                        Ok((Value::Number(e), true)) => {
                            self.divisor(factor, e).map(|()| Value::Number(self.pool.recip(e)))
                        }
                        Ok((_, true)) => Err(Reported),
                        Ok((value, false)) => Ok(value),
                        Err(reported) => Err(reported),
                    });
                }
                let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
                self.product(&values)?
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
                Value::Number(self.pool.pow(b, x))
            }
            Kind::Call(function, arguments) => self.call(ast, function, arguments)?,
            Kind::Loop(range, body) => {
                let values = self.bounds(range)?;
                let length = usize::try_from(values.end.saturating_sub(values.start)).unwrap_or(0);
                if length > MAX_WORK {
                    return self.report(ast, || {
                        Error::new(ast.at, format!("a sum of {length} terms is too long to be written out"))
                    });
                }
                let terms: Result<Vec<Value>, Reported> =
                    values.map(|i| self.with_loop(&range.variable, i, |this| this.value(body))).collect();
                let terms = terms?;
                match terms.is_empty() && self.vector_sums.contains(&std::ptr::from_ref(ast)) {
                    true => Value::Vector([self.pool.zero(); 3]),
                    false => self.sum(&terms)?,
                }
            }
            Kind::Choice(all) => {
                let [condition, positive, negative] = all.each_ref().map(|a| self.lower(a));
                Value::Number(self.pool.select(condition?, positive?, negative?))
            }
            Kind::Vector(components) => {
                let mut values = Vec::with_capacity(3);
                for component in components {
                    values.push(self.lower(component));
                }
                let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
                Value::Vector(values.try_into().map_err(|_| Reported)?)
            }
        };
        for e in value.entries() {
            self.finite(ast, *e)?;
        }
        Ok(value)
    }

    /// The sum of numbers or of vectors.
    fn sum(&mut self, values: &[Value]) -> Result<Value, Reported> {
        let Some(Value::Vector(_)) = values.first() else {
            let numbers = values.iter().map(|v| v.number()).collect::<Result<Vec<_>, _>>()?;
            return Ok(Value::Number(self.pool.sum(&numbers)));
        };
        let vectors = values.iter().map(|v| v.vector()).collect::<Result<Vec<_>, _>>()?;
        Ok(Value::Vector([0, 1, 2].map(|i| {
            let components: Vec<Expr> = vectors.iter().map(|v| v[i]).collect();
            self.pool.sum(&components)
        })))
    }

    /// The product of numbers with at most one matrix and one vector behind it.
    fn product(&mut self, values: &[Value]) -> Result<Value, Reported> {
        let mut numbers = Vec::with_capacity(values.len());
        let mut whole: Option<Value> = None;
        for value in values {
            whole = match (*value, whole) {
                (Value::Number(e), whole) => {
                    numbers.push(e);
                    whole
                }
                (value, None) => Some(value),
                (Value::Vector(v), Some(Value::Matrix(m))) => {
                    Some(Value::Vector(m.map(|row| self.dot(&row, &v))))
                }
                _ => return Err(Reported),
            };
        }
        let Some(whole) = whole else { return Ok(Value::Number(self.pool.product(&numbers))) };
        let last = numbers.len();
        numbers.push(self.pool.one());
        Ok(whole.map(|e| {
            numbers[last] = e;
            self.pool.product(&numbers)
        }))
    }

    fn dot(&mut self, a: &[Expr; 3], b: &[Expr; 3]) -> Expr {
        let products = [0, 1, 2].map(|i| self.pool.mul(a[i], b[i]));
        self.pool.sum(&products)
    }

    fn cross(&mut self, a: &[Expr; 3], b: &[Expr; 3]) -> [Expr; 3] {
        [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let (first, second) = (self.pool.mul(a[j], b[k]), self.pool.mul(a[k], b[j]));
            self.pool.sub(first, second)
        })
    }

    /// Runs `f` with the values of the loop variables of a family.
    pub(crate) fn with_loops<T>(&mut self, loops: &Loops, f: impl FnOnce(&mut Self) -> T) -> T {
        self.loops.clone_from(loops);
        let result = f(self);
        self.loops.clear();
        result
    }

    /// Runs `f` with a value of a loop variable.
    pub(crate) fn with_loop<T>(&mut self, variable: &Name, i: i64, f: impl FnOnce(&mut Self) -> T) -> T {
        self.loops.push((variable.text.clone(), i));
        let result = f(self);
        self.loops.pop();
        result
    }

    /// The quantity of that name, or an entry of it.
    fn name(&mut self, ast: &Ast, name: &str, indices: &[Ast]) -> Result<Value, Reported> {
        let symbol = match name {
            "pi" => Some(self.pool.pi()),
            "t" => Some(self.symbols.t),
            "dt" => Some(self.symbols.dt),
            _ => loop_value(&self.loops, name).map(|i| self.pool.int(i)),
        };
        if let Some(symbol) = symbol {
            return if indices.is_empty() { Ok(Value::Number(symbol)) } else { Err(Reported) };
        }
        let symbols = &self.symbols;
        let (symbols, first) = match self.scope.meaning(name) {
            Some(Meaning::Let(i)) => return self.let_value(ast, name, i, indices),
            Some(Meaning::Coordinate(first, _) | Meaning::Pose(first, _)) => (&symbols.coordinates, first),
            Some(Meaning::Velocity(first)) => (&symbols.velocities, first),
            Some(Meaning::Parameter(first, _)) => (&symbols.parameters, first),
            Some(Meaning::Input(first, _)) => (&symbols.inputs, first),
            Some(Meaning::State(first, _)) => (&symbols.states, first),
            None if name == ENERGY && self.scope.lengths(name).is_none() => {
                let pool = &mut self.pool;
                return Ok(Value::Number(*self.energy.get_or_insert_with(|| pool.fresh_symbol(ENERGY))));
            }
            None => {
                let (first, _) = self.scope.differential(name).ok_or(Reported)?;
                (&symbols.differentials, first)
            }
        };
        let lengths = self.scope.lengths(name).ok_or(Reported)?;
        let entry = |i: usize| symbols.get(first + i).copied().ok_or(Reported);
        let row = |i: usize| Ok([entry(i)?, entry(i + 1)?, entry(i + 2)?]);
        match (lengths.as_slice(), indices) {
            ([], []) => entry(0).map(Value::Number),
            ([3], []) => row(0).map(Value::Vector),
            ([3, 3], []) => Ok(Value::Matrix([row(0)?, row(3)?, row(6)?])),
            _ => {
                let entries: Vec<Expr> = symbols.iter().skip(first).copied().collect();
                let i = self.position(name, indices, &lengths)?;
                entries.get(i).copied().map(Value::Number).ok_or(Reported)
            }
        }
    }

    /// The value of a `let` name, of an entry of an array, or of a component of a vector.
    fn let_value(&mut self, ast: &Ast, name: &str, i: usize, indices: &[Ast]) -> Result<Value, Reported> {
        let definition = self.scope.definition(i);
        let count = definition.indices;
        if indices.is_empty() && definition.has_three_entries() {
            let mut vector = Vec::with_capacity(3);
            for k in 0..3 {
                vector.push(self.let_entry(ast, ast, name, i, &[k])?.number()?);
            }
            return Ok(Value::Vector(vector.try_into().map_err(|_| Reported)?));
        }
        if indices.len() < count {
            return Err(Reported);
        }
        let (indices, component) = indices.split_at(count);
        let mut key = Vec::with_capacity(count);
        for index in indices {
            key.push(self.integer(index)?);
        }
        let wrong = if let [index] = indices { index } else { ast };
        let value = self.let_entry(ast, wrong, name, i, &key)?;
        match (value, component) {
            (value, []) => Ok(value),
            (Value::Vector(vector), [index]) => {
                let name = entry(name, &key);
                let component = self.position(&name, std::slice::from_ref(index), &[3])?;
                Ok(Value::Number(vector[component]))
            }
            _ => Err(Reported),
        }
    }

    /// The value of an entry with these indices; `wrong` is the place of an error about them.
    fn let_entry(
        &mut self,
        ast: &Ast,
        wrong: &Ast,
        name: &str,
        i: usize,
        key: &[i64],
    ) -> Result<Value, Reported> {
        let definition = self.scope.definition(i);
        // The resolver reports uses before the first definition.
        if definition.entries.values().all(|&position| position >= self.lets.len()) {
            return Err(Reported);
        }
        match definition.entries.get(key) {
            Some(&position) => match self.lets.get(position) {
                Some(value) => value.ok_or(Reported),
                None => self.report(ast, || {
                    let message = format!("`{}` is defined only after it is used here", entry(name, key));
                    Error::new(ast.at, message).help("a `let` sees the names defined before it")
                }),
            },
            None if !definition.complete || key.is_empty() => Err(Reported),
            None => self.report(wrong, || {
                let error = match key {
                    [i] => Error::new(wrong.at, format!("the index {i} is out of range")),
                    _ => Error::new(wrong.at, format!("`{}` is not defined", entry(name, key))),
                };
                match definition.range(name) {
                    Some(range) => error.help(range),
                    None => error,
                }
            }),
        }
    }

    /// The position of an entry, its indices checked.
    fn position(&mut self, name: &str, indices: &[Ast], lengths: &[usize]) -> Result<usize, Reported> {
        if indices.len() != lengths.len() {
            return Err(Reported);
        }
        let mut position = 0;
        for (index, &len) in indices.iter().zip(lengths) {
            let i = self.integer(index)?;
            position = match usize::try_from(i) {
                Ok(i) if i < len => position * len + i,
                _ => {
                    return self.report(index, || {
                        let error = Error::new(index.at, format!("the index {i} is out of range"));
                        let entry = |i: &dyn Fn(usize) -> usize| {
                            let indices = lengths.iter().map(|&l| format!("[{}]", i(l)));
                            format!("`{name}{}`", indices.collect::<String>())
                        };
                        match len {
                            0 => error.help(format!("`{name}` has no entries")),
                            _ => error.help(format!(
                                "the entries of `{name}` are {} to {}",
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
        if self.work == 0 {
            return Err(Reported);
        }
        let result = integer(ast, &self.scope.constants().with(&self.loops), &mut self.work);
        match result {
            Ok(i) => Ok(i),
            Err(Some(error)) => self.report(ast, || error),
            Err(None) if self.work == 0 => self.too_large(ast),
            Err(None) => Err(Reported),
        }
    }

    fn call(&mut self, ast: &Ast, function: &Name, arguments: &[Ast]) -> Result<Value, Reported> {
        if let ("table", [x, xs, ys]) = (function.text.as_str(), arguments) {
            let x = self.lower(x)?;
            let [nodes, values] = [self.parameter_array(xs)?, self.parameter_array(ys)?];
            // The resolver reports tables of other lengths.
            if nodes.len() != values.len() || nodes.len() < 2 {
                return Err(Reported);
            }
            let [xs, ys] = [&nodes, &values].map(|range| self.symbols.parameters[range.clone()].to_vec());
            if !self.tables.contains(&nodes) {
                self.tables.push(nodes);
            }
            return Ok(Value::Number(self.pool.interpolated(x, &xs, &ys)));
        }
        if let ("lambda", [label]) = (function.text.as_str(), arguments) {
            return self.multiplier(label).map(Value::Number);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        match (function.text.as_str(), values.as_slice()) {
            ("dot", [Value::Vector(a), Value::Vector(b)]) => Ok(Value::Number(self.dot(a, b))),
            ("cross", [Value::Vector(a), Value::Vector(b)]) => Ok(Value::Vector(self.cross(a, b))),
            ("norm2", [Value::Vector(a)]) => Ok(Value::Number(self.dot(a, a))),
            ("transpose", [Value::Matrix(m)]) => {
                Ok(Value::Matrix([0, 1, 2].map(|i| [0, 1, 2].map(|j| m[j][i]))))
            }
            ("dot" | "d", [value]) => {
                let Symbols { velocities, inputs, states, rates, differentials, dt, .. } = &self.symbols;
                // The resolver reports what is no function of the coordinates and time.
                let others = [&velocities[..], &inputs[..], &states[..]].concat();
                if value.entries().iter().any(|&e| self.pool.depends_on(e, &others)) {
                    return Err(Reported);
                }
                let (rates, of_time) = match function.text.as_str() {
                    "dot" => (rates.clone(), self.pool.one()),
                    // The work of a force is that of a displacement at one time.
                    _ if self.in_force => (differentials.clone(), self.pool.zero()),
                    _ => (differentials.clone(), *dt),
                };
                Ok(value.map(|e| self.total_derivative(e, &rates, of_time)))
            }
            _ => {
                let numbers = values.into_iter().map(Value::number).collect::<Result<Vec<_>, _>>()?;
                self.call_of_numbers(ast, function, arguments, &numbers).map(Value::Number)
            }
        }
    }

    /// The symbol of the multiplier of a constraint.
    fn multiplier(&mut self, ast: &Ast) -> Result<Expr, Reported> {
        let label = match &ast.kind {
            Kind::Name(name) => name.clone(),
            Kind::Indexed(name, indices) => {
                let indices =
                    indices.iter().map(|index| self.integer(index)).collect::<Result<Vec<_>, _>>()?;
                entry(&name.text, &indices)
            }
            _ => return Err(Reported),
        };
        let labels = self.labels.as_ref().ok_or(Reported)?;
        let Some(row) = labels.iter().position(|known| known.as_deref() == Some(label.as_str())) else {
            let known: Vec<String> = labels.iter().flatten().cloned().collect();
            return self.report(ast, || {
                let error = Error::new(ast.at, format!("no constraint has the label `{label}`"));
                match nearest(&label, known.iter().map(String::as_str)) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None if known.is_empty() => {
                        error.help(format!("a constraint gets one like this: `constraints({label}: dz = 0)`"))
                    }
                    None => error.help(format!("labels are {}", quoted(&known, "and"))),
                }
            });
        };
        if let Some((_, symbol)) = self.multipliers.iter().find(|(place, _)| *place == row) {
            return Ok(*symbol);
        }
        let symbol = self.pool.fresh_symbol(&format!("lambda({label})"));
        self.multipliers.push((row, symbol));
        Ok(symbol)
    }

    /// The places of the entries of an array among the parameters.
    fn parameter_array(&self, ast: &Ast) -> Result<std::ops::Range<usize>, Reported> {
        let Kind::Name(name) = &ast.kind else { return Err(Reported) };
        match self.scope.meaning(name) {
            Some(Meaning::Parameter(first, Some(length))) => {
                let range = first..first + length;
                if range.end <= self.symbols.parameters.len() { Ok(range) } else { Err(Reported) }
            }
            _ => Err(Reported),
        }
    }

    fn call_of_numbers(
        &mut self,
        ast: &Ast,
        function: &Name,
        arguments: &[Ast],
        lowered: &[Expr],
    ) -> Result<Expr, Reported> {
        let [x, ..] = lowered[..] else { return Err(Reported) };
        let e = match function.text.as_str() {
            "sqrt" => self.pool.sqrt(x),
            "abs" => self.pool.abs(x),
            "sign" => self.pool.sign(x),
            "step" => {
                let (zero, one) = (self.pool.zero(), self.pool.one());
                self.pool.select(x, one, zero)
            }
            "min" | "max" => {
                let [a, b] = lowered[..] else { return Err(Reported) };
                if function.text == "min" { self.pool.min(a, b) } else { self.pool.max(a, b) }
            }
            "clamp" => {
                let [x, low, high] = lowered[..] else { return Err(Reported) };
                let above = self.pool.max(x, low);
                self.pool.min(above, high)
            }
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

    /// Σ ∂e/∂qᵢ rᵢ + ∂e/∂t r: the time derivative or the differential of a function of the coordinates and time.
    pub(crate) fn total_derivative(&mut self, e: Expr, rates: &[Expr], of_time: Expr) -> Expr {
        let variables = [&self.symbols.coordinates[..], &[self.symbols.t]].concat();
        let gradient = self.pool.gradient(e, &variables);
        let rates = rates.iter().chain([&of_time]);
        let terms: Vec<Expr> = gradient.iter().zip(rates).map(|(&g, &r)| self.pool.mul(g, r)).collect();
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
    pub(crate) fn bounds(&mut self, range: &Range) -> Result<std::ops::Range<i64>, Reported> {
        Ok(self.integer(&range.from)?..self.integer(&range.to)?)
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
