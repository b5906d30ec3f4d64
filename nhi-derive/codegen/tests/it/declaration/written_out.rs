//! Helpers for declarations with families and vectors: what they mean, and where their mistakes are.

use super::parse;
use nhi_codegen::declaration::Declaration;
use proc_macro2::TokenTree;

/// All expressions of a declaration as text, with labels and the texts of constraints.
pub(crate) fn meaning(source: &str) -> Vec<String> {
    let s = parse(source).unwrap_or_else(|errors| panic!("{source}: {errors:#?}")).system;
    let mut result = vec![s.pool.show(s.lagrangian).to_string()];
    for (constraint, text) in s.constraints.iter().zip(&s.source.constraints) {
        let form: Vec<String> = constraint.form.iter().map(|e| s.pool.show(*e).to_string()).collect();
        let position = constraint.position.map(|g| s.pool.show(g).to_string());
        let dt = s.pool.show(constraint.dt);
        result.push(format!("{}: {form:?} {dt} {position:?}, from {text}", constraint.label));
    }
    assert_eq!(s.constraints.len(), s.source.constraints.len());
    result.extend(s.force.iter().map(|e| s.pool.show(*e).to_string()));
    result
}

/// The labels of the constraints, and the values of all expressions where every quantity has some value that depends
/// on its name.
pub(crate) fn values(source: &str) -> (Vec<String>, Vec<f64>) {
    let s = parse(source).unwrap_or_else(|errors| panic!("{source}: {errors:#?}")).system;
    let value = |name: &str| {
        let mixed = name.bytes().fold(7_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        0.3 + (mixed % 9973) as f64 / 9973.0
    };
    let quantities = [&s.coordinates, &s.velocities, &s.parameters, &s.inputs].into_iter().flatten();
    let symbol = |e| s.pool.as_symbol(e).expect("a symbol");
    let quantities = quantities.map(|quantity| (symbol(quantity.symbol), value(&quantity.name)));
    let quantities = quantities.chain([(symbol(s.t), value("t"))]).collect();
    let mut roots = vec![s.lagrangian];
    roots.extend(s.constraints.iter().flat_map(|c| c.form.iter().copied().chain([c.dt]).chain(c.position)));
    roots.extend(&s.force);
    let labels = s.constraints.iter().map(|c| c.label.clone()).collect();
    (labels, s.pool.evaluate(&roots, &quantities))
}

/// Checks that two declarations mean the same; labels of constraints may differ.
pub(crate) fn same(source: &str, written: &str) {
    let (found, expected) = (values(source).1, values(written).1);
    assert_eq!(found.len(), expected.len(), "{source}");
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-13 * (1.0 + b.abs()), "{source}: {found:?}, {written}: {expected:?}");
    }
}

/// Checks that a declaration has these errors. Their tokens are marked in `marked` with « and », in the same order.
pub(crate) fn mistakes(marked: &str, expected: &[&str]) {
    let (mut source, mut open, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for c in marked.chars() {
        match c {
            '«' => {
                open.push(places.len());
                places.push((source.len(), 0));
            }
            '»' => places[open.pop().expect("an open mark")].1 = source.len(),
            c => source.push(c),
        }
    }
    let source: String = source.into_iter().collect();
    let input: syn::DeriveInput = syn::parse_str(&source).expect("a struct");
    let Err(rejected) = Declaration::parse(&input) else { panic!("{source} is accepted") };
    let stub = nhi_codegen::declaration::stub(&input, &rejected);
    assert!(syn::parse2::<syn::File>(stub).is_ok(), "{source}");
    let found: Vec<(String, (usize, usize))> = rejected
        .errors
        .iter()
        .map(|error| {
            // `:: core :: compile_error ! { "message" }`: the first token has the span of the first token in
            // question, the braces that of the last. A second place follows in the same way.
            let tokens: Vec<TokenTree> = error.to_compile_error().into_iter().take(8).collect();
            let offset = |at: proc_macro2::LineColumn| {
                let lines = source.split('\n').take(at.line - 1);
                lines.map(|line| line.chars().count() + 1).sum::<usize>() + at.column
            };
            let at = (offset(tokens[0].span().start()), offset(tokens[7].span().end()));
            let message = error.to_string();
            let message = message.lines().next().and_then(|l| l.split_once(": ")).expect("a message").1;
            (message.to_owned(), at)
        })
        .collect();
    let expected: Vec<(String, (usize, usize))> =
        expected.iter().map(|m| (*m).to_owned()).zip(places.iter().copied()).collect();
    assert_eq!(places.len(), found.len(), "{source}: {found:#?}");
    assert_eq!(found, expected, "{source}");
}
