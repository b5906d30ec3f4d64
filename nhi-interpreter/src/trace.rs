//! The maps of groups as operations: the runtime's own functions, evaluated with numbers that record what is done with them.
//!
//! A map chooses among formulas by asking whether a number is below a bound, as the square of the angle of a motion. Both
//! formulas are recorded.

use nhi_codegen::expr::group::{Group, Map};
use nhi_methods::Retraction;
use nhi_runtime::Scalar;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One operation, on numbers by their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A number among the arguments of the map.
    Argument(usize),
    /// A constant, by its bits.
    Constant(u64),
    /// −x.
    Neg(usize),
    /// x + y.
    Add(usize, usize),
    /// x − y.
    Sub(usize, usize),
    /// x y.
    Mul(usize, usize),
    /// x/y.
    Div(usize, usize),
    /// The square root.
    Sqrt(usize),
    /// The sine.
    Sin(usize),
    /// The cosine.
    Cos(usize),
    /// The angle of the point (y, x).
    Atan2(usize, usize),
    /// Another elementary function, by its name.
    Call(&'static str, usize),
    /// `near` if the number is below a bound, which is given by its bits, else `far`.
    Choice {
        /// The number.
        number: usize,
        /// The bound.
        bound: u64,
        /// What is chosen below it.
        near: usize,
        /// What is chosen otherwise.
        far: usize,
    },
}

impl Node {
    /// A constant.
    pub fn constant(x: f64) -> Node {
        Node::Constant(x.to_bits())
    }

    /// The places of its operands.
    pub fn operands(self) -> Vec<usize> {
        match self {
            Node::Argument(_) | Node::Constant(_) => vec![],
            Node::Neg(x) | Node::Sqrt(x) | Node::Sin(x) | Node::Cos(x) | Node::Call(_, x) => vec![x],
            Node::Add(x, y) | Node::Sub(x, y) | Node::Mul(x, y) | Node::Div(x, y) | Node::Atan2(x, y) => {
                vec![x, y]
            }
            Node::Choice { number, near, far, .. } => vec![number, near, far],
        }
    }

    /// The same operation on other operands.
    #[must_use]
    pub fn with(self, mut to: impl FnMut(usize) -> usize) -> Node {
        match self {
            Node::Argument(_) | Node::Constant(_) => self,
            Node::Neg(x) => Node::Neg(to(x)),
            Node::Add(x, y) => Node::Add(to(x), to(y)),
            Node::Sub(x, y) => Node::Sub(to(x), to(y)),
            Node::Mul(x, y) => Node::Mul(to(x), to(y)),
            Node::Div(x, y) => Node::Div(to(x), to(y)),
            Node::Atan2(x, y) => Node::Atan2(to(x), to(y)),
            Node::Sqrt(x) => Node::Sqrt(to(x)),
            Node::Sin(x) => Node::Sin(to(x)),
            Node::Cos(x) => Node::Cos(to(x)),
            Node::Call(name, x) => Node::Call(name, to(x)),
            Node::Choice { number, bound, near, far } => {
                Node::Choice { number: to(number), bound, near: to(near), far: to(far) }
            }
        }
    }
}

/// A list of operations without duplicates, in which operands come first.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    list: Vec<Node>,
    known: HashMap<Node, usize>,
}

impl Nodes {
    /// The place of an operation, which is added unless it is there.
    pub fn place(&mut self, node: Node) -> usize {
        let next = self.list.len();
        let place = *self.known.entry(node).or_insert(next);
        if place == next {
            self.list.push(node);
        }
        place
    }

    /// The place of an operation that is there.
    pub fn known(&self, node: Node) -> Option<usize> {
        self.known.get(&node).copied()
    }

    /// The operations.
    pub fn list(&self) -> &[Node] {
        &self.list
    }

    /// The constant at that place.
    pub fn value(&self, place: usize) -> Option<f64> {
        match self.list.get(place) {
            Some(&Node::Constant(bits)) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }
}

/// What a map does.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The operations.
    pub nodes: Nodes,
    /// The places of the results.
    pub results: Vec<usize>,
}

impl Trace {
    /// The operations on `f64` for small motions, with those on constants carried out, and the numbers that have to be below a
    /// bound.
    pub fn near(&self) -> (Trace, Vec<(usize, f64)>) {
        let mut is_needed = vec![false; self.nodes.list.len()];
        self.results.iter().for_each(|&i| is_needed[i] = true);
        for (i, &node) in self.nodes.list.iter().enumerate().rev() {
            if is_needed[i] {
                let operands = match node {
                    Node::Choice { number, near, .. } => vec![number, near],
                    node => node.operands(),
                };
                operands.into_iter().for_each(|x| is_needed[x] = true);
            }
        }
        let (mut nodes, mut conditions) = (Nodes::default(), Vec::new());
        let mut places = vec![0; is_needed.len()];
        for (i, node) in self.nodes.list.iter().enumerate() {
            // The order of the arguments is that of their places.
            if !is_needed[i] && !matches!(node, Node::Argument(_)) {
                continue;
            }
            places[i] = match node.with(|x| places[x]) {
                Node::Choice { number, bound, near, far } => match nodes.value(number) {
                    Some(x) if x < f64::from_bits(bound) => near,
                    Some(_) => far,
                    None => {
                        let condition = (number, f64::from_bits(bound));
                        if !conditions.contains(&condition) {
                            conditions.push(condition);
                        }
                        near
                    }
                },
                node => {
                    let folded = folded(node, |x| nodes.value(x));
                    nodes.place(folded.map_or(node, Node::constant))
                }
            };
        }
        (Trace { nodes, results: self.results.iter().map(|&i| places[i]).collect() }, conditions)
    }
}

