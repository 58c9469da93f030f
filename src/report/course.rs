//! The course of a run for somebody who asks now and then: what happened last, how much, what it cost so far.

use std::io;

use super::Reporter;
use super::progress::Lines;
use crate::engine::events::{Event, EventKind};
use crate::protocol::Usd;

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Course {
    /// The sessions that it opened or goes on with, in order. A run over several artifacts has several.
    pub sessions: Vec<String>,
    /// Lines that were said. It only grows.
    pub lines: u32,
    /// The last of them: sanitized, without colours.
    pub last: String,
    /// What this run spent so far: calls that are over, in all its sessions, without what earlier runs of them spent.
    pub spent: Usd,
    /// What the session that runs now had spent in all when it was last heard of, and when this run began with it.
    meter: (Usd, Usd),
    /// What the sessions before it spent in this run.
    before: Usd,
}

impl Course {
    fn take(&mut self, event: &EventKind) {
        match event {
            EventKind::SessionStarted { session, spent, .. } => {
                self.before = self.spent;
                self.meter = (*spent, *spent);
                self.sessions.push(session.clone());
            }
            EventKind::TurnFinished { spent, .. } => self.meter.0 = *spent,
            EventKind::SessionFinished { cost, .. } => {
                self.meter.0 = cost.map_or(self.meter.0, |cost| cost.usd);
            }
            EventKind::RoundOpened { .. }
            | EventKind::TurnStarted { .. }
            | EventKind::TurnOutput { .. }
            | EventKind::TurnRetrying { .. }
            | EventKind::TurnRepairing { .. }
            | EventKind::TurnFellBack { .. }
            | EventKind::Found(_) => {}
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
        Self {
            course: Course::default(),
            lines: Lines::new(false),
            tell,
        }
    }
}

impl<F: FnMut(&Course)> Reporter for Watched<F> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let before = self.course.clone();
        self.course.take(&event.kind);
        for (_, line) in self.lines.of(&event.kind) {
            self.course.lines = self.course.lines.saturating_add(1);
            self.course.last = line;
        }
        if self.course != before {
            (self.tell)(&self.course);
        }
        Ok(())
    }
}
