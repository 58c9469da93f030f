//! Invariants under any reply.

use crate::kernel::Chance;
use proptest::prelude::*;
use serde_json::json;

use super::tests::{ask, letters};
use super::*;
use crate::contract::template;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is written for letters, an accepted vote is for an answer that was shown, and so are the answers that
    /// it considers the same.
    #[test]
    fn a_vote_is_for_what_was_shown(
        choice in "[a-eA-E ]{0,2}", groups in proptest::collection::vec(proptest::collection::vec("[A-Ea-e]", 0..4), 0..4), last in any::<bool>(),
    ) {
        let body = json!({ "choice": choice, "same_as": groups, "changed": false, "reason": "r" });
        let chance = if last { Chance::Last } else { Chance::First };
        if let Ok(Reply { content: Content::Vote(said), .. }) = ask(Ask::Vote, &template::block(VOTE.name(), &body.to_string()), chance) {
            prop_assert!(letters().contains(&said.choice));
            prop_assert!(said.choice.eq_ignore_ascii_case(choice.trim()));
            for group in &said.same_as {
                prop_assert!(group.len() > 1 && group.iter().all(|letter| letters().contains(letter)));
                prop_assert!(group.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
