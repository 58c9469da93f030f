//! `debate`: seats the participants, holds the debate in one of its styles, and reports the result.

use std::io;
use std::path::PathBuf;

use crate::app::human::{self, OpenTerminal, Person};
use crate::app::input::Input;
use crate::app::run::kind::wrong_input;
use crate::app::run::reports::Location;
use crate::app::run::resume::ResumeRequest;
use crate::app::run::session_run::SessionRun;
use crate::app::run::workspace::Workspace;
use crate::app::run::{reports, stored};
use crate::app::{context, facts, sources};
use crate::error::Error;
use crate::kernel::warning::warning;
use crate::kernel::{HUMAN, round_of};
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::debate::typed::Side;
use crate::protocol::debate::{Brief, Style};
use crate::report::debate::DebateDocument;
use crate::report::document::to_json;
use crate::report::page::ToPage as _;
use crate::report::session_result::SessionDocument as _;
use crate::session::record::SessionOpened;
use crate::session::{State, StoredSession};
use crate::text::word::Word as _;

mod dates;
mod kinds;
mod request;
mod seating;

pub(crate) use kinds::{Arguments, Dialogue, Panel, Task, TopicDebate};
pub(crate) use request::read_arguments;
pub use request::{Request, StyleError};

/// The name of the reports of debates.
const REPORT: &str = "debate";

/// Rewrites the report of a debate: at the path in its result, else among the project's reports.
///
/// # Errors
/// There is no report, or it cannot be written and stays unchanged. A stored session does not record another place
/// for its report.
pub(crate) fn report_again(workspace: &Workspace, document: &DebateDocument) -> io::Result<()> {
    let (header, paths) = (&document.header, &workspace.effective.config.paths);
    let own = Location::dated(&workspace.root().join(&paths.debate), REPORT);
    let found = || {
        reports::find(workspace.root(), &own, &|data| {
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
/// Replies of the person are needed and there is no file, or no terminal; or the file
/// differs from the recorded replies.
pub(crate) fn person_again(
    workspace: &Workspace,
    request: &ResumeRequest,
    stored: &StoredSession,
    terminal: OpenTerminal,
) -> Result<Option<Person>, Error> {
    let ResumeRequest { from_round, arguments, .. } = request;
    let closed = matches!(stored.ledger.state(), State::Closed { .. });
    let opened = stored::opened(stored)?;
    let seat = match Style::of(&opened.protocol) {
        Some(Style::Dialogue) => seat_again::<Dialogue>(stored, opened, *from_round)?,
        Some(Style::Argument) => seat_again::<Arguments>(stored, opened, *from_round)?,
        Some(Style::Panel) => seat_again::<Panel>(stored, opened, *from_round)?,
        None => return Ok(None),
    };
    if (closed && from_round.is_none()) || !seat.is_taken() {
        return Ok(None);
    }
    let mut person = Person::from(seat, arguments.as_ref().map(Input::named), terminal())?;
    let mut said = human::answered(stored)?;
    if let Some(from) = *from_round {
        // Replies from that round on are asked for again.
        said.retain(|(turn, _)| from > 1 && round_of(turn).is_some_and(|round| round < from));
    }
    person.resume(&said, &workspace.redactor())?;
    Ok(Some(person))
}

/// Returns the person's part in a stored debate.
fn seat_again<D: TopicDebate>(
    stored: &StoredSession,
    opened: &SessionOpened,
    from_round: Option<u32>,
) -> Result<human::Seat, Error> {
    let (rules, task) = stored::read::<D>(opened)?;
    let of_person = |side: &Side| {
        let cast = rules.calls.seats.get(side.name());
        cast.is_some_and(|cast| cast.agent.agent == HUMAN)
    };
    Ok(human::Seat {
        side: Side::ALL.into_iter().find(of_person),
        facts: facts::asks_person(stored, task.clarify, from_round),
        rounds: D::limits(&rules.protocol).0,
    })
}

fn prepare<'a, D: TopicDebate>(
    workspace: &'a Workspace,
    request: &Request,
) -> Result<SessionRun<'a, D>, Error> {
    request.fits_style()?;
    let context = context::read(workspace, &request.files, &mut io::stdin().lock())?;
    let mut brief = Brief {
        topic: request.topic.text().to_owned(),
        description: request.description.clone(),
        mode: (request.mode).unwrap_or(workspace.effective.config.debate.default_mode),
        options: request.options.clone(),
        language: request.language.clone(),
        today: Some(workspace.env().now().date_naive()),
        facts: facts::parse(request.facts.stated.as_ref())?,
        context: context.files,
        sources: BTreeMap::new(),
        metadata: request.metadata.iter().cloned().gather(),
    };
    (brief.check()).map_err(wrong_input)?;
    let (mut seating, notes) = seating::seat(workspace, request)?;
    facts::seat(workspace, request.facts.clarify, &mut seating);
    let mut notes = [context.notes, notes].concat();
    if D::STYLE == Style::Argument {
        let (sources, skipped) = sources::sources(workspace.root());
        brief.sources = sources;
        notes.extend(skipped);
    }
    let task = Task { brief, clarify: request.facts.clarify, notes };
    let settings = D::settings(&workspace.effective.config, request)?;
    let mut run = SessionRun::new(workspace, &request.run, &seating, task, settings)?;
    run.out = request.out.as_ref().map(|out| workspace.around.dir.join(out));
    run.notes = workspace.effective.warnings.iter().map(warning).collect();
    Ok(run)
}
