//! Writes one program: binds quantities to named symbols and unrolls small linear solves.

use super::Form;
use super::careful::{LinearEquations, Watched};
use super::nodes::SaddlePoint;
use super::pivots::{Elimination, Plan};
use crate::expr::linear::{Matrix, coupled_blocks};
use crate::expr::{Expr, Node, Pool, identifier};
use crate::mechanics::Mechanics;
use crate::program::{Newton, Singular, Statement, is_sharp, jumps, lets};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A program under construction for one system.
pub(super) struct Builder<'a> {
    /// The system; its pool owns all expressions.
    pub(super) x: &'a mut Mechanics,
    body: Vec<Statement>,
    /// The heading of the next statement.
    heading: Option<String>,
    names: Names,
    /// Symbols already bound to a value, so that equal quantities are bound once.
    bound: HashMap<Expr, Expr>,
    /// The step size.
    pub(super) h: Expr,
    /// Whether the program is for readers: residuals and Jacobian of Newton's method have names, which would hide from
    /// passes what an entry shares with others, and there are no higher derivatives.
    readable: bool,
    /// Whether constraints are eliminated from the equations of Newton's method where that is possible.
    pub(super) reduces: bool,
    /// Whether the parts that residuals of Newton's method share have names before they are differentiated.
    names_parts: bool,
    /// Whether linear equations are to be differentiated instead of their solution.
    implicit: bool,
    /// What of this has been done.
    pub(super) made: Made,
    /// The equations that have been solved, if they are to be differentiated.
    solved: Option<Vec<Solved>>,
    /// Whether accelerations are compared with those that there would be without reactions.
    pub(super) compares_sizes: bool,
    /// The pivots of what is being solved, where small ones are no failure.
    pub(super) watched: Option<Vec<Watched>>,
}

/// Names that are taken.
#[derive(Clone)]
struct Names {
    taken: HashSet<String>,
    /// For names that were asked for several times the smallest suffix that may be free.
    next: HashMap<String, usize>,
}

impl Names {
    /// Takes `name`, or `name_2`, `name_3`, …
    fn unique(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let unique = format!("{name}_{next}");
            *next += 1;
            if self.taken.insert(unique.clone()) {
                return unique;
            }
        }
    }

    /// Gives a name back.
    fn remove(&mut self, name: &str) {
        self.taken.remove(name);
        self.next.clear();
    }
}

/// What a step has of the forms that were asked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Made {
    /// Constraints have been eliminated.
    pub(super) reduced: bool,
    /// Parts of residuals have names.
    pub(super) parted: bool,
    /// Linear equations have been stated.
    pub(super) implicit: bool,
}

/// Equations that have been solved, for the derivatives of the solution.
pub(super) struct Solved {
    pub(super) unknowns: Vec<Expr>,
    /// The residuals at the solution.
    pub(super) residual: Vec<Expr>,
    /// The statements that compute the residuals from the unknowns: they follow the solution. Those that compute unknowns from
    /// others are among them.
    pub(super) at: Range<usize>,
    /// Linear equations; others have been solved by Newton's method.
    pub(super) linear: Option<SaddlePoint>,
}

/// Equations for Newton's method.
pub(super) struct Nonlinear<'a> {
    /// Their numbers.
    pub(super) stated: &'a str,
    /// What they are for.
    pub(super) unknowns: &'a [Expr],
    /// Where to start.
    pub(super) guess: &'a [Expr],
    /// Names of those that determine the unknowns: the coordinate or velocity of a momentum, the label of a constraint, or an
    /// auxiliary state.
    pub(super) names: Vec<String>,
    /// Names of their residuals.
    pub(super) residuals: Vec<String>,
    /// What is solved for last, if the linear equations of an iteration are not solved as a whole.
    pub(super) reduction: Option<Reduction<'a>>,
    /// The linear equations of an iteration for impulses, where these are the unknowns.
    pub(super) linear: Option<ImpulseEquations<'a>>,
}

/// M δw = νᵀδℓ and μ δw = −F, where F are the residuals.
#[derive(Clone, Copy)]
pub(super) struct ImpulseEquations<'a> {
    pub(super) mass: &'a Matrix,
    /// ∂F/∂w
    pub(super) mu: &'a Matrix,
    /// The one-forms at the node.
    pub(super) nu: &'a Matrix,
}

/// Elimination of constraints from the linear equations of an iteration. The first unknowns are velocities, and the first
/// equations those of momenta along them, in which the reaction of the constraints has been left out. The constraints come
/// next.
pub(super) struct Reduction<'a> {
    /// Which constraints are eliminated, and how.
    pub(super) plan: &'a Plan,
    /// The elimination at the place where their reaction acts: momenta are compared along its basis, which the reaction does
    /// not change.
    pub(super) at_node: &'a Elimination,
}

/// The norm of Newton's updates; see [`Newton`].
pub(super) struct Norm {
    pub(super) weights: Vec<Expr>,
    pub(super) scale2: Expr,
}

