//! What the styles of a debate are answered with in common: blocks, limits, and what is said of them where they are asked for.
//!
//! What a block holds is declared beside its type, in [`super::model`].

use super::model::{Judgement, Position, Stances};
use crate::contract::Block;
use crate::contract::block::{object, words};

/// A side's position.
pub const POSITION: Block<Position> = object("POSITION");
/// Stances on the other side's points.
pub const STANCES: Block<Stances> = object("STANCES");
/// An expert's or a judge's ruling.
pub const JUDGEMENT: Block<Judgement> = object("JUDGEMENT");
/// What the person who asked says to all.
pub const REMARK: Block<String> =
    words("REMARK", "remark", "<what both sides should know or look at>", TEXT_CHARS);

/// Points of one position at most: each must be judged.
pub const MAX_POINTS: usize = 20;
/// Entries of a list of stances or rulings at most; more than were ever shown is no answer.
pub const MAX_ENTRIES: usize = 100;
/// Characters of a summary, a reasoning, a ruling, a remark.
pub const TEXT_CHARS: usize = 4_000;
/// Characters of a claim, a reason, an amendment.
pub const REASON_CHARS: usize = 1_500;
/// Reasons, pieces of evidence, risks and the like of one answer or point.
pub const MAX_LINES: usize = 20;
/// Characters of a piece of evidence, a concession, a risk, something missing.
pub const LINE_CHARS: usize = 500;
/// Characters of an id as an agent writes it.
pub const ID_CHARS: usize = 60;

/// The importance of a point that was given none (`docs/answers.md`: 1 to 3).
pub const USUAL_IMPORTANCE: u8 = 2;

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
    use crate::contract::template::ask;
    use crate::text::markers;

    #[test]
    fn the_limits_that_are_told_are_the_limits_that_hold() {
        assert!(POSITION_RULES.contains(&format!("at most {MAX_POINTS}")));
    }

    #[test]
    fn no_template_is_an_answer() {
        for outline in [POSITION.outline, STANCES.outline, JUDGEMENT.outline] {
            assert!(serde_json::from_str::<serde_json::Value>(&outline.template()).is_err());
        }
    }

    /// A person who remarks on a debate writes no JSON.
    #[test]
    fn what_is_said_of_json_is_said_where_it_is_asked_for() {
        let strict = "JSON is strict";
        assert!(!ask(&[&REMARK.outline], &[]).contains(strict));
        assert!(ask(&[&REMARK.outline, &STANCES.outline], &[]).contains(strict));
    }

    #[test]
    fn all_blocks_are_asked_for_once_each() {
        let text = ask(&[&STANCES.outline, &POSITION.outline], &[STANCES_RULES, POSITION_RULES]);
        for name in [STANCES.name(), POSITION.name()] {
            assert_eq!(text.matches(&markers::start_marker(name)).count(), 1);
            assert_eq!(text.matches(&markers::end_marker(name)).count(), 1);
        }
        assert!(text.contains("exactly these blocks"));
    }
}
