//! Operations as statements in C.

use nhi_interpreter::trace::{Node, Trace};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Longer expressions are bound to names.
const LONGEST: usize = 64;

/// Polynomials with more terms are summed by a loop over their coefficients.
const MOST_TERMS: usize = 12;

/// From how many zeros on a loop sets the results to zero first.
const ZEROS: usize = 9;

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Sign,
    Primary,
}

type Text = (String, Level);

/// Statements of one function.
pub(crate) struct Printer<'a> {
    trace: &'a Trace,
    /// The arguments, by their names.
    arguments: &'a [String],
    /// Functions of one number that are called for choices, by the places of the choices.
    calls: &'a HashMap<usize, String>,
    uses: Vec<usize>,
    bound: HashMap<usize, String>,
    sines: HashMap<usize, String>,
    series: HashMap<usize, Series>,
    tables: usize,
    lines: String,
    indent: usize,
    /// Statements that few motions reach.
    is_rare: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(
        trace: &'a Trace,
        arguments: &'a [String],
        calls: &'a HashMap<usize, String>,
    ) -> Printer<'a> {
        let list = trace.nodes.list();
        let mut uses = vec![0; list.len()];
        let mut series = HashMap::new();
        trace.results.iter().for_each(|&i| uses[i] += 1);
        for (i, node) in list.iter().enumerate().rev() {
            if uses[i] == 0 {
                continue;
            }
            let found = Series::at(trace, i).filter(|series| series.coefficients.len() > MOST_TERMS);
            match (*node, calls.get(&i)) {
                (Node::Choice { number, .. }, Some(_)) => uses[number] += 1,
                (node, _) => match &found {
                    Some(series) => uses[series.of] += 1,
                    None => node.operands().into_iter().for_each(|x| uses[x] += 1),
                },
            }
            series.extend(found.map(|found| (i, found)));
        }
        Printer {
            trace,
            arguments,
            calls,
            uses,
            bound: HashMap::new(),
            sines: HashMap::new(),
            series,
            tables: 0,
            lines: String::new(),
            indent: 1,
            is_rare: false,
        }
    }

    /// Statements that set `out`.
    pub(crate) fn all(mut self) -> String {
        let trace = self.trace;
        let is_zero = |&place: &usize| trace.nodes.value(place).is_some_and(|x| x.to_bits() == 0);
        let n = trace.results.len();
        let loops = trace.results.iter().filter(|place| is_zero(place)).count() >= ZEROS;
        if loops {
            self.line(&format!("nhi_zero({n}, out);"));
        }
        for (i, place) in trace.results.iter().enumerate() {
            if !loops || !is_zero(place) {
                let (text, _) = self.text(*place);
                self.line(&format!("out[{i}] = {text};"));
            }
        }
        self.lines
    }

    /// Statements that return the only result.
    pub(crate) fn returned(mut self) -> String {
        let place = self.trace.results[0];
        if let Node::Choice { number, bound, near, far } = self.trace.nodes.list()[place] {
            let (number, _) = self.text(number);
            // What both formulas use comes before.
            for place in self.shared(near, far) {
                self.named(place);
            }
            let known = (self.bound.clone(), self.sines.clone());
            self.line(&format!("if ((double){} < {:?}) {{", primary(&number), f64::from_bits(bound)));
            self.indent += 1;
            let (near, _) = self.text(near);
            self.line(&format!("return {near};"));
            self.indent -= 1;
            self.line("}");
            (self.bound, self.sines) = known;
            self.is_rare = true;
            let (far, _) = self.text(far);
            self.line(&format!("return {far};"));
        } else {
            let (text, _) = self.text(place);
            self.line(&format!("return {text};"));
        }
        self.lines
    }

    /// Operations that both numbers need.
    fn shared(&self, near: usize, far: usize) -> Vec<usize> {
        let reached = |from: usize| {
            let mut seen = vec![false; self.uses.len()];
            let mut stack = vec![from];
            while let Some(place) = stack.pop() {
                if !seen[place] {
                    seen[place] = true;
                    stack.extend(self.trace.nodes.list()[place].operands());
                }
            }
            seen
        };
        let (near, far) = (reached(near), reached(far));
        let is_operation =
            |&i: &usize| !matches!(self.trace.nodes.list()[i], Node::Argument(_) | Node::Constant(_));
        (0..near.len()).filter(|&i| near[i] && far[i]).filter(is_operation).collect()
    }

    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.indent);
        writeln!(self.lines, "{indent}{text}").expect("a string takes everything");
    }

    /// Binds a number to a name.
    fn named(&mut self, place: usize) -> String {
        if let Some(name) = self.bound.get(&place) {
            return name.clone();
        }
        let (text, _) = self.expression(place);
        self.bind(place, &text)
    }

    fn bind(&mut self, place: usize, text: &str) -> String {
        let name = format!("t{}", self.bound.len());
        self.line(&format!("const nhi_real {name} = {text};"));
        self.bound.insert(place, name.clone());
        name
    }

    /// The number where it is used.
    fn text(&mut self, place: usize) -> Text {
        if let Some(name) = self.bound.get(&place) {
            return (name.clone(), Level::Primary);
        }
        let node = self.trace.nodes.list()[place];
        let text = self.expression(place);
        let is_short = matches!(node, Node::Argument(_) | Node::Constant(_) | Node::Sin(_) | Node::Cos(_));
        let is_sign = matches!(node, Node::Neg(_)) && text.0.len() < 12;
        if is_short || is_sign || (self.uses[place] < 2 && text.0.len() < LONGEST) {
            return text;
        }
        (self.bind(place, &text.0), Level::Primary)
    }

    /// At least at this level.
    fn operand(&mut self, place: usize, level: Level) -> String {
        let (text, own) = self.text(place);
        if own < level { format!("({text})") } else { text }
    }

    fn expression(&mut self, place: usize) -> Text {
        let node = self.trace.nodes.list()[place];
        if let Some(Series { of, coefficients }) = self.series.get(&place) {
            let (of, table) = (*of, format!("c{}", self.tables));
            let numbers: Vec<String> = coefficients.iter().map(|c| format!("{c:?}")).collect();
            let (length, rows) = (numbers.len(), numbers.len() / 4);
            self.tables += 1;
            self.line(&format!("static const double {table}[{length}] = {{"));
            for row in numbers.chunks(4) {
                self.line(&format!("    {},", row.join(", ")));
            }
            self.line("};");
            let (of, _) = self.text(of);
            return (format!("nhi_series({of}, {table}, {rows})"), Level::Primary);
        }
        let mut binary = |x, left, sign, y, right, level| {
            let (x, y) = (self.operand(x, left), self.operand(y, right));
            (format!("{x} {sign} {y}"), level)
        };
        match node {
            Node::Argument(i) => (self.arguments[i].clone(), Level::Primary),
            Node::Constant(bits) => (constant(f64::from_bits(bits)), Level::Primary),
            Node::Neg(x) => (format!("-{}", self.operand(x, Level::Primary)), Level::Sign),
            Node::Add(x, y) => binary(x, Level::Sum, "+", y, Level::Product, Level::Sum),
            Node::Sub(x, y) => binary(x, Level::Sum, "-", y, Level::Product, Level::Sum),
            Node::Mul(x, y) => binary(x, Level::Product, "*", y, Level::Sign, Level::Product),
            Node::Div(x, y) => binary(x, Level::Product, "/", y, Level::Sign, Level::Product),
            Node::Sqrt(x) => self.call("sqrt", x),
            Node::Atan2(y, x) => {
                let [(y, _), (x, _)] = [y, x].map(|place| self.text(place));
                (format!("nhi_atan2({y}, {x})"), Level::Primary)
            }
            Node::Call(name, x) => self.call(name, x),
            Node::Sin(x) => (format!("{}.sin", self.sines(x)), Level::Primary),
            Node::Cos(x) => (format!("{}.cos", self.sines(x)), Level::Primary),
            Node::Choice { number, bound, near, far } => {
                if let Some(name) = self.calls.get(&place) {
                    return self.call(name, number);
                }
                let number = self.operand(number, Level::Primary);
                let [near, far] = [near, far].map(|x| self.text(x).0);
                let bound = f64::from_bits(bound);
                (format!("((double){number} < {bound:?} ? {near} : {far})"), Level::Primary)
            }
        }
    }

    fn call(&mut self, name: &str, x: usize) -> Text {
        let (x, _) = self.text(x);
        (format!("nhi_{name}({x})"), Level::Primary)
    }

    fn sines(&mut self, angle: usize) -> String {
        if let Some(name) = self.sines.get(&angle) {
            return name.clone();
        }
        let (text, _) = self.text(angle);
        let name = format!("s{}", self.sines.len());
        let called = if self.is_rare { "called_" } else { "" };
        self.line(&format!("const nhi_sines {name} = nhi_{called}sin_cos({text});"));
        self.sines.insert(angle, name.clone());
        name
    }
}

