//! The `mcp` section: the permissions of the server for AI assistants (`docs/mcp.md`).
//!
//! It states how far a client of the server is trusted, so only the user's own layers count: the section of a
//! project's file is left out before the layers are joined, with a warning.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;

/// The `mcp` section. A project's file cannot set it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct McpConfig {
    /// Folders besides the repository of the start directory that a client may name paths in: absolute, or from the
    /// home (`~/work`).
    #[schemars(inner(regex(pattern = r"^(/|~/|~$)")))]
    pub roots: Vec<String>,
    /// What one server process may spend in all, in US dollars.
    pub budget_usd: Usd,
    /// Whether a client may ask one agent something directly.
    pub allow_run_agent: bool,
}

section!(McpConfig, "/mcp");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::World;

    #[test]
    fn the_section_of_a_project_changes_nothing_and_is_warned_about() {
        let world = World::new();
        world.project(
            r#"{"mcp": {"roots": ["/"], "budget_usd": 1000000, "allow_run_agent": true}}"#,
        );
        let effective = world.load().unwrap();
        assert_eq!(effective.config.mcp, McpConfig::default());
        assert_eq!(effective.value["mcp"]["allow_run_agent"], false);
        let [warning] = &effective.warnings[..] else { panic!("{:?}", effective.warnings) };
        assert_eq!(warning.code, "unused_section");
        assert!(
            warning.message.ends_with("debate-agent.config.json:1:2: `mcp` of a project is not used: it belongs in ~/.config/debate-agent/config.json"),
            "{}", warning.message
        );
        assert!(world.check().is_ok(), "what is not used needs no trust");
    }

    #[test]
    fn the_users_own_file_counts_beside_a_hostile_project() {
        let world = World::new();
        world.user(r#"{"mcp": {"roots": ["/srv/code", "~/work", "~"], "budget_usd": 1.5}}"#);
        world.project(r#"{"mcp": {"roots": ["/"], "allow_run_agent": true}}"#);
        let mcp = world.load().unwrap().config.mcp;
        assert_eq!(mcp.budget_usd, Usd::from_micros(1_500_000));
        assert!(!mcp.allow_run_agent);
        assert_eq!(mcp.roots, ["/srv/code", "~/work", "~"]);
    }

    #[test]
    fn a_file_that_the_command_line_names_is_the_users_word() {
        let world = World::new();
        world.write("named.json", r#"{"mcp": {"allow_run_agent": true}}"#);
        let mut request = world.request();
        request.file = Some(world.path("named.json"));
        assert!(crate::config::load(&request).unwrap().config.mcp.allow_run_agent);
    }

    #[test]
    fn a_root_must_say_where_it_is_whatever_the_start_directory() {
        for (section, said) in [
            (r#"{"roots": ["code"]}"#, "`mcp.roots[0]` must begin with `/` or `~/`, `code` found"),
            (
                r#"{"roots": ["/a", "../b"]}"#,
                "`mcp.roots[1]` must begin with `/` or `~/`, `../b` found",
            ),
            (
                r#"{"roots": ["~other/b"]}"#,
                "`mcp.roots[0]` must begin with `/` or `~/`, `~other/b` found",
            ),
            (r#"{"roots": ["/a\u0000b"]}"#, "`mcp.roots[0]` contains a NUL byte"),
            (r#"{"roots": "/a"}"#, "`mcp.roots` is wrong"),
            (r#"{"budget_usd": -1}"#, "`mcp.budget_usd` is wrong"),
            (r#"{"budget": 1}"#, "unknown key `mcp.budget`; did you mean `budget_usd`?"),
        ] {
            let world = World::new();
            world.user(&format!(r#"{{"mcp": {section}}}"#));
            let refusal = world.refusal();
            assert!(refusal.contains(said), "{section}: {refusal}");
        }
    }

    #[test]
    fn what_is_wrong_in_a_projects_section_is_an_error_like_any_other() {
        let world = World::new();
        world.project(r#"{"mcp": {"port": 7}}"#);
        assert!(world.refusal().contains("unknown key `mcp.port`"));
    }
}
