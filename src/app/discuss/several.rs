//! Several artifacts, one after the other: one budget, one signal, one summary.
//!
//! An artifact is begun only if the budget left covers all its perspectives: half a critique decides nothing. If the
//! run ends early, every finished record stays in place, and the artifacts not reached are listed.

use std::rc::Rc;
use std::time::Duration;

use serde::Serialize;

use super::prepare::{Batch, PreparedArtifact};
use super::request::Request;
use super::{Discuss, ready, record_name, record_place, title, with_fail_on};
use crate::app::run::afford::Allowance;
use crate::app::run::ending::RunReport;
use crate::app::run::session_run::SessionRun;
use crate::app::run::workspace::Workspace;
use crate::app::run::{logins, relay, reports, signals};
use crate::engine::bus::Bus;
use crate::engine::clock;
use crate::engine::events::Reporter;
use crate::engine::switch::Switch;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Basis, Limit, Stop, Usd, Warning};
use crate::protocol::discuss::DiscussOutcome;
use crate::report::discuss::{DiscussDocument, DiscussionsDocument, NotDiscussed};
use crate::report::document::{CostSummary, to_json};
use crate::report::page::{Page, ToPage};

/// The result of a command: one critique or several.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DiscussResult {
    /// One artifact.
    One(Box<DiscussDocument>),
    /// Several artifacts, or the content of a folder.
    Several(Box<DiscussionsDocument>),
}

impl ToPage for DiscussResult {
    fn page(&self) -> Page {
        match self {
            Self::One(document) => document.page(),
            Self::Several(document) => document.page(),
        }
    }

    /// Returns the Markdown, including the lines for a coordinator.
    fn markdown(&self) -> String {
        match self {
            Self::One(document) => document.markdown_with_message(),
            Self::Several(document) => document.markdown(),
        }
    }
}

/// Discusses several artifacts.
pub(super) async fn discuss(
    workspace: &Workspace,
    request: &Request,
    batch: Batch,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<RunReport<DiscussResult>, Error> {
    let bus = Rc::new(Bus::new(reporters, workspace.env()));
    let switch = Switch::default();
    let limits = &workspace.effective.config.limits;
    let deadline = limits.deadline_seconds.map(Duration::from_secs);
    let run = Run { workspace, request, bus: &bus, switch: &switch };
    tokio::select! {
        biased;
        error = signals::serve(&workspace.stops, &switch, Some(&bus)) => Err(signals::broken(error)),
        finished = run.go(batch) => finished,
        () = clock::deadline(&switch, deadline) => Err(signals::broken(std::io::Error::other("the deadline's timer was lost"))),
    }
}

struct Run<'a> {
    workspace: &'a Workspace,
    request: &'a Request,
    bus: &'a Rc<Bus>,
    switch: &'a Switch,
}

/// Why no further artifact is begun.
struct SeriesStop {
    code: &'static str,
    why: String,
    /// The exit status in that case.
    status: ExitStatus,
}

