//! The prompts: first the brief, then what is asked now and what was argued so far, last the contract.
//!
//! The debate so far is one JSON object, the same for every reader: agents, the rehearsal, a person's form.
//!
//! | field | what |
//! |---|---|
//! | `you_are`, `round`, `of` | the side that is asked, the round, the rounds at most |
//! | `now` | types of arguments that may come now; none where stances or a remark are asked for |
//! | `arguments` | this round's, whole, in order: `id`, `type`, `by` (`you`, `the other side`), `content`, ... |
//! | `concerns` | those that count in this round: `id`, `text`, `raised_by`, `since_round` |
//! | `judge` | what stances are due on: `id`, `text` |
//! | `last_resolution`, `stances_on_it` | those of the round before, from which this one starts |
//! | `earlier` | the arguments of earlier rounds, one line each, so that they can be referred to |
//!
//! Nobody is named: a side is `you` or `the other side`, and to the person asked for a remark, `primary` or
//! `adversary`. Confidence is not shown: it would be an argument from authority.

use serde_json::{Map, Value, json};

use super::content;
use super::contract::{self, Ask};
use super::input::Input;
use super::legality::successors;
use super::metrics::ConcernEntry;
use super::state::{DebateState, Round};
use crate::kernel::{Draft, Prompt};
use crate::protocol::debate::Stances;
use crate::protocol::debate::prompt::{self, Ask as Asked, StablePrefix};
use crate::protocol::debate::typed::{Argument, Side};
use crate::text::sanitize;

/// Maximum length of an earlier argument's text, in characters.
const EARLIER_CHARS: usize = 240;

/// The label of a turn's data.
const LABEL: &str = "what was argued so far";

/// Description of a debate of this style.
const HOW: &str = "Two sides settle one question by typed arguments. In each round the primary makes a proposal, the adversary challenges it, the \
     primary defends it; then the adversary either counters, and the primary writes the resolution, or accepts the defense and writes the \
     resolution itself. The side that did not write the resolution takes a stance on each of its points and on each concern that it raised \
     itself. A program checks who may say what when, looks evidence up, and counts: neither side decides alone, and no side wins by saying \
     that it has won.\n\n\
     A concern stays open until the side that raised it says that it is met, or until that side writes a resolution that disposes of it. \
     Open concerns count in the next round, whether or not they are repeated.";

/// Builds the part that all prompts share.
pub(crate) fn stable(input: &Input) -> StablePrefix {
    prompt::stable(&input.brief, HOW, &input.boundary)
}

/// The material of one prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The turn's id.
    pub turn: &'a str,
    /// The side that is asked; `None` for the person who may make a remark.
    pub side: Option<Side>,
    /// The debate so far.
    pub course: &'a DebateState,
    /// The person's remark before this round.
    pub remark: Option<&'a str>,
    /// The part that all prompts share.
    pub stable: &'a str,
    /// The input of the debate.
    pub input: &'a Input,
}

/// Builds a prompt, with notes on what was cut or defused in it.
pub(crate) fn prompt(frame: Frame<'_>, ask: Ask) -> Draft {
    let shown = frame.data(ask);
    let asked = Asked {
        turn: frame.turn,
        task: &frame.task(ask),
        tone: Some(frame.input.brief.mode),
        remark: frame.remark,
        data: Some((LABEL, &shown)),
    };
    let (varying, notes) = prompt::varying(asked, &frame.input.boundary);
    let prompt = Prompt {
        stable: frame.stable.to_owned(),
        varying,
        contract: contract::text(ask, &frame.input.settings),
    };
    Draft { prompt, notes, shown }
}

