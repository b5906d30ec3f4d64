//! Runs, ensembles and their files.

use super::support;
use nhi_run::{Error, Format, Inputs, Quantity, Recording, Run, Scheme, System, record_all, table};
use serde_json::{Map, Value};
use std::ops::ControlFlow;

const CART: &str = "
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(u),
    lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy),
    force = u*dtheta,
)]
struct Cart { J: f64, m: f64, a: f64 }
";

fn run(method: &str, inputs: Inputs, steps: u64) -> Run {
    let system =
        System::with_outputs(CART, "cart.rs", None, &[("speed2", Some("dot(x)^2 + dot(y)^2"))]).unwrap();
    let scheme = match method {
        "exact" => Scheme::Exact,
        id => Scheme::Steps(system.variant(id).unwrap()),
    };
    let (parameters, q0, v0) = (vec![1.0, 1.0, 0.2], vec![0.0; 3], vec![1.0, 0.5, 0.2]);
    let (h, z0) = (0.01, Vec::new());
    Run { system, scheme, parameters, q0, v0, z0, inputs, h, steps, every: 10, project: false, pose: None }
}

fn record(run: &Run) -> Recording {
    run.record(&mut |_| ControlFlow::Continue(())).unwrap()
}

fn bits(recording: &Recording) -> Vec<Vec<u64>> {
    recording.columns.iter().map(|column| column.values.iter().map(|x| x.to_bits()).collect()).collect()
}

#[test]
fn columns_are_named() {
    let recording = record(&run("rattle", Inputs::Held(vec![0.1]), 95));
    assert_eq!(recording.samples(), 10);
    let names: Vec<&str> = recording.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "k",
            "t",
            "theta",
            "x",
            "y",
            "dot_theta",
            "dot_x",
            "dot_y",
            "u",
            "p_theta",
            "p_x",
            "p_y",
            "p_pre_theta",
            "p_pre_x",
            "p_pre_y",
            "p_post_theta",
            "p_post_x",
            "p_post_y",
            "lambda_blade",
            "reaction_theta",
            "reaction_x",
            "reaction_y",
            "energy",
            "residual_blade",
            "speed2",
        ]
    );
    let values = |name: &str| &recording.column(name).unwrap().values;
    assert_eq!(values("k")[9], 90.0);
    for i in 0..10 {
        assert_eq!(values("speed2")[i], values("dot_x")[i].powi(2) + values("dot_y")[i].powi(2));
        assert!(values("residual_blade")[i].abs() < 1e-15);
        let reaction = values("lambda_blade")[i] * 0.2;
        assert!((values("reaction_theta")[i] - reaction).abs() < 1e-15);
    }
    assert_eq!(recording.about.parameters[2], ("a".to_owned(), 0.2));
    assert_eq!(recording.about.method, "rattle");
}

/// Inputs per step that are all the same, and held ones; the exact flow beside a method of order 8.
#[test]
fn inputs_and_the_exact_flow() {
    let held = record(&run("dla2", Inputs::Held(vec![0.1]), 100));
    let per_step = record(&run("dla2", Inputs::PerStep(vec![vec![0.1]; 100]), 100));
    assert_eq!(bits(&held), bits(&per_step));
    let changing = Inputs::PerStep((0..100).map(|k| vec![(k as f64).sin()]).collect());
    let [exact, composed] =
        ["exact", "dla2_kahanli8"].map(|method| record(&run(method, changing.clone(), 100)));
    for quantity in [Quantity::Coordinate, Quantity::Velocity, Quantity::Energy] {
        for (a, b) in exact.all(quantity).zip(composed.all(quantity)) {
            let error = a.values.iter().zip(&b.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-12, "{}: {error:e}", a.name);
        }
    }
}

