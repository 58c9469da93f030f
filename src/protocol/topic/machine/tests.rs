//! Every transition of the state table, one row each; then the cases that rows cannot show.

mod blind;
mod ids;
mod seats;

use super::super::input::Settings;
use super::super::testing::*;
use super::*;
use crate::kernel::{Ended, Halt, SeatStatus};

/// Runs a script; returns the ids of the turns asked, and the outcome.
fn run(input: Input, script: &str) -> (String, Outcome) {
    let mut machine = Machine::open(input).unwrap();
    let turns = play(&mut machine, script);
    let ids: Vec<&str> = turns.iter().map(|turn| &*turn.id).collect();
    (ids.join(" "), done(&machine))
}

fn with(max_rounds: u32, change: impl FnOnce(&mut Settings)) -> Input {
    let mut input = input(max_rounds);
    change(&mut input.settings);
    input
}

/// Columns: maximum rounds | answers, one word per turn | turns asked | outcome | last consensus, in thousandths.
const ARROWS: &str = "
# propose
 4 | . | r1/propose | failed | -
# review: the bands, as the first of several rounds, then as the last
 4 | 1 a | r1/propose r1/review | adopted | 1000
 4 | 10 aaaaaaaapd | r1/propose r1/review | adopted | 850
 4 | 4 aaad a | r1/propose r1/review r2/rebuttal | adopted | 1000
 4 | 1 d a | r1/propose r1/review r2/rebuttal | adopted | 1000
 1 | 1 a | r1/propose r1/review | adopted | 1000
 1 | 4 aaad | r1/propose r1/review | partial | 750
 1 | 2 ad | r1/propose r1/review | deadlocked | 500
 2 | 2 ad r | r1/propose r1/review r2/expert | expert | 500
 2 | 4 aaad | r1/propose r1/review | partial | 750
# review missing: it is asked for again, since the proposer has nothing to answer
 4 | 1 . a | r1/propose r1/review r2/review | adopted | 1000
 4 | 1 . d a | r1/propose r1/review r2/review r3/rebuttal | adopted | 1000
 4 | 1 . . | r1/propose r1/review r2/review | failed | -
 1 | 1 . | r1/propose r1/review | failed | -
 2 | 1 . | r1/propose r1/review | failed | -
# rebuttal: the bands, the deadlock
 3 | 2 ad4 aaad | r1/propose r1/review r2/rebuttal | partial | 750
 3 | 2 ad2 ad r | r1/propose r1/review r2/rebuttal r3/expert | expert | 500
 5 | 2 ad2 ad r | r1/propose r1/review r2/rebuttal r3/expert | expert | 500
 5 | 2 ad2 dd r | r1/propose r1/review r2/rebuttal r3/expert | expert | 0
 5 | 4 aaad4 aaad 1 a | r1/propose r1/review r2/rebuttal r3/compromise r3/answer | adopted | 1000
# rebuttal missing: the reviewer's position waits for it
 4 | 2 ad . a | r1/propose r1/review r2/rebuttal r3/rebuttal | adopted | 1000
 4 | 2 ad . . | r1/propose r1/review r2/rebuttal r3/rebuttal | failed | 500
 3 | 2 ad . r | r1/propose r1/review r2/rebuttal r3/expert | expert | 500
# compromise missing
 4 | 2 dd2 ad . r | r1/propose r1/review r2/rebuttal r3/compromise r4/expert | expert | 500
 5 | 2 dd2 ad . 2 aa | r1/propose r1/review r2/rebuttal r3/compromise r4/compromise r4/answer | adopted | 1000
 5 | 2 dd2 ad . . | r1/propose r1/review r2/rebuttal r3/compromise r4/compromise | failed | 500
# answer: the bands at the last debating round, the deadlock, what is open alone
 4 | 2 dd2 ad 10 aaaaaaaddd | r1/propose r1/review r2/rebuttal r3/compromise r3/answer | partial | 700
 4 | 2 dd2 ad 10 aaaaaapddd r | r1/propose r1/review r2/rebuttal r3/compromise r3/answer r4/expert | expert | 650
 5 | 2 dd2 ad 2 ad r | r1/propose r1/review r2/rebuttal r3/compromise r3/answer r4/expert | expert | 500
 5 | 2 dd2 ad 2 ap 1 a | r1/propose r1/review r2/rebuttal r3/compromise r3/answer r4/compromise r4/answer | adopted | 1000
# answer missing: the draft waits for it
 4 | 2 dd2 ad 2 . r | r1/propose r1/review r2/rebuttal r3/compromise r3/answer r4/expert | expert | 500
 5 | 2 dd2 ad 2 . aa | r1/propose r1/review r2/rebuttal r3/compromise r3/answer r4/answer | adopted | 1000
 5 | 2 dd2 ad 2 . . | r1/propose r1/review r2/rebuttal r3/compromise r3/answer r4/answer | failed | 500
# one silence of each side is not two in a row
 6 | 1 . d . a | r1/propose r1/review r2/review r3/rebuttal r4/rebuttal | adopted | 1000
# expert missing
 3 | 2 ad2 ad . | r1/propose r1/review r2/rebuttal r3/expert | deadlocked | 500
";

/// Runs each row with the input for its rounds. No seat is asked twice in a row with nothing new: only after a failure,
/// and once both have spoken at the same time.
fn every_arrow(arrows: &str, input: fn(u32) -> Input) {
    let rows = arrows.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [max_rounds, script, ids, outcome, consensus] = cells[..] else {
            panic!("{row}");
        };
        let mut machine = Machine::open(input(max_rounds.parse().unwrap())).unwrap();
        let turns = play(&mut machine, script);
        let end = done(&machine);
        let asked: Vec<&str> = turns.iter().map(|turn| &*turn.id).collect();
        assert_eq!(asked.join(" "), ids, "{row}");
        for (two, word) in turns.windows(2).zip(script.split_whitespace()) {
            let new = two[0].role != two[1].role || two[0].id.contains("/stances/");
            assert!(new || word == ".", "{row}: {}", two[1].id);
        }
        assert_eq!(end.outcome.name(), outcome, "{row}");
        let measured = end.result.consensus.map_or("-".to_owned(), |share| share.get().to_string());
        assert_eq!(measured, consensus, "{row}");
    }
}

