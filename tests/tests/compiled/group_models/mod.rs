//! The methods on the models with a group factor: orders, exact properties, reversal, parasitic modes,
//! and what goes wrong with the formulas as printed.

mod case;
mod controls;
mod exact;
mod orders;
mod parity;
mod reversal;
