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
use diffy::patch_set::{FileMode, FileOperation, ParseOptions, PatchKind, PatchSet};

use super::{ChangeKind, Hunk};
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
        if matches!(line.first(), Some(b'd' | b'*'))
            && OPENINGS.iter().any(|opening| line.starts_with(opening))
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

/// Parses the section of one file.
///
/// # Errors
/// It is a combined diff, its hunks are malformed, or it contains something else.
pub fn section(bytes: &[u8]) -> Result<Section, ParseError> {
    let failed = |why: &str| ParseError::Section { path: first_line(bytes), why: why.to_owned() };
    if !bytes.starts_with(OPENINGS[0]) {
        return Err(failed("it compares more than two versions"));
    }
    let mut patches = PatchSet::parse_bytes(bytes, ParseOptions::gitdiff());
    let patch = match (patches.next(), patches.next()) {
        (Some(Ok(patch)), None) => patch,
        (Some(Err(error)), _) => return Err(failed(&error.to_string())),
        (Some(Ok(_)), Some(_)) | (None, _) => return Err(failed("it is not a single diff")),
    };
    let section = read(&patch)?;
    let body =
        bytes.split_inclusive(|byte| *byte == b'\n').skip_while(|line| !line.starts_with(b"@@"));
    let mut behind = body.skip(lines_of(&section.hunks));
    // A signature that mail programs add after a patch is not part of it.
    let signature = behind.next().is_some_and(|line| !line.starts_with(b"-- "));
    if signature {
        return Err(failed("something follows its last hunk"));
    }
    Ok(section)
}

fn first_line(bytes: &[u8]) -> String {
    let line = bytes.split(|byte| *byte == b'\n').next();
    path_text(line.unwrap_or_default())
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
    let parts = sections(bytes);
    let found = if parts.is_empty() {
        let patches = PatchSet::parse_bytes(bytes, ParseOptions::unidiff());
        let each = |patch: Result<_, diffy::patch_set::PatchSetParseError>| match patch {
            Ok(patch) => read(&patch),
            Err(error) => {
                Err(ParseError::Section { path: first_line(bytes), why: error.to_string() })
            }
        };
        if !bytes.starts_with(b"@@ ") && !has_line(bytes, b"--- ") && !has_line(bytes, b"+++ ") {
            return Err(ParseError::Nothing);
        }
        patches.map(each).collect::<Result<Vec<_>, _>>()?
    } else {
        (parts.iter()).map(|(_, part)| section(part)).collect::<Result<Vec<_>, _>>()?
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

fn has_line(bytes: &[u8], start: &[u8]) -> bool {
    (bytes.split(|byte| *byte == b'\n')).any(|line| line.starts_with(start))
}

fn read(parsed: &diffy::patch_set::FilePatch<'_, [u8]>) -> Result<Section, ParseError> {
    let (old_path, path, mut kind) = match parsed.operation() {
        FileOperation::Delete(path) => (own(path), own(path), ChangeKind::Deleted),
        FileOperation::Create(path) => (own(path), own(path), ChangeKind::Added),
        FileOperation::Modify { original, modified } => {
            let (old, new) = pair(original, modified);
            (old, new, ChangeKind::Modified)
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
        hunks,
    })
}

/// Strips git's usual prefix from a name.
fn own(path: &[u8]) -> Vec<u8> {
    let rest = path.strip_prefix(b"a/").or(path.strip_prefix(b"b/"));
    rest.unwrap_or(path).to_vec()
}

/// Strips the prefixes from two names of one file, whatever they are: `a/` and `b/`, `old/` and
/// `new/`.
fn pair(old: &[u8], new: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let tail = |path: &[u8]| {
        let cut = path.iter().position(|byte| *byte == b'/')?;
        Some(path[cut + 1..].to_vec())
    };
    match (tail(old), tail(new)) {
        (Some(a), Some(b)) if a == b && old != new => (a, b),
        (Some(_) | None, Some(_) | None) => (own(old), own(new)),
    }
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
