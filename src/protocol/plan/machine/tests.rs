//! Tests of every arrow of the state table, of complete runs with scripted replies, and of who counts when a seat
//! fails.

use super::super::model::{FinalVote, ObjectionKind, Status, ValidationResult, Verdict};
use super::super::testing::*;
use super::*;
use crate::kernel::{Ended, Halt, SeatStatus, Turn};

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.warnings.iter().map(|each| &*each.code).collect()
}

/// The normal path: plans, one cross-examination in which all agree, validation, accepted.
#[test]
fn two_that_agree_are_accepted_after_one_round() {
    let mut machine = machine(2);
    plans(&mut machine, &["ab", "bc"]);
    let Step::Ask { opens_round, turns } = machine.next() else { panic!("nobody is asked") };
    assert_eq!(opens_round, Some(2));
    assert_eq!(ids(&turns), ["r2/cross/s1", "r2/cross/s2"]);
    assert_eq!(&*turns[0].plays, "plan-reviewer");
    assert_eq!(says(&mut machine, "aa"), ["r2/cross/s1", "r2/cross/s2"]);
    let turns = asked(&machine);
    // Each votes on what it did not write; `b` is by both.
    assert_eq!(ids(&turns), ["validate/s1", "validate/s2"]);
    assert_eq!(&*turns[0].plays, "plan-validator");
    assert!(turns.iter().all(|turn| to_judge(turn).len() == 1));
    says(&mut machine, "aa");
    let end = done(&machine);
    assert_eq!((end.outcome, end.verdict), (Verdict::Accepted.into(), Verdict::Accepted));
    assert_eq!(end.result.confidence, 100);
    assert_eq!(end.result.winner.as_deref(), Some("claude"));
    let steps: Vec<(&str, Status, bool)> = (end.result.steps.iter())
        .map(|step| (&*step.words.title, step.status, step.added))
        .collect();
    assert_eq!(
        steps,
        [
            ("Do a", Status::Confirmed, false),
            ("Do b", Status::Confirmed, false),
            ("Do c", Status::Confirmed, true)
        ]
    );
    let results: Vec<ValidationResult> =
        (end.result.steps.iter()).map(|step| step.validation.as_ref().unwrap().result).collect();
    assert_eq!(
        results,
        [ValidationResult::Approved, ValidationResult::Unvalidated, ValidationResult::Approved]
    );
    assert_eq!(end.result.steps[1].proposed_by, ["claude", "codex"]);
    assert_eq!(end.result.steps[2].votes.agree, ["claude"]);
    assert_eq!(end.result.rounds.len(), 2);
    assert!(end.result.left_out.is_empty() && end.failure.is_none());
}

#[test]
fn rounds_go_on_over_what_is_unsettled_until_nothing_moves() {
    let mut machine = machine(3);
    plans(&mut machine, &["ab", "c", "d"]);
    // s3 wants everything changed: every step but its own has exactly one agreement.
    assert_eq!(says(&mut machine, "mam").len(), 3);
    let turns = asked(&machine);
    assert!(turns.iter().all(|turn| turn.id.starts_with("r3/cross/")));
    // s2 agrees with a, b and d, so they are confirmed; only c (modify, modify) stays open.
    let open: Vec<usize> = turns.iter().map(|turn| to_judge(turn).len()).collect();
    assert_eq!(ids(&turns), ["r3/cross/s1", "r3/cross/s3"]);
    assert_eq!(open, [1, 1]);
    says(&mut machine, "mam");
    // Nothing moved, so there is no third cross-examination.
    assert_eq!(ids(&asked(&machine))[0].split('/').next(), Some("validate"));
    says(&mut machine, "aaa");
    let end = done(&machine);
    assert_eq!(end.result.rounds.len(), 3);
    let left = &end.result.left_out[0];
    assert_eq!((&*left.words.title, left.status), ("Do c", Status::Contested));
    assert_eq!(left.objections.len(), 2);
}

#[test]
fn a_later_judgement_replaces_the_earlier_one() {
    let mut machine = machine(3);
    plans(&mut machine, &["a", "b", "c"]);
    says(&mut machine, "mmm");
    says(&mut machine, "aaa");
    says(&mut machine, "aaa");
    let end = done(&machine);
    assert_eq!(end.result.confidence, 100);
    assert!(end.result.steps.iter().all(|step| step.objections.is_empty()));
}

