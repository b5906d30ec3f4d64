//! Lowering: from optimised programs to the form that back ends print.
//!
//! The operands of a sum or product are joined by arrival times: the two that arrive first are added or multiplied
//! first, and so on. All other statements keep the order of the program. Association is decided here and nowhere else.

mod display;
mod expression;
mod function;
mod lir;
mod validate;

pub use function::lower;
pub use lir::{
    Argument, Function, Known, Newton, Operand, Operation, Output, SinCos, Statement, Value, ZEROS,
};
