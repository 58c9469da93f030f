//! Each rule of the merge, one case per sentence.

use super::*;
use crate::discovery::finding::{Rule, SearchExtent};
use crate::protocol::backlog::model::{Disposition, Effort, Reversibility};

pub(super) fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_780_000_000 + second, 0).unwrap()
}

pub(super) fn finding(rule: Rule, file: &str, symbol: &str, title: &str) -> Finding {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Finding {
        measure: 0,
        rule,
        file: given(file),
        symbol: given(symbol),
        title: title.to_owned(),
        description: String::new(),
        evidence: vec![Evidence {
            source: "junit.xml".into(),
            content: "as seen".into(),
            file_path: None,
            line_number: Some(0),
            timestamp: None,
        }],
        actionability: ActionabilityScore {
            clarity: 0.8,
            evidence: 0.8,
            effort: Effort::Small,
            reversibility: Reversibility::Full,
        },
        affected_files: Vec::new(),
    }
}

pub(super) fn run(agent: AgentName, findings: Vec<Finding>) -> AgentRun {
    AgentRun {
        findings,
        looked: SearchExtent {
            sources: ["junit.xml".to_owned()].into(),
            left_out: BTreeSet::new(),
        },
        ..AgentRun::new(agent)
    }
}

fn tests(findings: Vec<Finding>) -> Vec<AgentRun> {
    vec![run(AgentName::TestFailures, findings)]
}

fn settings() -> DiscoveryConfig {
    DiscoveryConfig::default()
}

/// Merges into a store and returns the result.
pub(super) fn step(store: &mut Vec<Opportunity>, runs: &[AgentRun], second: i64) -> MergeResult {
    let merged = merge(store, runs, &settings(), at(second));
    merged.apply(store);
    merged
}

pub(super) fn stored(runs: &[AgentRun]) -> Vec<Opportunity> {
    let mut store = Vec::new();
    step(&mut store, runs, 0);
    store
}

fn parser_and_lexer() -> Vec<AgentRun> {
    tests(vec![
        finding(
            Rule::FailingTest,
            "src/a.rs",
            "parser::empty",
            "Fix failing test parser empty input",
        ),
        finding(
            Rule::FailingTest,
            "src/a.rs",
            "parser::blank",
            "Fix failing test parser blank input",
        ),
    ])
}

#[test]
fn two_failing_tests_in_one_file_are_two_items() {
    let store = stored(&parser_and_lexer());
    assert_eq!(store.len(), 2);
    assert!(store.iter().all(|item| item.opportunity_id.starts_with("opp-tf-")));
    assert!(store.iter().all(|item| item.status == OpportunityStatus::Actionable));
    assert_eq!(store[0].rule(), Some("failing_test"));
    assert_eq!(store[0].affected_files, ["src/a.rs"]);
}

#[test]
fn two_stalled_branches_of_nearly_one_title_are_two_items() {
    let stalled = |symbol: &str| {
        finding(Rule::StaleBranch, "", symbol, "Resume the stalled branch of the billing export")
    };
    let store = stored(&[run(AgentName::StalledWork, vec![stalled("a"), stalled("b")])]);
    assert_eq!(store.len(), 2);
}

#[test]
fn one_problem_in_two_reports_is_one_item_with_both_as_evidence() {
    let one = finding(Rule::FailingTest, "a.rs", "t", "Fix the failing test t");
    let mut other = one.clone();
    other.evidence[0].source = "go.json".into();
    other.actionability.clarity = 0.9;
    let store = stored(&tests(vec![one, other]));
    assert_eq!(store.len(), 1);
    let sources: Vec<_> = store[0].evidence.iter().map(|each| each.source.as_str()).collect();
    assert_eq!(sources, ["go.json", "junit.xml"]);
    assert!((store[0].actionability.unwrap().clarity - 0.9).abs() < 1e-9);
}

#[test]
fn the_same_symbol_without_a_file_is_a_near_duplicate() {
    let with =
        finding(Rule::FailingTest, "tests/a.py", "test_a", "Fix the failing test test_a now");
    let mut without = finding(Rule::FailingTest, "", "test_a", "Fix the failing test test_a now");
    without.actionability.clarity = 0.1;
    let runs = tests(vec![without.clone(), with.clone()]);
    let mut store = Vec::new();
    let merged = step(&mut store, &runs, 0);
    assert_eq!((store.len(), merged.near_duplicates, merged.total_candidates), (1, 1, 1));
    assert_eq!(store[0].affected_files, ["tests/a.py"]);
    // In another file it is another test.
    let elsewhere =
        finding(Rule::FailingTest, "tests/b.py", "test_a", "Fix the failing test test_a now");
    assert_eq!(stored(&tests(vec![with, elsewhere])).len(), 2);
}

