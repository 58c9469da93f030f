//! The `discuss` section: the perspectives on an artifact with their agents, and the named presets of rounds
//! (`docs/discuss.md`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;

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
    /// Reserved for each call until the cost of one is known, in US dollars.
    #[schemars(extend("x-project" = "below"))]
    pub first_reserve_usd: Usd,
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

    use crate::config::key::KeyPath;
    use crate::config::layers::Layer;
    use crate::config::load::{FileCheck, validate_file};
    use crate::config::tests::World;
    use crate::schemas::schema;

    fn names(names: &[String]) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }

    /// Compares the defaults with the tables of `docs/discuss.md`, row by row.
    #[test]
    fn the_perspectives_and_rounds_of_the_default_are_those_that_are_documented() {
        let discuss = World::new().load().unwrap().config.discuss;
        let perspectives: Vec<_> = (discuss.perspectives.iter())
            .map(|(name, one)| {
                (&**name, &*one.agent, &*one.title, one.rates_risk, one.needs_context)
            })
            .collect();
        assert_eq!(
            perspectives,
            [
                ("coverage", "gemini", "requirements analyst", false, true),
                ("product", "gemini", "product manager", false, false),
                ("quality", "claude", "QA lead", false, false),
                ("risk", "gemini", "risk analyst", true, false),
                ("technical", "codex", "tech lead", false, false),
            ]
        );
        let all = ["product", "technical", "quality", "risk", "coverage"];
        assert_eq!(names(&discuss.default_perspectives), all);
        let presets: Vec<_> = (discuss.presets.iter())
            .map(|(name, one)| {
                (&**name, &*one.artifact, names(&one.perspectives), &*one.role, one.sign_off)
            })
            .collect();
        let with_coverage = vec!["product", "technical", "quality", "coverage"];
        assert_eq!(
            presets,
            [
                (
                    "DISCUSS-001",
                    "spec/discovery-context.json",
                    vec!["product", "risk", "coverage"],
                    "analyst",
                    false
                ),
                ("DISCUSS-002", "spec/product-brief.md", with_coverage.clone(), "writer", false),
                (
                    "DISCUSS-003",
                    "spec/requirements/_index.md",
                    vec!["quality", "product", "coverage"],
                    "writer",
                    false
                ),
                (
                    "DISCUSS-004",
                    "spec/architecture/_index.md",
                    vec!["technical", "risk"],
                    "writer",
                    false
                ),
                ("DISCUSS-005", "spec/epics/_index.md", with_coverage, "writer", false),
                ("DISCUSS-006", "spec/readiness-report.md", all.to_vec(), "reviewer", true),
            ]
        );
        let contexts = discuss.presets.values().map(|one| &*one.context);
        assert_eq!(contexts.collect::<Vec<_>>(), ["spec/discovery-context.json"; 6]);
    }

    #[test]
    fn layers_are_joined_key_by_key() {
        let world = World::new();
        world.user(
        r#"{"discuss": {
            "perspectives": {"legal": {"agent": "claude", "title": "counsel", "looks_at": ["licences"]}, "product": {"agent": "codex"}},
            "presets": {"MINE": {"artifact": "docs/a.md", "perspectives": ["legal"], "sign_off": true}}}}"#,
    );
        world.project(
        r#"{"discuss": {
            "perspectives": {"legal": {"looks_at": ["privacy"], "rates_risk": true}},
            "default_perspectives": ["legal", "product"],
            "presets": {"MINE": {"context": "docs/context.json"}, "DISCUSS-004": {"perspectives": ["technical"]}}}}"#,
    );
        let effective = world.load().unwrap();
        let discuss = &effective.config.discuss;
        let legal = &discuss.perspectives["legal"];
        assert_eq!(
            (&*legal.agent, &*legal.title, names(&legal.looks_at), legal.rates_risk),
            ("claude", "counsel", vec!["privacy"], true)
        );
        let product = &discuss.perspectives["product"];
        assert_eq!(
            (&*product.agent, &*product.title, product.looks_at.len()),
            ("codex", "product manager", 5)
        );
        assert_eq!(discuss.perspectives.len(), 6);
        assert_eq!(names(&discuss.default_perspectives), ["legal", "product"]);
        let mine = &discuss.presets["MINE"];
        assert_eq!(
            (&*mine.artifact, &*mine.context, names(&mine.perspectives), mine.sign_off),
            ("docs/a.md", "docs/context.json", vec!["legal"], true)
        );
        let four = &discuss.presets["DISCUSS-004"];
        assert_eq!(
            (&*four.artifact, names(&four.perspectives), &*four.role),
            ("spec/architecture/_index.md", vec!["technical"], "writer")
        );
        for (keys, layer) in [
            (&["perspectives", "legal", "title"][..], Layer::User),
            (&["perspectives", "legal", "looks_at"], Layer::Project),
            (&["perspectives", "legal", "rates_risk"], Layer::Project),
            (&["perspectives", "product", "agent"], Layer::User),
            (&["perspectives", "product", "title"], Layer::Embedded),
            (&["presets", "MINE", "artifact"], Layer::User),
            (&["presets", "MINE", "context"], Layer::Project),
            (&["default_perspectives"], Layer::Project),
        ] {
            let path = KeyPath::of(["discuss"].iter().chain(keys).copied());
            assert_eq!(effective.provenance[&path].layer, layer, "{path}");
        }
    }

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
            "first_reserve_usd": 0.2,
        }});
        let schema = jsonschema::validator_for(&schema("config").unwrap()).unwrap();
        assert!(schema.is_valid(&own));
        let world = World::new();
        world.write("own.json", &own.to_string());
        let FileCheck { config, warnings, errors } =
            validate_file(&world.path("own.json")).unwrap();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!((config.discuss.perspectives.len(), warnings), (6, vec![]));
        for (pointer, wrong) in [
            ("/discuss/perspectives/legal/title", json!(5)),
            ("/discuss/perspectives/legal/looks_at", json!("licences")),
            ("/discuss/perspectives/legal/rates_risk", json!("yes")),
            ("/discuss/presets/MINE/perspectives", json!({})),
            ("/discuss/presets/MINE", json!({"file": "a.md"})),
            ("/discuss/first_reserve_usd", json!(-1)),
            ("/discuss", json!({"threshold": 0.7})),
        ] {
            let mut changed: Value = own.clone();
            *changed.pointer_mut(pointer).unwrap() = wrong;
            assert!(!schema.is_valid(&changed), "{pointer}");
            world.write("own.json", &changed.to_string());
            assert!(
                validate_file(&world.path("own.json"))
                    .map_or(true, |judged| !judged.errors.is_empty()),
                "{pointer}"
            );
        }
    }
}
