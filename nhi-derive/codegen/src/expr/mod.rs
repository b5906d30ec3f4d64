//! Hash-consed expressions with exact rational constants.
//!
//! A [`Pool`] owns every node once; an [`Expr`] is its typed id. Children are always older than
//! their parents, so "bottom up" is "by ascending id" and no algorithm here recurses. The order of
//! summands and factors is the order in which they were first written, which makes everything
//! derived from a declaration deterministic and close to what its author typed.

mod ball;
mod build;
mod cost;
mod differentiate;
mod display;
mod elementary;
mod evaluate;
mod expand;
pub mod group;
pub mod linear;
mod modular;
mod names;
mod rounding;
mod saddle;
mod sample;
mod select;
mod substitute;
mod table;
mod zero;

pub use build::MAX_BITS;
pub use cost::OperationCount;
pub use display::Show;
pub use evaluate::Maps;
pub(crate) use names::Numbers;
pub use names::identifier;
pub use saddle::Saddle;
pub(crate) use table::Table;
pub use zero::Zero;

use group::Entry;
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Exact rational number.
pub type Rational = BigRational;

/// Id of an expression in its [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Expr(u32);

/// The initial nodes of every pool.
impl Expr {
    const ZERO: Expr = Expr(0);
    const ONE: Expr = Expr(1);
    const MINUS_ONE: Expr = Expr(2);
    const TWO: Expr = Expr(3);
    /// `0^(-1)`, which has no value and never occurs inside another node.
    const UNDEFINED: Expr = Expr(4);
    const PI: Expr = Expr(5);

    /// The expression at a position in tables of expressions.
    pub(crate) fn at(index: usize) -> Expr {
        Expr(index as u32)
    }

    /// Position in tables of expressions.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Id of a symbol in its [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

/// Elementary functions of one argument; square roots and reciprocals are [`Node::Power`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    /// The sine of an angle that is expected to be small.
    SmallSin,
    /// The cosine of such an angle.
    SmallCos,
}

impl Function {
    /// Every function that declarations may have, in the order of the grammar.
    pub const ALL: [Function; 11] = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Asin,
        Function::Acos,
        Function::Atan,
        Function::Sinh,
        Function::Cosh,
        Function::Tanh,
        Function::Exp,
        Function::Ln,
    ];

    /// Name in declarations, dumps and emitted code.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Tan => "tan",
            Function::Asin => "asin",
            Function::Acos => "acos",
            Function::Atan => "atan",
            Function::Sinh => "sinh",
            Function::Cosh => "cosh",
            Function::Tanh => "tanh",
            Function::Exp => "exp",
            Function::Ln => "ln",
            Function::SmallSin => "small_sin",
            Function::SmallCos => "small_cos",
        }
    }

    /// Of a sine the cosine and the other way round, with whether `self` is the sine and the name of what
    /// computes both.
    pub fn partner(self) -> Option<(Function, bool, &'static str)> {
        match self {
            Function::Sin => Some((Function::Cos, true, "sin_cos")),
            Function::Cos => Some((Function::Sin, false, "sin_cos")),
            Function::SmallSin => Some((Function::SmallCos, true, "small_sin_cos")),
            Function::SmallCos => Some((Function::SmallSin, false, "small_sin_cos")),
            _ => None,
        }
    }
}

/// One node. Sums and products are flat and canonical: at least two operands, a numeric one first,
/// like terms and equal bases collected, terms by ascending id of what they are multiples of, factors by
/// ascending id of their bases. In a product the sums lead with a positive coefficient.
#[derive(Clone, Eq, Debug)]
pub enum Node {
    /// Exact number.
    Number(Rational),
    /// The circle constant.
    Pi,
    /// Named variable.
    Symbol(Symbol),
    /// Sum of its operands.
    Sum(Vec<Expr>),
    /// Product of its operands; only the first may be a number.
    Product(Vec<Expr>),
    /// Base and exponent.
    Power(Expr, Expr),
    /// Elementary function of one argument.
    Call(Function, Expr),
    /// Two-argument arctangent, `atan2(y, x)`.
    Atan2(Expr, Expr),
    /// The second operand where the first one is not negative, otherwise the third.
    Select([Expr; 3]),
    /// One number of what a map of a Lie group gives for the arguments.
    Map(Entry, Vec<Expr>),
    /// One number of the solution of linear equations.
    Saddle(Saddle, Vec<Expr>),
}

