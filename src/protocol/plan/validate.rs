//! The vote on the merged plan, step by step.

use std::collections::BTreeMap;

use super::merge::Merged;
use super::model::{Group, StepValidation, ValidationResult};
use crate::protocol::council::ValidationSaid;

/// Counts the votes on each step of the merged plan. The winner has no vote, and nobody one on a step that it
/// wrote. The majority of the votes cast decides; as many for as against is a tie; no votes are no approval.
pub fn tally(
    merged: &Merged,
    groups: &[Group],
    winner: usize,
    ballots: &BTreeMap<usize, ValidationSaid>,
) -> Vec<StepValidation> {
    let tally = |at: usize| {
        let group = &groups[at];
        let (mut approves, mut rejects) = (0, 0);
        let voters = ballots.iter().filter(|(seat, _)| **seat != winner);
        for (_, said) in voters.filter(|(seat, _)| !group.wrote(**seat)) {
            match said.votes.iter().find(|vote| vote.id == group.id) {
                Some(vote) if vote.approve => approves += 1,
                Some(_) => rejects += 1,
                None => {}
            }
        }
        StepValidation { approves, rejects, result: result(approves, rejects) }
    };
    (merged.steps.iter()).map(|step| tally(step.group)).collect()
}

const fn result(approves: u32, rejects: u32) -> ValidationResult {
    if approves == 0 && rejects == 0 {
        ValidationResult::Unvalidated
    } else if approves > rejects {
        ValidationResult::Approved
    } else if rejects > approves {
        ValidationResult::Rejected
    } else {
        ValidationResult::Tied
    }
}

/// Whether validation rejects most of the steps.
///
/// A step that one seat alone wrote and nobody voted on stands on neither side: silence must not carry a plan
/// whose every vote was against it. One that several seats wrote needs no vote to count as wanted.
pub fn rejected(merged: &Merged, groups: &[Group], tally: &[StepValidation]) -> bool {
    let (mut rejected, mut all) = (0_usize, 0_usize);
    for (step, validation) in merged.steps.iter().zip(tally) {
        match validation.result {
            ValidationResult::Rejected => {
                rejected += 1;
                all += 1;
            }
            ValidationResult::Approved | ValidationResult::Tied => all += 1,
            ValidationResult::Unvalidated if groups[step.group].authors().len() > 1 => all += 1,
            ValidationResult::Unvalidated => {}
        }
    }
    2 * rejected > all
}

#[cfg(test)]
mod tests;
