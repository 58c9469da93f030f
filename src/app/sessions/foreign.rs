//! Sessions that may be somebody else's: a clone brings one as easily as any other file.
//!
//! A session names no program and no path, but it holds limits. None of them lifts one of the user's own, and one that git
//! tracks, or that another user owns, is not gone on with at all.

use crate::app::discover::open_git;
use crate::app::workspace::Workspace;
use crate::config::load::repository_of;
use crate::config::trust::Use;
use crate::engine::limits::Switch;
use crate::error::{Error, Kind};
use crate::git::Read;
use crate::protocol::Usd;
use crate::session::{Ledger, Store, Stored};
use crate::text::Note;

/// Returns the project's sessions, once it is known that their folder is the project's own to choose: what the project's
/// file names could be another project's, which would be shown and cleaned up as its own.
///
/// # Errors
/// [`Kind::Trust`] with the key.
pub(super) fn store(workspace: &Workspace, no_lock: bool) -> Result<Store, Error> {
    workspace.require_trusted_keys(Use::Folders)?;
    Ok(workspace.store(no_lock))
}

/// Returns the budget to record for a resume, and a note where it is less than the session's; `None`: the session's stays.
/// What the command line names counts; else the lower of the session's and the user's own.
pub(super) fn budget(
    workspace: &Workspace,
    named: Option<Usd>,
    ledger: &Ledger,
) -> (Option<Usd>, Option<Note>) {
    let own = workspace.effective.config.limits.budget_usd;
    let of_session = ledger.budget();
    if named.is_some() || of_session.is_some_and(|budget| budget <= own) {
        return (named, None);
    }
    let what = of_session.map_or_else(
        || "the session has no budget".to_owned(),
        |budget| format!("the session was opened with a budget of {budget}"),
    );
    let note = format!("{what}; your own limit of {own} holds, unless `--budget` names another");
    (Some(own), Some(Note::new("budget_lowered", note)))
}

/// Refuses to go on with a session that is not the user's own.
///
/// # Errors
/// [`Kind::Trust`], named `foreign_session`: git tracks it, or another user owns it.
pub(super) async fn refuse(workspace: &Workspace, stored: &Stored) -> Result<(), Error> {
    let id = crate::report::short_id(&stored.id);
    let refused = |what: String, hint: String| {
        Err(Error::new(Kind::Trust, what)
            .named("foreign_session")
            .hint(hint))
    };
    let dir = stored.dir();
    let owned = [dir.to_owned(), dir.join("journal.jsonl")].map(|path| workspace.fs.owned(&path));
    if (owned.iter().flatten()).any(|owned| !owned.by_us) {
        return refused(
            format!("session {id} belongs to another user, so it is not gone on with"),
            format!(
                "start anew; if it is yours all the same, `chown -R` {}",
                dir.display()
            ),
        );
    }
    if is_tracked(workspace, stored).await {
        return refused(
            format!(
                "git tracks session {id}: it came with the repository, so it is not gone on with"
            ),
            format!(
                "start anew; if it is yours, `git rm -r --cached {}` and resume it then",
                dir.display()
            ),
        );
    }
    Ok(())
}

/// Whether git tracks a file of a session. Where git cannot be asked, nothing is known to be tracked.
async fn is_tracked(workspace: &Workspace, stored: &Stored) -> bool {
    if repository_of(workspace.root()).is_none() {
        return false;
    }
    let switch = Switch::default();
    let Ok(git) = open_git(workspace, &switch).await else {
        return false;
    };
    let within = stored.dir().strip_prefix(git.root());
    let Some(within) = within.ok().and_then(|dir| dir.to_str()) else {
        return false;
    };
    let flags = ["--cached", "-z"];
    let listed = git.read(Read::LsFiles, &flags, &[], &[within]).await;
    listed.is_ok_and(|listed| !listed.is_empty())
}
