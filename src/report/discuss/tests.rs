//! Tests of the document against its schema and the contract, and of the look of the forms for people.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::example::{ONE_VENDOR_SAYS, document, documents, high, low, medium, nobody, undecided};
use super::*;
use crate::kernel::SeatStatus;
use crate::report::Look;
use crate::report::document::to_json;
use crate::report::page::ToPage as _;
use crate::schemas::schema;

mod hostile;

fn example(name: &str) -> DiscussDocument {
    let mut all = documents().into_iter();
    all.find(|(known, _)| *known == name).unwrap().1
}

/// `docs/json-and-events.md`: the fields of every document, and the row `discuss` except for optional fields.
const FIELDS: [&str; 26] = [
    "session_id",
    "protocol",
    "outcome",
    "verdict",
    "seats",
    "quorum",
    "rehearsal",
    "cost",
    "rounds_used",
    "warnings",
    "skills",
    "started_at",
    "completed_at",
    "schema_version",
    "round_id",
    "artifact",
    "severity",
    "average_rating",
    "ratings",
    "divergences",
    "convergent_themes",
    "divergent_views",
    "coverage_gaps",
    "action_items",
    "recommendation",
    "record_path",
];

#[test]
fn examples_hold_against_their_schema_and_read_back() {
    let schema = schema("discuss").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, document) in documents() {
        let value = serde_json::to_value(&document).unwrap();
        let errors: Vec<String> =
            (validator.iter_errors(&value)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        for field in FIELDS {
            assert!(value.get(field).is_some(), "{name}: {field}");
        }
        let text = to_json(&document).unwrap();
        let back: DiscussDocument = serde_json::from_str(&text).unwrap();
        assert_eq!(back, document, "{name}");
        for (field, wrong) in [
            ("verdict", json!("surely")),
            ("severity", json!("HIGH")),
            ("recommendation", json!("proceed_with_caution")),
            ("average_rating", json!("4/5")),
        ] {
            let mut other = value.clone();
            other[field] = wrong;
            assert!(!validator.is_valid(&other), "{name}: {field}");
        }
    }
}

/// Written by hand from `docs/discuss.md`: name, outcome, verdict, severity, recommendation, first line.
const ENDINGS: &str = "
nothing_raised | consensus_reached | consensus_reached | none | proceed | CONSENSUS REACHED (nothing was raised): DISCUSS-002, mean rating 5.00 of 5; 2 of 2 perspectives answered, from 2 vendors.
low | consensus_reached | consensus_reached | low | proceed | CONSENSUS REACHED (low): DISCUSS-002, mean rating 4.25 of 5; 4 of 4 perspectives answered, from 3 vendors.
medium | consensus_blocked | consensus_blocked | medium | proceed-with-caution | BLOCKED (medium): DISCUSS-002, mean rating 3.33 of 5; 3 of 3 perspectives answered, from 1 vendor.
high | consensus_blocked | consensus_blocked | high | revise | BLOCKED (high): DISCUSS-002, mean rating 2.40 of 5; 5 of 5 perspectives answered, from 3 vendors.
sign_off | consensus_blocked | consensus_blocked | high | escalate | BLOCKED (high): DISCUSS-002, mean rating 2.40 of 5; 5 of 5 perspectives answered, from 3 vendors.
undecided | undecided | undecided | null | null | UNDECIDED: 2 of 5 perspectives answered, 3 are needed (DISCUSS-002).
budget | budget | undecided | null | null | UNDECIDED: the budget does not cover the next call; 2 of 5 perspectives answered (DISCUSS-002).
interrupted | interrupted | undecided | null | null | UNDECIDED: interrupted; 2 of 5 perspectives answered (DISCUSS-002).
nobody | undecided | undecided | null | null | UNDECIDED: no perspective answered, 2 are needed (DISCUSS-002).
rehearsal | consensus_reached | consensus_reached | low | proceed | CONSENSUS REACHED (low): DISCUSS-002, mean rating 4.25 of 5; 4 of 4 perspectives answered, from 3 vendors.
";

