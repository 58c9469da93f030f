//! The rehearsal runs a whole debate to its end.

use super::*;
use crate::kernel::{Driver, Step};
use crate::protocol::backlog::intake::{self, Limits};
use crate::protocol::backlog::model::BacklogOutcome;
use crate::protocol::backlog::model::Disposition;
use crate::protocol::backlog::testing::{give, input, now, only, opportunities};
use crate::protocol::backlog::{Machine, Outcome};

fn debate(mut machine: Driver<Machine>) -> Outcome {
    while let Some(turn) = only(&machine) {
        let given = given(&machine, &turn);
        let reply = answer(&given);
        assert_eq!(reply, answer(&given), "the same turn has the same answer");
        assert!(reply.starts_with(BANNER));
        give(&mut machine, reply.as_bytes());
    }
    match machine.next() {
        Step::Done(outcome) => outcome,
        Step::Ask { .. } => panic!("over"),
    }
}

#[test]
fn a_default_rehearsal_takes_two_rounds_and_ends_in_consensus() {
    for (name, bytes) in [
        ("six", include_bytes!("../../fixtures/opportunities/six.json").as_slice()),
        ("this-repository", include_bytes!("../../fixtures/opportunities/this-repository.json")),
        ("lines", include_bytes!("../../fixtures/opportunities/lines.jsonl")),
    ] {
        let backlog = intake::read(name, bytes, now(), Limits::default()).unwrap();
        let outcome = debate(Machine::open(input(backlog.opportunities)).unwrap());
        assert_eq!(
            (outcome.outcome, outcome.rounds.len()),
            (BacklogOutcome::Consensus, 2),
            "{name}"
        );
        assert!(outcome.warnings.is_empty(), "{name}: {:?}", outcome.warnings);
        let first = &outcome.rounds[0];
        assert!(
            first.moderator_dispositions.values().any(|word| *word == Disposition::Investigate),
            "{name}"
        );
        let words: std::collections::BTreeSet<_> = outcome.dispositions.values().collect();
        assert!(words.len() > 1, "{name}: {words:?}");
    }
}

#[test]
fn any_number_of_items_works() {
    for ids in ["ab", "abc", "abcdefghijklmnopqrstuvwxyz"] {
        let outcome = debate(Machine::open(input(opportunities(ids))).unwrap());
        assert_eq!(outcome.outcome, BacklogOutcome::Consensus, "{ids}");
    }
}

#[test]
fn a_prompt_of_another_kind_gets_no_blocks() {
    for prompt in ["", "hello", "turn: r1/champion", "[\n]\nturn: r1/review/s1"] {
        let reply = answer(prompt);
        assert!(reply.starts_with(BANNER) && !reply.contains("<<<"), "{reply}");
    }
}

#[test]
fn six_opportunities_in_order() {
    let bytes = include_bytes!("../../fixtures/opportunities/six.json");
    let backlog = intake::read("six", bytes, now(), Limits::default()).unwrap();
    let outcome = debate(Machine::open(input(backlog.opportunities)).unwrap());
    let rows: Vec<String> = outcome
        .final_rankings
        .iter()
        .map(|id| format!("{id}: {}", outcome.dispositions[id].name()))
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    opp-tf-login-timeout: prioritize
    opp-sw-csv-export: prioritize
    opp-cg-invoice: prioritize
    opp-fo-sso: defer
    opp-cx-invoice-total: defer
    opp-fo-dark-mode: reject
    ");
}
