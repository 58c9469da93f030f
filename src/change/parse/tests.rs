//! What is read of a diff, worked out by hand.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

const A: &str = "1111111111111111111111111111111111111111";
const Z: &str = "0000000000000000000000000000000000000000";

/// One entry of `--raw -z`.
fn raw(modes: &str, new_id: &str, status: &str, names: &[&str]) -> String {
    let (old, new) = modes.split_once(' ').unwrap();
    let names = names.join("\0");
    format!(":{old} {new} {A} {new_id} {status}\0{names}\0")
}

fn named<'a>(entries: &'a [Entry<'a>]) -> Vec<(&'a str, char, usize)> {
    let path = |entry: &'a Entry<'_>| std::str::from_utf8(&entry.listed.path).unwrap();
    let row =
        |entry: &'a Entry<'_>| (path(entry), char::from(entry.listed.status), entry.sections.len());
    entries.iter().map(row).collect()
}

const TYPE: &str = "diff --git a/t b/t\ndeleted file mode 100644\n--- a/t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/t b/t\nnew file mode 120000\n--- /dev/null\n+++ b/t\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n";

#[test]
fn each_listed_file_gets_its_own_sections() {
    let printed = [
        raw("100644 100644", Z, "M", &["a"]),
        raw("100644 100644", A, "R100", &["old", "new"]),
        raw("100644 120000", Z, "T", &["t"]),
        raw("100644 100644", Z, "M", &["touched"]),
        raw("000000 100644", Z, "A", &["we\tird\"\n\u{1}é"]),
        "\0".to_owned(),
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-diff --git a/evil b/evil\n+diff --git a/new b/new\n".to_owned(),
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n".to_owned(),
        TYPE.to_owned(),
        "diff --git \"a/we\\tird\\\"\\n\\001é\" \"b/we\\tird\\\"\\n\\001é\"\nnew file mode 100644\n".to_owned(),
    ]
    .concat();
    let entries = entries(printed.as_bytes()).unwrap();
    assert_eq!(
        named(&entries),
        [
            ("a", 'M', 1),
            ("new", 'R', 1),
            ("t", 'T', 2),
            ("touched", 'M', 0),
            ("we\tird\"\n\u{1}é", 'A', 1)
        ]
    );
    let unlooked: Vec<bool> = entries.iter().map(|entry| entry.listed.is_unlooked()).collect();
    assert_eq!(unlooked, [true, false, false, true, false]);
    assert_eq!(entries[1].listed.old_path, b"old");
}

#[test]
fn nothing_listed_is_lost_and_nothing_else_is_taken() {
    let one = raw("100644 100644", Z, "M", &["a"]);
    let section = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    // A file without its section is there, without one: the caller names it.
    let two = [&one, &raw("100644 100644", A, "M", &["b"]), "\0", section].concat();
    assert_eq!(named(&entries(two.as_bytes()).unwrap()), [("a", 'M', 1), ("b", 'M', 0)]);
    // Sections of nobody, before, between and behind.
    let at = one.len() + 1;
    for (patch, place) in [
        (format!("junk\n{section}"), at),
        (format!("{section}diff --git a/b b/b\n"), at + section.len()),
        (format!("{section}diff --cc a\n"), at + section.len()),
        (format!("{section}{section}"), at + section.len()),
        ("junk".to_owned(), at),
    ] {
        let printed = format!("{one}\0{patch}");
        assert_eq!(entries(printed.as_bytes()), Err(ParseError::Stray(place)), "{patch}");
    }
    for broken in
        [":", ":100644", "x", ":1 2 3 4 M\0", ":1 2 3 4 R\0a\0", ":1 2 3 M\0a\0", ":1 2 3 4 M\0\0"]
    {
        assert!(matches!(entries(broken.as_bytes()), Err(ParseError::List(_))), "{broken:?}");
    }
    assert_eq!(entries(b""), Ok(vec![]));
    // What is not merged is listed, and its line is no section of somebody else.
    let printed = [&raw("100644 000000", Z, "U", &["u"]), "\0* Unmerged path u\n"].concat();
    assert_eq!(named(&entries(printed.as_bytes()).unwrap()), [("u", 'U', 0)]);
}

