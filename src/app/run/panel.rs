//! The participants of a session: agents and skills, after the check that the project may bring them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::available::Available;
use super::calls::{self, CallRules};
use super::options::RunOptions;
use super::roles::{self, Roles};
use super::workspace::Workspace;
use crate::agent::attempts::Extent;
use crate::agent::pace::Pace;
use crate::agent::roster::{Agent, Assignment, Roster, RosterError, key_and_model};
use crate::config::agents::RoleConfig;
use crate::config::trust::AgentUse;
use crate::engine::budget::first_of;
use crate::error::roster_error;
use crate::error::{Error, Kind};
use crate::kernel::{HUMAN, Usd, seat_name};
use crate::protocol::clarify::CLARIFIER;
use crate::protocol::panel::JUDGE;
use crate::protocol::topic::EXPERT;
use crate::report::plan::PlannedCall;
use crate::skill::SkillSet;
use crate::text::Note;

/// Maximum agents in one panel: more prompts than anyone would read the answers to.
pub(crate) const MOST_SEATS: usize = 9;

/// A seat with its agent: one that the configuration names, or one of its models ([`crate::agent::roster::name_of_seat`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeatHolder {
    pub(crate) seat: String,
    pub(crate) agent: String,
    /// The role that sets the time limit of its calls: its first task.
    pub(crate) plays: Cow<'static, str>,
    /// Its stand-ins in order; `None` until they are chosen.
    pub(crate) stand_ins: Option<Vec<String>>,
}

impl SeatHolder {
    pub(crate) fn new(seat: &str, agent: &str, plays: impl Into<Cow<'static, str>>) -> Self {
        let (seat, agent) = (seat.to_owned(), agent.to_owned());
        Self { seat, agent, plays: plays.into(), stand_ins: None }
    }

    /// Whether nobody else is asked in the step of its turns, so that an agent with a seat may step in.
    fn is_alone(&self) -> bool {
        ["moderator", EXPERT, JUDGE, CLARIFIER].contains(&&*self.seat)
    }
}

/// Returns the seats recorded by a session. `plays`: as in [`SeatHolder`].
pub(crate) fn recorded(
    calls: &CallRules,
    plays: impl Fn(&str) -> Cow<'static, str>,
) -> Vec<SeatHolder> {
    let stand_ins = |cast: &calls::SeatAssignment| {
        cast.fallbacks.iter().map(|stand_in| stand_in.agent.clone()).collect()
    };
    (calls.seats.iter())
        .map(|(seat, cast)| SeatHolder {
            stand_ins: Some(stand_ins(cast)),
            ..SeatHolder::new(seat, &cast.agent.agent, plays(seat))
        })
        .collect()
}

/// Seats agents of equal rank, each once: `s1` is the first. One agent alone has two seats. `named`: by the request;
/// without any, those of the configuration that are installed.
pub(crate) fn places(
    workspace: &Workspace,
    options: &RunOptions,
    named: &[String],
    plays: &'static str,
) -> Result<(Vec<SeatHolder>, Vec<Note>), Error> {
    let here = Available { workspace, rehearse: options.rehearse };
    let configured = &workspace.effective.config.debate.default_agents;
    let wanted = if named.is_empty() { configured } else { named };
    check_agents(workspace, options, wanted)?;
    let (mut agents, mut notes) =
        if named.is_empty() { here.present(wanted)? } else { (wanted.to_vec(), Vec::new()) };
    let mut seen = BTreeSet::new();
    agents.retain(|agent| seen.insert(agent.clone()));
    if let [only] = &agents[..] {
        agents.push(only.clone());
    }
    let places = agents.iter().enumerate();
    let mut places: Vec<_> =
        places.map(|(index, agent)| SeatHolder::new(&seat_name(index), agent, plays)).collect();
    notes.extend(here.two_models(&mut places));
    Ok((places, notes))
}

/// Seats the agents that the configuration names for roles, or who replaces them.
pub(crate) fn of_roles(
    workspace: &Workspace,
    options: &RunOptions,
    roles: Roles,
) -> Result<(Vec<SeatHolder>, Vec<Note>), Error> {
    let here = Available { workspace, rehearse: options.rehearse };
    let configured = &workspace.effective.config.roles;
    let agent = |(_, role): &(&str, &str)| {
        let agent = configured.get(*role).and_then(|role| role.agent.clone());
        agent.ok_or_else(|| roster_error(RosterError::NoAgent { role: (*role).to_owned() }))
    };
    let agents: Vec<String> = roles.iter().map(agent).collect::<Result<_, _>>()?;
    let (present, notes) = here.present(&agents)?;
    let seats = roles.iter().zip(agents.iter().zip(&present));
    let seats = seats.map(|((seat, role), (own, present))| {
        let named = options.roles.iter().any(|named| named.role == *role);
        SeatHolder::new(seat, if named { own } else { present }, *role)
    });
    Ok((seats.collect(), notes))
}

