//! Tests of excerpts: cases worked out by hand, and each against both texts.

use super::*;
use crate::change::{NotReviewed, Omission, Reason, compare};

/// Forty lines; 10 is changed, 20 removed, and two stand after 24.
fn texts() -> (String, String) {
    let old: Vec<String> = (1..=40).map(|line| format!("line {line}\n")).collect();
    let old = old.concat();
    let new = old.replace("line 10\n", "changed\n").replace("line 20\n", "");
    let new = new.replace("line 24\n", "line 24\nnew a\nnew b\n");
    (old, new)
}

fn hunk(old: (u32, u32), new: (u32, u32), body: &str) -> Hunk {
    let ((old_start, old_lines), (new_start, new_lines)) = (old, new);
    let (heading, body) = ("fn f()".to_owned(), body.to_owned());
    Hunk { old_start, old_lines, new_start, new_lines, heading, body }
}

fn file(kind: ChangeKind, hunks: Vec<Hunk>, text: Option<String>) -> ChangedFile {
    let (path, lines) = ("a.rs".to_owned(), None);
    ChangedFile { path, old_path: None, kind, modes: None, hunks, lines, text }
}

fn modified() -> ChangedFile {
    let hunks = vec![
        hunk((9, 3), (9, 3), " line 9\n-line 10\n+changed\n line 11\n"),
        hunk((19, 3), (19, 2), " line 19\n-line 20\n line 21\n"),
        hunk((24, 2), (23, 4), " line 24\n+new a\n+new b\n line 25\n"),
    ];
    file(ChangeKind::Modified, hunks, Some(texts().1))
}

fn cut(file: &ChangedFile, old: bool, first: u32, last: u32) -> Option<Excerpt> {
    Change::default().excerpt(file, Lines { old, first, last })
}

fn shown(file: &ChangedFile, first: u32, last: u32) -> String {
    cut(file, false, first, last).unwrap().hunk.to_string()
}

/// Asserts that each line of a hunk stands in both texts where the hunk says, and that its numbers of lines are right.
fn assert_right(hunk: &Hunk, old: &str, new: &str) {
    for (text, other, start, lines) in
        [(old, '+', hunk.old_start, hunk.old_lines), (new, '-', hunk.new_start, hunk.new_lines)]
    {
        let own = hunk.body.lines().filter(|line| !line.starts_with(other));
        let own: Vec<&str> = own.map(|line| &line[1..]).collect();
        assert_eq!(own.len(), lines as usize, "{hunk}");
        let there = text.lines().skip(start as usize - usize::from(lines > 0));
        assert_eq!(own, there.take(own.len()).collect::<Vec<_>>(), "{hunk}");
    }
}

#[test]
fn an_excerpt_of_any_place_is_a_hunk_of_both_texts() {
    let (old, new) = texts();
    let compared = file(ChangeKind::Modified, compare::hunks(Some(&old), &new), Some(new.clone()));
    for file in [modified(), compared] {
        for (side, text) in [(true, &old), (false, &new)] {
            let count = number(text.lines().count());
            for (first, last) in (1..=count).flat_map(|first| [(first, first), (first, first + 5)])
            {
                let Excerpt { hunk, marked } = cut(&file, side, first, last).unwrap();
                assert_right(&hunk, &old, &new);
                assert_eq!((marked.first, marked.last), (first, last.min(count)));
                assert!(hunk.body.lines().count() <= 6 + 6 + 12, "{hunk}");
            }
            assert_eq!(cut(&file, side, count + 1, count + 9), None);
        }
    }
}

#[test]
fn six_lines_around_come_of_the_hunk_and_of_the_text() {
    assert_eq!(
        shown(&modified(), 10, 10),
        "@@ -5,12 +5,12 @@ fn f()\n line 5\n line 6\n line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13\n line 14\n line 15\n line 16\n"
    );
    let patch_alone = ChangedFile { text: None, ..modified() };
    assert_eq!(
        shown(&patch_alone, 10, 10),
        "@@ -9,3 +9,3 @@ fn f()\n line 9\n-line 10\n+changed\n line 11\n"
    );
    assert_eq!(cut(&patch_alone, false, 14, 14), None);
}

