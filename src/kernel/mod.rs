//! What every protocol is written in: the contract with the engine, and the words that all of them share.
//!
//! A protocol imports from here, never from another protocol.
//!
//! | module | what |
//! |---|---|
//! | [`protocol`] | the trait that a protocol implements, its steps, and why a run stops early |
//! | [`turn`] | one prompt to one agent, and what came of it |
//! | [`cost`] | money, and how well an amount is known |
//! | [`seat`] | who held a seat, and whether it answered |
//! | [`warning`] | what was corrected, completed or left out on the way |
//! | [`stamp`] | identity, dates and money of a session, for its result |
//! | `fit` | JSON cut to the room that a prompt has |
//! | [`quote`] | untrusted text, with a mark before every line |
//! | [`share`] | a part of a whole, in thousandths |
//! | [`mod@shuffle`] | an order that the session's seed decides |

pub mod cost;
pub(crate) mod fit;
pub mod protocol;
pub mod quote;
pub mod seat;
pub mod share;
pub mod shuffle;
pub mod stamp;
#[cfg(test)]
pub(crate) mod testing;
pub mod turn;
pub mod warning;

pub use cost::{Basis, Cost, Shortfall, Usd};
pub use protocol::{Limit, Protocol, Step, Stop};
pub use seat::{HUMAN, Seat, SeatStatus};
pub use stamp::Stamp;
pub use turn::{
    Answer, Chance, Defect, Fact, Failure, FailureClass, Prompt, RawReply, Seated, Turn,
};
pub use warning::Warning;
