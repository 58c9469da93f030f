//! The parts of a page common to all sessions: seats, cost, warnings, how to go on.

use serde::Serialize;

use super::template::Data;
use super::{
    Blocks, Emphasis, Page, Property, Table, Text, agent_text, code, name, path, text, time, took,
};
use crate::kernel::{Ended, Halt, Seat, SeatStatus, Warning};
use crate::report::document::{CostSummary, Header, ParentSession};
use crate::report::progress::REHEARSAL;
use crate::report::{short_id, words};

/// Beginning of the headline of a running session.
pub(crate) const RUNNING: &str = "RUNNING: nothing is decided yet; what is recorded so far follows";
pub(crate) const TERMINATED: &str =
    "TERMINATED: a person ended it (`sessions terminate`) before it was decided";

/// Maximum number of warnings on a screen.
const MOST_WARNINGS: usize = 8;

/// The phase of a session, as far as it decides how to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionPhase {
    Decided,
    /// A process runs the session.
    Running,
    /// A person terminated the session. Contains the round from which it can be asked again.
    Terminated(usize),
    /// The budget does not cover the next call.
    Budget,
    /// Something else stopped the session.
    Stopped,
    /// Agents gave no answer.
    Failed,
}

impl SessionPhase {
    /// Returns the phase of a session that was stopped; `round`: the one from which it can be asked again.
    pub(crate) const fn of(halt: Halt, round: usize) -> Self {
        match halt {
            Halt::Budget => Self::Budget,
            Halt::Interrupted => Self::Stopped,
            Halt::Running => Self::Running,
            Halt::Terminated => Self::Terminated(round),
        }
    }
}

/// Returns why a session has no result of its own.
const fn halt_words(halt: Halt) -> (&'static str, Emphasis) {
    match halt {
        Halt::Budget => ("UNDECIDED: the budget does not cover the next call", Emphasis::Bad),
        Halt::Interrupted => ("UNDECIDED: interrupted", Emphasis::Bad),
        Halt::Running => (RUNNING, Emphasis::Doubt),
        Halt::Terminated => (TERMINATED, Emphasis::Bad),
    }
}

/// Returns what the templates of a session's page are filled with: its document, and where it was stopped, why.
pub(crate) fn data<O: Copy, V>(document: &impl Serialize, header: &Header<Ended<O>, V>) -> Data {
    let data = Data::of(document).with("tree_changed", header.tree_changed());
    match header.outcome {
        Ended::Closed(_) => data,
        Ended::Stopped(halt) => {
            let (why, tone) = halt_words(halt);
            data.text("halt", why)
                .with("halt_tone", if tone == Emphasis::Bad { "bad" } else { "doubt" })
        }
    }
}

pub(crate) fn begin<O, V>(title: impl Into<Text>, header: &Header<O, V>, headline: Text) -> Page {
    let one = header.is_of_one_vendor().then_some("one vendor: ");
    let mut page = Page::new(title, text![one, headline]);
    if header.rehearsal {
        page.banner(REHEARSAL);
    }
    page
}

/// Adds the worth of a rehearsal's results at the head of a report; on a screen the banner is enough.
pub(crate) fn invented<O, V>(blocks: &mut Blocks, header: &Header<O, V>) {
    let invented =
        header.rehearsal.then_some("Everything below is invented; nothing is decided by it.");
    blocks.para(invented).record_only();
}

/// Adds the session's id, times and cost to a report, after the facts of its kind.
pub(crate) fn about<O, V, F: Into<Property>>(
    blocks: &mut Blocks,
    header: &Header<O, V>,
    standing: SessionPhase,
    first: impl IntoIterator<Item = F>,
) {
    let ended = match header.completed_at {
        Some(at) => {
            let length = (at - header.started_at).to_std().unwrap_or_default();
            text![time(at), " (", took(length), ")"]
        }
        None if standing == SessionPhase::Running => "not yet, still running".into(),
        None => "not yet, it can be resumed".into(),
    };
    let mut facts = vec![("Session", agent_text(&header.session_id))];
    if let Some(ParentSession { session_id, from_round }) = &header.parent {
        let parent = text![
            "session ",
            name(session_id),
            ", whose rounds before ",
            *from_round,
            " were kept"
        ];
        facts.push(("Continued from", parent));
    }
    facts.push(("Started", time(header.started_at)));
    facts.push(("Ended", ended));
    facts.push(("Cost", cost(&header.cost, header.rehearsal)));
    let facts = facts.into_iter().map(|(label, fact)| (label, vec![fact]).into());
    blocks.facts(first.into_iter().map(Into::into).chain(facts)).record_only();
}

