//! Lowering: from optimised programs to the form that back ends print.

mod lir;

pub use lir::{Argument, Function, Newton, Operand, Operation, Output, SinCos, Statement, Value};
