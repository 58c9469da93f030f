//! Converts errors of the layers below for a person or a script: their kind, their name and how to fix them.

use super::{Error, Kind};
use crate::agent::roster::RosterError;
use crate::discovery::store::BacklogError;
use crate::engine::switch::Switch;
use crate::git::GitError;
use crate::kernel::Stop;
use crate::session::StoreError;

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
pub(crate) fn store_error(error: StoreError) -> Error {
    let (kind, code) = match &error {
        usage if usage.is_usage() => (Kind::Input, "unknown_id"),
        StoreError::Locked { .. } => (Kind::State, "locked"),
        StoreError::LockUnsupported { .. } => (Kind::State, "lock_unsupported"),
        StoreError::Corrupt { .. } => (Kind::State, "corrupt"),
        _ => (Kind::State, "state"),
    };
    Error::new(kind, error.to_string()).named(code)
}

pub(crate) fn backlog_error(error: BacklogError) -> Error {
    let (kind, code) = match error {
        BacklogError::Store(error) => return store_error(error),
        BacklogError::Unreadable(_) | BacklogError::NotAStore { .. } => {
            (Kind::State, "damaged_backlog")
        }
        BacklogError::NotADebate { .. } => (Kind::Input, "damaged_debate"),
        BacklogError::Ambiguous { .. } => (Kind::Input, "unknown_id"),
        BacklogError::Outside { .. } => (Kind::Config, "backlog_outside"),
        BacklogError::Unwritable(_) => (Kind::State, "state"),
    };
    Error::new(kind, error.to_string()).named(code)
}

pub(crate) fn git_error(error: GitError, switch: &Switch) -> Error {
    let kind = match &error {
        GitError::NotInstalled(_)
        | GitError::NotARepository { .. }
        | GitError::Bare { .. }
        | GitError::DubiousOwnership { .. }
        | GitError::Elsewhere { .. }
        | GitError::Borrowed { .. }
        | GitError::Hostile { .. } => Kind::Environment,
        GitError::BadReference { .. } => Kind::Usage,
        GitError::TooMuchOutput { .. } => {
            return Error::new(Kind::Input, "the change is too large to read")
                .named("too_large")
                .because(error)
                .hint("name some of its files or folders, or review it commit by commit");
        }
        GitError::NotFetched { .. } => {
            return Error::new(Kind::Environment, error.to_string()).named("partial_clone").hint(
                "fetch what is missing with git itself: `git fetch --refetch --no-filter`, or what is compared alone: \
                 `git diff BASE HEAD > /dev/null`; with actions/checkout, leave out `filter`",
            );
        }
        GitError::Stopped { .. } => match switch.stopped() {
            Some(Stop::Cancelled(signal)) => Kind::Interrupted(signal),
            _ => Kind::Undecided,
        },
        GitError::TimedOut { .. } | GitError::Failed { .. } | GitError::Unreadable { .. } => {
            Kind::State
        }
    };
    let named = match &error {
        GitError::NotARepository { .. } | GitError::Bare { .. } => "no_repository",
        GitError::BadReference { .. } => "unknown_ref",
        _ => kind.code(),
    };
    Error::new(kind, error.to_string()).named(named)
}

/// Converts the error of an unusable agent.
#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
pub(crate) fn roster_error(error: RosterError) -> Error {
    let (kind, code) = match &error {
        RosterError::UnknownAgent { .. }
        | RosterError::NoAgent { .. }
        | RosterError::NameDiffers { .. }
        | RosterError::Relative { .. }
        | RosterError::NotPassed { .. }
        | RosterError::NoEffort { .. } => (Kind::Config, "agent_config"),
        RosterError::CannotRead { .. } => (Kind::Config, "cannot_read_repo"),
        RosterError::Dangerous { .. } => (Kind::Config, "dangerous_flags"),
        RosterError::NotFound { .. } => (Kind::Environment, "agent_not_found"),
        RosterError::NotExecutable { .. } => (Kind::Environment, "agent_not_executable"),
        RosterError::InWorkspace { .. } | RosterError::Replaceable { .. } => {
            (Kind::Trust, "agent_place")
        }
    };
    let mapped = Error::new(kind, error.to_string()).named(code);
    if kind == Kind::Environment {
        return mapped.hint("`--rehearse` shows a whole debate without any CLI");
    }
    mapped
}
