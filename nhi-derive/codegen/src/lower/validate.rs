//! What every lowered function satisfies. A violation is a bug of this crate, not of a declaration.

use super::{Function, Newton, Operand, Statement, Value};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not assigned, or out of scope.
    Unknown,
    /// Assigned, with a name.
    Named,
    /// Assigned in that block after so many effects; without a name, and not used yet.
    Unnamed(usize, usize),
}

impl Function {
    /// Panics unless every value is assigned once and before its use, values without a name are used once, in the block
    /// that assigns them and before another effect, and inner blocks hold neither loops nor checks.
    pub fn validate(&self) {
        let mut check =
            Check { function: self, states: vec![State::Unknown; self.names.len()], block: 0, effects: 0 };
        for argument in &self.arguments {
            check.require(!argument.scalar || argument.values.len() == 1, "a scalar argument is one number");
            argument.values.iter().for_each(|&value| check.assign(value));
        }
        check.statements(&self.body, true);
        for output in &self.outputs {
            check.require(!output.scalar || output.values.len() == 1, "a scalar result is one number");
            check.operands(&output.values);
        }
        check.all_used();
    }
}

struct Check<'a> {
    function: &'a Function,
    states: Vec<State>,
    /// Number of the block.
    block: usize,
    /// Effects so far, of which unnamed values must not be on different sides.
    effects: usize,
}

impl Check<'_> {
    fn require(&self, holds: bool, what: &str) {
        assert!(holds, "{}: {what} does not hold in\n{}", self.function.name, self.function);
    }

    fn assign(&mut self, value: Value) {
        let name = self.function.names.get(value.index());
        self.require(name.is_some(), "values have an entry in the names");
        self.require(self.states[value.index()] == State::Unknown, "values are assigned once");
        self.states[value.index()] = match name {
            Some(Some(_)) => State::Named,
            _ => State::Unnamed(self.block, self.effects),
        };
    }

    fn operands(&mut self, operands: &[Operand]) {
        for operand in operands {
            let Operand::Value(value) = operand else { continue };
            let state = self.states.get(value.index()).copied().unwrap_or(State::Unknown);
            self.require(state != State::Unknown, "values are assigned before their only or first use");
            if let State::Unnamed(block, effects) = state {
                let right_away = (block, effects) == (self.block, self.effects);
                self.require(right_away, "unnamed values are used right away");
                self.states[value.index()] = State::Unknown;
            }
        }
    }

    fn statements(&mut self, statements: &[Statement], outermost: bool) {
        for statement in statements {
            self.operands(&statement.operands());
            match statement {
                Statement::Equation(_) | Statement::Pivot { .. } => self.effects += 1,
                Statement::Newton(newton) => self.newton(newton),
                Statement::Map { to, map, group, arguments } => {
                    let lengths: Vec<usize> = arguments.iter().map(Vec::len).collect();
                    self.require(lengths == map.arguments(group), "maps have their arguments");
                    self.require(to.len() == map.results(group), "maps have their results");
                    let is_inline = |value: &Value| self.function.names[value.index()].is_none();
                    let results = statement.results();
                    let inline = results.len() > 1 && results.iter().any(is_inline);
                    self.require(!inline, "several numbers of a map are named");
                }
                Statement::Saddle { to, saddle, known, pivots, body, equations } => {
                    let [.., rhs] = saddle.equations();
                    let lengths = [pivots.len(), equations.len()];
                    self.require(lengths == [saddle.pivots, rhs.end], "equations have their numbers");
                    self.rare(body, equations);
                    let are_places = to.iter().all(|&(place, _)| place < rhs.len());
                    self.require(are_places && to.len() == known.len(), "equations have their results");
                    let is_named = |value: &Value| self.function.names[value.index()].is_some();
                    self.require(statement.results().iter().all(is_named), "numbers of a solution are named");
                }
                Statement::Let { .. } | Statement::SinCos { .. } => {}
            }
            let effect = matches!(statement, Statement::Newton(_) | Statement::Pivot { .. });
            self.require(outermost || !effect, "an inner block holds neither loops nor checks");
            statement.results().into_iter().for_each(|value| self.assign(value));
        }
    }

    /// Statements of a block of their own, and what they are for.
    fn rare(&mut self, body: &[Statement], results: &[Operand]) {
        let outside = (self.states.clone(), self.block, self.effects);
        for state in self.states.iter_mut().filter(|state| matches!(state, State::Unnamed(..))) {
            *state = State::Unknown;
        }
        self.effects += 1;
        self.block = self.effects;
        self.statements(body, false);
        self.operands(results);
        self.all_used();
        (self.states, self.block, self.effects) = outside;
    }

    fn newton(&mut self, newton: &Newton) {
        let n = newton.unknowns.len();
        let lengths = [newton.solution.len(), newton.guess.len(), newton.weights.len(), newton.delta.len()];
        self.require(
            lengths == [n; 4] && [0, n].contains(&newton.fallback.len()),
            "as many of all as unknowns",
        );
        self.require(newton.derivatives.is_none() || n == 1, "derivatives are those of one equation");
        let outside = (self.states.clone(), self.block);
        self.effects += 1;
        self.block = self.effects;
        newton.unknowns.iter().for_each(|&value| self.assign(value));
        self.statements(&newton.body, false);
        self.operands(&newton.delta);
        for &(inside, _) in &newton.last_iterate {
            self.require(self.states[inside.index()] == State::Named, "values of the last iterate are named");
        }
        self.all_used();
        if let Some((statements, derivatives)) = &newton.derivatives {
            self.effects += 1;
            self.block = self.effects;
            self.statements(statements, false);
            self.operands(derivatives);
            self.all_used();
        }
        (self.states, self.block) = outside;
        self.effects += 1;
    }

    /// Unnamed values that are left over are not used.
    fn all_used(&self) {
        let is_left = |state: &State| matches!(state, State::Unnamed(..));
        self.require(!self.states.iter().any(is_left), "unnamed values are used");
    }
}
