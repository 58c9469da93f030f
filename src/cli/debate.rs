//! `debate`: agents settle one question; agreement is measured and dissent kept.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::rc::Rc;

use super::facts::FactsArgs;
use super::options::{CallArgs, Global};
use super::output::{self, Output};
use super::result;
use super::session::Session;
use super::surroundings;
use super::word::word;
use crate::app::Input;
use crate::app::decisions::{self, LogAction, LogMode, Marks};
use crate::app::human::Terminal;
use crate::app::topic::{self, Request};
use crate::app::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::protocol::debate::Style;
use crate::protocol::debate::typed::Side;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::page::ToPage as _;
use crate::report::short_id;
use crate::text::json::parse;
use clap::Args;
use serde_json::Value;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Styles:
  dialogue   one proposes, the other answers point by point; an expert rules
             where they cannot agree
  argument   proposal, challenge, defense, counter, resolution, under rules
             that the program checks; a person can take a side (--as)
  panel      three or more answer alone, then vote without knowing whose
             answers they are; a judge rules in both orders

What agents say of each other's points decides, not how similar their words are.
A failed agent is never agreement. The record is kept in .debate/.

Examples:
  debate-agent debate 'REST or gRPC for the internal API?' --rehearse
  debate-agent debate 'Should we shard now?' --file docs/load.md --set topic.expert=codex
  debate-agent debate 'Should we shard now?' --clarify --facts facts.md
  debate-agent debate 'Monorepo or not?' --set topic.opening=blind
  debate-agent debate 'Which queue?' --style panel
  debate-agent debate 'Drop Windows support' --as primary --agents claude
  debate-agent sessions resume 0198 --from-round 2
  debate-agent sessions decide 0198 --set topic.consensus_threshold=0.7")]
pub(crate) struct DebateArgs {
    /// The question to settle; `-` reads it from standard input.
    pub(crate) topic: String,
    /// A file that all sides are shown; can be repeated.
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) facts: FactsArgs,
    /// Copied into the result: JSON, or a text; can be repeated.
    #[arg(long, hide_short_help = true, value_name = "K=V")]
    pub(crate) metadata: Vec<String>,
    /// How it is debated.
    #[arg(long, value_name = "STYLE", value_parser = word::<Style>())]
    pub(crate) style: Option<Style>,
    /// The agents that debate, in order.
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
    /// Maximum number of rounds, the expert's included; of a panel: cross rounds.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=10))]
    pub(crate) max_rounds: Option<u32>,
    /// Take a side yourself, with --arguments.
    #[arg(long = "as", hide_short_help = true, value_name = "SIDE", value_parser = word::<Side>())]
    pub(crate) seat: Option<Side>,
    /// Your arguments, one JSON object per line.
    #[arg(long, hide_short_help = true, value_name = "FILE.jsonl")]
    pub(crate) arguments: Option<PathBuf>,
    /// Write the record into this directory instead of .debate/.
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

impl DebateArgs {
    fn request(&self) -> Result<Request, Error> {
        let topic = Input::typed(&self.topic);
        let request = Request {
            files: self.file.clone(),
            facts: self.facts.input(),
            clarify: self.facts.clarify,
            metadata: metadata(&self.metadata)?,
            style: self.style,
            participants: self.agents.clone(),
            max_rounds: self.max_rounds,
            person: self.seat,
            arguments: self.arguments.clone().map(Input::File),
            out: self.out.clone(),
            run: self.call.options(),
            ..Request::about(topic)
        };
        request.check()?;
        let from_stdin = self.file.iter().filter(|file| file.as_os_str() == "-").count();
        let inputs = [&request.topic, &request.facts].into_iter().filter(|input| input.is_stdin());
        if from_stdin + inputs.count() > 1 {
            return Err(Error::new(
                Kind::Usage,
                "standard input can be read only once, but two arguments are `-`",
            )
            .hint("put one of them into a file"));
        }
        Ok(request)
    }
}

pub(super) fn debate(
    global: &Global,
    args: &DebateArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    run_debate(global, args.request()?, &args.call, output)
}

