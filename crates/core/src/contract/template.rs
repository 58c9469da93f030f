//! How blocks are asked for: the markers around a body, the text before them, and a person's remark.

use crate::text::block::{Shape, Want};
use crate::text::markers;

/// What the person who asked says to all: text, which may be empty.
pub const REMARK: &str = "REMARK";

/// The body of a remark, as prompts show it.
pub const REMARK_TEMPLATE: &str = "<what both sides should know or look at>";

/// Returns a block that must be there.
pub const fn want(name: &'static str) -> Want {
    Want { name, shape: Shape::Object, required: true }
}

/// What the parser looks for in a person's remark: no remark is a good answer.
pub const REMARK_WANT: Want = Want { name: REMARK, shape: Shape::Text, required: false };

/// Wraps a body in a block's markers.
pub fn block(name: &str, body: &str) -> String {
    let (start, end) = (markers::start_marker(name), markers::end_marker(name));
    format!("{start}\n{body}\n{end}\n")
}

/// Returns the last part of a prompt: the exact answer that is wanted, of blocks given by name and body, and what is said of them.
pub fn text(blocks: &[(&str, &str)], rules: &[&str]) -> String {
    let these = match blocks.len() {
        1 => "exactly this block",
        _ => "exactly these blocks, in this order",
    };
    let shown: Vec<String> = (blocks.iter()).map(|(name, body)| block(name, body)).collect();
    // A remark is the only block of plain words.
    let json = if blocks.iter().any(|(name, _)| *name != REMARK) {
        "\n\nJSON is strict: double quotes, no comments, no trailing commas."
    } else {
        ""
    };
    format!(
        "# Your answer\n\nEnd your reply with {these}. Each marker stands alone on its line, once, outside any code fence. What stands in \
         angle brackets is yours to fill in.\n\n{}\n{}{json}",
        shown.join("\n"),
        rules.join("\n\n")
    )
}
