//! Every mode, the circle of challenges, and the rejected inputs.

use proptest::prelude::*;

use super::*;

fn names(agents: &[&str]) -> Vec<String> {
    agents.iter().map(|agent| (*agent).to_owned()).collect()
}

fn laid_out(mode: Mode, rounds: u32, agents: &[&str]) -> Outline {
    outline("id".to_owned(), "Tabs or spaces?", mode, rounds, names(agents)).unwrap()
}

/// Written by hand from "each challenges the next, cyclically".
#[test]
fn an_adversary_is_the_next_one_in_a_circle() {
    for round in 1..=3 {
        let outline = laid_out(Mode::Adversarial, 3, &["a", "b", "c"]);
        let phase = &outline.phases[round];
        for (agent, challenged) in [("a", "hallenge b"), ("b", "hallenge c"), ("c", "hallenge a")] {
            assert!(phase.agent_actions[agent].contains(challenged), "{phase:?}");
        }
    }
}

#[test]
fn a_collaborator_builds_on_the_one_before() {
    let outline = laid_out(Mode::Collaborative, 1, &["a", "b", "c"]);
    for (agent, before) in [("a", "position of c"), ("b", "position of a"), ("c", "position of b")]
    {
        assert!(outline.phases[1].agent_actions[agent].contains(before));
    }
}

#[test]
fn the_numbers_are_those_of_the_specification() {
    let value = serde_json::to_value(SCORING).unwrap();
    let expected = serde_json::json!({
        "p0_finding": 15, "p1_finding": 8, "p2_finding": 3, "false_positive": -10, "concrete_fix": 5,
        "file_accuracy": 2, "clarity": 10,
    });
    assert_eq!(value, expected);
}

#[test]
fn what_is_no_debate_is_refused() {
    let refused = |topic: &str, rounds, agents: &[&str]| {
        outline(String::new(), topic, Mode::Consensus, rounds, names(agents)).unwrap_err()
    };
    assert_eq!(refused(" \n", 1, &["a", "b"]), OutlineError::NoTopic);
    assert_eq!(refused("t", 1, &["a"]), OutlineError::Agents(1));
    assert_eq!(refused("t", 1, &[]), OutlineError::Agents(0));
    assert_eq!(refused("t", 1, &["a", "b", "a"]), OutlineError::Twice("a".to_owned()));
    for rounds in [0, 6] {
        assert_eq!(refused("t", rounds, &["a", "b"]), OutlineError::Rounds(rounds));
    }
}

proptest! {
    /// Positions, the rounds, the synthesis; every agent acts in every phase but the last, and never on itself.
    #[test]
    fn everybody_has_a_part(count in 2_usize..9, rounds in 1..=MAX_ROUNDS, mode in 0_usize..3) {
        let agents: Vec<String> = (0..count).map(|at| format!("agent-{at}.")).collect();
        let outline = outline(String::new(), "t", Mode::ALL[mode], rounds, agents.clone()).unwrap();
        prop_assert_eq!(outline.phases.len(), rounds as usize + 2);
        let (last, others) = outline.phases.split_last().unwrap();
        prop_assert_eq!(last.agent_actions.keys().collect::<Vec<_>>(), [JUDGE]);
        for (number, phase) in (1..).zip(&outline.phases) {
            prop_assert_eq!(phase.phase, number);
        }
        for phase in others {
            let acting: Vec<&String> = phase.agent_actions.keys().collect();
            prop_assert_eq!(acting, agents.iter().collect::<Vec<_>>());
            for (agent, action) in &phase.agent_actions {
                prop_assert!(!action.contains(agent.as_str()), "{} {}", agent, action);
            }
        }
    }
}
