//! Runs: debates that go on while their client waits, polls, or does something else.
//!
//! # Theory of operation
//!
//! A run is a thread with a runtime of its own, because a debate is one future on one thread (`app`), and its work
//! between two awaits (a sync of the journal, the comparison of many texts) must not hold up the answers to other
//! requests. The thread publishes its [`State`] in a watch channel; every waiter holds a receiver. It is stopped
//! through an [`Order`], which `app` obeys like a signal: the agents get their grace, the session is kept and can be
//! resumed.
//!
//! A run whose caller waits belongs to that call: when the call is cancelled or dropped, the run is stopped. Once the
//! caller has been told that it goes on, it belongs to the server, and ends with it at the latest.
//!
//! # Money
//!
//! A run is lent the amount it wants or the amount the server has left, whichever is less, and returns the unspent
//! part. Its spending is the sum that its sessions reported (`report::run_progress`). If the cost of a call that
//! began was never reported, because an error or a panic broke the run off, the whole loan counts as spent: an
//! unknown cost is never 0.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::answer::Answer;
use super::cap::Account;
use super::compact;
use crate::app::workspace::StartContext;
use crate::app::{Order, Stops};
use crate::kernel::Usd;
use crate::report::Reporter;
use crate::report::run_progress::{ProgressReporter, RunProgress};

/// Maximum number of live runs: each may have six live agents (`limits.max_parallel`).
const MOST_LIVE: usize = 4;

/// Number of ended runs that are remembered, for clients that poll. Their sessions are in the store for ever.
const MOST_ENDED: usize = 32;

/// Number of places of runs that are remembered, longer than the runs: without them those sessions could not be found
/// again.
const MOST_PLACES: usize = 64;

/// The context that a run gets on its own thread.
pub(crate) struct Context {
    /// The channel through which it is stopped.
    pub(crate) stops: Stops,
    pub(crate) reporters: Vec<Box<dyn Reporter>>,
    /// The amount it may spend: the amount wanted, or the rest of the server's cap.
    pub(crate) budget: Usd,
}

/// The work of a run, on its own thread.
pub(crate) type RunTask = Box<dyn FnOnce(Context) -> Answer + Send>;

#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) course: RunProgress,
    pub(crate) ended: Option<Answer>,
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) tool: &'static str,
    pub(crate) around: StartContext,
    /// The session that it resumes; the id of a new one comes from its progress.
    pub(crate) session: Option<String>,
    state: watch::Sender<State>,
    order: watch::Sender<Order>,
}

impl Run {
    pub(crate) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Orders it to stop.
    pub(crate) fn order(&self, order: Order) {
        order.raise(&self.order);
    }

