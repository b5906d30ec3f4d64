//! The command as seen by a user.

use nhi_run::model::{METHODS, MODELS, Model};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn nhi(folder: &Path, arguments: &[&str]) -> Output {
    crate::program().current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The case of the documentation.
fn case() -> Value {
    json!({"model": "sleigh_com", "params": {"m": 1, "I": 0.5, "a": 0.2}, "method": "dla2",
           "h": 0.01, "steps": 400, "q0": [0, 0, 0], "v0": [1, 0.5, 0.2], "every": 20})
}

/// Exit code and standard error of `nhi run` on a case.
fn run(folder: &Path, case: &str) -> (i32, String) {
    std::fs::write(folder.join("case.json"), case).unwrap();
    let output = nhi(folder, &["run", "case.json", "--out", "out.json", "--quiet"]);
    (output.status.code().unwrap(), text(&output.stderr).to_owned())
}

#[test]
fn a_case_is_repeated_with_its_samples() {
    let folder = folder("repeated");
    assert_eq!(run(&folder, &case().to_string()), (0, String::new()));
    let out: Value = serde_json::from_slice(&std::fs::read(folder.join("out.json")).unwrap()).unwrap();
    let mut repeated = out.clone();
    let samples = repeated.as_object_mut().unwrap().shift_remove("samples").unwrap();
    assert_eq!(repeated, case());
    let samples = samples.as_array().unwrap();
    assert_eq!(samples.len(), 21);
    // At the start λ = −ωu/C with C = 1/m + a²/I, and μ = (a, 0, −1): the blade pushes sideways.
    let lambda = samples[0]["lambda"][0].as_f64().unwrap();
    assert!((lambda + 0.5 / 1.08).abs() < 1e-15, "{lambda}");
    assert_eq!(
        samples[0],
        json!({"k": 0, "t": 0.0, "q": [0.0, 0.0, 0.0], "v": [1.0, 0.5, 0.2], "p": [0.5, 0.5, 0.2],
               "lambda": [lambda], "reaction": [0.2 * lambda, 0.0, -lambda], "energy": 0.395})
    );
    assert_eq!((&samples[20]["k"], &samples[20]["t"]), (&json!(400), &json!(4.0)));
    // What `run` writes `check` accepts.
    let checked = nhi(&folder, &["check", "out.json"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    assert!(
        text(&checked.stdout).starts_with("ok out.json: 315 numbers agree to 0.0e0"),
        "{}",
        text(&checked.stdout)
    );
    // Without --out, the same on standard output.
    let printed = nhi(&folder, &["run", "case.json"]);
    assert_eq!(serde_json::from_slice::<Value>(&printed.stdout).unwrap(), out);
}

/// Links on wheels, which take some tenths of a second to derive.
fn snake(links: usize) -> String {
    let (mut x, mut y) = ("dot(x)".to_owned(), "dot(y)".to_owned());
    let (mut lagrangian, mut constraints) = (Vec::new(), Vec::new());
    for i in 0..links {
        if i > 0 {
            for k in [i - 1, i] {
                x += &format!(" - sin(a[{k}])*dot(a[{k}])");
                y += &format!(" + cos(a[{k}])*dot(a[{k}])");
            }
        }
        lagrangian.push(format!("m/2*(({x})^2 + ({y})^2) + m/8*dot(a[{i}])^2"));
        constraints.push(format!("cos(a[{i}])*({y}) - sin(a[{i}])*({x})"));
    }
    format!(
        "#[derive(Nonholonomic)] #[nonholonomic(coordinates(x, y, a[{links}]), lagrangian = {}, constraints({}))]
         struct Snake {{ m: f64 }}",
        lagrangian.join(" + "),
        constraints.join(", ")
    )
}

/// A system that takes long to derive is kept, and then moves as before.
#[test]
fn systems_are_cached() {
    let folder = folder("cached");
    let home = folder.join("home");
    let _ = std::fs::remove_dir_all(&home);
    std::fs::write(folder.join("snake.rs"), snake(6)).unwrap();
    let nhi = |arguments: &str| {
        let mut program = crate::program();
        let program = program.env("XDG_CACHE_HOME", &home).current_dir(&folder);
        let output = program.args(arguments.split_whitespace()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let shown = home.join("nhi").display().to_string();
    assert_eq!(nhi("cache"), format!("{shown}: 0 files, 0.0 MB\n"));
    let run = "run snake.rs --set m=1 --q0 0,0,0,0.1,0.2,0.3,0.2,0.1 --v0 1,0,0,0,0,0,0,0 --project --h 0.01 --steps 20";
    let derived = nhi(run);
    let full = nhi("cache");
    // What the system and the steps are, and how many operations they have.
    assert!(full.starts_with(&format!("{shown}: 4 files, ")), "{full}");
    assert_eq!(nhi(run), derived);
    assert_eq!(nhi("cache"), full);
    assert_eq!(nhi("cache clear"), full.replace('\n', " removed\n"));
    assert_eq!(nhi("cache"), format!("{shown}: 0 files, 0.0 MB\n"));
}

#[test]
fn csv_has_a_header_and_all_samples() {
    let folder = folder("csv");
    let mut case = case();
    case["method"] = json!("rattle");
    std::fs::write(folder.join("case.json"), case.to_string()).unwrap();
    let output = nhi(&folder, &["run", "case.json", "--out", "out.csv", "--plot", "out.svg"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let csv = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    let lines = csv.lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let header = "k,t,theta,x,y,dot_theta,dot_x,dot_y,p_theta,p_x,p_y,\
                  p_pre_theta,p_pre_x,p_pre_y,p_post_theta,p_post_x,p_post_y,lambda_blade,\
                  reaction_theta,reaction_x,reaction_y,energy,residual_blade";
    assert_eq!(lines[0].join(","), header);
    assert_eq!(lines.len(), 22);
    assert!(lines.iter().all(|line| line.len() == 23));
    assert!(std::fs::read_to_string(folder.join("out.svg")).unwrap().trim_end().ends_with("</svg>"));
}

#[test]
fn defaults_and_exact_numbers() {
    let folder = folder("defaults");
    let (a, b) = (case(), {
        let mut case = case();
        case["params"] = json!({"I": "1/2", "a": "0.2"});
        case["h"] = json!("1/100");
        case["steps"] = json!("400");
        case
    });
    let samples = |case: Value| {
        assert_eq!(run(&folder, &case.to_string()), (0, String::new()));
        let out = std::fs::read(folder.join("out.json")).unwrap();
        serde_json::from_slice::<Value>(&out).unwrap()["samples"].clone()
    };
    assert_eq!(samples(a), samples(b));
}

/// One line that names the field, and exit code 2.
#[test]
fn mistakes_are_named() {
    let folder = folder("mistakes");
    let with = |field: &str, value: Value| {
        let mut case = case();
        case[field] = value;
        case.to_string()
    };
    let without = |field: &str| {
        let mut case = case();
        case.as_object_mut().unwrap().shift_remove(field);
        case.to_string()
    };
    for (case, problem) in [
        (with("model", json!("sleigh_con")), "model: unknown model `sleigh_con`, did you mean `sleigh_com`?"),
        (with("model", json!(3)), "model: invalid type: integer `3`, expected a string at line 1 column 10"),
        (without("model"), "model: missing"),
        (with("method", json!("dla3")), "method: unknown method `dla3`, did you mean `dla1`?"),
        (with("stpes", json!(3)), "unknown field `stpes`, did you mean `steps`?"),
        (with("params", json!({"J": 1})), "params: unknown parameter `J`, expected one of m, I, a"),
        (with("params", json!({"mass": 1})), "params: unknown parameter `mass`, expected one of m, I, a"),
        (with("params", json!({"m": [1, 2]})), "params.m: expected a number, found an array"),
        (
            with("params", json!({"m": "1/0"})),
            "params.m: invalid value: string \"1/0\", expected a number, or a string holding an exact decimal or fraction",
        ),
        (
            with("params", json!({"m": true})),
            "params.m: invalid type: boolean `true`, expected a number, or a string holding an exact decimal or fraction",
        ),
        (
            with("coordinates", json!(["x", "y", "theta"])),
            "coordinates: those of `sleigh_com` are theta, x, y, in this order",
        ),
        (with("h", json!(0)), "h: the step size must not be zero"),
        (with("h", json!("NaN")), "h: invalid value: string \"NaN\", expected"),
        (with("h", json!([1])), "h: invalid type: sequence, expected a number"),
        (case().to_string().replace("0.01", "NaN"), "h: expected value at line 1 column"),
        (case().to_string().replace("0.01", "1e999"), "h: number out of range at line 1 column"),
        (without("h"), "h: missing"),
        (with("steps", json!(-3)), "steps: expected a whole number that is not negative, found -3"),
        (with("steps", json!(2.5)), "steps: expected a whole number that is not negative, found 2.5"),
        (without("steps"), "steps: missing"),
        (with("every", json!(0)), "every: must be at least 1"),
        (with("q0", json!([0, 0])), "q0: expected 3 numbers, found 2"),
        (with("q0", json!([0, 0, "x"])), "q0[2]: invalid value: string \"x\", expected"),
        (with("v0", json!([0, 0, 0, 0])), "v0: expected 3 numbers, found 4"),
        (with("v0", json!([1, 0.5, 0.3])), "v0: violates the constraint `blade` by -9.9"),
        (without("v0"), "v0: missing"),
        (with("inputs", json!([1])), "inputs: expected 0 numbers, found 1"),
        (with("inputs", json!([[1]])), "inputs: expected one vector for each of 400 steps, found 1"),
        (with("inputs", json!([[1], 2])), "inputs: expected one vector, or one vector per step"),
        (with("group", json!("SE(2)")), "group: `sleigh_com` has no group factor"),
        ("{".to_owned(), "EOF while parsing an object at line 1 column 1"),
        ("[]".to_owned(), "invalid type: sequence"),
        (r#"{"h": 1, "h": 2}"#.to_owned(), "duplicate field `h` at line 1"),
    ] {
        let (code, message) = run(&folder, &case);
        assert_eq!(code, 2, "{case}: {message}");
        assert!(message.starts_with(&format!("error: case.json: {problem}")), "{case}:\n{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    // Of systems with a group factor.
    let on_group = |fields: Value| {
        let mut case = json!({
            "model": "snakeboard", "group": "SE(2)", "method": "rdp", "tau": "cay", "h": "1/50", "steps": 3,
            "initial": { "r": [0, 1], "g": [0, 0, 0], "v": [2.5, 0, 0, 0, 0] },
        });
        for (name, value) in fields.as_object().unwrap() {
            case[name] = value.clone();
        }
        case.to_string()
    };
    assert_eq!(run(&folder, &on_group(json!({}))).0, 0);
    // What a run writes is a case again, here with the coordinate behind the pose.
    let disk = json!({
        "model": "vertical_disk", "group": "SE(2)xR^1", "method": "rdp", "h": 0.1, "steps": 3,
        "initial": { "g": [0.1, 0, 0, 0], "v": [0.7, 1.1, 0, 1.1] },
    });
    std::fs::write(folder.join("disk.json"), disk.to_string()).unwrap();
    assert!(nhi(&folder, &["run", "disk.json", "--out", "again.json"]).status.success());
    assert!(nhi(&folder, &["check", "again.json"]).status.success());
    let body = |g: Value, v: Value| {
        let initial = json!({ "g": g, "v": v });
        on_group(json!({ "model": "suslov", "group": "SO(3)", "initial": initial }))
    };
    for (case, problem) in [
        (on_group(json!({ "group": "SE(3)" })), "group: that of `snakeboard` is `SE(2)`"),
        (on_group(json!({ "tau": "caley" })), "method: unknown method `rdp_caley`, did you mean `rdp_cay`?"),
        (on_group(json!({ "quadrature": "middle" })), "quadrature: unknown quadrature `middle`"),
        (
            on_group(json!({ "initial": { "g": [0, 0, 0], "v": [0, 0, 0, 0, 0] } })),
            "initial.r: expected 2 numbers",
        ),
        (on_group(json!({ "initial": { "r": [0, 1], "g": [0, 0, 0] } })), "initial.v: missing"),
        (on_group(json!({ "initial": { "q": [] } })), "initial.q: unknown field `q`"),
        (
            on_group(json!({ "initial": { "r": [0, 1], "g": [0, 0, 0], "v": [0, 0, 0, 0, 1] } })),
            "initial.v: violates the constraint `back`",
        ),
        (body(json!([1, 0, 0]), json!([0, 0, 0])), "initial.g: expected 9 numbers, found 3"),
        (
            body(json!([1, 0, 0, 0, 1, 0, 0, 0, 1.001]), json!([1, 0, 0])),
            "initial.g: the matrix `R` is not a rotation; its defect is 2.00",
        ),
    ] {
        let (code, message) = run(&folder, &case);
        assert_eq!(code, 2, "{case}: {message}");
        assert!(message.starts_with(&format!("error: case.json: {problem}")), "{case}:\n{message}");
    }
    let missing = nhi(&folder, &["run", "no such file.json"]);
    assert_eq!(missing.status.code(), Some(2));
    let (code, _) = run(&folder, &case().to_string());
    assert_eq!(code, 0);
    for arguments in [["--out", "out.txt"], ["--plot", "out.png"]] {
        let wrong = nhi(&folder, &["run", "case.json", arguments[0], arguments[1]]);
        assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
    }
}

#[test]
fn mistakes_in_samples_are_named() {
    let folder = folder("samples");
    let sample = json!({"k": 20, "q": [0.0, 0.0, 0.0]});
    let with = |field: &str, value: Value| {
        let mut sample = sample.clone();
        sample[field] = value;
        json!([sample])
    };
    for (samples, problem) in [
        (json!([]), "samples: empty"),
        (json!(3), "samples: invalid type: integer `3`"),
        (with("q", json!([1])), "samples[0].q: expected 3 numbers, found 1"),
        (with("k", json!(401)), "samples[0].k: there are only 400 steps"),
        (with("k", json!(null)), "samples[0].k: missing"),
        (with("enrgy", json!(1)), "samples[0]: unknown field `enrgy`, did you mean `energy`?"),
        (json!([sample, sample]), "samples[1].k: a second sample of step 20"),
    ] {
        let mut case = case();
        case["samples"] = samples;
        std::fs::write(folder.join("case.json"), case.to_string()).unwrap();
        let output = nhi(&folder, &["check", "case.json"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(
            text(&output.stderr).starts_with(&format!("error: case.json: {problem}")),
            "{}",
            text(&output.stderr)
        );
        // `run` ignores them.
        assert_eq!(nhi(&folder, &["run", "case.json"]).status.code(), Some(0));
    }
    std::fs::write(folder.join("case.json"), case().to_string()).unwrap();
    let output = nhi(&folder, &["check", "case.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("there was nothing to compare"), "{}", text(&output.stdout));
    // A run without samples has to end, too.
    let mut case = case();
    case["model"] = json!("euler_disk");
    case["h"] = json!(0.2);
    case["q0"] = json!([0, 0, 0, 1.1, 0]);
    case["v0"] = json!([3, 0, 2, 0.3, -3]);
    case["method"] = json!("dla1");
    case.as_object_mut().unwrap().remove("params");
    case["steps"] = json!(1000);
    std::fs::write(folder.join("case.json"), case.to_string()).unwrap();
    let output = nhi(&folder, &["check", "case.json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}

/// All cases are checked; a deviation gives 1, a mistake 2.
#[test]
fn check_goes_on() {
    let folder = folder("check");
    let case_with = |q: f64| {
        let mut case = case();
        case["samples"] = json!([{"k": 0, "q": [q, 0, 0]}]);
        case.to_string()
    };
    std::fs::write(folder.join("right.json"), case_with(0.0)).unwrap();
    std::fs::write(folder.join("wrong.json"), case_with(1e-9)).unwrap();
    std::fs::write(folder.join("broken.json"), "{").unwrap();
    let output = nhi(&folder, &["check", "wrong.json", "right.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("ok right.json: "));
    assert!(text(&output.stderr).starts_with("error: wrong.json: "));
    let output = nhi(&folder, &["check", "wrong.json", "broken.json", "right.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).starts_with("ok right.json: "));
    assert_eq!(text(&output.stderr).lines().count(), 2);
}

/// A run that fails writes the samples it has, and exits with 1.
#[test]
fn a_failing_run_keeps_its_samples() {
    let folder = folder("failing");
    let case = json!({"model": "euler_disk", "method": "dla1", "h": 0.2, "steps": 1000, "q0": [0, 0, 0, 1.1, 0],
                      "v0": [3, 0, 2, 0.3, -3]});
    let (code, message) = run(&folder, &case.to_string());
    assert_eq!(code, 1, "{message}");
    assert!(message.starts_with("error: case.json: step ") && message.lines().count() == 1, "{message}");
    let out: Value = serde_json::from_slice(&std::fs::read(folder.join("out.json")).unwrap()).unwrap();
    let samples = out["samples"].as_array().unwrap().len();
    assert!((1..1000).contains(&samples), "{samples}");
    assert!(message.contains(&format!("step {samples} ")), "{samples}: {message}");
}

#[test]
fn exact_flow_at_given_times_or_steps() {
    let folder = folder("exact");
    let mut case = case();
    case["method"] = json!("exact");
    assert_eq!(run(&folder, &case.to_string()), (0, String::new()));
    let by_steps: Value = serde_json::from_slice(&std::fs::read(folder.join("out.json")).unwrap()).unwrap();
    let mut case = by_steps.clone();
    for field in ["h", "steps", "every"] {
        case.as_object_mut().unwrap().shift_remove(field);
    }
    std::fs::write(folder.join("times.json"), case.to_string()).unwrap();
    let checked = nhi(&folder, &["check", "times.json"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
}

#[test]
fn models_and_expansion() {
    let folder = folder("models");
    let listed = nhi(&folder, &["models"]);
    for bundled in MODELS {
        assert!(text(&listed.stdout).contains(&format!("{}: ", bundled.name)));
        let model = bundled.load().unwrap();
        for (name, value) in model.parameters().iter().zip(model.defaults()) {
            assert!(text(&listed.stdout).contains(&format!("{name} = {value}")), "{}", bundled.name);
        }
    }
    let shown = nhi(&folder, &["models", "--show", "sleigh_com"]);
    assert!(text(&shown.stdout).contains("pub struct SleighCom"));
    let wrong = nhi(&folder, &["models", "--show", "sleigh_con"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("did you mean `sleigh_com`?"), "{}", text(&wrong.stderr));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src/sleigh_com.rs");
    let expanded = nhi(&folder, &["expand", source.to_str().unwrap(), "--method", "dla2"]);
    assert!(expanded.status.success(), "{}", text(&expanded.stderr));
    assert!(text(&expanded.stdout).contains("mod dla2"));
    assert!(!text(&expanded.stdout).contains("mod rk4"));
    let wrong = nhi(&folder, &["expand", source.to_str().unwrap(), "--struct", "Sleigh"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("`SleighCom`"), "{}", text(&wrong.stderr));
}

/// The scheme before the optimiser: its equations, then the blocks in the order of the scheme.
#[test]
fn plain_expansion_is_the_scheme() {
    let folder = folder("plain");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src/sleigh_com.rs");
    let plain = nhi(&folder, &["expand", source.to_str().unwrap(), "--method", "dla2", "--plain"]);
    assert!(plain.status.success(), "{}", text(&plain.stderr));
    let plain = text(&plain.stdout);
    assert!(plain.starts_with("// `SleighCom` as it is derived, before the optimiser."), "{plain}");
    let mut rest = plain;
    for part in [
        "pub mod dla2 {",
        "/// (1)  p⁻(q_h, q_h + h v') = p⁺(q_h − h v, q_h) + μ(q_h)ᵀ ℓ",
        "/// (2)  μ(q') v' + μ₀(q') = 0,  q' = q_h + h/2 v'",
        "pub fn step<",
        "// node: q_h = q + h/2 v\n        let theta_h = theta + T::from_f64(0.5) * h * dot_theta;",
        "// (1) velocity w without reaction, and B = M⁻¹ μᵀ",
        "// Newton residual of (2)",
        "let residual_blade = ",
        "// Newton Jacobian: jac_ij of residual i by unknown j\n                let jac_11 = ",
        "-residual_blade / jac_11",
        "// (1) velocity of the step: w + B ℓ\n        emitted::pivot(I, I, Failure::SingularMass)?;",
        "let dot_theta_1 = dot_theta + b_theta * impulse;",
        "// (2) q' = q_h + h/2 v'\n        let theta_1 = theta_h + T::from_f64(0.5) * h * dot_theta_1;",
        "pub fn start_consistent<",
    ] {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} is not in\n{rest}"));
        rest = &rest[at + part.len()..];
    }
    assert!(!plain.contains("pub mod rk4") && !plain.contains("carried"));
}

/// What the passes did, and why others do not apply.
#[test]
fn the_optimiser_explains_itself() {
    let folder = folder("explain");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src/sleigh_com.rs");
    let explained = nhi(&folder, &["expand", source.to_str().unwrap(), "--method", "dla2", "--explain"]);
    assert!(explained.status.success(), "{}", text(&explained.stderr));
    let explained = text(&explained.stdout);
    let lines: Vec<&str> = explained.lines().map(str::trim).collect();
    assert_eq!(lines[0], "SleighCom");
    assert!(lines[2].starts_with("dla2: ") && lines[2].contains("per Newton iteration"), "{explained}");
    for start in [
        "predictor: applied",
        "rotate_loop: does not apply: the step has a Newton iteration",
        "scaled_velocities: kept, ",
        "hoist: kept, ",
        "trig_recurrence: applied",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start} is not in\n{explained}");
    }
    let both = nhi(&folder, &["expand", source.to_str().unwrap(), "--plain", "--explain"]);
    assert_eq!(both.status.code(), Some(2));
}

/// The derivatives of a step, whether or not the declaration asks for them, and why there are none.
#[test]
fn derivatives_are_printed_with_their_operations() {
    let folder = folder("derivatives");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src/sleigh_com.rs");
    let printed = |method: &str| {
        let printed =
            nhi(&folder, &["expand", source.to_str().unwrap(), "--method", method, "--derivatives"]);
        assert!(printed.status.success(), "{}", text(&printed.stderr));
        text(&printed.stdout).to_owned()
    };
    let of_dla2 = printed("dla2");
    let mut rest = &*of_dla2;
    for name in ["basis", "linearize", "linearize_parameters", "pull_back", "curvature"] {
        let operations = rest.find("/// Operations: ").unwrap_or_else(|| panic!("none of {name}: {of_dla2}"));
        rest = &rest[operations..];
        let function = rest.find("pub fn ").expect("a function");
        rest = &rest[function..];
        assert!(rest.starts_with(&format!("pub fn {name}<")), "{name}: {of_dla2}");
    }
    assert!(!of_dla2.contains("pub fn step"));
    let of_rattle = printed("rattle");
    assert!(
        of_rattle.contains("// `rattle` has no derivatives: its state has two velocities."),
        "{of_rattle}"
    );
    assert!(!of_rattle.contains("linearize"));
    let both = nhi(&folder, &["expand", source.to_str().unwrap(), "--explain", "--derivatives"]);
    assert_eq!(both.status.code(), Some(2));
}

/// Without a command: tables and two figures.
#[test]
fn the_demonstration() {
    let folder = folder("demonstration");
    let output = nhi(&folder, &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for method in METHODS.iter() {
        assert_eq!(text(&output.stdout).matches(&format!(" {} ", method.id)).count(), 2, "{}", method.id);
    }
    for figure in ["sleigh", "snakeboard"] {
        let svg = std::fs::read_to_string(folder.join(format!("out/{figure}.svg"))).unwrap();
        assert!(svg.contains("rk2_midpoint") && svg.trim_end().ends_with("</svg>"));
    }
}

#[test]
fn the_scoreboard_is_written() {
    let folder = folder("scoreboard");
    let arguments = ["scoreboard", "--model", "nh_particle", "--model", "sleigh_com", "--method", "dla2"];
    let output = nhi(
        &folder,
        &[&arguments[..], &["--method", "rattle", "--steps", "2000", "--out", "board"]].concat(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains("nonholonomic particle, free, h = 0.1 to t = 200"), "{printed}");
    assert!(printed.contains("lost at t = 26.3"), "{printed}");
    let written = std::fs::read_to_string(folder.join("board/README.md")).unwrap();
    assert!(written.contains("| dla2 | 2.00 | "), "{written}");
    for figure in ["board.svg", "orders.svg", "parasites.svg", "energy.svg", "volume.svg"] {
        assert!(folder.join("board").join(figure).exists(), "{figure}");
        assert!(written.contains(figure), "{figure}");
    }
    let energies = std::fs::read_to_string(folder.join("board/energy.svg")).unwrap();
    for model in ["nh_particle", "sleigh_com"] {
        assert!(energies.contains(&format!(">{model}</text>")), "{model}");
    }
    let output = nhi(&folder, &["scoreboard", "--method", "dla3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("'dla2'"), "{}", text(&output.stderr));
}
