//! Processes one path of a change.

use std::collections::BTreeMap;

use super::gather::unreadable;
use super::gather::{Item, TEXT};
use crate::change::assemble::Assembler;
use crate::change::compare::{self, lines};
use crate::change::parse::{self, Entry, RawEntry, path_text};
use crate::change::policy::{self, Policy};
use crate::change::{ChangeKind, ChangedFile, Hunk, Omission, Reason};
use crate::git::{Git, WorkFile};
use crate::text::generated;
use crate::text::redact::Redactor;

/// Maximum bytes of new texts kept in a change.
pub(super) const TEXTS: usize = 8 << 20;
/// Maximum bytes read of an untracked file.
const UNTRACKED: usize = 8 << 20;

/// Processes the paths of a change one by one.
pub(super) struct Reader<'a> {
    pub(super) git: &'a Git,
    pub(super) policy: &'a Policy,
    pub(super) redactor: Redactor,
    pub(super) work_tree: bool,
    /// Contents stored by git, by id.
    pub(super) texts: BTreeMap<String, Vec<u8>>,
    /// Bytes of new texts that may still be kept.
    pub(super) text_left: usize,
    pub(super) into: Assembler,
}

#[derive(Default)]
struct New {
    /// Its first bytes, if known.
    bytes: Option<Vec<u8>>,
    size: u64,
    whole: bool,
    lines: Option<u32>,
}

