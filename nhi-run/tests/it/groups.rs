//! Configuration spaces with several group factors: products of systems that nothing couples, coupled ones, and what is refused.

use nhi_jit::{Compiled, Point, Simulation, Stepped};
use nhi_run::System;

fn parse(declaration: &str) -> System {
    let source = format!("#[derive(Nonholonomic)]\n#[nonholonomic({declaration}, methods(all))] struct S;");
    System::parse(&source, "groups.rs", None).unwrap_or_else(|error| panic!("{error}"))
}

/// A system on one group.
struct Part {
    group: &'static str,
    lagrangian: &'static str,
    constraint: &'static str,
    q: &'static [f64],
    v: &'static [f64],
}

const TURNED: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 0.8, -0.6, 0.0, 0.6, 0.8];

/// Suslov's body.
const SUSLOV: Part = Part {
    group: "SO3(R; w1, w2, w3)",
    lagrangian: "(w1^2 + 2*w2^2 + 1.5*w3^2)/2 + 0.2*w1*w3",
    constraint: "w3 - 0.3*w1 = 0",
    q: &TURNED,
    v: &[0.9, -0.5, 0.27],
};

const SLEIGH: Part = Part {
    group: "SE2(theta, x, y; omega, v, w)",
    lagrangian: "0.7*omega^2/2 + (v^2 + (w + 0.2*omega)^2)/2",
    constraint: "w = 0",
    q: &[0.4, 0.1, -0.3],
    v: &[1.1, 0.6, 0.0],
};

/// Suslov's body with weight.
const TOP: Part = Part { lagrangian: "(w1^2 + 2*w2^2 + 1.5*w3^2)/2 - 0.8*R[2][2] - 0.3*R[2][0]", ..SUSLOV };

/// The sleigh on a hill.
const HILL: Part = Part { lagrangian: "0.7*omega^2/2 + (v^2 + w^2)/2 - x^2/4 - 0.3*y*cos(theta)", ..SLEIGH };

/// The state after steps by a method, as (q, v).
fn run(system: &System, id: &str, (q, v): (&[f64], &[f64]), steps: u64) -> [Vec<f64>; 2] {
    let variant = system.variant(id).expect("a method of the system");
    let compiled = system.compiled(variant).expect("a compiled method");
    let mut run =
        Simulation::new(&compiled, variant, &[], q, v, 0.05).unwrap_or_else(|e| panic!("{id}: {e}"));
    run.advance(steps).unwrap_or_else(|e| panic!("{id}: {e}"));
    [run.q().to_vec(), run.v()]
}

/// Steps of a product of systems are those of its factors.
fn compare(parts: [&Part; 2]) {
    let [a, b] = parts;
    let both = parse(&format!(
        "group = ({}, {}), lagrangian = {} + {}, constraints({}, {})",
        a.group, b.group, a.lagrangian, b.lagrangian, a.constraint, b.constraint
    ));
    let alone = parts.map(|part| {
        let Part { group, lagrangian, constraint, .. } = part;
        parse(&format!("group = {group}, lagrangian = {lagrangian}, constraints({constraint})"))
    });
    let start = ([a.q, b.q].concat(), [a.v, b.v].concat());
    assert!(both.declared().len() > 6);
    for method in both.declared() {
        let id = method.facts().id;
        let together = run(&both, id, (&start.0, &start.1), 100);
        let [first, second] = [0, 1].map(|i| run(&alone[i], id, (parts[i].q, parts[i].v), 100));
        for (together, (first, second)) in together.iter().zip(first.iter().zip(&second)) {
            for (x, y) in together.iter().zip(first.iter().chain(second)) {
                assert!((x - y).abs() < 1e-11, "{id}: {together:?} {first:?} {second:?}");
            }
        }
    }
}

#[test]
fn systems_that_are_not_coupled_move_as_they_do_alone() {
    compare([&SUSLOV, &SLEIGH]);
    compare([&SLEIGH, &SUSLOV]);
    compare([&TOP, &HILL]);
}

/// Two factors of the same group.
#[test]
fn a_group_may_be_a_factor_twice() {
    let other = Part {
        group: "SO3(Q; u1, u2, u3)",
        lagrangian: "(2*u1^2 + u2^2 + u3^2)/2 - 0.5*Q[1][1]",
        constraint: "u2 + 0.4*u3 = 0",
        q: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        v: &[0.7, 0.2, -0.5],
    };
    compare([&TOP, &other]);
}

