//! What discovery agents return: findings, and how far they looked.

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
        /// Work that nobody went on with.
        StalledWork = "stalled-work",
        /// Complexity, coverage, long files, missing tests.
        CodeQuality = "code-quality",
        /// Ideas of an AI CLI.
        FeatureOpportunities = "feature-opportunities",
    }
}

words! {
    /// The rule that made a finding. It is a part of the finding's identity.
    #[derive(Hash, PartialOrd, Ord)]
    #[expect(missing_docs, reason = "the names are the documentation")]
    pub enum Rule {
        FailingTest = "failing_test",
        StalledFeature = "stalled_feature",
        PausedSession = "paused_session",
        InterruptedSession = "interrupted_session",
        RepeatedFailure = "repeated_failure",
        StaleBranch = "stale_branch",
        StalePullRequest = "stale_pull_request",
        Complexity = "complexity",
        LineCoverage = "line_coverage",
        LongFile = "long_file",
        MissingTest = "missing_test",
        Feature = "feature",
    }
}

impl Rule {
    /// Returns the type of the opportunities that the rule makes.
    pub const fn kind(self) -> OpportunityType {
        match self {
            Self::FailingTest => OpportunityType::TestFailure,
            Self::StalledFeature
            | Self::PausedSession
            | Self::InterruptedSession
            | Self::RepeatedFailure
            | Self::StaleBranch
            | Self::StalePullRequest => OpportunityType::StalledWork,
            Self::Complexity => OpportunityType::Complexity,
            Self::LineCoverage => OpportunityType::CoverageGap,
            Self::LongFile | Self::MissingTest => OpportunityType::CodeQuality,
            Self::Feature => OpportunityType::FeatureOpportunity,
        }
    }
}

/// One problem or idea, as an agent found it.
///
/// Paths are relative to the repository's root, with `/` between their parts;
/// bytes that are not UTF-8 stand as `\xNN`.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What made it.
    pub rule: Rule,
    /// How large the problem is, in the rule's own unit (decisions, lines), 0 where the rule has none. Of equal
    /// scores of one type the larger comes first, so that a cap keeps the worst.
    pub measure: u64,
    /// The file it is about, if it is about one.
    pub file: Option<String>,
    /// What in that file, or what at all: a test, a function, a branch, a feature.
    pub symbol: Option<String>,
    /// One line.
    pub title: String,
    /// A few sentences at most.
    pub description: String,
    /// What was seen; `source` names what was read (a report's path, `git`, `complexity`, ...).
    pub evidence: Vec<Evidence>,
    /// How ready it is to be worked on.
    pub actionability: ActionabilityScore,
    /// Files it is about.
    pub affected_files: Vec<String>,
}

/// How far an agent looked: what its silence about a stored item means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    /// Sources ([`Evidence::source`]) that were read to their end.
    pub sources: BTreeSet<String>,
    /// Files that were left out, relative as in [`Finding::file`].
    pub left_out: BTreeSet<String>,
}

impl Looked {
    /// Returns whether an item of this agent that was not found again is gone: all that once
    /// showed it was read again, and nothing that it is about was left out.
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
pub struct LeftOut {
    /// A file, a folder, a source.
    pub what: String,
    /// Why.
    pub why: String,
}

/// What came of one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRun {
    /// Which.
    pub agent: AgentName,
    /// Whether it worked.
    pub status: AgentStatus,
    /// What it found; of a failed agent, what it found before it failed.
    pub findings: Vec<Finding>,
    /// How far it looked.
    pub looked: Looked,
    /// What it read, for people: `junit.xml (12 tests)`.
    pub read: Vec<String>,
    /// What it left out, and why.
    pub skipped: Vec<LeftOut>,
    /// What is worth knowing: `stale_report`, ...
    pub warnings: Vec<Note>,
    /// Why it failed or was skipped.
    pub error: Option<String>,
}

impl AgentRun {
    /// Starts the record of an agent that works so far.
    pub fn new(agent: AgentName) -> Self {
        Self {
            agent,
            status: AgentStatus::Completed,
            findings: Vec::new(),
            looked: Looked::default(),
            read: Vec::new(),
            skipped: Vec::new(),
            warnings: Vec::new(),
            error: None,
        }
    }

    /// Makes it a failed one.
    #[must_use]
    pub fn failed(mut self, why: impl Into<String>) -> Self {
        self.status = AgentStatus::Failed;
        self.error = Some(why.into());
        self
    }

    /// Makes it one that had nothing to do.
    #[must_use]
    pub fn skipped(mut self, why: impl Into<String>) -> Self {
        self.status = AgentStatus::Skipped;
        self.error = Some(why.into());
        self
    }

    /// Notes something that was not read.
    pub fn leave_out(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(LeftOut { what: what.into(), why: why.into() });
    }
}
