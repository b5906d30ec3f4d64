//! Properties from node to node: the constraints, the reversal, and the parasitic mode.

use super::Course;
use nhi_run::OneForms;
use nhi_run::model::{Family, Instance, Method, Node, Trajectory};
use nhi_runtime::{Error, Failure};

/// Steps there and back.
const STEPS: u64 = 20;

/// Largest constraint residual |μv + μ₀| of a run, relative to |μ||v| + |μ₀| with the larger of the
/// velocities at the reflection, whose mean v is; up to the end of the run.
pub fn residual(course: &Course, method: &Method) -> f64 {
    let instance = course.instance();
    let Ok(mut trajectory) = course.start(&*instance, method) else { return f64::NAN };
    let mut worst: f64 = 0.0;
    for _ in 0..course.steps() {
        if trajectory.step().is_err() {
            break;
        }
        worst = worst.max(relative_residual(&*instance, &*trajectory));
    }
    worst
}

fn relative_residual(instance: &dyn Instance, trajectory: &dyn Trajectory) -> f64 {
    let Node { q, jump: (before, after), .. } = trajectory.node();
    let OneForms { mu, mu_t, .. } = OneForms::of(before.len(), |v| instance.residual(&q, v));
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let speed = norm(&before).max(norm(&after));
    let residuals = instance.residual(&q, &trajectory.v());
    let relative = residuals
        .iter()
        .zip(mu.iter().zip(mu_t))
        .map(|(residual, (mu, mu_t))| residual.abs() / (norm(mu) * speed + mu_t.abs()));
    relative.fold(0.0, f64::max)
}

/// The error of the start after steps h and back with −h, relative to 1 + |value|.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// By the same method: rounding if it is symmetric.
    pub own: Result<f64, Failure>,
    /// By its adjoint, if that is another method.
    pub adjoint: Option<Result<f64, Failure>>,
}

/// Twenty steps forward and back from the complete state, including the momenta at the reflection.
pub fn reversal(course: &Course, method: &Method) -> Result<Reversal, Error> {
    let instance = course.instance();
    let there = course.start(&*instance, method)?;
    let back = |adjoint: &dyn Trajectory| {
        let from = there.node();
        let to = there.follow(&from, course.h, STEPS)?;
        let arrived = adjoint.follow(&to.reversed(), -course.h, STEPS)?.reversed();
        Ok(distance(&arrived, &from))
    };
    let adjoint = method.adjoint.filter(|id| *id != method.id).and_then(nhi_run::model::method);
    let adjoint = adjoint.map(|adjoint| course.start(&*instance, adjoint)).transpose()?;
    Ok(Reversal { own: back(&*there), adjoint: adjoint.map(|adjoint| back(&*adjoint)) })
}

fn distance(a: &Node, b: &Node) -> f64 {
    let entries = |node: &Node| [&node.q[..], &node.jump.0, &node.jump.1].concat();
    entries(a).iter().zip(entries(b)).map(|(a, b)| (a - b).abs() / (1.0 + b.abs())).fold(0.0, f64::max)
}

/// The parasitic mode of a method that reflects the momentum.
#[derive(Clone, Debug)]
pub struct Parasite {
    /// Its largest amplitudes η in the first and in the last steps of the run.
    pub ends: [f64; 2],
    /// Times and amplitudes.
    pub course: Vec<(f64, f64)>,
}

/// Number of nodes at each end of the run.
const END: usize = 10;

/// Measures the parasitic mode over a run; `None` for methods without one.
pub fn parasite(course: &Course, method: &Method) -> Option<Parasite> {
    if method.family != Family::Gni {
        return None;
    }
    let instance = course.instance();
    let mut trajectory = course.start(&*instance, method).ok()?;
    let mut etas = Vec::new();
    for _ in 0..course.steps() {
        let Ok(()) = trajectory.step() else { break };
        let Ok(eta) = amplitude(&*instance, &*trajectory, course.h) else { break };
        etas.push((trajectory.time(), eta));
    }
    let largest = |etas: &[(f64, f64)]| etas.iter().map(|(_, eta)| *eta).fold(0.0, f64::max);
    let ends = [largest(&etas[..END.min(etas.len())]), largest(&etas[etas.len().saturating_sub(END)..])];
    Some(Parasite { ends, course: etas })
}

/// η = ‖½(p⁻ − p⁺) − ½h μᵀΛ(q, v)‖, as
/// [`Simulation::parasite`](nhi_runtime::Simulation::parasite), of any simulation.
fn amplitude(instance: &dyn Instance, trajectory: &dyn Trajectory, h: f64) -> Result<f64, Failure> {
    let (q, (pre, post)) = (trajectory.q(), trajectory.jump());
    let inputs = [];
    let (_, lambda) = instance.acceleration(&q, &trajectory.v(), trajectory.time(), &inputs)?;
    let reaction = OneForms::of(pre.len(), |v| instance.residual(&q, v)).reaction(&lambda);
    let jumps = pre.iter().zip(&post);
    let eta2 =
        jumps.zip(&reaction).map(|((pre, post), reaction)| ((post - pre - h * reaction) / 2.0).powi(2));
    Ok(eta2.sum::<f64>().sqrt())
}
