//! Random declarations: valid ones, which must be accepted and are checked against hyper-dual numbers; the same
//! with one mistake, which must be rejected; and mutated tokens, which may be anything but must not panic, abort
//! or take longer than ten seconds.
//!
//! ```text
//! NHI_FUZZ_SECONDS=3600 NHI_FUZZ_SEED=7 cargo test -p nhi-codegen --test fuzz -- --nocapture
//! ```
//!
//! Without these variables a fixed number of cases of a fixed seed is run, more of them with `NHI_TESTS=all`.
//! All processors run cases. Those under way are kept in `fuzz-case-0.txt` and so on in cargo's directory for temporary
//! files of tests, for what ends the whole process.

mod support;

use nhi_codegen::declaration::{Declaration, stub};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::{Expr, Pool, Symbol};
use nhi_codegen::pipeline::Derived;
use nhi_runtime::{Dual, Scalar};
use nhi_tiers::amount;
use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{available_parallelism, scope};
use std::time::{Duration, Instant};
use support::{Random, Run};

/// Cases without a duration, and in exhaustive tests.
const CASES: u64 = 100;
const ALL_CASES: u64 = 400;
/// Longest time that a declaration may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Most coordinates.
const N: usize = 3;
const COORDINATES: [&str; N] = ["x", "theta", "q3"];
const PARAMETERS: [&str; 3] = ["m", "c[0]", "c[1]"];

/// A function of coordinates, parameters, time and an input, defined everywhere.
#[derive(Clone, Debug)]
enum E {
    Number(&'static str),
    Coordinate(usize),
    Parameter(usize),
    Time,
    Input,
    Sum(Box<E>, Box<E>),
    Difference(Box<E>, Box<E>),
    Product(Box<E>, Box<E>),
    /// a/(2 + sin(b)).
    Quotient(Box<E>, Box<E>),
    /// sqrt(1 + a²).
    Root(Box<E>),
    Square(Box<E>),
    Call(&'static str, Box<E>),
    /// |a|
    Size(Box<E>),
    /// max(a, b)
    Larger(Box<E>, Box<E>),
    /// if(a < b, c, d)
    Choice(Box<[E; 4]>),
}

fn expression(random: &mut Random, n: usize, depth: usize) -> E {
    let boxed = |random: &mut Random| Box::new(expression(random, n, depth - 1));
    if depth == 0 {
        return match random.below(4) {
            0 => E::Number(["1", "2", "0.5", "3/7", "pi", "0.1"][random.below(6)]),
            1 => E::Parameter(random.below(PARAMETERS.len())),
            _ => E::Coordinate(random.below(n)),
        };
    }
    match random.below(9) {
        0 => E::Sum(boxed(random), boxed(random)),
        1 => E::Difference(boxed(random), boxed(random)),
        2 => E::Product(boxed(random), boxed(random)),
        3 => E::Quotient(boxed(random), boxed(random)),
        4 => E::Root(boxed(random)),
        5 => E::Square(boxed(random)),
        6 | 7 => E::Call(["sin", "cos", "tanh", "atan"][random.below(4)], boxed(random)),
        _ => expression(random, n, 0),
    }
}

/// The same, perhaps with the time.
fn timed(random: &mut Random, n: usize, depth: usize) -> E {
    let e = Box::new(expression(random, n, depth));
    match random.below(4) {
        0 => E::Product(e, Box::new(E::Call("cos", Box::new(E::Time)))),
        1 => E::Call("sin", Box::new(E::Sum(e, Box::new(E::Time)))),
        _ => *e,
    }
}

/// The same, perhaps piecewise: the coefficient of a force.
fn coefficient(random: &mut Random, n: usize, depth: usize) -> E {
    let mut one = || Box::new(timed(random, n, depth));
    let [a, b, c, d] = [one(), one(), one(), one()];
    match random.below(6) {
        0 => E::Size(a),
        1 => E::Larger(a, b),
        2 => E::Choice(Box::new([*a, *b, *c, *d])),
        _ => *a,
    }
}

impl fmt::Display for E {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            E::Number(text) => write!(f, "({text})"),
            E::Coordinate(i) => f.write_str(COORDINATES[*i]),
            E::Parameter(i) => f.write_str(PARAMETERS[*i]),
            E::Time => f.write_str("t"),
            E::Input => f.write_str("u"),
            E::Sum(a, b) => write!(f, "({a} + {b})"),
            E::Difference(a, b) => write!(f, "({a} - {b})"),
            E::Product(a, b) => write!(f, "{a}*{b}"),
            E::Quotient(a, b) => write!(f, "{a}/(2 + sin({b}))"),
            E::Root(a) => write!(f, "sqrt(1 + ({a})^2)"),
            E::Square(a) => write!(f, "({a})^2"),
            E::Call(name, a) => write!(f, "{name}({a})"),
            E::Size(a) => write!(f, "abs({a})"),
            E::Larger(a, b) => write!(f, "max({a}, {b})"),
            E::Choice(all) => {
                let [a, b, c, d] = &**all;
                write!(f, "if({a} < {b} || !({a} != {b}), {c}, {d})")
            }
        }
    }
}

