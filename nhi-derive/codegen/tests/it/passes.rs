//! Passes: fewer operations, the same values.

use crate::support::{Random, Run, program, systems};
use nhi_codegen::expr::{Expr, Function, Pool};
use nhi_codegen::optimise::{Options, optimise, optimise_step, split, state_cache, trace, weight_in_loop};
use nhi_codegen::program::{
    Binding, Constants, Input, Newton, Operations, Output, Program, Rescale, Role, Statement, StepProgram,
};

/// The optimised body of a program, and its operations.
fn optimised(text: &str) -> (String, String) {
    let mut pool = Pool::new();
    let mut constants = Constants::default();
    let before = program(&mut pool, text);
    let after = optimise(&mut pool, &mut constants, &before);
    after.validate(&pool);
    let shown = after.show(&pool).to_string();
    let body: Vec<&str> = shown.lines().skip(1).map(str::trim).collect();
    (body.join("\n"), Operations::of(&mut pool, &mut constants, &after).to_string())
}

#[track_caller]
fn check(text: &str, body: &str, operations: &str) {
    let (got, count) = optimised(text);
    let expected: Vec<&str> = body.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert_eq!(got, expected.join("\n"));
    assert_eq!(count, operations);
}

#[test]
fn copies_and_dead_values_go() {
    check(
        "f(x, y)
            let a = x
            let b = -a
            let unused = x*y
            let c = x + y
            let d = x + y
            return r = [b + c, c*d]",
        "let c = x + y
         return r = [-x + c, c^2]",
        "2 add, 1 mul",
    );
}

#[test]
fn early_values_are_prepared() {
    let mut pool = Pool::new();
    let mut constants = Constants::default();
    let before = program(
        &mut pool,
        "f(parameters: prepared [J, a, m], h: prepared, q: [theta, x])
            # velocity
            let v = a*sin(theta)/J + h*h/2*x
            pivot J > eps * J else mass
            return v = [v, x/m - v/m, a*h]",
    );
    let after = optimise(&mut pool, &mut constants, &before);
    let after = split(&pool, &after);
    assert_eq!(
        after.prepare.show(&pool).to_string(),
        "prepare(parameters: [J, a, m], h)
    let a_over_J = a/J
    let half_h_sq = h^2/2
    pivot J > eps * J else mass
    let inv_m = 1/m
    let a_h = a*h
    return a_over_J = a_over_J, half_h_sq = half_h_sq, inv_m = inv_m, a_h = a_h
"
    );
    assert_eq!(
        after.step.show(&pool).to_string(),
        "f(prepared: prepared [a_over_J, half_h_sq, inv_m, a_h], q: [theta, x])
    # velocity
    let v = sin(theta)*a_over_J + x*half_h_sq
    return v = [v, -(v - x)*inv_m, a_h]
"
    );
}

#[test]
fn angles_are_made_of_fewer() {
    let operations = |text| optimised(text).1;
    // Of theta + phi and theta - phi those of theta and phi; sum and difference share products.
    assert_eq!(
        operations("f(x, y)\n return r = [sin(x), sin(x + y), cos(x + y), sin(x - y), cos(x - y), sin(y)]"),
        "4 add, 4 mul, 2 sin_cos"
    );
    // Through names, and halves of h.
    assert_eq!(
        operations(
            "f(h: prepared, x, v)
                let m = x + h/2*v
                let e = m + h/2*v
                return r = [sin(h*v), sin(x), sin(e), e]",
        ),
        "3 add, 4 mul, 2 sin_cos"
    );
    // What is known early is an angle for nothing.
    assert_eq!(
        operations("f(w: prepared [w], h: prepared, t)\n return r = [cos(2*w*t), cos(2*w*(t + h))]"),
        "1 add, 3 mul, 1 sin_cos"
    );
    assert_eq!(operations("f(x)\n return r = [sin(x), sin(2*x), cos(2*x)]"), "1 add, 3 mul, 1 sin_cos");
    assert_eq!(
        operations("f(x, y, z)\n return r = [cos(x + y), cos(x - z), cos(y + z)]"),
        "3 add, 2 mul, 2 sin_cos"
    );
    // In a loop, from what is known before it.
    let text = "f(x, y)
        let a = sin(y)
        newton u from x weights 1 beside 1
            let v = u - x
            u += x*sin(v + y) + y*cos(v)
        return r = [u, a]";
    assert_eq!(operations(text), "1 add, 2 mul, 1 sin_cos; per Newton iteration 2 add, 2 mul, 1 sin_cos");
}

#[test]
fn angles_are_turned_in_loops() {
    let operations = |text: &str| optimised(text).1;
    let turned = "f(h: prepared, x, v)
        let m = x + h/2*v
        newton u from v weights 1 beside 1
            let e = m + h/2*u
            u += x*sin(e) + cos(e)
        return r = [u, sin(m), cos(m)]";
    assert_eq!(
        operations(turned),
        "3 add, 3 mul, 1 sin_cos; per Newton iteration 3 add, 3 mul, 1 small_sin_cos"
    );
    // Not by what need not be small, and not without a loop.
    assert_eq!(
        operations(&turned.replace("h:", "w:").replace("h/2", "w/2")),
        "1 add, 1 mul, 1 sin_cos; per Newton iteration 2 add, 2 mul, 1 sin_cos"
    );
    let straight = "f(h: prepared, x, v)
        let e = x + h/2*v
        return r = [sin(e), sin(x), cos(x)]";
    assert_eq!(operations(straight), "1 add, 1 mul, 1 sin, 1 sin_cos");
}

