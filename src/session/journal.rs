//! The journal: the append-only file that is a session's single source of truth.
//!
//! One write per record, then an fsync, then the caller acts. Reading finds at most one torn
//! record, the last: every other record was on disk before its successor was written, so damage
//! elsewhere is not from a crash and is refused, and so is a last line that is whole and changed.
//! The lines are a chain of hashes ([`wire`](crate::journal::wire)), which every reader checks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::de::IgnoredAny;

use super::error::StoreError;
use super::fs::{AppendFile, Fs};
use crate::journal::key::sha;
use crate::journal::ledger::Ledger;
use crate::journal::record::{Body, Record};
use crate::journal::wire::{Line, START, VERSION, claimed_newer, parse_line};
use crate::text::Note;

pub(crate) const JOURNAL_BYTES: u64 = 256 << 20;
/// Maximum size of a record, in bytes. The largest contains the input.
pub(crate) const RECORD_BYTES: usize = 64 << 20;

#[derive(Debug)]
pub(crate) struct Contents {
    /// Its records in order.
    pub records: Vec<Record>,
    /// Their fold.
    pub ledger: Ledger,
    /// The hash of the last good line; `None` in a version without a chain.
    pub head: Option<String>,
    /// Number of bytes up to the end of the last good record.
    pub good_len: u64,
    /// The note on a torn last record that was (or will be) dropped.
    pub torn: Option<Note>,
}

/// Reads and folds a whole journal. Changes nothing.
pub(crate) fn read(fs: &dyn Fs, path: &Path, session: &str) -> Result<Contents, StoreError> {
    require_file(fs, path)?;
    let bytes = fs.read(path, JOURNAL_BYTES).map_err(|source| {
        if source.kind() == std::io::ErrorKind::FileTooLarge {
            StoreError::TooLarge {
                path: path.to_owned(),
                bytes: fs.len(path).unwrap_or_default(),
                limit: JOURNAL_BYTES,
            }
        } else {
            StoreError::io("read", path)(source)
        }
    })?;
    parse(path, session, &bytes)
}

/// Checks a journal's bytes.
fn parse(path: &Path, session: &str, bytes: &[u8]) -> Result<Contents, StoreError> {
    let ledger = Ledger::new(session);
    let mut contents =
        Contents { records: Vec::new(), ledger, head: None, good_len: 0, torn: None };
    let mut rest = bytes;
    while !rest.is_empty() {
        let seq = contents.records.len() as u64 + 1;
        let (line, ended) = match rest.iter().position(|byte| *byte == b'\n') {
            Some(at) => (&rest[..at], true),
            None => (rest, false),
        };
        let size = line.len() + usize::from(ended);
        let last = size == rest.len();
        match judge(path, line, ended, &contents)? {
            Ok((record, chained)) => {
                contents.head = chained.then(|| sha(&rest[..size]));
                contents.ledger.fold(&record).map_err(|what| StoreError::Inconsistent {
                    path: path.to_owned(),
                    record: seq,
                    what,
                })?;
                contents.records.push(record);
            }
            // A crash leaves no whole line.
            Err(reason)
                if last && (!ended || serde_json::from_slice::<IgnoredAny>(line).is_err()) =>
            {
                contents.torn = Some(Note::new(
                    "torn_record_dropped",
                    format!(
                        "the last record of {} (number {seq}, {size} bytes at byte {}) was cut short by a crash and is dropped: {reason}",
                        path.display(),
                        contents.good_len,
                    ),
                ));
                break;
            }
            Err(reason) => {
                return Err(StoreError::Corrupt {
                    path: path.to_owned(),
                    record: seq,
                    offset: contents.good_len,
                    reason,
                });
            }
        }
        contents.good_len += size as u64;
        rest = &rest[size..];
    }
    if contents.records.is_empty() {
        return Err(StoreError::NeverOpened { path: path.to_owned() });
    }
    Ok(contents)
}

