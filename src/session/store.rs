//! The sessions of a project: creating, finding, opening, listing.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::error::StoreError;
use super::fs::{EntryKind, Fs};
use super::lock::{self, Holder};
use super::open::{Parts, Paths};
pub use super::open::{Session, SpoolWriter};
use super::{answers, journal};
use crate::env::Env;
use crate::journal::ledger::{Ledger, State};
use crate::journal::record::{CallIntent, Parent, Record, SessionOpened};
use crate::kernel::{Cost, Limit};
use crate::text::Note;

/// The name of the newest session.
const LAST: &str = "@last";

/// Whether a protocol's sessions are of a kind, which is its name or the command's.
fn is_of(protocol: &str, kind: &str) -> bool {
    protocol == kind || (protocol, kind) == ("backlog", "prioritize")
}

/// The sessions below one `.debate` directory.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) fs: Arc<dyn Fs>,
    pub(super) root: PathBuf,
    pub(super) env: Env,
    pub(super) state: Option<PathBuf>,
}

/// A session read without opening it for writing.
#[derive(Debug)]
pub struct StoredSession {
    /// Its id.
    pub id: String,
    /// Its records in order.
    pub records: Vec<Record>,
    /// Their fold.
    pub ledger: Ledger,
    /// Its status.
    pub status: Status,
    /// Notes: a torn last record.
    pub notes: Vec<Note>,
    /// The SHA-256 of its journal's last line, which depends on every record; `None` in a version without a chain.
    pub head: Option<String>,
    fs: Arc<dyn Fs>,
    pub(super) paths: Paths,
}

impl StoredSession {
    /// Returns its directory.
    pub fn dir(&self) -> &Path {
        &self.paths.dir
    }

    /// Reads the bytes of its journal from disk.
    pub fn journal(&self) -> Result<Vec<u8>, StoreError> {
        let path = self.paths.journal();
        let read = self.fs.read(&path, journal::JOURNAL_BYTES);
        read.map_err(StoreError::io("read", &path))
    }

    /// Reads the result as it was stored when a run last ended: the document and its report. `None` if there is none.
    pub fn result(&self) -> Result<Option<(Value, String)>, StoreError> {
        let read = |path: PathBuf| match self.fs.read(&path, RESULT_BYTES) {
            Ok(bytes) => Ok(Some((path, bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        };
        let (document, report) = (read(self.paths.document())?, read(self.paths.report())?);
        let (Some((path, document)), Some((_, report))) = (document, report) else {
            return Ok(None);
        };
        let document = serde_json::from_slice(&document).map_err(io::Error::other);
        let document = document.map_err(StoreError::io("read", &path))?;
        Ok(Some((document, String::from_utf8_lossy(&report).into_owned())))
    }

    /// Reads an answer that a record refers to.
    pub fn answer(&self, sha: &str) -> Result<Vec<u8>, StoreError> {
        answers::get(self.fs.as_ref(), &self.paths.answers(), sha)
    }

    /// Reads the prompt of a call: system prompt and prompt. `None` if it is not there as it was stored, which only
    /// readers miss.
    pub fn prompt(&self, call: &CallIntent) -> Option<[String; 2]> {
        let bytes = self.prompt_bytes(call)?;
        let text = String::from_utf8_lossy(&bytes);
        let (system, prompt) = text.split_once('\0')?;
        Some([system.to_owned(), prompt.to_owned()])
    }

    pub(super) fn prompt_bytes(&self, call: &CallIntent) -> Option<Vec<u8>> {
        answers::get(self.fs.as_ref(), &self.paths.prompts(), call.prompt.as_deref()?).ok()
    }
}

/// The status of a session, including its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// A running process holds it. Contains the holder, if the lock names one.
    Live(Option<Holder>),
    /// It can be resumed.
    Suspended {
        /// Its outcome.
        outcome: String,
        /// The limit that stopped it, if one did.
        limit: Option<Limit>,
    },
    /// Its process died; it can be resumed.
    Interrupted,
    /// The debate ended.
    Closed {
        /// Its outcome.
        outcome: String,
        /// Its verdict.
        verdict: String,
    },
    /// It cannot be read. Contains the reason.
    Unreadable(String),
}

impl StoredSession {
    /// Returns it with the status that it has for the holder of its lock.
    #[must_use]
    pub(crate) fn for_its_holder(self) -> Self {
        Self { status: Status::of(&self.ledger, Ok(None)), ..self }
    }
}

impl Status {
    /// Returns the status of a session: the only place that decides it. A closed session stays closed, whoever
    /// still holds its lock.
    #[expect(
        clippy::option_option,
        reason = "as the lock says it: nobody, or somebody who may not say who"
    )]
    fn of(ledger: &Ledger, holder: Result<Option<Option<Holder>>, StoreError>) -> Self {
        match (ledger.state(), holder) {
            (State::Closed { outcome, verdict }, _) => {
                Self::Closed { outcome: outcome.clone(), verdict: verdict.clone() }
            }
            (_, Err(error)) => Self::Unreadable(error.to_string()),
            (_, Ok(Some(holder))) => Self::Live(holder),
            (State::Running, Ok(None)) => Self::Interrupted,
            (State::Suspended { outcome, limit }, Ok(None)) => {
                Self::Suspended { outcome: outcome.clone(), limit: *limit }
            }
        }
    }
}

