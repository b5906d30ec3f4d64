//! Distribution of products over sums.

use super::{Expr, Node, Pool};
use num_traits::ToPrimitive;
use std::collections::HashMap;

impl Pool {
    /// `e` with products and small positive integer powers of sums multiplied out, or `None` where
    /// that takes more than `limit` terms in any one node.
    pub fn expand(&mut self, e: Expr, limit: usize) -> Option<Expr> {
        let mut image: HashMap<Expr, Expr> = HashMap::new();
        for x in self.reachable(&[e]) {
            let new = match self.node(x).clone() {
                Node::Product(f) => {
                    let f: Vec<Expr> = f.iter().map(|c| image[c]).collect();
                    self.multiply_out(&f, limit)?
                }
                Node::Power(b, n) => {
                    let base = image[&b];
                    let count =
                        self.as_number(n).filter(|n| n.is_integer()).and_then(|n| n.to_integer().to_usize());
                    match (self.node(base), count) {
                        (Node::Sum(_), Some(k)) if k <= limit => self.multiply_out(&vec![base; k], limit)?,
                        _ => self.rebuild(x, |c| image[&c]),
                    }
                }
                _ => self.rebuild(x, |c| image[&c]),
            };
            image.insert(x, new);
        }
        Some(image[&e])
    }

    /// Terms of a sum; a single term otherwise, none for zero.
    pub fn terms(&self, e: Expr) -> Vec<Expr> {
        match self.node(e) {
            Node::Sum(t) => t.clone(),
            _ if self.is_zero(e) => Vec::new(),
            _ => vec![e],
        }
    }

    fn multiply_out(&mut self, factors: &[Expr], limit: usize) -> Option<Expr> {
        let mut terms = vec![self.one()];
        for &f in factors {
            let fs = self.terms(f);
            if terms.len().saturating_mul(fs.len()) > limit {
                return None;
            }
            let mut next = Vec::with_capacity(terms.len() * fs.len());
            for &a in &terms {
                for &b in &fs {
                    next.push(self.mul(a, b));
                }
            }
            let collected = self.sum(&next);
            terms = self.terms(collected);
        }
        Some(self.sum(&terms))
    }
}
