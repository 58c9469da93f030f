//! `review dismiss`: dismisses a finding that is not a defect, with the reason.

use std::path::PathBuf;

use clap::Args;

use super::options::Global;
use super::output::Output;
use super::{below, block_on, workspace};
use crate::app::dismissals::{self, Dismiss, Source};
use crate::error::Error;
use crate::exit::ExitStatus;

#[derive(Debug, Args)]
#[command(after_help = "\
The dismissal is written to debate-agent.dismissals.json, which you commit. A review reads
the file of the revision that the change is compared with, so a change cannot dismiss its
own bug. When the code that the finding quotes changes, it is raised again.

Examples:
  debate-agent review dismiss F3 --why 'The caller holds the lock.'
  debate-agent review dismiss 9f2c41 --why 'Test data.' --report review.json")]
pub(crate) struct DismissArgs {
    /// The finding's id in the newest review (F3), or the first digits of its fingerprint.
    pub(crate) id: String,
    /// Why it is not a finding.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// Who says so, for those who read the file later.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Look the id up in this session.
    #[arg(long, value_name = "ID", conflicts_with = "report")]
    pub(crate) session: Option<String>,
    /// Look the id up in this report (the JSON beside the Markdown).
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
    let request =
        Dismiss { id: args.id.clone(), why: args.why.clone(), by: args.by.clone(), source };
    let document = block_on(dismissals::dismiss(&workspace, &request))??;
    output.either(&document, ExitStatus::Success, |_| document.render())
}
