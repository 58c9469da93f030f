//! The turns of each phase, with their prompts.

use serde_json::{Value, json};

use super::{Machine, Phase};
use crate::kernel::shuffle::shuffle;
use crate::kernel::{Query, TurnId, seat_name};
use crate::ordered::Gather;
use crate::protocol::prompt::Asked;
use crate::protocol::review::compose::Decision;
use crate::protocol::review::prompt::{self, Material, Words};
use crate::protocol::review::{Group, Role, contract};

/// The purpose of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The seat's task.
    pub role: Role,
    /// The seat that is asked, from 0.
    pub seat: usize,
    /// The batch that the seat sees, from 0; 0 for composer and validators.
    pub batch: usize,
    /// The ids that its prompt shows, to answer about.
    pub shown: Vec<String>,
    /// The ids of the other findings, of which a judge sees the titles.
    pub named: Vec<String>,
}

impl Machine {
    pub(super) fn seats(&self) -> std::ops::Range<usize> {
        0..self.state.input.seats.len()
    }

    pub(super) fn batches(&self) -> std::ops::Range<usize> {
        0..self.state.input.change.batches.len()
    }

    /// Returns the turns of the current phase.
    pub(super) fn queries(&self) -> Vec<Purpose> {
        match self.phase {
            Phase::Reviewing => self.reviews(),
            Phase::Crossing(crossing) => self.judgements(crossing),
            Phase::Composing(place) => self.composition(place),
            Phase::Validating(composer) => self.votes(composer),
            Phase::Proving(attempt) => self.proofs(attempt),
            Phase::Testing(attempt) => self.tests(attempt),
            Phase::Closed => Vec::new(),
        }
    }

    /// Returns a turn's id: `r2/cross/s1`, with the batch if there are several; `compose/s1`.
    fn turn_id(&self, role: Role, round: u32, seat: usize, batch: usize) -> TurnId {
        let word = role.word();
        match role {
            Role::Composer | Role::Validator | Role::Prover | Role::Sandbox => {
                TurnId::of(word).seat(seat)
            }
            Role::Reviewer | Role::CrossReviewer if self.stables.len() > 1 => {
                TurnId::in_round(round, word).seat(seat).part(&format!("b{}", batch + 1))
            }
            Role::Reviewer | Role::CrossReviewer => TurnId::in_round(round, word).seat(seat),
        }
    }

    fn reviews(&self) -> Vec<Purpose> {
        let all = self.stables.len();
        let mut queries = Vec::new();
        for batch in self.batches() {
            for seat in self.seats() {
                let id = self.turn_id(Role::Reviewer, 1, seat, batch);
                let ask =
                    Ask { role: Role::Reviewer, seat, batch, shown: Vec::new(), named: Vec::new() };
                let words = prompt::review(&self.state.input.rules.platform, batch + 1, all);
                queries.push(self.purpose(&id, ask, words));
            }
        }
        queries
    }

    /// Whether any seat has something to judge in a cross-examination.
    pub(super) fn anybody_judges(&self, crossing: u32) -> bool {
        let any = |batch| {
            self.seats().any(|seat| !self.state.to_judge(seat, batch, crossing == 1).is_empty())
        };
        self.batches().any(any)
    }

    fn judgements(&self, crossing: u32) -> Vec<Purpose> {
        let mut queries = Vec::new();
        for batch in self.batches() {
            for seat in self.seats() {
                let mut groups = self.state.to_judge(seat, batch, crossing == 1);
                if groups.is_empty() {
                    continue;
                }
                let id = self.turn_id(Role::CrossReviewer, crossing + 1, seat, batch);
                shuffle(&mut groups, self.state.input.seed, &id);
                let others = self.state.others(&groups);
                let (shown, named) = (ids(&groups), ids(&others));
                let ask = Ask { role: Role::CrossReviewer, seat, batch, shown, named };
                let change = Some(&self.state.input.change).filter(|_| crossing > 1);
                let words = prompt::cross(seat, change, &groups, &others);
                queries.push(self.purpose(&id, ask, words));
            }
        }
        queries
    }

    /// Returns what composer and validators are shown beside the findings.
    pub(super) fn material(&self) -> Material<'_> {
        let reviews = || self.state.reviews.values();
        Material {
            change: &self.state.input.change,
            risks: reviews().flat_map(|said| &said.residual_risks).gather(),
            questions: reviews().flat_map(|said| &said.open_questions).gather(),
        }
    }

    fn composition(&self, place: usize) -> Vec<Purpose> {
        let Some(seat) = self.state.ranking.get(place).copied() else {
            return Vec::new();
        };
        let id = self.turn_id(Role::Composer, 0, seat, 0);
        let mut groups = self.state.to_decide();
        shuffle(&mut groups, self.state.input.seed, &id);
        let ask =
            Ask { role: Role::Composer, seat, batch: 0, shown: ids(&groups), named: Vec::new() };
        vec![self.purpose(&id, ask, prompt::compose(&self.material(), &groups))]
    }

    /// Returns the decisions that a seat may vote on: about groups that were offered, on code that it saw and
    /// findings that it did not write.
    pub(super) fn to_vote_on(&self, seat: usize) -> Vec<&Decision> {
        let offered = ids(&self.state.to_decide());
        let decisions = self.state.composition.iter().flat_map(|made| &made.decisions);
        decisions
            .filter(|decision| {
                offered.contains(&decision.id)
                    && self.state.needs_votes(decision)
                    && self.state.may_vote(seat, decision)
            })
            .collect()
    }

    fn votes(&self, composer: usize) -> Vec<Purpose> {
        let mut queries = Vec::new();
        for seat in self.seats().filter(|seat| *seat != composer) {
            let mut decisions = self.to_vote_on(seat);
            if decisions.is_empty() {
                continue;
            }
            let id = self.turn_id(Role::Validator, 0, seat, 0);
            shuffle(&mut decisions, self.state.input.seed, &id);
            let shown = decisions.iter().map(|each| each.id.clone()).collect();
            let ask = Ask { role: Role::Validator, seat, batch: 0, shown, named: Vec::new() };
            let words = prompt::validate(&self.material(), &decisions, &self.state.groups);
            queries.push(self.purpose(&id, ask, words));
        }
        queries
    }

    pub(super) fn purpose(&self, id: &TurnId, ask: Ask, (mut words, cut): Words) -> Purpose {
        let shown = words["shown"].clone();
        words["ids"] = json!(ask.shown);
        words["count"] = json!(ask.shown.len());
        let mut draft = self.state.input.prompts.draft(Asked {
            turn: id,
            role: ask.role.config_name(),
            stable: match ask.role {
                Role::Reviewer | Role::CrossReviewer | Role::Prover => &self.stables[ask.batch],
                Role::Composer | Role::Validator | Role::Sandbox => &self.frame,
            },
            blocks: &[contract::outline(ask.role)],
            data: words,
            shown: None,
        });
        draft.notes.extend(cut.note());
        (draft.to(&seat_name(ask.seat), ask), shown)
    }
}

fn ids(groups: &[&Group]) -> Vec<String> {
    groups.iter().map(|group| group.id.clone()).collect()
}

/// A turn, and the part of its prompt that comes from other seats.
pub(super) type Purpose = (Query<Ask>, Value);
