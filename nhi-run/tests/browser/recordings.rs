//! Recordings of models, one for each kind of picture, and recordings that are unusual.

use nhi_run::{
    About, Bodies, Body, Column, Inputs, Limits, Pose, Quantity, Recording, Run, Scheme, Shape, System,
};
use std::ops::ControlFlow;

/// Names of the recordings and the recordings, which differ in their poses: a sleigh in coordinates and on SE(2), a ball that
/// rolls, a body in space, a car with trailers and balls on it.
pub(crate) fn recordings() -> Vec<(&'static str, Recording)> {
    let sleigh = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(theta, x, y),
            lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
            constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy)
        )]
        struct ChaplyginSleigh { J: f64, m: f64, a: f64 }
    ";
    let sleigh = Run {
        pose: Some(Pose::Planar(["x", "y", "theta"].map(str::to_owned))),
        ..run(sleigh, "dla2", [&[1.0, 1.0, 0.2], &[0.0; 3], &[1.0, 0.5, 0.2]], 0.01, 2000)
    };
    let sleigh_se2 = run(
        include_str!("../../../models/src/lie/chaplygin_sleigh.rs"),
        "rdp",
        [&[1.0, 0.5, 0.2], &[0.0; 3], &[1.5, -0.8, 0.3]],
        0.02,
        1000,
    );
    // R = 1 and a velocity of the centre that fits the angular velocity.
    let ball = run(
        include_str!("../../../models/src/lie/chaplygin_ball.rs"),
        "rdp",
        [
            &[3.0, 1.0, 1.1, 1.2, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.4, -0.3, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            &[-0.7, -0.6, 0.6, -0.7, 0.9],
        ],
        0.02,
        1500,
    );
    let body = run(
        include_str!("../../../models/src/lie/se3_body.rs"),
        "rdp",
        [
            &[1.0, 1.5, 2.0, 2.0, 0.3, 0.1, -0.2, 0.4],
            &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            &[0.5, 0.8, -0.6, 1.0, 0.0, 0.4 * 0.8],
        ],
        0.01,
        2000,
    );
    let mut all: Vec<(&str, Recording)> =
        [("sleigh", sleigh), ("sleigh_se2", sleigh_se2), ("ball", ball), ("body", Run { every: 2, ..body })]
            .map(|(name, run)| (name, recorded(&run)))
            .into();
    all.push(("bodies", bodies()));
    all
}

fn recorded(run: &Run) -> Recording {
    run.record(&mut |_| ControlFlow::Continue(())).expect("an admissible start")
}

/// A car with two trailers, and two balls on the car, one of a given size.
fn bodies() -> Recording {
    let car = include_str!("../../../examples/trailers.rs");
    let (parameters, v0) = ([1.0, 0.1, 0.3, 1.0, 0.6, 0.6], [1.0, 0.0, 0.6, 0.0, 0.0]);
    let run = Run { project: true, every: 5, ..run(car, "dla2", [&parameters, &[0.0; 5], &v0], 0.01, 1500) };
    let body = |name: &str, shape, place: [&str; 3], size| Body {
        name: name.to_owned(),
        shape,
        place: place.map(str::to_owned),
        size,
    };
    let drawn = [
        body("car", Shape::Pose, ["x", "y", "theta[0]"], Some(1.2)),
        body("first", Shape::Pose, ["x1", "y1", "theta[1]"], None),
        body("second", Shape::Pose, ["x2", "y2", "theta[2]"], None),
        body("high", Shape::Ball, ["x", "y", "l*(2 + sin(t))"], Some(1.0)),
        body("low", Shape::Ball, ["x1", "y1", "0"], None),
    ];
    let mut recording = recorded(&run);
    Bodies::of(&run.system, &drawn).expect("no mistakes").place(&mut recording);
    recording
}

/// A run of a declared system with a method, from values of the parameters, q₀ and v₀.
fn run(text: &str, method: &str, [parameters, q0, v0]: [&[f64]; 3], h: f64, steps: u64) -> Run {
    let system = System::parse(text, "model.rs", None).expect("no mistakes");
    Run {
        scheme: Scheme::Steps(system.variant(method).expect("a method")),
        system,
        parameters: parameters.to_vec(),
        q0: q0.to_vec(),
        v0: v0.to_vec(),
        z0: Vec::new(),
        inputs: Inputs::Held(Vec::new()),
        h,
        steps,
        every: 1,
        project: false,
        pose: None,
    }
}

