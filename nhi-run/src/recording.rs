//! The samples of a run.

use crate::bodies::Shape;
use crate::limits::Limits;

/// The samples of a run as named columns of equal lengths. Files, pictures and tables are made from it.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// What was run.
    pub about: About,
    /// The columns: `k` and `t` first, then the coordinates, the velocities, and the others in the order of [`Quantity`].
    pub columns: Vec<Column>,
    /// Bodies for pictures; they are in no file. [`Bodies::place`](crate::Bodies::place) adds them.
    pub bodies: Vec<RecordedBody>,
    /// What a plan keeps to, for pictures; it is in no file.
    pub limits: Limits,
}

/// A body at all samples.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedBody {
    /// What the picture calls it.
    pub name: String,
    /// What it looks like.
    pub shape: Shape,
    /// Its length, of a ball the diameter. Left out, it is chosen for the picture.
    pub size: Option<f64>,
    /// Where it is, as [`Shape`] says. The columns have their expressions as names.
    pub place: [Column; 3],
}

/// What was run.
#[derive(Clone, PartialEq, Debug)]
pub struct About {
    /// Name of the declared struct.
    pub system: String,
    /// Hash of the declaration's text, in hexadecimal digits.
    pub declaration: String,
    /// Names and values of the parameters, flattened.
    pub parameters: Vec<(String, f64)>,
    /// Id of the method, such as `dla2`.
    pub method: String,
    /// Step size; of adaptive steps the time from one sample to the next.
    pub h: f64,
    /// What the sizes of the steps follow from, if they are adaptive.
    pub adaptive: Option<Adaptive>,
    /// Whether the motion conserves the energy: no force, drive, input or time changes it.
    pub conservative: bool,
    /// The columns that are a pose, where the system has a group factor or the user names them.
    pub pose: Option<Pose>,
    /// The reason, if the run ended before its last step.
    pub stopped: Option<String>,
    /// The times of events, by the names of these.
    pub events: Vec<(String, Vec<f64>)>,
    /// What is suspicious about the run: velocities that changed their signs at every step for a while, a condition that was to end it
    /// and did not become true.
    pub warnings: Vec<String>,
}

/// Steps whose sizes follow from a tolerance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adaptive {
    /// The tolerance.
    pub tolerance: f64,
    /// Number of steps.
    pub steps: u64,
    /// Number of pairs of steps that were repeated with smaller ones.
    pub rejections: u64,
}

/// One quantity at all samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Name: `theta`, `dot_theta`, `p_theta`, `lambda_blade`, `energy`.
    pub name: String,
    /// What it is.
    pub quantity: Quantity,
    /// One value for each sample.
    pub values: Vec<f64>,
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Quantity {
    /// Number of steps taken.
    Step,
    /// Time.
    Time,
    /// A parameter or initial value that distinguishes the runs of an ensemble.
    Swept,
    /// An entry of the configuration.
    Coordinate,
    /// An entry of the velocity.
    Velocity,
    /// An auxiliary state.
    State,
    /// A control input.
    Input,
    /// An entry of the momentum ∂L/∂v.
    Momentum,
    /// An entry of the momentum before the reflection at a node.
    MomentumBefore,
    /// An entry of the momentum after it.
    MomentumAfter,
    /// A multiplier λ: a force.
    Multiplier,
    /// An entry of the reaction μᵀλ.
    Reaction,
    /// E = ∂L/∂v · v − L.
    Energy,
    /// μ(q)v + μ₀(q) of a constraint.
    Residual,
    /// g(q) of a position constraint.
    PositionResidual,
    /// A further quantity of the model.
    Output,
}

/// Names of the columns that place a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pose {
    /// In the plane: x, y and the heading θ.
    Planar([String; 3]),
    /// A rotation in space: the nine entries of R, row by row.
    Rotation([String; 9]),
    /// A rotation R and a position p in space.
    Rigid([String; 9], [String; 3]),
}

impl Recording {
    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The columns that hold `quantity`.
    pub fn all(&self, quantity: Quantity) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |column| column.quantity == quantity)
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}
