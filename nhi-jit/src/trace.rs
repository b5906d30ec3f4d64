//! The maps of groups as operations: the runtime's own functions, evaluated with numbers that record what is done with them.
//!
//! A map chooses among formulas by asking whether a number is below a bound, as the square of the angle of a motion. The
//! operations are recorded for small motions, together with these conditions, which the compiled code checks.

use nhi_codegen::group::{Group, Map};
use nhi_methods::Retraction;
use nhi_runtime::Scalar;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One operation, on numbers by their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// A number among the arguments of the map.
    Argument(usize),
    /// A constant, by its bits.
    Constant(u64),
    Neg(usize),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Sqrt(usize),
    Sin(usize),
    Cos(usize),
    /// Another elementary function, by its name.
    Call(&'static str, usize),
}

/// What a map does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// The operations; operands come first.
    pub(crate) nodes: Vec<Node>,
    /// The places of the results.
    pub(crate) results: Vec<usize>,
    /// Numbers that have to be below a bound.
    pub(crate) conditions: Vec<(usize, f64)>,
}

/// The operations recorded so far.
#[derive(Default)]
struct Recorder {
    trace: Trace,
    known: HashMap<Node, usize>,
    /// Something was done that depends on values, or is no operation of [`Node`].
    is_opaque: bool,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
}

fn with_recorder<T>(work: impl FnOnce(&mut Recorder) -> T) -> T {
    RECORDER.with_borrow_mut(work)
}

impl Recorder {
    fn record(&mut self, node: Node) -> Traced {
        let next = self.trace.nodes.len();
        let place = *self.known.entry(node).or_insert(next);
        if place == next {
            self.trace.nodes.push(node);
        }
        Traced(place)
    }

    fn constant(&mut self, x: f64) -> Traced {
        self.record(Node::Constant(x.to_bits()))
    }

