//! `debate`: seats the participants, holds the debate in one of its styles, and reports the result.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::app::backlog::record::no_session;
use crate::app::decision_log::mark;
use crate::app::human::{self, Person, Terminal};
use crate::app::input::Input;
use crate::app::run::calls::CallRules;
use crate::app::run::ending::undecided;
use crate::app::run::kind::{Parts, Rules, SessionKind, wrong_input};
use crate::app::run::panel::{SeatHolder, recorded};
use crate::app::run::reports::Location;
use crate::app::run::resume::ResumeRequest;
use crate::app::run::session_run::SessionRun;
use crate::app::run::workspace::Workspace;
use crate::app::run::{reports, roles, stored};
use crate::app::{context, facts, sources};
use crate::config::Config;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::share::Share;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, HUMAN, Stamp, Usd, round_of};
use crate::protocol::clarify::{self, CLARIFIER, Clarified};
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::typed::Side;
use crate::protocol::debate::{self, Brief, Verdict};
use crate::protocol::opening::Opening;
use crate::protocol::style::{self, Machine, Settings, Style, Task};
use crate::protocol::{argument, panel, topic};
use crate::report::debate::{About, DebateDocument, Thresholds};
use crate::report::document::{SessionFacts, to_json};
use crate::report::page::ToPage as _;
use crate::report::session_result::SessionDocument as _;
use crate::session::{Ledger, State};

mod dates;
mod request;
mod rules;
mod seating;

pub(crate) use request::read_arguments;
pub use request::{Request, StyleError};

type Outcome = clarify::Outcome<debate::Outcome>;

/// A topic debate of any style as a kind of session.
pub(crate) struct Debate;

impl SessionKind for Debate {
    const NAME: &'static str = "debate";
    type Task = Task;
    type Settings = Settings;
    type Protocol = Clarified<Machine>;
    type Document = DebateDocument;

    fn skills(_: &Config, task: &Task, settings: &Settings) -> Vec<Cow<'static, str>> {
        let roles: &[&'static str] = match settings {
            Settings::Dialogue(_) => &roles::DIALOGUE,
            Settings::Argument(_) => &roles::ARGUMENT,
            Settings::Panel { .. } => &roles::PANEL,
        };
        let clarifier = task.clarify.map(|_| CLARIFIER);
        roles.iter().copied().chain(clarifier).map(Cow::Borrowed).collect()
    }

    fn seating(_: &Task, calls: &CallRules) -> Vec<SeatHolder> {
        recorded(calls, |seat| roles::of_seat(seat).into())
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Clarified<Machine>>, Error> {
        let mut seats = of.seats;
        seats.remove(CLARIFIER);
        let parts = style::Parts {
            task: Task::clone(of.task),
            settings: of.rules.protocol.clone(),
            seats,
            prompts: of.prompts.clone(),
            seed: of.seed,
        };
        let facts = parts.task.brief.facts.clone();
        let inner = Machine::open(parts.clone()).map_err(wrong_input)?;
        Ok(clarify::open(inner, parts, &facts, of.task.clarify, &of.prompts))
    }

    fn document(
        of: Parts<'_, Self>,
        Outcome { inner: outcome, facts }: Outcome,
        ledger: &Ledger,
        stamp: &Stamp,
        mut about: SessionFacts,
    ) -> DebateDocument {
        about.warnings.extend(of.task.notes.iter().map(warning));
        let settings = &of.rules.protocol;
        let known = About {
            brief: &of.task.brief,
            facts,
            style: settings.style().name(),
            opening: opening(settings),
            thresholds: thresholds(settings),
        };
        let mut document = DebateDocument::new(outcome, &known, stamp, about);
        if let Settings::Argument(of) = settings {
            dates::date(&mut document, of, ledger);
        }
        document
    }

    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        let outcome = &outcome.inner;
        match outcome.verdict {
            Verdict::Consensus | Verdict::Ruled => ExitStatus::Success,
            Verdict::Partial | Verdict::OneVendor | Verdict::NoConsensus => ExitStatus::Negative,
            Verdict::Undecided => undecided(outcome, signal, spent),
        }
    }

    fn bounds(_: &Task, settings: &Settings) -> (u32, u32) {
        settings.bounds()
    }

    fn most_turns(task: &Task, settings: &Settings, seats: u32) -> u32 {
        settings.most_turns(seats).saturating_add(task.clarify.map_or(0, |_| 1))
    }

    fn round_timeout(config: &Config, settings: &Settings) -> Option<Duration> {
        match settings.style() {
            Style::Dialogue => Some(Duration::from_secs(config.topic.round_timeout_seconds)),
            Style::Argument | Style::Panel => None,
        }
    }

    fn set(rules: &mut Rules<Settings>, key: &str, config: &Config) -> Result<(), Error> {
        rules::set(&mut rules.protocol, key, config)
    }

    fn complete(workspace: &Workspace, document: &mut DebateDocument) {
        mark(workspace, document);
    }
}

