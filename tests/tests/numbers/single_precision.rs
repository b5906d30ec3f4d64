//! Constraints in single precision: methods on the constraint manifold are as far from it after ten thousand
//! steps as after one.

use nalgebra::{DMatrix, DVector};
use nhi_models::{
    Row, chaotic_r7, contact_oscillator, knife_incline, lie, mobile_robot, rotating_table_skate, sleigh_com,
    vertical_disk,
};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System, Vector};

const STEPS: u64 = 10_000;

/// From one look at the residual to the next.
const LOOKS: u64 = 7;

/// What roundings do to a residual, in `f32::EPSILON` = 2u and relative to ‖μ‖ (‖v‖ + ‖Bℓ‖) in the norm of the
/// kinetic energy, with n velocities and m constraints.
///
/// A step ends with velocities v' = w + Bℓ and impulses ℓ that solve C ℓ = −μw, C = μB. Nothing of what earlier
/// steps lost is in it, so that one bound holds for all steps. To first order, and since Σ |μᵢ| |xᵢ| ≤ ‖μ‖ ‖x‖:
///
/// - vᵢ' is a sum, (Bℓ)ᵢ a product, and Bᵢ a form times the inverse of a mass: 1 + 1 + 2 roundings, and one more where
///   it is made of an increment h vᵢ';
/// - in μw, forms are functions and products of them, terms are products, and n − 1 sums add them: n + 2;
/// - in C likewise, with the roundings of B, and one more for the division: n + 5;
/// - an elimination of m unknowns has the last two m times;
/// - the configuration is rounded after the forms were computed with it: its part has a term of its own;
/// - Newton's method stops when the next update would be `f32::EPSILON` in this norm.
///
/// That is u (5 + m (2n + 7)) + 2u.
fn multiple(n: usize, m: usize) -> f64 {
    ((5 + m * (2 * n + 7)) as f64) / 2.0 + 1.0
}

/// `x` in double precision.
fn wide<V: Vector<f64>>(x: &[f32]) -> V {
    let mut wide = V::splat(0.0);
    wide.as_mut().iter_mut().zip(x).for_each(|(wide, &x)| *wide = f64::from(x));
    wide
}

fn narrow<V: Vector<f32>>(x: &[f64]) -> V {
    let mut narrow = V::splat(0.0);
    narrow.as_mut().iter_mut().zip(x).for_each(|(narrow, &x)| *narrow = x as f32);
    narrow
}

/// The forms μ, one row per constraint, and μ₀ at q.
fn forms<S: System>(
    parameters: &S::Parameters<f64>,
    q: &S::Configuration<f64>,
) -> (DMatrix<f64>, DVector<f64>) {
    let n = S::VELOCITIES.len();
    let residual = |v: S::Velocity<f64>| {
        DVector::from_column_slice(S::residual(parameters, q, &v, 0.0, &S::Inputs::splat(0.0)).as_ref())
    };
    let affine = residual(S::Velocity::splat(0.0));
    let columns: Vec<_> = (0..n).map(|i| residual(unit::<S>(i)) - &affine).collect();
    (DMatrix::from_columns(&columns), affine)
}

fn unit<S: System>(i: usize) -> S::Velocity<f64> {
    let mut unit = S::Velocity::splat(0.0);
    unit[i] = 1.0;
    unit
}

/// M⁻¹ at q, of a system without gyroscopic terms.
fn sharp<S: System>(parameters: &S::Parameters<f64>, q: &S::Configuration<f64>) -> DMatrix<f64> {
    let column = |i| DVector::from_column_slice(S::momentum(parameters, q, &unit::<S>(i), 0.0).as_ref());
    let columns: Vec<_> = (0..S::VELOCITIES.len()).map(column).collect();
    DMatrix::from_columns(&columns).try_inverse().expect("a regular mass matrix")
}

/// What the roundings of every constraint are relative to. The first `coordinates` entries of a configuration
/// stand in the forms.
fn sizes<S: System>(
    parameters: &S::Parameters<f64>,
    q: &S::Configuration<f64>,
    v: &S::Velocity<f64>,
    impulses: &DVector<f64>,
    coordinates: usize,
) -> Vec<f64> {
    let (mu, affine) = forms::<S>(parameters, q);
    let sharp = sharp::<S>(parameters, q);
    let c = &mu * sharp * mu.transpose();
    let p = S::momentum(parameters, q, v, 0.0);
    let v_norm = v.as_ref().iter().zip(p.as_ref()).map(|(v, p)| v * p).sum::<f64>().sqrt();
    let reaction = impulses.dot(&(&c * impulses)).sqrt();
    let width = 1e-5;
    let slopes: Vec<_> = (0..coordinates)
        .map(|i| {
            let moved = |by: f64| {
                let mut q = *q;
                q[i] += by;
                DVector::from_column_slice(
                    S::residual(parameters, &q, v, 0.0, &S::Inputs::splat(0.0)).as_ref(),
                )
            };
            q[i].abs() * ((moved(width) - moved(-width)) / (2.0 * width)).abs()
        })
        .collect();
    let of = |a: usize| {
        let by_configuration: f64 = slopes.iter().map(|slope| slope[a]).sum();
        c[(a, a)].sqrt() * (v_norm + reaction) + affine[a].abs() + by_configuration
    };
    (0..mu.nrows()).map(of).collect()
}

