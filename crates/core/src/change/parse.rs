//! Parses git's output about a change: the files it lists, and each file's section of the patch.
//!
//! # Theory of operation
//!
//! git is asked for the list (`--raw -z`) and the patch in one call, so both describe the same moment. The
//! list is authoritative; sections are found by the `diff --git` line that git must have written for a
//! listed file, in order. So nothing is dropped: a section that belongs to no listed file is an error, and
//! a listed file without a section is kept ([`Entry::sections`] is empty).
//!
//! A line within a hunk begins with ` `, `+`, `-` or `\`, whatever the file contains, so no content can
//! pose as the start of a section. Hunks are parsed by `diffy`, as bytes; lines that it would skip silently
//! (after a complete hunk) are counted here and are an error.

use diffy::Line;
use diffy::patch_set::{FileMode, FileOperation, FilePatch, ParseOptions, PatchKind, PatchSet};

use super::prefix::{self, Prefixes};
use super::{ChangeKind, Hunk, received};
use crate::text::name;

/// Why a patch cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("the list of files ends early or is wrong at byte {0}")]
    List(usize),
    #[error("byte {0} of the patch does not belong to any listed file")]
    Stray(usize),
    #[error("it contains no diff")]
    Nothing,
    #[error("the section of {path} cannot be read: {why}")]
    Section { path: String, why: String },
}

/// One entry of `--raw -z`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEntry {
    /// Old mode, `000000` for none.
    pub old_mode: String,
    /// New mode, `000000` for none.
    pub new_mode: String,
    /// The old blob id; zeros if there is none.
    pub old_id: String,
    /// The new blob id; zeros if git has not computed one (the working tree).
    pub new_id: String,
    /// `A`, `C`, `D`, `M`, `R`, `T`, `U` or another letter.
    pub status: u8,
    /// The old name, as bytes; the same as `path` unless renamed or copied.
    pub old_path: Vec<u8>,
    /// The name, as bytes.
    pub path: Vec<u8>,
}

impl RawEntry {
    /// Whether either side is a submodule.
    pub fn is_submodule(&self) -> bool {
        [&self.old_mode, &self.new_mode].contains(&&"160000".to_owned())
    }

    /// Whether git lists it only because it has not compared it: the same mode, and no blob id.
    ///
    /// Without a section, such a file is unchanged by git's own comparison.
    pub fn is_unlooked(&self) -> bool {
        self.status == b'M'
            && self.old_mode == self.new_mode
            && self.new_id.bytes().all(|byte| byte == b'0')
    }
}

/// A listed file with its part of the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    pub listed: RawEntry,
    /// Its sections: usually one, two if it became another kind of file, none if git wrote none.
    pub sections: Vec<&'a [u8]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The old name, as bytes.
    pub old_path: Vec<u8>,
    /// The name, as bytes; for a deleted file, the old name.
    pub path: Vec<u8>,
    pub kind: ChangeKind,
    /// Old and new mode, if it gives both and they differ.
    pub modes: Option<(String, String)>,
    /// The new mode, if it gives one.
    pub mode: Option<String>,
    /// Whether it is binary and so has no hunks.
    pub binary: bool,
    /// The commits between which a submodule moved, as far as they are told: zeros, or nothing, for none.
    pub submodule: Option<(String, String)>,
    pub hunks: Vec<Hunk>,
}

/// Spells a name from git as text: as [`name::spell`] does, with control characters also as `\xNN`, so
/// that a name stays on its line.
pub fn path_text(path: &[u8]) -> String {
    let text = name::spell(path);
    if !text.chars().any(char::is_control) {
        return text;
    }
    let escaped = |c: char| {
        if c.is_control() { format!("\\x{:02x}", u32::from(c)) } else { c.to_string() }
    };
    text.chars().map(escaped).collect()
}

