//! Tests of `nhi-runtime`.