impl Reader<'_> {
    /// Adds one path to the change or to what is not reviewed.
    pub(super) fn take(&mut self, path: &[u8], mut item: Item<'_>) {
        (item.entries).retain(|entry| !entry.sections.is_empty() || !entry.listed.is_unlooked());
        if item.entries.is_empty() && !item.untracked {
            return;
        }
        let name = path_text(path);
        let (mut added, mut removed, mut bytes) = (0, 0, 0);
        for section in item.entries.iter().flat_map(|entry| &entry.sections) {
            let (more, less) = parse::count(section);
            (added, removed, bytes) = (added + more, removed + less, bytes + section.len());
        }
        let old_name = item.old_path().map(path_text);
        let marked = self.was_marked(&item);
        if let Some(reason) = self.unread(path, &name, old_name.as_deref(), &mut item) {
            self.into.count(added, removed, bytes);
            self.into.leave(name, reason);
            return;
        }
        let file = if item.untracked {
            self.untracked(path, &item, &mut added, &mut bytes)
        } else {
            self.tracked(path, &name, old_name.as_deref(), marked, &item)
        };
        self.into.count(added, removed, bytes);
        let file = file.and_then(|mut file| {
            file.old_path = old_name;
            file.path.clone_from(&name);
            judged(file, marked, &self.redactor)
        });
        match file {
            Ok(file) => self.show(file),
            Err(reason) if item.untracked && item.entries.is_empty() => {
                self.into.leave(name.clone(), self.policy.untracked(&name, reason));
            }
            Err(reason) => self.into.leave(name, reason),
        }
    }

    /// Returns why a path is left out before any of it is read, if it is.
    fn unread(
        &mut self,
        path: &[u8],
        name: &str,
        old_name: Option<&str>,
        item: &mut Item<'_>,
    ) -> Option<Reason> {
        let gone = is_gone(item);
        let mode = item.mode(self.git, path, self.work_tree);
        if let Some(reason) = item.by_name(self.policy, name, &mode)
            && (!reason.missed || !gone)
        {
            return Some(reason);
        }
        if path.ends_with(b"/") {
            let why = "another repository within this one: review it there";
            return Some(Reason::left_out(Omission::Submodule, why));
        }
        for entry in &mut item.entries {
            let listed = &entry.listed;
            // For a deleted submodule, the deletion is all there is to see.
            if !listed.is_submodule() || gone {
                continue;
            }
            let shown = entry.sections.iter().flat_map(|section| section.split(|b| *b == b'\n'));
            let shown: Vec<_> = shown.map(String::from_utf8_lossy).collect();
            let reason = submodule(&shown.iter().map(|line| &**line));
            if listed.status != b'T' || listed.new_mode == "160000" {
                return Some(reason);
            }
            // A file replaced another repository: it is treated like any other.
            self.into.leave(format!("{name} (before)"), reason);
            entry.sections.drain(..entry.sections.len().saturating_sub(1));
        }
        if let Some(reason) = old_name.and_then(|old| self.policy.by_old_name(name, old)) {
            return Some(reason);
        }
        if item.before.generated {
            let why = "generated or vendored, by attributes of the base revision or your own";
            return Some(Reason::left_out(Omission::Generated, why));
        }
        if !item.filter.is_empty() {
            return Some(filtered(item));
        }
        if item.entries.iter().any(|entry| entry.listed.status == b'U') {
            let why =
                "it is being merged and has no staged form: resolve it, or review the working tree";
            return Some(unreadable(why));
        }
        let silent = |entry: &Entry<'_>| entry.sections.is_empty();
        if item.entries.iter().any(silent) {
            return Some(unreadable("git lists it, but its diff does not show it"));
        }
        if item.untracked && self.into.is_full() {
            let why = "every prompt is full, so it was not read";
            return Some(Reason::missed(Omission::BeyondBatches, why));
        }
        None
    }

    /// Reads a file that is or was tracked by git.
    fn tracked(
        &self,
        path: &[u8],
        name: &str,
        old_name: Option<&str>,
        marked: bool,
        item: &Item<'_>,
    ) -> Result<ChangedFile, Reason> {
        let [entry] = &item.entries[..] else {
            return Err(unreadable("git lists it twice"));
        };
        let listed = &entry.listed;
        let (mut hunks, binary) = hunks(&entry.sections)?;
        let modes = (listed.old_mode != listed.new_mode
            && ![&listed.old_mode, &listed.new_mode].contains(&&"000000".to_owned()))
        .then(|| (listed.old_mode.clone(), listed.new_mode.clone()));
        let kind = match listed.status {
            b'A' => ChangeKind::Added,
            b'D' => ChangeKind::Deleted,
            b'R' => ChangeKind::Renamed,
            b'C' => ChangeKind::Copied,
            b'T' if entry.sections.len() == 1 => ChangeKind::Added,
            b'T' => ChangeKind::TypeChanged,
            b'M' if hunks.is_empty() && modes.is_some() => ChangeKind::ModeChanged,
            b'M' => ChangeKind::Modified,
            _ => return Err(unreadable("git lists it in an unknown way")),
        };
        let new = if kind == ChangeKind::Deleted {
            New { lines: Some(0), ..New::default() }
        } else if self.work_tree {
            let most = usize::try_from(TEXT).unwrap_or(usize::MAX);
            // A file that vanished meanwhile is shown as git saw it.
            self.git.file(path, most).map_or(New::default(), New::of)
        } else {
            self.texts.get(&listed.new_id).map_or_else(New::default, |bytes| New {
                bytes: Some(bytes.clone()),
                size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
                whole: true,
                lines: Some(lines(bytes)),
            })
        };
        let (counted, unseen) = (new.lines, new.bytes.is_none());
        let text = new.text(name);
        if kind == ChangeKind::Deleted {
            // The deletion of such a file is shown, but not its content.
            if binary || self.policy.by_name(name, &listed.old_mode).is_some() {
                hunks.clear();
            }
        } else if self.comes_into_view(listed, old_name, marked, kind, item, text.as_deref().ok()) {
            hunks = compare::whole(text.as_deref().map_err(Clone::clone)?).into_iter().collect();
        } else if binary && unseen {
            // Too large for its bytes to be read: git says that it is binary, and its name has to say so, too.
            return Err(policy::binary(name, None));
        } else if binary {
            hunks = self.compared(entry, item, &text)?;
        }
        if kind == ChangeKind::Modified && hunks.is_empty() {
            return Err(unreadable("git lists it as changed, but its diff is empty"));
        }
        Ok(ChangedFile {
            path: String::new(),
            old_path: None,
            kind,
            modes: modes.filter(|_| kind != ChangeKind::Added),
            hunks,
            lines: text.as_ref().map_or(counted, |text| Some(lines(text.as_bytes()))),
            text: text.ok(),
        })
    }

    /// Returns the changes in a text file that git calls binary, or why it is left out.
    fn compared(
        &self,
        entry: &Entry<'_>,
        item: &Item<'_>,
        text: &Result<String, Reason>,
    ) -> Result<Vec<Hunk>, Reason> {
        shown_by_base(item)?;
        let text = text.as_deref().map_err(Clone::clone)?;
        let old = self.texts.get(&entry.listed.old_id).cloned();
        let old = old.and_then(compare::text);
        let hunks = compare::hunks(old.as_deref(), text);
        // The texts are equal although the bytes differ: the new one is shown whole.
        if hunks.is_empty() {
            return Ok(compare::whole(text).into_iter().collect());
        }
        Ok(hunks)
    }

    /// Whether a file was kept out of prompts before the change, so that its whole content is new to a reviewer.
    fn comes_into_view(
        &self,
        listed: &RawEntry,
        old_name: Option<&str>,
        was_marked: bool,
        kind: ChangeKind,
        item: &Item<'_>,
        text: Option<&str>,
    ) -> bool {
        let marked = text.is_some_and(|text| generated::is_generated_text(text.as_bytes()));
        let Some(old) = old_name else {
            return was_marked && !marked && kind == ChangeKind::Modified;
        };
        let (was, is) = (&item.was, &item.before);
        self.policy.by_name(old, &listed.old_mode).is_some()
            || was_marked
            || marked
            || was.generated
            || was.binary && !is.binary
            || !was.filter.is_empty() && is.filter.is_empty()
    }

    fn was_marked(&self, item: &Item<'_>) -> bool {
        let olds = item.entries.iter().map(|entry| &entry.listed.old_id);
        let mut texts = olds.filter_map(|id| self.texts.get(id));
        texts.any(|text| generated::is_generated_text(text))
    }

    fn untracked(
        &self,
        path: &[u8],
        item: &Item<'_>,
        added: &mut u64,
        bytes: &mut usize,
    ) -> Result<ChangedFile, Reason> {
        shown_by_base(item)?;
        let read = self.git.file(path, UNTRACKED);
        let file = read.map_err(|error| unreadable(format!("failed to read it: {error}")))?;
        *added += u64::from(file.lines.unwrap_or_default());
        *bytes += usize::try_from(file.size).unwrap_or(usize::MAX);
        let gone: Vec<&[u8]> =
            (item.entries.iter()).flat_map(|entry| entry.sections.iter().copied()).collect();
        let (old, _) = hunks(&gone)?;
        let mode = file.mode;
        let text = New::of(file).text(&path_text(path))?;
        let (new, lines) = (compare::whole(&text), Some(lines(text.as_bytes())));
        let small = text.len() <= usize::try_from(TEXT).unwrap_or(usize::MAX);
        let mut changed = ChangedFile {
            path: String::new(),
            old_path: None,
            kind: ChangeKind::Added,
            modes: None,
            hunks: new.into_iter().collect(),
            lines,
            text: Some(text).filter(|_| small),
        };
        if let Some(entry) = item.entries.first() {
            // It was tracked: its current content is compared with the old one.
            let was = &entry.listed.old_mode;
            let link = |mode: &str| mode == "120000";
            changed.kind = if link(was) == link(mode) {
                ChangeKind::Modified
            } else {
                ChangeKind::TypeChanged
            };
            changed.modes = (was != mode).then(|| (was.clone(), mode.to_owned()));
            let body = |hunks: &[Hunk], mark: char| -> String {
                let lines = hunks.iter().flat_map(|hunk| hunk.body.lines());
                lines.map(|line| line.trim_start_matches(mark).to_owned() + "\n").collect()
            };
            if body(&old, '-') == body(&changed.hunks, '+') {
                changed.kind = ChangeKind::Deleted;
                (changed.hunks, changed.lines, changed.text) = (old, Some(0), None);
                changed.modes = None;
            } else {
                changed.hunks.splice(0..0, old);
            }
        }
        Ok(changed)
    }

    /// Adds a file to the change, with its text while there is room for texts.
    fn show(&mut self, mut file: ChangedFile) {
        let size = file.text.as_ref().map_or(0, String::len);
        if size > self.text_left {
            file.text = None;
        }
        let kept = file.text.is_some();
        if self.into.show(file) && kept {
            self.text_left -= size;
        }
    }
}

