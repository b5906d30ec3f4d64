//! Zero test and generic rank.
//!
//! Rational expressions are decided in exact modular arithmetic, everything else in high precision
//! with error bounds, at fixed pseudo-random points: what vanishes there vanishes wherever it is
//! defined, except by a coincidence of probability zero. The work is linear in the size of the
//! expression graph, and values are kept for the next question about the same pool.

use super::ball::{Ball, Balls};
use super::modular::{self, Residues};
use super::sample::{ATTEMPTS, Field, Memo, POINTS, Point, rank};
use super::{Expr, Node, Pool};
use num_traits::ToPrimitive;

/// Values at the points.
#[derive(Clone, Default, Debug)]
pub(super) struct Samples {
    residues: Vec<Memo<u64>>,
    balls: Vec<Memo<Ball>>,
}

impl Pool {
    /// Whether `e` is zero wherever it is defined. False for an expression that is defined nowhere.
    pub fn vanishes(&mut self, e: Expr) -> bool {
        let Some(largest) = self.largest_rank(&[e], 1) else { return false };
        largest == 0
    }

    /// Largest rank of a matrix, given by rows, over the points where all of it is defined: the
    /// rank almost everywhere. A matrix that is defined nowhere counts as having full rank, so that
    /// a deficiency is never claimed without evidence.
    pub fn rank(&mut self, rows: &[Vec<Expr>]) -> usize {
        let columns = rows.iter().map(Vec::len).min().unwrap_or(0);
        let entries: Vec<Expr> = rows.iter().flat_map(|row| &row[..columns]).copied().collect();
        self.largest_rank(&entries, columns).unwrap_or(columns.min(rows.len()))
    }

    /// Rank of a matrix, given row by row; `None` if it is defined at no point.
    fn largest_rank(&mut self, entries: &[Expr], columns: usize) -> Option<usize> {
        let mut samples = std::mem::take(&mut self.samples);
        let result = if self.is_rational(entries) {
            self.rank_at_points(&mut Residues, &mut samples.residues, entries, columns)
        } else {
            self.rank_at_points(&mut Balls::default(), &mut samples.balls, entries, columns)
        };
        self.samples = samples;
        result
    }

    fn rank_at_points<F: Field>(
        &self,
        field: &mut F,
        memos: &mut Vec<Memo<F::Value>>,
        entries: &[Expr],
        columns: usize,
    ) -> Option<usize> {
        let mut largest = None;
        let mut points = 0;
        for attempt in 0..ATTEMPTS {
            if memos.len() <= attempt {
                memos.push(Memo::default());
            }
            let point = Point(attempt as u32);
            let Some(values) = self.sample(field, point, &mut memos[attempt], entries) else { continue };
            let matrix = values.chunks(columns.max(1)).map(<[_]>::to_vec).collect();
            let Some(rank) = rank(field, matrix) else { continue };
            largest = largest.max(Some(rank));
            points += 1;
            if points == POINTS || rank == columns.min(entries.len() / columns.max(1)) {
                break;
            }
        }
        largest
    }