#[test]
fn angles_are_turned_in_derivatives() {
    // Through names and products with h, from the first angle of the same limit.
    let text = "f(h, k, x, y, v)
        let m = x + h/2*v
        let a = cos(m)
        let third = h/3
        let e = x + third*(v + k*a)
        return r = [a, sin(x), cos(e), sin(m - y), cos(e - y)]";
    assert_eq!(optimised(text).1, "9 add, 11 mul, 2 sin_cos, 2 small_sin_cos");
    // y/h need not be small.
    let apart = "f(h, x, y)\n let e = x + y/h\n return r = [sin(x), cos(e)]";
    assert_eq!(optimised(apart).1, "1 add, 1 div, 1 cos, 1 sin");
}

/// A loop in which a velocity with an impulse `u` sideways to `m` meets the constraint at the angle that it leads to.
const FRAME: &str = "f(h: prepared, k: prepared, x: [x, y, s, v])
        let m = s + h/2*v
        let a = k*sin(m)
        let b = -k*cos(m)
        newton u from v weights 1 beside 1
            let e = m + h/2*u
            let c = x + a*u
            let d = y + b*u
            u += cos(e)*d - sin(e)*c
        return r = [u]";

#[test]
fn loops_are_in_the_frame_that_they_turn() {
    // cos δ (A − k u) + sin δ B: the impulse has no part forward.
    check(
        FRAME,
        "let half_h = h/2
         let m = s + v*half_h
         let sin_m = sin(m)
         let cos_m = cos(m)
         let t0 = y*sin_m + x*cos_m
         let t1 = y*cos_m - x*sin_m
         newton u from v weights 1 beside 1
         let e = m + u*half_h
         let t2 = m - e
         let small_cos_t2 = small_cos(t2)
         let small_sin_t2 = small_sin(t2)
         u += t0*small_sin_t2 + small_cos_t2*(t1 - k*u)
         return r = [u]",
        "3 add, 5 mul, 1 sin_cos; per Newton iteration 4 add, 4 mul, 1 small_sin_cos",
    );
    // Nothing of this is known before the loop.
    let late = FRAME.replace("cos(e)*d - sin(e)*c", "cos(e)*u - sin(e)*u^2 + a + b");
    assert_eq!(
        optimised(&late).1,
        "2 add, 3 mul, 1 sin_cos; per Newton iteration 6 add, 7 mul, 1 small_sin_cos"
    );
}

