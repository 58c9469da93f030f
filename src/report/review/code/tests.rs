//! Tests of quotes in hunks, and of fixes as diffs.

use super::*;
use crate::change::Lines;
use crate::report::page::ToPage as _;
use crate::report::review::example;

fn excerpt(old: bool, body: &str) -> Excerpt {
    let (old_start, old_lines, new_start, new_lines) = (1, 9, 1, 9);
    let (heading, body) = (String::new(), body.to_owned());
    let hunk = Hunk { old_start, old_lines, new_start, new_lines, heading, body };
    Excerpt { hunk, marked: Lines { old, first: 1, last: 1 } }
}

#[test]
fn a_quote_is_found_by_whole_lines_of_the_side_that_is_marked() {
    let body = "     a(1);\n-    b(2);\n+    c(3);\n \n     d(4);\n\\ No newline at end of file\n";
    let of = |old, quote| quoted(&excerpt(old, body), quote);
    assert_eq!(of(false, "c( 3 );\nd(4)").as_deref(), Some("    c(3);\n\n    d(4);"));
    assert_eq!(of(true, "b(2)").as_deref(), Some("    b(2);"));
    assert_eq!(of(false, "b(2)"), None);
    assert_eq!(of(false, "a(1);\nd(4);"), None);
    assert_eq!(of(false, " \n"), None);
}

#[test]
fn a_fix_with_one_fenced_block_is_a_diff_and_any_other_is_not() {
    let of = |fix| patch("    let a = b as i32;\n    go(a);", fix);
    let Patch { text, hunks } =
        of("Try it:\n\n```rust\nlet a = b.try_into()?;\ngo(a);\n```\n\nThen test.").unwrap();
    assert_eq!(text, "Try it:\n\nThen test.");
    assert_eq!(hunks.len(), 1);
    assert_eq!(hunks[0].body, "-let a = b as i32;\n+let a = b.try_into()?;\n go(a);\n");
    for other in [
        "Use `try_into`.",
        "    let a = 1;",
        "```\na\n```\nor\n```\nb\n```",
        "```\nlet a = b as i32;\ngo(a);\n```",
    ] {
        assert_eq!(of(other), None, "{other}");
    }
}

#[test]
fn a_report_shows_the_code_once_and_the_fix_as_a_diff() {
    let document = example::changes_requested();
    let text = document.markdown();
    assert_eq!(text.matches("let cents = amount as i32;").count(), 1, "{text}");
    assert!(
        text.contains(
            "```diff\n@@ -40,4 +40,5 @@ fn pay_back(id: Id, amount: i64) -> Result<()> {\n"
        )
    );
    assert!(text.contains("```diff\n-file.flush().ok();\n+file.flush()?;\n```\n"), "{text}");
    assert!(text.contains("| src/pay.rs | modified | 0 | 0 | 2 |"), "{text}");
    let html = document.html();
    assert!(html.contains("aria-label=\"Changed code, new lines 42 to 43 marked\""));
    assert_eq!(html.matches("<td>▶</td>").count(), 3);
}

#[test]
fn a_stored_review_without_hunks_and_files_is_read_and_quotes_its_code() {
    let mut stored = serde_json::to_value(example::clean()).unwrap();
    stored["change"].as_object_mut().unwrap().remove("files");
    let clean: super::super::ReviewDocument = serde_json::from_value(stored).unwrap();
    assert!(clean.headline().starts_with("CLEAN; "), "{}", clean.headline());
    let mut document = example::changes_requested();
    document.result.findings[0].reported.hunk = None;
    let text = document.markdown();
    assert!(text.contains("The code:\n\n```\nlet cents = amount as i32;\n"), "{text}");
}

#[test]
fn a_fix_takes_the_place_of_the_marked_lines_if_it_is_no_more_than_they_are() {
    let body = " fn f() {\n+    a(1);\n+    b(2);\n     c(3);\n }\n";
    let of = |quote: &str, (first, last), fix: &str| {
        let mut reported = example::changes_requested().result.findings[0].reported.clone();
        let mut excerpt = excerpt(false, body);
        excerpt.marked = Lines { old: false, first, last };
        reported.hunk = Some(excerpt);
        reported.finding.quote = Some(quote.to_owned());
        reported.finding.fix = format!("Do:\n\n```rust\n{fix}\n```\n");
        replacement(&reported)
    };
    let two = "a(1);\nb(2);";
    let fixed = "    if x {\n        b(2);\n    }\n";
    assert_eq!(of(two, (2, 3), "if x {\n    b(2);\n}").as_deref(), Some(fixed));
    assert_eq!(of(two, (2, 3), "fn f() {\n    a(2);\n"), None, "a line before it");
    assert_eq!(of(two, (2, 3), "a(2);\nc(3);"), None, "a line after it");
    assert_eq!(of(two, (2, 2), "a(2);"), None, "not all lines are marked");
    assert_eq!(of("z(1);", (2, 2), "a(2);"), None, "not what stands there");
    assert_eq!(of(two, (2, 3), "a(1);\nb(2);"), None, "nothing is changed");
}
