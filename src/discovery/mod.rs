//! Finds work worth doing in a repository, and stores it.
//!
//! # Theory of operation
//!
//! Four agents look at different things ([`failures`]: test reports, [`stalled`]: abandoned work,
//! [`quality`]: complexity, coverage, long files, modules without tests, [`features`]: proposals by
//! an AI CLI). Each returns an [`AgentRun`](finding::AgentRun): its findings, what it read, what it
//! had to leave out, and whether it worked at all. The silence of a failed agent *does not count*:
//! it resolves no item.
//!
//! A [`Finding`](finding::Finding) has no time and no status. [`merge`] turns findings into
//! opportunities: a pure function of the findings and the content of the [`store`]. Its identity is
//! a hash of type, file, symbol and rule, so that the same problem found tomorrow is the same item,
//! and keeps its status. The store is one JSON file that is read, changed and replaced under a
//! lock.

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
