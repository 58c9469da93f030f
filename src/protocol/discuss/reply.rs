//! Judges one reply: block, types, rating, levels, entries (`robustness.md` section 4).
//!
//! A critique needs a rating, and only one that stands there: a whole number from 1 to 5, which may be written as `4.0`, `"4"` or
//! `"4/5"` and is then noted. Everything else is a problem on any chance: a rating is never clamped, never taken for the middle,
//! never invented. The same holds for what weighs heaviest where it is there at all: a risk level that is none of the four and an
//! entry of `missing_requirements` that cannot be read fail the seat, because leaving them out would read as "no danger". What a
//! perspective owes (a risk level, what is covered) must be there.
//!
//! Entries of the other lists are problems while a re-ask can mend them, and then left out with a warning; a list of nothing but
//! such entries is none. An entry that says that there is nothing (`none`, `N/A`) is no point: `[]` says so.

use serde_json::{Map, Value};

use super::contract::{self, CRITIQUE, ENTRY_CHARS, MAX_ENTRIES};
use super::input::Perspective;
use super::model::{Critique, RiskLevel};
use crate::contract::template as shared;
use crate::contract::{Fields, Judge, Reading, Terms as Shown, some_of};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::text::block::BlockLimits;
use crate::text::sanitize;

/// Everything that a critique may hold.
const KEYS: [&str; 8] =
    ["strengths", "weaknesses", "suggestions", "rating", "risk_level", RISKS, COVERED, MISSING];
const RISKS: &str = "risks";
const COVERED: &str = "covered";
const MISSING: &str = "missing_requirements";

impl Critique {
    /// Writes the critique as its block; [`parse`] reads the same critique back.
    pub fn render(&self) -> String {
        // A structure of texts and numbers always has a JSON form.
        let body = serde_json::to_string(self).unwrap_or_default();
        shared::block(CRITIQUE, &body)
    }
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// What a block may be at most.
    pub limits: BlockLimits,
}

/// Judges the reply of a perspective.
///
/// # Errors
///
/// All problems at once: with [`Chance::First`] one re-ask may mend them, with [`Chance::Last`] the seat fails.
pub fn parse(
    perspective: &Perspective,
    reply: &RawReply,
    chance: Chance,
    terms: Terms,
) -> Result<Reply<Critique>, Defect> {
    let shown = Shown { shown: &[], chance, strict: terms.strict, limits: terms.limits };
    let template = contract::template(perspective);
    let mut reading = Reading::open(reply, &[contract::want()], &[&template], shown)?;
    let said = reading.object(CRITIQUE, |judge, map| critique(judge, perspective, map));
    let (said, notes) = reading.close(said)?;
    Ok(Reply { said, notes })
}

/// Judges the content of a `CRITIQUE` block. Everything is looked at before anything ends it, so that one re-ask can mend it all.
fn critique(
    judge: &mut Judge,
    perspective: &Perspective,
    map: Map<String, Value>,
) -> Option<Critique> {
    let mut map = by_our_keys(judge, map);
    let [strengths, weaknesses, suggestions, risks, covered, missing_requirements] = [
        ("strengths", true),
        ("weaknesses", true),
        ("suggestions", true),
        (RISKS, perspective.rates_risk),
        (COVERED, perspective.needs_context),
        (MISSING, perspective.needs_context),
    ]
    .map(|(key, owed)| points(judge, &mut map, key, owed));
    let (rating, risk_level) = judge.whole("the critique", map, |fields| {
        (rating(fields), risk_level(fields, perspective.rates_risk))
    });
    Some(Critique {
        strengths,
        weaknesses,
        suggestions,
        rating: rating?,
        risk_level,
        risks,
        covered,
        missing_requirements,
    })
}

/// Returns the fields under the names that they have here. A name in another writing (`riskLevel`) means the same: left
/// unread, what it holds would vanish.
fn by_our_keys(judge: &mut Judge, map: Map<String, Value>) -> Map<String, Value> {
    let plain = |key: &str| -> String {
        let kept = key.chars().filter(char::is_ascii_alphanumeric);
        kept.map(|c| c.to_ascii_lowercase()).collect()
    };
    let mut ours = Map::new();
    for (key, value) in map {
        let wanted = plain(&key);
        let Some(known) = KEYS.into_iter().find(|known| plain(known) == wanted) else {
            continue;
        };
        let written = sanitize::line(&key, 40);
        if ours.insert(known.to_owned(), value).is_some() {
            let message = format!("`{known}` is given twice, once as `{written}`; give it once");
            judge.problem("conflicting_entries", message);
        } else if key != known {
            let message = format!("`{written}` was read as `{known}`");
            judge.note("key_normalised", message);
        }
    }
    ours
}

