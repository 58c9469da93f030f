//! Assigns agents and stand-ins to perspectives.
//!
//! `roles.discuss-NAME.agent` takes precedence over `discuss.perspectives.NAME.agent`. An agent whose program is
//! missing is replaced before anything is asked, and one that fails is replaced during the run: by the agents that
//! its role or its own configuration names, else by the other available agents, those of another vendor first,
//! `claude` after them, and those of its own vendor last (`docs/discuss.md`, errors). A stand-in may have a
//! perspective of its own: every record shows who answered for whom.

use super::request::Request;
use crate::agent::roster::{self, Agent, RosterError};
use crate::app::agents::{perspective_agent, perspective_role};
use crate::app::run::panel::{MOST_SEATS, SeatHolder};
use crate::app::run::workspace::Workspace;
use crate::config::discuss::PerspectiveConfig;
use crate::config::error::nearest;
use crate::error::{Error, Kind, roster_error};
use crate::protocol::discuss::input::{Perspective, SkippedPerspective, Substitute};
use crate::text::Note;

/// The agent that comes after all others of other vendors (`docs/discuss.md`).
const LAST_RESORT: &str = "claude";

#[derive(Debug)]
pub(super) struct PerspectiveRoster {
    pub(super) places: Vec<SeatHolder>,
    pub(super) perspectives: Vec<Perspective>,
    pub(super) skipped: Vec<SkippedPerspective>,
    pub(super) notes: Vec<Note>,
}

/// Seats the perspectives in `names`. `by_hand`: they come from the command line. `context`: there is one to check
/// against.
pub(super) fn seat(
    workspace: &Workspace,
    request: &Request,
    names: &[String],
    by_hand: bool,
    context: bool,
) -> Result<PerspectiveRoster, Error> {
    let hall = SeatChooser { workspace, rehearse: request.run.rehearse };
    check(workspace, names)?;
    let mut seating = PerspectiveRoster {
        places: Vec::new(),
        perspectives: Vec::new(),
        skipped: Vec::new(),
        notes: Vec::new(),
    };
    for name in names {
        let Some(config) = workspace.effective.config.discuss.perspectives.get(name) else {
            continue;
        };
        if config.needs_context && !context {
            if by_hand {
                return Err(usage(
                    format!(
                        "the perspective `{name}` checks the artifact against a context, but none is given"
                    ),
                    "add `--context FILE`, or leave the perspective out",
                ));
            }
            seating.skip(&hall, name, config);
        } else {
            seating.place(&hall, name, config)?;
        }
    }
    if seating.perspectives.is_empty() {
        return Err(usage(
            "no perspective is left to ask",
            "add `--context FILE`, or name other perspectives with `--perspectives`",
        ));
    }
    Ok(seating)
}

fn usage(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Kind::Usage, message.into()).named("perspectives").hint(hint.into())
}

fn check(workspace: &Workspace, names: &[String]) -> Result<(), Error> {
    let known = &workspace.effective.config.discuss.perspectives;
    if names.len() > MOST_SEATS {
        return Err(usage(
            format!("at most {MOST_SEATS} perspectives, {} named", names.len()),
            "name fewer with `--perspectives`",
        ));
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(usage(
                format!("the perspective `{name}` is named twice"),
                "name each once: `--perspectives product,risk`",
            ));
        }
        if !known.contains_key(name) {
            let all: Vec<&str> = known.keys().map(String::as_str).collect();
            let meant = nearest(name, all.iter().copied())
                .map(|name| format!("did you mean `{name}`? "))
                .unwrap_or_default();
            return Err(usage(
                format!("there is no perspective `{name}`"),
                format!(
                    "{meant}configured are {}; `discuss.perspectives` adds others",
                    all.join(", ")
                ),
            ));
        }
    }
    Ok(())
}

impl PerspectiveRoster {
    fn skip(&mut self, hall: &SeatChooser<'_>, name: &str, config: &PerspectiveConfig) {
        let agent = hall.agent_of(name, config);
        let why = "no `context` is given to check the artifact against".to_owned();
        self.notes.push(Note::new("perspective_skipped", format!("{name} was not asked: {why}")));
        self.skipped.push(SkippedPerspective {
            name: name.to_owned(),
            vendor: hall.vendor(&agent),
            agent,
            why,
        });
    }

