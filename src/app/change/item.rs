//! One path of a change: what becomes of it.

use std::collections::BTreeMap;

use super::gather::{Item, TEXT};
use super::unreadable;
use crate::change::assemble::Assembler;
use crate::change::parse::{self, Entry, path_text};
use crate::change::policy::{self, Policy, Reason};
use crate::change::{ChangeKind, ChangedFile, Hunk, LeftOut};
use crate::git::{Attributes, Git, WorkFile};
use crate::text::redact::Redactor;

/// Most bytes of new texts that a change keeps.
pub(super) const TEXTS: usize = 8 << 20;
/// Most bytes of an untracked file that is read.
const UNTRACKED: usize = 8 << 20;
/// Bytes in which a zero makes a file binary: git's own rule.
const SNIFFED: usize = 8_000;

/// Takes the paths of a change, one after the other.
pub(super) struct Reader<'a> {
    pub(super) git: &'a Git,
    pub(super) policy: &'a Policy,
    pub(super) redactor: Redactor,
    /// The newer side is the working tree.
    pub(super) work_tree: bool,
    /// The change touches attributes.
    pub(super) attributes_changed: bool,
    /// Contents that git keeps, by id.
    pub(super) texts: BTreeMap<String, Vec<u8>>,
    /// Bytes of new texts that are still kept.
    pub(super) text_left: usize,
    pub(super) into: Assembler,
}

/// The newer side of a file.
#[derive(Default)]
struct New {
    /// Its first bytes, if they are known.
    bytes: Option<Vec<u8>>,
    whole: bool,
    lines: Option<u32>,
}

impl Reader<'_> {
    /// Takes one path: into the change, or to what is not reviewed.
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
        let old_name = (item.entries.iter())
            .find(|entry| entry.listed.old_path != entry.listed.path)
            .map(|entry| path_text(&entry.listed.old_path));
        if let Some((why, detail)) = self.unread(path, &name, old_name.as_deref(), &mut item) {
            self.into.count(added, removed, bytes);
            self.into.leave(name, why, detail);
            return;
        }
        let file = if item.untracked {
            self.untracked(path, &item, &mut added, &mut bytes)
        } else {
            self.tracked(path, &item)
        };
        self.into.count(added, removed, bytes);
        let file = file.and_then(|mut file| {
            file.old_path = old_name;
            file.path.clone_from(&name);
            judged(file, &self.redactor)
        });
        match file {
            Ok(file) => self.show(file),
            Err((why, detail)) => self.into.leave(name, why, detail),
        }
    }

    /// Says why a path is left out before anything of it is read, if it is.
    fn unread(
        &mut self,
        path: &[u8],
        name: &str,
        old_name: Option<&str>,
        item: &mut Item<'_>,
    ) -> Option<Reason> {
        if path.ends_with(b"/") {
            let why = "another repository within this one: review it there";
            return Some((LeftOut::Submodule, why.to_owned()));
        }
        for entry in &mut item.entries {
            let listed = &entry.listed;
            if !listed.is_submodule() {
                continue;
            }
            let why = "a submodule: review what changed in its own repository";
            if listed.status != b'T' || listed.new_mode == "160000" {
                return Some((LeftOut::Submodule, why.to_owned()));
            }
            // A file stands where another repository was: it is one like others.
            (self.into).leave(format!("{name} (before)"), LeftOut::Submodule, why);
            entry
                .sections
                .drain(..entry.sections.len().saturating_sub(1));
        }
        if let Some(reason) = self.policy.by_name(name, old_name) {
            return Some(reason);
        }
        if item.attributes.generated && !self.attributes_changed {
            let why = "generated or vendored, by .gitattributes";
            return Some((LeftOut::Generated, why.to_owned()));
        }
        if !item.attributes.filter.is_empty() {
            return Some(self.filtered(&item.attributes));
        }
        if item.entries.iter().any(|entry| entry.listed.status == b'U') {
            let why = "it is being merged, and has no staged form: resolve it, or review the working tree";
            return Some(unreadable(why));
        }
        let silent = |entry: &Entry<'_>| entry.sections.is_empty();
        if item.entries.iter().any(silent) {
            return Some(unreadable("git lists it, and its diff does not show it"));
        }
        if item.untracked && self.into.is_full() {
            let why = "every prompt is full, and it was not read";
            return Some((LeftOut::BeyondBatches, why.to_owned()));
        }
        None
    }

    /// Of a file whose content passes through a filter, which is not run.
    fn filtered(&self, attributes: &Attributes) -> Reason {
        let filter = &attributes.filter;
        if filter == "lfs" && !self.attributes_changed {
            return (LeftOut::Binary, "kept in git LFS".to_owned());
        }
        unreadable(format!(
            "git's filter `{filter}` would have to be run to compare it: review it as a commit"
        ))
    }

    /// Reads a file that git tracks, or tracked.
    fn tracked(&self, path: &[u8], item: &Item<'_>) -> Result<ChangedFile, Reason> {
        let [entry] = &item.entries[..] else {
            return Err(unreadable("git lists it twice"));
        };
        let listed = &entry.listed;
        let (hunks, binary) = hunks(&entry.sections)?;
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
            _ => return Err(unreadable("git lists it in a way that is not known")),
        };
        let new = if kind == ChangeKind::Deleted {
            New {
                lines: Some(0),
                ..New::default()
            }
        } else if self.work_tree {
            let most = usize::try_from(TEXT).unwrap_or(usize::MAX);
            // What vanished meanwhile is shown as git saw it.
            self.git.file(path, most).map_or(New::default(), New::of)
        } else {
            self.texts
                .get(&listed.new_id)
                .map_or_else(New::default, |bytes| New {
                    bytes: Some(bytes.clone()),
                    whole: true,
                    lines: Some(lines(bytes)),
                })
        };
        if binary {
            return Err(self.binary(&new, &item.attributes));
        }
        if kind == ChangeKind::Modified && hunks.is_empty() {
            return Err(unreadable("git lists it as changed, and its diff is empty"));
        }
        Ok(ChangedFile {
            path: String::new(),
            old_path: None,
            kind,
            modes: modes.filter(|_| kind != ChangeKind::Added),
            hunks,
            lines: new.lines,
            text: (new.bytes)
                .filter(|bytes| new.whole && !is_binary(bytes))
                .map(lossy),
        })
    }

    /// Why a file that git calls binary is left out.
    fn binary(&self, new: &New, attributes: &Attributes) -> Reason {
        let is_text = match &new.bytes {
            Some(bytes) => !is_binary(bytes),
            None => attributes.binary,
        };
        if !is_text {
            return (LeftOut::Binary, "a binary file".to_owned());
        }
        if self.attributes_changed {
            return unreadable(
                "it is text that attributes call binary, in a change that touches .gitattributes",
            );
        }
        let why = "its attributes say that its diff is not to be shown";
        (LeftOut::Binary, why.to_owned())
    }

    /// Reads a file that git does not track.
    fn untracked(
        &self,
        path: &[u8],
        item: &Item<'_>,
        added: &mut u64,
        bytes: &mut usize,
    ) -> Result<ChangedFile, Reason> {
        let read = self.git.file(path, UNTRACKED);
        let file = read.map_err(|error| unreadable(format!("failed to read it: {error}")))?;
        *added += u64::from(file.lines.unwrap_or_default());
        *bytes += usize::try_from(file.size).unwrap_or(usize::MAX);
        let gone: Vec<&[u8]> = (item.entries.iter())
            .flat_map(|entry| entry.sections.iter().copied())
            .collect();
        let (old, old_binary) = hunks(&gone)?;
        if old_binary || is_binary(&file.bytes) {
            return Err((LeftOut::Binary, "a binary file".to_owned()));
        }
        if !file.is_whole() {
            let why = format!("it has {} bytes, and {UNTRACKED} are read", file.size);
            return Err((LeftOut::TooLarge, why));
        }
        let (mode, lines) = (file.mode, file.lines);
        let text = lossy(file.bytes);
        let new = whole_file(&text);
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
            // It was tracked: what there is now is compared with what there was.
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
                lines
                    .map(|line| line.trim_start_matches(mark).to_owned() + "\n")
                    .collect()
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

    /// Shows a file, with its text while there is room for texts.
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
        Self {
            whole: file.is_whole(),
            lines: file.lines,
            bytes: Some(file.bytes),
        }
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(SNIFFED)].contains(&0)
}