/// Parses the output of `--raw -z --patch`.
///
/// # Errors
/// The list is malformed, or a section belongs to no listed file.
pub fn entries(printed: &[u8]) -> Result<Vec<Entry<'_>>, ParseError> {
    let (listed, patch) = list(printed)?;
    let start = printed.len() - patch.len();
    let sections = sections(patch);
    if sections.first().map_or(!patch.is_empty(), |(at, _)| *at != 0) {
        return Err(ParseError::Stray(start));
    }
    let mut rest = sections.into_iter().peekable();
    let mut entries = Vec::with_capacity(listed.len());
    for listed in listed {
        let head = header(&listed);
        let most = if listed.status == b'T' { 2 } else { 1 };
        let mut own = Vec::new();
        // Files that git could not merge are already in the list.
        while rest.next_if(|(_, section)| section.starts_with(UNMERGED)).is_some() {}
        while own.len() < most {
            let Some((_, section)) = rest.next_if(|(_, section)| section.starts_with(&head)) else {
                break;
            };
            own.push(section);
        }
        entries.push(Entry { listed, sections: own });
    }
    match rest.find(|(_, section)| !section.starts_with(UNMERGED)) {
        Some((at, _)) => Err(ParseError::Stray(start + at)),
        None => Ok(entries),
    }
}

const UNMERGED: &[u8] = b"* Unmerged path ";

/// Lines that open a section. A combined diff (`--cc`) counts too: it is not parsed, but not lost
/// either.
const OPENINGS: [&[u8]; 4] = [b"diff --git ", b"diff --cc ", b"diff --combined ", UNMERGED];

/// Splits a patch into its sections, each with its offset. Bytes before the first are dropped.
fn sections(patch: &[u8]) -> Vec<(usize, &[u8])> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if matches!(line.first(), Some(b'd' | b'*' | b'S'))
            && (OPENINGS.iter().any(|opening| line.starts_with(opening))
                || submodule(line).is_some())
        {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    (starts.iter().copied().zip(ends)).map(|(start, end)| (start, &patch[start..end])).collect()
}

/// Parses the list; also returns the rest of the input.
fn list(printed: &[u8]) -> Result<(Vec<RawEntry>, &[u8]), ParseError> {
    let mut listed = Vec::new();
    let mut rest = printed;
    while let Some((b':', fields)) = rest.split_first() {
        let wrong = || ParseError::List(printed.len() - rest.len());
        let mut parts = fields.splitn(3, |byte| *byte == 0);
        let mut next = || parts.next().ok_or_else(wrong);
        let (meta, first, mut behind) = (next()?, next()?, next()?);
        let meta = std::str::from_utf8(meta).map_err(|_| wrong())?;
        let words: Vec<&str> = meta.split(' ').collect();
        let [old_mode, new_mode, old_id, new_id, status] = words[..] else {
            return Err(wrong());
        };
        let status = *status.as_bytes().first().ok_or_else(wrong)?;
        let mut path = first;
        if matches!(status, b'R' | b'C') {
            let mut parts = behind.splitn(2, |byte| *byte == 0);
            path = parts.next().ok_or_else(wrong)?;
            behind = parts.next().ok_or_else(wrong)?;
        }
        if path.is_empty() || first.is_empty() {
            return Err(wrong());
        }
        listed.push(RawEntry {
            old_mode: old_mode.to_owned(),
            new_mode: new_mode.to_owned(),
            old_id: old_id.to_owned(),
            new_id: new_id.to_owned(),
            status,
            old_path: first.to_owned(),
            path: path.to_owned(),
        });
        rest = behind;
    }
    match rest.split_first() {
        None => Ok((listed, rest)),
        Some((0, patch)) => Ok((listed, patch)),
        Some(_) => Err(ParseError::List(printed.len() - rest.len())),
    }
}

/// Returns the line with which git opens the section of a listed file.
fn header(listed: &RawEntry) -> Vec<u8> {
    let mut line = b"diff --git ".to_vec();
    quote(b"a/", &listed.old_path, &mut line);
    line.push(b' ');
    quote(b"b/", &listed.path, &mut line);
    line.push(b'\n');
    line
}

