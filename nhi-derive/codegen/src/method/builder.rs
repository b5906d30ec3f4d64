//! Writes one program: binds quantities to named symbols and unrolls small linear solves.

use crate::expr::{Expr, Node, Pool};
use crate::mechanics::{Matrix, Mechanics, coupled_blocks};
use crate::optimise::identifier;
use crate::program::{Newton, Singular, Statement, lets};
use std::collections::{HashMap, HashSet};

/// A program under construction for one system.
pub(super) struct Builder<'a> {
    /// The system; its pool owns all expressions.
    pub(super) x: &'a mut Mechanics,
    body: Vec<Statement>,
    names: HashSet<String>,
    /// Symbols already bound to a value, so that equal quantities are bound once.
    bound: HashMap<Expr, Expr>,
    /// The step size.
    pub(super) h: Expr,
}

/// The norm of Newton's updates; see [`Newton`].
pub(super) struct Norm {
    pub(super) weights: Vec<Expr>,
    pub(super) beside: Expr,
}

/// A point to return to; see [`Builder::scratch`].
pub(super) struct Scratch {
    length: usize,
    names: HashSet<String>,
    bound: HashMap<Expr, Expr>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(x: &'a mut Mechanics) -> Self {
        let system = &x.system;
        let declared = [&system.coordinates, &system.velocities, &system.parameters, &system.inputs];
        let names = declared.into_iter().flatten().map(|x| x.name.clone()).chain(["t".to_owned()]).collect();
        let zero = x.system.pool.zero();
        let mut builder = Builder { x, body: Vec::new(), names, bound: HashMap::new(), h: zero };
        builder.h = builder.local("h");
        builder
    }

    pub(super) fn pool(&mut self) -> &mut Pool {
        &mut self.x.system.pool
    }

    /// x + y.
    pub(super) fn add(&mut self, x: Expr, y: Expr) -> Expr {
        self.pool().add(x, y)
    }

    /// x − y.
    pub(super) fn sub(&mut self, x: Expr, y: Expr) -> Expr {
        self.pool().sub(x, y)
    }

    /// x y.
    pub(super) fn mul(&mut self, x: Expr, y: Expr) -> Expr {
        self.pool().mul(x, y)
    }

    /// c h for a fraction c = `n`/2.
    pub(super) fn halves_of_h(&mut self, n: i64) -> Expr {
        let c = self.pool().ratio(n, 2);
        let h = self.h;
        self.mul(c, h)
    }

    /// The statements written.
    pub(super) fn finish(self) -> Vec<Statement> {
        self.body
    }

    /// A symbol whose name is unique in this program.
    pub(super) fn local(&mut self, name: &str) -> Expr {
        let mut unique = name.to_owned();
        let mut i = 2;
        while !self.names.insert(unique.clone()) {
            unique = format!("{name}_{i}");
            i += 1;
        }
        self.pool().symbol(&unique)
    }

    /// Symbols `prefix`, or `prefix_0`, `prefix_1`, … if there are several.
    pub(super) fn locals(&mut self, prefix: &str, count: usize) -> Vec<Expr> {
        if count == 1 {
            return vec![self.local(prefix)];
        }
        (0..count).map(|i| self.local(&format!("{prefix}_{i}"))).collect()
    }

    /// `prefix` + the `i`-th direction + `suffix`: a coordinate, or a velocity of the body, which is
    /// no derivative of anything with a name.
    pub(super) fn along(&self, prefix: &str, i: usize, suffix: &str) -> String {
        let system = &self.x.system;
        let k = system.shape();
        let (prefix, name) = match system.velocities[i].name.as_str() {
            _ if i < k => (prefix, &system.coordinates[i].name),
            _ if prefix == "dot_" => ("", &system.velocities[i].name),
            _ => (prefix, &system.velocities[i].name),
        };
        format!("{prefix}{}{suffix}", identifier(name))
    }

    /// One symbol per direction, named as by [`Builder::along`].
    pub(super) fn velocity_symbols(&mut self, prefix: &str, suffix: &str) -> Vec<Expr> {
        (0..self.x.n())
            .map(|i| {
                let name = self.along(prefix, i, suffix);
                self.local(&name)
            })
            .collect()
    }

