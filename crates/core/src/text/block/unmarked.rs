//! A reply that is its one required value, without any marker.

use std::ops::Range;

use super::shape::shaped;
use super::source::Source;
use super::{Shape, Want};
use crate::text::json;
use crate::text::markers::Marker;

/// Row 2: the value that a reply without any marker consists of, if just one block is required.
pub(super) fn unmarked<'w>(
    source: &Source<'_>,
    markers: &[Marker],
    wants: &'w [Want],
    cut: bool,
    generous: bool,
) -> Option<(&'w Want, Range<usize>)> {
    let mut required = wants.iter().filter(|want| want.required);
    let want = required.next()?;
    if required.next().is_some() || want.shape == Shape::Text || cut || !markers.is_empty() {
        return None;
    }
    [Some(0..source.text.len()), single_fence(&source.text)]
        .into_iter()
        .flatten()
        .find(|range| {
            let text = &source.text[range.clone()];
            let read = if generous { json::read_generously(text, false) } else { json::read(text) };
            read.is_ok_and(|(value, _)| shaped(value, want, generous).is_ok())
        })
        .map(|range| (want, range))
}

/// The inside of the only code fence of the text.
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
