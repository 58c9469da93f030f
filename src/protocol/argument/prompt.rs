//! The prompts: first the brief, then what is asked now and what was argued so far, last the contract.
//!
//! The debate so far is one JSON object, the same for every reader: agents and the rehearsal.
//!
//! | field | what |
//! |---|---|
//! | `you_are`, `round`, `of` | the side that is asked, the round, the rounds at most |
//! | `now` | types of arguments that may come now; none where stances are asked for |
//! | `last_resolution`, `stances_on_it`, `agreed` | those of the round before, where this one starts from them: before its proposal |
//! | `arguments` | those of this round that the turn answers, whole, in order: `id`, `type`, `by` (`you`, `the other side`), `content`, ... |
//! | `concerns` | those that count in this round: `id`, `text`, `raised_by`, `since_round` |
//! | `judge` | what stances are due on: `id`, `text`, `reasoning`, and `how` the resolution meets a concern |
//! | `earlier` | all other arguments, one line each; the whole text and the evidence of one that is named by an argument above |
//! | `named` | points and closed concerns that are named above and shown nowhere else: `id`, `text` |
//!
//! Nothing is shown twice, and nothing that was superseded is shown whole; but whatever is named can be read.
//!
//! Nobody is named: a side is `you` or `the other side`. Confidence is not shown: it would be an argument from
//! authority.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::content::{self, PointIds};
use super::contract::{self, Ask, NextIds};
use super::input::Input;
use super::legality::successors;
use super::metrics::ConcernEntry;
use super::state::{DebateState, Round};
use crate::kernel::{Draft, Prompt};
use crate::protocol::debate::prompt::{self, Ask as Asked, StablePrefix};
use crate::protocol::debate::typed::{Argument, ArgumentType, Side};
use crate::protocol::debate::{Stance, Stances};
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
    prompt::stable(&input.brief, HOW, &input.prompts.boundary)
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The turn's id.
    pub turn: &'a str,
    /// The side that is asked.
    pub side: Side,
    /// The debate so far.
    pub course: &'a DebateState,
    /// The part that all prompts share.
    pub stable: &'a str,
    /// The input of the debate.
    pub input: &'a Input,
}

/// Builds a prompt, with notes on what was cut or defused in it.
pub(crate) fn prompt(frame: Frame<'_>, ask: Ask) -> Draft {
    let shown = frame.data(ask);
    // The first proposal has nothing before it to be hard on.
    let judges = ask != Ask::Proposal || frame.course.current_round() > 1;
    let asked = Asked {
        turn: frame.turn,
        task: &frame.task(ask),
        tone: judges.then_some(frame.input.brief.mode),
        data: Some((LABEL, &shown)),
    };
    let (varying, notes) = prompt::varying(asked, &frame.input.prompts.boundary);
    let prompt = Prompt {
        stable: frame.stable.to_owned(),
        varying,
        contract: contract::text(ask, &frame.input.settings, frame.next_ids()),
    };
    Draft { prompt, notes, shown }
}