/// The result of an operation on constants, in `f64`.
fn folded(node: Node, value: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    Some(match node {
        Node::Neg(x) => -value(x)?,
        Node::Add(x, y) => value(x)? + value(y)?,
        Node::Sub(x, y) => value(x)? - value(y)?,
        Node::Mul(x, y) => value(x)? * value(y)?,
        Node::Div(x, y) => value(x)? / value(y)?,
        Node::Sqrt(x) => value(x)?.sqrt(),
        _ => return None,
    })
}

/// What is recorded so far.
#[derive(Default)]
struct Recorder {
    nodes: Nodes,
    /// Something was done that depends on values, or is no operation of [`Node`].
    is_opaque: bool,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
}

fn record(node: Node) -> Traced {
    RECORDER.with_borrow_mut(|recorder| Traced(recorder.nodes.place(node)))
}

/// The values are not known, so that nobody may ask.
fn opaque<T>(answer: T) -> T {
    RECORDER.with_borrow_mut(|recorder| recorder.is_opaque = true);
    answer
}

/// A number that records operations.
#[derive(Clone, Copy, Debug)]
pub struct Traced(usize);

macro_rules! operators {
    ($($trait:ident $operator:ident;)*) => {$(
        impl $trait for Traced {
            type Output = Traced;
            fn $operator(self, other: Traced) -> Traced {
                record(Node::$trait(self.0, other.0))
            }
        }
    )*};
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl Neg for Traced {
    type Output = Traced;
    fn neg(self) -> Traced {
        record(Node::Neg(self.0))
    }
}

impl PartialEq for Traced {
    fn eq(&self, _other: &Traced) -> bool {
        opaque(false)
    }
}

macro_rules! elementary {
    ($($name:ident)*) => {$(
        fn $name(self) -> Traced {
            record(Node::Call(stringify!($name), self.0))
        }
    )*};
}

impl Scalar for Traced {
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Traced {
        record(Node::constant(x))
    }
    fn to_f64(self) -> f64 {
        RECORDER.with_borrow(|recorder| recorder.nodes.value(self.0)).unwrap_or_else(|| opaque(f64::NAN))
    }
    fn choose<V>(
        self,
        bound: f64,
        near: impl FnOnce() -> V,
        far: impl FnOnce() -> V,
        either: impl FnOnce(V, V, &dyn Fn(Traced, Traced) -> Traced) -> V,
    ) -> V {
        let (near, far) = (near(), far());
        either(near, far, &|near, far| {
            record(Node::Choice { number: self.0, bound: bound.to_bits(), near: near.0, far: far.0 })
        })
    }
    fn sqrt(self) -> Traced {
        record(Node::Sqrt(self.0))
    }
    fn sin_cos(self) -> (Traced, Traced) {
        (self.sin(), self.cos())
    }
    fn sin(self) -> Traced {
        record(Node::Sin(self.0))
    }
    fn cos(self) -> Traced {
        record(Node::Cos(self.0))
    }
    elementary!(tan asin acos atan sinh cosh tanh exp ln);
    fn atan2(self, x: Traced) -> Traced {
        record(Node::Atan2(self.0, x.0))
    }
    fn full_turns(self) -> Traced {
        record(Node::Call("full_turns", self.0))
    }
    fn powf(self, _x: Traced) -> Traced {
        opaque(self)
    }
}

/// The operations of a map of a group; none if they depend on values in other ways than by choices.
pub fn trace(map: Map, group: &Group, retraction: Retraction) -> Option<Trace> {
    recorded(&map.arguments(group), |arguments| crate::map(map, group, retraction, arguments))
}

/// The operations of a function with arguments of these lengths; none if they depend on values in other ways than by choices.
pub fn recorded(lengths: &[usize], function: impl FnOnce(&[Vec<Traced>]) -> Vec<Traced>) -> Option<Trace> {
    RECORDER.with_borrow_mut(|recorder| *recorder = Recorder::default());
    let mut start = 0;
    let arguments = lengths.iter().map(|&length| {
        start += length;
        (start - length..start).map(|i| record(Node::Argument(i))).collect()
    });
    let arguments: Vec<Vec<Traced>> = arguments.collect();
    let results = function(&arguments);
    let Recorder { nodes, is_opaque } = RECORDER.with_borrow_mut(std::mem::take);
    let results = results.into_iter().map(|number| number.0).collect();
    (!is_opaque).then_some(Trace { nodes, results })
}
