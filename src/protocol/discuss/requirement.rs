//! Which missing requirements are gaps: those that the context has.
//!
//! A gap sends an artifact back by itself, so it must be a requirement that somebody wrote down. An entry of
//! `missing_requirements` begins with the requirement's id or its words, which are looked up in the context:
//!
//! | an entry | is |
//! |---|---|
//! | of a perspective that does not check against the context, or without a context | a weakness |
//! | that has an id of the context among its first words | a gap |
//! | that begins with quoted words of the context, or has them right after an id | a gap |
//! | that begins with a text of the context, or with so many of its words that it is no chance | a gap |
//! | of any other kind | a weakness |
//!
//! Nothing is lost: what is no gap stays in the critique as a weakness, with a note. Upper and lower case, white space
//! and the kind of quotation marks make no difference.

use std::collections::BTreeSet;

use serde_json::Value;

use super::model::Critique;
use crate::contract::some_of;
use crate::text::{Note, folded};

/// Number of first words among which an id is looked for: "Requirement REQ-7", "REQ-7:".
const ID_WORDS: usize = 3;

/// Maximum characters of an entry before its quotation.
const BEFORE_QUOTE: usize = 40;

/// Minimum number of letters of quoted words, unless they are a whole text of the context.
const QUOTE_LETTERS: usize = 4;

/// Minimum number of letters of a clause without quotation marks, unless it is a whole text of the context.
const CLAUSE_LETTERS: usize = 12;

/// Minimum number of letters of words that are no clause: "The system must" is in every context.
const PLAIN_LETTERS: usize = 24;

/// Pairs of quotation marks.
const QUOTES: [(char, char); 8] = [
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{201e}', '\u{201c}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{300c}', '\u{300d}'),
];

/// A context, prepared for looking up its requirements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Requirements {
    texts: BTreeSet<String>,
    ids: BTreeSet<String>,
}

impl Requirements {
    /// Prepares a context. One that is not JSON is a single text.
    pub(super) fn of(context: &str) -> Self {
        let mut known = Self::default();
        match serde_json::from_str(context) {
            Ok(value) => known.collect(&value, false),
            Err(_) => known.text(context),
        }
        known
    }

