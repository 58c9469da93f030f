//! Use cases: plain requests in, typed results out. `cli` and `mcp` both call these and nothing below.

pub mod agents;
mod asker;
pub mod book;
pub mod config;
mod debate;
pub mod doctor;
pub mod documents;
pub mod init;
pub mod prioritize;
mod replay;
mod rules;
pub mod run_agent;
pub mod sessions;
mod signals;
pub mod skills;
pub mod trust;
pub mod workspace;

pub use debate::Finished;
