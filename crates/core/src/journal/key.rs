//! Names made from hashes: a call's key, an answer's file name.

use sha2::{Digest, Sha256};

use super::attempt::{Intent, Kind};

/// Returns a call's key: SHA-256 over everything that distinguishes this attempt from all others.
pub fn of(session: &str, intent: &Intent, epoch: u32) -> String {
    let kind = match intent.kind {
        Kind::First => "first",
        Kind::Retry => "retry",
        Kind::Repair => "repair",
        Kind::Fallback => "fallback",
    };
    let mut hasher = Sha256::new();
    for part in [
        session.as_bytes(),
        intent.turn.as_bytes(),
        kind.as_bytes(),
        &intent.attempt.to_be_bytes(),
        &epoch.to_be_bytes(),
        intent.prompt_sha.as_bytes(),
        intent.agent_digest.as_bytes(),
    ] {
        // Each part is prefixed with its length, so that none can pass for the end of another.
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

/// Returns the SHA-256 of these bytes, as 64 lower-case hexadecimal digits.
pub fn sha(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Whether a text is 64 lower-case hexadecimal digits, and so safe as a file name.
pub fn is_sha(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Writes bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
        .collect()
}
