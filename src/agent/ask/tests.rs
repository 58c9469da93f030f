//! The policy, tested with scripted attempts that stand for processes.

mod time;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::agent::attempts::Permit;
use crate::agent::roster::Assignment;
use crate::kernel::{Basis, Prompt, Usd};
use crate::process::{Ending, ProcessResult, Sink, Spec};
use crate::text::Problem;
use crate::text::block::{ExpectedBlock, Shape};

/// A scripted call: its output and its ending.
type Script = (&'static str, Ending);

struct Scripted {
    calls: RefCell<Vec<Script>>,
    intents: RefCell<Vec<Intent>>,
    prompts: RefCell<Vec<String>>,
    happened: RefCell<Vec<AttemptEvent>>,
    replays: RefCell<Vec<AttemptResult>>,
    results: RefCell<Vec<AttemptResult>>,
    /// The spool of an interrupted run.
    spool: RefCell<Option<Vec<u8>>>,
    control: tokio::sync::watch::Sender<Control>,
}

impl Scripted {
    fn new(calls: Vec<Script>) -> Self {
        Self {
            calls: RefCell::new(calls),
            intents: RefCell::default(),
            prompts: RefCell::default(),
            happened: RefCell::default(),
            replays: RefCell::default(),
            results: RefCell::default(),
            spool: RefCell::default(),
            control: tokio::sync::watch::channel(Control::Run).0,
        }
    }
    fn kinds(&self) -> Vec<(Kind, String)> {
        let intents = self.intents.borrow();
        intents.iter().map(|intent| (intent.kind, intent.agent.clone())).collect()
    }
}

impl Attempts for Scripted {
    async fn permit(
        &self,
        intent: &Intent,
        _: [&str; 2],
        adopt: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, AttemptError> {
        self.intents.borrow_mut().push(intent.clone());
        if let Some(adopted) = self.spool.take().and_then(|spool| adopt(&spool)) {
            return Ok(Permit::Replay(Box::new(adopted)));
        }
        let mut replays = self.replays.borrow_mut();
        Ok(if replays.is_empty() {
            Permit::Run
        } else {
            Permit::Replay(Box::new(replays.remove(0)))
        })
    }
    async fn launch(&self, _: &Intent, spec: &Spec, sink: &mut dyn Sink) -> ProcessResult {
        assert_eq!(std::fs::read_dir(&spec.cwd).unwrap().count(), 0);
        let prompt = String::from_utf8(spec.stdin.clone()).unwrap();
        self.prompts.borrow_mut().push(prompt);
        let (text, ending) = self.calls.borrow_mut().remove(0);
        sink.stdout(text.as_bytes());
        ProcessResult {
            ending,
            survivors_killed: 0,
            unkillable: 0,
            leaked_output: false,
            took: Duration::from_millis(1),
            stdout_seen: 0,
        }
    }
    async fn settle(&self, _: &Intent, result: &AttemptResult) -> Result<Cost, AttemptError> {
        self.results.borrow_mut().push(result.clone());
        Ok(Cost { usd: Usd::from_micros(7), basis: Basis::Declared })
    }
    fn happened(&self, _: &Intent, what: AttemptEvent) {
        self.happened.borrow_mut().push(what);
    }
    fn control(&self) -> tokio::sync::watch::Receiver<Control> {
        self.control.subscribe()
    }
}

const OK: Ending = Ending::Exited { code: 0 };
const CRASH: Ending = Ending::Exited { code: 3 };

fn agent(name: &str, vendor: &str) -> Agent {
    Agent {
        name: name.to_owned(),
        vendor: vendor.to_owned(),
        rehearsal: false,
        ..Agent::rehearsal("critic", Path::new("/bin/true"))
    }
}

fn roster(fallbacks: Vec<Agent>) -> Roster {
    let cast = |agent, fallbacks| Assignment { agent, fallbacks };
    Roster::of(BTreeMap::from([
        ("critic".to_owned(), cast(agent("one", "v1"), fallbacks)),
        ("champion".to_owned(), cast(agent("boss", "v0"), Vec::new())),
    ]))
}

fn turn() -> Turn {
    Turn {
        id: crate::kernel::TurnId::read("r1/critic"),
        role: "critic".to_owned(),
        plays: "backlog-critic".into(),
        prompt: Prompt {
            stable: "STABLE".to_owned(),
            varying: "turn: r1/critic".to_owned(),
            contract: "CONTRACT".to_owned(),
        },
        blocks: vec![ExpectedBlock::new("X", Shape::Object, true)],
        not_vendor_of: vec!["champion".to_owned()],
        not_vendors: Vec::new(),
        spare: false,
    }
}

/// `good` is an answer, `half` is one that the rules can complete, anything else is not an answer.
fn parse(reply: &RawReply, chance: Chance) -> Result<String, Defect> {
    let text = String::from_utf8_lossy(&reply.bytes).into_owned();
    match (text.as_str(), chance) {
        ("good", _) | ("half", Chance::Last) => Ok(text),
        _ => Err(Defect {
            problems: vec![Problem::new("missing_block", Some("X"), "there is none")],
            expected_ids: Vec::new(),
        }),
    }
}

async fn run(
    attempts: &Scripted,
    roster: &Roster,
    change: impl FnOnce(&mut AskSettings),
) -> Answer<String> {
    let dir = tempfile::tempdir().unwrap();
    let mut settings =
        AskSettings::new("/bin/true".into(), dir.path().to_owned(), "b0undary".to_owned());
    settings.backoff_base = Duration::from_millis(1);
    change(&mut settings);
    let answer =
        ask(roster, &turn(), "SYSTEM", &parse, &|| Value::Null, attempts, &settings).await.unwrap();
    // Private directories are deleted with their calls.
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    answer
}

fn failed(answer: &Answer<String>) -> &'static str {
    answer.result.as_ref().unwrap_err().class.name()
}

#[tokio::test]
async fn a_good_answer_takes_one_attempt_with_the_skill_at_the_head() {
    let attempts = Scripted::new(vec![("good", OK)]);
    let answer = run(&attempts, &roster(vec![]), |_| {}).await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    assert_eq!((answer.attempts, answer.cost.unwrap().usd.micros()), (1, 7));
    let prompt = attempts.prompts.borrow()[0].clone();
    assert_eq!(prompt, "SYSTEM\n\nSTABLE\n\nturn: r1/critic\n\nCONTRACT");
}

#[tokio::test]
async fn a_crash_is_retried_three_times_and_an_empty_reply_once() {
    let attempts = Scripted::new(vec![("", CRASH), ("", CRASH), ("", CRASH), ("", CRASH)]);
    let answer = run(&attempts, &roster(vec![]), |_| {}).await;
    assert_eq!((failed(&answer), answer.attempts), ("crashed", 4));
    assert_eq!(answer.cost.unwrap().usd.micros(), 28);
    let attempts = Scripted::new(vec![(" ", OK), ("", OK)]);
    let answer = run(&attempts, &roster(vec![]), |_| {}).await;
    assert_eq!((failed(&answer), answer.attempts), ("empty_reply", 2));
    let numbers: Vec<u32> = attempts.intents.borrow().iter().map(|i| i.attempt).collect();
    assert_eq!(numbers, [1, 2]);
}

#[tokio::test]
async fn a_person_who_says_nothing_is_not_asked_again_and_nobody_steps_in() {
    let attempts = Scripted::new(vec![("nothing\nthe input ended\nend\n", OK)]);
    let cast = Assignment { agent: Agent::human(), fallbacks: Vec::new() };
    let alone = Roster::of(BTreeMap::from([("critic".to_owned(), cast)]));
    let answer = run(&attempts, &alone, |_| {}).await;
    assert_eq!((failed(&answer), answer.attempts), ("empty_reply", 1));
    // An unreadable reply is asked for again, as from any agent.
    let attempts = Scripted::new(vec![("reply\nbad\nend\n", OK), ("reply\ngood\nend\n", OK)]);
    let answer = run(&attempts, &alone, |_| {}).await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    let kinds: Vec<Kind> = attempts.kinds().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [Kind::First, Kind::Repair]);
}

