//! The `discovery` section: what counts as a problem, and how far discovery goes (`docs/discover.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;

/// The `discovery` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct DiscoveryConfig {
    /// Maximum number of opportunities that one run keeps.
    #[schemars(range(min = 1, max = 1000))]
    #[schemars(extend("x-project" = "above"))]
    pub max: u32,
    /// Minimum overall score that makes a discovered item actionable.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub actionability_threshold: f64,
    /// A debate is held if there are more opportunities than this.
    #[schemars(range(min = 1, max = 1000))]
    pub debate_threshold: u32,
    /// The command that runs the tests: program and arguments, no shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    #[schemars(extend("x-project" = "differs"))]
    pub test_command: Option<Vec<String>>,
    /// Time limit of the test command in seconds.
    #[schemars(range(min = 1, max = 86400))]
    #[schemars(extend("x-project" = "above"))]
    pub test_timeout_seconds: u64,
    /// Line coverage in percent below which a file is reported.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub coverage_percent: f64,
    /// Number of lines above which a file is reported.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub long_file_lines: u32,
    /// Days after which an unmerged branch or an open pull request is stale.
    #[schemars(range(min = 1, max = 3650))]
    pub stale_days: u32,
    /// Patterns, as in a `.gitignore`, of files that are ignored.
    pub exclude: Vec<String>,
    /// The part of the budget that the feature analyst may use, in US dollars.
    #[schemars(extend("x-project" = "above"))]
    pub feature_budget_usd: Usd,
}

section!(DiscoveryConfig, "/discovery");