#[test]
fn starts_are_checked_or_projected() {
    for method in ["dla2", "exact"] {
        let mut wrong = run(method, Inputs::Held(vec![0.0]), 10);
        wrong.v0[2] = 0.3;
        let error = wrong.record(&mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(
            matches!(&error, Error::Jit(nhi_jit::Error::Constraint { name, .. }) if name == "blade"),
            "{error}"
        );
        wrong.project = true;
        let recording = record(&wrong);
        assert!(recording.column("residual_blade").unwrap().values[0].abs() < 1e-15);
        assert_ne!(recording.column("dot_y").unwrap().values[0], 0.3);
    }
    let mut wrong = run("dla2", Inputs::Held(vec![0.0]), 10);
    wrong.inputs = Inputs::PerStep(vec![vec![0.0]; 9]);
    let error = wrong.record(&mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert_eq!(error, "inputs: expected one vector for each of 10 steps, found 9");
    (wrong.inputs, wrong.steps, wrong.every) = (Inputs::Held(vec![0.0]), u64::MAX, 1);
    let error = wrong.record(&mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(error.starts_with("every: ") && error.contains("too many"), "{error}");
}

#[test]
fn a_run_can_be_interrupted() {
    for method in ["dla2", "exact"] {
        let run = run(method, Inputs::Held(vec![0.0]), 100);
        let recording =
            run.record(&mut |k| if k < 30 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
        let recording = recording.unwrap();
        assert_eq!(recording.about.stopped.as_deref(), Some("interrupted after step 30"));
        assert_eq!(recording.samples(), 3);
    }
}

/// A sample that cannot be reached ends the run, which keeps those before it.
#[test]
fn a_failing_run_keeps_its_samples() {
    let kepler = "
        #[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2 + k/x, constraints(), methods(Rk4))]
        struct Fall { k: f64 }
    ";
    let system = System::parse(kepler, "fall.rs", None).unwrap();
    for scheme in [Scheme::Exact, Scheme::Steps(system.variant("dla1").unwrap())] {
        let run = Run {
            system: system.clone(),
            scheme,
            parameters: vec![1.0],
            q0: vec![1.0],
            v0: vec![-1.0],
            z0: Vec::new(),
            inputs: Inputs::Held(vec![]),
            h: 0.05,
            steps: 100_000,
            every: 1,
            project: false,
            pose: None,
        };
        let recording = record(&run);
        if scheme == Scheme::Exact {
            assert!(recording.about.stopped.is_some());
            assert!((1..20).contains(&recording.samples()), "{}", recording.samples());
        }
        let all_finite = recording.column("x").unwrap().values.iter().all(|x| x.is_finite());
        assert!(all_finite);
    }
}

/// Each run is as alone, on however many threads.
#[test]
fn ensembles_do_not_depend_on_threads() {
    let runs: Vec<Run> = (0..20)
        .map(|i| {
            let mut run = run("dla2", Inputs::Held(vec![0.0]), 50);
            (run.parameters[0], run.v0[0], run.v0[2]) = (1.0 + f64::from(i), 0.1, 0.02);
            run
        })
        .collect();
    let go_on = |_| ControlFlow::Continue(());
    let alone: Vec<_> = runs.iter().map(|run| bits(&record(run))).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let together = pool.install(|| record_all(&runs, &go_on));
        let together: Vec<_> = together.iter().map(|recording| bits(recording.as_ref().unwrap())).collect();
        assert_eq!(alone, together);
    }
    let all = record_all(&runs, &go_on).into_iter().zip(&runs);
    let all = all.map(|(recording, run)| (vec![run.parameters[0]], recording.unwrap())).collect();
    let table = table(&["J".to_owned()], all).unwrap();
    assert_eq!(table.samples(), 20 * 6);
    assert_eq!(table.columns[2].name, "J");
    assert_eq!((table.columns[2].values[5], table.columns[2].values[6]), (1.0, 2.0));
}

/// The files of an archive by its directory, with the checksums that they have bit by bit.
fn files(archive: &[u8]) -> Vec<(String, &[u8])> {
    let number = |at: usize, bytes: usize| {
        archive[at..at + bytes].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    let end = archive.len() - 22;
    assert_eq!(&archive[end..end + 4], b"PK\x05\x06");
    let (count, mut at) = (number(end + 10, 2), number(end + 16, 4));
    assert_eq!(at + number(end + 12, 4), end);
    let mut files = Vec::new();
    for _ in 0..count {
        assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
        let (length, start) = (number(at + 28, 2), number(at + 42, 4));
        let name = String::from_utf8(archive[at + 46..at + 46 + length].to_vec()).unwrap();
        // The same facts stand before the file.
        assert_eq!(&archive[start..start + 4], b"PK\x03\x04");
        assert_eq!(archive[start + 4..start + 30], archive[at + 6..at + 32]);
        assert_eq!(&archive[start + 30..start + 30 + length], name.as_bytes());
        let content = &archive[start + 30 + length..][..number(at + 24, 4)];
        let crc = content.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 })
        });
        assert_eq!(!crc as usize, number(at + 16, 4), "{name}");
        files.push((name, content));
        at += 46 + length;
    }
    files
}

