//! The prompts: what a turn is shown of the debate so far.
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

use serde_json::{Value, json};

use super::content::{self, PointIds};
use super::contract::Ask;
use super::evidence::QUOTE_LETTERS;
use super::legality::successors;
use super::machine::Machine;
use super::metrics::ConcernEntry;
use super::state::{DebateState, Round};
use crate::kernel::Draft;
use crate::kernel::fit::without_nulls;
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::debate::model::MAX_POINTS;
use crate::protocol::debate::typed::{Argument, ArgumentType, MAX_LIST, Side};
use crate::protocol::debate::{Stance, Stances};
use crate::protocol::prompt::Asked;
use crate::text::sanitize;

/// Maximum length of an earlier argument's text, in characters.
const EARLIER_CHARS: usize = 240;

impl Machine {
    /// Builds a turn's prompt, with notes on what was cut or defused in it.
    pub(super) fn draft(&self, ask: Ask, side: Side, turn: &str) -> Draft {
        let Self { course, stable, input, .. } = self;
        let concerns = course.to_judge().iter().any(|(id, _)| id.starts_with('C'));
        let data = json!({
            "ask": ask.word(), "again": course.current_round() > 1, "mode": input.brief.mode, "concerns": concerns,
            "next_concern": course.concerns().len() + 1, "next_point": PointIds::after(course.points()).next(),
            "impact_areas": input.settings.impact_areas, "quote_letters": QUOTE_LETTERS, "most_points": MAX_POINTS,
            "most_entries": MAX_LIST,
        });
        let shown = Some(("what was argued so far", View { side, course }.so_far(ask)));
        let blocks = &[ask.block()];
        input.prompts.draft(Asked { turn, role: side.name(), stable, blocks, data, shown })
    }
}

/// The debate in the eyes of one side.
#[derive(Debug, Clone, Copy)]
struct View<'a> {
    side: Side,
    course: &'a DebateState,
}

impl View<'_> {
    fn so_far(self, ask: Ask) -> Value {
        let course = self.course;
        let stances = ask == Ask::Stances;
        let now = if stances { &[] } else { successors(course.last_move()) };
        let before = match course.rounds() {
            [.., before, _] if ask == Ask::Proposal => Some(before),
            _ => None,
        };
        let resolution = before.and_then(Round::resolution);
        let (agreed, rest) =
            before.and_then(|round| round.stances.as_ref()).map(|(_, said)| parted(said)).unzip();
        let current = course.rounds().last().map_or(&[][..], |round| &*round.arguments);
        let whole = current.iter().filter(|each| is_answered(ask, each.said.kind));
        let shown: Vec<&str> =
            whole.clone().chain(resolution).map(|each| &*each.argument_id).collect();
        let judge = course.to_judge();
        let judged = |id: &str| judge.iter().any(|(other, _)| other == id);
        let arguments = whole.map(|each| {
            let each = self.argument(each);
            if stances { without_judged(each, judged) } else { each }
        });
        let concerns = course.round_concerns();
        let concerns = concerns.iter().filter(|each| !judged(&each.concern.id));
        let above = json!({
            "last_resolution": resolution.map(|each| self.argument(each)), "stances_on_it": rest,
            "arguments": arguments.collect::<Vec<_>>(),
            "concerns": concerns.map(|each| self.concern(each)).collect::<Vec<_>>(),
            "judge": stances.then(|| self.judge(&judge)),
        });
        let named = ids_in(&above);
        let earlier = course.arguments().filter(|each| !shown.contains(&&*each.argument_id));
        let earlier = earlier.map(|each| self.short(each, named.contains(&each.argument_id)));
        without_nulls(json!({
            "you_are": self.side.name(), "round": course.current_round(), "of": course.terms().max_rounds,
            "now": now.iter().map(|may| may.kind).collect::<Vec<_>>(),
            "last_resolution": above["last_resolution"], "stances_on_it": above["stances_on_it"], "agreed": agreed,
            "arguments": above["arguments"], "concerns": above["concerns"], "judge": above["judge"],
            "earlier": earlier.collect::<Vec<_>>(), "named": self.also_named(&named, &above),
        }))
    }

    /// Returns what stances are due on, each with what the resolution says of it.
    fn judge(self, judge: &[(String, String)]) -> Value {
        let resolution = self.course.rounds().last().and_then(Round::resolution);
        let points = resolution.map(|argument| content::points(&argument.said.content));
        let points = points.unwrap_or_default();
        let entry = |(id, text): &(String, String)| {
            let point = points.iter().find(|point| point.id == *id);
            let reasoning = point.map(|point| &point.reasoning).filter(|text| !text.is_empty());
            let mut met = resolution.iter().flat_map(|argument| &argument.said.addresses);
            without_nulls(json!({
                "id": id, "text": text, "importance": point.map(|point| point.importance), "reasoning": reasoning,
                "how": met.find(|met| met.id == *id).map(|met| &met.how),
            }))
        };
        judge.iter().map(entry).collect()
    }

    /// Returns the points and concerns that are named, but stand nowhere above; `None` if there are none.
    fn also_named(self, named: &BTreeSet<String>, above: &Value) -> Option<Vec<Value>> {
        let points = self.course.points().into_iter().map(|point| (point.id, point.claim));
        let concerns = self.course.concerns().into_iter();
        let concerns = concerns.map(|raised| (raised.concern.id, raised.concern.text));
        let also: Vec<Value> = points
            .chain(concerns)
            .filter(|(id, _)| named.contains(id) && !holds_id(above, id))
            .map(|(id, text)| json!({ "id": id, "text": text }))
            .collect();
        Some(also).filter(|also| !also.is_empty())
    }

    fn by(self, side: Side) -> &'static str {
        if self.side == side { "you" } else { "the other side" }
    }

    /// Returns an argument whole, without what it does not have. Concerns stand once, in their own list.
    fn argument(self, argument: &Argument) -> Value {
        let said = &argument.said;
        let raised: Vec<&str> = said.concerns.iter().map(|concern| &*concern.id).collect();
        let mut shown = json!({
            "id": argument.argument_id, "type": said.kind, "by": self.by(argument.side), "content": said.content,
            "references": said.references, "evidence": said.evidence, "concerns": raised, "addresses": said.addresses,
            "risks": said.risks, "feasibility": said.feasibility,
        });
        if let Some(shown) = shown.as_object_mut() {
            shown.retain(|_, value| {
                !value.is_null() && value.as_array().is_none_or(|all| !all.is_empty())
            });
        }
        shown
    }

    /// Returns an argument in a line; `named`: with its whole text and its evidence.
    fn short(self, argument: &Argument, named: bool) -> Value {
        let (said, text) = (&argument.said, content::text(&argument.said.content));
        without_nulls(json!({
            "id": argument.argument_id, "round": argument.round, "type": said.kind, "by": self.by(argument.side),
            "text": if named { text } else { sanitize::line(&text, EARLIER_CHARS) },
            "evidence": Some(&said.evidence).filter(|all| named && !all.is_empty()),
        }))
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
fn ids_in(shown: &Value) -> BTreeSet<String> {
    let text = shown.to_string();
    let is_id = |word: &&str| {
        let number = word.strip_prefix(['A', 'C', 'P']).unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split(|c: char| !c.is_alphanumeric()).filter(is_id).map(str::to_owned).gather()
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
