//! Second derivatives of w·x' for a covector w of the state after the step.
//!
//! With the covectors s̄ of all symbols, among them y of the equations F = 0 that Newton's method solves,
//!
//! ```text
//! L = w·x' + Σ s̄ (f(s) − s) + Σ y·F
//! ```
//!
//! is stationary in all symbols, so that its second derivatives along the first derivatives of the symbols are those of w·x':
//!
//! ```text
//! H = Dᵀ (∂²L) D,   ∂²L = Σ s̄ ∂²f + Σ y·∂²F,   with the rows ds of D.
//! ```
//!
//! Neither eliminations nor covectors are differentiated, and H is symmetric term by term. Where ∂²L refers to a symbol that is
//! computed from others, it can be written in terms of these, the last symbols first (edge pushing: R. M. Gower and
//! M. P. Mello, *A new framework for the computation of Hessians*, 2012), so that D has fewer rows.
//!
//! A pose moves by exponentials, g(ε) = g exp(η(ε)), up to second order. Its entries have second derivatives along η. For
//! g' = g τ(σ), by the series of Baker, Campbell and Hausdorff, and with T = dτᴸ_σ and r = T dσ,
//!
//! ```text
//! exp(η') = τ⁻¹ exp(η) τ exp(r + ½ (∂T dσ) dσ),   d²η' = Ad_τ⁻¹ d²η + T d²σ + (∂T dσ) dσ + [dη', r],
//! ```
//!
//! each of them once for both orders of the two directions and halved. By T⁻¹ = dτ⁻¹_{−σ},
//!
//! ```text
//! λ·(∂T dσ) dσ = (K(−σ, Tᵀλ) dσ)·T dσ.
//! ```

use super::cotangent::{Carried, rows};
use super::tangent::Turn;
use super::{Backwards, Blocks, Step, backwards, forwards, output, rows_after};
use crate::expr::Expr;
use crate::expr::group::{Group, Map};
use crate::expr::linear::{Matrix, dot};
use crate::method::builder::Builder;
use crate::program::{Derivative, Factor, Input, Output, Role, Statement};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// What moves with (x, u): a symbol, or a component of η of a pose.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Variable {
    Symbol(Expr),
    Turn(Vec<Expr>, usize),
}

/// ∂²L, and the rows of D that it needs.
struct Curvature<'b, 'a> {
    b: &'b mut Builder<'a>,
    columns: usize,
    /// The derivatives of symbols and of poses; rows that end early are continued by zeros.
    rows: HashMap<Expr, Vec<Expr>>,
    poses: BTreeMap<Vec<Expr>, Turn>,
    places: HashMap<Variable, usize>,
    /// D.
    moved: Matrix,
    /// The entries of ∂²L as sums of terms, with both halves of the matrix.
    second: BTreeMap<(usize, usize), Vec<Expr>>,
    /// What Newton's method solves for. Some of it is computed from the other unknowns after the iteration, which have no rows.
    unknowns: HashSet<Expr>,
}

