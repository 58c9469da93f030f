//! The time limit of a round: what is not started, and what is ended.

use std::cell::Cell;

use super::*;
use crate::agent::attempts::TimeLeft;

const LIMIT: Duration = Duration::from_secs(30);

/// Attempts of a round with limited time left; each call uses some of it.
struct Timed {
    inner: Scripted,
    left: Cell<Duration>,
    takes: Duration,
    /// The time limit of each call.
    timeouts: RefCell<Vec<Duration>>,
}

impl Timed {
    fn new(left: u64, takes: u64, calls: Vec<Script>) -> Self {
        Self {
            inner: Scripted::new(calls),
            left: Cell::new(Duration::from_secs(left)),
            takes: Duration::from_secs(takes),
            timeouts: RefCell::default(),
        }
    }

    async fn ask(&self, fallbacks: Vec<Agent>) -> Answer<String> {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_owned();
        let settings = AskSettings::new("/bin/true".into(), base, "b0undary".to_owned());
        ask(&roster(fallbacks), &turn(), "SYSTEM", &parse, &|| Value::Null, self, &settings)
            .await
            .unwrap()
    }

    fn calls(&self) -> usize {
        self.timeouts.borrow().len()
    }
}

impl Attempts for Timed {
    async fn permit(
        &self,
        intent: &Intent,
        prompt: [&str; 2],
        adopt: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, AttemptError> {
        match self.too_late(intent, Duration::ZERO) {
            Some(failure) => Ok(Permit::OutOfTime(failure)),
            None => self.inner.permit(intent, prompt, adopt).await,
        }
    }
    async fn launch(&self, intent: &Intent, spec: &Spec, sink: &mut dyn Sink) -> ProcessResult {
        self.timeouts.borrow_mut().push(spec.limits.timeout);
        self.left.set(self.left.get().saturating_sub(self.takes));
        self.inner.launch(intent, spec, sink).await
    }
    async fn settle(&self, intent: &Intent, result: &AttemptResult) -> Result<Cost, AttemptError> {
        self.inner.settle(intent, result).await
    }
    fn happened(&self, intent: &Intent, what: AttemptEvent) {
        self.inner.happened(intent, what);
    }
    fn time_left(&self, _: &Intent) -> Option<TimeLeft> {
        let left = self.left.get();
        Some(TimeLeft { left, limit: LIMIT })
    }
    fn too_late(&self, intent: &Intent, wait: Duration) -> Option<Failure> {
        (self.left.get() <= wait).then(|| Failure {
            class: FailureClass::TimedOut,
            message: format!("{}: the round is over", intent.agent),
        })
    }
    fn control(&self) -> tokio::sync::watch::Receiver<Control> {
        self.inner.control()
    }
}

fn failure(answer: &Answer<String>) -> &Failure {
    answer.result.as_ref().unwrap_err()
}

#[tokio::test]
async fn nothing_is_begun_when_nothing_is_left() {
    let timed = Timed::new(0, 0, Vec::new());
    let answer = timed.ask(vec![agent("two", "v2")]).await;
    assert_eq!(failure(&answer).class, FailureClass::TimedOut);
    assert_eq!(failure(&answer).message, "one: the round is over");
    assert_eq!((answer.attempts, answer.cost), (0, None));
    assert_eq!(answer.respondent.agent, "one", "nobody stepped in");
    assert!(timed.inner.happened.borrow().is_empty());
}

#[tokio::test]
async fn a_call_is_ended_with_its_round_and_nobody_steps_in_afterwards() {
    let timed = Timed::new(20, 20, vec![("", Ending::TimedOut)]);
    let answer = timed.ask(vec![agent("two", "v2")]).await;
    assert_eq!(*timed.timeouts.borrow(), [Duration::from_secs(20)]);
    assert_eq!(failure(&answer).class, FailureClass::TimedOut);
    let said = &failure(&answer).message;
    assert!(said.starts_with("one ") && said.contains("30 s"), "{said}");
    assert_eq!(timed.calls(), 1);
    let fell_back = |what: &AttemptEvent| matches!(what, AttemptEvent::FellBack { .. });
    assert!(!timed.inner.happened.borrow().iter().any(fell_back));
}

#[tokio::test]
async fn its_own_limit_rules_where_it_is_shorter() {
    let timed = Timed::new(100_000, 1, vec![("", Ending::TimedOut)]);
    let answer = timed.ask(Vec::new()).await;
    assert!(timed.timeouts.borrow()[0] < Duration::from_secs(100_000));
    let said = &failure(&answer).message;
    assert!(!said.contains("round"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_the_round_has_no_time_for_is_not_begun() {
    // The first wait is half a second at least.
    let mut timed = Timed::new(10, 0, vec![("", CRASH)]);
    timed.takes = Duration::from_millis(9_600);
    let answer = timed.ask(vec![agent("two", "v2")]).await;
    assert_eq!(failure(&answer).message, "one: the round is over");
    assert_eq!(timed.calls(), 1);
    let retrying = |what: &AttemptEvent| matches!(what, AttemptEvent::Retrying { .. });
    assert!(!timed.inner.happened.borrow().iter().any(retrying));
}

#[tokio::test]
async fn without_time_for_a_repair_the_rules_complete_what_they_can() {
    let timed = Timed::new(5, 5, vec![("half", OK)]);
    assert_eq!(timed.ask(Vec::new()).await.result.unwrap(), "half");
    let timed = Timed::new(5, 5, vec![("bad", OK)]);
    let answer = timed.ask(Vec::new()).await;
    let said = &failure(&answer).message;
    assert!(said.contains("the round is over"), "{said}");
    assert_eq!(timed.calls(), 1);
}
