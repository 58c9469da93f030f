//! The configuration as types: one struct per section; unknown keys are refused.
//!
//! A setting is declared once, in these types: type, help, bounds, and what a project may do with it (`setting.rs`).
//! Its default is in `debate-agent.config.json` at the root of the repository, the lowest layer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agents::{AgentConfig, RoleConfig};
use super::debate::{ArgumentConfig, PanelConfig, TopicConfig};
use super::discovery::DiscoveryConfig;
use super::discuss::DiscussConfig;
use super::limits::LimitsConfig;
use super::mcp::McpConfig;
use super::review::{PlanConfig, ReviewConfig};
use super::sinks::SinkConfig;
use crate::protocol::debate::Mode;
use crate::protocol::opening::Opening;
use crate::words;

words! {
    /// The form in which a result is printed; each command has some of them.
    pub enum Format, usually Text {
        /// For people.
        Text = "text",
        /// One JSON document.
        Json = "json",
        /// A report.
        Markdown = "markdown" | "md",
        /// One page for a browser, with all that was said folded in it.
        Html = "html",
        /// Who was asked and what they answered, word for word, as Markdown.
        Transcript = "transcript",
        /// SARIF 2.1.0, for code scanning.
        Sarif = "sarif",
        /// Annotations of GitHub Actions.
        Github = "github",
        /// What sums up a review on a pull request, as Markdown.
        Pr = "pr",
        /// A table for spreadsheets.
        Csv = "csv",
    }
}

/// A whole configuration, or one layer of it: every key may be missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where editors find the schema: `debate-agent schema config > .debate/config.schema.json` puts it there. Not used.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The form of results without `--format`; a command that lacks it prints text.
    pub format: Format,
    /// The agents, by name.
    pub agents: BTreeMap<String, AgentConfig>,
    /// The roles, by name: which agent plays them.
    pub roles: BTreeMap<String, RoleConfig>,
    /// What all debates share.
    pub debate: DebateConfig,
    /// The partner debate over a backlog.
    pub backlog: BacklogConfig,
    /// Finding work that a backlog debate then ranks.
    pub discovery: DiscoveryConfig,
    /// Code review.
    pub review: ReviewConfig,
    /// Planning.
    pub plan: PlanConfig,
    /// The dialogue on a topic, and what all styles of a debate share.
    pub topic: TopicConfig,
    /// Debates of typed arguments.
    pub argument: ArgumentConfig,
    /// Panels.
    pub panel: PanelConfig,
    /// Critique of an artifact from several perspectives.
    pub discuss: DiscussConfig,
    /// Money, time and sizes.
    #[schemars(extend("x-project" = "above"))]
    pub limits: LimitsConfig,
    /// Where files go.
    #[schemars(extend("x-project" = "leaves"))]
    pub paths: PathsConfig,
    /// How trust is asked for.
    pub trust: TrustConfig,
    /// What happens to a result's page; counts only in the user's own files.
    #[schemars(extend("x-project" = "ignored"))]
    pub report: ReportConfig,
    /// What the server for AI assistants may do; counts only in the user's own files.
    #[schemars(extend("x-project" = "ignored"))]
    pub mcp: McpConfig,
    /// Where results are sent, by name.
    #[schemars(extend("x-project" = "differs"))]
    pub sinks: BTreeMap<String, SinkConfig>,
}

/// The `debate` section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct DebateConfig {
    /// Agents that debate when none are named, in order.
    pub default_agents: Vec<String>,
    /// Whether a debate on a topic has a round of critique.
    pub include_critique_round: bool,
    /// How a debate on a topic is led unless told otherwise.
    pub default_mode: Mode,
}

section!(DebateConfig, "/debate");

/// The `backlog` section: the rules of the partner debate (`docs/prioritize.md`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct BacklogConfig {
    /// Maximum number of rounds.
    #[schemars(range(min = 1, max = 20))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
    /// Whether the critic reads the champion's case before it answers in round 1.
    pub opening: Opening,
    /// Minimum Kendall tau-b between the moderator's rankings of two rounds that counts as stable.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rank_stability: f64,
    /// In round 1: minimum share of the items that champion and critic both put into the upper half, or both not.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub partner_agreement: f64,
}

section!(BacklogConfig, "/backlog");

/// The `paths` section. Relative paths start at the project's root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct PathsConfig {
    /// Sessions (journals, answers, snapshots) and reports.
    #[schemars(extend("x-project" = "differs"))]
    pub debate: String,
    /// The backlog's store.
    #[schemars(extend("x-project" = "differs"))]
    pub backlog: String,
    /// The project's own skills, one folder per role.
    pub skills: String,
}

section!(PathsConfig, "/paths");

/// The `trust` section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct TrustConfig {
    /// Whether you are asked at the terminal before a run is refused.
    pub ask: bool,
}

section!(TrustConfig, "/trust");

words! {
    /// When a run at a terminal ends by opening its page in the browser.
    pub enum OpenPage, usually Never {
        /// It never does.
        Never = "never",
        /// It asks first.
        Ask = "ask",
        /// It always does.
        Always = "always",
    }
}

/// The `report` section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct ReportConfig {
    /// Whether a run at a terminal ends by opening its page in the browser, as `sessions open` does.
    pub open: OpenPage,
}

section!(ReportConfig, "/report");

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::schemas::schema;

    #[test]
    fn every_setting_has_its_default_in_the_embedded_file() {
        let written: Value = serde_json::from_str(crate::config::EMBEDDED).unwrap();
        let all = serde_json::to_value(Config::default()).unwrap();
        for section in [
            "debate",
            "backlog",
            "discovery",
            "review",
            "plan",
            "topic",
            "argument",
            "panel",
            "discuss",
            "limits",
            "paths",
            "trust",
            "report",
            "mcp",
        ] {
            let keys = |value: &Value| {
                value[section]
                    .as_object()
                    .unwrap()
                    .keys()
                    .cloned()
                    .collect::<std::collections::BTreeSet<_>>()
            };
            assert_eq!(keys(&written), keys(&all), "{section}");
        }
    }

    #[test]
    fn the_schema_accepts_the_embedded_file_and_refuses_what_the_types_refuse() {
        let schema = jsonschema::validator_for(&schema("config").unwrap()).unwrap();
        let embedded: Value = serde_json::from_str(crate::config::EMBEDDED).unwrap();
        assert!(
            schema.is_valid(&embedded),
            "{:?}",
            schema.iter_errors(&embedded).map(|e| e.to_string()).collect::<Vec<_>>()
        );
        for wrong in [
            r#"{"agent": {}}"#,
            r#"{"agents": {"claude": {"path": "claude", "timeout": 3}}}"#,
            r#"{"agents": {"claude": {"path": "claude", "timeout_seconds": 0}}}"#,
            r#"{"limits": {"budget_usd": -1}}"#,
            r#"{"limits": {"max_parallel": "six"}}"#,
            r#"{"limits": {"max_parallel": 0}}"#,
            r#"{"backlog": {"rank_stability": 1.5}}"#,
            r#"{"sinks": []}"#,
            r#"{"mcp": {"budget_usd": -1}}"#,
            r#"{"mcp": {"port": 7}}"#,
            r#"{"mcp": {"roots": ["relative"]}}"#,
        ] {
            assert!(!schema.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
        }
    }
}
