//! Tests of [`super`]: each way to name a place, right and wrong.

use proptest::prelude::*;

use super::*;
use crate::change::Hunk;
use crate::protocol::review::model::Severity;
use crate::protocol::review::samples::{self, sample};

/// The place of a finding: location, nearness, file, line, and the line as written if it was corrected.
type Place = (Location, Option<Distance>, String, Option<u32>, Option<u32>);

fn placed(file: &str, line: Option<u32>, quote: Option<&str>) -> Place {
    let finding = Finding {
        quote: quote.map(str::to_owned),
        ..samples::finding(Severity::P1, file, line, "a title")
    };
    let placed = place(&sample(), finding);
    (
        placed.location,
        placed.nearness,
        placed.finding.file,
        placed.finding.line,
        placed.written_line,
    )
}

fn located(nearness: Distance, file: &str, line: u32) -> Place {
    let nearness = Some(nearness);
    (Location::Located, nearness, file.to_owned(), Some(line), None)
}

fn moved(nearness: Distance, file: &str, line: u32, written: u32) -> Place {
    let place = located(nearness, file, line);
    (place.0, place.1, place.2, place.3, Some(written))
}

fn mislocated(file: &str, line: Option<u32>) -> Place {
    (Location::Mislocated, None, file.to_owned(), line, None)
}

fn outside(file: &str, line: Option<u32>) -> Place {
    (Location::Outside, None, file.to_owned(), line, None)
}

const POOL: &str = "src/db/pool.rs";

#[test]
fn a_ghost_file_is_outside() {
    for ghost in [
        "src/ghost.rs",
        "src/app/mapper.ts",
        "",
        "/",
        ".",
        "../src/db/pool.rs",
        "/src/db/pool.rs",
        "src/db/../db/pool.rs",
        "src\\db\\pool.rs",
        "SRC/db/pool.rs",
        "pool.rs",
        "db/pool.rs",
        "x/src/db/pool.rs",
        "src/db/pool.rs.bak",
    ] {
        let place = placed(ghost, Some(12), Some("self.busy += 1;"));
        assert_eq!(place.0, Location::Outside, "{ghost}");
        assert_eq!(place.1, None, "{ghost}");
    }
}

#[test]
fn a_right_file_with_a_wrong_line_is_mislocated() {
    for line in [0, 41, u32::MAX] {
        assert_eq!(placed(POOL, Some(line), None), mislocated(POOL, Some(line)));
    }
}

#[test]
fn a_right_line_in_a_wrong_directory_of_the_same_name_is_not_found_there() {
    // The statement and the line are those of src/db/pool.rs.
    let quote = Some("self.busy += 1;");
    assert_eq!(placed("lib/db/pool.rs", Some(12), quote), mislocated("lib/db/pool.rs", Some(12)));
    assert_eq!(placed("db/pool.rs", Some(12), quote), outside("db/pool.rs", Some(12)));
}

#[test]
fn a_quote_that_moved_takes_its_finding_along() {
    let exact = Distance::Exact;
    let pop = Some("let conn = self.idle.pop()?;");
    assert_eq!(placed(POOL, Some(38), pop), moved(exact, POOL, 11, 38));
    assert_eq!(placed(POOL, Some(4000), pop), moved(exact, POOL, 11, 4000));
    assert_eq!(placed(POOL, None, pop), located(exact, POOL, 11));
    // Of two places the nearest; of two equally near ones the earlier; without a line, the hunk's.
    let busy = Some("self.busy += 1;");
    assert_eq!(placed(POOL, Some(28), busy), moved(Distance::Context, POOL, 30, 28));
    assert_eq!(placed(POOL, Some(15), busy), moved(exact, POOL, 12, 15));
    assert_eq!(placed(POOL, Some(21), busy), moved(exact, POOL, 12, 21));
    assert_eq!(placed(POOL, Some(30), busy), located(Distance::Context, POOL, 30));
    assert_eq!(placed(POOL, None, busy), located(exact, POOL, 12));
}

#[test]
fn lines_are_exact_in_a_hunk_and_context_elsewhere() {
    for (line, nearness) in [
        (1, Distance::Context),
        (8, Distance::Context),
        (9, Distance::Exact),
        (14, Distance::Exact),
        (15, Distance::Context),
        (40, Distance::Context),
    ] {
        assert_eq!(placed(POOL, Some(line), None), located(nearness, POOL, line));
    }
}

