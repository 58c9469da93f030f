//! Tests of the log for people and for programs.

use proptest::prelude::*;

use super::*;
use crate::report::example::{self, SESSION, at};
use crate::report::page::tests::assert_inert;
use crate::schemas::schema;

fn debated() -> Entry {
    Entry {
        id: "D1".into(),
        title: "REST or gRPC between our services?".into(),
        date: at(0),
        consensus: Some(Share::thousandths(910)),
        priority: Priority::High,
        tags: vec!["debate".into(), "dialogue".into()],
        decision: "gRPC between services.\nREST at the edge.".into(),
        why: "Adopted in round 2.".into(),
        alternatives: vec!["claude (proposer): Keep REST.".into()],
        positions: vec![ParticipantPosition {
            agent: "claude".into(),
            position: "Keep REST.".into(),
        }],
        open_points: vec!["P2 (partly): REST stays.".into()],
        dissent: vec!["claude (proposer) on P2: It costs more.".into()],
        verdict: Some(Verdict::Consensus),
        journal_head: None,
        session_id: Some(SESSION.into()),
        source: Source::Automatic,
    }
}

fn by_hand() -> Entry {
    Entry {
        id: "D2".into(),
        title: "Licence".into(),
        consensus: None,
        priority: Priority::Low,
        tags: vec!["Legal".into()],
        decision: "MIT.".into(),
        why: String::new(),
        alternatives: Vec::new(),
        positions: Vec::new(),
        open_points: Vec::new(),
        dissent: Vec::new(),
        verdict: None,
        session_id: None,
        source: Source::Manual,
        ..debated()
    }
}

fn log(decisions: Vec<Entry>) -> DecisionLog {
    DecisionLog { decisions, ..DecisionLog::default() }
}

fn added(decision: Entry, already: bool) -> DecisionDocument {
    DecisionDocument {
        report_not_written: None,
        decision,
        already,
        path: "/p/.debate/decisions.json".into(),
        schema_version: 1,
    }
}

#[test]
fn documents_hold_against_their_schemas_and_read_back() {
    let holds = |name: &str, value: serde_json::Value| {
        let schema = schema(name).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            (validator.iter_errors(&value)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let mut other = value;
        other["schema_version"] = "one".into();
        assert!(!validator.is_valid(&other), "{name}");
    };
    for log in [log(vec![]), log(vec![debated(), by_hand()])] {
        let value = serde_json::to_value(&log).unwrap();
        let back: DecisionLog = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(back, log);
        holds("decisions", value);
    }
    let value = serde_json::to_value(added(by_hand(), false)).unwrap();
    assert!(value["decision"]["consensus"].is_null(), "{value}");
    holds("decision", value);
}

#[test]
fn tags_are_compared_whatever_their_case() {
    let both = || log(vec![debated(), by_hand()]);
    let ids = |log: DecisionLog| -> Vec<String> {
        log.decisions.into_iter().map(|entry| entry.id).collect()
    };
    assert_eq!(ids(both().tagged(" legal ")), ["D2"]);
    assert_eq!(ids(both().tagged("DEBATE")), ["D1"]);
    assert_eq!(ids(both().tagged("deb")), [""; 0]);
}

fn poisoned(evil: &str) -> DecisionLog {
    let evil = evil.to_owned();
    let mut entry = debated();
    for text in [&mut entry.id, &mut entry.title, &mut entry.decision, &mut entry.why] {
        text.clone_from(&evil);
    }
    entry.positions = vec![ParticipantPosition { agent: evil.clone(), position: evil.clone() }];
    entry.session_id = Some(evil.clone());
    for list in
        [&mut entry.tags, &mut entry.alternatives, &mut entry.open_points, &mut entry.dissent]
    {
        *list = vec![evil.clone()];
    }
    log(vec![entry])
}

proptest! {
    #[test]
    fn no_text_of_others_is_more_than_text(evil in example::evil_text()) {
        prop_assume!(!crate::text::sanitize::terminal(&evil).trim().is_empty());
        assert_inert(|words| poisoned(words).page(), &evil)?;
        let said = added(poisoned(&evil).decisions[0].clone(), true).render();
        prop_assert!(example::is_inert(&said), "{:?}", said);
    }
}