impl New {
    fn of(file: WorkFile) -> Self {
        Self { size: file.size, whole: file.is_whole(), lines: file.lines, bytes: Some(file.bytes) }
    }

    /// Returns the content as text, or why it cannot be shown.
    fn text(self, name: &str) -> Result<String, Reason> {
        let Some(bytes) = self.bytes else {
            return Err(unreadable("its new content is missing, or too large to be read"));
        };
        let read = bytes.len();
        let first = bytes.get(..2).unwrap_or_default().to_vec();
        match compare::text(bytes) {
            None => Err(policy::binary(name, Some(&first))),
            Some(_) if !self.whole => {
                let why = format!("it has {} bytes, but only {read} are read", self.size);
                Err(Reason::missed(Omission::TooLarge, why))
            }
            Some(text) => Ok(text),
        }
    }
}

fn submodule<'a>(lines: &(impl Iterator<Item = &'a str> + Clone)) -> Reason {
    let commit = |mark: &str| {
        let mut ids = lines.clone().filter_map(|line| line.strip_prefix(mark));
        ids.find_map(|line| line.strip_prefix("Subproject commit ")).unwrap_or_default()
    };
    Reason::submodule(commit("-"), commit("+"))
}

/// Whether a path was deleted and nothing replaced it.
fn is_gone(item: &Item<'_>) -> bool {
    let mut entries = item.entries.iter();
    !item.untracked && entries.all(|entry| entry.listed.status == b'D')
}