#[test]
fn what_is_found_again_is_refreshed_and_keeps_what_people_and_debates_gave_it() {
    let runs = parser_and_lexer();
    let mut store = stored(&runs);
    store[0].priority_rank = Some(3);
    store[0].disposition = Some(Disposition::Investigate);
    store[0].suggested_fix = Some("do it".into());
    store[0].title = "Mine".into();
    store[0].extra.insert("edited".into(), serde_json::json!(["title"]));
    store[0].resolved_at = Some(at(5));
    let before = store.clone();
    let merged = step(&mut store, &runs, 60);
    assert_eq!(merged.kept.len(), 2);
    assert_eq!(store[0].title, "Mine");
    assert_eq!(store[0].resolved_at, None);
    assert_eq!(store[0].updated_at, at(60), "it came back");
    assert_eq!(store[1].updated_at, before[1].updated_at, "nothing changed but the sight");
    for (item, before) in store.iter().zip(&before) {
        assert_eq!(item.last_seen_at, Some(at(60)));
        assert_eq!(
            (item.priority_rank, item.disposition, &item.suggested_fix, item.created_at),
            (before.priority_rank, before.disposition, &before.suggested_fix, before.created_at)
        );
    }
    let mut changed = runs;
    changed[0].findings[0].description = "Now with more words.".into();
    changed[0].findings[1].description = "And this.".into();
    step(&mut store, &changed, 90);
    assert!(store.iter().all(|item| item.updated_at == at(90) && !item.description.is_empty()));
}

#[test]
fn only_an_agent_that_looked_to_the_end_resolves() {
    let full = stored(&parser_and_lexer());
    let after = |run: AgentRun| {
        let mut store = full.clone();
        let merged = step(&mut store, &[run], 60);
        let gone = store.iter().filter(|item| item.resolved_at.is_some()).count();
        assert_eq!(merged.resolved.len(), gone);
        gone
    };
    let nothing = || run(AgentName::TestFailures, Vec::new());
    assert_eq!(after(nothing()), 2);
    assert_eq!(after(nothing().failed("no such program")), 0);
    assert_eq!(after(nothing().skipped("nothing to read")), 0);
    assert_eq!(after(run(AgentName::CodeQuality, Vec::new())), 0);
    let mut other_report = nothing();
    other_report.looked.sources = ["other.xml".to_owned()].into();
    assert_eq!(after(other_report), 0);
    let mut left_out = nothing();
    left_out.looked.left_out = ["src/a.rs".to_owned()].into();
    assert_eq!(after(left_out), 0);
    let mut mine = full.clone();
    mine[0].discovered_by = "user".into();
    assert_eq!(step(&mut mine, &[nothing()], 60).resolved.len(), 1);
}

#[test]
fn a_resolved_item_is_resolved_once_and_comes_back() {
    let runs = parser_and_lexer();
    let mut store = stored(&runs);
    step(&mut store, &tests(Vec::new()), 60);
    assert_eq!(step(&mut store, &tests(Vec::new()), 90), MergeResult::default());
    assert_eq!(store[0].resolved_at, Some(at(60)));
    assert_eq!(step(&mut store, &runs, 120).kept.len(), 2);
    assert!(store.iter().all(|item| item.resolved_at.is_none()));
}

#[test]
fn decided_items_are_found_again_and_stay_decided() {
    let runs = parser_and_lexer();
    let mut store = stored(&runs);
    store[0].status = OpportunityStatus::Accepted;
    store[1].status = OpportunityStatus::Rejected;
    let merged = step(&mut store, &runs, 60);
    assert!(merged.kept.is_empty());
    assert_eq!(merged.decided, [store[0].opportunity_id.clone()]);
    let id = &store[1].opportunity_id;
    assert_eq!((&merged.suppressed[0].id, &merged.suppressed[0].of), (id, id));
    assert_eq!(merged.total_candidates, 2);
    assert!(store.iter().all(|item| item.last_seen_at == Some(at(60))));
    assert_eq!(store[1].status, OpportunityStatus::Rejected);
}

#[test]
fn what_was_rejected_under_another_file_is_held_back() {
    let title = "Fix the failing test parser empty input";
    let mut store =
        stored(&tests(vec![finding(Rule::FailingTest, "old.rs", "parser::empty", title)]));
    store[0].status = OpportunityStatus::Rejected;
    let moved = finding(Rule::FailingTest, "new.rs", "parser::empty", title);
    let merged = step(&mut store, &tests(vec![moved.clone()]), 60);
    assert_eq!(merged.suppressed.len(), 1);
    assert_eq!(merged.suppressed[0].of, store[0].opportunity_id);
    assert_eq!(store.len(), 1, "nothing new is stored");
    // Another test, and the same one in other words, are not affected.
    let other = Finding { symbol: Some("parser::blank".into()), ..moved.clone() };
    let reworded = Finding { title: "Timeout in upload of large archives".into(), ..moved };
    for new in [other, reworded] {
        assert!(step(&mut store.clone(), &tests(vec![new]), 60).suppressed.is_empty());
    }
}

