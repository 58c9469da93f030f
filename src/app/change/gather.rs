//! What git says of a scope, one item a path.

use std::collections::BTreeMap;

use super::git_error;
use super::scope::Sides;
use crate::change::parse::{self, Entry};
use crate::change::policy::Policy;
use crate::engine::limits::Switch;
use crate::error::{Error, Kind};
use crate::git::{Attributes, CommitId, Git, Side};

/// Most bytes of a new text that is read.
pub(super) const TEXT: u64 = 1 << 20;
/// Most bytes of contents that are asked of git: the texts that are kept, and as many that turn out to
/// be of files that are not shown.
const CONTENTS: u64 = 32 << 20;

/// What git printed.
pub(super) struct Gathered {
    printed: Vec<u8>,
    untracked: Vec<Vec<u8>>,
}

/// All that git says of one path.
#[derive(Debug, Default)]
pub(super) struct Item<'a> {
    /// What differs there from what was.
    pub(super) entries: Vec<Entry<'a>>,
    /// A file is there that git does not track.
    pub(super) untracked: bool,
    /// What its attributes say.
    pub(super) attributes: Attributes,
}

/// The items, by the bytes of their paths.
pub(super) type Items<'a> = BTreeMap<Vec<u8>, Item<'a>>;

impl Gathered {
    /// Asks git.
    pub(super) async fn read(
        git: &Git,
        sides: &Sides,
        paths: &[String],
        switch: &Switch,
    ) -> Result<Self, Error> {
        let failed = |error| git_error(error, switch);
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let work_tree = sides.new == Side::WorkTree;
        let printed = git.compare(sides.old.as_ref(), &sides.new, &paths).await;
        let printed = printed.map_err(failed)?;
        let untracked = if work_tree {
            git.untracked(&paths).await.map_err(failed)?
        } else {
            Vec::new()
        };
        Ok(Self { printed, untracked })
    }

    /// Returns what it says, by path; attributes are asked for apart.
    pub(super) fn items(&self) -> Result<Items<'_>, Error> {
        let mut items = Items::new();
        let entries = parse::entries(&self.printed).map_err(|error| {
            Error::new(Kind::State, "git printed a diff that cannot be read")
                .because(error)
                .hint("run it again, in case the repository changed meanwhile")
        })?;
        for entry in entries {
            let path = entry.listed.path.clone();
            items.entry(path).or_default().entries.push(entry);
        }
        for path in &self.untracked {
            items.entry(path.clone()).or_default().untracked = true;
        }
        Ok(items)
    }
}

/// Asks what the attributes say of each path.
pub(super) async fn attribute(
    git: &Git,
    items: &mut Items<'_>,
    work_tree: bool,
    switch: &Switch,
) -> Result<(), Error> {
    let paths: Vec<&[u8]> = items.keys().map(Vec::as_slice).collect();
    let said = git.attributes(&paths).await;
    let said = said.map_err(|error| git_error(error, switch))?;
    for (item, said) in items.values_mut().zip(said) {
        item.attributes = said;
        // A filter counts where it would have to run, and where there is one to be run.
        if !work_tree || !git.knows_filter(&item.attributes.filter) {
            item.attributes.filter.clear();
        }
    }
    Ok(())
}

/// Returns the new contents that git keeps, by their ids.
pub(super) async fn texts(
    git: &Git,
    items: &Items<'_>,
    policy: &Policy,
    switch: &Switch,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let by_name = |path: &[u8]| policy.by_name(&parse::path_text(path), None);
    let mut ids = Vec::new();
    for (path, item) in items {
        for entry in &item.entries {
            let listed = &entry.listed;
            let kept = listed.new_mode != "000000" && !listed.is_submodule();
            if kept && by_name(path).is_none() {
                ids.extend(CommitId::read(listed.new_id.as_bytes()));
            }
        }
    }
    git.contents(&ids, TEXT, CONTENTS)
        .await
        .map_err(|error| git_error(error, switch))
}

/// Whether the change touches attributes, which then say nothing of what may be left out.
pub(super) fn attributes_changed(items: &Items<'_>) -> bool {
    let named = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(b".gitattributes");
    items.iter().any(|(path, item)| {
        named(path)
            || item
                .entries
                .iter()
                .any(|entry| named(&entry.listed.old_path))
    })
}