/// Counts lines; a last one that does not end is one.
pub(super) fn lines(bytes: &[u8]) -> u32 {
    let breaks = bytes.split(|byte| *byte == b'\n').count() - 1;
    let open = bytes.last().is_some_and(|last| *last != b'\n');
    u32::try_from(breaks + usize::from(open)).unwrap_or(u32::MAX)
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns the hunk that adds a whole text; none for an empty one.
fn whole_file(text: &str) -> Option<Hunk> {
    if text.is_empty() {
        return None;
    }
    let mut body = String::with_capacity(text.len() + text.len() / 32 + 64);
    for line in text.split_inclusive('\n') {
        body.push('+');
        body.push_str(line);
    }
    if !text.ends_with('\n') {
        body.push('\n');
        body.push_str(parse::NO_NEWLINE);
    }
    Some(Hunk {
        old_start: 0,
        old_lines: 0,
        new_start: 1,
        new_lines: lines(text.as_bytes()),
        heading: String::new(),
        body,
    })
}

/// Reads the sections of one file; also says whether one is binary.
fn hunks(sections: &[&[u8]]) -> Result<(Vec<Hunk>, bool), Reason> {
    let (mut hunks, mut binary) = (Vec::new(), false);
    for section in sections {
        let section = parse::section(section).map_err(unreadable)?;
        binary |= section.binary;
        hunks.extend(section.hunks);
    }
    Ok((hunks, binary))
}

/// Takes the rules of content to a file, and what it holds of the user's secrets out of it.
pub(super) fn judged(mut file: ChangedFile, redactor: &Redactor) -> Result<ChangedFile, Reason> {
    if let Some(reason) = policy::by_content(file.kind, &file.hunks, file.text.as_deref()) {
        return Err(reason);
    }
    // A value of several lines that is taken out would move every line behind it.
    let several = || {
        let why = "it holds the value of a secret variable of yours, over several lines";
        (LeftOut::Secret, why.to_owned())
    };
    let redact = |text: &str| -> Result<String, Reason> {
        let redacted = redactor.text(text);
        let breaks = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        if redacted.len() != text.len() && breaks(&redacted) != breaks(text) {
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
