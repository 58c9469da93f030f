//! The result of `discover`: the items found and their agents, failures, and the outcome of the debate about them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{CostSummary, PrioritizeDocument, SCHEMA_VERSION, SkillUsed};
use super::progress::REHEARSAL;
use super::table::push_labelled;
use super::table::push_wrapped;
use super::words::{self, BAD, DOUBT, GOOD, HEAD, count, paint};
use super::{Look, short_id};
use crate::discovery::finding::{AgentName, AgentStatus, Omission};
use crate::kernel::{Basis, Ended, Quorum, Seat, Usd, Warning};
use crate::protocol::backlog::model::{
    BacklogOutcome, ModeratorReason, Opportunity, OpportunityType,
};

mod table;

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

    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let mut text = String::new();
        if self.rehearsal {
            text.push_str(&paint(REHEARSAL, DOUBT, look.colour));
            text.push('\n');
        }
        let (head, style) = self.headline();
        let mut wrapped = String::new();
        push_wrapped(&mut wrapped, &head, "", "", look.width);
        text.push_str(&paint(wrapped.trim_end(), style, look.colour));
        text.push_str("\n\n");
        if !self.opportunities.is_empty() {
            text.push_str(&table::table(&self.opportunities, look.width));
            text.push('\n');
        }
        for (label, line) in self.details() {
            push_labelled(&mut text, label, &line, look);
        }
        if self.debate_triggered {
            self.push_debate(&mut text, look);
        }
        text
    }

    fn headline(&self) -> (String, anstyle::Style) {
        let failed = (self.agents.iter()).filter(|agent| agent.status == AgentStatus::Failed);
        let failed = failed.count();
        let but = match failed {
            0 => String::new(),
            _ => format!("; {} failed", count(u32::try_from(failed).unwrap_or(u32::MAX), "agent")),
        };
        let items = opportunities(self.opportunities.len());
        let style = if failed > 0 { BAD } else { GOOD };
        match self.verdict {
            DiscoveryVerdict::Undecided if self.agents_that_looked() == 0 => {
                (format!("NOTHING WAS LOOKED AT{but}: this is not \"nothing found\"."), BAD)
            }
            DiscoveryVerdict::Undecided => (
                format!("{items} found{but}. The debate decided nothing: no ranks were given."),
                BAD,
            ),
            DiscoveryVerdict::Decided => (format!("{items} found and ranked{but}."), style),
            DiscoveryVerdict::OneVendor => (
                format!(
                    "one vendor: {items} found and ranked{but}; no second vendor checked the order."
                ),
                DOUBT,
            ),
            DiscoveryVerdict::Found => (format!("{items} found{but}."), style),
            DiscoveryVerdict::NothingFound => {
                (format!("NOTHING FOUND in what was looked at{but}."), style)
            }
        }
    }

    fn agents_that_looked(&self) -> usize {
        (self.agents.iter()).filter(|agent| agent.status == AgentStatus::Completed).count()
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let mut lines: Vec<(&'static str, String)> = Vec::new();
        let mut under = |label: &'static str, texts: Vec<String>| {
            for (index, text) in texts.into_iter().enumerate() {
                lines.push((if index == 0 { label } else { "" }, text));
            }
        };
        under("Looked", self.agents.iter().map(looked).collect());
        let mut not_shown = Vec::new();
        let mut note = |number: u32, what: &str| {
            if number > 0 {
                not_shown.push(format!("{number} {what}"));
            }
        };
        note(self.beyond_cap, "left out by the cap: give a higher --max");
        note(self.suppressed, "held back: they, or similar ones, were rejected");
        note(self.decided_before, "found again, and accepted or deferred before");
        let resolved = u32::try_from(self.resolved.len()).unwrap_or(u32::MAX);
        note(resolved, "in the backlog no longer found: resolved");
        let unconfirmed = u32::try_from(self.unconfirmed.len()).unwrap_or(u32::MAX);
        note(
            unconfirmed,
            "in the backlog not checked again (their source was not read to its end): still open",
        );
        under("Not shown", not_shown);
        let warnings = self.warnings.iter();
        let warnings = warnings.map(|warning| words::sentence(&warning.message));
        under("Warnings", warnings.collect());
        if self.cost_usd > Usd::ZERO || self.cost.basis.is_some() {
            let from =
                self.cost.basis.map_or(String::new(), |basis| format!(", {}", words::basis(basis)));
            let spent = words::spent(self.cost_usd, self.cost.budget_usd);
            under("Cost", vec![format!("{spent}{from}")]);
        }
        let invented = |item: &Opportunity| {
            self.rehearsal && item.opportunity_type == OpportunityType::FeatureOpportunity
        };
        if self.opportunities.iter().any(invented) {
            let line = "the ideas are from a rehearsal: none of them is in the backlog";
            under("Invented", vec![line.to_owned()]);
        }
        if !self.opportunities.iter().all(invented) {
            under(
                "Next",
                vec!["`debate-agent backlog show ID` shows more, `backlog accept ID` and `backlog reject ID --why TEXT` decide".to_owned()],
            );
        }
        lines
    }

    /// What the moderator says beside its dispositions, in the order of the ranking.
    fn reasons(&self) -> impl Iterator<Item = String> {
        self.opportunities.iter().filter_map(|item| {
            let reason = self.moderator_reasons.get(&item.opportunity_id)?;
            let said: Vec<String> = reason
                .parts()
                .map(|(label, words)| format!("{label}: {}", words::sentence(words)))
                .collect();
            Some(format!("{}: {}", words::sentence(&item.title), said.join(" ")))
        })
    }

    /// The section of the source system: the debate, and its decisions.
    fn push_debate(&self, text: &mut String, look: Look) {
        text.push('\n');
        text.push_str(&paint("Debate Prioritization", HEAD, look.colour));
        text.push('\n');
        if let Some(error) = &self.debate_error {
            let line = format!("not held: {}", words::sentence(error));
            push_labelled(text, "Debate", &line, look);
            return;
        }
        let session = short_id(self.debate_session_id.as_deref().unwrap_or("-"));
        push_labelled(text, "Session", &session, look);
        let rounds = format!("{} of {}", self.rounds_used, self.max_rounds);
        push_labelled(text, "Rounds", &rounds, look);
        let consensus = if self.consensus_reached { "yes" } else { "no" };
        push_labelled(text, "Consensus", consensus, look);
        for (number, line) in self.reasons().enumerate() {
            push_labelled(text, if number == 0 { "Reasons" } else { "" }, &line, look);
        }
        let why = self.ended().map_or("", words::outcome);
        let stalemate = if self.stalemate { format!("yes: {why}") } else { "no".to_owned() };
        push_labelled(text, "Stalemate", &stalemate, look);
        if let Some(outcome) = self.ended()
            && !outcome.closes()
        {
            let line = format!("{why}; `debate-agent sessions resume {session}` continues it");
            push_labelled(text, "Suspended", &line, look);
        }
        push_labelled(text, "Cost", &self.debate_cost_usd.to_string(), look);
    }
}

