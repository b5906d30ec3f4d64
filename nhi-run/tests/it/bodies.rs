//! Bodies in pictures: their places, and mistakes in them.

use super::support;
use nhi_run::{Bodies, Body, Inputs, Recording, Run, Shape, System};
use std::ops::ControlFlow;

/// A sleigh that pulls a sled on a rod of the length l.
const DECLARATION: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, th[2]),
        let(back_x = x - l*cos(th[1]), back_y = y - l*sin(th[1])),
        inputs(u),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(back_x)^2 + dot(back_y)^2) + j/2*(dot(th[0])^2 + dot(th[1])^2),
        constraints(front: sin(th[0])*dx - cos(th[0])*dy, back: sin(th[1])*d(back_x) - cos(th[1])*d(back_y)),
        force = u*dth[0],
        bodies(front: pose(x, y, th[0]), back: pose(back_x, back_y, th[1])),
    )]
    struct Train { m: f64, j: f64, l: f64 }
";

fn system(outputs: &[(&str, Option<&str>)]) -> System {
    System::with_outputs(DECLARATION, "train.rs", None, outputs).expect("no mistakes")
}

fn body(name: &str, shape: Shape, place: [&str; 3]) -> Body {
    Body { name: name.to_owned(), shape, place: place.map(str::to_owned), size: None }
}

fn record(system: &System) -> Recording {
    let start: [&[f64]; 3] = [&[1.0, 0.2, 0.7], &[0.1, -0.2, 0.3, 0.5], &[1.0, 0.3, 0.4, 0.0]];
    let run = Run {
        inputs: Inputs::PerStep((0..40).map(|k| vec![f64::from(k)]).collect()),
        every: 4,
        project: true,
        ..support::run(system.clone(), "dla2", start, (0.01, 40))
    };
    run.record(&mut |_| ControlFlow::Continue(())).expect("an admissible start")
}

#[test]
fn places_are_those_of_the_samples() {
    let system = system(&[("twice", Some("2*x"))]);
    let own = [
        body("ball", Shape::Ball, ["twice", "l*dot(y)", "u + t"]),
        Body { size: Some(0.5), ..body("front", Shape::Pose, ["back_x + l*cos(th[1])", "y", "th[0]"]) },
    ];
    let bodies = Bodies::of(&system, &own).expect("no mistakes");
    let mut recording = record(&system);
    bodies.place(&mut recording);
    let column = |name: &str| &recording.column(name).expect(name).values;
    // Those of the declaration first; one of the same name replaces one of them.
    let names: Vec<_> = recording.bodies.iter().map(|body| (body.name.as_str(), body.size)).collect();
    assert_eq!(names, [("front", Some(0.5)), ("back", None), ("ball", None)]);
    let [front, back, ball] = &recording.bodies[..] else { panic!("{:?}", recording.bodies) };
    for k in 0..recording.samples() {
        let (x, angle) = (column("x")[k], column("th[1]")[k]);
        assert!((front.place[0].values[k] - x).abs() < 1e-14);
        assert_eq!(back.place[0].values[k], x - 0.7 * angle.cos());
        assert_eq!(back.place[2].values[k], angle);
        let expected = [2.0 * x, 0.7 * column("dot_y")[k], column("u")[k] + column("t")[k]];
        assert_eq!(ball.place.each_ref().map(|place| place.values[k]), expected);
    }
}

#[test]
fn mistakes_stand_in_the_text_of_the_body() {
    let system = system(&[]);
    let refused = |bodies: &[Body]| Bodies::of(&system, bodies).expect_err("a mistake").render(false);
    let pose = |name: &str, place: [&str; 3]| body(name, Shape::Pose, place);
    let unknown = refused(&[pose("a", ["x", "bak_y + 1", "0"])]);
    assert!(unknown.contains("unknown name `bak_y`") && unknown.contains("the body `a`:1:4"), "{unknown}");
    assert!(unknown.contains("did you mean `back_y`?") && !unknown.contains("text_"), "{unknown}");
    let several = refused(&[pose("a", ["x", "y", "[x, y, 0]"])]);
    assert!(several.contains("expected one number, found several"), "{several}");
    assert!(several.contains("the body `a`:1:7") && several.contains("^^^^^^^^^"), "{several}");
    let open = refused(&[pose("a", ["x", "y", "th[0"])]);
    assert!(open.contains("this `[` is not closed") && open.contains("the body `a`:1:9"), "{open}");
    let twice = refused(&[pose("a", ["x", "y", "0"]), pose("a", ["y", "x", "0"])]);
    assert!(twice.contains("the body `a` is given twice"), "{twice}");
    assert!(refused(&[pose("1a", ["x", "y", "0"])]).contains("the body `1a` has no name"));
    let flat = Body { size: Some(0.0), ..pose("a", ["x", "y", "0"]) };
    assert!(refused(&[flat]).contains("the size of the body `a` must be positive, found 0"));
}
