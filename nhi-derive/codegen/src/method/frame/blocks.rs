//! Equations x = f(x) of a step, block by block.
//!
//! The equations fall into blocks that follow from earlier ones, the strongly connected components of what uses what. Within a
//! block, most of the equations give a value as soon as others are known; those unknowns that are left, such that all others
//! follow from them one after the other (tearing), are the unknowns of Newton's method. Affine equations are solved at once.

use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};
use crate::method::builder::{Builder, Nonlinear, Norm};
use std::collections::HashMap;

/// `symbol` = `value`, which may contain other symbols, and its own.
pub(super) struct Assignment {
    pub(super) symbol: Expr,
    pub(super) value: Expr,
    /// What Newton's method needs to know, unless the value is part of another one and never an unknown.
    pub(super) unknown: Option<Unknown>,
    /// The pose that the value is an entry of, if it is one. All entries are computed where one of them is: derivatives of a pose are
    /// those of all.
    pub(super) pose: Option<usize>,
}

impl Assignment {
    /// A value that is never an unknown.
    pub(super) fn of(symbol: Expr, value: Expr) -> Assignment {
        Assignment { symbol, value, unknown: None, pose: None }
    }

    /// The entries of a pose.
    pub(super) fn pose(number: usize, entries: impl IntoIterator<Item = (Expr, Expr)>) -> Vec<Assignment> {
        let entries = entries.into_iter();
        entries
            .map(|(symbol, value)| Assignment { pose: Some(number), ..Assignment::of(symbol, value) })
            .collect()
    }
}

/// An unknown of Newton's method.
pub(super) struct Unknown {
    pub(super) guess: Expr,
    /// Its weight in the norm of updates.
    pub(super) weight: Expr,
    /// What it is called in messages.
    pub(super) name: String,
}

/// Which assignments use which.
struct Uses(Vec<Vec<usize>>);

impl Uses {
    fn of(pool: &Pool, all: &[Assignment]) -> Uses {
        let of = |one: &Assignment| {
            let direct = |j: &usize| pool.depends_on(one.value, &[all[*j].symbol]);
            let direct: Vec<usize> = (0..all.len()).filter(direct).collect();
            let is_pose =
                |j: usize| all[j].pose.is_some() && direct.iter().any(|&i| all[i].pose == all[j].pose);
            (0..all.len()).filter(|j| direct.contains(j) || is_pose(*j)).collect::<Vec<_>>()
        };
        Uses(all.iter().map(of).collect())
    }

    /// Whether `i` uses `j` directly or by way of others.
    fn reach(&self) -> Vec<Vec<bool>> {
        let reach = |i: usize| {
            let (mut seen, mut open) = (vec![false; self.0.len()], vec![i]);
            while let Some(i) = open.pop() {
                for &j in &self.0[i] {
                    if !seen[j] {
                        seen[j] = true;
                        open.push(j);
                    }
                }
            }
            seen
        };
        (0..self.0.len()).map(reach).collect()
    }

    /// The blocks, each after those that it uses.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let reach = self.reach();
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut is_done = vec![false; self.0.len()];
        while let Some(first) = (0..is_done.len())
            .find(|&i| !is_done[i] && (0..is_done.len()).all(|j| is_done[j] || !reach[i][j] || reach[j][i]))
        {
            let is_in = |&j: &usize| j == first || reach[first][j] && reach[j][first];
            let block: Vec<usize> = (0..is_done.len()).filter(is_in).collect();
            block.iter().for_each(|&i| is_done[i] = true);
            blocks.push(block);
        }
        blocks
    }

    /// The rest of a block without `known`, in an order in which each uses known and earlier ones alone.
    fn sorted(&self, block: &[usize], known: &[usize]) -> Option<Vec<usize>> {
        let mut open: Vec<usize> = block.iter().copied().filter(|i| !known.contains(i)).collect();
        let mut order = Vec::with_capacity(open.len());
        while !open.is_empty() {
            let next = open.iter().position(|&i| self.0[i].iter().all(|j| !open.contains(j)))?;
            order.push(open.remove(next));
        }
        Some(order)
    }

    /// The unknowns of a block that are left, and the rest in order. An unknown is left if the others do not follow without it;
    /// the first ones are tried first.
    fn torn(&self, block: &[usize], all: &[Assignment]) -> (Vec<usize>, Vec<usize>) {
        let mut left: Vec<usize> = block.iter().copied().filter(|&i| all[i].unknown.is_some()).collect();
        let mut others = self.sorted(block, &left).expect("parts of values depend on unknowns");
        for i in left.clone() {
            let fewer: Vec<usize> = left.iter().copied().filter(|&j| j != i).collect();
            if let Some(order) = self.sorted(block, &fewer) {
                (left, others) = (fewer, order);
            }
        }
        (left, others)
    }
}

/// Values of symbols.
pub(super) struct Values(HashMap<Expr, Expr>);

impl Values {
    pub(super) fn of(&self, symbols: &[Expr]) -> Vec<Expr> {
        symbols.iter().map(|x| self.0[x]).collect()
    }

    fn at(&self, b: &mut Builder<'_>, e: Expr) -> Expr {
        b.pool().substitute(&[e], &self.0)[0]
    }