/// The blocks of the matrix by rows, A and B, and the factors of what is to be added to them; `pushes` if ∂²L is written in terms of
/// what symbols are computed from.
pub(super) fn curvature(
    b: &mut Builder<'_>,
    step: &Step,
    inputs: &mut Vec<Input>,
    pushes: bool,
) -> Vec<Output> {
    let controls = b.x.system.input_symbols();
    let mut tangent = forwards(b, step, true, &controls);
    let after = rows_after(&mut tangent, step);
    let (columns, reactions) = (tangent.columns, tangent.reactions());
    let (rows, poses) = tangent.finish();
    let Blocks { x: a, u: by_inputs, reactions: by_reactions } = Blocks::of(step, b, &after);
    let Backwards { carried: [before, in_step], .. } = backwards(b, step, inputs);
    b.equation("second derivatives of w·x'");
    let by_newton = step.solved.iter().filter(|solved| solved.linear.is_none());
    let unknowns = by_newton.flat_map(|solved| solved.unknowns.clone()).collect();
    let mut of = Curvature {
        b,
        columns,
        rows,
        poses,
        places: HashMap::new(),
        moved: Vec::new(),
        second: BTreeMap::new(),
        unknowns,
    };
    let [basis, rest] = step.parts.clone();
    of.add_all(in_step);
    if pushes {
        of.push_all(rest);
    }
    // The velocity before the step does not change with the inputs.
    controls.iter().for_each(|u| {
        of.rows.remove(u);
    });
    of.add_all(before);
    if pushes {
        let velocities = step.symbols.v.iter().zip(&step.velocity).rev();
        velocities.for_each(|(&v, &value)| of.push(v, value));
        of.push_all(basis);
        step.symbols.q.iter().for_each(|&q| of.push(q, q));
    }
    // Once ∂²L is pushed, most rows of D that are left are unit vectors, and halves of ∂²L save nothing.
    let mut matrix = of.contracted(!pushes);
    if !reactions.is_empty() {
        // A symmetric product completes what is above the diagonal.
        let zero = b.pool().zero();
        let rows = matrix.iter_mut().take(columns - reactions.len());
        rows.enumerate().for_each(|(i, row)| row[..i].fill(zero));
    }
    let (matrix, of_reactions) = matrix.split_at(columns - reactions.len());
    let (of_x, of_u) = matrix.split_at(matrix.len() - controls.len());
    let [Blocks { x: xx, u: xu, .. }, Blocks { u: uu, .. }] =
        [of_x, of_u].map(|rows| Blocks::of(step, b, rows));
    let mut outputs = vec![
        output(Derivative::Xx, xx),
        output(Derivative::Xu, xu),
        output(Derivative::Uu, uu),
        output(Derivative::A, a),
        output(Derivative::B, by_inputs),
    ];
    if !reactions.is_empty() {
        let second = with_half(b, of_reactions, &reactions);
        let [of_reactions, second] = [&reactions, &second].map(|rows| Blocks::of(step, b, rows));
        let factors = [
            (Factor::ByReactions, by_reactions),
            (Factor::ReactionsX, of_reactions.x),
            (Factor::ReactionsU, of_reactions.u),
            (Factor::SecondX, second.x),
            (Factor::SecondU, second.u),
        ];
        let factors =
            factors.map(|(factor, values)| Output { role: Role::Factor(factor), values, scalar: false });
        outputs.extend(factors);
    }
    outputs
}

/// Z = Y + ½ M L, where Y and M are the rows of ∂²L for multipliers: LᵀY + YᵀL + LᵀM L = LᵀZ + ZᵀL.
fn with_half(b: &mut Builder<'_>, of_reactions: &[Vec<Expr>], reactions: &Matrix) -> Matrix {
    let (one, half) = (b.pool().one(), b.pool().ratio(1, 2));
    let rows = of_reactions.iter().map(|row| {
        let (direct, by_reactions) = row.split_at(row.len() - reactions.len());
        let halves = by_reactions.iter().map(|&e| b.mul(half, e));
        let coefficients: Vec<Expr> = std::iter::once(one).chain(halves).collect();
        let columns = (0..direct.len()).map(|j| {
            let column: Vec<Expr> =
                std::iter::once(direct[j]).chain(reactions.iter().map(|row| row[j])).collect();
            dot(b.pool(), &coefficients, &column)
        });
        columns.collect()
    });
    rows.collect()
}

impl Curvature<'_, '_> {
    fn add_all(&mut self, carried: Vec<Carried>) {
        let mut terms = Vec::new();
        for carried in carried {
            match carried {
                Carried::Value { value, weight } => {
                    terms.push(self.b.mul(weight, value));
                }
                Carried::Pose { group, pose, weights } => self.add_pose(group, &pose, &weights),
                Carried::Motion { group, pose, sigma, weights, before } => {
                    self.add_motion(group, &pose, &sigma, (&weights, &before));
                }
            }
        }
        let sum = self.b.pool().sum(&terms);
        self.add_value(sum);
    }

    /// The place of what moves in this way, if it moves.
    fn place(&mut self, variable: Variable, row: Vec<Expr>) -> Option<usize> {
        if row.iter().all(|&e| self.b.pool().is_zero(e)) {
            return None;
        }
        let next = self.moved.len();
        let place = *self.places.entry(variable).or_insert(next);
        if place == next {
            let zero = self.b.pool().zero();
            let mut row: Vec<Expr> = row.into_iter().map(|e| self.b.bind("moved", e)).collect();
            row.resize(self.columns, zero);
            self.moved.push(row);
        }
        Some(place)
    }

    fn symbol(&mut self, symbol: Expr) -> Option<usize> {
        let row = self.rows.get(&symbol)?.clone();
        self.place(Variable::Symbol(symbol), row)
    }

    /// The places of η of a pose.
    fn turns(&mut self, pose: &[Expr]) -> Vec<Option<usize>> {
        let Some(Turn { eta, .. }) = self.poses.get(pose).cloned() else { return Vec::new() };
        eta.into_iter()
            .enumerate()
            .map(|(i, row)| self.place(Variable::Turn(pose.to_vec(), i), row))
            .collect()
    }

