//! The promises of every protocol, tested once for all of them: a new protocol needs only a row in the list below.
//!
//! Replies are those of the rehearsal's stand-ins, corrupted in many ways; agents fail in any turn.

use proptest::prelude::*;

use crate::kernel::{Driver, Event, Protocol, SessionOutcome as _, Step, Stop, Turn};
use crate::protocol::testing::{TestAnswer, asked, failed, judged};
use crate::rehearsal;

#[path = "toy/mod.rs"]
pub(crate) mod toy;

/// The suite's interface to a protocol.
pub(crate) trait Subject: Protocol<Outcome: PartialEq> + Clone {
    /// Begins a run; `size` varies the optional parts: seats, parts, rounds.
    fn open(size: u32) -> Driver<Self>;

    /// Returns the maximum number of turns that a run of this size may ask.
    fn most_turns(size: u32) -> u32;

    /// Returns a valid answer to a turn.
    fn reply(driver: &Driver<Self>, turn: &Turn) -> String {
        rehearsal::answer(&rehearsal::given(driver, turn))
    }

    /// Whether an outcome decides anything, or closes the session.
    fn decides(outcome: &Self::Outcome) -> bool {
        outcome.closes()
    }
}

/// An agent's behaviour in a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TestAction {
    Answers,
    /// Answers with words and numbers inverted: another stance, vote, order, choice.
    Contradicts,
    /// A fallback agent answers in place of the seat's own.
    StepsIn,
    /// Gives an unreadable text.
    Babbles,
    Fails,
}

fn deeds() -> impl Strategy<Value = Vec<TestAction>> {
    let deed = prop_oneof![
        6 => Just(TestAction::Answers),
        3 => Just(TestAction::Contradicts),
        1 => Just(TestAction::StepsIn),
        1 => Just(TestAction::Babbles),
        1 => Just(TestAction::Fails),
    ];
    proptest::collection::vec(deed, 1..24)
}

/// Changes an answer into a different readable one.
pub(crate) fn contradicted(text: &str) -> String {
    let mut turned = text.to_owned();
    for (from, to) in [
        ("\"agree\"", "\"disagree\""),
        ("\"vote\":\"approve\"", "\"vote\":\"reject\""),
        ("\"consensus_reached\":true", "\"consensus_reached\":false"),
        ("\"continue_debate\":false", "\"continue_debate\":true"),
        ("\"choice\":\"A\"", "\"choice\":\"B\""),
        ("\"changed\":false", "\"changed\":true"),
        ("\"rating\":4", "\"rating\":1"),
        ("\"severity\":\"P2\"", "\"severity\":\"P0\""),
    ] {
        turned = turned.replace(from, to);
    }
    turned
}

fn done_by<S: Subject>(driver: &Driver<S>, turn: &Turn, deed: TestAction) -> TestAnswer<S> {
    match deed {
        TestAction::Answers => {
            let given = judged(driver, turn, &S::reply(driver, turn));
            assert!(given.result.is_ok(), "{}: {:?}", turn.id, given.result);
            given
        }
        TestAction::Contradicts => judged(driver, turn, &contradicted(&S::reply(driver, turn))),
        TestAction::StepsIn => {
            let mut given = judged(driver, turn, &S::reply(driver, turn));
            let own = std::mem::replace(&mut given.respondent.agent, "spare".to_owned());
            given.respondent.fell_back_from = Some(own);
            given
        }
        TestAction::Babbles => judged(driver, turn, "I would rather talk about something else."),
        TestAction::Fails => failed(driver, turn),
    }
}

fn most_turns<S: Subject>(size: u32) -> usize {
    usize::try_from(S::most_turns(size)).unwrap()
}

fn ended<P: Protocol>(driver: &Driver<P>) -> Option<P::Outcome> {
    match driver.next() {
        Step::Ask { .. } => None,
        Step::Done(outcome) => Some(outcome),
    }
}

/// Answers the open step; `turns` is the number of turns asked before it.
fn step<S: Subject>(driver: &Driver<S>, deeds: &[TestAction], turns: usize) -> Vec<TestAnswer<S>> {
    let open = asked(driver);
    let deed = |at: usize| deeds[(turns + at) % deeds.len()];
    open.iter().enumerate().map(|(at, turn)| done_by(driver, turn, deed(at))).collect()
}

/// Runs a protocol to its end; returns every step's answers.
fn play<S: Subject>(
    driver: &mut Driver<S>,
    size: u32,
    deeds: &[TestAction],
) -> Vec<Vec<TestAnswer<S>>> {
    let most = most_turns::<S>(size);
    let (mut steps, mut turns) = (Vec::new(), 0);
    while ended(driver).is_none() {
        let answers = step(driver, deeds, turns);
        assert!(!answers.is_empty(), "a step asks somebody");
        turns += answers.len();
        assert!(turns <= most, "{turns} turns are more than {most}");
        driver.apply(answers.clone());
        steps.push(answers);
    }
    steps
}

/// A run ends within its bound for any replies, and the same state always gives the same step.
fn ends<S: Subject>(size: u32, deeds: &[TestAction]) {
    let mut driver = S::open(size);
    let (mut turns, most) = (0, most_turns::<S>(size));
    while ended(&driver).is_none() {
        let again = driver.protocol().next(driver.run());
        let again: Vec<Turn> = match again {
            Step::Ask { turns, .. } => turns.into_iter().map(|query| query.turn).collect(),
            Step::Done(_) => Vec::new(),
        };
        assert_eq!(again, asked(&driver), "the same state gives the same step");
        let answers = step(&driver, deeds, turns);
        turns += answers.len();
        assert!(turns <= most, "{turns} turns are more than {most}");
        for event in driver.apply(answers) {
            if let Event::RoundClosed { round, fact } = event {
                assert!(!fact.warning && fact.data["round"] == round, "{fact:?}");
            }
        }
    }
    let rounds = |event: &Event| matches!(event, Event::RoundClosed { .. });
    assert!(driver.apply(Vec::new()).iter().all(|event| !rounds(event)), "over is over");
}

