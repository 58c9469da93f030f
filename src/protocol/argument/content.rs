//! The parts that the program reads from an argument's content, which may be any JSON object.
//!
//! Three fields have a meaning: `text` (the statement, for people), `points` (the claims, point by point) and, in a
//! resolution, `code_change_required`. Everything else is kept and shown unchanged.

use serde_json::{Map, Value, json};

use crate::contract::Diagnostics;
use crate::contract::generous::flag;
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::debate::Point;
use crate::protocol::debate::model::USUAL_IMPORTANCE;
use crate::protocol::debate::typed::ArgumentBlock;
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::sanitize;

/// Maximum length of a text derived from a whole content, in characters.
const TEXT_CHARS: usize = 600;

const CODE_CHANGE_REQUIRED: &str = "code_change_required";

/// The fields that may contain the statement; the first one present counts.
const TEXT_FIELDS: [&str; 3] = ["text", "summary", "statement"];

/// Returns an argument's statement for people: its text, or else its content on one line.
pub fn text(content: &Map<String, Value>) -> String {
    let named = (TEXT_FIELDS.iter())
        .filter_map(|name| content.get(*name)?.as_str())
        .map(str::trim)
        .find(|text| !text.is_empty());
    match named {
        Some(text) => text.to_owned(),
        None if content.is_empty() => String::new(),
        None => sanitize::line(&Value::from(content.clone()).to_string(), TEXT_CHARS),
    }
}

/// Returns the claims, point by point: the entries of `points` that are a text or have a `claim`.
pub fn claims(content: &Map<String, Value>) -> Vec<&str> {
    let points = content.get("points").and_then(Value::as_array);
    (points.into_iter().flatten())
        .filter_map(|point| point.as_str().or_else(|| point.get("claim")?.as_str()))
        .map(str::trim)
        .filter(|claim| !claim.is_empty())
        .collect()
}

/// Returns the number of claims an argument makes: its points plus its concerns, and at least 1 for itself.
pub fn claim_count(said: &ArgumentBlock) -> usize {
    (claims(&said.content).len() + said.concerns.len()).max(1)
}

/// Returns an argument's points, with the ids that they were given; numbered `P1`, `P2`, ... in the order written if
/// they have none.
///
/// An entry without a claim is not a point; an importance that is not a number from 1 to 3 counts as 2.
pub fn points(content: &Map<String, Value>) -> Vec<Point> {
    let entries = content.get("points").and_then(Value::as_array);
    let read = |entry: &Value| -> Option<Point> {
        let claim = entry.as_str().or_else(|| entry.get("claim")?.as_str())?.trim();
        let reasoning = entry.get("reasoning").and_then(Value::as_str);
        let importance = entry.get("importance").and_then(Value::as_u64);
        let importance = importance
            .and_then(|number| u8::try_from(number).ok())
            .filter(|number| (1..=3).contains(number))
            .unwrap_or(USUAL_IMPORTANCE);
        let reasoning = reasoning.unwrap_or_default().trim().to_owned();
        let id = entry.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        (!claim.is_empty()).then(|| Point {
            id,
            keep: None,
            claim: claim.to_owned(),
            reasoning,
            evidence: Vec::new(),
            importance,
            kept_from: None,
        })
    };
    let mut points: Vec<Point> = entries.into_iter().flatten().filter_map(read).collect();
    let numbers: BTreeSet<u32> = points.iter().filter_map(|point| number_of(&point.id)).gather();
    if numbers.len() != points.len() {
        for (point, number) in points.iter_mut().zip(1_u32..) {
            point.id = format!("P{number}");
        }
    }
    points
}

/// Returns the number of a point's id: 3 for `P3`.
pub fn number_of(id: &str) -> Option<u32> {
    let number = id.strip_prefix('P')?.parse().ok()?;
    (format!("P{number}") == id).then_some(number)
}

/// The ids of points over a debate: a known one stays, a new one gets the next number.
#[derive(Debug, Clone)]
pub(crate) struct PointIds {
    known: Vec<Point>,
    next: u32,
    /// Ids given so far in this argument.
    given: BTreeSet<String>,
}

impl PointIds {
    /// Continues after the points of a debate.
    pub(crate) fn after(known: Vec<Point>) -> Self {
        let last = known.iter().filter_map(|point| number_of(&point.id)).max();
        Self { known, next: last.unwrap_or_default() + 1, given: BTreeSet::new() }
    }

