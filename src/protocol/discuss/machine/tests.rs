//! Every transition of the state table.

use super::super::input::{ARTIFACT_BYTES, MAX_PERSPECTIVES};
use super::super::model::Severity;
use super::super::testing::*;
use super::*;
use crate::kernel::{Ended, Event, Halt};

const ALL: &str = "product technical quality risk coverage";

/// Perspectives; the script of each (see `said_by`); the outcome and the severity that the specification gives.
type Row = (&'static str, &'static str, Verdict, Option<Severity>);

use Verdict::{ConsensusBlocked as Blocked, ConsensusReached as Reached, OneVendor, Undecided};

const NONE: Option<Severity> = Some(Severity::None);
const LOW: Option<Severity> = Some(Severity::Low);
const MEDIUM: Option<Severity> = Some(Severity::Medium);
const HIGH: Option<Severity> = Some(Severity::High);

const ROWS: &[Row] = &[
    // Half of the answers or fewer: undecided, whatever they say.
    ("product", ".", Undecided, None),
    ("product", "?", Undecided, None),
    ("product technical", "4 .", Undecided, None),
    ("product technical", ". 4", Undecided, None),
    ("product technical", "1g ?", Undecided, None),
    ("product technical", ". .", Undecided, None),
    ("product technical quality", "5 . .", Undecided, None),
    ("product technical quality", ". . .", Undecided, None),
    ("product technical quality risk", "5 . . 5", Undecided, None),
    ("product technical quality risk", ". 1 1 .", Undecided, None),
    (ALL, "5 5 . . .", Undecided, None),
    (ALL, ". . . 5c 5g", Undecided, None),
    (ALL, ". . . . .", Undecided, None),
    // An unreadable answer does not count.
    (ALL, "5 5 ? ? ?", Undecided, None),
    // One more is enough.
    ("product technical quality", "5 . 5", Reached, NONE),
    ("product technical quality risk", "5 5 . 5", Reached, NONE),
    (ALL, "5 . 5 . 5", Reached, NONE),
    (ALL, ". 5 5 5w .", Reached, LOW),
    // An answer by a fallback agent counts.
    ("product technical quality", "5! . 5!", OneVendor, NONE),
    ("product", "5!", Reached, NONE),
    // High: missing requirements; a critical risk; two low ratings; a low rating by the only perspective.
    ("product coverage", "5 5g", Blocked, HIGH),
    // Only who checks against the context can find a gap; what others miss is a weakness.
    ("product coverage", "5g 5", OneVendor, LOW),
    ("product", "5g", Reached, LOW),
    ("product risk", "5 5c", Blocked, HIGH),
    ("product risk", "5c 5l", Blocked, HIGH),
    ("product technical", "2 2", Blocked, HIGH),
    ("product technical", "1 2", Blocked, HIGH),
    (ALL, "5 2 5 5 1", Blocked, HIGH),
    ("product", "2", Blocked, HIGH),
    ("product", "1+", Blocked, HIGH),
    (ALL, "2 2 5 . .", Blocked, HIGH),
    // Medium: a high risk; exactly one low rating.
    ("product risk", "5 5h", Blocked, MEDIUM),
    ("product risk", "5h 5l", Blocked, MEDIUM),
    ("product", "5h", Blocked, MEDIUM),
    ("product technical", "2 5", Blocked, MEDIUM),
    ("product technical", "5 1", Blocked, MEDIUM),
    (ALL, "1 5 5 5 5", Blocked, MEDIUM),
    (ALL, "1 5 5 . .", Blocked, MEDIUM),
    // Low: a weakness, a suggestion, a risk, a risk level of medium.
    ("product technical", "3w 3", Reached, LOW),
    ("product technical", "5 5s", Reached, LOW),
    ("product technical", "5r 5", Reached, LOW),
    ("product technical", "5 5m", Reached, LOW),
    ("product risk", "5 5rl", OneVendor, LOW),
    ("product", "3w", Reached, LOW),
    // None: nothing raised; praise raises nothing.
    ("product", "3", Reached, NONE),
    ("product technical", "3 3", Reached, NONE),
    ("product technical", "5+ 5+", Reached, NONE),
    ("product risk", "5 5l", OneVendor, NONE),
    (ALL, "5 5 5 5 5", Reached, NONE),
];

