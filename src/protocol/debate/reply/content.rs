//! The rules for positions, stances and judgements.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::contract::{
    ID_CHARS, LINE_CHARS, MAX_ENTRIES, MAX_POINTS, REASON_CHARS, TEXT_CHARS, USUAL_IMPORTANCE,
};
use super::super::model::{Judgement, Point, Position, Ruling, Stance, StanceSaid, Stances};
use crate::contract::{Fields, Judge, some_of};
use crate::kernel::Chance;
use crate::text::sanitize;

/// What agents write where a field is to be empty.
const NOTHING: [&str; 8] = ["", "-", "—", "none", "n/a", "no", "nothing", "no amendment"];

/// What "agree, but" begins with, in lower case and without commas.
const BUT: [&str; 8] = [
    "agree but ",
    "agreed but ",
    "i agree but ",
    "we agree but ",
    "yes but ",
    "agree except ",
    "agree with the exception ",
    "agree only if ",
];

/// Judges the content of a `POSITION` block. Its points are numbered `P1`, `P2`, ... in the order written.
pub(in crate::protocol) fn position(
    judge: &mut Judge,
    mut map: Map<String, Value>,
) -> Option<Position> {
    let entries = judge.list(&mut map, "points")?;
    let given = entries.len();
    if given == 0 {
        judge.problem("no_points", "a position has at least one point".to_owned());
        return None;
    }
    if given > MAX_POINTS {
        let message = format!("the position has {given} points and may have {MAX_POINTS}");
        judge.problem("too_many", message);
        return None;
    }
    let (read, _) = judge.entries("point", entries, point);
    let points = numbered(judge, read);
    let position = judge.whole("the position", map, |fields| Position {
        summary: fields.needed("summary", TEXT_CHARS),
        points,
        concedes: fields.lines("concedes", LINE_CHARS),
        risks: fields.lines("risks", LINE_CHARS),
        confidence: Some(fields.share("confidence")),
        code_change_required: fields.flag("code_change_required"),
    });
    (!position.points.is_empty()).then_some(position)
}

/// Reads a point; its id is the author's until all are read.
fn point(fields: &mut Fields<'_>) -> Point {
    let id = match fields.take("id") {
        Some(Value::String(id)) => sanitize::line(&id, ID_CHARS),
        Some(_) | None => String::new(),
    };
    let importance = importance(fields);
    Point {
        id,
        claim: fields.needed("claim", REASON_CHARS),
        reasoning: fields.words("reasoning", TEXT_CHARS),
        evidence: fields.lines("evidence", LINE_CHARS),
        importance,
    }
}

fn importance(fields: &mut Fields<'_>) -> u8 {
    let Some(value) = fields.take("importance") else {
        let message = format!("`importance` is not given; taken for {USUAL_IMPORTANCE}");
        fields.note("missing_field", &message);
        return USUAL_IMPORTANCE;
    };
    let number = value.as_u64().and_then(|number| u8::try_from(number).ok());
    if let Some(number @ 1..=3) = number {
        return number;
    }
    let message = format!("`importance` must be 1, 2 or 3; taken for {USUAL_IMPORTANCE} otherwise");
    fields.lenient("out_of_range", &message);
    USUAL_IMPORTANCE
}

/// Gives points our ids. A claim that is made twice counts once: said again, it would weigh twice.
fn numbered(judge: &mut Judge, read: Vec<Point>) -> Vec<Point> {
    let mut seen = BTreeSet::new();
    let mut points = Vec::with_capacity(read.len());
    let mut renamed = Vec::new();
    for mut point in read {
        let words: Vec<&str> = point.claim.split_whitespace().collect();
        if !seen.insert(words.join(" ").to_lowercase()) {
            let claim = sanitize::line(&point.claim, 60);
            judge.note("duplicate_claim", format!("`{claim}` is claimed twice; it counts once"));
            continue;
        }
        let id = format!("P{}", points.len() + 1);
        if point.id != id {
            renamed.push(id.clone());
        }
        point.id = id;
        points.push(point);
    }
    if !renamed.is_empty() {
        let names: Vec<&str> = renamed.iter().map(String::as_str).collect();
        let message = format!("points were numbered anew: {}", some_of(&names));
        judge.note("renumbered", message);
    }
    points
}

