//! The `review` and `plan` sections: what reviewers are shown, and how long they go on (`spec/review-and-plan.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;
use crate::words;

/// The `review` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewConfig {
    /// Most cross-examinations, 1 to 5 (3).
    #[schemars(range(min = 1, max = 5))]
    pub max_rounds: u32,
    /// Confidence in percent at which no further round is held, 0 to 100 (80).
    #[schemars(range(min = 0, max = 100))]
    pub confidence: u32,
    /// Bytes of the diff in one prompt, 1,000 to 1,000,000 (400,000).
    #[schemars(range(min = 1000, max = 1_000_000))]
    pub max_diff_bytes: u64,
    /// Most parts that a large change is shown in, 1 to 64 (8).
    #[schemars(range(min = 1, max = 64))]
    pub max_batches: u32,
    /// Patterns, as in a `.gitignore`, of files that are not reviewed (lock files).
    pub exclude: Vec<String>,
    /// Patterns, as in a `.gitignore`, of further files whose content never goes into a prompt.
    pub secrets: Vec<String>,
    /// What the code is for, whose rules reviewers are given (`auto`).
    pub platform: PlatformChoice,
    /// A file of the project with rules for reviewers; needs trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guidelines: Option<String>,
    /// Whether reviewers may read the repository with read-only tools; needs trust (false).
    pub read_repo: bool,
    /// What is reserved for a call before one of its costs is known (0.15).
    pub first_reserve_usd: Usd,
}

/// Files that programs write and nobody reviews.
const LOCK_FILES: [&str; 18] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "pdm.lock",
    "Gemfile.lock",
    "composer.lock",
    "go.sum",
    "pubspec.lock",
    "Podfile.lock",
    "Package.resolved",
];

impl Default for ReviewConfig {
    fn default() -> Self {
        Self {
            max_rounds: 3,
            confidence: 80,
            max_diff_bytes: 400_000,
            max_batches: 8,
            exclude: LOCK_FILES.map(str::to_owned).to_vec(),
            secrets: Vec::new(),
            platform: PlatformChoice::Auto,
            guidelines: None,
            read_repo: false,
            first_reserve_usd: Usd::from_micros(150_000),
        }
    }
}

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
#[serde(default, deny_unknown_fields)]
pub struct PlanConfig {
    /// Most cross-examinations, 1 to 5 (3).
    #[schemars(range(min = 1, max = 5))]
    pub max_rounds: u32,
    /// Confidence in percent at which no further round is held, 0 to 100 (80).
    #[schemars(range(min = 0, max = 100))]
    pub confidence: u32,
    /// What is reserved for a call before one of its costs is known (0.15).
    pub first_reserve_usd: Usd,
}

impl Default for PlanConfig {
    fn default() -> Self {
        Self { max_rounds: 3, confidence: 80, first_reserve_usd: Usd::from_micros(150_000) }
    }
}
