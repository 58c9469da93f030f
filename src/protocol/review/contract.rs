//! The contract of each role: its block, limits, and the text that asks for it.
//!
//! The contents of a block are declared with its type, in [`super::model`]. The bodies shown in a prompt never parse
//! as answers (`<P0|P1|P2>` is not a severity, `...` is not JSON), so a model that repeats its instructions has not
//! answered.

use super::{CompositionBlock, CrossReviewBlock, ReviewBlock, Role, ValidationBlock};
use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::outline::Outline;
use crate::contract::template::ask;

/// The block of an independent review.
pub const REVIEW: Block<ReviewBlock> = object("REVIEW");
/// The block of judgements on the others' findings.
pub const CROSS_REVIEW: Block<CrossReviewBlock> = object("CROSS_REVIEW");
/// The block of the winner's selection.
pub const COMPOSITION: Block<CompositionBlock> = object("COMPOSITION");
/// The block of votes on that selection.
pub const VALIDATION: Block<ValidationBlock> = object("VALIDATION");

/// Maximum number of findings of one answer that count; nobody reads a longer review.
pub const MAX_FINDINGS: usize = 30;
/// Maximum number of missed issues of one answer that count: who has just judged looks for what is grave.
pub const MAX_MISSED: usize = 3;
/// Maximum number of findings of one answer that are read: the limit before version 4 of the rules.
pub const MAX_READ: usize = 100;
/// Maximum number of characters of a title.
pub const TITLE_CHARS: usize = 200;
/// Maximum number of characters of a path.
pub const PATH_CHARS: usize = 1_000;
/// Maximum number of characters of a description, and likewise of a fix.
pub const DETAIL_CHARS: usize = 4_000;
/// Maximum number of characters of a quote, and likewise of evidence.
pub const QUOTE_CHARS: usize = 2_000;
/// Maximum number of characters of a reason.
pub const REASON_CHARS: usize = 1_500;
/// Maximum number of characters of an id as an agent writes it.
pub const ID_CHARS: usize = 60;
/// Maximum number of risks, and likewise of questions, in one answer.
pub const MAX_LINES: usize = 20;
/// Maximum number of characters of a risk or a question.
pub const LINE_CHARS: usize = 500;

/// Returns the outline of the block that a role's reply contains.
pub const fn outline(role: Role) -> &'static Outline {
    match role {
        Role::Reviewer => &REVIEW.outline,
        Role::CrossReviewer => &CROSS_REVIEW.outline,
        Role::Composer => &COMPOSITION.outline,
        Role::Validator => &VALIDATION.outline,
    }
}

/// Returns the last part of a turn's prompt: the exact form of the answer. `shown` are the ids to answer about; empty
/// for a reviewer.
pub fn text(role: Role, shown: &[String]) -> String {
    let rules = match role {
        Role::Reviewer => format!(
            "If nothing is wrong, `\"findings\": []` is the right answer. Rarely more than ten findings, at most five of them P2, the worst \
             first; no more than {MAX_FINDINGS} count. {} `residual_risks` and `open_questions` are lists of sentences, or `[]`.",
            finding_rules()
        ),
        Role::CrossReviewer => format!(
            "Judge each of these once, by its id: {}. `evidence` is required to agree and to disagree: code copied letter by letter, from the \
             path in question. A program looks for it; without it, or if it has nothing to do with the finding, the judgement counts as \
             unsure. `only` and `severity` are read beside `agree`; leave out what you do not need, and `same_as` unless another finding, \
             shown or named above, tells the same defect. `missed_issues` is for defects that no finding names, at most {MAX_MISSED}, P0 \
             and P1 only, or `[]`. {}",
            shown.join(", "),
            finding_rules()
        ),
        Role::Composer => format!(
            "The ids are: {}. Name each at most once as kept, merged into another, or eliminated; one that you do not name is kept as it \
             is. In `keep`, `title`, `detail` and `fix` are only for what you word anew; what others are merged into may be named there \
             too. Every elimination has a reason. You cannot add findings. Lists may be `[]`.",
            shown.join(", ")
        ),
        Role::Validator => format!(
            "Vote on each of these decisions once, by its id: {}. `vote` is `approve` or `reject`, in these exact words, each with a reason.",
            shown.join(", ")
        ),
    };
    ask(&[outline(role)], &[&rules])
}

fn finding_rules() -> &'static str {
    "A finding's `file` is the path as the change names it. `line` and `end_line` are the numbers that stand before the lines of the new file, \
     as JSON numbers; about right is enough, and they are left out where there is no line. `quote` is code copied letter by letter, from \
     one place, without the number and the mark before it: the program looks for it, and corrects the line by it. P0 and P1 need a \
     `trigger` that a person could try; if you cannot write one, it is an open question or at most P2. `severity` is `P0`, `P1` or `P2`, \
     in these exact words."
}
