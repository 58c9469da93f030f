//! Inputs, answers and a driver for the tests of this protocol.

use super::contract::Ask;
use super::input::{Input, Settings};
use super::machine::Machine;
use super::reply::Content;
use crate::kernel::share::Share;
use crate::kernel::{Driver, Turn};
use crate::protocol::conformance::Subject;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::{
    Brief, Judgement, Point, Position, Ruling, Stance, StanceEntry, Stances,
};
use crate::protocol::opening::Opening;
use crate::protocol::prompt::Prompts;
pub(crate) use crate::protocol::testing::{
    BOUNDARY, asked, data_of, done, failed, judged, only, raw, seated, seats,
};

pub(crate) fn brief() -> Brief {
    Brief {
        topic: "Should orders be written to the queue or to the table?".to_owned(),
        description: "We lose orders when the shop restarts.".to_owned(),
        options: vec!["the queue".to_owned(), "the table".to_owned()],
        ..Brief::default()
    }
}

pub(crate) fn settings(max_rounds: u32) -> Settings {
    Settings {
        max_rounds,
        consensus_threshold: Share::thousandths(850),
        expert_threshold: Share::thousandths(700),
        deadlock_rise: Share::thousandths(20),
        consensus: Basis::Stance,
        opening: Opening::Sequential,
    }
}

pub(crate) fn input(max_rounds: u32) -> Input {
    Input {
        brief: brief(),
        seats: seats(&[
            ("proposer", "claude", "anthropic"),
            ("reviewer", "gemini", "google"),
            ("expert", "codex", "openai"),
        ]),
        settings: settings(max_rounds),
        prompts: Prompts::new(BOUNDARY),
        seed: 7,
    }
}

/// Returns the input of a dialogue that both sides open unseen.
pub(crate) fn blind(max_rounds: u32) -> Input {
    let mut input = input(max_rounds);
    input.settings.opening = Opening::Blind;
    input
}

pub(crate) fn machine(max_rounds: u32) -> Driver<Machine> {
    Machine::open(input(max_rounds)).unwrap()
}

/// Returns a position with `points` points of importance 2, whose texts name `of`.
pub(crate) fn position(of: &str, points: usize) -> Position {
    let point = |at: usize| Point {
        id: format!("P{at}"),
        claim: format!("Claim {at} of {of}."),
        reasoning: format!("Reason {at} of {of}."),
        evidence: vec![format!("src/{of}.rs:{at}")],
        importance: 2,
        keep: None,
        kept_from: None,
    };
    Position {
        summary: format!("Summary of {of}."),
        points: (1..=points).map(point).collect(),
        concedes: Vec::new(),
        changes: Vec::new(),
        risks: vec![format!("Risk of {of}.")],
        confidence: Some(Share::thousandths(800)),
        code_change_required: None,
    }
}

/// Returns stances given as letters, one per id: `a`, `p` or `d`; `.` for none.
pub(crate) fn stances(ids: &[String], letters: &str) -> Stances {
    assert_eq!(ids.len(), letters.chars().count(), "{ids:?} for {letters}");
    let stance = |(id, letter): (&String, char)| {
        let stance = match letter {
            'a' => Stance::Agree,
            'p' => Stance::Partly,
            'd' => Stance::Disagree,
            _ => return None,
        };
        Some(StanceEntry {
            point: id.clone(),
            stance,
            reason: format!("Reason on {id}."),
            support: None,
            amendment: (stance == Stance::Partly).then(|| format!("Amendment to {id}.")),
        })
    };
    Stances {
        stances: ids.iter().zip(letters.chars()).filter_map(stance).collect(),
        missing: Vec::new(),
    }
}

/// Returns the ids that a turn asks about, as its prompt shows them.
pub(crate) fn shown(turn: &Turn) -> Vec<String> {
    let data = data_of(turn);
    let points = match ask(turn) {
        Ask::Stances(_) | Ask::Review | Ask::Rebuttal | Ask::Answer => &data["position"]["points"],
        Ask::Expert => &data["open_points"],
        Ask::Propose | Ask::Position(_) | Ask::Compromise => {
            return Vec::new();
        }
    };
    let ids = points.as_array().unwrap().iter();
    ids.map(|point| point["id"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn ask(turn: &Turn) -> Ask {
    Ask::from_word(turn.id.split_once('/').unwrap().1).unwrap()
}

/// Returns the answer that a word of a script gives in this turn; `None` for a failure (`.`).
///
/// A number is a position of that many points. Letters are stances; in a review or a rebuttal a position of one point
/// comes along, or of as many as a number after them says. `r` is a ruling on every open point.
pub(crate) fn said(turn: &Turn, word: &str) -> Option<Content> {
    if word == "." {
        return None;
    }
    Some(match ask(turn) {
        Ask::Propose | Ask::Position(_) | Ask::Compromise => {
            Content::Position(position(&turn.id.replace('/', "-"), word.parse().unwrap()))
        }
        Ask::Review | Ask::Rebuttal => {
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let points = word[letters.len()..].parse().unwrap_or(1);
            Content::Both(
                stances(&shown(turn), letters),
                position(&turn.id.replace('/', "-"), points),
            )
        }
        Ask::Stances(_) | Ask::Answer => Content::Stances(stances(&shown(turn), word)),
        Ask::Expert => Content::Judgement(Judgement {
            points: (shown(turn).into_iter())
                .map(|id| Ruling {
                    ruling: format!("Ruling on {id}."),
                    reason: "It follows.".to_owned(),
                    id,
                })
                .collect(),
            position: "The final position.".to_owned(),
            confidence: Some(Share::thousandths(900)),
            code_change_required: Some(true),
        }),
    })
}

/// Answers the current turn with `said`, or fails it if `None`. Returns the turn.
pub(crate) fn say(machine: &mut Driver<Machine>, said: Option<&Content>) -> Turn {
    let turn = only(machine).expect("it is over");
    let answer = match said {
        Some(said) => judged(machine, &turn, &said.render()),
        None => failed(machine, &turn),
    };
    machine.apply(vec![answer]);
    turn
}

/// Runs a debate through a script, one word per turn. Returns the turns.
pub(crate) fn play(machine: &mut Driver<Machine>, script: &str) -> Vec<Turn> {
    let mut words = script.split_whitespace().peekable();
    let mut all = Vec::new();
    while let Some(word) = words.peek() {
        let turns = asked(machine);
        assert!(!turns.is_empty(), "over before `{word}` of `{script}`");
        let answer = |turn: &Turn| {
            let word =
                words.next().unwrap_or_else(|| panic!("no word for {} in `{script}`", turn.id));
            match said(turn, word) {
                Some(said) => judged(machine, turn, &said.render()),
                None => failed(machine, turn),
            }
        };
        let answers = turns.iter().map(answer).collect();
        machine.apply(answers);
        all.extend(turns);
    }
    all
}

/// Returns the input of a run by the suite: every second one opens blind.
fn of_size(size: u32) -> Input {
    if size % 2 == 1 { blind(1 + size) } else { input(1 + size) }
}

impl Subject for Machine {
    fn open(size: u32) -> Driver<Self> {
        Self::open(of_size(size)).unwrap()
    }

    fn most_turns(size: u32) -> u32 {
        of_size(size).settings.most_turns()
    }
}
