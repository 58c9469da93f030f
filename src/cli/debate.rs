//! `debate`: agents settle one question; agreement is measured and dissent kept.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use serde_json::{Value, json};

use super::hold::{self, Format};
use super::options::{Global, HoldArgs};
use super::output::{self, Output};
use super::run::{self, flag};
use super::word::{some, word};
use super::{block_on, workspace};
use crate::app::decisions::{self, Due, How, Marks};
use crate::app::human::{MOST_BYTES, Terminal};
use crate::app::topic::{self, Request};
use crate::app::workspace::Workspace;
use crate::config::load::Flag;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::protocol::debate::Mode;
use crate::protocol::debate::brief::TOPIC_BYTES;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::typed::Side;
use crate::protocol::style::Style;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::page::terminal::line;
use crate::report::short_id;
use crate::text::json::parse;

/// How a debate is led.
pub(super) const MODES: [(Mode, &str); 3] = [
    (Mode::Adversarial, "Each agent challenges the next"),
    (Mode::Consensus, "All agents look for common ground"),
    (Mode::Collaborative, "Each agent builds on the one before"),
];

/// What decides a dialogue.
const BASES: [(Basis, &str); 2] = [
    (Basis::Stance, "What the sides say of each other's points"),
    (Basis::Text, "The likeness of their texts"),
];

#[derive(Debug, Args)]
#[command(after_help = "\
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
  debate-agent debate 'Should we shard now?' --file docs/load.md --expert codex
  debate-agent debate 'Which queue?' --style panel --options 'Kafka;NATS;SQS'
  debate-agent debate 'Drop Windows support' --as primary --participants claude
  debate-agent sessions resume 0198 --from-round 2
  debate-agent sessions decide 0198 --set consensus_threshold=0.7")]
pub(crate) struct DebateArgs {
    /// The question to settle; `-` reads it from standard input.
    pub(crate) topic: String,
    /// More about it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// A file that all sides are shown; may be given several times.
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) file: Vec<PathBuf>,
    /// Carried into the result; may be given several times. V is taken as JSON where it is JSON (`3`, `true`, `["a", "b"]`,
    /// `"3"` for the text 3), and as text otherwise.
    #[arg(long, value_name = "K=V")]
    pub(crate) metadata: Vec<String>,
    /// How it is debated (default dialogue; argument with --as).
    #[arg(long, value_name = "STYLE", value_parser = word::<Style>())]
    pub(crate) style: Option<Style>,
    /// The tone (default: `debate.default_mode`, adversarial).
    #[arg(long, value_name = "MODE", value_parser = some(&MODES))]
    pub(crate) mode: Option<Mode>,
    /// What there is to choose from, separated by semicolons.
    #[arg(long, value_name = "A;B;C", value_delimiter = ';')]
    pub(crate) options: Vec<String>,
    /// The language that agents write in (default: the topic's).
    #[arg(long, value_name = "LANG")]
    pub(crate) language: Option<String>,
    /// Who debates, in order (default: `topic.participants`; panel: all that are usable).
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub(crate) participants: Vec<String>,
    /// Who rules where they cannot agree: an agent, `auto` for a third vendor, `none`.
    #[arg(long, value_name = "AGENT")]
    pub(crate) expert: Option<String>,
    /// Most rounds (default 4 with the expert's; argument 3; panel 1 cross round).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=10))]
    pub(crate) max_rounds: Option<u32>,
    /// What decides in a dialogue: the stances, or the likeness of the texts.
    #[arg(long, value_name = "BASIS", value_parser = some(&BASES))]
    pub(crate) consensus: Option<Basis>,
    /// Take a side yourself, at the terminal or with --arguments.
    #[arg(long = "as", value_name = "SIDE", value_parser = word::<Side>())]
    pub(crate) seat: Option<Side>,
    /// Your arguments and remarks, one JSON object a line.
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) arguments: Option<PathBuf>,
    /// Stop after each round, so that you can add a remark for all sides.
    #[arg(long)]
    pub(crate) pause_between_rounds: bool,
    /// How the result is printed.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Write the record into this directory instead of .debate/.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Log an agreement in part as a decision without asking.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) hold: HoldArgs,
}

