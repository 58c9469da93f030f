//! The result of `discover`: the items found and their agents, failures, and the outcome of the debate about them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::document::{CostSummary, PrioritizeDocument, SCHEMA_VERSION, SkillUsed};
use super::page::template::Data;
use super::page::{Page, ToPage, terminal};
use super::progress::REHEARSAL;
use super::{short_id, words};
use crate::discovery::finding::{AgentName, AgentStatus, Omission};
use crate::kernel::{Basis, Ended, Quorum, Seat, Usd, Warning};
use crate::protocol::backlog::model::{BacklogOutcome, ModeratorReason, Opportunity};

/// What came of a discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscoveryVerdict {
    /// A debate ranked what was found.
    Decided,
    /// A debate ranked it, in which only one vendor agreed: unverified.
    #[serde(rename = "agreed (one vendor)")]
    OneVendor,
    /// No agent could look, or a debate was held and decided nothing.
    Undecided,
    /// Something was found, and nothing had to be decided.
    Found,
    /// Everything that could be looked at was, and nothing was found.
    NothingFound,
}

/// How a discovery ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DiscoveryOutcome {
    /// As its debate did.
    Debate(Ended<BacklogOutcome>),
    /// Without a debate: with its verdict.
    Search(DiscoveryVerdict),
}

/// What one discovery agent did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentReport {
    /// Its name.
    pub name: AgentName,
    /// Whether it worked.
    pub status: AgentStatus,
    /// What it found, before duplicates, decisions and the cap.
    pub found: u32,
    /// What it read.
    pub read: Vec<String>,
    /// What it did not read, and why.
    pub skipped: Vec<Omission>,
    /// Why it failed, or had nothing to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The session of the questions that it asked an AI CLI.
    pub session_id: Option<String>,
}

/// An item that was held back because a similar one was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuppressedItem {
    /// Its title.
    pub title: String,
    /// The rejected item.
    pub rejected_id: String,
}

/// The result of `discover`: the `DiscoveryResult` of the specification, and what all results have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the specification")]
pub struct DiscoveryDocument {
    /// `discovery`.
    pub protocol: String,
    /// The debate's session, the same as `debate_session_id`; `null` where none was held.
    pub session_id: Option<String>,
    /// How the debate ended; the verdict where none was held.
    pub outcome: DiscoveryOutcome,
    /// What that means.
    pub verdict: DiscoveryVerdict,
    /// Whether its debate is a decision, as that one's own result says.
    pub decided: bool,
    /// What was found and is open, at most `--max`: ranked where a debate decided, else best first.
    pub opportunities: Vec<Opportunity>,
    /// Different items that were found, before decisions and the cap.
    pub total_candidates: u32,
    /// Items that were held back because they, or similar ones, were rejected before.
    pub suppressed: u32,
    /// Which of the new ones, and what they are similar to.
    pub suppressed_items: Vec<SuppressedItem>,
    /// Items that were found again and are accepted or deferred: neither listed nor debated.
    pub decided_before: u32,
    /// Items left out by the cap.
    pub beyond_cap: u32,
    /// Items that are new in the backlog.
    pub new_items: u32,
    /// Items in the backlog that are no longer found.
    pub resolved: Vec<String>,
    /// Open items that an agent of this run once found, which it has neither found again nor settled:
    /// what showed them was not read, or not to its end. Ideas are not among them.
    #[serde(default)]
    pub unconfirmed: Vec<String>,
    /// What each agent did.
    pub agents: Vec<AgentReport>,
    /// Everything that this run cost.
    pub cost_usd: Usd,
    /// The same, with the budget and where the figure comes from.
    pub cost: CostSummary,
    /// Whether there were enough items for a debate and it was not switched off.
    pub debate_triggered: bool,
    /// Why a debate that was due could not be held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate_error: Option<String>,
    /// The debate's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate_session_id: Option<String>,
    /// Complete rounds of the debate.
    pub rounds_used: u32,
    /// The maximum number of rounds it could have had.
    pub max_rounds: u32,
    /// After the check in code.
    pub consensus_reached: bool,
    /// Out of money, or out of rounds.
    pub stalemate: bool,
    /// What its moderator says beside the dispositions, by the item's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub moderator_reasons: BTreeMap<String, ModeratorReason>,
    /// What the debate cost.
    pub debate_cost_usd: Usd,
    /// Who sat in the debate and in the inquiries, and whether they answered.
    pub seats: Vec<Seat>,
    /// The debate's quorum; `null` where none was held.
    pub quorum: Option<Quorum>,
    /// Built-in stand-ins played every role: no model was asked.
    pub rehearsal: bool,
    /// Whatever is worth knowing.
    pub warnings: Vec<Warning>,
    /// The prompts that were used.
    pub skills: Vec<SkillUsed>,
    /// When the run began.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub completed_at: DateTime<Utc>,
    /// The version of this document.
    pub schema_version: u32,
}

impl ToPage for DiscoveryDocument {
    fn page(&self) -> Page {
        let data = self.data();
        let mut page = Page::new("Discovery", data.sentence("discovery/headline"));
        if self.rehearsal {
            page.banner(REHEARSAL);
        }
        page.blocks().append(data.fill("discovery/page"));
        page
    }
}

