//! What a reasoning model thinks aloud before its answer: a draft in it is not the answer.
//!
//! Only the beginning of a reply is looked at. An end without a start (some templates swallow the start) counts where
//! a block follows it, and no block would be torn apart.

use crate::text::markers::{self, Edge};

/// Elements for it, also with a prefix (`<seed:think>`).
const ELEMENTS: [&str; 9] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "analysis",
    "scratchpad",
    "reflection",
    "inner_monologue",
];

/// Other starts, and their ends.
const PAIRS: [(&str, &str); 5] = [
    ("thinking...", "...done thinking."),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// The last ends without a start that are looked at: each costs a search of the whole text.
const MOST_ENDS: usize = 4;

/// Returns the position at which the answer begins.
pub(super) fn end(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    while let Some(length) = leading(&lower[at..]) {
        at += length;
    }
    at + lone(&lower[at..]).unwrap_or(0)
}

/// The length of the thinking with which a text begins; all of it if it has no end.
fn leading(text: &str) -> Option<usize> {
    let start = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
    let rest = &text[start..];
    let pair = PAIRS.iter().find(|(open, _)| rest.starts_with(open));
    let close = if let Some((_, close)) = pair {
        (*close).to_owned()
    } else {
        let tag = &rest.strip_prefix('<')?[..rest.find('>')? - 1];
        let name = tag.split_whitespace().next()?;
        is_element(name).then(|| format!("</{name}>"))?
    };
    Some(rest.find(&close).map_or(text.len(), |at| start + at + close.len()))
}

fn is_element(name: &str) -> bool {
    ELEMENTS.contains(&name.rsplit(':').next().unwrap_or(name))
}

/// The length of what stands before the last end without a start, at the end of a line.
fn lone(text: &str) -> Option<usize> {
    let mut from = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        from += line.len();
        (from, line.trim_end())
    });
    let ends: Vec<(usize, String)> =
        lines.filter_map(|(end, line)| Some((end, start_of(line)?))).collect();
    let found = ends.into_iter().rev().take(MOST_ENDS).find(|(end, start)| {
        let (before, after) = text.split_at(*end);
        let begins =
            markers::scan_generously(after).first().map(|marker| marker.edge == Edge::Start);
        let has_start = before.contains(start.as_str());
        !has_start
            && begins.unwrap_or_else(|| {
                !after.trim().is_empty() && markers::scan_generously(before).is_empty()
            })
    });
    found.map(|(end, _)| end)
}

fn start_of(line: &str) -> Option<String> {
    let pair = PAIRS.iter().find(|(_, close)| line.ends_with(close));
    pair.map(|(open, _)| (*open).to_owned()).or_else(|| {
        let name = line.strip_suffix('>')?.rsplit_once("</")?.1;
        is_element(name).then(|| format!("<{name}"))
    })
}
