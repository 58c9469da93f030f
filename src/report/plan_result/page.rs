//! The page of a plan: the steps in order with their objections, then how the plan came about.

use super::PlanDocument;
use crate::protocol::plan::{FinalStep, FinalVote, Status, ValidationResult, Verdict};
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::template::Data;
use crate::report::page::{Page, Text, ToPage};

impl ToPage for PlanDocument {
    fn page(&self) -> Page {
        let next = session::next(&self.header, self.standing());
        session::page("Plan", &self.header, ("plan", &self.data()), next)
    }
}

impl PlanDocument {
    /// Returns in one sentence how the planning ended.
    pub(crate) fn headline_text(&self) -> Text {
        self.data().sentence("plan/headline")
    }

    /// Returns what the templates are filled with.
    pub(super) fn data(&self) -> Data {
        let steps = |is: &dyn Fn(&&FinalStep) -> bool| self.result.steps.iter().filter(is).count();
        let vote = |step: &FinalStep| step.validation.as_ref().map(|vote| vote.result);
        let silent =
            |step: &FinalStep| vote(step).is_none_or(|vote| vote == ValidationResult::Unvalidated);
        let unvoted = steps(&|step| match self.result.final_vote {
            FinalVote::NotNeeded => false,
            FinalVote::Held => silent(step) && step.status != Status::Confirmed,
            FinalVote::NotHeld => silent(step),
        });
        let rejected = steps(&|step| vote(step) == Some(ValidationResult::Rejected));
        let doubt = self.header.verdict == Verdict::OneVendor || !self.contested.is_empty();
        let failed = self.header.seats.iter().filter(|seat| seat.failure.is_some());
        session::data(self, &self.header)
            .with("tone", if doubt { "doubt" } else { "good" })
            .with("unvoted", unvoted)
            .with("rejected", rejected)
            .text("causes", session::causes(failed, &self.header.seats, "failed"))
    }

    fn standing(&self) -> SessionPhase {
        SessionPhase::of_ended(self.header.outcome, Verdict::Undecided, 1)
    }
}
