//! Passes: fewer operations, the same values.

mod support;

use nhi_codegen::expr::Pool;
use nhi_codegen::pass::{optimise, split};
use nhi_codegen::program::{Constants, Operations};
use support::{program, systems};

#[test]
fn show() {
    let mut pool = Pool::new();
    let mut constants = Constants::default();
    for text in [systems::SLEIGH_DLA2, systems::CONTACT_DLA2] {
        let p = program(&mut pool, text);
        println!("{}", Operations::of(&mut pool, &mut constants, &p));
        let o = optimise(&mut pool, &mut constants, &p);
        println!("{}", Operations::of(&mut pool, &mut constants, &o));
        let s = split(&pool, &o);
        println!("{}", s.prepare.show(&pool));
        println!("{}", s.step.show(&pool));
    }
}
