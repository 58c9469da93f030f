//! Spells names that are bytes as text.

use std::fmt::Write as _;

/// Spells a name from the file system or git as text: bytes that are not UTF-8 as `\xNN`.
///
/// There is one spelling, so that a file has the same name everywhere.
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
