//! Findings that a judge says tell the same defect (`docs/review.md`, step 4): they are merged without asking anybody.
//!
//! # Theory of operation
//!
//! A judge may say of a finding that it is the same as another that it was shown ([`SeatJudgement::same_as`]). The two
//! become one entry of the result. What seats of two vendors call the same counts as if it had been grouped at once
//! ([`Group::pooled`]). A merge on the word of one takes nothing away:
//!
//! * both groups keep their members, their votes and their status; the entry has the highest severity of those that
//!   remain, and the status that goes with it, as after a merge by the composer;
//! * the texts of all of them are shown, and who said that they are one;
//! * findings of different files are never one, nor is one that is out by rule, refuted or outside the change;
//! * a merge that would show what two vendors confirmed as anything less is not carried out.
//!
//! What a wrong word can do is to print two defects under one heading.
//!
//! [`SeatJudgement::same_as`]: super::model::SeatJudgement::same_as

use super::model::{Group, Status};
use super::status::{is_out, status};
use super::verdict::remains;
use crate::ordered::{BTreeMap, BTreeSet, Gather};

/// The group that another is shown with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The group whose text comes first: the gravest that remains, then the first.
    pub into: String,
    /// The seats that said so of it, or that another is the same as it.
    pub said_by: BTreeSet<usize>,
    /// Whether seats of two vendors said so of each that is shown with it.
    pub agreed: bool,
}

/// Returns the groups that are shown with another, by id.
pub fn repeats(groups: &[Group]) -> BTreeMap<String, Repeat> {
    let mut sets: Vec<BTreeSet<usize>> = Vec::new();
    // Who called what the same as another, or another the same as it: the seats, with their vendors.
    let mut said: BTreeMap<usize, BTreeMap<usize, &str>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        for (seat, judged) in &group.judged {
            let Some(other) = judged.same_as.as_ref().and_then(|id| same(groups, group, id)) else {
                continue;
            };
            for one in [at, other] {
                said.entry(one).or_default().insert(*seat, &judged.vendor);
            }
            let mut members = BTreeSet::from([at, other]);
            sets.retain(|others| {
                let is_apart = others.is_disjoint(&members);
                if !is_apart {
                    members.extend(others);
                }
                is_apart
            });
            sets.push(members);
        }
    }
    let mut repeats = BTreeMap::new();
    for members in sets {
        let vendors = |at| said[at].values().collect::<BTreeSet<_>>().len();
        let agreed = members.iter().all(|at| vendors(at) > 1);
        let groups: Vec<&Group> = members.iter().filter_map(|at| groups.get(*at)).collect();
        let first = groups.iter().min_by_key(|group| {
            let status = status(group);
            (!agreed && !remains(status), group.severity(), status)
        });
        let Some(first) = first.filter(|_| keeps_confirmed(&groups, agreed)) else {
            continue;
        };
        for (at, group) in members.iter().zip(&groups).filter(|(_, group)| group.id != first.id) {
            let said_by = said[at].keys().copied().gather();
            repeats.insert(group.id.clone(), Repeat { into: first.id.clone(), said_by, agreed });
        }
    }
    repeats
}

fn same(groups: &[Group], group: &Group, id: &str) -> Option<usize> {
    let file = |group: &Group| group.members.first().map(|first| first.placed.finding.file.clone());
    let at = groups.iter().position(|other| other.id == id && other.id != group.id)?;
    let other = groups.get(at)?;
    (file(group) == file(other) && !is_out(group) && !is_out(other)).then_some(at)
}

/// Whether what two vendors confirmed among some groups is still confirmed when they are shown as one: a merge takes
/// the status of its gravest member, or, if it is `agreed`, of all votes together, and either may be less.
pub fn keeps_confirmed(groups: &[&Group], agreed: bool) -> bool {
    let mut statuses = groups.iter().map(|group| {
        let status = status(group);
        (!remains(status), group.severity(), status)
    });
    let confirms = |(_, _, status): (bool, _, Status)| status <= Status::Confirmed;
    let pooled = || Group::pooled(groups).is_some_and(|group| status(&group) == Status::Confirmed);
    !statuses.clone().any(confirms)
        || if agreed { pooled() } else { statuses.by_ref().min().is_some_and(confirms) }
}

#[cfg(test)]
mod tests {
    //! Tests of what a judge's word can do, and of what it cannot.

    use super::*;
    use crate::protocol::review::compose::by_rule;
    use crate::protocol::review::model::{Location, Severity, Stance};
    use crate::protocol::review::samples::{at, group};
    use crate::protocol::review::validate::settle;