#[test]
fn frames_keep_values() {
    let mut pool = Pool::new();
    let before = program(&mut pool, FRAME);
    let mut names = Vec::new();
    let after =
        trace(&mut pool, &mut Constants::default(), &before, |_, name, _| names.push(name.to_owned()));
    assert!(names.contains(&"body_frame".to_owned()));
    let mut random = Random(7);
    for _ in 0..20 {
        let state: Vec<f64> = (0..4).map(|_| random.number()).collect();
        let arguments = [vec![0.2], vec![0.9], state];
        let [expected, got] = [&before, &after].map(|p| p.run(&pool, &arguments).expect("converges")[0][0]);
        assert!((got - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{got} {expected}");
    }
}

#[test]
fn angles_that_save_nothing_stay() {
    for text in [
        "f(x, y)\n return r = [sin(x + y), cos(x - y)]",
        "f(x, p: prepared)\n return r = [sin(x + p)]",
        "f(x, y, z)\n return r = [sin(x), sin(x + y), cos(z), cos(y + 2*z)]",
        "f(x, y)\n return r = [sin(x), sin(x + y), sin(x*y)]",
    ] {
        let (_, operations) = optimised(text);
        let before = text.matches("sin(").count() + text.matches("cos(").count();
        let calls = operations.split(", ").filter(|o| o.contains("sin") || o.contains("cos"));
        let after: usize =
            calls.map(|o| o.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap()).sum();
        assert_eq!(before, after, "{operations}");
        assert!(!operations.contains("sin_cos"), "{operations}");
    }
}

#[test]
fn no_angle_is_made_of_later_ones() {
    // y, which v depends on, is not v - (v - y).
    let (_, operations) = optimised(
        "f(x, y)
            let v = y + x*sin(y)
            return r = [sin(v), sin(v - y)]",
    );
    assert_eq!(operations, "3 add, 3 mul, 2 sin_cos");
    // u + y is known after the loop alone, from where y is wanted.
    let (body, operations) = optimised(
        "f(x, y)
            newton u from sin(y) weights 1 beside 1
                u += sin(u) - x
            return r = [sin(u + y), cos(u)]",
    );
    assert_eq!(operations, "1 add, 2 mul, 2 sin_cos; per Newton iteration 1 add, 1 sin");
    assert!(body.starts_with("let sin_y = sin(y)"), "{body}");
}

#[test]
fn angles_at_random() {
    let mut saved = 0;
    for (seed, binding) in (0..200).flat_map(|seed| ["", ": prepared"].map(|binding| (seed, binding))) {
        let mut random = Random(seed);
        let mut text = format!("f(h{binding}, x, y, z)\n");
        let mut known = vec!["x".to_owned(), "y".into(), "z".into(), "h*x".into(), "y*z".into(), "h".into()];
        let mut results = Vec::new();
        for i in 0..2 + random.below(6) {
            let term = |random: &mut Random, known: &[String]| {
                let n = ["", "2*", "1/2*", "3/2*"][random.below(4)];
                format!("{n}{}", known[random.below(known.len())])
            };
            let sign = ["+", "-"][random.below(2)];
            let (a, b) = (term(&mut random, &known), term(&mut random, &known));
            text += &format!("let a{i} = {a} {sign} {b}\n");
            known.push(format!("a{i}"));
            let f = ["sin", "cos"][random.below(2)];
            results.push(format!("{f}(a{i})"));
            if random.below(2) == 0 {
                text += &format!("let b{i} = {}*z\n", results[i]);
                known.push(format!("b{i}"));
            }
        }
        text += &format!("return r = [{}]", results.join(", "));
        let mut pool = Pool::new();
        let mut constants = Constants::default();
        let before = program(&mut pool, &text);
        let after = optimise(&mut pool, &mut constants, &before);
        after.validate(&pool);
        let weights = [&before, &after].map(|p| Operations::of(&mut pool, &mut constants, p).weight().0);
        saved += usize::from(weights[1] + 15 <= weights[0]);
        for _ in 0..3 {
            let inputs: Vec<Vec<f64>> = (0..4).map(|_| vec![3.0 * random.number()]).collect();
            let [expected, got] =
                [&before, &after].map(|p| p.run(&pool, &inputs).expect("no loops").concat());
            for (x, y) in expected.iter().zip(&got) {
                assert!((x - y).abs() < 1e-13, "seed {seed}: {x} {y}\n{text}\n{}", after.show(&pool));
            }
        }
    }
    assert!(saved > 30, "{saved}");
}

#[test]
fn pivots_that_are_positive_are_not_checked() {
    // Of its own sign alone: two rows of a sum, an even power and a hyperbolic cosine.
    for positive in ["1 + y^2", "x^4 + y^2/3 + 1/2", "cosh(x) + sqrt(y)"] {
        let text = format!(
            "f(x, y)
                let p = {positive}
                pivot p > eps * p else constraints
                return r = x/p"
        );
        let (body, _) = optimised(&text);
        assert!(!body.contains("pivot"), "{body}");
    }
    for unknown in ["1 - y^2", "x^2*y^2", "x^2 + y^2", "1 + y^3", "1 + x*y", "exp(x)"] {
        let text = format!(
            "f(x, y)
                let p = {unknown}
                pivot p > eps * p else constraints
                return r = x/p"
        );
        let (body, _) = optimised(&text);
        assert!(body.contains("pivot"), "{body}");
    }
    // What is small beside the diagonal entry that it was is singular, positive or not.
    let (body, _) = optimised(
        "f(x, y)
            let p = 1 + y^2
            let d = 2 + y^4
            pivot p > eps * d else mass
            return r = x/p",
    );
    assert!(body.contains("pivot"), "{body}");
}

#[test]
fn loops_compute_only_what_changes() {
    check(
        "f(parameters: prepared [k], x, y)
            newton u from x weights 1 beside 1
                let a = x*y + sin(x)
                let g = a*u + x*y*u - k*x*y
                u += -g/(a + k*k)
            return r = u",
        "let t0 = x*y
         let a = sin(x) + t0
         let t1 = k*t0
         let k_sq = k^2
         let t2 = 1/(a + k_sq)
         let t3 = a + t0
         newton u from x weights 1 beside 1
         let g = -t1 + u*t3
         u += -g*t2
         return r = u",
        "3 add, 2 mul, 1 div, 1 sin; per Newton iteration 1 add, 2 mul",
    );
}

#[test]
fn sines_and_cosines_are_paired() {
    check(
        "f(x, y)
            return r = [sin(x)*y, cos(x)/y, sin(y), cos(x*y)]",
        "let sin_x = sin(x)
         let cos_x = cos(x)
         return r = [y*sin_x, cos_x/y, sin(y), cos(x*y)]",
        "2 mul, 1 div, 1 cos, 1 sin, 1 sin_cos",
    );
}

#[test]
fn what_is_divided_by_twice_is_inverted_once() {
    check(
        "f(x, y, d)
            return r = [x/d, y/d]",
        "let inv_d = 1/d
         return r = [x*inv_d, y*inv_d]",
        "2 mul, 1 div",
    );
    check("f(x, d)\n return r = x/d", "return r = x/d", "1 div");
    // One division, not two.
    check("f(x, d, e)\n return r = x/d/e", "return r = x/(d*e)", "1 mul, 1 div");
}

#[test]
fn powers_are_multiplications() {
    check(
        "f(x)
            return r = [x^4, x^6]",
        "let x_sq = x^2
         let x_sq_sq = x_sq^2
         return r = [x_sq_sq, x_sq*x_sq_sq]",
        "3 mul",
    );
    check(
        "f(x)
            return r = [x^(3/2), x^(1/2), x^(-1/2)]",
        "let sqrt_x = sqrt(x)
         return r = [x*sqrt_x, sqrt_x, 1/sqrt_x]",
        "1 mul, 1 div, 1 sqrt",
    );
}

#[test]
fn shared_products_and_sums() {
    check(
        "f(x, y, z, w)
            return r = [x*y*z, x*y*w, x - y + z, y - x + w]",
        "let t0 = x*y
         let t1 = x - y
         return r = [z*t0, w*t0, z + t1, w - t1]",
        "3 add, 3 mul",
    );
}

#[test]
fn common_factors() {
    check("f(a, x, y)\n return r = a*x + a*y", "return r = a*(x + y)", "1 add, 1 mul");
    check("f(x, y)\n return r = 2*x + 2*y - 2", "return r = -2*(1 - x - y)", "2 add, 1 mul");
    // Multiplied out and put together again by x and y.
    check(
        "f(a, b, k, x, y, u, v)
            return r = a*x + b*y + k*(u*x + v*y)",
        "return r = x*(a + k*u) + y*(b + k*v)",
        "3 add, 4 mul",
    );
}

#[test]
fn expressions_stay_shallow() {
    let nested = (0..300).fold("x".to_owned(), |e, _| format!("sin({e} + y)"));
    let (body, operations) = optimised(&format!("f(x, y)\n return r = {nested}"));
    assert_eq!(operations, "300 add, 300 sin");
    for line in body.lines() {
        assert!(line.matches("sin(").count() <= 24, "{line}");
    }
}

#[test]
fn coefficients_move_into_constants() {
    let (_, operations) = optimised(
        "f(parameters: prepared [k, m], h: prepared, x, v)
            let force = -k*x
            let w = v + h*force/m
            return v = w",
    );
    assert_eq!(operations, "1 add, 1 mul");
}

#[test]
fn expert_counts() {
    let count = |text| optimised(text).1;
    // By hand: three half steps, b, the constants of the loop and its scale; in it v1, q1, the turn to it,
    // sin(q1) and cos(q1) by that, with one factor each in g and dg; then v1 and q1 once more and l/h.
    assert_eq!(
        count(systems::SLEIGH_DLA2),
        "16 add, 24 mul, 1 sin_cos; per Newton iteration 8 add, 9 mul, 1 div, 1 small_sin_cos"
    );
    assert_eq!(count(systems::CONTACT_DLA2), "13 add, 13 mul, 1 div");
}

/// Programs with shared parts, written by a generator.
struct Generator<'a> {
    pool: &'a mut Pool,
    random: Random,
    known: Vec<Expr>,
}

impl Generator<'_> {
    fn pick(&mut self) -> Expr {
        // Recent values more often, so that expressions get deep.
        let n = self.known.len();
        let i = self.random.below(n).max(self.random.below(n));
        self.known[i]
    }

    fn expression(&mut self) -> Expr {
        let (a, b, c) = (self.pick(), self.pick(), self.pick());
        let n = self.random.below(3) as i64;
        match self.random.below(14) {
            0 | 1 => self.pool.sum(&[a, b, c]),
            2 => self.pool.sub(a, b),
            3 | 4 => self.pool.product(&[a, b, c]),
            5 => self.pool.powi(a, n + 2),
            6 => self.reciprocal(a, -1 - n),
            7 => {
                let d = self.reciprocal(b, -1);
                self.pool.mul(a, d)
            }
            8 => self.pool.call(Function::Sin, a),
            9 => self.pool.call(Function::Cos, a),
            10 => self.root(a, 2 * n - 1),
            11 => {
                let c = self.pool.ratio(n + 1, 2);
                self.pool.mul(c, a)
            }
            12 => {
                let ab = self.pool.mul(a, b);
                let ac = self.pool.mul(a, c);
                self.pool.sub(ab, ac)
            }
            _ => {
                let (x, y) = (self.pool.sub(a, b), self.pool.sub(b, c));
                self.pool.mul(x, y)
            }
        }
    }

    /// (2 + sin x)^n
    fn reciprocal(&mut self, x: Expr, n: i64) -> Expr {
        let (two, s) = (self.pool.int(2), self.pool.call(Function::Sin, x));
        let d = self.pool.add(two, s);
        self.pool.powi(d, n)
    }

    /// (1 + cos(x)^2)^(n/2)
    fn root(&mut self, x: Expr, n: i64) -> Expr {
        let (one, c) = (self.pool.one(), self.pool.call(Function::Cos, x));
        let c2 = self.pool.powi(c, 2);
        let d = self.pool.add(one, c2);
        let half = self.pool.ratio(n, 2);
        self.pool.pow(d, half)
    }

    /// Bounded values: sums and products would grow without end.
    fn bounded(&mut self) -> Expr {
        let mut e = self.expression();
        for _ in 0..self.random.below(3) {
            self.known.push(e);
            e = self.expression();
            self.known.pop();
        }
        let d = self.reciprocal(e, -1);
        let s = self.pool.call(Function::Sin, e);
        match self.random.below(3) {
            0 => e,
            1 => self.pool.mul(s, d),
            _ => s,
        }
    }

    fn lets(&mut self, count: usize, prefix: &str) -> Vec<Statement> {
        (0..count)
            .map(|i| {
                let value = self.bounded();
                let symbol = self.pool.symbol(&format!("{prefix}{i}"));
                self.known.push(symbol);
                Statement::Let { symbol, value }
            })
            .collect()
    }

    fn program(&mut self, loops: usize) -> Program {
        let mut input = |name: &str, symbols: &[&str], binding| {
            let symbols: Vec<Expr> = symbols.iter().map(|s| self.pool.symbol(s)).collect();
            self.known.extend(&symbols);
            Input { role: Role::named(name), symbols, binding, scalar: false }
        };
        let inputs = vec![
            input("parameters", &["a", "b", "c"], Binding::Prepared),
            input("q", &["x", "y", "z"], Binding::Step),
        ];
        let mut body = self.lets(4, "s");
        for i in 0..loops {
            let u = self.pool.symbol(&format!("u{i}"));
            let guess = self.bounded();
            let outside = self.known.clone();
            self.known.extend([u, u]);
            let inside = self.lets(3, &format!("n{i}_"));
            // u = sin(e)/8 + c has one solution, to which this update converges.
            let e = self.pick();
            let (s, c) = (self.pool.call(Function::Sin, e), self.pool.symbol("c"));
            let eighth = self.pool.ratio(1, 8);
            let s = self.pool.mul(eighth, s);
            let target = self.pool.add(s, c);
            let delta = self.pool.sub(target, u);
            self.known = outside;
            self.known.push(u);
            body.push(Statement::Newton(Newton {
                unknowns: vec![u],
                guess: vec![guess],
                fallback: Vec::new(),
                weights: vec![self.pool.one()],
                scale2: self.pool.one(),
                is_sharp: false,
                jumps: false,
                equations: Vec::new(),
                body: inside,
                delta: vec![delta],
                derivatives: Vec::new(),
                last_iterate: Vec::new(),
            }));
            body.extend(self.lets(3, &format!("r{i}_")));
        }
        let values: Vec<Expr> = (0..4).map(|_| self.bounded()).collect();
        let outputs = vec![Output { role: Role::named("r"), values, scalar: false }];
        Program { name: "f".into(), doc: Vec::new(), inputs, body, outputs }
    }
}

