//! Steps together with the state that they carry from one to the next.
//!
//! Every number that a step carries beside (q, v, λ, z) is a [`StateEntry`]. Its value at a start, its value for another
//! step size, its re-synchronisation and its documentation follow from the entry; here they become programs.

use super::liveness::drop_unused;
use super::{Binding, Input, Output, Program, Role, Statement, Turn, lets, without_idle_headings};
use crate::expr::{Expr, Function, Node, Pool, Rational};
use num_traits::One;
use std::collections::{BTreeMap, BTreeSet};

/// Longest formula in the documentation of an entry.
const MAX_FORMULA: usize = 60;

/// What a number of the carried state is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Carried {
    /// A function of (q, v, t) that both this step and the next one need.
    Cached,
    /// An intermediate value of the scheme: the step begins after it.
    Intermediate,
    /// A component of the velocity, or a momentum coordinate, in the scheme's frame: the step begins with it.
    Component,
    /// A coordinate at the midpoint of the next step.
    Midpoint,
    /// Number `velocity` among the entries of the velocity with this role, times the entry's unit.
    Increment {
        /// The velocity's role.
        of: Role,
        /// Its place among the entries of that role.
        index: usize,
    },
    /// The last solution of Newton's method.
    Solution,
    /// The error of the scheme's initial guess for Newton's method, `lag` steps before the last one.
    Error {
        /// 0 for that of the last step.
        lag: usize,
    },
    /// The part of the next initial guess that does not wait for the last solution.
    OlderErrors,
    /// The angle that a carried sine and cosine belong to, before the predicted rotation if there is one.
    Angle {
        /// Symbol of the predicted rotation.
        rotation: Option<Expr>,
    },
    /// The predicted rotation of an angle.
    Rotation,
    /// Sine of an angle of the state, after the predicted rotation if there is one.
    Sine(Rotated),
    /// Cosine of such an angle.
    Cosine(Rotated),
}

/// Symbols of an angle of the state and of its predicted rotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rotated {
    /// The angle: a coordinate or an entry.
    pub angle: Expr,
    /// The predicted rotation, an entry.
    pub rotation: Option<Expr>,
}

/// Treatment of an entry when the next step has another size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rescale {
    /// It does not depend on the step size.
    Keep,
    /// It is computed from the state as at a start.
    Restart,
}

/// One number that a step carries beside configuration, velocity, multipliers and auxiliary states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateEntry {
    /// Its symbol in the step, an input.
    pub symbol: Expr,
    /// What it is.
    pub role: Carried,
    /// c if it is what the role says times c·h.
    pub unit: Option<Rational>,
    /// Its value at a start, of parameters, h, q, v, λ, z and t, and what [`StepProgram::start`] binds.
    pub start: Expr,
    /// Its value for another step size.
    pub rescale: Rescale,
}

impl StateEntry {
    /// An entry in the units of its role.
    pub fn new(symbol: Expr, role: Carried, start: Expr, rescale: Rescale) -> StateEntry {
        StateEntry { symbol, role, unit: None, start, rescale }
    }

