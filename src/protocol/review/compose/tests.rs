//! Tests of [`super`]: one row per arrow of the table, and arbitrary compositions.

use proptest::prelude::*;

use super::*;
use crate::protocol::review::model::{Location, Merge, Severity, Stance};
use crate::protocol::review::samples::{at, group};

/// `F1` to `F4` can be decided; `F5` is refuted, `F6` outside.
fn groups() -> Vec<Group> {
    let author = [(0, "red")];
    let mut groups: Vec<Group> =
        ["F1", "F2", "F3", "F4"].iter().map(|id| group(id, Severity::P1, &author, &[])).collect();
    let against = [(1, "blue", Stance::Disagree)];
    groups.push(group("F5", Severity::P2, &author, &against));
    groups.push(at(group("F6", Severity::P0, &author, &[]), Location::Outside));
    groups
}

/// A composition from words: `keep F1`, `F2 into F1`, `drop F3`.
fn said(words: &[&str]) -> CompositionSaid {
    let mut said = CompositionSaid::default();
    for words in words {
        match words.split(' ').collect::<Vec<_>>()[..] {
            ["keep", id] => said.keep.push(Keep {
                id: id.to_owned(),
                title: Some("new".to_owned()),
                detail: None,
                fix: None,
            }),
            ["drop", id] => {
                said.eliminate.push(Eliminate { id: id.to_owned(), reason: "why".to_owned() });
            }
            [id, "into", into] => {
                said.merge.push(Merge { into: into.to_owned(), ids: vec![id.to_owned()] });
            }
            ref other => panic!("{other:?}"),
        }
    }
    said
}

/// Decisions in short, and the codes of the notes: `keep`, `new`, `drop`, `into F1`.
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
        // A chain ends where it ends.
        (&["F3 into F2", "F2 into F1"], ["keep", "into F1", "into F1", "keep"], &[]),
        (
            &["F4 into F3", "F3 into F2", "F2 into F1"],
            ["keep", "into F1", "into F1", "into F1"],
            &[],
        ),
        // Rings, and what leads into one.
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
        // Both sides of a decision.
        (&["keep F1", "drop F1"], ["new", "keep", "keep", "keep"], &["contradiction"]),
        (&["keep F1", "F1 into F2"], ["new", "keep", "keep", "keep"], &["contradiction"]),
        (&["drop F1", "F1 into F2"], ["keep"; 4], &["contradiction"]),
        (&["drop F1", "F2 into F1"], ["keep"; 4], &["contradiction"]),
        (&["keep F1", "keep F1"], ["new", "keep", "keep", "keep"], &["kept_twice"]),
        (&["drop F1", "drop F1"], ["drop", "keep", "keep", "keep"], &[]),
        // What is unknown, or out by rule.
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
        // What nobody named for elimination alone is never thrown out.
        for one in decisions.iter().filter(|one| one.kind == DecisionKind::Eliminate) {
            let named = drop.iter().any(|id| format!("F{id}") == one.id);
            let kept = keep.iter().any(|id| format!("F{id}") == one.id);
            prop_assert!(named && !kept);
        }
    }
}
