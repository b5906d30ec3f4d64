//! A basis of the admissible velocities, made orthonormal by a Cholesky factorisation, and how it turns.
//!
//! ```text
//! v = X(q, t) η + w(q, t),   μ X = 0,   μ w + μ₀ = 0,   G = XᵀM X = L D Lᵀ,   g = XᵀM w.
//! ```
//!
//! X and w are those that derivatives of steps refer to, in the order in which L has the fewest entries. The components of the
//! method are ν = N⁻¹ζ for ζ = D⁻¹L⁻¹XᵀM v = Lᵀη + D⁻¹L⁻¹g, with N = D^(−1/2), and N = 1 where an entry of D is constant: a
//! constant factor of a column does not change the method. They are the same for every w. L and D are numbers of a step, and no
//! functions of q are made of them. Unless inputs drive constraints, η is read from v by Y with Y X = 1 and Y w = 0, mostly a
//! selection: the rounding of what is constant in D⁻¹L⁻¹XᵀM would multiply the components by the same number in every step.
//!
//! The kinetic energy of the equations of motion (Hamel) is in
//!
//! ```text
//! N_a (Σ_b W_ab ζ_b + W_aw),   W_ab = −W_ba = T_ab for a < b,   W_aw = (L⁻¹(S + ½Ġ))_aw − Σ_b T_ab (D⁻¹L⁻¹g)_b,
//! T = L⁻¹(S + ½Ġ)L⁻ᵀ,   S_ab = Σ_c E_abc η_c,   Ġ = Σ_c η_c X_c(G),
//! E_abc = ⟨M X_c, [X_b, X_a]⟩ + ½ (X_a(G_bc) − X_b(G_ac)),
//! ```
//!
//! where w counts as a further column with η = 1 and contains ∂/∂t, G has the further column g, and X(f) is the derivative along X.
//! L̇ follows from Ġ, whose part below the diagonal it removes. What is skew does no work.

use crate::engine::{BuiltIn, Engine};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Node, Zero};
use crate::method::builder::{Builder, least_degree, names_of_forms};
use crate::method::derivative::{TangentBasis, tangent_basis};
use crate::program::Singular;

/// An entry of more operations is not simplified.
const LONG: usize = 200;

/// The basis in terms of q and t.
pub(super) struct Basis {
    /// X, by columns.
    columns: Matrix,
    /// w.
    drift: Vec<Expr>,
    /// G.
    gram: Matrix,
    /// g.
    along: Vec<Expr>,
    /// Whether an entry of D varies, so that the components have N = D^(−1/2) there.
    varies: Vec<bool>,
    /// The rows of XᵀM; of D⁻¹XᵀM, as far as D is constant, if L is the identity.
    dual: Matrix,
    /// The rows of Y, unless inputs drive constraints.
    reading: Option<Matrix>,
    /// Whether L is the identity.
    is_orthogonal: bool,
    /// E.
    turns: Vec<Coefficients>,
    /// X_c(G), if L is not the identity or g is not zero: pairs with a ≥ b, and those with w.
    stretches: Vec<Coefficients>,
    /// Whether this entry of W ζ vanishes, as that of a coordinate that drives others.
    is_uniform: Vec<bool>,
}

/// One number per column c, for a pair of columns.
struct Coefficients {
    a: usize,
    /// The number of columns stands for w.
    b: usize,
    by: Vec<Expr>,
}

/// The basis at a point.
pub(super) struct Frame {
    /// X, by columns.
    columns: Matrix,
    /// w.
    pub(super) drift: Vec<Expr>,
    /// The rows of L before their 1.
    lower: Matrix,
    /// D⁻¹L⁻¹g.
    offset: Vec<Expr>,
    /// N, and N⁻¹.
    norms: Vec<Expr>,
    inverse_norms: Vec<Expr>,
    /// D where it is constant, and 1 where N ≠ 1: the weights of the squares of ν in twice the kinetic energy.
    pub(super) weights: Vec<Expr>,
    /// As in [`Basis`].
    dual: Matrix,
    reading: Option<Matrix>,
    is_orthogonal: bool,
}

