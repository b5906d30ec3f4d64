//! Violations of conditions and inequalities that cannot be met.

use super::Solver;
use crate::Dynamics;
use crate::dense::*;
use crate::filter::Filter;
use crate::plan::Outcome;
use crate::problem::Options;
use alloc::string::String;
use alloc::vec::Vec;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// The largest cost ρ of violations, relative to the first one.
const LARGEST_PRICE: f64 = 1e8;

impl<D: Dynamics> Solver<'_, '_, D> {
    /// The outcome where the first-order conditions hold; none if conditions that were left out are taken back, or if violations
    /// are to cost more.
    pub(super) fn judge(&mut self, options: &Options, filter: &mut Filter) -> Option<Outcome> {
        if self.restore(options.tolerance) {
            *filter = Filter::new(self.merit(&self.point, &self.values).theta);
            return None;
        }
        let Some(price) = self.price.filter(|_| self.is_violated(options)) else {
            return Some(Outcome::Converged);
        };
        let violation = self.violation();
        if violation > 0.9 * self.last_violation || price >= LARGEST_PRICE * self.first_price {
            return Some(Outcome::CannotMeet(self.violated(1e-3 * violation)));
        }
        self.last_violation = violation;
        self.relax(10.0 * price, options.barrier, filter);
        None
    }

    /// Takes back conditions that were left out and are not satisfied.
    pub(super) fn restore(&mut self, tolerance: f64) -> bool {
        let rows = self.values.rows.iter().zip(&self.redundant);
        let is_missed = rows.filter(|(_, is)| **is).any(|(row, _)| row.abs() > 10.0 * tolerance);
        if is_missed {
            self.redundant.fill(false);
        }
        is_missed
    }

    /// Allows violations at the price ρ, with those of least barrier function.
    pub(super) fn relax(&mut self, price: f64, barrier: f64, filter: &mut Filter) {
        let m = self.conditions();
        self.redundant.fill(false);
        self.price = Some(price);
        self.point.over.fill(0.0);
        self.point.under.fill(0.0);
        let mut rows = self.values.rows.clone();
        add_multiple(&mut rows[m..], -1.0, &self.point.s);
        self.mu = barrier.max(self.mu);
        for (i, c) in rows.iter().enumerate() {
            // (33); the smaller one without cancellation.
            let root = self.mu.hypot(price * c);
            let larger = (self.mu + price * c.abs() + root) / (2.0 * price);
            let smaller = self.mu * larger / (2.0 * price * larger - self.mu);
            (self.point.over[i], self.point.under[i]) =
                if *c > 0.0 { (larger, smaller) } else { (smaller, larger) };
        }
        self.of_over.center(&self.point.over, self.mu);
        self.of_under.center(&self.point.under, self.mu);
        for (i, y) in self.y.iter_mut().enumerate() {
            *y = 0.5 * (self.of_under.z_lower[i] - self.of_over.z_lower[i]);
        }
        *filter = Filter::new(self.merit(&self.point, &self.values).theta);
    }

    /// The largest |p − n|.
    pub(super) fn violation(&self) -> f64 {
        self.violations().fold(0.0, |worst, (_, by)| worst.max(by.abs()))
    }

    pub(super) fn is_violated(&self, options: &Options) -> bool {
        self.price.is_some() && self.violation() > 10.0 * options.tolerance
    }

    /// p − n of conditions and inequalities, if violations are allowed.
    pub(super) fn violations(&self) -> impl Iterator<Item = (usize, f64)> {
        let both = self.point.over.iter().zip(&self.point.under);
        both.map(|(over, under)| over - under).enumerate()
    }

    /// What the last states miss of conditions and inequalities, of which `residuals` are c and d − s.
    pub(super) fn missed(&self, residuals: &[f64], options: &Options) -> Vec<(String, f64)> {
        let least = 10.0 * options.tolerance;
        let all = self.names().into_iter().zip(residuals.iter().copied());
        all.filter(|(_, by)| by.abs() > least).collect()
    }

    /// Rows that are violated by more than `least`.
    pub(super) fn violated(&self, least: f64) -> Vec<(String, f64)> {
        let violations = self.names().into_iter().zip(self.violations());
        violations.filter(|(_, (_, by))| by.abs() > least).map(|(name, (_, by))| (name, by)).collect()
    }
}
