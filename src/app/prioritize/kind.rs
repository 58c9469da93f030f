//! The partner debate as a kind of session.

use std::borrow::Cow;
use std::path::Path;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::backlog::keep_ranks;
use crate::app::run::assign::{number, unknown_rule, wrong};
use crate::app::run::calls::CallRules;
use crate::app::run::ending::failure_status;
use crate::app::run::kind::{Parts, Rules, RulesForm, SessionKind};
use crate::app::run::panel::Participants;
use crate::app::run::reports::Location;
use crate::app::run::roles::{self, DEBATE};
use crate::app::run::third_vendor;
use crate::app::run::workspace::Workspace;
use crate::config::Config;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::{Driver, Stamp, Usd};
use crate::protocol::backlog::model::{BacklogOutcome, Opportunity};
use crate::protocol::backlog::{self, Input, InputError, Machine, Outcome, Role, Seats, result};
use crate::protocol::opening::Opening;
use crate::report::document::{PrioritizeDocument, SessionFacts};
use crate::session::Ledger;

/// The partner debate as a kind of session.
pub(crate) struct Prioritize;

/// The settings of a partner debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) max_rounds: u32,
    pub(crate) rank_stability: f64,
    pub(crate) partner_agreement: f64,
    pub(crate) max_missing_share: f64,
    pub(crate) prompt_chars: usize,
    #[serde(default = "block_bytes")]
    pub(crate) block_bytes: usize,
    pub(crate) same_vendor_allowed: bool,
    /// Sessions opened before this setting existed opened one after the other.
    #[serde(default)]
    pub(crate) opening: Opening,
    /// In sessions opened before this setting existed, answers gave no reasons.
    #[serde(default)]
    pub(crate) reasons: bool,
    /// Whether the moderator was to be of a third vendor (`roles.backlog-moderator.agent` is `auto`).
    #[serde(default)]
    pub(crate) third_vendor: bool,
    /// The date on which the session was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) today: Option<NaiveDate>,
}

/// Returns the value for sessions opened before this setting existed.
fn block_bytes() -> usize {
    backlog::Settings::default().block_bytes
}

impl Settings {
    /// Takes the settings from the configuration.
    pub(crate) fn new(config: &Config, same_vendor_allowed: bool, today: NaiveDate) -> Self {
        Self {
            max_rounds: config.backlog.max_rounds,
            rank_stability: config.backlog.rank_stability,
            partner_agreement: config.backlog.partner_agreement,
            max_missing_share: config.backlog.max_missing_share,
            prompt_chars: backlog::Settings::default().prompt_chars,
            block_bytes: usize::try_from(config.limits.block_bytes).unwrap_or(usize::MAX),
            same_vendor_allowed,
            opening: config.backlog.opening,
            reasons: true,
            third_vendor: third_vendor::is_wanted(config),
            today: Some(today),
        }
    }
}

/// Returns how often the critic may be asked once more: after a blind opening, if a stand-in of one vendor answered for
/// both partners.
const fn again(settings: &Settings) -> u32 {
    match settings.opening {
        Opening::Sequential => 0,
        Opening::Blind => 1,
    }
}

impl SessionKind for Prioritize {
    const NAME: &'static str = backlog::NAME;
    const FORKS: bool = false;
    const RULES: RulesForm = RulesForm::Beside(4);
    type Task = Vec<Opportunity>;
    type Settings = Settings;
    type Protocol = Machine;
    type Document = PrioritizeDocument;