/// One line of `sessions list`.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionListing {
    /// The session's id.
    pub id: String,
    /// Its status.
    pub status: Status,
    /// Its summary; `None` if it is unreadable.
    pub summary: Option<Summary>,
}

/// A short description of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The protocol's name.
    pub protocol: String,
    /// Its title.
    pub title: String,
    /// Whether it is a rehearsal.
    pub rehearsal: bool,
    /// Time of its first record.
    pub started_at: DateTime<Utc>,
    /// Time of its last record.
    pub last_at: DateTime<Utc>,
    /// The amount spent; calls in flight of a dead process count with their reservation.
    pub spent: Option<Cost>,
    /// Number of calls begun.
    pub calls: u32,
    /// Number of rounds closed.
    pub rounds: u32,
    /// The session whose answers of earlier rounds it keeps.
    pub parent: Option<Parent>,
}

/// Maximum size of each file of a stored result, in bytes.
const RESULT_BYTES: u64 = 64 << 20;
/// The probe's size in bytes: a block, so that a full disk is noticed.
const PROBE_BYTES: usize = 4 << 10;
/// The file that the probe writes and removes.
pub(super) const PROBE: &str = ".probe";

impl Store {
    /// Creates the store for one `.debate` directory. Does not touch the disk.
    pub fn new(fs: Arc<dyn Fs>, root: PathBuf, env: Env) -> Self {
        Self { fs, root, env, state: None }
    }

    /// Returns the time.
    pub fn now(&self) -> DateTime<Utc> {
        self.env.now()
    }

    /// Sets the user's directory for what belongs outside of the project: replies that a session could not store, and
    /// marks of the sessions that may be sent.
    #[must_use]
    pub fn with_state(mut self, dir: PathBuf) -> Self {
        self.state = Some(dir);
        self
    }

    /// Returns the directory of all sessions.
    pub fn sessions_dir(&self) -> PathBuf {
        self.root.join("sessions")
    }

    pub(super) fn paths(&self, id: &str) -> Paths {
        Paths { dir: self.sessions_dir().join(id) }
    }

    /// Creates a session, locks it, and checks that the disk is writable; only then may anything be spent.
    ///
    /// `opened.session` is its id.
    pub fn create(&self, opened: SessionOpened) -> Result<Session, StoreError> {
        let parts = self.begin(&opened.session)?;
        Session::create(parts, opened)
    }

    /// Creates a new session's directory and locks it.
    pub(super) fn begin(&self, id: &str) -> Result<Parts, StoreError> {
        check_id(id)?;
        let fs = self.fs.as_ref();
        let sessions = self.sessions_dir();
        let note = self.folder()?;
        ensure_dir(fs, &sessions)?;
        let paths = self.paths(id);
        fs.create_dir(&paths.dir).map_err(|source| {
            if source.kind() == io::ErrorKind::AlreadyExists {
                StoreError::Exists { id: id.to_owned() }
            } else {
                StoreError::io("create", &paths.dir)(source)
            }
        })?;
        fs.sync_dir(&sessions).map_err(StoreError::io("sync", &sessions))?;
        Ok(Parts { note, ..self.take(id.to_owned(), paths)? })
    }

