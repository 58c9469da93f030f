//! What each role must answer: marker names, shapes, limits, and the text that asks for them.
//!
//! One constant per marker, shared by prompt, parser, rehearsal and the test
//! that reads the skills. The bodies shown here never parse as answers
//! (`<P0|P1|P2>` is no severity, `...` no JSON), so a model that repeats its
//! instructions has not answered.

use super::Role;
use crate::protocol::council::VALIDATION;
use crate::text::block::{Shape, Want};

/// An independent review: a JSON object.
pub const REVIEW: &str = "REVIEW";
/// Judgements on the others' findings: a JSON object.
pub const CROSS_REVIEW: &str = "CROSS_REVIEW";
/// The winner's selection: a JSON object.
pub const COMPOSITION: &str = "COMPOSITION";

/// Findings that one answer may have, missed issues included; more is no review that anybody reads.
pub const MAX_FINDINGS: usize = 100;
/// Characters of a title.
pub const TITLE_CHARS: usize = 200;
/// Characters of a path.
pub const PATH_CHARS: usize = 1_000;
/// Characters of a description, and likewise of a fix.
pub const DETAIL_CHARS: usize = 4_000;
/// Characters of a quote, and likewise of evidence.
pub const QUOTE_CHARS: usize = 2_000;
/// Characters of a reason.
pub const REASON_CHARS: usize = 1_500;

const FINDING: &str = r#"{"severity": "<P0|P1|P2>", "title": "<one line>", "file": "<path>", "line": <number>, "end_line": <number>,
   "quote": "<the code in question, copied>", "detail": "<what is wrong, and what then happens>", "fix": "<how to mend it>"}"#;

/// Returns the name of the block that a role's reply holds.
pub const fn name(role: Role) -> &'static str {
    match role {
        Role::Reviewer => REVIEW,
        Role::CrossReviewer => CROSS_REVIEW,
        Role::Composer => COMPOSITION,
        Role::Validator => VALIDATION,
    }
}

/// Returns what the parser looks for in a role's reply.
pub const fn want(role: Role) -> Want {
    Want { name: name(role), shape: Shape::Object, required: true }
}

/// Returns the block body that our own prompt shows a role, to recognise an echo.
pub fn template(role: Role) -> String {
    match role {
        Role::Reviewer => format!(
            r#"{{"findings": [
  {FINDING}, ...],
 "residual_risks": ["<what stays risky>", ...], "open_questions": ["<what you could not find out>", ...]}}"#
        ),
        Role::CrossReviewer => format!(
            r#"{{"judgements": [
  {{"id": "<F1>", "stance": "<agree|disagree|unsure>", "reason": "<why>", "evidence": "<code that shows it, copied>"}}, ...],
 "missed_issues": [
  {FINDING}, ...]}}"#
        ),
        Role::Composer => r#"{"keep": [{"id": "<F1>", "title": "<a better title>", "detail": "<a better description>", "fix": "<a better fix>"}, ...],
 "merge": [{"into": "<F2>", "ids": ["<F3>", ...]}, ...],
 "eliminate": [{"id": "<F4>", "reason": "<why it does not belong into the result>"}, ...],
 "residual_risks": ["<what stays risky>", ...], "open_questions": ["<what could not be found out>", ...]}"#
            .to_owned(),
        Role::Validator => {
            r#"{"votes": [{"id": "<F1>", "vote": "<approve|reject>", "reason": "<why>"}, ...]}"#
                .to_owned()
        }
    }
}

/// Wraps a body in a block's markers.
pub fn block(name: &str, body: &str) -> String {
    format!("<<<{name}_START>>>\n{body}\n<<<{name}_END>>>\n")
}

/// Returns the last part of a turn's prompt: the exact answer that is wanted. `shown` are the ids to speak of; none for a reviewer.
pub fn text(role: Role, shown: &[String]) -> String {
    let mut text = format!(
        "# Your answer\n\nEnd your reply with exactly this block. Each marker stands alone on its line, once, outside any code fence. \
         What stands in angle brackets is yours to fill in.\n\n{}\n",
        block(name(role), &template(role))
    );
    let rules = match role {
        Role::Reviewer => format!(
            "{} If nothing is wrong, `\"findings\": []` is the right answer; at most {MAX_FINDINGS} findings, the worst first. \
             `residual_risks` and `open_questions` are lists of sentences, or `[]`.",
            finding_rules()
        ),
        Role::CrossReviewer => format!(
            "Judge each of these once, by its id: {}. `evidence` is required to disagree: code copied letter by letter from the change or \
             the file, which the program looks for; a disagreement without it counts as unsure. `missed_issues` is for what all others \
             overlooked, or `[]`. {}",
            shown.join(", "),
            finding_rules()
        ),
        Role::Composer => format!(
            "The ids are: {}. Name each at most once as kept, merged into another, or eliminated; one that you do not name is kept as it \
             is. In `keep`, `title`, `detail` and `fix` are only for what you word anew. Every elimination has a reason. You cannot add \
             findings. Lists may be `[]`.",
            shown.join(", ")
        ),
        Role::Validator => format!(
            "Vote on each of these decisions once, by its id: {}. `vote` is `approve` or `reject`, in these exact words, each with a reason.",
            shown.join(", ")
        ),
    };
    text.push_str(&rules);
    text.push_str(" JSON is strict: double quotes, no comments, no trailing commas.");
    text
}

fn finding_rules() -> &'static str {
    "A finding's `severity` is `P0`, `P1` or `P2`, in these exact words. `file` is the path as the change names it; `line` and `end_line` \
     are JSON numbers, counted in the new file, and are left out where there is no line. `quote` is code copied letter by letter, from one \
     place, without the marks of the diff: the program looks for it, and corrects the line by it."
}