pub(super) fn debate(
    global: &Global,
    args: &DebateArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let call = &args.hold.call;
    hold::one_result(call, args.format, output)?;
    let style = style(args)?;
    let mut workspace = workspace(global, flags(args, style))?;
    let request = request(&workspace, args, style)?;
    let file = words(&workspace, args.arguments.as_deref())?;
    let file = (file.as_ref()).map(|(name, bytes)| (name.as_str(), &bytes[..]));
    let person = topic::person(&workspace, &request, file, terminal())?;
    let person = person.map(Rc::new);
    if let Some(person) = &person {
        workspace = workspace.with_person(Rc::clone(person));
    }
    hold::warn(&workspace, output);
    if call.dry_run {
        let plan =
            run::with_trust(&workspace, &request.run, || topic::dry_run(&workspace, &request))?;
        return hold::show_plan(&plan, output);
    }
    let finished = run::with_trust(&workspace, &request.run, || {
        let reporters = run::reporters(&workspace, call, None, output)?;
        block_on(topic::debate(&workspace, &request, reporters))?
    })?;
    let left = person.as_ref().and_then(|person| person.left());
    if let Some(note) = left {
        output.notice(&format!("warning: {}", note.message));
    }
    let status = finished.status.with_exit_zero(args.hold.exit_zero);
    let mut document = finished.document;
    let first = log_first(&workspace, &mut document, args.yes, output);
    let pages = hold::Pages {
        document: &document,
        render: DebateDocument::render,
        markdown: DebateDocument::markdown,
    };
    let shown = pages.print(args.format, status, call, output);
    // A log that could not be written does not cost the result. Nor does a reader that went away cost the log.
    logged(&workspace, &mut document, first, output, shown)
}

/// Logs what was decided before the result is shown, which then says so. `None`: a person is to be asked first, about what
/// was read.
pub(super) fn log_first(
    workspace: &Workspace,
    document: &mut DebateDocument,
    yes: bool,
    output: &Output,
) -> Option<Result<(), Error>> {
    let ask = decisions::due(document) == Due::Ask && !yes && !output.json;
    (!ask).then(|| log(workspace, document, yes, output))
}

/// Logs what was decided, behind the result that was shown, unless that was done `first`. One that could not be logged is no
/// second document on standard output: it is told, and the exit code says so.
pub(super) fn logged(
    workspace: &Workspace,
    document: &mut DebateDocument,
    first: Option<Result<(), Error>>,
    output: &Output,
    shown: Result<ExitStatus, Error>,
) -> Result<ExitStatus, Error> {
    let logged = first.unwrap_or_else(|| log(workspace, document, false, output));
    let Err(error) = logged else {
        return shown;
    };
    let id = short_id(&document.header.session_id);
    Output::beside(&format!(
        "error: the decision was not logged: {error}\nhint: once that is mended, `debate-agent decisions add {id}` logs it"
    ));
    shown.map(|_| ExitStatus::State)
}

/// Puts what was decided into the log of decisions: consensus at once, agreement in part after a yes.
fn log(
    workspace: &Workspace,
    document: &mut DebateDocument,
    yes: bool,
    output: &Output,
) -> Result<(), Error> {
    let question = |document: &DebateDocument| {
        let headline = line(&document.headline());
        format!("{headline}\nThe sides agree in part. Log this as a decision?")
    };
    let how = match decisions::due(document) {
        Due::Log => How::Automatic,
        // Shown again by a resume, it is not asked about again.
        Due::Ask if decisions::has(workspace, document)? => return Ok(()),
        Due::Ask if yes || (!output.json && output::confirm(&question(document))) => How::Confirmed,
        Due::Ask | Due::Offer | Due::Nothing => return Ok(()),
    };
    let logged = decisions::log(workspace, document, how, &Marks::default())?;
    document.logged = Some(Logged::from(&logged.decision));
    if let Some(why) = &logged.report_not_written {
        output.notice(&format!("warning: {why}"));
    }
    if !logged.already {
        output.notice(&format!("logged as decision {}", logged.decision.id));
    }
    Ok(())
}

/// Reads what a person says from a file: its name and its bytes.
pub(super) fn words(
    workspace: &Workspace,
    file: Option<&Path>,
) -> Result<Option<(String, Vec<u8>)>, Error> {
    file.map(|file| {
        run::read_file(workspace, file, MOST_BYTES + 1, "arguments, one JSON object a line")
    })
    .transpose()
}

/// The terminal, if there is one on both ends.
pub(super) fn terminal() -> Option<Terminal> {
    if !output::can_ask() {
        return None;
    }
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    Some(Terminal::new(input, Box::new(io::stderr())))
}

