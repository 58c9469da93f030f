//! Properties for any replies, failures, fallback agents and stops.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::model::RiskLevel;
use super::super::testing::*;
use super::*;
use crate::kernel::SeatStatus;

/// Names of up to nine perspectives: the five built-in ones and a user's own.
const NINE: [&str; 9] =
    ["product", "technical", "quality", "risk", "coverage", "p1", "p2", "p3", "p4"];

/// Returns a perspective's script, in the syntax of `answers`.
fn script() -> impl Strategy<Value = String> {
    let said = ("[1-5]", "[+wsrg]{0,3}", "[lmhc]?", "!?");
    let said = said.prop_map(|(rating, points, level, by)| format!("{rating}{points}{level}{by}"));
    // Mostly good ratings, so that the rare levels occur.
    let calm = ("[3-5]", "[+ws]?", "[lm]?", "!?");
    let calm = calm.prop_map(|(rating, points, level, by)| format!("{rating}{points}{level}{by}"));
    prop_oneof![3 => said, 4 => calm, 2 => Just(".".to_owned()), 1 => Just("?".to_owned())]
}

/// Returns perspectives and their scripts.
fn room() -> impl Strategy<Value = (Vec<&'static str>, Vec<String>)> {
    (1_usize..=9).prop_flat_map(|count| {
        let names = proptest::sample::subsequence(NINE.to_vec(), count).prop_shuffle();
        (names, proptest::collection::vec(script(), count))
    })
}

fn is_answer(script: &str) -> bool {
    script != "." && script != "?"
}

fn outcome_of(names: &[&str], scripts: &[String]) -> Outcome {
    let mut machine = machine(&names.join(" "));
    let answers = answers(&machine, &scripts.join(" "));
    machine.apply(answers);
    done(&machine)
}

/// Returns every perspective that a result quotes.
fn quoted(outcome: &Outcome) -> BTreeSet<&String> {
    let members = (outcome.result.convergent_themes.iter().map(|each| &each.members))
        .chain(outcome.result.divergent_views.iter().map(|each| &each.members))
        .chain(outcome.result.coverage_gaps.iter().map(|each| &each.members))
        .chain(outcome.result.action_items.iter().map(|each| &each.members));
    let members = members.flatten().map(|point| &point.perspective);
    let named = (outcome.result.convergent_themes.iter().map(|each| &each.perspectives))
        .chain(outcome.result.divergences.iter().map(|each| &each.perspectives))
        .chain(outcome.result.coverage_gaps.iter().map(|each| &each.perspectives))
        .chain(outcome.result.action_items.iter().map(|each| &each.perspectives));
    members.chain(named.flatten()).chain(outcome.result.ratings.keys()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A critique ends in one step, by the rules, and its result is consistent.
    #[test]
    fn every_critique_ends_in_one_step_by_the_rules((names, scripts) in room()) {
        let asked = names.len();
        let end = outcome_of(&names, &scripts);
        let answered = scripts.iter().filter(|script| is_answer(script)).count();
        prop_assert_eq!(end.result.perspectives.len(), answered);
        prop_assert_eq!(end.verdict == Verdict::Undecided, answered * 2 <= asked);
        prop_assert_eq!(end.result.severity.is_none(), answered * 2 <= asked);
        prop_assert_eq!(end.result.recommendation.is_none(), answered * 2 <= asked);
        prop_assert_eq!(end.failure.is_some(), answered * 2 <= asked);
        prop_assert_eq!(end.result.basics.is_some(), answered == 0);
        // A failure that would read as success.
        let low = end.result.perspectives.iter().any(|voice| voice.critique.rating <= 2);
        let gap = end.result.perspectives.iter().any(|voice| !voice.critique.missing_requirements.is_empty());
        let danger = end.result.perspectives.iter().any(|voice| voice.critique.risk_level >= Some(RiskLevel::High));
        if low || gap || danger {
            prop_assert_ne!(end.outcome, Verdict::ConsensusReached);
        } else {
            prop_assert_ne!(end.outcome, Verdict::ConsensusBlocked);
        }
        // A failed seat appears only among the seats, and every seat appears there.
        let mut spoke = BTreeSet::new();
        for ((name, script), seat) in names.iter().zip(&scripts).zip(&end.seats) {
            prop_assert_eq!(&seat.role, name);
            let status = match script {
                _ if !is_answer(script) => SeatStatus::Failed,
                by if by.ends_with('!') => SeatStatus::FellBack,
                _ => SeatStatus::Answered,
            };
            prop_assert_eq!(seat.status, status);
            prop_assert_eq!(seat.failure.is_some(), status == SeatStatus::Failed);
            if is_answer(script) {
                spoke.insert((*name).to_owned());
            }
        }
        prop_assert_eq!(end.seats.len(), asked);
        for name in quoted(&end) {
            prop_assert!(spoke.contains(name), "{} did not answer", name);
        }
        prop_assert_eq!(end.result.ratings.len(), answered);
        let sum: u32 = end.result.ratings.values().map(|rating| u32::from(*rating)).sum();
        match end.result.average_rating {
            None => prop_assert_eq!(answered, 0),
            Some(mean) => {
                let exact = f64::from(sum) / f64::from(u32::try_from(answered).unwrap());
                prop_assert!((mean - exact).abs() <= 0.005 + 1e-9, "{} for {}", mean, exact);
            }
        }
    }

    /// One more failed perspective at most removes a decision: it never turns one into another.
    #[test]
    fn a_failure_more_never_changes_a_verdict((names, scripts) in room(), unreadable: bool) {
        let before = outcome_of(&names, &scripts);
        prop_assume!(names.len() < 9);
        let (mut names, mut scripts) = (names, scripts);
        names.push("late");
        scripts.push(if unreadable { "?" } else { "." }.to_owned());
        let after = outcome_of(&names, &scripts);
        if after.outcome != Verdict::Undecided {
            prop_assert_eq!((after.outcome, after.result.severity), (before.outcome, before.result.severity));
        }
        prop_assert_eq!(after.result.average_rating, before.result.average_rating);
        prop_assert_eq!(after.result.ratings, before.result.ratings);
    }

    /// A stop at any point keeps the answers received, and the rest can still be asked.
    #[test]
    fn a_stop_keeps_what_came((names, scripts) in room(), came in 0_usize..9, why in 0_u8..3) {
        let mut machine = machine(&names.join(" "));
        let came = came.min(names.len() - 1);
        let part = answers(&machine, &scripts.join(" "));
        machine.part(part.into_iter().take(came).map(Some));
        let why = [Stop::Budget, Stop::Deadline, Stop::Cancelled(15)][usize::from(why)];
        let end = machine.stop(why);
        let answered = scripts.iter().take(came).filter(|script| is_answer(script)).count();
        prop_assert_eq!(end.result.perspectives.len(), answered);
        let waiting = end.seats.iter().filter(|seat| seat.status == SeatStatus::Skipped);
        prop_assert_eq!(waiting.count(), names.len() - came);
    }
}
