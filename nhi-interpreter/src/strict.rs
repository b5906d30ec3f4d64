//! Tests of predictions.

use crate::Frame;

/// Largest error of a predicted sine or cosine, relative to an angle above one: some roundings of a few steps.
const WRONG: f64 = 1e-12;

impl Frame {
    /// Panics in strict runs unless `sines` are sine and cosine of `angle`.
    pub(crate) fn check(&self, angle: f64, sines: (f64, f64)) {
        if !self.options.strict {
            return;
        }
        let (sin, cos) = angle.sin_cos();
        let error = (sines.0 - sin).abs().max((sines.1 - cos).abs());
        // NaN is left to the test of results.
        assert!(
            error.is_nan() || error <= WRONG * angle.abs().max(1.0),
            "wrong prediction: ({}, {}) are not sine and cosine of {angle}",
            sines.0,
            sines.1
        );
    }
}
