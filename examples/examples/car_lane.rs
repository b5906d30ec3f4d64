//! A car with a trailer changes its lane at least effort, from straight motion to straight motion with the trailer behind it, freely
//! and past an obstacle; prints costs and draws `car_lane.svg` into the directory that is the argument (default `out/`).

#[path = "../../nhi-control/tests/it/systems.rs"]
#[allow(dead_code, reason = "the systems of the tests")]
mod systems;

use nhi_control::{Discrete, Formula, Options, Plan, Problem, Quadratic, Smooth};
use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, assert_digits, save};
use nhi_runtime::prelude::*;
use nhi_runtime::{ReducedOf, Scalar};
use std::error::Error;
use std::f64::consts::TAU;

const STEPS: usize = 50;
const H: f64 = 4.0 / STEPS as f64;
/// Where the obstacle is, and the distance that the rear axle keeps.
const OBSTACLE: [f64; 2] = [1.8, 0.5];
const DISTANCE: f64 = 0.3;

type Motion = Plan<ReducedOf<systems::Car>>;

/// The square of the distance of the rear axle from the obstacle.
struct FromObstacle;

impl Formula<systems::Car> for FromObstacle {
    fn count(&self) -> usize {
        1
    }

    fn value<T: Scalar>(&self, _: usize, x: &ReducedOf<systems::Car, T>, _: &[T; 2], out: &mut [T]) {
        let [x, y] = [0, 1].map(|i| x.q[i] - T::from_f64(OBSTACLE[i]));
        out[0] = x * x + y * y;
    }
}

fn plan(distance: Option<f64>) -> Result<Motion, Box<dyn Error>> {
    let car = Discrete::new(&systems::car(), Dla2, H)?;
    let forward = [1.0, 0.0, 0.0, 0.0, 0.0];
    let mut problem = Problem::new(&car, STEPS, car.state(0, [0.0; 5], forward)?)
        .cost("effort", Quadratic::of_inputs(&[H, H]))
        .reach(car.state(0, [4.0, 1.0, 0.0, 0.0, 0.0], forward)?);
    if let Some(distance) = distance {
        let bounds = (&[distance * distance][..], &[f64::INFINITY][..]);
        problem = problem.within(1..STEPS, ["obstacle"], bounds, Smooth(FromObstacle));
    }
    let plan = problem.solve(&Options::default())?;
    println!("cost {:.6}; {}", plan.cost, plan.status);
    Ok(plan)
}

/// The path of the rear axle with car and trailer at every tenth step.
fn path(name: &str, index: usize, plan: &Motion) -> Vec<Series> {
    let colour = COLOURS[index];
    let car = systems::car();
    let points = plan.states.iter().map(|x| (x.q[0], x.q[1])).collect();
    let mut all = vec![Series { name: name.to_owned(), colour, mark: Mark::Line(1), points }];
    let mut line = |points: Vec<(f64, f64)>, width: u32| {
        all.push(Series { name: String::new(), colour, mark: Mark::Line(width), points });
    };
    for x in plan.states.iter().step_by(10) {
        let [rear_x, rear_y, theta, phi, delta] = x.q;
        let along = |angle: f64, s: f64| (rear_x + s * angle.cos(), rear_y + s * angle.sin());
        let wheel = |(x, y): (f64, f64), angle: f64| {
            let by = (0.08 * angle.cos(), 0.08 * angle.sin());
            vec![(x - by.0, y - by.1), (x + by.0, y + by.1)]
        };
        let (front, axle) = (along(theta, car.l), along(delta, -car.b));
        line(vec![axle, (rear_x, rear_y), front], 1);
        line(wheel(front, theta + phi), 3);
        line(wheel((rear_x, rear_y), theta), 3);
        line(wheel(axle, delta), 3);
    }
    all
}

fn input(name: &str, index: usize, plan: &Motion, input: usize) -> Series {
    let points = plan.inputs.iter().enumerate().flat_map(|(k, u)| {
        let t = k as f64 * H;
        [(t, u[input]), (t + H, u[input])]
    });
    Series { name: name.to_owned(), colour: COLOURS[index], mark: Mark::Line(2), points: points.collect() }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (free, past) = (plan(None)?, plan(Some(DISTANCE))?);
    assert_digits("the cost", free.cost, "0.774141");
    let circle = (0..=60).map(|i| {
        let (sin, cos) = (TAU * f64::from(i) / 60.0).sin_cos();
        (OBSTACLE[0] + DISTANCE * cos, OBSTACLE[1] + DISTANCE * sin)
    });
    let obstacle =
        Series { name: String::new(), colour: COLOURS[6], mark: Mark::Dashed, points: circle.collect() };
    let mut paths = [path("free", 0, &free), path("past an obstacle", 1, &past)].concat();
    paths.push(obstacle);
    let panels = [
        Panel {
            title: "Rear axle of the car".to_owned(),
            labels: ("x", "y"),
            ranges: (-1.0..5.5, -1.0..3.0),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperLeft,
            series: paths,
        },
        Panel {
            title: "Inputs".to_owned(),
            labels: ("time", "force, torque"),
            ranges: (0.0..4.0, -4.0..10.0),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperRight,
            series: vec![
                input("drive", 0, &free, 0),
                input("steer", 2, &free, 1),
                input("drive, obstacle", 1, &past, 0),
                input("steer, obstacle", 4, &past, 1),
            ],
        },
    ];
    println!("{}", save("car_lane.svg", &panels, 2, (560, 380))?.display());
    Ok(())
}
