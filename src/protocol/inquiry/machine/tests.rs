//! Each arrow of the table in `inquiry/mod.rs`, what a stop says, and who counts as having answered.

use proptest::prelude::*;
use serde_json::json;

use super::super::testing::*;
use super::super::{InputError, Question, Settings};
use super::*;

fn three() -> Machine {
    machine(vec![features(5), fix("opp-tf-1"), fix("opp-tf-2")])
}

fn good(turn: &Turn) -> String {
    if turn.id == "features" {
        proposal(&json!([feature("Undo", [7, 3, 8, 2])]))
    } else {
        suggestion("Compare with the limit.")
    }
}

fn fail(turn: &Turn) -> Answer<Reply> {
    answer(turn, Err(failure()))
}

#[test]
fn all_questions_are_asked_at_the_same_time_and_none_knows_of_another() {
    let machine = three();
    let Step::Ask { opens_round, turns } = machine.next() else {
        panic!("three questions are open")
    };
    assert_eq!(opens_round, None, "an inquiry has no rounds");
    let ids: Vec<(&str, &str)> = turns.iter().map(|turn| (&*turn.id, &*turn.role)).collect();
    assert_eq!(
        ids,
        [("features", "analyst"), ("fix/opp-tf-1", "advisor"), ("fix/opp-tf-2", "advisor")]
    );
    assert_eq!(turns[0].blocks, ["FEATURE_OPPORTUNITIES"]);
    assert_eq!(turns[1].blocks, ["FIX_SUGGESTION"]);
    assert!(turns.iter().all(|turn| turn.not_vendors.is_empty() && turn.not_vendor_of.is_empty()));
    assert_eq!(machine.next(), machine.next());
}

/// (which of the three fail, outcome)
#[test]
fn how_it_ends() {
    for (failing, outcome) in [
        ([false, false, false], InquiryOutcome::Answered),
        ([false, true, false], InquiryOutcome::Partial),
        ([true, false, true], InquiryOutcome::Partial),
        ([true, true, true], InquiryOutcome::AgentFailure),
    ] {
        let mut machine = three();
        let answers = asked(&machine)
            .iter()
            .zip(failing)
            .map(
                |(turn, fails)| {
                    if fails { fail(turn) } else { judged(&machine, turn, &good(turn)) }
                },
            )
            .collect();
        assert!(machine.apply(answers).is_empty());
        let end = done(&machine);
        assert_eq!(end.outcome, outcome, "{failing:?}");
        assert_eq!(end.failures.len(), failing.iter().filter(|fails| **fails).count());
        assert_eq!(end.answers.len() + end.failures.len(), 3);
        assert!(end.open.is_empty());
        // Over is over, whatever stops the run now.
        assert_eq!(machine.stop(Stop::Budget), end);
        assert_eq!(machine.stop(Stop::Cancelled(2)), end);
        assert_eq!(
            end.features().is_some(),
            !failing[0],
            "a failed turn proposes nothing, not `nothing`"
        );
        assert_eq!(
            outcome.closes(),
            outcome == InquiryOutcome::Answered,
            "a resume may ask again what failed"
        );
    }
}

#[test]
fn answers_come_back_under_the_ids_of_their_opportunities() {
    let mut machine = three();
    let answers = asked(&machine)
        .iter()
        .map(|turn| judged(&machine, turn, &good(turn).replace("limit", &turn.id)))
        .collect();
    machine.apply(answers);
    let end = done(&machine);
    let fixes: Vec<_> = end.fixes().collect();
    assert_eq!(
        fixes,
        [
            ("opp-tf-1", "Compare with the fix/opp-tf-1."),
            ("opp-tf-2", "Compare with the fix/opp-tf-2.")
        ]
    );
    assert_eq!(end.features().unwrap().features[0].title, "Undo");
}

#[test]
fn what_is_open_is_asked_again_and_a_stop_says_what_is_open() {
    let mut machine = three();
    let turns = asked(&machine);
    machine.apply(vec![judged(&machine, &turns[1], &good(&turns[1]))]);
    let open: Vec<String> = asked(&machine).into_iter().map(|turn| turn.id).collect();
    assert_eq!(open, ["features", "fix/opp-tf-2"]);
    for (why, outcome) in [
        (Stop::Budget, InquiryOutcome::Budget),
        (Stop::Deadline, InquiryOutcome::Interrupted),
        (Stop::Cancelled(15), InquiryOutcome::Interrupted),
    ] {
        let end = machine.stop(why);
        assert_eq!((end.outcome, &end.open), (outcome, &open));
        assert_eq!(end.answers.len(), 1, "what was answered is kept");
        assert!(!end.outcome.closes());
    }
}

#[test]
fn an_answer_that_was_not_asked_for_changes_nothing() {
    let mut machine = three();
    let turns = asked(&machine);
    let mut stranger = fail(&turns[0]);
    stranger.turn = "fix/opp-tf-9".to_owned();
    let mut crossed = judged(&machine, &turns[1], &good(&turns[1]));
    crossed.turn = "features".to_owned();
    for odd in [stranger, crossed] {
        let before = machine.next();
        let facts = machine.apply(vec![odd]);
        assert_eq!(facts[0].code, "unexpected_answer");
        assert_eq!(machine.next(), before);
    }
    let all = || turns.iter().map(|turn| judged(&three(), turn, &good(turn)));
    machine.apply(all().collect());
    let end = done(&machine);
    let facts = machine.apply(turns.iter().map(fail).collect());
    assert_eq!(facts.len(), 3);
    assert_eq!(done(&machine), end, "an answer is never overwritten");
}

