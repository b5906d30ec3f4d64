//! What a start of a simulation on a group takes, and what it refuses.

use nalgebra::{Isometry2, Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector2, Vector3};
use nhi_runtime::group::{Group, SE2, SE3, SO3};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Posed, Vector};

/// A blade of unit mass and moment of inertia.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = (omega^2 + v^2 + w^2)/2,
    constraints(w = 0),
)]
struct Skate;

/// A body about a fixed point.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (w1^2 + 2*w2^2 + 3*w3^2)/2,
    constraints(),
    methods(Rdp, Rattle, RattleRestarted),
)]
struct Top;

/// A ball of unit mass and radius.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(Q; w1, w2, w3),
    lagrangian = (dot(x)^2 + dot(y)^2)/2 + (w1^2 + 1.2*w2^2 + 1.4*w3^2)/5,
    constraints(
        dot(x) - Q[1][0]*w1 - Q[1][1]*w2 - Q[1][2]*w3,
        dot(y) + Q[0][0]*w1 + Q[0][1]*w2 + Q[0][2]*w3,
    ),
)]
struct Ball;

/// A fin of unit mass that cannot move along its third axis.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    lagrangian = (w1^2 + 2*w2^2 + 3*w3^2 + v1^2 + v2^2 + v3^2)/2 - p[2],
    constraints(v3 = 0),
)]
struct Fin;

const H: f64 = 0.01;

#[test]
fn poses_are_given_and_read_as_the_types_of_nalgebra() {
    let start = Isometry2::new(Vector2::new(1.0, -2.0), 0.7);
    let mut sim = Simulation::new(Skate, Rdp::new(Exp1), start, [0.5, 1.0, 0.0], H).unwrap();
    let now = Isometry2::from(sim.q());
    assert!((now.translation.vector - start.translation.vector).norm() == 0.0);
    assert!((now.rotation.angle() - 0.7).abs() < 1e-15);
    for _ in 0..100 {
        sim.step().unwrap();
    }
    // A circle of radius v/ω about the point to the left, which is exact with this truncation.
    let turned = Isometry2::from(sim.q());
    let centre = start * nalgebra::Point2::new(0.0, 2.0);
    assert!((turned * nalgebra::Point2::new(0.0, 2.0) - centre).norm() < 1e-13);
    assert!((turned.rotation.angle() - 1.2).abs() < 1e-13);

    let attitude = UnitQuaternion::from_euler_angles(0.3, -0.2, 1.1);
    let mut sim = Simulation::new(Top, Rdp, attitude, [0.0, 0.9, 0.0], H).unwrap();
    assert!(UnitQuaternion::from(sim.q()).angle_to(&attitude) < 1e-7);
    for _ in 0..100 {
        sim.step().unwrap();
    }
    // Steadily about a principal axis.
    let expected = attitude * UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.9, 0.0));
    assert!((Rotation3::from(sim.q()).matrix() - expected.to_rotation_matrix().matrix()).norm() < 1e-12);
    let again = Simulation::new(Top, Rdp, Rotation3::from(sim.q()), sim.v(), H).unwrap();
    assert_eq!(again.q(), sim.q());

    let pose = Isometry3::from_parts(Translation3::new(1.0, 2.0, 3.0), attitude);
    let sim = Simulation::new(Fin, Rdp, pose, [0.1, 0.2, 0.3, 0.4, 0.5, 0.0], H).unwrap();
    let back = Isometry3::from(sim.q());
    assert!((back.translation.vector - pose.translation.vector).norm() == 0.0);
    assert!((back.to_homogeneous() - pose.to_homogeneous()).norm() < 1e-14);
}

/// Beside coordinates, a pose comes after them.
#[test]
fn coordinates_and_a_pose_make_a_configuration() {
    let attitude = UnitQuaternion::from_euler_angles(0.3, -0.2, 1.1);
    let sim = Simulation::project(Ball, Rdp, ([0.5, -0.5], attitude), [0.0, 0.0, 0.3, 0.4, 0.5], H).unwrap();
    assert_eq!((sim.q()[0], sim.q()[1]), (0.5, -0.5));
    assert!((Rotation3::from(sim.q()).matrix() - attitude.to_rotation_matrix().matrix()).norm() == 0.0);
    assert!(SO3::from(sim.q()).defect() < 1e-15);
    let rows = SO3::from(sim.q()).0;
    let again = Simulation::new(Ball, Rdp, ([0.5, -0.5], rows), sim.v(), H).unwrap();
    assert_eq!(again.q(), sim.q());

    let pose = SE2 { theta: 0.1, x: 1.0, y: 2.0 };
    let q: Posed<SE2<f64>, f64, 0, 3> = pose.into();
    assert_eq!(SE2::from(q), pose);
    assert_eq!(SE3::from(Posed::<SE3<f64>, f64, 0, 12>::from(SE3::identity())), SE3::identity());
}

