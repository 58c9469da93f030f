//! Properties of every merge: nothing grows, nothing is decided, no order matters, nothing starves.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::tests::{at, finding};
use super::*;
use crate::discovery::finding::{Rule, SearchExtent};
use crate::protocol::backlog::intake;
use crate::protocol::backlog::model::Effort;

fn findings() -> impl Strategy<Value = Vec<Finding>> {
    let rule = select(vec![
        Rule::FailingTest,
        Rule::StaleBranch,
        Rule::StalePullRequest,
        Rule::Complexity,
        Rule::LongFile,
        Rule::MissingTest,
        Rule::Feature,
    ]);
    let words = select(vec!["parser", "lexer", "empty", "input", "export", "backlog", "slow"]);
    let one = (
        rule,
        select(vec!["", "src/a.rs", "src/b.rs"]),
        select(vec!["", "f", "g"]),
        prop::collection::vec(words, 1..5),
        (0.0..1.0_f64, 0.0..1.0_f64),
        select(vec!["junit.xml", "lcov.info"]),
    );
    let one = one.prop_map(|(rule, file, symbol, words, (clarity, evidence), source)| {
        let mut finding = finding(rule, file, symbol, &words.join(" "));
        finding.actionability.clarity = clarity;
        finding.actionability.evidence = evidence;
        finding.actionability.effort = Effort::Medium;
        finding.evidence[0].source = source.to_owned();
        finding
    });
    prop::collection::vec(one, 0..14)
}

fn runs() -> impl Strategy<Value = Vec<AgentRun>> {
    let status =
        || select(vec![AgentStatus::Completed, AgentStatus::Completed, AgentStatus::Failed]);
    (findings(), status(), status(), status(), status()).prop_map(|(findings, a, b, c, d)| {
        let mut runs: BTreeMap<AgentName, AgentRun> = [
            (AgentName::TestFailures, a),
            (AgentName::StalledWork, b),
            (AgentName::CodeQuality, c),
            (AgentName::FeatureOpportunities, d),
        ]
        .map(|(agent, status)| {
            // An idea that is not repeated is not gone: the analyst's silence resolves nothing.
            let looked = match agent {
                AgentName::FeatureOpportunities => SearchExtent::default(),
                AgentName::TestFailures | AgentName::StalledWork | AgentName::CodeQuality => {
                    SearchExtent {
                        sources: ["junit.xml".to_owned()].into(),
                        left_out: BTreeSet::new(),
                    }
                }
            };
            (agent, AgentRun { status, looked, ..AgentRun::new(agent) })
        })
        .into();
        for finding in findings {
            let agent = match finding.rule.kind() {
                OpportunityType::TestFailure => AgentName::TestFailures,
                OpportunityType::StalledWork => AgentName::StalledWork,
                OpportunityType::CodeQuality
                | OpportunityType::CoverageGap
                | OpportunityType::Complexity => AgentName::CodeQuality,
                OpportunityType::FeatureOpportunity | OpportunityType::Bug => {
                    AgentName::FeatureOpportunities
                }
            };
            runs.entry(agent).and_modify(|run| run.findings.push(finding.clone()));
        }
        runs.into_values().collect()
    })
}

/// A store as left by earlier runs and people.
fn stores() -> impl Strategy<Value = Vec<Opportunity>> {
    let statuses = prop::collection::vec(0_u8..5, 40);
    (runs(), statuses).prop_map(|(runs, statuses)| {
        let mut store = Vec::new();
        merge(&[], &runs, &settings(30), at(0)).apply(&mut store);
        for (item, status) in store.iter_mut().zip(statuses) {
            item.status = match status {
                0 => OpportunityStatus::Accepted,
                1 => OpportunityStatus::Rejected,
                2 => OpportunityStatus::Deferred,
                _ => item.status,
            };
        }
        store
    })
}

fn settings(max: u32) -> DiscoveryConfig {
    DiscoveryConfig { max, ..DiscoveryConfig::default() }
}

fn ids(items: &[Opportunity]) -> Vec<&str> {
    (items.iter()).map(|item| item.opportunity_id.as_str()).collect()
}

