//! What the integration tests of nhi share.

pub mod double_double;
pub mod edla;
pub mod oracle;
pub mod random;
