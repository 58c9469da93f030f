//! `prioritize`: opens a partner debate over a backlog file and runs it.

use serde_json::Value;

use super::book::OnAmbiguous;
use super::debate::{self, Finished, store_error};
use super::rules::{PROTOCOL, ROLES, Rules, Switches};
use super::setup::Setup;
use super::workspace::Workspace;
use crate::agent::roster::{Roster, RosterError};
use crate::config::file::sha256;
use crate::config::trust::Use;
use crate::engine::events::Reporter;
use crate::env;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::protocol::Protocol as _;
use crate::protocol::backlog::intake::{self, Backlog, Limits};
use crate::protocol::backlog::model::RoundWarning;
use crate::protocol::{Step, Usd};
use crate::report::plan::{Plan, PlannedCall};
use crate::session::record::{Digests, Opened, SkillUsed};
use crate::skill::SkillSet;
use crate::text::Note;

/// What every debating command is told besides its input.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct RunOptions {
    /// Built-in stand-ins play every role.
    pub rehearse: bool,
    /// Refuse every reply that would need normalising.
    pub strict: bool,
    /// Take complete answers of failed calls.
    pub salvage: bool,
    /// Champion and critic may be of one vendor.
    pub allow_same_vendor: bool,
    /// What to do with a call that may have been paid.
    pub on_ambiguous: OnAmbiguous,
    /// Work without a lock where there is none.
    pub no_lock: bool,
}

/// A backlog to be ranked.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file's name for messages and the session's title.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The rest.
    pub options: RunOptions,
}

/// Reads the backlog and everything that the debate needs; asks and writes nothing.
pub(crate) fn prepare<'a>(
    workspace: &'a Workspace,
    request: &Request,
) -> Result<(Setup<'a>, Backlog), Error> {
    let limits = Limits {
        opportunities: usize::try_from(workspace.effective.config.limits.max_ids)
            .unwrap_or(usize::MAX)
            .min(Limits::default().opportunities),
        ..Limits::default()
    };
    let backlog = intake::read(&request.name, &request.bytes, env::now(), limits)
        .map_err(|error| Error::new(Kind::Input, error.to_string()))?;
    let (skills, roster) = cast(workspace, &request.options)?;
    let switches = Switches {
        strict: request.options.strict,
        salvage: request.options.salvage,
        same_vendor_allowed: request.options.allow_same_vendor,
    };
    let rules = Rules::new(&workspace.effective.config, switches, &roster);
    let setup = Setup {
        workspace,
        roster,
        skills,
        rules,
        opportunities: backlog.opportunities.clone(),
        on_ambiguous: request.options.on_ambiguous,
        accept_drift: false,
    };
    Ok((setup, backlog))
}

/// Loads skills and agents, after the check that the project may bring them.
pub(crate) fn cast(
    workspace: &Workspace,
    options: &RunOptions,
) -> Result<(SkillSet, Roster), Error> {
    workspace.around.refuse_nesting()?;
    let skills = workspace.skills(&ROLES.map(|(_, role)| role))?;
    let used = if options.rehearse {
        Use::Rehearsal
    } else {
        Use::Agents
    };
    workspace.require_trust(&skills, used)?;
    let roster = if options.rehearse {
        Roster::rehearsal(&ROLES.map(|(seat, _)| seat), &super::asker::guard()?)
    } else {
        let config = &workspace.effective.config;
        Roster::resolve(
            &ROLES,
            &config.agents,
            &config.roles,
            &workspace.machine(),
            config.limits.allow_dangerous,
        )
        .map_err(roster_error)?
    };
    Ok((skills, roster))
}