#[test]
fn quotes_are_found_however_they_were_copied() {
    let (exact, removed) = (Distance::Exact, Distance::Removed);
    for (quote, nearness, line) in [
        // White space, blank lines, a part of a line, parts of several lines.
        ("  let   conn =\tself.idle.pop()?;  ", exact, 11),
        ("let conn = self.idle.pop()?;\n\n\n  self.busy += 1;", exact, 11),
        ("self.idle.pop()?", exact, 11),
        ("self.idle.pop()?;\nself.busy", exact, 11),
        ("self.log(\"take\");\r\n}\r\n", exact, 13),
        // Markdown.
        ("`let conn = self.idle.pop()?;`", exact, 11),
        ("```rust\nlet conn = self.idle.pop()?;\n```", exact, 11),
        // The marks of the diff.
        ("+    self.busy += 1;\n     self.log(\"take\");", exact, 12),
        ("-    self.idle.pop()\n+    let conn = self.idle.pop()?;", exact, 11),
        // Removed lines, alone and with the lines around them.
        ("self.idle.pop()\nself.log(\"take\");", removed, 11),
        ("-    self.idle.pop()", removed, 11),
        ("fn take(&mut self) -> Option<Conn> {\n    self.idle.pop()", removed, 10),
        // Outside any hunk, in the file's text.
        ("use std::sync::Mutex;", Distance::Context, 3),
    ] {
        assert_eq!(placed(POOL, None, Some(quote)), located(nearness, POOL, line), "{quote}");
    }
}

#[test]
fn a_quote_that_is_not_there_is_mislocated_even_with_a_right_line() {
    for quote in [
        "self.busy -= 1;",
        "let conn = self.idle.pop();",
        "elf.idle.po",
        "self.busy += 1;\nself.busy += 1;",
        "retry(forever);",
    ] {
        assert_eq!(placed(POOL, Some(12), Some(quote)), mislocated(POOL, Some(12)), "{quote}");
    }
}

#[test]
fn a_scrap_is_found_only_where_the_finding_says_and_a_brace_is_no_quote() {
    assert_eq!(placed(POOL, Some(12), Some("+= 1")), located(Distance::Exact, POOL, 12));
    assert_eq!(placed(POOL, Some(13), Some("+= 1")), mislocated(POOL, Some(13)));
    assert_eq!(placed(POOL, None, Some("+= 1")), mislocated(POOL, None));
    for brace in ["}", "", "  \n", "});"] {
        assert_eq!(placed(POOL, Some(20), Some(brace)), located(Distance::Context, POOL, 20));
    }
}

#[test]
fn a_written_line_within_its_quote_stays() {
    let quote = Some("let conn = self.idle.pop()?;\nself.busy += 1;\nself.log(\"take\");");
    assert_eq!(placed(POOL, Some(12), quote), located(Distance::Exact, POOL, 12));
}

#[test]
fn paths_are_normalised_and_prefixes_fall_only_where_that_makes_them_exact() {
    let exact = Distance::Exact;
    for path in [
        "./src/db/pool.rs",
        "././src//db/./pool.rs",
        " src/db/pool.rs\n",
        "a/src/db/pool.rs",
        "b/src/db/pool.rs",
        "./b/src/db/pool.rs",
    ] {
        assert_eq!(placed(path, Some(12), None), located(exact, POOL, 12), "{path}");
    }
    assert_eq!(placed("a/real.rs", Some(2), None), located(exact, "a/real.rs", 2));
    assert_eq!(placed("b/a/real.rs", Some(2), None), located(exact, "a/real.rs", 2));
    assert_eq!(placed("real.rs", Some(2), None), outside("real.rs", Some(2)));
    assert_eq!(placed("a/a/src/db/pool.rs", Some(12), None).0, Location::Outside);
}

#[test]
fn a_line_that_is_glued_to_the_path_is_taken_off() {
    let exact = Distance::Exact;
    assert_eq!(placed("src/db/pool.rs:12", None, None), located(exact, POOL, 12));
    assert_eq!(placed("b/src/db/pool.rs:12-14", None, None), located(exact, POOL, 12));
    assert_eq!(placed("src/db/pool.rs:12:5", None, None), located(exact, POOL, 12));
    // A separate line takes precedence; a missing file stays missing.
    assert_eq!(placed("src/db/pool.rs:12", Some(11), None), located(exact, POOL, 11));
    assert_eq!(placed("src/ghost.rs:12", None, None), outside("src/ghost.rs:12", None));
    assert_eq!(placed("src/db/pool.rs:0", None, None), mislocated(POOL, Some(0)));
    for odd in
        ["src/db/pool.rs:", "src/db/pool.rs:x", "src/db/pool.rs:1-", ":12", "src/db/pool.rs:-1"]
    {
        assert_eq!(placed(odd, None, None).0, Location::Outside, "{odd}");
    }
}