#[test]
fn a_section_is_read_as_it_stands() {
    let found = section(
        b"diff --git a/a b/a\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@ fn main() {\r\n one\r\n-tw\xff\n+two\n three\n\\ No newline at end of file\n",
    )
    .unwrap();
    assert_eq!(found.path, b"a");
    assert_eq!(found.kind, ChangeKind::Modified);
    assert_eq!(found.modes, Some(("100644".to_owned(), "100755".to_owned())));
    assert_eq!(
        found.hunks,
        [Hunk {
            old_start: 1,
            old_lines: 3,
            new_start: 1,
            new_lines: 3,
            heading: "fn main() {".to_owned(),
            body: " one\r\n-tw\u{fffd}\n+two\n three\n\\ No newline at end of file\n".to_owned(),
        }]
    );
    let kinds = [
        ("old mode 100644\nnew mode 100755\n", ChangeKind::ModeChanged),
        ("similarity index 100%\nrename from a\nrename to b\n", ChangeKind::Renamed),
        ("similarity index 100%\ncopy from a\ncopy to b\n", ChangeKind::Copied),
        ("new file mode 100644\nindex 0..1\n", ChangeKind::Added),
        ("deleted file mode 100644\nindex 0..1\n", ChangeKind::Deleted),
    ];
    for (headers, kind) in kinds {
        let found = section(format!("diff --git a/a b/a\n{headers}").as_bytes()).unwrap();
        assert_eq!((found.kind, found.hunks.len()), (kind, 0), "{headers}");
    }
    let binary = "diff --git a/a b/a\nindex 1..2 100644\nBinary files a/a and b/a differ\n";
    assert!(section(binary.as_bytes()).unwrap().binary);
}

