//! The executors of steps, held against each other: derived code, the interpreter, steps compiled at run time, and generated
//! C; random systems; and what passes gain.

mod c;
mod gains;
mod interpreter;
mod jit;
mod random_systems;
