//! The time limits of a run: the clock of a round with a time limit, and the deadline of the whole run.
//!
//! A round's clock runs while one of its agents' turns is being asked: calls, retries, repairs and the waits
//! between them. It stops while the run is paused, and a person's turns neither advance it nor end because of
//! it. It starts anew in every run: time used by an earlier one does not count. If a turn ended because the
//! time was used up, that is journaled (`out_of_time` of `turn.closed`), so that a replay ends it in the same
//! way.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::switch::Switch;
use crate::agent::attempts::TimeLeft;
use crate::kernel::{Failure, FailureClass, Stop, round_of};
use crate::process::Control;

/// The seat of the person who asked, for turns that no agent answers.
const PERSON: &str = "person";

/// Creates the failure of a turn for which its round had no time left.
pub(crate) fn out_of_time(agent: &str, limit: u64) -> Failure {
    Failure {
        class: FailureClass::TimedOut,
        message: format!("{agent}: no longer asked: its round's time limit is used up ({limit} s)"),
    }
}

#[derive(Debug)]
pub(crate) struct RoundClock {
    limit: Duration,
    round: Cell<u32>,
    /// Time counted up to `since`.
    spent: Cell<Duration>,
    /// When it was started; `None`: it is stopped.
    since: Cell<Option<Instant>>,
    /// Number of turns being asked.
    turns: Cell<u32>,
    paused: Cell<bool>,
}

impl RoundClock {
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit,
            round: Cell::new(0),
            spent: Cell::default(),
            since: Cell::default(),
            turns: Cell::default(),
            paused: Cell::default(),
        }
    }

    pub(crate) fn limit_seconds(&self) -> u64 {
        self.limit.as_secs()
    }

    /// Returns the time left for a turn of the current round; `None`: no limit applies to it.
    pub(crate) fn left(&self, turn: &str, role: &str) -> Option<TimeLeft> {
        let round = Self::counts(turn, role)?;
        let spent = if round == self.round.get() { self.spent() } else { Duration::ZERO };
        Some(TimeLeft { left: self.limit.saturating_sub(spent), limit: self.limit })
    }

    /// Asks a turn while its round's clock runs.
    pub(crate) async fn time<T>(
        &self,
        turn: &str,
        role: &str,
        control: watch::Receiver<Control>,
        asking: impl Future<Output = T>,
    ) -> T {
        let Some(round) = Self::counts(turn, role) else {
            return asking.await;
        };
        if self.round.replace(round) != round {
            self.spent.set(Duration::ZERO);
        }
        self.turns.set(self.turns.get() + 1);
        let _running = RunningTurn(self);
        self.wind();
        tokio::select! {
            biased;
            answer = asking => answer,
            never = self.follow(control) => match never {},
        }
    }

    fn counts(turn: &str, role: &str) -> Option<u32> {
        round_of(turn).filter(|_| role != PERSON)
    }

    fn spent(&self) -> Duration {
        let running = (self.since.get()).map_or(Duration::ZERO, |since| since.elapsed());
        self.spent.get().saturating_add(running)
    }

    /// Starts or stops the clock, depending on turns and pauses.
    fn wind(&self) {
        let runs = self.turns.get() > 0 && !self.paused.get();
        match (runs, self.since.get()) {
            (true, None) => self.since.set(Some(Instant::now())),
            (false, Some(_)) => {
                self.spent.set(self.spent());
                self.since.set(None);
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Stops the clock while the run is paused.
    async fn follow(&self, mut control: watch::Receiver<Control>) -> Infallible {
        loop {
            self.paused.set(*control.borrow_and_update() == Control::Pause);
            self.wind();
            if control.changed().await.is_err() {
                // Nobody can pause this run any more.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Stops the run when it has lasted this long, excluding pauses; then, or without a deadline, waits forever.
pub(crate) async fn deadline(switch: &Switch, limit: Option<Duration>) {
    if let Some(mut left) = limit {
        let mut control = switch.listen();
        while !left.is_zero() {
            let running = *control.borrow_and_update() != Control::Pause;
            let since = Instant::now();
            tokio::select! {
                () = tokio::time::sleep(left), if running => {}
                changed = control.changed() => if changed.is_err() { break },
            }
            if running {
                left = left.saturating_sub(since.elapsed());
            }
        }
        switch.stop(Stop::Deadline);
    }
    std::future::pending::<()>().await;
}

/// A turn being asked; dropping it ends the turn.
struct RunningTurn<'a>(&'a RoundClock);

impl Drop for RunningTurn<'_> {
    fn drop(&mut self) {
        self.0.turns.set(self.0.turns.get().saturating_sub(1));
        self.0.wind();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: Duration = Duration::from_secs(10);

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn left(clock: &RoundClock, turn: &str) -> u64 {
        clock.left(turn, "proposer").unwrap().left.as_secs()
    }

    async fn ask(clock: &RoundClock, turn: &str, takes: u64) {
        let (_sender, control) = watch::channel(Control::Run);
        clock.time(turn, "proposer", control, tokio::time::sleep(seconds(takes))).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_round_s_turns_share_its_time_and_the_next_round_has_all_of_its_own() {
        let clock = RoundClock::new(ROUND);
        assert_eq!(left(&clock, "r1/propose"), 10);
        ask(&clock, "r1/propose", 4).await;
        // Time between two turns does not count.
        tokio::time::sleep(seconds(60)).await;
        assert_eq!(left(&clock, "r1/review"), 6);
        ask(&clock, "r1/review", 7).await;
        assert_eq!(left(&clock, "r1/review"), 0);
        assert_eq!(left(&clock, "r3/compromise"), 10);
        ask(&clock, "r3/compromise", 3).await;
        assert_eq!(left(&clock, "r3/answer"), 7);
        assert_eq!(clock.left("validate/s1", "proposer"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn turns_at_the_same_time_use_the_time_once() {
        let clock = RoundClock::new(ROUND);
        tokio::join!(ask(&clock, "r1/answer/s1", 4), ask(&clock, "r1/answer/s2", 6));
        assert_eq!(left(&clock, "r1/x"), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_person_s_turn_does_not_count() {
        let clock = RoundClock::new(ROUND);
        let (_sender, control) = watch::channel(Control::Run);
        let thinks = tokio::time::sleep(seconds(3600));
        clock.time("r2/remark", "person", control, thinks).await;
        assert_eq!(left(&clock, "r2/rebuttal"), 10);
        assert_eq!(clock.left("r2/remark", "person"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_does_not_count() {
        let clock = RoundClock::new(ROUND);
        let (sender, control) = watch::channel(Control::Run);
        let pauses = async {
            tokio::time::sleep(seconds(2)).await;
            sender.send_replace(Control::Pause);
            tokio::time::sleep(seconds(600)).await;
            sender.send_replace(Control::Run);
            tokio::time::sleep(seconds(3)).await;
        };
        clock.time("r1/propose", "proposer", control, pauses).await;
        assert_eq!(left(&clock, "r1/review"), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_given_up_stops_the_clock() {
        let clock = RoundClock::new(ROUND);
        let asked = tokio::time::timeout(seconds(1), ask(&clock, "r1/propose", 100)).await;
        assert!(asked.is_err());
        tokio::time::sleep(seconds(60)).await;
        assert_eq!(left(&clock, "r1/review"), 9);
    }
}
