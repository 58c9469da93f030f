//! Runs that do nothing but what each test says, on threads of their own.

use std::sync::mpsc;

use serde_json::json;

use super::*;
use crate::config::tests::World;
use crate::engine::events::{Event, EventKind};

/// Longer than anything here takes.
const SOON: Duration = Duration::from_mins(1);

fn cents(amount: u64) -> Usd {
    Usd::from_micros(amount * 10_000)
}

fn around() -> Surroundings {
    let world = World::new();
    Surroundings {
        dir: world.path("repo"),
        config: None,
        vars: world.vars.clone(),
        group: 0,
        groups: String::new(),
        nested: false,
        env: crate::env::Env::system(),
    }
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
    }
}

fn begun() -> EventKind {
    EventKind::TurnStarted {
        turn: "r1/s1".to_owned(),
        role: "s1".to_owned(),
        agent: "claude".to_owned(),
        vendor: "anthropic".to_owned(),
    }
}

fn over(spent: Usd) -> EventKind {
    EventKind::TurnFinished {
        turn: "r1/s1".to_owned(),
        role: "s1".to_owned(),
        seated: crate::kernel::Seated {
            agent: "claude".to_owned(),
            vendor: "anthropic".to_owned(),
            fell_back_from: None,
        },
        failure: None,
        replayed: false,
        took: Duration::ZERO,
        cost: None,
        spent,
    }
}

/// Starts a run that tells these events and then does this.
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
    let run = start(&runs, cents(80), vec![opened("a"), begun(), over(cents(11))], done).unwrap();
    assert_eq!(wait(&run), done());
    let account = runs.account();
    assert_eq!((account.spent, account.lent), (cents(11), Usd::ZERO));
}

#[test]
fn a_panic_before_anybody_was_asked_costs_nothing() {
    let runs = Runs::new(cents(100));
    let run = start(&runs, cents(80), vec![opened("abc")], || panic!("a bug, on purpose")).unwrap();
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
    let run = start(&runs, cents(10), vec![opened("a"), begun(), over(cents(11))], done).unwrap();
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
    assert!(first.contains("$0.30 to spend and not $2.50"), "{first}");
    assert_eq!(warnings[18], "w17");
    assert_eq!(warnings[19], "2 more warnings: see the report");
}

/// A run that goes on until it is stopped; tells of its beginning.
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
    assert!(said.starts_with("4 debates run already"), "{said}");
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
    assert!(said.contains("the server ends"), "{said}");
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

/// Between its beginning and the session's lock nobody must take it for a session that nobody runs.
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
    let Answer::Result(told) = crate::mcp::hold::running(&run, &run.state().borrow()) else {
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
    use crate::mcp::hold::{follow, hold};

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(future)
    }

    #[test]
    fn a_call_that_is_dropped_stops_the_run_that_it_began() {
        let runs = Runs::new(cents(100));
        let run = endless(&runs, cents(1)).unwrap();
        let (progress, _) = watch::channel(Progress::default());
        block_on(async {
            let call = hold(Arc::clone(&run), SOON, &progress);
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
        let answer = block_on(hold(Arc::clone(&run), Duration::ZERO, &progress));
        let Answer::Result(result) = answer else { panic!("it goes on") };
        assert_eq!(result["status"], "running");
        assert_eq!(result["session_id"], "endless");
        assert!(told.borrow().done > 0);
        assert_eq!(*run.order.borrow(), Order::Run);
        run.order(Order::Stop);
        assert_eq!(block_on(hold(Arc::clone(&run), SOON, &progress)), done());
    }
}
