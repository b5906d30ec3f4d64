//! Numbers of a user's own: some that count operations, and some of 32 digits.

use super::differences::duals;
use super::run::{Data, Run, STEPS};
use nhi_codegen::engine::default_engine;
use nhi_models::{Row, chaotic_r7, contact_oscillator, knife_incline, sleigh_com, snakeboard, vertical_disk};
use nhi_runtime::emitted::SinCosUpdate;
use nhi_runtime::prelude::*;
use nhi_runtime::{Dual, Fields, Method, Scalar, State, System, Vector};
use nhi_tests::double_double::DoubleDouble;
use nhi_tests::random::Random;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::path::Path;

/// How often each operation was done, by its name in the generated documentation.
type Counts = BTreeMap<String, usize>;

thread_local! {
    static COUNTS: RefCell<Counts> = const { RefCell::new(Counts::new()) };
}

/// A number that counts what is done with it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Counted(f64);

impl Counted {
    fn noted(name: &str, value: f64) -> Self {
        COUNTS.with_borrow_mut(|counts| *counts.entry(name.to_owned()).or_default() += 1);
        Counted(value)
    }
}

macro_rules! operators {
    ($($trait:ident $f:ident $name:literal;)*) => {$(
        impl $trait for Counted {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                Counted::noted($name, self.0.$f(other.0))
            }
        }
    )*};
}

// A difference is an addition, and a sign costs nothing.
operators! { Add add "add"; Sub sub "add"; Mul mul "mul"; Div div "div"; }

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted(-self.0)
    }
}

macro_rules! functions {
    ($($f:ident)*) => {$(
        fn $f(self) -> Self {
            Counted::noted(stringify!($f), Scalar::$f(self.0))
        }
    )*};
}

impl Scalar for Counted {
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Self {
        Counted(x)
    }
    fn to_f64(self) -> f64 {
        self.0
    }
    functions! { sqrt sin cos tan asin acos atan sinh cosh tanh exp ln }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Scalar::sin_cos(self.0);
        (Counted::noted("sin_cos", sin), Counted(cos))
    }
    fn update_sin_cos(
        self,
        update: SinCosUpdate,
        from: Self,
        by: Self,
        (sin, cos): (Self, Self),
    ) -> (Self, Self) {
        let name = match update {
            SinCosUpdate::Small => "small_sin_cos",
            SinCosUpdate::Rotated => "rotated_sin_cos",
            SinCosUpdate::Corrected => "corrected_sin_cos",
        };
        let (sin, cos) = Scalar::update_sin_cos(self.0, update, from.0, by.0, (sin.0, cos.0));
        (Counted::noted(name, sin), Counted(cos))
    }
    fn atan2(self, x: Self) -> Self {
        Counted::noted("atan2", Scalar::atan2(self.0, x.0))
    }
    fn powf(self, x: Self) -> Self {
        Counted::noted("powf", Scalar::powf(self.0, x.0))
    }
}

/// The operations of a step as its generated documentation states them: outside of Newton's method, of one of its
/// iterations, and of an update of second order.
fn stated<S: System>(file: &str, method: &str) -> [Counts; 3] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src").join(file);
    let source = std::fs::read_to_string(path).expect("the source of the model");
    let engine = &mut *default_engine();
    let code = nhi_codegen::expand(&source, Some(S::NAME), Some(method), engine).expect("its expansion");
    let step = &code[code.find("/// One step of").expect("a step")..];
    let line =
        step.lines().find_map(|line| line.trim().strip_prefix("/// Operations: ")).expect("operations");
    let counts = |text: &str| -> Counts {
        let terms = text
            .trim_end_matches('.')
            .split_terminator(", ")
            .map(|term| term.split_once(' ').expect("a number and a name"));
        terms.map(|(n, name)| (name.to_owned(), n.parse().expect("a number"))).collect()
    };
    let (line, second_order) =
        line.trim_end_matches('.').split_once("; for one of second order ").unwrap_or((line, ""));
    let (once, iteration) =
        line.trim_end_matches('.').split_once("; per Newton iteration ").unwrap_or((line, ""));
    [once, iteration, second_order].map(counts)
}

