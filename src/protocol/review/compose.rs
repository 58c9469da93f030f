//! The composer's decisions and their limits (`docs/review.md`, step 7).
//!
//! # Theory of operation
//!
//! The composer is offered every group that is not out by rule ([`is_out`]) nor merged by rule ([`repeats()`]), and
//! exactly one [`Decision`] results for each, in the order of the groups. It can neither add a finding nor bring back
//! one that is out. A group that it does not name is kept, and so is, with a note,
//!
//! * one that it names in two ways: contradictory instructions never lose a finding (they are left out as its reply is
//!   read);
//! * one that is merged into a group that is not kept itself;
//! * one that two vendors confirmed and that it eliminates;
//! * each member of a merge after which what two vendors confirmed would no longer show as confirmed.

use super::model::{CompositionBlock, DecisionKind, Group, KeptGroup, Merge, Status};
use super::repeats::{keeps_confirmed, repeats};
use super::status::{is_out, status};
use crate::ordered::{BTreeSet, Gather};
use crate::text::Note;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
        Self { id: id.to_owned(), ..Self::default() }
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

/// Turns a composition, of which each id has one decision at most, into one decision per group.
pub fn apply(groups: &[Group], said: &CompositionBlock) -> CompositionResult {
    let mut decisions = by_rule(groups);
    for decision in decisions.iter_mut().filter(|decision| !decision.is_by_rule()) {
        *decision = decided(said, &decision.id);
    }
    let kept = decisions.iter().filter(|decision| decision.kind == DecisionKind::Keep);
    let kept: BTreeSet<String> = kept.map(|decision| decision.id.clone()).gather();
    let group = |id: &str| groups.iter().find(|group| group.id == id);
    let hidden = kept.iter().filter(|into| {
        let merged = decisions.iter().filter(|decision| decision.into.as_ref() == Some(into));
        let ids = merged.map(|decision| &decision.id).chain([*into]);
        !keeps_confirmed(&ids.filter_map(|id| group(id)).collect::<Vec<_>>(), false)
    });
    let hidden: BTreeSet<String> = hidden.cloned().gather();
    let mut notes = Vec::new();
    for decision in decisions.iter_mut().filter(|decision| !decision.is_by_rule()) {
        let is_confirmed = group(&decision.id).is_some_and(|one| status(one) <= Status::Confirmed);
        let (code, why) = match &decision.into {
            Some(into) if !kept.contains(into) => {
                ("merged_into_nothing", "is merged into a finding that is not kept")
            }
            Some(into) if hidden.contains(into) => {
                ("confirmed_stays", "is in a merge that would hide what two vendors confirmed")
            }
            None if decision.kind == DecisionKind::Eliminate && is_confirmed => {
                ("confirmed_stays", "is confirmed by two vendors and cannot be eliminated")
            }
            Some(_) | None => continue,
        };
        notes.push(Note::new(code, format!("{} {why}; it is kept", decision.id)));
        *decision = Decision::keep(&decision.id);
    }
    CompositionResult { decisions, notes }
}

/// Returns what a composition says about a group.
fn decided(said: &CompositionBlock, id: &str) -> Decision {
    let kept = Decision::keep(id);
    if let Some(out) = said.eliminate.iter().find(|out| out.id == id) {
        let reason = Some(out.reason.clone());
        return Decision { kind: DecisionKind::Eliminate, reason, ..kept };
    }
    let is_merged = |merge: &&Merge| merge.ids.iter().any(|merged| merged == id);
    if let Some(Merge { into, reason, .. }) = said.merge.iter().find(is_merged) {
        let (into, reason) = (Some(into.clone()), reason.clone());
        return Decision { kind: DecisionKind::Merge, into, reason, ..kept };
    }
    match said.keep.iter().find(|keep| keep.id == id).cloned() {
        Some(KeptGroup { title, detail, fix, .. }) => Decision { title, detail, fix, ..kept },
        None => kept,
    }
}

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: one row per arrow of the table, and arbitrary compositions.

    use proptest::prelude::*;

    use super::*;
    use crate::protocol::review::model::{Eliminate, Location, Severity, Stance};
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
        let table: [(&[&str], [&str; 4], &[&str]); 9] = [
            (&[], ["keep"; 4], &[]),
            (&["keep F1", "drop F3"], ["new", "keep", "drop", "keep"], &[]),
            (&["F2 into F1"], ["keep", "into F1", "keep", "keep"], &[]),
            (&["F2 into F1", "keep F1"], ["new", "into F1", "keep", "keep"], &[]),
            // A merge goes into a group that is kept.
            (
                &["F3 into F2", "F2 into F1"],
                ["keep", "into F1", "keep", "keep"],
                &["merged_into_nothing"],
            ),
            (&["F1 into F2", "F2 into F1"], ["keep"; 4], &["merged_into_nothing"; 2]),
            (
                &["drop F1", "F2 into F1"],
                ["drop", "keep", "keep", "keep"],
                &["merged_into_nothing"],
            ),
            // Groups that are unknown, or out by rule.
            (&["keep F9", "drop F8", "F7 into F1"], ["keep"; 4], &[]),
            (&["keep F5", "drop F6", "F1 into F6"], ["keep"; 4], &["merged_into_nothing"]),
        ];
        for (words, expected, codes) in table {
            let (decisions, notes) = decided(words);
            assert_eq!(decisions, expected, "{words:?}");
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
            for one in decisions.iter().filter(|one| one.kind == DecisionKind::Eliminate) {
                let is_named = drop.iter().any(|id| format!("F{id}") == one.id);
                prop_assert!(is_named);
            }
        }
    }
}
