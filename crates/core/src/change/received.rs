//! A patch as it arrives: what shells, editors and mail programs made of git's output is undone.

use std::borrow::Cow;

use super::parse::ParseError;
use crate::text::mark::unmarked;

/// Returns a patch as git wrote it.
///
/// # Errors
/// A mail's body cannot be decoded.
pub(super) fn plain(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ParseError> {
    // No line of a hunk begins with a mark.
    let mut text = unmarked(bytes);
    if let Some(decoded) = mails(&text)? {
        text = Cow::Owned(decoded);
    }
    // Git ends its own lines with a line feed alone, whatever the lines of the files end with.
    let mut lines = text.split(|byte| *byte == b'\n');
    if lines.any(|line| line.starts_with(b"diff --git ") && line.ends_with(b"\r")) {
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        text = Cow::Owned(lines.collect::<Vec<_>>().join(&b'\n'));
    }
    Ok(text)
}

/// Decodes the bodies of mails, and of their parts, that say so in their headers; `None` if there are none.
fn mails(text: &[u8]) -> Result<Option<Vec<u8>>, ParseError> {
    let (mut out, mut changed) = (Vec::with_capacity(text.len()), false);
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').peekable();
    let mut boundary: Option<Vec<u8>> = None;
    while let Some(line) = lines.next() {
        out.extend(line);
        let starts = |line: &[u8]| {
            let part = boundary.as_ref().is_some_and(|boundary| line.starts_with(boundary));
            part || is_envelope(line)
        };
        if !(starts(line) || out.len() == line.len() && is_header(line)) {
            continue;
        }
        let mut head = vec![line];
        while let Some(line) = lines.next_if(|line| !line.trim_ascii().is_empty()) {
            out.extend(line);
            head.push(line);
        }
        let encoding = header(&head, "content-transfer-encoding:").unwrap_or_default();
        if matches!(&*encoding, "" | "7bit" | "8bit" | "binary") {
            boundary = head.iter().find_map(|line| named(line)).or(boundary);
            continue;
        }
        let mut body = Vec::new();
        while let Some(line) = lines.next_if(|line| !starts(line)) {
            body.push(line);
        }
        let decoded = match &*encoding {
            "base64" => base64(&body.concat()),
            "quoted-printable" => Some(quoted_printable(&body)),
            _ => None,
        };
        out.push(b'\n');
        out.extend(decoded.ok_or_else(|| ParseError::Section {
            path: "a mail".to_owned(),
            why: format!("it is not in the encoding that it names ({encoding:.40})"),
        })?);
        changed = true;
    }
    Ok(changed.then_some(out))
}

/// Whether a line separates the mails of a mailbox, by the rule of `git am`: it ends with a time and a year.
fn is_envelope(line: &[u8]) -> bool {
    let digits = |at: std::ops::Range<usize>| {
        line.get(at).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    line.starts_with(b"From ")
        && line.iter().rposition(|byte| *byte == b':').is_some_and(|colon| {
            digits(colon - 2..colon) && digits(colon + 1..colon + 3) && digits(colon + 4..colon + 8)
        })
}

/// Whether a line is a mail's header: a name, a colon, a space.
fn is_header(line: &[u8]) -> bool {
    let name =
        line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    name > 0 && line[name..].starts_with(b": ")
}

fn header(head: &[&[u8]], name: &str) -> Option<String> {
    let mut lines = head.iter().map(|line| String::from_utf8_lossy(line).to_ascii_lowercase());
    lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
}

fn named(line: &[u8]) -> Option<Vec<u8>> {
    let line = String::from_utf8_lossy(line);
    let name = line.split_once("boundary=")?.1.trim().trim_start_matches('"');
    let name = name.split(['"', ';']).next().filter(|name| !name.is_empty())?;
    Some(format!("--{name}").into_bytes())
}

/// Decodes base64; `None` if it is something else.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held).to_be_bytes()[3]);
        }
    }
    Some(out)
}

fn quoted_printable(lines: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines {
        let end = line.trim_ascii_end();
        let (kept, broken) = match end.strip_suffix(b"=") {
            Some(kept) => (kept, true),
            None => (end, false),
        };
        let mut rest = kept;
        while let Some((byte, behind)) = rest.split_first() {
            let hex = rest.get(1..3).and_then(|hex| std::str::from_utf8(hex).ok());
            let hex =
                hex.filter(|_| *byte == b'=').and_then(|hex| u8::from_str_radix(hex, 16).ok());
            out.push(hex.unwrap_or(*byte));
            rest = if hex.is_some() { &rest[3..] } else { behind };
        }
        if !broken && line.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
    out
}
