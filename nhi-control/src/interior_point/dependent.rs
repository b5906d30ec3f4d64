//! Names of what no inputs change.

use super::Solver;
use crate::Dynamics;
use crate::dense::*;
use alloc::string::String;
use alloc::vec::Vec;

/// The largest part of a momentum that may be outside of what no inputs change: steps conserve quantities that differ from momenta by the
/// square of their size.
const OUTSIDE: f64 = 0.1;
/// Factors below this, relative to the largest one, are left out.
const NEGLIGIBLE: f64 = 1e-3;

impl<D: Dynamics> Solver<'_, '_, D> {
    /// Combinations of conditions that no inputs change, by momenta where these are such combinations, and otherwise by the names of
    /// conditions. Where they are several, they are reduced to a form that does not depend on the basis in which they were found.
    pub(super) fn named(&self, dependent: Vec<Vec<f64>>, names: &[String]) -> Vec<Vec<(String, f64)>> {
        let (nx, n, last) = (self.nx, self.nx + self.nu, self.problem.steps);
        let at_end = self.kkt.conditions_of(last);
        // Orthonormal covectors of the last state, with the combinations of conditions that they are.
        let mut covectors: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let mut others = Vec::new();
        for combination in dependent {
            if combination.iter().enumerate().any(|(i, factor)| *factor != 0.0 && !at_end.contains(&i)) {
                others.push(combination);
                continue;
            }
            let mut covector = vec![0.0; n];
            add_transposed_image(&mut covector, self.kkt.rows_of(last), &combination[at_end.clone()]);
            covector.truncate(nx);
            covectors.push((covector, combination));
        }
        let mut named = Vec::new();
        for (name, slopes) in self.problem.dynamics.momenta(last, &self.point.x[last]) {
            let covectors_now: Vec<Vec<f64>> = orthonormal(covectors.iter().map(|(covector, _)| covector));
            let mut outside = slopes.clone();
            subtract_projections(&mut outside, covectors_now.iter().map(Vec::as_slice));
            let size = norm2(&slopes);
            if size == 0.0 || norm2(&outside) > OUTSIDE * size {
                continue;
            }
            // The combination that is nearest to the momentum is named by it, and subtracted from the others.
            let along = |(covector, _): &(Vec<f64>, Vec<f64>)| dot(covector, &slopes).abs() / norm2(covector);
            let nearest =
                (0..covectors.len()).max_by(|&i, &j| along(&covectors[i]).total_cmp(&along(&covectors[j])));
            let Some(nearest) = nearest else { break };
            let (covector, combination) = covectors.swap_remove(nearest);
            for (other, of_conditions) in &mut covectors {
                let ratio = dot(other, &slopes) / dot(&covector, &slopes);
                add_multiple(other, -ratio, &covector);
                add_multiple(of_conditions, -ratio, &combination);
            }
            named.push(vec![(name, 1.0)]);
        }
        others.extend(covectors.into_iter().map(|(_, combination)| combination));
        for combination in reduced(others) {
            let all = names.iter().cloned().zip(combination);
            named.push(all.filter(|(_, factor)| factor.abs() > NEGLIGIBLE).collect());
        }
        named
    }
}

/// An orthonormal basis of what some vectors span.
fn orthonormal<'v>(vectors: impl Iterator<Item = &'v Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for vector in vectors {
        let mut left = vector.clone();
        // Twice, against roundings.
        subtract_projections(&mut left, basis.iter().chain(&basis).map(Vec::as_slice));
        let length = norm2(&left);
        if length > NEGLIGIBLE * norm2(vector) {
            left.iter_mut().for_each(|x| *x /= length);
            basis.push(left);
        }
    }
    basis
}

/// Independent combinations in reduced echelon form, each with 1 as its largest factor.
fn reduced(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let (mut done, columns) = (0, rows.first().map_or(0, Vec::len));
    for column in 0..columns {
        let Some(pivot) =
            (done..rows.len()).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()))
        else {
            break;
        };
        if rows[pivot][column].abs() <= NEGLIGIBLE * norm(&rows[pivot]) {
            continue;
        }
        rows.swap(done, pivot);
        let row = rows[done].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(i, _)| *i != done) {
            let ratio = other[column] / row[column];
            add_multiple(other, -ratio, &row);
        }
        done += 1;
    }
    for row in &mut rows {
        let largest = row
            .iter()
            .copied()
            .fold(0.0, |largest: f64, x| if x.abs() > largest.abs() { x } else { largest });
        row.iter_mut().for_each(|x| *x /= largest);
    }
    rows
}