    use Severity::{P0, P1, P2};

    /// Returns a group by red; `blue` is the judgement of seat 1, `same` what that one calls the same.
    fn judged(id: &str, severity: Severity, blue: Stance, same: Option<&str>) -> Group {
        let mut group = group(id, severity, &[(0, "red")], &[(1, "blue", blue)]);
        group.judged.get_mut(&1).unwrap().same_as = same.map(str::to_owned);
        group
    }

    /// Returns the merges in short: `F2 into F1`.
    fn merges(groups: &[Group]) -> Vec<String> {
        repeats(groups).iter().map(|(id, repeat)| format!("{id} into {}", repeat.into)).collect()
    }

    #[test]
    fn each_word_of_a_judge_has_its_merge() {
        let unsure = Stance::Unsure;
        let all = |same: [Option<&str>; 3]| {
            let [one, two, three] = same;
            [
                judged("F1", P1, unsure, one),
                judged("F2", P1, unsure, two),
                judged("F3", P2, unsure, three),
            ]
        };
        let rows: [([Option<&str>; 3], &[&str]); 7] = [
            ([None; 3], &[]),
            ([None, Some("F1"), None], &["F2 into F1"]),
            // In either direction, the gravest comes first, then the first.
            ([Some("F2"), None, None], &["F2 into F1"]),
            ([Some("F2"), Some("F1"), None], &["F2 into F1"]),
            ([Some("F3"), None, None], &["F3 into F1"]),
            ([None, Some("F1"), Some("F2")], &["F2 into F1", "F3 into F1"]),
            // Of itself, and of one that is not there.
            ([Some("F1"), Some("F9"), None], &[]),
        ];
        for (same, expected) in rows {
            assert_eq!(merges(&all(same)), expected, "{same:?}");
        }
    }

    #[test]
    fn what_is_elsewhere_or_out_is_never_the_same() {
        let unsure = Stance::Unsure;
        let first = || judged("F1", P2, unsure, None);
        let mut elsewhere = judged("F2", P2, unsure, Some("F1"));
        elsewhere.members[0].placed.finding.file = "src/other.rs".to_owned();
        let outside = at(judged("F2", P2, unsure, Some("F1")), Location::Outside);
        let refuted = judged("F2", P2, Stance::Disagree, Some("F1"));
        for other in [elsewhere, outside, refuted] {
            assert!(merges(&[first(), other]).is_empty());
        }
    }

    #[test]
    fn what_remains_is_not_told_in_the_words_of_what_is_disputed() {
        let kept = judged("F2", P2, Stance::Agree, Some("F1"));
        let groups = [judged("F1", P1, Stance::Disagree, None), kept];
        assert_eq!(merges(&groups), ["F1 into F2"]);
        // But that it is disputed is not lost.
        let kept = &settle(&by_rule(&groups), &[], &groups).kept[0];
        assert_eq!((kept.severity, kept.status), (P2, Status::Confirmed));
        assert_eq!(kept.disputed, BTreeMap::from([("F1".to_owned(), P1)]));
    }

