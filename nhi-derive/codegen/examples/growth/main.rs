//! How the derive grows with the system: time, generated statements and operations of a step of `Dla2`, for families of
//! systems of any size.
//!
//! ```text
//! cargo run --release -p nhi-codegen --example growth -- 2 4 8 12 16
//! ```

mod families;
mod systems;

use families::FAMILIES;
use systems::{HEAD, Size, row};

fn main() {
    let numbers = std::env::args().skip(1).map(|n| n.parse().expect("numbers of bodies"));
    let numbers: Vec<usize> = numbers.collect();
    print!("{HEAD}");
    for (name, attribute) in FAMILIES {
        for &n in &numbers {
            let (size, time) = Size::of(&attribute(n));
            print!("{}", row(name, n, &size));
            eprintln!("{name}, N = {n}: {:.2} s", time.as_secs_f64());
        }
    }
}
