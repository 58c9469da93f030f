//! A stopwatch that can be paused: every limit of a run is measured on it, so
//! that the time a person keeps the run stopped (Ctrl-Z) is charged to nobody.

use std::time::{Duration, Instant};

/// Counts the time since it was started, less its pauses. Monotonic: the wall
/// clock may jump as it likes.
#[derive(Debug, Clone)]
pub(super) struct Stopwatch {
    /// Active time before the current stretch.
    before: Duration,
    /// Start of the current stretch; `None` while paused.
    since: Option<Instant>,
}

impl Stopwatch {
    /// Starts one at zero.
    pub(super) fn start() -> Self {
        Self { before: Duration::ZERO, since: Some(Instant::now()) }
    }

    /// Returns the active time so far.
    pub(super) fn active(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Stops counting; does nothing when already paused.
    pub(super) fn pause(&mut self) {
        self.before = self.active();
        self.since = None;
    }

    /// Goes on counting; does nothing when not paused.
    pub(super) fn resume(&mut self) {
        if self.since.is_none() {
            self.since = Some(Instant::now());
        }
    }

    /// Tells whether it is paused.
    pub(super) fn paused(&self) -> bool {
        self.since.is_none()
    }

    /// Returns how long until the active time reaches `mark`: `None` while
    /// paused (never, as things stand), zero when it is past.
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
