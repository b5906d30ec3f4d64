//! Multipliers in forces, outputs and conditions.

use super::support;
use nhi_jit::{Compiled, Point, Simulation};
use nhi_methods::Variant;
use nhi_run::{Recording, Run, System};

struct Start<'a> {
    parameters: &'a [f64],
    q: &'a [f64],
    v: &'a [f64],
}

fn compiled(declaration: &str, id: &str) -> (Compiled, Variant) {
    let system = System::parse(declaration, "s.rs", None).unwrap_or_else(|error| panic!("{error}"));
    let variant = system.variant(id).unwrap();
    (system.compiled(variant).unwrap(), variant)
}

fn motion((compiled, variant): &(Compiled, Variant), start: &Start<'_>, time: f64, steps: u64) -> Simulation {
    let at = Point { parameters: start.parameters, q: start.q, v: start.v, ..Point::default() };
    let mut simulation = Simulation::at_point(compiled, *variant, &at, time / steps as f64).unwrap();
    simulation.advance(steps).unwrap();
    simulation
}

/// The samples of a run with outputs, and the times of events.
fn recorded(
    declaration: &str,
    outputs: &[(&str, &str)],
    (method, start): (&str, Start<'_>),
    (h, steps, every): (f64, u64, u64),
    until: Option<&str>,
) -> Recording {
    let outputs: Vec<_> = outputs.iter().map(|(name, text)| (*name, Some(*text))).collect();
    let system = System::with_outputs(declaration, "s.rs", None, &outputs);
    let system = system.unwrap_or_else(|error| panic!("{error}"));
    let Start { parameters, q, v } = start;
    let run = Run { every, ..support::run(system, method, [parameters, q, v], (h, steps)) };
    support::record(&run, until, &[]).unwrap()
}

fn column(recording: &Recording, name: &str) -> Vec<f64> {
    recording.column(name).unwrap_or_else(|| panic!("no column {name}")).values.clone()
}

/// A bead on a circular track, which the wall holds with m v²/r: dv/dt = −μ v²/r.
const TRACK: &str = "#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(wall: (x*dx + y*dy)/r = 0),
    let(load = abs(lambda(wall))), force = -mu*load*(dot(x)*dx + dot(y)*dy)/sqrt(dot(x)^2 + dot(y)^2), methods(all))]
struct Track { m: f64, r: f64, mu: f64 }";

#[test]
fn friction_of_a_load_that_the_motion_makes() {
    let start = Start { parameters: &[1.3, 2.0, 0.3], q: &[2.0, 0.0], v: &[0.0, 3.0] };
    let speed = 3.0 / (1.0 + 0.3 * 3.0 * 2.0 / 2.0);
    for (id, order) in [
        ("dla1", 1.0),
        ("dla2", 2.0),
        ("dla2_midpoint", 2.0),
        ("dla_rattle", 2.0),
        ("rdp", 2.0),
        ("frame", 2.0),
        ("rattle", 2.0),
        ("rk4", 4.0),
        ("dla2_suzuki4", 4.0),
    ] {
        let track = compiled(TRACK, id);
        let errors = [100, 200].map(|steps| {
            let end = motion(&track, &start, 2.0, steps);
            (end.v().iter().map(|v| v * v).sum::<f64>().sqrt() - speed).abs()
        });
        let slope = (errors[0] / errors[1]).log2();
        assert!((slope - order).abs() < 0.2, "{id}: {slope}, {errors:?}");
    }
}

/// A rod whose lower end slides on rough ground: friction turns the rod, and the load depends on the friction.
const ROD: &str = "#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, y, th), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(th)^2 - m*g*y,
    constraints(ground: d(y - l*sin(th)) = 0), force = -mu*lambda(ground)*d(x - l*cos(th)), methods(all))]
struct Rod { m: f64, J: f64, l: f64, g: f64, mu: f64 }";