#[test]
fn every_arrow_of_the_state_table() {
    every_arrow(ARROWS, input);
}

#[test]
fn a_deadlock_is_a_rise_by_less_than_the_setting() {
    // From 0.25 to 0.5: a rise of exactly 0.25.
    for (rise, next) in [(250, "r3/compromise"), (251, "r3/expert")] {
        let input = with(5, |settings| {
            settings.deadlock_rise = Share::thousandths(rise);
        });
        let mut machine = Machine::open(input).unwrap();
        play(&mut machine, "4 addd4 aadd");
        assert_eq!(only(&machine).unwrap().id, next);
    }
    // Across a forced round, the rise is measured from the last check.
    let mut machine = machine(6);
    play(&mut machine, "2 ad2 . ad");
    assert_eq!(only(&machine).unwrap().id, "r4/expert");
}

#[test]
fn what_too_few_stances_cover_is_not_agreement_in_part() {
    // 3 of 4 points, 75% by weight: below the 80% that consensus needs, although the score is above 0.7.
    let mut three = machine(2);
    play(&mut three, "4 aaa.");
    assert_eq!(only(&three).unwrap().id, "r2/expert");
    // 4 of 5 points cover 80%, so the check counts.
    let mut four = machine(2);
    play(&mut four, "5 aaaa.");
    assert_eq!(done(&four).outcome, DebateOutcome::Partial);
    // Coverage is required even if the score reaches the consensus threshold.
    let input = with(2, |settings| {
        settings.consensus_threshold = Share::thousandths(700);
    });
    let mut machine = Machine::open(input).unwrap();
    play(&mut machine, "4 aaa.");
    assert_eq!(only(&machine).unwrap().id, "r2/expert");
}

#[test]
fn later_drafts_are_about_what_is_open_alone() {
    let mut machine = machine(6);
    play(&mut machine, "2 dd4 addd 3 apd");
    let draft = only(&machine).unwrap();
    assert_eq!(draft.id, "r4/compromise");
    let data = data_of(&draft);
    assert_eq!(data["agreed"].as_array().unwrap().len(), 1);
    assert_eq!(data["agreed"][0]["id"], "J1");
    let varying = &draft.prompt.varying;
    assert!(varying.contains("Write points for what is open alone"));
    play(&mut machine, "2");
    // J1 is unchanged; new points continue from J4, so that no id means two things.
    let turn = only(&machine).unwrap();
    assert_eq!(shown(&turn), ["J4", "J5"]);
    let data = data_of(&turn);
    assert_eq!(data["agreed"][0]["claim"], "Claim 1 of r3-compromise.");
    let defect = machine
        .read(
            &turn,
            &raw(&Content::Stances(stances(&["J1".to_owned()], "d")).render()),
            Chance::First,
        )
        .unwrap_err();
    assert_eq!(defect.expected_ids, ["J4", "J5"]);
    // One point agreed before, one now, one not: 2 of 3.
    play(&mut machine, "ad");
    let record = machine.protocol().rounds.last().unwrap();
    assert_eq!(record.consensus.as_ref().unwrap().decisive, Some(Share::thousandths(666)));
    let joint: Vec<&str> =
        record.positions["joint"].points.iter().map(|point| &*point.id).collect();
    assert_eq!(joint, ["J1", "J4", "J5"]);
    let said: Vec<&str> =
        record.stances["proposer"].stances.iter().map(|said| &*said.point).collect();
    assert_eq!(said, ["J1", "J4", "J5"]);
    // An unanswered draft keeps what was agreed before it.
    play(&mut machine, "1 .");
    assert_eq!(only(&machine).unwrap().id, "r6/expert");
    assert_eq!(shown(&only(&machine).unwrap()), ["J6"]);
}

#[test]
fn a_forced_round_says_whose_answer_is_missing_and_keeps_what_stood() {
    let mut machine = machine(6);
    play(&mut machine, "2 ad2 .");
    let record = machine.protocol().rounds.last().unwrap();
    assert_eq!(
        (record.round, &record.consensus, &record.forced[..]),
        (2, &None, &["proposer".to_owned()][..])
    );
    assert_eq!(record.positions["proposer"].summary, "Summary of r1-propose.");
    assert_eq!(record.positions["reviewer"].summary, "Summary of r1-review.");
    assert!(record.stances.is_empty());
    let Step::Ask { opens_round, .. } = machine.next() else { panic!("over") };
    assert_eq!(opens_round, Some(3));
}

#[test]
fn a_stop_keeps_everything() {
    let mut machine = machine(4);
    play(&mut machine, "2 ad2");
    let end = machine.stop(Stop::Budget);
    assert_eq!(end.outcome, Ended::Stopped(Halt::Budget));
    assert_eq!(
        (end.result.rounds.len(), end.result.final_positions.len(), end.result.decision.as_ref()),
        (1, 2, None)
    );
    assert_eq!(end.result.final_positions["reviewer"].text, "Summary of r1-review.");
    assert_eq!(end.result.dissent.len(), 1);
    assert!(end.seats.iter().all(|seat| seat.status != SeatStatus::Failed));
    play(&mut machine, "aa");
    assert_eq!(machine.stop(Stop::Budget).outcome, DebateOutcome::Adopted);
}
