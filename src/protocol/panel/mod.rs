//! The panel: answers alone, blind votes, a cross round, a judge in both orders.
//!
//! # Theory of operation
//!
//! Every seat answers alone. Then every seat, also one whose answer failed, votes on all answers that came. They stand
//! under letters drawn by lot once a session, so that `A` is the same answer for everybody and in every round, and
//! in an order drawn anew for each turn; no author, vendor or confidence is shown, and one's own answer stands among
//! the others, unmarked. Answers that more than half of the voting seats hold to be the same are one *choice*
//! ([`tally`]); a vote for one of them is a vote for the choice. A vote for one's own answer counts, and the result
//! shows it as such.
//!
//! The first ballot settles the question when all votes are for one choice. Otherwise the seats see each other's reasons in
//! a *cross round* and vote again. A seat changes its vote only by naming the evidence that moved it; without any, its vote
//! before it counts, as a whole, and the result shows what it named instead. What a seat says of answers being the same
//! needs no evidence: that is reading, not opinion, and its last counted vote says it anew. After each cross round more
//! than half of all seats, of two vendors, settle it; what is settled is not debated further.
//!
//! Then a judge: it commits itself to an answer of its own before it sees any other, and rules twice at the same time, on the
//! choices in one order and in the reverse, without authors and without votes, so that it judges answers. The same choice
//! twice is a ruling; two different ones say that the order ruled. All three turns must be of one agent: where another one
//! stepped in for one of them, nobody was tested, and nothing is ruled. Where nobody of another vendor is there to judge, the
//! seat does whose vendor cast the fewest votes in the last ballot (of equal ones the later seat), and the result says so.
//!
//! Nobody is counted for an error: a seat whose turn failed has no answer or no vote *in that ballot* (its last vote stays in
//! the dissent), the majority is one of all seats, and vendors are those of the agents that really voted. A seat counts as
//! present when the last turn that it owed came: its vote in the last ballot, or its answer before the first. With half of the
//! seats or fewer, or of one vendor alone, nothing is decided (`failed`). A judge that failed has not ruled (`split`).
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | answers | no quorum of answers | closed: `failed` |
//! | answers | otherwise | vote |
//! | vote | no quorum of votes | closed: `failed` |
//! | vote | every vote for one choice; with no cross rounds, more than half of the seats, of two vendors | closed: `settled` |
//! | vote | otherwise, cross rounds are held, with a pause | remark 3 |
//! | vote | otherwise, cross rounds are held | cross 3 |
//! | vote | otherwise, a judge is there | own answer 3 |
//! | vote | otherwise | closed: `split` |
//! | remark n | anything, also a failure | cross n |
//! | cross n | no quorum of votes | closed: `failed` |
//! | cross n | more than half of the seats for one choice, of two vendors | closed: `settled` |
//! | cross n | otherwise, cross rounds left, with a pause | remark n + 1 |
//! | cross n | otherwise, cross rounds left | cross n + 1 |
//! | cross n | otherwise, a judge is there | own answer n + 1 |
//! | cross n | otherwise | closed: `split` |
//! | own answer n | the judge failed | closed: `split` |
//! | own answer n | an answer | rulings n |
//! | rulings n | one failed, or not all of one agent | closed: `split` |
//! | rulings n | two different choices | closed: `unstable` |
//! | rulings n | the same choice twice | closed: `judged` |
//!
//! A stop from outside is no arrow: [`crate::kernel::Protocol::stop`] reads the state and reports `terminated` or
//! `interrupted` with the answers and the whole ballots that there are; a ballot that was cut short is none.

pub mod contract;
pub mod input;
pub mod machine;
pub mod model;
mod outcome;
mod prompt;
pub mod reply;
pub mod tally;
#[cfg(test)]
pub(crate) mod testing;

pub use input::{Input, InputError, Judge, Settings};
pub use machine::{Machine, Purpose};
pub use model::Content;
