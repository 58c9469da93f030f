//! A session open for writing: the one handle through which a run records its actions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::error::StoreError;
use super::fs::{AppendFile, EntryKind, FileLock, Fs};
use super::journal::Journal;
use super::{answers, snapshot};
use crate::agent::attempts::{AttemptResult, Intent};
use crate::env::Env;
use crate::journal::key::sha;
use crate::journal::ledger::{Call, Ledger, State};
use crate::journal::record::{
    Body, CallAmbiguous, CallIntent, CallResult, Record, SessionClosed, SessionOpened,
    SessionResumed, SessionSuspended,
};
use crate::kernel::{Cost, Limit, Shortfall, Usd};
use crate::text::Note;

/// Maximum size of a spool that is read to adopt a call, in bytes.
const SPOOL_BYTES: u64 = 512 << 20;

/// The names in a session's directory.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) dir: PathBuf,
}

impl Paths {
    pub(super) fn journal(&self) -> PathBuf {
        self.dir.join("journal.jsonl")
    }
    pub(super) fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }
    pub(super) fn answers(&self) -> PathBuf {
        self.dir.join("answers")
    }
    pub(super) fn prompts(&self) -> PathBuf {
        self.dir.join("prompts")
    }
    pub(super) fn spool(&self) -> PathBuf {
        self.dir.join("spool")
    }
    pub(super) fn document(&self) -> PathBuf {
        self.dir.join("session.json")
    }
    pub(super) fn report(&self) -> PathBuf {
        self.dir.join("session.md")
    }
    pub(super) fn sinks(&self) -> PathBuf {
        self.dir.join("sinks.json")
    }
    /// Keys are hexadecimal digits (checked against [`Ledger::key`] before anything is recorded), so the name cannot
    /// leave the directory.
    pub(super) fn spool_file(&self, call: &Call) -> PathBuf {
        self.spool().join(format!("{}.{}.out", call.key, call.run))
    }
}

/// A session open for writing. Dropping it releases its lock.
#[derive(Debug)]
pub struct Session {
    id: String,
    paths: Paths,
    fs: Arc<dyn Fs>,
    env: Env,
    journal: Journal,
    ledger: Ledger,
    rescue: Option<PathBuf>,
    note: Option<Note>,
    /// Whether this run opened it or has written `session.resumed`.
    begun: bool,
    _held: Box<dyn FileLock>,
}

/// The parts from which [`Store`](super::Store) builds a session.
pub(super) struct Parts {
    pub(super) id: String,
    pub(super) paths: Paths,
    pub(super) fs: Arc<dyn Fs>,
    pub(super) env: Env,
    pub(super) rescue: Option<PathBuf>,
    pub(super) held: Box<dyn FileLock>,
    pub(super) note: Option<Note>,
}

impl Session {
    pub(super) fn create(parts: Parts, opened: SessionOpened) -> Result<Self, StoreError> {
        let mut ledger = Ledger::new(&parts.id);
        let body = Body::Opened(Box::new(opened));
        ledger.check(&body).map_err(misuse(&parts.paths))?;
        let at = parts.env.now();
        let (journal, record) =
            Journal::create(Arc::clone(&parts.fs), parts.paths.journal(), at, body)?;
        ledger.fold(&record).map_err(misuse(&parts.paths))?;
        Ok(Self::new(parts, journal, ledger, true))
    }

    pub(super) fn open(parts: Parts) -> Result<(Self, Vec<Record>, Vec<Note>), StoreError> {
        let (journal, contents) =
            Journal::open(Arc::clone(&parts.fs), parts.paths.journal(), &parts.id)?;
        let session = Self::new(parts, journal, contents.ledger, false);
        Ok((session, contents.records, contents.torn.into_iter().collect()))
    }

    /// Opens the session that this run has just put in place as a whole.
    pub(super) fn forked(parts: Parts) -> Result<Self, StoreError> {
        let (session, ..) = Self::open(parts)?;
        Ok(Self { begun: true, ..session })
    }

    fn new(parts: Parts, journal: Journal, ledger: Ledger, begun: bool) -> Self {
        Self {
            id: parts.id,
            paths: parts.paths,
            fs: parts.fs,
            env: parts.env,
            journal,
            ledger,
            rescue: parts.rescue,
            note: parts.note,
            begun,
            _held: parts.held,
        }
    }

    /// Returns the session's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns its directory.
    pub fn dir(&self) -> &Path {
        &self.paths.dir
    }

    /// Returns the note about the folder that contains it.
    pub fn folder_note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// Returns the hash of the journal's last line, which depends on every record.
    pub fn head(&self) -> &str {
        self.journal.head()
    }

    /// Returns the fold of its journal.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Appends a record and returns its number. It is then on disk.
    ///
    /// After `open`, the first record must be `session.resumed`. After any failed write every
    /// further append is refused.
    pub fn append(&mut self, body: Body) -> Result<u64, StoreError> {
        self.write(body, Journal::append)
    }

    /// Appends a record that nobody acts on: a judged reply, a closed turn or round. All of these
    /// can be derived again from the calls, so the record waits for the next one that must be on
    /// disk, is written with it, and costs no sync of its own.
    pub fn note(&mut self, body: Body) -> Result<u64, StoreError> {
        self.write(body, Journal::append_later)
    }

