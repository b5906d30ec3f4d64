//! Where the reactions of position constraints stand in time.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Simulation};
use nhi_methods::{Method, Variant};

const FOUR_BAR: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(a, b, c),
        lagrangian = 3/20*dot(a)^2 + dot(b)^2/10 + dot(c)^2/2 - 2*sin(b),
        holonomic(
            along: cos(a) + 5/2*cos(b) - 2*cos(c) - 3/2 = 0,
            across: sin(a) + 5/2*sin(b) - 2*sin(c) = 0,
        ),
        methods(DlaRattle),
    )]
    struct FourBar;";

/// A disc that rolls and tilts, with the height of its centre as a position constraint.
const DISC: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z, psi, theta, phi),
        lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 + (dot(theta)^2 + (dot(psi)*cos(theta))^2)/20
            + (dot(phi) + dot(psi)*sin(theta))^2/10 - 981/100*z,
        constraints(
            along: d(x + 3/5*sin(theta)*sin(psi)) - 3/5*cos(psi)*dphi,
            across: d(y - 3/5*sin(theta)*cos(psi)) - 3/5*sin(psi)*dphi,
        ),
        holonomic(height: z - 3/5*cos(theta)),
        methods(DlaRattle),
    )]
    struct Disc;";

/// Largest errors of κ over a time: of the reaction κ⁺ with which steps arrive at a node, of κ⁻ with which they leave it, and of
/// their mean, against the multiplier of the continuous equations at the node.
fn errors(compiled: &Compiled, [q, v]: [&[f64]; 2], positions: usize, h: f64) -> [f64; 3] {
    let variant = Variant::from(Method::DlaRattle);
    let mut simulation = Simulation::project(compiled, variant, &[], q, v, &[], h).expect("a start");
    let mut largest = [0.0_f64; 3];
    for _ in 0..(0.6 / h).round() as usize {
        simulation.step().expect("a step");
        let exact = simulation.acceleration().expect("regular equations").lambda;
        let arriving = simulation.multipliers().to_vec();
        let mut next = simulation.clone();
        next.step().expect("a step");
        // The method is symmetric: a step back arrives with the reaction with which the step departed.
        let back = Simulation::new(compiled, variant, &[], next.q(), &next.v(), -h);
        let mut back = back.expect("a start");
        back.step().expect("a step");
        for i in exact.len() - positions..exact.len() {
            let [plus, minus] = [arriving[i] - exact[i], back.multipliers()[i] - exact[i]];
            for (most, error) in largest.iter_mut().zip([plus, minus, (plus + minus) / 2.0]) {
                *most = most.max(error.abs());
            }
        }
    }
    largest
}

/// κ⁺ and κ⁻ are of order 1 at their node, with errors that are opposite up to order 2.
#[test]
fn the_mean_of_both_reactions_at_a_node_is_of_order_2() {
    let disc = [[0.0, 0.0, 0.6 * 0.2_f64.cos(), 0.1, 0.2, 0.0], [0.0, 0.0, 0.0, 0.5, 0.1, 6.0]];
    for (source, q, v, positions) in
        [(FOUR_BAR, &[1.2, 0.2, 0.9][..], &[1.0, 0.0, 0.0][..], 2), (DISC, &disc[0][..], &disc[1][..], 1)]
    {
        let item = &structs(source).expect("Rust")[0];
        let declaration = Declaration::parse(item).expect("no mistakes");
        let derived = Derived::new(declaration, default_engine().as_mut()).expect("derivable");
        let optimised = derived.optimised().expect("finite constants");
        let compiled = Compiled::new(&optimised, &[Variant::from(Method::DlaRattle)]).expect("machine code");
        let [coarse, fine] = [0.005, 0.0025].map(|h| errors(&compiled, [q, v], positions, h));
        let orders: [f64; 3] = std::array::from_fn(|i| (coarse[i] / fine[i]).log2());
        for (order, expected) in orders.into_iter().zip([1.0, 1.0, 2.0]) {
            assert!((order - expected).abs() < 0.2, "{orders:?} {coarse:?} {fine:?}");
        }
    }
}
