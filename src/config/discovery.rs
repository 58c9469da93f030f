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
    /// Minimum similarity that `backlog similar` lists.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub similarity_threshold: f64,
    /// Minimum similarity at which two items count as the same.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub same_item_similarity: f64,
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
    /// Cyclomatic complexity above which a function is reported.
    #[schemars(range(min = 1, max = 10000))]
    pub complexity: u32,
    /// Complexity above which it is called high.
    #[schemars(range(min = 1, max = 10000))]
    pub high_complexity: u32,
    /// Line coverage in percent below which a file is reported.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub coverage_percent: f64,
    /// Line coverage in percent below which it is called low.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub low_coverage_percent: f64,
    /// Number of lines above which a file is reported.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub long_file_lines: u32,
    /// Hours without an update after which a feature has stalled.
    #[schemars(range(min = 1, max = 87600))]
    pub stalled_hours: u32,
    /// Days after which an unmerged branch or an open pull request is stale.
    #[schemars(range(min = 1, max = 3650))]
    pub stale_days: u32,
    /// Number of failures that make a goal an item.
    #[schemars(range(min = 1, max = 1000))]
    pub repeated_failures: u32,
    /// Patterns, as in a `.gitignore`, of files that are ignored.
    pub exclude: Vec<String>,
    /// The part of the budget that the feature analyst may use, in US dollars.
    #[schemars(extend("x-project" = "above"))]
    pub feature_budget_usd: Usd,
    /// Reserved for each call until the cost of one is known.
    #[schemars(extend("x-project" = "below"))]
    pub first_reserve_usd: DiscoveryReserve,
}

section!(DiscoveryConfig, "/discovery");

/// First reservations, in US dollars, above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct DiscoveryReserve {
    /// For the feature analyst; the default is what the source system assumed.
    pub analyst: Usd,
    /// For one suggested fix.
    pub advisor: Usd,
}

section!(DiscoveryReserve, "/discovery/first_reserve_usd");
