//! The rattleback (Kane & Levinson, *Realistic mathematical modeling of the rattleback*, Int. J. Non-Linear
//! Mech. 17, 1982): spun the wrong way, its long axis starts to pitch, and within seconds the spin stops and
//! reverses. Spun the other way it rolls instead, and slows down much later.
//!
//! The motion is that of a rolling body on SE(3) whose Lagrangian and constraints depend on the pose. The
//! method has to resolve a pitching of seven periods a second. From steps of 1/500 s on the reversal is the
//! same, and its time converges with h².

use nhi_examples::{COLOURS, Mark, Panel, Series, SeriesLabelPosition, convergence, order, save};
use nhi_runtime::group::{Retraction, SO3};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Method};

/// Body of unit mass in the frame of its centre of mass `p`, third axis up at rest. Its surface is the
/// ellipsoid with semi-axes `a`, `b`, `c` about the point `h` above the centre of mass.
///
/// The point of contact is the lowest one: from the centre of the ellipsoid it lies at
/// −(a²γ₁, b²γ₂, c²γ₃)/ε, where γ = Rᵀe₃ is the vertical in the body and ε² = a²γ₁² + b²γ₂² + c²γ₃².
/// It is at rest, which keeps it on the plane too.
#[derive(Nonholonomic, Clone, Copy, Debug)]
#[expect(non_snake_case, reason = "A, B, C, D are moments and products of inertia")]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    let(
        eps = sqrt((a*R[2][0])^2 + (b*R[2][1])^2 + (c*R[2][2])^2),
        rho1 = -a^2*R[2][0]/eps,
        rho2 = -b^2*R[2][1]/eps,
        rho3 = h - c^2*R[2][2]/eps,
    ),
    lagrangian = (v1^2 + v2^2 + v3^2 + A*w1^2 + B*w2^2 + C*w3^2)/2 + D*w1*w2 - g*p[2],
    constraints(
        contact_1: v1 + w2*rho3 - w3*rho2 = 0,
        contact_2: v2 + w3*rho1 - w1*rho3 = 0,
        contact_3: v3 + w1*rho2 - w2*rho1 = 0,
    ),
    methods(Rdp, Rkmk4),
)]
pub struct Rattleback {
    /// Semi-axis along the first axis.
    pub a: f64,
    /// Semi-axis along the second axis.
    pub b: f64,
    /// Semi-axis along the third axis.
    pub c: f64,
    /// Height of the ellipsoid's centre above the centre of mass.
    pub h: f64,
    /// Moment of inertia about the first axis, per mass.
    pub A: f64,
    /// Moment of inertia about the second axis, per mass.
    pub B: f64,
    /// Moment of inertia about the third axis, per mass.
    pub C: f64,
    /// Product of inertia of the first and second axis, per mass.
    pub D: f64,
    /// Acceleration of gravity.
    pub g: f64,
}

/// Kane and Levinson's, in metres and seconds.
const STONE: Rattleback =
    Rattleback { a: 0.2, b: 0.03, c: 0.02, h: 0.01, A: 2e-4, B: 16e-4, C: 17e-4, D: -0.2e-4, g: 9.81 };

/// Where the runs end, in seconds.
const END: f64 = 20.0;
/// Initial spin, in radians per second.
const SPIN: f64 = 5.0;

impl Rattleback {
    /// The point of contact in the body.
    fn contact(&self, q: &[f64; 12]) -> [f64; 3] {
        let gamma = [q[6], q[7], q[8]];
        let squares = [self.a, self.b, self.c].map(|x| x * x);
        let eps = (0..3).map(|i| squares[i] * gamma[i] * gamma[i]).sum::<f64>().sqrt();
        let rho: [f64; 3] = std::array::from_fn(|i| -squares[i] * gamma[i] / eps);
        [rho[0], rho[1], rho[2] + self.h]
    }

