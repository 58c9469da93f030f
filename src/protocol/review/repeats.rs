//! Findings that a judge says tell the same defect (`docs/review.md`, step 4): they are merged without asking anybody.
//!
//! # Theory of operation
//!
//! A judge may say of a finding that it is the same as another that it was shown ([`SeatJudgement::same_as`]). The two
//! become one entry of the result. Such a merge is one seat's word, so it takes nothing away:
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

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Group, Status};
use super::status::{is_out, status};
use super::verdict::remains;

/// The group that another is shown with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The group whose text comes first: the gravest, then the first.
    pub into: String,
    /// The seats that said so.
    pub said_by: BTreeSet<usize>,
}

/// Returns the groups that are shown with another, by id.
pub fn repeats(groups: &[Group]) -> BTreeMap<String, Repeat> {
    let mut sets: Vec<(BTreeSet<usize>, BTreeSet<usize>)> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for (seat, judged) in &group.judged {
            let Some(other) = judged.same_as.as_ref().and_then(|id| same(groups, group, id)) else {
                continue;
            };
            let (mut members, mut said_by) = (BTreeSet::from([at, other]), BTreeSet::from([*seat]));
            sets.retain(|(others, by)| {
                let is_apart = others.is_disjoint(&members);
                if !is_apart {
                    members.extend(others);
                    said_by.extend(by);
                }
                is_apart
            });
            sets.push((members, said_by));
        }
    }
    let mut repeats = BTreeMap::new();
    for (members, said_by) in sets {
        let members: Vec<&Group> = members.iter().filter_map(|at| groups.get(*at)).collect();
        let first = members.iter().min_by_key(|group| (group.severity(), status(group)));
        let Some(first) = first.filter(|_| keeps_confirmed(&members)) else {
            continue;
        };
        for group in members.iter().filter(|group| group.id != first.id) {
            let repeat = Repeat { into: first.id.clone(), said_by: said_by.clone() };
            repeats.insert(group.id.clone(), repeat);
        }
    }
    repeats
}

/// Returns the index of the group with this id, if it can be the same as a group.
fn same(groups: &[Group], group: &Group, id: &str) -> Option<usize> {
    let file = |group: &Group| group.members.first().map(|first| first.placed.finding.file.clone());
    let at = groups.iter().position(|other| other.id == id && other.id != group.id)?;
    let other = groups.get(at)?;
    (file(group) == file(other) && !is_out(group) && !is_out(other)).then_some(at)
}

/// Whether what two vendors confirmed among some groups is still confirmed when they are shown as one: a merge takes
/// the status of its gravest member, which may be less.
pub fn keeps_confirmed(groups: &[&Group]) -> bool {
    let mut statuses = groups.iter().map(|group| {
        let status = status(group);
        (!remains(status), group.severity(), status)
    });
    let confirms = |(_, _, status): (bool, _, Status)| status == Status::Confirmed;
    !statuses.clone().any(confirms) || statuses.by_ref().min().is_some_and(confirms)
}