    /// One seat's word deletes nothing: the entry has the highest severity, all ids, and the status that goes with it.
    #[test]
    fn nothing_is_lost_and_nothing_confirmed_is_lowered() {
        let (agree, unsure, disagree) = (Stance::Agree, Stance::Unsure, Stance::Disagree);
        for one in [P0, P1, P2] {
            for other in [P0, P1, P2] {
                for stances in [
                    (agree, agree),
                    (agree, unsure),
                    (unsure, agree),
                    (disagree, unsure),
                    (agree, disagree),
                ] {
                    let groups = [
                        judged("F1", one, stances.0, None),
                        judged("F2", other, stances.1, Some("F1")),
                    ];
                    let kept = settle(&by_rule(&groups), &[], &groups).kept;
                    let left: Vec<&Group> = groups.iter().filter(|group| !is_out(group)).collect();
                    let shown: usize = kept.iter().map(|kept| 1 + kept.merged.len()).sum();
                    assert_eq!(shown, left.len());
                    let worst = |remaining: bool| {
                        let groups =
                            left.iter().filter(|group| remains(status(group)) == remaining);
                        groups.map(|group| group.severity()).min()
                    };
                    let told = kept.iter().filter(|kept| remains(kept.status));
                    assert_eq!(told.map(|kept| kept.severity).min(), worst(true), "{groups:?}");
                    for group in &left {
                        if status(group) == Status::Confirmed {
                            let entry = kept.iter().find(|kept| {
                                kept.id == group.id || kept.merged.contains(&group.id)
                            });
                            let entry = entry.unwrap();
                            assert_eq!(entry.status, Status::Confirmed, "{groups:?}");
                            assert!(entry.severity <= group.severity());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn two_single_voices_called_the_same_confirm_nothing() {
        let groups = [group("F1", P1, &[(0, "red")], &[]), {
            let mut other = group("F2", P1, &[(1, "blue")], &[(0, "red", Stance::Unsure)]);
            other.judged.get_mut(&0).unwrap().same_as = Some("F1".to_owned());
            other
        }];
        let kept = settle(&by_rule(&groups), &[], &groups).kept;
        assert_eq!((kept.len(), kept[0].status), (1, Status::Unverified));
        assert_eq!(kept[0].merged, ["F2"]);
    }

    /// In a trial, one vendor's P0 went before the P1 of two authors and three judges, who all called them the same.
    #[test]
    fn what_two_vendors_call_the_same_is_counted_as_one() {
        let of = |id, severity, author: (usize, &str), same: &[(usize, &str)], other: &str| {
            let judged: Vec<_> =
                same.iter().map(|(seat, vendor)| (*seat, *vendor, Stance::Agree)).collect();
            let mut group = group(id, severity, &[author], &judged);
            for judged in group.judged.values_mut() {
                (judged.severity, judged.same_as) = (Some(P1), Some(other.to_owned()));
            }
            group
        };
        let (red, blue, green) = ((0, "red"), (1, "blue"), (2, "green"));
        let settled = |groups: &[Group]| {
            let kept = settle(&by_rule(groups), &[], groups).kept;
            let of = |kept: &crate::protocol::review::validate::KeptFinding| {
                (kept.id.clone(), kept.severity, kept.severity_unconfirmed, kept.status)
            };
            kept.iter().map(of).collect::<Vec<_>>()
        };
        let both =
            [of("F1", P1, red, &[blue, green], "F2"), of("F2", P0, green, &[red, blue], "F1")];
        assert_eq!(settled(&both), [("F2".to_owned(), P1, false, Status::Confirmed)]);
        // Who agreed with one of them agrees: its word on the other takes nothing of what it confirmed.
        let mut torn = [of("F1", P1, red, &[blue], "F2"), of("F2", P2, red, &[blue, green], "F1")];
        torn[0].judged.get_mut(&1).unwrap().stance = Stance::Disagree;
        assert_eq!([status(&torn[0]), status(&torn[1])], [Status::Disputed, Status::Confirmed]);
        assert_eq!(settled(&torn), [("F1".to_owned(), P1, false, Status::Confirmed)]);
        assert!(settle(&by_rule(&torn), &[], &torn).kept[0].disputed.is_empty());
        // On one vendor's word nothing is lowered.
        let one = [of("F1", P1, red, &[blue], "F2"), of("F2", P0, green, &[blue], "F1")];
        assert_eq!(settled(&one), [("F2".to_owned(), P0, true, Status::Confirmed)]);
    }

    #[test]
    fn a_repeat_follows_what_it_repeats_and_stands_alone_when_that_goes() {
        use crate::protocol::review::compose::Decision;
        use crate::protocol::review::model::{
            DecisionKind, Tally, ValidationRecord, ValidationResult,
        };
        let groups = [
            group("F1", P2, &[(0, "red")], &[]),
            judged("F2", P2, Stance::Unsure, Some("F1")),
            group("F3", P2, &[(0, "red")], &[]),
        ];
        let settled = |kind, into: Option<&str>| {
            let mut decisions = by_rule(&groups);
            decisions[0] = Decision { kind, into: into.map(str::to_owned), ..decisions[0].clone() };
            let vote = ValidationRecord {
                id: "F1".to_owned(),
                decision: kind,
                because: None,
                tally: Tally { approves: 1, rejects: 0, result: ValidationResult::Approved },
                reasons: Vec::new(),
            };
            let kept = settle(&decisions, &[vote], &groups).kept;
            kept.into_iter().map(|kept| (kept.id, kept.merged)).collect::<Vec<_>>()
        };
        let of = |id: &str, merged: &[&str]| {
            (id.to_owned(), merged.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(settled(DecisionKind::Merge, Some("F3")), [of("F3", &["F1", "F2"])]);
        assert_eq!(settled(DecisionKind::Eliminate, None), [of("F2", &[]), of("F3", &[])]);
    }
}