/// Nobody else can have spoken about a step that two planners argue about, so a second question would hold nothing
/// new.
#[test]
fn two_planners_are_asked_once_about_a_step() {
    let mut machine = machine(2);
    plans(&mut machine, &["ab", "cd"]);
    says(&mut machine, "mm");
    assert_eq!(ids(&asked(&machine))[0], "validate/s1");
}

/// A step reported as missing is judged in the next round, even if the confidence is already reached, and can be
/// added.
#[test]
fn a_missing_step_goes_into_the_next_round() {
    let mut machine = machine(2);
    plans(&mut machine, &["ab", "a"]);
    let missed = step("rollback", "work", &[]);
    round(&mut machine, |turn| {
        let ids = to_judge(turn);
        Some(review(&ids, &"a".repeat(ids.len()), std::slice::from_ref(&missed)))
    });
    let turns = asked(&machine);
    assert_eq!(ids(&turns), ["r3/cross/s1"], "only the other one judges it");
    assert_eq!(to_judge(&turns[0]), ["S3"]);
    says(&mut machine, "aa");
    says(&mut machine, "aa");
    let end = done(&machine);
    let added = end.result.steps.iter().find(|step| step.words.title == "Do rollback").unwrap();
    assert_eq!((added.added, &*added.proposed_by[0]), (true, "codex"));
    assert_eq!(added.status, Status::Confirmed);
}

#[test]
fn one_plan_is_shown_and_decides_nothing() {
    for (seats, given) in [(2, &["ab", ""][..]), (3, &["", "ab", ""])] {
        let mut machine = machine(seats);
        plans(&mut machine, given);
        let end = done(&machine);
        assert_eq!(end.outcome, Verdict::Undecided);
        assert!(end.result.degraded && !end.outcome.closes());
        assert_eq!((end.result.confidence, end.result.steps.len()), (0, 2));
        assert!(end.result.steps.iter().all(|step| step.status == Status::Unverified));
        assert!(end.failure.is_some());
    }
    let mut machine = machine(2);
    plans(&mut machine, &["", ""]);
    let end = done(&machine);
    assert_eq!((end.result.winner.clone(), end.result.steps.len()), (None, 0));
    assert!(end.result.scores.is_empty());
}

#[test]
fn a_dead_seat_of_three_neither_wins_nor_votes_nor_raises_confidence() {
    let mut machine = machine(3);
    plans(&mut machine, &["", "ab", "cd"]);
    assert_eq!(says(&mut machine, ".aa"), ["r2/cross/s2", "r2/cross/s3"]);
    says(&mut machine, ".aa");
    let end = done(&machine);
    assert_eq!(end.outcome, Verdict::Accepted);
    assert_eq!(end.result.winner.as_deref(), Some("codex"));
    assert_eq!(end.result.scores.keys().collect::<Vec<_>>(), ["codex", "gemini"]);
    assert_eq!(end.result.confidence, 66, "two of three seats");
    let seat = &end.seats[0];
    assert_eq!(seat.status, SeatStatus::Failed);
    assert_eq!(seat.failure.as_deref(), Some("timed_out: no answer"));
    assert_eq!(end.quorum.vendors, 2);
}

#[test]
fn a_seat_lost_in_a_later_step_leaves_two_undecided_and_three_with_less_confidence() {
    let mut two = machine(2);
    plans(&mut two, &["ab", "cd"]);
    says(&mut two, "a.");
    let end = done(&two);
    assert_eq!((end.outcome, end.result.degraded), (Verdict::Undecided.into(), false));
    assert_eq!(end.seats[1].status, SeatStatus::Failed);
    let why = end.seats[1].failure.as_deref().unwrap();
    assert_eq!(why, "1 of 2 turns failed; timed_out: no answer");

    let mut two = machine(2);
    plans(&mut two, &["ab", "cd"]);
    says(&mut two, "aa");
    says(&mut two, "..");
    assert_eq!(done(&two).outcome, Verdict::Undecided, "nobody validated");

    let mut three = machine(3);
    plans(&mut three, &["ab", "cd", "ef"]);
    says(&mut three, "aa.");
    assert_eq!(three.protocol().rounds[1].confidence, 66);
    assert_eq!((three.protocol().rounds[1].answered, three.protocol().rounds[1].asked), (2, 3));
    assert!(!asked(&three).is_empty());
}

