//! The critique of an artifact from several perspectives, decided by one ladder.
//!
//! # Theory of operation
//!
//! All perspectives read the same artifact at the same time, each alone. Each gives a rating from 1 to 5; a risk
//! level and missing requirements may come with it. One [`ladder`] turns these into a severity, and the severity into
//! verdict and recommendation. Points of several perspectives are put together by the place that they name ([`themes`]):
//! a place that two of them raise is a theme, one that one praises and another faults is a differing view, and
//! every group keeps its members, so that a reader can check it. [`actions`] orders the action items.
//!
//! Only a perspective that checks against the context can find a requirement missing, and only one that the context
//! has ([`requirement`]); what any other calls missing is a weakness.
//!
//! A failed perspective is never agreement, never a rating and never in the mean: it is named, and if half of those
//! asked or fewer answered, nothing is decided, whatever the others said. A perspective that was not asked
//! (`coverage` without a context) is skipped and does not count towards the quorum.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | asking | half of the answers or fewer | closed: `undecided` |
//! | asking | more than half, severity high or medium | closed: `consensus_blocked` |
//! | asking | more than half, severity low or none | closed: `consensus_reached` |
//!
//! A stop reports `budget` or `interrupted` with the critiques received so far; nothing is decided on a part of them.

pub mod actions;
pub mod basics;
pub mod contract;
pub mod divergence;
pub mod input;
pub mod ladder;
pub mod machine;
pub mod model;
mod outcome;
pub mod policy;
pub mod prompt;
pub mod reply;
pub mod requirement;
#[cfg(test)]
pub(crate) mod testing;
pub mod themes;

pub use input::{Input, InputError, Task};
pub use machine::Machine;
pub use model::*;
