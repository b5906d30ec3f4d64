//! Every row of the table "what to expect" of a report, against runs of random systems.
//!
//! What a report guarantees holds up to rounding on all of them; what it calls typical, on nine of ten. By default 10 systems are
//! run over 5,000 steps; with `NHI_TESTS=all`, 200 over 100,000.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::report::{Block, Report};
use nhi_jit::{Point, Simulation};
use nhi_methods::Kind;
use nhi_run::System;
use nhi_tiers::amount;

/// Numbers between -1 and 1.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (((self.number() + 1.0) / 2.0) * n as f64) as u64
    }

    /// A coefficient with two decimals.
    fn coefficient(&mut self) -> String {
        format!("{:.2}", 0.2 + 0.4 * self.number().abs())
    }
}

/// A system that oscillates in x, y, z, beside an angle phi that is cyclic.
struct Case {
    source: String,
    q0: Vec<f64>,
    /// At rest but for phi, so that a reversal maps the motion to itself.
    v0: Vec<f64>,
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.number();
        let mut term = |choices: &[&str]| {
            let chosen = choices[random.below(choices.len() as u64) as usize];
            chosen.replacen('#', &random.coefficient(), 1)
        };
        let inertia = term(&["1", "1", "1 + #*x^2", "2 + #*cos(y)", "exp(0.3*x)"]);
        let mass = term(&["1", "1", "1", "1 + #*x^2", "1 + #*sin(y)"]);
        let coupling = term(&["0", "0", "#*dot(x)*dot(phi)", "#*dot(y)*dot(z)"]);
        let gyroscopic = term(&["0", "0", "0", "0.3*x*dot(y)", "0.2*y^2*dot(phi)"]);
        let potential = term(&["0.5*x^2", "0.7*x^2 + 0.2*x^4", "1 - cos(x)"]);
        let constraint = term(&[
            "",
            "",
            "dz - #*x*dy = 0",
            "dz - sin(y)*dx = 0",
            "sin(x)*dy + dz - #*dx = 0",
            "dz - #*y*dy = 0",
        ]);
        let source = format!(
            "#[derive(Nonholonomic)]
            #[nonholonomic(
                coordinates(x, y, z, phi),
                lagrangian = ({mass})/2*dot(x)^2 + dot(y)^2/2 + dot(z)^2/2 + ({inertia})/2*dot(phi)^2 + {coupling} + {gyroscopic}
                    - ({potential}) - 1.3/2*y^2 - 0.8/2*z^2,
                constraints({constraint}),
                methods(all),
            )]
            struct Claimed {{ unused: f64 }}"
        );
        let mut amplitude = || 0.3 * random.number();
        Case { source, q0: vec![amplitude(), amplitude(), amplitude(), 0.0], v0: vec![0.0; 4] }
    }
}

/// The rows of the table: method, constraint, energy, momenta.
fn expectations(source: &str) -> Vec<Vec<String>> {
    let input: syn::DeriveInput = syn::parse_str(source).expect("a struct");
    let declaration = Declaration::parse(&input).expect("a declaration");
    let derived = Derived::new(declaration, &mut BuiltIn).expect("a derivation");
    let report = Report::of_sections(&derived, &mut BuiltIn, &["structure"]).expect("a report");
    let blocks = report.sections.into_iter().flat_map(|section| section.blocks);
    let mut tables =
        blocks.filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None });
    tables.find(|table| table.name == "expectation").expect("expectations").rows
}

/// What was measured of a run.
struct Measured {
    /// The largest relative residual of the constraints.
    residual: f64,
    /// The largest errors of the energy in the first and in the last fifth.
    energy: [f64; 2],
    /// The range of the momentum of phi.
    momentum: f64,
}

