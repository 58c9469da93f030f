//! The panel: independent answers, blind votes, cross rounds, a judge in both orders.
//!
//! # Theory of operation
//!
//! Every seat answers on its own. To a question with options, each answer names the one that it takes, or none. If all
//! answers received, of more than half of the seats and of two vendors, take the same option, the question is settled
//! without a vote: none could change it. A seat that is silent, or whose option cannot be made out, agrees to nothing.
//!
//! Otherwise every seat, even one whose answer failed, votes on all answers received. Each seat is shown them under
//! [`letters`] of its own, which it keeps, and in an order drawn anew for each turn; the program translates.
//! No author, vendor or confidence is shown, and a seat's own answer is among the others, unmarked ([`prompt`] says
//! why). Answers that take the same option, and those that more than half of the voting seats consider the same option
//! or action, are one *choice* ([`tally`]); a vote for one of them is a vote for the choice. A vote for the seat's own
//! answer counts, and the result marks it as such.
//!
//! The first ballot settles the question if all votes are for one choice. Otherwise it comes to a *cross round*: each
//! seat whose vote is not for the one choice that leads sees the others' reasons and votes again. The votes of the
//! others *stand*, as they were given. Where several choices have the most votes none leads, and all seats are asked,
//! as is always one without a vote in the last ballot. A seat changes its vote only by [naming](moved) what moved it: an answer,
//! a file, or words that it was shown. Otherwise its previous vote counts, as a whole, and the result shows the choice
//! it named instead. Statements
//! that answers are the same need no evidence, since they are a matter of reading, not opinion; each counted vote
//! states them anew. After each cross round more than half of all seats, of two vendors, settle the question; a
//! settled question is not debated further.
//!
//! Then a judge commits itself to an answer of its own before it sees any other. It rules twice in parallel, on the
//! choices in one order and in the reverse, with letters that go by the order, without authors and without votes, so that it judges answers. The same
//! choice twice is a ruling; two different choices mean that the order decided. All three turns must be answered by
//! one agent: if another one stepped in for any of them, nobody was tested, and there is no ruling. If no judge of
//! another vendor is available, the judge is the seat whose vendor cast the fewest votes in the last ballot (in a tie
//! the later seat), and the result says so.
//!
//! Failures count for nobody. A seat whose turn failed has no answer or no vote *in that ballot* (its last vote stays
//! in the dissent), the majority is of all seats, and vendors are those of the agents that actually voted. A seat
//! counts as present if it answered its last turn due: its last vote asked for, or its answer before the first
//! ballot. With half of the seats or fewer, or with one vendor alone, nothing is decided (`failed`). A judge that
//! failed has not ruled (`split`).
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | answers | no quorum of answers | closed: `failed` |
//! | answers | all of them take the same option | closed: `settled` |
//! | answers | otherwise | vote |
//! | vote | no quorum of votes | closed: `failed` |
//! | vote | every vote for one choice; with no cross rounds, more than half of the seats, of two vendors | closed: `settled` |
//! | vote | otherwise, cross rounds are held | cross 3 |
//! | vote | otherwise, there is a judge | own answer 3 |
//! | vote | otherwise | closed: `split` |
//! | cross n | no quorum of votes | closed: `failed` |
//! | cross n | more than half of the seats for one choice, of two vendors | closed: `settled` |
//! | cross n | otherwise, cross rounds left | cross n + 1 |
//! | cross n | otherwise, there is a judge | own answer n + 1 |
//! | cross n | otherwise | closed: `split` |
//! | own answer n | the judge failed | closed: `split` |
//! | own answer n | an answer | rulings n |
//! | rulings n | one failed, or not all of one agent | closed: `split` |
//! | rulings n | two different choices | closed: `unstable` |
//! | rulings n | the same choice twice | closed: `judged` |
//!
//! A stop from outside is not a transition: [`crate::kernel::Protocol::stop`] reads the state and reports
//! `budget` or `interrupted` with the answers and complete ballots so far; a ballot that was cut short is not
//! counted.

pub(crate) mod contract;
pub(crate) mod input;
mod letters;
pub(crate) mod machine;
pub(crate) mod model;
mod moved;
mod outcome;
mod prompt;
pub(crate) mod reply;
pub(crate) mod tally;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use input::{Input, JUDGE, Settings};
pub(crate) use machine::Machine;