    /// Returns the number of the next new point.
    pub(crate) const fn next(&self) -> u32 {
        self.next
    }

    /// Returns the ids that can be kept.
    pub(crate) fn known(&self) -> Vec<String> {
        self.known.iter().map(|point| point.id.clone()).collect()
    }

    /// Returns a known point, with what is added to it; `None` if it is unknown or was kept before.
    pub(crate) fn kept(&mut self, id: &str, add: Option<&str>) -> Option<Point> {
        let mut point = self.known.iter().find(|point| point.id == id)?.clone();
        if !self.given.insert(point.id.clone()) {
            return None;
        }
        if let Some(add) = add.map(str::trim).filter(|add| !add.is_empty()) {
            point.claim = format!("{} (add: {add})", point.claim);
        }
        Some(point)
    }

    /// Returns the id of a new point.
    pub(crate) fn fresh(&mut self) -> String {
        let id = format!("P{}", self.next);
        self.next += 1;
        self.given.insert(id.clone());
        id
    }

    /// Gives an id to each point of a content, and puts the points that it keeps in place of their references. An id that
    /// is known, or that was given in this order before, stays. Leaves out and returns the references that name no point,
    /// or one that is kept already.
    pub(crate) fn settle(&mut self, content: &mut Map<String, Value>) -> Vec<String> {
        let mut unknown = Vec::new();
        let Some(points) = content.get_mut("points").and_then(Value::as_array_mut) else {
            return unknown;
        };
        points.retain_mut(|entry| {
            if let Value::String(claim) = entry {
                *entry = json!({ "claim": claim });
            }
            let Some(map) = entry.as_object_mut() else { return true };
            let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::trim);
            if let Some(keep) = text("keep") {
                let ids = IdIndex::new(&self.known());
                let at = match ids.resolve(keep) {
                    IdMatch::Exact(at) | IdMatch::Normalised(at) => Some(at),
                    IdMatch::Unknown => None,
                };
                let id = at.and_then(|at| ids.ids().get(at));
                let kept = id.and_then(|id| self.kept(id, text("add")));
                if kept.is_none() {
                    unknown.push(keep.to_owned());
                }
                *entry = kept.as_ref().map(written).unwrap_or_default();
                return kept.is_some();
            }
            if text("claim").is_none_or(str::is_empty) {
                return true;
            }
            let id = text("id").filter(|id| self.known.iter().any(|known| known.id == *id));
            let id = match id.map(str::to_owned).filter(|id| self.given.insert(id.clone())) {
                Some(known) => known,
                None => self.fresh(),
            };
            map.shift_remove("id");
            map.shift_insert(0, "id".to_owned(), id.into());
            true
        });
        unknown
    }
}

pub(crate) fn forget_ids(content: &mut Map<String, Value>) {
    let points = content.get_mut("points").and_then(Value::as_array_mut);
    for point in points.into_iter().flatten().filter_map(Value::as_object_mut) {
        point.shift_remove("id");
    }
}

/// Replaces the points of a content.
pub fn set_points(content: &mut Map<String, Value>, points: &[Point]) {
    // `points` goes last, and the last key takes its old place: contents are shown to others, and a changed prompt
    // would be asked anew.
    content.swap_remove("points");
    content.insert("points".to_owned(), points.iter().map(written).collect());
}

fn written(point: &Point) -> Value {
    let mut value = json!({
        "id": point.id, "claim": point.claim, "importance": point.importance,
    });
    if !point.reasoning.is_empty() {
        value["reasoning"] = json!(point.reasoning);
    }
    value
}

/// Turns a textual `code_change_required` into a boolean; a text that means neither is noted and left unchanged.
pub fn read_flag(judge: &mut Diagnostics, content: &mut Map<String, Value>) {
    let key = CODE_CHANGE_REQUIRED;
    let Some(value) = content.get_mut(key).filter(|value| !value.is_boolean() && !value.is_null())
    else {
        return;
    };
    if let Some(said) = flag(value) {
        *value = Value::from(said);
        let message = format!("`{key}` was given as text and read as {said}");
        judge.note("flag_normalised", message);
    } else {
        judge.note("wrong_type", format!("`{key}` must be true or false; ignored"));
    }
}

/// Returns a resolution's `code_change_required`; `None` if it is missing or not a boolean.
pub fn code_change_required(content: &Map<String, Value>) -> Option<bool> {
    content.get(CODE_CHANGE_REQUIRED)?.as_bool()
}

