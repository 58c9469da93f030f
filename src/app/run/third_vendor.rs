//! A moderator of a third vendor: `roles.backlog-moderator.agent` may be `auto`.
//!
//! | usable agents of a vendor that neither partner is from | moderator |
//! |---|---|
//! | some | the first of them, by name |
//! | none | the champion's agent, and the session says so (`no_third_vendor`) |
//!
//! An agent is usable if its program can be started, as for seats in topic debates. Agents without a configuration
//! take part only if named.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::agent::roster::{self, Agent, HostRules};
use crate::config::Config;
use crate::config::agents::RoleConfig;
use crate::config::debate::{AUTO, MODERATOR};
use crate::config::load::Effective;

/// The roles of the partners.
const PARTNERS: [&str; 2] = ["backlog-champion", "backlog-critic"];

/// Whether the configuration leaves the moderator's agent to the program.
pub(crate) fn is_wanted(config: &Config) -> bool {
    named(config, MODERATOR) == Some(AUTO) && !config.agents.contains_key(AUTO)
}

/// Returns the agent that plays a role: the one named for it, or the program's choice.
pub(crate) fn agent_of(effective: &Effective, role: &str, machine: &HostRules) -> Option<String> {
    let config = &effective.config;
    if role == MODERATOR && is_wanted(config) {
        let champion = named(config, PARTNERS[0]);
        return outsider(effective, machine).or(champion).map(str::to_owned);
    }
    named(config, role).map(str::to_owned)
}

/// Returns the configured roles, with the agent that the program chooses.
pub(crate) fn roles<'a>(
    effective: &'a Effective,
    machine: &HostRules,
) -> Cow<'a, BTreeMap<String, RoleConfig>> {
    let roles = &effective.config.roles;
    if !is_wanted(&effective.config) {
        return Cow::Borrowed(roles);
    }
    let mut roles = roles.clone();
    if let Some(role) = roles.get_mut(MODERATOR) {
        role.agent = agent_of(effective, MODERATOR, machine);
        // It would be one vendor's model, and nobody knows whose agent this is.
        role.model = None;
    }
    Cow::Owned(roles)
}

fn named<'a>(config: &'a Config, role: &str) -> Option<&'a str> {
    config.roles.get(role)?.agent.as_deref()
}

/// Returns the first usable agent of a vendor that neither partner is from.
fn outsider<'a>(effective: &'a Effective, machine: &HostRules) -> Option<&'a str> {
    let config = &effective.config;
    let vendors: Vec<String> = PARTNERS
        .iter()
        .filter_map(|role| {
            let role = config.roles.get(*role)?;
            let name = role.agent.as_deref()?;
            let agent = config.agents.get(name)?;
            let model = role.model.as_deref().or(agent.model.as_deref());
            Some(roster::vendor(name, agent, model))
        })
        .collect();
    let configured = effective.value.get("agents");
    let mut agents = config
        .agents
        .iter()
        .filter(|(name, _)| configured.is_some_and(|agents| agents.get(name.as_str()).is_some()));
    let found = agents.find(|(name, agent)| {
        let dangerous = config.limits.allow_dangerous;
        let usable = Agent::resolve(name, agent, None, machine, dangerous).ok();
        usable.is_some_and(|agent| !vendors.contains(&agent.vendor))
    });
    found.map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::config::tests::World;

    /// A world with these programs on PATH.
    fn world(programs: &[&str]) -> (World, HostRules) {
        let world = World::new();
        for name in programs {
            world.write(&format!("bin/{name}"), "#!/bin/sh\n");
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(world.path(&format!("bin/{name}")), mode).unwrap();
        }
        let machine = HostRules {
            path: world.path("bin").display().to_string(),
            workspace: world.path("repo"),
            home: world.path("home"),
            trusted_groups: std::collections::BTreeSet::new(),
        };
        (world, machine)
    }

    /// (programs, the user's configuration, the moderator)
    #[test]
    fn the_moderator_is_of_a_third_vendor_if_there_is_one() {
        let auto = r#"{"roles": {"backlog-moderator": {"agent": "auto", "model": "opus"}}}"#;
        let critic = r#"{"roles": {"backlog-moderator": {"agent": "auto"}, "backlog-critic": {"agent": "gemini"}}}"#;
        let two = r#"{"agents": {"second": {"path": "claude"}}, "roles": {"backlog-moderator": {"agent": "auto"}}}"#;
        for (programs, user, expected) in [
            (&["claude", "codex", "gemini"][..], "{}", "claude"),
            (&["claude", "codex", "gemini"], auto, "gemini"),
            (&["claude", "codex", "gemini"], critic, "codex"),
            // Not usable, so the champion's agent decides, whatever else is configured.
            (&["claude", "codex"], auto, "claude"),
            (&["claude", "codex"], two, "claude"),
        ] {
            let (world, machine) = world(programs);
            let effective = world.user(user).load().unwrap();
            let found = agent_of(&effective, MODERATOR, &machine);
            assert_eq!(found.as_deref(), Some(expected), "{programs:?} {user}");
            let roles = roles(&effective, &machine);
            assert_eq!(roles[MODERATOR].agent, found);
            assert!(user != auto || roles[MODERATOR].model.is_none());
            assert_eq!(agent_of(&effective, "backlog-champion", &machine).unwrap(), "claude");
        }
    }

    #[test]
    fn no_other_role_is_left_to_the_program() {
        let (world, _) = world(&[]);
        world.user(r#"{"roles": {"backlog-critic": {"agent": "auto"}}}"#);
        assert!(world.refusal().contains("names the agent `auto`, which does not exist"));
    }
}