    /// Waits for its end, at most this long. Returns its answer; `None`: it goes on.
    pub(crate) async fn wait(&self, at_most: Duration) -> Option<Answer> {
        let mut state = self.state();
        let ended = state.wait_for(|state| state.ended.is_some());
        let state = tokio::time::timeout(at_most, ended).await.ok()?.ok()?;
        state.ended.clone()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Runs(Arc<Mutex<All>>);

#[derive(Debug, Default)]
struct All {
    /// In the order in which they began.
    runs: Vec<Arc<Run>>,
    /// The places of past and present runs, each once.
    places: Vec<StartContext>,
    account: Account,
    /// The server is ending: no further run begins.
    closed: bool,
}

impl Runs {
    /// `most`: the cap on the spending of all of them together.
    pub(crate) fn new(most: Usd) -> Self {
        let account = Account { most, ..Account::default() };
        Self(Arc::new(Mutex::new(All { account, ..All::default() })))
    }

    /// Sets the cap on the spending of all of them together.
    pub(crate) fn may_spend(&self, most: Usd) {
        self.lock().account.most = most;
    }

    #[cfg(test)]
    pub(crate) fn account(&self) -> Account {
        self.lock().account
    }

    /// Begins a run. `session`: the one that it resumes, unless it opens a new one; `wanted`: the most that it could
    /// spend.
    ///
    /// # Errors
    /// The server is ending, the cap is reached, too many runs are live, or the system cannot create a thread:
    /// nothing was started.
    pub(crate) fn start(
        &self,
        tool: &'static str,
        around: StartContext,
        session: Option<String>,
        wanted: Usd,
        work: RunTask,
    ) -> Result<Arc<Run>, Answer> {
        let mut all = self.lock();
        if all.closed {
            return Err(Answer::Refused(
                "the server is shutting down, so nothing new is started".to_owned(),
            ));
        }
        let live = all.runs.iter().filter(|run| run.is_live()).count();
        if live >= MOST_LIVE {
            return Err(Answer::Refused(format!(
                "{live} debates are already running, the maximum at once (wait for one with `session_status`, or end one with `session_cancel`)"
            )));
        }
        let Some(budget) = all.account.lend(wanted) else {
            return Err(Answer::Refused(spent_up(all.account)));
        };
        let run = Arc::new(Run {
            tool,
            around,
            session,
            state: watch::Sender::default(),
            order: watch::Sender::default(),
        });
        let (mine, runs) = (Arc::clone(&run), self.clone());
        let started = std::thread::Builder::new()
            .name("run".to_owned())
            .spawn(move || live_through(&mine, &runs, wanted, budget, work));
        if let Err(error) = started {
            all.account.settle(budget, Usd::ZERO);
            return Err(Answer::Refused(format!(
                "the system gave no thread for a debate: {error}"
            )));
        }
        all.runs.push(Arc::clone(&run));
        forget_the_oldest(&mut all.runs);
        remember(&mut all.places, &run.around);
        Ok(run)
    }

    /// Finds the last run that a session was in, live or remembered, by the session's full id. A run that resumes one
    /// counts from its very beginning, before it has the session's lock.
    pub(crate) fn of_session(&self, session: &str) -> Option<Arc<Run>> {
        let all = self.lock();
        let has = |run: &&Arc<Run>| {
            let state = run.state.borrow();
            (state.course.sessions.iter()).chain(&run.session).any(|id| id == session)
        };
        all.runs.iter().rev().find(has).cloned()
    }

    /// Returns the places of the runs' sessions, each once.
    pub(crate) fn places(&self) -> Vec<StartContext> {
        self.lock().places.clone()
    }

    /// Ends the server's runs: orders all of them, and begins no further ones.
    pub(crate) fn order_all(&self, order: Order) {
        let mut all = self.lock();
        all.closed |= order > Order::Run;
        for run in &all.runs {
            run.order(order);
        }
    }

    /// Waits until none is live. That is soon after the order to stop: the grace of their agents, and the time to
    /// look at the repository once more where agents could read it.
    pub(crate) async fn all_ended(&self) {
        loop {
            let live = (self.lock().runs.iter()).find(|run| run.is_live()).cloned();
            let Some(run) = live else { return };
            // The sender lives in the run, which this loop keeps alive.
            let mut state = run.state();
            state.wait_for(|state| state.ended.is_some()).await.ok();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
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

/// Remembers the place of a run. Above the maximum, the first one to be used is dropped.
fn remember(places: &mut Vec<StartContext>, place: &StartContext) {
    if places.iter().any(|known| known.dir == place.dir) {
        return;
    }
    if places.len() == MOST_PLACES {
        places.remove(0);
    }
    places.push(place.clone());
}

/// The whole life of a run, on its own thread. Whatever happens in `work`, the run ends, and its money is settled.
fn live_through(run: &Arc<Run>, runs: &Runs, wanted: Usd, budget: Usd, work: RunTask) {
    let told = Arc::clone(run);
    let watched = ProgressReporter::new(move |course: &RunProgress| {
        told.state.send_modify(|state| state.course.clone_from(course));
    });
    let context = Context {
        stops: Stops::Remote(run.order.subscribe()),
        reporters: vec![Box::new(watched)],
        budget,
    };
    let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(context)));
    let course = run.state.borrow().course.clone();
    let mut all = runs.lock();
    all.account.settle(budget, charged(&course, budget));
    let account = all.account;
    drop(all);
    let mut answer = answer.unwrap_or_else(|_| Answer::Refused(broken(&course)));
    if budget < wanted {
        note_smaller_budget(&mut answer, wanted, budget, account);
    }
    run.state.send_modify(|state| state.ended = Some(answer));
}

fn charged(course: &RunProgress, lent: Usd) -> Usd {
    if course.in_doubt() { course.spent.max(lent) } else { course.spent }
}

/// The sentence on a panic that ended a run.
fn broken(course: &RunProgress) -> String {
    let resume = course.sessions.last().map_or_else(
        || "no session was opened".to_owned(),
        |id| format!("`session_resume` of {id} continues with the answers so far"),
    );
    format!(
        "a broken invariant of debate-agent ended the run: a bug; its message is on the server's standard error ({resume})"
    )
}

/// The sentence on a cap that is used up.
fn spent_up(account: Account) -> String {
    let in_use = if account.lent > Usd::ZERO {
        format!(
            ", and {} is set aside for running debates: wait for them with `session_result`",
            account.lent
        )
    } else {
        String::new()
    };
    format!(
        "nothing is left of what this server may spend: {} of {} is spent{in_use} (`mcp.budget_usd` in the user's own ~/.config/debate-agent/config.json, which takes effect at the server's next start)",
        account.spent, account.most
    )
}

/// Notes in the result of a session that it got less than its own budget, so that a stop or a refusal for want of
/// money explains itself.
fn note_smaller_budget(answer: &mut Answer, wanted: Usd, budget: Usd, account: Account) {
    let warning = format!(
        "the run had {budget} to spend, not {wanted}: this server may spend {} in all (`mcp.budget_usd` of the user's own configuration)",
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
mod tests {
    //! Tests with runs that do nothing but what each test specifies, on threads of their own.

    use std::sync::mpsc;

    use serde_json::json;

    use super::*;
    use crate::config::tests::World;
    use crate::engine::events::{Event, EventKind};

    /// Longer than any of these tests takes.
    const SOON: Duration = Duration::from_mins(1);

    fn cents(amount: u64) -> Usd {
        Usd::from_micros(amount * 10_000)
    }

    fn around() -> StartContext {
        let world = World::new();
        StartContext::of(world.path("repo"), world.vars.clone(), crate::env::Env::system())
    }

    fn done() -> Answer {
        Answer::Result(json!({"status": "done", "session_id": "a"}))
    }

    fn wait(run: &Run) -> Answer {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(run.wait(SOON))
            .expect("the run ends")
    }

    fn tell(context: &mut Context, kind: EventKind) {
        let event =
            Event { seq: 1, at: crate::env::Env::system().now(), elapsed: Duration::ZERO, kind };
        for reporter in &mut context.reporters {
            reporter.event(&event).unwrap();
        }
    }

    fn opened(id: &str) -> EventKind {
        EventKind::SessionStarted {
            session: id.to_owned(),
            protocol: "review",
            title: String::new(),
            resumed: false,
            rehearsal: false,
            budget: None,
            spent: Usd::ZERO,
            course: crate::engine::events::Course::default(),
        }
    }

    fn begun() -> EventKind {
        EventKind::TurnStarted {
            turn: "r1/s1".to_owned(),
            role: "s1".to_owned(),
            agent: "claude".to_owned(),
            vendor: "anthropic".to_owned(),
            limit: None,
            since: Duration::ZERO,
        }
    }

    fn over(spent: Usd) -> EventKind {
        EventKind::TurnFinished {
            turn: "r1/s1".to_owned(),
            role: "s1".to_owned(),
            seated: crate::kernel::Respondent {
                agent: "claude".to_owned(),
                vendor: "anthropic".to_owned(),
                fell_back_from: None,
            },
            failure: None,
            replayed: false,
            took: Duration::ZERO,
            cost: None,
            spent,
            gist: Vec::new(),
        }
    }

    fn start(
        runs: &Runs,
        wanted: Usd,
        events: Vec<EventKind>,
        then: impl FnOnce() -> Answer + Send + 'static,
    ) -> Result<Arc<Run>, Answer> {
        runs.start(
            "debate_review",
            around(),
            None,
            wanted,
            Box::new(move |mut context| {
                for kind in events {
                    tell(&mut context, kind);
                }
                then()
            }),
        )
    }

    fn refusal(started: Result<Arc<Run>, Answer>) -> String {
        match started {
            Err(Answer::Refused(said)) => said,
            Err(Answer::Result(_)) | Ok(_) => panic!("it was not refused"),
        }
    }

    #[test]
    fn what_a_run_did_not_spend_comes_back() {
        let runs = Runs::new(cents(100));
        let run =
            start(&runs, cents(80), vec![opened("a"), begun(), over(cents(11))], done).unwrap();
        assert_eq!(wait(&run), done());
        let account = runs.account();
        assert_eq!((account.spent, account.lent), (cents(11), Usd::ZERO));
    }

    #[test]
    fn a_panic_before_anybody_was_asked_costs_nothing() {
        let runs = Runs::new(cents(100));
        let run =
            start(&runs, cents(80), vec![opened("abc")], || panic!("a bug, on purpose")).unwrap();
        let Answer::Refused(said) = wait(&run) else { panic!("a panic is no result") };
        assert!(said.contains("a bug") && said.contains("abc"), "{said}");
        assert_eq!(runs.account().spent, Usd::ZERO);
    }

    #[test]
    fn what_a_panic_or_an_error_left_unknown_costs_all_that_was_lent() {
        let ends: [fn() -> Answer; 2] =
            [|| panic!("a bug, on purpose"), || Answer::Refused("the disk is full".to_owned())];
        for then in ends {
            let runs = Runs::new(cents(100));
            wait(&start(&runs, cents(80), vec![opened("a"), begun()], then).unwrap());
            let account = runs.account();
            assert_eq!((account.spent, account.lent), (cents(80), Usd::ZERO));
            assert_eq!(account.left(), cents(20));
        }
    }

    #[test]
    fn what_is_spent_beyond_the_loan_counts_too() {
        let runs = Runs::new(cents(100));
        let run =
            start(&runs, cents(10), vec![opened("a"), begun(), over(cents(11))], done).unwrap();
        wait(&run);
        assert_eq!(runs.account().left(), cents(89));
    }

    #[test]
    fn a_hundred_calls_stay_within_the_cap() {
        let runs = Runs::new(cents(1_000));
        let mut asked = 0;
        for _ in 0..100 {
            // Each could spend 2.50, and spends 0.11.
            let ready = start(&runs, cents(250), vec![opened("a"), begun(), over(cents(11))], done);
            let Ok(run) = ready else { continue };
            wait(&run);
            asked += 1;
        }
        // 10.00 / 0.11 = 90.9: the 91st is lent the last 0.10, which its one call passes by 0.01.
        assert_eq!(asked, 91);
        assert_eq!(runs.account().spent, cents(1_001));
        let said = refusal(start(&runs, cents(250), Vec::new(), done));
        assert!(
            said.contains("$10.01 of $10.00 is spent") && said.contains("mcp.budget_usd"),
            "{said}"
        );
    }

    #[test]
    fn less_than_was_wanted_is_told_in_the_result() {
        let runs = Runs::new(cents(30));
        let run = runs.start(
            "debate_review",
            around(),
            None,
            cents(250),
            Box::new(|context| {
                assert_eq!(context.budget, cents(30));
                let many: Vec<String> = (0..20).map(|n| format!("w{n}")).collect();
                Answer::Result(json!({"status": "suspended", "session_id": "a", "warnings": many}))
            }),
        );
        let Answer::Result(result) = wait(&run.unwrap()) else { panic!("it has a result") };
        let warnings = result["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 20);
        let first = warnings[0].as_str().unwrap();
        assert!(first.contains("$0.30 to spend, not $2.50"), "{first}");
        assert_eq!(warnings[18], "w17");
        assert_eq!(warnings[19], "2 more warnings: see the report");
    }

    /// A run that goes on until it is stopped; reports its beginning.
    fn endless(runs: &Runs, wanted: Usd) -> Result<Arc<Run>, Answer> {
        let (begun, begins) = mpsc::channel();
        let run = runs.start(
            "debate_review",
            around(),
            None,
            wanted,
            Box::new(move |mut context| {
                tell(&mut context, opened("endless"));
                begun.send(()).unwrap();
                let Stops::Remote(mut orders) = context.stops else {
                    panic!("signals are not for runs")
                };
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async {
                    orders.wait_for(|order| *order >= Order::Stop).await.unwrap();
                });
                done()
            }),
        )?;
        begins.recv_timeout(SOON).unwrap();
        Ok(run)
    }

    #[test]
    fn only_so_many_are_live_at_the_same_time() {
        let runs = Runs::new(cents(10_000));
        let live: Vec<_> = (0..MOST_LIVE).map(|_| endless(&runs, cents(1)).unwrap()).collect();
        let said = refusal(start(&runs, cents(1), Vec::new(), done));
        assert!(said.starts_with("4 debates are already running"), "{said}");
        assert_eq!(runs.account().lent, cents(4), "the refused one took nothing");
        live[0].order(Order::Stop);
        wait(&live[0]);
        wait(&start(&runs, cents(1), Vec::new(), done).unwrap());
        runs.order_all(Order::Stop);
        for run in &live {
            wait(run);
        }
    }

    #[test]
    fn no_run_begins_after_the_end_began_and_all_end() {
        let runs = Runs::new(cents(100));
        let live = [endless(&runs, cents(1)).unwrap(), endless(&runs, cents(1)).unwrap()];
        runs.order_all(Order::Run);
        assert!(live[0].state().borrow().ended.is_none());
        runs.order_all(Order::Stop);
        let said = refusal(start(&runs, cents(1), Vec::new(), || panic!("it must not begin")));
        assert!(said.contains("the server is shutting down"), "{said}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let ended = runtime.block_on(async { tokio::time::timeout(SOON, runs.all_ended()).await });
        assert!(ended.is_ok());
        assert!(live.iter().all(|run| run.state().borrow().ended.is_some()));
        assert_eq!(runs.account().lent, Usd::ZERO);
    }

    #[test]
    fn an_order_is_never_taken_back() {
        let runs = Runs::new(cents(100));
        let run = endless(&runs, cents(1)).unwrap();
        run.order(Order::Kill);
        run.order(Order::Stop);
        assert_eq!(*run.order.borrow(), Order::Kill);
        wait(&run);
    }

    #[test]
    fn a_run_is_found_by_its_session() {
        let runs = Runs::new(cents(100));
        let run = endless(&runs, cents(1)).unwrap();
        assert!(runs.of_session("endless").unwrap().is_live());
        assert!(runs.of_session("end").is_none(), "the start of an id is nobody's");
        run.order(Order::Stop);
        wait(&run);
        assert!(!runs.of_session("endless").unwrap().is_live());
        assert_eq!(runs.places().len(), 1);
    }

    #[test]
    fn places_are_remembered_once_each_and_not_for_ever() {
        let mut places = Vec::new();
        let (first, last) = (around(), around());
        for place in [&first, &first] {
            remember(&mut places, place);
        }
        assert_eq!(places.len(), 1);
        for _ in 0..MOST_PLACES {
            remember(&mut places, &around());
        }
        remember(&mut places, &last);
        assert_eq!(places.len(), MOST_PLACES);
        assert_eq!(places[MOST_PLACES - 1].dir, last.dir);
        assert!(places.iter().all(|place| place.dir != first.dir));
    }

    /// Between its beginning and the session's lock, the session must not appear to be without a run.
    #[test]
    fn a_run_that_goes_on_with_a_session_is_its_run_from_the_beginning() {
        let runs = Runs::new(cents(100));
        let (begin, may_begin) = mpsc::channel();
        let run = runs.start(
            "session_resume",
            around(),
            Some("abc".to_owned()),
            cents(1),
            Box::new(move |mut context| {
                may_begin.recv_timeout(SOON).unwrap();
                tell(&mut context, opened("abc"));
                done()
            }),
        );
        let run = run.unwrap();
        assert!(runs.of_session("abc").unwrap().is_live());
        assert!(runs.of_session("ab").is_none());
        let Answer::Result(told) = crate::mcp::wait::running(&run, &run.state().borrow()) else {
            panic!("it goes on")
        };
        assert_eq!(told["session_id"], "abc");
        begin.send(()).unwrap();
        wait(&run);
    }

    #[test]
    fn ended_runs_are_forgotten_and_live_ones_never() {
        let runs = Runs::new(cents(100));
        let live = endless(&runs, cents(1)).unwrap();
        let first = start(&runs, Usd::ZERO, Vec::new(), done).unwrap();
        wait(&first);
        for _ in 0..MOST_ENDED + 5 {
            wait(&start(&runs, Usd::ZERO, Vec::new(), done).unwrap());
        }
        assert!(runs.lock().runs.len() <= MOST_ENDED + 2);
        assert!(
            (runs.places().iter()).any(|place| place.dir == first.around.dir),
            "its session can be looked for all the same"
        );
        assert!(runs.of_session("endless").is_some());
        live.order(Order::Stop);
        wait(&live);
    }

    mod holding {
        use super::*;
        use crate::mcp::answer::Progress;
        use crate::mcp::wait::{follow, wait_for};

        fn block_on<T>(future: impl Future<Output = T>) -> T {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            runtime.block_on(future)
        }

        #[test]
        fn a_call_that_is_dropped_stops_the_run_that_it_began() {
            let runs = Runs::new(cents(100));
            let run = endless(&runs, cents(1)).unwrap();
            let (progress, _) = watch::channel(Progress::default());
            block_on(async {
                let call = wait_for(Arc::clone(&run), SOON, &progress);
                // Polled once, then dropped.
                tokio::time::timeout(Duration::ZERO, call).await.unwrap_err();
            });
            assert_eq!(wait(&run), done());
        }

        #[test]
        fn a_call_that_only_looks_on_leaves_the_run_alone() {
            let runs = Runs::new(cents(100));
            let run = endless(&runs, cents(1)).unwrap();
            let (progress, _) = watch::channel(Progress::default());
            block_on(async {
                let call = follow(&run, SOON, &progress);
                tokio::time::timeout(Duration::ZERO, call).await.unwrap_err();
            });
            assert_eq!(*run.order.borrow(), Order::Run);
            run.order(Order::Stop);
            wait(&run);
        }

        #[test]
        fn a_call_that_waited_long_enough_tells_the_id_and_the_run_goes_on() {
            let runs = Runs::new(cents(100));
            let run = endless(&runs, cents(1)).unwrap();
            let (progress, told) = watch::channel(Progress::default());
            let answer = block_on(wait_for(Arc::clone(&run), Duration::ZERO, &progress));
            let Answer::Result(result) = answer else { panic!("it goes on") };
            assert_eq!(result["status"], "running");
            assert_eq!(result["session_id"], "endless");
            assert!(told.borrow().done > 0);
            assert_eq!(*run.order.borrow(), Order::Run);
            run.order(Order::Stop);
            assert_eq!(block_on(wait_for(Arc::clone(&run), SOON, &progress)), done());
        }
    }
}
