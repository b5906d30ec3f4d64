//! Reverse differentiation of the statements of a program.
//!
//! Every symbol s has a covector s̄, the derivative of a weighted sum of results by it. For the solution w of F(w, s) = 0,
//! with one elimination whatever the number of symbols,
//!
//! ```text
//! (∂F/∂w)ᵀ y = −w̄,   s̄ += (∂F/∂s)ᵀ y.
//! ```
//!
//! A pose g has the covector η̄ of η = g⁻¹ dg, the transpose of what [`super::tangent`] has for its derivative.

use super::tangent::{Tangent, moved};
use crate::expr::group::{Entry, Group, Map};
use crate::expr::linear::{Matrix, transposed};
use crate::expr::{Expr, Node};
use crate::method::builder::{Builder, Solved};
use crate::program::{Statement, lets};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Covectors of symbols, as sums of terms.
pub(super) struct Cotangent<'b, 'a> {
    pub(super) b: &'b mut Builder<'a>,
    terms: HashMap<Expr, Vec<Expr>>,
    /// η̄ of poses, given by the symbols of their entries, without what the entries contribute.
    poses: BTreeMap<Vec<Expr>, Vec<Vec<Expr>>>,
    /// What covectors have been carried through, whose second derivatives they multiply.
    carried: Vec<Carried>,
}

/// Where a covector has been carried from results to what they are computed from.
#[derive(Clone)]
pub(super) enum Carried {
    /// An expression with the covector of its value.
    Value {
        /// The expression.
        value: Expr,
        /// Its covector.
        weight: Expr,
    },
    /// The entries of a pose g exp(η).
    Pose {
        /// Its group.
        group: &'static Group,
        /// The entries of g.
        pose: Vec<Expr>,
        /// Their covectors.
        weights: Vec<Expr>,
    },
    /// A motion g' = g τ(σ).
    Motion {
        /// Its group.
        group: &'static Group,
        /// The entries of g'.
        pose: Vec<Expr>,
        /// σ.
        sigma: Vec<Expr>,
        /// λ, the covector of η' = g'⁻¹ dg'.
        weights: Vec<Expr>,
        /// (dτᴸ_σ)ᵀ λ.
        before: Vec<Expr>,
    },
}

impl<'b, 'a> Cotangent<'b, 'a> {
    pub(super) fn new(b: &'b mut Builder<'a>) -> Self {
        Cotangent { b, terms: HashMap::new(), poses: BTreeMap::new(), carried: Vec::new() }
    }

    /// Adds a term to the covector of a symbol.
    pub(super) fn add(&mut self, symbol: Expr, term: Expr) {
        if !self.b.pool().is_zero(term) {
            self.terms.entry(symbol).or_default().push(term);
        }
    }

    /// Adds `weight` times the derivatives of a value.
    pub(super) fn add_value(&mut self, value: Expr, weight: Expr) {
        if self.b.pool().is_zero(weight) {
            return;
        }
        if self.b.x.system.pool.as_symbol(value).is_some() {
            return self.add(value, weight);
        }
        self.carried.push(Carried::Value { value, weight });
        let pool = &self.b.x.system.pool;
        let mut symbols = pool.reachable(&[value]);
        symbols.retain(|&e| pool.as_symbol(e).is_some());
        let partial = self.b.pool().gradient(value, &symbols);
        for (symbol, partial) in symbols.into_iter().zip(partial) {
            let term = self.b.mul(weight, partial);
            self.add(symbol, term);
        }
    }

    /// Adds a covector to that of a pose.
    pub(super) fn add_pose(&mut self, pose: &[Expr], covector: &[Expr]) {
        let sums = self.poses.entry(pose.to_vec()).or_insert_with(|| vec![Vec::new(); covector.len()]);
        sums.iter_mut().zip(covector).for_each(|(terms, &term)| terms.push(term));
    }

    /// What covectors have been carried through so far.
    pub(super) fn carried(&mut self) -> Vec<Carried> {
        std::mem::take(&mut self.carried)
    }

    /// The covector of a symbol.
    pub(super) fn of(&mut self, symbol: Expr) -> Expr {
        let terms = self.terms.get(&symbol).cloned().unwrap_or_default();
        self.b.pool().sum(&terms)
    }

    /// η̄ of a pose, with what its entries contribute.
    pub(super) fn of_pose(&mut self, group: &'static Group, pose: &[Expr]) -> Vec<Expr> {
        let direct = self.poses.get(pose).cloned().unwrap_or_else(|| vec![Vec::new(); group.dimension]);
        let entries: Vec<Expr> = pose.iter().map(|&entry| self.of(entry)).collect();
        // Covectors are constants where the second derivatives along the pose are taken.
        let entries = self.bound("adjoint_entry", &entries);
        self.carried.push(Carried::Pose { group, pose: pose.to_vec(), weights: entries.clone() });
        let anchor = (group.anchor)(self.b.pool(), pose);
        let of_entries = self.b.apply_transposed(&anchor, &entries, group.dimension);
        direct
            .into_iter()
            .zip(of_entries)
            .map(|(mut terms, of_entries)| {
                terms.push(of_entries);
                self.b.pool().sum(&terms)
            })
            .collect()
    }

    /// Carries covectors of what these statements bind to what they are computed from.
    pub(super) fn pass(&mut self, statements: Range<usize>, solved: &[Solved]) {
        let mut at = statements.end;
        while at > statements.start {
            self.solve_linear(solved, at);
            at -= 1;
            let by_newton = |solved: &&Solved| solved.linear.is_none() && solved.at.end == at + 1;
            if let Some(solved) = solved.iter().find(by_newton) {
                self.solve(solved);
                // The statement before is the iteration.
                at = solved.at.start - 1;
                continue;
            }
            if let Statement::Let { symbol, value } = self.b.statements()[at] {
                self.carry(symbol, value);
            }
        }
    }