#[test]
fn files_hold_the_numbers() {
    let recording = record(&run("dla2", Inputs::Held(vec![0.1]), 30));
    let write = |format: Format| {
        let mut case = Map::new();
        case.insert("declaration".to_owned(), "cart.rs".into());
        let mut bytes = Vec::new();
        format.write(&mut bytes, &recording, &case).unwrap();
        bytes
    };
    let theta = &recording.column("theta").unwrap().values;
    let plain = String::from_utf8(write(Format::of("csv").unwrap())).unwrap();
    let csv = String::from_utf8(write(Format::CommentedCsv)).unwrap();
    assert!(csv.ends_with(&plain) && plain.starts_with("k,t,theta"), "{plain}");
    assert!(!plain.contains("0.000000") && plain.contains("e-"), "{plain}");
    let (about, table): (Vec<&str>, Vec<&str>) = csv.lines().partition(|line| line.starts_with('#'));
    assert!(about.contains(&"# method: \"dla2\"") && about.contains(&"# h: 0.01"), "{about:?}");
    assert!(about.iter().any(|line| line.contains(&recording.about.declaration)), "{about:?}");
    assert!(table[0].starts_with("k,t,theta,x,y,dot_theta"));
    for (line, theta) in table[1..].iter().zip(theta) {
        assert_eq!(line.split(',').nth(2).unwrap().parse::<f64>().unwrap(), *theta);
    }
    let json: Value = serde_json::from_slice(&write(Format::of("json").unwrap())).unwrap();
    assert_eq!(json["declaration"], "cart.rs");
    assert_eq!(json["samples"].as_array().unwrap().len(), 4);
    assert_eq!(json["samples"][3]["q"][0].as_f64(), Some(theta[3]));
    assert!(json["samples"][3]["speed2"].is_f64());
    let archive = write(Format::of("npz").unwrap());
    let files = files(&archive);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let columns = recording.columns.iter().map(|column| format!("{}.npy", column.name));
    assert_eq!(names, columns.chain(["about.npy".to_owned()]).collect::<Vec<_>>());
    let (_, bytes) = files[names.iter().position(|name| *name == "theta.npy").unwrap()];
    let (header, numbers) = bytes.split_at(bytes.len() - 8 * theta.len());
    assert!(header.starts_with(b"\x93NUMPY\x01\x00") && header.len() % 64 == 0 && header.ends_with(b"\n"));
    assert!(
        String::from_utf8_lossy(header).contains("'descr': '<f8', 'fortran_order': False, 'shape': (4,)")
    );
    let read: Vec<f64> = numbers.chunks(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).collect();
    assert_eq!(&read, theta);
    assert!(Format::of("parquet").unwrap_err().contains(".npz"));
}

/// A capacitor that discharges through a resistor, beside a mass that moves freely: z' = −z/τ.
#[test]
fn auxiliary_states_are_columns() {
    let circuit = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(x), states(charge), dynamics(dot(charge) = -charge/tau),
            lagrangian = dot(x)^2/2, constraints()
        )]
        struct Circuit { tau: f64 }
    ";
    let system = System::parse(circuit, "circuit.rs", None).unwrap();
    let start: [&[f64]; 3] = [&[2.0], &[0.0], &[1.0]];
    let run = Run { z0: vec![3.0], every: 200, ..support::run(system, "dla2", start, (0.01, 200)) };
    let recording = record(&run);
    let column = recording.column("charge").unwrap();
    assert_eq!(column.quantity, Quantity::State);
    // The implicit mid-point rule multiplies by (1 − h/2τ)/(1 + h/2τ) in each step.
    let factor: f64 = (1.0 - 0.0025) / (1.0 + 0.0025);
    assert_eq!(column.values[0], 3.0);
    assert!((column.values[1] - 3.0 * factor.powi(200)).abs() < 1e-12, "{:?}", column.values);

    let refused = |run: Run| run.record(&mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    let wrong = refused(Run { z0: vec![1.0, 2.0], ..run.clone() });
    assert!(wrong.contains("z0") && wrong.contains("expected 1 number"), "{wrong}");
    let wrong = refused(Run { scheme: Scheme::Exact, ..run });
    assert!(wrong.contains("auxiliary states"), "{wrong}");
}

/// The equations of motion have the rate of what drives a constraint, and nobody knows that of an input.
#[test]
fn there_is_no_exact_flow_where_inputs_drive_constraints() {
    let skate = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(x, y, th), inputs(u),
            lagrangian = (dot(x)^2 + dot(y)^2 + dot(th)^2)/2,
            constraints(blade: sin(th)*dx - cos(th)*dy, turn: dot(th) - DRIVE)
        )]
        struct Skate;
    ";
    let refused = |drive: &str| {
        let system = System::parse(&skate.replace("DRIVE", drive), "skate.rs", None).unwrap();
        let start: [&[f64]; 3] = [&[], &[0.0; 3], &[1.0, 0.0, 0.5]];
        let run = support::run(system, "exact", start, (0.01, 10));
        run.record(&mut |_| ControlFlow::Continue(())).err().map(|error| error.to_string())
    };
    let error = refused("u - 1/2").expect("an error");
    assert!(error.contains("method") && error.contains("depends on an input"), "{error}");
    assert_eq!(refused("1/2 - t"), None);
}
