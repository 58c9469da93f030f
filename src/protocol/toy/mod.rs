//! The smallest protocol that uses the whole contract: two seats each name a number, a referee decides.
//!
//! It exists for the tests and as a pattern: three turns, one block. Nothing outside this folder refers to it except
//! its row in the suite that every protocol passes (`protocol/conformance.rs`), and its row in a table of kinds
//! (`app/kinds.rs`).
//!
//! | state | input | next state |
//! |---|---|---|
//! | guessing | both numbers, equal | closed: `agreed` |
//! | guessing | both numbers, different | refereeing |
//! | guessing | a failure | `failed`: a resume asks again |
//! | refereeing | a number | closed: `decided` |
//! | refereeing | a failure | `failed` |

use super::Subject;
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Prompt, Protocol, Query, RawReply, Reply, Run, Seat,
    SessionOutcome, Step, Stop, Turn, TurnId, Warning, seat_name,
};
use crate::protocol::testing::{BOUNDARY, seated};
use crate::text::block::{self, BlockBody, ExpectedBlock, Shape};

const NUMBER: &str = "NUMBER";
const WANT: ExpectedBlock = ExpectedBlock::new(NUMBER, Shape::Text, true);
const TEMPLATE: &str = "<a number from 1 to 9>";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToyEnd {
    Agreed,
    Decided,
    Failed,
    Stopped,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    ended: ToyEnd,
    number: Option<u32>,
    /// The seats that had answered in a step that was cut short.
    heard: Vec<String>,
    seats: Vec<Seat>,
}

#[derive(Debug, Clone, PartialEq)]
enum State {
    Guessing,
    Refereeing(Vec<u32>),
    Closed(ToyEnd, Option<u32>),
}

#[derive(Debug, Clone)]
pub(crate) struct Toy {
    state: State,
}

impl Toy {
    fn open() -> Driver<Self> {
        let seats = [
            ("s1", seated("claude", "anthropic")),
            ("s2", seated("codex", "openai")),
            ("referee", seated("gemini", "google")),
        ];
        let run = Run::new(seats.map(|(name, seated)| (name.to_owned(), seated)));
        Driver::new(Self { state: State::Guessing }, run, &[], BOUNDARY)
    }

    fn query(id: TurnId, role: String, shown: &[u32]) -> Query<()> {
        let prompt = Prompt {
            stable: "Name a number.".to_owned(),
            varying: format!("turn: {id}\nnamed so far: {shown:?}"),
            contract: format!("<<<{NUMBER}_START>>>\n{TEMPLATE}\n<<<{NUMBER}_END>>>"),
        };
        let turn = Turn {
            id,
            role,
            plays: "toy".into(),
            prompt,
            blocks: vec![WANT],
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
            spare: false,
        };
        Query { turn, ask: (), notes: Vec::new() }
    }

    fn outcome(ended: ToyEnd, number: Option<u32>, run: &Run) -> Outcome {
        let seats = run.seats().iter();
        let seats = seats.map(|seat| seat.seat(seat.is_intact(), seat.failed())).collect();
        Outcome { ended, number, heard: Vec::new(), seats }
    }
}

impl Protocol for Toy {
    type Ask = ();
    type Content = u32;
    type Outcome = Outcome;

    fn next(&self, run: &Run) -> Step<Outcome, Query<()>> {
        let turns = match &self.state {
            State::Closed(ended, number) => {
                return Step::Done(Self::outcome(*ended, *number, run));
            }
            State::Guessing => (0..2)
                .map(|seat| {
                    Self::query(TurnId::in_round(1, "guess").seat(seat), seat_name(seat), &[])
                })
                .collect(),
            State::Refereeing(named) => {
                vec![Self::query(TurnId::of("referee"), "referee".to_owned(), named)]
            }
        };
        Step::Ask { opens_round: (self.state == State::Guessing).then_some(1), turns }
    }

    fn read(&self, (): &(), reply: &RawReply, _: Chance) -> Result<Reply<u32>, Defect> {
        let found = block::extract(&reply.bytes, reply.cut, &[WANT], &[TEMPLATE])
            .map_err(|problems| Defect { problems, expected_ids: Vec::new() })?;
        let said = match found.contents.into_iter().next().flatten() {
            Some(BlockBody::Text(text)) => text.trim().parse().ok(),
            Some(BlockBody::Json(_)) | None => None,
        };
        let said = said.filter(|number| (1..=9).contains(number));
        let said = said.ok_or_else(|| Defect::of("no_number", TEMPLATE.to_owned()))?;
        Ok(Reply { content: said, notes: found.notes })
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        let named: Result<Vec<u32>, _> =
            answers.into_iter().map(|((), answer)| answer.result).collect();
        let Ok(named) = named else {
            self.state = State::Closed(ToyEnd::Failed, None);
            return;
        };
        self.state = match (&self.state, &*named) {
            (State::Guessing, [one, other]) if one == other => {
                State::Closed(ToyEnd::Agreed, Some(*one))
            }
            (State::Guessing, _) => State::Refereeing(named),
            (State::Refereeing(_) | State::Closed(..), _) => {
                State::Closed(ToyEnd::Decided, named.first().copied())
            }
        };
        run.close_round(1, None, format!("{:?}", self.state), serde_json::json!({ "round": 1 }));
    }

    fn stop(&self, _: Stop, part: &[((), Answer<u32>)], run: &Run) -> Outcome {
        let heard = part.iter().map(|((), answer)| answer.role.clone()).collect();
        Outcome { heard, ..Self::outcome(ToyEnd::Stopped, None, run) }
    }
}

impl SessionOutcome for Outcome {
    fn name(&self) -> String {
        format!("{:?}", self.ended).to_lowercase()
    }

    fn verdict(&self) -> &str {
        if self.closes() { "decided" } else { "undecided" }
    }

    fn closes(&self) -> bool {
        matches!(self.ended, ToyEnd::Agreed | ToyEnd::Decided)
    }

    fn seats(&mut self) -> &mut [Seat] {
        &mut self.seats
    }

    fn warnings(&self) -> &[Warning] {
        &[]
    }
}

impl Subject for Toy {
    fn open(_: u32) -> Driver<Self> {
        Self::open()
    }

    fn most_turns(_: u32) -> u32 {
        3
    }

    fn reply(_: &Driver<Self>, turn: &Turn) -> String {
        let number = if turn.role == "s2" { 4 } else { 7 };
        format!("<<<{NUMBER}_START>>>\n{number}\n<<<{NUMBER}_END>>>\n")
    }

    fn decides(outcome: &Outcome) -> bool {
        outcome.closes() || outcome.number.is_some()
    }
}

#[cfg(test)]
pub(crate) mod kind_tests;
#[cfg(test)]
mod tests;