/// A point to return to; see [`Builder::scratch`].
pub(super) struct Scratch {
    length: usize,
    heading: Option<String>,
    names: Names,
    bound: HashMap<Expr, Expr>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(x: &'a mut Mechanics) -> Self {
        let system = &x.system;
        let declared =
            [&system.coordinates, &system.velocities, &system.parameters, &system.states, &system.inputs];
        let taken = declared.into_iter().flatten().map(|x| x.name.clone()).chain(["t".to_owned()]).collect();
        let names = Names { taken, next: HashMap::new() };
        let zero = x.system.pool.zero();
        let mut builder = Builder {
            x,
            body: Vec::new(),
            heading: None,
            names,
            bound: HashMap::new(),
            h: zero,
            readable: false,
            reduces: false,
            names_parts: false,
            implicit: false,
            made: Made::default(),
            solved: None,
            compares_sizes: false,
            watched: None,
        };
        builder.h = builder.local("h");
        builder
    }

    /// For a step in that form.
    pub(super) fn in_form(x: &'a mut Mechanics, form: Form) -> Self {
        let Form { readable, reduced, parted, implicit, .. } = form;
        Builder { readable, reduces: reduced, names_parts: parted, implicit, ..Builder::new(x) }
    }

    /// For a step in that form, whose equations are bound once more at their solution. [`Builder::solved`] gives them.
    pub(super) fn to_differentiate(x: &'a mut Mechanics, form: Form) -> Self {
        Builder { solved: Some(Vec::new()), ..Builder::in_form(x, form) }
    }

    /// Whether the equations are to be differentiated.
    pub(super) fn differentiates(&self) -> bool {
        self.solved.is_some()
    }

    /// Whether linear equations are to be stated by [`Builder::state`].
    pub(super) fn is_implicit(&self) -> bool {
        self.implicit
    }

    /// States linear equations of unknowns that have just been bound.
    pub(super) fn state(&mut self, unknowns: Vec<Expr>, residual: Vec<Expr>, equations: SaddlePoint) {
        let at = self.body.len()..self.body.len();
        if let Some(all) = &mut self.solved {
            all.push(Solved { unknowns, residual, at, linear: Some(equations) });
            self.made.implicit = true;
        }
    }

    /// What has been solved.
    pub(super) fn solved(&mut self) -> Vec<Solved> {
        self.solved.take().unwrap_or_default()
    }

    /// The statements written so far.
    pub(super) fn statements(&self) -> &[Statement] {
        &self.body
    }

    /// New symbols with these values, `prefix_0`, `prefix_1`, …
    pub(super) fn variables(&mut self, prefix: &str, values: &[Expr]) -> Vec<Expr> {
        let symbols = self.locals(prefix, values.len());
        for (&symbol, &value) in symbols.iter().zip(values) {
            self.push(Statement::Let { symbol, value });
        }
        symbols
    }

    /// The symbol that is bound to a value, if one is.
    pub(super) fn symbol_of(&self, value: Expr) -> Option<Expr> {
        self.bound.get(&value).copied()
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
        let unique = self.names.unique(name);
        self.pool().symbol(&unique)
    }

    /// The name of a symbol.
    pub(super) fn name(&self, symbol: Expr) -> String {
        let pool = &self.x.system.pool;
        pool.as_symbol(symbol).map_or_else(String::new, |s| pool.name(s).to_owned())
    }

    /// Binds the `values` of symbols that were unknown so far, by the names of these.
    pub(super) fn bind_unknowns(&mut self, symbols: &[Expr], values: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::with_capacity(values.len());
        for (&symbol, &value) in symbols.iter().zip(values) {
            let name = self.name(symbol);
            self.names.remove(&name);
            out.push(self.bind(&name, value));
        }
        out
    }

    /// Symbols `prefix`, or `prefix_0`, `prefix_1`, … if there are several.
    pub(super) fn locals(&mut self, prefix: &str, count: usize) -> Vec<Expr> {
        names_of_forms(prefix, count).iter().map(|name| self.local(name)).collect()
    }

    /// `prefix` + the `i`-th direction + `suffix`: a coordinate, or a velocity of the body, which is
    /// no derivative of anything with a name.
    pub(super) fn along(&self, prefix: &str, i: usize, suffix: &str) -> String {
        let is_derivative = i < self.x.system.shape();
        let prefix = if prefix == "dot_" && !is_derivative { "" } else { prefix };
        format!("{prefix}{}{suffix}", identifier(self.direction(i)))
    }

