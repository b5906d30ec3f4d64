//! The memory of code is released with its owner. A process of its own, so that no other test changes its size.
#![cfg(target_os = "linux")]

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::expand::structs;
use nhi_codegen::pipeline::Derived;
use nhi_jit::{Compiled, Simulation};
use nhi_methods::Variant;

const SLEIGH: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y),
        lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
        constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
        methods(Dla2, Rattle)
    )]
    struct Sleigh { J: f64, m: f64, a: f64 }
";

/// The size of the process's memory in bytes: mapped pages, used or not.
fn mapped() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: u64 = statm.split(' ').next().and_then(|pages| pages.parse().ok()).expect("a number");
    4096 * pages
}

#[test]
fn memory_is_released_with_the_last_owner() {
    let item = structs(SLEIGH).expect("Rust").remove(0);
    let declaration = Declaration::parse(&item).expect("no mistakes");
    let derived = Derived::new(declaration, default_engine().as_mut()).expect("derivable");
    let optimised = derived.optimised().expect("finite constants");
    let variants: Vec<Variant> = derived.methods.iter().map(|method| method.method.into()).collect();
    let compile = || {
        let compiled = Compiled::new(&derived.mechanics, &optimised, &variants).expect("Cranelift runs here");
        let start =
            Simulation::new(&compiled, variants[0], &[1.0, 1.0, 0.2], &[0.0; 3], &[1.0, 0.5, 0.2], 0.01);
        let mut simulation = start.expect("it starts");
        drop(compiled);
        simulation.advance(10).expect("steps");
        simulation
    };
    drop(compile());
    let at_first = mapped();
    let kept: Vec<Simulation> = (0..20).map(|_| compile()).collect();
    let size = mapped() - at_first;
    assert!(size > 20 * 4096, "{size}");
    let before = mapped();
    for _ in 0..60 {
        drop(compile());
    }
    let grown = mapped().saturating_sub(before);
    assert!(grown < size / 2, "{grown} bytes by 60 compilations, {size} bytes are 20 of them");
    drop(kept);
}
