//! What is shown where, by hand.

use proptest::prelude::*;

use super::*;
use crate::change::ChangeKind;

fn room(batch_bytes: usize, batches: usize) -> Room {
    Room { batch_bytes, batches }
}

fn hunk(start: u32, lines: &[&str]) -> Hunk {
    let of = |mark: char| {
        let counted = lines.iter().filter(|line| line.starts_with([' ', mark]));
        u32::try_from(counted.count()).unwrap()
    };
    let (old, new) = (of('-'), of('+'));
    Hunk {
        old_start: if old == 0 { start - 1 } else { start },
        old_lines: old,
        new_start: if new == 0 { start - 1 } else { start },
        new_lines: new,
        heading: String::new(),
        body: lines.join("\n") + "\n",
    }
}

fn file(path: &str, hunks: Vec<Hunk>) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        old_path: None,
        kind: ChangeKind::Modified,
        modes: None,
        hunks,
        lines: None,
        text: None,
    }
}

fn assembled(room: Room, files: Vec<ChangedFile>) -> Change {
    let mut into = Assembler::new("all".to_owned(), None, room);
    for file in files {
        into.show(file);
    }
    into.finish()
}

/// `path hunks` of each batch, and `path why` of what is left out.
fn told(change: &Change) -> (Vec<Vec<String>>, Vec<String>) {
    let part = |part: &Part| {
        let file = &change.files[part.file];
        format!("{} {}..{}", file.path, part.first, part.end)
    };
    (
        (change.batches.iter()).map(|batch| batch.parts.iter().map(part).collect()).collect(),
        (change.not_reviewed.iter())
            .map(|left| format!("{} {}", left.path, left.why.name()))
            .collect(),
    )
}

// A file `a` with one hunk of one line of n characters costs 16 (names) + 54 + n + 3.
fn line(length: usize) -> String {
    format!("+{}", "x".repeat(length))
}

#[test]
fn files_go_whole_into_prompts_in_their_order() {
    let one = || vec![hunk(1, &[&line(100)])];
    let files = |names: &[&str]| names.iter().map(|name| file(name, one())).collect::<Vec<_>>();
    // 173 bytes each: two in a prompt of 346, one in a prompt of 345.
    let (shown, left) = told(&assembled(room(346, 8), files(&["a", "b", "c"])));
    assert_eq!(shown, [vec!["a 0..1", "b 0..1"], vec!["c 0..1"]]);
    assert_eq!(left, [""; 0]);
    let (shown, _) = told(&assembled(room(345, 8), files(&["a", "b", "c"])));
    assert_eq!(shown.len(), 3);
    // Behind the last prompt; a small one still fits where a large one did not.
    let mut four = files(&["a", "b", "c"]);
    four.push(file("d", Vec::new()));
    let (shown, left) = told(&assembled(room(200, 1), four));
    assert_eq!(shown, [vec!["a 0..1", "d 0..0"]]);
    assert_eq!(left, ["b beyond_batches", "c beyond_batches"]);
}

#[test]
fn a_large_file_is_parted_at_its_hunks() {
    let large = file("a", (0..5).map(|n| hunk(1 + 10 * n, &[&line(100)])).collect());
    // 157 bytes a hunk, 16 for the names: two hunks in a prompt of 400.
    let change = assembled(room(400, 2), vec![file("0", Vec::new()), large]);
    let (shown, left) = told(&change);
    assert_eq!(shown, [vec!["0 0..0", "a 0..2"], vec!["a 2..4"]]);
    assert_eq!(left, ["a (line 41) beyond_batches"]);
    assert_eq!(change.files[1].hunks.len(), 4);
}

#[test]
fn a_large_hunk_is_parted_at_its_lines_and_a_line_that_is_too_long_is_named() {
    let long = line(500);
    let lines = [" a", "-b", "+c", &long, " d", "+e"];
    let change = assembled(room(200, 8), vec![file("f", vec![hunk(10, &lines)])]);
    // New lines: a is 10, c 11, the long one 12, d 13, e 14. Old ones: a 10, b 11, d 12.
    let (shown, left) = told(&change);
    assert_eq!(shown.concat(), ["f 0..2"]);
    assert_eq!(left, ["f (line 12) too_large"]);
    let places: Vec<_> = (change.files[0].hunks.iter())
        .map(|hunk| {
            (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines, hunk.body.as_str())
        })
        .collect();
    assert_eq!(places, [(10, 2, 10, 2, " a\n-b\n+c\n"), (12, 1, 13, 2, " d\n+e\n")]);
    let gone = file("g", vec![hunk(7, &[&format!("-{}", "x".repeat(500))])]);
    let (shown, left) = told(&assembled(room(200, 8), vec![gone]));
    assert!(shown.is_empty());
    assert_eq!(left, ["g (old line 7) too_large"]);
}

