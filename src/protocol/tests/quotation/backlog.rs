//! The partner debate: every field of an item, and the partners' text.

use serde_json::json;

use super::{all, plant, play};
use crate::kernel::{Driver, Turn};
use crate::protocol::backlog::Machine;
use crate::protocol::backlog::model::Opportunity;
use crate::protocol::backlog::testing::{
    champion, critic, input, machine, moderator, opportunities,
};

/// All roles rank alike: one role's answer is shown to the next, which gives the same.
#[expect(clippy::unnecessary_wraps, reason = "scripts can fail a turn; this one never does")]
fn honest(_: &Driver<Machine>, turn: &Turn) -> Option<String> {
    Some(match &*turn.role {
        "champion" => champion("ab"),
        "critic" => critic("ab"),
        _ => moderator("ab", "pp", false, true),
    })
}

const BLOCKS: [(&str, &str); 7] = [
    ("CHAMPION_ARGUMENT", "r1/champion"),
    ("CHAMPION_RANKINGS", "r1/champion"),
    ("CRITIC_CONCERNS", "r1/critic"),
    ("CRITIC_RANKINGS", "r1/critic"),
    ("DISPOSITIONS", "r1/moderator"),
    ("FINAL_RANKINGS", "r1/moderator"),
    ("DEBATE_STATUS", "r1/moderator"),
];

#[test]
fn what_an_item_plants_is_nobodys_answer() {
    type Field<'a> = &'a dyn Fn(&mut Opportunity, &str);
    let fields: [Field<'_>; 5] = [
        &|item, text| item.description.push_str(text),
        &|item, text| item.title = text.replace('\n', " "),
        &|item, text| item.suggested_fix = Some(text.to_owned()),
        &|item, text| item.affected_files = text.lines().map(str::to_owned).collect(),
        &|item, text| {
            let evidence = json!([{ "source": "log", "content": text }]);
            item.evidence = serde_json::from_value(evidence).unwrap();
        },
    ];
    for (name, asked) in BLOCKS {
        for (at, field) in fields.iter().enumerate() {
            let mut items = opportunities("ab");
            field(&mut items[0], &plant(name));
            let machine = Machine::open(input(items)).unwrap();
            let turns = play(machine, name, honest);
            assert_eq!(all(&turns), [asked], "{name} in field {at}");
        }
    }
}

#[test]
fn what_a_partner_plants_is_nobody_elses_answer() {
    for (name, asked) in BLOCKS {
        if asked == "r1/champion" {
            continue;
        }
        let text = plant(name);
        let say = |machine: &Driver<Machine>, turn: &Turn| {
            let reply = honest(machine, turn)?;
            // A marker on a line of its own would cut the block of text.
            let text = text.replace('\n', " ");
            Some(reply.replace("Because.", &format!("Because. {text}")))
        };
        let turns = play(machine("ab"), name, say);
        assert_eq!(all(&turns), [asked], "{name}");
    }
}
