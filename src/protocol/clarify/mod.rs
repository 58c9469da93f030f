//! Questions before a session's first turn: facts that would change the answer, and that only the person knows.
//!
//! # Theory of operation
//!
//! [`Clarified`] puts up to two turns before another protocol, in the same session, so that journal, budget and resume
//! are those of any turn. `r0/clarify` is a cheap call that asks for at most five facts; `r0/facts` puts its questions
//! to the person, who answers or skips each. Then the protocol is opened again with what is known, and has every
//! further turn. Answers are shown to all as the person's, and a question without one as an assumption
//! ([`super::facts`]).
//!
//! The questions decide nothing. A reply that is missing or cannot be read is a warning, is never asked for again, and
//! the session goes on without it. Neither turn counts as the attendance of a seat.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | asking | no questions, an unreadable reply, a failure | open |
//! | asking | questions, with `ask` | answering |
//! | asking | questions, with `list` | open: all are assumptions |
//! | answering | answers | open: what was skipped is an assumption |
//! | answering | a failure | open: all are assumptions |
//! | open | any | as the protocol says |

mod contract;
mod machine;
mod model;

pub(crate) use contract::{CLARIFIER, FACTS, FACTS_TASK};
pub(crate) use machine::{Clarified, Informed, Outcome, open};
pub use model::Mode;
