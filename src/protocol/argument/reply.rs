//! Judges one reply: its block, its types, what it names (`robustness.md` section 4).
//!
//! An argument that leaves this module is of a type that may come now, has a content that is an object of
//! bounded size, names only arguments and concerns that exist, and has evidence that was looked up; a
//! resolution has points, each claimed once. While a re-ask can mend it, everything else is a problem. On
//! the last chance
//! * an entry of a list that cannot be read is left out, with a warning;
//! * an unknown reference and an unknown concern are left out, with a warning;
//! * a rating that is no number from 1 to 5 is none;
//! * a wrong type, a content that is no object, an agent's missing confidence, a resolution without points, more
//!   concerns than can be judged: the argument is refused. Nothing of this can be completed without guessing.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::content;
use super::contract::{
    ARGUMENT, Ask, CONTENT_BYTES, CONTENT_DEPTH, EVIDENCE_BYTES, MAX_CONCERNS, MAX_LIST,
    NAME_CHARS, TEXT_CHARS,
};
use super::course::Course;
use super::evidence::{QUOTE, Shelf};
use super::legality::{self, Illegal};
use super::metrics::{self, FILE, Raised, SOURCE};
use crate::contract::template::{REMARK, block};
use crate::contract::{Fields, Judge, Reading, Terms};
use crate::kernel::{Defect, HUMAN, RawReply, Reply};
use crate::protocol::debate::contract::{
    ID_CHARS, MAX_POINTS, REASON_CHARS, STANCES, USUAL_IMPORTANCE,
};
use crate::protocol::debate::reply::Blocks as _;
use crate::protocol::debate::typed::{
    Addressed, ArgumentSaid, ArgumentType, Concern, Evidence, Risk, Side,
};
use crate::protocol::debate::{Point, Stances};
use crate::text::ids::{IdIndex, Resolved};
use crate::text::sanitize;

/// The type of evidence that says that there is none.
const ASSERTION: &str = "assertion";

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// An argument.
    Argument(Box<ArgumentSaid>),
    /// Stances on a resolution.
    Stances(Stances),
    /// A person's remark, if one was made.
    Remark(Option<String>),
}

impl Said {
    /// Writes the answer as its block; parsing it gives the same answer back.
    pub fn render(&self) -> String {
        match self {
            Self::Argument(said) => block(ARGUMENT, &json!(said).to_string()),
            Self::Stances(stances) => block(STANCES, &json!(stances).to_string()),
            Self::Remark(Some(text)) => block(REMARK, text),
            Self::Remark(None) => String::new(),
        }
    }
}

/// What an argument is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The debate so far.
    pub course: &'a Course,
    /// What evidence is looked up in.
    pub shelf: &'a Shelf,
    /// Whose turn it is.
    pub side: Side,
}

/// Judges the reply to a turn.
pub fn parse(
    ask: Ask,
    reply: &RawReply,
    scene: Scene<'_>,
    terms: Terms<'_>,
) -> Result<Reply<Said>, Defect> {
    let mut reading = Reading::open(reply, &[ask.want()], &[ask.template()], terms)?;
    let said = match ask {
        Ask::Remark => Some(Said::Remark(reading.remark())),
        Ask::Stances => reading.stances().map(Said::Stances),
        Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
            let said = reading.object(ARGUMENT, |judge, map| argument(judge, map, scene));
            said.map(|said| Said::Argument(Box::new(said)))
        }
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { said, notes })
}

/// Judges the content of an `ARGUMENT` block; `judge` knows the ids of the concerns.
fn argument(
    judge: &mut Judge,
    mut map: Map<String, Value>,
    scene: Scene<'_>,
) -> Option<ArgumentSaid> {
    let kind = kind(judge, map.remove("type").as_ref(), scene)?;
    let Some(Value::Object(content)) = map.remove("content") else {
        judge.problem("wrong_type", "`content` must be a JSON object".to_owned());
        return None;
    };
    let content = bounded(judge, kind, content)?;
    let references = references(judge, &mut map, scene.course);
    let evidence = evidence(judge, &mut map, scene.shelf);
    let concerns = concerns(judge, &mut map, scene);
    let addresses = addresses(judge, &mut map);
    let risks = entries(judge, &mut map, "risks", "risk", |fields| Risk {
        name: fields.line("name", NAME_CHARS),
        likelihood: fields.share("likelihood"),
        impact: fields.share("impact"),
    });
    // A person may leave open how sure they are; an agent that does has not answered.
    let person = scene.course.parties().named(scene.side) == HUMAN;
    Some(judge.whole("the argument", map, |fields| {
        ArgumentSaid {
            kind,
            content,
            references,
            evidence,
            confidence_score: (!person || fields.take("confidence_score").is_some())
                .then(|| fields.share("confidence_score")),
            impact_areas: fields.lines("impact_areas", NAME_CHARS),
            concerns,
            addresses,
            feasibility: feasibility(fields),
            risks,
        }
    }))
}

