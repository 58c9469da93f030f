//! Work that was begun and abandoned.
//!
//! # Theory of operation
//!
//! Two [`Source`]s, each judged separately: branches (`git`) and pull requests (`gh`). The caller supplies the programs'
//! output. [`conclude`] combines them into one agent's run.
//!
//! | rule | condition |
//! |---|---|
//! | stale branch | its last commit is more than `stale_days` old, and it has commits that the default branch lacks |
//! | stale pull request | open, and not updated for more than `stale_days` |
//!
//! Anything that cannot be judged (malformed, without a time that the rule needs, with a time in the future) is listed
//! as left out, and its source then counts as not read to its end.

mod branches;
mod pulls;
#[cfg(test)]
mod tests;
mod when;

use chrono::{DateTime, Utc};

pub use branches::{Branch, branches};
pub use pulls::{LIMIT as PULL_REQUESTS, pull_requests};

use super::finding::{AgentName, AgentRun, Finding, Omission, Rule};
use crate::config::discovery::DiscoveryConfig;
use crate::protocol::backlog::model::{ActionabilityScore, Effort, Evidence, Reversibility};
use crate::text::sanitize;

/// Branches, as [`Evidence::source`] names them.
pub const GIT: &str = "git";
/// Pull requests, as [`Evidence::source`] names them.
pub const GH: &str = "gh";

/// Maximum length of a title, in characters.
const TITLE: usize = 200;
/// Maximum length of a text of evidence, in characters.
const CONTENT: usize = 2000;
/// Maximum length of a name from a file, in characters.
const NAME: usize = 120;

#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The start of the run.
    pub now: DateTime<Utc>,
    pub config: &'a DiscoveryConfig,
}

impl Rules<'_> {
    /// Whether something that last changed at this time is stale, by the threshold in days.
    pub fn is_stale(&self, at: DateTime<Utc>) -> bool {
        self.now - at > chrono::TimeDelta::days(i64::from(self.config.stale_days))
    }

    /// Returns the time since, in days, or in hours below two days.
    fn ago(&self, at: DateTime<Utc>) -> String {
        let hours = (self.now - at).num_hours().max(0);
        match (hours, hours / 24) {
            (1, _) => "1 hour".to_owned(),
            (hours, 0 | 1) => format!("{hours} hours"),
            (_, days) => format!("{days} days"),
        }
    }
}

/// How much of a source was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// This project does not have it: its silence means nothing.
    Absent,
    /// It exists but is empty.
    Empty,
    /// It was read, except for the parts left out.
    Read,
    /// It exists, but none of it was usable.
    Unusable,
}

/// A source, read and judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Its name, as [`Evidence::source`] has it.
    pub name: &'static str,
    pub reading: Reading,
    /// The amount read, for people: `3 files`.
    pub amount: String,
    pub findings: Vec<Finding>,
    /// The parts left out, and why.
    pub left_out: Vec<Omission>,
}

impl Source {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            reading: Reading::Empty,
            amount: String::new(),
            findings: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Creates a source that this project does not have.
    pub fn absent(name: &'static str, why: impl Into<String>) -> Self {
        let mut source = Self::new(name);
        source.reading = Reading::Absent;
        source.leave_out(name, why);
        source
    }

    /// Creates a source that exists but could not be read.
    pub fn unusable(name: &'static str, why: impl Into<String>) -> Self {
        let mut source = Self::absent(name, why);
        source.reading = Reading::Unusable;
        source
    }

    /// Notes something that was not read.
    pub fn leave_out(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.left_out.push(Omission { what: what.into(), why: why.into() });
    }

    /// Sets the result: `used` units could be judged.
    fn counted(mut self, used: usize, unit: &str) -> Self {
        self.reading = match (used, self.left_out.is_empty()) {
            (0, true) => Reading::Empty,
            (0, false) => Reading::Unusable,
            (1.., _) => Reading::Read,
        };
        self.amount = format!("{used} {unit}{}", if used == 1 { "" } else { "s" });
        self
    }
}

/// Combines sources into the agent's run.
///
/// It completed if any source was read, failed if there were some but none could be read, and was
/// skipped if there were none. A source counts as read to its end only if nothing was left out.
pub fn conclude(sources: Vec<Source>) -> AgentRun {
    let mut run = AgentRun::new(AgentName::StalledWork);
    let has = |reading| sources.iter().any(|source| source.reading == reading);
    let (read, unusable) = (has(Reading::Read), has(Reading::Unusable));
    for source in sources {
        let looked = match source.reading {
            Reading::Read => {
                run.read.push(format!("{} ({})", source.name, source.amount));
                true
            }
            Reading::Empty => true,
            Reading::Absent | Reading::Unusable => false,
        };
        if read && looked && source.left_out.is_empty() {
            run.looked.sources.insert(source.name.to_owned());
        }
        run.findings.extend(source.findings);
        run.skipped.extend(source.left_out);
    }
    if read {
        return run;
    }
    if unusable {
        let why: Vec<String> = (run.skipped.iter().take(3))
            .map(|left| format!("{}: {}", left.what, left.why))
            .collect();
        return run.failed(format!("nothing could be read: {}", why.join("; ")));
    }
    run.skipped("there is no git repository with branches: run it in a git repository")
}

/// A match of one of this agent's rules, before it becomes a [`Finding`].
struct Stall {
    rule: Rule,
    symbol: String,
    title: String,
    description: String,
    source: &'static str,
    content: String,
    file: Option<String>,
    at: Option<DateTime<Utc>>,
    clarity: f64,
    evidence: f64,
    effort: Effort,
}

impl Stall {
    fn finding(self) -> Finding {
        Finding {
            measure: 0,
            rule: self.rule,
            file: None,
            symbol: Some(self.symbol),
            title: sanitize::line(&self.title, TITLE),
            description: self.description,
            evidence: vec![Evidence {
                source: self.source.to_owned(),
                content: sanitize::line(&self.content, CONTENT),
                file_path: self.file,
                line_number: None,
                timestamp: self.at,
            }],
            actionability: ActionabilityScore {
                clarity: self.clarity,
                evidence: self.evidence,
                effort: self.effort,
                reversibility: Reversibility::Full,
            },
            affected_files: Vec::new(),
        }
    }
}

/// Shortens a name from a file so that it can be used in a title and an identity.
fn named(text: &str) -> Option<String> {
    let name = sanitize::line(text, NAME);
    (!name.is_empty()).then_some(name)
}