#[test]
fn errors_never_approve() {
    let mut machine = machine(3);
    plans(&mut machine, &["abc", "x", "y"]);
    says(&mut machine, "ddd");
    // s2 rejects everything, s3 does not answer.
    says(&mut machine, ".r.");
    let end = done(&machine);
    assert_eq!(end.outcome, Verdict::Rejected);
    for step in &end.result.steps[..3] {
        let vote = step.validation.as_ref().unwrap();
        assert_eq!((vote.approves, vote.rejects), (0, 1));
    }
}

/// What all wrote is settled, and so is a plan of which everybody confirmed every step.
#[test]
fn plans_that_are_the_same_need_no_votes_and_say_so() {
    for given in [["abc", "abc"], ["abc", "ad"]] {
        let mut machine = machine(2);
        plans(&mut machine, &given);
        if !asked(&machine).is_empty() {
            judges(&mut machine, &[(0, "d", json!({"stance": "disagree", "reason": "No."}))]);
        }
        let end = done(&machine);
        let ended = (end.outcome, end.result.final_vote);
        assert_eq!(ended, (Verdict::Accepted.into(), FinalVote::NotNeeded));
        assert_eq!((codes(&end), end.result.confidence), (vec![], 100));
        assert!(end.result.steps.iter().all(|step| step.status == Status::Confirmed));
        assert!(end.result.steps.iter().all(|step| step.validation.is_none()));
    }
}

#[test]
fn agents_of_one_vendor_confirm_nothing_between_them() {
    let mut input = input(2);
    input.seats[1].vendor = "anthropic".to_owned();
    let mut machine = Machine::open(input).unwrap();
    let reply = |machine: &Driver<Machine>, turn: &Turn, text: &str| {
        let mut answer = judged_reply(machine, turn, text);
        answer.respondent.vendor = "anthropic".to_owned();
        answer
    };
    let turns = asked(&machine);
    let answers = vec![
        reply(&machine, &turns[0], &plan(&steps("ab"))),
        reply(&machine, &turns[1], &plan(&steps("c"))),
    ];
    machine.apply(answers);
    let turns = asked(&machine);
    let answers = turns.iter().map(|turn| {
        let ids = to_judge(turn);
        reply(&machine, turn, &review(&ids, &"a".repeat(ids.len()), &[]))
    });
    let answers = answers.collect();
    machine.apply(answers);
    let end = machine.stop(Stop::Budget);
    assert!(codes(&end).contains(&"same_vendor"));
    assert_eq!(end.result.left_out[0].words.title, "Do c");
    assert_eq!(end.result.left_out[0].reason, "only agents from one vendor support it");
}

#[test]
fn a_stop_reports_what_there_is_and_a_closed_one_stays_closed() {
    let mut machine = machine(2);
    let end = machine.stop(Stop::Budget);
    assert_eq!((end.outcome, end.verdict), (Ended::Stopped(Halt::Budget), Verdict::Undecided));
    assert!(!end.outcome.closes() && end.result.steps.is_empty());
    assert!(end.seats.iter().all(|seat| seat.status == SeatStatus::Skipped));
    plans(&mut machine, &["ab", "cd"]);
    assert_eq!(machine.stop(Stop::Budget).result.steps.len(), 2);
    says(&mut machine, "aa");
    says(&mut machine, "aa");
    assert_eq!(machine.stop(Stop::Budget), done(&machine));
}

/// A plan that was paid for is shown, even if the step in which it arrived was cut short.
#[test]
fn a_cut_step_keeps_the_plans_that_came() {
    let mut machine = machine(3);
    let turns = asked(&machine);
    let came = judged_reply(&machine, &turns[1], &plan(&steps("ab")));
    machine.part([None, Some(came), None]);
    let end = machine.stop(Stop::Budget);
    assert_eq!((end.outcome, end.result.steps.len()), (Ended::Stopped(Halt::Budget), 2));
    assert_eq!(end.result.winner.as_deref(), Some("codex"));
    assert_eq!(end.seats[0].status, SeatStatus::Skipped);
}

