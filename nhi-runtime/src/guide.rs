#![doc = include_str!("links.md")]
#![doc = ""]
#![doc = include_str!("../guide/README.md")]

/// Modules whose documentation is a chapter, the text of a file of the same name. `links.md` comes first: of two definitions of a
/// link the first counts, so that links lead to files in the repository, and here to other pages.
macro_rules! chapters {
    ($($name:ident)*) => {$(
        #[doc = include_str!("links.md")]
        #[doc = ""]
        #[doc = include_str!(concat!("../guide/", stringify!($name), ".md"))]
        pub mod $name {}
    )*};
}

chapters! { first declarations methods runs observing many generated sympy mujoco dae }
