//! What the composer may decide, and what it decided (`spec/review-and-plan.md`, step 7).
//!
//! # Theory of operation
//!
//! The composer is offered every group that is not out by rule ([`is_out`]) and gets exactly one
//! [`Decision`] on each, in the order of the groups. It cannot add a finding, and cannot
//! bring back one that is out. What it does not name is kept; what it names in two ways is kept as it
//! is, each time with a note: a muddle never loses a finding.
//!
//! | said of a group | decision |
//! |---|---|
//! | nothing | keep |
//! | keep | keep, worded anew |
//! | eliminate | eliminate |
//! | merge into a group that stays | merge |
//! | merge into a group that is itself merged | merge into the one at the end |
//! | merge in a ring, into itself, into two groups | keep |
//! | merge into a group that is unknown, out, or eliminated | keep |
//! | eliminate, and it is what others are merged into | keep |
//! | two of keep, merge and eliminate | keep |

use std::collections::{BTreeMap, BTreeSet};

use super::model::{CompositionSaid, DecisionKind, Eliminate, Group, Keep};
use super::status::is_out;
use crate::text::Note;

#[cfg(test)]
mod tests;

/// What is decided of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The group.
    pub id: String,
    /// Keep, merge, or eliminate.
    pub kind: DecisionKind,
    /// The group that it goes into; exactly when it is merged. That group is kept.
    pub into: Option<String>,
    /// A new title, if it is kept.
    pub title: Option<String>,
    /// A new description, if it is kept.
    pub detail: Option<String>,
    /// A new fix, if it is kept.
    pub fix: Option<String>,
    /// Why; exactly when it is eliminated.
    pub reason: Option<String>,
}

impl Decision {
    fn keep(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            kind: DecisionKind::Keep,
            into: None,
            title: None,
            detail: None,
            fix: None,
            reason: None,
        }
    }
}

/// What a composition comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Composed {
    /// One entry a group that was offered, in the order of the groups.
    pub decisions: Vec<Decision>,
    /// What was not taken as it was said.
    pub notes: Vec<Note>,
}

/// Returns the deterministic merge: all is kept that is not out by rule.
pub fn by_rule(groups: &[Group]) -> Vec<Decision> {
    let offered = groups.iter().filter(|group| !is_out(group));
    offered.map(|group| Decision::keep(&group.id)).collect()
}

/// Turns what a composer said into one decision a group.
pub fn apply(groups: &[Group], said: &CompositionSaid) -> Composed {
    let mut plan = Plan::new(groups);
    plan.read(said);
    plan.settle();
    let decisions = by_rule(groups);
    let decisions = decisions.into_iter().map(|decision| plan.decide(decision));
    Composed { decisions: decisions.collect(), notes: plan.notes }
}

/// What was said, sorted by group.
struct Plan<'a> {
    offered: BTreeSet<&'a str>,
    known: BTreeSet<&'a str>,
    keep: BTreeMap<&'a str, &'a Keep>,
    merge: BTreeMap<&'a str, &'a str>,
    eliminate: BTreeMap<&'a str, &'a Eliminate>,
    notes: Vec<Note>,
}

impl<'a> Plan<'a> {
    fn new(groups: &'a [Group]) -> Self {
        let offered = groups.iter().filter(|group| !is_out(group));
        Self {
            offered: offered.map(|group| group.id.as_str()).collect(),
            known: groups.iter().map(|group| group.id.as_str()).collect(),
            keep: BTreeMap::new(),
            merge: BTreeMap::new(),
            eliminate: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    /// Whether a group can be decided on; notes it if not.
    fn offers(&mut self, id: &str) -> bool {
        if self.offered.contains(id) {
            return true;
        }
        if self.known.contains(id) {
            let why = "is refuted or not in the change, and out by rule";
            self.note("not_offered", format!("{id} {why}; nothing is decided of it"));
        } else {
            self.note("unknown_id", format!("there is no finding {id}"));
        }
        false
    }

    /// Takes in what was said; what contradicts itself within one list is dropped.
    fn read(&mut self, said: &'a CompositionSaid) {
        for keep in &said.keep {
            if self.offers(&keep.id) && self.keep.insert(&keep.id, keep).is_some() {
                let id = &keep.id;
                self.note("kept_twice", format!("{id} is kept twice; the last wording counts"));
            }
        }
        let mut torn = BTreeSet::new();
        for merge in &said.merge {
            let into = merge.into.as_str();
            let stays = self.offers(into);
            for id in &merge.ids {
                if !self.offers(id) || !stays {
                    continue;
                }
                if id == into {
                    self.note("merged_into_itself", format!("{id} is merged into itself"));
                } else if self.merge.insert(id, into).is_some_and(|before| before != into) {
                    self.note("merged_twice", format!("{id} is merged into two; it is kept"));
                    torn.insert(id.as_str());
                }
            }
        }
        self.merge.retain(|id, _| !torn.contains(id));
        for eliminate in &said.eliminate {
            if self.offers(&eliminate.id) {
                self.eliminate.entry(&eliminate.id).or_insert(eliminate);
            }
        }
    }

    /// Resolves what contradicts itself across the lists, towards keeping.
    fn settle(&mut self) {
        let targets: BTreeSet<&str> = self.merge.values().copied().collect();
        let eliminated: Vec<&str> = self.eliminate.keys().copied().collect();
        let mut lost = BTreeSet::new();
        for id in eliminated {
            let kept = self.keep.contains_key(id);
            let merged = self.merge.contains_key(id);
            let target = targets.contains(id);
            if kept || merged || target {
                self.eliminate.remove(id);
                self.note("contradiction", format!("{id} is eliminated, and is not; it is kept"));
                lost.insert(id);
            }
        }
        let both: Vec<&str> = self.merge.keys().copied().collect();
        for id in both {
            if self.keep.contains_key(id) {
                self.note("contradiction", format!("{id} is kept and merged; it is kept"));
                self.merge.remove(id);
            }
        }
        // What was to be thrown out too takes no part in a merge, on either side.
        self.merge.retain(|id, into| !lost.contains(id) && !lost.contains(into));
        let merged: Vec<&str> = self.merge.keys().copied().collect();
        let ends: Vec<Option<&str>> = merged.iter().map(|id| self.end(id)).collect();
        for (id, end) in merged.into_iter().zip(ends) {
            if let Some(end) = end {
                self.merge.insert(id, end);
            } else {
                self.note("merged_in_a_ring", format!("{id} is merged in a ring; it is kept"));
                self.merge.remove(id);
            }
        }
    }

    /// Returns the group at the end of a chain of merges; `None` if it never ends.
    fn end(&self, id: &str) -> Option<&'a str> {
        let mut at = *self.merge.get(id)?;
        for _ in 0..self.merge.len() {
            match self.merge.get(at) {
                Some(next) => at = next,
                None => return Some(at),
            }
        }
        None
    }

    fn decide(&self, decision: Decision) -> Decision {
        let id = decision.id.as_str();
        if let Some(eliminate) = self.eliminate.get(id) {
            return Decision {
                kind: DecisionKind::Eliminate,
                reason: Some(eliminate.reason.clone()),
                ..decision
            };
        }
        if let Some(into) = self.merge.get(id) {
            return Decision {
                kind: DecisionKind::Merge,
                into: Some((*into).to_owned()),
                ..decision
            };
        }
        match self.keep.get(id) {
            Some(keep) => Decision {
                title: keep.title.clone(),
                detail: keep.detail.clone(),
                fix: keep.fix.clone(),
                ..decision
            },
            None => decision,
        }
    }
}
