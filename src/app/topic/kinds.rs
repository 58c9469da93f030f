//! The three kinds of topic debates, and what is the same in all.

use std::borrow::Cow;
use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{REPORT, Request, dates};
use crate::app::decision_log::mark;
use crate::app::run::assign::{assign, share};
use crate::app::run::calls::CallRules;
use crate::app::run::ending::undecided;
use crate::app::run::kind::{OutcomeOf, Parts, Rules, SessionKind, wrong_input};
use crate::app::run::panel::{SeatHolder, recorded};
use crate::app::run::reports::Location;
use crate::app::run::roles;
use crate::app::run::workspace::Workspace;
use crate::config::Config;
use crate::config::debate::NONE;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Protocol, Stamp, Usd};
use crate::protocol::clarify::{self, CLARIFIER, Clarified, Informed};
use crate::protocol::debate::{self, Brief, Input, Style, Verdict};
use crate::protocol::opening::Opening;
use crate::protocol::{argument, panel, topic};
use crate::report::debate::{About, DebateDocument, Thresholds};
use crate::report::document::SessionFacts;
use crate::session::Ledger;
use crate::text::Note;

/// A debate's task, as its session stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The topic with its description, options and files.
    pub brief: Brief,
    /// What becomes of questions before the first turn; `None` if none are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarify: Option<clarify::Mode>,
    /// Notes from before the debate was opened: a replaced agent, text removed from a file. Stored with the session,
    /// so that the result repeats them whenever it is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// A topic debate as a kind of session: what is its own.
pub(crate) trait TopicDebate: Sync + 'static {
    const STYLE: Style;
    /// The roles whose skills its turns send.
    const ROLES: &'static [&'static str];
    /// The keys of the configuration that are rules for `sessions decide`, each with the name of its setting.
    const RULES: &'static [&'static str];
    type Settings: Clone + Debug + Serialize + DeserializeOwned;
    type Machine: Informed<Input = Input<Self::Settings>> + Protocol<Outcome = debate::Outcome>;

    fn open(input: Input<Self::Settings>) -> Result<Driver<Self::Machine>, Error>;
    fn settings(config: &Config, request: &Request) -> Result<Self::Settings, Error>;

    /// Returns the maximum number of rounds, and the maximum number of turns that one seat can have in them.
    fn limits(settings: &Self::Settings) -> (u32, u32);
    /// Returns the maximum number of turns of this many seats together, including an expert or judge.
    fn most_turns(settings: &Self::Settings, seats: u32) -> u32;

    /// Sets what follows from the rule that was set.
    fn follow_rule(_: &mut Self::Settings, _key: &str) {}
    /// Returns the thresholds that it compares its consensus with.
    fn thresholds(_: &Self::Settings) -> Thresholds {
        Thresholds::default()
    }
    /// Returns how it begins, unless one side opens it.
    fn opening(_: &Self::Settings) -> Option<Opening> {
        None
    }
    fn round_timeout(_: &Config) -> Option<Duration> {
        None
    }
    /// Adds ids and times to the document.
    fn date(_: &mut DebateDocument, _: &Self::Settings, _: &Ledger) {}
}

/// A dialogue of two participants and an expert.
pub(crate) struct Dialogue;

