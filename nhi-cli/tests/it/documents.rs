//! What the documents show: the commands of the gallery run, links lead somewhere, tables fit a terminal. By default the commands
//! take few steps.

use nhi_tiers::amount;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder and of its folders with this extension, but for what is built or belongs to no version.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_symlink() || name.starts_with('.') || ["target", "out", "env", "dist"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|of| of == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The texts of the code blocks of a document in this language.
fn blocks<'a>(document: &'a str, language: &str) -> impl Iterator<Item = &'a str> {
    let start = format!("\n```{language}\n");
    let parts: Vec<&str> = document.split(&start).skip(1).collect();
    parts.into_iter().map(|rest| rest.split_once("```").expect("the end of a block").0)
}

/// The lines of a document outside of code blocks.
fn prose(document: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    document.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        !in_block && !is_fence
    })
}

/// Relative targets of links and pictures, and of the definitions of links.
fn targets(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(document) {
        // Without code in the line.
        let line: String = line.split('`').step_by(2).collect();
        let inline =
            line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
        let defined =
            line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
        found.extend(inline.chain(defined).filter(|target| !target.contains("://")).map(str::to_owned));
    }
    found
}

/// The anchors of the headings of a document, as GitHub and rustdoc form them.
fn anchors(document: &str) -> BTreeSet<String> {
    let headings = prose(document).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let letters = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = letters.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    // The links of `links.md` are those of rustdoc.
    for path in files(&root(), "md").into_iter().filter(|path| !path.ends_with("nhi-runtime/src/links.md")) {
        for target in targets(&read(&path)) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let from = path.display();
            assert!(file.exists(), "{from}: {target}");
            if !anchor.is_empty() {
                assert!(anchors(&read(&file)).contains(anchor), "{from}: {target}");
            }
            count += 1;
        }
    }
    assert!(count > 150, "{count}");
}

#[test]
fn every_document_is_in_the_index() {
    let docs = root().join("docs");
    let index = targets(&read(&docs.join("README.md")));
    let chapters = targets(&read(&docs.join("guide/README.md")));
    for path in files(&docs, "md") {
        let name = path.strip_prefix(&docs).unwrap().to_str().unwrap();
        let listed = match name.strip_prefix("guide/") {
            Some(chapter) => chapter == "README.md" || chapters.iter().any(|target| target == chapter),
            None => name == "README.md" || index.iter().any(|target| target == name),
        };
        assert!(listed, "{name}");
    }
}

/// Tables of measurements that programs write.
const WIDE: [&str; 5] =
    ["benches/README.md", "docs/costs.md", "docs/gains.md", "docs/growth.md", "docs/users-crates.md"];

/// A terminal has 120 columns.
#[test]
fn tables_fit_a_terminal() {
    let is_wide = |path: &PathBuf| WIDE.iter().any(|wide| path.ends_with(wide));
    for path in files(&root(), "md").into_iter().filter(|path| !is_wide(path)) {
        let document = read(&path);
        for (number, line) in document.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
            let width = line.chars().count();
            assert!(width <= 120, "{}:{}: {width} columns", path.display(), number + 1);
        }
    }
    assert!(read(&root().join("README.md")).lines().count() <= 200);
}

/// In the documentation of `nhi_runtime::guide`, links are those of `links.md` instead of those at the end of a chapter.
#[test]
fn links_of_the_guide_are_known_to_rustdoc() {
    let known = read(&root().join("nhi-runtime/src/links.md"));
    let known: BTreeSet<&str> = known.lines().filter_map(|line| Some(line.split_once("]: ")?.0)).collect();
    let (mut used, guide) = (BTreeSet::new(), root().join("docs/guide"));
    let documents: Vec<String> = files(&guide, "md").iter().map(|path| read(path)).collect();
    for document in &documents {
        let defined = prose(document).filter(|line| line.starts_with('['));
        used.extend(defined.filter_map(|line| Some(line.split_once("]: ")?.0)));
    }
    assert_eq!(used, known);
}

/// The command of a picture, with at most so many steps.
fn shortened(command: &str, most: u64) -> Vec<String> {
    let mut words: Vec<String> = command.replace("\\\n", " ").split_whitespace().map(str::to_owned).collect();
    if let Some(place) = words.iter().position(|word| word == "--steps") {
        let steps: u64 = words[place + 1].parse().unwrap();
        words[place + 1] = steps.min(most).to_string();
    }
    words
}

#[test]
fn the_gallery() {
    let gallery = read(&root().join("docs/gallery.md"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gallery");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("docs/gallery")).unwrap();
    std::fs::create_dir_all(folder.join("examples")).unwrap();
    for extension in ["rs", "json"] {
        for path in std::fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|of| of == extension) {
                std::fs::copy(&path, folder.join("examples").join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    let mut drawn = BTreeSet::new();
    for block in blocks(&gallery, "sh") {
        for command in block.replace("\\\n", " ").lines() {
            let words = shortened(command, amount(300, u64::MAX));
            // There are no spaces between quotation marks.
            let words: Vec<&str> = words.iter().map(|word| word.trim_matches('"')).collect();
            match words[..] {
                ["nhi", ref arguments @ ..] => {
                    let mut nhi = crate::program();
                    let done = nhi.current_dir(&folder).args(arguments).output().unwrap();
                    assert!(done.status.success(), "{command}\n{}", String::from_utf8_lossy(&done.stderr));
                    if let Some(place) = arguments.iter().position(|word| *word == "--plot") {
                        drawn.insert(arguments[place + 1].to_owned());
                    }
                }
                ["cp", from, to] => {
                    assert!(folder.join(from).exists(), "{command}");
                    drawn.insert(to.to_owned());
                }
                // Their tests are those of the examples.
                ["cargo", "run", "--release", "-p", "nhi-examples", "--example", name, "docs/gallery"] => {
                    assert!(root().join(format!("examples/examples/{name}.rs")).exists(), "{command}");
                    drawn.insert(format!("docs/gallery/{name}.svg"));
                }
                _ => panic!("{command}"),
            }
        }
    }
    // Every picture has a command, and is there.
    let shown: BTreeSet<String> = targets(&gallery)
        .into_iter()
        .filter(|target| target.ends_with(".svg"))
        .map(|target| format!("docs/{target}"))
        .collect();
    assert_eq!(shown, drawn);
    let stored: BTreeSet<String> = files(&root().join("docs/gallery"), "svg")
        .iter()
        .map(|path| format!("docs/gallery/{}", path.file_name().unwrap().to_str().unwrap()))
        .collect();
    assert_eq!(stored, drawn);
    for picture in &stored {
        let svg = read(&root().join(picture));
        assert!(svg.trim_end().ends_with("</svg>"), "{picture}");
    }
}
