//! Parses single lines of answers.

use crate::protocol::debate::Stance;
use crate::protocol::debate::model::MAX_POINTS;

/// Whether a list of answers continues.
pub(super) enum ListState {
    Yes,
    No,
}

/// Adds an entry to a list; an empty line ends it.
pub(super) fn listed(list: &mut Vec<String>, line: &str) -> Result<ListState, &'static str> {
    if line.is_empty() {
        return Ok(ListState::No);
    }
    if list.len() == MAX_POINTS {
        return Err("That is enough: continue with an empty line.");
    }
    list.push(line.to_owned());
    Ok(ListState::Yes)
}

/// Parses a stance, or its first letter.
pub(super) fn stance(line: &str) -> Result<Stance, &'static str> {
    match &*line.to_lowercase() {
        "a" | "agree" => Ok(Stance::Agree),
        "p" | "partly" => Ok(Stance::Partly),
        "d" | "disagree" => Ok(Stance::Disagree),
        _ => Err("Please type a, p or d."),
    }
}

/// Parses a rating from 1 to `most`; `None` for an empty line.
pub(super) fn rating(line: &str, most: u8, why: &'static str) -> Result<Option<u8>, &'static str> {
    if line.is_empty() {
        return Ok(None);
    }
    number(line, 1, most).map(Some).ok_or(why)
}

pub(super) fn number(text: &str, least: u8, most: u8) -> Option<u8> {
    let number = text.parse().ok()?;
    (least..=most).contains(&number).then_some(number)
}