#[test]
fn what_is_decided_and_the_first_line_are_those_of_the_specification() {
    let rows: Vec<Vec<&str>> =
        (ENDINGS.trim().lines()).map(|row| row.split(" | ").collect()).collect();
    let documents = documents();
    assert_eq!(rows.len(), documents.len());
    for (row, (name, document)) in rows.iter().zip(documents) {
        assert_eq!(row[0], name);
        let value = serde_json::to_value(&document).unwrap();
        let fields = ["outcome", "verdict", "severity", "recommendation"];
        for (field, wanted) in fields.into_iter().zip(&row[1..]) {
            let is = value[field].as_str().unwrap_or("null");
            assert_eq!(is, *wanted, "{name}: {field}");
        }
        assert!(document.headline().starts_with(row[5]), "{name}");
        // An undecided critique stays open, so that a resume asks the failed perspectives again.
        let open = row[2] == "undecided";
        assert_eq!(document.suspended(), open, "{name}");
        assert_eq!(value["completed_at"].is_null(), open, "{name}");
        // The round of a stopped step is not complete.
        let complete = u64::from(!["budget", "interrupted"].contains(&row[1]));
        assert_eq!(value["rounds_used"], complete, "{name}");
    }
}

#[test]
fn each_ending_for_people() {
    for (name, document) in documents() {
        for width in [120, 80, 40] {
            let text = document.render(Look::plain(width));
            // A path is not wrapped.
            let fits = |line: &str| line.width() <= width || line.contains(".debate/");
            let mut parts = text.split("\nMessage to the coordinator\n");
            assert!(parts.next().unwrap().lines().all(fits), "{width}\n{text}");
            insta::assert_snapshot!(format!("{name}_{width}"), text);
        }
        insta::assert_snapshot!(format!("{name}_md"), document.markdown());
    }
}

/// The unforgivable bug: a failure that reads as a success.
#[test]
fn what_is_undecided_never_reads_as_decided_even_if_a_machine_hands_a_severity_over() {
    let ended = [DiscussOutcome::Undecided, DiscussOutcome::Budget, DiscussOutcome::Interrupted];
    for outcome in ended {
        let (_, task) = high();
        let mut from = low().0;
        from.outcome = outcome;
        from.recommendation = Some(Recommendation::Proceed);
        let wrong = document(&from, &task, false);
        assert_eq!((wrong.severity, wrong.recommendation), (None, None));
        assert_eq!(wrong.message, None);
        let (from, task) = undecided(outcome);
        for document in [wrong, document(&from, &task, false)] {
            for page in [document.render(Look::plain(80)), document.markdown()] {
                for word in ["REACHED", "reached", "BLOCKED", "Recommendation", "severity"] {
                    assert!(!page.contains(word), "{outcome}: {word} in\n{page}");
                }
                assert!(page.contains("UNDECIDED"), "{page}");
                assert!(page.contains("Nothing was decided"), "{page}");
                assert!(page.contains("not a verdict"), "{page}");
            }
            let text = document.render(Look::plain(80));
            assert!(text.contains("debate-agent sessions resume 0199a3c2-7f11"), "{text}");
        }
    }
}

#[test]
fn without_any_answer_there_is_the_basic_record_and_each_cause() {
    let (outcome, task) = nobody();
    let document = document(&outcome, &task, false);
    for page in [document.render(Look::plain(100)), document.markdown()] {
        for told in [
            "no perspective answered",
            "No perspective answered",
            "please run",
            "claude gave no answer within 180 s",
            "Goals",
            "line 40: TBD: name an owner",
            "line 77: architecture/",
            "12.0 KiB, 210 lines, 1900 words",
            "FAILED",
        ] {
            assert!(page.contains(told), "{told} in\n{page}");
        }
        for word in ["reached", "REACHED", "of 5", "/5", "mean", "Convergent", "Action items"] {
            assert!(!page.contains(word), "{word} in\n{page}");
        }
    }
    assert_eq!(document.average_rating, None);
    assert!(document.ratings.is_empty() && document.perspectives.is_empty());
}

