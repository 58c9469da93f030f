//! `review`: reads a change, seats the reviewers, runs the review, and reports the result.

pub(super) mod known_findings;
mod prove;
mod request;
mod rules;

pub(crate) use prove::{is_usable, place, suggested};
pub use request::Request;

use crate::protocol::council;
use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::agent::roster::Agent;
use crate::app::change;
use crate::app::run::calls::CallRules;
use crate::app::run::ending::{RunReport, undecided};
use crate::app::run::flags::Flags;
use crate::app::run::kind::{Parts, Rules as RulesOf, SessionKind, redact, wrong_input};
use crate::app::run::options::RunOptions;
use crate::app::run::panel::{SeatHolder, places, recorded};
use crate::app::run::session_run::SessionRun;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::app::run::{roles, signals};
use crate::change::Change;
use crate::config::Config;
use crate::config::trust::AgentUse;
use crate::engine::bus::Bus;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Protocol as _, Stage, Stamp, Usd};
use crate::protocol::review::{
    Compose, Input, Machine, Outcome, PullRequest, Reviewed, Rules, Settings, Severity, Status,
    SuppressionReason, Verdict, proof,
};
use crate::report::document::SessionFacts;
use crate::report::plan::Plan;
use crate::report::review::{NothingToReview, ReviewDocument, TurnTime};
use crate::session::Ledger;
use crate::skill::SkillSet;
use crate::text::Note;

/// The result of a review.
#[derive(Debug)]
pub enum ReviewResult {
    /// There was nothing to review.
    Nothing(NothingToReview),
    /// The review was held.
    Held(Box<RunReport<ReviewDocument>>),
}

/// The subject of a review's session, as in its first record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Task {
    question: String,
    change: Change,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pull_request: Option<PullRequest>,
    rules: Rules,
    known: BTreeMap<String, SuppressionReason>,
}

pub(crate) struct Review;

/// Maximum number of turns for tests of findings: each is written and run.
const PROOFS: u32 = proof::TRIES * proof::MAX_PROOFS * 2;

impl SessionKind for Review {
    const NAME: &'static str = "review";
    type Task = Task;
    type Settings = Settings;
    type Protocol = Machine;
    type Document = ReviewDocument;

    /// The guidelines are from the very bytes whose trust was checked.
    fn equip(task: &mut Task, skills: &SkillSet) {
        if let Some(guidelines) = skills.get(crate::skill::GUIDELINES) {
            task.rules.guidelines.clone_from(&guidelines.prompt);
        }
    }

