//! Collects git's information on a scope, one item per path.

use std::collections::BTreeMap;

use super::scope::Sides;
use crate::change::parse::{self, Entry};
use crate::change::policy::Policy;
use crate::change::{Omission, Reason};
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, git_error};
use crate::git::{Attributes, CommitId, Git, GitError, Side};

/// Maximum bytes of a new text that is read.
pub(super) const TEXT: u64 = 1 << 20;
/// Maximum bytes of contents requested from git: the texts that are kept, and those of files that turn out not to
/// be shown.
const CONTENTS: u64 = 32 << 20;

pub(super) struct GitOutput {
    printed: Vec<u8>,
    untracked: Vec<Vec<u8>>,
}

/// Everything git reports about one path.
#[derive(Debug, Default)]
pub(super) struct Item<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) untracked: bool,
    /// The filter its content would have to pass through; empty for none.
    pub(super) filter: String,
    pub(super) before: Attributes,
    /// The base revision's attributes for its old name; empty if it was not renamed.
    pub(super) was: Attributes,
}

impl Item<'_> {
    /// Returns the current mode, or the last one of a deleted file.
    pub(super) fn mode(&self, git: &Git, path: &[u8], work_tree: bool) -> String {
        // The file on disk decides, not the index or a setting.
        if let Some(mode) = work_tree.then(|| git.mode(path)).flatten() {
            return mode.to_owned();
        }
        let listed = self.entries.last().map(|entry| &entry.listed);
        listed.map_or_else(String::new, |listed| match listed.status {
            b'D' => listed.old_mode.clone(),
            _ => listed.new_mode.clone(),
        })
    }

    /// Returns why it is left out by its name, if it is. A new file with the name of a lock file is shown: the base does
    /// not say that it is one.
    pub(super) fn by_name(&self, policy: &Policy, name: &str, mode: &str) -> Option<Reason> {
        let was = |entry: &Entry<'_>| match entry.listed.status {
            b'A' => false,
            b'R' | b'C' => {
                let old = policy.by_name(&parse::path_text(&entry.listed.old_path), mode);
                old.is_some_and(|reason| reason.why == Omission::Lock)
            }
            _ => true,
        };
        let reason = policy.by_name(name, mode)?;
        if reason.why == Omission::Lock && !self.entries.iter().any(was) {
            return None;
        }
        let alone = self.untracked && self.entries.is_empty();
        Some(if alone { policy.untracked(name, reason) } else { reason })
    }

    pub(super) fn old_path(&self) -> Option<&[u8]> {
        let mut listed = self.entries.iter().map(|entry| &entry.listed);
        let renamed = listed.find(|listed| listed.old_path != listed.path);
        renamed.map(|listed| listed.old_path.as_slice())
    }
}

/// Items by the bytes of their paths.
pub(super) type Items<'a> = BTreeMap<Vec<u8>, Item<'a>>;