#[tokio::test]
async fn time_outs_and_limits_are_not_retried() {
    for (script, expected) in [
        (("good", Ending::TimedOut), "timed_out"),
        (("", Ending::Idle), "idle"),
        (("You've hit your limit", OK), "quota_exhausted"),
        (("", Ending::Cancelled), "cancelled"),
    ] {
        let attempts = Scripted::new(vec![script]);
        let answer = run(&attempts, &roster(vec![]), |_| {}).await;
        assert_eq!((failed(&answer), answer.attempts), (expected, 1));
        // The message about a limit in seconds names the setting that raises it.
        let message = answer.result.unwrap_err().message;
        let is_limit = matches!(expected, "timed_out" | "idle");
        let is_told = message.contains("timeout_seconds` raises it");
        assert_eq!(is_told, is_limit, "{message}");
    }
}

#[tokio::test]
async fn an_unreadable_reply_is_asked_for_once_more() {
    let attempts = Scripted::new(vec![("prose", OK), ("good", OK)]);
    let answer = run(&attempts, &roster(vec![]), |_| {}).await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    assert_eq!(attempts.intents.borrow()[1].kind, Kind::Repair);
    assert!(attempts.prompts.borrow()[1].contains("missing_block in X"));
    let attempts = Scripted::new(vec![("prose", OK), ("prose", OK)]);
    let answer = run(&attempts, &roster(vec![]), |_| {}).await;
    assert_eq!((failed(&answer), answer.attempts), ("unreadable", 2));
}

