//! Registers this program as an MCP server with the user's clients, through the clients' own commands.
//!
//! Only a client knows its own files, so none is edited here: where a client has no command for it, the entry is
//! printed, and where it goes. A command consists only of values known to this program: its own path, constants, and a
//! scope from the command line. What a client says of a failure is the error.

mod facts;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::agent::roster::{HostRules, find_tool, trusted_groups};
use crate::app::run::guard::guard;
use crate::app::run::signals::{self, Stops};
use crate::app::run::tool;
use crate::app::run::workspace::StartContext;
use crate::app::word::{some, word};
use crate::config::load::repository_of;
use crate::engine::switch::Switch;
use crate::env;
use crate::error::{Error, Kind};
use crate::kernel::Stop;
use crate::process::{Depth, Limits, Spec};
use crate::report::clients::{ByHand, Client, ClientChange, Scope, line};
use crate::text::redact::Redactor;

/// Maximum time for a client to change its own settings: Node programs take seconds on a busy machine.
const COMMAND_LIMIT: Duration = Duration::from_mins(1);

/// The name of this program on PATH, and of its registration.
const NAME: &str = "debate-agent";

/// Which registration to make or to remove.
#[derive(Debug, Args)]
pub(crate) struct Request {
    /// The client.
    #[arg(value_parser = word::<Client>())]
    pub(crate) client: Client,
    /// Who it applies to.
    #[arg(long, default_value = "user", value_parser = some(&SCOPES))]
    pub(crate) scope: Scope,
    /// Show the command that would be run, and do nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

const SCOPES: [(Scope, &str); 2] = [
    (Scope::User, "For you, wherever the client runs"),
    (Scope::Project, "For everybody in this project: the file is in it"),
];

/// Makes a registration.
///
/// # Errors
/// The client is not installed, or its command failed.
pub(crate) async fn install(
    around: &StartContext,
    request: &Request,
) -> Result<ClientChange, Error> {
    change(around, request, false).await
}

/// Removes a registration.
///
/// # Errors
/// As [`install`].
pub(crate) async fn uninstall(
    around: &StartContext,
    request: &Request,
) -> Result<ClientChange, Error> {
    change(around, request, true).await
}

async fn change(
    around: &StartContext,
    request: &Request,
    delete: bool,
) -> Result<ClientChange, Error> {
    around.refuse_nesting()?;
    let &Request { client, scope, dry_run } = request;
    let project = repository_of(&around.dir).unwrap_or(&around.dir).to_owned();
    let (server, warning) = own_program(around, &project, scope)?;
    let mut done = ClientChange {
        client,
        scope,
        done: false,
        command: None,
        by_hand: None,
        notes: warning.into_iter().chain(facts::note(client, scope).map(str::to_owned)).collect(),
    };
    let args = if delete {
        facts::remove(client, scope, NAME)
    } else {
        facts::add(client, scope, NAME, &server)
    };
    let Some((program, args)) = args else {
        let (file, entry) = facts::entry(client, scope, NAME, &server).ok_or_else(|| {
            Error::new(
                Kind::Usage,
                format!("{} has no servers of a {}", client.name(), scope.name()),
            )
            .named("scope")
        })?;
        let base = if scope == Scope::Project { project } else { around.home() };
        // Desktop programs keep their settings where this says, if it says anything.
        let settings =
            around.var("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let file = match (file.strip_prefix(".config/"), settings) {
            (Some(rest), Some(settings)) => settings.join(rest),
            _ => base.join(file),
        };
        done.by_hand = Some(ByHand { file, entry, delete });
        return Ok(done);
    };
    let path = find_tool(program, &machine(around, &project)).map_err(|error| {
        Error::new(Kind::Environment, format!("{program} cannot be run: {error}"))
            .named("client_missing")
            .hint(format!("where it is installed, run: {}", line(&words(program, &args))))
    })?;
    done.command = Some(words(&path.to_string_lossy(), &args));
    if !dry_run {
        // For the user's scope nothing of a repository may be read.
        let cwd = if scope == Scope::Project { project } else { around.home() };
        run(around, path, args, cwd).await?;
        done.done = true;
    }
    Ok(done)
}

fn words(program: &str, args: &[String]) -> Vec<String> {
    std::iter::once(program.to_owned()).chain(args.iter().cloned()).collect()
}

fn machine(around: &StartContext, project: &Path) -> HostRules {
    HostRules {
        path: around.var("PATH").unwrap_or_default().to_owned(),
        workspace: project.to_owned(),
        home: around.home(),
        trusted_groups: trusted_groups(around.group, &around.groups),
    }
}

/// Returns the command by which a client finds this program: its path on PATH if that is this very file, so that an
/// upgrade there keeps the registration, else the file itself; for a project the bare name, since the file is shared
/// and this machine's path is not. Also what has to be mended before that starts.
fn own_program(
    around: &StartContext,
    project: &Path,
    scope: Scope,
) -> Result<(Vec<String>, Option<String>), Error> {
    let lost = |error: std::io::Error| {
        Error::new(Kind::Environment, "failed to find this program's own file")
            .because(error)
            .hint("if it was upgraded just now, run the command again")
    };
    let own = std::env::current_exe().map_err(lost)?;
    let real = own.canonicalize().map_err(lost)?;
    let on_path = find_tool(NAME, &machine(around, project)).ok();
    let is_this = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path == real);
    let server = |command: &str| words(command, &["mcp".to_owned(), "serve".to_owned()]);
    match on_path.filter(is_this) {
        _ if scope == Scope::Project => {
            let warning = format!(
                "each person's client looks for debate-agent on PATH; here it is {}",
                own.display()
            );
            Ok((server(NAME), Some(warning)))
        }
        Some(path) => Ok((server(&path.to_string_lossy()), None)),
        None => Ok((
            server(&own.to_string_lossy()),
            Some("this file is not on PATH: whoever moves it breaks the registration".to_owned()),
        )),
    }
}

/// Runs a client's own command with the user's whole environment, as if it had been typed in `cwd`.
async fn run(
    around: &StartContext,
    program: PathBuf,
    args: Vec<String>,
    cwd: PathBuf,
) -> Result<(), Error> {
    let spec = Spec {
        guard: guard()?,
        program,
        args,
        // It is no agent: it must run as if the user had typed the command.
        depth: Depth::Free,
        env: around.vars.clone(),
        cwd,
        scratch: None,
        stdin: Vec::new(),
        tag: format!("debate-agent/{}", env::unique()),
        limits: Limits { timeout: COMMAND_LIMIT, ..Limits::default() },
    };
    let switch = Switch::default();
    let redactor = Redactor::new(&[]);
    let what = spec.program.display().to_string();
    let ran = tokio::select! {
        biased;
        ran = tool::run(&what, &spec, switch.listen(), &redactor) => ran,
        error = signals::serve(&Stops::Signals, &switch, None) => {
            return Err(Error::new(Kind::Environment, "failed to listen for signals").because(error));
        }
    };
    match (ran, switch.stopped()) {
        (Ok(_), _) => Ok(()),
        (Err(_), Some(Stop::Cancelled(signal))) => {
            Err(Error::new(Kind::Interrupted(signal), "stopped before it finished"))
        }
        (Err(why), _) => Err(Error::new(Kind::State, why).named("client_failed")),
    }
}
