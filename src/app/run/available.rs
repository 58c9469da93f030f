//! The agents that can be asked here: who takes the seat of one that is missing, who steps in for one that fails, and
//! which models one vendor's seats ask.

use super::panel::SeatHolder;
use super::workspace::Workspace;
use crate::agent::profile::PROFILES;
use crate::agent::roster::{self, Agent, RosterError, key_and_model};
use crate::config::agents::{AgentConfig, RoleConfig};
use crate::error::{Error, roster_error};
use crate::kernel::HUMAN;
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::clarify::CLARIFIER;
use crate::text::Note;

/// The agent that steps in after all others of other vendors (`docs/discuss.md`).
const LAST_RESORT: &str = "claude";

#[derive(Clone, Copy)]
pub(crate) struct Available<'a> {
    pub(crate) workspace: &'a Workspace,
    /// In a rehearsal every agent is here, and is a vendor of its own.
    pub(crate) rehearse: bool,
}

impl Available<'_> {
    /// Resolves the agent of a seat, with the settings of its role.
    pub(crate) fn resolve(
        &self,
        name: &str,
        role: Option<&RoleConfig>,
    ) -> Result<Agent, RosterError> {
        let config = &self.workspace.effective.config;
        let (key, model) = key_and_model(name);
        let unknown = || RosterError::UnknownAgent { agent: key.to_owned() };
        let agent = config.agents.get(key).ok_or_else(unknown)?;
        let mut role = role.cloned().unwrap_or_default();
        role.model = model.map(str::to_owned).or(role.model);
        let machine = self.workspace.machine();
        let dangerous = config.limits.allow_dangerous;
        let agent = Agent::resolve(key, agent, Some(&role), &machine, dangerous)?;
        Ok(Agent { name: name.to_owned(), ..agent })
    }

    /// Returns an agent's vendor if its program can be used.
    pub(crate) fn usable(&self, name: &str) -> Option<String> {
        if self.rehearse {
            return Some(name.to_owned());
        }
        Some(self.resolve(name, None).ok()?.vendor)
    }

    /// Returns an agent's vendor, even if its program is missing; its own name if the vendor is unknown.
    pub(crate) fn vendor(&self, name: &str) -> String {
        let (key, model) = key_and_model(name);
        let agent = self.workspace.effective.config.agents.get(key);
        let agent = agent.filter(|_| !self.rehearse);
        let vendor =
            |agent: &AgentConfig| roster::vendor(key, agent, model.or(agent.model.as_deref()));
        agent.map_or_else(|| name.to_owned(), vendor)
    }

    /// Returns why an agent's program is unavailable; `None` if it is available. Any other problem is an error, not a
    /// reason to ask another agent.
    pub(crate) fn absent(&self, name: &str) -> Result<Option<String>, Error> {
        if self.rehearse {
            return Ok(None);
        }
        match self.resolve(name, None) {
            Ok(_) => Ok(None),
            Err(error @ (RosterError::NotFound { .. } | RosterError::NotExecutable { .. })) => {
                Ok(Some(error.to_string()))
            }
            Err(error) => Err(roster_error(error)),
        }
    }

    /// Returns every agent that can be used and takes part without being named, with its vendor, by name. A CLI without
    /// configuration does if there is no other.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        let all = self.workspace.effective.config.agents.keys();
        let usable = all.filter_map(|name| Some((name.clone(), self.usable(name)?)));
        let (unnamed, named): (Vec<_>, Vec<_>) =
            usable.partition(|(name, _)| self.workspace.unconfigured.contains(name));
        if named.is_empty() { unnamed } else { named }
    }

    /// Returns the agents that step in for one by default, in order: those of other vendors first, `claude` after them,
    /// and those of its own vendor last.
    pub(crate) fn others(&self, agent: &str) -> Vec<String> {
        if self.rehearse {
            return Vec::new();
        }
        let vendor = self.vendor(agent);
        let rank = |name: &str, theirs: &str| match (theirs == vendor, name == LAST_RESORT) {
            (false, false) => 0,
            (false, true) => 1,
            (true, _) => 2,
        };
        let (key, _) = key_and_model(agent);
        let others = self.all().into_iter().filter(|(name, _)| name != key);
        let mut others: Vec<(u8, String)> =
            others.map(|(name, theirs)| (rank(&name, &theirs), name)).collect();
        others.sort();
        others.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns who sits where these agents are configured to: each itself if its program is here, else another one, of
    /// a vendor without a seat if there is one. Where no agent is here they stay: the error about their program says
    /// what to do.
    pub(crate) fn present(&self, wanted: &[String]) -> Result<(Vec<String>, Vec<Note>), Error> {
        let mut absent: BTreeMap<&String, Option<String>> = BTreeMap::new();
        let mut vendors = BTreeSet::new();
        for name in wanted {
            if self.absent(name)?.is_some() {
                absent.insert(name, None);
            } else {
                vendors.insert(self.vendor(name));
            }
        }
        let mut notes = Vec::new();
        let all = if absent.is_empty() { Vec::new() } else { self.all() };
        let mut seated = Vec::new();
        for name in wanted {
            let Some(known) = absent.get_mut(name) else {
                seated.push(name.clone());
                continue;
            };
            if known.is_none() {
                let new = all.iter().find(|(_, vendor)| !vendors.contains(vendor));
                *known = new.or_else(|| all.first()).map(|(other, vendor)| {
                    vendors.insert(vendor.clone());
                    let message = format!("{name} is not installed: {other} takes its seat");
                    notes.push(Note::new("agent_replaced", message));
                    other.clone()
                });
            }
            seated.push(known.clone().unwrap_or_else(|| name.clone()));
        }
        Ok((seated, notes))
    }

    /// Gives the seats of an agent in a session of one vendor their own models. Returns a note on what a second vendor
    /// would add, if none is here.
    pub(crate) fn two_models(&self, places: &mut [SeatHolder]) -> Option<Note> {
        let sits = |place: &&mut SeatHolder| place.agent != HUMAN && place.seat != CLARIFIER;
        let mut seats: Vec<&mut SeatHolder> = places.iter_mut().filter(sits).collect();
        let vendors: BTreeSet<String> =
            seats.iter().map(|place| self.vendor(&place.agent)).gather();
        let (Some(vendor), 1, 2..) = (vendors.first(), vendors.len(), seats.len()) else {
            return None;
        };
        let config = &self.workspace.effective.config;
        let mut held: BTreeMap<String, usize> = BTreeMap::new();
        for place in &seats {
            *held.entry(place.agent.clone()).or_default() += 1;
        }
        held.retain(|_, seats| *seats > 1);
        let mut next: BTreeMap<String, usize> = BTreeMap::new();
        for place in &mut seats {
            let agent = place.agent.clone();
            let (Some(_), Some(settings)) = (held.get(&agent), config.agents.get(&agent)) else {
                continue;
            };
            let role = config.roles.get(&*place.plays);
            let own = role.filter(|role| role.agent.as_ref() == Some(&agent));
            let own = own.and_then(|role| role.model.as_deref());
            let seat = next.entry(agent.clone()).or_default();
            place.agent = roster::name_of_seat(&agent, settings, own, *seat);
            *seat += 1;
        }
        let alone = self.all().iter().all(|(_, theirs)| theirs == vendor);
        (alone && !self.rehearse).then(|| Note::new("second_vendor", would_add(vendor)))
    }
}

/// Returns a note on what is missing where only one vendor's CLI is installed.
pub(crate) fn second_vendor(vendor: &str) -> Note {
    let message = format!(
        "only {vendor} takes part, so agreement counts as unverified: {}",
        would_add(vendor)
    );
    Note::new("second_vendor", message)
}

/// Returns what an agent of a second vendor would add, and how to install one.
fn would_add(vendor: &str) -> String {
    let other = PROFILES.iter().find(|cli| {
        let theirs = cli.vendor("", None);
        !cli.probes.install.is_empty() && theirs != vendor
    });
    let install = other.map_or_else(String::new, |cli| {
        format!(": `{}` installs {}", cli.probes.install, cli.probes.program)
    });
    format!("an agent of a second vendor could confirm or refute it{install}")
}