/// `program` with every value outside of loops as a further output.
fn verbose(program: &Program) -> Program {
    let mut verbose = program.clone();
    let lets = program.body.iter().filter_map(|s| match s {
        Statement::Let { value, .. } => Some(*value),
        _ => None,
    });
    verbose.outputs.push(Output { role: Role::named("lets"), values: lets.collect(), scalar: false });
    verbose
}

#[test]
fn random_programs_keep_their_values() {
    let (mut compared, mut failed) = (0, 0);
    for seed in 0..150 {
        let mut pool = Pool::new();
        let mut constants = Constants::default();
        let mut generator = Generator { pool: &mut pool, random: Random(seed), known: Vec::new() };
        let before = generator.program(seed as usize % 3);
        before.validate(&pool);
        let mut steps: Vec<(String, Program)> = Vec::new();
        let after = trace(&mut pool, &mut constants, &before, |pool, name, program| {
            program.validate(pool);
            steps.push((name.to_owned(), program.clone()));
        });
        steps.push(("all".into(), after.clone()));
        let parts = split(&pool, &after);
        parts.prepare.validate(&pool);
        parts.step.validate(&pool);
        let verbose = verbose(&before);
        let mut random = Random(seed);
        for _ in 0..3 {
            let mut vector = || (0..3).map(|_| 1.5 * random.number()).collect::<Vec<f64>>();
            let (p, q) = (vector(), vector());
            // An update that does not contract enough fails before and after.
            let Ok(expected) = verbose.run(&pool, &[p.clone(), q.clone()]) else {
                failed += 1;
                continue;
            };
            let scale = expected.iter().flatten().fold(1.0, |a: f64, x| a.max(x.abs()));
            if scale > 1e6 {
                continue;
            }
            compared += 1;
            let close = |name: &str, got: &[f64]| {
                for (x, y) in expected[0].iter().zip(got) {
                    assert!((x - y).abs() <= 1e-9 * scale, "seed {seed}, {name}: {x} {y}");
                }
            };
            for (name, step) in &steps {
                let got = step.run(&pool, &[p.clone(), q.clone()]).expect("converges as before");
                close(name, &got[0]);
            }
            let kept = parts.prepare.run(&pool, &[p]).expect("prepares").concat();
            close("split", &parts.step.run(&pool, &[kept, q]).expect("converges")[0]);
        }
        let mut weight = |program: &Program| Operations::of(&mut pool, &mut constants, program).weight();
        assert!(weight(&after) <= weight(&before), "seed {seed}");
    }
    assert!(compared > 300 && failed < 30, "{compared} compared, {failed} failed");
}

