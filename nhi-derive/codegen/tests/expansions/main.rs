//! The generated code as committed files: printed again byte for byte. The tests of the workspace
//! compile them and run them.
//!
//! `UPDATE_EXPANSIONS=1 cargo test -p nhi-codegen --test expansions` writes the files anew; the
//! difference is to be read, and committed by itself.

use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expand;
use std::path::Path;

/// The declarations, and the names of their structs.
const SOURCE: &str = include_str!("declarations.rs");
const STRUCTS: [&str; 4] = ["Sleigh", "Climber", "Cart", "Coin"];

fn expansion(name: &str) -> String {
    expand(SOURCE, Some(name), None, &mut BuiltIn).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn expansions_are_as_committed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions");
    for name in STRUCTS {
        let path = folder.join(format!("{}.rs", name.to_lowercase()));
        let printed = expansion(name);
        if std::env::var_os("UPDATE_EXPANSIONS").is_some() {
            std::fs::write(&path, &printed).expect("a writable folder");
            continue;
        }
        let committed = std::fs::read_to_string(&path).expect("a committed file");
        let line = printed.lines().zip(committed.lines()).position(|(new, old)| new != old);
        assert!(
            printed == committed,
            "{} is not what is printed, from line {:?} on; to write it anew, set UPDATE_EXPANSIONS=1",
            path.display(),
            line.map(|i| i + 1),
        );
    }
}

/// Neither the order in which declarations are expanded nor the thread matters.
#[test]
fn the_same_declaration_gives_the_same_bytes() {
    let forward: Vec<String> = STRUCTS.iter().map(|name| expansion(name)).collect();
    let elsewhere = std::thread::spawn(|| STRUCTS.iter().rev().map(|name| expansion(name)).collect());
    let mut backward: Vec<String> = elsewhere.join().expect("no panic");
    backward.reverse();
    assert_eq!(forward, backward);
    let all = expand(SOURCE, None, None, &mut BuiltIn).expect("no mistakes");
    assert_eq!(all, forward.join("\n"));
}
