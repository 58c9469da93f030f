//! Progress as plain lines: one per event, without control characters unless colours are requested.
//!
//! Used without a terminal and under `--progress plain` or `off`, and `TERM=dumb`. `Lines` words the events; [`super::live`]
//! uses it for its permanent lines. A closed standard error stops the lines, never the run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::page::template::Data;
use super::page::terminal;
use super::words::{self, BAD, DOUBT, FAINT, GOOD, HEAD, paint};
use super::{Look, Reporter};
use crate::engine::events::{Event, EventKind};
use crate::kernel::{Cost, FailureClass, Stage, Usd};

pub(crate) const REHEARSAL: &str = "REHEARSAL: no model was asked";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Volume {
    Normal,
    /// Only failures and warnings, and whether this is a rehearsal (`--progress off`).
    Quiet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Shown unless quiet.
    Course,
    /// Always shown.
    Trouble,
}

pub(crate) struct Plain {
    out: Box<dyn Write>,
    open: bool,
    volume: Volume,
    lines: Lines,
}

impl Plain {
    /// Creates a reporter that writes to `out`, usually standard error.
    pub(crate) fn new(out: Box<dyn Write>, look: Look, volume: Volume) -> Self {
        Self { out, open: true, volume, lines: Lines::new(look.colour) }
    }
}

impl Reporter for Plain {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        for (weight, line) in self.lines.of(&event.kind) {
            let said = match self.volume {
                Volume::Normal => true,
                Volume::Quiet => weight == LineKind::Trouble,
            };
            if said && self.open {
                // The reader is gone: the debate continues without output.
                self.open = writeln!(self.out, "{line}").and_then(|()| self.out.flush()).is_ok();
            }
        }
        Ok(())
    }
}

/// Words events as lines. Remembers the agent of each turn, and what was already reported.
#[derive(Debug)]
pub(super) struct Lines {
    colour: bool,
    totals: bool,
    budget: Option<Usd>,
    stages: &'static [Stage],
    turns: BTreeMap<String, TurnPlayer>,
    /// Whether the rehearsal was already announced: a run over several artifacts opens a session for each.
    rehearsal_said: bool,
    /// The warnings already shown in this session: one about a CLI comes with every turn.
    warned: BTreeSet<String>,
}

/// The role and agent of a turn.
#[derive(Debug, Clone)]
pub(super) struct TurnPlayer {
    /// The role: `champion`.
    pub(super) role: String,
    /// The agent: `claude`.
    pub(super) agent: String,
}

impl TurnPlayer {
    /// `champion (claude)`.
    pub(super) fn label(&self) -> String {
        format!("{} ({})", self.role, self.agent)
    }
}

impl Lines {
    pub(super) fn new(colour: bool) -> Self {
        Self {
            colour,
            totals: true,
            budget: None,
            stages: &[],
            turns: BTreeMap::new(),
            rehearsal_said: false,
            warned: BTreeSet::new(),
        }
    }

    /// Leaves out the total spent, if a separate line shows it.
    pub(super) fn without_totals(mut self) -> Self {
        self.totals = false;
        self
    }

    /// Returns the budget, once the session has begun.
    pub(super) fn budget(&self) -> Option<Usd> {
        self.budget
    }

