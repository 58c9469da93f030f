//! The prompts of a dialogue.
//!
//! A side is shown what the other side wrote as JSON without a name, an agent or a vendor; it learns only "the other
//! side" and "you". Confidence decides nothing and is shown to nobody. The expert sees both sides in random order.

use serde_json::{Value, json};

use super::contract::{Ask, Side};
use super::machine::Machine;
use super::table::{OwnPosition, ProposedPosition};
use crate::kernel::Draft;
use crate::kernel::fit::without_nulls;
use crate::kernel::shuffle::shuffle;
use crate::protocol::debate::model::MAX_POINTS;
use crate::protocol::debate::{Point, Position, Stances};
use crate::protocol::prompt::Asked;

impl Machine {
    /// Builds a turn's prompt, with notes on what was cut or defused in it.
    pub(super) fn draft(&self, ask: Ask, turn: &str) -> Draft {
        let shown = self.so_far(ask, turn);
        let data = json!({
            "ask": ask.word(), "again": shown.get("agreed").is_some(), "mode": self.input.brief.mode,
            "most_points": MAX_POINTS, "ids": self.ids(ask).shown(),
        });
        self.input.prompts.draft(Asked {
            turn,
            role: ask.plays(),
            stable: &self.stable,
            blocks: ask.blocks(),
            data,
            shown: Some(shown).filter(Value::is_object).map(|shown| ("the debate so far", shown)),
        })
    }

    /// Returns what a turn is shown of the debate; `null` where it is nothing.
    fn so_far(&self, ask: Ask, turn: &str) -> Value {
        let last = self.puts.last();
        let put = last.map(|put| position(&put.position));
        let (you, they) = (self.drafter, self.drafter.other());
        without_nulls(match ask {
            Ask::Propose | Ask::Position(_) => Value::Null,
            Ask::Stances(side) => {
                json!({ "position": self.own(side.other()), "your_position": self.own(side) })
            }
            Ask::Review => json!({ "position": put }),
            Ask::Rebuttal => json!({
                "position": put, "your_position": self.own(Side::Proposer),
                "said_of_yours": self.said_of(Side::Proposer),
            }),
            Ask::Compromise => {
                let draft = self.puts.iter().rev().find(|put| put.is_joint);
                let agreed = last.map(ProposedPosition::agreed).unwrap_or_default();
                let is_agreed = |point: &Point| agreed.iter().any(|said| said.point == point.id);
                json!({
                    "agreed": draft.and_then(|draft| points(&draft.position, is_agreed)),
                    "draft": draft.map(|draft| position(&draft.position)), "said_of_draft": draft.and_then(said),
                    "your_position": self.own(you), "their_position": self.own(they),
                    "you_said_of_theirs": self.said_of(they), "they_said_of_yours": self.said_of(you),
                })
            }
            Ask::Answer => {
                let up = last.map(ProposedPosition::asked_about).unwrap_or_default();
                let rest = last.map(|put| {
                    let mut rest = put.position.clone();
                    rest.points.retain(|point| up.contains(&point.id));
                    position(&rest)
                });
                json!({
                    "agreed": last.and_then(|put| points(&put.position, |point| !up.contains(&point.id))),
                    "position": rest, "your_position": self.own(they),
                })
            }
            Ask::Expert => {
                let mut sides: Vec<_> = self.held.iter().collect();
                shuffle(&mut sides, self.input.seed, turn);
                let side = |(side, held): (&Side, &OwnPosition)| {
                    let of_the_other =
                        self.puts.iter().rev().filter(|put| put.author != *side).find_map(said);
                    without_nulls(json!({
                        "position": position(&held.position), "said_of_the_other": of_the_other,
                    }))
                };
                json!({
                    "sides": sides.into_iter().map(side).collect::<Vec<_>>(),
                    "joint_draft": put.filter(|_| last.is_some_and(|put| put.is_joint)),
                    "open_points": last.map(open),
                })
            }
        })
    }

    fn own(&self, side: Side) -> Option<Value> {
        self.held.get(&side).map(|held| position(&held.position))
    }

    /// Returns the stances on the last full position of this side's.
    fn said_of(&self, side: Side) -> Option<Stances> {
        let own = |put: &&ProposedPosition| put.author == side && !put.is_joint;
        self.puts.iter().rev().find(own).and_then(said)
    }
}

/// Returns the stances on a position, if it was judged.
fn said(put: &ProposedPosition) -> Option<Stances> {
    put.judged.as_ref().map(|_| put.stances())
}

/// Renders a position for others to see, without its author's confidence.
fn position(position: &Position) -> Value {
    let Position { summary, points, concedes, risks, changes, .. } = position;
    without_nulls(json!({
        "summary": summary, "points": points.iter().map(point).collect::<Vec<_>>(), "concedes": concedes,
        "risks": risks, "changes": Some(changes).filter(|changes| !changes.is_empty()),
    }))
}

fn point(said: &Point) -> Value {
    json!(Point { kept_from: None, ..said.clone() })
}

/// Renders some of a position's points; `None` if there are none.
fn points(position: &Position, which: impl Fn(&Point) -> bool) -> Option<Vec<Value>> {
    let shown: Vec<Value> = position.points.iter().filter(|said| which(said)).map(point).collect();
    Some(shown).filter(|shown| !shown.is_empty())
}

/// Renders the points not agreed to, with the stances on them.
fn open(put: &ProposedPosition) -> Value {
    let entry = |each: &Point| {
        let mut value = point(each);
        if let Some(said) = put.stance(&each.id) {
            value["stance"] = json!(said.stance);
            value["reason"] = json!(said.reason);
            value["amendment"] = json!(said.amendment);
        }
        without_nulls(value)
    };
    put.open().into_iter().map(entry).collect()
}
