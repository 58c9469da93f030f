//! Failing tests, as test tools report them.
//!
//! # Theory of operation
//!
//! ```text
//!   locate: which files are reports ──> parsers: what a tool wrote ──> layout: which file and test that is
//!                                                                            │
//!   the test command's output ───────> parsers ──────────────────────> gather: one finding a failing test
//!   .swarm/…/episodes.jsonl ─────────> episodes ───────────────────────────┘
//! ```
//!
//! Parsers ([`junit`], [`stream`], [`libtest`], [`pytest`]) are pure: bytes in,
//! [`Parsed`](case::Parsed) out, or a line and a reason. They keep names as
//! their tool spells them. [`layout`] knows the project's files and says where things are,
//! and [`naming`] turns each spelling into the same file and symbol, so that a failing test is one item
//! whichever tool reported it: `tests.test_calc.TestParse` of a JUnit report and
//! `tests/test_calc.py::TestParse::test_type` of pytest's own summary; the
//! binary id `calc::it` of nextest and the line `Running tests/it.rs` of cargo.
//!
//! # What silence means
//!
//! A report that could be read but does not hold every test of its run has a
//! *gap* (it was stopped at the first failure, ends in the middle, or counts
//! more failures than it names). Its failures are findings like any other; but
//! it is no source that was read to its end, so what it does not name stays open.
//!
//! Memory is bounded by one report at a time and by the number of cases that
//! are kept; nothing follows a symbolic link.

pub mod case;
mod cut;
pub mod episodes;
mod findings;
pub mod gather;
pub mod junit;
pub mod layout;
pub mod libtest;
pub mod locate;
pub mod naming;
pub mod pytest;
pub mod read;
pub mod score;
mod sniff;
pub mod stream;
#[cfg(test)]
mod testing;
