//! Random numbers.

/// Numbers in [−1, 1], the same in every run.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    #[expect(clippy::should_implement_trait, reason = "numbers without end are no iterator's options")]
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
