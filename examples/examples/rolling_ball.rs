//! Balls that roll on a turntable (Ferraro, Jiménez & Martín de Diego, *New developments on the
//! Geometric Nonholonomic Integrator*, section 7.4).
//!
//! With the start at a node the reduced RATTLE method is of second order in position, angular velocity and
//! energy, for the homogeneous ball and for the other. The first order that the paper reports comes from
//! its start alone: it gives the initial angular velocity to the first *step*, whose own time is h/2, with
//! the displacement that the rolling conditions between two points ask for. In the energy of the
//! inhomogeneous ball, where the paper reports second order, this first order shows only as h becomes
//! small.
//!
//! The orbit of the homogeneous ball is a circle. So it is for the method, over 10 000 steps of h = 0.1:
//! the moving energy E − Ω(m(x ẏ − y ẋ) + I₃ω₃) oscillates without drift.

use nhi_examples::{
    COLOURS, Mark, Panel, Series, SeriesLabelPosition, assert_digits, convergence, order, save,
};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Method, State, System};

/// Ball with its centre above (x, y) on a table that turns with angular velocity `Om`, as in the paper:
/// the rolling conditions hold for the components of ω in the body. With equal moments of inertia these
/// may be read as those in space.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[expect(non_snake_case, reason = "I1, I2, I3 are moments of inertia, Om is an angular velocity")]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (I1*w1^2 + I2*w2^2 + I3*w3^2)/2,
    constraints(
        rolling_x: dot(x) - r*w2 + Om*y = 0,
        rolling_y: dot(y) + r*w1 - Om*x = 0,
    ),
    methods(Rdp, Rattle, Rkmk4),
)]
pub struct Ball {
    /// Mass.
    pub m: f64,
    /// First moment of inertia.
    pub I1: f64,
    /// Second moment of inertia.
    pub I2: f64,
    /// Third moment of inertia.
    pub I3: f64,
    /// Radius.
    pub r: f64,
    /// Angular velocity of the table.
    pub Om: f64,
}

/// x, y and the rows of the attitude.
type Configuration = [f64; 11];
/// dx/dt, dy/dt, ω.
type Velocity = [f64; 5];
/// Configuration and velocity.
type Node = (Configuration, Velocity);
type AnyError = Box<dyn std::error::Error>;

/// A ball with its initial position and angular velocity.
#[derive(Clone, Copy)]
struct Problem {
    name: &'static str,
    ball: Ball,
    position: [f64; 2],
    omega: [f64; 3],
    /// When the errors are measured.
    end: f64,
}

const HOMOGENEOUS: Problem = Problem {
    name: "homogeneous",
    ball: Ball { m: 1.0, I1: 2.0 / 3.0, I2: 2.0 / 3.0, I3: 2.0 / 3.0, r: 1.0, Om: 1.0 },
    position: [1.0, 1.0],
    omega: [0.0, 2.0, 0.0],
    end: 10.0,
};

const INHOMOGENEOUS: Problem = Problem {
    name: "inhomogeneous",
    ball: Ball { m: 3.0, I1: 1.0, I2: 1.1, I3: 1.2, r: 1.0, Om: 0.2 },
    position: [1.0, 0.0],
    omega: [-0.2, 0.0, 0.4],
    end: 15.0,
};

/// Centre and radius of the circle on which the homogeneous ball rolls.
const CENTRE: (f64, f64) = (-1.5, 3.5);
const RADIUS: &str = "3.535534";

impl Ball {
    fn energy(&self, v: &Velocity) -> f64 {
        let rotation = self.I1 * v[2] * v[2] + self.I2 * v[3] * v[3] + self.I3 * v[4] * v[4];
        0.5 * (self.m * (v[0] * v[0] + v[1] * v[1]) + rotation)
    }

    fn moving_energy(&self, q: &Configuration, v: &Velocity) -> f64 {
        self.energy(v) - self.Om * (self.m * (q[0] * v[1] - q[1] * v[0]) + self.I3 * v[4])
    }
}

