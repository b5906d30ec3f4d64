//! The maps of groups as operations.

use nhi_codegen::expr::group::{GROUPS, Inside, Map};
use nhi_interpreter::trace::{Node, Trace, trace};
use nhi_methods::Retraction;
use std::collections::BTreeSet;

/// The operations that the results are made of.
fn count(trace: &Trace) -> Inside {
    let mut inside = Inside::default();
    let (mut seen, mut angles) = (BTreeSet::new(), BTreeSet::new());
    let mut stack = trace.results.clone();
    while let Some(place) = stack.pop() {
        if !seen.insert(place) {
            continue;
        }
        let node = trace.nodes.list()[place];
        match node {
            Node::Argument(_) | Node::Constant(_) | Node::Neg(_) => {}
            Node::Add(..) | Node::Sub(..) => inside.adds += 1,
            Node::Mul(..) => inside.muls += 1,
            Node::Sin(x) | Node::Cos(x) => inside.sin_cos += usize::from(angles.insert(x)),
            Node::Div(..) | Node::Sqrt(_) | Node::Atan2(..) | Node::Call(..) | Node::Choice { .. } => {
                panic!("{node:?} has no column")
            }
        }
        stack.extend(node.operands());
    }
    inside
}

/// What operation counts say of maps is what the runtime's functions do.
#[test]
fn inside_of_maps() {
    for group in GROUPS {
        for map in Map::ALL {
            let trace = trace(map, group, Retraction::Exp).expect("nothing depends on values");
            let counted = count(&trace.near().0);
            assert_eq!(map.operations(group), counted, "{map:?} of {}", group.name);
        }
    }
}

/// Only the inverse of a matrix, which exchanges rows, depends on values.
#[test]
fn maps_are_lists_of_operations() {
    let mut opaque = Vec::new();
    for group in GROUPS {
        for map in Map::ALL {
            for retraction in Retraction::ALL {
                match trace(map, group, retraction) {
                    Some(trace) => assert_eq!(trace.results.len(), map.results(group)),
                    None => opaque.push((map, retraction)),
                }
            }
        }
    }
    let inverted = [Retraction::Exp1, Retraction::Exp2, Retraction::Exp4].map(|r| (Map::TangentLeft, r));
    assert_eq!(opaque, [inverted; 3].concat());
}
