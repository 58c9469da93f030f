//! Records the follow-up of a critique (`--apply-policy`).
//!
//! # Theory of operation
//!
//! | entry of the folder for records | content |
//! |---|---|
//! | `policy.jsonl` | revision tasks, escalations, stops at a sign-off gate: one JSON object per line |
//! | `policy.lock` | the lock for adding to these files; never deleted |
//! | `wisdom/issues.md` | warnings, one section each, after whatever others wrote |
//!
//! The rule is [`follow_up`](crate::protocol::discuss::policy::follow_up). Its input, whether the artifact was sent
//! back before, is read under the lock, so that of two simultaneous critiques only one sends it back. Each session is
//! recorded once, however often that is requested: a resume finds the line or the section and gives the same answer.
//!
//! `policy.jsonl` is replaced as a whole ([`crate::session::shared`]). Damage in it, or a line of a later version, is an
//! error and is left alone: an unreadable line may be a revision task, and this file exists to prevent an artifact from
//! being sent back twice. `wisdom/issues.md` is shared with other writers: its existing content is never cut (only a
//! section that was just added and that the disk refused is removed), and a section without its last line is written
//! again below.
//!
//! A rehearsal reports the follow-up and writes nothing.

use std::path::Path;

use chrono::{DateTime, SubsecRound as _, Utc};

use crate::error::{Error, store_error};
use crate::protocol::discuss::input::Artifact;
use crate::protocol::discuss::{
    ActionItem, Divergence, FollowUp, FollowUpAction, Severity, policy,
};
use crate::session::fs::Fs;
use crate::session::shared::SharedFolder;
use crate::session::store::ensure_dir;

mod log;
mod wisdom;

use log::Log;

/// The lock file, held while adding to the folder's files; never deleted.
const LOCK: &str = "policy.lock";

/// The facts of a result that are recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) session_id: &'a str,
    pub(crate) round_id: &'a str,
    pub(crate) task_id: Option<&'a str>,
    pub(crate) artifact: &'a Artifact,
    pub(crate) sign_off: bool,
    /// The severity on the ladder; `None` if undecided.
    pub(crate) severity: Option<Severity>,
    pub(crate) average_rating: Option<f64>,
    pub(crate) divergences: &'a [Divergence],
    pub(crate) action_items: &'a [ActionItem],
    /// Whether it is a rehearsal, in which everything is invented.
    pub(crate) rehearsal: bool,
    pub(crate) at: DateTime<Utc>,
}

impl Entry<'_> {
    /// Returns the prefix of a revision task's id.
    fn id(&self) -> &str {
        self.task_id.unwrap_or(self.round_id)
    }

    fn follow_up(&self, revisions: u32) -> FollowUp {
        policy::follow_up(self.severity, self.sign_off, revisions, self.id())
    }

    fn at(&self) -> DateTime<Utc> {
        self.at.trunc_subsecs(0)
    }
}

/// Returns the number of revision tasks that a folder contains for an artifact, by normalised name: `./docs/a.md` is
/// `docs/a.md`.
///
/// # Errors
/// The folder or the file is a link or not of the expected kind, or the file is invalid.
pub(crate) fn revisions(fs: &dyn Fs, folder: &Path, artifact: &str) -> Result<u32, Error> {
    Ok(Log::read(&shared(fs, folder))?.revisions(artifact))
}

/// Carries out the follow-up of a result, once per session, and returns it.
///
/// # Errors
/// Earlier records are invalid, another process holds the lock, or the disk refuses. The follow-up is then undecided:
/// it must never be treated as permission to go on.
pub(crate) fn record(fs: &dyn Fs, folder: &Path, entry: &Entry<'_>) -> Result<FollowUp, Error> {
    if entry.rehearsal {
        return rehearsed(fs, folder, entry);
    }
    // The count does not matter at this point: it only decides between the three that are written to the same file.
    let records = shared(fs, folder);
    let lock = || {
        ensure_dir(fs, folder)?;
        records.lock(LOCK, entry.at)
    };
    match entry.follow_up(0).action {
        FollowUpAction::GoOn | FollowUpAction::Nothing => Ok(entry.follow_up(0)),
        FollowUpAction::Warning => {
            let _held = lock().map_err(store_error)?;
            let file = wisdom::warn(fs, &records, entry)?;
            Ok(recorded(entry.follow_up(0), &file))
        }
        FollowUpAction::RevisionTask | FollowUpAction::Escalate | FollowUpAction::SignOff => {
            let _held = lock().map_err(store_error)?;
            let log = Log::read(&records)?;
            let follow_up = if let Some(line) = log.of_session(entry.session_id) {
                records.settle(log::FILE).map_err(store_error)?;
                policy::of_action(line.action, line.task.clone())
            } else {
                let follow_up = entry.follow_up(log.revisions(&entry.artifact.name));
                log.add(&records, &log::Line::new(entry, &follow_up))?;
                follow_up
            };
            Ok(recorded(follow_up, &records.path(log::FILE)))
        }
    }
}

/// Returns the follow-up as it would be; reads existing records and writes nothing.
fn rehearsed(fs: &dyn Fs, folder: &Path, entry: &Entry<'_>) -> Result<FollowUp, Error> {
    let mut follow_up = entry.follow_up(0);
    if follow_up.action == FollowUpAction::RevisionTask {
        let log = Log::read(&shared(fs, folder))?;
        follow_up = entry.follow_up(log.revisions(&entry.artifact.name));
    }
    follow_up.message.push_str(" This is a rehearsal: nothing was recorded.");
    Ok(follow_up)
}

/// Returns the folder for records, which the user may have named: only itself may be no link.
fn shared<'a>(fs: &'a dyn Fs, folder: &Path) -> SharedFolder<'a> {
    SharedFolder::new(fs, folder.parent().unwrap_or(folder), folder)
}

fn recorded(mut follow_up: FollowUp, file: &Path) -> FollowUp {
    follow_up.recorded = true;
    follow_up.file = Some(file.display().to_string());
    follow_up
}

#[cfg(test)]
mod tests;
