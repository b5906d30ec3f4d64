//! The maps of groups in `nhi.h`, printed from what the runtime's functions do.
//!
//! `UPDATE_MAPS=1 cargo test -p nhi-interpreter --test it c_maps` writes them anew. `tests/runtime/tests/it/c_header` compares
//! them with the runtime bit for bit, in both widths.

mod print;
mod simplify;

use nhi_codegen::expr::group::{GROUPS, Group, Map};
use nhi_interpreter::trace::{Node, Nodes, Trace, Traced, recorded, trace};
use nhi_methods::Retraction;
use nhi_runtime::Factor;
use nhi_runtime::group::{Exp1, Exp2, Exp4, Group as _, coefficients as of};
use print::Printer;
use simplify::{part, simplified, substituted};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

type OfNumber = fn(Traced) -> Traced;

/// The functions of one number of which maps choose formulas, with their names in C.
const NAMED: [(&str, OfNumber); 9] = [
    ("a", of::a),
    ("b", of::b),
    ("c", of::c),
    ("b_prime", of::b_prime),
    ("c_prime", of::c_prime),
    ("d", of::d),
    ("d_prime", of::d_prime),
    ("d_second", of::d_second),
    ("d_third", of::d_third),
];

/// The maps of a retraction in the order in which they are printed: those that others call come first.
const MAPS: [Map; 7] = [
    Map::Moved,
    Map::InverseTangent,
    Map::TangentLeft,
    Map::Start,
    Map::End,
    Map::StartTangent,
    Map::StartCurvature,
];

/// Polynomials of ad are summed by loops if they take more operations than this: unrolled, those of SE(3) with `Exp4` would take
/// nine times the code.
const MOST_OPERATIONS: usize = 500;

/// The parameters of longer heads are on lines of their own.
const LONGEST_LINE: usize = 120;

/// What `nhi.h` says of the maps.
const HEAD: &str = "\
/* ------------------------------------------------------------------------------------------------------------------
 * The maps of groups. They are printed from what the runtime's functions do; do not edit.
 *
 * A pose of SE(2) is (theta, x, y), one of SO(3) a rotation matrix R by rows, one of SE(3) R and a position. A velocity of the
 * body is (omega, v1, v2), omega, or (omega, v). For every retraction tau:
 *
 * moved               g tau(x)
 * dtau_inv            d tau^-1_x, by rows: D tau(x) d = (d tau_x d)^ tau(x)
 * dtau_left           d tau^L_x, by rows: D tau(x) d = tau(x) (d tau^L_x d)^
 * dtau_inv_star       (d tau^-1_x)* mu
 * dtau_left_inv_star  ((d tau^L_x)^-1)* mu
 * k                   d/dx (d tau^-1_x)* mu, by rows
 * k_tangent           d k/dx, the derivatives of each entry of k one after the other
 *
 * and
 *
 * displaced           g exp(x)
 * displacement        log(g^-1 h), with the smallest rotation
 * dexp_left_inv       (d exp^L_x)^-1 xi
 *
 * The functions of s = theta^2 in the exponential maps of rotations, near zero by their series, and their derivatives:
 *
 * a = sin theta/theta, b = (1 - cos theta)/theta^2, c = (theta - sin theta)/theta^3, d = (1 - (theta/2) cot(theta/2))/theta^2
 */

";

/// What is printed.
#[derive(Default)]
struct Section {
    text: String,
    /// Functions of one number, by their operations.
    chosen: HashMap<Vec<Node>, String>,
    /// The maps of this group with their arguments and their operations.
    maps: Vec<(String, Vec<usize>, Trace)>,
}

/// The operations and the results: the same for the same function.
fn key(trace: &Trace) -> Vec<Node> {
    let results = trace.results.iter().map(|&i| Node::Argument(i));
    trace.nodes.list().iter().copied().chain(results).collect()
}

