//! `nhi generate` as seen by a user.
//!
//! With `NHI_TESTS=all`, generated code is also compiled, by `cargo` and by gcc.

use nhi_run::model::Model;
use nhi_tiers::exhaustive;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generate").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn nhi(folder: &Path, arguments: &[&str]) -> Output {
    crate::program().current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[track_caller]
fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Exit code and standard error.
fn failure(output: &Output) -> (i32, &str) {
    (output.status.code().unwrap(), text(&output.stderr))
}

const PARTICLE: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2),
        constraints(dz - y*dx),
        methods(Dla2, Rk4)
    )]
    pub struct Particle { pub m: f64 }
";

/// The workspace's folder.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A crate with the generated file that has the runtime without any of its features.
#[test]
fn generated_rust_builds_with_the_runtime_alone() {
    let folder = folder("crate");
    let root = workspace();
    fs::create_dir(folder.join("src")).unwrap();
    let declaration = root.join("models/src/sleigh_com.rs");
    let declaration = declaration.to_str().unwrap();
    let arguments = ["generate", declaration, "--method", "dla2", "--out", "src/sleigh.rs"];
    succeeds(&nhi(&folder, &arguments));
    assert!(fs::read_to_string(folder.join("src/sleigh.rs")).unwrap().contains("mod dla2"));
    if !exhaustive() {
        return;
    }
    let runtime = root.join("nhi-runtime");
    let manifest = format!(
        "[package]\nname = \"generated\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         nhi-runtime = {{ path = {runtime:?}, default-features = false }}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let program = "#![deny(warnings)]
mod sleigh;
use nhi_runtime::{Dla2, Simulation};
use sleigh::SleighCom;

fn main() {
    let (q, v) = ([0.3, 0.0, 0.0], [1.2, 0.7, 0.4]);
    let sleigh = SleighCom { m: 1.0, I: 0.5, a: 0.2 };
    let mut simulation = Simulation::project(sleigh, Dla2, q, v, 0.01).unwrap();
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    for x in simulation.q().iter().chain(&simulation.v()) {
        println!(\"{:x}\", x.to_bits());
    }
}
";
    fs::write(folder.join("src/main.rs"), program).unwrap();
    let cargo = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--target-dir", "target"])
        .current_dir(&folder)
        .output()
        .unwrap();
    succeeds(&cargo);

    let model = nhi_run::model::named("sleigh_com", false).unwrap().load().unwrap();
    let instance = model.instance(&model.defaults());
    let q = [0.3, 0.0, 0.0];
    let v = instance.project(&q, &[1.2, 0.7, 0.4]).unwrap();
    let mut derived = instance.start(&model.method("dla2").unwrap(), &q, &v, &[], 0.01).unwrap();
    derived.advance(100).unwrap();
    let bits: Vec<String> =
        derived.q().iter().chain(&derived.v()).map(|x| format!("{:x}", x.to_bits())).collect();
    assert_eq!(text(&cargo.stdout).lines().collect::<Vec<_>>(), bits);
}

#[test]
fn stale_code_is_found() {
    let folder = folder("stale");
    fs::write(folder.join("particle.rs"), PARTICLE).unwrap();
    let check = |more: &[&str]| {
        let arguments = ["generate", "--check", "particle.rs", "--out", "generated.rs"];
        nhi(&folder, &[&arguments, more].concat())
    };
    let stale = (1, "error: generated.rs is stale: generate it again from particle.rs\n");
    assert_eq!(failure(&check(&[])), stale);
    succeeds(&nhi(&folder, &["generate", "particle.rs", "--out", "generated.rs"]));
    succeeds(&check(&[]));
    assert_eq!(failure(&check(&["--method", "rk4"])), stale);
    let code = fs::read_to_string(folder.join("generated.rs")).unwrap();
    assert!(code.contains("mod dla2") && code.contains("mod rk4"), "{code}");
    fs::write(folder.join("particle.rs"), PARTICLE.replace("dz - y*dx", "dz + y*dx")).unwrap();
    assert_eq!(failure(&check(&[])), stale);
    // Nothing is written.
    assert_eq!(fs::read_to_string(folder.join("generated.rs")).unwrap(), code);
}

/// Files of one struct and one method, which a C compiler accepts.
#[test]
fn c_is_written_and_compiles() {
    let folder = folder("c");
    fs::write(folder.join("particle.rs"), PARTICLE).unwrap();
    let generate = |more: &[&str]| {
        let arguments = ["generate", "particle.rs", "--lang", "c", "--method", "rk4", "--out", "c"];
        nhi(&folder, &[&arguments, more].concat())
    };
    let stale = (1, "error: c/particle.h is stale: generate it again from particle.rs\n");
    assert_eq!(failure(&generate(&["--check"])), stale);
    assert!(!folder.join("c").exists());
    for (real, more) in [("double", &[][..]), ("float", &["--real", "float"])] {
        succeeds(&generate(more));
        succeeds(&generate(&[more, &["--check"]].concat()));
        let header = fs::read_to_string(folder.join("c/particle.h")).unwrap();
        assert!(header.contains(&format!("const {real} q0[3]")), "{header}");
        assert!(header.contains("particle_rk4_step(") && !header.contains("dla2"), "{header}");
        if !exhaustive() {
            continue;
        }
        let compiled = Command::new("gcc")
            .args([
                "-std=c99",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Wconversion",
                "-Werror",
                "-c",
                "particle.c",
            ])
            .current_dir(folder.join("c"))
            .output()
            .unwrap();
        succeeds(&compiled);
    }
    assert_eq!(failure(&generate(&["--check"])), stale);
}

#[test]
fn mistakes_are_one_line_each() {
    let folder = folder("mistakes");
    fs::write(folder.join("particle.rs"), PARTICLE).unwrap();
    let wrong = |more: &[&str]| {
        let output = nhi(&folder, &[&["generate", "particle.rs"], more].concat());
        let (code, message) = failure(&output);
        assert_eq!(code, 2, "{message}");
        message.to_owned()
    };
    let message = wrong(&["--out", "./particle.rs"]);
    assert_eq!(message, "error: --out ./particle.rs: that is the declaration\n");
    assert_eq!(fs::read_to_string(folder.join("particle.rs")).unwrap(), PARTICLE);
    let message = wrong(&["--out", "out.rs", "--struct", "Ball"]);
    assert!(message.starts_with("error: particle.rs: no struct `Ball`"), "{message}");
    let message = wrong(&["--out", "out.rs", "--method", "rk5"]);
    assert!(message.starts_with("error: particle.rs: unknown method `rk5`"), "{message}");
    assert!(wrong(&["--out", "out.rs", "--real", "float"]).starts_with("error: --real float: "));
    assert!(wrong(&["--out", "out.rs", "--lang", "cobol"]).contains("cobol"));
    assert!(!folder.join("out.rs").exists());
}
