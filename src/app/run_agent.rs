//! `run AGENT`: one call to one agent, with all the runner's guarantees and the budget, but without a session.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use serde_json::Value;

use crate::agent::ask;
use crate::agent::attempts::{
    AttemptError, AttemptEvent, AttemptResult, Attempts, Extent, Intent, Permit,
};
use crate::agent::pace::Pace;
use crate::agent::roster::{Agent, Assignment, Roster};
use crate::app::input::Input;
use crate::app::run::asker::ask_settings;
use crate::app::run::attempts::event;
use crate::app::run::calls::{dangerous_warning, permitted};
use crate::app::run::ending::failure_status;
use crate::app::run::guard::guard;
use crate::app::run::kind::{input_redacted, redact};
use crate::app::run::launch::Tee;
use crate::app::run::options::RunOptions;
use crate::app::run::panel::planned;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::app::run::{afford, logins, signals};
use crate::config::trust::AgentUse;
use crate::engine::budget::{Balance, Budget, FIRST_RESERVE};
use crate::engine::bus::Bus;
use crate::engine::clock;
use crate::engine::events::EventKind;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, roster_error};
use crate::exit::ExitStatus;
use crate::kernel::{
    Basis, Cost, Failure, FailureClass, Prompt, RawReply, Respondent, Stop, Turn, TurnId, Usd,
};
use crate::process::{self, Control, ProcessResult, Sink, Spec};
use crate::report::document::CostSummary;
use crate::report::plan::Plan;
use crate::skill::SkillSet;
use crate::text::Note;
use crate::text::block::without_thinking;
use crate::text::redact::{Redacted, Redactor};

/// The request for one call.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Examples:
  debate-agent run claude 'Name three risks of caching.'
  git log -5 | debate-agent run codex -")]
pub struct Request {
    /// The agent's name in the configuration.
    pub agent: String,
    /// The prompt; `-` or nothing reads standard input.
    #[arg(default_value = "-", hide_default_value = true, value_parser = Input::typed())]
    pub prompt: Input,
    /// Options common to all runs.
    #[command(flatten)]
    pub options: RunOptions,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CallDocument {
    /// `answered` or `failed`.
    pub outcome: &'static str,
    /// Always false: one agent decides nothing.
    pub decided: bool,
    /// The agent's name.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// What it said; missing where it failed.
    pub answer: Option<String>,
    /// Why there is no answer: class and message.
    pub failure: Option<String>,
    /// What it cost.
    pub cost: CostSummary,
    /// Processes that were started.
    pub attempts: u32,
    /// Wall time in milliseconds, without pauses.
    pub took_ms: u64,
    /// What was noticed.
    pub warnings: Vec<Warning>,
    /// A built-in stand-in answered: no model was asked.
    pub rehearsal: bool,
    /// The version of this document.
    pub schema_version: u32,
}

/// Something that was noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Warning {
    /// A stable name.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// The result of one call of one agent.
#[derive(Debug)]
pub struct AgentAnswer {
    /// The result document.
    pub document: CallDocument,
    /// The exit status.
    pub status: ExitStatus,
}

/// The only seat of such a call.
const SEAT: &str = "agent";

/// Maximum bytes of a prompt that are read.
const MOST_PROMPT: u64 = (64 << 20) + 1;

impl UseCase for Request {
    type Output = AgentAnswer;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.options
    }

    fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        self.prompt.read(workspace, MOST_PROMPT, "a prompt")?;
        if str::from_utf8(self.prompt.named().1).is_err() {
            return Err(Error::new(Kind::Input, "the prompt is not UTF-8")
                .hint("convert it first, for example with iconv"));
        }
        Ok(())
    }

    async fn run(&self, workspace: &Workspace, reporters: Reporters) -> Result<AgentAnswer, Error> {
        let (agent, prompt) = prepare(workspace, self)?;
        let config = &workspace.effective.config;
        let budget = Budget {
            limit: Some(config.limits.budget_usd),
            first: BTreeMap::new(),
            max_calls: None,
        };
        let cast = alone(&agent);
        let pace = Pace::of(SEAT, None);
        let extent = Extent {
            bytes: u64::try_from(prompt.len()).unwrap_or(u64::MAX),
            effort_above: pace.above(&pace.applied(&agent)),
        };
        afford::one_call(&budget, budget.amount(SEAT, None, agent.declared_cost, extent))?;
        afford::quota(workspace, [&*agent.name].into_iter())?;
        logins::check(workspace, [(SEAT, &cast)].into_iter(), None).await?;
        let (bus, switch) = (Bus::new(reporters, workspace.env()), Switch::default());
        let redactor = workspace.redactor();
        let call = OneCall {
            bus: &bus,
            switch: &switch,
            redactor: &redactor,
            budget,
            agent: &agent,
            extent,
            balance: RefCell::new(Balance::default()),
            reserved: Cell::new(Usd::ZERO),
            started: Cell::new(false),
        };
        let roster = Roster::of(BTreeMap::from([(SEAT.to_owned(), cast)]));
        let turn = only_turn(&agent, &prompt);
        let mut settings = ask_settings(workspace, guard()?, workspace.env().token());
        settings.retries = config.limits.retries;
        settings.salvage = config.limits.salvage;
        let read = |reply: &RawReply, _| {
            Ok(without_thinking(&String::from_utf8_lossy(&reply.bytes)).to_owned())
        };
        let deadline = config.limits.deadline_seconds.map(Duration::from_secs);
        let asked = tokio::select! {
            biased;
            error = signals::serve(&workspace.stops, &switch, Some(&bus)) => Err(AttemptError::State(Box::new(error))),
            asked = ask::ask(&roster, &turn, "", &read, &|| Value::Null, &call, &settings) => asked,
            () = clock::deadline(&switch, deadline) => Err(AttemptError::Stop(Stop::Deadline)),
        };
        if let Err(AttemptError::Stop(_)) = &asked {
            call.abandon(&turn, self.options.rehearse);
        }
        let answer = asked.map_err(|halt| halted(halt, &call))?;
        let mut notes: Vec<Note> = dangerous_warning(&permitted(&agent)).into_iter().collect();
        notes.extend(answer.notes);
        let spent = answer.cost.map_or(Usd::ZERO, |cost| cost.usd);
        bus.emit(EventKind::TurnFinished {
            turn: turn.id.to_string(),
            role: turn.role.clone(),
            seated: answer.respondent.clone(),
            failure: answer.result.as_ref().err().cloned(),
            replayed: false,
            took: answer.took,
            cost: answer.cost,
            spent,
            gist: Vec::new(),
        });
        let status = match (&answer.result, switch.stopped()) {
            (Ok(_), _) => ExitStatus::Success,
            (Err(_), Some(Stop::Cancelled(signal))) => ExitStatus::from_signal(signal),
            (Err(failure), _) => failure_status(failure, spent),
        };
        let (said, failure) = match answer.result {
            Ok(said) => (Some(said), None),
            Err(failure) => (None, Some(describe(&failure))),
        };
        notes.extend(input_redacted(prompt.removed()));
        let warnings = notes.into_iter().map(|Note { code, message }| Warning { code, message });
        let warnings = warnings.collect();
        Ok(AgentAnswer {
            document: CallDocument {
                outcome: if failure.is_none() { "answered" } else { "failed" },
                decided: false,
                agent: answer.respondent.agent,
                vendor: answer.respondent.vendor,
                answer: said,
                failure,
                cost: CostSummary {
                    total_usd: spent,
                    budget_usd: Some(config.limits.budget_usd),
                    basis: answer.cost.map(|cost| cost.basis),
                    short: None,
                    quotas: Vec::new(),
                },
                attempts: answer.attempts,
                took_ms: u64::try_from(answer.took.as_millis()).unwrap_or(u64::MAX),
                warnings,
                rehearsal: self.options.rehearse,
                schema_version: crate::report::document::SCHEMA_VERSION,
            },
            status,
        })
    }
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        let (agent, prompt) = prepare(workspace, self)?;
        let turn = format!("run/{}", agent.name);
        let sizes = (0, prompt.len());
        let pace = Pace::of(SEAT, None);
        let paced = pace.applied(&agent);
        let call = planned(pace, &paced, turn, SEAT, sizes, false, FIRST_RESERVE);
        let reserve_usd = call.reserve_usd;
        Ok(Plan {
            calls: vec![call],
            max_rounds: 1,
            estimated_usd_per_round: reserve_usd,
            estimated_usd_at_most: reserve_usd,
            budget_usd: Some(workspace.effective.config.limits.budget_usd),
            rehearsal: self.options.rehearse,
            ..Plan::default()
        })
    }
}

/// Returns the only turn: the prompt as given, without a block to answer with.
fn only_turn(agent: &Agent, prompt: &Redacted<String>) -> Turn {
    Turn {
        id: TurnId::of("run").part(&agent.name),
        role: SEAT.to_owned(),
        plays: SEAT.into(),
        prompt: Prompt {
            stable: prompt.to_string(),
            varying: String::new(),
            contract: String::new(),
        },
        blocks: Vec::new(),
        not_vendor_of: Vec::new(),
        not_vendors: Vec::new(),
        spare: false,
    }
}

/// Seats an agent without stand-ins.
fn alone(agent: &Agent) -> Assignment {
    Assignment { agent: agent.clone(), fallbacks: Vec::new() }
}

/// Refuses what can be refused before anything is started.
fn prepare(workspace: &Workspace, request: &Request) -> Result<(Agent, Redacted<String>), Error> {
    workspace.around.refuse_nesting()?;
    if request.prompt.text().trim().is_empty() {
        return Err(Error::new(Kind::Input, "the prompt is empty")
            .hint("give it as an argument, or on standard input"));
    }
    Ok((agent(workspace, request)?, redact(workspace, request.prompt.text().to_owned())?))
}