// By hand, and lists by index: derived code takes several times as long in unoptimised builds, and that of fractions
// computes continued fractions.
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Number(a), Node::Number(b)) => a.numer() == b.numer() && a.denom() == b.denom(),
            (Node::Pi, Node::Pi) => true,
            (Node::Symbol(a), Node::Symbol(b)) => a.0 == b.0,
            (Node::Sum(a), Node::Sum(b)) | (Node::Product(a), Node::Product(b)) => same(a, b),
            (Node::Power(a, x), Node::Power(b, y)) | (Node::Atan2(a, x), Node::Atan2(b, y)) => {
                a.0 == b.0 && x.0 == y.0
            }
            (Node::Call(f, a), Node::Call(g, b)) => a.0 == b.0 && f == g,
            (Node::Select(a), Node::Select(b)) => same(a, b),
            (Node::Map(f, a), Node::Map(g, b)) => f == g && same(a, b),
            (Node::Saddle(f, a), Node::Saddle(g, b)) => f == g && same(a, b),
            _ => false,
        }
    }
}

fn same(a: &[Expr], b: &[Expr]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i].0 == b[i].0 {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// `f` of every item, by index: unoptimised, iterators take several times as long.
pub(crate) fn each<T>(items: &[T], mut f: impl FnMut(&T)) {
    let mut i = 0;
    while i < items.len() {
        f(&items[i]);
        i += 1;
    }
}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (kind, operands): (u32, &[Expr]) = match self {
            Node::Number(r) => {
                r.numer().hash(state);
                r.denom().hash(state);
                (0, &[])
            }
            Node::Pi => (1, &[]),
            Node::Symbol(s) => (2, &[Expr(s.0)]),
            Node::Sum(c) => (3, c),
            Node::Product(c) => (4, c),
            Node::Power(a, b) => (5, &[*a, *b]),
            Node::Call(f, a) => (*f as u32 + 8, &[*a]),
            Node::Atan2(a, b) => (6, &[*a, *b]),
            Node::Select(c) => (31, c),
            Node::Map(entry, c) => {
                entry.hash(state);
                (7, c)
            }
            Node::Saddle(saddle, c) => {
                saddle.hash(state);
                (30, c)
            }
        };
        state.write_u32(kind);
        each(operands, |e| state.write_u32(e.0));
    }
}

