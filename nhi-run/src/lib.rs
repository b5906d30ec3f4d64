//! Runs declared systems without rustc: recordings, files and pictures of their motion.

mod markup;
mod page;
mod panels;
mod plot;
mod recording;

pub use page::page;
pub use plot::plot;
pub use recording::{About, Column, Pose, Quantity, Recording};
