//! Programs for tests, read from their textual form.
#![allow(dead_code, unused_imports, reason = "each test binary uses some of this")]

mod carrying;
mod parse;
pub(crate) mod systems;

pub(crate) use carrying::{Carrying, Lists, ROUNDING};
pub(crate) use parse::{expression, program};

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::Pool;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::Program;
use nhi_interpreter::{Options, run_program};
use nhi_methods::Retraction;
use nhi_runtime::Failure;

/// Runs programs in tests.
pub(crate) trait Run {
    /// The outputs for `arguments`; wrong predictions of angles panic.
    fn run(&self, pool: &Pool, arguments: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Failure>;
}

impl Run for Program {
    fn run(&self, pool: &Pool, arguments: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Failure> {
        run_program(pool, self, arguments, Options { retraction: Retraction::Exp, strict: true })
    }
}

/// What follows from a struct without parameters and this attribute.
pub(crate) fn derived(attribute: &str) -> Derived {
    let text = format!("#[nonholonomic({attribute})] pub struct S;");
    let input: syn::DeriveInput = syn::parse_str(&text).unwrap();
    let declaration = Declaration::parse(&input).unwrap_or_else(|rejected| panic!("{:?}", rejected.errors));
    Derived::new(declaration, &mut BuiltIn).expect("derivable")
}

/// The largest difference of two entries.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest: f64, (a, b)| largest.max((a - b).abs()))
}

/// A deterministic generator of numbers in (-1, 1) (SplitMix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub(crate) fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