/// The largest residual on the way, in units of what it may be.
fn worst<S: System + Clone, M: Method<S>>(row: &Row<S>, coordinates: usize, method: M, h: f32) -> f64 {
    let (q, v) = row.start(&row.example());
    let parameters: S::Parameters<f32> = narrow(row.example().parameters().as_ref());
    let q: S::Configuration<f32> = narrow(q.as_ref());
    let v = S::project(&parameters, &q, &narrow(v.as_ref()), 0.0, &S::Inputs::splat(0.0))
        .expect("an admissible velocity");
    let inputs = S::Inputs::<f32>::splat(0.0);
    let started = Simulation::with_parameters(row.example(), method, parameters, q, v, &inputs, h);
    let mut simulation = started.expect("a start");
    let parameters: S::Parameters<f64> = wide(parameters.as_ref());
    let limit = multiple(S::VELOCITIES.len(), S::CONSTRAINTS.len()) * f64::from(f32::EPSILON);
    let mut worst = 0.0;
    for k in 0..STEPS {
        simulation.step().expect("a step");
        if k % LOOKS != 0 {
            continue;
        }
        let (q, v) = (wide(simulation.q().as_ref()), wide(simulation.v().as_ref()));
        let lambda = simulation.multipliers();
        let impulses = lambda.as_ref().iter().map(|&lambda| f64::from(h * lambda));
        let impulses = DVector::from_iterator(S::CONSTRAINTS.len(), impulses);
        let sizes = sizes::<S>(&parameters, &q, &v, &impulses, coordinates);
        for (r, size) in
            S::residual(&parameters, &q, &v, 0.0, &S::Inputs::splat(0.0)).as_ref().iter().zip(sizes)
        {
            worst = f64::max(worst, r.abs() / (limit * size));
        }
    }
    worst
}

macro_rules! tests {
    ($($name:ident $row:path, $coordinates:literal, $h:literal: [$($method:expr),* $(,)?] $(but not $drifts:expr)?;)*) => {$(
        #[test]
        fn $name() {
            $({
                let worst = worst(&$row, $coordinates, $method, $h);
                assert!(worst <= 1.0, "{}: {worst} times what rounding does", stringify!($method));
            })*
            $(
                // What is lost in a step adds up where nothing brings it back.
                let worst = worst(&$row, $coordinates, $drifts, $h);
                assert!(worst > 1.0, "{}: {worst}", stringify!($drifts));
            )?
        }
    )*};
}

tests! {
    contact_oscillator contact_oscillator::MODEL, 3, 0.05: [
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, RattleRestarted,
        Compose::suzuki4(Dla2)
    ] but not Rk4;
    chaotic_r7 chaotic_r7::MODEL, 7, 0.02: [Dla1, Dla2, DlaRattle, RattleRestarted, Compose::triple4(Dla2)] but not Rk2Heun;
    sleigh_com sleigh_com::MODEL, 3, 0.02: [
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, RattleRestarted,
        Compose::suzuki4(Dla2)
    ] but not Rk4;
    mobile_robot mobile_robot::MODEL, 5, 0.02: [Dla2, DlaRattle, RattleRestarted];
    vertical_disk vertical_disk::MODEL, 4, 0.02: [Dla2, DlaRattle, RattleRestarted] but not Rk4;
    knife_incline knife_incline::MODEL, 3, 0.002: [Dla2, Dla2Midpoint, RattleRestarted] but not Rk4;
    rotating_table_skate rotating_table_skate::MODEL, 3, 0.02: [Dla2, DlaRattle, RattleRestarted] but not Rk4;
    se2_sleigh lie::chaplygin_sleigh::MODEL, 0, 0.02: [Rdp, RdpMidpoint, RdpLeft, RattleRestarted];
    chaplygin_ball lie::chaplygin_ball::MODEL, 0, 0.02: [Rdp, RdpRight, Rdp::new(Cayley)];
}
