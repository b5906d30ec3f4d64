//! Forward differentiation of the statements of a program.
//!
//! Every symbol s has a row ds of derivatives along all columns. Those of the solution w of F(w, s) = 0 follow from the
//! implicit function theorem, ∂F/∂w dw = −∂F/∂s ds at the solution, with one elimination for all columns. A pose g has the
//! derivative η = g⁻¹ dg, of which its entries' follow by the anchor: an expression of entries is differentiated along η. For
//! a motion of the pose,
//!
//! ```text
//! g' = g τ(σ):   η' = dτᴸ_σ (dτ⁻¹_σ η + dσ).
//! ```

use crate::expr::group::{Entry, Group, Map};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Node};
use crate::method::builder::{Builder, Solved};
use crate::program::Statement;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// How a pose moves.
#[derive(Clone)]
pub(super) struct Turn {
    /// Its group.
    pub(super) group: &'static Group,
    /// η, one row for each direction of the group.
    pub(super) eta: Matrix,
}

/// Derivatives of symbols. Rows that end early are continued by zeros.
pub(super) struct Tangent<'b, 'a> {
    pub(super) b: &'b mut Builder<'a>,
    pub(super) columns: usize,
    rows: HashMap<Expr, Vec<Expr>>,
    /// How poses move, given by the symbols of their entries.
    poses: BTreeMap<Vec<Expr>, Turn>,
    /// L, if multipliers of linear equations are variables, whose columns are the last ones: their derivatives by the others.
    reactions: Option<Matrix>,
}

impl<'b, 'a> Tangent<'b, 'a> {
    /// With so many columns.
    pub(super) fn new(b: &'b mut Builder<'a>, columns: usize) -> Self {
        Tangent { b, columns, rows: HashMap::new(), poses: BTreeMap::new(), reactions: None }
    }

    /// Makes variables of the multipliers of the linear equations that follow.
    pub(super) fn factor(&mut self) {
        self.reactions = Some(Matrix::new());
    }

    /// L; none if multipliers are no variables.
    pub(super) fn reactions(&self) -> Matrix {
        self.reactions.clone().unwrap_or_default()
    }

    /// A row without the columns of the multipliers.
    pub(super) fn resolved(&mut self, row: &[Expr]) -> Vec<Expr> {
        let reactions = self.reactions();
        let (direct, by_reactions) = row.split_at(self.columns - reactions.len());
        let coefficients = [&[self.b.pool().one()], by_reactions].concat();
        let mut row = self.combined(&coefficients, &[vec![direct.to_vec()], reactions].concat());
        row.truncate(direct.len());
        row
    }

    /// A symbol is the variable of that column.
    pub(super) fn seed(&mut self, symbol: Expr, column: usize) {
        let row = self.unit(column);
        self.rows.insert(symbol, row);
    }

    /// A pose has the variables of these columns, one for each direction.
    pub(super) fn seed_pose(&mut self, group: &'static Group, pose: &[Expr], columns: Range<usize>) {
        let eta: Matrix = columns.map(|column| self.unit(column)).collect();
        self.poses.insert(pose.to_vec(), Turn { group, eta });
    }

    /// A pose does not depend on the variables.
    pub(super) fn rest_pose(&mut self, group: &'static Group, pose: &[Expr]) {
        let eta = vec![Vec::new(); group.dimension];
        self.poses.insert(pose.to_vec(), Turn { group, eta });
    }

    /// The derivatives of a symbol.
    pub(super) fn set(&mut self, symbol: Expr, row: Vec<Expr>) {
        self.rows.insert(symbol, row);
    }

    fn unit(&mut self, column: usize) -> Vec<Expr> {
        let (zero, one) = (self.b.pool().zero(), self.b.pool().one());
        (0..=column).map(|j| if j == column { one } else { zero }).collect()
    }

    /// Σ cᵢ rowᵢ.
    fn combined(&mut self, c: &[Expr], rows: &[Vec<Expr>]) -> Vec<Expr> {
        let zero = self.b.pool().zero();
        (0..self.columns)
            .map(|j| {
                let column: Vec<Expr> = rows.iter().map(|row| row.get(j).copied().unwrap_or(zero)).collect();
                dot(self.b.pool(), c, &column)
            })
            .collect()
    }

