//! The positions on the table: each side's own, those put to the other side, and the stances on them.

use std::collections::BTreeSet;

use super::contract::Side;
use crate::kernel::{Attendance, Respondent, Run};
use crate::protocol::debate::{Point, Position, Stance, StanceEntry, Stances};

/// Returns the seats of the two sides, without the expert's.
pub(super) fn participants(run: &Run) -> impl Iterator<Item = &Attendance> {
    Side::ALL.into_iter().filter_map(|side| run.seats().named(side.seat()))
}

pub(super) fn of_a_participant(run: &Run, vendor: &str) -> bool {
    participants(run).any(|seat| seat.seated.vendor == vendor || seat.vendors().contains(vendor))
}

/// A side's own position, in force until that side gives another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OwnPosition {
    pub(super) position: Position,
    pub(super) round: u32,
    pub(super) seated: Respondent,
}

/// Stances, and the respondent that gave them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GivenStances {
    pub(super) stances: Stances,
    pub(super) seated: Respondent,
}

/// A position that was put to the other side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProposedPosition {
    pub(super) author: Side,
    /// Whether its author drafted it for both sides.
    pub(super) is_joint: bool,
    pub(super) position: Position,
    /// The round in which it was put or, since, judged.
    pub(super) round: u32,
    /// The other side's stances on it; `None` if that side did not answer.
    pub(super) judged: Option<GivenStances>,
    /// Points agreed to in an earlier round, with the stances of that round; they are not asked about again.
    pub(super) settled: Vec<StanceEntry>,
}

impl ProposedPosition {
    pub(super) const fn new(author: Side, position: Position, round: u32) -> Self {
        Self { author, is_joint: false, position, round, judged: None, settled: Vec::new() }
    }

    /// Returns the position's owner as a decision names it.
    pub(super) const fn by(&self) -> &'static str {
        if self.is_joint { "joint" } else { self.author.seat() }
    }

    /// Returns its name in sentences for people.
    pub(super) const fn noun(&self) -> &'static str {
        match (self.is_joint, self.author) {
            (true, _) => "the joint position",
            (false, Side::Proposer) => "the proposal",
            (false, Side::Reviewer) => "the reviewer's position",
        }
    }

    pub(super) const fn reader(&self) -> Side {
        self.author.other()
    }

    /// Returns a joint draft. Of an earlier one it replaces the open points: those agreed to remain, under their ids.
    pub(super) fn joint(last: Option<&Self>, author: Side, draft: Position, round: u32) -> Self {
        let settled = last.map(Self::agreed).unwrap_or_default();
        let is_settled = |point: &&Point| settled.iter().any(|said| said.point == point.id);
        let before = last.into_iter().flat_map(|last| &last.position.points);
        let points = before.filter(is_settled).cloned().chain(draft.points).collect();
        let own = Self::new(author, Position { points, ..draft }, round);
        Self { is_joint: true, settled, ..own }
    }

    /// Returns the stances its reader agrees with, if it is a joint draft that leaves points open; empty if nothing
    /// is left to draft.
    pub(super) fn agreed(&self) -> Vec<StanceEntry> {
        if !self.is_joint || self.open().is_empty() {
            return Vec::new();
        }
        (self.position.points.iter())
            .filter_map(|point| self.stance(&point.id))
            .filter(|said| said.stance == Stance::Agree)
            .cloned()
            .collect()
    }

    pub(super) fn stance(&self, point: &str) -> Option<&StanceEntry> {
        let now = self.judged.iter().flat_map(|judged| &judged.stances.stances);
        now.chain(&self.settled).find(|said| said.point == point)
    }

    /// Returns the stances on all points, earlier rounds' included.
    pub(super) fn stances(&self) -> Stances {
        let said = self.position.points.iter();
        Stances {
            stances: said.filter_map(|point| self.stance(&point.id)).cloned().collect(),
            missing: (self.judged.as_ref())
                .map(|judged| judged.stances.missing.clone())
                .unwrap_or_default(),
        }
    }

    /// Returns the points that are not agreed to.
    pub(super) fn open(&self) -> Vec<&Point> {
        let agreed = |point: &&Point| {
            let said = self.stance(&point.id);
            said.is_none_or(|said| said.stance != Stance::Agree)
        };
        self.position.points.iter().filter(agreed).collect()
    }

    pub(super) fn asked_about(&self) -> Vec<String> {
        let settled: BTreeSet<&str> = self.settled.iter().map(|said| &*said.point).collect();
        let ids = self.position.points.iter().map(|point| point.id.clone());
        ids.filter(|id| !settled.contains(&**id)).collect()
    }
}
