//! Formats: JSON and HTML are well-formed, TeX compiles, anchors are stable.

use super::{declared, derived, model, report};
use crate::files::{self, File};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::report::{self as reports, Format, Report, SECTIONS};
use nhi_codegen::source::ExpandError;
use nhi_tiers::amount;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

const KEYS: [&str; 11] = [
    "declaration",
    "configuration",
    "lagrangian",
    "mass_matrix",
    "constraints",
    "equations",
    "distribution",
    "structure",
    "symmetries",
    "connection",
    "methods",
];

/// Reports with all that is special: groups, forces, named parts, long matrices, names beyond ASCII and of TeX.
static SOME: LazyLock<Vec<(String, Report)>> = LazyLock::new(|| {
    let names = [
        "src/snakeboard.rs",
        "lie/roller_racer.rs",
        "lie/rattleback.rs",
        "src/mobile_robot.rs",
        "lie/se3_body.rs",
    ];
    let of_model = |name: &&str| (name.replace(['/', '.'], "_"), report(&derived(&model(name), "rattle")));
    let names = amount(&names[..2], &names[..]);
    let mut all = in_parallel(names, |name| name, of_model);
    all.push(("strange".to_owned(), strange()));
    all
});

/// Names beyond ASCII and of TeX.
fn strange() -> Report {
    report(&declared(
        "coordinates(ψ, é, ж, x_y, a1b, sin_x), inputs(u), lagrangian = m/2*(dot(ψ)^2 + dot(é)^2 + dot(ж)^2 + dot(x_y)^2 + dot(a1b)^2 + dot(sin_x)^2) - c*exp(ж)*tan(ψ)^(1/2)*atan2(é, x_y)*tanh(r^m), constraints(rolling: dψ - x_y*dж)",
    ))
}

#[test]
fn sections_have_their_keys() {
    assert_eq!(SECTIONS, KEYS);
    let report = report(&derived(&model("src/sleigh_com.rs"), "dla2"));
    let keys: Vec<&str> = report.sections.iter().map(|section| section.key).collect();
    assert_eq!(keys, [&KEYS[..], &["appendix"]].concat());
    let [markdown, tex, html, _] = Format::ALL.map(|format| format.print(&report));
    for key in keys {
        // Documents have no section without contents: there is no group factor.
        let count = usize::from(key != "connection");
        assert_eq!(markdown.matches(&format!("<a id=\"{key}\"></a>")).count(), count, "{key}");
        assert_eq!(tex.matches(&format!("\\label{{{key}}}")).count(), count, "{key}");
        assert_eq!(html.matches(&format!(" id=\"{key}\">")).count(), count, "{key}");
    }
    assert!(markdown.contains("p⁻(q_h, q_h + h v')") && markdown.contains("### `dla2`"));
}

/// Names of several letters are no letters with indices.
#[test]
fn names_stay_whole() {
    let report = report(&declared(
        "coordinates(theta1, head), inputs(drive_left), lagrangian = m/2*(dot(theta1)^2 + dot(head)^2), constraints(), force = drive_left*dhead",
    ));
    let markdown = Format::Markdown.print(&report);
    for name in ["{\\theta}_{1}", "\\mathrm{head}", "\\mathrm{drive}_{\\mathrm{left}}"] {
        assert!(markdown.contains(name), "{name} is not in\n{markdown}");
    }
    assert!(!markdown.contains("h_{") && !markdown.contains("d_{"), "{markdown}");
}

/// A declaration beside the repository's documents.
fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("an example")
}

/// What people read of the sleigh is a few screens; methods of which the same is expected share a row.
#[test]
fn short_systems_have_short_reports() {
    let markdown = Format::Markdown.print(&report(&derived(&example("sleigh.rs"), "dla2")));
    let (body, appendix) = markdown.split_once("\n## Appendix").expect("an appendix");
    assert!(body.lines().count() <= 180, "{}", body.lines().count());
    assert!(appendix.contains("newton impulse") && !body.contains("newton impulse"));
    let (_, expected) = body.split_once("### What to expect").expect("expectations");
    let rows: Vec<&str> = expected.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() <= 10, "{rows:#?}");
    assert!(rows.iter().any(|row| row.starts_with("| `dla1`, `dla1_adjoint`, `rdp_left`, `rdp_right` |")));
    assert!(rows.iter().all(|row| row.chars().count() < 200), "{rows:#?}");
    // Each reason once.
    assert_eq!(expected.matches("a step solves μ v").count(), 1);
}

/// The elimination that solves for the accelerations of a car with trailers is in the appendix.
#[test]
fn eliminations_are_in_the_appendix() {
    let report = report(&derived(&example("trailers.rs"), "dla2"));
    let lines = |text: &str| text.lines().filter(|line| line.contains("mathrm{schur}")).count();
    for (format, heading) in [(Format::Markdown, "\n## Appendix"), (Format::Tex, "\\section{Appendix}")] {
        let printed = format.print(&report);
        let (body, appendix) = printed.split_once(heading).expect("an appendix");
        assert_eq!(lines(body), 0);
        assert!(lines(appendix) > 50);
        // Each once, with all that it refers to.
        let defined = appendix.matches("\\mathrm{schur}_{\\mathrm{33,2}} &=").count();
        assert_eq!(defined, 1);
    }
    let html = Format::Html.print(&report);
    assert_well_formed("trailers", &html);
    assert!(html.find("<mi>schur</mi>") > html.find("id=\"appendix\""));
}

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(Format::named(format.name()), Some(format));
    }
    assert_eq!(Format::named("pdf"), None);
}