impl E {
    /// The value at `q`, which ends with the time and the input.
    fn value<T: Scalar>(&self, q: &[T], parameters: &[f64]) -> T {
        let of = |e: &E| e.value(q, parameters);
        let one = T::from_f64(1.0);
        match self {
            E::Number("pi") => T::from_f64(std::f64::consts::PI),
            E::Number("3/7") => T::from_f64(3.0 / 7.0),
            E::Number(text) => T::from_f64(text.parse().unwrap()),
            E::Coordinate(i) => q[*i],
            E::Parameter(i) => T::from_f64(parameters[*i]),
            E::Time => q[q.len() - 2],
            E::Input => q[q.len() - 1],
            E::Sum(a, b) => of(a) + of(b),
            E::Difference(a, b) => of(a) - of(b),
            E::Product(a, b) => of(a) * of(b),
            E::Quotient(a, b) => of(a) / (one + one + of(b).sin()),
            E::Root(a) => (one + of(a) * of(a)).sqrt(),
            E::Square(a) => of(a) * of(a),
            E::Call("sin", a) => of(a).sin(),
            E::Call("cos", a) => of(a).cos(),
            E::Call("tanh", a) => of(a).tanh(),
            E::Call(_, a) => of(a).atan(),
            E::Size(a) => of(a).select(of(a), -of(a)),
            E::Larger(a, b) => (of(a) - of(b)).select(of(a), of(b)),
            E::Choice(all) => {
                let [a, b, c, d] = &**all;
                (of(b) - of(a)).select(of(c), of(d))
            }
        }
    }
}

/// L = ½ Σ (1 + aᵢ²) vᵢ² + ½ Σ (vᵢ + bᵢ vᵢ₊₁)² + Σ gᵢ vᵢ − V with the one-forms dqₐ + Σ f dqⱼ + h dt and the force
/// Σ (F − d v) dq. With as many one-forms as coordinates there may be no kinetic energy.
#[derive(Debug)]
struct Valid {
    n: usize,
    mass: Vec<E>,
    coupling: Vec<E>,
    gyroscopic: Vec<E>,
    potential: E,
    /// Coefficients of the coordinates from m on, and that of dt.
    forms: Vec<(Vec<E>, Option<E>)>,
    force: Vec<(E, E)>,
    load: Option<Load>,
    methods: &'static str,
}

/// A force c λ or c |λ| along a coordinate, with the multiplier of a one-form.
#[derive(Debug)]
struct Load {
    form: usize,
    coordinate: usize,
    coefficient: E,
    is_absolute: bool,
}

/// x of A x = b, from the rows of (A | b).
fn solution(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).expect("a row");
        rows.swap(k, pivot);
        let row: Vec<f64> = rows[k].iter().map(|x| x / rows[k][k]).collect();
        for other in rows.iter_mut().enumerate().filter(|(i, _)| *i != k).map(|(_, other)| other) {
            let factor = other[k];
            other.iter_mut().zip(&row).for_each(|(x, above)| *x -= factor * above);
        }
        rows[k] = row;
    }
    rows.into_iter().map(|row| row[n]).collect()
}