#[tokio::test]
async fn the_rules_complete_the_repair_first_and_the_first_reply_last() {
    let second = Scripted::new(vec![("prose", OK), ("half", OK)]);
    let first = Scripted::new(vec![("half", OK), ("prose", OK)]);
    for attempts in [&second, &first] {
        let answer = run(attempts, &roster(vec![]), |_| {}).await;
        assert_eq!(answer.result.as_deref(), Ok("half"));
    }
    let without = Scripted::new(vec![("half", OK)]);
    let answer = run(&without, &roster(vec![]), |settings| {
        settings.repair = false;
    })
    .await;
    assert_eq!(answer.result.as_deref(), Ok("half"));
}

#[tokio::test]
async fn another_agent_steps_in_but_never_of_an_excluded_vendor() {
    let fallbacks = vec![agent("two", "v0"), agent("three", "v3")];
    let attempts = Scripted::new(vec![("", Ending::TimedOut), ("good", OK)]);
    let answer = run(&attempts, &roster(fallbacks), |_| {}).await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    assert_eq!(answer.respondent.agent, "three");
    assert_eq!(answer.respondent.fell_back_from.as_deref(), Some("one"));
    let kinds = [(Kind::First, "one".to_owned()), (Kind::Fallback, "three".to_owned())];
    assert_eq!(attempts.kinds(), kinds);
}

#[tokio::test]
async fn salvage_takes_a_whole_answer_of_a_bad_call_only_where_it_is_on() {
    let attempts = Scripted::new(vec![("good", Ending::TimedOut)]);
    let answer = run(&attempts, &roster(vec![]), |settings| {
        settings.salvage = true;
    })
    .await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    assert!(answer.notes.iter().any(|note| note.code == "salvaged"));
    let attempts = Scripted::new(vec![("half", Ending::TimedOut)]);
    let answer = run(&attempts, &roster(vec![]), |settings| {
        settings.salvage = true;
    })
    .await;
    assert_eq!(failed(&answer), "timed_out");
}

/// Every block of the answer is there, so it is not paid again; without blocks, any words would be an answer.
#[tokio::test]
async fn a_whole_answer_before_a_bad_exit_counts_without_salvage() {
    let attempts = Scripted::new(vec![("good", CRASH)]);
    let answer = run(&attempts, &roster(vec![]), |_| {}).await;
    assert_eq!((answer.result.as_deref(), answer.attempts), (Ok("good"), 1));
    assert!(answer.notes.iter().any(|note| note.code == "salvaged"));
}

