//! What follows from a critique, written down (`--apply-policy`).
//!
//! # Theory of operation
//!
//! | entry of the folder for records | what it is |
//! |---|---|
//! | `policy.jsonl` | revision tasks, escalations and stops at a sign-off gate: one JSON object a line, only ever added to |
//! | `policy.lock` | held by who adds to it; never deleted |
//! | `wisdom/issues.md` | warnings, a section each, behind whatever others wrote there |
//!
//! The rule stands in [`follow_up`](crate::protocol::discuss::policy::follow_up). What it needs to know, whether the artifact
//! went back before, is read under the lock, so that of two critiques at once only one sends it back. Each session is
//! written down once, however often it is asked for: a resume finds the line or the section and says the same again.
//!
//! A line or a section counts from the moment on in which it is whole. A crash or a full disk leaves at most an unfinished
//! end. In `policy.jsonl`, which only this program writes, the next addition moves such an end into a file beside it; damage
//! anywhere else, or a line of a later version, is an error and is left alone: what cannot be read may be a
//! revision task, and an artifact that went back twice is what this file is there to prevent. `wisdom/issues.md` belongs to
//! everybody: what stands there is never cut (only a section that was just added and that the disk refused is taken back),
//! and a section without its last line is written again below.
//!
//! A rehearsal is told what would follow, and leaves no trace.

use std::path::Path;

use chrono::{DateTime, SubsecRound as _, Utc};

use crate::app::shared_file;
use crate::error::{Error, store_error};
use crate::protocol::discuss::input::Artifact;
use crate::protocol::discuss::{
    ActionItem, DiscussOutcome, Divergence, FollowUp, FollowUpAction, Severity, policy,
};
use crate::session::fs::Fs;
use crate::session::store::ensure_dir;

mod log;
mod wisdom;

use log::Log;

/// Held by who adds to the folder's files; never deleted.
const LOCK: &str = "policy.lock";

/// What is written down of a result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The session that it is of.
    pub(crate) session_id: &'a str,
    /// The round's id.
    pub(crate) round_id: &'a str,
    /// The task's that the artifact came from, if that was told.
    pub(crate) task_id: Option<&'a str>,
    /// What was criticised.
    pub(crate) artifact: &'a Artifact,
    /// Whether a person signs it off.
    pub(crate) sign_off: bool,
    /// How it ended.
    pub(crate) outcome: DiscussOutcome,
    /// The rung of the ladder.
    pub(crate) severity: Option<Severity>,
    /// The mean of the ratings.
    pub(crate) average_rating: Option<f64>,
    /// What stands against going on or apart, heaviest first.
    pub(crate) divergences: &'a [Divergence],
    /// What is to be done, most urgent first.
    pub(crate) action_items: &'a [ActionItem],
    /// Whether everything in it is invented.
    pub(crate) rehearsal: bool,
    /// When it is written down.
    pub(crate) at: DateTime<Utc>,
}

impl Entry<'_> {
    /// What a revision task's id begins with.
    fn id(&self) -> &str {
        self.task_id.unwrap_or(self.round_id)
    }

    fn follow_up(&self, revisions: u32) -> FollowUp {
        policy::follow_up(self.outcome, self.severity, self.sign_off, revisions, self.id())
    }

    fn at(&self) -> DateTime<Utc> {
        self.at.trunc_subsecs(0)
    }
}

/// Returns how many revision tasks a folder holds for an artifact, by its name: `./docs/a.md` is `docs/a.md`.
///
/// # Errors
/// The folder or the file is a link or something else, or cannot be understood.
pub(crate) fn revisions(fs: &dyn Fs, folder: &Path, artifact: &str) -> Result<u32, Error> {
    Ok(Log::read(fs, folder)?.revisions(artifact))
}

/// Does what follows from a result, once per session, and says what it is.
///
/// # Errors
/// What was written down before cannot be understood, another process holds the lock, or the disk refuses. What follows is
/// then not decided: it must never be taken for a go.
pub(crate) fn record(fs: &dyn Fs, folder: &Path, entry: &Entry<'_>) -> Result<FollowUp, Error> {
    if entry.rehearsal {
        return rehearsed(fs, folder, entry);
    }
    // Whatever the count is: it decides only between the three that are written into the same file.
    match entry.follow_up(0).action {
        FollowUpAction::GoOn | FollowUpAction::Nothing => Ok(entry.follow_up(0)),
        FollowUpAction::Warning => {
            ensure_dir(fs, folder).map_err(store_error)?;
            let _held = shared_file::lock(fs, &folder.join(LOCK), entry.at)?;
            let file = wisdom::warn(fs, folder, entry)?;
            Ok(recorded(entry.follow_up(0), &file))
        }
        FollowUpAction::RevisionTask | FollowUpAction::Escalate | FollowUpAction::SignOff => {
            ensure_dir(fs, folder).map_err(store_error)?;
            let _held = shared_file::lock(fs, &folder.join(LOCK), entry.at)?;
            let log = Log::read(fs, folder)?;
            let follow_up = if let Some(line) = log.of_session(entry.session_id) {
                let before = policy::of_action(line.action, line.task.clone());
                log.settle(fs)?;
                before
            } else {
                let follow_up = entry.follow_up(log.revisions(&entry.artifact.name));
                log.add(fs, &log::Line::new(entry, &follow_up))?;
                follow_up
            };
            Ok(recorded(follow_up, log.path()))
        }
    }
}

/// What would follow. Reads what is there, and touches nothing.
fn rehearsed(fs: &dyn Fs, folder: &Path, entry: &Entry<'_>) -> Result<FollowUp, Error> {
    let mut follow_up = entry.follow_up(0);
    if follow_up.action == FollowUpAction::RevisionTask {
        let log = Log::read(fs, folder)?;
        follow_up = entry.follow_up(log.revisions(&entry.artifact.name));
    }
    follow_up.message.push_str(" This is a rehearsal: nothing was written down.");
    Ok(follow_up)
}

fn recorded(mut follow_up: FollowUp, file: &Path) -> FollowUp {
    follow_up.recorded = true;
    follow_up.file = Some(file.display().to_string());
    follow_up
}

#[cfg(test)]
mod tests;
