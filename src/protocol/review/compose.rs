//! The composer's decisions and their limits (`docs/review.md`, step 7).
//!
//! # Theory of operation
//!
//! The composer is offered every group that is not out by rule ([`is_out`]), and exactly one [`Decision`] results for
//! each, in the order of the groups. It can neither add a finding nor bring back one that is out. A group that it
//! does not name is kept; one that it names in two ways is kept, each time with a note: contradictory instructions
//! never lose a finding.
//!
//! | composer's instruction for a group | decision |
//! |---|---|
//! | none | keep |
//! | keep | keep, reworded |
//! | eliminate | eliminate |
//! | merge into a group that stays | merge |
//! | merge into a group that is itself merged | merge into the one at the end |
//! | merge in a ring, into itself, into two groups | keep |
//! | merge into a group that is unknown, out, or eliminated | keep |
//! | eliminate, and others are merged into it | keep |
//! | two of keep, merge and eliminate | keep |
//! | by evidence: eliminate what two vendors confirmed | keep |
//! | by evidence: a merge after which that would no longer show as confirmed | keep all of them |
//!
//! Groups that a judge said are the same as another ([`repeats()`]) are not offered: they are merged by rule.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{CompositionBlock, DecisionKind, Eliminate, Group, KeptGroup, Status};
use super::repeats::{keeps_confirmed, repeats};
use super::status::{is_out, status};
use crate::text::Note;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The group's id.
    pub id: String,
    /// Keep, merge, or eliminate.
    pub kind: DecisionKind,
    /// The group that it is merged into, which is kept; present exactly when the decision is a merge.
    pub into: Option<String>,
    /// A new title, if the group is kept.
    pub title: Option<String>,
    /// A new description, if the group is kept.
    pub detail: Option<String>,
    /// A new fix, if the group is kept.
    pub fix: Option<String>,
    /// The composer's reason, if the group is eliminated, or merged and it gives one.
    pub reason: Option<String>,
    /// The seats that said in a cross-examination that it is the same as `into`; such a merge needs no vote.
    pub repeated_by: BTreeSet<usize>,
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
            repeated_by: BTreeSet::new(),
        }
    }

    /// Whether it changes anything: a group that is kept in its own words needs no vote.
    pub fn changes(&self) -> bool {
        self.kind != DecisionKind::Keep
            || [&self.title, &self.detail, &self.fix].into_iter().any(Option::is_some)
    }

    /// Whether it follows from the judgements, without a composer.
    pub fn is_by_rule(&self) -> bool {
        !self.repeated_by.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompositionResult {
    /// One entry per offered group, in the order of the groups.
    pub decisions: Vec<Decision>,
    /// Instructions that were not followed as written.
    pub notes: Vec<Note>,
}

/// Returns the deterministic merge: every group that is not out by rule is kept, or shown with the one that a judge
/// said is the same.
pub fn by_rule(groups: &[Group]) -> Vec<Decision> {
    let mut repeats = repeats(groups);
    let offered = groups.iter().filter(|group| !is_out(group));
    let decided = offered.map(|group| match repeats.remove(&group.id) {
        Some(repeat) => Decision {
            kind: DecisionKind::Merge,
            into: Some(repeat.into),
            repeated_by: repeat.said_by,
            ..Decision::keep(&group.id)
        },
        None => Decision::keep(&group.id),
    });
    decided.collect()
}

/// Turns a composition into one decision per group.
pub fn apply(groups: &[Group], said: &CompositionBlock) -> CompositionResult {
    let mut plan = Plan::new(groups);
    plan.read(said);
    plan.settle();
    plan.spare(groups);
    let decisions = by_rule(groups).into_iter().map(|decision| plan.decide(decision));
    CompositionResult { decisions: decisions.collect(), notes: plan.notes }
}

/// The composer's instructions, sorted by group.
struct Plan<'a> {
    offered: BTreeSet<&'a str>,
    known: BTreeSet<&'a str>,
    keep: BTreeMap<&'a str, &'a KeptGroup>,
    merge: BTreeMap<&'a str, &'a str>,
    /// The reasons for merges, by the group that is merged.
    reasons: BTreeMap<&'a str, &'a str>,
    eliminate: BTreeMap<&'a str, &'a Eliminate>,
    notes: Vec<Note>,
}

