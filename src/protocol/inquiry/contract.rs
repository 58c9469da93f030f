//! What each role must answer: marker names, shapes, and the text that asks for them.
//!
//! One constant per marker, shared by prompt, parser, rehearsal and the test
//! that reads the skills. The bodies shown here never parse as answers
//! (`<1-10>` is no JSON), so a model that repeats its instructions has not
//! answered.

use std::fmt::Write as _;

use super::{Question, Role};
use crate::text::block::{Shape, Want};

/// What the analyst proposes: a JSON object.
pub const FEATURE_OPPORTUNITIES: &str = "FEATURE_OPPORTUNITIES";
/// How the advisor would mend it: text.
pub const FIX_SUGGESTION: &str = "FIX_SUGGESTION";

/// Characters that a suggested fix may have.
pub const FIX_CHARS: usize = 8_000;

/// Returns the name of the block that a role's reply holds.
pub const fn name(role: Role) -> &'static str {
    match role {
        Role::Analyst => FEATURE_OPPORTUNITIES,
        Role::Advisor => FIX_SUGGESTION,
    }
}

/// Returns what the parser looks for in a role's reply.
pub const fn want(role: Role) -> Want {
    Want {
        name: name(role),
        shape: match role {
            Role::Analyst => Shape::Object,
            Role::Advisor => Shape::Text,
        },
        required: true,
    }
}

/// Returns the block body that our own prompt shows a role, to recognise an echo.
pub const fn template(role: Role) -> &'static str {
    match role {
        Role::Analyst => {
            r#"{"product_type": "<what this software is>", "target_users": ["<a kind of user>", ...], "opportunities": [
  {"title": "<a short name>", "description": "<what to build>", "user_value": "<what users gain>",
   "impact": <1-10>, "effort": <1-10>, "leverage": <1-10>, "risk": <1-10>, "existing_code": ["<path>", ...]}, ...]}"#
        }
        Role::Advisor => "<your suggestion, in plain text>",
    }
}

/// Wraps a body in a block's markers.
pub fn block(name: &str, body: &str) -> String {
    format!("<<<{name}_START>>>\n{body}\n<<<{name}_END>>>\n")
}

/// Returns the last part of a question's prompt: the exact answer that is wanted.
pub fn text(question: &Question) -> String {
    let role = question.role();
    let mut text = format!(
        "# Your answer\n\nEnd your reply with exactly this block. Each marker stands alone on its line, once, outside any code fence. \
         What stands in angle brackets is yours to fill in.\n\n{}\n",
        block(name(role), template(role))
    );
    match question {
        Question::Features { limit, .. } => {
            let _ = writeln!(
                text,
                "At most {limit} opportunities, each with a title of its own. `impact`, `effort`, `leverage` and `risk` are JSON numbers \
                 from 1 to 10. `existing_code` names files of the repository, or is `[]`. Give no ranking and no total: the program \
                 computes them. If nothing is worth proposing, `\"opportunities\": []` is the right answer. JSON is strict: double quotes, \
                 no comments, no trailing commas."
            );
        }
        Question::Fix { .. } => {
            let _ = writeln!(
                text,
                "The suggestion is plain text, at most 300 words (never more than {FIX_CHARS} characters): the likely cause, the change, \
                 and how to check it."
            );
        }
    }
    text
}
