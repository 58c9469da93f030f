//! Invariants under any reply.

use proptest::prelude::*;
use serde_json::json;

use super::super::contract::STANCES;
use super::tests::{shown, terms};
use super::*;
use crate::contract::{ReplyReader, template};
use crate::kernel::Chance;
use crate::protocol::debate::Stance;
use crate::protocol::testing::raw;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Accepted stances are on points that were shown, one each, and none of them agrees with an amendment.
    #[test]
    fn accepted_stances_keep_their_promises(
        entries in proptest::collection::vec(("P[1-5]", 0_usize..3, "(ok|Yes, but no|)", "(|less|none)"), 0..6),
    ) {
        let body = json!({ "stances": entries.iter().map(|(point, stance, reason, amendment)| json!({
            "point": point, "stance": Stance::ALL[*stance].name(), "reason": reason, "amendment": amendment,
        })).collect::<Vec<_>>() });
        let ids = shown();
        let block = template::block(STANCES.name(), &body.to_string());
        let mut reading = ReplyReader::of(&raw(&block), &[&STANCES.outline], terms(&ids, Chance::Last)).unwrap();
        let said = reading.read(&STANCES, |judge, said| Some(stances(judge, said)));
        if let Ok((stances, _)) = reading.close(said) {
            let points: BTreeSet<&String> = stances.stances.iter().map(|said| &said.point).collect();
            prop_assert_eq!(points.len(), stances.stances.len());
            prop_assert!(!points.is_empty() && points.iter().all(|point| ids.contains(point)));
            for said in &stances.stances {
                prop_assert!(said.stance != Stance::Agree || (said.amendment.is_none() && ["ok", ""].contains(&&*said.reason)));
                // No stance became more agreeable than it was written.
                let meant = entries.iter().any(|(point, stance, _, _)| {
                    *point == said.point && Stance::ALL[*stance].halves() >= said.stance.halves()
                });
                prop_assert!(meant);
            }
        }
    }
}
