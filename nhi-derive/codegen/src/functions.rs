//! Functions that belong together, by name: as programs, lowered or compiled.

use std::convert::Infallible;

/// Declares a set of functions, those after the semicolon for some systems alone.
macro_rules! define_set {
    (
        $(#[$doc:meta])* $Set:ident:
        $($(#[$about:meta])* $name:ident),*;
        $($(#[$about_optional:meta])* $optional:ident),*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $Set<F> {
            $($(#[$about])* pub $name: F,)*
            $($(#[$about_optional])* pub $optional: Option<F>,)*
        }

        impl<F> $Set<F> {
            /// References to them.
            pub fn as_ref(&self) -> $Set<&F> {
                $Set { $($name: &self.$name,)* $($optional: self.$optional.as_ref(),)* }
            }

            /// What `f` makes of each of them.
            pub fn map<G>(self, mut f: impl FnMut(F) -> G) -> $Set<G> {
                let Ok(all) = self.try_map(|function| Ok::<G, Infallible>(f(function)));
                all
            }

            /// The same, up to the first error.
            ///
            /// # Errors
            /// Those of `f`.
            pub fn try_map<G, E>(self, mut f: impl FnMut(F) -> Result<G, E>) -> Result<$Set<G>, E> {
                $(let $name = f(self.$name)?;)*
                $(let $optional = self.$optional.map(&mut f).transpose()?;)*
                Ok($Set { $($name,)* $($optional,)* })
            }

            /// All of them in order, with their names.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, &F)> {
                let Self { $($name,)* $($optional,)* } = self;
                let all = [$((stringify!($name), Some($name)),)* $((stringify!($optional), $optional.as_ref()),)*];
                all.into_iter().filter_map(|(name, function)| Some((name, function?)))
            }
        }
    };
}

define_set! {
    /// The functions of a system, all with parameters first.
    OfSystem:
    /// (parameters, q, v, t) → energy.
    energy,
    /// (parameters, q, v, t) → momentum p = ∂L/∂v.
    momentum,
    /// (parameters, q, v, t, inputs) → residual μv + μ₀ of the constraints.
    residual,
    /// (parameters, q, v, t, inputs) → sums of absolute values of its terms; `abs` is sqrt of the square.
    residual_scale,
    /// (parameters, q, v, t, inputs) → admissible velocity v.
    project,
    /// (parameters, q, v, z, t, inputs) → dv/dt (`a`) and multipliers (`lambda`).
    acceleration;
    /// (parameters, q, t) → residual g of the position constraints, if there are any.
    position,
    /// (parameters, q, t) → sums of absolute values of its terms.
    position_scale,
    /// (parameters, q, t) → configuration after a Gauss–Newton step towards g = 0.
    correct,
    /// (parameters, q, t) → the vectors (0, e_b) of the nonholonomic momentum, `e_1`, `e_2`, …; with a group factor along which
    /// something is admissible.
    momentum_basis,
    /// (parameters, q, v, t) → the rates at which the motion changes the components of this momentum at constant velocity.
    momentum_drift
}

define_set! {
    /// The first derivatives of a step, of (parameters, h, state, t, inputs).
    FirstDerivatives:
    /// A (`a`), B (`b`) and the derivatives of the multipliers λ' by x (`lambda_x`) and by u (`lambda_u`), all by rows.
    linearize,
    /// C (`c`), by rows, and ∂x'/∂h (`h`).
    linearize_parameters,
    /// For a covector w of x', the last argument: wᵀA (`a`), wᵀB (`b`), wᵀC (`c`) and wᵀ∂x'/∂h (`h`).
    pull_back;
}

define_set! {
    /// Functions y of a state, of (parameters, q, ν, z, t, inputs), with their derivatives.
    OfState:
    /// y (`value`).
    value,
    /// ∂y/∂x (`x`), ∂y/∂u (`u`) and ∂y/∂p (`p`), by rows.
    linearize,
    /// For a covector w of y, the last argument: the second derivatives of w·y by (x, u) (`xu`), by rows.
    curvature;
}