    /// The derivatives of an expression.
    pub(super) fn of(&mut self, value: Expr) -> Vec<Expr> {
        let reachable = self.b.x.system.pool.reachable(&[value]);
        let of_symbols =
            reachable.iter().filter_map(|symbol| Some((*symbol, self.rows.get(symbol)?.clone())));
        let (symbols, mut rows): (Vec<Expr>, Vec<Vec<Expr>>) = of_symbols.unzip();
        let mut partial = self.b.pool().gradient(value, &symbols);
        for (pose, Turn { group, eta }) in &self.poses {
            if !pose.iter().any(|entry| reachable.contains(entry)) {
                continue;
            }
            let by_entries = self.b.pool().gradient(value, pose);
            let anchor = (group.anchor)(self.b.pool(), pose);
            let along = self.b.apply_transposed(&anchor, &by_entries, group.dimension);
            partial.extend(along.into_iter().map(|e| self.b.bind("along", e)));
            rows.extend(eta.iter().cloned());
        }
        self.combined(&partial, &rows)
    }

    /// The derivatives of all symbols, and how all poses move.
    pub(super) fn finish(mut self) -> (HashMap<Expr, Vec<Expr>>, BTreeMap<Vec<Expr>, Turn>) {
        let poses = std::mem::take(&mut self.poses);
        for (pose, Turn { group, eta }) in &poses {
            let anchor = (group.anchor)(self.b.pool(), pose);
            for (&entry, along) in pose.iter().zip(&anchor) {
                let row = self.combined(along, eta);
                self.rows.insert(entry, row);
            }
        }
        (self.rows, poses)
    }

    /// η of a pose.
    pub(super) fn of_pose(&self, pose: &[Expr]) -> Option<Matrix> {
        self.poses.get(pose).map(|turn| turn.eta.clone())
    }

    /// The derivatives of everything that these statements bind.
    pub(super) fn pass(&mut self, statements: Range<usize>, solved: &[Solved]) {
        let mut at = statements.start;
        while at < statements.end {
            self.solve_linear(solved, at);
            match self.b.statements()[at].clone() {
                Statement::Let { symbol, value } => self.bind(symbol, value),
                Statement::Newton(_) => {
                    let solved = solved.iter().find(|s| s.linear.is_none() && s.at.start == at + 1);
                    let solved = solved.expect("equations at the solution are kept for derivatives");
                    self.solve(solved);
                    at = solved.at.end;
                    continue;
                }
                Statement::Equation(_) | Statement::Pivot { .. } | Statement::Turn(_) => {}
            }
            at += 1;
        }
        self.solve_linear(solved, at);
    }

    /// The derivatives of the solutions of linear equations that stand before a statement.
    fn solve_linear(&mut self, solved: &[Solved], before: usize) {
        for Solved { unknowns, residual, linear, .. } in solved.iter().filter(|s| s.at.start == before) {
            let Some(equations) = linear else { continue };
            for unknown in unknowns {
                self.rows.remove(unknown);
            }
            let rows: Matrix = residual.iter().map(|&r| self.of(r)).collect();
            let rows = self.b.bind_matrix("d_residual", &rows);
            let (f, g) = rows.split_at(equations.mass.len());
            let (f, g) = (self.b.negated(f), g.to_vec());
            self.b.equation("derivatives of the solution by the implicit function theorem");
            let solution = if self.reactions.is_none() {
                self.b.solve_saddle_point(equations, [&f, &g])
            } else {
                let [free, lambda] = self.b.reactions(equations, [&f, &g]);
                let lambda = self.as_variables(lambda);
                [self.b.with_reactions(equations, &free, &lambda), lambda]
            };
            let solution = self.b.bind_matrix("d_solved", &solution.concat());
            for (&unknown, &place) in unknowns.iter().zip(&equations.places) {
                self.rows.insert(unknown, solution[place].clone());
            }
        }
    }

    /// Makes variables of multipliers with these rows: units in new columns.
    fn as_variables(&mut self, lambda: Matrix) -> Matrix {
        let rows: Matrix = lambda.iter().map(|row| self.resolved(row)).collect();
        let rows = self.b.bind_matrix("reaction", &rows);
        let first = self.columns;
        self.columns += rows.len();
        self.reactions.iter_mut().for_each(|reactions| reactions.extend(rows.clone()));
        let zero = self.b.pool().zero();
        let units = (first..self.columns).map(|column| {
            let mut row = self.unit(column);
            row.resize(self.columns, zero);
            row
        });
        units.collect()
    }

