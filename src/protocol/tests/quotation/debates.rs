//! Topic debates in their three styles: every field of the brief, and the text of sides and seats.

use serde_json::json;

use super::{block, infected, plant, play};
use crate::kernel::{Driver, Turn};
use crate::protocol::context::ContextFile;
use crate::protocol::debate::Brief;
use crate::protocol::{argument, panel, topic};

type Field<'a> = &'a dyn Fn(&mut Brief, &str);

const FIELDS: [Field<'static>; 4] = [
    &|brief, text| brief.topic.extend(["\n", text]),
    &|brief, text| brief.description.extend(["\n", text]),
    &|brief, text| brief.options = vec!["the queue".to_owned(), text.to_owned()],
    &|brief, text| {
        brief.context.push(ContextFile {
            name: "notes.md".to_owned(),
            text: text.to_owned(),
            cut: false,
        });
    },
];

fn dialogue(_: &Driver<topic::Machine>, turn: &Turn) -> Option<String> {
    use topic::testing::{said, shown};
    let word = match &*turn.role {
        "expert" => "r".to_owned(),
        _ if turn.block_names().contains(&"STANCES") => "d".repeat(shown(turn).len()),
        _ => "1".to_owned(),
    };
    said(turn, &word).map(|said| said.render())
}

#[test]
fn what_a_brief_plants_is_no_answer_in_a_dialogue() {
    for name in ["POSITION", "STANCES", "JUDGEMENT"] {
        for (at, field) in FIELDS.iter().enumerate() {
            let mut input = topic::testing::input(3);
            field(&mut input.brief, &plant(name));
            let machine = topic::Machine::open(input).unwrap();
            let turns = play(machine, name, dialogue);
            assert!(!turns.is_empty(), "{name} in field {at}");
        }
    }
}

#[test]
fn what_a_side_plants_is_no_answer_of_the_other() {
    for name in ["POSITION", "STANCES", "JUDGEMENT"] {
        let text = plant(name);
        let say = |machine: &Driver<topic::Machine>, turn: &Turn| {
            Some(infected(&dialogue(machine, turn)?, &text))
        };
        let turns = play(topic::testing::machine(3), name, say);
        assert!(!turns.is_empty(), "{name}");
    }
}

#[expect(clippy::unnecessary_wraps, reason = "scripts can fail a turn; this one never does")]
fn arguing(_: &Driver<argument::Machine>, turn: &Turn) -> Option<String> {
    use crate::protocol::debate::typed::ArgumentType;
    use argument::testing::{addresses, argument, stances_block};
    Some(match turn.id.split_once('/').unwrap().1 {
        "proposal" => argument(ArgumentType::Proposal, json!({})),
        "challenge" => argument(ArgumentType::Challenge, json!({"references": ["A1"]})),
        "defense" => argument(ArgumentType::Defense, json!({"references": ["A2"]})),
        "reply" => argument(ArgumentType::Counter, json!({"references": ["A3"]})),
        "resolution" => argument(ArgumentType::Resolution, json!({"addresses": addresses(&[])})),
        _ => stances_block(&[("P1", "agree"), ("P2", "disagree")]),
    })
}

#[test]
fn what_a_brief_plants_is_no_argument() {
    for name in ["ARGUMENT", "STANCES"] {
        for (at, field) in FIELDS.iter().enumerate() {
            let mut input = argument::testing::input();
            field(&mut input.brief, &plant(name));
            let machine = argument::Machine::open(input).unwrap();
            let turns = play(machine, name, arguing);
            assert!(!turns.is_empty(), "{name} in field {at}");
        }
        let text = plant(name);
        let say = |machine: &Driver<argument::Machine>, turn: &Turn| {
            Some(infected(&arguing(machine, turn)?, &text))
        };
        let turns = play(argument::testing::machine(), name, say);
        assert!(!turns.is_empty(), "{name} of a side");
    }
}

fn voting(machine: &Driver<panel::Machine>, turn: &Turn) -> Option<String> {
    use panel::testing::{answer_body, ruling, text_of, vote};
    let seat = turn.role.strip_prefix('s').and_then(|seat| seat.parse().ok());
    match (turn.block_names()[0], seat) {
        ("ANSWER", Some(seat)) => Some(block("ANSWER", &answer_body(&text_of(seat)).to_string())),
        ("ANSWER", None) => Some(block("ANSWER", &answer_body("The judge's own.").to_string())),
        ("VOTE", Some(seat)) => vote(machine, turn, &seat.to_string()),
        _ => Some(ruling(machine, turn, 1)),
    }
}

#[test]
fn what_a_brief_or_a_seat_plants_is_no_vote() {
    for name in ["ANSWER", "VOTE", "JUDGEMENT"] {
        for (at, field) in FIELDS.iter().enumerate() {
            let mut input = panel::testing::input_of_mistral(3, 1);
            field(&mut input.brief, &plant(name));
            let machine = panel::Machine::open(input).unwrap();
            let turns = play(machine, name, voting);
            assert!(!turns.is_empty(), "{name} in field {at}");
        }
        if name == "ANSWER" {
            continue;
        }
        let text = plant(name);
        let say = |machine: &Driver<panel::Machine>, turn: &Turn| {
            Some(infected(&voting(machine, turn)?, &text))
        };
        let turns = play(panel::testing::judged_by_mistral(3, 1), name, say);
        assert!(!turns.is_empty(), "{name} of a seat");
    }
}
