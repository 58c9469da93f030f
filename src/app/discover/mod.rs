//! `discover`: runs the discovery agents, stores their findings, and passes them to the partner debate.
//!
//! # Theory of operation
//!
//! ```text
//!   test-failures  stalled-work  code-quality     feature-opportunities (an inquiry)
//!          \_____________|_____________\____________________/
//!                        | findings, and how far each agent looked
//!                   merge (pure)  <- the store
//!                        | one atomic write: findings are kept before anything else is paid for
//!                   fixes (an inquiry, --deep)
//!                        | the second write
//!                   partner debate, over more items than the threshold
//!                        | the third write: all ranks at once
//! ```
//!
//! If the run is killed between two writes, nothing that was paid for is lost: the sessions contain it, and `sessions
//! resume` writes what the store lacks. A rehearsal invents ideas, fixes and ranks, so none of them is ever written;
//! the findings of the other agents are real and are written.

mod agents;
mod context;
mod deep;
mod failures;
pub(crate) mod inquiry;
mod keep;
mod plan;
mod preflight;
mod quality;
mod run;
pub mod stalled;

use std::rc::Rc;
use std::time::Duration;

pub(crate) use context::Context;
use inquiry::InquiryResult;
use preflight::preflight;
pub use run::Request;
use run::{Run, agent_report, charge, left, of_one_part};

use crate::agent::roster::Roster;
use crate::app::run::ending::RunReport;
use crate::app::run::flags::Flags;
use crate::app::run::options::RunOptions;
use crate::app::run::panel::cast;
use crate::app::run::roles::{ADVISOR, ANALYST, DEBATE};
use crate::app::run::use_case::{Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::app::run::{logins, relay, signals};
use crate::app::{backlog, prioritize};
use crate::discovery::finding::{AgentName, AgentRun, AgentStatus};
use crate::discovery::merge::MergeResult;
use crate::engine::bus::Bus;
use crate::engine::clock;
use crate::engine::switch::Switch;
use crate::error::Error;
use crate::error::backlog_error;
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Stop, Usd, count};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::backlog::model::{Opportunity, OpportunityType};
use crate::report::discovery::{DiscoveryDocument, SuppressedItem};

impl UseCase for Request {
    type Output = RunReport<DiscoveryDocument>;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.options
    }

    fn settings(&self, flags: &mut Flags) {
        flags.set("max", ["discovery", "max"], self.max);
        flags.set("max_rounds", ["backlog", "max_rounds"], self.max_rounds);
        flags.set("opening", ["backlog", "opening"], self.opening);
    }

    /// Runs a discovery. Failed agents are not an error but part of the result.
    async fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<RunReport<DiscoveryDocument>, Error> {
        preflight(workspace, self)?;
        let bus = Rc::new(Bus::new(reporters, workspace.env()));
        let switch = Switch::default();
        let limits = &workspace.effective.config.limits;
        let deadline = limits.deadline_seconds.map(Duration::from_secs);
        let run = Run { workspace, request: self, bus: &bus, switch: &switch };
        tokio::select! {
            biased;
            error = signals::serve(&workspace.stops, &switch, Some(&bus)) => Err(signals::broken(error)),
            finished = run.go() => finished,
            () = clock::deadline(&switch, deadline) => Err(signals::broken(std::io::Error::other("the deadline's timer was lost"))),
        }
    }
}

