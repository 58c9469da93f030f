//! The progress of a run, for callers that poll it: the last event, the number of lines, the cost so far.

use std::collections::BTreeSet;
use std::io;

use super::Reporter;
use super::progress::Lines;
use crate::engine::events::{Event, EventKind};
use crate::kernel::Usd;
use crate::text::sanitize;

/// Maximum characters of the last line, which is sent with every notice of progress.
const LINE_CHARS: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RunProgress {
    /// The sessions that the run opened or continued, in order. A run over several artifacts has several.
    pub sessions: Vec<String>,
    /// Number of lines so far. It never decreases.
    pub lines: u32,
    /// The last line: sanitized, without colours, at most 300 characters.
    pub last: String,
    /// The amount that this run spent so far: finished calls in all its sessions, without what earlier runs of them
    /// spent.
    pub spent: Usd,
    /// The total of the current session, as last reported, and its total when this run began with it.
    meter: (Usd, Usd),
    /// The amount that earlier sessions of this run spent.
    before: Usd,
    /// Turns that have begun but not ended, each with the number of its session in this run.
    open: BTreeSet<(usize, String)>,
}

impl RunProgress {
    /// Whether the cost of a started call is unknown. Once the run has ended it stays unknown: `spent` is then only a
    /// lower bound.
    pub(crate) fn in_doubt(&self) -> bool {
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
            _ => {}
        }
        self.spent = self.before + self.meter.0.saturating_sub(self.meter.1);
    }
}

#[derive(Debug)]
pub(crate) struct ProgressReporter<F> {
    course: RunProgress,
    lines: Lines,
    tell: F,
}

impl<F: FnMut(&RunProgress)> ProgressReporter<F> {
    /// Creates a reporter that calls `tell` with the progress, on the thread of the run.
    pub(crate) fn new(tell: F) -> Self {
        Self { course: RunProgress::default(), lines: Lines::new(false), tell }
    }
}

impl<F: FnMut(&RunProgress)> Reporter for ProgressReporter<F> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let before = self.course.clone();
        self.course.take(&event.kind);
        let lines = self.lines.of(&event.kind);
        if lines.is_empty() && self.course != before {
            (self.tell)(&self.course);
        }
        for (_, line) in lines {
            self.course.lines = self.course.lines.saturating_add(1);
            self.course.last = sanitize::line(&line, LINE_CHARS);
            (self.tell)(&self.course);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    //! Tests of a run's cost, calculated by hand from its events.

    use std::cell::RefCell;
    use std::rc::Rc;
    use std::time::Duration;

    use super::*;
    use crate::engine::events::Course;
    use crate::kernel::{Basis, Cost, Respondent};

    fn cents(amount: u64) -> Usd {
        Usd::from_micros(amount * 10_000)
    }

    fn session(id: &str, spent: u64) -> EventKind {
        EventKind::SessionStarted {
            session: id.to_owned(),
            protocol: "review",
            title: "change".to_owned(),
            resumed: spent > 0,
            rehearsal: false,
            budget: None,
            spent: cents(spent),
            course: Course::default(),
        }
    }

    fn begun(turn: &str) -> EventKind {
        EventKind::TurnStarted {
            turn: turn.to_owned(),
            role: "s1".to_owned(),
            agent: "claude".to_owned(),
            vendor: "anthropic".to_owned(),
            limit: None,
            since: Duration::ZERO,
        }
    }

    /// The end of a turn, after which the session has spent this much.
    fn over(turn: &str, spent: u64) -> EventKind {
        EventKind::TurnFinished {
            turn: turn.to_owned(),
            role: "s1".to_owned(),
            seated: Respondent {
                agent: "claude".to_owned(),
                vendor: "anthropic".to_owned(),
                fell_back_from: None,
            },
            failure: None,
            replayed: false,
            took: Duration::ZERO,
            cost: None,
            spent: cents(spent),
            gist: Vec::new(),
        }
    }

    fn ended(spent: Option<u64>) -> EventKind {
        EventKind::SessionFinished {
            outcome: "clean".to_owned(),
            verdict: "decided".to_owned(),
            stopped_by: None,
            resumable: false,
            cost: spent.map(|spent| Cost { usd: cents(spent), basis: Basis::Reported }),
        }
    }

    fn after(events: &[EventKind]) -> RunProgress {
        let mut course = RunProgress::default();
        for event in events {
            course.take(event);
        }
        course
    }

    #[test]
    fn a_resumed_session_costs_what_it_spent_since() {
        let course = after(&[session("a", 40), begun("r1/s1"), over("r1/s1", 51)]);
        assert_eq!((course.spent, course.in_doubt()), (cents(11), false));
    }

    #[test]
    fn several_sessions_cost_their_sum() {
        let course = after(&[
            session("a", 0),
            begun("r1/s1"),
            over("r1/s1", 11),
            ended(Some(11)),
            session("b", 5),
            begun("r1/s1"),
            over("r1/s1", 12),
            ended(Some(12)),
        ]);
        // 11 in the first session, 12 - 5 in the second.
        assert_eq!(course.spent, cents(18));
        assert_eq!(course.sessions, ["a", "b"]);
        assert!(!course.in_doubt());
    }

    #[test]
    fn a_call_without_a_session_costs_what_it_says() {
        let course = after(&[begun("run/claude"), over("run/claude", 7)]);
        assert_eq!((course.spent, course.in_doubt()), (cents(7), false));
    }

    #[test]
    fn what_was_begun_and_not_told_is_in_doubt() {
        let events = [session("a", 0), begun("r1/s1"), begun("r1/s2"), over("r1/s1", 11)];
        assert!(after(&events).in_doubt());
        assert!(!after(&events[..1]).in_doubt(), "nobody was asked yet");
    }

    #[test]
    fn a_session_that_broke_off_stays_in_doubt_whatever_the_next_one_asks() {
        let course = after(&[
            session("a", 0),
            begun("r1/s1"),
            session("b", 0),
            begun("r1/s1"),
            over("r1/s1", 3),
            ended(Some(3)),
        ]);
        assert!(course.in_doubt());
    }

    #[test]
    fn a_turn_that_was_answered_from_the_journal_leaves_no_doubt() {
        let course = after(&[session("a", 11), over("r1/s1", 11), ended(Some(11))]);
        assert_eq!((course.spent, course.in_doubt()), (Usd::ZERO, false));
    }

    #[test]
    fn the_last_line_is_short_and_harmless_and_the_count_grows() {
        let told: Rc<RefCell<Vec<RunProgress>>> = Rc::default();
        let sink = Rc::clone(&told);
        let mut watched = ProgressReporter::new(move |course: &RunProgress| {
            sink.borrow_mut().push(course.clone());
        });
        let mut title = "\u{1b}[31mred\u{202e}\n".to_owned();
        title.push_str(&"x".repeat(5_000));
        let mut started = session("a", 0);
        if let EventKind::SessionStarted { title: of, .. } = &mut started {
            *of = title;
        }
        for (seq, kind) in (1..).zip([started, begun("r1/s1"), over("r1/s1", 11)]) {
            let event =
                Event { seq, at: crate::env::Env::system().now(), elapsed: Duration::ZERO, kind };
            watched.event(&event).unwrap();
        }
        let told = told.borrow();
        for pair in told.windows(2) {
            assert!(pair[0].lines <= pair[1].lines);
        }
        for course in told.iter() {
            assert!(course.last.chars().count() <= 300, "{}", course.last.len());
            assert!(!course.last.chars().any(char::is_control));
            assert!(!course.last.contains('\u{202e}'));
        }
    }
}
