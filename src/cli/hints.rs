//! Hints for commands and options of other tools that have another name in this program: those of the debate manager
//! in the source documents.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

/// Commands and options that do not exist, and the equivalent of each.
const NAMES: [(&str, &str); 5] = [
    ("start", "`debate-agent debate 'TOPIC' --agents claude,gemini` starts a debate"),
    ("status", "`debate-agent sessions status ID` shows a session's state"),
    (
        "resume",
        "`debate-agent sessions resume ID` continues a session; `--from-round N` asks again from there",
    ),
    ("--topic", "the topic is an argument: `debate-agent debate 'TOPIC'`"),
    ("--debate-id", "the id is an argument: `debate-agent sessions resume ID`"),
];

/// Returns the equivalent of the name that clap does not know.
pub(super) fn of(error: &clap::Error) -> Option<&'static str> {
    let unknown = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let mut unknown = unknown.into_iter().filter_map(|kind| error.get(kind));
    unknown.find_map(|value| {
        let ContextValue::String(name) = value else {
            return None;
        };
        let known = NAMES.iter().find(|(known, _)| known == name);
        known.map(|(_, meant)| *meant)
    })
}

/// Puts the equivalent into the error, in place of clap's similar spellings.
pub(super) fn add(error: &mut clap::Error) {
    let Some(meant) = of(error) else {
        return;
    };
    for alike in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg] {
        error.remove(alike);
    }
    let tip = ContextValue::StyledStrs(vec![StyledStr::from(meant)]);
    error.insert(ContextKind::Suggested, tip);
}
