//! Tests of a review's report, as a Markdown viewer shows it.

use crate::report::page::ToPage as _;
use crate::report::review::example;

#[test]
fn every_ending() {
    for (name, document) in example::all() {
        insta::assert_snapshot!(name, document.markdown());
    }
}

#[test]
fn what_decided_nothing_does_not_read_as_clean() {
    for (name, document) in example::all() {
        let text = document.markdown();
        assert_eq!(text.contains("None remains."), name == "clean", "{name}");
        let nothing = document.findings.is_empty() && name != "clean";
        assert_eq!(text.contains("this is not a clean result"), nothing, "{name}");
    }
}

#[test]
fn eliminated_findings_keep_their_reason_under_a_title_as_long_as_it_is() {
    let mut document = example::changes_requested();
    let long = format!("{} | pipe\nand a line", "t".repeat(300));
    document.eliminated[0].reported.title.clone_from(&long);
    document.eliminated[1].reported.title = long;
    let text = document.markdown();
    assert!(text.contains("(one seat disagreed with evidence and none agreed)"), "{text}");
    assert!(text.contains("(its file is not in the change)"), "{text}");
    assert_eq!(text.matches(&"t".repeat(300)).count(), 2);
}

#[test]
fn disputed_findings_stand_apart_from_what_remains_and_from_what_was_thrown_out() {
    let text = example::disputed().markdown();
    let at = |heading: &str| text.find(heading).unwrap();
    assert!(at("## Findings") < at("## Disputed") && at("## Disputed") < at("## Eliminated"));
    let finding = at("### P0  F1");
    assert!(at("## Disputed") < finding && finding < at("## Eliminated"));
}

/// The rows of the first table after a heading, with trimmed cells.
fn rows(text: &str, heading: &str) -> Vec<Vec<String>> {
    let after = text.split(heading).nth(1).unwrap();
    let table = after.lines().skip_while(|line| !line.starts_with('|'));
    let rows = table.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    })
    .collect()
}

#[test]
fn scores_show_every_component_and_rounds_their_confidence() {
    let text = example::changes_requested().markdown();
    let scores = rows(&text, "## Scores");
    assert_eq!(scores[2], ["claude", "15", "8", "0", "-10", "5", "2", "8", "28"]);
    let rounds = rows(&text, "## Confidence per round");
    assert_eq!(rounds[2], ["independent reviews", "0%", "0 of 4", "2 of 2"]);
    assert_eq!(rounds[3], ["cross-examination 1", "83%", "3 of 4", "2 of 2"]);
}
