//! Cases with random mistakes in them: each is run, or rejected with its field; none panics or hangs.
//!
//! There are 2000 of them; with `NHI_TESTS=all`, 10 000.

use nhi_cli::Problem;
use nhi_run::model::{Declared, named};
use nhi_tiers::amount;

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

const CASES: [&str; 3] = [
    r#"{"model": "sleigh_com", "params": {"m": 1, "I": "1/2", "a": 0.2}, "method": "dla2", "h": 0.01, "steps": 40,
        "q0": [0, 0, 0], "v0": [1, 0.5, 0.2], "every": 20, "samples": [{"k": 20, "t": 0.2, "q": [0.2, 0.1, 0]}]}"#,
    r#"{"model": "snakeboard", "group": "SE(2)", "method": "rdp", "tau": "cay", "quadrature": "1/2", "h": "1/50", "steps": 3,
        "initial": {"t": 0, "r": [0, 1], "g": [0, 0, 0], "v": [2.5, 0, 0, 0, 0]}, "samples": [{"k": 3, "E": 1, "M": [1, 2]}]}"#,
    r#"{"model": "sleigh_com", "coordinates": ["th", "x", "y"], "method": "exact", "q0": [0, "pi/3", 0], "v0": [0, 0, 0],
        "inputs": [], "samples": [{"k": 0, "t": 0.0, "energy": 0}, {"k": 5, "t": "1/2", "lambda": [0]}]}"#,
];

/// What is put into texts.
const PIECES: [&str; 24] = [
    "null",
    "1e999",
    "-",
    "0",
    "1e-400",
    "[",
    "]",
    "{",
    "}",
    "\"",
    ",",
    ":",
    "true",
    "\"NaN\"",
    "\"1/0\"",
    "[[1]]",
    "9007199254740993",
    "\"rattle\"",
    "\"rk4\"",
    "\"dla2_suzuki4\"",
    "é",
    "\u{0}",
    "\\",
    "\"k\": 1,",
];

/// A text with one to three changes.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let mut at = random.below(text.len() + 1);
        let mut end = (at + random.below(12)).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let piece = PIECES[random.below(PIECES.len())];
        text = match random.below(4) {
            0 => format!("{}{}", &text[..at], &text[end..]),
            1 => format!("{}{}{}", &text[..end], &text[at..end], &text[end..]),
            2 => format!("{}{piece}{}", &text[..at], &text[end..]),
            _ => format!("{}{piece}{}", &text[..at], &text[at..]),
        };
    }
    text
}

#[test]
fn mutated_cases() {
    let models: Vec<Declared> = [("sleigh_com", false), ("snakeboard", true)]
        .map(|(name, on_group)| named(name, on_group).unwrap().load().unwrap())
        .into();
    let models: Vec<&Declared> = models.iter().collect();
    let (mut random, mut sound) = (Random(0x9E37_79B9_7F4A_7C15), 0);
    for i in 0..amount(2_000, 10_000) {
        let text = mutated(CASES[i % CASES.len()], &mut random);
        // As many steps as a case says are taken: those of a few digits.
        let is_short =
            !text.contains("\"steps\"") || text.contains("\"steps\": 40,") || text.contains("\"steps\": 3,");
        match Problem::parse(&text, &models) {
            Ok(problem) if is_short => {
                sound += 1;
                let _ = problem.run(|_| {});
                let _ = problem.check();
            }
            Ok(_) => {}
            Err(malformed) => assert_eq!(malformed.to_string().lines().count(), 1, "{text}\n{malformed}"),
        }
    }
    assert!(sound > amount(20, 100), "{sound}");
}
