//! The symbolic engine: a separate process that links Symbolica and answers one batch.
//!
//! Without a licence key Symbolica allows one instance per machine and one thread, and aborts the
//! process otherwise; neither `rustc` nor a test may be that process.

mod algebra;
mod convert;
mod wire;

use convert::{Reader, Writer};
use std::io::{BufRead, Write};
use std::panic::catch_unwind;
use wire::{Batch, Request};

/// Reads a batch of requests from standard input and writes the answers to standard output.
pub(crate) fn serve() {
    let lines = std::io::stdin().lock().lines().map_while(Result::ok);
    let text = match Batch::<Request>::read(lines) {
        Ok(batch) => answer(&batch).write(),
        Err(line) => format!("error: cannot read {line:?}\n"),
    };
    // A closed standard output cannot be reported.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn answer(batch: &Batch<Request>) -> Batch<Vec<wire::Id>> {
    let reader = Reader::new(&batch.nodes);
    let mut writer = Writer::default();
    let mut items = Vec::new();
    for request in &batch.items {
        // Forms are optional: if an identically zero denominator makes Symbolica panic, none is returned.
        let atoms = match request {
            Request::Derivatives(root, symbols) => algebra::derivatives(&reader, *root, symbols),
            Request::Rational(root, circles) => {
                catch_unwind(|| algebra::rational_forms(&reader, *root, circles)).unwrap_or_default()
            }
        };
        items.push(atoms.iter().map(|a| writer.node(a.as_view())).collect());
    }
    Batch { nodes: writer.nodes, items }
}
