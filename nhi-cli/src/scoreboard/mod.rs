//! Measured accuracy and invariants of every method on every model.
//!
//! One function per measurement, of a model and a method; the `nhi scoreboard` command tabulates and
//! draws them, the convergence and invariant tests assert them.

mod board;
mod course;
mod energy;
mod figures;
mod measured;
mod node;
mod order;
mod table;
mod variable;
mod volume;

pub use board::{Board, Cell, Cloud, Selection, Sheet};
pub use course::{Conserved, Course, courses, names};
pub use energy::{Energy, Verdict, energy};
pub use measured::Measured;
pub use node::{Parasite, Reversal, parasite, residual, reversal};
pub use order::{Order, order};
pub use variable::variable;
pub use volume::{CLOUDS, Volume, volume};
