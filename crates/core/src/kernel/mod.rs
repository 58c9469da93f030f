//! What every protocol is written in: the contract with the engine, and the words that all of them share.
//!
//! A protocol imports from here, never from another protocol.
//!
//! | module | what |
//! |---|---|
//! | [`protocol`] | the trait that a protocol implements, its steps, and why a run stops early |
//! | [`driver`] | what is alike for all protocols: the open step, whole steps only, what is noted of an answer |
//! | [`rule_version`] | which rules a session goes by, where they changed |
//! | [`run`] | what the driver knows of a run: seats, warnings, events |
//! | [`ending`] | how a run ends, and what an outcome says of it |
//! | [`attendance`] | who was asked, who answered, and of which vendors |
//! | [`turn`] | one prompt to one agent, and what came of it |
//! | [`turn_id`] | its id, and how it is spelled |
//! | [`cost`] | money, and how well an amount is known |
//! | [`seat`] | who held a seat, and whether it answered |
//! | [`warning`] | what was corrected, completed or left out on the way |
//! | [`stamp`] | identity, dates and money of a session, for its result |
//! | [`fit`] | JSON cut to the room that a prompt has |
//! | [`quote`] | untrusted text, with a mark before every line |
//! | [`share`] | a part of a whole, in thousandths |
//! | [`mod@shuffle`] | an order that the session's seed decides |

pub mod attendance;
pub mod cost;
pub mod driver;
pub mod ending;
pub mod fit;
pub mod protocol;
pub mod quote;
pub mod rule_version;
pub mod run;
pub mod seat;
pub mod share;
pub mod shuffle;
pub mod stamp;
pub mod turn;
pub mod turn_id;
pub mod warning;

pub use attendance::{Attendance, Seats};
pub use cost::{Basis, Cost, Shortfall, Usd};
pub use driver::Driver;
pub use ending::{End, Ending};
pub use protocol::{Answers, Limit, Protocol, Query, Step, Stop};
pub use rule_version::RuleVersion;
pub use run::{Event, Run};
pub use seat::{HUMAN, Seat, SeatStatus};
pub use stamp::Stamp;
pub use turn::{
    Answer, Chance, Defect, Draft, Fact, Failure, FailureClass, Prompt, RawReply, Reply, Seated,
    Turn,
};
pub use turn_id::{TurnId, round_of, seat_name, task_of};
pub use warning::Warning;
