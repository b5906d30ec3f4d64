//! Plans and fits as a user asks for them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

const SIDEWAYS: &str = include_str!("../../../examples/sideways.json");
const IDENTIFY: &str = include_str!("../../../examples/identify.json");

/// A folder for one test, with the problems of the examples.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("solve_{test}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("disk.rs"), include_str!("../../../examples/disk.rs")).unwrap();
    std::fs::write(folder.join("sideways.json"), SIDEWAYS).unwrap();
    std::fs::write(folder.join("identify.json"), IDENTIFY).unwrap();
    folder
}

fn nhi(folder: &Path, arguments: &str) -> Output {
    let arguments = arguments.split(' ').filter(|argument| !argument.is_empty());
    crate::program().current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// What the command says of a problem with changes, which it refuses.
fn refused(folder: &Path, command: &str, problem: &str, changes: &[(&str, &str)], code: i32) -> String {
    let changed = changes.iter().fold(problem.to_owned(), |problem, (from, to)| {
        assert!(problem.contains(from), "{from}");
        problem.replace(from, to)
    });
    std::fs::write(folder.join("wrong.json"), changed).unwrap();
    let done = nhi(folder, &format!("{command} wrong.json --out wrong.csv"));
    let said = text(&done.stderr).to_owned();
    assert_eq!(done.status.code(), Some(code), "{changes:?}: {said}");
    assert_eq!(folder.join("wrong.csv").exists(), code == 1, "{changes:?}: {said}");
    said
}

/// A plan is a case of its motion, which ends where it should, and no bound is violated.
#[test]
fn a_plan_is_a_motion() {
    let folder = folder("plan");
    let done = nhi(&folder, "plan sideways.json --out plan.json --plot plan.svg --view plan.html");
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).is_empty() && text(&done.stderr).contains("converged"));
    let plan = json(&std::fs::read(folder.join("plan.json")).unwrap());
    let samples = plan["samples"].as_array().unwrap();
    assert_eq!((samples.len(), plan["inputs"].as_array().unwrap().len()), (41, 40));
    let q = |k: usize, i: usize| samples[k]["q"][i].as_f64().unwrap();
    let off = [(0, 0.0), (1, 1.0), (2, 0.0)].map(|(i, end)| (q(40, i) - end).abs());
    assert!(off.into_iter().all(|x| x < 1e-9), "{off:?}");
    let distances = (1..=40).map(|k| (q(k, 0) - 0.15).hypot(q(k, 1) - 0.4));
    assert!((distances.fold(f64::INFINITY, f64::min) - 0.1).abs() < 1e-8);
    let steer = (0..40).map(|k| plan["inputs"][k][1].as_f64().unwrap().abs());
    assert!((steer.fold(0.0, f64::max) - 14.0).abs() < 1e-6);
    let checked = nhi(&folder, "check plan.json");
    assert!(text(&checked.stdout).starts_with("ok plan.json: "), "{}", text(&checked.stderr));
    assert!(folder.join("plan.svg").exists() && folder.join("plan.html").exists());
    // Without obstacles, the cost is that of the same plan in Rust. Samples are on standard output, the cost is not.
    let free =
        SIDEWAYS.replace("\"bounds\": {", "\"bounds\": {}, \"outputs\": {").replace("[-14, 14]", "\"steer\"");
    let free = free.replace(", \"(x - 0.15)^2 + (y - 0.4)^2\": [0.01, null]", "");
    std::fs::write(folder.join("free.json"), &free).unwrap();
    let done = nhi(&folder, "plan free.json");
    assert!(text(&done.stderr).starts_with("cost 49.70357"), "{}", text(&done.stderr));
    assert_eq!(json(&done.stdout)["samples"].as_array().map(Vec::len), Some(41));
    // By steps of order 4 it is almost the same.
    std::fs::write(folder.join("composed.json"), free.replace("dla2", "dla2_triple4")).unwrap();
    let done = nhi(&folder, "plan composed.json");
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stderr).starts_with("cost 49.7"), "{}", text(&done.stderr));
}

/// A car with a trailer changes its lane, from zero inputs with few and many steps; what has converged is a case that is simulated.
#[test]
fn a_lane_is_changed() {
    let folder = folder("lane");
    std::fs::write(folder.join("lane.rs"), include_str!("lane/lane.rs")).unwrap();
    let lane = json(include_bytes!("lane/lane.json"));
    for (steps, cost) in [(25, "2.74286"), (50, "2.74572"), (100, "2.74645"), (200, "2.74663")] {
        let mut problem = lane.clone();
        problem["steps"] = steps.into();
        problem["h"] = (5.0 / f64::from(steps)).into();
        std::fs::write(folder.join("lane.json"), problem.to_string()).unwrap();
        let done = nhi(&folder, "plan lane.json --out changed.json");
        let said = text(&done.stderr);
        assert!(done.status.success() && said.starts_with(&format!("cost {cost}")), "{steps}: {said}");
        let changed = json(&std::fs::read(folder.join("changed.json")).unwrap());
        let q = &changed["samples"][steps as usize]["q"];
        let off =
            [4.0, 1.0, 0.0, 0.0, 0.0].iter().enumerate().map(|(i, x)| (q[i].as_f64().unwrap() - x).abs());
        assert!(off.fold(0.0, f64::max) < 1e-8, "{steps}: {q}");
        let checked = nhi(&folder, "check changed.json");
        assert!(text(&checked.stdout).starts_with("ok changed.json: "), "{}", text(&checked.stderr));
    }
    // Several start guesses: the best is the result, and the others are listed before it.
    let mut problem = lane;
    problem["starts"] = 4.into();
    std::fs::write(folder.join("lane.json"), problem.to_string()).unwrap();
    let done = nhi(&folder, "plan lane.json --out changed.json --quiet");
    let said = text(&done.stderr);
    assert!(done.status.success() && said.lines().last().unwrap().starts_with("cost 2.74572"), "{said}");
    assert!(said.starts_with("another start guess: cost "), "{said}");
}

