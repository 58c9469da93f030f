//! Tests of where comments stand, and of the length of what sums up.

use super::*;
use crate::change::{Hunk, Lines};
use crate::report::review::example;

#[test]
fn a_comment_stands_at_lines_that_a_diff_on_github_shows() {
    let body = " 1\n 2\n 3\n 4\n+5\n-x\n 6\n 7\n 8\n 9\n";
    let of = |old, first, last| {
        let (old_start, old_lines, new_start, new_lines) = (1, 9, 1, 9);
        let (heading, body) = (String::new(), body.to_owned());
        let hunk = Hunk { old_start, old_lines, new_start, new_lines, heading, body };
        lines(&Excerpt { hunk, marked: Lines { old, first, last } })
    };
    assert_eq!(of(false, 5, 5), Some((5, 5)));
    assert_eq!(of(false, 2, 8), Some((2, 8)));
    assert_eq!(of(false, 1, 5), None, "the first is too far from a change");
    assert_eq!(of(false, 9, 9), None);
    assert_eq!(of(true, 5, 5), None, "a line of the old file");
}

#[test]
fn what_sums_up_has_thirty_lines_and_the_record_folded() {
    let mut document = example::changes_requested();
    let one = document.result.findings[0].clone();
    document.result.findings.extend(vec![one; 40]);
    let seat = document.header.seats[0].clone();
    document.header.seats.extend(vec![seat; 7]);
    document.header.rehearsal = true;
    let text = summary(&document);
    let (shown, folded) = text.split_once("<details>").unwrap();
    assert!(shown.lines().count() <= 30, "{shown}");
    assert!(shown.contains("more in the record below"), "{shown}");
    assert!(folded.contains("## Findings") && text.len() < 65_000);
}