impl<'a> Plan<'a> {
    fn new(groups: &'a [Group]) -> Self {
        let repeats = repeats(groups);
        let offered =
            groups.iter().filter(|group| !is_out(group) && !repeats.contains_key(&group.id));
        Self {
            offered: offered.map(|group| group.id.as_str()).collect(),
            known: groups.iter().map(|group| group.id.as_str()).collect(),
            keep: BTreeMap::new(),
            merge: BTreeMap::new(),
            reasons: BTreeMap::new(),
            eliminate: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    /// Whether a group can be decided on; adds a note if not.
    fn offers(&mut self, id: &str) -> bool {
        if self.offered.contains(id) {
            return true;
        }
        if self.known.contains(id) {
            let why = "is refuted, not in the change, or shown with another, by rule";
            self.note("not_offered", format!("{id} {why}; nothing is decided about it"));
        } else {
            self.note("unknown_id", format!("there is no finding {id}"));
        }
        false
    }

    /// Reads the instructions; those that contradict each other within one list are dropped.
    fn read(&mut self, said: &'a CompositionBlock) {
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
                self.reasons.extend(merge.reason.as_deref().map(|reason| (id.as_str(), reason)));
                if id == into {
                    self.note("merged_into_itself", format!("{id} is merged into itself"));
                } else if self.merge.insert(id, into).is_some_and(|before| before != into) {
                    self.note(
                        "merged_twice",
                        format!("{id} is merged into two findings; it is kept"),
                    );
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

    /// Resolves contradictions across the lists in favour of keeping.
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
                self.note(
                    "contradiction",
                    format!("{id} is both eliminated and kept or merged; it is kept"),
                );
                lost.insert(id);
            }
        }
        let both: Vec<&str> = self.merge.keys().copied().collect();
        for id in both {
            if self.keep.contains_key(id) {
                self.note("contradiction", format!("{id} is both kept and merged; it is kept"));
                self.merge.remove(id);
            }
        }
        // A group that was also to be eliminated takes no part in a merge, on either side.
        self.merge.retain(|id, into| !lost.contains(id) && !lost.contains(into));
        let merged: Vec<&str> = self.merge.keys().copied().collect();
        let ends: Vec<Option<&str>> = merged.iter().map(|id| self.end(id)).collect();
        for (id, end) in merged.into_iter().zip(ends) {
            if let Some(end) = end {
                self.merge.insert(id, end);
            } else {
                self.note("merged_in_a_ring", format!("{id} is merged in a circle; it is kept"));
                self.merge.remove(id);
            }
        }
    }

    /// Drops instructions that would remove or lower what two vendors confirmed.
    fn spare(&mut self, groups: &'a [Group]) {
        let by_id: BTreeMap<&str, &Group> =
            groups.iter().map(|group| (group.id.as_str(), group)).collect();
        let is_spared = |id: &&str| {
            let group = by_id.get(id);
            group.is_some_and(|group| status(group) == Status::Confirmed)
        };
        let eliminated: Vec<&str> = self.eliminate.keys().copied().filter(is_spared).collect();
        for id in eliminated {
            self.eliminate.remove(id);
            let why = "is confirmed by two vendors and cannot be eliminated";
            self.note("confirmed_stays", format!("{id} {why}; it is kept"));
        }
        let targets: BTreeSet<&str> = self.merge.values().copied().collect();
        for into in targets {
            let merged = self.merge.iter().filter(|(_, to)| **to == into).map(|(id, _)| *id);
            let members: Vec<&Group> =
                merged.chain([into]).filter_map(|id| by_id.get(id).copied()).collect();
            if !keeps_confirmed(&members) {
                self.merge.retain(|_, to| *to != into);
                let why = "would hide that two vendors confirmed a finding; all of them are kept";
                self.note("confirmed_stays", format!("the merge into {into} {why}"));
            }
        }
    }

    /// Returns the group at the end of a chain of merges; `None` if the chain never ends.
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
        if decision.is_by_rule() {
            return decision;
        }
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
                reason: self.reasons.get(id).map(|reason| (*reason).to_owned()),
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

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: one row per arrow of the table, and arbitrary compositions.

    use proptest::prelude::*;

    use super::*;
    use crate::protocol::review::model::{Location, Merge, Severity, Stance};
    use crate::protocol::review::samples::{at, group};

    /// Returns the groups: `F1` to `F4` can be decided on; `F5` is refuted, `F6` outside.
    fn groups() -> Vec<Group> {
        let author = [(0, "red")];
        let mut groups: Vec<Group> = ["F1", "F2", "F3", "F4"]
            .iter()
            .map(|id| group(id, Severity::P1, &author, &[]))
            .collect();
        let against = [(1, "blue", Stance::Disagree)];
        groups.push(group("F5", Severity::P2, &author, &against));
        groups.push(at(group("F6", Severity::P0, &author, &[]), Location::Outside));
        groups
    }

    /// Returns a composition written in words: `keep F1`, `F2 into F1`, `drop F3`.
    fn said(words: &[&str]) -> CompositionBlock {
        let mut said = CompositionBlock::default();
        for words in words {
            match words.split(' ').collect::<Vec<_>>()[..] {
                ["keep", id] => said.keep.push(KeptGroup {
                    id: id.to_owned(),
                    title: Some("new".to_owned()),
                    detail: None,
                    fix: None,
                }),
                ["drop", id] => {
                    said.eliminate.push(Eliminate { id: id.to_owned(), reason: "why".to_owned() });
                }
                [id, "into", into] => {
                    said.merge.push(Merge {
                        into: into.to_owned(),
                        ids: vec![id.to_owned()],
                        reason: None,
                    });
                }
                ref other => panic!("{other:?}"),
            }
        }
        said
    }

    /// Returns the decisions in short (`keep`, `new`, `drop`, `into F1`) and the codes of the notes.
    fn decided(words: &[&str]) -> (Vec<String>, Vec<String>) {
        let composed = apply(&groups(), &said(words));
        let short = |decision: &Decision| match (decision.kind, &decision.into, &decision.title) {
            (DecisionKind::Keep, None, None) => "keep".to_owned(),
            (DecisionKind::Keep, None, Some(_)) => "new".to_owned(),
            (DecisionKind::Merge, Some(into), None) => format!("into {into}"),
            (DecisionKind::Eliminate, None, None) => "drop".to_owned(),
            other => panic!("{other:?}"),
        };
        let ids: Vec<&str> = composed.decisions.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["F1", "F2", "F3", "F4"]);
        let codes = composed.notes.iter().map(|note| note.code.clone());
        (composed.decisions.iter().map(short).collect(), codes.collect())
    }

