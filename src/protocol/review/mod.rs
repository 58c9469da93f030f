//! Code review: independent, blind, cross-examined, scored by rules.
//!
//! # Theory of operation
//!
//! Several seats, each an agent, look at one [`crate::change::Change`]. [`Machine`] asks for independent reviews of
//! every batch, all in one step. Their findings are checked against the change ([`locate`], [`shown`]), grouped
//! ([`mod@group`]), and shown to the seats that did not write them, with the authors hidden and in a different order
//! for each seat; the judgements give each group a [`status`]. While the panel's confidence is too low and
//! something still moves, open P0 and P1 are examined again by seats that have not heard the others' reasons. Then the
//! seats are scored ([`score`]), and the rules make the result: what is not out is kept, and what a judge called the
//! same is shown as one ([`repeats`]). Only where others may vote on what is contested, the best seat composes it ([`mod@compose`]) and they do vote ([`validate`]). [`verdict`] draws the conclusion.
//! [`contract`], [`reply`] and [`prompt`] define the text sent to agents and read back from them.
//!
//! No agent decides alone, and no failure counts as assent: a seat that failed has no score, composes nothing, lowers
//! the confidence and keeps the review from "clean"; a part of the change that fewer than two seats reviewed counts
//! as not reviewed; a judgement, vote or finding that could not be read does not count, and a review that lost a
//! finding that way cannot be "clean" either.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | reviewing | all answers, no batch has two reviews | closed (degraded) |
//! | reviewing | all answers, somebody has another's finding to judge | crossing 1 |
//! | reviewing | the same, and no critique is wanted | as after the last crossing |
//! | reviewing | all answers, nobody has anything to judge | as after the last crossing |
//! | crossing n | all answers, confidence below the threshold, something moved, n below the limit, somebody has something unsettled to judge | crossing n + 1 |
//! | crossing n | all answers, anything else, and a composition is called for | composing, by the winner |
//! | crossing n | all answers, anything else, and none is | closed (by rule) |
//! | composing | a composition on which somebody may vote | validating |
//! | composing | a composition on which nobody may | closed (unvalidated) |
//! | composing | a failure, and another seat has a score | composing, by the next best |
//! | composing | a failure of the last one | closed (by rule) |
//! | validating | all answers, failures included | closed |
//!
//! With [`Settings::prove`], what would compose or close first goes to proving, if there is a P0 or P1 to test:
//!
//! | state | input | next state |
//! |---|---|---|
//! | proving n | all answers, a test among them | testing n |
//! | proving n | all answers, and no test | as after the last crossing |
//! | testing n | all results, n below [`proof::TRIES`], a test could not be used | proving n + 1 |
//! | testing n | all results, anything else | as after the last crossing |
//!
//! Something moved if a judgement differs from the seat's previous one on that group, or a new finding was raised.
//! The first crossing shows each seat everything that it did not write; later ones show it an open P0 or P1 on which
//! another seat has spoken since it judged. A composition is called for always, never, or by [`Compose::Auto`]: where a
//! finding is contested, and a seat that is neither the winner nor an author has not said to agree or to disagree. The
//! votes are on what the composition changes; by [`Compose::Always`], on everything. A stop reports `budget` or
//! `interrupted`, undecided, with the findings so far.
//!
//! # Bounds
//!
//! Seats x batches x (1 + crossings) reviews and judgements, one composition per seat, one vote by each of the others;
//! [`proof::TRIES`] tests of [`proof::MAX_PROOFS`] findings at most.

pub mod agreement;
mod check;
pub mod compose;
pub mod contract;
pub mod fingerprint;
pub mod group;
pub mod input;
pub mod locate;
pub mod machine;
pub mod model;
mod outcome;
pub mod platform;
pub mod prompt;
pub mod proof;
pub mod repeats;
pub mod reply;
mod reviewers;
#[cfg(test)]
mod samples;
pub mod score;
pub mod shown;
mod state;
pub mod status;
#[cfg(test)]
pub(crate) mod testing;
pub mod validate;
pub mod verdict;

pub use check::InputError;
pub use input::{Compose, Input, Prove, PullRequest, Reviewed, Rules, Settings, TestSettings};
pub use machine::{Ask, Machine};
pub use model::*;
pub use reply::Statement;

/// The name under which the program itself is asked to run a test.
pub const SANDBOX: &str = "sandbox";

/// A seat's task in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reviews the change without knowledge of the other reviews.
    Reviewer,
    /// Judges the findings of others.
    CrossReviewer,
    /// Selects and words the findings of the result.
    Composer,
    /// Votes on that selection.
    Validator,
    /// Writes a test that shows a finding.
    Prover,
    /// Runs that test: the program itself, and no agent.
    Sandbox,
}

impl Role {
    /// All roles of agents, in the order of the pipeline; a prover has its turns between judging and composing.
    pub const ALL: [Self; 5] =
        [Self::Reviewer, Self::CrossReviewer, Self::Composer, Self::Validator, Self::Prover];

    /// Returns the role's name in the configuration, which is also the name of its skill.
    pub const fn config_name(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::CrossReviewer => "cross-reviewer",
            Self::Composer => "composer",
            Self::Validator => "validator",
            Self::Prover => "prover",
            Self::Sandbox => SANDBOX,
        }
    }

    /// Returns the word for the role in turn ids: `r2/cross/s1`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reviewer => "review",
            Self::CrossReviewer => "cross",
            Self::Composer => "compose",
            Self::Validator => "validate",
            Self::Prover => "prove",
            Self::Sandbox => "test",
        }
    }
}
