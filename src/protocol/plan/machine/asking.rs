//! The turns of each state: which seats are asked, about which ids, with which prompt.

use super::super::contract::Ask;
use super::super::merge::MergedStep;
use super::super::model::Group;
use super::super::prompt::{self, Frame};
use super::{Machine, PlanState, Purpose, State};
use crate::kernel::{Draft, Query, TurnId, seat_name};

impl Machine {
    /// Returns the round that the current state opens.
    pub(super) fn opens(&self) -> Option<u32> {
        match self.state {
            State::Plans => Some(1),
            State::Cross(round) => Some(round + 1),
            State::Validation | State::Closed(_) => None,
        }
    }

    /// Returns the turns of the current state.
    pub(super) fn asked(&self) -> Vec<Purpose> {
        match (self.state, &self.settled) {
            (State::Plans, _) => (0..self.plans.len())
                .map(|seat| Purpose { kind: Ask::Plan, seat, ids: Vec::new() })
                .collect(),
            (State::Cross(_), _) => self.about(Ask::Cross, |seat| self.to_judge(seat)),
            (State::Validation, Some(standing)) => {
                self.about(Ask::Validation, |seat| self.to_vote_on(seat, standing))
            }
            (State::Validation, None) | (State::Closed(_), _) => Vec::new(),
        }
    }

    /// Returns the turns of the planners that have ids to answer about.
    fn about(&self, kind: Ask, ids: impl Fn(usize) -> Vec<String>) -> Vec<Purpose> {
        let asked = self.planners().map(|seat| Purpose { kind, seat, ids: ids(seat) });
        asked.filter(|asked| !asked.ids.is_empty()).collect()
    }

    /// Returns the groups that a seat is asked to judge now.
    pub(super) fn to_judge(&self, seat: usize) -> Vec<String> {
        let open = |group: &&Group| {
            !group.status().settled() && !group.wrote(seat) && group.has_news(seat)
        };
        (self.groups.iter().filter(open)).map(|group| group.id.clone()).collect()
    }

    /// Returns the groups of the draft that a seat votes on; none if its votes can change nothing. With a step that was
    /// added, everything can: it may contradict any step, and both halves of a contradiction are voted on.
    fn to_vote_on(&self, seat: usize, standing: &PlanState) -> Vec<String> {
        let steps = standing.draft.steps.iter();
        let votes: Vec<&MergedStep> = steps.filter(|step| self.may_vote(seat, step)).collect();
        let is_new = standing.draft.steps.iter().any(|step| step.added);
        if !is_new && !votes.iter().any(|step| step.is_in_question(&self.groups)) {
            return Vec::new();
        }
        votes.into_iter().map(|step| self.groups[step.group].id.clone()).collect()
    }

    pub(super) fn query(&self, asked: Purpose) -> Query<Purpose> {
        let (kind, seat) = (asked.kind, asked.seat);
        let task = kind.word();
        let id = self.opens().map_or_else(|| TurnId::of(task), |at| TurnId::in_round(at, task));
        let id = id.seat(seat);
        self.draft(&asked, &id).to(&seat_name(seat), asked)
    }

    pub(super) fn draft(&self, asked: &Purpose, turn: &TurnId) -> Draft {
        let Purpose { seat, ids, .. } = asked;
        let frame = Frame { turn, seat: *seat, stable: &self.stable, input: &self.input };
        match (self.state, &self.settled) {
            (State::Cross(round), _) => prompt::cross(frame, round, &self.groups, ids),
            (State::Validation, Some(standing)) => {
                prompt::validate(frame, &standing.draft, &self.groups, ids)
            }
            (State::Plans | State::Validation | State::Closed(_), _) => prompt::plan(frame),
        }
    }
}