    /// States the equation that the next statements implement.
    pub(super) fn equation(&mut self, text: impl Into<String>) {
        self.body.push(Statement::Equation(text.into()));
    }

    /// A symbol for `value`; numbers and symbols stand for themselves.
    pub(super) fn bind(&mut self, name: &str, value: Expr) -> Expr {
        if matches!(self.pool().node(value), Node::Number(_) | Node::Symbol(_) | Node::Pi) {
            return value;
        }
        if let Some(&symbol) = self.bound.get(&value) {
            return symbol;
        }
        let symbol = self.local(name);
        self.bound.insert(value, symbol);
        self.body.push(Statement::Let { symbol, value });
        symbol
    }

    /// Binds one value per direction, named as by [`Builder::along`].
    pub(super) fn bind_velocities(&mut self, prefix: &str, suffix: &str, values: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::with_capacity(values.len());
        for (i, &value) in values.iter().enumerate() {
            let name = self.along(prefix, i, suffix);
            out.push(self.bind(&name, value));
        }
        out
    }

    /// Binds a configuration, entry by entry: name + `suffix`.
    pub(super) fn bind_configuration(&mut self, suffix: &str, values: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::with_capacity(values.len());
        for (i, &value) in values.iter().enumerate() {
            let name = format!("{}{suffix}", identifier(&self.x.system.coordinates[i].name));
            out.push(self.bind(&name, value));
        }
        out
    }

    /// Binds one value per constraint.
    pub(super) fn bind_forms(&mut self, prefix: &str, values: &[Expr]) -> Vec<Expr> {
        let several = values.len() > 1;
        let mut out = Vec::with_capacity(values.len());
        for (a, &value) in values.iter().enumerate() {
            let name = if several { format!("{prefix}_{a}") } else { prefix.to_owned() };
            out.push(self.bind(&name, value));
        }
        out
    }

    /// `exprs`, given in the system's (q, v, t), at another point.
    pub(super) fn at(&mut self, exprs: &[Expr], q: &[Expr], v: &[Expr], t: Expr) -> Vec<Expr> {
        let mut map: HashMap<Expr, Expr> = HashMap::new();
        map.extend(self.x.q.iter().copied().zip(q.iter().copied()));
        map.extend(self.x.v.iter().copied().zip(v.iter().copied()));
        map.insert(self.x.system.t, t);
        self.pool().substitute(exprs, &map)
    }

    /// L_q + f as functions of (q, v, t).
    pub(super) fn forces(&mut self) -> Vec<Expr> {
        let (l_q, f) = (self.x.dl_dq.clone(), self.x.force.clone());
        l_q.into_iter().zip(f).map(|(a, b)| self.add(a, b)).collect()
    }

    /// A matrix of functions of q at another configuration.
    pub(super) fn matrix_at(&mut self, matrix: &Matrix, q: &[Expr]) -> Matrix {
        let columns = matrix.first().map_or(0, Vec::len);
        if columns == 0 {
            return matrix.clone();
        }
        let (v, t) = (self.x.v.clone(), self.x.system.t);
        let flat = self.at(&matrix.concat(), q, &v, t);
        flat.chunks(columns).map(<[Expr]>::to_vec).collect()
    }