    /// What the entry is, in one sentence.
    pub fn doc(&self, pool: &Pool, step: &Program) -> String {
        let show = |e: Expr| pool.show(e).to_string();
        let start =
            Some(show(self.start)).filter(|text| text.len() <= MAX_FORMULA && self.start != self.symbol);
        let formula = |text: &str| match &start {
            Some(start) => format!("{text}: `{start}` at a start"),
            None => text.to_owned(),
        };
        let angle = |of: &Rotated| match of.rotation {
            Some(by) => format!("`{} + {}`", show(of.angle), show(by)),
            None => format!("`{}`", show(of.angle)),
        };
        let what = match &self.role {
            Carried::Cached => formula("Value that this step has computed for the next one"),
            Carried::Intermediate => "Intermediate value with which the next step begins".into(),
            Carried::Component => "Component in the frame with which the next step begins".into(),
            Carried::Midpoint => formula("Coordinate at the midpoint of the next step"),
            Carried::Increment { of, index } => {
                let velocity = step.symbols(of).get(*index).map_or_else(String::new, |&v| show(v));
                format!("Velocity `{velocity}`")
            }
            Carried::Solution => "Solution of the last step".into(),
            Carried::Error { lag: 0 } => "Error of the scheme's last initial guess".into(),
            Carried::Error { lag } => {
                format!("Error of the scheme's initial guess {lag} steps before the last one")
            }
            Carried::OlderErrors => "Part of the next initial guess that was known a step before".into(),
            Carried::Angle { rotation: None } => "Angle of the carried sine and cosine".into(),
            Carried::Angle { rotation: Some(by) } => {
                format!("Angle before the predicted rotation `{}`", show(*by))
            }
            Carried::Rotation => "Predicted rotation of an angle in the next step".into(),
            Carried::Sine(of) => format!("Sine of {}", angle(of)),
            Carried::Cosine(of) => format!("Cosine of {}", angle(of)),
        };
        match &self.unit {
            Some(c) => {
                let factor = if c.numer().is_one() { String::new() } else { format!("{}*", c.numer()) };
                let divisor = if c.denom().is_one() { String::new() } else { format!("/{}", c.denom()) };
                format!("{what}, times `{factor}h{divisor}`.")
            }
            None => format!("{what}."),
        }
    }
}

/// A step and the state that it carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepProgram {
    /// The step, with an input and an output [`Role::Carried`] for the entries if there are any.
    pub program: Program,
    /// Whether its states belong to one step size, as momenta do that are reflected.
    pub has_one_size: bool,
    /// What the starts of the entries need: `Let`s, and the pivots that a step leaves to the step before.
    pub start: Vec<Statement>,
    entries: Vec<StateEntry>,
}

impl StepProgram {
    /// `program`, which has no input [`Role::Carried`]. `has_one_size` says that its states belong to one step size.
    ///
    /// Where its outputs are values that it reads of the state ([`Role::PreviousCarried`]) and the same values of the state at its
    /// end ([`Role::Carried`]), the step carries them and begins after them.
    pub fn new(pool: &Pool, mut program: Program, has_one_size: bool) -> StepProgram {
        let mut take = |role: Role| {
            let place = program.outputs.iter().position(|o| o.role == role);
            place.map_or_else(Vec::new, |i| program.outputs.remove(i).values)
        };
        let (read, next) = (take(Role::PreviousCarried), take(Role::Carried));
        let bound: BTreeSet<Expr> = lets(&program.body).map(|(symbol, _)| symbol).collect();
        // A number of the state itself needs no entry.
        let pairs: Vec<(Expr, Expr)> =
            read.into_iter().zip(next).filter(|(symbol, _)| bound.contains(symbol)).collect();
        let is_read = |statement: &Statement| matches!(statement, Statement::Let { symbol, .. } if pairs.iter().any(|(s, _)| s == symbol));
        let begin = program.body.iter().rposition(is_read).map_or(0, |last| last + 1);
        let mut start: Vec<Statement> = program.body.drain(..begin).collect();
        start.retain(|statement| !matches!(statement, Statement::Equation(_)));
        let others = start.iter().filter(|s| matches!(s, Statement::Let { .. }) && !is_read(s)).cloned();
        program.body.splice(..0, others.collect::<Vec<_>>());
        let mut step = StepProgram { program, has_one_size, start, entries: Vec::new() };
        step.carry(pairs.into_iter().map(|(symbol, next)| {
            (StateEntry::new(symbol, Carried::Component, symbol, Rescale::Keep), next)
        }));
        drop_unused(pool, &mut step.program);
        step.program.body = without_idle_headings(std::mem::take(&mut step.program.body));
        step
    }

    /// The same step as `program` with these entries and their values for the next step.
    pub fn carrying(
        &self,
        program: Program,
        start: Vec<Statement>,
        entries: impl IntoIterator<Item = (StateEntry, Expr)>,
    ) -> StepProgram {
        let (entries, next) = entries.into_iter().unzip();
        let mut step = StepProgram { program, has_one_size: self.has_one_size, start, entries };
        step.set_carried(next);
        step
    }

