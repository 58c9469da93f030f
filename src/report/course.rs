//! The course of a run for somebody who asks now and then: what happened last, how much, what it cost so far.

use std::collections::BTreeSet;
use std::io;

use super::Reporter;
use super::progress::Lines;
use crate::engine::events::{Event, EventKind};
use crate::kernel::Usd;
use crate::text::sanitize;

/// Most characters of the last line: it goes out with every notice of progress.
const LINE_CHARS: usize = 300;

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Course {
    /// The sessions that it opened or goes on with, in order. A run over several artifacts has several.
    pub sessions: Vec<String>,
    /// Lines that were said. It only grows.
    pub lines: u32,
    /// The last of them: sanitized, without colours, at most 300 characters.
    pub last: String,
    /// What this run spent so far: calls that are over, in all its sessions, without what earlier runs of them spent.
    pub spent: Usd,
    /// What the session that runs now had spent in all when it was last heard of, and when this run began with it.
    meter: (Usd, Usd),
    /// What the sessions before it spent in this run.
    before: Usd,
    /// Turns that were begun and are not over, each with the number of its session in this run.
    open: BTreeSet<(usize, String)>,
}

impl Course {
    /// Whether calls were begun whose cost was not told. Once the run is over nobody tells it any more: `spent` is then
    /// only the least that it can have cost.
    pub fn in_doubt(&self) -> bool {
        !self.open.is_empty()
    }

    fn take(&mut self, event: &EventKind) {
        let session = self.sessions.len();
        match event {
            EventKind::SessionStarted { session, spent, .. } => {
                self.before = self.spent;
                self.meter = (*spent, *spent);
                self.sessions.push(session.clone());
            }
            EventKind::TurnStarted { turn, .. } => {
                self.open.insert((session, turn.clone()));
            }
            EventKind::TurnFinished { turn, spent, .. } => {
                self.open.remove(&(session, turn.clone()));
                self.meter.0 = *spent;
            }
            EventKind::SessionFinished { cost, .. } => {
                self.meter.0 = cost.map_or(self.meter.0, |cost| cost.usd);
            }
            EventKind::RoundOpened { .. }
            | EventKind::TurnOutput { .. }
            | EventKind::TurnRetrying { .. }
            | EventKind::TurnRepairing { .. }
            | EventKind::TurnFellBack { .. }
            | EventKind::Found(_)
            | EventKind::SinkFinished { .. } => {}
        }
        self.spent = self.before + self.meter.0.saturating_sub(self.meter.1);
    }
}

/// Tells somebody the course after every event that changes it.
#[derive(Debug)]
pub struct Watched<F> {
    course: Course,
    lines: Lines,
    tell: F,
}

impl<F: FnMut(&Course)> Watched<F> {
    /// Calls `tell` with the course, from the thread of the run.
    pub fn new(tell: F) -> Self {
        Self { course: Course::default(), lines: Lines::new(false), tell }
    }
}

impl<F: FnMut(&Course)> Reporter for Watched<F> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let before = self.course.clone();
        self.course.take(&event.kind);
        for (_, line) in self.lines.of(&event.kind) {
            self.course.lines = self.course.lines.saturating_add(1);
            self.course.last = sanitize::line(&line, LINE_CHARS);
        }
        if self.course != before {
            (self.tell)(&self.course);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
