//! Asks individual agents independent questions: about missing features of a repository, and about fixes of problems.
//!
//! An inquiry is a session like a debate: journaled, within a budget, resumable. The answers are used by
//! [`discover`](super).

use std::borrow::Cow;
use std::path::Path;

use super::keep;
use super::run::Run;
use crate::app::run::afford::Allowance;
use crate::app::run::calls::CallRules;
use crate::app::run::ending::undecided;
use crate::app::run::kind::{Parts, SessionKind, wrong_input};
use crate::app::run::panel::{self, SeatHolder};
use crate::app::run::relay::relay;
use crate::app::run::reports::Location;
use crate::app::run::roles::{self, ADVISOR, ANALYST, INQUIRY, Roles};
use crate::app::run::session_run::{RunResult, SessionRun};
use crate::app::run::workspace::Workspace;
use crate::config::Config;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Stamp, Usd};
use crate::protocol::inquiry::{self, Input, InquiryVerdict, Machine, Outcome, Question, Role};
use crate::report::document::SessionFacts;
use crate::report::inquiry::InquiryDocument;
use crate::session::Ledger;

pub(crate) struct Inquiry;

pub(super) type InquiryResult = RunResult<Inquiry>;

fn roles_of(questions: &[Question]) -> Roles {
    let asks = |role: Role| questions.iter().any(|question| question.role() == role);
    match (asks(Role::Analyst), asks(Role::Advisor)) {
        (true, false) => ANALYST,
        (false, true) => ADVISOR,
        (true, true) | (false, false) => INQUIRY,
    }
}

impl SessionKind for Inquiry {
    const NAME: &'static str = inquiry::NAME;
    const FORKS: bool = false;
    type Task = Vec<Question>;
    type Settings = ();
    type Protocol = Machine;
    type Document = InquiryDocument;

    fn skills(_: &Config, questions: &Vec<Question>, (): &()) -> Vec<Cow<'static, str>> {
        roles::skills(roles_of(questions))
    }

    fn seating(questions: &Vec<Question>, calls: &CallRules) -> Vec<SeatHolder> {
        let roles = roles_of(questions).iter();
        let plays = |seat: &str| roles.clone().find(|(name, _)| *name == seat);
        panel::recorded(calls, |seat| plays(seat).map_or("", |(_, role)| *role).into())
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Machine>, Error> {
        Machine::open(Input {
            questions: of.task.to_vec(),
            prompts: of.prompts.clone(),
            seats: of.seats,
        })
        .map_err(wrong_input)
    }

    fn document(
        _: Parts<'_, Self>,
        outcome: Outcome,
        _: &Ledger,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> InquiryDocument {
        InquiryDocument::new(outcome, stamp, about)
    }

    /// For an inquiry on its own (a resume); `discover` has its own rule.
    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        match outcome.verdict {
            InquiryVerdict::Answered => ExitStatus::Success,
            InquiryVerdict::Partial | InquiryVerdict::Undecided => {
                undecided(outcome, signal, spent)
            }
        }
    }

    /// What the source system assumed.
    fn first_reserve(seat: &str) -> Usd {
        Usd::from_micros(if seat == Role::Analyst.name() { 250_000 } else { 50_000 })
    }

    fn bounds(questions: &Vec<Question>, (): &()) -> (u32, u32) {
        (1, u32::try_from(questions.len()).unwrap_or(u32::MAX))
    }

    /// From the outcome, which knows what was answered.
    fn open_turns(outcome: &Outcome, _: Vec<String>) -> Vec<String> {
        let failed = outcome.result.failures.iter().map(|(turn, _)| turn);
        outcome.result.open.iter().chain(failed).map(ToString::to_string).collect()
    }

    fn report(_: &InquiryDocument, _: Option<&Path>, _: &Path) -> Option<Location> {
        None
    }

    async fn write_back(
        workspace: &Workspace,
        outcome: &Outcome,
        document: &mut InquiryDocument,
    ) -> Result<(), Error> {
        keep::keep_answers(workspace, outcome, document.header.rehearsal).await
    }
}

/// Asks these questions in a session of their own.
///
/// # Errors
/// Trust, agents, state. A failed question is not an error but part of the outcome.
pub(super) async fn ask(
    of: &Run<'_>,
    questions: Vec<Question>,
    title: String,
    left: Allowance,
) -> Result<InquiryResult, Error> {
    let options = &of.request.options;
    let (seating, notes) = panel::of_roles(of.workspace, options, roles_of(&questions))?;
    let mut run = SessionRun::<Inquiry>::new(of.workspace, options, &seating, questions, ())?;
    run.setup.switch = Some(of.switch);
    run.left = Some(left);
    run.notes = notes.iter().map(warning).collect();
    run.start(|_| title, options, relay(of.bus)).await
}
