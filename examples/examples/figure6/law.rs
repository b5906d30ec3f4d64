//! How the variance of the energy errors grows.

/// Energy errors of many trajectories at some times, in units of h².
pub(crate) struct Errors {
    pub(crate) h: f64,
    /// Sampling times.
    pub(crate) times: Vec<f64>,
    /// At every time, the errors of all trajectories.
    pub(crate) samples: Vec<Vec<f64>>,
}

/// A number and its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The line b + d t nearest to values at `times`, as weights of these: b = Σ bₖ xₖ, d = Σ dₖ xₖ.
fn line(times: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let t = mean(times);
    let squares: f64 = times.iter().map(|s| (s - t).powi(2)).sum();
    let d: Vec<f64> = times.iter().map(|s| (s - t) / squares).collect();
    let b = d.iter().map(|d| 1.0 / times.len() as f64 - d * t).collect();
    (b, d)
}

impl Errors {
    /// Number of trajectories.
    fn n(&self) -> f64 {
        self.samples[0].len() as f64
    }

    /// Σ wₖ σₖ² of the variances at all times, with the standard error that follows from how the
    /// trajectories differ in Σ wₖ (eₖ − ēₖ)².
    fn of_variances(&self, weights: &[f64]) -> Estimate {
        let mut terms = vec![0.0; self.samples[0].len()];
        for (errors, weight) in self.samples.iter().zip(weights) {
            let mean = mean(errors);
            for (term, e) in terms.iter_mut().zip(errors) {
                *term += weight * (e - mean).powi(2);
            }
        }
        let n = self.n();
        let average = mean(&terms);
        let squares: f64 = terms.iter().map(|x| (x - average).powi(2)).sum();
        Estimate { value: average * n / (n - 1.0), error: (squares / (n - 1.0) / n).sqrt() }
    }

    /// σ² at all times.
    pub(crate) fn variances(&self) -> Vec<f64> {
        let of_one = |errors: &Vec<f64>| {
            let mean = mean(errors);
            errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (self.n() - 1.0)
        };
        self.samples.iter().map(of_one).collect()
    }

    /// b and d of σ² = b + d t.
    pub(crate) fn law(&self) -> (Estimate, Estimate) {
        let (b, d) = line(&self.times);
        (self.of_variances(&b), self.of_variances(&d))
    }

    /// By how much d of the second half of the time is larger than that of the first.
    pub(crate) fn bend(&self) -> Estimate {
        let half = self.times.len() / 2;
        let (first, second) = (line(&self.times[..half]).1, line(&self.times[half..]).1);
        let weights: Vec<f64> = first.into_iter().map(|w| -w).chain(second).collect();
        self.of_variances(&weights)
    }

    /// By how much the mean error grows from the first time to the last. It is not zero at first: starts are
    /// not distributed as orbits are later, so that the bounded part of the errors has a mean.
    pub(crate) fn drift(&self) -> Estimate {
        let (first, last) = (&self.samples[0], &self.samples[self.samples.len() - 1]);
        let growth: Vec<f64> = last.iter().zip(first).map(|(last, first)| last - first).collect();
        let value = mean(&growth);
        let squares: f64 = growth.iter().map(|e| (e - value).powi(2)).sum();
        Estimate { value, error: (squares / (self.n() - 1.0) / self.n()).sqrt() }
    }
}
