//! The derive macro of nhi. Under construction.
