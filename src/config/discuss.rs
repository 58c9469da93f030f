//! The `discuss` section: the perspectives on an artifact with their agents, and the named presets of rounds
//! (`docs/discuss.md`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The context that presets check against unless they name another (`docs/discuss.md`).
pub const DISCOVERY_CONTEXT: &str = "spec/discovery-context.json";

/// The `discuss` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct DiscussConfig {
    /// The perspectives, by name: lower-case letters, digits and `-`.
    pub perspectives: BTreeMap<String, PerspectiveConfig>,
    /// Perspectives that are asked when none are named, in order.
    pub default_perspectives: Vec<String>,
    /// Rounds that are known by name.
    pub presets: BTreeMap<String, PresetConfig>,
}

/// One way of looking at an artifact.
///
/// Its skill is the one of the role `discuss-NAME` where there is one, else that of `discuss-perspective`; `roles.discuss-NAME`
/// sets agent, model, time limit and fallbacks, and takes precedence over `agent`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PerspectiveConfig {
    /// Who answers.
    pub agent: String,
    /// Who takes this perspective: `product manager`.
    #[schemars(extend("x-project" = "differs"))]
    pub title: String,
    /// What is looked at.
    #[schemars(extend("x-project" = "differs"))]
    pub looks_at: Vec<String>,
    /// Whether it must state a risk level.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(extend("x-project" = "differs"))]
    pub rates_risk: bool,
    /// Whether it checks the artifact against a context; without one it is skipped.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(extend("x-project" = "differs"))]
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
    /// What is read: a path within the named session folder, or the project.
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
    #[schemars(extend("x-project" = "lifts"))]
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

section!(DiscussConfig, "/discuss");

#[cfg(test)]
mod tests {
    //! Tests of the section's defaults, and of how its layers are joined.

    use serde_json::{Value, json};

    use crate::config::load::{FileCheck, validate_file};
    use crate::config::tests::World;
    use crate::schemas::schema;

    #[test]
    fn the_role_of_a_perspective_names_its_agent() {
        let world = World::new();
        world.project(
        r#"{"roles": {"discuss-product": {"agent": "claude", "model": "opus", "timeout_seconds": 60, "fallback": ["codex"]}}}"#,
    );
        let config = world.load().unwrap().config;
        assert_eq!(config.roles["discuss-product"].agent.as_deref(), Some("claude"));
        world.project("{\"roles\": {\"discuss-product\": {\n\"agent\": \"cloude\"}}}");
        assert_eq!(
            world.refusal(),
            "repo/debate-agent.config.json:2:1: `roles.discuss-product.agent` names the agent `cloude`, which does not exist; did you mean `claude`?"
        );
    }

    #[test]
    fn a_file_of_own_perspectives_is_valid_by_itself_and_by_the_schema() {
        let own = json!({"discuss": {
            "perspectives": {"legal": {"agent": "claude", "title": "counsel", "looks_at": ["licences"], "rates_risk": true, "needs_context": true}},
            "presets": {"MINE": {"artifact": "docs/a.md", "context": "c.json", "perspectives": ["legal", "risk"], "role": "writer", "sign_off": true}},
            "default_perspectives": ["legal"],
        }});
        let schema = jsonschema::validator_for(&schema("config").unwrap()).unwrap();
        assert!(schema.is_valid(&own));
        let world = World::new();
        world.write("own.json", &own.to_string());
        let FileCheck { config, warnings } = validate_file(&world.path("own.json")).unwrap();
        assert_eq!((config.discuss.perspectives.len(), warnings), (6, vec![]));
        for (pointer, wrong) in [
            ("/discuss/perspectives/legal/title", json!(5)),
            ("/discuss/perspectives/legal/looks_at", json!("licences")),
            ("/discuss/perspectives/legal/rates_risk", json!("yes")),
            ("/discuss/presets/MINE/perspectives", json!({})),
            ("/discuss/presets/MINE", json!({"file": "a.md"})),
            ("/discuss", json!({"threshold": 0.7})),
        ] {
            let mut changed: Value = own.clone();
            *changed.pointer_mut(pointer).unwrap() = wrong;
            assert!(!schema.is_valid(&changed), "{pointer}");
            world.write("own.json", &changed.to_string());
            assert!(validate_file(&world.path("own.json")).is_err(), "{pointer}");
        }
    }
}