    /// On the plane, tilted by half a degree, with the angular velocity `spin` about the vertical.
    fn start(&self, spin: f64) -> ([f64; 12], [f64; 6]) {
        let SO3(rows) = Exp::tau([0.5f64.to_radians(), 0.0, 0.0]);
        let mut q = [0.0; 12];
        q[..9].copy_from_slice(rows.as_flattened());
        let (rho, w) = (self.contact(&q), rows[2].map(|gamma| spin * gamma));
        q[11] = -(0..3).map(|i| rows[2][i] * rho[i]).sum::<f64>();
        // The point of contact is at rest: v = ρ × ω.
        let v = [0, 1, 2].map(|i| rho[(i + 1) % 3] * w[(i + 2) % 3] - rho[(i + 2) % 3] * w[(i + 1) % 3]);
        (q, [w[0], w[1], w[2], v[0], v[1], v[2]])
    }
}

/// A run: at every step the spin (the angular velocity about the vertical), the pitch of the long axis and
/// the roll of the short one in degrees.
struct Run {
    spin: Vec<(f64, f64)>,
    pitch: Vec<(f64, f64)>,
    roll: Vec<(f64, f64)>,
    /// Energy's change as a part of the start's.
    energy: Vec<(f64, f64)>,
    /// The point of contact's largest distance from the plane.
    height: f64,
}

fn run<M: Method<Rattleback>>(method: M, spin: f64, h: f64) -> Result<Run, Error> {
    let (q, v) = STONE.start(spin);
    let mut simulation = Simulation::new(STONE, method, q, v, h)?;
    let start = simulation.energy();
    let mut run = Run { spin: vec![], pitch: vec![], roll: vec![], energy: vec![], height: 0.0 };
    for sample in simulation.samples(1).take((END / h).round() as usize + 1) {
        let sample = sample?;
        let (q, t): ([f64; 12], f64) = (sample.q.into(), sample.t);
        let rho = STONE.contact(&q);
        let height = q[11] + (0..3).map(|i| q[6 + i] * rho[i]).sum::<f64>();
        run.spin.push((t, (0..3).map(|i| q[6 + i] * sample.v[i]).sum()));
        run.pitch.push((t, q[6].asin().to_degrees()));
        run.roll.push((t, q[7].asin().to_degrees()));
        run.energy.push((t, (sample.energy - start) / start));
        run.height = run.height.max(height.abs());
    }
    Ok(run)
}

impl Run {
    /// The mean of the spin over half a second from `t` on, some periods of the pitching.
    fn mean_spin(&self, t: f64) -> f64 {
        let window = self.spin.iter().filter(|(s, _)| (t..t + 0.5).contains(s));
        let (count, sum) = window.fold((0.0, 0.0), |(n, sum), (_, spin)| (n + 1.0, sum + spin));
        sum / count
    }

    /// When the spin first vanishes.
    fn reversal(&self) -> Option<f64> {
        let pair = self.spin.windows(2).find(|pair| pair[0].1 * pair[1].1 < 0.0)?;
        let [(s, a), (t, b)] = [pair[0], pair[1]];
        Some(s + (t - s) * a / (a - b))
    }

    fn energy_error(&self) -> f64 {
        self.energy.iter().map(|(_, e)| e.abs()).fold(0.0, f64::max)
    }
}

/// The runs of a ladder of step sizes, from the wrong spin and from the other.
struct Ladder {
    runs: Vec<(f64, Run, Run)>,
    /// (h, error of the time of the reversal).
    reversals: Vec<(f64, f64)>,
}

