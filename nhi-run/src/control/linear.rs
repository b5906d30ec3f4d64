//! Linear systems by the names of coordinates and velocities.

use super::steps::Steps;
use super::wrong;
use crate::{Error, System};
use nalgebra::DMatrix;
use nhi_control::{Linear, LqrError};
use nhi_jit::{Point, Simulation};

/// The first-order equations of the step just taken, by names of entries of the state: those of x = (q, ν, z), and `dot_theta` of each
/// velocity; see [`Linear::of_entries`], and, for `continuous` equations, [`Linear::continuous`]. Without names, those of x.
///
/// # Errors
/// [`Error::Argument`] for names, for constraints that inputs drive, and before the first step; those of [`System::derivatives`] and
/// [`System::basis_derivative`].
pub fn linear(
    system: &System,
    sim: &Simulation,
    entries: Option<&[&str]>,
    continuous: bool,
) -> Result<Linear, Error> {
    let steps = Steps::new(system, sim.variant())?;
    let before = sim
        .before_last_step()
        .ok_or_else(|| wrong("sim", "no step has been taken since its state was set"))?;
    let (parameters, t, u) = (before.parameters(), before.time(), before.inputs());
    let (q, v, z) = (before.q(), before.v(), before.z());
    let undefined = |cause| wrong("sim", cause);
    let state = steps.state((parameters, t), q, &v).map_err(|cause| wrong("sim", cause))?;
    let x = super::State { z: z.to_vec(), ..state };
    let mut names: Vec<String> = (0..steps.sizes.states).map(|i| steps.entry(i)).collect();
    let of_x = names.clone();
    names.extend(system.velocities().iter().map(|name| format!("dot_{name}")));
    let derivative = system.basis_derivative()?;
    let frame = |t: f64, x: &super::State| -> Result<DMatrix<f64>, Error> {
        let (n, d, size) = (system.velocities().len(), x.nu.len(), steps.sizes.states);
        let at = Point { parameters, q: &x.q, v: &[], z: &x.z, t, inputs: u };
        let by_q = derivative.at(&at, &x.nu)?;
        let basis = system.basis()?.at(&at)?.basis;
        Ok(DMatrix::from_fn(size + n, size, |i, j| match i.checked_sub(size) {
            None => f64::from(u8::from(i == j)),
            Some(i) if j < n => by_q[i * n + j],
            Some(i) if j < n + d => basis[i * d + j - n],
            Some(_) => 0.0,
        }))
    };
    let begin = frame(t, &x)?;
    let all: Vec<&str> = match entries {
        Some(entries) => entries.to_vec(),
        None => of_x.iter().map(String::as_str).collect(),
    };
    let named = |error: LqrError| wrong("entries", error);
    let at = |h: f64| -> Result<Linear, Error> {
        let after = steps.step((parameters, t), h, &x, u).map_err(undefined)?;
        let (size, inputs) = (steps.sizes.states, steps.sizes.inputs);
        let mut ab = vec![0.0; size * (size + inputs)];
        let lambda = &steps.lambda;
        steps
            .at((parameters, t), &x, u, |at| steps.derivatives.linearize_to(at, lambda, h, &mut ab))
            .map_err(undefined)?;
        let ab = DMatrix::from_row_slice(size, size + inputs, &ab);
        let (a, b) = (ab.columns(0, size).into_owned(), ab.columns(size, inputs).into_owned());
        let step = Linear { names: of_x.clone(), a, b };
        step.in_entries(&names, [&begin, &frame(t + h, &after)?], &all).map_err(named)
    };
    let whole = if continuous { Linear::by_size(at, sim.h())? } else { at(sim.h())? };
    whole.first(all.len()).map_err(named)
}
