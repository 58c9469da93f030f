//! Reads the change to be reviewed: git's output, the files beside it, and the rules on what is never shown to an
//! agent.
//!
//! # Theory of operation
//!
//! ```text
//!   scope as typed -> commits        git: list and patch in one call, untracked names
//!                                              |
//!                        one item per path, in the order of the paths
//!                                              |
//!       by its name: own, excluded, secret, submodule                 -> not reviewed
//!       by the base's attributes: generated                           -> not reviewed
//!       its section read, its new text read                           -> unreadable
//!       by its content: really binary, a private key, generated       -> not reviewed
//!                                              |
//!                    prompts of bounded size                          -> too large, beyond
//! ```
//!
//! Everything that git lists ends up in the change or in its list of what is not reviewed, with two exceptions: files
//! that git lists only because their times changed, and files that the user's paths leave out. Files that this
//! clone's own settings hide from git's list are listed as not reviewed too.
//!
//! No filter is run, so the working tree's side of a file that passes through one (git LFS, git-crypt) cannot be
//! compared: it is listed as not reviewed. Attributes are taken from the base revision and from the user's settings,
//! not from the change or the clone, either of which may bring its own.

mod base;
mod gather;
mod item;
mod patched;
mod scope;
pub(crate) mod show;

pub(crate) use base::{as_changed, at_base};
pub(crate) use scope::{Request, Scope};

use gather::GitOutput;
use item::Reader;
use scope::Sides;

use crate::app::run::git::open_git;
use crate::app::run::workspace::Workspace;
use crate::change::Change;
use crate::change::assemble::{Assembler, ShowLimits};
use crate::change::parse::{self, ParseError};
use crate::change::policy::Policy;
use crate::config::FILE_NAME;
use crate::config::review::ReviewConfig;
use crate::engine::switch::Switch;
use crate::error::git_error;
use crate::error::{Error, Kind};
use crate::git::{Git, GitError, Side};

/// Reads the change of a scope. A scope without differences gives an empty change; the caller decides what that
/// means.
///
/// # Errors
/// No repository (`environment`); an unknown commit, a path outside of it, a path with nothing there, an unreadable
/// patch (`usage`, `input`); git failed (`state`).
pub(crate) async fn read(
    workspace: &Workspace,
    request: &Request,
    switch: &Switch,
) -> Result<Change, Error> {
    if let Scope::Patch(patch) = &request.scope {
        let (name, bytes) = patch.named();
        return of_patch(workspace, request, name, bytes);
    }
    let git = open_git(workspace, switch).await.map_err(|error| git_error(error, switch))?;
    let paths = scope::paths(git.root(), &workspace.around.dir, &request.paths)?;
    let sides = scope::resolve(&git, &request.scope, switch).await?;
    let mut change = between(workspace, &git, sides, &paths, switch).await?;
    // `init` leaves its file uncommitted: nobody means that alone.
    let configured = change.files.iter().any(|file| file.path == FILE_NAME);
    let nothing = change.files.iter().all(|file| file.path == FILE_NAME)
        && !change.not_reviewed.iter().any(|part| part.missed);
    if request.scope == Scope::WorkingTree
        && nothing
        && let Some(mut sides) = scope::branch(&git, switch).await?
    {
        sides.label.push_str(if configured {
            " (uncommitted: the configuration alone)"
        } else {
            " (no uncommitted change to review)"
        });
        change = between(workspace, &git, sides, &paths, switch).await?;
    }
    for path in &paths {
        let files = change.files.iter().map(|file| &file.path);
        let mut named = files.chain(change.not_reviewed.iter().map(|part| &part.path));
        let known = std::fs::symlink_metadata(git.root().join(path)).is_ok()
            || named.any(|name| is_at(name, path));
        if !known {
            let what = format!("the change has nothing at `{path}`, and there is no such file");
            return Err(Error::new(Kind::Usage, what)
                .named("unknown_path")
                .hint("paths are relative to the current directory"));
        }
    }
    Ok(change)
}

