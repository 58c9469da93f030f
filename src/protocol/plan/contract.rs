//! The contract of each turn: its block and limits.
//!
//! The contents of a block are declared with its type, in [`super::model`]. The bodies shown in a prompt never parse
//! as answers (`<a step>` is not JSON), so a model that repeats its instructions has not answered.

use super::model::{PlanBlock, PlanReviewBlock};
use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::outline::Outline;
pub(crate) use crate::protocol::council::VALIDATION;

pub(crate) const PLAN: Block<PlanBlock> = object("PLAN");
/// The block of judgements on the others' steps. A missing step may depend on any step that was shown.
pub(crate) const PLAN_REVIEW: Block<PlanReviewBlock> =
    object("PLAN_REVIEW").shown(&[("depends_on", "<id>")]);

/// Maximum number of steps of one plan.
pub(crate) const MAX_STEPS: usize = 100;
/// Maximum number of steps that one answer in a cross-examination may add.
pub(crate) const MAX_MISSING: usize = 20;
/// Maximum number of entries that count in any other list: files, dependencies, risks, questions.
pub(crate) const MAX_LIST: usize = 50;
/// Maximum number of characters of a step's id.
pub(crate) const ID_CHARS: usize = 64;
/// Maximum number of characters of a title, a phase or a path.
pub(crate) const LINE_CHARS: usize = 200;
/// Maximum number of characters of a description or a reason; longer text is cut, with a note.
pub(crate) const TEXT_CHARS: usize = 4_000;

/// Maximum number of characters of a risk or a question.
pub(crate) const RISK_CHARS: usize = 500;

/// The kind of answer that a turn asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Ask {
    /// The seat's own plan.
    Plan,
    /// Judgements on the others' steps.
    Cross,
    /// Votes on the merged plan.
    Validation,
}

impl Ask {
    /// Returns the outline of the block that answers it.
    pub(crate) const fn outline(self) -> &'static Outline {
        match self {
            Self::Plan => &PLAN.outline,
            Self::Cross => &PLAN_REVIEW.outline,
            Self::Validation => &VALIDATION.outline,
        }
    }

    /// Returns the role in the configuration whose skill is sent.
    pub(crate) const fn plays(self) -> &'static str {
        match self {
            Self::Plan => "planner",
            Self::Cross => "plan-reviewer",
            Self::Validation => "plan-validator",
        }
    }

    /// Returns the word for the kind in turn ids: `r1/plan/s1`, `r2/cross/s2`, `validate/s2`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Cross => "cross",
            Self::Validation => "validate",
        }
    }
}
