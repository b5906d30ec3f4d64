//! Piecewise functions: all of them are choices between two expressions by the sign of a third.

use super::sample::Point;
use super::{Expr, Node, Pool};
use num_traits::Signed;

impl Pool {
    /// `positive` where `condition` is not negative, otherwise `negative`.
    pub fn select(&mut self, condition: Expr, positive: Expr, negative: Expr) -> Expr {
        if [condition, positive, negative].contains(&Expr::UNDEFINED) {
            return Expr::UNDEFINED;
        }
        if positive == negative {
            return positive;
        }
        if let Some(number) = self.as_number(condition) {
            return if number.is_negative() { negative } else { positive };
        }
        // A positive factor does not change the sign.
        let (coefficient, rest) = self.split_coefficient(condition);
        let condition = if coefficient.is_positive() { rest } else { self.neg(rest) };
        // Inside of a branch the condition is decided.
        let positive = match *self.node(positive) {
            Node::Select([c, inner, _]) if c == condition => inner,
            _ => positive,
        };
        let negative = match *self.node(negative) {
            Node::Select([c, _, inner]) if c == condition => inner,
            _ => negative,
        };
        if positive == negative {
            return positive;
        }
        self.intern(Node::Select([condition, positive, negative]))
    }

    /// |x|
    pub fn abs(&mut self, x: Expr) -> Expr {
        let x = if self.is_negated(x) { self.neg(x) } else { x };
        let minus = self.neg(x);
        self.select(x, x, minus)
    }

    /// The sign of x: −1, 0 or 1.
    pub fn sign(&mut self, x: Expr) -> Expr {
        if self.is_negated(x) {
            let minus = self.neg(x);
            let sign = self.sign(minus);
            return self.neg(sign);
        }
        let (zero, one, minus_one) = (self.zero(), self.one(), self.int(-1));
        let minus = self.neg(x);
        let not_negative = self.select(minus, zero, one);
        self.select(x, not_negative, minus_one)
    }

    /// The larger of two numbers.
    pub fn max(&mut self, a: Expr, b: Expr) -> Expr {
        let difference = self.sub(a, b);
        self.select(difference, a, b)
    }

    /// The smaller of two numbers.
    pub fn min(&mut self, a: Expr, b: Expr) -> Expr {
        let difference = self.sub(b, a);
        self.select(difference, a, b)
    }

    /// The piecewise linear function with the values `ys` at the nodes `xs`, constant outside of them.
    pub fn interpolated(&mut self, x: Expr, xs: &[Expr], ys: &[Expr]) -> Expr {
        let zero = self.zero();
        // Node, value and slope of the interval that x is in.
        let [mut node, mut value, mut slope] = [xs[0], ys[0], zero];
        for i in 0..xs.len() {
            let next = match (xs.get(i + 1), ys.get(i + 1)) {
                (Some(&x1), Some(&y1)) => {
                    let (rise, run) = (self.sub(y1, ys[i]), self.sub(x1, xs[i]));
                    self.div(rise, run)
                }
                _ => zero,
            };
            let behind = self.sub(x, xs[i]);
            node = self.select(behind, xs[i], node);
            value = self.select(behind, ys[i], value);
            slope = self.select(behind, next, slope);
        }
        let distance = self.sub(x, node);
        let change = self.mul(slope, distance);
        self.add(value, change)
    }

    /// A condition by which an expression jumps, as found by following it from one side of the condition to the other.
    pub(crate) fn jump(&self, e: Expr) -> Option<Expr> {
        const POINTS: u32 = 64;
        const PAIRS: usize = 4;
        let symbols = self.symbols_in(&[e]);
        let at = |point: u32| symbols.iter().map(|s| Point(point).real(s.0)).collect::<Vec<f64>>();
        let points: Vec<Vec<f64>> = (0..POINTS).map(at).collect();
        let value = |e: Expr, point: &[f64]| {
            let values = symbols.iter().copied().zip(point.iter().copied()).collect();
            self.evaluate(&[e], &values)[0]
        };
        let conditions = self.reachable(&[e]).into_iter().filter_map(|e| match *self.node(e) {
            Node::Select([condition, ..]) => Some(condition),
            _ => None,
        });
        let jumps = |&condition: &Expr| {
            let (above, below): (Vec<&Vec<f64>>, Vec<&Vec<f64>>) =
                points.iter().partition(|point| value(condition, point) >= 0.0);
            above.iter().zip(&below).take(PAIRS).any(|(above, below)| {
                let (mut above, mut below) = ((*above).clone(), (*below).clone());
                let size = value(e, &above).abs() + value(e, &below).abs();
                for _ in 0..80 {
                    let middle: Vec<f64> = above.iter().zip(&below).map(|(a, b)| 0.5 * (a + b)).collect();
                    let side = if value(condition, &middle) >= 0.0 { &mut above } else { &mut below };
                    *side = middle;
                }
                (value(e, &above) - value(e, &below)).abs() > 1e-6 * size
            })
        };
        conditions.into_iter().find(jumps)
    }