fn kind(judge: &mut Judge, written: Option<&Value>, scene: Scene<'_>) -> Option<ArgumentType> {
    let name = written.and_then(Value::as_str).unwrap_or_default();
    let Some(kind) = ArgumentType::from_name(&name.trim().to_lowercase()) else {
        let all: Vec<&str> = ArgumentType::ALL.iter().map(|kind| kind.name()).collect();
        judge.problem("wrong_type", format!("`type` must be one of {}", all.join(", ")));
        return None;
    };
    let last = scene.course.last_move();
    let parties = scene.course.parties();
    match legality::check(parties, last, kind, parties.named(scene.side)) {
        Ok(_) => Some(kind),
        Err(
            illegal @ (Illegal::NotNow { .. }
            | Illegal::Stranger { .. }
            | Illegal::Same(_)
            | Illegal::Nameless),
        ) => {
            judge.problem("illegal_argument", illegal.to_string());
            None
        }
    }
}

/// Checks a content's size, and the points of a resolution.
fn bounded(
    judge: &mut Judge,
    kind: ArgumentType,
    mut content: Map<String, Value>,
) -> Option<Map<String, Value>> {
    if content.is_empty() {
        judge.problem("empty_content", "`content` says nothing".to_owned());
        return None;
    }
    let value = Value::Object(content);
    let (bytes, depth) = (value.to_string().len(), depth(&value));
    let Value::Object(taken) = value else {
        return None;
    };
    content = taken;
    if bytes > CONTENT_BYTES {
        let message = format!("`content` has {bytes} bytes and may have {CONTENT_BYTES}");
        judge.problem("too_long", message);
        return None;
    }
    if depth > CONTENT_DEPTH {
        let message = format!("`content` is nested {depth} deep and may be {CONTENT_DEPTH}");
        judge.problem("too_deep", message);
        return None;
    }
    if kind == ArgumentType::Resolution {
        let points = points(judge, &mut content)?;
        content::set_points(&mut content, &points);
    }
    Some(content)
}

