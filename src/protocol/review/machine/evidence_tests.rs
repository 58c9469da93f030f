//! Tests of the rules by evidence: what an agreement needs, when a review is composed,
//! and whom a later crossing asks.

use super::super::Role;
use super::super::input::Compose;
use super::super::model::{
    CrossReviewBlock, DecisionKind, Judgement, Severity, Stance, Status, ValidationResult, Verdict,
};
use super::super::testing::{
    agreeable, code, eliminates, finding, input, judgement, judges, nothing, review, role, run,
    seat, votes,
};
use super::*;
use crate::kernel::Turn;

const P0: Severity = Severity::P0;
const P1: Severity = Severity::P1;
const P2: Severity = Severity::P2;

fn auto(seats: usize) -> Input {
    let mut input = input(seats);
    input.settings.compose = Compose::Auto;
    input
}

/// Returns what a panel says in which seat 0 finds one thing, and each other seat judges it so.
fn judged(
    severity: Severity,
    judge: impl Fn(usize) -> Judgement,
) -> impl Fn(&Turn) -> Option<Content> {
    move |turn| match (role(turn), seat(turn)) {
        (Role::Reviewer, 0) => Some(review(vec![finding(severity, "a", 7, "Overflow")])),
        (Role::Reviewer, _) => Some(nothing()),
        (Role::CrossReviewer, seat) => Some(Content::Cross(CrossReviewBlock {
            judgements: vec![judge(seat)],
            missed_issues: Vec::new(),
        })),
        _ => agreeable(turn),
    }
}

/// The cheap way would be to nod: an agreement that shows nothing confirms nothing.
#[test]
fn an_agreement_needs_evidence() {
    let invented = "if counter.is_safe() { return; }".to_owned();
    for evidence in [None, Some(invented)] {
        let say = judged(P1, |_| judgement("F1", Stance::Agree, evidence.clone()));
        let (_, outcome) = run(&mut Machine::open(auto(2)).unwrap(), &say);
        let [finding] = &outcome.result.findings[..] else { panic!("one finding") };
        assert_eq!(finding.status, Status::Unverified, "{evidence:?}");
        let record = &finding.reported.judgements[0];
        assert_eq!((record.stance, record.said), (Stance::Unsure, Some(Stance::Agree)));
        assert!(record.without_evidence);
        assert_eq!(outcome.verdict, Verdict::ChangesRequested, "a doubt keeps it");
    }
    // It counts wherever it stands in the change.
    for evidence in [code("a", 30), code("b", 7)] {
        let say = judged(P1, |_| judgement("F1", Stance::Agree, Some(evidence.clone())));
        let (_, outcome) = run(&mut Machine::open(auto(2)).unwrap(), say);
        assert_eq!(outcome.result.findings[0].status, Status::Confirmed);
        assert!(!outcome.result.findings[0].reported.judgements[0].without_evidence);
    }
}

#[test]
fn a_grave_finding_without_a_trigger_is_unverified_whoever_agrees() {
    let agreed = |trigger: Option<&'static str>| {
        move |turn: &Turn| {
            let mut said = judged(P0, |_| judgement("F1", Stance::Agree, Some(code("a", 7))))(turn);
            if let Some(Content::Review(said)) = &mut said {
                for finding in &mut said.findings {
                    finding.trigger = trigger.map(str::to_owned);
                }
            }
            said
        }
    };
    for (trigger, status) in [(None, Status::Unverified), (Some("with 0"), Status::Confirmed)] {
        let (steps, outcome) = run(&mut Machine::open(auto(3)).unwrap(), agreed(trigger));
        assert_eq!(outcome.result.findings[0].status, status);
        assert_eq!(outcome.result.findings[0].reported.finding.trigger.as_deref(), trigger);
        assert_eq!(outcome.verdict, Verdict::ChangesRequested);
        assert_eq!(steps.len(), 2, "no vote could settle it, so nobody is asked again");
    }
}

