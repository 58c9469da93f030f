//! Finds work worth doing in a repository, and keeps it.
//!
//! # Theory of operation
//!
//! Four agents look at different things ([`failures`]: test reports,
//! [`stalled`]: work that nobody went on with, [`quality`]: complexity,
//! coverage, long files, modules without tests, [`features`]: what an AI CLI
//! proposes). Each gives an [`AgentRun`](finding::AgentRun): what it found, what
//! it read, what it had to leave out, and whether it worked at all. An agent
//! that failed has found *nothing that counts*: its silence resolves no item.
//!
//! A [`Finding`](finding::Finding) has no time and no status. [`merge`] turns
//! findings into opportunities: pure, from what was found and what the
//! [`store`] holds. Its identity is a hash of type, file, symbol and rule, so
//! that the same problem found tomorrow is the same item, with its status kept.
//! The store is one JSON file that is read, changed and replaced under a lock.

pub mod cap;
pub mod failures;
pub mod features;
pub mod finding;
pub mod id;
pub mod merge;
pub mod quality;
pub mod stalled;
pub mod store;
pub mod tree;