    /// a + c·b, entry by entry.
    pub(super) fn axpy(&mut self, a: &[Expr], c: Expr, b: &[Expr]) -> Vec<Expr> {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| {
                let cb = self.pool().mul(c, b);
                self.pool().add(a, cb)
            })
            .collect()
    }

    /// A·x for a matrix given by rows.
    pub(super) fn apply(&mut self, a: &Matrix, x: &[Expr]) -> Vec<Expr> {
        a.iter().map(|row| crate::mechanics::dot(self.pool(), row, x)).collect()
    }

    /// Aᵀ·x for a matrix of `columns` columns given by rows.
    pub(super) fn apply_transposed(&mut self, a: &Matrix, x: &[Expr], columns: usize) -> Vec<Expr> {
        (0..columns)
            .map(|j| {
                let column: Vec<Expr> = a.iter().map(|row| row[j]).collect();
                crate::mechanics::dot(self.pool(), &column, x)
            })
            .collect()
    }

    /// The function fails with `what` if `pivot` is not positive relative to `diagonal`.
    pub(super) fn pivot(&mut self, pivot: Expr, diagonal: Expr, what: Singular) {
        self.body.push(Statement::Pivot { pivot, diagonal, what });
    }

    /// Starts a trial: later bindings can be [discarded](Self::discard).
    pub(super) fn scratch(&self) -> Scratch {
        Scratch { length: self.body.len(), names: self.names.clone(), bound: self.bound.clone() }
    }

    /// Forgets everything bound since `scratch`.
    pub(super) fn discard(&mut self, scratch: Scratch) {
        self.body.truncate(scratch.length);
        self.names = scratch.names;
        self.bound = scratch.bound;
    }

    /// `exprs` with everything bound since `scratch` replaced by its value.
    pub(super) fn close(&mut self, exprs: &[Expr], scratch: &Scratch) -> Vec<Expr> {
        let mut exprs = exprs.to_vec();
        for i in (scratch.length..self.body.len()).rev() {
            if let Statement::Let { symbol, value } = self.body[i] {
                exprs = self.pool().substitute(&exprs, &HashMap::from([(symbol, value)]));
            }
        }
        exprs
    }

    /// Solves A X = R for a symmetric positive definite A, block by block of coupled unknowns,
    /// by LDLᵀ; `what` is the failure if a pivot is not positive. X is n × (columns of R).
    pub(super) fn solve_definite(&mut self, what: Singular, a: &Matrix, rhs: &Matrix) -> Matrix {
        let mut x = rhs.clone();
        for block in coupled_blocks(self.pool(), a) {
            let sub = block.iter().map(|&i| block.iter().map(|&j| a[i][j]).collect()).collect();
            let r: Matrix = block.iter().map(|&i| rhs[i].clone()).collect();
            if r.iter().flatten().all(|&e| self.pool().is_zero(e)) {
                continue;
            }
            let solution = self.eliminate(&sub, &r, Some(what));
            for (i, row) in block.into_iter().zip(solution) {
                x[i] = row;
            }
        }
        x
    }

    /// Solves A X = R by elimination in the given order, without exchanges: for matrices whose
    /// leading blocks are regular by construction, such as M + O(h) before the Schur complement. Velocities that a
    /// constraint gives at once and the impulses that keep them are eliminated before, which leaves such a matrix for
    /// the others.
    pub(super) fn solve_ordered(&mut self, a: &Matrix, rhs: &Matrix) -> Matrix {
        let pairs = given_at_once(self.pool(), a);
        let others: Vec<usize> = (0..a.len()).filter(|i| !pairs.as_flattened().contains(i)).collect();
        // The constraint's row with the velocity's column as pivot, then the other way round.
        let rows: Vec<usize> =
            pairs.iter().flat_map(|&[c, j]| [c, j]).chain(others.iter().copied()).collect();
        let columns: Vec<usize> = pairs.iter().flat_map(|&[c, j]| [j, c]).chain(others).collect();
        let ordered = rows.iter().map(|&i| columns.iter().map(|&j| a[i][j]).collect()).collect();
        let ordered_rhs = rows.iter().map(|&i| rhs[i].clone()).collect();
        let mut solution = rhs.clone();
        for (j, x) in columns.into_iter().zip(self.eliminate(&ordered, &ordered_rhs, None)) {
            solution[j] = x;
        }
        solution
    }

    /// Elimination without exchanges, row by row; the right-hand sides are carried along as further
    /// columns.
    fn eliminate(&mut self, a: &Matrix, rhs: &Matrix, definite: Option<Singular>) -> Matrix {
        let n = a.len();
        let mut rows: Matrix = a.iter().zip(rhs).map(|(a, r)| [a.as_slice(), r].concat()).collect();
        for k in 0..n {
            let pivot = self.bind("pivot", rows[k][k]);
            rows[k][k] = pivot;
            if let Some(what) = definite {
                let diagonal = self.bind("diagonal", a[k][k]);
                self.pivot(pivot, diagonal, what);
            }
            let (done, below) = rows.split_at_mut(k + 1);
            let pivot_row = &done[k];
            for row in below {
                if self.pool().is_zero(row[k]) {
                    continue;
                }
                let factor = self.pool().div(row[k], pivot);
                let factor = self.bind("factor", factor);
                for (entry, &above) in row.iter_mut().zip(pivot_row).skip(k + 1) {
                    *entry = self.subtract_product(*entry, factor, above);
                }
            }
        }
        let mut solution: Matrix = Vec::new();
        for (i, row) in rows.iter().enumerate().rev() {
            let mut x = row[n..].to_vec();
            for (&coefficient, known) in row[i + 1..n].iter().zip(solution.iter().rev()) {
                for (x, &known) in x.iter_mut().zip(known) {
                    let product = self.mul(coefficient, known);
                    *x = self.sub(*x, product);
                }
            }
            for x in &mut x {
                let quotient = self.pool().div(*x, row[i]);
                *x = if n == 1 { quotient } else { self.bind("solved", quotient) };
            }
            solution.push(x);
        }
        solution.reverse();
        solution
    }

    /// Solves two equations, rows of coefficients and right-hand side, by Cramer's rule: with one division, while
    /// elimination has two on its critical path.
    fn solve_pair(&mut self, [a, b]: [[Expr; 3]; 2]) -> Matrix {
        let a = a.map(|e| self.bind("entry", e));
        let b = b.map(|e| self.bind("entry", e));
        let mut minor = |i: usize, j: usize| {
            let products = [(a[i], b[j]), (a[j], b[i])].map(|(x, y)| self.mul(x, y));
            self.sub(products[0], products[1])
        };
        let [det, first, second] = [minor(0, 1), minor(2, 1), minor(0, 2)];
        let det = self.bind("det", det);
        [first, second].map(|x| vec![self.pool().div(x, det)]).to_vec()
    }

    fn subtract_product(&mut self, from: Expr, a: Expr, b: Expr) -> Expr {
        let product = self.mul(a, b);
        if self.pool().is_zero(product) {
            return from;
        }
        let value = self.sub(from, product);
        self.bind("reduced", value)
    }

    /// Writes a Newton iteration from `guess`, with updates measured by `norm`. Everything that `body`
    /// binds stays inside the loop. Its results are the residuals; the update follows from their total
    /// derivatives.
    pub(super) fn newton(
        &mut self,
        unknowns: &[Expr],
        guess: &[Expr],
        norm: Norm,
        body: impl FnOnce(&mut Self) -> Vec<Expr>,
    ) {
        let outside = std::mem::take(&mut self.body);
        let bound_outside = self.bound.clone();
        let residual = body(self);
        let jacobian = self.total_jacobian(&residual, unknowns);
        let mut minus = Vec::with_capacity(residual.len());
        for &r in &residual {
            minus.push(vec![self.pool().neg(r)]);
        }
        self.equation("Newton update: J·delta = −residual");
        let delta = match (&*jacobian, &*minus) {
            ([a, b], [r, s]) if !self.pool().is_zero(a[1]) && !self.pool().is_zero(b[0]) => {
                self.solve_pair([[a[0], a[1], r[0]], [b[0], b[1], s[0]]])
            }
            _ => self.solve_ordered(&jacobian, &minus),
        };
        let slopes = match (unknowns, &*jacobian) {
            ([x], [slope]) => self.slopes(*x, slope[0]),
            _ => Vec::new(),
        };
        let inside = std::mem::replace(&mut self.body, outside);
        self.bound = bound_outside;
        self.body.push(Statement::Newton(Newton {
            unknowns: unknowns.to_vec(),
            guess: guess.to_vec(),
            otherwise: Vec::new(),
            weights: norm.weights,
            beside: norm.beside,
            body: inside,
            delta: delta.into_iter().map(|row| row[0]).collect(),
            slopes,
            kept: Vec::new(),
        }));
    }

    /// F′, F″ and F‴ for the `slope` F′ of one equation for `x`.
    fn slopes(&mut self, x: Expr, slope: Expr) -> Vec<Expr> {
        let mut derivative = slope;
        let mut all = vec![self.bind("pivot", slope)];
        for _ in 0..2 {
            derivative = self.total_jacobian(&[derivative], &[x])[0][0];
            all.push(derivative);
        }
        all
    }

    /// ∂residual/∂unknowns through everything bound in the body so far.
    pub(super) fn total_jacobian(&mut self, residual: &[Expr], unknowns: &[Expr]) -> Matrix {
        // d symbol / d unknowns, for the symbols that depend on them, in order of binding.
        let mut symbols: Vec<Expr> = unknowns.to_vec();
        let mut d: Vec<Vec<Expr>> = Vec::new();
        for i in 0..unknowns.len() {
            d.push((0..unknowns.len()).map(|j| self.pool().int(i64::from(i == j))).collect());
        }
        for (symbol, value) in lets(&self.body).collect::<Vec<_>>() {
            if self.pool().depends_on(value, &symbols) {
                let row = self.chain(value, &symbols, &d, unknowns.len());
                symbols.push(symbol);
                d.push(row);
            }
        }
        residual.iter().map(|&r| self.chain(r, &symbols, &d, unknowns.len())).collect()
    }

    /// Chain rule: Σ ∂e/∂symbol · d symbol.
    fn chain(&mut self, e: Expr, symbols: &[Expr], d: &[Vec<Expr>], columns: usize) -> Vec<Expr> {
        let partial = self.pool().gradient(e, symbols);
        (0..columns)
            .map(|j| {
                let column: Vec<Expr> = d.iter().map(|row| row[j]).collect();
                crate::mechanics::dot(self.pool(), &partial, &column)
            })
            .collect()
    }
}

