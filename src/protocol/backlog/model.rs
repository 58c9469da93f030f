//! Opportunities, rounds and sessions of the partner debate, in their JSON form (key order included).

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::time;
use crate::kernel::{Basis, EndWord, Ended, Halt, Seat, Usd, Warning};
use crate::words;

words! {
    /// What kind of work an opportunity is.
    #[derive(Hash)]
    pub enum OpportunityType, usually FeatureOpportunity {
        TestFailure = "test_failure",
        StalledWork = "stalled_work",
        CodeQuality = "code_quality",
        CoverageGap = "coverage_gap",
        Complexity = "complexity",
        /// An issue that its tracker calls a bug.
        Bug = "bug",
        FeatureOpportunity = "feature_opportunity",
    }
}

words! {
    /// Where an opportunity is in its life cycle.
    #[derive(Hash)]
    pub enum OpportunityStatus, usually Discovered {
        Discovered = "discovered",
        Debating = "debating",
        Actionable = "actionable",
        Accepted = "accepted",
        Rejected = "rejected",
        Deferred = "deferred",
    }
}

impl OpportunityStatus {
    /// Whether no decision about it has been made yet.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Discovered | Self::Debating | Self::Actionable => true,
            Self::Accepted | Self::Rejected | Self::Deferred => false,
        }
    }
}

words! {
    /// What should be done with an opportunity, according to the moderator.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum Disposition {
        /// Strong support from both partners.
        Prioritize = "prioritize",
        /// A fact that would change the decision is missing.
        Investigate = "investigate",
        /// Low for both.
        Defer = "defer",
        /// Significant concerns.
        Reject = "reject",
    }

    fn alias(written: &str) -> Option<Self> {
        match written {
            "prioritise" | "prioritized" | "prioritised" => Some(Self::Prioritize),
            "investigated" => Some(Self::Investigate),
            "deferred" => Some(Self::Defer),
            "rejected" => Some(Self::Reject),
            _ => None,
        }
    }
}

/// How much work something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    Small,
    #[default]
    Medium,
    Large,
}

/// How far a change can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reversibility {
    Full,
    #[default]
    Partial,
    None,
}

/// What supports an opportunity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// `test_output`, `coverage.xml`, ...
    #[serde(default)]
    pub source: String,
    /// What was seen.
    pub content: String,
    /// Where, relative to the repository's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<u64>,
    /// When.
    #[serde(default, deserialize_with = "time::optional", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime<Utc>>,
}

/// How ready an opportunity is to be worked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionabilityScore {
    /// 0 to 1.
    #[serde(default)]
    pub clarity: f64,
    /// 0 to 1.
    #[serde(default)]
    pub evidence: f64,
    /// How much work it is.
    #[serde(default)]
    pub effort: Effort,
    /// How far it can be undone.
    #[serde(default)]
    pub reversibility: Reversibility,
}

impl ActionabilityScore {
    /// Returns `0.4 clarity + 0.4 evidence + (0.2 small | 0.1 medium | 0 large)` (`docs/discover.md`).
    pub fn overall(&self) -> f64 {
        let bonus = match self.effort {
            Effort::Small => 0.2,
            Effort::Medium => 0.1,
            Effort::Large => 0.0,
        };
        0.4 * self.clarity + 0.4 * self.evidence + bonus
    }
}

