//! Random steps: followed by what they carry, the optimised ones give the states of the programs as they are written.
//!
//! By default a hundred programs; with `NHI_TESTS=all`, three hundred.

use crate::support::{Carrying, Lists, Random, Run, program};
use nhi_codegen::expr::{Expr, Function, Node, Pool};
use nhi_codegen::optimise::trace;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::program::{Carried, Constants, Prediction, Program, Role, Statement};
use nhi_tiers::amount;
use std::collections::BTreeMap;

/// Programs that are tried, and those of exhaustive tests.
const PROGRAMS: u64 = 100;
const ALL_PROGRAMS: u64 = 300;

/// What the passes can do for a step, all of which some of them need.
const MECHANISMS: usize = 14;

/// Step sizes one after the other.
const SIZES: [f64; 6] = [0.02, 0.02, 0.03, -0.01, 0.02, 0.02];

/// Beyond this a random trajectory is too sensitive for comparisons.
const LARGEST: f64 = 1e3;

/// Coordinates, and their velocities.
const COORDINATES: [[&str; 2]; 3] = [["x", "u"], ["y", "w"], ["z", "s"]];

/// Writes a step in the textual form of programs.
struct Writer {
    random: Random,
    text: String,
    /// Coordinates that have no force.
    free: [bool; 3],
    /// Whether forces depend on time, and on the control input.
    timed: bool,
    controlled: bool,
    /// Whether forces depend on no angles.
    flat: bool,
}

