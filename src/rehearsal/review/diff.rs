//! Parses a diff into lines with their places.

use std::ops::Range;

/// A line of the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DiffLine<'a> {
    /// The path of its file.
    pub(super) file: &'a str,
    /// Its number in the new file, from 1; `None` for a removed line.
    pub(super) line: Option<u32>,
    /// Whether the change adds it.
    pub(super) added: bool,
    /// The line without its mark.
    pub(super) text: &'a str,
}

impl DiffLine<'_> {
    /// Whether the line is a comment, as far as the line itself shows.
    pub(super) fn is_comment(&self) -> bool {
        let text = self.text.trim_start();
        let hash = text.starts_with('#')
            && !["#[", "#!", "#include", "#define", "#if"]
                .iter()
                .any(|code| text.starts_with(code));
        hash || ["//", "/*", "* ", "-- ", "<!--"].iter().any(|mark| text.starts_with(mark))
    }

    /// Whether its file contains tests, by the conventions of several languages.
    pub(super) fn is_test(&self) -> bool {
        let lower = self.file.to_lowercase();
        let mut parts = lower.split('/').rev();
        let name = parts.next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        parts.any(|part| matches!(part, "test" | "tests" | "spec" | "__tests__"))
            || stem.starts_with("test_")
            || ["_test", "_spec", "test", "tests"].iter().any(|end| stem.ends_with(end))
            || [".test.", ".spec."].iter().any(|part| name.contains(part))
    }
}

/// Parses a diff. The number of a hunk's lines is taken from its header, so a removed line `-- a/x` is not mistaken
/// for a file name.
pub(super) fn places<'a>(lines: &[&'a str]) -> Vec<DiffLine<'a>> {
    let mut places = Vec::new();
    let mut file = "";
    let (mut old_left, mut new_left, mut next) = (0, 0, 0_u32);
    for line in lines {
        if old_left == 0 && new_left == 0 {
            if let Some(path) = line.strip_prefix("--- a/").or(line.strip_prefix("+++ b/")) {
                file = path;
            } else if let Some((old, new)) = header(line) {
                (old_left, new_left, next) = (old.len(), new.len(), new.start);
            }
            continue;
        }
        let (mark, text) = match line.chars().next() {
            Some(mark @ (' ' | '+' | '-')) => (mark, &line[1..]),
            // An empty line whose space an editor removed; any other mark is the note on a missing line break.
            None => (' ', ""),
            Some(_) => continue,
        };
        let line = (mark != '-').then_some(next);
        if mark != '-' {
            next = next.saturating_add(1);
            new_left = new_left.saturating_sub(1);
        }
        if mark != '+' {
            old_left = old_left.saturating_sub(1);
        }
        places.push(DiffLine { file, line, added: mark == '+', text });
    }
    places
}

/// Parses a hunk header: `@@ -1,2 +3,4 @@`.
fn header(line: &str) -> Option<(Range<u32>, Range<u32>)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
        Some(start..start.checked_add(count)?)
    };
    Some((range(old)?, range(new)?))
}
