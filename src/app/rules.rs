//! The rules of one stored partner debate: what its first record holds and every replay needs.

use serde::{Deserialize, Serialize};

use super::calls::CallRules;
use crate::agent::roster::Roster;
use crate::app::replay;
use crate::config::Config;
use crate::error::{Error, Kind};
use crate::kernel::Driver;
use crate::protocol::backlog::model::Opportunity;
use crate::protocol::backlog::{Input, InputError, Machine, Role, Seats, Settings};
use crate::session::record::Opened;

/// The rules of a session, as they stood when it was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rules {
    pub(crate) max_rounds: u32,
    pub(crate) rank_stability: f64,
    pub(crate) partner_agreement: f64,
    pub(crate) max_missing_share: f64,
    #[serde(flatten)]
    pub(crate) calls: CallRules,
    pub(crate) prompt_chars: usize,
    #[serde(default = "block_bytes")]
    pub(crate) block_bytes: usize,
    pub(crate) same_vendor_allowed: bool,
}

/// What sessions had that were opened before this was a rule.
fn block_bytes() -> usize {
    Settings::default().block_bytes
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
        Self {
            max_rounds: config.backlog.max_rounds,
            rank_stability: config.backlog.rank_stability,
            partner_agreement: config.backlog.partner_agreement,
            max_missing_share: config.backlog.max_missing_share,
            calls: CallRules::new(config, switches.strict, switches.salvage, roster),
            prompt_chars: Settings::default().prompt_chars,
            block_bytes: usize::try_from(config.limits.block_bytes).unwrap_or(usize::MAX),
            same_vendor_allowed: switches.same_vendor_allowed,
        }
    }

    /// Builds the debate that these rules govern.
    pub(crate) fn machine(
        &self,
        opportunities: Vec<Opportunity>,
        boundary: &str,
    ) -> Result<Driver<Machine>, Error> {
        let seat = |role: Role| {
            (self.calls.seats).get(role.name()).map(|cast| cast.agent.clone()).ok_or_else(|| {
                Error::new(Kind::State, format!("the session has no seat for the {role}"))
                    .named("damaged_session")
            })
        };
        Machine::open(Input {
            opportunities,
            max_rounds: self.max_rounds,
            settings: Settings {
                rank_stability: self.rank_stability,
                partner_agreement: self.partner_agreement,
                max_missing_share: self.max_missing_share,
                strict: self.calls.strict,
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
            value.parse::<f64>().ok().filter(|value| (-1.0..=1.0).contains(value)).ok_or_else(
                || wrong(format!("`{name}` must be a number between -1 and 1, not `{value}`")),
            )
        };
        match name {
            "rank_stability" => self.rank_stability = share()?,
            "partner_agreement" => self.partner_agreement = share()?,
            "max_missing_share" => self.max_missing_share = share()?,
            "max_rounds" => {
                self.max_rounds =
                    value.parse().ok().filter(|rounds| (1..=20).contains(rounds)).ok_or_else(
                        || wrong(format!("`max_rounds` must be 1 to 20, not `{value}`")),
                    )?;
            }
            "strict" => {
                self.calls.strict = value
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
    replay::recorded(opened, "opportunities")
}

/// The protocol's name in journals and documents.
pub(crate) const PROTOCOL: &str = "backlog";
