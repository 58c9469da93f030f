//! The rules of stalled work, on real files.

mod told;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use chrono::{DateTime, Utc};
use proptest::prelude::{ProptestConfig, any, prop, proptest};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    Reading, Rules, Source, branches, conclude, episodes, features, pull_requests, sessions, when,
};
use crate::config::discovery::DiscoveryConfig;
use crate::discovery::finding::{AgentStatus, Finding};
use crate::protocol::backlog::model::Effort;
use told::episode;

const STATE: &str = ".swarm/state";
const SESSIONS: &str = ".swarm/sessions";
const EPISODES: &str = ".swarm/chief-of-staff/episodes/episodes.jsonl";

fn now() -> DateTime<Utc> {
    time("2026-03-10T12:00:00Z")
}

fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().to_utc()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        put(dir.path(), name, text);
    }
    dir
}

fn put(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn with<T>(judge: impl Fn(Rules<'_>) -> T) -> T {
    judge(Rules { now: now(), config: &DiscoveryConfig::default() })
}

fn look(judge: impl Fn(&Path, Rules<'_>) -> Source, dir: &TempDir) -> Source {
    with(|rules| judge(dir.path(), rules))
}

/// Symbol, clarity, evidence, effort.
fn scores(source: &Source) -> Vec<(&str, f64, f64, Effort)> {
    let score = |finding: &Finding| finding.actionability;
    (source.findings.iter())
        .map(|finding| {
            let symbol = finding.symbol.as_deref().unwrap();
            let score = score(finding);
            (symbol, score.clarity, score.evidence, score.effort)
        })
        .collect()
}

fn left_out(source: &Source) -> Vec<String> {
    (source.left_out.iter()).map(|left| format!("{}: {}", left.what, left.why)).collect()
}

fn feature(id: &str, phase: &str, updated: &str, done: usize, issues: usize) -> String {
    let issues: Vec<Value> = (0..issues)
        .map(|n| json!({"status": if n < done { "Done" } else { "in_progress" }}))
        .collect();
    json!({"feature_id": id, "phase": phase, "updated_at": updated, "issues": issues}).to_string()
}

#[test]
fn a_feature_stalls_after_a_day_unless_it_is_finished_and_scores_by_progress() {
    let old = "2026-03-01T12:00:00Z";
    let dir = folder(&[
        (".swarm/state/a.json", &feature("most", "IMPLEMENTING", old, 4, 5)),
        (".swarm/state/b.json", &feature("half", "implementing", old, 1, 2)),
        (".swarm/state/c.json", &feature("third", "SPEC", old, 3, 10)),
        (".swarm/state/d.json", &feature("little", "SPEC", old, 2, 7)),
        (".swarm/state/e.json", &feature("none", "SPEC", old, 0, 0)),
        (".swarm/state/f.json", &feature("done", "Done", old, 0, 3)),
        (".swarm/state/g.json", &feature("shipped", "SHIPPED", old, 0, 3)),
        (".swarm/state/h.json", &feature("completed", "completed", old, 0, 3)),
        // Exactly a day is not more than a day.
        (".swarm/state/i.json", &feature("day", "SPEC", "2026-03-09T12:00:00Z", 0, 3)),
        (".swarm/state/j.json", &feature("over", "SPEC", "2026-03-09T11:59:59Z", 0, 3)),
        // A finished feature needs no time.
        (".swarm/state/k.json", r#"{"feature_id": "timeless", "phase": "done"}"#),
        (".swarm/state/notes.txt", "not JSON"),
    ]);
    let source = look(features, &dir);
    assert_eq!(
        scores(&source),
        [
            ("half", 0.7, 0.8, Effort::Medium),
            ("little", 0.3, 0.8, Effort::Large),
            ("most", 0.9, 0.8, Effort::Small),
            ("none", 0.3, 0.8, Effort::Large),
            ("over", 0.3, 0.8, Effort::Large),
            ("third", 0.5, 0.8, Effort::Medium),
        ]
    );
    assert_eq!(left_out(&source), [""; 0]);
    let half = &source.findings[0];
    assert_eq!(half.title, "Feature half has not moved for 9 days");
    assert_eq!(half.evidence[0].source, STATE);
    assert_eq!(half.evidence[0].file_path.as_deref(), Some(".swarm/state/b.json"));
    assert_eq!(half.evidence[0].timestamp, Some(time(old)));
    assert_eq!(source.findings[4].title, "Feature over has not moved for 24 hours");
}

#[test]
fn what_cannot_be_judged_is_left_out_with_its_reason_and_nothing_else_is() {
    let dir = folder(&[
        (".swarm/state/a.json", "{\n  \"phase\": oops\n}"),
        (".swarm/state/b.json", r#"{"phase": "SPEC"}"#),
        (".swarm/state/c.json", r#"{"updated_at": 1}"#),
        (".swarm/state/d.json", &feature("d", "SPEC", "2027-01-01T00:00:00Z", 0, 0)),
        (".swarm/state/e.json", &feature("e", "SPEC", "last week", 0, 0)),
        (".swarm/state/f.json", "[]"),
        (".swarm/state/g.json", &feature("good", "SPEC", "2026-01-01", 0, 0)),
    ]);
    put(dir.path(), ".swarm/state/h.json", b"{\n\"phase\": \"\xff\"}");
    put(dir.path(), ".swarm/state/i.json", vec![b' '; (1 << 20) + 1]);
    put(dir.path(), "secret.json", feature("secret", "SPEC", "2026-01-01", 0, 0));
    symlink("../../secret.json", dir.path().join(".swarm/state/j.json")).unwrap();
    let source = look(features, &dir);
    assert_eq!(
        left_out(&source),
        [
            ".swarm/state/j.json: it is a symbolic link, which is not followed",
            ".swarm/state/a.json: it is not JSON: expected value at line 2, column 12",
            ".swarm/state/b.json: it has no `updated_at`",
            ".swarm/state/c.json: it has no `phase`",
            ".swarm/state/d.json: `updated_at`: `2027-01-01T00:00:00Z` is in the future",
            ".swarm/state/e.json: `updated_at`: `last week` is not a time (ISO 8601, or seconds since 1970)",
            ".swarm/state/f.json: it is not an object",
            ".swarm/state/h.json: line 2 is not UTF-8",
            ".swarm/state/i.json: it is larger than 1048576 bytes",
        ]
    );
    assert_eq!(scores(&source).len(), 1);
    let run = conclude(vec![source]);
    assert_eq!(run.status, AgentStatus::Completed);
    assert!(!run.looked.sources.contains(STATE), "it was not read to its end");
}

#[test]
fn a_session_that_was_paused_or_interrupted_is_found_at_any_depth() {
    let session = |id: &str, state: &str, at: &str| {
        json!({"session_id": id, "feature_id": "f", "state": state, "timestamp": at}).to_string()
    };
    let dir = folder(&[
        (".swarm/sessions/f/a.json", &session("a", "PAUSED", "2026-03-10T11:00:00Z")),
        (".swarm/sessions/f/deep/b.json", &session("b", "Interrupted", "2026-03-01T00:00:00Z")),
        (".swarm/sessions/c.json", &session("c", "COMPLETED", "2026-03-01T00:00:00Z")),
        // No time: it is still paused.
        (".swarm/sessions/d.json", r#"{"state": "paused"}"#),
        // If two files describe one session, the newer counts, whatever their order.
        (".swarm/sessions/e1.json", &session("e", "COMPLETED", "2026-03-02T00:00:00Z")),
        (".swarm/sessions/e2.json", &session("e", "PAUSED", "2026-03-01T00:00:00Z")),
        (".swarm/sessions/g.json", &session("g", "PAUSED", "2030-03-01T00:00:00Z")),
    ]);
    let source = look(sessions, &dir);
    assert_eq!(
        scores(&source),
        [
            ("a", 0.8, 0.7, Effort::Small),
            ("b", 0.6, 0.7, Effort::Medium),
            ("d", 0.8, 0.7, Effort::Small),
        ]
    );
    assert_eq!(source.findings[0].title, "Session a of feature f has been paused for 1 hour");
    assert_eq!(source.findings[2].title, "Session d has been paused");
    assert_eq!(
        left_out(&source),
        [".swarm/sessions/g.json: its time: `2030-03-01T00:00:00Z` is in the future"]
    );
    let deep = format!("{SESSIONS}/1/2/3/4/5/6/7/8/9/x.json");
    put(dir.path(), &deep, session("x", "PAUSED", "2026-03-01T00:00:00Z"));
    let again = look(sessions, &dir);
    assert_eq!(again.findings.len(), 3);
    assert!(left_out(&again)[0].contains("8 folders"), "{again:?}");
}

#[test]
fn links_on_the_way_are_not_followed() {
    let dir = folder(&[("elsewhere/state/a.json", &feature("a", "SPEC", "2026-01-01", 0, 0))]);
    put(dir.path(), "elsewhere/chief-of-staff/episodes/episodes.jsonl", episode("a", false));
    symlink("elsewhere", dir.path().join(".swarm")).unwrap();
    for source in [look(features, &dir), look(sessions, &dir), look(episodes, &dir)] {
        assert_eq!(source.reading, Reading::Unusable, "{source:?}");
        assert!(source.findings.is_empty());
        assert!(left_out(&source)[0].contains(".swarm is a symbolic link"), "{source:?}");
    }
}

#[test]
fn times_are_read_as_tools_write_them() {
    for (value, expected) in [
        (json!("2026-03-01T00:00:00Z"), "2026-03-01T00:00:00Z"),
        (json!("2026-03-01T02:00:00+02:00"), "2026-03-01T00:00:00Z"),
        (json!("2026-03-01T02:00:00.123+0200"), "2026-03-01T00:00:00.123Z"),
        // Without a zone it is UTC (upstream raised an error on this comparison).
        (json!("2026-03-01T00:00:00"), "2026-03-01T00:00:00Z"),
        (json!("2026-03-01 00:00:00.500"), "2026-03-01T00:00:00.500Z"),
        (json!("2026-03-01"), "2026-03-01T00:00:00Z"),
        (json!(1_772_323_200), "2026-03-01T00:00:00Z"),
        (json!(1_772_323_200.25), "2026-03-01T00:00:00.250Z"),
        (json!(1_772_323_200_000_i64), "2026-03-01T00:00:00Z"),
        (json!("1772323200"), "2026-03-01T00:00:00Z"),
        // A clock slightly ahead.
        (json!("2026-03-10T12:04:00Z"), "2026-03-10T12:04:00Z"),
    ] {
        assert_eq!(when::past(&value, now()), Ok(time(expected)), "{value}");
    }
    for value in [
        json!("2026-03-10T12:06:00Z"),
        json!("yesterday"),
        json!(""),
        json!(-1),
        json!(1e300),
        json!("NaN"),
        json!(null),
        json!([]),
        json!(true),
    ] {
        assert!(when::past(&value, now()).is_err(), "{value}");
    }
}

#[test]
fn an_agent_completes_fails_or_is_skipped_by_what_it_read() {
    let empty = || with(|rules| features(Path::new("/no/such/folder"), rules));
    let absent = || Source::absent("git", "no repository");
    let broken = || Source::unusable("git", "on fire");
    let read = || with(|rules| branches("main", 0, &[], rules));
    let cases = [
        (vec![empty(), absent()], AgentStatus::Skipped, ""),
        (vec![empty(), broken()], AgentStatus::Failed, ""),
        (vec![empty(), read()], AgentStatus::Completed, ".swarm/state git"),
        (vec![broken(), read()], AgentStatus::Completed, "git"),
    ];
    for (sources, status, looked) in cases {
        let run = conclude(sources);
        let names: Vec<String> = run.looked.sources.iter().cloned().collect();
        assert_eq!((run.status, names.join(" ").as_str()), (status, looked));
        assert_eq!(run.error.is_some(), status != AgentStatus::Completed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in any::<Vec<u8>>(), text in any::<String>()) {
        let dir = tempfile::tempdir().unwrap();
        for name in [".swarm/state/a.json", ".swarm/sessions/a.json", EPISODES] {
            put(dir.path(), name, &bytes);
        }
        drop((look(features, &dir), look(sessions, &dir), look(episodes, &dir)));
        drop(with(|rules| pull_requests(&bytes, rules)));
        drop(when::past(&json!(text), now()));
    }

    #[test]
    fn a_finding_is_of_sane_size_whatever_the_names(id in "\\PC{1,4000}", lines in prop::collection::vec("[a-z]{1,3}", 0..5)) {
        let text = json!({"feature_id": id, "phase": format!("x{id}"), "updated_at": 0, "issues": lines});
        let dir = folder(&[(".swarm/state/a.json", &text.to_string())]);
        let log = json!({"goal_id": id, "success": false, "error": id}).to_string() + "\n";
        put(dir.path(), EPISODES, log.repeat(3));
        for finding in [look(features, &dir).findings, look(episodes, &dir).findings].concat() {
            assert!(finding.title.chars().count() <= 200);
            assert!(finding.description.chars().count() <= 1000);
            assert!(finding.symbol.unwrap().chars().count() <= 200);
            assert!(finding.evidence[0].content.chars().count() <= 2000);
        }
    }
}