#[test]
fn plans_that_are_refused() {
    let folder = folder("refused_plans");
    let wrong = |changes: &[(&str, &str)], code| refused(&folder, "plan", SIDEWAYS, changes, code);
    for (from, to, said) in [
        ("\"q1\"", "\"q2\"", "wrong.json: unknown field `q2`, did you mean `q0`?"),
        ("\"q1\": [0, 1, 0, null], ", "", "wrong.json: q1: missing"),
        ("[0, 1, 0, null]", "[0, 1, null]", "wrong.json: q1: expected 4 numbers or null, found 3"),
        ("\"steps\": 40", "\"steps\": 0", "wrong.json: steps: must be from 1 to 1000000, found 0"),
        ("\"1/40\"", "-0.1", "wrong.json: h: must be positive and finite"),
        ("dla2", "rattle", "the method `rattle` has no derivatives"),
        ("dla2", "dla3", "wrong.json: method: method `dla3`: unknown method, did you mean"),
        ("\"v0\": [0,", "\"v0\": [1,", "wrong.json: v0: the velocity violates the constraint `"),
        ("[-14, 14]", "[14, -14]", "wrong.json: bounds: input 1: no number is between"),
        ("[-14, 14]", "[14]", "wrong.json: bounds.steer: invalid length 1"),
        (
            "\"cost\"",
            "\"guess\": [[0, 0], [1]], \"cost\"",
            "wrong.json: guess[1]: expected 2 numbers, found 1",
        ),
        (
            "\"cost\"",
            "\"guess\": [[0, 0]], \"cost\"",
            "wrong.json: guess: inputs of the guess: expected 40 entries",
        ),
        ("\"cost\"", "\"starts\": 0, \"cost\"", "wrong.json: starts: must be from 1 to 10000, found 0"),
        ("\"m\": 1, ", "", "wrong.json: params.m: missing"),
        ("\"m\": 1, \"i\": 0.5, ", "", "wrong.json: missing: params.m, params.i"),
        (
            "\"params\": {\"m\": 1, \"i\": 0.5, \"j\": 0.25, \"r\": 1}, ",
            "",
            "wrong.json: missing: params.m, params.i, params.j, params.r",
        ),
        (
            "\"declaration\": \"disk.rs\", ",
            "",
            "wrong.json: declaration: missing: a file, or the name of a `model`",
        ),
        ("disk.rs", "disc.rs", "disc.rs: "),
        (
            "\"declaration\"",
            "\"model\": \"sleigh_com\", \"declaration\"",
            "a case has a model or a declaration",
        ),
    ] {
        let found = wrong(&[(from, to)], 2);
        assert!(found.contains(said) && found.lines().count() == 1, "{to}: {found}");
    }
    let found = wrong(&[("drive^2/2 +", "drive^2/2 + power +")], 2);
    assert!(found.contains("unknown name `power`\n --> cost:1:13"), "{found}");
    // Out of reach: the motion that comes nearest is written all the same.
    let far = [("[-14, 14]", "[-1, 1]"), ("\"bounds\": {", "\"bounds\": {\"drive\": [-1, 1], ")];
    let found = wrong(&far, 1);
    assert!(found.contains("cannot meet ") && found.contains(" by "), "{found}");
}

