//! Changes that people make to items: decide, add, edit.

use clap::Args;
use serde_json::Value;

use super::find;
use super::open::store;
use crate::app::run::workspace::Workspace;
use crate::app::word::word;
use crate::config::trust::AgentUse;
use crate::discovery::store::BacklogError;
use crate::error::{Error, Kind, backlog_error};
use crate::protocol::backlog::intake::stable_id;
use crate::protocol::backlog::model::{Opportunity, OpportunityStatus, OpportunityType};
use crate::report::backlog_list::BacklogDocument;
use crate::text::sanitize;

/// Maximum characters in a title given by a person.
const TITLE_CHARS: usize = 200;
/// Maximum characters in a description or reason given by a person.
const TEXT_CHARS: usize = 4_000;
/// The `discovered_by` of an item that a person added.
const PERSON: &str = "user";

/// A person's decision on items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It will be done; carries the number of the issue for it, if there is one.
    Accept(Option<u64>),
    /// It will not be done; carries the reason.
    Reject(String),
    Defer,
    /// An earlier decision is withdrawn.
    Reopen,
}

/// An item to be added by a person.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct NewItem {
    /// What is to be done, in one line.
    #[arg(long)]
    pub title: String,
    /// More about it.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub description: String,
    /// What kind of work it is.
    #[arg(long = "type", value_name = "TYPE", default_value = "feature_opportunity", value_parser = word::<OpportunityType>())]
    pub kind: OpportunityType,
    /// A file that it is about, relative to the project's root. Can be repeated.
    #[arg(long = "file", value_name = "FILE")]
    pub files: Vec<String>,
}

/// A person's changes to an item.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Edit {
    /// The item's id, or the start of it.
    pub id: String,
    /// The new title; this or the description must be given.
    #[arg(long)]
    pub title: Option<String>,
    /// The new description.
    #[arg(long)]
    pub description: Option<String>,
}

/// A user-facing error, converted from errors of the store too.
struct Edge(Error);

impl From<BacklogError> for Edge {
    fn from(error: BacklogError) -> Self {
        Self(backlog_error(error))
    }
}

