//! `review show`: one finding with its proof.

use clap::Args;

use super::options::Global;
use super::output::Output;
use super::{block_on, workspace};
use crate::app::proof;
use crate::app::sessions::SESSION;
use crate::error::Error;
use crate::exit::ExitStatus;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  debate-agent review show F2                        what came of testing it
  debate-agent review show F2 --patch | git apply    the test as a patch
  debate-agent review show F2 --apply                the same, done")]
pub(crate) struct ProofArgs {
    /// The finding's id in the newest review.
    #[arg(value_name = "ID")]
    id: String,
    /// Print the test as a patch and nothing else.
    #[arg(long, conflicts_with = "apply")]
    patch: bool,
    /// Put the test into the working tree; no file is replaced.
    #[arg(long)]
    apply: bool,
    /// Look the id up in this session.
    #[arg(long, value_name = SESSION)]
    session: Option<String>,
}

pub(super) fn show(
    global: &Global,
    args: &ProofArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let session = args.session.as_deref();
    let document = block_on(proof::show(&workspace, &args.id, session, args.apply))??;
    output.either(&document, ExitStatus::Success, |_| {
        if args.patch { document.patch.clone() } else { document.render() }
    })
}