impl<'a> Run<'a> {
    async fn go(&self, batch: Batch) -> Result<RunReport<DiscussResult>, Error> {
        // Every session is prepared before the first is opened: anything that can be refused is refused before money
        // is spent.
        let runs: Vec<(SessionRun<'a, Discuss>, String)> = (batch.items.into_iter())
            .map(|item: PreparedArtifact| {
                let name = item.task.artifact.name.clone();
                Ok((ready(self.workspace, self.request, item)?, name))
            })
            .collect::<Result<_, Error>>()?;
        let seats = (runs.iter()).flat_map(|(run, _)| run.setup.roster.casts());
        logins::check(self.workspace, seats, Some(self.switch)).await?;
        let budget = self.workspace.effective.config.limits.budget_usd;
        let mut left_out = batch.left_out;
        let mut discussions: Vec<DiscussDocument> = Vec::new();
        let mut status =
            if left_out.is_empty() { ExitStatus::Success } else { ExitStatus::Undecided };
        let mut halt: Option<SeriesStop> = None;
        let mut spent = Usd::ZERO;
        for (mut run, name) in runs {
            let left = budget.saturating_sub(spent);
            if halt.is_none() {
                halt = unaffordable(&run, left);
            }
            if let Some(halt) = &halt {
                status = status.worse(halt.status);
                left_out.push(NotDiscussed {
                    artifact: name,
                    code: halt.code.to_owned(),
                    why: halt.why.clone(),
                });
                continue;
            }
            run.left = Some(Allowance::all(left));
            match self.run(&mut run).await {
                Ok(finished) => {
                    spent += finished.document.header.cost.total_usd;
                    status = status.worse(finished.status);
                    let document = &finished.document;
                    let (outcome, silent) = (document.header.outcome, document.ratings.is_empty());
                    halt = halt_after(self.switch.stopped(), outcome, silent);
                    discussions.push(finished.document);
                }
                // Earlier results are worth showing, together with the reason.
                Err(error) if !discussions.is_empty() && error.code != "closed_pipe" => {
                    status = status.worse(error.status());
                    left_out.push(broke_off(&name, &error));
                    halt = Some(SeriesStop {
                        code: "not_reached",
                        why: format!("the run ended at {name}"),
                        status: error.status(),
                    });
                }
                Err(error) => return Err(error),
            }
        }
        let costs = discussions.iter().map(|document| document.header.cost);
        let cost = CostSummary {
            total_usd: spent,
            budget_usd: Some(budget),
            basis: costs.filter_map(|cost| cost.basis).reduce(Basis::join),
            short: None,
        };
        let of_config = self.workspace.effective.warnings.iter();
        let warnings = of_config.chain(&batch.notes).map(warning).collect();
        let rehearsal = self.request.run.rehearse;
        let mut document =
            DiscussionsDocument::new(discussions, left_out, rehearsal, cost, warnings);
        self.keep(&batch.round_id, &mut document);
        relay::check(self.bus)?;
        Ok(RunReport {
            document: DiscussResult::Several(Box::new(document)),
            status: status.after_spending(spent > Usd::ZERO),
        })
    }

    async fn run(
        &self,
        run: &mut SessionRun<'a, Discuss>,
    ) -> Result<RunReport<DiscussDocument>, Error> {
        let request = self.request;
        run.setup.switch = Some(self.switch);
        let title = title(request, &run.task);
        let reporters = relay::relay(self.bus);
        let mut finished = run.start(title, &request.run, reporters).await?.finished;
        finished.status = with_fail_on(finished.status, &finished.document, request.fail_on);
        Ok(finished)
    }

    /// Writes the summary beside the records, or adds a warning.
    fn keep(&self, round_id: &str, document: &mut DiscussionsDocument) {
        let paths = &self.workspace.effective.config.paths;
        let own = self.workspace.root().join(&paths.debate);
        let named = self.request.folder.as_deref();
        let named = named.map(|folder| self.workspace.around.dir.join(folder));
        let name = record_name(round_id, "summary", self.request.run.rehearse);
        let place = record_place(named.as_deref(), &own, name);
        // The summary's text does not contain its own path.
        let markdown = document.markdown();
        let written = reports::write(
            self.workspace.root(),
            &place,
            self.workspace.env(),
            &markdown,
            |path| {
                let mut placed = document.clone();
                placed.place(path.display().to_string());
                to_json(&placed).map_err(std::io::Error::other)
            },
        )
        .map(|path| document.place(path.display().to_string()));
        if let Err(error) = written {
            document.warnings.push(Warning {
                code: "report_not_written".to_owned(),
                turn: None,
                message: format!("the summary could not be written: {error}"),
            });
        }
    }
}

/// Returns the entry for the artifact at which the run broke off. Only its session's journal knows the cost up to
/// then, so the total must not seem complete.
fn broke_off(name: &str, error: &Error) -> NotDiscussed {
    NotDiscussed {
        artifact: name.to_owned(),
        code: error.code.to_owned(),
        why: format!(
            "{}; what it cost before is not in the total: `debate-agent sessions list` shows it",
            error.sentence()
        ),
    }
}

/// Returns a stop if the rest of the budget does not cover all perspectives of an artifact.
fn unaffordable(run: &SessionRun<'_, Discuss>, left: Usd) -> Option<SeriesStop> {
    let needed: Usd = run.reserves().sum();
    (needed > left).then(|| SeriesStop {
        code: "budget",
        why: format!(
            "all its perspectives would reserve {needed}, but only {left} of the budget is left"
        ),
        status: ExitStatus::Undecided,
    })
}

/// Returns a stop if the run must end after an artifact, by a stop of the run, the artifact's outcome, or the lack of
/// any answer.
///
/// The run may be stopped after the artifact is decided. Artifacts not reached because of that are not a success
/// either.
fn halt_after(stopped: Option<Stop>, outcome: DiscussOutcome, silent: bool) -> Option<SeriesStop> {
    let halt = |code, why: &str, status| Some(SeriesStop { code, why: why.to_owned(), status });
    match (stopped, outcome) {
        (Some(Stop::Cancelled(signal)), _) => {
            halt("interrupted", "the run was stopped", ExitStatus::from_signal(signal))
        }
        (Some(Stop::Deadline), _) => {
            halt("deadline", "the run ran out of time", ExitStatus::Undecided)
        }
        (_, DiscussOutcome::Budget) | (Some(Stop::Budget), _) => {
            halt("budget", Limit::Budget.reason(), ExitStatus::Undecided)
        }
        (None, DiscussOutcome::Undecided) if silent => halt(
            "nobody_answers",
            "no perspective answered for the previous artifact, and the same agents would be asked",
            ExitStatus::Undecided,
        ),
        (None | Some(Stop::Running | Stop::Terminated), _) => None,
    }
}

#[cfg(test)]
mod tests {
    //! Early ends of a run over several artifacts, and the resulting status.