impl Writer {
    fn step(seed: u64) -> String {
        let mut random = Random(seed);
        let mut flag = |n: usize| random.below(n) == 0;
        let free = [flag(2), flag(3), flag(3)];
        let (timed, controlled, flat) = (flag(3), flag(4), flag(5));
        let mut writer = Writer { random, text: String::new(), free, timed, controlled, flat };
        writer.line("step(parameters: prepared [a, b], h: prepared, q: [x, y, z], v: [u, w, s], lambda: [m], t, inputs: [f])");
        if writer.random.below(3) == 0 {
            writer.kick_drift_kick()
        } else {
            writer.drift_kick_drift()
        }
        writer.text
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.text += line.as_ref();
        self.text.push('\n');
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.below(from.len())]
    }

    /// One of the coordinates at this `place`, `_h` say.
    fn coordinate(&mut self, place: &str) -> String {
        format!("{}{place}", COORDINATES[self.random.below(3)][0])
    }

    fn angle(&mut self, place: &str, time: &str) -> String {
        // Most often the first one, which a constraint depends on.
        let x = format!("x{place}");
        let other = self.coordinate(place);
        match self.random.below(10) {
            0..=3 => x,
            4 => other,
            5 => format!("{x} + {other}"),
            6 => format!("2*{x}"),
            _ if self.timed => self.pick(&["a*T", "a*T + b", "2*T"]).replace('T', time),
            _ => x,
        }
    }

    /// A bounded force at this `place` and `time`.
    fn force(&mut self, place: &str, time: &str) -> String {
        let mut terms = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let (angle, other) = (self.angle(place, time), self.angle(place, time));
            let (q, p) = (self.coordinate(place), self.pick(&["1", "a", "b", "a*b", "1/2"]));
            let f = if self.controlled && self.random.below(2) == 0 { "f*" } else { "" };
            terms.push(match self.random.below(if self.flat { 2 } else { 6 }) {
                0 => format!("{f}{p}*{q}"),
                1 => format!("{f}{p}*{q}^2/(1 + {q}^2)"),
                2 => format!("{f}{p}*(sin({angle}) - cos({angle}))"),
                3 => format!("{f}{p}*sin({angle})*cos({other})"),
                4 => format!("{f}{p}*cos({angle})*{q}"),
                _ => format!("{f}{p}/(2 + sin({angle}))"),
            });
        }
        terms.join(" - ")
    }

    /// Binds velocities after a force, in place of those `before`.
    fn kick(&mut self, [before, after]: [&str; 2], place: &str, time: &str, size: &str) {
        self.line("# kick");
        for (i, [_, v]) in COORDINATES.into_iter().enumerate() {
            let force = self.force(place, time);
            match self.free[i] {
                true => self.line(format!("let {v}{after} = {v}{before}")),
                false => self.line(format!("let {v}{after} = {v}{before} + {size}*({force})")),
            }
        }
    }

    fn drift(&mut self, [before, after]: [&str; 2], velocity: &str, size: &str) {
        self.line("# drift");
        for [q, v] in COORDINATES {
            self.line(format!("let {q}{after} = {q}{before} + {size}*{v}{velocity}"));
        }
    }

    fn drift_kick_drift(&mut self) {
        self.drift(["", "_h"], "", "h/2");
        self.line("let t_h = t + h/2");
        self.kick(["", "_0"], "_h", "t_h", "h");
        if self.random.below(3) == 0 {
            // With a further force where the reaction leads to.
            let impulse = self.reaction(["_0", "_r"], "_h", true);
            self.drift(["_h", "_1"], "_r", "h/2");
            self.kick(["_r", "_1"], "_1", "t_h", "h");
            return self.result(impulse);
        }
        let impulse = self.reaction(["_0", "_1"], "_h", true);
        self.drift(["_h", "_1"], "_1", "h/2");
        self.result(impulse);
    }

    fn kick_drift_kick(&mut self) {
        // Both kicks by the same force.
        let before = (self.text.len(), Random(self.random.0));
        self.kick(["", "_0"], "", "t", "h/2");
        self.drift(["", "_1"], "_0", "h");
        self.line("let t_1 = t + h");
        let here = self.random.0;
        self.random = before.1;
        self.kick(["_0", "_2"], "_1", "t_1", "h/2");
        self.random = Random(here);
        let impulse = self.reaction(["_2", "_1"], "_1", false);
        self.result(impulse);
    }

    /// Has velocities meet a constraint by an impulse, at this place or where these lead to from there.
    fn reaction(&mut self, [before, after]: [&str; 2], place: &str, moves: bool) -> bool {
        // One-forms of the velocities at a place P: sideways to an angle, with an arm, and of a contact structure.
        // Beside them, how they change with the impulse in the loop.
        let turning = ["0", "h/2*b_u*cos(x_l)", "h/2*b_u*sin(x_l)"];
        let ([turned, one, other], slopes) = match self.random.below(4) {
            0 => (["0", "sin(xP)", "-cos(xP)"], turning),
            1 => (["a", "sin(xP)", "-cos(xP)"], turning),
            2 => (["1", "yP", "0"], ["0", "h/2*b_w", "0"]),
            _ => (["1", "0", "yP"], ["0", "0", "h/2*b_w"]),
        };
        let form = |of: &str| [turned, one, other].map(|c| c.replace('P', of));
        let sum = |c: &[String; 3], v: [String; 3]| {
            format!("{}*{} + {}*{} + {}*{}", c[0], v[0], c[1], v[1], c[2], v[2])
        };
        let names = |of: &str| COORDINATES.map(|[_, v]| format!("{v}{of}"));
        let kind = self.random.below(if moves { 5 } else { 2 });
        self.line("# reaction");
        let here = form(place);
        for (b, c) in ["b_u", "b_w", "b_s"].iter().zip(&here) {
            self.line(format!("let {b} = {c}"));
        }
        let b = ["b_u", "b_w", "b_s"].map(str::to_owned);
        match kind {
            0 => {
                for [_, v] in COORDINATES {
                    self.line(format!("let {v}{after} = {v}{before}"));
                }
                return false;
            }
            1 => {
                // There, or where the velocities before lead to.
                let there = if moves && self.random.below(2) == 0 {
                    for [q, v] in COORDINATES {
                        self.line(format!("let {q}_p = {q}{place} + h/2*{v}{before}"));
                    }
                    form("_p")
                } else {
                    b.clone()
                };
                let numerator = sum(&there, names(before));
                self.line(format!("let l = -({numerator})/(1/4 + {})", sum(&there, b)));
            }
            _ => {
                let guess = self.pick(&["0", "h*m"]);
                self.line(format!("newton l from {guess} weights 1 beside 1 + u^2 + w^2"));
                for [q, v] in COORDINATES {
                    self.line(format!("    let {v}_l = {v}{before} + b_{v}*l"));
                    self.line(format!("    let {q}_l = {q}{place} + h/2*{v}_l"));
                }
                let there = form("_l");
                let slopes = sum(&slopes.map(str::to_owned), names("_l"));
                self.line(format!("    let g = l/4 + {}", sum(&there, names("_l"))));
                self.line(format!("    l += -g/(1/4 + {} + {slopes})", sum(&there, b)));
            }
        }
        for [_, v] in COORDINATES {
            self.line(format!("let {v}{after} = {v}{before} + b_{v}*l"));
        }
        true
    }

    fn result(&mut self, impulse: bool) {
        let lambda = if impulse { "l/h" } else { "m" };
        self.line(format!("return q = [x_1, y_1, z_1], v = [u_1, w_1, s_1], lambda = [{lambda}]"));
    }
}

