//! The stand-ins of a planning: plans from the task's words, judgements by fixed rules.
//!
//! All seats share two steps, word for word, and each has a test in its own words and one step of its own, so that there
//! is something to group, something to join, something to judge and something to add. Judges call the tests the same and
//! agree, but want every measurement changed; the first seat reports a missing way back; validators approve. None of it
//! is advice.

use serde::Deserialize;
use serde_json::Value;

use super::BANNER;
use crate::protocol::plan::contract::Ask;
use crate::protocol::plan::{
    Ballot, Content, Judgement, PlanBlock, PlanReviewBlock, PlanStep, Stance, ValidationBlock,
    score,
};
use crate::text::sanitize;

/// Maximum characters of the task that a step repeats.
const TASK_CHARS: usize = 80;

/// One test in different words, by seat: titles and descriptions.
const TESTS: [(&str, &str); 3] = [
    ("Write a test that fails without the change", "The test shows that it is done"),
    ("Cover the new behaviour", "Prove by an automated case what is different afterwards"),
    ("Add cases around the edges", "Look for the smallest input that breaks it and keep it"),
];

/// The step that the first seat reports as missing.
const WAY_BACK: &str = "Write down the way back";

/// The data of a turn.
#[derive(Deserialize)]
struct TurnData {
    task: String,
    ask: String,
    /// The seat's index, from 0.
    seat: usize,
    round: Option<u32>,
    /// The prompt's view of the others.
    shown: Value,
}

/// Answers a turn; `None` if it does not belong to a planning.
pub(super) fn answer(data: &Value) -> Option<Content> {
    let told = TurnData::deserialize(data).ok()?;
    let ask = Ask::ALL.into_iter().find(|ask| ask.word() == told.ask)?;
    Some(match ask {
        Ask::Plan => Content::Plan(plan(&told.task, told.seat)),
        Ask::Cross => Content::Cross(cross(&told.shown, told.seat, told.round == Some(2))),
        Ask::Validation => Content::Validation(validation(&told.shown)),
    })
}

fn plan(task: &str, seat: usize) -> PlanBlock {
    let short = sanitize::line(task, TASK_CHARS);
    let wanted = score::wanted(task, None);
    let files: Vec<String> = wanted.iter().map(|file| file.path().to_owned()).collect();
    let step = |id: &str, phase: &str, title: &str, what: String, needs: &[&str]| PlanStep {
        id: id.to_owned(),
        phase: phase.to_owned(),
        title: title.to_owned(),
        description: format!("{what} (rehearsal)"),
        files: files.clone(),
        depends_on: needs.iter().map(|need| (*need).to_owned()).collect(),
        acceptance: "Somebody else has looked at it and agrees.".to_owned(),
    };
    let mut steps = vec![
        step(
            "read",
            "Prepare",
            "Read what is there",
            format!("List what exists today for: {short}"),
            &[],
        ),
        step(
            "build",
            "Build",
            "Make the smallest change that works",
            format!("Do it in one small change: {short}"),
            &["read"],
        ),
    ];
    let (title, what) = TESTS[seat % TESTS.len()];
    steps.push(step("test", "Check", title, format!("{what}: {short}"), &["build"]));
    let (own, at) = match seat % 3 {
        0 => {
            let what = "Run the slowest path before and after, and write both figures down.";
            let step =
                step("measure", "Check", "Measure before and after", what.to_owned(), &["build"]);
            (step, 3)
        }
        1 => {
            let what = "Tell users in the documentation what is different for them.";
            let step = step(
                "document",
                "Check",
                "Describe the change for users",
                what.to_owned(),
                &["test"],
            );
            (step, 3)
        }
        _ => {
            let what = "Agree with the people who depend on it on what must not break.";
            let step = step(
                "agree",
                "Prepare",
                "Agree on what must not break",
                what.to_owned(),
                &["read"],
            );
            (step, 1)
        }
    };
    steps.insert(at, own);
    PlanBlock {
        steps,
        summary: format!("{BANNER} Read, change one thing, test it: {short}"),
        risks: vec!["What depends on it may break (rehearsal).".to_owned()],
        open_questions: vec!["Who uses it today? (rehearsal)".to_owned()],
        dependencies_valid: true,
    }
}

