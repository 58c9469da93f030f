//! The rules of the partner debate (docs/prioritize.md) end to end: consensus is verified rather than believed,
//! rankings are completed by rule, champion and critic always have two vendors.

use serde_json::json;

use crate::support::Sandbox;
use crate::support::replies::{
    SIX, critic, each, list, messages, moderator, prioritize, ranking, six, status, warned,
};

fn backwards() -> String {
    let mut ids = SIX;
    ids.reverse();
    list(&ids)
}

#[test]
fn t29_a_claim_that_fails_the_check_is_recorded_and_the_debate_goes_on() {
    let claims = moderator(&each("\"defer\""), &six(), &status(false, true));
    let sandbox = Sandbox::new()
        .fake("r1_critic.txt", &critic(&backwards()))
        .fake("r1_moderator.txt", &claims);
    let document = prioritize(&sandbox, &[]).exits(0).json();
    let rounds = &document["session"]["rounds"];
    assert_eq!(rounds[0]["consensus_claimed"], true);
    assert_eq!(rounds[0]["consensus_reached"], false);
    let said = messages(&document, "consensus_overridden");
    assert_eq!(said.len(), 1, "{said:?}");
    let why = "the share on which they agree is 0.00, 0.6 is needed";
    assert!(said[0].contains(why), "{said:?}");
    // The debate went on although the same answer said `continue_debate: false`.
    assert_eq!(sandbox.calls().len(), 6, "{:?}", sandbox.ledger());
    assert_eq!(document["outcome"], "consensus");
    assert_eq!(rounds[1]["consensus_reached"], true);
}

/// Missing ids come in the order of the moderator's last ranking, not of the input.
#[test]
fn p01_a_ranking_is_completed_in_the_order_before() {
    let open = |ranking: &str| moderator(&each("\"investigate\""), ranking, &status(true, false));
    let sandbox = Sandbox::new()
        .fake("r1_moderator.txt", &open(&backwards()))
        .fake("r2_moderator.txt", &open(&list(&SIX[1..5])));
    let document = prioritize(&sandbox, &["--max-rounds", "2"]).exits(1).json();
    let expected = [SIX[1], SIX[2], SIX[3], SIX[4], SIX[5], SIX[0]];
    assert_eq!(ranking(&document), expected);
    assert!(
        messages(&document, "completed_by_rule")[0].contains(&format!("{}, {}", SIX[5], SIX[0]))
    );
}

/// A user's configuration in which agents fall back to one another, without retries.
fn fallbacks(claude: &str, codex: &str) -> String {
    format!(
        r#"{{"agents": {{"claude": {{"fallback": {claude}}}, "codex": {{"fallback": {codex}}}}},
            "limits": {{"retries": 0}}}}"#
    )
}

const OVERLOADED: &str = "{\"error\": \"overloaded\"}";

#[test]
fn a_fallback_never_puts_the_champions_vendor_into_the_critics_seat() {
    let sandbox = Sandbox::new()
        .config(&fallbacks("[]", r#"["claude", "gemini"]"#))
        .fake("codex.json", OVERLOADED);
    let document = prioritize(&sandbox, &[]).exits(0).json();
    assert_eq!(
        sandbox.ledger(),
        ["claude r1/champion", "codex r1/critic", "gemini r1/critic", "claude r1/moderator"]
    );
    let seat = &document["session"]["seats"][1];
    assert_eq!((&seat["status"], &seat["fell_back_to"]), (&json!("fell_back"), &json!("gemini")));
    assert_eq!(warned(&document, "r1/critic"), ["fell_back"]);

    let sandbox =
        Sandbox::new().config(&fallbacks("[]", r#"["claude"]"#)).fake("codex.json", OVERLOADED);
    let document = prioritize(&sandbox, &[]).exits(4).json();
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "codex r1/critic"]);
    assert_eq!(document["outcome"], "agent_failure");
}

/// Even if the champion itself fell back: the agent that answered counts.
#[test]
fn a_fallback_of_both_sides_is_never_one_vendor_twice() {
    let both = fallbacks(r#"["gemini"]"#, r#"["gemini"]"#);
    let sandbox = Sandbox::new()
        .config(&both)
        .fake("r1_champion.1.json", OVERLOADED)
        .fake("codex.json", OVERLOADED);
    let document = prioritize(&sandbox, &[]).exits(4).json();
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "gemini r1/champion", "codex r1/critic"]);
    assert_eq!(document["outcome"], "agent_failure");
    assert_eq!(document["verdict"], "undecided");
}