    use super::*;
    use crate::error::Kind;

    /// A stop that comes while an artifact is being recorded finds it decided: the artifacts after it were still not
    /// discussed, and that is never a 0.
    #[test]
    fn whatever_ends_a_run_early_is_no_success() {
        use DiscussOutcome::{Budget, ConsensusBlocked, ConsensusReached, Interrupted, Undecided};
        let all = [ConsensusReached, ConsensusBlocked, Undecided, Budget, Interrupted];
        let mut halts = 0;
        for (stopped, code, exit) in [
            (Some(Stop::Cancelled(1)), "interrupted", 129),
            (Some(Stop::Cancelled(2)), "interrupted", 130),
            (Some(Stop::Cancelled(15)), "interrupted", 143),
            (Some(Stop::Deadline), "deadline", 4),
            (Some(Stop::Budget), "budget", 4),
        ] {
            for outcome in all {
                for silent in [false, true] {
                    let halt = halt_after(stopped, outcome, silent).unwrap();
                    assert_eq!((halt.code, halt.status.code()), (code, exit), "{outcome}");
                    halts += 1;
                }
            }
        }
        assert_eq!(halts, 50);
        // Without a stop: a spent budget, and an artifact that no perspective answered for.
        let next = |outcome, silent| halt_after(None, outcome, silent).map(|halt| halt.code);
        for silent in [false, true] {
            assert_eq!(next(Budget, silent), Some("budget"));
            assert_eq!(next(ConsensusReached, silent), None);
            assert_eq!(next(ConsensusBlocked, silent), None);
        }
        assert_eq!(next(Undecided, true), Some("nobody_answers"));
        assert_eq!(next(Undecided, false), None);
    }

    #[test]
    fn what_broke_off_says_that_its_cost_is_not_in_the_total() {
        let error = Error::new(Kind::State, "failed to keep the session's state")
            .named("state")
            .because("disk full");
        let told = broke_off("docs/b.md", &error);
        assert_eq!((&*told.artifact, &*told.code), ("docs/b.md", "state"));
        assert_eq!(
            told.why,
            "failed to keep the session's state: disk full; what it cost before is not in the total: `debate-agent sessions list` shows it"
        );
    }
}
