//! The record of a debating round: the check in full, and a summary in one sentence.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::contract::Side;
use super::{AcceptedAnswer, Machine};
use crate::kernel::Run;
use crate::kernel::share::Share;
use crate::protocol::debate::Position;
use crate::protocol::debate::consensus::Check;
use crate::protocol::debate::outcome::RoundRecord;

#[derive(Debug, Default)]
pub(super) struct RoundChecks {
    /// That of the position that goes on; `None` if nothing was compared.
    pub(super) decisive: Option<Check>,
    /// Where both sides' positions were judged: that of each, by its author.
    pub(super) both: BTreeMap<Side, Check>,
}

impl Machine {
    /// Records a round. `silent`: the sides whose answers are missing.
    pub(super) fn close_round(
        &mut self,
        taken: &AcceptedAnswer,
        checks: RoundChecks,
        silent: &[Side],
        run: &mut Run,
    ) {
        let round = taken.round;
        let put = || self.puts.iter().filter(|put| put.round == round);
        let mut positions: BTreeMap<String, Position> = (self.held.iter())
            .map(|(side, held)| (side.seat().to_owned(), held.position.clone()))
            .collect();
        if let Some(joint) = put().find(|put| put.is_joint) {
            positions.insert(joint.by().to_owned(), joint.position.clone());
        }
        let judged = put().filter(|put| put.judged.is_some());
        let stances = judged.map(|put| (put.reader().seat().to_owned(), put.stances()));
        let record = RoundRecord {
            round,
            consensus: checks.decisive,
            checks: (checks.both.into_iter())
                .map(|(side, check)| (side.seat().to_owned(), check))
                .collect(),
            positions,
            stances: stances.collect(),
            forced: silent.iter().map(|side| side.seat().to_owned()).collect(),
            ..RoundRecord::default()
        };
        run.close_round(round, Some(&taken.turn), came_to(&record), data(&record));
        self.rounds.push(record);
    }
}

fn came_to(record: &RoundRecord) -> String {
    let round = record.round;
    match (&record.consensus, &record.forced[..]) {
        (_, [seat]) => format!("round {round}: no check, the answer of the {seat} is missing"),
        (_, [_, _, ..]) => format!("round {round}: no check, both answers are missing"),
        (None, []) if record.stances.is_empty() => {
            format!("round {round}: both positions are stated, and not judged yet")
        }
        (None, []) => format!("round {round}: no check, there is nothing to compare"),
        (Some(check), []) => match check.decisive {
            Some(decisive) => {
                format!("round {round}: consensus {decisive} ({} needed)", check.threshold)
            }
            None => format!("round {round}: consensus could not be measured"),
        },
    }
}

fn data(record: &RoundRecord) -> Value {
    let check = record.consensus.as_ref();
    let number = |share: Option<Share>| share.map(Share::number);
    let mut data = json!({
        "round": record.round,
        "consensus": number(check.and_then(|check| check.decisive)),
        "stance_score": number(check.and_then(|check| check.stance_score)),
        "text_score": number(check.and_then(|check| check.text_score)),
        "threshold": number(check.map(|check| check.threshold)),
        "reached": check.is_some_and(|check| check.reached),
        // In full, with weights, embedding and conflict, so that the check can be questioned from the journal alone.
        "check": check,
        "forced": record.forced,
    });
    if !record.checks.is_empty() {
        data["checks"] = json!(record.checks);
    }
    data
}