#[cfg(test)]
mod tests {
    //! Contents of all kinds, and the values read from them.

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "tests give what `json!` makes")]
    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_text_is_the_first_that_is_named_or_all_there_is() {
        for (content, expected) in [
            (json!({"summary": "b", "text": " a "}), "a"),
            (json!({"text": " ", "summary": "b"}), "b"),
            (json!({"text": 1, "summary": "b"}), "b"),
            (json!({"plan": ["x"]}), r#"{"plan":["x"]}"#),
            (json!({}), ""),
        ] {
            assert_eq!(text(&object(content)), expected);
        }
        let long = text(&object(json!({"plan": "x".repeat(10_000)})));
        assert_eq!(long.chars().count(), TEXT_CHARS);
    }

    #[test]
    fn points_are_numbered_in_the_order_written_whatever_they_were_called() {
        let content = object(json!({
            "text": "Do it.",
            "points": [
                {"id": "P7", "claim": " Reads first ", "importance": 3, "reasoning": "Cheap."},
                {"id": "P1", "claim": ""},
                "Writes later",
                {"claim": "Measure", "importance": 9},
                {"importance": 1},
            ],
        }));
        let read = points(&content);
        let short: Vec<(&str, &str, u8)> =
            (read.iter()).map(|point| (&*point.id, &*point.claim, point.importance)).collect();
        assert_eq!(
            short,
            [("P1", "Reads first", 3), ("P2", "Writes later", 2), ("P3", "Measure", 2)]
        );
        assert_eq!(claims(&content), ["Reads first", "Writes later", "Measure"]);
    }

    /// Points keep their ids over a debate, whatever their authors call them.
    #[test]
    fn a_point_keeps_its_id_and_a_new_one_gets_the_next() {
        let first =
            object(json!({"points": [{"claim": "Reads"}, {"claim": "Writes", "importance": 3}]}));
        let mut known = first;
        assert!(PointIds::after(Vec::new()).settle(&mut known).is_empty());
        let known = points(&known);
        let mut content = object(json!({"points": [
            {"id": "P1", "claim": "New under an old name"},
            {"keep": "p2", "add": "for a week"},
            "Another",
            {"keep": "P2"},
            {"keep": "P9"},
            {"importance": 1},
        ]}));
        let mut ids = PointIds::after(known.clone());
        assert_eq!((ids.next(), ids.known()), (3, vec!["P1".to_owned(), "P2".to_owned()]));
        assert_eq!(ids.settle(&mut content), ["P2", "P9"]);
        let short: Vec<(String, String, u8)> = (points(&content).into_iter())
            .map(|point| (point.id, point.claim, point.importance))
            .collect();
        let row = |id: &str, claim: &str, importance| (id.to_owned(), claim.to_owned(), importance);
        assert_eq!(
            short,
            [
                row("P1", "New under an old name", 2),
                row("P2", "Writes (add: for a week)", 3),
                row("P3", "Another", 2)
            ]
        );
        // What was settled once stays as it is.
        let mut again = content.clone();
        PointIds::after(known).settle(&mut again);
        assert_eq!(points(&again), points(&content));
    }

    #[test]
    fn an_argument_claims_its_points_and_concerns_and_at_least_itself() {
        let said = |content: Value, concerns: usize| -> ArgumentBlock {
            let concerns: Vec<Value> =
                (0..concerns).map(|_| json!({"id": "x", "text": "y"})).collect();
            let value = json!({
                "type": "challenge", "content": content, "confidence_score": 0.5, "concerns": concerns,
            });
            serde_json::from_value(value).unwrap()
        };
        assert_eq!(claim_count(&said(json!({"text": "No."}), 0)), 1);
        assert_eq!(claim_count(&said(json!({"text": "No."}), 3)), 3);
        assert_eq!(claim_count(&said(json!({"points": ["a", {"claim": "b"}, 7]}), 1)), 3);
        assert_eq!(claim_count(&said(json!({"points": "a"}), 0)), 1);
    }

    #[test]
    fn only_a_plain_yes_or_no_says_whether_code_has_to_change() {
        for (content, expected) in [
            (json!({"code_change_required": true}), Some(true)),
            (json!({"code_change_required": false}), Some(false)),
            (json!({"code_change_required": "yes"}), None),
            (json!({}), None),
        ] {
            assert_eq!(code_change_required(&object(content)), expected);
        }
    }
}
