//! What is the same: by a judge's word, by the words of a text.

use std::collections::BTreeSet;

use crate::contract::Diagnostics;
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::sanitize;
use crate::text::similarity::{Keywords, keywords};

/// What is written where nothing is the same.
const NOTHING: [&str; 5] = ["", "-", "none", "null", "n/a"];

/// Returns the id that a judgement on `id` calls the same; one that was not shown is dropped with a note.
pub(crate) fn same_as(
    judge: &mut Diagnostics,
    id: &str,
    written: Option<String>,
    shown: &IdIndex,
) -> Option<String> {
    let written = written?;
    let (IdMatch::Exact(at) | IdMatch::Normalised(at)) = shown.resolve(&written) else {
        if !NOTHING.contains(&&*written.trim().to_lowercase()) {
            let written = sanitize::line(&written, 60);
            let message = format!("`same_as` of {id} is `{written}`, which was not shown; ignored");
            judge.note("unknown_id", message);
        }
        return None;
    };
    shown.ids().get(at).filter(|other| *other != id).cloned()
}

/// Returns the texts that say something new, in order: of any other, two thirds of the keywords stand in one of the
/// texts that were `said` before, to which it is added. One of fewer than three keywords is too short to tell.
pub(crate) fn unsaid(mut texts: Vec<String>, said: &mut Vec<Keywords>) -> Vec<String> {
    texts.retain(|text| {
        let words = keywords([text.as_str()]);
        let stands = |one: &Keywords| 3 * words.intersection(one).count() >= 2 * words.len();
        let is_new = words.len() < 3 || !said.iter().any(stands);
        said.extend(is_new.then_some(words));
        is_new
    });
    texts
}

/// Maximum number of risks of a result, and likewise of questions.
const MOST_TEXTS: usize = 100;

/// Returns each text once, whatever its case, spaces and punctuation, in order.
pub(crate) fn once<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    texts.filter(|text| seen.insert(words(text))).take(MOST_TEXTS).cloned().collect()
}
