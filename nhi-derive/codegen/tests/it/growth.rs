//! How generated code grows with the system. `docs/growth.md` is written anew with
//!
//! ```text
//! UPDATE_GROWTH=1 cargo test -p nhi-codegen --test it growth::
//! ```
//!
//! By default for the smaller systems; with `NHI_TESTS=all`, the whole document is compared.

#[path = "../../examples/growth/systems.rs"]
mod systems;

use crate::families::FAMILIES;
use nhi_codegen::parallel::in_parallel;
use nhi_tiers::exhaustive;
use std::path::Path;
use systems::{HEAD, Size, row};

const TABLE: &str = "../../docs/growth.md";
const INSTEAD: &str = "to write it anew, set UPDATE_GROWTH=1";

const TEXT: &str = "# Growth of the generated code

The table shows the operations of a step of `Dla2` and the number of statements of all generated functions, for systems of N
bodies in the plane. Both grow with less than the power 2.5 of N: mass matrix and constraints are full matrices, and a step solves
linear equations with them. The test `growth` of `nhi-codegen` compares the table with what is derived. The time of the derive is
proportional to the number of statements. This command measures it:

```sh
cargo run --release -p nhi-codegen --example growth -- 2 4 8 12 16
```

";

/// What follows the table.
const JACOBIANS: &str = "
## Jacobians that are kept

Most operations of a step are those of the Jacobian of Newton's method and its elimination. The table compares steps that compute
the Jacobian in each iteration, as generated steps do, with steps that compute it at the initial guess only. It has averages over
300 steps of the weighted operations that are executed. (The weight of a step in other tables counts three iterations.) It is from
before unknowns were eliminated in the order of least degree, which saves a fifth of the operations of an iteration of the snake, and
so leaves less to save by a Jacobian that is kept.

With the Jacobian of the guess, iterations converge linearly. An iteration is the last one if ‖δ₁‖²/‖δ₀‖, the size of the next
update, is that of rounding errors. Such steps save at most 8 % of the operations of the bicycle, since most of its steps take one
iteration, and 8 to 20 % for chains of bodies. They would need a second form of the iteration, with a new Jacobian if convergence is
slow, in every back end. Therefore they are not generated.

| system | h | iterations | operations | iterations, Jacobian of the guess | operations |
|---|---:|---:|---:|---:|---:|
| bicycle in 9 coordinates | 0.01 | 1.08 | 5763 | 1.09 | 5748 |
| bicycle in 9 coordinates | 0.05 | 1.30 | 6516 | 1.34 | 6004 |
| car with 8 trailers | 0.01 | 2.02 | 7135 | 2.05 | 5718 |
| car with 8 trailers | 0.05 | 2.02 | 7135 | 3.01 | 6588 |
| snake of 8 links | 0.01 | 2.02 | 12160 | 3.07 | 10156 |
| snake of 8 links | 0.05 | 3.00 | 17336 | 6.28 | 14783 |
";

/// Families in the plane, the first ones. Equations of bodies in space grow faster.
const IN_THE_PLANE: usize = 3;

/// Numbers of bodies, each twice the one before; the last one takes most of the time.
const NUMBERS: [usize; 3] = [2, 4, 8];

#[test]
fn code_grows_with_less_than_the_power_2_5() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    let is_written = std::env::var_os("UPDATE_GROWTH").is_some();
    let numbers = if is_written || exhaustive() { &NUMBERS[..] } else { &NUMBERS[..2] };
    let families = &FAMILIES[..IN_THE_PLANE];
    let work: Vec<_> =
        numbers.iter().rev().flat_map(|&n| families.iter().map(move |family| (n, family))).collect();
    let sizes = in_parallel(&work, |(_, (name, _))| name, |&(n, (_, attribute))| Size::of(&attribute(n)).0);
    let mut text = format!("{TEXT}{HEAD}");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (name, _) in families {
        let of_family = work.iter().zip(&sizes).filter(|((_, (of, _)), _)| of == name);
        let sizes: Vec<(usize, &Size)> = of_family.map(|((n, _), size)| (*n, size)).rev().collect();
        for &(n, size) in &sizes {
            let row = row(name, n, size);
            assert!(is_written || committed.contains(&row), "{TABLE} has no {row}{INSTEAD}");
            text.push_str(&row);
        }
        for pair in sizes.windows(2) {
            let power = (pair[1].1.statements as f64 / pair[0].1.statements as f64).log2();
            assert!(power < 2.5, "{name}: n^{power}");
        }
    }
    text.push_str(JACOBIANS);
    if is_written {
        std::fs::write(&path, &text).expect("the table is written");
    } else if exhaustive() {
        assert!(committed == text, "{TABLE} is not what is derived; {INSTEAD}");
    }
}