#[test]
fn a_rejected_item_that_is_still_there_hides_no_namesake() {
    // Every other file has a function `new`.
    let new = |file: &str| finding(Rule::Complexity, file, "new", "Simplify the function new");
    let quality = |files: &[&str]| {
        let found = files.iter().map(|file| new(file)).collect();
        vec![run(AgentName::CodeQuality, found)]
    };
    let mut store = stored(&quality(&["a.rs"]));
    store[0].status = OpportunityStatus::Rejected;
    let merged = step(&mut store, &quality(&["a.rs", "b.rs"]), 60);
    assert_eq!((merged.kept.len(), merged.suppressed.len()), (1, 1));
    assert_eq!(merged.suppressed[0].id, store[0].opportunity_id);
}

#[test]
fn the_nearest_item_decides_whether_something_was_rejected() {
    let title = "Fix the failing test parser empty input";
    let mut store = stored(&tests(vec![
        finding(Rule::FailingTest, "old.rs", "parser::empty", title),
        finding(Rule::FailingTest, "older.rs", "parser::empty", title),
    ]));
    store[0].status = OpportunityStatus::Rejected;
    let moved = finding(Rule::FailingTest, "new.rs", "parser::empty", title);
    assert!(step(&mut store, &tests(vec![moved]), 60).suppressed.is_empty());
}

#[test]
fn one_shared_word_never_holds_anything_back() {
    let word = |file: &str, title: &str| Finding {
        evidence: Vec::new(),
        ..finding(Rule::FailingTest, file, "t", title)
    };
    let mut store = stored(&tests(vec![word("old.rs", "failing")]));
    store[0].status = OpportunityStatus::Rejected;
    let merged = step(&mut store, &tests(vec![word("new.rs", "failing")]), 60);
    assert!(merged.suppressed.is_empty());
}

#[test]
fn a_rejected_rule_of_a_file_says_nothing_of_another_rule() {
    let of = |rule| finding(rule, "src/a.rs", "", "The file src a rs is one to look at");
    let quality = |rule| vec![run(AgentName::CodeQuality, vec![of(rule)])];
    let mut store = stored(&quality(Rule::LongFile));
    store[0].status = OpportunityStatus::Rejected;
    assert!(step(&mut store, &quality(Rule::MissingTest), 60).suppressed.is_empty());
}

#[test]
fn a_low_score_stays_discovered_and_nothing_is_ever_downgraded() {
    let mut low = finding(Rule::FailingTest, "a.rs", "t", "Fix t");
    low.actionability = ActionabilityScore {
        clarity: 0.2,
        evidence: 0.5,
        effort: Effort::Large,
        reversibility: Reversibility::None,
    };
    let mut store = stored(&tests(vec![low.clone()]));
    assert_eq!(store[0].status, OpportunityStatus::Discovered);
    let mut exact = low.clone();
    // 0.28 + 0.12 + 0.1: half, except for the last bit.
    exact.actionability = ActionabilityScore {
        clarity: 0.7,
        evidence: 0.3,
        effort: Effort::Medium,
        ..low.actionability
    };
    step(&mut store, &tests(vec![exact]), 60);
    assert_eq!(store[0].status, OpportunityStatus::Actionable);
    step(&mut store, &tests(vec![low]), 90);
    assert_eq!(store[0].status, OpportunityStatus::Actionable);
}

#[test]
fn whatever_an_agent_wrote_is_brought_within_bounds() {
    let mut wild = finding(Rule::FailingTest, "a.rs", "t", &"\u{1b}[31mx\n".repeat(900));
    wild.actionability.clarity = f64::NAN;
    wild.actionability.evidence = 1e300;
    wild.description = "d".repeat(1 << 20);
    wild.evidence = (0..500)
        .map(|n| Evidence {
            content: format!("{n}{}", "é".repeat(5_000)),
            ..wild.evidence[0].clone()
        })
        .collect();
    let blank = finding(Rule::LongFile, "b.rs", "", " \u{202e} ");
    let store = stored(&tests(vec![wild, blank]));
    let (wild, blank) = (&store[1], &store[0]);
    assert!(wild.title.chars().count() <= 200 && !wild.title.contains(['\u{1b}', '\n']));
    assert_eq!(wild.evidence.len(), 100);
    assert!(wild.evidence.iter().all(|each| each.content.chars().count() == 2_000));
    assert!((wild.overall() - 0.6).abs() < 1e-9);
    assert_eq!(blank.title, "long_file");
}