/// Adds the seats to a report. `attendance`: the number that answered, in the words of its kind.
pub(crate) fn attendance<O, V>(blocks: &mut Blocks, header: &Header<O, V>, attendance: Text) {
    let seats = header.seats.iter().map(seat).chain([attendance]);
    blocks
        .section("Who answered", |below| {
            below.list(seats);
        })
        .record_only();
}

/// Adds warnings and prompts to a report.
pub(crate) fn record<O, V>(blocks: &mut Blocks, header: &Header<O, V>) {
    let warnings = count_warnings(&header.warnings).into_iter().map(|told| {
        let turns = (!told.turns.is_empty())
            .then(|| text![" in ", Text::join(told.turns.iter().map(|turn| name(turn)), ", ")]);
        text![name(told.code), turns, ": ", agent_text(told.message)]
    });
    blocks
        .section("Warnings", |below| {
            below.list(warnings);
        })
        .record_only();
    let skills = header
        .skills
        .iter()
        .map(|skill| vec![name(&skill.name), path(&skill.origin), name(&skill.sha256)]);
    blocks
        .section("Skills", |below| {
            below.table(Table::new(["Skill", "From", "SHA-256"], skills));
        })
        .record_only();
}

/// Adds the foot of a screen: `first`, then cost, warnings, report and how to go on.
pub(crate) fn foot<O, V, F: Into<Property>>(
    blocks: &mut Blocks,
    header: &Header<O, V>,
    first: impl IntoIterator<Item = F>,
    next: Vec<Text>,
) {
    foot_with_warnings(blocks, header, first, warned(&header.warnings), next);
}

/// Like [`foot`], with warnings in the form of a kind.
pub(crate) fn foot_with_warnings<O, V, F: Into<Property>>(
    blocks: &mut Blocks,
    header: &Header<O, V>,
    first: impl IntoIterator<Item = F>,
    warnings: Vec<Text>,
    next: Vec<Text>,
) {
    let last = [
        ("Cost", vec![cost(&header.cost, header.rehearsal)]),
        ("Warnings", warnings),
        ("Session", vec![code(short_id(&header.session_id))]),
        ("Report", header.report_path.iter().map(|report| path(report)).collect()),
        ("Next", next),
    ];
    let last = last.into_iter().map(Property::from);
    blocks.facts(first.into_iter().map(Into::into).chain(last)).screen_only();
}

/// Adds what ends a page: in a report who answered, warnings and prompts; on a screen the foot.
pub(crate) fn end<O, V>(
    blocks: &mut Blocks,
    header: &Header<O, V>,
    answered: &Text,
    first: impl IntoIterator<Item = Property>,
    next: Vec<Text>,
) {
    let answered = Some(answered.clone()).filter(|answered| !answered.is_blank());
    let seats: Vec<Text> = header.seats.iter().map(seat).chain(answered).collect();
    let who = blocks.section("Who answered", |below| _ = below.list(seats.iter().cloned()));
    who.record_only();
    record(blocks, header);
    foot(blocks, header, [Property::from(("Seats", seats))].into_iter().chain(first), next);
}

pub(crate) fn warned(warnings: &[Warning]) -> Vec<Text> {
    let all = count_warnings(warnings);
    let more = all.len().saturating_sub(MOST_WARNINGS);
    let first = all.into_iter().take(MOST_WARNINGS).map(|told| {
        let often = (told.times > 1).then(|| text![" (", told.times, " times)"]);
        text![agent_text(told.message), often]
    });
    let more = (more > 0).then(|| text!["... and ", more, " more, in the report"]);
    first.chain(more).collect()
}

/// A warning, with its number of occurrences and its turns.
#[derive(Debug)]
pub(crate) struct WarningCount<'a> {
    pub(crate) code: &'a str,
    pub(crate) message: &'a str,
    pub(crate) turns: Vec<&'a str>,
    pub(crate) times: usize,
}

/// Returns each warning once, in the order of its first occurrence.
pub(crate) fn count_warnings(warnings: &[Warning]) -> Vec<WarningCount<'_>> {
    let mut all: Vec<WarningCount<'_>> = Vec::new();
    for Warning { code, message, turn } in warnings {
        let turn = turn.as_deref();
        match all.iter_mut().find(|told| told.code == code && told.message == message) {
            Some(told) => {
                told.turns.extend(turn);
                told.times += 1;
            }
            None => all.push(WarningCount {
                code,
                message,
                turns: turn.into_iter().collect(),
                times: 1,
            }),
        }
    }
    all
}

