//! Zero test and generic rank.
//!
//! What vanishes is decided in exact modular arithmetic, where functions are formal and only their
//! addition theorems hold: see [`modular`](super::modular). No real number can show that something is
//! zero: `asin(sin(x)) - x` is zero near the origin alone, and `sin(1e-40*x) - 1e-40*x` is below any
//! precision. Real numbers with error bounds show that something is not zero. What neither shows is not
//! decided, and nobody may act as if it was.
//!
//! The points are fixed and pseudo-random. The work is linear in the size of the expression graph, and
//! values are kept for the next question about the same pool.

use super::ball::{Ball, Balls};
use super::modular::{MAX_EXPONENT, Residues};
use super::sample::{Field, Memo, Point, rank};
use super::{Expr, Function, Node, Pool};

/// Points at which residues are computed, and those that decide where they are defined. Where roots are
/// taken, half of the points are undefined for each, and the signs of roots have to differ.
const EXACT: Trials = Trials { attempts: 16, points: 4 };
const EXACT_WITH_ROOTS: Trials = Trials { attempts: 400, points: 20 };
/// The real points: two quadruples for each size.
const REAL: Trials = Trials { attempts: 72, points: 72 };

/// How many points are tried, and how many of those where everything is defined are enough.
#[derive(Clone, Copy)]
struct Trials {
    attempts: u32,
    points: usize,
}

/// Whether an expression is zero wherever it is defined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Zero {
    /// It is not zero at some point.
    No,
    /// Neither is known.
    Undecided,
    /// It is zero by the rules of arithmetic and the addition theorems.
    Yes,
}

/// Values at the points.
#[derive(Clone, Default, Debug)]
pub(super) struct Samples {
    residues: Vec<Memo<u64>>,
    balls: Vec<Memo<Ball>>,
}

impl Pool {
    /// Whether `e` is zero wherever it is defined.
    pub fn zero_test(&mut self, e: Expr) -> Zero {
        if self.vanishes(e) {
            Zero::Yes
        } else if self.is_rational(&[e]) && self.exact_rank(&[e], 1) == Some(1) {
            Zero::No
        } else {
            match self.real_rank(&[e], 1) {
                Some(1) => Zero::No,
                _ => Zero::Undecided,
            }
        }
    }

    /// Whether `e` is known to be zero wherever it is defined. False for an expression that is defined
    /// nowhere.
    pub fn vanishes(&mut self, e: Expr) -> bool {
        self.largest_rank(&[e], 1) == Some(0)
    }

    /// The rank of a matrix, given by rows, almost everywhere; where that is not decided the largest that
    /// it may have. So a deficiency is never claimed without evidence.
    pub fn rank(&mut self, rows: &[Vec<Expr>]) -> usize {
        let columns = rows.iter().map(Vec::len).min().unwrap_or(0);
        let entries: Vec<Expr> = rows.iter().flat_map(|row| &row[..columns]).copied().collect();
        self.largest_rank(&entries, columns).unwrap_or(columns.min(rows.len()))
    }

    /// A rank that a matrix, given by rows, has at some point at least.
    pub fn least_rank(&mut self, rows: &[Vec<Expr>]) -> usize {
        let columns = rows.iter().map(Vec::len).min().unwrap_or(0);
        let entries: Vec<Expr> = rows.iter().flat_map(|row| &row[..columns]).copied().collect();
        let exact = match self.is_rational(&entries) {
            true => self.exact_rank(&entries, columns),
            false => None,
        };
        exact.max(self.real_rank(&entries, columns)).unwrap_or(0)
    }

    /// Largest rank that a matrix, given row by row, may have; `None` if it is defined at no point.
    fn largest_rank(&mut self, entries: &[Expr], columns: usize) -> Option<usize> {
        let exact = self.exact_rank(entries, columns)?;
        let full = columns.min(entries.len() / columns.max(1));
        if exact == full || !self.takes_roots(entries) {
            return Some(exact);
        }
        // The signs of constants.
        Some(exact.max(self.real_rank(entries, columns).unwrap_or(0)))
    }

    fn exact_rank(&mut self, entries: &[Expr], columns: usize) -> Option<usize> {
        let trials = if self.takes_roots(entries) { EXACT_WITH_ROOTS } else { EXACT };
        let mut memos = std::mem::take(&mut self.samples.residues);
        let result = self.rank_at_points(&mut Residues, &mut memos, trials, entries, columns);
        self.samples.residues = memos;
        result
    }

    /// Largest rank at a real point: a lower bound.
    fn real_rank(&mut self, entries: &[Expr], columns: usize) -> Option<usize> {
        let mut memos = std::mem::take(&mut self.samples.balls);
        let result = self.rank_at_points(&mut Balls::default(), &mut memos, REAL, entries, columns);
        self.samples.balls = memos;
        result
    }

