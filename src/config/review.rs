//! The `review` and `plan` sections: what reviewers are shown, and the limits of their debate (`docs/review.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::review::{Compose, TestSettings};
use crate::words;

/// The `review` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct ReviewConfig {
    /// Maximum number of cross-examinations.
    #[schemars(range(min = 0, max = 5))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
    /// Confidence in percent at which no further round is held.
    #[schemars(range(min = 0, max = 100))]
    pub confidence: u32,
    /// When the winner composes the result and the others vote on that.
    #[schemars(extend("x-project" = "differs"))]
    pub compose: Compose,
    /// Maximum bytes of the diff in one prompt.
    #[schemars(range(min = 1000, max = 1_000_000))]
    #[schemars(extend("x-project" = "above"))]
    pub max_diff_bytes: u64,
    /// Maximum number of parts that a large change is shown in.
    #[schemars(range(min = 1, max = 64))]
    #[schemars(extend("x-project" = "above"))]
    pub max_batches: u32,
    /// Patterns, as in a `.gitignore`, of files that are not reviewed.
    #[schemars(extend("x-project" = "differs"))]
    pub exclude: Vec<String>,
    /// Whether a review is undecided when anything is not reviewed, binary, generated and excluded files included.
    #[schemars(extend("x-project" = "lifts"))]
    pub require_complete: bool,
    /// Patterns, as in a `.gitignore`, of further files whose content never goes into a prompt.
    #[schemars(extend("x-project" = "differs"))]
    pub secrets: Vec<String>,
    /// The platform that the code is for; reviewers get its rules.
    pub platform: PlatformChoice,
    /// A file of the project with rules for reviewers; needs trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub guidelines: Option<String>,
    /// Whether reviewers may read the repository with read-only tools; needs trust.
    #[schemars(extend("x-project" = "true"))]
    pub read_repo: bool,
    /// How findings are tested (`--prove`).
    pub prove: TestSettings,
}

section!(ReviewConfig, "/review");

section!(TestSettings, "/review/prove");

words! {
    /// Which platform's rules reviewers get.
    pub enum PlatformChoice {
        /// Detected from the files of the change and the repository.
        Auto = "auto",
        /// Flutter and Dart.
        Flutter = "flutter",
        /// Android.
        Android = "android",
        /// iOS and macOS.
        Ios = "ios",
        /// Services.
        Backend = "backend",
        /// No platform in particular.
        General = "general",
    }
}

/// The `plan` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct PlanConfig {
    /// Maximum number of cross-examinations.
    #[schemars(range(min = 0, max = 5))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
    /// Confidence in percent at which no further round is held.
    #[schemars(range(min = 0, max = 100))]
    pub confidence: u32,
    /// Whether planners may read the repository with read-only tools; needs trust.
    #[schemars(extend("x-project" = "true"))]
    pub read_repo: bool,
}

section!(PlanConfig, "/plan");
