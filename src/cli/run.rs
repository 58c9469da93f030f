//! `prioritize` and `run`: commands that call agents.

use std::path::PathBuf;

use clap::Args;

use super::options::{Asked, Global, RoleArgs};
use super::output::Output;
use super::result;
use super::session::Session;
use super::surroundings;
use crate::app::number::setting;
use crate::app::prioritize::{self, Items};
use crate::app::{Input, run_agent};
use crate::error::Error;
use crate::exit::ExitStatus;

#[derive(Debug, Args)]
#[command(after_long_help = "\
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
    /// Maximum number of rounds; it ends sooner when the partners agree.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("backlog.max_rounds"))]
    pub(crate) max_rounds: Option<u32>,
    #[command(flatten)]
    pub(crate) run: RoleArgs,
}

impl PrioritizeArgs {
    fn request(&self) -> Result<prioritize::Request, Error> {
        let items = Items::Of(Input::File(self.file.clone()));
        let mut request = prioritize::Request::of(items);
        request.max_rounds = self.max_rounds;
        request.options = self.run.options()?;
        Ok(request)
    }
}

pub(super) fn prioritize(
    global: &Global,
    args: &PrioritizeArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let call = &args.run.call;
    let mut session = Session::open(surroundings(global)?, args.request()?, call, output)?;
    session.input = Some(&args.file);
    session.warn();
    // Before any agent is paid for a ranking of unread items. A dry run for people prints the warnings itself.
    if output.json() || !call.dry_run {
        for warning in session.request.noticed() {
            Output::warning(&warning.message);
        }
    }
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    result::print(&finished.document, finished.status, &session.workspace, call, output)
}

pub(super) fn run_agent(
    global: &Global,
    Asked { request, call }: Asked<run_agent::Request>,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let session = Session::open(surroundings(global)?, request, &call, output)?;
    let Some(answered) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    if output.json() {
        return output.document(&answered.document, answered.status);
    }
    if result::is_told(&call) {
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