/// The style that is asked for: who takes a side wants typed arguments.
fn style(args: &DebateArgs) -> Result<Style, Error> {
    let style = match (args.style, args.seat) {
        (Some(style), _) => style,
        (None, None) => Style::Dialogue,
        (None, Some(_)) => Style::Argument,
    };
    if args.seat.is_some() && style != Style::Argument {
        return Err(Error::new(
            Kind::Usage,
            "a person takes a side in a debate of typed arguments",
        )
        .hint("add `--style argument`, or `--pause-between-rounds` to remark between the rounds"));
    }
    if args.consensus.is_some() && style != Style::Dialogue {
        return Err(Error::new(
            Kind::Usage,
            format!(
                "`--consensus` is for dialogues; in a {} others rules decide",
                match style {
                    Style::Argument => "debate of typed arguments",
                    Style::Dialogue | Style::Panel => "panel",
                }
            ),
        )
        .hint("leave it out"));
    }
    if args.max_rounds == Some(0) && style != Style::Panel {
        return Err(Error::new(Kind::Usage, "`--max-rounds 0` leaves no round to debate in")
            .hint("1 and up; a panel can do without cross rounds"));
    }
    if args.max_rounds.is_some_and(|rounds| rounds > 5) && style == Style::Panel {
        return Err(
            Error::new(Kind::Usage, "a panel has 5 cross rounds at most").hint("1 is the default")
        );
    }
    Ok(style)
}

fn request(workspace: &Workspace, args: &DebateArgs, style: Style) -> Result<Request, Error> {
    let from_stdin = args.file.iter().filter(|file| file.as_os_str() == "-").count();
    if from_stdin + usize::from(args.topic == "-") > 1 {
        return Err(Error::new(
            Kind::Usage,
            "standard input can be read once, and two arguments are `-`",
        )
        .hint("put one of them into a file"));
    }
    let options = args.options.iter().map(|option| option.trim().to_owned());
    Ok(Request {
        topic: topic_text(workspace, &args.topic)?,
        description: args.description.clone().unwrap_or_default(),
        files: args.file.clone(),
        metadata: metadata(&args.metadata)?,
        style,
        mode: match args.mode {
            Some(mode) => mode,
            None => workspace.effective.config.debate.default_mode.into(),
        },
        options: options.filter(|option| !option.is_empty()).collect(),
        language: (args.language.clone()).filter(|language| !language.trim().is_empty()),
        participants: args.participants.clone(),
        expert: args.expert.clone(),
        person: args.seat,
        pause: args.pause_between_rounds,
        out: (args.out.as_deref()).map(|out| super::below(workspace, out)),
        run: run::hold_options(&args.hold),
    })
}

/// Reads the topic; one that is empty or too long is refused before anybody is asked.
fn topic_text(workspace: &Workspace, given: &str) -> Result<String, Error> {
    let text = if given == "-" {
        let most = u64::try_from(TOPIC_BYTES).unwrap_or(u64::MAX);
        let (name, bytes) = run::read_file(workspace, given.as_ref(), most + 1, "a topic")?;
        String::from_utf8(bytes)
            .map_err(|_| Error::new(Kind::Input, format!("{name} is not UTF-8")))?
    } else {
        given.to_owned()
    };
    let text = text.trim().to_owned();
    if text.is_empty() {
        return Err(Error::new(Kind::Usage, "the topic is empty: say what is to be settled")
            .hint("for example `debate-agent debate 'REST or gRPC?'`"));
    }
    Ok(text)
}

/// Reads what metadata is: JSON where it is JSON, else the text as it stands. A number that JSON would write
/// otherwise (`1.10`, `1e5`) is a text: nothing of it is lost.
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
                Error::new(Kind::Usage, format!("`--metadata {entry}` is no key and value"))
                    .hint("for example `--metadata ticket=ABC-12`")
            })?;
        if metadata.insert(key.trim().to_owned(), typed(value)).is_some() {
            return Err(Error::new(
                Kind::Usage,
                format!("the metadata `{}` is given twice", key.trim()),
            )
            .hint("give each key once"));
        }
    }
    Ok(metadata)
}

/// What the command line sets in the configuration.
fn flags(args: &DebateArgs, style: Style) -> Vec<Flag> {
    let mut flags = run::hold_flags(&args.hold);
    if let Some(rounds) = args.max_rounds {
        let section = match style {
            Style::Dialogue => "topic",
            Style::Argument => "argument",
            Style::Panel => "panel",
        };
        flags.push(flag("--max-rounds", [section, "max_rounds"], json!(rounds)));
    }
    if let Some(basis) = args.consensus {
        flags.push(flag("--consensus", ["topic", "consensus"], json!(basis)));
    }
    flags
}