    /// Whether only rational operations occur.
    fn is_rational(&self, roots: &[Expr]) -> bool {
        self.reachable(roots).into_iter().all(|e| match self.node(e) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum(_) | Node::Product(_) => true,
            Node::Power(_, x) => self.as_number(*x).is_some_and(|n| {
                n.is_integer() && n.numer().magnitude().to_u32().is_some_and(|n| n <= modular::MAX_EXPONENT)
            }),
            Node::Call(..) | Node::Atan2(..) | Node::Map(..) => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Function::{self, *};
    use super::*;

    struct Names {
        p: Pool,
        x: Expr,
        y: Expr,
    }

    fn names() -> Names {
        let mut p = Pool::new();
        let (x, y) = (p.symbol("x"), p.symbol("y"));
        Names { p, x, y }
    }

    fn square(p: &mut Pool, e: Expr) -> Expr {
        p.powi(e, 2)
    }

    #[test]
    fn rational_identities() {
        let Names { mut p, x, y } = names();
        // (x + y)^3 - (x^3 + 3 x^2 y + 3 x y^2 + y^3)
        let s = p.add(x, y);
        let cube = p.powi(s, 3);
        let terms: Vec<Expr> = [(1, 3, 0), (3, 2, 1), (3, 1, 2), (1, 0, 3)]
            .into_iter()
            .map(|(c, i, j)| {
                let (c, a, b) = (p.int(c), p.powi(x, i), p.powi(y, j));
                p.product(&[c, a, b])
            })
            .collect();
        let expanded = p.sum(&terms);
        let zero = p.sub(cube, expanded);
        assert!(p.vanishes(zero));
        let tiny = p.ratio(1, i64::MAX);
        let off = p.add(zero, tiny);
        assert!(!p.vanishes(off));
        // 1/x + 1/y - (x + y)/(x y)
        let (rx, ry, xy) = (p.recip(x), p.recip(y), p.mul(x, y));
        let r = p.div(s, xy);
        let minus = p.neg(r);
        let zero = p.sum(&[rx, ry, minus]);
        assert!(p.vanishes(zero));
    }

    #[test]
    fn identities_of_functions() {
        let Names { mut p, x, y } = names();
        let two = p.int(2);
        let angle = p.mul(two, x);
        let (s, c, s2) = (p.call(Sin, x), p.call(Cos, x), p.call(Sin, angle));
        let sc = p.product(&[two, s, c]);
        let double_angle = p.sub(s2, sc);
        assert!(p.vanishes(double_angle));

        let (a, b) = (p.call(Exp, x), p.call(Exp, y));
        let sum = p.add(x, y);
        let (ab, e) = (p.mul(a, b), p.call(Exp, sum));
        let addition = p.sub(ab, e);
        assert!(p.vanishes(addition));

        let (sh, ch) = (p.call(Sinh, x), p.call(Cosh, x));
        let (sh2, ch2, one) = (square(&mut p, sh), square(&mut p, ch), p.one());
        let h = p.sub(ch2, sh2);
        let hyperbolic = p.sub(h, one);
        assert!(p.vanishes(hyperbolic));

        let (t, q) = (p.call(Tan, x), p.div(s, c));
        let tangent = p.sub(t, q);
        assert!(p.vanishes(tangent));

        // tan(atan2(y, x)) = y/x
        let at = p.atan2(y, x);
        let (t, q) = (p.call(Tan, at), p.div(y, x));
        let polar = p.sub(t, q);
        assert!(p.vanishes(polar));
    }

    #[test]
    fn every_function_against_its_inverse() {
        let Names { mut p, x, .. } = names();
        for (f, g) in [(Sin, Asin), (Cos, Acos), (Tan, Atan)] {
            let inner = p.call(g, x);
            let outer = p.call(f, inner);
            let zero = p.sub(outer, x);
            assert!(p.vanishes(zero), "{}", p.show(zero));
        }
        // tanh(x) = (exp(2 x) - 1)/(exp(2 x) + 1), ln(exp(x) exp(x)) = 2 x
        let (e, one, two) = (p.call(Exp, x), p.one(), p.int(2));
        let e2 = square(&mut p, e);
        let (n, d) = (p.sub(e2, one), p.add(e2, one));
        let (t, q) = (p.call(Tanh, x), p.div(n, d));
        let zero = p.sub(t, q);
        assert!(p.vanishes(zero));
        let (l, x2) = (p.call(Ln, e2), p.mul(two, x));
        let zero = p.sub(l, x2);
        assert!(p.vanishes(zero));
    }

    #[test]
    fn roots_have_a_sign() {
        let Names { mut p, x, y } = names();
        let x2 = square(&mut p, x);
        let r = p.sqrt(x2);
        let only_for_positive = p.sub(r, x);
        assert!(!p.vanishes(only_for_positive));
        let squared = square(&mut p, r);
        let zero = p.sub(squared, x2);
        assert!(p.vanishes(zero));
        // Defined only for positive x and y.
        let (rx, ry, xy) = (p.sqrt(x), p.sqrt(y), p.mul(x, y));
        let (a, b) = (p.mul(rx, ry), p.sqrt(xy));
        let zero = p.sub(a, b);
        assert!(p.vanishes(zero));
        let third = p.ratio(1, 3);
        let (a, b, c) = (p.pow(x, third), p.pow(y, third), p.pow(xy, third));
        let ab = p.mul(a, b);
        let zero = p.sub(ab, c);
        assert!(p.vanishes(zero));
        let (xp, yp) = (p.pow(x, y), p.pow(x, third));
        let exponent = p.add(y, third);
        let (ab, c) = (p.mul(xp, yp), p.pow(x, exponent));
        let zero = p.sub(ab, c);
        assert!(p.vanishes(zero));
    }

    #[test]
    fn small_is_not_zero() {
        let Names { mut p, x, .. } = names();
        // 1e-30 sin(x), and (1 + 1e-40) sin(x) - sin(x).
        let s = p.call(Sin, x);
        let power = |p: &mut Pool, n| {
            let ten = p.int(10);
            p.powi(ten, n)
        };
        let tiny = power(&mut p, -30);
        let e = p.mul(tiny, s);
        assert!(!p.vanishes(e));
        let (a, t) = (p.call(Exp, x), power(&mut p, -40));
        let shifted = p.add(x, t);
        let b = p.call(Exp, shifted);
        let difference = p.sub(a, b);
        assert!(!p.vanishes(difference));
        // Zero stays zero at any scale.
        let (c, two) = (p.call(Cos, x), p.int(2));
        let angle = p.mul(two, x);
        let (s2, sc) = (p.call(Sin, angle), p.product(&[two, s, c]));
        let zero = p.sub(s2, sc);
        let scaled = p.mul(zero, tiny);
        assert!(p.vanishes(scaled));
        let nested = p.call(Sin, scaled);
        let nested = p.sqrt(nested);
        let more = p.add(nested, zero);
        assert!(p.vanishes(more));
    }

    #[test]
    fn defined_nowhere_is_not_zero() {
        let Names { mut p, x, .. } = names();
        let (x2, one, zero) = (square(&mut p, x), p.one(), p.zero());
        let s = p.add(x2, one);
        let minus = p.neg(s);
        let (root, log, quotient) = (p.sqrt(minus), p.call(Ln, minus), p.recip(zero));
        for e in [root, log, quotient] {
            assert!(!p.vanishes(e), "{}", p.show(e));
            assert_eq!(p.rank(&[vec![e]]), 1);
        }
    }

    #[test]
    fn extreme_arguments_are_bounded_work() {
        let Names { mut p, x, .. } = names();
        let mut tower = x;
        for _ in 0..8 {
            tower = p.call(Exp, tower);
        }
        assert!(!p.vanishes(tower));
        let big = p.int(i64::MAX);
        let power = p.pow(x, big);
        let s = p.call(Sin, power);
        assert!(!p.vanishes(s));
        let mut square_tower = p.add(x, big);
        for _ in 0..200 {
            let shifted = p.add(square_tower, x);
            square_tower = p.mul(shifted, square_tower);
        }
        assert!(!p.vanishes(square_tower));
    }

    #[test]
    fn answers_do_not_depend_on_earlier_questions() {
        let build = |p: &mut Pool, f: Function| {
            let x = p.symbol("x");
            let (a, b) = (p.call(f, x), p.call(Exp, x));
            p.sub(a, b)
        };
        let mut fresh = Pool::new();
        let mut used = Pool::new();
        for f in Function::ALL {
            let e = build(&mut used, f);
            used.vanishes(e);
        }
        for f in Function::ALL {
            let (a, b) = (build(&mut fresh, f), build(&mut used, f));
            assert_eq!(fresh.vanishes(a), used.vanishes(b));
        }
    }

    #[test]
    fn ranks() {
        let Names { mut p, x, y } = names();
        let (zero, one) = (p.zero(), p.one());
        assert_eq!(p.rank(&[]), 0);
        assert_eq!(p.rank(&[vec![zero, zero]]), 0);
        assert_eq!(p.rank(&[vec![one, zero], vec![x, zero]]), 1);
        assert_eq!(p.rank(&[vec![x, one], vec![one, y]]), 2);
        // Rows that depend through a trigonometric identity: (sin 2x, cos x) = 2 cos x (sin x, 1/2).
        let (two, half) = (p.int(2), p.ratio(1, 2));
        let angle = p.mul(two, x);
        let (s2, c, s) = (p.call(Sin, angle), p.call(Cos, x), p.call(Sin, x));
        assert_eq!(p.rank(&[vec![s2, c], vec![s, half]]), 1);
        assert_eq!(p.rank(&[vec![s2, c], vec![s, one]]), 2);
        // A third row that is a combination of two with transcendental coefficients.
        let e = p.call(Exp, y);
        let rows = [[one, x, s], [y, c, e]];
        let combined: Vec<Expr> = (0..3)
            .map(|j| {
                let (a, b) = (p.mul(s, rows[0][j]), p.mul(e, rows[1][j]));
                p.add(a, b)
            })
            .collect();
        let mut matrix: Vec<Vec<Expr>> = rows.iter().map(|r| r.to_vec()).collect();
        matrix.push(combined);
        assert_eq!(p.rank(&matrix), 2);
        matrix[2][0] = one;
        assert_eq!(p.rank(&matrix), 3);
        // A mass matrix that is singular everywhere, with rational entries: v v^T.
        let v = [x, y, one];
        let outer: Vec<Vec<Expr>> = v.iter().map(|&a| v.iter().map(|&b| p.mul(a, b)).collect()).collect();
        assert_eq!(p.rank(&outer), 1);
    }
}