/// Pairs of an equation c without its own unknown (a constraint) and an equation j with it (of a velocity) that are
/// coupled only by numbers: a_cj and a_jc are pivots in every state. The elimination of a pair does not change the others.
fn given_at_once(pool: &Pool, a: &Matrix) -> Vec<[usize; 2]> {
    let is_zero = |i: usize, j: usize| pool.is_zero(a[i][j]);
    let is_pivot = |i: usize, j: usize| !is_zero(i, j) && pool.as_number(a[i][j]).is_some();
    let coupled = |j: usize| (0..a.len()).filter(|&i| !is_zero(i, j)).count();
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for c in (0..a.len()).filter(|&c| is_zero(c, c)) {
        let is_free = |j: usize| {
            pairs
                .iter()
                .all(|&[d, k]| j != k && (is_zero(c, k) || is_zero(d, j)) && (is_zero(k, c) || is_zero(j, d)))
        };
        let velocities = (0..a.len()).filter(|&j| !is_zero(j, j));
        let given = velocities.filter(|&j| is_pivot(c, j) && is_pivot(j, c) && is_free(j));
        pairs.extend(given.min_by_key(|&j| coupled(j)).map(|j| [c, j]));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0, numbers, or `x` for any other expression.
    fn matrix<const N: usize>(pool: &mut Pool, entries: [[&str; N]; N]) -> Matrix {
        let entry = |pool: &mut Pool, text: &str| match text.parse() {
            Ok(number) => pool.int(number),
            Err(_) => pool.symbol(text),
        };
        entries.map(|row| row.map(|text| entry(pool, text)).to_vec()).to_vec()
    }

    #[test]
    fn velocities_given_at_once_are_those_that_numbers_couple_to_a_constraint() {
        let mut pool = Pool::default();
        // A sleigh: a ω − v⊥ = 0.
        let sleigh =
            [["x", "0", "x", "x"], ["x", "x", "x", "0"], ["x", "x", "x", "-1"], ["x", "0", "-1", "0"]];
        let sleigh = matrix(&mut pool, sleigh);
        assert_eq!(given_at_once(&pool, &sleigh), [[3, 2]]);
        // The second constraint contains the velocity of the first, so its number would change.
        let coupled =
            [["x", "0", "1", "x"], ["0", "x", "x", "1"], ["1", "x", "0", "0"], ["x", "1", "0", "0"]];
        let coupled = matrix(&mut pool, coupled);
        assert_eq!(given_at_once(&pool, &coupled), [[2, 0]]);
        let apart = [["x", "0", "1", "0"], ["0", "x", "x", "1"], ["1", "x", "0", "0"], ["0", "1", "0", "0"]];
        let apart = matrix(&mut pool, apart);
        assert_eq!(given_at_once(&pool, &apart), [[2, 0], [3, 1]]);
    }
}