#[test]
fn a_part_that_holds_counts_as_agreement_and_is_shown() {
    let say = judged(P1, |_| Judgement {
        only: Some("Only for 32 bits.".to_owned()),
        severity: Some(P2),
        ..judgement("F1", Stance::Agree, Some(code("a", 7)))
    });
    let (_, outcome) = run(&mut Machine::open(auto(2)).unwrap(), say);
    let reported = &outcome.result.findings[0].reported;
    assert_eq!(
        (outcome.result.findings[0].status, reported.finding.severity),
        (Status::Confirmed, P1)
    );
    // One judge that finds it minor leaves the severity unconfirmed, and lowers nothing.
    assert!(reported.severity_unconfirmed);
    assert_eq!(reported.judgements[0].only.as_deref(), Some("Only for 32 bits."));
    assert_eq!(reported.severities["claude"], P1);
    assert_eq!(reported.severities["codex"], P2);
    assert_eq!(outcome.verdict, Verdict::ChangesRequested);
    // Who disagrees or is unsure gives no severity and no part.
    let say = judged(P1, |seat| Judgement {
        only: Some("Nothing.".to_owned()),
        severity: Some(P2),
        ..judgement("F1", [Stance::Agree, Stance::Disagree][seat], Some(code("a", 7)))
    });
    let (_, outcome) = run(&mut Machine::open(auto(2)).unwrap(), say);
    let reported = &outcome.result.findings[0].reported;
    assert_eq!((reported.finding.severity, reported.severity_unconfirmed), (P1, true));
    assert_eq!(reported.judgements[0].only, None);
}

/// One seat alone ends no P0 or P1, but its author may give it up: who is dead or was not asked gives up nothing.
#[test]
fn an_author_is_asked_once_about_the_one_refutation_of_its_finding() {
    let (agree, unsure, disagree) = (Stance::Agree, Stance::Unsure, Stance::Disagree);
    let proof = || Some(code("a", 7));
    for (answer, status, verdict) in [
        (Some((disagree, proof())), None, Verdict::Clean),
        (Some((disagree, None)), None, Verdict::Clean),
        (Some((unsure, None)), None, Verdict::Clean),
        (Some((agree, proof())), Some(Status::Disputed), Verdict::Comments),
        (Some((agree, None)), Some(Status::Disputed), Verdict::Comments),
        // And a seat that did not answer everything makes a review without a P0 undecided.
        (None, Some(Status::Disputed), Verdict::Undecided),
    ] {
        let say = judged(P0, |_| judgement("F1", disagree, proof()));
        let own = |turn: &Turn| {
            if turn.id != "r3/cross/s1" {
                return say(turn);
            }
            let varying = &turn.prompt.varying;
            assert!(varying.contains("\"written_by\": \"you\""), "{varying}");
            assert!(varying.contains("It is disagree on F1."), "{varying}");
            let (stance, evidence) = answer.clone()?;
            let judgements = vec![judgement("F1", stance, evidence)];
            Some(Content::Cross(CrossReviewBlock { judgements, missed_issues: Vec::new() }))
        };
        let (steps, outcome) = run(&mut Machine::open(auto(2)).unwrap(), own);
        assert_eq!(steps[2..], ["r3/cross/s1"], "{answer:?}");
        let left = outcome.result.findings.first();
        assert_eq!(
            (left.map(|left| left.status), outcome.verdict),
            (status, verdict),
            "{answer:?}"
        );
        if let (None, Some((stance, _))) = (left, answer) {
            let gone = &outcome.result.eliminated[0];
            let given_up = format!("claude: It is {} on F1.", stance.name());
            assert_eq!(gone.reason, format!("codex: It is disagree on F1.; {given_up}"));
            assert_eq!(gone.reported.rebuttals[0].agent, "claude");
        }
    }
}

#[test]
fn what_an_unsure_judge_asks_for_is_shown_to_it_once() {
    for (lines, shown) in [
        ("src/b.rs:20-22", Some("   21   let b21 = compute_b(21);")),
        ("src/b.rs", None),
        ("src/gone.rs:1-9", None),
        ("../../etc/passwd:1-9", None),
    ] {
        let mut asked = 0;
        let say = judged(P1, |_| Judgement {
            lines: Some(lines.to_owned()),
            ..judgement("F1", Stance::Unsure, None)
        });
        let (steps, outcome) = run(&mut Machine::open(auto(2)).unwrap(), |turn| {
            if turn.id.starts_with("r3/") {
                asked += 1;
                let varying = &turn.prompt.varying;
                assert!(shown.is_some_and(|shown| varying.contains(shown)), "{varying}");
                assert!(!varying.contains("let b19") && !varying.contains("let b23"), "{varying}");
            }
            say(turn)
        });
        assert_eq!((asked, steps.len()), if shown.is_some() { (1, 3) } else { (0, 2) }, "{lines}");
        let [finding] = &outcome.result.findings[..] else { panic!("one finding") };
        assert_eq!(finding.status, Status::Unverified);
        assert_eq!(finding.reported.judgements[0].lines.as_deref(), Some(lines));
    }
}

