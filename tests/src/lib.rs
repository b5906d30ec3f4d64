//! What the integration tests of nhi share.

pub mod bits;
pub mod declarations;
pub mod double_double;
pub mod edla;
pub mod oracle;
pub mod random;
pub mod reason;
pub mod sample;
pub mod together;
pub mod with_methods;
