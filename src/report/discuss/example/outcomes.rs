//! Example outcomes with more than ratings, written by hand.

use super::{FIVE, outcome, owned, point, seat, task, voice};
use crate::kernel::{Ended, SeatStatus, Warning};
use crate::protocol::discuss::input::{Artifact, LineReference, SkippedPerspective};
use crate::protocol::discuss::{
    ActionItem, Basics, Divergence, DivergenceKind, Gap, Outcome, PerspectiveReply, PointKind,
    Recommendation, RiskLevel, Severity, Task, Theme, Verdict, View,
};
use crate::text::Note;

/// Ratings 4, 4, 5, 4; coverage was skipped for lack of a context.
pub(crate) fn low() -> (Outcome, Task) {
    let mut voices =
        vec![voice("product", 4), voice("technical", 4), voice("quality", 5), voice("risk", 4)];
    voices[0].critique.suggestions = owned(&["Say how success is measured."]);
    voices[1].critique.weaknesses = owned(&["The storage format is not chosen."]);
    voices[2].critique.suggestions = owned(&["Name the measure of success."]);
    voices[3].critique.risk_level = Some(RiskLevel::Low);
    voices[3].critique.strengths = owned(&["The storage format is left open, which is wise."]);
    let mut all = outcome(Verdict::ConsensusReached, voices, Some(4.25));
    all.result.severity = Some(Severity::Low);
    all.result.recommendation = Some(Recommendation::Proceed);
    let why = "there is no context to check against (--context FILE)";
    all.seats.push(seat("coverage", SeatStatus::Skipped, Some(why)));
    let measured = vec![
        point("product", PointKind::Suggestion, "Say how success is measured."),
        point("quality", PointKind::Suggestion, "Name the measure of success."),
    ];
    all.result.convergent_themes = vec![Theme {
        text: "Say how success is measured.".into(),
        perspectives: owned(&["product", "quality"]),
        members: measured.clone(),
    }];
    let format = "The storage format is not chosen.";
    let open = "The storage format is left open, which is wise.";
    all.result.divergent_views = vec![View {
        text: open.into(),
        severity: Severity::Low,
        praised_by: owned(&["risk"]),
        faulted_by: owned(&["technical"]),
        members: vec![
            point("technical", PointKind::Weakness, format),
            point("risk", PointKind::Strength, open),
        ],
    }];
    all.result.divergences = vec![Divergence {
        kind: DivergenceKind::View,
        severity: Severity::Low,
        perspectives: owned(&["technical", "risk"]),
        text: format!("risk praises what technical faults: \"{open}\" against \"{format}\""),
    }];
    all.result.action_items = vec![
        ActionItem {
            text: "Say how success is measured.".into(),
            urgency: Severity::Low,
            perspectives: owned(&["product", "quality"]),
            members: measured,
        },
        ActionItem {
            text: format!("Resolve: {format}"),
            urgency: Severity::Low,
            perspectives: owned(&["technical"]),
            members: vec![point("technical", PointKind::Weakness, format)],
        },
    ];
    let mut task = task(&["product", "technical", "quality", "risk"]);
    task.skipped = vec![SkippedPerspective {
        name: "coverage".into(),
        agent: "gemini".into(),
        vendor: "google".into(),
        why: why.into(),
    }];
    task.notes = vec![Note::new(
        "perspective_skipped",
        "the perspective `coverage` was not asked: there is no context to check against",
    )];
    (all, task)
}

/// Two requirements are missing, the risk is critical, two ratings are low; claude answered in place of gemini.
pub(crate) fn high() -> (Outcome, Task) {
    let names = FIVE.map(|known| known.0);
    let ratings = [3, 2, 4, 2, 1];
    let voices = names.iter().zip(ratings);
    let voices: Vec<PerspectiveReply> = voices.map(|(name, rating)| voice(name, rating)).collect();
    let mut all = outcome(Verdict::ConsensusBlocked, voices, Some(2.4));
    all.result.severity = Some(Severity::High);
    all.result.recommendation = Some(Recommendation::Revise);
    let product = &mut all.result.perspectives[0];
    product.agent = "claude".into();
    product.vendor = "anthropic".into();
    product.instead_of = Some("gemini".into());
    all.seats[0].status = SeatStatus::FellBack;
    all.seats[0].fell_back_to = Some("claude".into());
    all.seats[0].failure = Some("quota_exhausted: gemini says: quota exceeded".into());
    let lists = [
        (1, &["Twelve services, and none has an owner."][..]),
        (3, &["One database holds everything."]),
    ];
    for (at, weaknesses) in lists {
        all.result.perspectives[at].critique.weaknesses = owned(weaknesses);
    }
    all.result.perspectives[3].critique.risk_level = Some(RiskLevel::Critical);
    all.result.perspectives[3].critique.risks =
        owned(&["The only database fails, and all is lost."]);
    let missing = ["Export in CSV", "Single sign-on"];
    all.result.perspectives[4].critique.missing_requirements = owned(&missing);
    all.result.perspectives[4].critique.covered = owned(&["Import of bank statements"]);
    let gap = |text: &str| vec![point("coverage", PointKind::MissingRequirement, text)];
    all.result.coverage_gaps = (missing.iter())
        .map(|&text| Gap {
            text: text.into(),
            perspectives: owned(&["coverage"]),
            members: gap(text),
        })
        .collect();
    let divergence = |kind, severity, by: &[&str], text: &str| Divergence {
        kind,
        severity,
        perspectives: owned(by),
        text: text.into(),
    };
    let low = "rates it 2 of 5";
    all.result.divergences = vec![
        divergence(
            DivergenceKind::CoverageGap,
            Severity::High,
            &["coverage"],
            "2 requirements are missing (coverage): Export in CSV; Single sign-on",
        ),
        divergence(
            DivergenceKind::HighRisk,
            Severity::High,
            &["risk"],
            "risk rates the risk critical: The only database fails, and all is lost.",
        ),
        divergence(
            DivergenceKind::LowRating,
            Severity::Medium,
            &["technical"],
            &format!("technical {low}: Twelve services, and none has an owner."),
        ),
        divergence(
            DivergenceKind::RatingSpread,
            Severity::Medium,
            &["quality", "coverage"],
            "ratings from 1 (coverage) to 4 (quality)",
        ),
    ];
    let mut items: Vec<ActionItem> = (missing.iter())
        .map(|&text| ActionItem {
            text: format!("Meet the requirement: {text}"),
            urgency: Severity::High,
            perspectives: owned(&["coverage"]),
            members: gap(text),
        })
        .collect();
    for (number, urgency) in (1..=10).zip([Severity::Medium; 9].into_iter().chain([Severity::Low]))
    {
        let text = format!("Give service {number} an owner.");
        items.push(ActionItem {
            members: vec![point("technical", PointKind::Suggestion, &text)],
            text,
            urgency,
            perspectives: owned(&["technical"]),
        });
    }
    all.result.action_items = items;
    let mut task = task(&names);
    task.preset = Some("DISCUSS-002".into());
    task.context = Some(Artifact {
        name: "spec/discovery-context.json".into(),
        text: "{}".into(),
        sha256: "c0".repeat(32),
        bytes: 2,
    });
    task.role = Some("writer".into());
    task.task_id = Some("DRAFT-001".into());
    (all, task)
}

