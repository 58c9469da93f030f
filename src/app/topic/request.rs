//! The request for a topic debate.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Arguments, Dialogue, Panel, Task, TopicDebate, prepare};
use crate::app::facts;
use crate::app::human::MOST_BYTES;
use crate::app::input::Input;
use crate::app::run::ending::RunReport;
use crate::app::run::flags::Flags;
use crate::app::run::options::RunOptions;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
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
use crate::text::sanitize;

/// The request for a topic debate: the question, and how to settle it.
///
/// A client's paths are resolved first, so that no tool reads one from its arguments.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Request {
    /// What to settle.
    #[schemars(length(max = TOPIC_BYTES))]
    pub topic: Input,
    /// Facts, constraints.
    #[serde(default)]
    pub description: String,
    /// Files shown to all sides.
    #[serde(skip)]
    pub files: Vec<PathBuf>,
    /// Facts that the person states beforehand, one a line; empty if there are none.
    #[serde(skip)]
    pub facts: Input,
    /// What becomes of questions before the first turn; `None` if none are asked.
    #[serde(skip)]
    pub clarify: Option<clarify::Mode>,
    /// Metadata copied to the result.
    #[serde(skip)]
    pub metadata: BTreeMap<String, Value>,
    /// dialogue (default): two and an expert; argument: two; panel: three or more vote.
    pub style: Option<Style>,
    /// The tone.
    pub mode: Option<Mode>,
    /// The choices.
    #[serde(default)]
    #[schemars(length(min = 2, max = 20), inner(length(max = 200)))]
    pub options: Vec<String>,
    /// The language that agents write in.
    #[serde(skip)]
    pub language: Option<String>,
    /// The agents, in order; default: the configured ones.
    #[serde(default)]
    #[schemars(length(min = 2, max = 9), inner(length(max = 64)))]
    pub participants: Vec<String>,
    /// Rules where they disagree.
    #[schemars(length(max = 64))]
    pub expert: Option<String>,
    /// Most rounds; panel 0-5, else 1-10.
    #[schemars(range(max = 10))]
    pub max_rounds: Option<u32>,
    /// The basis of the decision in a dialogue.
    #[serde(skip)]
    pub consensus: Option<Basis>,
    /// Dialogue; blind: both open unseen.
    pub opening: Option<Opening>,
    /// The side taken by a person.
    #[serde(skip)]
    pub person: Option<Side>,
    /// The person's replies, one JSON object per line.
    #[serde(skip)]
    pub arguments: Option<Input>,
    /// The path for the report, as typed.
    #[serde(skip)]
    pub out: Option<PathBuf>,
    /// Options common to all runs.
    #[serde(skip)]
    pub run: RunOptions,
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
    pub fn check(&self) -> Result<(), StyleError> {
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
        facts::read(&mut self.facts, workspace)?;
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
