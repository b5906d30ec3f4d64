//! The same structs with the committed expansions in place of the derive.

pub(crate) mod sleigh {
    pub(crate) struct Sleigh {
        pub(crate) J: f64,
        pub(crate) m: f64,
        pub(crate) a: f64,
    }
    include!("../../../../nhi-derive/codegen/tests/expansions/sleigh.rs");
}

pub(crate) mod climber {
    pub(crate) struct Climber {
        pub(crate) m: f64,
        pub(crate) k: f64,
        pub(crate) g: f64,
        pub(crate) s: f64,
    }
    include!("../../../../nhi-derive/codegen/tests/expansions/climber.rs");
}

pub(crate) mod cart {
    pub(crate) struct Cart {
        pub(crate) m: f64,
        pub(crate) J: f64,
        pub(crate) belt: f64,
        pub(crate) c: [f64; 2],
    }
    include!("../../../../nhi-derive/codegen/tests/expansions/cart.rs");
}

pub(crate) mod coin {
    pub(crate) struct Coin {
        pub(crate) m: f64,
        pub(crate) I: f64,
        pub(crate) J: f64,
        pub(crate) r: f64,
    }
    include!("../../../../nhi-derive/codegen/tests/expansions/coin.rs");
}