/// Gives a value a name.
pub(super) type Bind<'a> = &'a mut dyn FnMut(&mut Builder<'_>, &str, Expr) -> Expr;

impl Basis {
    pub(super) fn of(b: &mut Builder<'_>) -> Basis {
        let TangentBasis { basis, drift, components, .. } = tangent_basis(b.x);
        let t = b.x.system.t;
        let d = basis.first().map_or(0, Vec::len);
        let given: Matrix = (0..d).map(|k| basis.iter().map(|row| simple(b, row[k])).collect()).collect();
        let mass = b.x.mass.clone();
        let moved: Matrix = given.iter().map(|x| b.apply(&mass, x)).collect();
        let mut gram = vec![vec![b.pool().zero(); d]; d];
        for k in 0..d {
            for l in k..d {
                let entry = dot(b.pool(), &given[k], &moved[l]);
                gram[k][l] = simple(b, entry);
                gram[l][k] = gram[k][l];
            }
        }
        let order: Vec<usize> =
            least_degree(b.pool(), &gram, Vec::new()).iter().map(|pivot| pivot[0]).collect();
        let columns: Matrix = order.iter().map(|&k| given[k].clone()).collect();
        let gram: Matrix =
            order.iter().map(|&k| order.iter().map(|&l| gram[k][l]).collect::<Vec<Expr>>()).collect();
        let dual: Matrix = order.iter().map(|&k| moved[k].iter().map(|&e| simple(b, e)).collect()).collect();

        let (lower, squares) = factors(b, &gram, &mut |b, _, e| simple(b, e));
        let places: Vec<Expr> = b.x.q.iter().copied().chain([t]).collect();
        let varies: Vec<bool> = squares.iter().map(|&e| b.pool().depends_on(e, &places)).collect();
        // The inputs before the velocity are not known.
        let inputs = b.x.system.input_symbols();
        let is_driven = drift.iter().any(|&e| b.pool().depends_on(e, &inputs));
        let reading = (!is_driven).then(|| order.iter().map(|&k| components[k].clone()).collect());
        let along: Vec<Expr> = b.apply(&dual, &drift).into_iter().map(|e| simple(b, e)).collect();
        let is_orthogonal = lower.iter().flatten().all(|&e| b.pool().is_zero(e));
        let (turns, stretches, is_uniform) = (Vec::new(), Vec::new(), vec![false; d]);
        let mut basis = Basis {
            columns,
            drift,
            gram,
            along,
            varies,
            dual,
            reading,
            is_orthogonal,
            turns,
            stretches,
            is_uniform,
        };
        (basis.turns, basis.stretches) = basis.changes(b);
        basis.is_uniform = basis.vanishing_rows(b);
        if is_orthogonal {
            for ((row, square), &varies) in basis.dual.iter_mut().zip(squares).zip(&basis.varies) {
                if !varies {
                    let factor = b.pool().recip(square);
                    let scaled: Vec<Expr> = row.iter().map(|&e| b.mul(factor, e)).collect();
                    *row = scaled.into_iter().map(|e| simple(b, e)).collect();
                }
            }
        }
        basis
    }

    /// Number of columns of X.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// X at (q, t), by columns.
    pub(super) fn columns_at(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr) -> Matrix {
        b.matrix_at(&self.columns, q, t)
    }

    /// The diagonal of G at (q, t).
    pub(super) fn diagonal(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr) -> Vec<Expr> {
        let diagonal: Vec<Expr> = (0..self.len()).map(|k| self.gram[k][k]).collect();
        let v = b.x.v.clone();
        b.at(&diagonal, q, &v, t)
    }

    /// ½ pᵀG⁻¹p in terms of the coordinates.
    pub(super) fn kinetic(&self, b: &mut Builder<'_>, p: &[Expr]) -> Expr {
        let (lower, squares) = factors(b, &self.gram, &mut |b, _, e| simple(b, e));
        let parts = forwards(b, &lower, p.to_vec());
        let half = b.pool().ratio(1, 2);
        let mut terms = Vec::with_capacity(parts.len());
        for (part, square) in parts.into_iter().zip(squares) {
            let energy = b.pool().powi(part, 2);
            let energy = b.mul(half, energy);
            terms.push(b.pool().div(energy, square));
        }
        b.pool().sum(&terms)
    }

    /// −⟨M X η, [X_a, X_b]⟩ at (q, t).
    pub(super) fn structure(&self, b: &mut Builder<'_>, eta: &[Expr], (q, t): (&[Expr], Expr)) -> Matrix {
        let (d, v, mass) = (self.len(), b.x.v.clone(), b.x.mass.clone());
        let momenta: Matrix = self.columns.iter().map(|column| b.apply(&mass, column)).collect();
        let mut all = vec![vec![b.pool().zero(); d]; d];
        let pairs = (0..d).flat_map(|a| (a + 1..d).map(move |other| (a, other)));
        for (a, other) in pairs {
            let bracket = self.bracket(b, &self.columns, a, other);
            let mut by = Vec::with_capacity(d);
            for momentum in &momenta {
                let entry = dot(b.pool(), momentum, &bracket);
                by.push(simple(b, entry));
            }
            let by = b.at(&by, q, &v, t);
            let turn = dot(b.pool(), &by, &eta[..d]);
            all[a][other] = b.pool().neg(turn);
            all[other][a] = turn;
        }
        all
    }

    /// E, and X_c(G) where L is not the identity, as far as they do not vanish.
    fn changes(&self, b: &mut Builder<'_>) -> (Vec<Coefficients>, Vec<Coefficients>) {
        let d = self.len();
        let mass = b.x.mass.clone();
        let fields: Matrix = self.columns.iter().chain([&self.drift]).cloned().collect();
        let momentum = b.apply(&mass, &self.drift);
        let momenta: Matrix = self.dual.iter().cloned().chain([momentum]).collect();
        let square = dot(b.pool(), &self.drift, &momenta[d]);
        let square = simple(b, square);
        // G with w as a further column.
        let mut gram: Matrix =
            self.gram.iter().zip(&self.along).map(|(row, &g)| [row.as_slice(), &[g]].concat()).collect();
        gram.push([self.along.as_slice(), &[square]].concat());
        let half = b.pool().ratio(1, 2);
        let nonzero = |b: &mut Builder<'_>, a: usize, other: usize, by: Vec<Expr>| {
            by.iter().any(|&e| !b.pool().is_zero(e)).then_some(Coefficients { a, b: other, by })
        };
        let (mut turns, mut stretches) = (Vec::new(), Vec::new());
        for a in 0..d {
            for other in a + 1..=d {
                let bracket = self.bracket(b, &fields, other, a);
                let mut by = Vec::with_capacity(d + 1);
                for c in 0..=d {
                    let forwards = self.rate(b, &fields, a, gram[other][c]);
                    let backwards = self.rate(b, &fields, other, gram[a][c]);
                    let change = b.sub(forwards, backwards);
                    let change = b.mul(half, change);
                    let of_bracket = dot(b.pool(), &momenta[c], &bracket);
                    let entry = b.add(of_bracket, change);
                    by.push(simple(b, entry));
                }
                turns.extend(nonzero(b, a, other, by));
            }
        }
        if !self.is_orthogonal || self.along.iter().any(|&g| !b.pool().is_zero(g)) {
            for (a, row) in gram.iter().enumerate().take(d) {
                for other in (0..=a).chain([d]) {
                    let mut by = Vec::with_capacity(d + 1);
                    for c in 0..=d {
                        let rate = self.rate(b, &fields, c, row[other]);
                        by.push(simple(b, rate));
                    }
                    stretches.extend(nonzero(b, a, other, by));
                }
            }
        }
        (turns, stretches)
    }

    /// The derivative of a function of q and t along a field; the last one, w, contains ∂/∂t.
    fn rate(&self, b: &mut Builder<'_>, fields: &Matrix, field: usize, e: Expr) -> Expr {
        let (q, t, anchor) = (b.x.q.clone(), b.x.system.t, b.x.anchor.clone());
        let mut terms = Vec::new();
        for (&q, row) in q.iter().zip(&anchor) {
            if b.pool().depends_on(e, &[q]) {
                let slope = b.pool().derivative(e, q);
                let rate = dot(b.pool(), row, &fields[field]);
                terms.push(b.mul(slope, rate));
            }
        }
        if field == self.len() {
            terms.push(b.pool().derivative(e, t));
        }
        b.pool().sum(&terms)
    }

    /// [first, second], velocities of bodies along the basis of the Lie algebra.
    fn bracket(&self, b: &mut Builder<'_>, fields: &Matrix, first: usize, second: usize) -> Vec<Expr> {
        let k = b.x.system.shape();
        let mut bracket = Vec::with_capacity(fields[first].len());
        for i in 0..fields[first].len() {
            let forwards = self.rate(b, fields, first, fields[second][i]);
            let backwards = self.rate(b, fields, second, fields[first][i]);
            bracket.push(b.sub(forwards, backwards));
        }
        let group = b.x.system.group.clone();
        if !group.is_trivial() {
            let ad = group.ad(b.pool(), &fields[first][k..]);
            let turned = b.apply(&ad, &fields[second][k..]);
            for (entry, turned) in bracket[k..].iter_mut().zip(turned) {
                *entry = b.add(*entry, turned);
            }
        }
        bracket.into_iter().map(|e| simple(b, e)).collect()
    }

    /// The basis at (q, t), with names for the factors of G.
    pub(super) fn at(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr, bind: Bind<'_>) -> Frame {
        let gram = b.matrix_at(&self.gram, q, t);
        self.with_factors(b, q, t, &gram, bind)
    }

    fn with_factors(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr, gram: &Matrix, bind: Bind<'_>) -> Frame {
        let (v, one) = (b.x.v.clone(), b.pool().one());
        let columns = b.matrix_at(&self.columns, q, t);
        let drift = b.at(&self.drift, q, &v, t);
        let dual = b.matrix_at(&self.dual, q, t);
        let reading = self.reading.as_ref().map(|reading| b.matrix_at(reading, q, t));
        let (lower, squares) = factors(b, gram, bind);
        let along = b.at(&self.along, q, &v, t);
        let along = forwards(b, &lower, along);
        let mut offset = Vec::with_capacity(along.len());
        for (&along, &square) in along.iter().zip(&squares) {
            let part = b.pool().div(along, square);
            offset.push(bind(b, "offset", part));
        }
        let minus_half = b.pool().ratio(-1, 2);
        let (mut norms, mut inverse_norms, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for ((name, &square), &varies) in
            names_of_forms("norm", self.len()).iter().zip(&squares).zip(&self.varies)
        {
            let norm = b.pool().pow(square, minus_half);
            let norm = if varies { bind(b, name, norm) } else { one };
            norms.push(norm);
            inverse_norms.push(if varies { b.mul(square, norm) } else { one });
            weights.push(if varies { one } else { square });
        }
        let is_orthogonal = self.is_orthogonal;
        Frame { columns, drift, lower, offset, norms, inverse_norms, weights, dual, reading, is_orthogonal }
    }

    /// The same, bound, where the function fails if a column vanishes beside the others.
    pub(super) fn tested_at(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr, suffix: &str) -> Frame {
        let what = if b.x.m() == 0 { Singular::Mass } else { Singular::Constraints };
        let gram = b.matrix_at(&self.gram, q, t);
        let mut row = 0;
        self.with_factors(b, q, t, &gram, &mut |b, name, value| {
            let bound = b.bind(&format!("{name}{suffix}"), value);
            if name != SQUARE {
                return bound;
            }
            let diagonal = b.bind("diagonal", gram[row][row]);
            b.pivot(bound, diagonal, what, row);
            row += 1;
            // Constants cancel.
            if self.varies[row - 1] { bound } else { value }
        })
    }

    /// Which entries of W ζ vanish for all q and ζ, as far as their expressions are short enough to tell.
    fn vanishing_rows(&self, b: &mut Builder<'_>) -> Vec<bool> {
        let (q, v, t) = (b.x.q.clone(), b.x.v.clone(), b.x.system.t);
        let one = b.pool().one();
        let names = names_of_forms("part", self.len());
        let parts: Vec<Expr> = names.iter().map(|name| b.local(name)).chain([one]).collect();
        let mut is_long = false;
        let mut short = |b: &mut Builder<'_>, _: &str, e: Expr| {
            is_long |= b.pool().cost(&[e]).weight() > LONG;
            if is_long { one } else { e }
        };
        let frame = self.at(b, &q, t, &mut short);
        let eta = frame.eta(b, &parts, &mut short);
        let turns = self.turns(b, &frame, &eta, (&q, &v, t), &mut short);
        if is_long {
            return vec![false; self.len()];
        }
        let mut rows = vec![Vec::new(); self.len()];
        for (a, other, turn) in turns {
            rows[a].push(b.mul(turn, parts[other]));
        }
        let mut vanish = Vec::with_capacity(rows.len());
        for terms in rows {
            let entry = b.pool().sum(&terms);
            vanish.push(b.pool().vanishes(entry));
        }
        vanish
    }

    /// The numbers W_ab with their places, without those of rows in which W ζ vanishes.
    pub(super) fn turns(
        &self,
        b: &mut Builder<'_>,
        frame: &Frame,
        eta: &[Expr],
        (q, v, t): (&[Expr], &[Expr], Expr),
        bind: Bind<'_>,
    ) -> Vec<(usize, usize, Expr)> {
        let d = self.len();
        let zero = b.pool().zero();
        // S + ½Ġ.
        let mut all = vec![vec![zero; d + 1]; d];
        for turn in &self.turns {
            let by = b.at(&turn.by, q, v, t);
            let value = dot(b.pool(), &by, eta);
            let value = bind(b, "turn", value);
            all[turn.a][turn.b] = value;
            if turn.b < d {
                all[turn.b][turn.a] = b.pool().neg(value);
            }
        }
        let half = b.pool().ratio(1, 2);
        for stretch in &self.stretches {
            let by = b.at(&stretch.by, q, v, t);
            let value = dot(b.pool(), &by, eta);
            let value = b.mul(half, value);
            let value = bind(b, "stretch", value);
            let places = [(stretch.a, stretch.b), (stretch.b, stretch.a)];
            let places = if stretch.a == stretch.b || stretch.b == d { &places[..1] } else { &places };
            for &(a, other) in places {
                all[a][other] = b.add(all[a][other], value);
            }
        }
        // L⁻¹ from the left, L⁻ᵀ from the right.
        for a in 0..d {
            for i in 0..a {
                let factor = frame.lower[a][i];
                if b.pool().is_zero(factor) {
                    continue;
                }
                let above = all[i].clone();
                for (column, &above) in above.iter().enumerate() {
                    let product = b.mul(factor, above);
                    let entry = b.sub(all[a][column], product);
                    all[a][column] = bind(b, "turn", entry);
                }
            }
        }
        let mut turns = Vec::new();
        for (a, row) in all.iter_mut().enumerate() {
            for other in 0..=d {
                let factors = frame.lower.get(other).map_or(&[][..], Vec::as_slice);
                let entry = factors.iter().zip(&*row).fold(row[other], |entry, (&factor, &before)| {
                    let product = b.mul(factor, before);
                    b.sub(entry, product)
                });
                if entry != row[other] {
                    row[other] = bind(b, "turn", entry);
                }
                if other == d {
                    let moved = dot(b.pool(), &row[..d], &frame.offset);
                    let rest = b.sub(row[d], moved);
                    row[d] = bind(b, "turn", rest);
                }
                if other > a && !b.pool().is_zero(row[other]) {
                    let back = b.pool().neg(row[other]);
                    turns.extend([(a, other, row[other]), (other, a, back)]);
                }
            }
        }
        turns.retain(|&(a, ..)| a < d && !self.is_uniform[a]);
        turns
    }
}

