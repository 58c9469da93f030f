//! The request for a topic debate.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Arguments, Dialogue, Panel, Task, TopicDebate, prepare};
use crate::app::facts::{self, FactsRequest};
use crate::app::human::{self, MOST_BYTES, OpenTerminal, Person};
use crate::app::input::Input;
use crate::app::run::ending::RunReport;
use crate::app::run::flags::{Caller, Flags};
use crate::app::run::options::RunOptions;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::app::word::word;
use crate::error::{Error, Kind};
use crate::kernel::warning::warning;
use crate::protocol::clarify;
use crate::protocol::debate::brief::TOPIC_BYTES;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::typed::Side;
use crate::protocol::debate::{Mode, Style};
use crate::protocol::opening::Opening;
use crate::report::debate::DebateDocument;
use crate::report::plan::Plan;
use crate::text::json::parse;
use crate::text::sanitize;

/// The request for a topic debate: the question, and how to settle it.
///
/// A client's paths are resolved first, so that no tool reads one from its arguments.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
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
pub struct Request {
    /// The question to settle; `-` reads it from standard input.
    #[arg(value_parser = Input::typed())]
    #[schemars(description = "What to settle.", length(max = TOPIC_BYTES))]
    pub topic: Input,
    /// Facts, constraints.
    #[arg(skip)]
    #[serde(default)]
    pub description: String,
    /// A file that all sides are shown; can be repeated.
    #[arg(long = "file", value_name = "CONTEXT")]
    #[serde(skip)]
    pub files: Vec<PathBuf>,
    /// Facts that only the person knows.
    #[command(flatten)]
    #[serde(skip)]
    pub facts: FactsRequest,
    /// Copied into the result: JSON, or a text; can be repeated.
    #[arg(long, hide_short_help = true, value_name = "K=V", value_parser = metadata)]
    #[serde(skip)]
    pub metadata: Vec<(String, Value)>,
    /// How it is debated.
    #[arg(long, value_name = "STYLE", value_parser = word::<Style>())]
    #[schemars(
        description = "dialogue (default): two and an expert; argument: two; panel: three or more vote."
    )]
    pub style: Option<Style>,
    /// The tone.
    #[arg(skip)]
    pub mode: Option<Mode>,
    /// The choices.
    #[arg(skip)]
    #[serde(default)]
    #[schemars(length(min = 2, max = 20), inner(length(max = 200)))]
    pub options: Vec<String>,
    /// The language that agents write in.
    #[arg(skip)]
    #[serde(skip)]
    pub language: Option<String>,
    /// The agents that debate, in order.
    #[arg(long = "agents", value_name = "AGENT,...", value_delimiter = ',')]
    #[serde(default)]
    #[schemars(description = "The agents, in order; default: the configured ones.")]
    #[schemars(length(min = 2, max = 9), inner(length(max = 64)))]
    pub participants: Vec<String>,
    /// Rules where they disagree.
    #[arg(skip)]
    #[schemars(length(max = 64))]
    pub expert: Option<String>,
    /// Maximum number of rounds, the expert's included; of a panel: cross rounds.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=10))]
    #[schemars(description = "Most rounds; panel 0-5, else 1-10.", range(max = 10))]
    pub max_rounds: Option<u32>,
    /// The basis of the decision in a dialogue.
    #[arg(skip)]
    #[serde(skip)]
    pub consensus: Option<Basis>,
    /// Dialogue; blind: both open unseen.
    #[arg(skip)]
    pub opening: Option<Opening>,
    /// Take a side yourself, with --arguments.
    #[arg(long = "as", hide_short_help = true, value_name = "SIDE", value_parser = word::<Side>())]
    #[serde(skip)]
    pub person: Option<Side>,
    /// Your arguments, one JSON object per line.
    #[arg(long, hide_short_help = true, value_name = "FILE.jsonl", value_parser = Input::file(), value_hint = ValueHint::AnyPath)]
    #[serde(skip)]
    pub arguments: Option<Input>,
    /// Write the record into this directory instead of .debate/.
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    #[serde(skip)]
    pub out: Option<PathBuf>,
    /// Options common to all runs.
    #[command(flatten)]
    #[serde(skip)]
    pub run: RunOptions,
}

