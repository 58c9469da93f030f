//! The code around a hunk that tells what it does: the enclosing function, or what follows the last guard before it.
//!
//! Ten lines of context cut off the early return that makes a failure impossible. So a hunk is extended to the whole
//! function that git names after its second `@@`, if that has at most [`FUNCTION_LINES`]; of a longer one, up to the
//! last line before it that leaves the function or the loop early. Where a function ends is told by indentation, which
//! holds for formatted code of any language; where it does not hold, some lines too many are shown, or the ten.

use super::{ChangedFile, Hunk};

/// Maximum number of lines of a function that is shown whole.
const FUNCTION_LINES: usize = 80;
/// Words that leave a function or a loop early.
const LEAVES: [&str; 9] =
    ["return", "raise", "throw", "continue", "break", "panic", "exit", "bail", "abort"];
/// Lines shown before the one that leaves: its condition.
const CONDITION_LINES: usize = 2;

/// Extends the hunks of a file to the code around them.
pub(super) fn widen(file: &mut ChangedFile) {
    let Some(text) = &file.text else { return };
    let lines: Vec<&str> = text.lines().collect();
    // The end of the hunk before, and the start of the one after: no line is shown twice.
    let starts: Vec<usize> = file.hunks.iter().map(|hunk| hunk.new_start as usize).collect();
    let mut shown = 0;
    for (at, hunk) in file.hunks.iter_mut().enumerate() {
        let next = starts.get(at + 1).map_or(lines.len(), |start| start.saturating_sub(1));
        // A hunk that adds or removes the whole file has nothing around it.
        if hunk.old_start > 0 && hunk.new_start > 0 {
            let first = hunk.new_start as usize - 1;
            let last = (first + hunk.new_lines as usize).min(lines.len());
            let (from, until) = around(&lines, &hunk.heading, first, last);
            extend(hunk, &lines, (from.max(shown).min(first), until.clamp(last, next.max(last))));
        }
        shown = (hunk.new_start + hunk.new_lines).saturating_sub(1) as usize;
    }
}

/// Returns the lines to show, from 0, of a hunk that has the lines from `first` to before `last`.
fn around(lines: &[&str], heading: &str, first: usize, last: usize) -> (usize, usize) {
    let above = &lines[..first.min(lines.len())];
    let head = heading.trim();
    let is_head = |line: &&str| !head.is_empty() && line.trim_start().starts_with(head);
    let Some(head) = above.iter().rposition(is_head) else { return (first, last) };
    let end = end(lines, head, last);
    if end - head <= FUNCTION_LINES {
        return (head, end);
    }
    let within = above.len().saturating_sub(FUNCTION_LINES).max(head);
    let leaves = |line: &&str| {
        let mut words = line.split(|one: char| !one.is_alphanumeric() && one != '_');
        words.any(|word| LEAVES.contains(&word))
    };
    let guard = above[within..].iter().rposition(leaves);
    let from = guard.map_or(first, |at| (within + at).saturating_sub(CONDITION_LINES).max(within));
    (from, last)
}

/// Returns the line after the function that begins at `head`: the first after the hunk that is indented no deeper,
/// unless it only closes what the head opened.
fn end(lines: &[&str], head: usize, last: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines[head]);
    let after = lines.iter().enumerate().skip(last.max(head + 1));
    for (at, line) in after {
        if line.trim().is_empty() || indent(line) > own || line.trim_start().starts_with([')', ']'])
        {
            continue;
        }
        let closes = line.trim_start().starts_with('}') || line.trim() == "end";
        return at + usize::from(closes);
    }
    lines.len()
}

fn extend(hunk: &mut Hunk, lines: &[&str], (from, until): (usize, usize)) {
    let first = hunk.new_start as usize - 1;
    let last = first + hunk.new_lines as usize;
    let context = |lines: &[&str]| lines.iter().flat_map(|line| [" ", line, "\n"]).collect();
    let before = lines.get(from..first).unwrap_or_default();
    let after = lines.get(last..until).unwrap_or_default();
    let (above, below): (String, String) = (context(before), context(after));
    let count = |lines: &[&str]| u32::try_from(lines.len()).unwrap_or(u32::MAX);
    hunk.body = above + &hunk.body + &below;
    hunk.old_start = hunk.old_start.saturating_sub(count(before)).max(1);
    hunk.new_start -= count(before);
    hunk.old_lines += count(before) + count(after);
    hunk.new_lines += count(before) + count(after);
}