    /// Adds a term to an entry and its mirror image.
    fn add(&mut self, a: usize, b: usize, term: Expr) {
        if self.b.pool().is_zero(term) {
            return;
        }
        self.second.entry((a, b)).or_default().push(term);
        if a != b {
            self.second.entry((b, a)).or_default().push(term);
        }
    }

    /// Adds half of a term x_a y_b + x_b y_a.
    fn add_halves(&mut self, a: usize, b: usize, term: Expr) {
        let factor = if a == b { self.b.pool().one() } else { self.b.pool().ratio(1, 2) };
        let term = self.b.mul(factor, term);
        self.add(a, b, term);
    }

    /// Adds the second derivatives of an expression.
    fn add_value(&mut self, value: Expr) {
        let mut symbols = self.b.x.system.pool.reachable(&[value]);
        symbols.retain(|symbol| self.rows.contains_key(symbol));
        let places: Vec<(Expr, usize)> =
            symbols.into_iter().filter_map(|symbol| Some((symbol, self.symbol(symbol)?))).collect();
        let symbols: Vec<Expr> = places.iter().map(|&(symbol, _)| symbol).collect();
        let first = self.b.pool().gradient(value, &symbols);
        for (i, slope) in first.into_iter().enumerate() {
            let second = self.b.pool().gradient(slope, &symbols[..=i]);
            for (second, &(_, place)) in second.into_iter().zip(&places) {
                self.add(places[i].1, place, second);
            }
        }
    }

    /// Writes ∂²L in terms of what these statements are computed from.
    fn push_all(&mut self, statements: Range<usize>) {
        for at in statements.rev() {
            if let Statement::Let { symbol, value } = self.b.statements()[at] {
                self.push(symbol, value);
            }
        }
    }

    /// Writes ∂²L in terms of what a symbol is computed from, if that brings in one further symbol at most.
    fn push(&mut self, symbol: Expr, value: Expr) {
        if self.unknowns.contains(&symbol) {
            return;
        }
        let Some(&place) = self.places.get(&Variable::Symbol(symbol)) else { return };
        let others: Vec<usize> =
            self.second.range((place, 0)..(place + 1, 0)).map(|(&(_, j), _)| j).collect();
        if others.is_empty() {
            return;
        }
        let Some(slopes) = self.slopes(symbol, value) else { return };
        let slopes: Vec<(usize, Expr)> =
            slopes.into_iter().map(|(place, slope)| (place, self.b.bind("slope", slope))).collect();
        for other in others {
            let terms = self.second.remove(&(place, other)).unwrap_or_default();
            self.second.remove(&(other, place));
            let entry = self.b.pool().sum(&terms);
            let entry = self.b.bind("second", entry);
            for (i, &(along, slope)) in slopes.iter().enumerate() {
                let term = self.b.mul(entry, slope);
                if other == place {
                    for &(beside, other_slope) in &slopes[..=i] {
                        let term = self.b.mul(term, other_slope);
                        self.add(along, beside, term);
                    }
                } else {
                    let factor = self.b.pool().int(if along == other { 2 } else { 1 });
                    let term = self.b.mul(factor, term);
                    self.add(along, other, term);
                }
            }
        }
    }

    /// The derivatives of a symbol by what it is computed from, by places; none if that is nothing, or if more than one of them
    /// is new in ∂²L.
    fn slopes(&mut self, symbol: Expr, value: Expr) -> Option<Vec<(usize, Expr)>> {
        let of_pose = self.poses.iter().find(|(pose, _)| pose.contains(&symbol));
        let of_pose = of_pose.map(|(pose, turn)| (pose.clone(), turn.group));
        let slopes: Vec<(usize, Expr)> = match of_pose {
            Some((pose, group)) => {
                let anchor = (group.anchor)(self.b.pool(), &pose);
                let entry = pose.iter().position(|&entry| entry == symbol)?;
                let turns = self.turns(&pose);
                let slopes = turns.into_iter().zip(&anchor[entry]);
                slopes.filter_map(|(place, &slope)| Some((place?, slope))).collect()
            }
            _ if value == symbol => return None,
            _ => {
                let mut symbols = self.b.x.system.pool.reachable(&[value]);
                symbols.retain(|symbol| self.rows.contains_key(symbol));
                let partial = self.b.pool().gradient(value, &symbols);
                let mut slopes = Vec::with_capacity(symbols.len());
                for (symbol, slope) in symbols.into_iter().zip(partial) {
                    slopes.extend(self.symbol(symbol).map(|place| (place, slope)));
                }
                slopes
            }
        };
        let slopes: Vec<(usize, Expr)> =
            slopes.into_iter().filter(|&(_, slope)| !self.b.pool().is_zero(slope)).collect();
        let is_new = |place: usize| self.second.range((place, 0)..(place + 1, 0)).next().is_none();
        let new = slopes.iter().filter(|&&(place, _)| is_new(place)).count();
        (new <= 1).then_some(slopes)
    }

