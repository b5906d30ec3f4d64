//! Of what users do not see.

use super::*;
use crate::{Dla2, Rattle};

#[path = "../../tests/double/mod.rs"]
mod double;
use double::{SLEIGH, Sleigh};

/// Angles of all sizes, and one velocity that overflows.
fn ensemble<M: Method<Sleigh> + Clone>(method: M) -> Ensemble<Sleigh, M> {
    let all = (0..100).map(|i| {
        let theta = 1e4 * f64::from(i);
        let (s, c) = theta.sin_cos();
        let v = [1.2, 0.7 * c - 0.24 * s, 0.7 * s + 0.24 * c];
        (SLEIGH, [theta, 0.0, 0.0], v, [if i == 50 { 2e306 } else { 0.3 }])
    });
    Ensemble::with_inputs(method, all, 0.5).unwrap()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let run = |isa| {
        let (mut closed, mut newton) = (ensemble(Rattle::plain()), ensemble(Dla2));
        closed.advance_on(isa, 2_000);
        newton.advance_on(isa, 200);
        [closed.checkpoint(), newton.checkpoint()]
    };
    let plain = run(Isa::all().next().unwrap());
    assert!(Isa::all().all(|isa| run(isa) == plain));
    assert_eq!(plain[0].stopped.len(), 1);
}
