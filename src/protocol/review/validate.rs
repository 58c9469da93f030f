//! The other seats' votes on the composer's decisions (`docs/review.md`, step 8).
//!
//! # Theory of operation
//!
//! [`tally`] counts the votes on each decision; [`settle`] determines what remains. A seat votes unless it is the
//! composer or wrote one of the findings that the decision is about: of a merge, the one that is merged or the one
//! that it is merged into. Only votes that were cast are counted; a seat that failed cast none. The first row that applies decides:
//!
//! | votes | result | keep | merge | eliminate |
//! |---|---|---|---|---|
//! | none | `unvalidated` | stays, own words | stays separate | stays |
//! | more approve | `approved` | stays, new words | merged | eliminated |
//! | more reject | `rejected` | stays, own words | stays separate | stays |
//! | equal, none of the findings is the composer's | `tie_broken` | stays, new words | merged | eliminated |
//! | equal, otherwise | `tie_kept` | stays, own words | stays separate | stays |
//!
//! A merge that the rules made ([`super::repeats`]) is no decision of the composer's, and nobody votes on it.
//!
//! A rejected keep stays, and the result shows that it was rejected: these votes carry no evidence, and with two
//! agents a single vote would end a P0 that it could not refute in the cross-examination. The composer's new words
//! are used only if its decision is carried out: otherwise it could reword away what it may not eliminate.

use super::compose::Decision;
use super::model::{Ballot, DecisionKind, Group, Severity, Status, Tally, ValidationRecord};
use super::repeats::repeats;
use super::status::status;
use super::verdict::remains;
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::council::{Ballots, votes_on};

/// A finding that remains after validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFinding {
    /// The id of the group that is shown.
    pub id: String,
    /// Ids of the groups merged into it, in the order of the groups.
    pub merged: Vec<String>,
    /// The highest severity of those of these groups that remain; of all of them if none does. Of groups that two vendors
    /// call the same, that of all their votes together.
    pub severity: Severity,
    /// Whether only one vendor stands behind that severity.
    pub severity_unconfirmed: bool,
    /// The status of the group with that severity; of several, the best.
    pub status: Status,
    /// Where that is not `disputed`, those of the groups that are, with their severities.
    pub disputed: BTreeMap<String, Severity>,
    /// The composer's title, if its decision is carried out.
    pub title: Option<String>,
    /// The composer's description, under the same condition.
    pub detail: Option<String>,
    /// The composer's fix, under the same condition.
    pub fix: Option<String>,
}

/// The findings that remain, and those that were eliminated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidatedFindings {
    /// The remaining findings, in the order of the groups.
    pub kept: Vec<KeptFinding>,
    /// Ids of the eliminated groups, with the composer's reason.
    pub eliminated: Vec<(String, String)>,
}

/// Counts the votes on decisions. `ballots` are of the seats that answered, which `names` call.
pub fn tally(
    decisions: &[Decision],
    ballots: &Ballots,
    groups: &[Group],
    composer: usize,
    names: &[String],
) -> Vec<ValidationRecord> {
    let record = |decision: &Decision| {
        let about = [Some(&decision.id), decision.into.as_ref()];
        let about = |group: &&Group| about.contains(&Some(&group.id));
        let authors: BTreeSet<usize> =
            groups.iter().filter(about).flat_map(Group::authors).gather();
        let may_vote = |seat| seat != composer && !authors.contains(&seat);
        let votes = votes_on(ballots, &decision.id, may_vote);
        let reason = |(seat, vote): &(usize, &Ballot)| {
            (names.get(*seat).cloned().unwrap_or_default(), vote.reason.clone())
        };
        ValidationRecord {
            id: decision.id.clone(),
            decision: decision.kind,
            because: decision.reason.clone(),
            tally: Tally::of(&votes, !authors.contains(&composer)),
            reasons: votes.iter().map(reason).collect(),
        }
    };
    decisions.iter().map(record).collect()
}

