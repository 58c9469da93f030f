//! Checks a stored session: its chain of hashes, and the files that its records name by their hashes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers;
use super::error::StoreError;
use super::store::Store;
use crate::journal::key::sha;
use crate::journal::record::Body;
use crate::kernel::count;

crate::words! {
    /// Whether a session is as it was written.
    pub enum ChainState {
        /// Every record, and every file that a record names, is as it was written.
        Intact = "intact",
        /// An older version wrote it, without a chain of hashes: nothing can be said.
        NoChain = "no_chain",
        /// Something was changed or is missing.
        Broken = "broken",
    }
}

/// What a check of a session found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifiedSession {
    /// Its id.
    pub session_id: String,
    /// Whether it is as it was written.
    pub state: ChainState,
    /// Number of records, where they could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<u32>,
    /// The SHA-256 of the last record's line, which depends on every byte before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Number of records that were written after the head that was kept, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<u32>,
    /// The number of the record at which something is wrong, from 1; missing where it is at none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// What is wrong; of an intact session, what a crash left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Store {
    /// Checks a session by its full id, up to its first fault. `kept`: a head that somebody kept; without one, records
    /// cut off at the end are not missed. Writes nothing and needs no lock.
    pub fn verify(&self, id: &str, kept: Option<&str>) -> VerifiedSession {
        let mut verified = VerifiedSession {
            session_id: id.to_owned(),
            state: ChainState::Broken,
            records: None,
            head: None,
            newer: None,
            record: None,
            problem: None,
        };
        if let Err(error) = self.check(&mut verified, kept) {
            verified.record = error.record().or(verified.record);
            verified.problem = Some(error.to_string());
        }
        verified
    }

    /// Fills in what is found. At an error, `record` is the one that names the file at fault.
    fn check(&self, verified: &mut VerifiedSession, kept: Option<&str>) -> Result<(), StoreError> {
        let stored = self.read_exact(verified.session_id.clone())?;
        verified.records = Some(count(stored.records.len()));
        verified.head.clone_from(&stored.head);
        for record in stored.records.iter().filter(|_| stored.head.is_some()) {
            let (dir, named) = match &record.body {
                Body::Intent(call) => (stored.paths.prompts(), &call.prompt),
                Body::Result(result) => (stored.paths.answers(), &result.answer),
                _ => continue,
            };
            verified.record = Some(record.seq);
            named.iter().try_for_each(|sha| answers::get(self.fs.as_ref(), &dir, sha).map(drop))?;
        }
        verified.record = None;
        verified.problem = stored.notes.first().map(|note| note.message.clone());
        verified.state =
            if stored.head.is_some() { ChainState::Intact } else { ChainState::NoChain };
        if let Some(kept) = kept {
            let journal = stored.journal()?;
            let mut lines = journal.split_inclusive(|byte| *byte == b'\n');
            let at = lines.position(|line| sha(line) == kept);
            verified.newer = at.map(|at| count(stored.records.len().saturating_sub(at + 1)));
            if at.is_none() {
                let what = "no record has the hash that was kept: records were cut off, or all written anew";
                (verified.state, verified.problem) = (ChainState::Broken, Some(what.to_owned()));
            }
        }
        Ok(())
    }
}