/// A step does the operations that are stated, those of an iteration as often as there are iterations, and
/// adds the update to each of the `unknowns`; where updates can be of second order, the last one at most is not.
fn check<S: System + Clone, M: Method<S> + Copy>(row: &Row<S>, file: &str, method: M, unknowns: usize) {
    let run = Run::new(row, method, 0.02);
    let x: Vec<Counted> = run.x.iter().map(|&x| Counted(x)).collect();
    let Data { parameters, q, v, inputs, h } = run.data(&x);
    let prepared = method.prepare(&parameters, h).unwrap();
    let state =
        method.start(&parameters, h, &q, &v, &S::States::splat(Counted(0.0)), Counted(0.0), &inputs).unwrap();
    COUNTS.take();
    method.step(&prepared, &state, Counted(0.0), &inputs).unwrap();
    let done = COUNTS.take();
    let [once, iteration, second_order] = stated::<S>(file, method.id());
    let expected = |iterations: usize, bent: usize| {
        let mut expected = once.clone();
        let mut add = |counts: &Counts, times: usize| {
            counts.iter().for_each(|(name, n)| *expected.entry(name.clone()).or_default() += times * n);
        };
        add(&iteration, iterations);
        add(&Counts::from([("add".to_owned(), iterations * unknowns)]), 1);
        add(&second_order, bent);
        // x + (δ − a δ δ) with a = F″/2 (1/F′), and b = F‴/6 (1/F′).
        add(&[("add", 2), ("mul", 6), ("div", 1)].map(|(name, n)| (name.to_owned(), n)).into(), bent);
        expected.retain(|_, n| *n > 0);
        expected
    };
    assert_eq!(iteration.is_empty(), unknowns == 0, "{}", run.name);
    let mut bent = (1..10).flat_map(|n| [(n, n), (n, n - 1)]);
    let found = match second_order.is_empty() {
        true => (1..10).any(|n| expected(n, 0) == done),
        false => bent.any(|(n, bent)| expected(n, bent) == done),
    };
    assert!(found, "{}: {done:?}, but {once:?}, {iteration:?}, {second_order:?}", run.name);
}

#[test]
fn steps_do_the_operations_that_their_documentation_states() {
    check(&contact_oscillator::MODEL, "contact_oscillator.rs", Dla2, 0);
    check(&contact_oscillator::MODEL, "contact_oscillator.rs", Rattle, 0);
    check(&contact_oscillator::MODEL, "contact_oscillator.rs", Rk4, 0);
    check(&chaotic_r7::MODEL, "chaotic_r7.rs", Dla2, 0);
    check(&sleigh_com::MODEL, "sleigh_com.rs", Dla2, 1);
    check(&sleigh_com::MODEL, "sleigh_com.rs", Rattle, 0);
    check(&vertical_disk::MODEL, "vertical_disk.rs", Rk4, 0);
    check(&knife_incline::MODEL, "knife_incline.rs", Rattle, 0);
    check(&snakeboard::MODEL, "snakeboard.rs", Rattle, 0);
}

/// Numbers of a state in the order of its fields.
fn numbers<T: Scalar>(state: &impl Fields<T>) -> Vec<T> {
    let mut numbers = Vec::new();
    state.write(&mut |x| numbers.push(x));
    numbers
}

/// Where the motion is smooth one update is enough, by the errors of the last guesses without a second order, and with it
/// from the plain guess; nothing but rounding depends on the errors.
#[test]
fn iterations_start_from_where_the_last_ones_lead() {
    /// Sines of small angles in 200 steps, and divisions, with q and v at their end; `forget` has every step start from
    /// the plain guess.
    fn count<S: System + Clone, M: Method<S> + Copy>(
        run: &Run<S, M>,
        forget: bool,
    ) -> ([usize; 2], Vec<f64>) {
        let x: Vec<Counted> = run.x.iter().map(|&x| Counted(x)).collect();
        let Data { parameters, q, v, inputs, h } = run.data(&x);
        let prepared = run.method.prepare(&parameters, h).unwrap();
        let mut state = run
            .method
            .start(&parameters, h, &q, &v, &S::States::splat(Counted(0.0)), Counted(0.0), &inputs)
            .unwrap();
        COUNTS.take();
        for _ in 0..200 {
            let before = if forget {
                run.method.rescale(&parameters, h, &state, Counted(0.0)).unwrap()
            } else {
                state
            };
            state = run.method.step(&prepared, &before, Counted(0.0), &inputs).unwrap();
        }
        let (q, v) = (state.q(), state.v());
        let counts = COUNTS.take();
        (
            ["small_sin_cos", "div"].map(|name| counts[name]),
            q.as_ref().iter().chain(v.as_ref()).map(|x| x.0).collect(),
        )
    }

    /// Of the steps with `once` sines of small angles and divisions outside of iterations.
    fn check<S: System + Clone, M: Method<S> + Copy>(row: &Row<S>, method: M, once: [usize; 2]) {
        let run = Run::new(row, method, 0.02);
        let [(with, end), (without, same)] = [false, true].map(|forget| count(&run, forget));
        let in_loops = |counts: [usize; 2]| [0, 1].map(|i| counts[i] as f64 / 200.0 - once[i] as f64);
        // Each iteration has one of both, and a division more if its update is of second order.
        let [updates, divisions] = in_loops(with);
        assert!(updates < 1.05 && divisions < 1.1, "{}: {updates} updates, {divisions}", run.name);
        let [updates, divisions] = in_loops(without);
        assert!(updates < 1.05 && divisions > 1.95, "{}: {updates} updates, {divisions}", run.name);
        for (x, y) in end.iter().zip(same) {
            assert!((x - y).abs() <= 1e-13 * (1.0 + x.abs()), "{}: {x} and {y}", run.name);
        }
    }

    check(&sleigh_com::MODEL, Dla2, [0, 0]);
    check(&snakeboard::MODEL, Dla2, [1, 2]);
}

