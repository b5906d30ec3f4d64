//! Pages play in a browser: Chromium, without a window.
//!
//! Where Chromium is not installed the tests say so and pass; with `NHI_BROWSER=required` in the environment they fail.
//!
//! Reports of four models are shown; with `NHI_TESTS=all`, of all.
#![cfg(unix)]

mod chromium;
mod recordings;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chromium::Chromium;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::report::{Format, report};
use nhi_run::model::MODELS;
use nhi_run::{Recording, page};
use nhi_tiers::sampled;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const PROBE: &str = include_str!("probe.js");
const SCREEN: (u32, u32) = (1280, 800);
const PHONE: (u32, u32) = (390, 844);

/// The browser with a folder of its own, if it is installed.
fn browser(test: &str) -> Option<(Chromium, PathBuf)> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let required = env::var_os("NHI_BROWSER").is_some_and(|value| value == "required");
    assert!(found.is_some() || !required, "none of {names:?} is installed");
    let Some(program) = found else {
        eprintln!("skipped: none of {names:?} is installed");
        return None;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    Some((Chromium::start(program, &folder.join("profile")), folder))
}

fn save_picture(browser: &mut Chromium, session: &str, file: &Path) {
    let picture = STANDARD.decode(browser.screenshot(session)).expect("base64");
    fs::write(file, picture).expect("a file");
}

/// Plays a page in a window of this size. Panels that the selector `moves` names have to change. The result is what went
/// wrong. Files of this name in `folder` are the page and a
/// picture of it.
fn play(
    (browser, folder): (&mut Chromium, &Path),
    name: &str,
    page: &str,
    size: (u32, u32),
    moves: &str,
) -> Vec<String> {
    let file = folder.join(format!("{name}.html"));
    fs::write(&file, page).expect("a file");
    let session = browser.open(size);
    browser.navigate(&session, &format!("file://{}", file.display()));
    let wrong = browser.evaluate(&session, &format!("({PROBE})({moves:?})"));
    browser.evaluate(&session, "player.seek(0.6 * player.duration)");
    save_picture(browser, &session, &folder.join(format!("{name}.png")));
    let mut wrong: Vec<String> = serde_json::from_value(wrong).expect("a list of texts");
    wrong.extend(browser.complaints(&session));
    wrong
}

/// The middle of the first element that a selector finds, scrolled into the window, if there is one.
fn middle(browser: &mut Chromium, session: &str, selector: &str) -> Option<[f64; 2]> {
    let find = format!(
        "(() => {{ const found = document.querySelector({selector:?}); if (!found) return null; \
         found.scrollIntoView({{ block: 'center' }}); const box = found.getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
    );
    serde_json::from_value(browser.evaluate(session, &find)).expect("a place or none")
}

/// What the mouse does on a page of several samples: it presses the button, sets the time in a curve, and turns a picture.
#[test]
fn pages_follow_the_mouse() {
    let Some((mut browser, folder)) = browser("mouse") else { return };
    let recordings = recordings::recordings();
    let (_, ball) = recordings.iter().find(|(name, _)| *name == "ball").expect("it is there");
    let file = folder.join("page.html");
    fs::write(&file, page(ball, None)).expect("a file");
    for size in [SCREEN, PHONE] {
        let session = browser.open(size);
        browser.navigate(&session, &format!("file://{}", file.display()));
        let place = |browser: &mut Chromium, selector: &str| {
            middle(browser, &session, selector).unwrap_or_else(|| panic!("no {selector}"))
        };
        let [x, y] = place(&mut browser, ".over-time canvas");
        browser.drag(&session, [x - 40.0, y], [x, y]);
        let share =
            browser.evaluate(&session, "player.elapsed / player.duration").as_f64().expect("a number");
        // The axis is a little to the right of the middle of its canvas.
        assert!((0.3..0.6).contains(&share), "{share}");
        let [x, y] = place(&mut browser, ".in-space canvas");
        let azimuth = "player.panels[0].camera.azimuth";
        let before = browser.evaluate(&session, azimuth).as_f64().expect("a number");
        browser.drag(&session, [x, y], [x + 60.0, y + 10.0]);
        let after = browser.evaluate(&session, azimuth).as_f64().expect("a number");
        assert!((before - after - 0.5).abs() < 1e-9, "{before} {after}");
        let button = place(&mut browser, "#play");
        browser.drag(&session, button, button);
        assert_eq!(browser.evaluate(&session, "player.playing"), true);
        assert_eq!(browser.complaints(&session), Vec::<String>::new());
    }
}

