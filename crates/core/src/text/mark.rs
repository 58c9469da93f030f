//! Byte order marks, with which programs on Windows begin what they write.

use std::borrow::Cow;

/// The mark of UTF-8.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns a text as UTF-8 without byte order marks: neither at its start nor at that of another line, where files were
/// joined. UTF-16, which PowerShell's `>` writes, is converted.
pub fn unmarked(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        _ => Cow::Borrowed(bytes),
    };
    if !text.windows(MARK.len()).any(|three| three == MARK) {
        return text;
    }
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_prefix(MARK).unwrap_or(line));
    Cow::Owned(lines.collect::<Vec<_>>().join(&b'\n'))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units).into_bytes()
}