    fn place(
        &mut self,
        hall: &SeatChooser<'_>,
        name: &str,
        config: &PerspectiveConfig,
    ) -> Result<(), Error> {
        let wanted = hall.agent_of(name, config);
        let role = perspective_role(name);
        let mut stand_ins = hall.stand_ins(&role, &wanted)?;
        let mut agent = wanted.clone();
        let mut stands_in = None;
        if let Some(why) = hall.absent(&wanted)?
            && !stand_ins.is_empty()
        {
            agent = stand_ins.remove(0);
            self.notes.push(Note::new(
                "perspective_replaced",
                format!("{name}: {agent} answers for {wanted}, which is not available"),
            ));
            stands_in = Some(Substitute { vendor: hall.vendor(&wanted), agent: wanted, why });
        }
        self.places.push(SeatHolder {
            seat: name.to_owned(),
            agent,
            plays: role.clone().into(),
            stand_ins: Some(stand_ins),
        });
        self.perspectives.push(Perspective {
            name: name.to_owned(),
            title: config.title.clone(),
            looks_at: config.looks_at.clone(),
            rates_risk: config.rates_risk,
            needs_context: config.needs_context,
            plays: role,
            stands_in,
        });
        Ok(())
    }
}

struct SeatChooser<'a> {
    workspace: &'a Workspace,
    rehearse: bool,
}

impl SeatChooser<'_> {
    /// Returns the agent configured for a perspective.
    fn agent_of(&self, name: &str, config: &PerspectiveConfig) -> String {
        perspective_agent(&self.workspace.effective, name, config)
    }

    fn resolve(&self, name: &str) -> Result<Agent, RosterError> {
        let config = &self.workspace.effective.config;
        let agent = config.agents.get(name).ok_or_else(|| RosterError::UnknownAgent {
            role: "discuss".to_owned(),
            agent: name.to_owned(),
        })?;
        let machine = self.workspace.machine();
        Agent::resolve(name, agent, None, &machine, config.limits.allow_dangerous)
    }

    /// Returns why an agent's program is unavailable; `None` if it is available. Any other problem is an error, not a
    /// reason to ask another agent.
    fn absent(&self, name: &str) -> Result<Option<String>, Error> {
        if self.rehearse {
            return Ok(None);
        }
        match self.resolve(name) {
            Ok(_) => Ok(None),
            Err(error @ (RosterError::NotFound { .. } | RosterError::NotExecutable { .. })) => {
                Ok(Some(error.to_string()))
            }
            Err(error) => Err(roster_error(error)),
        }
    }

    /// Returns an agent's vendor, even if its program is missing; in a rehearsal each agent is its own vendor.
    fn vendor(&self, name: &str) -> String {
        let agent = self.workspace.effective.config.agents.get(name);
        agent.filter(|_| !self.rehearse).map_or_else(
            || name.to_owned(),
            |agent| roster::vendor(name, agent, agent.model.as_deref()),
        )
    }

    /// Returns an agent's available stand-ins, in order.
    fn stand_ins(&self, role: &str, agent: &str) -> Result<Vec<String>, Error> {
        if self.rehearse {
            return Ok(Vec::new());
        }
        let config = &self.workspace.effective.config;
        let of_role = (config.roles.get(role)).and_then(|role| role.fallback.clone());
        let own = config.agents.get(agent).map(|agent| agent.fallback.clone());
        if let Some(named) = of_role.or_else(|| own.filter(|own| !own.is_empty())) {
            let mut here = Vec::new();
            for name in named {
                if self.absent(&name)?.is_none() {
                    here.push(name);
                }
            }
            return Ok(here);
        }
        let vendor = self.vendor(agent);
        let rank = |name: &str, theirs: &str| match (theirs == vendor, name == LAST_RESORT) {
            (false, false) => 0,
            (false, true) => 1,
            (true, _) => 2,
        };
        let mut others: Vec<(u8, String)> = (config.agents.keys())
            .filter(|name| *name != agent && !self.workspace.unconfigured.contains(*name))
            .filter_map(|name| Some((name, self.resolve(name).ok()?.vendor)))
            .map(|(name, theirs)| (rank(name, &theirs), name.clone()))
            .collect();
        others.sort();
        Ok(others.into_iter().map(|(_, name)| name).collect())
    }
}
