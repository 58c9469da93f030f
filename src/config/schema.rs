//! The configuration as types: one struct per section, unknown keys refused.
//!
//! The struct of a section holds the defaults as well, but the numbers that
//! count are those of `debate-agent.config.json` at the root of the
//! repository, which is embedded as the lowest layer; a test holds the two
//! equal.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agents::{AgentConfig, RoleConfig};
use super::debate::{ArgumentConfig, PanelConfig, TopicConfig};
use super::discovery::DiscoveryConfig;
use super::discuss::DiscussConfig;
use super::limits::LimitsConfig;
use super::mcp::McpConfig;
use super::review::{PlanConfig, ReviewConfig};
use super::sinks::SinkConfig;
use crate::kernel::Usd;
use crate::protocol::debate::Mode;

/// A whole configuration, or one layer of it: every key may be missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where editors find the schema; not used.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The agents, by name.
    pub agents: BTreeMap<String, AgentConfig>,
    /// The roles, by name: which agent plays them.
    pub roles: BTreeMap<String, RoleConfig>,
    /// What every debate shares.
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
    pub limits: LimitsConfig,
    /// Where files go.
    pub paths: PathsConfig,
    /// How trust is asked for.
    pub trust: TrustConfig,
    /// What the server for AI assistants may do; counts in the user's own files alone.
    pub mcp: McpConfig,
    /// Where results are sent, by name.
    pub sinks: BTreeMap<String, SinkConfig>,
}

/// The `debate` section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DebateConfig {
    /// Agents that debate when none are named, in order.
    pub default_agents: Vec<String>,
    /// Whether a debate on a topic has a round of critique.
    pub include_critique_round: bool,
    /// How a debate on a topic is led when nothing else is said.
    pub default_mode: DebateMode,
}

impl Default for DebateConfig {
    fn default() -> Self {
        Self {
            default_agents: vec!["codex".to_owned(), "claude".to_owned()],
            include_critique_round: true,
            default_mode: DebateMode::Adversarial,
        }
    }
}

/// How a debate on a topic is led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DebateMode {
    /// Sides attack each other's case.
    Adversarial,
    /// Sides look for what both can accept.
    Consensus,
    /// Sides build on each other.
    Collaborative,
}

impl From<DebateMode> for Mode {
    fn from(mode: DebateMode) -> Self {
        match mode {
            DebateMode::Adversarial => Self::Adversarial,
            DebateMode::Consensus => Self::Consensus,
            DebateMode::Collaborative => Self::Collaborative,
        }
    }
}

/// The `backlog` section: the rules of the partner debate (`docs/prioritize.md`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BacklogConfig {
    /// Most rounds, 1 to 20 (3).
    #[schemars(range(min = 1, max = 20))]
    pub max_rounds: u32,
    /// Least Kendall tau-b between the moderator's rankings of two rounds that counts as stable, 0 to 1 (0.8).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rank_stability: f64,
    /// In round 1: least tau-b between champion and critic, 0 to 1 (0.6).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub partner_agreement: f64,
    /// Largest share of missing or unknown ids that is completed without asking again, 0 to 1 (0.34).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_missing_share: f64,
    /// What is reserved for a role's call before one of its costs is known.
    pub first_reserve_usd: FirstReserve,
}

impl Default for BacklogConfig {
    fn default() -> Self {
        Self {
            max_rounds: 3,
            rank_stability: 0.8,
            partner_agreement: 0.6,
            max_missing_share: 0.34,
            first_reserve_usd: FirstReserve::default(),
        }
    }
}

/// First reservations, in US dollars, above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FirstReserve {
    /// For the champion (0.15).
    pub champion: Usd,
    /// For the critic (0.10).
    pub critic: Usd,
    /// For the moderator (0.15).
    pub moderator: Usd,
}

impl Default for FirstReserve {
    fn default() -> Self {
        Self {
            champion: Usd::from_micros(150_000),
            critic: Usd::from_micros(100_000),
            moderator: Usd::from_micros(150_000),
        }
    }
}

