//! Runs declared systems without rustc: recordings, files and pictures of their motion.
//!
//! ```
//! use nhi_run::{Inputs, Run, Scheme, System};
//! use std::ops::ControlFlow;
//!
//! let source = "
//!     #[derive(Nonholonomic)]
//!     #[nonholonomic(
//!         coordinates(theta, x, y),
//!         lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
//!         constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy)
//!     )]
//!     struct Sleigh { J: f64, m: f64, a: f64 }
//! ";
//! let system = System::parse(source, "sleigh.rs", None)?;
//! let run = Run {
//!     scheme: Scheme::Steps(system.variant("dla2")?),
//!     system,
//!     parameters: vec![1.0, 1.0, 0.2],
//!     q0: vec![0.0; 3],
//!     v0: vec![1.0, 0.5, 0.2],
//!     z0: Vec::new(),
//!     inputs: Inputs::Held(Vec::new()),
//!     h: 0.01,
//!     steps: 1000,
//!     every: 100,
//!     project: false,
//!     pose: None,
//! };
//! let recording = run.record(&mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(recording.samples(), 11);
//! println!("{:?}", recording.column("dot_theta"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apart;
mod bodies;
mod cache;
pub mod control;
mod ensemble;
mod error;
mod events;
mod expressions;
mod flow;
mod format;
mod forms;
mod limits;
mod markup;
pub mod model;
mod page;
mod panels;
pub mod plot;
mod recording;
mod run;
mod system;

pub use apart::{Observer, Phase, apart, observe};
pub use bodies::{Bodies, Body, Shape};
pub use cache::{Cache, Contents, use_cache};
pub use ensemble::{record_all, table};
pub use error::{DeclarationError, Error, Mistake, Place};
pub use events::{Crossings, Events};
pub use flow::{Field, flow};
pub use format::{Format, csv, json, npz};
pub use forms::OneForms;
pub use limits::{Areas, Limits};
pub use page::page;
pub use plot::plot;
pub use recording::{About, Adaptive, Column, Pose, Quantity, RecordedBody, Recording};
pub use run::{Ended, Exact, Inputs, Run, Sample, Scheme, Stop};
pub use system::System;