    fn bind(&mut self, symbol: Expr, value: Expr) {
        if self.rows.contains_key(&symbol) || self.poses.keys().any(|pose| pose.contains(&symbol)) {
            return;
        }
        if let Node::Map(entry @ Entry { map: Map::Moved, group, .. }, arguments) =
            self.b.pool().node(value).clone()
        {
            let moved = moved(self.b, entry, &arguments);
            let (g, sigma) = arguments.split_at(group.pose_len());
            if let Some(eta) = self.of_pose(g) {
                let eta = self.moved(group, &eta, sigma);
                let eta = self.b.bind_matrix(&format!("turn_{}", self.b.name(symbol)), &eta);
                self.poses.insert(moved, Turn { group, eta });
                return;
            }
        }
        let row = self.of(value);
        let name = format!("d_{}", self.b.name(symbol));
        let row = self.b.bind_matrix(&name, &vec![row]).remove(0);
        self.rows.insert(symbol, row);
    }

    /// dτᴸ_σ (dτ⁻¹_σ η + dσ).
    fn moved(&mut self, group: &'static Group, eta: &Matrix, sigma: &[Expr]) -> Matrix {
        let n = group.dimension;
        let motion: Matrix = sigma.iter().map(|&s| self.of(s)).collect();
        let inverse = Map::InverseTangent.apply(self.b.pool(), group, &[sigma]);
        let tangent = Map::TangentLeft.apply(self.b.pool(), group, &[sigma]);
        let one = self.b.pool().one();
        let mut before = Vec::with_capacity(n);
        for (row, motion) in inverse.chunks(n).zip(motion) {
            let turned = self.combined(row, eta);
            let sum = self.combined(&[one, one], &[turned, motion]);
            before.push(sum);
        }
        let before = self.b.bind_matrix("displaced", &before);
        tangent.chunks(n).map(|row| self.combined(row, &before)).collect()
    }

    fn solve(&mut self, Solved { unknowns, residual, at, .. }: &Solved) {
        let known = self.columns;
        self.columns += unknowns.len();
        for (i, &unknown) in unknowns.iter().enumerate() {
            self.seed(unknown, known + i);
        }
        self.pass(at.clone(), &[]);
        let rows: Matrix = residual.iter().map(|&r| self.of(r)).collect();
        let jacobian: Matrix = rows.iter().map(|row| row[known..].to_vec()).collect();
        let by_columns: Matrix = rows.iter().map(|row| row[..known].to_vec()).collect();
        let minus = self.b.negated(&by_columns);
        self.b.equation("derivatives of the solution by the implicit function theorem");
        let solution = self.b.solve_ordered(&jacobian, &minus, &[]);
        let solution = self.b.bind_matrix("d_solved", &solution);
        self.columns = known;
        // What was computed from the unknowns is that of the solution from here on.
        let inside: Vec<Expr> =
            crate::program::lets(&self.b.statements()[at.clone()]).map(|(symbol, _)| symbol).collect();
        for symbol in inside {
            // Entries of poses have no rows of their own.
            let Some(row) = self.rows.get(&symbol).cloned() else { continue };
            let row = self.through(&row, &solution);
            self.rows.insert(symbol, row);
        }
        for (pose, mut turn) in std::mem::take(&mut self.poses) {
            turn.eta.iter_mut().for_each(|row| *row = self.through(row, &solution));
            self.poses.insert(pose, turn);
        }
        for (&unknown, row) in unknowns.iter().zip(solution) {
            self.rows.insert(unknown, row);
        }
    }

    /// A row with further columns for unknowns, whose derivatives are known now, without these columns.
    fn through(&mut self, row: &[Expr], solution: &Matrix) -> Vec<Expr> {
        let Some((direct, by_unknowns)) = row.split_at_checked(self.columns) else { return row.to_vec() };
        let mut coefficients = vec![self.b.pool().one()];
        coefficients.extend_from_slice(by_unknowns);
        let rows: Matrix =
            std::iter::once(direct.to_vec()).chain(solution[..by_unknowns.len()].to_vec()).collect();
        let row = self.combined(&coefficients, &rows);
        self.b.bind_matrix("d_total", &vec![row]).remove(0)
    }
}

/// The symbols of all entries of a pose of which one entry is `entry` of `arguments`; entries without symbols as they are.
pub(super) fn moved(b: &mut Builder<'_>, entry: Entry, arguments: &[Expr]) -> Vec<Expr> {
    let (g, sigma) = arguments.split_at(entry.group.pose_len());
    let all = entry.map.apply(b.pool(), entry.group, &[g, sigma]);
    all.into_iter().map(|e| b.symbol_of(e).unwrap_or(e)).collect()
}
