//! C programs that call functions of the header.

use super::cases::Case;
use nhi_runtime::Scalar;
use std::fmt::{LowerExp, Write as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Numbers that pass between the programs as bytes.
pub(crate) trait Real: Scalar + LowerExp + 'static {
    /// How many bytes.
    const BYTES: usize;
    /// The bytes.
    fn bytes(self) -> Vec<u8>;
    /// The number of these bytes.
    fn of(bytes: &[u8]) -> Self;
    /// Equal bits, or both no numbers.
    fn is_same(self, other: Self) -> bool {
        self.bytes() == other.bytes() || (self.to_f64().is_nan() && other.to_f64().is_nan())
    }
    /// How many numbers lie between.
    fn ulps_to(self, other: Self) -> u64;
}

macro_rules! real {
    ($($t:ident $bits:ident $signed:ident;)*) => {$(
        impl Real for $t {
            const BYTES: usize = size_of::<$t>();
            fn bytes(self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
            fn of(bytes: &[u8]) -> Self {
                $t::from_ne_bytes(bytes.try_into().expect("the bytes of one number"))
            }
            fn ulps_to(self, other: Self) -> u64 {
                if self.is_same(other) {
                    return 0;
                }
                if self.is_nan() || other.is_nan() {
                    return u64::MAX;
                }
                let place = |x: $t| {
                    let bits = x.to_bits() as $signed;
                    i128::from(if bits < 0 { $signed::MIN - bits } else { bits })
                };
                u64::try_from((place(self) - place(other)).abs()).unwrap_or(u64::MAX)
            }
        }
    )*};
}

real! {
    f64 u64 i64;
    f32 u32 i32;
}

/// A compiled program.
pub(crate) struct Driver {
    program: PathBuf,
}

/// What the driver is besides the cases.
const MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments)
{
    const unsigned i = count > 1 ? (unsigned)atoi(arguments[1]) : 0U;
    nhi_real x[64];
    nhi_real y[216];
    while (fread(x, sizeof x[0], inputs[i], stdin) == inputs[i]) {
        functions[i](x, y);
        if (fwrite(y, sizeof y[0], outputs[i], stdout) != outputs[i]) {
            return 1;
        }
    }
    return 0;
}
"#;

impl Driver {
    /// Compiles a program for these cases.
    pub(crate) fn build<T: Real>(cases: &[Case<T>], flags: &[&str]) -> Driver {
        static BUILT: AtomicU32 = AtomicU32::new(0);
        let mut source = String::from("#include \"nhi.h\"\n");
        for (i, case) in cases.iter().enumerate() {
            let there = &case.there;
            writeln!(source, "static void case_{i}(const nhi_real *x, nhi_real *y)\n{{\n{there}\n}}")
                .unwrap();
        }
        let table = |entries: Vec<String>| entries.join(", ");
        let functions = table((0..cases.len()).map(|i| format!("case_{i}")).collect());
        let inputs = table(cases.iter().map(|case| case.inputs.to_string()).collect());
        let outputs = table(cases.iter().map(|case| case.outputs.to_string()).collect());
        writeln!(source, "static void (*const functions[])(const nhi_real *, nhi_real *) = {{{functions}}};")
            .unwrap();
        writeln!(source, "static const unsigned inputs[] = {{{inputs}}}, outputs[] = {{{outputs}}};")
            .unwrap();
        source.push_str(MAIN);

        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let number = BUILT.fetch_add(1, Ordering::Relaxed);
        let program = folder.join(format!("c_header_{}_{number}", std::process::id()));
        let file = program.with_extension("c");
        std::fs::write(&file, source).expect("the folder for tests can be written to");
        let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nhi-derive/codegen/src/backend/c");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let done = Command::new(&compiler)
            .args([
                "-std=c99",
                "-O2",
                "-ffp-contract=off",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Wconversion",
                "-Werror",
            ])
            .args(flags)
            .arg("-I")
            .arg(header)
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .arg("-lm")
            .output()
            .unwrap_or_else(|error| {
                panic!("this test needs a C compiler; `{compiler}` cannot be started: {error}")
            });
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        std::fs::remove_file(file).expect("the source is there");
        Driver { program }
    }

    /// The results of the `i`-th case for all `arguments`.
    pub(crate) fn call<T: Real>(&self, i: usize, case: &Case<T>, arguments: &[T]) -> Vec<T> {
        let mut process = Command::new(&self.program)
            .arg(i.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the driver starts");
        let bytes: Vec<u8> = arguments.iter().flat_map(|x| x.bytes()).collect();
        let mut input = process.stdin.take().expect("the input is piped");
        let writer = std::thread::spawn(move || input.write_all(&bytes));
        let output = process.wait_with_output().expect("the driver ends");
        writer.join().expect("no panic").expect("the driver reads everything");
        assert!(output.status.success(), "{}", case.name);
        let results: Vec<T> = output.stdout.chunks(T::BYTES).map(T::of).collect();
        assert_eq!(results.len(), arguments.len() / case.inputs * case.outputs, "{}", case.name);
        results
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // What is left behind lies in the folder for tests.
        let _ = std::fs::remove_file(&self.program);
    }
}