/// One piece of work that could be done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Opportunity {
    pub opportunity_id: String,
    pub opportunity_type: OpportunityType,
    pub status: OpportunityStatus,
    pub title: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actionability: Option<ActionabilityScore>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
    #[serde(default)]
    pub affected_files: Vec<String>,
    #[serde(deserialize_with = "time::required")]
    pub created_at: DateTime<Utc>,
    #[serde(deserialize_with = "time::required")]
    pub updated_at: DateTime<Utc>,
    #[serde(default, deserialize_with = "time::optional", skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<DateTime<Utc>>,
    #[serde(default, deserialize_with = "time::optional", skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub discovered_by: String,
    /// From 1; lower is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_rank: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate_session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disposition: Option<Disposition>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_issue: Option<u64>,
    /// Fields that are not ours; kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Opportunity {
    /// The key in [`extra`](Self::extra) of the rule by which the opportunity was found.
    pub const RULE: &'static str = "rule";
    /// The key in `extra` of its subject within the file: a test, a function, a branch.
    pub const SYMBOL: &'static str = "symbol";
    /// The key in `extra` of the problem's size, in its rule's own unit.
    pub const MEASURE: &'static str = "measure";
    /// The key in `extra` of the reason for its rejection.
    pub const REJECTED_WHY: &'static str = "rejected_why";
    /// The key in `extra` of its tracker's name for it: `#12`, `WEB-12`.
    pub const ISSUE: &'static str = "issue";
    /// The key in `extra` of its page in the tracker.
    pub const ISSUE_URL: &'static str = "issue_url";
    /// The key in `extra` of the list of fields that a person has edited.
    pub const EDITED: &'static str = "edited";

    /// Returns the rule by which a discovery agent found the opportunity; `None` if none did.
    pub fn rule(&self) -> Option<&str> {
        self.extra_text(Self::RULE)
    }

    /// Returns its subject within its file, or its only subject if it has no file; `None` if not recorded.
    pub fn symbol(&self) -> Option<&str> {
        self.extra_text(Self::SYMBOL)
    }

    /// Returns the problem's size, in its rule's own unit; 0 if the rule has none.
    pub fn measure(&self) -> u64 {
        let measure = self.extra.get(Self::MEASURE).and_then(Value::as_u64);
        measure.unwrap_or(0)
    }

    /// Returns the reason for its rejection; `None` if none is recorded.
    pub fn rejected_why(&self) -> Option<&str> {
        self.extra_text(Self::REJECTED_WHY)
    }

    /// Returns its tracker's name for it, else the number that it is linked with.
    pub fn issue(&self) -> Option<String> {
        let linked = || self.linked_issue.map(|number| format!("#{number}"));
        self.extra_text(Self::ISSUE).map(str::to_owned).or_else(linked)
    }

    /// Returns the address of its page in the tracker.
    pub fn issue_url(&self) -> Option<&str> {
        self.extra_text(Self::ISSUE_URL)
    }

    /// Whether a person has edited a field, which is then never refreshed.
    pub fn is_edited(&self, field: &str) -> bool {
        let listed = self.extra.get(Self::EDITED).and_then(Value::as_array);
        listed.is_some_and(|fields| fields.iter().any(|each| each == field))
    }

    /// Whether the opportunity is neither resolved nor decided.
    pub fn is_open(&self) -> bool {
        self.resolved_at.is_none() && self.status.is_open()
    }

    /// Returns its overall score, 0 to 1; 0 if it has not been scored.
    pub fn overall(&self) -> f64 {
        self.actionability.map_or(0.0, |score| score.overall())
    }

    fn extra_text(&self, field: &str) -> Option<&str> {
        self.extra.get(field).and_then(Value::as_str)
    }
}

/// Why an opportunity has its disposition, in the moderator's words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModeratorReason {
    /// What decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What must hold, whoever does the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The small first step that can be started now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_with: Option<String>,
}

impl ModeratorReason {
    /// Whether nothing is said.
    pub const fn is_empty(&self) -> bool {
        self.reason.is_none() && self.condition.is_none() && self.start_with.is_none()
    }

    /// Returns what is said, each with its label.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parts = [
            ("Reason", &self.reason),
            ("Condition", &self.condition),
            ("Start with", &self.start_with),
        ];
        parts.into_iter().filter_map(|(label, text)| Some((label, text.as_deref()?)))
    }
}

