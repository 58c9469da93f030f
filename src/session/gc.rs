//! Removes what sessions no longer need. Never touches a live session, nor one that it cannot read.

use std::collections::HashSet;
use std::path::PathBuf;

use chrono::TimeDelta;

use super::error::StoreError;
use super::fs::EntryKind;
use super::lock;
use super::snapshot::TEMP_SUFFIX;
use super::store::{PROBE, Store, StoredSession};
use crate::journal::key::is_sha;
use crate::journal::ledger::State;
use crate::journal::record::Body;

/// Removals in addition to leftovers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GcPolicy {
    /// Remove closed sessions whose last record is older than this; `None`: keep them.
    pub closed_older_than: Option<TimeDelta>,
    /// Only report what would be removed.
    pub dry_run: bool,
}

/// The entries that were, or would be, removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GcReport {
    /// Each removal with its reason.
    pub removed: Vec<Removal>,
    /// Sessions that were left alone, with the reason: live, or unreadable.
    pub kept: Vec<(String, String)>,
}

/// One thing that is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Its path.
    pub path: PathBuf,
    /// The reason.
    pub why: &'static str,
    /// Whether it is a directory, removed with its content.
    pub whole_dir: bool,
    /// Its size if it is a file.
    pub bytes: u64,
}

impl Store {
    /// Removes leftovers and, by policy, old closed sessions.
    pub fn gc(&self, policy: GcPolicy) -> Result<GcReport, StoreError> {
        let mut report = GcReport::default();
        for id in self.ids()? {
            let lock_path = self.paths(&id).lock();
            // The lock is held during removal, so that nobody opens the session meanwhile.
            let held = if policy.dry_run {
                match lock::holder(self.fs.as_ref(), &lock_path)? {
                    Some(_) => Err("live".to_owned()),
                    None => Ok(None),
                }
            } else {
                lock::acquire(self.fs.as_ref(), &lock_path, self.env.now(), lock::PATIENCE)
                    .map(Some)
                    .map_err(|error| error.to_string())
            };
            let held = match held {
                Ok(held) => held,
                Err(why) => {
                    report.kept.push((id, why));
                    continue;
                }
            };
            match self.litter(&id, policy) {
                Ok(litter) => {
                    for removal in litter {
                        self.remove(&removal, policy.dry_run)?;
                        report.removed.push(removal);
                    }
                }
                Err(error) => report.kept.push((id, error.to_string())),
            }
            drop(held);
        }
        Ok(report)
    }

    /// Lists what a session does not need.
    fn litter(&self, id: &str, policy: GcPolicy) -> Result<Vec<Removal>, StoreError> {
        let dir = self.paths(id).dir;
        let stored = match self.read_exact(id.to_owned()) {
            Ok(stored) => stored,
            Err(StoreError::NeverOpened { .. }) => {
                return Ok(vec![whole(dir, "its start was interrupted; nothing was asked")]);
            }
            Err(error) => return Err(error),
        };
        let closed = matches!(stored.ledger.state(), State::Closed { .. });
        if closed
            && let Some(age) = policy.closed_older_than
            && let Some((_, last)) = stored.ledger.times()
            && self.env.now() - last > age
            && !self.is_owed(id)
        {
            return Ok(vec![whole(dir, "closed, and older than asked for")]);
        }
        let mut litter = self.files(&dir, |name| {
            (name == PROBE || is_temp(name)).then_some("left by an interrupted write")
        })?;
        litter.extend(self.orphans(&stored)?);
        if closed {
            litter.extend(self.files(&dir.join("spool"), |name| {
                name.strip_suffix(".out").map(|_| "the spool of a closed session")
            })?);
        }
        Ok(litter)
    }

    /// Whether a sink has not yet received all of a session; `sessions sync` sends it.
    fn is_owed(&self, id: &str) -> bool {
        let read = self.deliveries(id);
        read.map_or(true, |found| found.is_some_and(|all| all.pending().next().is_some()))
    }

    /// Lists the answers and prompts that no record refers to.
    fn orphans(&self, stored: &StoredSession) -> Result<Vec<Removal>, StoreError> {
        let prompts = stored.records.iter().filter_map(|record| match &record.body {
            Body::Intent(call) => call.prompt.as_deref(),
            _ => None,
        });
        let mut litter = Vec::new();
        for (folder, known, why) in [
            ("answers", stored.ledger.answers().collect(), "an answer that no record points to"),
            ("prompts", prompts.collect::<HashSet<&str>>(), "a prompt that no record points to"),
        ] {
            litter.extend(self.files(&stored.dir().join(folder), |name| {
                if is_temp(name) {
                    Some("left by an interrupted write")
                } else {
                    (is_sha(name) && !known.contains(name)).then_some(why)
                }
            })?);
        }
        Ok(litter)
    }

    /// Lists the regular files of a directory for which `why` returns a reason.
    fn files(
        &self,
        dir: &std::path::Path,
        why: impl Fn(&str) -> Option<&'static str>,
    ) -> Result<Vec<Removal>, StoreError> {
        match self.fs.kind(dir).map_err(StoreError::io("look at", dir))? {
            Some(EntryKind::Dir) => {}
            Some(EntryKind::File | EntryKind::Link | EntryKind::Other) | None => {
                return Ok(Vec::new());
            }
        }
        let entries = self.fs.list(dir).map_err(StoreError::io("list", dir))?;
        Ok(entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .filter_map(|entry| {
                Some(Removal {
                    why: why(&entry.name)?,
                    path: dir.join(&entry.name),
                    whole_dir: false,
                    bytes: entry.len,
                })
            })
            .collect())
    }

    fn remove(&self, removal: &Removal, dry_run: bool) -> Result<(), StoreError> {
        if dry_run {
            return Ok(());
        }
        if removal.whole_dir {
            self.fs.remove_dir_all(&removal.path)
        } else {
            self.fs.remove_file(&removal.path)
        }
        .map_err(StoreError::io("remove", &removal.path))
    }
}

fn whole(path: PathBuf, why: &'static str) -> Removal {
    Removal { path, why, whole_dir: true, bytes: 0 }
}

fn is_temp(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(TEMP_SUFFIX)
}