/// Two spacecraft with a spring between points that are not their centres.
const SPACECRAFT: &str = "group = (SE3(A, p; u1, u2, u3, v1, v2, v3), SE3(B, q; w1, w2, w3, x1, x2, x3)),
    lagrangian = (u1^2 + 1.5*u2^2 + 2*u3^2)/2 + 1.1*(v1^2 + v2^2 + v3^2)/2
        + (1.2*w1^2 + 0.8*w2^2 + 1.7*w3^2)/2 + 0.9*(x1^2 + x2^2 + x3^2)/2
        - ((p[0] + 0.4*A[0][0] - q[0] + 0.3*B[0][1])^2 + (p[1] + 0.4*A[1][0] - q[1] + 0.3*B[1][1])^2
            + (p[2] + 0.4*A[2][0] - q[2] + 0.3*B[2][1])^2)/2,
    constraints()";

fn spacecraft() -> (Vec<f64>, Vec<f64>) {
    let q =
        [&TURNED[..], &[0.2, -0.1, 0.3], &[0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0], &[1.4, 0.3, -0.2]];
    (q.concat(), vec![0.4, -0.3, 0.6, 0.5, 0.1, -0.2, -0.2, 0.5, 0.3, -0.4, 0.2, 0.1])
}

/// The total linear and angular momentum in space.
fn total_momentum([q, v]: &[Vec<f64>; 2]) -> [f64; 6] {
    let inertias = [[1.0, 1.5, 2.0, 1.1], [1.2, 0.8, 1.7, 0.9]];
    let mut total = [0.0; 6];
    for (i, inertia) in inertias.iter().enumerate() {
        let (pose, velocity) = (&q[12 * i..], &v[6 * i..]);
        let in_space =
            |body: [f64; 3]| [0, 3, 6].map(|row| (0..3).map(|j| pose[row + j] * body[j]).sum::<f64>());
        let linear = in_space([3, 4, 5].map(|j| inertia[3] * velocity[j]));
        let spin = in_space([0, 1, 2].map(|j| inertia[j] * velocity[j]));
        let p = &pose[9..];
        for k in 0..3 {
            let [a, b] = [(k + 1) % 3, (k + 2) % 3];
            total[k] += linear[k];
            total[3 + k] += spin[k] + p[a] * linear[b] - p[b] * linear[a];
        }
    }
    total
}

#[test]
fn coupled_spacecraft_keep_their_total_momentum() {
    let (system, (q, v)) = (parse(SPACECRAFT), spacecraft());
    let before = total_momentum(&[q.clone(), v.clone()]);
    let after = total_momentum(&run(&system, "rdp", (&q, &v), 400));
    for (before, after) in before.iter().zip(after) {
        assert!((before - after).abs() < 1e-11, "{before} {after}");
    }
}

#[test]
fn coupled_spacecraft_keep_their_energy_by_the_frame_method() {
    let (system, (q, v)) = (parse(SPACECRAFT), spacecraft());
    let variant = system.variant("frame").unwrap();
    let compiled = system.compiled(variant).unwrap();
    let mut run = Simulation::new(&compiled, variant, &[], &q, &v, 0.05).unwrap();
    let before = run.energy();
    for _ in 0..20 {
        run.advance(50).unwrap();
        assert!((run.energy() - before).abs() < 1e-12, "{:e}", run.energy() - before);
    }
}

#[test]
fn steps_of_coupled_spacecraft_are_of_order_two() {
    let (system, (q, v)) = (parse(SPACECRAFT), spacecraft());
    let at = |id: &str, steps: u64| {
        let variant = system.variant(id).unwrap();
        let compiled = system.compiled(variant).unwrap();
        let mut run = Simulation::new(&compiled, variant, &[], &q, &v, 1.0 / steps as f64).unwrap();
        run.advance(steps).unwrap();
        [run.q().to_vec(), run.v()].concat()
    };
    let exact = at("rkmk4", 1000);
    for id in ["rdp", "frame"] {
        let [coarse, fine] = [40, 80].map(|steps| {
            at(id, steps).iter().zip(&exact).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()))
        });
        let slope = (coarse / fine).log2();
        assert!((slope - 2.0).abs() < 0.1, "{id}: {slope}, {coarse:e}");
    }
}

/// A car with a ball on its roof, and a coordinate of its own.
const CAR: &str = "coordinates(s), group = (SE2(theta, x, y; omega, v, w), SO3(R; w1, w2, w3)),
    lagrangian = 0.7*omega^2/2 + (v^2 + w^2)/2 + (w1^2 + 1.4*w2^2 + 0.8*w3^2)/2 + dot(s)^2/2 + 0.2*dot(s)*v
        - s^2/2 - 0.3*x*R[2][2] - 0.4*R[0][1]*sin(theta),
    constraints(w = 0, w1 - 0.5*v + 0.2*R[2][0]*omega = 0)";