/// A matrix that is not a rotation is refused, whatever the start.
#[test]
fn a_matrix_that_is_no_rotation_is_refused() {
    let projected = |rows| Simulation::project(Top, Rattle, rows, [0.1, 0.2, 0.3], H);
    let refused = |rows: [[f64; 3]; 3]| {
        let refused = [
            Simulation::new(Top, Rdp, rows, [0.1, 0.2, 0.3], H).err(),
            Simulation::with_inputs(Top, Rdp::new(Cayley), rows, [0.1, 0.2, 0.3], &[], H).err(),
        ];
        let [Some(error), second] = refused else { panic!("{rows:?} is taken for a rotation") };
        assert_eq!(second, Some(error));
        error
    };
    // Far from every rotation: a projection does not help.
    let message = |rows: [[f64; 3]; 3]| {
        let error = refused(rows);
        assert_eq!(projected(rows).err(), Some(error));
        error.to_string()
    };
    assert_eq!(
        message([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.5]]),
        "the matrix `R` of the initial pose is not a rotation: RᵀR = 1 with det R = 1 is violated by 1.25e0; \
         a `UnitQuaternion` or `Rotation3` of nalgebra can be passed instead, \
         and `Rotation3::from_matrix` finds the rotation nearest to a matrix"
    );
    assert!(message([[0.0; 3]; 3]).contains("violated by 1e0"));
    // A reflection has orthonormal columns.
    assert!(message([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]).contains("violated by 2e0"));
    // Six digits are not enough, ten are.
    let exact = Rotation3::from_euler_angles(0.3, -0.2, 1.1);
    let rounded = |scale: f64| [0, 1, 2].map(|i| [0, 1, 2].map(|j| (exact[(i, j)] * scale).round() / scale));
    assert!(refused(rounded(1e6)).to_string().contains("e-7"));
    assert!(projected(rounded(1e6)).is_ok_and(|sim| sim.q().defect() < 1e-15));
    let sim = Simulation::new(Top, Rdp, rounded(1e10), [0.1, 0.2, 0.3], H).unwrap();
    let first = sim.q().defect();
    assert!(first > 1e-12 && first < 4e-10, "{first:e}");

    // What the message advises.
    let nearest = Rotation3::from_matrix(&Matrix3::from_fn(|i, j| rounded(1e6)[i][j]));
    assert!(Simulation::new(Top, Rdp, nearest, [0.1, 0.2, 0.3], H).is_ok());

    let mut entries = [0.0; 11];
    entries[2] = 1.0;
    let error = Simulation::new(Ball, Rdp, entries, [0.0; 5], H).unwrap_err();
    assert!(error.to_string().contains("the matrix `Q`"), "{error}");
    let error = Simulation::new(Fin, Rdp, [0.5; 12], [0.0; 6], H).unwrap_err();
    assert!(matches!(error, Error::Pose { name: "R", .. }), "{error}");
    let mut entries = [0.0; 12];
    entries[4] = f64::NAN;
    let error = Simulation::new(Fin, Rdp, entries, [0.0; 6], H).unwrap_err();
    assert_eq!(error.to_string(), "coordinate `R[1][1]` must be finite, not NaN");
}

/// The defect that a start may have is gone after a step.
#[test]
fn a_rounded_pose_becomes_a_rotation() {
    let exact = Rotation3::from_euler_angles(0.3, -0.2, 1.1);
    let rows = [0, 1, 2].map(|i| [0, 1, 2].map(|j| (exact[(i, j)] * 1e10_f64).round() / 1e10));
    let mut sim = Simulation::new(Top, Rdp, rows, [0.1, 0.2, 0.3], H).unwrap();
    sim.step().unwrap();
    assert!(sim.q().defect() < 1e-15, "{:e}", sim.q().defect());
}

/// A step that turns the body by more than a full turn is none of the exponential map's, and changes
/// nothing; the next one from there may have a smaller velocity or another map.
#[test]
fn a_failed_step_leaves_the_state_as_it_was() {
    fn fails<M: nhi_runtime::Method<Top>>(method: M, h: f64) {
        let mut sim = Simulation::new(Top, method, UnitQuaternion::identity(), [0.0, 0.8, 0.3], h).unwrap();
        let before = (sim.q(), sim.v(), sim.multipliers(), sim.time(), sim.steps(), sim.energy());
        for _ in 0..2 {
            let error = sim.step().unwrap_err();
            assert!(matches!(error, Error::Step { step: 1, time: 0.0, .. }), "{error}");
            let after = (sim.q(), sim.v(), sim.multipliers(), sim.time(), sim.steps(), sim.energy());
            assert_eq!(before, after);
        }
        assert_eq!(sim.samples(1).count(), 2, "the present sample and the error");
    }
    fails(Rdp, 9.0);
    fails(Rattle, 9.0);
    fails(RattleRestarted, 9.0);
    let mut sim = Simulation::new(Top, Rdp, UnitQuaternion::identity(), [0.0, 0.8, 0.3], 1.0).unwrap();
    for _ in 0..100 {
        sim.step().unwrap();
    }
    assert!(sim.q().defect() < 1e-15);
}

/// A million steps, of whatever size, end on the group. The ball's position would tell a drift of its
/// attitude: it rolls without slipping all the way.
#[test]
fn a_million_steps_stay_on_the_group() {
    let mut sim =
        Simulation::project(Ball, Rdp, ([0.0; 2], SO3::identity()), [0.0, 0.0, 0.3, 0.4, 0.5], 0.05).unwrap();
    let energy = sim.energy();
    let (mut defect, mut slip, mut off): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for k in 0..1_000_000 {
        sim.step().unwrap();
        if k % 64 == 0 {
            defect = defect.max(sim.q().defect());
            slip = sim.residual().iter().fold(slip, |most, x| most.max(x.abs()));
            off = off.max((sim.energy() - energy).abs());
        }
    }
    println!("defect {defect:e}, slip {slip:e}, energy {off:e}");
    assert!(defect < 2e-15, "{defect:e}");
    assert!(slip < 1e-14, "{slip:e}");
    assert!(off < 1e-3 * energy, "{off:e}");
}
