//! Step size and time span for each model.

use nhi_run::model::{Instance, Method, Model, Trajectory, Unloaded, loaded};
use nhi_runtime::Error;

/// A model and the run that its methods are measured over.
#[derive(Clone, Copy)]
pub struct Course {
    /// The model, with its default parameters.
    pub model: &'static dyn Model,
    /// Step size of long runs.
    pub h: f64,
    /// Time span of long runs.
    pub span: f64,
    /// A coordinate whose initial velocity is set to zero.
    pub held: Option<usize>,
}

/// Step sizes and time spans; the spans of 200, 60 and 40 units of time are those of the independent
/// measurements that the tests compare with.
const RUNS: [(&str, f64, f64); 22] = [
    ("contact_oscillator", 0.1, 200.0),
    ("contact_oscillator_gauged", 0.1, 200.0),
    ("perturbed_oscillator", 0.1, 200.0),
    ("chaotic_r7", 0.1, 200.0),
    ("sleigh_com", 0.05, 60.0),
    ("sleigh_contact", 0.05, 200.0),
    ("snakeboard", 0.02, 10.0),
    ("snakeboard_free", 0.05, 60.0),
    ("vertical_disk", 0.05, 200.0),
    ("knife_incline", 0.02, 40.0),
    ("rotating_table_skate", 0.05, 200.0),
    ("nh_particle", 0.1, 200.0),
    ("nh_particle_harmonic", 0.1, 200.0),
    ("euler_disk", 0.01, 40.0),
    ("mobile_robot", 0.05, 60.0),
    ("sleigh_moving_mass", 0.05, 200.0),
    ("magnetic_particle", 0.1, 200.0),
    ("gearbox_reversible", 0.1, 200.0),
    ("gearbox", 0.1, 200.0),
    ("gearbox_asymmetric", 0.1, 200.0),
    ("gearbox_both", 0.1, 200.0),
    ("tractor", 0.05, 200.0),
];

/// The names of the models with courses.
pub fn names() -> impl Iterator<Item = &'static str> {
    RUNS.iter().map(|(name, ..)| *name)
}

/// The courses of models whose names are `wanted`, in the order of the table.
///
/// # Errors
/// Where no machine code can be run.
pub fn courses(wanted: impl Fn(&str) -> bool) -> Result<Vec<Course>, Unloaded> {
    let runs = RUNS.iter().filter(|(name, ..)| wanted(name));
    runs.map(|&(name, h, span)| Ok(Course { model: loaded(name, false)?, h, span, held: None })).collect()
}

/// The conserved quantity that is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conserved {
    /// The energy itself.
    Energy,
    /// An invariant of the model, by its index.
    Invariant(usize),
}

impl Course {
    /// The energy, or the moving energy if a constraint does work; `None` if a force does.
    pub fn conserved(&self) -> Option<Conserved> {
        if self.model.conservative() {
            return Some(Conserved::Energy);
        }
        self.model.invariants().iter().position(|name| *name == "moving_energy").map(Conserved::Invariant)
    }

    /// The energy of what is driven, for models whose driver moves alone: the motion keeps it.
    pub fn driven(&self) -> Option<Conserved> {
        self.model.invariants().iter().position(|name| *name == "E_driven").map(Conserved::Invariant)
    }

    /// The course for runs longer than `span`. The motion of the free snakeboard ends where φ reaches −π/2
    /// and its constraints become dependent, at t = 131: there φ is at rest.
    pub fn lasting(self) -> Self {
        let steered = self.model.name() == "snakeboard_free";
        let phi = self.model.coordinates().iter().position(|name| steered && *name == "phi");
        Course { held: phi, ..self }
    }

    /// Number of steps of a long run.
    pub fn steps(&self) -> u64 {
        (self.span / self.h).round() as u64
    }

    pub(super) fn instance(&self) -> Box<dyn Instance> {
        self.model.instance(&self.model.defaults())
    }

    /// A simulation with the course's step size.
    pub(super) fn start(
        &self,
        instance: &dyn Instance,
        method: &Method,
    ) -> Result<Box<dyn Trajectory>, Error> {
        let (q0, mut v0) = instance.initial();
        if let Some(i) = self.held {
            v0[i] = 0.0;
            v0 = instance.project(&q0, &v0).map_err(|cause| Error::Projection { cause })?;
        }
        instance.start(method, &q0, &v0, &[], self.h)
    }
}
