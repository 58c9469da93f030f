//! One binary for all tests that run programs.

mod agents;