impl Valid {
    fn new(random: &mut Random) -> Valid {
        let n = 1 + random.below(N);
        let m = random.below(n + 1);
        let masses = if m == n && random.below(3) == 0 { 0 } else { n };
        let depth = random.below(3);
        let gyroscopic = if random.below(3) == 0 { n } else { 0 };
        let forced = if random.below(2) == 0 { n } else { 0 };
        let timed_functions = |random: &mut Random, count: usize, depth: usize| -> Vec<E> {
            (0..count).map(|_| timed(random, n, depth)).collect()
        };
        let methods =
            ["", "methods(Dla1)", "methods(Rk4)", "methods(all)"][random.below(4) * random.below(2)];
        // Runge–Kutta methods do not know the rates of inputs.
        let may_be_driven = !methods.contains("Rk4");
        let drift = |random: &mut Random| {
            let drift = timed(random, n, depth);
            match may_be_driven && random.below(3) == 0 {
                true => E::Product(Box::new(drift), Box::new(E::Input)),
                false => drift,
            }
        };
        let mut valid = Valid {
            n,
            mass: timed_functions(random, masses, depth),
            coupling: timed_functions(random, masses.saturating_sub(1), depth.min(1)),
            gyroscopic: timed_functions(random, gyroscopic, depth),
            potential: timed(random, n, depth + 1),
            forms: (0..m)
                .map(|_| {
                    let form = (0..n - m).map(|_| expression(random, n, depth)).collect();
                    (form, (random.below(3) == 0).then(|| drift(random)))
                })
                .collect(),
            force: (0..forced)
                .map(|_| {
                    let force =
                        if random.below(2) == 0 { drift(random) } else { coefficient(random, n, depth) };
                    (force, expression(random, n, 0))
                })
                .collect(),
            load: None,
            methods,
        };
        let is_driven = |dt: &E| matches!(dt, E::Product(_, rate) if matches!(**rate, E::Input));
        let is_driven = valid.forms.iter().any(|(_, dt)| dt.as_ref().is_some_and(is_driven));
        if m > 0 && !is_driven && random.below(3) == 0 {
            valid.load = Some(Load {
                form: random.below(m),
                coordinate: random.below(n),
                coefficient: expression(random, n, 0),
                is_absolute: random.below(2) == 0,
            });
        }
        valid
    }

    /// The keys, each with its value.
    fn keys(&self) -> Vec<(&'static str, String)> {
        let v = |i: usize| format!("dot({})", COORDINATES[i]);
        let mut lagrangian = format!("-{}", self.potential);
        for (i, a) in self.mass.iter().enumerate() {
            lagrangian += &format!(" + (1 + ({a})^2)*{}^2/2", v(i));
        }
        for (i, b) in self.coupling.iter().enumerate() {
            lagrangian += &format!(" + ({} + {b}*{})^2/2", v(i), v(i + 1));
        }
        for (i, g) in self.gyroscopic.iter().enumerate() {
            lagrangian += &format!(" + {g}*{}", v(i));
        }
        let m = self.forms.len();
        let forms = self.forms.iter().enumerate().map(|(a, (form, dt))| {
            let is_loaded = self.load.as_ref().is_some_and(|load| load.form == a);
            let mut text = format!("{}d{}", if is_loaded { "load: " } else { "" }, COORDINATES[a]);
            for (j, f) in form.iter().enumerate() {
                text += &format!(" + {f}*d{}", COORDINATES[m + j]);
            }
            text + &dt.as_ref().map_or(String::new(), |h| format!(" - {h}*dt"))
        });
        let force = self
            .force
            .iter()
            .enumerate()
            .map(|(i, (f, d))| format!("{f}*d{x} - {d}*dot({x})*d{x}", x = COORDINATES[i]));
        let load = self.load.as_ref().map(|Load { coordinate, coefficient, is_absolute, .. }| {
            let multiplier = if *is_absolute { "abs(lambda(load))" } else { "lambda(load)" };
            format!("{coefficient}*{multiplier}*d{}", COORDINATES[*coordinate])
        });
        let force: Vec<String> = force.chain(load).collect();
        let mut keys = vec![
            ("coordinates", COORDINATES[..self.n].join(", ")),
            ("lagrangian", lagrangian),
            ("constraints", forms.collect::<Vec<String>>().join(", ")),
        ];
        if !force.is_empty() {
            keys.push(("force", force.join(" + ")));
        }
        keys.push(("inputs", "u".to_owned()));
        keys
    }

    fn check(&self, random: &mut Random) {
        let source = text(&self.keys(), self.methods);
        let derived = derived(&source).unwrap_or_else(|errors| panic!("wrong reject: {errors:?}"));
        for _ in 0..2 {
            self.compare(&derived, random);
        }
        if random.below(4) == 0 {
            code(&derived).unwrap_or_else(|errors| panic!("wrong reject: {errors:?}"));
        }
    }

