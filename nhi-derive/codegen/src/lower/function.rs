//! Programs in lowered form.

use super::{Argument, Function, Newton, Operand, Operation, Output, SinCos, Statement, Value};
use crate::expr::Table;
use crate::expr::group::Map;
use crate::expr::{Expr, Node, Pool, Saddle};
use crate::program::{self, Arrival, Constants, Operations, Prediction, Program, Turn, usual};
use std::collections::{BTreeMap, HashMap};

/// The lowered form of `program`.
///
/// A value that is computed once and used several times gets a name, so that programs need not be optimised.
pub fn lower(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Function {
    let operations = Operations::of(pool, constants, program);
    let arrival = Arrival::of(pool, constants, program);
    let (rest, deferred) = program.deferred(pool);
    let solutions = Solutions::of(pool, &rest);
    let mut lowering = Lowering::new(pool, constants, arrival, solutions);
    let mut arguments = Vec::new();
    for input in &program.inputs {
        let values = input.symbols.iter().map(|&symbol| lowering.bind(symbol)).collect();
        arguments.push(Argument { role: input.role.clone(), values, scalar: input.scalar });
    }
    lowering.statements(&rest.body, &mut deferred.into_iter());
    let mut outputs = Vec::new();
    for output in &program.outputs {
        let values = lowering.operands(&output.values);
        outputs.push(Output { role: output.role.clone(), values, scalar: output.scalar });
    }
    let body = lowering.close();
    let function = Function {
        name: program.name.clone(),
        doc: program.doc.clone(),
        arguments,
        body,
        outputs,
        names: lowering.names,
        operations,
    };
    function.validate();
    function
}

/// Linear equations with their pivots, whatever is known of their solution.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Equations {
    saddle: Saddle,
    numbers: Vec<Expr>,
}

impl Equations {
    /// The equations of one number of a solution.
    fn of(saddle: Saddle, arguments: &[Expr]) -> Equations {
        let known = saddle.results().len();
        Equations {
            saddle: Saddle { is_multiplier: false, index: 0, ..saddle },
            numbers: arguments[known..].to_vec(),
        }
    }
}

/// What a program has of solutions of linear equations.
#[derive(Default)]
struct Solutions {
    /// Symbols that only rare solutions are made of, with their values.
    rare: HashMap<Expr, Expr>,
    /// The numbers that are read in any case: their places in (x, λ), and what is known of them.
    read: HashMap<Equations, BTreeMap<usize, Expr>>,
}

impl Solutions {
    fn of(pool: &Pool, program: &Program) -> Solutions {
        let mut solutions = Solutions::default();
        let usual = usual(pool, program);
        for e in pool.reachable(&program.values()) {
            if let Node::Saddle(saddle, arguments) = pool.node(e)
                && usual.contains(e)
            {
                let all = solutions.read.entry(Equations::of(*saddle, arguments)).or_default();
                all.insert(saddle.results().start + saddle.index, arguments[saddle.index]);
            }
        }
        if !solutions.read.is_empty() {
            let is_rare = |(symbol, _): &(Expr, Expr)| !usual.contains(*symbol);
            solutions.rare = program.lets().into_iter().filter(is_rare).collect();
        }
        solutions
    }
}

/// The statements of one block, and what they compute.
#[derive(Default)]
struct Block {
    statements: Vec<Statement>,
    /// Operands of the expressions that have been computed.
    computed: HashMap<Expr, Operand>,
    /// Where a map of these arguments is computed.
    maps: HashMap<(Map, Vec<Expr>), usize>,
    /// What solutions of equations have given.
    solutions: HashMap<(Equations, usize), Value>,
    /// Powers of values with these exponents.
    powers: HashMap<(Value, u64), Operand>,
}

/// Lowers one program.
pub(super) struct Lowering<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) constants: &'a mut Constants,
    /// Arrival times.
    pub(super) arrival: Arrival,
    /// When each symbol was bound.
    order: HashMap<Expr, usize>,
    /// When the last symbol of an expression was bound.
    known_at: Table<usize>,
    /// The values of symbols.
    values: HashMap<Expr, Value>,
    solutions: Solutions,
    names: Vec<Option<String>>,
    uses: Vec<usize>,
    /// The blocks that are open, the innermost one last.
    blocks: Vec<Block>,
    /// Whether the innermost one is that of a rare solution.
    is_rare: bool,
}

