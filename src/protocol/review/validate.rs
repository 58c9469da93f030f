//! The other seats' votes on the composer's decisions (`docs/review.md`, step 8).
//!
//! # Theory of operation
//!
//! [`tally`] counts the votes on each decision; [`settle`] determines what remains. A seat votes unless it is the
//! composer or wrote one of the findings that the decision is about: of a merge, the one that is merged or the one
//! that it is merged into. Only votes that were cast are counted; a seat that failed cast none, and one that voted
//! both ways cast none. The first row that applies decides:
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

use std::collections::{BTreeMap, BTreeSet};

use super::compose::Decision;
use super::model::{DecisionKind, Group, Severity, Status, ValidationBlock, ValidationResult};
use super::status::status;
use super::verdict::remains;
use crate::protocol::council::Vote;

/// The result of the vote on a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The group's id.
    pub id: String,
    /// The composer's decision.
    pub decision: DecisionKind,
    /// Number of votes for it.
    pub approves: u32,
    /// Number of votes against it.
    pub rejects: u32,
    /// The consequence of the votes.
    pub result: ValidationResult,
    /// The votes, in the order of the seats: seat, whether it approves, reason.
    pub votes: Vec<(usize, bool, String)>,
}

/// A finding that remains after validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFinding {
    /// The id of the group that is shown.
    pub id: String,
    /// Ids of the groups merged into it, in the order of the groups.
    pub merged: Vec<String>,
    /// The highest severity of those of these groups that remain; of all of them if none does.
    pub severity: Severity,
    /// Whether only one vendor stands behind that severity.
    pub severity_unconfirmed: bool,
    /// The status of the group with that severity; of several, the best.
    pub status: Status,
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

/// Counts the votes on each decision that needs some. `votes` contains the seats that answered.
pub fn tally(
    decisions: &[Decision],
    votes: &BTreeMap<usize, ValidationBlock>,
    groups: &[Group],
    composer: usize,
) -> Vec<Tally> {
    let authors: BTreeMap<&str, BTreeSet<usize>> =
        groups.iter().map(|group| (group.id.as_str(), group.authors())).collect();
    let ballots: BTreeMap<usize, Ballots<'_>> = votes
        .iter()
        .filter(|(seat, _)| **seat != composer)
        .map(|(seat, said)| (*seat, ballots(said)))
        .collect();
    let tallies = decisions.iter().filter(|decision| !decision.is_by_rule()).map(|decision| {
        let about = [Some(decision.id.as_str()), decision.into.as_deref()];
        let wrote = |seat: usize| {
            let about = about.iter().flatten();
            let mut authors = about.filter_map(|id| authors.get(id));
            authors.any(|authors| authors.contains(&seat))
        };
        let eligible = ballots.iter().filter(|(seat, _)| !wrote(**seat));
        let cast: Vec<(usize, bool, String)> = eligible
            .filter_map(|(seat, ballots)| {
                let (approve, reason) = (*ballots.get(decision.id.as_str())?)?;
                Some((*seat, approve, reason.to_owned()))
            })
            .collect();
        let approves = size(cast.iter().filter(|(_, approve, _)| *approve).count());
        let rejects = size(cast.len()) - approves;
        let result = ValidationResult::of(approves, rejects, !wrote(composer));
        Tally {
            id: decision.id.clone(),
            decision: decision.kind,
            approves,
            rejects,
            result,
            votes: cast,
        }
    });
    tallies.collect()
}

/// Carries out the decisions that were approved or won a tie, and those that the rules made.
///
/// `tallies` are those of these decisions; a decision without a tally is not carried out, as if no seat had voted on
/// it. A merged group raises the severity of the group it is merged into and never lowers it, unless the latter is
/// disputed: a finding that remains is not weakened to a doubt by what it is merged with. A merge into a group that
/// is merged itself goes where that one goes; a merge into a group that does not stay has no effect.
pub fn settle(decisions: &[Decision], tallies: &[Tally], groups: &[Group]) -> ValidatedFindings {
    let stands: BTreeSet<&str> = tallies
        .iter()
        .filter(|tally| tally.result.stands())
        .map(|tally| tally.id.as_str())
        .collect();
    let by_id: BTreeMap<&str, &Group> =
        groups.iter().map(|group| (group.id.as_str(), group)).collect();
    let stands =
        |decision: &&Decision| decision.is_by_rule() || stands.contains(decision.id.as_str());
    let gone = |decision: &Decision| decision.kind != DecisionKind::Keep && stands(&decision);
    let staying: BTreeSet<&str> = decisions
        .iter()
        .filter(|decision| !gone(decision))
        .map(|decision| decision.id.as_str())
        .collect();
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
        let members = ids.filter_map(|id| by_id.get(id));
        let members = members.map(|group| {
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
            title: words(&decision.title),
            detail: words(&decision.detail),
            fix: words(&decision.fix),
            merged,
        });
    }
    settled
}

/// A seat's votes by decision: whether it approves, and why; `None` if it voted both ways.
type Ballots<'a> = BTreeMap<&'a str, Option<(bool, &'a str)>>;

/// Returns a seat's vote on each decision.
fn ballots(said: &ValidationBlock) -> Ballots<'_> {
    let mut ballots = Ballots::new();
    for ballot in &said.votes {
        let vote = (ballot.vote == Vote::Approve, ballot.reason.as_str());
        ballots
            .entry(&ballot.id)
            .and_modify(|before| *before = before.filter(|(approve, _)| *approve == vote.0))
            .or_insert(Some(vote));
    }
    ballots
}