/// dv/dt and λ solve the equations of motion with the force of this λ.
#[test]
fn the_force_has_the_multiplier_of_the_equations() {
    let (functions, _) = compiled(ROD, "dla2");
    let [m, j, l, g, mu] = [1.3, 0.2, 0.5, 9.81, 0.3];
    for k in 0..50 {
        let th = 0.3 + 0.05 * f64::from(k);
        let rate = 1.5 * (0.7 * f64::from(k)).sin();
        let at = Point {
            parameters: &[m, j, l, g, mu],
            q: &[0.1, l * th.sin(), th],
            v: &[0.4, l * th.cos() * rate, rate],
            ..Point::default()
        };
        let found = functions.acceleration(&at).unwrap();
        let (a, load) = (&found.a, found.lambda[0]);
        let residuals = [
            m * a[0] + mu * load,
            m * (a[1] + g) - load,
            j * a[2] + mu * load * l * th.sin() + load * l * th.cos(),
            a[1] - l * th.cos() * a[2] + l * th.sin() * rate * rate,
        ];
        assert!(residuals.iter().all(|r| r.abs() < 1e-12), "{k}: {residuals:?}");
    }
}

/// A cart whose brake is limited by the load of the braked wheel, which braking makes lighter or heavier.
#[test]
fn a_brake_is_limited_by_the_load_of_its_wheel() {
    // Centre of mass at height c, axles at distances b before and behind it: loads m g/2 ± m a c/2b.
    let brake = |wheel: &str| {
        format!(
            "#[derive(Nonholonomic)]
            #[nonholonomic(coordinates(x, y, th),
                lagrangian = m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(th)^2 - m*g*y,
                constraints(front: dy + b*dth = 0, back: dy - b*dth = 0),
                force = -min(most, mu*lambda({wheel}))*(dx + c*dth), methods(all))]
            struct Cart {{ m: f64, J: f64, b: f64, c: f64, g: f64, mu: f64, most: f64 }}"
        )
    };
    let [m, b, c, g, mu] = [2.0, 0.6, 0.4, 9.81, 0.8];
    for (wheel, sign) in [("front", 1.0), ("back", -1.0)] {
        // N = m g/2 ± μ N c/2b
        let load = m * g / 2.0 / (1.0 - sign * mu * c / (2.0 * b));
        for most in [2.0, 1000.0] {
            let (functions, _) = compiled(&brake(wheel), "dla2");
            let parameters = [m, 0.3, b, c, g, mu, most];
            let at =
                Point { parameters: &parameters, q: &[0.0; 3], v: &[10.0, 0.0, 0.0], ..Point::default() };
            let found = functions.acceleration(&at).unwrap();
            let expected = -f64::min(most, mu * load) / m;
            assert!((found.a[0] - expected).abs() < 1e-13, "{wheel}, {most}: {} {expected}", found.a[0]);
        }
    }
}

/// The multiplier of an output is that of the sample.
#[test]
fn outputs_take_multipliers_and_the_energy() {
    let start = Start { parameters: &[1.3, 2.0, 0.3], q: &[2.0, 0.0], v: &[0.0, 3.0] };
    let outputs = [("wall_load", "-lambda(wall)"), ("used", "mu*load"), ("e", "2*energy")];
    let recording = recorded(TRACK, &outputs, ("dla2", start), (0.01, 50, 10), None);
    let [load, used, twice] = ["wall_load", "used", "e"].map(|name| column(&recording, name));
    let [lambda, energy] = ["lambda_wall", "energy"].map(|name| column(&recording, name));
    for k in 0..recording.samples() {
        assert_eq!(load[k], -lambda[k]);
        assert!((used[k] - 0.3 * load[k]).abs() < 1e-15 && (twice[k] - 2.0 * energy[k]).abs() < 1e-13);
    }
}

/// A ball that rolls on a ball leaves it where the load vanishes, at cos θ = 10/17, and a smooth one at 2/3.
#[test]
fn a_ball_leaves_a_ball() {
    let ball = |roll: &str| {
        format!(
            "#[derive(Nonholonomic)]
            #[nonholonomic(coordinates(r, th, phi),
                lagrangian = m/2*(dot(r)^2 + r^2*dot(th)^2) + m*a^2/5*dot(phi)^2 - m*g*r*cos(th),
                constraints(normal: dr = 0{roll}), methods(all))]
            struct Ball {{ m: f64, a: f64, g: f64 }}"
        )
    };
    for (roll, cosine) in [(", roll: a*dphi - r*dth = 0", 10.0 / 17.0), ("", 2.0 / 3.0)] {
        let start = Start { parameters: &[0.2, 0.1, 9.81], q: &[0.6, 1e-4, 0.0], v: &[0.0; 3] };
        let run = ("dla2_suzuki4", start);
        let recording = recorded(&ball(roll), &[], run, (0.002, 10_000, 100), Some("lambda(normal) <= 0"));
        let th = *column(&recording, "th").last().unwrap();
        // The multiplier is a mean over a step.
        assert!((th.cos() - cosine).abs() < 2e-3, "{} {cosine}", th.cos());
    }
}

