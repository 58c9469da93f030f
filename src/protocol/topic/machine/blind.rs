//! A blind opening: both sides state their positions unseen, then each judges the other's.

use std::collections::BTreeMap;

use super::super::contract::{Ask, Side};
use super::super::reply::Content;
use super::super::table::{GivenStances, ProposedPosition};
use super::rounds::RoundChecks;
use super::{AcceptedAnswer, Machine, Purpose, State, following};
use crate::kernel::share::Share;
use crate::kernel::{Answer, Failure, Query, Run, Step};
use crate::protocol::debate::consensus::Check;
use crate::protocol::debate::{DebateOutcome, Outcome};

/// Answers of one step, each with its turn.
type Taken = Vec<(AcceptedAnswer, Result<Content, Failure>)>;

impl Machine {
    /// Asks both sides at the same time.
    pub(super) fn both(
        &self,
        round: u32,
        ask: fn(Side) -> Ask,
        run: &Run,
    ) -> Step<Outcome, Query<Purpose>> {
        let turns = Side::ALL.map(|side| self.query(round, ask(side), run));
        Step::Ask { opens_round: Some(round), turns: turns.into() }
    }

    /// Takes the first positions. Without both there is nothing to compare, and the missing one is all that a resume
    /// asks for.
    pub(super) fn positioned(&mut self, answers: Taken, run: &mut Run) {
        let mut silent = Vec::new();
        let mut last = None;
        for (taken, result) in answers {
            match (taken.ask.side(self.drafter), result) {
                (Some(side), Ok(Content::Position(position))) => {
                    self.set_position(side, position, &taken);
                }
                (side, _) => silent.extend(side),
            }
            last = Some(taken);
        }
        let Some(taken) = last else { return };
        self.close_round(&taken, RoundChecks::default(), &silent, run);
        self.state = if silent.is_empty() {
            following(taken.round, taken.ask)
        } else {
            State::Closed(DebateOutcome::Failed)
        };
    }

    /// Takes the stances on both positions and measures each. The one with the higher consensus goes on: it is adopted,
    /// or its side drafts the joint position.
    pub(super) fn exchanged(&mut self, answers: Taken, run: &mut Run) {
        let mut given = BTreeMap::new();
        let mut silent = Vec::new();
        let mut last = None;
        for (taken, result) in answers {
            match (taken.ask.side(self.drafter), result) {
                (Some(side), Ok(Content::Stances(stances))) => {
                    given.insert(side, GivenStances { stances, seated: taken.seated.clone() });
                }
                (side, _) => silent.extend(side),
            }
            last = Some(taken);
        }
        let Some(taken) = last else { return };
        for author in Side::ALL {
            let Some(held) = self.held.get(&author) else { continue };
            let mut put = ProposedPosition::new(author, held.position.clone(), taken.round);
            put.judged = given.remove(&author.other());
            self.puts.push(put);
        }
        let checks: BTreeMap<Side, Check> = (self.puts.iter())
            .filter(|put| silent.is_empty() && put.judged.is_some())
            .filter_map(|put| Some((put.author, self.check(put)?)))
            .collect();
        // The position that goes on is the last; of equal ones it is the proposer's.
        let rank = |put: &ProposedPosition| {
            let check = checks.get(&put.author);
            let reached = check.is_some_and(|check| check.reached);
            let decisive = check.and_then(|check| check.decisive).map_or(0, Share::get);
            (put.judged.is_some(), reached, decisive, put.author == Side::Proposer)
        };
        self.puts.sort_by_key(rank);
        let Some(first) = self.puts.last().map(|put| put.author) else { return };
        let check = checks.get(&first).cloned();
        let checks = RoundChecks { decisive: check.clone(), both: checks };
        self.close_round(&taken, checks, &silent, run);
        if silent.is_empty() {
            self.drafter = first;
            self.go_on(&taken, check, run);
        } else {
            // It has the other's stances to answer, who has heard nothing new.
            self.drafter = silent[0];
            self.state = self.after_silence(&taken, &silent, run);
        }
    }

    /// Returns the machine with the positions out of a step that was cut short, which decide nothing.
    pub(super) fn with_part(&self, part: &[(Purpose, Answer<Content>)]) -> Self {
        let mut machine = self.clone();
        for (Purpose { round, ask, .. }, answer) in part {
            if let (Ask::Position(side), Ok(Content::Position(position))) = (ask, &answer.result) {
                let taken = AcceptedAnswer {
                    turn: answer.turn.clone(),
                    round: *round,
                    ask: *ask,
                    seated: answer.respondent.clone(),
                };
                machine.set_position(*side, position.clone(), &taken);
            }
        }
        machine
    }
}
