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
mod tests {
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
        let row = |entry: &'a Entry<'_>| {
            (path(entry), char::from(entry.listed.status), entry.sections.len())
        };
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
        for broken in [
            ":",
            ":100644",
            "x",
            ":1 2 3 4 M\0",
            ":1 2 3 4 R\0a\0",
            ":1 2 3 M\0a\0",
            ":1 2 3 4 M\0\0",
        ] {
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
                body: " one\r\n-tw\u{fffd}\n+two\n three\n\\ No newline at end of file\n"
                    .to_owned(),
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
        let plain =
            "--- old/src/a.c\t2026-01-01\n+++ new/src/a.c\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n";
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
        let mixed = [
            edited('M', "c/", "w/", "a/x"),
            edited('A', "", "", "b/y"),
            edited('D', "a/", "b/", "z"),
        ];
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
            (
                "Submodule lib/v 1234567..89abcde:\n  > One\n  < Two\n",
                "lib/v",
                ("1234567", "89abcde"),
            ),
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
                assert_eq!(
                    (moved.len(), found.len() - 1),
                    (1, text.matches("@@ -").count()),
                    "{text}"
                );
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
        let base64 =
            "ZGlmZiAtLWdpdCBhL8OpIGIvw6kKb2xkIG1vZGUgMTAw\nNjQ0Cm5ldyBtb2RlIDEwMDc1NQo=\n\n";
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
}