/// The name of the entries of D, each of which comes after its row of L.
const SQUARE: &str = "square";

/// L, by rows before their 1, and D of L D Lᵀ.
fn factors(b: &mut Builder<'_>, gram: &Matrix, bind: Bind<'_>) -> (Matrix, Vec<Expr>) {
    let (mut lower, mut squares): (Matrix, Vec<Expr>) = (Vec::new(), Vec::new());
    for (k, row) in gram.iter().enumerate() {
        // The row of L D.
        let mut entries: Vec<Expr> = Vec::with_capacity(k);
        let mut factors: Vec<Expr> = Vec::with_capacity(k);
        let mut square = row[k];
        for j in 0..k {
            let mut entry = row[j];
            for i in 0..j {
                let product = b.mul(entries[i], lower[j][i]);
                entry = b.sub(entry, product);
            }
            // A product may cancel with D.
            let is_sum = matches!(b.pool().node(entry), Node::Sum(_));
            let entry = if is_sum { bind(b, "entry", entry) } else { entry };
            let quotient = b.pool().div(entry, squares[j]);
            let factor = bind(b, "lower", quotient);
            let product = b.mul(factor, entry);
            square = b.sub(square, product);
            entries.push(entry);
            factors.push(factor);
        }
        squares.push(bind(b, SQUARE, square));
        lower.push(factors);
    }
    (lower, squares)
}