/// Carries out the decisions that were approved or won a tie, and those that the rules made.
///
/// `tallies` are those of these decisions; a decision without a tally is not carried out, as if no seat had voted on
/// it. A merged group raises the severity of the group it is merged into and never lowers it, unless the latter is
/// disputed: a finding that remains is not weakened to a doubt by what it is merged with. A merge into a group that
/// is merged itself goes where that one goes; a merge into a group that does not stay has no effect.
pub fn settle(
    decisions: &[Decision],
    tallies: &[ValidationRecord],
    groups: &[Group],
) -> ValidatedFindings {
    let stands: BTreeSet<&str> = tallies
        .iter()
        .filter(|vote| vote.tally.result.stands())
        .map(|vote| vote.id.as_str())
        .gather();
    let by_id: BTreeMap<&str, &Group> =
        groups.iter().map(|group| (group.id.as_str(), group)).gather();
    let stands =
        |decision: &&Decision| decision.is_by_rule() || stands.contains(decision.id.as_str());
    let gone = |decision: &Decision| decision.kind != DecisionKind::Keep && stands(&decision);
    let staying: BTreeSet<&str> = decisions
        .iter()
        .filter(|decision| !gone(decision))
        .map(|decision| decision.id.as_str())
        .gather();
    // A group that judges called the same as another follows it into a third.
    let end = |into: &'_ str| -> Option<&str> {
        let target = decisions.iter().find(|decision| decision.id == into)?;
        let end = if stands(&target) { target.into.as_deref() } else { None };
        Some(end.unwrap_or(&target.id)).filter(|end| staying.contains(end))
    };
    // The groups merged into each group that stays.
    let mut merged: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut settled = ValidatedFindings::default();
    let mut alone = BTreeSet::new();
    let repeats = repeats(groups);
    for decision in decisions.iter().filter(stands) {
        match decision.kind {
            DecisionKind::Keep => {}
            DecisionKind::Merge => match decision.into.as_deref().and_then(end) {
                Some(into) => merged.entry(into).or_default().push(decision.id.clone()),
                None => {
                    alone.insert(decision.id.as_str());
                }
            },
            DecisionKind::Eliminate => {
                let reason = decision.reason.clone().unwrap_or_default();
                settled.eliminated.push((decision.id.clone(), reason));
            }
        }
    }
    for decision in decisions {
        let id = decision.id.as_str();
        if !staying.contains(id) && !alone.contains(id) {
            continue;
        }
        let merged = merged.remove(id).unwrap_or_default();
        let ids = std::iter::once(id).chain(merged.iter().map(String::as_str));
        let mut shown: Vec<&Group> = ids.filter_map(|id| by_id.get(id).copied()).collect();
        let pooled = Group::pooled(&shown)
            .filter(|_| merged.iter().all(|id| repeats.get(id).is_some_and(|one| one.agreed)));
        if let Some(pooled) = &pooled {
            shown = vec![pooled];
        }
        let disputed = shown.iter().filter(|group| status(group) == Status::Disputed);
        let disputed = disputed.map(|group| (group.id.clone(), group.severity())).gather();
        let members = shown.iter().map(|group| {
            let status = status(group);
            ((!remains(status), group.severity()), status, group.severity_unconfirmed())
        });
        let members: Vec<_> = members.collect();
        let Some(((_, severity), status, _)) = members.iter().min().copied() else {
            continue;
        };
        let gravest = members.iter().filter(|(_, _, unconfirmed)| !unconfirmed);
        let severity_unconfirmed = gravest.clone().all(|((_, given), ..)| *given != severity)
            && members.iter().any(|(_, _, unconfirmed)| *unconfirmed);
        let reworded = decision.kind == DecisionKind::Keep && stands(&decision);
        let words = |words: &Option<String>| words.clone().filter(|_| reworded);
        settled.kept.push(KeptFinding {
            id: decision.id.clone(),
            severity,
            severity_unconfirmed,
            status,
            disputed: if status == Status::Disputed { BTreeMap::new() } else { disputed },
            title: words(&decision.title),
            detail: words(&decision.detail),
            fix: words(&decision.fix),
            merged,
        });
    }
    settled
}

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: who votes, and what is carried out.

    use super::*;
    use crate::protocol::review::compose::by_rule;
    use crate::protocol::review::model::{Stance, ValidationBlock, ValidationResult};
    use crate::protocol::review::samples::group;

    fn decision(id: &str, kind: DecisionKind, into: Option<&str>) -> Decision {
        Decision {
            id: id.to_owned(),
            kind,
            into: into.map(str::to_owned),
            title: Some("new words".to_owned()),
            detail: None,
            fix: None,
            reason: (kind == DecisionKind::Eliminate).then(|| "why".to_owned()),
            repeated_by: BTreeSet::new(),
        }
    }

    fn by(id: &str, seats: impl Iterator<Item = usize>) -> Group {
        let authors: Vec<(usize, &str)> = seats.map(|seat| (seat, "red")).collect();
        group(id, Severity::P1, &authors, &[])
    }

    fn votes(of: impl IntoIterator<Item = (usize, bool)>) -> Ballots {
        let block = |vote| ValidationBlock { votes: vec![Ballot::on("F1", vote)] };
        of.into_iter().map(|(seat, vote)| (seat, block(vote))).collect()
    }

    /// Of four seats, those vote that are not the composer and wrote neither finding of a decision.
    #[test]
    fn nobody_votes_on_what_it_wrote() {
        for (authors, target) in
            (1..16_usize).flat_map(|one| (0..16_usize).map(move |two| (one, two)))
        {
            let of = |set: usize| (0..4).filter(move |seat| set >> seat & 1 == 1);
            let (kind, into) = match target {
                0 => (DecisionKind::Eliminate, None),
                _ => (DecisionKind::Merge, Some("F2")),
            };
            let groups = [by("F1", of(authors)), by("F2", of(target))];
            let votes = votes((0..4).map(|seat| (seat, true)));
            let tally = tally(&[decision("F1", kind, into)], &votes, &groups, 0, &[]);
            let eligible = of(15 & !(authors | target)).filter(|seat| *seat != 0).count();
            assert_eq!(tally[0].tally.approves as usize, eligible, "{authors} {target}");
        }
    }

    #[test]
    fn the_composer_breaks_a_tie_on_what_is_not_its_own() {
        for (authors, target, result) in [
            (3, 3, ValidationResult::TieBroken),
            (0, 3, ValidationResult::TieKept),
            (3, 0, ValidationResult::TieKept),
        ] {
            let groups = [by("F1", [authors].into_iter()), by("F2", [target].into_iter())];
            let merge = decision("F1", DecisionKind::Merge, Some("F2"));
            let votes = votes([(1, true), (2, false)]);
            assert_eq!(tally(&[merge], &votes, &groups, 0, &[])[0].tally.result, result);
        }
    }

    #[test]
    fn the_composer_has_no_vote_and_errors_never_approve() {
        let groups = [group("F1", Severity::P1, &[(1, "red")], &[])];
        let decisions = [decision("F1", DecisionKind::Eliminate, None)];
        let composer = ValidationBlock { votes: vec![Ballot::on("F1", true)] };
        for votes in [
            BTreeMap::new(),
            BTreeMap::from([(0, composer.clone())]),
            BTreeMap::from([(0, composer), (2, ValidationBlock::default())]),
        ] {
            let tallies = tally(&decisions, &votes, &groups, 0, &[]);
            assert_eq!(tallies[0].tally.result, ValidationResult::Unvalidated);
            let settled = settle(&decisions, &tallies, &groups);
            assert_eq!((settled.kept.len(), settled.eliminated.len()), (1, 0));
        }
    }

    fn result(id: &str, decision: DecisionKind, result: ValidationResult) -> ValidationRecord {
        ValidationRecord {
            id: id.to_owned(),
            decision,
            because: None,
            tally: Tally { approves: 0, rejects: 0, result },
            reasons: Vec::new(),
        }
    }

    #[test]
    fn only_what_stands_is_carried_out() {
        let groups = [
            group("F1", Severity::P2, &[(0, "red")], &[]),
            group("F2", Severity::P1, &[(0, "red")], &[(1, "blue", Stance::Agree)]),
        ];
        let all = [
            (ValidationResult::Approved, true),
            (ValidationResult::TieBroken, true),
            (ValidationResult::Rejected, false),
            (ValidationResult::TieKept, false),
            (ValidationResult::Unvalidated, false),
        ];
        for (outcome, stands) in all {
            for (kind, into) in [
                (DecisionKind::Keep, None),
                (DecisionKind::Merge, Some("F1")),
                (DecisionKind::Eliminate, None),
            ] {
                let decisions =
                    [decision("F1", DecisionKind::Keep, None), decision("F2", kind, into)];
                let tallies = [
                    result("F1", DecisionKind::Keep, ValidationResult::Unvalidated),
                    result("F2", kind, outcome),
                ];
                let settled = settle(&decisions, &tallies, &groups);
                let kept: Vec<(&str, Option<&str>)> = settled
                    .kept
                    .iter()
                    .map(|kept| (kept.id.as_str(), kept.title.as_deref()))
                    .collect();
                let own = ("F1", None);
                let expected = match (kind, stands) {
                    (DecisionKind::Keep, true) => vec![own, ("F2", Some("new words"))],
                    (_, false) => vec![own, ("F2", None)],
                    (DecisionKind::Merge | DecisionKind::Eliminate, true) => vec![own],
                };
                assert_eq!(kept, expected, "{kind:?} {outcome:?}");
                let gone = stands && kind == DecisionKind::Eliminate;
                assert_eq!(settled.eliminated.len(), usize::from(gone));
            }
        }
    }

    #[test]
    fn a_merge_never_hides_what_is_graver() {
        let groups = [
            group("F1", Severity::P2, &[(0, "red")], &[(1, "blue", Stance::Agree)]),
            group("F2", Severity::P0, &[(0, "red")], &[]),
            group("F3", Severity::P2, &[(0, "red")], &[]),
        ];
        let merge = |id| decision(id, DecisionKind::Merge, Some("F1"));
        let decisions = [decision("F1", DecisionKind::Keep, None), merge("F2"), merge("F3")];
        let tallies =
            decisions.iter().map(|one| result(&one.id, one.kind, ValidationResult::Approved));
        let settled = settle(&decisions, &tallies.collect::<Vec<_>>(), &groups);
        assert_eq!(settled.kept.len(), 1);
        let kept = &settled.kept[0];
        assert_eq!((kept.severity, kept.status), (Severity::P0, Status::Unverified));
        assert_eq!(kept.merged, ["F2", "F3"]);
    }

    /// A P0 that one seat refuted, merged with a P1 or P2 that is confirmed, still asks for a change.
    #[test]
    fn a_merge_with_what_is_disputed_keeps_what_remains() {
        let disputed = |id| {
            let judges = &[(1, "blue", Stance::Disagree)];
            group(id, Severity::P0, &[(0, "red")], judges)
        };
        let confirmed = |id, severity| {
            let judges = &[(1, "blue", Stance::Agree)];
            group(id, severity, &[(0, "red")], judges)
        };
        for severity in [Severity::P1, Severity::P2] {
            for groups in [
                [disputed("F1"), confirmed("F2", severity)],
                [confirmed("F1", severity), disputed("F2")],
            ] {
                let decisions = [
                    decision("F1", DecisionKind::Keep, None),
                    decision("F2", DecisionKind::Merge, Some("F1")),
                ];
                let tallies = (decisions.iter())
                    .map(|one| result(&one.id, one.kind, ValidationResult::Approved));
                let settled = settle(&decisions, &tallies.collect::<Vec<_>>(), &groups);
                let [kept] = settled.kept.as_slice() else {
                    panic!("{:?}", settled.kept);
                };
                assert_eq!((kept.severity, kept.status), (severity, Status::Confirmed));
            }
        }
    }

    #[test]
    fn without_votes_all_that_the_rules_keep_stays() {
        let groups = [group("F1", Severity::P2, &[(0, "red")], &[])];
        let settled = settle(&by_rule(&groups), &[], &groups);
        assert_eq!(settled.kept[0].id, "F1");
        assert_eq!(settle(&[], &[], &groups), ValidatedFindings::default());
    }
}