/// The choice at a place as a function of the number that it depends on; none if it depends on others too.
fn function_of_number(trace: &Trace, place: usize) -> Option<Trace> {
    let Node::Choice { number, .. } = trace.nodes.list()[place] else { return None };
    part(trace, &[place], |place, node| match node {
        _ if place == number => Some(Node::Argument(0)),
        Node::Argument(_) => None,
        node => Some(node),
    })
}

impl Section {
    /// The functions that are called for choices, by the places of these. They are printed where they are new.
    fn calls(&mut self, trace: &Trace) -> HashMap<usize, String> {
        let mut calls = HashMap::new();
        for place in 0..trace.nodes.list().len() {
            let Some(function) = function_of_number(trace, place) else { continue };
            // Those of a few operations are written in place.
            if function.nodes.list().len() > 8 {
                let new = format!("chosen_{}", self.chosen.len());
                let known = self.chosen.get(&key(&function)).cloned();
                calls.insert(place, known.unwrap_or_else(|| self.function(new, &function)));
            }
        }
        calls
    }

    fn function(&mut self, name: String, trace: &Trace) -> String {
        let body = Printer::new(trace, &["s".to_owned()], &HashMap::new()).returned();
        write!(self.text, "NHI_FN nhi_real nhi_{name}(nhi_real s)\n{{\n{body}}}\n\n").expect("a string");
        self.chosen.insert(key(trace), name.clone());
        name
    }

    /// A map of arguments with these names and lengths.
    fn map(&mut self, name: String, arguments: &[(&str, usize)], body: Body) {
        let body = match body {
            Body::Trace(trace) => {
                let lengths: Vec<usize> = arguments.iter().map(|&(_, length)| length).collect();
                let calls = self.calls(&trace);
                let body = self.by_another(arguments, &trace).unwrap_or_else(|| {
                    let numbers = |&(name, length): &(&str, usize)| {
                        (0..length).map(|i| format!("{name}[{i}]")).collect::<Vec<_>>()
                    };
                    let numbers: Vec<String> = arguments.iter().flat_map(numbers).collect();
                    let is_used = |(name, _): &&(&str, usize)| {
                        trace.nodes.list().iter().any(|&node| match node {
                            Node::Argument(i) => numbers[i].split('[').next() == Some(name),
                            _ => false,
                        })
                    };
                    let unused = arguments.iter().filter(|argument| !is_used(argument));
                    let unused: String = unused.map(|(name, _)| format!("    (void){name};\n")).collect();
                    unused + &Printer::new(&trace, &numbers, &calls).all()
                });
                self.maps.push((name.clone(), lengths, trace));
                body
            }
            Body::Text(text) => text,
        };
        let head = format!("NHI_FN void nhi_{name}(");
        let names = arguments.iter().map(|(name, _)| format!("const nhi_real *NHI_RESTRICT {name}"));
        let parameters: Vec<String> = names.chain(["nhi_real *NHI_RESTRICT out".to_owned()]).collect();
        let one_line = parameters.join(", ");
        let between = format!(",\n{}", " ".repeat(head.len()));
        let is_long = head.len() + one_line.len() >= LONGEST_LINE;
        let parameters = if is_long { parameters.join(&between) } else { one_line };
        write!(self.text, "{head}{parameters})\n{{\n{body}}}\n\n").expect("a string");
    }

    /// A call of a map with the same operations, or with those of the inverse motion.
    fn by_another(&self, arguments: &[(&str, usize)], trace: &Trace) -> Option<String> {
        let own = key(trace);
        let (names, lengths): (Vec<&str>, Vec<usize>) = arguments.iter().copied().unzip();
        let is_motion = names[0] == "x";
        self.maps.iter().find_map(|(other, their, known)| {
            let is_alike = *their == lengths && known.results.len() == trace.results.len();
            if is_alike && key(known) == own {
                return Some(format!("    nhi_{other}({}, out);\n", names.join(", ")));
            }
            let inverse = |nodes: &mut Nodes, i: usize| {
                let argument = nodes.place(Node::Argument(i));
                if i < lengths[0] { nodes.place(Node::Neg(argument)) } else { argument }
            };
            let is_inverse = is_alike && is_motion && key(&substituted(known, inverse)) == own;
            let names = [&["back"], &names[1..]].concat();
            is_inverse
                .then(|| inverse_motion(lengths[0], &format!("nhi_{other}({}, out);", names.join(", "))))
        })
    }
}