#[test]
fn a_line_outside_the_hunks_has_the_old_number_that_the_hunks_before_it_give() {
    assert_eq!(
        shown(&modified(), 40, 41),
        "@@ -33,8 +34,8 @@\n line 33\n line 34\n line 35\n line 36\n line 37\n line 38\n line 39\n line 40\n"
    );
    assert!(shown(&modified(), 1, 1).starts_with("@@ -1,7 +1,7 @@\n line 1\n"));
}

#[test]
fn near_hunks_are_one_and_touching_pieces_too() {
    let text = shown(&modified(), 21, 21);
    assert!(text.contains("\n-line 20\n") && text.contains("\n+new a\n"), "{text}");
    let pieces = vec![hunk((1, 1), (1, 1), " a\n"), hunk((1, 0), (2, 1), "+b\n")];
    let pieces = file(ChangeKind::Modified, pieces, None);
    assert_eq!(shown(&pieces, 2, 2), "@@ -1,1 +1,2 @@ fn f()\n a\n+b\n");
}

#[test]
fn removed_lines_are_found_by_their_old_numbers() {
    let excerpt = cut(&modified(), true, 20, 20).unwrap();
    assert!(excerpt.hunk.body.contains("\n-line 20\n"));
    let deleted = file(ChangeKind::Deleted, vec![hunk((1, 2), (0, 0), "-a\n-b\n")], None);
    let excerpt = cut(&deleted, true, 2, 2).unwrap();
    assert_eq!(excerpt.hunk.to_string(), "@@ -1,2 +0,0 @@ fn f()\n-a\n-b\n");
    assert_eq!(cut(&deleted, false, 1, 2), None);
}

#[test]
fn a_new_file_its_line_ends_and_a_missing_one_stay() {
    let added = |text: &str| {
        file(ChangeKind::Added, compare::whole(text).into_iter().collect(), Some(text.to_owned()))
    };
    assert_eq!(
        shown(&added("a\r\nb"), 1, 1),
        "@@ -0,0 +1,2 @@\n+a\r\n+b\n\\ No newline at end of file\n"
    );
    assert_eq!(shown(&added("\\ No newline at end of file\n"), 1, 1).lines().count(), 2);
    let (old, new) = ("x\n".repeat(20) + "end", "y\n".to_owned() + &"x\n".repeat(19) + "end");
    let file = file(ChangeKind::Modified, compare::hunks(Some(&old), &new), Some(new));
    let text = shown(&file, 21, 21);
    assert!(text.ends_with(" end\n\\ No newline at end of file\n"), "{text}");
}

#[test]
fn a_long_place_and_a_long_line_are_cut() {
    let text = format!("{}\n", "é".repeat(500)) + &"x\n".repeat(600);
    let long = file(ChangeKind::Added, compare::whole(&text).into_iter().collect(), None);
    let Excerpt { hunk, marked } = cut(&long, false, 1, 600).unwrap();
    assert_eq!((hunk.new_lines, marked.last), (30, 30));
    assert_eq!(hunk.body.lines().next().unwrap(), format!("+{}…", "é".repeat(400)));
}

#[test]
fn what_lies_between_the_hunks_of_a_part_is_not_known() {
    let (file, place) = (modified(), Lines { old: false, first: 14, last: 14 });
    let mut change = Change::default();
    assert!(change.excerpt(&file, place).is_some());
    let reason = Reason::missed(Omission::TooLarge, "so");
    change.not_reviewed = vec![NotReviewed::new("a.rs (lines 13-15)", reason)];
    assert_eq!(change.excerpt(&file, place), None);
    assert!(change.excerpt(&file, Lines { first: 10, last: 10, ..place }).is_some());
}