/// Returns the way in which a dialogue begins, unless one side opens it.
fn opening(settings: &Settings) -> Option<Opening> {
    match settings {
        Settings::Dialogue(of) => Some(of.opening).filter(|opening| *opening == Opening::Blind),
        Settings::Argument(_) | Settings::Panel { .. } => None,
    }
}

/// Returns the thresholds that a debate compares its consensus with.
fn thresholds(settings: &Settings) -> Thresholds {
    match settings {
        Settings::Dialogue(settings) => Thresholds {
            consensus: Some(settings.consensus_threshold),
            expert: Some(settings.expert_threshold),
            basis: settings.consensus,
        },
        Settings::Argument(settings) => Thresholds {
            consensus: Some(settings.consensus_threshold),
            expert: None,
            basis: Basis::Stance,
        },
        Settings::Panel { .. } => {
            Thresholds { consensus: None, expert: None, basis: Basis::Stance }
        }
    }
}

/// Rewrites the report of a debate: at the path in its result, else among the project's reports.
///
/// # Errors
/// There is no report, or it cannot be written and stays unchanged. A stored session does not record another place
/// for its report.
pub(crate) fn report_again(workspace: &Workspace, document: &DebateDocument) -> io::Result<()> {
    let (header, paths) = (&document.header, &workspace.effective.config.paths);
    let own = Location::dated(&workspace.root().join(&paths.debate), Debate::NAME);
    let found = || {
        reports::find(workspace.root(), &own, |data| {
            data["session_id"] == header.session_id && data["outcome"] == header.outcome.name()
        })
    };
    let Some(report) = header.report_path.as_ref().map(PathBuf::from).or_else(found) else {
        let what = format!(
            "none exists in {}, and one that was put elsewhere is left unchanged",
            paths.debate
        );
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    };
    let mut placed = document.clone();
    placed.place(report.display().to_string());
    let json = to_json(&placed).map_err(io::Error::other)?;
    reports::replace(workspace.root(), &report, &document.markdown(), &json)
}

/// Seats the person in a stored debate again; `None` if it has no person, or is over.
///
/// `arguments`: a file that was read, the same as before or a longer one. `terminal`: where questions about
/// facts are asked. `from_round`: the round from which on turns are asked again, in a new session started from this one.
///
/// # Errors
/// The id is unknown; replies of the person are needed and there is no file, or no terminal; or the file
/// differs from the recorded replies.
pub fn person_again(
    workspace: &Workspace,
    request: &ResumeRequest,
    terminal: Option<Terminal>,
) -> Result<Option<Person>, Error> {
    let ResumeRequest { id, from_round, arguments, .. } = request;
    let read = workspace.store().read(id);
    let stored = read.map_err(|error| no_session(workspace, id, error))?;
    let closed = matches!(stored.ledger.state(), State::Closed { .. });
    let opened = stored::opened(&stored)?;
    if opened.protocol != Debate::NAME {
        return Ok(None);
    }
    let (rules, task) = stored::read::<Debate>(opened)?;
    let of_person = |seat: &str| {
        let cast = rules.calls.seats.get(seat);
        cast.is_some_and(|cast| cast.agent.agent == HUMAN)
    };
    let seat = human::Seat {
        side: (Side::ALL.into_iter()).find(|side| of_person(side.name())),
        facts: facts::asks_person(&stored, task.clarify, *from_round),
        rounds: rules.protocol.bounds().0,
    };
    if (closed && from_round.is_none()) || !seat.is_taken() {
        return Ok(None);
    }
    let mut person = Person::from(seat, arguments.as_ref().map(Input::named), terminal)?;
    let mut said = human::answered(&stored)?;
    if let Some(from) = *from_round {
        // Replies from that round on are asked for again.
        said.retain(|(turn, _)| from > 1 && round_of(turn).is_some_and(|round| round < from));
    }
    person.resume(&said, &workspace.redactor())?;
    Ok(Some(person))
}