    /// The name of the `i`-th direction: of a coordinate, or of a velocity of the body.
    pub(super) fn direction(&self, i: usize) -> &str {
        let system = &self.x.system;
        if i < system.shape() { &system.coordinates[i].name } else { &system.velocities[i].name }
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

    /// What the next statements compute, with the number of the equation that they implement. The heading stands
    /// before the first of them; if there is none, there is no heading.
    pub(super) fn equation(&mut self, text: impl Into<String>) {
        self.heading = Some(text.into());
    }

    /// Appends a statement, after the heading if there is a new one.
    fn push(&mut self, statement: Statement) {
        self.body.extend(self.heading.take().map(Statement::Equation));
        self.body.push(statement);
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
        self.push(Statement::Let { symbol, value });
        symbol
    }

    /// A symbol for `value`, named after its formula if that is short, as `inv_m`; else `name`.
    pub(super) fn bind_described(&mut self, name: &str, value: Expr) -> Expr {
        let described = match self.pool().node(value) {
            Node::Sum(_) => None,
            _ => self.pool().short_name(value, true),
        };
        self.bind(described.as_deref().unwrap_or(name), value)
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
        let names = names_of_forms(prefix, values.len());
        names.iter().zip(values).map(|(name, &value)| self.bind(name, value)).collect()
    }

    /// `exprs`, given in the system's (q, v, t), at another point.
    pub(super) fn at(&mut self, exprs: &[Expr], q: &[Expr], v: &[Expr], t: Expr) -> Vec<Expr> {
        let z = self.x.z.clone();
        self.at_states(exprs, (q, v, &z), t)
    }

    /// The same with other auxiliary states.
    pub(super) fn at_states(
        &mut self,
        exprs: &[Expr],
        (q, v, z): (&[Expr], &[Expr], &[Expr]),
        t: Expr,
    ) -> Vec<Expr> {
        let mut map: HashMap<Expr, Expr> = HashMap::new();
        map.extend(self.x.q.iter().copied().zip(q.iter().copied()));
        map.extend(self.x.v.iter().copied().zip(v.iter().copied()));
        map.extend(self.x.z.iter().copied().zip(z.iter().copied()));
        map.insert(self.x.system.t, t);
        self.pool().substitute(exprs, &map)
    }

    /// L_q + f as functions of (q, v, t).
    pub(super) fn forces(&mut self) -> Vec<Expr> {
        let (l_q, f) = (self.x.dl_dq.clone(), self.x.force.clone());
        l_q.into_iter().zip(f).map(|(a, b)| self.add(a, b)).collect()
    }

    /// A matrix of functions of (q, t) at another configuration and time.
    pub(super) fn matrix_at(&mut self, matrix: &Matrix, q: &[Expr], t: Expr) -> Matrix {
        let columns = matrix.first().map_or(0, Vec::len);
        if columns == 0 {
            return matrix.clone();
        }
        let v = self.x.v.clone();
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

    /// (v_pre + v_post)/2, bound.
    pub(super) fn mean_velocity(&mut self, v_pre: &[Expr], v_post: &[Expr]) -> Vec<Expr> {
        let half = self.pool().ratio(1, 2);
        let means = v_pre.iter().zip(v_post).map(|(&pre, &post)| {
            let sum = self.add(pre, post);
            self.mul(half, sum)
        });
        let means: Vec<Expr> = means.collect();
        self.bind_velocities("dot_", "_mean", &means)
    }

    /// Whether M couples a velocity with another one.
    pub(super) fn couples_velocities(&self) -> bool {
        coupled_blocks(&self.x.system.pool, &self.x.inertia).len() < self.x.n()
    }

    /// A·x for a matrix given by rows.
    pub(super) fn apply(&mut self, a: &Matrix, x: &[Expr]) -> Vec<Expr> {
        a.iter().map(|row| crate::expr::linear::dot(self.pool(), row, x)).collect()
    }

    /// A·X for matrices given by rows, where X has so many columns.
    pub(super) fn product(&mut self, a: &Matrix, x: &Matrix, columns: usize) -> Matrix {
        a.iter().map(|row| self.apply_transposed(x, row, columns)).collect()
    }

    /// −A.
    pub(super) fn negated(&mut self, a: &[Vec<Expr>]) -> Matrix {
        a.iter().map(|row| row.iter().map(|&e| self.pool().neg(e)).collect()).collect()
    }

    /// Symbols for the entries of a matrix.
    pub(super) fn bind_matrix(&mut self, name: &str, matrix: &Matrix) -> Matrix {
        matrix.iter().map(|row| row.iter().map(|&e| self.bind(name, e)).collect()).collect()
    }

    /// Aᵀ·x for a matrix of `columns` columns given by rows.
    pub(super) fn apply_transposed(&mut self, a: &Matrix, x: &[Expr], columns: usize) -> Vec<Expr> {
        (0..columns)
            .map(|j| {
                let column: Vec<Expr> = a.iter().map(|row| row[j]).collect();
                crate::expr::linear::dot(self.pool(), &column, x)
            })
            .collect()
    }

    /// The function fails with `what` if `pivot`, of this row, is not positive relative to `diagonal`, unless pivots are being
    /// [collected](Builder::watch).
    pub(super) fn pivot(&mut self, pivot: Expr, diagonal: Expr, what: Singular, row: usize) {
        if let Some(watched) = &mut self.watched {
            watched.push(Watched { pivot, diagonal, what, row });
            return;
        }
        let test = Statement::Pivot { pivot, diagonal, what };
        if !self.body.contains(&test) {
            self.push(test);
        }
    }

    /// Starts a trial: later bindings can be [discarded](Self::discard).
    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            length: self.body.len(),
            heading: self.heading.clone(),
            names: self.names.clone(),
            bound: self.bound.clone(),
        }
    }

