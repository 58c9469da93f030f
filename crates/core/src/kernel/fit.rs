//! Fits JSON into a prompt: the longest texts are cut first, to a common length, each with a note.

use serde_json::Value;

use crate::text::Note;

/// The cuts made by fitting.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct FitCuts {
    pub texts: usize,
    /// Number of list entries left out.
    pub entries: usize,
    /// The length at which texts were cut, in characters of JSON; 0 if everything fits.
    pub waterline: usize,
}

impl FitCuts {
    /// Returns the note that says what was cut, if anything was.
    pub fn note(&self) -> Option<Note> {
        let Self { texts, entries, waterline } = self;
        let mut message = format!("{texts} texts were cut to {waterline} characters for it");
        if *entries > 0 {
            message = format!("{message}, and {entries} list entries left out");
        }
        (texts + entries > 0).then(|| Note::new("shortened_for_prompt", message))
    }
}

/// Renders a value in at most `room` characters by cutting its longest texts to one length.
pub fn fit_value(value: &Value, room: usize) -> (String, FitCuts) {
    let mut copy = value.clone();
    let cut = fit(&mut copy, room);
    (pretty(&copy), cut)
}

/// Cuts the longest texts of a value to one length, so that it is rendered in at most `room` characters.
pub fn fit(value: &mut Value, room: usize) -> FitCuts {
    let mut costs = Vec::new();
    collect_costs(value, &mut costs);
    let frame = pretty(value).chars().count() - costs.iter().sum::<usize>();
    let waterline = waterline(&mut costs, room.saturating_sub(frame));
    // Everything fits, or nothing can be cut.
    if waterline == usize::MAX {
        return FitCuts::default();
    }
    let mut cut = FitCuts { waterline, ..FitCuts::default() };
    shorten(value, waterline, &mut cut.texts);
    cut
}

/// Leaves out the fields of an object that are null.
pub fn without_nulls(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

/// Renders a value as indented JSON, the form whose characters are counted.
fn pretty(value: &Value) -> String {
    // `Value`'s alternate form is pretty JSON and, unlike the serialiser's, has no error to handle.
    format!("{value:#}")
}

/// Returns the length at which texts must be cut to need at most `room` characters together, `usize::MAX` if none
/// must be. `costs`: the length of each in JSON; sorted in place.
fn waterline(costs: &mut [usize], room: usize) -> usize {
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

/// The key whose text is never cut: a shortened id would be a different id.
const NEVER_CUT: &str = "opportunity_id";

/// Collects the length in JSON of each text within a value, in characters; ids are skipped, as they are never
/// cut.
fn collect_costs(value: &Value, costs: &mut Vec<usize>) {
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

/// Cuts each text within a value that needs more than `waterline` characters of JSON, and adds their number to `texts`.
fn shorten(value: &mut Value, waterline: usize, texts: &mut usize) {
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

/// Cuts a text to at most `waterline` characters in JSON, including the note if there is room for it.
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

/// Returns the number of characters that JSON needs for one character.
const fn escaped_width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_fits_is_left_as_it_is() {
        let value = json!({ "a": ["one", 2, null, true] });
        let whole = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(pretty(&value), whole);
        assert_eq!(fit_value(&value, whole.chars().count()), (whole, FitCuts::default()));
    }

    #[test]
    fn one_character_too_few_cuts_only_the_longest_texts() {
        let value = json!({ "long": "x".repeat(200), "short": "s".repeat(20), "n": 12_345 });
        let room = pretty(&value).chars().count() - 1;
        let (text, cut) = fit_value(&value, room);
        assert_eq!((cut.texts, cut.entries, cut.waterline), (1, 0, 199));
        let read: Value = serde_json::from_str(&text).unwrap();
        let note = " [cut; 200 characters in all]";
        assert_eq!(read["long"], format!("{}{note}", "x".repeat(199 - note.len())));
        assert_eq!((&read["short"], &read["n"]), (&value["short"], &value["n"]));
        assert_eq!(text.chars().count(), room);
    }

    #[test]
    fn long_texts_are_cut_to_one_length_and_what_short_ones_leave_is_theirs() {
        for (costs, room, expected) in [
            (&mut [30, 10, 20][..], 60, usize::MAX),
            (&mut [30, 10, 20], 59, 29),
            (&mut [30, 10, 20], 40, 15),
            (&mut [30, 10, 20], 30, 10),
            (&mut [30, 10, 20], 29, 9),
            (&mut [30, 10, 20], 0, 0),
            (&mut [], 0, usize::MAX),
        ] {
            assert_eq!(waterline(costs, room), expected, "{room}");
        }
    }

    #[test]
    fn a_text_needs_in_json_what_it_is_escaped_to_and_an_id_is_passed_over() {
        for text in ["plain", "\"quoted\" \\ \n\r\t\u{8}\u{c}", "\0\u{1}\u{1f}", "ä\u{7f}\u{2028}"]
        {
            let mut costs = Vec::new();
            collect_costs(&json!({ "of": [text, 1], "opportunity_id": "opp-1" }), &mut costs);
            let written = serde_json::to_string(text).unwrap().chars().count() - 2;
            assert_eq!(costs, [written], "{text:?}");
        }
    }

    #[test]
    fn only_texts_above_the_length_are_cut_and_never_an_id() {
        let mut value = json!({
            "opportunity_id": "an-id-that-is-longer-than-the-length",
            "texts": ["123456", "12345", "\n\n\n"],
        });
        let mut texts = 0;
        shorten(&mut value, 5, &mut texts);
        assert_eq!(
            value,
            json!({
                "opportunity_id": "an-id-that-is-longer-than-the-length",
                "texts": ["12345", "12345", "\n\n"],
            })
        );
        assert_eq!(texts, 2);
    }

    #[test]
    fn the_note_of_a_cut_stands_where_there_is_room_for_it() {
        let text = "x".repeat(99);
        let note = " [cut; 99 characters in all]";
        for (length, kept) in [(note.len() - 1, note.len() - 1), (note.len(), 0), (40, 12)] {
            let mut value = json!(text);
            shorten(&mut value, length, &mut 0);
            let note = if length < note.len() { "" } else { note };
            assert_eq!(value, format!("{}{note}", "x".repeat(kept)), "{length}");
        }
    }

    #[test]
    fn where_nothing_fits_the_frame_alone_is_left() {
        let (text, cut) = fit_value(&json!({ "a": "one", "b": "two" }), 3);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!({ "a": "", "b": "" }));
        assert_eq!(cut, FitCuts { texts: 2, entries: 0, waterline: 0 });
    }

    #[test]
    fn what_has_no_text_to_cut_is_left_whole() {
        for value in [json!([]), json!([1, true, ""]), json!({ "opportunity_id": "opp-1" })] {
            assert_eq!(fit_value(&value, 0), (pretty(&value), FitCuts::default()));
        }
    }

    proptest! {
        #[test]
        fn texts_are_cut_until_all_fits_or_none_is_left(
            texts in proptest::collection::vec("(?s).{1,80}", 1..6),
            room in 0..400_usize,
        ) {
            let value = json!(texts);
            let (text, cut) = fit_value(&value, room);
            prop_assert!(text.chars().count() <= room || cut.waterline == 0, "{text}");
            prop_assert_eq!(cut.texts == 0, text == pretty(&value));
        }
    }
}