/// One round of the partner debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateRound {
    pub round_number: u32,
    pub champion_argument: String,
    pub champion_rankings: Vec<String>,
    #[serde(default)]
    pub champion_cost_usd: Usd,
    pub critic_concerns: BTreeMap<String, Vec<String>>,
    /// The opportunities whose concerns of the round before are met, according to the critic.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub critic_met: BTreeSet<String>,
    pub critic_counter_rankings: Vec<String>,
    #[serde(default)]
    pub critic_cost_usd: Usd,
    #[serde(default)]
    pub moderator_dispositions: BTreeMap<String, Disposition>,
    /// Reasons, conditions and first steps of the dispositions, where the moderator gave some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub moderator_reasons: BTreeMap<String, ModeratorReason>,
    pub moderator_final_rankings: Vec<String>,
    #[serde(default)]
    pub moderator_cost_usd: Usd,
    #[serde(default = "yes")]
    pub continue_debate: bool,
    /// After the check in code, never just the claim.
    #[serde(default)]
    pub consensus_reached: bool,
    /// What was normalised or completed by rule in this round.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// The measured stability: Kendall's tau-b against the moderator's ranking before; in round 1 the share of the items that
    /// champion and critic both put into the upper half, or both not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_stability: Option<f64>,
    /// Whether the moderator claimed consensus.
    #[serde(default)]
    pub consensus_claimed: bool,
}

fn yes() -> bool {
    true
}

impl DebateRound {
    /// Returns the total cost of the round's three roles.
    pub fn round_cost_usd(&self) -> Usd {
        self.champion_cost_usd + self.critic_cost_usd + self.moderator_cost_usd
    }
}

words! {
    /// How a partner debate ended.
    #[derive(Hash)]
    pub enum BacklogOutcome {
        /// The moderator's claim held under the check.
        Consensus = "consensus",
        /// The same of champion and critic of one vendor: it counts as unverified.
        OneVendor = "agreed (one vendor)",
        /// The moderator stopped without claiming consensus.
        ModeratorStop = "moderator_stop",
        /// No consensus within the rounds.
        MaxRounds = "max_rounds",
        /// A role had no valid reply after all attempts.
        AgentFailure = "agent_failure",
        /// Fewer than two opportunities.
        NothingToRank = "nothing_to_rank",
    }
}

impl EndWord for BacklogOutcome {
    fn closes(self) -> bool {
        self != Self::AgentFailure
    }

    fn decides(self) -> bool {
        matches!(self, Self::Consensus | Self::ModeratorStop | Self::MaxRounds)
    }
}

words! {
    /// Whether a partner debate changed the order.
    #[derive(Hash)]
    pub enum BacklogVerdict {
        /// Ranks were applied.
        Decided = "decided",
        /// Ranks were applied on which only one vendor agreed: unverified.
        OneVendor = "agreed (one vendor)",
        /// Ranks were left as they were.
        Undecided = "undecided",
    }
}

impl BacklogVerdict {
    /// Returns the verdict on a debate, `ranked` by a complete round or not. A running session has not decided yet, and
    /// one that a person ended never will.
    pub fn of(ended: Ended<BacklogOutcome>, ranked: bool) -> Self {
        match ended {
            Ended::Stopped(Halt::Running | Halt::Terminated) => Self::Undecided,
            _ if !ranked => Self::Undecided,
            Ended::Closed(BacklogOutcome::OneVendor) => Self::OneVendor,
            _ => Self::Decided,
        }
    }
}

/// A whole partner debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateSession {
    pub session_id: String,
    #[serde(deserialize_with = "time::required")]
    pub started_at: DateTime<Utc>,
    #[serde(default, deserialize_with = "time::optional", skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub opportunity_ids: Vec<String>,
    #[serde(default = "three")]
    pub max_rounds: u32,
    #[serde(default = "default_budget")]
    pub budget_usd: Usd,
    #[serde(default)]
    pub rounds: Vec<DebateRound>,
    #[serde(default)]
    pub final_rankings: Vec<String>,
    #[serde(default)]
    pub consensus_reached: bool,
    #[serde(default)]
    pub stalemate: bool,
    /// Includes paid calls of an unfinished round, so it can be more than the rounds add up to; the source document sums those.
    #[serde(default)]
    pub total_cost_usd: Usd,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Ended<BacklogOutcome>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_basis: Option<Basis>,
    #[serde(default)]
    pub seats: Vec<Seat>,
}

fn three() -> u32 {
    3
}

fn default_budget() -> Usd {
    Usd::from_micros(2_500_000)
}
