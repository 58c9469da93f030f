//! Checks whether the agents to be asked are logged in, using the CLIs' own checks, which are free, before anything
//! is paid for.
//!
//! Only a CLI that itself reports a missing login stops a run, and only if no key of its profile is set. A CLI
//! without such a check, or whose check fails or takes too long, is never refused. A passed check is remembered for
//! some minutes; a refusal never is, so that a user who logs in can start again at once.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};

use futures_util::future::join_all;
use tokio::sync::watch;

use super::guard::guard;
use super::probe::{Probe, says_logged_out};
use super::signals;
use super::workspace::Workspace;
use crate::agent::profile::{PreparedCall, chooses_provider};
use crate::agent::roster::{Agent, Assignment, key_and_model};
use crate::config::file::{IfExists, Links, make_private_folder, read_text, sha256, write_atomic};
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::kernel::Stop;
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::process::{Control, Ending};

/// Maximum time of a login check. The slowest measured needs little more than a second.
const AT_MOST: Duration = Duration::from_secs(5);

/// The time for which a passed check counts, in seconds.
const FRESH: i64 = 300;

/// Refuses seats without a logged-in agent: neither their own nor any of its stand-ins.
///
/// # Errors
/// [`Kind::Environment`] with a remedy for each agent, or a signal came.
pub(crate) async fn check<'a>(
    workspace: &Workspace,
    casts: impl Iterator<Item = (&'a str, &'a Assignment)>,
    switch: Option<&Switch>,
) -> Result<(), Error> {
    let casts: Vec<&Assignment> = casts.map(|(_, cast)| cast).collect();
    let asked = |agent: &&Agent| !agent.is_person() && !agent.rehearsal;
    let first: Vec<&Agent> = casts.iter().map(|cast| &cast.agent).filter(asked).collect();
    if !workspace.effective.config.limits.check_logins || first.is_empty() {
        return Ok(());
    }
    let own = Switch::default();
    let control = switch.unwrap_or(&own).listen();
    let looking = async {
        let mut out = logged_out(workspace, first, &control).await;
        // Stand-ins are checked only for seats whose own agent is logged out.
        let needed = casts.iter().filter(|cast| out.contains(key(&cast.agent)));
        let stand_ins = needed.flat_map(|cast| &cast.fallbacks).collect();
        out.extend(logged_out(workspace, stand_ins, &control).await);
        out
    };
    let out = if switch.is_some() {
        looking.await
    } else {
        signals::during(&workspace.stops, &own, None, looking).await?
    };
    if let Some(Stop::Cancelled(signal)) = own.stopped() {
        return Err(Error::new(Kind::Interrupted(signal), "stopped before anybody was asked"));
    }
    let silent = |cast: &&&Assignment| {
        let mut all = std::iter::once(&cast.agent).chain(&cast.fallbacks);
        all.all(|agent| out.contains(key(agent)))
    };
    let missing: BTreeMap<&str, &Agent> =
        (casts.iter().filter(silent)).map(|cast| (key(&cast.agent), &cast.agent)).gather();
    if missing.is_empty() {
        return Ok(());
    }
    let here = casts.iter().map(|cast| key(&cast.agent)).filter(|name| !missing.contains_key(name));
    let others: BTreeSet<&str> = here.gather();
    Err(refusal(&missing, &others))
}

/// Returns an agent's key in the configuration: its seats share one login.
fn key(agent: &Agent) -> &str {
    key_and_model(&agent.name).0
}

/// `others`: the agents that could be asked alone.
fn refusal(missing: &BTreeMap<&str, &Agent>, others: &BTreeSet<&str>) -> Error {
    let names: Vec<&str> = missing.keys().copied().collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let what = format!("{} {are} not logged in", names.join(" and "));
    let error = Error::new(Kind::Environment, what).named("not_logged_in");
    let others: Vec<&str> = others.iter().copied().collect();
    let alone = format!("`--agents {}` goes on without {}", others.join(","), names.join(" and "));
    missing
        .iter()
        .map(|(name, agent)| format!("{name}: {}", agent.cli().probes.log_in))
        .chain((!others.is_empty()).then_some(alone))
        .chain([
            "nothing was paid; `--set limits.check_logins=false` continues without asking the CLIs"
                .to_owned(),
        ])
        .fold(error, Error::hint)
}

