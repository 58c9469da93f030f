//! Assembles a change: which parts go into which prompt, and what fits into none.
//!
//! # Theory of operation
//!
//! Files come in the order of their paths. A file goes whole into the prompt being filled, or else into
//! a new one. A file too large for any prompt is split at its hunks, and a hunk too large for any prompt
//! at its lines. Whatever still does not fit is listed: a single line that is too long as `too_large`,
//! everything after the last prompt as `beyond_batches`. A small file may still fit into the last prompt
//! when a larger one before it did not.
//!
//! [`ChangedFile::hunks`] holds only what is shown, so a finding in a part that nobody saw is not
//! located in a changed hunk.

use std::collections::BTreeMap;

use super::excerpt::Lines;
use super::parse::NO_NEWLINE;
use super::{Batch, Change, ChangedFile, Hunk, NotReviewed, Omission, Part, Reason, context, data};

/// Maximum number of parts listed individually; the rest are counted by reason.
const MAX_NAMED: usize = 1_000;

/// The code around all hunks takes at most this part of one prompt: it must not push what changed out of the last one.
const CONTEXT_SHARE: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShowLimits {
    /// Size of one prompt's diff, in bytes.
    pub batch_bytes: usize,
    /// Maximum number of prompts.
    pub batches: usize,
    /// Whether everything that is not shown counts as missed.
    pub require_complete: bool,
}

/// A change being assembled.
#[derive(Debug)]
pub struct Assembler {
    change: Change,
    room: ShowLimits,
    /// Size of the last batch, in bytes.
    used: usize,
    /// Size of the code around hunks that was added to them, in bytes.
    around: usize,
    /// Parts that are left out but not listed individually, by reason.
    more: BTreeMap<(Omission, bool), u64>,
}

impl Assembler {
    /// Starts with an empty change.
    pub fn new(scope: String, base: Option<String>, room: ShowLimits) -> Self {
        Self {
            change: Change { scope, base, ..Change::default() },
            room,
            used: 0,
            around: 0,
            more: BTreeMap::new(),
        }
    }

