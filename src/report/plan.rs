//! The plan of a run (`--dry-run`): the calls it would make, as a document and for people.

use anstyle::Style;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::{Table, push_wrapped};
use super::words::{self, DOUBT, HEAD, paint};
use super::{Look, progress::REHEARSAL};
use crate::kernel::{Quota, Usd, Warning};
use crate::ordered::{BTreeSet, Gather};
use crate::text::counted;

/// The calls of one round, before anybody is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Opportunities that would be ranked.
    pub opportunities: u64,
    /// Opportunities that are left out: accepted, rejected or deferred ones.
    #[serde(default)]
    pub set_aside: u64,
    /// The first round's calls, in order; empty where there is nothing to rank.
    pub calls: Vec<PlannedCall>,
    /// Maximum number of rounds.
    #[serde(default)]
    pub max_rounds: u32,
    /// What would be reserved for one round.
    #[serde(default)]
    pub estimated_usd_per_round: Usd,
    /// The same for all rounds.
    #[serde(default)]
    pub estimated_usd_at_most: Usd,
    /// The budget, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<Usd>,
    /// What the agents' CLIs last reported of their vendors' quotas, to any command of this user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<Quota>,
    /// Built-in stand-ins would play every role.
    #[serde(default)]
    pub rehearsal: bool,
    /// What was noticed in the input.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Why there are no calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One call that would be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCall {
    /// The turn's id.
    pub turn: String,
    /// Its role.
    pub role: String,
    /// The agent's name.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// The program that would run.
    pub program: String,
    /// The model, if one is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The time limit of one attempt; 0 for a person, who has none.
    pub timeout_seconds: u64,
    /// Bytes of the skill.
    pub skill_bytes: u64,
    /// Bytes of the prompt.
    pub prompt_bytes: u64,
    /// The prompt also gets what the others will have said, so it will be larger.
    pub prompt_is_at_least: bool,
    /// What would be reserved for it.
    pub reserve_usd: Usd,
}

/// Returns the plan for people, with a newline at the end.
pub fn render(plan: &Plan, look: Look) -> String {
    let mut text = String::new();
    if plan.rehearsal {
        push_line(&mut text, REHEARSAL, DOUBT, look);
    }
    push_line(&mut text, "DRY RUN: nobody was asked, nothing was spent", HEAD, look);
    let ordinary = Style::new();
    if let Some(note) = &plan.note {
        push_line(&mut text, &words::sentence(note), ordinary, look);
    }
    if !plan.calls.is_empty() {
        text.push('\n');
        text.push_str(&calls(plan).render(look.width));
        text.push('\n');
        for program in programs(plan) {
            push_line(&mut text, &program, ordinary, look);
        }
        push_line(&mut text, &money(plan), ordinary, look);
        for quota in &plan.quotas {
            push_line(&mut text, &format!("Last known of {quota}"), ordinary, look);
        }
    }
    for warning in &plan.warnings {
        let warning = format!("! {}", words::sentence(&warning.message));
        push_line(&mut text, &warning, DOUBT, look);
    }
    text
}

fn push_line(text: &mut String, line: &str, style: Style, look: Look) {
    let mut wrapped = String::new();
    push_wrapped(&mut wrapped, line, "", "  ", look.width);
    for line in wrapped.lines() {
        text.push_str(&paint(line, style, look.colour));
        text.push('\n');
    }
}

fn calls(plan: &Plan) -> Table {
    let rows = plan.calls.iter().map(|call| {
        let least = if call.prompt_is_at_least { "from " } else { "" };
        let size = words::bytes(call.skill_bytes.saturating_add(call.prompt_bytes));
        vec![
            call.turn.clone(),
            format!("{} ({})", call.agent, call.vendor),
            call.model.clone().unwrap_or_else(|| "its default".to_owned()),
            format!("{least}{size}"),
            match call.timeout_seconds {
                0 => "none".to_owned(),
                seconds => format!("{seconds} s"),
            },
            call.reserve_usd.to_string(),
        ]
    });
    Table::new(&["Turn", "Agent", "Model", "Prompt", "Limit", "Reserve"], rows)
        .unbroken(&[0, 3, 4, 5])
}

/// Returns each agent's program once: in the table, a path would be broken over many lines.
fn programs(plan: &Plan) -> BTreeSet<String> {
    let line = |call: &PlannedCall| {
        format!("{} is {}", words::name(&call.agent), words::name(&call.program))
    };
    // A person is not a program.
    let calls = plan.calls.iter().filter(|call| !call.program.is_empty());
    calls.map(line).gather()
}

fn money(plan: &Plan) -> String {
    let budget = match plan.budget_usd {
        Some(budget) if budget < plan.estimated_usd_at_most => {
            format!("; the budget of {budget} may end it earlier")
        }
        Some(budget) => format!("; the budget is {budget}"),
        None => "; there is no budget".to_owned(),
    };
    let aside = match plan.set_aside {
        0 => String::new(),
        count => format!(" ({count} set aside)"),
    };
    if plan.opportunities == 0 {
        let most = plan.estimated_usd_at_most;
        return match plan.max_rounds {
            0 => format!("about {most} in all{budget}."),
            1 => format!(
                "These are the first calls of one round; at most about {most} in all{budget}."
            ),
            rounds => format!(
                "These are the first calls of at most {rounds} rounds; at most about {most} in all{budget}."
            ),
        };
    }
    format!(
        "{} opportunities{aside}, at most {}: about {} a round, {} in all{budget}.",
        plan.opportunities,
        counted(plan.max_rounds, "round"),
        plan.estimated_usd_per_round,
        plan.estimated_usd_at_most
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::example;

    fn call(role: &str, agent: &str, vendor: &str) -> PlannedCall {
        PlannedCall {
            turn: format!("r1/{role}"),
            role: role.into(),
            agent: agent.into(),
            vendor: vendor.into(),
            program: format!("/usr/bin/{agent}"),
            model: None,
            timeout_seconds: 180,
            skill_bytes: 4_000,
            prompt_bytes: 2_200,
            prompt_is_at_least: role != "champion",
            reserve_usd: example::usd(150_000),
        }
    }

    fn plan() -> Plan {
        Plan {
            opportunities: 6,
            set_aside: 1,
            calls: vec![call("champion", "claude", "anthropic"), call("critic", "codex", "openai")],
            max_rounds: 3,
            estimated_usd_per_round: example::usd(300_000),
            estimated_usd_at_most: example::usd(900_000),
            budget_usd: Some(example::usd(2_500_000)),
            ..Plan::default()
        }
    }

    proptest! {
        #[test]
        fn no_field_brings_a_control_to_the_screen(evil in example::evil_text()) {
            let mut plan = plan();
            plan.note = Some(evil.clone());
            plan.warnings = vec![Warning { code: evil.clone(), turn: None, message: evil.clone() }];
            plan.calls[0] = call(&evil, &evil, &evil);
            prop_assert!(example::is_inert(&render(&plan, Look::plain(100))));
        }
    }
}
