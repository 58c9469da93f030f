//! Diffs in HTML: a table with both numbers of each line, a sign for what happened to it, and a symbol for what it is
//! shown for.

use std::fmt::Write as _;

use super::escaped;
use crate::report::page::hunk::Hunk;

/// Draws a diff. It scrolls sideways, so it can be reached by the keyboard and has a name.
pub(super) fn of(hunk: &Hunk) -> String {
    let lines = hunk.marked.filter(|_| hunk.head().is_some());
    let name = lines.map_or_else(
        || "Changed code".to_owned(),
        |lines| {
            let side = if lines.old { "old" } else { "new" };
            format!("Changed code, {side} lines {} to {} marked", lines.first, lines.last)
        },
    );
    let caption = hunk.head().map_or_else(String::new, |head| {
        format!("<caption><code>{}</code></caption>", escaped(&head))
    });
    let bare = if hunk.head().is_none() { " bare" } else { "" };
    let mut out = format!(
        "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"{name}\"><table class=\"hunk{bare}\">{caption}\n\
         <thead><tr><th scope=\"col\">Old</th><th scope=\"col\">New</th><th scope=\"col\">Mark</th><th scope=\"col\">Code</th></tr></thead>\n<tbody>\n"
    );
    for row in hunk.rows() {
        let kind = match row.sign {
            '+' => "added",
            '-' => "removed",
            _ => "same",
        };
        let (marked, symbol) = if row.is_marked { (" marked", "▶") } else { ("", "") };
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        // Writing to a String cannot fail.
        _ = writeln!(
            out,
            "<tr class=\"{kind}{marked}\"><td>{}</td><td>{}</td><td>{symbol}</td><td>{}</td></tr>",
            number(row.old).unwrap_or_default(),
            number(row.new).unwrap_or_default(),
            escaped(&row.line()),
        );
    }
    out + "</tbody></table></div>\n"
}