/// Chooses the stand-ins of a new session's seats. Unless the configuration names them, they are the installed agents
/// without a seat: one with a seat would speak twice.
pub(crate) fn with_stand_ins(
    workspace: &Workspace,
    options: &RunOptions,
    seats: &[SeatHolder],
    reading: bool,
) -> Vec<SeatHolder> {
    let here = Available { workspace, rehearse: options.rehearse };
    let config = &workspace.effective.config;
    let sits = |name: &String| seats.iter().any(|place| key_and_model(&place.agent).0 == name);
    let reads = |name: &String| {
        let agent = here.resolve(name, None).ok();
        !reading || agent.is_some_and(|agent| agent.reading(workspace.root()).is_ok())
    };
    let stand_ins = |place: &SeatHolder| -> Vec<String> {
        let (agent, _) = key_and_model(&place.agent);
        if options.rehearse || agent == HUMAN {
            return Vec::new();
        }
        let role = config.roles.get(&*place.plays);
        let of_role = role.filter(|role| role.agent.as_deref() == Some(agent));
        let of_role = of_role.and_then(|role| role.fallback.clone());
        let own = config.agents.get(agent).and_then(|agent| agent.fallback.clone());
        match of_role.or(own) {
            Some(mut named) => {
                named.retain(|name| place.is_alone() || !sits(name));
                named
            }
            None if config.limits.fallback => {
                let mut others = here.others(agent);
                others.retain(|name| (place.is_alone() || !sits(name)) && reads(name));
                others
            }
            None => Vec::new(),
        }
    };
    let chosen = |place: &SeatHolder| SeatHolder {
        stand_ins: Some(place.stand_ins.clone().unwrap_or_else(|| stand_ins(place))),
        ..place.clone()
    };
    seats.iter().map(chosen).collect()
}

/// Loads the skills of roles, and resolves the agents that the configuration names for them.
pub(crate) fn cast(
    workspace: &Workspace,
    options: &RunOptions,
    roles: Roles,
) -> Result<(SkillSet, Roster), Error> {
    let names = roles::skills(roles);
    let (seats, _) = of_roles(workspace, options, roles)?;
    let seats = with_stand_ins(workspace, options, &seats, false);
    seat(workspace, options, &seats, &names, AgentUse::Agents, false)
}

/// Loads skills and resolves the agents of the seats, after the check that the project may bring them.
///
/// `reading`: whether they may read the repository, with read-only tools.
pub(crate) fn seat(
    workspace: &Workspace,
    options: &RunOptions,
    seats: &[SeatHolder],
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
    let roles = &workspace.effective.config.roles;
    let mut casts = BTreeMap::new();
    for place in seats {
        let cast = if place.agent == HUMAN {
            Assignment { agent: Agent::human(), fallbacks: Vec::new() }
        } else if options.rehearse {
            stand_in(&place.seat)?
        } else {
            cast_of(workspace, place, roles.get(&*place.plays)).map_err(roster_error)?
        };
        casts.insert(place.seat.clone(), cast);
    }
    let roster = Roster::of(casts);
    if !reading {
        return Ok((skills, roster));
    }
    let roster = roster.reading(workspace.root()).map_err(roster_error)?;
    Ok((skills, roster))
}

/// Refuses an invalid panel: too many agents, one beside others that is named twice, or one that is not configured.
fn check_agents(
    workspace: &Workspace,
    options: &RunOptions,
    agents: &[String],
) -> Result<(), Error> {
    let usage = |what: String| Error::new(Kind::Usage, what).named("panel");
    if !(1..=MOST_SEATS).contains(&agents.len()) {
        return Err(usage(format!("it takes 1 to {MOST_SEATS} agents, {} given", agents.len()))
            .hint("name them: `--agents claude,codex`, or in `debate.default_agents`"));
    }
    for (index, name) in agents.iter().enumerate() {
        if agents[..index].contains(name) && agents.len() > 2 {
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

/// Resolves the agents of a seat.
///
/// A seat may have several tasks; its calls have the time limit of its first role. The role's model applies only to the
/// agent that the role names.
fn cast_of(
    workspace: &Workspace,
    place: &SeatHolder,
    role: Option<&RoleConfig>,
) -> Result<Assignment, RosterError> {
    let here = Available { workspace, rehearse: false };
    let timeouts = role
        .map(|role| RoleConfig { timeout_seconds: role.timeout_seconds, ..RoleConfig::default() });
    let its_role = role.filter(|role| role.agent.as_deref() == Some(key_and_model(&place.agent).0));
    Ok(Assignment {
        agent: here.resolve(&place.agent, its_role.or(timeouts.as_ref()))?,
        fallbacks: (place.stand_ins.iter().flatten())
            .map(|name| here.resolve(name, timeouts.as_ref()))
            .collect::<Result<_, _>>()?,
    })
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