fn measure(system: &System, id: &str, q0: &[f64], v0: &[f64], h: f64, steps: u64) -> Option<Measured> {
    let variant = system.variant(id).unwrap();
    let functions = system.functions().unwrap();
    let compiled = system.compiled(variant).unwrap();
    let start = Point { parameters: &[0.0], q: q0, v: v0, z: &[], t: 0.0, inputs: &[] };
    let mut simulation = Simulation::project_point(&compiled, variant, &start, h).unwrap();
    let energy = simulation.energy();
    let mut measured = Measured { residual: 0.0, energy: [0.0; 2], momentum: 0.0 };
    let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    let samples = 1000;
    for k in 0..samples {
        simulation.advance(steps / samples).ok()?;
        let v = simulation.v();
        let at = Point { q: simulation.q(), v: &v, ..start };
        let scales = functions.residual_scale(&at);
        for (residual, scale) in functions.residual(&at).iter().zip(scales) {
            measured.residual = measured.residual.max(residual.abs() / (1.0 + scale));
        }
        let momentum = functions.momentum(&at)[3];
        (least, largest) = (least.min(momentum), largest.max(momentum));
        let error = (simulation.energy() - energy).abs();
        if k < samples / 5 {
            measured.energy[0] = measured.energy[0].max(error);
        } else if k >= samples - samples / 5 {
            measured.energy[1] = measured.energy[1].max(error);
        }
    }
    measured.momentum = largest - least;
    Some(measured)
}

/// Rounding errors of a run, which walk at random, and drift by one digit at most in long ones.
const ROUNDING: f64 = 2e-11;

/// Runs of one system against its report: how many of its statements are typical, and those that the runs contradict.
fn contradicted(seed: u64, steps: u64) -> (usize, Vec<String>) {
    let (mut typical, mut exceptions) = (0, Vec::new());
    let Case { source, q0, v0 } = Case::new(seed);
    let system =
        System::parse(&source, "claimed.rs", None).unwrap_or_else(|error| panic!("{error}\n{source}"));
    for row in expectations(&source) {
        let id = row[0].trim_matches('`');
        let [constraint, energy, momenta] = [&row[1], &row[2], &row[3]];
        let kind = system.variant(id).unwrap().method.facts().kind;
        // The angle goes round where momenta are in question, and rests where energy is.
        let turning: Vec<f64> =
            v0.iter().enumerate().map(|(i, v)| if i == 3 { 0.7 } else { v + 0.1 }).collect();
        let short = measure(&system, id, &q0, &turning, 0.05, 2000);
        if let Some(measured) = short {
            let context = || format!("seed {seed}, {id}:\n{source}\n{row:#?}");
            if constraint.starts_with("guaranteed") {
                assert!(measured.residual < ROUNDING, "{:e}, {}", measured.residual, context());
            }
            if momenta.starts_with("guaranteed") {
                assert!(measured.momentum < ROUNDING, "{:e}, {}", measured.momentum, context());
            }
            if energy.starts_with("guaranteed") {
                assert!(measured.energy[1] < ROUNDING, "{:e}, {}", measured.energy[1], context());
            }
        } else {
            // What is guaranteed is guaranteed of steps that can be taken; those of parasitic modes may end.
            assert!(kind == Kind::Reflecting || kind == Kind::Restarted, "seed {seed}, {id}\n{source}");
        }
        if energy.starts_with("typical") {
            typical += 1;
            let kept = measure(&system, id, &q0, &v0, 0.05, steps)
                .is_some_and(|Measured { energy: [first, last], .. }| last < 2.0 * first + ROUNDING);
            if !kept {
                exceptions.push(format!("seed {seed}, {id}: {energy}"));
            }
        }
    }
    (typical, exceptions)
}

#[test]
fn reports_say_what_runs_show() {
    let (count, steps) = amount((10, 5_000), (200, 100_000));
    let seeds: Vec<(u64, String)> = (1..=count).map(|seed| (seed, format!("seed {seed}"))).collect();
    let found = in_parallel(&seeds, |(_, name)| name, |&(seed, _)| contradicted(seed, steps));
    let typical: usize = found.iter().map(|(typical, _)| typical).sum();
    let exceptions: Vec<String> = found.into_iter().flat_map(|(_, exceptions)| exceptions).collect();
    println!("{} of {typical} are exceptions", exceptions.len());
    assert!(typical > 3 * seeds.len(), "{typical}");
    assert!(
        10 * exceptions.len() <= typical,
        "{} of {typical}:\n{}",
        exceptions.len(),
        exceptions.join("\n")
    );
}