    /// The entries, in the order of the input and output [`Role::Carried`].
    pub fn entries(&self) -> &[StateEntry] {
        &self.entries
    }

    /// The entries with their values for the next step.
    pub fn carried(&self) -> Vec<(StateEntry, Expr)> {
        self.entries.iter().cloned().zip(self.next()).collect()
    }

    /// The values of the entries for the next step.
    pub fn next(&self) -> Vec<Expr> {
        let output = self.program.outputs.iter().find(|o| o.role == Role::Carried);
        output.map_or_else(Vec::new, |o| o.values.clone())
    }

    /// Carries further numbers with these values for the next step.
    pub fn carry(&mut self, entries: impl IntoIterator<Item = (StateEntry, Expr)>) {
        let mut next = self.next();
        for (entry, value) in entries {
            self.entries.push(entry);
            next.push(value);
        }
        self.set_carried(next);
    }

    /// The entry of this symbol.
    pub fn entry(&self, symbol: Expr) -> Option<&StateEntry> {
        self.entries.iter().find(|entry| entry.symbol == symbol)
    }

    /// The same, to be changed.
    pub fn entry_mut(&mut self, symbol: Expr) -> Option<&mut StateEntry> {
        self.entries.iter_mut().find(|entry| entry.symbol == symbol)
    }

    fn set_carried(&mut self, values: Vec<Expr>) {
        if self.entries.is_empty() {
            return;
        }
        let symbols = self.entries.iter().map(|entry| entry.symbol).collect();
        let step = &mut self.program;
        let is_state = |i: &Input| i.role != Role::Carried && step.outputs.iter().any(|o| o.role == i.role);
        let after_state = step.inputs.iter().rposition(is_state).map_or(step.inputs.len(), |i| i + 1);
        step.outputs.retain(|o| o.role != Role::Carried);
        step.outputs.push(Output { role: Role::Carried, values, scalar: false });
        let input = Input { role: Role::Carried, symbols, binding: Binding::Step, scalar: false };
        match step.inputs.iter_mut().find(|i| i.role == Role::Carried) {
            Some(carried) => *carried = input,
            None => step.inputs.insert(after_state, input),
        }
    }

    /// The inputs that a start knows: all but control inputs and what is carried.
    fn inputs_of_start(&self) -> Vec<Input> {
        let known = self.program.inputs.iter().filter(|i| !matches!(i.role, Role::Inputs | Role::Carried));
        known.map(|i| Input { binding: Binding::Step, ..i.clone() }).collect()
    }

    /// The inputs that are numbers of the state.
    fn inputs_of_state(&self) -> impl Iterator<Item = &Input> {
        let is_state = |i: &&Input| self.program.outputs.iter().any(|o| o.role == i.role);
        self.program.inputs.iter().filter(is_state)
    }

    /// Computes the entries at a start; none without entries.
    pub fn initial(&self) -> Option<Program> {
        let values = self.entries.iter().map(|entry| entry.start).collect();
        (!self.entries.is_empty()).then(|| Program {
            name: "initial".into(),
            doc: vec!["The carried numbers of a state at a start.".into()],
            inputs: self.inputs_of_start(),
            body: self.start.clone(),
            outputs: vec![Output { role: Role::Carried, values, scalar: false }],
        })
    }

