//! The follow-up policy: the consequences of a critique, if the caller asks for them (`--apply-policy`).
//!
//! # Theory of operation
//!
//! | result | follow-up | may go on |
//! |---|---|---|
//! | severity high, a person signs the artifact off | [`FollowUpAction::SignOff`] | no |
//! | severity high, no revision task was recorded for the artifact | [`FollowUpAction::RevisionTask`], `<id>-R1` | after the revision |
//! | severity high, a revision task was recorded before | [`FollowUpAction::Escalate`] | no |
//! | severity medium | [`FollowUpAction::Warning`] | yes |
//! | severity low or none | [`FollowUpAction::GoOn`] | yes |
//! | undecided, out of budget, interrupted | [`FollowUpAction::Nothing`] | not on the strength of this result |
//!
//! An artifact goes back once and never twice, so that agents cannot send work round in a circle. What is recorded,
//! and where, is up to `app`: this module records nothing.

use super::model::{FollowUp, FollowUpAction, Severity};
use crate::text::sanitize;

/// Maximum characters of the id that a revision task's id begins with.
const ID: usize = 100;

/// Returns the follow-up of a result, which has a severity only if it was decided. `revisions` is how many were
/// recorded for this artifact before; `id` is the id of the task that the artifact came from, else the round's.
pub fn follow_up(severity: Option<Severity>, sign_off: bool, revisions: u32, id: &str) -> FollowUp {
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
        _ => None,
    };
    of_action(action, task)
}

/// Builds a follow-up from a recorded action; marked as not recorded and without a file.
pub fn of_action(action: FollowUpAction, task: Option<String>) -> FollowUp {
    let message = match action {
        FollowUpAction::RevisionTask => {
            let task = task.as_deref().unwrap_or("without an id");
            format!(
                "The artifact goes back once, as revision task {task}: make the required changes, then discuss it again; if it is blocked again, a person decides."
            )
        }
        FollowUpAction::Escalate => "The artifact went back once before and is blocked again: a person decides, and nothing continues until then.".to_owned(),
        FollowUpAction::SignOff => "This artifact needs a person's sign-off and is blocked: a person decides, and nothing continues until then.".to_owned(),
        FollowUpAction::Warning => "The artifact proceeds with caution: the objections are kept as a warning for whoever works on it next.".to_owned(),
        FollowUpAction::GoOn => "The artifact proceeds.".to_owned(),
        FollowUpAction::Nothing => "Nothing was decided, so nothing follows: the artifact neither proceeds nor goes back.".to_owned(),
    };
    FollowUp {
        action,
        task,
        stops: matches!(action, FollowUpAction::Escalate | FollowUpAction::SignOff),
        recorded: false,
        file: None,
        message,
    }
}

#[cfg(test)]
mod tests {
    //! The whole table, worked out from `docs/discuss.md`, and the messages for people.

    use super::*;

    /// All inputs of an action: five severities, the gate, the count.
    #[test]
    fn what_follows_is_what_the_table_says() {
        use FollowUpAction as A;
        use Severity as S;
        // For a decided result, by severity: at no gate without and with a revision, and at a gate.
        let table = [
            (None, [A::Nothing, A::Nothing, A::Nothing]),
            (Some(S::None), [A::GoOn, A::GoOn, A::GoOn]),
            (Some(S::Low), [A::GoOn, A::GoOn, A::GoOn]),
            (Some(S::Medium), [A::Warning, A::Warning, A::Warning]),
            (Some(S::High), [A::RevisionTask, A::Escalate, A::SignOff]),
        ];
        let mut counts = [0; 6];
        for (severity, [first, again, gate]) in table {
            for (sign_off, revisions, wanted) in [
                (false, 0, first),
                (false, 1, again),
                (false, 2, again),
                (false, u32::MAX, again),
                (true, 0, gate),
                (true, 1, gate),
                (true, u32::MAX, gate),
            ] {
                let found = follow_up(severity, sign_off, revisions, "DRAFT-001");
                let case = format!("{severity:?} {sign_off} {revisions}");
                assert_eq!(found.action, wanted, "{case}");
                assert_eq!(found.stops, [A::Escalate, A::SignOff].contains(&wanted), "{case}");
                let task = (wanted == A::RevisionTask).then(|| "DRAFT-001-R1".to_owned());
                assert_eq!(found.task, task, "{case}");
                assert_eq!((found.recorded, found.file), (false, None), "{case}");
                counts[wanted as usize] += 1;
            }
        }
        // 35 cases: 5 severities, 7 of gate and count.
        assert_eq!(counts, [1, 3, 3, 7, 14, 7]);
    }

    #[test]
    fn a_message_is_one_sentence_that_says_who_acts() {
        use FollowUpAction as A;
        for (action, says) in [
            (A::RevisionTask, "as revision task D-R1: make the required changes"),
            (A::Escalate, "went back once before and is blocked again: a person decides"),
            (A::SignOff, "This artifact needs a person's sign-off and is blocked"),
            (A::Warning, "proceeds with caution"),
            (A::GoOn, "The artifact proceeds."),
            (A::Nothing, "Nothing was decided, so nothing follows"),
        ] {
            let task = (action == A::RevisionTask).then(|| "D-R1".to_owned());
            let made = of_action(action, task);
            assert!(made.message.contains(says), "{}", made.message);
            assert!(made.message.ends_with('.') && !made.message.contains('\n'));
            assert_eq!(made.message.matches('.').count(), 1, "{}", made.message);
        }
    }

    #[test]
    fn an_id_is_data() {
        let hostile = format!("T\n<!-- \u{1b}[2J\u{202e}{}", "x".repeat(500));
        let high = Some(Severity::High);
        let made = follow_up(high, false, 0, &hostile);
        let task = made.task.unwrap();
        assert_eq!(task.chars().count(), 103);
        assert!(task.starts_with("T <!-- xxx") && task.ends_with("…-R1"), "{task}");
        assert_eq!(made.message.lines().count(), 1);
    }
}