#[test]
fn the_same_program_is_optimised_the_same_way() {
    let run = || optimised(systems::SLEIGH_DLA2);
    assert_eq!(run(), run());
}

/// What a step carries: the values that a start computes, and those that a step leaves to the next one.
fn carried(text: &str, fixed: bool) -> (String, String) {
    let mut pool = Pool::new();
    let before = program(&mut pool, text);
    let step = StepProgram::new(&pool, before.clone(), fixed);
    let Some(carrying) = state_cache(&mut pool, &mut Constants::default(), &step) else {
        return (String::new(), String::new());
    };
    let start = carrying.initial().expect("a program for the start");
    carrying.validate(&pool);
    start.validate(&pool);
    let list = |program: &Program| {
        let values = &program.outputs.last().expect("what is carried").values;
        let values: Vec<String> = values.iter().map(|&e| pool.show(e).to_string()).collect();
        values.join(", ")
    };
    (list(&start), list(&carrying.program))
}

#[track_caller]
fn check_carried(text: &str, fixed: bool, start: &str, step: &str) {
    assert_eq!(carried(text, fixed), (start.to_owned(), step.to_owned()));
}

const PENDULUM: &str = "step(parameters: prepared [k], h: prepared, q: [x], v: [u], t, inputs: [f])
    let w = u - h/2*k*sin(x)
    let x_1 = x + h*w
    let u_1 = w - h/2*k*sin(x_1)
    return q = [x_1], v = [u_1]";

#[test]
fn a_force_at_both_ends_of_a_step_is_carried() {
    // Without the step size where steps of several sizes follow each other.
    check_carried(PENDULUM, false, "k*sin(x)", "k*sin(x_1)");
    // With it the velocity of the coming step is all that is read of u.
    check_carried(PENDULUM, true, "w", "u_1 - h*k*sin(x_1)/2");
}

#[test]
fn time_is_carried_and_inputs_are_not() {
    check_carried(
        "step(parameters: prepared [], h: prepared, q: [x], v: [u], t, inputs: [f])
            let w = u + h/2*(f*cos(t) + exp(f*x) + sin(h*x))
            let x_1 = x + h*w
            let u_1 = w + h/2*(f*cos(t + h) + exp(f*x_1) + sin(h*x_1))
            return q = [x_1], v = [u_1]",
        false,
        "cos(t)",
        "cos(h + t)",
    );
}

#[test]
fn what_a_loop_computes_is_not_carried() {
    check_carried(
        "step(parameters: prepared [], h: prepared, q: [x], v: [u], t, inputs: [])
            let w = u + sin(x)
            newton l from 0 weights 1 beside 1
                let x_l = x + l
                let g = l + h*sin(x_l)
                l += -g
            return q = [x + l], v = [w]",
        false,
        "",
        "",
    );
}

#[test]
fn a_pivot_that_the_step_before_has_checked_is_left_to_the_start() {
    let mut pool = Pool::new();
    let before = program(
        &mut pool,
        "step(parameters: prepared [m], h: prepared, q: [x], v: [u], t, inputs: [])
            let c = m*cos(x)
            pivot c > eps * m else constraints
            let w = u + h/c
            let x_1 = x + h*w
            let c_1 = m*cos(x_1)
            pivot c_1 > eps * m else constraints
            return q = [x_1], v = [w + h/c_1]",
    );
    let step = StepProgram::new(&pool, before.clone(), false);
    let carrying = state_cache(&mut pool, &mut Constants::default(), &step).expect("something to carry");
    let start = carrying.initial().expect("a program for the start");
    let pivots = |p: &Program| p.body.iter().filter(|s| matches!(s, Statement::Pivot { .. })).count();
    assert_eq!((pivots(&carrying.program), pivots(&start)), (1, 1));
    let fails = start.run(&pool, &[vec![1.0], vec![0.1], vec![2.0], vec![0.0], vec![0.0]]);
    assert_eq!(fails, Err(nhi_runtime::Failure::SingularConstraints));
}

