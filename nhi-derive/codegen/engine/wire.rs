//! The protocol between the macro and the engine process: one batch of requests on the engine's
//! standard input, one batch of answers on its standard output, then the engine exits.
//!
//! Both are text, one item a line. Expressions are graphs: every node is written once and named by
//! its position, so that what is shared stays shared. Symbols are numbers, their names stay with
//! the macro.
//!
//! ```text
//! nhi engine 1            version of this protocol
//! n -3/4                  number
//! s 0                     symbol
//! p                       pi
//! + 0 1 2                 sum, * product
//! ^ 3 -2                  integer power
//! f sin 5                 function by name: those of the grammar, power(b, x) and atan2(y, x)
//! derivatives 6 0 1       request: root, then symbols;            answer: one root each
//! rational 6 0:1 2:3      request: root, then pairs a² + b² = 1;  answer: any number of roots
//! answer 7 8              in the order of the requests
//! end
//! ```

/// First line of both directions.
pub(crate) const VERSION: &str = "nhi engine 1";

/// Position of a node.
pub(crate) type Id = usize;

/// One node; operands come before it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// Fraction in decimal digits.
    Number(String),
    /// Symbol number.
    Symbol(usize),
    /// The circle constant.
    Pi,
    /// Sum.
    Sum(Vec<Id>),
    /// Product.
    Product(Vec<Id>),
    /// Integer power.
    Power(Id, i64),
    /// Function by name.
    Call(String, Vec<Id>),
}

/// One question about a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    /// Partial derivatives with respect to symbols.
    Derivatives(Id, Vec<usize>),
    /// Equal forms of a rational function of symbols, of which each pair lies on the unit circle.
    Rational(Id, Vec<(usize, usize)>),
}

/// Nodes, and the requests or answers about them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Batch<T> {
    /// Graph.
    pub(crate) nodes: Vec<Node>,
    /// Requests or answers.
    pub(crate) items: Vec<T>,
}

/// A line of its own kind.
pub(crate) trait Item: Sized {
    /// The line.
    fn write(&self) -> String;
    /// The item, if the line is one; its words are given.
    fn read(words: &[&str]) -> Option<Self>;
}

impl Item for Request {
    fn write(&self) -> String {
        match self {
            Request::Derivatives(root, symbols) => format!("derivatives {root}{}", join(symbols)),
            Request::Rational(root, circles) => {
                let pairs: String = circles.iter().map(|(a, b)| format!(" {a}:{b}")).collect();
                format!("rational {root}{pairs}")
            }
        }
    }

    fn read(words: &[&str]) -> Option<Self> {
        let root = words.get(1)?.parse().ok()?;
        match words[0] {
            "derivatives" => Some(Request::Derivatives(root, numbers(&words[2..])?)),
            "rational" => {
                let pair = |w: &&str| {
                    let (a, b) = w.split_once(':')?;
                    Some((a.parse().ok()?, b.parse().ok()?))
                };
                Some(Request::Rational(root, words[2..].iter().map(pair).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }
}

/// Roots that answer one request.
impl Item for Vec<Id> {
    fn write(&self) -> String {
        format!("answer{}", join(self))
    }

    fn read(words: &[&str]) -> Option<Self> {
        if words[0] == "answer" { numbers(&words[1..]) } else { None }
    }
}

impl<T: Item> Batch<T> {
    /// The text of a batch.
    pub(crate) fn write(&self) -> String {
        let mut text = format!("{VERSION}\n");
        for node in &self.nodes {
            text += &match node {
                Node::Number(n) => format!("n {n}"),
                Node::Symbol(s) => format!("s {s}"),
                Node::Pi => "p".to_owned(),
                Node::Sum(c) => format!("+{}", join(c)),
                Node::Product(c) => format!("*{}", join(c)),
                Node::Power(b, x) => format!("^ {b} {x}"),
                Node::Call(f, c) => format!("f {f}{}", join(c)),
            };
            text.push('\n');
        }
        for item in &self.items {
            text += &item.write();
            text.push('\n');
        }
        text += "end\n";
        text
    }

    /// Reads a batch up to its end, after whatever warnings come before it; the error is the
    /// offending line.
    pub(crate) fn read(lines: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut batch = Batch { nodes: Vec::new(), items: Vec::new() };
        let mut started = false;
        for line in lines {
            if !started {
                started = line == VERSION;
                continue;
            }
            if line == "end" {
                return Ok(batch);
            }
            batch.line(&line).ok_or(line)?;
        }
        Err("end of file".to_owned())
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let node = match *words.first()? {
            "n" => Node::Number((*words.get(1)?).to_owned()),
            "s" => Node::Symbol(words.get(1)?.parse().ok()?),
            "p" => Node::Pi,
            "+" => Node::Sum(self.operands(&words[1..])?),
            "*" => Node::Product(self.operands(&words[1..])?),
            "^" => Node::Power(*self.operands(words.get(1..2)?)?.first()?, words.get(2)?.parse().ok()?),
            "f" => Node::Call((*words.get(1)?).to_owned(), self.operands(&words[2..])?),
            _ => {
                self.items.push(T::read(&words)?);
                return Some(());
            }
        };
        self.nodes.push(node);
        Some(())
    }

    /// Ids of nodes read before.
    fn operands(&self, words: &[&str]) -> Option<Vec<Id>> {
        numbers(words).filter(|ids| ids.iter().all(|&i| i < self.nodes.len()))
    }
}

fn join(numbers: &[usize]) -> String {
    numbers.iter().map(|n| format!(" {n}")).collect()
}

fn numbers(words: &[&str]) -> Option<Vec<usize>> {
    words.iter().map(|w| w.parse().ok()).collect()
}