    /// The same for statements that compute residuals from `unknowns`, where some unknowns are computed from others: nothing is
    /// carried through an unknown.
    fn pass_between(&mut self, statements: Range<usize>, unknowns: &[Expr]) {
        for at in statements.rev() {
            match self.b.statements()[at] {
                Statement::Let { symbol, value } if !unknowns.contains(&symbol) => self.carry(symbol, value),
                _ => {}
            }
        }
    }

    fn carry(&mut self, symbol: Expr, value: Expr) {
        if let Node::Map(entry @ Entry { map: Map::Moved, group, .. }, arguments) =
            self.b.pool().node(value).clone()
        {
            // The last entry that this pass meets carries all of them.
            if entry.index == 0 {
                self.carry_pose(group, entry, &arguments);
            }
            return;
        }
        let adjoint = self.of(symbol);
        if !self.b.pool().is_zero(adjoint) {
            let name = format!("adjoint_{}", self.b.name(symbol));
            let adjoint = self.b.bind(&name, adjoint);
            self.add_value(value, adjoint);
        }
    }

    fn carry_pose(&mut self, group: &'static Group, entry: Entry, arguments: &[Expr]) {
        let n = group.dimension;
        let pose = moved(self.b, entry, arguments);
        let (g, sigma) = arguments.split_at(group.pose_len());
        let eta = self.of_pose(group, &pose);
        let eta = self.bound("adjoint_turn", &eta);
        let tangent: Matrix = rows(&Map::TangentLeft.apply(self.b.pool(), group, &[sigma]), n);
        let before = self.b.apply_transposed(&tangent, &eta, n);
        let before = self.bound("adjoint_displaced", &before);
        let sigma = sigma.to_vec();
        self.carried.push(Carried::Motion {
            group,
            pose,
            sigma: sigma.clone(),
            weights: eta,
            before: before.clone(),
        });
        for (&sigma, &weight) in sigma.iter().zip(&before) {
            self.add_value(sigma, weight);
        }
        let inverse: Matrix = rows(&Map::InverseTangent.apply(self.b.pool(), group, &[&sigma]), n);
        let before = self.b.apply_transposed(&inverse, &before, n);
        self.add_pose(g, &before);
    }

    fn bound(&mut self, name: &str, values: &[Expr]) -> Vec<Expr> {
        values.iter().map(|&e| self.b.bind(name, e)).collect()
    }

    /// Carries covectors through the linear equations before a statement, M x − μᵀλ = f and μ x = −g, which are symmetric in x
    /// and −λ.
    fn solve_linear(&mut self, solved: &[Solved], before: usize) {
        for Solved { unknowns, residual, linear, .. } in solved.iter().filter(|s| s.at.start == before) {
            let Some(equations) = linear else { continue };
            let mut adjoint = vec![self.b.pool().zero(); residual.len()];
            for (&unknown, &place) in unknowns.iter().zip(&equations.places) {
                adjoint[place] = self.of(unknown);
            }
            let adjoint: Matrix = self.bound("adjoint_solved", &adjoint).iter().map(|&e| vec![e]).collect();
            let (f, g) = adjoint.split_at(equations.mass.len());
            self.b.equation("covector of the residual by the implicit function theorem");
            let [x, lambda] = self.b.solve_saddle_point(equations, [&f.to_vec(), &g.to_vec()]);
            let mut y: Vec<Expr> = x.concat().iter().map(|&x| self.b.pool().neg(x)).collect();
            y.extend(lambda.concat());
            let y = self.bound("adjoint_residual", &y);
            residual.iter().zip(y).for_each(|(&residual, y)| self.add_value(residual, y));
            unknowns.iter().for_each(|unknown| {
                self.terms.remove(unknown);
            });
        }
    }

    fn solve(&mut self, Solved { unknowns, residual, at, .. }: &Solved) {
        // What later statements read of what the residual is computed from.
        self.pass_between(at.clone(), unknowns);
        let right: Matrix = unknowns
            .iter()
            .map(|&unknown| {
                let adjoint = self.of(unknown);
                vec![self.b.pool().neg(adjoint)]
            })
            .collect();
        if right.iter().flatten().all(|&e| self.b.pool().is_zero(e)) {
            return;
        }
        let mut tangent = Tangent::new(self.b, unknowns.len());
        unknowns.iter().enumerate().for_each(|(i, &unknown)| tangent.seed(unknown, i));
        tangent.pass(at.clone(), &[]);
        let jacobian: Matrix = residual.iter().map(|&r| tangent.of(r)).collect();
        let transposed = transposed(&jacobian, unknowns.len());
        self.b.equation("covector of the residual by the implicit function theorem");
        let y = self.b.solve_ordered(&transposed, &right, &[]);
        // These have been carried, and begin anew with the residual's.
        let inside: Vec<Expr> = lets(&self.b.statements()[at.clone()]).map(|(symbol, _)| symbol).collect();
        for symbol in inside {
            self.terms.remove(&symbol);
            self.poses.retain(|pose, _| !pose.contains(&symbol));
        }
        for (&residual, y) in residual.iter().zip(y) {
            let y = self.b.bind("adjoint_residual", y[0]);
            self.add_value(residual, y);
        }
        self.pass_between(at.clone(), unknowns);
        unknowns.iter().for_each(|unknown| {
            self.terms.remove(unknown);
        });
    }
}

/// A matrix from its entries, row by row.
pub(super) fn rows(entries: &[Expr], columns: usize) -> Matrix {
    entries.chunks(columns).map(<[Expr]>::to_vec).collect()
}
