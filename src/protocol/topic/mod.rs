//! The dialogue: two participants and, when they cannot agree, an expert (`docs/debate.md`, style `dialogue`).
//!
//! # Theory of operation
//!
//! One turn is asked at a time. In round 1 the proposer puts a position and the reviewer says what it thinks of
//! each point, with a short position of its own; in round 2 the reviewer puts a full alternative and the proposer
//! answers it and revises its own; from round 3 on the proposer drafts a joint position and the reviewer answers.
//! From round 4 on only the points are up that were not agreed to: agreed ones keep their ids and their stances, and
//! count. A round ends with a check of what was put ([`super::debate::consensus`]).
//!
//! With `max_rounds` m there are max(1, m - 1) debating rounds; the last is for the expert, and with m = 1 there is none.
//!
//! What was not said is never agreement. A round in which an answer is missing is *forced*: the last position of the
//! one who is silent stands, no check is made, and who has nothing new before it is not asked. So after a proposer's
//! missing draft nobody answers, and after a reviewer's missing alternative nobody rebuts. Who is silent twice in a row
//! when asked ends the debate as `failed`, and so does a reviewer that never gave a position. A last debating round
//! that is forced adopts nothing: nobody has measured how things stand.
//!
//! A check counts where stances cover 80% of the points. It is *adopted* when it is reached, *between* from the
//! expert's threshold on, else *below*. What is at the threshold and was not reached all the same (its texts
//! contradict each other) is between: a person looks.
//!
//! # States
//!
//! A state is the turn that is asked. `r` is its round, D the last debating one; *further* means round r + 1:
//! `remark` where a person is asked between rounds, else its first turn (`alternative` in round 2, then `compromise`).
//! *Expert* is the turn `expert`, or closed as `deadlocked` where there is none.
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
//! A stop from outside is no arrow: [`crate::kernel::Protocol::stop`] reads the state and reports `terminated` or
//! `interrupted` with everything that is there.

pub mod contract;
pub mod input;
pub mod machine;
mod outcome;
pub mod prompt;
pub mod reply;
mod table;
#[cfg(test)]
pub(crate) mod testing;

pub use input::{Input, InputError, Settings};
pub use machine::{Machine, Purpose};
pub use reply::Content;
