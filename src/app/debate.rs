//! Runs a stored partner debate, from its first call or from where an earlier run stopped.

use std::collections::BTreeMap;

use super::circumstances::circumstances;
use super::replay::Replayed;
use super::rules::{self, PROTOCOL, Rules};
use super::setup::Setup;
use super::workspace::Workspace;
use super::{drive, replay, standing};
use crate::agent::roster::Roster;
use crate::app::ending::Finished;
use crate::app::ending::failure_status;
use crate::app::standing::spent;
use crate::engine::events::Reporter;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Stamp, Usd};
use crate::protocol::backlog::model::{BacklogOutcome, Opportunity};
use crate::protocol::backlog::{Machine, Outcome, result};
use crate::report::document::PrioritizeDocument;
use crate::report::session_result::SessionResult;
use crate::session::record::Opened;
use crate::session::{Ledger, Session, Stored};
use crate::skill::SkillSet;

use crate::app::options::RunOptions;

/// A partner debate that is ready to run.
pub(crate) struct Debate<'a> {
    pub(crate) setup: Setup<'a>,
    pub(crate) rules: Rules,
    pub(crate) opportunities: Vec<Opportunity>,
}

impl<'a> Debate<'a> {
    /// Makes the debate ready: its rules are given, so that a resume goes on under its own.
    pub(crate) fn new(
        workspace: &'a Workspace,
        (skills, roster): (SkillSet, Roster),
        rules: Rules,
        opportunities: Vec<Opportunity>,
        options: &RunOptions,
        accept_drift: bool,
    ) -> Self {
        let first = workspace.effective.config.backlog.first_reserve_usd;
        Self {
            setup: Setup {
                workspace,
                protocol: PROTOCOL,
                roster,
                skills,
                calls: rules.calls.clone(),
                max_rounds: rules.max_rounds,
                first_reserve: BTreeMap::from([
                    ("champion".to_owned(), first.champion),
                    ("critic".to_owned(), first.critic),
                    ("moderator".to_owned(), first.moderator),
                ]),
                most_calls: rules.max_rounds.saturating_mul(rules.calls.most_calls()),
                round_timeout: None,
                switch: None,
                watch: None,
                on_ambiguous: options.on_ambiguous,
                sending: options.sending,
                accept_drift,
            },
            rules,
            opportunities,
        }
    }

    /// Runs the session to its end, or to where something stops it.
    pub(crate) async fn run(
        &self,
        session: Session,
        machine: Driver<Machine>,
        resumed: bool,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<Finished, Error> {
        let driven = drive::drive(&self.setup, session, machine, resumed, reporters).await?;
        let (mut document, status) = {
            let outcome = &driven.outcome;
            let session = driven.session.borrow();
            let document = document(session.ledger(), &self.rules, &self.opportunities, outcome);
            if let Ok(value) = serde_json::to_value(&document.session) {
                // The journal holds everything; a snapshot that could not be written loses nothing.
                session.write_snapshot(&value).ok();
            }
            let status = status(outcome, driven.signal, spent(session.ledger()));
            (document, status)
        };
        let show = async |stored: &Stored, _: &Opened| shown(stored).await;
        document.header.sinks = driven.deliver(&self.setup, show).await;
        Ok(Finished { document, status })
    }
}

/// Says how the program ends after an outcome.
pub(crate) fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
    if outcome.outcome == BacklogOutcome::AgentFailure
        && let Some(failure) = &outcome.failure
    {
        return failure_status(failure, spent);
    }
    ExitStatus::of_backlog(outcome.outcome, !outcome.rounds.is_empty(), signal)
}

/// Makes the result document of a session as its ledger shows it.
pub(crate) fn document(
    ledger: &Ledger,
    rules: &Rules,
    opportunities: &[Opportunity],
    outcome: &Outcome,
) -> PrioritizeDocument {
    let outcome = &standing::attended(ledger, outcome.clone());
    let opened = ledger.opened();
    let (started_at, last_at) = ledger.times().unwrap_or_default();
    let stamp = Stamp {
        session_id: opened.map(|opened| opened.session.clone()).unwrap_or_default(),
        started_at,
        completed_at: standing::is_over(ledger, outcome).then_some(last_at),
        budget: ledger.budget().unwrap_or_default(),
        cost: ledger.spent(),
    };
    let session = result::session(outcome, opportunities, rules.max_rounds, &stamp);
    let ranked = result::ranked(outcome, opportunities, &stamp.session_id);
    let ranked: Vec<Opportunity> = if ranked.is_empty() {
        opportunities.to_vec()
    } else {
        ranked.into_iter().map(|ranked| ranked.opportunity).collect()
    };
    let mut about = circumstances(ledger, &rules.calls.dangerous);
    about.warnings.splice(..0, outcome.warnings.clone());
    let mut document = PrioritizeDocument::new(session, ranked, about);
    // The seats name the configured agents; who stepped in for them, the protocol knows.
    document.header.quorum.vendors = u32::try_from(outcome.quorum.vendors).unwrap_or(u32::MAX);
    document
}

/// Reads a session's rules and builds its debate again.
pub(crate) fn rebuild(
    ledger: &Ledger,
) -> Result<(Rules, Vec<Opportunity>, Driver<Machine>), Error> {
    let opened = ledger.opened().ok_or_else(|| {
        Error::new(Kind::State, "the session's journal holds no first record")
            .named("damaged_session")
            .hint("it was cut off before anything was asked: start again")
    })?;
    let (rules, opportunities) = rules::read(opened)?;
    let machine = rules.machine(opportunities.clone(), &opened.boundary)?;
    Ok((rules, opportunities, machine))
}

/// Replays a stored session as far as its journal goes.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) async fn replayed(
    stored: &Stored,
) -> Result<(Rules, Vec<Opportunity>, Replayed<Outcome>), Error> {
    let (rules, opportunities, machine) = rebuild(&stored.ledger)?;
    let replayed = replay::stored(stored, &rules.calls, machine).await?;
    Ok((rules, opportunities, replayed))
}

/// Shows a stored session as its result.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) async fn shown(stored: &Stored) -> Result<SessionResult, Error> {
    let (rules, opportunities, replayed) = replayed(stored).await?;
    let mut document = document(&stored.ledger, &rules, &opportunities, &replayed.outcome);
    document.header.warnings.extend(stored.notes.iter().map(warning));
    Ok(SessionResult::from(document))
}
