//! The basis of every protocol: the contract with the engine, and the shared types.
//!
//! A protocol imports from here, never from another protocol.
//!
//! | module | what |
//! |---|---|
//! | [`protocol`] | the trait that a protocol implements, its steps, and why a run stops early |
//! | [`driver`] | the part common to all protocols: the open step, whole steps only, notes on answers |
//! | [`run`] | the driver's record of a run: seats, warnings, events |
//! | [`ending`] | how a run ends, and the common part of outcomes |
//! | [`attendance`] | who was asked, who answered, and from which vendors |
//! | [`turn`] | one prompt to one agent, and its answer or failure |
//! | [`turn_id`] | its id and spelling |
//! | [`cost`] | money, and the basis of an amount |
//! | [`seat`] | who held a seat, and whether it answered |
//! | [`warning`] | corrections, completions and omissions |
//! | [`stamp`] | identity, dates and money of a session, for its result |
//! | [`fit`] | JSON cut to fit into a prompt |
//! | [`quote`] | untrusted text, with a mark before every line |
//! | [`share`] | a fraction from 0 to 1, in thousandths |
//! | [`mod@shuffle`] | an order that the session's seed decides |

pub mod attendance;
pub mod cost;
pub mod driver;
pub mod ending;
pub mod fit;
pub mod protocol;
pub mod quota;
pub mod quote;
pub mod run;
pub mod seat;
pub mod share;
pub mod shuffle;
pub mod stage;
pub mod stamp;
pub mod turn;
pub mod turn_id;
pub mod warning;

pub use attendance::{Attendance, Seats};
pub use cost::{Basis, Cost, Shortfall, Usd};
pub use driver::{AnyReply, Driver, DynDriver};
pub use ending::{End, EndWord, Ended, Halt, Outcome, Quorum, SessionOutcome};
pub use protocol::{Answers, Limit, Protocol, Query, Step, Stop};
pub use quota::{Quota, QuotaWindow};
pub use run::{Event, Run};
pub use seat::{HUMAN, Seat, SeatStatus};
pub use stage::Stage;
pub use stamp::Stamp;
pub use turn::{
    Answer, Chance, Defect, Draft, Fact, Failure, FailureClass, Prompt, RawReply, Reply,
    Respondent, Turn,
};
pub use turn_id::{TurnId, round_of, seat_name, task_of};
pub use warning::Warning;

/// Returns a count as records and results store it; none comes near 2^32.
pub fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