/// Returns the newer side of a scope.
///
/// # Errors
/// As [`read`].
pub(crate) async fn newer(
    workspace: &Workspace,
    scope: &Scope,
    switch: &Switch,
) -> Result<Side, Error> {
    let git = open_git(workspace, switch).await.map_err(|error| git_error(error, switch))?;
    Ok(scope::resolve(&git, scope, switch).await?.new)
}

/// Reads what differs between two sides.
async fn between(
    workspace: &Workspace,
    git: &Git,
    sides: Sides,
    paths: &[String],
    switch: &Switch,
) -> Result<Change, Error> {
    let policy = policy(workspace, paths)?;
    let gathered = GitOutput::read(git, &sides, paths, switch).await?;
    let mut items = gathered.items()?;
    let work_tree = sides.new == Side::WorkTree;
    gather::attribute(git, &mut items, sides.old.as_ref(), work_tree, switch).await?;
    let texts = gather::texts(git, &items, &policy, work_tree, switch).await?;
    let hidden = if work_tree { gather::hidden(git, paths, switch).await? } else { Vec::new() };
    let base = sides.old.as_ref().map(|old| old.as_str().to_owned());
    let mut reader = Reader {
        git,
        policy: &policy,
        redactor: workspace.redactor(),
        work_tree,
        texts,
        text_left: item::TEXTS,
        into: Assembler::new(sides.label, base, room(workspace)),
    };
    for (path, item) in items {
        if switch.stopped().is_some() {
            return Err(git_error(GitError::Stopped { command: "diff" }, switch));
        }
        reader.take(&path, item);
    }
    for (path, reason) in hidden {
        reader.into.leave(path, reason);
    }
    Ok(reader.into.finish())
}

/// Whether a part of the change is one of the user's paths or lies below one.
fn is_at(part: &str, path: &str) -> bool {
    part.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ' ']))
}

/// Reads a patch supplied by the user.
fn of_patch(
    workspace: &Workspace,
    request: &Request,
    name: &str,
    bytes: &[u8],
) -> Result<Change, Error> {
    if !request.paths.is_empty() {
        return Err(Error::new(Kind::Usage, "--patch is reviewed as it is, without paths")
            .hint("leave the paths out"));
    }
    let policy = policy(workspace, &[])?;
    let label = format!("the patch from {}", crate::text::sanitize::line(name, 200));
    let mut into = Assembler::new(label, None, room(workspace));
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(into.finish());
    }
    let sections = parse::patch(bytes).map_err(|error| unreadable_patch(name, error))?;
    let redactor = workspace.redactor();
    for (path, sections) in patched::by_path(sections) {
        patched::take_patched(&mut into, &policy, &redactor, &path, sections);
    }
    Ok(into.finish())
}

fn unreadable_patch(name: &str, error: ParseError) -> Error {
    let name = crate::text::sanitize::line(name, 200);
    Error::new(Kind::Input, format!("failed to read the patch from {name}"))
        .named("patch")
        .because(error)
        .hint("give the complete output of `git diff`, `git format-patch` or `diff -u`")
}

fn room(workspace: &Workspace) -> ShowLimits {
    let settings = &workspace.effective.config.review;
    ShowLimits {
        batch_bytes: usize::try_from(settings.max_diff_bytes).unwrap_or(usize::MAX),
        batches: usize::try_from(settings.max_batches).unwrap_or(usize::MAX),
        require_complete: settings.require_complete,
    }
}

/// Returns the rules by which agents are not shown a file; `named`: what the user wants to be shown.
///
/// # Errors
/// `review.exclude` or `review.secrets` contains an invalid pattern.
pub(crate) fn policy(workspace: &Workspace, named: &[String]) -> Result<Policy, Error> {
    let config = &workspace.effective.config;
    // The default folders as well as the ones configured for this project.
    let mut own = vec![".debate".to_owned(), ".swarm".to_owned()];
    let untrusted = workspace.hides_untrusted();
    if !untrusted {
        own.extend([config.paths.debate.clone(), config.paths.backlog.clone()]);
    }
    let policy = Policy::new(&config.review.exclude, &config.review.secrets, &own, named)
        .map_err(|error| Error::new(Kind::Config, error.to_string()))?;
    let policy = policy.with_locks(ReviewConfig::default().exclude);
    Ok(if untrusted { policy.untrusted() } else { policy })
}
