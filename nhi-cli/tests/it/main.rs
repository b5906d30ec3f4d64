//! The command as a user sees it.

mod bodies;
mod command;
mod declarations;
mod documents;
mod generate;
mod mutations;
mod solve;
