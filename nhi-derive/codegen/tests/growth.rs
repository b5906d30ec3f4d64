//! How generated code grows with the system. `docs/growth.md` is written anew with
//!
//! ```text
//! UPDATE_GROWTH=1 cargo test -p nhi-codegen --test growth
//! ```

#[path = "../examples/growth/systems.rs"]
mod systems;

use std::path::Path;
use systems::{FAMILIES, HEAD, Size, row};

const TABLE: &str = "../../docs/growth.md";

const TEXT: &str = "# Growth of the generated code

The table shows the operations of a step of `Dla2` and the number of statements of all generated functions, for systems of N
bodies. Both grow with less than the power 2.5 of N: mass matrix and constraints are full matrices, and a step solves linear
equations with them. The test `growth` of `nhi-codegen` compares the table with what is derived. The time of the derive is
proportional to the number of statements. This command measures it:

```sh
cargo run --release -p nhi-codegen --example growth -- 2 4 8 12 16
```

";

/// Numbers of bodies, each twice the one before.
const NUMBERS: [usize; 3] = [2, 4, 8];

#[test]
fn code_grows_with_less_than_the_power_2_5() {
    let mut text = format!("{TEXT}{HEAD}");
    for (name, attribute) in FAMILIES {
        let sizes = NUMBERS.map(|n| Size::of(&attribute(n)).0);
        for (n, size) in NUMBERS.iter().zip(&sizes) {
            text.push_str(&row(name, *n, size));
        }
        for pair in sizes.windows(2) {
            let power = (pair[1].statements as f64 / pair[0].statements as f64).log2();
            assert!(power < 2.5, "{name}: n^{power}");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::env::var_os("UPDATE_GROWTH").is_some() {
        std::fs::write(&path, &text).expect("the table is written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "{TABLE} is not what is derived; to write it anew, set UPDATE_GROWTH=1");
}
