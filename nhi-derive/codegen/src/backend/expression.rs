//! Operations as expressions of a language with infix operators.

use crate::lower::{Argument, Function, Operand, Operation, Value};
use std::collections::HashMap;
use std::iter;

/// How tightly an expression binds, or its surroundings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Anything may stand here.
    Open,
    /// A term of a sum.
    Term,
    /// The first factor of a product, or what a minus stands before: never two signs in a row.
    First,
    /// Another factor.
    Factor,
    /// What a method is called on.
    Receiver,
}

/// How a language spells expressions.
pub(crate) trait Language {
    /// An expression.
    type Text: Clone;
    /// The variable of a value of that name.
    fn variable(&mut self, name: &str) -> Self::Text;
    /// A number.
    fn number(&self, c: f64) -> Self::Text;
    /// `(x)`
    fn parentheses(&self, x: Self::Text) -> Self::Text;
    /// `x operator y`, or `operator y`
    fn operator(&self, x: Option<Self::Text>, operator: char, y: Self::Text) -> Self::Text;
    /// Where the first argument of a function of the runtime stands.
    fn first_argument(&self, name: &str) -> Place;
    /// A function of the runtime.
    fn call(&self, name: &str, arguments: &[Self::Text]) -> Self::Text;
}

/// Writes the operands of one function.
pub(crate) struct Writer<'a, L: Language> {
    pub(crate) function: &'a Function,
    pub(crate) language: L,
    uses: Vec<usize>,
    /// What stands for a value: its variable, or the operation of a value without a name.
    texts: HashMap<Value, (L::Text, Place)>,
}

impl<'a, L: Language> Writer<'a, L> {
    pub(crate) fn new(function: &'a Function, language: L) -> Self {
        Writer { function, language, uses: function.uses(), texts: HashMap::new() }
    }

    /// Whether anything is computed from a value.
    pub(crate) fn is_used(&self, value: Value) -> bool {
        self.uses[value.index()] > 0
    }

    /// Whether anything is computed from an argument.
    pub(crate) fn reads(&self, argument: &Argument) -> bool {
        argument.values.iter().any(|&value| self.is_used(value))
    }

    /// Has `text` stand for a value.
    pub(crate) fn write_as(&mut self, value: Value, text: (L::Text, Place)) {
        self.texts.insert(value, text);
    }

    /// The variable of a value, if it has a name.
    pub(crate) fn variable(&mut self, value: Value) -> Option<L::Text> {
        let name = self.function.name_of(value)?;
        let new = || (self.language.variable(name), Place::Receiver);
        Some(self.texts.entry(value).or_insert_with(new).0.clone())
    }

    /// An operand as it can stand in `place`.
    pub(crate) fn operand(&mut self, operand: Operand, place: Place) -> L::Text {
        let value = match operand {
            Operand::Constant(c) => return self.language.number(c),
            Operand::Value(value) => value,
        };
        match self.texts.get(&value) {
            Some((text, own)) if *own < place => self.language.parentheses(text.clone()),
            Some((text, _)) => text.clone(),
            None => self.variable(value).expect("an unnamed value is used after its operation"),
        }
    }

    /// Operands without surroundings.
    pub(crate) fn operands(&mut self, operands: &[Operand]) -> Vec<L::Text> {
        operands.iter().map(|&operand| self.operand(operand, Place::Open)).collect()
    }

    /// An operation, and how tightly it binds.
    pub(crate) fn operation(&mut self, operation: &Operation) -> (L::Text, Place) {
        match *operation {
            Operation::Copy(x) => (self.operand(x, Place::Receiver), Place::Receiver),
            Operation::Neg(x) => {
                let x = self.operand(x, Place::First);
                (self.language.operator(None, '-', x), Place::Term)
            }
            Operation::Add(x, y) => self.infix([x, y], '+', [Place::Open, Place::Term]),
            Operation::Sub(x, y) => self.infix([x, y], '-', [Place::Open, Place::Term]),
            Operation::Mul(x, y) => self.infix([x, y], '*', [Place::First, Place::Factor]),
            Operation::Div(x, y) => self.infix([x, y], '/', [Place::First, Place::Factor]),
            Operation::Sqrt(x) => self.call("sqrt", &[x]),
            Operation::Call(f, x) => self.call(f.name(), &[x]),
            Operation::Atan2(y, x) => self.call("atan2", &[y, x]),
            Operation::Powf(x, y) => self.call("powf", &[x, y]),
            Operation::Select(c, x, y) => self.call("select", &[c, x, y]),
        }
    }

    /// A sum or product, which binds as its first operand.
    fn infix(
        &mut self,
        [x, y]: [Operand; 2],
        operator: char,
        [first, second]: [Place; 2],
    ) -> (L::Text, Place) {
        let (x, y) = (self.operand(x, first), self.operand(y, second));
        (self.language.operator(Some(x), operator, y), first)
    }

    fn call(&mut self, name: &str, arguments: &[Operand]) -> (L::Text, Place) {
        let places = iter::once(self.language.first_argument(name)).chain(iter::repeat(Place::Open));
        let arguments: Vec<L::Text> =
            arguments.iter().zip(places).map(|(&x, place)| self.operand(x, place)).collect();
        (self.language.call(name, &arguments), Place::Receiver)
    }
}