    /// Adds the second derivatives of the entries of g exp(η) along η.
    fn add_pose(&mut self, group: &Group, pose: &[Expr], weights: &[Expr]) {
        let turns = self.turns(pose);
        let anchor = (group.anchor)(self.b.pool(), pose);
        let first = self.b.apply_transposed(&anchor, weights, group.dimension);
        for (&along, first) in turns.iter().zip(first) {
            let Some(along) = along else { continue };
            let by_entries = self.b.pool().gradient(first, pose);
            let second = self.b.apply_transposed(&anchor, &by_entries, group.dimension);
            for (&other, second) in turns.iter().zip(second) {
                let Some(other) = other else { continue };
                self.add_halves(along, other, second);
            }
        }
    }

    /// Adds the second derivatives of η' for a motion g' = g τ(σ).
    fn add_motion(
        &mut self,
        group: &'static Group,
        pose: &[Expr],
        sigma: &[Expr],
        (weights, before): (&[Expr], &[Expr]),
    ) {
        let n = group.dimension;
        let turns = self.turns(pose);
        let steps: Vec<Option<usize>> = sigma.iter().map(|&sigma| self.expression(sigma)).collect();
        let minus: Vec<Expr> = sigma.iter().map(|&s| self.b.pool().neg(s)).collect();
        let tangent = rows(&Map::TangentLeft.apply(self.b.pool(), group, &[sigma]), n);
        let k = rows(&Map::StartTangent.apply(self.b.pool(), group, &[&minus, before]), n);
        // λ·[x, r] for every x among η'.
        let brackets: Matrix = (0..n)
            .map(|i| {
                let unit: Vec<Expr> = (0..n).map(|j| self.b.pool().int(i64::from(i == j))).collect();
                let ad = (group.ad)(self.b.pool(), &unit);
                let covector = self.b.apply_transposed(&ad, weights, n);
                self.b.apply_transposed(&tangent, &covector, n)
            })
            .collect();
        for (j, &along) in steps.iter().enumerate() {
            let Some(along) = along else { continue };
            let column: Vec<Expr> = tangent.iter().map(|row| row[j]).collect();
            for (i, &other) in steps.iter().enumerate() {
                let Some(other) = other else { continue };
                let by_other: Vec<Expr> = k.iter().map(|row| row[i]).collect();
                let term = dot(self.b.pool(), &by_other, &column);
                self.add_halves(along, other, term);
            }
            for (&turn, row) in turns.iter().zip(&brackets) {
                let Some(turn) = turn else { continue };
                self.add_halves(turn, along, row[j]);
            }
        }
    }

    /// The place of an expression that moves.
    fn expression(&mut self, value: Expr) -> Option<usize> {
        if let Some(place) = self.symbol(value) {
            return Some(place);
        }
        let mut symbols = self.b.x.system.pool.reachable(&[value]);
        symbols.retain(|symbol| self.rows.contains_key(symbol));
        let partial = self.b.pool().gradient(value, &symbols);
        let zero = self.b.pool().zero();
        let row = (0..self.columns).map(|j| {
            let column: Vec<Expr> =
                symbols.iter().map(|symbol| self.rows[symbol].get(j).copied().unwrap_or(zero)).collect();
            dot(self.b.pool(), &partial, &column)
        });
        let row = row.collect();
        self.place(Variable::Symbol(value), row)
    }