    /// Collects texts and ids. `names` says whether the value is that of a key for ids.
    fn collect(&mut self, value: &Value, names: bool) {
        match value {
            Value::String(text) => {
                self.text(text);
                if names {
                    self.ids.insert(folded(text));
                }
            }
            Value::Number(number) if names => {
                self.ids.insert(number.to_string());
            }
            // The parser rejects nesting deeper than 128 levels.
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, names)),
            Value::Object(map) => {
                for (key, item) in map {
                    self.text(key);
                    let key = key.to_lowercase();
                    self.collect(item, key == "id" || key.ends_with("_id") || key == "key");
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        let text = folded(text);
        self.ids.extend(text.split(' ').map(bare).filter(|word| is_id(word)).map(str::to_owned));
        let whole = bare(&text);
        if !whole.is_empty() {
            self.texts.insert(whole.to_owned());
        }
    }

    pub(super) fn named_by(&self, entry: &str) -> bool {
        let entry = folded(entry);
        let mut first = entry.split(' ').take(ID_WORDS).map(bare);
        first.any(|word| self.ids.contains(word))
            || quotations(&entry).next().is_some_and(|(at, words)| {
                entry[..at].chars().count() < BEFORE_QUOTE && self.quoted(words)
            })
            || self.plain(&entry)
    }

    /// Whether the context has words in quotation marks; what an ellipsis leaves out may be anything.
    fn quoted(&self, words: &str) -> bool {
        let parts: Vec<&str> = (words.split('\u{2026}').flat_map(|part| part.split("...")))
            .map(bare)
            .filter(|part| !part.is_empty())
            .collect();
        !parts.is_empty() && parts.iter().all(|part| self.has(part, QUOTE_LETTERS))
    }

    /// Whether an entry begins with words of the context, without quotation marks.
    fn plain(&self, entry: &str) -> bool {
        let ends = entry.char_indices().filter(|(_, c)| !c.is_alphanumeric()).map(|(at, _)| at);
        let heads = || ends.clone().chain([entry.len()]).map(|end| bare(&entry[..end]));
        let clause = entry.trim_start_matches(|c: char| !c.is_alphanumeric());
        let clause = clause.split(|c: char| !c.is_alphanumeric() && !" '\u{2019}-/_".contains(c));
        heads().any(|head| self.texts.contains(head))
            || clause.take(1).any(|clause| self.has(bare(clause), CLAUSE_LETTERS))
            // The shortest is in the context wherever a longer one is.
            || heads().find(|head| letters(head) >= PLAIN_LETTERS).is_some_and(|head| self.has(head, PLAIN_LETTERS))
    }

    /// Whether `words` are a text of the context, or a part of one that has enough letters.
    fn has(&self, words: &str, least: usize) -> bool {
        self.texts.contains(words)
            || letters(words) >= least
                && self.texts.iter().any(|text| places(text, words).next().is_some())
    }
}

/// Turns what is no gap into weaknesses, and returns the notes on it. `known`: the context's requirements, where the
/// perspective checks against a context.
pub(super) fn settle(said: &mut Critique, known: Option<&Requirements>) -> Vec<Note> {
    let entries = std::mem::take(&mut said.missing_requirements);
    let mut moved = Vec::new();
    for (number, entry) in (1..).zip(entries) {
        if known.is_some_and(|known| known.named_by(&entry)) {
            said.missing_requirements.push(entry);
        } else {
            moved.push(format!("{number}"));
            said.weaknesses.push(entry);
        }
    }
    if moved.is_empty() {
        return Vec::new();
    }
    let which: Vec<&str> = moved.iter().map(String::as_str).collect();
    let which = some_of(&which);
    let why = match known {
        Some(_) => "name no requirement that the context has",
        None => "come from a perspective that does not check against a context",
    };
    let message = format!(
        "entries of `missing_requirements` {why}; they count as weaknesses, not as gaps: {which}"
    );
    vec![Note::new("not_required", message)]
}

/// Returns where a text has words that begin and end at its own words. Words of scripts without spaces may begin and
/// end anywhere.
pub(super) fn places<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    let splits = |c: Option<char>| !c.is_some_and(|c| c.is_lowercase() || c.is_numeric());
    let found = text.match_indices(words).map(|(at, _)| at);
    found.filter(move |at| {
        splits(text[..*at].chars().next_back()) && splits(text[at + words.len()..].chars().next())
    })
}

/// Returns what stands in quotation marks, with the place of the opening one.
pub(super) fn quotations(entry: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let (start, (open, close)) = entry[from..].char_indices().find_map(|(at, c)| {
                let before = entry[..from + at].chars().next_back();
                let pair = *QUOTES.iter().find(|(open, _)| *open == c)?;
                // An apostrophe within a word opens nothing.
                let within = pair.0 == pair.1 && before.is_some_and(char::is_alphanumeric);
                (!within).then_some((from + at, pair))
            })?;
            from = start + open.len_utf8();
            let rest = &entry[from..];
            // Nor does it close anything.
            let closes = |(end, _): &(usize, &str)| {
                let next = rest[end + close.len_utf8()..].chars().next();
                !next.is_some_and(char::is_alphanumeric)
            };
            if let Some((end, _)) = rest.match_indices(close).find(closes) {
                from += end + close.len_utf8();
                return Some((start, &rest[..end]));
            }
        }
    })
}

