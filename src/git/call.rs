//! One call of git: its shields, its environment, its ending.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use tokio::sync::watch;

use super::GitError;
use crate::ordered::{BTreeMap, Gather};
use crate::process::{self, Control, Depth, Ending, Limits, OutputBuffer, Spec, program};
use crate::text::sanitize;

/// The environment in which git runs.
#[derive(Debug, Clone)]
pub struct Host {
    /// git, as an absolute path in a place where only the user and administrators can put programs.
    pub program: PathBuf,
    /// The guard ([`process::guard_program`]).
    pub guard: PathBuf,
    /// The user's variables. Only those named in this module's source are passed on.
    pub vars: BTreeMap<String, String>,
    /// The control that can stop a call.
    pub control: watch::Receiver<Control>,
    /// A fresh random text from which the calls' tags are made.
    pub token: String,
    pub limits: Limits,
}

/// A subcommand. It only reads, except for those that make a repository of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subcommand {
    /// `git add`, in a repository of our own.
    Add,
    /// `git apply`, in a repository of our own.
    Apply,
    /// `git cat-file`, for objects named on its standard input or by their ids.
    CatFile,
    /// `git check-attr`.
    CheckAttr,
    /// `git checkout`, in a repository of our own.
    Checkout,
    /// `git checkout-index`, into a folder of our own.
    CheckoutIndex,
    /// `git commit`, in a repository of our own.
    Commit,
    /// `git config --get-regexp`.
    Config,
    /// `git diff`.
    Diff,
    /// `git diff-index`: a commit against the index or the working tree. Unlike `diff` it does not
    /// write the index.
    DiffIndex,
    /// `git diff-tree`: two commits.
    DiffTree,
    /// `git fetch`, into a repository of our own.
    Fetch,
    /// `git for-each-ref`.
    ForEachRef,
    /// `git init`, of a repository of our own.
    Init,
    /// `git log`.
    Log,
    /// `git ls-files`.
    LsFiles,
    /// `git merge-base`.
    MergeBase,
    /// `git rev-list`.
    RevList,
    /// `git rev-parse`.
    RevParse,
    /// `git status`.
    Status,
}

impl Subcommand {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Apply => "apply",
            Self::CatFile => "cat-file",
            Self::CheckAttr => "check-attr",
            Self::Checkout => "checkout",
            Self::CheckoutIndex => "checkout-index",
            Self::Commit => "commit",
            Self::Config => "config",
            Self::Diff => "diff",
            Self::DiffIndex => "diff-index",
            Self::DiffTree => "diff-tree",
            Self::Fetch => "fetch",
            Self::ForEachRef => "for-each-ref",
            Self::Init => "init",
            Self::Log => "log",
            Self::LsFiles => "ls-files",
            Self::MergeBase => "merge-base",
            Self::RevList => "rev-list",
            Self::RevParse => "rev-parse",
            Self::Status => "status",
        }
    }

    /// Flags of every call of it.
    ///
    /// A submodule is never entered: git would read its configuration too, whose filters are not
    /// switched off. To report that it moved, only its HEAD is read.
    const fn shields(self) -> &'static [&'static str] {
        match self {
            Self::Diff => &["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"],
            Self::Log => &[
                "--no-ext-diff",
                "--no-textconv",
                "--ignore-submodules=all",
                "--no-show-signature",
            ],
            Self::DiffIndex | Self::DiffTree => {
                &["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"]
            }
            Self::Status => &["--ignore-submodules=all"],
            _ => &[],
        }
    }

    /// Whether its commits are followed by `--`, so that none is taken for a file.
    pub(super) const fn takes_paths(self) -> bool {
        matches!(
            self,
            Self::Diff
                | Self::DiffIndex
                | Self::DiffTree
                | Self::Log
                | Self::LsFiles
                | Self::RevList
                | Self::Status
        )
    }

    /// Maximum output of a call: the host's limit, or more for whole changes.
    fn most(self, host: u64) -> u64 {
        match self {
            Self::DiffIndex | Self::DiffTree => host.max(DIFF_BYTES),
            Self::CatFile | Self::CheckAttr | Self::LsFiles => host.max(LIST_BYTES),
            _ => host,
        }
    }
}

/// Maximum size of a diff, in bytes: three times that of a large one.
const DIFF_BYTES: u64 = 128 << 20;
/// Maximum size of a list of files, or of contents read together, in bytes.
const LIST_BYTES: u64 = 64 << 20;

