//! Bodies in pictures: `--body`, `--size`, and `bodies` in cases, problems and declarations.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::process::Output;

const TRAILERS: &str = include_str!("../../../examples/trailers.rs");
/// Its bodies, without which the tests begin.
const OWN: &str =
    "bodies(car: pose(x, y, theta[0]), first: pose(x1, y1, theta[1]), second: pose(x2, y2, theta[2])),";

/// A folder for one test, with a car that pulls two trailers.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bodies_{test}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    assert!(TRAILERS.contains(OWN));
    std::fs::write(folder.join("trailers.rs"), TRAILERS.replace(OWN, "")).unwrap();
    folder
}

fn nhi(folder: &Path, arguments: &str, more: &[&str]) -> Output {
    let arguments = arguments.split_whitespace().chain(more.iter().copied());
    crate::program().current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

const START: &str =
    "--set m=1,j=0.1,c=0.3,l=1,turn=0.6,rate=0.6 --q0 0,0,0,0,0 --v0 1,0,0.6,0,0 --project --h 0.01";
const BODIES: [&str; 10] = [
    "--body",
    "car=x,y,theta[0]",
    "--body",
    "first = x1, y1, theta[1]",
    "--body",
    "lamp=ball:x + c*cos(theta[0]), y + c*sin(theta[0]), max(l, 0)",
    "--size",
    "lamp=0.4",
    "--size",
    "car=1/2",
];

fn run(folder: &Path, more: &str, bodies: &[&str]) -> Output {
    nhi(folder, &format!("run trailers.rs {START} {more}"), bodies)
}

/// Flags, the case that is written of them, and a declaration with bodies have the same pictures.
#[test]
fn pictures_show_them() {
    let folder = folder("pictures");
    let read = |name: &str| read_to_string(folder.join(name)).unwrap();
    let done = run(&folder, "--steps 100 --every 10 --out run.json --plot a.svg --view a.html", &BODIES);
    assert!(done.status.success(), "{}", text(&done.stderr));
    for name in ["car", "first", "lamp"] {
        assert!(read("a.svg").contains(&format!(">{name}</text>")), "{name}");
        assert!(read("a.html").contains(&format!("\"name\":\"{name}\"")), "{name}");
    }
    let case: serde_json::Value = serde_json::from_str(&read("run.json")).unwrap();
    assert_eq!(case["bodies"]["first"], serde_json::json!(["x1", "y1", "theta[1]"]));
    assert_eq!(case["bodies"]["car"], serde_json::json!({"pose": ["x", "y", "theta[0]"], "size": 0.5}));
    let again = nhi(&folder, "run run.json --out again.csv --plot b.svg", &[]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(read("a.svg"), read("b.svg"));
    // They are in no table.
    assert!(!read("again.csv").contains("car.") && !read("again.csv").contains("lamp"));

    let declared = "bodies(car: pose(x, y, theta[0]), first: pose(x1, y1, theta[1]),
        lamp: ball(x + c*cos(theta[0]), y + c*sin(theta[0]), max(l, 0))),";
    std::fs::write(folder.join("trailers.rs"), TRAILERS.replace(OWN, declared)).unwrap();
    let done =
        run(&folder, "--steps 100 --every 10 --plot c.svg", &["--size", "lamp=0.4", "--size", "car=0.5"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(read("a.svg"), read("c.svg"));
}

/// Each run of a sweep has its own parameters.
#[test]
fn sweeps_show_them() {
    let folder = folder("sweep");
    let start = START.replace(",turn=0.6", "");
    let arguments = format!("run trailers.rs {start} --steps 10 --sweep turn=0.1:0.6:2 --plot a.svg");
    let done = nhi(&folder, &arguments, &["--body", "car=turn*x,y,theta[0]"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(read_to_string(folder.join("a.svg")).unwrap().contains(">car</text>"));
}

#[test]
fn mistakes_are_named() {
    let folder = folder("mistakes");
    for (flags, message) in [
        (&["--body", "a=x,y"][..], "--body: `a`: expected three expressions, x, y, theta; found 2"),
        (&["--body", "a=ball:x,y"], "--body: `a`: expected three expressions, x, y, z; found 2"),
        (&["--body", "a=bal:x,y,0"], "--body: unknown shape `bal`, did you mean `ball`?"),
        (&["--body", "a"], "--body: expected NAME=X,Y,THETA or NAME=ball:X,Y,Z, found `a`"),
        (&["--body", "a=x,y3,0"], "unknown name `y3`"),
        (&["--body", "a=x,y,theta[0]", "--body", "a=x,y,0"], "the body `a` is given twice"),
        (
            &["--body", "first=x,y,0", "--size", "frst=1"],
            "--size: unknown body `frst`, did you mean `first`?",
        ),
        (&["--body", "a=x,y,0", "--size", "a=-1"], "--size: `a`: expected a positive length, found `-1`"),
        (&["--size", "a=1"], "--size: unknown body `a`, there are none"),
    ] {
        let wrong = run(&folder, "--steps 1 --plot wrong.svg", flags);
        assert_eq!(wrong.status.code(), Some(2), "{flags:?}: {}", text(&wrong.stderr));
        assert!(text(&wrong.stderr).contains(message), "{flags:?}: {}", text(&wrong.stderr));
    }
    let place = run(&folder, "--steps 1", &["--body", "a=x, yy, theta[0]"]);
    assert!(text(&place.stderr).contains("--> the body `a`:1:4"), "{}", text(&place.stderr));

    let done = run(&folder, "--steps 1 --out run.json", &["--body", "a=x,y,0"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let case = read_to_string(folder.join("run.json")).unwrap();
    let given = "{\"a\":[\"x\",\"y\",\"0\"]}";
    assert!(case.contains(given), "{case}");
    for (bodies, message) in [
        ("{\"a\": [\"x\", \"y\"]}", "bodies.a: expected three expressions, x, y, theta; found 2"),
        ("{\"a\": {\"bal\": [\"x\", \"y\", 0]}}", "bodies.a: unknown shape `bal`, did you mean `ball`?"),
        ("{\"a\": {\"ball\": \"x\"}}", "bodies.a: ball: expected an array, x, y, z"),
        ("{\"a\": {\"size\": 1}}", "bodies.a: expected [x, y, theta], "),
        ("{\"a\": {\"pose\": [\"x\", \"y\", 0], \"size\": 0}}", "bodies.a: size: expected a positive number"),
        ("{\"a\": {\"pose\": [0, 0, 0], \"ball\": [0, 0, 0]}}", "bodies.a: a body has one shape"),
        ("{\"a\": [\"x\", true, 0]}", "bodies.a: expected an expression, found true"),
        ("{\"a\": [\"x\", \"q\", 0]}", "unknown name `q`"),
        ("[]", "bodies: "),
    ] {
        std::fs::write(folder.join("wrong.json"), case.replace(given, bodies)).unwrap();
        let wrong = nhi(&folder, "run wrong.json --plot wrong.svg", &[]);
        assert_eq!(wrong.status.code(), Some(2), "{bodies}: {}", text(&wrong.stderr));
        assert!(text(&wrong.stderr).contains(message), "{bodies}: {}", text(&wrong.stderr));
    }
    assert!(!folder.join("wrong.svg").exists());
    let flag = nhi(&folder, "run run.json --size a=1", &[]);
    assert!(text(&flag.stderr).contains("--size: goes with a declaration"), "{}", text(&flag.stderr));
}
