//! Puts a change together: which parts are shown in which prompt, and what no prompt has room for.
//!
//! # Theory of operation
//!
//! Files come in the order of their paths. A file goes whole into the prompt that is being filled, else
//! into a new one. A file that no prompt can hold is parted: at its hunks, and a hunk that no prompt can
//! hold at its lines. What even so has no room is named: a line that alone is too long as `too_large`,
//! everything behind the last prompt as `beyond_batches`. A small file may still fit into the last
//! prompt when a larger one before it did not.
//!
//! [`ChangedFile::hunks`] holds what is shown and nothing else: a finding in a part that nobody saw is
//! not located in a changed hunk.

use std::collections::BTreeMap;

use super::parse::NO_NEWLINE;
use super::{Batch, Change, ChangedFile, Hunk, LeftOut, NotReviewed, Part, Reason};

/// Most parts that are named one by one; the rest is counted, by reason.
const MAX_NAMED: usize = 1_000;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes of one prompt's diff.
    pub batch_bytes: usize,
    /// Most prompts.
    pub batches: usize,
}

/// A change that is being put together.
#[derive(Debug)]
pub struct Assembler {
    change: Change,
    room: Room,
    /// Bytes of the last batch.
    used: usize,
    /// What is left out and not named by itself, by reason.
    more: BTreeMap<(LeftOut, bool), u64>,
}

impl Assembler {
    /// Begins with an empty change.
    pub fn new(scope: String, base: Option<String>, room: Room) -> Self {
        Self {
            change: Change { scope, base, ..Change::default() },
            room,
            used: 0,
            more: BTreeMap::new(),
        }
    }

    /// Counts a file of the change, whatever becomes of it.
    pub fn count(&mut self, added: u64, removed: u64, bytes: usize) {
        let totals = &mut self.change.totals;
        totals.files += 1;
        totals.added += added;
        totals.removed += removed;
        totals.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    /// Names something that is not shown.
    pub fn leave(&mut self, path: impl Into<String>, reason: Reason) {
        if self.change.not_reviewed.len() < MAX_NAMED {
            (self.change.not_reviewed).push(NotReviewed::new(path, reason));
        } else {
            let kind = (reason.why, reason.on_purpose);
            *self.more.entry(kind).or_default() += 1;
        }
    }

    /// Whether nothing more can be shown.
    pub fn is_full(&self) -> bool {
        // No file is shown in less: its two names and a hunk's line.
        const LEAST: usize = 24;
        self.change.batches.len() == self.room.batches && self.left() < LEAST
    }

    /// Shows a file, as far as there is room; `false` if there is none.
    pub fn show(&mut self, mut file: ChangedFile) -> bool {
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
            let detail = "its name alone is longer than a prompt";
            self.leave(file.path, Reason::missed(LeftOut::TooLarge, detail));
            return false;
        }
        let hunks = std::mem::take(&mut file.hunks);
        let most = self.room.batch_bytes.saturating_sub(head);
        for hunk in hunks {
            let (pieces, lost) = split(hunk, most);
            for lines in lost {
                let detail = format!(
                    "a line of it is longer than a prompt's {} bytes",
                    self.room.batch_bytes
                );
                let reason = Reason::missed(LeftOut::TooLarge, detail);
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

    /// Shows a piece of a file that is not in the change yet.
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
        Reason::missed(LeftOut::BeyondBatches, detail)
    }

    /// Sees to it that the last batch has room; `false` if none can have it.
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

    /// Returns the change.
    pub fn finish(mut self) -> Change {
        self.change.not_reviewed.sort_by(|a, b| a.path.cmp(&b.path));
        for ((why, on_purpose), count) in self.more {
            let reason =
                Reason { why, detail: format!("only the first {MAX_NAMED} are named"), on_purpose };
            (self.change.not_reviewed).push(NotReviewed::new(format!("{count} more"), reason));
        }
        self.change
    }
}

/// Bytes of a file's rendering with these hunks.
fn length(file: &ChangedFile, hunks: &[Hunk]) -> usize {
    let mut text = String::new();
    file.render(0..0, &mut text);
    text.len() + hunks.iter().map(hunk_length).sum::<usize>()
}

/// Bytes of a hunk's rendering, at most.
fn hunk_length(hunk: &Hunk) -> usize {
    // `@@ -,+, @@ ` and four numbers of at most ten digits.
    const HEAD: usize = 14 + 4 * 10;
    HEAD + hunk.heading.len() + hunk.body.len() + 1
}

/// Lines of one side, the first and the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lines {
    old: bool,
    first: u32,
    last: u32,
}

impl Lines {
    /// Those of the new file; of the old one where nothing of the new is in it.
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

/// Parts a hunk at its lines into pieces of at most `most` bytes; also returns lines that alone have more.
fn split(hunk: Hunk, most: usize) -> (Vec<Hunk>, Vec<Lines>) {
    if hunk_length(&hunk) <= most {
        return (vec![hunk], Vec::new());
    }
    let (mut pieces, mut lost) = (Vec::new(), Vec::new());
    // Where the next line stands; a side without lines names the line before it.
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

/// Parts a body at its lines; what says that a line does not end stays with that line.
fn with_endings(body: &str) -> impl Iterator<Item = &str> {
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
mod tests;
