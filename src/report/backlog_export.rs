//! The backlog for other tools: CSV and Markdown.
//!
//! Titles, descriptions and evidence are untrusted text. In Markdown they become text and never markup; in CSV no
//! cell can be read as a formula.

use super::backlog_item::effort;
use super::backlog_list::{score, status};
use super::page::markdown::inert;
use crate::protocol::backlog::model::Opportunity;
use crate::text::sanitize;

/// The columns of the CSV, named as in JSON where JSON has the field.
const COLUMNS: [&str; 20] = [
    "opportunity_id",
    "opportunity_type",
    "status",
    "title",
    "description",
    "priority_rank",
    "disposition",
    "overall",
    "clarity",
    "evidence",
    "effort",
    "affected_files",
    "linked_issue",
    "rejected_why",
    "discovered_by",
    "rule",
    "created_at",
    "updated_at",
    "last_seen_at",
    "resolved_at",
];

/// Returns the items as CSV: a header, then a line per item.
///
/// # Errors
/// A cell cannot be written, which only a lack of memory could cause.
pub(crate) fn csv(items: &[Opportunity]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for item in items {
        writer.write_record(cells(item).map(|cell| harmless(&cell)))?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cells(item: &Opportunity) -> [String; 20] {
    let time = |at: Option<chrono::DateTime<chrono::Utc>>| {
        at.map_or_else(String::new, |at| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
    };
    let parts = item.actionability;
    let share = |share: Option<f64>| share.map_or_else(String::new, |share| format!("{share:.2}"));
    [
        item.opportunity_id.clone(),
        item.opportunity_type.name().to_owned(),
        item.status.name().to_owned(),
        item.title.clone(),
        item.description.clone(),
        item.priority_rank.map_or_else(String::new, |rank| rank.to_string()),
        item.disposition.map_or_else(String::new, |what| what.name().to_owned()),
        share(parts.map(|score| score.overall())),
        share(parts.map(|score| score.clarity)),
        share(parts.map(|score| score.evidence)),
        parts.map_or_else(String::new, |score| effort(score.effort).to_owned()),
        item.affected_files.join("; "),
        item.linked_issue.map_or_else(String::new, |issue| issue.to_string()),
        item.rejected_why().unwrap_or_default().to_owned(),
        item.discovered_by.clone(),
        item.rule().unwrap_or_default().to_owned(),
        time(Some(item.created_at)),
        time(Some(item.updated_at)),
        time(item.last_seen_at),
        time(item.resolved_at),
    ]
}

/// Returns a cell that no spreadsheet reads as a formula: a value that would begin like one gets a leading `'`.
fn harmless(cell: &str) -> String {
    let cell = sanitize::terminal(cell);
    let first = cell.trim_start().chars().next();
    // Some spreadsheets convert the wide forms to the narrow ones.
    let formula = first.is_some_and(|first| "=+-@＝＋－＠".contains(first));
    if formula || cell.starts_with(['\t', '\r', '\n']) { format!("'{cell}") } else { cell }
}

pub(crate) fn markdown(items: &[Opportunity]) -> String {
    let mut text = "# Backlog\n\n".to_owned();
    if items.is_empty() {
        text.push_str("The backlog is empty.\n");
        return text;
    }
    text.push_str("| # | Opportunity | Id | Type | Status | Score |\n|---|---|---|---|---|---|\n");
    for item in items {
        let rank = item.priority_rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
        let cells = [
            rank,
            inert(&item.title),
            inert(&item.opportunity_id),
            item.opportunity_type.name().replace('_', " "),
            status(item).to_owned(),
            score(item),
        ];
        text.push_str("| ");
        text.push_str(&cells.join(" | "));
        text.push_str(" |\n");
    }
    text.push_str("\n## Details\n\n");
    for item in items {
        text.push_str(&details(item));
    }
    text
}

fn details(item: &Opportunity) -> String {
    let mut text = format!("- {} ({})\n", inert(&item.title), inert(&item.opportunity_id));
    let mut line = |label: &str, value: &str| {
        if !value.trim().is_empty() {
            text.push_str("  - ");
            text.push_str(label);
            text.push_str(": ");
            text.push_str(&inert(value));
            text.push('\n');
        }
    };
    line("Description", &item.description);
    line("Files", &item.affected_files.join(", "));
    for evidence in &item.evidence {
        line("Evidence", &format!("{}: {}", evidence.source, evidence.content));
    }
    line("Suggested fix", item.suggested_fix.as_deref().unwrap_or_default());
    line("Rejected because", item.rejected_why().unwrap_or_default());
    if let Some(issue) = item.linked_issue {
        // As code, so that a report in a repository neither links nor closes an issue.
        line("Issue", &format!("#{issue}"));
    }
    text
}

#[cfg(test)]
mod tests {
    //! Tests that untrusted text becomes neither a formula nor markup.

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
}
