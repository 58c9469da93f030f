//! Fits JSON into a prompt: the longest texts are cut first, to one common length, each with a note.

use serde_json::Value;

/// What fitting left out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Texts that were cut.
    pub texts: usize,
    /// List entries that were left out.
    pub entries: usize,
    /// The length at which texts were cut, in characters of JSON; 0 where all fits.
    pub waterline: usize,
}

/// Renders a value in at most `room` characters by cutting its longest texts to one length.
pub fn fit_value(value: &Value, room: usize) -> (String, Cut) {
    let whole = pretty(value);
    let chars = whole.chars().count();
    if chars <= room {
        return (whole, Cut::default());
    }
    let mut costs = Vec::new();
    collect_costs(value, &mut costs);
    let frame = chars - costs.iter().sum::<usize>();
    let mut waterline = waterline(&mut costs, room.saturating_sub(frame));
    loop {
        let mut cut = Cut { waterline, ..Cut::default() };
        let mut copy = value.clone();
        shorten(&mut copy, waterline, &mut cut.texts);
        let text = pretty(&copy);
        // The note that a text was cut takes room too; near the limit one more pass is needed.
        if text.chars().count() <= room || waterline == 0 {
            return (text, cut);
        }
        waterline = waterline * 9 / 10;
    }
}

/// Renders a value as indented JSON, the form whose characters are counted.
pub fn pretty(value: &Value) -> String {
    // `Value`'s alternate form is pretty JSON and, unlike the serialiser's, has no error to handle.
    format!("{value:#}")
}

/// Returns the length at which texts must be cut so that they need at most `room` characters together, `usize::MAX` if none
/// must. `costs`: what each needs in JSON; they are sorted.
pub fn waterline(costs: &mut [usize], room: usize) -> usize {
    costs.sort_unstable();
    let mut left = room;
    for (index, &cost) in costs.iter().enumerate() {
        let share = left / (costs.len() - index);
        if cost > share {
            return share;
        }
        left -= cost;
    }
    usize::MAX
}

/// The key whose text is never cut: an id that is cut is another id.
const NEVER_CUT: &str = "opportunity_id";

/// Adds what each text within a value needs in JSON, in characters; ids are passed over, for they are never cut.
pub fn collect_costs(value: &Value, costs: &mut Vec<usize>) {
    match value {
        Value::String(text) => costs.push(escaped_chars(text)),
        Value::Array(values) => values.iter().for_each(|each| collect_costs(each, costs)),
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| *key != NEVER_CUT)
            .for_each(|(_, each)| collect_costs(each, costs)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Cuts each text within a value that needs more than `waterline` characters of JSON, and adds to `texts` how many these are.
pub fn shorten(value: &mut Value, waterline: usize, texts: &mut usize) {
    match value {
        Value::String(text) => {
            let total = escaped_chars(text);
            if total > waterline {
                *texts += 1;
                *text = cut_text(text, waterline);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|each| shorten(each, waterline, texts)),
        Value::Object(map) => map
            .iter_mut()
            .filter(|(key, _)| *key != NEVER_CUT)
            .for_each(|(_, each)| shorten(each, waterline, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Cuts a text so that it needs at most `waterline` characters in JSON, the note included where there is room for it.
fn cut_text(text: &str, waterline: usize) -> String {
    let note = format!(" [cut; {} characters in all]", text.chars().count());
    let room = waterline.checked_sub(note.len());
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|&c| {
            used += escaped_width(c);
            used <= room.unwrap_or(waterline)
        })
        .collect();
    if room.is_some() { kept + &note } else { kept }
}

fn escaped_chars(text: &str) -> usize {
    text.chars().map(escaped_width).sum()
}

/// Returns the characters that JSON needs for one character.
const fn escaped_width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}