    /// Binds the values of `others` by their names.
    fn bind(&mut self, b: &mut Builder<'_>, all: &[Assignment], others: &[usize]) {
        for &i in others {
            let value = self.at(b, all[i].value);
            let bound = b.bind_unknowns(&[all[i].symbol], &[value])[0];
            self.0.insert(all[i].symbol, bound);
        }
    }

    /// Binds the unknowns that are left of a block, and then its others.
    fn solve(
        &mut self,
        b: &mut Builder<'_>,
        all: &[Assignment],
        (left, others): (&[usize], &[usize]),
        (stated, scale2): (&str, Expr),
    ) {
        let unknowns: Vec<Expr> = left.iter().map(|&i| all[i].symbol).collect();
        let of = |i: &usize| all[*i].unknown.as_ref().expect("what is left is unknown");
        let guess: Vec<Expr> = left.iter().map(|i| of(i).guess).collect();
        let body = |b: &mut Builder<'_>| -> Vec<Expr> {
            let mut values = Values(self.0.clone());
            for &i in others {
                let value = values.at(b, all[i].value);
                let name = format!("{}_try", b.name(all[i].symbol));
                values.0.insert(all[i].symbol, b.bind(&name, value));
            }
            let mut residual = Vec::with_capacity(left.len());
            for &i in left {
                let value = values.at(b, all[i].value);
                residual.push(b.sub(all[i].symbol, value));
            }
            residual
        };
        let scratch = b.scratch();
        let residual = body(b);
        let closed = b.close(&residual, &scratch);
        b.discard(scratch);
        let jacobian: Matrix = closed.iter().map(|&e| b.pool().gradient(e, &unknowns)).collect();
        if !b.pool().are_affine(&closed, &jacobian.concat(), &unknowns) {
            b.equation("norm of Newton's updates");
            let scale2 = b.bind("scale2", scale2);
            let weights = left.iter().map(|i| b.bind("weight", of(i).weight)).collect();
            let names = left.iter().map(|i| of(i).name.clone()).collect();
            let residuals = unknowns.iter().map(|&x| format!("residual_{}", b.name(x))).collect();
            let equations = Nonlinear {
                stated,
                unknowns: &unknowns,
                guess: &guess,
                names,
                residuals,
                reduction: None,
                linear: None,
            };
            b.newton(equations, Norm { weights, scale2 }, body);
            self.0.extend(unknowns.iter().map(|&x| (x, x)));
        } else {
            // One of Newton's updates is exact.
            let start: HashMap<Expr, Expr> = unknowns.iter().copied().zip(guess.iter().copied()).collect();
            let defects = b.pool().substitute(&closed, &start);
            let minus: Matrix = defects.into_iter().map(|e| vec![b.pool().neg(e)]).collect();
            let names: Vec<Vec<String>> =
                unknowns.iter().map(|&x| vec![format!("change_{}", b.name(x))]).collect();
            b.equation(format!("{stated}: linear equations"));
            let change = b.solve_ordered(&jacobian, &minus, &names);
            let solution: Vec<Expr> =
                guess.iter().zip(change).map(|(&x, change)| b.add(x, change[0])).collect();
            let bound = b.bind_unknowns(&unknowns, &solution);
            self.0.extend(unknowns.iter().copied().zip(bound));
        }
        b.equation(format!("{stated}: values that follow"));
        self.bind(b, all, others);
    }
}

/// Binds all symbols to the solution of their equations, `stated` in the documentation of the step. `scale2` is the scale of
/// Newton's updates.
pub(super) fn solve(b: &mut Builder<'_>, all: &[Assignment], stated: &str, scale2: Expr) -> Values {
    let uses = Uses::of(b.pool(), all);
    let mut values = Values(HashMap::new());
    b.equation(stated);
    for block in uses.blocks() {
        let (left, others) = uses.torn(&block, all);
        if left.is_empty() {
            values.bind(b, all, &others);
        } else {
            values.solve(b, all, (&left, &others), (stated, scale2));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_unknowns_are_left_of_blocks() {
        let mut pool = Pool::new();
        let [theta, omega, u, part, x] = ["theta", "omega", "u", "part", "x"].map(|name| pool.symbol(name));
        let zero = pool.zero();
        let product = pool.mul(part, u);
        let square = pool.powi(omega, 2);
        let sum = pool.add(theta, u);
        let one = |symbol: Expr, value: Expr, is_unknown: bool| Assignment {
            unknown: is_unknown.then(|| Unknown { guess: zero, weight: zero, name: String::new() }),
            ..Assignment::of(symbol, value)
        };
        let all = [
            one(x, sum, true),
            one(theta, omega, true),
            one(omega, product, true),
            one(u, square, true),
            one(part, theta, false),
        ];
        let uses = Uses::of(&pool, &all);
        let blocks = uses.blocks();
        assert_eq!(blocks, [vec![1, 2, 3, 4], vec![0]]);
        assert_eq!(uses.torn(&blocks[0], &all), (vec![2], vec![1, 3, 4]));
        assert_eq!(uses.torn(&blocks[1], &all), (vec![], vec![0]));
    }
}
