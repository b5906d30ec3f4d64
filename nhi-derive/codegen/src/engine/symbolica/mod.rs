//! Symbolica, the computer-algebra system, in a separate process.
//!
//! Each batch starts the executable that the build script left in the target directory (see
//! `build.rs`), which takes about 10 ms, and so no state outlives a batch: the answer depends on
//! the request alone. A lock file keeps engines of all builds on the machine apart.
//!
//! Symbolica has a licence of its own: without a key (`SYMBOLICA_LICENSE`) it is for non-commercial
//! use, one instance and one core per machine.

mod graph;
mod process;
mod size;
#[path = "../../../engine/wire.rs"]
mod wire;

use super::built_in::gradient;
use super::factor::factor;
use super::rules::{Known, forms, simplify_inside};
use super::select::{cheapest, distinct};
use super::trigonometry::single_angles;
use super::{Engine, EngineError};
use crate::expr::{Expr, Function, Node, Pool};
use graph::{Graph, is_atom, rational_part};
use process::Launch;
use size::{MAX_BATCH_TERMS, fraction_terms, is_small_tree};
use std::path::Path;
use wire::{Batch, Id, Request};

/// Derivatives by Symbolica, and simplification by the rules of the built-in engine together with
/// what needs polynomial algebra: common denominators, cancellation, factorisation, also modulo
/// sin² + cos² = 1. Of all equal forms the cheapest is kept.
#[derive(Clone, Debug)]
pub struct Symbolica {
    launch: Launch,
}

impl Default for Symbolica {
    fn default() -> Self {
        Self::new()
    }
}

impl Symbolica {
    /// The engine that was built with this library; started at the first request.
    pub fn new() -> Self {
        Self::at(Path::new(env!("NHI_SYMBOLICA_ENGINE")))
    }

    /// The engine at some path.
    pub fn at(program: &Path) -> Self {
        Symbolica { launch: Launch::of(program) }
    }

    /// Answers to requests, as expressions of the pool; `None` where one is infinite everywhere.
    fn ask(
        &self,
        pool: &mut Pool,
        graph: Graph,
        requests: Vec<Request>,
    ) -> Result<Vec<Vec<Option<Expr>>>, EngineError> {
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        let count = requests.len();
        let batch = Batch { nodes: graph.nodes.clone(), items: requests };
        let text = self.launch.answer(&batch.write())?;
        let broken = |what: String| {
            EngineError(format!("the Symbolica engine answered what this version cannot read: {what}"))
        };
        let answer = Batch::<Vec<Id>>::read(text.lines().map(str::to_owned)).map_err(broken)?;
        let exprs = graph.read(pool, &answer.nodes).map_err(broken)?;
        let answers: Option<Vec<Vec<Option<Expr>>>> =
            answer.items.iter().map(|ids| ids.iter().map(|&i| exprs.get(i).copied()).collect()).collect();
        answers.filter(|a| a.len() == count).ok_or_else(|| broken(format!("{} answers", answer.items.len())))
    }
}

impl Engine for Symbolica {
    fn name(&self) -> &'static str {
        "Symbolica"
    }

    fn derivatives(
        &mut self,
        pool: &mut Pool,
        requests: &[(Expr, Vec<Expr>)],
    ) -> Result<Vec<Vec<Expr>>, EngineError> {
        let mut graph = Graph::default();
        let mut asked = Vec::new();
        let mut questions = Vec::new();
        for (i, (e, variables)) in requests.iter().enumerate() {
            if !variables.is_empty() && is_small_tree(pool, *e) {
                let root = graph.add(pool, *e);
                let variables = variables.iter().map(|&v| graph.symbol(v)).collect();
                questions.push(Request::Derivatives(root, variables));
                asked.push(i);
            }
        }
        let answers = self.ask(pool, graph, questions)?;
        let mut out: Vec<Vec<Expr>> = requests.iter().map(|(e, v)| gradient(pool, *e, v)).collect();
        for (i, answer) in asked.into_iter().zip(answers) {
            let Some(answer) = answer.into_iter().collect::<Option<Vec<Expr>>>() else { continue };
            if pool.cost(&answer).weight() < pool.cost(&out[i]).weight() {
                out[i] = answer;
            }
        }
        Ok(out)
    }

    fn simplify(&mut self, pool: &mut Pool, exprs: &[Expr]) -> Result<Vec<Expr>, EngineError> {
        let (exprs, places) = distinct(exprs);
        let known = &mut Known::default();
        let mut forms = forms(pool, known, &exprs);
        let built_in = cheapest(pool, &forms);
        let mut graph = Graph::default();
        let mut asked = Vec::new();
        let mut questions = Vec::new();
        let mut budget = MAX_BATCH_TERMS;
        for (i, &e) in exprs.iter().enumerate() {
            let e = simplify_inside(pool, known, e);
            let single = single_angles(pool, e);
            for e in std::iter::once(e).chain(single) {
                let terms = fraction_terms(pool, e).filter(|&t| t <= budget && worth_asking(pool, e));
                if let Some(terms) = terms {
                    budget -= terms;
                    let root = graph.add_rational(pool, e);
                    let circles = circles(pool, &mut graph, e);
                    questions.push(Request::Rational(root, circles));
                    asked.push(i);
                }
            }
        }
        for (i, answer) in asked.into_iter().zip(self.ask(pool, graph, questions)?) {
            for form in answer.into_iter().flatten() {
                forms[i].push(form);
                forms[i].push(factor(pool, &mut known.factored, form));
            }
        }
        let all = cheapest(pool, &forms);
        // The greedy choice among more forms may end up worse.
        let simple = if pool.cost(&built_in).weight() < pool.cost(&all).weight() { built_in } else { all };
        Ok(places.into_iter().map(|i| simple[i]).collect())
    }
}

/// Whether there is anything to factor or cancel.
fn worth_asking(pool: &Pool, e: Expr) -> bool {
    rational_part(pool, e).iter().any(|&x| matches!(pool.node(x), Node::Sum(_)))
}

/// The variables that are sine and cosine of one angle.
fn circles(pool: &mut Pool, graph: &mut Graph, e: Expr) -> Vec<(usize, usize)> {
    let mut angles: Vec<Expr> = rational_part(pool, e)
        .into_iter()
        .filter(|&x| is_atom(pool, x))
        .filter_map(|x| match *pool.node(x) {
            Node::Call(Function::Sin | Function::Cos, angle) => Some(angle),
            _ => None,
        })
        .collect();
    angles.sort_unstable();
    angles.dedup();
    angles
        .into_iter()
        .map(|x| {
            let (sin, cos) = (pool.call(Function::Sin, x), pool.call(Function::Cos, x));
            (graph.symbol(sin), graph.symbol(cos))
        })
        .collect()
}
