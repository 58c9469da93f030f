//! The dialogue: two participants and, when they cannot agree, an expert (`docs/debate.md`, style `dialogue`).
//!
//! # Theory of operation
//!
//! One turn is asked at a time. In round 1 the proposer puts a position, and the reviewer gives a stance on each
//! point and a short position of its own. In round 2 the reviewer puts a full alternative; the proposer gives stances
//! on it and revises its own position. From round 3 on the proposer drafts a joint position and the reviewer answers
//! it. From round 4 on only points not yet agreed to are drafted anew: agreed points keep their ids and stances, and
//! still count. A round ends with a consensus check of the position put ([`super::debate::consensus`]).
//!
//! With `max_rounds` m there are max(1, m - 1) debating rounds. The last round is the expert's; with m = 1 there is
//! none.
//!
//! Silence is never agreement. A round with a missing answer is *forced*: the silent side's last position remains in
//! force, no check is made, and a side with nothing new to answer is not asked. So after a missing draft by the
//! proposer nobody answers, and after a missing alternative by the reviewer nobody rebuts. A side that fails to
//! answer twice in a row when asked ends the debate as `failed`, and so does a reviewer that never gave a position. A
//! forced last debating round adopts nothing, because consensus was not measured.
//!
//! A check counts if stances cover 80% of the points. It is *adopted* when consensus is reached, *between* from the
//! expert's threshold on, else *below*. A check that meets the threshold without reaching consensus (its texts
//! contradict each other) is between, so that a person looks at it.
//!
//! # States
//!
//! A state is the turn being asked. `r` is its round, D the last debating round. *Further* means round r + 1:
//! `remark` if a person is asked between rounds, else the round's first turn (`alternative` in round 2, then
//! `compromise`). *Expert* is the turn `expert`, or closed as `deadlocked` if there is no expert.
//!
//! | state | input | next state |
//! |---|---|---|
//! | propose | a position | review |
//! | propose | a failure | closed: `failed` |
//! | review | stances and a position | check |
//! | review | a failure, r < D | further |
//! | review | a failure, r = D | closed: `failed` (one side has no position) |
//! | alternative | a position | rebuttal |
//! | alternative | a failure; the review failed too | closed: `failed` |
//! | alternative | any other failure | further, or expert if r = D |
//! | rebuttal | stances and a position | check |
//! | rebuttal | a failure | further, or expert if r = D |
//! | compromise | a position | answer |
//! | compromise | a failure; the proposer's last answer failed too | closed: `failed` |
//! | compromise | any other failure | further, or expert if r = D |
//! | answer | stances | check |
//! | answer | a failure; the reviewer's last answer failed too | closed: `failed` |
//! | answer | any other failure | further, or expert if r = D |
//! | check | adopted | closed: `adopted` |
//! | check | r = D, between | closed: `partial` |
//! | check | r = D, below | expert |
//! | check | 2 <= r < D, below, and risen by less than `deadlock_rise` since the last check | expert |
//! | check | otherwise | further |
//! | remark | a remark, none, a failure | the first turn of its round |
//! | expert | a ruling | closed: `expert` |
//! | expert | a failure | closed: `deadlocked` |
//!
//! A stop from outside is not a transition: [`crate::kernel::Protocol::stop`] reads the state and reports
//! `terminated` or `interrupted` with all results so far.

pub(crate) mod contract;
pub(crate) mod input;
pub(crate) mod machine;
mod outcome;
mod points;
pub(crate) mod prompt;
pub(crate) mod reply;
mod table;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use input::{Input, InputError, Settings};
pub(crate) use machine::{Machine, Purpose};
pub(crate) use reply::Content;
