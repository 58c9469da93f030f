//! Starts a session from another one: the answers of its earlier rounds are kept, the rest is asked again.
//!
//! The new journal is assembled in memory, each record checked by a ledger as if it had been appended, and
//! put in place as a whole, by a rename, after every answer that it refers to is on disk. So a crash leaves
//! either a directory without a journal, in which nothing was asked and which `gc` removes, or a session that
//! a resume can continue. The parent is read and never written.

use std::collections::HashMap;
use std::io;

use super::error::StoreError;
use super::journal::{JOURNAL_BYTES, encode};
use super::open::{Parts, Session};
use super::store::{Store, StoredSession};
use super::{answers, snapshot};
use crate::journal::key;
use crate::journal::ledger::{Call, Ledger};
use crate::journal::record::{
    Body, CallIntent, CallResult, ParseResult, Record, SessionOpened, TurnClosed,
};
use crate::journal::wire::START;
use crate::kernel::Cost;

/// No record of an earlier run refers to a kept one.
const FIRST_RUN: u32 = 1;

impl Store {
    /// Starts a session with another one's records of some turns, and locks it.
    ///
    /// `opened.session` is its id, and `opened.parent` must name `parent`. For every turn accepted by `keep`,
    /// the completed calls that a resume would answer from the journal are copied with their answers, each
    /// answer's bytes checked against its hash; calls that were cut off or voided are not, so they are asked
    /// again. A failed turn stays failed.
    ///
    /// # Errors
    /// The directory cannot be written, an answer of the parent is damaged, or the id is in use. Then nothing
    /// of the new session is left, if it can be removed.
    pub fn fork(
        &self,
        parent: &StoredSession,
        keep: &dyn Fn(&str) -> bool,
        opened: SessionOpened,
    ) -> Result<Session, StoreError> {
        let parts = self.begin(&opened.session)?;
        match fill(&parts, parent, keep, opened) {
            Ok(()) => Session::forked(parts),
            Err(error) => {
                let dir = parts.paths.dir.clone();
                // Without its journal it is not a session; only then may its answers be removed.
                let gone = match self.fs.remove_file(&parts.paths.journal()) {
                    Ok(()) => self.fs.sync_dir(&dir).is_ok(),
                    Err(missing) => missing.kind() == io::ErrorKind::NotFound,
                };
                // The lock is released first: a held lock is not removed.
                drop(parts);
                if gone {
                    self.fs.remove_dir_all(&dir).ok();
                }
                Err(error)
            }
        }
    }
}

/// Writes the kept prompts and answers, then the journal.
fn fill(
    parts: &Parts,
    parent: &StoredSession,
    keep: &dyn Fn(&str) -> bool,
    opened: SessionOpened,
) -> Result<(), StoreError> {
    let path = parts.paths.journal();
    let misuse = |what: String| StoreError::Misuse { path: path.clone(), what };
    if (opened.parent.as_ref()).is_none_or(|named| named.session != parent.id) {
        return Err(misuse(format!("a session started from `{}` does not name it", parent.id)));
    }
    if parent.head.is_none() {
        return Err(StoreError::Unchained { path: parent.dir().to_owned() });
    }
    let fs = parts.fs.as_ref();
    let mut ledger = Ledger::new(&parts.id);
    let (mut bytes, mut head) = (Vec::new(), START.to_owned());
    for (seq, body) in (1..).zip(bodies(parent, keep, opened)) {
        match &body {
            Body::Result(result) => {
                if let Some(sha) = &result.answer {
                    // Its bytes are checked against its name.
                    answers::put(fs, &parts.paths.answers(), &parent.answer(sha)?)?;
                }
            }
            Body::Intent(call) => {
                if let Some(bytes) = parent.prompt_bytes(call) {
                    answers::put(fs, &parts.paths.prompts(), &bytes)?;
                }
            }
            _ => {}
        }
        let record = Record { seq, at: parts.env.now(), body };
        ledger.fold(&record).map_err(misuse)?;
        let line = encode(&path, &record, &head)?;
        head = key::sha(&line);
        bytes.extend(line);
        if bytes.len() as u64 > JOURNAL_BYTES {
            return Err(StoreError::TooLarge {
                path,
                bytes: bytes.len() as u64,
                limit: JOURNAL_BYTES,
            });
        }
    }
    snapshot::replace(fs, &path, &bytes)
}

/// Builds the bodies of the new journal, in the order of the parent's records.
fn bodies(parent: &StoredSession, keep: &dyn Fn(&str) -> bool, opened: SessionOpened) -> Vec<Body> {
    let standing = parent.ledger.standing();
    let stands = |key: &str, run: u32| standing.contains(&Call { key: key.to_owned(), run });
    let id = opened.session.clone();
    let from_round = (opened.parent.as_ref()).map_or(0, |parent| parent.from_round);
    let mut bodies = vec![Body::Opened(Box::new(opened))];
    // The new key of each kept call, by its old one.
    let mut keys: HashMap<&str, String> = HashMap::new();
    for record in &parent.records {
        let kept = match &record.body {
            Body::Intent(call) if keep(&call.intent.turn) && stands(&call.key, call.run) => {
                let new = key::of(&id, &call.intent, 0);
                keys.insert(&call.key, new.clone());
                Some(Body::Intent(Box::new(CallIntent {
                    key: new,
                    run: FIRST_RUN,
                    epoch: 0,
                    ..(**call).clone()
                })))
            }
            Body::Result(result) if stands(&result.key, result.run) => {
                keys.get(result.key.as_str()).map(|key| {
                    Body::Result(Box::new(CallResult {
                        key: key.clone(),
                        run: FIRST_RUN,
                        cost: Cost::declared(crate::kernel::Usd::ZERO),
                        adopted: false,
                        // A price paid by the parent's own parent is not paid a third time either.
                        kept: Some(result.kept.unwrap_or(result.cost)),
                        ..(**result).clone()
                    }))
                })
            }
            Body::Parsed(parsed) => keys.get(parsed.key.as_str()).map(|key| {
                Body::Parsed(Box::new(ParseResult { key: key.clone(), ..(**parsed).clone() }))
            }),
            // As it was last closed; a turn voided by a resume is not closed any more.
            Body::TurnClosed(turn)
                if keep(&turn.turn) && parent.ledger.turns().get(&turn.turn) == Some(&**turn) =>
            {
                Some(Body::TurnClosed(Box::new(TurnClosed { cost: None, ..(**turn).clone() })))
            }
            Body::RoundClosed(round) if round.round < from_round => {
                Some(Body::RoundClosed(round.clone()))
            }
            _ => None,
        };
        bodies.extend(kept);
    }
    bodies
}

#[cfg(test)]
#[path = "fork_tests.rs"]
mod tests;