/// The body of an emitted step, which of the numbers it carries depend on the step size, and its weight in a loop.
fn stepped(text: &str, fixed: bool) -> (String, Vec<usize>, usize) {
    let mut pool = Pool::new();
    let mut constants = Constants::default();
    let before = program(&mut pool, text);
    let step = StepProgram::new(&pool, before.clone(), fixed);
    let step = optimise_step(&mut pool, &mut constants, step, Options::default()).0;
    step.validate(&pool);
    step.initial().iter().for_each(|initial| initial.validate(&pool));
    let weight = weight_in_loop(&mut pool, &mut constants, &step.program);
    let shown = step.program.show(&pool).to_string();
    let body: Vec<&str> = shown.lines().skip(1).map(str::trim).collect();
    let entries = step.entries().iter().enumerate();
    let restarted = entries.filter(|(_, entry)| entry.rescale == Rescale::Restart).map(|(i, _)| i);
    (body.join("\n"), restarted.collect(), weight)
}

#[track_caller]
fn check_stepped(text: &str, fixed: bool, body: &str, anew: &[usize], weight: usize) {
    let expected: Vec<&str> = body.lines().map(str::trim).collect();
    assert_eq!(stepped(text, fixed), (expected.join("\n"), anew.to_vec(), weight));
}

const DRIFT_KICK_DRIFT: &str =
    "step(parameters: prepared [k], h: prepared, q: [x, y], v: [u, w], t, inputs: [])
    let x_h = x + h/2*u
    let y_h = y + h/2*w
    let u_1 = u - h*k*x_h*y_h
    let w_1 = w - h*k*y_h
    return q = [x_h + h/2*u_1, y_h + h/2*w_1], v = [u_1, w_1]";

#[test]
fn velocities_are_carried_as_increments() {
    let body = "let x_h = x + half_h_u
        let y_h = y + half_h_w
        let half_h_sq_k = h^2*k/2
        let half_h_u_1 = half_h_u - x_h*y_h*half_h_sq_k
        let half_h_w_1 = half_h_w - y*half_h_sq_k
        let two_over_h = 2/h
        return q = [x_h + half_h_u_1, y_h + half_h_w_1], v = [half_h_u_1*two_over_h, half_h_w_1*two_over_h], \
                carried = [half_h_u_1, half_h_w_1]";
    check_stepped(&DRIFT_KICK_DRIFT.replace("k*y_h", "k*y"), false, body, &[0, 1], 9);
}

/// What the next step begins with is half a step ahead of the node, which it does not read.
#[test]
fn midpoints_are_carried() {
    let body = "let h_sq_k = h^2*k
        let t0 = y_h*h_sq_k
        let h_u_1 = h_u - x_h*t0
        let h_w_1 = h_w - t0
        let inv_h = 1/h
        return q = [x_h + h_u_1/2, y_h + h_w_1/2], v = [h_u_1*inv_h, h_w_1*inv_h], \
                carried = [x_h + h_u_1, y_h + h_w_1, h_u_1, h_w_1]";
    check_stepped(DRIFT_KICK_DRIFT, false, body, &[0, 1, 2, 3], 6);
}

#[test]
fn results_that_no_step_reads_are_no_detour() {
    // d = u - h*f is carried, so that no step reads u: d_1 = u_0 - l - h*f_1 is not made of u_1 = u_0 - l, where l
    // comes late, and e_1 = w_1 - h*g_1 not of w_1 = e - h*g_1.
    let body = "let x_1 = x + h_d
        let y_1 = y + h_e
        let f_1 = x_1^3
        let y_1_sq = y_1^2
        let g_1 = y_1*y_1_sq
        let h_sq = h^2
        let t0 = f_1*h_sq
        let h_u_0 = h_d - t0
        let h_w_1 = h_e - g_1*h_sq
        let inverse = 1/(y_1_sq + 1)
        let h_l = h_u_0*inverse
        let h_u_1 = h_u_0 - h_l
        let inv_h = 1/h
        let two_h_sq = 2*h_sq
        return q = [x_1, y_1], v = [h_u_1*inv_h, h_w_1*inv_h], carried = [h_u_0 - h_l - t0, h_e - g_1*two_h_sq]";
    check_stepped(
        "step(parameters: prepared [], h: prepared, q: [x, y], v: [u, w], t, inputs: [])
            let f = x^3
            let g = y^3
            let d = u - h*f
            let e = w - h*g
            let x_1 = x + h*d
            let y_1 = y + h*e
            let f_1 = x_1^3
            let g_1 = y_1^3
            let u_0 = d - h*f_1
            let w_1 = e - h*g_1
            let l = u_0/(1 + y_1^2)
            let u_1 = u_0 - l
            return q = [x_1, y_1], v = [u_1, w_1]",
        true,
        body,
        &[0, 1],
        18,
    );
}

#[test]
fn names_have_no_signs() {
    check(
        "f(x, y)
            let l = -(x + y)/(x - y)
            return r = [x + l*y, y - l*x, l]",
        "let minus_l = (x + y)/(x - y)
         return r = [x - y*minus_l, y + x*minus_l, -minus_l]",
        "4 add, 2 mul, 1 div",
    );
}