impl Frame<'_> {
    fn next_ids(self) -> NextIds {
        NextIds {
            concern: self.course.concerns().len() + 1,
            point: PointIds::after(self.course.points()).next(),
        }
    }

    fn task(self, ask: Ask) -> String {
        let side = self.side;
        let course = self.course;
        let again = course.current_round() > 1;
        let task = match ask {
            Ask::Proposal if again => {
                "Make the proposal of this round. It starts from `last_resolution`, from what was said of it under `stances_on_it`, and \
                 from the concerns that are still open: keep what was agreed to (`agreed`) and what they do not touch, change what they \
                 show to be wrong, and say in `text` what you changed and why."
            }
            Ask::Proposal => {
                "Make the proposal: what should be done, and why. Be so definite that somebody could show you to be wrong."
            }
            Ask::Challenge => {
                "Challenge the proposal, whichever way it answers the question: you need not hold the opposite, and have no answer of your own \
                 to defend. Look for what would make it fail, and raise each objection as a concern of its own, with evidence where there is \
                 any. A challenge without a concern says that you have none."
            }
            Ask::Defense => {
                "Answer the challenge. Under `addresses` say of each concern that counts how it is met: with evidence that it does not \
                 hold, or with what you change because of it. Leave a concern out if you cannot meet it."
            }
            Ask::Reply => {
                "Weigh the defense. If it leaves something of weight open, make a `counter`: say what, concern by concern, and the other \
                 side writes the resolution. If you accept the defense, write the `resolution` yourself: the points that should hold, and \
                 under `addresses` what becomes of every concern. Accepting with additions is a resolution too: keep the points, and put \
                 what you add into them or beside them. What you raised and do not dispose of stays open."
            }
            Ask::Resolution => {
                "Write the resolution: points that both sides could accept, in the light of the counter, and under `addresses` what \
                 becomes of every concern, with the reason. Do not claim agreement that nobody has given: the other side judges each \
                 point."
            }
            Ask::Stances if course.to_judge().iter().any(|(id, _)| id.starts_with('C')) => {
                "Judge the resolution of the other side: take a stance on each id under `judge`, its points and the concerns that you raised."
            }
            Ask::Stances => {
                "Judge the resolution of the other side: take a stance on each id under `judge`. You raised no concern that counts."
            }
        };
        format!("You are the {}. {task}", side.name())
    }

    fn data(self, ask: Ask) -> Value {
        let mut data = Map::new();
        let mut put = |name: &str, value: Value| drop(data.insert(name.to_owned(), value));
        let course = self.course;
        put("you_are", json!(self.side.name()));
        put("round", json!(course.current_round()));
        put("of", json!(course.terms().max_rounds));
        let now = match ask {
            Ask::Stances => &[],
            Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
                successors(course.last_move())
            }
        };
        let now: Vec<&str> = now.iter().map(|may| may.kind.name()).collect();
        put("now", json!(now));
        let starts = ask == Ask::Proposal;
        let mut above = Vec::new();
        let current = course.rounds().last().map_or(&[][..], |round| &*round.arguments);
        let whole = current.iter().filter(|argument| is_answered(ask, argument.said.kind));
        let mut shown: Vec<&str> = whole.clone().map(|each| &*each.argument_id).collect();
        if let ([.., before, _], true) = (course.rounds(), starts) {
            if let Some(resolution) = before.resolution() {
                shown.push(&resolution.argument_id);
                put("last_resolution", self.argument(resolution));
                above.push(self.argument(resolution));
            }
            if let Some((_, stances)) = &before.stances {
                let (agreed, rest) = parted(stances);
                above.push(rest.clone());
                put("stances_on_it", rest);
                put("agreed", agreed);
            }
        }
        let judge = course.to_judge();
        let judged = |id: &str| judge.iter().any(|(other, _)| other == id);
        let arguments: Vec<Value> = (whole.map(|each| match ask {
            Ask::Stances => without_judged(self.argument(each), judged),
            Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
                self.argument(each)
            }
        }))
        .collect();
        above.extend(arguments.iter().cloned());
        put("arguments", arguments.into());
        let concerns = course.round_concerns();
        let counting = concerns.iter().filter(|each| !judged(&each.concern.id));
        let counting: Vec<Value> = counting.map(|each| self.concern(each)).collect();
        above.extend(counting.iter().cloned());
        put("concerns", counting.into());
        if ask == Ask::Stances {
            let judge = self.judge(&judge);
            above.push(judge.clone());
            put("judge", judge);
        }
        let named = ids_in(&above);
        let earlier = course.arguments().filter(|each| !shown.contains(&&*each.argument_id));
        let earlier: Vec<Value> =
            earlier.map(|each| self.short(each, named.contains(&each.argument_id))).collect();
        put("earlier", earlier.into());
        let also = self.also_named(&named, &above);
        if !also.is_empty() {
            put("named", also.into());
        }
        Value::Object(data)
    }

    /// Returns what stances are due on, each with what the resolution says of it.
    fn judge(self, judge: &[(String, String)]) -> Value {
        let resolution = self.course.rounds().last().and_then(Round::resolution);
        let points = resolution.map(|argument| content::points(&argument.said.content));
        let points = points.unwrap_or_default();
        let entry = |(id, text): &(String, String)| {
            let mut entry = json!({ "id": id, "text": text });
            if let Some(point) = points.iter().find(|point| point.id == *id) {
                entry["importance"] = point.importance.into();
                if !point.reasoning.is_empty() {
                    entry["reasoning"] = json!(point.reasoning);
                }
            }
            let mut met = resolution.iter().flat_map(|argument| &argument.said.addresses);
            if let Some(met) = met.find(|met| met.id == *id) {
                entry["how"] = json!(met.how);
            }
            entry
        };
        judge.iter().map(entry).collect()
    }

    /// Returns the points and concerns that are named, but stand nowhere above.
    fn also_named(self, named: &BTreeSet<String>, above: &[Value]) -> Vec<Value> {
        let has_id = |id: &str| above.iter().any(|value| holds_id(value, id));
        let points = self.course.points().into_iter().map(|point| (point.id, point.claim));
        let concerns = self.course.concerns().into_iter();
        let concerns = concerns.map(|raised| (raised.concern.id, raised.concern.text));
        points
            .chain(concerns)
            .filter(|(id, _)| named.contains(id) && !has_id(id))
            .map(|(id, text)| json!({ "id": id, "text": text }))
            .collect()
    }

    fn by(self, side: Side) -> &'static str {
        if self.side == side { "you" } else { "the other side" }
    }

    /// Returns an argument whole, without what it does not have. Concerns stand once, in their own list.
    fn argument(self, argument: &Argument) -> Value {
        let said = &argument.said;
        let mut shown = json!({
            "id": argument.argument_id, "type": said.kind.name(), "by": self.by(argument.side), "content": said.content,
        });
        let raised: Vec<&str> = said.concerns.iter().map(|concern| &*concern.id).collect();
        for (key, value) in [
            ("references", json!(said.references)),
            ("evidence", json!(said.evidence)),
            ("concerns", json!(raised)),
            ("addresses", json!(said.addresses)),
            ("risks", json!(said.risks)),
        ] {
            if value.as_array().is_some_and(|entries| !entries.is_empty()) {
                shown[key] = value;
            }
        }
        if let Some(feasibility) = said.feasibility {
            shown["feasibility"] = feasibility.into();
        }
        shown
    }

    /// Returns an argument in a line; `named`: with its whole text and its evidence.
    fn short(self, argument: &Argument, named: bool) -> Value {
        let text = content::text(&argument.said.content);
        let mut shown = json!({
            "id": argument.argument_id, "round": argument.round, "type": argument.said.kind.name(),
            "by": self.by(argument.side),
            "text": if named { text } else { sanitize::line(&text, EARLIER_CHARS) },
        });
        if named && !argument.said.evidence.is_empty() {
            shown["evidence"] = json!(argument.said.evidence);
        }
        shown
    }

    fn concern(self, raised: &ConcernEntry) -> Value {
        json!({
            "id": raised.concern.id, "text": raised.concern.text, "raised_by": self.by(raised.side),
            "since_round": raised.round,
        })
    }
}

