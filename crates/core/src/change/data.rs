//! Data files: shown to reviewers by their first and last lines.
//!
//! A file is data if both its name and its shape say so, and never if it acts: a manifest, CI, a migration. The shape of a
//! line is what remains when words, numbers and quoted texts count as one sign. In 700 CSV, 700 JSON and 60 lock files
//! of at least 16 KiB, 95 in 100 have fewer shapes than one in 21 lines; of 560 files of Python's library and 66 of
//! ours, 95 in 100 have more than one in 12.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::Hunk;
use super::policy::is_code;
use crate::text::word;

/// Bytes of hunks up to which data is shown whole.
const WHOLE: usize = 16 << 10;
/// Bytes of the first and of the last lines that are shown.
pub(super) const FIRST: usize = 6 << 10;
pub(super) const LAST: usize = 2 << 10;
/// In data, at most one line in this many has a shape of its own.
const LINES_PER_SHAPE: usize = 20;
/// Average bytes of a line from which a text is minified.
const LONG: usize = 500;
/// Bytes after which a line of shortened data is cut.
const LINE: usize = 1_000;

/// Endings of names of data of many lines, lower case.
const TABLES: [&str; 9] =
    [".csv", ".tsv", ".psv", ".lock", ".lockb", ".sum", ".snap", ".ambr", "-lock.yaml"];
/// Endings of names of data that may be a single line.
const TREES: [&str; 5] = [".json", ".jsonl", ".ndjson", ".geojson", ".map"];
/// Endings of names of minified code.
const MINIFIED: [&str; 5] = [".min.js", ".min.mjs", ".min.css", ".bundle.js", "/bundle.js"];
/// Parts of the names of JSON that steers a program, and of folders in which files act.
static ACTS: LazyLock<HashSet<&str>> = LazyLock::new(|| word::table(include_str!("data/acts.txt")));

/// Whether a file is data too long to be shown whole. `parts`: its text, or the bodies of its hunks.
pub fn is_long<'a>(path: &str, parts: impl Iterator<Item = &'a str> + Clone) -> bool {
    let bytes: usize = parts.clone().map(str::len).sum();
    if bytes <= WHOLE {
        return false;
    }
    let path = path.to_lowercase();
    let lines = move || parts.clone().flat_map(str::lines);
    let long = bytes / lines().count().max(1) >= LONG;
    let named = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
    if named(&MINIFIED) {
        return long;
    }
    let acts = ACTS.iter().any(|part| path.contains(part)) && !path.ends_with("-lock.json");
    let tree = named(&TREES);
    if acts
        || is_code(&path)
        || !(tree || named(&TABLES))
        || lines().any(|line| line.trim_start_matches('+').starts_with("#!"))
    {
        return false;
    }
    let shapes: HashSet<String> = lines().map(shape).collect();
    tree && long || shapes.len() * LINES_PER_SHAPE <= lines().count()
}

/// `{"id": 12, "name": "x"}` and `{"id": 7, "name": "y"}` have one shape.
fn shape(line: &str) -> String {
    let (mut shape, mut quoted, mut word) = (String::new(), false, false);
    for c in line.get(1..).unwrap_or_default().trim().chars() {
        if c == '"' {
            quoted = !quoted;
        }
        let in_word = c.is_alphanumeric()
            || word && matches!(c, ' ' | '.' | '-' | '_' | ':' | '/' | '+' | '@');
        if !(quoted || word && in_word) {
            shape.push(if in_word { 'a' } else { c });
        }
        word = !quoted && in_word;
        if shape.len() > 80 {
            break;
        }
    }
    shape
}

/// Cuts lines that are too long to be read, and takes the headings away, so that every line fits into a small hunk; `false` if
/// no line was cut.
pub(super) fn cut_lines(hunks: &mut [Hunk]) -> bool {
    let mut cut = false;
    for hunk in hunks {
        hunk.heading.clear();
        if hunk.body.lines().all(|line| line.len() <= LINE) {
            continue;
        }
        cut = true;
        let lines = hunk.body.lines().map(|line| match line.len() {
            0..=LINE => format!("{line}\n"),
            _ => format!("{}…\n", &line[..line.floor_char_boundary(LINE)]),
        });
        hunk.body = lines.collect();
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::super::compare::whole;
    use super::*;
    use crate::change::assemble::tests::file;

    #[test]
    fn data_is_data_by_name_and_by_shape_and_what_acts_is_not() {
        let rows = |row: &dyn Fn(usize) -> String| (0..2_000).map(row).collect::<String>();
        let table = rows(&|n| format!("{n},Ann {n},a{n}@b.org,{}.5\n", n * 3));
        let json = rows(&|n| format!("  {{\"id\": {n}, \"name\": \"n {n}\"}},\n"));
        let code = rows(&|n| match n % 400 {
            n if n % 2 == 0 => {
                format!("if {}x > y{} {{ f(); }}\n", "!".repeat(n % 79), "[0]".repeat(n % 17))
            }
            n => format!("{}g({});\n", "(".repeat(n % 71), "*".repeat(n % 13)),
        });
        let line = format!("!function(){{{}}}();\n", "a=b(c);".repeat(12_000));
        for (path, text, expected) in [
            ("a.csv", &table, true),
            ("a.tsv", &table.replace(',', "\t"), true),
            ("fixtures/people.json", &json, true),
            ("package-lock.json", &json, true),
            ("web/__snapshots__/a.snap", &json, true),
            ("src/Cargo.lock", &code, false),
            ("a.csv", &code, false),
            ("a.py", &table, false),
            ("a.sql", &table, false),
            ("package.json", &json, false),
            (".github/people.json", &json, false),
            ("db/migrations/1.json", &json, false),
            ("app.min.js", &line, true),
            ("dist/bundle.js", &line, true),
            ("dist/app.js", &line, false),
            ("src/Cargo.lock", &line, false),
            ("web/__snapshots__/a.js", &json, false),
            ("run.csv", &format!("#!/bin/sh\n{table}"), false),
            ("a.json", &line, true),
            ("src/app.js", &line, false),
            ("app.min.js", &code, false),
            ("small.csv", &table[..9_000].to_owned(), false),
        ] {
            let changed = file(path, whole(text).into_iter().collect());
            let bodies = changed.hunks.iter().map(|hunk| &*hunk.body);
            assert_eq!(is_long(path, bodies), expected, "{path}");
            assert_eq!(is_long(path, [&**text].into_iter()), expected, "{path}, as it is");
        }
    }
}