/// Runs a new debate.
///
/// # Errors
/// Input, configuration, trust, agents or state; a debate that ends without a
/// decision is no error but a [`Finished`] with its status.
pub async fn prioritize(
    workspace: &Workspace,
    request: &Request,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<Finished, Error> {
    let (setup, backlog) = prepare(workspace, request)?;
    let boundary = env::random_token();
    let machine = setup
        .rules
        .machine(setup.opportunities.clone(), &boundary)?;
    let opened = opened(&setup, request, boundary)?;
    let mut finished = if setup.opportunities.len() < 2 {
        nothing_to_rank(&setup, &machine, opened)?
    } else {
        let session = workspace
            .store(request.options.no_lock)
            .create(opened)
            .map_err(store_error)?;
        debate::drive(&setup, session, machine, false, reporters).await?
    };
    let notes = workspace.effective.warnings.iter().chain(&backlog.warnings);
    finished.document.header.warnings.extend(notes.map(warning));
    Ok(finished)
}

/// Fewer than two opportunities: nobody is asked and nothing is stored.
fn nothing_to_rank(
    setup: &Setup<'_>,
    machine: &crate::protocol::backlog::Machine,
    opened: Opened,
) -> Result<Finished, Error> {
    let Step::Done(outcome) = machine.next() else {
        return Err(Error::new(
            Kind::Bug,
            "a debate over fewer than two items wants to ask",
        ));
    };
    let mut ledger = crate::session::Ledger::new(&opened.session);
    ledger
        .fold(&crate::session::Record {
            seq: 1,
            at: env::now(),
            body: crate::session::Body::Opened(Box::new(opened)),
        })
        .map_err(|reason| Error::new(Kind::Bug, reason))?;
    Ok(Finished {
        document: debate::document(&ledger, &setup.rules, &setup.opportunities, &outcome),
        status: ExitStatus::Success,
    })
}

/// Makes a session's first record.
fn opened(setup: &Setup<'_>, request: &Request, boundary: String) -> Result<Opened, Error> {
    let config = &setup.workspace.effective.config;
    let value = |what: serde_json::Result<Value>| {
        what.map_err(|error| {
            Error::new(Kind::Bug, "a record cannot be written as JSON").because(error)
        })
    };
    let input = value(serde_json::to_value(&setup.opportunities))?;
    let settings = value(serde_json::to_value(&setup.rules))?;
    Ok(Opened {
        session: env::new_session_id(),
        protocol: PROTOCOL.to_owned(),
        title: format!(
            "{}: {} opportunities",
            request.name,
            setup.opportunities.len()
        ),
        digests: digests(setup, &input),
        input,
        settings,
        boundary,
        seed: env::random_seed(),
        skills: setup
            .skills
            .values()
            .map(|skill| SkillUsed {
                name: skill.name.clone(),
                origin: skill
                    .path
                    .as_ref()
                    .map_or_else(|| "built-in".to_owned(), |path| path.display().to_string()),
                sha256: skill.sha256.clone(),
            })
            .collect(),
        rehearsal: request.options.rehearse,
        budget: Some(config.limits.budget_usd),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Hashes what a session depends on, for the question whether it changed.
pub(crate) fn digests(setup: &Setup<'_>, input: &Value) -> Digests {
    Digests {
        input: sha256(input.to_string().as_bytes()),
        // Rules stand in the journal and are taken from there, so no file can change them.
        config: String::new(),
        skills: setup
            .skills
            .iter()
            .map(|(role, skill)| (role.clone(), skill.sha256.clone()))
            .collect(),
        agents: setup
            .roster
            .casts()
            .flat_map(|(role, cast)| {
                std::iter::once(&cast.agent)
                    .chain(&cast.fallbacks)
                    .map(move |agent| (format!("{role}/{}", agent.name), agent.digest.clone()))
            })
            .collect(),
    }
}

/// Shows the calls of the first round, their sizes and what would be reserved for them.
///
/// # Errors
/// As [`prioritize`], before anything is asked.
pub fn dry_run(workspace: &Workspace, request: &Request) -> Result<Plan, Error> {
    let (setup, backlog) = prepare(workspace, request)?;
    // Any boundary of the right length gives the right sizes.
    let machine = setup
        .rules
        .machine(setup.opportunities.clone(), &"0".repeat(32))?;
    let reserve = workspace.effective.config.backlog.first_reserve_usd;
    let (stable, first) = match machine.next() {
        Step::Ask { turns, .. } => turns.first().map_or((0, 0), |turn| {
            (turn.prompt.stable.len(), turn.prompt.text().len())
        }),
        Step::Done(_) => {
            return Ok(Plan {
                opportunities: count(setup.opportunities.len()),
                set_aside: count(backlog.set_aside.len()),
                note: Some("fewer than two opportunities: there is nothing to rank, and nobody would be asked".to_owned()),
                ..Plan::default()
            });
        }
    };
    let mut per_round = Usd::ZERO;
    let calls: Vec<PlannedCall> = ROLES
        .iter()
        .filter_map(|(seat, role)| Some((seat, role, &setup.roster.cast(seat)?.agent)))
        .map(|(seat, role, agent)| {
            let reserve_usd = agent.declared_cost.unwrap_or(match *seat {
                "champion" => reserve.champion,
                "critic" => reserve.critic,
                _ => reserve.moderator,
            });
            per_round += reserve_usd;
            let skill = setup
                .skills
                .get(*role)
                .map_or(0, |skill| skill.prompt.len());
            PlannedCall {
                turn: format!("r1/{seat}"),
                role: (*seat).to_owned(),
                agent: agent.name.clone(),
                vendor: agent.vendor.clone(),
                program: agent.program.display().to_string(),
                model: agent.model.clone(),
                timeout_seconds: agent.timeout.as_secs(),
                skill_bytes: count(skill),
                prompt_bytes: count(if *seat == "champion" { first } else { stable }),
                prompt_is_at_least: *seat != "champion",
                reserve_usd,
            }
        })
        .collect();
    let rounds = setup.rules.max_rounds;
    Ok(Plan {
        opportunities: count(setup.opportunities.len()),
        set_aside: count(backlog.set_aside.len()),
        calls,
        max_rounds: rounds,
        estimated_usd_per_round: per_round,
        estimated_usd_at_most: (0..rounds).map(|_| per_round).sum(),
        budget_usd: Some(workspace.effective.config.limits.budget_usd),
        rehearsal: request.options.rehearse,
        warnings: backlog.warnings.iter().map(warning).collect(),
        note: None,
    })
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

pub(crate) fn warning(note: &Note) -> RoundWarning {
    RoundWarning {
        code: note.code.clone(),
        turn: None,
        message: note.message.clone(),
    }
}

/// Turns an unusable agent into the error for the edge.
#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
pub(crate) fn roster_error(error: RosterError) -> Error {
    let (kind, code) = match &error {
        RosterError::UnknownAgent { .. }
        | RosterError::NoAgent { .. }
        | RosterError::NameDiffers { .. }
        | RosterError::Relative { .. }
        | RosterError::NoEffort { .. } => (Kind::Config, "agent_config"),
        RosterError::Dangerous { .. } => (Kind::Config, "dangerous_flags"),
        RosterError::NotFound { .. } => (Kind::Environment, "agent_not_found"),
        RosterError::NotExecutable { .. } => (Kind::Environment, "agent_not_executable"),
        RosterError::InWorkspace { .. } | RosterError::Replaceable { .. } => {
            (Kind::Trust, "agent_place")
        }
    };
    let mapped = Error::new(kind, error.to_string()).named(code);
    if kind == Kind::Environment {
        return mapped.hint("`--rehearse` shows a whole debate without any CLI");
    }
    mapped
}
