//! The tests of simulations of derived systems.
#![cfg(feature = "derive")]
#![allow(mixed_script_confusables, reason = "names of coordinates in any script, in `named`")]

#[cfg(feature = "std")]
mod derivatives;
#[cfg(feature = "std")]
mod life;
mod named;
mod scalar;
#[cfg(feature = "std")]
mod states;
#[cfg(feature = "std")]
mod tolerance;
