//! The frame method, in coordinates and on groups, and the discrete gradient method in coordinates: energy, constraints, symmetry, order, and where it does not apply.

use nhi_jit::{Compiled, Point, Simulation, Stepped};
use nhi_methods::Variant;
use nhi_run::System;
use nhi_runtime::Limits;
use nhi_tiers::amount;

/// A declared system with a start, whose velocity is made admissible.
struct Case {
    declaration: &'static str,
    parameters: &'static [f64],
    q: &'static [f64],
    v: &'static [f64],
    h: f64,
}

const GEARBOX: Case = Case {
    declaration: "#[nonholonomic(coordinates(phi, x, z),
        lagrangian = (dot(phi)^2 + dot(x)^2 + dot(z)^2)/2 - (x^2 + z^2)/2 + cos(phi) - eps*sin(2*phi),
        constraints(dx + (0.8*sin(phi) + b*cos(2*phi))*dz = 0), methods(all))]
        struct Gearbox { eps: f64, b: f64 }",
    parameters: &[0.5, 0.4],
    q: &[0.0, 1.0, 0.0],
    v: &[2.6, 0.0, 0.0],
    h: 0.1,
};

/// A sleigh with a pendulum-like potential in the heading and along the way.
const SLEIGH: Case = Case {
    declaration: "#[nonholonomic(coordinates(theta, x, y),
        lagrangian = I/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) + 0.7*sin(x)*cos(2*theta + 0.3) - exp(0.4*y - x/5)
            - 0.1*y*cos(theta)^2,
        constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0), methods(all))]
        struct Sleigh { m: f64, I: f64, a: f64 }",
    parameters: &[1.3, 0.6, 0.2],
    q: &[0.4, 0.1, -0.3],
    v: &[1.1, 0.6, 0.2],
    h: 0.05,
};

/// Coupled and varying masses, a magnetic field, and polynomials.
const MAGNETIC: Case = Case {
    declaration: "#[nonholonomic(coordinates(x, y, z, s),
        lagrangian = (1 + x^2)/2*dot(x)^2 + dot(y)^2/2 + (2 + sin(y))/2*dot(z)^2 + 0.3*x*dot(y)*dot(s) + dot(s)^2
            + B*(y*dot(z) - z*dot(y) + x^2*dot(s)) - k/4*(x^2 + z^2)^2 - y^2 - x*y*s - s^4/4,
        constraints(dz - sin(y)*dx + x*ds = 0), methods(all))]
        struct Magnetic { B: f64, k: f64 }",
    parameters: &[0.8, 1.1],
    q: &[0.3, 0.5, -0.2, 0.4],
    v: &[0.4, -0.3, 0.2, 0.1],
    h: 0.05,
};

/// Potentials without a closed form: five nodes.
const ROOTS: Case = Case {
    declaration: "#[nonholonomic(coordinates(x, y, z),
        lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - k*sqrt(1 + x^2 + y^2) - ln(2 + sin(z)) + 1/(3 + x^2 + z^2),
        constraints(dz - y*dx = 0), methods(all))]
        struct Roots { k: f64 }",
    parameters: &[1.4],
    q: &[0.6, -0.4, 0.3],
    v: &[0.2, 0.7, 0.1],
    h: 0.05,
};

/// Two pendulums without a constraint.
const PENDULUMS: Case = Case {
    declaration: "#[nonholonomic(coordinates(a, b),
        lagrangian = dot(a)^2 + dot(b)^2/2 + cos(a - b)*dot(a)*dot(b) + g*(2*cos(a) + cos(b)), constraints(), methods(all))]
        struct Pendulums { g: f64 }",
    parameters: &[9.81],
    q: &[1.2, -0.7],
    v: &[0.3, 0.5],
    h: 0.02,
};

/// A massless disk that rolls, in one direction.
const MASSLESS: Case = Case {
    declaration: "#[nonholonomic(coordinates(x, y, phi, psi),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + I/2*dot(phi)^2 - k/2*(x^2 + y^2),
        constraints(dx - cos(phi)*dpsi = 0, dy - sin(phi)*dpsi = 0), methods(all))]
        struct Massless { m: f64, I: f64, k: f64 }",
    parameters: &[1.2, 0.4, 0.9],
    q: &[0.5, 0.2, 0.3, 0.0],
    v: &[0.5, 0.1, 0.9, 0.5],
    h: 0.05,
};

