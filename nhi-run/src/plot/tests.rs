use super::{COLOURS, Chart, Curve, Field, Matrix, PATHS, Scale, figure, matrix, plot};
use crate::bodies::Shape;
use crate::limits::{Areas, Limits};
use crate::panels::tests::recording;
use crate::recording::{Column, Pose, Quantity, RecordedBody};

#[test]
fn names_are_no_markup() {
    let mut recording = recording(&[("a<b & \"c\"", Quantity::Multiplier, &[0.0, 1.0])]);
    recording.about.system = "</svg><script>".to_owned();
    let svg = plot(&recording, None);
    assert!(svg.contains(">a&lt;b &amp; &quot;c&quot;</text>"));
    assert!(svg.contains("<title>&lt;/svg&gt;&lt;script&gt;</title>"));
    assert_eq!((svg.matches("</svg>").count(), svg.matches("<script").count()), (1, 0));
}

#[test]
fn every_panel_has_a_title_and_its_curves() {
    let wave: Vec<f64> = (0..100).map(|k| (0.1 * f64::from(k)).sin()).collect();
    let mut recording = recording(&[
        ("theta", Quantity::Coordinate, &wave),
        ("x", Quantity::Coordinate, &wave),
        ("y", Quantity::Coordinate, &wave),
        ("dot_x", Quantity::Velocity, &wave),
        ("energy", Quantity::Energy, &wave),
    ]);
    recording.about.pose = Some(Pose::Planar(["x", "y", "theta"].map(str::to_owned)));
    recording.about.stopped = Some("a step failed".to_owned());
    let svg = plot(&recording, None);
    for text in ["System", "Path", "Coordinates", "Velocities", "Error of the energy", "Phase plane", "m = 2"]
    {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    assert!(svg.contains(">The run ended early: a step failed</text>"));
    // In the path, the coordinates, the velocity, the error of the energy, and the phase plane.
    let curves = svg.lines().filter(|line| line.contains("stroke-width=\"1.75\""));
    assert_eq!(curves.count(), 3 + 1 + 1 + 1);
    assert!(svg.contains("stroke=\"#cc79a7\" stroke-width=\"2\""), "the path");
    // A body at each of the instants.
    assert_eq!(svg.matches("fill-opacity=\"0.14\"").count(), super::chart::INSTANTS);
}

#[test]
fn bounds_are_broken_lines_and_areas() {
    let wave = [0.0, 1.0, 0.5];
    let mut recording = recording(&[("x", Quantity::Coordinate, &wave), ("y", Quantity::Coordinate, &wave)]);
    let triangle = vec![vec![[0.2, 0.2], [0.6, 0.2], [0.2, 0.6]]];
    recording.limits = Limits {
        columns: vec![("y".to_owned(), [-0.1, 1.1])],
        areas: Some(Areas { plane: ["x", "y"].map(str::to_owned), outlines: vec![triangle] }),
    };
    let svg = plot(&recording, None);
    let lines: Vec<&str> = svg.lines().filter(|line| line.contains("stroke-dasharray")).collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains(COLOURS[1])), "{lines:?}");
    let areas: Vec<&str> = svg.lines().filter(|line| line.contains("fill-rule=\"evenodd\"")).collect();
    assert!(areas.len() == 1 && areas[0].matches('L').count() == 2, "{areas:?}");
    assert!(svg.contains(">out of bounds</text>"));
}

