//! Asks single agents independent questions: the features that a repository lacks, the fixes of problems.
//!
//! An inquiry is a session like a debate: journaled, inside a budget, resumable. What is done
//! with the answers is [`super::discover`]'s matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::afford::{self, Left};
use super::calls::CallRules;
use super::circumstances::circumstances;
use super::panel::cast;
use super::replay::Replayed;
use super::roles::{ADVISOR, ANALYST, INQUIRY, Roles};
use super::setup::Setup;
use super::workspace::Workspace;
use super::{drive, replay, standing};
use crate::agent::roster::Roster;
use crate::app::ending::{Finished, failure_status};
use crate::app::options::RunOptions;
use crate::app::standing::spent;
use crate::engine::events::Reporter;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, store_error};
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Seated, Stamp, Usd};
use crate::protocol::inquiry::{
    Input, InquiryOutcome, Machine, Outcome, Question, Role, Seats, Settings,
};
use crate::report::inquiry::InquiryDocument;
use crate::report::session_result::SessionResult;
use crate::session::record::Opened;
use crate::session::{Ledger, Session, State, Stored};
use crate::skill::SkillSet;

/// The protocol's name in journals and documents.
pub(crate) const PROTOCOL: &str = "inquiry";

/// The rules of an inquiry, as they stood when it was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rules {
    #[serde(flatten)]
    pub(crate) calls: CallRules,
    prompt_chars: usize,
    block_bytes: usize,
}

/// What came of an inquiry: its result, and its answers.
pub(crate) struct Asked {
    pub(crate) finished: Finished<InquiryDocument>,
    pub(crate) outcome: Outcome,
}

/// An inquiry that is ready to run.
pub(crate) struct Inquiry<'a> {
    pub(crate) setup: Setup<'a>,
    rules: Rules,
    questions: Vec<Question>,
}

/// The roles that these questions are for.
pub(crate) fn roles(questions: &[Question]) -> Roles {
    let asks = |role: Role| questions.iter().any(|question| question.role() == role);
    match (asks(Role::Analyst), asks(Role::Advisor)) {
        (true, false) => ANALYST,
        (false, true) => ADVISOR,
        (true, true) | (false, false) => INQUIRY,
    }
}

impl Rules {
    fn machine(&self, questions: Vec<Question>, boundary: &str) -> Result<Driver<Machine>, Error> {
        let seat = |role: Role| self.calls.seats.get(role.name()).map(|cast| cast.agent.clone());
        // A role that no question is for has no agent, and no seat in the result.
        let nobody =
            || Seated { agent: String::new(), vendor: String::new(), fell_back_from: None };
        Machine::open(Input {
            questions,
            settings: Settings {
                strict: self.calls.strict,
                block_bytes: self.block_bytes,
                prompt_chars: self.prompt_chars,
            },
            boundary: boundary.to_owned(),
            seats: Seats {
                analyst: seat(Role::Analyst).unwrap_or_else(nobody),
                advisor: seat(Role::Advisor).unwrap_or_else(nobody),
            },
        })
        .map_err(|error| Error::new(Kind::Usage, error.to_string()).named("input"))
    }
}

impl<'a> Inquiry<'a> {
    fn new(
        workspace: &'a Workspace,
        (skills, roster): (SkillSet, Roster),
        rules: Rules,
        questions: Vec<Question>,
        options: &RunOptions,
        accept_drift: bool,
    ) -> Self {
        let first = workspace.effective.config.discovery.first_reserve_usd;
        let asked = u32::try_from(questions.len()).unwrap_or(u32::MAX);
        Self {
            setup: Setup {
                workspace,
                protocol: PROTOCOL,
                roster,
                skills,
                calls: rules.calls.clone(),
                max_rounds: 1,
                first_reserve: BTreeMap::from([
                    (Role::Analyst.name().to_owned(), first.analyst),
                    (Role::Advisor.name().to_owned(), first.advisor),
                ]),
                most_calls: asked.saturating_mul(rules.calls.most_calls()),
                round_timeout: None,
                switch: None,
                watch: None,
                on_ambiguous: options.on_ambiguous,
                sending: options.sending,
                accept_drift,
            },
            rules,
            questions,
        }
    }

    /// Makes a stored inquiry ready to go on.
    pub(crate) fn again(
        workspace: &'a Workspace,
        opened: &Opened,
        options: &RunOptions,
        accept_drift: bool,
    ) -> Result<(Self, Driver<Machine>), Error> {
        let (rules, questions): (Rules, Vec<Question>) = replay::recorded(opened, "questions")?;
        let machine = rules.machine(questions.clone(), &opened.boundary)?;
        let panel = cast(workspace, options, roles(&questions))?;
        let inquiry = Self::new(workspace, panel, rules, questions, options, accept_drift);
        Ok((inquiry, machine))
    }

