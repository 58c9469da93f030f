//! Tests of the summary's counts and order, written by hand, and of its forms for people.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::super::example::{cost, documents, several};
use super::*;
use crate::report::Look;
use crate::report::document::to_json;
use crate::report::page::ToPage as _;
use crate::schemas::schema;

/// The run over the named examples, with `left` further artifacts that were not discussed.
fn of(names: &[&str], left: usize) -> DiscussionsDocument {
    let all = documents();
    let find = |name: &&str| {
        let mut found = all.iter().filter(|(known, _)| known == name);
        found.next().unwrap().1.clone()
    };
    let logo = NotDiscussed {
        artifact: "docs/logo.png".into(),
        code: "artifact_binary".into(),
        why: "docs/logo.png is not text".into(),
    };
    let discussions = names.iter().map(find).collect();
    DiscussionsDocument::new(discussions, vec![logo; left], false, cost(), Vec::new())
}

#[test]
fn the_document_holds_against_its_schema_and_reads_back() {
    let schema = schema("discussions").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for document in [several(), of(&[], 0), of(&["nobody"], 1)] {
        let value = serde_json::to_value(&document).unwrap();
        let errors: Vec<String> =
            (validator.iter_errors(&value)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let fields = [
            "discussions",
            "summary",
            "not_discussed",
            "rehearsal",
            "cost",
            "warnings",
            "record_path",
            "schema_version",
        ];
        for field in fields {
            assert!(value.get(field).is_some(), "{field}");
        }
        let back: DiscussionsDocument = serde_json::from_str(&to_json(&document).unwrap()).unwrap();
        assert_eq!(back, document);
        let mut wrong = value;
        wrong["summary"]["severity"] = json!("critical");
        assert!(!validator.is_valid(&wrong));
    }
}

/// Names and number of artifacts not discussed, then, written by hand: reached, blocked, undecided, worst severity,
/// first line.
const RUNS: &str = "
low nothing_raised | 0 | 2 0 0 | low | CONSENSUS REACHED on 2 artifacts, worst severity low.
nothing_raised | 0 | 1 0 0 | none | CONSENSUS REACHED on 1 artifact, worst severity none.
low high undecided | 1 | 1 1 1 | high | BLOCKED (high): 1 of 4 artifacts; 1 undecided; 1 not discussed; 1 in consensus.
medium low | 0 | 1 1 0 | medium | BLOCKED (medium): 1 of 2 artifacts; 1 in consensus.
high medium | 0 | 0 2 0 | high | BLOCKED (high): 2 of 2 artifacts.
low undecided | 0 | 1 0 1 | low | UNDECIDED: 1 of 2 artifacts; 1 in consensus.
low budget | 3 | 1 0 1 | low | UNDECIDED: 1 of 5 artifacts; 3 not discussed; 1 in consensus.
low | 1 | 1 0 0 | low | NOT DISCUSSED: 1 of 2 artifacts; 1 in consensus.
nobody interrupted | 0 | 0 0 2 | null | UNDECIDED: 2 of 2 artifacts.
 | 2 | 0 0 0 | null | NOT DISCUSSED: 2 of 2 artifacts.
 | 0 | 0 0 0 | null | UNDECIDED: there was no artifact to discuss.
";

#[test]
fn a_run_is_counted_and_reads_as_reached_only_where_all_are() {
    let rows: Vec<Vec<&str>> = (RUNS.trim_matches('\n').lines())
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 11);
    for row in rows {
        let names: Vec<&str> = row[0].split_whitespace().collect();
        let left: usize = row[1].parse().unwrap();
        let document = of(&names, left);
        let summary = &document.summary;
        let counts = format!("{} {} {}", summary.reached, summary.blocked, summary.undecided);
        assert_eq!(counts, row[2], "{row:?}");
        let severity = summary.severity.map_or("null", |severity| severity.name());
        assert_eq!(severity, row[3], "{row:?}");
        assert_eq!(document.headline(), row[4]);
        let all = usize::try_from(summary.artifacts).unwrap();
        assert_eq!(all, names.len() + left);
        assert_eq!(usize::try_from(summary.not_discussed).unwrap(), left);
        let reached = row[4].starts_with("CONSENSUS REACHED");
        for page in [document.render(Look::plain(80)), document.markdown()] {
            assert_eq!(page.contains("CONSENSUS REACHED"), reached, "{page}");
        }
    }
}

