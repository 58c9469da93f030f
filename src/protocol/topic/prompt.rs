//! The prompts of a dialogue: first the brief, then the material of the turn, last the contract.
//!
//! A side is shown what the other side wrote as JSON without a name, an agent or a vendor; it learns only "the other
//! side" and "you". Confidence decides nothing and is shown to nobody. The expert sees both sides in random order.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::contract::{self, Ask, Side};
use super::input::{Input, Settings};
use super::points::PointIds;
use super::table::{Kind, OwnPosition, ProposedPosition};
use crate::kernel::shuffle::shuffle;
use crate::kernel::{Draft, Prompt};
use crate::protocol::debate::{Point, Position, Stance, StanceEntry, Stances, prompt as common};
use crate::protocol::opening::Opening;

/// Describes a dialogue, for the part that all prompts share.
pub(super) fn how(settings: &Settings) -> String {
    let opening = match settings.opening {
        Opening::Sequential => {
            "One proposes, the other reviews and then states its own position in full; both revise what they hold;"
        }
        Opening::Blind => {
            "Both state a position at the same time, neither knowing the other's; then each judges the other's points;"
        }
    };
    format!(
        "Two sides settle one question, with arguments. {opening} then they try a joint position. A program counts from their stances, \
         point by point, how far they agree: nobody decides alone, and what was not said is never agreement. What they cannot agree on is \
         put to an expert, and dissent is kept in the record whoever prevails: there is nothing to win by giving in.\n\n\
         A point is one claim that can be agreed with or not on its own. Its id is its own for the whole debate: `A1`, `A2`, ... are points of \
         one side, `B1`, ... of the other, `J1`, ... of a joint draft. Keep to the topic: a point that answers another question is \
         not agreed with, however true it is."
    )
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PromptContext<'a> {
    pub(super) turn: &'a str,
    pub(super) ask: Ask,
    pub(super) input: &'a Input,
    pub(super) ids: &'a PointIds,
    pub(super) drafter: Side,
    pub(super) stable: &'a str,
    pub(super) puts: &'a [ProposedPosition],
    pub(super) held: &'a BTreeMap<Side, OwnPosition>,
}

/// Builds a turn's prompt, with notes on what was cut or defused in it.
pub(super) fn prompt(scene: PromptContext<'_>) -> Draft {
    let (task, data) = match scene.ask {
        Ask::Propose => (format!("You open the debate. {PROPOSE}"), None),
        Ask::Position(_) => (format!("{UNSEEN} {PROPOSE}"), None),
        Ask::Stances(side) => (STANCES.to_owned(), Some(scene.before(side))),
        Ask::Review => (REVIEW.to_owned(), Some(scene.before_reviewer())),
        Ask::Alternative => scene.alternative(),
        Ask::Rebuttal => (REBUTTAL.to_owned(), Some(scene.before_proposer())),
        Ask::Compromise => scene.compromise(),
        Ask::Answer => scene.answer(),
        Ask::Expert => (EXPERT.to_owned(), Some(scene.ruling())),
    };
    let ask = common::Ask {
        turn: scene.turn,
        task: &task,
        tone: match scene.ask {
            // There is nothing of others to judge yet.
            Ask::Propose | Ask::Position(_) => None,
            _ => Some(scene.input.brief.mode),
        },
        data: data.as_ref().map(|data| ("the debate so far", data)),
    };
    let (varying, notes) = common::varying(ask, &scene.input.prompts.boundary);
    let contract = contract::text(scene.ask, scene.ids);
    let prompt = Prompt { stable: scene.stable.to_owned(), varying, contract };
    Draft { prompt, notes, shown: data.unwrap_or_default() }
}

const PROPOSE: &str = "Take a position on the topic and say what it rests on. Where there are options, choose: a position that keeps all of \
     them open is none. The other side will judge your points one by one.";

const UNSEEN: &str = "Both sides open at the same time: you see nothing of the other's position, and it sees nothing of yours.";

const STANCES: &str = "The other side has stated the `position` below without having seen yours, which is shown beside it. Judge each of its points on \
     what supports it: find out whether it is right, not whether you could live with it, nor whether it is what you wrote. If a point says \
     the same as one of yours, agree; if it is better, agree too. You give no position in this turn.";

