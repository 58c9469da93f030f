//! The result of `sessions verify`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::push_wrapped;
use super::{Look, short_id, words};
use crate::exit::ExitStatus;
use crate::session::{ChainState, VerifiedSession};
use crate::text::counted;

/// The result of `sessions verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyDocument {
    /// The sessions, newest first.
    pub sessions: Vec<VerifiedSession>,
    /// The version of this document.
    pub schema_version: u32,
}

impl VerifyDocument {
    /// Returns 5 if a session is broken, 1 if one has no chain, else 0.
    pub fn status(&self) -> ExitStatus {
        let of = |session: &VerifiedSession| match session.state {
            ChainState::Intact => ExitStatus::Success,
            ChainState::NoChain => ExitStatus::Negative,
            ChainState::Broken => ExitStatus::State,
        };
        self.sessions.iter().map(of).fold(ExitStatus::Success, ExitStatus::worse)
    }

    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let mut text = String::new();
        for session in &self.sessions {
            let first = format!("{}: ", short_id(&session.session_id));
            push_wrapped(&mut text, &sentence(session), &first, "  ", look.width);
        }
        if text.is_empty() { "No sessions here yet.\n".to_owned() } else { text }
    }
}

fn sentence(session: &VerifiedSession) -> String {
    let records = || counted(session.records.unwrap_or_default(), "record");
    let text = match (session.state, &session.head, session.record) {
        (ChainState::Intact, Some(head), _) => format!("{}, head {head}", records()),
        (ChainState::NoChain, ..) => {
            format!("{} without a chain of hashes, of an older version: not checked", records())
        }
        (_, _, Some(record)) => format!("broken at record {record}"),
        _ => "broken".to_owned(),
    };
    let kept = match session.newer {
        Some(0) => "; that is the head that was kept".to_owned(),
        Some(newer) => format!("; the head that was kept is {} old", counted(newer, "record")),
        None => String::new(),
    };
    let problem = session.problem.iter().map(|problem| format!(": {}", words::sentence(problem)));
    text + &kept + &problem.collect::<String>()
}