/// Recordings that a page has to bear: of a single sample, of constants, of numbers that are not finite and of names with
/// markup, of many columns and samples.
pub(crate) fn unusual() -> Vec<(&'static str, Recording)> {
    let recording = |pose: Option<Pose>, stopped: Option<&str>, samples: usize, columns: &[Named<'_>]| {
        let column = |(name, quantity, value): &Named<'_>| Column {
            name: (*name).to_owned(),
            quantity: *quantity,
            values: (0..samples).map(|k| value(k as f64)).collect(),
        };
        let parameters = vec![("m".to_owned(), 1e-9), ("</script><b>".to_owned(), f64::NAN)];
        Recording {
            about: About {
                system: "Unusual".to_owned(),
                declaration: String::new(),
                parameters,
                method: "dla2".to_owned(),
                h: -0.01,
                adaptive: None,
                conservative: true,
                pose,
                events: Vec::new(),
                stopped: stopped.map(str::to_owned),
                warnings: Vec::new(),
            },
            columns: columns.iter().map(column).collect(),
            bodies: Vec::new(),
            limits: Limits::default(),
        }
    };
    let step: Named<'_> = ("k", Quantity::Step, &|k| k);
    let time: Named<'_> = ("t", Quantity::Time, &|k| -0.01 * k);
    let planar = || Some(Pose::Planar(["x", "y", "theta"].map(str::to_owned)));
    let sample = recording(
        planar(),
        Some("step 1: Newton's method did not converge"),
        1,
        &[
            step,
            time,
            ("theta", Quantity::Coordinate, &|_| 0.3),
            ("x", Quantity::Coordinate, &|_| 2.0),
            ("y", Quantity::Coordinate, &|_| -1.0),
            ("dot_theta", Quantity::Velocity, &|_| 0.0),
            ("energy", Quantity::Energy, &|_| 0.0),
        ],
    );
    let constants = recording(
        None,
        None,
        300,
        &[
            step,
            time,
            ("x", Quantity::Coordinate, &|_| 1e6),
            ("y", Quantity::Coordinate, &|_| 0.0),
            ("z", Quantity::Coordinate, &|_| -1e-12),
            ("dot_x", Quantity::Velocity, &|_| 0.0),
            ("energy", Quantity::Energy, &|_| 1.5),
        ],
    );
    let gaps = recording(
        planar(),
        Some("a < b & \"c\" </script><!-- <script>"),
        400,
        &[
            step,
            time,
            ("theta", Quantity::Coordinate, &|k| 0.05 * k),
            ("x", Quantity::Coordinate, &|k| if (100.0..150.0).contains(&k) { f64::NAN } else { 0.01 * k }),
            ("y", Quantity::Coordinate, &|k| if k > 300.0 { f64::INFINITY } else { (0.03 * k).sin() }),
            ("dot_x", Quantity::Velocity, &|_| f64::NAN),
            ("lambda_</script><i>a < b & 'c'", Quantity::Multiplier, &|k| if k == 200.0 { 1e300 } else { k }),
            ("energy", Quantity::Energy, &|k| if k > 200.0 { f64::NEG_INFINITY } else { 1.0 + 1e-9 * k }),
        ],
    );
    let names: Vec<String> =
        (0..58).map(|i| format!("x[{i}]")).chain((0..4).map(|i| format!("y[{i}]"))).collect();
    let wave = |i: usize| move |k: f64| ((1.0 + i as f64) * 1e-4 * k).sin() * (1.0 + i as f64);
    let waves: Vec<Box<dyn Fn(f64) -> f64>> =
        (0..names.len()).map(|i| Box::new(wave(i)) as Box<dyn Fn(f64) -> f64>).collect();
    let mut many = vec![step, time];
    many.extend(names.iter().zip(&waves).map(|(name, wave)| (name.as_str(), Quantity::Coordinate, &**wave)));
    let many = recording(None, None, 50_000, &many);
    let nothing = recording(None, Some("at the start"), 0, &[step, time]);
    vec![("sample", sample), ("constants", constants), ("gaps", gaps), ("many", many), ("nothing", nothing)]
}

/// Name and quantity of a column, and its value at a sample.
type Named<'a> = (&'a str, Quantity, &'a dyn Fn(f64) -> f64);