/// Parses an entry of metadata: its value is JSON where it is JSON, else the text itself. A number that JSON would write
/// differently (`1.10`, `1e5`) stays a text, so nothing of it is lost.
fn metadata(entry: &str) -> Result<(String, Value), String> {
    let (key, text) = (entry.split_once('=').filter(|(key, _)| !key.trim().is_empty()))
        .ok_or_else(|| format!("`{entry}` is not K=V: for example `ticket=ABC-12`"))?;
    let spelled = |value: &Value| value.to_string();
    let same = |value: &Value| !value.is_number() || spelled(value) == text.trim();
    let value = parse(text).ok().filter(same).unwrap_or_else(|| text.into());
    Ok((key.trim().to_owned(), value))
}

/// Why a request does not suit its style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StyleError {
    /// A person takes a side, but the style has no typed arguments.
    Side,
    /// A basis of the decision is given, which this style does not have.
    Basis(Style),
    /// A way to begin is given, which this style does not have.
    Opening(Style),
    /// The style does not allow this number of rounds.
    Rounds {
        /// The given number.
        given: u32,
        /// The allowed numbers.
        allowed: RangeInclusive<u32>,
    },
}

impl From<StyleError> for Error {
    fn from(refused: StyleError) -> Self {
        let (what, hint) = match refused {
            StyleError::Side => (
                "a person takes a side in a debate of typed arguments".to_owned(),
                "add `--style argument`",
            ),
            StyleError::Basis(style) => (
                format!("`--consensus` is for dialogues; in a {} other rules decide", noun(style)),
                "leave it out",
            ),
            StyleError::Opening(style) => {
                let why = match style {
                    Style::Panel => "the seats of a panel always answer blind",
                    Style::Argument | Style::Dialogue => {
                        "typed arguments begin with a proposal, which the adversary challenges"
                    }
                };
                (format!("`--opening` is for dialogues: {why}"), "leave it out")
            }
            StyleError::Rounds { given: 0, .. } => (
                "`--max-rounds 0` leaves no round to debate in".to_owned(),
                "1 and up; a panel can do without cross rounds",
            ),
            StyleError::Rounds { allowed, .. } => {
                (format!("a panel has {} cross rounds at most", allowed.end()), "1 is the default")
            }
        };
        Self::new(Kind::Usage, what).hint(hint)
    }
}

const fn noun(style: Style) -> &'static str {
    match style {
        Style::Argument => "debate of typed arguments",
        Style::Dialogue => "dialogue",
        Style::Panel => "panel",
    }
}

impl Request {
    /// Creates a request about a topic, with default options.
    pub fn about(topic: Input) -> Self {
        Self { topic, ..Self::default() }
    }

    /// Returns the style: a person who takes a side needs typed arguments.
    pub fn style(&self) -> Style {
        match (self.style, self.person) {
            (Some(style), _) => style,
            (None, None) => Style::Dialogue,
            (None, Some(_)) => Style::Argument,
        }
    }

    /// Refuses options that the style does not have.
    ///
    /// # Errors
    /// The first such option.
    pub fn fits_style(&self) -> Result<(), StyleError> {
        let style = self.style();
        if self.person.is_some() && style != Style::Argument {
            return Err(StyleError::Side);
        }
        if self.consensus.is_some() && style != Style::Dialogue {
            return Err(StyleError::Basis(style));
        }
        if self.opening.is_some() && style != Style::Dialogue {
            return Err(StyleError::Opening(style));
        }
        let allowed = style.rounds();
        match self.max_rounds {
            Some(given) if !allowed.contains(&given) => Err(StyleError::Rounds { given, allowed }),
            Some(_) | None => Ok(()),
        }
    }

