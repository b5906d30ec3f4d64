//! Energy with random step sizes.

use crate::{course, courses, find, none};
use nhi_cli::scoreboard::{Conserved, variable};

/// The frame method keeps the energy whatever the sizes of steps, on every system that keeps it.
#[test]
fn the_frame_method_keeps_the_energy_with_any_step_sizes() {
    let mut wrong = Vec::new();
    for course in courses().iter().filter(|course| course.conserved() == Some(Conserved::Energy)) {
        let error = variable(course, find("frame")).unwrap();
        if !error.as_ref().is_ok_and(|error| *error < 1e-10) {
            wrong.push(format!("{}: {error:?}", course.model.name()));
        }
    }
    none(&wrong);
}

/// The symmetry of the others under h → −h is of no use along random steps: on the same motion, the energy that they hold with a
/// constant step walks away with random ones.
#[test]
fn symmetric_methods_lose_the_energy_with_random_step_sizes() {
    let course = course("contact_oscillator");
    let error = |id| variable(&course, find(id)).unwrap().unwrap();
    for id in ["dla2", "dla2_midpoint", "dla_rattle", "rattle", "gni_midpoint"] {
        assert!(error(id) > 1e-4, "{id}: {:e}", error(id));
    }
    // The potential is of degree two, for which the gradient in the middle is the average.
    for id in ["frame_midpoint", "discrete_gradient"] {
        assert!(error(id) < 1e-10, "{id}: {:e}", error(id));
    }
}

/// Systems that a force drives have no energy to keep.
#[test]
fn driven_systems_have_no_error() {
    assert!(variable(&course("mobile_robot"), find("frame")).is_none());
}