/// The `paths` section. Relative paths start at the project's root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PathsConfig {
    /// Sessions (journals, answers, snapshots) and reports.
    pub debate: String,
    /// The backlog's store.
    pub backlog: String,
    /// The project's own skills, one folder a role.
    pub skills: String,
}

impl Default for PathsConfig {
    fn default() -> Self {
        Self {
            debate: ".debate".to_owned(),
            backlog: ".swarm/backlog".to_owned(),
            skills: "skills".to_owned(),
        }
    }
}

/// The `trust` section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrustConfig {
    /// Whether a terminal is asked before a run is refused (true).
    pub ask: bool,
}

impl Default for TrustConfig {
    fn default() -> Self {
        Self { ask: true }
    }
}

/// Returns the keys an object at `path` may have; `None` where any key is accepted or the path leads nowhere.
pub fn known_keys(schema: &Value, path: &super::key::KeyPath) -> Option<Vec<String>> {
    use super::key::Segment;
    let mut here = resolve(schema, schema);
    for segment in path.segments() {
        let next = match segment {
            Segment::Key(key) => here
                .get("properties")
                .and_then(|properties| properties.get(key))
                .or_else(|| here.get("additionalProperties"))?,
            Segment::Index(_) => here.get("items")?,
        };
        here = resolve(schema, next);
    }
    if here.get("additionalProperties") != Some(&Value::Bool(false)) {
        return None;
    }
    let properties = here.get("properties")?.as_object()?;
    Some(properties.keys().cloned().collect())
}

/// Follows `$ref`, also where `Option` wrapped it into `anyOf [.., null]`.
fn resolve<'a>(schema: &'a Value, mut here: &'a Value) -> &'a Value {
    loop {
        let inner = here
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|pointer| schema.pointer(pointer.trim_start_matches('#')))
            .or_else(|| here.get("anyOf").and_then(|choices| choices.get(0)));
        match inner {
            Some(next) => here = next,
            None => return here,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::key::KeyPath;
    use crate::schemas::schema;

    #[test]
    fn the_defaults_in_code_are_those_of_the_embedded_file() {
        let embedded: Config = serde_json::from_str(crate::config::EMBEDDED).unwrap();
        assert_eq!(embedded.debate, DebateConfig::default());
        assert_eq!(embedded.backlog, BacklogConfig::default());
        assert_eq!(embedded.discovery, DiscoveryConfig::default());
        assert_eq!(embedded.review, ReviewConfig::default());
        assert_eq!(embedded.plan, PlanConfig::default());
        assert_eq!(embedded.topic, TopicConfig::default());
        assert_eq!(embedded.argument, ArgumentConfig::default());
        assert_eq!(embedded.panel, PanelConfig::default());
        assert_eq!(embedded.discuss, DiscussConfig::default());
        assert_eq!(embedded.limits, LimitsConfig::default());
        assert_eq!(embedded.paths, PathsConfig::default());
        assert_eq!(embedded.trust, TrustConfig::default());
        assert_eq!(embedded.mcp, McpConfig::default());
    }

    #[test]
    fn the_embedded_file_names_every_default_so_that_it_documents_them() {
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

    #[test]
    fn the_keys_of_every_object_are_known() {
        let schema = schema("config").unwrap();
        let keys = |path: &[&str]| known_keys(&schema, &KeyPath::of(path));
        assert!(keys(&[]).unwrap().contains(&"agents".to_owned()));
        assert!(keys(&["agents", "any"]).unwrap().contains(&"timeout_seconds".to_owned()));
        assert!(keys(&["agents", "any", "output"]).unwrap().contains(&"select".to_owned()));
        assert!(keys(&["limits", "retries"]).unwrap().contains(&"empty_reply".to_owned()));
        assert_eq!(keys(&["agents"]), None);
        assert_eq!(keys(&["sinks"]), None);
        assert!(keys(&["sinks", "any"]).unwrap().contains(&"repo".to_owned()));
        assert_eq!(keys(&["no", "such", "path"]), None);
    }
}