/// Checks one line after those before it, and returns its record and whether it is in a chain. The inner `Err` is
/// damage, which may be a torn tail; the outer one is final.
fn judge(
    path: &Path,
    line: &[u8],
    ended: bool,
    before: &Contents,
) -> Result<Result<(Record, bool), String>, StoreError> {
    let seq = before.records.len() as u64 + 1;
    let newer = |v| StoreError::Newer { path: path.to_owned(), record: seq, v, ours: VERSION };
    check_size(path, line.len() as u64, RECORD_BYTES as u64)?;
    match parse_line(line) {
        Ok(_) if !ended => Ok(Err("its line feed is missing".to_owned())),
        Ok(Line::Known(record, prev)) => {
            let start = (seq == 1 && prev.is_some()).then_some(START);
            let reason = if record.seq != seq {
                format!("it says it is number {}: records are missing, put in or moved", record.seq)
            } else if prev.as_deref() != start.or(before.head.as_deref()) {
                "it was written after other records: the one before was changed, or some are missing or put in".to_owned()
            } else {
                return Ok(Ok((record, prev.is_some())));
            };
            let (path, offset) = (path.to_owned(), before.good_len);
            Err(StoreError::Corrupt { path, record: seq, offset, reason })
        }
        Ok(Line::Newer { v }) => Err(newer(v)),
        Ok(Line::Unknown { kind }) => Err(StoreError::UnknownType {
            path: path.to_owned(),
            record: seq,
            kind: kind.chars().take(64).collect(),
        }),
        Err(reason) => match claimed_newer(line) {
            Some(v) => Err(newer(v)),
            None => Ok(Err(reason)),
        },
    }
}

/// Refuses anything but a regular file, naming its kind.
fn require_file(fs: &dyn Fs, path: &Path) -> Result<(), StoreError> {
    use super::fs::EntryKind;
    match fs.kind(path).map_err(StoreError::io("look at", path))? {
        Some(EntryKind::File) => Ok(()),
        Some(kind @ (EntryKind::Dir | EntryKind::Link | EntryKind::Other)) => {
            Err(StoreError::WrongKind {
                path: path.to_owned(),
                wanted: "a regular file",
                found: kind.words(),
            })
        }
        None => Err(StoreError::NeverOpened { path: path.to_owned() }),
    }
}

#[derive(Debug)]
pub(crate) struct Journal {
    fs: Arc<dyn Fs>,
    path: PathBuf,
    file: Box<dyn AppendFile>,
    /// Length of the file as we left it, in bytes.
    len: u64,
    /// Records waiting to be written with the next one that must be on disk.
    waiting: Vec<u8>,
    seq: u64,
    /// The hash of the last line, waiting ones included.
    head: String,
    poisoned: bool,
}

impl Journal {
    /// Creates a journal with its first record, which is on disk on return.
    pub(crate) fn create(
        fs: Arc<dyn Fs>,
        path: PathBuf,
        at: DateTime<Utc>,
        opened: Body,
    ) -> Result<(Self, Record), StoreError> {
        let record = Record { seq: 1, at, body: opened };
        let line = encode(&path, &record, START)?;
        fs.write_new(&path, &line).map_err(StoreError::io("create", &path))?;
        Ok((Self::at_end(fs, path, (line.len() as u64, 1, sha(&line)))?, record))
    }

    /// Opens a file of `len` bytes in `seq` records, with the hash of the last, for appending, when they are on disk.
    fn at_end(
        fs: Arc<dyn Fs>,
        path: PathBuf,
        (len, seq, head): (u64, u64, String),
    ) -> Result<Self, StoreError> {
        let mut file = fs.open_append(&path).map_err(StoreError::io("open", &path))?;
        file.sync().map_err(StoreError::io("sync", &path))?;
        if let Some(dir) = path.parent() {
            fs.sync_dir(dir).map_err(StoreError::io("sync", dir))?;
        }
        Ok(Self { fs, path, file, len, waiting: Vec::new(), seq, head, poisoned: false })
    }