    /// Forgets everything bound since `scratch`.
    pub(super) fn discard(&mut self, scratch: Scratch) {
        self.body.truncate(scratch.length);
        self.heading = scratch.heading;
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
    /// Names are as in [`Builder::solve_ordered`].
    pub(super) fn solve_definite(
        &mut self,
        what: Singular,
        a: &Matrix,
        rhs: &Matrix,
        unknowns: &[Vec<String>],
    ) -> Matrix {
        let mut x = rhs.clone();
        for block in coupled_blocks(self.pool(), a) {
            let part = |block: &[usize]| -> Matrix {
                block.iter().map(|&i| block.iter().map(|&j| a[i][j]).collect()).collect()
            };
            let order = least_degree(self.pool(), &part(&block), Vec::new());
            let block: Vec<usize> = order.iter().map(|&[i, _]| block[i]).collect();
            let sub = part(&block);
            let r: Matrix = block.iter().map(|&i| rhs[i].clone()).collect();
            if r.iter().flatten().all(|&e| self.pool().is_zero(e)) {
                continue;
            }
            let order = Order { rows: block.clone(), columns: block.clone(), unknowns };
            let solution = self.eliminate(&sub, &r, &order, Pivots::Definite(what));
            for (i, row) in block.into_iter().zip(solution) {
                x[i] = row;
            }
        }
        x
    }

    /// Solves A X = R by elimination without exchanges: for matrices such as M + O(h), bordered by constraints. Velocities that
    /// a constraint gives at once and the impulses that keep them are eliminated first, which leaves such a matrix for the
    /// others; these are in the [order of least degree](least_degree). The entries of the solution are named as in
    /// `unknowns`, if that is not empty.
    pub(super) fn solve_ordered(&mut self, a: &Matrix, rhs: &Matrix, unknowns: &[Vec<String>]) -> Matrix {
        let pairs = given_at_once(self.pool(), a);
        // The constraint's row with the velocity's column as pivot, then the other way round.
        let given = pairs.iter().flat_map(|&[c, j]| [[c, j], [j, c]]);
        let order = least_degree(self.pool(), a, given.collect());
        let [rows, columns] = [0, 1].map(|side| order.iter().map(|pivot| pivot[side]).collect::<Vec<_>>());
        let ordered = rows.iter().map(|&i| columns.iter().map(|&j| a[i][j]).collect()).collect();
        let ordered_rhs = rows.iter().map(|&i| rhs[i].clone()).collect();
        let mut solution = rhs.clone();
        let given = pairs.as_flattened().len();
        let order = Order { rows, columns: columns.clone(), unknowns };
        let solution_of_columns = self.eliminate(&ordered, &ordered_rhs, &order, Pivots::Regular { given });
        for (j, x) in columns.into_iter().zip(solution_of_columns) {
            solution[j] = x;
        }
        solution
    }

    /// Collects the pivots of C at a node, if those of a solution are collected.
    pub(super) fn watch_c(&mut self, node: (&[Expr], Expr), c: &Matrix) {
        if self.watched.is_none() {
            return;
        }
        let determinant = self.x.reaction.clone().and_then(|reaction| reaction.det);
        for block in coupled_blocks(self.pool(), c) {
            let part: Matrix = block.iter().map(|&a| block.iter().map(|&b| c[a][b]).collect()).collect();
            match &block[..] {
                [_] => {}
                &[a, _] => {
                    let product = self.mul(part[0][0], part[1][1]);
                    let determinant = match determinant.filter(|_| c.len() == 2) {
                        Some(known) => {
                            let v = self.x.v.clone();
                            self.at(&[known], node.0, &v, node.1)[0]
                        }
                        None => {
                            let square = self.pool().powi(part[0][1], 2);
                            self.sub(product, square)
                        }
                    };
                    let determinant = self.bind("det_c", determinant);
                    self.pivot(determinant, product, Singular::Constraints, a);
                }
                _ => {
                    let order = Order { rows: block.clone(), columns: block.clone(), unknowns: &[] };
                    let nothing = vec![Vec::new(); block.len()];
                    self.eliminate(&part, &nothing, &order, Pivots::Definite(Singular::Constraints));
                }
            }
        }
    }

    /// Elimination A = L U without exchanges, row by row; the right-hand sides are carried along as further
    /// columns. What is left of A after some columns is a Schur complement. The last two equations are solved as a pair
    /// where nothing says that the pivots are positive.
    fn eliminate(&mut self, a: &Matrix, rhs: &Matrix, order: &Order<'_>, pivots: Pivots) -> Matrix {
        let n = a.len();
        let mut rows: Matrix = a.iter().zip(rhs).map(|(a, r)| [a.as_slice(), r].concat()).collect();
        let mut solution: Matrix = Vec::new();
        for k in 0..n {
            let ends_in_pair = matches!(pivots, Pivots::Regular { given } if given <= k) && k + 2 == n;
            if ends_in_pair && !self.pool().is_zero(rows[k][k + 1]) && !self.pool().is_zero(rows[k + 1][k]) {
                solution = self.last_pair(&rows, order);
                break;
            }
            let pivot = self.bind_described("pivot", rows[k][k]);
            rows[k][k] = pivot;
            let what = match pivots {
                Pivots::Definite(what) => Some(what),
                // μM⁻¹μᵀ where the pivots of a solution are collected.
                Pivots::Regular { .. } => self.watched.is_some().then_some(Singular::Constraints),
            };
            if let Some(what) = what {
                let diagonal = self.bind("diagonal", a[k][k]);
                self.pivot(pivot, diagonal, what, order.rows[k]);
            }
            let (done, below) = rows.split_at_mut(k + 1);
            let pivot_row = &mut done[k];
            // Equations below and the solution share its derivatives.
            if self.differentiates() && below.iter().any(|row| !self.pool().is_zero(row[k])) {
                for entry in &mut pivot_row[n..] {
                    *entry = self.bind(&order.right_hand_side(k), *entry);
                }
            }
            let pivot_row = &*pivot_row;
            for (i, row) in (k + 1..).zip(below) {
                if self.pool().is_zero(row[k]) {
                    continue;
                }
                let factor = self.pool().div(row[k], pivot);
                let factor = self.bind(&order.entry("l", i, k), factor);
                for (j, (entry, &above)) in row.iter_mut().zip(pivot_row).enumerate().skip(k + 1) {
                    let name = if j < n { order.entry("schur", i, j) } else { order.right_hand_side(i) };
                    *entry = self.subtract_product(&name, *entry, factor, above);
                }
            }
        }
        let known = solution.len();
        for (i, row) in rows.iter().enumerate().rev().skip(known) {
            let mut x = row[n..].to_vec();
            for (&coefficient, known) in row[i + 1..n].iter().zip(solution.iter().rev()) {
                for (x, &known) in x.iter_mut().zip(known) {
                    let product = self.mul(coefficient, known);
                    *x = self.sub(*x, product);
                }
            }
            for (c, x) in x.iter_mut().enumerate() {
                let quotient = self.pool().div(*x, row[i]);
                *x = if n == 1 { quotient } else { self.bind(&order.solution(i, c), quotient) };
            }
            solution.push(x);
        }
        solution.reverse();
        solution
    }

    /// The last two unknowns of an elimination, the last one first.
    fn last_pair(&mut self, rows: &Matrix, order: &Order<'_>) -> Matrix {
        let (n, k) = (rows.len(), rows.len() - 2);
        if self.watched.is_some() {
            let [[a, b], [c, d]] = [&rows[k], &rows[k + 1]].map(|row| [row[k], row[k + 1]]);
            let (product, other) = (self.mul(a, d), self.mul(b, c));
            let determinant = self.sub(product, other);
            let determinant = self.bind("det", determinant);
            self.pivot(a, a, Singular::Constraints, order.rows[k]);
            self.pivot(determinant, product, Singular::Constraints, order.rows[k]);
        }
        let mut solution = vec![Vec::new(), Vec::new()];
        for c in n..rows[k].len() {
            let pair = [&rows[k], &rows[k + 1]].map(|row| [row[k], row[k + 1], row[c]]);
            for (i, x) in self.solve_pair(pair).into_iter().enumerate() {
                solution[1 - i].push(self.bind(&order.solution(k + i, c - n), x[0]));
            }
        }
        solution
    }

    /// Solves two equations, rows of coefficients and right-hand side, by Cramer's rule: with one division, while
    /// elimination has two on its critical path.
    fn solve_pair(&mut self, [a, b]: [[Expr; 3]; 2]) -> Matrix {
        let names = [["jac_11", "jac_12", "rhs_1"], ["jac_21", "jac_22", "rhs_2"]];
        let [a, b] = [(a, names[0]), (b, names[1])].map(|(row, names)| {
            let [x, y, r] = row;
            [self.bind(names[0], x), self.bind(names[1], y), self.bind(names[2], r)]
        });
        let mut minor = |i: usize, j: usize| {
            let products = [(a[i], b[j]), (a[j], b[i])].map(|(x, y)| self.mul(x, y));
            self.sub(products[0], products[1])
        };
        let [det, first, second] = [minor(0, 1), minor(2, 1), minor(0, 2)];
        let det = self.bind("det", det);
        [first, second].map(|x| vec![self.pool().div(x, det)]).to_vec()
    }

    fn subtract_product(&mut self, name: &str, from: Expr, a: Expr, b: Expr) -> Expr {
        let product = self.mul(a, b);
        if self.pool().is_zero(product) {
            return from;
        }
        let value = self.sub(from, product);
        self.bind(name, value)
    }

    /// Writes a Newton iteration with updates measured by `norm`. Everything that `body` binds stays inside the loop.
    /// Its results are the residuals; the update follows from their total derivatives. Where all unknowns have been eliminated,
    /// nothing is left to be solved.
    pub(super) fn newton(
        &mut self,
        equations: Nonlinear<'_>,
        norm: Norm,
        body: impl Fn(&mut Self) -> Vec<Expr>,
    ) {
        let Nonlinear { stated, unknowns, guess, names, residuals, reduction, linear } = equations;
        if unknowns.is_empty() {
            return;
        }
        // Pivots of an iteration are known only in it.
        let watched = self.watched.take();
        let outside = std::mem::take(&mut self.body);
        let bound_outside = self.bound.clone();
        self.equation(format!("Newton residual of {stated}"));
        let mut residual = body(self);
        if self.names_parts {
            residual = self.with_named_parts(&residual, unknowns);
        }
        let mut jacobian = self.total_jacobian(&residual, unknowns);
        if self.readable {
            for (residual, name) in residual.iter_mut().zip(&residuals) {
                *residual = self.bind(name, *residual);
            }
            self.equation("Newton Jacobian: jac_ij of residual i by unknown j");
            for (i, row) in jacobian.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry = self.bind(&entry_name("jac", i, j, unknowns.len()), *entry);
                }
            }
        }
        self.equation("elimination: Jacobian · delta = −residual");
        let updates: Vec<String> = unknowns.iter().map(|&x| format!("delta_{}", self.name(x))).collect();
        let mut delta = match &reduction {
            Some(reduction) => self.reduced_update(reduction, (&jacobian, &residual), &updates),
            None => self.update((&jacobian, &residual), &updates),
        };
        if let (Some(ImpulseEquations { mass, mu, nu }), Some(watched)) = (linear, &watched) {
            let at_rest = vec![self.pool().zero(); mass.len()];
            let r = self.negated(&[residual.clone()]).concat();
            let equations = LinearEquations { mass, mu, nu: Some(nu), f: &at_rest, r: &r };
            delta = self.multipliers_of_iteration(&equations, &delta, watched);
        }
        self.watched = watched;
        let derivatives = match (unknowns, &*jacobian) {
            ([x], [slope]) if !self.readable => self.higher_derivatives(*x, slope[0]),
            _ => Vec::new(),
        };
        let inside = std::mem::replace(&mut self.body, outside);
        let is_sharp = is_sharp(&self.x.system.pool, unknowns, &inside, &residual);
        let jumps = is_sharp && jumps(&self.x.system.pool, unknowns, &inside, &residual);
        self.bound = bound_outside;
        self.equation(format!("solution of {stated} by Newton's method, from the values of the last step"));
        self.push(Statement::Newton(Newton {
            unknowns: unknowns.to_vec(),
            guess: guess.to_vec(),
            fallback: Vec::new(),
            weights: norm.weights,
            scale2: norm.scale2,
            is_sharp,
            jumps,
            equations: names,
            body: inside,
            delta,
            derivatives,
            last_iterate: Vec::new(),
        }));
        if self.differentiates() && reduction.is_none() {
            self.equation(format!("residual of {stated} at the solution"));
            let start = self.body.len();
            let residual = body(self);
            self.keep(start, unknowns.to_vec(), residual);
        }
    }

    /// Keeps equations that have been solved by Newton's method: the statements from `start` compute their residuals.
    pub(super) fn keep(&mut self, start: usize, unknowns: Vec<Expr>, residual: Vec<Expr>) {
        let at = start..self.body.len();
        if let Some(all) = &mut self.solved {
            all.push(Solved { unknowns, residual, at, linear: None });
        }
    }

    /// `residual` with names for the sums that several of its terms have in common and that change in an iteration. The
    /// Jacobian then has their derivatives in common as well, and not the derivatives of everything that they occur in.
    fn with_named_parts(&mut self, residual: &[Expr], unknowns: &[Expr]) -> Vec<Expr> {
        let all = self.pool().reachable(residual);
        let mut uses: HashMap<Expr, usize> = HashMap::new();
        for &e in &all {
            self.pool().for_each_child(e, |c| *uses.entry(c).or_default() += 1);
        }
        let bound = lets(&self.body).map(|(symbol, _)| symbol);
        let mut changing: HashSet<Expr> = unknowns.iter().copied().chain(bound).collect();
        let mut image: HashMap<Expr, Expr> = HashMap::new();
        for e in all {
            if self.pool().children(e).iter().any(|c| changing.contains(c)) {
                changing.insert(e);
            }
            let mut new = self.pool().rebuild(e, |c| image[&c]);
            let is_shared = uses.get(&e).is_some_and(|&n| n > 1) && changing.contains(&e);
            if is_shared && matches!(self.pool().node(new), Node::Sum(_)) {
                new = self.bind("part", new);
                self.made.parted = true;
            }
            image.insert(e, new);
        }
        residual.iter().map(|e| image[e]).collect()
    }

    /// The solution of Jacobian · delta = −residual.
    fn update(&mut self, (jacobian, residual): (&Matrix, &[Expr]), names: &[String]) -> Vec<Expr> {
        let minus: Matrix = residual.iter().map(|&r| vec![self.pool().neg(r)]).collect();
        if let [row] = &**jacobian {
            self.bind("jac", row[0]);
        }
        let delta = match (&**jacobian, &*minus) {
            ([a, b], [r, s]) if !self.pool().is_zero(a[1]) && !self.pool().is_zero(b[0]) => {
                self.solve_pair([[a[0], a[1], r[0]], [b[0], b[1], s[0]]])
            }
            _ => {
                let names: Vec<Vec<String>> = names.iter().map(|name| vec![name.clone()]).collect();
                self.solve_ordered(jacobian, &minus, &names)
            }
        };
        delta.into_iter().map(|row| row[0]).collect()
    }

    /// The same where constraints are eliminated first: delta = D u + d with what the constraints annihilate and a solution of
    /// theirs, and the other equations for u.
    fn reduced_update(
        &mut self,
        Reduction { plan, at_node }: &Reduction<'_>,
        (jacobian, residual): (&Matrix, &[Expr]),
        names: &[String],
    ) -> Vec<Expr> {
        let n = self.x.n();
        let tangent = plan.applied(self, n, |a| (&jacobian[n + a][..n], residual[n + a]));
        // The equations that are left, with their residuals: momenta along the basis, then the others.
        let mut left: Vec<(Vec<Expr>, Expr)> = Vec::new();
        for vector in at_node.basis() {
            let row = self.apply_transposed(&jacobian[..n].to_vec(), vector, names.len());
            let row: Vec<Expr> = row.into_iter().map(|e| self.bind("projected", e)).collect();
            let residual = crate::expr::linear::dot(self.pool(), vector, &residual[..n]);
            left.push((row, residual));
        }
        let others = (n..residual.len()).filter(|i| *i >= n + plan.rows() || plan.rest.contains(&(i - n)));
        left.extend(others.map(|i| (jacobian[i].clone(), residual[i])));
        let mut matrix = Vec::with_capacity(left.len());
        let mut defects = Vec::with_capacity(left.len());
        for (row, residual) in left {
            let (along, rest) = row.split_at(n);
            let mut reduced: Vec<Expr> =
                tangent.basis().map(|d| crate::expr::linear::dot(self.pool(), along, d)).collect();
            reduced.extend_from_slice(rest);
            matrix.push(reduced);
            let known = crate::expr::linear::dot(self.pool(), along, &tangent.particular);
            defects.push(self.add(residual, known));
        }
        let free = tangent.basis().count();
        let (velocities, others) = names.split_at(n);
        let names: Vec<String> =
            (0..free).map(|i| format!("free_{i}")).chain(others.iter().cloned()).collect();
        let solved = self.update((&matrix, &defects), &names);
        let mut delta = tangent.particular.clone();
        for (vector, &u) in tangent.basis().zip(&solved) {
            delta = self.axpy(&delta, u, vector);
        }
        let delta = velocities.iter().zip(&delta).map(|(name, &x)| self.bind(name, x)).collect::<Vec<_>>();
        [&delta, &solved[free..]].concat()
    }

    /// F′, F″ and F‴ for the `slope` F′ of one equation for `x`; none where a map of a group has no known derivative.
    fn higher_derivatives(&mut self, x: Expr, slope: Expr) -> Vec<Expr> {
        let mut derivative = slope;
        let mut all = vec![self.bind("jac", slope)];
        for _ in 0..2 {
            derivative = self.total_jacobian(&[derivative], &[x])[0][0];
            all.push(derivative);
        }
        let are_known = !self.pool().reachable(&all).contains(&self.x.system.pool.undefined());
        if are_known { all } else { Vec::new() }
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
                crate::expr::linear::dot(self.pool(), &partial, &column)
            })
            .collect()
    }
}

