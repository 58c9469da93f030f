//! `debate-agent` convenes the AI CLIs that a person already has, makes them
//! debate under a protocol, and decides by rules, in code.
//!
//! (The map of the crate is written here when the parts stand.)

#[cfg(windows)]
compile_error!(
    "debate-agent runs on Linux and macOS for now: its process guard needs POSIX sessions"
);

pub mod agent;
pub mod app;
pub mod cli;
pub mod config;
pub mod engine;
pub mod env;
pub mod error;
pub mod exit;
pub mod process;
pub mod protocol;
pub mod rehearsal;
pub mod report;
pub mod session;
pub mod skill;
pub mod text;
