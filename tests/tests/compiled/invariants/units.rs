//! Results do not depend on the units that a system is declared in.
//!
//! In units that differ by powers of two every number of a run has the same digits as before, unless
//! somewhere a quantity with a unit is compared with a number without one.

use nhi_models::{Model, common_methods, euler_disk, model, rotating_table_skate};
use nhi_runtime::prelude::*;

/// Exponents of mass, length and time.
type Dimension = [i32; 3];

const ANGLE: Dimension = [0, 0, 0];
const LENGTH: Dimension = [0, 1, 0];
const MASS: Dimension = [1, 0, 0];
const INERTIA: Dimension = [1, 2, 0];
const STIFFNESS: Dimension = [1, 0, -2];
const FREQUENCY: Dimension = [0, 0, -1];
const ACCELERATION: Dimension = [0, 1, -2];

/// A model and the dimensions of its parameters and coordinates.
struct Case {
    model: &'static str,
    parameters: &'static [Dimension],
    coordinates: &'static [Dimension],
}

/// Newton's method in impulses, in velocities and impulses, with an affine constraint, and with two
/// constraints.
const CASES: &[Case] = &[
    Case { model: "sleigh_com", parameters: &[MASS, INERTIA, LENGTH], coordinates: &[ANGLE, LENGTH, LENGTH] },
    Case {
        model: "sleigh_moving_mass",
        parameters: &[MASS, INERTIA, LENGTH, MASS, STIFFNESS, LENGTH],
        coordinates: &[ANGLE, LENGTH, LENGTH, LENGTH],
    },
    Case {
        model: "rotating_table_skate",
        parameters: &[MASS, INERTIA, FREQUENCY, STIFFNESS],
        coordinates: &[LENGTH, LENGTH, ANGLE],
    },
    Case {
        model: "snakeboard_free",
        parameters: &[MASS, LENGTH, INERTIA, INERTIA],
        coordinates: &[ANGLE, ANGLE, ANGLE, LENGTH, LENGTH],
    },
    Case {
        model: "euler_disk",
        parameters: &[MASS, LENGTH, INERTIA, INERTIA, ACCELERATION],
        coordinates: &[LENGTH, LENGTH, ANGLE, ANGLE, ANGLE],
    },
];

/// About 1e-6 and 1e6: the size of the new unit of mass, length or time in old ones.
const FACTORS: [i32; 3] = [-20, 0, 20];

fn power(dimension: Dimension, units: [i32; 3]) -> f64 {
    2f64.powi(dimension.iter().zip(units).map(|(d, u)| d * u).sum())
}

/// Each number, of dimension `dimensions` per time to the power `per_time`, in other units.
fn scaled(x: &[f64], dimensions: &[Dimension], per_time: i32, units: [i32; 3]) -> Vec<f64> {
    let dimension = |&[mass, length, time]: &Dimension| [mass, length, time - per_time];
    x.iter().zip(dimensions).map(|(x, d)| x * power(dimension(d), units)).collect()
}

impl Case {
    /// q, v and the energy after `steps` steps in the given units, converted back; or the message of
    /// the error.
    fn run(&self, method: &nhi_models::Method, units: [i32; 3], steps: u64) -> Result<Vec<f64>, String> {
        let model = model(self.model).unwrap();
        let parameters = model.defaults();
        let (q0, v0) = model.instance(&parameters).initial();
        let instance = model.instance(&scaled(&parameters, self.parameters, 0, units));
        let q0 = scaled(&q0, self.coordinates, 0, units);
        let v0 = scaled(&v0, self.coordinates, 1, units);
        let h = 0.02 * power([0, 0, 1], units);
        let mut run = instance.start(method, &q0, &v0, &[], h).map_err(|e| e.to_string())?;
        run.advance(steps).map_err(|e| e.to_string())?;
        let back = units.map(|u| -u);
        let mut result = scaled(&run.q(), self.coordinates, 0, back);
        result.extend(scaled(&run.v(), self.coordinates, 1, back));
        result.push(run.energy() * power([1, 2, -2], back));
        Ok(result)
    }
}

#[test]
fn every_method_takes_the_same_steps_in_all_units() {
    for case in CASES {
        for method in common_methods() {
            let expected = case.run(method, [0; 3], 30).unwrap();
            for mass in FACTORS {
                for length in FACTORS {
                    for time in FACTORS {
                        let units = [mass, length, time];
                        let got = case.run(method, units, 30);
                        assert_eq!(got.as_ref(), Ok(&expected), "{} {} {units:?}", case.model, method.id);
                    }
                }
            }
        }
    }
}

#[test]
fn a_system_at_rest_stays_there() {
    // A skate on a turning table, at rest in space where μ₀ vanishes, but its terms do not.
    let table = rotating_table_skate::RotatingTableSkate { m: 1.0, J: 0.4, Om: 0.6, k: 0.0 };
    let q0 = [1.0, -1.0, std::f64::consts::FRAC_PI_4];
    for h in [0.01, 0.1] {
        let mut sim = Simulation::new(table.clone(), Dla2, q0, [0.0; 3], h).unwrap();
        for _ in 0..100 {
            sim.step().unwrap();
        }
        assert!(sim.v().iter().all(|v| v.abs() < 1e-14), "{:?}", sim.v());
    }
    // An upright disk, whose equilibrium is not a number of the machine.
    let disk = &euler_disk::MODEL;
    let instance = disk.instance(&disk.defaults());
    for method in common_methods() {
        let q0 = [0.0, 0.0, 0.2, std::f64::consts::FRAC_PI_2, 0.0];
        let mut run = instance.start(method, &q0, &[0.0; 5], &[], 0.01).unwrap();
        run.advance(100).unwrap();
        assert!(run.v().iter().all(|v| v.abs() < 1e-13), "{}: {:?}", method.id, run.v());
    }
}