    fn write(
        &mut self,
        body: Body,
        append: impl Fn(&mut Journal, DateTime<Utc>, Body) -> Result<Record, StoreError>,
    ) -> Result<u64, StoreError> {
        if !self.begun && !matches!(body, Body::Resumed(_)) {
            return Err(misuse(&self.paths)(format!("{} before session.resumed", body.kind())));
        }
        self.ledger.check(&body).map_err(misuse(&self.paths))?;
        let record = append(&mut self.journal, self.env.now(), body)?;
        self.ledger.fold(&record).map_err(misuse(&self.paths))?;
        self.begun = true;
        Ok(record.seq)
    }

    /// Records that this run continues the session. Calls that were in flight count as spent from now on.
    pub fn resume(&mut self, resumed: SessionResumed) -> Result<u64, StoreError> {
        self.append(Body::Resumed(resumed))
    }

    /// Stores the prompt of a call, without secrets, and records that it is about to be made. Only then may its
    /// process start.
    pub fn begin(
        &mut self,
        intent: &Intent,
        prompt: &[u8],
        reservation: Usd,
    ) -> Result<Call, StoreError> {
        let prompt = self.put(&self.paths.prompts(), prompt)?;
        let call = self.ledger.next_call(intent);
        self.append(Body::Intent(Box::new(CallIntent {
            key: call.key.clone(),
            run: call.run,
            epoch: self.ledger.epoch(&intent.turn, intent.attempt),
            intent: intent.clone(),
            prompt: Some(prompt),
            reservation,
        })))?;
        Ok(call)
    }

    /// Records how a call ended: its answer first, then the result.
    ///
    /// If that fails, the answer is copied to the user's state directory and the error says where;
    /// the journal accepts nothing more.
    pub fn settle(
        &mut self,
        call: &Call,
        result: &AttemptResult,
        charged: Cost,
    ) -> Result<u64, StoreError> {
        self.record_result(call, result, charged, false)
    }

    /// Records a complete answer from the spool of an interrupted run, instead of paying for it again.
    pub fn adopt(
        &mut self,
        call: &Call,
        result: &AttemptResult,
        charged: Cost,
    ) -> Result<u64, StoreError> {
        self.record_result(call, result, charged, true)
    }

    fn record_result(
        &mut self,
        call: &Call,
        result: &AttemptResult,
        charged: Cost,
        adopted: bool,
    ) -> Result<u64, StoreError> {
        let answer = result.answer.as_deref();
        let record = CallResult {
            key: call.key.clone(),
            run: call.run,
            answer: answer.map(sha),
            cost: charged,
            attempt: AttemptResult { answer: None, cost: None, ..result.clone() },
            adopted,
            kept: None,
        };
        answer
            .map(|bytes| self.put_answer(bytes))
            .transpose()
            .and_then(|_| self.append(Body::Result(Box::new(record.clone()))))
            .map_err(|source| match answer {
                Some(bytes) => self.rescue(call, &record, bytes, source),
                None => source,
            })
    }

    /// Records that a call of an interrupted run may have been paid for: its reservation counts as spent.
    pub fn charge_ambiguous(&mut self, call: &Call, reservation: Usd) -> Result<u64, StoreError> {
        self.append(Body::Ambiguous(CallAmbiguous {
            key: call.key.clone(),
            run: call.run,
            charged: Cost::declared(reservation),
        }))
    }

    /// Records that the run ends before the debate does. `ask_again`: the failed turns that stopped it.
    /// `tree_changed`: files of the repository that changed while agents could read it. `limit`: the limit that
    /// stopped it, if any. `short`: the budget's shortfall.
    pub fn suspend(
        &mut self,
        outcome: &str,
        ask_again: Vec<String>,
        tree_changed: Vec<String>,
        limit: Option<Limit>,
        short: Option<Shortfall>,
    ) -> Result<u64, StoreError> {
        self.append(Body::Suspended(SessionSuspended {
            outcome: outcome.to_owned(),
            ask_again,
            tree_changed,
            limit,
            short,
        }))
    }

    /// Records that the debate ended.
    pub fn close(&mut self, outcome: &str, verdict: &str) -> Result<u64, StoreError> {
        self.append(Body::Closed(SessionClosed {
            outcome: outcome.to_owned(),
            verdict: verdict.to_owned(),
        }))
    }

    /// Whether the debate ended, so that nothing more may be written.
    pub fn is_closed(&self) -> bool {
        matches!(self.ledger.state(), State::Closed { .. })
    }

    /// Stores an answer; a failure poisons the journal, since a result without its answer must not be written.
    pub fn put_answer(&mut self, bytes: &[u8]) -> Result<String, StoreError> {
        self.put(&self.paths.answers(), bytes)
    }

    fn put(&mut self, dir: &Path, bytes: &[u8]) -> Result<String, StoreError> {
        if self.journal.is_poisoned() {
            return Err(StoreError::Poisoned { path: self.paths.journal() });
        }
        answers::put(self.fs.as_ref(), dir, bytes).inspect_err(|_| self.journal.poison())
    }

