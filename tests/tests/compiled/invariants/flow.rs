//! The models themselves: initial data, closed forms and conserved quantities along the exact flow.

use super::tolerance::{FLOW, ROUNDING};
use super::{distance, instance};
use nhi_models::lie::suslov;
use nhi_models::sleigh_com::SleighCom;
use nhi_models::{GROUP_MODELS, MODELS, Model, sleigh_com};

#[test]
fn initial_data_satisfy_the_constraints() {
    for model in MODELS.iter().chain(GROUP_MODELS) {
        let instance = model.instance(&model.defaults());
        let (q, v) = instance.initial();
        let residual = instance.residual(&q, &v);
        assert_eq!(residual.len(), model.constraints().len());
        assert!(distance(&residual, &vec![0.0; residual.len()]) < ROUNDING, "{}: {residual:?}", model.name());
    }
}

/// No multiple of the torques' periods, after which the energy is back.
const SPAN: f64 = 4.73;

#[test]
fn conserved_quantities_are_conserved() {
    for model in MODELS.iter().chain(GROUP_MODELS) {
        let instance = model.instance(&model.defaults());
        let (q0, v0) = instance.initial();
        let (q, v) = instance.flow(0.0, &q0, &v0, &[], SPAN).unwrap();
        let change = (instance.energy(&q, &v) - instance.energy(&q0, &v0)).abs();
        if model.conservative() {
            assert!(change < FLOW, "{}: energy changes by {change:e}", model.name());
        } else {
            assert!(change > 1e-3, "{}: energy changes by {change:e} only", model.name());
        }
        let change = distance(&instance.invariants(&q, &v), &instance.invariants(&q0, &v0));
        assert!(change < FLOW, "{}: {:?} change by {change:e}", model.name(), model.invariants());
    }
}

#[test]
fn closed_forms_solve_the_equations() {
    let mut solved = Vec::new();
    for model in MODELS.iter().chain(GROUP_MODELS) {
        let instance = model.instance(&model.defaults());
        let (q0, v0) = instance.initial();
        for t in [-1.5, 0.0, 0.7, 3.0] {
            let Some((q, v)) = instance.solution(t) else { continue };
            let (q1, v1) = instance.flow(0.0, &q0, &v0, &[], t).unwrap();
            assert!(distance(&q1, &q) < FLOW && distance(&v1, &v) < FLOW, "{} at t = {t}", model.name());
            solved.push(model.name());
        }
    }
    solved.dedup();
    assert_eq!(solved, ["vertical_disk", "knife_incline", "nh_particle", "vertical_disk"]);
}

/// The sleigh's angle, angular velocity and blade speed are known for all times.
#[test]
fn the_reduced_sleigh_is_solved() {
    let sleigh: SleighCom = sleigh_com::MODEL.example();
    let (energy, theta0) = (0.4, 0.3);
    let (_, omega, u) = sleigh.reduced(energy, 0.0);
    let (q0, v0) = ([theta0, 0.0, 0.0], sleigh.velocity(theta0, omega, u));
    for t in [-4.0, -0.5, 1.0, 6.0] {
        let (q, v) = instance("sleigh_com").flow(0.0, &q0, &v0, &[], t).unwrap();
        let (turned, omega, u) = sleigh.reduced(energy, t);
        assert!((q[0] - theta0 - turned).abs() < FLOW);
        assert!(distance(&v, &sleigh.velocity(q[0], omega, u)) < FLOW);
    }
}

/// So are the two angular velocities of Suslov's problem.
#[test]
fn suslovs_problem_is_solved() {
    let model = &suslov::MODEL;
    let (q0, _) = model.instance(&model.defaults()).initial();
    let velocity = |t: f64| {
        let [w1, w2] = model.example().velocities(0.7, t);
        [w1, w2, 0.0]
    };
    for t in [-6.0, -0.5, 1.0, 8.0] {
        let (_, v) = model.instance(&model.defaults()).flow(0.0, &q0, &velocity(0.0), &[], t).unwrap();
        assert!(distance(&v, &velocity(t)) < FLOW, "t = {t}: {v:?}");
    }
}