/// At a start and with another step size the last impulse is the guess: its errors are zero. It is carried as a multiple of the
/// square of the step size, and velocities as increments.
#[test]
fn guesses_begin_with_the_last_solution() {
    fn check<S: System + Clone, M: Method<S> + Copy>(row: &Row<S>, method: M, sines: usize) {
        let run = Run::new(row, method, 0.02);
        let Data { parameters, q, v, inputs, h } = run.data(&run.x);
        let prepared = method.prepare(&parameters, h).unwrap();
        let start = method.start(&parameters, h, &q, &v, &S::States::splat(0.0), 0.0, &inputs).unwrap();
        let next = method.step(&prepared, &start, 0.0, &inputs).unwrap();
        let [before, after, rescale] =
            [start, next, method.rescale(&parameters, -2.0 * h, &next, h).unwrap()]
                .map(|state| numbers(&state));
        let increments = after.len() - sines - S::COORDINATES.len()..after.len() - sines;
        let solutions = increments.start - 4..increments.start;
        // The last solution u₁, its last two errors as a guess, and e₃ − 3 e₂ − 3 u₂, where u₂ is the first guess.
        let (first, second) = (before[solutions.start], after[solutions.start]);
        let is_about = |x: f64, y: f64| (x - y).abs() <= 4.0 * f64::EPSILON * y.abs();
        assert!(first != second, "{}: {after:?}", run.name);
        let errors = solutions.start + 1..solutions.end - 1;
        assert_eq!(before[errors.clone()], [0.0, 0.0], "{}", run.name);
        assert_eq!(after[errors.clone()], [second - first, 0.0], "{}", run.name);
        assert_eq!(rescale[errors], [0.0, 0.0], "{}", run.name);
        for (numbers, guess) in [(&before, first), (&after, first), (&rescale, 4.0 * second)] {
            assert!(is_about(numbers[solutions.end - 1], -3.0 * guess), "{}: {numbers:?}", run.name);
        }
        assert!(is_about(rescale[solutions.start], 4.0 * second), "{}", run.name);
        assert_eq!(after[..S::COORDINATES.len()], rescale[..S::COORDINATES.len()], "{}", run.name);
        assert!(increments.clone().all(|i| is_about(rescale[i], -2.0 * after[i])), "{}", run.name);
    }

    // An angle, what it is turned by, and sines; two such and two phases with theirs.
    check(&sleigh_com::MODEL, Dla2, 4);
    check(&snakeboard::MODEL, Dla2, 14);
}

/// A run in 32 digits: `f64` deviates by its rounding, the constraint holds to 28 digits, and so do
/// derivatives.
#[test]
fn thirty_two_digits_are_carried_through() {
    fn check<S: System + Clone, M: Method<S> + Copy>(row: &Row<S>, method: M) {
        let run = Run::new(row, method, 0.02);
        let mut random = Random(4);
        let direction: Vec<f64> = run.x.iter().map(|x| random.next() * x).collect();
        let f64s = run.admissible(&duals(&run.x, &direction)).unwrap();
        let long = |x: f64| DoubleDouble::from_f64(x);
        let x: Vec<Dual<DoubleDouble>> =
            run.x.iter().zip(&direction).map(|(&re, &d)| Dual { re: long(re), eps: [long(d)] }).collect();
        let Data { parameters, q, v, inputs, h } = run.data(&run.admissible(&x).unwrap());
        let mut simulation =
            Simulation::with_parameters(run.system.clone(), method, parameters, q, v, &inputs, h).unwrap();
        (0..STEPS).for_each(|_| simulation.step().unwrap());
        for residual in simulation.residual().as_ref() {
            assert!(residual.re.to_f64().abs() < 1e-27, "{}: {residual:?}", run.name);
            assert!(residual.eps[0].to_f64().abs() < 1e-26, "{}: {residual:?}", run.name);
        }
        let Data { parameters, q, v, inputs, h } = run.data(&f64s);
        let mut short =
            Simulation::with_parameters(run.system.clone(), method, parameters, q, v, &inputs, h).unwrap();
        (0..STEPS).for_each(|_| short.step().unwrap());
        for (long, short) in simulation.v().as_ref().iter().zip(short.v().as_ref()) {
            let scale = 1.0 + short.re.abs() + short.eps[0].abs();
            assert!((long.re.to_f64() - short.re).abs() < 1e-13 * scale, "{}: {long:?}, {short:?}", run.name);
            let error = (long.eps[0].to_f64() - short.eps[0]).abs();
            assert!(error < 1e-12 * scale, "{}: {long:?}, {short:?}", run.name);
        }
    }

    check(&contact_oscillator::MODEL, Dla2);
    check(&sleigh_com::MODEL, Dla2);
    check(&sleigh_com::MODEL, Compose::suzuki4(Dla2Midpoint));
    check(&nhi_models::lie::roller_racer::MODEL, Rdp);
}