/// Writes a name as git does with `core.quotePath=false`.
fn quote(prefix: &[u8], path: &[u8], line: &mut Vec<u8>) {
    let plain = |byte: &u8| !(byte.is_ascii_control() || matches!(byte, b'"' | b'\\'));
    if path.iter().all(plain) {
        line.extend(prefix);
        line.extend(path);
        return;
    }
    line.push(b'"');
    line.extend(prefix);
    for byte in path {
        let letter = match byte {
            0x07 => b'a',
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0b => b'v',
            0x0c => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => *byte,
            _ if plain(byte) => {
                line.push(*byte);
                continue;
            }
            _ => {
                line.extend(format!("\\{byte:03o}").bytes());
                continue;
            }
        };
        line.extend([b'\\', letter]);
    }
    line.push(b'"');
}

/// Counts the added and removed lines of a section of any form.
pub fn count(section: &[u8]) -> (u64, u64) {
    let (mut added, mut removed, mut inside) = (0, 0, false);
    for line in section.split_inclusive(|byte| *byte == b'\n') {
        match line.first() {
            Some(b'@') => inside = true,
            Some(b'+') if inside => added += 1,
            Some(b'-') if inside => removed += 1,
            Some(_) | None => {}
        }
    }
    (added, removed)
}

/// Reads the line with which git opens a submodule's part of a patch (`diff.submodule=log` or `diff`).
fn submodule(line: &[u8]) -> Option<Section> {
    let line = line.trim_ascii_end().strip_prefix(b"Submodule ")?;
    let dirty = [b" contains modified content".as_slice(), b" contains untracked content"];
    let (path, old, new) = if let Some(path) = dirty.iter().find_map(|end| line.strip_suffix(*end))
    {
        (path, String::new(), String::new())
    } else {
        // `PATH A..B:`, `PATH A...B (new submodule)`, `PATH A..B (rewind):`; a name may contain spaces.
        let cut = line.windows(2).rposition(|two| two == b" (").unwrap_or(line.len());
        let head = line[..cut].strip_suffix(b":").unwrap_or(&line[..cut]);
        let space = head.iter().rposition(|byte| *byte == b' ')?;
        let (old, new) = std::str::from_utf8(&head[space + 1..]).ok()?.split_once("..")?;
        let new = new.strip_prefix('.').unwrap_or(new);
        let commit = |id: &str| id.len() >= 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        (commit(old) && commit(new)).then_some(())?;
        (&head[..space], old.to_owned(), new.to_owned())
    };
    Some(Section {
        old_path: path.to_vec(),
        path: path.to_vec(),
        kind: ChangeKind::Modified,
        modes: None,
        mode: None,
        binary: false,
        submodule: Some((old, new)),
        hunks: Vec::new(),
    })
}

/// Parses the section of one file, as git writes it here.
///
/// # Errors
/// It is a combined diff, its hunks are malformed, or it contains something else.
pub fn section(bytes: &[u8]) -> Result<Section, ParseError> {
    whole(bytes, &single(bytes)?, &Prefixes::default())
}

/// Parses the only diff in a section.
fn single(bytes: &[u8]) -> Result<FilePatch<'_, [u8]>, ParseError> {
    let failed = |why: &str| ParseError::Section { path: first_line(bytes), why: why.to_owned() };
    if !bytes.starts_with(OPENINGS[0]) {
        return Err(failed("it compares more than two versions"));
    }
    let mut patches = PatchSet::parse_bytes(bytes, ParseOptions::gitdiff());
    match (patches.next(), patches.next()) {
        (Some(Ok(patch)), None) => Ok(patch),
        (Some(Err(error)), _) => Err(failed(&error.to_string())),
        (Some(Ok(_)), Some(_)) | (None, _) => Err(failed("it is not a single diff")),
    }
}

/// Reads a section, of which nothing may be left over.
fn whole(
    bytes: &[u8],
    patch: &FilePatch<'_, [u8]>,
    prefixes: &Prefixes,
) -> Result<Section, ParseError> {
    let section = read(patch, prefixes)?;
    let body =
        bytes.split_inclusive(|byte| *byte == b'\n').skip_while(|line| !line.starts_with(b"@@"));
    let behind = body.skip(lines_of(&section.hunks)).find(|line| !line.trim_ascii().is_empty());
    // What separates patches from each other: a mail's signature or boundary, the next mail, the next commit of a log.
    let between = [b"--".as_slice(), b"From ", b"commit "];
    if behind.is_some_and(|line| !between.iter().any(|start| line.starts_with(start))) {
        return Err(ParseError::Section {
            path: first_line(bytes),
            why: "something follows its last hunk".to_owned(),
        });
    }
    Ok(section)
}

