//! What is asked of every system.

use nhi_runtime::{Dla2, DlaRattle, Mechanics as _, Method, Rattle, Rk4, Simulation, System, Vector};
use nhi_tests::oracle::{self, Equations, Point, trajectory};

/// Derivatives by dual numbers are exact, so what is left is rounding, here and in the emitted code.
const ROUNDING: f64 = 1e-11;

/// Constraint residual of a state, relative to velocities of order one.
pub(crate) const ON_CONSTRAINT: f64 = 1e-13;

/// How far a measured order may be from the true one, with the coarser and with the finer pair of
/// step sizes.
const ORDER: [f64; 2] = [0.3, 0.1];

/// Error above which an order can be measured; the reference is good to 1e-12.
const MEASURABLE: f64 = 1e-10;

/// A vector of the runtime.
pub(crate) fn vector<V: Vector<f64>>(x: &[f64]) -> V {
    let mut v = V::splat(0.0);
    v.as_mut().copy_from_slice(x);
    v
}

/// Numbers in (-1, 1) (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn around(&mut self, centre: &[f64], distance: f64) -> Vec<f64> {
        centre.iter().map(|c| c + distance * self.number()).collect()
    }
}

fn assert_close(what: &str, got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    for (a, b) in got.iter().zip(expected) {
        assert!((a - b).abs() <= ROUNDING * size, "{what}: {got:?} instead of {expected:?}");
    }
}

/// Energy, momentum, projection, accelerations and multipliers at random states around `centre`.
pub(crate) fn equations_agree<S: System + Clone + Equations>(system: &S, centre: &[f64]) {
    let parameters = system.parameters();
    let mut random = Random(7);
    for _ in 0..20 {
        let q = random.around(centre, 0.3);
        let v = random.around(&vec![0.0; q.len()], 1.0);
        let inputs = random.around(&vec![0.0; S::INPUTS.len()], 1.0);
        let t = random.number();
        let expected = oracle::motion(system, &q, &v, t, &inputs);
        let (qs, vs) = (vector::<S::Configuration<f64>>(&q), vector::<S::Velocity<f64>>(&v));
        let (a, lambda) =
            system.acceleration(qs, vs, t, vector::<S::Inputs<f64>>(&inputs)).expect("an acceleration");
        assert_close("acceleration", a.as_ref(), &expected.acceleration);
        assert_close("multipliers", lambda.as_ref(), &expected.multipliers);
        let energy = S::energy(&parameters, &qs, &vs, 0.0);
        assert_close("energy", &[energy], &[oracle::energy(system, &q, &v)]);
        assert_close(
            "momentum",
            S::momentum(&parameters, &qs, &vs, 0.0).as_ref(),
            &oracle::momentum(system, &q, &v),
        );
        let residual = system.constraints(&q, &v);
        assert_close(
            "residual",
            S::residual(&parameters, &qs, &vs, 0.0, &S::Inputs::splat(0.0)).as_ref(),
            &residual,
        );
        let projected = S::project(&parameters, &qs, &vs, 0.0, &S::Inputs::splat(0.0)).expect("a projection");
        assert_close("projection", projected.as_ref(), &oracle::project(system, &q, &v));
    }
}

/// An initial value problem.
pub(crate) struct Problem<'a, S> {
    pub(crate) system: &'a S,
    /// Configuration and a velocity that is projected.
    pub(crate) q: &'a [f64],
    pub(crate) v: &'a [f64],
    /// One vector of inputs per interval; all intervals are equally long.
    pub(crate) inputs: &'a [&'a [f64]],
    /// End of the last interval.
    pub(crate) duration: f64,
    /// Steps per interval of the coarsest run.
    pub(crate) steps: usize,
}

/// One run: errors at its end, and the largest of what should be small on the way.
#[derive(Clone, Copy, Debug)]
struct Run {
    error: f64,
    multiplier_error: f64,
    residual: f64,
    energy_error: f64,
}

