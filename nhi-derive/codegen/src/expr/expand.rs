//! Distribution of products over sums.

use super::{Expr, Images, Node, Pool};
use num_traits::ToPrimitive;

impl Pool {
    /// `e` with products and positive integer powers of sums multiplied out, or `None` where that takes
    /// more than `limit` terms in any one node. Powers above `limit` are not multiplied out.
    pub fn expand(&mut self, e: Expr, limit: usize) -> Option<Expr> {
        let mut images = Images::new(&[e]);
        for x in self.reachable(&[e]) {
            let image = self.rebuild(x, |c| images.get(c));
            let image = self.distribute(image, limit)?;
            images.set(x, image);
        }
        Some(images.get(e))
    }

    /// As [`Pool::expand`], or `e` itself where that takes too many terms or loses digits.
    pub(crate) fn multiplied_out(&mut self, e: Expr, limit: usize) -> Expr {
        self.expand(e, limit).filter(|&expanded| !self.loses_digits(e, expanded)).unwrap_or(e)
    }

    /// Terms of a sum; a single term otherwise, none for zero.
    pub fn terms(&self, e: Expr) -> Vec<Expr> {
        match self.node(e) {
            Node::Sum(t) => t.clone(),
            _ if self.is_zero(e) => Vec::new(),
            _ => vec![e],
        }
    }

    /// Multiplies out until no term has a sum for a factor. Once is not enough where roots meet:
    /// sqrt(a + b) (sqrt(a + b) + c) is a + b + c sqrt(a + b).
    fn distribute(&mut self, e: Expr, limit: usize) -> Option<Expr> {
        let mut e = e;
        loop {
            let terms = self.terms(e);
            let has_sum = |t: &Expr| self.factors(t).iter().any(|&f| self.power_of_sum(f, limit).is_some());
            let (products, mut simple): (Vec<Expr>, Vec<Expr>) = terms.iter().partition(|t| has_sum(t));
            if products.is_empty() {
                return Some(e);
            }
            for t in products {
                simple.extend(self.multiply_out(t, limit)?);
            }
            if simple.len() > limit.max(terms.len()) {
                return None;
            }
            e = self.sum(&simple);
        }
    }

    /// The sum and the exponent, for a factor that is a power of a sum to multiply out.
    fn power_of_sum(&self, factor: Expr, limit: usize) -> Option<(Expr, usize)> {
        let (base, exponent) = self.split_power(factor);
        let n = self.as_number(exponent).filter(|n| n.is_integer())?.numer().to_usize()?;
        (matches!(self.node(base), Node::Sum(_)) && n <= limit).then_some((base, n))
    }

    /// The terms of a product whose factors are powers of sums, or not.
    fn multiply_out(&mut self, product: Expr, limit: usize) -> Option<Vec<Expr>> {
        let mut all = self.one();
        for f in self.factors(&product).to_vec() {
            let (base, times) = self.power_of_sum(f, limit).unwrap_or((f, 1));
            let inner = self.terms(base);
            for _ in 0..times {
                all = self.times_each(all, &inner, limit)?;
            }
        }
        Some(self.terms(all))
    }

    /// A sum times the sum of `terms`, multiplied out, or `None` where that takes more than `limit` terms.
    pub(crate) fn times_each(&mut self, sum: Expr, terms: &[Expr], limit: usize) -> Option<Expr> {
        let own = self.terms(sum);
        if own.len().saturating_mul(terms.len()) > limit {
            return None;
        }
        let mut all = Vec::with_capacity(own.len() * terms.len());
        for &a in &own {
            all.extend(terms.iter().map(|&b| self.mul(a, b)));
        }
        Some(self.sum(&all))
    }
}
