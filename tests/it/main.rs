//! The integration tests: one binary, one file an area.

mod process;
mod process_hosts;
mod support;
mod tidy;
