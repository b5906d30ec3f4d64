//! The scoreboard's measurements, `nhi scoreboard`, asserted: convergence, reversal, constraints, energy,
//! parasites, phase volume, random step sizes, of every method on every model. Where a method fails the failure is asserted.
//!
//! Numbers called independent were measured by another implementation, in other languages and arithmetic.
//!
//! Tests of all models take four of them; with `NHI_TESTS=all`, all, and ten times as many steps where
//! the energy must not drift.

mod energy;
mod million;
mod nodes;
mod order;
mod variable;
mod volume;

use nhi_cli::scoreboard::{self, Course};
use nhi_run::model::{METHODS, Method, method};
use nhi_tiers::exhaustive;
use std::sync::LazyLock;

/// Tolerances, each with what it has to cover.
mod tolerance {
    /// A slope that has settled, where rounding is far.
    pub(crate) const ORDER: f64 = 0.05;
    /// A slope of order 8, which has little room between long steps and rounding; `composition.rs` measures
    /// these orders with 32 digits on every model, to 0.05.
    pub(crate) const ORDER_8: f64 = 0.2;
    /// Numbers given to two digits, and one in the last of them.
    pub(crate) const TWO_DIGITS: f64 = 0.11;
    /// Rounding of a residual, relative to its terms.
    pub(crate) const RESIDUAL: f64 = 1e-14;
    /// Rounding of forty steps.
    pub(crate) const REVERSAL: f64 = 1e-12;
}

/// The methods that all models declare and that are compiled at run time: all but the composition of two Euler rules.
fn common_methods() -> impl Iterator<Item = &'static Method> {
    static COMMON: LazyLock<Vec<&Method>> = LazyLock::new(|| {
        let courses = all_courses();
        let declares = |course: &Course, id| course.model.methods().iter().any(|method| method.id == id);
        METHODS.iter().filter(|method| courses.iter().all(|course| declares(course, method.id))).collect()
    });
    COMMON.iter().copied()
}

/// Models of a sample: on R³ and R⁷, and with Newton iterations.
const SAMPLE: [&str; 4] = ["contact_oscillator", "chaotic_r7", "sleigh_com", "mobile_robot"];

/// Whether tests of all models take this one.
fn is_taken(name: &str) -> bool {
    exhaustive() || SAMPLE.contains(&name)
}

/// The courses that tests of all models take, whose models are compiled at run time.
fn courses() -> Vec<Course> {
    scoreboard::courses(is_taken).unwrap()
}

/// All courses.
fn all_courses() -> Vec<Course> {
    scoreboard::courses(|_| true).unwrap()
}

fn course(name: &str) -> Course {
    scoreboard::courses(|known| known == name).unwrap().remove(0)
}

fn find(id: &str) -> &'static Method {
    method(id).unwrap()
}

/// Asserts that `wrong` is empty, and shows it all otherwise.
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
