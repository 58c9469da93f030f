//! Why git could not be read.

use std::path::PathBuf;

/// Why git could not be read. Each says what, where, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// There is no git that may be run.
    #[error("{0}")]
    NotInstalled(String),
    /// No folder above holds a repository.
    #[error("{dir} is not in a git repository: run `git init`, or go to the repository", dir = dir.display())]
    NotARepository {
        /// Where was looked.
        dir: PathBuf,
    },
    /// The repository has no working tree here.
    #[error("{dir} is in a bare repository or in a `.git` folder: go to a working tree", dir = dir.display())]
    Bare {
        /// Where was looked.
        dir: PathBuf,
    },
    /// Somebody else owns the repository, and git refuses to read its configuration.
    #[error("the repository of {dir} belongs to another user: if you trust it, run `git config --global --add safe.directory` with its path", dir = dir.display())]
    DubiousOwnership {
        /// Where was looked.
        dir: PathBuf,
    },
    /// The repository calls a folder its working tree that is not its own.
    #[error("the repository of {dir} names {tree} as its working tree, which is not where it lies: mend `core.worktree` in its configuration", dir = dir.display(), tree = tree.display())]
    Elsewhere {
        /// Where was looked.
        dir: PathBuf,
        /// What it names.
        tree: PathBuf,
    },
    /// `.git` leads to a repository that does not know this working tree.
    #[error("the `.git` of {tree} leads to {git_dir}, a repository that does not know this working tree: if it is meant, run `git --git-dir={git_dir} config core.worktree {tree}`", tree = tree.display(), git_dir = git_dir.display())]
    Borrowed {
        /// The working tree.
        tree: PathBuf,
        /// The repository.
        git_dir: PathBuf,
    },
    /// The configuration names programs in a way that cannot be switched off.
    #[error("the repository's configuration cannot be read without danger: {what}")]
    Hostile {
        /// What stands there.
        what: String,
    },
    /// Not the name of a commit.
    #[error("`{reference}` is no name of a commit: {why}")]
    BadReference {
        /// As given, cut to a sane length.
        reference: String,
        /// What is wrong with it.
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
    /// It printed more than is read.
    #[error("`git {command}` printed more than {bytes} bytes and was ended")]
    TooMuchOutput {
        /// The subcommand.
        command: &'static str,
        /// The limit.
        bytes: u64,
    },
    /// It failed, for a reason of its own.
    #[error("`git {command}` failed ({ending}): {stderr}")]
    Failed {
        /// The subcommand.
        command: &'static str,
        /// How it ended.
        ending: String,
        /// The end of what it said, one line.
        stderr: String,
    },
    /// It printed something that it should not.
    #[error("`git {command}` printed what cannot be read: {what}")]
    Unreadable {
        /// The subcommand.
        command: &'static str,
        /// What.
        what: String,
    },
}
