//! `prioritize` and `run`: commands that call agents.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::Args;
use rustix::fs::OFlags;
use serde_json::{Value, json};

use super::hold::{self, one_stdout, show};
use super::options::{CallArgs, Global, HoldArgs, RunArgs};
use super::output::{Output, confirm};
use super::{block_on, workspace};
use crate::app::prioritize::{self, Request};
use crate::app::workspace::Workspace;
use crate::app::{Finished, RunOptions, Sending, run_agent as one_call, shown, trust};
use crate::config::key::KeyPath;
use crate::config::load::Flag;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::files::Folder;
use crate::report::Reporter;
use crate::report::jsonl::Jsonl;

/// Largest input that is read: one byte more than a backlog may have, so that its check can say so.
const MOST_INPUT: u64 = (64 << 20) + 1;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  debate-agent run claude 'Name three risks of caching.'
  git log -5 | debate-agent run codex -")]
pub(crate) struct RunAgentArgs {
    /// The agent's name in the configuration.
    pub(crate) agent: String,
    /// The prompt; `-` or nothing reads standard input.
    pub(crate) prompt: Option<String>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
FILE is a JSON array of opportunities, an object with `opportunities`, or JSON Lines.
Only `title` is required of an item. FILE itself is never changed; items that are
stored in .swarm/backlog get their ranks there. A ranking that leaves out more than
a third of the items is asked for once more, then counts as no answer.

Examples:
  debate-agent prioritize backlog.json --rehearse
  debate-agent prioritize backlog.json --budget 1.00 --max-rounds 2
  gh issue list --json number,title,body,labels,url,state | debate-agent prioritize -
  debate-agent prioritize .swarm/backlog/candidates.json    what is stored and open
  debate-agent prioritize backlog.json --dry-run")]
pub(crate) struct PrioritizeArgs {
    /// The opportunities: JSON or JSON Lines; `-` reads standard input.
    pub(crate) file: PathBuf,
    /// Most rounds (default 3); the debate ends sooner when the partners agree.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) max_rounds: Option<u32>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

pub(super) fn prioritize(
    global: &Global,
    args: &PrioritizeArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    one_stdout(&args.run.hold.call, output)?;
    let mut flags = flags(&args.run)?;
    if let Some(rounds) = args.max_rounds {
        flags.push(flag("--max-rounds", ["backlog", "max_rounds"], json!(rounds)));
    }
    let workspace = workspace(global, flags)?;
    let name = if args.file == Path::new("-") {
        "standard input".to_owned()
    } else {
        args.file.display().to_string()
    };
    let bytes = read_input(&workspace, &args.file)?;
    let request = Request {
        backlog: prioritize::read(&workspace, &name, &bytes)?,
        name,
        options: options(&args.run),
    };
    hold::warn(&workspace, output);
    let dry_run = args.run.hold.call.dry_run;
    // Before anybody is paid for a ranking of what was not read. A dry run for people shows them itself.
    if output.json || !dry_run {
        for warning in &request.backlog.warnings {
            output.notice(&format!("warning: {}", warning.message));
        }
    }
    if dry_run {
        let plan =
            with_trust(&workspace, &request.options, || prioritize::dry_run(&workspace, &request))?;
        return hold::show_plan(&plan, output);
    }
    let finished = with_trust(&workspace, &request.options, || {
        let reporters = reporters(&workspace, &args.run.hold.call, Some(&args.file), output)?;
        block_on(prioritize::prioritize(&workspace, &request, reporters))?
    })?;
    finish(&finished, &args.run, output)
}

/// Shows a finished debate and says how the program ends.
pub(super) fn finish(
    finished: &Finished,
    run: &RunArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let status = finished.status.with_exit_zero(run.hold.exit_zero);
    let document = &finished.document;
    show(document, |look| document.render(look), status, &run.hold.call, output)
}

pub(super) fn run_agent(
    global: &Global,
    args: RunAgentArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    one_stdout(&args.call, output)?;
    let workspace = workspace(global, call_flags(&args.call))?;
    let prompt = match args.prompt.as_deref() {
        Some(prompt) if prompt != "-" => prompt.as_bytes().to_vec(),
        Some(_) | None => read_input(&workspace, Path::new("-"))?,
    };
    let prompt = String::from_utf8(prompt).map_err(|_| {
        Error::new(Kind::Input, "the prompt is not UTF-8")
            .hint("convert it first, for example with iconv")
    })?;
    let request =
        one_call::Request { agent: args.agent, prompt, options: call_options(&args.call) };
    if args.call.dry_run {
        let plan =
            with_trust(&workspace, &request.options, || one_call::dry_run(&workspace, &request))?;
        return hold::show_plan(&plan, output);
    }
    let answered = with_trust(&workspace, &request.options, || {
        let reporters = reporters(&workspace, &args.call, None, output)?;
        block_on(one_call::run_agent(&workspace, &request, reporters))?
    })?;
    if output.json {
        return output.document(&answered.document, answered.status);
    }
    if args.call.events.as_deref() == Some(Path::new("-")) {
        // Standard output carries the events; `--json` has the answer.
        return Ok(answered.status);
    }
    match &answered.document.answer {
        Some(answer) => {
            let mut text = crate::text::sanitize::terminal(answer);
            if !text.ends_with('\n') {
                text.push('\n');
            }
            output.result_as(&text, answered.status)
        }
        None => Ok(answered.status),
    }
}

/// What the options of one call set in the configuration.
fn call_flags(call: &CallArgs) -> Vec<Flag> {
    let mut flags = Vec::new();
    if let Some(budget) = call.budget {
        flags.push(flag("--budget", ["limits", "budget_usd"], json!(budget)));
    }
    if let Some(seconds) = call.timeout {
        flags.push(flag("--timeout", ["limits", "timeout_seconds"], json!(seconds)));
    }
    if call.no_check {
        flags.push(flag("--no-check", ["limits", "check_logins"], json!(false)));
    }
    flags
}

/// The roles that `--agents` can cast: the short name of each, and its name in the configuration.
const ROLES: [(&str, &str); 5] = [
    ("champion", "backlog-champion"),
    ("critic", "backlog-critic"),
    ("moderator", "backlog-moderator"),
    ("analyst", "feature-analyst"),
    ("advisor", "fix-advisor"),
];

/// What the options of a session set in the configuration.
pub(super) fn hold_flags(hold: &HoldArgs) -> Vec<Flag> {
    let mut flags = call_flags(&hold.call);
    if let Some(most) = hold.max_parallel {
        flags.push(flag("--max-parallel", ["limits", "max_parallel"], json!(most)));
    }
    flags
}

/// What the command line sets in the configuration.
pub(super) fn flags(run: &RunArgs) -> Result<Vec<Flag>, Error> {
    let mut flags = hold_flags(&run.hold);
    for pair in &run.agents {
        let (role, agent) = pair.split_once('=').ok_or_else(|| {
            Error::new(Kind::Usage, format!("`--agents {pair}` is no ROLE=AGENT"))
                .hint("for example `--agents critic=gemini`")
        })?;
        let known = ROLES.iter().find(|(seat, name)| [*seat, *name].contains(&role));
        let Some((_, role)) = known else {
            let seats: Vec<&str> = ROLES.iter().map(|(seat, _)| *seat).collect();
            return Err(Error::new(
                Kind::Usage,
                format!("`--agents {pair}`: there is no role `{role}`"),
            )
            .hint(format!("roles are {}", seats.join(", "))));
        };
        flags.push(flag("--agents", ["roles", *role, "agent"], json!(agent)));
    }
    Ok(flags)
}

pub(super) fn flag<const N: usize>(name: &str, path: [&str; N], value: Value) -> Flag {
    Flag { name: name.to_owned(), path: KeyPath::of(path), value }
}

fn call_options(call: &CallArgs) -> RunOptions {
    RunOptions { rehearse: call.rehearse, salvage: call.salvage, ..RunOptions::default() }
}

pub(super) fn options(run: &RunArgs) -> RunOptions {
    RunOptions { allow_same_vendor: run.allow_same_vendor, ..hold_options(&run.hold) }
}

pub(super) fn hold_options(hold: &HoldArgs) -> RunOptions {
    RunOptions {
        strict: hold.strict,
        on_ambiguous: hold.on_ambiguous,
        no_lock: hold.no_lock,
        sending: Sending { off: hold.no_sinks, issue: hold.issue },
        ..call_options(&hold.call)
    }
}

/// Opens what shows and records the events of a run. `input` is never written over.
pub(super) fn reporters(
    workspace: &Workspace,
    call: &CallArgs,
    input: Option<&Path>,
    output: &Output,
) -> Result<Vec<Box<dyn Reporter>>, Error> {
    let mut reporters: Vec<Box<dyn Reporter>> = vec![output.progress()];
    match call.events.as_deref() {
        None => {}
        Some(path) if path == Path::new("-") => {
            reporters.push(Box::new(Jsonl::new(Box::new(io::stdout()))));
        }
        Some(path) => {
            let path = super::below(workspace, path);
            let input = input.and_then(|input| super::below(workspace, input).canonicalize().ok());
            if input.is_some() && path.canonicalize().ok() == input {
                return Err(Error::new(
                    Kind::Usage,
                    "`--events` names the backlog itself, which would be lost",
                )
                .hint("name another file"));
            }
            let file = output_file(workspace, &path).map_err(|error| {
                Error::new(Kind::Usage, format!("failed to create {}", path.display()))
                    .because(error)
                    .hint("name a file in a directory that exists and is yours")
            })?;
            reporters.push(Box::new(Jsonl::new(Box::new(file))));
        }
    }
    Ok(reporters)
}

/// Opens a file to write, in place of what it held. Private: events hold titles and what the agents said of their failures.
/// A link under its name is refused, be it anybody's but the system's own (`/dev/stderr`).
fn output_file(workspace: &Workspace, path: &Path) -> io::Result<File> {
    let device = path.starts_with("/dev") || path.starts_with("/proc");
    let (folder, below) = Folder::towards(Some(workspace.root()), path)?;
    match folder.look(below)? {
        Some(found) if device || found.kind.is_fifo() => {
            OpenOptions::new().write(true).truncate(true).open(path)
        }
        _ => {
            let file = folder.file_with(below, OFlags::WRONLY | OFlags::CREATE, 0o600)?;
            file.set_len(0)?;
            Ok(file)
        }
    }
}

/// Runs something that may be refused for want of trust; a person at a terminal is asked once.
pub(super) fn with_trust<T>(
    workspace: &Workspace,
    options: &RunOptions,
    mut go: impl FnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    let refused = match go() {
        Err(error) if error.code == "untrusted" => error,
        result => return result,
    };
    if options.rehearse || !workspace.effective.config.trust.ask {
        return Err(refused);
    }
    let seen = workspace.trust_candidates()?;
    let shown: Vec<String> = seen
        .keys
        .iter()
        .map(|key| format!("  {} = {}", key.path, key.value))
        .chain(seen.files.iter().map(|pin| format!("  {}", pin.path.display())))
        .collect();
    let question =
        format!("{}\n{}\nTrust this project, as it is now?", refused.what, shown.join("\n"));
    if !confirm(&question) {
        return Err(refused);
    }
    trust::grant_seen(&workspace.around.vars, &seen)
        .map_err(|error| Error::new(Kind::State, "failed to record the trust").because(error))?;
    go()
}

fn read_input(workspace: &Workspace, file: &Path) -> Result<Vec<u8>, Error> {
    let (_, bytes) = read_file(workspace, file, MOST_INPUT, "a JSON or JSON Lines file")?;
    Ok(bytes)
}

/// Reads an input, at most `most` bytes of it, with its name for messages; `-` is standard input.
pub(super) fn read_file(
    workspace: &Workspace,
    file: &Path,
    most: u64,
    what: &str,
) -> Result<(String, Vec<u8>), Error> {
    let mut bytes = Vec::new();
    let (name, read) = if file == Path::new("-") {
        ("standard input".to_owned(), io::stdin().lock().take(most).read_to_end(&mut bytes))
    } else {
        let opened = shown::input(workspace, file, what)?;
        let name = super::below(workspace, file).display().to_string();
        (name, opened.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        Error::new(Kind::Input, format!("failed to read {name}"))
            .because(error)
            .hint(format!("give {what}, or `-` for standard input"))
    })?;
    Ok((name, bytes))
}
