//! What follows from a critique, where the caller asks for that (`--apply-policy`).
//!
//! # Theory of operation
//!
//! | result | what follows | may go on |
//! |---|---|---|
//! | severity high, a person signs the artifact off | [`FollowUpAction::SignOff`] | no |
//! | severity high, no revision task was recorded for the artifact | [`FollowUpAction::RevisionTask`], `<id>-R1` | after the revision |
//! | severity high, one was | [`FollowUpAction::Escalate`] | no |
//! | severity medium | [`FollowUpAction::Warning`] | yes |
//! | severity low or none | [`FollowUpAction::GoOn`] | yes |
//! | undecided, out of budget, interrupted | [`FollowUpAction::Nothing`] | not on the strength of this result |
//!
//! An artifact goes back once and never twice, so that agents cannot send work round in a circle. What is written down,
//! and where, is the business of `app`: nothing is recorded here.

use super::model::{DiscussOutcome, FollowUp, FollowUpAction, Severity};
use crate::text::sanitize;

/// Characters of the id that a revision task's id begins with.
const ID: usize = 100;

/// Says what follows from a result. `revisions` were recorded for this artifact before; `id` is the task's that the
/// artifact came from, else the round's.
pub fn follow_up(
    outcome: DiscussOutcome,
    severity: Option<Severity>,
    sign_off: bool,
    revisions: u32,
    id: &str,
) -> FollowUp {
    // What closes no session decided nothing, whatever severity its part of the answers has.
    let severity = severity.filter(|_| outcome.closes());
    let action = match severity {
        None => FollowUpAction::Nothing,
        Some(Severity::None | Severity::Low) => FollowUpAction::GoOn,
        Some(Severity::Medium) => FollowUpAction::Warning,
        Some(Severity::High) if sign_off => FollowUpAction::SignOff,
        Some(Severity::High) if revisions == 0 => FollowUpAction::RevisionTask,
        Some(Severity::High) => FollowUpAction::Escalate,
    };
    let task = match action {
        FollowUpAction::RevisionTask => Some(format!("{}-R1", sanitize::line(id, ID))),
        FollowUpAction::Escalate
        | FollowUpAction::SignOff
        | FollowUpAction::Warning
        | FollowUpAction::GoOn
        | FollowUpAction::Nothing => None,
    };
    of_action(action, task)
}

/// Makes what followed from what was written down of it; not recorded, in no file.
pub fn of_action(action: FollowUpAction, task: Option<String>) -> FollowUp {
    let message = match action {
        FollowUpAction::RevisionTask => {
            let task = task.as_deref().unwrap_or("without an id");
            format!(
                "The artifact goes back once, as revision task {task}: make the required changes, then discuss it again; if it is blocked again, a person decides."
            )
        }
        FollowUpAction::Escalate => "The artifact went back once before and is blocked again: a person decides, and nothing goes on until then.".to_owned(),
        FollowUpAction::SignOff => "A person signs this artifact off, and it is blocked: a person decides, and nothing goes on until then.".to_owned(),
        FollowUpAction::Warning => "The artifact goes on with caution: what stands against it is kept as a warning for whoever works on it next.".to_owned(),
        FollowUpAction::GoOn => "The artifact goes on.".to_owned(),
        FollowUpAction::Nothing => "Nothing was decided, so nothing follows: neither that the artifact goes on nor that it goes back.".to_owned(),
    };
    FollowUp {
        action,
        task,
        stops: match action {
            FollowUpAction::Escalate | FollowUpAction::SignOff => true,
            FollowUpAction::RevisionTask
            | FollowUpAction::Warning
            | FollowUpAction::GoOn
            | FollowUpAction::Nothing => false,
        },
        recorded: false,
        file: None,
        message,
    }
}

#[cfg(test)]
mod tests;
