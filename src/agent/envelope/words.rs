//! Why a call failed, in words for people: who, the cause, and what to do. Every protocol and form shows these.

use crate::agent::roster::Agent;
use crate::kernel::{FailureClass, HUMAN};

/// The cause of a failure.
#[derive(Debug)]
pub(super) enum Cause {
    /// The CLI's own words.
    Said(String),
    /// Ours, to follow the agent's name.
    Seen(String),
}

pub(super) fn sentence(agent: &Agent, class: &FailureClass, cause: &Cause) -> String {
    let name = &agent.name;
    let said = match cause {
        Cause::Seen(predicate) => return format!("{name} {predicate}"),
        Cause::Said(said) => said.trim_end_matches('.'),
    };
    let key = format!("`agents.{name}.model`");
    let what = match class {
        FailureClass::NotLoggedIn => {
            let how = match agent.cli().probes.log_in {
                "" => "log in with its own program",
                how => how,
            };
            format!("is not logged in, or its key is not valid: {how}")
        }
        FailureClass::QuotaExhausted { resets_at: Some(at), .. } => {
            format!("is out of quota until {at}")
        }
        FailureClass::QuotaExhausted { .. } => "is out of quota".to_owned(),
        FailureClass::RateLimited { retry_after: Some(wait) } => {
            format!("is rate limited for {wait} s")
        }
        FailureClass::RateLimited { retry_after: None } => "is rate limited".to_owned(),
        FailureClass::Overloaded => "gets no answer from its service".to_owned(),
        FailureClass::UnknownModel => format!("does not know its model: set {key}"),
        FailureClass::NotExecutable => {
            "does not start as this version needs it: `debate-agent doctor` shows what differs"
                .to_owned()
        }
        FailureClass::ContextTooLong => "cannot take a prompt of this size".to_owned(),
        FailureClass::RefusedByPolicy => "refused the call".to_owned(),
        FailureClass::OutputLimit => "stopped at its output limit".to_owned(),
        FailureClass::EmptyReply if agent.vendor != HUMAN => "answered nothing".to_owned(),
        FailureClass::Crashed { code: Some(0), .. } => return format!("{name} failed: {said}"),
        FailureClass::Crashed { code: Some(code), .. } => {
            return format!("{name} ended with exit code {code}: {said}");
        }
        FailureClass::Crashed { code: None, signal: Some(signal) } => {
            return format!("{name} was ended by signal {signal}: {said}");
        }
        FailureClass::Crashed { code: None, signal: None }
        | FailureClass::EmptyReply
        | FailureClass::NotFound
        | FailureClass::TimedOut
        | FailureClass::Idle
        | FailureClass::Unreadable
        | FailureClass::Cancelled => return format!("{name}: {said}"),
    };
    format!("{name} {what} (it said: {said})")
}
