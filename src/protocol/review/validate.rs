//! What the others make of the composer's decisions (`spec/review-and-plan.md`, step 8).
//!
//! # Theory of operation
//!
//! [`tally`] counts the votes on each decision; [`settle`] says what remains. A seat votes unless it
//! is the composer or wrote one of the findings that the decision is about: of a merge, the one that
//! goes or the one that it goes into. Only votes that were cast are counted; a seat that failed cast
//! none, and one that voted both ways cast none. Then, first that holds:
//!
//! | votes | result | keep | merge | eliminate |
//! |---|---|---|---|---|
//! | none | `unvalidated` | stays, own words | stands alone | stays |
//! | more approve | `approved` | stays, new words | merged | thrown out |
//! | more reject | `rejected` | stays, own words | stands alone | stays |
//! | equal, nothing of the composer's own | `tie_broken` | stays, new words | merged | thrown out |
//! | equal, else | `tie_kept` | stays, own words | stands alone | stays |
//!
//! A rejected keep stays, and the result shows it rejected: these votes carry no evidence, and with
//! two agents a single one would end a P0 that it could not refute in the cross-examination.
//! The composer's new words are used only where its decision stands: else it could reword away what
//! it may not throw out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::compose::Decision;
use super::model::{DecisionKind, Group, Severity, Status, ValidationResult};
use super::status::status;
use super::verdict::remains;
use crate::protocol::council::ValidationSaid;

#[cfg(test)]
mod tests;

/// What came of the vote on a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The group.
    pub id: String,
    /// What the composer decided.
    pub decision: DecisionKind,
    /// Votes for it.
    pub approves: u32,
    /// Votes against it.
    pub rejects: u32,
    /// What follows.
    pub result: ValidationResult,
    /// Who voted how and why, in the order of the seats: seat, whether it approves, reason.
    pub votes: Vec<(usize, bool, String)>,
}

impl Tally {
    /// Whether the decision is carried out.
    pub const fn stands(&self) -> bool {
        match self.result {
            ValidationResult::Approved | ValidationResult::TieBroken => true,
            ValidationResult::Rejected
            | ValidationResult::TieKept
            | ValidationResult::Unvalidated => false,
        }
    }
}

/// A finding that remains after validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The group that is shown.
    pub id: String,
    /// Groups that went into it, in the order of the groups.
    pub merged: Vec<String>,
    /// The highest severity of those of these groups that remain, of all where none does.
    pub severity: Severity,
    /// The status of the group with that severity; of several, the best.
    pub status: Status,
    /// The composer's words, where they count.
    pub title: Option<String>,
    /// The same.
    pub detail: Option<String>,
    /// The same.
    pub fix: Option<String>,
}

/// What remains, and what was thrown out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settled {
    /// In the order of the groups.
    pub kept: Vec<Kept>,
    /// Groups that are thrown out, with the composer's reason.
    pub eliminated: Vec<(String, String)>,
}

/// Counts the votes on each decision. `votes` holds the seats that answered.
pub fn tally(
    decisions: &[Decision],
    votes: &BTreeMap<usize, ValidationSaid>,
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
    let tallies = decisions.iter().map(|decision| {
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
        let result = match approves.cmp(&rejects) {
            Ordering::Greater => ValidationResult::Approved,
            Ordering::Less => ValidationResult::Rejected,
            Ordering::Equal if cast.is_empty() => ValidationResult::Unvalidated,
            Ordering::Equal if wrote(composer) => ValidationResult::TieKept,
            Ordering::Equal => ValidationResult::TieBroken,
        };
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

/// Carries out the decisions that stand.
///
/// `tallies` are those of these decisions; a decision without one is not carried out, as if nobody
/// had voted on it. What is merged raises the severity of what it goes into, never lowers it, unless
/// that is disputed: a finding that remains is not made a mere doubt by what it is merged with. A
/// merge into a group that does not stay is none.
pub fn settle(decisions: &[Decision], tallies: &[Tally], groups: &[Group]) -> Settled {
    let stands: BTreeSet<&str> =
        tallies.iter().filter(|tally| tally.stands()).map(|tally| tally.id.as_str()).collect();
    let by_id: BTreeMap<&str, &Group> =
        groups.iter().map(|group| (group.id.as_str(), group)).collect();
    let stands = |decision: &&Decision| stands.contains(decision.id.as_str());
    let gone = |decision: &Decision| decision.kind != DecisionKind::Keep && stands(&decision);
    let staying: BTreeSet<&str> = decisions
        .iter()
        .filter(|decision| !gone(decision))
        .map(|decision| decision.id.as_str())
        .collect();
    // What goes into each group that stays.
    let mut merged: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut settled = Settled::default();
    let mut alone = BTreeSet::new();
    for decision in decisions.iter().filter(stands) {
        match (decision.kind, decision.into.as_deref()) {
            (DecisionKind::Keep, _) => {}
            (DecisionKind::Merge, Some(into)) if staying.contains(into) => {
                merged.entry(into).or_default().push(decision.id.clone());
            }
            (DecisionKind::Merge, _) => {
                alone.insert(decision.id.as_str());
            }
            (DecisionKind::Eliminate, _) => {
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
            (!remains(status), group.severity(), status)
        });
        let Some((_, severity, status)) = members.min() else {
            continue;
        };
        let reworded = decision.kind == DecisionKind::Keep && stands(&decision);
        let words = |words: &Option<String>| words.clone().filter(|_| reworded);
        settled.kept.push(Kept {
            id: decision.id.clone(),
            severity,
            status,
            title: words(&decision.title),
            detail: words(&decision.detail),
            fix: words(&decision.fix),
            merged,
        });
    }
    settled
}

/// A seat's votes by decision: whether it approves, and why; `None` where it voted both ways.
type Ballots<'a> = BTreeMap<&'a str, Option<(bool, &'a str)>>;

/// Returns a seat's vote on each decision.
fn ballots(said: &ValidationSaid) -> Ballots<'_> {
    let mut ballots = Ballots::new();
    for ballot in &said.votes {
        let vote = (ballot.approve, ballot.reason.as_str());
        ballots
            .entry(&ballot.id)
            .and_modify(|before| *before = before.filter(|(approve, _)| *approve == ballot.approve))
            .or_insert(Some(vote));
    }
    ballots
}

/// Returns a count as it stands in results; there are far fewer seats than 2^32.
fn size(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
