//! The only loop: ask the step's turns at the same time, apply, emit events.
//!
//! # Theory of operation
//!
//! [`run()`] asks the protocol for its next step, asks that step's turns at the same time through
//! [`crate::agent::ask`], returns the answers in turn order, and continues until the protocol is
//! done or a limit stops it. It knows no clock except its own stopwatch, no file and no process:
//! attempts are permitted, journaled and paid for behind [`crate::agent::attempts::Attempts`], and
//! everything else is reported as [`events`].
//!
//! A resume is the same loop. Attempts with results in the journal are answered from it, so the
//! protocol is replayed as far as it got, and runs live from there.

pub mod budget;
pub mod bus;
pub(crate) mod clock;
pub mod events;
pub mod run;
pub mod switch;

pub use run::{Fatal, TurnAsker, run};