impl Run<'_> {
    async fn go(&self) -> Result<RunReport<DiscoveryDocument>, Error> {
        let config = &self.workspace.effective.config;
        let rehearse = self.request.options.rehearse;
        let now = self.workspace.env().now();
        let mut document = DiscoveryDocument::new(
            now,
            config.limits.budget_usd,
            config.backlog.max_rounds,
            rehearse,
        );
        document.warnings.extend(self.workspace.effective.warnings.iter().map(warning));
        // An unreadable store must be discovered before anything is paid for.
        let known = backlog::store(self.workspace).read().map_err(backlog_error)?;
        let context = Context::read(self.workspace, self.switch, now).await?;
        document.warnings.extend(context.warnings.iter().map(warning));
        self.check_logins().await?;
        let (runs, ideas) = Box::pin(agents::look(self, &context, &known.opportunities)).await?;
        if let Some(ideas) = &ideas {
            charge(&mut document, &ideas.finished.document);
        }
        let merged = keep::keep_findings(self.workspace, &runs, now, rehearse)?;
        let known = known.opportunities.into_iter();
        let known = known.map(|item| item.opportunity_id).gather();
        report(&mut document, &runs, ideas.as_ref(), &known, &merged);
        if self.request.deep && self.switch.stopped().is_none() {
            deep::suggest(self, &context, &mut document).await?;
        }
        let error = self.debate(&mut document).await?;
        document.completed_at = self.workspace.env().now();
        document.judge();
        relay::check(self.bus)?;
        let status = self.status(&document, error);
        Ok(RunReport { document, status })
    }

    /// Checks the logins of the agents that this run will certainly pay for, and of the debaters who would be paid
    /// after them. If there are none, the other agents' findings are free, and the debate checks for itself.
    async fn check_logins(&self) -> Result<(), Error> {
        let request = self.request;
        let mut all = Vec::new();
        if request.agents.contains(&AgentName::FeatureOpportunities) {
            all.push(ANALYST);
        }
        if request.deep {
            all.push(ADVISOR);
        }
        if !request.no_debate && !all.is_empty() {
            all.push(DEBATE);
        }
        // An unavailable agent is a failure of its own part.
        let rosters: Vec<Roster> = (all.into_iter())
            .filter_map(|roles| cast(self.workspace, &request.options, roles).ok())
            .map(|(_, roster)| roster)
            .collect();
        let casts = rosters.iter().flat_map(Roster::casts);
        logins::check(self.workspace, casts, Some(self.switch)).await
    }

    /// Holds the debate if one is due. Returns its status, or `None` without a debate; an error confined to the
    /// debate goes into the document.
    async fn debate(&self, document: &mut DiscoveryDocument) -> Result<Option<ExitStatus>, Error> {
        let config = &self.workspace.effective.config;
        let enough = usize::try_from(config.discovery.debate_threshold).unwrap_or(usize::MAX);
        let due = document.opportunities.len() > enough;
        if self.request.no_debate || !due || self.switch.stopped().is_some() {
            return Ok(None);
        }
        document.debate_triggered = true;
        let options = &self.request.options;
        let items = document.opportunities.clone();
        let title = format!("discovery: {} opportunities", items.len());
        let held = match prioritize::debate(self.workspace, options, items) {
            Ok(mut debate) => {
                debate.setup.switch = Some(self.switch);
                debate.left = Some(left(self.workspace, document.cost_usd));
                let reporters = relay::relay(self.bus);
                prioritize::run_debate(&debate, title, options, reporters).await
            }
            Err(error) => Err(error),
        };
        let mut finished = match of_one_part(held)? {
            Ok(finished) => finished,
            // The findings are worth keeping: they are shown and stored, with the reason.
            Err(error) => {
                document.debate_error = Some(error.sentence());
                let spent = document.cost_usd > Usd::ZERO;
                return Ok(Some(if spent { ExitStatus::Undecided } else { error.status() }));
            }
        };
        backlog::keep_ranks(self.workspace, &mut finished.document)?;
        document.debated(&finished.document);
        Ok(Some(finished.status))
    }

    /// Returns how the program ends: by the signal, by the debate, else by whether any agent completed.
    fn status(&self, document: &DiscoveryDocument, debate: Option<ExitStatus>) -> ExitStatus {
        if let Some(Stop::Cancelled(signal)) = self.switch.stopped() {
            return ExitStatus::from_signal(signal);
        }
        let looked = (document.agents.iter()).any(|agent| agent.status == AgentStatus::Completed);
        match (debate, looked, self.switch.stopped()) {
            (Some(status), _, _) => status,
            (None, false, _) | (None, true, Some(_)) => ExitStatus::Undecided,
            (None, true, _) => ExitStatus::Success,
        }
    }
}

/// Writes the findings and the result of the merge into the document.
fn report(
    document: &mut DiscoveryDocument,
    runs: &[AgentRun],
    ideas: Option<&InquiryResult>,
    known: &BTreeSet<String>,
    (merged, items): &(MergeResult, Vec<Opportunity>),
) {
    for run in runs {
        let mut report = agent_report(run);
        if run.agent == AgentName::FeatureOpportunities {
            report.session_id =
                ideas.map(|asked| asked.finished.document.header.session_id.clone());
        }
        document.agents.push(report);
        document.warnings.extend(run.warnings.iter().map(warning));
    }
    document.total_candidates = count(merged.total_candidates);
    document.suppressed = count(merged.suppressed.len());
    document.suppressed_items = (merged.suppressed.iter())
        .map(|held| SuppressedItem { title: held.title.clone(), rejected_id: held.of.clone() })
        .collect();
    document.decided_before = count(merged.decided.len());
    document.beyond_cap = document
        .total_candidates
        .saturating_sub(document.suppressed + document.decided_before + count(merged.kept.len()));
    document.new_items = count((merged.kept.iter()).filter(|id| !known.contains(*id)).count());
    document.resolved.clone_from(&merged.resolved);
    // Items found again were seen just now; resolved ones are no longer open.
    let unconfirmed = items.iter().filter(|item| {
        item.is_open()
            && item.opportunity_type != OpportunityType::FeatureOpportunity
            && item.last_seen_at < Some(document.started_at)
            && (runs.iter()).any(|run| run.agent.name() == item.discovered_by)
    });
    document.unconfirmed = unconfirmed.map(|item| item.opportunity_id.clone()).collect();
    document.opportunities = (merged.kept.iter())
        .filter_map(|id| items.iter().find(|item| item.opportunity_id == *id))
        .cloned()
        .collect();
}
