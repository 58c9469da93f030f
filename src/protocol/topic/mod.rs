//! The dialogue: two participants and, when they cannot agree, an expert (`docs/debate.md`, style `dialogue`).
//!
//! # Theory of operation
//!
//! In a *sequential* opening one turn is asked at a time. In round 1 the proposer puts a position, and the reviewer gives
//! a stance on each point and its own position in full. In round 2 the proposer gives stances on that and revises its own.
//!
//! In a *blind* opening both sides state their positions in round 1, at the same time and unseen, and in round 2 each
//! gives stances on the other's, again at the same time. Both positions are checked, and the higher consensus goes on
//! (of equal ones the proposer's): it is adopted, or its side drafts.
//!
//! From round 3 on one side, the *drafter*, drafts a joint position and the other answers it: the reviewer drafts, or
//! the side whose position scored higher in a blind opening. So no side is asked twice in a row with nothing new: each
//! turn but the first follows an answer of the other side, or repeats a turn that failed. From round 4 on only points not yet agreed to are drafted
//! anew: agreed points keep their ids and stances, and still count. A round ends with a consensus check of the position
//! put ([`super::debate::consensus`]).
//!
//! With `max_rounds` m there are max(1, m - 1) debating rounds, at least 2 after a blind opening. The last round is the
//! expert's; there is none if the debating rounds take all of m.
//!
//! Points have ids by side that keep their meaning for the whole dialogue, so that a position can keep a point by its
//! id ([`points`]).
//!
//! Silence is never agreement. A round with a missing answer is *forced*: the silent side's last position remains in
//! force, no check is made, and the next round asks for the missing answer again, since the other side has nothing new
//! to answer; after a blind opening, for a joint draft of the silent side. A side that fails to answer twice in a row
//! when asked ends the debate as `failed`, and so does a reviewer that never gave a position, or a missing position of
//! a blind opening. A forced last debating round adopts nothing, because consensus was not
//! measured.
//!
//! A check counts if stances cover 80% of the points. It is *adopted* when consensus is reached, *between* from the
//! expert's threshold on, else *below*. A check that meets the threshold without reaching consensus (its texts
//! contradict each other) is between, so that a person looks at it.
//!
//! # States
//!
//! A state is the turn being asked, or the two turns of a blind opening. `r` is its round, D the last debating round.
//! *Further* means the first turn of round r + 1: after a review `rebuttal`, after both positions both `stances`, else
//! `compromise`. *Again* means the same turn in round r + 1. *Expert* is the turn `expert`, or closed as `deadlocked` if
//! there is no expert or no round left for it.
//!
//! | state | input | next state |
//! |---|---|---|
//! | propose | a position | review |
//! | propose | a failure | closed: `failed` |
//! | review | stances and a position | check |
//! | review | a failure, the first one, r < D | again |
//! | review | any other failure | closed: `failed` (one side has no position) |
//! | rebuttal | stances and a position | check |
//! | rebuttal | a failure | again, or expert if r = D; the second: closed: `failed` |
//! | both positions | two positions | further |
//! | both positions | a failure | closed: `failed` |
//! | both stances | stances on both | check, of both; the higher one counts |
//! | both stances | a failure | further, or expert if r = D |
//! | compromise | a position | answer |
//! | compromise | a failure | again, or expert if r = D; if the drafter's last answer failed too, closed: `failed` |
//! | answer | stances | check |
//! | answer | a failure | again, or expert if r = D; if that side's last answer failed too, closed: `failed` |
//! | check | adopted | closed: `adopted` |
//! | check | r = D, between | closed: `partial` |
//! | check | r = D, below | expert |
//! | check | 2 <= r < D, below, and risen by less than `deadlock_rise` since the last check | expert |
//! | check | otherwise | further |
//! | expert | a ruling | closed: `expert` |
//! | expert | a failure | closed: `deadlocked` |
//!
//! A stop from outside is not a transition: [`crate::kernel::Protocol::stop`] reads the state and reports
//! `budget` or `interrupted` with all results so far.

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

pub(crate) use contract::{EXPERT, Side};
pub(crate) use input::{Input, Settings};
pub(crate) use machine::Machine;