/// `s1: claude (anthropic), answered`.
pub(crate) fn seat(seat: &Seat) -> Text {
    let other = seat.fell_back_to.as_deref().map(|other| text![" to ", name(other)]);
    // Beside an answer, the failure is an additional fact; otherwise it is the reason.
    let sign = match seat.status {
        SeatStatus::Answered | SeatStatus::FellBack => "; ",
        SeatStatus::Failed | SeatStatus::Asked | SeatStatus::Skipped => ": ",
    };
    let why = words::why(seat).map(|why| text![sign, agent_text(&why)]);
    let status = words::seat_status(seat.status);
    text![name(&seat.role), ": ", agent(&seat.agent, &seat.vendor), ", ", status, other, why]
}

/// `claude (anthropic)`.
pub(crate) fn agent(agent: &str, vendor: &str) -> Text {
    text![name(agent), " (", name(vendor), ")"]
}

/// `$0.31 of $2.50, as the CLIs reported it`.
pub(crate) fn cost(cost: &CostSummary, rehearsal: bool) -> Text {
    let of = cost.budget_usd.map(|budget| text![" of ", budget]);
    let from = match cost.basis {
        _ if rehearsal => text![": a rehearsal asks nobody"],
        Some(basis) => text![", ", words::basis(basis)],
        None => text![": no paid call was made"],
    };
    text![cost.total_usd, of, from]
}

/// Returns what the user can do about a session in this phase; nothing if it was decided.
pub(crate) fn next<O, V>(header: &Header<O, V>, standing: SessionPhase) -> Vec<Text> {
    let id = short_id(&header.session_id);
    let resume = format!("debate-agent sessions resume {id}");
    let (command, why) = match standing {
        SessionPhase::Decided => return Vec::new(),
        SessionPhase::Running => {
            (format!("debate-agent sessions status {id}"), "shows its progress")
        }
        SessionPhase::Terminated(round) => {
            (format!("{resume} --from-round {round}"), "asks again from there, in a new session")
        }
        SessionPhase::Budget => (
            format!("{resume} {}", words::raise(header.cost.short)),
            "continues with a higher budget; finished answers are not paid for again",
        ),
        SessionPhase::Stopped => {
            (resume, "continues where it stopped; finished answers are not paid for again")
        }
        SessionPhase::Failed => (
            resume,
            "asks again what failed, once the cause is fixed: `debate-agent doctor`; finished answers are not paid for again",
        ),
    };
    vec![step(command, why)]
}

/// `debate-agent sessions resume ID   (continues where it stopped)`.
pub(crate) fn step(command: String, why: &'static str) -> Text {
    text![code(command), "   (", why, ")"]
}

/// Returns why seats have no answer, one text per cause: `codex is not logged in: run codex login`. `all`: the seats
/// of a session that could be held with those that answered.
pub(crate) fn silence<'a>(
    seats: impl Iterator<Item = &'a Seat>,
    all: &[Seat],
    what: &'static str,
) -> Vec<Text> {
    let answered = all.iter().filter(|seat| seat.status == SeatStatus::Answered);
    let mut others: Vec<&str> = answered.map(|seat| &*seat.agent).collect();
    others.dedup();
    let mut causes: Vec<Text> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for seat in seats {
        let cause = words::cause(seat, &others);
        // Two seats of one CLI have one cause.
        let cli = seat.agent.split([':', '#']).next().unwrap_or_default();
        let cause = cause.map(|cause| cause.replace(&seat.agent, cli));
        let key = cause.clone().unwrap_or_else(|| seat.agent.clone());
        if told.contains(&key) {
            continue;
        }
        causes.push(match cause {
            Some(cause) => agent_text(&cause),
            None => text![name(&seat.agent), " ", what],
        });
        told.push(key);
    }
    causes
}

/// Like [`silence`], as further sentences after a headline.
pub(crate) fn causes<'a>(
    seats: impl Iterator<Item = &'a Seat>,
    all: &[Seat],
    what: &'static str,
) -> Text {
    let mut sentences = Text::default();
    for cause in silence(seats, all, what) {
        sentences.push(text![" ", cause, "."]);
    }
    sentences
}