#[test]
fn what_a_judge_calls_the_same_is_one_entry_with_both_texts() {
    let say = |turn: &Turn| match (role(turn), seat(turn)) {
        (Role::Reviewer, 0) => Some(review(vec![finding(P1, "a", 7, "Overflow")])),
        (Role::Reviewer, _) => Some(review(vec![finding(P2, "a", 30, "Rounding")])),
        (Role::CrossReviewer, 1) => {
            let mut said = judges(turn, Stance::Agree);
            if let Content::Cross(said) = &mut said {
                // Its own finding stands among the titles.
                said.judgements[0].same_as = Some("`f2`".to_owned());
            }
            Some(said)
        }
        _ => agreeable(turn),
    };
    let (steps, outcome) = run(&mut Machine::open(auto(2)).unwrap(), say);
    assert_eq!(steps.len(), 2);
    let [finding] = &outcome.result.findings[..] else { panic!("one entry") };
    let reported = &finding.reported;
    assert_eq!((reported.id.as_str(), reported.finding.severity), ("F1", P1));
    assert_eq!(reported.merged, ["F2"]);
    let repeat = &reported.repeats[0];
    assert_eq!((repeat.id.as_str(), repeat.title.as_str()), ("F2", "Rounding breaks"));
    assert_eq!((repeat.line, repeat.said_by.join(",").as_str()), (Some(30), "codex"));
    assert_eq!(reported.found_by, ["claude", "codex"]);
    assert_eq!(reported.judgements[0].same_as.as_deref(), Some("F2"));
    // Each word stands at the finding that it was said of.
    let of: Vec<(&str, &str)> =
        reported.judgements.iter().map(|said| (&*said.finding, &*said.agent)).collect();
    assert_eq!(of, [("F1", "codex"), ("F2", "claude")]);
}

#[test]
fn an_id_that_was_not_shown_is_the_same_as_nothing() {
    for same in ["F9", "F1", "", "src/a.rs"] {
        let say = judged(P1, |_| Judgement {
            same_as: Some(same.to_owned()),
            ..judgement("F1", Stance::Agree, Some(code("a", 7)))
        });
        let (_, outcome) = run(&mut Machine::open(auto(2)).unwrap(), say);
        assert_eq!(outcome.result.findings[0].reported.judgements[0].same_as, None, "{same}");
    }
}

/// One finds it, one agrees, one disagrees: a vote of these says nothing new, that of a fourth does.
#[test]
fn what_is_contested_is_composed_where_a_judge_has_not_taken_a_side() {
    let contest = |turn: &Turn| match (role(turn), seat(turn)) {
        (Role::CrossReviewer, 1) => Some(judges(turn, Stance::Agree)),
        (Role::CrossReviewer, 2) => Some(judges(turn, Stance::Disagree)),
        _ => judged(P2, |_| judgement("F1", Stance::Unsure, None))(turn),
    };
    let (steps, outcome) = run(&mut Machine::open(auto(3)).unwrap(), contest);
    assert_eq!((steps.len(), outcome.result.composed_by), (2, None));
    assert_eq!(outcome.result.findings[0].status, Status::Contested);
    let fails = |turn: &Turn| contest(turn).filter(|_| turn.id != "r2/cross/s4");
    let (steps, _) = run(&mut Machine::open(auto(4)).unwrap(), fails);
    assert_eq!(steps[2..], ["compose/s1"], "a seat that did not judge");
    let (steps, outcome) = run(&mut Machine::open(auto(4)).unwrap(), contest);
    // The composer keeps it as it is, so there is nothing to vote on.
    assert_eq!(steps[2..], ["compose/s1"]);
    assert_eq!(outcome.result.composed_by.as_deref(), Some("claude"));
    assert_eq!(outcome.result.validation.len(), 0);
    let drops = |turn: &Turn| match role(turn) {
        Role::Composer => Some(eliminates(&["F1"])),
        Role::Validator | Role::Prover | Role::Sandbox => Some(votes(turn, true)),
        Role::Reviewer | Role::CrossReviewer => contest(turn),
    };
    let (steps, outcome) = run(&mut Machine::open(auto(4)).unwrap(), drops);
    assert_eq!(steps[3..], ["validate/s2 validate/s3 validate/s4"]);
    assert_eq!(outcome.result.validation[0].tally.result, ValidationResult::Approved);
    assert_eq!((outcome.result.findings.len(), outcome.result.eliminated.len()), (0, 1));
}

