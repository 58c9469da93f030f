//! The outline of a debate: each agent's action, phase by phase, before any agent is asked.
//!
//! A pure function of topic, mode, rounds and agents. Every agent states its position alone; then come the rounds, in
//! which an agent *challenges the next* in the order given (adversarial), *looks for common ground* with all others
//! (consensus) or *builds on the one before* (collaborative), always in a circle, so that no agent is left out and
//! none is paired with itself; at last a judge combines everything into one result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::debate::Mode;
use crate::ordered::{BTreeMap, BTreeSet, Gather};

/// Maximum number of rounds.
pub const MAX_ROUNDS: u32 = 5;

/// Maximum number of agents: as many rows as a person reads.
pub const MAX_AGENTS: usize = 20;

/// The name that acts in the last phase.
pub const JUDGE: &str = "judge";

/// The result of `outline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outline {
    /// A UUID of its own.
    pub plan_id: String,
    /// What is debated.
    pub topic: String,
    /// How it is conducted.
    pub mode: Mode,
    /// Rounds between the positions and the synthesis, 1 to 5.
    pub rounds: u32,
    /// Who debates, in order.
    pub agents: Vec<String>,
    /// What happens, in order.
    pub phases: Vec<Phase>,
    /// What a finding is worth where the debate is about code.
    pub scoring_criteria: ScoringCriteria,
}

/// One phase of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// From 1.
    pub phase: u32,
    /// Its name.
    pub name: String,
    /// What happens in it.
    pub description: String,
    /// What each does, by agent; in the last phase only the `judge`.
    pub agent_actions: BTreeMap<String, String>,
}

/// Points of a finding (`docs/review.md`, step 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScoringCriteria {
    /// For a P0: a breaking defect.
    pub p0_finding: i32,
    /// For a P1: a likely bug.
    pub p1_finding: i32,
    /// For a P2: minor correctness.
    pub p2_finding: i32,
    /// For a finding that is not true.
    pub false_positive: i32,
    /// For a fix that names the code to change.
    pub concrete_fix: i32,
    /// For a finding that is where it says.
    pub file_accuracy: i32,
    /// For clarity, at most.
    pub clarity: i32,
}

/// The points given by the specification.
pub const SCORING: ScoringCriteria = ScoringCriteria {
    p0_finding: 15,
    p1_finding: 8,
    p2_finding: 3,
    false_positive: -10,
    concrete_fix: 5,
    file_accuracy: 2,
    clarity: 10,
};

/// Reasons why a debate cannot be outlined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutlineError {
    #[error("the topic is empty: say what is to be debated")]
    NoTopic,
    /// Fewer than two agents, or more than [`MAX_AGENTS`].
    #[error("a debate takes 2 to {MAX_AGENTS} agents, not {0}")]
    Agents(usize),
    #[error("the agent `{0}` is named twice")]
    Twice(String),
    #[error("a debate has 1 to {MAX_ROUNDS} rounds, not {0}")]
    Rounds(u32),
}

/// Builds the outline of a debate.
pub fn outline(
    plan_id: String,
    topic: &str,
    mode: Mode,
    rounds: u32,
    agents: Vec<String>,
) -> Result<Outline, OutlineError> {
    let topic = topic.trim();
    if topic.is_empty() {
        return Err(OutlineError::NoTopic);
    }
    if !(2..=MAX_AGENTS).contains(&agents.len()) {
        return Err(OutlineError::Agents(agents.len()));
    }
    let mut seen = BTreeSet::new();
    if let Some(agent) = agents.iter().find(|agent| !seen.insert(*agent)) {
        return Err(OutlineError::Twice(agent.clone()));
    }
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(OutlineError::Rounds(rounds));
    }
    let mut phases = vec![positions(&agents)];
    phases.extend((1..=rounds).map(|round| debate(mode, round, rounds, &agents)));
    phases.push(synthesis(rounds + 2, mode));
    Ok(Outline {
        plan_id,
        topic: topic.to_owned(),
        mode,
        rounds,
        agents,
        phases,
        scoring_criteria: SCORING,
    })
}

fn positions(agents: &[String]) -> Phase {
    let action = "State your position on the topic, with reasons and evidence, and what would change your mind.";
    Phase {
        phase: 1,
        name: "Positions".to_owned(),
        description: "Each agent answers alone, without seeing the others.".to_owned(),
        agent_actions: (agents.iter()).map(|agent| (agent.clone(), action.to_owned())).gather(),
    }
}

fn debate(mode: Mode, round: u32, rounds: u32, agents: &[String]) -> Phase {
    let count = agents.len();
    let action = |at: usize| {
        let (next, before) = (&agents[(at + 1) % count], &agents[(at + count - 1) % count]);
        let others: Vec<&str> = (agents.iter().enumerate())
            .filter(|(other, _)| *other != at)
            .map(|(_, name)| name.as_str())
            .collect();
        let others = others.join(", ");
        match (mode, round) {
            (Mode::Adversarial, 1) => format!(
                "Challenge {next}: attack its weakest claim with evidence, and name what it overlooked."
            ),
            (Mode::Adversarial, _) => format!(
                "Answer what was said against you, concede what holds, then challenge {next} again on what is still open."
            ),
            (Mode::Consensus, 1) => format!(
                "Compare your position with {others}: name what all share, and what you could give up."
            ),
            (Mode::Consensus, _) => format!(
                "Word a proposal that {others} could accept, and say what still keeps you from theirs."
            ),
            (Mode::Collaborative, 1) => format!(
                "Build on the position of {before}: keep what is good, add what is missing, mend what does not work."
            ),
            (Mode::Collaborative, _) => format!(
                "Build on what {before} made of it in the last round, and leave it better than you found it."
            ),
        }
    };
    let (name, description) = match mode {
        Mode::Adversarial => ("Challenge", "Each agent challenges the next one, in a circle."),
        Mode::Consensus => ("Common ground", "All agents look for what all can accept."),
        Mode::Collaborative => {
            ("Build", "Each agent builds on what the one before it wrote, in a circle.")
        }
    };
    Phase {
        phase: round + 1,
        name: format!("{name} {round} of {rounds}"),
        description: description.to_owned(),
        agent_actions: (agents.iter().enumerate())
            .map(|(at, agent)| (agent.clone(), action(at)))
            .gather(),
    }
}

fn synthesis(phase: u32, mode: Mode) -> Phase {
    let action = match mode {
        Mode::Adversarial => {
            "Rule on each claim that was challenged, by its evidence; say which position stands, and what stays open."
        }
        Mode::Consensus => {
            "Write down what all agreed on, word for word where it matters, and every point on which they did not."
        }
        Mode::Collaborative => {
            "Make one result of the last versions, and name what was tried and dropped on the way."
        }
    };
    Phase {
        phase,
        name: "Synthesis".to_owned(),
        description: "A judge that took no side makes one result of it.".to_owned(),
        agent_actions: BTreeMap::from([(JUDGE.to_owned(), action.to_owned())]),
    }
}

#[cfg(test)]
mod tests;