impl From<Error> for Edge {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

/// Changes the items matching the given ids, all or none; returns them as changed.
fn change(
    workspace: &Workspace,
    ids: &[String],
    mut edit: impl FnMut(&mut Opportunity),
) -> Result<BacklogDocument, Error> {
    workspace.require_trusted_keys(AgentUse::Folders)?;
    let store = store(workspace);
    // Checked without the lock first: an unknown id leaves no trace, not even an empty folder.
    let backlog = store.read().map_err(backlog_error)?;
    for id in ids {
        find(&backlog.opportunities, id)?;
    }
    let changed = store.change(|items| {
        let mut places = Vec::new();
        for id in ids {
            let place = find(items, id)?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let mut changed = Vec::new();
        for place in places {
            let item = &mut items[place];
            let before = item.clone();
            edit(item);
            if *item != before {
                item.updated_at = workspace.env().now();
            }
            changed.push(item.clone());
        }
        Ok::<_, Edge>(changed)
    });
    let changed = changed.map_err(|Edge(error)| error)?;
    Ok(BacklogDocument::new(changed, &backlog.warnings))
}

/// Records a decision about items, given by id or unambiguous prefix: about all of them or, if any is unknown, about
/// none.
///
/// # Errors
/// An id matches no item or several; a rejection has no reason; the store cannot be read or changed.
pub(crate) fn decide(
    workspace: &Workspace,
    ids: &[String],
    decision: &Decision,
) -> Result<BacklogDocument, Error> {
    let why = match decision {
        Decision::Reject(why) => Some(text(workspace, "--why", why, true)?),
        Decision::Accept(_) | Decision::Defer | Decision::Reopen => None,
    };
    let threshold = workspace.effective.config.discovery.actionability_threshold;
    change(workspace, ids, |item| {
        item.status = match decision {
            Decision::Accept(issue) => {
                item.linked_issue = issue.or(item.linked_issue);
                OpportunityStatus::Accepted
            }
            Decision::Reject(_) => OpportunityStatus::Rejected,
            Decision::Defer => OpportunityStatus::Deferred,
            Decision::Reopen if !item.status.is_open() => {
                if item.overall() + 1e-9 >= threshold {
                    OpportunityStatus::Actionable
                } else {
                    OpportunityStatus::Discovered
                }
            }
            Decision::Reopen => item.status,
        };
        match &why {
            Some(why) => {
                let why = Value::from(why.as_str());
                item.extra.insert(Opportunity::REJECTED_WHY.to_owned(), why);
            }
            None => {
                item.extra.shift_remove(Opportunity::REJECTED_WHY);
            }
        }
    })
}

/// Adds a person's own item. Agents never change its wording and never resolve it.
///
/// # Errors
/// The title is missing or too long; an item with that type, first file and title exists; the store cannot be read or
/// changed.
pub(crate) fn add(workspace: &Workspace, new: &NewItem) -> Result<BacklogDocument, Error> {
    workspace.require_trusted_keys(AgentUse::Folders)?;
    let title = line(workspace, "--title", &new.title)?;
    let description = text(workspace, "--description", &new.description, false)?;
    let mut files = Vec::new();
    for file in &new.files {
        files.push(line(workspace, "--file", file.strip_prefix("./").unwrap_or(file))?);
    }
    let file = files.first().map_or("", String::as_str);
    let id = stable_id(new.kind, file, &title);
    let now = workspace.env().now();
    let mut item = Opportunity {
        opportunity_id: id.clone(),
        opportunity_type: new.kind,
        status: OpportunityStatus::Discovered,
        title,
        description,
        affected_files: files,
        created_at: now,
        updated_at: now,
        discovered_by: PERSON.to_owned(),
        ..Opportunity::default()
    };
    mark_edited(&mut item, "title");
    mark_edited(&mut item, "description");
    let store = store(workspace);
    let warnings = store.read().map_err(backlog_error)?.warnings;
    let added = item.clone();
    let result = store.change(|items| {
        if let Some(known) = items.iter().find(|item| item.opportunity_id == id) {
            let error = Error::new(
                Kind::Input,
                format!("the backlog already has such an item: `{id}`, {}", known.status.name()),
            );
            let hint = format!(
                "`debate-agent backlog show {id}` shows it; give another title, or edit that one"
            );
            return Err(Edge(error.named("exists").hint(hint)));
        }
        items.push(item);
        Ok(())
    });
    result.map_err(|Edge(error)| error)?;
    Ok(BacklogDocument::new(vec![added], &warnings))
}

/// Changes an item's wording, which discovery leaves alone from then on.
///
/// # Errors
/// As [`decide`]; an empty title.
pub(crate) fn edit(workspace: &Workspace, edit: &Edit) -> Result<BacklogDocument, Error> {
    let title = edit.title.as_deref().map(|title| line(workspace, "--title", title));
    let title = title.transpose()?;
    let description = edit.description.as_deref();
    let description = description.map(|new| text(workspace, "--description", new, false));
    let description = description.transpose()?;
    change(workspace, std::slice::from_ref(&edit.id), |item| {
        if let Some(title) = &title {
            item.title.clone_from(title);
            mark_edited(item, "title");
        }
        if let Some(description) = &description {
            item.description.clone_from(description);
            mark_edited(item, "description");
        }
    })
}

fn mark_edited(item: &mut Opportunity, field: &str) {
    if item.is_edited(field) {
        return;
    }
    let fields =
        (item.extra).entry(Opportunity::EDITED).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(fields) = fields {
        fields.push(Value::from(field));
    } else {
        // A foreign field of that name; its value means nothing to this program.
        *fields = Value::from(vec![field]);
    }
}

/// Cleans and checks a single line given by a person.
fn line(workspace: &Workspace, option: &str, given: &str) -> Result<String, Error> {
    let clean = workspace.redactor().text(&sanitize::line(given, usize::MAX));
    let clean = clean.trim();
    check(option, clean, TITLE_CHARS, true)?;
    Ok(clean.to_owned())
}

/// Cleans and checks text of several lines given by a person.
fn text(workspace: &Workspace, option: &str, given: &str, required: bool) -> Result<String, Error> {
    let clean = workspace.redactor().text(&sanitize::terminal(given));
    let clean = clean.trim();
    check(option, clean, TEXT_CHARS, required)?;
    Ok(clean.to_owned())
}

fn check(option: &str, clean: &str, most: usize, required: bool) -> Result<(), Error> {
    let chars = clean.chars().count();
    if required && chars == 0 {
        return Err(Error::new(Kind::Usage, format!("`{option}` must not be empty"))
            .hint("say it in a few words"));
    }
    if chars > most {
        return Err(Error::new(
            Kind::Usage,
            format!("`{option}` has {chars} characters, more than {most}"),
        )
        .hint("shorten it"));
    }
    Ok(())
}
