//! `doctor`: whether each configured agent can be used and, if not, how to fix it.
//!
//! Asks each CLI only for what costs nothing (version, help, its own login check); `--live` makes one tiny real call,
//! which must return a nonce. Every program runs under the guard, with the environment and the empty working
//! directory of a real call.

mod check;
mod judge;
mod proof;

pub use check::{Check, CheckSubject, Status};

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use crate::agent::cost::{Prices, needs_table, work_out};
use crate::agent::envelope;
use crate::agent::profile::{self, PreparedCall, Probes};
use crate::agent::roster::{Agent, HostRules, guess};
use crate::app::agents::{perspectives_of, roles_of, seat_of};
use crate::app::init;
use crate::app::run::available::{Available, second_vendor};
use crate::app::run::guard::guard;
use crate::app::run::probe::Probe;
use crate::app::run::quota::Quotas;
use crate::app::run::signals;
use crate::app::run::sinks::{self, SinkReport};
use crate::app::run::workspace::Workspace;
use crate::config::agents::AgentConfig;
use crate::config::load::Effective;
use crate::config::trust::AgentUse;
use crate::engine::switch::Switch;
use crate::env::Env;
use crate::error::{Error, Kind};
use crate::kernel::{Cost, Stop};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::process::{self, Control, Ending, OutputBuffer};
use crate::skill::SkillSet;
use crate::text::redact::{Redactor, variables};
use crate::text::{Note, sanitize};

/// Maximum time for a CLI to print its version, help or login state. The slowest measured needs ten seconds.
const PROBE_LIMIT: Duration = Duration::from_secs(30);

/// The request for a check of agents.
#[derive(Debug, Clone)]
pub struct Doctor {
    /// Whether to make one tiny paid call to each usable agent.
    pub live: bool,
    /// The rules for where programs may be.
    pub machine: HostRules,
    /// The environment variables of the process.
    pub vars: BTreeMap<String, String>,
    /// The guard, see [`process::Spec::guard`].
    pub guard: PathBuf,
    /// The randomness for the nonce of a live call.
    pub env: Env,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// Each agent, by name.
    pub agents: Vec<AgentReport>,
    /// Every agent that has a role, or a seat in reviews and plans, can be used. `false` is exit code 3.
    pub usable: bool,
    /// What a second vendor would add, if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_vendor: Option<Note>,
    /// What `review --prove` needs, where the project has tests. No role needs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<Check>,
    /// The configured sinks. None is needed for a debate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<SinkReport>,
}

/// What was found of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentReport {
    /// Its name.
    pub name: String,
    /// The roles it plays.
    pub roles: Vec<String>,
    /// Its seat in reviews and plans, from 1, where it has one by default (`debate.default_agents`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<usize>,
    /// The perspectives that it takes in critiques, of those that are asked by default; another agent steps in for one that
    /// is missing, so none of them is needed.
    pub perspectives: Vec<String>,
    /// Nothing that was looked at keeps it from answering.
    pub usable: bool,
    /// Its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<PathBuf>,
    /// Its version, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What was looked at.
    pub checks: Vec<Check>,
    /// What a call hands over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sends: Option<Sends>,
    /// What is known to go wrong with this CLI.
    pub traps: Vec<String>,
    /// The tiny call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveCheck>,
}

/// What a call hands over, with names instead of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sends {
    /// The arguments; the private folder of a call is shown as `PRIVATE`.
    pub argv: Vec<String>,
    /// Names of the variables.
    pub env: Vec<String>,
}

/// The tiny call.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LiveCheck {
    /// Seconds it took.
    pub seconds: f64,
    /// What it cost; `None`: not known.
    pub cost: Option<Cost>,
    /// The model that answered, where the CLI reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Checks the configured agents of a project. Starts their programs, so the project must be trusted.
