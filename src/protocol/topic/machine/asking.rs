//! Turns to ask: the seat, the points it is asked about, and the prompt.

use std::collections::BTreeSet;

use super::super::contract::Ask;
use super::super::points::PointIds;
use super::super::table::ProposedPosition;
use super::super::table::participants;
use super::{Machine, Purpose};
use crate::kernel::{Attendance, Query, Run, TurnId};
use crate::protocol::debate::Point;

impl Machine {
    pub(super) fn query(&self, round: u32, ask: Ask, run: &Run) -> Query<Purpose> {
        let role = ask.role(self.drafter);
        let purpose = Purpose { round, ask, shown: self.shown(ask), ids: self.ids(ask) };
        let draft = self.draft(ask, &TurnId::in_round(round, ask.word()));
        let mut query = draft.to(role, purpose);
        (query.turn.not_vendor_of, query.turn.not_vendors) = apart_from(role, run);
        query
    }

    /// Returns the ids of the points that an answer makes, and of those it may keep.
    pub(in super::super) fn ids(&self, ask: Ask) -> PointIds {
        let last = self.puts.last();
        let own = |side| self.held.get(&side).into_iter().flat_map(|held| &held.position.points);
        let known: Vec<&Point> = match ask {
            Ask::Review | Ask::Rebuttal => {
                let put = last.into_iter().flat_map(|put| &put.position.points);
                put.chain(ask.side(self.drafter).into_iter().flat_map(own)).collect()
            }
            Ask::Compromise => {
                let agreed = last.map(ProposedPosition::agreed).unwrap_or_default();
                let put = last.into_iter().flat_map(|put| &put.position.points);
                let sides = [self.drafter, self.drafter.other()].into_iter().flat_map(own);
                put.chain(sides)
                    .filter(|point| agreed.iter().all(|said| said.point != point.id))
                    .collect()
            }
            // An opening position stands on its own, and stances make no points.
            _ => Vec::new(),
        };
        let side = ask.side(self.drafter).filter(|_| ask != Ask::Compromise);
        self.used.ids(side, known.into_iter().cloned())
    }

    /// Returns the ids of the points that an answer is about.
    fn shown(&self, ask: Ask) -> Vec<String> {
        let last = self.puts.last();
        match ask {
            Ask::Stances(side) => (self.held.get(&side.other()).into_iter())
                .flat_map(|held| &held.position.points)
                .map(|point| point.id.clone())
                .collect(),
            Ask::Review | Ask::Rebuttal | Ask::Answer => {
                last.map(ProposedPosition::asked_about).unwrap_or_default()
            }
            Ask::Expert => (last.into_iter().flat_map(ProposedPosition::open))
                .map(|point| point.id.clone())
                .collect(),
            Ask::Propose | Ask::Position(_) | Ask::Compromise => Vec::new(),
        }
    }
}

/// Returns the seats and vendors that a fallback must keep apart from: two sides of one vendor are one voice. Both
/// are empty if the seat shared its vendor with another participant from the start.
fn apart_from(role: &str, run: &Run) -> (Vec<String>, Vec<String>) {
    let others: Vec<&Attendance> = participants(run).filter(|seat| seat.name != role).collect();
    let own = run.seats().named(role).map(|seat| &seat.seated.vendor);
    let Some(own) = own.filter(|own| others.iter().all(|other| other.seated.vendor != **own))
    else {
        return (Vec::new(), Vec::new());
    };
    let answered: BTreeSet<&str> = others.iter().flat_map(|other| other.vendors()).collect();
    let vendors = answered.into_iter().filter(|vendor| *vendor != own.as_str());
    (others.iter().map(|other| other.name.clone()).collect(), vendors.map(str::to_owned).collect())
}
