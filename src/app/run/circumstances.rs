//! The part of a result that does not depend on the protocol: who ended the session, what was kept, what may have
//! been paid for twice.

use std::collections::BTreeMap;

use super::afford;
use super::calls::dangerous_warning;
use super::kind::input_redacted;
use super::session_state::{self, TERMINATED};
use crate::kernel::{Usd, Warning};
use crate::report::document::SessionFacts;
use crate::session::{Ledger, State};
use crate::text::Note;

/// Returns the warnings of a session's result apart from its protocol's own, the skills used, and what stopped it.
pub(crate) fn circumstances(ledger: &Ledger, dangerous: &[String]) -> SessionFacts {
    let opened = ledger.opened();
    let removed = opened.map_or(&[][..], |opened| &opened.redacted);
    let mut warnings: Vec<Warning> = (dangerous_warning(dangerous).into_iter())
        .chain(input_redacted(removed))
        .map(|Note { code, message }| Warning { code, turn: None, message })
        .collect();
    warnings.extend(kept_from_parent(ledger));
    warnings.extend(terminated(ledger));
    warnings.extend(possibly_paid_twice(ledger));
    warnings.extend(afford::ended(ledger));
    warnings.extend(ledger.accepted_drift().iter().map(|what| Warning {
        code: "drift_accepted".to_owned(),
        turn: None,
        message: format!("{what} changed after the session was opened, and was accepted"),
    }));
    let skills = opened.map(|opened| &opened.skills[..]).unwrap_or_default();
    let notes = skills.iter().filter_map(|skill| skill.note.clone());
    warnings.extend(notes.map(|message| Warning {
        code: "skill_note".to_owned(),
        turn: None,
        message,
    }));
    SessionFacts {
        rehearsal: opened.is_some_and(|opened| opened.rehearsal),
        warnings,
        skills: skills.to_vec(),
        report_path: None,
        parent: opened.and_then(|opened| Some(opened.parent.as_ref()?.into())),
        stopped_by: match ledger.state() {
            State::Suspended { limit, .. } => *limit,
            State::Running | State::Closed { .. } => None,
        },
        short: ledger.short(),
        quotas: ledger.quotas().to_vec(),
    }
}

/// Returns a warning if a person ended the session.
fn terminated(ledger: &Ledger) -> Option<Warning> {
    session_state::is_terminated(ledger).then(|| Warning {
        code: TERMINATED.to_owned(),
        turn: None,
        message: "the session was ended by `sessions terminate` before it was decided".to_owned(),
    })
}

/// Returns a warning on which part of the result is the parent's, and its cost there.
fn kept_from_parent(ledger: &Ledger) -> Option<Warning> {
    let parent = ledger.opened()?.parent.as_ref()?;
    let id = crate::report::short_id(&parent.session);
    let round = parent.from_round;
    let message = match ledger.kept() {
        (0, _) => {
            format!("asked again from round {round} on, for session {id}: none of it was kept")
        }
        (calls, cost) => {
            let calls = match calls {
                1 => "1 call".to_owned(),
                _ => format!("{calls} calls"),
            };
            let paid = cost.map_or(Usd::ZERO, |cost| cost.usd);
            format!(
                "asked again from round {round} on: the rounds before are those of session {id}, kept as they were recorded ({calls}, {paid} paid there and not counted here)"
            )
        }
    };
    Some(Warning { code: "kept_from_parent".to_owned(), turn: None, message })
}

/// Returns warnings of calls that a crash cut off: one for each turn, with the total charged for it.
fn possibly_paid_twice(ledger: &Ledger) -> impl Iterator<Item = Warning> {
    let mut turns: BTreeMap<&str, (u32, Usd)> = BTreeMap::new();
    // If nothing was charged, nobody can have been paid: a person was in the middle of an answer.
    let paid = (ledger.ambiguous()).filter(|(_, charged)| charged.usd > Usd::ZERO);
    for (turn, charged) in paid {
        let (calls, sum) = turns.entry(turn).or_default();
        *calls += 1;
        *sum += charged.usd;
    }
    turns.into_iter().map(|(turn, (calls, sum))| Warning {
        code: "possibly_paid_twice".to_owned(),
        turn: Some(turn.to_owned()),
        message: match calls {
            1 => format!(
                "a crash cut a call off: {sum} is charged for it, and it was made again"
            ),
            _ => format!(
                "crashes cut {calls} calls off: {sum} is charged for them, and the call was made again"
            ),
        },
    })
}
