//! The rules of one stored partner debate: what its first record holds and every replay needs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::agent::roster::{Agent, Roster};
use crate::config::Config;
use crate::config::limits::Retries;
use crate::error::{Error, Kind};
use crate::protocol::Seated;
use crate::protocol::backlog::model::Opportunity;
use crate::protocol::backlog::{Input, InputError, Machine, Role, Seats, Settings};
use crate::session::record::Opened;
use crate::text::Note;

/// The roles of the partner debate: the short name of a seat, and the role's name in the configuration.
pub(crate) const ROLES: [(&str, &str); 3] = [
    ("champion", "backlog-champion"),
    ("critic", "backlog-critic"),
    ("moderator", "backlog-moderator"),
];

/// The rules of a session, as they stood when it was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Rules {
    pub(crate) max_rounds: u32,
    pub(crate) rank_stability: f64,
    pub(crate) partner_agreement: f64,
    pub(crate) max_missing_share: f64,
    pub(crate) strict: bool,
    pub(crate) salvage: bool,
    pub(crate) repair: bool,
    pub(crate) retries: Retries,
    pub(crate) prompt_chars: usize,
    #[serde(default = "block_bytes")]
    pub(crate) block_bytes: usize,
    pub(crate) same_vendor_allowed: bool,
    /// By the seat's short name.
    pub(crate) seats: BTreeMap<String, Cast>,
    /// Flags that switch off a CLI's permissions or sandbox, permitted by the user: `claude --yolo`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) dangerous: Vec<String>,
}

/// Names an agent's permitted dangerous flags: `claude --yolo`.
pub(crate) fn permitted(agent: &Agent) -> Vec<String> {
    agent
        .dangerous
        .iter()
        .map(|flag| format!("{} {flag}", agent.name))
        .collect()
}

/// The warning that stands in every result of agents that ran with such flags.
pub(crate) fn dangerous_warning(flags: &[String]) -> Option<Note> {
    (!flags.is_empty()).then(|| {
        Note::new(
            "dangerous_flags",
            format!(
                "agents ran with permissions or sandbox switched off, as `limits.allow_dangerous` permits: {}",
                flags.join(", ")
            ),
        )
    })
}

/// What sessions had that were opened before this was a rule.
fn block_bytes() -> usize {
    Settings::default().block_bytes
}

/// Who has a seat, and who may step in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cast {
    pub(crate) agent: Seated,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fallbacks: Vec<Seated>,
}

/// What a command line adds to the configured rules.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Switches {
    pub(crate) strict: bool,
    pub(crate) salvage: bool,
    pub(crate) same_vendor_allowed: bool,
}

impl Rules {
    /// Takes the rules from the configuration, the command line and the panel.
    pub(crate) fn new(config: &Config, switches: Switches, roster: &Roster) -> Self {
        let seated = |agent: &Agent| Seated {
            agent: agent.name.clone(),
            vendor: agent.vendor.clone(),
            fell_back_from: None,
        };
        Self {
            max_rounds: config.backlog.max_rounds,
            rank_stability: config.backlog.rank_stability,
            partner_agreement: config.backlog.partner_agreement,
            max_missing_share: config.backlog.max_missing_share,
            strict: switches.strict,
            salvage: switches.salvage,
            repair: config.limits.repair,
            retries: config.limits.retries,
            prompt_chars: Settings::default().prompt_chars,
            block_bytes: usize::try_from(config.limits.block_bytes).unwrap_or(usize::MAX),
            same_vendor_allowed: switches.same_vendor_allowed,
            seats: roster
                .casts()
                .map(|(role, cast)| {
                    let cast = Cast {
                        agent: seated(&cast.agent),
                        fallbacks: cast.fallbacks.iter().map(seated).collect(),
                    };
                    (role.to_owned(), cast)
                })
                .collect(),
            dangerous: roster
                .casts()
                .flat_map(|(_, cast)| std::iter::once(&cast.agent).chain(&cast.fallbacks))
                .flat_map(permitted)
                .collect::<BTreeSet<String>>()
                .into_iter()
                .collect(),
        }
    }