    /// Whether these are affine in the variables, by which their derivatives are `slopes`. A choice is not, although its derivative
    /// may be the same number on both sides, and neither is a solution whose value is that of its formula only as a rule.
    pub(crate) fn are_affine(&self, values: &[Expr], slopes: &[Expr], variables: &[Expr]) -> bool {
        let chooses = |&e: &Expr| {
            matches!(self.node(e), Node::Select(_) | Node::Saddle(..)) && self.depends_on(e, variables)
        };
        !slopes.iter().any(|&slope| self.depends_on(slope, variables))
            && !self.reachable(values).iter().any(chooses)
    }

    /// Whether a choice between two expressions is below these.
    pub fn has_select(&self, roots: &[Expr]) -> bool {
        self.reachable(roots).into_iter().any(|e| matches!(self.node(e), Node::Select(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn piecewise_functions_have_their_values() {
        let mut p = Pool::new();
        let (x, y) = (p.symbol("x"), p.symbol("y"));
        let functions = [p.abs(x), p.sign(x), p.max(x, y), p.min(x, y)];
        let symbols = [x, y].map(|e| p.as_symbol(e).expect("a symbol"));
        let cases = [
            ([2.0, 3.0], [2.0, 1.0, 3.0, 2.0]),
            ([-2.0, -3.0], [2.0, -1.0, -2.0, -3.0]),
            ([0.0, 0.0], [0.0; 4]),
        ];
        for (at, expected) in cases {
            let values: HashMap<_, _> = symbols.into_iter().zip(at).collect();
            assert_eq!(p.evaluate(&functions, &values), expected, "{at:?}");
        }
    }

    #[test]
    fn conditions_that_are_decided_leave_one_branch() {
        let mut p = Pool::new();
        let (x, y, z) = (p.symbol("x"), p.symbol("y"), p.symbol("z"));
        let (one, two) = (p.one(), p.int(2));
        assert_eq!(p.select(one, x, y), x);
        assert_eq!(p.select(x, y, y), y);
        let inner = p.select(x, y, z);
        let twice = p.mul(two, x);
        assert_eq!(p.select(twice, inner, z), inner);
        let minus = p.neg(x);
        assert_ne!(p.select(minus, inner, z), inner);
    }

    #[test]
    fn derivatives_are_those_of_the_active_branch() {
        let mut p = Pool::new();
        let x = p.symbol("x");
        // √x where it is defined: its derivative is no number elsewhere.
        let (root, zero) = (p.sqrt(x), p.zero());
        let e = p.select(x, root, zero);
        let symbol = p.as_symbol(x).expect("a symbol");
        for derivative in [p.derivative(e, x), p.gradient(e, &[x])[0]] {
            let at = |value| p.evaluate(&[derivative], &HashMap::from([(symbol, value)]))[0];
            assert_eq!([at(4.0), at(-4.0)], [0.25, 0.0]);
        }
    }

    #[test]
    fn what_holds_on_one_side_is_no_identity() {
        let mut p = Pool::new();
        let x = p.symbol("x");
        let size = p.abs(x);
        for e in [p.sub(size, x), p.add(size, x)] {
            assert!(!p.vanishes(e));
        }
        let (other, one) = (p.symbol("y"), p.one());
        let (a, b) = (p.select(x, other, one), p.select(x, one, other));
        let both = p.add(a, b);
        let sum = p.add(other, one);
        let zero = p.sub(both, sum);
        assert!(p.vanishes(zero));
    }
}
