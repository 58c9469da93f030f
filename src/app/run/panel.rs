//! The participants of a session: agents and skills, after the check that the project may bring them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::calls::{self, CallRules};
use super::options::RunOptions;
use super::roles::{self, Roles};
use super::workspace::Workspace;
use crate::agent::attempts::Extent;
use crate::agent::pace::Pace;
use crate::agent::roster::{Agent, Assignment, Roster, RosterError};
use crate::config::agents::RoleConfig;
use crate::config::trust::AgentUse;
use crate::engine::budget::first_of;
use crate::error::roster_error;
use crate::error::{Error, Kind};
use crate::kernel::{HUMAN, Usd};
use crate::report::plan::PlannedCall;
use crate::skill::SkillSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Participants {
    /// The agents that the configuration names for these roles.
    Roles(Roles),
    Places(Vec<SeatHolder>),
}

impl Participants {
    /// Returns the seats recorded by a session. `plays`: as in [`SeatHolder`].
    pub(crate) fn recorded(calls: &CallRules, plays: impl Fn(&str) -> Cow<'static, str>) -> Self {
        let seats = calls.seats.iter();
        let places = seats.map(|(seat, cast)| SeatHolder::recorded(seat, cast, plays(seat)));
        Self::Places(places.collect())
    }
}

/// Maximum agents in one panel: more prompts than anyone would read the answers to.
pub(crate) const MOST_SEATS: usize = 9;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeatHolder {
    /// The seat's name in turns and documents.
    pub(crate) seat: String,
    /// The agent's name in the configuration.
    pub(crate) agent: String,
    /// The role that sets the time limit of its calls: its first task.
    pub(crate) plays: Cow<'static, str>,
    /// Its stand-ins in order, even if they have other seats; `None` for those that its own configuration names,
    /// unless they have a seat.
    pub(crate) stand_ins: Option<Vec<String>>,
}

impl SeatHolder {
    /// Returns a seat as recorded by a session.
    pub(crate) fn recorded(
        seat: &str,
        cast: &calls::SeatAssignment,
        plays: Cow<'static, str>,
    ) -> Self {
        Self { seat: seat.to_owned(), agent: cast.agent.agent.clone(), plays, stand_ins: None }
    }
}

/// Returns the name of a seat, by its index from 0: `s1` is the first.
pub(crate) fn seat_name(index: usize) -> String {
    format!("s{}", index + 1)
}

/// Seats agents of equal rank, each once: `s1` is the first of `agents`.
pub(crate) fn places(
    workspace: &Workspace,
    options: &RunOptions,
    agents: &[String],
    plays: &'static str,
) -> Result<Participants, Error> {
    check_agents(workspace, options, agents)?;
    let places = agents.iter().enumerate().map(|(index, agent)| SeatHolder {
        seat: seat_name(index),
        agent: agent.clone(),
        plays: plays.into(),
        stand_ins: None,
    });
    Ok(Participants::Places(places.collect()))
}

/// Loads the skills of roles, and resolves the agents that the configuration names for them.
pub(crate) fn cast(
    workspace: &Workspace,
    options: &RunOptions,
    roles: Roles,
) -> Result<(SkillSet, Roster), Error> {
    let names = roles::skills(roles);
    seat(workspace, options, &Participants::Roles(roles), &names, AgentUse::Agents, false)
}

