//! Constraints, reversal and parasites.

use crate::common_methods;
use crate::tolerance::{RESIDUAL, REVERSAL};
use crate::{course, courses, find, none};
use nhi_cli::scoreboard::{Course, parasite, residual, reversal};
use nhi_run::model::Family;

/// By how much angles that go round can be in error: a unit in the last place of the largest coordinate at the end of the run.
fn resolution(course: &Course) -> f64 {
    let instance = course.model.instance(&course.model.defaults());
    let (q, v) = instance.initial();
    let mut trajectory = instance.start(find("dla2"), &q, &v, &[], course.h).unwrap();
    trajectory.advance(course.steps()).unwrap();
    f64::EPSILON * trajectory.q().into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// μ(q)v + μ₀(q) = 0 to rounding at every node of a long run, even of runs that go astray.
#[test]
fn constraints_hold_at_the_nodes() {
    let mut wrong = Vec::new();
    for course in courses() {
        let resolution = resolution(&course);
        for method in common_methods() {
            let residual = residual(&course, method);
            // Of the free particle ẏ is constant, and the rules of the trapezoid and of Simpson integrate
            // the constraint's product y dx/dt as exactly as its velocities.
            let product = course.model.name() == "nh_particle" && ["rk2_heun", "rk4"].contains(&method.id);
            let expected = method.family != Family::RungeKutta || product;
            let kept = residual < RESIDUAL + resolution;
            // The adjoint of dla1 gains energy on the free snakeboard without bound, to 10¹⁶ of its
            // own, until Newton's method fails.
            let astray = (course.model.name(), method.id) == ("snakeboard_free", "dla1_adjoint");
            if kept != expected && !astray {
                wrong.push(format!("{} {}: {residual:e}", course.model.name(), method.id));
            }
        }
    }
    none(&wrong);
}

/// Steps −h of the adjoint lead back along a method's steps h, from all that it carries; those of the
/// method itself only if it is symmetric.
#[test]
fn adjoint_methods_lead_back() {
    let mut wrong = Vec::new();
    for course in courses() {
        for method in common_methods() {
            let name = course.model.name();
            let measured = reversal(&course, method).unwrap();
            // Without a potential all GNI methods are the same, for a constant mass matrix.
            let kinetic = ["sleigh_com", "snakeboard_free", "vertical_disk", "nh_particle"];
            let euler = ["gni_euler_a", "gni_euler_b"].contains(&method.id);
            // The rules of Heun and of Runge and Kutta are those of the trapezoid and of Simpson,
            // symmetric ones, for a motion of constant velocities.
            let quadrature = ["rk2_heun", "rk4"].contains(&method.id);
            let symmetric = method.adjoint == Some(method.id);
            let own = match measured.own {
                Ok(error) if symmetric || euler && kinetic.contains(&name) => error < REVERSAL,
                Ok(error) if quadrature && name == "vertical_disk" => error < REVERSAL,
                Ok(error) => error > 1e-10,
                Err(_) => false,
            };
            let adjoint = match measured.adjoint {
                Some(Ok(error)) => !symmetric && error < REVERSAL,
                Some(Err(_)) => false,
                None => symmetric || method.adjoint.is_none(),
            };
            if !own || !adjoint {
                wrong.push(format!("{} {}: {measured:?}", course.model.name(), method.id));
            }
        }
    }
    none(&wrong);
}

/// Where the parasitic mode grows from the consistent start's O(h³), and where it is neutral.
#[test]
fn parasites_grow_on_some_models() {
    for (name, grows) in [
        ("snakeboard_free", true),
        ("mobile_robot", true),
        ("contact_oscillator", false),
        ("vertical_disk", false),
        ("knife_incline", false),
        ("nh_particle", false),
        ("euler_disk", false),
    ] {
        let [first, last] = parasite(&course(name), find("rattle")).unwrap().ends;
        assert_eq!(last > 50.0 * first, grows, "{name}: {first:e}, {last:e}");
    }
    // On the sleighs it has taken all the energy of the turn, and decays with what is left of the motion.
    for name in ["sleigh_com", "sleigh_contact", "sleigh_moving_mass"] {
        let parasite = parasite(&course(name), find("rattle")).unwrap();
        let largest = parasite.course.iter().map(|(_, eta)| *eta).fold(0.0, f64::max);
        assert!(largest > 1000.0 * parasite.ends[0], "{name}: {largest:e}");
    }
    assert!(parasite(&course("sleigh_com"), find("dla2")).is_none());
}
