//! Reads one reply: its block, its types, and the ids it names (`docs/answers.md`).
//!
//! An argument accepted by this module is of a type that may come now, has a content that is an object of bounded
//! size, names only arguments and concerns that exist, and has evidence that was looked up; a resolution has points,
//! each claimed once. While a re-ask can still fix it, anything else is a problem. On the last chance
//! * an entry of a list that cannot be read is left out, with a warning;
//! * an unknown reference, an unknown concern and an unknown point to keep are left out, with a warning;
//! * a rating that is not a number from 1 to 5 counts as missing;
//! * a wrong type, a content that is not an object, a resolution without points, or more concerns than can be judged: the
//!   argument is refused, because none of these can be completed without guessing.

use serde::Serialize;
use serde_json::{Map, Value};

use super::content::{self, PointIds};
use super::contract::{Ask, CONTENT_BYTES, MAX_CONCERNS};
use super::evidence::{EvidenceSources, QUOTE};
use super::legality::{self, Illegal};
use super::metrics::{self, ConcernEntry, FILE, SOURCE};
use super::state::DebateState;
use crate::contract::field::{entries, id, text, whole};
use crate::contract::generous::says_nothing;
use crate::contract::{Diagnostics, ReplyReader, ReplyRules};
use crate::declare;
use crate::kernel::{Defect, HUMAN, RawReply, Reply};
use crate::protocol::debate::contract::STANCES;
use crate::protocol::debate::model::{ID_CHARS, MAX_POINTS, REASON_CHARS, USUAL_IMPORTANCE};
use crate::protocol::debate::reply::{distinct, stances};
use crate::protocol::debate::typed::{
    ArgumentBlock, ArgumentType, Concern, Evidence, MAX_DEPTH, Side, depth,
};
use crate::protocol::debate::{Point, Stances};
#[cfg(test)]
use crate::protocol::testing::written;
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::{counted, sanitize};

/// The type of evidence that declares that there is none.
const ASSERTION: &str = "assertion";

/// The content of an accepted answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Content {
    /// An argument: proposal, challenge, defense, counter or resolution.
    Argument(Box<ArgumentBlock>),
    /// Stances on a resolution.
    Stances(Stances),
}

