//! Runs: debates that go on while their client waits, polls, or does something else.
//!
//! # Theory of operation
//!
//! A run is a thread with a runtime of its own, because a debate is one future on one thread (`app`), and what it does
//! between two awaits (a sync of the journal, the comparison of many texts) must not hold up the answers to other requests.
//! The thread publishes its [`State`] in a watch channel; whoever waits for it holds a receiver. It is stopped through an
//! [`Order`], which `app` obeys as it obeys a signal: the agents get their grace, the session is kept and can be resumed.
//!
//! A run whose caller waits belongs to that call: when the call is cancelled or dropped, the run is stopped. When the
//! caller has been told that it goes on, it belongs to the server, and ends at the latest with it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::answer::Answer;
use super::cap::Cap;
use crate::app::workspace::Surroundings;
use crate::app::{Order, Stops};
use crate::protocol::Usd;
use crate::report::Reporter;
use crate::report::course::{Course, Watched};

/// Most runs at the same time: each may have six live agents (`limits.max_parallel`).
const MOST_LIVE: usize = 4;

/// Ended runs that are remembered, for clients that poll. Their sessions are in the store for ever.
const MOST_ENDED: usize = 32;

/// What a run is made with, on its own thread.
pub(crate) struct Context {
    /// What stops it.
    pub(crate) stops: Stops,
    /// What follows it.
    pub(crate) reporters: Vec<Box<dyn Reporter>>,
    /// What it may spend.
    pub(crate) budget: Usd,
}

/// What a run does, on its own thread.
pub(crate) type Work = Box<dyn FnOnce(Context) -> Answer + Send>;

/// Where a run stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// How far it is.
    pub(crate) course: Course,
    /// What came of it, once it is over.
    pub(crate) ended: Option<Answer>,
}

/// A run.
#[derive(Debug)]
pub(crate) struct Run {
    /// The tool that began it.
    pub(crate) tool: &'static str,
    /// Where its sessions are.
    pub(crate) around: Surroundings,
    state: watch::Sender<State>,
    order: watch::Sender<Order>,
}

impl Run {
    /// Returns where it stands now, and what tells of every change.
    pub(crate) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Tells it to stop. A stronger order replaces a weaker one, never the other way round.
    pub(crate) fn order(&self, order: Order) {
        self.order.send_if_modified(|now| {
            let stronger = order > *now;
            *now = order.max(*now);
            stronger
        });
    }

    /// Waits until it is over, at most this long. Returns what came of it; `None`: it goes on.
    pub(crate) async fn wait(&self, at_most: Duration) -> Option<Answer> {
        let mut state = self.state();
        let ended = state.wait_for(|state| state.ended.is_some());
        let state = tokio::time::timeout(at_most, ended).await.ok()?.ok()?;
        state.ended.clone()
    }
}

/// The runs of a server.
#[derive(Debug, Clone)]
pub(crate) struct Runs(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    all: Mutex<Vec<Arc<Run>>>,
    cap: Cap,
}

impl Runs {
    /// `most`: what all of them together may spend.
    pub(crate) fn new(most: Usd) -> Self {
        Self(Arc::new(Inner {
            all: Mutex::default(),
            cap: Cap::new(most),
        }))
    }

    /// Begins a run. `wanted`: the most that it could spend.
    ///
    /// # Errors
    /// The cap is reached, too many runs are live, or the system gives no thread: nothing was started.
    pub(crate) fn start(
        &self,
        tool: &'static str,
        around: Surroundings,
        wanted: Usd,
        work: Work,
    ) -> Result<Arc<Run>, Answer> {
        let mut all = self.lock();
        let live = all.iter().filter(|run| run.is_live()).count();
        if live >= MOST_LIVE {
            return Err(Answer::Refused(format!(
                "{live} debates run already, the most at the same time (wait for one with `session_status`, or end one with `session_cancel`)"
            )));
        }
        let Some(budget) = self.0.cap.lend(wanted) else {
            return Err(Answer::Refused(
                "this server has spent what it may (`mcp.budget_usd` of the user's own configuration); only the user can raise it, or restart the server".to_owned(),
            ));
        };
        let run = Arc::new(Run {
            tool,
            around,
            state: watch::Sender::default(),
            order: watch::Sender::default(),
        });
        let (mine, inner) = (Arc::clone(&run), Arc::clone(&self.0));
        let started = std::thread::Builder::new()
            .name("run".to_owned())
            .spawn(move || live_through(&mine, &inner.cap, budget, work));
        if let Err(error) = started {
            self.0.cap.settle(budget, Usd::ZERO);
            return Err(Answer::Refused(format!(
                "the system gives no thread for a debate: {error}"
            )));
        }
        all.push(Arc::clone(&run));
        forget_the_oldest(&mut all);
        Ok(run)
    }

    /// Finds the run of a session, by its id or the start of it.
    pub(crate) fn of_session(&self, id: &str) -> Option<Arc<Run>> {
        let all = self.lock();
        let mut newest_first = all.iter().rev();
        newest_first
            .find(|run| {
                let state = run.state.borrow();
                let mut sessions = state.course.sessions.iter();
                sessions.any(|session| session.starts_with(id))
            })
            .cloned()
    }

    /// Tells all of them to stop.
    pub(crate) fn order_all(&self, order: Order) {
        for run in self.lock().iter() {
            run.order(order);
        }
    }

    /// Waits until none is live.
    pub(crate) async fn all_ended(&self) {
        loop {
            let live = self.lock().iter().find(|run| run.is_live()).cloned();
            let Some(run) = live else { return };
            // The sender lives in the run, which we hold.
            let mut state = run.state();
            state.wait_for(|state| state.ended.is_some()).await.ok();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Run>>> {
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    fn is_live(&self) -> bool {
        self.state.borrow().ended.is_none()
    }
}

fn forget_the_oldest(all: &mut Vec<Arc<Run>>) {
    while all.iter().filter(|run| !run.is_live()).count() > MOST_ENDED {
        let Some(oldest) = all.iter().position(|run| !run.is_live()) else {
            return;
        };
        all.remove(oldest);
    }
}

/// The whole life of a run, on its own thread. Whatever happens in `work`, the run ends, and its money is settled.
fn live_through(run: &Arc<Run>, cap: &Cap, budget: Usd, work: Work) {
    let told = Arc::clone(run);
    let watched = Watched::new(move |course: &Course| {
        told.state
            .send_modify(|state| state.course.clone_from(course));
    });
    let context = Context {
        stops: Stops::Remote(run.order.subscribe()),
        reporters: vec![Box::new(watched)],
        budget,
    };
    let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(context)));
    let spent = match &answer {
        Ok(_) => run.state.borrow().course.spent,
        // What was in flight is not known: an unknown cost is what was set aside, never 0.
        Err(_) => budget,
    };
    cap.settle(budget, spent);
    let answer = answer.unwrap_or_else(|_| {
        Answer::Refused("a broken invariant of debate-agent ended the run: a bug; its message stands on the server's standard error, and the session can be resumed".to_owned())
    });
    run.state.send_modify(|state| state.ended = Some(answer));
}
