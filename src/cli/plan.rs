//! `plan`: several agents plan a task, blind to each other; rules merge the parts that they agree on.

use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;

use super::debate::terminal;
use super::facts::FactsArgs;
use super::number::setting;
use super::options::{Global, PanelArgs};
use super::output::Output;
use super::result;
use super::session::Session;
use super::surroundings;
use crate::app::Input;
use crate::app::change::{self, Scope};
use crate::app::planning::{self, Request};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Each agent plans alone, then judges the others' steps without knowing whose they are.
The best plan is the base; steps of others that were agreed on are added, and changes
that nobody opposes are put in; the program checks the dependencies. What that leaves
in question is voted on. In a repository, planners see its files by folder and the
beginning of its README.

Examples:
  debate-agent plan 'Move the session store to SQLite' --rehearse
  debate-agent plan 'Move the session store to SQLite' --clarify=list
  debate-agent plan 'Add paging' --file docs/api.md
  debate-agent plan 'Finish what this branch began' --base main
  debate-agent plan - --json < task.md > plan.json")]
pub(crate) struct PlanArgs {
    /// What is to be done; `-` reads it from standard input.
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) facts: FactsArgs,
    /// Show the planners what differs from this; `HEAD`: what is not committed.
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// A file that all planners are shown; can be repeated.
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) file: Vec<PathBuf>,
    /// Maximum number of cross-examinations.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("plan.max_rounds"))]
    pub(crate) max_rounds: Option<u32>,
    /// Write the reports into this directory instead of .debate/.
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) panel: PanelArgs,
}

impl PlanArgs {
    fn request(&self) -> Request {
        Request {
            task: Input::typed(&self.task),
            facts: self.facts.input(),
            clarify: self.facts.clarify,
            scope: self
                .base
                .clone()
                .map(|base| change::Request { scope: Scope::Base(base), paths: Vec::new() }),
            files: self.file.clone(),
            agents: self.panel.agents.clone(),
            max_rounds: self.max_rounds,
            out: self.out.clone(),
            options: self.panel.call.options(),
            ..Request::default()
        }
    }
}

pub(super) fn plan(global: &Global, args: &PlanArgs, output: &Output) -> Result<ExitStatus, Error> {
    let call = &args.panel.call;
    result::one_stdout(call, output)?;
    let request = args.request();
    let files = request.files.iter().filter(|file| file.as_os_str() == "-").count();
    let inputs = [request.task.is_stdin(), request.facts.is_stdin()];
    if files + inputs.into_iter().filter(|stdin| *stdin).count() > 1 {
        return Err(Error::new(
            Kind::Usage,
            "standard input can be read only once, but two arguments are `-`",
        )
        .hint("put one of them into a file"));
    }
    let mut session = Session::open(surroundings(global)?, request, call, output)?;
    if let Some(person) = planning::person(&session.request, terminal())? {
        session.workspace = session.workspace.with_person(Rc::new(person));
    }
    session.warn();
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    result::print(&finished.document, finished.status, &session.workspace, call, output)
}