    /// Opens a session for writing, by its id or an unambiguous prefix.
    ///
    /// Returns the session, its records, and notes (a torn last record was dropped). Unless it is
    /// closed, record `session.resumed` next.
    pub fn open(&self, id: &str) -> Result<(Session, Vec<Record>, Vec<Note>), StoreError> {
        let id = self.resolve(id)?;
        let paths = self.paths(&id);
        require_dir(self.fs.as_ref(), &paths.dir)?;
        let parts = self.take(id, paths)?;
        Session::open(parts)
    }

    /// Reads a session by its id or an unambiguous prefix. Writes nothing and needs no lock.
    pub fn read(&self, id: &str) -> Result<StoredSession, StoreError> {
        let id = self.resolve(id)?;
        self.read_exact(id)
    }

    pub(super) fn read_exact(&self, id: String) -> Result<StoredSession, StoreError> {
        let paths = self.paths(&id);
        require_dir(self.fs.as_ref(), &paths.dir)?;
        // Before the journal: a run that ends in between has written its last record by then.
        let holder = lock::holder(self.fs.as_ref(), &paths.lock());
        let contents = journal::read(self.fs.as_ref(), &paths.journal(), &id)?;
        Ok(StoredSession {
            id,
            records: contents.records,
            status: Status::of(&contents.ledger, holder),
            ledger: contents.ledger,
            notes: contents.torn.into_iter().collect(),
            head: contents.head,
            fs: Arc::clone(&self.fs),
            paths,
        })
    }

    /// Resolves an id, a prefix, `@last` or `@last:KIND` to a session.
    pub fn resolve(&self, prefix: &str) -> Result<String, StoreError> {
        match prefix.split_once(':') {
            None if prefix == LAST => return self.last(prefix, |_| true),
            Some((LAST, kind)) => return self.last(prefix, |protocol| is_of(protocol, kind)),
            _ => check_id(prefix)?,
        }
        let matches: Vec<String> =
            self.ids()?.into_iter().filter(|id| id.starts_with(prefix)).collect();
        match &matches[..] {
            [one] => Ok(one.clone()),
            [] => Err(StoreError::UnknownId { id: prefix.to_owned(), root: self.sessions_dir() }),
            several if several.iter().any(|id| id == prefix) => Ok(prefix.to_owned()),
            several => Err(StoreError::AmbiguousId {
                prefix: prefix.to_owned(),
                matches: several.to_vec(),
            }),
        }
    }

    /// Returns the newest session of a kind. `name` is what it was asked for by.
    fn last(&self, name: &str, is: impl Fn(&str) -> bool) -> Result<String, StoreError> {
        let of_kind = |id: &String| {
            let listed = self.listed(id.clone());
            listed.summary.map_or_else(|| is(""), |summary| is(&summary.protocol))
        };
        let unknown = || StoreError::UnknownId { id: name.to_owned(), root: self.sessions_dir() };
        self.ids()?.into_iter().rev().find(of_kind).ok_or_else(unknown)
    }

    /// Returns the ids of all sessions, sorted, and so by creation time. Other names are skipped.
    pub fn ids(&self) -> Result<Vec<String>, StoreError> {
        let dir = self.sessions_dir();
        match self.fs.kind(&dir).map_err(StoreError::io("look at", &dir))? {
            None => return Ok(Vec::new()),
            Some(_) => require_dir(self.fs.as_ref(), &dir)?,
        }
        Ok(self
            .fs
            .list(&dir)
            .map_err(StoreError::io("list", &dir))?
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::Dir && is_id(&entry.name))
            .map(|entry| entry.name)
            .collect())
    }

    /// Lists all sessions; an unreadable one is listed with the reason.
    pub fn list(&self) -> Result<Vec<SessionListing>, StoreError> {
        Ok(self.ids()?.into_iter().map(|id| self.listed(id)).collect())
    }

    /// Returns an error if a process has the session open now, by its full id.
    pub fn free(&self, id: &str) -> Result<(), StoreError> {
        let path = self.paths(id).lock();
        match lock::holder(self.fs.as_ref(), &path)? {
            Some(holder) => Err(StoreError::Locked { path, holder }),
            None => Ok(()),
        }
    }

    /// Returns the ids of the sessions that a process has open now. Reads no journal; a lock that cannot be examined
    /// counts as free.
    pub fn live(&self) -> Result<Vec<String>, StoreError> {
        let held = |id: &String| {
            let lock = self.paths(id).lock();
            matches!(lock::holder(self.fs.as_ref(), &lock), Ok(Some(_)))
        };
        Ok(self.ids()?.into_iter().filter(held).collect())
    }

    /// Lists one session, by its full id.
    pub fn listed(&self, id: String) -> SessionListing {
        let (status, summary) = match self.read_exact(id.clone()) {
            Ok(stored) => {
                let live = matches!(stored.status, Status::Live(_));
                let readable = !matches!(stored.status, Status::Unreadable(_));
                let summary = (readable.then(|| summary(&stored.ledger, live))).flatten();
                (stored.status, summary)
            }
            // A session being created has no journal yet.
            Err(error) => match lock::holder(self.fs.as_ref(), &self.paths(&id).lock()) {
                Ok(Some(holder)) => (Status::Live(holder), None),
                Ok(None) | Err(_) => (Status::Unreadable(error.to_string()), None),
            },
        };
        SessionListing { id, status, summary }
    }

    /// Locks a session's directory and checks that it is writable.
    fn take(&self, id: String, paths: Paths) -> Result<Parts, StoreError> {
        let fs = self.fs.as_ref();
        let held = lock::acquire(fs, &paths.lock(), self.env.now(), lock::PATIENCE)?;
        ensure_dir(fs, &paths.answers())?;
        ensure_dir(fs, &paths.prompts())?;
        ensure_dir(fs, &paths.spool())?;
        probe(fs, &paths.dir)?;
        Ok(Parts {
            id,
            paths,
            fs: Arc::clone(&self.fs),
            env: self.env.clone(),
            rescue: self.state.as_ref().map(|state| state.join("rescued")),
            held,
            note: None,
        })
    }
}

