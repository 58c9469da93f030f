//! Properties that hold for any reply: P11 and P12 of `docs/promises.md`, and the promises of a plan.

use crate::kernel::Chance;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::model::PlanStep;
use super::super::order;
use super::super::testing::{BOUNDARY, written};
use super::tests::ask;
use super::*;
use crate::contract::template::block;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// For any plan: an accepted one has steps, unique ids, and dependencies that exist and have no cycle.
    #[test]
    fn an_accepted_plan_keeps_its_promises(
        entries in proptest::collection::vec(("[abAB1 ]{0,2}", "[tx]{0,1}", proptest::collection::vec("[abcA]", 0..3)), 0..6),
    ) {
        // An identical step given twice counts as one, however its id is written.
        let same = |(id, title, needs): &(String, String, Vec<String>)| {
            (id.trim().to_lowercase(), title.trim().to_owned(), needs.clone())
        };
        let given = entries.iter().map(same).collect::<std::collections::BTreeSet<_>>().len();
        let steps: Vec<Value> = entries.into_iter().map(|(id, title, depends_on)| {
            written(&PlanStep {
                id, phase: "p".to_owned(), title, description: "d".to_owned(), files: Vec::new(), depends_on, acceptance: String::new(),
            })
        }).collect();
        let body = json!({ "steps": steps, "summary": BOUNDARY, "risks": [], "open_questions": [] });
        let text = block(PLAN.name(), &body.to_string());
        let first = ask(Ask::Plan, &text, Chance::First);
        match ask(Ask::Plan, &text, Chance::Last) {
            Ok(Reply { content: Content::Plan(said), notes }) => {
                let ids: Vec<&String> = said.steps.iter().map(|step| &step.id).collect();
                let unique: std::collections::BTreeSet<&&String> = ids.iter().collect();
                prop_assert!(!ids.is_empty() && unique.len() == ids.len());
                prop_assert!(3 * ids.len() + notes.len() >= 2 * given);
                let before: Option<order::Predecessors> = said.steps.iter()
                    .map(|step| step.depends_on.iter().map(|need| ids.iter().position(|id| *id == need)).collect())
                    .collect();
                prop_assert!(before.is_some(), "an unknown dependency");
                prop_assert_eq!(order::cycle(&before.unwrap()), None);
                if let Ok(first) = first {
                    prop_assert_eq!(first.content, Content::Plan(said));
                }
            }
            Ok(_) => prop_assert!(false, "another answer"),
            Err(_) => prop_assert!(first.is_err()),
        }
    }
}
