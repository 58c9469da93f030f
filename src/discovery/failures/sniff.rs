//! Detects the format of a file or an output by its first bytes.

use std::path::Path;

use super::case::{MalformedReport, ParsedReport};
use super::{junit, libtest, pytest, read, stream};
use crate::text::sanitize;

/// Number of bytes examined.
const HEAD: usize = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// XML whose first element is a suite, or any file named like such a report.
    JUnit,
    /// JSON lines of Go or libtest.
    Stream,
    /// The output of `cargo test`.
    Text,
    /// pytest's last-failed cache.
    LastFailed,
}

/// Returns the format of a file whose name alone does not determine it.
pub(super) fn of(bytes: &[u8]) -> Option<Format> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        let is_report = start.contains("<testsuite");
        return is_report.then_some(Format::JUnit);
    }
    if head.split(|byte| *byte == b'\n').any(stream::is_event) {
        return Some(Format::Stream);
    }
    let all = String::from_utf8_lossy(bytes);
    let all = sanitize::terminal(&all);
    all.lines().any(libtest::is_start).then_some(Format::Text)
}

/// Whether a file that cannot be read in full begins like a report.
pub(super) fn begins_like_one(root: &Path, name: &str) -> bool {
    read::head(root, name, HEAD).is_ok_and(|bytes| of(&bytes).is_some())
}

pub(super) fn parse(format: Format, bytes: &[u8]) -> Result<ParsedReport, MalformedReport> {
    match format {
        Format::JUnit => junit::parse(bytes),
        Format::Stream => stream::parse(bytes),
        Format::LastFailed => pytest::last_failed(bytes),
        Format::Text => texts(bytes, &[])
            .ok_or_else(|| MalformedReport::at(bytes, 0, "it is not the output of a test tool")),
    }
}

/// Parses a command's output, in all formats that it contains. `None` if it contains none.
pub(super) fn output(stdout: &[u8], stderr: &[u8]) -> Option<ParsedReport> {
    let is_stream = stdout.split(|byte| *byte == b'\n').any(stream::is_event);
    let mut found = texts(stdout, stderr);
    if is_stream {
        let found = found.get_or_insert_default();
        match stream::parse(stdout) {
            Ok(parsed) => found.absorb(parsed),
            Err(malformed) => found.note_gap(format!("its events can't be read: {malformed}")),
        }
    }
    found
}

fn texts(stdout: &[u8], stderr: &[u8]) -> Option<ParsedReport> {
    let plain = |bytes: &[u8]| sanitize::terminal(&String::from_utf8_lossy(bytes));
    let (stdout, stderr) = (plain(stdout), plain(stderr));
    libtest::parse(&stdout, &stderr)
}
