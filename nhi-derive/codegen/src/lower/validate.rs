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

/// Whether it is so, or what is not.
type Checked = Result<(), &'static str>;

/// That something holds.
fn require(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(what) }
}

impl Function {
    /// Panics unless every value is assigned once and before its use, values without a name are used once, in the block
    /// that assigns them and before another effect, and inner blocks hold neither loops nor checks.
    pub fn validate(&self) {
        if let Err(what) = self.check() {
            panic!("{}: {what} does not hold in\n{self}", self.name);
        }
    }

    /// The same for functions that were not lowered just now, but read.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self) -> Result<(), &'static str> {
        let mut check =
            Check { function: self, states: vec![State::Unknown; self.names.len()], block: 0, effects: 0 };
        for argument in &self.arguments {
            require(!argument.scalar || argument.values.len() == 1, "a scalar argument is one number")?;
            argument.values.iter().try_for_each(|&value| check.assign(value))?;
        }
        check.statements(&self.body, true)?;
        for output in &self.outputs {
            require(!output.scalar || output.values.len() == 1, "a scalar result is one number")?;
            check.operands(&output.values)?;
        }
        check.all_used()
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
    /// What is known of a value.
    fn state(&self, value: Value) -> State {
        self.states.get(value.index()).copied().unwrap_or(State::Unknown)
    }

    /// Whether a value has a name.
    fn is_named(&self, value: Value) -> bool {
        self.function.names.get(value.index()).is_some_and(Option::is_some)
    }

    fn assign(&mut self, value: Value) -> Checked {
        require(value.index() < self.states.len(), "values have an entry in the names")?;
        require(self.state(value) == State::Unknown, "values are assigned once")?;
        self.states[value.index()] = match self.is_named(value) {
            true => State::Named,
            false => State::Unnamed(self.block, self.effects),
        };
        Ok(())
    }

    fn operands(&mut self, operands: &[Operand]) -> Checked {
        for operand in operands {
            let Operand::Value(value) = operand else { continue };
            let state = self.state(*value);
            require(state != State::Unknown, "values are assigned before their only or first use")?;
            if let State::Unnamed(block, effects) = state {
                let right_away = (block, effects) == (self.block, self.effects);
                require(right_away, "unnamed values are used right away")?;
                self.states[value.index()] = State::Unknown;
            }
        }
        Ok(())
    }

    fn statements(&mut self, statements: &[Statement], outermost: bool) -> Checked {
        for statement in statements {
            self.operands(&statement.operands())?;
            match statement {
                Statement::Equation(_) | Statement::Pivot { .. } => self.effects += 1,
                Statement::Newton(newton) => self.newton(newton)?,
                Statement::Map { to, map, group, arguments } => {
                    let lengths: Vec<usize> = arguments.iter().map(Vec::len).collect();
                    require(lengths == map.arguments(group), "maps have their arguments")?;
                    require(to.len() == map.results(group), "maps have their results")?;
                    let results = statement.results();
                    let inline = results.len() > 1 && results.iter().any(|&value| !self.is_named(value));
                    require(!inline, "several numbers of a map are named")?;
                }
                Statement::Saddle { to, saddle, known, pivots, body, equations } => {
                    let [.., rhs] = saddle.equations();
                    let lengths = [pivots.len(), equations.len()];
                    require(lengths == [saddle.pivots, rhs.end], "equations have their numbers")?;
                    self.rare(body, equations)?;
                    let are_places = to.iter().all(|&(place, _)| place < rhs.len());
                    require(are_places && to.len() == known.len(), "equations have their results")?;
                    let are_named = statement.results().iter().all(|&value| self.is_named(value));
                    require(are_named, "numbers of a solution are named")?;
                }
                Statement::Let { .. } | Statement::SinCos { .. } => {}
            }
            let effect = matches!(statement, Statement::Newton(_) | Statement::Pivot { .. });
            require(outermost || !effect, "an inner block holds neither loops nor checks")?;
            statement.results().into_iter().try_for_each(|value| self.assign(value))?;
        }
        Ok(())
    }

    /// Statements of a block of their own, and what they are for.
    fn rare(&mut self, body: &[Statement], results: &[Operand]) -> Checked {
        let outside = (self.states.clone(), self.block, self.effects);
        for state in self.states.iter_mut().filter(|state| matches!(state, State::Unnamed(..))) {
            *state = State::Unknown;
        }
        self.effects += 1;
        self.block = self.effects;
        self.statements(body, false)?;
        self.operands(results)?;
        self.all_used()?;
        (self.states, self.block, self.effects) = outside;
        Ok(())
    }

    fn newton(&mut self, newton: &Newton) -> Checked {
        let n = newton.unknowns.len();
        let lengths = [newton.solution.len(), newton.guess.len(), newton.weights.len(), newton.delta.len()];
        require(lengths == [n; 4] && [0, n].contains(&newton.fallback.len()), "as many of all as unknowns")?;
        require(newton.derivatives.is_none() || n == 1, "derivatives are those of one equation")?;
        let outside = (self.states.clone(), self.block);
        self.effects += 1;
        self.block = self.effects;
        newton.unknowns.iter().try_for_each(|&value| self.assign(value))?;
        self.statements(&newton.body, false)?;
        self.operands(&newton.delta)?;
        for &(inside, _) in &newton.last_iterate {
            require(self.state(inside) == State::Named, "values of the last iterate are named")?;
        }
        self.all_used()?;
        if let Some((statements, derivatives)) = &newton.derivatives {
            self.effects += 1;
            self.block = self.effects;
            self.statements(statements, false)?;
            self.operands(derivatives)?;
            self.all_used()?;
        }
        (self.states, self.block) = outside;
        self.effects += 1;
        Ok(())
    }

    /// Unnamed values that are left over are not used.
    fn all_used(&self) -> Checked {
        let is_left = |state: &State| matches!(state, State::Unnamed(..));
        require(!self.states.iter().any(is_left), "unnamed values are used")
    }
}