#[test]
fn a_perspective_that_failed_or_was_skipped_has_no_rating_and_is_named() {
    let (outcome, task) = undecided(DiscussOutcome::Undecided);
    let blank = document(&outcome, &task, false);
    let text = blank.render(Look::plain(80));
    let row = |name: &str| {
        let mut rows = text.lines().filter(|line| line.starts_with(name));
        let words: Vec<&str> = rows.next().unwrap().split_whitespace().collect();
        words.join(" ")
    };
    assert_eq!(row("product"), "product - - FAILED: gemini (google)");
    assert_eq!(row("technical"), "technical 5/5 codex (openai)");
    let record = blank.markdown();
    assert!(record.contains("| risk | - | - | FAILED: gemini (google) |"), "{record}");
    assert!(record.contains("has no rating, also after it was asked again"), "{record}");
    assert!(record.contains("One that failed is left out of the mean"), "{record}");
    let (outcome, task) = low();
    let skipped = document(&outcome, &task, false);
    assert_eq!(skipped.asked, ["product", "technical", "quality", "risk"]);
    assert!(skipped.markdown().contains("| coverage | - | - | not asked |"));
    let quorum = skipped.header.quorum;
    assert_eq!((quorum.needed, quorum.answered, quorum.vendors), (3, 4, 3));
    // A seat marked as answered but without an answer does not count.
    let (mut outcome, task) = undecided(DiscussOutcome::Undecided);
    outcome.seats[0].status = SeatStatus::Answered;
    let text = document(&outcome, &task, false).render(Look::plain(80));
    assert!(text.contains("FAILED: gemini (google)"), "{text}");
}

#[test]
fn who_answered_for_whom_stands_on_every_page() {
    let (outcome, task) = high();
    let document = document(&outcome, &task, false);
    for page in [document.render(Look::plain(100)), document.markdown()] {
        assert!(page.contains("claude (anthropic) for gemini"), "{page}");
        assert!(page.contains("fell back to claude"), "{page}");
        assert!(page.contains("gemini says: quota"), "{page}");
    }
}

#[test]
fn one_vendor_s_voice_is_told_at_the_top() {
    let (outcome, task) = medium();
    let document = document(&outcome, &task, false);
    let wanted = ONE_VENDOR_SAYS;
    let text = document.render(Look::plain(120));
    assert_eq!(text.lines().nth(1).unwrap(), format!("WARNING: {wanted}"));
    assert_eq!(text.matches(wanted).count(), 1, "{text}");
    let record = document.markdown();
    let top = record.split("\n- ").next().unwrap();
    assert!(top.contains(&format!("**WARNING:** {wanted}")), "{record}");
    assert!(record.contains("- one\\_vendor: "), "{record}");
    // The warning does not appear in every record.
    assert!(!example("high").markdown().contains("WARNING"));
}

#[test]
fn every_group_stands_in_the_record_with_its_members() {
    let (outcome, task) = low();
    let record = document(&outcome, &task, false).markdown();
    let theme = "- Say how success is measured. (product, quality)
  - product, suggestion: Say how success is measured.
  - quality, suggestion: Name the measure of success.
";
    let view =
        "- **The storage format is not chosen.** (low): praised by risk, faulted by technical
  - technical, weakness: The storage format is not chosen.
  - risk, strength: The storage format is left open, which is wise.
";
    let items = "1. Say how success is measured. (low; product, quality)
   - product, suggestion: Say how success is measured.
   - quality, suggestion: Name the measure of success.
2. Resolve: The storage format is not chosen. (low; technical)
   - technical, weakness: The storage format is not chosen.
";
    for wanted in [theme, view, items] {
        assert!(record.contains(wanted), "{record}");
    }
    let (outcome, task) = high();
    let record = document(&outcome, &task, false).markdown();
    let gap = "- Export in CSV (coverage)\n  - coverage, missing requirement: Export in CSV\n";
    assert!(record.contains(gap), "{record}");
    let sections = [
        "# Discussion Record: DISCUSS-002",
        "## Convergent Themes",
        "## Divergent Views",
        "## Coverage Gaps",
        "## Action Items",
        "## Ratings",
        "## What each perspective said",
        "## Who answered",
    ];
    let places: Vec<usize> =
        (sections.iter()).map(|section| record.find(&format!("{section}\n")).unwrap()).collect();
    assert!(places.is_sorted(), "{record}");
}