/// Suslov's body with weight.
const SUSLOV: Case = Case {
    declaration: "#[nonholonomic(group = SO3(R; w1, w2, w3),
        lagrangian = (I1*w1^2 + I2*w2^2 + I3*w3^2)/2 + (0.5*w1 + 0.7*w2)*w3 - g*(0.3*R[2][0] - 0.4*R[2][1] + R[2][2]),
        constraints(w3 + 0.2*w1 = 0), methods(all))]
        struct Suslov { I1: f64, I2: f64, I3: f64, g: f64 }",
    parameters: &[2.0, 3.0, 4.0, 1.3],
    q: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    v: &[0.9, -0.4, 0.0],
    h: 0.05,
};

/// A sleigh with a rotor and a potential of its heading and place.
const ROTOR: Case = Case {
    declaration: "#[nonholonomic(coordinates(s), group = SE2(theta, x, y; omega, v, w),
        lagrangian = I/2*omega^2 + m/2*(v^2 + w^2) + (dot(s) + omega)^2/4 + B*s*omega - s^2 - s*cos(theta)
            - k/2*(x^2 + 2*y^2) - 0.3*y + sin(2*theta)*x/5,
        constraints(a*omega + (1 + s/4)*v/3 - w = 0), methods(all))]
        struct Rotor { m: f64, I: f64, a: f64, k: f64, B: f64 }",
    parameters: &[1.3, 0.6, 0.2, 0.8, 0.5],
    q: &[0.2, 0.4, 0.1, -0.3],
    v: &[0.3, 1.1, 0.6, 0.2],
    h: 0.05,
};

/// A gyrostat on a ball that rolls, with a potential of degree two of its attitude.
const GYROSTAT: Case = Case {
    declaration: "#[nonholonomic(coordinates(x, y), group = SO3(R; w1, w2, w3),
        let(along_x = R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3, along_y = R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (0.6*w1^2 + 0.7*w2^2 + 0.9*w3^2)/2 + B*(w1 + 0.3*w2*x) - x^2/2 - y^4/4
            - R[2][2] - 0.4*R[2][0]*R[2][1] - 0.2*R[2][2]*x,
        constraints(dot(x) - along_y = 0, dot(y) + along_x = 0), methods(all))]
        struct Gyrostat { m: f64, B: f64 }",
    parameters: &[1.2, 0.4],
    q: &[0.3, -0.2, 1.0, 0.0, 0.0, 0.0, 0.8, -0.6, 0.0, 0.6, 0.8],
    v: &[0.3, 0.2, 0.5, -0.4, 0.7],
    h: 0.05,
};

/// A body in space with weight off its frame, that slides along one of its planes.
const BODY: Case = Case {
    declaration: "#[nonholonomic(group = SE3(R, p; w1, w2, w3, v1, v2, v3),
        lagrangian = m/2*((v1 + 0.2*w2 - 0.1*w3)^2 + (v2 + 0.3*w3 - 0.2*w1)^2 + (v3 + 0.1*w1 - 0.3*w2)^2)
            + (w1^2 + 1.5*w2^2 + 2*w3^2)/2 - g*(p[2] + 0.4*R[2][2]) - k/2*(p[0]^2 + p[1]^2 + p[2]^2),
        constraints(v2 = 0, v3 - c*w2 = 0), methods(all))]
        struct Body { m: f64, g: f64, c: f64, k: f64 }",
    parameters: &[1.1, 0.7, 0.3, 0.9],
    q: &[1.0, 0.0, 0.0, 0.0, 0.8, -0.6, 0.0, 0.6, 0.8, 0.2, -0.1, 0.3],
    v: &[0.4, -0.3, 0.6, 0.5, 0.0, 0.0],
    h: 0.05,
};

/// A body on an axis that is fixed in it: one equation.
const AXIS: Case = Case {
    declaration: "#[nonholonomic(group = SO3(R; w1, w2, w3),
        lagrangian = (w1^2 + 2*w2^2 + 3*w3^2)/2 - g*(R[2][2] - R[0][1]/2), constraints(w3 = 0, w2 - w1/2 = 0), methods(all))]
        struct Axis { g: f64 }",
    parameters: &[1.3],
    q: &[1.0, 0.0, 0.0, 0.0, 0.8, -0.6, 0.0, 0.6, 0.8],
    v: &[0.9, 0.45, 0.0],
    h: 0.05,
};

/// Those in coordinates.
const IN_COORDINATES: [&Case; 6] = [&GEARBOX, &SLEIGH, &MAGNETIC, &ROOTS, &PENDULUMS, &MASSLESS];