/// A hoop with a particle on its rim rolls until the ground carries nothing. Its angle θ there follows from the energy
/// (M + m (1 + cos θ)) r² ω² + m g r cos θ, whose rate is ω' = d(ω²/2)/dθ, and from the load (M + m) g − m r (ω' sin θ + ω² cos θ).
#[test]
fn a_hoop_leaves_the_ground() {
    let hoop = include_str!("../../../examples/hoop.rs");
    let (mass, m, r, g, omega) = (0.2, 1.0, 0.5, 9.81, 4.0f64);
    let energy = (mass + 2.0 * m) * r * r * omega * omega + m * g * r;
    let load = |th: f64| {
        let inertia = (mass + m * (1.0 + th.cos())) * r * r;
        let square = (energy - m * g * r * th.cos()) / inertia;
        let rate = (m * g * r * th.sin() + square * m * r * r * th.sin()) / (2.0 * inertia);
        (mass + m) * g - m * r * (rate * th.sin() + square * th.cos())
    };
    let (mut low, mut high) = (0.0, 1.5);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if load(middle) > 0.0 { low = middle } else { high = middle }
    }
    for rate in [300.0, 1100.0, 4700.0f64] {
        let start = Start { parameters: &[mass, m, r, g], q: &[0.0, r, 0.0], v: &[r * omega, 0.0, omega] };
        let steps = (0.3 * rate) as u64;
        let run = (rate.recip(), steps, steps);
        let recording = recorded(hoop, &[], ("dla2", start), run, Some("lambda(normal) <= 0"));
        let [th, turn] = ["th", "dot_th"].map(|name| *column(&recording, name).last().unwrap());
        // The multiplier is a mean over the last step, and the load decreases: the end is half of this step late, at most.
        let late = (th - low) / turn * rate;
        assert!((-0.01..0.6).contains(&late), "{rate}: {late} steps");
    }
}

/// A tippe top with friction in proportion to load and sliding velocity: it inverts, and keeps Jellett's integral L·c, with c
/// from the centre of mass to the point of contact.
#[test]
fn a_tippe_top_inverts() {
    const TOP: &str = "#[derive(Nonholonomic)]
    #[nonholonomic(coordinates(x, y, z), group = SO3(R; w1, w2, w3),
        let(c = [a*R[0][2], a*R[1][2], a*R[2][2] - r], turn = cross(R*[w1, w2, w3], c), ux = dot(x) + turn[0],
            uy = dot(y) + turn[1],
            jellett = (I3*w3*(a - r*R[2][2]) - r*I1*(R[2][0]*w1 + R[2][1]*w2))),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + I1/2*(w1^2 + w2^2) + I3/2*w3^2 - m*g*z,
        constraints(normal: dz + turn[2]*dt = 0),
        force = -mu*lambda(normal)*(ux*(dx + turn[0]*dt) + uy*(dy + turn[1]*dt)), methods(all))]
    struct Top { m: f64, r: f64, a: f64, I1: f64, I3: f64, g: f64, mu: f64 }";
    let (m, r) = (0.02, 0.02);
    let parameters = [m, r, 0.3 * r, 131.0 / 350.0 * m * r * r, 0.4 * m * r * r, 9.82, 0.3];
    let (sin, cos) = 0.1f64.sin_cos();
    let height = r - 0.3 * r * cos;
    let q = [0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos];
    let v = [0.0, 0.0, 0.0, 0.0, 0.0, 155.0];
    let outputs = [("J", "jellett"), ("up", "R[2][2]")];
    let start = Start { parameters: &parameters, q: &q, v: &v };
    let recording = recorded(TOP, &outputs, ("rkmk4", start), (2e-4, 40_000, 500), None);
    let [j, up] = ["J", "up"].map(|name| column(&recording, name));
    assert!(up[0] > 0.99 && *up.last().unwrap() < -0.99, "{up:?}");
    let worst = j.iter().map(|j0| (j0 / j[0] - 1.0).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-9, "{worst:e}");
}