/// Settings that override every configuration file. Those that take a program name none, or one
/// that does nothing.
const SETTINGS: [&str; 23] = [
    "core.bigFileThreshold=512m",
    // With less, a file with the same size and time counts as unchanged.
    "core.checkStat=default",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    // With it, a file whose name differs only in case from a tracked one is not listed.
    "core.ignoreCase=false",
    "core.pager=cat",
    "core.quotePath=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.trustctime=true",
    "credential.helper=",
    // The line that git names a function by: where a word says that it is one, or a method's modifiers do; else, as
    // ever, any line that is not indented.
    "diff.default.xfuncname=^[ \t]*((((export|default|pub(\\([a-z: ]+\\))?|public|private|protected|internal|static|final|abstract|override|async|unsafe|const|virtual|inline|open|suspend)[ \t]+)*(fn|func|fun|def|function|sub|proc)[ \t*]+[A-Za-z_(].*))$\n^[ \t]+(((public|private|protected|internal|static|final|abstract|override|async|virtual|inline)[ \t]+)+[^=;]*\\(.*)$\n^([A-Za-z_$].*)$",
    "diff.suppressBlankEmpty=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
    "color.ui=false",
];

/// The user's variables that git always gets. No `GIT_*`: they determine where the repository is,
/// and which programs run.
const KEPT: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "SUDO_UID", "DEVELOPER_DIR"];

/// Variables that git gets, overriding the user's.
const SET: [(&str, &str); 13] = [
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Otherwise a replaced object would be shown as its replacement.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("PAGER", "cat"),
];

#[derive(Debug)]
pub(super) struct Caller {
    pub(super) host: Host,
    pub(super) dir: PathBuf,
    /// Settings against this repository's configuration, in addition to [`SETTINGS`].
    pub(super) shields: Vec<String>,
    /// Whether objects may be missing that another repository has.
    pub(super) is_partial: bool,
    calls: Cell<u64>,
}

impl Caller {
    pub(super) fn new(host: Host, dir: PathBuf) -> Self {
        Self { host, dir, shields: Vec::new(), is_partial: false, calls: Cell::new(0) }
    }

    pub(super) async fn call(&self, read: Subcommand, args: &[&str]) -> Result<Reply, GitError> {
        self.call_with(read, args, Vec::new()).await
    }

    /// Runs a subcommand with this standard input.
    pub(super) async fn call_with(
        &self,
        read: Subcommand,
        args: &[&str],
        stdin: Vec<u8>,
    ) -> Result<Reply, GitError> {
        self.run(read, args, stdin, &[]).await
    }