/// A momentum that depends on the configuration: the one method that does not keep it says so.
#[test]
fn momenta_of_a_central_force() {
    let source = "#[derive(Nonholonomic)]
        #[nonholonomic(coordinates(r, a, b, phi), lagrangian = m/2*(dot(r)^2 + dot(a)^2 + dot(b)^2 + r^2*dot(phi)^2) - 5*(r - 1)^2,
            constraints(), methods(all))]
        struct Central { m: f64 }";
    let source = source.replace("m/2", "1/2");
    let system = System::parse(&source, "central.rs", None).unwrap();
    let mut kept = Vec::new();
    for row in expectations(&source) {
        let id = row[0].trim_matches('`');
        let measured =
            measure(&system, id, &[1.5, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 2.0], 0.05, 2000).unwrap();
        let is_exact = measured.momentum < ROUNDING;
        assert_eq!(row[3].starts_with("guaranteed"), is_exact, "{row:?}: {:e}", measured.momentum);
        if is_exact {
            kept.push(id.to_owned());
        }
    }
    for id in ["dla_rattle", "dla2_midpoint", "dla1", "rattle"] {
        assert!(kept.iter().any(|kept| kept == id), "{kept:?}");
    }
    assert!(!kept.contains(&"dla2".to_owned()));
}

/// A gearbox whose ratio is turned by a pendulum that goes round. The system is reversible, and its motion is quasi-periodic, but
/// no reversal maps the motion to itself: symmetric methods gain or lose the energy of the driven part without bound.
#[test]
fn energy_of_a_gearbox() {
    let gearbox = |eps: f64, b: f64| {
        format!(
            "#[derive(Nonholonomic)]
            #[nonholonomic(coordinates(phi, x, z),
                lagrangian = 1/2*(dot(phi)^2 + dot(x)^2 + dot(z)^2) - 1/2*(x^2 + z^2) + cos(phi) - {eps:.1}*sin(2*phi),
                constraints(gear: dx + (0.8*sin(phi) + {b:.1}*cos(2*phi))*dz = 0), methods(all))]
            struct Gearbox {{ unused: f64 }}"
        )
    };
    let driven = |source: &str, id: &str, steps: u64| {
        let system = System::parse(source, "gearbox.rs", None).unwrap();
        let variant = system.variant(id).unwrap();
        let compiled = system.compiled(variant).unwrap();
        let (q, v) = (&[0.0, 1.0, 0.0][..], &[2.6, 0.0, 0.0][..]);
        let start = Point { parameters: &[0.0], q, v, z: &[], t: 0.0, inputs: &[] };
        let mut simulation = Simulation::at_point(&compiled, variant, &start, 0.1).unwrap();
        simulation.advance(steps).unwrap();
        let (q, v) = (simulation.q(), simulation.v());
        (v[1] * v[1] + v[2] * v[2] + q[1] * q[1] + q[2] * q[2]) / 2.0
    };
    let steps = amount(20_000, 1_000_000);
    for (eps, b, drifts) in [(0.0, 0.0, false), (0.0, 0.4, true), (0.5, 0.0, true), (0.5, 0.4, true)] {
        let source = gearbox(eps, b);
        for id in ["dla2", "dla_rattle", "dla2_midpoint"] {
            let energy = driven(&source, id, steps);
            let change = (energy / 0.5).ln().abs();
            assert_eq!(change > 0.02, drifts, "eps = {eps}, b = {b}, {id}: {energy}");
            let row = expectations(&source).into_iter().find(|row| row[0] == format!("`{id}`")).unwrap();
            assert!(row[2].starts_with("typical of motions that a reversal maps to themselves"), "{row:?}");
        }
        for id in ["rattle", "gni_midpoint"] {
            let energy = driven(&source, id, steps);
            assert!((energy - 0.5).abs() < 0.02, "eps = {eps}, b = {b}, {id}: {energy}");
        }
    }
}