    /// Reads an answer that a record refers to.
    pub fn answer(&self, sha: &str) -> Result<Vec<u8>, StoreError> {
        answers::get(self.fs.as_ref(), &self.paths.answers(), sha)
    }

    /// Builds a recorded attempt's result again, with its answer.
    pub fn replay(&self, result: &CallResult) -> Result<AttemptResult, StoreError> {
        let answer = result.answer.as_deref().map(|sha| self.answer(sha));
        Ok(result.attempt(answer.transpose()?))
    }

    /// Opens the file for the output of a running call. Not fsynced: it is for a crash of this process, not of the
    /// machine.
    pub fn spool_writer(&self, call: &Call) -> Result<SpoolWriter, StoreError> {
        let path = self.paths.spool_file(call);
        self.fs.write_new(&path, b"").map_err(StoreError::io("create", &path))?;
        let file = self.fs.open_append(&path).map_err(StoreError::io("open", &path))?;
        Ok(SpoolWriter { path, file })
    }

    /// Reads the output of an interrupted call; empty if there is none.
    pub fn spool(&self, call: &Call) -> Result<Vec<u8>, StoreError> {
        let path = self.paths.spool_file(call);
        match self.fs.read(&path, SPOOL_BYTES) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    /// Replaces the stored result, `session.json` and `session.md`. A failure harms neither the journal nor the older
    /// result.
    pub fn write_result(&self, document: &Value, markdown: &str) -> Result<(), StoreError> {
        let path = self.paths.document();
        let mut bytes = serde_json::to_vec_pretty(document)
            .map_err(std::io::Error::other)
            .map_err(StoreError::io("write", &path))?;
        bytes.push(b'\n');
        snapshot::replace(self.fs.as_ref(), &path, &bytes)?;
        snapshot::replace(self.fs.as_ref(), &self.paths.report(), markdown.as_bytes())
    }

    /// Saves a paid reply that could not be recorded: a line with its record, then the reply.
    fn rescue(
        &self,
        call: &Call,
        record: &CallResult,
        bytes: &[u8],
        source: StoreError,
    ) -> StoreError {
        let saved = self.rescued_file(call).and_then(|path| {
            let mut all = serde_json::to_vec(record).ok()?;
            all.push(b'\n');
            all.extend_from_slice(bytes);
            super::store::ensure_dir(self.fs.as_ref(), path.parent()?).ok()?;
            snapshot::replace(self.fs.as_ref(), &path, &all).ok()?;
            Some(path)
        });
        StoreError::Unkept { source: Box::new(source), saved, spool: self.paths.spool_file(call) }
    }

    fn rescued_file(&self, call: &Call) -> Option<PathBuf> {
        let name = format!("{}-{}.{}.reply", self.id, &call.key[..16], call.run);
        Some(self.rescue.as_ref()?.join(name))
    }

    /// Records the reply to a call that an earlier run could only save outside of the session, instead of paying for
    /// it again; `None` if there is none.
    pub fn adopt_rescued(&mut self, call: &Call) -> Result<Option<AttemptResult>, StoreError> {
        let Some(path) = self.rescued_file(call) else { return Ok(None) };
        let Some((record, reply)) = self.read_rescued(call, &path) else { return Ok(None) };
        let mut result = record.attempt(Some(reply));
        let message = format!(
            "the answer, which an earlier run could not record, was taken from {}",
            path.display()
        );
        result.notes.push(Note::new("adopted_after_crash", message));
        self.adopt(call, &result, record.cost)?;
        // It is in the session now; whatever is left of it is never read again.
        drop(self.fs.remove_file(&path));
        Ok(Some(result))
    }

    /// Reads a saved reply that is whole, this call's, and in a file that nobody but the user can have written.
    fn read_rescued(&self, call: &Call, path: &Path) -> Option<(CallResult, Vec<u8>)> {
        let fs = self.fs.as_ref();
        let is_private = |path: &Path| fs.owned(path).is_ok_and(|it| it.by_us && !it.is_wide);
        let is_file = fs.kind(path).ok()? == Some(EntryKind::File);
        if !is_file || !is_private(path) || !is_private(path.parent()?) {
            return None;
        }
        let mut bytes = fs.read(path, SPOOL_BYTES).ok()?;
        let line = bytes.iter().position(|byte| *byte == b'\n')?;
        let record: CallResult = serde_json::from_slice(&bytes[..line]).ok()?;
        bytes.drain(..=line);
        let is_it = (&record.key, record.run) == (&call.key, call.run)
            && record.answer == Some(sha(&bytes));
        is_it.then_some((record, bytes))
    }
}

/// The file for the output of a running call.
#[derive(Debug)]
pub struct SpoolWriter {
    path: PathBuf,
    file: Box<dyn AppendFile>,
}

impl SpoolWriter {
    /// Appends redacted bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.append(bytes).map_err(StoreError::io("write", &self.path))
    }
}

fn misuse(paths: &Paths) -> impl Fn(String) -> StoreError {
    let path = paths.journal();
    move |what| StoreError::Misuse { path: path.clone(), what }
}
