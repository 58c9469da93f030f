//! Why git could not be read.

use std::path::PathBuf;

/// Why git could not be read. Each names the fault, its location, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error("{0}")]
    NotInstalled(String),
    #[error("{dir} is not in a git repository: run `git init`, or go to the repository", dir = dir.display())]
    NotARepository { dir: PathBuf },
    #[error("{dir} is in a bare repository or in a `.git` folder: go to a working tree", dir = dir.display())]
    Bare { dir: PathBuf },
    #[error("the repository of {dir} belongs to another user: if you trust it, run `git config --global --add safe.directory` with its path", dir = dir.display())]
    DubiousOwnership { dir: PathBuf },
    #[error("the repository of {dir} names {tree} as its working tree, but the repository is elsewhere: fix `core.worktree` in its configuration", dir = dir.display(), tree = tree.display())]
    Elsewhere { dir: PathBuf, tree: PathBuf },
    /// `.git` points to a repository that does not know this working tree.
    #[error("the `.git` of {tree} leads to {git_dir}, a repository that does not know this working tree: if that is intended, run `git --git-dir={git_dir} config core.worktree {tree}`", tree = tree.display(), git_dir = git_dir.display())]
    Borrowed { tree: PathBuf, git_dir: PathBuf },
    #[error("the repository's configuration cannot be read safely: {what}")]
    Hostile { what: String },
    #[error("`{reference}` is not the name of a commit: {why}")]
    BadReference { reference: String, why: &'static str },
    #[error("`git {command}` took longer than {seconds} s and was ended")]
    TimedOut { command: &'static str, seconds: u64 },
    #[error("`git {command}` was stopped")]
    Stopped { command: &'static str },
    #[error("`git {command}` printed more than {bytes} bytes and was ended")]
    TooMuchOutput { command: &'static str, bytes: u64 },
    /// Objects that a partial clone has not fetched, and that are not fetched for us either.
    #[error(
        "`git {command}` needs files or folders that this clone has not fetched: it is a partial clone (`--filter`), and nothing is fetched here"
    )]
    NotFetched { command: &'static str },
    #[error("`git {command}` failed ({ending}): {stderr}")]
    Failed { command: &'static str, ending: String, stderr: String },
    #[error("`git {command}` printed something unreadable: {what}")]
    Unreadable { command: &'static str, what: String },
}