/// Loads skills and resolves the agents of the seats, after the check that the project may bring them.
///
/// `reading`: whether they may read the repository, with read-only tools.
pub(crate) fn seat(
    workspace: &Workspace,
    options: &RunOptions,
    seating: &Participants,
    names: &[Cow<'static, str>],
    used: AgentUse,
    reading: bool,
) -> Result<(SkillSet, Roster), Error> {
    workspace.around.refuse_nesting()?;
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    let skills = workspace.skills(&names)?;
    let used = if options.rehearse { AgentUse::Rehearsal } else { used };
    workspace.require_trust(&skills, used)?;
    if reading && !options.rehearse {
        workspace.require_reading()?;
    }
    let roster = match seating {
        Participants::Roles(roles) => of_roles(workspace, options, roles)?,
        Participants::Places(places) => of_places(workspace, options, places)?,
    };
    if !reading {
        return Ok((skills, roster));
    }
    let roster = roster.reading(workspace.root()).map_err(roster_error)?;
    Ok((skills, roster))
}

fn of_roles(workspace: &Workspace, options: &RunOptions, roles: Roles) -> Result<Roster, Error> {
    if options.rehearse {
        let seats: Vec<&str> = roles.iter().map(|(seat, _)| *seat).collect();
        return Ok(Roster::rehearsal(&seats, &crate::app::run::guard::guard()?));
    }
    let config = &workspace.effective.config;
    let dangerous = config.limits.allow_dangerous;
    let machine = workspace.machine();
    Roster::resolve(roles, &config.agents, &config.roles, &machine, dangerous).map_err(roster_error)
}

fn of_places(
    workspace: &Workspace,
    options: &RunOptions,
    places: &[SeatHolder],
) -> Result<Roster, Error> {
    let roles = &workspace.effective.config.roles;
    let mut casts = BTreeMap::new();
    for place in places {
        let cast = if place.agent == HUMAN {
            Assignment { agent: Agent::human(), fallbacks: Vec::new() }
        } else if options.rehearse {
            stand_in(&place.seat)?
        } else {
            cast_of(workspace, place, places, roles.get(&*place.plays))?
        };
        casts.insert(place.seat.clone(), cast);
    }
    Ok(Roster::of(casts))
}

/// Refuses an invalid panel: fewer than two or too many agents, a repeated one, or one that is not configured.
fn check_agents(
    workspace: &Workspace,
    options: &RunOptions,
    agents: &[String],
) -> Result<(), Error> {
    let usage = |what: String| Error::new(Kind::Usage, what).named("panel");
    if !(2..=MOST_SEATS).contains(&agents.len()) {
        return Err(usage(format!("it takes 2 to {MOST_SEATS} agents, {} given", agents.len()))
            .hint("name them: `--agents claude,codex`, or in `debate.default_agents`"));
    }
    for (index, name) in agents.iter().enumerate() {
        if agents[..index].contains(name) {
            return Err(usage(format!("the agent `{name}` is named twice"))
                .hint("an agent cannot check itself: name different ones"));
        }
        let configured = &workspace.effective.config.agents;
        if !options.rehearse && !configured.contains_key(name) {
            let known: Vec<&str> = configured.keys().map(String::as_str).collect();
            return Err(usage(format!("there is no agent `{name}`"))
                .hint(format!("configured are {}", known.join(", "))));
        }
    }
    Ok(())
}

fn stand_in(seat: &str) -> Result<Assignment, Error> {
    let agent = Agent::rehearsal(seat, &crate::app::run::guard::guard()?);
    Ok(Assignment {
        agent: Agent { name: format!("rehearsal-{seat}"), ..agent },
        fallbacks: Vec::new(),
    })
}

/// Resolves an agent of a panel. Unless its stand-ins are given, an agent with a seat of its own never steps in: it
/// would speak twice.
///
/// A seat may have several tasks; its calls have the time limit of its first role. The role's model and fallbacks
/// apply only to the agent that the role names.
fn cast_of(
    workspace: &Workspace,
    place: &SeatHolder,
    panel: &[SeatHolder],
    role: Option<&RoleConfig>,
) -> Result<Assignment, Error> {
    let name = place.agent.as_str();
    let config = &workspace.effective.config;
    let machine = workspace.machine();
    let timeouts = role
        .map(|role| RoleConfig { timeout_seconds: role.timeout_seconds, ..RoleConfig::default() });
    let its_role = role.filter(|role| role.agent.as_deref() == Some(name));
    let resolve = |name: &str, role: Option<&RoleConfig>| {
        let agent = config.agents.get(name).ok_or_else(|| RosterError::UnknownAgent {
            role: "reviewer".to_owned(),
            agent: name.to_owned(),
        });
        let agent = agent.and_then(|agent| {
            let dangerous = config.limits.allow_dangerous;
            Agent::resolve(name, agent, role, &machine, dangerous)
        });
        agent.map_err(roster_error)
    };
    let agent = resolve(name, its_role.or(timeouts.as_ref()))?;
    let fallbacks = match &place.stand_ins {
        Some(stand_ins) => (stand_ins.iter())
            .map(|name| resolve(name, timeouts.as_ref()))
            .collect::<Result<_, _>>()?,
        None => (agent.fallback.iter())
            .filter(|name| panel.iter().all(|place| place.agent != **name))
            .map(|name| resolve(name, timeouts.as_ref()))
            .collect::<Result<_, _>>()?,
    };
    Ok(Assignment { agent, fallbacks })
}

/// Describes one call in advance. `agent`: as asked in the role. `bytes`: the sizes of the skill and of the prompt.
pub(crate) fn planned(
    pace: Pace<'_>,
    agent: &Agent,
    turn: String,
    seat: &str,
    bytes: (usize, usize),
    at_least: bool,
    first_reserve: Usd,
) -> PlannedCall {
    let extent = Extent { bytes: count(bytes.1), effort_above: pace.above(agent) };
    PlannedCall {
        turn,
        role: seat.to_owned(),
        agent: agent.name.clone(),
        vendor: agent.vendor.clone(),
        program: agent.program.display().to_string(),
        model: agent.model.clone(),
        // A person has no time limit.
        timeout_seconds: if agent.is_person() { 0 } else { agent.timeout.as_secs() },
        skill_bytes: count(bytes.0),
        prompt_bytes: count(bytes.1),
        prompt_is_at_least: at_least,
        reserve_usd: first_of(agent.declared_cost, first_reserve, extent),
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