/// Whether a turn answers an argument of its round, and so is shown it whole. Of one's own challenge the concerns are
/// left, which are listed; a resolution supersedes everything before it.
fn is_answered(ask: Ask, kind: ArgumentType) -> bool {
    match ask {
        Ask::Proposal | Ask::Challenge | Ask::Defense => true,
        Ask::Reply | Ask::Resolution => kind != ArgumentType::Challenge,
        Ask::Stances => kind == ArgumentType::Resolution,
    }
}

/// Returns the ids that were agreed to, and the other stances.
fn parted(stances: &Stances) -> (Value, Value) {
    let is_agreed = |stance: Stance| stance == Stance::Agree;
    let agreed = stances.stances.iter().filter(|said| is_agreed(said.stance));
    let rest: Vec<&_> = stances.stances.iter().filter(|said| !is_agreed(said.stance)).collect();
    (
        agreed.map(|said| json!(said.point)).collect(),
        json!({ "stances": rest, "missing": stances.missing }),
    )
}

/// Leaves out of a resolution what stands under `judge`.
fn without_judged(mut shown: Value, judged: impl Fn(&str) -> bool) -> Value {
    if let Some(content) = shown["content"].as_object_mut() {
        content.shift_remove("points");
    }
    if let Some(addresses) = shown.get_mut("addresses").and_then(Value::as_array_mut) {
        addresses.retain(|each| !each["id"].as_str().is_some_and(&judged));
        if addresses.is_empty() {
            shown.as_object_mut().map(|shown| shown.shift_remove("addresses"));
        }
    }
    shown
}

/// Returns every word of the texts that is the id of an argument, a concern or a point.
fn ids_in(values: &[Value]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for value in values {
        let text = value.to_string();
        let words = text.split(|c: char| !c.is_alphanumeric());
        let is_id = |word: &&str| {
            let number = word.strip_prefix(['A', 'C', 'P']);
            number.is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        ids.extend(words.filter(is_id).map(str::to_owned));
    }
    ids
}

fn holds_id(value: &Value, id: &str) -> bool {
    match value {
        Value::Object(map) => {
            let is_it = map.get("id").and_then(Value::as_str) == Some(id);
            is_it && ["text", "claim"].iter().any(|key| map.contains_key(*key))
                || map.values().any(|value| holds_id(value, id))
        }
        Value::Array(values) => values.iter().any(|value| holds_id(value, id)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
