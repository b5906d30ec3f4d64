use super::axis::ticks;
use super::decimate::kept;
use super::{Panels, Scene, Series, base64, number};
use crate::bodies::Shape;
use crate::limits::{Areas, Limits};
use crate::recording::{About, Column, Pose, Quantity, RecordedBody, Recording};

/// A recording of these columns after `k` and `t`, all over the same number of samples.
pub(crate) fn recording(columns: &[(&str, Quantity, &[f64])]) -> Recording {
    let samples = columns.first().map_or(0, |(_, _, values)| values.len());
    let count = |factor: f64| (0..samples).map(|k| factor * k as f64).collect();
    let mut all = vec![
        Column { name: "k".to_owned(), quantity: Quantity::Step, values: count(1.0) },
        Column { name: "t".to_owned(), quantity: Quantity::Time, values: count(0.5) },
    ];
    all.extend(columns.iter().map(|(name, quantity, values)| Column {
        name: (*name).to_owned(),
        quantity: *quantity,
        values: values.to_vec(),
    }));
    let about = About {
        system: "System".to_owned(),
        declaration: String::new(),
        parameters: vec![("m".to_owned(), 2.0)],
        method: "dla2".to_owned(),
        h: 0.5,
        adaptive: None,
        conservative: true,
        pose: None,
        stopped: None,
        events: Vec::new(),
        warnings: Vec::new(),
    };
    Recording { about, columns: all, bodies: Vec::new(), limits: Limits::default() }
}

fn coordinates(names: &[&str]) -> Recording {
    let columns: Vec<(&str, Quantity, &[f64])> =
        names.iter().map(|name| (*name, Quantity::Coordinate, &[0.0, 1.0][..])).collect();
    recording(&columns)
}

fn names(panels: &Panels, series: &Series) -> Vec<String> {
    series.columns.iter().map(|&column| panels.columns[column].name.clone()).collect()
}

#[test]
fn numbers_have_six_significant_digits() {
    let written = [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (9.81, "9.81"),
        (-0.5, "−0.5"),
        (1.0 / 3.0, "0.333333"),
        (123_456.7, "123457"),
        (999_999.7, "1·10⁶"),
        (2.5e7, "2.5·10⁷"),
        (1e-4, "0.0001"),
        (-1.25e-7, "−1.25·10⁻⁷"),
        (1e-300, "1·10⁻³⁰⁰"),
        (f64::NAN, "not a number"),
        (f64::INFINITY, "∞"),
        (f64::NEG_INFINITY, "−∞"),
    ];
    for (x, text) in written {
        assert_eq!(number(x), text, "{x:e}");
    }
}

#[test]
fn ticks_are_round_numbers_in_the_range() {
    let labels = |low: f64, high: f64| {
        let ticks = ticks(low, high, high - low);
        let labels: Vec<String> = ticks.ticks.iter().map(|tick| tick.label.clone()).collect();
        (labels.join(" "), ticks.unit)
    };
    let plain = |text: &str| (text.to_owned(), String::new());
    assert_eq!(labels(0.0, 20.0), plain("0 5 10 15 20"));
    assert_eq!(labels(-1.06, 1.06), plain("−1.0 −0.5 0 0.5 1.0"));
    assert_eq!(labels(0.3, 0.32), plain("0.300 0.305 0.310 0.315 0.320"));
    assert_eq!(labels(-3e-16, 3e-16), ("−3 −2 −1 0 1 2 3".to_owned(), "×10⁻¹⁶".to_owned()));
    assert_eq!(labels(0.0, 2.5e6), ("0 0.5 1.0 1.5 2.0 2.5".to_owned(), "×10⁶".to_owned()));
    // Ranges of any size have some ticks, and all of them are inside.
    for exponent in (-270..270).step_by(9) {
        for low in [-1.0, 0.0, 0.7, 3.0] {
            let size = 10f64.powi(exponent);
            let (low, high) = (low * size, (low + 1.3) * size);
            let ticks = ticks(low, high, high - low).ticks;
            assert!((3..=10).contains(&ticks.len()), "{low:e} {high:e}: {} ticks", ticks.len());
            let rounding = 1e-6 * size;
            assert!(ticks.iter().all(|tick| tick.at >= low - rounding && tick.at <= high + rounding));
        }
    }
}

