//! What the loops over steps, Newton's method and emitted code use of a number type beyond its arithmetic. Only the number
//! types of this crate differ from the defaults.

/// Facts about a number type that loops over steps and Newton's method depend on.
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    /// Every step checks that its results are finite. False if the loop checks, after several steps.
    pub checked: bool,
    /// Order of the derivatives that a number carries. Newton's method takes as many additional iterations, which find
    /// the derivatives of the solution.
    pub derivatives: u32,
    /// Number of updates of Newton's method: one of first order (1), one of second order where the equation has one
    /// unknown (2), two (3), or as many as are needed (0). With a fixed number all steps execute the same instructions,
    /// so that a loop over several trajectories can be vectorised.
    pub updates: u32,
    /// A product and the sum that it is part of are one operation.
    pub fused: bool,
    /// Steps of several trajectories are taken side by side: what most of them do not need is left to a step of one alone, for
    /// which a result that is not a number asks.
    pub side_by_side: bool,
}

impl Drive {
    /// Numbers like `f64`.
    pub const PLAIN: Drive =
        Drive { checked: true, derivatives: 0, updates: 0, fused: false, side_by_side: false };
}

/// What is known about an angle before its sine and cosine are computed, which `update_sin_cos` gets as `from`, `by` and
/// `sines`. These are arguments and not fields: with fields the optimiser allocates registers differently, and steps of
/// `Fused` numbers take up to 8 % more time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SinCosUpdate {
    /// The angle is usually small, such as the rotation of one step. The arguments are ignored.
    Small,
    /// The angle is usually close to `from`, whose sine and cosine are `sines`. Every rotation of a pair adds a rounding
    /// error. `by` is ignored.
    Rotated,
    /// The angle usually differs by a tiny error from its prediction `from` + `by`, whose sine and cosine are `sines`.
    Corrected,
}
