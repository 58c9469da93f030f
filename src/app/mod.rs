//! Use cases: plain requests in, typed results out. `cli` and `mcp` both call these and nothing below.

pub mod agents;
pub mod config;
pub mod doctor;
pub mod init;
pub mod skills;
pub mod trust;
