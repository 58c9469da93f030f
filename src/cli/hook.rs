//! `hook`: git's hooks that review before a push or a commit. What they say goes to standard error.

use std::io::{self, Read as _, Write as _};
use std::time::Instant;

use clap::{Args, Subcommand};

use super::options::{CallArgs, Global};
use super::output::Output;
use super::session::Session;
use super::{block_on, result, surroundings, workspace};
use crate::app::change;
use crate::app::documents::FilesDocument;
use crate::app::hook::{self, Hook};
use crate::app::review::{Request, ReviewResult};
use crate::app::word::word;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::Look;
use crate::report::page::ToPage as _;
use crate::text::sanitize;

#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Write the hook into this repository; another hook is left alone.
    #[command(after_long_help = "\
Examples:
  debate-agent hook install              git push is reviewed first
  debate-agent hook install pre-commit   git commit is")]
    Install(HookArgs),
    /// Review what is about to be pushed or committed: git calls it.
    #[command(after_long_help = "\
A finding of P1 or worse stops it, exit 1. What could not be reviewed goes
through with a note, also after 600 s (`limits.deadline_seconds`). Ctrl-C ends
the review and the push. With `--no-verify` git calls no hook.

Example:
  debate-agent hook run pre-commit   what is staged")]
    Run(RunArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The hook.
    #[arg(default_value = "pre-push", value_parser = word::<Hook>())]
    pub(crate) hook: Hook,
    /// Also stop what could not be reviewed.
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) common: HookArgs,
    /// The remote's name and address, as git gives them to a pre-push hook.
    pub(crate) remote: Vec<String>,
}

/// Time limit of a hook for which the configuration has none, in seconds.
const LIMIT: u64 = 600;

pub(super) fn hook(
    global: &Global,
    command: &HookCommand,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let HookArgs { hook, strict } = match command {
        HookCommand::Run(args) => return run(global, args, output),
        HookCommand::Install(args) => args,
    };
    let options = if *strict { " --strict" } else { "" };
    let file = block_on(hook::install(&workspace(global, Vec::new())?, *hook, options))??;
    let text = sanitize::terminal(&format!("wrote {}\n", file.display()));
    output.either(&FilesDocument { files: vec![file] }, ExitStatus::Success, |_| text)
}

fn run(global: &Global, args: &RunArgs, output: &Output) -> Result<ExitStatus, Error> {
    let (HookArgs { hook, strict }, begun) = (&args.common, Instant::now());
    let action = hook.name().trim_start_matches("pre-");
    let mut told = b"what is staged".to_vec();
    if *hook == Hook::PrePush {
        told.clear();
        let read = io::stdin().read_to_end(&mut told);
        read.map_err(|error| Error::new(Kind::State, "failed to read from git").because(error))?;
    }
    // Without a name, a remote's address stands for it.
    let named = args.remote.first().filter(|name| args.remote.get(1) != Some(*name));
    let remote = named.map_or("origin", String::as_str);
    let review = |told: &str| -> Result<(ExitStatus, String), Error> {
        let here = workspace(global, Vec::new())?;
        let Some((name, scope)) = block_on(hook::subject(&here, *hook, remote, told))?? else {
            return Ok((ExitStatus::Success, String::new()));
        };
        output.notice(&format!("reviewing {name}; `git {action} --no-verify` does without"));
        let scope = change::Request { scope, paths: Vec::new() };
        let call = CallArgs { dry_run: false, full: false, events: None };
        let request = Request { scope, ..Request::default() };
        let mut session = Session::open(surroundings(global)?, request, &call, output)?;
        let deadline = &mut session.workspace.effective.config.limits.deadline_seconds;
        *deadline = Some(deadline.unwrap_or(LIMIT).saturating_sub(begun.elapsed().as_secs()));
        session.warn();
        let held = match session.run()? {
            ReviewResult::Held(held) => held,
            ReviewResult::Nothing(nothing) => {
                output.notice(&nothing.sentence());
                return Ok((ExitStatus::Success, String::new()));
            }
        };
        let text = held.document.brief(Look::of(&io::stderr()), result::RUN_ROWS);
        io::stderr().write_all(text.as_bytes()).ok();
        Ok((held.status, held.document.headline()))
    };
    for told in String::from_utf8_lossy(&told).lines().filter(|line| !line.is_empty()) {
        let (status, why) = match review(told) {
            Err(error) if error.status().is_stopped() => return Err(error),
            reviewed => reviewed.unwrap_or_else(|error| (ExitStatus::Undecided, error.sentence())),
        };
        let mut stops = status != ExitStatus::Success;
        if matches!(status, ExitStatus::Undecided | ExitStatus::Environment) {
            stops = *strict;
            let goes = if stops { "stops" } else { "does not stop" };
            Output::beside(&format!("! not reviewed, which {goes} the {action}: {why}"));
        }
        if stops {
            let how = format!("`git {action} --no-verify` does it all the same");
            Output::beside(&format!("! the {action} is stopped; {how}"));
            return Ok(status);
        }
    }
    Ok(ExitStatus::Success)
}
