//! The other places where a critique's perspectives are shown: agents, doctor, skills.

use crate::support::Sandbox;

#[test]
fn an_agent_is_shown_with_its_perspectives() {
    let sandbox = Sandbox::new();
    sandbox.write("debate-agent.config.json", r#"{"roles": {"discuss-risk": {"agent": "codex"}}}"#);
    for command in ["agents", "doctor"] {
        let document = sandbox.run(&[command, "--json"]).exits(0).json();
        let of = |name: &str| {
            let mut agents = document["agents"].as_array().unwrap().iter();
            agents.find(|agent| agent["name"] == name).unwrap()["perspectives"].clone()
        };
        assert_eq!(of("gemini"), serde_json::json!(["product", "coverage"]));
        assert_eq!(of("codex"), serde_json::json!(["technical", "risk"]));
        assert_eq!(of("claude"), serde_json::json!(["quality"]));
    }
    let text = sandbox.run(&["doctor"]).stdout;
    let wanted = "gemini: usable; plays product, coverage of critiques\n";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn a_mistyped_perspective_has_no_skill() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["skills", "show", "discuss-prodct"]);
    run.exits(2).says("did you mean `discuss-product`?");
    assert_eq!(run.stdout, "");
    sandbox.write(
        "debate-agent.config.json",
        r#"{"discuss": {"perspectives": {"legal": {"agent": "claude", "title": "counsel", "looks_at": ["licences"]}}}}"#,
    );
    let run = sandbox.run(&["skills", "show", "discuss-legal"]);
    assert!(run.exits(0).stdout.contains("discuss-perspective"));
    sandbox.run(&["skills", "show", "discuss-lega"]).exits(2).says("did you mean `discuss-legal`?");
}
