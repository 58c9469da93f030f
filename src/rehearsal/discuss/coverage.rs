//! Searches the artifact for the words of each requirement of the context.

use serde_json::Value;

use super::sheet::ArtifactText;
use super::{ENTRIES, Notes, SHORT, counted, marked};
use crate::text::sanitize;
use crate::text::similarity::{Keywords, keywords};

/// Maximum texts of the context that count as requirements, so that each has an entry of its own in the answer.
const REQUIREMENTS: usize = 50;

/// Keys of the context whose texts are not requirements.
const NO_REQUIREMENT: [&str; 10] = [
    "id",
    "session_id",
    "phase",
    "date",
    "time",
    "created_at",
    "updated_at",
    "version",
    "status",
    "priority",
];

/// Names requirements that are met, requirements that are missing, and headings that nothing in the context asks for.
pub(super) fn compare(sheet: &ArtifactText<'_>, context: &str, notes: &mut Notes) {
    requirements(sheet, context, notes);
    let wanted = keywords([context]);
    let unasked: Vec<String> = (sheet.headings())
        .filter(|heading| {
            let words = keywords([heading.quote().as_str()]);
            !words.is_empty() && words.is_disjoint(&wanted)
        })
        .map(super::sheet::Line::shown)
        .collect();
    if let Some(first) = unasked.first() {
        let text = format!(
            "Nothing in the context asks for {}, the first is {first}",
            counted(unasked.len(), "heading")
        );
        let points = usize::from(unasked.len() > ENTRIES);
        notes.fault(points, &text, "Say whose wish each of these sections is, or take it out.");
    }
    let (met, missing) = (notes.said.covered.len(), notes.said.missing_requirements.len());
    let all = met + missing;
    if missing == 0 && all > 0 {
        notes
            .praise(&format!("Of {} in the context none is missing.", counted(all, "requirement")));
    }
    // Each quarter of the requirements that is missing costs a point, and a missing one costs two points at least.
    notes.lost += match missing {
        0 => 0,
        _ => (missing * 4).div_ceil(all.max(1)).max(2),
    };
}

/// Records each requirement as met if at least half of its words occur in the artifact, else as missing.
pub(super) fn requirements(sheet: &ArtifactText<'_>, context: &str, notes: &mut Notes) {
    let Ok(context) = serde_json::from_str(context) else {
        notes.fault(3, "The context is no JSON that could be read.", "Write the context as JSON.");
        return;
    };
    let mut wanted = Vec::new();
    collect(&context, None, &mut wanted);
    if wanted.is_empty() {
        notes.fault(
            1,
            "The context asks for nothing that has words.",
            "Write each requirement into the context.",
        );
    }
    let there = keywords(sheet.texts());
    for (shown, words) in wanted {
        let absent: Vec<&str> = words.difference(&there).map(String::as_str).collect();
        if 2 * absent.len() <= words.len() {
            notes.said.covered.push(marked(&shown));
        } else {
            let absent = sanitize::line(&absent.join(", "), SHORT);
            let text = format!("{shown}; nowhere in the artifact: {absent}");
            notes.said.missing_requirements.push(marked(&text));
        }
    }
}

/// Collects the texts of a context with their words, in order. `id` is that of the enclosing object.
fn collect(value: &Value, id: Option<&str>, wanted: &mut Vec<(String, Keywords)>) {
    match value {
        Value::String(text) => {
            let words = keywords([text.as_str()]);
            if wanted.len() < REQUIREMENTS && !words.is_empty() {
                let text = sanitize::line(text, 2 * SHORT);
                let shown = match id {
                    Some(id) => format!("{}: {text}", sanitize::line(id, SHORT)),
                    None => text,
                };
                wanted.push((shown, words));
            }
        }
        // The parser rejects nesting deeper than 128 levels.
        Value::Array(items) => items.iter().for_each(|item| collect(item, id, wanted)),
        Value::Object(map) => {
            let id = map.get("id").and_then(Value::as_str).or(id);
            let asks = map.iter().filter(|(key, _)| !NO_REQUIREMENT.contains(&key.as_str()));
            asks.for_each(|(_, item)| collect(item, id, wanted));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