    /// Computes the entries for another step size h; none if they do not depend on it, or the state has one step size.
    pub fn rescale(&self, pool: &mut Pool) -> Option<Program> {
        if self.has_one_size || self.entries.iter().all(|entry| entry.rescale == Rescale::Keep) {
            return None;
        }
        let (mut symbols, mut values) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            // The start can bind the symbol of an entry.
            let name = pool.as_symbol(entry.symbol).map_or("", |s| pool.name(s)).to_owned();
            let before = pool.fresh_symbol(&format!("old_{name}"));
            symbols.push(before);
            values.push(match entry.rescale {
                Rescale::Keep => before,
                Rescale::Restart => entry.start,
            });
        }
        let mut inputs = self.inputs_of_start();
        let is_state = |i: &Input| self.program.outputs.iter().any(|o| o.role == i.role);
        let at = inputs.iter().rposition(is_state).map_or(inputs.len(), |i| i + 1);
        inputs.insert(at, Input { role: Role::Carried, symbols, binding: Binding::Step, scalar: false });
        Some(Program {
            name: "rescale".into(),
            doc: vec!["The carried numbers of a state for another step size `h`.".into()],
            inputs,
            body: self.start.clone(),
            outputs: vec![Output { role: Role::Carried, values, scalar: false }],
        })
    }

    /// Recomputes sines and cosines from their angles, and adds predicted rotations to the angles; none without such
    /// entries.
    pub fn resync(&self, pool: &mut Pool) -> Option<Program> {
        let rotated: Vec<Rotated> = self.entries.iter().filter_map(|entry| entry.role.rotated()).collect();
        if rotated.is_empty() {
            return None;
        }
        let (zero, mut body) = (pool.zero(), Vec::new());
        // Of each angle its new value, and the symbols of its sine and cosine.
        let mut angles: Vec<(Expr, Expr, [Expr; 2])> = Vec::new();
        for Rotated { angle, rotation } in rotated {
            if angles.iter().any(|&(a, ..)| a == angle) {
                continue;
            }
            let now = match rotation {
                Some(by) => {
                    let (symbol, value) = (pool.fresh_symbol("angle"), pool.add(angle, by));
                    body.push(Statement::Let { symbol, value });
                    symbol
                }
                None => angle,
            };
            let sines = [Function::Sin, Function::Cos].map(|f| {
                let (symbol, value) = (pool.fresh_symbol(f.name()), pool.call(f, now));
                body.push(Statement::Let { symbol, value });
                symbol
            });
            angles.push((angle, now, sines));
        }
        let of = |angle: Expr| angles.iter().find(|&&(a, ..)| a == angle);
        let values = self.entries.iter().map(|entry| match entry.role {
            Carried::Angle { .. } => of(entry.symbol).map_or(entry.symbol, |&(_, now, _)| now),
            Carried::Rotation => zero,
            Carried::Sine(Rotated { angle, .. }) => of(angle).map_or(entry.symbol, |&(.., [sin, _])| sin),
            Carried::Cosine(Rotated { angle, .. }) => of(angle).map_or(entry.symbol, |&(.., [_, cos])| cos),
            _ => entry.symbol,
        });
        let outputs = vec![Output { role: Role::Carried, values: values.collect(), scalar: false }];
        Some(Program {
            name: "resync".into(),
            doc: vec![
                "The carried numbers of a state with sines and cosines computed from their angles.".into(),
            ],
            inputs: self.inputs_of_state().cloned().collect(),
            body,
            outputs,
        })
    }

    /// Computes velocities from their last values and the change of their increments, v' = v + Δ(c h v)/(c h): steps of
    /// several sizes would otherwise repeat the rounding of every conversion. None without increments.
    pub fn update_velocity(&self, pool: &mut Pool) -> Option<Program> {
        let h = *self.program.symbols(&Role::StepSize).first().filter(|_| !self.has_one_size)?;
        let velocities = self.program.symbols(&Role::Velocity).to_vec();
        let renamed = |pool: &mut Pool, symbols: &[Expr]| -> Vec<Expr> {
            let names: Vec<String> = symbols.iter().map(|&s| pool.show(s).to_string()).collect();
            names.iter().map(|name| pool.fresh_symbol(&format!("old_{name}"))).collect()
        };
        let carried: Vec<Expr> = self.entries.iter().map(|entry| entry.symbol).collect();
        let before = [renamed(pool, &velocities), renamed(pool, &carried)];
        let (mut values, mut body, mut rates) = (velocities.clone(), Vec::new(), BTreeMap::new());
        for (i, entry) in self.entries.iter().enumerate() {
            let (Carried::Increment { of: Role::Velocity, index }, Some(c)) = (&entry.role, &entry.unit)
            else {
                continue;
            };
            let rate = *rates.entry(c.clone()).or_insert_with(|| {
                let (symbol, c) = (pool.fresh_symbol("rate"), pool.number(c.recip()));
                body.push(Statement::Let { symbol, value: pool.div(c, h) });
                symbol
            });
            let change = pool.sub(entry.symbol, before[1][i]);
            let change = pool.mul(rate, change);
            values[*index] = pool.add(before[0][*index], change);
        }
        if rates.is_empty() {
            return None;
        }
        let input = |role, symbols| Input { role, symbols, binding: Binding::Step, scalar: false };
        let [old_velocities, old_carried] = before;
        let mut inputs = vec![
            Input { scalar: true, ..input(Role::StepSize, vec![h]) },
            input(Role::PreviousVelocity, old_velocities),
            input(Role::PreviousCarried, old_carried),
        ];
        inputs.extend(self.inputs_of_state().cloned());
        Some(Program {
            name: "update_velocity".into(),
            doc: vec!["Velocities from their last values and the change of their increments.".into()],
            inputs,
            body,
            outputs: vec![Output { role: Role::Velocity, values, scalar: false }],
        })
    }

    /// Numbers of the state, in order, that no value of the step depends on.
    pub fn unread(&self, pool: &Pool) -> Vec<usize> {
        let used: BTreeSet<Expr> = pool.reachable(&self.program.values()).into_iter().collect();
        let numbers = self.inputs_of_state().flat_map(|input| &input.symbols).enumerate();
        numbers.filter(|(_, symbol)| !used.contains(symbol)).map(|(i, _)| i).collect()
    }

    /// Panics unless the entries are those of the program, and every sine and cosine that the step takes from the state
    /// can be recomputed.
    pub fn validate(&self, pool: &Pool) {
        let name = &self.program.name;
        let symbols: Vec<Expr> = self.entries.iter().map(|entry| entry.symbol).collect();
        assert!(symbols == self.program.symbols(&Role::Carried), "{name}: entries of the carried state");
        assert!(symbols.len() == self.next().len(), "{name}: values of the carried state");
        self.program.validate(pool);
        let state: BTreeSet<Expr> =
            self.inputs_of_state().flat_map(|input| &input.symbols).copied().collect();
        let is_entry =
            |e: Expr, is: &dyn Fn(&Carried) -> bool| self.entry(e).is_some_and(|entry| is(&entry.role));
        for entry in &self.entries {
            let Some(Rotated { angle, rotation }) = entry.role.rotated() else { continue };
            let known = state.contains(&angle)
                && rotation.is_none_or(|by| {
                    is_entry(angle, &|role| *role == Carried::Angle { rotation })
                        && is_entry(by, &|role| *role == Carried::Rotation)
                });
            assert!(known, "{name}: the angle of {} is not in the state", pool.show(entry.symbol));
        }
        for statement in &self.program.body {
            let Statement::Turn(turn) = statement else { continue };
            let rotation = turn.prediction.by().filter(|&by| !pool.is_zero(by));
            let of = Rotated { angle: turn.from, rotation };
            let known = is_entry(turn.known[0], &|role| *role == Carried::Sine(of))
                && is_entry(turn.known[1], &|role| *role == Carried::Cosine(of));
            assert!(
                known || !self.are_of_state(pool, &state, turn),
                "{name}: the sine and cosine that the angle {} is rotated from cannot be recomputed",
                pool.show(turn.angle)
            );
        }
    }

    /// Whether sines are made of numbers of the state without a call in the step.
    fn are_of_state(&self, pool: &Pool, state: &BTreeSet<Expr>, turn: &Turn) -> bool {
        let values: BTreeMap<Expr, Expr> = self.program.lets().into_iter().collect();
        let mut stack = turn.known.to_vec();
        while let Some(e) = stack.pop() {
            if state.contains(&e) {
                return true;
            }
            match (values.get(&e), pool.node(e)) {
                (Some(&value), _) => stack.push(value),
                (None, Node::Call(..)) => {}
                (None, _) => stack.extend(pool.children(e)),
            }
        }
        false
    }
}

impl Carried {
    /// The angle of a sine or cosine.
    pub fn rotated(&self) -> Option<Rotated> {
        match self {
            Carried::Sine(of) | Carried::Cosine(of) => Some(*of),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