///
/// # Errors
/// Missing trust, no private folder, or a signal.
pub async fn doctor(workspace: &Workspace, live: bool) -> Result<Report, Error> {
    workspace.around.refuse_nesting()?;
    workspace.require_trust(&SkillSet::new(), AgentUse::Agents)?;
    let request = Doctor {
        live,
        machine: workspace.machine(),
        vars: workspace.around.vars.clone(),
        guard: guard()?,
        env: workspace.env().clone(),
    };
    let switch = Switch::default();
    let looking = async {
        let mut report = examine(&request, &workspace.effective, switch.listen()).await?;
        let names = report.agents.iter().map(|agent| &*agent.name);
        for quota in Quotas::read(workspace).of(names) {
            let mut agents = report.agents.iter_mut();
            if let Some(agent) = agents.find(|agent| agent.name == quota.agent) {
                agent.checks.push(judge::quota(&quota));
            }
        }
        let here = Available { workspace, rehearse: false };
        let usable = report.agents.iter().filter(|agent| agent.usable);
        let vendors: BTreeSet<String> = usable.map(|agent| here.vendor(&agent.name)).gather();
        let only = vendors.first().filter(|_| vendors.len() == 1);
        report.second_vendor = only.map(|vendor| second_vendor(vendor));
        report.sinks = sinks::examine(workspace, &switch).await;
        report.proof = proof::checks(workspace, live, &switch).await;
        Ok(report)
    };
    let report: io::Result<Report> =
        signals::during(&workspace.stops, &switch, None, looking).await?;
    if let Some(Stop::Cancelled(signal)) = switch.stopped() {
        return Err(Error::new(
            Kind::Interrupted(signal),
            "stopped before every agent was checked",
        ));
    }
    report.map_err(|error| {
        Error::new(Kind::Environment, "failed to make a private folder for the calls")
            .because(error)
    })
}

/// Checks the configured agents concurrently.
///
/// # Errors
/// The private folder for the calls could not be created. A problem with an agent is not an error.
pub async fn examine(
    request: &Doctor,
    effective: &Effective,
    control: watch::Receiver<Control>,
) -> io::Result<Report> {
    let folder = tempfile::Builder::new().prefix("debate-agent-doctor-").tempdir()?;
    let prices = Prices::new(effective.config.limits.model_aliases.clone());
    let examinations = effective.config.agents.iter().map(|(name, config)| {
        let patient = AgentCheck {
            request,
            effective,
            probe: Probe {
                guard: &request.guard,
                vars: &request.vars,
                limits: &effective.config.limits,
                dir: folder.path().join(name),
                control: control.clone(),
            },
            prices: &prices,
        };
        async move { patient.examine(name, config).await }
    });
    let agents: Vec<AgentReport> = join_all(examinations).await;
    let usable =
        agents.iter().all(|agent| agent.usable || (agent.roles.is_empty() && agent.seat.is_none()));
    Ok(Report { agents, usable, second_vendor: None, proof: Vec::new(), sinks: Vec::new() })
}

struct AgentCheck<'a> {
    request: &'a Doctor,
    effective: &'a Effective,
    probe: Probe<'a>,
    prices: &'a Prices,
}