impl<S: System + Clone + Equations> Problem<'_, S>
where
    Dla2: Method<S>,
    DlaRattle: Method<S>,
    Rattle: Method<S>,
    Rk4: Method<S>,
{
    fn start(&self) -> Point {
        Point { q: self.q.to_vec(), v: oracle::project(self.system, self.q, self.v) }
    }

    fn reference(&self) -> Point {
        let interval = self.duration / self.inputs.len() as f64;
        let mut at = self.start();
        for (i, inputs) in self.inputs.iter().enumerate() {
            let t = i as f64 * interval;
            at = trajectory(self.system, &at, (t, t + interval), inputs);
        }
        at
    }

    fn run<M: Method<S>>(&self, method: M, steps: usize, end: &Point) -> Run {
        let start = self.start();
        let h = self.duration / (steps * self.inputs.len()) as f64;
        let first = vector::<S::Inputs<f64>>(self.inputs[0]);
        let (q, v): (S::Configuration<f64>, S::Velocity<f64>) = (vector(&start.q), vector(&start.v));
        let mut sim = Simulation::with_inputs(self.system.clone(), method, q, v, &first, h).expect("a start");
        let energy = sim.energy();
        let (mut residual, mut energy_error): (f64, f64) = (0.0, 0.0);
        for inputs in self.inputs {
            let inputs = vector::<S::Inputs<f64>>(inputs);
            for _ in 0..steps {
                sim.step_with(&inputs).expect("a step");
                let left = self.system.constraints(sim.q().as_ref(), sim.v().as_ref());
                residual = left.iter().fold(residual, |r, x| r.max(x.abs()));
                energy_error = energy_error.max((sim.energy() - energy).abs());
            }
        }
        let last = self.inputs[self.inputs.len() - 1];
        let expected = oracle::motion(self.system, &end.q, &end.v, self.duration, last).multipliers;
        let multipliers = sim.multipliers();
        let apart = expected.iter().zip(multipliers.as_ref()).map(|(a, b)| (a - b).abs());
        Run {
            error: end.distance(sim.q().as_ref(), sim.v().as_ref()),
            multiplier_error: apart.fold(0.0, f64::max),
            residual,
            energy_error,
        }
    }

    fn runs<M: Method<S> + Copy>(&self, method: M, end: &Point) -> [Run; 3] {
        [1, 2, 4].map(|finer| self.run(method, finer * self.steps, end))
    }

    /// The methods converge to the reference with their orders.
    pub(crate) fn converges(&self) {
        let end = self.reference();
        let constrained = !S::CONSTRAINTS.is_empty();
        let structured = [
            ("dla2", self.runs(Dla2, &end)),
            ("dla_rattle", self.runs(DlaRattle, &end)),
            ("rattle", self.runs(Rattle, &end)),
        ];
        for (method, runs) in structured {
            let name = format!("{method} of {}", S::NAME);
            assert_order(&name, 2.0, runs.map(|r| r.error));
            for run in runs {
                assert!(run.residual <= ON_CONSTRAINT, "{name}: residual {:e}", run.residual);
            }
            // The last multiplier belongs to some moment of the last step: order one. Where inputs
            // jump, so does the multiplier, and the reflection of RATTLE keeps the difference as an
            // oscillation of its multipliers that no step size makes smaller.
            let [_, middle, fine] = runs.map(|r| r.multiplier_error);
            let oscillating = method == "rattle" && self.inputs.len() > 1;
            assert!((fine > 0.9 * middle) == oscillating || !constrained, "{name}: multipliers {runs:?}");
            assert!(fine < 0.6 * middle || oscillating || !constrained, "{name}: multipliers {runs:?}");
        }
        let runs = self.runs(Rk4, &end);
        assert_order(&format!("rk4 of {}", S::NAME), 4.0, runs.map(|r| r.error));
    }

    /// The reference keeps the energy, and the methods keep it with their orders.
    pub(crate) fn conserves_energy(&self) {
        let (start, end) = (self.start(), self.reference());
        let energy = |p: &Point| oracle::energy(self.system, &p.q, &p.v);
        assert!((energy(&end) - energy(&start)).abs() < 1e-11, "{}: energy of the reference", S::NAME);
        assert_order("energy of dla2", 2.0, self.runs(Dla2, &end).map(|r| r.energy_error));
        assert_order("energy of dla_rattle", 2.0, self.runs(DlaRattle, &end).map(|r| r.energy_error));
        assert_order("energy of rattle", 2.0, self.runs(Rattle, &end).map(|r| r.energy_error));
    }
}

fn assert_order(name: &str, order: f64, errors: [f64; 3]) {
    assert!(errors[2] > MEASURABLE, "{name}: errors {errors:?} are too small to measure an order");
    let slopes = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    let good = slopes.iter().zip(ORDER).all(|(s, allowed)| (s - order).abs() <= allowed);
    assert!(good, "{name}: orders {slopes:?}, errors {errors:?}");
}