impl Frame<'_> {
    fn task(self, ask: Ask) -> String {
        let Some(side) = self.side else {
            return "A round is over, and there was no consensus. Before the next one begins, you may make a remark that both sides are \
                    shown: what they should know, or look at. It gives no orders, and it is no argument."
                .to_owned();
        };
        let again = self.course.current_round() > 1;
        let task = match ask {
            Ask::Remark => "",
            Ask::Proposal if again => {
                "Make the proposal of this round. It starts from `last_resolution`, from what was said of it under `stances_on_it`, and \
                 from the concerns that are still open: change what they show to be wrong, keep what they do not touch, and say what you \
                 changed and why."
            }
            Ask::Proposal => {
                "Make the proposal: what should be done, and why. Be so definite that somebody could show you to be wrong."
            }
            Ask::Challenge => {
                "Challenge the proposal. Look for what would make it fail, and raise each objection as a concern of its own, with evidence \
                 where there is any. A challenge without a concern says that you have none."
            }
            Ask::Defense => {
                "Answer the challenge. Under `addresses` say of each concern that counts how it is met: with evidence that it does not \
                 hold, or with what you change because of it. Leave a concern out if you cannot meet it."
            }
            Ask::Reply => {
                "Weigh the defense. If it leaves something of weight open, make a `counter`: say what, concern by concern, and the other \
                 side writes the resolution. If you accept the defense, write the `resolution` yourself: the points that are to hold, and \
                 under `addresses` what becomes of every concern. What you raised and do not dispose of stays open."
            }
            Ask::Resolution => {
                "Write the resolution: points that both sides could accept, in the light of the counter, and under `addresses` what \
                 becomes of every concern, with the reason. Do not claim agreement that nobody has given: the other side judges each \
                 point."
            }
            Ask::Stances => {
                "Judge the resolution of the other side: take a stance on each id under `judge`, points and concerns of yours alike."
            }
        };
        format!("You are the {}. {task}", side.name())
    }

    fn data(self, ask: Ask) -> Value {
        let mut data = Map::new();
        let mut put = |name: &str, value: Value| drop(data.insert(name.to_owned(), value));
        let course = self.course;
        if let Some(side) = self.side {
            put("you_are", json!(side.name()));
        }
        put("round", json!(course.current_round()));
        put("of", json!(course.terms().max_rounds));
        let now = match ask {
            Ask::Remark | Ask::Stances => &[],
            Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
                successors(course.last_move())
            }
        };
        let now: Vec<&str> = now.iter().map(|may| may.kind.name()).collect();
        put("now", json!(now));
        if let [.., before, current] = course.rounds() {
            if let Some(resolution) = before.resolution() {
                put("last_resolution", self.argument(resolution));
            }
            if let Some((_, stances)) = &before.stances {
                put("stances_on_it", said(stances));
            }
            let earlier = (course.rounds().iter())
                .filter(|round| round.number < current.number)
                .flat_map(|round| &round.arguments);
            put("earlier", earlier.map(|each| self.short(each)).collect());
        }
        let current = course.rounds().last();
        let arguments = current.map(|round: &Round| &*round.arguments);
        let arguments = arguments.unwrap_or_default().iter();
        put("arguments", arguments.map(|each| self.argument(each)).collect());
        let concerns = course.round_concerns();
        put("concerns", concerns.iter().map(|each| self.concern(each)).collect());
        if ask == Ask::Stances {
            let judge = course.to_judge().into_iter();
            let judge = judge.map(|(id, text)| json!({ "id": id, "text": text }));
            put("judge", judge.collect());
        }
        Value::Object(data)
    }

    fn by(self, side: Side) -> &'static str {
        match self.side {
            None => side.name(),
            Some(own) if own == side => "you",
            Some(_) => "the other side",
        }
    }

    fn argument(self, argument: &Argument) -> Value {
        let stances_json = &argument.said;
        json!({
            "id": argument.argument_id, "type": stances_json.kind.name(), "by": self.by(argument.side),
            "content": stances_json.content, "references": stances_json.references, "evidence": stances_json.evidence,
            "impact_areas": stances_json.impact_areas, "concerns": stances_json.concerns, "addresses": stances_json.addresses,
            "feasibility": stances_json.feasibility, "risks": stances_json.risks,
        })
    }

    fn short(self, argument: &Argument) -> Value {
        json!({
            "id": argument.argument_id, "round": argument.round, "type": argument.said.kind.name(),
            "by": self.by(argument.side),
            "text": sanitize::line(&content::text(&argument.said.content), EARLIER_CHARS),
        })
    }

    fn concern(self, raised: &ConcernEntry) -> Value {
        json!({
            "id": raised.concern.id, "text": raised.concern.text, "raised_by": self.by(raised.side),
            "since_round": raised.round,
        })
    }
}

fn said(stances: &Stances) -> Value {
    json!({ "stances": stances.stances, "missing": stances.missing })
}

#[cfg(test)]
mod tests;