/// Returns the user-facing error for whatever prevented the call.
fn halted(halt: AttemptError, call: &OneCall<'_>) -> Error {
    match halt {
        AttemptError::Stop(Stop::Cancelled(signal)) => {
            Error::new(Kind::Interrupted(signal), "stopped before the agent answered")
        }
        AttemptError::Stop(Stop::Budget | Stop::Quota | Stop::Running | Stop::Terminated) => {
            let balance = *call.balance.borrow();
            let reserve = call.budget.amount(SEAT, None, call.agent.declared_cost, call.extent);
            let hint = (call.budget.shortfall(&balance, reserve)).map_or_else(
                || "give more with `--budget`".to_owned(),
                |short| format!("the next one reserves {reserve}: give `{}`", short.option()),
            );
            let what =
                format!("{} was spent, and the budget covers no further call", balance.spent);
            Error::new(Kind::Undecided, what).named("budget").hint(hint)
        }
        AttemptError::Stop(Stop::Deadline) => {
            Error::new(Kind::Undecided, "the deadline passed before the agent answered")
                .named("deadline")
        }
        AttemptError::State(error) => {
            Error::new(Kind::State, "failed to make the call").because(error)
        }
    }
}

fn describe(failure: &Failure) -> String {
    format!("{}: {}", failure.class.name(), failure.message)
}

fn agent(workspace: &Workspace, request: &Request) -> Result<Agent, Error> {
    let config = &workspace.effective.config;
    let used = if request.options.rehearse { AgentUse::Rehearsal } else { AgentUse::Agents };
    workspace.require_trust(&SkillSet::new(), used)?;
    let Some(found) = config.agents.get(&request.agent) else {
        let known: Vec<&str> = config.agents.keys().map(String::as_str).collect();
        return Err(Error::new(Kind::Input, format!("there is no agent `{}`", request.agent))
            .named("unknown_agent")
            .hint(format!("configured are {}", known.join(", "))));
    };
    if request.options.rehearse {
        return Ok(Agent::rehearsal(SEAT, &guard()?));
    }
    Agent::resolve(&request.agent, found, None, &workspace.machine(), config.limits.allow_dangerous)
        .map_err(roster_error)
}

/// The context of one call without a session.
struct OneCall<'a> {
    bus: &'a Bus,
    switch: &'a Switch,
    redactor: &'a Redactor,
    budget: Budget,
    agent: &'a Agent,
    extent: Extent,
    balance: RefCell<Balance>,
    reserved: Cell<Usd>,
    started: Cell<bool>,
}

impl OneCall<'_> {
    /// Reports the end of a started turn that is stopped between two attempts, with the cost of its attempts.
    fn abandon(&self, turn: &Turn, rehearsal: bool) {
        if !self.started.get() {
            return;
        }
        let spent = self.balance.borrow().spent;
        let basis = if rehearsal { Basis::Declared } else { Basis::Mixed };
        self.bus.emit(EventKind::TurnFinished {
            turn: turn.id.to_string(),
            role: turn.role.clone(),
            seated: Respondent::new(&self.agent.name, &self.agent.vendor),
            failure: Some(Failure {
                class: FailureClass::Cancelled,
                message: "stopped before it was answered".to_owned(),
            }),
            replayed: false,
            took: Duration::ZERO,
            cost: Some(Cost { usd: spent, basis }),
            spent,
            gist: Vec::new(),
        });
    }
}

impl Attempts for OneCall<'_> {
    async fn permit(
        &self,
        intent: &Intent,
        _: [&str; 2],
        _: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, AttemptError> {
        if let Some(why) = self.switch.stopped() {
            return Err(AttemptError::Stop(why));
        }
        let mut balance = self.balance.borrow_mut();
        let amount = self
            .budget
            .reserve(&balance, &intent.role, self.agent.declared_cost, intent.extent())
            .map_err(AttemptError::Stop)?;
        balance.reserved += amount;
        balance.calls += 1;
        self.reserved.set(amount);
        Ok(Permit::Run)
    }

    async fn launch(&self, _: &Intent, spec: &Spec, sink: &mut dyn Sink) -> ProcessResult {
        let mut tee = Tee::new(self.redactor, None, sink);
        let ran = process::run(spec, self.switch.listen(), &mut tee).await;
        tee.finish();
        ran
    }

    async fn settle(&self, _: &Intent, result: &AttemptResult) -> Result<Cost, AttemptError> {
        let reserved = self.reserved.get();
        let charged = result.cost.unwrap_or(Cost { usd: reserved, basis: Basis::Declared });
        let mut balance = self.balance.borrow_mut();
        balance.reserved = balance.reserved.saturating_sub(reserved);
        balance.spent += charged.usd;
        balance.largest = balance.largest.max(Some(charged.usd));
        Ok(charged)
    }

    fn happened(&self, intent: &Intent, what: AttemptEvent) {
        if matches!(what, AttemptEvent::Started(_)) && self.started.replace(true) {
            return;
        }
        self.bus.emit(event(intent, what, &self.agent.vendor, self.redactor));
    }

    fn control(&self) -> watch::Receiver<Control> {
        self.switch.listen()
    }
}