    /// Dᵀ (∂²L) D, perhaps as M + Mᵀ with M = Dᵀ T D for ∂²L = T + Tᵀ where T has so few rows that this takes fewer operations.
    fn contracted(self, by_halves: bool) -> Matrix {
        let Curvature { b, columns, moved, second, .. } = self;
        let mut upper = Vec::new();
        for ((i, j), terms) in second.into_iter().filter(|((i, j), _)| i <= j) {
            let entry = b.pool().sum(&terms);
            if !b.pool().is_zero(entry) {
                upper.push(((i, j), b.bind("second", entry)));
            }
        }
        let pool = b.pool();
        let cost = |e: Expr| if pool.is_zero(e) { 0 } else { 2 - usize::from(pool.is_one(e)) };
        let costs: Vec<Vec<usize>> = moved.iter().map(|row| row.iter().map(|&e| cost(e)).collect()).collect();
        let all = all_rows(&upper);
        let halves = by_halves.then(|| rows_of_halves(&upper, &costs));
        let halves = halves.filter(|rows| operations(rows, &costs, true) < operations(&all, &costs, false));
        let is_halved = halves.is_some();
        let half = b.pool().ratio(1, 2);
        let mut rows: Vec<[Vec<Expr>; 2]> = Vec::new();
        for (place, entries) in halves.unwrap_or(all) {
            let (places, mut entries): (Vec<usize>, Vec<Expr>) = entries.into_iter().unzip();
            if is_halved {
                let on_diagonal = places.iter().zip(&mut entries).filter(|(other, _)| **other == place);
                on_diagonal.for_each(|(_, entry)| *entry = b.mul(half, *entry));
            }
            let row = (0..columns).map(|j| {
                let column: Vec<Expr> = places.iter().map(|&place| moved[place][j]).collect();
                let product = dot(b.pool(), &entries, &column);
                b.bind("curved", product)
            });
            rows.push([moved[place].clone(), row.collect()]);
        }
        let (zero, two) = (b.pool().zero(), b.pool().int(2));
        let mut matrix = vec![vec![zero; columns]; columns];
        for i in 0..columns {
            for j in i..columns {
                let mut factors: Vec<[Expr; 2]> =
                    rows.iter().map(|[moved, curved]| [moved[i], curved[j]]).collect();
                if is_halved && i < j {
                    factors.extend(rows.iter().map(|[moved, curved]| [moved[j], curved[i]]));
                }
                let [along, curved] = [0, 1].map(|k| factors.iter().map(|pair| pair[k]).collect::<Vec<_>>());
                let mut entry = dot(b.pool(), &along, &curved);
                if is_halved && i == j {
                    entry = b.mul(two, entry);
                }
                matrix[i][j] = b.bind("curvature", entry);
                matrix[j][i] = matrix[i][j];
            }
        }
        matrix
    }
}

/// Entries of a symmetric matrix on and above its diagonal.
type Upper = [((usize, usize), Expr)];

/// Rows of a matrix: their entries, by columns.
type Sparse = BTreeMap<usize, Vec<(usize, Expr)>>;

fn all_rows(upper: &Upper) -> Sparse {
    let mut rows = Sparse::new();
    for &((i, j), entry) in upper {
        rows.entry(i).or_default().push((j, entry));
        if i != j {
            rows.entry(j).or_default().push((i, entry));
        }
    }
    rows
}

/// Rows among which every entry or its mirror image is, one of the two: the row with the most entries that are left for the products
/// it takes, one after the other.
fn rows_of_halves(upper: &Upper, costs: &[Vec<usize>]) -> Sparse {
    let mut left = all_rows(upper);
    let mut rows = Sparse::new();
    let gain = |place: usize, entries: &[(usize, Expr)]| {
        entries.len() as f64 / costs[place].iter().sum::<usize>() as f64
    };
    while let Some(place) = left
        .iter()
        .max_by(|(i, x), (j, y)| gain(**i, x).total_cmp(&gain(**j, y)).then(j.cmp(i)))
        .map(|(&place, _)| place)
    {
        let entries = left.remove(&place).unwrap_or_default();
        for (other, _) in &entries {
            if let Some(row) = left.get_mut(other) {
                row.retain(|&(column, _)| column != place);
                if row.is_empty() {
                    left.remove(other);
                }
            }
        }
        rows.insert(place, entries);
    }
    rows
}

/// How many operations Dᵀ R D takes, if only the entries on and above the diagonal are wanted, or else all. `costs` are those of a
/// product with each entry of D and of its addition.
fn operations(rows: &Sparse, costs: &[Vec<usize>], all: bool) -> usize {
    let mut count = 0;
    for (&place, entries) in rows {
        let columns = costs[place].len();
        let curved = (0..columns).map(|j| entries.iter().map(|&(other, _)| costs[other][j]).sum::<usize>());
        let curved: Vec<usize> = curved.collect();
        count += curved.iter().sum::<usize>();
        for (i, cost) in costs[place].iter().enumerate() {
            count += cost * curved.iter().enumerate().filter(|&(j, &n)| n > 0 && (all || i <= j)).count();
        }
    }
    count
}
