//! What the integration tests of nhi share.

pub mod oracle;
