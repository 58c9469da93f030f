//! Example critiques of every ending, written by hand as their machine would return them.

use super::DiscussDocument;
use crate::kernel::{Basis, Cost, Ended, Halt, Quorum, Seat, SeatStatus, Stamp};
use crate::protocol::discuss::input::{Artifact, Perspective};
use crate::protocol::discuss::{
    Critique, Critiques, FollowUp, FollowUpAction, Outcome, PerspectiveReply, Point, PointKind,
    Recommendation, Severity, Task, Verdict,
};
use crate::report::document::{SessionFacts, SkillUsed};
use crate::report::example::{SESSION, at, usd};

mod outcomes;

pub(crate) use outcomes::{ONE_VENDOR_SAYS, high, low, medium, nobody, undecided};

/// Name, title, agent and vendor of the five perspectives.
const FIVE: [(&str, &str, &str, &str); 5] = [
    ("product", "product manager", "gemini", "google"),
    ("technical", "tech lead", "codex", "openai"),
    ("quality", "QA lead", "claude", "anthropic"),
    ("risk", "risk analyst", "gemini", "google"),
    ("coverage", "requirements analyst", "gemini", "google"),
];

pub(super) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn known(name: &str) -> (&'static str, &'static str, &'static str, &'static str) {
    FIVE.into_iter().find(|known| known.0 == name).unwrap()
}

pub(super) fn seat(name: &str, status: SeatStatus, failure: Option<&str>) -> Seat {
    let (role, _, agent, vendor) = known(name);
    Seat {
        role: role.into(),
        agent: agent.into(),
        vendor: vendor.into(),
        status,
        failure: failure.map(str::to_owned),
        fell_back_to: None,
    }
}

fn voice(name: &str, rating: u8) -> PerspectiveReply {
    let (perspective, title, agent, vendor) = known(name);
    PerspectiveReply {
        perspective: perspective.into(),
        title: title.into(),
        agent: agent.into(),
        vendor: vendor.into(),
        instead_of: None,
        critique: Critique {
            strengths: owned(&["The goal is stated in one sentence."]),
            rating,
            ..Critique::default()
        },
    }
}

fn point(perspective: &str, kind: PointKind, text: &str) -> Point {
    Point { perspective: perspective.into(), kind, text: text.into() }
}

pub(super) fn task(perspectives: &[&str]) -> Task {
    let perspectives = perspectives.iter().map(|name| {
        let (name, title, ..) = known(name);
        Perspective {
            name: name.into(),
            title: title.into(),
            looks_at: owned(&["user value"]),
            rates_risk: name == "risk",
            needs_context: name == "coverage",
            plays: format!("discuss-{name}"),
            stands_in: None,
        }
    });
    Task {
        round_id: "DISCUSS-002".into(),
        preset: None,
        artifact: Artifact {
            name: "spec/product-brief.md".into(),
            text: "# Brief\n".into(),
            sha256: "5d".repeat(32),
            bytes: 12_345,
        },
        context: None,
        perspectives: perspectives.collect(),
        skipped: Vec::new(),
        sign_off: false,
        revisions: 0,
        role: None,
        task_id: None,
        folder: None,
        apply_policy: false,
        notes: Vec::new(),
    }
}

/// An outcome with these ratings, in which the only points are strengths.
fn outcome(
    ended: impl Into<Ended<Verdict>>,
    voices: Vec<PerspectiveReply>,
    average: Option<f64>,
) -> Outcome {
    let ended = ended.into();
    let answered = u32::try_from(voices.len()).unwrap();
    Outcome {
        outcome: ended,
        verdict: match ended {
            Ended::Closed(verdict) => verdict,
            Ended::Stopped(_) => Verdict::Undecided,
        },
        seats: (voices.iter())
            .map(|voice| seat(&voice.perspective, SeatStatus::Answered, None))
            .collect(),
        quorum: Quorum { needed: 3, answered, vendors: 3 },
        rounds_used: u32::from(matches!(ended, Ended::Closed(_))),
        failure: None,
        warnings: Vec::new(),
        result: Critiques {
            severity: None,
            recommendation: None,
            ratings: (voices.iter())
                .map(|voice| (voice.perspective.clone(), voice.critique.rating))
                .collect(),
            perspectives: voices,
            average_rating: average,
            divergences: Vec::new(),
            convergent_themes: Vec::new(),
            divergent_views: Vec::new(),
            coverage_gaps: Vec::new(),
            action_items: Vec::new(),
            basics: None,
        },
    }
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
    let mut outcome = outcome.clone();
    let Quorum { needed, vendors, .. } = outcome.quorum;
    outcome.quorum = Quorum { vendors, ..Quorum::of(&outcome.seats, needed) };
    DiscussDocument::new(outcome, task, &stamp, about)
}

fn placed(outcome: &Outcome, task: &Task) -> DiscussDocument {
    let mut document = document(outcome, task, false);
    document.place(format!(".debate/discuss/discussions/{}-discussion.md", task.round_id));
    document
}

fn followed(document: &mut DiscussDocument, action: FollowUpAction, stops: bool, message: &str) {
    document.follow(FollowUp {
        action,
        task: (action == FollowUpAction::RevisionTask).then(|| "DRAFT-001-R1".to_owned()),
        stops,
        recorded: true,
        file: Some(".debate/discuss/policy.jsonl".to_owned()),
        message: message.to_owned(),
    });
}

/// Two perspectives, five of five, without an objection.
fn nothing_raised() -> DiscussDocument {
    let voices = vec![voice("technical", 5), voice("quality", 5)];
    let mut all = outcome(Verdict::ConsensusReached, voices, Some(5.0));
    (all.quorum.needed, all.quorum.vendors) = (2, 2);
    all.result.severity = Some(Severity::None);
    all.result.recommendation = Some(Recommendation::Proceed);
    placed(&all, &task(&["technical", "quality"]))
}

pub(crate) fn documents() -> Vec<(&'static str, DiscussDocument)> {
    let of = |(outcome, task): (Outcome, Task)| placed(&outcome, &task);
    let mut blocked = of(high());
    let message = "The artifact goes back once, as revision task DRAFT-001-R1.";
    followed(&mut blocked, FollowUpAction::RevisionTask, false, message);
    let mut caution = of(medium());
    let message = "The artifact proceeds with caution.";
    followed(&mut caution, FollowUpAction::Warning, false, message);
    let (mut outcome, mut task) = high();
    outcome.result.recommendation = Some(Recommendation::Escalate);
    task.sign_off = true;
    let mut gate = placed(&outcome, &task);
    let message = "This artifact needs a person's sign-off and is blocked.";
    followed(&mut gate, FollowUpAction::SignOff, true, message);
    let (outcome, task) = low();
    let rehearsed = document(&outcome, &task, true);
    vec![
        ("nothing_raised", nothing_raised()),
        ("low", of(low())),
        ("medium", caution),
        ("high", blocked),
        ("sign_off", gate),
        ("undecided", of(undecided(Verdict::Undecided))),
        ("budget", of(undecided(Halt::Budget))),
        ("interrupted", of(undecided(Halt::Interrupted))),
        ("nobody", of(nobody())),
        ("rehearsal", rehearsed),
    ]
}