    fn skills(config: &Config, _: &Task, settings: &Settings) -> Vec<Cow<'static, str>> {
        let mut skills = roles::REVIEW.map(Cow::Borrowed).to_vec();
        skills.retain(|skill| settings.prove.is_some() || *skill != roles::PROVER);
        skills.extend(config.review.guidelines.as_ref().map(|_| crate::skill::GUIDELINES.into()));
        skills
    }

    fn seating(_: &Task, calls: &CallRules) -> Vec<SeatHolder> {
        recorded(calls, |_| roles::REVIEW[0].into())
    }

    fn used(settings: &Settings) -> AgentUse {
        if settings.prove.is_some() { AgentUse::Prove } else { AgentUse::Review }
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Machine>, Error> {
        Machine::open(input(of)).map_err(wrong_input)
    }

    fn document(
        of: Parts<'_, Self>,
        outcome: Outcome,
        ledger: &Ledger,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> ReviewDocument {
        let took = ledger.durations().into_iter();
        let durations = took.map(|(turn, milliseconds)| TurnTime { turn, milliseconds });
        ReviewDocument::new(input(of), outcome, stamp, durations.collect(), about)
    }

    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        match outcome.verdict {
            Verdict::Clean | Verdict::Comments => ExitStatus::Success,
            Verdict::ChangesRequested => ExitStatus::Negative,
            Verdict::Undecided => undecided(outcome, signal, spent),
        }
    }

    fn bounds(task: &Task, settings: &Settings) -> (u32, u32) {
        let batches = u32::try_from(task.change.batches.len()).unwrap_or(u32::MAX);
        let rounds = settings.max_rounds;
        // Each batch is reviewed once and cross-examined in each round; one composes, the others validate.
        let turns = batches.saturating_mul(rounds.saturating_add(1));
        // The independent reviews are the first round of the events.
        let composed = if settings.compose == Compose::Never { 0 } else { 2 };
        let proofs = if settings.prove.is_some() { PROOFS } else { 0 };
        (rounds.saturating_add(1), turns.saturating_add(composed).saturating_add(proofs))
    }

    fn most_turns(task: &Task, settings: &Settings, seats: u32) -> u32 {
        // What two or three seats contest, each of them has taken a side in: `auto` composes nothing.
        let spare = if settings.compose == Compose::Auto && seats < 4 { 2 } else { 0 };
        // A finding is tested once, whoever wrote it.
        let proofs = if settings.prove.is_some() { PROOFS } else { 0 };
        let turns = Self::bounds(task, settings).1.saturating_sub(spare + proofs);
        turns.saturating_mul(seats).saturating_add(proofs)
    }

    fn reads_repository(settings: &Settings) -> bool {
        settings.read_repo
    }

    /// The working tree is tested as it was reviewed.
    fn watches(settings: &Settings) -> bool {
        let tested = settings.prove.as_ref().map(|prove| &prove.change);
        settings.read_repo || matches!(tested, Some(Reviewed::WorkTree | Reviewed::Index))
    }

    fn stages(settings: &Settings) -> &'static [Stage] {
        if settings.prove.is_some() { Machine::STAGES } else { Machine::UNPROVEN }
    }

    fn tool(workspace: &Workspace, settings: &Settings) -> Option<Agent> {
        settings.prove.as_ref().map(|settings| prove::sandbox(workspace, settings))
    }

    fn spoil(outcome: &mut Outcome, files: &[String]) {
        council::spoil(outcome, Verdict::Undecided, files, "reviewers");
    }

    fn set(_: &mut RulesOf<Settings>, _: &str, _: &Config) -> Result<(), Error> {
        let what = "the rules of a review have no thresholds to set afterwards";
        Err(Error::new(Kind::Usage, what).named("no_rules").hint(
            "`review --baseline FILE` and `review dismiss` change what counts; `--fail-on` changes the exit code",
        ))
    }
}

fn input(of: Parts<'_, Review>) -> Input {
    Input {
        question: of.task.question.clone(),
        change: of.task.change.clone(),
        pull_request: of.task.pull_request.clone(),
        rules: of.task.rules.clone(),
        known: of.task.known.clone(),
        seats: of.seats.into_values().collect(),
        settings: of.rules.protocol.clone(),
        prompts: of.prompts.clone(),
        seed: of.seed,
    }
}

impl UseCase for Request {
    const USE: AgentUse = AgentUse::Review;
    type Output = ReviewResult;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.options
    }

    fn settings(&self, flags: &mut Flags) {
        flags.set("max_rounds", ["review", "max_rounds"], self.max_rounds);
        flags.set("confidence", ["review", "confidence"], self.confidence);
        flags.set("compose", ["review", "compose"], self.compose);
        flags.set("platform", ["review", "platform"], self.platform);
        let strict = self.strict.then_some(true);
        flags.set("strict", ["review", "require_complete"], strict);
    }

    fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        self.scope.read(workspace)
    }

    /// Runs a review. If there is no change to review, the result says so.
    async fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<ReviewResult, Error> {
        let mut reviewed = match prepare(workspace, self).await? {
            ReviewStart::Nothing(nothing) => return Ok(ReviewResult::Nothing(nothing)),
            ReviewStart::Ready(ready, notes) => {
                let mut run = *ready;
                run.out = self.out.as_ref().map(|out| workspace.around.dir.join(out));
                let notes = workspace.effective.warnings.iter().chain(&notes);
                run.notes = notes.map(warning).collect();
                run.start(title, &self.options, reporters).await?.finished
            }
        };
        reviewed.status = with_fail_on(reviewed.status, &reviewed.document, self.fail_on);
        Ok(ReviewResult::Held(Box::new(reviewed)))
    }
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        match prepare(workspace, self).await? {
            ReviewStart::Nothing(nothing) => {
                Ok(Plan { note: Some(nothing.sentence()), ..Plan::default() })
            }
            ReviewStart::Ready(ready, notes) => {
                let mut plan = ready.dry_run(self.options.rehearse)?;
                plan.warnings.extend(notes.iter().map(warning));
                Ok(plan)
            }
        }
    }
}

