//! Which turns a step asks, with their prompts.

use super::Machine;
use crate::kernel::shuffle::shuffle;
use crate::kernel::{Fact, Failure, Prompt, Seated, Turn};
use crate::protocol::review::prompt::{self, Frame};
use crate::protocol::review::{Reply, Role, contract, seat_name};
use crate::text::Note;

/// One turn of the open step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) turn: Turn,
    pub(super) seat: usize,
    pub(super) role: Role,
    pub(super) batch: usize,
    /// The ids that its prompt shows.
    pub(super) shown: Vec<String>,
    pub(super) taken: Option<Taken>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Taken {
    pub(super) seated: Seated,
    pub(super) result: Result<Reply, Failure>,
    pub(super) notes: Vec<Note>,
}

/// Returns each turn's seat and whether it was answered.
pub(super) fn turns(step: &[Asked]) -> Vec<(usize, bool)> {
    let answered = |asked: &Asked| asked.taken.as_ref().is_some_and(|taken| taken.result.is_ok());
    step.iter().map(|asked| (asked.seat, answered(asked))).collect()
}

impl Machine {
    pub(super) fn seats(&self) -> std::ops::Range<usize> {
        0..self.state.input.seats.len()
    }

    pub(super) fn batches(&self) -> std::ops::Range<usize> {
        0..self.state.input.change.batches.len()
    }

    /// Returns a turn's id: `r2/cross/s1`, with the batch where there are several; `compose/s1`.
    pub(super) fn turn_id(&self, role: Role, round: u32, seat: usize, batch: usize) -> String {
        let (word, seat) = (role.word(), seat_name(seat));
        match role {
            Role::Composer | Role::Validator => format!("{word}/{seat}"),
            Role::Reviewer | Role::CrossReviewer if self.stables.len() > 1 => {
                format!("r{round}/{word}/{seat}/b{}", batch + 1)
            }
            Role::Reviewer | Role::CrossReviewer => format!("r{round}/{word}/{seat}"),
        }
    }

    /// Adds a turn to the open step.
    pub(super) fn ask(
        &mut self,
        (role, seat, batch): (Role, usize, usize),
        id: String,
        prompt: Prompt,
        shown: Vec<String>,
    ) {
        let turn = Turn {
            id: crate::kernel::TurnId::read(&id),
            role: seat_name(seat),
            plays: role.config_name().into(),
            prompt,
            blocks: vec![contract::name(role)],
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
        };
        self.asked.push(Asked { turn, seat, role, batch, shown, taken: None });
    }

    pub(super) fn ask_reviews(&mut self) {
        let all = self.stables.len();
        for batch in self.batches() {
            for seat in self.seats() {
                let id = self.turn_id(Role::Reviewer, 1, seat, batch);
                let frame = self.frame(&id, Some(batch));
                let prompt = prompt::review(frame, (batch + 1, all));
                self.ask((Role::Reviewer, seat, batch), id, prompt, Vec::new());
            }
        }
    }

    pub(super) fn frame<'a>(&'a self, turn: &'a str, batch: Option<usize>) -> Frame<'a> {
        Frame {
            turn,
            stable: match batch {
                Some(batch) => self.stables.get(batch).map_or("", String::as_str),
                None => &self.frame,
            },
            boundary: &self.state.input.boundary,
        }
    }

    /// Opens a cross-examination; nothing is asked where nobody has anything to judge.
    pub(super) fn ask_judgements(&mut self, crossing: u32) -> Vec<Fact> {
        let mut facts = Vec::new();
        for batch in self.batches() {
            for seat in self.seats() {
                let groups = self.state.to_judge(seat, batch, crossing == 1);
                if groups.is_empty() {
                    continue;
                }
                let id = self.turn_id(Role::CrossReviewer, crossing + 1, seat, batch);
                let mut groups = groups;
                shuffle(&mut groups, self.state.input.seed, &id);
                let shown: Vec<String> = groups.iter().map(|group| group.id.clone()).collect();
                let frame = self.frame(&id, Some(batch));
                let (prompt, notes) = prompt::cross(frame, seat, crossing, &groups);
                facts.extend(self.warn(&notes, Some(&id)));
                self.ask((Role::CrossReviewer, seat, batch), id, prompt, shown);
            }
        }
        facts
    }

    pub(super) fn ask_composer(&mut self, place: usize) -> Vec<Fact> {
        let Some(seat) = self.state.ranking.get(place).copied() else {
            return Vec::new();
        };
        let id = self.turn_id(Role::Composer, 0, seat, 0);
        let mut groups = self.state.to_decide();
        shuffle(&mut groups, self.state.input.seed, &id);
        let shown: Vec<String> = groups.iter().map(|group| group.id.clone()).collect();
        let frame = self.frame(&id, None);
        let (prompt, notes) = prompt::compose(frame, &self.state.input.change, &groups);
        let facts = self.warn(&notes, Some(&id));
        self.ask((Role::Composer, seat, 0), id, prompt, shown);
        facts
    }

    pub(super) fn ask_validators(&mut self, composer: usize) -> Vec<Fact> {
        let mut facts = Vec::new();
        let offered: Vec<String> =
            self.state.to_decide().iter().map(|group| group.id.clone()).collect();
        for seat in self.seats().filter(|seat| *seat != composer) {
            let decisions = self.state.composition.iter().flat_map(|made| &made.decisions);
            let mut decisions: Vec<_> = decisions
                .filter(|decision| {
                    offered.contains(&decision.id) && self.state.may_vote(seat, decision)
                })
                .collect();
            if decisions.is_empty() {
                continue;
            }
            let id = self.turn_id(Role::Validator, 0, seat, 0);
            shuffle(&mut decisions, self.state.input.seed, &id);
            let shown: Vec<String> = decisions.iter().map(|each| each.id.clone()).collect();
            let frame = self.frame(&id, None);
            let (change, groups) = (&self.state.input.change, &self.state.groups);
            let (prompt, notes) = prompt::validate(frame, change, &decisions, groups);
            facts.extend(self.warn(&notes, Some(&id)));
            self.ask((Role::Validator, seat, 0), id, prompt, shown);
        }
        facts
    }
}
