//! Amendments, conditions and areas find their place in the result.

use serde_json::json;

use super::super::testing::*;
use super::*;
use crate::kernel::share::Share;
use crate::protocol::debate::typed::ArgumentType::{Challenge, Defense, Proposal, Resolution};

#[test]
fn a_consensus_with_amendments_is_conditional_and_keeps_them() {
    let mut machine = machine();
    for (kind, more) in [
        (Proposal, json!({"impact_areas": ["operations", "vibes"]})),
        (Challenge, json!({"concerns": concerns(&["Cost"])})),
        (Defense, json!({})),
        (
            Resolution,
            json!({
                "content": {"text": "Do it.", "code_change_required": true,
                    "points": [{"claim": "a", "importance": 3}, {"claim": "b", "importance": 1}]},
                "addresses": addresses(&["C1"]), "risks": [{"name": "Delay", "likelihood": 0.5, "impact": 0.5}],
            }),
        ),
    ] {
        give(&mut machine, Some(&argument(kind, more)));
    }
    let text = stances_block(&[("P1", "agree"), ("P2", "partly")]);
    give(&mut machine, Some(&text.replace("\"missing\":[]", "\"missing\":[\"A date\"]")));
    let end = done(&machine);
    // (3 x 1 + 1 x 0.5) of 4.
    assert_eq!(end.consensus.map(Share::get), Some(875));
    assert_eq!(end.outcome, DebateOutcome::ConsensusReached);
    assert!(end.code_change_required);
    let decision = end.decision.unwrap();
    assert_eq!(decision.amendments, ["Only for reads."]);
    assert_eq!(decision.position.unwrap().risks, ["Delay"]);
    let resolution = end.resolution.unwrap();
    assert_eq!(resolution.kind, ResolutionKind::ConditionalApproval);
    assert_eq!(resolution.conditions, ["P2: Only for reads"]);
    assert_eq!(resolution.key_decisions, ["P1: a"]);
    assert!(resolution.asked.is_empty() && resolution.recommendations.is_empty());
    let about: Vec<&str> = end.dissent.iter().map(|each| &*each.about).collect();
    assert_eq!(about, ["P2 (partly): b", "missing in the resolution"]);
    assert_eq!(end.rounds[0].arguments[0].unknown_areas, ["vibes"]);
    assert_eq!(
        end.final_positions["primary"].text,
        "It survives a restart, which the cache does not."
    );
    assert_eq!(
        end.recommendation,
        "The sides agree, with conditions: agreement 87.5% (80% wanted) after 1 round. 1 point or concern is open."
    );
}