fn letters(words: &str) -> usize {
    words.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Returns words without the punctuation around them.
pub(super) fn bare(words: &str) -> &str {
    words.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a word looks like an id: letters and digits together (`req-7`, `fr12`).
fn is_id(word: &str) -> bool {
    word.contains(|c: char| c.is_numeric()) && word.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    //! Which entries name a requirement, and what becomes of the others.

    use super::*;

    const CONTEXT: &str = r#"{"session_id": "s-1", "requirements": [
        {"id": "REQ-7", "text": "Data stays in the EU, backups included"},
        {"id": 12, "text": "Dark mode"},
        "Orders can be returned within\n30 days",
        "Gl\u00e4ubiger sehen \"offene Posten\""
    ], "FR_3": "Export as CSV", "lang": "\u6ce8\u6587\u53ef\u4ee5\u9000\u56de"}"#;

    #[test]
    fn an_entry_names_a_requirement_by_its_id_or_its_words() {
        let known = Requirements::of(CONTEXT);
        for (entry, named) in [
            ("REQ-7 'data stays in the EU': 'Hosting' names us-east-1.", true),
            ("REQ-7: no region is named", true),
            ("(req-7) no region", true),
            ("Requirement REQ-7 is not met", true),
            ("12: no dark theme", true),
            ("FR_3: no export", true),
            // Words in quotation marks of any kind, whole or with an ellipsis.
            ("'Data stays in the EU': 'Hosting' names us-east-1.", true),
            ("\u{201c}orders can be returned within 30 days\u{201d}: not there", true),
            ("\u{ab}backups included\u{bb}", true),
            ("\"Data stays ... backups included\": no", true),
            ("R9 'Dark mode': no", true),
            ("'dark': only light", true),
            ("\"offene Posten\" fehlen", true),
            ("\u{300c}\u{6ce8}\u{6587}\u{53ef}\u{4ee5}\u{9000}\u{56de}\u{300d}", true),
            // Words without quotation marks.
            ("Orders can be returned: nowhere in the artifact", true),
            ("Dark mode", true),
            ("Dark mode: there is only one theme", true),
            // Not in the context.
            ("REQ-8: audit log", false),
            ("Accessibility is not mentioned.", false),
            ("'Accessibility': nothing is said about it.", false),
            ("\"Data stays in the US\"", false),
            ("\"Data stays ... in Norway\"", false),
            // Quoted is the artifact, far behind the beginning.
            ("The text says nothing at all about the subject of 'dark mode'.", false),
            ("'the'", false),
            ("Data may be lost", false),
            ("Data stays in the EU, said nowhere", true),
            ("Data stays safe wherever it is", false),
            ("Orders may fail", false),
            ("'port as CS'", false),
            ("13: no dark theme", false),
            ("''", false),
            ("...", false),
        ] {
            assert_eq!(known.named_by(entry), named, "{entry}");
        }
        assert!(Requirements::of("not JSON: R1 the door is red").named_by("R1"));
        assert!(!Requirements::of("{}").named_by("anything that was wanted"));
    }

    fn critique() -> Critique {
        let entries = ["FR_3: no export", "Accessibility is not mentioned."];
        Critique {
            weaknesses: vec!["w".to_owned()],
            missing_requirements: entries.map(str::to_owned).to_vec(),
            rating: 4,
            ..Critique::default()
        }
    }

    #[test]
    fn what_is_no_gap_is_a_weakness_and_noted() {
        let mut said = critique();
        let notes = settle(&mut said, Some(&Requirements::of(CONTEXT)));
        assert_eq!(said.missing_requirements, ["FR_3: no export"]);
        assert_eq!(said.weaknesses, ["w", "Accessibility is not mentioned."]);
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].code, "not_required");
        assert!(notes[0].message.ends_with("not as gaps: 2"), "{}", notes[0].message);
        assert_eq!(settle(&mut said, Some(&Requirements::of(CONTEXT))), []);
    }

    #[test]
    fn without_a_context_to_check_against_nothing_is_a_gap() {
        let mut said = critique();
        let notes = settle(&mut said, None);
        assert!(said.missing_requirements.is_empty());
        assert_eq!(said.weaknesses.len(), 3);
        assert!(notes[0].message.contains("does not check"), "{}", notes[0].message);
    }
}