/// Which of the mechanisms of the passes a program has made use of.
struct Found(BTreeMap<&'static str, usize>);

impl Found {
    fn note(&mut self, what: &'static str, is_found: bool) {
        *self.0.entry(what).or_default() += usize::from(is_found);
    }

    /// Those of the first round of passes.
    fn local(&mut self, pool: &Pool, step: &Program) {
        let mut last = step.clone();
        let mut changed = BTreeMap::from([("small_rotation", false), ("body_frame", false)]);
        trace(&mut pool.clone(), &mut Constants::default(), step, |_, name, program| {
            if let Some(changed) = changed.get_mut(name) {
                *changed |= *program != last;
            }
            last = program.clone();
        });
        changed.into_iter().for_each(|(name, is_found)| self.note(name, is_found));
    }

    fn of(&mut self, Carrying { pool, step: optimised, .. }: &Carrying) {
        let step = &optimised.program;
        let carried = step.symbols(&Role::Carried);
        let has = |is: fn(&Carried) -> bool| optimised.entries().iter().any(|entry| is(&entry.role));
        self.note("carry", has(|role| *role == Carried::Cached));
        self.note("guesses by last errors", has(|role| *role == Carried::OlderErrors));
        self.note("guesses by last solutions", has(|role| *role == Carried::Solution));
        self.note("increments", has(|role| matches!(role, Carried::Increment { .. })));
        self.note("midpoints", has(|role| *role == Carried::Midpoint));
        self.note("middle", has(|role| *role == Carried::Intermediate));
        let is_small = |e: &Expr| matches!(pool.node(*e), Node::Call(Function::SmallSin, _));
        self.note("small angles", pool.reachable(&step.values()).iter().any(is_small));
        for statement in &step.body {
            let Statement::Turn(turn) = statement else { continue };
            let is_carried = carried.contains(&turn.known[0]);
            self.note(
                match turn.prediction {
                    Prediction::None => "sines",
                    Prediction::Exact(_) => "angles to come, known",
                    Prediction::Corrected(by) if !pool.is_zero(by) => "angles to come",
                    Prediction::Corrected(_) if is_carried => "phases",
                    Prediction::Corrected(_) => "angles after loops",
                },
                true,
            );
        }
    }
}

/// Arguments and results of steps one after the other from a random state.
fn trajectory(pool: &Pool, step: &Program, random: &mut Random, fixed: bool) -> Vec<(Lists, Lists)> {
    let mut vector = |n: usize| (0..n).map(|_| random.number()).collect::<Vec<f64>>();
    let parameters: Vec<f64> = vector(2).into_iter().map(|x| 1.0 + x / 2.0).collect();
    let mut state = vec![vector(3), vector(3), vec![0.0]];
    let mut t = 0.3;
    let mut steps = Vec::new();
    for size in SIZES {
        let h = if fixed { SIZES[0] } else { size };
        let arguments = [vec![parameters.clone(), vec![h]], state, vec![vec![t], vector(1)]].concat();
        let Ok(next) = step.run(pool, &arguments) else { break };
        if next.iter().flatten().any(|x| x.abs() > LARGEST) {
            break;
        }
        steps.push((arguments, next.clone()));
        state = next;
        t += h;
    }
    steps
}

#[test]
fn random_steps_keep_their_values() {
    let programs: Vec<u64> = (0..amount(PROGRAMS, ALL_PROGRAMS)).collect();
    let each = in_parallel(&programs, |_| "a random step", |&seed| compare(seed));
    let compared: usize = each.iter().map(|(_, compared)| compared).sum();
    let mut found = BTreeMap::<_, usize>::new();
    for (what, times) in each.into_iter().flat_map(|(found, _)| found.0) {
        *found.entry(what).or_default() += times;
    }
    assert!(compared > 30 * programs.len(), "{compared} steps");
    assert!(found.len() == MECHANISMS && found.values().all(|&n| n >= amount(1, 5)), "{found:?}");
}

/// The mechanisms that the random step makes use of, and how many steps are compared.
fn compare(seed: u64) -> (Found, usize) {
    let (mut found, mut compared) = (Found(BTreeMap::new()), 0);
    let mut pool = Pool::new();
    let text = Writer::step(seed);
    let raw = program(&mut pool, &text);
    if raw.has_loop() {
        found.local(&pool, &raw);
    }
    for fixed in [false, true] {
        let by = Carrying::new(pool.clone(), &raw, fixed);
        found.of(&by);
        let mut random = Random(seed);
        for _ in 0..3 {
            let steps = trajectory(&pool, &raw, &mut random, fixed);
            if !steps.is_empty() {
                by.compare(
                    &format!("seed {seed}, fixed {fixed}\n{text}\n{}", by.step.program.show(&by.pool)),
                    &steps,
                );
                compared += steps.len();
            }
        }
    }
    (found, compared)
}