impl DiscoveryDocument {
    /// Creates the document of a run that has not found anything yet.
    pub fn new(started_at: DateTime<Utc>, budget: Usd, max_rounds: u32, rehearsal: bool) -> Self {
        Self {
            protocol: "discovery".to_owned(),
            session_id: None,
            outcome: DiscoveryOutcome::Search(DiscoveryVerdict::NothingFound),
            verdict: DiscoveryVerdict::NothingFound,
            decided: false,
            opportunities: Vec::new(),
            total_candidates: 0,
            suppressed: 0,
            suppressed_items: Vec::new(),
            decided_before: 0,
            beyond_cap: 0,
            new_items: 0,
            resolved: Vec::new(),
            unconfirmed: Vec::new(),
            agents: Vec::new(),
            cost_usd: Usd::ZERO,
            cost: CostSummary {
                total_usd: Usd::ZERO,
                budget_usd: Some(budget),
                basis: None,
                short: None,
                quotas: Vec::new(),
            },
            debate_triggered: false,
            debate_error: None,
            debate_session_id: None,
            rounds_used: 0,
            max_rounds,
            consensus_reached: false,
            stalemate: false,
            moderator_reasons: BTreeMap::new(),
            debate_cost_usd: Usd::ZERO,
            seats: Vec::new(),
            quorum: None,
            rehearsal,
            warnings: Vec::new(),
            skills: Vec::new(),
            started_at,
            completed_at: started_at,
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Takes over the results of the debate about the items.
    pub fn debated(&mut self, debate: &PrioritizeDocument) {
        let header = &debate.header;
        self.session_id = Some(header.session_id.clone());
        self.debate_session_id = Some(header.session_id.clone());
        self.outcome = DiscoveryOutcome::Debate(header.outcome);
        self.rounds_used = header.rounds_used;
        self.max_rounds = debate.session.max_rounds;
        self.consensus_reached = debate.session.consensus_reached;
        self.stalemate = debate.session.stalemate;
        self.debate_cost_usd = debate.cost_usd;
        self.opportunities.clone_from(&debate.ranked_opportunities);
        let last = debate.session.rounds.last().filter(|_| debate.decided());
        self.moderator_reasons =
            last.map(|round| round.moderator_reasons.clone()).unwrap_or_default();
        self.quorum = Some(header.quorum);
        self.decided = header.decided;
        self.seats.extend(header.seats.iter().cloned());
        self.charge(&header.cost);
        for warning in &header.warnings {
            if !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
        self.used(&header.skills);
    }

    /// Adds the cost of a session.
    pub fn charge(&mut self, cost: &CostSummary) {
        self.cost_usd += cost.total_usd;
        self.cost.total_usd = self.cost_usd;
        self.cost.basis = (self.cost.basis.into_iter().chain(cost.basis)).reduce(Basis::join);
    }

    /// Adds the prompts of a session.
    pub fn used(&mut self, skills: &[SkillUsed]) {
        for skill in skills {
            if !self.skills.contains(skill) {
                self.skills.push(skill.clone());
            }
        }
    }

    /// Sets the verdict, once everything else is known.
    pub fn judge(&mut self) {
        let looked = (self.agents.iter()).any(|agent| agent.status == AgentStatus::Completed);
        let ranked = self.ended().is_some() && self.rounds_used > 0;
        self.verdict = if !looked || self.debate_triggered && !ranked {
            DiscoveryVerdict::Undecided
        } else if self.ended() == Some(Ended::Closed(BacklogOutcome::OneVendor)) {
            DiscoveryVerdict::OneVendor
        } else if ranked {
            DiscoveryVerdict::Decided
        } else if self.opportunities.is_empty() {
            DiscoveryVerdict::NothingFound
        } else {
            DiscoveryVerdict::Found
        };
        if self.ended().is_none() {
            self.outcome = DiscoveryOutcome::Search(self.verdict);
        }
    }

    /// How the debate ended; `None` where none was held.
    fn ended(&self) -> Option<Ended<BacklogOutcome>> {
        match self.outcome {
            DiscoveryOutcome::Debate(outcome) => Some(outcome),
            DiscoveryOutcome::Search(_) => None,
        }
    }

    /// Returns what the templates are filled with.
    fn data(&self) -> Data {
        let with = |status| self.agents.iter().filter(|agent| agent.status == status).count();
        let rows = self.opportunities.iter().map(|item| {
            let score = item.actionability;
            json!({
                "id": item.opportunity_id,
                "kind": item.opportunity_type,
                "title": item.title,
                "score": score.map(|score| format!("{:.0}%", score.overall() * 100.0)),
                "effort": score.map(|score| score.effort),
                "disposition": item.disposition,
            })
        });
        let rows: Vec<Value> = rows.collect();
        let paid = self.cost_usd > Usd::ZERO || self.cost.basis.is_some();
        Data::of(self)
            .with("looked", with(AgentStatus::Completed) > 0)
            .with("failed", with(AgentStatus::Failed))
            .with("ranked", self.opportunities.iter().any(|item| item.priority_rank.is_some()))
            .with("rows", rows)
            .with("session", short_id(self.debate_session_id.as_deref().unwrap_or("-")))
            .with("suspended", self.ended().is_some_and(|outcome| !outcome.closes()))
            .text("why", self.ended().map_or("", words::outcome))
            .with("paid", paid)
    }
}

/// Returns a short description of an agent's result, for the progress; a failure in full.
pub fn glance(agent: &AgentReport) -> String {
    let name = agent.name.name();
    match agent.status {
        AgentStatus::Completed => format!("{name}: {} found", agent.found),
        AgentStatus::Skipped => format!("{name}: nothing to look at"),
        AgentStatus::Failed => {
            terminal::line(&Data::default().with("agent", agent).sentence("discovery/looked"))
        }
    }
}