    fn rank_at_points<F: Field>(
        &self,
        field: &mut F,
        memos: &mut Vec<Memo<F::Value>>,
        trials: Trials,
        entries: &[Expr],
        columns: usize,
    ) -> Option<usize> {
        let mut largest = None;
        let mut points = 0;
        for attempt in 0..trials.attempts {
            let i = attempt as usize;
            if memos.len() <= i {
                memos.push(Memo::default());
            }
            let Some(values) = self.sample(field, Point(attempt), &mut memos[i], entries) else { continue };
            let matrix = values.chunks(columns.max(1)).map(<[_]>::to_vec).collect();
            let Some(rank) = rank(field, matrix) else { continue };
            largest = largest.max(Some(rank));
            points += 1;
            if points == trials.points || rank == columns.min(entries.len() / columns.max(1)) {
                break;
            }
        }
        largest
    }

    /// Whether only rational operations occur.
    fn is_rational(&self, roots: &[Expr]) -> bool {
        self.reachable(roots).into_iter().all(|e| match self.node(e) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum(_) | Node::Product(_) => true,
            Node::Power(_, x) => self
                .as_number(*x)
                .is_some_and(|n| n.is_integer() && *n.numer().magnitude() <= MAX_EXPONENT.into()),
            Node::Call(..) | Node::Atan2(..) | Node::Select(_) | Node::Map(..) | Node::Saddle(..) => false,
        })
    }

    /// Whether some value has a sign that is a matter of choice.
    fn takes_roots(&self, roots: &[Expr]) -> bool {
        use Function::{Acos, Asin, Atan, Ln};
        self.reachable(roots).into_iter().any(|e| match self.node(e) {
            Node::Power(_, x) => !self.as_number(*x).is_some_and(|n| n.is_integer()),
            Node::Call(f, _) => matches!(f, Asin | Acos | Atan | Ln),
            Node::Atan2(..) | Node::Select(_) => true,
            _ => false,
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
        // tanh(x) = (exp(2 x) - 1)/(exp(2 x) + 1)
        let (e, one) = (p.call(Exp, x), p.one());
        let e2 = square(&mut p, e);
        let (n, d) = (p.sub(e2, one), p.add(e2, one));
        let (t, q) = (p.call(Tanh, x), p.div(n, d));
        let zero = p.sub(t, q);
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

    /// What holds on a part of the line only, at every branch another one.
    #[test]
    fn identities_of_one_branch_are_none() {
        let Names { mut p, x, y } = names();
        let (s, c, t) = (p.call(Sin, x), p.call(Cos, x), p.call(Tan, x));
        let x2 = square(&mut p, x);
        let branches =
            [p.call(Asin, s), p.call(Acos, c), p.call(Atan, t), p.atan2(s, c), p.sqrt(x2), p.atan2(y, x)];
        for e in branches {
            let (minus, plus) = (p.sub(e, x), p.add(e, x));
            for zero in [minus, plus] {
                assert_eq!(p.zero_test(zero), Zero::No, "{}", p.show(zero));
            }
            assert_eq!(p.rank(&[vec![e, y], vec![x, y]]), 2);
        }
    }

    /// The signs of constants are the same at every point.
    #[test]
    fn roots_of_constants_have_a_sign() {
        let mut p = Pool::new();
        for n in 2..40 {
            // sqrt((1 - sqrt(n))^2) is sqrt(n) - 1.
            let (one, n) = (p.one(), p.int(n));
            let root = p.sqrt(n);
            let difference = p.sub(one, root);
            let squared = square(&mut p, difference);
            let again = p.sqrt(squared);
            let (right, wrong) = (p.add(again, difference), p.sub(again, difference));
            assert_ne!(p.zero_test(right), Zero::No);
            assert!(p.is_zero(wrong) == (difference == p.zero()));
            assert!(p.is_zero(wrong) || p.zero_test(wrong) == Zero::No, "{}", p.show(wrong));
        }
    }

    /// Neither precision nor range decides.
    #[test]
    fn below_the_precision_nothing_is_decided() {
        let Names { mut p, x, .. } = names();
        let (ten, one, big) = (p.int(10), p.one(), p.int(400));
        let (tiny, tinier) = (p.powi(ten, -40), p.powi(ten, -60));
        let x2 = square(&mut p, x);
        let a = p.mul(tiny, x);
        let s = p.call(Sin, a);
        let sine = p.sub(s, a);
        let b = p.mul(tinier, x2);
        let b = p.add(one, b);
        let root = p.sqrt(b);
        let root = p.sub(root, one);
        let c = p.add(big, x2);
        let t = p.call(Tanh, c);
        let tanh = p.sub(t, one);
        for e in [sine, root, tanh] {
            assert_eq!(p.zero_test(e), Zero::Undecided, "{}", p.show(e));
            assert_eq!(p.rank(&[vec![e]]), 1);
        }
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
