//! Tests of the output of `diff`.

use super::*;
use crate::change::{Hunk, Omission};
use crate::report::example;

fn hunk(start: u32, body: &str) -> Hunk {
    Hunk {
        old_start: start,
        old_lines: 2,
        new_start: start,
        new_lines: 2,
        heading: "fn main()".to_owned(),
        body: body.to_owned(),
    }
}

fn file(path: &str, kind: ChangeKind, hunks: Vec<Hunk>) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        old_path: None,
        kind,
        modes: None,
        hunks,
        lines: Some(40),
        text: Some("text that is not printed".to_owned()),
    }
}

fn change() -> Change {
    let mut moved = file("src/new_name.rs", ChangeKind::Renamed, Vec::new());
    moved.old_path = Some("src/old_name.rs".to_owned());
    let mut mode = file("run.sh", ChangeKind::ModeChanged, Vec::new());
    mode.modes = Some(("100644".to_owned(), "100755".to_owned()));
    let part = |file, first, end| Part { file, first, end };
    let left = |path: &str, why, detail: &str| NotReviewed {
        path: path.to_owned(),
        why,
        detail: detail.to_owned(),
        missed: false,
    };
    Change {
        scope: "working tree against HEAD".to_owned(),
        base: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        files: vec![
            mode,
            file(
                "src/a.rs",
                ChangeKind::Modified,
                vec![hunk(1, " a\n-b\n+c\n"), hunk(30, " d\n-e\n+f\n+g\n")],
            ),
            moved,
        ],
        batches: vec![
            Batch { parts: vec![part(0, 0, 0), part(1, 0, 1)] },
            Batch { parts: vec![part(1, 1, 2), part(2, 0, 0)] },
        ],
        not_reviewed: vec![
            left(".env", Omission::Secret, "`.env`: environment files hold secrets"),
            left("Cargo.lock", Omission::Excluded, "review.exclude contains `Cargo.lock`"),
        ],
        totals: Totals { files: 5, added: 40, removed: 7, bytes: 3_000 },
    }
}

fn document(change: &Change, full: bool) -> DiffDocument {
    DiffDocument::new(change, 400_000, 8, full)
}

#[test]
fn a_change_that_is_not_seen_whole_is_not_called_so() {
    let mut change = change();
    assert!(document(&change, false).complete);
    change.not_reviewed.push(NotReviewed {
        path: "big.js (line 1)".to_owned(),
        why: Omission::TooLarge,
        detail: "one of its lines is longer than a prompt's 400000 bytes".to_owned(),
        missed: true,
    });
    let document = document(&change, false);
    assert!(!document.complete);
    let text = document.render(Look::plain(40));
    assert!(text.replace('\n', " ").contains("cannot end as clean"), "{text}");
}

proptest::proptest! {
    #[test]
    fn nothing_of_a_change_acts_on_a_terminal(evil in example::evil_text(), full in proptest::bool::ANY) {
        let mut change = change();
        change.scope.clone_from(&evil);
        for file in &mut change.files {
            file.path.clone_from(&evil);
            file.old_path = Some(evil.clone());
            for hunk in &mut file.hunks {
                hunk.body = format!("+{evil}\n");
                hunk.heading.clone_from(&evil);
            }
        }
        for left in &mut change.not_reviewed {
            left.path.clone_from(&evil);
            left.detail.clone_from(&evil);
        }
        let text = document(&change, full).render(Look::plain(80));
        proptest::prop_assert!(example::is_inert(&text), "{:?}", text);
    }
}