/// A run that is replayed up to any step and continued from there ends as it would have.
fn replays<S: Subject>(size: u32, deeds: &[TestAction], cut: usize) {
    let mut whole = S::open(size);
    let steps = play(&mut whole, size, deeds);
    let cut = cut % (steps.len() + 1);
    let mut replayed = S::open(size);
    for answers in &steps[..cut] {
        replayed.apply(answers.clone());
    }
    let mut before = S::open(size);
    for answers in &steps[..cut] {
        before.apply(answers.clone());
    }
    assert_eq!(asked(&replayed), asked(&before));
    for answers in &steps[cut..] {
        replayed.apply(answers.clone());
    }
    assert_eq!(ended(&replayed), ended(&whole));
}

/// A stop decides nothing, whenever it comes; a closed run keeps its outcome.
fn stops<S: Subject>(size: u32, deeds: &[TestAction], came: usize) {
    let mut driver = S::open(size);
    let mut turns = 0;
    loop {
        let over = ended(&driver);
        for why in
            [Stop::Budget, Stop::Deadline, Stop::Cancelled(2), Stop::Running, Stop::Terminated]
        {
            let mut cut = driver.clone();
            if over.is_none() {
                let answers = step(&driver, deeds, turns).into_iter().enumerate();
                cut.part(answers.map(|(at, answer)| (at != came % 3).then_some(answer)));
            }
            let outcome = cut.stop(why);
            match (&over, why) {
                (Some(over), Stop::Budget | Stop::Deadline | Stop::Cancelled(_)) => {
                    assert_eq!(&outcome, over, "{why:?}");
                }
                (_, _) => assert!(!S::decides(&outcome), "{why:?} decides: {outcome:?}"),
            }
        }
        if over.is_some() {
            return;
        }
        let answers = step(&driver, deeds, turns);
        turns += answers.len();
        driver.apply(answers);
    }
}

/// No prompt names an agent, a vendor or a numbered seat, apart from its own `turn:` line.
fn is_blind<S: Subject>(size: u32, deeds: &[TestAction]) {
    let mut driver = S::open(size);
    let names: Vec<String> = (driver.run().seats().iter())
        .flat_map(|seat| [seat.seated.agent.to_lowercase(), seat.seated.vendor.to_lowercase()])
        .collect();
    let mut turns = 0;
    while ended(&driver).is_none() {
        for turn in asked(&driver) {
            let own = format!("turn: {}", turn.id);
            let text = turn.prompt.text().replacen(&own, "", 1);
            for word in text.split(|letter: char| !letter.is_alphanumeric()) {
                let name = word.to_lowercase();
                assert!(!names.contains(&name), "{} names {word}", turn.id);
                assert!(
                    !["s1", "s2", "s3", "s4", "s5"].contains(&word),
                    "{} names {word}",
                    turn.id
                );
            }
        }
        let answers = step(&driver, deeds, turns);
        turns += answers.len();
        driver.apply(answers);
    }
}

/// Whichever turn fails, its seat reports it in the outcome; of one that counts for no seat, a warning does.
fn sees_every_fault<S: Subject>(size: u32) {
    for fault in [TestAction::Fails, TestAction::Babbles] {
        let most = most_turns::<S>(size);
        for at in 0..most {
            let mut deeds = vec![TestAction::Answers; most + 1];
            deeds[at] = fault;
            let mut driver = S::open(size);
            let steps = play(&mut driver, size, &deeds);
            let Some(failed) = steps.iter().flatten().find(|answer| answer.result.is_err()) else {
                continue;
            };
            let mut outcome = ended(&driver).expect("it is over");
            let turn = Some(failed.turn.as_str());
            let warned = outcome.warnings().iter().any(|warning| warning.turn.as_deref() == turn);
            let seat = outcome.seats().iter().find(|seat| seat.role == failed.role);
            let Some(seat) = seat else {
                assert!(warned, "{} has neither a seat in the outcome nor a warning", failed.role);
                continue;
            };
            assert!(seat.failure.is_some(), "{} failed unseen: {seat:?}", failed.turn);
        }
    }
}

macro_rules! rows {
    ($($name:ident: $subject:ty,)*) => {$(
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(16))]

                #[test]
                fn it_conforms(size in 0..8_u32, deeds in deeds(), at in 0..12_usize) {
                    ends::<$subject>(size, &deeds);
                    replays::<$subject>(size, &deeds, at);
                    stops::<$subject>(size, &deeds, at);
                    is_blind::<$subject>(size, &deeds);
                }
            }

            #[test]
            fn every_fault_is_seen() {
                for size in 0..4 {
                    sees_every_fault::<$subject>(size);
                }
            }
        }
    )*};
}

// The protocols under test.
rows! {
    a_toy: toy::Toy,
    inquiry: super::super::inquiry::Machine,
    prioritize: super::super::backlog::Machine,
    review: super::super::review::Machine,
    critique: super::super::discuss::Machine,
    plan: super::super::plan::Machine,
    clarified_plan: super::super::clarify::Clarified<super::super::plan::Machine>,
    dialogue: super::super::topic::Machine,
    argument: super::super::argument::Machine,
    panel: super::super::panel::Machine,
}
