//! One run of `discover`: what was asked for, its events, and how its parts become the result.

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
use crate::kernel::{Fact, Usd};
use crate::report::discovery::{AgentReport, DiscoveryDocument, glance};
use crate::report::inquiry::InquiryDocument;
use crate::text::Note;

/// What is to be discovered, and how far to go.
#[derive(Debug, Clone)]
pub struct Request {
    /// The agents that look.
    pub agents: BTreeSet<AgentName>,
    /// Ask for a suggested fix of each item.
    pub deep: bool,
    /// Hold no debate, however much was found.
    pub no_debate: bool,
    /// Most items to keep.
    pub max: Option<u32>,
    /// Most rounds of the debate.
    pub max_rounds: Option<u32>,
    /// The rest.
    pub options: RunOptions,
}

/// One run of `discover`.
pub(super) struct Run<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) request: &'a Request,
    pub(super) bus: &'a Rc<Bus>,
    pub(super) switch: &'a Switch,
}

/// What is left of the budget.
pub(super) fn left(workspace: &Workspace, spent: Usd) -> Allowance {
    let of = workspace.effective.config.limits.budget_usd;
    Allowance { of, spent }
}

/// Whether an error is one part's own: the others go on, and the result tells it.
pub(super) fn is_of_one_part(error: &Error) -> bool {
    let of_kind = matches!(error.kind, Kind::Environment | Kind::Config | Kind::Trust);
    of_kind || error.code == "budget"
}

impl Run<'_> {
    /// Tells what one agent did.
    pub(super) fn report_agent(&self, report: &AgentReport) {
        let failed = report.status == AgentStatus::Failed;
        self.bus.emit(EventKind::Found(Fact {
            code: "looked".to_owned(),
            turn: None,
            message: glance(report),
            data: serde_json::to_value(report).unwrap_or_default(),
            warning: failed,
        }));
    }
}

/// Adds what an inquiry cost and warned of.
pub(super) fn charge(document: &mut DiscoveryDocument, asked: &InquiryDocument) {
    let header = &asked.header;
    document.charge(&header.cost);
    document.used(&header.skills);
    document.seats.extend(header.seats.iter().cloned());
    document.warnings.extend(header.warnings.iter().cloned());
}

/// What one agent did, as results and events show it.
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

pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn note(code: &str, message: impl Into<String>) -> Note {
    Note::new(code, message)
}
