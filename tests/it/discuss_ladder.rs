//! The ladder through the binary: every severity with every `--fail-on`, the edges of its rows, the message to a
//! coordinator.
//!
//! Expected values are worked out by hand from `docs/discuss.md`.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::discusses::{BRIEF, critique_with};

const TWO: [&str; 2] = ["--perspectives", "product,technical"];

/// Two perspectives whose answers result in this severity.
fn pair(severity: &str) -> Sandbox {
    let sandbox = Sandbox::discussing();
    match severity {
        "none" => sandbox,
        "low" => {
            sandbox.critic("product", &critique_with(4, json!({"suggestions": ["Name an owner."]})))
        }
        "medium" => sandbox.rates(&[("product", 2)]),
        "high" => sandbox.rates(&[("product", 2), ("technical", 1)]),
        other => panic!("no severity `{other}`"),
    }
}

#[test]
fn the_exit_code_follows_severity_and_fail_on_and_the_verdict_only_severity() {
    // Severity, verdict, exit codes with --fail-on low, medium, high.
    let table = [
        ("none", "consensus_reached", [0, 0, 0]),
        ("low", "consensus_reached", [1, 0, 0]),
        ("medium", "consensus_blocked", [1, 1, 0]),
        ("high", "consensus_blocked", [1, 1, 1]),
    ];
    for (severity, verdict, codes) in table {
        let sandbox = pair(severity);
        for (fail_on, code) in ["low", "medium", "high"].into_iter().zip(codes) {
            let args = [&TWO[..], &["--fail-on", fail_on]].concat();
            let document = sandbox.discussed(&args, code);
            assert_eq!(document["severity"], severity, "{fail_on}");
            assert_eq!(document["verdict"], verdict, "{severity}, {fail_on}");
            assert_eq!(document["outcome"], verdict, "{severity}, {fail_on}");
        }
        // `medium` is the default.
        sandbox.discuss(&TWO).exits(codes[1]);
    }
}

#[test]
fn what_is_undecided_is_4_whatever_fails() {
    let sandbox =
        Sandbox::discussing().rates(&[("product", 5)]).babbles("technical", "It is fine.");
    for more in [&["--fail-on", "low"][..], &["--fail-on", "medium"], &["--fail-on", "high"]] {
        let document = sandbox.discussed(&[&TWO[..], more].concat(), 4);
        assert_eq!(document["verdict"], "undecided", "{more:?}");
        assert_eq!(document["severity"], Value::Null, "{more:?}");
        assert_eq!(document["recommendation"], Value::Null, "{more:?}");
        assert!(document.get("message").is_none(), "{more:?}");
        let page = std::fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
        let text = sandbox.run(&[&["discuss", BRIEF], &TWO[..], more].concat());
        let text = &text.exits(4).stdout;
        assert!(
            text.starts_with("UNDECIDED: 1 of 2 perspectives answered, 2 are needed"),
            "{text}"
        );
        for text in [&page, text] {
            assert!(!text.to_lowercase().contains("reached"), "{text}");
            assert!(!text.to_lowercase().contains("blocked"), "{text}");
        }
    }
}