fn summary(ledger: &Ledger, live: bool) -> Option<Summary> {
    let opened = ledger.opened()?;
    let (started_at, last_at) = ledger.times()?;
    let in_flight = ledger.reserved();
    let lost = (!live && in_flight > crate::kernel::Usd::ZERO).then_some(Cost::declared(in_flight));
    Some(Summary {
        protocol: opened.protocol.clone(),
        title: opened.title.clone(),
        rehearsal: opened.rehearsal,
        started_at,
        last_at,
        spent: Cost::sum(ledger.spent().into_iter().chain(lost)),
        calls: ledger.calls_made(),
        rounds: ledger.rounds(),
        parent: opened.parent.clone(),
    })
}

/// Writes, syncs and removes a file, so that a full or read-only disk is noticed before money is
/// spent.
fn probe(fs: &dyn Fs, dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(PROBE);
    match fs.remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(StoreError::io("remove", &path)(error));
        }
        Ok(()) | Err(_) => {}
    }
    let tried = fs
        .write_new(&path, &[0; PROBE_BYTES])
        .and_then(|()| fs.sync_file(&path))
        .map_err(StoreError::io("write", &path));
    let removed = fs.remove_file(&path).map_err(StoreError::io("remove", &path));
    tried.and(removed)
}

/// Makes sure that a private directory exists at a path, with its parents. A symbolic link is refused.
pub(crate) fn ensure_dir(fs: &dyn Fs, path: &Path) -> Result<(), StoreError> {
    match fs.kind(path).map_err(StoreError::io("look at", path))? {
        Some(_) => return require_dir(fs, path),
        None => {
            if let Some(parent) = path.parent()
                && fs.kind(parent).map_err(StoreError::io("look at", parent))?.is_none()
            {
                ensure_dir(fs, parent)?;
            }
        }
    }
    match fs.create_dir(path) {
        // Another run was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => require_dir(fs, path)?,
        result => result.map_err(StoreError::io("create", path))?,
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            fs.sync_dir(parent).map_err(StoreError::io("sync", parent))
        }
        Some(_) | None => Ok(()),
    }
}

/// Refuses anything but a real directory.
fn require_dir(fs: &dyn Fs, path: &Path) -> Result<(), StoreError> {
    match fs.kind(path).map_err(StoreError::io("look at", path))? {
        Some(EntryKind::Dir) => Ok(()),
        found => Err(StoreError::WrongKind {
            path: path.to_owned(),
            wanted: "a directory",
            found: found.map_or("nothing", EntryKind::words),
        }),
    }
}

/// Whether a text is a session id: `^[a-z0-9][a-z0-9-]{0,63}$`, and so safe as a directory's name.
pub fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn check_id(text: &str) -> Result<(), StoreError> {
    if is_id(text) {
        Ok(())
    } else {
        Err(StoreError::InvalidId { id: text.chars().take(64).collect() })
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
