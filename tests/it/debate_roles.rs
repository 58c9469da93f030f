//! The seats of `debate`: by the command line, a role and a section of the configuration, and too many agents.

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::debates::TOPIC;

fn agreeing() -> Sandbox {
    Sandbox::new()
        .proposes(&["Redis survives a restart.", "Two processes share it."])
        .reviews(&[("A1", "agree"), ("A2", "agree")])
}

/// `proposer=claude` and so on, as the document has them.
fn seated(document: &Value) -> Vec<String> {
    (document["seats"].as_array().into_iter().flatten())
        .map(|seat| {
            let [role, agent] = ["role", "agent"].map(|key| seat[key].as_str().unwrap_or_default());
            format!("{role}={agent}")
        })
        .collect()
}

#[test]
fn a_role_s_agent_takes_its_seat_unless_the_command_line_names_another() {
    let oracle = r#"{"agents": {"oracle": {"profile": "codex", "path": "codex", "vendor": "delphi"}},
        "roles": {"expert": {"agent": "oracle"}, "proposer": {"agent": "codex"}}}"#;
    for (config, args, seats) in [
        ("{}", &[][..], "proposer=claude reviewer=gemini expert=codex"),
        (oracle, &[], "proposer=codex reviewer=gemini expert=oracle"),
        (
            oracle,
            &["--set", "roles.expert.agent=claude"],
            "proposer=codex reviewer=gemini expert=claude",
        ),
        (
            oracle,
            &["--agents", "claude,gemini", "--set", "topic.expert=none"],
            "proposer=claude reviewer=gemini",
        ),
    ] {
        let sandbox = agreeing().config(config);
        let args = [&["debate", TOPIC, "--json"], args].concat();
        let document = sandbox.run(&args).exits(0).json();
        assert_eq!(seated(&document).join(" "), seats, "{config} {args:?}");
    }
}

#[test]
fn one_agent_for_both_sides_gives_way_on_the_second() {
    let sandbox = agreeing().config(r#"{"roles": {"proposer": {"agent": "gemini"}}}"#);
    let document = sandbox.run(&["debate", TOPIC, "--json"]).exits(0).json();
    let seats = seated(&document);
    assert_eq!(seats[0], "proposer=gemini");
    assert_ne!(seats[1], "reviewer=gemini");
    let warnings = document["warnings"].as_array().unwrap();
    let replaced = warnings.iter().find(|warning| warning["code"] == "agent_replaced");
    let message = replaced.unwrap()["message"].as_str().unwrap();
    assert!(message.contains("debates on the other side"), "{message}");
}

#[test]
fn a_panel_of_more_agents_than_seats_is_held_and_says_who_stands() {
    let agents: Vec<String> = (1..=10)
        .map(|number| format!(r#""extra{number:02}": {{"profile": "generic", "path": "codex"}}"#))
        .collect();
    let config = format!(r#"{{"agents": {{{}}}}}"#, agents.join(", "));
    let sandbox = Sandbox::new().config(&config);
    let args = ["debate", TOPIC, "--style", "panel", "--rehearse", "--json"];
    let document = sandbox.run(&args).json();
    let voters = seated(&document);
    let voters = voters.iter().filter(|seat| seat.starts_with('s'));
    assert_eq!(voters.count(), 8);
    let warnings = document["warnings"].as_array().unwrap();
    let full = warnings.iter().find(|warning| warning["code"] == "seats_full");
    let message = full.unwrap()["message"].as_str().unwrap();
    assert!(message.contains("extra10"), "{message}");
    // Too many named agents are reported before any is asked.
    let named: Vec<String> = (1..=10).map(|number| format!("extra{number:02}")).collect();
    let named = named.join(",");
    let args = [&args[..], &["--agents", &named]].concat();
    sandbox.run(&args).exits(2);
}
