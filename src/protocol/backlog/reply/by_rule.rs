//! Promise 7: everything that no agent said is distinguishable from what one did.

use super::*;
use crate::protocol::testing::raw;

#[test]
fn every_id_that_the_rules_placed_is_named() {
    let ids: Vec<String> = (100..200).map(|number| format!("opp-{number}")).collect();
    let terms = ReplyContext { ids: &ids, order: &ids };
    let said = serde_json::to_string(&ids[30..]).unwrap();
    let text = format!(
        "<<<CHAMPION_ARGUMENT_START>>>\nWhy.\n<<<CHAMPION_ARGUMENT_END>>>\n\
         <<<CHAMPION_RANKINGS_START>>>\n{said}\n<<<CHAMPION_RANKINGS_END>>>\n"
    );
    let reply = parse(Role::Champion, &raw(&text), Chance::First, terms).unwrap();
    let note = reply.notes.iter().find(|note| note.code == "completed_by_rule").unwrap();
    for id in &ids[..30] {
        assert!(note.message.contains(id.as_str()), "{id}");
    }
}