/// `prefix`, or `prefix_0`, `prefix_1`, … if there are several.
pub(super) fn names_of_forms(prefix: &str, count: usize) -> Vec<String> {
    match count {
        1 => vec![prefix.to_owned()],
        _ => (0..count).map(|i| format!("{prefix}_{i}")).collect(),
    }
}

/// `prefix_21` of the second row and the first column of an n × n matrix, `prefix_12_1` for n above 9.
fn entry_name(prefix: &str, row: usize, column: usize, n: usize) -> String {
    format!("{prefix}_{}{}{}", row + 1, if n > 9 { "_" } else { "" }, column + 1)
}

/// What is known of the pivots of an elimination.
#[derive(Clone, Copy)]
enum Pivots {
    /// They are positive, or the function fails with this.
    Definite(Singular),
    /// They do not vanish; the first ones, as many as `given`, are numbers.
    Regular { given: usize },
}

/// Rows and columns of a matrix in the order of elimination, for names of what is computed on the way.
struct Order<'a> {
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// Names of the unknowns in their own order, by right-hand sides, if they have any.
    unknowns: &'a [Vec<String>],
}

impl Order<'_> {
    fn entry(&self, prefix: &str, row: usize, column: usize) -> String {
        let last = self.rows.iter().chain(&self.columns).max().map_or(0, |&last| last + 1);
        entry_name(prefix, self.rows[row], self.columns[column], last)
    }

    fn right_hand_side(&self, row: usize) -> String {
        format!("rhs_{}", self.rows[row] + 1)
    }

    fn solution(&self, column: usize, right_hand_side: usize) -> String {
        let j = self.columns[column];
        let name = self.unknowns.get(j).map(|names| names[right_hand_side].clone());
        name.unwrap_or_else(|| format!("solved_{}", j + 1))
    }
}

