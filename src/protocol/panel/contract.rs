//! What each turn must answer: marker names, shapes, limits, and the text that asks for them.
//!
//! One constant per marker, shared by prompt, parser, rehearsal and the test that reads the skills.
//! The bodies shown here never parse as answers (`<0 to 1>` is no JSON), so a model that repeats its
//! instructions has not answered.

use crate::contract::template::{self, REMARK};
use crate::protocol::debate::contract::JUDGEMENT;
use crate::text::block::Want;

/// A seat's own answer, and the judge's: a JSON object.
pub const ANSWER: &str = "ANSWER";
/// A seat's vote: a JSON object.
pub const VOTE: &str = "VOTE";

/// Groups of `same_as` at most; there are fewer answers than two for each.
pub const MAX_GROUPS: usize = 12;
/// Characters of an answer; more is cut, and said.
pub const ANSWER_CHARS: usize = 4_000;
/// Characters of the reason of a vote, and of what moved it.
pub const REASON_CHARS: usize = 1_500;
/// Characters of one reason or piece of evidence of an answer.
pub const LINE_CHARS: usize = 500;

/// What a turn asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A seat's own answer.
    Answer,
    /// The first vote.
    Vote,
    /// The vote of a cross round.
    Cross,
    /// A person's remark before a cross round.
    Remark,
    /// The judge's own answer.
    Own,
    /// The judge's ruling, in one of the two orders.
    Ruling,
}

impl Ask {
    /// All, in the order of a panel.
    pub const ALL: [Self; 6] =
        [Self::Answer, Self::Vote, Self::Cross, Self::Remark, Self::Own, Self::Ruling];

    /// Returns the name of the block that answers it.
    pub const fn block(self) -> &'static str {
        match self {
            Self::Answer | Self::Own => ANSWER,
            Self::Vote | Self::Cross => VOTE,
            Self::Remark => REMARK,
            Self::Ruling => JUDGEMENT,
        }
    }

    /// Returns the role in the configuration whose skill is sent; a person has none.
    pub const fn plays(self) -> &'static str {
        match self {
            Self::Answer | Self::Vote | Self::Cross => "panel-seat",
            Self::Remark => "person",
            Self::Own | Self::Ruling => "judge",
        }
    }

    /// Returns what the parser looks for.
    pub const fn want(self) -> Want {
        match self {
            Self::Answer | Self::Vote | Self::Cross | Self::Own | Self::Ruling => {
                template::want(self.block())
            }
            Self::Remark => template::REMARK_WANT,
        }
    }

    /// Returns the block body that our own prompt shows, to recognise an echo.
    pub const fn template(self) -> &'static str {
        match self {
            Self::Answer | Self::Own => {
                r#"{"answer": "<the answer, complete in itself>", "reasons": ["<reason>", ...],
 "evidence": ["<what supports it, and where it can be looked up>", ...], "confidence": <0 to 1>}"#
            }
            Self::Vote => {
                r#"{"choice": "<letter>", "same_as": [["<letter>", "<letter>"], ...], "changed": <true or false>, "reason": "<why>"}"#
            }
            Self::Cross => {
                r#"{"choice": "<letter>", "same_as": [["<letter>", "<letter>"], ...], "changed": <true or false>,
 "moved_by": "<with a change: the evidence that moved you>", "reason": "<why>"}"#
            }
            Self::Remark => template::REMARK_TEMPLATE,
            Self::Ruling => {
                r#"{"points": [{"id": "<letter>", "ruling": "<what of this choice holds, and what does not>", "reason": "<why>"}, ...],
 "position": "<the letter of your choice>", "confidence": <0 to 1>, "code_change_required": <true or false>}"#
            }
        }
    }

    const fn rules(self) -> &'static str {
        match self {
            Self::Answer | Self::Own => {
                "`answer` is what is to be done or what holds, in a few sentences that need nothing beside them. `reasons` and `evidence` \
                 have one thing an entry, at most 20 each; `\"evidence\": []` is honest where there is none. `confidence` is a number."
            }
            Self::Vote => {
                "`choice` is the letter of one answer. `same_as` names answers that come to the same, two or more letters a group, each \
                 letter once; `[]` where all differ. This is your first vote, so `changed` is `false`. `reason` is never empty."
            }
            Self::Cross => {
                "`choice` is the letter of one answer. `same_as` names answers that come to the same, two or more letters a group, each \
                 letter once, complete again; `[]` where all differ. `changed` says whether your choice is another one than in your last \
                 vote; then `moved_by` names the evidence that moved you, or the change is not counted. `reason` is never empty."
            }
            Self::Remark => {
                "Everything between the two lines is read by all participants before they vote. Nothing between them is no remark."
            }
            Self::Ruling => {
                "`points` has one entry for every letter, copied as it stands, each once. `position` is the letter of the choice that is to \
                 hold: one letter and nothing else. `code_change_required` may be left out where the question is not about code."
            }
        }
    }
}

/// Returns the last part of a prompt: the exact answer that is wanted.
pub fn text(ask: Ask) -> String {
    template::text(&[(ask.block(), ask.template())], &[ask.rules()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::lines::MAX_LINES;

    #[test]
    fn the_limits_that_are_told_are_the_limits_that_hold() {
        assert!(Ask::Answer.rules().contains(&format!("at most {MAX_LINES}")));
    }

    /// A model that repeats its instructions has not answered.
    #[test]
    fn no_template_is_an_answer() {
        for ask in Ask::ALL {
            let parsed = serde_json::from_str::<serde_json::Value>(ask.template());
            assert!(parsed.is_err(), "{ask:?}");
            assert_eq!(text(ask).matches("_START>>>").count(), 1);
        }
    }
}
