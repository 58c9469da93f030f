//! A warning in a result: a correction, completion or omission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::Note;

/// A warning with the turn it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
// Published schemas name it so.
#[schemars(rename = "RoundWarning")]
pub struct Warning {
    /// A stable name: `unknown_id`, `completed_by_rule`, ...
    pub code: String,
    /// The turn's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// One sentence for people.
    pub message: String,
}

/// Converts a note into a result's warning, without a turn.
pub fn warning(note: &Note) -> Warning {
    Warning { code: note.code.clone(), turn: None, message: note.message.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_becomes_a_warning_of_no_turn() {
        let Warning { code, turn, message } = warning(&Note::new("echo", "it repeats"));
        assert_eq!((&*code, turn, &*message), ("echo", None, "it repeats"));
    }
}