/// Several bodies have the colours of their paths, and names.
#[test]
fn bodies_have_outlines_and_balls() {
    let (near, far): (&[f64], &[f64]) = (&[0.0, 1.0, 2.0], &[5.0, 6.0, f64::NAN]);
    let mut recording = recording(&[("s", Quantity::Coordinate, near)]);
    let body = |name: &str, shape, x: &[f64], size| RecordedBody {
        name: name.to_owned(),
        shape,
        size,
        place: [x, near, near].map(|values| Column {
            name: "-s".to_owned(),
            quantity: Quantity::Output,
            values: values.to_vec(),
        }),
    };
    recording.bodies = vec![
        body("a<b", Shape::Pose, near, Some(0.5)),
        body("far", Shape::Pose, far, None),
        body("ball", Shape::Ball, far, None),
    ];
    let svg = plot(&recording, None);
    for text in ["a&lt;b", "far", "ball"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    let drawn = |element: &str, colour: &str| {
        let fill = format!("fill=\"{colour}\" fill-opacity=\"0.3\"");
        svg.lines().filter(|line| line.starts_with(element) && line.contains(&fill)).count()
    };
    // Not at the sample where there is no place.
    assert_eq!((drawn("<polygon", PATHS[0]), drawn("<polygon", PATHS[1])), (3, 2));
    assert_eq!(drawn("<circle", PATHS[0]), 2);
    assert!(!svg.contains("NaN"));
}

#[test]
fn values_that_are_not_finite_are_gaps() {
    let values = [0.0, 1.0, f64::NAN, 3.0, f64::INFINITY, 1e300, 4.0, 5.0];
    let svg = plot(&recording(&[("lambda", Quantity::Multiplier, &values)]), None);
    let curve = svg.lines().find(|line| line.matches("h0").count() > 1).expect("a curve with gaps");
    let path = curve.split('"').nth(1).expect("a path");
    assert_eq!((path.matches('M').count(), path.matches('l').count()), (3, 2));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn an_empty_recording_has_a_picture() {
    let svg = plot(&recording(&[]), None);
    assert!(svg.contains(">no samples</text>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn figures_place_their_curves() {
    let curve = |name: &str, points: Vec<(f64, f64)>| Curve {
        name: name.to_owned(),
        colour: COLOURS[0],
        width: 2.0,
        points,
    };
    let chart = |scale, curves| Chart {
        title: "errors".to_owned(),
        x: "t".to_owned(),
        y: "e".to_owned(),
        scale,
        curves,
    };
    let points = |svg: &str| -> Vec<[f64; 2]> {
        let line = svg.lines().find(|line| line.contains("stroke-width=\"2\"")).expect("a curve");
        let path = line.split('"').nth(1).expect("a path").replace("h0", "");
        // All points but the first are relative to the one before.
        let pairs = path.split(['M', 'l']).skip(1);
        let mut at = [0.0; 2];
        let placed = pairs.map(|pair| {
            let by = pair.split_once(',').map(|(x, y)| [x, y].map(|n| n.parse::<f64>().unwrap())).unwrap();
            at = [at[0] + by[0], at[1] + by[1]];
            at
        });
        placed.collect()
    };
    // On a logarithmic axis equal factors are equally far apart, and zero has no place.
    let decades = curve("a<b", vec![(0.0, 0.0), (1.0, 1e-3), (2.0, 1e-2), (4.0, 1e-1)]);
    let svg = figure("of a <test>", &[chart(Scale::Logarithmic, vec![decades.clone()])]);
    assert!(svg.contains("<title>of a &lt;test&gt;</title>") && svg.contains(">a&lt;b</text>"));
    let [a, b, c] = points(&svg)[..] else { panic!("{svg}") };
    assert!((a[1] - b[1] - (b[1] - c[1])).abs() < 0.2 && a[1] > b[1]);
    assert!(svg.contains(">10⁻³</text>") && svg.contains(">10⁻¹</text>") && svg.contains(">0</text>"));
    // A unit is equally long on both axes.
    let square = curve("square", vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
    let svg = figure("", &[chart(Scale::Equal, vec![square])]);
    let [a, b, c] = points(&svg)[..] else { panic!("{svg}") };
    assert!((b[0] - a[0] - (b[1] - c[1])).abs() < 0.2, "{a:?} {b:?} {c:?}");
    // Charts stand side by side.
    let both = [chart(Scale::Fill, vec![decades.clone()]), chart(Scale::DoublyLogarithmic, vec![decades])];
    assert_eq!(figure("", &both).matches(">errors</text>").count(), 2);
}

#[test]
fn a_matrix_has_a_field_for_each_row() {
    let field = |text: &str| Field { colour: "#9ed8c7", text: text.to_owned() };
    let fields = Matrix {
        columns: vec![("one", vec![field("2.00"), field("–")]), ("two", vec![field("~3"), field("4.00")])],
        rows: vec!["dla2", "rk4"],
        legend: vec![("#9ed8c7", "bounded")],
    };
    let svg = matrix("all", &fields);
    for text in ["one", "two", "dla2", "rk4", "2.00", "–", "~3", "4.00", "bounded"] {
        assert_eq!(svg.matches(&format!(">{text}</text>")).count(), 1, "{text}");
    }
    assert_eq!(svg.matches("<polygon").count(), 5);
}