#[test]
fn json_is_an_object_with_a_key_for_each_section() {
    for (name, report) in &*SOME {
        let text = Format::Json.print(report);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for key in KEYS {
            assert!(json[key]["title"].is_string(), "{name}: {key}");
        }
        let answer = json["structure"]["holonomic"]["answer"].as_str().expect("an answer");
        assert!(["yes", "no", "not decided"].contains(&answer));
        let mass = &json["mass_matrix"]["formulas"]["mass_matrix"]["value"];
        assert_eq!(
            mass.as_array().map(Vec::len),
            json["equations"]["formulas"]["momentum"]["value"].as_array().map(Vec::len)
        );
    }
}

/// The elements of a page: every one is closed, in order.
fn assert_well_formed(name: &str, html: &str) {
    let body = html.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    let style = body.find("</style>").expect("a style sheet");
    let mut open: Vec<&str> = vec!["html", "head", "style"];
    let mut rest = &body[style..];
    while let Some(start) = rest.find('<') {
        let end = rest.find('>').unwrap_or_else(|| panic!("{name}: an open tag"));
        let tag = &rest[start + 1..end];
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{name}");
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a name"));
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{name}: {open:?}");
    for part in html.split('&').skip(1) {
        let entity = part.split(';').next().expect("an entity");
        assert!(
            ["amp", "lt", "gt", "quot"].contains(&entity) || entity.starts_with("#x"),
            "{name}: &{entity}"
        );
    }
}

#[test]
fn html_is_one_well_formed_file() {
    for (name, report) in &*SOME {
        let html = Format::Html.print(report);
        assert_well_formed(name, &html);
        assert!(html.contains("<math display=\"block\">"));
        for outside in ["http:", "https:", "src=", "<link", "@import", "url("] {
            assert!(!html.contains(outside), "{name}: {outside}");
        }
    }
}

/// With amsmath alone, on pages that hold their lines.
#[test]
fn tex_compiles() {
    let required = std::env::var("NHI_LATEX").is_ok_and(|value| value == "required");
    if Command::new("pdflatex").arg("--version").output().is_err() {
        assert!(!required, "NHI_LATEX=required, and there is no pdflatex");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let compile = |name: &str, report: &Report| {
        let name = name.replace(['/', '.'], "_");
        let tex = Format::Tex.print(report);
        assert_eq!(tex.matches("\\usepackage").count(), 1, "{name}: amsmath alone");
        let path = folder.join(format!("{name}.tex"));
        std::fs::write(&path, &tex).expect("a writable folder");
        let done = Command::new("pdflatex")
            .args(["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"])
            .arg(path.file_name().expect("a name"))
            .current_dir(&folder)
            .output()
            .expect("pdflatex");
        let log = String::from_utf8_lossy(&done.stdout).into_owned();
        let tail: Vec<&str> = log.lines().rev().take(30).collect();
        assert!(done.status.success(), "{name}: {tail:#?}");
        // Lines that stick out of the page by more than a few letters.
        let sticks_out = |line: &&str| {
            let by = line.split("Overfull \\hbox (").nth(1).and_then(|rest| rest.split("pt").next());
            by.and_then(|by| by.parse::<f64>().ok()).is_some_and(|by| by > 20.0)
        };
        let out: Vec<&str> = log.lines().filter(sticks_out).collect();
        assert!(out.is_empty(), "{name}: {out:#?}");
    };
    compile("strange", &strange());
    let of_model = |File { name, text }: &File| {
        let report = reports::read(text, None, &mut BuiltIn).unwrap_or_else(|e| panic!("{name}: {e}"));
        compile(name, &report);
    };
    in_parallel(&files::sampled(), |file| &file.name, of_model);
}

#[test]
fn one_struct_is_reported() {
    let source = "
        #[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints())]
        struct A;
        #[derive(Nonholonomic)]
        #[nonholonomic(coordinates(y), lagrangian = dot(y)^2/2, constraints())]
        struct B;
    ";
    let report = |name| reports::report(source, name, Format::Markdown, &mut BuiltIn);
    assert!(report(Some("B")).expect("a report").starts_with("# B\n"));
    let several = ExpandError::Several(vec!["A".into(), "B".into()]);
    assert_eq!(report(None), Err(several.clone()));
    assert_eq!(several.to_string(), "several structs here derive `Nonholonomic`; choose one of `A`, `B`");
    assert!(matches!(report(Some("C")), Err(ExpandError::NoStruct { .. })));
}

/// The same report, whatever was done before.
#[test]
fn reports_are_deterministic() {
    for File { name, text } in files::all().into_iter().filter(|file| file.name.contains("sleigh")) {
        let print = || Format::Json.print(&report(&derived(&text, "rattle")));
        assert_eq!(print(), print(), "{name}");
    }
}

/// Of a long mass matrix the upper triangle is written.
#[test]
fn symmetric_matrices_are_written_once() {
    let report = report(&declared(
        "coordinates(x, y, alpha, beta), let(px = x + r*cos(alpha) + r*cos(alpha + beta), py = y + r*sin(alpha) + r*sin(alpha + beta)), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + c/2*(dot(px)^2 + dot(py)^2), constraints(blade: sin(alpha)*dx - cos(alpha)*dy)",
    ));
    let markdown = Format::Markdown.print(&report);
    let (_, section) = markdown.split_once("<a id=\"mass_matrix\"></a>").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("a section after it");
    assert!(section.contains("M_{13} &=") && section.contains("M_{34} &=") && section.contains("M_{44} &="));
    assert!(
        !section.contains("M_{31}") && !section.contains("M_{43}") && !section.contains("M_{12}"),
        "{section}"
    );
    assert!(
        section.contains("Entries below the diagonal are those above it; others that are left out are zero.")
    );
}
