//! One run of `discover`: its request, its events, and how its parts are combined into the result.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::app::run::afford::Allowance;
use crate::app::run::options::RunOptions;
use crate::app::run::workspace::Workspace;
use crate::discovery::finding::{AgentName, AgentRun, AgentStatus};
use crate::engine::bus::Bus;
use crate::engine::events::EventKind;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::kernel::{Fact, Usd, count};
use crate::protocol::opening::Opening;
use crate::report::discovery::{AgentReport, DiscoveryDocument, glance};
use crate::report::inquiry::InquiryDocument;
use crate::text::Note;

/// The request: which agents to run, and how far to go.
#[derive(Debug, Clone)]
pub struct Request {
    /// The discovery agents to run.
    pub agents: BTreeSet<AgentName>,
    /// Whether to ask for a suggested fix for each item.
    pub deep: bool,
    /// Whether to hold no debate, however much is found.
    pub no_debate: bool,
    /// Maximum items to keep.
    pub max: Option<u32>,
    /// Maximum rounds of the debate.
    pub max_rounds: Option<u32>,
    /// Whether champion and critic see each other in round 1.
    pub opening: Option<Opening>,
    /// Options common to all runs.
    pub options: RunOptions,
}

/// The state of one run of `discover`.
pub(super) struct Run<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) request: &'a Request,
    pub(super) bus: &'a Rc<Bus>,
    pub(super) switch: &'a Switch,
}

pub(super) fn left(workspace: &Workspace, spent: Usd) -> Allowance {
    let of = workspace.effective.config.limits.budget_usd;
    Allowance { of, spent }
}

/// Separates an error that concerns one part alone: the others continue, and the result reports it.
pub(super) fn of_one_part<T>(result: Result<T, Error>) -> Result<Result<T, Error>, Error> {
    let of_kind =
        |error: &Error| matches!(error.kind, Kind::Environment | Kind::Config | Kind::Trust);
    match result {
        Err(error) if !of_kind(&error) && error.code != "budget" => Err(error),
        part => Ok(part),
    }
}

impl Run<'_> {
    pub(super) fn report_agent(&self, report: &AgentReport) {
        let failed = report.status == AgentStatus::Failed;
        let data = serde_json::to_value(report).unwrap_or_default();
        let looked = Fact::new("looked", None, glance(report), data);
        self.bus.emit(EventKind::Found(Fact { warning: failed, ..looked }));
    }
}

/// Adds the cost and the warnings of an inquiry.
pub(super) fn charge(document: &mut DiscoveryDocument, asked: &InquiryDocument) {
    let header = &asked.header;
    document.charge(&header.cost);
    document.used(&header.skills);
    document.seats.extend(header.seats.iter().cloned());
    document.warnings.extend(header.warnings.iter().cloned());
}

pub(super) fn agent_report(run: &AgentRun) -> AgentReport {
    AgentReport {
        name: run.agent,
        status: run.status,
        found: count(run.findings.len()),
        read: run.read.clone(),
        skipped: run.skipped.clone(),
        error: run.error.clone(),
        session_id: None,
    }
}

pub(super) fn note(code: &str, message: impl Into<String>) -> Note {
    Note::new(code, message)
}