impl TopicDebate for Dialogue {
    const STYLE: Style = Style::Dialogue;
    const ROLES: &'static [&'static str] = &roles::DIALOGUE;
    const RULES: &'static [&'static str] = &[
        "topic.consensus_threshold",
        "topic.expert_threshold",
        "topic.deadlock_rise",
        "topic.consensus",
        "topic.max_rounds",
    ];
    type Settings = topic::Settings;
    type Machine = topic::Machine;

    fn open(input: topic::Input) -> Result<Driver<topic::Machine>, Error> {
        topic::Machine::open(input).map_err(wrong_input)
    }

    fn settings(config: &Config, _: &Request) -> Result<topic::Settings, Error> {
        let topic = &config.topic;
        Ok(topic::Settings {
            max_rounds: topic.max_rounds,
            consensus_threshold: share("topic.consensus_threshold", topic.consensus_threshold)?,
            expert_threshold: share("topic.expert_threshold", topic.expert_threshold)?,
            deadlock_rise: share("topic.deadlock_rise", topic.deadlock_rise)?,
            consensus: topic.consensus,
            opening: topic.opening,
        })
    }

    fn limits(settings: &topic::Settings) -> (u32, u32) {
        (settings.max_rounds, settings.most_turns())
    }

    fn most_turns(settings: &topic::Settings, _: u32) -> u32 {
        settings.most_turns()
    }

    fn thresholds(settings: &topic::Settings) -> Thresholds {
        Thresholds {
            consensus: Some(settings.consensus_threshold),
            expert: Some(settings.expert_threshold),
            basis: settings.consensus,
        }
    }

    /// Lowering the threshold of consensus below the other one means that nothing is left between them.
    fn follow_rule(settings: &mut topic::Settings, key: &str) {
        if key == Self::RULES[0] {
            settings.expert_threshold = settings.expert_threshold.min(settings.consensus_threshold);
        }
    }

    fn opening(settings: &topic::Settings) -> Option<Opening> {
        Some(settings.opening).filter(|opening| *opening == Opening::Blind)
    }

    fn round_timeout(config: &Config) -> Option<Duration> {
        Some(Duration::from_secs(config.topic.round_timeout_seconds))
    }
}

/// A debate of typed arguments.
pub(crate) struct Arguments;

impl TopicDebate for Arguments {
    const STYLE: Style = Style::Argument;
    const ROLES: &'static [&'static str] = &roles::ARGUMENT;
    const RULES: &'static [&'static str] = &["argument.consensus_threshold", "argument.max_rounds"];
    type Settings = argument::Settings;
    type Machine = argument::Machine;

    fn open(input: argument::Input) -> Result<Driver<argument::Machine>, Error> {
        argument::Machine::open(input).map_err(wrong_input)
    }

    fn settings(config: &Config, _: &Request) -> Result<argument::Settings, Error> {
        let threshold = config.argument.consensus_threshold;
        Ok(argument::Settings {
            max_rounds: config.argument.max_rounds,
            consensus_threshold: share("argument.consensus_threshold", threshold)?,
            impact_areas: argument::IMPACT_AREAS.map(str::to_owned).into(),
        })
    }

    /// Proposal, defense and resolution, or challenge, reply and stances.
    fn limits(settings: &argument::Settings) -> (u32, u32) {
        (settings.max_rounds, settings.max_rounds.saturating_mul(3).saturating_add(1))
    }

    fn most_turns(settings: &argument::Settings, _: u32) -> u32 {
        settings.max_rounds.saturating_mul(6)
    }

    fn thresholds(settings: &argument::Settings) -> Thresholds {
        Thresholds { consensus: Some(settings.consensus_threshold), ..Thresholds::default() }
    }

    fn date(document: &mut DebateDocument, settings: &argument::Settings, ledger: &Ledger) {
        dates::date(document, settings, ledger);
    }
}

/// A panel that votes.
pub(crate) struct Panel;

impl TopicDebate for Panel {
    const STYLE: Style = Style::Panel;
    const ROLES: &'static [&'static str] = &roles::PANEL;
    const RULES: &'static [&'static str] = &["panel.max_rounds"];
    type Settings = panel::Settings;
    type Machine = panel::Machine;

    fn open(input: panel::Input) -> Result<Driver<panel::Machine>, Error> {
        panel::Machine::open(input).map_err(wrong_input)
    }

    fn settings(config: &Config, request: &Request) -> Result<panel::Settings, Error> {
        let expert = request.expert.as_ref().unwrap_or(&config.topic.expert);
        Ok(panel::Settings {
            max_rounds: config.panel.max_rounds,
            judge_from_seats: expert != NONE,
        })
    }

    /// The answer, the vote, the cross rounds; a judge's round of three turns.
    fn limits(settings: &panel::Settings) -> (u32, u32) {
        let rounds = settings.max_rounds.saturating_add(2);
        (rounds + u32::from(settings.judge_from_seats), rounds.saturating_add(3))
    }

    fn most_turns(settings: &panel::Settings, seats: u32) -> u32 {
        seats.saturating_mul(settings.max_rounds.saturating_add(2)).saturating_add(3)
    }
}

