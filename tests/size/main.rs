//! The ruler: `cargo test --test size` prints how many lines each room has, and fails where one is above its ceiling.
//!
//! A line of code is a physical line of a `.rs` file, blank lines and comments included. It is a test's if its item is
//! under `cfg(test)`, or its module is: modules are followed from each crate's root. Data is what golden runs and
//! snapshots record; the cases of `eval` are others' sources and count nowhere. Ceilings stand in `ceilings.toml`; when a
//! room shrinks, its ceiling falls in the same commit (`-- --lower` writes it), and raising one lowers another.

// `cfg(test)` marks these modules as test code for clippy.
#[cfg(test)]
mod lines;
#[cfg(test)]
mod rooms;
#[cfg(test)]
mod table;

fn main() -> std::process::ExitCode {
    table::run()
}