#[test]
fn a_constant_is_an_operand_like_others() {
    check(
        "f(x, y, z)
            return r = [x*(1 + y^2), y*(1 + x^2 + z^2), z*(1 + y^2 + x^2), 1 + z^2]",
        "let t0 = y^2 + 1
         let t1 = z^2 + 1
         let x_sq = x^2
         return r = [x*t0, y*(t1 + x_sq), z*(t0 + x_sq), t1]",
        "4 add, 6 mul",
    );
}

#[test]
fn functions_keep_their_arguments() {
    check_stepped(
        "step(parameters: prepared [], h: prepared, q: [x, y, z], v: [u, w, s], t, inputs: [])
            let x_1 = x + h*u
            let u_1 = u + h*cos(u)
            return q = [x_1, y + h*w, z + h*s], v = [u_1, w, s]",
        false,
        "let x_1 = x + h_u
         let inv_h = 1/h
         let h_sq = h^2
         let h_u_1 = h_u + h_sq*cos(h_u*inv_h)
         return q = [x_1, y + h_w, z + h_s], v = [h_u_1*inv_h, h_w*inv_h, h_s*inv_h], carried = [h_u_1, h_w, h_s]",
        &[0, 1, 2],
        21,
    );
}

#[test]
fn powers_of_powers_of_the_step_size_stay_bounded() {
    let mut text = "step(parameters: prepared [], h: prepared, q: [x], v: [u], t, inputs: [])
            let a0 = u^2"
        .to_owned();
    for i in 1..40 {
        text += &format!("\nlet a{i} = a{}^2", i - 1);
    }
    text += "\nreturn q = [x + h*u], v = [u + h*a39]";
    let (_, anew, _) = stepped(&text, false);
    assert_eq!(anew, [0usize; 0]);
}

/// In a loop too, with its unknown, what that is compared with, and the errors of guesses; h*m, which the next step
/// starts from, is l, so that no step reads m.
#[test]
fn impulses_are_carried_as_increments() {
    let body = "let x_h = x + half_h_u
        let y_h = y + half_h_w
        let z_h = z + half_h_s
        let inv_x_h = 1/x_h
        # initial guess: 4 u₁ + (e₃ − 3 e₂ − 3 u₂); u₁, …: last solutions, e₁, …: their differences from g
        newton half_h_l from 4*half_h_last_l + half_h_older_errors_l or half_h_last_l weights 1 beside \
            half_h_u^2 + half_h_w^2
        let half_h_u_l = half_h_u + x_h*half_h_l
        let x_l = x_h + half_h_u_l
        half_h_l += -(half_h_w + x_l*half_h_u_l)*inv_x_h/x_l
        # errors for the next initial guess
        let half_h_next_error_l = -half_h_last_l + half_h_l
        let half_h_u_1 = half_h_u + x_h*half_h_l
        let half_h_w_1 = half_h_w + y_h*half_h_l
        let half_h_s_1 = half_h_s + z_h*half_h_l
        let inv_h = 1/h
        let two_over_h = 2*inv_h
        let two_over_h_sq = inv_h*two_over_h
        return q = [x_h + half_h_u_1, y_h + half_h_w_1, z_h + half_h_s_1], \
            v = [half_h_u_1*two_over_h, half_h_w_1*two_over_h, half_h_s_1*two_over_h], \
            lambda = [half_h_l*two_over_h_sq], carried = [half_h_l, half_h_next_error_l, half_h_error_l, \
            half_h_error_2_l - 3*(half_h_last_l + half_h_error_l), half_h_u_1, half_h_w_1, half_h_s_1]";
    check_stepped(
        "step(parameters: prepared [], h: prepared, q: [x, y, z], v: [u, w, s], lambda: [m], t, inputs: [])
            let x_h = x + h/2*u
            let y_h = y + h/2*w
            let z_h = z + h/2*s
            newton l from h*m weights 1 beside u^2 + w^2
                let u_l = u + x_h*l
                let x_l = x_h + h/2*u_l
                l += -(x_l*u_l + w)/(x_h*x_l)
            let u_1 = u + x_h*l
            let w_1 = w + y_h*l
            let s_1 = s + z_h*l
            return q = [x_h + h/2*u_1, y_h + h/2*w_1, z_h + h/2*s_1], v = [u_1, w_1, s_1], lambda = [l/h]",
        false,
        body,
        &[0, 1, 2, 3, 4, 5, 6],
        55,
    );
}

/// What the step carries last.
#[track_caller]
fn check_sines(text: &str, expected: &str) {
    let (body, ..) = stepped(text, false);
    match body.rsplit_once("carried = [") {
        Some((_, carried)) => {
            assert!(!expected.is_empty() && carried.ends_with(&format!("{expected}]")), "{body}");
        }
        None => assert!(expected.is_empty(), "{body}"),
    }
}

#[test]
fn sines_of_the_angle_at_the_end_are_carried() {
    check_sines(
        "step(parameters: prepared [c], h: prepared, q: [x], v: [u], t, inputs: [f])
            let x_1 = x + h*f*u
            let u_1 = u + c*f*sin(x_1) + f*cos(x_1)
            return q = [x_1], v = [u_1]",
        "sin_x_1, cos_x_1",
    );
}

#[test]
fn an_angle_on_the_way_is_carried_with_its_sines() {
    check_sines(
        "step(parameters: prepared [c], h: prepared, q: [x], v: [u], t, inputs: [f])
            let x_h = x + h*f*u
            let u_1 = u + c*f*sin(x_h) + f*cos(x_h)
            return q = [x_h + h*f*u_1], v = [u_1]",
        "x_h, sin_x_h, cos_x_h",
    );
}