/// Steps of 1/500 s and halvings of it, against the Runge–Kutta method of order 4 with half the
/// finest.
fn check(halvings: i32) -> Result<Ladder, Box<dyn std::error::Error>> {
    let reversal = |run: &Run| run.reversal().ok_or("the spin does not reverse");
    let finest = 0.001 * 0.5f64.powi(halvings);
    let exact = run(Rkmk4, -SPIN, finest)?;
    let (time, after) = (reversal(&exact)?, exact.mean_spin(15.0));
    let slowed = run(Rkmk4, SPIN, finest)?.mean_spin(19.0);
    println!("spin −{SPIN} 1/s reverses at t = {time:.4} s and is {after:.4} 1/s at t = 15 s");
    println!("spin {SPIN} 1/s is {slowed:.4} 1/s at t = 19 s");
    let mut ladder = Ladder { runs: Vec::new(), reversals: Vec::new() };
    for k in 0..=halvings {
        let h = 0.002 * 0.5f64.powi(k);
        let (wrong, other) = (run(Rdp, -SPIN, h)?, run(Rdp, SPIN, h)?);
        let (found, spin, energy) = (reversal(&wrong)?, wrong.mean_spin(15.0), wrong.energy_error());
        let other_spin = other.mean_spin(19.0);
        println!(
            "  h = {h:.6} s: t = {found:.4} s, {spin:.4} 1/s; {other_spin:.4} 1/s; energy error {energy:.1e}, \
             height {:.1e} m",
            wrong.height
        );
        let error = (found - time).abs();
        assert!(error < 1e4 * h * h, "h = {h}: reversal at {time} expected, at {found} found");
        assert!(
            (spin - after).abs() < 2e-3,
            "h = {h}: spin {after} after the reversal expected, {spin} found"
        );
        assert!(other.reversal().is_none(), "h = {h}: the other spin reverses");
        assert!((other_spin - slowed).abs() < 2e-3, "h = {h}: spin {slowed} expected, {other_spin} found");
        assert!(energy < 2e3 * h * h, "h = {h}: energy error {energy}");
        assert!(wrong.height < h * h, "h = {h}: off the plane by {}", wrong.height);
        ladder.runs.push((h, wrong, other));
        ladder.reversals.push((h, error));
    }
    Ok(ladder)
}

fn panels(ladder: Ladder) -> Vec<Panel> {
    let series = |name: &str, colour: usize, mark, points| Series {
        name: name.to_owned(),
        colour: COLOURS[colour],
        mark,
        points,
    };
    let panel = |title: &str, label, range, series| Panel {
        title: title.to_owned(),
        labels: ("t in s", label),
        ranges: (0.0..END, range),
        logarithmic: (false, false),
        legend: SeriesLabelPosition::LowerRight,
        series,
    };
    let reversals = series("", 0, Mark::Knots(3), ladder.reversals);
    let convergence = convergence("time of the reversal", "error in s", &[2], vec![reversals]);
    let mut runs = ladder.runs.into_iter();
    let Some((_, coarse, _)) = runs.next() else { return Vec::new() };
    let Some((_, wrong, other)) = runs.next() else { return Vec::new() };
    vec![
        panel(
            "spin",
            "angular velocity about the vertical in 1/s",
            -9.0..6.0,
            vec![
                series("wrong way, h = 1/500 s", 5, Mark::Line(3), coarse.spin),
                series("wrong way, h = 1/1000 s", 0, Mark::Line(1), wrong.spin),
                series("other way", 1, Mark::Line(2), other.spin),
            ],
        ),
        panel(
            "rattling, h = 1/1000 s",
            "tilt in degrees",
            -30.0..20.0,
            vec![
                series("other way, roll", 1, Mark::Line(1), other.roll),
                series("wrong way, pitch", 0, Mark::Line(1), wrong.pitch),
            ],
        ),
        panel(
            "energy, wrong way",
            "(E(t) − E(0)) / E(0)",
            -8e-3..8e-3,
            vec![
                series("h = 1/500 s", 5, Mark::Line(1), coarse.energy),
                series("h = 1/1000 s", 0, Mark::Line(1), wrong.energy),
            ],
        ),
        convergence,
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ladder = check(4)?;
    let found = order(&ladder.reversals);
    println!("time of the reversal: order {found:.2}");
    assert!((found - 2.0).abs() < 0.1, "order 2 expected, {found} found");
    println!("figure: {}", save("rattleback.svg", &panels(ladder), 2, (560, 420))?.display());
    Ok(())
}

#[test]
fn the_spin_reverses_with_every_step_size() {
    check(1).unwrap();
}