/// Judgements count only together: the result is as if no seat had been asked.
#[test]
fn a_cut_cross_examination_counts_for_nothing() {
    let mut machine = machine(2);
    plans(&mut machine, &["ab", "cd"]);
    let before = machine.stop(Stop::Budget);
    let turns = asked(&machine);
    let ids = to_judge(&turns[0]);
    let mut came = judged_reply(&machine, &turns[0], &review(&ids, "dd", &[]));
    came.notes.push(Note::new("cost_estimated", "by the rule"));
    machine.part([Some(came), Some(failed(&machine, &turns[1]))]);
    assert_eq!(machine.stop(Stop::Budget), before);
}

#[test]
fn inputs_that_are_refused() {
    let refused = |change: &dyn Fn(&mut Input)| {
        let mut input = input(2);
        change(&mut input);
        Machine::open(input).map(|_| ()).unwrap_err()
    };
    assert_eq!(refused(&|input| input.task = " \n".into()), InputError::NoTask);
    assert_eq!(refused(&|input| input.task = "x".repeat(65_537)), InputError::TaskTooLong(65_537));
    assert_eq!(refused(&|input| drop(input.seats.pop())), InputError::Seats(1));
    assert_eq!(
        refused(&|input| input.seats[1].agent = "claude".into()),
        InputError::Twice("claude".into())
    );
    assert_eq!(
        refused(&|input| input.settings.max_rounds = 6).to_string(),
        "`max_rounds` must be 1 to 5, not 6"
    );
    assert!(refused(&|input| input.settings.max_rounds = 0).to_string().contains("1 to 5"));
    assert!(refused(&|input| input.settings.confidence = 101).to_string().contains("0 to 100"));
}

/// Judges by title: `("Do c", json!({"stance": "agree", "same_as": "a"}))`, where `same_as` names a step by its id;
/// agrees with all else.
fn judges(machine: &mut Driver<Machine>, said: &[(usize, &str, Value)]) {
    let labels: BTreeMap<String, String> = (machine.protocol().groups.iter())
        .map(|group| (group.members[0].step.id.clone(), group.id.clone()))
        .collect();
    round(machine, |turn| {
        let data = data_of(turn);
        let judgement = |step: &Value| {
            let mut judged = json!({ "id": step["id"], "stance": "agree", "reason": "Needed." });
            let own = said.iter().find(|(seat, title, _)| {
                *seat == seat_of(turn) && step["title"] == format!("Do {title}")
            });
            for (key, value) in own.into_iter().flat_map(|(_, _, said)| said.as_object().unwrap()) {
                judged[key] = match value.as_str().filter(|_| key == "same_as") {
                    Some(id) => json!(labels[id]),
                    None => value.clone(),
                };
            }
            judged
        };
        let steps = data["steps"].as_array().unwrap();
        let judgements: Vec<Value> = steps.iter().map(judgement).collect();
        let body = json!({ "judgements": judgements, "missing_steps": [] });
        Some(crate::contract::template::block("PLAN_REVIEW", &body.to_string()))
    });
}

/// Lets two seats plan these steps: `(id, depends_on)`.
fn planned(machine: &mut Driver<Machine>, plans: &[&[(&str, &[&str])]]) {
    round(machine, |turn| {
        let steps = plans[seat_of(turn)].iter().map(|(id, needs)| step(id, "work", needs));
        Some(plan(&steps.collect::<Vec<_>>()))
    });
}

fn step_of<'a>(end: &'a Outcome, id: &str) -> &'a super::super::model::FinalStep {
    end.result.steps.iter().find(|step| step.words.title == format!("Do {id}")).unwrap()
}

