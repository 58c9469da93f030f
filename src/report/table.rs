//! Tables for people: cells are sanitized, lines fit the width, narrow terminals get a list.

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table as Grid};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::page::terminal::visible;
use crate::text::sanitize;

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
    cut: Option<usize>,
    bare: bool,
}

impl Table {
    pub(crate) fn new<H: AsRef<str>>(
        headers: &[H],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            headers: headers.iter().map(|header| cell(header.as_ref())).collect(),
            rows: rows.into_iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect(),
            fixed: Vec::new(),
            cut: None,
            bare: false,
        }
    }

    /// Sets the columns (from 0) that must not be wrapped: ids, ranks, single words.
    #[must_use]
    pub(crate) fn unbroken(mut self, columns: &[usize]) -> Self {
        self.fixed = columns.to_vec();
        self
    }

    /// Makes each row one line: the cells of this column are cut at their end, no other is wrapped.
    #[must_use]
    pub(crate) fn cut(mut self, column: usize) -> Self {
        self.fixed = (0..self.headers.len()).filter(|each| *each != column).collect();
        self.cut = Some(column);
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
        let of = |column: usize| {
            let cells =
                self.rows.iter().chain([&self.headers]).filter_map(move |row| row.get(column));
            cells.map(|cell| cell.width() + 2).max().unwrap_or_default()
        };
        let room = width.saturating_sub(self.fixed.iter().map(|column| of(*column)).sum());
        for row in &self.rows {
            let cells = row.iter().enumerate();
            grid.add_row(cells.map(|(at, text)| match self.cut {
                Some(column) if column == at => cut(text, room.saturating_sub(2)),
                _ => text.clone(),
            }));
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

/// Returns a text of at most `room` columns; what does not fit is an ellipsis.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        if short.width() + character.width().unwrap_or_default() + 1 > room {
            break;
        }
        short.push(character);
    }
    short + "…"
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
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split(' ') {
        if !empty && visible(&line) + 1 + visible(word) > width {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::example;

    proptest! {
        #[test]
        fn cells_bring_no_control_and_no_further_line(evil in example::evil_text(), width in 20_usize..140) {
            let text = Table::new(&["a", "b"], [vec![evil.clone(), evil]]).render(width);
            prop_assert!(example::is_inert(&text), "{:?}", text);
        }

        #[test]
        fn a_column_that_is_cut_leaves_one_line_a_row(words in "[a-z \u{4e00}-\u{4e10}]{0,200}", width in 60_usize..140) {
            let row = || vec!["id".to_owned(), words.clone(), "$0.37".to_owned()];
            let shown = Table::new(&["a", "b", "c"], [row(), row()]).cut(1).render(width);
            prop_assert_eq!(shown.lines().count(), 4);
            prop_assert!(shown.lines().all(|line| line.width() <= width), "{}", shown);
        }

        #[test]
        fn ordinary_words_fit_the_width(words in proptest::collection::vec("[a-z]{1,9}", 1..40), width in 60_usize..140) {
            let text = words.join(" ");
            let shown = Table::new(&["a", "b"], [vec![text.clone(), text]]).render(width);
            prop_assert!(shown.lines().all(|line| line.width() <= width), "{}", shown);
        }
    }
}
