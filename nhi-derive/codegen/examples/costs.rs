//! Operation counts per step, generated lines and derive times of the systems declared in some
//! source files, as a Markdown document.
//!
//! ```text
//! cargo run --release -p nhi-codegen --no-default-features --example costs -- \
//!     models/src/*.rs models/src/lie/*.rs > docs/costs.md
//! ```

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::expand::structs;
use nhi_codegen::pass::{optimise_step, split};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Constants, Operations};
use std::error::Error;
use std::time::Instant;

const HEAD: &str = "# Cost of the generated steps

Operations per step and per Newton iteration, lines of generated code and time of the derive in an optimised build, for
every system of `models` and every method that it has. `sin_cos_turned` is made of those of an angle
close by, `sin_cos_near` of those of one that was foreseen. `moved` is g τ(hξ), `dtau_…` are the tangents of the retraction
and `k` their derivative. Written by

```sh
cargo run --release -p nhi-codegen --no-default-features --example costs -- models/src/*.rs models/src/lie/*.rs
```
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut engine = default_engine();
    println!("{HEAD}");
    println!("engine: {}\n", engine.name());
    println!("| system | method | per step | per Newton iteration | lines | derive, ms |");
    println!("|---|---|---|---|---:|---:|");
    for path in std::env::args().skip(1) {
        for input in structs(&std::fs::read_to_string(path)?)? {
            let all = Declaration::parse(&input).map_err(|r| r.errors[0].to_string())?;
            for &marker in &all.system.methods {
                let mut one = all.clone();
                one.system.methods = vec![marker];
                let start = Instant::now();
                let derived = Derived::new(one, engine.as_mut()).map_err(|r| r.errors[0].to_string())?;
                let tokens = derived.implementation();
                let time = start.elapsed().as_secs_f64() * 1e3;
                assert!(!tokens.is_empty());
                let pretty = derived.pretty(engine.as_mut()).map_err(|r| r.errors[0].to_string())?;
                let lines = pretty.lines().count();
                row(&derived, lines, time);
            }
        }
    }
    Ok(())
}

fn row(derived: &Derived, lines: usize, time: f64) {
    let mut pool = derived.mechanics.system.pool.clone();
    let mut constants = Constants::default();
    for method in &derived.methods {
        let fixed = method.state.belongs_to_step_size();
        let optimised = optimise_step(&mut pool, &mut constants, &method.step, fixed).step;
        let step = split(&pool, &optimised).step;
        let count = Operations::of(&mut pool, &mut constants, &step);
        let mut iterations: Vec<String> = count.iterations.iter().map(ToString::to_string).collect();
        if count.second_order.weight() > 0 {
            iterations.push(format!("of second order {}", count.second_order));
        }
        println!(
            "| {} | {} | {} | {} | {lines} | {time:.0} |",
            derived.mechanics.system.name,
            method.id,
            count.once,
            iterations.join("; "),
        );
    }
}
