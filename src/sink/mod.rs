//! Delivers the results of ended sessions: the kinds of sinks, and the common way to serve them.
//!
//! A sink is data: its kind and its target ([`SinkConfig`]). The kind determines the [`Step`]s for a session, each
//! with a key derived from the target and the content. A completed step is recorded by its key. An interrupted one is
//! repeated, so each finds what it did before:
//!
//! | kind | step | found again by |
//! |---|---|---|
//! | `github` | comment | the marker at its start, and its author |
//! | | pull request | its branch, `debate/SESSION` |
//! | | close | the issue's state |
//! | a pull request | see [`pull_request`] | |
//! | `bigquery` | one load per table | the job's id, derived from session and content |
//! | `gcs` | files | each object's name, derived from its content's hash |
//! | `vertex-rag` | the record | the same |
//! | | import | not at all: the program is given the same object again |
//! | `command` | the result | not at all: the program is given a key that stays the same |
//!
//! Agents' text reaches a program on standard input or in a file, never as an argument. A program's output is read
//! for the needs of the next step and shown only on failure, one redacted line of it.

mod bigquery;
mod command;
mod github;
pub(crate) mod pull_request;
mod shell;
mod storage;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) use bigquery::{Table, row};
pub(crate) use github::{Progress, variables as github_variables};
pub(crate) use shell::{Call, Failure, Shell};
pub(crate) use storage::RECORD;

use pull_request::Posting;

use crate::config::file::sha256;
use crate::config::sinks::{SinkConfig, SinkKind};

/// Default time limit for the programs of one sink, per session.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

/// Maximum number of attempts at a step in one run, and the wait after the first failure, which doubles after the
/// second.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// The content of a session to send. All of it is redacted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Export {
    /// The session's id.
    pub session: String,
    /// The session's title.
    pub title: String,
    /// How it ended, in one line.
    pub headline: String,
    /// Whether something was decided.
    pub decided: bool,
    /// Whether the decision requires code changes.
    pub code_change_required: bool,
    /// The issue that it belongs to, if the session itself names one.
    pub issue: Option<u64>,
    /// What is posted on the pull request that it reviewed.
    pub posting: Option<Posting>,
    /// The result, as `sessions show --json` prints it.
    pub document: String,
    /// The record, as `sessions show --format markdown` prints it, and the seal.
    pub record: String,
    /// The hash of its journal's last record, as a line that says how to compare it.
    pub seal: String,
    /// Its row of the table `sessions`.
    pub row: Value,
    /// Its rows of the table `turns`.
    pub turns: Vec<Value>,
    /// The files of its folder and its reports, by name, for `gcs`.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Export {
    /// Creates an export with only the session's id, which is all that a progress comment needs.
    pub(crate) fn named(session: &str) -> Self {
        Self { session: session.to_owned(), ..Self::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    what: StepAction,
    /// Identifies the step and its content: the same as long as neither changes.
    key: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum StepAction {
    Comment { issue: u64, body: String },
    PullRequest,
    Close { issue: u64 },
    Load(Table),
    Upload(Vec<String>),
    Import(String),
    Hand,
    Summary,
    Review,
    Resolve,
}

impl Step {
    fn new(what: StepAction, name: &str, parts: &[&str]) -> Self {
        let key = format!("{name}-{}", &sha256(parts.join("\0").as_bytes())[..16]);
        Self { what, key }
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub kind: SinkKind,
    pub config: &'a SinkConfig,
    /// Whether it is the pull request that was reviewed.
    pub is_pull_request: bool,
}

impl<'a> Target<'a> {
    /// Returns the sink of a validated configuration; `None`: it has no kind, which validation
    /// refuses.
    pub(crate) fn of(config: &'a SinkConfig) -> Option<Self> {
        let kind = config.kind?;
        Some(Self { kind, config, is_pull_request: false })
    }

    /// Returns the steps for a session, in order.
    ///
    /// # Errors
    /// Why the session has nothing for this sink.
    pub(crate) fn steps(&self, export: &Export) -> Result<Vec<Step>, String> {
        match self.kind {
            SinkKind::Github if self.is_pull_request => {
                let posting = export.posting.as_ref();
                posting.map(|posting| pull_request::steps(self.config, posting)).ok_or_else(|| {
                    "it is no review of a pull request, or was not to be posted".to_owned()
                })
            }
            SinkKind::Github => github::steps(self.config, export),
            SinkKind::Bigquery => Ok(bigquery::steps(self.config, export)),
            SinkKind::Gcs => Ok(storage::keep(self.config, export)),
            SinkKind::VertexRag => storage::import(self.config, export),
            SinkKind::Command => Ok(command::steps(self.config, export)),
        }
    }

    /// Performs a step, and retries it if that may help and there is time.
    ///
    /// # Errors
    /// Why it is not done.
    pub(crate) async fn perform(
        &self,
        step: &Step,
        export: &Export,
        shell: &Shell<'_>,
    ) -> Result<(), Failure> {
        let mut tries = 1;
        loop {
            let Err(failure) = self.attempt(step, export, shell).await else {
                return Ok(());
            };
            let pause = PAUSE * tries;
            if !failure.may_pass() || tries == TRIES || Instant::now() + pause >= shell.until {
                return Err(failure);
            }
            if !shell.wait(pause).await {
                return Err(failure);
            }
            tries += 1;
        }
    }

    async fn attempt(
        &self,
        step: &Step,
        export: &Export,
        shell: &Shell<'_>,
    ) -> Result<(), Failure> {
        let config = self.config;
        match &step.what {
            StepAction::Comment { issue, body } => {
                let first = github::marker(&export.session);
                github::comment(config, shell, &first, *issue, body).await
            }
            StepAction::PullRequest => github::pull_request(config, shell, export).await,
            StepAction::Close { issue } => github::close(config, shell, *issue).await,
            StepAction::Load(table) => bigquery::load(config, shell, export, *table).await,
            StepAction::Upload(names) => storage::upload(config, shell, export, names).await,
            StepAction::Import(uri) => storage::import_object(config, shell, export, uri).await,
            StepAction::Hand => command::hand(config, shell, export, &step.key).await,
            StepAction::Summary | StepAction::Review | StepAction::Resolve => {
                let Some(posting) = &export.posting else { return Ok(()) };
                pull_request::post(&step.what, config, shell, posting).await
            }
        }
    }

    /// Returns the programs that it needs, each with the free command that checks its login.
    pub(crate) fn programs(&self) -> Vec<(&'a str, Option<&'static [&'static str]>)> {
        const GCLOUD: Option<&[&str]> =
            Some(&["auth", "list", "--filter=status:ACTIVE", "--format=value(account)"]);
        let first = |words: &'a [String]| words.first().map_or("", String::as_str);
        match self.kind {
            SinkKind::Github => vec![("gh", Some(&["auth", "status"]))],
            // Its login is gcloud's.
            SinkKind::Bigquery => vec![("bq", None), ("gcloud", GCLOUD)],
            SinkKind::Gcs => vec![("gcloud", GCLOUD)],
            SinkKind::VertexRag => {
                vec![("gcloud", GCLOUD), (first(&self.config.import_command), None)]
            }
            SinkKind::Command => vec![(first(&self.config.command), None)],
        }
    }

    /// Returns the variables from `ambient` for its programs.
    pub(crate) fn variables(&self, ambient: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        shell::variables(self, ambient)
    }
}