/// s1 says that s2's `c` is its own `a`: both become one, with everything that either states, and who did not say so
/// votes on it.
#[test]
fn what_a_judge_calls_the_same_becomes_one_step_that_loses_nothing() {
    let mut machine = machine(2);
    planned(&mut machine, &[&[("z", &[]), ("a", &["z"])], &[("y", &[]), ("c", &["y"])]]);
    judges(&mut machine, &[(0, "c", json!({"same_as": "a", "reason": "Both fill it."}))]);
    let asked = asked(&machine);
    assert_eq!(ids(&asked), ["validate/s1", "validate/s2"]);
    says(&mut machine, "aa");
    let end = done(&machine);
    assert_eq!(end.result.confidence, 100, "the votes on both halves count");
    let ids: Vec<&str> = end.result.steps.iter().map(|step| &*step.words.title).collect();
    assert_eq!(ids, ["Do z", "Do y", "Do a"], "`c` is a part of `a`");
    let step = step_of(&end, "a");
    assert_eq!(step.words.files, ["src/a.rs", "src/c.rs"]);
    let needs = ["z", "y"].map(|need| &*step_of(&end, need).words.id);
    assert_eq!(step.words.depends_on, needs);
    assert_eq!(step.words.acceptance, "The tests of a pass.\nThe tests of c pass.");
    assert_eq!(step.proposed_by, ["claude", "codex"]);
    assert_eq!(
        (&*step.said_same[0].agent, &*step.said_same[0].reason),
        ("claude", "Both fill it.")
    );
    assert_eq!(step.other_wordings[0].title, "Do c");
    let vote = step.validation.as_ref().unwrap();
    assert_eq!((vote.approves, vote.rejects), (1, 0), "s2 has not said so");
}

#[test]
fn what_is_disputed_or_of_one_plan_is_not_joined() {
    // s2 disagrees with `a`.
    let mut two = machine(2);
    plans(&mut two, &["ab", "cd"]);
    judges(
        &mut two,
        &[
            (0, "c", json!({"same_as": "a"})),
            (1, "a", json!({"stance": "disagree", "reason": "Harmful."})),
        ],
    );
    assert_eq!(two.protocol().groups.len(), 4);
    says(&mut two, "aa");
    let end = done(&two);
    assert!(codes(&end).contains(&"not_joined"));
    let left = end.result.left_out.iter().find(|step| step.words.title == "Do a").unwrap();
    assert_eq!(left.status, Status::Refuted);
    // s1 told `a` and `b` apart.
    let mut two = machine(2);
    plans(&mut two, &["ab", "c"]);
    judges(&mut two, &[(0, "c", json!({"same_as": "a"})), (1, "a", json!({"same_as": "b"}))]);
    assert_eq!(two.protocol().groups.len(), 2);
}

/// The author votes on the change to its step: nobody else has a say, and silence takes none.
#[test]
fn a_change_that_nobody_opposes_is_put_in_if_it_is_approved() {
    for (vote, taken) in [("a", true), ("r", false), (".", false)] {
        let mut machine = machine(2);
        plans(&mut machine, &["ab", "b"]);
        judges(
            &mut machine,
            &[(
                1,
                "a",
                json!({"stance": "modify", "reason": "It locks.", "description": "In batches."}),
            )],
        );
        let turns = asked(&machine);
        assert_eq!(ids(&turns), ["validate/s1"], "s2 suggested it");
        let label = machine.protocol().groups[0].id.clone();
        assert_eq!(data_of(&turns[0])["vote_on"], json!([label]));
        let draft = data_of(&turns[0])["plan"][0].clone();
        assert_eq!(draft["description"], "In batches.");
        round(&mut machine, |_| {
            (vote != ".").then(|| validation(std::slice::from_ref(&label), vote))
        });
        let end = done(&machine);
        let step = step_of(&end, "a");
        assert_eq!(step.words.description == "In batches.", taken, "{vote}: nothing else is said");
        let before = "This is the work that a needs.";
        assert_eq!(step.amendment.as_ref().map(|each| &*each.instead_of), taken.then_some(before));
        if vote != "." {
            assert_eq!(end.outcome, Verdict::Accepted, "a change is not the step");
        }
        let kinds: Vec<ObjectionKind> = step.objections.iter().map(|each| each.kind).collect();
        match vote {
            "a" => {
                assert_eq!((step.status, kinds), (Status::Confirmed, Vec::new()));
                assert!(step.validation.as_ref().is_some_and(|vote| vote.approves == 1));
            }
            "r" => {
                assert_eq!(step.status, Status::Contested);
                assert_eq!(kinds, [ObjectionKind::Modify, ObjectionKind::RefusedChange]);
            }
            _ => {}
        }
    }
}

