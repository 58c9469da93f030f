//! Ids of points, which keep their meaning for the whole debate, and points that an answer keeps by their id.
//!
//! The proposer's points are `A1`, `A2`, ..., the reviewer's `B1`, ..., those of a joint draft `J1`, ...; a number is
//! used once. An entry `{"keep": "A3"}` stands for the point of that id with its text and weight, whoever wrote it, so
//! that nobody has to copy what is agreed, and no copy has an id of its own.

use serde_json::{Value, json};

use super::contract::Side;
use crate::contract::{Diagnostics, some_of};
use crate::protocol::debate::model::{FROM_MEMORY, from_memory};
use crate::protocol::debate::reply::distinct;
use crate::protocol::debate::{Point, Position};
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::sanitize;

/// The letter of points of a joint draft.
const JOINT: char = 'J';

/// Whose points have which letter, by the names that a decision uses.
const OWNERS: [(char, &str); 3] = [
    (Side::Proposer.letter(), Side::Proposer.seat()),
    (Side::Reviewer.letter(), Side::Reviewer.seat()),
    (JOINT, "joint"),
];

/// The highest number used so far with each letter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct UsedNumbers([u32; OWNERS.len()]);

impl UsedNumbers {
    /// Takes note of the ids in a position.
    pub(super) fn take(&mut self, position: &Position) {
        for point in &position.points {
            for ((letter, _), used) in OWNERS.iter().zip(&mut self.0) {
                let number = point.id.strip_prefix(*letter).and_then(|rest| rest.parse().ok());
                *used = number.unwrap_or(0).max(*used);
            }
        }
    }

    /// Returns the ids for an answer: a side's own points, or those of a joint draft.
    pub(super) fn ids(&self, side: Option<Side>, known: impl Iterator<Item = Point>) -> PointIds {
        let letter = side.map_or(JOINT, Side::letter);
        let mut each = OWNERS.iter().zip(self.0);
        let used = each.find(|((other, _), _)| *other == letter).map_or(0, |(_, used)| used);
        let mut keepable: Vec<Point> = Vec::new();
        for mut point in known {
            if keepable.iter().all(|other| other.id != point.id) {
                point.kept_from = owner(&point.id).map(str::to_owned);
                keepable.push(point);
            }
        }
        PointIds { letter, first: used + 1, keepable }
    }
}

fn owner(id: &str) -> Option<&'static str> {
    OWNERS.iter().find(|(letter, _)| id.starts_with(*letter)).map(|(_, name)| *name)
}

/// The ids of the points of one answer: those that new points get, and those that it may keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PointIds {
    letter: char,
    first: u32,
    /// The points that may be kept, each with its owner.
    keepable: Vec<Point>,
}

impl PointIds {
    /// Returns the id of the new point with this index.
    fn id(&self, at: usize) -> String {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        format!("{}{}", self.letter, self.first.saturating_add(at))
    }

    fn keepable(&self) -> Vec<String> {
        self.keepable.iter().map(|point| point.id.clone()).collect()
    }

    /// Returns what the template `session/position` tells of them.
    pub(super) fn shown(&self) -> Value {
        json!({ "first": self.id(0), "second": self.id(1), "keepable": self.keepable() })
    }

    /// Checks a position: resolves what it keeps, and gives ids to its new points.
    pub(super) fn position(&self, judge: &mut Diagnostics, mut said: Position) -> Position {
        let given = said.points.len();
        let known = IdIndex::new(&self.keepable());
        let resolved: Vec<Point> = (said.points.into_iter())
            .filter_map(|point| self.resolved(judge, &known, point))
            .collect();
        let mut points = Vec::with_capacity(resolved.len());
        let mut new = 0;
        for mut point in distinct(judge, resolved) {
            if point.kept_from.is_none() {
                point.id = self.id(new);
                new += 1;
                for evidence in &mut point.evidence {
                    if let Some(rest) = from_memory(evidence) {
                        format!("{FROM_MEMORY} {rest}").trim_end().clone_into(evidence);
                    }
                }
            }
            points.push(point);
        }
        // A position whose every point was refused has its problems already.
        if points.is_empty()
            && judge.has_read("points")
            && (given == 0 || judge.problems.is_empty())
        {
            judge.problem("no_points", "a position has at least one point".to_owned());
        }
        said.points = points;
        said
    }

    /// Returns the point that an entry stands for; `None`, with a fault, if it keeps an unknown one.
    fn resolved(&self, judge: &mut Diagnostics, known: &IdIndex, mut said: Point) -> Option<Point> {
        let bare = said.reasoning.is_empty() && said.evidence.is_empty();
        let written = said.keep.take();
        let is_written = written.is_some();
        let written = written.or_else(|| kept_in_words(&said.claim, known).filter(|_| bare));
        let Some(written) = written else {
            said.kept_from = None;
            return Some(said);
        };
        let kept = match known.resolve(&written) {
            IdMatch::Exact(at) | IdMatch::Normalised(at) => self.keepable.get(at).cloned(),
            IdMatch::Unknown => None,
        };
        let shown = sanitize::line(&written, 60);
        match kept {
            Some(kept) if !is_written => {
                judge.note("unwrapped", format!("`{shown}` alone was read as keeping {}", kept.id));
                Some(kept)
            }
            Some(kept) if said.claim.is_empty() || said.claim == kept.claim => Some(kept),
            // Whoever rewords a point does not keep it.
            _ if !said.claim.is_empty() => {
                let message = format!(
                    "`keep` names {shown}, but the entry has a claim of its own: it counts as a new point"
                );
                judge.note("not_kept", message);
                said.kept_from = None;
                Some(said)
            }
            _ => {
                let ids = self.keepable();
                let names: Vec<&str> = ids.iter().map(String::as_str).collect();
                let end = if names.is_empty() {
                    "there is none to keep: write the point out".to_owned()
                } else {
                    format!("keep one of {}, or write the point out", some_of(&names))
                };
                judge.lenient(
                    "unknown_id",
                    format!("`keep` names {shown}, which was not shown; {end}"),
                );
                None
            }
        }
    }
}

/// Returns the id in an entry that is only text: `keep A3`, or the id alone.
fn kept_in_words(claim: &str, known: &IdIndex) -> Option<String> {
    let words: Vec<&str> = claim.split_whitespace().collect();
    let id = match words[..] {
        [id] => id,
        [keep, id] if keep.trim_end_matches(':').eq_ignore_ascii_case("keep") => id,
        _ => return None,
    };
    (known.resolve(id) != IdMatch::Unknown).then(|| id.to_owned())
}

#[cfg(test)]
mod tests;