/// Runs a debate, prints it, and logs its decision.
pub(super) fn run_debate(
    global: &Global,
    request: Request,
    call: &CallArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    result::one_stdout(call, output)?;
    let mut session = Session::open(surroundings(global)?, request, call, output)?;
    let person = topic::person(&session.workspace, &session.request, terminal())?.map(Rc::new);
    if let Some(person) = &person {
        session.workspace = session.workspace.with_person(Rc::clone(person));
    }
    session.warn();
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    let left = person.as_ref().and_then(|person| person.left());
    if let Some(note) = left {
        Output::warning(&note.message);
    }
    let status = finished.status;
    let (workspace, mut document) = (&session.workspace, finished.document);
    let first = log_first(workspace, &mut document, output);
    let shown = result::print(&document, status, workspace, call, output);
    // A failure to write the log does not cost the result, and a closed output does not cost the log.
    logged(workspace, &mut document, first, output, shown)
}

/// Logs the decision before the result is printed, so that the result can mention it. `None`: a person has to be
/// asked first, once the result has been read.
pub(super) fn log_first(
    workspace: &Workspace,
    document: &mut DebateDocument,
    output: &Output,
) -> Option<Result<(), Error>> {
    let ask = decisions::due(document) == LogAction::Ask && !output.json();
    (!ask).then(|| log(workspace, document, output))
}

/// Logs the decision after the result was printed, unless that was done `first`. A failure to log is not a second
/// document on standard output: it goes to standard error, and into the exit code.
pub(super) fn logged(
    workspace: &Workspace,
    document: &mut DebateDocument,
    first: Option<Result<(), Error>>,
    output: &Output,
    shown: Result<ExitStatus, Error>,
) -> Result<ExitStatus, Error> {
    let logged = first.unwrap_or_else(|| log(workspace, document, output));
    let Err(error) = logged else {
        return shown;
    };
    let id = short_id(&document.header.session_id);
    Output::beside(&format!(
        "error: the decision was not logged: {error}\nhint: once that is fixed, `debate-agent decisions add {id}` logs it"
    ));
    shown.map(|_| ExitStatus::State)
}

/// Adds the decision to the log of decisions: consensus at once, partial agreement after confirmation.
fn log(workspace: &Workspace, document: &mut DebateDocument, output: &Output) -> Result<(), Error> {
    let question = |document: &DebateDocument| {
        let headline = document.headline();
        format!("{headline}\nThe sides agree in part. Log this as a decision?")
    };
    let how = match decisions::due(document) {
        LogAction::Log => LogMode::Automatic,
        // A decision that a resume prints again is not asked about again.
        LogAction::Ask if decisions::has(workspace, document)? => return Ok(()),
        LogAction::Ask if !output.json() && output::confirm(&question(document)) => {
            LogMode::Confirmed
        }
        LogAction::Ask | LogAction::Offer | LogAction::Nothing => return Ok(()),
    };
    let logged = decisions::log(workspace, document, how, &Marks::default())?;
    document.logged = Some(Logged::from(&logged.decision));
    if let Some(why) = &logged.report_not_written {
        Output::warning(why);
    }
    if !logged.already {
        output.notice(&format!("logged as decision {}", logged.decision.id));
    }
    Ok(())
}

pub(super) fn terminal() -> Option<Terminal> {
    if !output::can_ask() {
        return None;
    }
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    Some(Terminal::new(input, Box::new(io::stderr())))
}

/// Parses the value of metadata: as JSON where it is JSON, else as the text itself. A number that JSON would write
/// differently (`1.10`, `1e5`) stays a text, so nothing of it is lost.
fn typed(text: &str) -> Value {
    let read = parse(text).ok();
    let same = |value: &Value| {
        let spelled = value.to_string();
        !value.is_number() || spelled == text.trim()
    };
    read.filter(same).unwrap_or_else(|| text.into())
}

fn metadata(given: &[String]) -> Result<BTreeMap<String, Value>, Error> {
    let mut metadata = BTreeMap::new();
    for entry in given {
        let (key, value) =
            (entry.split_once('=')).filter(|(key, _)| !key.trim().is_empty()).ok_or_else(|| {
                Error::new(Kind::Usage, format!("`--metadata {entry}` is not K=V"))
                    .hint("for example `--metadata ticket=ABC-12`")
            })?;
        if metadata.insert(key.trim().to_owned(), typed(value)).is_some() {
            return Err(Error::new(
                Kind::Usage,
                format!("the metadata key `{}` is given twice", key.trim()),
            )
            .hint("give each key once"));
        }
    }
    Ok(metadata)
}
