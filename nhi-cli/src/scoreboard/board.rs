//! All measurements of the methods on the models.

use super::energy::{Energy, Verdict, energy};
use super::node::{Parasite, Reversal, parasite, residual, reversal};
use super::order::{Order, order};
use super::volume::{CLOUDS, Volume, volume};
use super::{Course, courses};
use nhi_models::{Method, Model, common_methods};
use nhi_runtime::Error;
use rayon::prelude::*;

/// A method on a model.
pub struct Cell {
    /// The method.
    pub method: &'static Method,
    /// Its order.
    pub order: Order,
    /// Its largest constraint residual.
    pub residual: f64,
    /// Its reversal.
    pub reversal: Result<Reversal, Error>,
    /// The energy over the course's span.
    pub energy: Option<Energy>,
    /// The energy over the longest run.
    pub long: Option<Energy>,
    /// Its parasitic mode.
    pub parasite: Option<Parasite>,
}

impl Cell {
    fn measure(course: &Course, method: &'static Method, steps: u64) -> Self {
        Cell {
            method,
            order: order(course, method),
            residual: residual(course, method),
            reversal: reversal(course, method),
            energy: energy(course, method, course.steps()),
            long: energy(&course.lasting(), method, steps),
            parasite: parasite(course, method),
        }
    }

    /// The run that determines the verdict on the energy: the longest one, unless the energy is already lost in the
    /// other, which may have another start ([`Course::lasting`]).
    pub fn decisive(&self) -> Option<&Energy> {
        let lost = |energy: &&Energy| matches!(energy.verdict(), Verdict::Lost | Verdict::Stopped);
        let longest = self.long.as_ref();
        self.energy.as_ref().filter(lost).filter(|_| !longest.as_ref().is_some_and(lost)).or(longest)
    }

    /// The verdict on the energy.
    pub fn verdict(&self) -> Option<Verdict> {
        self.decisive().map(Energy::verdict)
    }
}

/// A model with its row of cells.
pub struct Sheet {
    /// The model and its run.
    pub course: Course,
    /// A cell per method.
    pub cells: Vec<Cell>,
}

/// The phase volume of a model by a method, or by the exact flow.
pub struct Cloud {
    /// The model.
    pub model: &'static dyn Model,
    /// The method.
    pub method: Option<&'static Method>,
    /// The volume over time.
    pub volume: Volume,
}

/// The whole scoreboard.
pub struct Board {
    /// A sheet per model.
    pub sheets: Vec<Sheet>,
    /// The phase volumes.
    pub clouds: Vec<Cloud>,
    /// Steps of the longest runs.
    pub steps: u64,
}

/// The selected models and methods.
pub struct Selection {
    courses: Vec<Course>,
    methods: Vec<&'static Method>,
    steps: u64,
}

impl Selection {
    /// The named models and methods (all if none is named), with `steps` steps in the longest runs.
    pub fn new(models: &[String], methods: &[String], steps: u64) -> Self {
        let chosen =
            |names: &[String], name: &str| names.is_empty() || names.iter().any(|known| known == name);
        Selection {
            courses: courses().into_iter().filter(|course| chosen(models, course.model.name())).collect(),
            methods: common_methods().iter().filter(|method| chosen(methods, method.id)).collect(),
            steps,
        }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.courses.len() * self.methods.len()
    }

    /// Measures, and calls `done` after every cell.
    pub fn measure(&self, done: impl Fn() + Sync) -> Board {
        let sheet = |course: &Course| {
            let cells = self.methods.par_iter().map(|method| {
                let cell = Cell::measure(course, method, self.steps);
                done();
                cell
            });
            Sheet { course: *course, cells: cells.collect() }
        };
        Board {
            sheets: self.courses.par_iter().map(sheet).collect(),
            clouds: self.clouds(),
            steps: self.steps,
        }
    }

    fn clouds(&self) -> Vec<Cloud> {
        let selected =
            |model: &&dyn Model| self.courses.iter().any(|course| course.model.name() == model.name());
        let mut clouds = Vec::new();
        for model in CLOUDS.into_iter().filter(selected) {
            let methods = std::iter::once(None).chain(self.methods.iter().copied().map(Some));
            clouds.extend(methods.map(|method| Cloud { model, method, volume: volume(model, method) }));
        }
        clouds
    }
}
