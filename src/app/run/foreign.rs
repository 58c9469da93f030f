//! Sessions that may belong to another person: a clone can bring one like any other file.
//!
//! A session names no program and no path, but it contains limits. None of them raises one of the user's own, and a
//! session that git tracks, in whichever repository, or that another user owns, is not resumed at all.

use std::path::Path;

use super::git::open_git_in;
use super::workspace::Workspace;
use crate::config::load::repository_of;
use crate::config::trust::AgentUse;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::git::{GitError, Subcommand};
use crate::kernel::Usd;
use crate::session::{Ledger, Store, StoredSession};
use crate::text::Note;

/// Returns the project's sessions after checking that the user trusts the project's choice of their folder: the
/// folder named by the project's file could be another project's, whose sessions would be shown and cleaned up as its
/// own.
///
/// # Errors
/// [`Kind::Trust`] with the key.
pub(crate) fn store(workspace: &Workspace) -> Result<Store, Error> {
    workspace.require_trusted_keys(AgentUse::Folders)?;
    Ok(workspace.store())
}

/// Returns the budget to record for a resume, and a note if it is less than the session's; `None` keeps the session's
/// budget. A budget on the command line takes precedence; else the lower of the session's and the user's own applies.
pub(crate) fn budget(
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
    let note = format!("{what}; your own limit of {own} applies, unless `--budget` names another");
    (Some(own), Some(Note::new("budget_lowered", note)))
}

/// Refuses to resume a session that is not the user's own.
///
/// # Errors
/// [`Kind::Trust`], named `foreign_session`: git tracks it, or cannot be asked; or it belongs to another user.
pub(crate) async fn refuse(workspace: &Workspace, stored: &StoredSession) -> Result<(), Error> {
    let id = crate::report::short_id(&stored.id);
    let refused = |what: String, hint: String| {
        Err(Error::new(Kind::Trust, what).named("foreign_session").hint(hint))
    };
    let dir = stored.dir();
    let owned = [dir.to_owned(), dir.join("journal.jsonl")].map(|path| workspace.fs.owned(&path));
    if (owned.iter().flatten()).any(|owned| !owned.by_us) {
        return refused(
            format!("session {id} belongs to another user, so it is not resumed"),
            format!("start over; if it is yours anyway, `chown -R` {}", dir.display()),
        );
    }
    let mut above = repository_of(dir);
    while let Some(repository) = above {
        match is_tracked(workspace, repository, dir).await {
            Ok(false) => {}
            Ok(true) => {
                return refused(
                    format!(
                        "git tracks session {id}: it came with the repository, so it is not resumed"
                    ),
                    format!(
                        "start over; if it is yours, `git -C {} rm -r --cached {}` and resume it then",
                        repository.display(),
                        dir.display()
                    ),
                );
            }
            Err(error) => {
                return refused(
                    format!(
                        "cannot tell whether git tracks session {id}, so it is not resumed: {error}"
                    ),
                    "fix that, or start over".to_owned(),
                );
            }
        }
        // Repositories above the project's own brought neither the project nor the session.
        if workspace.root().starts_with(repository) {
            break;
        }
        above = repository.parent().and_then(repository_of);
    }
    Ok(())
}

/// Whether a repository tracks a file of a session. A nested repository, such as a submodule, has to be asked itself:
/// the outer one does not know its contents.
async fn is_tracked(
    workspace: &Workspace,
    repository: &Path,
    dir: &Path,
) -> Result<bool, GitError> {
    let switch = Switch::default();
    let git = open_git_in(workspace, repository, &switch).await?;
    let real = dir.canonicalize().ok();
    let within = real.as_deref().and_then(|dir| dir.strip_prefix(git.root()).ok()?.to_str());
    let within = within
        .ok_or_else(|| GitError::Elsewhere { dir: dir.to_owned(), tree: git.root().to_owned() })?;
    let within = if within.is_empty() { "." } else { within };
    let flags = ["--cached", "-z"];
    let listed = git.read(Subcommand::LsFiles, &flags, &[], &[within]).await?;
    Ok(!listed.is_empty())
}
