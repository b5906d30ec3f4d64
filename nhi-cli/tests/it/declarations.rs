//! Declarations as a user runs them: flags, files, cases, sweeps, and mistakes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SLEIGH: &str = include_str!("../../template/src/sleigh.rs");

/// A folder for one test, with the declaration and the case of `nhi new`.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("declarations_{test}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("sleigh.rs"), SLEIGH).unwrap();
    std::fs::write(folder.join("src/sleigh.rs"), SLEIGH).unwrap();
    std::fs::write(folder.join("sleigh.json"), include_str!("../../template/sleigh.json")).unwrap();
    folder
}

fn nhi(folder: &Path, arguments: &str) -> Output {
    let arguments = arguments.split(' ').filter(|argument| !argument.is_empty());
    crate::program().current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

const START: &str = "run sleigh.rs --set J=1,m=1,a=1/5 --q0 0,0,0 --v0 1,0.5,0.2 --h 0.01";

fn run(folder: &Path, more: &str) -> Output {
    nhi(folder, &format!("{START} {more}"))
}

/// The columns of a CSV file by name.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines().filter(|line| !line.starts_with('#'));
    let place = lines.next().unwrap().split(',').position(|known| known == name).expect(name);
    lines.map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

/// The files of a run agree, what is written as JSON is a case again, and nothing else is left behind.
#[test]
fn all_files_of_a_run() {
    let folder = folder("files");
    for out in ["out.csv", "out.json", "out.npz"] {
        let done = run(
            &folder,
            &format!(
                "--steps 1000 --every 100 --output v2=dot(x)^2+dot(y)^2 --pose x,y,theta --out {out} --plot out.svg --view out.html --quiet"
            ),
        );
        assert!(done.status.success(), "{}", text(&done.stderr));
        assert_eq!((text(&done.stdout), text(&done.stderr)), ("", ""));
    }
    let csv = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    let json: Value = serde_json::from_slice(&std::fs::read(folder.join("out.json")).unwrap()).unwrap();
    assert_eq!(column(&csv, "k"), (0..11).map(|i| 100.0 * f64::from(i)).collect::<Vec<_>>());
    for (i, theta) in column(&csv, "theta").into_iter().enumerate() {
        assert_eq!(json["samples"][i]["q"][0].as_f64(), Some(theta));
    }
    assert_eq!(column(&csv, "v2")[10], json["samples"][10]["v2"].as_f64().unwrap());
    let again = nhi(&folder, "check out.json");
    assert!(text(&again.stdout).starts_with("ok out.json: "), "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains(" agree to 0.0e0"), "{}", text(&again.stdout));
    assert!(std::fs::read_to_string(folder.join("out.svg")).unwrap().trim_end().ends_with("</svg>"));
    assert!(std::fs::read_to_string(folder.join("out.html")).unwrap().contains("</html>"));
    let mut left: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(
        left,
        ["out.csv", "out.html", "out.json", "out.npz", "out.svg", "sleigh.json", "sleigh.rs", "src"]
    );
}

/// The case of `nhi new` and the flags say the same.
#[test]
fn cases_name_declarations() {
    let folder = folder("cases");
    assert!(nhi(&folder, "run sleigh.json --out case.csv").status.success());
    assert!(run(&folder, "--steps 1000 --every 10 --out flags.csv").status.success());
    let [case, flags] =
        ["case.csv", "flags.csv"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(case, flags);
    let case = std::fs::read_to_string(folder.join("sleigh.json")).unwrap();
    for (change, with, mistake) in [
        ("src/sleigh.rs", "src/slay.rs", "src/slay.rs: "),
        (
            "\"declaration\"",
            "\"model\": \"sleigh_com\", \"declaration\"",
            "declaration: a case has a model or a declaration",
        ),
        ("\"J\": 1, ", "", "params.J: missing"),
        ("\"theta\"]", "\"phi\"]", "pose: unknown coordinate `phi`"),
        ("dla2", "suslov_mv", "method: unknown method `suslov_mv`"),
    ] {
        std::fs::write(folder.join("wrong.json"), case.replace(change, with)).unwrap();
        let wrong = nhi(&folder, "run wrong.json --out wrong.csv");
        assert_eq!(wrong.status.code(), Some(2), "{change}: {}", text(&wrong.stderr));
        assert!(text(&wrong.stderr).contains(mistake), "{change}: {}", text(&wrong.stderr));
        assert_eq!(text(&wrong.stderr).lines().count(), 1);
    }
    assert!(!folder.join("wrong.csv").exists());
}

#[test]
fn every_method_that_applies() {
    let folder = folder("methods");
    for method in ["rattle", "gni_euler_a", "rk4", "dla2_kahanli6", "exact"] {
        let done =
            run(&folder, &format!("--steps 100 --every 100 --method {method} --comments --out {method}.csv"));
        assert!(done.status.success(), "{method}: {}", text(&done.stderr));
        let csv = std::fs::read_to_string(folder.join(format!("{method}.csv"))).unwrap();
        assert!((column(&csv, "energy")[1] / column(&csv, "energy")[0] - 1.0).abs() < 0.01, "{method}");
        assert!(csv.contains(&format!("# method: \"{method}\"")));
    }
}

/// Inputs by rows, and by times.
#[test]
fn inputs_from_files() {
    let folder = folder("inputs");
    let cart = SLEIGH.replace("lagrangian =", "inputs(u), force = u*dtheta, lagrangian =");
    std::fs::write(folder.join("sleigh.rs"), cart).unwrap();
    let rows: String = (0..20).map(|k| if k < 10 { "1\n" } else { "-1\n" }).collect();
    std::fs::write(folder.join("rows.csv"), format!("# held over each step\nu\n{rows}")).unwrap();
    std::fs::write(folder.join("times.csv"), "t,u\n0,1\n0.1,-1\n").unwrap();
    for name in ["rows", "times"] {
        let done = run(&folder, &format!("--steps 20 --inputs {name}.csv --out {name}_out.csv"));
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    let [rows, times] = ["rows", "times"]
        .map(|name| std::fs::read_to_string(folder.join(format!("{name}_out.csv"))).unwrap());
    assert_eq!(rows, times);
    assert_eq!(column(&rows, "u")[9..13], [1.0, 1.0, -1.0, -1.0]);
    for (file, mistake) in [
        ("u\n1\n", "wrong.csv: expected a row for each of 20 steps, found 1"),
        ("v\n1\n", "wrong.csv:1: no column `u`"),
        ("u,w\n1,2\n", "wrong.csv:1: unknown input `w`"),
        ("u\none\n", "wrong.csv:2: expected a number"),
        ("t,u\n1,1\n0,1\n", "wrong.csv: expected rows with increasing times"),
        ("", "wrong.csv:1: expected a header"),
    ] {
        std::fs::write(folder.join("wrong.csv"), file).unwrap();
        let wrong = run(&folder, "--steps 20 --inputs wrong.csv");
        assert_eq!(wrong.status.code(), Some(2));
        assert!(text(&wrong.stderr).contains(mistake), "{}", text(&wrong.stderr));
    }
}

#[test]
fn sweeps_are_one_table() {
    let folder = folder("sweeps");
    let done = run(
        &folder,
        "--steps 10 --every 10 --sweep a=0.1:0.5:5 --sweep dot_theta=1,2 --project --out sweep.csv",
    );
    assert!(done.status.success(), "{}", text(&done.stderr));
    let csv = std::fs::read_to_string(folder.join("sweep.csv")).unwrap();
    let (a, omega) = (column(&csv, "a"), column(&csv, "dot_theta"));
    assert_eq!(a.len(), 20);
    assert_eq!((a[0], a[3], a[4], a[19]), (0.1, 0.1, 0.2, 0.5));
    assert!(omega[2] > 1.5 * omega[0]);
    for (flags, mistake) in [
        ("--sweep b=1:2:3", "--sweep: unknown parameter or initial value `b`"),
        ("--sweep a=1:2", "--sweep: expected NAME=FROM:TO:COUNT"),
        ("--sweep a=1:2:1", "--sweep: expected from 2 to"),
        ("--sweep a", "--sweep: expected NAME=FROM:TO:COUNT"),
        ("--sweep a=0.2,0.3 --out wrong.csv", "a=0.3: the initial velocity violates the constraint `blade`"),
    ] {
        let wrong = run(&folder, &format!("--steps 10 {flags}"));
        assert_eq!(wrong.status.code(), Some(2));
        assert!(text(&wrong.stderr).contains(mistake), "{}", text(&wrong.stderr));
    }
}

/// Every command that reads a declaration shows its mistakes as rustc does.
#[test]
fn mistakes_of_declarations_are_shown_in_their_lines() {
    let folder = folder("rejected");
    let mistaken = SLEIGH.replace("sin(theta)*dx", "sin(thita)*dx");
    assert_ne!(SLEIGH, mistaken);
    std::fs::write(folder.join("mistaken.rs"), mistaken).unwrap();
    for arguments in [
        "run mistaken.rs",
        "report mistaken.rs",
        "expand mistaken.rs",
        "expand mistaken.rs --plain --method rk4",
        "generate mistaken.rs --out mistaken.out",
        "generate mistaken.rs --lang c --out mistaken.out",
    ] {
        let output = nhi(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty());
        let printed = text(&output.stderr);
        let line = printed.lines().find(|line| line.contains("sin(thita)*dx")).unwrap_or_default();
        let carets = printed.lines().find(|line| line.contains("^^^^^")).unwrap_or_default();
        assert_eq!(line.find("thita"), carets.find('^'), "{arguments}: {printed}");
        assert!(printed.starts_with("error: ") && printed.contains("mistaken.rs:"), "{printed}");
        assert!(printed.contains("`theta`"), "{printed}");
    }
    assert!(!folder.join("mistaken.out").exists());
}

/// One error on the flag, exit code 2, and no file.
#[test]
fn mistakes_name_the_flag() {
    let folder = folder("mistakes");
    for (arguments, mistake) in [
        (
            "run sleigh.rs --set J=1,m=1,a=1 --h 0.01 --steps 1 --v0 0,0,0",
            "--q0: expected 3 numbers, theta, x, y; found 0",
        ),
        (
            "run sleigh.rs",
            "missing: --set J=VALUE,m=VALUE,a=VALUE --q0 THETA,X,Y --v0 DOT_THETA,DOT_X,DOT_Y --h H --steps N",
        ),
        (
            "run sleigh.rs --set m=1 --v0 0,0,0 --h 1",
            "missing: --set J=VALUE,a=VALUE --q0 THETA,X,Y --steps N",
        ),
        (
            "run sleigh.rs --h 0.01 --steps 1 --q0 0,0,0 --v0 0,0,0",
            "--set: the parameters `J`, `m`, `a` have no values",
        ),
        ("run sleigh.rs --set J=1,m=1,a=1 --q0 0,0,0 --v0 0,0,0 --steps 1", "--h: missing"),
        ("run sleigh.rs --set J=1 --set m=1 --set a=1 --q0 0,0,0 --v0 0,0,0 --h 1", "--steps: missing"),
        (
            "run sleigh.rs --set J=1,m=1,a=1 --q0 0,0 --v0 0,0,0 --h 1 --steps 1",
            "--q0: expected 3 numbers, theta, x, y; found 2",
        ),
        (
            "run sleigh.rs --set J=1,m=1,a=1 --q0 0,0,0 --v0 0,0,0 --h one --steps 1",
            "--h: expected a number, a fraction",
        ),
        (
            "run sleigh.rs --set J --set m=1,a=1 --q0 0,0,0 --v0 0,0,0 --h 1 --steps 1",
            "--set: expected NAME=VALUE, found `J`",
        ),
        (
            "run sleigh.rs --set j=1,J=1,m=1,a=1 --q0 0,0,0 --v0 0,0,0 --h 1 --steps 1",
            "--set: unknown parameter `j`, did you mean `J`?",
        ),
        (
            "run sleigh.rs --struct Sled --q0 0,0,0",
            "no struct `Sled` here derives `Nonholonomic`, only `Sleigh`",
        ),
        ("run sleigh.json --steps 3", "--steps: goes with a declaration"),
        ("run none.rs", "none.rs: "),
    ] {
        let wrong = nhi(&folder, arguments);
        assert_eq!(wrong.status.code(), Some(2), "{arguments}");
        assert!(text(&wrong.stderr).contains(mistake), "{arguments}: {}", text(&wrong.stderr));
        assert_eq!(text(&wrong.stderr).lines().count(), 1, "{}", text(&wrong.stderr));
    }
    for (flags, mistake) in [
        ("--steps 1 --method dla3", "--method: method `dla3`: unknown method, did you mean `dla1`?"),
        ("--steps 1 --method suslov_mv", "--method: method `suslov_mv`: does not apply to this system: "),
        ("--steps 1 --pose x,y", "--pose: expected three coordinates"),
        ("--steps 1 --pose x,y,phi", "--pose: unknown coordinate `phi`"),
        (
            "--steps 1 --out out.parquet",
            "--out out.parquet: expected a name that ends in .csv, .json or .npz",
        ),
        ("--steps 1 --view out.htm", "--view out.htm: expected .html"),
        ("--steps 1 --every 0", "every: must be at least 1"),
        ("--steps 1 --phase x,y", "--phase: goes with --plot or --view"),
        ("--steps 1 --plot out.svg --phase x", "--phase: expected two columns, found 1"),
        (
            "--steps 1 --plot out.svg --phase x,dot_z",
            "--phase: unknown column `dot_z`, did you mean `dot_x`?",
        ),
        ("--steps 1 --output e=z", "unknown name `z`"),
        ("--steps 1 --output out.csv", "that is a quantity of the samples; `--out out.csv` writes them"),
        ("--steps 1 --v0 1,0,0.3", "violates the constraint `blade`"),
    ] {
        // The last of two flags counts only where they are one.
        let start =
            if flags.contains("--v0") { START.replace(" --v0 1,0.5,0.2", "") } else { START.to_owned() };
        let wrong = nhi(&folder, &format!("{start} {flags}"));
        assert_eq!(wrong.status.code(), Some(2), "{flags}: {}", text(&wrong.stderr));
        assert!(text(&wrong.stderr).contains(mistake), "{flags}: {}", text(&wrong.stderr));
    }
    std::fs::write(folder.join("sleigh.rs"), SLEIGH.replace("cos(theta)*dy", "cos(thta)*dy")).unwrap();
    let wrong = run(&folder, "--steps 1 --out out.csv");
    assert_eq!(wrong.status.code(), Some(2));
    let printed = text(&wrong.stderr);
    assert!(printed.starts_with("error: unknown name `thta`\n"), "{printed}");
    assert!(
        printed.contains("--> sleigh.rs:")
            && printed.contains("^^^^")
            && printed.contains("did you mean `theta`?"),
        "{printed}"
    );
    assert!(!folder.join("out.csv").exists());
}

/// A failing run writes what it has, and exits with 1.
#[test]
fn failing_runs_keep_their_samples() {
    let folder = folder("failing");
    let fall = "#[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2 + k/x, constraints())]
        struct Fall { k: f64 }";
    std::fs::write(folder.join("fall.rs"), fall).unwrap();
    let done = nhi(
        &folder,
        "run fall.rs --set k=1 --q0 1 --v0 -1 --h 0.05 --steps 1000 --method exact --comments --out fall.csv",
    );
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("error: fall.rs: from t = "), "{}", text(&done.stderr));
    let csv = std::fs::read_to_string(folder.join("fall.csv")).unwrap();
    assert!(csv.contains("# stopped: \"from t = "));
    assert!(column(&csv, "x").iter().all(|x| *x > 0.0));
}

/// Ctrl-C ends a run of hours, which writes what it has.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_samples() {
    let folder = folder("interrupt");
    let arguments = format!("{START} --steps 1000000000000 --every 1000000 --comments --out out.csv");
    let mut child = crate::program()
        .current_dir(&folder)
        .args(arguments.split(' '))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The first thing that a run does is to listen.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let csv = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    assert!(csv.contains("# stopped: \"interrupted after step "));
    assert_eq!(column(&csv, "k")[0], 0.0);
}

/// A recording of a system with auxiliary states is a case that starts from them again.
#[test]
fn auxiliary_states_are_checked() {
    let folder = folder("states");
    let motor = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(phi), states(current), inputs(u), lagrangian = dot(phi)^2/2, constraints(),
            force = k*current*dphi, dynamics(dot(current) = u - current - k*dot(phi)), methods(Dla2)
        )]
        struct Motor { k: f64 }
    ";
    std::fs::write(folder.join("motor.rs"), motor).unwrap();
    let start =
        "run motor.rs --set k=0.8 --q0 0 --v0 0.5 --z0 3 --h 0.01 --steps 100 --every 50 --out out.json";
    let done = nhi(&folder, start);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let again = nhi(&folder, "check out.json");
    assert!(
        text(&again.stdout).contains(" agree to 0.0e0"),
        "{}{}",
        text(&again.stdout),
        text(&again.stderr)
    );
}