/// Returns a count as results store it; there are far fewer than 2^32 seats.
fn size(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: every panel of two to four seats against the sentences of the spec.

    use super::*;
    use crate::protocol::review::compose::by_rule;
    use crate::protocol::review::model::{Ballot, Stance};
    use crate::protocol::review::samples::group;
    use crate::protocol::testing::vote;

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

    fn ballot(id: &str, approve: bool) -> Ballot {
        Ballot { id: id.to_owned(), vote: vote(approve), reason: "because".to_owned() }
    }

    /// A seat's possible actions: failed, did not vote on the decision, approved, rejected, both.
    const VOTES: [Option<&[bool]>; 5] =
        [None, Some(&[]), Some(&[true]), Some(&[false]), Some(&[true, false])];

    fn power(base: usize, exponent: usize) -> usize {
        base.pow(u32::try_from(exponent).unwrap())
    }

    fn sentences(approves: usize, rejects: usize, own: bool) -> Vec<ValidationResult> {
        let tie = approves == rejects && approves > 0;
        let mut holds = Vec::new();
        if approves + rejects == 0 {
            holds.push(ValidationResult::Unvalidated);
        }
        if approves > rejects {
            holds.push(ValidationResult::Approved);
        }
        if rejects > approves {
            holds.push(ValidationResult::Rejected);
        }
        if tie && !own {
            holds.push(ValidationResult::TieBroken);
        }
        if tie && own {
            holds.push(ValidationResult::TieKept);
        }
        holds
    }

    #[test]
    fn every_panel_has_the_one_result_that_the_spec_names() {
        let mut seen = 0;
        for seats in 2..=4 {
            for authors in 1..power(2, seats) {
                every_vote(seats, |votes, cast| {
                    for kind in [DecisionKind::Keep, DecisionKind::Eliminate] {
                        check(seats, (kind, authors, 0), votes, cast);
                        seen += 1;
                    }
                    // With four seats, merging into each seat's own finding is enough.
                    let targets =
                        (1..power(2, seats)).filter(|set| seats < 4 || set.is_power_of_two());
                    for target in targets {
                        check(seats, (DecisionKind::Merge, authors, target), votes, cast);
                        seen += 1;
                    }
                });
            }
        }
        assert_eq!(seen, 3 * 25 * (2 + 3) + 7 * 125 * (2 + 7) + 15 * 625 * (2 + 4));
    }

    /// Calls `each` with every combination of votes that so many seats can cast, as the blocks and as each seat's
    /// action.
    fn every_vote(
        seats: usize,
        mut each: impl FnMut(&BTreeMap<usize, ValidationBlock>, &[Option<&[bool]>]),
    ) {
        for code in 0..power(VOTES.len(), seats) {
            let vote = |seat| VOTES[code / power(VOTES.len(), seat) % VOTES.len()];
            let cast: Vec<Option<&[bool]>> = (0..seats).map(vote).collect();
            let votes = cast.iter().enumerate().filter_map(|(seat, cast)| {
                let votes = (*cast)?.iter().map(|vote| ballot("F1", *vote));
                let votes = votes.collect();
                Some((seat, ValidationBlock { votes }))
            });
            each(&votes.collect(), &cast);
        }
    }

    /// Checks one decision of seat 0 against the sentences; `authors` and `target`, the target's authors, are sets of
    /// seats.
    fn check(
        seats: usize,
        (kind, authors, target): (DecisionKind, usize, usize),
        votes: &BTreeMap<usize, ValidationBlock>,
        cast: &[Option<&[bool]>],
    ) {
        let of = |id: &str, set: usize| {
            let seats = (0..seats).filter(|seat| set >> seat & 1 == 1);
            let authors: Vec<(usize, &str)> = seats.map(|seat| (seat, "red")).collect();
            group(id, Severity::P1, &authors, &[])
        };
        let own = |seat: usize| (authors | target) >> seat & 1 == 1;
        let number = |vote: bool| {
            let eligible = (1..seats).filter(|seat| !own(*seat));
            eligible.filter(|seat| cast[*seat] == Some(&[vote])).count()
        };
        let expected = sentences(number(true), number(false), own(0));
        assert_eq!(expected.len(), 1, "the sentences are total and disjoint");
        let into = (kind == DecisionKind::Merge).then_some("F2");
        let groups = [of("F1", authors), of("F2", target)];
        let tally = tally(&[decision("F1", kind, into)], votes, &groups, 0);
        assert_eq!(tally.len(), 1);
        assert_eq!(tally[0].result, expected[0], "{votes:?} {authors} {target} {kind:?}");
        assert_eq!(tally[0].approves as usize, number(true));
        assert_eq!(tally[0].rejects as usize, number(false));
    }

    #[test]
    fn the_composer_has_no_vote_and_errors_never_approve() {
        let groups = [group("F1", Severity::P1, &[(1, "red")], &[])];
        let decisions = [decision("F1", DecisionKind::Eliminate, None)];
        let composer = ValidationBlock { votes: vec![ballot("F1", true)] };
        for votes in [
            BTreeMap::new(),
            BTreeMap::from([(0, composer.clone())]),
            BTreeMap::from([(0, composer), (2, ValidationBlock::default())]),
        ] {
            let tallies = tally(&decisions, &votes, &groups, 0);
            assert_eq!(tallies[0].result, ValidationResult::Unvalidated);
            let settled = settle(&decisions, &tallies, &groups);
            assert_eq!((settled.kept.len(), settled.eliminated.len()), (1, 0));
        }
    }

    fn result(id: &str, decision: DecisionKind, result: ValidationResult) -> Tally {
        Tally { id: id.to_owned(), decision, approves: 0, rejects: 0, result, votes: Vec::new() }
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