fn opportunities(count: usize) -> String {
    match count {
        1 => "1 opportunity".to_owned(),
        _ => format!("{count} opportunities"),
    }
}

/// Returns a short description of an agent's result, for the progress; a failure in full.
pub fn glance(agent: &AgentReport) -> String {
    let name = agent.name.name();
    match agent.status {
        AgentStatus::Completed => format!("{name}: {} found", agent.found),
        AgentStatus::Skipped => format!("{name}: nothing to look at"),
        AgentStatus::Failed => looked(agent),
    }
}

/// One line about an agent: `test-failures: 3 found in junit.xml (12 tests)`.
fn looked(agent: &AgentReport) -> String {
    let name = agent.name.name();
    let why = agent.error.as_deref().map(words::sentence).unwrap_or_default();
    let mut line = match agent.status {
        AgentStatus::Completed => format!("{name}: {} found", agent.found),
        AgentStatus::Failed => format!("{name}: FAILED: {why}"),
        AgentStatus::Skipped => format!("{name}: nothing to look at: {why}"),
    };
    if let (AgentStatus::Completed, Some(first)) = (agent.status, agent.read.first()) {
        write!(line, " in {}", words::sentence(first)).ok();
        if agent.read.len() > 1 {
            write!(line, " and {} more", agent.read.len() - 1).ok();
        }
    }
    // If the skipped part is the reason of the failure, the failure has already named it.
    let skipped: Vec<_> = (agent.skipped.iter())
        .filter(|left_out| {
            !agent.error.as_deref().is_some_and(|error| error.contains(&left_out.why))
        })
        .collect();
    if let Some(first) = skipped.first() {
        let more = match skipped.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        write!(
            line,
            "; left out {} ({}){more}",
            words::sentence(&first.what),
            words::sentence(&first.why)
        )
        .ok();
    }
    line
}