/// The files of the README are `examples/sleigh.rs` and `examples/sphere.rs`, and the command that stands below the first runs.
#[test]
fn the_front_page() {
    let readme = include_str!("../../../README.md");
    let blocks = |language: &str| {
        let parts = readme.split(&format!("```{language}\n")).skip(1).collect::<Vec<_>>();
        parts.into_iter().map(|rest| rest.split_once("```").expect("its end").0).collect::<Vec<_>>()
    };
    let sleigh = include_str!("../../../examples/sleigh.rs");
    assert_eq!(blocks("rust"), [sleigh, include_str!("../../../examples/sphere.rs")]);
    let folder = folder("front_page");
    std::fs::create_dir(folder.join("examples")).unwrap();
    std::fs::write(folder.join("examples/sleigh.rs"), sleigh).unwrap();
    let command = blocks("sh")[0].replace("\\\n", " ");
    let command = command.lines().find_map(|line| line.strip_prefix("nhi ")).expect("a command");
    let done = nhi(&folder, command);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(folder.join("sleigh.svg").exists() && folder.join("sleigh.html").exists());
}

/// The commands that `nhi --help` lists.
fn commands(folder: &Path) -> Vec<String> {
    let help = nhi(folder, "--help");
    let listed = text(&help.stdout).lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// The examples of all helps, in a copy of the repository without anything else.
#[test]
fn examples_of_the_help_run() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("declarations_help");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("examples")).unwrap();
    for file in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, folder.join("examples").join(path.file_name().unwrap())).unwrap();
        }
    }
    let commands = commands(&folder);
    assert!(commands.len() >= 11, "{commands:?}");
    for command in commands {
        let help = nhi(&folder, &format!("{command} --help"));
        let help = text(&help.stdout);
        let (_, last) = help.rsplit_once("\nExample").unwrap_or_else(|| panic!("{command}: {help}"));
        let examples: Vec<&str> = last.lines().filter_map(|line| line.strip_prefix("  nhi ")).collect();
        assert!(examples.iter().any(|line| line.starts_with(&format!("{command} "))), "{command}: {help}");
        for line in examples {
            let done = nhi(&folder, line);
            assert!(done.status.success(), "nhi {line}\n{}", text(&done.stderr));
        }
    }
    let sweep = std::fs::read_to_string(folder.join("sweep.csv")).unwrap();
    let a: Vec<String> = column(&sweep, "a").iter().map(|a| format!("{a:.1}")).collect();
    assert_eq!(a.join(" "), "0.1 0.1 0.2 0.2 0.3 0.3 0.4 0.4 0.5 0.5");
    // The new crate has what is run there.
    let checked = nhi(&folder, "check sleigh/sleigh.json");
    assert!(checked.status.success(), "{}", text(&checked.stderr));
}