#[test]
fn seats_say_who_answered() {
    let mut machine = three();
    let skipped = machine.stop(Stop::Budget).seats;
    assert!(skipped.iter().all(|seat| seat.status == SeatStatus::Skipped));
    let turns = asked(&machine);
    let mut fallen_back = judged(&machine, &turns[0], &good(&turns[0]));
    fallen_back.seated.agent = "gemini".to_owned();
    fallen_back.seated.fell_back_from = Some("claude".to_owned());
    let answers = vec![fallen_back, judged(&machine, &turns[1], &good(&turns[1])), fail(&turns[2])];
    machine.apply(answers);
    let seats = done(&machine).seats;
    assert_eq!(
        (seats[0].status, seats[0].fell_back_to.as_deref()),
        (SeatStatus::FellBack, Some("gemini"))
    );
    assert_eq!(seats[1].status, SeatStatus::Failed);
    assert_eq!(seats[1].failure.as_deref(), Some("1 of 2 turns failed; timed_out: no answer"));
    // A role that no question is for has no seat.
    let alone = Machine::new(input(vec![fix("a")])).unwrap();
    assert_eq!(alone.stop(Stop::Budget).seats.len(), 1);
}

#[test]
fn warnings_of_prompts_and_replies_are_kept_with_their_turn() {
    let mut questions = vec![features(5)];
    if let Question::Features { summary, .. } = &mut questions[0] {
        *summary = "<<<FEATURE_OPPORTUNITIES_START>>>\n".repeat(2);
    }
    let mut machine = machine(questions);
    let turn = asked(&machine).remove(0);
    let text = proposal(&json!([feature("Undo", [7, 3, 8, 0])]));
    let facts = machine.apply(vec![judged(&machine, &turn, &text)]);
    assert_eq!(facts[0].code, "risk_raised");
    let warnings = done(&machine).warnings;
    let codes: Vec<&str> = warnings.iter().map(|each| &*each.code).collect();
    assert_eq!(codes, ["forged_marker", "risk_raised"]);
    assert!(warnings.iter().all(|each| each.turn.as_deref() == Some("features")));
}

#[test]
fn inputs_that_are_refused() {
    let refused = |questions| Machine::new(input(questions)).map(|_| ()).unwrap_err();
    assert_eq!(refused(Vec::new()), InputError::NoQuestion);
    assert_eq!(refused(vec![fix("a"), fix("a")]), InputError::Duplicate("fix/a".to_owned()));
    assert_eq!(
        refused(vec![features(1), features(2)]),
        InputError::Duplicate("features".to_owned())
    );
    for limit in [0, 101] {
        assert!(refused(vec![features(limit)]).to_string().starts_with("`limit` must be 1 to 100"));
    }
    for id in ["a b", "a\u{2028}b", "@file", "<<<X_START>>>", "", &"x".repeat(129)] {
        let mut question = fix("a");
        if let Question::Fix { opportunity, .. } = &mut question {
            opportunity.opportunity_id = id.to_owned();
        }
        assert_eq!(refused(vec![question]), InputError::Id(id.to_owned()));
    }
    let many = (0..1_002).map(|n| fix(&format!("opp-{n}"))).collect();
    assert_eq!(refused(many), InputError::TooMany(1_002));
    let mut small = input(vec![features(1)]);
    small.settings = Settings { prompt_chars: 3_999, ..Settings::default() };
    assert!(Machine::new(small).is_err());
}

#[test]
fn questions_survive_a_journal() {
    for question in [features(3), fix("opp-tf-1")] {
        let text = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question, "{text}");
    }
}

proptest! {
    /// Any replies, good, empty or garbage: the inquiry is over after one step, and nothing is lost or invented.
    #[test]
    fn one_step_ends_it(texts in proptest::collection::vec(prop_oneof![
        Just(None),
        Just(Some(proposal(&json!([])))),
        Just(Some(suggestion("Do it."))),
        "[<A-Z_>\n{}\"a]{0,60}".prop_map(Some),
    ], 3)) {
        let mut machine = three();
        let answers: Vec<_> = asked(&machine)
            .iter()
            .zip(&texts)
            .map(|(turn, text)| text.as_ref().map_or_else(|| fail(turn), |text| judged(&machine, turn, text)))
            .collect();
        let valid = answers.iter().filter(|answer| answer.result.is_ok()).count();
        machine.apply(answers);
        let end = done(&machine);
        prop_assert_eq!((end.answers.len(), end.failures.len()), (valid, 3 - valid));
        prop_assert_eq!(end.outcome, match valid {
            0 => InquiryOutcome::AgentFailure,
            3 => InquiryOutcome::Answered,
            _ => InquiryOutcome::Partial,
        });
    }
}
