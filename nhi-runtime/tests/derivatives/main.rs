//! Derivatives of steps: against dual numbers, and which step they are of.
#![cfg(all(feature = "derive", feature = "std"))]

mod oracle;
mod systems;

use nhi_runtime::prelude::*;
use nhi_runtime::{Differentiable, Error, Fits, ReducedOf, System, Tangential, Vector};
use oracle::Departure;

/// A number in [−1, 1) from a linear congruence.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector<V: Vector<f64>>(&mut self, radius: f64) -> V {
        let mut vector = V::splat(0.0);
        vector.as_mut().iter_mut().for_each(|x| *x = radius * self.number());
        vector
    }
}

/// Compares derivatives along a trajectory with inputs that change.
fn check<S: Tangential + Clone, M: Differentiable<S> + Copy>(
    system: &S,
    method: M,
    q0: impl Fits<S::Configuration<f64>>,
    h: f64,
) {
    let mut random = Random(3);
    let name = format!("{}, {}", S::NAME, method.id());
    let parameters = system.parameters();
    let (t, inputs): (f64, S::Inputs<f64>) = (0.4, random.vector(0.5));
    let v: S::Velocity<f64> = random.vector(1.0);
    let q = q0.fit();
    let v = S::project(&parameters, &q, &v, t, &inputs).expect("an admissible velocity");
    let mut sim = Simulation::builder(system.clone(), method)
        .at(t)
        .start(q, v)
        .inputs(&inputs)
        .states(random.vector::<S::States<f64>>(0.4))
        .step_size(h)
        .build()
        .expect("a start");
    assert_eq!(sim.linearize().map(|_| ()), Err(Error::NoStep), "{name}");
    let mut worst = oracle::Errors::default();
    for _ in 0..6 {
        let mut inputs: S::Inputs<f64> = sim.inputs();
        // Those of a driven constraint hold at the end of the step before, and jump in it.
        inputs.as_mut().iter_mut().for_each(|u| *u += 0.02 * random.number());
        let from = Departure::of(&sim, inputs);
        sim.step_with(&inputs).expect("a step");
        let linear = sim.linearize().expect("derivatives");
        let by_parameters = sim.linearize_parameters().expect("derivatives");
        let w: S::Tangent<f64> = random.vector(1.0);
        let pulled = sim.pull_back(&w).expect("products");
        let errors = oracle::errors(&name, &method, &parameters, &from, &linear, &by_parameters, &w, &pulled);
        worst.blocks = worst.blocks.max(errors.blocks);
        worst.products = worst.products.max(errors.products);
    }
    println!("{name}: {worst:?}");
}

macro_rules! tests {
    ($($name:ident: $q0:expr, $h:literal, [$($method:expr),*];)*) => {$(
        #[test]
        fn $name() {
            $(check(&systems::$name(), $method, $q0, $h);)*
        }
    )*};
}

tests! {
    sleigh: [0.3, 0.2, -0.4], 0.05, [Dla1, Dla2, Dla2Midpoint, DlaRattle, Rk4];
    snakeboard: [0.1, 0.4, -0.3, 0.2, 0.6], 0.02, [Dla1, Dla2, DlaRattle, Rk4];
    car: [0.2, -0.1, 0.5, 0.3, -0.2], 0.02, [Dla1, Dla2, DlaRattle, Rk4];
    motor: [0.3, 0.2, -0.4, 0.7], 0.05, [Dla1, Dla2, DlaRattle, Rk4];
    bowl: [0.5, -0.4, 0.3*(0.25 + 0.16), 0.1], 0.05, [DlaRattle];
    pendulum: [0.2*(3.0_f64*0.4).sin() + 0.6, -0.8], 0.05, [DlaRattle];
    belt: [0.7, 0.2, -0.4], 0.05, [Dla2, DlaRattle];
    disk: [0.3, 0.6, 0.4, -0.2], 0.05, [Rdp, Rdp::new(Cayley), RdpLeft];
    ball: ([0.2, -0.3], nalgebra(0.4, -0.7, 0.5)), 0.05, [Rdp, Rdp::new(Cayley)];
}

/// A rotation by its vector, as rows of a matrix.
fn nalgebra(x: f64, y: f64, z: f64) -> [[f64; 3]; 3] {
    use nhi_runtime::group::{Exp, Retraction, SO3};
    let turn: SO3<f64> = Exp::tau([x, y, z]);
    turn.into()
}