#[test]
fn a_screen_shows_the_top_and_says_what_it_leaves_out() {
    let text = example("high").render(Look::plain(80));
    // 4 divergences, 11 required changes, 1 of advice.
    assert!(text.contains("... and 1 more, in the report\n\nAction Items\n"), "{text}");
    assert!(text.contains("\n11 required changes, then 1 item of advice.\n"), "{text}");
    assert!(text.contains("10. Give service 8 an owner. (medium; technical)"), "{text}");
    assert!(!text.contains("11. "), "{text}");
    assert!(text.contains("Recommendation: revise: "), "{text}");
    assert!(
        text.contains("Follow-up  The artifact goes back once, as revision task DRAFT-001-R1."),
        "{text}"
    );
    assert!(text.contains("[.debate/discuss/policy.jsonl]"), "{text}");
    let gate = example("sign_off").render(Look::plain(80));
    assert!(gate.contains("Follow-up  STOP: This artifact needs a person's sign-off"), "{gate}");
}

#[test]
fn notes_of_reading_become_warnings_each_once() {
    let (mut outcome, task) = low();
    let note = task.notes[0].clone();
    outcome.warnings.push(Warning { code: note.code, turn: None, message: note.message });
    let document = document(&outcome, &task, false);
    let codes: Vec<&str> =
        (document.header.warnings.iter()).map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["perspective_skipped"]);
}

/// A fault of one CLI comes with each of its turns; without its perspective a warning could be about any of them.
#[test]
fn a_screen_names_the_perspectives_of_a_warning_and_says_each_once() {
    let (mut outcome, task) = low();
    let warning = |turn: Option<&str>, message: &str| Warning {
        code: "cost_estimated".into(),
        turn: turn.map(str::to_owned),
        message: message.into(),
    };
    outcome.warnings.extend([
        warning(Some("r1/product"), "gemini names no cost"),
        warning(Some("r1/technical"), "codex names no model"),
        warning(Some("r1/risk"), "gemini names no cost"),
        warning(Some("r1/product"), "gemini names no cost"),
        warning(None, "the clock went backwards"),
    ]);
    let text = document(&outcome, &task, false).render(Look::plain(80));
    let wanted = "\
Warnings   product, risk: gemini names no cost
           technical: codex names no model
           the clock went backwards
";
    assert!(text.contains(wanted), "{text}");
    // The table shows that coverage is not asked, and the seats show it with the reason.
    assert_eq!(text.matches("no context").count(), 1, "{text}");
}

#[test]
fn what_was_not_decided_says_how_to_go_on() {
    for name in ["low", "high", "sign_off"] {
        assert_eq!(example(name).next(), [], "{name}");
    }
    let document = |ended| {
        let (outcome, task) = undecided(ended);
        crate::report::page::terminal::line(&document(&outcome, &task, false).next()[0])
    };
    let budget = document(DiscussOutcome::Budget);
    assert!(budget.contains(" --budget USD "), "{budget}");
    let failed = document(DiscussOutcome::Undecided);
    assert!(failed.contains("`debate-agent doctor`"), "{failed}");
    let stopped = document(DiscussOutcome::Interrupted);
    assert!(stopped.contains("continues where it stopped"), "{stopped}");
    for text in [budget, failed, stopped] {
        assert!(text.starts_with("debate-agent sessions resume "), "{text}");
        assert!(text.contains("not paid for again"), "{text}");
    }
}

