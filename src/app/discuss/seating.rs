//! Assigns agents and stand-ins to perspectives.
//!
//! `roles.discuss-NAME.agent` takes precedence over `discuss.perspectives.NAME.agent`. An agent whose program is
//! missing is replaced before anything is asked, and one that fails is replaced during the run: by the agents that
//! its role or its own configuration names, else by the other available agents, those of another vendor first,
//! `claude` after them, and those of its own vendor last (`docs/discuss.md`, errors). A stand-in may have a
//! perspective of its own: every record shows who answered for whom.

use super::request::Request;
use crate::app::agents::{perspective_agent, perspective_role};
use crate::app::run::available::Available;
use crate::app::run::panel::{MOST_SEATS, SeatHolder};
use crate::app::run::workspace::Workspace;
use crate::config::discuss::PerspectiveConfig;
use crate::config::error::nearest;
use crate::error::{Error, Kind};
use crate::protocol::discuss::input::{Perspective, SkippedPerspective, Substitute};
use crate::text::Note;

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
    let here = Available { workspace, rehearse: request.run.rehearse };
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
            seating.skip(here, name, config);
        } else {
            seating.place(here, name, config)?;
        }
    }
    if seating.perspectives.is_empty() {
        return Err(usage(
            "no perspective is left to ask",
            "add `--context FILE`, or name other perspectives with `--perspectives`",
        ));
    }
    seating.notes.extend(here.two_models(&mut seating.places));
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
    fn skip(&mut self, here: Available<'_>, name: &str, config: &PerspectiveConfig) {
        let agent = agent_of(here, name, config);
        let why = "no `context` is given to check the artifact against".to_owned();
        self.notes.push(Note::new("perspective_skipped", format!("{name} was not asked: {why}")));
        self.skipped.push(SkippedPerspective {
            name: name.to_owned(),
            vendor: here.vendor(&agent),
            agent,
            why,
        });
    }

    fn place(
        &mut self,
        here: Available<'_>,
        name: &str,
        config: &PerspectiveConfig,
    ) -> Result<(), Error> {
        let wanted = agent_of(here, name, config);
        let role = perspective_role(name);
        let (mut stand_ins, named) = stand_ins(here, &role, &wanted)?;
        let mut agent = wanted.clone();
        let mut stands_in = None;
        if let Some(why) = here.absent(&wanted)?
            && !stand_ins.is_empty()
        {
            agent = stand_ins.remove(0);
            self.notes.push(Note::new(
                "perspective_replaced",
                format!("{name}: {agent} answers for {wanted}, which is not available"),
            ));
            stands_in = Some(Substitute { vendor: here.vendor(&wanted), agent: wanted, why });
        }
        if !named && !here.workspace.effective.config.limits.fallback {
            stand_ins.clear();
        }
        self.places.push(SeatHolder {
            stand_ins: Some(stand_ins),
            ..SeatHolder::new(name, &agent, role.clone())
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

fn agent_of(here: Available<'_>, name: &str, config: &PerspectiveConfig) -> String {
    perspective_agent(&here.workspace.effective, name, config)
}

fn stand_ins(here: Available<'_>, role: &str, agent: &str) -> Result<(Vec<String>, bool), Error> {
    let config = &here.workspace.effective.config;
    let of_role = (config.roles.get(role)).and_then(|role| role.fallback.clone());
    let own = config.agents.get(agent).and_then(|agent| agent.fallback.clone());
    let Some(named) = of_role.or(own).filter(|_| !here.rehearse) else {
        return Ok((here.others(agent), false));
    };
    let mut available = Vec::new();
    for name in named {
        if here.absent(&name)?.is_none() {
            available.push(name);
        }
    }
    Ok((available, true))
}