    async fn start<D: TopicDebate>(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<RunReport<DebateDocument>, Error> {
        let mut run = prepare::<D>(workspace, self)?;
        let title = |task: &Task| sanitize::line(&task.brief.topic, 120);
        Ok(Box::pin(run.start(title, &self.run, reporters)).await?.finished)
    }

    fn plan<D: TopicDebate>(&self, workspace: &Workspace) -> Result<Plan, Error> {
        let run = prepare::<D>(workspace, self)?;
        let mut plan = run.dry_run(self.run.rehearse)?;
        plan.warnings.extend(run.task.notes.iter().map(warning));
        Ok(plan)
    }
}

impl UseCase for Request {
    type Output = RunReport<DebateDocument>;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.run
    }

    fn settings(&self, flags: &mut Flags) {
        let section = match self.style() {
            Style::Dialogue => "topic",
            Style::Argument => "argument",
            Style::Panel => "panel",
        };
        flags.set("max_rounds", [section, "max_rounds"], self.max_rounds);
        flags.set("consensus", ["topic", "consensus"], self.consensus);
        flags.set("opening", ["topic", "opening"], self.opening);
    }

    fn check(&self, _: Caller) -> Result<(), Error> {
        self.fits_style()?;
        let keys = || self.metadata.iter().map(|(key, _)| key);
        if let Some((_, key)) =
            keys().enumerate().find(|(at, key)| keys().take(*at).any(|other| other == *key))
        {
            return Err(Error::new(
                Kind::Usage,
                format!("the metadata key `{key}` is given twice"),
            )
            .hint("give each key once"));
        }
        let inputs: Vec<&Input> = self.facts.stated.iter().chain([&self.topic]).collect();
        Input::check_stdin(&inputs, &self.files)
    }

    fn person(
        &self,
        workspace: &Workspace,
        terminal: OpenTerminal,
    ) -> Result<Option<Person>, Error> {
        let seat = human::Seat {
            side: self.person,
            facts: self.facts.clarify == Some(clarify::Mode::Ask),
            rounds: workspace.effective.config.argument.max_rounds,
        };
        let arguments = self.arguments.as_ref();
        if !seat.is_taken() && arguments.is_none() {
            return Ok(None);
        }
        Person::from(seat, arguments.map(Input::named), terminal()).map(Some)
    }

    fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        let most = u64::try_from(TOPIC_BYTES).unwrap_or(u64::MAX);
        if self.topic.read_text(workspace, most + 1, "a topic")?.is_empty() {
            return Err(Error::new(Kind::Usage, "the topic is empty: say what should be settled")
                .hint("for example `debate-agent debate 'REST or gRPC?'`"));
        }
        self.description = self.description.trim().to_owned();
        self.options = (self.options.iter())
            .map(|option| option.trim().to_owned())
            .filter(|option| !option.is_empty())
            .collect();
        facts::read(self.facts.stated.as_mut(), workspace)?;
        read_arguments(self.arguments.as_mut(), workspace)
    }

    async fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<RunReport<DebateDocument>, Error> {
        match self.style() {
            Style::Dialogue => self.start::<Dialogue>(workspace, reporters).await,
            Style::Argument => self.start::<Arguments>(workspace, reporters).await,
            Style::Panel => self.start::<Panel>(workspace, reporters).await,
        }
    }
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        match self.style() {
            Style::Dialogue => self.plan::<Dialogue>(workspace),
            Style::Argument => self.plan::<Arguments>(workspace),
            Style::Panel => self.plan::<Panel>(workspace),
        }
    }
}

/// Reads the file of a person's replies, if one is given.
pub(crate) fn read_arguments(
    arguments: Option<&mut Input>,
    workspace: &Workspace,
) -> Result<(), Error> {
    match arguments {
        Some(said) => said.read(workspace, MOST_BYTES + 1, "arguments, one JSON object a line"),
        None => Ok(()),
    }
}
