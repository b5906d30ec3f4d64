//! How RATTLE loses the energy of the sleigh and the snakeboard, and `Dla2` does not.
//!
//! Methods that reflect the momentum at the nodes carry parasitic modes ν ~ (−1)ᵏ along the reaction
//! forces. Where the physical motion contracts with a rate G these modes grow like exp(G t), and feed
//! on the energy. For the sleigh, which ends up gliding straight with blade speed u = √(2E/m),
//! G = m a u / (I + m a²). The start of the method sets the amplitude: O(h) with the projected force,
//! O(h³) with the multiplier of the continuous equations. So halving h delays the loss by ln 2/G
//! and 3 ln 2/G, and no h prevents it. The monitor `parasite()` sees it from the start.

use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, assert_digits, save};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Method, Started, System};
use std::f64::consts::{LN_2, PI};

/// Planar rigid body on a skate blade mounted a distance `a` behind its centre of mass.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[expect(non_snake_case, reason = "I is a moment of inertia")]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = I/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    methods(Dla2, Rattle),
)]
pub struct Sleigh {
    /// Mass.
    pub m: f64,
    /// Moment of inertia.
    pub I: f64,
    /// Distance of the blade behind the centre of mass.
    pub a: f64,
}

/// Board at (x, y) with heading θ, rotor angle ψ and steering angles φ, −φ of the wheel pairs.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[expect(non_snake_case, reason = "I and J are moments of inertia")]
#[nonholonomic(
    coordinates(psi, phi, theta, x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2
               + I*dot(psi)*(dot(psi)/2 + dot(theta)) + J*dot(phi)^2,
    constraints(
        back: -sin(theta + phi)*dx + cos(theta + phi)*dy - l*cos(phi)*dtheta = 0,
        front: -sin(theta - phi)*dx + cos(theta - phi)*dy + l*cos(phi)*dtheta = 0,
    ),
    methods(Dla2, Rattle),
)]
pub struct Snakeboard {
    /// Mass.
    pub m: f64,
    /// Half the length of the board.
    pub l: f64,
    /// Moment of inertia of the rotor.
    pub I: f64,
    /// Moment of inertia of a wheel pair.
    pub J: f64,
}

/// A system with initial data.
struct Problem<S: System> {
    system: S,
    q0: S::Configuration<f64>,
    v0: S::Velocity<f64>,
}

/// Turns with angular velocity 1.2 and blade speed 0.7.
fn sleigh() -> Problem<Sleigh> {
    let sleigh = Sleigh { m: 1.0, I: 0.5, a: 0.2 };
    let (theta, omega, u) = (0.3f64, 1.2, 0.7);
    let (sin, cos) = theta.sin_cos();
    let v0 = [omega, u * cos - sleigh.a * omega * sin, u * sin + sleigh.a * omega * cos];
    Problem { system: sleigh, q0: [theta, 0.0, 0.0], v0 }
}

/// Glides with steered wheels and a spinning rotor.
fn snakeboard() -> Problem<Snakeboard> {
    let board = Snakeboard { m: 1.0, l: 1.0, I: 0.4, J: 2.0 };
    let (phi, dpsi, dphi, p) = (PI / 3.0, 2.5, -0.02, -1.0);
    // The velocity along the constraints at which the nonholonomic momentum is p.
    let s = (p - board.I * (2.0 * phi).sin() * dpsi) / (4.0 * board.m * board.l.powi(2) * phi.cos().powi(2));
    let v0 = [dpsi, dphi, s * (2.0 * phi).sin(), -2.0 * board.l * s * phi.cos().powi(2), 0.0];
    Problem { system: board, q0: [PI / 2.0, phi, 0.0, 0.0, 0.0], v0 }
}

impl<S: System + Copy> Problem<S> {
    fn start<M: Method<S>>(&self, method: M, h: f64) -> Result<Simulation<S, M>, Error> {
        Simulation::new(self.system, method, self.q0, self.v0, h)
    }
}

/// The time at which a tenth of the energy is lost or gained.
fn failure_time<S: System + Copy>(
    problem: &Problem<S>,
    method: impl Method<S>,
    h: f64,
) -> Result<f64, Error> {
    let mut simulation = problem.start(method, h)?;
    let energy = simulation.energy();
    while (simulation.energy() / energy - 1.0).abs() < 0.1 {
        simulation.step()?;
    }
    Ok(simulation.time())
}

/// Failure times of the sleigh for h = 0.05, 0.025, …, and what the theory says that a halving adds.
fn check_sleigh(halvings: i32) -> Result<(), Error> {
    let problem = sleigh();
    let Sleigh { m, I: inertia, a } = problem.system;
    let energy = problem.start(Dla2, 0.05)?.energy();
    let rate = m * a * (2.0 * energy / m).sqrt() / (inertia + m * a * a);
    let times = |method: Started<Rattle>| -> Result<Vec<f64>, Error> {
        (0..=halvings).map(|k| failure_time(&problem, method, 0.05 * 0.5f64.powi(k))).collect()
    };
    for (start, method, power, first) in
        [("projected", Rattle::projected(), 1.0, "7.45"), ("consistent", Rattle::consistent(), 3.0, "26.30")]
    {
        let times = times(method)?;
        let growth = (times[times.len() - 1] - times[0]) / f64::from(halvings);
        let expected = power * LN_2 / rate;
        println!("sleigh, rattle, {start} start: a tenth of the energy is gone at t = {times:.2?},");
        println!("  {growth:.3} later for every halving of h; theory: {expected:.3}");
        assert_digits("failure time at h = 0.05", times[0], first);
        for pair in times.windows(2) {
            let later = pair[1] - pair[0];
            // A failure time is known to a step or two.
            assert!(
                (later - expected).abs() < 0.05,
                "{start} start: {expected} later expected, {later} found"
            );
        }
    }
    Ok(())
}

