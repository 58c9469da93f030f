//! What the screen and the record say in the same words: the first line, who answered, what is recommended.
//!
//! The first line depends on outcome, severity and counts alone. Everything that these functions return is one
//! sanitized line.

use super::DiscussDocument;
use crate::kernel::{Seat, SeatStatus};
use crate::protocol::discuss::{
    DiscussOutcome, Divergence, FollowUpAction, Point, Recommendation, Severity, Voice,
};
use crate::report::standing;
use crate::report::words::{self, BAD, DOUBT, GOOD};
use crate::text::sanitize;

/// The longest id of a round in a line; one that the program made or took is shorter.
const ID_CHARS: usize = 64;

impl DiscussDocument {
    /// Says in one line how it ended, in capitals first. Names in it are sanitized.
    pub fn headline(&self) -> String {
        let id = sanitize::line(&self.round_id, ID_CHARS);
        let (mean, present) = (self.mean(), self.present());
        match self.header.outcome {
            DiscussOutcome::ConsensusReached => match self.severity {
                Some(Severity::None) => {
                    format!("CONSENSUS REACHED (nothing was raised): {id}, {mean}; {present}.")
                }
                severity => {
                    format!("CONSENSUS REACHED ({}): {id}, {mean}; {present}.", weight(severity))
                }
            },
            DiscussOutcome::ConsensusBlocked => {
                format!("BLOCKED ({}): {id}, {mean}; {present}.", weight(self.severity))
            }
            DiscussOutcome::Undecided => {
                let needed = self.header.quorum.needed;
                let are = if needed == 1 { "is" } else { "are" };
                let seats = self.header.seats.iter();
                let failed = seats.filter(|seat| seat.status == SeatStatus::Failed);
                let causes = words::causes(failed, "did not answer");
                format!("UNDECIDED: {present}, {needed} {are} needed ({id}).{causes}")
            }
            DiscussOutcome::Budget => {
                format!("UNDECIDED: the budget does not cover the next call; {present} ({id}).")
            }
            DiscussOutcome::Interrupted => format!("UNDECIDED: interrupted; {present} ({id})."),
            DiscussOutcome::Running => format!("{} ({id}); {present}.", standing::RUNNING),
            DiscussOutcome::Terminated => {
                format!("{} ({id}); {present}.", standing::TERMINATED)
            }
        }
    }

    /// The headline's colour: green alone where nothing stands against going on.
    pub(super) const fn style(&self) -> anstyle::Style {
        match self.header.outcome {
            DiscussOutcome::ConsensusReached => GOOD,
            DiscussOutcome::ConsensusBlocked => match self.severity {
                Some(Severity::High) | None => BAD,
                Some(Severity::None | Severity::Low | Severity::Medium) => DOUBT,
            },
            DiscussOutcome::Undecided
            | DiscussOutcome::Budget
            | DiscussOutcome::Interrupted
            | DiscussOutcome::Terminated => BAD,
            DiscussOutcome::Running => DOUBT,
        }
    }

    /// `mean rating 3.67 of 5`.
    fn mean(&self) -> String {
        self.average_rating.map_or_else(
            || "no mean rating".to_owned(),
            |mean| format!("mean rating {mean:.2} of 5"),
        )
    }

    /// `3 of 5 perspectives answered`.
    pub(super) fn present(&self) -> String {
        match (self.header.quorum.answered, self.asked.len()) {
            (0, _) => "no perspective answered".to_owned(),
            (answered, asked) => {
                format!("{answered} of {} answered", words::count(number(asked), "perspective"))
            }
        }
    }

    /// `3 of 5 perspectives answered, from 2 vendors (3 needed)`.
    pub(super) fn attendance(&self) -> String {
        let quorum = self.header.quorum;
        let (present, needed) = (self.present(), quorum.needed);
        if quorum.answered == 0 {
            return format!("{present} ({needed} needed)");
        }
        let vendors = words::count(quorum.vendors, "vendor");
        format!("{present}, from {vendors} ({needed} needed)")
    }

    /// What one perspective said.
    pub(super) fn voice(&self, perspective: &str) -> Option<&Voice> {
        let mut voices = self.perspectives.iter();
        voices.find(|voice| voice.perspective == perspective)
    }

    /// The seats of which there is more to say than that they answered.
    pub(super) fn notable(&self) -> impl Iterator<Item = &Seat> {
        self.header.seats.iter().filter(|seat| match seat.status {
            SeatStatus::Answered => seat.failure.is_some(),
            SeatStatus::Failed | SeatStatus::FellBack | SeatStatus::Asked | SeatStatus::Skipped => {
                true
            }
        })
    }

