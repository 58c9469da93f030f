//! The seats of a dialogue, and the measures of agreement: stances, texts, denials.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::crash::warnings;
use crate::support::debates::{TOPIC, position, stances};

#[track_caller]
fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    let args = [&["debate", TOPIC, "--json"], more].concat();
    sandbox.run(&args).exits(code).json()
}

/// The agents by seat.
fn seated(document: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (document["seats"].as_array().unwrap().iter())
        .map(|seat| (text(&seat["role"]), text(&seat["agent"])))
        .collect()
}

fn pairs(seats: &[(&str, &str)]) -> Vec<(String, String)> {
    (seats.iter()).map(|(role, agent)| ((*role).to_owned(), (*agent).to_owned())).collect()
}

/// Another agent of claude's vendor.
const TWIN: &str = r#"{"agents": {"twin": {"path": "claude", "profile": "claude"}}}"#;

/// One whose name comes before all others.
const AIDE: &str = r#"{"agents": {"aide": {"path": "claude", "profile": "claude"}}}"#;

#[test]
fn who_is_not_installed_is_replaced_by_another_vendor_and_it_is_said() {
    let sandbox = Sandbox::disputing().without(&["gemini"]);
    let document = debate(&sandbox, &[], 0);
    let expected = pairs(&[("proposer", "claude"), ("reviewer", "codex"), ("expert", "codex")]);
    assert_eq!(seated(&document), expected);
    let codes = warnings(&document);
    assert!(codes.contains(&"agent_replaced".to_owned()), "{codes:?}");
    assert!(codes.contains(&"expert_of_a_participant".to_owned()), "{codes:?}");
    assert_eq!(document["outcome"], "expert");
    assert_eq!(document["expert"]["of_a_participant"], true);
    // The result says so whenever it is shown.
    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--json"]);
    assert_eq!(shown.exits(0).json()["warnings"], document["warnings"]);
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]);
    assert_eq!(resumed.exits(0).json()["warnings"], document["warnings"]);
    // Another agent of the proposer's vendor does not step in while there is an agent of another vendor.
    let document = debate(&Sandbox::disputing().config(AIDE).without(&["gemini"]), &[], 0);
    assert_eq!(seated(&document)[1], ("reviewer".to_owned(), "codex".to_owned()));
    // A named agent is not replaced.
    let named = ["debate", TOPIC, "--agents", "claude,gemini"];
    sandbox.run(&named).exits(3).says("gemini");
}

