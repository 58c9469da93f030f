//! Failing tests, as reported by test tools.
//!
//! # Theory of operation
//!
//! ```text
//!   locate: which files are reports ──> parsers: what a tool wrote ──> layout: which file and test that is
//!                                                                            │
//!   the test command's output ───────> parsers ──────────────────────> gather: one finding a failing test
//! ```
//!
//! Parsers ([`junit`], [`stream`], [`libtest`], [`pytest`]) are pure: bytes in, [`ParsedReport`](case::ParsedReport)
//! out, or a line and a reason. They keep names as their tool spells them. [`layout`] locates the project's
//! files, and [`naming`] maps each spelling to the same file and symbol, so that a failing test is one item
//! whichever tool reported it: `tests.test_calc.TestParse` in a JUnit report and
//! `tests/test_calc.py::TestParse::test_type` in pytest's cache; nextest's binary id `calc::it` and
//! cargo's line `Running tests/it.rs`.
//!
//! # What silence means
//!
//! A report that could be read but does not contain every test of its run has a *gap* (it was stopped at
//! the first failure, is truncated, or counts more failures than it names). Its failures are findings like
//! any other; but it does not count as read to its end, so items that it does not name stay open.
//!
//! Memory is bounded by one report at a time and by the number of cases kept; symbolic links are never
//! followed.

pub mod case;
mod cut;
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