/// Seats the person requested for a new debate; `None` if there is none.
///
/// # Errors
/// As [`person_again`].
pub fn person(
    workspace: &Workspace,
    request: &Request,
    terminal: Option<Terminal>,
) -> Result<Option<Person>, Error> {
    let config = &workspace.effective.config;
    let seat = human::Seat {
        side: request.person,
        facts: request.clarify == Some(clarify::Mode::Ask),
        rounds: config.argument.max_rounds,
    };
    let arguments = request.arguments.as_ref();
    if !seat.is_taken() && arguments.is_none() {
        return Ok(None);
    }
    Person::from(seat, arguments.map(Input::named), terminal).map(Some)
}

fn prepare<'a>(
    workspace: &'a Workspace,
    request: &Request,
) -> Result<SessionRun<'a, Debate>, Error> {
    let context = context::read(workspace, &request.files, &mut io::stdin().lock())?;
    let brief = Brief {
        topic: request.topic.text().to_owned(),
        description: request.description.clone(),
        mode: (request.mode).unwrap_or(workspace.effective.config.debate.default_mode),
        options: request.options.clone(),
        language: request.language.clone(),
        today: Some(workspace.env().now().date_naive()),
        facts: facts::parse(&request.facts)?,
        context: context.files,
        metadata: request.metadata.clone(),
    };
    (brief.check()).map_err(wrong_input)?;
    let (mut seating, judge_from_seats, notes) = seating::seat(workspace, request)?;
    facts::seat(workspace, request.clarify, &mut seating);
    let mut task = Task {
        brief,
        sources: argument::Sources::default(),
        clarify: request.clarify,
        notes: context.notes,
    };
    task.notes.extend(notes);
    if request.style() == Style::Argument {
        let (sources, skipped) = sources::sources(workspace.root());
        task.sources = sources;
        task.notes.extend(skipped);
    }
    let settings = settings(workspace, request, judge_from_seats)?;
    let mut run = SessionRun::new(workspace, &request.run, &seating, task, settings)?;
    run.out = request.out.as_ref().map(|out| workspace.around.dir.join(out));
    run.notes = workspace.effective.warnings.iter().map(warning).collect();
    Ok(run)
}

fn settings(
    workspace: &Workspace,
    request: &Request,
    judge_from_seats: bool,
) -> Result<Settings, Error> {
    let config = &workspace.effective.config;
    Ok(match request.style() {
        Style::Dialogue => Settings::Dialogue(topic::Settings {
            max_rounds: config.topic.max_rounds,
            consensus_threshold: share(config.topic.consensus_threshold)?,
            expert_threshold: share(config.topic.expert_threshold)?,
            deadlock_rise: share(config.topic.deadlock_rise)?,
            consensus: config.topic.consensus,
            opening: config.topic.opening,
        }),
        Style::Argument => Settings::Argument(argument::Settings {
            max_rounds: config.argument.max_rounds,
            consensus_threshold: share(config.argument.consensus_threshold)?,
            impact_areas: argument::IMPACT_AREAS.map(str::to_owned).into(),
        }),
        Style::Panel => Settings::Panel {
            panel: panel::Settings { max_rounds: config.panel.max_rounds },
            judge_from_seats,
        },
    })
}

/// Converts a share from the configuration, whose range was checked on reading.
fn share(number: f64) -> Result<Share, Error> {
    Share::nearest(number).ok_or_else(|| {
        Error::new(Kind::Config, format!("a threshold must be between 0 and 1, not {number}"))
    })
}
