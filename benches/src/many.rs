//! Many trajectories on one core: generated ensembles and hand-written kernels.

use crate::document::Table;
use crate::expert::lanes::{self, Multiply};
use crate::generated::vector;
use crate::models::MOST_STEPS;
use crate::multiplies::{Counted, counted};
use crate::time::{groups, nanoseconds};
use crate::{H, Phase, Run, Start};
use nhi_models::{Row, chaotic_r7, contact_oscillator, lie, sleigh_com, snakeboard};
use nhi_runtime::{Arithmetic, Dla2, Ensemble, Fields, Method, Rattle, Rdp, Scalar, System, Vector};
use std::fmt::Write;

/// The number of lanes of an ensemble's block.
pub const TRAJECTORIES: usize = 64;

/// The implementation, and whether it uses fused multiply–add.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Code {
    /// By hand, the closed form, fused.
    Plain,
    /// The same in separate operations.
    PlainSeparate,
    /// By hand, arranged for speed, fused.
    Best,
    /// The same in separate operations.
    BestSeparate,
    /// [`Ensemble::fused`].
    Fused,
    /// [`Ensemble`] with its default, separate operations.
    Generated,
}

impl Code {
    /// Its name in a table.
    pub fn label(self) -> &'static str {
        match self {
            Code::Plain => "by hand, plain, fused",
            Code::PlainSeparate => "by hand, plain, separate",
            Code::Best => "by hand, best, fused",
            Code::BestSeparate => "by hand, best, separate",
            Code::Fused => "generated, fused",
            Code::Generated => "generated, separate",
        }
    }
}

/// A workload, a method and an implementation of it for [`TRAJECTORIES`] trajectories.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `W1` to `W4`, `G4`.
    pub workload: &'static str,
    /// Name of the model.
    pub model: &'static str,
    /// Id of the method.
    pub method: &'static str,
    /// The implementation.
    pub code: Code,
    /// Trajectories from data near the model's; their phase is the concatenation of all phases.
    pub start: fn() -> Box<dyn Run>,
    /// Multiplications of a step of one trajectory.
    pub multiplications: fn() -> u64,
}

/// All cases, those of one workload and method together.
pub fn cases() -> Vec<Case> {
    let mut all = lanes::cases();
    all.extend(generated());
    all.sort_by_key(|case| (case.workload, case.method, case.code));
    all
}

/// Configurations and velocities near the model's.
pub(crate) fn initial<S: System>(row: &Row<S>) -> [(S::Configuration<f64>, S::Velocity<f64>); TRAJECTORIES] {
    std::array::from_fn(|i| {
        let (mut q, mut v) = row.start(&row.example());
        let mut angle = i as f64;
        // The entries of a rotation matrix are not free.
        let free = if q.as_ref().len() == v.as_ref().len() { q.as_mut() } else { &mut [] };
        for x in free.iter_mut().chain(v.as_mut()) {
            angle += 1.0;
            *x += 0.05 * (angle * i as f64).sin();
        }
        match S::project(&row.example().parameters(), &q, &v, 0.0, &S::Inputs::splat(0.0)) {
            Ok(v) => (q, v),
            Err(failure) => panic!("{}: {failure:?}", row.name),
        }
    })
}

impl<S: System, M: Method<S> + Sync, A: Arithmetic> Run for Ensemble<S, M, A> {
    #[inline(never)]
    fn advance(&mut self, steps: u64) {
        Ensemble::advance(self, steps);
        if let Some(error) = self.failures().next() {
            panic!("{error}");
        }
    }

    fn phase(&self) -> Phase {
        let of = |x: fn(&Self, usize) -> Vec<f64>| (0..self.len()).flat_map(|i| x(self, i)).collect();
        (of(|all, i| all.q(i).as_ref().to_vec()), of(|all, i| all.v(i).as_ref().to_vec()))
    }
}

fn ensemble<S: System + Clone, M: Method<S> + Clone>(row: &Row<S>, method: M) -> Ensemble<S, M> {
    match Ensemble::new(row.example(), method, initial(row), H) {
        Ok(ensemble) => ensemble,
        Err(error) => panic!("{}: {error}", row.name),
    }
}