    #[test]
    fn each_way_to_name_a_group_has_its_decision() {
        let table: [(&[&str], [&str; 4], &[&str]); 21] = [
            (&[], ["keep"; 4], &[]),
            (&["keep F1", "drop F3"], ["new", "keep", "drop", "keep"], &[]),
            (&["F2 into F1"], ["keep", "into F1", "keep", "keep"], &[]),
            (&["F2 into F1", "keep F1"], ["new", "into F1", "keep", "keep"], &[]),
            (&["F2 into F1", "F2 into F1"], ["keep", "into F1", "keep", "keep"], &[]),
            // A chain resolves to its last group.
            (&["F3 into F2", "F2 into F1"], ["keep", "into F1", "into F1", "keep"], &[]),
            (
                &["F4 into F3", "F3 into F2", "F2 into F1"],
                ["keep", "into F1", "into F1", "into F1"],
                &[],
            ),
            // Rings, and merges that lead into one.
            (&["F1 into F1"], ["keep"; 4], &["merged_into_itself"]),
            (&["F1 into F2", "F2 into F1"], ["keep"; 4], &["merged_in_a_ring"; 2]),
            (&["F1 into F2", "F2 into F1", "F3 into F1"], ["keep"; 4], &["merged_in_a_ring"; 3]),
            // Two targets.
            (&["F1 into F2", "F1 into F3"], ["keep"; 4], &["merged_twice"]),
            (
                &["F1 into F2", "F1 into F3", "F4 into F1"],
                ["keep", "keep", "keep", "into F1"],
                &["merged_twice"],
            ),
            // Two kinds of instruction for one group.
            (&["keep F1", "drop F1"], ["new", "keep", "keep", "keep"], &["contradiction"]),
            (&["keep F1", "F1 into F2"], ["new", "keep", "keep", "keep"], &["contradiction"]),
            (&["drop F1", "F1 into F2"], ["keep"; 4], &["contradiction"]),
            (&["drop F1", "F2 into F1"], ["keep"; 4], &["contradiction"]),
            (&["keep F1", "keep F1"], ["new", "keep", "keep", "keep"], &["kept_twice"]),
            (&["drop F1", "drop F1"], ["drop", "keep", "keep", "keep"], &[]),
            // Groups that are unknown, or out by rule.
            (&["keep F9", "drop F8", "F7 into F1"], ["keep"; 4], &["unknown_id"; 3]),
            (&["keep F5", "drop F6", "F1 into F6"], ["keep"; 4], &["not_offered"; 3]),
            (&["F6 into F1", "F5 into F1"], ["keep"; 4], &["not_offered"; 2]),
        ];
        for (words, expected, codes) in table {
            let (decisions, notes) = decided(words);
            assert_eq!(decisions, expected, "{words:?}");
            let mut notes = notes;
            notes.sort();
            let mut codes: Vec<&str> = codes.to_vec();
            codes.sort_unstable();
            assert_eq!(notes, codes, "{words:?}");
        }
    }

