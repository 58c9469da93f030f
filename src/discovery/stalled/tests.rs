//! The rules of stalled work, on real files.

mod told;

use chrono::{DateTime, Utc};
use proptest::prelude::{ProptestConfig, any, proptest};
use serde_json::json;

use super::{Branch, GH, Rules, Source, branches, conclude, pull_requests, when};
use crate::config::discovery::DiscoveryConfig;
use crate::discovery::finding::{AgentStatus, Finding};
use crate::protocol::backlog::model::Effort;

fn now() -> DateTime<Utc> {
    time("2026-03-10T12:00:00Z")
}

fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().to_utc()
}

fn with<T>(judge: impl Fn(Rules<'_>) -> T) -> T {
    judge(Rules { now: now(), config: &DiscoveryConfig::default() })
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
    let empty = || Source::new(GH).counted(0, "pull request");
    let absent = || Source::absent("git", "no repository");
    let broken = || Source::unusable("git", "on fire");
    let read = || with(|rules| branches("main", 0, &[], rules));
    let cases = [
        (vec![empty(), absent()], AgentStatus::Skipped, ""),
        (vec![empty(), broken()], AgentStatus::Failed, ""),
        (vec![empty(), read()], AgentStatus::Completed, "gh git"),
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
        drop(with(|rules| pull_requests(&bytes, rules)));
        drop(when::past(&json!(text), now()));
    }

    #[test]
    fn a_finding_is_of_sane_size_whatever_the_names(name in "\\PC{1,200}") {
        let branch = Branch { name: name.clone(), committed: time("2026-01-01T00:00:00Z"), author: name, ahead: 1 };
        for finding in with(|rules| branches("main", 1, std::slice::from_ref(&branch), rules)).findings {
            assert!(finding.title.chars().count() <= 200);
            assert!(finding.description.chars().count() <= 1000);
            assert!(finding.symbol.unwrap().chars().count() <= 200);
            assert!(finding.evidence[0].content.chars().count() <= 2000);
        }
    }
}
