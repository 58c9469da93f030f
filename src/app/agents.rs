//! `agents`: the configured agents with their roles, seats and availability. Runs no agent.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::agent::roster::{Agent, HostRules};
use crate::config::agents::ProfileName;
use crate::config::discuss::PerspectiveConfig;
use crate::config::load::Effective;
use crate::skill::{self, Origin};

/// One configured agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// The program as configured.
    pub path: String,
    /// The program as found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<PathBuf>,
    /// How it is talked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileName>,
    /// Who makes its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// The model, where one is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether its program may be run. Says nothing about a login: `doctor` does.
    pub available: bool,
    /// Why not, and how to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The roles it plays.
    pub roles: Vec<String>,
    /// Its seat in reviews and plans, from 1, where it has one by default (`debate.default_agents`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<usize>,
    /// The perspectives that it takes in critiques, of those that are asked by default.
    pub perspectives: Vec<String>,
    /// Who steps in for it.
    pub fallback: Vec<String>,
}

/// One role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RoleRow {
    /// Its name.
    pub role: String,
    /// Who plays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where its prompt comes from; `None`: this version has no such role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<Origin>,
}

/// All agents and roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listing {
    /// The agents, by name.
    pub agents: Vec<AgentRow>,
    /// The roles, by name.
    pub roles: Vec<RoleRow>,
}

/// Returns every configured agent and every role. `machine` decides whether an agent's program may be run.
pub fn list(effective: &Effective, machine: &HostRules) -> Listing {
    let config = &effective.config;
    let agents = config.agents.iter().map(|(name, agent)| {
        let resolved = Agent::resolve(name, agent, None, machine, config.limits.allow_dangerous);
        let problem = resolved.as_ref().err().map(ToString::to_string);
        let resolved = resolved.ok();
        AgentRow {
            name: name.clone(),
            path: agent.path.clone(),
            profile: resolved.as_ref().map(|agent| agent.profile),
            vendor: resolved.as_ref().map(|agent| agent.vendor.clone()),
            model: agent.model.clone(),
            available: problem.is_none(),
            problem,
            roles: roles_of(effective, name),
            seat: seat_of(effective, name),
            perspectives: perspectives_of(effective, name),
            fallback: agent.fallback.clone().unwrap_or_default(),
            program: resolved.map(|agent| agent.program),
        }
    });
    let roles = config.roles.iter().map(|(role, settings)| RoleRow {
        role: role.clone(),
        agent: settings.agent.clone(),
        skill: skill::load(effective, [role.as_str()])
            .ok()
            .and_then(|mut set| Some(set.remove(role)?.origin)),
    });
    Listing { agents: agents.collect(), roles: roles.collect() }
}

/// Returns the default seat of an agent in reviews and plans, from 1; `None` if it is not a default agent.
pub(super) fn seat_of(effective: &Effective, agent: &str) -> Option<usize> {
    let mut seats = effective.config.debate.default_agents.iter();
    seats.position(|name| name == agent).map(|at| at + 1)
}

pub(super) fn perspective_role(perspective: &str) -> String {
    format!("{}{perspective}", skill::PERSPECTIVES)
}

/// Returns the agent that answers for a perspective: the one configured for its role, else the agent itself.
pub(super) fn perspective_agent(
    effective: &Effective,
    name: &str,
    perspective: &PerspectiveConfig,
) -> String {
    let role = effective.config.roles.get(&perspective_role(name));
    let of_role = role.and_then(|role| role.agent.clone());
    of_role.unwrap_or_else(|| perspective.agent.clone())
}

/// Returns the perspectives that an agent takes in critiques by default, in the order in which they are asked.
pub(super) fn perspectives_of(effective: &Effective, agent: &str) -> Vec<String> {
    let discuss = &effective.config.discuss;
    let asked = discuss.default_perspectives.iter().filter(|name| {
        let perspective = discuss.perspectives.get(*name);
        perspective.is_some_and(|it| perspective_agent(effective, name, it) == agent)
    });
    asked.cloned().collect()
}

pub(super) fn roles_of(effective: &Effective, agent: &str) -> Vec<String> {
    let roles = effective.config.roles.iter();
    let plays = roles.filter(|(_, role)| role.agent.as_deref() == Some(agent));
    plays.map(|(name, _)| name.clone()).collect()
}
