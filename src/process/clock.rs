//! A stopwatch that can be paused. Every limit of a run is measured on it, so that the time a run spends suspended
//! (Ctrl-Z) is not counted.

use std::time::{Duration, Instant};

/// The time since the start, minus the pauses. Monotonic, so changes of the wall clock do not matter.
#[derive(Debug, Clone)]
pub(super) struct Stopwatch {
    /// Active time before the current stretch.
    before: Duration,
    /// Start of the current stretch; `None` while paused.
    since: Option<Instant>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { before: Duration::ZERO, since: Some(Instant::now()) }
    }

    pub(super) fn active(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Stops counting; does nothing when already paused.
    pub(super) fn pause(&mut self) {
        self.before = self.active();
        self.since = None;
    }

    /// Continues counting; does nothing when not paused.
    pub(super) fn resume(&mut self) {
        if self.since.is_none() {
            self.since = Some(Instant::now());
        }
    }

    pub(super) fn paused(&self) -> bool {
        self.since.is_none()
    }

    /// Returns the time until the active time reaches `mark`: zero if it is past, `None` while paused (the mark is
    /// not reached before a resume).
    pub(super) fn until(&self, mark: Duration) -> Option<Duration> {
        self.since.map(|_| mark.saturating_sub(self.active()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_not_counted() {
        let mut watch = Stopwatch::start();
        watch.pause();
        let at_pause = watch.active();
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(watch.active(), at_pause);
        assert_eq!(watch.until(Duration::from_secs(9)), None);
        watch.resume();
        assert!(watch.active() >= at_pause);
        assert!(watch.until(Duration::from_secs(9)).is_some());
    }
}
