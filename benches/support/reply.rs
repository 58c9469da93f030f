//! The reply on which scan and parse are measured: 10 MiB of text with a block of 1 MiB in it.

use debate_agent::text::block::{ExpectedBlock, Shape};
use debate_agent::text::markers::{end_marker, start_marker};

pub(crate) const MIB: usize = 1 << 20;

/// The requested block.
pub(crate) const WANT: ExpectedBlock = ExpectedBlock::new("REVIEW", Shape::Object, true);

/// Prose of about this many bytes, with the characters that the fast paths must handle.
pub(crate) fn prose(bytes: usize) -> String {
    let line = "The task-list at https://example.org/a?b=c says: use Vec<T>, “quotes” and 3 < 4; risk-free.\n";
    line.repeat(bytes / line.len() + 1)
}

/// Returns the reply, with the block in its middle.
pub(crate) fn reply() -> String {
    let item = "{\"severity\": \"P1\", \"title\": \"a title\", \"detail\": \"some \\\"detail\\\" of it\", \"line\": 12},\n";
    let items = item.repeat(MIB / item.len() - 1);
    let body = format!("{{\"findings\": [{}]}}", items.trim_end().trim_end_matches(','));
    let text = prose(10 * MIB - body.len());
    let half =
        text.len() / 2 - text[..text.len() / 2].bytes().rev().position(|b| b == b'\n').unwrap_or(0);
    format!(
        "{}{}\n{body}\n{}\n{}",
        &text[..half],
        start_marker(WANT.name),
        end_marker(WANT.name),
        &text[half..]
    )
}
