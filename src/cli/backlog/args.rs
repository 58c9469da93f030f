//! The options of `backlog`, as clap reads them.

use clap::{Args, Subcommand};

use crate::app::backlog::{Edit, Filter, NewItem};

#[derive(Debug, Args)]
#[command(after_long_help = "\
An ID is an item's id or any unambiguous start of it; `opp-` may be left out.

Examples:
  debate-agent backlog                             what is to be decided
  debate-agent backlog --status all --resolved     everything
  debate-agent backlog show tf-3f2a                one item with its evidence
  debate-agent backlog accept tf-3f2a --issue 12
  debate-agent backlog reject cx-91 --why 'Generated code.'
  debate-agent backlog export --format csv > backlog.csv")]
pub(crate) struct BacklogArgs {
    #[command(flatten)]
    pub(crate) list: Filter,
    #[command(subcommand)]
    pub(crate) command: Option<BacklogCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BacklogCommand {
    /// Show an item with its evidence.
    Show(IdArgs),
    /// Accept items: they will be done. They are no longer debated.
    Accept(AcceptArgs),
    /// Reject items: discovery does not report them when it finds them again.
    Reject(RejectArgs),
    /// Defer items: not now. They are not debated until they are reopened.
    Defer(IdsArgs),
    /// Undo a decision: the items are open again.
    Reopen(IdsArgs),
    /// List the items most similar to one.
    Similar(IdArgs),
    /// Add an item of your own. Discovery never changes its words.
    #[command(after_long_help = "\
Example:
  debate-agent backlog add --title 'Cache the parsed schema' --file src/schema.rs")]
    Add(NewItem),
    /// Change an item's title or description. Discovery leaves it alone.
    Edit(Edit),
    /// Print all items, decided ones too: markdown, json or csv.
    Export,
}

#[derive(Debug, Args)]
pub(crate) struct IdArgs {
    /// The item's id, or the start of it.
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct IdsArgs {
    /// The items' ids, or starts of them.
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    #[command(flatten)]
    pub(crate) items: IdsArgs,
    /// The number of the issue in which the work is done.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) issue: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) items: IdsArgs,
    /// Why not. `backlog show` prints it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
}