    /// Runs the session to its end, or to where something stops it.
    pub(crate) async fn run(
        &self,
        session: Session,
        machine: Driver<Machine>,
        resumed: bool,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<Asked, Error> {
        let driven = drive::drive(&self.setup, session, machine, resumed, reporters).await?;
        let (mut document, status) = {
            let session = driven.session.borrow();
            let document = document(session.ledger(), &self.rules, &driven.outcome);
            if let Ok(value) = serde_json::to_value(&document) {
                // The journal holds everything; a snapshot that could not be written loses nothing.
                session.write_snapshot(&value).ok();
            }
            let spent = spent(session.ledger());
            let status = status(&driven.outcome, driven.signal, spent);
            (document, status)
        };
        document.header.sinks = driven.deliver(&self.setup, shown).await;
        Ok(Asked { finished: Finished { document, status }, outcome: driven.outcome })
    }
}

/// Asks these questions in a session of their own.
///
/// # Errors
/// Trust, agents, state. A question that failed is no error but a part of the outcome.
pub(crate) async fn ask(
    workspace: &Workspace,
    options: &RunOptions,
    questions: Vec<Question>,
    title: String,
    left: Left,
    switch: &Switch,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<Asked, Error> {
    let config = &workspace.effective.config;
    let panel = cast(workspace, options, roles(&questions))?;
    let rules = Rules {
        calls: CallRules::new(config, options.strict, options.salvage, &panel.1),
        prompt_chars: Settings::default().prompt_chars,
        block_bytes: usize::try_from(config.limits.block_bytes).unwrap_or(usize::MAX),
    };
    let boundary = workspace.env().token();
    let machine = rules.machine(questions.clone(), &boundary)?;
    let mut inquiry = Inquiry::new(workspace, panel, rules, questions, options, false);
    inquiry.setup.switch = Some(switch);
    let opened = drive::opened(
        &inquiry.setup,
        title,
        &inquiry.questions,
        &inquiry.rules,
        boundary,
        left.budget(),
        options.rehearse,
    )?;
    afford::before_first(&inquiry.setup, &machine, left).await?;
    let session = workspace.store(options.no_lock).create(opened).map_err(store_error)?;
    inquiry.run(session, machine, false, reporters).await
}

/// Replays a stored inquiry: its result as it stands, its answers, and the turns that are still open.
pub(crate) async fn replayed(
    stored: &Stored,
    opened: &Opened,
) -> Result<(InquiryDocument, Outcome, Vec<String>), Error> {
    let (rules, questions): (Rules, Vec<Question>) = replay::recorded(opened, "questions")?;
    let machine = rules.machine(questions, &opened.boundary)?;
    // What it lists as open is of the outcome itself, which knows what was answered.
    let Replayed { outcome, .. } = replay::stored(stored, &rules.calls, machine).await?;
    let closed = matches!(stored.ledger.state(), State::Closed { .. });
    let open = if closed {
        Vec::new()
    } else {
        let failed = outcome.failures.iter().map(|(turn, _)| turn);
        outcome.open.iter().chain(failed).map(ToString::to_string).collect()
    };
    Ok((document(&stored.ledger, &rules, &outcome), outcome, open))
}

/// Shows a stored session as its result.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) async fn shown(stored: &Stored, opened: &Opened) -> Result<SessionResult, Error> {
    let (mut document, _, _) = replayed(stored, opened).await?;
    document.header.warnings.extend(stored.notes.iter().map(warning));
    Ok(SessionResult::from(document))
}

fn document(ledger: &Ledger, rules: &Rules, outcome: &Outcome) -> InquiryDocument {
    let outcome = standing::attended(ledger, outcome.clone());
    let (started_at, last_at) = ledger.times().unwrap_or_default();
    let stamp = Stamp {
        session_id: (ledger.opened()).map(|opened| opened.session.clone()).unwrap_or_default(),
        started_at,
        completed_at: standing::is_over(ledger, &outcome).then_some(last_at),
        budget: ledger.budget().unwrap_or_default(),
        cost: ledger.spent(),
    };
    let about = circumstances(ledger, &rules.calls.dangerous);
    InquiryDocument::new(outcome, &stamp, about)
}

/// Says how the program ends after an inquiry of its own (a resume; `discover` has its own rule).
pub(crate) fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
    match (outcome.outcome, signal) {
        (InquiryOutcome::Answered, _) => ExitStatus::Success,
        (InquiryOutcome::Interrupted, Some(signal)) => ExitStatus::from_signal(signal),
        (InquiryOutcome::AgentFailure, _) => (outcome.failures.first())
            .map_or(ExitStatus::Undecided, |(_, failure)| failure_status(failure, spent)),
        (
            InquiryOutcome::Partial
            | InquiryOutcome::Budget
            | InquiryOutcome::Interrupted
            | InquiryOutcome::Running
            | InquiryOutcome::Terminated,
            _,
        ) => ExitStatus::Undecided,
    }
}