    /// Momenta, masses, constraints, biases and accelerations against hyper-dual numbers.
    fn compare(&self, derived: &Derived, random: &mut Random) {
        /// The direction of the time.
        const T: usize = 2 * N;
        type Jet = Dual<Dual<f64, { T + 1 }>, { T + 1 }>;
        let (n, x) = (self.n, &derived.mechanics);
        let parameters: Vec<f64> = PARAMETERS.iter().map(|_| 1.0 + 0.5 * random.number()).collect();
        let numbers = |random: &mut Random| (0..n).map(|_| 2.0 * random.number()).collect::<Vec<f64>>();
        let (q, v) = (numbers(random), numbers(random));
        let variable = |x: f64, i: usize| Jet::variable(Dual::variable(x, i), i);
        let jets = |x: &[f64], first: usize| -> Vec<Jet> {
            x.iter().enumerate().map(|(i, &x)| variable(x, first + i)).collect()
        };
        let (t, u) = (random.number(), random.number());
        let (mut jq, jv) = (jets(&q, 0), jets(&v, N));
        jq.extend([variable(t, T), Jet::from_f64(u)]);
        let place = [&q[..], &[t, u]].concat();
        let at = |e: &E| e.value(&jq, &parameters);
        let (half, one) = (Jet::from_f64(0.5), Jet::from_f64(1.0));
        let mut lagrangian = -at(&self.potential);
        for (i, a) in self.mass.iter().enumerate() {
            lagrangian = lagrangian + half * (one + at(a) * at(a)) * jv[i] * jv[i];
        }
        for (i, b) in self.coupling.iter().enumerate() {
            let sum = jv[i] + at(b) * jv[i + 1];
            lagrangian = lagrangian + half * sum * sum;
        }
        for (i, g) in self.gyroscopic.iter().enumerate() {
            lagrangian = lagrangian + at(g) * jv[i];
        }
        let first = |i: usize| lagrangian.eps[i].re;
        let second = |i: usize, j: usize| lagrangian.eps[i].eps[j];
        let m = self.forms.len();
        let rows: Vec<(Vec<Jet>, Jet)> = (self.forms.iter().enumerate())
            .map(|(a, (form, dt))| {
                let mut row = vec![Jet::from_f64(0.0); n];
                row[a] = one;
                for (j, f) in form.iter().enumerate() {
                    row[m + j] = at(f);
                }
                (row, dt.as_ref().map_or(Jet::from_f64(0.0), |h| -at(h)))
            })
            .collect();
        let mut expected = Vec::new();
        let mut found: Vec<Expr> = Vec::new();
        let mut bias = Vec::new();
        for i in 0..n {
            expected.push(first(N + i));
            found.push(x.momentum[i]);
            for j in 0..n {
                expected.push(second(N + i, N + j));
                found.push(x.mass[i][j]);
            }
            let force = self.force.get(i).map_or(0.0, |(f, d)| {
                f.value(&place, &parameters) - d.value::<f64>(&place, &parameters) * v[i]
            });
            let transport = (0..n).map(|j| second(N + i, j) * v[j]).sum::<f64>() + second(N + i, T);
            bias.push(first(i) - transport + force);
        }
        let mut gamma = Vec::new();
        for (a, (row, dt)) in rows.iter().enumerate() {
            expected.extend(row.iter().map(|c| c.re.re));
            found.extend(&x.mu[a]);
            let mut residual = *dt;
            for i in 0..n {
                residual = residual + row[i] * Jet::from_f64(v[i]);
            }
            expected.push(residual.re.re);
            found.push(x.residual[a]);
            gamma.push((0..n).map(|j| residual.eps[j].re * v[j]).sum::<f64>() + residual.eps[T].re);
        }
        expected.extend(&gamma);
        found.extend(&x.gamma);
        // With the force of a load, the bias depends on a multiplier.
        if self.load.is_none() {
            expected.extend(&bias);
            found.extend(&x.bias);
        }
        let pool = &x.system.pool;
        let values =
            pool.evaluate(&found, &bound(pool, &derived.mechanics, [&parameters, &q, &v, &vec![t, u]]));
        let scale = expected.iter().fold(1.0f64, |s, x| s.max(x.abs()));
        for ((&value, expected), e) in values.iter().zip(&expected).zip(&found) {
            assert!((value - expected).abs() <= 1e-10 * scale, "{}: {value} {expected}", pool.show(*e));
        }
        let arguments = [parameters.clone(), q, v, Vec::new(), vec![t], vec![u]];
        // Forms may be dependent by rounding.
        let Ok(outputs) = derived.system.acceleration.run(pool, &arguments) else { return };
        let (dv, lambda) = (&outputs[0], outputs.get(1).map_or(&[][..], Vec::as_slice));
        let size = dv.iter().chain(lambda).fold(scale, |s, x| s.max(x.abs()));
        if let Some(Load { form, coordinate, coefficient, is_absolute }) = &self.load {
            let coefficient = coefficient.value::<f64>(&place, &parameters);
            // M a − μᵀλ = c along the coordinate, μ a = 0
            let bordered = (0..n + m).map(|i| {
                let entry = |j: usize| match (i < n, j < n) {
                    (true, true) => second(N + i, N + j),
                    (true, false) => -rows[j - n].0[i].re.re,
                    (false, true) => rows[i - n].0[j].re.re,
                    (false, false) => 0.0,
                };
                let right = if i == *coordinate { coefficient } else { 0.0 };
                (0..n + m).map(entry).chain([right]).collect()
            });
            let response = solution(bordered.collect())[n + form];
            // Where the force changes the multiplier by more than the multiplier, c |λ| has several solutions or none.
            if *is_absolute && response.abs() > 0.99 {
                return;
            }
            let multiplier = if *is_absolute { lambda[*form].abs() } else { lambda[*form] };
            bias[*coordinate] += coefficient * multiplier;
        }
        for (i, bias) in bias.iter().enumerate() {
            let reaction: f64 = (0..m).map(|a| rows[a].0[i].re.re * lambda[a]).sum();
            let inertia: f64 = (0..n).map(|j| second(N + i, N + j) * dv[j]).sum();
            let defect = inertia - bias - reaction;
            assert!(defect.abs() <= 1e-9 * scale * size, "acceleration {i}: {defect}");
        }
        for (a, (row, _)) in rows.iter().enumerate() {
            let defect = (0..n).map(|j| row[j].re.re * dv[j]).sum::<f64>() + gamma[a];
            assert!(defect.abs() <= 1e-9 * scale * size, "constraint {a}: {defect}");
        }
    }

