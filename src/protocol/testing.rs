//! What the tests of every protocol need: a boundary, seats, replies, failures, and the turns of a driver answered.

use std::cell::Cell;
use std::time::Duration;

use serde_json::Value;

use crate::kernel::{
    Answer, Chance, Driver, Failure, FailureClass, HUMAN, Protocol, RawReply, Reply, Respondent,
    RuleVersion, Step, Turn,
};

pub(crate) const BOUNDARY: &str = "b0unda7y00b0unda7y00b0unda7y00aa";

/// An answer as a driver takes it.
pub(crate) type TestAnswer<P> = Answer<Reply<<P as Protocol>::Content>>;

pub(crate) fn seated(agent: &str, vendor: &str) -> Respondent {
    Respondent { agent: agent.to_owned(), vendor: vendor.to_owned(), fell_back_from: None }
}

thread_local! {
    /// The rules by which [`raw`] replies of this test are read.
    static RULES: Cell<RuleVersion> = const { Cell::new(RuleVersion::NOW) };
}

/// Reads the rest of this test's replies by the rules of sessions from before versions were counted, which they keep.
pub(crate) fn by_the_first_rules() {
    RULES.set(RuleVersion::FIRST);
}

pub(crate) fn raw(text: &(impl AsRef<[u8]> + ?Sized)) -> RawReply {
    RawReply { bytes: text.as_ref().to_vec(), rules: RULES.get(), ..RawReply::default() }
}

pub(crate) fn failure() -> Failure {
    Failure { class: FailureClass::TimedOut, message: "no answer".to_owned() }
}

/// The turns that are asked now; none where it is over.
pub(crate) fn asked<P: Protocol>(driver: &Driver<P>) -> Vec<Turn> {
    match driver.next() {
        Step::Ask { turns, .. } => turns,
        Step::Done(_) => Vec::new(),
    }
}

/// The turn that is asked now, where a step is one turn.
pub(crate) fn only<P: Protocol>(driver: &Driver<P>) -> Option<Turn> {
    let mut turns = asked(driver);
    assert!(turns.len() <= 1, "{:?} are asked", ids(&turns));
    turns.pop()
}

pub(crate) fn ids(turns: &[Turn]) -> Vec<&str> {
    turns.iter().map(|turn| &*turn.id).collect()
}

/// How it ended.
pub(crate) fn done<P: Protocol>(driver: &Driver<P>) -> P::Outcome {
    match driver.next() {
        Step::Done(outcome) => outcome,
        Step::Ask { turns, .. } => panic!("not over: {:?} are asked", ids(&turns)),
    }
}

/// The data of a prompt.
pub(crate) fn data_of(turn: &Turn) -> Value {
    let text = &turn.prompt.varying;
    let (start, end) = (text.find("\n{\n").unwrap(), text.rfind("\n}\n").unwrap());
    serde_json::from_str(&text[start..end + 2]).unwrap()
}

/// Who sits where a turn is asked; a person who is only asked for remarks has no seat.
pub(crate) fn sits<P: Protocol>(driver: &Driver<P>, turn: &Turn) -> Respondent {
    let seat = driver.run().seats().named(&turn.role);
    seat.map_or_else(|| seated(HUMAN, HUMAN), |seat| seat.seated.clone())
}

pub(crate) fn answer<S>(
    turn: &Turn,
    seated: Respondent,
    result: Result<Reply<S>, Failure>,
) -> Answer<Reply<S>> {
    Answer {
        turn: turn.id.clone(),
        role: turn.role.clone(),
        respondent: seated,
        result,
        cost: None,
        attempts: 1,
        took: Duration::from_millis(5),
        notes: Vec::new(),
    }
}

/// Judges a text as the agents do: read, re-ask once with the same text, then fail the turn.
pub(crate) fn judged<P: Protocol>(
    driver: &Driver<P>,
    turn: &Turn,
    text: &(impl AsRef<[u8]> + ?Sized),
) -> TestAnswer<P> {
    let read = driver
        .read(turn, &raw(text), Chance::First)
        .or_else(|_| driver.read(turn, &raw(text), Chance::Last));
    let result = read
        .map_err(|defect| Failure { class: FailureClass::Unreadable, message: defect.to_string() });
    answer(turn, sits(driver, turn), result)
}

pub(crate) fn failed<P: Protocol>(driver: &Driver<P>, turn: &Turn) -> TestAnswer<P> {
    answer(turn, sits(driver, turn), Err(failure()))
}

/// As [`judged`]; `None` fails the turn at once.
pub(crate) fn said<P: Protocol>(
    driver: &Driver<P>,
    turn: &Turn,
    text: Option<&str>,
) -> TestAnswer<P> {
    text.map_or_else(|| failed(driver, turn), |text| judged(driver, turn, text))
}