/// Plays the page of each recording on a screen and on a phone.
fn all_play(test: &str, recordings: Vec<(&'static str, Recording)>, moves: &str) {
    let Some((mut browser, folder)) = browser(test) else { return };
    let mut wrong = Vec::new();
    for (name, recording) in recordings {
        let page = page(&recording, None);
        for (window, size) in [("screen", SCREEN), ("phone", PHONE)] {
            let name = format!("{name}-{window}");
            let found = play((&mut browser, &folder), &name, &page, size, moves);
            wrong.extend(found.into_iter().map(|what| format!("{name}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_of_models_play() {
    all_play("models", recordings::recordings(), "figure");
}

#[test]
fn pages_of_unusual_recordings_play() {
    // Some of their columns are constant, or have no values.
    all_play("unusual", recordings::unusual(), ".over-time");
}

/// What is wrong with a report on the screen.
const REPORT: &str = r##"(() => {
    const wrong = [];
    const formulas = [...document.querySelectorAll("math")];
    if (formulas.length === 0) wrong.push("no formula");
    for (const formula of formulas) {
        const { width, height } = formula.getBoundingClientRect();
        if (!(width > 0 && height > 0)) wrong.push("not shown: " + formula.textContent.slice(0, 60));
    }
    if (document.querySelector("merror")) wrong.push("an error in a formula");
    for (const link of document.querySelectorAll("a[href^='#']"))
        if (!document.getElementById(link.getAttribute("href").slice(1))) wrong.push("no target: " + link.href);
    if (document.documentElement.scrollWidth > window.innerWidth) wrong.push("wider than the window");
    return wrong;
})()"##;

/// The models whose reports a sample shows.
const REPORTED: [&str; 4] = ["sleigh_com", "mobile_robot", "chaplygin_sleigh", "suslov"];

/// The report of every model, on a screen and on a phone.
#[test]
fn reports_of_models_are_shown() {
    let Some((mut browser, folder)) = browser("reports") else { return };
    let mut wrong: Vec<String> = Vec::new();
    for model in sampled(MODELS, |model| model.name, &REPORTED) {
        let place = if model.on_group { "group" } else { "coordinates" };
        let name = format!("{}-{place}", model.name);
        let report = report(model.declaration, None, Format::Html, &mut BuiltIn).expect("a report");
        let file = folder.join(format!("{name}.html"));
        fs::write(&file, report).expect("a file");
        for (window, size) in [("screen", SCREEN), ("phone", PHONE)] {
            let session = browser.open(size);
            browser.navigate(&session, &format!("file://{}", file.display()));
            let found: Vec<String> =
                serde_json::from_value(browser.evaluate(&session, REPORT)).expect("a list of texts");
            let all = found.into_iter().chain(browser.complaints(&session));
            wrong.extend(all.map(|what| format!("{name}, {window}: {what}")));
            if window == "screen" {
                save_picture(&mut browser, &session, &file.with_extension("png"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the tests look for is found.
#[test]
fn faults_of_a_page_are_found() {
    let Some((mut browser, folder)) = browser("faults") else { return };
    let recordings = recordings::unusual();
    let (_, recording) = recordings.iter().find(|(name, _)| *name == "gaps").expect("it is there");
    let page = page(recording, None);
    let faults = [
        ("exception", "</body>", "<script>unknown()</script></body>", "unknown is not defined"),
        ("console", "</body>", "<script>console.error('spoken')</script></body>", "spoken"),
        ("network", "</body>", "<img src=\"http://localhost:9/a.png\"></body>", "Content Security Policy"),
        ("halted", "else requestAnimationFrame(frame);", "", "the time does not advance"),
        ("blank", "this.drawOn(this.canvas,", "this.drawOn(this.still,", "blank: "),
        ("unlabelled", "<span class=\"hidden\">Time</span>", "", "without a label"),
    ];
    for (name, at, fault, message) in faults {
        assert!(page.contains(at), "{name}");
        let found = play((&mut browser, &folder), name, &page.replace(at, fault), SCREEN, "figure");
        assert!(found.iter().any(|what| what.contains(message)), "{name}: {found:?}");
    }
}