/// High comes first, and among equals the first item of each artifact; undecided critiques contribute none.
#[test]
fn the_most_urgent_of_all_artifacts_come_first() {
    let mut document = of(&["low", "high", "medium", "undecided"], 0);
    let mut undecided = document.discussions.pop().unwrap();
    undecided.action_items = document.discussions[1].action_items.clone();
    undecided.artifact = "docs/undecided.md".into();
    document.discussions.push(undecided);
    let all = DiscussionsDocument::new(document.discussions, Vec::new(), false, cost(), Vec::new());
    let items: Vec<String> = (all.summary.action_items.iter())
        .map(|item| format!("{} {}", item.urgency, item.text))
        .collect();
    let mut wanted = vec![
        "high Meet the requirement: Export in CSV".to_owned(),
        "high Meet the requirement: Single sign-on".to_owned(),
        // The first item of its artifact; the others are the third and later ones of theirs.
        "medium Ask technical why it rates the artifact 2 of 5".to_owned(),
    ];
    wanted.extend((1..=9).map(|number| format!("medium Give service {number} an owner.")));
    wanted.extend([
        "low Say how success is measured.".to_owned(),
        "low Resolve: The storage format is not chosen.".to_owned(),
        "low Give service 10 an owner.".to_owned(),
    ]);
    assert_eq!(items, wanted);
    assert!((all.summary.action_items.iter()).all(|item| item.artifact != "docs/undecided.md"));
}

#[test]
fn a_summary_for_people() {
    let document = several();
    for width in [120, 80, 40] {
        let text = document.render(Look::plain(width));
        let fits = |line: &str| line.width() <= width || line.contains(".debate/");
        assert!(text.lines().all(fits), "{width}\n{text}");
        insta::assert_snapshot!(format!("several_{width}"), text);
    }
    insta::assert_snapshot!("several_md", document.markdown());
}

#[test]
fn a_summary_names_what_one_vendor_answered_alone_and_what_was_rehearsed() {
    let mut document = of(&["medium", "low"], 0);
    for page in [document.render(Look::plain(200)), document.markdown()] {
        assert!(
            page.contains("spec/product-brief.md: all 3 perspectives that answered used anthropic"),
            "{page}"
        );
    }
    document.rehearsal = true;
    let text = document.render(Look::plain(80));
    assert!(text.starts_with("REHEARSAL: no model was asked\n"), "{text}");
    assert!(document.markdown().lines().nth(2).unwrap().contains("REHEARSAL"));
}

/// A gate, a missing answer and a stand-in stay visible even among many artifacts.
#[test]
fn a_summary_names_who_must_act_and_who_did_not_answer() {
    let document = of(&["sign_off", "undecided", "nothing_raised"], 0);
    for page in [document.render(Look::plain(200)), document.markdown()] {
        for told in [
            "spec/product-brief.md: STOP: This artifact needs a person's sign-off",
            "spec/product-brief.md: product: gemini (google), fell back to claude; ",
            "spec/product-brief.md: risk: gemini (google), FAILED: unreadable: ",
        ] {
            assert!(page.contains(told), "{told} in\n{page}");
        }
    }
    // A mean over part of the perspectives is not shown.
    let row = |line: &&str| line.contains("UNDECIDED") && line.contains("2 of 5");
    let record = document.markdown();
    let row = record.lines().find(row).unwrap();
    assert!(row.starts_with("| spec/product-brief.md | UNDECIDED | - | - | 2 of 5 |"), "{row}");
}

fn lines(document: &DiscussionsDocument, most: usize) -> Vec<String> {
    document.seats(most).iter().map(crate::report::page::terminal::line).collect()
}

/// A folder of ten has the same warning ten times; a screen shows it once, with the artifacts.
#[test]
fn what_is_the_same_for_several_artifacts_is_said_once() {
    let (many, few) = (of(&["low"; 5], 0), of(&["low"; 5], 1));
    let named = |document: &DiscussionsDocument, most: usize| {
        let mut document = document.clone();
        for (number, each) in (1..).zip(&mut document.discussions) {
            each.artifact = format!("{number}.md");
        }
        lines(&document, most)
    };
    let not_asked = "coverage: gemini (google), not asked: ";
    let [line] = &named(&many, 3)[..] else {
        panic!("{:?}", named(&many, 3));
    };
    assert!(line.starts_with(&format!("all 5 artifacts: {not_asked}")), "{line}");
    // One artifact was not discussed at all, so the line does not say that it applies to all.
    let [line] = &named(&few, 3)[..] else {
        panic!("{:?}", named(&few, 3));
    };
    let wanted = format!("1.md, 2.md, 3.md and 2 more: {not_asked}");
    assert!(line.starts_with(&wanted), "{line}");
    // The record names every artifact.
    let [line] = &named(&few, usize::MAX)[..] else {
        panic!("{:?}", named(&few, usize::MAX));
    };
    let wanted = format!("1.md, 2.md, 3.md, 4.md, 5.md: {not_asked}");
    assert!(line.starts_with(&wanted), "{line}");
    // A single artifact is named.
    let [line] = &lines(&of(&["low"], 0), 3)[..] else {
        panic!("one line");
    };
    assert!(!line.starts_with("all"), "{line}");
}

/// Without a summary on disk, each record is named.
#[test]
fn the_records_can_be_found() {
    let mut document = of(&["low", "high"], 0);
    let record = ".debate/discuss/discussions/DISCUSS-002-discussion.md";
    assert_eq!(document.render(Look::plain(120)).matches(record).count(), 2);
    document.place("out/summary.md".into());
    let text = document.render(Look::plain(120));
    assert!(text.contains("out/summary.md") && !text.contains(record), "{text}");
}