    #[test]
    fn by_rule_all_is_kept_that_is_not_out() {
        let decisions = by_rule(&groups());
        assert_eq!(decisions, apply(&groups(), &said(&[])).decisions);
        assert!(by_rule(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn any_composition_gives_one_decision_a_group_and_merges_end_in_kept_ones(
            keep in prop::collection::vec(0_usize..8, 0..4),
            drop in prop::collection::vec(0_usize..8, 0..4),
            merge in prop::collection::vec((0_usize..8, 0_usize..8), 0..8),
        ) {
            let groups = groups();
            let words: Vec<String> = keep.iter().map(|id| format!("keep F{id}"))
                .chain(drop.iter().map(|id| format!("drop F{id}")))
                .chain(merge.iter().map(|(id, into)| format!("F{id} into F{into}")))
                .collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let decisions = apply(&groups, &said(&words)).decisions;
            let ids: Vec<&str> = decisions.iter().map(|one| one.id.as_str()).collect();
            prop_assert_eq!(ids, ["F1", "F2", "F3", "F4"]);
            for one in &decisions {
                prop_assert_eq!(one.into.is_some(), one.kind == DecisionKind::Merge);
                let target = decisions.iter().find(|other| Some(&other.id) == one.into.as_ref());
                prop_assert_eq!(target.is_some(), one.into.is_some());
                prop_assert!(target.is_none_or(|target| target.kind == DecisionKind::Keep));
            }
            // Only a group named for elimination, and not also for keeping, is eliminated.
            for one in decisions.iter().filter(|one| one.kind == DecisionKind::Eliminate) {
                let named = drop.iter().any(|id| format!("F{id}") == one.id);
                let kept = keep.iter().any(|id| format!("F{id}") == one.id);
                prop_assert!(named && !kept);
            }
        }
    }
}