#[test]
fn parameters_are_fitted() {
    let folder = folder("fit");
    let done = nhi(&folder, "fit identify.json --out fitted.json --plot fitted.svg");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let found = json(&done.stdout);
    // The samples were made with i = 0.6, j = 0.3, θ(0) = 0 and normally distributed errors of 0.004.
    for (name, truth) in [("i", 0.6), ("j", 0.3), ("theta(0)", 0.0)] {
        let [value, deviation] =
            ["value", "deviation"].map(|key| found["unknowns"][name][key].as_f64().unwrap());
        assert!((value - truth).abs() < 2.0 * deviation && deviation < 0.01, "{name}: {found}");
    }
    assert!((found["noise"].as_f64().unwrap() - 0.004).abs() < 1e-3, "{found}");
    assert_eq!((&found["rank"], &found["params"]["m"]), (&Value::from(3), &Value::from(1.2)));
    assert_eq!(found["q0"][2], found["unknowns"]["theta(0)"]["value"]);
    // The motion that fits is a case.
    let fitted = json(&std::fs::read(folder.join("fitted.json")).unwrap());
    assert_eq!((&fitted["params"], &fitted["steps"]), (&found["params"], &Value::from(60)));
    assert!(text(&nhi(&folder, "check fitted.json").stdout).starts_with("ok fitted.json"));
    assert!(folder.join("fitted.svg").exists());
    // The same samples and inputs in files.
    let problem = json(IDENTIFY.as_bytes());
    let rows = problem["samples"].as_array().unwrap().iter();
    let rows: Vec<String> = rows.map(|row| format!("{},{},n,{}", row[2], row[0], row[1])).collect();
    std::fs::write(folder.join("seen.csv"), format!("# seen\ny,t,remark,x\n{}\n", rows.join("\n"))).unwrap();
    std::fs::write(folder.join("u.csv"), "t,drive,steer\n0,0.8,0.25\n").unwrap();
    let mut from_files = problem;
    from_files["samples"] = "seen.csv".into();
    from_files["inputs"] = "u.csv".into();
    std::fs::write(folder.join("files.json"), from_files.to_string()).unwrap();
    let same = nhi(&folder, "fit files.json");
    assert_eq!(text(&same.stdout), text(&done.stdout), "{}", text(&same.stderr));
    // From several starts the same is found, and what else is stationary.
    let several = IDENTIFY.replace("\"unknowns\"", "\"starts\": 5, \"unknowns\"");
    std::fs::write(folder.join("several.json"), several).unwrap();
    let again = json(&nhi(&folder, "fit several.json").stdout);
    let [one, other] = [&found, &again].map(|found| found["unknowns"]["i"]["value"].as_f64().unwrap());
    assert!(
        (one - other).abs() < 1e-6 && again["chi2"].as_f64() <= found["chi2"].as_f64().map(|x| x * 1.000001)
    );
    // Without torques, inertia does not matter.
    let coasting =
        IDENTIFY.replace("[0.8, 0.25]", "[0, 0]").replace("\"v0\": [0, 0, 0, 0]", "\"v0\": [0.9, 0, 0.5, 1]");
    std::fs::write(folder.join("coasting.json"), coasting).unwrap();
    let done = nhi(&folder, "fit coasting.json");
    let said = text(&done.stderr);
    assert!(said.contains("warning: the samples do not determine +1.000 i\n"), "{said}");
    assert!(said.contains("warning: the samples do not determine +1.000 j\n"), "{said}");
    let found = json(&done.stdout);
    assert_eq!((&found["rank"], found["undetermined"].as_array().map(Vec::len)), (&Value::from(1), Some(2)));
}

#[test]
fn fits_that_are_refused() {
    let folder = folder("refused_fits");
    std::fs::write(folder.join("seen.csv"), "t,x\n0.5,0.1\n").unwrap();
    let wrong = |changes: &[(&str, &str)], code| refused(&folder, "fit", IDENTIFY, changes, code);
    for (from, to, said) in [
        ("\"samples\"", "\"sample\"", "wrong.json: unknown field `sample`, did you mean `samples`?"),
        ("\"measured\": [\"x\", \"y\"],", "", "wrong.json: measured: missing"),
        ("[0.5, 0.065, -0.007]", "[0.5, 0.065]", "wrong.json: samples[0]: expected 3 numbers, found 2"),
        ("[0.75, 0.129", "[0.25, 0.129", "wrong.json: samples: sample 1: its time must be"),
        ("[0.8, 0.25]", "[0.8]", "wrong.json: inputs: expected 2 numbers for a step, found 1"),
        ("[0.8, 0.25]", "[[0.8, 0.25]]", "wrong.json: inputs: expected one vector for each of 60 steps"),
        (
            "[0.8, 0.25]",
            "[[0.8, 0.25], 1]",
            "wrong.json: inputs: expected one vector, or one vector per step",
        ),
        ("\"j\", \"theta(0)\"]", "\"k\"]", "wrong.json: unknowns: there is no parameter"),
        (
            "\"unknowns\"",
            "\"deviations\": [1, 0], \"unknowns\"",
            "wrong.json: deviations: deviation 1: must be positive",
        ),
        ("\"h\": 0.05", "\"h\": 0", "wrong.json: h: must be positive"),
        ("\"h\": 0.05", "\"h\": 1e-300", "wrong.json: h: "),
        ("rs\"", "rs\", \"every\": 0", "wrong.json: every: must be at least 1"),
    ] {
        let found = wrong(&[(from, to)], 2);
        assert!(found.contains(said) && found.lines().count() == 1, "{to}: {found}");
    }
    let (start, end) = (IDENTIFY.find("[[0.5").unwrap(), IDENTIFY.rfind(']').unwrap() + 1);
    let found = wrong(&[(&IDENTIFY[start..end], "\"seen.csv\"")], 2);
    assert_eq!(found, "error: seen.csv:1: no column `y`\n");
    let found = wrong(&[("\"x\", \"y\"]", "\"x\", \"z\"]")], 2);
    assert!(found.contains("unknown name `z`\n --> measured[1]:1:1"), "{found}");
}
