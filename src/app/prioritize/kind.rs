//! The partner debate as a kind of session.

use std::borrow::Cow;
use std::path::Path;

use chrono::NaiveDate;

use crate::app::backlog::keep_ranks;
use crate::app::run::assign::assign;
use crate::app::run::calls::CallRules;
use crate::app::run::ending::undecided;
use crate::app::run::kind::{Parts, Rules, SessionKind, wrong_input};
use crate::app::run::panel::{SeatHolder, recorded};
use crate::app::run::reports::Location;
use crate::app::run::roles::{self, DEBATE};
use crate::app::run::workspace::Workspace;
use crate::config::Config;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::kernel::{Driver, Ended, Halt, Stamp, Usd};
use crate::protocol::backlog::model::{BacklogOutcome, Opportunity};
use crate::protocol::backlog::{self, Input, Machine, Outcome, Settings, result};
use crate::protocol::opening::Opening;
use crate::report::document::{PrioritizeDocument, SessionFacts};
use crate::session::Ledger;

/// The partner debate as a kind of session.
pub(crate) struct Prioritize;

/// Returns the rules of a new partner debate.
pub(super) fn settings(config: &Config, today: NaiveDate) -> Settings {
    Settings {
        max_rounds: config.backlog.max_rounds,
        rank_stability: config.backlog.rank_stability,
        partner_agreement: config.backlog.partner_agreement,
        opening: config.backlog.opening,
        today: Some(today),
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
    type Task = Vec<Opportunity>;
    type Settings = Settings;
    type Protocol = Machine;
    type Document = PrioritizeDocument;

    fn skills(_: &Config, _: &Vec<Opportunity>, _: &Settings) -> Vec<Cow<'static, str>> {
        roles::skills(DEBATE)
    }

    fn seating(_: &Vec<Opportunity>, calls: &CallRules) -> Vec<SeatHolder> {
        let plays = |seat: &str| DEBATE.iter().find(|(name, _)| *name == seat);
        recorded(calls, |seat| plays(seat).map_or("", |(_, role)| *role).into())
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Machine>, Error> {
        Machine::open(Input {
            opportunities: of.task.to_vec(),
            settings: of.rules.protocol.clone(),
            prompts: of.prompts.clone(),
            seats: of.seats,
        })
        .map_err(wrong_input)
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
            of.task.to_vec()
        } else {
            ranked.into_iter().map(|ranked| ranked.opportunity).collect()
        };
        about.warnings.splice(..0, outcome.warnings);
        let mut document = PrioritizeDocument::new(session, ranked, about);
        // The seats name the configured agents; only the protocol knows the stand-ins.
        document.settle(outcome.quorum.vendors);
        document
    }

    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        match outcome.outcome {
            Ended::Closed(BacklogOutcome::Consensus | BacklogOutcome::NothingToRank) => {
                ExitStatus::Success
            }
            Ended::Closed(
                BacklogOutcome::OneVendor
                | BacklogOutcome::ModeratorStop
                | BacklogOutcome::MaxRounds,
            ) => ExitStatus::Negative,
            // The ranks of the last complete round were applied.
            Ended::Stopped(Halt::Budget) if !outcome.result.rounds.is_empty() => {
                ExitStatus::Negative
            }
            _ => undecided(outcome, signal, spent),
        }
    }

    fn first_reserve(seat: &str) -> Usd {
        Usd::from_micros(if seat == "critic" { 100_000 } else { 150_000 })
    }

    fn bounds(_: &Vec<Opportunity>, settings: &Settings) -> (u32, u32) {
        (settings.max_rounds, settings.max_rounds + again(settings))
    }

    fn most_turns(_: &Vec<Opportunity>, settings: &Settings, seats: u32) -> u32 {
        settings.max_rounds.saturating_mul(seats).saturating_add(again(settings))
    }

    fn set(rules: &mut Rules<Settings>, key: &str, config: &Config) -> Result<(), Error> {
        let fresh = settings(config, NaiveDate::default());
        let known = ["backlog.rank_stability", "backlog.partner_agreement", "backlog.max_rounds"];
        assign(&mut rules.protocol, &fresh, key, &known)
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