    fn value(&self, x: Traced) -> Option<f64> {
        match self.trace.nodes.get(x.0) {
            Some(&Node::Constant(bits)) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }
}

/// A number that records operations. Operations on constants are carried out.
#[derive(Clone, Copy, Debug)]
struct Traced(usize);

/// The values are not known, so that nobody may ask.
fn opaque<T>(answer: T) -> T {
    with_recorder(|recorder| recorder.is_opaque = true);
    answer
}

fn binary(node: fn(usize, usize) -> Node, of: fn(f64, f64) -> f64, x: Traced, y: Traced) -> Traced {
    with_recorder(|recorder| match (recorder.value(x), recorder.value(y)) {
        (Some(x), Some(y)) => recorder.constant(of(x, y)),
        _ => recorder.record(node(x.0, y.0)),
    })
}

fn unary(node: fn(usize) -> Node, of: fn(f64) -> f64, x: Traced) -> Traced {
    with_recorder(|recorder| match recorder.value(x) {
        Some(x) => recorder.constant(of(x)),
        None => recorder.record(node(x.0)),
    })
}

macro_rules! operators {
    ($($trait:ident $operator:ident;)*) => {$(
        impl $trait for Traced {
            type Output = Traced;
            fn $operator(self, other: Traced) -> Traced {
                binary(Node::$trait, $trait::$operator, self, other)
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
        unary(Node::Neg, Neg::neg, self)
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
            unary(|x| Node::Call(stringify!($name), x), <f64 as Scalar>::$name, self)
        }
    )*};
}

impl Scalar for Traced {
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Traced {
        with_recorder(|recorder| recorder.constant(x))
    }
    fn to_f64(self) -> f64 {
        with_recorder(|recorder| recorder.value(self)).unwrap_or_else(|| opaque(f64::NAN))
    }
    fn is_near(self, bound: f64) -> bool {
        let known = with_recorder(|recorder| {
            let known = recorder.value(self);
            let condition = (self.0, bound);
            if known.is_none() && !recorder.trace.conditions.contains(&condition) {
                recorder.trace.conditions.push(condition);
            }
            known
        });
        known.is_none_or(|x| x < bound)
    }
    fn sqrt(self) -> Traced {
        unary(Node::Sqrt, f64::sqrt, self)
    }
    fn sin_cos(self) -> (Traced, Traced) {
        (self.sin(), self.cos())
    }
    fn sin(self) -> Traced {
        unary(Node::Sin, Scalar::sin, self)
    }
    fn cos(self) -> Traced {
        unary(Node::Cos, Scalar::cos, self)
    }
    elementary!(tan asin acos atan sinh cosh tanh exp ln);
    fn atan2(self, _x: Traced) -> Traced {
        opaque(self)
    }
    fn powf(self, _x: Traced) -> Traced {
        opaque(self)
    }
}

/// The operations of a map of a group for small motions, with arguments of these lengths; none if they depend on more than the
/// recorded conditions.
pub(crate) fn trace(map: Map, group: &Group, retraction: Retraction, lengths: &[usize]) -> Option<Trace> {
    with_recorder(|recorder| *recorder = Recorder::default());
    let mut start = 0;
    let arguments = lengths.iter().map(|&length| {
        start += length;
        let places = start - length..start;
        places.map(|i| with_recorder(|recorder| recorder.record(Node::Argument(i)))).collect()
    });
    let arguments: Vec<Vec<Traced>> = arguments.collect();
    let results = nhi_interpreter::map(map, group, retraction, &arguments);
    let Recorder { mut trace, is_opaque, .. } = with_recorder(std::mem::take);
    trace.results = results.into_iter().map(|number| number.0).collect();
    (!is_opaque).then_some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nhi_codegen::group::{GROUPS, Inside};
    use std::collections::BTreeSet;

    /// The operations that the results are made of.
    fn count(trace: &Trace) -> Inside {
        let mut inside = Inside::default();
        let (mut seen, mut angles) = (BTreeSet::new(), BTreeSet::new());
        let mut stack = trace.results.clone();
        while let Some(place) = stack.pop() {
            if !seen.insert(place) {
                continue;
            }
            let operands = match trace.nodes[place] {
                Node::Argument(_) | Node::Constant(_) => vec![],
                Node::Neg(x) => vec![x],
                Node::Add(x, y) | Node::Sub(x, y) => {
                    inside.adds += 1;
                    vec![x, y]
                }
                Node::Mul(x, y) => {
                    inside.muls += 1;
                    vec![x, y]
                }
                Node::Sin(x) | Node::Cos(x) => {
                    inside.sin_cos += usize::from(angles.insert(x));
                    vec![x]
                }
                Node::Div(..) | Node::Sqrt(_) | Node::Call(..) => {
                    panic!("{:?} has no column", trace.nodes[place])
                }
            };
            stack.extend(operands);
        }
        inside
    }

    /// What operation counts say of maps is what the runtime's functions do.
    #[test]
    fn inside_of_maps() {
        for group in GROUPS {
            for map in Map::ALL {
                let trace = trace(map, group, Retraction::Exp, &map.arguments(group));
                let counted = count(&trace.expect("nothing depends on values"));
                assert_eq!(map.operations(group), counted, "{map:?} of {}", group.name);
            }
        }
    }

    /// Only the inverse of a matrix, which exchanges rows, depends on values.
    #[test]
    fn maps_are_lists_of_operations() {
        let mut opaque = Vec::new();
        for group in GROUPS {
            for map in Map::ALL {
                let lengths = map.arguments(group);
                for retraction in Retraction::ALL {
                    match trace(map, group, retraction, &lengths) {
                        Some(trace) => assert_eq!(trace.results.len(), map.results(group)),
                        None => opaque.push((map, retraction)),
                    }
                }
            }
        }
        let inverted = [Retraction::Exp1, Retraction::Exp2, Retraction::Exp4].map(|r| (Map::TangentLeft, r));
        assert_eq!(opaque, [inverted; 3].concat());
    }
}
