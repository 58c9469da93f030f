//! The seats of a critique: by default, by configuration, by name; substitutes, and their mention in the result.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::discusses::{BRIEF, CONTEXT, FOUR, seat};
use crate::support::replies::warned;
use crate::support::{Sandbox, fixture};

/// Returns the agents asked for each turn, in order: `product: gemini codex`.
fn asked(sandbox: &Sandbox) -> Vec<String> {
    let mut turns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for call in sandbox.calls() {
        let perspective = call.turn.trim_start_matches("r1/").to_owned();
        turns.entry(perspective).or_default().push(call.cli);
    }
    let lines = turns.into_iter();
    lines.map(|(turn, agents)| format!("{turn}: {}", agents.join(" "))).collect()
}

/// Returns the agents that answered for each perspective by the document: `product: codex for gemini`.
fn answered(document: &Value) -> Vec<String> {
    let voices = document["perspectives"].as_array().unwrap().iter();
    let name = |value: &Value| value.as_str().unwrap().to_owned();
    voices
        .map(|voice| {
            let who = format!("{}: {}", name(&voice["perspective"]), name(&voice["agent"]));
            match voice["instead_of"].as_str() {
                Some(other) => format!("{who} for {other}"),
                None => who,
            }
        })
        .collect()
}

fn record(document: &Value) -> String {
    fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap()
}

/// Asserts that a run is refused before any agent is asked and anything is kept.
#[track_caller]
fn refused(sandbox: &Sandbox, args: &[&str], code: i32, says: &str) {
    let run = sandbox.discuss(args);
    let document = run.exits(code).json();
    sandbox.is_of("error", &document);
    run.says(says);
    assert!(sandbox.calls().is_empty(), "{:?}", sandbox.ledger());
    assert!(sandbox.sessions().is_empty());
    assert!(!sandbox.project().join(".debate/discuss").exists());
}

#[test]
fn the_configuration_says_who_answers_and_a_role_goes_first() {
    let config = json!({
        "roles": {"discuss-product": {"agent": "claude"}},
        "discuss": {"perspectives": {
            "product": {"agent": "codex"},
            "risk": {"agent": "codex"},
        }},
    });
    let sandbox = Sandbox::discussing().config(&config.to_string());
    let document = sandbox.discussed(&[], 0);
    assert_eq!(
        answered(&document),
        ["product: claude", "technical: codex", "quality: claude", "risk: codex"]
    );
    // A perspective that was not configured keeps its default.
    assert!(sandbox.prompts("r1/product")[0].contains("product manager"));
}

#[test]
fn an_own_perspective_needs_trust_and_is_asked_with_its_own_words() {
    let config = json!({"discuss": {"perspectives": {
        "legal": {"agent": "claude", "title": "counsel for licences", "looks_at": ["obligations to others"]},
    }}});
    let sandbox = Sandbox::discussing();
    sandbox.write("debate-agent.config.json", config.to_string());
    let args = ["--perspectives", "legal,technical"];
    refused(&sandbox, &args, 3, "debate-agent trust");
    let shown = sandbox.run(&["trust"]).exits(0).stdout.clone();
    assert!(shown.contains("discuss.perspectives.legal.title"), "{shown}");
    let document = sandbox.discussed(&args, 0);
    assert_eq!(answered(&document), ["legal: claude", "technical: codex"]);
    let prompt = &sandbox.prompts("r1/legal")[0];
    for words in ["counsel for licences", "obligations to others"] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    assert!(!sandbox.prompts("r1/technical")[0].contains("counsel for licences"));
}

#[test]
fn names_that_cannot_be_meant_are_refused() {
    let sandbox = Sandbox::discussing();
    for (names, says) in [
        ("product,tecnical", "did you mean `technical`?"),
        ("product,risk,product", "`product` is named twice"),
        ("a,b,c,d,e,f,g,h,i,j", "at most 9 perspectives, 10 named"),
        ("", "no perspective"),
        ("product,,risk", "no perspective"),
        ("product,coverage", "add `--context FILE`"),
    ] {
        refused(&sandbox, &["--perspectives", names], 2, says);
    }
}

#[test]
fn those_who_are_named_are_asked_in_that_order_and_nobody_else() {
    let sandbox = Sandbox::discussing();
    let document = sandbox.discussed(&["--perspectives", "risk,product"], 0);
    assert_eq!(document["asked"], json!(["risk", "product"]));
    assert_eq!(document["quorum"]["needed"], 2);
    assert_eq!(sandbox.turns(), ["r1/product", "r1/risk"]);
    let document = sandbox.discussed(&["--perspectives", "coverage", "--context", CONTEXT], 0);
    assert_eq!(document["asked"], json!(["coverage"]));
}