#[test]
fn a_section_with_more_in_it_than_its_hunks_is_none() {
    let good = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    assert!(section(good.as_bytes()).is_ok());
    // What mail programs add.
    assert!(section(format!("{good}-- \n2.47\n\n").as_bytes()).is_ok());
    for wrong in [
        format!("{good}+more\n"),
        format!("{good}junk\n@@ -5 +5 @@\n-x\n+y\n"),
        format!("{good}junk\n"),
        format!("{good}@@ -2 +2,2 @@\n-x\n+y\n"),
        format!("{good}@@ -1 +1 @@\n-x\n+y\n"),
        good.replace("@@ -1 +1 @@", "@@ -1 +1"),
        good.replace("@@ -1 +1 @@", "@@ -99999999999 +1 @@"),
        good.replace("diff --git a/a b/a", "diff --cc a"),
        "* Unmerged path a\n".to_owned(),
    ] {
        assert!(section(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn patches_of_every_origin_are_read_whole_or_not_at_all() {
    let plain = "--- old/src/a.c\t2026-01-01\n+++ new/src/a.c\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n";
    let found = patch(plain.as_bytes()).unwrap();
    assert_eq!(found[0].path, b"src/a.c");
    assert_eq!(found[0].old_path, b"src/a.c");
    let two = format!("{plain}--- a/b\n+++ b/b\n@@ -1 +1 @@\n--- x\n+++ y\n");
    let found = patch(two.as_bytes()).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].hunks[0].body, "--- x\n+++ y\n");
    let mail = "From 1 Mon Sep 17\nSubject: x\n\nText\n---\n a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n-- \n2.47\n\n";
    let series = patch(mail.repeat(2).as_bytes()).unwrap();
    assert_eq!(series.len(), 2);
    let no_prefix = "diff --git src/a src/a\n--- src/a\n+++ src/a\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(patch(no_prefix.as_bytes()).unwrap()[0].path, b"src/a");
    for (wrong, why) in [
        ("no diff at all\n".to_owned(), "no diff"),
        ("{\"a\": 1}".to_owned(), "no diff"),
        (format!("{plain}Only in new: b\n"), "too little"),
        (format!("{plain}Binary files a and b differ\n"), "too little"),
        (format!("{plain}junk\n@@ -5 +5 @@\n-x\n+y\n"), "of 2 hunks 1"),
        ("@@ -5 +5 @@\n-x\n+y\n".to_owned(), "cannot be read"),
        (format!("{no_prefix}diff --cc a\n@@@ -1 -1 +1 @@@\n++x\n"), "more than two"),
        (plain.replace("-x\n", ""), "cannot be read"),
    ] {
        let said = patch(wrong.as_bytes()).unwrap_err().to_string();
        assert!(said.contains(why), "{wrong}: {said}");
    }
}

#[test]
fn names_stay_on_their_line() {
    assert_eq!(path_text("größe.rs".as_bytes()), "größe.rs");
    assert_eq!(path_text(b"a\n+++ b/evil\x1b[2J\xff"), "a\\x0a+++ b/evil\\x1b[2J\\xff");
}

#[test]
fn lines_are_counted_behind_the_first_hunk_alone() {
    let text = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n";
    assert_eq!(count(text.as_bytes()), (1, 1));
    assert_eq!(count(b"diff --git a/a b/a\n+x\n"), (0, 0));
}

/// Lines of a hunk: marks and texts.
fn body() -> impl Strategy<Value = Vec<(char, String)>> {
    let mark = prop_oneof![Just(' '), Just('+'), Just('-')];
    proptest::collection::vec((mark, "[ a-z@+-]{0,8}"), 1..20)
}

/// Writes a section of several hunks, and returns their lines besides.
fn written(hunks: &[Vec<(char, String)>]) -> (String, Vec<String>) {
    let mut text = "diff --git a/f b/f\n--- a/f\n+++ b/f\n".to_owned();
    let (mut old, mut new, mut lines) = (1, 1, Vec::new());
    for hunk in hunks {
        let of = |mark: char| hunk.iter().filter(|(m, _)| *m == ' ' || *m == mark).count();
        let (less, more) = (of('-'), of('+'));
        writeln!(text, "@@ -{old},{less} +{new},{more} @@").unwrap();
        for (mark, line) in hunk {
            lines.push(format!("{mark}{line}"));
            writeln!(text, "{mark}{line}").unwrap();
        }
        (old, new) = (old + less + 30, new + more + 30);
    }
    (text, lines)
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in any::<Vec<u8>>()) {
        drop((entries(&bytes), section(&bytes), patch(&bytes)));
        let _counted = count(&bytes);
        prop_assert!(!path_text(&bytes).chars().any(char::is_control));
    }

    #[test]
    fn what_looks_like_a_diff_makes_no_reader_panic(
        lines in proptest::collection::vec(
            prop_oneof![
                Just("diff --git a/f b/f\n"), Just("--- a/f\n"), Just("+++ b/f\n"), Just("@@ -1 +1 @@\n"),
                Just("-x\n"), Just("+y\n"), Just(" z\n"), Just("\n"), Just("\\ No newline at end of file\n"),
                Just("rename from a\n"), Just("rename to \"b\\"), Just("new file mode 1\n"),
                Just("Binary files a and b differ\n"), Just("@@ -0,0 +1,2 @@"), Just("GIT binary patch\n"),
                Just("@@ -4294967295,4294967295 +1 @@\n"), Just("From \n---\n"),
            ],
            0..30,
        )
    ) {
        let text = lines.concat();
        drop((section(text.as_bytes()), patch(text.as_bytes())));
    }

    #[test]
    fn every_line_of_a_diff_is_kept(hunks in proptest::collection::vec(body(), 1..5)) {
        let (text, lines) = written(&hunks);
        let found = section(text.as_bytes()).unwrap();
        let kept: Vec<String> = found.hunks.iter()
            .flat_map(|hunk| hunk.body.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        prop_assert_eq!(&kept, &lines);
        // And once more, through the text that a prompt shows.
        let file = crate::change::ChangedFile {
            path: "f".to_owned(), old_path: None, kind: ChangeKind::Modified, modes: None,
            hunks: found.hunks.clone(), lines: None, text: None,
        };
        let mut shown = String::new();
        file.render(0..file.hunks.len(), &mut shown);
        let again = patch(shown.as_bytes()).unwrap();
        prop_assert_eq!(&again[0].hunks, &found.hunks);
    }
}