#[test]
fn changes_of_one_draft_stand_in_one_list_that_says_which_touch() {
    let mut machine = machine(2);
    round(&mut machine, |turn| {
        let own = [step("a", "work", &[]), step("b", "work", &["a"]), step("x", "work", &[])];
        Some(if seat_of(turn) == 0 { plan(&own) } else { plan(&steps("c")) })
    });
    let otherwise = json!({"stance": "modify", "reason": "r", "description": "Otherwise."});
    judges(&mut machine, &["a", "b", "x"].map(|id| (1, id, otherwise.clone())));
    let data = data_of(&asked(&machine)[0]);
    let listed = data["amendments"].as_array().unwrap().iter();
    let listed: Vec<Value> = listed.map(|each| json!([each["id"], each["touches"]])).collect();
    assert_eq!(listed, [json!(["S1", ["S2"]]), json!(["S2", ["S1"]]), json!(["S4", []])]);
    assert_eq!(data["amendments"][0]["instead_of"], "This is the work that a needs.");
}

/// s1 wants s2's `c` changed: with the change it is added, without it nobody but its author wants it.
#[test]
fn a_step_of_another_is_added_with_its_change_or_not_at_all() {
    for (vote, added) in [("aa", true), ("ar", false)] {
        let mut machine = machine(2);
        plans(&mut machine, &["ab", "bc"]);
        judges(
            &mut machine,
            &[(
                0,
                "c",
                json!({"stance": "modify", "reason": "Too large.", "description": "Half of it."}),
            )],
        );
        says(&mut machine, vote);
        let end = done(&machine);
        if added {
            assert_eq!(step_of(&end, "c").status, Status::Confirmed);
        } else {
            assert!(end.result.steps.iter().all(|step| step.words.title != "Do c"));
            assert_eq!(
                end.result.left_out[0].reason,
                "nobody agreed with it as it is, and the change was not approved"
            );
            let last = end.result.left_out[0].objections.last().unwrap();
            assert_eq!(last.kind, ObjectionKind::RefusedChange);
        }
    }
}

#[test]
fn two_that_want_it_otherwise_leave_it_as_it_is() {
    let mut machine = machine(3);
    plans(&mut machine, &["a", "b", "c"]);
    let otherwise = |what: &str| json!({"stance": "modify", "reason": "r", "description": what});
    for _ in 0..2 {
        judges(&mut machine, &[(1, "a", otherwise("one")), (2, "a", otherwise("two"))]);
    }
    says(&mut machine, "aaa");
    let end = done(&machine);
    let contested = end.result.steps.iter().chain([]).find(|step| step.words.title == "Do a");
    match contested {
        Some(step) => assert!(step.is_contested() && step.amendment.is_none()),
        None => assert_eq!(
            end.result.left_out[0].reason,
            "nobody agreed with it as it is; others want it changed"
        ),
    }
}

/// Both halves of a contradiction are voted on: the step of the base by the other, the added one by the winner.
#[test]
fn the_winner_votes_on_what_was_added_to_its_plan() {
    let mut machine = machine(2);
    plans(&mut machine, &["ab", "bc"]);
    says(&mut machine, "aa");
    let turns = asked(&machine);
    assert_eq!(ids(&turns), ["validate/s1", "validate/s2"]);
    let titles: Vec<Vec<String>> = (turns.iter())
        .map(|turn| {
            let data = data_of(turn);
            let steps = data["plan"].as_array().unwrap().iter();
            let vote_on = data["vote_on"].as_array().unwrap();
            let asked = steps.filter(|step| vote_on.contains(&step["id"]));
            asked.map(|step| step["title"].as_str().unwrap().to_owned()).collect()
        })
        .collect();
    assert_eq!(titles, [["Do c"], ["Do a"]]);
    says(&mut machine, "ra");
    let end = done(&machine);
    assert_eq!(end.outcome, Verdict::Accepted);
    assert_eq!(end.result.left_out[0].reason, "it was rejected in the final vote");
}
