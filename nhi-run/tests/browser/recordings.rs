//! Recordings of models, one for each kind of picture, and recordings that are unusual.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::expand::structs;
use nhi_codegen::pipeline::Derived;
use nhi_jit::{Compiled, Simulation};
use nhi_methods::Variant;
use nhi_run::{About, Column, Pose, Quantity, Recording};

/// A declared model and how it is run.
struct Run<'a> {
    text: &'a str,
    method: &'a str,
    parameters: &'a [f64],
    q0: &'a [f64],
    v0: &'a [f64],
    h: f64,
    samples: usize,
    /// Steps from one sample to the next.
    every: u64,
    /// What the columns of the configuration are, given their names.
    pose: fn(&[String]) -> Option<Pose>,
}

/// Names of the recordings and the recordings, which differ in their poses: a sleigh in coordinates and on SE(2), a ball that
/// rolls, a body in space.
pub(crate) fn recordings() -> Vec<(&'static str, Recording)> {
    let sleigh = Run {
        text: "
            #[derive(Nonholonomic)]
            #[nonholonomic(
                coordinates(theta, x, y),
                lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
                constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy),
                methods(Dla2)
            )]
            struct ChaplyginSleigh { J: f64, m: f64, a: f64 }
        ",
        method: "dla2",
        parameters: &[1.0, 1.0, 0.2],
        q0: &[0.0; 3],
        v0: &[1.0, 0.5, 0.2],
        h: 0.01,
        samples: 2001,
        every: 1,
        pose: |_| Some(Pose::Planar(["x", "y", "theta"].map(str::to_owned))),
    };
    let sleigh_se2 = Run {
        text: include_str!("../../../models/src/lie/chaplygin_sleigh.rs"),
        method: "rdp",
        parameters: &[1.0, 0.5, 0.2],
        q0: &[0.0; 3],
        v0: &[1.5, -0.8, 0.3],
        h: 0.02,
        samples: 1001,
        every: 1,
        pose: |names| Some(Pose::Planar([names[1].clone(), names[2].clone(), names[0].clone()])),
    };
    // R = 1 and a velocity of the centre that fits the angular velocity.
    let ball = Run {
        text: include_str!("../../../models/src/lie/chaplygin_ball.rs"),
        method: "rdp",
        parameters: &[3.0, 1.0, 1.1, 1.2, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        q0: &[0.4, -0.3, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        v0: &[-0.7, -0.6, 0.6, -0.7, 0.9],
        h: 0.02,
        samples: 1501,
        every: 1,
        pose: |names| Some(Pose::Rotation(array(&names[2..11]))),
    };
    let body = Run {
        text: include_str!("../../../models/src/lie/se3_body.rs"),
        method: "rdp",
        parameters: &[1.0, 1.5, 2.0, 2.0, 0.3, 0.1, -0.2, 0.4],
        q0: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        v0: &[0.5, 0.8, -0.6, 1.0, 0.0, 0.4 * 0.8],
        h: 0.01,
        samples: 1001,
        every: 2,
        pose: |names| Some(Pose::Rigid(array(&names[..9]), array(&names[9..12]))),
    };
    vec![
        ("sleigh", sleigh.recorded()),
        ("sleigh_se2", sleigh_se2.recorded()),
        ("ball", ball.recorded()),
        ("body", body.recorded()),
    ]
}

fn array<const N: usize>(names: &[String]) -> [String; N] {
    names.to_vec().try_into().expect("as many names")
}

impl Run<'_> {
    fn recorded(&self) -> Recording {
        // A method is enough, and many take long to optimise.
        let text = self.text.replace("methods(all)", "methods(Rdp)");
        let item = structs(&text).expect("Rust").remove(0);
        let system = item.ident.to_string();
        let declaration = Declaration::parse(&item).expect("no mistakes");
        let derived = Derived::new(declaration, default_engine().as_mut()).expect("derivable");
        let optimised = derived.optimised().expect("finite constants");
        let variant = Variant::with_id(self.method).expect("a method");
        let compiled =
            Compiled::new(&derived.mechanics, &optimised, &[variant]).expect("Cranelift runs here");
        let mut simulation = Simulation::new(&compiled, variant, self.parameters, self.q0, self.v0, self.h)
            .expect("admissible values");

        let named = |prefix: &str, names: &[String], quantity| -> Vec<Column> {
            let column = |name| Column { name: format!("{prefix}{name}"), quantity, values: Vec::new() };
            names.iter().map(column).collect()
        };
        let coordinates = compiled.coordinates();
        let velocity = |name: &String| {
            if coordinates.contains(name) { format!("dot_{name}") } else { name.clone() }
        };
        let velocities: Vec<String> = compiled.velocities().iter().map(velocity).collect();
        let one = |name: &str, quantity| Column { name: name.to_owned(), quantity, values: Vec::new() };
        let mut columns = vec![one("k", Quantity::Step), one("t", Quantity::Time)];
        columns.extend(named("", coordinates, Quantity::Coordinate));
        columns.extend(named("", &velocities, Quantity::Velocity));
        columns.extend(named("lambda_", compiled.constraints(), Quantity::Multiplier));
        columns.push(one("energy", Quantity::Energy));
        columns.extend(named("residual_", compiled.constraints(), Quantity::Residual));
        for sample in 0..self.samples {
            if sample > 0 {
                simulation.advance(self.every).expect("a step");
            }
            let mut row = vec![simulation.steps() as f64, simulation.time()];
            row.extend(simulation.q());
            row.extend(simulation.v());
            row.extend(simulation.multipliers());
            row.push(simulation.energy());
            row.extend(simulation.residual());
            for (column, value) in columns.iter_mut().zip(row) {
                column.values.push(value);
            }
        }
        let parameters = compiled.parameters().iter().cloned().zip(self.parameters.iter().copied()).collect();
        Recording {
            about: About {
                system,
                declaration: String::new(),
                parameters,
                method: self.method.to_owned(),
                h: self.h,
                pose: (self.pose)(coordinates),
                stopped: None,
            },
            columns,
        }
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
                pose,
                stopped: stopped.map(str::to_owned),
            },
            columns: columns.iter().map(column).collect(),
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