impl Problem {
    fn q0(&self) -> Configuration {
        let [x, y] = self.position;
        [x, y, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    }

    /// Rolls without slip.
    fn v0(&self) -> Velocity {
        let (Ball { r, Om: rate, .. }, [x, y], [w1, w2, w3]) = (self.ball, self.position, self.omega);
        [r * w2 - rate * y, -r * w1 + rate * x, w1, w2, w3]
    }

    /// The velocity of the first step with the paper's start: the initial angular velocity, and the
    /// displacement hu that the rolling conditions, at the mean of its ends, then ask for.
    fn two_point_velocity(&self, h: f64) -> Velocity {
        let ([dx, dy, w1, w2, w3], s) = (self.v0(), 0.5 * h * self.ball.Om);
        [(dx - s * dy) / (1.0 + s * s), (dy + s * dx) / (1.0 + s * s), w1, w2, w3]
    }

    /// The nodes of `steps` steps.
    fn run<M: Method<Ball>>(&self, method: M, steps: usize) -> Result<Vec<Node>, Error> {
        let h = self.end / steps as f64;
        let mut simulation = Simulation::new(self.ball, method, self.q0(), self.v0(), h)?;
        let nodes = simulation.samples(1).take(steps + 1);
        nodes.map(|sample| sample.map(|sample| (sample.q.into(), sample.v))).collect()
    }

    /// The same by RATTLE with the paper's start, which is not on the constraint manifold at the node.
    fn run_two_point(&self, steps: usize) -> Result<Vec<Node>, Failure> {
        let (h, parameters) = (self.end / steps as f64, self.ball.parameters());
        let method = Rattle::stepped().with(Cayley);
        let prepared = Method::<Ball>::prepare(&method, &parameters, h)?;
        let (q, v) = (self.q0().into(), self.two_point_velocity(h));
        let mut state = Method::<Ball>::start(&method, &parameters, h, &q, &v, &[], 0.0, &[])?;
        let mut nodes = vec![(self.q0(), self.v0())];
        for k in 0..steps {
            state = Method::<Ball>::step(&method, &prepared, &state, k as f64 * h, &[])?;
            nodes.push((state.q.into(), State::<Ball, f64>::v(&state)));
        }
        Ok(nodes)
    }

    /// The exact nodes of `steps` steps: the circle of the homogeneous ball, otherwise a Runge–Kutta method
    /// of order 4, whose error is that of rounding with the steps asked for here.
    fn exact(&self, steps: usize) -> Result<Vec<Node>, Error> {
        if self.ball.I1 != self.ball.I2 {
            return self.run(Rkmk4, steps);
        }
        Ok((0..=steps).map(|k| self.circle(self.end * k as f64 / steps as f64)).collect())
    }

    /// ζ(t) = ζ₀ + ζ̇₀ (exp(iκt) − 1)/(iκ) with ζ = x + iy, κ = ΩI/(I + mr²), and ω₃ is constant.
    fn circle(&self, t: f64) -> Node {
        let (mut q, [dx, dy, _, _, w3]) = (self.q0(), self.v0());
        let Ball { m, I1: inertia, r, Om: table, .. } = self.ball;
        let rate = table * inertia / (inertia + m * r * r);
        let (sin, cos) = (rate * t).sin_cos();
        q[0] += (sin * dx - (1.0 - cos) * dy) / rate;
        q[1] += ((1.0 - cos) * dx + sin * dy) / rate;
        let (dx, dy) = (cos * dx - sin * dy, sin * dx + cos * dy);
        (q, [dx, dy, (table * q[0] - dy) / r, (dx + table * q[1]) / r, w3])
    }

    /// The largest errors of the entries of position and angular velocity, and of the energy, on the way.
    fn errors(&self, exact: &[Node], nodes: &[Node]) -> [f64; 3] {
        let stride = (exact.len() - 1) / (nodes.len() - 1);
        let mut errors = [0.0f64; 3];
        for ((q, v), (exact_q, exact_v)) in nodes.iter().zip(exact.iter().step_by(stride)) {
            let distance =
                |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let energy = self.ball.energy(v) - self.ball.energy(exact_v);
            let found = [distance(&q[..2], &exact_q[..2]), distance(&v[2..], &exact_v[2..]), energy.abs()];
            errors = std::array::from_fn(|i| errors[i].max(found[i]));
        }
        errors
    }
}

/// Errors of one method for a ladder of step sizes.
struct Ladder {
    name: &'static str,
    errors: Vec<(f64, [f64; 3])>,
}

impl Ladder {
    fn of(&self, what: usize) -> Vec<(f64, f64)> {
        self.errors.iter().map(|(h, errors)| (*h, errors[what])).collect()
    }
}

const QUANTITIES: [&str; 3] = ["position", "angular velocity", "energy"];

/// RATTLE from both starts and RDP, with `coarsest` steps and `halvings` halvings of these.
fn ladders(problem: &Problem, coarsest: usize, halvings: usize) -> Result<Vec<Ladder>, AnyError> {
    let exact = problem.exact(coarsest << halvings)?;
    let ladder = |name, run: &dyn Fn(usize) -> Result<Vec<Node>, AnyError>| {
        let steps = (0..=halvings).map(|k| coarsest << k);
        let errors = steps.map(|n| Ok((problem.end / n as f64, problem.errors(&exact, &run(n)?))));
        Ok::<_, AnyError>(Ladder { name, errors: errors.collect::<Result<_, AnyError>>()? })
    };
    let plain = Rattle::plain();
    Ok(vec![
        ladder("cay, paper's start", &|n| Ok(problem.run_two_point(n)?))?,
        ladder("cay, node start", &|n| Ok(problem.run(plain.with(Cayley), n)?))?,
        ladder("exp, node start", &|n| Ok(problem.run(plain, n)?))?,
        ladder("rdp exp", &|n| Ok(problem.run(Rdp, n)?))?,
    ])
}

/// Prints the errors with the coarsest steps and the orders that the finest show, and asserts the latter.
fn check(problem: &Problem, ladders: &[Ladder]) {
    println!(
        "{} ball, to t = {}: largest error at h = {}, order",
        problem.name, problem.end, ladders[0].errors[0].0
    );
    for ladder in ladders {
        let found: [f64; 3] = std::array::from_fn(|what| order(&ladder.of(what)));
        let columns: Vec<String> = (0..3)
            .map(|i| format!("{} {:.2e} {:.2}", QUANTITIES[i], ladder.errors[0].1[i], found[i]))
            .collect();
        println!("  {:<18} {}", ladder.name, columns.join(", "));
        let expected = if ladder.name.contains("paper") { 1.0 } else { 2.0 };
        for (name, found) in QUANTITIES.into_iter().zip(found) {
            let of = format!("{} ball, {}, {name}", problem.name, ladder.name);
            assert!((found - expected).abs() < 0.1, "{of}: order {expected} expected, {found} found");
        }
    }
}

/// The errors with h = 0.1 as an independent implementation found them.
fn check_errors(ladders: &[Ladder]) {
    let (h, found) = ladders[1].errors[0];
    assert_eq!(h, 0.1);
    for ((name, value), printed) in QUANTITIES.into_iter().zip(found).zip(["0.0053", "0.0032", "0.0077"]) {
        assert_digits(&format!("error of {name} at h = 0.1"), value, printed);
    }
}

/// The circle of 10 000 steps of h = 0.1: the points, and the moving energy over the time.
struct Orbit {
    points: Vec<(f64, f64)>,
    moving_energy: Vec<(f64, f64)>,
}

fn orbit() -> Result<Orbit, Error> {
    let Problem { ball, .. } = HOMOGENEOUS;
    let mut simulation =
        Simulation::new(ball, Rattle::plain().with(Cayley), HOMOGENEOUS.q0(), HOMOGENEOUS.v0(), 0.1)?;
    let mut orbit = Orbit { points: Vec::new(), moving_energy: Vec::new() };
    for sample in simulation.samples(1).take(10_001) {
        let sample = sample?;
        orbit.points.push((sample.q[0], sample.q[1]));
        orbit.moving_energy.push((sample.t, ball.moving_energy(&sample.q.into(), &sample.v)));
    }
    Ok(orbit)
}

fn check_orbit(orbit: &Orbit) {
    let radii = orbit.points.iter().map(|(x, y)| (x - CENTRE.0).hypot(y - CENTRE.1));
    let (least, greatest) = radii.fold((f64::INFINITY, 0.0f64), |(a, b), r| (a.min(r), b.max(r)));
    println!("orbit of 10000 steps, h = 0.1: radius in [{least:.6}, {greatest:.6}], exact {RADIUS}");
    assert_digits("least radius", least, RADIUS);
    assert_digits("greatest radius", greatest, "3.538366");
    let values: Vec<f64> = orbit.moving_energy.iter().map(|(_, e)| *e).collect();
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &e| (a.min(e), b.max(e)));
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let shift = mean(&values[5000..]) - mean(&values[..5000]);
    println!(
        "  moving energy: spread {:.1e}, mean of the second half − of the first {shift:.0e}",
        high - low
    );
    assert!((3.5e-3..4.5e-3).contains(&(high - low)), "spread of 4e-3 expected, {} found", high - low);
    assert!(shift.abs() < 1e-4, "moving energy without drift expected, the mean moves by {shift}");
}