    /// Perspectives that were wanted and not asked: ` (not asked: coverage)`.
    pub(super) fn left_out(&self) -> String {
        let seats = self.header.seats.iter();
        let left_out = seats.filter(|seat| !self.asked.contains(&seat.role));
        let left_out: Vec<String> = left_out.map(|seat| words::name(&seat.role)).collect();
        if left_out.is_empty() {
            return String::new();
        }
        format!(" (not asked: {})", left_out.join(", "))
    }

    /// What followed, and where that stands: `The artifact goes back once, ... [policy.jsonl]`.
    pub(super) fn followed(&self) -> Option<String> {
        let follow_up = self.follow_up.as_ref()?;
        let file = match &follow_up.file {
            Some(file) => format!(" [{}]", words::sentence(file)),
            None => String::new(),
        };
        let owed = match follow_up.action {
            FollowUpAction::RevisionTask
            | FollowUpAction::Escalate
            | FollowUpAction::SignOff
            | FollowUpAction::Warning => !follow_up.recorded,
            // Of these nothing is ever written.
            FollowUpAction::GoOn | FollowUpAction::Nothing => false,
        };
        // What a rehearsal says itself.
        let kept = if owed && !self.header.rehearsal { " (not recorded)" } else { "" };
        let stops = if follow_up.stops { "STOP: " } else { "" };
        let message = words::sentence(&follow_up.message);
        Some(format!("{stops}{message}{file}{kept}"))
    }

    /// What is recommended, and what that means; `None` where nothing was decided.
    pub(crate) fn advice(&self) -> Option<String> {
        let advice = self.recommendation?;
        let means = match (advice, self.severity) {
            (Recommendation::Proceed, Some(Severity::None)) => "nothing was raised",
            (Recommendation::Proceed, _) => "what was raised is advice",
            (Recommendation::ProceedWithCaution, _) => {
                "what was raised is known to whoever works on it next"
            }
            (Recommendation::Revise, _) => "the required changes come first",
            (Recommendation::Escalate, _) if self.sign_off => {
                "a person signs this artifact off, so a person decides"
            }
            (Recommendation::Escalate, _) => {
                "it was revised before and is blocked again, so a person decides"
            }
        };
        Some(format!("{advice}: {means}"))
    }
}

/// What became of a perspective that gave no answer.
pub(super) fn silent(seat: &Seat) -> String {
    let (agent, vendor) = (words::name(&seat.agent), words::name(&seat.vendor));
    match seat.status {
        SeatStatus::Asked | SeatStatus::Skipped => words::seat_status(seat.status).to_owned(),
        // Who is said to have answered and whose answer is not here has given none that counts.
        SeatStatus::Failed | SeatStatus::Answered | SeatStatus::FellBack => {
            format!("FAILED: {agent} ({vendor})")
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// `high`, or a word for what no ladder gave.
fn weight(severity: Option<Severity>) -> &'static str {
    severity.map_or("severity unknown", |severity| severity.name())
}

/// Who gave a perspective's answer: `codex (openai)`, `claude (anthropic) for gemini`.
pub(super) fn answered_by(voice: &Voice) -> String {
    let (agent, vendor) = (words::name(&voice.agent), words::name(&voice.vendor));
    match &voice.instead_of {
        Some(other) => format!("{agent} ({vendor}) for {}", words::name(other)),
        None => format!("{agent} ({vendor})"),
    }
}

/// Names in a row: `product, risk`.
pub(super) fn names(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| words::name(name)).collect();
    names.join(", ")
}

/// `high, coverage gap: 2 requirements are missing (coverage): ...`.
pub(super) fn divergence(divergence: &Divergence) -> String {
    format!(
        "{}, {}{}: {}",
        divergence.severity,
        spoken(divergence.kind.name()),
        attribution(divergence),
        words::sentence(&divergence.text)
    )
}

/// Who said so: ` (product, risk)`; nothing where the sentence itself names all of them.
pub(super) fn attribution(divergence: &Divergence) -> String {
    let (who, text) = (&divergence.perspectives, &divergence.text);
    if who.iter().all(|name| text.contains(name.as_str())) {
        String::new()
    } else {
        format!(" ({})", names(who))
    }
}

/// `coverage, missing requirement: ...`: one member of a group.
pub(super) fn member(point: &Point) -> String {
    format!(
        "{}, {}: {}",
        words::name(&point.perspective),
        spoken(point.kind.name()),
        sanitize::line(&point.text, usize::MAX)
    )
}

/// A name of ours as words: `missing requirement`.
pub(super) fn spoken(name: &str) -> String {
    name.replace('_', " ")
}
