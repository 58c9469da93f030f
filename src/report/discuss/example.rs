//! Example critiques of every ending, played by their machine.

use super::DiscussDocument;
use crate::kernel::{Basis, Cost, Stamp, Stop};
use crate::protocol::discuss::input::Input;
use crate::protocol::discuss::machine::Machine;
use crate::protocol::discuss::testing::{
    answers, asked, critique, done, input, said, seated, skipped, stand_in,
};
use crate::protocol::discuss::{Critique, FollowUp, FollowUpAction, Outcome, RiskLevel, Task};
use crate::report::document::{SessionFacts, SkillUsed};
use crate::report::example::{SESSION, at, usd};
use crate::text::Note;

const FIVE: &str = "product technical quality risk coverage";

/// A critique in which the perspectives answer as the scripts say.
fn played(input: Input, scripts: &str) -> (Outcome, Task) {
    let task = input.task.clone();
    let mut machine = Machine::open(input).unwrap();
    let answers = answers(&machine, scripts);
    machine.apply(answers);
    (done(&machine), task)
}

/// Ratings 4, 4, 5, 4: two name one place, and one praises what another faults; coverage was skipped for lack of a
/// context.
pub(crate) fn low() -> (Outcome, Task) {
    let mut input = input("product technical quality risk");
    input.task.context = None;
    let why = "there is no context to check against (--context FILE)";
    input.task.skipped = vec![skipped("coverage", why)];
    input.task.notes = vec![Note::new("perspective_skipped", why)];
    let task = input.task.clone();
    let mut machine = Machine::open(input).unwrap();
    let one = |text: &str| vec![text.to_owned()];
    let critiques = [
        Critique {
            suggestions: one("Say how 'one shop for bicycle parts' is measured."),
            ..critique(4)
        },
        Critique { weaknesses: one("'TBD: who pays?' leaves the costs open."), ..critique(4) },
        Critique {
            suggestions: one("Name the measure of 'one shop for bicycle parts'."),
            ..critique(5)
        },
        Critique {
            strengths: one("'TBD: who pays?' says what is not known."),
            risk_level: Some(RiskLevel::Low),
            ..critique(4)
        },
    ];
    let turns = asked(&machine);
    let answers = turns.iter().zip(critiques);
    let answers = answers.map(|(turn, words)| said(&machine, turn, Some(&words.render())));
    let answers = answers.collect();
    machine.apply(answers);
    (done(&machine), task)
}

/// A requirement is missing, the risk is critical, three ratings are low; another agent answered in place of gemini.
pub(crate) fn high(sign_off: bool) -> (Outcome, Task) {
    let mut input = input(FIVE);
    input.task.preset = Some("DISCUSS-002".into());
    input.task.role = Some("writer".into());
    input.task.task_id = Some("DRAFT-001".into());
    input.task.sign_off = sign_off;
    let (mut outcome, task) = played(input, "3! 2w+ 4s 2cr 1g");
    outcome.seats[0].failure = Some("quota_exhausted: gemini says: quota exceeded".into());
    (outcome, task)
}

pub(crate) const ONE_VENDOR_SAYS: &str =
    "all 3 perspectives that answered used anthropic: read them as one opinion, not as 3";

/// One rating is low; one agent stood in for all, so that all three answers come from one vendor.
pub(crate) fn medium() -> (Outcome, Task) {
    let mut input = input("product technical quality");
    for name in ["product", "technical"] {
        stand_in(&mut input, name, seated("claude", "anthropic"));
    }
    played(input, "4 2 4")
}

/// Two of five perspectives: not enough, although both ratings are high. The others failed, or were cut off by a stop.
pub(crate) fn undecided(cut: Option<Stop>) -> (Outcome, Task) {
    let Some(why) = cut else { return played(input(FIVE), "? 5 5 ? ?") };
    let input = input(FIVE);
    let task = input.task.clone();
    let mut machine = Machine::open(input).unwrap();
    let came = answers(&machine, ". 5 5 . .").into_iter();
    machine.part(came.map(|answer| answer.result.is_ok().then_some(answer)));
    (machine.stop(why), task)
}

pub(super) fn document(outcome: &Outcome, task: &Task, rehearsal: bool) -> DiscussDocument {
    let stamp = Stamp {
        session_id: SESSION.to_owned(),
        started_at: at(0),
        completed_at: outcome.outcome.closes().then(|| at(42)),
        budget: usd(2_500_000),
        cost: (!rehearsal).then(|| Cost { usd: usd(310_000), basis: Basis::Reported }),
    };
    let about = SessionFacts {
        rehearsal,
        skills: vec![SkillUsed {
            name: "discuss-product".to_owned(),
            origin: "embedded".to_owned(),
            sha256: "ab".repeat(32),
            note: None,
        }],
        ..SessionFacts::default()
    };
    DiscussDocument::new(outcome.clone(), task, &stamp, about)
}

pub(crate) fn documents() -> Vec<(&'static str, DiscussDocument)> {
    let of = |(outcome, task): (Outcome, Task)| {
        let mut document = document(&outcome, &task, false);
        document.place(format!(".debate/discuss/discussions/{}-discussion.md", task.round_id));
        document
    };
    let followed = |of: DiscussDocument, action, stops, message: &str| {
        let mut document = of;
        document.follow(FollowUp {
            action,
            task: (action == FollowUpAction::RevisionTask).then(|| "DRAFT-001-R1".to_owned()),
            stops,
            recorded: true,
            file: Some(".debate/discuss/policy.jsonl".to_owned()),
            message: message.to_owned(),
        });
        document
    };
    let (outcome, task) = low();
    let rehearsed = document(&outcome, &task, true);
    let back = "The artifact goes back once, as revision task DRAFT-001-R1.";
    let caution = "The artifact proceeds with caution.";
    let gate = "This artifact needs a person's sign-off and is blocked.";
    vec![
        ("nothing_raised", of(played(input("technical quality"), "5+ 5+"))),
        ("low", of(low())),
        ("medium", followed(of(medium()), FollowUpAction::Warning, false, caution)),
        ("high", followed(of(high(false)), FollowUpAction::RevisionTask, false, back)),
        ("sign_off", followed(of(high(true)), FollowUpAction::SignOff, true, gate)),
        ("undecided", of(undecided(None))),
        ("budget", of(undecided(Some(Stop::Budget)))),
        ("interrupted", of(undecided(Some(Stop::Cancelled(2))))),
        ("nobody", of(played(input("technical quality"), ". ?"))),
        ("rehearsal", rehearsed),
    ]
}
