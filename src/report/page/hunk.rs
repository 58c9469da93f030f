//! A diff on a page: its lines as rows, each made safe by itself, so that no line of others is two.

use crate::change::Lines;
use crate::text::sanitize;

/// A diff in unified form. Without an `@@` line at its start, its lines have no numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hunk {
    text: String,
    /// The lines that it is shown for.
    pub(super) marked: Option<Lines>,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Its number in the old file; `None` if it is not in there.
    pub(super) old: Option<u32>,
    /// Its number in the new file; `None` if it is not in there.
    pub(super) new: Option<u32>,
    /// `+`, `-`, a space, or `\` for a note about the line before.
    pub(super) sign: char,
    pub(super) text: String,
    pub(super) is_marked: bool,
}

impl Hunk {
    /// Creates it. `arguments`: the first and last of the marked lines, after `old` if they are those of the old file.
    pub(super) fn new(text: String, arguments: &str) -> Self {
        let old = arguments.starts_with("old");
        let mut numbers = arguments.split(',').filter_map(|number| number.trim().parse().ok());
        let lines = numbers.next().zip(numbers.next());
        Self { text, marked: lines.map(|(first, last)| Lines { old, first, last }) }
    }

    /// Returns the `@@` line; `None` if there is none.
    pub(super) fn head(&self) -> Option<String> {
        let head = self.text.lines().next().filter(|line| starts(line).is_some())?;
        Some(sanitize::line(head, usize::MAX))
    }

    pub(super) fn rows(&self) -> Vec<Row> {
        let mut lines = self.text.lines();
        let mut next = self.text.lines().next().and_then(starts);
        if next.is_some() {
            lines.next();
        }
        lines.map(|line| self.row(line, &mut next)).collect()
    }

    /// Reads a line. `next`: its numbers in both files, if they are known.
    fn row(&self, line: &str, next: &mut Option<(u32, u32)>) -> Row {
        let sign = line.chars().next().filter(|sign| "+-\\".contains(*sign)).unwrap_or(' ');
        let text = line.strip_prefix([' ', '+', '-', '\\']).unwrap_or(line);
        let number = |is_there: bool, number: &mut u32| {
            let own = is_there.then_some(*number);
            *number = number.saturating_add(u32::from(is_there));
            own
        };
        let (old, new) = next.as_mut().map_or((None, None), |(old, new)| {
            (number(" -".contains(sign), old), number(" +".contains(sign), new))
        });
        let is_marked = self.marked.is_some_and(|Lines { old: is_old, first, last }| {
            let number = if is_old { old } else { new };
            number.is_some_and(|number| (first..=last).contains(&number))
        });
        let text = sanitize::terminal(text).replace('\n', " ");
        Row { old, new, sign, text, is_marked }
    }
}

impl Row {
    /// Returns the line with its sign.
    pub(super) fn line(&self) -> String {
        format!("{}{}", self.sign, self.text)
    }
}

/// Returns the first line in both files, according to an `@@` line.
fn starts(head: &str) -> Option<(u32, u32)> {
    let (old, new) = head.strip_prefix("@@ -")?.split_once(" +")?;
    let number = |range: &str| range.split([',', ' ']).next()?.parse().ok();
    number(old).zip(number(new))
}
