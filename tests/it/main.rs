//! The integration tests: one binary, one file an area.

// `cfg(test)` says to clippy that helpers here are test code as well.
#[cfg(test)]
mod agents;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod crash_points;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod prioritize;
#[cfg(test)]
mod process;
#[cfg(test)]
mod process_control;
#[cfg(test)]
mod process_hosts;
#[cfg(test)]
mod resume;
#[cfg(test)]
mod session_store;
#[cfg(test)]
mod state;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tidy;
