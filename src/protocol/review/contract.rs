//! The contract of each role: its block and limits.
//!
//! The contents of a block are declared with its type, in [`super::model`]. The bodies shown in a prompt never parse
//! as answers (`<P0|P1|P2>` is not a severity, `...` is not JSON), so a model that repeats its instructions has not
//! answered.

use super::proof::Reproduction;
use super::{CompositionBlock, CrossReviewBlock, ReviewBlock, Role};
use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::outline::Outline;
pub use crate::protocol::council::VALIDATION;

/// The block of an independent review.
pub const REVIEW: Block<ReviewBlock> = object("REVIEW");
/// The block of judgements on the others' findings.
pub const CROSS_REVIEW: Block<CrossReviewBlock> = object("CROSS_REVIEW");
/// The block of the winner's selection.
pub const COMPOSITION: Block<CompositionBlock> = object("COMPOSITION");

/// The block of a test that shows a finding.
pub const REPRODUCTION: Block<Reproduction> = object("REPRODUCTION");

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

/// Returns the outline of the block that an agent's reply contains.
pub const fn outline(role: Role) -> &'static Outline {
    match role {
        Role::Reviewer => &REVIEW.outline,
        Role::CrossReviewer => &CROSS_REVIEW.outline,
        Role::Composer => &COMPOSITION.outline,
        Role::Validator => &VALIDATION.outline,
        Role::Prover | Role::Sandbox => &REPRODUCTION.outline,
    }
}