#[test]
fn a_rehearsal_says_so_first_everywhere() {
    let (outcome, task) = high();
    let document = document(&outcome, &task, true);
    let text = document.render(Look::plain(80));
    assert!(text.starts_with("REHEARSAL: no model was asked\n"), "{text}");
    let record = document.markdown();
    assert!(record.lines().nth(2).unwrap().contains("REHEARSAL"), "{record}");
    assert!(record.contains("**Consensus**: rehearsed: nothing is decided\n"), "{record}");
    let message = document.message.unwrap();
    let first = message.lines().next().unwrap();
    assert_eq!(
        first,
        "[writer] DRAFT-001 complete. Discuss DISCUSS-002: consensus_blocked (severity=HIGH) [rehearsal: no model was asked]"
    );
}

/// The layout of the source (`seeds/004`, at its end), word for word.
#[test]
fn a_coordinator_is_told_in_six_lines() {
    let (outcome, task) = high();
    let mut document = document(&outcome, &task, false);
    assert!(document.message.as_ref().unwrap().ends_with("\nDiscussion: none written"));
    document.place("s/discussions/DISCUSS-002-discussion.md".into());
    let wanted = "\
[writer] DRAFT-001 complete. Discuss DISCUSS-002: consensus_blocked (severity=HIGH)
Divergences: 1) coverage_gap (high): 2 requirements are missing (coverage): Export in CSV; Single sign-on; 2) high_risk (high): risk rates the risk critical: The only database fails, and all is lost.; 3) low_rating (medium): technical rates it 2 of 5: Twelve services, and none has an owner.
Action items: 1) [high] Meet the requirement: Export in CSV (coverage); 2) [high] Meet the requirement: Single sign-on (coverage); 3) [medium] Give service 1 an owner. (technical); 4) [medium] Give service 2 an owner. (technical); 5) [medium] Give service 3 an owner. (technical)
Recommendation: revise
Artifact: spec/product-brief.md
Discussion: s/discussions/DISCUSS-002-discussion.md";
    assert_eq!(document.message.as_deref(), Some(wanted));
    assert_eq!(document.record_path, document.header.report_path);
    // Without a role and a task: our name, and the round.
    let document = example("medium");
    let wanted = "[debate-agent] DISCUSS-002 complete. Discuss DISCUSS-002: consensus_blocked (severity=MEDIUM)\n";
    assert!(document.message.unwrap().starts_with(wanted));
}

#[test]
fn only_what_is_blocked_with_weight_is_told_to_a_coordinator() {
    for (name, document) in documents() {
        let told = ["high", "medium", "sign_off"].contains(&name);
        assert_eq!(document.message.is_some(), told, "{name}");
    }
}

/// Another critique sent the artifact back while this one ran: the recommendation matches the follow-up.
#[test]
fn beside_a_stop_nothing_recommends_a_second_revision() {
    use crate::protocol::discuss::{FollowUpAction, policy::of_action};
    let blocked = |action| {
        let mut document = example("high");
        document.recommendation = Some(Recommendation::Revise);
        document.follow(of_action(action, None));
        document
    };
    let again = blocked(FollowUpAction::Escalate);
    assert_eq!(again.recommendation, Some(Recommendation::Escalate));
    let message = again.message.as_deref().unwrap();
    assert!(message.contains("\nRecommendation: escalate\n"), "{message}");
    for page in [again.render(Look::plain(200)), again.markdown()] {
        assert!(!page.contains("revise:"), "{page}");
    }
    let first = blocked(FollowUpAction::RevisionTask);
    assert_eq!(first.recommendation, Some(Recommendation::Revise));
}