    /// Counts a file of the change, whether or not it is shown.
    pub fn count(&mut self, added: u64, removed: u64, bytes: usize) {
        let totals = &mut self.change.totals;
        totals.files += 1;
        totals.added += added;
        totals.removed += removed;
        totals.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    /// Lists something that is not shown.
    pub fn leave(&mut self, path: impl Into<String>, mut reason: Reason) {
        reason.missed |= self.room.require_complete && reason.why != Omission::Own;
        if self.change.not_reviewed.len() < MAX_NAMED {
            (self.change.not_reviewed).push(NotReviewed::new(path, reason));
        } else {
            let kind = (reason.why, reason.missed);
            *self.more.entry(kind).or_default() += 1;
        }
    }

    /// Whether nothing more can be shown.
    pub fn is_full(&self) -> bool {
        // No file takes fewer bytes: its two names and one hunk line.
        const LEAST: usize = 24;
        self.change.batches.len() == self.room.batches && self.left() < LEAST
    }

    /// Adds the code around the hunks of a file while there is room for it.
    fn widen(&mut self, file: &mut ChangedFile) {
        let narrow = file.hunks.clone();
        context::widen(file);
        let size = |hunks: &[Hunk]| hunks.iter().map(hunk_length).sum::<usize>();
        let around = self.around + size(&file.hunks).saturating_sub(size(&narrow));
        if around > self.room.batch_bytes / CONTEXT_SHARE {
            file.hunks = narrow;
        } else {
            self.around = around;
        }
    }

    /// Shows as much of a file as fits; `false` if nothing does.
    pub fn show(&mut self, mut file: ChangedFile) -> bool {
        if data::is_long(&file.path, file.hunks.iter().map(|hunk| &*hunk.body)) {
            self.shorten(&mut file);
        } else {
            self.widen(&mut file);
        }
        let head = length(&file, &[]);
        let size = head + file.hunks.iter().map(hunk_length).sum::<usize>();
        let index = self.change.files.len();
        if size <= self.room.batch_bytes {
            if self.make_room(size) {
                let end = file.hunks.len();
                self.add(index, 0, end, size);
                self.change.files.push(file);
                return true;
            }
            let reason = self.beyond();
            self.leave(file.path, reason);
            return false;
        }
        if file.hunks.is_empty() {
            let detail = "even its name is longer than a prompt";
            self.leave(file.path, Reason::missed(Omission::TooLarge, detail));
            return false;
        }
        let hunks = std::mem::take(&mut file.hunks);
        let most = self.room.batch_bytes.saturating_sub(head);
        for hunk in hunks {
            let (pieces, lost) = split(hunk, most);
            for lines in lost {
                let detail = format!(
                    "one of its lines is longer than a prompt's {} bytes",
                    self.room.batch_bytes
                );
                let reason = Reason::missed(Omission::TooLarge, detail);
                self.leave(named(&file.path, lines), reason);
            }
            for piece in pieces {
                self.show_piece(&mut file, head, piece);
            }
        }
        let shown = !file.hunks.is_empty();
        if shown {
            self.change.files.push(file);
        }
        shown
    }

    /// Keeps the first and last lines of data.
    fn shorten(&mut self, file: &mut ChangedFile) {
        const PIECE: usize = 1_200;
        let detail = "data: only its first and last lines are shown, up to 1,000 bytes of each";
        let reason = || Reason::left_out(Omission::Shortened, detail);
        let cut = data::cut_lines(&mut file.hunks);
        let hunks = std::mem::take(&mut file.hunks);
        let mut middle: Vec<Hunk> =
            hunks.into_iter().flat_map(|hunk| split(hunk, PIECE).0).collect();
        let fits = |pieces: &mut dyn Iterator<Item = &Hunk>, most: usize| {
            let mut used = 0;
            pieces
                .take_while(|piece| {
                    used += hunk_length(piece);
                    used <= most
                })
                .count()
        };
        let first = fits(&mut middle.iter(), data::FIRST);
        let mut last = middle.split_off(first);
        let kept = fits(&mut last.iter().rev(), data::LAST);
        let behind = last.split_off(last.len() - kept);
        let ends = last.first().zip(last.last());
        match ends.map(|(from, to)| (Lines::of(from), Lines::of(to))) {
            Some((from, to)) if from.old == to.old => {
                self.leave(named(&file.path, Lines { last: to.last, ..from }), reason());
            }
            None if !cut => {}
            _ => self.leave(file.path.clone(), reason()),
        }
        file.hunks = middle;
        file.hunks.extend(behind);
    }

    fn show_piece(&mut self, file: &mut ChangedFile, head: usize, piece: Hunk) {
        let index = self.change.files.len();
        let begun = self.last_part().is_some_and(|part| part.file == index);
        let size = hunk_length(&piece);
        let at = file.hunks.len();
        if begun && size <= self.left() {
            self.used += size;
            if let Some(part) = self.last_part() {
                part.end = at + 1;
            }
        } else if self.make_room(head + size) {
            self.add(index, at, at + 1, head + size);
        } else {
            let reason = self.beyond();
            self.leave(named(&file.path, Lines::of(&piece)), reason);
            return;
        }
        file.hunks.push(piece);
    }

    fn last_part(&mut self) -> Option<&mut Part> {
        self.change.batches.last_mut()?.parts.last_mut()
    }

    fn left(&self) -> usize {
        self.room.batch_bytes.saturating_sub(self.used)
    }

    fn beyond(&self) -> Reason {
        let detail = format!(
            "the change is larger than {} prompts of {} bytes",
            self.room.batches, self.room.batch_bytes
        );
        Reason::missed(Omission::BeyondBatches, detail)
    }

    /// Makes sure that the last batch has room; `false` if that is impossible.
    fn make_room(&mut self, size: usize) -> bool {
        if self.change.batches.is_empty() || size > self.left() {
            if self.change.batches.len() == self.room.batches || size > self.room.batch_bytes {
                return false;
            }
            self.change.batches.push(Batch { parts: Vec::new() });
            self.used = 0;
        }
        true
    }

    fn add(&mut self, file: usize, first: usize, end: usize, size: usize) {
        self.used += size;
        if let Some(batch) = self.change.batches.last_mut() {
            batch.parts.push(Part { file, first, end });
        }
    }

    pub fn finish(mut self) -> Change {
        self.change.not_reviewed.sort_by(|a, b| a.path.cmp(&b.path));
        for ((why, missed), count) in self.more {
            let reason =
                Reason { why, detail: format!("only the first {MAX_NAMED} are listed"), missed };
            (self.change.not_reviewed).push(NotReviewed::new(format!("{count} more"), reason));
        }
        self.change
    }
}

/// Size of a file rendered with these hunks, in bytes.
fn length(file: &ChangedFile, hunks: &[Hunk]) -> usize {
    let mut text = String::new();
    file.render(0..0, &mut text);
    text.len() + hunks.iter().map(hunk_length).sum::<usize>()
}

/// Upper bound on the size of a rendered hunk, in bytes.
fn hunk_length(hunk: &Hunk) -> usize {
    // `@@ -,+, @@ ` and four numbers of at most ten digits.
    const HEAD: usize = 14 + 4 * 10;
    HEAD + hunk.heading.len() + hunk.body.len() + 1
}

impl Lines {
    /// The lines in the new file, or in the old one if the hunk only removes lines.
    fn of(hunk: &Hunk) -> Self {
        let old = hunk.new_lines == 0;
        let (first, count) =
            if old { (hunk.old_start, hunk.old_lines) } else { (hunk.new_start, hunk.new_lines) };
        Self { old, first, last: first.saturating_add(count.saturating_sub(1)) }
    }
}

fn named(path: &str, lines: Lines) -> String {
    let Lines { old, first, last } = lines;
    let old = if old { "old " } else { "" };
    if first == last {
        format!("{path} ({old}line {first})")
    } else {
        format!("{path} ({old}lines {first}-{last})")
    }
}

/// Splits a hunk at its lines into pieces of at most `most` bytes; also returns the lines that are longer
/// than that on their own.
fn split(hunk: Hunk, most: usize) -> (Vec<Hunk>, Vec<Lines>) {
    if hunk_length(&hunk) <= most {
        return (vec![hunk], Vec::new());
    }
    let (mut pieces, mut lost) = (Vec::new(), Vec::new());
    // The position of the next line; a side without lines gives the line before it.
    let mut old = hunk.old_start.saturating_add(u32::from(hunk.old_lines == 0));
    let mut new = hunk.new_start.saturating_add(u32::from(hunk.new_lines == 0));
    let empty = |old: u32, new: u32| Hunk {
        old_start: old,
        old_lines: 0,
        new_start: new,
        new_lines: 0,
        heading: hunk.heading.clone(),
        body: String::new(),
    };
    let mut piece = empty(old, new);
    let mut close = |piece: &mut Hunk, next: Hunk| {
        let mut done = std::mem::replace(piece, next);
        if done.body.is_empty() {
            return;
        }
        done.old_start = done.old_start.saturating_sub(u32::from(done.old_lines == 0));
        done.new_start = done.new_start.saturating_sub(u32::from(done.new_lines == 0));
        pieces.push(done);
    };
    for line in with_endings(&hunk.body) {
        let (in_old, in_new) = match line.as_bytes().first() {
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(_) | None => (1, 1),
        };
        if hunk_length(&piece) + line.len() > most {
            close(&mut piece, empty(old, new));
        }
        if hunk_length(&piece) + line.len() > most {
            let gone = in_new == 0;
            let at = if gone { old } else { new };
            lost.push(Lines { old: gone, first: at, last: at });
            old = old.saturating_add(in_old);
            new = new.saturating_add(in_new);
            piece = empty(old, new);
            continue;
        }
        piece.body.push_str(line);
        piece.old_lines += in_old;
        piece.new_lines += in_new;
        old = old.saturating_add(in_old);
        new = new.saturating_add(in_new);
    }
    close(&mut piece, empty(old, new));
    (pieces, lost)
}

/// Splits a body at its lines; the marker for a missing line end stays with its line.
pub(super) fn with_endings(body: &str) -> impl Iterator<Item = &str> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let mut end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        if rest[end..].starts_with(NO_NEWLINE) {
            end += NO_NEWLINE.len();
        }
        let (line, behind) = rest.split_at(end);
        rest = behind;
        (!line.is_empty()).then_some(line)
    })
}

