//! What the machine states: warnings, and what each round came to.

use serde_json::{Value, json};

use crate::kernel::share::Share;
use crate::kernel::{Fact, Warning};
use crate::protocol::debate::outcome::RoundRecord;
use crate::text::Note;

pub(super) fn warning(note: &Note, turn: Option<&str>) -> Warning {
    Warning {
        code: note.code.clone(),
        turn: turn.map(str::to_owned),
        message: note.message.clone(),
    }
}

pub(super) fn fact(code: &str, turn: &str, message: String) -> Fact {
    Fact {
        code: code.to_owned(),
        turn: Some(turn.to_owned()),
        message,
        data: Value::Null,
        warning: true,
    }
}

pub(super) fn same_vendor(vendor: &str) -> Note {
    let message =
        format!("both participants are of {vendor}: their agreement is that of one vendor");
    Note::new("same_vendor", message)
}

/// States that a round is over.
pub(super) fn closed(record: &RoundRecord, turn: String) -> Fact {
    let round = record.round;
    let message = match (&record.consensus, record.forced.first()) {
        (_, Some(seat)) => format!("round {round}: no check, the answer of the {seat} is missing"),
        (None, None) => format!("round {round}: no check, there is nothing to compare"),
        (Some(check), None) => match check.decisive {
            Some(decisive) => {
                format!("round {round}: consensus {decisive} ({} wanted)", check.threshold)
            }
            None => format!("round {round}: consensus could not be measured"),
        },
    };
    let check = record.consensus.as_ref();
    let number = |share: Option<Share>| share.map(Share::number);
    Fact {
        code: "round_closed".to_owned(),
        turn: Some(turn),
        message,
        data: json!({
            "round": round,
            "consensus": number(check.and_then(|check| check.decisive)),
            "stance_score": number(check.and_then(|check| check.stance_score)),
            "text_score": number(check.and_then(|check| check.text_score)),
            "threshold": number(check.map(|check| check.threshold)),
            "reached": check.is_some_and(|check| check.reached),
            // Whole, with weights and embedding, so that it can be argued with from the transcript alone.
            "check": check,
            "forced": record.forced,
            // With its weights, its embedding and what clashes, so that a journal alone can be argued with.
            "check": check,
        }),
        warning: false,
    }
}
