//! Where results go when a session has ended: the kinds of sinks, and the one way in which all of them are served.
//!
//! A sink is data: what it is and where it leads ([`SinkConfig`]). Its kind gives the [`Step`]s of a session, each with a
//! key made of the target and of what is sent. A step that is done is recorded by its key. One that was cut off is made
//! again, so each finds what it did before:
//!
//! | kind | step | found again by |
//! |---|---|---|
//! | `github` | comment | the marker at its beginning, and its author |
//! | | pull request | its branch, `debate/SESSION` |
//! | | close | the issue's state |
//! | `bigquery` | one load for each table | the job's id, made of session and content |
//! | `gcs` | files | each object's name, made of its content's hash |
//! | `vertex-rag` | the record | the same |
//! | | import | not at all: the program is told the same object again |
//! | `command` | the result | not at all: the program is told a key that stays the same |
//!
//! Text of agents reaches a program on standard input or in a file, never as an argument. What a program prints is read for
//! what the next step needs and is told only where it failed, one line of it, with secrets taken out.

mod bigquery;
mod command;
mod github;
mod shell;
mod storage;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

pub use bigquery::{Table, row};
pub use github::{Progress, variables as github_variables};
pub use shell::{Call, Failure, Shell};
pub use storage::RECORD;

use crate::config::file::sha256;
use crate::config::sinks::{SinkConfig, SinkKind};

/// How long the programs of one sink may take for one session, where nothing is configured.
pub const TIMEOUT: Duration = Duration::from_mins(1);

/// How often a step is tried in one run, and how long is waited after the first failure; twice that after the second.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// What is sent of a session. All of it is redacted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Export {
    /// The session's id.
    pub session: String,
    /// What it is about.
    pub title: String,
    /// How it ended, in one line.
    pub headline: String,
    /// Whether something was decided.
    pub decided: bool,
    /// Whether what was decided needs code to change.
    pub code_change_required: bool,
    /// The issue that it belongs to, where it names one itself.
    pub issue: Option<u64>,
    /// The result, as `sessions export --json` prints it.
    pub document: String,
    /// The record, as `sessions export` prints it.
    pub record: String,
    /// Its row of the table `sessions`.
    pub row: Value,
    /// Its rows of the table `turns`.
    pub turns: Vec<Value>,
    /// The files of its folder and its reports, by name: what `gcs` keeps.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Export {
    /// Makes one that has nothing but the session's id: all that a comment on its progress needs.
    pub fn named(session: &str) -> Self {
        Self { session: session.to_owned(), ..Self::default() }
    }
}

/// One thing that is done for a sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which.
    what: What,
    /// Names it and what it sends: the same for as long as nothing of that changes.
    key: String,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Comment { issue: u64, body: String },
    PullRequest,
    Close { issue: u64 },
    Load(Table),
    Upload(Vec<String>),
    Import(String),
    Hand,
}

impl Step {
    fn new(what: What, name: &str, parts: &[&str]) -> Self {
        let key = format!("{name}-{}", &sha256(parts.join("\0").as_bytes())[..16]);
        Self { what, key }
    }

    /// Returns its key.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// One configured sink.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// What it is.
    pub kind: SinkKind,
    /// Where it leads.
    pub config: &'a SinkConfig,
}

impl<'a> Target<'a> {
    /// Returns the sink of a checked configuration; `None`: it has no kind, which the check refuses.
    pub fn of(config: &'a SinkConfig) -> Option<Self> {
        let kind = config.kind?;
        Some(Self { kind, config })
    }

    /// Returns what is to be done for a session, in order.
    ///
    /// # Errors
    /// Why the session has nothing for this sink.
    pub fn steps(&self, export: &Export) -> Result<Vec<Step>, String> {
        match self.kind {
            SinkKind::Github => github::steps(self.config, export),
            SinkKind::Bigquery => Ok(bigquery::steps(self.config, export)),
            SinkKind::Gcs => Ok(storage::keep(self.config, export)),
            SinkKind::VertexRag => storage::import(self.config, export),
            SinkKind::Command => Ok(command::steps(self.config, export)),
        }
    }

    /// Does one step, and tries again where that may help and there is time.
    ///
    /// # Errors
    /// Why it is not done.
    pub async fn perform(
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
            What::Comment { issue, body } => {
                github::comment(config, shell, &export.session, *issue, body).await
            }
            What::PullRequest => github::pull_request(config, shell, export).await,
            What::Close { issue } => github::close(config, shell, *issue).await,
            What::Load(table) => bigquery::load(config, shell, export, *table).await,
            What::Upload(names) => storage::upload(config, shell, export, names).await,
            What::Import(uri) => storage::import_object(config, shell, export, uri).await,
            What::Hand => command::hand(config, shell, export, &step.key).await,
        }
    }

    /// Returns the programs that it needs, and how each is asked, for nothing, whether somebody is logged in.
    pub fn programs(&self) -> Vec<(&'a str, Option<&'static [&'static str]>)> {
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

    /// Returns the variables that its programs get of `ambient`.
    pub fn variables(&self, ambient: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        shell::variables(self, ambient)
    }
}
