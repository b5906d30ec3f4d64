//! Until the pool has a zero test.
use crate::expr::{Expr, Pool};

pub(crate) trait ZeroTest {
    fn vanishes(&mut self, e: Expr) -> bool;
    fn rank(&mut self, rows: &[Vec<Expr>]) -> usize;
}

impl ZeroTest for Pool {
    fn vanishes(&mut self, e: Expr) -> bool {
        self.expand(e, 1000).is_some_and(|e| self.is_zero(e))
    }

    fn rank(&mut self, rows: &[Vec<Expr>]) -> usize {
        let mut pivots: Vec<(usize, Vec<Expr>)> = Vec::new();
        for row in rows {
            let mut row = row.clone();
            for (p, pivot) in &pivots {
                let factor = self.div(row[*p], pivot[*p]);
                for j in 0..row.len() {
                    let x = self.mul(factor, pivot[j]);
                    row[j] = self.sub(row[j], x);
                }
            }
            if let Some(p) = (0..row.len()).find(|&j| !self.vanishes(row[j])) {
                pivots.push((p, row));
            }
        }
        pivots.len()
    }
}
