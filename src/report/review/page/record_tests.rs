//! Tests of a review's report, as a Markdown viewer shows it.

use crate::report::page::ToPage as _;
use crate::report::review::example;

#[test]
fn what_decided_nothing_does_not_read_as_clean() {
    for (name, document) in example::all() {
        let text = document.markdown();
        assert_eq!(text.contains("None remains."), name == "clean", "{name}");
        let nothing = document.result.findings.is_empty() && name != "clean";
        assert_eq!(text.contains("this is not a clean result"), nothing, "{name}");
    }
}

#[test]
fn disputed_findings_stand_apart_from_what_remains_and_from_what_was_thrown_out() {
    let text = example::disputed().markdown();
    let at = |heading: &str| text.find(heading).unwrap();
    assert!(at("## Findings") < at("## Disputed") && at("## Disputed") < at("## Eliminated"));
    let finding = at("### P0  F1");
    assert!(at("## Disputed") < finding && finding < at("## Eliminated"));
}