fn panels(problems: &[(Problem, Vec<Ladder>)], orbit: Orbit) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (row, (problem, ladders)) in problems.iter().enumerate() {
        for (what, name) in QUANTITIES.into_iter().enumerate() {
            let series = ladders.iter().zip([COLOURS[1], COLOURS[0], COLOURS[4], COLOURS[2]]);
            let series = series.map(|(ladder, colour)| Series {
                // One legend for the row.
                name: if what == 0 { ladder.name.to_owned() } else { String::new() },
                colour,
                mark: Mark::Knots(3),
                points: ladder.of(what),
            });
            let title = format!("{} ball, {name}", problem.name);
            panels.push(convergence(&title, "error", &[1, 2], series.collect()));
        }
        panels.push(if row == 0 {
            let points = Series {
                name: String::new(),
                colour: COLOURS[0],
                mark: Mark::Dots(1),
                points: orbit.points.clone(),
            };
            let centre = Series {
                name: "centre of the table".to_owned(),
                colour: COLOURS[1],
                mark: Mark::Dots(4),
                points: vec![(0.0, 0.0)],
            };
            Panel {
                title: "homogeneous ball, 10000 steps of h = 0.1".to_owned(),
                labels: ("x", "y"),
                ranges: (-6.5..3.5, -1.0..8.0),
                logarithmic: (false, false),
                legend: SeriesLabelPosition::UpperRight,
                series: vec![points, centre],
            }
        } else {
            let start = orbit.moving_energy[0].1;
            let change = orbit.moving_energy.iter().map(|&(t, e)| (t, 1e3 * (e - start)));
            Panel {
                title: "moving energy of this orbit".to_owned(),
                labels: ("t", "change · 10³"),
                ranges: (0.0..1000.0, -6.0..6.0),
                logarithmic: (false, false),
                legend: SeriesLabelPosition::UpperLeft,
                series: vec![Series {
                    name: String::new(),
                    colour: COLOURS[0],
                    mark: Mark::Line(1),
                    points: change.collect(),
                }],
            }
        });
    }
    panels
}

fn main() -> Result<(), AnyError> {
    let mut problems = Vec::new();
    for (row, (problem, halvings)) in [(HOMOGENEOUS, 7), (INHOMOGENEOUS, 10)].into_iter().enumerate() {
        let ladders = ladders(&problem, 100, halvings)?;
        check(&problem, &ladders);
        if row == 0 {
            check_errors(&ladders);
        }
        problems.push((problem, ladders));
    }
    let orbit = orbit()?;
    check_orbit(&orbit);
    println!("figure: {}", save("rolling_ball.svg", &panels(&problems, orbit), 4, (440, 400))?.display());
    Ok(())
}

#[test]
fn orders_are_those_of_the_starts() {
    let homogeneous = ladders(&HOMOGENEOUS, 100, 5).unwrap();
    check(&HOMOGENEOUS, &homogeneous);
    check_errors(&homogeneous);
    check(&INHOMOGENEOUS, &ladders(&INHOMOGENEOUS, 100, 7).unwrap());
}

#[test]
fn the_orbit_stays_a_circle() {
    check_orbit(&orbit().unwrap());
}
