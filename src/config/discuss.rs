//! The `discuss` section: who reads an artifact from which perspective, and the rounds that are known by name (`spec/discuss.md`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;

/// The context that presets check against, unless they name another one (`spec/discuss.md`).
pub const DISCOVERY_CONTEXT: &str = "spec/discovery-context.json";

/// The `discuss` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiscussConfig {
    /// The perspectives, by name: lower-case letters, digits and `-`.
    pub perspectives: BTreeMap<String, PerspectiveConfig>,
    /// Perspectives that are asked when none are named, in order.
    pub default_perspectives: Vec<String>,
    /// Rounds that are known by name.
    pub presets: BTreeMap<String, PresetConfig>,
    /// What is reserved for a call before one of its costs is known (0.15).
    pub first_reserve_usd: Usd,
}

/// One way of looking at an artifact.
///
/// Its skill is the one of the role `discuss-NAME` where there is one, else that of `discuss-perspective`; `roles.discuss-NAME`
/// sets agent, model, time limit and fallbacks, and goes before `agent`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PerspectiveConfig {
    /// Who answers.
    pub agent: String,
    /// Who looks so: `product manager`.
    pub title: String,
    /// What is looked at.
    pub looks_at: Vec<String>,
    /// Whether it must state a risk level.
    #[serde(skip_serializing_if = "is_false")]
    pub rates_risk: bool,
    /// Whether it checks the artifact against a context; without one it is skipped.
    #[serde(skip_serializing_if = "is_false")]
    pub needs_context: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde calls")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// A round that is known by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PresetConfig {
    /// What is read: a path within the session folder that is named, or the project.
    pub artifact: String,
    /// What it is checked against, likewise; used if it is there (`spec/discovery-context.json`).
    pub context: String,
    /// Who reads it.
    pub perspectives: Vec<String>,
    /// The role that asks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Whether a person signs it off: what blocks it with severity high is never for an agent to settle.
    #[serde(skip_serializing_if = "is_false")]
    pub sign_off: bool,
}

impl Default for PresetConfig {
    fn default() -> Self {
        Self {
            artifact: String::new(),
            context: DISCOVERY_CONTEXT.to_owned(),
            perspectives: Vec::new(),
            role: String::new(),
            sign_off: false,
        }
    }
}

/// Name, agent, title, what is looked at; whether it rates risk, whether it needs a context.
type Known = (&'static str, &'static str, &'static str, &'static [&'static str], bool, bool);

const PERSPECTIVES: [Known; 5] = [
    (
        "product",
        "gemini",
        "product manager",
        &["market fit", "user value", "business viability", "positioning", "measurable success"],
        false,
        false,
    ),
    (
        "technical",
        "codex",
        "tech lead",
        &["feasibility", "tech debt", "performance", "security", "stack fit", "integration"],
        false,
        false,
    ),
    (
        "quality",
        "claude",
        "QA lead",
        &["completeness", "testability", "consistency", "terminology", "ambiguity"],
        false,
        false,
    ),
    (
        "risk",
        "gemini",
        "risk analyst",
        &[
            "risks",
            "dependencies",
            "failure modes",
            "single points of failure",
            "timeline",
            "mitigation",
        ],
        true,
        false,
    ),
    (
        "coverage",
        "gemini",
        "requirements analyst",
        &["completeness of requirements against the context", "traceability", "scope creep"],
        false,
        true,
    ),
];

/// Name, artifact, perspectives, role that asks, whether a person signs off.
const PRESETS: [(&str, &str, &[&str], &str, bool); 6] = [
    ("DISCUSS-001", DISCOVERY_CONTEXT, &["product", "risk", "coverage"], "analyst", false),
    (
        "DISCUSS-002",
        "spec/product-brief.md",
        &["product", "technical", "quality", "coverage"],
        "writer",
        false,
    ),
    (
        "DISCUSS-003",
        "spec/requirements/_index.md",
        &["quality", "product", "coverage"],
        "writer",
        false,
    ),
    ("DISCUSS-004", "spec/architecture/_index.md", &["technical", "risk"], "writer", false),
    (
        "DISCUSS-005",
        "spec/epics/_index.md",
        &["product", "technical", "quality", "coverage"],
        "writer",
        false,
    ),
    (
        "DISCUSS-006",
        "spec/readiness-report.md",
        &["product", "technical", "quality", "risk", "coverage"],
        "reviewer",
        true,
    ),
];

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

impl Default for DiscussConfig {
    fn default() -> Self {
        let perspectives = PERSPECTIVES.map(|(name, agent, title, looks_at, risk, context)| {
            let perspective = PerspectiveConfig {
                agent: agent.to_owned(),
                title: title.to_owned(),
                looks_at: owned(looks_at),
                rates_risk: risk,
                needs_context: context,
            };
            (name.to_owned(), perspective)
        });
        let presets = PRESETS.map(|(name, artifact, perspectives, role, sign_off)| {
            let preset = PresetConfig {
                artifact: artifact.to_owned(),
                perspectives: owned(perspectives),
                role: role.to_owned(),
                sign_off,
                ..PresetConfig::default()
            };
            (name.to_owned(), preset)
        });
        Self {
            perspectives: perspectives.into(),
            default_perspectives: PERSPECTIVES.map(|(name, ..)| name.to_owned()).to_vec(),
            presets: presets.into(),
            first_reserve_usd: Usd::from_micros(150_000),
        }
    }
}

#[cfg(test)]
mod tests;