/// Allows a file that may be binary to be shown, unless the base revision's attributes forbid it.
fn shown_by_base(item: &Item<'_>) -> Result<(), Reason> {
    if !item.before.binary {
        return Ok(());
    }
    let why = "attributes of the base revision or your own say that its diff is not to be shown";
    Err(Reason::left_out(Omission::Binary, why))
}

/// Returns the reason for a file whose content passes through a filter, since no filter is run.
fn filtered(item: &Item<'_>) -> Reason {
    let filter = &item.filter;
    if filter == "lfs" && item.before.filter == "lfs" {
        return Reason::left_out(Omission::Binary, "kept in git LFS");
    }
    unreadable(format!(
        "git's filter `{filter}` would have to be run to compare it: review it as a commit"
    ))
}

/// Parses the sections of one file; the second value is whether any of them is binary.
fn hunks(sections: &[&[u8]]) -> Result<(Vec<Hunk>, bool), Reason> {
    let (mut hunks, mut binary) = (Vec::new(), false);
    for section in sections {
        let section = parse::section(section).map_err(unreadable)?;
        binary |= section.binary;
        hunks.extend(section.hunks);
    }
    Ok((hunks, binary))
}

/// Applies the content rules to a file and removes keys and the user's secrets from it. `marked`: whether the base
/// revision has a generator's mark in it.
pub(super) fn judged(
    mut file: ChangedFile,
    marked: bool,
    redactor: &Redactor,
) -> Result<ChangedFile, Reason> {
    let text = file.text.as_deref();
    if let Some(reason) = policy::by_content(file.kind, marked, &file.hunks, text) {
        if file.kind != ChangeKind::Deleted || !reason.missed {
            return Err(reason);
        }
        // The deletion of a key is shown, but not the key.
        file.hunks.clear();
    }
    // Removing a value of several lines would move every line after it; keys are removed line by line.
    let several = || {
        let why = "a secret that is removed from it spans several lines";
        Reason::missed(Omission::Secret, why)
    };
    let text = file.text.clone();
    let redact = |held: &str| -> Result<String, Reason> {
        let without_keys = policy::without_keys_of(text.as_deref(), held);
        let redacted = redactor.text(&without_keys);
        let breaks = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        if redacted.len() != held.len() && breaks(&redacted) != breaks(held) {
            return Err(several());
        }
        Ok(redacted)
    };
    for hunk in &mut file.hunks {
        hunk.body = redact(&hunk.body)?;
        hunk.heading = redact(&hunk.heading)?;
    }
    if let Some(text) = &file.text {
        file.text = Some(redact(text)?);
    }
    Ok(file)
}
