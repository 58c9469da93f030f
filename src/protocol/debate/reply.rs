//! The reading of a debate's blocks: positions, stances, judgements (`docs/answers.md`).
//!
//! Content accepted by this module has points with our own ids, stances on points that were shown, at most one each,
//! and texts of bounded length. Faults are problems at first, all reported at once, so that one re-ask can fix
//! everything. On the last chance faulty entries are left out, one warning each, and never repaired by guessing:
//!
//! * a position needs a point; a missing stance was not given, and counts against agreement later;
//! * an answer that owes stances and gives none has failed, whatever else it contains;
//! * "agree" with an amendment, or "agree, but", is `partly`;
//! * two different stances on one point count as no stance; a judgement with a missing ruling is not a judgement.

use std::collections::BTreeSet;

use super::model::{Judgement, Point, Stances};
use crate::contract::{Diagnostics, some_of};
use crate::text::sanitize;

/// Leaves out repeated claims: one made twice counts once, since a repetition would double its weight.
pub(in crate::protocol) fn distinct(judge: &mut Diagnostics, read: Vec<Point>) -> Vec<Point> {
    let mut seen = BTreeSet::new();
    let mut points = Vec::with_capacity(read.len());
    for point in read {
        let words: Vec<&str> = point.claim.split_whitespace().collect();
        if !words.is_empty() && !seen.insert(words.join(" ").to_lowercase()) {
            let claim = sanitize::line(&point.claim, 60);
            judge.note("duplicate_claim", format!("`{claim}` is claimed twice; it counts once"));
            continue;
        }
        points.push(point);
    }
    points
}

/// Checks stances against the ids that were shown.
pub(in crate::protocol) fn stances(judge: &mut Diagnostics, mut said: Stances) -> Stances {
    let kept = judge.sorted("stance", said.stances, |said| &mut said.point);
    let missing = judge.without(|at| kept.contains_key(&at));
    let names: Vec<&str> = missing.iter().map(String::as_str).collect();
    if kept.is_empty() && !missing.is_empty() {
        let message = format!("give a stance on each of {}", some_of(&names));
        judge.problem("no_stances", message);
    } else if !missing.is_empty() {
        let message =
            format!("no stance on {}; a point without one counts as `disagree`", some_of(&names));
        judge.lenient("missing_ids", message);
    }
    said.stances = kept.into_values().collect();
    said
}

/// Checks a judgement: a ruling on each id that was shown.
pub(in crate::protocol) fn judgement(judge: &mut Diagnostics, mut said: Judgement) -> Judgement {
    let kept = judge.sorted("ruling", said.points, |ruling| &mut ruling.id);
    let missing = judge.without(|at| kept.contains_key(&at));
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(String::as_str).collect();
        // A judgement that leaves a point open is not a ruling, not even on the last chance.
        judge.problem("missing_ids", format!("no ruling on {}", some_of(&names)));
    }
    said.points = kept.into_values().collect();
    said
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