    /// The declaration with one mistake.
    fn with_mistake(&self, random: &mut Random) -> String {
        let mut keys = self.keys();
        let x = COORDINATES[random.below(self.n)];
        let mut add = |key: &'static str, term: String| match keys.iter_mut().find(|(k, _)| *k == key) {
            Some((_, value)) => *value += &format!(" + {term}"),
            None => keys.push((key, term)),
        };
        let e = expression(random, self.n, 1);
        let wrong = [
            "unknown",
            "y",
            "x[0]",
            "c",
            "c[2]",
            "floor(x)",
            "1/(x - x)",
            "ln(0)",
            "x.y",
            "sin()",
            "sin(x, x)",
            "1e400",
            "x**2",
            "2x",
            "dot(dot(x))",
            "if x { 1 }",
            "sum(i in 0..2, y[i])",
            "1/(sin(2*x) - 2*sin(x)*cos(x))",
        ];
        match random.below(9) {
            0 => add("lagrangian", format!("(1 + ({e})^2)*dot({x})^3")),
            1 => add("lagrangian", format!("sin(dot({x}))")),
            2 => add("lagrangian", format!("d{x}")),
            3 => add("force", format!("d{x}*d{x}")),
            4 => add("force", format!("(1 + ({e})^2)")),
            5 => add("force", format!("{}*d{x}", wrong[random.below(wrong.len())])),
            6 => {
                let forms = &mut keys[2].1;
                let all =
                    COORDINATES[..self.n].iter().map(|x| format!("d{x}")).collect::<Vec<_>>().join(", ");
                let extra = match random.below(4) {
                    // Dependent on the first, or none at all.
                    0 if !self.forms.is_empty() => {
                        let first = forms.split(", ").next().unwrap().to_owned();
                        format!("{first}, (2 + sin({e}))*({first})")
                    }
                    1 => format!("d{x}*d{x}"),
                    2 => format!("dot({x})^2 + dot({x})"),
                    _ => format!("{all}, d{x}"),
                };
                *forms = if forms.is_empty() { extra } else { format!("{forms}, {extra}") };
            }
            7 => drop(keys.remove(random.below(3))),
            _ => add("lagrangian", wrong[random.below(wrong.len())].to_owned()),
        }
        text(&keys, self.methods)
    }
}