/// `--wait`: a limit that names its end is waited for, however long, and the wait tells what is left of it.
#[tokio::test(start_paused = true)]
async fn a_limit_that_names_its_end_is_waited_for_where_that_is_wanted() {
    let limit = "You've hit your usage limit. Try again in 2 hours.";
    let attempts = Scripted::new(vec![(limit, OK)]);
    let answer = run(&attempts, &roster(vec![]), |_| {}).await;
    assert_eq!((failed(&answer), answer.attempts), ("quota_exhausted", 1));
    let attempts = Scripted::new(vec![(limit, OK), ("good", OK)]);
    let began = Instant::now();
    let answer = run(&attempts, &roster(vec![]), |settings| settings.wait = true).await;
    assert_eq!((answer.result.as_deref(), answer.attempts), (Ok("good"), 2));
    assert!(began.elapsed() >= Duration::from_hours(2), "{:?}", began.elapsed());
    let told = attempts.happened.take();
    let left = |seconds| AttemptEvent::Waiting { left: Duration::from_secs(seconds) };
    assert!(told.contains(&left(7_170)) && told.contains(&left(1)) && told.len() < 400);
    // Money that only a person can add is not waited for.
    let attempts = Scripted::new(vec![("Credit balance is too low", OK)]);
    let answer = run(&attempts, &roster(vec![]), |settings| settings.wait = true).await;
    assert_eq!((failed(&answer), answer.attempts), ("quota_exhausted", 1));
}

#[tokio::test]
async fn a_prompt_over_the_limit_is_refused_before_any_attempt() {
    let mut one = agent("one", "v1");
    one.prompt = crate::config::agents::PromptBy::Argument;
    let small = Roster::of(BTreeMap::from([(
        "critic".to_owned(),
        Assignment { agent: one, fallbacks: vec![] },
    )]));
    let attempts = Scripted::new(vec![]);
    let dir = tempfile::tempdir().unwrap();
    let settings = AskSettings::new("/bin/true".into(), dir.path().to_owned(), "b".to_owned());
    let system = "x".repeat(128 << 10);
    let answer =
        ask(&small, &turn(), &system, &parse, &|| Value::Null, &attempts, &settings).await.unwrap();
    assert_eq!((failed(&answer), answer.attempts, answer.cost), ("context_too_long", 0, None));
    assert!(attempts.intents.borrow().is_empty());
    assert!(answer.result.unwrap_err().message.contains("131071"));
}

#[tokio::test]
async fn replayed_attempts_cost_what_they_cost_and_wait_for_nothing() {
    let attempts = Scripted::new(vec![("", CRASH), ("good", OK)]);
    run(&attempts, &roster(vec![]), |_| {}).await;
    let mut results = attempts.results.take();
    for result in &mut results {
        result.cost = Some(Cost { usd: Usd::from_micros(7), basis: Basis::Declared });
    }
    let again = Scripted::new(vec![]);
    *again.replays.borrow_mut() = results;
    let slow = |settings: &mut AskSettings| settings.backoff_base = Duration::from_hours(1);
    let answer = run(&again, &roster(vec![]), slow).await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    assert_eq!((answer.attempts, answer.cost.unwrap().usd.micros()), (2, 14));
    assert_eq!(answer.took, Duration::ZERO);
    assert_eq!(*again.intents.borrow(), *attempts.intents.borrow());
}

#[tokio::test]
async fn a_stop_ends_the_wait_between_attempts() {
    let attempts = Scripted::new(vec![("", CRASH)]);
    attempts.control.send_replace(Control::Stop);
    let slow = |settings: &mut AskSettings| settings.backoff_base = Duration::from_hours(1);
    let answer = run(&attempts, &roster(vec![agent("three", "v3")]), slow).await;
    assert_eq!((failed(&answer), answer.attempts), ("cancelled", 1));
}

#[tokio::test]
async fn a_whole_answer_in_the_spool_is_adopted_and_half_a_one_is_not() {
    let mut one = agent("one", "v1");
    one.output.format = crate::config::agents::OutputFormat::Json;
    one.output.text = Some("/text".to_owned());
    let cast = Assignment { agent: one, fallbacks: vec![] };
    let roster = Roster::of(BTreeMap::from([("critic".to_owned(), cast)]));
    let whole = Scripted::new(vec![]);
    *whole.spool.borrow_mut() = Some(b"{\"text\":\"good\"}".to_vec());
    let answer = run(&whole, &roster, |_| {}).await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    assert_eq!(answer.notes[0].code, "adopted_after_crash");
    let half = Scripted::new(vec![("{\"text\":\"good\"}", OK)]);
    *half.spool.borrow_mut() = Some(b"{\"text\":\"go".to_vec());
    let answer = run(&half, &roster, |_| {}).await;
    assert_eq!(answer.result.as_deref(), Ok("good"));
    assert_eq!(half.results.borrow().len(), 1);
}
