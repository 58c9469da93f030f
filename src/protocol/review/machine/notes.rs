//! What the machine tells of itself in the result.

use crate::kernel::Warning;
use crate::text::Note;

/// Says what came of the votes. That nobody voted is no vote against a decision, and is told apart.
pub(super) fn validated(stand: usize, silent: usize, all: usize) -> String {
    if silent == all {
        return "not validated: nobody voted, so every finding stays as it is".to_owned();
    }
    let silent = match silent {
        0 => String::new(),
        silent => format!("; nobody voted on {silent}"),
    };
    format!("validated: {stand} of {all} decisions stand{silent}")
}

pub(super) fn warning(note: &Note, turn: Option<&str>) -> Warning {
    Warning {
        code: note.code.clone(),
        turn: turn.map(str::to_owned),
        message: note.message.clone(),
    }
}