#[test]
fn axes_of_constants_and_of_no_values_have_a_length() {
    for values in
        [&[][..], &[0.0], &[1e6; 3], &[-1e-30; 2], &[f64::NAN; 4], &[f64::INFINITY], &[1e-310], &[1e300]]
    {
        let axis = super::Axis::of([values]);
        assert!(axis.low < axis.high && (axis.high - axis.low).is_finite(), "{values:?}");
        assert!(axis.ticks.ticks.len() > 1, "{values:?}");
        for value in values.iter().filter(|value| value.abs() < 1e200) {
            assert!(axis.low < *value && *value < axis.high, "{values:?}");
        }
    }
}

#[test]
fn decimation_keeps_extremes_ends_and_an_even_spacing() {
    let samples = 100_000;
    let slow: Vec<f64> = (0..samples).map(|k| (1e-4 * k as f64).sin()).collect();
    // Single peaks, which an even spacing misses.
    let mut peaks = vec![0.0; samples];
    (peaks[33_333], peaks[77_777], peaks[50_001]) = (5.0, -7.0, f64::NAN);
    let chosen = kept(&[&slow, &peaks], 2000);
    assert!(chosen.len() <= 2100, "{}", chosen.len());
    assert!(chosen.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] <= 100));
    assert_eq!((chosen[0], chosen[chosen.len() - 1]), (0, samples - 1));
    assert!(chosen.contains(&33_333) && chosen.contains(&77_777));
    let largest = (0..samples).max_by(|&a, &b| slow[a].total_cmp(&slow[b])).expect("samples");
    assert!(chosen.contains(&largest));
    // Nothing is left out of a short recording.
    assert_eq!(kept(&[&slow[..7]], 7), (0..7).collect::<Vec<usize>>());
    assert_eq!(kept(&[], 7), Vec::<usize>::new());
}

#[test]
fn decimated_recordings_say_so() {
    let values: Vec<f64> = (0..5000).map(f64::from).collect();
    let recording = recording(&[("x", Quantity::Coordinate, &values)]);
    let panels = Panels::of(&recording, 1000);
    assert!(
        panels.samples < 1100 && panels.columns.iter().all(|column| column.values.len() == panels.samples)
    );
    let note = format!("{} of them shown", panels.samples);
    assert!(panels.facts.iter().any(|fact| fact.starts_with(&note)), "{:?}", panels.facts);
    assert_eq!(Panels::of(&recording, 5000).facts, ["method dla2", "step h = 0.5", "5000 samples"]);
}

#[test]
fn energy_is_shown_by_its_error() {
    let error = |energy: &[f64]| {
        let panels = Panels::of(&recording(&[("energy", Quantity::Energy, energy)]), 10);
        let series =
            panels.series.iter().find(|series| series.title == "Error of the energy").expect("a panel");
        let column = &panels.columns[series.columns[0]];
        (column.name.clone(), column.values.clone())
    };
    assert_eq!(error(&[2.0, 2.5, 1.5]), ("E/E₀ − 1".to_owned(), vec![0.0, 0.25, -0.25]));
    assert_eq!(error(&[-2.0, -2.5]), ("E/E₀ − 1".to_owned(), vec![0.0, 0.25]));
    // A relative error of an energy that vanishes says nothing.
    assert_eq!(error(&[0.0, 1e-9]), ("E − E₀".to_owned(), vec![0.0, 1e-9]));
    // The change of an energy that is not conserved is no error.
    let mut driven = recording(&[("energy", Quantity::Energy, &[2.0, 2.5])]);
    driven.about.conservative = false;
    let panels = Panels::of(&driven, 10);
    assert_eq!(panels.series[0].title, "Energy, which forces, drives or time may change");
    assert_eq!(panels.columns[panels.series[0].columns[0]].values, [2.0, 2.5]);
    assert_eq!(error(&[1e-18, -1.0]), ("E − E₀".to_owned(), vec![0.0, -1.0]));
    assert_eq!(error(&[0.0, 0.0]), ("E − E₀".to_owned(), vec![0.0, 0.0]));
}

