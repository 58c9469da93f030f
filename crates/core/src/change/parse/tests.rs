//! Diffs parsed by hand.

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
    // A file without its section is kept: the caller reports it.
    let two = [&one, &raw("100644 100644", A, "M", &["b"]), "\0", section].concat();
    assert_eq!(named(&entries(two.as_bytes()).unwrap()), [("a", 'M', 1), ("b", 'M', 0)]);
    // Stray sections before, between and after the others.
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
    // An unmerged file is listed, and its line does not become another file's section.
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
    // Signatures that mail programs add.
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
        ("no diff at all\n".to_owned(), "contains no diff"),
        ("{\"a\": 1}".to_owned(), "contains no diff"),
        (format!("{plain}Only in new: b\n"), "too little"),
        (format!("{plain}Binary files a and b differ\n"), "too little"),
        (format!("{plain}junk\n@@ -5 +5 @@\n-x\n+y\n"), "only 1 of 2 hunks"),
        ("@@ -5 +5 @@\n-x\n+y\n".to_owned(), "cannot be read"),
        (format!("{no_prefix}diff --cc a\n@@@ -1 -1 +1 @@@\n++x\n"), "more than two"),
        (plain.replace("-x\n", ""), "cannot be read"),
    ] {
        let said = patch(wrong.as_bytes()).unwrap_err().to_string();
        assert!(said.contains(why), "{wrong}: {said}");
    }
}

/// What git writes for a file that is changed, added or deleted, between two prefixes.
fn edited(kind: char, old: &str, new: &str, name: &str) -> String {
    let (head, from, to) = match kind {
        'A' => ("new file mode 100644\n", "/dev/null".to_owned(), format!("{new}{name}")),
        'D' => ("deleted file mode 100644\n", format!("{old}{name}"), "/dev/null".to_owned()),
        _ => ("", format!("{old}{name}"), format!("{new}{name}")),
    };
    let hunk = match kind {
        'A' => "@@ -0,0 +1 @@\n+y\n",
        'D' => "@@ -1 +0,0 @@\n-x\n",
        _ => "@@ -1 +1 @@\n-x\n+y\n",
    };
    format!("diff --git {old}{name} {new}{name}\n{head}--- {from}\n+++ {to}\n{hunk}")
}

fn paths(text: impl AsRef<[u8]>) -> Vec<(String, String)> {
    let found = patch(text.as_ref()).unwrap();
    found.iter().map(|each| (path_text(&each.old_path), path_text(&each.path))).collect()
}

fn same(names: &[&str]) -> Vec<(String, String)> {
    names.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect()
}

#[test]
fn the_prefix_of_a_patch_is_decided_by_all_of_its_files() {
    let names = ["a/lib.rs", "b/lib.rs", "src/i/x.rs", "w/x y.rs", "README.md", "run.sh"];
    for (old, new) in [
        ("a/", "b/"),
        ("b/", "a/"),
        ("c/", "w/"),
        ("i/", "w/"),
        ("o/", "w/"),
        ("1/", "2/"),
        ("", ""),
        ("old/", "new/"),
        ("x/old/", "x/gold/"),
        ("OLD:", "NEW:"),
        ("before-", "after-"),
        ("", "new/"),
        ("src/", ""),
    ] {
        for kinds in ["MMMMM", "AAAAA", "DDDDD", "MADMA"] {
            let mut text: String = names
                .iter()
                .zip(kinds.chars())
                .map(|(name, kind)| edited(kind, old, new, name))
                .collect();
            let mut expected = same(&names[..5]);
            if old == new || (old.ends_with('/') && new.ends_with('/')) {
                text.push_str("diff --git ");
                text.push_str(&[old, "run.sh ", new].concat());
                text.push_str("run.sh\nold mode 100644\nnew mode 100755\n");
                expected.push(same(&names[5..]).remove(0));
            }
            assert_eq!(paths(&text), expected, "{old:?} {new:?} {kinds}: {text}");
        }
        // One file alone says enough where the prefix ends like a folder.
        if old.ends_with('/') && new.ends_with('/') {
            for kind in "MAD".chars() {
                assert_eq!(
                    paths(edited(kind, old, new, "a/x.rs")),
                    same(&["a/x.rs"]),
                    "{old} {kind}"
                );
            }
        }
    }
    let quoted = "diff --git \"c/\\303\\266.rs\" \"w/\\303\\266.rs\"\nnew file mode 100644\n--- /dev/null\n+++ \"w/\\303\\266.rs\"\n@@ -0,0 +1 @@\n+y\n";
    assert_eq!(paths(quoted), same(&["ö.rs"]));
    // A rename names its files without a prefix.
    let renamed = "diff --git a/x b/x\nsimilarity index 100%\nrename from a/x\nrename to b/x\n";
    let both = [renamed.to_owned(), edited('A', "", "", "b/new.rs")].concat();
    assert_eq!(paths(&both)[0], ("a/x".to_owned(), "b/x".to_owned()));
    assert_eq!(paths(&both)[1..], same(&["b/new.rs"]));
    // Patches of two origins in one file.
    let mixed =
        [edited('M', "c/", "w/", "a/x"), edited('A', "", "", "b/y"), edited('D', "a/", "b/", "z")];
    assert_eq!(paths(mixed.concat()), same(&["a/x", "b/y", "z"]));
    // Two files that git was told to compare.
    let other =
        "diff --git a/one.txt b/two.txt\n--- a/one.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(paths(other), [("one.txt".to_owned(), "two.txt".to_owned())]);
}

