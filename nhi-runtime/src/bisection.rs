//! The step that ends at an event.

/// The shortest step from the time `now` at whose end a condition holds, located up to rounding: its size and the state after it.
/// The condition holds after a step of the size `h` and not before it. `step` takes a step of a given size, and returns the state
/// after it if the condition holds there. The result is `None` if only the step of the size `h` itself is left.
///
/// # Errors
/// Those of `step`.
pub fn event<S, E>(
    now: f64,
    h: f64,
    mut step: impl FnMut(f64) -> Result<Option<S>, E>,
) -> Result<Option<(f64, S)>, E> {
    let (mut low, mut high, mut found) = (0.0, h, None);
    loop {
        let middle = low + 0.5 * (high - low);
        let t = now + middle;
        let is_rounding = (high - low).abs() <= f64::EPSILON * h.abs();
        if is_rounding || t == now + low || t == now + high {
            return Ok(found);
        }
        match step(middle)? {
            Some(state) => (high, found) = (middle, Some((middle, state))),
            None => low = middle,
        }
    }
}
