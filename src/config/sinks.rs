//! The `sinks` section: the destinations of results when a session has ended (`docs/sinks.md`).
//!
//! A sink names a program and its arguments, so a project's section needs trust like an agent's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words;

words! {
    /// What a sink is.
    #[derive(Hash)]
    pub enum SinkKind {
        /// An issue of a repository, through `gh`.
        Github = "github",
        /// Tables of a dataset, through `bq`.
        Bigquery = "bigquery",
        /// Objects of a bucket, through `gcloud storage`.
        Gcs = "gcs",
        /// The same for only the decision record, which a program of the user's then imports.
        VertexRag = "vertex-rag",
        /// Any program, with the result on its standard input.
        Command = "command",
    }
}

/// One sink. Which keys count depends on its kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SinkConfig {
    /// What it is. A layer may leave it to a lower one; an error if no layer sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SinkKind>,
    /// How long all of its programs may take for one session, in seconds (60 when missing).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3_600))]
    pub timeout_seconds: Option<u64>,
    /// Variables to pass on, besides those that the kind's program is known to need.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    /// `github`: the repository, as `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// `github`: another host than github.com.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `github`: the issue, where the debate's metadata names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub issue: Option<u64>,
    /// `github`: whether the comment reports every round while the session runs (false).
    pub progress: bool,
    /// `github`: whether a decision that needs code gets a draft pull request with its record (false).
    pub pull_request: bool,
    /// `github`: whether a session that decided closes the issue (false).
    pub close: bool,
    /// `bigquery`: the project; when missing, the one that `bq` is set to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `bigquery`: the dataset, which must exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// `bigquery`: the location of the dataset, where it is not the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// `gcs`, `vertex-rag`: the bucket, without `gs://`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,
    /// `gcs`, `vertex-rag`: what the objects' names begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// `vertex-rag`: the program that imports the uploaded record, with its arguments; `{uri}` and `{session}` stand for
    /// the object and the session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub import_command: Vec<String>,
    /// `command`: the program and its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}
