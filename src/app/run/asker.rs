//! Asks a turn for the engine, with the agents of its role, the skill and the runner, and records how the reply was
//! judged.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use super::attempts::AttemptRunner;
use super::guard::guard;
use super::setup::Setup;
use super::workspace::Workspace;
use crate::agent::ask::{self, AskSettings};
use crate::agent::attempts::AttemptError;
use crate::agent::cost::Prices;
use crate::engine::TurnAsker;
use crate::engine::events::EventKind;
use crate::error::Error;
use crate::kernel::{Answer, AnyReply, Chance, DynDriver, Failure, FailureClass, RawReply, Turn};
use crate::process::Limits;
use crate::session::Session;
use crate::session::record::{ParseResult, TurnClosed, TurnStatus};

/// The prompts and settings for asking agents.
pub(crate) struct Panel<'a> {
    setup: &'a Setup<'a>,
    settings: AskSettings,
}

impl<'a> Panel<'a> {
    pub(crate) fn new(setup: &'a Setup<'a>, session: &Session) -> Result<Self, Error> {
        let opened = session.ledger().opened();
        let boundary = opened.map(|opened| opened.boundary.clone()).unwrap_or_default();
        let mut settings = ask_settings(setup.workspace, guard()?, boundary);
        setup.calls.govern(&mut settings);
        // A session may come from another person: its settings never raise the user's own limits.
        let limits = &setup.workspace.effective.config.limits;
        settings.retries = settings.retries.min(limits.retries);
        settings.repair &= limits.repair;
        settings.jitter_seed = opened.map(|opened| opened.seed).unwrap_or_default();
        Ok(Self { setup, settings })
    }

    /// Returns the skill for a turn's role.
    fn system(&self, turn: &Turn) -> &str {
        let skill = self.setup.skills.get(&*turn.plays);
        skill.map_or("", |skill| skill.prompt.as_str())
    }
}

/// Returns the settings of calls from the configuration.
pub(crate) fn ask_settings(workspace: &Workspace, guard: PathBuf, boundary: String) -> AskSettings {
    let config = &workspace.effective.config;
    let limits = &config.limits;
    let base = workspace.around.var("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let mut settings = AskSettings::new(guard, base, boundary);
    // Random, and never a session's id: the guard of a killed run may still be sweeping its own tag while a resume
    // runs.
    settings.tag = format!("debate-agent/{}", crate::env::unique());
    settings.wait = limits.wait;
    settings.keeps_quota = limits.keep_quota_percent > 0;
    settings.env = workspace.env().clone();
    settings.environment.clone_from(&workspace.around.vars);
    settings.limits = Limits {
        grace: Duration::from_secs(limits.grace_seconds),
        stdout_bytes: limits.stdout_bytes,
        ..Limits::default()
    };
    settings.prompt_bytes = limits.prompt_bytes;
    settings.roles.clone_from(&config.roles);
    settings.prices = Prices::new(limits.model_aliases.clone());
    settings
}

/// Asks turns, and collects those that fail.
pub(crate) struct Asker<'a> {
    runner: &'a AttemptRunner<'a>,
    panel: &'a Panel<'a>,
    failed: RefCell<Vec<String>>,
}

impl<'a> Asker<'a> {
    pub(crate) fn new(runner: &'a AttemptRunner<'a>, panel: &'a Panel<'a>) -> Self {
        Self { runner, panel, failed: RefCell::default() }
    }

    /// Returns the turns that failed for good in this run.
    pub(crate) fn failed(&self) -> Vec<String> {
        self.failed.borrow().clone()
    }

    /// Records how the turn ended, and reports it.
    fn close(
        &self,
        answer: &Answer<AnyReply>,
        gist: Vec<String>,
        judged: Vec<ParseResult>,
    ) -> Result<(), AttemptError> {
        let failure = answer.result.as_ref().err().cloned();
        let closed = TurnClosed {
            turn: answer.turn.to_string(),
            status: if failure.is_some() { TurnStatus::Failed } else { TurnStatus::Answered },
            failure: failure.clone(),
            gist: gist.clone(),
            cost: answer.cost,
            out_of_time: self.runner.out_of_time(&answer.turn),
            unaffordable: self.runner.is_unaffordable(&answer.turn),
        };
        self.runner
            .close_turn(closed, judged)
            .map_err(|error| AttemptError::State(Box::new(error)))?;
        self.runner.parts.bus.emit(EventKind::TurnFinished {
            turn: answer.turn.to_string(),
            role: answer.role.clone(),
            seated: answer.respondent.clone(),
            failure,
            replayed: !self.runner.was_live(&answer.turn),
            took: answer.took,
            cost: answer.cost,
            spent: self.runner.spent(),
            // A person in a blind opening must not see what the others answered.
            gist: if self.runner.asks_a_person() { Vec::new() } else { gist },
        });
        Ok(())
    }
}

impl TurnAsker for Asker<'_> {
    async fn ask(
        &self,
        turn: &Turn,
        driver: &dyn DynDriver,
    ) -> Result<Answer<AnyReply>, AttemptError> {
        let judged = RefCell::new(Vec::new());
        let judge = |reply: &RawReply, chance: Chance| {
            let parsed = driver.read(turn, reply, chance);
            let problems = parsed.as_ref().err().map(|defect| defect.problems.clone());
            judged.borrow_mut().push(ParseResult {
                turn: turn.id.to_string(),
                key: self.runner.last_key(&turn.id),
                ok: parsed.is_ok(),
                problems: problems.unwrap_or_default(),
                notes: parsed.as_ref().map(|reply| reply.notes.clone()).unwrap_or_default(),
            });
            parsed
        };
        let data = || driver.data(turn);
        let asking = ask::ask(
            &self.panel.setup.roster,
            turn,
            self.panel.system(turn),
            &judge,
            &data,
            self.runner,
            &self.panel.settings,
        );
        let asked = self.runner.timed(turn, asking).await;
        let answer = match asked {
            Ok(answer) => answer,
            Err(halt) => {
                self.runner.abandon(turn, "stopped before it was answered");
                return Err(halt);
            }
        };
        // A call that was ended because the run was stopped is no evidence against its agent.
        if let (Err(Failure { class: FailureClass::Cancelled, message }), Some(why)) =
            (&answer.result, self.runner.parts.switch.stopped())
        {
            self.runner.abandon(turn, message);
            return Err(AttemptError::Stop(why));
        }
        if answer.result.is_err() {
            self.failed.borrow_mut().push(turn.id.to_string());
        }
        let reply = answer.result.as_ref().ok();
        let gist = reply.map(|reply| driver.gist(turn, reply)).unwrap_or_default();
        self.close(&answer, gist, judged.into_inner())?;
        Ok(answer)
    }
}
