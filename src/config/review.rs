//! The `review` and `plan` sections: what reviewers are shown, and the limits of their debate (`docs/review.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;
use crate::words;

/// The `review` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct ReviewConfig {
    /// Most cross-examinations, 1 to 5 (3).
    #[schemars(range(min = 1, max = 5))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
    /// Confidence in percent at which no further round is held, 0 to 100 (80).
    #[schemars(range(min = 0, max = 100))]
    pub confidence: u32,
    /// Bytes of the diff in one prompt, 1,000 to 1,000,000 (400,000).
    #[schemars(range(min = 1000, max = 1_000_000))]
    #[schemars(extend("x-project" = "above"))]
    pub max_diff_bytes: u64,
    /// Most parts that a large change is shown in, 1 to 64 (8).
    #[schemars(range(min = 1, max = 64))]
    #[schemars(extend("x-project" = "above"))]
    pub max_batches: u32,
    /// Patterns, as in a `.gitignore`, of files that are not reviewed (lock files).
    #[schemars(extend("x-project" = "differs"))]
    pub exclude: Vec<String>,
    /// Patterns, as in a `.gitignore`, of further files whose content never goes into a prompt.
    #[schemars(extend("x-project" = "differs"))]
    pub secrets: Vec<String>,
    /// What the code is for, whose rules reviewers are given (`auto`).
    pub platform: PlatformChoice,
    /// A file of the project with rules for reviewers; needs trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-project" = "differs"))]
    pub guidelines: Option<String>,
    /// Whether reviewers may read the repository with read-only tools; needs trust (false).
    #[schemars(extend("x-project" = "true"))]
    pub read_repo: bool,
    /// What is reserved for a call before one of its costs is known (0.15).
    #[schemars(extend("x-project" = "below"))]
    pub first_reserve_usd: Usd,
}

section!(ReviewConfig, "/review");

words! {
    /// Whose rules reviewers are given.
    pub enum PlatformChoice {
        /// What the files of the change and the repository say.
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
    /// Most cross-examinations, 1 to 5 (3).
    #[schemars(range(min = 1, max = 5))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
    /// Confidence in percent at which no further round is held, 0 to 100 (80).
    #[schemars(range(min = 0, max = 100))]
    pub confidence: u32,
    /// What is reserved for a call before one of its costs is known (0.15).
    #[schemars(extend("x-project" = "below"))]
    pub first_reserve_usd: Usd,
}

section!(PlanConfig, "/plan");
