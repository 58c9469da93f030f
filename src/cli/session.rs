//! A session that a command runs: the one way from a request to its result.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::rc::Rc;

use rustix::fs::OFlags;

use clap::Args;

use super::options::{Asked, CallArgs, Global};
use super::output::{Output, can_ask, confirm};
use super::result;
use super::{block_on, surroundings};
use crate::app::human::{Person, Terminal};
use crate::app::workspace::{StartContext, Workspace};
use crate::app::{Caller, DryRun, Reporters, RunReport, Stops, UseCase, trust};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::files::Folder;
use crate::report::jsonl::Jsonl;
use crate::report::plan;
use crate::report::session_result::SessionDocument;

/// A request in the workspace for which it is made.
pub(super) struct Session<'a, R> {
    pub(super) workspace: Workspace,
    pub(super) request: R,
    call: &'a CallArgs,
    output: &'a Output,
    /// A file that is never overwritten.
    pub(super) input: Option<&'a Path>,
    /// The person who takes part.
    pub(super) person: Option<Rc<Person>>,
    rehearse: bool,
}

/// Runs a request, or plans it, and prints what came of it.
pub(super) fn run<R, D>(
    global: &Global,
    Asked { request, call }: Asked<R>,
    output: &Output,
) -> Result<ExitStatus, Error>
where
    R: DryRun<Output = RunReport<D>> + Args,
    D: SessionDocument,
{
    let session = Session::open(surroundings(global)?, request, &call, output)?;
    session.warn();
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    result::print(&finished.document, finished.status, &session.workspace, &call, output)
}

impl<'a, R: UseCase> Session<'a, R> {
    /// Opens the workspace with the request's own settings, and reads the files that the request names.
    pub(super) fn open(
        around: StartContext,
        mut request: R,
        call: &'a CallArgs,
        output: &'a Output,
    ) -> Result<Self, Error> {
        result::one_stdout(call, output)?;
        request.check(Caller::CommandLine)?;
        let mut workspace = Workspace::open(around, request.flags(Caller::CommandLine))?;
        output.configure(&workspace);
        request.read(&workspace)?;
        let person = request.person(&workspace, terminal)?.map(Rc::new);
        if let Some(person) = &person {
            workspace = workspace.with_person(Rc::clone(person));
        }
        if person.is_none() && can_ask() && output.is_live() {
            workspace = workspace.stopped_by(Stops::Terminal);
        }
        let rehearse = request.options().rehearse;
        Ok(Self { workspace, request, call, output, input: None, person, rehearse })
    }

    /// Prints the warnings about the configuration.
    pub(super) fn warn(&self) {
        for note in &self.workspace.effective.warnings {
            Output::warning(&note.message);
        }
    }

    /// Asks the agents.
    pub(super) fn run(&self) -> Result<R::Output, Error> {
        self.with_trust(|| {
            let reporters = self.reporters()?;
            block_on(self.request.run(&self.workspace, reporters))?
        })
    }

    /// Asks the agents; `None`: it is a dry run, which prints the calls that would be made.
    pub(super) fn run_or_dry_run(&self) -> Result<Option<R::Output>, Error>
    where
        R: DryRun,
    {
        if !self.call.dry_run {
            return self.run().map(Some);
        }
        let plan = self.with_trust(|| block_on(self.request.dry_run(&self.workspace))?)?;
        self.output.either(&plan, ExitStatus::Success, |look| plan::render(&plan, look))?;
        Ok(None)
    }

    /// Runs something that may be refused for want of trust; a person at a terminal is asked once.
    fn with_trust<T>(&self, mut go: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
        let workspace = &self.workspace;
        let refused = match go() {
            Err(error) if error.code == "untrusted" => error,
            result => return result,
        };
        if self.rehearse || !workspace.effective.config.trust.ask {
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
        trust::grant_seen(&workspace.around.vars, &seen).map_err(|error| {
            Error::new(Kind::State, "failed to record the trust").because(error)
        })?;
        go()
    }

    /// Opens the reporters that show and record the events of a run.
    fn reporters(&self) -> Result<Reporters, Error> {
        let workspace = &self.workspace;
        let mut reporters: Reporters = vec![self.output.reporter()];
        match self.call.events.as_deref() {
            None => {}
            Some(path) if path == Path::new("-") => {
                reporters.push(Box::new(Jsonl::new(Box::new(io::stdout()))));
            }
            Some(path) => {
                let below = |path: &Path| workspace.around.dir.join(path);
                let path = below(path);
                let input = self.input.and_then(|input| below(input).canonicalize().ok());
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
}

fn terminal() -> Option<Terminal> {
    if !can_ask() {
        return None;
    }
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    Some(Terminal::new(input, Box::new(io::stderr())))
}

/// Opens a file for writing and discards its content. Private: events contain titles and the agents' own words on
/// their failures. A link under its name is refused, whoever owns it, except for the system's own (`/dev/stderr`).
pub(super) fn output_file(workspace: &Workspace, path: &Path) -> io::Result<File> {
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
