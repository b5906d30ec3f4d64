//! Without a group the reduced methods are those of R^n: the particle among the reference data.

use super::{golden, numbers};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, State};

/// A particle on dz − y dx = 0 with a spring to the origin, of unit mass and stiffness.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2 - x^2 - y^2 - z^2)/2,
    constraints(dz - y*dx = 0),
    methods(
        Rdp, RdpMidpoint, RdpLeft, RdpRight, Rattle, GniMidpoint, GniEulerA, DlaRattleMidpoint, Rkmk2, Rkmk4,
        Rk2Midpoint, Rk4
    ),
)]
struct Particle;

/// What the data are to be met to.
const TOLERANCE: f64 = 1e-11;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
}

/// Runs a reference case with `method`. Of a method that reflects, `p_plus` is the momentum before the
/// reflection.
fn check<M: Method<Particle>>(name: &str, method: M, reflects: bool) {
    let case = golden(name);
    let h: f64 = case["h"].as_str().unwrap().parse().unwrap();
    let [q, v] = [("initial", "r"), ("initial", "v")].map(|(part, field)| numbers(&case[part][field]));
    let start: ([f64; 3], [f64; 3]) = (q.try_into().unwrap(), v.try_into().unwrap());
    let mut sim = Simulation::new(Particle, method, start.0, start.1, h).unwrap();
    let mut before = sim.q();
    for sample in case["samples"].as_array().unwrap() {
        while sim.steps() < sample["k"].as_u64().unwrap() {
            before = sim.q();
            sim.step().unwrap();
        }
        let k = sim.steps();
        let near = |got: &[f64], field: &str| {
            let error = distance(got, &numbers(&sample[field]));
            assert!(error < TOLERANCE, "{name}, step {k}: {field} off by {error:e}");
        };
        near(&sim.q(), "r");
        near(&sim.v(), "v");
        let energy = sample["E"].as_f64().unwrap();
        assert!((sim.energy() - energy).abs() < TOLERANCE, "{name}, step {k}: energy");
        if k > 0 {
            near(&[0, 1, 2].map(|i| (sim.q()[i] - before[i]) / h), "z");
            if reflects {
                near(&sim.state().jump().0, "p_plus");
            }
        }
    }
    assert_eq!(sim.steps(), 100);
}

#[test]
fn without_a_group_the_methods_are_those_of_coordinates() {
    check("particle__rdp__exp__a05", RdpMidpoint, false);
    check("particle__rdp__exp__trap", Rdp, false);
    check("particle__rgni__exp__trap", Rattle::plain(), true);
    check("particle__rgni__exp__mid", GniMidpoint::plain(), true);
    check("particle__rgni__exp__left", GniEulerA, true);
}

/// The distance of two runs of 200 steps.
fn apart<M: Method<Particle>, N: Method<Particle>>(one: M, other: N) -> f64 {
    let (q, v) = ([0.3, 0.5, -0.2], [0.6, 0.4, 0.3]);
    let mut one = Simulation::new(Particle, one, q, v, 0.05).unwrap();
    let mut other = Simulation::new(Particle, other, q, v, 0.05).unwrap();
    (0..200).fold(0.0, |most: f64, _| {
        one.step().unwrap();
        other.step().unwrap();
        most.max(distance(&one.q(), &other.q())).max(distance(&one.v(), &other.v()))
    })
}

/// Methods of coordinates under their own names: the constraint by the mid-point rule, and Munthe-Kaas'
/// methods, which have nothing to correct.
#[test]
fn the_methods_of_coordinates_have_the_same_trajectories() {
    assert!(apart(RdpMidpoint, DlaRattleMidpoint) < 1e-13);
    assert!(apart(Rkmk2, Rk2Midpoint) < 1e-13);
    assert!(apart(Rkmk4, Rk4) < 1e-13);
    assert!(apart(Rdp, DlaRattleMidpoint) > 1e-6);
}
