//! Starts a client's own command, or a registered server to see whether it answers; both under the guard.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::places::ClientPaths;
use crate::app::run::guard::guard;
use crate::app::run::signals::{self, Stops};
use crate::engine::switch::Switch;
use crate::env;
use crate::error::{Error, Kind};
use crate::kernel::Stop;
use crate::process::{self, Control, Depth, Ending, Limits, OutputBuffer, Spec};
use crate::report::clients::Answer;
use crate::text::sanitize;

/// Maximum time for a client to change its own settings: Node programs take seconds on a busy machine.
const COMMAND_LIMIT: Duration = Duration::from_mins(1);

/// Maximum time for a server to answer; clients give up after some tens of seconds.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Maximum bytes kept of each output stream.
const PRINTED_BYTES: u64 = 1 << 20;

/// The requested protocol revision. Servers answer with the one that they use.
const REVISION: &str = "2025-06-18";

/// Runs work that starts programs; the first signal stops it.
///
/// # Errors
/// Those of the work, or the signal.
pub(super) async fn stoppable<T>(
    work: impl AsyncFnOnce(watch::Receiver<Control>) -> Result<T, Error>,
) -> Result<T, Error> {
    let switch = Switch::default();
    let done = tokio::select! {
        biased;
        done = work(switch.listen()) => done,
        error = signals::serve(&Stops::Signals, &switch, None) => {
            Err(Error::new(Kind::Environment, "failed to listen for signals").because(error))
        }
    };
    match switch.stopped() {
        Some(Stop::Cancelled(signal)) if done.is_err() => {
            Err(Error::new(Kind::Interrupted(signal), "stopped before it finished")
                .hint("`debate-agent mcp status` shows what is registered where"))
        }
        Some(_) | None => done,
    }
}

/// The result of running one program.
struct ProgramResult {
    ending: Ending,
    printed: OutputBuffer,
    took: Duration,
}

/// The options for running one program.
struct Start<'a> {
    program: &'a Path,
    args: &'a [String],
    env: BTreeMap<String, String>,
    cwd: &'a Path,
    stdin: Vec<u8>,
    limit: Duration,
}

async fn run(start: Start<'_>, control: watch::Receiver<Control>) -> Result<ProgramResult, Error> {
    let spec = Spec {
        guard: guard()?,
        program: start.program.to_owned(),
        args: start.args.to_vec(),
        // Neither program is an agent: it must run as if the user had typed the command.
        depth: Depth::Free,
        env: start.env,
        cwd: start.cwd.to_owned(),
        scratch: None,
        stdin: start.stdin,
        tag: format!("debate-agent/{}", env::unique()),
        limits: Limits {
            timeout: start.limit,
            stdout_bytes: PRINTED_BYTES,
            stderr_bytes: PRINTED_BYTES,
            ..Limits::default()
        },
    };
    let mut printed = OutputBuffer::default();
    let ran = process::run(&spec, control, &mut printed).await;
    Ok(ProgramResult { ending: ran.ending, printed, took: ran.took })
}

/// Describes the failure of a program that did not end with 0; `None` if it did.
fn trouble(ran: &ProgramResult, limit: Duration) -> Option<String> {
    let text = match &ran.ending {
        Ending::Exited { code: 0 } => return None,
        Ending::Exited { code } => format!("it ended with exit code {code}"),
        Ending::Signaled { signal } => format!("signal {signal} ended it"),
        Ending::TimedOut => format!("it took longer than {} s", limit.as_secs()),
        Ending::Idle | Ending::Cancelled => "it was stopped".to_owned(),
        Ending::OutputLimit => format!("it printed more than {PRINTED_BYTES} bytes"),
        Ending::SpawnFailed { message, .. } => format!("it could not be started: {message}"),
        Ending::GuardLost => "its guard was killed".to_owned(),
    };
    let said = [&ran.printed.stderr, &ran.printed.stdout]
        .into_iter()
        .map(|bytes| String::from_utf8_lossy(bytes))
        .map(|text| sanitize::line(text.trim(), 300))
        .find(|text| !text.is_empty());
    Some(match said {
        Some(said) => format!("{text}: {said}"),
        None => text,
    })
}

/// Runs a client's own command with the user's whole environment, as if it had been typed in `cwd`.
///
/// # Errors
/// It did not end with 0; the error contains its own output.
pub(super) async fn command(
    world: &ClientPaths<'_>,
    program: &Path,
    args: &[String],
    cwd: &Path,
    control: watch::Receiver<Control>,
) -> Result<(), Error> {
    let start = Start {
        program,
        args,
        env: world.around.vars.clone(),
        cwd,
        stdin: Vec::new(),
        limit: COMMAND_LIMIT,
    };
    let ran = run(start, control).await?;
    match trouble(&ran, COMMAND_LIMIT) {
        None => Ok(()),
        Some(why) => Err(Error::new(Kind::State, format!("{} failed: {why}", program.display()))
            .named("client_failed")),
    }
}

/// Starts a server as its client would, and asks for its name and tools. A server that fails is a result, not an
/// error.
pub(super) async fn ask(
    world: &ClientPaths<'_>,
    program: &Path,
    args: &[String],
    variables: &BTreeMap<String, String>,
    control: watch::Receiver<Control>,
) -> Answer {
    let mut env = world.around.vars.clone();
    env.extend(variables.clone());
    let start = Start {
        program,
        args,
        env,
        cwd: &world.home,
        stdin: questions().into_bytes(),
        limit: ANSWER_LIMIT,
    };
    match run(start, control).await {
        Ok(ran) => judge(&ran),
        Err(error) => Answer::No { why: error.sentence() },
    }
}

fn questions() -> String {
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": {"name": "debate-agent mcp status", "version": env!("CARGO_PKG_VERSION")},
        }}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

/// Judges a server's output. Only the two answers count; once both are there, the exit status does not matter.
fn judge(ran: &ProgramResult) -> Answer {
    let text = String::from_utf8_lossy(&ran.printed.stdout);
    let answers: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let result = |id: u64| {
        let mut found = answers.iter().filter(|answer| answer["id"] == id);
        found.find_map(|answer| answer.get("result"))
    };
    let tools = result(2).and_then(|result| result["tools"].as_array());
    let said =
        |value: Option<&Value>| sanitize::line(value.and_then(Value::as_str).unwrap_or("?"), 60);
    match (result(1), tools) {
        (Some(greeting), Some(tools)) => {
            let info = greeting.get("serverInfo");
            Answer::Yes {
                name: said(info.and_then(|info| info.get("name"))),
                version: said(info.and_then(|info| info.get("version"))),
                tools: tools.len() as u64,
                milliseconds: u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
            }
        }
        (greeting, _) => {
            let what = if greeting.is_some() {
                "it answered `initialize`, but did not list its tools"
            } else {
                "it did not answer `initialize`"
            };
            let how = trouble(ran, ANSWER_LIMIT);
            Answer::No { why: how.map_or_else(|| what.to_owned(), |how| format!("{what}: {how}")) }
        }
    }
}