/// L⁻¹x.
fn forwards(b: &mut Builder<'_>, lower: &Matrix, mut x: Vec<Expr>) -> Vec<Expr> {
    for (k, row) in lower.iter().enumerate() {
        for (i, &factor) in row.iter().enumerate() {
            let product = b.mul(factor, x[i]);
            x[k] = b.sub(x[k], product);
        }
    }
    x
}

impl Frame {
    /// ν = N⁻¹D⁻¹L⁻¹XᵀM v, the components of the orthogonal projection of v; where Y reads, of X Y v.
    pub(super) fn components(&self, b: &mut Builder<'_>, v: &[Expr]) -> Vec<Expr> {
        if let Some(reading) = &self.reading {
            // N⁻¹(Lᵀη + D⁻¹L⁻¹g).
            let eta = b.apply(reading, v);
            let mut parts = eta.clone();
            for (row, &eta) in self.lower.iter().zip(&eta) {
                for (part, &factor) in parts.iter_mut().zip(row) {
                    let product = b.mul(factor, eta);
                    *part = b.add(*part, product);
                }
            }
            let mut nu = Vec::with_capacity(parts.len());
            for ((part, &offset), &inverse) in parts.into_iter().zip(&self.offset).zip(&self.inverse_norms) {
                let part = b.add(part, offset);
                nu.push(b.mul(inverse, part));
            }
            return nu;
        }
        let along = b.apply(&self.dual, v);
        let along = forwards(b, &self.lower, along);
        let mut nu = Vec::with_capacity(along.len());
        for ((&norm, &weight), part) in self.norms.iter().zip(&self.weights).zip(along) {
            let part = b.mul(norm, part);
            nu.push(if self.is_orthogonal { part } else { b.pool().div(part, weight) });
        }
        nu
    }