/// What a map does.
enum Body {
    Trace(Trace),
    Text(String),
}

impl Body {
    fn recorded(lengths: &[usize], function: impl FnOnce(&[Vec<Traced>]) -> Vec<Traced>) -> Body {
        Body::Trace(simplified(&recorded(lengths, function).expect("nothing depends on values")))
    }
}

/// Statements with -x as `back`.
fn inverse_motion(n: usize, statements: &str) -> String {
    let back: Vec<String> = (0..n).map(|i| format!("-x[{i}]")).collect();
    format!("    const nhi_real back[{n}] = {{{}}};\n    {statements}\n", back.join(", "))
}

/// The polynomials of ad that the tangents of a retraction are.
fn polynomial(retraction: Retraction) -> Option<([f64; 2], &'static [f64])> {
    match retraction {
        Retraction::Exp1 => Some(Exp1::COEFFICIENTS),
        Retraction::Exp2 => Some(Exp2::COEFFICIENTS),
        Retraction::Exp4 => Some(Exp4::COEFFICIENTS),
        Retraction::Exp | Retraction::Cayley | Retraction::Ccsk => None,
    }
}

fn array<const N: usize>(numbers: &[Traced]) -> [Traced; N] {
    numbers.try_into().expect("as many arguments as are recorded")
}

macro_rules! functions_of_groups {
    ($($group:ident $name:literal { $($facts:tt)* })*) => {
        /// What is no map of steps: displacement, ad, ad*, and ad* as a function of the vector that is acted with.
        fn function_of_group(name: &str, group: &Group, x: &[Vec<Traced>]) -> Vec<Traced> {
            match (name, group.runtime) {
                $(
                    ("displacement", stringify!($group)) => {
                        <nhi_runtime::group::$group<f64> as Factor>::displacement(&array(&x[0]), &array(&x[1])).to_vec()
                    }
                    ("ad", stringify!($group)) => nhi_runtime::group::$group::ad(array(&x[0])).as_flattened().to_vec(),
                    ("ad_star", stringify!($group)) => nhi_runtime::group::$group::ad_star(array(&x[0]), array(&x[1])).to_vec(),
                    ("ad_star_on", stringify!($group)) => {
                        nhi_runtime::group::$group::ad_star_on(array(&x[0])).as_flattened().to_vec()
                    }
                )*
                _ => panic!("the runtime has no {name} of {}", group.runtime),
            }
        }
    };
}

nhi_runtime::for_each_group!(functions_of_groups);

fn section() -> String {
    let mut section = Section { text: HEAD.to_owned(), ..Section::default() };
    for (name, function) in NAMED {
        let Body::Trace(trace) = Body::recorded(&[1], |x| vec![function(x[0][0])]) else { unreachable!() };
        section.function(name.to_owned(), &trace);
    }
    for group in GROUPS {
        section.maps.clear();
        let (g, n, p) = (group.runtime.to_lowercase(), group.dimension, group.pose_len());
        for (name, arguments) in
            [("ad", vec![("x", n)]), ("ad_star", vec![("x", n), ("mu", n)]), ("ad_star_on", vec![("mu", n)])]
        {
            let lengths: Vec<usize> = arguments.iter().map(|&(_, length)| length).collect();
            let body = Body::recorded(&lengths, |x| function_of_group(name, group, x));
            section.map(format!("{g}_{name}"), &arguments, body);
        }
        for retraction in Retraction::ALL {
            for map in MAPS {
                // Second derivatives are not those of functions that are cut off.
                let has = matches!(retraction, Retraction::Exp | Retraction::Cayley);
                if has || map != Map::StartCurvature {
                    add(&mut section, group, map, retraction);
                }
            }
        }
        add(&mut section, group, Map::Displaced, Retraction::Exp);
        add(&mut section, group, Map::Rate, Retraction::Exp);
        let body = Body::recorded(&[p, p], |x| function_of_group("displacement", group, x));
        section.map(format!("{g}_displacement"), &[("g", p), ("h", p)], body);
    }
    section.text
}

