//! Turns to ask: the seat, the points it is asked about, and the prompt.

use std::collections::BTreeSet;

use super::super::contract::Ask;
use super::super::prompt::{self, PromptContext};
use super::super::table::ProposedPosition;
use super::super::table::participants;
use super::{Machine, Purpose};
use crate::kernel::{Attendance, Draft, Query, Run, Turn, TurnId};

impl Machine {
    pub(super) fn query(&self, round: u32, ask: Ask, run: &Run) -> Query<Purpose> {
        let id = TurnId::in_round(round, ask.word());
        let Draft { prompt, notes, .. } = self.draft(ask, &id);
        let (not_vendor_of, not_vendors) = apart_from(ask, run);
        let turn = Turn {
            id,
            role: ask.role().to_owned(),
            plays: ask.plays().into(),
            prompt,
            blocks: ask.blocks().iter().map(|block| block.want()).collect(),
            not_vendor_of,
            not_vendors,
        };
        Query { turn, ask: Purpose { round, ask, shown: self.shown(ask) }, notes }
    }

    pub(super) fn draft(&self, ask: Ask, turn: &TurnId) -> Draft {
        prompt::prompt(PromptContext {
            turn,
            ask,
            input: &self.input,
            stable: &self.stable.text,
            remark: self.remark.as_deref(),
            puts: &self.puts,
            held: &self.held,
            last: self.rounds.last(),
        })
    }

    /// Returns the ids of the points that an answer is about.
    fn shown(&self, ask: Ask) -> Vec<String> {
        let last = self.puts.last();
        match ask {
            Ask::Review | Ask::Rebuttal | Ask::Answer => {
                last.map(ProposedPosition::asked_about).unwrap_or_default()
            }
            Ask::Expert => (last.into_iter().flat_map(ProposedPosition::open))
                .map(|point| point.id.clone())
                .collect(),
            Ask::Remark | Ask::Propose | Ask::Alternative | Ask::Compromise => Vec::new(),
        }
    }
}

/// Returns the seats and vendors that a fallback must keep apart from: two sides of one vendor are one voice. Both
/// are empty if the seat shared its vendor with another participant from the start.
fn apart_from(ask: Ask, run: &Run) -> (Vec<String>, Vec<String>) {
    let others: Vec<&Attendance> =
        participants(run).filter(|seat| seat.name != ask.role()).collect();
    let own = run.seats().named(ask.role()).map(|seat| &seat.seated.vendor);
    let Some(own) = own.filter(|own| others.iter().all(|other| other.seated.vendor != **own))
    else {
        return (Vec::new(), Vec::new());
    };
    let answered: BTreeSet<&str> = others.iter().flat_map(|other| other.vendors()).collect();
    let vendors = answered.into_iter().filter(|vendor| *vendor != own.as_str());
    (others.iter().map(|other| other.name.clone()).collect(), vendors.map(str::to_owned).collect())
}
