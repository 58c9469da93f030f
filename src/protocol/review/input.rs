//! The input of a review.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::SuppressionReason;
use crate::change::Change;
use crate::kernel::Respondent;
use crate::protocol::prompt::Prompts;
use crate::words;

/// A review's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The aspect that the user asks reviewers to look at in particular; empty if none.
    pub question: String,
    /// The change under review.
    pub change: Change,
    /// The pull request that the change is, if it is one.
    pub pull_request: Option<PullRequest>,
    /// The platform's and the project's rules for reviewers, as Markdown; may be empty.
    pub rules: Rules,
    /// Findings that are not raised again, by fingerprint.
    pub known: BTreeMap<String, SuppressionReason>,
    /// The panel, in the order of the configuration: at least two agents, none twice.
    pub seats: Vec<Respondent>,
    pub settings: Settings,
    /// The words of its prompts.
    pub prompts: Prompts,
    /// The session's seed, which determines the order in which findings are shown.
    pub seed: u64,
}

/// A pull request. Nothing in it chooses anything: its texts are data for the reviewers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PullRequest {
    /// The host: `github.com`.
    pub host: String,
    /// The repository that it is for: `owner/name`.
    pub repo: String,
    /// Its number there.
    pub number: u64,
    /// The commit that was reviewed.
    pub head: String,
    /// Its title.
    pub title: String,
    /// What its author says of it, and the texts of the issues that it closes; may be empty.
    pub description: String,
    /// Whether the result is posted there.
    pub comment: bool,
}

/// Rules that reviewers are given in addition to their skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rules {
    /// The rules of the platforms, written by this project.
    pub platform: String,
    /// The project's guidelines, from a trusted file; untrusted ones are never stored here.
    pub guidelines: String,
}

/// The settings of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Maximum number of cross-examinations, 0 to 5.
    pub max_rounds: u32,
    /// The confidence at which no further round is run, 0 to 100.
    pub confidence: u32,
    /// Whether reviewers can read the repository.
    pub read_repo: bool,
    /// When the winner composes the result.
    pub compose: Compose,
    /// How findings are tested; `None`: they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prove: Option<Prove>,
}

/// The `review.prove` section: the sandbox in which tests of findings are run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct TestSettings {
    /// The command that runs one test, as a list: `{file}` and `{test}` stand for its file and its name; needs trust.
    #[schemars(extend("x-project" = "differs"))]
    pub command: Vec<String>,
    /// Folders and files that tests may read besides the system's programs: toolchains, packages. Absolute, below `~/`, or
    /// relative to the repository; needs trust.
    #[schemars(extend("x-project" = "differs"))]
    pub read: Vec<String>,
    /// Maximum seconds of one run of a test, building included.
    #[schemars(range(min = 1, max = 3600))]
    #[schemars(extend("x-project" = "above"))]
    pub timeout_seconds: u64,
    /// Maximum mebibytes of memory of a test, and likewise of the files that it writes.
    #[schemars(range(min = 64, max = 65_536))]
    #[schemars(extend("x-project" = "above"))]
    pub memory_mb: u64,
}

/// How the findings of a review are tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prove {
    /// How one test is run.
    pub test: TestSettings,
    /// The commit that the change is compared with; `None` if there is none.
    pub base: Option<String>,
    /// The reviewed state.
    pub change: Reviewed,
}

/// A state of the repository that was reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reviewed {
    /// The files of the working tree that git does not ignore.
    WorkTree,
    /// What is staged.
    Index,
    /// A commit, by its id.
    Commit(String),
}

words! {
    /// When the winner of a review composes its result and the others vote on that.
    #[derive(Hash)]
    pub enum Compose {
        /// Where something is contested and a judge of it has not taken a side.
        Auto = "auto",
        /// Always.
        Always = "always",
        /// Never: the rules alone make the result.
        Never = "never",
    }
}

#[expect(clippy::derivable_impls, reason = "`words!` takes no attributes of variants")]
impl Default for Compose {
    fn default() -> Self {
        Self::Auto
    }
}

#[cfg(test)]
impl Default for Settings {
    fn default() -> Self {
        Self {
            max_rounds: 3,
            confidence: 80,
            read_repo: false,
            compose: Compose::Auto,
            prove: None,
        }
    }
}