fn add(section: &mut Section, group: &Group, map: Map, retraction: Retraction) {
    let (g, n) = (group.runtime.to_lowercase(), group.dimension);
    let tau = if map.is_of_retraction() { format!("{}_", retraction.id()) } else { String::new() };
    let names = match map {
        Map::Moved | Map::Displaced => ["g", "x"],
        Map::Rate => ["x", "xi"],
        _ => ["x", "mu"],
    };
    let arguments: Vec<(&str, usize)> = names.into_iter().zip(map.arguments(group)).collect();
    let body = match (trace(map, group, retraction), map, polynomial(retraction)) {
        // By an inverse, which exchanges rows.
        (None, Map::TangentLeft, Some(_)) => Body::Text(inverse_motion(
            n,
            &format!(
                "nhi_real inverse[{}];\n    nhi_{g}_{tau}dtau_inv(back, inverse);\n    nhi_matrix_inverse({n}, inverse, out);",
                n * n
            ),
        )),
        (None, ..) => panic!("{map:?} of {} with {retraction:?} depends on values", group.name),
        (Some(trace), ..) => {
            let trace = simplified(&trace);
            let is_operation =
                |node: &&Node| !matches!(node, Node::Argument(_) | Node::Constant(_) | Node::Neg(_));
            let is_long = trace.nodes.list().iter().filter(is_operation).count() > MOST_OPERATIONS;
            match (map, polynomial(retraction)) {
                (Map::InverseTangent | Map::StartTangent, Some(polynomial)) if is_long => {
                    Body::Text(by_loops(map, group, polynomial))
                }
                _ => Body::Trace(trace),
            }
        }
    };
    section.map(format!("{g}_{tau}{}", map.name()), &arguments, body);
}

/// A polynomial of ad, or its derivative, by loops.
fn by_loops(map: Map, group: &Group, ([top, below], rest): ([f64; 2], &[f64])) -> String {
    let (g, n) = (group.runtime.to_lowercase(), group.dimension);
    let c: Vec<String> = [top, below].iter().chain(rest).map(|c| format!("{c:?}")).collect();
    let (terms, square) = (c.len(), n * n);
    let (room, call) = match map {
        Map::InverseTangent => (square, format!("nhi_polynomial({n}, ad, c, {terms}, room, out);")),
        _ => {
            let ad_star = format!("nhi_{g}_ad_star, nhi_{g}_ad_star_on");
            let call = format!("nhi_polynomial_k({n}, ad, {ad_star}, x, mu, c, {terms}, room, out);");
            (3 * square + 3 * n, call)
        }
    };
    format!(
        "    static const double c[{terms}] = {{{}}};
    nhi_real ad[{square}];
    nhi_real room[{room}];
    nhi_{g}_ad(x, ad);
    {call}
",
        c.join(", ")
    )
}

const BEGIN: &str = "/* BEGIN OF THE MAPS OF GROUPS */\n";
const END: &str = "/* END OF THE MAPS OF GROUPS */\n";

#[test]
fn maps_in_c_are_those_of_the_runtime() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nhi-derive/codegen/src/backend/c/nhi.h");
    let header = std::fs::read_to_string(&path).expect("the header is there");
    let (before, rest) = header.split_once(BEGIN).expect("a mark before the maps");
    let (committed, after) = rest.split_once(END).expect("a mark after the maps");
    let section = section();
    if std::env::var_os("UPDATE_MAPS").is_some() {
        std::fs::write(&path, [before, BEGIN, &section, END, after].concat()).expect("a writable header");
        return;
    }
    let line = section.lines().zip(committed.lines()).position(|(new, old)| new != old);
    assert!(
        section == committed,
        "maps in nhi.h are not those of the runtime, from line {line:?} of them on; to write them anew, set UPDATE_MAPS=1"
    );
}
