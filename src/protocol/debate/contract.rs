//! What the styles of a debate are answered with in common: marker names, shapes, limits, and the text that asks for them.
//!
//! One constant per marker, shared by prompt, parser, rehearsal and the test that reads the skills.
//! The bodies shown here never parse as answers (`<0 to 1>` is no number, `...` no JSON), so a model
//! that repeats its instructions has not answered.

/// A side's position: a JSON object.
pub const POSITION: &str = "POSITION";
/// Stances on the other side's points: a JSON object.
pub const STANCES: &str = "STANCES";
/// An expert's or a judge's ruling: a JSON object.
pub const JUDGEMENT: &str = "JUDGEMENT";
/// Points of one position at most: each must be judged.
pub const MAX_POINTS: usize = 20;
/// Entries of a list of stances or rulings at most; more than were ever shown is no answer.
pub const MAX_ENTRIES: usize = 100;
/// Characters of a summary, a reasoning, a ruling, a remark.
pub const TEXT_CHARS: usize = 4_000;
/// Characters of a claim, a reason, an amendment.
pub const REASON_CHARS: usize = 1_500;
/// Characters of a piece of evidence, a concession, a risk, something missing.
pub const LINE_CHARS: usize = 500;
/// Characters of an id as an agent writes it.
pub const ID_CHARS: usize = 60;

/// The importance of a point that was given none (`spec/contracts.md`: 1 to 3).
pub const USUAL_IMPORTANCE: u8 = 2;

/// The body of a position, as prompts show it.
pub const POSITION_TEMPLATE: &str = r#"{"summary": "<what is to be done, in a few sentences>",
 "points": [
  {"id": "P1", "claim": "<one claim>", "reasoning": "<why>", "evidence": ["<what supports it>", ...], "importance": <1 to 3>}, ...],
 "concedes": ["<what of the other side's you grant>", ...], "risks": ["<what can go wrong>", ...],
 "confidence": <0 to 1>, "code_change_required": <true or false>}"#;

/// The body of stances, as prompts show it.
pub const STANCES_TEMPLATE: &str = r#"{"stances": [
  {"point": "<id>", "stance": "<agree|partly|disagree>", "reason": "<why>", "amendment": "<how it would have to read, with partly>"}, ...],
 "missing": ["<what the other side left out>", ...]}"#;

/// The body of a judgement, as prompts show it.
pub const JUDGEMENT_TEMPLATE: &str = r#"{"points": [{"id": "<id>", "ruling": "<what is to hold>", "reason": "<why>"}, ...],
 "position": "<the final position>", "confidence": <0 to 1>, "code_change_required": <true or false>}"#;

/// What is said of a position in the text that asks for one.
pub const POSITION_RULES: &str = "`points` are what your position rests on: at least one and at most 20, `P1`, `P2`, ... in order, each one claim that can be \
     agreed with or not on its own. `importance` is 3 where the position falls with the point, 1 where it does not matter much. \
     `evidence` names what can be looked up: a file and line, a figure and where it comes from, a passage of the context; `[]` where \
     there is none. `confidence` is how sure you are; it decides nothing.";

/// What is said of stances in the text that asks for them.
pub const STANCES_RULES: &str = "Give one stance on every point that this turn asks you to judge, by its id, each with a `reason`. `agree` means: as it stands, word for word. \
     Agreement with a condition, a limit or another wording is `partly`, and `amendment` says how the point would have to read; \
     \"agree, but\" counts as `partly`. A point without a stance counts as `disagree`. `missing` is what the position needs and lacks; \
     `[]` is a good answer.";

/// What is said of a judgement in the text that asks for one.
pub const JUDGEMENT_RULES: &str = "Rule on every open point that is shown, by its id, each with a `reason`. `position` is what holds in the end, complete in itself: \
     it will be read without the debate. `confidence` is how sure you are; it decides nothing.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::template::{REMARK, REMARK_TEMPLATE, text};
    use crate::text::markers;

    #[test]
    fn the_limits_that_are_told_are_the_limits_that_hold() {
        assert!(POSITION_RULES.contains(&format!("at most {MAX_POINTS}")));
    }

    #[test]
    fn no_template_is_an_answer() {
        for body in [POSITION_TEMPLATE, STANCES_TEMPLATE, JUDGEMENT_TEMPLATE] {
            assert!(serde_json::from_str::<serde_json::Value>(body).is_err());
        }
    }

    /// A person who remarks on a debate writes no JSON.
    #[test]
    fn what_is_said_of_json_is_said_where_it_is_asked_for() {
        let strict = "JSON is strict";
        assert!(!text(&[(REMARK, REMARK_TEMPLATE)], &[]).contains(strict));
        let both = [(REMARK, REMARK_TEMPLATE), (STANCES, STANCES_TEMPLATE)];
        assert!(text(&both, &[]).contains(strict));
    }

    #[test]
    fn all_blocks_are_asked_for_once_each() {
        let text = text(
            &[(STANCES, STANCES_TEMPLATE), (POSITION, POSITION_TEMPLATE)],
            &[STANCES_RULES, POSITION_RULES],
        );
        for name in [STANCES, POSITION] {
            assert_eq!(text.matches(&markers::start_marker(name)).count(), 1);
            assert_eq!(text.matches(&markers::end_marker(name)).count(), 1);
        }
        assert!(text.contains("exactly these blocks"));
    }
}
