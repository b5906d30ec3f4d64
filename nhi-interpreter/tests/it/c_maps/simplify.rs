//! Operations that give the same bits, for `double` and `float`, by fewer of them.

use nhi_interpreter::trace::{Node, Nodes, Trace};
use std::collections::HashMap;

/// The operations that the results need, from `arguments` as first places.
pub(crate) fn simplified(trace: &Trace) -> Trace {
    let mut nodes = Nodes::default();
    let places = copied(trace, &mut nodes, |nodes, i| nodes.place(Node::Argument(i)));
    let results = trace.results.iter().map(|&i| places[i]).collect();
    let simplified = Trace { nodes, results };
    part(&simplified, &simplified.results, |_, node| Some(node)).expect("with all arguments")
}

/// The operations of some numbers, operands from left to right before what they are operands of; none if an argument is
/// not allowed.
pub(crate) fn part(
    trace: &Trace,
    results: &[usize],
    leaf: impl Fn(usize, Node) -> Option<Node>,
) -> Option<Trace> {
    let mut nodes = Nodes::default();
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut stack: Vec<(usize, bool)> = results.iter().rev().map(|&place| (place, false)).collect();
    while let Some((place, is_ready)) = stack.pop() {
        if places.contains_key(&place) {
            continue;
        }
        let node = leaf(place, trace.nodes.list()[place])?;
        if is_ready || node.operands().is_empty() {
            let to = nodes.place(node.with(|x| places[&x]));
            places.insert(place, to);
        } else {
            stack.push((place, true));
            stack.extend(node.operands().into_iter().rev().map(|x| (x, false)));
        }
    }
    Some(Trace { results: results.iter().map(|place| places[place]).collect(), nodes })
}

/// The same with arguments that are functions of others.
pub(crate) fn substituted(trace: &Trace, argument: impl Fn(&mut Nodes, usize) -> usize) -> Trace {
    let mut nodes = Nodes::default();
    let places = copied(trace, &mut nodes, argument);
    simplified(&Trace { nodes, results: trace.results.iter().map(|&i| places[i]).collect() })
}

fn copied(trace: &Trace, to: &mut Nodes, argument: impl Fn(&mut Nodes, usize) -> usize) -> Vec<usize> {
    let list = trace.nodes.list();
    let mut is_needed = vec![false; list.len()];
    trace.results.iter().for_each(|&i| is_needed[i] = true);
    for (i, node) in list.iter().enumerate().rev() {
        if is_needed[i] {
            node.operands().into_iter().for_each(|x| is_needed[x] = true);
        }
    }
    let mut places = vec![usize::MAX; list.len()];
    for (i, &node) in list.iter().enumerate().filter(|&(i, _)| is_needed[i]) {
        places[i] = match node {
            Node::Argument(i) => argument(to, i),
            node => add(to, node.with(|x| places[x])),
        };
    }
    places
}

/// The place of an operation, or of a simpler one. Differences have the bits of sums with the negative, and a change of sign
/// commutes with products and quotients.
fn add(nodes: &mut Nodes, node: Node) -> usize {
    let negative = |nodes: &Nodes, place: usize| match nodes.list()[place] {
        Node::Neg(x) => Some(x),
        _ => None,
    };
    let is =
        |nodes: &Nodes, place: usize, c: f64| nodes.value(place).is_some_and(|x| x.to_bits() == c.to_bits());
    if let Some(c) = folded(nodes, node) {
        return nodes.place(Node::constant(c));
    }
    match node {
        Node::Neg(x) => {
            if let Some(x) = negative(nodes, x) {
                return x;
            }
        }
        Node::Add(x, y) => {
            if let Some(y) = negative(nodes, y) {
                return add(nodes, Node::Sub(x, y));
            }
            if let Some(x) = negative(nodes, x) {
                return add(nodes, Node::Sub(y, x));
            }
            for (x, y) in [(x, y), (y, x)] {
                if is(nodes, y, -0.0) {
                    return x;
                }
            }
        }
        Node::Sub(x, y) => {
            if let Some(y) = negative(nodes, y) {
                return add(nodes, Node::Add(x, y));
            }
            if is(nodes, y, 0.0) {
                return x;
            }
        }
        Node::Mul(x, y) => {
            for (x, y) in [(x, y), (y, x)] {
                if let Some(x) = negative(nodes, x) {
                    let product = add(nodes, Node::Mul(x, y));
                    return add(nodes, Node::Neg(product));
                }
                if is(nodes, y, 1.0) {
                    return x;
                }
                if is(nodes, y, -1.0) {
                    return add(nodes, Node::Neg(x));
                }
            }
        }
        Node::Div(x, y) => {
            if let Some(x) = negative(nodes, x) {
                let quotient = add(nodes, Node::Div(x, y));
                return add(nodes, Node::Neg(quotient));
            }
            if let Some(y) = negative(nodes, y) {
                let quotient = add(nodes, Node::Div(x, y));
                return add(nodes, Node::Neg(quotient));
            }
        }
        Node::Choice { near, far, .. } if near == far => return near,
        _ => {}
    }
    // Operands in the order in which they are there.
    let swapped = match node {
        Node::Add(x, y) => Some(Node::Add(y, x)),
        Node::Mul(x, y) => Some(Node::Mul(y, x)),
        _ => None,
    };
    swapped.and_then(|swapped| nodes.known(swapped)).unwrap_or_else(|| nodes.place(node))
}

/// The result of an operation on constants if it has the same one in both widths.
fn folded(nodes: &Nodes, node: Node) -> Option<f64> {
    let wide = |of: fn(f64, f64) -> f64, narrow: fn(f32, f32) -> f32, x: usize, y: usize| {
        let (x, y) = (nodes.value(x)?, nodes.value(y)?);
        let (wide, narrow) = (of(x, y), narrow(x as f32, y as f32));
        ((wide as f32).to_bits() == narrow.to_bits() && wide.is_finite()).then_some(wide)
    };
    match node {
        Node::Neg(x) => nodes.value(x).map(|x| -x),
        Node::Add(x, y) => wide(|x, y| x + y, |x, y| x + y, x, y),
        Node::Sub(x, y) => wide(|x, y| x - y, |x, y| x - y, x, y),
        Node::Mul(x, y) => wide(|x, y| x * y, |x, y| x * y, x, y),
        _ => None,
    }
}
