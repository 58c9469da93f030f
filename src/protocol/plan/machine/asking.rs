//! Whom a state asks, about which ids, with which prompt.

use super::super::contract::Ask;
use super::super::model::Group;
use super::super::prompt::{self, Frame};
use super::{Machine, Standing, State};
use crate::kernel::Turn;
use crate::text::Note;

/// A turn that is asked now: its id, the seat, what for, and the ids that the answer is about.
pub(super) type Asked = (String, usize, Ask, Vec<String>);

impl Machine {
    /// Returns the groups that a seat is asked to judge now.
    pub(super) fn to_judge(&self, seat: usize) -> Vec<String> {
        let open = |group: &&Group| !group.status().settled() && !group.wrote(seat);
        (self.groups.iter().filter(open)).map(|group| group.id.clone()).collect()
    }

    /// Returns the groups of the merged plan that a seat votes on.
    fn to_vote_on(&self, seat: usize, standing: &Standing) -> Vec<String> {
        if seat == standing.winner {
            return Vec::new();
        }
        (standing.merged.steps.iter())
            .map(|step| &self.groups[step.group])
            .filter(|group| !group.wrote(seat))
            .map(|group| group.id.clone())
            .collect()
    }

    /// Returns whom the current state asks, with the ids that the answer is about.
    pub(super) fn asked(&self) -> Vec<Asked> {
        let name = |seat: usize| format!("s{}", seat + 1);
        match self.state {
            State::Plans => (0..self.plans.len())
                .map(|seat| (format!("r1/plan/{}", name(seat)), seat, Ask::Plan, Vec::new()))
                .collect(),
            State::Cross(round) => (self.planners())
                .map(|seat| {
                    let id = format!("r{}/cross/{}", round + 1, name(seat));
                    (id, seat, Ask::Cross, self.to_judge(seat))
                })
                .filter(|(_, _, _, ids)| !ids.is_empty())
                .collect(),
            State::Validation => {
                let Some(standing) = self.standing() else {
                    return Vec::new();
                };
                (self.planners())
                    .map(|seat| {
                        let id = format!("validate/{}", name(seat));
                        (id, seat, Ask::Validation, self.to_vote_on(seat, &standing))
                    })
                    .filter(|(_, _, _, ids)| !ids.is_empty())
                    .collect()
            }
            State::Closed(_) => Vec::new(),
        }
    }

    /// Returns the turns of the current state, each with what was cut or defused in its prompt.
    pub(super) fn turns(&self) -> Vec<(Turn, Vec<Note>)> {
        let standing = match self.state {
            State::Validation => self.standing(),
            State::Plans | State::Cross(_) | State::Closed(_) => None,
        };
        let turn = |(id, seat, ask, ids): Asked| {
            let frame = Frame { turn: &id, seat, stable: &self.stable.text, input: &self.input };
            let (prompt, notes) = match (self.state, &standing) {
                (State::Cross(round), _) => prompt::cross(frame, round, &self.groups, &ids),
                (State::Validation, Some(standing)) => {
                    prompt::validate(frame, &standing.merged, &self.groups, &ids)
                }
                (State::Plans | State::Validation | State::Closed(_), _) => {
                    (prompt::plan(frame), Vec::new())
                }
            };
            let turn = Turn {
                id: crate::kernel::TurnId::read(&id),
                role: format!("s{}", seat + 1),
                plays: ask.plays().into(),
                prompt,
                blocks: vec![ask.block()],
                not_vendor_of: Vec::new(),
                not_vendors: Vec::new(),
            };
            (turn, notes)
        };
        self.asked().into_iter().map(turn).collect()
    }
}
