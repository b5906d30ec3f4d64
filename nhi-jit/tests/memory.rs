//! The memory of code is released with its owner. A process of its own, so that no other test changes its size.
#![cfg(target_os = "linux")]

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
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

/// Bytes of executable memory that belongs to no file. The whole memory of the process also grows with the allocator's reserves
/// for the threads that compile.
fn executable() -> u64 {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux");
    let sizes = maps.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [range, permissions, _, _, "0"] = fields[..] else { return None };
        let (from, to) = range.split_once('-')?;
        let size = u64::from_str_radix(to, 16).ok()? - u64::from_str_radix(from, 16).ok()?;
        permissions.contains('x').then_some(size)
    });
    sizes.sum()
}

#[test]
fn memory_is_released_with_the_last_owner() {
    let item = structs(SLEIGH).expect("Rust").remove(0);
    let declaration = Declaration::parse(&item).expect("no mistakes");
    let derived = Derived::new(declaration, default_engine().as_mut()).expect("derivable");
    let optimised = derived.optimised().expect("finite constants");
    let variants: Vec<Variant> = derived.methods.iter().map(|method| method.method.into()).collect();
    let compile = || {
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        let start =
            Simulation::new(&compiled, variants[0], &[1.0, 1.0, 0.2], &[0.0; 3], &[1.0, 0.5, 0.2], 0.01);
        let mut simulation = start.expect("it starts");
        drop(compiled);
        simulation.advance(10).expect("steps");
        simulation
    };
    let at_first = executable();
    let kept: Vec<Simulation> = (0..20).map(|_| compile()).collect();
    let size = executable() - at_first;
    assert!(size >= 20 * 4096, "{size}");
    for _ in 0..60 {
        drop(compile());
    }
    assert_eq!(executable() - at_first, size, "after 60 further compilations");
    drop(kept);
    assert_eq!(executable(), at_first);
}