fn depth(value: &Value) -> usize {
    let below = match value {
        Value::Array(entries) => entries.iter().map(depth).max(),
        Value::Object(map) => map.values().map(depth).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    1 + below.unwrap_or(0)
}

/// Reads a resolution's points. A claim that is made twice counts once: said again, it would weigh twice.
fn points(judge: &mut Judge, content: &mut Map<String, Value>) -> Option<Vec<Point>> {
    let entries = judge.list(content, "points")?;
    if entries.len() > MAX_POINTS {
        let given = entries.len();
        let message = format!("the resolution has {given} points and may have {MAX_POINTS}");
        judge.problem("too_many", message);
        return None;
    }
    let (read, _) = judge.entries("point", entries, |fields| {
        let claim = fields.needed("claim", REASON_CHARS);
        let reasoning = fields.words("reasoning", REASON_CHARS);
        (claim, reasoning, importance(fields))
    });
    let mut seen = BTreeSet::new();
    let mut points: Vec<Point> = Vec::with_capacity(read.len());
    for (claim, reasoning, importance) in read {
        if !seen.insert(key(&claim)) {
            let claim = sanitize::line(&claim, 60);
            let message = format!("`{claim}` is claimed twice; it counts once");
            judge.note("duplicate_claim", message);
            continue;
        }
        points.push(Point {
            id: format!("P{}", points.len() + 1),
            claim,
            reasoning,
            evidence: Vec::new(),
            importance,
        });
    }
    if points.is_empty() {
        let message = "a resolution needs `points`, each with a `claim`".to_owned();
        judge.problem("no_points", message);
        return None;
    }
    Some(points)
}

fn importance(fields: &mut Fields<'_>) -> u8 {
    let Some(value) = fields.take("importance") else {
        let message = format!("`importance` is not given; taken for {USUAL_IMPORTANCE}");
        fields.note("missing_field", &message);
        return USUAL_IMPORTANCE;
    };
    let number = value.as_u64().and_then(|number| u8::try_from(number).ok());
    let Some(number @ 1..=3) = number else {
        let message =
            format!("`importance` must be 1, 2 or 3; taken for {USUAL_IMPORTANCE} otherwise");
        fields.lenient("out_of_range", &message);
        return USUAL_IMPORTANCE;
    };
    number
}

/// Reads a list of objects that may be missing, at most [`MAX_LIST`] of them.
fn entries<T>(
    judge: &mut Judge,
    map: &mut Map<String, Value>,
    key: &str,
    noun: &str,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Vec<T> {
    let Some(mut given) = judge.optional_list(map, key) else {
        return Vec::new();
    };
    if given.len() > MAX_LIST {
        let message = format!("`{key}` has {} entries; the first {MAX_LIST} count", given.len());
        judge.lenient("too_many", message);
        given.truncate(MAX_LIST);
    }
    judge.entries(noun, given, read).0
}

/// References name earlier arguments of the same debate: what does not is a problem, and left out at last.
fn references(judge: &mut Judge, map: &mut Map<String, Value>, course: &Course) -> Vec<String> {
    let written = judge.lines(map, "references");
    let known = IdIndex::new(&course.argument_ids());
    let mut references = Vec::new();
    for each in written {
        match known.resolve(&each) {
            Resolved::Exact(at) | Resolved::Normalised(at) => {
                let id = known.ids()[at].clone();
                if !references.contains(&id) {
                    references.push(id);
                }
            }
            Resolved::Unknown => {
                let each = sanitize::line(&each, ID_CHARS);
                let message = format!(
                    "`{each}` is no earlier argument of this debate: {}",
                    known_ids(known.ids())
                );
                judge.lenient("unknown_reference", message);
            }
        }
    }
    references
}

fn known_ids(known: &[String]) -> String {
    match (known.first(), known.last()) {
        (Some(first), Some(last)) if known.len() > 1 => format!("there are {first} to {last}"),
        (Some(only), _) => format!("there is {only} alone"),
        (None, _) => "there is none yet".to_owned(),
    }
}

fn evidence(judge: &mut Judge, map: &mut Map<String, Value>, shelf: &Shelf) -> Vec<Evidence> {
    entries(judge, map, "evidence", "evidence", |fields| {
        if fields.take("checked").is_some() {
            fields.note("checked_ignored", "`checked` is the program's to set; it is ignored");
        }
        let kind = fields.line("type", NAME_CHARS);
        let mut evidence = Evidence { data: data(fields), kind, checked: None };
        evidence.checked = shelf.check(&evidence);
        let kind = evidence.kind.trim();
        let known = [FILE, QUOTE, SOURCE, ASSERTION].iter();
        if evidence.checked.is_none()
            && metrics::weight(&evidence) == 0
            && !known.into_iter().any(|name| kind.eq_ignore_ascii_case(name))
        {
            let kind = sanitize::line(kind, 40);
            let message = format!("evidence of the type `{kind}` counts as an assertion");
            fields.note("evidence_type", &message);
        }
        evidence
    })
}

/// Reads what a piece of evidence is: text, or any other JSON of bounded size, which cannot be shortened.
fn data(fields: &mut Fields<'_>) -> Value {
    let data = match fields.take("data") {
        Some(Value::String(_)) => return fields.needed("data", TEXT_CHARS).into(),
        Some(data) => data,
        None => {
            fields.fault("missing_field", "`data` must be given: text, or any other JSON");
            return Value::Null;
        }
    };
    let bytes = data.to_string().len();
    if bytes > EVIDENCE_BYTES {
        let message = format!("`data` has {bytes} bytes as JSON and may have {EVIDENCE_BYTES}");
        fields.fault("too_long", &message);
    }
    if depth(&data) > CONTENT_DEPTH {
        let message = format!("`data` may be nested {CONTENT_DEPTH} deep");
        fields.fault("too_deep", &message);
    }
    data
}

/// Reads concerns. One that the side has raised already, and that is still open, is not raised again.
fn concerns(judge: &mut Judge, map: &mut Map<String, Value>, scene: Scene<'_>) -> Vec<Concern> {
    let read = entries(judge, map, "concerns", "concern", |fields| Concern {
        id: String::new(),
        text: fields.needed("text", TEXT_CHARS),
    });
    let open: Vec<Raised> = (scene.course.round_concerns().into_iter())
        .filter(|raised| raised.side == scene.side)
        .collect();
    let mut concerns: Vec<Concern> = Vec::new();
    for concern in read {
        let same = |text: &str| key(text) == key(&concern.text);
        let before = open.iter().find(|raised| same(&raised.concern.text));
        if let Some(raised) = before {
            let message = format!("a concern is {} once more; it counts once", raised.concern.id);
            judge.note("concern_repeated", message);
        } else if !concerns.iter().any(|other| same(&other.text)) {
            concerns.push(concern);
        }
    }
    let all = open.len() + concerns.len();
    if all > MAX_CONCERNS {
        // More than can be judged: to leave some out would be to lose dissent.
        let message =
            format!("{all} concerns of this side would be open; {MAX_CONCERNS} can be judged");
        judge.problem("too_many", message);
    }
    concerns
}

fn addresses(judge: &mut Judge, map: &mut Map<String, Value>) -> Vec<Addressed> {
    let given = entries(judge, map, "addresses", "address", |fields| Addressed {
        id: fields.line("id", ID_CHARS),
        how: fields.needed("how", TEXT_CHARS),
    });
    let kept = judge.sorted("address", given, |each| &mut each.id);
    kept.into_values().collect()
}

fn feasibility(fields: &mut Fields<'_>) -> Option<u8> {
    let value = fields.take("feasibility")?;
    let rating = value.as_u64().and_then(|number| u8::try_from(number).ok());
    let rating = rating.filter(|rating| (1..=5).contains(rating));
    if rating.is_none() {
        let message =
            "`feasibility` must be a whole number from 1 to 5; it counts as not given otherwise";
        fields.lenient("out_of_range", message);
    }
    rating
}

/// What tells texts apart: their words, in lower case.
fn key(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