impl<'a> Lowering<'a> {
    fn new(pool: &'a mut Pool, constants: &'a mut Constants, arrival: Arrival, solutions: Solutions) -> Self {
        Lowering {
            pool,
            constants,
            arrival,
            order: HashMap::new(),
            known_at: Table::new(),
            values: HashMap::new(),
            solutions,
            names: Vec::new(),
            uses: Vec::new(),
            blocks: vec![Block::default()],
            is_rare: false,
        }
    }

    fn block(&mut self) -> &mut Block {
        self.blocks.last_mut().expect("a block is open")
    }

    fn add(&mut self, statement: Statement) {
        self.block().statements.push(statement);
    }

    /// Closes the innermost block: its statements.
    fn close(&mut self) -> Vec<Statement> {
        let block = self.blocks.pop().expect("a block is open");
        for statement in &block.statements {
            // Only one number of a map can be written in place of its use.
            let is_inline = match statement {
                Statement::Map { .. } => statement.results().len() < 2,
                Statement::Saddle { .. } => false,
                _ => true,
            };
            if !is_inline {
                statement.results().into_iter().for_each(|value| self.name(value));
            }
        }
        block.statements
    }

    fn new_value(&mut self) -> Value {
        self.names.push(None);
        self.uses.push(0);
        Value(u32::try_from(self.names.len() - 1).expect("fewer than 2^32 values"))
    }

    /// Gives a value a name if it has none.
    fn name(&mut self, value: Value) {
        if self.names[value.index()].is_none() {
            let symbol = self.pool.fresh_symbol("shared");
            self.names[value.index()] = Some(self.symbol_name(symbol));
        }
    }

    fn symbol_name(&self, symbol: Expr) -> String {
        self.pool.as_symbol(symbol).map_or_else(String::new, |s| self.pool.name(s).to_owned())
    }

    /// What a symbol stands for that has no value, because only rare solutions need it.
    pub(super) fn rare(&self, symbol: Expr) -> Option<Expr> {
        self.solutions.rare.get(&symbol).copied()
    }

    /// Binds a symbol to a new value.
    fn bind(&mut self, symbol: Expr) -> Value {
        let value = self.new_value();
        self.bind_to(symbol, value);
        value
    }

    fn bind_to(&mut self, symbol: Expr, value: Value) {
        let next = self.order.len() + 1;
        self.order.entry(symbol).or_insert(next);
        self.names[value.index()] = Some(self.symbol_name(symbol));
        self.values.insert(symbol, value);
    }

    /// When the last symbol in `e` was bound.
    pub(super) fn known_at(&mut self, e: Expr) -> usize {
        if let Some(&known) = self.known_at.get(e) {
            return known;
        }
        let mut known = self.order.get(&e).copied().unwrap_or(0);
        for child in self.pool.children(e) {
            known = known.max(self.known_at(child));
        }
        self.known_at.insert(e, known);
        known
    }

    /// The operand that `e` has been computed as, if it has.
    pub(super) fn computed(&self, e: Expr) -> Option<Operand> {
        match self.values.get(&e) {
            Some(&value) => Some(Operand::Value(value)),
            None => self.blocks.iter().rev().find_map(|block| block.computed.get(&e)).copied(),
        }
    }

    pub(super) fn remember(&mut self, e: Expr, operand: Operand) {
        self.block().computed.insert(e, operand);
    }

    /// The power of a value with this exponent, the product of two operands.
    pub(super) fn power_of(&mut self, base: Operand, n: u64, [a, b]: [Operand; 2]) -> Operand {
        let Operand::Value(value) = base else { return self.operation(Operation::Mul(a, b)) };
        let known = self.blocks.iter().rev().find_map(|block| block.powers.get(&(value, n)));
        if let Some(&known) = known {
            return known;
        }
        let power = self.operation(Operation::Mul(a, b));
        self.block().powers.insert((value, n), power);
        power
    }

    /// Notes a use.
    fn used(&mut self, operand: Operand) {
        let Operand::Value(value) = operand else { return };
        self.uses[value.index()] += 1;
        if self.uses[value.index()] > 1 {
            self.name(value);
        }
    }

    /// What `operation` computes.
    pub(super) fn operation(&mut self, operation: Operation) -> Operand {
        operation.operands().into_iter().for_each(|x| self.used(x));
        let to = self.new_value();
        self.add(Statement::Let { to, operation });
        Operand::Value(to)
    }

