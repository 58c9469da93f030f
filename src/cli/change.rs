//! `diff`, and the options for the reviewed change, which `review` and `plan` share.

use std::path::PathBuf;

use clap::Args;

use super::options::Global;
use super::output::Output;
use super::{block_on, workspace};
use crate::app::Input;
use crate::app::change::{self, Request, Scope};
use crate::error::Error;
use crate::exit::ExitStatus;

/// What is compared with what; nothing means all that differs from HEAD in the working tree, else the branch.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ScopeArgs {
    /// Only what is staged.
    #[arg(long, group = "scope")]
    pub(crate) staged: bool,
    /// All that differs from where this branch left REF.
    #[arg(long, group = "scope", value_name = "REF")]
    pub(crate) base: Option<String>,
    /// One commit, against its first parent.
    #[arg(long, group = "scope", hide_short_help = true, value_name = "REV")]
    pub(crate) commit: Option<String>,
    /// Two commits; with three dots, what B has added.
    #[arg(long, group = "scope", hide_short_help = true, value_name = "A..B")]
    pub(crate) range: Option<String>,
    /// A patch, for which no repository is needed.
    #[arg(long, group = "scope", hide_short_help = true, value_name = "FILE|-")]
    pub(crate) patch: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Shows what `debate-agent review` would show to reviewers, and what it would leave
out and why. Nobody is asked, nothing is written.

Examples:
  debate-agent diff                        what is not committed yet, untracked
                                           files included; else the branch
  debate-agent diff --base main            everything this branch adds to main
  debate-agent diff --commit HEAD src/     one commit, in one folder
  debate-agent diff --range v1.0..v1.1 --json
  git diff | debate-agent diff --patch - --full")]
pub(crate) struct DiffArgs {
    /// Print the diff itself, as it would appear in the prompts.
    #[arg(long)]
    pub(crate) full: bool,
    /// Files and folders to look at, relative to the current directory (default: all).
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    // Last: its heading would otherwise cover the options after it.
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

impl ScopeArgs {
    pub(crate) fn request(&self, paths: &[PathBuf]) -> Request {
        let scope = if self.staged {
            Scope::Staged
        } else if let Some(base) = &self.base {
            Scope::Base(base.clone())
        } else if let Some(range) = &self.range {
            Scope::Range(range.clone())
        } else if let Some(commit) = &self.commit {
            Scope::Commit(commit.clone())
        } else if let Some(file) = &self.patch {
            Scope::Patch(Input::File(file.clone()))
        } else {
            Scope::WorkingTree
        };
        Request { scope, paths: paths.to_vec() }
    }
}

pub(super) fn diff(global: &Global, args: &DiffArgs, output: &Output) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let mut request = args.scope.request(&args.paths);
    request.read(&workspace)?;
    let document = block_on(change::show::diff(&workspace, &request, args.full))??;
    output.either(&document, ExitStatus::Success, |look| document.render(look))
}