/// Multiplications of a generated step.
fn multiplications<S: System, M: Method<S>>(row: &Row<S>, method: &M) -> u64 {
    let constant = |x, _| Counted::from_f64(x);
    let [(q, v), ..] = initial(row);
    let parameters: S::Parameters<Counted> = vector(row.example().parameters(), constant);
    let (q, v, inputs) = (vector(q, constant), vector(v, constant), S::Inputs::splat(Counted::from_f64(0.0)));
    let (h, t) = (Counted::from_f64(H), Counted::from_f64(0.0));
    let prepared = method.prepare(&parameters, h);
    let state = method.start(&parameters, h, &q, &v, &S::States::splat(t), t, &inputs);
    counted(|| match prepared.and_then(|prepared| method.step(&prepared, &state?, t, &inputs)) {
        Ok(next) => {
            // The part of the state that the next step reads.
            let (mut numbers, mut place) = (Vec::new(), 0);
            next.write(&mut |number| {
                if !M::TRAITS.dead.contains(&place) {
                    numbers.push(number);
                }
                place += 1;
            });
            numbers
        }
        Err(failure) => panic!("{}: {failure:?}", row.name),
    })
}

macro_rules! generated {
    ($($workload:literal $row:path, $id:literal $method:expr;)*) => {
        fn generated() -> Vec<Case> {
            let case = |workload, model, method, code, start, multiplications| Case {
                workload, model, method, code, start, multiplications,
            };
            let mut all: Vec<Case> = Vec::new();
            $(
                let count = || multiplications(&$row, &$method);
                let fused = || Box::new(ensemble(&$row, $method).fused()) as Box<dyn Run>;
                let separate = || Box::new(ensemble(&$row, $method)) as Box<dyn Run>;
                all.push(case($workload, $row.name, $id, Code::Fused, fused, count));
                all.push(case($workload, $row.name, $id, Code::Generated, separate, count));
            )*
            all
        }
    };
}

generated! {
    "W1" contact_oscillator::MODEL, "dla2" Dla2;
    "W1" contact_oscillator::MODEL, "rattle" Rattle;
    "W2" chaotic_r7::MODEL, "dla2" Dla2;
    "W2" chaotic_r7::MODEL, "rattle" Rattle;
    "W3" sleigh_com::MODEL, "dla2" Dla2;
    "W3" sleigh_com::MODEL, "rattle" Rattle;
    "W4" snakeboard::MODEL, "dla2" Dla2;
    "W4" snakeboard::MODEL, "rattle" Rattle;
    "G4" lie::ball_as_printed::MODEL, "rdp" Rdp;
}

/// Measures all cases.
///
/// # Errors
/// If there is no thread for them.
pub fn table() -> Result<Table, rayon::ThreadPoolBuildError> {
    let cases = cases();
    // One thread, which also measures the time.
    let core = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let ns = core.install(|| {
        let mut starts: Vec<Start<'_>> = cases.iter().map(|case| &case.start as Start<'_>).collect();
        starts.push(&Multiply::boxed);
        let same = |a: &Case, b: &Case| (a.workload, a.method) == (b.workload, b.method);
        let mut groups = groups(cases.chunk_by(same));
        groups.push(cases.len()..cases.len() + 1);
        nanoseconds(&starts, &groups, MOST_STEPS)
    });
    let ns: Vec<f64> = ns.into_iter().map(|ns| ns / TRAJECTORIES as f64).collect();
    let per_ns = Multiply::OF_A_STEP as f64 / ns[cases.len()];
    let mut text = String::from(
        "| workload | method | code | ns per step | to plain | to best | multiplications | floor, ns | reached |\n\
         |---|---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for (case, &time) in cases.iter().zip(&ns) {
        let to = |code: Code| {
            let same = |other: &Case| {
                (other.workload, other.method, other.code) == (case.workload, case.method, code)
            };
            let other = cases.iter().position(same);
            other.map_or("–".into(), |i| format!("{:.2}", time / ns[i]))
        };
        let multiplications = (case.multiplications)();
        let floor = multiplications as f64 / per_ns;
        let _ = writeln!(
            text,
            "| {} {} | {} | {} | {time:.2} | {} | {} | {multiplications} | {floor:.2} | {:.0} % |",
            case.workload,
            case.model,
            case.method,
            case.code.label(),
            to(Code::Plain),
            to(Code::Best),
            100.0 * floor / time,
        );
    }
    let _ = writeln!(text, "\nIndependent multiplications per nanosecond: {per_ns:.1}.");
    Ok(Table { name: "ensembles", text })
}
