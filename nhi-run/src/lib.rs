//! Runs declared systems without rustc: recordings, files and pictures of their motion.

mod recording;

pub use recording::{About, Column, Pose, Quantity, Recording};