pub(crate) const ONE_VENDOR_SAYS: &str =
    "all 3 perspectives that answered used anthropic: read them as one opinion, not as 3";

/// One rating is low; one agent stood in for all, so that all three answers come from one vendor.
pub(crate) fn medium() -> (Outcome, Task) {
    let names = ["product", "technical", "quality"];
    let mut voices = vec![voice("product", 4), voice("technical", 2), voice("quality", 4)];
    for voice in &mut voices {
        voice.agent = "claude".into();
        voice.vendor = "anthropic".into();
    }
    voices[0].instead_of = Some("gemini".into());
    voices[1].instead_of = Some("codex".into());
    let mut all = outcome(Verdict::ConsensusBlocked, voices, Some(3.33));
    all.result.severity = Some(Severity::Medium);
    all.result.recommendation = Some(Recommendation::ProceedWithCaution);
    (all.quorum.needed, all.quorum.vendors) = (2, 1);
    for at in [0, 1] {
        all.seats[at].status = SeatStatus::FellBack;
        all.seats[at].fell_back_to = Some("claude".into());
        all.seats[at].failure = Some("not_found: it is not installed".into());
    }
    all.result.divergences = vec![Divergence {
        kind: DivergenceKind::LowRating,
        severity: Severity::Medium,
        perspectives: owned(&["technical"]),
        text: "technical rates it 2 of 5 without naming a weakness".into(),
    }];
    all.result.action_items = vec![ActionItem {
        text: "Ask technical why it rates the artifact 2 of 5".into(),
        urgency: Severity::Medium,
        perspectives: owned(&["technical"]),
        members: Vec::new(),
    }];
    all.warnings =
        vec![Warning { code: "one_vendor".into(), turn: None, message: ONE_VENDOR_SAYS.into() }];
    (all, task(&names))
}

/// Two of five perspectives: not enough, although both ratings are high.
pub(crate) fn undecided(ended: impl Into<Ended<Verdict>>) -> (Outcome, Task) {
    let ended = ended.into();
    let names = FIVE.map(|known| known.0);
    let voices = vec![voice("technical", 5), voice("quality", 5)];
    let mut all = outcome(ended, voices, Some(5.0));
    all.quorum.vendors = 2;
    let why = "unreadable: CRITIQUE has no rating, also after it was asked again";
    let failed = ["product", "risk", "coverage"];
    all.seats = (names.iter())
        .map(|name| match failed.contains(name) {
            true if ended == Verdict::Undecided => seat(name, SeatStatus::Failed, Some(why)),
            true => seat(name, SeatStatus::Asked, None),
            false => seat(name, SeatStatus::Answered, None),
        })
        .collect();
    let (_, mut task) = high();
    (task.role, task.task_id, task.preset) = (None, None, None);
    (all, task)
}

/// All perspectives failed: only the program's own reading is left.
pub(crate) fn nobody() -> (Outcome, Task) {
    let mut all = outcome(Verdict::Undecided, Vec::new(), None);
    (all.quorum.needed, all.quorum.vendors) = (2, 0);
    let causes = [
        ("technical", "not_logged_in: codex says: please run `codex login`"),
        ("quality", "timed_out: claude gave no answer within 180 s"),
    ];
    all.seats = causes.map(|(name, why)| seat(name, SeatStatus::Failed, Some(why))).to_vec();
    let place = |line: u32, text: &str| LineReference { line, text: text.into() };
    all.result.basics = Some(Basics {
        bytes: 12_345,
        lines: 210,
        words: 1_900,
        outline: vec![place(1, "# Brief"), place(9, "## Goals")],
        markers: vec![place(40, "TBD: name an owner")],
        cut: false,
    });
    (all, task(&["technical", "quality"]))
}