fn statuses(items: &[Opportunity]) -> Vec<OpportunityStatus> {
    items.iter().map(|item| item.status).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_same_run_again_adds_nothing_and_changes_no_status(store in stores(), runs in runs(), max in 1_u32..12) {
        let mut once = store.clone();
        let first = merge(&once, &runs, &settings(max), at(60));
        first.apply(&mut once);
        let mut twice = once.clone();
        let second = merge(&twice, &runs, &settings(max), at(120));
        second.apply(&mut twice);
        prop_assert_eq!(ids(&once), ids(&twice));
        prop_assert_eq!(statuses(&once), statuses(&twice));
        prop_assert_eq!(&first.kept, &second.kept);
        prop_assert!(second.resolved.is_empty());
        let unique: BTreeSet<&str> = ids(&twice).into_iter().collect();
        prop_assert_eq!(unique.len(), twice.len(), "an id twice");
    }

    #[test]
    fn no_order_matters(store in stores(), runs in runs(), turn in 0_usize..4) {
        let there = merge(&store, &runs, &settings(6), at(60));
        let mut other = runs.clone();
        other.rotate_left(turn);
        for run in &mut other {
            run.findings.reverse();
        }
        prop_assert_eq!(there, merge(&store, &other, &settings(6), at(60)));
    }

    #[test]
    fn what_is_decided_stays_decided_and_is_never_offered(store in stores(), runs in runs()) {
        let mut after = store.clone();
        let merged = merge(&store, &runs, &settings(6), at(60));
        merged.apply(&mut after);
        for (before, after) in store.iter().zip(&after) {
            prop_assert_eq!(&before.opportunity_id, &after.opportunity_id);
            if !before.status.is_open() {
                prop_assert_eq!(before.status, after.status);
                prop_assert!(!merged.kept.contains(&before.opportunity_id));
            }
        }
    }

    #[test]
    fn everything_found_is_accounted_for_and_no_rule_starves(store in stores(), runs in runs(), max in 1_u32..12) {
        let all = merge(&store, &runs, &settings(1_000), at(60));
        let capped = merge(&store, &runs, &settings(max), at(60));
        prop_assert_eq!(all.total_candidates, all.kept.len() + all.decided.len() + all.suppressed.len());
        prop_assert_eq!(all.total_candidates, capped.total_candidates);
        prop_assert_eq!(capped.kept.len(), all.kept.len().min(max as usize));
        let rule = |id: &String| {
            let item = all.upserts.iter().find(|item| item.opportunity_id == *id).unwrap();
            item.rule().unwrap().to_owned()
        };
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for id in &all.kept {
            *counts.entry(rule(id)).or_default() += 1;
        }
        for (name, count) in &counts {
            let fair = (max as usize / counts.len()).min(*count);
            let given = capped.kept.iter().filter(|id| rule(id) == *name).count();
            prop_assert!(given >= fair, "{} got {} of {}", name, given, fair);
        }
    }

    #[test]
    fn a_failed_agent_resolves_nothing(store in stores(), runs in runs()) {
        let merged = merge(&store, &runs, &settings(6), at(60));
        for id in &merged.resolved {
            let item = store.iter().find(|item| item.opportunity_id == *id).unwrap();
            let run = runs.iter().find(|run| run.agent.name() == item.discovered_by).unwrap();
            prop_assert_eq!(run.status, AgentStatus::Completed);
            prop_assert!(item.evidence.iter().all(|each| each.source == "junit.xml"));
        }
    }

    #[test]
    fn what_is_stored_can_be_read_back(runs in runs(), title in any::<String>(), content in any::<String>(), share in any::<f64>()) {
        let mut runs = runs;
        for finding in runs.iter_mut().flat_map(|run| &mut run.findings) {
            finding.title.clone_from(&title);
            finding.evidence[0].content.clone_from(&content);
            finding.actionability.clarity = share;
        }
        let mut store = Vec::new();
        merge(&[], &runs, &settings(20), at(0)).apply(&mut store);
        let json = serde_json::to_vec_pretty(&serde_json::json!({ "opportunities": store })).unwrap();
        let (read, warnings) = intake::read_all("x", &json, at(9), intake::Limits::default(), intake::Origin::Store).unwrap();
        prop_assert_eq!(read, store);
        prop_assert!(warnings.is_empty());
    }
}