#[test]
fn every_arrow() {
    for (names, scripts, end, severity) in ROWS {
        let mut machine = machine(names);
        let answers = answers(&machine, scripts);
        let facts = machine.apply(answers);
        let outcome = done(&machine);
        let row = format!("{names}: {scripts}");
        assert_eq!((outcome.outcome, outcome.result.severity), ((*end).into(), *severity), "{row}");
        assert_eq!(outcome.result.recommendation.is_some(), severity.is_some(), "{row}");
        assert_eq!(outcome.outcome.closes(), severity.is_some(), "{row}");
        let closed =
            facts.iter().filter(|each| matches!(each, Event::RoundClosed { round: 1, .. }));
        assert_eq!(closed.count(), 1, "{row}");
        assert_eq!(machine.next(), machine.next(), "{row}");
    }
}

/// How many answers decide, for each number of perspectives asked.
#[test]
fn more_than_half_must_answer() {
    for (asked, needed) in
        [(1_usize, 1_usize), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4), (8, 5), (9, 5)]
    {
        for answered in 0..=asked {
            let names: Vec<String> = (0..asked).map(|at| format!("p{at}")).collect();
            let scripts: Vec<&str> =
                (0..asked).map(|at| if at < answered { "5" } else { "." }).collect();
            let outcome = run(&names.join(" "), &scripts.join(" "));
            assert_eq!(outcome.outcome.closes(), answered >= needed, "{answered}/{asked}");
            assert_eq!(usize::try_from(outcome.quorum.needed).unwrap(), needed);
        }
    }
}

/// A perspective that is not asked does not count towards the quorum.
#[test]
fn one_that_is_skipped_is_not_missed() {
    let mut input = input("product technical quality");
    input.task.skipped = vec![skipped("coverage", "there is no context")];
    let mut machine = Machine::open(input).unwrap();
    let answers = answers(&machine, "5 5 .");
    machine.apply(answers);
    let outcome = done(&machine);
    assert_eq!((outcome.outcome, outcome.quorum.needed), (Reached.into(), 2));
}

/// The message of a round, and of one that decides nothing, stands in the golden runs.
#[test]
fn the_round_says_what_it_came_to() {
    let mut machine = machine("product technical quality");
    let answers = answers(&machine, "4 2w .");
    let facts = machine.apply(answers);
    let closed = facts.last().unwrap().fact();
    assert_eq!((&*closed.code, closed.turn.as_deref()), ("round_closed", Some("r1/quality")));
    let outcome = done(&machine);
    let data = json!({
        "round": 1, "answered": 2, "asked": 3, "ratings": outcome.result.ratings, "severity": "medium",
        "verdict": outcome.verdict,
    });
    assert_eq!(closed.data, data);
}

#[test]
fn a_stop_keeps_what_came_decides_nothing_and_leaves_the_session_open() {
    let stopped = Ended::Stopped(Halt::Budget);
    let mut stops = machine(ALL);
    let nothing = stops.stop(Stop::Budget);
    assert_eq!((nothing.outcome, nothing.result.perspectives.len()), (stopped, 0));
    // Four of five answers in favour of going on; the last one did not arrive.
    let came = answers(&stops, "5 5 5 5 5");
    stops.part(came.into_iter().take(4).map(Some));
    let outcome = stops.stop(Stop::Budget);
    assert_eq!((outcome.outcome, outcome.result.perspectives.len()), (stopped, 4));
    assert_eq!(outcome.verdict, Undecided);
    assert!(!outcome.outcome.closes());
    assert_eq!((outcome.result.severity, outcome.result.recommendation), (None, None));
    assert_eq!((outcome.result.average_rating, outcome.failure), (Some(5.0), None));
    // A closed critique keeps its outcome.
    let mut over = machine("product");
    let all = answers(&over, "5");
    over.apply(all);
    assert_eq!(over.stop(Stop::Cancelled(15)), done(&over));
    assert_eq!(done(&over).outcome, Reached);
}

