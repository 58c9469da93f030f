//! What a topic debate is asked for.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde_json::Value;

use super::prepare;
use crate::app::human::MOST_BYTES;
use crate::app::input::Input;
use crate::app::run::ending::RunReport;
use crate::app::run::flags::Flags;
use crate::app::run::options::RunOptions;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::kernel::warning::warning;
use crate::protocol::debate::Mode;
use crate::protocol::debate::brief::TOPIC_BYTES;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::typed::Side;
use crate::protocol::style::Style;
use crate::report::debate::DebateDocument;
use crate::report::plan::Plan;
use crate::text::sanitize;

/// What is to be settled, and how.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The question.
    pub topic: Input,
    /// More about it; may be empty.
    pub description: String,
    /// Files that all sides are shown.
    pub files: Vec<PathBuf>,
    /// Carried into the result.
    pub metadata: BTreeMap<String, Value>,
    /// How it is debated; `None`: a dialogue, or typed arguments where a person takes a side.
    pub style: Option<Style>,
    /// The tone; `None` for the configuration's.
    pub mode: Option<Mode>,
    /// What there is to choose from.
    pub options: Vec<String>,
    /// The language that agents write in.
    pub language: Option<String>,
    /// Who debates, in order; empty for the configuration's.
    pub participants: Vec<String>,
    /// Who rules or judges; `None` for the configuration's.
    pub expert: Option<String>,
    /// Most rounds.
    pub max_rounds: Option<u32>,
    /// What decides in a dialogue.
    pub consensus: Option<Basis>,
    /// The side that a person takes.
    pub person: Option<Side>,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// What a person says, one JSON object a line.
    pub arguments: Option<Input>,
    /// Where the report goes, as typed.
    pub out: Option<PathBuf>,
    /// The rest.
    pub run: RunOptions,
}

/// What cannot be asked of a debate in its style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StyleError {
    /// A person takes a side without typed arguments.
    Side,
    /// What decides is no question in this style.
    Basis(Style),
    /// There are no debates of so many rounds.
    Rounds {
        /// So many.
        given: u32,
        /// What there are.
        allowed: RangeInclusive<u32>,
    },
}

impl From<StyleError> for Error {
    fn from(refused: StyleError) -> Self {
        let (what, hint) = match refused {
            StyleError::Side => (
                "a person takes a side in a debate of typed arguments".to_owned(),
                "add `--style argument`, or `--pause-between-rounds` to remark between the rounds",
            ),
            StyleError::Basis(style) => {
                let of = match style {
                    Style::Argument => "debate of typed arguments",
                    Style::Dialogue | Style::Panel => "panel",
                };
                (
                    format!("`--consensus` is for dialogues; in a {of} others rules decide"),
                    "leave it out",
                )
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

impl Request {
    /// A debate about a topic, with everything else as usual.
    pub fn about(topic: Input) -> Self {
        Self { topic, ..Self::default() }
    }

    /// Returns the style: who takes a side wants typed arguments.
    pub fn style(&self) -> Style {
        match (self.style, self.person) {
            (Some(style), _) => style,
            (None, None) => Style::Dialogue,
            (None, Some(_)) => Style::Argument,
        }
    }

    /// Refuses what its style does not have.
    ///
    /// # Errors
    /// The first such thing.
    pub fn check(&self) -> Result<(), StyleError> {
        let style = self.style();
        if self.person.is_some() && style != Style::Argument {
            return Err(StyleError::Side);
        }
        if self.consensus.is_some() && style != Style::Dialogue {
            return Err(StyleError::Basis(style));
        }
        let allowed = style.rounds();
        match self.max_rounds {
            Some(given) if !allowed.contains(&given) => Err(StyleError::Rounds { given, allowed }),
            Some(_) | None => Ok(()),
        }
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
    }

    fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        let most = u64::try_from(TOPIC_BYTES).unwrap_or(u64::MAX);
        if self.topic.read_text(workspace, most + 1, "a topic")?.is_empty() {
            return Err(Error::new(Kind::Usage, "the topic is empty: say what is to be settled")
                .hint("for example `debate-agent debate 'REST or gRPC?'`"));
        }
        self.options = (self.options.iter())
            .map(|option| option.trim().to_owned())
            .filter(|option| !option.is_empty())
            .collect();
        read_arguments(self.arguments.as_mut(), workspace)
    }

    async fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<RunReport<DebateDocument>, Error> {
        let mut run = prepare(workspace, self)?;
        let title = sanitize::line(self.topic.text(), 120);
        Ok(Box::pin(run.start(title, &self.run, reporters)).await?.finished)
    }
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        let run = prepare(workspace, self)?;
        let mut plan = run.dry_run(self.run.rehearse)?;
        plan.warnings.extend(run.task.notes.iter().map(warning));
        Ok(plan)
    }
}

/// Reads what a person says.
pub(crate) fn read_arguments(
    arguments: Option<&mut Input>,
    workspace: &Workspace,
) -> Result<(), Error> {
    match arguments {
        Some(said) => said.read(workspace, MOST_BYTES + 1, "arguments, one JSON object a line"),
        None => Ok(()),
    }
}