#[test]
fn the_expert_is_of_a_third_vendor_if_there_is_one() {
    for (config, gone, args, expert, of_a_participant) in [
        ("{}", &[][..], &[][..], "codex", false),
        ("{}", &[], &["--set", "topic.expert=auto"], "codex", false),
        (TWIN, &[], &["--set", "topic.expert=twin"], "twin", true),
        (TWIN, &["codex"], &[], "twin", true),
        (AIDE, &[], &[], "codex", false),
        (r#"{"topic": {"expert": "gemini"}}"#, &[], &["--agents", "claude,codex"], "gemini", false),
        // A configured expert that takes part in the debate is not its expert.
        (r#"{"topic": {"expert": "gemini"}}"#, &[], &[], "codex", false),
        ("{}", &[], &["--agents", "gemini,codex"], "claude", false),
    ] {
        let sandbox = Sandbox::disputing().config(config).without(gone);
        let document = debate(&sandbox, args, 0);
        assert_eq!(document["outcome"], "expert", "{args:?}");
        assert_eq!(document["expert"]["agent"], expert, "{config} {args:?}");
        assert_eq!(document["expert"]["of_a_participant"], of_a_participant, "{config} {args:?}");
        let said = warnings(&document).contains(&"expert_of_a_participant".to_owned());
        assert_eq!(said, of_a_participant, "{config} {args:?}");
    }
}

/// A proposal and a review whose authors agree, each with these summaries.
fn saying(proposal: &str, review: &str) -> Sandbox {
    let proposed = position(proposal, &["It survives a restart.", "Two processes share it."]);
    let own = position(review, &["It is the better place."]);
    let agreed = stances(&[("A1", "agree"), ("A2", "agree")]);
    Sandbox::disputing()
        .rules(3, &["B1", "B2"])
        .replies("r1/propose", &[("POSITION", &proposed)])
        .replies("r1/review", &[("STANCES", &agreed), ("POSITION", &own)])
}

#[test]
fn the_likeness_of_texts_decides_only_when_asked() {
    let config = r#"{"topic": {"consensus_threshold": 0.5, "expert_threshold": 0.4}}"#;
    let alike =
        saying("We should move the cache to Redis now.", "We should move the cache to Redis now.")
            .config(config);
    let document = debate(&alike, &["--set", "topic.consensus=text"], 0);
    assert_eq!(document["outcome"], "adopted");
    let check = &document["rounds"][0]["consensus"];
    assert_eq!(check["basis"], "text");
    assert_eq!(check["decisive"], check["text_score"]);
    assert_eq!(document["thresholds"]["basis"], "text");
    assert_eq!(check["text"]["keyword_weight"], 0.4);
    assert_eq!(check["text"]["semantic_weight"], 0.6);
    assert!(check["text"]["embedding"].is_string());
    assert!(warnings(&document).contains(&"decided_by_text".to_owned()));
    let text = alike.run(&["debate", TOPIC, "--set", "topic.consensus=text"]);
    assert!(
        text.exits(0).stdout.contains("ADOPTED by the similarity of the texts"),
        "{}",
        text.stdout
    );
}

#[test]
fn text_that_cannot_be_read_has_no_score_and_stances_decide_all_the_same() {
    let thai = |summary: &str| {
        let mut said = position(summary, &["เก็บไว้ในกระบวนการเดิม"]);
        said["points"][0]["reasoning"] = json!("มันเร็วพอแล้วสำหรับเรา");
        said["points"][0]["evidence"] = json!([]);
        said
    };
    let agreed = stances(&[("A1", "agree")]);
    let sandbox = Sandbox::disputing()
        .replies("r1/propose", &[("POSITION", &thai("ย้ายแคชไปที่เซิร์ฟเวอร์ใหม่"))])
        .replies("r1/review", &[("STANCES", &agreed), ("POSITION", &thai("ย้ายแคชไปที่เซิร์ฟเวอร์ใหม่"))]);
    let document = debate(&sandbox, &[], 0);
    assert_eq!(document["outcome"], "adopted");
    let check = &document["rounds"][0]["consensus"];
    assert_eq!(check["text_score"], Value::Null);
    assert!(check.get("text").is_none());
    assert_eq!(check["decisive"], 1.0);
    // If the text was to decide, it decides nothing.
    let document = debate(&sandbox, &["--set", "topic.consensus=text", "--max-rounds", "1"], 1);
    assert_eq!(document["outcome"], "deadlocked");
    assert_eq!(document["consensus"], Value::Null);
}

#[test]
fn the_sections_of_the_configuration_have_ranges_and_rounds_need_trust() {
    for (config, says) in [
        (r#"{"topic": {"max_rounds": 0}}"#, "between 1 and 10"),
        (r#"{"topic": {"max_rounds": 11}}"#, "between 1 and 10"),
        (r#"{"topic": {"round_timeout_seconds": 0}}"#, "topic.round_timeout_seconds"),
        (r#"{"topic": {"consensus_threshold": 1.1}}"#, "topic.consensus_threshold"),
        (r#"{"topic": {"consensus_threshold": "much"}}"#, "topic.consensus_threshold"),
        (r#"{"topic": {"expert_threshold": 0.9}}"#, "expert_threshold"),
        (r#"{"topic": {"deadlock_rise": -1}}"#, "topic.deadlock_rise"),
        (r#"{"topic": {"participants": ["claude"]}}"#, "must name two agents"),
        (r#"{"topic": {"participants": ["claude", "claude"]}}"#, "named twice"),
        (r#"{"topic": {"participants": ["claude", "gemeni"]}}"#, "did you mean `gemini`?"),
        (r#"{"topic": {"expert": "human"}}"#, "names the agent `human`"),
        (r#"{"panel": {"participants": ["nobody"]}}"#, "names the agent `nobody`"),
        (r#"{"topic": {"expert": ""}}"#, "topic.expert"),
        (r#"{"topic": {"consensus": "votes"}}"#, "topic.consensus"),
        (r#"{"topic": {"rounds": 3}}"#, "rounds"),
        (r#"{"argument": {"max_rounds": 11}}"#, "between 1 and 10"),
        (r#"{"panel": {"max_rounds": 6}}"#, "between 0 and 5"),
    ] {
        let sandbox = Sandbox::disputing().config(config);
        let run = sandbox.run(&["debate", TOPIC]);
        assert_eq!(run.code, 2, "{config}: {}", run.stderr);
        run.says(says);
        assert!(sandbox.calls().is_empty());
    }
    // A project may ask for less than the user does, not for more; a name on the command line may.
    for (key, more, less) in [("topic", 6, 3), ("argument", 4, 2), ("panel", 3, 0)] {
        let sandbox = Sandbox::disputing();
        let style = if key == "topic" { "dialogue" } else { key };
        let args = ["debate", TOPIC, "--style", style, "--dry-run"];
        sandbox
            .write("debate-agent.config.json", format!(r#"{{"{key}": {{"max_rounds": {more}}}}}"#));
        sandbox.run(&args).exits(3).says(&format!("{key}.max_rounds")).says("debate-agent trust");
        sandbox
            .write("debate-agent.config.json", format!(r#"{{"{key}": {{"max_rounds": {less}}}}}"#));
        sandbox.run(&args).exits(0);
    }
    let sandbox = Sandbox::disputing();
    sandbox.run(&["debate", TOPIC, "--max-rounds", "6", "--dry-run"]).exits(0);
}