fn first_line(bytes: &[u8]) -> String {
    path_text(first(bytes).trim_ascii_end())
}

/// Counts the lines of hunks, including their `@@` lines.
fn lines_of(hunks: &[Hunk]) -> usize {
    let breaks = |hunk: &Hunk| hunk.body.bytes().filter(|byte| *byte == b'\n').count();
    hunks.iter().map(|hunk| 1 + breaks(hunk)).sum()
}

/// Parses a patch of several files from a person: from git, a mail, or a plain `diff -u`.
///
/// # Errors
/// It contains no diff, a part of it cannot be parsed, or it has hunks that belong to no file.
pub fn patch(bytes: &[u8]) -> Result<Vec<Section>, ParseError> {
    let bytes = &*received::plain(bytes)?;
    let parts = sections(bytes);
    let found = if parts.is_empty() {
        if !bytes.starts_with(b"@@ ") && !has_line(bytes, b"--- ") && !has_line(bytes, b"+++ ") {
            return Err(ParseError::Nothing);
        }
        let patches: Vec<_> = PatchSet::parse_bytes(bytes, ParseOptions::unidiff())
            .collect::<Result<_, _>>()
            .map_err(|error| ParseError::Section {
                path: first_line(bytes),
                why: error.to_string(),
            })?;
        let pairs: Vec<_> = patches.iter().map(|patch| pair(patch.operation())).collect();
        (patches.iter().zip(prefix::of(&pairs)))
            .map(|(patch, prefixes)| read(patch, &prefixes))
            .collect::<Result<Vec<_>, _>>()?
    } else {
        let patches: Vec<_> = (parts.iter())
            .map(|(_, part)| match submodule(first(part)) {
                Some(section) => Ok(Err(section)),
                None => single(part).map(Ok),
            })
            .collect::<Result<_, _>>()?;
        let pairs: Vec<_> = (parts.iter().zip(&patches))
            .map(|((_, part), patch)| match patch.as_ref().ok()?.operation() {
                // One side is /dev/null, and the first line has both names.
                FileOperation::Create(_) | FileOperation::Delete(_) => {
                    pair(single(first(part)).ok()?.operation())
                }
                operation => pair(operation),
            })
            .collect();
        (parts.iter().zip(patches).zip(prefix::of(&pairs)))
            .map(|(((_, part), patch), prefixes)| match patch {
                Ok(patch) => whole(part, &patch, &prefixes),
                Err(submodule) => Ok(submodule),
            })
            .collect::<Result<Vec<_>, _>>()?
    };
    // The parser skips what it does not know: no hunk may be lost that way.
    let hunks: usize = found.iter().map(|section| section.hunks.len()).sum();
    let written =
        (bytes.split(|byte| *byte == b'\n')).filter(|line| line.starts_with(b"@@ ")).count();
    let only = ["Binary files ", "Only in "];
    if parts.is_empty()
        && let Some(lost) = only.iter().find(|word| has_line(bytes, word.as_bytes()))
    {
        return Err(ParseError::Section {
            path: format!("{lost}..."),
            why: "a plain diff says too little about files like this: create it with git"
                .to_owned(),
        });
    }
    if hunks != written {
        return Err(ParseError::Section {
            path: first_line(bytes),
            why: format!("only {hunks} of {written} hunks belong to a file"),
        });
    }
    Ok(found)
}

fn first(bytes: &[u8]) -> &[u8] {
    bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default()
}

fn has_line(bytes: &[u8], start: &[u8]) -> bool {
    (bytes.split(|byte| *byte == b'\n')).any(|line| line.starts_with(start))
}

/// Returns the two names of one file as they are written, unless only one is.
fn pair(operation: &FileOperation<'_, [u8]>) -> Option<(Vec<u8>, Vec<u8>)> {
    match operation {
        FileOperation::Modify { original, modified } => {
            Some((original.to_vec(), modified.to_vec()))
        }
        _ => None,
    }
}

