//! Why git could not be read.

use std::path::PathBuf;

/// Why git could not be read. Each names the fault, its location, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// There is no git that may be run.
    #[error("{0}")]
    NotInstalled(String),
    /// No parent folder contains a repository.
    #[error("{dir} is not in a git repository: run `git init`, or go to the repository", dir = dir.display())]
    NotARepository {
        /// The folder searched.
        dir: PathBuf,
    },
    /// The repository has no working tree here.
    #[error("{dir} is in a bare repository or in a `.git` folder: go to a working tree", dir = dir.display())]
    Bare {
        /// The folder searched.
        dir: PathBuf,
    },
    /// Somebody else owns the repository, and git refuses to read its configuration.
    #[error("the repository of {dir} belongs to another user: if you trust it, run `git config --global --add safe.directory` with its path", dir = dir.display())]
    DubiousOwnership {
        /// The folder searched.
        dir: PathBuf,
    },
    /// The repository's configured working tree is not its own folder.
    #[error("the repository of {dir} names {tree} as its working tree, but the repository is elsewhere: fix `core.worktree` in its configuration", dir = dir.display(), tree = tree.display())]
    Elsewhere {
        /// The folder searched.
        dir: PathBuf,
        /// The configured folder.
        tree: PathBuf,
    },
    /// `.git` points to a repository that does not know this working tree.
    #[error("the `.git` of {tree} leads to {git_dir}, a repository that does not know this working tree: if that is intended, run `git --git-dir={git_dir} config core.worktree {tree}`", tree = tree.display(), git_dir = git_dir.display())]
    Borrowed {
        /// The working tree.
        tree: PathBuf,
        /// The repository.
        git_dir: PathBuf,
    },
    /// The configuration names programs in a way that cannot be switched off.
    #[error("the repository's configuration cannot be read safely: {what}")]
    Hostile {
        /// The setting.
        what: String,
    },
    /// Not the name of a commit.
    #[error("`{reference}` is not the name of a commit: {why}")]
    BadReference {
        /// The name as given, cut to a reasonable length.
        reference: String,
        /// The fault.
        why: &'static str,
    },
    /// It took too long.
    #[error("`git {command}` took longer than {seconds} s and was ended")]
    TimedOut {
        /// The subcommand.
        command: &'static str,
        /// The limit.
        seconds: u64,
    },
    /// The run was stopped.
    #[error("`git {command}` was stopped")]
    Stopped {
        /// The subcommand.
        command: &'static str,
    },
    /// It printed more than the maximum.
    #[error("`git {command}` printed more than {bytes} bytes and was ended")]
    TooMuchOutput {
        /// The subcommand.
        command: &'static str,
        /// The limit.
        bytes: u64,
    },
    /// It failed for another reason.
    #[error("`git {command}` failed ({ending}): {stderr}")]
    Failed {
        /// The subcommand.
        command: &'static str,
        /// How it ended.
        ending: String,
        /// The end of its standard error, one line.
        stderr: String,
    },
    /// Its output was unexpected.
    #[error("`git {command}` printed something unreadable: {what}")]
    Unreadable {
        /// The subcommand.
        command: &'static str,
        /// The output.
        what: String,
    },
}
