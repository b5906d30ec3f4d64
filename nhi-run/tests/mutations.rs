//! Declarations with random mistakes in them: each is run, or rejected with a place; none panics or hangs.
//!
//! There are 60 of them; with `NHI_TESTS=all`, 150.

use nhi_run::model::MODELS;
use nhi_run::{Error, Inputs, Run, Scheme, System};
use nhi_tiers::amount;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// What takes longer hangs.
const HANGS: Duration = Duration::from_secs(10);

/// Xorshift, 64 bits.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// What is put into texts.
const PIECES: [&str; 40] = [
    "dot(x)",
    "dx",
    "theta",
    "/0",
    "^",
    "(",
    ")",
    ",",
    "=",
    "sin(",
    "[0]",
    "[i]",
    "for i in 0..3 {",
    "}",
    "sum(i in 0..3, ",
    "1e999",
    "0.1",
    "99999999999999999999",
    "-",
    "+",
    "*",
    "holonomic(",
    "constraints(",
    "group = SE2(theta, x, y; w, v, u),",
    "inputs(u),",
    "t",
    "dt",
    "let(",
    "R[2][1]",
    "sqrt(",
    "ln(0)",
    "abs(x)",
    "m",
    "é",
    "\u{0}",
    "\"",
    "methods(all),",
    "^-1000",
    "y^y^y",
    "#[nonholonomic(skip)]",
];

/// A text with one to three changes: characters or words that are deleted, doubled, exchanged or put in.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let cut = |random: &mut Random| {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (a, b) = (cut(random), cut(random));
        let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
        let b = (b..=text.len()).find(|&b| text.is_char_boundary(b)).unwrap_or(text.len());
        let piece = PIECES[random.below(PIECES.len())];
        text = match random.below(5) {
            0 => format!("{}{}", &text[..a], &text[b..]),
            1 => format!("{}{}{}", &text[..b], &text[a..b], &text[b..]),
            2 => format!("{}{piece}{}", &text[..a], &text[b..]),
            _ => format!("{}{piece}{}", &text[..a], &text[a..]),
        };
    }
    text
}

/// The attribute and the struct of a file, where mistakes matter.
fn declaration(text: &str) -> &str {
    let start = text.find("#[derive(Nonholonomic").expect("a declaration");
    let end = text[start..].find("\n}\n").map_or(text.len(), |end| start + end + 3);
    &text[start..end]
}

fn survives(text: &str) {
    let go_on = &mut |_| ControlFlow::Continue(());
    match System::parse(text, "mutated.rs", None) {
        Err(error) => {
            assert!(!error.mistakes.is_empty());
            let printed = error.render(true).to_lowercase();
            assert!(!printed.contains("a bug of nhi"), "{text}\n{printed}");
            for mistake in &error.mistakes {
                if let Some(place) = &mistake.place {
                    assert!(place.line() >= 1 && place.column() >= 1 && place.end() >= (place.line(), 1));
                    let _ = (place.token(), place.source_line());
                }
            }
        }
        Ok(system) => {
            // The declaration is sound; its numbers need not be.
            let method = system.methods().last();
            let scheme = method.map_or(Scheme::Exact, |method| Scheme::Steps(method.into()));
            let run = Run {
                scheme,
                parameters: vec![0.7; system.parameters().len()],
                q0: vec![0.3; system.coordinates().len()],
                v0: vec![0.2; system.velocities().len()],
                z0: Vec::new(),
                inputs: Inputs::Held(vec![0.1; system.inputs().len()]),
                h: 0.01,
                steps: 3,
                every: 1,
                project: true,
                pose: None,
                system,
            };
            match run.record(go_on) {
                Ok(recording) => assert!(recording.samples() >= 1),
                Err(Error::Derivation(message)) => {
                    assert!(!message.contains("a bug of nhi"), "{text}\n{message}")
                }
                Err(_) => {}
            }
        }
    }
}

fn mutations(count: usize, seed: u64) {
    let mut random = Random(seed);
    let (next, watched) = mpsc::channel();
    let watchdog = std::thread::spawn(move || watch(&watched));
    for i in 0..count {
        let original = declaration(MODELS[i % MODELS.len()].declaration);
        let text = mutated(original, &mut random);
        next.send(text.clone()).expect("the watchdog listens");
        survives(&text);
    }
    drop(next);
    watchdog.join().expect("the watchdog ends");
}

/// Ends the process with the declaration that it hangs in.
fn watch(declarations: &mpsc::Receiver<String>) {
    let mut current = String::new();
    loop {
        match declarations.recv_timeout(HANGS) {
            Ok(next) => current = next,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                eprintln!("no end after {HANGS:?}:\n{current}");
                std::process::abort();
            }
        }
    }
}

#[test]
fn mutated_declarations() {
    mutations(amount(60, 150), 0x9E37_79B9_7F4A_7C15);
}

#[test]
#[ignore = "minutes, in an optimised build; with --ignored"]
fn ten_thousand_mutated_declarations() {
    mutations(10_000, 0x2545_F491_4F6C_DD1D);
}