enum ReviewStart<'a> {
    Nothing(NothingToReview),
    Ready(Box<SessionRun<'a, Review>>, Vec<Note>),
}

/// Reads everything that a review needs; asks no agent and writes nothing. A signal ends it.
async fn prepare<'a>(
    workspace: &'a Workspace,
    request: &Request,
) -> Result<ReviewStart<'a>, Error> {
    let switch = Switch::default();
    let bus = Bus::silent();
    let ready = ready(workspace, request, &switch);
    signals::during(&workspace.stops, &switch, Some(&bus), ready).await?
}

async fn ready<'a>(
    workspace: &'a Workspace,
    request: &Request,
    switch: &Switch,
) -> Result<ReviewStart<'a>, Error> {
    let config = &workspace.effective.config;
    // Before the change is read: changes hidden by the project would look like nothing to review.
    if !request.options.rehearse {
        workspace.require_trusted_keys(AgentUse::Review)?;
    }
    let change = change::read(workspace, &request.scope, switch).await?;
    if change.files.is_empty() {
        let change = redact(workspace, change)?.into_inner();
        return nothing(change).map(ReviewStart::Nothing);
    }
    let mut notes = Vec::new();
    let mut known =
        rules::known(workspace, &request.scope.scope, &change, switch, &mut notes).await?;
    known.extend(request.dismissed.clone());
    let task = Task {
        question: request.question.clone(),
        pull_request: request.pull_request.clone(),
        known,
        rules: rules::rules(workspace, &change),
        change,
    };
    let settings = Settings {
        max_rounds: if config.debate.include_critique_round { config.review.max_rounds } else { 0 },
        confidence: config.review.confidence,
        read_repo: config.review.read_repo,
        compose: config.review.compose,
        prove: if request.prove {
            Some(prove::settings(workspace, request, task.change.base.clone(), switch).await?)
        } else {
            None
        },
    };
    let (seating, seated) = places(workspace, &request.options, &request.agents, roles::REVIEW[0])?;
    notes.extend(seated);
    let run = SessionRun::new(workspace, &request.options, &seating, task, settings)?;
    Ok(ReviewStart::Ready(Box::new(run), notes))
}

/// Decides what an empty change means: nothing to do, or files that could not be shown.
fn nothing(change: Change) -> Result<NothingToReview, Error> {
    if let Some(first) = change.not_reviewed.iter().find(|part| part.missed) {
        return Err(Error::new(
            Kind::Undecided,
            format!(
                "no part of the change can be shown to reviewers: {} ({})",
                first.path, first.detail
            ),
        )
        .named("not_reviewable")
        .hint("look at it yourself: `debate-agent diff` lists everything; raise `review.max_diff_bytes` for what is too large, or list what nobody needs to review in `review.exclude`"));
    }
    Ok(NothingToReview::new(change))
}

/// Returns the session's title: the question, or the change. Files not shown to reviewers count, as they do in the
/// result.
fn title(Task { question, change, .. }: &Task) -> String {
    let files = change.totals.files;
    let what = format!("{}: {files} file{}", change.scope, if files == 1 { "" } else { "s" });
    if question.is_empty() {
        return what;
    }
    format!("{} ({what})", crate::text::sanitize::line(question, 80))
}

/// Returns the status under another `--fail-on`: only a decided review depends on it.
fn with_fail_on(
    status: ExitStatus,
    document: &ReviewDocument,
    fail_on: Option<Severity>,
) -> ExitStatus {
    let fail_on = fail_on.unwrap_or(Severity::P1);
    match status {
        ExitStatus::Success | ExitStatus::Negative => {
            // A finding refuted by one seat is shown as a comment only.
            let mut remaining =
                (document.result.findings.iter()).filter(|found| found.status != Status::Disputed);
            if remaining.any(|found| found.reported.finding.severity <= fail_on) {
                ExitStatus::Negative
            } else {
                ExitStatus::Success
            }
        }
        ExitStatus::Usage
        | ExitStatus::Environment
        | ExitStatus::Undecided
        | ExitStatus::State
        | ExitStatus::Bug
        | ExitStatus::HungUp
        | ExitStatus::Interrupted
        | ExitStatus::Terminated => status,
    }
}