#[test]
fn a_submodule_is_a_section_wherever_it_stands() {
    let file = edited('M', "a/", "b/", "x.rs");
    for (lines, name, commits) in [
        ("Submodule lib/v 1234567..89abcde:\n  > One\n  < Two\n", "lib/v", ("1234567", "89abcde")),
        ("Submodule my lib 1234567...89abcde:\n", "my lib", ("1234567", "89abcde")),
        ("Submodule v 89abcde..1234567 (rewind):\n  < One\n", "v", ("89abcde", "1234567")),
        ("Submodule v 0000000...89abcde (new submodule)\n", "v", ("0000000", "89abcde")),
        ("Submodule v 1234567...0000000 (submodule deleted)\n", "v", ("1234567", "0000000")),
        ("Submodule v 1234567...89abcde (commits not present)\n", "v", ("1234567", "89abcde")),
        ("Submodule v contains untracked content\n", "v", ("", "")),
        ("Submodule v contains modified content\n", "v", ("", "")),
    ] {
        for text in [
            lines.to_owned(),
            format!("{lines}{file}"),
            format!("{file}{lines}"),
            format!("{file}{lines}{file}"),
            format!("\u{feff}{lines}{file}").replace('\n', "\r\n"),
        ] {
            let found = patch(text.as_bytes()).unwrap();
            let moved: Vec<_> = found.iter().filter(|each| each.submodule.is_some()).collect();
            assert_eq!((moved.len(), found.len() - 1), (1, text.matches("@@ -").count()), "{text}");
            let (old, new) = moved[0].submodule.as_ref().unwrap();
            assert_eq!(
                (path_text(&moved[0].path).as_str(), (old.as_str(), new.as_str())),
                (name, commits)
            );
        }
    }
    let short = "diff --git a/v b/v\nindex 1..2 160000\n--- a/v\n+++ b/v\n@@ -1 +1 @@\n-Subproject commit 1234567\n+Subproject commit 89abcde\n";
    assert_eq!(
        patch(short.as_bytes()).unwrap()[0].submodule,
        Some(("1234567".into(), "89abcde".into()))
    );
    // With `diff.submodule=diff`, its files follow.
    let inner = edited('M', "a/lib/v/", "b/lib/v/", "y.c");
    let found = paths(format!("Submodule lib/v 1234567..89abcde:\n{inner}{file}"));
    assert_eq!(found, same(&["lib/v", "lib/v/y.c", "x.rs"]));
    // Prose about one is none.
    let prose = "Submodule v was moved\nSubmodule 12..\n\n";
    assert_eq!(paths(format!("{prose}{file}")), same(&["x.rs"]));
}

