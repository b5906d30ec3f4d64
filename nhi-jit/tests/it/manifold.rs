//! Displacements and differences of states, as of the systems that the derive generates, bit for bit.

use super::support;
use nhi_codegen::facts::SystemFacts;
use nhi_jit::Manifold;
use nhi_runtime::prelude::*;
use nhi_runtime::{Reduced, ReducedOf, Tangential, Vector};

/// A boat with a lagging thrust and a swinging mass.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(s),
    group = SE2(theta, x, y; omega, v, w),
    states(thrust),
    lagrangian = omega^2/4 + v^2/2 + w^2/2 + dot(s)^2/2 - k*s^2/2,
    constraints(w),
    force = thrust*v*dt,
    dynamics(dot(thrust) = -thrust),
    methods(Rdp + derivatives)
)]
struct Boat {
    k: f64,
}

/// A body that turns in space about two of its axes.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = i/2*(w1^2 + 2*w2^2 + 3*w3^2),
    constraints(w3),
    methods(Rdp + derivatives)
)]
struct Body {
    i: f64,
}

/// A cart with a filter.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    states(f[2]),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2),
    constraints(dz - y*dx),
    dynamics(dot(f[0]) = x - f[0], dot(f[1]) = f[0] - f[1]),
    methods(Dla2 + derivatives)
)]
struct Cart {
    m: f64,
}

/// That of the system of this file with that name.
fn manifold(name: &str) -> Manifold {
    Manifold::new(&SystemFacts::of(&support::derived(include_str!("manifold.rs"), name).mechanics))
}

/// Different numbers of the size of 1.
fn numbers<V: Vector<f64>>(seed: f64) -> V {
    let mut numbers = V::splat(0.0);
    let all = numbers.as_mut().iter_mut().enumerate();
    all.for_each(|(i, x)| *x = (seed + 1.7 * i as f64).sin());
    numbers
}

fn parts<S: Tangential>(x: &ReducedOf<S>) -> [&[f64]; 3] {
    [x.q.as_ref(), x.nu.as_ref(), x.z.as_ref()]
}

fn compare<S: Tangential>(manifold: Manifold, q: S::Configuration<f64>) {
    let x: ReducedOf<S> = Reduced { q, nu: numbers(0.2), z: numbers(0.6) };
    // The second displacement turns by more than half a turn.
    for size in [0.9, 5.0] {
        let mut delta: S::Tangent<f64> = numbers(0.3);
        delta.as_mut().iter_mut().for_each(|x| *x *= size);
        let moved = S::retract(&x, &delta);
        assert_eq!(manifold.retract(parts::<S>(&x), delta.as_ref()), parts::<S>(&moved));
        let difference = manifold.difference(parts::<S>(&x), parts::<S>(&moved));
        assert_eq!(difference, S::difference(&x, &moved).as_ref());
    }
}

#[test]
fn states_are_displaced_as_in_derived_code() {
    compare::<Boat>(manifold("Boat"), numbers(0.1));
    let turned = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
    compare::<Body>(manifold("Body"), turned.into());
    compare::<Cart>(manifold("Cart"), numbers(0.1));
    assert!(manifold("Cart").is_flat() && !manifold("Boat").is_flat());
}

#[test]
#[should_panic(expected = "length of a tangent vector")]
fn a_tangent_vector_has_all_entries() {
    manifold("Cart").retract([&[0.0; 3], &[0.0; 2], &[0.0; 2]], &[0.0; 6]);
}
