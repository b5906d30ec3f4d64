//! Every formula of a report, evaluated at random points, beside the derived functions.

use super::{declared, derived, report};
use crate::files::{self, File};
use nhi_codegen::expr::{Expr, Symbol};
use nhi_codegen::lower::Function;
use nhi_codegen::mechanics::Mechanics;
use nhi_codegen::optimised::{Optimised, basis_function};
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::Role;
use nhi_codegen::report::{Formula, Report};
use nhi_interpreter::{Options, run};
use std::collections::HashMap;

/// Of some hundred operations; and of a central difference with this step.
const ROUNDING: f64 = 1e-9;
const STEP: f64 = 1e-4;
const OF_DIFFERENCES: f64 = 1e-5;

type Numbers = Vec<Vec<f64>>;

/// A deterministic generator of numbers in (-1, 1) (SplitMix64).
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Where a system is.
#[derive(Clone)]
struct At {
    parameters: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    t: f64,
    states: Vec<f64>,
    inputs: Vec<f64>,
}

/// A system whose functions are run.
struct Subject<'a> {
    name: &'a str,
    mechanics: Mechanics,
    optimised: Optimised,
    report: Report,
    free: Vec<usize>,
}

impl Subject<'_> {
    fn new<'a>(name: &'a str, derived: &Derived) -> Subject<'a> {
        let mut mechanics = derived.mechanics.clone();
        let free = mechanics.admissible(&mut nhi_codegen::engine::BuiltIn).expect("an engine").free;
        let optimised = derived.optimised().expect("finite constants");
        Subject { name, mechanics, optimised, report: report(derived), free }
    }

    fn n(&self) -> usize {
        self.mechanics.n()
    }

    fn point(&self, random: &mut Random) -> At {
        let system = &self.mechanics.system;
        let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| random.number()).collect() };
        let parameters = numbers(system.parameters.len()).iter().map(|x| 1.0 + 0.4 * x).collect();
        let mut q = numbers(system.coordinates.len());
        let (v, inputs) = (numbers(self.n()), numbers(system.inputs.len()));
        let states = numbers(system.states.len());
        if system.group.only().is_some_and(|group| group.name != "SE2") {
            let k = system.shape();
            let angles: Vec<f64> = q[k..k + 3].iter().map(|x| 3.0 * x).collect();
            q[k..k + 9].copy_from_slice(&rotation(&angles));
        }
        At { parameters, q, v, t: random.number(), states, inputs }
    }

    fn call(&self, function: &Function, at: &At) -> Option<Numbers> {
        let of = |role: &Role| match role {
            Role::Parameters => at.parameters.clone(),
            Role::Configuration => at.q.clone(),
            Role::Velocity => at.v.clone(),
            Role::Time => vec![at.t],
            Role::Inputs => at.inputs.clone(),
            Role::States => at.states.clone(),
            other => panic!("argument {}", other.name()),
        };
        let arguments: Vec<Vec<f64>> = function.arguments.iter().map(|a| of(&a.role)).collect();
        run(function, &arguments, Options::default()).ok()
    }

    fn momentum(&self, at: &At) -> Vec<f64> {
        self.call(&self.optimised.system.momentum, at).expect("momenta").remove(0)
    }

    fn residual(&self, at: &At) -> Vec<f64> {
        self.call(&self.optimised.system.residual, at).expect("residuals").remove(0)
    }

    fn energy(&self, at: &At) -> f64 {
        self.call(&self.optimised.system.energy, at).expect("an energy")[0][0]
    }

    /// Accelerations and multipliers.
    fn acceleration(&self, at: &At) -> Option<(Vec<f64>, Vec<f64>)> {
        let mut both = self.call(&self.optimised.system.acceleration, at)?;
        let multipliers = both.pop()?;
        Some((both.pop()?, multipliers))
    }

    fn project(&self, at: &At) -> Option<Vec<f64>> {
        Some(self.call(&self.optimised.system.project, at)?.remove(0))
    }

    /// What `of` is with each velocity one larger, less what it is, by columns.
    fn differences(&self, at: &At, of: impl Fn(&At) -> Option<Vec<f64>>) -> Option<Numbers> {
        let before = of(at)?;
        let mut columns = Vec::new();
        for j in 0..self.n() {
            let mut there = at.clone();
            there.v[j] += 1.0;
            columns.push(difference(&of(&there)?, &before));
        }
        Some(transposed(&columns, before.len()))
    }

    fn mass(&self, at: &At) -> Numbers {
        self.differences(at, |at| Some(self.momentum(at))).expect("momenta")
    }

    fn forms(&self, at: &At) -> Numbers {
        self.differences(at, |at| Some(self.residual(at))).expect("residuals")
    }

    /// dq/dt for a velocity.
    fn rates(&self, at: &At, v: &[f64]) -> Vec<f64> {
        let values = self.values(at);
        let row = |row: &Vec<Expr>| {
            let row = self.mechanics.system.pool.evaluate(row, &values);
            row.iter().zip(v).map(|(a, b)| a * b).sum()
        };
        self.mechanics.anchor.iter().map(row).collect()
    }

    /// The rate of change along a motion with this velocity and acceleration, and rate of time.
    fn along(&self, at: &At, (u, a, time): (&[f64], &[f64], f64), of: impl Fn(&At) -> f64) -> f64 {
        let rates = self.rates(at, u);
        let moved = |by: f64| {
            let mut there = at.clone();
            add(&mut there.q, by, &rates);
            add(&mut there.v, by, a);
            there.t += by * time;
            of(&there)
        };
        // Of fourth order.
        (8.0 * (moved(STEP) - moved(-STEP)) - (moved(2.0 * STEP) - moved(-2.0 * STEP))) / (12.0 * STEP)
    }

    fn values(&self, at: &At) -> HashMap<Symbol, f64> {
        let system = &self.mechanics.system;
        let mut values = HashMap::new();
        let mut set = |symbols: Vec<Expr>, numbers: &[f64]| {
            for (e, &x) in symbols.into_iter().zip(numbers) {
                values.insert(system.pool.as_symbol(e).expect("a symbol"), x);
            }
        };
        set(self.mechanics.parameters(), &at.parameters);
        set(self.mechanics.q.clone(), &at.q);
        set(self.mechanics.v.clone(), &at.v);
        set(system.input_symbols(), &at.inputs);
        set(vec![system.t], &[at.t]);
        set(system.state_symbols(), &at.states);
        values
    }

    /// The value of a formula; its multipliers are those of the motion.
    fn value(&self, formula: &Formula, at: &At) -> Option<Numbers> {
        let pool = &self.report.pool;
        let mut values = self.values(at);
        if formula.name.starts_with("momentum_equation") {
            let (_, multipliers) = self.acceleration(at)?;
            let symbols = pool.symbols_in(&formula.value.concat());
            for (a, x) in multipliers.iter().enumerate() {
                // Under another name if that one is declared.
                let name = format!("lambda_{}", a + 1);
                let is_it = |s: &Symbol| {
                    let rest = pool.name(*s).strip_prefix(&name);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
                };
                let free = symbols.iter().filter(|s| !values.contains_key(s)).copied().find(is_it);
                if let Some(symbol) = free {
                    values.insert(symbol, *x);
                }
            }
        }
        for &(symbol, part) in &formula.parts {
            let x = pool.evaluate(&[part], &values)[0];
            values.insert(pool.as_symbol(symbol).expect("a symbol"), x);
        }
        Some(formula.value.iter().map(|row| pool.evaluate(row, &values)).collect())
    }

    fn formula(&self, name: &str) -> &Formula {
        self.report.formulas().find(|f| f.name == name).unwrap_or_else(|| panic!("{}: no {name}", self.name))
    }

    fn known(&self, formula: &Formula, at: &At) -> Numbers {
        self.value(formula, at).expect("no multipliers in it")
    }

    fn number(&self, name: &str, at: &At) -> f64 {
        self.known(self.formula(name), at)[0][0]
    }

    /// What a formula and the functions say about the same quantity, and the tolerance; none where the functions fail.
    fn compare(&self, formula: &Formula, at: &At) -> Option<(Numbers, Numbers, f64)> {
        let n = self.n();
        let value = self.value(formula, at)?;
        let column = |numbers: Vec<f64>| -> Numbers { numbers.into_iter().map(|x| vec![x]).collect() };
        let exact = |expected: Numbers| Some((value.clone(), expected, ROUNDING));
        let near =
            |value: f64, expected: f64| Some((vec![vec![value]], vec![vec![expected]], OF_DIFFERENCES));
        let (name, number) = match formula.name.rsplit_once('_') {
            Some((name, number)) if number.parse::<usize>().is_ok() => {
                (name, number.parse().expect("a number"))
            }
            _ => (formula.name.as_str(), 0),
        };
        match name {
            "lagrangian" => exact(vec![vec![dot(&self.momentum(at), &at.v) - self.energy(at)]]),
            "energy" => exact(vec![vec![self.energy(at)]]),
            "mass_matrix" => exact(self.mass(at)),
            "mass_matrix_inverse" => Some((times(&value, &self.mass(at)), identity(n), ROUNDING)),
            "constraints" => exact(column(self.residual(at))),
            "one_forms" => exact(self.forms(at)),
            "affine_part" => exact(column(self.residual(&At { v: vec![0.0; n], ..at.clone() }))),
            "positions" => {
                let position = self.optimised.system.position.as_ref().expect("position constraints");
                exact(column(self.call(position, at)?.remove(0)))
            }
            "momentum" => exact(column(self.momentum(at))),
            "bias" => {
                let (a, lambda) = self.acceleration(at)?;
                let inertia = times(&self.mass(at), &column(a)).concat();
                let forms = transposed(&self.forms(at), n);
                let reaction: Vec<f64> = forms.iter().map(|row| dot(row, &lambda)).collect();
                exact(column(difference(&inertia, &reaction)))
            }
            "force" => {
                // dE/dt = −∂L/∂t + (f + μᵀλ)·v.
                let (a, lambda) = self.acceleration(at)?;
                let lagrangian = |at: &At| dot(&self.momentum(at), &at.v) - self.energy(at);
                let zero = vec![0.0; n];
                let work = self.along(at, (&at.v, &a, 1.0), |at| self.energy(at))
                    + self.along(at, (&zero, &zero, 1.0), lagrangian);
                let reaction = times(&transposed(&self.forms(at), n), &column(lambda)).concat();
                near(dot(&value.concat(), &at.v), work - dot(&reaction, &at.v))
            }
            "multipliers" => exact(column(self.acceleration(at)?.1)),
            "acceleration" => exact(column(self.acceleration(at)?.0)),
            "basis" => {
                let mu_d = times(&self.forms(at), &value);
                let free: Numbers = self.free.iter().map(|&i| value[i].clone()).collect();
                let zero = vec![vec![0.0; n - self.mechanics.m()]; mu_d.len()];
                let both = [mu_d, free].concat();
                Some((both, [zero, identity(n - self.mechanics.m())].concat(), ROUNDING))
            }
            "drift" => {
                let there = At { v: value.concat(), ..at.clone() };
                Some((column(self.residual(&there)), vec![vec![0.0]; self.mechanics.m()], ROUNDING))
            }
            "tangent_basis" => {
                // μ X = 0 and Y X = 1.
                let d = n - self.mechanics.m();
                let components = self.known(self.formula("components"), at);
                let both = [times(&self.forms(at), &value), times(&components, &value)].concat();
                let zero = vec![vec![0.0; d]; self.mechanics.m()];
                Some((both, [zero, identity(d)].concat(), ROUNDING))
            }
            "components" | "tangent_drift" | "degenerate" => {
                let of_derivatives = basis_function(&self.mechanics);
                let [_, drift, dual]: [Vec<f64>; 3] =
                    self.call(&of_derivatives, at)?.try_into().expect("three results");
                match name {
                    "components" => exact(dual.chunks(n).map(<[f64]>::to_vec).collect()),
                    "tangent_drift" => exact(column(drift)),
                    // `known.rs` has some.
                    _ => near(0.0, 0.0),
                }
            }
            "projector_p" | "projector_q" => {
                // M Π = P M for the projector Π of velocities.
                let mass = self.mass(at);
                let expected = times(&mass, &self.differences(at, |at| self.project(at))?);
                let sum = times(&value, &mass);
                let sum = match name {
                    "projector_p" => sum,
                    _ => mass.iter().zip(&sum).map(|(m, q)| difference(m, q)).collect(),
                };
                Some((sum, expected, ROUNDING))
            }
            "symmetry" => {
                // Linear in the momenta, with constant coefficients: those of the conserved ones are known.
                match self.mechanics.symmetries.get(number - 1) {
                    Some(symmetry) => {
                        let direction: Vec<f64> = symmetry.direction.iter().map(|&c| f64::from(c)).collect();
                        let (a, _) = self.acceleration(at)?;
                        let of = |at: &At| self.number(&formula.name, at);
                        let expected = dot(&direction, &self.momentum(at));
                        let rate = self.along(at, (&at.v, &a, 1.0), of);
                        Some((
                            vec![vec![value[0][0]], vec![rate]],
                            vec![vec![expected], vec![0.0]],
                            OF_DIFFERENCES,
                        ))
                    }
                    None => near(0.0, 0.0),
                }
            }
            "momentum_equation" => {
                let (a, _) = self.acceleration(at)?;
                let of = |at: &At| self.number(&format!("symmetry_{number}"), at);
                near(value[0][0], self.along(at, (&at.v, &a, 1.0), of))
            }
            "vertical_basis" => {
                let basis = self.optimised.system.momentum_basis.as_ref().expect("vertical motions");
                let columns = self.call(basis, at)?;
                let vertical: Numbers =
                    columns.iter().map(|column| column[self.mechanics.system.shape()..].to_vec()).collect();
                exact(transposed(&vertical, value.len()))
            }
            "nonholonomic_momentum" => {
                let basis = self.optimised.system.momentum_basis.as_ref().expect("vertical motions");
                let p = self.momentum(at);
                exact(self.call(basis, at)?.iter().map(|e| vec![dot(e, &p)]).collect())
            }
            "nonholonomic_momentum_equation" => {
                let (a, _) = self.acceleration(at)?;
                let momenta = self.formula("nonholonomic_momentum");
                let rate = |b: usize| self.along(at, (&at.v, &a, 1.0), |at| self.known(momenta, at)[b][0]);
                let expected = column((0..value.len()).map(rate).collect());
                Some((value, expected, OF_DIFFERENCES))
            }
            "connection" => {
                // b A = a, and A is orthogonal to the admissible motions of the pose.
                let (k, mu, mass) = (self.mechanics.system.shape(), self.forms(at), self.mass(at));
                let right =
                    |rows: &Numbers| -> Numbers { rows.iter().map(|row| row[k..].to_vec()).collect() };
                let left = |rows: &Numbers| -> Numbers { rows.iter().map(|row| row[..k].to_vec()).collect() };
                let (mut found, mut expected) = (times(&right(&mu), &value), left(&mu));
                if let Some(basis) = &self.optimised.system.momentum_basis {
                    let e_m = times(&self.call(basis, at)?, &mass);
                    found.extend(times(&right(&e_m), &value));
                    expected.extend(left(&e_m));
                }
                Some((found, expected, ROUNDING))
            }
            "regular" => {
                let basis = self.optimised.system.momentum_basis.as_ref().map(|basis| self.call(basis, at));
                let k = self.mechanics.system.shape();
                let e_m = times(&basis.flatten().unwrap_or_default(), &self.mass(at));
                let rows: Numbers =
                    [self.forms(at), e_m].concat().iter().map(|row| row[k..].to_vec()).collect();
                // Up to the sign that exchanged rows may have.
                let absolute = value[0][0].abs();
                Some((vec![vec![absolute]], vec![vec![determinant(&rows).abs()]], ROUNDING))
            }
            "reduced_equations" => {
                let there = At { v: self.project(at)?, ..at.clone() };
                let (a, _) = self.acceleration(&there)?;
                let expected = column(self.free.iter().map(|&i| a[i]).collect());
                Some((self.value(formula, &there)?, expected, ROUNDING))
            }
            "holonomic_coefficients" => near(0.0, 0.0),
            "holonomic_form" => {
                let c = self.known(self.formula(&format!("holonomic_coefficients_{number}")), at).concat();
                exact(vec![vec![dot(&c, &self.residual(at))]])
            }
            "holonomic_function" => {
                let zero = vec![0.0; n];
                let rate = self.along(at, (&at.v, &zero, 1.0), |at| self.known(formula, at)[0][0]);
                near(rate, self.number(&format!("holonomic_form_{number}"), at))
            }
            "measure_density" => {
                let divergence = self.divergence(formula, at)?;
                near(divergence, 0.0)
            }
            other => panic!("{}: no check of {other}", self.name),
        }
    }

    /// div(N X)/N on the constraints, in the coordinates (q, u).
    fn divergence(&self, density: &Formula, at: &At) -> Option<f64> {
        let basis = self.mechanics.m() > 0;
        let velocity = |at: &At, u: &[f64]| -> Vec<f64> {
            if !basis {
                return u.to_vec();
            }
            let mut v =
                times(&self.known(self.formula("basis"), at), &u.iter().map(|&x| vec![x]).collect()).concat();
            if self.mechanics.structure.affine {
                add(&mut v, 1.0, &self.known(self.formula("drift"), at).concat());
            }
            v
        };
        let u: Vec<f64> = self.free.iter().map(|&i| at.v[i]).collect();
        let density_at = |at: &At| self.known(density, at)[0][0];
        let n = density_at(at);
        let mut sum = 0.0;
        // Along the configuration, at constant u.
        for i in 0..self.n() {
            let mut unit = vec![0.0; self.n()];
            unit[i] = 1.0;
            let zero = vec![0.0; self.n()];
            sum += self.along(at, (&unit, &zero, 0.0), |at| density_at(at) * velocity(at, &u)[i]);
        }
        // Along u.
        for (b, &free) in self.free.iter().enumerate() {
            let rate = |by: f64| -> Option<f64> {
                let mut u = u.clone();
                u[b] += by;
                let there = At { v: velocity(at, &u), ..at.clone() };
                Some(self.acceleration(&there)?.0[free])
            };
            sum += n * (8.0 * (rate(STEP)? - rate(-STEP)?) - (rate(2.0 * STEP)? - rate(-2.0 * STEP)?))
                / (12.0 * STEP);
        }
        Some(sum / n)
    }

    /// All formulas at several points.
    fn check(&self) {
        // Rates of auxiliary states are no function of their own: `known.rs` has them.
        for formula in self.report.formulas().filter(|formula| formula.name != "state_rates") {
            let mut random = Random(7);
            let mut checked = 0;
            // Not every point has a positive definite mass matrix.
            for _ in 0..200 {
                if checked == 6 {
                    break;
                }
                let at = self.point(&mut random);
                let Some((found, expected, tolerance)) = self.compare(formula, &at) else { continue };
                // The functions fail where a density or a root is not real.
                let all = || found.iter().chain(&expected).flatten();
                if all().any(|x| !x.is_finite()) || all().any(|x| x.abs() > 1e3) {
                    continue;
                }
                let shape = |a: &Numbers| (a.len(), a.first().map_or(0, Vec::len));
                assert_eq!(shape(&found), shape(&expected), "{}: {}", self.name, formula.name);
                let scale = all().fold(1.0, |scale: f64, x| scale.max(x.abs()));
                for (x, y) in found.iter().flatten().zip(expected.iter().flatten()) {
                    let what = format!("{}: {}: {x:e} instead of {y:e}", self.name, formula.name);
                    assert!((x - y).abs() <= tolerance * scale, "{what}");
                }
                checked += 1;
            }
            assert!(checked >= 3, "{}: {} was checked at {checked} points", self.name, formula.name);
        }
    }
}

