//! Lowering: from optimised programs to the form that back ends print.
//!
//! The operands of a sum or product are put together by arrival times: the two that are computed first are added or
//! multiplied first, and so on. Everything else keeps the order of the program.

mod display;
mod expression;
mod function;
mod lir;
mod validate;

pub use function::lower;
pub use lir::{Argument, Function, Newton, Operand, Operation, Output, SinCos, Statement, Value};
