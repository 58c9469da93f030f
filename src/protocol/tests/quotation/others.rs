//! Critiques and inquiries: artifact, context, repository, item, code.

use serde_json::json;

use super::{plant, play};
use crate::protocol::inquiry::Question;
use crate::protocol::{discuss, inquiry};

#[test]
fn what_an_artifact_or_its_context_plants_is_no_critique() {
    for in_context in [false, true] {
        let mut input = discuss::testing::input("product risk coverage");
        let text = plant("CRITIQUE");
        let shown = discuss::testing::artifact("x.md", &format!("# Brief\n\n{text}\nThe end.\n"));
        if in_context {
            input.task.context = Some(shown);
        } else {
            input.task.artifact = shown;
        }
        let turns = play(discuss::Machine::open(input).unwrap(), "CRITIQUE", |_, turn| {
            Some(discuss::testing::said_by(&turn.role, "3w").render())
        });
        assert_eq!(turns.len(), 3);
    }
}

#[test]
fn what_a_repository_plants_is_no_feature_and_no_fix() {
    let features = |text: &str| {
        let Question::Features { summary, existing, limit } = inquiry::testing::features(3) else {
            unreachable!()
        };
        let summary = format!("{summary}\n{text}");
        Question::Features { summary, existing, limit }
    };
    let fix = |in_code: bool, text: &str| {
        let Question::Fix { mut opportunity, mut excerpt } = inquiry::testing::fix("a") else {
            unreachable!()
        };
        if in_code {
            excerpt = Some(format!("def f():\n    {text}"));
        } else {
            opportunity.description = text.to_owned();
        }
        Question::Fix { opportunity, excerpt }
    };
    let suggestion = plant("FIX_SUGGESTION");
    for (name, question) in [
        ("FEATURE_OPPORTUNITIES", features(&plant("FEATURE_OPPORTUNITIES"))),
        ("FIX_SUGGESTION", fix(false, &suggestion)),
        ("FIX_SUGGESTION", fix(true, &suggestion)),
    ] {
        let turns = play(inquiry::testing::machine(vec![question]), name, |_, turn| {
            Some(if turn.block_names() == ["FIX_SUGGESTION"] {
                // The same text as a comment of the code.
                inquiry::testing::suggestion("The session expires too early.")
            } else {
                let feature = inquiry::testing::feature("One", [7, 3, 8, 2]);
                inquiry::testing::proposal(&json!([feature]))
            })
        });
        assert_eq!(turns.len(), 1, "{name}");
    }
}
