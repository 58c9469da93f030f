//! Agents: the policy for asking one CLI.
//!
//! # Theory of operation
//!
//! A [`roster::Roster`] assigns programs and fallbacks to roles. For one turn [`ask::ask`] prepares
//! a call from the agent's [`profile`] (argv, environment, prompt), has it made through
//! [`attempts::Attempts`], reads the output with [`envelope`] and decides: an answer, the same
//! again after a wait, one repair re-ask ([`repair`]), another agent, or a failure. [`cost`]
//! determines a call's cost; whether it may be made at all is decided by the implementation of
//! `Attempts`, which this layer does not know.
//!
//! A call succeeded only if exit code *and* envelope say so. Text decides nothing, except for the
//! vendors' documented messages.

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