const CASES: [&Case; 11] =
    [&GEARBOX, &SLEIGH, &MAGNETIC, &ROOTS, &PENDULUMS, &MASSLESS, &SUSLOV, &ROTOR, &GYROSTAT, &BODY, &AXIS];

/// A case with compiled steps.
struct Bed<'a> {
    case: &'a Case,
    compiled: Compiled,
    variant: Variant,
}

impl<'a> Bed<'a> {
    fn new(case: &'a Case, id: &str) -> Bed<'a> {
        let source = format!("#[derive(Nonholonomic)]\n{}", case.declaration);
        let system = System::parse(&source, "frame.rs", None).unwrap_or_else(|error| panic!("{error}"));
        let variant = system.variant(id).unwrap();
        Bed { case, compiled: system.compiled(variant).unwrap(), variant }
    }

    fn point<'p>(&'p self, state: &'p Stepped) -> Point<'p> {
        let Stepped { q, v, z } = state;
        Point { parameters: self.case.parameters, q, v, z, t: 0.0, inputs: &[] }
    }

    fn start(&self) -> Stepped {
        let q = self.case.q.to_vec();
        let given = Stepped { q: q.clone(), v: self.case.v.to_vec(), z: Vec::new() };
        let v = self.compiled.project(&self.point(&given)).unwrap();
        Stepped { q, v, z: Vec::new() }
    }

    fn step(&self, from: &Stepped, h: f64) -> Stepped {
        self.compiled.step(self.variant, &self.point(from), h).unwrap()
    }

    fn run(&self, steps: u64, h: f64) -> Simulation {
        let start = self.start();
        let mut run = Simulation::at_point(&self.compiled, self.variant, &self.point(&start), h).unwrap();
        run.advance(steps).unwrap();
        run
    }

    /// The energy and what it is made of, for the scale of its rounding.
    fn energy(&self, state: &Stepped) -> f64 {
        let run = Simulation::at_point(&self.compiled, self.variant, &self.point(state), 0.1).unwrap();
        run.energy()
    }
}

fn distance(a: &Stepped, b: &Stepped) -> f64 {
    let pairs = a.q.iter().zip(&b.q).chain(a.v.iter().zip(&b.v));
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn energy_is_exact_over_many_steps() {
    let steps = amount(20_000, 1_000_000);
    for case in CASES {
        let bed = Bed::new(case, "frame");
        let before = bed.run(0, case.h).energy();
        let mut run = bed.run(0, case.h);
        let (mut worst, mut farthest): (f64, f64) = (0.0, 0.0);
        for _ in 0..100 {
            run.advance(steps / 100).unwrap();
            worst = worst.max((run.energy() - before).abs());
            farthest = run.q().iter().fold(farthest, |a, q| a.max(q.abs()));
            let residual = run.residual().iter().fold(0.0f64, |a, r| a.max(r.abs()));
            assert!(residual < 1e-13, "{residual:e}\n{}", case.declaration);
        }
        // The rounding of coordinates walks at random: angles that go round are of thousands.
        let rounding = f64::EPSILON * (1.0 + before.abs()) * (1.0 + farthest) * (steps as f64).sqrt();
        println!("{worst:e}, {:.2}", worst / rounding);
        assert!(worst < 3.0 * rounding, "{worst:e}, {rounding:e}\n{}", case.declaration);
    }
}

/// Both energies of the gearbox, which nothing couples.
#[test]
fn energies_of_parts_are_exact() {
    let bed = Bed::new(&GEARBOX, "frame");
    let driven = |run: &Simulation| {
        let (q, v) = (run.q(), run.v());
        (v[1] * v[1] + v[2] * v[2] + q[1] * q[1] + q[2] * q[2]) / 2.0
    };
    let mut run = bed.run(0, GEARBOX.h);
    for _ in 0..100 {
        run.advance(amount(200, 10_000)).unwrap();
        assert!((driven(&run) - 0.5).abs() < 1e-12, "{:e}", driven(&run) - 0.5);
    }
}

#[test]
fn energy_is_exact_with_any_sequence_of_step_sizes() {
    for case in CASES {
        let bed = Bed::new(case, "frame");
        let mut state = bed.start();
        let before = bed.energy(&state);
        let mut seed: u64 = 7;
        for _ in 0..1000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Sizes that differ by a factor of 20.
            let fraction = (seed >> 11) as f64 / (1u64 << 53) as f64;
            state = bed.step(&state, case.h * 20f64.powf(fraction - 0.7));
        }
        let error = (bed.energy(&state) - before).abs();
        assert!(error < 1e-12 * (1.0 + before.abs()), "{error:e}\n{}", case.declaration);
    }
}

#[test]
fn steps_are_symmetric() {
    for case in CASES {
        for id in ["frame", "frame_midpoint"] {
            let bed = Bed::new(case, id);
            let start = bed.start();
            let mut state = start.clone();
            (0..20).for_each(|_| state = bed.step(&state, case.h));
            (0..20).for_each(|_| state = bed.step(&state, -case.h));
            assert!(
                distance(&state, &start) < 1e-12,
                "{id}: {:e}\n{}",
                distance(&state, &start),
                case.declaration
            );
        }
    }
}

/// The slopes of errors between step sizes, against a fine run of a composition.
#[test]
fn steps_are_of_order_two_and_compositions_of_order_four() {
    let time = 1.0;
    for case in CASES {
        let usual = (time / case.h) as u64;
        let fine = Bed::new(case, "frame_suzuki4").run(3200, time / 3200.0);
        let fine = Stepped { q: fine.q().to_vec(), v: fine.v(), z: Vec::new() };
        for (id, order, steps) in
            [("frame", 2.0, 4 * usual), ("frame_midpoint", 2.0, 4 * usual), ("frame_suzuki4", 4.0, usual)]
        {
            let bed = Bed::new(case, id);
            let [coarse, half] = [steps, 2 * steps].map(|steps| {
                let end = bed.run(steps, time / steps as f64);
                distance(&Stepped { q: end.q().to_vec(), v: end.v(), z: Vec::new() }, &fine)
            });
            let slope = (coarse / half).log2();
            assert!((slope - order).abs() < 0.15, "{id}: {slope}, {coarse:e}\n{}", case.declaration);
        }
    }
}

/// What the other one does not keep.
#[test]
fn a_gradient_in_the_middle_changes_energies_of_higher_degree() {
    let cases = [(&MAGNETIC, false), (&GEARBOX, false), (&MASSLESS, true), (&SUSLOV, false)];
    for (case, is_exact) in cases {
        let bed = Bed::new(case, "frame_midpoint");
        let before = bed.run(0, case.h).energy();
        let error = (bed.run(1000, case.h).energy() - before).abs();
        assert_eq!(error < 1e-12, is_exact, "{error:e}\n{}", case.declaration);
    }
}

/// A rotating pendulum that is driven: the work of forces, drives and auxiliary states is of order two.
#[test]
fn driven_systems_are_of_order_two() {
    const DRIVEN: Case = Case {
        declaration: "#[nonholonomic(coordinates(theta, x, y), states(i), inputs(u),
            lagrangian = (1 + 0.2*sin(t))/2*dot(theta)^2 + (dot(x)^2 + dot(y)^2)/2 - cos(theta)*(1 + 0.3*cos(t)) - x*t/5,
            constraints(sin(theta)*dx - cos(theta)*dy + 0.2*dtheta - (0.3*x + 0.1*cos(2*t))*dt = 0),
            force = (2*i - 0.4*dot(theta))*dtheta - 0.2*dot(x)*dx,
            dynamics(dot(i) = u + sin(t) - 3*i - dot(theta)*i^2),
            methods(all))]
            struct Driven { unused: f64 }",
        parameters: &[0.0],
        q: &[0.4, 0.3, -0.1],
        v: &[0.5, 0.6, 0.0],
        h: 0.05,
    };
    let source = format!("#[derive(Nonholonomic)]\n{}", DRIVEN.declaration);
    let system = System::parse(&source, "frame.rs", None).unwrap_or_else(|error| panic!("{error}"));
    let end = |id: &str, steps: u64| {
        let variant = system.variant(id).unwrap();
        let compiled = system.compiled(variant).unwrap();
        let at = Point { parameters: &[0.0], q: DRIVEN.q, v: DRIVEN.v, z: &[0.2], t: 0.0, inputs: &[0.7] };
        let mut run = Simulation::project_point(&compiled, variant, &at, 1.0 / steps as f64).unwrap();
        run.set_limits(Limits::NONE);
        run.advance(steps).unwrap();
        let residual = run.residual().iter().fold(0.0f64, |a, r| a.max(r.abs()));
        assert!(id == "rk4" || residual < 1e-13, "{id}: {residual:e}");
        [run.q(), &run.v(), run.z()].concat()
    };
    let fine = end("rk4", 6400);
    let error = |id: &str, steps: u64| {
        let end = end(id, steps);
        end.iter().zip(&fine).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    for id in ["frame", "frame_midpoint"] {
        let slope = (error(id, 100) / error(id, 200)).log2();
        assert!((slope - 2.0).abs() < 0.1, "{id}: {slope}");
    }
    let slope = (error("frame_suzuki4", 40) / error("frame_suzuki4", 80)).log2();
    assert!((slope - 4.0).abs() < 0.3, "frame_suzuki4: {slope}");
}