/// Arena of expressions; see the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Pool {
    nodes: Vec<Node>,
    /// For each node what it is a numeric multiple of, itself mostly.
    rests: Vec<Expr>,
    ids: Ids,
    names: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
    numbers: Numbers,
    samples: zero::Samples,
    rotations: Vec<[Expr; 9]>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// Declares that nine symbols, row by row, are the entries of a rotation matrix.
    pub(crate) fn add_rotation(&mut self, entries: [Expr; 9]) {
        self.rotations.push(entries);
    }

    /// The declared rotation matrices.
    pub(crate) fn rotations(&self) -> &[[Expr; 9]] {
        &self.rotations
    }

    /// An empty pool.
    pub fn new() -> Self {
        let mut pool = Pool {
            nodes: Vec::new(),
            rests: Vec::new(),
            ids: Ids::default(),
            names: Vec::new(),
            symbols: FxHashMap::default(),
            numbers: Numbers::default(),
            samples: zero::Samples::default(),
            rotations: Vec::new(),
        };
        for (n, e) in [(0, Expr::ZERO), (1, Expr::ONE), (-1, Expr::MINUS_ONE), (2, Expr::TWO)] {
            let made = pool.number(Rational::from_integer(n.into()));
            debug_assert_eq!(made, e);
        }
        pool.intern(Node::Power(Expr::ZERO, Expr::MINUS_ONE));
        pool.intern(Node::Pi);
        pool
    }

    /// The node behind an id.
    pub fn node(&self, e: Expr) -> &Node {
        &self.nodes.as_slice()[e.index()]
    }

    /// Number of nodes made so far; ids below it are valid.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The symbol of that name, made on first use; equal names are equal symbols.
    pub fn symbol(&mut self, name: &str) -> Expr {
        let symbol = match self.symbols.get(name) {
            Some(&s) => s,
            None => {
                let s = Symbol(self.names.len() as u32);
                let name: Arc<str> = name.into();
                self.names.push(name.clone());
                self.symbols.insert(name, s);
                s
            }
        };
        self.intern(Node::Symbol(symbol))
    }

    /// A symbol of a name not used before: `name` itself or `name` with a numeric suffix.
    pub fn fresh_symbol(&mut self, name: &str) -> Expr {
        let Pool { symbols, numbers, .. } = self;
        let name = numbers.unique(name, |name| !symbols.contains_key(name));
        self.symbol(&name)
    }

    /// Name of a symbol.
    pub fn name(&self, s: Symbol) -> &str {
        &self.names[s.0 as usize]
    }

    /// The symbol that this expression is, if it is one.
    pub fn as_symbol(&self, e: Expr) -> Option<Symbol> {
        match self.node(e) {
            Node::Symbol(s) => Some(*s),
            _ => None,
        }
    }

    /// The number that this expression is, if it is one.
    pub fn as_number(&self, e: Expr) -> Option<&Rational> {
        match self.node(e) {
            Node::Number(r) => Some(r),
            _ => None,
        }
    }

    /// Whether this is the number zero; see `Pool::vanishes` for "equal to zero everywhere".
    pub fn is_zero(&self, e: Expr) -> bool {
        e == Expr::ZERO
    }

    /// Whether this is the number one.
    pub fn is_one(&self, e: Expr) -> bool {
        e == Expr::ONE
    }

    /// Operands of a node, in order.
    pub fn children(&self, e: Expr) -> Vec<Expr> {
        let mut children = Vec::new();
        self.for_each_child(e, |c| children.push(c));
        children
    }

    /// Calls `f` with every operand of a node, in order.
    pub(crate) fn for_each_child(&self, e: Expr, mut f: impl FnMut(Expr)) {
        match self.node(e) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => {}
            Node::Sum(c) | Node::Product(c) | Node::Map(_, c) | Node::Saddle(_, c) => each(c, |&e| f(e)),
            Node::Power(a, b) | Node::Atan2(a, b) => {
                f(*a);
                f(*b);
            }
            Node::Call(_, a) => f(*a),
            Node::Select(c) => each(c, |&e| f(e)),
        }
    }

    /// Everything reachable from `roots`, children before parents.
    pub fn reachable(&self, roots: &[Expr]) -> Vec<Expr> {
        self.reachable_where(roots, |_| true)
    }

    /// Everything reachable from `roots` through nodes that are `wanted`, children before parents.
    pub(crate) fn reachable_where(&self, roots: &[Expr], wanted: impl Fn(Expr) -> bool) -> Vec<Expr> {
        // One bit for each node still to be visited, the newest first: operands come after their users.
        let mut open = vec![0u64; table_size(roots).div_ceil(64)];
        let open = open.as_mut_slice();
        let mut lowest = open.len();
        for r in roots {
            lowest = lowest.min(r.index() / 64);
            open[r.index() / 64] |= 1 << (r.index() % 64);
        }
        let mut all = Vec::with_capacity(64);
        let mut word = open.len();
        while word > lowest {
            word -= 1;
            while open[word] != 0 {
                let bit = open[word].ilog2();
                open[word] ^= 1 << bit;
                let e = Expr::at(64 * word + bit as usize);
                if wanted(e) {
                    all.push(e);
                    self.for_each_child(e, |c| {
                        lowest = lowest.min(c.index() / 64);
                        open[c.index() / 64] |= 1 << (c.index() % 64);
                    });
                }
            }
        }
        all.reverse();
        all
    }

    /// The symbols that occur in `roots`, in order of their creation.
    pub fn symbols_in(&self, roots: &[Expr]) -> Vec<Symbol> {
        let mut found: Vec<Symbol> =
            self.reachable(roots).into_iter().filter_map(|e| self.as_symbol(e)).collect();
        found.sort_unstable();
        found
    }

    /// Whether any of `symbols` (given as expressions) occurs in `e`.
    pub fn depends_on(&self, e: Expr, symbols: &[Expr]) -> bool {
        let mut symbols_in_e = self.reachable(&[e]).into_iter().filter(|&x| self.as_symbol(x).is_some());
        symbols_in_e.any(|x| symbols.contains(&x))
    }

    /// Whether `values` contain only these symbols.
    pub(crate) fn are_made_of(&self, values: &[Expr], symbols: &BTreeSet<Expr>) -> bool {
        self.reachable(values).iter().all(|e| self.as_symbol(*e).is_none() || symbols.contains(e))
    }

    /// The id of a node, if it was made before.
    fn known(&self, node: &Node) -> Option<Expr> {
        self.ids.find(hash(node), |e| self.node(e) == node)
    }

    fn intern(&mut self, node: Node) -> Expr {
        let hash = hash(&node);
        if let Some(e) = self.ids.find(hash, |e| *self.node(e) == node) {
            return e;
        }
        let rest = match &node {
            Node::Product(f) if self.as_number(f[0]).is_some() => match f[1..] {
                [single] => Some(single),
                _ => Some(self.intern(Node::Product(f[1..].to_vec()))),
            },
            _ => None,
        };
        let e = Expr(u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions"));
        self.nodes.push(node);
        self.rests.push(rest.unwrap_or(e));
        self.ids.insert(hash, e);
        e
    }
}

