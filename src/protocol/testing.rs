//! Helpers for the tests of every protocol: a boundary, seats, replies, failures, and answering the turns of a
//! driver.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::contract::{Block, template};
use crate::kernel::{
    Answer, Chance, Driver, Failure, FailureClass, HUMAN, Protocol, RawReply, Reply, Respondent,
    Step, Turn,
};

pub(crate) const BOUNDARY: &str = "b0unda7y00b0unda7y00b0unda7y00aa";

/// An answer in the type that a driver takes.
pub(crate) type TestAnswer<P> = Answer<Reply<<P as Protocol>::Content>>;

pub(crate) fn seated(agent: &str, vendor: &str) -> Respondent {
    Respondent { agent: agent.to_owned(), vendor: vendor.to_owned(), fell_back_from: None }
}

/// Returns respondents by seat, each given as seat, agent and vendor.
pub(crate) fn seats(all: &[(&str, &str, &str)]) -> BTreeMap<String, Respondent> {
    let seats = all.iter();
    seats.map(|(seat, agent, vendor)| ((*seat).to_owned(), seated(agent, vendor))).collect()
}

/// Returns an answer as its block.
pub(crate) fn written<T: Serialize>(block: &Block<T>, said: &T) -> String {
    template::block(block.name(), &serde_json::to_string(said).unwrap())
}

pub(crate) fn raw(text: &(impl AsRef<[u8]> + ?Sized)) -> RawReply {
    RawReply { bytes: text.as_ref().to_vec(), cut: false }
}

pub(crate) fn failure() -> Failure {
    Failure { class: FailureClass::TimedOut, message: "no answer".to_owned() }
}

/// Returns the turns that are asked now; none if the run is over.
pub(crate) fn asked<P: Protocol>(driver: &Driver<P>) -> Vec<Turn> {
    match driver.next() {
        Step::Ask { turns, .. } => turns,
        Step::Done(_) => Vec::new(),
    }
}

/// Returns the turn that is asked now, for protocols that ask one turn per step.
pub(crate) fn only<P: Protocol>(driver: &Driver<P>) -> Option<Turn> {
    let mut turns = asked(driver);
    assert!(turns.len() <= 1, "{:?} are asked", ids(&turns));
    turns.pop()
}

pub(crate) fn ids(turns: &[Turn]) -> Vec<&str> {
    turns.iter().map(|turn| &*turn.id).collect()
}

/// Returns the outcome of a run that is over.
pub(crate) fn done<P: Protocol>(driver: &Driver<P>) -> P::Outcome {
    match driver.next() {
        Step::Done(outcome) => outcome,
        Step::Ask { turns, .. } => panic!("not over: {:?} are asked", ids(&turns)),
    }
}

/// Returns the data of a prompt.
pub(crate) fn data_of(turn: &Turn) -> Value {
    let text = &turn.prompt.varying;
    let (start, end) = (text.find("\n{\n").unwrap(), text.rfind("\n}\n").unwrap());
    serde_json::from_str(&text[start..end + 2]).unwrap()
}

/// Returns the respondent of a turn's seat; a person who is only asked for remarks has no seat.
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

/// Judges a text as for an agent: reads it, re-asks once with the same text, then fails the turn.
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

/// Judges a text like [`judged`]; `None` fails the turn at once.
pub(crate) fn said<P: Protocol>(
    driver: &Driver<P>,
    turn: &Turn,
    text: Option<&str>,
) -> TestAnswer<P> {
    text.map_or_else(|| failed(driver, turn), |text| judged(driver, turn, text))
}
