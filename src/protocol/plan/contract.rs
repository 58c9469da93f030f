//! The contract of each turn: its block, limits, and the text that asks for it.
//!
//! The contents of a block are declared with its type, in [`super::model`]. The bodies shown in a prompt never parse
//! as answers (`<a step>` is not JSON), so a model that repeats its instructions has not answered.

use super::model::{PlanBlock, PlanReviewBlock, ValidationBlock};
use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::outline::Outline;
use crate::contract::template;

pub(crate) const PLAN: Block<PlanBlock> = object("PLAN");
/// The block of judgements on the others' steps. A missing step may depend on any step that was shown.
pub(crate) const PLAN_REVIEW: Block<PlanReviewBlock> =
    object("PLAN_REVIEW").shown(&[("depends_on", "<id>")]);
/// The block of votes on the merged plan.
pub(crate) const VALIDATION: Block<ValidationBlock> = object("VALIDATION");

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
/// Maximum number of characters of a description, a reason, a suggestion, a risk; longer text is cut, with a note.
pub(crate) const TEXT_CHARS: usize = 4_000;

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

/// Returns the last part of a prompt: the exact form of the answer.
pub(crate) fn text(ask: Ask) -> String {
    let rules = match ask {
        Ask::Plan => format!(
            "3 to 15 steps for most tasks, never more than {MAX_STEPS}, in the order in which they should be done, each id once. `depends_on` \
             names ids of this plan, or is `[]`; no step may depend on itself, not even in a circle. `files` names paths from the top of the \
             repository, a new one as `<path> (new)`, or is `[]`. Name risks and open questions that a reader must know; `[]` where there are \
             none."
        ),
        Ask::Cross => format!(
            "Judge every id under `steps` once. `modify` needs a `suggestion`; `disagree` and `modify` need a `reason`. `same_as` names one \
             other id that was shown; leave it out where no step does the same. A missing step is one without which the task is not done and \
             which nobody has named, neither under `steps` nor under `your_steps`; at most {MAX_MISSING}, and `\"missing_steps\": []` is a \
             good answer. Its `depends_on` names ids that were shown, or other missing steps."
        ),
        Ask::Validation => {
            "Vote once on every id under `vote_on`. `reject` needs a `reason`. A step that should be worded otherwise but is right is \
             to be approved. A wrong or missing `depends_on` is not wording: reject."
                .to_owned()
        }
    };
    template::ask(&[ask.outline()], &[&rules])
}