fn hash(node: &Node) -> u32 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

/// Ids by the hashes of their nodes, with linear probing. A map from nodes would store every node a second time.
#[derive(Clone, Debug, Default)]
struct Ids {
    /// Hash and id + 1; zeros in an empty place. A power of two of places, half of them empty at least.
    places: Box<[(u32, u32)]>,
    used: usize,
}

impl Ids {
    /// The id with that hash whose node `is` the one that is looked for.
    fn find(&self, hash: u32, is: impl Fn(Expr) -> bool) -> Option<Expr> {
        let last = self.places.len().checked_sub(1)?;
        let mut place = hash as usize & last;
        loop {
            match self.places[place] {
                (_, 0) => return None,
                (found, id) if found == hash && is(Expr(id - 1)) => return Some(Expr(id - 1)),
                _ => place = (place + 1) & last,
            }
        }
    }

    /// Adds an id that is not there yet.
    fn insert(&mut self, hash: u32, e: Expr) {
        if 2 * (self.used + 1) > self.places.len() {
            let more = vec![(0, 0); (2 * self.places.len()).max(64)].into_boxed_slice();
            let old = std::mem::replace(&mut self.places, more);
            each(&old, |&(hash, id)| {
                if id != 0 {
                    self.put(hash, id);
                }
            });
        }
        self.used += 1;
        self.put(hash, e.0 + 1);
    }

    fn put(&mut self, hash: u32, id: u32) {
        let last = self.places.len() - 1;
        let mut place = hash as usize & last;
        while self.places[place].1 != 0 {
            place = (place + 1) & last;
        }
        self.places[place] = (hash, id);
    }
}

/// Length of a table indexed by everything reachable from `roots`, since children are older.
fn table_size(roots: &[Expr]) -> usize {
    roots.iter().map(|r| r.index() + 1).max().unwrap_or(0)
}

/// An expression for everything reachable from some roots; zero until it is set. Raw ids, because the
/// allocator provides zeroed memory at no cost.
struct Images {
    /// What images are of, in order; empty if they are found by their index.
    of: Vec<Expr>,
    images: Vec<u32>,
}

impl Images {
    fn new(roots: &[Expr]) -> Images {
        Images::with_size(table_size(roots))
    }

    /// Of `all` that is reachable from some roots, in order. A table by index would be as long as the pool, and most
    /// substitutions see little of it.
    fn of(all: &[Expr]) -> Images {
        let size = table_size(all.last().map_or(&[], std::slice::from_ref));
        match 16 * all.len() < size {
            true => Images { of: all.to_vec(), images: vec![0; all.len()] },
            false => Images::with_size(size),
        }
    }

    fn with_size(size: usize) -> Images {
        Images { of: Vec::new(), images: vec![0; size] }
    }

    fn place(&self, e: Expr) -> usize {
        match self.of.is_empty() {
            true => e.index(),
            false => self.of.binary_search(&e).expect("an expression that is reachable"),
        }
    }

    fn get(&self, e: Expr) -> Expr {
        Expr(self.images[self.place(e)])
    }

    fn set(&mut self, e: Expr, image: Expr) {
        let place = self.place(e);
        self.images[place] = image.0;
    }
}
