//! The only loop: limits, ask the step's turns at the same time, journal, apply, emit events.

pub mod events;