/// Judges the content of a `STANCES` block, about the ids that were shown.
pub(in crate::protocol) fn stances(
    judge: &mut Judge,
    mut map: Map<String, Value>,
) -> Option<Stances> {
    let entries = bounded(judge, &mut map, "stances")?;
    let (given, _) = judge.entries("stance", entries, stance);
    let kept = judge.sorted("stance", given, |said| &mut said.point);
    let missing = judge.without(|at| kept.contains_key(&at));
    let names: Vec<&str> = missing.iter().map(String::as_str).collect();
    if kept.is_empty() && !missing.is_empty() {
        let message = format!("give a stance on each of {}", some_of(&names));
        judge.problem("no_stances", message);
    } else if !missing.is_empty() {
        let message =
            format!("no stance on {}; a point without one counts as `disagree`", some_of(&names));
        judge.lenient("missing_ids", message);
    }
    Some(Stances {
        stances: kept.into_values().collect(),
        missing: judge.whole("the stances", map, |fields| fields.lines("missing", LINE_CHARS)),
    })
}

fn stance(fields: &mut Fields<'_>) -> StanceSaid {
    // A fault leaves the entry out, so that what stands for a missing word never counts.
    let stance = fields
        .word("stance", &Stance::ALL.map(|stance| (stance.name(), stance)))
        .unwrap_or(Stance::Disagree);
    let reason = fields.needed("reason", REASON_CHARS);
    let amendment = fields.words("amendment", REASON_CHARS);
    let amendment = (!NOTHING.contains(&&*plain(&amendment))).then_some(amendment);
    let said = StanceSaid { point: fields.line("point", ID_CHARS), stance, reason, amendment };
    qualified(fields, said)
}

/// Makes "agree" with an amendment, and "agree, but", what it is: `partly`.
fn qualified(fields: &mut Fields<'_>, mut said: StanceSaid) -> StanceSaid {
    if said.stance != Stance::Agree {
        return said;
    }
    let but = if said.amendment.is_some() {
        "`agree` with an amendment"
    } else if says_but(&said.reason) {
        "\"agree, but\""
    } else {
        return said;
    };
    fields.note("agree_but", &format!("{but} counts as `partly`"));
    said.stance = Stance::Partly;
    said
}

/// Whether a reason takes its agreement back in its first words.
fn says_but(reason: &str) -> bool {
    let plain = plain(reason);
    BUT.iter().any(|words| plain.starts_with(words))
}

/// Lower case, single spaces, without the punctuation that stands around words.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace([',', ';', ':', '.', '…', '"', '\''], " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Judges the content of a `JUDGEMENT` block: a ruling on each id that was shown.
pub(in crate::protocol) fn judgement(
    judge: &mut Judge,
    mut map: Map<String, Value>,
) -> Option<Judgement> {
    let entries = bounded(judge, &mut map, "points")?;
    let (given, _) = judge.entries("ruling", entries, |fields| Ruling {
        id: fields.line("id", ID_CHARS),
        ruling: fields.needed("ruling", TEXT_CHARS),
        reason: fields.needed("reason", REASON_CHARS),
    });
    let kept = judge.sorted("ruling", given, |ruling| &mut ruling.id);
    let missing = judge.without(|at| kept.contains_key(&at));
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(String::as_str).collect();
        // Who leaves a point open has not ruled, not even on the last chance.
        judge.problem("missing_ids", format!("no ruling on {}", some_of(&names)));
    }
    let points = kept.into_values().collect();
    Some(judge.whole("the judgement", map, |fields| Judgement {
        points,
        position: fields.needed("position", TEXT_CHARS),
        confidence: fields.share("confidence"),
        code_change_required: fields.flag("code_change_required"),
    }))
}

/// Takes a list of entries about ids.
fn bounded(judge: &mut Judge, map: &mut Map<String, Value>, key: &str) -> Option<Vec<Value>> {
    let mut entries = judge.list(map, key)?;
    if entries.len() > MAX_ENTRIES {
        let given = entries.len();
        let message = format!("`{key}` has {given} entries; the first {MAX_ENTRIES} count");
        match judge.chance {
            Chance::First => judge.problem("too_many", message),
            Chance::Last => judge.note("too_many", message),
        }
        entries.truncate(MAX_ENTRIES);
    }
    Some(entries)
}