/// Discrete gradients keep the energy with any sequence of step sizes, as far as five nodes average derivatives of the kinetic energy,
/// are symmetric and of order two, and can be composed.
#[test]
fn discrete_gradients_keep_the_energy() {
    let time = 1.0;
    for case in IN_COORDINATES {
        let bed = Bed::new(case, "discrete_gradient");
        let start = bed.start();
        let (mut state, before) = (start.clone(), bed.energy(&start));
        let mut seed: u64 = 11;
        for _ in 0..1000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let fraction = (seed >> 11) as f64 / (1u64 << 53) as f64;
            state = bed.step(&state, 0.2 * case.h * 20f64.powf(fraction - 0.7));
        }
        let error = (bed.energy(&state) - before).abs();
        assert!(error < 1e-12 * (1.0 + before.abs()), "{error:e}\n{}", case.declaration);

        state = start.clone();
        (0..20).for_each(|_| state = bed.step(&state, case.h));
        (0..20).for_each(|_| state = bed.step(&state, -case.h));
        assert!(distance(&state, &start) < 1e-12, "{:e}\n{}", distance(&state, &start), case.declaration);

        let fine = Bed::new(case, "frame_suzuki4").run(3200, time / 3200.0);
        let fine = Stepped { q: fine.q().to_vec(), v: fine.v(), z: Vec::new() };
        let usual = (time / case.h) as u64;
        for (id, order, steps) in
            [("discrete_gradient", 2.0, 4 * usual), ("discrete_gradient_suzuki4", 4.0, 2 * usual)]
        {
            let bed = Bed::new(case, id);
            let [coarse, half] = [steps, 2 * steps].map(|steps| {
                let end = bed.run(steps, time / steps as f64);
                distance(&Stepped { q: end.q().to_vec(), v: end.v(), z: Vec::new() }, &fine)
            });
            let slope = (coarse / half).log2();
            assert!((slope - order).abs() < 0.2, "{id}: {slope}, {coarse:e}\n{}", case.declaration);
        }
    }
}

