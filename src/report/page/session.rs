//! The parts of a page common to all sessions: seats, cost, warnings, how to go on.

use serde::Serialize;

use super::template::Data;
use super::{Block, Emphasis, Page, Property, Text, agent_text, code, name, text};
use crate::kernel::{Ended, Halt, Seat, SeatStatus, Warning};
use crate::report::document::Header;
use crate::report::progress::REHEARSAL;
use crate::report::words;

/// Beginning of the headline of a running session.
const RUNNING: &str = "RUNNING: nothing is decided yet; what is recorded so far follows";
const TERMINATED: &str =
    "TERMINATED: a person ended it (`sessions terminate`) before it was decided";

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

    /// Returns the phase of a session that ended thus. `failed`: the word for agents that gave no answer.
    pub(crate) fn of_ended<O: Copy + PartialEq>(ended: Ended<O>, failed: O, round: usize) -> Self {
        match ended {
            Ended::Closed(word) if word == failed => Self::Failed,
            Ended::Closed(_) => Self::Decided,
            Ended::Stopped(halt) => Self::of(halt, round),
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
    let took = header.completed_at.map(|at| (at - header.started_at).num_milliseconds().max(0));
    let quotas = header.cost.quotas.iter().map(ToString::to_string);
    let data = Data::of(document)
        .with("tree_changed", header.tree_changed())
        .with("took", took)
        .with("quotas", quotas.collect::<Vec<_>>())
        .with("warned", count_warnings(&header.warnings));
    match header.outcome {
        Ended::Closed(_) => data,
        Ended::Stopped(halt) => {
            let (why, tone) = halt_words(halt);
            let limit = header.stopped_by.filter(|_| halt == Halt::Interrupted);
            let limit = limit.map(|limit| format!("UNDECIDED: {}", limit.reason()));
            data.text("halt", limit.map_or(Text::from(why), Text::ours))
                .with("halt_tone", if tone == Emphasis::Bad { "bad" } else { "doubt" })
        }
    }
}

/// Returns the page of a session: the headline, the page and what is needed now from the templates in the folder `kind`,
/// filled with `data`; then the foot of a screen. `next`: what the user can do.
pub(crate) fn page<O, V>(
    title: impl Into<Text>,
    header: &Header<O, V>,
    (kind, data): (&str, &Data),
    next: Vec<Text>,
) -> Page {
    let template = |name: &str| format!("{kind}/{name}");
    let one = header.is_of_one_vendor().then_some("one vendor: ");
    let mut page = Page::new(title, text![one, data.sentence(&template("headline"))]);
    if header.rehearsal {
        page.banner(REHEARSAL);
    }
    let answered = ("Answered", vec![data.sentence(&template("attendance"))]).into();
    let foot: Vec<_> = [answered].into_iter().chain(data.facts(&template("foot"))).collect();
    let brief = page.brief();
    brief.append(data.fill(&template("brief")));
    // One table of facts: what to do first, then those of the kind.
    brief.0.retain(|part| !matches!(part.block, Block::Facts(_)));
    let first = ("Next", next.iter().take(1).cloned().collect()).into();
    let details = foot.iter().cloned().map(|fact| Property { detail: true, ..fact });
    let facts = [first].into_iter().chain(data.facts(&template("brief"))).chain(details);
    brief.facts(facts.chain(data.facts("session/brief")));
    let blocks = page.blocks();
    blocks.append(data.fill(&template("page")));
    blocks.append(data.fill("session/skills"));
    let facts = data.facts("session/seats").into_iter().chain(foot);
    blocks
        .facts(facts.chain(data.facts("session/foot")).chain([("Next", next).into()]))
        .screen_only();
    page
}

/// A warning, with its number of occurrences and its turns.
#[derive(Debug, Serialize)]
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
    Data::default().with("seat", seat).sentence("session/seat")
}

/// Returns what the user can do about a session in this phase; nothing if it was decided.
pub(crate) fn next<O: Serialize, V: Serialize>(
    header: &Header<O, V>,
    standing: SessionPhase,
) -> Vec<Text> {
    let (phase, round) = match standing {
        SessionPhase::Decided => return Vec::new(),
        SessionPhase::Running => ("running", 1),
        SessionPhase::Terminated(round) => ("terminated", round),
        SessionPhase::Budget => ("budget", 1),
        SessionPhase::Stopped => ("stopped", 1),
        SessionPhase::Failed => ("failed", 1),
    };
    let data = Data::of(header).with("phase", phase).with("from_round", round);
    data.with("raise", words::raise(header.cost.short)).lines("session/next")
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