    /// The same, with additional variables.
    pub(super) async fn run(
        &self,
        read: Subcommand,
        args: &[&str],
        stdin: Vec<u8>,
        vars: &[(&str, String)],
    ) -> Result<Reply, GitError> {
        self.calls.set(self.calls.get() + 1);
        let mut line: Vec<String> = vec!["--no-pager".to_owned()];
        for setting in SETTINGS.iter().copied().chain(self.shields.iter().map(String::as_str)) {
            line.extend(["-c".to_owned(), setting.to_owned()]);
        }
        line.push(read.name().to_owned());
        line.extend(read.shields().iter().chain(args).map(|arg| (*arg).to_owned()));
        let mut env = environment(&self.host.vars, &self.dir);
        // What is staged is in the index that git names to a hook: a temporary one for `commit -a`.
        let is_staged = read == Subcommand::DiffIndex && args.contains(&"--cached");
        let index = self.host.vars.get_key_value("GIT_INDEX_FILE").filter(|_| is_staged);
        env.extend(index.map(|(name, index)| (name.clone(), index.clone())));
        env.extend(vars.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let limits =
            Limits { stdout_bytes: read.most(self.host.limits.stdout_bytes), ..self.host.limits };
        let spec = Spec {
            guard: self.host.guard.clone(),
            program: self.host.program.clone(),
            args: line,
            depth: Depth::Counts,
            env,
            cwd: self.dir.clone(),
            scratch: None,
            stdin,
            tag: format!("{}-git-{}", self.host.token, self.calls.get()),
            limits,
        };
        let mut printed = OutputBuffer::default();
        let ran = process::run(&spec, self.host.control.clone(), &mut printed).await;
        let command = read.name();
        let reply = |code| Reply {
            command,
            code,
            stdout: printed.stdout,
            stderr: printed.stderr,
            limit: limits.stdout_bytes,
            is_partial: self.is_partial,
        };
        match ran.ending {
            Ending::Exited { code } => Ok(reply(Some(code))),
            Ending::OutputLimit => Ok(reply(None)),
            Ending::TimedOut | Ending::Idle | Ending::Lingering => {
                Err(GitError::TimedOut { command, seconds: self.host.limits.timeout.as_secs() })
            }
            Ending::Cancelled => Err(GitError::Stopped { command }),
            Ending::SpawnFailed { not_found: true, .. } => Err(GitError::NotInstalled(format!(
                "git is no longer at {}: install it",
                self.host.program.display()
            ))),
            ending => Err(failed(command, &ending.to_string(), "")),
        }
    }

    /// Classifies the errors of the first call, which examines the folder.
    pub(super) fn classify(&self, error: GitError) -> GitError {
        let GitError::Failed { stderr, .. } = &error else {
            return error;
        };
        let dir = self.dir.clone();
        // git's messages are in English because of `LC_ALL=C`.
        if stderr.contains("dubious ownership") || stderr.contains("unsafe repository") {
            GitError::DubiousOwnership { dir }
        } else if stderr.contains("must be run in a work tree")
            || stderr.contains("cannot use bare repository")
        {
            GitError::Bare { dir }
        } else if stderr.contains("not a git repository (or any") {
            GitError::NotARepository { dir }
        } else {
            error
        }
    }
}

fn failed(command: &'static str, ending: &str, words: &str) -> GitError {
    GitError::Failed { command, ending: ending.to_owned(), stderr: sanitize::line(words, 300) }
}

/// Returns the environment for a program that starts git itself (`gh`): git's own, with the
/// settings in variables, which git has read since version 2.31.
///
/// It cannot switch off a repository's filters: this is for programs that only ask git for
/// remotes and configuration.
pub fn variables(vars: &BTreeMap<String, String>, dir: &Path) -> BTreeMap<String, String> {
    let mut env = environment(vars, dir);
    env.insert("GIT_CONFIG_COUNT".to_owned(), SETTINGS.len().to_string());
    for (index, setting) in SETTINGS.iter().enumerate() {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        env.insert(format!("GIT_CONFIG_KEY_{index}"), key.to_owned());
        env.insert(format!("GIT_CONFIG_VALUE_{index}"), value.to_owned());
    }
    env
}

fn environment(vars: &BTreeMap<String, String>, dir: &Path) -> BTreeMap<String, String> {
    let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let kept = KEPT.iter().filter_map(|name| Some((*name, vars.get(*name)?.as_str())));
    let mut env: BTreeMap<String, String> = kept.chain(SET).map(pair).gather();
    // Wrappers of git need PATH; none of its entries may point into a repository.
    let path = vars.get("PATH").map_or("", String::as_str);
    let folders = program::folders(path).filter(|folder| !folder.starts_with(dir));
    let path = std::env::join_paths(folders).unwrap_or_default();
    env.insert("PATH".to_owned(), path.to_string_lossy().into_owned());
    env
}

/// How git says that an object is not there: a file, a folder, a commit.
const ABSENT: [&str; 6] = [
    "promisor",
    "lazy fetching",
    "unable to read",
    "bad tree object",
    "bad object",
    "not a tree object",
];

#[derive(Debug)]
pub(super) struct Reply {
    command: &'static str,
    /// `None`: it was ended at its output limit.
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    limit: u64,
    is_partial: bool,
}

impl Reply {
    /// Returns the whole output, if the call succeeded.
    pub(super) fn whole(self) -> Result<Vec<u8>, GitError> {
        match self.code {
            Some(0) => Ok(self.stdout),
            Some(code) => Err(self.failed(code)),
            None => Err(GitError::TooMuchOutput { command: self.command, bytes: self.limit }),
        }
    }

    /// The same for commands that silently exit with 1 if nothing is found.
    pub(super) fn if_any(self) -> Result<Option<Vec<u8>>, GitError> {
        if self.code == Some(1) && self.stderr.is_empty() {
            return Ok(None);
        }
        self.whole().map(Some)
    }

    /// Returns the output up to its limit.
    pub(super) fn up_to_its_cap(self) -> Result<Vec<u8>, GitError> {
        match self.code {
            Some(0) | None => Ok(self.stdout),
            Some(code) => Err(self.failed(code)),
        }
    }

    fn failed(&self, code: i32) -> GitError {
        let words = String::from_utf8_lossy(&self.stderr);
        let words = words.trim();
        // Warnings may precede the error, and advice may follow it.
        let fatal = words.lines().find(|line| line.starts_with("fatal:"));
        let mut lines = words.lines().filter(|line| line.starts_with("error:")).chain(fatal);
        if self.is_partial && lines.any(|line| ABSENT.iter().any(|word| line.contains(word))) {
            return GitError::NotFetched { command: self.command };
        }
        failed(self.command, &format!("exit {code}"), fatal.unwrap_or(words))
    }
}