impl<D: TopicDebate> SessionKind for D {
    const NAME: &'static str = D::STYLE.name();
    type Task = Task;
    type Settings = D::Settings;
    type Protocol = Clarified<D::Machine>;
    type Document = DebateDocument;

    fn skills(_: &Config, task: &Task, _: &D::Settings) -> Vec<Cow<'static, str>> {
        let clarifier = task.clarify.map(|_| CLARIFIER);
        D::ROLES.iter().copied().chain(clarifier).map(Cow::Borrowed).collect()
    }

    fn seating(_: &Task, calls: &CallRules) -> Vec<SeatHolder> {
        recorded(calls, |seat| roles::of_seat(seat, roles::PANEL[0]).into())
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Self::Protocol>, Error> {
        let Task { brief, clarify, .. } = Task::clone(of.task);
        let mut seats = of.seats;
        seats.remove(CLARIFIER);
        let settings = of.rules.protocol.clone();
        let facts = brief.facts.clone();
        let input = Input { brief, seats, settings, prompts: of.prompts.clone(), seed: of.seed };
        let inner = D::open(input.clone())?;
        Ok(clarify::open(inner, input, &facts, clarify, &of.prompts))
    }

    fn document(
        of: Parts<'_, Self>,
        clarify::Outcome { inner: outcome, facts }: OutcomeOf<Self>,
        ledger: &Ledger,
        stamp: &Stamp,
        mut about: SessionFacts,
    ) -> DebateDocument {
        about.warnings.extend(of.task.notes.iter().map(warning));
        let settings = &of.rules.protocol;
        let known = About {
            brief: &of.task.brief,
            facts,
            style: D::STYLE,
            opening: D::opening(settings),
            thresholds: D::thresholds(settings),
        };
        let mut document = DebateDocument::new(outcome, &known, stamp, about);
        D::date(&mut document, settings, ledger);
        document
    }

    fn status(outcome: &OutcomeOf<Self>, signal: Option<i32>, spent: Usd) -> ExitStatus {
        let outcome = &outcome.inner;
        match outcome.verdict {
            Verdict::Consensus | Verdict::Ruled => ExitStatus::Success,
            Verdict::Partial | Verdict::OneVendor | Verdict::NoConsensus => ExitStatus::Negative,
            Verdict::Undecided => undecided(outcome, signal, spent),
        }
    }

    fn bounds(_: &Task, settings: &D::Settings) -> (u32, u32) {
        D::limits(settings)
    }

    fn most_turns(task: &Task, settings: &D::Settings, seats: u32) -> u32 {
        D::most_turns(settings, seats).saturating_add(task.clarify.map_or(0, |_| 1))
    }

    fn round_timeout(config: &Config, _: &D::Settings) -> Option<Duration> {
        D::round_timeout(config)
    }

    fn set(rules: &mut Rules<D::Settings>, key: &str, config: &Config) -> Result<(), Error> {
        let fresh = D::settings(config, &Request::default())?;
        assign(&mut rules.protocol, &fresh, key, D::RULES)?;
        D::follow_rule(&mut rules.protocol, key);
        Ok(())
    }

    fn report(_: &DebateDocument, out: Option<&Path>, own: &Path) -> Option<Location> {
        Some(Location::dated(out.unwrap_or(own), REPORT))
    }

    fn complete(workspace: &Workspace, document: &mut DebateDocument) {
        mark(workspace, document);
    }
}
