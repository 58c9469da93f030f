//! `review dismiss`: records findings as known, with the reason.

use std::path::PathBuf;

use clap::Args;

use super::options::Global;
use super::output::Output;
use super::{below, block_on, workspace};
use crate::app::dismissals::{self, Dismiss, Source};
use crate::app::sessions::SESSION;
use crate::error::Error;
use crate::exit::ExitStatus;

#[derive(Debug, Args)]
#[command(after_long_help = "\
They are written to debate-agent.known-findings.json, which you commit. A review reads the
file of the revision that the change is compared with, so a change cannot dismiss its own
bug. When the code that a finding quotes changes, it is raised again.

Examples:
  debate-agent review dismiss F3 --why 'The caller holds the lock.'
  debate-agent review dismiss --all --why 'Older than our reviews.' --report review.json")]
pub(crate) struct DismissArgs {
    /// The findings' ids in the newest review (F3), or their fingerprints.
    #[arg(value_name = "ID", required_unless_present = "all")]
    pub(crate) ids: Vec<String>,
    /// All findings of the review.
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,
    /// Why they are not raised again.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// Who says so, for those who read the file later.
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Look the ids up in this session.
    #[arg(long, value_name = SESSION, conflicts_with = "report")]
    pub(crate) session: Option<String>,
    /// Look the ids up in this report (the JSON beside the Markdown).
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

pub(super) fn dismiss(
    global: &Global,
    args: &DismissArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let source = match (&args.session, &args.report) {
        (Some(session), _) => Source::Session(session.clone()),
        (None, Some(report)) => Source::Report(below(&workspace, report)),
        (None, None) => Source::Newest,
    };
    let (ids, why, by) = (args.ids.clone(), args.why.clone(), args.by.clone());
    let request = Dismiss { ids, why, by, source };
    let document = block_on(dismissals::dismiss(&workspace, &request))??;
    output.either(&document, ExitStatus::Success, |_| document.render())
}