/// Reads a list of points. `owed`: it must be there.
fn points(judge: &mut Judge, map: &mut Map<String, Value>, key: &str, owed: bool) -> Vec<String> {
    let entries = if owed { judge.list(map, key) } else { judge.optional_list(map, key) };
    let given = entries.as_ref().map_or(0, Vec::len);
    if given > MAX_ENTRIES {
        let message = format!("`{key}` has {given} entries; the first {MAX_ENTRIES} count");
        judge.note("too_many", message);
    }
    let mut taken = Vec::new();
    let mut faulty = Vec::new();
    let mut shortened = Vec::new();
    for (index, entry) in (1..).zip(entries.into_iter().flatten().take(MAX_ENTRIES)) {
        match point(&entry) {
            Err(why) => faulty.push(format!("{index} ({why})")),
            Ok((text, whole)) => {
                if !whole {
                    shortened.push(index.to_string());
                }
                taken.push(text);
            }
        }
    }
    if !shortened.is_empty() {
        let message = format!(
            "`{key}` has entries of more than {ENTRY_CHARS} characters, which were cut: {}",
            named(&shortened)
        );
        judge.note("shortened", message);
    }
    if faulty.is_empty() {
        return taken;
    }
    let which = named(&faulty);
    if taken.is_empty() {
        let message = format!(
            "none of the entries of `{key}` is a point: {which}; each must be a text that says something, and `[]` says that there is nothing"
        );
        judge.problem("no_valid_entry", message);
    } else if key == MISSING || judge.chance == Chance::First {
        let message = format!(
            "entries of `{key}` are no points: {which}; each must be a text that says something"
        );
        judge.problem("wrong_type", message);
    } else {
        let message = format!("entries of `{key}` are no points and were left out: {which}");
        judge.note("entry_left_out", message);
    }
    taken
}

fn named(entries: &[String]) -> String {
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    some_of(&entries)
}

/// Returns a point as one line, and whether it is whole; or what it is instead.
fn point(entry: &Value) -> Result<(String, bool), String> {
    let text = match entry {
        Value::String(text) => text,
        Value::Null => return Err("null".to_owned()),
        Value::Bool(_) => return Err("true or false".to_owned()),
        Value::Number(_) => return Err("a number".to_owned()),
        Value::Array(_) => return Err("a list".to_owned()),
        Value::Object(_) => return Err("an object".to_owned()),
    };
    let clean = sanitize::terminal(text);
    let words: Vec<&str> = clean.split_whitespace().collect();
    let line = words.join(" ");
    if says_nothing(&line) {
        return Err(if line.is_empty() { "empty".to_owned() } else { format!("`{line}`") });
    }
    Ok(match line.char_indices().nth(ENTRY_CHARS) {
        None => (line, true),
        Some(_) => (line.chars().take(ENTRY_CHARS - 1).chain(['…']).collect(), false),
    })
}

/// Whether an entry only says that there is none.
fn says_nothing(line: &str) -> bool {
    let plain = line.trim_end_matches(['.', '!']).to_lowercase();
    ["", "-", "—", "…", "n/a", "na", "nil", "no", "none", "nothing", "null"].contains(&&*plain)
}

/// Takes the rating that stands there, or none.
fn rating(fields: &mut Fields<'_>) -> Option<u8> {
    let Some(written) = fields.take("rating") else {
        fields.fault("missing_field", "`rating` must be a whole number from 1 to 5");
        return None;
    };
    let (read, shown) = match &written {
        Value::Number(number) => {
            let text = number.to_string();
            (digit(text.strip_suffix(".0").unwrap_or(&text)), text)
        }
        Value::String(text) => (worded(text), format!("\"{}\"", sanitize::line(text, 40))),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            (None, "no number".to_owned())
        }
    };
    let Some(rating) = read else {
        fields.fault(
            "out_of_range",
            &format!("`rating` must be a whole number from 1 to 5, not {shown}"),
        );
        return None;
    };
    if shown != rating.to_string() {
        fields.note("rating_normalised", &format!("`rating` {shown} was read as {rating}"));
    }
    Some(rating)
}

/// Reads a rating in words: `4`, `4/5`.
fn worded(text: &str) -> Option<u8> {
    let text = text.trim();
    match text.split_once('/') {
        None => digit(text),
        Some((rating, of)) if of.trim() == "5" => digit(rating.trim()),
        Some(_) => None,
    }
}

fn digit(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [digit @ b'1'..=b'5'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Takes the risk level, if it is owed or there. One that is none of the four is a fault: it must not vanish.
fn risk_level(fields: &mut Fields<'_>, owed: bool) -> Option<RiskLevel> {
    let words = RiskLevel::ALL.map(|level| (level.name(), level));
    if fields.take("risk_level").is_some() {
        return fields.word("risk_level", &words);
    }
    if owed {
        let names = words.map(|(name, _)| name).join(", ");
        let message = format!("`risk_level` must be one of {names}");
        fields.fault("missing_field", &message);
    }
    None
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
