//! The tests of the runtime without the derive: its functions, and simulations of a system written by hand.

mod advance;
mod c_header;
mod compose;
mod double;
mod dual;
#[cfg(feature = "std")]
mod ensemble;
mod group;
mod random;
mod saddle;
mod simulation;
mod stub;
mod trigonometry;