#[test]
fn a_panel_has_as_many_curves_as_there_are_colours() {
    let many: Vec<String> = (0..60).map(|i| format!("q{i}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let panels = Panels::of(&coordinates(&many), 10);
    let shown: Vec<String> = panels.series.iter().flat_map(|series| names(&panels, series)).collect();
    assert_eq!(shown, many);
    assert!(panels.series.iter().all(|series| (4..=super::CURVES).contains(&series.columns.len())));
    assert_eq!(panels.series[0].title, "Coordinates (1 of 9)");
    // One panel needs no number.
    assert_eq!(Panels::of(&coordinates(&many[..7]), 10).series[0].title, "Coordinates");
}

#[test]
fn quantities_have_panels_of_their_own() {
    let all = [
        Quantity::Coordinate,
        Quantity::Velocity,
        Quantity::State,
        Quantity::Input,
        Quantity::Momentum,
        Quantity::MomentumBefore,
        Quantity::MomentumAfter,
        Quantity::Multiplier,
        Quantity::Reaction,
        Quantity::Energy,
        Quantity::Residual,
        Quantity::PositionResidual,
        Quantity::Output,
    ];
    let columns = all.map(|quantity| ("name", quantity, &[1.0, 2.0][..]));
    let panels = Panels::of(&recording(&columns), 10);
    assert_eq!(panels.series.len(), all.len());
    let titles: std::collections::BTreeSet<&str> =
        panels.series.iter().map(|series| series.title.as_str()).collect();
    assert_eq!(titles.len(), all.len());
}

#[test]
fn planar_poses_and_positions_share_a_picture() {
    let mut posed = coordinates(&["theta", "x", "y", "x1", "y1", "xi", "y_rest"]);
    posed.about.pose = Some(Pose::Planar(["x", "y", "theta"].map(str::to_owned)));
    let panels = Panels::of(&posed, 10);
    let [Scene::Plane { bodies, view, .. }] = &panels.scenes[..] else { panic!("{:?}", panels.scenes) };
    // The first two columns are k and t.
    let found: Vec<_> = bodies.iter().map(|body| (body.position, body.heading)).collect();
    assert_eq!(found, [([3, 4], Some(2)), ([5, 6], None)]);
    assert_eq!(view.ranges, [(0.0, 1.0); 2]);
    assert!(matches!(
        &Panels::of(&coordinates(&["x[0]", "y[0]", "z[0]"]), 10).scenes[..],
        [Scene::Space { .. }]
    ));
    assert!(Panels::of(&coordinates(&["x", "z", "phi"]), 10).scenes.is_empty());
    // Points of the user's choice are outputs.
    let output = Quantity::Output;
    let point = recording(&[("x1", output, &[0.0, 1.0]), ("y1", output, &[0.0, 1.0])]);
    assert!(matches!(&Panels::of(&point, 10).scenes[..], [Scene::Plane { .. }]));
}

/// Bounds that are so far from a curve that it would be flat are left out.
#[test]
fn bounds_near_curves_are_shown() {
    let wave = [0.0, 1.0];
    let mut bounded = recording(&[("x", Quantity::Coordinate, &wave), ("y", Quantity::Coordinate, &wave)]);
    let square = vec![vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]];
    bounded.limits = Limits {
        columns: vec![
            ("x".to_owned(), [-0.5, 50.0]),
            ("y".to_owned(), [f64::NEG_INFINITY, 1.7]),
            ("z".to_owned(), [0.0, 1.0]),
        ],
        areas: Some(Areas { plane: ["x", "y"].map(str::to_owned), outlines: vec![square.clone()] }),
    };
    let panels = Panels::of(&bounded, 10);
    let [series, ..] = &panels.series[..] else { panic!("no series") };
    assert_eq!(series.limits, [(0, -0.5), (1, 1.7)]);
    assert!(series.axis.low < -0.5 && series.axis.high > 1.7 && series.axis.high < 3.0);
    let [Scene::Plane { areas, view, .. }] = &panels.scenes[..] else { panic!("{:?}", panels.scenes) };
    assert_eq!((areas, view.ranges), (&vec![square], [(0.0, 1.0); 2]));
}

/// The phase plane has entries of places of bodies by their names, whether they are columns of their own or not.
#[test]
fn phase_planes_have_places_of_bodies() {
    let mut drawn = coordinates(&["x", "y"]);
    drawn.bodies =
        vec![body("cart", Shape::Pose, [("x", &[0.0, 1.0]), ("2*y", &[0.0, 2.0]), ("0", &[0.0, 0.0])])];
    let panels = Panels::of(&drawn, 10).with_phase(Some(["cart.x", "cart.y"]));
    let [x, y] = panels.phase.expect("a phase plane").map(|column| panels.columns[column].name.as_str());
    assert_eq!([x, y], ["x", "cart.y"]);
}

/// A body of these columns at all samples.
fn body(name: &str, shape: Shape, place: [(&str, &[f64]); 3]) -> RecordedBody {
    let column = |(name, values): (&str, &[f64])| Column {
        name: name.to_owned(),
        quantity: Quantity::Output,
        values: values.to_vec(),
    };
    RecordedBody { name: name.to_owned(), shape, size: None, place: place.map(column) }
}

#[test]
fn bodies_are_named_and_have_room() {
    let mut posed = coordinates(&["theta", "x", "y", "x1", "y1"]);
    posed.about.pose = Some(Pose::Planar(["x", "y", "theta"].map(str::to_owned)));
    let front = body("front", Shape::Pose, [("x", &[0.0, 1.0]), ("y", &[0.0, 1.0]), ("theta", &[0.0, 1.0])]);
    let back = body("back", Shape::Pose, [("x - 3", &[-3.0, -2.0]), ("y", &[0.0, 1.0]), ("0", &[0.0, 0.0])]);
    let ball = body("ball", Shape::Ball, [("x", &[0.0, 1.0]), ("y", &[0.0, 1.0]), ("0", &[0.0, 0.0])]);
    posed.bodies = vec![front, RecordedBody { size: Some(2.0), ..back }, ball];
    let panels = Panels::of(&posed, 10);
    let [Scene::Space { bodies: balls, ball, .. }, Scene::Plane { bodies, view, room, .. }] =
        &panels.scenes[..]
    else {
        panic!("{:?}", panels.scenes)
    };
    let names: Vec<_> = bodies.iter().map(|body| body.name.as_deref()).collect();
    // The pose is that of the front, and the other pair of columns is a path.
    assert_eq!(names, [Some("front"), Some("back"), None]);
    // Columns that are there are not shown twice.
    let shown: Vec<&str> = panels.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(shown[posed.columns.len()..], ["back.x", "back.theta", "ball.z"]);
    assert_eq!((bodies[0].position, bodies[0].heading), ([3, 4], Some(2)));
    assert_eq!((bodies[1].position, bodies[1].heading), ([7, 4], Some(8)));
    assert_eq!(*room, Some(3.0));
    // The back, one to each side.
    assert_eq!(view.ranges, [(-4.0, 1.0), (-1.0, 2.0)]);
    assert_eq!(balls[0].radius, Some(0.06 * ball.size));
    let json = serde_json::to_value(&panels).expect("numbers and names");
    assert_eq!(json["scenes"][1]["bodies"][0]["name"], "front");
}

#[test]
fn rotations_are_shown_by_the_axes_of_the_body() {
    let entries: [String; 9] = std::array::from_fn(|i| format!("R[{}][{}]", i / 3, i % 3));
    let position = ["p[0]", "p[1]", "p[2]"];
    let all: Vec<&str> = entries.iter().map(String::as_str).chain(position).collect();
    let mut recording = coordinates(&all);
    recording.about.pose = Some(Pose::Rotation(entries.clone()));
    let panels = Panels::of(&recording, 10);
    assert!(
        matches!(&panels.scenes[..], [Scene::Sphere { rotation: [2, 3, .., 10], .. }]),
        "{:?}",
        panels.scenes
    );
    let titles: Vec<&str> = panels.series.iter().map(|series| series.title.as_str()).collect();
    let axes = [1, 2, 3].map(|axis| format!("Axis {axis} of the body, in space"));
    assert_eq!(titles[0], "Coordinates");
    assert_eq!(titles[1..], axes);
    assert_eq!(names(&panels, &panels.series[0]), position);
    assert_eq!(names(&panels, &panels.series[2]), ["R[0][1]", "R[1][1]", "R[2][1]"]);

    recording.about.pose = Some(Pose::Rigid(entries, position.map(str::to_owned)));
    let panels = Panels::of(&recording, 10);
    let [Scene::Space { bodies, ball, .. }] = &panels.scenes[..] else { panic!("{:?}", panels.scenes) };
    assert_eq!(bodies[0].position, [11, 12, 13]);
    assert!(bodies[0].rotation.is_some());
    // The box around the positions is in the ball.
    for corner in [[0.0; 3], [1.0; 3], [1.0, 0.0, 1.0]] {
        assert!(ball.place(corner).iter().fold(0.0, |r: f64, x| r.hypot(*x)) < 1.0);
    }

    // A pose of columns that are not there is none.
    recording.about.pose = Some(Pose::Rotation(std::array::from_fn(|i| format!("S{i}"))));
    assert!(Panels::of(&recording, 10).scenes.is_empty());
}

#[test]
fn phase_planes_start_with_a_coordinate_and_its_velocity() {
    let (q, v) = (Quantity::Coordinate, Quantity::Velocity);
    let phase = |columns: &[(&str, Quantity)]| {
        let columns: Vec<(&str, Quantity, &[f64])> =
            columns.iter().map(|(name, quantity)| (*name, *quantity, &[0.0, 1.0][..])).collect();
        let panels = Panels::of(&recording(&columns), 10);
        panels.phase.map(|phase| phase.map(|column| panels.columns[column].name.clone()))
    };
    let named = |names: [&str; 2]| Some(names.map(str::to_owned));
    assert_eq!(phase(&[("a", q), ("b", q), ("dot_b", v)]), named(["b", "dot_b"]));
    // On a group, velocities are not those of coordinates.
    assert_eq!(phase(&[("theta", q), ("omega", v), ("v", v)]), named(["omega", "v"]));
    assert_eq!(phase(&[("a", q), ("b", q)]), named(["a", "b"]));
    assert_eq!(phase(&[("a", q)]), None);
    // Of the user's choice, if the columns are there.
    let values: &[f64] = &[0.0, 1.0];
    let recording = recording(&[("a", q, values), ("b", q, values), ("dot_b", v, values)]);
    let chosen = |names: [&str; 2]| {
        let panels = Panels::of(&recording, 10).with_phase(Some(names));
        panels.phase.map(|phase| phase.map(|column| panels.columns[column].name.clone()))
    };
    assert_eq!(chosen(["dot_b", "a"]), named(["dot_b", "a"]));
    assert_eq!(chosen(["t", "b"]), named(["t", "b"]));
    assert_eq!(chosen(["a", "c"]), named(["b", "dot_b"]));
}

#[test]
fn the_camera_sees_the_third_axis_upwards() {
    let camera = super::Camera { azimuth: 0.0, elevation: 0.0, distance: 4.0 };
    // From the first axis: the second is to the right.
    assert_eq!(camera.project([0.0, 1.0, 0.0]), [1.0, 0.0, 0.0]);
    assert_eq!(camera.project([0.0, 0.0, 1.0]), [0.0, 1.0, 0.0]);
    // What is nearer is larger.
    assert_eq!(camera.project([2.0, 1.0, 0.0]), [2.0, 0.0, 2.0]);
}

#[test]
fn numbers_keep_their_bits_in_a_page() {
    let values = [1.0, -0.0, f64::NAN, f64::NEG_INFINITY, 5e-324];
    let text = base64(&values, serde_json::value::Serializer).expect("text");
    let text = text.as_str().expect("text");
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
    let read: Vec<u64> =
        bytes.chunks(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes"))).collect();
    assert_eq!(read, values.map(f64::to_bits));
}