#[test]
fn what_carried_a_patch_takes_nothing_from_it() {
    let parts = [
        "diff --git a/logo.png b/logo.png\nindex 1..2 100644\nBinary files a/logo.png and b/logo.png differ\n".to_owned(),
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n".to_owned(),
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n".to_owned(),
        edited('M', "a/", "b/", "größe.rs"),
    ];
    let names = |text: Vec<u8>| paths(text).into_iter().map(|(_, new)| new).collect::<Vec<_>>();
    let all = ["logo.png", "new", "run.sh", "größe.rs"];
    let text = parts.concat();
    assert_eq!(names(text.clone().into_bytes()), all);
    // Marks before any section, and lines of Windows.
    let marked: String = parts.iter().flat_map(|part| ["\u{feff}", part]).collect();
    assert_eq!(names(marked.clone().into_bytes()), all);
    assert_eq!(names(marked.replace('\n', "\r\n").into_bytes()), all);
    let found = patch(text.replace('\n', "\r\n").as_bytes()).unwrap();
    assert_eq!(found[3].hunks[0].body, "-x\n+y\n");
    // A file's own line ends are its content.
    let own = text.replace("-x\n+y\n", "-x\r\n+y\r\n");
    assert_eq!(patch(own.as_bytes()).unwrap()[3].hunks[0].body, "-x\r\n+y\r\n");
    for unit in [u16::to_le_bytes, u16::to_be_bytes] {
        let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(names(marked.encode_utf16().flat_map(unit).collect()), all);
    }
    // Mails, with and without a signature, a log of commits, and a text with blank lines at its end.
    let between = [
        "-- \n2.40\n\nFrom 1234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH 2/2] x\n\nText\n---\n a | 1 +\n\n",
        "--\n2.40\n\n",
        "\nFrom 1234567 Mon Sep 17 00:00:00 2001\nSubject: x\n\nText\n---\n",
        "\ncommit 1234567\nAuthor: A <a@b>\n\n    Text\n\n",
        "\n\n",
        "\n--------------2.40.1--\n\n\n",
    ];
    let hunk = || edited('M', "a/", "b/", "x");
    for between in between {
        let text = [hunk(), between.to_owned(), hunk(), between.to_owned()].concat();
        assert_eq!(names(text.into_bytes()), ["x", "x"], "{between}");
    }
}

#[test]
fn mails_are_read_in_their_encodings_or_not_at_all() {
    let mail = |encoding: &str, body: &str| {
        format!(
            "From 1234567 Mon Sep 17 00:00:00 2001\nSubject: x\nContent-Transfer-Encoding: {encoding}\n\n{body}"
        )
    };
    // `diff --git a/é b/é`, a change of mode.
    let base64 = "ZGlmZiAtLWdpdCBhL8OpIGIvw6kKb2xkIG1vZGUgMTAw\nNjQ0Cm5ldyBtb2RlIDEwMDc1NQo=\n\n";
    let quoted = "diff --git a/x b/=\nx\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n=20\n-a =3D=\n 1\n+a =3D 2\n--=20\n2.40\n\n";
    let part = format!(
        "From 1234567 Mon Sep 17 00:00:00 2001\nContent-Type: multipart/mixed; boundary=\"--b\"\n\nText\n\n----b\nContent-Transfer-Encoding: base64\n\n{base64}----b--\n\n"
    );
    let all = [
        mail("base64", base64),
        mail("Quoted-Printable", quoted),
        mail("8bit", &edited('M', "a/", "b/", "z")),
    ];
    let text = all.concat() + &part;
    assert_eq!(paths(&text), same(&["é", "x", "z", "é"]));
    assert_eq!(paths(text.replace('\n', "\r\n")), same(&["é", "x", "z", "é"]));
    let found = patch(text.as_bytes()).unwrap();
    assert_eq!(found[1].hunks[0].body, " \n-a = 1\n+a = 2\n");
    for (encoding, body) in [("base64", "a list's footer!\n"), ("x-uuencode", "a\n")] {
        let text = mail("8bit", &edited('M', "a/", "b/", "z")) + &mail(encoding, body);
        let said = patch(text.as_bytes()).unwrap_err().to_string();
        assert!(said.contains("not in the encoding"), "{said}");
    }
    // A message that speaks of an encoding has none.
    let spoken = mail(
        "8bit",
        &format!("Content-Transfer-Encoding: base64\n\n{}", edited('M', "a/", "b/", "z")),
    );
    assert_eq!(paths(spoken), same(&["z"]));
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

/// Lines of a hunk: markers and texts.
fn body() -> impl Strategy<Value = Vec<(char, String)>> {
    let mark = prop_oneof![Just(' '), Just('+'), Just('-')];
    proptest::collection::vec((mark, "[ a-z@+-]{0,8}"), 1..20)
}

/// Writes a section of several hunks; also returns their lines.
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
        // And once more, through the text shown in a prompt.
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
