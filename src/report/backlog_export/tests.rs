//! What others wrote becomes neither formula nor markup.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::*;
use crate::report::example;

fn with(evil: &str) -> Vec<Opportunity> {
    let mut item = example::opportunity("opp-fo-1", evil, Some(1));
    item.description = evil.to_owned();
    item.affected_files = vec![evil.to_owned()];
    item.discovered_by = evil.to_owned();
    item.suggested_fix = Some(evil.to_owned());
    let why = serde_json::Value::from(evil);
    item.extra.insert(Opportunity::REJECTED_WHY.to_owned(), why);
    vec![item.clone(), item]
}

#[test]
fn no_cell_begins_like_a_formula() {
    for evil in [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        " =1",
        "\n=1",
        "\r-1",
        "\u{feff}=1",
        "\u{1b}[0m=1",
        "＝1",
        "\u{200b}@x",
    ] {
        let text = csv(&with(evil)).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for record in reader.records() {
            let record = record.unwrap();
            assert!(record[3].starts_with('\''), "{evil:?}: {:?}", &record[3]);
        }
    }
    assert_eq!(harmless("a = b - c"), "a = b - c");
}

proptest! {
    #[test]
    fn every_item_is_a_record_of_twenty_cells(evil in example::evil_text()) {
        let text = csv(&with(&evil)).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(records.len(), 2);
        for cell in records.iter().flat_map(|record| record.iter()) {
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{:?}", cell);
        }
        prop_assert!(example::is_inert(&text));
    }

    #[test]
    fn markdown_is_a_table_and_a_list_whatever_the_words(evil in example::evil_text()) {
        let text = markdown(&with(&evil));
        prop_assert!(example::is_inert(&text));
        let mut rows = 0;
        for event in Parser::new_ext(&text, Options::all()) {
            #[expect(clippy::wildcard_enum_match_arm, reason = "an allow-list: every other event fails")]
            match event {
                Event::Start(Tag::TableRow) => rows += 1,
                Event::Start(
                    Tag::Heading { .. } | Tag::Table(_) | Tag::TableHead | Tag::TableCell
                    | Tag::List(_) | Tag::Item | Tag::Paragraph,
                )
                | Event::Text(_)
                | Event::Code(_)
                | Event::SoftBreak
                | Event::End(_) => {}
                other => prop_assert!(false, "{:?} in {}", other, text),
            }
        }
        prop_assert_eq!(rows, 2);
    }
}