impl GitOutput {
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
        let untracked =
            if work_tree { git.untracked(&paths).await.map_err(failed)? } else { Vec::new() };
        Ok(Self { printed, untracked })
    }

    /// Returns the items by path, without attributes: those are requested separately.
    pub(super) fn items(&self) -> Result<Items<'_>, Error> {
        let mut items = Items::new();
        let entries = parse::entries(&self.printed).map_err(|error| {
            Error::new(Kind::State, "git printed a diff that cannot be read")
                .because(error)
                .hint("run it again, in case the repository changed in the meantime")
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

/// Fills in each path's current attributes and those of the base revision.
pub(super) async fn attribute(
    git: &Git,
    items: &mut Items<'_>,
    base: Option<&CommitId>,
    work_tree: bool,
    switch: &Switch,
) -> Result<(), Error> {
    let paths: Vec<&[u8]> = items.keys().map(Vec::as_slice).collect();
    let olds = items.values().filter_map(Item::old_path);
    let both: Vec<&[u8]> = paths.iter().copied().chain(olds).collect();
    let failed = |error| git_error(error, switch);
    let said = git.attributes(&paths).await.map_err(failed)?;
    let before = match base {
        None => None,
        Some(base) => match git.attributes_of(&both, Some(base)).await {
            // This git cannot report them: the current ones are used unless the change touches attributes.
            Err(GitError::Failed { .. }) if attributes_changed(items) => None,
            Err(GitError::Failed { .. }) => match git.attributes_of(&both, None).await {
                Err(GitError::Failed { .. }) => None,
                now => Some(now.map_err(failed)?),
            },
            before => Some(before.map_err(failed)?),
        },
    };
    let mut before = before.unwrap_or_else(|| vec![Attributes::default(); both.len()]);
    let mut were = before.split_off(paths.len()).into_iter();
    for ((item, said), before) in items.values_mut().zip(said).zip(before) {
        // A filter matters only where it would have to run and is configured.
        if work_tree && git.knows_filter(&said.filter) {
            item.filter = said.filter;
        }
        item.before = before;
        if item.old_path().is_some() {
            item.was = were.next().unwrap_or_default();
        }
    }
    Ok(())
}

/// Returns contents stored by git, by their ids: the new ones, and the old ones while there is room. For the working
/// tree the new ones are on disk.
pub(super) async fn texts(
    git: &Git,
    items: &Items<'_>,
    policy: &Policy,
    work_tree: bool,
    switch: &Switch,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let (mut ids, mut old_ids) = (Vec::new(), Vec::new());
    for (path, item) in items {
        let mode = item.mode(git, path, work_tree);
        if item.by_name(policy, &parse::path_text(path), &mode).is_some() {
            continue;
        }
        for entry in &item.entries {
            let listed = &entry.listed;
            let kept = |mode: &str| mode != "000000" && !listed.is_submodule();
            if !work_tree && kept(&listed.new_mode) {
                ids.extend(CommitId::read(listed.new_id.as_bytes()));
            }
            let old = CommitId::read(listed.old_id.as_bytes()).filter(|_| kept(&listed.old_mode));
            // Files that git calls binary are compared by this program.
            if entry.sections.iter().any(|section| no_text(section)) {
                ids.extend(old);
            } else if matches!(listed.status, b'M' | b'R') {
                old_ids.extend(old);
            }
        }
    }
    ids.extend(old_ids);
    git.contents(&ids, TEXT, CONTENTS).await.map_err(|error| git_error(error, switch))
}

/// Whether git reports nothing but that the file is binary.
fn no_text(section: &[u8]) -> bool {
    let mut lines = section.split(|byte| *byte == b'\n');
    lines
        .find(|line| line.starts_with(b"@@") || line.starts_with(b"Binary files "))
        .is_some_and(|line| line.starts_with(b"Binary"))
}

fn attributes_changed(items: &Items<'_>) -> bool {
    let named = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(b".gitattributes");
    items.iter().any(|(path, item)| {
        named(path) || item.entries.iter().any(|entry| named(&entry.listed.old_path))
    })
}

/// Lists the files that this clone's or the user's own settings hide from the working tree's side.
///
/// A file that git was told not to look at is listed if it differs from what is staged: a person has to look at it.
/// Files ignored by this clone alone were left out deliberately by its owner.
pub(super) async fn hidden(
    git: &Git,
    paths: &[String],
    switch: &Switch,
) -> Result<Vec<(String, Reason)>, Error> {
    let failed = |error| git_error(error, switch);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let unwatched = git.unwatched(&paths).await.map_err(failed)?;
    let ids: Vec<CommitId> = unwatched.iter().map(|file| file.staged.clone()).collect();
    let staged = git.contents(&ids, TEXT, CONTENTS).await.map_err(failed)?;
    let mut named = Vec::new();
    for file in unwatched {
        let there = git.file(&file.path, usize::try_from(TEXT).unwrap_or(usize::MAX));
        let same = match &there {
            // A sparse checkout leaves files out.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => file.sparse,
            Err(_) => false,
            Ok(there) => (staged.get(file.staged.as_str()))
                .is_some_and(|staged| there.is_whole() && is_same(staged, &there.bytes)),
        };
        if !same {
            let detail = format!(
                "git was told not to look at it, and it differs from what is staged: `git update-index {}` undoes that",
                file.undone_by()
            );
            let reason = Reason::missed(Omission::Unreadable, detail);
            named.push((parse::path_text(&file.path), reason));
        }
    }
    let here = git.ignored_here(&paths).await.map_err(failed)?;
    let by_user = git.ignored_by_the_user(&paths).await.map_err(failed)?;
    for (ignored, detail) in [
        (here, "ignored only by this clone (.git/info/exclude or its core.excludesFile)"),
        (by_user, "ignored by your own list for all repositories (core.excludesFile)"),
    ] {
        let reason = Reason::left_out(Omission::Excluded, detail);
        named.extend(ignored.iter().map(|path| (parse::path_text(path), reason.clone())));
    }
    Ok(named)
}

/// Whether two contents are equal apart from line endings, which git may have translated.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let plain = |bytes: &[u8]| -> Vec<u8> {
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines: Vec<&[u8]> =
            lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
        lines.join(&b'\n')
    };
    one == other || plain(one) == plain(other)
}

/// Returns the reason for a file that cannot be read, cut to 300 characters.
pub(super) fn unreadable(why: impl std::fmt::Display) -> Reason {
    let why = crate::text::sanitize::line(&why.to_string(), 300);
    Reason::missed(Omission::Unreadable, why)
}