fn rotation(angles: &[f64]) -> [f64; 9] {
    let [(sa, ca), (sb, cb), (sc, cc)] = [0, 1, 2].map(|i| angles[i].sin_cos());
    [
        cb * cc,
        -cb * sc,
        sb,
        sa * sb * cc + ca * sc,
        -sa * sb * sc + ca * cc,
        -sa * cb,
        -ca * sb * cc + sa * sc,
        ca * sb * sc + sa * cc,
        ca * cb,
    ]
}

fn add(to: &mut [f64], c: f64, x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += c * x);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn identity(n: usize) -> Numbers {
    (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect()
}

fn times(a: &Numbers, b: &Numbers) -> Numbers {
    let columns = b.first().map_or(0, Vec::len);
    a.iter()
        .map(|row| (0..columns).map(|j| row.iter().zip(b).map(|(x, y)| x * y[j]).sum()).collect())
        .collect()
}

fn transposed(a: &Numbers, columns: usize) -> Numbers {
    (0..columns).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn determinant(a: &Numbers) -> f64 {
    let mut rows = a.clone();
    let mut det = 1.0;
    for k in 0..rows.len() {
        let pivot =
            (k..rows.len()).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        det *= rows[k][k];
        let lead = rows[k].clone();
        for row in &mut rows[k + 1..] {
            let factor = row[k] / lead[k];
            row.iter_mut().zip(&lead).for_each(|(x, y)| *x -= factor * y);
        }
    }
    det.abs()
}

#[test]
fn formulas_of_models_agree_with_their_functions() {
    let check = |file: &File| Subject::new(&file.name, &derived(&file.text, "rattle")).check();
    in_parallel(&files::sampled(), |file| &file.name, check);
}

/// What models do not have: time, inputs, position constraints, gyroscopic terms, names that clash with those of parts.
#[test]
fn formulas_of_other_systems_agree_with_their_functions() {
    for keys in [
        "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + c*t*x*dot(y), constraints(dx - sin(t)*dt), force = r*cos(t)*dy",
        "coordinates(s_1, s_2), lagrangian = m/2*(dot(s_1)^2 + dot(s_2)^2) - c*s_1, holonomic(ring: s_1^2 + s_2^2 - r^2)",
        "coordinates(x, y, lambda_1), inputs(u), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(lambda_1)^2), constraints(dx - y*dlambda_1 - u*dt), force = u*dy",
        "coordinates(x, y), states(i), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(dx - y*dy), force = c*i*dy, dynamics(dot(i) = r*x - i)",
        "coordinates(x), lagrangian = m/2*dot(x)^2*(1 + r*x^2) - c*cos(x), constraints()",
    ] {
        Subject::new(keys, &declared(keys)).check();
    }
}