/// Shells complete all commands and flags, models and methods.
#[test]
fn completions_of_shells() {
    let folder = folder("completions");
    for shell in ["bash", "zsh", "fish"] {
        let printed = nhi(&folder, &format!("completions {shell}"));
        assert!(printed.status.success(), "{}", text(&printed.stderr));
        let script = text(&printed.stdout);
        for command in commands(&folder) {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        for word in ["project", "scoreboard", "sleigh_com", "snakeboard", "dla_rattle", "rdp", "exact"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        std::fs::write(folder.join(shell), script).unwrap();
    }
    // What bash offers after these words.
    let offered = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let [.., before, last] = words[..] else { panic!("{words:?}") };
        let asks = format!(
            "source ./bash; COMP_WORDS=({}); COMP_CWORD={}; _nhi nhi '{last}' {before}; echo ${{COMPREPLY[@]}}",
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words.len() - 1
        );
        let mut bash = Command::new("bash");
        let done = bash.current_dir(&folder).args(["--norc", "-c", &asks]).output().ok()?;
        assert!(done.status.success() && done.stderr.is_empty(), "{}", text(&done.stderr));
        Some(text(&done.stdout).trim().to_owned())
    };
    let Some(commands) = offered("nhi sc") else {
        eprintln!("bash is not installed");
        return;
    };
    assert_eq!(commands, "scoreboard");
    for (words, expected) in [
        ("nhi run snakeboard_", "snakeboard_free"),
        ("nhi run sleigh.rs --proj", "--project"),
        ("nhi run sleigh.rs --method dla_rattle_m", "dla_rattle_midpoint"),
        ("nhi models --show snakeboard_", "snakeboard_free"),
    ] {
        assert_eq!(offered(words).as_deref(), Some(expected), "{words}");
    }
}

/// The crate of `nhi new` builds, runs and passes its test as it is; it takes the dependencies of this build.
#[test]
#[ignore = "compiles the runtime and the derive anew; with --ignored"]
fn a_new_crate_builds() {
    let folder = folder("new");
    assert!(nhi(&folder, "new blade").status.success());
    let crate_folder = folder.join("blade");
    std::fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"),
        crate_folder.join("Cargo.lock"),
    )
    .unwrap();
    for command in ["test", "run"] {
        let done = Command::new(env!("CARGO")).current_dir(&crate_folder).arg(command).output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    for (name, mistake) in [("blade", "exists already"), ("9lives", "no name of a crate")] {
        let wrong = nhi(&folder, &format!("new {name}"));
        assert_eq!(wrong.status.code(), Some(2));
        assert!(text(&wrong.stderr).contains(mistake));
    }
}

/// A run says on standard error what it did, and what the projection changed.
#[test]
fn a_run_says_what_it_did() {
    let folder = folder("summary");
    let done = run(&folder, "--steps 100 --out out.csv");
    let said = text(&done.stderr);
    assert_eq!(text(&done.stdout), "");
    assert!(said.starts_with("100 steps of 0.01 by "), "{said}");
    assert!(said.contains(" to t = 1, 101 samples: out.csv\nconstraints hold to "), "{said}");
    assert!(said.contains(", the energy 0.645000 changes by at most "), "{said}");
    let start = START.replace("--v0 1,0.5,0.2", "--v0 1,0.5,0.5");
    let done = nhi(&folder, &format!("{start} --steps 1 --project --out out.csv"));
    assert!(text(&done.stderr).contains("--project changed dot_theta from 1 to "), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains(", dot_y from 0.5 to "), "{}", text(&done.stderr));
}

/// With a tolerance, samples are at the times that are asked for, and what is written as JSON is a case again.
#[test]
fn runs_with_a_tolerance() {
    let folder = folder("tolerance");
    let start = START.replace(" --h 0.01", " --method dla2");
    let done = nhi(&folder, &format!("{start} --tolerance 1e-6 --until 2 --every-time 0.3 --out out.csv"));
    let said = text(&done.stderr);
    assert!(said.contains(" steps by dla2 with the tolerance 1e-6 to t = 2, "), "{said}");
    assert!(said.contains(" pairs of steps repeated, 8 samples: out.csv\nconstraints hold to "), "{said}");
    let csv = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    let times: Vec<f64> = (0..7).map(|k| 0.3 * f64::from(k)).chain([2.0]).collect();
    assert_eq!(column(&csv, "t"), times);
    for more in ["--until pi/3", "--until t>=0.25 --every-time 0.1", "--until -1 --every-time 1/4"] {
        let done =
            nhi(&folder, &format!("{start} --tolerance 1e-6 {more} --out out.json --plot out.svg --quiet"));
        assert!(done.status.success(), "{}", text(&done.stderr));
        let json: Value = serde_json::from_slice(&std::fs::read(folder.join("out.json")).unwrap()).unwrap();
        assert_eq!((json["tolerance"].as_f64(), json.get("h")), (Some(1e-6), None));
        let last = json["samples"].as_array().unwrap().last().unwrap()["t"].as_f64().unwrap();
        let expected = match more {
            "--until pi/3" => std::f64::consts::PI / 3.0,
            "--until -1 --every-time 1/4" => -1.0,
            _ => 0.25,
        };
        assert!((last - expected).abs() < 1e-14, "{more}: {last}");
        if !more.contains(">=") {
            let again = nhi(&folder, "check out.json");
            assert!(text(&again.stdout).contains(" agree to 0.0e0"), "{more}: {}", text(&again.stderr));
        }
    }
    let swept = nhi(
        &folder,
        &format!("{start} --tolerance 1e-6 --until 1 --every-time 0.5 --sweep m=1,2 --out out.csv"),
    );
    assert!(swept.status.success(), "{}", text(&swept.stderr));
    let csv = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    assert_eq!(column(&csv, "t"), [0.0, 0.5, 1.0, 0.0, 0.5, 1.0]);
}

/// Flags and fields that exclude each other, and that go together.
#[test]
fn mistakes_with_a_tolerance() {
    let folder = folder("tolerances");
    let start = START.replace(" --h 0.01", "");
    for (flags, message) in [
        ("--tolerance 1e-6", "--until: missing\n"),
        (
            "--tolerance 1e-6 --until 1 --h 0.1",
            "--h: goes without --tolerance, from which the sizes of the steps follow\n",
        ),
        (
            "--tolerance 1e-6 --until 1 --steps 9",
            "--steps: goes without --tolerance; the last sample is at the time --until\n",
        ),
        (
            "--tolerance 1e-6 --until 1 --every 9",
            "--every: goes without --tolerance; --every-time is the time from one sample to the next\n",
        ),
        (
            "--h 0.1 --steps 3 --every-time 1",
            "--every-time: goes with --tolerance; --every is the number of steps from one sample to the next\n",
        ),
        (
            "--h 0.1 --until 3",
            "--until: a time goes with --tolerance; with --h, --steps is the number of steps, ",
        ),
        ("--tolerance 1e-6 --until x>1", "--every-time: missing: "),
        (
            "--tolerance 1e-6 --until 1 --every-time 0",
            "--every-time: the time must be finite and positive, found 0\n",
        ),
        ("--tolerance 1e-6 --until 0", "--until: the time must be finite and not zero, found 0\n"),
        (
            "--tolerance 0 --until 1",
            "tolerance: the tolerance must be a finite number that is not below 1e-14, ",
        ),
        ("--tolerance few --until 1", "--tolerance: "),
        (
            "--tolerance 1e-6 --until 1 --method exact",
            "--tolerance: goes with a method; the exact flow needs none\n",
        ),
        (
            "--tolerance 1e-6 --until 1 --method rattle",
            "tolerance: a tolerance needs steps of different sizes, and the state of `rattle` belongs to one step size: ",
        ),
        ("--tolerance 1e-6 --until x>1 --every-time 1 --sweep m=1,2", "--until: goes without --sweep\n"),
    ] {
        let wrong = nhi(&folder, &format!("{start} {flags} --out out.csv"));
        let said = text(&wrong.stderr);
        assert_eq!(wrong.status.code(), Some(2), "{flags}: {said}");
        assert!(said.contains(message), "{flags}: {said}");
    }
    let case = r#""declaration": "sleigh.rs", "params": {"J": 1, "m": 1, "a": 0.2}, "q0": [0, 0, 0], "v0": [1, 0.5, 0.2]"#;
    for (fields, message) in [
        (
            r#""tolerance": 1e-6, "until": 1, "every_time": 0.1, "h": 0.1"#,
            "h: goes without `tolerance`, which has ",
        ),
        (
            r#""until": 1, "h": 0.1, "steps": 1"#,
            "until: goes with `tolerance`; with `h` there are `steps` and `every`",
        ),
        (r#""tolerance": 1e-6"#, "missing: until, every_time"),
        (
            r#""tolerance": 1e-6, "until": 1, "every_time": 0"#,
            "every_time: the time must be finite and positive",
        ),
        (
            r#""tolerance": 1e-6, "until": 1, "every_time": 1, "method": "exact""#,
            "tolerance: goes with a method",
        ),
        (
            r#""tolerance": 1, "until": 1, "every_time": 1, "samples": [{"k": 2}]"#,
            "samples[0].k: there are only 1 steps",
        ),
    ] {
        std::fs::write(folder.join("case.json"), format!("{{{case}, {fields}}}")).unwrap();
        let command = if fields.contains("samples") { "check" } else { "run" };
        let wrong = nhi(&folder, &format!("{command} case.json"));
        let said = text(&wrong.stderr);
        assert_eq!(wrong.status.code(), Some(2), "{fields}: {said}");
        assert!(said.contains(message), "{fields}: {said}");
    }
}

/// Pictures show the phase plane of the columns that are asked for.
#[test]
fn phase_planes_of_any_columns() {
    let folder = folder("phase");
    let drawn = |more: &str| {
        let done = run(&folder, &format!("--steps 50 --plot out.svg {more}"));
        assert!(done.status.success(), "{}", text(&done.stderr));
        std::fs::read_to_string(folder.join("out.svg")).unwrap()
    };
    let usual = drawn("");
    assert_eq!(drawn("--phase theta,dot_theta"), usual);
    let energies = drawn("--phase dot_x,energy");
    assert!(
        energies != usual && energies.matches(">energy<").count() == usual.matches(">energy<").count() + 1
    );
}

/// A model is run by its name, from its own start or another one.
#[test]
fn models_by_name() {
    let folder = folder("named");
    let done = nhi(&folder, "run sleigh_com --h 0.01 --steps 10 --set m=2 --out out.json");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let json: Value = serde_json::from_slice(&std::fs::read(folder.join("out.json")).unwrap()).unwrap();
    assert_eq!((json["model"].as_str(), json["params"]["m"].as_f64()), (Some("sleigh_com"), Some(2.0)));
    assert_eq!((json["q0"][0].as_f64(), json["method"].as_str()), (Some(0.3), Some("dla2")));
    assert!(text(&nhi(&folder, "check out.json").stdout).starts_with("ok out.json: "));
    for command in ["expand", "generate --lang c --out c"] {
        let done = nhi(&folder, &format!("{command} sleigh_com --method dla2"));
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    let report = nhi(&folder, "report sleigh_com");
    assert!(text(&report.stdout).starts_with("# SleighCom\n"), "{}", text(&report.stderr));
    for wrong in ["run sleigh_con --h 0.01 --steps 10", "report sleigh_con", "expand sleigh_con"] {
        let wrong = nhi(&folder, wrong);
        assert_eq!(wrong.status.code(), Some(2));
        assert!(text(&wrong.stderr).contains("did you mean `sleigh_com`?"), "{}", text(&wrong.stderr));
    }
}

/// Several missing fields and flags are told at once, and the method may be left out everywhere.
#[test]
fn what_is_missing_is_told_at_once() {
    let folder = folder("missing");
    let declared = r#""declaration": "sleigh.rs", "params": {"J": 1, "m": 1, "a": 0.2}"#;
    for (file, text) in [
        ("case.json", r#"{"declaration": "sleigh.rs", "params": {"m": 1}, "h": 0.1}"#.to_owned()),
        ("model.json", r#"{"model": "sleigh_com"}"#.to_owned()),
        ("problem.json", format!("{{{declared}, \"h\": 0.1}}")),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    for (arguments, missing) in [
        ("run case.json", "params.J, params.a, q0, v0, steps"),
        ("check model.json", "q0, v0, h, steps"),
        ("plan problem.json", "q0, v0, steps, q1"),
        ("fit problem.json", "q0, v0, measured, samples"),
        ("run sleigh.rs --set J=1,m=1,a=1 --h 1 --steps 1", "--q0 THETA,X,Y --v0 DOT_THETA,DOT_X,DOT_Y"),
        ("scoreboard sleigh.rs --set m=1,a=1 --q0 0,0,0 --v0 0,0,0", "--set J=VALUE --h H"),
    ] {
        let wrong = nhi(&folder, arguments);
        assert_eq!(wrong.status.code(), Some(2), "{arguments}");
        let said = text(&wrong.stderr);
        assert!(said.ends_with(&format!("missing: {missing}\n")), "{arguments}: {said}");
    }
    let driven = SLEIGH.replace("lagrangian =", "inputs(u, w), force = u*dx + w*dtheta, lagrangian =");
    std::fs::write(folder.join("driven.rs"), driven).unwrap();
    let start = format!("{declared}, \"h\": 0.1, \"q0\": [0, 0, 0], \"v0\": [1, 0.5, 0.2]");
    let driven = start.replace("sleigh.rs", "driven.rs").replace("[1, 0.5, 0.2]", "[0, 0, 0]");
    let samples = "\"samples\": [[0.1, 0.05], [0.2, 0.1], [0.4, 0.18]]";
    for (file, text) in [
        ("case.json", format!("{{{start}, \"steps\": 4}}")),
        ("plan.json", format!("{{{driven}, \"steps\": 4, \"q1\": [null, 0.1, null]}}")),
        ("fit.json", format!("{{{start}, \"measured\": [\"x\"], {samples}, \"unknowns\": [\"theta(0)\"]}}")),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    for arguments in ["run case.json --out out.json", "check out.json", "plan plan.json", "fit fit.json"] {
        let done = nhi(&folder, arguments);
        assert!(done.status.success(), "{arguments}: {}", text(&done.stderr));
    }
}

/// A mistyped command is told with the one that was meant.
#[test]
fn mistyped_commands() {
    let folder = folder("mistyped");
    for (mistyped, meant) in [("rnu", "run"), ("reprot", "report"), ("chek", "check"), ("modles", "models")] {
        let wrong = nhi(&folder, mistyped);
        assert_eq!(wrong.status.code(), Some(2));
        assert!(text(&wrong.stderr).contains(&format!("'{meant}'")), "{}", text(&wrong.stderr));
    }
    assert!(!text(&nhi(&folder, "simulate").stderr).contains("tip"));
}

/// Inputs that are held are constants by name.
#[test]
fn inputs_as_constants() {
    let folder = folder("constants");
    let cart = "#[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(x, y), inputs(u, w), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(), force = u*dx + w*dy
        )]
        struct Cart { m: f64 }";
    std::fs::write(folder.join("cart.rs"), cart).unwrap();
    let start = "run cart.rs --set m=1 --q0 0,0 --v0 0,0 --h 0.01 --steps 3 --out out.json";
    let done = nhi(&folder, &format!("{start} --inputs u=0.5,w=-1/4"));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let json: Value = serde_json::from_slice(&std::fs::read(folder.join("out.json")).unwrap()).unwrap();
    assert_eq!(json["inputs"], serde_json::json!([0.5, -0.25]));
    let done = nhi(&folder, &format!("{start} --inputs w=1"));
    assert!(text(&done.stderr).contains("warning: --inputs: `u` = 0"), "{}", text(&done.stderr));
    let wrong = nhi(&folder, &format!("{start} --inputs v=1"));
    assert!(text(&wrong.stderr).contains("--inputs: unknown input `v`"), "{}", text(&wrong.stderr));
}

/// A run ends with an event, and notes others.
#[test]
fn events_end_runs() {
    let folder = folder("events");
    let done = run(&folder, "--until x>=0.5 --event half=x>=0.25 --event never=y>100 --out out.csv");
    let said = text(&done.stderr);
    assert!(done.status.success(), "{said}");
    let csv = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    let [x, t] = ["x", "t"].map(|name| *column(&csv, name).last().unwrap());
    assert!((x - 0.5).abs() < 1e-14, "{x}");
    assert!(
        said.contains("half: 2 times, first at t = 0.5") && said.contains("never: never became true\n"),
        "{said}"
    );
    assert!(said.contains(&format!("until: at t = {t}\n")), "{said}");
    let late = run(&folder, "--until x>=50 --steps 10 --out out.csv");
    assert!(text(&late.stderr).contains("warning: until: `x>=50` has not become true in 10 steps"));
    let over = run(&folder, "--until x>=0 --steps 10 --out out.csv");
    assert!(!text(&over.stderr).contains("warning"), "{}", text(&over.stderr));
    let wrong = run(&folder, "--until x>=a*z --out out.csv");
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
    assert!(text(&wrong.stderr).contains("unknown name `z`"), "{}", text(&wrong.stderr));
    let wrong = run(&folder, "--event x>1 --steps 10 --out out.csv");
    assert!(text(&wrong.stderr).contains("--event: expected NAME=CONDITION, found `x>1`"));
}

/// A typo, such as the parameter `u` in a force in place of the input `u1`, is told.
#[test]
fn names_that_no_formula_uses_are_told() {
    let folder = folder("unused");
    let mistyped = "#[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x, y), inputs(u1), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(), force = u*dx)]
        pub struct Cart { m: f64, u: f64, c: f64 }";
    std::fs::write(folder.join("cart.rs"), mistyped).unwrap();
    let warning = "warning: no formula uses the parameter `c`, nor the input `u1`\n";
    let all = "run cart.rs --set m=1,u=0,c=1 --q0 0,0 --v0 1,0 --h 0.1 --steps 1 --inputs u1=1 --out out.csv --quiet";
    assert_eq!(text(&nhi(&folder, all).stderr), warning);
    for used in ["--output power=c*u1", "--body a=x,c,u1", "--event a=c*x>u1"] {
        assert_eq!(text(&nhi(&folder, &format!("{all} {used}")).stderr), "", "{used}");
    }
    let case = r#"{"declaration": "cart.rs", "params": {"m": 1, "u": 0, "c": 1}, "q0": [0, 0], "v0": [1, 0], "h": 0.1"#;
    std::fs::write(folder.join("case.json"), format!("{case}, \"steps\": 1}}")).unwrap();
    let said = nhi(&folder, "run case.json --out out.csv --quiet");
    assert_eq!(text(&said.stderr), format!("{warning}warning: no `inputs` are given: `u1` = 0\n"));
    for (cost, expected) in
        [("", warning), (", \"final_cost\": \"c*x^2\", \"bounds\": {\"u1\": [-1, 1]}", "")]
    {
        let plan = format!("{case}, \"steps\": 2, \"q1\": [null, null]{cost}}}");
        std::fs::write(folder.join("plan.json"), plan).unwrap();
        let said = nhi(&folder, "plan plan.json --out out.csv --quiet");
        let warnings: Vec<&str> =
            text(&said.stderr).lines().filter(|line| line.starts_with("warning")).collect();
        assert_eq!(warnings, expected.lines().collect::<Vec<_>>(), "{cost}");
    }
    let samples = "\"measured\": [\"x\"], \"samples\": [[0.1, 0.1]], \"unknowns\": [\"dot_x(0)\"]";
    std::fs::write(folder.join("fit.json"), format!("{case}, {samples}}}")).unwrap();
    let said = nhi(&folder, "fit fit.json");
    assert_eq!(text(&said.stderr), format!("{warning}warning: no `inputs` are given: `u1` = 0\n"));
}

#[test]
fn a_start_that_cannot_be_projected_names_the_constraint() {
    let folder = folder("unprojected");
    let circle = "#[derive(Nonholonomic)]
        #[nonholonomic(coordinates(a, b), lagrangian = (dot(a)^2 + dot(b)^2)/2, holonomic(circle: a^2 + b^2 - 1 = 0))]
        pub struct Circle;";
    std::fs::write(folder.join("circle.rs"), circle).unwrap();
    let said = nhi(&folder, "run circle.rs --q0 0,0 --v0 1,0 --h 0.1 --steps 1 --project");
    let expected =
        "error: the start cannot be projected: the one-form of the constraint `circle` vanishes here\n";
    assert_eq!(text(&said.stderr), expected);
    // A declared system has no description.
    let table =
        nhi(&folder, "scoreboard circle.rs --q0 1,0 --v0 0,1 --h 0.1 --span 1 --method dla2 --steps 100");
    assert!(text(&table.stdout).starts_with("Circle: h = 0.1 to t = 1\n"), "{}", text(&table.stdout));
}