#[test]
fn a_program_that_dies_is_tried_again_and_then_replaced() {
    let limits = json!({"limits": {"retries": 1}});
    let sandbox = Sandbox::discussing().config(&limits.to_string()).fake("gemini.sh", "exit 9");
    let document = sandbox.discussed(&["--perspectives", "risk,quality"], 0);
    assert_eq!(asked(&sandbox), ["quality: claude", "risk: gemini gemini codex"]);
    assert_eq!(answered(&document), ["risk: codex for gemini", "quality: claude"]);
}

/// Another vendor first, then claude, the own vendor's last; no agent twice for a turn.
#[test]
fn those_who_step_in_do_so_in_order() {
    let twin = r#"{"agents": {"twin": {"path": "claude", "profile": "claude"}}}"#;
    let cases: [(&[&str], [&str; 4]); 6] = [
        (
            &["codex"],
            ["product: gemini", "quality: claude", "risk: gemini", "technical: codex gemini"],
        ),
        (
            &["claude"],
            ["product: gemini", "quality: claude codex", "risk: gemini", "technical: codex"],
        ),
        (
            &["claude", "codex"],
            [
                "product: gemini",
                "quality: claude codex gemini",
                "risk: gemini",
                "technical: codex gemini",
            ],
        ),
        (
            &["codex", "gemini"],
            [
                "product: gemini codex claude",
                "quality: claude",
                "risk: gemini codex claude",
                "technical: codex gemini claude",
            ],
        ),
        // The same program under another name, which fails too.
        (
            &["claude", "codex", "gemini"],
            [
                "product: gemini codex claude",
                "quality: claude codex gemini",
                "risk: gemini codex claude",
                "technical: codex gemini claude",
            ],
        ),
        (
            &["twin"],
            [
                "product: gemini codex claude claude",
                "quality: claude codex gemini claude",
                "risk: gemini codex claude claude",
                "technical: codex gemini claude claude",
            ],
        ),
    ];
    for (broken, expected) in cases {
        let (mut sandbox, mut code) = (Sandbox::discussing(), 0);
        if broken == ["twin"] {
            sandbox = sandbox.config(twin);
        }
        let all = ["claude", "codex", "gemini"];
        for cli in if broken == ["twin"] { &all[..] } else { broken } {
            sandbox = sandbox.breaks(cli, "not_logged_in");
        }
        if broken.len() == 3 || broken == ["twin"] {
            code = 4;
        }
        let document = sandbox.discussed(&[], code);
        assert_eq!(asked(&sandbox), expected, "{broken:?}");
        let left = ["claude", "codex", "gemini"].map(|cli| !broken.contains(&cli));
        let one = left.iter().filter(|left| **left).count() == 1;
        assert_eq!(
            warned(&document, "").contains(&"one_vendor".to_owned()),
            one && code == 0,
            "{broken:?}"
        );
    }
}

#[test]
fn who_is_not_installed_is_replaced_before_anybody_is_asked() {
    let sandbox = Sandbox::discussing().without(&["gemini"]);
    let document = sandbox.discussed(&["--context", CONTEXT], 0);
    assert_eq!(
        asked(&sandbox),
        ["coverage: codex", "product: codex", "quality: claude", "risk: codex", "technical: codex"]
    );
    let replaced = warned(&document, "");
    assert_eq!(replaced, ["perspective_replaced"; 3], "{document}");
    let product = seat(&document, "product");
    assert_eq!(
        (&product["status"], &product["agent"], &product["vendor"]),
        (&json!("fell_back"), &json!("gemini"), &json!("google"))
    );
    assert_eq!(product["fell_back_to"], "codex");
    assert_eq!(answered(&document)[0], "product: codex for gemini");
    let page = record(&document);
    assert_eq!(page.matches("| codex (openai) for gemini |").count(), 3, "{page}");

    // A substitute may fail too: the next one is asked.
    let sandbox = Sandbox::discussing().without(&["gemini"]).breaks("codex", "not_logged_in");
    let document = sandbox.discussed(&["--perspectives", "product,quality"], 0);
    assert_eq!(asked(&sandbox), ["product: codex claude", "quality: claude"]);
    assert_eq!(answered(&document)[0], "product: claude for gemini");
}

