//! The blocks that all styles of a debate share, and the rules that go with them in prompts.
//!
//! The content of a block and its limits are declared beside its type, in [`super::model`].

use super::model::{Judgement, Position, Stances};
use crate::contract::Block;
use crate::contract::block::object;

/// The block of a side's position.
pub const POSITION: Block<Position> = object("POSITION");
/// The block of stances on the other side's points.
pub const STANCES: Block<Stances> = object("STANCES");
/// The block of an expert's or a judge's ruling.
pub const JUDGEMENT: Block<Judgement> = object("JUDGEMENT");

/// The rules for a position, in the text that asks for one.
pub const POSITION_RULES: &str = "`points` are what your position rests on: at least one and at most 20, each one claim that can be agreed with or not on its own. \
     `importance` is 3 where the position falls with the point, 2 where it would change, 1 where it would stand. `evidence` names what can \
     be looked up: a file and line, a figure and where it comes from, a passage of the context. An entry for what you know but cannot \
     look up here begins with `from memory:`; it is shown as that, and never counts as checked. `[]` where there is none. \
     `code_change_required` is `true` if acting on the position means changing code, `false` if a decision, a document or a setting is \
     enough; it goes into the result and decides nothing here.";

/// The rules for stances, in the text that asks for them.
pub const STANCES_RULES: &str = "Give one stance on every point that this turn asks you to judge, by its id, each with a `reason`. A stance judges the claim. `agree`: \
     you would sign it as it stands, word for word. With a condition, a limit or another wording it is `partly`, and `partly` needs its \
     `amendment`: how the point would have to read, complete; \"agree, but\" counts as `partly`. `support` judges what is given for the \
     claim, `sound` or `weak`; it is shown and counts for nothing, so a true claim with a poor reason is `agree` and `weak`. A point \
     without a stance counts as `disagree`. `missing` is what the position needs and lacks; `[]` is a good answer.";

/// The rules for a judgement, in the text that asks for one.
pub const JUDGEMENT_RULES: &str = "Rule on every open point that is shown, by its id, each with a `reason`. `position` is what holds in the end, complete in itself: \
     it will be read without the debate. `code_change_required` is `true` if acting on it means changing code, `false` if a decision, a \
     document or a setting is enough.";

#[cfg(test)]
mod tests {
    use super::*;

    use crate::protocol::debate::model::MAX_POINTS;

    #[test]
    fn the_limits_that_are_told_are_the_limits_that_hold() {
        assert!(POSITION_RULES.contains(&format!("at most {MAX_POINTS}")));
    }
}
