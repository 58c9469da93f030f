//! Every transition of the state table, and the reports of a round and of a stop.

use super::super::input::Settings;
use super::super::testing::*;
use super::*;
use crate::kernel::{Ended, Halt, SeatStatus};

pub(super) fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.warnings.iter().map(|each| &*each.code).collect()
}

pub(super) fn opens(machine: &Driver<Machine>) -> Option<u32> {
    match machine.next() {
        Step::Ask { opens_round, .. } => opens_round,
        Step::Done(_) => None,
    }
}

/// Seats; cross rounds; judge (`-` none, `j` outside, `s` a seat); seats whose answer fails; ballots; rulings; end.
type Row =
    (usize, u32, char, &'static [usize], &'static [&'static str], &'static str, &'static str);

/// Seats; the option that each answer takes; the state after the answers. Each transition from `answers` that options
/// decide, and each that they must not.
const OPTIONS: [(usize, &str, &str); 14] = [
    (3, "Redis Redis Redis", "settled"),
    (3, "redis <Redis> Redis:", "settled"),
    // Somebody takes another one, none, or none that can be made out.
    (3, "Redis Redis Files", "r2/vote"),
    (3, "Redis Redis none", "r2/vote"),
    (3, "Redis Redis -", "r2/vote"),
    (3, "Redis Redis Kafka", "r2/vote"),
    (3, "Redis Redis Redis/Files", "r2/vote"),
    // That none will do is no option: each may want something else.
    (3, "none none none", "r2/vote"),
    (3, "- - -", "r2/vote"),
    // A silent seat agrees to nothing, and does not stand in the way of a quorum.
    (3, "Redis . Redis", "settled"),
    (3, "Redis . Files", "r2/vote"),
    (4, "Redis Redis . .", "failed"),
    (3, "Redis . .", "failed"),
    (5, "Redis Redis Redis . .", "settled"),
];

fn with_options(seats: usize) -> Input {
    let mut input = input(seats);
    input.brief.options = ["Redis", "Files", "the process's memory"].map(str::to_owned).to_vec();
    input
}

#[test]
fn answers_that_take_one_option_settle_it_without_a_vote() {
    for (seats, taken, end) in OPTIONS {
        let mut machine = Machine::open(with_options(seats)).unwrap();
        options(&mut machine, taken);
        let stands = match machine.next() {
            Step::Done(outcome) => outcome.outcome.name().to_owned(),
            Step::Ask { turns, .. } => turns[0].id.replace("/s1", ""),
        };
        assert_eq!(stands, end, "{taken}");
    }
}

/// Seats of one vendor agree with themselves.
#[test]
fn one_option_of_one_vendor_settles_nothing() {
    let mut input = with_options(3);
    for seat in input.seats.values_mut() {
        seat.vendor = "anthropic".to_owned();
    }
    let mut machine = Machine::open(input).unwrap();
    options(&mut machine, "Redis Redis Redis");
    let end = done(&machine);
    assert_eq!((end.outcome, end.quorum.vendors), (DebateOutcome::OneVendor.into(), 1));
}

/// Setups of a panel, their course, and the resulting state: each transition of the table in `mod.rs`, and each that
/// it excludes.
const ROWS: [Row; 37] = [
    // answers -> failed: half of the seats or fewer.
    (4, 1, '-', &[3, 4], &[], "", "failed"),
    (5, 1, '-', &[2, 3, 4], &[], "", "failed"),
    (3, 1, '-', &[1, 2, 3], &[], "", "failed"),
    // answers -> vote: more than half, of two vendors.
    (4, 1, '-', &[4], &[], "", "r2/vote"),
    (3, 1, '-', &[1], &[], "", "r2/vote"),
    // vote -> failed.
    (3, 1, '-', &[], &[". . 1"], "", "failed"),
    (4, 1, '-', &[], &["1 1 . ."], "", "failed"),
    (5, 1, 'j', &[], &["1 . . . 1"], "", "failed"),
    // vote -> settled: every vote for one choice; a seat that failed to answer votes too.
    (3, 1, '-', &[], &["2 2 2"], "", "settled"),
    (3, 1, '-', &[3], &["2 2 2"], "", "settled"),
    (3, 1, '-', &[], &["2 2 ."], "", "settled"),
    // A majority is not enough while there is a cross round to hold.
    (3, 1, '-', &[], &["1 1 2"], "", "r3/cross/s3"),
    // Without cross rounds it is enough.
    (3, 0, '-', &[], &["1 1 2"], "", "settled"),
    (4, 0, '-', &[], &["1 1 2 2"], "", "split"),
    (4, 0, 'j', &[], &["1 1 2 2"], "", "r3/judge/own"),
    // Answers that most seats consider the same are one choice: nobody disagrees.
    (3, 1, '-', &[], &["1=12 2=12 2"], "", "settled"),
    (3, 1, '-', &[], &["1=12 2 2"], "", "r3/cross"),
    // cross -> failed.
    (3, 1, '-', &[], &["1 2 3", "1 . ."], "", "failed"),
    (5, 1, 'j', &[], &["1 2 3 4 1", "- . . . -"], "", "failed"),
    // cross -> settled: a majority of all seats, of two vendors.
    (3, 1, '-', &[], &["1 2 3", "1 1! 3"], "", "settled"),
    (4, 1, '-', &[], &["1 1 3 4", "- - 1! 4"], "", "settled"),
    (4, 1, '-', &[], &["1 1 3 4", "- - 1! ."], "", "settled"),
    // Votes that stand are counted: who was not asked is not silent.
    (5, 1, '-', &[], &["1 1 1 4 5", "- - - . ."], "", "settled"),
    // Where two choices lead, nobody does: all are asked, and so is a seat without a vote.
    (4, 1, '-', &[], &["1 1 2 2", "1 1 1! 2"], "", "settled"),
    (4, 1, '-', &[], &["1 1 . 4", "- - 1 4"], "", "settled"),
    // A seat that was silent in the last ballot is asked again, and none of its earlier votes stands.
    (4, 2, '-', &[], &["1 2 3 4", ". 1! 1! 4", ". - - 4"], "", "split"),
    // Half of the seats is not a majority, nor is a majority of only those that voted.
    (4, 1, '-', &[], &["1 1 3 4", "- - 3 ."], "", "split"),
    // A change without evidence is not counted.
    (3, 1, '-', &[], &["1 2 3", "1 1 3"], "", "split"),
    // cross -> cross, while rounds are left, and no further.
    (3, 2, '-', &[], &["1 2 3", "1 2 3"], "", "r4/cross"),
    (3, 2, '-', &[], &["1 2 3", "1 1! 3"], "", "settled"),
    (3, 2, '-', &[], &["1 2 3", "1 2 3", "1 1! 3"], "", "settled"),
    // cross -> own answer.
    (3, 1, 'j', &[], &["1 2 3", "1 2 3"], "", "r4/judge/own"),
    (3, 1, 's', &[], &["1 2 3", "1 2 3"], "", "r4/judge/own"),
    // rulings -> judged, unstable, split.
    (3, 1, 'j', &[], &["1 2 3", "1 2 3"], "22", "judged"),
    (3, 1, 'j', &[], &["1 2 3", "1 2 3"], "23", "unstable"),
    (3, 1, 'j', &[], &["1 2 3", "1 2 3"], "2.", "split"),
    (3, 1, 's', &[], &["1 2 3", "1 2 3"], ".2", "split"),
];

#[test]
fn every_arrow() {
    for (seats, max_rounds, judge_is, dead, ballots, rulings, end) in ROWS {
        let row = format!("{seats} {max_rounds} {judge_is} {dead:?} {ballots:?} {rulings}");
        let base = if judge_is == 'j' { input_of_mistral(seats, max_rounds) } else { input(seats) };
        let settings = Settings { max_rounds, judge_from_seats: judge_is == 's' };
        let mut machine = Machine::open(Input { settings, ..base }).unwrap();
        answers(&mut machine, dead);
        for ballot in ballots {
            votes(&mut machine, ballot);
        }
        if !rulings.is_empty() {
            judge(&mut machine, rulings);
        }
        let stands = match machine.next() {
            Step::Done(outcome) => outcome.outcome.name().to_owned(),
            Step::Ask { turns, .. } => turns[0].id.replace("/s1", ""),
        };
        assert_eq!(stands, end, "{row}");
    }
}

#[test]
fn a_stop_keeps_what_there_is_and_leaves_the_session_open() {
    let machine = machine(3);
    let end = machine.stop(Stop::Budget);
    assert_eq!(
        (end.outcome, end.result.rounds.len(), end.result.consensus),
        (Ended::Stopped(Halt::Budget), 0, None)
    );
    let mut half = machine.clone();
    let turns = asked(&half);
    let text = crate::contract::template::block("ANSWER", &answer_body("One.").to_string());
    let came = said(&half, &turns[1], Some(&text));
    half.part([None, Some(came), None]);
    let end = half.stop(Stop::Deadline);
    assert_eq!((end.outcome, end.result.rounds.len()), (Ended::Stopped(Halt::Interrupted), 0));
    assert_eq!(end.result.final_positions["s2"].text, "One.");
    assert_eq!(
        (end.seats[0].status, end.seats[1].status),
        (SeatStatus::Skipped, SeatStatus::Answered)
    );
    let mut voted = machine.clone();
    answers(&mut voted, &[]);
    votes(&mut voted, "1 2 3");
    // A ballot that is cut short is not counted.
    let turns = asked(&voted);
    let text = vote(&voted, &turns[0], "2!");
    let whole = voted.stop(Stop::Cancelled(2));
    let part = said(&voted, &turns[0], text.as_deref());
    let failed = said(&voted, &turns[1], None);
    voted.part([Some(part), Some(failed), None]);
    let end = voted.stop(Stop::Cancelled(2));
    assert_eq!(end, whole);
    assert_eq!((end.outcome, end.result.rounds.len()), (Ended::Stopped(Halt::Interrupted), 2));
    assert!(!end.outcome.closes() && end.result.decision.is_none());
    assert_eq!(
        (end.result.last_votes.len(), end.result.dissent.len(), end.result.open_points.len()),
        (3, 3, 3)
    );
    // A panel that is over keeps its outcome.
    let mut over = machine;
    answers(&mut over, &[]);
    votes(&mut over, "2 2 2");
    assert_eq!(over.stop(Stop::Cancelled(2)).outcome, DebateOutcome::Settled);
}

#[test]
fn what_cannot_be_held_is_refused() {
    for (seats, rounds, message) in [
        (2, 1, "a panel has 3 to 12 seats, not 2"),
        (13, 1, "a panel has 3 to 12 seats, not 13"),
        (3, 6, "`max_rounds` must be 0 to 5, not 6"),
    ] {
        let mut input = input(3);
        let seats = (0..seats).map(|seat| (seat_name(seat), seated("claude", "anthropic")));
        input.seats = seats.collect();
        input.settings.max_rounds = rounds;
        let error = Machine::open(input).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let mut input = input(3);
    input.brief.topic = " ".to_owned();
    assert!(Machine::open(input).unwrap_err().to_string().starts_with("the topic is empty"));
}
