//! Agents: the policy for asking one CLI.
//!
//! # Theory of operation
//!
//! A [`roster::Roster`] says which program plays which role and who steps in.
//! For one turn [`ask::ask`] prepares a call from the agent's [`profile`] (argv,
//! environment, prompt), has it made through [`attempts::Attempts`], reads what
//! came back with [`envelope`] and decides: an answer, the same again after a
//! wait, one repair re-ask ([`repair`]), another agent, or a failure. What a
//! call cost is worked out by [`cost`]; whether it may be made at all is
//! decided behind `Attempts`, which this layer does not look behind.
//!
//! Success is only what exit code *and* envelope both call one. Text decides
//! nothing but what the vendors' documented messages decide.

pub mod ask;
pub mod attempts;
pub mod cost;
pub mod dangerous;
pub mod envelope;
mod output;
pub mod pace;
pub mod person;
pub mod profile;
pub mod reading;
pub mod repair;
pub mod roster;
