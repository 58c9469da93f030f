//! All tests that run the built binary, in one binary of their own.

// `cfg(test)` says to clippy that helpers here are test code as well.
#[cfg(test)]
mod process;
#[cfg(test)]
mod process_control;
#[cfg(test)]
mod process_hosts;
#[cfg(test)]
mod support;
