//! What each turn must answer: marker names, shapes, limits, and the text that asks for them.
//!
//! One constant per marker, shared by prompt, parser, rehearsal and the test that reads the skills.
//! The bodies shown here never parse as answers (`<a step>` is no JSON), so a model that repeats its
//! instructions has not answered.

use crate::protocol::council::VALIDATION;
use crate::text::block::{Shape, Want};

/// A planner's plan: a JSON object.
pub const PLAN: &str = "PLAN";
/// A planner's judgements on the others' steps: a JSON object.
pub const PLAN_REVIEW: &str = "PLAN_REVIEW";

/// Steps of one plan at most.
pub const MAX_STEPS: usize = 100;
/// Steps that one cross-examination may add at most.
pub const MAX_MISSING: usize = 20;
/// Entries of any other list that count: files, dependencies, risks, questions.
pub const MAX_LIST: usize = 50;
/// Characters of a step's id.
pub const ID_CHARS: usize = 64;
/// Characters of a title, a phase or a path.
pub const LINE_CHARS: usize = 200;
/// Characters of a description, a reason, a suggestion, a risk; more is cut, and said.
pub const TEXT_CHARS: usize = 4_000;

/// What a turn asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A plan of one's own.
    Plan,
    /// Judgements on the others' steps.
    Cross,
    /// Votes on the merged plan.
    Validation,
}

impl Ask {
    /// All, in the order of a planning.
    pub const ALL: [Self; 3] = [Self::Plan, Self::Cross, Self::Validation];

    /// Returns the name of the block that answers it.
    pub const fn block(self) -> &'static str {
        match self {
            Self::Plan => PLAN,
            Self::Cross => PLAN_REVIEW,
            Self::Validation => VALIDATION,
        }
    }

    /// Returns the role in the configuration whose skill is sent.
    pub const fn plays(self) -> &'static str {
        match self {
            Self::Plan => "planner",
            Self::Cross => "plan-reviewer",
            Self::Validation => "plan-validator",
        }
    }

    /// Returns what a turn's id says: `r1/plan/s1`, `r2/cross/s2`, `validate/s2`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Cross => "cross",
            Self::Validation => "validate",
        }
    }

    /// Returns what the parser looks for.
    pub const fn want(self) -> Want {
        Want { name: self.block(), shape: Shape::Object, required: true }
    }

    /// Returns the block body that our own prompt shows, to recognise an echo.
    pub const fn template(self) -> &'static str {
        match self {
            Self::Plan => {
                r#"{"steps": [
  {"id": "<a short name>", "phase": "<the phase>", "title": "<one line>", "description": "<what is done>",
   "files": ["<path>", ...], "depends_on": ["<id of another step>", ...], "acceptance": "<how one sees that it is done>"}, ...],
 "summary": "<the plan in a few sentences>", "risks": ["<risk>", ...], "open_questions": ["<question>", ...]}"#
            }
            Self::Cross => {
                r#"{"judgements": [
  {"id": "<id>", "stance": "<agree|disagree|modify>", "reason": "<why>", "suggestion": "<what instead, with modify>"}, ...],
 "missing_steps": [
  {"id": "<a short name>", "phase": "<the phase>", "title": "<one line>", "description": "<what is done>",
   "files": ["<path>", ...], "depends_on": ["<id>", ...], "acceptance": "<how one sees that it is done>"}, ...]}"#
            }
            Self::Validation => {
                r#"{"votes": [{"id": "<id>", "vote": "<approve|reject>", "reason": "<why>"}, ...]}"#
            }
        }
    }
}

/// Wraps a body in a block's markers.
pub fn block(name: &str, body: &str) -> String {
    format!("<<<{name}_START>>>\n{body}\n<<<{name}_END>>>\n")
}

/// Returns the last part of a prompt: the exact answer that is wanted.
pub fn text(ask: Ask) -> String {
    let rules = match ask {
        Ask::Plan => format!(
            "1 to {MAX_STEPS} steps, in the order in which they should be done, each id once. `depends_on` names ids of this plan, or is \
             `[]`; no step may depend on itself, not even in a circle. `files` names paths from the top of the repository, or is `[]`. \
             Name risks and open questions that a reader must know; `[]` where there are none."
        ),
        Ask::Cross => format!(
            "Judge every id under `steps` once. `modify` needs a `suggestion`; `disagree` and `modify` need a `reason`. A missing step is \
             one without which the task is not done and which nobody has named, neither under `steps` nor under `your_steps`; at most \
             {MAX_MISSING}, and `\"missing_steps\": []` is a good answer. Its `depends_on` names ids that were shown, or other missing \
             steps."
        ),
        Ask::Validation => {
            "Vote once on every id under `vote_on`. `reject` needs a `reason`. A step that should be worded otherwise but is right is \
             to be approved."
                .to_owned()
        }
    };
    format!(
        "# Your answer\n\nEnd your reply with exactly this block. Each marker stands alone on its line, once, outside any code fence. \
         What stands in angle brackets is yours to fill in.\n\n{}\n{rules} JSON is strict: double quotes, no comments, no trailing \
         commas.\n",
        block(ask.block(), ask.template())
    )
}
