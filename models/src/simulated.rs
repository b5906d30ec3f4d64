//! From the id of a method to its value, for the methods that a system declares.

use crate::trajectory::Derived;
use crate::{Method, Trajectory};
use nhi_runtime::{Error, Simulation, System};
use std::marker::PhantomData;

/// A system whose simulations are chosen by the id of a method; implemented by [`simulated!`](crate::simulated).
pub trait Simulated: System + Clone + Sync + 'static {
    /// The methods that it declares, and their variants.
    fn methods() -> &'static [Method];

    /// What `visitor` makes of the value of `method`; nothing if the system does not declare the method.
    fn with_method<V: Visitor<Self>>(method: &Method, visitor: V) -> Option<V::Out>;

    /// A simulation with one of its [methods](Simulated::methods).
    ///
    /// # Errors
    /// As [`Simulation::with_inputs`].
    fn simulate(
        self,
        method: &Method,
        q0: Self::Configuration<f64>,
        v0: Self::Velocity<f64>,
        inputs: Self::Inputs<f64>,
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Error>;
}

/// Something to do with a method for the system `S`, whatever its type.
pub trait Visitor<S: System> {
    /// What comes of it.
    type Out;

    /// Does it.
    fn visit<M: nhi_runtime::Method<S> + Copy + Sync + 'static>(self, method: M) -> Self::Out;
}

/// Implements [`Simulated`] for a system in coordinates, or `on a group`: with the methods that its
/// declaration names. A system without a group factor may have the methods for groups too.
#[macro_export]
macro_rules! simulated {
    ($type:ty) => {
        $crate::simulated!(@ $type, METHODS, coordinates);
    };
    ($type:ty, on a group) => {
        $crate::simulated!(@ $type, GROUP_METHODS, groups);
    };
    (@ $type:ty, $all:ident, $variants:ident) => {
        impl $crate::Simulated for $type {
            fn methods() -> &'static [$crate::Method] {
                static METHODS: ::std::sync::LazyLock<::std::vec::Vec<$crate::Method>> =
                    ::std::sync::LazyLock::new(|| $crate::macros::declared::<$type>(&$crate::$all));
                &METHODS
            }

            fn with_method<V: $crate::Visitor<Self>>(
                method: &$crate::Method,
                visitor: V,
            ) -> ::std::option::Option<V::Out> {
                #[allow(unused_imports, reason = "a system may declare every method")]
                use $crate::macros::Undeclared as _;
                use $crate::macros::nhi_runtime::prelude::*;
                $crate::macros::nhi_methods::for_each_method!(
                    $crate::visit_methods, $type, method, visitor
                );
                $crate::variants!($variants $crate::visit_variants, $type, method, visitor);
                ::std::option::Option::None
            }

            fn simulate(
                self,
                method: &$crate::Method,
                q0: Self::Configuration<f64>,
                v0: Self::Velocity<f64>,
                inputs: Self::Inputs<f64>,
                h: f64,
            ) -> ::std::result::Result<::std::boxed::Box<dyn $crate::Trajectory>, $crate::macros::nhi_runtime::Error>
            {
                $crate::macros::simulate(self, method, q0, v0, inputs, h)
            }
        }
    };
}

/// Returns what the visitor makes of a method of the table, if it has the id and is declared.
#[doc(hidden)]
#[macro_export]
macro_rules! visit_methods {
    ([$type:ty, $method:ident, $visitor:ident] $(
        $(#[$doc:meta])* $marker:ident $id:literal { $($facts:tt)* }
    )*) => {
        $(
            if $method.id == $id {
                return $crate::macros::Candidate::<$type, _>::new($marker).accept($visitor);
            }
        )*
    };
}

/// The same of a variant.
#[doc(hidden)]
#[macro_export]
macro_rules! visit_variants {
    ([$type:ty, $method:ident, $visitor:ident] $(
        $id:literal $value:expr;
    )*) => {
        $(
            if $method.id == $id {
                return $crate::macros::Candidate::<$type, _>::new($value).accept($visitor);
            }
        )*
    };
}

/// What the macros expand to.
#[doc(hidden)]
pub mod macros {
    pub use nhi_methods;
    pub use nhi_runtime;

    use super::*;

    /// A method that the system `S` may have declared. Its own `accept` is there if it has; else the one of
    /// [`Undeclared`] is found.
    #[derive(Debug)]
    pub struct Candidate<S, M> {
        method: M,
        system: PhantomData<S>,
    }

    impl<S, M> Candidate<S, M> {
        /// The method.
        pub fn new(method: M) -> Self {
            Candidate { method, system: PhantomData }
        }
    }

    impl<S: System, M: nhi_runtime::Method<S> + Copy + Sync + 'static> Candidate<S, M> {
        /// What the visitor makes of it.
        pub fn accept<V: Visitor<S>>(self, visitor: V) -> Option<V::Out> {
            Some(visitor.visit(self.method))
        }
    }

    /// A candidate without step functions.
    pub trait Undeclared<S: System>: Sized {
        /// Nothing.
        fn accept<V: Visitor<S>>(self, _visitor: V) -> Option<V::Out> {
            None
        }
    }

    impl<S: System, M> Undeclared<S> for Candidate<S, M> {}

    /// Those of `all` that the system declares.
    pub fn declared<S: Simulated>(all: &[Method]) -> Vec<Method> {
        all.iter().copied().filter(|method| S::with_method(method, Declared).is_some()).collect()
    }

    struct Declared;

    impl<S: System> Visitor<S> for Declared {
        type Out = ();

        fn visit<M>(self, _method: M) {}
    }

    /// [`Simulated::simulate`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If the system does not declare the method.
    pub fn simulate<S: Simulated>(
        system: S,
        method: &Method,
        q0: S::Configuration<f64>,
        v0: S::Velocity<f64>,
        inputs: S::Inputs<f64>,
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Error> {
        let simulation = S::with_method(method, Start { system, q0, v0, inputs, h });
        simulation.unwrap_or_else(|| panic!("the system does not declare `{}`", method.id))
    }

    struct Start<S: System> {
        system: S,
        q0: S::Configuration<f64>,
        v0: S::Velocity<f64>,
        inputs: S::Inputs<f64>,
        h: f64,
    }

    impl<S: System + 'static> Visitor<S> for Start<S> {
        type Out = Result<Box<dyn Trajectory>, Error>;

        fn visit<M: nhi_runtime::Method<S> + Copy + Sync + 'static>(self, method: M) -> Self::Out {
            let Start { system, q0, v0, inputs, h } = self;
            Ok(Box::new(Derived(Simulation::with_inputs(system, method, q0, v0, &inputs, h)?)))
        }
    }
}