#[test]
fn a_renamed_file_answers_to_its_old_path_and_a_copied_one_does_not() {
    let context = Distance::Context;
    assert_eq!(placed("src/old_name.rs", Some(1), None), located(context, "src/new_name.rs", 1));
    assert_eq!(placed("a/src/old_name.rs:2", None, None), located(context, "src/new_name.rs", 2));
    let mut copied = sample();
    copied.files[2].kind = ChangeKind::Copied;
    let finding = samples::finding(Severity::P1, "src/old_name.rs", Some(1), "t");
    assert_eq!(place(&copied, finding).location, Location::Outside);
}

#[test]
fn a_deleted_file_is_known_by_its_old_lines() {
    let (removed, gone) = (Distance::Removed, "src/gone.rs");
    assert_eq!(placed(gone, Some(8), None), located(removed, gone, 8));
    assert_eq!(placed(gone, Some(10), None), mislocated(gone, Some(10)));
    assert_eq!(placed(gone, Some(1), Some("old_total + 1")), moved(removed, gone, 8, 1));
}

#[test]
fn of_a_patch_alone_only_the_hunks_are_known() {
    let patch = "pkg/patch.go";
    assert_eq!(placed(patch, Some(101), None), located(Distance::Exact, patch, 101));
    assert_eq!(placed(patch, Some(99), None), mislocated(patch, Some(99)));
    assert_eq!(placed(patch, Some(103), None), mislocated(patch, Some(103)));
    let quote = Some("w.WriteHeader(200)");
    assert_eq!(placed(patch, Some(7), quote), moved(Distance::Exact, patch, 101, 7));
}

#[test]
fn a_finding_without_line_and_quote_is_located_by_its_file() {
    let place = (Location::Located, None, POOL.to_owned(), None, None);
    assert_eq!(placed(POOL, None, None), place);
    assert_eq!(placed(POOL, None, Some("}")), place);
    assert_eq!(placed("nowhere.rs", None, None), outside("nowhere.rs", None));
}

#[test]
fn spans_move_with_their_line_and_end_with_the_file() {
    let end = |line, end_line, quote: Option<&str>| {
        let finding = Finding {
            end_line: Some(end_line),
            quote: quote.map(str::to_owned),
            ..samples::finding(Severity::P1, POOL, line, "t")
        };
        let finding = place(&sample(), finding).finding;
        (finding.line, finding.end_line)
    };
    assert_eq!(end(Some(38), 99, None), (Some(38), Some(40)));
    assert_eq!(end(Some(12), 11, None), (Some(12), None));
    assert_eq!(end(None, 11, None), (None, None));
    let pop = Some("let conn = self.idle.pop()?;");
    assert_eq!(end(Some(20), 22, pop), (Some(11), Some(13)));
    let two = Some("let conn = self.idle.pop()?;\nself.busy += 1;");
    assert_eq!(end(None, 5, two), (Some(11), Some(12)));
}

#[test]
fn evidence_is_found_in_the_change_and_says_something() {
    let found = |text| evidence(&sample(), text);
    for text in [
        "self.busy += 1;",
        "self.idle.pop()",
        "    self.log(\"take\");\n}",
        // From another file of the change, from removed lines, from the file's text outside the hunks.
        "retry(forever);",
        "old_total + 1",
        "use std::sync::Mutex;",
        // Embedded in prose.
        "Line 11 returns early: `let conn = self.idle.pop()?;`, so the counter is right.",
        "See\n```rust\nself.busy += 1;\n```\nwhich is never reached.",
    ] {
        assert!(found(text), "{text}");
    }
    for text in [
        "",
        "}",
        "   ",
        "` `",
        "self.busy -= 1;",
        "the finding is wrong",
        "self",
        "`pop`",
        "take",
        "elf.busy += 1",
    ] {
        assert!(!found(text), "{text}");
    }
}