const REVIEW: &str = "The other side has put the `position` below. Judge each of its points on what supports it: find out whether it is right, not \
     whether you could live with it. Then state your own position in short: what you would do and what it rests on, in a few points. If \
     you hold the same, say so in your own words and for your own reasons; a copy tells nobody anything.";

const REBUTTAL: &str = "The other side has put the `position` below in answer to yours. Judge each of its points. Then revise `your_position` and \
     give it whole: keep what stood up to the objections, change what did not, list under `concedes` what of the other side's you take \
     over, and under `changes` what is different from before. Give way to a reason, never to insistence.";

const EXPERT: &str = "You have taken no part in this debate. The two sides could not agree; below stand their last positions in an order drawn by lot, the \
     points that stayed open, and what was said of them. Rule on each open point, and give a final position. You may side with one or, \
     point by point, now with one and now with the other; if neither will do, find a third way and say why neither does. Splitting the \
     difference is a ruling only where a reason supports the middle.";

impl PromptContext<'_> {
    fn put(&self) -> Option<&ProposedPosition> {
        self.puts.last()
    }

    fn last_of(&self, kind: Kind) -> Option<&ProposedPosition> {
        self.puts.iter().rev().find(|put| put.kind == kind)
    }

    fn own(&self, side: Side, map: &mut Map<String, Value>, key: &str) {
        if let Some(held) = self.held.get(&side) {
            map.insert(key.to_owned(), position(&held.position));
        }
    }

    /// Returns the other side's first position, and one's own.
    fn before(&self, side: Side) -> Value {
        let mut map = Map::new();
        self.own(side.other(), &mut map, "position");
        self.own(side, &mut map, "your_position");
        Value::Object(map)
    }

    /// Returns the last stances on a full position of this side's.
    fn said_of(&self, side: Side) -> Option<Value> {
        let own = |put: &&ProposedPosition| put.author == side && put.kind != Kind::Joint;
        let put = self.puts.iter().rev().find(own).filter(|put| put.judged.is_some())?;
        Some(stances(&put.stances()))
    }

    fn before_reviewer(&self) -> Value {
        let mut map = Map::new();
        if let Some(put) = self.put() {
            map.insert("position".to_owned(), position(&put.position));
        }
        Value::Object(map)
    }

    fn before_proposer(&self) -> Value {
        let mut map = Map::new();
        if let Some(put) = self.put() {
            map.insert("position".to_owned(), position(&put.position));
        }
        self.own(Side::Proposer, &mut map, "your_position");
        map.extend(self.said_of(Side::Proposer).map(|said| ("said_of_yours".to_owned(), said)));
        Value::Object(map)
    }

    fn alternative(&self) -> (String, Option<Value>) {
        let mut map = Map::new();
        if let Some(put) = self.put() {
            map.insert("their_position".to_owned(), position(&put.position));
            if put.judged.is_some() {
                map.insert("you_said_of_it".to_owned(), stances(&put.stances()));
            }
        }
        self.own(Side::Reviewer, &mut map, "your_position");
        let task = "The two sides do not agree yet. State in full the position that you would now put in the place of `their_position`: keep the \
             points of theirs that you agree with as they stand, and say for the rest what should hold instead and why. It may be theirs but for \
             one point, or theirs as a whole, if that is what you now hold: do not differ for the sake of it. The other side will judge each point.";
        (task.to_owned(), Some(Value::Object(map)))
    }

    fn compromise(&self) -> (String, Option<Value>) {
        let mut map = Map::new();
        let agreed = self.put().map(ProposedPosition::agreed).unwrap_or_default();
        let again = !agreed.is_empty();
        if let Some(draft) = self.last_of(Kind::Joint) {
            let is_agreed = |point: &&Point| agreed.iter().any(|said| said.point == point.id);
            let kept: Vec<Value> =
                (draft.position.points.iter()).filter(is_agreed).map(point).collect();
            if again {
                map.insert("agreed".to_owned(), Value::Array(kept));
            }
            map.insert("draft".to_owned(), position(&draft.position));
            if draft.judged.is_some() {
                map.insert("said_of_draft".to_owned(), stances(&draft.stances()));
            }
        }
        let (you, they) = (self.drafter, self.drafter.other());
        self.own(you, &mut map, "your_position");
        self.own(they, &mut map, "their_position");
        for (side, key) in [(they, "you_said_of_theirs"), (you, "they_said_of_yours")] {
            map.extend(self.said_of(side).map(|said| (key.to_owned(), said)));
        }
        let task = if again {
            "The joint draft was agreed to in part. The points under `agreed` stand and are not up again. Write points for what is open alone: \
             use the amendments that were given, split a point where half of it is agreed, leave out what nobody needs. \
             `summary` is the whole joint position, the agreed points included."
        } else {
            "Draft one joint position that both sides can hold: complete, and no list of who said what. Start from what both agree on; for each \
             point in dispute take the better reason, or the amendment that meets it. What you cannot honestly join, leave as it is rather than \
             blur it: a point that each side may read as it likes is not agreed to."
        };
        (task.to_owned(), Some(Value::Object(map)))
    }

    fn answer(&self) -> (String, Option<Value>) {
        let mut map = Map::new();
        let mut again = false;
        if let Some(put) = self.put() {
            let mut shown = put.position.clone();
            let up = put.asked_about();
            let (open, kept): (Vec<Point>, Vec<Point>) =
                (shown.points.into_iter()).partition(|point| up.contains(&point.id));
            shown.points = open;
            again = !kept.is_empty();
            if again {
                map.insert("agreed".to_owned(), kept.iter().map(point).collect());
            }
            map.insert("position".to_owned(), position(&shown));
        }
        self.own(self.drafter.other(), &mut map, "your_position");
        let rest = if again {
            " The points under `agreed` stand as you agreed to them and are not judged again."
        } else {
            ""
        };
        let task = format!(
            "The other side has drafted the joint `position` below, for both of you. Judge each of its points: agree where you would sign it as \
             it stands, say `partly` and give the amendment where you would sign another wording, disagree where you would not sign it. \
             Nobody gains by a signature that is not meant.{rest}"
        );
        (task, Some(Value::Object(map)))
    }

    fn ruling(&self) -> Value {
        let mut sides: Vec<(Side, &OwnPosition)> =
            (self.held.iter()).map(|(side, held)| (*side, held)).collect();
        shuffle(&mut sides, self.input.seed, self.turn);
        let sides: Vec<Value> = sides
            .into_iter()
            .map(|(side, held)| {
                let mut map = Map::new();
                map.insert("position".to_owned(), position(&held.position));
                // This side's latest stances on a position of the other's.
                let read =
                    self.puts.iter().rev().find(|put| put.author != side && put.judged.is_some());
                if let Some(put) = read {
                    map.insert("said_of_the_other".to_owned(), stances(&put.stances()));
                }
                Value::Object(map)
            })
            .collect();
        let mut map = Map::new();
        map.insert("sides".to_owned(), Value::Array(sides));
        if let Some(put) = self.put() {
            if put.kind == Kind::Joint {
                map.insert("joint_draft".to_owned(), position(&put.position));
            }
            map.insert("open_points".to_owned(), open(put));
        }
        Value::Object(map)
    }
}

/// Renders a position for others to see, without its author's confidence.
fn position(position: &Position) -> Value {
    let mut shown = json!({
        "summary": position.summary, "points": position.points.iter().map(point).collect::<Vec<_>>(),
        "concedes": position.concedes, "risks": position.risks,
    });
    if !position.changes.is_empty() {
        shown["changes"] = json!(position.changes);
    }
    shown
}

fn point(point: &Point) -> Value {
    json!({
        "id": point.id, "claim": point.claim, "reasoning": point.reasoning, "evidence": point.evidence,
        "importance": point.importance,
    })
}

fn stances(stances: &Stances) -> Value {
    json!({ "stances": stances.stances, "missing": stances.missing })
}

/// Renders the points not agreed to, with the stances on them.
fn open(put: &ProposedPosition) -> Value {
    let entry = |each: &Point| {
        let mut value = point(each);
        if let Some(StanceEntry { stance, reason, amendment, .. }) = put.stance(&each.id) {
            value["stance"] = json!(Stance::name(*stance));
            value["reason"] = json!(reason);
            if let Some(amendment) = amendment {
                value["amendment"] = json!(amendment);
            }
        }
        value
    };
    put.open().into_iter().map(entry).collect()
}