#[cfg(test)]
pub(super) mod tests {
    //! Which parts are shown where, worked out by hand.

    use proptest::prelude::*;

    use super::*;
    use crate::change::ChangeKind;

    fn room(batch_bytes: usize, batches: usize) -> ShowLimits {
        ShowLimits { batch_bytes, batches, require_complete: false }
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

    pub(in crate::change) fn file(path: &str, hunks: Vec<Hunk>) -> ChangedFile {
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

    fn assembled(room: ShowLimits, files: Vec<ChangedFile>) -> Change {
        let mut into = Assembler::new("all".to_owned(), None, room);
        for file in files {
            into.show(file);
        }
        into.finish()
    }

    /// `path hunks` of each batch, and `path why` of each part left out.
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
        // Beyond the last prompt; a small file still fits where a large one did not.
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
            into.leave(format!("{n:05}"), Reason::left_out(Omission::Excluded, "why"));
        }
        into.leave("z", Reason::missed(Omission::TooLarge, "why"));
        let change = into.finish();
        assert_eq!(change.not_reviewed.len(), 1_002);
        let last: Vec<_> = (change.not_reviewed[1_000..].iter())
            .map(|left| (left.path.as_str(), left.why))
            .collect();
        // A reason that keeps a review from being clean stays one in the summary.
        assert_eq!(last, [("5 more", Omission::Excluded), ("1 more", Omission::TooLarge)]);
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
            // No hunk of the change is missing from the prompts.
            let held: usize = change.files.iter().map(|file| file.hunks.len()).sum();
            let parts = change.batches.iter().flat_map(|batch| &batch.parts);
            prop_assert_eq!(held, parts.map(|part| part.end - part.first).sum::<usize>());
            for (f, start, text) in given {
                let times = shown.iter().filter(|line| **line == text).count();
                prop_assert!(times <= 1);
                if times == 0 {
                    // Listed by file: the whole file, or lines of this hunk.
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
}