fn cross(data: &Value, seat: usize, first_round: bool) -> PlanReviewBlock {
    let all = |name: &str| data[name].as_array().cloned().unwrap_or_default();
    let steps = all("steps");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_test = |step: &Value| TESTS.iter().any(|(title, _)| step["title"] == *title);
    let own_test = all("your_steps").into_iter().find(|step| is_test(step));
    let judgement = |step: &Value| {
        let id = text(&step["id"]);
        let same_as = own_test.as_ref().filter(|_| is_test(step)).map(|own| text(&own["id"]));
        if text(&step["title"]).starts_with("Measure") {
            return Judgement {
                id,
                stance: Stance::Modify,
                reason: "Two figures of one run say little (rehearsal).".to_owned(),
                suggestion: Some("Measure three runs and give the median.".to_owned()),
                same_as: None,
            };
        }
        Judgement {
            id,
            stance: Stance::Agree,
            reason: "The task needs it (rehearsal).".to_owned(),
            suggestion: None,
            same_as,
        }
    };
    let known = ["steps", "your_steps", "other_steps"].into_iter().flat_map(all);
    let there = known.into_iter().any(|step| step["title"] == WAY_BACK);
    let missing = PlanStep {
        id: "way-back".to_owned(),
        phase: "Prepare".to_owned(),
        title: WAY_BACK.to_owned(),
        description: "Say how the change is taken back if it does harm (rehearsal).".to_owned(),
        files: Vec::new(),
        depends_on: Vec::new(),
        acceptance: "Somebody has tried it once.".to_owned(),
    };
    PlanReviewBlock {
        judgements: steps.iter().map(judgement).collect(),
        missing_steps: (seat == 0 && first_round && !there)
            .then_some(missing)
            .into_iter()
            .collect(),
    }
}

fn validation(data: &Value) -> ValidationBlock {
    let vote = |id: String| Ballot {
        id,
        approve: true,
        reason: "It belongs there (rehearsal).".to_owned(),
    };
    ValidationBlock { votes: super::strings(&data["vote_on"]).into_iter().map(vote).collect() }
}

#[cfg(test)]
mod tests {
    //! A whole planning with stand-ins only, through the machine and its parser.

    use serde_json::json;

    use crate::protocol::plan::testing::{asked, done, input, judged_reply};
    use crate::protocol::plan::{Machine, PlanOutcome, Status};
    use crate::rehearsal::{answer, given};

    fn rehearsed(seats: usize) -> (crate::protocol::plan::Outcome, usize) {
        let mut machine = Machine::open(input(seats)).unwrap();
        let mut turns = 0;
        loop {
            let asked = asked(&machine);
            if asked.is_empty() {
                return (done(&machine), turns);
            }
            turns += asked.len();
            let answers = asked.iter().map(|turn| {
                let text = answer(&given(&machine, turn));
                judged_reply(&machine, turn, &text)
            });
            let answers = answers.collect();
            machine.apply(answers);
        }
    }

    #[test]
    fn stand_ins_plan_judge_add_and_accept() {
        let (end, turns) = rehearsed(2);
        assert_eq!(end.outcome, PlanOutcome::Accepted);
        let noticed: Vec<&str> = end.warnings.iter().map(|each| &*each.code).collect();
        assert_eq!(noticed, Vec::<&str>::new());
        // Two plans, two judges, one judge of the missing step, one validator. Nobody is asked about the measurement again:
        // of two planners only one judges it.
        assert_eq!(turns, 2 + 2 + 1 + 1);
        // The measurement that the judges want changed costs the first seat its lead, and is not added.
        assert_eq!(end.winner.as_deref(), Some("codex"));
        let ids: Vec<&str> = end.steps.iter().map(|step| &*step.id).collect();
        assert_eq!(ids, ["read", "way-back", "build", "test", "document"]);
        assert_eq!(end.steps[0].files, ["README.md", "src/store.rs"]);
        let shared = end.steps.iter().find(|step| step.id == "build").unwrap();
        assert_eq!(shared.proposed_by, ["claude", "codex"]);
        assert!(end.steps.iter().any(|step| step.added && step.status == Status::Confirmed));
        let left_out = &end.left_out[0];
        assert_eq!(left_out.title, "Measure before and after");
        assert_eq!((left_out.status, left_out.objections.len()), (Status::Contested, 1));
        assert!(end.summary.contains("REHEARSAL"));
    }

    #[test]
    fn more_seats_differ_and_are_deterministic() {
        for seats in 3..=4 {
            let (end, _) = rehearsed(seats);
            assert_eq!(end.outcome, PlanOutcome::Accepted);
            assert_eq!(rehearsed(seats).0, end);
        }
    }

    #[test]
    fn what_is_no_turn_has_no_answer() {
        let turn = json!({"task": "x", "ask": "plan", "seat": 0, "round": 1, "shown": null});
        assert!(super::answer(&turn).is_some());
        for (key, value) in [("ask", json!("vote")), ("seat", json!("s1")), ("task", json!(null))] {
            let mut other = turn.clone();
            other[key] = value;
            assert_eq!(super::answer(&other), None, "{key}");
        }
        assert_eq!(super::answer(&json!(null)), None);
    }
}
