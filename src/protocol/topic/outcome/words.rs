//! The recommendation: one paragraph, composed by rules.

use super::super::machine::Machine;
use super::super::table::participants;
use super::noun;
use crate::kernel::Run;
use crate::protocol::debate::consensus::{Basis, COVERED};
use crate::protocol::debate::{DebateOutcome, Outcome};

/// States the decision, the reason for it, what is open, and who did not answer.
pub(super) fn recommendation(outcome: &Outcome, machine: &Machine, run: &Run) -> String {
    let mut said = vec![decided(outcome, machine, run)];
    let last = outcome.rounds.iter().rev().find_map(|round| round.consensus.as_ref());
    if let Some(found) = last.and_then(|check| check.polarity_conflict) {
        let words = found.sentence();
        let (first, rest) = words.split_at(words.len().min(1));
        said.push(format!("{}{rest}.", first.to_uppercase()));
    }
    if let Some(check) =
        last.filter(|check| check.basis == Basis::Stance && check.covered < COVERED)
    {
        said.push(format!(
            "Of the points' total weight, {} was judged, but {COVERED} is needed.",
            check.covered
        ));
    }
    let amendments = outcome.decision.iter().flat_map(|decision| &decision.amendments);
    let amendments = amendments.count();
    if amendments > 0 {
        said.push(format!("The agreement rests on {}.", count(amendments, "amendment")));
    }
    let open = outcome.open_points.len();
    if open > 0 && outcome.outcome != DebateOutcome::Expert {
        let stays = if open == 1 { "stays" } else { "stay" };
        said.push(format!("{} {stays} open.", count(open, "point")));
    }
    let dissent = outcome.dissent.len();
    if dissent > 0 {
        said.push(format!("Read the dissent first: {}.", count(dissent, "objection")));
    }
    let forced: Vec<String> = (outcome.rounds.iter())
        .filter(|round| !round.forced.is_empty())
        .map(|round| round.round.to_string())
        .collect();
    if !forced.is_empty() {
        let rounds = if forced.len() == 1 { "round" } else { "rounds" };
        said.push(format!("An answer is missing in {rounds} {}.", forced.join(", ")));
    }
    if machine.input.proposer.vendor == machine.input.reviewer.vendor {
        said.push("Both participants are from one vendor.".to_owned());
    }
    if outcome.expert.as_ref().is_some_and(|expert| expert.of_a_participant) {
        said.push("The expert is from a participant's vendor.".to_owned());
    }
    said.join(" ")
}

fn decided(outcome: &Outcome, machine: &Machine, run: &Run) -> String {
    let settings = &machine.input.settings;
    let consensus = outcome.consensus.map_or_else(
        || "no consensus was measured".to_owned(),
        |consensus| format!("consensus {consensus}"),
    );
    let wanted = settings.consensus_threshold;
    let noun = noun(machine);
    match outcome.outcome {
        DebateOutcome::Adopted => format!("Adopted: {noun}, with {consensus} ({wanted} needed)."),
        DebateOutcome::Partial => format!(
            "Agreed in part, {consensus} ({wanted} needed): nothing is decided until a person says yes or no to {noun}."
        ),
        DebateOutcome::Expert => format!(
            "The participants did not agree ({consensus}, {wanted} needed); the expert ruled on {}.",
            count(outcome.open_points.len(), "open point")
        ),
        DebateOutcome::Failed => {
            let silent: Vec<&str> = participants(run)
                .filter(|seat| seat.misses() > 0)
                .map(|seat| &*seat.name)
                .collect();
            format!("Nothing was decided: no answer came from the {}.", silent.join(" and the "))
        }
        DebateOutcome::Terminated => "Nothing was decided: the debate was ended early.".to_owned(),
        DebateOutcome::Interrupted => {
            "Nothing was decided: the debate was interrupted, and can be resumed.".to_owned()
        }
        DebateOutcome::Running => "Nothing is decided yet: the debate is running.".to_owned(),
        DebateOutcome::Deadlocked
        | DebateOutcome::ConsensusReached
        | DebateOutcome::Settled
        | DebateOutcome::Judged
        | DebateOutcome::Unstable
        | DebateOutcome::Split => {
            let why = match &outcome.expert {
                None => "there is no expert to ask".to_owned(),
                Some(expert) => {
                    let failure = expert.failure.as_deref().unwrap_or_default();
                    format!("the expert gave no ruling ({failure})")
                }
            };
            format!(
                "Nothing was decided: the participants did not agree ({consensus}, {wanted} needed), and {why}."
            )
        }
    }
}

fn count(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