    /// Reads a journal and opens it for appending; a torn last record is cut off.
    ///
    /// Records that an earlier process wrote but may not have synced are synced first: we are about
    /// to act on them.
    pub(crate) fn open(
        fs: Arc<dyn Fs>,
        path: PathBuf,
        session: &str,
    ) -> Result<(Self, Contents), StoreError> {
        let contents = read(fs.as_ref(), &path, session)?;
        let Some(head) = contents.head.clone() else {
            return Err(StoreError::Unchained { path });
        };
        if contents.torn.is_some() {
            fs.truncate(&path, contents.good_len)
                .map_err(StoreError::io("cut the torn record off", &path))?;
        }
        let seq = contents.records.len() as u64;
        Ok((Self::at_end(fs, path, (contents.good_len, seq, head))?, contents))
    }

    /// Appends one record; on return it is on disk, with every one before it.
    ///
    /// Any error except a record that is too large poisons the journal.
    pub(crate) fn append(&mut self, at: DateTime<Utc>, body: Body) -> Result<Record, StoreError> {
        let (record, line) = self.next(at, body)?;
        // Set before the first operation: any early return leaves the journal poisoned.
        self.poisoned = true;
        let found = self.fs.len(&self.path).map_err(StoreError::io("look at", &self.path))?;
        if found != self.len {
            return Err(StoreError::Changed { path: self.path.clone(), expected: self.len, found });
        }
        let mut lines = std::mem::take(&mut self.waiting);
        lines.extend_from_slice(&line);
        self.file.append(&lines).map_err(StoreError::io("write", &self.path))?;
        self.file.sync().map_err(StoreError::io("sync", &self.path))?;
        self.poisoned = false;
        self.len += lines.len() as u64;
        self.seq += 1;
        Ok(record)
    }

    /// Adds a record that nobody acts on. It is written together with the next appended one, in one
    /// write: two unsynced ones could reach the disk in the wrong order, and leave a hole.
    pub(crate) fn append_later(
        &mut self,
        at: DateTime<Utc>,
        body: Body,
    ) -> Result<Record, StoreError> {
        let (record, line) = self.next(at, body)?;
        self.waiting.extend_from_slice(&line);
        self.seq += 1;
        Ok(record)
    }

    fn next(&mut self, at: DateTime<Utc>, body: Body) -> Result<(Record, Vec<u8>), StoreError> {
        if self.poisoned {
            return Err(StoreError::Poisoned { path: self.path.clone() });
        }
        let record = Record { seq: self.seq + 1, at, body };
        let line = encode(&self.path, &record, &self.head)?;
        let bytes = self.len + (self.waiting.len() + line.len()) as u64;
        check_size(&self.path, bytes, JOURNAL_BYTES)?;
        self.head = sha(&line);
        Ok((record, line))
    }

    pub(crate) fn head(&self) -> &str {
        &self.head
    }

    /// Whether an earlier failure forbids every further append.
    pub(crate) fn is_poisoned(&self) -> bool {
        self.poisoned
    }

    /// Forbids every further append: something that records depend on could not be written.
    pub(crate) fn poison(&mut self) {
        self.poisoned = true;
    }
}

fn check_size(path: &Path, bytes: u64, limit: u64) -> Result<(), StoreError> {
    let too_large = || StoreError::TooLarge { path: path.to_owned(), bytes, limit };
    if bytes > limit { Err(too_large()) } else { Ok(()) }
}

/// Encodes a record as its line, after that with the hash `prev`, and makes sure that it can be read back.
pub(super) fn encode(path: &Path, record: &Record, prev: &str) -> Result<Vec<u8>, StoreError> {
    let misuse = |what: String| StoreError::Misuse { path: path.to_owned(), what };
    let line = record.encode(prev).map_err(|error| misuse(error.to_string()))?;
    check_size(path, line.len() as u64, RECORD_BYTES as u64)?;
    match parse_line(&line[..line.len() - 1]) {
        Ok(Line::Known(..)) => Ok(line),
        Ok(Line::Newer { .. } | Line::Unknown { .. }) => {
            Err(misuse("the record is of another version".to_owned()))
        }
        Err(reason) => Err(misuse(format!("the record could not be read again: {reason}"))),
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
