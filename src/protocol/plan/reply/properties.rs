//! Properties that hold for any reply: P11 and P12 of `docs/promises.md`, and the promises of a plan.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::model::{PlanBlock, PlanStep};
use super::super::order;
use super::super::testing::{BOUNDARY, written};
use super::tests::{ask, own, terms, three};
use super::*;
use crate::contract::template::block;

/// Returns text that does not end in a word for "nothing", which would be read as an empty list.
fn text() -> impl Strategy<Value = String> {
    "[A-Za-zäß中 0-9.,:'\"{}\\[\\]\\\\/`#*-]{0,60}x".prop_map(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    })
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::btree_set(text(), 0..3).prop_map(|texts| texts.into_iter().collect())
}

/// Returns steps with unique ids that depend on earlier ones.
fn steps() -> impl Strategy<Value = Vec<PlanStep>> {
    let step = (text(), text(), text(), lines(), any::<u8>(), text());
    proptest::collection::vec(step, 1..5).prop_map(|all| {
        let step =
            |(n, (phase, title, description, files, needs, acceptance)): (usize, _)| PlanStep {
                id: format!("n{n}"),
                phase,
                title,
                description,
                files,
                depends_on: (0..n)
                    .filter(|other| needs >> other & 1_u8 == 1)
                    .map(|other| format!("n{other}"))
                    .collect(),
                acceptance,
            };
        all.into_iter().enumerate().map(step).collect()
    })
}

fn said() -> impl Strategy<Value = Content> {
    let plan =
        (steps(), text(), lines(), lines()).prop_map(|(steps, summary, risks, open_questions)| {
            Content::Plan(PlanBlock {
                steps,
                summary,
                risks,
                open_questions,
                dependencies_valid: true,
            })
        });
    let judgements = proptest::collection::vec((0_usize..3, text(), text()), 3).prop_map(|all| {
        let judgement = |(id, (stance, reason, suggestion)): (String, (usize, String, String))| {
            let same_as = (id == "S2").then(|| "S4".to_owned());
            Judgement {
                id,
                reason,
                stance: Stance::ALL[stance],
                suggestion: Some(suggestion),
                same_as,
            }
        };
        three().into_iter().zip(all).map(judgement).collect()
    });
    let cross = (judgements, proptest::option::of(steps())).prop_map(|(judgements, missing)| {
        Content::Cross(PlanReviewBlock { judgements, missing_steps: missing.unwrap_or_default() })
    });
    let votes = proptest::collection::vec((any::<bool>(), text()), 3).prop_map(|all| {
        let vote = |(id, (approve, reason))| Ballot { id, reason, approve };
        Content::Validation(ValidationBlock {
            votes: three().into_iter().zip(all).map(vote).collect(),
        })
    });
    prop_oneof![plan, cross, votes]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// P12: a rendered answer is read back unchanged, without a note.
    #[test]
    fn parse_of_render_is_the_same(said in said(), noise in "[a-z .\n]{0,40}") {
        let text = format!("{noise}\n{}{noise}", said.render());
        prop_assert_eq!(ask(said.ask(), &text, Chance::First), Ok(Reply { content: said, notes: Vec::new() }));
    }

    /// P11: any bytes result in a reply or in a defect with a problem.
    #[test]
    fn any_bytes_end_in_a_reply_or_a_problem(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in any::<bool>()) {
        for each in Ask::ALL {
            let reply = RawReply { bytes: bytes.clone(), cut, ..RawReply::default() };
            if let Err(defect) = parse(each, &reply, Chance::Last, terms(&three(), &own())) {
                prop_assert!(!defect.problems.is_empty());
            }
        }
    }

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
