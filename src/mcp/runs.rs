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
//!
//! # Money
//!
//! A run is lent what it wants or what the server has left, whichever is less, and what it did not spend comes back. What it
//! spent is the sum of what its sessions told (`report::course`). Where a call was begun whose cost nobody told, because
//! an error or a panic broke the run off, all that was lent counts as spent: an unknown cost is never 0.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::answer::Answer;
use super::cap::{Account, Cap};
use super::compact;
use crate::app::workspace::Surroundings;
use crate::app::{Order, Stops};
use crate::kernel::Usd;
use crate::report::Reporter;
use crate::report::course::{Course, Watched};

/// Most runs at the same time: each may have six live agents (`limits.max_parallel`).
const MOST_LIVE: usize = 4;

/// Ended runs that are remembered, for clients that poll. Their sessions are in the store for ever.
const MOST_ENDED: usize = 32;

/// Places of runs that are remembered, longer than the runs: without them nobody would find those sessions again.
const MOST_PLACES: usize = 64;

/// What a run is made with, on its own thread.
pub(crate) struct Context {
    /// What stops it.
    pub(crate) stops: Stops,
    /// What follows it.
    pub(crate) reporters: Vec<Box<dyn Reporter>>,
    /// What it may spend: what was wanted, or what the server has left.
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
    /// The session that it was begun to go on with; a new one is told by its course.
    pub(crate) session: Option<String>,
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
    all: Mutex<All>,
    cap: Cap,
}

#[derive(Debug, Default)]
struct All {
    /// In the order in which they began.
    runs: Vec<Arc<Run>>,
    /// Where runs were held, each place once.
    places: Vec<Surroundings>,
    /// The server ends: no run begins any more.
    closed: bool,
}

impl Runs {
    /// `most`: what all of them together may spend.
    pub(crate) fn new(most: Usd) -> Self {
        Self(Arc::new(Inner { all: Mutex::default(), cap: Cap::new(most) }))
    }

    /// Says what all of them together may spend.
    pub(crate) fn may_spend(&self, most: Usd) {
        self.0.cap.set(most);
    }

    /// Returns how the server's money stands.
    #[cfg(test)]
    pub(crate) fn account(&self) -> Account {
        self.0.cap.account()
    }

    /// Begins a run. `session`: the one that it goes on with, if it is not to open one; `wanted`: the most that it could
    /// spend.
    ///
    /// # Errors
    /// The server ends, the cap is reached, too many runs are live, or the system gives no thread: nothing was started.
    pub(crate) fn start(
        &self,
        tool: &'static str,
        around: Surroundings,
        session: Option<String>,
        wanted: Usd,
        work: Work,
    ) -> Result<Arc<Run>, Answer> {
        let mut all = self.lock();
        if all.closed {
            return Err(Answer::Refused(
                "the server ends, so nothing is begun any more".to_owned(),
            ));
        }
        let live = all.runs.iter().filter(|run| run.is_live()).count();
        if live >= MOST_LIVE {
            return Err(Answer::Refused(format!(
                "{live} debates run already, the most at the same time (wait for one with `session_status`, or end one with `session_cancel`)"
            )));
        }
        let Some(budget) = self.0.cap.lend(wanted) else {
            return Err(Answer::Refused(spent_up(self.0.cap.account())));
        };
        let run = Arc::new(Run {
            tool,
            around,
            session,
            state: watch::Sender::default(),
            order: watch::Sender::default(),
        });
        let (mine, inner) = (Arc::clone(&run), Arc::clone(&self.0));
        let started = std::thread::Builder::new()
            .name("run".to_owned())
            .spawn(move || live_through(&mine, &inner.cap, wanted, budget, work));
        if let Err(error) = started {
            self.0.cap.settle(budget, Usd::ZERO);
            return Err(Answer::Refused(format!(
                "the system gives no thread for a debate: {error}"
            )));
        }
        all.runs.push(Arc::clone(&run));
        forget_the_oldest(&mut all.runs);
        remember(&mut all.places, &run.around);
        Ok(run)
    }