impl AgentCheck<'_> {
    async fn examine(&self, name: &str, config: &AgentConfig) -> AgentReport {
        let profile = config.profile.unwrap_or_else(|| guess(&config.path));
        let known = profile.profile().probes;
        let mut report = AgentReport {
            name: name.to_owned(),
            roles: roles_of(self.effective, name),
            seat: seat_of(self.effective, name),
            perspectives: perspectives_of(self.effective, name),
            usable: false,
            program: None,
            version: None,
            checks: Vec::new(),
            sends: None,
            traps: known.traps.iter().map(|trap| (*trap).to_owned()).collect(),
            live: None,
        };
        let machine = &self.request.machine;
        let allowed = self.effective.config.limits.allow_dangerous;
        let agent = match Agent::resolve(name, config, None, machine, allowed) {
            Ok(agent) => agent,
            Err(error) => {
                // The error's own text ends with the remedy in that case.
                let elsewhere = init::find(profile, machine).ok();
                report.checks.push(judge::no_program(name, &error, elsewhere, known));
                return report;
            }
        };
        report.program = Some(agent.program.clone());
        report.checks.push(judge::program(&agent));
        match self.probe.prepare(&agent, "PROMPT") {
            Ok(prepared) => {
                report.sends = Some(self.sends(&agent, &prepared));
                self.ask_for_nothing(&agent, &prepared, known, &mut report).await;
            }
            Err(message) => report.checks.push(judge::not_prepared(message)),
        }
        report.usable = report.checks.iter().all(|check| check.status != Status::Failed);
        if self.request.live && report.usable {
            let (check, live) = self.live(&agent).await;
            report.usable = check.status != Status::Failed;
            report.checks.push(check);
            report.live = live;
        }
        report
    }

    fn sends(&self, agent: &Agent, prepared: &PreparedCall) -> Sends {
        let folder = self.probe.dir.display().to_string();
        let redactor = Redactor::new(&profile::secrets(agent, &self.request.vars));
        let shown = variables::arguments(&prepared.args, &redactor);
        let hidden = |text: &Cow<'_, str>| text.replace(&folder, "PRIVATE");
        Sends {
            argv: shown.iter().map(hidden).collect(),
            env: prepared.env.keys().cloned().collect(),
        }
    }

    async fn ask_for_nothing(
        &self,
        agent: &Agent,
        prepared: &PreparedCall,
        known: Probes,
        report: &mut AgentReport,
    ) {
        if known.program.is_empty() {
            return;
        }
        let (ending, printed) = self.ask(agent, prepared, known.version_args).await;
        let (version, check) = judge::version(&ending, &printed.stdout, known);
        let starts = check.status != Status::Failed;
        report.version = version;
        report.checks.push(check);
        if !starts {
            return;
        }
        let (ending, printed) = self.ask(agent, prepared, known.help_args).await;
        let help = [printed.stdout, printed.stderr].concat();
        report.checks.push(judge::flags(&ending, &String::from_utf8_lossy(&help), known));
        let key = known.key_variables.iter().copied().find(|name| prepared.env.contains_key(*name));
        let login = if known.login_args.is_empty() {
            None
        } else {
            Some(self.ask(agent, prepared, known.login_args).await)
        };
        report.checks.push(judge::login(login.as_ref(), key, known));
    }

    async fn ask(
        &self,
        agent: &Agent,
        prepared: &PreparedCall,
        args: &[&str],
    ) -> (Ending, OutputBuffer) {
        self.probe.ask(agent, prepared, args, PROBE_LIMIT).await
    }

    /// Asks for a nonce: only a call that reached a model and came back can contain it.
    async fn live(&self, agent: &Agent) -> (Check, Option<LiveCheck>) {
        let nonce = self.request.env.token();
        let prompt = format!("Answer with this word and nothing else: {nonce}\n");
        let prepared = match self.probe.prepare(agent, &prompt) {
            Ok(prepared) => prepared,
            Err(message) => return (judge::not_prepared(message), None),
        };
        let args = prepared.args.clone();
        let spec = self.probe.spec(agent, &prepared, args, prepared.stdin.clone(), agent.timeout);
        let mut printed = OutputBuffer::default();
        let ran = process::run(&spec, self.probe.control.clone(), &mut printed).await;
        let (stdout, stderr) = (&printed.stdout, &printed.stderr);
        let now = self.request.env.here();
        let envelope = envelope::read(agent, stdout, stderr, &ran.ending, &[], now);
        if needs_table(agent, &envelope) {
            self.prices.load().await;
        }
        let (cost, _) = work_out(agent, &envelope, self.prices);
        let redactor = Redactor::new(&profile::secrets(agent, &self.request.vars));
        let said = |text: &str| sanitize::line(&redactor.text(text), 300);
        let answer = envelope.answer.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let failure = envelope.failure.as_ref().map(|failure| said(&failure.message));
        let check =
            judge::live(failure, answer.contains(&nonce), &said(&answer), agent.cli().probes);
        let live = LiveCheck { seconds: ran.took.as_secs_f64(), cost, model: envelope.model };
        (check, Some(live))
    }
}