/// Returns the names of the agents whose CLIs report a missing login.
async fn logged_out(
    workspace: &Workspace,
    agents: Vec<&Agent>,
    control: &watch::Receiver<Control>,
) -> BTreeSet<String> {
    let by_name: BTreeMap<&str, &Agent> = agents
        .into_iter()
        .filter(|agent| !agent.cli().probes.login_args.is_empty())
        .map(|agent| (key(agent), agent))
        .gather();
    let (Ok(guard), false) = (guard(), by_name.is_empty()) else {
        return BTreeSet::new();
    };
    let Ok(folder) = tempfile::Builder::new().prefix("debate-agent-check-").tempdir() else {
        return BTreeSet::new();
    };
    let known = Recent::read(workspace);
    let checks = by_name.into_iter().map(|(name, agent)| {
        let probe = Probe {
            guard: &guard,
            vars: &workspace.around.vars,
            limits: &workspace.effective.config.limits,
            dir: folder.path().join(name),
            control: control.clone(),
        };
        let known = &known;
        async move { (name, look(&probe, agent, known).await) }
    });
    let mut fine = Vec::new();
    let mut out = BTreeSet::new();
    for (name, found) in join_all(checks).await {
        match found {
            Login::Missing => {
                out.insert(name.to_owned());
            }
            Login::Fine(key) => fine.push(key),
            Login::Unasked => {}
        }
    }
    known.remember(fine, workspace.env().now());
    out
}

/// The result of checking one agent.
enum Login {
    /// The CLI reports a missing login.
    Missing,
    /// Nothing prevents asking it; contains the key for remembering that.
    Fine(String),
    /// The same without a new check: it was known, has an API key, or cannot be checked.
    Unasked,
}

async fn look(probe: &Probe<'_>, agent: &Agent, known: &Recent) -> Login {
    // A check reads no repository, even if its agent may.
    let agent = &Agent { reads: None, ..agent.clone() };
    let Ok(prepared) = probe.prepare(agent, "PROMPT") else {
        return Login::Unasked;
    };
    let key = key_of(agent, &prepared, probe);
    let how = agent.cli().probes;
    // The CLI's own check knows nothing of another provider's login.
    let has_key = (how.key_variables.iter()).any(|name| prepared.env.contains_key(*name))
        || chooses_provider(agent, &prepared.env);
    if has_key || known.fresh.contains_key(&key) {
        return Login::Unasked;
    }
    let (ending, printed) = probe.ask(agent, &prepared, how.login_args, AT_MOST).await;
    if matches!(ending, Ending::Cancelled) {
        Login::Unasked
    } else if says_logged_out(&ending, &printed, how) {
        Login::Missing
    } else {
        Login::Fine(key)
    }
}

/// Hashes what a login depends on: the program, and the variables that it gets. The values cannot be recovered from
/// it.
fn key_of(agent: &Agent, prepared: &PreparedCall, probe: &Probe<'_>) -> String {
    let dir = probe.dir.display().to_string();
    let env: BTreeMap<&String, &String> =
        (prepared.env.iter()).filter(|(_, value)| !value.contains(&dir)).gather();
    let parts = serde_json::json!([agent.program, env]);
    sha256(parts.to_string().as_bytes())
}

/// The checks passed in the last minutes, by any command of this user, with their times in seconds since 1970.
struct Recent {
    file: PathBuf,
    fresh: BTreeMap<String, i64>,
}

impl Recent {
    /// Reads the file; if it cannot be read, nothing is known.
    fn read(workspace: &Workspace) -> Self {
        let file = workspace.around.state_dir().join("logins.json");
        let now = workspace.env().now().timestamp();
        let text = read_text(&file, Links::Refuse).unwrap_or_default();
        let all: BTreeMap<String, i64> = serde_json::from_str(&text).unwrap_or_default();
        let fresh = (all.into_iter())
            .filter(|(_, at)| (0..FRESH).contains(&now.saturating_sub(*at)))
            .gather();
        Self { file, fresh }
    }

    /// Adds newly passed checks and writes the file. If that fails, they are made again next time.
    fn remember(mut self, keys: Vec<String>, now: DateTime<Utc>) {
        if keys.is_empty() {
            return;
        }
        let now = now.timestamp();
        self.fresh.extend(keys.into_iter().map(|key| (key, now)));
        let folder = self.file.parent().map(make_private_folder);
        if let (Some(Ok(())), Ok(bytes)) = (folder, serde_json::to_vec(&self.fresh)) {
            write_atomic(&self.file, &bytes, 0o600, IfExists::Replace).ok();
        }
    }
}