#[test]
fn of_several_angles_of_a_coordinate_the_first_is_carried_and_rotated_to_the_others() {
    let text = "step(parameters: prepared [c], h: prepared, q: [x], v: [u], t, inputs: [f])
            let x_h = x + h*f*u
            let w = u + c*f*sin(x_h) + f*cos(x_h)
            let x_1 = x + 2*h*f*w
            let u_1 = w + c*f*sin(x_1) + f*cos(x_1)
            return q = [x_1], v = [u_1]";
    check_sines(text, "x_h, sin_x_h, cos_x_h");
    let (body, ..) = stepped(text, false);
    assert_eq!(body.matches(" = sin, cos of x_h turned from last_x with ").count(), 1, "{body}");
    assert_eq!(body.matches(" = sin, cos of x_1 turned from x_h with ").count(), 1, "{body}");
    assert!(!body.contains("= sin(") && !body.contains("= cos("), "{body}");
}

#[test]
fn divisions_do_not_wait_for_numerators() {
    let quotient = |over: &str, under: &str| {
        stepped(
            &format!(
                "step(parameters: prepared [], h: prepared, q: [x, y], v: [], t, inputs: [])
                    let a = 1 + y^2
                    let b = 1 + x*(2 + x*(3 + x))
                    let l = ({over})/({under})
                    return q = [x + l, y], v = []"
            ),
            false,
        )
        .0
    };
    assert!(quotient("b", "a").contains("let l = b*inv_a"), "{}", quotient("b", "a"));
    assert!(quotient("a", "b").contains("let l = a/b"), "{}", quotient("a", "b"));
}

/// From one numerator to the next.
fn oscillator(impulse: &str) -> String {
    format!(
        "step(parameters: prepared [], h: prepared, q: [x, y, z], v: [u, w, s], t, inputs: [])
            # drift
            let x_h = x + h/2*u
            let y_h = y + h/2*w
            let z_h = z + h/2*s
            # kick
            let u_0 = u - h*x_h
            let w_0 = w - h*y_h
            let s_0 = s - h*z_h
            # reaction
            let y_1 = y_h + h/2*w_0
            let l = {impulse}
            let u_1 = u_0 - l
            let s_1 = s_0 - y_h*l
            # drift
            return q = [x_h + h/2*u_1, y_1, z_h + h/2*s_1], v = [u_1, w_0, s_1]"
    )
}

#[test]
fn products_wait_for_a_numerator_by_one_multiplication() {
    let (body, ..) = stepped(&oscillator("(u_0 + y_1*s_0)/(1 + y_h*y_1)"), false);
    assert!(body.contains("let gain = "), "{body}");
    assert!(body.contains("k0*numerator*gain"), "{body}");
    // A denominator that is there last leaves nothing to wait for.
    let (body, ..) = stepped(&oscillator("(w_0 + y_h)/(1 + u_0*(1 + u_0*s_0))"), false);
    assert!(!body.contains("numerator"), "{body}");
}

#[test]
fn sums_that_cost_no_more_are_written_out() {
    let (body, ..) = stepped(
        "step(parameters: prepared [], h: prepared, q: [x, y], v: [], t, inputs: [])
            let half = x/2
            let x_1 = y + half
            let x_2 = x_1 + half
            return q = [x_2*half, x_1], v = []",
        true,
    );
    assert!(body.contains("let x_2 = x + y"), "{body}");
    let (body, ..) = stepped(
        "step(parameters: prepared [], h: prepared, q: [x, y, z], v: [], t, inputs: [])
            let x_1 = y + x/2
            let x_2 = x_1 + z
            return q = [x_2*x, x_1, z], v = []",
        true,
    );
    assert!(body.contains("x_1 + z"), "{body}");
    // A rotation is rounded the same way in both halves of a step.
    let (body, ..) = stepped(
        "step(parameters: prepared [], h: prepared, q: [x, y], v: [], t, inputs: [])
            let half = x/2
            let x_1 = y + half
            let x_2 = x_1 + half
            return q = [half*sin(x_1)*sin(x_2), x_2], v = []",
        true,
    );
    assert!(body.contains("x_2 = half + x_1"), "{body}");
}

#[test]
fn numbers_that_divide_all_terms_leave_a_factor() {
    check(
        "f(x, y, z)
            return r = [x*(y^2/2 + z^2/2), 3*y^2]",
        "let y_sq = y^2
         return r = [x*(z^2 + y_sq)/2, 3*y_sq]",
        "1 add, 5 mul",
    );
}

/// Half a step before a node and half a step after it turn x by the same; y is turned by what the loop solves for.
const FREE_ANGLE: &str = "step(parameters: prepared [], h: prepared, q: [x, y], v: [u, w], t, inputs: [])
    let x_h = x + h/2*u
    let y_h = y + h/2*w
    let b = cos(x_h)
    let x_1 = x_h + h/2*u
    newton l from 0 weights 1 beside 1
        let y_try = y_h + h/2*(w + b*l)
        l += -(sin(x_1)*cos(y_try) - cos(x_1)*sin(y_try)*l - sin(x_h)*sin(y_h)*l)/(2 + cos(x_1)*cos(y_try))
    let w_1 = w + b*l
    return q = [x_1, y_h + h/2*w_1], v = [u, w_1]";

#[test]
fn sines_of_an_angle_to_come_are_made_of_those_halfway() {
    let (body, ..) = stepped(FREE_ANGLE, false);
    let sines = "let twice = -2*small_sin_t1
        let sin_near_x_h = sin_x_h + t3*twice
        let cos_near_x_h = b - t4*twice";
    for line in sines.lines().map(str::trim) {
        assert!(body.contains(line), "{line} in\n{body}");
    }
    assert!(body.contains("let t3 = b*small_cos_t1 + sin_x_h*small_sin_t1"), "{body}");
    assert!(body.contains("let t4 = sin_x_h*small_cos_t1 - b*small_sin_t1"), "{body}");
    // What the loop turns y by is known after it, and sines of y halfway are not.
    assert!(body.contains("let sin_near_y_h = sin_y_h - change"), "{body}");
}
