//! The record of a debating round: the check in full, and a summary in one sentence.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::table::{Kind, Side};
use super::{AcceptedAnswer, Machine};
use crate::kernel::Run;
use crate::kernel::share::Share;
use crate::protocol::debate::Position;
use crate::protocol::debate::consensus::Check;
use crate::protocol::debate::outcome::RoundRecord;

impl Machine {
    /// Records a round. `silent` is the side whose answer is missing.
    pub(super) fn close_round(
        &mut self,
        taken: &AcceptedAnswer,
        check: Option<Check>,
        silent: Option<Side>,
        run: &mut Run,
    ) {
        let round = taken.round;
        let put = self.puts.last().filter(|put| put.round == round);
        let mut positions: BTreeMap<String, Position> = (self.held.iter())
            .map(|(side, held)| (side.seat().to_owned(), held.position.clone()))
            .collect();
        if let Some(joint) = put.filter(|put| put.kind == Kind::Joint) {
            positions.insert(joint.kind.by().to_owned(), joint.position.clone());
        }
        let stances = put.filter(|put| put.judged.is_some()).map(|put| {
            let reader = put.kind.author().other();
            (reader.seat().to_owned(), put.stances())
        });
        let record = RoundRecord {
            round,
            consensus: check,
            positions,
            stances: stances.into_iter().collect(),
            arguments: Vec::new(),
            metrics: None,
            votes: Vec::new(),
            forced: silent.map(|side| side.seat().to_owned()).into_iter().collect(),
            remark: self.remark.take(),
            stamp: None,
        };
        run.close_round(round, Some(&taken.turn), came_to(&record), data(&record));
        self.rounds.push(record);
    }
}

fn came_to(record: &RoundRecord) -> String {
    let round = record.round;
    match (&record.consensus, record.forced.first()) {
        (_, Some(seat)) => format!("round {round}: no check, the answer of the {seat} is missing"),
        (None, None) => format!("round {round}: no check, there is nothing to compare"),
        (Some(check), None) => match check.decisive {
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
    json!({
        "round": record.round,
        "consensus": number(check.and_then(|check| check.decisive)),
        "stance_score": number(check.and_then(|check| check.stance_score)),
        "text_score": number(check.and_then(|check| check.text_score)),
        "threshold": number(check.map(|check| check.threshold)),
        "reached": check.is_some_and(|check| check.reached),
        // In full, with weights, embedding and conflict, so that the check can be questioned from the journal alone.
        "check": check,
        "forced": record.forced,
    })
}