/// What they do not keep: the energies of parts that do not interact.
#[test]
fn discrete_gradients_mix_the_energies_of_parts() {
    let bed = Bed::new(&GEARBOX, "discrete_gradient");
    let run = bed.run(20_000, GEARBOX.h);
    let (q, v) = (run.q(), run.v());
    let driven = (v[1] * v[1] + v[2] * v[2] + q[1] * q[1] + q[2] * q[2]) / 2.0;
    assert!((driven - 0.5).abs() > 1e-3, "{driven}");
}

/// The reason for which a method is refused.
fn refusal(declaration: &str, method: &str) -> String {
    let source = format!(
        "#[derive(Nonholonomic)] #[nonholonomic({declaration}, methods({method}))] struct Refused {{ m: f64 }}"
    );
    System::parse(&source, "frame.rs", None).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn systems_are_refused_with_the_reason() {
    const PENDULUM: &str =
        "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - y, holonomic(rod: x^2 + y^2 - 1 = 0)";
    for method in ["Frame", "DiscreteGradient"] {
        let reason = refusal(PENDULUM, method);
        assert!(reason.contains("does not keep position constraints; use `DlaRattle`"), "{reason}");
    }
    for moving in [
        "lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(belt: dx - dt = 0)",
        "lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(blade: sin(t)*dx - cos(t)*dy = 0)",
        "lagrangian = (1 + t^2)*m/2*(dot(x)^2 + dot(y)^2), constraints(blade: dx - x*dy = 0)",
    ] {
        let reason = refusal(&format!("coordinates(x, y), {moving}"), "DiscreteGradient");
        assert!(reason.contains("do not depend on time; use `Frame`"), "{reason}");
    }
    let body = "group = SO3(R; w1, w2, w3), lagrangian = m/2*(w1^2 + 2*w2^2 + w3^2), constraints(w3 = 0)";
    let reason = refusal(body, "DiscreteGradient");
    assert!(reason.contains("it is for coordinates alone; on SO3 use `Frame`"), "{reason}");
}