    /// Finds the last run that a session was in, live or remembered, by the session's whole id. One that is to go on with it
    /// counts from its very beginning, before it has the session's lock.
    pub(crate) fn of_session(&self, session: &str) -> Option<Arc<Run>> {
        let all = self.lock();
        let has = |run: &&Arc<Run>| {
            let state = run.state.borrow();
            (state.course.sessions.iter()).chain(&run.session).any(|id| id == session)
        };
        all.runs.iter().rev().find(has).cloned()
    }

    /// Returns where the sessions of the runs are, each place once.
    pub(crate) fn places(&self) -> Vec<Surroundings> {
        self.lock().places.clone()
    }

    /// Ends the server's runs: tells all of them, and begins none any more.
    pub(crate) fn order_all(&self, order: Order) {
        let mut all = self.lock();
        all.closed |= order > Order::Run;
        for run in &all.runs {
            run.order(order);
        }
    }

    /// Waits until none is live. That is soon once they were told to stop: the grace of their agents, and what it takes to
    /// look at the repository once more where agents could read it.
    pub(crate) async fn all_ended(&self) {
        loop {
            let live = (self.lock().runs.iter()).find(|run| run.is_live()).cloned();
            let Some(run) = live else { return };
            // The sender lives in the run, which we hold.
            let mut state = run.state();
            state.wait_for(|state| state.ended.is_some()).await.ok();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, All> {
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    /// Whether it goes on.
    pub(crate) fn is_live(&self) -> bool {
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

/// Remembers where a run is held. Of too many places the one goes that was the first to be used.
fn remember(places: &mut Vec<Surroundings>, place: &Surroundings) {
    if places.iter().any(|known| known.dir == place.dir) {
        return;
    }
    if places.len() == MOST_PLACES {
        places.remove(0);
    }
    places.push(place.clone());
}

/// The whole life of a run, on its own thread. Whatever happens in `work`, the run ends, and its money is settled.
fn live_through(run: &Arc<Run>, cap: &Cap, wanted: Usd, budget: Usd, work: Work) {
    let told = Arc::clone(run);
    let watched = Watched::new(move |course: &Course| {
        told.state.send_modify(|state| state.course.clone_from(course));
    });
    let context = Context {
        stops: Stops::Remote(run.order.subscribe()),
        reporters: vec![Box::new(watched)],
        budget,
    };
    let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(context)));
    let course = run.state.borrow().course.clone();
    cap.settle(budget, charged(&course, budget));
    let mut answer = answer.unwrap_or_else(|_| Answer::Refused(broken(&course)));
    if budget < wanted {
        tell_less(&mut answer, wanted, budget, cap.account());
    }
    run.state.send_modify(|state| state.ended = Some(answer));
}

/// What a run that is over counts as having spent.
fn charged(course: &Course, lent: Usd) -> Usd {
    if course.in_doubt() { course.spent.max(lent) } else { course.spent }
}

/// Says that a panic ended a run.
fn broken(course: &Course) -> String {
    let resume = course.sessions.last().map_or_else(
        || "no session was opened".to_owned(),
        |id| format!("`session_resume` of {id} goes on with what was answered"),
    );
    format!(
        "a broken invariant of debate-agent ended the run: a bug; its message stands on the server's standard error ({resume})"
    )
}

/// Says that all is spent.
fn spent_up(account: Account) -> String {
    let in_use = if account.lent > Usd::ZERO {
        format!(
            ", and {} is set aside for debates that run: wait for them with `session_result`",
            account.lent
        )
    } else {
        String::new()
    };
    format!(
        "nothing is left of what this server may spend: {} of {} is spent{in_use} (`mcp.budget_usd` in the user's own ~/.config/debate-agent/config.json, which counts from the server's next start)",
        account.spent, account.most
    )
}

/// Says in the result of a session that it got less than its own budget, so that a stop or a refusal for want of money explains
/// itself.
fn tell_less(answer: &mut Answer, wanted: Usd, budget: Usd, account: Account) {
    let warning = format!(
        "the run had {budget} to spend and not {wanted}: this server may spend {} in all (`mcp.budget_usd` of the user's own configuration)",
        account.most
    );
    match answer {
        Answer::Result(result) if result.get("session_id").is_some() => {
            compact::warn(result, &warning);
        }
        Answer::Result(_) => {}
        Answer::Refused(why) => *why = format!("{why} ({warning})"),
    }
}

#[cfg(test)]
mod tests;