fn read(parsed: &FilePatch<'_, [u8]>, prefixes: &Prefixes) -> Result<Section, ParseError> {
    let (old_path, path, mut kind) = match parsed.operation() {
        FileOperation::Delete(path) => {
            let path = prefixes.without_old(path);
            (path.clone(), path, ChangeKind::Deleted)
        }
        FileOperation::Create(path) => {
            let path = prefixes.without_new(path);
            (path.clone(), path, ChangeKind::Added)
        }
        FileOperation::Modify { original, modified } => {
            (prefixes.without_old(original), prefixes.without_new(modified), ChangeKind::Modified)
        }
        // These names come from lines without a prefix.
        FileOperation::Rename { from, to } => (from.to_vec(), to.to_vec(), ChangeKind::Renamed),
        FileOperation::Copy { from, to } => (from.to_vec(), to.to_vec(), ChangeKind::Copied),
    };
    let modes = match (parsed.old_mode(), parsed.new_mode()) {
        (Some(old), Some(new)) if old != new => Some((mode(*old), mode(*new))),
        (Some(_) | None, Some(_) | None) => None,
    };
    let mut binary = false;
    let mut hunks = Vec::new();
    match parsed.patch() {
        PatchKind::Binary(_) => binary = true,
        PatchKind::Text(text) => {
            for found in text.hunks() {
                hunks.push(hunk(found).ok_or_else(|| ParseError::Section {
                    path: path_text(&path),
                    why: "a line number is too large for any file".to_owned(),
                })?);
            }
        }
    }
    if kind == ChangeKind::Modified && modes.is_some() && hunks.is_empty() && !binary {
        kind = ChangeKind::ModeChanged;
    }
    Ok(Section {
        old_path,
        path,
        kind,
        modes,
        mode: parsed.new_mode().map(|new| mode(*new)),
        binary,
        submodule: moved(&hunks),
        hunks,
    })
}

/// Returns the commits between which a submodule moved, if that is all that the hunks say.
fn moved(hunks: &[Hunk]) -> Option<(String, String)> {
    let (mut old, mut new) = (String::new(), String::new());
    for line in hunks.iter().flat_map(|hunk| hunk.body.lines()) {
        let (side, commit) = match line.split_once("Subproject commit ")? {
            ("-", commit) => (&mut old, commit),
            ("+", commit) => (&mut new, commit),
            _ => return None,
        };
        commit.clone_into(side);
    }
    (!hunks.is_empty()).then_some((old, new))
}

fn mode(mode: FileMode) -> String {
    match mode {
        FileMode::Regular => "100644",
        FileMode::Executable => "100755",
        FileMode::Symlink => "120000",
        FileMode::Gitlink => "160000",
    }
    .to_owned()
}

/// The marker after a last line without a line end.
pub const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// Converts a hunk; `None` if its numbers are too large.
pub(super) fn hunk(hunk: &diffy::Hunk<'_, [u8]>) -> Option<Hunk> {
    let number = |number: usize| u32::try_from(number).ok();
    let mut body = Vec::new();
    for line in hunk.lines() {
        let (mark, text) = match line {
            // An empty context line may come without its leading space.
            Line::Context(text) => (b' ', *text),
            Line::Delete(text) => (b'-', *text),
            Line::Insert(text) => (b'+', *text),
        };
        body.push(mark);
        body.extend_from_slice(text);
        if !text.ends_with(b"\n") {
            body.push(b'\n');
            body.extend_from_slice(NO_NEWLINE.as_bytes());
        }
    }
    let heading = hunk.function_context().unwrap_or_default();
    Some(Hunk {
        old_start: number(hunk.old_range().start())?,
        old_lines: number(hunk.old_range().len())?,
        new_start: number(hunk.new_range().start())?,
        new_lines: number(hunk.new_range().len())?,
        heading: path_text(heading.trim_ascii()),
        body: lossy(body),
    })
}

/// Converts bytes to text, without a copy if they are UTF-8.
pub(super) fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests;