    /// dν/dt of W ζ and of a force: of N W ζ + N L⁻¹Xᵀf, over the weights.
    pub(super) fn rates(
        &self,
        b: &mut Builder<'_>,
        (turns, parts): (&[(usize, usize, Expr)], &[Expr]),
        force: &[Expr],
        bind: Bind<'_>,
    ) -> Vec<Expr> {
        let along = b.apply(&self.columns, force);
        let along = match self.is_orthogonal {
            true => along,
            false => along.into_iter().map(|e| bind(b, "along", e)).collect(),
        };
        let mut rates: Vec<Vec<Expr>> =
            forwards(b, &self.lower, along).into_iter().map(|e| vec![e]).collect();
        for &(a, other, turn) in turns {
            rates[a].push(b.mul(turn, parts[other]));
        }
        let mut all = Vec::with_capacity(rates.len());
        for ((&norm, &weight), terms) in self.norms.iter().zip(&self.weights).zip(rates) {
            let rate = b.pool().sum(&terms);
            let rate = b.mul(norm, rate);
            all.push(b.pool().div(rate, weight));
        }
        all
    }

    /// ζ = N ν, and 1 for w.
    pub(super) fn parts(&self, b: &mut Builder<'_>, nu: &[Expr]) -> Vec<Expr> {
        let one = b.pool().one();
        self.norms.iter().zip(nu).map(|(&norm, &nu)| b.mul(norm, nu)).chain([one]).collect()
    }