impl Content {
    /// Writes the answer as its block; parsing it gives the same answer back.
    #[cfg(test)]
    pub(crate) fn render(&self) -> String {
        match self {
            Self::Argument(said) => written(&super::contract::ARGUMENT, said),
            Self::Stances(stances) => written(&STANCES, stances),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyContext<'a> {
    /// The debate so far.
    pub course: &'a DebateState,
    /// The sources in which evidence is looked up.
    pub shelf: &'a EvidenceSources,
    /// The side whose turn it is.
    pub side: Side,
}

impl ReplyContext<'_> {
    fn is_person(&self) -> bool {
        self.course.parties().named(self.side) == HUMAN
    }
}

/// Reads the reply to a turn; a defect lists all its faults.
pub(crate) fn parse(
    ask: Ask,
    reply: &RawReply,
    scene: ReplyContext<'_>,
    terms: ReplyRules<'_>,
) -> Result<Reply<Content>, Defect> {
    let mut reading = ReplyReader::of(reply, &[ask.block()], terms)?;
    let said = match ask {
        Ask::Stances => {
            reading.read(&STANCES, |judge, said| Some(Content::Stances(stances(judge, said))))
        }
        Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
            let said = reading.read(&ask.argument(), |judge, said| argument(judge, said, scene));
            said.map(|said| Content::Argument(Box::new(said)))
        }
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

/// Checks an argument; `judge` knows the ids of the concerns.
fn argument(
    judge: &mut Diagnostics,
    mut said: ArgumentBlock,
    scene: ReplyContext<'_>,
) -> Option<ArgumentBlock> {
    if judge.has_read("type") {
        legal(judge, said.kind, scene);
    }
    if judge.has_read("content") {
        said.content = bounded(judge, said.kind, said.content, scene)?;
    }
    said.references = references(judge, said.references, scene.course);
    for evidence in &mut said.evidence {
        look_up(judge, evidence, scene.shelf);
    }
    said.concerns = concerns(judge, said.concerns, scene);
    let kept = judge.sorted("address", said.addresses, |each| &mut each.id);
    said.addresses = kept.into_values().collect();
    Some(said)
}

/// Reports a problem unless an argument of this type may come now.
fn legal(judge: &mut Diagnostics, kind: ArgumentType, scene: ReplyContext<'_>) {
    let last = scene.course.last_move();
    let parties = scene.course.parties();
    match legality::check(parties, last, kind, parties.named(scene.side)) {
        Ok(_) => {}
        Err(
            illegal @ (Illegal::NotNow { .. }
            | Illegal::Stranger { .. }
            | Illegal::Same(_)
            | Illegal::Nameless),
        ) => judge.problem("illegal_argument", illegal.to_string()),
    }
}

/// Checks the size of a content, and the points of a resolution.
fn bounded(
    judge: &mut Diagnostics,
    kind: ArgumentType,
    mut content: Map<String, Value>,
    scene: ReplyContext<'_>,
) -> Option<Map<String, Value>> {
    if content.is_empty() {
        judge.problem("empty_content", "`content` is empty".to_owned());
        return None;
    }
    let value = Value::Object(content);
    let (bytes, depth) = (value.to_string().len(), depth(&value));
    let Value::Object(taken) = value else {
        return None;
    };
    content = taken;
    if bytes > CONTENT_BYTES {
        let message = format!("`content` has {bytes} bytes, over the limit of {CONTENT_BYTES}");
        judge.problem("too_long", message);
        return None;
    }
    if depth > MAX_DEPTH {
        let message = format!("`content` is nested {depth} deep, over the limit of {MAX_DEPTH}");
        judge.problem("too_deep", message);
        return None;
    }
    content::read_flag(judge, &mut content);
    let course = scene.course;
    let mut ids = PointIds::after(course.points());
    let written = content.get("points").and_then(Value::as_array);
    let texts = written.into_iter().flatten().filter(|point| point.is_string()).count();
    if texts > 0 && kind == ArgumentType::Resolution {
        let message = format!("{} only text; read as `claim`", counted(texts, "point"));
        judge.note("unwrapped", message);
    }
    // A person numbers points as they come.
    if scene.is_person() {
        content::forget_ids(&mut content);
    }
    let known = ids.known();
    for written in ids.settle(&mut content) {
        let written = sanitize::line(&written, ID_CHARS);
        let message = format!(
            "`{written}` is not a point that can be kept, or is kept twice: {}",
            known_ids(&known)
        );
        judge.lenient("unknown_point", message);
    }
    if kind == ArgumentType::Resolution && judge.has_read("type") {
        let points = points(judge, &mut content);
        content::set_points(&mut content, &points);
    }
    Some(content)
}

declare! {
    /// What a resolution's content must hold.
    struct Resolution {
        points: Vec<ResolutionPoint> = entries(MAX_POINTS).or_refused(),
    }
}

declare! {
    /// A point of a resolution, whatever its author calls it.
    struct ResolutionPoint as "point" {
        id: String = id(ID_CHARS).extra().may_miss(),
        claim: String = text(REASON_CHARS).alone(),
        reasoning: String = text(REASON_CHARS).counts().may_miss(),
        importance: u8 = whole(1, 3)
            .usually(USUAL_IMPORTANCE)
            .extra()
            .noted(),
    }
}

fn points(judge: &mut Diagnostics, content: &mut Map<String, Value>) -> Vec<Point> {
    // Taken out so that they go back in last: the order of keys is part of later prompts.
    let written = content.remove("points").map(|points| ("points".to_owned(), points));
    let read: Resolution = judge.object(written.into_iter().collect());
    let points = read.points.into_iter().map(|point| Point {
        id: point.id,
        claim: point.claim,
        reasoning: point.reasoning,
        evidence: Vec::new(),
        importance: point.importance,
        keep: None,
        kept_from: None,
    });
    let points = distinct(judge, points.collect());
    if points.is_empty() && judge.has_read("points") {
        let message = "a resolution needs `points`, each with a `claim`".to_owned();
        judge.problem("no_points", message);
    }
    points
}

/// Checks that references name earlier arguments of the same debate; one that does not is a problem, and left out on
/// the last chance.
fn references(judge: &mut Diagnostics, written: Vec<String>, course: &DebateState) -> Vec<String> {
    let known = IdIndex::new(&course.argument_ids());
    let mut references = Vec::new();
    for each in written {
        match known.resolve(&each) {
            found @ (IdMatch::Exact(at) | IdMatch::Normalised(at)) => {
                let id = known.ids()[at].clone();
                if found == IdMatch::Normalised(at) {
                    let each = sanitize::line(&each, ID_CHARS);
                    judge.note("id_normalised", format!("`{each}` was read as `{id}`"));
                }
                if !references.contains(&id) {
                    references.push(id);
                }
            }
            IdMatch::Unknown => {
                let each = sanitize::line(&each, ID_CHARS);
                let message = format!(
                    "`{each}` is not an earlier argument of this debate: {}",
                    known_ids(known.ids())
                );
                judge.note("unknown_reference", message);
            }
        }
    }
    references
}

fn known_ids(known: &[String]) -> String {
    match (known.first(), known.last()) {
        (Some(first), Some(last)) if known.len() > 1 => format!("there are {first} to {last}"),
        (Some(only), _) => format!("there is only {only}"),
        (None, _) => "none exists yet".to_owned(),
    }
}

fn look_up(judge: &mut Diagnostics, evidence: &mut Evidence, shelf: &EvidenceSources) {
    evidence.checked = shelf.check(evidence);
    let kind = evidence.kind.trim();
    let mut known = [FILE, QUOTE, SOURCE, ASSERTION].iter();
    if evidence.checked.is_none()
        && metrics::weight(evidence) == 0
        && !known.any(|name| kind.eq_ignore_ascii_case(name))
    {
        let kind = sanitize::line(kind, 40);
        let message = format!("evidence of type `{kind}` counts as an assertion");
        judge.note("evidence_type", message);
    }
}

/// Checks concerns. One that the side has already raised and that is still open is not raised again.
fn concerns(judge: &mut Diagnostics, read: Vec<Concern>, scene: ReplyContext<'_>) -> Vec<Concern> {
    let open: Vec<ConcernEntry> = (scene.course.round_concerns().into_iter())
        .filter(|raised| raised.side == scene.side)
        .collect();
    let mut concerns: Vec<Concern> = Vec::new();
    for concern in read {
        if says_nothing(&concern.text) {
            let message = "a concern only says that there is none; ignored".to_owned();
            judge.note("says_nothing", message);
            continue;
        }
        let same = |text: &str| key(text) == key(&concern.text);
        let before = open.iter().find(|raised| same(&raised.concern.text));
        if let Some(raised) = before {
            let message = format!("a concern repeats {}; it counts once", raised.concern.id);
            judge.note("concern_repeated", message);
        } else if !concerns.iter().any(|other| same(&other.text)) {
            concerns.push(concern);
        }
    }
    let all = open.len() + concerns.len();
    if all > MAX_CONCERNS {
        // More than can be judged: leaving some out would lose dissent.
        let message = format!(
            "{all} concerns of this side would be open; at most {MAX_CONCERNS} can be judged"
        );
        judge.problem("too_many", message);
    }
    concerns
}

/// Returns the key by which texts are compared: their words, in lower case.
fn key(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
