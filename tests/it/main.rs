//! The integration tests: one binary, one file an area.

#[cfg(test)]
mod doctor;
mod process;
mod process_hosts;
mod support;
mod tidy;
