//! The whole table: every state, every type, every speaker.

use super::*;
use ArgumentType::{Challenge, Counter, Defense, Proposal, Resolution};
use Side::{Adversary, Primary};

/// After what, which type, by whom.
type Row = (Option<(ArgumentType, Side)>, ArgumentType, Side);

/// What the specification allows, written down by hand: after, then what may come.
const ALLOWED: [Row; 6] = [
    (None, Proposal, Primary),
    (Some((Proposal, Primary)), Challenge, Adversary),
    (Some((Challenge, Adversary)), Defense, Primary),
    (Some((Defense, Primary)), Counter, Adversary),
    (Some((Defense, Primary)), Resolution, Adversary),
    (Some((Counter, Adversary)), Resolution, Primary),
];

fn parties() -> Parties {
    Parties::new("claude", "gemini").unwrap()
}

#[test]
fn every_state_type_and_speaker_is_as_the_table_says() {
    let mut states = vec![None];
    for kind in ArgumentType::ALL {
        states.extend(Side::ALL.map(|side| Some((kind, side))));
    }
    let (mut allowed, mut refused) = (0, 0);
    for state in states {
        for kind in ArgumentType::ALL {
            for (agent, side) in [
                ("claude", Some(Primary)),
                ("gemini", Some(Adversary)),
                ("codex", None),
                ("Claude", None),
                ("", None),
            ] {
                let last = state.map(|(kind, side)| Move { kind, side });
                let judged = check(&parties(), last, kind, agent);
                let listed = side.filter(|side| ALLOWED.contains(&(state, kind, *side)));
                assert_eq!(judged.as_ref().ok().copied(), listed, "{state:?} {kind:?} {agent}");
                match judged {
                    Ok(side) => {
                        allowed += 1;
                        // Nobody speaks twice in a row.
                        assert!(state.is_none_or(|(_, before)| before != side));
                    }
                    Err(Illegal::Stranger { agent: named, .. }) => {
                        refused += 1;
                        assert!(side.is_none() && named == agent);
                    }
                    Err(Illegal::NotNow { tried, may }) => {
                        refused += 1;
                        assert_eq!(Some(tried.side), side);
                        assert_eq!(may, successors(last));
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
    assert_eq!((allowed, refused), (6, 11 * 5 * 5 - 6));
}

#[test]
fn a_refusal_says_what_may_come() {
    let after = |kind, side| Some(Move { kind, side });
    for (last, kind, agent, message) in [
        (
            None,
            Challenge,
            "gemini",
            "a challenge by the adversary cannot come now: now comes a proposal by the primary",
        ),
        (
            after(Defense, Primary),
            Defense,
            "claude",
            "a defense by the primary cannot come now: now comes a counter by the adversary, or a resolution by the adversary",
        ),
        (
            after(Resolution, Adversary),
            Proposal,
            "claude",
            "a proposal by the primary cannot come now: the round has its resolution, and nothing follows one in its round",
        ),
        (
            None,
            Proposal,
            "codex",
            "`codex` does not argue here: `claude` is the primary and `gemini` the adversary",
        ),
    ] {
        let refused = check(&parties(), last, kind, agent).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
}

#[test]
fn two_that_differ_argue_and_a_stand_in_is_of_one_side() {
    assert_eq!(
        Parties::new("claude", "claude").unwrap_err().to_string(),
        "`claude` cannot argue with itself: name two agents that differ"
    );
    assert_eq!(Parties::new("claude", " "), Err(Illegal::Nameless));
    let mut parties = parties();
    assert_eq!(parties.stand_in(Adversary, "claude"), Err(Illegal::Same("claude".to_owned())));
    assert_eq!(parties.stand_in(Adversary, ""), Err(Illegal::Nameless));
    assert_eq!(parties.side_of("codex"), None);
    assert_eq!(parties.stand_in(Adversary, "codex"), Ok(()));
    assert_eq!(parties.stand_in(Adversary, "codex"), Ok(()));
    assert_eq!(parties.side_of("codex"), Some(Adversary));
    assert_eq!(parties.side_of("gemini"), Some(Adversary));
    assert_eq!(parties.stand_in(Primary, "codex"), Err(Illegal::Same("codex".to_owned())));
    assert_eq!((parties.named(Primary), parties.named(Adversary)), ("claude", "gemini"));
}
