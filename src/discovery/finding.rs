//! The results of discovery agents: findings, and the extent of the search.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::backlog::model::{ActionabilityScore, Evidence, Opportunity, OpportunityType};
use crate::text::Note;
use crate::words;

words! {
    /// A discovery agent.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum AgentName {
        /// Failing tests.
        TestFailures = "test-failures",
        /// Work that nobody has continued.
        StalledWork = "stalled-work",
        /// Complexity, coverage, long files, missing tests.
        CodeQuality = "code-quality",
        /// Ideas from an AI CLI.
        FeatureOpportunities = "feature-opportunities",
    }
}

words! {
    /// The rule that made a finding. It is a part of the finding's identity.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum Rule {
        FailingTest = "failing_test",
        StaleBranch = "stale_branch",
        StalePullRequest = "stale_pull_request",
        Complexity = "complexity",
        LineCoverage = "line_coverage",
        HotFile = "hot_file",
        LongFile = "long_file",
        LongFunction = "long_function",
        MissingTest = "missing_test",
        Feature = "feature",
    }
}

impl Rule {
    /// Returns the type of the opportunities that the rule makes.
    pub const fn kind(self) -> OpportunityType {
        match self {
            Self::FailingTest => OpportunityType::TestFailure,
            Self::StaleBranch | Self::StalePullRequest => OpportunityType::StalledWork,
            Self::Complexity => OpportunityType::Complexity,
            Self::LineCoverage => OpportunityType::CoverageGap,
            Self::HotFile | Self::LongFile | Self::LongFunction | Self::MissingTest => {
                OpportunityType::CodeQuality
            }
            Self::Feature => OpportunityType::FeatureOpportunity,
        }
    }
}

/// A problem or idea found by an agent.
///
/// Paths are relative to the repository's root, with `/` between their parts; bytes that are not
/// UTF-8 are written as `\xNN`.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: Rule,
    /// The size of the problem in the rule's own unit (decisions, lines), 0 if the rule has none. Among equal
    /// scores of one type the larger comes first, so that a cap keeps the worst.
    pub measure: u64,
    /// The file it is about, if it is about one.
    pub file: Option<String>,
    /// Its subject in that file, or overall: a test, a function, a branch, a feature.
    pub symbol: Option<String>,
    pub title: String,
    /// A description of a few sentences at most.
    pub description: String,
    /// The evidence; `source` names its origin (a report's path, `git`, `complexity`, ...).
    pub evidence: Vec<Evidence>,
    pub actionability: ActionabilityScore,
    pub affected_files: Vec<String>,
}

/// The extent of an agent's search, which determines what silence about a stored item means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchExtent {
    /// Sources ([`Evidence::source`]) that were read to their end.
    pub sources: BTreeSet<String>,
    /// Files that were left out, with paths as in [`Finding::file`].
    pub left_out: BTreeSet<String>,
}

impl SearchExtent {
    /// Whether an item of this agent that was not found again is gone: all its sources were read
    /// again, and none of its files was left out.
    pub fn settles(&self, item: &Opportunity) -> bool {
        !item.evidence.is_empty()
            && (item.evidence.iter()).all(|evidence| self.sources.contains(&evidence.source))
            && (item.affected_files.iter()).all(|file| !self.left_out.contains(file))
    }
}

/// Whether an agent worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// It looked; what it found is all there is in what it read.
    Completed,
    /// It could not look, or not to the end: it has not found "nothing".
    Failed,
    /// There was nothing for it to read, or it was not allowed to.
    Skipped,
}

/// Something that an agent did not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Omission {
    /// A file, a folder, a source.
    pub what: String,
    /// Why.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AgentRun {
    pub agent: AgentName,
    /// Whether it worked.
    pub status: AgentStatus,
    /// Its findings; for a failed agent, those before the failure.
    pub findings: Vec<Finding>,
    pub looked: SearchExtent,
    /// The sources it read, for people: `junit.xml (12 tests)`.
    pub read: Vec<String>,
    /// The sources it left out, and why.
    pub skipped: Vec<Omission>,
    /// Warnings: `stale_report`, ...
    pub warnings: Vec<Note>,
    /// Why it failed or was skipped.
    pub error: Option<String>,
}

impl AgentRun {
    /// Starts the record of an agent, without failure so far.
    pub fn new(agent: AgentName) -> Self {
        Self {
            agent,
            status: AgentStatus::Completed,
            findings: Vec::new(),
            looked: SearchExtent::default(),
            read: Vec::new(),
            skipped: Vec::new(),
            warnings: Vec::new(),
            error: None,
        }
    }

    #[must_use]
    pub fn failed(mut self, why: impl Into<String>) -> Self {
        self.status = AgentStatus::Failed;
        self.error = Some(why.into());
        self
    }

    /// Marks it as skipped: it had nothing to do.
    #[must_use]
    pub fn skipped(mut self, why: impl Into<String>) -> Self {
        self.status = AgentStatus::Skipped;
        self.error = Some(why.into());
        self
    }

    /// Notes something that was not read.
    pub fn leave_out(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(Omission { what: what.into(), why: why.into() });
    }
}