    /// Builds the debate that these rules govern.
    pub(crate) fn machine(
        &self,
        opportunities: Vec<Opportunity>,
        boundary: &str,
    ) -> Result<Machine, Error> {
        let seat = |role: Role| {
            self.seats
                .get(role.name())
                .map(|cast| cast.agent.clone())
                .ok_or_else(|| {
                    Error::new(
                        Kind::State,
                        format!("the session has no seat for the {role}"),
                    )
                    .named("damaged_session")
                })
        };
        Machine::new(Input {
            opportunities,
            max_rounds: self.max_rounds,
            settings: Settings {
                rank_stability: self.rank_stability,
                partner_agreement: self.partner_agreement,
                max_missing_share: self.max_missing_share,
                strict: self.strict,
                prompt_chars: self.prompt_chars,
                block_bytes: self.block_bytes,
            },
            boundary: boundary.to_owned(),
            seats: Seats {
                champion: seat(Role::Champion)?,
                critic: seat(Role::Critic)?,
                moderator: seat(Role::Moderator)?,
            },
            same_vendor_allowed: self.same_vendor_allowed,
        })
        .map_err(|error| {
            let (kind, code) = match &error {
                InputError::SameVendor { .. } => (Kind::Trust, "same_vendor"),
                InputError::Rounds(_)
                | InputError::TooMany(_)
                | InputError::DuplicateId(_)
                | InputError::Setting { .. } => (Kind::Usage, "input"),
            };
            Error::new(kind, error.to_string()).named(code)
        })
    }

    /// Sets one rule by name, for `sessions decide`.
    pub(crate) fn set(&mut self, assignment: &str) -> Result<(), Error> {
        let wrong = |what: String| Error::new(Kind::Usage, what).named("rule");
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| wrong(format!("`{assignment}` is no RULE=VALUE")))?;
        let share = || {
            value
                .parse::<f64>()
                .ok()
                .filter(|value| (-1.0..=1.0).contains(value))
                .ok_or_else(|| {
                    wrong(format!(
                        "`{name}` must be a number between -1 and 1, not `{value}`"
                    ))
                })
        };
        match name {
            "rank_stability" => self.rank_stability = share()?,
            "partner_agreement" => self.partner_agreement = share()?,
            "max_missing_share" => self.max_missing_share = share()?,
            "max_rounds" => {
                self.max_rounds = value
                    .parse()
                    .ok()
                    .filter(|rounds| (1..=20).contains(rounds))
                    .ok_or_else(|| wrong(format!("`max_rounds` must be 1 to 20, not `{value}`")))?;
            }
            "strict" => {
                self.strict = value
                    .parse()
                    .map_err(|_| wrong(format!("`strict` must be true or false, not `{value}`")))?;
            }
            _ => {
                return Err(wrong(format!("there is no rule `{name}`")).hint(
                    "rules are rank_stability, partner_agreement, max_missing_share, max_rounds, strict",
                ));
            }
        }
        Ok(())
    }
}

/// Reads a session's rules and opportunities from its first record.
pub(crate) fn read(opened: &Opened) -> Result<(Rules, Vec<Opportunity>), Error> {
    let damaged = |what: &str, error: serde_json::Error| {
        Error::new(Kind::State, format!("the session's {what} cannot be read"))
            .named("damaged_session")
            .because(error)
    };
    if opened.protocol != PROTOCOL {
        return Err(Error::new(
            Kind::State,
            format!(
                "session {} is a `{}`, which this version cannot read",
                opened.session, opened.protocol
            ),
        )
        .named("unknown_protocol"));
    }
    let rules = Rules::deserialize(&opened.settings).map_err(|error| damaged("settings", error))?;
    let items = Vec::deserialize(&opened.input).map_err(|error| damaged("opportunities", error))?;
    Ok((rules, items))
}

/// The protocol's name in journals and documents.
pub(crate) const PROTOCOL: &str = "backlog";
