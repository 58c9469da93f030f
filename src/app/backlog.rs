//! `backlog`: the items in the store and the decisions that people made on them.
//!
//! `debating` is never stored: an item is shown as `debating` while a debate on it runs, as the session's lock shows.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use clap::Args;
use clap::builder::TypedValueParser;

use crate::app::run::workspace::Workspace;
use crate::app::word::{one_of, word};
use crate::discovery::merge;
use crate::error::backlog_error;
use crate::error::{Error, store_error};
use crate::protocol::backlog::NAME;
use crate::protocol::backlog::model::{Opportunity, OpportunityStatus, OpportunityType};
use crate::report::backlog_item::{Similar, SimilarDocument};
use crate::report::backlog_list::{BacklogDocument, HiddenCounts};
use crate::text::json::typed;
use crate::text::similarity;

mod changes;
mod find;
mod open;
mod ranks;
pub(crate) mod record;

pub(crate) use changes::{Decision, Edit, NewItem, add, decide, edit};
use find::find;
pub(crate) use open::store;
pub(crate) use ranks::keep_ranks;

/// Maximum number of neighbours listed (`docs/discover.md`).
const MOST_SIMILAR: usize = 5;

/// The items that a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub(crate) struct Filter {
    /// Show items of this status, or of `all`.
    ///
    /// The default are undecided ones.
    #[arg(long, hide_possible_values = true, value_parser = shown())]
    pub status: Option<StatusFilter>,
    /// Show only items of this type.
    #[arg(long = "type", hide_possible_values = true, value_name = "TYPE", value_parser = word::<OpportunityType>())]
    pub kind: Option<OpportunityType>,
    /// Also show what is no longer found.
    #[arg(long)]
    pub resolved: bool,
}

/// Parses a status, or `all`.
fn shown() -> impl TypedValueParser<Value = StatusFilter> {
    let each =
        OpportunityStatus::ALL.map(|status| (status.name(), Some(""), StatusFilter::Only(status)));
    one_of(each.into_iter().chain([("all", Some(""), StatusFilter::All)]))
}

/// The statuses that a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusFilter {
    All,
    Only(OpportunityStatus),
}

/// Lists the backlog: ranked items first, then by score.
///
/// # Errors
/// The store or the sessions cannot be read.
pub(crate) fn list(workspace: &Workspace, filter: Filter) -> Result<BacklogDocument, Error> {
    let backlog = store(workspace).read().map_err(backlog_error)?;
    let mut items = backlog.opportunities;
    mark_debated(workspace, &mut items)?;
    sort(&mut items);
    let mut hidden = HiddenCounts::default();
    items.retain(|item| shows(item, filter, &mut hidden));
    let mut document = BacklogDocument::new(items, &backlog.warnings);
    document.hidden = Some(hidden);
    Ok(document)
}

/// Whether a list shows an item; if not, counts it as hidden, by reason.
fn shows(item: &Opportunity, filter: Filter, hidden: &mut HiddenCounts) -> bool {
    let wanted = match filter.status {
        None => item.status.is_open(),
        Some(StatusFilter::All) => true,
        Some(StatusFilter::Only(status)) => item.status == status,
    };
    let count = if filter.kind.is_some_and(|kind| kind != item.opportunity_type) {
        &mut hidden.other_types
    } else if item.resolved_at.is_some() && !filter.resolved {
        &mut hidden.resolved
    } else if wanted {
        return true;
    } else {
        match item.status {
            OpportunityStatus::Discovered
            | OpportunityStatus::Debating
            | OpportunityStatus::Actionable => &mut hidden.open,
            OpportunityStatus::Accepted => &mut hidden.accepted,
            OpportunityStatus::Rejected => &mut hidden.rejected,
            OpportunityStatus::Deferred => &mut hidden.deferred,
        }
    };
    *count += 1;
    false
}

/// Marks open items as `debating` while a debate on them runs.
fn mark_debated(workspace: &Workspace, items: &mut [Opportunity]) -> Result<(), Error> {
    if items.is_empty() {
        return Ok(());
    }
    let sessions = workspace.store();
    let mut debated = BTreeSet::new();
    for id in sessions.live().map_err(store_error)? {
        // A session that has just begun, or that uses another protocol, has no backlog items.
        let stored = sessions.read(&id).ok();
        let opened = stored.as_ref().and_then(|stored| stored.ledger.opened());
        let opened = opened.filter(|opened| opened.protocol == NAME);
        let items = opened.and_then(|opened| typed::<Vec<Opportunity>>(&opened.input).ok());
        debated.extend(items.into_iter().flatten().map(|item| item.opportunity_id));
    }
    for item in items {
        if item.is_open() && debated.contains(&item.opportunity_id) {
            item.status = OpportunityStatus::Debating;
        }
    }
    Ok(())
}

/// Sorts ranked items first, by rank (for equal ranks the later debate first), then by score, then larger items
/// first, then by id.
fn sort(items: &mut [Opportunity]) {
    items.sort_by(|a, b| {
        let rank = |item: &Opportunity| item.priority_rank.unwrap_or(u32::MAX);
        rank(a)
            .cmp(&rank(b))
            .then_with(|| Reverse(&a.debate_session_id).cmp(&Reverse(&b.debate_session_id)))
            .then_with(|| b.overall().total_cmp(&a.overall()))
            .then_with(|| b.measure().cmp(&a.measure()))
            .then_with(|| a.opportunity_id.cmp(&b.opportunity_id))
    });
}

/// Returns one item, found by its id or any unambiguous prefix of it.
///
/// # Errors
/// As [`list`]; the id matches no item or several (`unknown_id`).
pub(crate) fn show(workspace: &Workspace, id: &str) -> Result<BacklogDocument, Error> {
    let backlog = store(workspace).read().map_err(backlog_error)?;
    let mut items = backlog.opportunities;
    let place = find(&items, id)?;
    let mut item = [items.swap_remove(place)];
    mark_debated(workspace, &mut item)?;
    Ok(BacklogDocument::new(item.into(), &backlog.warnings))
}

/// Minimum similarity that is listed, as in the source system.
const LEAST_SIMILAR: f64 = 0.3;

/// Returns the items most similar to one, whatever their status.
///
/// # Errors
/// As [`show`].
pub(crate) fn similar(workspace: &Workspace, id: &str) -> Result<SimilarDocument, Error> {
    let mut items = (store(workspace).read().map_err(backlog_error)?).opportunities;
    let item = items.swap_remove(find(&items, id)?);
    let own = merge::keywords(&item);
    let mut near: Vec<Similar> = (items.into_iter())
        .map(|opportunity| Similar {
            similarity: similarity::jaccard(&own, &merge::keywords(&opportunity)),
            opportunity,
        })
        .filter(|each| each.similarity >= LEAST_SIMILAR)
        .collect();
    near.sort_by(|a, b| {
        let id = |each: &Similar| each.opportunity.opportunity_id.clone();
        (b.similarity.total_cmp(&a.similarity)).then_with(|| id(a).cmp(&id(b)))
    });
    let left_out = near.len().saturating_sub(MOST_SIMILAR);
    near.truncate(MOST_SIMILAR);
    Ok(SimilarDocument::new(item.opportunity_id, near, left_out))
}

/// Returns the whole backlog as stored, including decided and resolved items.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn export(workspace: &Workspace) -> Result<BacklogDocument, Error> {
    let backlog = store(workspace).read().map_err(backlog_error)?;
    let mut items = backlog.opportunities;
    sort(&mut items);
    Ok(BacklogDocument::new(items, &backlog.warnings))
}