    fn skills(_: &Config, _: &Vec<Opportunity>, _: &Settings) -> Vec<Cow<'static, str>> {
        roles::skills(DEBATE)
    }

    fn seating(_: &Vec<Opportunity>, _: &CallRules) -> Participants {
        Participants::Roles(DEBATE)
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Machine>, Error> {
        let seat = |role: Role| {
            of.seats.get(role.name()).cloned().ok_or_else(|| {
                Error::new(Kind::State, format!("the session has no seat for the {role}"))
                    .named("damaged_session")
            })
        };
        let rules = &of.rules.protocol;
        Machine::open(Input {
            opportunities: of.task.clone(),
            max_rounds: rules.max_rounds,
            settings: backlog::Settings {
                rank_stability: rules.rank_stability,
                partner_agreement: rules.partner_agreement,
                max_missing_share: rules.max_missing_share,
                strict: of.rules.calls.strict,
                prompt_chars: rules.prompt_chars,
                block_bytes: rules.block_bytes,
                opening: rules.opening,
                reasons: rules.reasons,
                third_vendor: rules.third_vendor,
                today: rules.today,
            },
            boundary: of.boundary.to_owned(),
            seats: Seats {
                champion: seat(Role::Champion)?,
                critic: seat(Role::Critic)?,
                moderator: seat(Role::Moderator)?,
            },
            same_vendor_allowed: rules.same_vendor_allowed,
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

    fn document(
        of: Parts<'_, Self>,
        outcome: Outcome,
        _: &Ledger,
        stamp: &Stamp,
        mut about: SessionFacts,
    ) -> PrioritizeDocument {
        let session = result::session(&outcome, of.task, of.rules.protocol.max_rounds, stamp);
        let ranked = result::ranked(&outcome, of.task, &stamp.session_id);
        let ranked: Vec<Opportunity> = if ranked.is_empty() {
            of.task.clone()
        } else {
            ranked.into_iter().map(|ranked| ranked.opportunity).collect()
        };
        about.warnings.splice(..0, outcome.warnings);
        let mut document = PrioritizeDocument::new(session, ranked, about);
        // The seats name the configured agents; only the protocol knows the stand-ins.
        document.header.quorum.vendors = u32::try_from(outcome.quorum.vendors).unwrap_or(u32::MAX);
        document
    }

    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        if outcome.outcome == BacklogOutcome::AgentFailure
            && let Some(failure) = &outcome.failure
        {
            return failure_status(failure, spent);
        }
        ExitStatus::of_backlog(outcome.outcome, !outcome.rounds.is_empty(), signal)
    }

    fn first_reserve(config: &Config, seat: &str) -> Usd {
        let first = config.backlog.first_reserve_usd;
        match seat {
            "champion" => first.champion,
            "critic" => first.critic,
            _ => first.moderator,
        }
    }

    fn bounds(_: &Vec<Opportunity>, settings: &Settings) -> (u32, u32) {
        (settings.max_rounds, settings.max_rounds + again(settings))
    }

    fn most_turns(_: &Vec<Opportunity>, settings: &Settings, seats: u32) -> u32 {
        settings.max_rounds.saturating_mul(seats).saturating_add(again(settings))
    }

    fn set(rules: &mut Rules<Settings>, name: &str, value: &str) -> Result<(), Error> {
        let share = || {
            value.parse::<f64>().ok().filter(|value| (-1.0..=1.0).contains(value)).ok_or_else(
                || wrong(format!("`{name}` must be a number between -1 and 1, not `{value}`")),
            )
        };
        match name {
            "rank_stability" => rules.protocol.rank_stability = share()?,
            "partner_agreement" => rules.protocol.partner_agreement = share()?,
            "max_missing_share" => rules.protocol.max_missing_share = share()?,
            "max_rounds" => {
                rules.protocol.max_rounds = number(name, value, &(1..=20))?;
            }
            "strict" => {
                rules.calls.strict = value
                    .parse()
                    .map_err(|_| wrong(format!("`strict` must be true or false, not `{value}`")))?;
            }
            _ => {
                return Err(unknown_rule(
                    name,
                    &[
                        "rank_stability",
                        "partner_agreement",
                        "max_missing_share",
                        "max_rounds",
                        "strict",
                    ],
                ));
            }
        }
        Ok(())
    }

    fn snapshot(document: &PrioritizeDocument) -> serde_json::Result<Value> {
        serde_json::to_value(&document.session)
    }

    fn report(_: &PrioritizeDocument, _: Option<&Path>, _: &Path) -> Option<Location> {
        None
    }

    async fn write_back(
        workspace: &Workspace,
        _: &Outcome,
        document: &mut PrioritizeDocument,
    ) -> Result<(), Error> {
        keep_ranks(workspace, document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session that was opened before these settings existed is judged as it was then.
    #[test]
    fn older_sessions_keep_their_rules() {
        let new = Settings::new(&Config::default(), false, NaiveDate::default());
        assert!(new.reasons && new.today.is_some());
        let mut stored = serde_json::to_value(new).unwrap();
        for name in ["opening", "reasons", "third_vendor", "today"] {
            stored.as_object_mut().unwrap().remove(name);
        }
        let old: Settings = serde_json::from_value(stored).unwrap();
        assert_eq!((old.opening, old.reasons), (Opening::Sequential, false));
        assert_eq!((old.third_vendor, old.today), (false, None));
    }
}