    /// L D ζ = XᵀM v for ζ = N ν and v = X η, without w.
    pub(super) fn momenta(&self, b: &mut Builder<'_>, nu: &[Expr]) -> Vec<Expr> {
        let mut scaled = Vec::with_capacity(nu.len());
        for ((&weight, &inverse), &nu) in self.weights.iter().zip(&self.inverse_norms).zip(nu) {
            let part = b.mul(inverse, nu);
            scaled.push(b.mul(weight, part));
        }
        let mut all = scaled.clone();
        for (entry, row) in all.iter_mut().zip(&self.lower) {
            for (&factor, &part) in row.iter().zip(&scaled) {
                let product = b.mul(factor, part);
                *entry = b.add(*entry, product);
            }
        }
        all
    }

    /// ζ = D⁻¹L⁻¹p of momenta p = L D ζ, and 1 for w.
    pub(super) fn parts_of_momenta(&self, b: &mut Builder<'_>, p: &[Expr]) -> Vec<Expr> {
        let one = b.pool().one();
        let mut parts = Vec::with_capacity(p.len() + 1);
        for ((part, &norm), &weight) in
            forwards(b, &self.lower, p.to_vec()).into_iter().zip(&self.norms).zip(&self.weights)
        {
            let square = b.pool().powi(norm, 2);
            let part = b.mul(square, part);
            parts.push(b.pool().div(part, weight));
        }
        parts.push(one);
        parts
    }

