//! How names that are bytes stand in text.

use std::fmt::Write as _;

/// Returns a name of the file system or of git as text: bytes that are not UTF-8 as `\xNN`.
///
/// One spelling for all, so that a file means the same wherever it is named.
pub fn spell(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_spelled_out() {
        assert_eq!(spell(b"src/a.rs"), "src/a.rs");
        assert_eq!(spell("größe.rs".as_bytes()), "größe.rs");
        assert_eq!(spell(b"a\xff\xfe/b"), "a\\xff\\xfe/b");
    }
}