    /// Returns the stages of the session.
    pub(super) const fn stages(&self) -> &'static [Stage] {
        self.stages
    }

    /// What the agent of a turn does: `composes`, `reviews part 2`, else `is asked`.
    pub(super) fn task(&self, turn: &str) -> String {
        let verb = Stage::of(self.stages, turn).map_or("is asked", |stage| stage.verb);
        // `r1/review/s1/b2`: the second part of a large change.
        match turn.split('/').find_map(|part| part.strip_prefix('b')?.parse::<u32>().ok()) {
            Some(part) => format!("{verb} part {part}"),
            None => verb.to_owned(),
        }
    }

    /// Returns the role and agent of this turn; its id if they were never announced.
    pub(super) fn player(&self, turn: &str) -> TurnPlayer {
        self.turns
            .get(turn)
            .cloned()
            .unwrap_or_else(|| TurnPlayer { role: words::name(turn), agent: "?".to_owned() })
    }

    pub(super) fn permanent(&mut self, kind: &EventKind) -> Vec<String> {
        self.of(kind).into_iter().map(|(_, line)| line).collect()
    }

    pub(super) fn of(&mut self, kind: &EventKind) -> Vec<(LineKind, String)> {
        match kind {
            EventKind::SessionStarted { rehearsal, budget, course, .. } => {
                self.budget = *budget;
                self.stages = course.stages;
                self.warned.clear();
                let banner = (*rehearsal && !self.rehearsal_said)
                    .then(|| (LineKind::Trouble, paint(REHEARSAL, DOUBT, self.colour)));
                self.rehearsal_said |= *rehearsal;
                let line = self.session_line(kind).map(|line| (LineKind::Course, line));
                banner.into_iter().chain(line).collect()
            }
            EventKind::RoundOpened { round, of } => {
                let head = format!("=== Round {round} of {of} ===");
                vec![(LineKind::Course, paint(&head, HEAD, self.colour))]
            }
            EventKind::TurnStarted { turn, role, agent, .. } => {
                let player = TurnPlayer { role: words::name(role), agent: words::name(agent) };
                let line = format!("· {} {}", player.label(), self.task(turn));
                self.turns.insert(turn.clone(), player);
                vec![(LineKind::Course, line)]
            }
            EventKind::TurnOutput { .. } => Vec::new(),
            EventKind::TurnRetrying { turn, attempt, failure, delay } => {
                let line = format!(
                    "{}: attempt {attempt} failed, {}; again in {}",
                    self.player(turn).label(),
                    words::failure(failure),
                    words::time(*delay)
                );
                vec![(LineKind::Trouble, self.doubt(&line))]
            }
            EventKind::TurnRepairing { turn, defect } => {
                let line = format!(
                    "{}: the answer cannot be read, asked again: {}",
                    self.player(turn).label(),
                    words::sentence(defect)
                );
                vec![(LineKind::Trouble, self.doubt(&line))]
            }
            EventKind::TurnFellBack { turn, from, to } => {
                let (from, to) = (words::name(from), words::name(to));
                let mut player = self.player(turn);
                let line = format!("{}: {from} failed, {to} steps in", player.role);
                player.agent = to;
                self.turns.insert(turn.clone(), player);
                vec![(LineKind::Trouble, self.doubt(&line))]
            }
            EventKind::TurnFinished { turn, gist, .. } => {
                self.turns.remove(turn);
                let gist = gist.iter().map(|line| format!("    {}", words::sentence(line)));
                let gist = gist.map(|line| (LineKind::Course, line));
                self.turn_line(kind).into_iter().chain(gist).collect()
            }
            EventKind::Found(fact) | EventKind::RoundClosed { fact, .. } => {
                let message = words::sentence(&fact.message);
                if !fact.warning {
                    return vec![(LineKind::Course, format!("  {message}"))];
                }
                let line = (LineKind::Trouble, self.doubt(&message));
                let new = self.warned.insert(message);
                new.then_some(line).into_iter().collect()
            }
            EventKind::SessionFinished { outcome, verdict, stopped_by, resumable, cost } => {
                // A topic debate has the same outcome for both limits.
                let outcome = stopped_by.map_or(&**outcome, |limit| limit.name());
                vec![self.end_line(outcome, verdict, *resumable, *cost)]
            }
            EventKind::SinkFinished { sink, state, message } => {
                let line = super::sinks::line(sink, state, message.as_deref());
                vec![match *state {
                    "pending" => (LineKind::Trouble, self.doubt(&line)),
                    _ => (LineKind::Course, line),
                }]
            }
        }
    }

    fn session_line(&self, kind: &EventKind) -> Option<String> {
        let EventKind::SessionStarted { session, protocol, title, resumed, budget, spent, .. } =
            kind
        else {
            return None;
        };
        let what = match *protocol {
            "inquiry" => "Inquiry",
            "review" => "Review",
            "plan" => "Plan",
            "discuss" => "Critique",
            _ => "Debate",
        };
        let verb = if *resumed { format!("{what} resumed") } else { what.to_owned() };
        let money = if *spent == Usd::ZERO {
            budget.map_or_else(|| "no budget".to_owned(), |budget| format!("budget {budget}"))
        } else {
            format!("{} spent before", words::spent(*spent, *budget))
        };
        Some(format!(
            "{} {}",
            paint(&format!("{verb}: {}", words::sentence(title)), HEAD, self.colour),
            paint(&format!("({}, {money})", super::short_id(session)), FAINT, self.colour)
        ))
    }

    fn turn_line(&self, kind: &EventKind) -> Option<(LineKind, String)> {
        let EventKind::TurnFinished { role, seated, failure, replayed, took, cost, spent, .. } =
            kind
        else {
            return None;
        };
        let took = words::time(*took);
        let player = TurnPlayer { role: words::name(role), agent: words::name(&seated.agent) };
        let cost = cost.map_or_else(|| "no call".to_owned(), words::cost);
        let cancelled = failure.as_ref().is_some_and(|it| it.class == FailureClass::Cancelled);
        let tail = if cancelled {
            format!("spent {}", words::spent(*spent, self.budget))
        } else if *replayed {
            format!("from the journal, {cost}, not paid for again")
        } else if self.totals {
            format!("{took}, {cost}, spent {}", words::spent(*spent, self.budget))
        } else {
            format!("{took}, {cost}")
        };
        Some(match failure {
            None => {
                let mark = paint("✓", GOOD, self.colour);
                (LineKind::Course, format!("{mark} {}: {tail}", player.label()))
            }
            Some(failure) => {
                let mark = paint("✗", BAD, self.colour);
                let why = paint(&words::failed(failure), BAD, self.colour);
                (LineKind::Trouble, format!("{mark} {}: {why} ({tail})", player.label()))
            }
        })
    }

    fn end_line(
        &self,
        outcome: &str,
        verdict: &str,
        resumable: bool,
        cost: Option<Cost>,
    ) -> (LineKind, String) {
        let cost = cost.map_or_else(
            || "nothing spent".to_owned(),
            |cost| {
                let of = self.budget.map_or_else(String::new, |budget| format!(" of {budget}"));
                let basis = Data::default().with("basis", cost.basis).sentence("session/basis");
                format!("{}{of} spent, {}", cost.usd, terminal::line(&basis))
            },
        );
        let (head, style) = if resumable {
            (format!("Suspended: {}", words::name(outcome)), DOUBT)
        } else {
            let (outcome, verdict) = (words::name(outcome), words::name(verdict));
            let head = if outcome == verdict {
                format!("Finished: {outcome}")
            } else {
                format!("Finished: {outcome}, {verdict}")
            };
            (head, HEAD)
        };
        let line = format!("{} ({cost})", paint(&head, style, self.colour));
        (if resumable { LineKind::Trouble } else { LineKind::Course }, line)
    }

    fn doubt(&self, line: &str) -> String {
        paint(&format!("! {line}"), DOUBT, self.colour)
    }
}

#[cfg(test)]
mod tests;