/// The composer of a pair ended a P0 that the other vendor had confirmed.
#[test]
fn a_composer_removes_and_hides_nothing_that_two_vendors_confirmed() {
    let drops = |turn: &Turn| match role(turn) {
        Role::Composer => Some(eliminates(&["F1"])),
        Role::Reviewer | Role::CrossReviewer | Role::Validator | Role::Prover | Role::Sandbox => {
            agreeable(turn)
        }
    };
    let (_, outcome) = run(&mut Machine::open(input(2)).unwrap(), drops);
    assert_eq!(outcome.result.findings[0].status, Status::Confirmed);
    assert!(outcome.result.eliminated.is_empty());
    assert_eq!(outcome.warnings[0].code, "confirmed_stays");
    assert_eq!(outcome.verdict, Verdict::ChangesRequested);
    assert!(outcome.result.validation.iter().all(|vote| vote.decision == DecisionKind::Keep));
}

#[test]
fn only_a_grave_finding_with_news_is_examined_again() {
    let third = |severity: Severity, input: Input| {
        let say = move |turn: &Turn| match (role(turn), seat(turn)) {
            (Role::CrossReviewer, _) => Some(judges(turn, Stance::Unsure)),
            (Role::Reviewer, 0) => Some(review(vec![finding(severity, "a", 7, "Overflow")])),
            (Role::Reviewer, _) => Some(nothing()),
            _ => agreeable(turn),
        };
        let (steps, _) = run(&mut Machine::open(input).unwrap(), say);
        steps.get(2).filter(|step| step.starts_with("r3")).cloned()
    };
    // Of two seats, nobody but the judge itself has spoken since.
    assert_eq!(third(P1, auto(2)), None);
    assert_eq!(third(P1, auto(3)).as_deref(), Some("r3/cross/s2 r3/cross/s3"));
    assert_eq!(third(P2, auto(3)), None);
}

/// A flood, or padding, costs no second call: the worst count.
#[test]
fn of_too_many_findings_the_worst_count() {
    let many = |turn: &Turn| match (role(turn), seat(turn)) {
        (Role::Reviewer, 0) => {
            let minor =
                (1..=39).map(|line| finding(P2, "a", line, &format!("Case{line} thing{line}")));
            Some(review(minor.chain([finding(P0, "b", 40, "Corruption")]).collect()))
        }
        (Role::CrossReviewer, 1) => {
            let mut said = judges(turn, Stance::Agree);
            if let Content::Cross(said) = &mut said {
                let severities = [P2, P1, P1, P2, P0, P1];
                let lines = [1, 7, 13, 19, 25, 31];
                let all = severities.into_iter().zip(lines);
                said.missed_issues = all
                    .map(|(severity, line)| {
                        finding(severity, "b", line, &format!("New{line} leak{line}"))
                    })
                    .collect();
            }
            Some(said)
        }
        (Role::Reviewer, _) => Some(nothing()),
        _ => agreeable(turn),
    };
    let mut short = auto(2);
    short.settings.max_rounds = 1;
    let (_, outcome) = run(&mut Machine::open(short).unwrap(), many);
    let by = |agent: &str| {
        let found = outcome.result.findings.iter().filter(|each| each.reported.found_by == [agent]);
        found.map(|each| each.reported.finding.severity).collect::<Vec<_>>()
    };
    assert_eq!(by("codex"), [P0, P1, P1]);
    assert!(by("claude").contains(&P0) && by("claude").len() <= 30);
}