    /// Number `index` of what `map` gives for these arguments.
    pub(super) fn number_of_map(&mut self, entry: crate::expr::group::Entry, arguments: &[Expr]) -> Operand {
        let key = (entry.map, arguments.to_vec());
        let known = self.blocks.iter().enumerate().rev();
        let known = known.filter_map(|(depth, block)| Some((depth, *block.maps.get(&key)?))).next();
        let (depth, at) = known.unwrap_or_else(|| {
            let all = self.operands(arguments);
            let mut rest = all.as_slice();
            let mut groups = Vec::new();
            for length in entry.map.arguments(entry.group) {
                let (group, others) = rest.split_at(length);
                groups.push(group.to_vec());
                rest = others;
            }
            let (depth, to) = (self.blocks.len() - 1, vec![None; entry.map.results(entry.group)]);
            let at = self.block().statements.len();
            self.add(Statement::Map { to, map: entry.map, group: entry.group, arguments: groups });
            self.block().maps.insert(key, at);
            (depth, at)
        });
        let fresh = self.new_value();
        let Statement::Map { to, .. } = &mut self.blocks[depth].statements[at] else {
            unreachable!("only maps are registered as maps")
        };
        Operand::Value(*to[entry.index].get_or_insert(fresh))
    }

    /// That number of the solution of equations with these arguments.
    pub(super) fn number_of_saddle(&mut self, saddle: Saddle, arguments: &[Expr]) -> Operand {
        let place = saddle.results().start + saddle.index;
        let key = (Equations::of(saddle, arguments), place);
        if let Some(&value) = self.blocks.iter().rev().find_map(|block| block.solutions.get(&key)) {
            return Operand::Value(value);
        }
        let (equations, place) = key;
        let mut results = BTreeMap::from([(place, arguments[saddle.index])]);
        if !self.is_rare {
            let read = self.solutions.read.get(&equations).cloned().unwrap_or_default();
            let is_solved = |place: usize| {
                self.blocks.iter().any(|block| block.solutions.contains_key(&(equations.clone(), place)))
            };
            let is_new = |&(place, known): &(usize, Expr)| !is_solved(place) && self.is_known(known);
            results.extend(read.into_iter().filter(is_new));
        }
        let known: Vec<Operand> = results.values().map(|&e| self.operand(e)).collect();
        let (pivots, numbers) = equations.numbers.split_at(2 * saddle.pivots);
        let pivots = pivots.chunks(2).map(|pair| [self.operand(pair[0]), self.operand(pair[1])]).collect();
        self.blocks.push(Block::default());
        let outside = std::mem::replace(&mut self.is_rare, true);
        let numbers = self.operands(numbers);
        self.is_rare = outside;
        let body = self.close();
        let to: Vec<(usize, Value)> = results.into_keys().map(|place| (place, self.new_value())).collect();
        for &(place, value) in &to {
            self.block().solutions.insert((equations.clone(), place), value);
        }
        let value = self.block().solutions[&(equations.clone(), place)];
        self.add(Statement::Saddle { to, saddle: equations.saddle, known, pivots, body, equations: numbers });
        Operand::Value(value)
    }

    /// Whether all symbols in `e` have values.
    fn is_known(&self, e: Expr) -> bool {
        let mut reachable = self.pool.reachable(&[e]).into_iter();
        reachable.all(|e| self.pool.as_symbol(e).is_none() || self.values.contains_key(&e))
    }

    /// Operands of a statement that uses them.
    fn operands(&mut self, all: &[Expr]) -> Vec<Operand> {
        all.iter().map(|&e| self.operand(e)).collect()
    }

    /// An operand of a statement that uses it.
    fn operand(&mut self, e: Expr) -> Operand {
        let operand = self.expression(e);
        self.used(operand);
        operand
    }

    /// Lowers statements; of each loop, `deferred` gives those that only derivatives need.
    fn statements(
        &mut self,
        statements: &[program::Statement],
        deferred: &mut dyn Iterator<Item = Vec<program::Statement>>,
    ) {
        let mut rest = statements;
        while let [statement, others @ ..] = rest {
            rest = others;
            if let Some((pair, others)) = self.pair(statement, others) {
                self.sin_cos(&pair);
                rest = others;
                continue;
            }
            match statement {
                program::Statement::Equation(text) => self.add(Statement::Equation(text.clone())),
                program::Statement::Let { symbol, .. } if self.solutions.rare.contains_key(symbol) => {
                    let next = self.order.len() + 1;
                    self.order.insert(*symbol, next);
                }
                program::Statement::Let { symbol, value } => {
                    let value = match self.expression(*value) {
                        Operand::Value(value) if self.names[value.index()].is_none() => value,
                        named => match self.operation(Operation::Copy(named)) {
                            Operand::Value(value) => value,
                            Operand::Constant(_) => unreachable!("an operation has a value"),
                        },
                    };
                    self.bind_to(*symbol, value);
                }
                program::Statement::Pivot { pivot, diagonal, what } => {
                    let [pivot, diagonal] = [pivot, diagonal].map(|&e| self.operand(e));
                    self.add(Statement::Pivot { pivot, diagonal, what: *what });
                }
                program::Statement::Turn(turn) => self.turn(turn),
                program::Statement::Newton(newton) => {
                    let deferred = deferred.next().unwrap_or_default();
                    self.newton(newton, &deferred);
                }
            }
        }
    }