#[test]
fn what_cannot_be_criticised_is_refused_before_anybody_is_asked() {
    let refused = |change: &dyn Fn(&mut Input)| {
        let mut input = input("product coverage");
        change(&mut input);
        Machine::open(input).err()
    };
    assert_eq!(refused(&|_| {}), None);
    let nobody = refused(&|input| input.task.perspectives.clear());
    assert_eq!(nobody, Some(InputError::Perspectives(0)));
    let many = refused(&|input| {
        let more = (0..MAX_PERSPECTIVES).map(|at| perspective(&format!("p{at}")));
        input.task.perspectives.extend(more);
    });
    assert_eq!(many, Some(InputError::Perspectives(11)));
    let twice = refused(&|input| input.task.perspectives.push(perspective("product")));
    assert_eq!(twice, Some(InputError::Twice("product".to_owned())));
    let seatless = refused(&|input| drop(input.seats.remove("product")));
    assert_eq!(seatless, Some(InputError::NoSeat("product".to_owned())));
    let contextless = refused(&|input| input.task.context = None);
    assert_eq!(contextless, Some(InputError::NoContext("coverage".to_owned())));
    for empty in ["", " \n\t"] {
        let empty = refused(&|input| input.task.artifact = artifact("a.md", empty));
        assert_eq!(empty, Some(InputError::Empty("a.md".to_owned())));
    }
    let long = refused(&|input| {
        input.task.artifact = artifact("a.md", &"x".repeat(ARTIFACT_BYTES + 1));
    });
    let expected = InputError::TooLong { name: "a.md".to_owned(), bytes: ARTIFACT_BYTES + 1 };
    assert_eq!(long, Some(expected));
    for id in ["", "../x", ".hidden", "a b", "-x"] {
        let bad = refused(&|input| input.task.round_id = id.to_owned());
        assert_eq!(bad, Some(InputError::RoundId(id.to_owned())));
    }
}

/// Runs a critique by the rules of its settings.
fn by_rules(input: Input, scripts: &str) -> Outcome {
    let mut machine = Machine::open(input).unwrap();
    let answers = answers(&machine, scripts);
    machine.apply(answers);
    done(&machine)
}

#[test]
fn a_gap_is_a_requirement_that_the_context_has() {
    let with = |context: &str| {
        let mut input = input("coverage");
        input.task.context = Some(artifact("context.json", context));
        by_rules(input, "5g")
    };
    let known = with("{\"requirements\": [\"Orders can be returned\"]}");
    assert_eq!((known.result.severity, known.result.coverage_gaps.len()), (HIGH, 1));
    assert!(known.warnings.is_empty(), "{:?}", known.warnings);
    let unknown = with("{\"requirements\": [\"Orders can be tracked\"]}");
    assert_eq!((unknown.result.severity, unknown.result.coverage_gaps.len()), (LOW, 0));
    let weaknesses = &unknown.result.perspectives[0].critique.weaknesses;
    assert_eq!(weaknesses.len(), 1, "it is not lost");
    assert_eq!(unknown.warnings[0].code, "not_required");
    assert_eq!(unknown.warnings[0].turn.as_deref(), Some("r1/coverage"));
    assert!(!unknown.result.action_items.is_empty());
}

/// One sentence of a perspective that was shown no context used to block an artifact.
#[test]
fn without_a_context_nothing_is_a_gap() {
    let mut input = input("technical quality");
    input.task.context = None;
    let outcome = by_rules(input, "4g 4");
    assert_eq!((outcome.outcome, outcome.result.severity), (Reached.into(), LOW));
}