/// Whether a constraint of a bordered matrix gives a velocity at once.
pub(super) fn has_given(pool: &Pool, a: &Matrix) -> bool {
    !given_at_once(pool, a).is_empty()
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

/// Pivots, as row and column, of an elimination of A = M + O(h), bordered by constraints, which begins with the `pivots` that
/// are given: of what is left the one on the diagonal that has the fewest other entries in its row and column (Markowitz
/// 1957). A constraint, which has no entry on the diagonal, is eliminated when no unknown is left in it: before, its pivot
/// could vanish in some states. Then the pivots are as regular as those of M and of the Schur complement of the constraints.
pub(super) fn least_degree(pool: &Pool, a: &Matrix, mut pivots: Vec<[usize; 2]>) -> Vec<[usize; 2]> {
    let filled = a.iter().map(|row| row.iter().map(|&entry| !pool.is_zero(entry)).collect());
    let mut pattern =
        Pattern { filled: filled.collect(), rows: (0..a.len()).collect(), columns: (0..a.len()).collect() };
    pivots.iter().for_each(|&pivot| pattern.eliminate(pivot));
    let coupled = pattern.filled.clone();
    let is_constraint = |i: usize| pool.is_zero(a[i][i]);
    loop {
        let left = &pattern.rows;
        let is_left_in =
            |i: usize| left.iter().any(|&j| !is_constraint(j) && (coupled[i][j] || coupled[j][i]));
        let candidates = left.iter().copied().filter(|&i| !is_constraint(i) || !is_left_in(i));
        let Some(next) = candidates.min_by_key(|&i| pattern.degree(i)) else { return pivots };
        pattern.eliminate([next; 2]);
        pivots.push([next; 2]);
    }
}

/// Which entries of a matrix are not zero identically, in the rows and columns that are left.
struct Pattern {
    filled: Vec<Vec<bool>>,
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl Pattern {
    /// A bound on the number of entries that a pivot on the diagonal fills.
    fn degree(&self, pivot: usize) -> usize {
        let in_column = self.rows.iter().filter(|&&i| i != pivot && self.filled[i][pivot]).count();
        let in_row = self.columns.iter().filter(|&&j| j != pivot && self.filled[pivot][j]).count();
        in_column * in_row
    }

    fn eliminate(&mut self, [r, c]: [usize; 2]) {
        self.rows.retain(|&i| i != r);
        self.columns.retain(|&j| j != c);
        for &i in self.rows.iter().filter(|&&i| self.filled[i][c]).collect::<Vec<_>>() {
            for &j in &self.columns {
                self.filled[i][j] |= self.filled[r][j];
            }
        }
    }
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
    fn pivots_of_least_degree_come_first_and_constraints_after_their_unknowns() {
        let mut pool = Pool::default();
        let order = |pool: &Pool, a: &Matrix| -> Vec<usize> {
            least_degree(pool, a, Vec::new()).into_iter().map(|[i, _]| i).collect()
        };
        // The first unknown is coupled to all others, which are not coupled to each other.
        let arrow = [["x", "x", "x", "x"], ["x", "x", "0", "0"], ["x", "0", "x", "0"], ["x", "0", "0", "x"]];
        let arrow = matrix(&mut pool, arrow);
        assert_eq!(order(&pool, &arrow), [1, 2, 0, 3]);
        // The last row is a constraint of the first unknown: without it, it has no pivot.
        let bordered = [["x", "x", "x"], ["x", "x", "0"], ["x", "0", "0"]];
        let bordered = matrix(&mut pool, bordered);
        assert_eq!(order(&pool, &bordered), [1, 0, 2]);
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