fn text(keys: &[(&str, String)], methods: &str) -> String {
    let written = keys.iter().map(|(key, value)| match *key {
        "lagrangian" | "force" => format!("{key} = {value}"),
        _ => format!("{key}({value})"),
    });
    let all: Vec<String> = written.chain([methods.to_owned()]).filter(|key| !key.is_empty()).collect();
    format!("#[nonholonomic({})] struct S {{ m: f64, c: [f64; 2] }}", all.join(", "))
}

fn bound(pool: &Pool, x: &nhi_codegen::mechanics::Mechanics, values: [&Vec<f64>; 4]) -> HashMap<Symbol, f64> {
    let parameters = x.parameters();
    let outside = [x.system.t, x.system.inputs[0].symbol];
    let symbols = parameters.iter().chain(&x.q).chain(&x.v).chain(&outside);
    symbols.filter_map(|&e| pool.as_symbol(e)).zip(values.into_iter().flatten().copied()).collect()
}

/// The errors as text, after what the derive makes of them has been seen to be Rust.
fn rejected(input: &syn::DeriveInput, rejected: &nhi_codegen::declaration::Rejected) -> Vec<String> {
    assert!(!rejected.errors.is_empty(), "rejected without an error");
    syn::parse2::<syn::File>(stub(input, rejected)).expect("a stub");
    rejected.errors.iter().map(ToString::to_string).collect()
}

fn derived(source: &str) -> Result<Derived, Vec<String>> {
    let input: syn::DeriveInput = syn::parse_str(source).map_err(|e| vec![e.to_string()])?;
    let declaration = Declaration::parse(&input).map_err(|r| rejected(&input, &r))?;
    Derived::new(declaration, &mut BuiltIn).map_err(|r| rejected(&input, &r))
}

/// Generates the code.
fn code(derived: &Derived) -> Result<(), Vec<String>> {
    let texts = |r: Box<nhi_codegen::declaration::Rejected>| {
        r.errors.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let code = derived.implementation().map_err(texts)?;
    syn::parse2::<syn::File>(code).map_err(|e| vec![e.to_string()])?;
    Ok(())
}

/// Tokens that take the place of others.
const TOKENS: &[&str] = &[
    "x",
    "theta",
    "dx",
    "dt",
    "t",
    "m",
    "c",
    "c[0]",
    "+",
    "-",
    "*",
    "/",
    "^",
    "=",
    ",",
    ":",
    ";",
    "..",
    "(",
    ")",
    "[",
    "]",
    "0",
    "1",
    "2",
    "-1",
    "1e308",
    "1e-308",
    "1e999",
    "1e-999",
    "0.1",
    "99999999999999999999",
    "1/0",
    "pi",
    "dot",
    "d",
    "sin",
    "exp",
    "ln",
    "sqrt",
    "atan2",
    "tan",
    "sum",
    "in",
    "lagrangian",
    "constraints",
    "force",
    "inputs",
    "let",
    "group",
    "methods",
    "all",
    "coordinates",
    "unknown",
    "i",
    "^(1/2)",
    "^x",
    "^100",
    "^-3",
    "dot(x)",
    "sum(i in 0..9, ",
];

/// Words and signs of a text.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for c in text.chars() {
        let joins = |last: &String| {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            word(c) && last.chars().next_back().is_some_and(word)
        };
        match all.last_mut() {
            Some(last) if joins(last) => last.push(c),
            _ if c.is_whitespace() => all.push(" ".to_owned()),
            _ => all.push(c.to_string()),
        }
    }
    all
}

/// A few tokens inside the attribute deleted, doubled, exchanged, replaced or nested.
fn mutated(source: &str, random: &mut Random) -> String {
    let start = "#[nonholonomic(".len();
    let end = source.rfind(")]").unwrap();
    let mut inner = tokens(&source[start..end]);
    for _ in 0..1 + random.below(4) {
        let (i, j) = (random.below(inner.len()), random.below(inner.len()));
        match random.below(7) {
            0 => drop(inner.remove(i)),
            1 => inner.insert(i, inner[j].clone()),
            2 => inner.swap(i, j),
            3 | 4 => inner[i] = TOKENS[random.below(TOKENS.len())].to_owned(),
            5 => inner.insert(i, TOKENS[random.below(TOKENS.len())].to_owned()),
            _ => {
                let depth = [3, 30, 99, 101, 2000][random.below(5)];
                let open = ["(", "sin(", "-", "exp(", "dot("][random.below(5)];
                let close = if open.ends_with('(') { ")".repeat(depth) } else { String::new() };
                inner[i] = format!("{}{}{close}", open.repeat(depth), inner[i]);
            }
        }
        if inner.is_empty() {
            break;
        }
    }
    format!("{}{}{}", &source[..start], inner.concat(), &source[end..])
}

