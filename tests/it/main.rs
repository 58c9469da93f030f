//! All tests that run the built binary, in one binary of their own.

mod process;
mod process_hosts;
mod support;