#[test]
fn a_new_file_is_parted_like_others_and_its_last_line_keeps_its_mark() {
    let mut lines: Vec<String> = (0..20).map(|_| line(40)).collect();
    lines.push("\\ No newline at end of file".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut new = hunk(1, &lines[..20]);
    new.body += "\\ No newline at end of file\n";
    let mut added = file("n", vec![new]);
    added.kind = ChangeKind::Added;
    let change = assembled(room(300, 8), vec![added]);
    let hunks = &change.files[0].hunks;
    assert!(hunks.len() > 2);
    let mut next = 1;
    for hunk in hunks {
        assert_eq!((hunk.old_start, hunk.old_lines), (0, 0));
        assert_eq!(hunk.new_start, next);
        next += hunk.new_lines;
    }
    assert_eq!(next, 21);
    assert!(hunks.last().unwrap().body.ends_with("x\n\\ No newline at end of file\n"));
    for batch in &change.batches {
        assert!(change.render(batch).len() <= 300);
    }
}

#[test]
fn what_is_left_out_is_named_up_to_a_bound_and_then_counted_by_reason() {
    let mut into = Assembler::new("all".to_owned(), None, room(1000, 1));
    for n in 0..1_005 {
        into.leave(format!("{n:05}"), Reason::on_purpose(LeftOut::Excluded, "why"));
    }
    into.leave("z", Reason::missed(LeftOut::TooLarge, "why"));
    let change = into.finish();
    assert_eq!(change.not_reviewed.len(), 1_002);
    let last: Vec<_> =
        (change.not_reviewed[1_000..].iter()).map(|left| (left.path.as_str(), left.why)).collect();
    // One that keeps a review from being clean is still one.
    assert_eq!(last, [("5 more", LeftOut::Excluded), ("1 more", LeftOut::TooLarge)]);
}

/// Files of hunks of lines, each line with a text of its own.
fn files() -> impl Strategy<Value = Vec<Vec<Vec<(char, usize)>>>> {
    let line = (prop_oneof![Just(' '), Just('+'), Just('-')], 0_usize..120);
    let hunk = proptest::collection::vec(line, 1..8);
    let file = proptest::collection::vec(hunk, 0..4);
    proptest::collection::vec(file, 0..8)
}

proptest! {
    #[test]
    fn every_line_is_in_exactly_one_prompt_or_named(
        files in files(), batch_bytes in 80_usize..600, batches in 1_usize..6,
    ) {
        let mut given = Vec::new();
        let mut made = Vec::new();
        for (f, hunks) in files.iter().enumerate() {
            let mut start = 1;
            let mut all = Vec::new();
            for lines in hunks {
                let texts: Vec<String> = lines.iter().enumerate()
                    .map(|(n, (mark, length))| format!("{mark}{f}.{start}.{n}.{}", "x".repeat(*length)))
                    .collect();
                given.extend(texts.iter().map(|text| (f, start, text.clone())));
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                all.push(hunk(start, &texts));
                start += 100;
            }
            made.push(file(&format!("f{f}"), all));
        }
        let room = room(batch_bytes, batches);
        let change = assembled(room, made);
        prop_assert!(change.batches.len() <= batches);
        let mut shown = Vec::new();
        for batch in &change.batches {
            prop_assert!(!batch.parts.is_empty());
            let text = change.render(batch);
            prop_assert!(text.len() <= batch_bytes, "{} > {batch_bytes}", text.len());
            for part in &batch.parts {
                let file = &change.files[part.file];
                for hunk in &file.hunks[part.first..part.end] {
                    let count = |mark: char| hunk.body.lines().filter(|line| line.starts_with([' ', mark])).count();
                    prop_assert_eq!(count('-'), hunk.old_lines as usize);
                    prop_assert_eq!(count('+'), hunk.new_lines as usize);
                    shown.extend(hunk.body.lines().map(str::to_owned));
                }
            }
        }
        // No hunk of the change stands outside of the prompts.
        let held: usize = change.files.iter().map(|file| file.hunks.len()).sum();
        let parts = change.batches.iter().flat_map(|batch| &batch.parts);
        prop_assert_eq!(held, parts.map(|part| part.end - part.first).sum::<usize>());
        for (f, start, text) in given {
            let times = shown.iter().filter(|line| **line == text).count();
            prop_assert!(times <= 1);
            if times == 0 {
                // Named by its file, whole or with lines of this hunk.
                let name = format!("f{f}");
                let named = change.not_reviewed.iter().any(|left| {
                    if left.path == name {
                        return true;
                    }
                    let Some(lines) = left.path.strip_prefix(&format!("{name} (")) else { return false };
                    let digits: String = lines.chars().skip_while(|c| !c.is_ascii_digit())
                        .take_while(char::is_ascii_digit).collect();
                    let first: u32 = digits.parse().unwrap();
                    (start.saturating_sub(1)..start + 100).contains(&first)
                });
                prop_assert!(named, "{text} of {name}: {:?}", change.not_reviewed);
            }
        }
    }
}
