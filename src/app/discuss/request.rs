//! The request for a critique.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::run::options::RunOptions;
use crate::app::word::some;
use crate::protocol::discuss::Severity;

/// The request for a critique: the artifact, and how to criticise it.
///
/// A client's paths are resolved first, so that no tool reads one from its arguments.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
#[command(after_long_help = "\
Severity  when (the first that holds)                          verdict   do
high      requirements missing, critical risk, or two          blocked   revise; escalate at a sign-off
          ratings of 1 or 2 (one, where one was asked)                   or after one revision
medium    high risk, or one rating of 1 or 2                   blocked   proceed-with-caution
low       weaknesses, suggestions or differing views           reached   proceed
none      nothing was raised                                   reached   proceed

A failed perspective is named and never counted; if half or fewer answer,
the result is undecided. Records are kept in .debate/discuss/discussions/.
Perspectives and presets are those of the configuration (`discuss`).

Examples:
  debate-agent discuss README.md --rehearse           the whole run for free
  debate-agent discuss docs/design.md --perspectives technical,risk
  debate-agent discuss spec/epics/_index.md --context spec/discovery-context.json
  debate-agent discuss --preset DISCUSS-002 --folder work --apply-policy
  for file in docs/*.md; do debate-agent discuss $file --budget 1; done
  git show HEAD:design.md | debate-agent discuss - --json")]
pub struct Request {
    /// The file to discuss; `-` reads standard input.
    ///
    /// A preset has its own.
    #[arg(value_name = "ARTIFACT")]
    #[serde(skip)]
    pub artifact: Option<PathBuf>,
    /// Who reads it, separated by commas.
    ///
    /// The default are the preset's, or product, technical, quality, risk, coverage.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    #[serde(default)]
    #[schemars(description = "product, technical, quality, risk, coverage, or others.")]
    #[schemars(length(max = 9), inner(length(max = 64)))]
    pub perspectives: Vec<String>,
    /// A round: its artifact, readers and context.
    #[arg(long, value_name = "NAME")]
    #[schemars(description = "A configured round: DISCUSS-002.", length(max = 64))]
    pub preset: Option<String>,
    /// What `coverage` checks against, as JSON.
    ///
    /// Without it that perspective is skipped.
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub context: Option<PathBuf>,
    /// Names the record (default: the preset's name, or `DISCUSS-TIME-RANDOM`).
    #[arg(long, hide_short_help = true, value_name = "ID")]
    #[schemars(description = "Names the record.", length(max = 56))]
    pub round_id: Option<String>,
    /// Keep records and follow-ups in this folder (default .debate/discuss).
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    #[serde(skip)]
    pub folder: Option<PathBuf>,
    /// Exit 1 from high, medium (default) or low on.
    #[arg(long, value_name = "SEVERITY", default_value = "medium", hide_default_value = true, hide_possible_values = true, value_parser = some(&FAIL_ON))]
    #[serde(skip)]
    pub fail_on: Option<Severity>,
    /// Follow up: high records one revision task for an artifact, then escalates; medium
    /// keeps a warning in wisdom/issues.md.
    #[arg(long, hide_short_help = true)]
    #[serde(default)]
    #[schemars(description = "Write what the verdict requires into the session folder.")]
    pub apply_policy: bool,
    /// The role that asks, for the message to its coordinator (default: the preset's).
    #[arg(long, hide_short_help = true, value_name = "ROLE")]
    #[schemars(description = "Who asks.")]
    pub role: Option<String>,
    /// Its task, for the message and for revision tasks (default: the round's id).
    #[arg(long, hide_short_help = true, value_name = "ID")]
    #[schemars(description = "Its task.")]
    pub task_id: Option<String>,
    /// Options common to all runs.
    #[command(flatten)]
    #[serde(skip)]
    pub run: RunOptions,
}

/// The severities from which the answer is "no".
const FAIL_ON: [(Severity, &str); 3] = [
    (Severity::High, "Blocked, to be revised"),
    (Severity::Medium, "Blocked"),
    (Severity::Low, "Anything that was raised"),
];
