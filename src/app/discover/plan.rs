//! `discover --dry-run`: the calls that could be made and their reservations; nothing is examined.

use super::preflight::preflight;
use super::run::Request;
use crate::agent::pace::Pace;
use crate::app::discover::inquiry::Inquiry;
use crate::app::prioritize::Prioritize;
use crate::app::run::kind::SessionKind as _;
use crate::app::run::panel::{cast, planned};
use crate::app::run::roles::{self, DEBATE, Roles};
use crate::app::run::use_case::DryRun;
use crate::app::run::workspace::Workspace;
use crate::discovery::finding::AgentName;
use crate::error::Error;
use crate::kernel::Usd;
use crate::report::plan::Plan;

impl DryRun for Request {
    /// Lists the calls: the analyst's, one fix, and the first round of a debate.
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        preflight(workspace, self)?;
        let config = &workspace.effective.config;
        let discovery = &config.discovery;
        let mut plan = Plan {
            budget_usd: Some(config.limits.budget_usd),
            rehearsal: self.options.rehearse,
            ..Plan::default()
        };
        let mut notes = Vec::new();
        let mut at_most = Usd::ZERO;
        let mut calls = |roles: Roles,
                         turn: &dyn Fn(&str) -> String,
                         first: &dyn Fn(&str) -> Usd| {
            let (skills, roster) = cast(workspace, &self.options, roles)?;
            let mut reserved = Usd::ZERO;
            for (seat, role) in roles {
                let Some(cast) = roster.cast(seat) else {
                    continue;
                };
                let skill = skills.get(*role).map_or(0, |skill| skill.prompt.len());
                // The prompt depends on the findings, so only the size of its skill is known.
                let pace = Pace::of(role, config.roles.get(*role));
                let paced = pace.applied(&cast.agent);
                let call = planned(pace, &paced, turn(seat), seat, (skill, 0), true, first(seat));
                reserved += call.reserve_usd;
                plan.calls.push(call);
            }
            Ok::<Usd, Error>(reserved)
        };
        if self.agents.contains(&AgentName::FeatureOpportunities) {
            at_most += calls(roles::ANALYST, &|_| "features".to_owned(), &Inquiry::first_reserve)?;
        }
        if self.deep {
            let each = calls(roles::ADVISOR, &|_| "fix/ID".to_owned(), &Inquiry::first_reserve)?;
            at_most += (0..discovery.max).map(|_| each).sum();
            notes
                .push(format!("a fix is requested for each item found, at most {}", discovery.max));
        }
        if !self.no_debate {
            let round = calls(DEBATE, &|seat| format!("r1/{seat}"), &Prioritize::first_reserve)?;
            plan.max_rounds = config.backlog.max_rounds;
            plan.estimated_usd_per_round = round;
            at_most += (0..config.backlog.max_rounds).map(|_| round).sum();
            notes.push(format!(
                "a debate is held only if more than {} items are found",
                discovery.debate_threshold
            ));
        }
        if plan.calls.is_empty() {
            notes.push("no agent would be asked".to_owned());
        }
        plan.estimated_usd_at_most = at_most;
        plan.note = Some(notes.join("; "));
        Ok(plan)
    }
}
