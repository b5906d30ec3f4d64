/// Numbers that are given for a configuration, a velocity or inputs: whatever converts into them, as arrays of their length.
///
/// It is implemented for all types that implement `Into<C>`, and has an error of its own for those that do not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit `{C}`",
    label = "expected `{C}`, or what converts into it",
    note = "a configuration with coordinates and a pose is given as a pair, such as `([x, y], rotation)`"
)]
pub trait Fits<C> {
    /// The same numbers.
    fn fit(self) -> C;
}

#[diagnostic::do_not_recommend]
impl<T: Into<C>, C> Fits<C> for T {
    #[inline]
    fn fit(self) -> C {
        self.into()
    }
}
