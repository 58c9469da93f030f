//! Tests of the forms for people.

use super::*;
use crate::kernel::{Basis, Cost, Stop};
use crate::protocol::plan::testing::{done, machine, plans, says};
use crate::report::document::SkillUsed;
use crate::report::example::{at, usd};
use crate::report::page::ToPage as _;
use crate::report::{Look, example::SESSION};

fn document(outcome: &Outcome) -> PlanDocument {
    let stamp = Stamp {
        session_id: SESSION.to_owned(),
        started_at: at(0),
        completed_at: outcome.outcome.closes().then(|| at(200)),
        budget: usd(2_500_000),
        cost: Some(Cost { usd: usd(310_000), basis: Basis::Reported }),
    };
    let about = SessionFacts {
        skills: vec![SkillUsed {
            name: "planner".to_owned(),
            origin: "built-in".to_owned(),
            sha256: "ab".repeat(32),
            note: None,
        }],
        ..SessionFacts::default()
    };
    PlanDocument::new(
        outcome.clone(),
        "Add a cache to the store.".to_owned(),
        Facts::default(),
        &stamp,
        about,
    )
}

/// Accepted, with a step added, one changed and one left out; accepted although contested; rejected; undecided with one plan; interrupted with
/// nothing at all.
pub(crate) fn examples() -> Vec<(&'static str, PlanDocument)> {
    let run = |given: &[&str], judges: &[&str]| {
        let mut machine = machine(given.len());
        plans(&mut machine, given);
        for letters in judges {
            says(&mut machine, letters);
        }
        machine
    };
    let accepted = run(&["ab", "bc", "cd"], &["amm", "amm", "aaa"]);
    let contested = run(&["abc", "x"], &["dd", "aa"]);
    let rejected = run(&["ab", "c"], &["dd", "ar"]);
    vec![
        ("accepted", document(&done(&accepted))),
        ("contested", document(&done(&contested))),
        ("rejected", document(&done(&rejected))),
        ("undecided", document(&done(&run(&["ab", ""], &[])))),
        ("interrupted", document(&machine(2).stop(Stop::Cancelled(2)))),
    ]
}

#[test]
fn what_is_undecided_never_reads_as_accepted() {
    for (name, document) in examples() {
        for text in [document.render(Look::plain(80)), document.markdown()] {
            let accepted = ["accepted", "contested"].contains(&name);
            assert_eq!(text.contains("ACCEPTED"), accepted, "{name}");
            assert_eq!(text.contains("with 3 contested steps"), name == "contested", "{name}");
        }
        assert_eq!(document.header.suspended(), ["undecided", "interrupted"].contains(&name));
    }
}

#[test]
fn an_outcome_that_the_page_does_not_know_is_no_approval() {
    for (name, document) in examples() {
        let data = document.data().with("halt", "").with("outcome", "approved");
        let headline = data.sentence("plan/headline");
        assert!(format!("{headline:?}").contains("UNDECIDED"), "{name}: {headline:?}");
    }
}
