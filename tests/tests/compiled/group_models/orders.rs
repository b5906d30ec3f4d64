//! Orders of convergence: T = 2, steps 80 → 160, the largest error of the configuration, poses as matrices.
//! The errors at 160 steps are those of an independent implementation in multiple precision.

use super::case::{Case, distance};
use nhi_models::Row;
use nhi_models::lie::{chaplygin_ball, chaplygin_sleigh, snakeboard};
use nhi_runtime::group::{Cayley, Exp1};
use nhi_runtime::{Compose, Frame, Method, Rdp, RdpMidpoint, Simulation, System};

const T: f64 = 2.0;

/// What the table has in a place.
#[derive(Clone, Copy, PartialEq)]
enum Cell {
    /// Error at 160 steps, and order.
    Measured(f64, f64),
    /// The trajectory of α = ½, because nothing depends on the base point.
    SameAsMid,
    /// No error but rounding.
    Exact,
    Absent,
}
use Cell::{Absent, Exact, Measured as M, SameAsMid};

/// RDP with exp, cay, exp1 and ccsk, RDP α = 0 with exp, GNI with exp and cay. RDP by the mid-point rule,
/// or by the trapezoidal one where something depends on the pose.
type Line = (&'static str, &'static [(&'static str, f64)], [Cell; 7]);

#[rustfmt::skip]
const TABLE: &[Line] = &[
    ("sleigh", &[],
        [M(4.7e-5, 2.0), M(1.2e-4, 2.0), M(5.1e-6, 2.0), M(7.7e-3, 1.00), SameAsMid, M(1.1e-4, 2.0), M(1.5e-4, 2.0)]),
    ("snakeboard", &[],
        [M(2.7e-6, 2.0), M(4.5e-4, 2.0), M(1.2e-6, 2.0), M(3.0e-2, 1.03), M(4.3e-4, 1.0), M(5.2e-4, 2.0), M(1.1e-3, 2.0)]),
    ("robot", &[],
        [M(1.4e-4, 2.0), M(9.4e-4, 2.0), Absent, M(7.5e-2, 1.01), SameAsMid, M(8.1e-4, 2.0), M(1.8e-3, 2.0)]),
    ("roller_racer", &[],
        [M(2.1e-5, 2.0), M(2.7e-5, 2.0), Absent, M(1.7e-3, 1.01), M(2.4e-3, 0.99), M(2.7e-5, 2.0), M(3.6e-5, 2.0)]),
    ("roller_racer_m2_forced", &[("c", 0.0)],
        [M(2.5e-5, 2.0), M(3.7e-5, 2.0), Absent, M(2.3e-3, 1.01), M(7.0e-3, 1.01), M(2.8e-5, 2.0), M(4.4e-5, 2.0)]),
    ("disk", &[],
        [M(8.8e-5, 2.0), M(3.0e-4, 2.0), Exact, M(9.9e-3, 1.00), SameAsMid, M(8.8e-5, 2.0), M(3.0e-4, 2.0)]),
    ("ball_homogeneous_rotating", &[],
        [M(1.1e-5, 2.0), M(1.0e-3, 1.99), Absent, M(1.1e-2, 1.00), M(7.5e-3, 1.0), M(3.4e-5, 2.0), M(1.7e-3, 1.99)]),
    ("ball_printed_rotating", &[],
        [M(4.6e-7, 2.0), M(6.5e-6, 2.0), Absent, M(5.5e-4, 1.00), M(6.5e-4, 1.0), M(8.1e-7, 2.0), M(7.8e-6, 2.0)]),
    ("chaplygin_sphere", &[],
        [M(7.6e-7, 2.0), M(1.7e-4, 2.0), Absent, M(1.0e-2, 1.00), M(7.6e-7, 2.0), M(3.5e-6, 2.0), M(2.0e-4, 2.0)]),
    ("chaplygin_sphere_rotating", &[],
        [M(2.6e-6, 2.0), M(1.7e-4, 2.0), Absent, M(9.6e-3, 1.00), M(7.7e-4, 1.0), M(7.0e-6, 2.0), M(2.1e-4, 2.0)]),
    ("chaplygin_top", &[],
        [M(7.9e-6, 2.0), M(1.9e-4, 2.0), Absent, M(1.1e-2, 1.00), M(2.6e-3, 1.0), M(9.4e-6, 2.0), M(2.2e-4, 2.0)]),
    ("suslov", &[],
        [M(2.8e-6, 2.0), M(9.6e-5, 2.0), M(1.8e-6, 2.0), M(3.1e-3, 1.00), SameAsMid, M(4.6e-6, 2.0), M(9.7e-5, 2.0)]),
    ("se3_body", &[],
        [M(2.3e-5, 2.0), M(2.9e-4, 2.0), M(1.2e-5, 2.0), M(1.4e-2, 1.01), SameAsMid, M(7.5e-5, 2.0), M(3.0e-4, 2.0)]),
];

const BY_MIDPOINT: [&str; 7] = [
    "rdp_midpoint",
    "rdp_midpoint_cay",
    "rdp_midpoint_exp1",
    "rdp_midpoint_ccsk",
    "rdp_left",
    "rattle_plain",
    "rattle_plain_cay",
];
const BY_TRAPEZOID: [&str; 7] =
    ["rdp", "rdp_cay", "rdp_exp1", "rdp_ccsk", "rdp_left", "rattle_plain", "rattle_plain_cay"];

/// A configuration with its pose as the entries of a matrix: of a heading θ cos θ and sin θ.
fn entries(case: &Case, q: &[f64]) -> Vec<f64> {
    let mut entries = q.to_vec();
    if case.model.group().as_deref() == Some("SE(2)") {
        let heading = q.len() - 3;
        entries[heading] = q[heading].cos();
        entries.push(q[heading].sin());
    }
    entries
}

/// The configuration at T.
fn end(case: &Case, id: &str, steps: u32) -> Vec<f64> {
    let mut trajectory = case.start(id, T / f64::from(steps));
    trajectory.advance(u64::from(steps)).unwrap_or_else(|e| panic!("{} with {id}: {e}", case.name));
    trajectory.q()
}

#[test]
fn orders_of_all_models() {
    let mut wrong = Vec::new();
    for (name, parameters, cells) in TABLE {
        let case = Case::with(name, parameters);
        let (exact, _) = case.instance.flow(0.0, &case.q0, &case.v0, &[], T).unwrap();
        let ids = if case.has("rdp_midpoint") { BY_MIDPOINT } else { BY_TRAPEZOID };
        for (id, cell) in ids.into_iter().zip(cells) {
            let error = |steps| distance(&entries(&case, &end(&case, id, steps)), &entries(&case, &exact));
            let holds = match *cell {
                M(expected, order) => {
                    let (coarse, fine) = (error(80), error(160));
                    let slope = (coarse / fine).log2();
                    println!("{name} {id}: {fine:.1e}, order {slope:.2}; {expected:.1e}, {order:.2}");
                    (slope - order).abs() <= 0.1 && (fine / expected - 1.0).abs() <= 0.1
                }
                SameAsMid => {
                    let apart = distance(&end(&case, id, 80), &end(&case, ids[0], 80));
                    println!("{name} {id}: {apart:.1e} from {}", ids[0]);
                    apart < 1e-12
                }
                Exact => {
                    println!("{name} {id}: {:.1e}", error(160));
                    error(160) < 1e-12
                }
                Absent => true,
            };
            if !holds {
                wrong.push(format!("{name} {id}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The frame method and that with gradients at mid-points.
#[test]
fn orders_in_frames() {
    for (name, parameters, _) in TABLE {
        let case = Case::with(name, parameters);
        if !case.has("frame") {
            continue;
        }
        let (exact, _) = case.instance.flow(0.0, &case.q0, &case.v0, &[], T).unwrap();
        for id in ["frame", "frame_midpoint"] {
            let error = |steps| distance(&entries(&case, &end(&case, id, steps)), &entries(&case, &exact));
            let (coarse, fine) = (error(80), error(160));
            let slope = (coarse / fine).log2();
            println!("{name} {id}: {fine:.1e}, order {slope:.2}");
            // The disk turns steadily, which exponentials do exactly.
            assert!(
                if *name == "disk" { fine < 1e-12 } else { (slope - 2.0).abs() < 0.1 },
                "{name} {id}: {slope}, {fine:e}"
            );
        }
    }
}

/// The error at T of a composition, in steps that are not too small for rounding.
fn composed<S: System + Clone, M: Method<S> + Copy>(
    row: &Row<S>,
    exact: &[f64],
    method: M,
    order: f64,
    steps: u32,
) {
    let (q0, v0) = row.start(&row.example());
    let error = |steps: u32| {
        let mut sim = Simulation::new(row.example(), method, q0, v0, T / f64::from(steps)).unwrap();
        for _ in 0..steps {
            sim.step().unwrap();
        }
        distance(sim.q().as_ref(), exact)
    };
    let (coarse, fine) = (error(steps), error(2 * steps));
    let slope = (coarse / fine).log2();
    println!("{} {}: {coarse:.1e} -> {fine:.1e}, order {slope:.2}", row.name, method.id());
    assert!(fine > 1e-12, "{} {}: {fine:e} is too near to rounding", row.name, method.id());
    assert!((slope - order).abs() <= 0.3, "{} {}: order {slope}", row.name, method.id());
}

/// The symmetric one-step maps on groups gain the orders of their compositions.
#[test]
fn orders_of_compositions() {
    fn exact<S: System>(row: &Row<S>) -> Vec<f64>
    where
        Row<S>: nhi_models::Model,
    {
        use nhi_models::Model as _;
        let instance = row.instance(&row.defaults());
        let (q, v) = instance.initial();
        instance.flow(0.0, &q, &v, &[], T).unwrap().0
    }
    let (row, end) = (&chaplygin_sleigh::MODEL, exact(&chaplygin_sleigh::MODEL));
    composed(row, &end, Compose::suzuki4(Rdp), 4.0, 10);
    composed(row, &end, Compose::triple4(Rdp::new(Cayley)), 4.0, 20);
    composed(row, &end, Compose::suzuki4(RdpMidpoint::new(Exp1)), 4.0, 10);
    composed(row, &end, Compose::kahanli6(Rdp), 6.0, 10);
    composed(row, &end, Compose::yoshida6(Rdp::new(Cayley)), 6.0, 20);
    composed(row, &end, Compose::kahanli8(Rdp), 8.0, 4);
    let (row, end) = (&snakeboard::MODEL, exact(&snakeboard::MODEL));
    composed(row, &end, Compose::suzuki4(Rdp), 4.0, 20);
    composed(row, &end, Compose::kahanli6(RdpMidpoint::new(Cayley)), 6.0, 20);
    composed(row, &end, Compose::suzuki4(Frame), 4.0, 20);
    let (row, end) = (&chaplygin_ball::MODEL, exact(&chaplygin_ball::MODEL));
    composed(row, &end, Compose::suzuki4(Rdp), 4.0, 10);
    composed(row, &end, Compose::suzuki4(Rdp::new(Cayley)), 4.0, 10);
    composed(row, &end, Compose::kahanli6(Rdp::new(Cayley)), 6.0, 10);
    let (row, end) = (&chaplygin_ball::TOP, exact(&chaplygin_ball::TOP));
    composed(row, &end, Compose::suzuki4(Rdp), 4.0, 10);
    composed(row, &end, Compose::kahanli6(Rdp), 6.0, 10);
}
