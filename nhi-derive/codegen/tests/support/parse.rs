//! Reads the textual form that `Program::show` prints.

use nhi_codegen::expr::{Expr, Function, Pool, Rational};
use nhi_codegen::program::{Binding, Input, Newton, Output, Program, Role, Singular, Statement};

/// Reads one program; panics with the offending line.
pub(crate) fn program(pool: &mut Pool, text: &str) -> Program {
    let mut lines = text.lines().filter(|l| !l.trim().is_empty());
    let head = lines.next().expect("a head line").trim();
    let (name, inputs) = head.strip_suffix(')').and_then(|h| h.split_once('(')).expect(head);
    let mut body = Vec::new();
    let mut outputs = Vec::new();
    let mut newton_indent = 0;
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("return ") {
            outputs = split(rest)
                .iter()
                .map(|o| {
                    let (name, values) = o.split_once(" = ").expect(line);
                    let scalar = !values.starts_with('[');
                    Output { role: Role::named(name), values: list(pool, values), scalar }
                })
                .collect();
        } else if let Some(rest) = line.strip_prefix("newton ") {
            newton_indent = indent;
            let (unknowns, rest) = rest.split_once(" from ").expect(line);
            let (guess, rest) = rest.split_once(" weights ").expect(line);
            let (weights, beside) = rest.split_once(" beside ").expect(line);
            body.push(Statement::Newton(Newton {
                unknowns: list(pool, unknowns),
                guess: list(pool, guess),
                fallback: Vec::new(),
                weights: list(pool, weights),
                scale2: expression(pool, beside),
                is_sharp: false,
                jumps: false,
                equations: Vec::new(),
                body: Vec::new(),
                delta: Vec::new(),
                derivatives: Vec::new(),
                last_iterate: Vec::new(),
            }));
        } else if let (true, Some(Statement::Newton(newton))) = (indent > newton_indent, body.last_mut()) {
            match (line.split_once(" += "), line.strip_prefix("slopes ")) {
                (Some((_, delta)), _) => newton.delta.push(expression(pool, delta)),
                (None, Some(slopes)) => newton.derivatives = list(pool, slopes),
                (None, None) => newton.body.push(statement(pool, line)),
            }
        } else {
            body.push(statement(pool, line));
        }
    }
    let inputs = split(inputs).iter().map(|i| input(pool, i)).collect();
    let program = Program { name: name.to_owned(), doc: Vec::new(), inputs, body, outputs };
    program.validate(pool);
    program
}

fn statement(pool: &mut Pool, line: &str) -> Statement {
    if let Some(text) = line.strip_prefix("# ") {
        Statement::Equation(text.to_owned())
    } else if let Some(rest) = line.strip_prefix("pivot ") {
        let (pivot, rest) = rest.split_once(" > eps * ").expect(line);
        let (diagonal, what) = rest.split_once(" else ").expect(line);
        let what = if what == "mass" { Singular::Mass } else { Singular::Constraints };
        Statement::Pivot { pivot: expression(pool, pivot), diagonal: expression(pool, diagonal), what }
    } else {
        let (symbol, value) = line.strip_prefix("let ").and_then(|l| l.split_once(" = ")).expect(line);
        Statement::Let { symbol: expression(pool, symbol), value: expression(pool, value) }
    }
}

fn input(pool: &mut Pool, text: &str) -> Input {
    let (name, rest) = text.split_once(": ").unwrap_or((text, ""));
    let (binding, entries) = match rest.strip_prefix("prepared") {
        Some(rest) => (Binding::Prepared, rest.trim()),
        None => (Binding::Step, rest),
    };
    let scalar = !entries.starts_with('[');
    let symbols = list(pool, if entries.is_empty() { name } else { entries });
    Input { role: Role::named(name), symbols, binding, scalar }
}

fn list(pool: &mut Pool, text: &str) -> Vec<Expr> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    split(inner).iter().map(|e| expression(pool, e)).collect()
}

/// Splits at commas outside of brackets.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        depth += match c {
            '(' | '[' => 1,
            ')' | ']' => -1,
            _ => 0,
        };
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            c => parts.last_mut().expect("never empty").push(c),
        }
    }
    parts.iter().map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

/// Reads one expression.
pub(crate) fn expression(pool: &mut Pool, text: &str) -> Expr {
    let mut parser = Parser { pool, rest: text };
    let e = parser.sum();
    assert!(parser.rest.trim().is_empty(), "left over: {:?} of {text:?}", parser.rest);
    e
}

struct Parser<'a> {
    pool: &'a mut Pool,
    rest: &'a str,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) {
        assert!(self.eat(token), "expected {token:?} at {:?}", self.rest);
    }

    fn sum(&mut self) -> Expr {
        let mut e = self.product();
        loop {
            if self.eat("+") {
                let b = self.product();
                e = self.pool.add(e, b);
            } else if self.eat("-") {
                let b = self.product();
                e = self.pool.sub(e, b);
            } else {
                return e;
            }
        }
    }

    fn product(&mut self) -> Expr {
        if self.eat("-") {
            let e = self.product();
            return self.pool.neg(e);
        }
        let mut e = self.power();
        loop {
            if self.eat("*") {
                let b = self.power();
                e = self.pool.mul(e, b);
            } else if self.eat("/") {
                let b = self.power();
                e = self.pool.div(e, b);
            } else {
                return e;
            }
        }
    }

    fn power(&mut self) -> Expr {
        let base = self.atom();
        if !self.eat("^") {
            return base;
        }
        let negative = self.eat("-");
        let mut exponent = self.power();
        if negative {
            exponent = self.pool.neg(exponent);
        }
        self.pool.pow(base, exponent)
    }

    fn atom(&mut self) -> Expr {
        if self.eat("(") {
            let e = self.sum();
            self.expect(")");
            return e;
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '%'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        assert!(!word.is_empty(), "no expression at {rest:?}");
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let n: i64 = word.parse().expect("an integer");
            return self.pool.number(Rational::from_integer(n.into()));
        }
        if word == "dot" {
            let (inner, rest) = self.rest[1..].split_once(')').expect("a closing parenthesis");
            self.rest = rest;
            return self.pool.symbol(&format!("dot({inner})"));
        }
        if self.rest.starts_with('[') {
            let (index, rest) = self.rest.split_once(']').expect("a closing bracket");
            self.rest = rest;
            return self.pool.symbol(&format!("{word}{index}]"));
        }
        if word == "pi" {
            return self.pool.pi();
        }
        if self.eat("(") {
            let x = self.sum();
            let value = if word == "sqrt" {
                self.pool.sqrt(x)
            } else if word == "atan2" {
                self.expect(",");
                let y = self.sum();
                self.pool.atan2(x, y)
            } else {
                let f = Function::ALL.into_iter().find(|f| f.name() == word).expect(word);
                self.pool.call(f, x)
            };
            self.expect(")");
            return value;
        }
        self.pool.symbol(word)
    }
}