/// An agent whose program is not installed has a vendor all the same: its own steps in last.
#[test]
fn the_vendor_of_who_is_not_installed_is_known() {
    let aide = r#"{"agents": {"aide": {"path": "gemini-aide", "profile": "gemini"}}}"#;
    let sandbox = Sandbox::discussing().config(aide).without(&["gemini"]);
    let bin = sandbox.home().join("bin");
    std::os::unix::fs::symlink(fixture("bin/gemini"), bin.join("gemini-aide")).unwrap();
    let document = sandbox.discussed(&["--perspectives", "product,risk"], 0);
    assert_eq!(answered(&document), ["product: codex for gemini", "risk: codex#2 for gemini"]);
}

#[test]
fn one_vendor_for_everybody_is_said_wherever_the_result_is_read() {
    let sandbox = Sandbox::discussing().without(&["gemini", "codex"]);
    let run = sandbox.run(&["discuss", BRIEF, "--full"]);
    let text = run.exits(0).stdout.clone();
    let warning = "all 4 perspectives that answered used anthropic";
    let screen: Vec<&str> = text.lines().take(3).collect();
    assert!(screen.join(" ").contains(warning), "{text}");
    let document = sandbox.discussed(&[], 0);
    assert_eq!(document["quorum"]["vendors"], 1);
    assert!(warned(&document, "").contains(&"one_vendor".to_owned()));
    assert!(record(&document).contains(warning));
    // A single perspective is not a council and cannot be mistaken for one.
    let document = sandbox.discussed(&["--perspectives", "quality"], 0);
    assert!(!warned(&document, "").contains(&"one_vendor".to_owned()));
}

#[test]
fn nobody_installed_is_an_error_before_anything_is_spent() {
    let sandbox = Sandbox::discussing().without(&["gemini", "codex", "claude"]);
    refused(&sandbox, &[], 3, "--rehearse");
}

#[test]
fn a_fallback_that_the_configuration_names_goes_before_the_order() {
    let config = json!({
        "agents": {"codex": {"fallback": ["claude"]}},
        "roles": {"discuss-risk": {"fallback": []}},
    });
    let sandbox = Sandbox::discussing()
        .config(&config.to_string())
        .breaks("codex", "not_logged_in")
        .fails_at("gemini", "risk", "not_logged_in");
    let document = sandbox.discussed(&[], 0);
    assert_eq!(
        asked(&sandbox),
        ["product: gemini", "quality: claude", "risk: gemini", "technical: codex claude"]
    );
    assert_eq!(seat(&document, "risk")["status"], "failed");
    assert_eq!(document["ratings"].as_object().unwrap().len(), 3);
}

/// Every error is named, and no page of it claims that anything was agreed.
#[test]
fn when_all_fail_each_error_is_told_and_nothing_reads_as_agreement() {
    let sandbox = Sandbox::discussing();
    sandbox.artifact(
        BRIEF,
        "# Brief\n\n## Goals\n\nSee [the plan](gone.md) and [here](#nowhere).\n\n## Risks\n\nTBD: write them.\nTBD\n",
    );
    let sandbox = sandbox
        .breaks("gemini", "not_logged_in")
        .breaks("codex", "quota")
        .breaks("claude", "bad_key");
    let run = sandbox.run(&["discuss", BRIEF, "--full"]);
    let text = run.exits(4).stdout.clone();
    let document = sandbox.discussed(&[], 4);
    let page = record(&document);
    let beside =
        fs::read_to_string((document["record_path"].as_str().unwrap()).replace(".md", ".json"))
            .unwrap();
    for (name, text) in [("text", &text), ("record", &page), ("json", &beside)] {
        assert!(!text.to_lowercase().contains("reached"), "{name}: {text}");
        for perspective in FOUR {
            assert!(text.contains(perspective), "{name}: {perspective}: {text}");
        }
    }
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["perspectives"], json!([]));
    assert_eq!(document["ratings"], json!({}));
    let basics = &document["basics"];
    let lines = |list: &str| -> Vec<u64> {
        let places = basics[list].as_array().unwrap().iter();
        places.map(|place| place["line"].as_u64().unwrap()).collect()
    };
    assert_eq!(lines("outline"), [1, 3, 7]);
    assert_eq!(lines("markers"), [9, 10]);
    // The last agent asked had an error of its own, which is next to the seat.
    for perspective in FOUR {
        let failure = seat(&document, perspective)["failure"].as_str().unwrap();
        assert!(failure.contains(": "), "{failure}");
        assert!(page.contains(perspective), "{page}");
    }
}
