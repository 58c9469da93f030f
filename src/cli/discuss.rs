//! `discuss`: an artifact is read from several perspectives at once; one ladder decides.

use std::path::PathBuf;

use clap::Args;

use super::options::{CallArgs, Global};
use super::output::Output;
use super::result;
use super::session::Session;
use super::surroundings;
use super::word::some;
use crate::app::Caller;
use crate::app::discuss::Request;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::protocol::discuss::Severity;

#[derive(Debug, Args)]
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
pub(crate) struct DiscussArgs {
    /// The file to discuss; `-` reads standard input.
    ///
    /// A preset has its own.
    #[arg(value_name = "ARTIFACT")]
    pub(crate) artifact: Option<PathBuf>,
    /// Who reads it, separated by commas.
    ///
    /// The default are the preset's, or product, technical, quality, risk, coverage.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) perspectives: Vec<String>,
    /// A round: its artifact, readers and context.
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// What `coverage` checks against, as JSON.
    ///
    /// Without it that perspective is skipped.
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// Names the record (default: the preset's name, or `DISCUSS-TIME-RANDOM`).
    #[arg(long, hide_short_help = true, value_name = "ID")]
    pub(crate) round_id: Option<String>,
    /// Keep records and follow-ups in this folder (default .debate/discuss).
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Exit 1 from high, medium (default) or low on.
    #[arg(long, value_name = "SEVERITY", default_value = "medium", hide_default_value = true, hide_possible_values = true, value_parser = some(&FAIL_ON))]
    pub(crate) fail_on: Severity,
    /// Follow up: high records one revision task for an artifact, then escalates; medium
    /// keeps a warning in wisdom/issues.md.
    #[arg(long, hide_short_help = true)]
    pub(crate) apply_policy: bool,
    /// The role that asks, for the message to its coordinator (default: the preset's).
    #[arg(long, hide_short_help = true, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Its task, for the message and for revision tasks (default: the round's id).
    #[arg(long, hide_short_help = true, value_name = "ID")]
    pub(crate) task_id: Option<String>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// The severities from which the answer is "no".
const FAIL_ON: [(Severity, &str); 3] = [
    (Severity::High, "Blocked, to be revised"),
    (Severity::Medium, "Blocked"),
    (Severity::Low, "Anything that was raised"),
];

impl DiscussArgs {
    fn request(&self) -> Result<Request, Error> {
        let request = Request {
            artifact: self.artifact.clone(),
            perspectives: self.perspectives.clone(),
            preset: self.preset.clone(),
            context: self.context.clone(),
            round_id: self.round_id.clone(),
            folder: self.folder.clone(),
            apply_policy: self.apply_policy,
            role: self.role.clone(),
            task_id: self.task_id.clone(),
            fail_on: Some(self.fail_on),
            run: self.call.options(),
        };
        request.check(Caller::CommandLine)?;
        Ok(request)
    }
}

pub(super) fn discuss(
    global: &Global,
    args: &DiscussArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let call = &args.call;
    result::one_stdout(call, output)?;
    let session = Session::open(surroundings(global)?, args.request()?, call, output)?;
    session.warn();
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    result::print(&finished.document, finished.status, &session.workspace, call, output)
}
