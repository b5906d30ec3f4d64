//! All measurements of the methods on the models.

use super::Course;
use super::energy::{Energy, Verdict, energy};
use super::node::{Parasite, Reversal, parasite, residual, reversal};
use super::order::{Order, order};
use super::variable::variable;
use super::volume::{CLOUDS, Volume, volume};
use nhi_run::model::{GROUP_METHODS, METHODS, Method};
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
    /// The largest error of the energy with random step sizes, or why they end.
    pub variable: Option<Result<f64, String>>,
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
            variable: variable(&course.lasting(), method),
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
    /// Name of the model.
    pub model: &'static str,
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
    /// The named methods (all if none is named) that apply to every model of `courses`, with `steps` steps in the longest
    /// runs.
    pub fn new(courses: Vec<Course>, methods: &[String], steps: u64) -> Self {
        let chosen = |name: &str| methods.is_empty() || methods.iter().any(|known| known == name);
        // A system with a group factor has methods of its own.
        let table = match courses.iter().any(|course| course.model.group().is_some()) {
            true => &GROUP_METHODS,
            false => &METHODS,
        };
        let applies = |id: &str| courses.iter().all(|course| course.model.method(id).is_some());
        let methods = table.iter().filter(|method| chosen(method.id) && applies(method.id)).collect();
        Selection { courses, methods, steps }
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
        let mut clouds = Vec::new();
        for Course { model, .. } in self.courses.iter().filter(|course| CLOUDS.contains(&course.model.name()))
        {
            let methods = std::iter::once(None).chain(self.methods.iter().copied().map(Some));
            let name = model.name();
            clouds.extend(methods.map(|method| Cloud {
                model: name,
                method,
                volume: volume(*model, method),
            }));
        }
        clouds
    }
}
