//! Tables for people: cells are sanitized, lines fit the width, narrow terminals get a list.

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table as Grid};

use super::Look;
use super::words::{FAINT, paint};
use crate::text::sanitize;

/// Width of a label before its line, in columns.
const LABEL: usize = 11;
/// Width below which a list replaces the table, which would be unreadable.
const LIST_BELOW: usize = 60;
/// Maximum characters of a cell; the rest is cut with an ellipsis.
const CELL_CHARS: usize = 300;

/// Rows under headers: `config show`, `sessions list`, `agents`, `doctor`, `skills list`, a ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    fixed: Vec<usize>,
    bare: bool,
}

impl Table {
    /// Creates a table from headers and rows of any text.
    pub(crate) fn new<H: AsRef<str>>(
        headers: &[H],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            headers: headers.iter().map(|header| cell(header.as_ref())).collect(),
            rows: rows.into_iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect(),
            fixed: Vec::new(),
            bare: false,
        }
    }

    /// Sets the columns (from 0) that must not be wrapped: ids, ranks, single words.
    #[must_use]
    pub(crate) fn unbroken(mut self, columns: &[usize]) -> Self {
        self.fixed = columns.to_vec();
        self
    }

    /// Leaves out the headers: the first column names the second.
    #[must_use]
    pub(crate) fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// Returns the table for this width, with a newline at the end; a list below 60 columns.
    pub(crate) fn render(&self, width: usize) -> String {
        if width < LIST_BELOW {
            return self.list(width);
        }
        let mut grid = Grid::new();
        grid.load_style(NOTHING.header_separator(LineStyle::none().fill('─')))
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width).unwrap_or(u16::MAX));
        if !self.bare {
            grid.set_header(&self.headers);
        }
        for row in &self.rows {
            grid.add_row(row);
        }
        for &index in &self.fixed {
            if let Some(column) = grid.column_mut(index) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        for column in grid.column_iter_mut() {
            column.set_padding((0, 2));
        }
        lines(&grid)
    }

    /// Draws each row as `first  second`, then the other cells under their headers, indented.
    fn list(&self, width: usize) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let head: Vec<&str> = row.iter().take(2).map(String::as_str).collect();
            push_wrapped(&mut text, &head.join("  "), "", "   ", width);
            for (header, value) in self.headers.iter().zip(row).skip(2) {
                if !value.is_empty() {
                    let line = format!("{}: {value}", header.to_lowercase());
                    push_wrapped(&mut text, &line, "   ", "     ", width);
                }
            }
        }
        text
    }
}

fn cell(text: &str) -> String {
    sanitize::line(text, CELL_CHARS)
}

fn lines(grid: &Grid) -> String {
    let mut text = String::new();
    for line in grid.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Appends text in lines of at most `width` columns, broken between words; a word longer than a line has a line of
/// its own.
pub(super) fn push_wrapped(out: &mut String, text: &str, first: &str, rest: &str, width: usize) {
    use unicode_width::UnicodeWidthStr;

    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split(' ') {
        if !empty && line.width() + 1 + word.width() > width {
            out.push_str(line.trim_end());
            out.push('\n');
            rest.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Adds a line with its label; an empty label continues the one before.
pub(crate) fn push_labelled(text: &mut String, label: &str, line: &str, look: Look) {
    let indent = " ".repeat(LABEL);
    let mut wrapped = String::new();
    push_wrapped(&mut wrapped, line, &indent, &indent, look.width);
    let padding = " ".repeat(LABEL.saturating_sub(label.len()));
    text.push_str(&paint(label, FAINT, look.colour));
    text.push_str(&padding);
    text.push_str(wrapped.get(LABEL..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::report::example;

    fn doctor() -> Table {
        Table::new(
            &["Agent", "Program", "Logged in", "Note"],
            [
                vec!["claude".into(), "/usr/local/bin/claude".into(), "yes".into(), String::new()],
                vec![
                    "codex".into(),
                    "not found".into(),
                    "?".into(),
                    "install it with `npm install -g @openai/codex`, then run `codex login`".into(),
                ],
            ],
        )
        .unbroken(&[0])
    }

    #[test]
    fn wide_terminals_get_columns() {
        insta::assert_snapshot!(doctor().render(80));
    }

    #[test]
    fn narrow_terminals_get_a_list() {
        insta::assert_snapshot!(doctor().render(40));
    }

    proptest! {
        #[test]
        fn cells_bring_no_control_and_no_further_line(evil in example::evil_text(), width in 20_usize..140) {
            let text = Table::new(&["a", "b"], [vec![evil.clone(), evil]]).render(width);
            prop_assert!(example::is_inert(&text), "{:?}", text);
        }

        #[test]
        fn ordinary_words_fit_the_width(words in proptest::collection::vec("[a-z]{1,9}", 1..40), width in 60_usize..140) {
            let text = words.join(" ");
            let shown = Table::new(&["a", "b"], [vec![text.clone(), text]]).render(width);
            prop_assert!(shown.lines().all(|line| line.width() <= width), "{}", shown);
        }
    }
}
