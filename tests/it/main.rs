//! The integration tests: one binary, one file an area.

mod support;
mod tidy;