    /// Sine and cosine of one angle, if the first two statements bind them, and the statements after them.
    fn pair<'s>(
        &self,
        first: &program::Statement,
        rest: &'s [program::Statement],
    ) -> Option<(Pair, &'s [program::Statement])> {
        use program::Statement::Let;
        let (&Let { symbol: a, value: x }, [Let { symbol: b, value: y }, rest @ ..]) = (first, rest) else {
            return None;
        };
        if [a, *b].iter().any(|symbol| self.solutions.rare.contains_key(symbol)) {
            return None;
        }
        let (&Node::Call(f, angle), &Node::Call(g, other)) = (self.pool.node(x), self.pool.node(*y)) else {
            return None;
        };
        let (partner, is_sine, both) = f.partner()?;
        let [sine, cosine] = if is_sine { [(a, x), (*b, *y)] } else { [(*b, *y), (a, x)] };
        let by = if both == "sin_cos" { SinCos::Any } else { SinCos::Small };
        (g == partner && angle == other).then_some((Pair { angle, by, sines: [sine, cosine] }, rest))
    }

    fn sin_cos(&mut self, pair: &Pair) {
        let angle = self.operand(pair.angle);
        let to = pair.sines.map(|(symbol, value)| {
            let to = self.bind(symbol);
            self.remember(value, Operand::Value(to));
            Some(to)
        });
        self.add(Statement::SinCos { to, angle, by: pair.by });
    }

    fn turn(&mut self, turn: &Turn) {
        let angle = self.operand(turn.angle);
        let by = match turn.prediction {
            Prediction::Exact(_) => SinCos::Exact { sines: turn.known.map(|e| self.operand(e)) },
            Prediction::Corrected(by) => {
                let [from, by] = [turn.from, by].map(|e| self.operand(e));
                SinCos::Corrected { from, by, sines: turn.known.map(|e| self.operand(e)) }
            }
            Prediction::None => {
                let from = self.operand(turn.from);
                SinCos::Rotated { from, sines: turn.known.map(|e| self.operand(e)) }
            }
        };
        let to = turn.sines.map(|symbol| Some(self.bind(symbol)));
        self.add(Statement::SinCos { to, angle, by });
    }

    fn newton(&mut self, newton: &program::Newton, deferred: &[program::Statement]) {
        let [guess, fallback, weights] =
            [&newton.guess, &newton.fallback, &newton.weights].map(|all| self.operands(all));
        let scale2 = self.operand(newton.scale2);
        let unknowns: Vec<Value> = newton.unknowns.iter().map(|&symbol| self.bind(symbol)).collect();
        self.blocks.push(Block::default());
        self.statements(&newton.body, &mut std::iter::empty());
        let delta = self.operands(&newton.delta);
        let kept: Vec<Value> = newton.last_iterate.iter().map(|symbol| self.values[symbol]).collect();
        let derivatives = <[Expr; 3]>::try_from(newton.derivatives.as_slice()).ok().map(|slopes| {
            self.blocks.push(Block::default());
            self.statements(deferred, &mut std::iter::empty());
            let slopes = slopes.map(|e| self.operand(e));
            (self.close(), slopes)
        });
        let body = self.close();
        let solution = newton.unknowns.iter().map(|&symbol| self.bind(symbol)).collect();
        let after: Vec<Value> = newton.last_iterate.iter().map(|&symbol| self.bind(symbol)).collect();
        let last_iterate = kept.into_iter().zip(after).collect();
        self.add(Statement::Newton(Box::new(Newton {
            unknowns,
            solution,
            guess,
            fallback,
            weights,
            scale2,
            is_sharp: newton.is_sharp,
            jumps: newton.jumps,
            equations: newton.equations.clone(),
            body,
            delta,
            derivatives,
            last_iterate,
        })));
    }
}

/// Statements that bind sine and cosine of one angle.
struct Pair {
    angle: Expr,
    by: SinCos,
    /// Symbols and values of the sine and the cosine.
    sines: [(Expr, Expr); 2],
}