fn primary(text: &str) -> String {
    let is_name = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_[]".contains(&b));
    if is_name { text.to_owned() } else { format!("({text})") }
}

fn constant(x: f64) -> String {
    if x.is_nan() { "NHI_R(nhi_nan())".to_owned() } else { format!("NHI_R({x:?})") }
}

/// A polynomial as the runtime sums it, in four sums of every fourth term.
struct Series {
    /// What it is a polynomial of.
    of: usize,
    /// Its coefficients, lowest first.
    coefficients: Vec<f64>,
}

impl Series {
    fn at(trace: &Trace, place: usize) -> Option<Series> {
        let (list, value) = (trace.nodes.list(), |place| trace.nodes.value(place));
        let sum = |place: usize| match list[place] {
            Node::Add(x, y) => Some((x, y)),
            _ => None,
        };
        let product = |place: usize| match list[place] {
            Node::Mul(x, y) => Some((x, y)),
            _ => None,
        };
        let (low, high) = sum(place)?;
        let (high, x2) = product(high)?;
        let (x, _) = product(x2).filter(|(x, y)| x == y)?;
        let x4 = trace.nodes.known(Node::Mul(x2, x2))?;
        let (of, _) = sum(x).filter(|&(_, tiny)| value(tiny) == Some(1e-20))?;
        let mut columns = Vec::new();
        for pair in [low, high] {
            let (even, odd) = sum(pair)?;
            let (odd, _) = product(odd).filter(|&(_, y)| y == x)?;
            for mut rest in [even, odd] {
                let mut column = Vec::new();
                while value(rest).is_none() {
                    let (above, c) = sum(rest)?;
                    column.push(value(c)?);
                    rest = product(above).filter(|&(_, y)| y == x4)?.0;
                }
                column.extend(value(rest));
                columns.push(column);
            }
        }
        let rows = columns[0].len();
        let is_full = columns.iter().all(|column| column.len() == rows);
        let coefficients = (0..4 * rows).map(|i| columns[i % 4].get(i / 4).copied());
        coefficients
            .collect::<Option<_>>()
            .filter(|_| is_full)
            .map(|coefficients| Series { of, coefficients })
    }
}
