//! Security.
