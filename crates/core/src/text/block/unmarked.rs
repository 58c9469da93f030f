//! A reply that consists of its one required value, without markers.

use std::ops::Range;

use serde_json::Value;

use super::shape::{is_empty, shaped};
use super::source::Source;
use super::{ExpectedBlock, Shape};
use crate::text::json;
use crate::text::markers::Marker;

/// Row 2: the value of a reply without any marker, if exactly one block is required.
pub(super) fn unmarked<'w>(
    source: &Source<'_>,
    markers: &[Marker],
    wants: &'w [ExpectedBlock],
    cut: bool,
) -> Option<(&'w ExpectedBlock, Range<usize>)> {
    let mut required = wants.iter().filter(|want| want.required);
    let want = required.next()?;
    if required.next().is_some() || want.shape == Shape::Text || cut || !markers.is_empty() {
        return None;
    }
    let whole = 0..source.text.len();
    [Some(whole.clone()), single_fence(&source.text)]
        .into_iter()
        .flatten()
        .find(|range| {
            let text = &source.text[range.clone()];
            let is_amid = *range != whole && has_prose(&source.text, range);
            json::read_generously(text, false).is_ok_and(|(value, _)| {
                is_answer(&value, want, is_amid) && shaped(value, want).is_ok()
            })
        })
        .map(|range| (want, range))
}

/// Whether a value identifies itself: a list could be anything, and an empty value amid prose could be an example of
/// the form after a refusal.
fn is_answer(value: &Value, want: &ExpectedBlock, is_amid: bool) -> bool {
    let fields = value.as_object();
    let says_something = fields.is_none_or(|fields| fields.values().any(|value| !is_empty(value)));
    (value.is_object() || want.shape == Shape::Array) && (says_something || !is_amid)
}

pub(super) fn has_prose(text: &str, fence: &Range<usize>) -> bool {
    [&text[..fence.start], &text[fence.end..]].iter().any(|side| side.trim().lines().count() > 1)
}

pub(super) fn single_fence(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut fences = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fences.push(at..at + line.len());
        }
        at += line.len();
    }
    match fences.as_slice() {
        [open, close] => Some(open.end..close.start),
        _ => None,
    }
}