const CAR_Q: [f64; 13] = [0.3, 0.4, 0.1, -0.3, 1.0, 0.0, 0.0, 0.0, 0.8, -0.6, 0.0, 0.6, 0.8];

/// Against differences of steps, along and across the factors.
#[test]
fn steps_on_products_are_differentiated() {
    let system = parse(CAR);
    let (manifold, basis) = (system.manifold(), system.basis().unwrap());
    for id in ["rdp", "frame"] {
        let variant = system.variant(id).unwrap();
        let compiled: Compiled = system.compiled(variant).unwrap();
        let given = Point { q: &CAR_Q, v: &[0.2, 0.8, 0.6, 0.0, 0.3, -0.5, 0.7], ..Point::default() };
        let v = compiled.project(&given).unwrap();
        let at = Point { v: &v, ..given };
        let nu = basis.quasi_velocity(&at).unwrap();
        let after = |delta: &[f64]| {
            let [q, nu, _] = manifold.retract([&CAR_Q[..], &nu, &[]], delta);
            let v = basis.velocity(&Point { q: &q, ..Point::default() }, &nu).unwrap();
            let Stepped { q, v, .. } =
                compiled.step(variant, &Point { q: &q, v: &v, ..Point::default() }, 0.1).unwrap();
            let nu = basis.quasi_velocity(&Point { q: &q, v: &v, ..Point::default() }).unwrap();
            [q, nu]
        };
        let nx = 7 + nu.len();
        let reached = after(&vec![0.0; nx]);
        let moved = |delta: &[f64]| {
            let [q, nu] = after(delta);
            manifold.difference([&reached[0][..], &reached[1], &[]], [&q[..], &nu, &[]])
        };
        let along = |pairs: &[(usize, f64)]| {
            let mut delta = vec![0.0; nx];
            pairs.iter().for_each(|&(i, size)| delta[i] += size);
            moved(&delta)
        };
        let mut run = Simulation::at_point(&compiled, variant, &at, 0.1).unwrap();
        run.advance(1).unwrap();
        let a = run.linearize(&system.derivatives(variant).unwrap()).unwrap().a;
        for j in 0..nx {
            let [low, high] = [-1e-5, 1e-5].map(|size| along(&[(j, size)]));
            for i in 0..nx {
                let slope = (high[i] - low[i]) / 2e-5;
                assert!((slope - a[nx * i + j]).abs() < 1e-7, "{id}, {i}, {j}: {slope} {}", a[nx * i + j]);
            }
        }
        let w: Vec<f64> = (0..nx).map(|i| (0.4 + i as f64).sin()).collect();
        let back = run.pull_back(&system.derivatives(variant).unwrap(), &w).unwrap().a;
        for j in 0..nx {
            let product: f64 = (0..nx).map(|i| w[i] * a[nx * i + j]).sum();
            assert!((product - back[j]).abs() < 1e-11, "{id}, {j}: {product} {}", back[j]);
        }
        let xx = run.curvature(&system.second_derivatives(variant).unwrap(), &w).unwrap().xx;
        let size = 1e-3;
        let weighted =
            |pairs: &[(usize, f64)]| -> f64 { along(pairs).iter().zip(&w).map(|(x, w)| x * w).sum() };
        for i in 0..nx {
            for j in 0..=i {
                let corner = |a: f64, b: f64| weighted(&[(i, a * size), (j, b * size)]);
                let second = (corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0))
                    / (4.0 * size * size);
                assert!(
                    (second - xx[nx * i + j]).abs() < 1e-4,
                    "{id}, {i}, {j}: {second} {}",
                    xx[nx * i + j]
                );
            }
        }
    }
}

/// Each pose is checked, and named.
#[test]
fn poses_are_checked() {
    let system = parse(
        "group = (SO3(R; w1, w2, w3), SO3(Q; u1, u2, u3)),
            lagrangian = (w1^2 + w2^2 + w3^2 + u1^2 + u2^2 + u3^2)/2, constraints(w1 - u1 = 0)",
    );
    assert_eq!(system.velocities(), ["w1", "w2", "w3", "u1", "u2", "u3"]);
    let variant = system.variant("rdp").unwrap();
    let compiled = system.compiled(variant).unwrap();
    let mut q = [TURNED, TURNED].concat();
    q[9] += 0.1;
    let error = Simulation::new(&compiled, variant, &[], &q, &[0.0; 6], 0.1).unwrap_err();
    assert!(matches!(&error, nhi_jit::Error::Pose { name, .. } if name == "Q"), "{error}");
}