#[test]
fn a_short_line_of_two_words_is_evidence_as_a_whole() {
    let body = "+x = y;\n+return;\n+let z = x = y;\n";
    let change = samples::change(vec![samples::file("m.js", ChangeKind::Added, (0, 1, "", body))]);
    assert!(evidence(&change, "x = y;"));
    assert!(!evidence(&change, "return;"));
    assert!(!evidence(&change, "z = x"));
}

/// A quote copied from a prompt, with the numbers that stand before its lines.
#[test]
fn a_quote_with_the_numbers_of_its_lines_is_found() {
    let pool = "src/db/pool.rs";
    for (quote, place) in [
        ("   12 +     self.busy += 1;", located(Distance::Exact, pool, 12)),
        ("12 +     self.busy += 1;", located(Distance::Exact, pool, 12)),
        (
            "   11 +     let conn = self.idle.pop()?;\n   12 +     self.busy += 1;",
            located(Distance::Exact, pool, 12),
        ),
        ("   13       self.log(\"take\");", moved(Distance::Exact, pool, 13, 12)),
        (
            "      -     self.idle.pop()\n   11 +     let conn = self.idle.pop()?;",
            moved(Distance::Exact, pool, 11, 12),
        ),
        ("   12 +     self.busy += 2;", mislocated(pool, Some(12))),
        // Not a line's number, but code.
        ("40 => self.busy += 1;", mislocated(pool, Some(12))),
    ] {
        assert_eq!(placed(pool, Some(12), Some(quote)), place, "{quote}");
    }
}

proptest! {
    #[test]
    fn nothing_that_is_written_breaks_it(
        file in "(src/db/pool.rs|src/gone.rs|.{0,20})(:[0-9-]{0,12})?",
        line in proptest::option::of(any::<u32>()),
        end in proptest::option::of(any::<u32>()),
        quote in proptest::option::of("([-+ ]?[a-z`.;(){}\n ]{0,12}){0,4}"),
        body in "([-+ \\\\x]?[a-z`.;{} ]{0,6}\n){0,8}",
        starts in any::<(u32, u32, u32, u32)>(),
        lines in proptest::option::of(any::<u32>()),
    ) {
        let mut change = sample();
        let (old_start, old_lines, new_start, new_lines) = starts;
        change.files[0].hunks.push(Hunk { old_start, old_lines, new_start, new_lines, heading: String::new(), body });
        change.files[0].lines = lines;
        let finding = Finding {
            end_line: end,
            quote: quote.clone(),
            ..samples::finding(Severity::P2, &file, line, "t")
        };
        let once = place(&change, finding);
        prop_assert_eq!(once.nearness.is_some() && once.location != Location::Located, false);
        if let (Some(line), Some(end)) = (once.finding.line, once.finding.end_line) {
            prop_assert!(line <= end);
        }
        // Placing a placed finding again changes nothing.
        if once.location != Location::Outside {
            let twice = place(&change, once.finding.clone());
            let twice = (twice.location, twice.finding.file, twice.finding.line);
            prop_assert_eq!(twice, (once.location, once.finding.file, once.finding.line));
        }
        let _ = evidence(&change, quote.as_deref().unwrap_or_default());
    }
}

#[test]
fn the_code_around_a_finding_marks_its_lines_in_the_file_that_has_them() {
    let marked = |file: &str, line: Option<u32>, quote: Option<&str>| {
        let finding = Finding {
            quote: quote.map(str::to_owned),
            ..samples::finding(Severity::P1, file, line, "a title")
        };
        let excerpt = excerpt(&sample(), &place(&sample(), finding))?;
        let Lines { old, first, last } = excerpt.marked;
        assert!(excerpt.hunk.body.contains(quote.unwrap_or_default()), "{}", excerpt.hunk);
        Some((old, first, last))
    };
    assert_eq!(marked(POOL, Some(12), None), Some((false, 12, 12)));
    assert_eq!(marked(POOL, Some(30), None), Some((false, 30, 30)));
    // The new file's line 11 took the place of the old one's.
    assert_eq!(marked(POOL, None, Some("-    self.idle.pop()\n")), Some((true, 11, 11)));
    assert_eq!(marked("src/gone.rs", Some(8), None), Some((true, 8, 8)));
    assert_eq!(marked(POOL, None, None), None);
    assert_eq!(marked(POOL, Some(900), None), None);
    assert_eq!(marked("nowhere.rs", Some(3), None), None);
}