    /// η = L⁻ᵀ(ζ − D⁻¹L⁻¹g), and 1 for w.
    pub(super) fn eta(&self, b: &mut Builder<'_>, parts: &[Expr], bind: Bind<'_>) -> Vec<Expr> {
        let mut eta = parts.to_vec();
        for (eta, &offset) in eta.iter_mut().zip(&self.offset) {
            *eta = b.sub(*eta, offset);
        }
        for (k, row) in self.lower.iter().enumerate().rev() {
            if k + 1 < self.lower.len() && self.lower[k + 1..].iter().any(|row| !b.pool().is_zero(row[k])) {
                eta[k] = bind(b, "eta", eta[k]);
            }
            for (i, &factor) in row.iter().enumerate() {
                let product = b.mul(factor, eta[k]);
                eta[i] = b.sub(eta[i], product);
            }
        }
        eta
    }

    /// X η + w.
    pub(super) fn velocity(&self, b: &mut Builder<'_>, eta: &[Expr]) -> Vec<Expr> {
        self.columns.iter().zip(eta).fold(self.drift.clone(), |v, (column, &eta)| b.axpy(&v, eta, column))
    }

    /// The factors of ν in ⟨p, v⟩ for a covector p.
    #[cfg(feature = "report")]
    pub(super) fn factors(&self, b: &mut Builder<'_>, p: &[Expr]) -> Vec<Expr> {
        let along = b.apply(&self.columns, p);
        let along = forwards(b, &self.lower, along);
        self.norms.iter().zip(along).map(|(&norm, e)| b.mul(norm, e)).collect()
    }
}

/// An expression without what cancels in it, by an engine of its own, so that the frame does not depend on the engine in use.
fn simple(b: &mut Builder<'_>, e: Expr) -> Expr {
    if b.pool().as_number(e).is_some() {
        return e;
    }
    if b.pool().zero_test(e) == Zero::Yes {
        return b.pool().zero();
    }
    let cost = b.pool().cost(&[e]).weight();
    if cost > LONG {
        return e;
    }
    let simple = BuiltIn.simplify(b.pool(), &[e]).map_or(e, |simple| simple[0]);
    let is_cheaper = b.pool().cost(&[simple]).weight() < cost || b.pool().as_number(simple).is_some();
    if is_cheaper { simple } else { e }
}
