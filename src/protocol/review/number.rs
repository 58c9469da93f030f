//! Numbers findings in the order in which a result shows them. Reviewers saw the numbers of groups, which are given by
//! place before anybody knows what remains; texts that name one of those are brought along.

use std::collections::BTreeMap;

use super::model::{EliminatedFinding, Group, Outcome, ReportedFinding};

/// Numbers the findings of a result, then all other groups.
pub(super) fn number(outcome: &mut Outcome, groups: &[Group]) {
    let (findings, eliminated) = (&mut outcome.result.findings, &mut outcome.result.eliminated);
    let kept = findings.iter_mut().map(|one| &mut one.reported);
    let out = eliminated.iter_mut().map(|one| {
        let EliminatedFinding { reason, reported, .. } = one;
        (reported, reason)
    });
    let mut shown: Vec<&mut ReportedFinding> = kept.collect();
    let mut texts: Vec<&mut String> = Vec::new();
    for (reported, reason) in out {
        shown.push(reported);
        texts.push(reason);
    }
    let first: Vec<String> = shown.iter().map(|one| one.id.clone()).collect();
    let mut ids = BTreeMap::new();
    for id in first.iter().map(String::as_str).chain(groups.iter().map(|group| group.id.as_str())) {
        let next = ids.len() + 1;
        ids.entry(id.to_owned()).or_insert_with(|| format!("F{next}"));
    }
    for reported in shown {
        let repeats = reported.repeats.iter_mut().map(|repeat| &mut repeat.id);
        texts.extend([&mut reported.id].into_iter().chain(&mut reported.merged).chain(repeats));
        for judgement in &mut reported.judgements {
            texts.extend(&mut judgement.same_as);
            texts.push(&mut judgement.reason);
        }
    }
    for vote in &mut outcome.result.validation {
        texts.push(&mut vote.id);
        texts.extend(&mut vote.because);
        texts.extend(vote.reasons.iter_mut().map(|(_, reason)| reason));
    }
    texts
        .extend(outcome.result.residual_risks.iter_mut().chain(&mut outcome.result.open_questions));
    texts.extend(outcome.warnings.iter_mut().map(|warning| &mut warning.message));
    for text in texts {
        rename(text, &ids);
    }
}

/// Replaces ids that stand as words of their own.
fn rename(text: &mut String, ids: &BTreeMap<String, String>) {
    let is_end = |character: char| !character.is_ascii_alphanumeric();
    let pieces = text.split_inclusive(is_end).map(|piece| {
        let word = piece.trim_end_matches(is_end);
        match ids.get(word) {
            Some(id) => id.clone() + &piece[word.len()..],
            None => piece.to_owned(),
        }
    });
    *text = pieces.collect();
}