/// Energies E(t)/E(0) of `method` and, if it has one, its monitor η, each with the time.
struct Run {
    name: &'static str,
    energy: Vec<(f64, f64)>,
    parasite: Vec<(f64, f64)>,
}

fn run<S: System + Copy, M: Method<S>>(
    name: &'static str,
    problem: &Problem<S>,
    method: M,
    parasite: impl Fn(&Simulation<S, M>) -> Result<f64, Error>,
) -> Result<Run, Error> {
    let mut simulation = problem.start(method, 0.05)?;
    let (start, mut run) = (simulation.energy(), Run { name, energy: Vec::new(), parasite: Vec::new() });
    while simulation.time() <= 60.0 {
        run.energy.push((simulation.time(), simulation.energy() / start));
        run.parasite.push((simulation.time(), parasite(&simulation)?));
        simulation.step()?;
    }
    Ok(run)
}

/// The two starts of RATTLE and `Dla2`, with h = 0.05 to t = 60.
fn runs<S: System + Copy>(problem: &Problem<S>) -> Result<[Run; 3], Error>
where
    Rattle: Method<S>,
    Dla2: Method<S>,
{
    Ok([
        run("rattle, projected start", problem, Rattle::projected(), Simulation::parasite)?,
        run("rattle, consistent start", problem, Rattle::consistent(), Simulation::parasite)?,
        run("dla2", problem, Dla2, |_| Ok(0.0))?,
    ])
}

/// RATTLE loses at least `lost` of the energy, `Dla2` changes it by at most `kept`.
fn check_runs(name: &str, [projected, consistent, dla2]: &[Run; 3], lost: f64, kept: f64) {
    for run in [projected, consistent] {
        let least = run.energy.iter().map(|(_, e)| *e).fold(f64::INFINITY, f64::min);
        println!("{name}, {}: down to {:.1} % of its energy", run.name, 100.0 * least);
        assert!(least < 1.0 - lost, "{name}, {}: loss of {lost} expected, {} found", run.name, 1.0 - least);
        // The monitor is there long before the loss is seen.
        let seen = run.energy.iter().position(|(_, e)| (e - 1.0).abs() > 0.1).expect("a loss");
        let growth = run.parasite[seen].1 / run.parasite[seen / 4].1;
        assert!(growth > 3.0, "{name}, {}: a growing parasite expected, it grew by {growth}", run.name);
    }
    let worst = dla2.energy.iter().map(|(_, e)| (e - 1.0).abs()).fold(0.0, f64::max);
    println!("{name}, dla2: energy error at most {worst:.1e}");
    assert!(worst < kept, "{name}, dla2: energy error below {kept} expected, {worst} found");
}

fn panels(name: &str, runs: &[Run; 3]) -> [Panel; 2] {
    let series = |run: &Run, colour, points: &[(f64, f64)]| Series {
        name: run.name.to_owned(),
        colour,
        mark: Mark::Line(2),
        points: points.to_vec(),
    };
    let coloured = || runs.iter().zip([COLOURS[1], COLOURS[4], COLOURS[0]]);
    [
        Panel {
            title: format!("{name}: energy"),
            labels: ("t", "E(t) / E(0)"),
            ranges: (0.0..60.0, 0.0..1.5),
            logarithmic: (false, false),
            legend: SeriesLabelPosition::UpperLeft,
            series: coloured().map(|(run, colour)| series(run, colour, &run.energy)).collect(),
        },
        Panel {
            title: format!("{name}: parasite()"),
            labels: ("t", "η"),
            ranges: (0.0..60.0, 1e-6..1e2),
            logarithmic: (false, true),
            legend: SeriesLabelPosition::UpperLeft,
            // The consistent start begins with η = 0, which has no logarithm.
            series: coloured().take(2).map(|(run, colour)| series(run, colour, &run.parasite[1..])).collect(),
        },
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    check_sleigh(4)?;
    let (sleigh, snakeboard) = (runs(&sleigh())?, runs(&snakeboard())?);
    check_runs("sleigh", &sleigh, 0.99, 8e-4);
    check_runs("snakeboard", &snakeboard, 0.88, 8e-4);
    let panels = [panels("sleigh", &sleigh), panels("snakeboard", &snakeboard)].concat();
    println!("figure: {}", save("energy_loss.svg", &panels, 2, (600, 400))?.display());
    Ok(())
}

#[test]
fn halving_the_step_delays_the_loss_as_the_theory_says() {
    check_sleigh(4).unwrap();
}

#[test]
fn rattle_loses_the_energy_and_dla2_keeps_it() {
    check_runs("sleigh", &runs(&sleigh()).unwrap(), 0.99, 8e-4);
    check_runs("snakeboard", &runs(&snakeboard()).unwrap(), 0.88, 8e-4);
}