/// One case; a text of what it is about, and the work.
fn case(seed: u64) -> (String, Box<dyn FnOnce() + Send>) {
    let mut random = Random(seed);
    let valid = Valid::new(&mut random);
    let source = text(&valid.keys(), valid.methods);
    match random.below(3) {
        0 => (source, Box::new(move || valid.check(&mut random))),
        1 => {
            let source = valid.with_mistake(&mut random);
            let wrong = source.clone();
            (source, Box::new(move || assert!(derived(&wrong).is_err(), "wrong accept")))
        }
        _ => {
            let source = mutated(&source, &mut random);
            let soup = source.clone();
            let work = move || {
                // What rustc's lexer refuses never gets to the derive.
                if let Ok(derived) = derived(&soup) {
                    let _ = code(&derived);
                }
            };
            (source, Box::new(work))
        }
    }
}

/// What goes wrong in a case.
enum Fault {
    Panic(String),
    Slow,
}

/// Runs a case in a thread with a stack like rustc's. It is kept in a file of this `worker`.
fn run(seed: u64, worker: usize) -> Result<(), Fault> {
    let (source, work) = case(seed);
    let file = format!("{}/fuzz-case-{worker}.txt", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(file, format!("{seed}\n{source}\n")).unwrap();
    let (done, finished) = channel();
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(move || {
        work();
        let _ = done.send(());
    });
    let thread = thread.unwrap();
    match finished.recv_timeout(LIMIT) {
        Ok(()) => Ok(()),
        Err(RecvTimeoutError::Timeout) => Err(Fault::Slow),
        Err(RecvTimeoutError::Disconnected) => {
            let payload = thread.join().expect_err("a panic");
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            Err(Fault::Panic(text.unwrap_or_default()))
        }
    }
}

/// A fault with its seed and declaration.
fn described(seed: u64, fault: &Fault) -> String {
    let source = case(seed).0;
    match fault {
        Fault::Panic(text) => format!("seed {seed}: {text}\n{source}"),
        Fault::Slow => format!("seed {seed}: more than {LIMIT:?}\n{source}"),
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

#[test]
fn random_declarations() {
    let start = Instant::now();
    let seconds = variable("NHI_FUZZ_SECONDS").map(Duration::from_secs);
    let first = variable("NHI_FUZZ_SEED").unwrap_or(1) << 32;
    let count = if seconds.is_some() { u64::MAX } else { amount(CASES, ALL_CASES) };
    let (next, faults, slow) = (AtomicU64::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let found = |seed: u64, fault: &Fault| {
        let fault = described(seed, fault);
        eprintln!("{fault}\n");
        faults.lock().unwrap().push(fault);
    };
    let work = |worker: usize| {
        let is_time = || seconds.is_none_or(|seconds| start.elapsed() < seconds);
        while is_time() && faults.lock().unwrap().len() < 20 {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= count {
                break;
            }
            match run(first + case, worker) {
                Ok(()) => {}
                Err(Fault::Slow) => slow.lock().unwrap().push(first + case),
                Err(fault) => found(first + case, &fault),
            }
        }
    };
    let workers = available_parallelism().map_or(1, usize::from);
    scope(|scope| (0..workers).for_each(|worker| drop(scope.spawn(move || work(worker)))));
    // The machine may be busy with other work: a hang is one alone, too.
    for seed in slow.into_inner().unwrap() {
        if let Err(fault) = run(seed, 0) {
            found(seed, &fault);
        }
    }
    let (cases, faults) = (next.into_inner().min(count), faults.into_inner().unwrap());
    eprintln!("{cases} cases in {:?}", start.elapsed());
    assert!(faults.is_empty(), "{} of {cases} cases:\n{}", faults.len(), faults.join("\n\n"));
}