#[cfg(test)]
mod tests {
    //! Tests of what is shown around a hunk.

    use super::*;
    use crate::change::ChangeKind;
    use crate::change::assemble::{Assembler, ShowLimits};

    /// Returns a file of this text with hunks that show these lines.
    fn file(text: &str, heading: &str, hunks: &[(usize, usize)]) -> ChangedFile {
        let hunk = |(first, last): &(usize, usize)| {
            let lines: Vec<&str> = text.lines().collect();
            let count = u32::try_from(last - first + 1).unwrap();
            let start = u32::try_from(*first).unwrap();
            Hunk {
                old_start: start,
                old_lines: count,
                new_start: start,
                new_lines: count,
                heading: heading.to_owned(),
                body: lines[first - 1..*last].iter().flat_map(|line| [" ", line, "\n"]).collect(),
            }
        };
        ChangedFile {
            path: "a".to_owned(),
            old_path: None,
            kind: ChangeKind::Modified,
            modes: None,
            hunks: hunks.iter().map(hunk).collect(),
            lines: None,
            text: Some(text.to_owned()),
        }
    }

    /// Returns the lines that the hunks show with the code around them.
    fn shown(text: &str, heading: &str, hunks: &[(usize, usize)]) -> Vec<(u32, u32)> {
        let mut file = file(text, heading, hunks);
        widen(&mut file);
        let marked = |hunk: &Hunk| {
            let first = hunk.new_start as usize - 1;
            let own: String = (text.lines().skip(first).take(hunk.new_lines as usize))
                .flat_map(|line| [" ", line, "\n"])
                .collect();
            assert_eq!((hunk.body.as_str(), hunk.old_lines), (own.as_str(), hunk.new_lines));
            (hunk.new_start, hunk.new_start + hunk.new_lines - 1)
        };
        file.hunks.iter().map(marked).collect()
    }

    fn function(before: usize, body: usize) -> String {
        let mut text = "other();\n".repeat(before);
        text += "def update(self, other):\n    if not other:\n        return\n\n";
        text += &"    step()\n".repeat(body);
        text + "\ndef next():\n    pass\n"
    }

    #[test]
    fn a_short_function_is_shown_whole_and_of_a_long_one_what_follows_the_last_guard() {
        let head = "def update(self, other):";
        // Its head is line 6, its last line 29, and the empty line after it is line 30.
        assert_eq!(shown(&function(5, 20), head, &[(20, 22)]), [(6, 30)]);
        assert_eq!(shown(&function(5, 78), head, &[(60, 62)]), [(6, 62)]);
        // The guard is not within reach: the hunk stays as it is.
        assert_eq!(shown(&function(5, 200), head, &[(150, 152)]), [(150, 152)]);
        // Nothing is known of the function, or git names one that is not there.
        assert_eq!(shown(&function(5, 20), "", &[(20, 22)]), [(20, 22)]);
        assert_eq!(shown(&function(5, 20), "def gone():", &[(20, 22)]), [(20, 22)]);
    }

    /// What is around the changes never pushes a change out of the last prompt.
    #[test]
    fn all_that_is_around_takes_a_quarter_of_a_prompt() {
        let room = ShowLimits { batch_bytes: 4_000, batches: 8, require_complete: false };
        let mut into = Assembler::new("x".to_owned(), None, room);
        let text = function(5, 20);
        let one = file(&text, "def update(self, other):", &[(20, 22)]);
        for number in 0..6 {
            into.show(ChangedFile { path: format!("{number}"), ..one.clone() });
        }
        let lines = into.finish().files.into_iter().map(|file| file.hunks[0].new_lines);
        assert_eq!(lines.collect::<Vec<_>>(), [25, 25, 25, 3, 3, 3]);
    }

    #[test]
    fn a_brace_closes_a_function_and_no_line_is_shown_twice() {
        let text = "fn a(\n    x: u8,\n) -> u8 {\n    one();\n    two();\n    three();\n    four();\n}\n\nfn b() {}\n";
        assert_eq!(shown(text, "fn a(", &[(5, 5)]), [(1, 8)]);
        assert_eq!(shown(text, "fn a(", &[(4, 4), (6, 6)]), [(1, 5), (6, 8)]);
    }
}
